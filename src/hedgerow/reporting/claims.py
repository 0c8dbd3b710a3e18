"""The judge of every claim: specifications from config/claims.yaml, results as tidy frames.

A claim is a list of measures, each a quantity of some rows (with a test, where one is asked for),
and the bounds between its verdicts. The engine knows no experiment: it selects, subtracts, tests
and compares. Truth has three values, for a bound may be out of the data's reach: a cell that was
not measured could hold or not, and a p-value that so few data sets can never fall below a bound
says nothing about it. What could still decide is named in `lacking`.

Nothing in a specification is evaluated as code: conditions and texts have a grammar of their own.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data.seeds import rng
from hedgerow.errors import ConfigError
from hedgerow.evaluation import significance
from hedgerow.reporting.claim_specification import (
    ALONG,
    BOUND,
    DIFFERENCES,
    NOT,
    NOT_TESTABLE,
    PARTLY,
    RELATIONS,
    REPRODUCED,
    SOURCE,
    TOO_LITTLE,
    VERDICTS,
    Claim,
    Comparison,
    Condition,
    Placeholder,
    Quantity,
    Several,
    attributes,
    cell_columns,
    guess,
    kind_of,
    of_experiment,
    same,
    specified,
)

__all__ = [
    "NOT",
    "NOT_TESTABLE",
    "PARTLY",
    "REPRODUCED",
    "TOO_LITTLE",
    "VERDICTS",
    "hanging",
    "judge",
    "judged",
    "of_experiment",
    "specified",
    "verdict_of",
    "with_statements",
    "without",
]

LEADING = ["estimate", "low", "high", "interval_of"]
COLUMNS = ["claim", "verdict", "measured", "lacking", "n_datasets", *LEADING]
HANGS_ON = ["hangs_on", "n_left_out"]
NOTHING = "no data set of this run can speak to it"
EXACT = 9  # decimals of a difference: equal means differ by rounding
RESAMPLES = 9_999  # with the sample itself 10,000: the bounds are the 250th from either end
#: Attributes that are no size of anything.
NO_SIZE = ("p", "least", "n")
#: Attributes that count data sets: so many cannot be reached by fewer.
COUNTS = ("wins", "losses", "differ")

# -------------------------------------------------------------------------------- measurement


@dataclass
class _Measured:
    """What was found of one measure.

    Attributes
    ----------
    values : dict of Series
        By attribute: one number per cell, NaN where it is not known.
    least : Series
        The smallest p that the test can have on so many data sets, by cell.
    n : Series
        Data sets of each cell.
    datasets : set
        Data sets that were read.
    lacking : str
        Why cells are missing.
    differences : dict of ndarray
        The differences themselves, by cell.
    pairs : dict of _Pair
        The values that were subtracted, by cell.
    """

    values: dict[str, pd.Series]
    least: pd.Series | None = None
    n: pd.Series | None = None
    datasets: set = field(default_factory=set)
    lacking: str = ""
    differences: dict = field(default_factory=dict)
    pairs: dict = field(default_factory=dict)
    n_read: int = 0


def _index(columns: Sequence[str], cells: Sequence[tuple]) -> pd.MultiIndex:
    # Without columns there is one cell, which still needs a level.
    names = list(columns) or ["all"]
    if not cells:
        return pd.MultiIndex.from_arrays([[]] * len(names), names=names)
    return pd.MultiIndex.from_tuples([c or ("",) for c in cells], names=names)


class _Table:
    """A frame that is read again and again: its columns as arrays, its masks kept."""

    def __init__(self, frame: pd.DataFrame):
        self.frame = frame
        self._masks: dict[tuple[str, str], np.ndarray] = {}
        self._columns: dict[str, np.ndarray] = {}

    def _mask(self, column: str, wanted: Any) -> np.ndarray:
        known = (column, repr(wanted))
        if known not in self._masks:
            values = self.frame[column]
            bound = BOUND.fullmatch(wanted) if isinstance(wanted, str) else None
            if bound:
                mask = RELATIONS[bound[1]](values.astype(float), float(bound[2]))
            else:
                mask = values.isin(wanted) if isinstance(wanted, list) else values == wanted
            self._masks[known] = mask.to_numpy()
        return self._masks[known]

    def rows(self, where: Mapping[str, Any]) -> np.ndarray:
        """Places of the rows that a selection holds."""
        keep = np.ones(len(self.frame), dtype=bool)
        for column, wanted in where.items():
            keep &= self._mask(column, wanted)
        return np.flatnonzero(keep)

    def selected(self, where: Mapping[str, Any]) -> pd.DataFrame:
        """The rows themselves."""
        return self.frame.iloc[self.rows(where)]

    def values(self, rows: np.ndarray) -> np.ndarray:
        """The column `value` as numbers."""
        if "value" not in self._columns:
            self._columns["value"] = self.frame["value"].astype(float).to_numpy()
        return self._columns["value"][rows]

    def keys(self, columns: Sequence[str], rows: np.ndarray) -> list[tuple]:
        """What tells rows apart."""
        for column in columns:
            if column not in self._columns:
                values = self.frame[column].astype(object)
                self._columns[column] = values.where(values.notna(), None).to_numpy()
        if not columns:
            return [()] * len(rows)
        return list(zip(*(self._columns[c][rows] for c in columns), strict=True))


@dataclass
class _Pair:
    """Values with the same key, without what is not known."""

    names: list[str]  # of the columns of keys
    keys: list[tuple]
    first: np.ndarray
    second: np.ndarray | None

    @property
    def difference(self) -> np.ndarray:
        found = self.first if self.second is None else self.first - self.second
        return np.round(found, EXACT)

    def column(self, name: str) -> list:
        place = self.names.index(name)
        return [key[place] for key in self.keys]

    def distinct(self, names: Sequence[str]) -> set[tuple]:
        return set(zip(*map(self.column, names), strict=True))


class _Judge:
    """One claim and the frames that it is judged on."""

    def __init__(self, claim: Claim, tables: Mapping[str, _Table], labels, source: str):
        self.claim, self.tables, self.labels, self.source = claim, tables, labels, source
        self.reasons: dict[str, None] = {}  # a set that keeps its order
        self.found = {}
        for name, measure in claim.measures.items():
            if kind_of(measure) not in ("between", "ratio"):
                self.found[name] = self._measured(name, measure)
        for name, measure in claim.measures.items():
            if kind_of(measure) == "between":
                self.found[name] = self._between(measure)
            elif kind_of(measure) == "ratio":
                self.found[name] = self._ratio(measure)

    # What a measure finds ---------------------------------------------------------------------

    def _measured(self, name: str, measure: Mapping) -> _Measured:
        table = self.tables.get(measure["of"])
        if table is None:
            cells = [tuple(c) for c in itertools.product(*self._wanted(measure, None))]
            reason = measure.get("lacking", f"no `{measure['of']}`")
            return self._empty(measure, cells, reason)
        self._check_columns(name, measure, table.frame)
        kind = kind_of(measure)
        if not all(self._wanted(measure, table)):
            return self._empty(measure, [], self._unsaid(measure, table.frame) or NOTHING)
        if kind == "read":
            return self._read(name, measure, table)
        if kind == "among":
            return self._among(measure, table)
        return self._differences(name, measure, table)

    def _empty(self, measure, cells, reason) -> _Measured:
        values = {}
        for attribute in attributes(measure):
            columns = cell_columns(measure, attribute)
            every = cell_columns(measure, "mean")
            keep = [every.index(c) for c in columns]
            own = list(dict.fromkeys(tuple(cell[i] for i in keep) for cell in cells))
            values[attribute] = pd.Series(np.nan, index=_index(columns, own))
        return _Measured(values, lacking=reason)

    def _check_columns(self, name: str, measure: Mapping, frame: pd.DataFrame) -> None:
        wanted = [*measure["where"], *measure["by"]]
        for key in ("minus", "above"):
            wanted += list(measure.get(key, ()))
        wanted += list(measure.get("read", {}).values())
        for column in wanted:
            if column not in frame.columns:
                raise ConfigError(
                    f"{self.source}: unknown column `{column}` of `{measure['of']}` in "
                    f"`{self.claim.name}.{name}`",
                    remedy=guess(column, map(str, frame.columns)),
                )

    def _wanted(self, measure: Mapping, table: _Table | None) -> list[list]:
        """Values of each column of the cells: those that are listed, else those that are there."""
        axes = []
        for column in measure["by"]:
            wanted = measure["where"].get(column)
            if isinstance(wanted, list):
                axes.append(wanted)
            elif table is None:
                axes.append([wanted])
            else:
                axes.append(sorted(table.selected(measure["where"])[column].unique()))
        minus = measure.get("minus", {})
        return axes + [v for v in minus.values() if isinstance(v, list)]

    def _differences(self, name: str, measure: Mapping, table: _Table) -> _Measured:
        by, where, minus = measure["by"], measure["where"], measure.get("minus", {})
        cells = [tuple(c) for c in itertools.product(*self._wanted(measure, table))]
        index = _index(cell_columns(measure, "mean"), cells)
        if "above" in measure:
            mean = [self._above(measure, table, dict(zip(by, c, strict=False))) for c in cells]
            mean = pd.Series(mean, index=index, dtype=float)
            return _Measured({"mean": mean}, lacking=self._missing(measure, mean, table.frame))
        inside = [c for c, v in where.items() if isinstance(v, list) and c not in by]
        whole = math.prod(len(set(where[c])) for c in inside)
        fixed = {c for c, v in where.items() if not isinstance(v, list)} - _bounded(where)
        fixed |= set(by)
        key = [c for c in table.frame.columns if c not in {*fixed, *minus, "value"}]
        found, pairs, datasets = [], {}, set()
        for cell in cells:
            one = {**where, **dict(zip(by, cell, strict=False))}
            first = self._by_key(name, table, table.rows(one), key)
            second = None
            if minus:
                other, lists = dict(one), iter(cell[len(by) :])
                for column, value in minus.items():
                    if isinstance(value, list):
                        other[column] = next(lists)
                    elif isinstance(value, Mapping):
                        other[column] = value.get(other[column])
                    else:
                        other[column] = value
                second = self._by_key(name, table, table.rows(other), key)
            pair = _paired(key, first, second)
            if inside and len(pair.distinct(inside)) < whole:
                # A mean or an extreme of some would be of something else.
                pair = _paired(key, {}, second)
            pairs[cell] = pair
            n = len(pair.keys)
            if "dataset" in fixed | set(key):
                own = {one["dataset"]} if "dataset" in fixed else set(pair.column("dataset"))
                own = own if n else set()
                n = len(own)
                datasets |= own
            found.append({**_described(pair), **self._tested(measure, pair, n)})
        of_cells = pd.DataFrame(found, index=index)
        values = {a: of_cells[a].astype(float) for a in attributes(measure) if a in of_cells}
        lacking = self._missing(measure, of_cells["mean"], table.frame)
        least = of_cells["least"].astype(float) if "least" in of_cells else None
        result = _Measured(values, least, of_cells["n"], datasets, lacking)
        result.differences = {cell: pair.difference for cell, pair in pairs.items()}
        result.pairs = pairs
        if "along" in measure:
            self._along(measure, cells, pairs, result)
        return result

    def _by_key(self, name: str, table: _Table, rows: np.ndarray, key: list[str]) -> dict:
        found = dict(zip(table.keys(key, rows), table.values(rows), strict=True))
        if len(found) < len(rows):
            raise ConfigError(
                f"{self.source}: `{self.claim.name}.{name}` has several rows "
                f"{'per ' + ', '.join(key) if key else 'in one cell'}",
                remedy="say more in `where`, or name the column in `by`",
            )
        return found

    def _above(self, measure: Mapping, table: _Table, one: dict) -> float:
        """Mean of the rows minus the largest mean of some others."""

        def mean(where: dict) -> float:
            values = table.values(table.rows({**measure["where"], **one, **where}))
            known = values[~np.isnan(values)]
            return known.mean() if len(known) else np.nan

        above = measure["above"]
        axes = [v if isinstance(v, list) else [v] for v in above.values()]
        others = [mean(dict(zip(above, v, strict=True))) for v in itertools.product(*axes)]
        return round(float(mean({}) - np.max(others)), EXACT) + 0.0

    def _tested(self, measure: Mapping, pair: _Pair, n: int) -> dict:
        from scipy import stats

        test, alternative = measure.get("test", ("", ""))
        if test not in ("wilcoxon", "sign"):
            return {}
        if not pair.keys:
            return {"p": np.nan, "least": np.nan}
        if test == "wilcoxon":
            second = np.zeros_like(pair.first) if pair.second is None else pair.second
            p = significance.wilcoxon(pair.first, second, ("first", "second"), alternative).p
        else:
            difference = pair.difference
            won, lost = int((difference > 0).sum()), int((difference < 0).sum())
            p = 1.0
            if won + lost:
                p = float(stats.binomtest(won, won + lost, alternative=alternative).pvalue)
        return {"p": p, "least": significance.smallest_p(n, alternative)}

    def _along(self, measure, cells, pairs, result: _Measured) -> None:
        """How means go along the values of a column, in their order."""
        from scipy import stats

        column = measure["along"]
        place = measure["by"].index(column)
        levels = measure["where"][column]
        rest = list(dict.fromkeys(c[:place] + c[place + 1 :] for c in cells))
        lines, n = [], []
        for cell in rest:
            keys = [(*cell[:place], level, *cell[place:]) for level in levels]
            mean = np.array([result.values["mean"][k] for k in keys])
            of_keys = [dict(zip(pairs[k].keys, pairs[k].difference, strict=True)) for k in keys]
            common = [key for key in of_keys[0] if all(key in found for found in of_keys)]
            wide = np.array([[found[key] for found in of_keys] for key in common])
            whole = not np.isnan(mean).any()
            line = {
                "least_step": np.diff(mean).round(EXACT).min() if whole else np.nan,
                "change": round(mean[-1] - mean[0], EXACT),
                "last": mean[-1],
                "spearman": np.nan,
                "p": np.nan,
                "least": np.nan,
            }
            if whole:
                # Means that are all the same have no correlation: they do not grow.
                flat = np.ptp(mean) == 0
                line["spearman"] = 0.0 if flat else float(stats.spearmanr(levels, mean).statistic)
            if whole and "test" in measure and len(wide):
                names = tuple(map(str, levels))
                line["p"] = significance.page_trend(wide, names).p
                steps = np.tile(np.arange(float(len(levels))), (len(wide), 1))
                line["least"] = significance.page_trend(steps, names).p
            lines.append(line)
            n.append(len(wide))
        index = _index(cell_columns(measure, "last"), rest)
        table = pd.DataFrame(lines, index=index)
        result.values |= {a: table[a].astype(float) for a in (*ALONG, "p")}
        result.least = table["least"].astype(float)
        result.n = pd.Series(n, index=index)

    def _among(self, measure: Mapping, own: _Table) -> _Measured:
        """Tests of several groups at once, over data sets."""
        from scipy import stats

        column, by = measure["among"], measure["by"]
        groups = measure["where"][column]
        cells = [tuple(c) for c in itertools.product(*self._wanted(measure, own))]
        lines, datasets = [], set()
        for cell in cells:
            rows = own.selected({**measure["where"], **dict(zip(by, cell, strict=True))})
            wide = rows.pivot(index="dataset", columns=column, values="value")
            wide = wide.reindex(columns=groups).dropna().astype(float).sort_index()
            datasets |= set(wide.index)
            line = {"p": np.nan, "statistic": np.nan, "least": np.nan, "n": len(wide)}
            line |= dict.fromkeys(groups, np.nan)
            if len(wide):
                values, names, n, k = wide.to_numpy(), tuple(groups), len(wide), len(groups)
                if measure["test"][0] == "anova":
                    shares = significance.share_of_largest(values)
                    result = significance.repeated_measures_anova(shares, names)
                else:
                    result = significance.friedman(values, names)
                    line["least"] = float(stats.chi2.sf(n * (k - 1), k - 1))
                line |= {"p": result.p, "statistic": result.statistic}
                line |= dict(zip(groups, significance.ranks(values, names).mean(0), strict=True))
            lines.append(line)
        table = pd.DataFrame(lines, index=_index(by, cells))
        values = {a: table[a].astype(float) for a in ("p", "statistic", "n")}
        values["ranks"] = table[groups].mean()  # by group, over all cells that have them
        lacking = self._missing(measure, table["p"], own.frame)
        return _Measured(values, table["least"], table["n"], datasets, lacking)

    def _read(self, name: str, measure: Mapping, own: _Table) -> _Measured:
        """Attributes that another step has worked out, one row per cell."""
        by = measure["by"]
        cells = [tuple(c) for c in itertools.product(*self._wanted(measure, own))]
        lines = []
        for cell in cells:
            rows = own.selected({**measure["where"], **dict(zip(by, cell, strict=True))})
            if len(rows) > 1:
                raise ConfigError(
                    f"{self.source}: `{self.claim.name}.{name}` reads {len(rows)} rows in one cell",
                    remedy="say more in `where`, or name the column in `by`",
                )
            of_row = rows.iloc[0] if len(rows) else None
            lines.append(
                {a: np.nan if of_row is None else of_row[c] for a, c in measure["read"].items()}
            )
        table = pd.DataFrame(lines, index=_index(by, cells), columns=list(measure["read"]))
        table = table.astype(float)
        n = table["n"].fillna(0).astype(int) if "n" in table else None
        least = table.get("least")
        if least is None and n is not None and "test" in measure:
            least = n.map(lambda k: significance.smallest_p(k, measure["test"][1])).where(n > 0)
        lacking = self._missing(measure, table.iloc[:, 0], own.frame)
        n_read = int(n.max()) if n is not None and len(n) else 0
        return _Measured(dict(table.items()), least, n, set(), lacking, n_read=n_read)

    def _between(self, measure: Mapping) -> _Measured:
        """Tests of two measures whose data sets are different ones."""
        from scipy import stats

        one, two = (self._all_differences(m) for m in measure["between"])
        (test, alternative), p, least = measure["test"], np.nan, np.nan
        if len(one) and len(two):
            if test == "mann_whitney":
                p = float(stats.mannwhitneyu(one, two, alternative=alternative).pvalue)
                least = 1.0 / math.comb(len(one) + len(two), len(one))
            else:
                counts = np.array([[(d > 0).sum(), (d <= 0).sum()] for d in (one, two)])
                p = float(stats.fisher_exact(counts, alternative=alternative).pvalue)
                least = _least_fisher(len(one), len(two), alternative)
        index = _index([], [()])
        n = pd.Series([len(one) + len(two)], index=index)
        return _Measured({"p": pd.Series([p], index=index)}, pd.Series([least], index=index), n)

    def _all_differences(self, name: str) -> np.ndarray:
        found = list(self.found[name].differences.values())
        return np.concatenate(found) if found else np.array([])

    def _ratio(self, measure: Mapping) -> _Measured:
        one, two = (self.value(q) for q in measure["ratio"])
        value = np.nan
        if len(one) == len(two) == 1 and two.iloc[0] != 0:
            value = float(one.iloc[0] / two.iloc[0])
        reasons = [self.found[q.measure].lacking for q in measure["ratio"]]
        lacking = measure.get("lacking") or next(filter(None, reasons), "")
        index = _index([], [()])
        return _Measured({"value": pd.Series([value], index=index)}, lacking=lacking)

    def _missing(self, measure: Mapping, known: pd.Series, frame: pd.DataFrame) -> str:
        """Why cells are missing: values of columns that no row has, else the cells by name."""
        missing = known[known.isna()].index
        if not len(missing):
            return ""
        said = self._unsaid(measure, frame)
        if said:
            return said
        if len(missing) == len(known):
            return NOTHING
        return f"no value for {'; '.join(self._name(cell) for cell in missing[:4])}" + (
            f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        )

    def _unsaid(self, measure: Mapping, frame: pd.DataFrame) -> str:
        """Why rows are not there, as far as the frame tells: what was not run, else `lacking`.

        What `lacking` says is about data, so that it is not said where nothing was run.
        """
        if frame.empty:
            return NOTHING
        where = dict(measure["where"])
        for key in ("minus", "above"):
            for column, value in measure.get(key, {}).items():
                inner = value.values() if isinstance(value, Mapping) else np.atleast_1d(value)
                where[column] = [*np.atleast_1d(where.get(column, [])).tolist(), *inner]
        gone = []
        for column, wanted in where.items():
            if column in _bounded(measure["where"]) or column not in frame:
                continue
            if "lacking" in measure and column != "method":
                continue
            wanted = wanted if isinstance(wanted, list) else [wanted]
            there = set(frame[column])
            lost = [w for w in dict.fromkeys(wanted) if w not in there and w != ""]
            if lost:
                gone.append(f"{_plural(column, len(lost))} {', '.join(map(self._label, lost))}")
        if gone:
            return f"not in this run: {'; '.join(gone)}"
        return measure.get("lacking", "")

    def _label(self, value: Any) -> str:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f"{value:g}"
        return self.labels.get(value, str(value))

    def _name(self, cell: tuple) -> str:
        return " ".join(filter(None, map(self._label, cell)))

    # What conditions say ----------------------------------------------------------------------

    def value(self, quantity: Quantity) -> pd.Series:
        """Numbers of a quantity, by cell."""
        return self._chosen(self.found[quantity.measure].values[quantity.attribute], quantity)

    @staticmethod
    def _chosen(values: pd.Series, quantity: Quantity) -> pd.Series:
        for column, wanted in quantity.cells:
            level = values.index.get_level_values(column)
            values = values[[same(v, wanted) for v in level]]
        return values

    def _truth(self, comparison: Comparison, reach: bool) -> pd.Series:
        """1, 0, or NaN where the data cannot say, by cell."""
        parts = [self._compared(q, comparison, reach) for q in comparison.left]
        if len(parts) == 1:
            return parts[0]
        return pd.concat([p.set_axis([(i, *c) for c in p.index]) for i, p in enumerate(parts)])

    def _compared(self, quantity: Quantity, comparison: Comparison, reach: bool) -> pd.Series:
        left, right = self.value(quantity), comparison.right
        relation = RELATIONS[comparison.relation]
        found = self.found[quantity.measure]
        unknown = left.isna()
        if isinstance(right, Quantity):
            other = self.value(right)
            if len(other) == 1 and len(left) != 1:
                other = pd.Series(other.iloc[0], index=left.index)
            if len(other) != len(left):
                raise ConfigError(
                    f"{self.source}: `{self.claim.name}` compares {len(left)} cells of "
                    f"`{quantity.measure}` with {len(other)} of `{right.measure}`",
                    remedy="list the same values in both",
                )
            unknown = unknown | other.isna().to_numpy()
            bound = other.round(EXACT).to_numpy()  # as the left side: equal is not larger
            if other.isna().any():
                self._lack(self.found[right.measure].lacking)
        else:
            bound = right
        if left.isna().any():
            self._lack(found.lacking or self._untested(quantity, left))
        truth = relation(left.round(EXACT) if quantity.attribute != "p" else left, bound)
        truth = truth.astype(float)
        truth[unknown] = np.nan
        if reach and quantity.attribute == "p" and found.least is not None:
            # So few data sets have no p below the bound, whatever they show.
            least = self._chosen(found.least, quantity)
            beyond = (least >= bound).to_numpy() & ~unknown.to_numpy()
            if beyond.any():
                truth[beyond] = np.nan
                n = int(self._chosen(found.n, quantity)[beyond].max())
                self._lack(f"p < {_short(right)} cannot be reached by {_sets(n)}")
        if reach and self._counts(quantity, comparison):
            n = self._chosen(found.values["n"], quantity)
            beyond = ~RELATIONS[comparison.relation](n, bound).to_numpy() & ~unknown.to_numpy()
            if beyond.any():
                truth[beyond] = np.nan
                most = int(n[beyond].max())
                self._lack(f"{bound:g} {quantity.attribute} cannot be reached by {_sets(most)}")
        return truth

    def _counts(self, quantity: Quantity, comparison: Comparison) -> bool:
        """Whether a comparison asks for so many data sets."""
        return (
            quantity.attribute in COUNTS
            and comparison.relation in (">", ">=")
            and not isinstance(comparison.right, Quantity)
            and "n" in self.found[quantity.measure].values
        )

    def _untested(self, quantity: Quantity, values: pd.Series) -> str:
        """A test that needs more data sets than there are has no p."""
        n = self.found[quantity.measure].n
        if quantity.attribute != "p" or n is None:
            return ""
        return f"no test with {_sets(int(self._chosen(n, quantity)[values.isna()].max()))}"

    def _lack(self, reason: str) -> None:
        if reason:
            self._noted[reason] = None

    _noted: dict[str, None]

    def holds(self, condition: Condition | Several) -> bool | None:
        """Whether a condition holds; None where the data cannot say."""
        if isinstance(condition, Several):
            found = [self.holds(c) for c in condition.of]
            sure = sum(f is True for f in found)
            open_ = sum(f is None for f in found)
            return _counted(sure, open_, condition.least)
        self._noted = {}
        truth = self.cells(condition)
        if self._of_sets_there(condition):
            truth = truth.dropna()
        sure, open_, n = int((truth == 1).sum()), int(truth.isna().sum()), len(truth)
        at = condition.at
        if at is None:
            if n != 1:
                raise ConfigError(
                    f"{self.source}: `{self.claim.name}` has `{condition.text}` on {n} cells",
                    remedy="say at how many: `at all`, `at none`, `at 4` (or more)",
                )
            at = "all"
        if n == 0:
            answer = None  # of no cell nothing is true
        elif at == "none":
            answer = False if sure else None if open_ else True
        else:
            least = n if at == "all" else at
            if least > n and at != "all":
                raise ConfigError(
                    f"{self.source}: `{self.claim.name}` has `{condition.text}` on {n} cells",
                    remedy=f"write `at {n}` or less",
                )
            answer = _counted(sure, open_, least)
        if answer is None:
            self.reasons |= self._noted or {NOTHING: None}
        return answer

    def _of_sets_there(self, condition: Condition) -> bool:
        """Whether the cells are the data sets that there are.

        Then one without a value says no more than one that was not run: else a data set could be
        taken away to know more.
        """
        for quantity in _quantities([condition]):
            measure = self.claim.measures[quantity.measure]
            if "dataset" in measure.get("by", ()):
                return not isinstance(measure["where"].get("dataset"), (list, str))
        return False

    def cells(self, condition: Condition, reach: bool = True) -> pd.Series:
        """Truth of a condition in each cell; with `reach` a p out of reach is not known."""
        truths = [self._truth(c, reach) for c in condition.comparisons]
        joint = truths[0]
        for truth in truths[1:]:
            if len(truth) != len(joint):
                raise ConfigError(
                    f"{self.source}: `{self.claim.name}` joins {len(joint)} and {len(truth)} cells "
                    f"in `{condition.text}`",
                    remedy="join comparisons of the same cells, or write two conditions",
                )
            one, two = joint.to_numpy(), truth.to_numpy()
            both = np.where((one == 0) | (two == 0), 0.0, np.minimum(one, two))
            joint = pd.Series(both, index=joint.index)
        return joint

    # What is said -----------------------------------------------------------------------------

    def judged(self) -> dict:
        """The line of this claim."""
        verdict, lacking = self.verdict()
        line = {"claim": self.claim.name, "verdict": verdict, "measured": self.measured()}
        return line | {"lacking": lacking, "n_datasets": self.n_datasets, **self.leading()}

    def verdict(self) -> tuple[str, str]:
        """The verdict and, of too little data, what is lacking."""
        few = self._too_few()
        if few:
            return TOO_LITTLE, few
        self.reasons = {}
        whole = _all(self.holds(c) for c in self.claim.reproduced)
        reasons, self.reasons = self.reasons, {}
        part = _all(self.holds(c) for c in self.claim.partly) if self.claim.partly else False
        if whole is None:
            return TOO_LITTLE, ("partly at least; " if part else "") + "; ".join(reasons)
        if not whole and part is None:
            return TOO_LITTLE, "; ".join(self.reasons)
        return REPRODUCED if whole else PARTLY if part else NOT, ""

    def _too_few(self) -> str:
        """What there is too little of for any verdict, or nothing."""
        n = self.n_datasets
        if 0 < n < self.claim.fewest:
            return f"{_sets(n)} of {self.claim.fewest} or more"
        for words, quantity, least in self.claim.counted:
            values = self.value(quantity).dropna()
            if values.empty:
                return self.found[quantity.measure].lacking or NOTHING
            if values.sum() == 0 and self.found[quantity.measure].lacking:
                return self.found[quantity.measure].lacking
            if values.sum() < least:
                named = ", ".join(filter(None, map(self._name, _cells(values[values > 0]))))
                named = "" if quantity.cells else named  # the words say which cells are meant
                there = f"{values.sum():g} ({named})" if named else f"{values.sum():g}"
                return f"{words}: {there}, {least} or more are needed"
        return ""

    # The number that it is about ---------------------------------------------------------------

    def leading(self) -> dict[str, Any]:
        """Size of what the first condition is about, with an interval of 95 % over its units.

        The first measure of the conditions of `reproduced` that has a size: the mean difference,
        or what another step has read; of a trend, its last level less its first.
        """
        for quantity in _quantities(self.claim.reproduced):
            sizes, of = self._sizes(quantity)
            if sizes.empty or sizes.isna().all():
                continue
            name = sizes.index.name
            by_unit = sizes.groupby(level=0).mean() if name else sizes
            low, high, n = np.nan, np.nan, len(by_unit) if name else 1
            if n > 1:
                low, high = _interval(by_unit.to_numpy(), self.claim)
                of += f": mean over {n} {_units(name)}"
            of += _shared(len(sizes), n)
            estimate = round(float(by_unit.mean()), EXACT) + 0.0
            return dict(zip(LEADING, (estimate, low, high, of), strict=True))
        return dict(zip(LEADING, (np.nan, np.nan, np.nan, ""), strict=True))

    def _sizes(self, quantity: Quantity) -> tuple[pd.Series, str]:
        """Sizes of a measure in the cells of a quantity, by unit where there are several."""
        measure, found = self.claim.measures[quantity.measure], self.found[quantity.measure]
        kind, nothing = kind_of(measure), pd.Series(dtype=float)
        metric = str(measure.get("where", {}).get("metric", ""))
        if kind in ("between", "ratio", "among") or metric.startswith("p_"):
            return nothing, ""
        if isinstance(measure["where"].get("metric"), list) and "metric" in measure["by"]:
            # A mean of several metrics is of nothing: the first one stands for them.
            metric = self._label(measure["where"]["metric"][0])
            chosen = (*quantity.cells, ("metric", str(measure["where"]["metric"][0])))
            quantity = Quantity(quantity.measure, quantity.attribute, chosen)
        else:
            metric = ""
        words = ", ".join(filter(None, [metric, self._about(measure)]))
        of = f"{quantity.measure} ({words})" if words else quantity.measure
        if found.pairs:
            known = self._chosen(found.values["mean"], quantity)
            return self._of_pairs(measure, {c: found.pairs[c] for c in _cells(known)}), of
        # What is not a difference of pairs, or was read, has a number per cell.
        attribute = next((a for a in found.values if a not in NO_SIZE), None)
        if attribute is None:
            return nothing, ""
        values = self._chosen(found.values[attribute], quantity).dropna()
        if "dataset" in values.index.names:
            return values.set_axis(values.index.get_level_values("dataset")), of
        return values.set_axis(range(len(values))), of

    def _of_pairs(self, measure: Mapping, pairs: Mapping[tuple, _Pair]) -> pd.Series:
        """Differences by unit: data sets, else whatever tells pairs apart, such as repeats."""
        by = measure["by"]
        lines = {}
        for cell, pair in pairs.items():
            for key, difference in zip(pair.keys, pair.difference, strict=True):
                lines[cell, key] = difference
        names = next((pair.names for pair in pairs.values()), [])
        if "along" in measure:
            levels = measure["where"][measure["along"]]
            place = by.index(measure["along"])

            def at(cell: tuple, level: Any) -> tuple:
                return (*cell[:place], level, *cell[place + 1 :])

            lines = {
                (cell, key): value - lines[at(cell, levels[0]), key]
                for (cell, key), value in lines.items()
                if cell[place] == levels[-1] and (at(cell, levels[0]), key) in lines
            }
        if "dataset" in by:
            units, name = [cell[by.index("dataset")] for cell, _ in lines], "dataset"
        elif "dataset" in names:
            units, name = [key[names.index("dataset")] for _, key in lines], "dataset"
        else:
            units, name = [str(key) for _, key in lines], ", ".join(names)
        values = pd.Series(list(lines.values()), index=pd.Index(units), dtype=float)
        return values.rename_axis(name or None)

    def _about(self, measure: Mapping) -> str:
        """What a measure selects and subtracts, in words."""
        where, minus = measure["where"], measure.get("minus", {})
        words = []
        for column, value in where.items():
            if column in minus or isinstance(value, list):
                continue
            bounded = isinstance(value, str) and BOUND.fullmatch(value)
            words.append(f"{column} {value}" if bounded else self._called(value))
        for column, value in minus.items():
            first = where.get(column, f"each {column}")
            sides = [first, "its partner" if isinstance(value, Mapping) else value]
            sides = [s if isinstance(s, list) else [s] for s in sides]
            said = [" or ".join(map(self._called, side)) for side in sides]
            words.append(" less ".join(filter(None, said)))
        if "above" in measure:
            words.append("less the best of the others")
        if "along" in measure:
            levels = where[measure["along"]]
            column = measure["along"].replace("_", " ")
            words.append(f"{column} {self._label(levels[-1])} less {self._label(levels[0])}")
        return ", ".join(filter(None, words))

    def _called(self, value: Any) -> str:
        """What a value is called; its key, where texts leave it out."""
        return self._label(value) or str(value)

    @property
    def n_datasets(self) -> int:
        """Data sets that any measure has read."""
        own = set().union(*(f.datasets for f in self.found.values()))
        return max(len(own), *(f.n_read for f in self.found.values()))

    def measured(self) -> str:
        """The text of the numbers; parts without any are left out."""
        parts = []
        for part in self.claim.measured:
            pieces = [p if isinstance(p, str) else self._said(p) for p in part]
            if all(p is not None for p in pieces):
                parts.append("".join(pieces))
        return "; ".join(parts)

    def _said(self, placeholder: Placeholder) -> str | None:
        """Text of a placeholder; None where there is nothing to say."""
        self._noted = {}
        if placeholder.kind == "which":
            return self._which(placeholder)
        if placeholder.kind == "count":
            truth = self.cells(placeholder.condition, reach=False)
            return None if truth.isna().all() else str(int((truth == 1).sum()))
        quantity = placeholder.quantities[0]
        values = pd.concat([self.value(q) for q in placeholder.quantities]).dropna()
        if values.empty:
            return None
        if placeholder.kind == "cells":
            return str(len(values))
        if placeholder.kind == "ranks":
            ordered = values.sort_values(kind="stable").items()
            return ", ".join(f"{self._label(k)} {v:.2f}" for k, v in ordered)
        style = placeholder.format or _STYLES.get(quantity.attribute, "+.2f")
        texts = [_written(v, style, quantity.attribute) for v in values]
        if placeholder.kind == "each":
            return ", ".join(texts)
        low, high = (texts[int(f(values.to_numpy()))] for f in (np.argmin, np.argmax))
        return low if low == high else f"{low} to {high}"

    def _which(self, placeholder: Placeholder) -> str | None:
        """Names of the cells in which a condition holds, each with its numbers."""
        truth = self.cells(placeholder.condition, reach=False)
        measure = placeholder.condition.comparisons[0].left[0].measure
        index = self.value(placeholder.condition.comparisons[0].left[0]).index
        names = []
        for place in np.flatnonzero((truth == 1).to_numpy()):
            cell = index[place]
            name = self._name(cell)
            if placeholder.quantities:
                numbers = [
                    self.found[measure].values[q.attribute][cell] for q in placeholder.quantities
                ]
                style = placeholder.format or "+.2f"
                name += f" {' against '.join(_written(v, style, '') for v in numbers)}"
            names.append(name)
        return ", ".join(names) or None


def _paired(names: list[str], first: dict, second: dict | None) -> _Pair:
    """Values that are known, with their partners; alone where nothing is to be subtracted."""
    others = first if second is None else second
    keys = [k for k, v in first.items() if not math.isnan(v + others.get(k, math.nan))]
    one, two = (np.array([side[k] for k in keys], dtype=float) for side in (first, others))
    return _Pair(names, keys, one, None if second is None else two)


def _described(pair: _Pair) -> dict[str, float]:
    """Numbers of one cell."""
    if not pair.keys:
        return {**dict.fromkeys(DIFFERENCES, np.nan), "n": 0}
    difference = pair.difference
    first = float(pair.first.mean())
    second = np.nan if pair.second is None else float(pair.second.mean())
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
        "n": len(pair.keys),
    }


def _bounded(where: Mapping[str, Any]) -> set[str]:
    """Columns that are held to a range, so that their values differ."""
    return {c for c, v in where.items() if isinstance(v, str) and BOUND.fullmatch(v)}


def _least_fisher(first: int, second: int, alternative: str) -> float:
    """The smallest p of Fisher's test on groups of these sizes: all of one, none of the other."""
    from scipy import stats

    tables = [[[0, first], [second, 0]], [[first, 0], [0, second]]]
    return min(float(stats.fisher_exact(t, alternative=alternative).pvalue) for t in tables)


def _counted(sure: int, open_: int, least: int) -> bool | None:
    return True if sure >= least else False if sure + open_ < least else None


def _quantities(conditions: Iterable[Condition | Several]) -> Iterable[Quantity]:
    """All that conditions ask about, in their order."""
    for condition in conditions:
        if isinstance(condition, Several):
            yield from _quantities(condition.of)
        else:
            for comparison in condition.comparisons:
                yield from comparison.left


def _cells(values: pd.Series) -> list[tuple]:
    """Cells of a series as pairs are named by."""
    return [() if values.index.names == ["all"] else tuple(cell) for cell in values.index]


def _interval(values: np.ndarray, claim: Claim) -> tuple[float, float]:
    """95 % interval of a mean, bias-corrected and accelerated; the seed is named by the claim."""
    from scipy import stats

    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    drawn = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        method="BCa",
        rng=rng(0, "claims", claim.name, None, "bootstrap"),
    )
    return tuple(round(float(end), EXACT) + 0.0 for end in drawn.confidence_interval)


def _units(name: str) -> str:
    return _COLUMN_WORDS.get(name, (name, f"values of {name.replace('_', ' ')}"))[1]


def _shared(n_sizes: int, n_units: int) -> str:
    """How many cells a mean is over, where there are more than one."""
    cells = n_sizes / n_units
    if n_units == 1:
        return "" if cells == 1 else f": mean of {n_sizes} cells"
    if cells == 1:
        return ""
    return f", each of {cells:.0f} cells" if cells == int(cells) else f", {n_sizes} values in all"


def _all(found: Iterable[bool | None]) -> bool | None:
    found = list(found)
    return False if False in found else None if None in found else True


def _sets(n: int) -> str:
    return f"{n} data set{'' if n == 1 else 's'}"


def _short(number: float) -> str:
    return f"{number:g}".removeprefix("0")


_STYLES = {"ratio": ".1f", "share": ".0%", "spearman": ".2f", "value": ".1f", "statistic": ".2f"}
_STYLES |= dict.fromkeys(("wins", "losses", "n", "differ"), "d") | {"p": "p"}


def _written(value: float, style: str, attribute: str) -> str:
    """A number as text, with a minus as wide as a plus; no sign at 0."""
    if style == "p":
        return "p < .001" if value < 0.001 else f"p = {value:.2g}"
    if style == "d":
        return f"{value:.0f}"
    text = f"{value:{style}}"
    if re.fullmatch(r"[-+]0\.?0*%?", text):
        text = text[1:]
    return re.sub(r"^-", "\u2212", text)


# ---------------------------------------------------------------------------------- judgement


def judge(
    claims: Mapping[str, Claim],
    frames: Mapping[str, pd.DataFrame],
    labels: Mapping[str, str] | None = None,
    printed: bool = False,
    source: str = SOURCE,
) -> pd.DataFrame:
    """Judge claims on frames.

    Parameters
    ----------
    claims : mapping of Claim
        Of one experiment, by id.
    frames : mapping of DataFrame
        By the names that measures read from. A frame of values has a column `value` and columns
        that tell rows apart; pairs are formed over those that a measure does not fix, such as
        `dataset`. A frame of results (`read`) has a row per cell. A frame that is not there leaves
        what reads it unknown.
    labels : mapping of str, optional
        What texts call the values of columns, such as `ss`.
    printed : bool
        Whether the frames hold what a paper prints.
    source : str
        The file of the specification, for messages.

    Returns
    -------
    DataFrame
        claim, verdict (a key of `VERDICTS`), measured (the numbers that it rests on, in words),
        lacking (what is lacking, or why it cannot be tested; empty with any other verdict) and
        n_datasets; then estimate, low and high, the size of what its first condition is about with
        an interval of 95 % over data sets (over repeats where it rests on one; NaN where it has
        less than two, or another step has worked it out), and interval_of, what that is. In the
        order of the claims.

    Raises
    ------
    ConfigError
        A specification names a column that a frame does not have, or cells do not match.
    """
    tables = _tables(frames)
    lines = []
    for claim in claims.values():
        if printed and claim.printed:
            claim = claim.printed
        if claim.not_testable:
            line = {"claim": claim.name, "verdict": NOT_TESTABLE, "measured": ""}
            line |= {"lacking": claim.not_testable, "n_datasets": 0, "interval_of": ""}
            lines.append(line)
        else:
            lines.append(_Judge(claim, tables, labels or {}, source).judged())
    numbers = dict.fromkeys(LEADING[:3], float)
    return pd.DataFrame(lines, columns=COLUMNS).astype({"n_datasets": int, **numbers})


def _tables(frames: Mapping[str, pd.DataFrame]) -> dict[str, _Table]:
    return {name: _Table(frame) for name, frame in frames.items() if frame is not None}


def verdict_of(claim: Claim, frames: Mapping[str, pd.DataFrame]) -> tuple[str, str]:
    """The verdict of one claim alone, and what is lacking: as `judge`, without its numbers."""
    return _Judge(claim, _tables(frames), {}, SOURCE).verdict()


def without(frames: Mapping[str, pd.DataFrame], dataset: str) -> dict[str, pd.DataFrame]:
    """Frames without the rows of one data set.

    A frame of results over data sets cannot be told so: it has to be made of rows again.

    Parameters
    ----------
    frames : mapping of DataFrame
        Each with a column `dataset`.
    dataset : str

    Returns
    -------
    dict of DataFrame
    """
    return {name: frame[frame["dataset"] != dataset] for name, frame in frames.items()}


def hanging(
    judged: pd.DataFrame,
    claims: Mapping[str, Claim],
    datasets: Iterable[str],
    frames_without: Callable[[str], Mapping[str, pd.DataFrame]],
    source: str = SOURCE,
) -> pd.DataFrame:
    """Each verdict again without each data set in turn.

    Parameters
    ----------
    judged : DataFrame
        As returned by `judge`.
    claims : mapping of Claim
        By id.
    datasets : iterable of str
    frames_without : callable
        Gets the name of a data set and returns what `judge` reads without it.
    source : str
        The file of the specification, for messages.

    Returns
    -------
    DataFrame
        With the columns hangs_on (data sets without which the verdict is another, each with that
        verdict: ``heart_valve: too little data; lung: partly``) and n_left_out (how many were left
        out in turn; 0 of a claim that rests on no data set).
    """
    datasets = sorted(datasets)
    verdicts = judged.set_index("claim")["verdict"]
    resting = judged.loc[judged["n_datasets"] > 0, "claim"].tolist()
    others: dict[str, list[str]] = {name: [] for name in resting}
    for dataset in datasets if resting else ():
        tables = _tables(frames_without(dataset))
        for name in resting:
            verdict, _ = _Judge(claims[name], tables, {}, source).verdict()
            if verdict != verdicts[name]:
                others[name].append(f"{dataset}: {verdict}")
    return judged.assign(
        hangs_on=["; ".join(others.get(name, ())) for name in judged["claim"]],
        n_left_out=[len(datasets) * (name in others) for name in judged["claim"]],
    )


def with_statements(
    judged: pd.DataFrame, claims: Mapping[str, Claim], stated: pd.DataFrame
) -> pd.DataFrame:
    """Verdicts beside what is claimed.

    Parameters
    ----------
    judged : DataFrame, with a column `claim`
    claims : mapping of Claim
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        With the columns statement and published_value (empty for questions of our own).
    """
    papers = stated.fillna("").set_index("claim_id")
    for name, claim in claims.items():
        if not claim.statement and name not in papers.index:
            raise ConfigError(
                f"{SOURCE}: `{name}` is no claim of data/published/claims.csv",
                remedy=guess(name, papers.index),
            )
    own = {name: claim.statement for name, claim in claims.items() if claim.statement}
    return judged.assign(
        statement=[own[c] if c in own else papers.loc[c, "statement"] for c in judged["claim"]],
        published_value=[
            "" if c in own else papers.loc[c, "published_value"] for c in judged["claim"]
        ],
    )


def judged(
    experiment: str,
    frames: Mapping[str, pd.DataFrame],
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
    datasets: Iterable[str],
    frames_without: Callable[[str], Mapping[str, pd.DataFrame]],
    labels: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The claims of an experiment, judged, with their statements and what their verdicts hang on.

    Parameters
    ----------
    experiment : str
        Its word.
    frames, labels : as in `judge`
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.
    datasets, frames_without : as in `hanging`

    Returns
    -------
    DataFrame
        As returned by `judge`, with the columns of `hanging` and `with_statements`.
    """
    bound = of_experiment(specification, experiment)
    found = hanging(judge(bound, frames, labels), bound, datasets, frames_without)
    return with_statements(found, bound, stated)


_COLUMN_WORDS = {
    "dataset": ("data set", "data sets"),
    "noise": ("noise factor", "noise factors"),
    "method": ("method", "methods"),
    "repeat": ("repeat", "repeats"),
    "forest": ("forest", "forests"),
    "seed": ("seed", "seeds"),
}


def _plural(column: str, n: int) -> str:
    return _COLUMN_WORDS.get(column, (column.replace("_", " "),) * 2)[n > 1]
