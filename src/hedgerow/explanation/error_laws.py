"""Where a true value lies when it was measured, and where another measurement will.

A gate knows the error of a variable by its distribution function alone, the probability that the
true value is below a threshold. From that follow here, for one value: the law of the true value;
that of another measurement of it, as far from the true value as the first one is; and what such a
measurement would tell.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special, stats

from hedgerow.induction.measurement import WIDE
from hedgerow.tree.gates import (
    DISTRIBUTIONS,
    WIDEST,
    NoiseGate,
    center_of,
    model_probabilities,
    scale_of,
)

N_REMEASUREMENTS = 600  # new measurements of a normal error
MAX_Z = 8.5  # standard deviations of a new measurement that are looked at
TAIL = 2.0**-36  # shortest panel of an integral over probabilities
N_GRID = 4001  # points between which quantiles are looked for ...
N_BISECTIONS = 44  # ... by halves of the stretch between two of them

Function = Callable[[np.ndarray], np.ndarray]


def _panels(longest: float, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre, for integrals over probabilities from 0 to 1.

    Panels get shorter by half towards both ends, where quantiles change most.
    """
    tail = TAIL * 2.0 ** np.arange(round(math.log2(longest / TAIL)))
    bulk = np.linspace(longest, 1.0 - longest, round(1.0 / longest) - 1)
    ends = np.concatenate([[0.0], tail, bulk, 1.0 - tail[::-1], [1.0]])
    x, weight = np.polynomial.legendre.leggauss(n_nodes)
    half = np.diff(ends)[:, None] / 2.0
    return (ends[:-1, None] + half * (x + 1.0)).ravel(), (half * weight).ravel()


NODES, WEIGHTS = _panels(2.0**-7, 8)
COARSE_NODES, COARSE_WEIGHTS = _panels(2.0**-6, 3)  # where two errors are laid against each other
#: Probabilities between which the rough nodes lie.
BELOW = np.concatenate([[0.0], np.cumsum(COARSE_WEIGHTS[:-1]), [1.0]])


class ErrorTable:
    """An error about its centre, in units of its scale, with what costs time worked out once.

    Parameters
    ----------
    cdf : callable
        Probability that the error is below each of some numbers, (k,) -> (k,).
    """

    def __init__(self, cdf: Function):
        self.cdf = cdf

    @cached_property
    def quantiles(self) -> np.ndarray:
        """(n,) float64: the error at each of `NODES`."""
        reach = 1.0
        for _ in range(200):
            ends = self.cdf(np.array([-reach, reach]))
            if ends[0] <= NODES[0] and ends[1] >= NODES[-1]:
                break
            reach *= 2.0
        # A grid that is dense at the centre and reaches as far as the tails do.
        grid = np.sinh(np.linspace(-1.0, 1.0, N_GRID) * math.asinh(reach))
        place = np.searchsorted(np.maximum.accumulate(self.cdf(grid)), NODES)
        low, high = grid[np.maximum(place - 1, 0)], grid[np.minimum(place, N_GRID - 1)]
        for _ in range(N_BISECTIONS):
            middle = (low + high) / 2
            left = self.cdf(middle) < NODES
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return (low + high) / 2

    def difference_below(self, d: np.ndarray) -> np.ndarray:
        """Probability that the difference of two errors is below each of some numbers, (k,)."""
        return self._below(np.add.outer(d, self.quantiles)) @ WEIGHTS

    def _below(self, d: np.ndarray) -> np.ndarray:
        return self.cdf(d.ravel()).reshape(d.shape)  # models may know of one dimension alone

    @cached_property
    def _rough(self) -> np.ndarray:
        return np.interp(COARSE_NODES, NODES, self.quantiles)

    @cached_property
    def _apart(self) -> np.ndarray:
        """About the quantiles of the difference of two errors, ascending."""
        differences = np.subtract.outer(self._rough, self._rough).ravel()
        order = np.argsort(differences)
        weight = np.multiply.outer(COARSE_WEIGHTS, COARSE_WEIGHTS).ravel()[order]
        return np.unique(np.interp(COARSE_NODES, np.cumsum(weight), differences[order]))

    @cached_property
    def differences(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities, ascending, and the difference of two errors at each of them."""
        return self.difference_below(self._apart), self._apart

    @cached_property
    def joint(self) -> np.ndarray:
        """Probability that a new measurement lies in a stretch and the true value below a quantile.

        Returns: of the quantile at each of `BELOW`.
        """
        # A measurement below s: an error, true less measured, above t - s.
        below = 1.0 - self._below(np.subtract.outer(self._rough, self._apart[1::3]))
        below = np.pad(below, ((0, 0), (1, 1)), constant_values=((0.0, 0.0), (0.0, 1.0)))
        cells = np.diff(below, axis=1).T * COARSE_WEIGHTS
        return np.pad(np.cumsum(cells, axis=1), ((0, 0), (1, 0)))


#: Of errors that are no distribution of scipy.stats.
Tables = dict[int | None, ErrorTable]


@dataclass(frozen=True)
class Law:
    """The distribution of one value.

    Attributes
    ----------
    below : callable
        Probability that it is below each of some numbers, (k,) -> (k,).
    quantiles : callable
        Numbers that it is below with each of some probabilities, (k,) -> (k,).
    at : float
        The value as it was measured.
    sd : float
        Scale of the error, in the variable's unit.
    normal : bool
        Whether the error is normal, of mean 0, and nowhere cut.
    table : ErrorTable or None
        Of an error that is not: in units of `sd`.
    """

    below: Function
    quantiles: Function
    at: float
    sd: float
    normal: bool = False
    table: ErrorTable | None = None


def drawn_once(gate: NoiseGate, *, whole: bool = True) -> NoiseGate:
    """The gate with one draw for each value, whatever it has.

    whole : without the gate's window, which spares a learner time and is no property of an error
    """
    window = max(gate.window, WIDEST if gate.models else WIDE) if whole else gate.window
    return replace(gate, conditioned=True, ties_right=False, window=window)


def law(gate: NoiseGate, variable: int, x: float, tables: Tables | None = None) -> Law | None:
    """The law of the true value of a variable that was measured as x; None where it is exact.

    gate : of one row, with one draw (`drawn_once`)
    tables : of distributions that were met, to which a new one is added
    """
    size = abs(x) if variable in gate.relative else 1.0
    sd = float(gate.sigma[variable]) * size
    if not sd > 0 or math.isnan(x):
        return None
    cdf = _cdf(gate, variable)

    def below(t: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return cdf((np.asarray(t, dtype=np.float64) - x) / size)

    model = gate.models.get(variable)
    if (model is None or (_family(model) == "norm" and model.mean() == 0)) and (
        gate.half_window >= WIDE / 2
    ):
        return Law(below, lambda u: x + sd * special.ndtri(u), x, sd, normal=True)
    table = _table_of(gate, variable, {} if tables is None else tables)

    def quantiles(u: np.ndarray) -> np.ndarray:
        return x + size * gate.center[variable] + sd * np.interp(u, NODES, table.quantiles)

    return Law(below, quantiles, x, sd, table=table)


def _cdf(gate: NoiseGate, variable: int) -> Function:
    """Distribution function of an error, (k,) -> (k,); of a relative one, as a share of a value."""
    model = gate.models.get(variable)
    if model is None or gate.half_window < WIDEST / 2:
        x = 1.0 if variable in gate.relative else 0.0
        return lambda d: gate.share(variable, x + d, np.full(np.shape(d), x))
    # The same without a window, of which a gate asks three times.
    return lambda d: np.clip(model_probabilities(model, d), 0.0, 1.0)


def _table_of(gate: NoiseGate, variable: int, tables: Tables) -> ErrorTable:
    """The table of a variable's error: one for all that differ by centre and scale alone."""
    model = gate.models.get(variable)
    shape = None if model is None or gate.half_window < WIDEST / 2 else _shape_of(model)
    if shape is not None:
        return _table_of_family(*shape)
    key = None if model is None else id(model)  # which the table keeps alive
    if key not in tables:
        cdf, center, sigma = _cdf(gate, variable), gate.center[variable], gate.sigma[variable]
        tables[key] = ErrorTable(lambda d: cdf(center + sigma * d))
    return tables[key]


def _shape_of(model: Any) -> tuple | None:
    """Name and shape parameters of a distribution of scipy.stats; None of any other."""
    name = _family(model)
    if name not in DISTRIBUTIONS or type(model.dist) is not type(getattr(stats, name)):
        return None
    shapes, _, _ = model.dist._parse_args(*model.args, **model.kwds)
    return (name, *map(float, shapes)) if all(np.ndim(each) == 0 for each in shapes) else None


@functools.lru_cache(maxsize=64)
def _table_of_family(name: str, *shapes: float) -> ErrorTable:
    model = getattr(stats, name)(*shapes)
    center, scale = center_of(model), scale_of(model)
    return ErrorTable(lambda d: np.clip(model_probabilities(model, center + scale * d), 0.0, 1.0))


def mirror_law(first: Law) -> Law:
    """The law of a measurement of a true value that is known: as far below as it was above."""
    return Law(
        lambda t: 1.0 - first.below(2.0 * first.at - np.asarray(t, dtype=np.float64)),
        lambda u: 2.0 * first.at - first.quantiles(1.0 - np.asarray(u)),
        first.at,
        first.sd,
        first.normal,
    )


def _family(model: Any) -> str:
    """Name of a frozen distribution, of the relative error as well."""
    return getattr(getattr(model, "dist", None), "name", "")


def repeated_law(gate: NoiseGate, variable: int, first: Law) -> Law:
    """The law of another measurement, of a value of which one is known.

    It differs from the first by the difference of two errors.
    """
    at, sd, table = first.at, math.sqrt(2.0) * first.sd, first.table
    if table is None:
        normal = stats.norm(at, sd)
        return Law(normal.cdf, lambda u: at + sd * special.ndtri(u), at, sd, normal=True)
    if _family(gate.models.get(variable)) == "uniform":
        half = first.sd * math.sqrt(3.0)
        triangle = stats.triang(0.5, at - 2 * half, 4 * half)
        return Law(triangle.cdf, triangle.ppf, at, sd)
    return Law(
        lambda t: table.difference_below((np.asarray(t, dtype=np.float64) - at) / first.sd),
        lambda u: at + first.sd * np.interp(u, *table.differences),
        at,
        sd,
    )


def joint_probability(first: Law, second: Law, ends: np.ndarray) -> np.ndarray:
    """What another measurement tells of the true value: in which cell it lies.

    Returns: probability that the new measurement lies in a stretch, and the true value in a cell.
    """
    if first.table is None:
        # Half-way between both measurements, with half the variance.
        z = np.linspace(-MAX_Z, MAX_Z, N_REMEASUREMENTS)
        weight = stats.norm.pdf(z)
        between = first.at + second.sd * z / 2.0
        units = np.subtract.outer(ends, between) / (first.sd / math.sqrt(2.0))
        below = special.ndtr(np.pad(units, ((1, 1), (0, 0)), constant_values=(-np.inf, np.inf)))
        return np.diff(below, axis=0).T * (weight / weight.sum())[:, None]
    u = np.concatenate([[0.0], first.below(ends), [1.0]])
    place = np.clip(np.searchsorted(BELOW, u, side="right") - 1, 0, len(BELOW) - 2)
    part = (u - BELOW[place]) / (BELOW[place + 1] - BELOW[place])
    joint = first.table.joint
    return np.diff(joint[:, place] * (1.0 - part) + joint[:, place + 1] * part, axis=1)
