"""Pruning confidence at which C4.5 averages a wanted number of leaves (thesis 3.3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.checks import BEYOND_USE, as_numbers, check_number
from hedgerow.errors import InputError

DEFAULT = 0.25  # confidence of C45Classifier
FINEST = 1e-12  # tolerance: halves of it are numbers of their own
BETWEEN = (0.01, 0.05, 0.1, 0.35, 0.75)  # looked at where the bisection finds no end


@dataclass(frozen=True)
class Calibration:
    """Outcome of a calibration.

    Attributes
    ----------
    target_leaves : float
        Number of leaves aimed at.
    confidence : float
        Pruning confidence c in (0, 1].
    mean_leaves : float
        Mean number of leaves at this confidence.
    reached : bool
        False where no c from `tolerance` to 1 gives the target: c = 1 leaves fewer leaves than
        the lowest target, or the smallest c still leaves more. The nearest c stands.
    """

    target_leaves: float
    confidence: float
    mean_leaves: float
    reached: bool


def calibrate_confidence(
    mean_leaves: Callable[[float], float],
    targets: Sequence[float] = (15, 10, 5),
    tolerance: float = 1e-3,
) -> Calibration:
    """Bisect the pruning confidence until C4.5 has the wanted number of leaves.

    The first target that c = 1 reaches is taken. The mean number of leaves is a step function of
    c that rises as pruning relents (nearly always: raising a sub-branch can turn a step round),
    and the bisection ends on both sides of one step, at most `tolerance` apart. The side whose
    mean is nearer to the target is taken; ties: the smaller c, hence the smaller tree.

    Where even the smallest c leaves more leaves than the target, c hardly matters and its lower
    end is arbitrary: of all c looked at, and some between, the one with the nearest mean is
    taken; ties: the one nearest to .25, the default of the learner.

    Parameters
    ----------
    mean_leaves : callable
        Mean number of leaves of trees pruned at confidence c.
    targets : sequence of float, or one, in order of preference
    tolerance : float from 1e-12, below 1
        Width of the last interval of c.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        If there is no target, or one, the tolerance or a mean number of leaves is out of range.
    """
    targets = np.atleast_1d(as_numbers("targets", targets)).tolist()
    if not targets:
        raise InputError("no target number of leaves", remedy="give at least one, such as 15")
    for number in targets:
        check_number("a target number of leaves", number, 0.0, BEYOND_USE)
    check_number("tolerance", tolerance, FINEST, 1.0)
    if tolerance == 1:
        raise InputError("tolerance is 1", remedy="give a number below 1, such as 0.001")

    def leaves_at(c: float) -> float:
        leaves = mean_leaves(c)
        check_number(f"the mean number of leaves at a confidence of {c:g}", leaves, 0.0, BEYOND_USE)
        return float(leaves)

    most = leaves_at(1.0)
    target = next((t for t in targets if most >= t), None)
    if target is None:
        return Calibration(min(targets), 1.0, most, reached=False)
    # c = 0 is no confidence; as a lower end it stands for a tree of one leaf.
    low, high, leaves_high = 0.0, 1.0, most
    leaves_low: float | None = None
    seen = {1.0: most}
    while high - low > tolerance:
        middle = (low + high) / 2
        leaves = seen[middle] = leaves_at(middle)
        if leaves >= target:
            high, leaves_high = middle, leaves
        else:
            low, leaves_low = middle, leaves
    if leaves_low is not None and abs(leaves_low - target) <= abs(leaves_high - target):
        return Calibration(target, low, leaves_low, reached=True)
    if leaves_low is not None or leaves_high == target:
        return Calibration(target, high, leaves_high, reached=True)
    for c in BETWEEN:
        if c not in seen:
            seen[c] = leaves_at(c)
    nearest = min(seen, key=lambda c: (abs(seen[c] - target), abs(c - DEFAULT)))
    return Calibration(target, nearest, seen[nearest], reached=False)
