"""From texts to numbers and dates, each problem by its row."""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.table import Texts

#: Days of each unit of time, by its name and its letter in `6y`.
DAYS = {"days": 1.0, "weeks": 7.0, "months": 365.25 / 12.0, "years": 365.25}
LETTERS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
#: First letters of months, without accents: English, then where German, French, Portuguese and
#: Spanish differ.
_NAMES = (
    *("jan ene", "feb fev", "mar mrz", "apr abr avr", "may mai", "jun juin", "jul juil"),
    *("aug ago aou", "sep set", "oct okt out", "nov", "dec dez dic"),
)
MONTHS = {name: k + 1 for k, names in enumerate(_NAMES) for name in names.split()}
_GROUPS = r"[ '\u2009\u202f]"
#: A group separator never follows a zero in front: 0,577 has a decimal comma.
_NUMBER_PATTERNS = {
    mark: re.compile(
        rf"[+-]?(\d+|[1-9]\d{{0,2}}(({other}|{_GROUPS})\d{{3}})+|(?={sign}\d))({sign}\d*)?"
        r"([eE][+-]?\d{1,3})?"
    )
    for mark, sign, other in (("point", r"\.", ","), ("comma", ",", r"\."))
}
# Excel holds some numbers as texts, with the comma of the country, among those with its point.
_NUMBER_PATTERNS["both"] = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?")
#: Written the same way, 1,234 may be 1234 or 1.234.
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
#: A time of day after a date; SAS joins it by a colon.
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?"
_ISO = re.compile(
    rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})([T ]{_CLOCK} ?(Z|[+-]\d{{2}}(:?\d{{2}})?)?)?"
)
_PLAIN_ISO = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_PARTS = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}})(,? {_CLOCK})?")
_WORDS = re.compile(
    rf"(\d{{1,2}})(?:st|nd|rd|th)?[-. /]*(?:de |of )?([^\W\d_]{{3,10}})[-. ,/]*(?:de[l]? )?"
    rf"(\d{{4}})([ :T]{_CLOCK})?"
)
_MONTH_FIRST = re.compile(
    rf"([^\W\d_]{{3,10}})[-. ]*(\d{{1,2}})(?:st|nd|rd|th)?[-. ,]+(\d{{4}})(,? {_CLOCK})?"
)
#: With a point only where nobody would write a number so.
_MONTH = re.compile(r"(0?[1-9](?!\.)|0[1-9]|1[0-2])[-/.]((?:19|20)\d\d)")
_YEAR_MONTH = re.compile(r"((?:19|20)\d\d)[-/](0?[1-9]|1[0-2])")
#: Share of cells that are numbers, or dates, in a column of them with mistakes.
MOSTLY = 0.8
#: Years of two digits below it are of this century (POSIX); of a month without day, the middle.
CENTURY, MIDDLE = 69, 15
#: Day 0 of Excel's numbers; those of 1900 count a 29 February that was none, before March.
EPOCHS = {"excel": datetime.date(1899, 12, 30), "excel-1904": datetime.date(1904, 1, 1)}
LARGEST = 1e100


def unique_texts(column: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Texts of a column, each once, and the place of each cell's text; -1 where there is none."""
    import pandas as pd

    codes, uniques = pd.factorize(column)
    return uniques.tolist(), codes


# ------------------------------------------------------------------------------------ numbers


def decimal_of(texts: list[str], fallback: str | None) -> str | None:
    """The decimal mark of a column: what its own numbers tell, else what the table tells."""
    marks = set()
    for text in texts:
        if "," not in text and "." not in text:
            continue
        if _EITHER.fullmatch(text):
            continue
        point, comma = (_NUMBER_PATTERNS[mark].fullmatch(text) for mark in ("point", "comma"))
        if point and not comma:
            marks.add("point")
        elif comma and not point:
            marks.add("comma")
    if len(marks) == 1:
        return marks.pop()
    return fallback


def number(text: str, decimal: str | None) -> float:
    """The number that a text is, NaN where it is none."""
    if decimal is None:
        decimal = "point"
    if not _NUMBER_PATTERNS[decimal].fullmatch(text):
        return math.nan
    drop, mark = {"point": (",", "."), "comma": (".", ","), "both": (" ", ",")}[decimal]
    for character in (drop, " ", "'", "\u2009", "\u202f"):
        text = text.replace(character, "")
    value = float(text.replace(mark, "."))
    return value if abs(value) <= LARGEST else math.nan


@dataclass(frozen=True)
class Numbers:
    """Numbers of a column: values, and which cells hold a text that is none."""

    values: np.ndarray
    wrong: np.ndarray
    decimal: str | None
    ambiguous: str | None = None  # a text that is one number or another

    @property
    def share(self) -> float:
        """Of the cells that hold something, how many hold a number."""
        n_numbers = int((~np.isnan(self.values)).sum())
        return n_numbers / max(n_numbers + int(self.wrong.sum()), 1)


def numbers(column: np.ndarray, table_decimal: str | None, answer: str | None = None) -> Numbers:
    """Numbers that the texts of a column are."""
    # table_decimal: the decimal mark of the table, where the column's own numbers tell none.
    # answer: the user's option for it, which counts before both.
    texts, codes = unique_texts(column)
    decimal = answer or decimal_of(texts, table_decimal)
    parsed = np.array([number(text, decimal) for text in texts] + [math.nan])
    ambiguous = None if answer else _ambiguous(texts, parsed[:-1], decimal)
    return Numbers(parsed[codes], np.isnan(parsed[codes]) & (codes >= 0), decimal, ambiguous)


def _ambiguous(texts: list[str], values: np.ndarray, decimal: str | None) -> str | None:
    """A text such as 1.026 of which the column does not tell whether it is a thousand or one."""
    # What the rest of the table tells is not enough where the other numbers of the column are whole
    # and of another size: 1.026 beside 996.
    either = [k for k, text in enumerate(texts) if _EITHER.fullmatch(text)]
    if not either or (decimal is not None and decimal_of(texts, None) is not None):
        return None
    if decimal is None:
        return texts[either[0]]
    rest = np.array([values[k] for k, text in enumerate(texts) if text.isdigit()])
    if not len(rest):
        return None
    for k in either:
        if (abs(values[k]) < 1000.0 and rest.max() >= 100.0) or (
            abs(values[k]) >= 1000.0 and rest.max() < 100.0
        ):
            return texts[k]
    return None


def has_other_mark(text: str, decimal: str | None) -> bool:
    """Whether a text is a number with the other decimal mark than its column has."""
    other = {"comma": "point", "point": "comma"}.get(decimal or "point")
    return other is not None and _NUMBER_PATTERNS[other].fullmatch(text) is not None


def quoted(text: str, most: int = 40) -> str:
    """A text in quotes, cut where it is long.

    >>> quoted("abc")
    "'abc'"
    """
    text = "".join(c if c.isprintable() else " " for c in text)
    return repr(text if len(text) <= most else text[: most - 1] + "\u2026")


# -------------------------------------------------------------------------------------- dates


def looks_like_dates(column: np.ndarray) -> bool:
    """Whether most texts of a column are written as dates are, months of a year among them."""
    some = unique_texts(column)[0][:500]
    forms = (_ISO, _PLAIN_ISO, _PARTS, _MONTH, _YEAR_MONTH)
    alike = sum(
        any(form.fullmatch(text) for form in forms) or _in_words(text) is not None for text in some
    )
    return bool(some) and alike >= MOSTLY * len(some)


def look_like_excel(column: np.ndarray) -> bool:
    """Whether all texts of a column are numbers of days, as Excel stores dates."""
    some = unique_texts(column)[0][:500]
    return bool(some) and all(map(_is_excel, some))


def dates(table: Texts, name: str, problems: Problems, answers: Answers) -> np.ndarray:
    """Days since 1970 of a column of dates, NaN where there is none."""
    # The form, and the order of day and month, are decided by the column as a whole. problems: gets
    # each text that is no date, and a question where the column's form is ambiguous. answers: among
    # them how dates are written.
    answer = answers.of_column("dates", name)
    texts, codes = unique_texts(table.columns[name])
    form = _form(texts, answer, name, problems)
    parts = {text: match for text in texts if (match := _PARTS.fullmatch(text))}
    order = _order(parts, answer, name, problems)
    days, why = np.full(len(texts) + 1, math.nan), {}
    for place, text in enumerate(texts):
        try:
            days[place] = _days(text, parts.get(text), order, form)
        except ValueError as error:
            why[place] = str(error)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    for place in np.flatnonzero(np.isnan(days[codes]) & (codes >= 0)):
        text = table.columns[name][place]
        remedy = "write it as 2024-12-31"
        if counts[codes[place]] > 1:  # a word such as alive, in the place of a date
            if place == np.argmax(codes == codes[place]):
                message = f"{quoted(text)} ({counts[codes[place]]} times, first in row "
                message += f"{table.rows[place]}) {why[codes[place]]}"
                remedy += f", or say {option_text('read', f'{name}={text}=missing')}"
                problems.ask("dates", message, remedy, name)
            continue
        problem = why[codes[place]]
        problems.add("dates", f"{quoted(text)} {problem}", remedy, name, table.rows[place])
    return days[codes]


#: Forms of dates that are read where somebody says so: what such a column holds, how it is read.
DATE_FORMATS = {
    "two-digit-years": (
        "years of two digits",
        f"{CENTURY} to 99 as {1900 + CENTURY} to 1999, 00 to {CENTURY - 1} as 2000 to "
        f"{2000 + CENTURY - 1}",
    ),
    "month-year": ("a month and a year", "as the 15th of the month"),
    "excel": (
        "numbers of days, as Excel stores dates",
        "from 1900, those of an old Mac as excel-1904",
    ),
}


def _form(texts: list[str], answer: str | None, name: str, problems: Problems) -> str | None:
    """The form in which a column's dates are read: the given one, or that of a question."""
    alike = {
        "two-digit-years": [t for t in texts if (f := _PARTS.fullmatch(t)) and len(f[4]) == 2],
        "month-year": [t for t in texts if _MONTH.fullmatch(t) or _YEAR_MONTH.fullmatch(t)],
        "excel": [t for t in texts if _is_excel(t)],
    }
    for form, matching in alike.items():
        if texts and len(matching) >= MOSTLY * len(texts):
            given = answer == form or (form == "excel" and answer == "excel-1904")
            what, read = DATE_FORMATS[form]
            problems.ask(
                "form of dates",
                f"its dates hold {what}, such as {quoted(matching[0])}",
                f"say {option_text('dates', f'{name}={form}')} to read them ({read}), or export it "
                "with days, months and years of four digits",
                name,
                answer=option_text("dates", f"{name}={answer}") if given else "",
                decided=f"its dates hold {what}, read {read}",
            )
            return answer if given else form
    return answer


def _is_excel(text: str) -> bool:
    """Whether a text is a number of days, maybe with a time of day behind its point."""
    return re.fullmatch(r"\d{5}([.,]\d+)?", text) is not None and 10_000 <= int(text[:5]) <= 80_000


def _in_words(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date whose month is a word."""
    if match := _WORDS.fullmatch(text):
        day, word, year = match[1], match[2], match[3]
    elif match := _MONTH_FIRST.fullmatch(text):
        word, day, year = match[1], match[2], match[3]
    else:
        return None
    word = without_accents(word)
    month = MONTHS.get(word[:4]) or MONTHS.get(word[:3])
    return None if month is None else (int(year), month, int(day))


def _order(parts: dict, answer: str | None, name: str, problems: Problems) -> str:
    """Whether the day stands first."""
    order = {"day-first": "day", "month-first": "month"}.get(answer or "")
    first = sum(int(match[1]) > 12 for match in parts.values())
    second = sum(int(match[3]) > 12 for match in parts.values())
    if not parts or all(match[2] == "." for match in parts.values()) or first or second:
        return order or ("month" if second > first else "day")
    text = next(iter(parts))
    problems.ask(
        "order of day and month",
        f"no date tells whether the day stands first: {text} may be two days",
        f"say {option_text('dates', 'day-first')} or {option_text('dates', 'month-first')}",
        name,
        answer=option_text("dates", answer or "") if order else "",
        decided=f"the {order} stands first in dates",
    )
    return order or "day"


def _days(text: str, parts, order: str, form: str | None) -> float:
    if match := _ISO.fullmatch(text) or _PLAIN_ISO.fullmatch(text):
        year, month, day = (int(match[k]) for k in (1, 2, 3))
    elif parts:
        first, second, year = int(parts[1]), int(parts[3]), int(parts[4])
        if len(parts[4]) == 2:
            if form != "two-digit-years":
                raise ValueError("has a year of two digits")
            year += 2000 if year < CENTURY else 1900
        day, month = (first, second) if order == "day" else (second, first)
    elif (written := _in_words(text)) is not None:
        year, month, day = written
    elif form == "month-year" and (match := _MONTH.fullmatch(text)):
        day, month, year = MIDDLE, int(match[1]), int(match[2])
    elif form == "month-year" and (match := _YEAR_MONTH.fullmatch(text)):
        day, month, year = MIDDLE, int(match[2]), int(match[1])
    elif _is_excel(text):
        if form not in EPOCHS:
            raise ValueError("is a number of days, as Excel stores a date")
        return float((EPOCHS[form] - datetime.date(1970, 1, 1)).days + int(text[:5]))
    else:
        raise ValueError("is no date")
    try:
        return float((datetime.date(year, month, day) - datetime.date(1970, 1, 1)).days)
    except ValueError:
        raise ValueError(f"is no date with the {order} first" if parts else "is no date") from None


def day_of(days: float) -> str:
    """A date as ISO has it."""
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=int(days))).isoformat()


# ------------------------------------------------------------------------------ units of time


def horizon_of(text: str) -> tuple[float, str]:
    """Length and unit of a time such as 6y, 18m, 90d."""
    match = re.fullmatch(r"\s*(\d+(?:[.,]\d+)?)\s*([A-Za-z]+)\s*", text)
    unit = None if match is None else LETTERS.get(match[2][0].lower())
    if unit is None or match[2].lower() not in (unit, unit[:-1], unit[0]):
        raise ValueError(text)
    length = float(match[1].replace(",", "."))
    if not 0.0 < length <= 1e6:
        raise ValueError(text)
    return length, unit


def without_accents(text: str) -> str:
    """A text in lower case and without accents.

    >>> without_accents("Não"), without_accents("März")
    ('nao', 'marz')
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))
