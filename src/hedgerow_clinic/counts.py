"""Counts of each group by the horizon, small ones withheld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow_clinic.disclosure import SECONDARY, SHOWN, WITHHELD, as_shown, protected, small
from hedgerow_clinic.intervals import kinds

#: Columns of `protected_counts`: by the horizon, and who is followed to it.
COLUMNS = ("events", "other", "ended", "followed", "n")


class ProtectedCounts(NamedTuple):
    """Counts by the horizon, all groups last, and what of them is not shown.

    Attributes
    ----------
    counts : (k + 1, 5) int array
        Columns as `COLUMNS`.
    mask : (k + 1, 5) int array
        As `protected` gives it.
    """

    counts: np.ndarray
    mask: np.ndarray

    def shown(self, row: int, column: str, least: int) -> int | str:
        """A count as it is shown."""
        place = COLUMNS.index(column)
        mask = int(self.mask[row, place])
        if mask != SHOWN and 0 < place < 4:  # nor how large each of the three is
            return WITHHELD
        return as_shown(int(self.counts[row, place]), mask, least)


def protected_counts(
    nodes: Sequence[int],
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    least: int,
    also: np.ndarray | None = None,
) -> ProtectedCounts:
    """Events, other events, early ends and patients followed to the horizon, by group.

    Parameters
    ----------
    nodes : sequence of int
        Leaves, in the order of the groups.
    leaf, time, event : (n,) arrays
    horizon : float
    least : int
    also : (k + 1, 5) bool array, optional
        Further counts to hide.

    Returns
    -------
    Counted
    """
    ways = kinds(time, event, horizon)
    table = np.array([[int((way & (leaf == node)).sum()) for way in ways] for node in nodes])
    table = np.column_stack([table, table.sum(axis=1)])
    table = np.vstack([table, table.sum(axis=0)])
    also = np.zeros(table.shape, dtype=bool) if also is None else also
    # Events and all others add up to the patients: who hides the one hides the other.
    rest = table[:, 4] - table[:, 0]

    def column(values: np.ndarray, more: np.ndarray) -> np.ndarray:
        return protected(values[:, None], least, rows=False, also=more[:, None])[:, 0]

    n, more = column(table[:, 4], also[:, 4]), also[:, 0] | small(rest, least)
    while True:
        events = column(table[:, 0], more)
        unknown = (events != SHOWN) | (n != SHOWN)
        others = column(rest, unknown) != SHOWN
        if not (new := others & ~unknown).any():
            break
        more = more | new
    mask = np.column_stack([events, *[np.full(len(table), SHOWN)] * 3, n])
    # The others are of three kinds, and those of a group are shown together or not at all.
    parts = table[:, 1:4]
    hidden = others | also[:, 1:4].any(axis=1) | small(parts, least).any(axis=1)
    inner = hidden[:-1]
    if inner.any() and (inner.sum() == 1 or small(parts[:-1][inner].sum(axis=0), least).any()):
        hidden[-1] = True
    mask[hidden, 1:4] = SECONDARY
    return ProtectedCounts(table, mask)
