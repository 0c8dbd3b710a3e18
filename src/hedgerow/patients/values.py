"""From texts to numbers, dates, events and times of intervention, each problem by its row."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass

import numpy as np

from hedgerow.patients.problems import Problems
from hedgerow.patients.table import Texts

#: Days of each unit of time, by its name and its letter in `6y`.
DAYS = {"days": 1.0, "weeks": 7.0, "months": 365.25 / 12.0, "years": 365.25}
LETTERS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}
#: Codings of an event, in lower case.
NO = frozenset(
    {"0", "no", "n", "false", "f", "alive", "living", "censored", "none", "nein", "non", "lost"}
    | {"lost to follow-up", "lost to follow up", "no event", "event-free"}
)
YES = frozenset(
    {"1", "yes", "y", "true", "t", "dead", "died", "deceased", "death", "event", "ja", "oui"}
)
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number + 1 for number, name in enumerate(_NAMES)}
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_GROUPS = r"[ '\u2009\u202f]"
_FORMS = {
    "point": re.compile(
        rf"[+-]?(\d+|\d{{1,3}}((,|{_GROUPS})\d{{3}})+)(\.\d*)?([eE][+-]?\d{{1,3}})?"
    ),
    "comma": re.compile(
        rf"[+-]?(\d+|\d{{1,3}}((\.|{_GROUPS})\d{{3}})+)(,\d*)?([eE][+-]?\d{{1,3}})?"
    ),
}
#: Written the same way, 1,234 may be 1234 or 1.234.
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?")
_PARTS = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})( \d{1,2}:\d{2}(:\d{2})?)?")
_WORDS = re.compile(r"(\d{1,2})[-. ]+([A-Za-z]{3,9})[-. ,]+(\d{4})")
LARGEST = 1e100


def unique_texts(column: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Texts of a column, each once, and the place of each cell's text; -1 where there is none."""
    import pandas as pd

    codes, uniques = pd.factorize(column)
    return uniques.tolist(), codes


# ------------------------------------------------------------------------------------ numbers


def decimal_of(texts: list[str], fallback: str | None) -> str | None:
    """The decimal mark of a column: what its own numbers tell, else what the table tells."""
    told = set()
    for text in texts:
        if "," not in text and "." not in text:
            continue
        if _EITHER.fullmatch(text):
            continue
        point, comma = (_FORMS[mark].fullmatch(text) for mark in ("point", "comma"))
        if point and not comma:
            told.add("point")
        elif comma and not point:
            told.add("comma")
    if len(told) == 1:
        return told.pop()
    return fallback


def number(text: str, decimal: str | None) -> float:
    """The number that a text is, NaN where it is none."""
    if decimal is None:
        decimal = "point"
    if not _FORMS[decimal].fullmatch(text):
        return float(text) if decimal == "point" and _PLAIN.fullmatch(text) else math.nan
    drop, mark = (",", ".") if decimal == "point" else (".", ",")
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
        known = int((~np.isnan(self.values)).sum())
        return known / max(known + int(self.wrong.sum()), 1)


def numbers(column: np.ndarray, table_decimal: str | None) -> Numbers:
    """Numbers that the texts of a column are."""
    texts, codes = unique_texts(column)
    decimal = decimal_of(texts, table_decimal)
    made = np.array([number(text, decimal) for text in texts] + [math.nan])
    ambiguous = None
    if decimal is None:
        ambiguous = next((text for text in texts if _EITHER.fullmatch(text)), None)
    return Numbers(made[codes], np.isnan(made[codes]) & (codes >= 0), decimal, ambiguous)


def checked_numbers(table: Texts, name: str, problems: Problems, decimal: str | None) -> np.ndarray:
    """Numbers of a column that has to hold numbers; what it does not is a problem each."""
    found = numbers(table.columns[name], decimal or table.decimal)
    if found.ambiguous is not None:
        problems.add(
            "decimal marks",
            f"{found.ambiguous} may be {found.ambiguous.replace(',', '.')} or "
            f"{found.ambiguous.replace(',', '').replace('.', '')}",
            "say --decimal comma or --decimal point",
            name,
        )
    for place in np.flatnonzero(found.wrong):
        text = table.columns[name][place]
        problems.add(
            "numbers",
            f"{shown(text)} is no number" + _why(text, found.decimal),
            "correct the cell, or empty it",
            name,
            table.rows[place],
        )
    return found.values


def _why(text: str, decimal: str | None) -> str:
    other = {"comma": "point", "point": "comma"}.get(decimal or "point")
    if _FORMS[other].fullmatch(text):
        return f" with a decimal {decimal or 'point'}, which the other numbers have"
    return ""


def shown(text: str, most: int = 40) -> str:
    """A text in quotes, cut where it is long.

    >>> shown("abc")
    "'abc'"
    """
    text = "".join(c if c.isprintable() else " " for c in text)
    return repr(text if len(text) <= most else text[: most - 1] + "\u2026")


# -------------------------------------------------------------------------------------- dates


def looks_like_dates(column: np.ndarray) -> bool:
    """Whether most texts of a column are written as dates are."""
    texts, _ = unique_texts(column)
    some = texts[:500]
    alike = sum(bool(_ISO.fullmatch(t) or _PARTS.fullmatch(t) or _WORDS.fullmatch(t)) for t in some)
    return bool(some) and alike >= 0.8 * len(some)


def dates(table: Texts, name: str, problems: Problems, order: str | None) -> np.ndarray:
    """Days since 1970 of a column of dates, NaN where there is none.

    The order of day and month is decided by the column as a whole.

    Parameters
    ----------
    table : Texts
    name : str
    problems : Problems
        Gets each text that is no date.
    order : {'day', 'month'}, optional
        Which of the two stands first, where the dates do not tell.
    """
    texts, codes = unique_texts(table.columns[name])
    parts = {text: found for text in texts if (found := _PARTS.fullmatch(text))}
    order = _order(parts, order, name, problems)
    made, why = np.full(len(texts) + 1, math.nan), {}
    for place, text in enumerate(texts):
        try:
            made[place] = _days(text, parts.get(text), order)
        except ValueError as error:
            why[place] = str(error)
    for place in np.flatnonzero(np.isnan(made[codes]) & (codes >= 0)):
        text = table.columns[name][place]
        remedy = "write it as 2024-12-31"
        said = why[codes[place]]
        problems.add("dates", f"{shown(text)} {said}", remedy, name, table.rows[place])
    return made[codes]


def _order(parts: dict, order: str | None, name: str, problems: Problems) -> str:
    """Whether the day stands first."""
    if order is not None or not parts:
        return order or "day"
    if all(found[2] == "." for found in parts.values()):
        return "day"
    first = sum(int(found[1]) > 12 for found in parts.values())
    second = sum(int(found[3]) > 12 for found in parts.values())
    if not first and not second:
        text = next(iter(parts))
        problems.add(
            "order of day and month",
            f"no date tells whether the day stands first: {text} may be two days",
            "say --dates day-first or --dates month-first",
            name,
        )
    return "month" if second > first else "day"


def _days(text: str, parts, order: str) -> float:
    if found := _ISO.fullmatch(text):
        year, month, day = (int(found[k]) for k in (1, 2, 3))
    elif parts:
        if len(parts[4]) == 2:
            raise ValueError("has a year of two digits")
        first, second, year = int(parts[1]), int(parts[3]), int(parts[4])
        day, month = (first, second) if order == "day" else (second, first)
    elif (found := _WORDS.fullmatch(text)) and found[2][:3].lower() in MONTHS:
        day, month, year = int(found[1]), MONTHS[found[2][:3].lower()], int(found[3])
    elif text.isdigit() and 10_000 <= int(text) <= 80_000:
        raise ValueError("is a number of days, as Excel stores a date")
    else:
        raise ValueError("is no date")
    try:
        return float((datetime.date(year, month, day) - datetime.date(1970, 1, 1)).days)
    except ValueError:
        raise ValueError(f"is no date with the {order} first" if parts else "is no date") from None


def day_of(days: float) -> str:
    """A date as ISO has it."""
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=int(days))).isoformat()


# ------------------------------------------------------------------------------- the outcome


def is_yes_no(column: np.ndarray) -> bool:
    """Whether a column says yes or no in one of its codings."""
    words = {text.lower() for text in unique_texts(column)[0]}
    return bool(words) and words <= YES | NO


def yes_or_no(column: np.ndarray) -> np.ndarray:
    """1 for yes, 0 for no or nothing, (n,) int."""
    texts, codes = unique_texts(column)
    return np.array([int(text.lower() in YES) for text in texts] + [0])[codes]


def events(
    table: Texts, name: str, problems: Problems, event_is: tuple[str, ...], cause: str | None
) -> np.ndarray:
    """Events, (n,) int: 0 none, 1 the event, 2 another cause; -1 where the cell is empty."""
    texts, codes = unique_texts(table.columns[name])
    lower = [text.lower() for text in texts]
    named = {word.lower().strip() for word in ([cause] if cause is not None else event_is)}
    if absent := sorted(named - set(lower)):
        held = ", ".join(shown(t) for t in sorted(texts)[:6]) + (", ..." if len(texts) > 6 else "")
        option = "--cause" if cause is not None else "--event-is"
        problems.add(
            "event",
            f"no row holds {shown(absent[0])}: it has {held}",
            f"give one of them as {option}",
            name,
        )
    if cause is not None:
        made = [1 if t in named else 0 if t in NO else 2 for t in lower]
    elif event_is:
        made = [int(t in named) for t in lower]
    else:
        made = [1 if t in YES else 0 for t in lower]
        unknown = [text for text in texts if text.lower() not in YES | NO]
        if unknown:
            first = {t: table.rows[int(np.argmax(codes == i))] for i, t in enumerate(texts)}
            held = ", ".join(f"{shown(t)} (row {first[t]})" for t in sorted(unknown)[:6])
            problems.add(
                "event",
                f"it holds {held}{', ...' if len(unknown) > 6 else ''}, which may be an event or "
                "none",
                "name what counts as the event with --event-is, or one of several causes with "
                "--cause",
                name,
            )
    return np.array([*made, -1])[codes]


def horizon_of(text: str) -> tuple[float, str]:
    """Length and unit of a time such as 6y, 18m, 90d.

    Raises
    ------
    ValueError
        It is none.

    >>> horizon_of("6y"), horizon_of("1.5 years")
    ((6.0, 'years'), (1.5, 'years'))
    """
    found = re.fullmatch(r"\s*(\d+(?:[.,]\d+)?)\s*([A-Za-z]+)\s*", text)
    unit = None if found is None else LETTERS.get(found[2][0].lower())
    if unit is None or found[2].lower() not in (unit, unit[:-1], unit[0]):
        raise ValueError(text)
    length = float(found[1].replace(",", "."))
    if not 0.0 < length <= 1e6:
        raise ValueError(text)
    return length, unit


#: Units that the name of a column tells, in several languages; the whole word or its end.
_NAMED = {
    "days": "days|day|d|tage|jours|dias|dagen",
    "weeks": "weeks|week|wk|wks|wochen|semaines",
    "months": "months|month|mo|mon|mths|monate|mois|meses|maanden",
    "years": "years|year|y|yr|yrs|jahre|ans|annees|anos|jaar",
}


def unit_in_name(name: str) -> str | None:
    """The unit of time that the name of a column tells; None where it names none, or two.

    >>> unit_in_name("follow_up_days"), unit_in_name("time [months]"), unit_in_name("time")
    ('days', 'months', None)
    >>> unit_in_name("months_since_first_day") is None
    True
    """
    words = set(re.split(r"[^a-z]+", name.lower()))
    found = [unit for unit, known in _NAMED.items() if words & set(known.split("|"))]
    return found[0] if len(found) == 1 else None
