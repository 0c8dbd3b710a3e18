"""Measures of claims: what config/claims.yaml says of each kind, and how it is measured.

A measure has cells, one for each combination of values that it lists. Each kind is a class: its
fields are what the file may say, `wanted` are the values of its cells, `measured` what is found of
them, and `unsaid` why something is lacking. They know no claim and no experiment.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hedgerow.closed import setting
from hedgerow.errors import ConfigError
from hedgerow.evaluation import significance
from hedgerow.texts import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

EXACT = 9  # decimals of a difference: equal means differ by rounding
NOTHING = "no data set of this run can speak to it"
#: Attributes of a measure, by what it is.
DIFFERENCES = ("mean", "first", "second", "ratio", "wins", "losses", "share", "differ")
DIFFERENCES += ("min", "max", "span", "n")
ALONG = ("least_step", "change", "last", "spearman")
#: Alternatives that tests know.
TESTS = {
    **dict.fromkeys(("wilcoxon", "sign", "mann_whitney", "fisher"), significance.ALTERNATIVES),
    **{"page": (), "friedman": (), "anova": ()},
}
RELATIONS: dict[str, Callable] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
OPERATOR = r"<=|>=|<|>|="
BOUND = re.compile(rf"({OPERATOR})\s*({NUMBER})")

_One = str | float | bool
_ANY = r"[\s\S]*"  # an empty text is a value of a column as well
_Where = Mapping[str, _One | tuple[_One, ...]]
_Minus = Mapping[str, _One | tuple[_One, ...] | Mapping[Any, Any]]


@dataclass(frozen=True)
class Quantity:
    """An attribute of a measure, in some of its cells: `gain.mean[method=ss]`."""

    measure: str
    attribute: str
    cells: tuple[tuple[str, str], ...] = ()


def guess(word: str, known: Iterable[str]) -> str:
    """The name that may have been meant, and all that there are."""
    known = [str(k) for k in known]
    return did_you_mean(word, known, f"known: {', '.join(known)}", always=True)


def is_bound(value: Any) -> bool:
    """Whether a value of `where` holds a column to a range, so that its values differ."""
    return isinstance(value, str) and BOUND.fullmatch(value) is not None


# ------------------------------------------------------------------------------- frames and pairs


@dataclass
class Measured:
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
    pairs : dict of Pair
        The values that were subtracted, by cell.
    n_read : int
        Data sets on which a number rests that was read.
    """

    values: dict[str, pd.Series]
    least: pd.Series | None = None
    n: pd.Series | None = None
    datasets: set = field(default_factory=set)
    lacking: str = ""
    differences: dict = field(default_factory=dict)
    pairs: dict = field(default_factory=dict)
    n_read: int = 0


class Table:
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
                mask = values.isin(wanted) if isinstance(wanted, tuple) else values == wanted
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
class Pair:
    """Values with the same key, without what is not known."""

    names: list[str]  # of the columns of keys
    keys: list[tuple]
    first: np.ndarray
    second: np.ndarray | None

    @property
    def difference(self) -> np.ndarray:
        """The first less the second, or the first alone."""
        found = self.first if self.second is None else self.first - self.second
        return np.round(found, EXACT)

    def column(self, name: str) -> list:
        """One column of the keys."""
        place = self.names.index(name)
        return [key[place] for key in self.keys]

    def distinct(self, names: Sequence[str]) -> set[tuple]:
        """Combinations of some columns of the keys."""
        return set(zip(*map(self.column, names), strict=True))

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


def _paired(names: list[str], first: dict, second: dict | None) -> Pair:
    """Values that are known, with their partners; alone where nothing is to be subtracted."""
    others = first if second is None else second
    keys = [k for k, v in first.items() if not math.isnan(v + others.get(k, math.nan))]
    one, two = (np.array([side[k] for k in keys], dtype=float) for side in (first, others))
    return Pair(names, keys, one, None if second is None else two)


def indexed(columns: Sequence[str], cells: Sequence[tuple]) -> pd.MultiIndex:
    """Cells as an index; without columns there is one cell, which still needs a level."""
    import pandas as pd

    names = list(columns) or ["all"]
    if not cells:
        return pd.MultiIndex.from_arrays([[]] * len(names), names=names)
    return pd.MultiIndex.from_tuples([c or ("",) for c in cells], names=names)


# ------------------------------------------------------------------------------- the base


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What the measures of all kinds have.

    Attributes
    ----------
    kind : str
        The key that tells it from others; `difference` has none.
    tests : tuple of str
        Tests that go with it.
    has_size : bool
        Whether its numbers are the size of something.
    test : tuple of (str, str), or None
        A test and its alternative; the file holds them as one text.
    lacking : str
        What to say where nothing is like that in the data that were run.
    """

    kind: ClassVar[str] = ""
    tests: ClassVar[tuple[str, ...]] = ()
    has_size: ClassVar[bool] = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        raise NotImplementedError

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        return []

    def values_of(self, column: str) -> tuple | None:
        """Values of a column of its cells, where it lists them."""
        return None

    def measured(self, judge: Any, name: str) -> Measured:
        """What is found of it, on the tables of a judge."""
        raise NotImplementedError

    def _tested(self, text: str | None) -> tuple[str, str] | None:
        """A test and its alternative, once both are known and go with it."""
        if text is None:
            return None
        name, _, alternative = text.partition(" ")
        if name not in TESTS:
            raise ConfigError(f"unknown test `{name}`", remedy=guess(name, TESTS))
        if name not in self.tests:
            remedy = f"tests that do: {', '.join(self.tests)}" if self.tests else "leave it out"
            raise ConfigError(f"the test `{name}` does not go with `{self.kind}`", remedy=remedy)
        known = TESTS[name]
        if (alternative or known) and alternative not in known:
            remedy = guess(alternative, known) if known else "leave it out"
            raise ConfigError(f"unknown alternative `{alternative}` of `{name}`", remedy=remedy)
        return name, alternative


@dataclass(frozen=True, kw_only=True)
class OfRows(Measure):
    """A measure of rows of a frame.

    Attributes
    ----------
    of : str
        The frame.
    where : mapping
        Column -> value, values or bound.
    by : tuple of str
        Columns that make cells.
    """

    of: str = "rows"
    where: _Where = setting({}, pattern=_ANY, fewest=0)
    by: tuple[str, ...] | None = setting(
        None, written=tuple[str, ...], fewest=0, remedy="give a list of columns"
    )
    test: tuple[str, str] | None = setting(None, written=str)
    lacking: str = ""
    #: Fields that name columns of the frame, in which what was not run is looked for as well.
    beside: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self):
        put = object.__setattr__
        put(self, "test", self._tested(self.test))
        for column, value in self.where.items():
            if isinstance(value, str) and value.startswith(("<", ">")) and not is_bound(value):
                raise ConfigError(
                    f"`where.{column}` is {value!r}, which is no bound",
                    remedy="write `< 750`, with <, <=, > or >=",
                )
        if self.by is None:
            put(self, "by", tuple(c for c in self.listed if c not in self._apart))

    @property
    def listed(self) -> tuple[str, ...]:
        """Columns of which `where` lists values."""
        return tuple(c for c, v in self.where.items() if isinstance(v, tuple))

    @property
    def _apart(self) -> tuple[str, ...]:
        """Columns that make no cells, though they are listed."""
        return ()

    def _must_list(self, column: str) -> None:
        if column not in self.listed:
            raise ConfigError(
                f"`{self.kind}` is `{column}`, which `where` does not list",
                remedy=f"list its values in `where.{column}`",
            )

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        return list(self.by)

    def values_of(self, column: str) -> tuple | None:
        """Values of a column of its cells, where it lists them."""
        value = self.where.get(column)
        return value if isinstance(value, tuple) else None

    def wanted(self, table: Table | None) -> list[Sequence]:
        """Values of each column of the cells: those that are listed, else those that are there."""
        axes: list[Sequence] = []
        for column in self.by:
            value = self.where.get(column)
            if isinstance(value, tuple):
                axes.append(value)
            elif table is None:
                axes.append([value])
            else:
                axes.append(sorted(table.selected(self.where)[column].unique()))
        return axes

    def cells(self, table: Table | None) -> list[tuple]:
        """All cells."""
        return [tuple(cell) for cell in itertools.product(*self.wanted(table))]

    def columns(self) -> list[str]:
        """Columns of the frame that it names."""
        found = [*self.where, *self.by]
        for name in self.beside:
            found += list(getattr(self, name))
        return found

    def measured(self, judge: Any, name: str) -> Measured:
        """What is found of it, on the tables of a judge."""
        table = judge.tables.get(self.of)
        if table is None:
            return self._empty(self.cells(None), self.lacking or f"no `{self.of}`")
        for column in self.columns():
            if column not in table.frame.columns:
                known = map(str, table.frame.columns)
                judge.refuse(
                    f"unknown column `{column}` of `{self.of}` in `{judge.claim.name}.{name}`",
                    guess(column, known),
                )
        if not all(self.wanted(table)):
            return self._empty([], self.unsaid(table.frame, judge) or NOTHING)
        return self.found(table, judge, name)

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """What is found of it in a frame that has its columns, and rows for its cells."""
        raise NotImplementedError

    def _empty(self, cells: Sequence[tuple], reason: str) -> Measured:
        import pandas as pd

        values, every = {}, self.cell_columns("mean")
        for attribute in self.attributes:
            columns = self.cell_columns(attribute)
            keep = [every.index(c) for c in columns]
            own = list(dict.fromkeys(tuple(cell[i] for i in keep) for cell in cells))
            values[attribute] = pd.Series(np.nan, index=indexed(columns, own))
        return Measured(values, lacking=reason)

    def missing(self, known: pd.Series, frame: pd.DataFrame, judge: Any) -> str:
        """Why cells are missing: values of columns that no row has, else the cells by name."""
        missing = known[known.isna()].index
        if not len(missing):
            return ""
        said = self.unsaid(frame, judge)
        if said:
            return said
        if len(missing) == len(known):
            return NOTHING
        return f"no value for {'; '.join(judge.name(cell) for cell in missing[:4])}" + (
            f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        )

    def unsaid(self, frame: pd.DataFrame, judge: Any) -> str:
        """Why rows are not there, as far as the frame tells: what was not run, else `lacking`.

        What `lacking` says is about data, so that it is not said where nothing was run.
        """
        if frame.empty:
            return NOTHING
        gone = []
        for column, wanted in self._values_wanted().items():
            if is_bound(self.where.get(column)) or column not in frame:
                continue
            if self.lacking and column != "method":
                continue
            there = set(frame[column])
            lost = [w for w in dict.fromkeys(wanted) if w not in there and w != ""]
            if lost:
                gone.append(f"{plural(column, len(lost))} {', '.join(map(judge.label, lost))}")
        return f"not in this run: {'; '.join(gone)}" if gone else self.lacking

    def _values_wanted(self) -> dict[str, list]:
        """All values that columns should have, by column."""
        found = {column: _as_list(value) for column, value in self.where.items()}
        for name in {"minus", "above"} & {*self.beside}:
            for column, value in getattr(self, name).items():
                inner = value.values() if isinstance(value, Mapping) else _as_list(value)
                found[column] = [*found.get(column, []), *inner]
        return found

    def about(self, judge: Any) -> list[str]:
        """What it selects and subtracts, in words."""
        minus = getattr(self, "minus", {})
        return [
            f"{column} {value}" if is_bound(value) else judge.called(value)
            for column, value in self.where.items()
            if column not in minus and not isinstance(value, tuple)
        ]


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, tuple) else [value]


# ------------------------------------------------------------------------------- of values


@dataclass(frozen=True, kw_only=True)
class Difference(OfRows):
    """Values, or their differences to other rows.

    Attributes
    ----------
    minus : mapping
        The other rows are the same but for these columns: a value, values (cells of their own) or
        a value for each.
    """

    kind: ClassVar[str] = "difference"
    tests: ClassVar[tuple[str, ...]] = ("wilcoxon", "sign")
    has_size: ClassVar[bool] = True
    beside: ClassVar[tuple[str, ...]] = ("minus",)

    minus: _Minus = setting({}, pattern=_ANY, fewest=0)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return (*DIFFERENCES, "p") if self.test else DIFFERENCES

    @property
    def _against(self) -> dict[str, tuple]:
        """Columns of `minus` that have cells of their own."""
        return {c: v for c, v in self.minus.items() if isinstance(v, tuple)}

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        return [*self.by, *(f"minus_{column}" for column in self._against)]

    def values_of(self, column: str) -> tuple | None:
        """Values of a column of its cells, where it lists them."""
        if column.startswith("minus_"):
            return self._against[column.removeprefix("minus_")]
        return super().values_of(column)

    def wanted(self, table: Table | None) -> list[Sequence]:
        """Values of each column of the cells."""
        return [*super().wanted(table), *self._against.values()]

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """Pairs, their numbers and tests, by cell."""
        import pandas as pd

        cells, where = self.cells(table), self.where
        inside = [c for c in self.listed if c not in self.by]
        whole = math.prod(len(set(where[c])) for c in inside)
        fixed = {c for c, v in where.items() if not isinstance(v, tuple) and not is_bound(v)}
        fixed |= set(self.by)
        key = [c for c in table.frame.columns if c not in {*fixed, *self.minus, "value"}]
        of_cells, pairs, datasets = [], {}, set()
        for cell in cells:
            one = {**where, **dict(zip(self.by, cell, strict=False))}
            first = _by_key(table, one, key, judge, name)
            second = None
            if self.minus:
                second = _by_key(table, self._others(one, cell), key, judge, name)
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
            of_cells.append({**pair.described(), **self._p_of(pair, n)})
        made = pd.DataFrame(of_cells, index=indexed(self.cell_columns("mean"), cells))
        values = {a: made[a].astype(float) for a in self.attributes if a in made}
        lacking = self.missing(made["mean"], table.frame, judge)
        least = made["least"].astype(float) if "least" in made else None
        differences = {cell: pair.difference for cell, pair in pairs.items()}
        return Measured(values, least, made["n"], datasets, lacking, differences, pairs)

    def _others(self, one: Mapping[str, Any], cell: tuple) -> dict[str, Any]:
        """Where the rows are that are subtracted."""
        other, own = dict(one), iter(cell[len(self.by) :])
        for column, value in self.minus.items():
            if isinstance(value, tuple):
                other[column] = next(own)
            elif isinstance(value, Mapping):
                other[column] = value.get(other[column])
            else:
                other[column] = value
        return other

    def _p_of(self, pair: Pair, n: int) -> dict[str, float]:
        """The p of its test on one cell, and the least that so many data sets can have."""
        from scipy import stats

        test, alternative = self.test or ("", "")
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

    def lines(self, pairs: Mapping[tuple, Pair]) -> dict[tuple, float]:
        """What its size is a mean of, by cell and key of the pair."""
        return {
            (cell, key): difference
            for cell, pair in pairs.items()
            for key, difference in zip(pair.keys, pair.difference, strict=True)
        }

    def about(self, judge: Any) -> list[str]:
        """What it selects and subtracts, in words."""
        words = super().about(judge)
        for column, value in self.minus.items():
            first = self.where.get(column, f"each {column}")
            sides = [first, "its partner" if isinstance(value, Mapping) else value]
            said = [" or ".join(map(judge.called, _as_list(side))) for side in sides]
            words.append(" less ".join(filter(None, said)))
        return words


def _by_key(table: Table, where: Mapping, key: list[str], judge: Any, name: str) -> dict:
    rows = table.rows(where)
    found = dict(zip(table.keys(key, rows), table.values(rows), strict=True))
    if len(found) < len(rows):
        judge.refuse(
            f"`{judge.claim.name}.{name}` has several rows "
            f"{'per ' + ', '.join(key) if key else 'in one cell'}",
            "say more in `where`, or name the column in `by`",
        )
    return found


@dataclass(frozen=True, kw_only=True)
class Along(Difference):
    """How means go along the values of a column, in their order."""

    kind: ClassVar[str] = "along"
    tests: ClassVar[tuple[str, ...]] = ("page",)

    along: str

    def __post_init__(self):
        self._must_list(self.along)
        super().__post_init__()
        if self.along not in self.by:
            raise ConfigError(
                f"`by` leaves out `{self.along}`, which `along` follows",
                remedy="name it in `by`, or leave out `by`",
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return (*DIFFERENCES, *ALONG, *(("p",) if self.test else ()))

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        columns = super().cell_columns(attribute)
        if attribute in (*ALONG, "p"):
            columns.remove(self.along)
        return columns

    @property
    def _place(self) -> int:
        return self.by.index(self.along)

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """Pairs by cell, and how their means go."""
        import pandas as pd

        result = super().found(table, judge, name)
        place, levels = self._place, self.where[self.along]
        rest = list(dict.fromkeys(c[:place] + c[place + 1 :] for c in result.pairs))
        lines = []
        for cell in rest:
            keys = [(*cell[:place], level, *cell[place:]) for level in levels]
            mean = np.array([result.values["mean"][k] for k in keys])
            of_keys = [
                dict(zip(p.keys, p.difference, strict=True)) for p in map(result.pairs.get, keys)
            ]
            common = [key for key in of_keys[0] if all(key in found for found in of_keys)]
            wide = np.array([[found[key] for found in of_keys] for key in common])
            lines.append({**self._line(levels, mean, wide), "n": len(wide)})
        made = pd.DataFrame(lines, index=indexed(self.cell_columns("last"), rest))
        result.values |= {a: made[a].astype(float) for a in (*ALONG, "p")}
        result.least, result.n = made["least"].astype(float), made["n"]
        return result

    def _line(self, levels: Sequence, mean: np.ndarray, wide: np.ndarray) -> dict[str, float]:
        """Numbers of a line of cells: their means, and differences of each data set in all."""
        from scipy import stats

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
        if whole and self.test and len(wide):
            names = tuple(map(str, levels))
            line["p"] = significance.page_trend(wide, names).p
            steps = np.tile(np.arange(float(len(levels))), (len(wide), 1))
            line["least"] = significance.page_trend(steps, names).p
        return line

    def lines(self, pairs: Mapping[tuple, Pair]) -> dict[tuple, float]:
        """The last level less the first, by cell and key of the pair."""
        found, place, levels = super().lines(pairs), self._place, self.where[self.along]

        def first(cell: tuple) -> tuple:
            return (*cell[:place], levels[0], *cell[place + 1 :])

        return {
            (cell, key): value - found[first(cell), key]
            for (cell, key), value in found.items()
            if cell[place] == levels[-1] and (first(cell), key) in found
        }

    def about(self, judge: Any) -> list[str]:
        """What it selects and subtracts, in words."""
        levels, column = self.where[self.along], self.along.replace("_", " ")
        ends = f"{column} {judge.label(levels[-1])} less {judge.label(levels[0])}"
        return [*super().about(judge), ends]


@dataclass(frozen=True, kw_only=True)
class Above(OfRows):
    """The mean of rows less the largest mean of some others."""

    kind: ClassVar[str] = "above"
    has_size: ClassVar[bool] = True
    beside: ClassVar[tuple[str, ...]] = ("above",)

    above: _Where = setting(pattern=_ANY)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return ("mean",)

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """The differences, by cell."""
        import pandas as pd

        cells = self.cells(table)
        mean = [self._above(table, dict(zip(self.by, cell, strict=True))) for cell in cells]
        mean = pd.Series(mean, index=indexed(self.cell_columns("mean"), cells), dtype=float)
        return Measured({"mean": mean}, lacking=self.missing(mean, table.frame, judge))

    def _above(self, table: Table, one: dict) -> float:
        def mean(where: dict) -> float:
            values = table.values(table.rows({**self.where, **one, **where}))
            known = values[~np.isnan(values)]
            return known.mean() if len(known) else np.nan

        axes = [_as_list(value) for value in self.above.values()]
        others = [mean(dict(zip(self.above, v, strict=True))) for v in itertools.product(*axes)]
        return round(float(mean({}) - np.max(others)), EXACT) + 0.0

    def about(self, judge: Any) -> list[str]:
        """What it selects and subtracts, in words."""
        return [*super().about(judge), "less the best of the others"]


@dataclass(frozen=True, kw_only=True)
class Among(OfRows):
    """A test of several groups at once, over data sets."""

    kind: ClassVar[str] = "among"
    tests: ClassVar[tuple[str, ...]] = ("friedman", "anova")

    among: str
    test: tuple[str, str] = setting(written=str)

    def __post_init__(self):
        self._must_list(self.among)
        super().__post_init__()

    @property
    def _apart(self) -> tuple[str, ...]:
        return (self.among,)

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return ("p", "statistic", "ranks", "n")

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """Tests by cell, and mean ranks of the groups."""
        import pandas as pd

        groups, cells = list(self.where[self.among]), self.cells(table)
        lines, datasets = [], set()
        for cell in cells:
            rows = table.selected({**self.where, **dict(zip(self.by, cell, strict=True))})
            wide = rows.pivot(index="dataset", columns=self.among, values="value")
            wide = wide.reindex(columns=groups).dropna().astype(float).sort_index()
            datasets |= set(wide.index)
            line = {"p": np.nan, "statistic": np.nan, "least": np.nan, "n": len(wide)}
            line |= dict.fromkeys(groups, np.nan)
            if len(wide):
                values, names = wide.to_numpy(), tuple(groups)
                if self.test[0] == "anova":
                    shares = significance.share_of_largest(values)
                    result = significance.repeated_measures_anova(shares, names)
                else:
                    result = significance.friedman(values, names)
                    alike = np.tile(np.arange(float(len(groups))), (len(wide), 1))
                    line["least"] = significance.friedman(alike, names).p
                line |= {"p": result.p, "statistic": result.statistic}
                line |= dict(zip(groups, significance.ranks(values, names).mean(0), strict=True))
            lines.append(line)
        made = pd.DataFrame(lines, index=indexed(self.by, cells))
        values = {a: made[a].astype(float) for a in ("p", "statistic", "n")}
        values["ranks"] = made[groups].mean()  # by group, over all cells that have them
        lacking = self.missing(made["p"], table.frame, judge)
        return Measured(values, made["least"], made["n"], datasets, lacking)


@dataclass(frozen=True, kw_only=True)
class Read(OfRows):
    """Attributes that another step has worked out, one row per cell."""

    kind: ClassVar[str] = "read"
    tests: ClassVar[tuple[str, ...]] = ("wilcoxon", "sign")
    has_size: ClassVar[bool] = True

    read: Mapping[str, str] = setting()

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return tuple(self.read)

    def columns(self) -> list[str]:
        """Columns of the frame that it names."""
        return [*super().columns(), *self.read.values()]

    def found(self, table: Table, judge: Any, name: str) -> Measured:
        """What the rows say, by cell."""
        import pandas as pd

        cells, lines = self.cells(table), []
        for cell in cells:
            rows = table.selected({**self.where, **dict(zip(self.by, cell, strict=True))})
            if len(rows) > 1:
                judge.refuse(
                    f"`{judge.claim.name}.{name}` reads {len(rows)} rows in one cell",
                    "say more in `where`, or name the column in `by`",
                )
            of_row = rows.iloc[0] if len(rows) else None
            lines.append({a: np.nan if of_row is None else of_row[c] for a, c in self.read.items()})
        made = pd.DataFrame(lines, index=indexed(self.by, cells), columns=list(self.read))
        made = made.astype(float)
        n = made["n"].fillna(0).astype(int) if "n" in made else None
        least = made.get("least")
        if least is None and n is not None and self.test:
            least = n.map(lambda k: significance.smallest_p(k, self.test[1])).where(n > 0)
        lacking = self.missing(made.iloc[:, 0], table.frame, judge)
        n_read = int(n.max()) if n is not None and len(n) else 0
        return Measured(dict(made.items()), least, n, set(), lacking, n_read=n_read)


# ------------------------------------------------------------------------------- of measures


@dataclass(frozen=True, kw_only=True)
class Between(Measure):
    """A test of two measures whose data sets are different ones."""

    kind: ClassVar[str] = "between"
    tests: ClassVar[tuple[str, ...]] = ("mann_whitney", "fisher")

    between: tuple[str, str]
    test: tuple[str, str] = setting(written=str)

    def __post_init__(self):
        object.__setattr__(self, "test", self._tested(self.test))

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return ("p",)

    def measured(self, judge: Any, name: str) -> Measured:
        """The p of its test on the differences of both."""
        import pandas as pd
        from scipy import stats

        one, two = (_all_differences(judge.found[other]) for other in self.between)
        (test, alternative), p, least = self.test, np.nan, np.nan
        if len(one) and len(two):
            if test == "mann_whitney":
                p = float(stats.mannwhitneyu(one, two, alternative=alternative).pvalue)
                least = 1.0 / math.comb(len(one) + len(two), len(one))
            else:
                counts = np.array([[(d > 0).sum(), (d <= 0).sum()] for d in (one, two)])
                p = float(stats.fisher_exact(counts, alternative=alternative).pvalue)
                least = _least_fisher(len(one), len(two), alternative)
        index = indexed([], [()])
        n = pd.Series([len(one) + len(two)], index=index)
        return Measured({"p": pd.Series([p], index=index)}, pd.Series([least], index=index), n)


def _all_differences(found: Measured) -> np.ndarray:
    differences = list(found.differences.values())
    return np.concatenate(differences) if differences else np.array([])


def _least_fisher(first: int, second: int, alternative: str) -> float:
    """The smallest p of Fisher's test on groups of these sizes: all of one, none of the other."""
    from scipy import stats

    tables = [[[0, first], [second, 0]], [[first, 0], [0, second]]]
    return min(float(stats.fisher_exact(t, alternative=alternative).pvalue) for t in tables)


@dataclass(frozen=True, kw_only=True)
class Ratio(Measure):
    """The ratio of two quantities."""

    kind: ClassVar[str] = "ratio"

    ratio: tuple[Quantity, Quantity] = setting(written=tuple[str, str])
    lacking: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return ("value",)

    def measured(self, judge: Any, name: str) -> Measured:
        """The ratio, where both are one number."""
        import pandas as pd

        one, two = (judge.value(quantity) for quantity in self.ratio)
        value = np.nan
        if len(one) == len(two) == 1 and two.iloc[0] != 0:
            value = float(one.iloc[0] / two.iloc[0])
        reasons = [judge.found[quantity.measure].lacking for quantity in self.ratio]
        lacking = self.lacking or next(filter(None, reasons), "")
        return Measured({"value": pd.Series([value], index=indexed([], [()]))}, lacking=lacking)


#: Kinds that a key tells, the first that an entry has; any other is a difference.
KINDS = (Between, Ratio, Read, Along, Among, Above)


def kind_of(entry: Mapping[str, Any]) -> type[Measure]:
    """The class of an entry of the file, by its keys."""
    return next((kind for kind in KINDS if kind.kind in entry), Difference)


#: All that entries may say.
KEYS = {f.name for kind in (*KINDS, Difference) for f in dataclasses.fields(kind)}

# ------------------------------------------------------------------------------- words

COLUMN_WORDS = {
    "dataset": ("data set", "data sets"),
    "noise": ("noise factor", "noise factors"),
    "method": ("method", "methods"),
    "repeat": ("repeat", "repeats"),
    "forest": ("forest", "forests"),
    "seed": ("seed", "seeds"),
}


def plural(column: str, n: int) -> str:
    """What values of a column are called."""
    return COLUMN_WORDS.get(column, (column.replace("_", " "),) * 2)[n > 1]
