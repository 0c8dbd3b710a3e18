"""What a cell of a table rests on: which rows of which file, and the arithmetic from them to it.

A function of a table stands beside one that yields a `Cell` for each number of it (`behind` of
`hedgerow.experiments.step.table`). The job of the table writes them with the rows that they name,
`reports/cells/<id>.json` (`document`); an audit selects the same rows from the files anew
(`Source`), does the arithmetic of `FORMULAS`, which shares nothing with the table's function, and
compares (`recomputed`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

#: Folder of the files, one per table.
FOLDER = "reports/cells"
DATA_SETS = "data/tidy/"
#: Columns that tell where a row stands: number of the file, and of the row in it.
PLACES = ["#file", "#row"]
#: A formula that no line holds: the rows are stated, and nothing is computed from them.
STATED = ""
#: Columns of rows that tell what a number is of, though they are numbers with a point.
KEYS = ("noise", "training_noise", "factor", "share", "level")


@dataclass(frozen=True)
class Rows:
    """Rows that a cell rests on.

    Attributes
    ----------
    of : str
        Input of the table's job, as its rule names it; `name/stem` for one file of several that
        are different tables.
    where : mapping
        Column to the value that it has in these rows, or to a list of values; None: it is empty.
    value : str
        Column that is read.
    """

    of: str
    where: Mapping[str, Any]
    value: str = "value"


@dataclass(frozen=True)
class Cell:
    """A number of a table.

    Attributes
    ----------
    row : int
        Of the table, 0 is the first.
    column : str
    formula : str
        Key of `FORMULAS`; `STATED` where it is more than a line of arithmetic.
    rows : tuple of Rows
        As many as the formula takes.
    times : float
        What the result of the formula is multiplied with, such as 100 for per cent.
    by : tuple of str
        Columns that the formula groups or pairs by.
    decimals : int, optional
        To which the values are rounded first, where they are compared as printed.
    """

    row: int
    column: str
    formula: str
    rows: tuple[Rows, ...]
    times: float = 1.0
    by: tuple[str, ...] = ()
    decimals: int | None = None


# ------------------------------------------------------------------------------------- formulas


@dataclass(frozen=True)
class Formula:
    """Arithmetic from rows to a cell.

    Attributes
    ----------
    says : str
        What the result is of its rows; {n} is their number, {by} the columns of the cell.
    function : callable
        Gets a frame per `Rows`, its column `value` what is read, and the columns of `by`.
    """

    says: str
    function: Callable[..., Any]


def _one(rows: pd.DataFrame, by: Sequence[str]) -> Any:
    if len(rows) != 1:
        raise DataError(
            f"{len(rows)} rows stand behind a cell that rests on one",
            remedy="say more in what stands behind the table",
        )
    return rows["value"].iloc[0]


def _paired(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    both = first.merge(second, on=list(by), suffixes=("", "_second"), validate="many_to_one")
    if len(both) != len(first):
        raise DataError(
            f"{len(first) - len(both)} of {len(first)} rows have no partner by {', '.join(by)}",
            remedy="state other rows behind the table",
        )
    return both


def _mean_difference(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> float:
    """Rows with the same `by` in pairs; the mean of the first group column's means."""
    both = _paired(first, second, by)
    both["value"] -= both["value_second"]
    return _mean_of_means(both, by)


def _mean_of_means(rows: pd.DataFrame, by: Sequence[str]) -> float:
    return rows.groupby(by[0])["value"].mean().mean()


def _shared(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Pairs of rows with the same `by`, of which both have a value."""
    own, other = (frame.dropna(subset="value") for frame in (first, second))
    return own.merge(other, on=list(by), suffixes=("", "_second"), validate="one_to_one")


def _paired_mean(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> float:
    return _mean_of_means(_shared(first, second, by), by)


def _paired_difference(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> float:
    both = _shared(first, second, by)
    return _mean_of_means(both.assign(value=both["value"] - both["value_second"]), by)


def _mean_of_means_of_means(rows: pd.DataFrame, by: Sequence[str]) -> float:
    inner = rows.groupby(list(by))["value"].mean()
    return inner.groupby(level=0).mean().mean()


def _mean_of_mean_differences(
    first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]
) -> float:
    """Differences in pairs, then means by the first two columns, by the first, and over it."""
    both = _paired(first, second, by)
    return _mean_of_means_of_means(both.assign(value=both["value"] - both["value_second"]), by[:2])


def _mean_gain(rows: pd.DataFrame, base: pd.DataFrame, by: Sequence[str]) -> float:
    one, two = (frame.groupby(by[0])["value"].mean() for frame in (rows, base))
    return (one / two - 1.0).mean()


def _standardised(rows: pd.DataFrame, baseline: pd.DataFrame, by: Sequence[str]) -> float:
    own, unit = (frame.groupby(by[0])["value"] for frame in (rows, baseline))
    return ((own.mean() - unit.mean()) / unit.std()).mean()


def _gain(rows: pd.DataFrame, base: pd.DataFrame, by: Sequence[str]) -> float:
    return rows["value"].mean() / base["value"].mean() - 1.0


def _gains(rows: pd.DataFrame, base: pd.DataFrame, by: Sequence[str]) -> pd.Series:
    both = _paired(rows, base, by)
    return both["value"] / both["value_second"] - 1.0


def _half_of_difference(high: pd.DataFrame, low: pd.DataFrame, by: Sequence[str]) -> float:
    return (_one(high, by) - _one(low, by)) / 2


def _half_width(rows: pd.DataFrame, by: Sequence[str]) -> float:
    from scipy import stats

    n = len(rows)
    if n < 2:
        return math.nan
    return stats.t.ppf(0.975, n - 1) * rows["value"].std() / math.sqrt(n)


def _in_percent_missing(rows: pd.DataFrame, by: Sequence[str]) -> float:
    return 100.0 * rows["value"].isna().mean()


def _ratio(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> float:
    return _one(first, by) / _one(second, by)


def _wilcoxon_normal(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> Any:
    from scipy import stats

    def test(one, two):
        return stats.wilcoxon(one, two, method="asymptotic", correction=False)

    return _of_pairs(test, first, second, by)


def _of_pairs(test: Callable, first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> Any:
    """A test of values in pairs; nothing is known of one pair, or of values that are all alike."""
    both = _paired(first, second, by)
    one, two = (both[c].to_numpy(dtype=float) for c in ("value", "value_second"))
    return test(one, two) if len(one) > 1 and (one != two).any() else None


def _wilcoxon_p(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> float:
    from hedgerow.evaluation import significance

    both = _paired(first, second, by)
    one, two = (both[c].to_numpy() for c in ("value", "value_second"))
    return significance.wilcoxon(one, two, ("first", "second")).p


def _paired_t(first: pd.DataFrame, second: pd.DataFrame, by: Sequence[str]) -> Any:
    from scipy import stats

    return _of_pairs(stats.ttest_rel, first, second, by)


def _part(test: Callable, name: str) -> Callable:
    """One number of a test; NaN where there was none."""
    return lambda *arguments: getattr(test(*arguments), name, math.nan)


def _summary(name: str) -> Callable:
    """A number of known values, as pandas names it."""
    return lambda rows, by: getattr(rows["value"].astype(float), name)()


def _of_means(name: str) -> Callable:
    return lambda rows, by: getattr(rows.groupby(list(by))["value"].mean(), name)()


def _quartile(share: float) -> Callable:
    return lambda rows, by: np.nanpercentile(rows["value"].to_numpy(dtype=float), share)


def _counted(ends: str, beats: Callable[[float, float], bool]) -> Callable:
    """In how many groups the only value of the first frame beats the best one of the second."""

    def count(rows: pd.DataFrame, others: pd.DataFrame, by: Sequence[str]) -> int:
        best = others.groupby(by[0])["value"].agg(ends)
        values = rows.dropna(subset="value").set_index(by[0])["value"]
        return sum(beats(value, best[key]) for key, value in values.items() if key in best.index)

    return count


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _friedman(*frames: pd.DataFrame) -> Any:
    from hedgerow.evaluation import significance

    *groups, by = frames
    values = [group.set_index(by[0])["value"].sort_index().to_numpy() for group in groups]
    return significance.friedman(np.column_stack(values), list(map(str, range(len(values)))))


#: By name; `by[0]` is the column of groups where there are some.
FORMULAS: dict[str, Formula] = {
    STATED: Formula("the function of the table works it out from these {n}", lambda *frames: None),
    "value": Formula("the value of this row", _one),
    "same": Formula("what these {n} have alike",
                    lambda r, by: _one(r.drop_duplicates("value"), by)),
    "mean": Formula("mean of these {n}", _summary("mean")),
    "sd": Formula("standard deviation of these {n}", _summary("std")),
    "standard_error": Formula("standard error of the mean of these {n}", _summary("sem")),
    "lowest": Formula("lowest of these {n}", _summary("min")),
    "highest": Formula("highest of these {n}", _summary("max")),
    "median": Formula("median of these {n}", _summary("median")),
    "q1": Formula("first quartile of these {n}", _quartile(25)),
    "q3": Formula("third quartile of these {n}", _quartile(75)),
    "sum": Formula("sum of these {n}", _summary("sum")),
    "n": Formula("number of these rows that have a value", lambda r, by: r["value"].count()),
    "n_rows": Formula("number of these rows", lambda r, by: len(r)),
    "n_distinct": Formula("number of different values in these {n}",
                          lambda r, by: r["value"].nunique()),
    "percent_missing": Formula("per cent of these {n} that are empty", _in_percent_missing),
    "half_width": Formula("half of the 95 % interval of the mean of these {n} (Student's t)",
                          _half_width),
    "share_of_ones": Formula("share of these {n} that are 1",
                             lambda r, by: (r["value"] == 1).mean()),
    "n_below_0": Formula("how many of these {n} are below 0", lambda r, by: (r["value"] < 0).sum()),
    "n_above_0": Formula("how many of these {n} are above 0", lambda r, by: (r["value"] > 0).sum()),
    "mean_above_1": Formula("mean of those of these {n} that are above 1",
                            lambda r, by: r["value"][r["value"] > 1].mean()),
    "mean_of_means": Formula("mean over {by} of the means of these {n}", _mean_of_means),
    "lowest_of_means": Formula("lowest of the means by {by} of these {n}", _of_means("min")),
    "highest_of_means": Formula("highest of the means by {by} of these {n}", _of_means("max")),
    "n_of_means": Formula("number of {by} with a value among these {n}",
                          lambda r, by: r.dropna(subset="value")[by[0]].nunique()),
    "mean_difference": Formula("mean of the first less the second, {n} rows in pairs by {by}",
                               _mean_difference),
    "paired_mean": Formula("mean by {by}, step by step, of those of these {n} of which the second "
                           "rows have a value, too", _paired_mean),
    "paired_difference": Formula("mean of the first less the second, of {n} rows those that are in "
                                 "pairs by {by}", _paired_difference),
    "mean_of_means_of_means": Formula("mean of the means by {by}, step by step, of these {n}",
                                      _mean_of_means_of_means),
    "mean_of_mean_differences": Formula("mean of the first less the second, {n} rows in pairs, by "
                                        "{by}, step by step", _mean_of_mean_differences),
    "mean_gain": Formula("mean over {by} of mean of the first over mean of the second, less 1; {n} "
                         "rows", _mean_gain),
    "standardised": Formula("mean over {by} of the first, less the mean of the second and in its "
                            "standard deviations; {n} rows", _standardised),
    "gain": Formula("mean of the first over mean of the second, less 1; {n} rows", _gain),
    "lowest_gain": Formula("lowest of the first over the second, less 1; {n} rows in pairs by {by}",
                           lambda a, b, by: _gains(a, b, by).min()),
    "highest_gain": Formula("highest of the first over the second, less 1; {n} rows in pairs by "
                            "{by}", lambda a, b, by: _gains(a, b, by).max()),
    "ratio": Formula("the first over the second", _ratio),
    "half_of_difference": Formula("half of the first less the second", _half_of_difference),
    "wilcoxon_z": Formula("z of Wilcoxon's test, normal approximation, {n} rows in pairs by {by}",
                          _part(_wilcoxon_normal, "zstatistic")),
    "wilcoxon_p": Formula("p of Wilcoxon's test, normal approximation, {n} rows in pairs by {by}",
                          _part(_wilcoxon_normal, "pvalue")),
    "wilcoxon_exact_p": Formula("p of Wilcoxon's signed-rank test, {n} rows in pairs by {by}",
                                _wilcoxon_p),
    "paired_t": Formula("t of the paired t test, {n} rows in pairs by {by}",
                        _part(_paired_t, "statistic")),
    "paired_t_p": Formula("p of the paired t test, {n} rows in pairs by {by}",
                          _part(_paired_t, "pvalue")),
    "friedman": Formula("statistic of Friedman's test of {n} rows, matched by {by}",
                        _part(_friedman, "statistic")),
    "friedman_p": Formula("p of Friedman's test of {n} rows, matched by {by}",
                          _part(_friedman, "p")),
    "n_highest": Formula("in how many {by} the first is not below any of the second",
                         _counted("max", lambda value, best: value >= best)),
    "n_lowest": Formula("in how many {by} the first is not above any of the second",
                        _counted("min", lambda value, best: value <= best)),
    "n_above": Formula("in how many {by} the first is above the second",
                       _counted("max", lambda value, best: value > best)),
    "n_below": Formula("in how many {by} the first is below the second",
                       _counted("min", lambda value, best: value < best)),
    "is_above": Formula("whether the largest of the first is above the largest of the second",
                        lambda a, b, by: _yes(a["value"].max() > b["value"].max())),
    "is_above_1000": Formula("whether this is above 1,000", lambda r, by: _yes(_one(r, by) > 1000)),
}  # fmt: skip


# ----------------------------------------------------------------------------------------- rows


class Source:
    """Rows of an input, from all its files, and where each stands.

    Parameters
    ----------
    files : sequence of str
        As the manifest names them.
    frames : sequence of DataFrame
        Their contents. Files that hold other columns than the first are read where `where` names
        their data set (`dataset`).
    """

    def __init__(self, files: Sequence[str], frames: Sequence[pd.DataFrame]):
        import pandas as pd

        self.files = list(files)
        marked = [f.assign(**{"#file": i, "#row": np.arange(len(f))}) for i, f in enumerate(frames)]
        self.frame = pd.concat(marked, ignore_index=True) if marked else pd.DataFrame()
        self._found: dict[tuple[str, ...], dict[tuple, np.ndarray]] = {}
        self._columns: dict[str, Any] = {}

    @property
    def of_data_sets(self) -> bool:
        """Whether these are the rows of data sets themselves."""
        return any(file.startswith(DATA_SETS) for file in self.files)

    def positions(self, where: Mapping[str, Any]) -> np.ndarray:
        """Rows that a selection holds, ascending."""
        if not where:
            return np.arange(len(self.frame))
        index = self._index(tuple(where))
        axes = [v if isinstance(v, (list, tuple)) else [v] for v in where.values()]
        found = [index[key] for key in itertools.product(*axes) if key in index]
        return np.sort(np.concatenate(found)) if found else np.array([], dtype=int)

    def _index(self, columns: tuple[str, ...]) -> dict[tuple, np.ndarray]:
        if columns not in self._found:
            self._check(columns)
            places: dict[tuple, list[int]] = {}
            values = [
                self.frame[c].astype(object).where(self.frame[c].notna(), None) for c in columns
            ]
            for place, key in enumerate(zip(*values, strict=True)):
                places.setdefault(key, []).append(place)
            self._found[columns] = {k: np.array(v) for k, v in places.items()}
        return self._found[columns]

    def rows(self, rows: Rows) -> pd.DataFrame:
        """The rows of a selection, with the column `value`."""
        self._check([rows.value])
        found = self.frame.iloc[self.positions(rows.where)]
        return found.assign(value=found[rows.value])

    def read(self, rows: Rows, by: Sequence[str] = ()) -> pd.DataFrame:
        """Of the rows of a selection what arithmetic needs: the columns of `by`, and `value`."""
        import pandas as pd

        self._check([rows.value])
        places = self.positions(rows.where)
        names = {**{name: name for name in by if name in self.frame}, "value": rows.value}
        return pd.DataFrame({name: self._column(of)[places] for name, of in names.items()}, places)

    def places(self, rows: Rows) -> list[list[int]]:
        """Numbers of the file and of the row in it, of each row of a selection."""
        found = self.positions(rows.where)
        return np.column_stack([self._column(name)[found] for name in PLACES]).tolist()

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = self.frame[name].array
        return self._columns[name]

    def _check(self, columns: Iterable[str]) -> None:
        missing = [column for column in columns if column not in self.frame]
        if missing:
            raise DataError(
                f"{self.files[0] if self.files else 'no file'} has no column `{missing[0]}`",
                remedy="name another one in what stands behind the table",
            )


def read_source(files: Sequence[str | Path], root: Path = Path()) -> Source:
    """An input from its files: tables, or data sets.

    Those have `dataset`, `class`, `sample` (0 where there is one) and `n_variables` beside their
    variables.
    """
    from hedgerow.files import read_csv, read_parquet

    frames = []
    for file in files:
        path = root / file
        if str(file).startswith(DATA_SETS):
            frames.append(_of_data_set(path))
        else:
            frames.append(read_csv(path) if path.suffix == ".csv" else read_parquet(path))
    return Source([str(file) for file in files], frames)


def _of_data_set(path: Path) -> pd.DataFrame:
    from hedgerow.data import read_tidy

    table = read_tidy(path)
    names = np.array(table.classes, dtype=object)
    return table.X.assign(
        **{"dataset": table.name, "class": names[table.y] if len(names) else table.y},
        sample=0 if table.sample is None else table.sample,
        n_variables=table.X.shape[1],
    )


# ------------------------------------------------------------------------------------ the file


def document(table: str, cells: Iterable[Cell], sources: Mapping[str, Source]) -> dict[str, Any]:
    """What the job of a table writes: its cells, and all rows that they name, each once.

    Returns: `sources`: of each input its files, its columns, and rows as [file, row, value, ...],
        which are None for data sets; `selections`: [input, column that is read, where, numbers of
        rows in `sources`], for data sets how many there are; `cells`: [row, column, formula,
        numbers of selections, by, times, decimals].
    """
    selections: dict[tuple, int] = {}
    listed, found = [], []
    for cell in cells:
        numbers = []
        for rows in cell.rows:
            key = (rows.of, rows.value, repr(rows.where))
            if key not in selections:
                selections[key] = len(listed)
                listed.append((rows, sources[rows.of].positions(rows.where)))
            numbers.append(selections[key])
        place = [cell.row, cell.column, cell.formula, numbers]
        found.append([*place, list(cell.by), cell.times, cell.decimals])
    told, numbered = {}, {}
    for name in sorted({rows.of for rows, _ in listed}):
        if sources[name].of_data_sets:
            told[name] = {"files": sources[name].files, "columns": [], "rows": None}
            continue
        used = sorted({int(p) for rows, places in listed if rows.of == name for p in places})
        numbered[name] = {place: i for i, place in enumerate(used)}
        named = {c for rows, _ in listed if rows.of == name for c in (*rows.where, rows.value)}
        told[name] = _listed(sources[name], used, named)
    return {
        "table": table,
        "sources": told,
        "selections": [
            [
                rows.of,
                rows.value,
                dict(rows.where),
                [numbered[rows.of][int(p)] for p in places] if rows.of in numbered else len(places),
            ]
            for rows, places in listed
        ],
        "cells": found,
    }


def _listed(source: Source, used: list[int], named: set[str]) -> dict[str, Any]:
    frame = source.frame.iloc[used]
    columns = [
        c
        for c in frame.columns
        if not c.startswith("#")
        and (c in named or c in KEYS or (frame[c].dtype.kind != "f" and len(frame.columns) < 20))
    ]
    values = [frame[c].astype(object).where(frame[c].notna(), None).tolist() for c in columns]
    places = (frame["#file"].tolist(), frame["#row"].tolist())
    return {
        "files": source.files,
        "columns": columns,
        "rows": [list(map(_plain, row)) for row in zip(*places, *values, strict=True)],
    }


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def shown(told: Mapping[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """What a page shows behind the cells of a table.

    Returns: `sources` and `selections` as given, the latter without `where`; `cells`: by the number
        of a row, 1 is the first: [column, what is printed, the arithmetic in words, selections].
    """
    sizes = [n if isinstance(n, int) else len(n) for *_, n in told["selections"]]
    cells: dict[str, list] = {}
    for row, column, formula, selections, by, _, _ in told["cells"]:
        printed = table[column].iloc[row]
        says = said(formula, sizes[selections[0]], by)
        told_of = [column, None if _nothing(printed) else str(printed), says, selections]
        cells.setdefault(str(row + 1), []).append(told_of)
    selections = [[of, value, listed] for of, value, _, listed in told["selections"]]
    return {"sources": told["sources"], "selections": selections, "cells": cells}


def said(formula: str, n: int, by: Sequence[str]) -> str:
    """The arithmetic of a cell in words.

    >>> said("mean", 2, ())
    'mean of these 2'
    """
    return FORMULAS[formula].says.format(n=n, by=" and ".join(by))


# ----------------------------------------------------------------------------------- once more


def recomputed(
    formula: str,
    frames: Sequence[pd.DataFrame],
    by: Sequence[str] = (),
    times: float = 1.0,
    decimals: int | None = None,
) -> Any:
    """A cell from the rows that it rests on, one frame per selection; NaN where they are none."""
    if not all(len(frame) for frame in frames):
        return math.nan
    if decimals is not None:
        frames = [frame.assign(value=frame["value"].round(decimals)) for frame in frames]
    found = FORMULAS[formula].function(*frames, by)
    if isinstance(found, (str, bool, np.bool_)) or found is None or times == 1:
        return found
    return float(found) * times


def agrees(printed: Any, again: Any, digits: int = 6) -> bool:
    """Whether a cell is what its rows give, up to the decimals that a table is rounded to.

    A text that is a number is rounded to the decimals that it shows.

    >>> agrees(72.282609, 72.28260869565217), agrees("yes", "yes"), agrees(None, float("nan"))
    (True, True, True)
    >>> agrees("0.07", 1 / 15), agrees("0.07", 0.08)
    (True, False)
    """
    if _nothing(printed) or _nothing(again):
        return _nothing(printed) and _nothing(again)
    try:
        one, two = float(printed), float(again)
    except (TypeError, ValueError):
        return str(printed) == str(again)
    if one == two:
        return True
    if isinstance(printed, str):
        digits = len(printed.partition(".")[2])
    return abs(one - two) <= 0.51 * 10.0**-digits + 1e-12 * abs(two)


def _nothing(value: Any) -> bool:
    import pandas as pd

    return value is None or pd.isna(value) or value == ""
