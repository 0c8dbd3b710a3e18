"""Numbers with something around them: `<0.5`, `83 kg`, `45.1%`, `063Y`, `80+`, `="45"`.

A column of such cells is one of numbers all the same. What they are to be read as is asked, and
`--read COLUMN=TEXT=VALUE` answers it before anything else looks at the table.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.errors import InputError
from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import (
    MOSTLY,
    Numbers,
    decimal_of,
    has_other_mark,
    number,
    numbers,
    quoted,
    unique_texts,
)

#: What stands before a number, the number, and what stands after it: a unit of one or two words.
_AFFIXED_NUMBER = re.compile(
    r"(?P<before>[<>≤≥=~≈'\"]{0,3}) ?"
    r"(?P<number>[+-]?(?:\d[\d.,'\u2009\u202f]*|[.,]\d+)(?:[eE][+-]?\d{1,3})?) ?"
    r"(?P<after>(?:[^\W\d_]|[%°+*\"'‰])\S{0,19}(?: [^\s\d]\S{0,11})?)?"
)
#: A column with so many different numbers is one of numbers, whatever else it holds: half of its
#: cells are numbers, or so few different things stand beside or around them.
DIFFERENT, HALF, FEW = 10, 0.5, 6
#: Letters after a number that are those of an age in days, weeks, months or years, and no code.
_AGES = frozenset("dwmyDWMY")
#: Letters that are a digit misspelt: 5O is 50.
_TYPOS = frozenset("OoIl")
#: Words for what a number, or nothing, is read as.
NUMBER, MISSING, REST = "number", "missing", "*"


def split_affix(text: str, decimal: str | None) -> tuple[str, str] | None:
    """What stands around the number of a text, and the number; None where it is no such text.

    >>> split_affix("<0.5", "point"), split_affix("83 kg", "point"), split_affix("12-15", "point")
    (('<', '0.5'), ('kg', '83'), None)
    """
    match = _AFFIXED_NUMBER.fullmatch(text)
    if match is None or math.isnan(number(match["number"], decimal)):
        return None
    words = match["before"] + (match["after"] or "")
    if words in _TYPOS:
        return None
    return (words, match["number"]) if words else None


@dataclass(frozen=True)
class CellContents:
    """Cells of a column that are no numbers.

    Attributes
    ----------
    affixed : dict of Counter
        What stands around a number -> texts of such cells, and how many have each.
    marks : Counter
        Numbers with the other decimal mark.
    words : Counter
        All other texts.
    values : tuple of float
        Different numbers in the column, in its order, those inside of texts among them.
    share : float
        Of the cells that hold something, how many are or hold a number.
    """

    affixed: dict[str, Counter[str]]
    marks: Counter[str]
    words: Counter[str]
    values: tuple[float, ...]
    share: float

    @property
    def is_numbers(self) -> bool:
        """Whether the column is one of numbers."""
        letters = [affix for affix in self.affixed if len(affix) == 1 and affix.isalpha()]
        if len(letters) > 1 and not set(letters) <= _AGES:  # 1a, 2b: codes
            return False
        few = len(self.affixed) <= FEW and (self.share >= HALF or len(self.words) <= FEW)
        return len(self.values) >= DIFFERENT and few


def decimal_around(column: np.ndarray, table_decimal: str | None, answer: str | None) -> str | None:
    """The decimal mark of a column, which numbers inside of texts tell as well."""
    texts = unique_texts(column)[0]
    inside = [match["number"] for text in texts if (match := _AFFIXED_NUMBER.fullmatch(text))]
    return answer or decimal_of([*texts, *inside], table_decimal)


def inspect_cells(column: np.ndarray, decimal: str | None) -> CellContents:
    """What a column holds beside its numbers, whose decimal mark is given."""
    texts, codes = unique_texts(column)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
    wrapped: dict[str, Counter[str]] = {}
    marks: Counter[str] = Counter()
    words: Counter[str] = Counter()
    values: dict[float, None] = {}
    for text, count in zip(texts, counts, strict=True):
        if not math.isnan(value := number(text, decimal)):
            values[value] = None
        elif parts := split_affix(text, decimal):
            wrapped.setdefault(parts[0], Counter())[text] = count
            values[number(parts[1], decimal)] = None
        elif has_other_mark(text, decimal):
            marks[text] = count
            values[number(text, "both")] = None
        else:
            words[text] = count
    # A unit in one cell alone is a mistake of that cell.
    for unit in [key for key, texts in wrapped.items() if key[0].isalpha() and texts.total() == 1]:
        words.update(wrapped.pop(unit))
    share = 1.0 - words.total() / max(sum(counts), 1)
    return CellContents(wrapped, marks, words, tuple(values), share)


def checked_numbers(
    table: Texts, name: str, problems: Problems, answers: Answers, is_input: bool = False
) -> np.ndarray:
    """Numbers of a column that has to hold numbers; each other text is a question or a problem."""
    answer = answers.of_column("decimal", name)
    parsed = numbers(table.columns[name], table.decimal, answer)
    if parsed.ambiguous is not None:
        problems.ask(
            "decimal marks",
            f"{parsed.ambiguous} may be {parsed.ambiguous.replace(',', '.')} or "
            f"{parsed.ambiguous.replace(',', '').replace('.', '')}",
            f"say {option_text('decimal', f'{name}=comma')} or "
            f"{option_text('decimal', f'{name}=point')}",
            name,
        )
    if answer is not None:
        column_words = answers.words("decimal", name)
        by = option_text("decimal", f"{name}={answer}" if column_words else answer)
        marks = "comma or a decimal point" if answer == "both" else answer
        problems.decide(name if column_words else "numbers", f"they have a decimal {marks}", by)
    if not parsed.wrong.any():
        return parsed.values
    decimal = decimal_around(table.columns[name], table.decimal, answer)
    for place in np.flatnonzero(_ask_about_texts(table, name, parsed, decimal, is_input, problems)):
        text = table.columns[name][place]
        problems.add(
            "numbers",
            f"{quoted(text)} is no number",
            f"correct the cell, empty it, or say {option_text('read', f'{name}={text}={MISSING}')}",
            name,
            table.rows[place],
        )
    return parsed.values


def _ask_about_texts(
    table: Texts,
    name: str,
    parsed: Numbers,
    decimal: str | None,
    is_input: bool,
    problems: Problems,
) -> np.ndarray:
    """Ask what the texts of a column of numbers are to be read as."""
    # Gives of which cells nothing was asked, (n,) bool: single words, such as misspelt numbers.
    column = table.columns[name]
    cells = inspect_cells(column, decimal)
    phrases, ways = [], []
    if cells.marks:
        mark = "comma" if decimal != "comma" else "point"
        phrases.append(f"numbers with a decimal {mark} ({_first(table, name, cells.marks)})")
        ways.append(option_text("decimal", f"{name}=both"))
    units = 0
    for words, texts in sorted(cells.affixed.items(), key=lambda pair: -pair[1].total())[:FEW]:
        text = max(texts, key=texts.__getitem__)
        phrases.append(f"numbers with {quoted(words)} ({_first(table, name, texts)})")
        if len(texts) == 1 and not words[0].isalpha():
            _, inside = split_affix(text, decimal) or ("", "")
            ways += [option_text("read", f"{name}={text}={value}") for value in (inside, MISSING)]
        else:
            # Of several units one alone can be that of the column.
            units += words[0].isalpha()
            value = MISSING if units > 1 and words[0].isalpha() else NUMBER
            ways.append(option_text("read", f"{name}={words}={value}"))
    often = [text for text, count in cells.words.most_common() if count > 1]
    for text in often[:FEW]:
        phrases.append(f"{quoted(text)} ({_first(table, name, [text])})")
        ways.append(option_text("read", f"{name}={text}={MISSING}"))
    if len(often) > FEW:
        phrases.append(f"{len(often) - FEW} other texts")
    if more := max(len(often) - FEW, 0) + max(len(cells.affixed) - FEW, 0):
        ways.append(
            option_text("read", f"{name}={REST}={MISSING}") + f" for these {more} and all others"
        )
    if phrases:
        n = int((~np.isnan(parsed.values)).sum())
        is_disguised = is_input and parsed.share < MOSTLY
        problems.ask(
            "texts among numbers",
            f"beside {n} plain numbers it holds {', '.join(phrases)}",
            f"say what they are read as, a number or missing: {', '.join(ways)}"
            + " (numbers of another unit are best converted in the table)" * (units > 1)
            + f"; where it is no number, {option_text('not_input', name)}" * is_disguised,
            name,
        )
    asked = {*often, *cells.marks, *(text for texts in cells.affixed.values() for text in texts)}
    return parsed.wrong & ~np.array([text in asked for text in column], dtype=bool)


def _first(table: Texts, name: str, texts) -> str:
    """How many cells hold one of some texts, one of them, and the row of the first."""
    matches = np.array([text in texts for text in table.columns[name]], dtype=bool)
    place = int(np.argmax(matches))
    such = f", such as {quoted(table.columns[name][place])}" if len(texts) > 1 else ""
    return f"{int(matches.sum())}{such}, first in row {table.rows[place]}"


# ---------------------------------------------------------------------------------- the answers


def apply_read_options(table: Texts, answers: Answers) -> Texts:
    """The table with the texts that `--read` names in the place of others."""
    answers.check(table)
    columns = dict(table.columns)
    for name in dict.fromkeys(text.partition("=")[0].strip() for text in answers.read):
        columns[name] = _read(table, name, answers)
    return replace(table, columns=columns)


def record_read_options(answers: Answers, problems: Problems) -> None:
    """Keep what `--read` decided."""
    for name in dict.fromkeys(text.partition("=")[0].strip() for text in answers.read):
        for text, value in answers.read_as(name):
            subject = "other texts are" if text == REST else f"{quoted(text)} is"
            decision = f"numbers with {quoted(text)} are read without it"
            decision = decision if value == NUMBER else f"{subject} read as {value}"
            problems.decide(name, decision, option_text("read", f"{name}={text}={value}"))


def _read(table: Texts, name: str, answers: Answers) -> np.ndarray:
    """Cells of one column once they are read as was said: whole texts first, the rest last."""
    column = table.columns[name]
    decimal = decimal_around(column, table.decimal, answers.of_column("decimal", name))
    pairs = dict(answers.read_as(name))
    new: dict[str, str | None] = {}
    used = set()
    for text in unique_texts(column)[0]:
        inside = split_affix(text, decimal)
        if pairs.get(text, NUMBER) != NUMBER:
            used.add(text)
            new[text] = _value(name, text, pairs[text], decimal)
        elif inside and inside[0] in pairs:
            used.add(inside[0])
            whole = pairs[inside[0]] == NUMBER
            value = pairs[inside[0]]
            new[text] = inside[1] if whole else _value(name, inside[0], value, decimal)
        elif REST in pairs and math.isnan(number(text, decimal)):
            used.add(REST)
            new[text] = _value(name, REST, pairs[REST], decimal)
    if lacking := [text for text in pairs if text not in used]:
        raise InputError(
            f"column `{name}`: no cell holds {quoted(lacking[0])}, which --read names",
            remedy="give a text of the column, or what stands around its numbers",
        )
    return np.array([new.get(text, text) for text in column], dtype=object)


def _value(name: str, text: str, value: str, decimal: str | None) -> str | None:
    """A number as the column writes its own, so that it is read as no other; None: missing."""
    if value.lower() == MISSING:
        return None
    try:
        parsed = float(value.replace(",", "."))
    except ValueError:
        parsed = math.nan
    if not math.isfinite(parsed):
        raise InputError(
            f"--read {name}={text}: {value!r} is neither a number nor `missing`",
            remedy=f"write {name}={text}=0.5, or {name}={text}=missing",
        )
    if parsed.is_integer() and abs(parsed) < 1e15:
        return str(int(parsed))
    whole, _, rest = f"{parsed:.12f}".rstrip("0").partition(".")
    return f"{whole}{',' if decimal == 'comma' else '.'}{rest.ljust(4, '0')}"
