"""The rows behind each cell of a table, and the cell computed from them a second time.

Which rows, which formula, which factor and how many decimals: that says the package of one's own
checkout, beside the function of the table (`row_provenance` of `experiments.step.table`),
for the settings that the manifest has. Of the folder of a run come the printed table and the rows.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError
from hedgerow.files import MAKE_AGAIN, read_csv
from hedgerow_study.audit.arithmetic import evaluate, is_observed
from hedgerow_study.audit.row_names import TABLES, Row
from hedgerow_study.audit.run import Run
from hedgerow_study.experiments import module_of
from hedgerow_study.reporting.cells import NO_FORMULA, Cell, Rows, Source, agrees, describe_formula
from hedgerow_study.workflow.jobs.steps import Arguments

if TYPE_CHECKING:
    import pandas as pd

#: Formulas that take a number over as it is.
COPIES = ("value", "same")
RECOMPUTED_TEXT = "the function of the table gives this"


class Input:
    """Rows of an input: all its files, looked up by the values of columns."""

    def __init__(self, source: Source):
        self.source = source
        self._columns: dict[str, list] = {}
        self._places: dict[tuple, dict[tuple, list[int]]] = {}

    def rows(self, rows: Rows, by: Sequence[str]) -> list[dict[str, Any]]:
        """The rows of a selection: their `value` and the columns of `by`."""
        named = {**{name: name for name in by if name in self.source.frame}, "value": rows.value}
        columns = {name: self._column(of) for name, of in named.items()}
        return [{name: columns[name][i] for name in named} for i in self._selected(rows.where)]

    def _selected(self, where: Mapping[str, Any]) -> list[int]:
        if not where:
            return list(range(len(self.source.frame)))
        names = tuple(where)
        if names not in self._places:
            index = defaultdict(list)
            for place, key in enumerate(zip(*map(self._column, names), strict=True)):
                index[key].append(place)
            self._places[names] = index
        axes = [v if isinstance(v, (list, tuple)) else [v] for v in where.values()]
        places = self._places[names]
        return sorted(i for key in itertools.product(*axes) for i in places.get(key, ()))

    def _column(self, name: str) -> list:
        if name not in self._columns:
            if name not in self.source.frame:
                raise DataError(
                    f"{', '.join(self.source.files[:1])} has no column `{name}`", remedy=MAKE_AGAIN
                )
            self._columns[name] = _objects(self.source.frame[name])
        return self._columns[name]


def _objects(column: pd.Series) -> list:
    """Values as Python has them, None where there is none."""
    column = column.astype(object)
    return column.where(column.notna(), None).tolist()


@dataclass(frozen=True)
class Selection:
    """Rows that a cell rests on.

    Attributes
    ----------
    rows : Rows
        What tells them apart.
    source : Source
        What holds them.
    """

    rows: Rows
    source: Source

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows, `value` what is read."""
        return self.source.rows(self.rows)

    @property
    def files(self) -> list[str]:
        """That hold at least one of them, relative to the project."""
        return [self.source.files[i] for i in dict.fromkeys(self.frame["#file"])]

    @property
    def all(self) -> pd.DataFrame:
        """All rows of these and the other files of the input."""
        return self.source.frame


@dataclass(frozen=True)
class Part:
    """A cell of a row, from the rows that it rests on.

    Attributes
    ----------
    row : int
        Of the table, 0 is the first.
    column : str
    formula_text : str
        The arithmetic in words.
    printed : object
        What stands in the table; None for an empty cell.
    recomputed : object
        What the rows give.
    selected : list of Selected
    kind : str
        `computed`; `copied`, where it is a number of one row; `stated`, where rows are named and no
        formula; `own`, a number that the table's own function gives once more, and `text` so.
    """

    row: int
    column: str
    formula_text: str
    printed: Any
    recomputed: Any
    selected: list[Selection]
    kind: str = "computed"

    @property
    def holds(self) -> bool:
        """Whether the cell is what its rows give."""
        return self.kind == "stated" or agrees(self.printed, self.recomputed)


class Provenance:
    """What the cells of the tables of a run rest on.

    Parameters
    ----------
    run : Run
    """

    def __init__(self, run: Run):
        self._run = run
        self._jobs = {
            Path(path).stem: id
            for id, job in run.jobs.items()
            for path in job["outputs"]
            if Path(path).parent == TABLES and path.endswith(".csv")
        }
        self._inputs: dict[int, Input] = {}
        self._last: tuple[str, Any] = ("", None)

    @property
    def tables(self) -> list[str]:
        """Tables of the run, sorted."""
        folder = self._run.root / TABLES
        return sorted(name for name in self._jobs if (folder / f"{name}.csv").is_file())

    def parts(self, table: str, row: int | None = None) -> list[Part]:
        """Cells of a row of a table, 0 is the first; of all rows without a number."""
        with self._run.in_run_folder():
            cells, printed, _ = self._recomputed(table)
            arguments = self._of(table)
            return [
                self._part(table, cell, printed, [self._input(arguments, r.of) for r in cell.rows])
                for cell in cells
                if row is None or cell.row == row
            ]

    def rest(self, table: str) -> list[Part]:
        """All else that a table prints, beside what its own function gives of the same rows."""
        with self._run.in_run_folder():
            cells, printed, rerun = self._recomputed(table)
        traced, parts = (
            {(cell.row, cell.column) for cell in cells if cell.formula != NO_FORMULA},
            [],
        )
        for name in printed:
            kind = "own" if rerun[name].dtype.kind in "iuf" else "text"
            pairs = zip(*(_objects(frame[name]) for frame in (printed, rerun)), strict=True)
            for row, (value, again) in enumerate(pairs):
                if (row, name) not in traced and not value is again is None:
                    parts.append(Part(row, name, RECOMPUTED_TEXT, value, again, [], kind))
        return parts

    def _recomputed(self, table: str) -> tuple[list[Cell], pd.DataFrame, pd.DataFrame]:
        """What stands beside the function of a table, the printed one, and what it gives."""
        if self._last[0] != table:
            arguments, asks = self._of(table), self._run.jobs[self._jobs[table]]["asks"]
            module, _, name = asks["params"]["call"].partition(":")
            function = getattr(import_module(module_of(module)), name or table)
            rerun, printed = function(**arguments.of(function)), read_csv(TABLES / f"{table}.csv")
            if name:  # a step that makes several tables and records no cells
                rerun = rerun[
                    next(k for k, path in asks["output"].items() if Path(path).stem == table)
                ]
            shapes = [f"{len(one)} rows of {len(one.columns)} columns" for one in (printed, rerun)]
            if list(printed) != list(rerun) or len(printed) != len(rerun):
                raise DataError(
                    f"{TABLES / table}.csv has {shapes[0]}, and its rows give {shapes[1]}",
                    remedy="`hedgerow verify` says which files are not those of the run",
                )
            cells = [] if name else arguments.cells(function, rerun)
            self._last = table, (cells, printed, rerun)
        return self._last[1]

    def _of(self, table: str) -> Arguments:
        """What the job of a table reads."""
        if table not in self._jobs:
            raise DataError(f"nothing says what {table} rests on", remedy=MAKE_AGAIN)
        return self._run.arguments(self._jobs[table])

    def _input(self, arguments: Arguments, name: str) -> Input:
        source = arguments.source(name)
        return self._inputs.setdefault(id(source), Input(source))

    def _part(self, table: str, cell: Cell, printed: pd.DataFrame, inputs: Sequence[Input]) -> Part:
        is_of_table = cell.formula == NO_FORMULA
        try:
            groups = [i.rows(rows, cell.by) for i, rows in zip(inputs, cell.rows, strict=True)]
            again = None
            if not is_of_table:
                again = evaluate(cell.formula, groups, cell.by, cell.times, cell.decimals)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise DataError(
                f"{table}: `{cell.column}` of row {cell.row + 1} is no `{cell.formula}` of its "
                f"rows ({error})",
                remedy=MAKE_AGAIN,
            ) from None
        value = printed[cell.column].iloc[cell.row]
        selected = [Selection(rows, i.source) for i, rows in zip(inputs, cell.rows, strict=True)]
        return Part(
            cell.row,
            cell.column,
            describe_formula(cell.formula, len(groups[0]), cell.by),
            value if is_observed(value) else None,
            again,
            selected,
            "stated" if is_of_table else "copied" if cell.formula in COPIES else "computed",
        )


def row_provenance(root: Path, row: Row, manifest: Mapping[str, Any] | None = None) -> list[Part]:
    """The cells of a row, each from the rows that it rests on."""
    return Provenance(Run(root, manifest=manifest)).parts(row.table, row.number - 1)
