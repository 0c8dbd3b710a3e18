"""The rows behind a cell of a table, selected anew from the files, and its arithmetic done anew.

What a table's job says of its cells (`hedgerow.reporting.cells`) is taken at its word for one
thing only, which rows are meant. They are looked up in the files of the run, and the cell is
computed from them without the table's function.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.audit.cells import TABLES, Row
from hedgerow.errors import DataError
from hedgerow.files import MAKE_AGAIN, read_csv, read_json
from hedgerow.reporting.cells import (
    FOLDER,
    FORMULAS,
    STATED,
    Rows,
    Source,
    agrees,
    read_source,
    recomputed,
    said,
)
from hedgerow.workflow.recorded import check_paths

if TYPE_CHECKING:
    import pandas as pd


#: Combinations of values that a selection may name.
MOST = 10**6


@dataclass(frozen=True)
class Selected:
    """Rows that a cell rests on.

    Attributes
    ----------
    rows : Rows
        What tells them apart.
    source : Source
        What holds them.
    as_listed : bool
        Whether the job of the table meant the same rows.
    """

    rows: Rows
    source: Source
    as_listed: bool

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
    says : str
        The arithmetic in words.
    printed : object
        What stands in the table; None for an empty cell.
    again : object
        What the rows give.
    selected : list of Selected
    computed : bool
        Whether it is computed from them; else they are stated only.
    """

    row: int
    column: str
    says: str
    printed: Any
    again: Any
    selected: list[Selected]
    computed: bool = True

    @property
    def holds(self) -> bool:
        """Whether the cell is what its rows give, and these are the ones that were meant."""
        agree = not self.computed or agrees(self.printed, self.again)
        return agree and all(s.as_listed for s in self.selected)


class Behind:
    """What all cells of a table rest on.

    Parameters
    ----------
    root : path
        Folder of the project.
    table : str
        Id.

    Raises
    ------
    DataError
        If the run has written nothing of it, or the file is damaged.
    """

    def __init__(self, root: Path, table: str):
        self.root, self.table = root, table
        self.path = f"{FOLDER}/{table}.json"
        if not (root / self.path).is_file():
            raise DataError(
                f"{self.path}, which says what {table} rests on, is missing", remedy=MAKE_AGAIN
            )
        told = read_json(root / self.path)
        self._printed = read_csv(root / TABLES / f"{table}.csv")
        try:
            self._sources = told["sources"]
            for source in self._sources.values():
                check_paths(source["files"])
            self._selections = [
                (Rows(of, where, value), listed) for of, value, where, listed in told["selections"]
            ]
            self._cells = [tuple(cell) for cell in told["cells"]]
            found = {formula for _, _, formula, *_ in self._cells} - set(FORMULAS)
            fine = all(map(self._is_selection, self._selections))
            fine = fine and all(map(self._is_cell, self._cells))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(f"{self.path}: damaged", remedy=MAKE_AGAIN) from None
        if found:
            raise DataError(f"{self.path}: unknown formula `{min(found)}`", remedy=MAKE_AGAIN)
        if not fine:
            raise DataError(f"{self.path}: damaged", remedy=MAKE_AGAIN)
        self._read: dict[str, Source] = {}
        self._selected: dict[int, Selected] = {}

    def parts(self, row: int | None = None) -> Iterator[Part]:
        """Cells of a row of the table, 0 is the first; of all rows without a number."""
        for number, column, formula, selections, by, times, decimals in self._cells:
            if row is not None and number != row:
                continue
            selected = [self._of(s) for s in selections]
            frames = [s.source.read(s.rows, by) for s in selected]
            try:
                again = recomputed(formula, frames, by, times, decimals)
                says = said(formula, len(frames[0]), by)
            except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
                raise DataError(
                    f"{self.path}: `{column}` of row {number + 1} is no `{formula}` of its rows",
                    remedy=MAKE_AGAIN,
                ) from None
            printed = self._printed[column].iloc[number]
            printed = None if printed != printed else printed
            yield Part(number, column, says, printed, again, selected, formula != STATED)

    def _is_selection(self, selection: tuple[Rows, Any]) -> bool:
        """Whether a selection is what is read of one."""
        rows, listed = selection
        n = len(self._sources[rows.of]["rows"] or ())  # of data sets there are counts only
        fine = isinstance(rows.value, str) and isinstance(rows.where, dict)
        if fine and isinstance(listed, list):
            fine = all(isinstance(i, int) and 0 <= i < n for i in listed)
        axes = [v for v in rows.where.values() if isinstance(v, list)]
        # Each value of one with each of the others is looked up.
        return fine and isinstance(listed, int | list) and math.prod(map(len, axes)) <= MOST

    def _is_cell(self, cell: tuple) -> bool:
        """Whether a cell is one of the table, from selections that are there."""
        number, column, _, selections, by, times, decimals = cell
        there = range(len(self._selections))
        return (
            isinstance(number, int)
            and 0 <= number < len(self._printed)
            and column in self._printed
            and len(selections) > 0
            and all(isinstance(s, int) and s in there for s in selections)
            and all(isinstance(name, str) for name in by)
            and isinstance(times, int | float)
            and isinstance(decimals, int | None)
        )

    def _of(self, number: int) -> Selected:
        if number not in self._selected:
            rows, listed = self._selections[number]
            source = self._source(rows.of)
            self._selected[number] = Selected(rows, source, self._as_listed(rows, source, listed))
        return self._selected[number]

    def _as_listed(self, rows: Rows, source: Source, listed: Sequence[int] | int) -> bool:
        places = source.places(rows)
        if isinstance(listed, int):
            return listed == len(places)
        return places == [self._sources[rows.of]["rows"][i][:2] for i in listed]

    def _source(self, name: str) -> Source:
        if name not in self._read:
            self._read[name] = read_source(self._sources[name]["files"], self.root)
        return self._read[name]


def behind(root: Path, row: Row) -> list[Part]:
    """The cells of a row, each from the rows that it rests on."""
    return list(Behind(root, row.table).parts(row.number - 1))


def tables(root: Path) -> list[str]:
    """Tables of a run that say what their cells rest on."""
    return sorted(file.stem for file in (root / FOLDER).glob("*.json"))
