"""Counts so small that they could point to a person are not shown, nor what gives them away."""

from __future__ import annotations

import numpy as np

#: Counts from 1 to below it are not shown.
MIN_CELL_COUNT = 5
WITHHELD = "withheld"
SHOWN, PRIMARY, SECONDARY = 0, 1, 2


def small(counts, least: int) -> np.ndarray:
    """Which counts are from 1 to below `least`."""
    counts = np.asarray(counts)
    return (counts > 0) & (counts < least)


def protected(
    counts, least: int, *, rows: bool = True, columns: bool = True, also=None
) -> np.ndarray:
    """What of a table of counts is not shown.

    >>> protected([[3, 20, 23], [30, 40, 70], [33, 60, 93]], 5).tolist()
    [[1, 2, 0], [2, 2, 0], [0, 0, 0]]
    """
    # Small counts are hidden. Where a line adds up, what is hidden alone in it follows from the
    # rest: then its smallest other count is hidden too, so that among what is hidden there is one
    # that is not small (its size is unknown, and with it that of the others). counts: totals among
    # them: the last row, the last column, or both. least: 0: everything is shown. rows, columns:
    # whether the last column is the sum of each row; the last row that of each column. also:
    # further counts to hide, such as those whose complement is small. Gives `SHOWN`, `PRIMARY`, or
    # `SECONDARY`: it would give a small one away.
    counts = np.asarray(counts, dtype=np.int64)
    mask = np.where(small(counts, least), PRIMARY, SHOWN)
    if least < 2:
        return np.zeros_like(mask)
    if also is not None:
        mask[np.asarray(also)] = PRIMARY
    lines = []
    if rows:
        lines += [
            (np.full(counts.shape[1], i), np.arange(counts.shape[1])) for i in range(len(counts))
        ]
    if columns:
        lines += [(np.arange(len(counts)), np.full(len(counts), j)) for j in range(counts.shape[1])]
    changed = True
    while changed:
        changed = False
        for line in lines:
            values, hidden = counts[line], mask[line] != SHOWN
            if not hidden.any() or (hidden.sum() > 1 and (values[hidden] >= least).any()):
                continue
            free = np.flatnonzero(~hidden & (values >= least))
            if len(free):
                # The total last: others rest on it.
                best = min(free, key=lambda k: (k == len(values) - 1, values[k], k))
                mask[line[0][best], line[1][best]] = SECONDARY
                changed = True
    return mask


def as_shown(count: int, hidden: int, least: int) -> int | str:
    """A count as it is shown: itself, `<5`, or that it is withheld."""
    if hidden == SHOWN:
        return int(count)
    return f"<{least}" if 0 < count < least else WITHHELD
