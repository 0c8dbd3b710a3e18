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

from hedgerow.tree.gates import NoiseGate, RowNoise

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
        Whether the error is normal, of mean 0.
    """

    below: Below
    at: float
    sd: float
    normal: bool = False

    def of_error(self, d: np.ndarray) -> np.ndarray:
        """Probability that true less measured value is below each of some numbers."""
        return self.below(self.at + np.asarray(d))

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        """Numbers that the value is below with the probabilities `u`, within its last bits."""
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


def of_row(gate: NoiseGate, row: int) -> NoiseGate:
    """The gate of one row of a table: errors by row become its own.

    The draw is one for each value, whatever the gate has.
    """
    sigma, models = np.array(gate.sigma), dict(gate.models)
    for j, model in gate.models.items():
        if isinstance(model, RowNoise):
            sigma[j] = model.sd[row]
            del models[j]
    return replace(gate, sigma=sigma, models=models, conditioned=True, ties_right=False)


def law(gate: NoiseGate, variable: int, x: float) -> Law | None:
    """The law of the true value of a variable that was measured as x; None where it is exact.

    gate : of one row (`of_row`)
    """
    sd = float(gate.sigma[variable])
    if variable in gate.relative:
        sd *= abs(x)
    if not sd > 0 or math.isnan(x):
        return None

    def below(t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=np.float64)
        return gate.share(variable, t, np.full(t.shape, x))

    model = gate.models.get(variable)
    normal = model is None or (_family(model) == "norm" and model.mean() == 0)
    return Law(below, x, sd, normal)


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
    if _family(gate.models[variable]) == "uniform":
        half = sd / math.sqrt(2.0) * math.sqrt(3.0)
        return Law(stats.triang(0.5, first.at - 2 * half, 4 * half).cdf, first.at, sd)
    # A true value as far above the first measurement as each quantile: as likely each.
    errors = first.quantiles((np.arange(N_QUANTILES) + 0.5) / N_QUANTILES) - first.at

    def below(t: np.ndarray) -> np.ndarray:
        t = np.asarray(t, dtype=np.float64)
        return first.of_error(np.add.outer(t - first.at, errors)).mean(axis=-1)

    return Law(below, first.at, sd)


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
    (N_AGAIN, k + 1) float64
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
    edges = first.quantiles(np.linspace(TAIL, 1.0 - TAIL, N_TRUE + 1))
    edges = np.unique(np.concatenate([edges, ends[(ends > edges[0]) & (ends < edges[-1])]]))
    true = (edges[:-1] + edges[1:]) / 2
    below = first.below(edges)
    below[0], below[-1] = 0.0, 1.0
    mass = np.diff(below)
    cell = np.searchsorted(ends, true, side="right")
    stretch = second.quantiles(np.linspace(TAIL, 1.0 - TAIL, N_AGAIN + 1))
    # A measurement below s: an error, true less measured, above t - s.
    lower = 1.0 - first.of_error(np.subtract.outer(true, stretch))
    lower[:, 0], lower[:, -1] = 0.0, 1.0
    joint = np.diff(lower, axis=1) * mass[:, None]  # (true values, stretches)
    cells = np.zeros((N_AGAIN, len(ends) + 1))
    np.add.at(cells.T, cell, joint)
    return cells
