"""Noise injection: experiments 1 and 2 (thesis, section 3.3.2), and other kinds of noise.

The thesis adds Gaussian noise to numeric variables. Beyond it stand families of another shape with
the same standard deviation, noise in proportion to the value, and noise that differs between
variables.
"""

from __future__ import annotations

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_number
from hedgerow.errors import InputError

__all__ = [
    "FAMILIES",
    "add_family_noise",
    "add_noise",
    "category_shares",
    "deviations",
    "variable_multiples",
]

#: Families of noise on numeric variables. The first four have the standard deviation n |mean| and
#: differ in shape; `proportional` is normal with n |x|, and `per_variable` normal with n k |mean|,
#: where the multiple k differs between variables and is 1 on average.
FAMILIES = ("normal", "uniform", "laplace", "student_t", "proportional", "per_variable")


def deviations(factor: float, means: np.ndarray, noise_is: str = "sd") -> np.ndarray:
    """Standard deviation of each variable's noise N(0, n |mean|).

    Parameters
    ----------
    factor : float
        The n, 0 or larger.
    means : (m,) float array
        NaN counts as 0.
    noise_is : {"sd", "variance"}, default "sd"
        What the second argument of N is.

    Returns
    -------
    (m,) float64 array

    Raises
    ------
    InputError
        The factor is negative or not finite, or the second argument is called otherwise.
    """
    check_number("noise factor", factor, 0.0, LARGEST)
    check_choice("noise_is", noise_is, ("sd", "variance"))
    second = factor * np.abs(np.nan_to_num(np.asarray(means, dtype=np.float64), nan=0.0))
    return second if noise_is == "sd" else np.sqrt(second)


def add_noise(
    X: np.ndarray,
    factor: float,
    means: np.ndarray,
    rng: np.random.Generator,
    noise_is: str = "sd",
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
    noise_is : {"sd", "variance"}, default "sd"
        With "variance" the second argument is the variance, as in `deviations`.

    Returns
    -------
    (n, m) float64 array
        A new array.

    Raises
    ------
    InputError
        The factor is negative or not finite, a mean is infinite, the shapes do not fit, or the
        second argument is called otherwise.
    """
    values = np.array(X, dtype=np.float64)
    means = np.asarray(means, dtype=np.float64)
    check_number("noise factor", factor, 0.0, LARGEST)
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
    sd = deviations(factor, means, noise_is)
    values += rng.standard_normal(values.shape) * sd
    return values


def add_family_noise(
    X: np.ndarray,
    family: str,
    factor: float,
    means: np.ndarray,
    rng: np.random.Generator,
    multiples: np.ndarray | None = None,
) -> np.ndarray:
    """Add noise of one family; `normal` is that of `add_noise`, draw for draw.

    Parameters
    ----------
    X, factor, means, rng
        As in `add_noise`. A variable whose mean is 0 or NaN gets no noise, in proportional noise
        as well.
    family : one of FAMILIES
        `student_t` has three degrees of freedom, scaled to the standard deviation of the others.
    multiples : (m,) float array, for `per_variable`
        Multiple of the factor for each variable, see `variable_multiples`.

    Returns
    -------
    (n, m) float64 array
        A new array.

    Raises
    ------
    InputError
        The family is unknown, multiples are missing or out of place, or as in `add_noise`.
    """
    if family not in FAMILIES:
        raise InputError(
            f"noise family is {family!r}", remedy=f"choose one of {', '.join(FAMILIES)}"
        )
    if (multiples is not None) != (family == "per_variable"):
        raise InputError(
            f"noise of the family {family} "
            + ("needs a multiple for each variable" if multiples is None else "has no multiples"),
            remedy="give multiples with the family per_variable, and only there",
        )
    if multiples is not None:
        multiples = np.asarray(multiples, dtype=np.float64)
        if multiples.shape != np.shape(means) or not (multiples >= 0).all():
            raise InputError(
                "the multiples do not fit the variables, or one is below 0",
                remedy="give one number of 0 or more per column",
            )
        return add_noise(X, factor, multiples * np.asarray(means, dtype=np.float64), rng)
    if family == "normal":
        return add_noise(X, factor, means, rng)
    values = add_noise(X, 0.0, means, rng)  # a checked copy
    check_number("noise factor", factor, 0.0, LARGEST)
    if factor == 0:
        return values
    size = np.abs(np.nan_to_num(np.asarray(means, dtype=np.float64), nan=0.0))
    if family == "proportional":
        return values + rng.standard_normal(values.shape) * factor * np.abs(values) * (size > 0)
    if family == "uniform":
        drawn = rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), values.shape)
    elif family == "laplace":
        drawn = rng.laplace(0.0, np.sqrt(0.5), values.shape)
    else:
        drawn = rng.standard_t(3, values.shape) / np.sqrt(3.0)
    return values + drawn * factor * size


def variable_multiples(means: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Multiples 0, 1 and 2 of a noise factor, dealt to the variables at random.

    As many variables get 0 as get 2 (a third each, rounded down), so that the mean multiple over
    the variables that can have noise is exactly 1.

    Parameters
    ----------
    means : (m,) float array
        A variable whose mean is 0 or NaN has no noise; its multiple is 0 and does not count.
    rng : numpy.random.Generator
        A named stream.

    Returns
    -------
    (m,) float64 array
    """
    means = np.nan_to_num(np.asarray(means, dtype=np.float64), nan=0.0)
    noisy = np.flatnonzero(means != 0)
    third = len(noisy) // 3
    dealt = np.repeat([0.0, 1.0, 2.0], [third, len(noisy) - 2 * third, third])
    multiples = np.zeros(len(means))
    multiples[noisy] = rng.permutation(dealt)
    return multiples


def category_shares(X: np.ndarray, n_categories: np.ndarray) -> dict[int, np.ndarray]:
    """Share of each category among the known values of each categorical variable.

    Parameters
    ----------
    X : (n, m) float array of codes, NaN marks missing
    n_categories : (m,) int array, 0 for a numeric variable

    Returns
    -------
    dict of int to (n_categories,) float array
        For the categorical variables with a known value.
    """
    shares = {}
    for j in np.flatnonzero(np.asarray(n_categories) > 0):
        codes = X[~np.isnan(X[:, j]), j].astype(int)
        if len(codes):
            counts = np.bincount(codes, minlength=int(n_categories[j]))
            shares[int(j)] = counts / counts.sum()
    return shares


def replace_values(
    values: np.ndarray, probability: np.ndarray, domain, rng: np.random.Generator
) -> np.ndarray:
    """Replace values, each with a probability of its own, by uniform draws of their domain.

    The draw may give the value that was there (Sutton-Charani and others, section 4).

    Returns: A new one, of the type of `values`, or of float64 with an interval.
    """
    values = np.asarray(values)
    probability = np.asarray(probability, dtype=np.float64)
    if probability.shape != values.shape or values.ndim != 1:
        raise InputError(
            f"values of shape {values.shape} and probabilities of shape {probability.shape} do "
            "not fit",
            remedy="give one probability per value",
        )
    if not ((probability >= 0) & (probability <= 1)).all():
        raise InputError("a probability is not within [0, 1]", remedy="give shares, not per cent")
    chance, position = rng.random(len(values)), rng.random(len(values))
    if isinstance(domain, tuple):
        low, high = (float(bound) for bound in domain)
        if not low <= high:
            raise InputError(
                f"the domain goes from {low:g} to {high:g}", remedy="give the lower bound first"
            )
        drawn = low + position * (high - low)
    else:
        domain = np.asarray(domain)
        if domain.size == 0:
            raise InputError("the domain has no value", remedy="give at least one")
        drawn = domain[np.minimum((position * len(domain)).astype(int), len(domain) - 1)]
    kept = (chance >= probability) | (values != values)
    return np.where(kept, values, drawn)
