"""What is wrong with a table, and what it leaves open: each one sentence, all of them at once.

A problem has to be mended in the table. A question can be answered by an option as well, and the
answer is kept for the data passport: no run goes on with a question that nobody has answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hedgerow.errors import DataError

#: Problems of one kind in one column that are named; of more, the number.
MOST_LISTED = 5


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes
    ----------
    kind : str
        Problems of one kind in one column are listed together.
    message : str
        What is wrong, without its place.
    remedy : str
    column : str, optional
    row : int, optional
        As a spreadsheet counts: the head of the table is row 1.
    asks : bool
        Whether it is a question: an option answers it.
    """

    kind: str
    message: str
    remedy: str
    column: str | None = None
    row: int | None = None
    asks: bool = False

    def __str__(self) -> str:
        place = [] if self.row is None else [f"row {self.row}"]
        place += [] if self.column is None else [f"column `{self.column}`"]
        return f"{', '.join(place)}{': ' * bool(place)}{self.message}; {self.remedy}"


@dataclass(frozen=True)
class Decision:
    """What was decided about a table, and by whom.

    Attributes
    ----------
    about : str
        The column, or what else it is about.
    message : str
        Without counts of patients and rows.
    by : str
        The option that decided it; empty where the table itself tells it.
    """

    about: str
    message: str
    by: str = ""


@dataclass
class Problems:
    """Problems and questions as they are found, and questions that have their answer."""

    problems: list[Problem] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    def add(self, kind: str, message: str, remedy: str, column=None, row=None, asks=False) -> None:
        """One more problem."""
        row = None if row is None else int(row)
        self.problems.append(Problem(kind, message, remedy, column, row, asks))

    def ask(
        self, kind: str, message: str, options: str, column=None, row=None, answer="", decided=""
    ) -> None:
        """One more question, or the decision that its answer, an option, has made."""
        # answer: the option that was given, where one was. decided: what it decided, without counts
        # and rows: it is passed on with the results.
        if answer:
            self.decide(column or "rows", decided or message, answer)
        else:
            self.add(kind, message, options, column, row, asks=True)

    def decide(self, about: str, message: str, by: str = "") -> None:
        """Keep what was decided, once."""
        if (decision := Decision(about, message, by)) not in self.decisions:
            self.decisions.append(decision)

    def lines(self) -> list[str]:
        """A line per problem; of one kind in one column the first few, and how many more."""
        groups: dict[tuple[str, str | None], list[Problem]] = {}
        for problem in self.problems:
            groups.setdefault((problem.kind, problem.column), []).append(problem)
        lines = []
        for (kind, column), group in groups.items():
            lines += [str(problem) for problem in group[:MOST_LISTED]]
            if len(group) > MOST_LISTED:
                where = "" if column is None else f" in column `{column}`"
                lines.append(f"and {len(group) - MOST_LISTED} more{where} ({kind})")
        return lines

    def check(self, what: str) -> None:
        """Raise what was found."""
        if self.problems:
            asked = sum(problem.asks for problem in self.problems)
            raise TableError(what, len(self.problems) - asked, self.lines(), asked)


class TableError(DataError):
    """A table that cannot be used as it is; `lines` has a sentence for each problem and question.

    Parameters
    ----------
    what : str
        The file.
    count : int
        Of problems.
    lines : iterable of str
    asked : int
        Number of questions.
    """

    def __init__(self, what: str, count: int, lines: Iterable[str], asked: int = 0):
        self.lines = tuple(lines)
        counts = [
            f"{number} {word}{'s' * (number != 1)}"
            for number, word in ((count, "problem"), (asked, "question"))
            if number
        ]
        super().__init__(
            "\n".join([f"{what} has {' and '.join(counts)}, and nothing was written", *self.lines])
        )
