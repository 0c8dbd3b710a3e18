"""What each column of a clinician's table is: found from the table, corrected by a schema file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hedgerow.files import read_yaml, write_text
from hedgerow.schema import (
    Word,
    build,
    name_of,
    quoted_value,
    schema_of,
    setting,
    settings_of,
    violations,
    word,
)
from hedgerow.texts import did_you_mean, legible
from hedgerow_clinic.answers import Answers
from hedgerow_clinic.column_names import age_like
from hedgerow_clinic.number_cells import decimal_around, inspect_cells
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.rows import identifiers
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import (
    MOSTLY,
    look_like_excel,
    looks_like_dates,
    numbers,
    unique_texts,
)

KINDS = ("number", "category", "date", "id", "ignore")
#: Categories of a column; with more it is free text.
MOST_CATEGORIES = 30
#: Patients from which values that never repeat make a column an identifier.
FEW = 20
_DATE = re.compile(r"date|datum|fecha")
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
    def title(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def detect_columns(table: Texts, answers: Answers | None = None) -> dict[str, Column]:
    """What the columns of a table seem to be."""
    # answers: among them decimal marks; by default what the numbers tell.
    answers = answers or Answers()
    columns = {
        name: _detect_column(name, table, answers.of_column("decimal", name))
        for name in table.columns
    }
    for name, why in identifiers(table).items():
        if columns[name].kind not in ("date", "id"):
            columns[name] = replace(columns[name], kind="id", why=why, categories=())
    return columns


def _detect_column(name: str, table: Texts, decimal: str | None) -> Column:
    default = Column(name, name.replace("_", " ").strip())
    texts, codes = unique_texts(table.columns[name])
    n = int((codes >= 0).sum())
    if not n:
        return replace(default, kind="ignore", why="every cell is empty")
    alone = len(texts) == n >= FEW
    column = table.columns[name]
    if looks_like_dates(column) or (_DATE.search(name.lower()) and look_like_excel(column)):
        return replace(default, kind="date", why="a date")
    parsed = numbers(column, table.decimal, decimal)
    values = parsed.values[~np.isnan(parsed.values)]
    is_numbers = parsed.share >= MOSTLY
    if not is_numbers:
        cells = inspect_cells(column, decimal_around(column, table.decimal, decimal))
        values, is_numbers = np.array(cells.values), cells.is_numbers
    if is_numbers:
        if alone and not age_like(name) and _counts_on(values, name):
            return replace(
                default, kind="id", why="another value for each patient, as of an identifier"
            )
        if len(np.unique(values)) <= 2 and not parsed.wrong.any():
            return replace(default, kind="category", categories=tuple(sorted(texts)))
        return default
    if alone:
        return replace(default, kind="id", why="another text for each patient")
    if len(texts) > MOST_CATEGORIES:
        return replace(default, kind="ignore", why=f"free text ({len(texts)} different texts)")
    return replace(default, kind="category", categories=tuple(sorted(texts)))


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

_SHORT = r"[\s\S]{1,200}"


@dataclass(frozen=True)
class _ColumnSchema:
    """A column in the schema file; what it leaves out is as it was found."""

    label: Word | None = setting(
        None,
        "name in words, for pictures and tables",
        pattern=_SHORT,
        remedy="give a short text",
    )
    unit: Word | None = setting(
        None, "unit of a number", pattern=_SHORT + "|", remedy="give a short text"
    )
    kind: str | None = setting(
        None,
        "one of " + ", ".join(KINDS),
        written=Literal[KINDS],
        remedy="give one of " + ", ".join(KINDS),
    )
    range: tuple[float | None, float | None] | None = setting(
        None,
        "smallest and largest value that can be right",
        remedy="give two numbers, [smallest, largest]",
    )
    categories: tuple[Word, ...] | None = setting(
        None,
        "all values of a category, the first one being the usual one",
        pattern=_SHORT,
        remedy="give a list of words, each of them once",
    )
    error: float | None = setting(
        None,
        "standard deviation of the error of a measurement, in its unit",
        minimum=0,
        remedy="give a number of 0 or more",
    )
    missing: tuple[Word, ...] | Word | None = setting(
        None,
        "further words or numbers that stand for a missing value",
        pattern=_SHORT,
        remedy="give a list of words or numbers",
    )

    @property
    def crossed(self) -> bool:
        """Whether the range ends before it begins."""
        low, high = self.range or (None, None)
        return low is not None and high is not None and low > high

    def of(self, column: Column) -> Column:
        """The column that it describes."""
        changes: dict[str, Any] = {}
        for key in ("label", "unit"):
            text = legible(" ".join((getattr(self, key) or "").split()))
            changes[key] = text or getattr(column, key)
        kind = self.kind or column.kind
        if kind != column.kind:
            reasons = {"date": "a date", "id": "an identifier"}
            changes |= {"kind": kind, "why": reasons.get(kind, ""), "categories": ()}
        if kind == "ignore" and (kind != column.kind or not column.why):
            changes["why"] = "left out by the schema"
        if self.range is not None:
            low, high = self.range
            changes["low"] = -math.inf if low is None else float(low)
            changes["high"] = math.inf if high is None else float(high)
        if self.error is not None:
            changes["error"] = float(self.error)
        if self.categories is not None:
            changes["categories"] = tuple(text.strip() for text in self.categories)
        if self.missing is not None:
            words = [self.missing] if isinstance(self.missing, str) else self.missing
            changes["missing"] = frozenset(text.strip().lower() for text in words)
        return replace(column, **changes)


@dataclass(frozen=True)
class _SchemaFile:
    """The schema file."""

    columns: Mapping[Word, _ColumnSchema | None] = setting(remedy="write one with --template")


def read_schema(path: str | Path, table: Texts, initial: Mapping[str, Column]) -> dict[str, Column]:
    """Columns as a schema file describes them; what it leaves out is as it was found."""
    # path: YAML: `columns`, by name, each with some of `label`, `unit`, `kind`, `range`,
    # `categories`, `error`, `missing`.
    content = read_yaml(path, "the schema")
    content = content if isinstance(content, Mapping) else {}
    problems = Problems()
    wrong = set()
    for fault in violations(content, schema_of(_SchemaFile)):
        column, inside = (*fault.place, None)[1], fault.place[2:]
        message = fault.message(name_of(inside) if inside else None)
        problems.add("schema", message, fault.remedy, column)
        wrong.add(column)
    columns = dict(initial)
    given = content.get("columns")
    for name, entry in given.items() if isinstance(given, Mapping) else ():
        name = word(name)
        if name not in columns:
            remedy = did_you_mean(name, columns, f"known are {', '.join(columns)}")
            message = f"the table {table.name} has no such column"
            problems.add("schema", message, remedy, name)
        elif entry is not None and name not in wrong:
            described = build(entry, _ColumnSchema)
            if described.crossed:
                remedy = settings_of(_ColumnSchema)["range"].remedy
                problems.add("schema", f"`range` is {quoted_value(entry['range'])}", remedy, name)
            columns[name] = described.of(columns[name])
    problems.check(str(path))
    return columns


def write_template(path: str | Path, table: Texts, columns: Mapping[str, Column]) -> None:
    """Write a schema file that describes a table as it was found, to be edited."""
    import yaml

    lines = [
        f"# What the columns of {_comment(table.name)} are. Correct it, then give it as --schema.",
        "# The ranges are those found; write those that can be right.",
        *(f"# {key}: {option.meaning}" for key, option in settings_of(_ColumnSchema).items()),
        "columns:",
    ]
    for name, column in columns.items():
        entry: dict[str, Any] = {"label": column.label, "kind": column.kind}
        if column.kind == "number":
            values = numbers(table.columns[name], table.decimal).values
            values = values[~np.isnan(values)]
            entry["unit"] = ""
            if len(values):
                entry["range"] = [_plain(values.min()), _plain(values.max())]
            entry["error"] = 0
        elif column.kind == "category":
            entry["categories"] = list(column.categories)
        text = yaml.safe_dump(
            {name: entry}, allow_unicode=True, sort_keys=False, default_flow_style=None, width=10**6
        )
        lines += [f"  {line}" for line in text.splitlines()]
        if column.why:
            lines.append(f"    # not an input: {column.why}")
    write_text(path, "\n".join(lines) + "\n")


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)
