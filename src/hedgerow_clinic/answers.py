"""What a user answers to the questions that a table raises, each answer an option of the command.

Each option is said here once: parser, questions, command of the manifest and passport read it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

from hedgerow.errors import InputError
from hedgerow.texts import did_you_mean

#: How dates of a whole column are written, where their own form does not tell.
DATE_FORMS = ("day-first", "month-first", "two-digit-years", "month-year", "excel", "excel-1904")
DECIMALS = ("comma", "point", "both")


def _option(
    metavar: str, meaning: str, *, column: bool = False, word: bool = False, among: tuple = ()
) -> Any:
    """A field that an option fills: words as they were given."""
    facts = {"metavar": metavar, "meaning": meaning, "column": column, "word": word, "among": among}
    return field(default=(), metadata=facts)


@dataclass(frozen=True)
class Answers:
    """Answers to questions, each a tuple of what its option was given, in their order.

    `sheet`, `head`, `hidden_rows`, `copied_rows` and `end_of_study` have one at most.
    """

    sheet: tuple[str, ...] = _option(
        "NAME", "sheet of a workbook (default: the only visible one with a table)"
    )
    head: tuple[str, ...] = _option("ROW", "the row that names the columns")
    hidden_rows: tuple[str, ...] = _option(
        "WHAT", "drop or keep rows that are hidden in a workbook", among=("drop", "keep")
    )
    where: tuple[str, ...] = _option(
        "COLUMN=WORD",
        "rows that count, where a patient stands in several; COLUMN= where it is empty",
        column=True,
        word=True,
    )
    several_rows: tuple[str, ...] = _option(
        "[COLUMN=]WHICH",
        "first or last: which row of a patient counts; separate: they are different patients",
        among=("first", "last", "separate"),
    )
    copied_rows: tuple[str, ...] = _option(
        "WHAT", "drop or keep rows that are copies of others", among=("drop", "keep")
    )
    leave_out_rows: tuple[str, ...] = _option("ROWS", "rows of the file to leave out: 12,57")
    not_input: tuple[str, ...] = _option(
        "COLUMN", "it was not known at inclusion: no input", column=True
    )
    known_before: tuple[str, ...] = _option(
        "COLUMN", "it was known at inclusion, though it looks like the outcome", column=True
    )
    keep_input: tuple[str, ...] = _option(
        "COLUMN", "an input, though it tells how long a patient could be followed", column=True
    )
    no_event_is: tuple[str, ...] = _option(
        "WORD", "what counts as no event; '': an empty cell does"
    )
    other_event_is: tuple[str, ...] = _option("WORD", "what counts as another event")
    end_of_study: tuple[str, ...] = _option(
        "DATE", "to that day those without the event were followed in whom --end is empty"
    )
    leave_out_empty: tuple[str, ...] = _option(
        "COLUMN",
        "leave out patients in whom it is empty, though that goes with the event",
        column=True,
    )
    treated_is: tuple[str, ...] = _option("WORD", "what counts as treated, all else as not")
    decimal: tuple[str, ...] = _option(
        "[COLUMN=]MARK", "comma, point or both; default: as numbers tell", among=DECIMALS
    )
    dates: tuple[str, ...] = _option(
        "[COLUMN=]FORM", f"{', '.join(DATE_FORMS)}; default: as dates tell", among=DATE_FORMS
    )
    read: tuple[str, ...] = _option(
        "COLUMN=TEXT=VALUE",
        "a text among numbers is read as VALUE, a number or missing; number: what stands around "
        "numbers is taken off them",
        column=True,
        word=True,
    )
    missing_value: tuple[str, ...] = _option(
        "COLUMN=VALUE", "it stands for a missing value", column=True, word=True
    )
    real_value: tuple[str, ...] = _option("COLUMN=VALUE", "it is one", column=True, word=True)
    same_levels: tuple[str, ...] = _option(
        "COLUMN", "levels that are written alike are one", column=True
    )
    other_levels: tuple[str, ...] = _option("COLUMN", "they are different ones", column=True)

    def __post_init__(self):
        for name in ("sheet", "head", "hidden_rows", "copied_rows", "end_of_study"):
            if len(getattr(self, name)) > 1:
                raise InputError(f"{option_of(name)} is given twice", remedy="give it once")
        for option in fields(self):
            among, metavar = option.metadata["among"], option.metadata["metavar"]
            for text in getattr(self, option.name):
                word = text.rpartition("=")[2] if metavar[0] == "[" else text
                if among and word not in among:
                    raise InputError(
                        f"{option_of(option.name)} is {text!r}",
                        remedy=did_you_mean(word, among, f"give one of {', '.join(among)}"),
                    )
                if option.metadata["word"] and text.count("=") < metavar.count("="):
                    raise InputError(
                        f"{option_of(option.name)} is {text!r}",
                        remedy=f"write {metavar}",
                    )
        for name in ("head", "leave_out_rows"):
            self._whole(name)
        try:
            _ = self.last_day
        except ValueError:
            raise InputError(
                f"--end-of-study is {self.end_of_study[0]!r}", remedy="write it as 2024-12-31"
            ) from None

    def _whole(self, name: str) -> tuple[int, ...]:
        texts = [part for text in getattr(self, name) for part in text.split(",") if part.strip()]
        try:
            rows = tuple(int(text) for text in texts)
        except ValueError:
            rows = (0,)
        if any(row < 1 for row in rows):
            raise InputError(
                f"{option_of(name)} is {','.join(texts)!r}", remedy="give numbers of rows, from 1"
            )
        return rows

    @property
    def head_row(self) -> int | None:
        """The row that names the columns, as a spreadsheet counts."""
        return next(iter(self._whole("head")), None)

    @property
    def last_day(self) -> float | None:
        """Days since 1970 of the end of the study; None where it is not given."""
        for text in self.end_of_study:
            return float((date.fromisoformat(text) - date(1970, 1, 1)).days)
        return None

    @property
    def rows_left_out(self) -> tuple[int, ...]:
        """Rows to leave out, as a spreadsheet counts."""
        return self._whole("leave_out_rows")

    def words(self, name: str, column: str) -> list[str]:
        """What options of the form COLUMN=WORD say of a column."""
        pairs = (text.rpartition("=") for text in getattr(self, name))
        return [word.strip() for key, _, word in pairs if key.strip() == column]

    def read_as(self, column: str) -> list[tuple[str, str]]:
        """Texts of a column and what `--read` says that they are."""
        entries = (text.partition("=")[::2] for text in self.read)
        pairs = (rest.rpartition("=")[::2] for key, rest in entries if key.strip() == column)
        return [(text.strip(), value.strip()) for text, value in pairs]

    def of_column(self, name: str, column: str) -> str | None:
        """What `decimal`, `dates` or `several_rows` says of a column: for itself, or for all."""
        words = self.words(name, column) or self.words(name, "")
        return words[-1] if words else None

    def check(self, table: Any) -> None:
        """Refuse columns that are not there in `Texts`."""
        for option in fields(self):
            for text in getattr(self, option.name):
                name = text.rpartition("=")[0].strip() if option.metadata["word"] else text
                if option.name == "read":
                    name = text.partition("=")[0].strip()
                elif option.metadata["metavar"][0] == "[":
                    name = text.rpartition("=")[0].strip()
                    if not name:
                        continue
                elif not option.metadata["column"]:
                    continue
                if name not in table.columns:
                    have = f"it has {', '.join(list(table.columns)[:12])}"
                    raise InputError(
                        f"{option_of(option.name)}: {table.name} has no column `{name}`",
                        remedy=did_you_mean(name, table.columns, have),
                    )


def option_of(name: str) -> str:
    """The option that fills a field.

    >>> option_of("known_before")
    '--known-before'
    """
    return "--" + name.replace("_", "-")


def add_answers(group: Any, names: Collection[str] = ()) -> None:
    """Add each option, or those of some fields, to a group of a parser; each may be repeated."""
    for option in fields(Answers):
        if names and option.name not in names:
            continue
        group.add_argument(
            option_of(option.name),
            action="append",
            default=[],
            metavar=option.metadata["metavar"],
            help=option.metadata["meaning"],
        )


def answers_of(options: Any) -> Answers:
    """Answers that a parsed command holds."""
    return Answers(
        **{option.name: tuple(getattr(options, option.name, ())) for option in fields(Answers)}
    )


def as_options(answers: Answers) -> list[str]:
    """The options that give the same answers, in the order of the fields."""
    words = []
    for option in fields(answers):
        for text in getattr(answers, option.name):
            words += [option_of(option.name), text]
    return words


def option_text(name: str, *texts: str) -> str:
    """An option as a sentence names it, quoted where a shell needs it.

    >>> option_text("missing_value", "creat (mg)=999")
    "--missing-value 'creat (mg)=999'"
    """
    import shlex

    return " ".join(f"{option_of(name)} {shlex.quote(text)}" for text in texts)
