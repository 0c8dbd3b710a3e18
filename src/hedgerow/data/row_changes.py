"""What differs between two versions of a table: rows added, removed, changed, and their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CellChange", "RowChanges", "row_changes"]

#: Rows on each side up to which the most similar ones are looked for; above it, the order decides.
MOST_COMPARED = 300


@dataclass(frozen=True)
class CellChange:
    """One cell that differs.

    Attributes
    ----------
    row : int
        Number of the row in the later version, from 1; a header does not count.
    column : str
    before, after : str or None
        None is a missing value.
    """

    row: int
    column: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = ("missing" if v is None else v for v in (self.before, self.after))
        return f"row {self.row}, {self.column}: {before} -> {after}"


@dataclass(frozen=True)
class RowChanges:
    """Differences of two versions of a table.

    Attributes
    ----------
    n_before, n_after : int
        Rows of the two versions.
    added, removed, changed : int
        Rows. A changed row is one that has a counterpart with which it shares at least half of
        its cells. Rows in another order are no change.
    cells : tuple of CellChange
        Every changed cell, in the order of the later version.
    """

    n_before: int
    n_after: int
    added: int
    removed: int
    changed: int
    cells: tuple[CellChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def counts(self) -> str:
        """The numbers of rows: "1 of 306 rows changed, 2 added"."""
        parts = [(self.changed, "changed"), (self.added, "added"), (self.removed, "removed")]
        counts = [f"{n} {what}" for n, what in parts if n]
        if not counts:
            return f"no row of {self.n_before} differs"
        first, _, what = counts[0].partition(" ")
        return ", ".join([f"{first} of {self.n_before} rows {what}", *counts[1:]])

    def sentence(self) -> str:
        """The numbers of rows and the first changed cell."""
        return f"{self.counts()} ({self.cells[0]})" if self.cells else self.counts()


def row_changes(before: pd.DataFrame, after: pd.DataFrame) -> RowChanges:
    """Compare two versions of a table."""
    columns = list(map(str, after.columns))
    old, new = (list(map(tuple, f.to_numpy(dtype=object))) for f in (before, after))
    left, right = _apart(old, new), _apart(new, old)
    pairs = _pairs(left, right, old, new, len(columns))
    cells = [
        CellChange(j + 1, name, was, now)
        for i, j in sorted(pairs, key=lambda pair: pair[1])
        for name, was, now in zip(columns, old[i], new[j], strict=True)
        if was != now
    ]
    n = len(pairs)
    return RowChanges(len(old), len(new), len(right) - n, len(left) - n, n, tuple(cells))


def _apart(rows: Sequence[tuple], others: Sequence[tuple]) -> list[int]:
    """Numbers of the rows that the other table does not have; of equal ones the later."""
    left = Counter(others)
    numbers = []
    for number, row in enumerate(rows):
        if left[row]:
            left[row] -= 1
        else:
            numbers.append(number)
    return numbers


def _pairs(
    left: list[int], right: list[int], old: list[tuple], new: list[tuple], n_columns: int
) -> list[tuple[int, int]]:
    """Rows that are versions of each other: by their number, then by the most equal cells."""

    def equal(i: int, j: int) -> int:
        return sum(a == b for a, b in zip(old[i], new[j], strict=True))

    enough = n_columns / 2
    # A row that was added or removed above shifts the numbers of all below.
    pairs = [(i, i) for i in sorted(set(left) & set(right)) if equal(i, i) >= enough]
    paired = {i for i, _ in pairs}
    left = [i for i in left if i not in paired]
    right = [j for j in right if j not in paired]
    if max(len(left), len(right)) > MOST_COMPARED:
        close = [(i, j) for i, j in zip(left, right, strict=False) if equal(i, j) >= enough]
        return pairs + close
    ranked = sorted(
        (-equal(i, j), abs(i - j), i, j) for i in left for j in right if equal(i, j) >= enough
    )
    used: tuple[set[int], set[int]] = (set(), set())
    for _, _, i, j in ranked:
        if i not in used[0] and j not in used[1]:
            pairs.append((i, j))
            used[0].add(i)
            used[1].add(j)
    return pairs
