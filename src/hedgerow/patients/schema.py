"""What each column of a clinician's table is: found from the table, corrected by a schema file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.files import read_yaml, write_text
from hedgerow.patients.problems import Problems
from hedgerow.patients.table import Texts
from hedgerow.patients.values import looks_like_dates, numbers, unique_texts
from hedgerow.texts import did_you_mean, legible

KINDS = ("number", "category", "date", "id", "ignore")
#: Of a column in the schema file, with what it means.
KEYS = {
    "label": "name in words, for pictures and tables",
    "unit": "unit of a number",
    "kind": "one of " + ", ".join(KINDS),
    "range": "smallest and largest value that can be right",
    "categories": "all values of a category, the first one being the usual one",
    "error": "standard deviation of the error of a measurement, in its unit",
    "missing": "further words or numbers that stand for a missing value",
}
#: Categories of a column; with more it is free text.
MOST_CATEGORIES = 30
#: Patients from which values that never repeat make a column an identifier.
FEW = 20
#: Share of cells that are numbers in a column of numbers with mistakes.
MOSTLY = 0.8
_ID = re.compile(r"(^|[^a-z])(id|nr|no|number|case|mrn|record|patient|subject)($|[^a-z])|id$")


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Attributes
    ----------
    name, label, unit : str
    kind : {'number', 'category', 'date', 'id', 'ignore'}
    low, high : float
        Bounds of values that can be right; infinite where there are none.
    categories : tuple of str
    error : float
        Standard deviation of the error of measurement; 0 where unknown.
    missing : frozenset of str
        Texts, in lower case, that stand for a missing value.
    why : str
        Why the column is no input of the tree; empty where it is one.
    """

    name: str
    label: str
    unit: str = ""
    kind: str = "number"
    low: float = -math.inf
    high: float = math.inf
    categories: tuple[str, ...] = ()
    error: float = 0.0
    missing: frozenset[str] = frozenset()
    why: str = ""

    @property
    def titled(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def found_columns(table: Texts, decimal: str | None = None) -> dict[str, Column]:
    """What the columns of a table seem to be.

    Parameters
    ----------
    table : Texts
    decimal : {'comma', 'point'}, optional
        By default what the numbers tell.

    Returns
    -------
    dict of Column
        By name, in the order of the table.
    """
    return {name: _found(name, table, decimal or table.decimal) for name in table.columns}


def _found(name: str, table: Texts, decimal: str | None) -> Column:
    made = Column(name, name.replace("_", " ").strip())
    texts, codes = unique_texts(table.columns[name])
    n = int((codes >= 0).sum())
    if not n:
        return replace(made, kind="ignore", why="every cell is empty")
    alone = len(texts) == n >= FEW
    if looks_like_dates(table.columns[name]):
        return replace(made, kind="date", why="a date")
    found = numbers(table.columns[name], decimal)
    if found.share >= MOSTLY:
        values = found.values[~np.isnan(found.values)]
        if alone and _counts_on(values, name):
            return replace(
                made, kind="id", why="another value for each patient, as of an identifier"
            )
        if len(texts) <= 2:
            return replace(made, kind="category", categories=tuple(sorted(texts)))
        return made
    if alone:
        return replace(made, kind="id", why="another text for each patient")
    if len(texts) > MOST_CATEGORIES:
        return replace(made, kind="ignore", why=f"free text ({len(texts)} different texts)")
    return replace(made, kind="category", categories=tuple(sorted(texts)))


def _counts_on(values: np.ndarray, name: str) -> bool:
    """Whether numbers that never repeat are numbers of patients rather than measurements."""
    if not (values == np.round(values)).all():
        return False
    steps = np.diff(values)
    return bool(
        _ID.search(name.lower())
        or (steps > 0).all()
        or values.max() - values.min() == len(values) - 1
    )


# ------------------------------------------------------------------------------- the file


def read_schema(path: str | Path, table: Texts, found: Mapping[str, Column]) -> dict[str, Column]:
    """Columns as a schema file describes them; what it leaves out is as it was found.

    Parameters
    ----------
    path : path
        YAML: `columns`, by name, each with some of `label`, `unit`, `kind`, `range`, `categories`,
        `error`, `missing`.
    table : Texts
    found : mapping of Column

    Returns
    -------
    dict of Column

    Raises
    ------
    ConfigError
        The file is not there, or no YAML.
    TableError
        Everything else that is wrong with it, at once.
    """
    content = read_yaml(path, "the schema")
    problems = Problems()
    columns = dict(found)
    given = content.get("columns") if isinstance(content, Mapping) else None
    if not isinstance(given, Mapping):
        problems.add("schema", "it has no `columns`", "write one with --template")
        given = {}
    elif len(content) > 1:
        other = next(key for key in content if key != "columns")
        problems.add("schema", f"`{other}` is no part of it", "it has `columns` only")
    for name, entry in given.items():
        name = str(name)
        if name not in columns:
            _unknown(name, columns, f"the table {table.name} has no such column", problems, name)
        elif entry is None:
            continue
        elif not isinstance(entry, Mapping):
            problems.add("schema", "it is no list of keys", "write `label: ...` below it", name)
        else:
            columns[name] = _described(columns[name], entry, problems)
    problems.check(str(path))
    return columns


def _unknown(word: str, known, said: str, problems: Problems, column=None) -> None:
    remedy = did_you_mean(word, known, f"known are {', '.join(known)}")
    problems.add("schema", said, remedy, column)


def _described(column: Column, entry: Mapping[str, Any], problems: Problems) -> Column:
    """A column with what its entry says; every mistake of it is a problem."""
    name = column.name

    def wrong(key: str, remedy: str) -> None:
        problems.add("schema", f"`{key}` is {entry[key]!r}", remedy, name)

    for key in entry:
        if key not in KEYS:
            _unknown(str(key), KEYS, f"`{key}` is no key", problems, name)
    changes: dict[str, Any] = {}
    for key in ("label", "unit"):
        if entry.get(key) is not None:
            text = entry[key]
            if isinstance(text, (str, int, float)) and len(str(text)) <= 200:
                changes[key] = legible(" ".join(str(text).split())) or getattr(column, key)
            else:
                wrong(key, "give a short text")
    kind = entry.get("kind", column.kind)
    if kind not in KINDS:
        wrong("kind", f"give one of {', '.join(KINDS)}")
        kind = column.kind
    changes["kind"] = kind
    if kind != column.kind:
        said = {"date": "a date", "id": "an identifier", "ignore": ""}
        changes["why"] = said.get(kind, "")
        changes["categories"] = ()
    if kind == "ignore" and (kind != column.kind or not column.why):
        changes["why"] = "left out by the schema"
    if entry.get("range") is not None:
        bounds = entry["range"]
        if (
            isinstance(bounds, list)
            and len(bounds) == 2
            and all(_is_number(b) or b is None for b in bounds)
            and not (None not in bounds and bounds[0] > bounds[1])
        ):
            low, high = bounds
            changes["low"] = -math.inf if low is None else float(low)
            changes["high"] = math.inf if high is None else float(high)
        else:
            wrong("range", "give two numbers, [smallest, largest]")
    if entry.get("error") is not None:
        if _is_number(entry["error"]) and entry["error"] >= 0:
            changes["error"] = float(entry["error"])
        else:
            wrong("error", "give a number of 0 or more")
    if entry.get("categories") is not None:
        given = entry["categories"]
        if isinstance(given, list) and given and all(map(_is_word, given)):
            words = tuple(map(_word, given))
            if len(set(words)) < len(words):
                wrong("categories", "name each of them once")
            changes["categories"] = words
        else:
            wrong("categories", "give a list of words")
    if entry.get("missing") is not None:
        given = entry["missing"] if isinstance(entry["missing"], list) else [entry["missing"]]
        if all(map(_is_word, given)):
            changes["missing"] = frozenset(_word(word).lower() for word in given)
        else:
            wrong("missing", "give a list of words or numbers")
    return replace(column, **changes)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_word(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool)) and 0 < len(str(value)) <= 200


def _word(value: Any) -> str:
    """A word of YAML as the table has it: YAML takes an unquoted yes for true."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value).strip()


def write_template(path: str | Path, table: Texts, columns: Mapping[str, Column]) -> None:
    """Write a schema file that describes a table as it was found, to be edited.

    Parameters
    ----------
    path : path
    table : Texts
    columns : mapping of Column
        As `found_columns` gives them.
    """
    import yaml

    lines = [
        f"# What the columns of {_comment(table.name)} are. Correct it, then give it as --schema.",
        "# The ranges are those found; write those that can be right.",
        *(f"# {key}: {meaning}" for key, meaning in KEYS.items()),
        "columns:",
    ]
    for name, column in columns.items():
        entry: dict[str, Any] = {"label": column.label, "kind": column.kind}
        if column.kind == "number":
            values = numbers(table.columns[name], table.decimal).values
            values = values[~np.isnan(values)]
            entry |= {"unit": "", "range": [_plain(values.min()), _plain(values.max())]}
            entry["error"] = 0
        elif column.kind == "category":
            entry["categories"] = list(column.categories)
        said = yaml.safe_dump(
            {name: entry}, allow_unicode=True, sort_keys=False, default_flow_style=None, width=10**6
        )
        lines += [f"  {line}" for line in said.splitlines()]
        if column.why:
            lines.append(f"    # not an input: {column.why}")
    write_text(path, "\n".join(lines) + "\n")


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)
