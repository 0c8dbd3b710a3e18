"""What a cell of a table rests on: which rows of which file, and the arithmetic from them to it.

A function of a table stands beside one that yields a `Cell` for each number of it (`behind` of
`hedgerow_study.experiments.step.table`). The job of the table writes them with the rows that they
name, `reports/cells/<id>.json` (`document`), for those who look at a page. An audit asks the same
of its own package, selects the rows again and repeats the arithmetic
(`hedgerow_study.audit.provenance`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
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
NO_FORMULA = ""
#: Columns of rows that tell what a number is of, though they are numbers with a point.
KEYS = ("noise", "training_noise", "uncertainty", "share", "level")


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
        Key of `SAYS`; `NO_FORMULA` where it is more than a line of arithmetic.
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

#: What each formula says of its rows, by name; {n} is their number, {by} the columns of the cell.
#: An audit does the arithmetic (`hedgerow_study.audit.arithmetic`).
SAYS = {
    NO_FORMULA: "the function of the table works it out from these {n}",
    "value": "the value of this row",
    "same": "what these {n} have alike",
    "mean": "mean of these {n}",
    "sd": "standard deviation of these {n}",
    "standard_error": "standard error of the mean of these {n}",
    "lowest": "lowest of these {n}",
    "highest": "highest of these {n}",
    "median": "median of these {n}",
    "q1": "first quartile of these {n}",
    "q3": "third quartile of these {n}",
    "n": "number of these rows that have a value",
    "n_rows": "number of these rows",
    "n_distinct": "number of different values in these {n}",
    "percent_missing": "per cent of these {n} that are empty",
    "half_width": "half of the 95 % CI of the mean of these {n} (Student's t)",
    "share_of_ones": "share of these {n} that are 1",
    "n_below_0": "how many of these {n} are below 0",
    "n_above_0": "how many of these {n} are above 0",
    "mean_above_1": "mean of those of these {n} that are above 1",
    "mean_of_means": "mean over {by} of the means of these {n}",
    "lowest_of_means": "lowest of the means by {by} of these {n}",
    "highest_of_means": "highest of the means by {by} of these {n}",
    "n_of_means": "number of {by} with a value among these {n}",
    "mean_difference": "mean of the first less the second, {n} rows in pairs by {by}",
    "paired_mean": (
        "mean by {by}, step by step, of those of these {n} of which the second rows have a "
        "value, too"
    ),
    "paired_difference": (
        "mean of the first less the second, of {n} rows those that are in pairs by {by}"
    ),
    "n_means_above": "how many means by the first of {by} are above those of the second, in pairs",
    "n_means_below": "how many means by the first of {by} are below those of the second, in pairs",
    "mean_gain": "mean over {by} of mean of the first over mean of the second, less 1; {n} rows",
    "standardised": (
        "mean over {by} of the first, less the mean of the second and in its standard "
        "deviations; {n} rows"
    ),
    "gain": "mean of the first over mean of the second, less 1; {n} rows",
    "lowest_gain": "lowest of the first over the second, less 1; {n} rows in pairs by {by}",
    "highest_gain": "highest of the first over the second, less 1; {n} rows in pairs by {by}",
    "ratio": "the first over the second",
    "half_of_difference": "half of the first less the second",
    "wilcoxon_z": "z of Wilcoxon's test, normal approximation, {n} rows in pairs by {by}",
    "wilcoxon_p": "p of Wilcoxon's test, normal approximation, {n} rows in pairs by {by}",
    "wilcoxon_exact_p": "p of Wilcoxon's signed-rank test, {n} rows in pairs by {by}",
    "paired_t": "t of the paired t test, {n} rows in pairs by {by}",
    "paired_t_p": "p of the paired t test, {n} rows in pairs by {by}",
    "friedman": "statistic of Friedman's test of {n} rows, matched by {by}",
    "friedman_p": "p of Friedman's test of {n} rows, matched by {by}",
    "n_highest": "in how many {by} the first is not below any of the second",
    "n_lowest": "in how many {by} the first is not above any of the second",
    "n_above": "in how many {by} the first is above the second",
    "n_below": "in how many {by} the first is below the second",
    "is_above": "whether the largest of the first is above the largest of the second",
    "is_above_1000": "whether this is above 1,000",
}


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
        self._positions: dict[tuple[str, ...], dict[tuple, np.ndarray]] = {}

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
        positions = [index[key] for key in itertools.product(*axes) if key in index]
        return np.sort(np.concatenate(positions)) if positions else np.array([], dtype=int)

    def _index(self, columns: tuple[str, ...]) -> dict[tuple, np.ndarray]:
        if columns not in self._positions:
            self._check(columns)
            places: dict[tuple, list[int]] = {}
            values = [
                self.frame[c].astype(object).where(self.frame[c].notna(), None) for c in columns
            ]
            for place, key in enumerate(zip(*values, strict=True)):
                places.setdefault(key, []).append(place)
            self._positions[columns] = {k: np.array(v) for k, v in places.items()}
        return self._positions[columns]

    def rows(self, rows: Rows) -> pd.DataFrame:
        """The rows of a selection, with the column `value`."""
        self._check([rows.value])
        selected = self.frame.iloc[self.positions(rows.where)]
        return selected.assign(value=selected[rows.value])

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
    listed, written = [], []
    for cell in cells:
        numbers = []
        for rows in cell.rows:
            key = (rows.of, rows.value, repr(rows.where))
            if key not in selections:
                selections[key] = len(listed)
                listed.append((rows, sources[rows.of].positions(rows.where)))
            numbers.append(selections[key])
        place = [cell.row, cell.column, cell.formula, numbers]
        written.append([*place, list(cell.by), cell.times, cell.decimals])
    contents, numbered = {}, {}
    for name in sorted({rows.of for rows, _ in listed}):
        if sources[name].of_data_sets:
            contents[name] = {"files": sources[name].files, "columns": [], "rows": None}
            continue
        used = sorted({int(p) for rows, places in listed if rows.of == name for p in places})
        numbered[name] = {place: i for i, place in enumerate(used)}
        named = {c for rows, _ in listed if rows.of == name for c in (*rows.where, rows.value)}
        contents[name] = _listed(sources[name], used, named)
    return {
        "table": table,
        "sources": contents,
        "selections": [
            [
                rows.of,
                rows.value,
                dict(rows.where),
                [numbered[rows.of][int(p)] for p in places] if rows.of in numbered else len(places),
            ]
            for rows, places in listed
        ],
        "cells": written,
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


def shown(content: Mapping[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """What a page shows behind the cells of a table.

    Returns: `sources` and `selections` as given, the latter without `where`; `cells`: by the number
        of a row, 1 is the first: [column, what is printed, the arithmetic in words, selections].
    """
    sizes = [n if isinstance(n, int) else len(n) for *_, n in content["selections"]]
    cells: dict[str, list] = {}
    for row, column, formula, selections, by, _, _ in content["cells"]:
        printed = table[column].iloc[row]
        says = describe_formula(formula, sizes[selections[0]], by)
        shown_cell = [column, None if _nothing(printed) else str(printed), says, selections]
        cells.setdefault(str(row + 1), []).append(shown_cell)
    selections = [[of, value, listed] for of, value, _, listed in content["selections"]]
    return {"sources": content["sources"], "selections": selections, "cells": cells}


def describe_formula(formula: str, n: int, by: Sequence[str]) -> str:
    """The arithmetic of a cell in words.

    >>> describe_formula("mean", 2, ())
    'mean of these 2'
    """
    return SAYS[formula].format(n=n, by=" and ".join(by))


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
