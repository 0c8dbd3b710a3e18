"""Measures of claims: what is found of each kind on frames, by cell.

Kinds and what they may say stand in `claim_specification`; here a function of each kind selects,
subtracts and tests. They know no claim and no experiment.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.evaluation import significance
from hedgerow_study.reporting.claim_specification import (
    ALONG,
    BOUND,
    DIFFERENCES,
    Above,
    Along,
    Among,
    Between,
    Difference,
    OfRows,
    Quantity,
    Ratio,
    Read,
    is_bound,
    refused,
    same,
)

EXACT = 9  # decimals of a difference: equal means differ by rounding
RELATIONS: dict[str, Callable] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}

# ------------------------------------------------------------------------------- frames and pairs


class Table:
    """A frame that is read again and again: its columns as arrays, its masks kept."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame
        self._masks: dict[tuple[str, str], np.ndarray] = {}
        self._columns: dict[str, np.ndarray] = {}

    def _mask(self, column: str, wanted: Any) -> np.ndarray:
        key = (column, repr(wanted))
        if key not in self._masks:
            values = self.frame[column]
            if is_bound(wanted):
                relation, bound = BOUND.fullmatch(wanted).groups()
                mask = RELATIONS[relation](values.astype(float), float(bound))
            else:
                mask = values.isin(wanted) if isinstance(wanted, tuple) else values == wanted
            self._masks[key] = mask.to_numpy()
        return self._masks[key]

    def rows(self, where: Mapping[str, Any]) -> np.ndarray:
        """Places of the rows that a selection holds."""
        keep = np.ones(len(self.frame), dtype=bool)
        for column, wanted in where.items():
            keep &= self._mask(column, wanted)
        return np.flatnonzero(keep)

    def selected(self, where: Mapping[str, Any]) -> pd.DataFrame:
        """The rows themselves."""
        return self.frame.iloc[self.rows(where)]

    def values(self, where: Mapping[str, Any]) -> np.ndarray:
        """The column `value` of these rows, as numbers."""
        if "value" not in self._columns:
            self._columns["value"] = self.frame["value"].astype(float).to_numpy()
        return self._columns["value"][self.rows(where)]

    def by_key(self, where: Mapping[str, Any], key: list[str], place: str) -> dict[tuple, float]:
        """Values of these rows by some columns, which tell them apart."""
        for column in key:
            if column not in self._columns:
                values = self.frame[column].astype(object)
                self._columns[column] = values.where(values.notna(), None).to_numpy()
        rows, values = self.rows(where), self.values(where)
        keys = zip(*(self._columns[c][rows] for c in key), strict=True) if key else [()] * len(rows)
        by_key = dict(zip(keys, values, strict=True))
        if len(by_key) < len(rows):
            raise refused(
                f"`{place}` has several rows {'per ' + ', '.join(key) if key else 'in one cell'}",
                "say more in `where`, or name the column in `by`",
            )
        return by_key


class Pair:
    """Known values with their partners of the same key; alone where nothing is subtracted."""

    def __init__(self, names: list[str], first: dict, second: dict | None):
        others = first if second is None else second
        keys = [k for k, v in first.items() if not math.isnan(v + others.get(k, math.nan))]
        one, two = (np.array([side[k] for k in keys], dtype=float) for side in (first, others))
        self.names, self.keys, self.first = names, keys, one
        self.second = None if second is None else two
        self.difference = np.round(one if second is None else one - two, EXACT)

    def distinct(self, names: Sequence[str]) -> set[tuple]:
        """Combinations of some columns of the keys."""
        places = [self.names.index(name) for name in names]
        return {tuple(key[place] for place in places) for key in self.keys}

    def described(self) -> dict[str, float]:
        """Numbers of one cell."""
        if not self.keys:
            return {**dict.fromkeys(DIFFERENCES, np.nan), "n": 0}
        difference = self.difference
        first = float(self.first.mean())
        second = np.nan if self.second is None else float(self.second.mean())
        return {
            # A mean of differences that are all but 0 is 0, whatever the order of its sum.
            "mean": round(float(difference.mean()), EXACT) + 0.0,
            "first": first,
            "second": second,
            "ratio": first / second if second else np.nan,
            "wins": int((difference > 0).sum()),
            "losses": int((difference < 0).sum()),
            "share": float((difference > 0).mean()),
            "differ": int((difference != 0).sum()),
            "min": float(difference.min()),
            "max": float(difference.max()),
            "span": round(float(difference.max() - difference.min()), EXACT),
            "n": len(self.keys),
        }


def _indexed(columns: Sequence[str], cells: Sequence[tuple]) -> pd.MultiIndex:
    """Cells as an index; without columns there is one cell, which still needs a level."""
    names = list(columns) or ["all"]
    if not cells:
        return pd.MultiIndex.from_arrays([[]] * len(names), names=names)
    return pd.MultiIndex.from_tuples([c or ("",) for c in cells], names=names)


def as_list(value: Any) -> list:
    return list(value) if isinstance(value, tuple) else [value]


# ------------------------------------------------------------------------------- kinds of measures


@dataclass
class Measured:
    """What was found of a measure: numbers by attribute and cell, and what they rest on."""

    values: dict[str, pd.Series]  # NaN where it is not known
    least: pd.Series | None = None  # the smallest p that the test can have on so many data sets
    n: pd.Series | None = None  # data sets of each cell
    datasets: set = field(default_factory=set)
    lacking: str = ""  # why cells are missing
    pairs: dict[tuple, Pair] = field(default_factory=dict)
    n_read: int = 0  # data sets on which a number rests that was read


def cells_of(measure: OfRows, table: Table | None) -> list[tuple]:
    """All cells: of the values that are listed, else of those that are there."""
    axes = []
    for column, values in measure.axes.items():
        if values is None and table is None:
            values = [measure.where.get(column)]
        elif values is None:
            values = sorted(table.selected(measure.where)[column].unique())
        axes.append(values)
    return list(itertools.product(*axes))


def _where(measure: OfRows, cell: tuple) -> dict[str, Any]:
    """Where the rows of a cell are."""
    return {**measure.where, **dict(zip(measure.by, cell, strict=False))}


def _of_difference(measure: Difference, table: Table, place: str) -> Measured:
    """Pairs, their numbers and tests, by cell."""
    cells, listed = cells_of(measure, table), measure.listed
    inside = [c for c in listed if c not in measure.by]
    whole = math.prod(len(set(listed[c])) for c in inside)
    fixed = {c for c, v in measure.where.items() if c not in listed and not is_bound(v)}
    fixed |= set(measure.by)
    key = [c for c in table.frame.columns if c not in {*fixed, *measure.minus, "value"}]
    lines, pairs, datasets = [], {}, set()
    for cell in cells:
        one = _where(measure, cell)
        first, second = table.by_key(one, key, place), None
        if measure.minus:
            second = table.by_key(_others(measure, one, cell), key, place)
        pair = Pair(key, first, second)
        if inside and len(pair.distinct(inside)) < whole:
            # A mean or an extreme of some would be of something else.
            pair = Pair(key, {}, second)
        pairs[cell], n = pair, len(pair.keys)
        if "dataset" in fixed | set(key):
            of_cell = (
                {one["dataset"]}
                if "dataset" in fixed
                else {d for (d,) in pair.distinct(["dataset"])}
            )
            of_cell = of_cell if n else set()
            n = len(of_cell)
            datasets |= of_cell
        lines.append({**pair.described(), **_p_of(pair, n, measure.test)})
    numbers = pd.DataFrame(lines, index=_indexed(measure.cell_columns("mean"), cells))
    values = {a: numbers[a].astype(float) for a in measure.attributes if a in numbers}
    least = numbers["least"].astype(float) if "least" in numbers else None
    return Measured(values, least, numbers["n"], datasets, pairs=pairs)


def _others(measure: Difference, one: Mapping[str, Any], cell: tuple) -> dict[str, Any]:
    """Where the rows are that are subtracted."""
    other, subtracted = dict(one), iter(cell[len(measure.by) :])
    for column, value in measure.minus.items():
        if isinstance(value, tuple):
            other[column] = next(subtracted)
        else:
            other[column] = value.get(one[column]) if isinstance(value, Mapping) else value
    return other


def _p_of(pair: Pair, n: int, asked: tuple[str, str] | None) -> dict[str, float]:
    """The p of a test on one cell, and the least that so many data sets can have."""
    from scipy import stats

    test, alternative = asked or ("", "")
    if test not in ("wilcoxon", "sign"):
        return {}
    if not pair.keys:
        return {"p": np.nan, "least": np.nan}
    if test == "wilcoxon":
        second = np.zeros_like(pair.first) if pair.second is None else pair.second
        p = significance.wilcoxon(pair.first, second, ("first", "second"), alternative).p
    else:
        won, lost = int((pair.difference > 0).sum()), int((pair.difference < 0).sum())
        p = 1.0
        if won + lost:
            p = float(stats.binomtest(won, won + lost, alternative=alternative).pvalue)
    return {"p": p, "least": significance.smallest_p(n, alternative)}


def _of_along(measure: Along, table: Table, place: str) -> Measured:
    """Pairs by cell, and how their means go."""
    result = _of_difference(measure, table, place)
    at, levels = measure.by.index(measure.along), measure.listed[measure.along]
    rest = list(dict.fromkeys(c[:at] + c[at + 1 :] for c in result.pairs))
    lines = []
    for cell in rest:
        keys = [(*cell[:at], level, *cell[at:]) for level in levels]
        mean = np.array([result.values["mean"][k] for k in keys])
        of_keys = [
            dict(zip(p.keys, p.difference, strict=True)) for p in map(result.pairs.get, keys)
        ]
        common = [key for key in of_keys[0] if all(key in differences for differences in of_keys)]
        wide = np.array([[differences[key] for differences in of_keys] for key in common])
        lines.append({**_line(measure, levels, mean, wide), "n": len(wide)})
    numbers = pd.DataFrame(lines, index=_indexed(measure.cell_columns("last"), rest))
    result.values |= {a: numbers[a].astype(float) for a in (*ALONG, "p")}
    result.least, result.n = numbers["least"].astype(float), numbers["n"]
    return result


def _line(measure: Along, levels: Sequence, mean: np.ndarray, wide: np.ndarray) -> dict[str, float]:
    """Numbers of a line of cells: their means, and differences of each data set in all."""
    from scipy import stats

    line = dict.fromkeys(("least_step", "spearman", "p", "least"), np.nan)
    line |= {"change": round(mean[-1] - mean[0], EXACT), "last": mean[-1]}
    if np.isnan(mean).any():
        return line
    line["least_step"] = np.diff(mean).round(EXACT).min()
    # Means that are all the same have no correlation: they do not grow.
    flat = np.ptp(mean) == 0
    line["spearman"] = 0.0 if flat else float(stats.spearmanr(levels, mean).statistic)
    if measure.test and len(wide):
        names = tuple(map(str, levels))
        steps = np.tile(np.arange(float(len(levels))), (len(wide), 1))
        line["p"] = significance.page_trend(wide, names).p
        line["least"] = significance.page_trend(steps, names).p
    return line


def _of_above(measure: Above, table: Table, place: str) -> Measured:
    """Means less the largest mean of the others, by cell."""

    def mean(where: dict) -> float:
        values = table.values(where)
        observed = values[~np.isnan(values)]
        return observed.mean() if len(observed) else np.nan

    cells, differences = cells_of(measure, table), []
    others = list(itertools.product(*map(as_list, measure.above.values())))
    for one in (_where(measure, cell) for cell in cells):
        best = np.max([mean({**one, **dict(zip(measure.above, v, strict=True))}) for v in others])
        differences.append(round(float(mean(one) - best), EXACT) + 0.0)
    return Measured(
        {"mean": pd.Series(differences, index=_indexed(measure.by, cells), dtype=float)}
    )


def _of_among(measure: Among, table: Table, place: str) -> Measured:
    """Tests by cell, and mean ranks of the groups."""
    groups, cells = list(measure.listed[measure.among]), cells_of(measure, table)
    lines, datasets = [], set()
    for cell in cells:
        rows = table.selected(_where(measure, cell))
        wide = rows.pivot(index="dataset", columns=measure.among, values="value")
        wide = wide.reindex(columns=groups).dropna().astype(float).sort_index()
        datasets |= set(wide.index)
        line = dict.fromkeys(("p", "statistic", "least", *groups), np.nan) | {"n": len(wide)}
        if len(wide):
            values, names = wide.to_numpy(), tuple(groups)
            if measure.test[0] == "anova":
                shares = significance.share_of_largest(values)
                result = significance.repeated_measures_anova(shares, names)
            else:
                result = significance.friedman(values, names)
                alike = np.tile(np.arange(float(len(groups))), (len(wide), 1))
                line["least"] = significance.friedman(alike, names).p
            line |= {"p": result.p, "statistic": result.statistic}
            line |= dict(zip(groups, significance.ranks(values, names).mean(0), strict=True))
        lines.append(line)
    numbers = pd.DataFrame(lines, index=_indexed(measure.by, cells))
    values = {a: numbers[a].astype(float) for a in ("p", "statistic", "n")}
    values["ranks"] = numbers[groups].mean()  # by group, over all cells that have them
    return Measured(values, numbers["least"], numbers["n"], datasets)


def _of_read(measure: Read, table: Table, place: str) -> Measured:
    """What the rows say, by cell."""
    cells, lines = cells_of(measure, table), []
    for cell in cells:
        rows = table.selected(_where(measure, cell))
        if len(rows) > 1:
            raise refused(
                f"`{place}` reads {len(rows)} rows in one cell",
                "say more in `where`, or name the column in `by`",
            )
        of_row = rows.iloc[0] if len(rows) else None
        lines.append({a: np.nan if of_row is None else of_row[c] for a, c in measure.read.items()})
    numbers = pd.DataFrame(lines, index=_indexed(measure.by, cells), columns=list(measure.read))
    numbers = numbers.astype(float)
    n = numbers["n"].fillna(0).astype(int) if "n" in numbers else None
    least = numbers.get("least")
    if least is None and n is not None and measure.test:
        least = n.map(lambda k: significance.smallest_p(k, measure.test[1])).where(n > 0)
    n_read = int(n.max()) if n is not None and len(n) else 0
    return Measured(dict(numbers.items()), least, n, n_read=n_read)


def _of_between(measure: Between, measured: Mapping[str, Measured]) -> Measured:
    """The p of its test on the differences of both."""
    from scipy import stats

    one, two = (
        np.concatenate([np.array([]), *(p.difference for p in measured[other].pairs.values())])
        for other in measure.between
    )
    (test, alternative), p, least = measure.test, np.nan, np.nan
    n = len(one) + len(two)
    if len(one) and len(two) and test == "mann_whitney":
        p = float(stats.mannwhitneyu(one, two, alternative=alternative).pvalue)
        least = 1.0 / math.comb(n, len(one))
    elif len(one) and len(two):
        # The smallest p on groups of these sizes: all of one, none of the other.
        counts = [[(d > 0).sum(), (d <= 0).sum()] for d in (one, two)]
        whole = [[[0, len(one)], [len(two), 0]], [[len(one), 0], [0, len(two)]]]
        p, *extreme = (
            float(stats.fisher_exact(table, alternative=alternative).pvalue)
            for table in (np.array(counts), *whole)
        )
        least = min(extreme)
    p, least, n = (pd.Series([value], index=_indexed([], [()])) for value in (p, least, n))
    return Measured({"p": p}, least, n)


def _of_ratio(measure: Ratio, measured: Mapping[str, Measured]) -> Measured:
    """The ratio, where both are one number."""
    one, two = (
        chosen(measured[quantity.measure].values[quantity.attribute], quantity)
        for quantity in measure.ratio
    )
    value = np.nan
    if len(one) == len(two) == 1 and two.iloc[0] != 0:
        value = float(one.iloc[0] / two.iloc[0])
    reasons = [measured[quantity.measure].lacking for quantity in measure.ratio]
    lacking = measure.lacking or next(filter(None, reasons), "")
    return Measured({"value": pd.Series([value], index=_indexed([], [()]))}, lacking=lacking)


OF_ROWS = {
    Difference: _of_difference,
    Along: _of_along,
    Above: _of_above,
    Among: _of_among,
    Read: _of_read,
}
OF_MEASURES = {Between: _of_between, Ratio: _of_ratio}


def unmeasured(measure: OfRows, cells: Sequence[tuple], reason: str) -> Measured:
    """Nothing is known in any cell."""
    values, every = {}, measure.cell_columns("mean")
    for attribute in measure.attributes:
        columns = measure.cell_columns(attribute)
        keep = [every.index(c) for c in columns]
        of_columns = list(dict.fromkeys(tuple(cell[i] for i in keep) for cell in cells))
        values[attribute] = pd.Series(np.nan, index=_indexed(columns, of_columns))
    return Measured(values, lacking=reason)


def chosen(values: pd.Series, quantity: Quantity) -> pd.Series:
    """The cells of a quantity."""
    for column, wanted in quantity.cells:
        level = values.index.get_level_values(column)
        values = values[[same(v, wanted) for v in level]]
    return values
