"""What stands behind tables of several experiments: rows as they are, comparisons, tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from hedgerow_study.reporting.cells import Cell, Rows, Source

#: Columns of p, plain and after Holm's correction.
P = {"p": ("none", "p"), "p_holm": ("holm", "p")}


class ColumnSource(NamedTuple):
    """How a column follows from rows: formula, what is read (its namesake), times, a selection."""

    formula: str = "value"
    value: str = ""
    times: float = 1.0
    where: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class LineSources:
    """Provenance of a table each line of which names the rows of one input that it rests on.

    key: columns that name the rows, by what the input calls them where it is another name.

    columns: what rests on them, as it is or by a formula, where it has a value.

    when: whether a line has provenance at all.
    """

    of: str
    key: Sequence[str] | Mapping[str, str]
    columns: Sequence[str] | Mapping[str, ColumnSource]
    when: Callable[[Mapping[str, Any]], bool] = bool

    def __call__(self, table: pd.DataFrame) -> Iterator[Cell]:
        key = (
            self.key
            if isinstance(self.key, Mapping)
            else dict(zip(self.key, self.key, strict=True))
        )
        columns = self.columns
        if not isinstance(columns, Mapping):
            columns = dict.fromkeys(columns, ColumnSource())
        for row, line in enumerate(table.to_dict("records")):
            rows = {theirs: line[mine] for mine, theirs in key.items()}
            for column, read in columns.items() if self.when(line) else ():
                if pd.notna(line[column]):
                    source = Rows(self.of, {**rows, **read.where}, read.value or column)
                    yield Cell(row, column, read.formula, (source,), read.times)


def test_cells(
    row: int,
    line: Mapping[str, Any],
    where: Mapping[str, Any],
    columns: Mapping[str, tuple[str, str]] = P,
    of: str = "statistics",
) -> Iterator[Cell]:
    """Cells that show a test, where they have a value: column to correction and what is read."""
    for column, (correction, value) in columns.items():
        if pd.notna(line[column]):
            selection = {**where, "correction": correction}
            yield Cell(row, column, "value", (Rows(of, selection, value),))


def comparison_cells(
    row: int,
    line: Mapping[str, Any],
    names: tuple[str, str],
    first: Rows,
    second: Rows,
    rows: Selector,
    times: float = 1.0,
    by: tuple[str, ...] = ("dataset", "repeat"),
    less_is_better: bool = False,
) -> Iterator[Cell]:
    """Both sides of a comparison, their difference, and wins and losses, over what has both.

    names: columns of the two means; `difference` is that of the first less the second.
    """
    keys = [rows.values(arm, by) for arm in (first, second)]
    both = sorted({key[0] for key in keys[0] & keys[1]})
    pair = tuple(Rows(arm.of, {**arm.where, by[0]: both}, arm.value) for arm in (first, second))
    one, two = ({key for key in side if key[0] in both} for side in keys)
    whole = one == two and all(len(rows(arm.where)) == len(one) for arm in pair)
    for name, arm, other in zip(names, pair, reversed(pair), strict=True):
        if whole:
            yield Cell(row, name, "mean_of_means", (arm,), times, by[:1])
        else:
            yield Cell(row, name, "paired_mean", (arm, other), times, by)
    formula = "mean_difference" if whole else "paired_difference"
    yield Cell(row, "difference", formula, pair, times, by)
    yield from counts(row, line, pair, by, less_is_better)


def counts(
    row: int,
    line: Mapping[str, Any],
    pair: tuple[Rows, Rows],
    by: tuple[str, ...],
    less_is_better: bool = False,
) -> Iterator[Cell]:
    """On how many data sets, the first of `by`, the first side is better, worse, and there."""
    above, below = ("losses", "wins") if less_is_better else ("wins", "losses")
    for column, formula in ((above, "n_means_above"), (below, "n_means_below")):
        if column in line:
            yield Cell(row, column, formula, pair, by=by)
    if "n_datasets" in line:
        yield Cell(row, "n_datasets", "n_of_means", pair[:1], by=by[:1])


class Selector:
    """Rows of an input that fit selections, by an index, as an audit looks them up."""

    def __init__(self, rows: pd.DataFrame):
        self._rows = rows
        self._source = Source([], [rows])

    def __call__(self, where: Mapping[str, Any]) -> pd.DataFrame:
        """The rows that fit."""
        return self._rows.iloc[self._source.positions(where)]

    def data_sets(self, where: Mapping[str, Any], of: str = "dataset") -> list[str]:
        """Names of the data sets of these rows, sorted."""
        column = self._rows.columns.get_loc(of)
        return sorted(set(self._rows.iloc[self._source.positions(where), column]))

    def values(self, rows: Rows, by: Sequence[str]) -> set[tuple]:
        """Values of some columns, in those of these rows that have a value."""
        selected = self(rows.where).dropna(subset=rows.value)
        return set(selected[list(by)].itertuples(index=False, name=None))
