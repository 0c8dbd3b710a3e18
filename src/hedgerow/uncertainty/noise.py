"""Noise models beside those of scipy.stats."""

from __future__ import annotations

import numpy as np

from hedgerow.errors import InputError


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
