"""Contours of values with errors; checks of masses beside plausibilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import as_table, check_unit
from hedgerow.errors import InputError

if TYPE_CHECKING:
    from hedgerow.tree.gates import NoiseGate


def all_rectangles(gate: NoiseGate | None) -> bool:
    """Whether each error lies anywhere between two ends, all places alike: only such have a contour
    without an assumption."""
    return gate is None or all(
        j in gate.models and getattr(getattr(gate.models[j], "dist", None), "name", "") == "uniform"
        for j in np.flatnonzero(np.asarray(gate.sigma) > 0)
    )


def bounds_of(table: np.ndarray, gate: NoiseGate | None) -> tuple[np.ndarray, np.ndarray]:
    """Between which ends each true value lies, (n, m) float64 both; gate: of rectangles."""
    low, high = table.copy(), table.copy()
    for j, model in ({} if gate is None else gate.models).items():
        least, most = model.support()
        low[:, j] += least
        high[:, j] += most
    return low, high


def check_alone(alone, plausibility: np.ndarray) -> np.ndarray:
    """Masses of each class alone, (n, k) float64, beside what they are plausible."""
    alone = check_unit("alone", as_table("alone", alone, plausibility.shape, "table of numbers"))
    wrong = (alone > plausibility + 1e-9) | (alone.sum(axis=1, keepdims=True) > 1.0 + 1e-9)
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise InputError(
            f"the masses of classes alone are {alone[row].tolist()} in row {row}, and their "
            f"plausibilities {plausibility[row].tolist()}",
            remedy="give masses that are no larger, and at most 1 together",
        )
    return alone
