"""Where a true value lies when it was measured, and where another measurement will.

A gate knows the error of a variable by its distribution function alone, the probability that the
true value is below a threshold. From that follow here, for one value: the law of the true value;
that of another measurement of it, as far from the true value as the first one is; and what such a
measurement would tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from hedgerow.induction.measurement import WIDE
from hedgerow.tree.gates import WIDEST, NoiseGate

N_QUANTILES = 2000  # of an error that is neither normal nor a rectangle
TAIL = 1e-7  # probability beyond the quantiles that are looked at
STEPS = 90  # of a search for a quantile: halves of its bracket
N_TRUE, N_AGAIN = 400, 600  # stretches of true values and of new measurements
FAR = 8.5  # standard deviations of a new measurement that are looked at

Below = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Law:
    """The distribution of one value.

    Attributes
    ----------
    below : callable
        Probability that it is below each of some numbers, (k,) -> (k,).
    at : float
        The value as it was measured.
    sd : float
        Scale of the error, in the variable's unit.
    normal : bool
        Whether the error is normal, of mean 0, and nowhere cut.
    known : (k,) float64 or None
        Quantiles at equal steps of the probability from 0 to 1, where they are worked out.
    """

    below: Below
    at: float
    sd: float
    normal: bool = False
    known: np.ndarray | None = None

    def of_error(self, d: np.ndarray) -> np.ndarray:
        """Probability that true less measured value is below each of some numbers."""
        return self.below(self.at + np.asarray(d))

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        """Numbers that the value is below with the probabilities `u`."""
        if self.normal:
            return self.at + self.sd * special.ndtri(u)
        if self.known is not None:
            return np.interp(u, np.linspace(0.0, 1.0, len(self.known)), self.known)
        reach = self.sd
        for _ in range(200):
            ends = self.below(np.array([self.at - reach, self.at + reach]))
            if ends[0] <= TAIL and ends[1] >= 1.0 - TAIL:
                break
            reach *= 2.0
        low, high = np.full(len(u), self.at - reach), np.full(len(u), self.at + reach)
        for _ in range(STEPS):
            middle = (low + high) / 2
            left = self.below(middle) < u
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return (low + high) / 2


def drawn_once(gate: NoiseGate, *, whole: bool = True) -> NoiseGate:
    """The gate with one draw for each value, whatever it has.

    whole : without the gate's window, which spares a learner time and is no property of an error
    """
    window = max(gate.window, WIDEST if gate.models else WIDE) if whole else gate.window
    return replace(gate, conditioned=True, ties_right=False, window=window)


def law(gate: NoiseGate, variable: int, x: float) -> Law | None:
    """The law of the true value of a variable that was measured as x; None where it is exact.

    gate : of one row, with one draw (`drawn_once`)
    """
    sd = float(gate.sigma[variable])
    if variable in gate.relative:
        sd *= abs(x)
    if not sd > 0 or math.isnan(x):
        return None

    def below(t: np.ndarray) -> np.ndarray:
        flat = np.ravel(np.asarray(t, dtype=np.float64))  # models may know of one dimension alone
        return gate.share(variable, flat, np.full(flat.shape, x)).reshape(np.shape(t))

    model = gate.models.get(variable)
    normal = model is None or (_family(model) == "norm" and model.mean() == 0)
    return Law(below, x, sd, normal and gate.half_window >= WIDE / 2)


def mirrored(first: Law) -> Law:
    """The law of a measurement of a true value that is known: as far below as it was above."""
    return Law(
        lambda t: 1.0 - first.below(2.0 * first.at - np.asarray(t, dtype=np.float64)),
        first.at,
        first.sd,
        first.normal,
    )


def _family(model: Any) -> str:
    """Name of a frozen distribution, of the relative error as well."""
    return getattr(getattr(model, "dist", None), "name", "")


def again(gate: NoiseGate, variable: int, first: Law) -> Law:
    """The law of another measurement, of a value of which one is known.

    It differs from the first by the difference of two errors.
    """
    sd = math.sqrt(2.0) * first.sd
    if first.normal:
        return Law(stats.norm(first.at, sd).cdf, first.at, sd, True)
    if _family(gate.models.get(variable)) == "uniform":
        half = sd / math.sqrt(2.0) * math.sqrt(3.0)
        return Law(stats.triang(0.5, first.at - 2 * half, 4 * half).cdf, first.at, sd)
    # A true value as far above the first measurement as each quantile: as likely each.
    errors = first.quantiles((np.arange(N_QUANTILES) + 0.5) / N_QUANTILES) - first.at
    differences = np.subtract.outer(errors, errors).ravel()
    known = first.at + np.quantile(differences, np.linspace(0.0, 1.0, 2 * N_QUANTILES + 1))

    def below(t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=np.float64)
        return first.of_error(np.add.outer(t - first.at, errors)).mean(axis=-1)

    return Law(below, first.at, sd, known=known)


def told(first: Law, second: Law, ends: np.ndarray) -> np.ndarray:
    """What another measurement tells of the true value: in which cell it lies.

    Parameters
    ----------
    first, second : Law
        Of the true value, and of another measurement of it.
    ends : (k,) float64
        Thresholds between the cells, ascending.

    Returns
    -------
    (stretches, k + 1) float64
        Probability that the new measurement lies in a stretch, and the true value in a cell.
    """
    if first.normal:
        # Half-way between both measurements, with half the variance.
        z = np.linspace(-FAR, FAR, N_AGAIN)
        weight = stats.norm.pdf(z)
        between = first.at + second.sd * z / 2.0
        units = np.subtract.outer(ends, between) / (first.sd / math.sqrt(2.0))
        below = special.ndtr(np.pad(units, ((1, 1), (0, 0)), constant_values=(-np.inf, np.inf)))
        return np.diff(below, axis=0).T * (weight / weight.sum())[:, None]
    edges = first.quantiles(_levels(N_TRUE))
    edges = np.unique(np.concatenate([edges, ends[(ends > edges[0]) & (ends < edges[-1])]]))
    true = (edges[:-1] + edges[1:]) / 2
    below = first.below(edges)
    below[0], below[-1] = 0.0, 1.0
    mass = np.diff(below)
    cell = np.searchsorted(ends, true, side="right")
    stretch = second.quantiles(_levels(N_AGAIN))
    # A measurement below s: an error, true less measured, above t - s.
    lower = 1.0 - first.of_error(np.subtract.outer(true, stretch))
    lower[:, 0], lower[:, -1] = 0.0, 1.0
    joint = np.diff(lower, axis=1) * mass[:, None]  # (true values, stretches)
    cells = np.zeros((len(stretch) - 1, len(ends) + 1))
    np.add.at(cells.T, cell, joint)
    return cells


def _levels(n: int) -> np.ndarray:
    """About n probabilities, ascending: many of them in the tails, which may be long."""
    tail = np.geomspace(TAIL, 0.05, n // 4)
    return np.unique(np.concatenate([tail, np.linspace(0.05, 0.95, n // 2 + 1), 1.0 - tail]))
