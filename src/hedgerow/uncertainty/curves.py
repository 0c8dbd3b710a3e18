"""Gain curves: what the search sees of one variable, for figures and for the curious."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hedgerow.checks import LARGEST, check_memory, check_number, memory
from hedgerow.errors import InputError
from hedgerow.induction.core import PHASES, _smoothing, check_steps, grid_bytes
from hedgerow.tree.gates import CLIP_TOLERANCE, FINEST, STEP, WIDEST, WINDOW
from hedgerow.uncertainty._curves import candidates as compiled


@dataclass(frozen=True)
class GainCurve:
    """Candidate thresholds of one variable with their class weights and gains.

    Attributes
    ----------
    classes : (K,) array
        Sorted labels.
    threshold : (m,) float64
        Candidates, ascending, in the variable's unit.
    left : (m, K) float64
        Weight of each class left of each candidate, rho(y, tau) of the thesis.
    gain : (m,) float64
        Information gain in bits.
    """

    classes: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    gain: np.ndarray

    @property
    def increments(self) -> np.ndarray:
        """(m, K) float64: weight that each candidate adds to the left (thesis, equation 3.8).

        What lies beyond the last grid point, at most .00135 of a value, is in none of them.
        """
        return np.diff(self.left, axis=0, prepend=0.0)


def gain_curve(
    values,
    labels,
    sigma: float = 0.0,
    *,
    window: float = WINDOW,
    step: float = STEP,
    candidates: str = "values",
) -> GainCurve:
    """Information gain of every candidate threshold of one variable (thesis, eqs. 3.5 to 3.8).

    The class weights and gains are worked out by the compiled code that grows trees, for all
    candidates: growth leaves out those that a bound excludes.

    Parameters
    ----------
    values : (n,) float
        Measurements, finite.
    labels : (n,)
        Classes.
    sigma : float, 0 or larger
        Noise of soft search in the variable's unit; 0: the hard search of C4.5.
    window, step : float
        Width of the noise that is considered, up to 1e9, and step of the grid, in units of sigma.
    candidates : {"values", "midpoints"}
        Of the hard search: observed values but the lowest, or half-way between neighbours.

    Returns
    -------
    GainCurve
        Soft search: the whole grid of equation 3.7.

    Raises
    ------
    InputError
        Values that are not finite or do not fit the labels, a setting out of range, or a grid that
        needs more memory than there is.

    Examples
    --------
    >>> from hedgerow.uncertainty import gain_curve
    >>> curve = gain_curve([-2.0, -2.0, 2.0, 2.0], [0, 0, 1, 1])
    >>> curve.threshold.tolist(), curve.gain.tolist()
    ([2.0], [1.0])
    """
    check_number("sigma", sigma, 0.0, LARGEST)
    check_number("window", window, FINEST, WIDEST)
    check_number("step", step, FINEST, window)
    if candidates not in ("values", "midpoints"):
        raise InputError(f"candidates is {candidates!r}", remedy="give 'values' or 'midpoints'")
    x, codes, classes = _checked(values, labels)
    total = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    half = window / 2.0
    low, high = x[0], x[-1]
    if sigma > 0 and float(high - low) / float(sigma) > 1e7:
        raise InputError(
            f"sigma is {sigma:g} for values from {low:g} to {high:g}",
            remedy="give 0 for the hard search, or a larger sigma",
        )
    if sigma > 0:
        check_steps(window, step)
        points = window / step
        whole = (high - low) / (step * sigma) + points
        candidates = min(len(x) * (points + 4.0), whole + points + 10.0)
        needed = grid_bytes(len(classes), candidates) + 8.0 * (2 * len(classes) + 3) * whole
        needed += 8.0 * 4 * PHASES * points
        check_memory(
            f"a curve with sigma={sigma:g}, window={window:g} and step={step:g} for values from "
            f"{low:g} to {high:g}",
            needed,
            f"give a step of at least {step * needed / memory():.2g}, or 0 as sigma",
        )
    table = _smoothing(half, step) if sigma > 0 else None
    threshold, k, span, left, gain = compiled(
        x, codes, total, sigma, half, step, table, candidates == "midpoints"
    )
    if sigma == 0:
        return GainCurve(classes, threshold, left, gain)
    # Entries stand for runs of grid points. Before the first nothing lies on the left, after the
    # last everything does; neither is a split.
    n_grid = math.floor((high - low) / (step * sigma) + window / step + CLIP_TOLERANCE) + 1
    first = int(k[0]) if len(k) else n_grid
    reached = np.repeat(np.arange(len(k)), span)
    after = n_grid - first - len(reached)
    if after < 0:  # the last window ends past the grid by rounding
        reached, after = reached[:after], 0
    left = np.concatenate(
        [np.zeros((first, len(classes))), left[reached], np.tile(total, (after, 1))]
    )
    gain = np.concatenate([np.zeros(first), gain[reached], np.zeros(after)])
    grid = (low - half * sigma) + np.arange(n_grid) * (step * sigma)
    return GainCurve(classes, grid, left, gain)


def _checked(values, labels) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values ascending, their class codes, and the classes."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
        raise InputError(
            "the values of a gain curve are empty, not finite or not in one dimension",
            remedy="give one variable without missing values",
        )
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    if codes.shape != x.shape:
        raise InputError(
            f"{x.size} values and {codes.size} labels do not fit", remedy="give one label per value"
        )
    order = np.argsort(x, kind="stable")
    return x[order], np.ascontiguousarray(codes[order], dtype=np.int32), classes
