"""Noise injection of experiments 1 and 2 (thesis, section 3.3.2)."""

from __future__ import annotations

import numpy as np

from hedgerow.errors import InputError

__all__ = ["add_noise"]


def add_noise(
    X: np.ndarray, factor: float, means: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Add Gaussian noise whose standard deviation is a share of each variable's mean.

    The thesis writes N(0, n x-bar); the second argument is a standard deviation,
    ``factor * |mean|``, and the mean is that of the training part in use.

    Parameters
    ----------
    X : (n, m) float array
        Values in the variables' own units; NaN marks missing values and stays NaN.
    factor : float
        Noise factor n, 0 or larger; 0 returns the values unchanged.
    means : (m,) float array
        Means of the training part. A variable whose mean is 0 or NaN (a categorical variable,
        one without known values) gets no noise.
    rng : numpy.random.Generator
        A named stream, see `hedgerow.data.rng`. One standard normal number is drawn per cell,
        row by row, for every factor above 0, so that the same stream with two factors gives the
        same noise at two scales.

    Returns
    -------
    (n, m) float64 array
        A new array.

    Raises
    ------
    InputError
        The factor is negative or not finite, a mean is infinite, or the shapes do not fit.
    """
    values = np.array(X, dtype=np.float64)
    means = np.asarray(means, dtype=np.float64)
    if not np.isfinite(factor) or factor < 0:
        raise InputError(f"noise factor is {factor!r}", remedy="give a number, 0 or larger")
    if values.ndim != 2 or means.shape != values.shape[1:]:
        raise InputError(
            f"values of shape {values.shape} and means of shape {means.shape} do not fit",
            remedy="give one mean per column",
        )
    if np.isinf(means).any():
        raise InputError(
            f"the mean of variable {int(np.flatnonzero(np.isinf(means))[0])} is infinite",
            remedy="remove infinite values first",
        )
    if factor == 0:
        return values
    sd = factor * np.abs(np.nan_to_num(means, nan=0.0))
    values += rng.standard_normal(values.shape) * sd
    return values
