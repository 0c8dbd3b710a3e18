"""Noise models beside those of scipy.stats."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from hedgerow.checks import LARGEST, check_number
from hedgerow.errors import InputError

#: Shapes of noise by their distribution in scipy.stats: shape parameters, location and scale of
#: the one with mean 0 and standard deviation 1.
SHAPES = {
    "normal": (stats.norm, (), 0.0, 1.0),
    "uniform": (stats.uniform, (), -math.sqrt(3), 2 * math.sqrt(3)),
    "laplace": (stats.laplace, (), 0.0, math.sqrt(0.5)),
    "student_t": (stats.t, (3,), 0.0, 1 / math.sqrt(3)),
}


class ShapedNoise:
    """Noise of a given shape with mean 0 and a given standard deviation.

    It stands for a frozen distribution of scipy.stats, and is made a hundred times faster: a
    learner that tunes a factor makes one for every variable and factor.

    Parameters
    ----------
    shape : {"normal", "uniform", "laplace", "student_t"}
        Student's t has three degrees of freedom, the fewest whole number with a variance.
    sigma : float above 0, at most 1e150
        Standard deviation, in the variable's unit.

    Raises
    ------
    InputError
        An unknown shape, or a sigma out of range.

    Examples
    --------
    >>> from hedgerow.uncertainty import ShapedNoise
    >>> ShapedNoise("uniform", 1.0).cdf(0.0)
    0.5
    """

    def __init__(self, shape: str, sigma: float):
        if shape not in SHAPES:
            raise InputError(
                f"shape of noise is {shape!r}", remedy=f"choose one of {', '.join(SHAPES)}"
            )
        check_number("sigma of noise", sigma, 0.0, LARGEST)
        if sigma == 0:
            raise InputError(f"sigma of noise is {sigma!r}", remedy="give a number above 0")
        self.shape, self.sigma = shape, float(sigma)
        # Same names as in a frozen distribution of scipy.
        self.dist, self.args, loc, scale = SHAPES[shape]
        self.kwds = {"loc": loc * self.sigma, "scale": scale * self.sigma}

    def cdf(self, d):
        """P(error <= d)."""
        share = self.dist.cdf(d, *self.args, **self.kwds)
        return float(share) if np.isscalar(d) else share

    def mean(self) -> float:
        """0, as every shape is centred."""
        return 0.0

    def std(self) -> float:
        """Sigma."""
        return self.sigma

    def __repr__(self) -> str:
        return f"ShapedNoise({self.shape!r}, {self.sigma!r})"


class EmpiricalNoise:
    """Noise with the distribution of observed errors.

    Parameters
    ----------
    residuals : (n,) array of float
        Observed differences, true minus measured, in the variable's unit: what has to be added
        to a measurement.

    Raises
    ------
    InputError
        No residual, or one that is not finite.

    Examples
    --------
    >>> from hedgerow.uncertainty import EmpiricalNoise
    >>> EmpiricalNoise([-1.0, 0.0, 1.0, 2.0]).cdf(0.5)
    0.5
    """

    def __init__(self, residuals):
        values = np.sort(np.asarray(residuals, dtype=np.float64).ravel())
        if values.size == 0 or not np.isfinite(values).all():
            raise InputError(
                "the residuals of a noise model are empty or not finite",
                remedy="give at least one finite error",
            )
        self.residuals = values

    def cdf(self, d):
        """Share of residuals at or below d."""
        share = np.searchsorted(self.residuals, d, side="right") / self.residuals.size
        return float(share) if np.isscalar(d) else share

    def mean(self) -> float:
        """Mean of the residuals, same unit."""
        return float(self.residuals.mean())

    def std(self) -> float:
        """Standard deviation about their mean, same unit."""
        return float(self.residuals.std())

    def __repr__(self) -> str:
        return f"EmpiricalNoise({self.residuals.size} residuals)"
