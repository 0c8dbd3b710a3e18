"""Intervals of follow-up, joined until no count in them is small."""

from __future__ import annotations

import numpy as np

from hedgerow_clinic.disclosure import small

#: Intervals until the horizon at most.
INTERVALS = 5


def kinds(time: np.ndarray, event: np.ndarray, horizon: float) -> list[np.ndarray]:
    """Who has the event by the horizon, another one, an early end, or none, (n,) bool each."""
    by = time <= horizon
    ended = (event == 0) & (time < horizon)
    return [by & (event == 1), by & (event > 1), ended, ~(by & (event != 0)) & ~ended]


def merge_intervals(
    time: np.ndarray, event: np.ndarray, horizon: float, least: int
) -> list[tuple[float, np.ndarray]]:
    """Intervals until the horizon, in which every count is 0 or at least `least` where it can be.

    Parameters
    ----------
    time, event : (n,) arrays
        0, 1, or 2 for another cause.
    horizon : float
    least : int

    Returns
    -------
    list of (float, (3,) int array)
        Ends, ascending, the last one the horizon; events, other events and early ends. What comes
        at an end is in the interval before it.
    """
    ends = horizon * np.arange(1, INTERVALS + 1) / INTERVALS
    edges = np.arange(INTERVALS + 1)
    table = np.array(
        [
            np.histogram(np.minimum(np.searchsorted(ends, time[k]), INTERVALS - 1), edges)[0]
            for k in kinds(time, event, horizon)[:3]
        ]
    )
    parts: list[tuple[float, np.ndarray]] = []
    for end, counts in zip(ends, table.T, strict=True):
        if parts and small(parts[-1][1], least).any():
            parts[-1] = (float(end), parts[-1][1] + counts)
        else:
            parts.append((float(end), counts))
    while len(parts) > 1 and small(parts[-1][1], least).any():
        end, counts = parts.pop()
        parts[-1] = (end, parts[-1][1] + counts)
    return parts
