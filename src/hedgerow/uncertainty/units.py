"""The unit of a number that is a share of what the values of a variable are like."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.induction._columns import Columns

UNITS = ("mean", "sd", "range", "absolute")
# Positive and negative values leave less than this share of their mean size in the mean: as an
# error, 10 % of such a mean is below 1 % of a value.
LEAST_MEAN_SHARE = 0.1


def error_unit_of(columns: Columns, unit: str) -> np.ndarray:
    """What an error of 1 is for each variable of a training set, in the variable's unit.

    unit: weighted mean and standard deviation (divided by the weight, not by one less), largest
    minus smallest value, all of the known values; or 1.

    Returns: means have their sign; 0 for categorical variables and where no value is known, but for
    "absolute".
    """
    if unit == "mean":
        return columns.means
    if unit == "range":
        return columns.ranges
    return _deviations(columns) if unit == "sd" else np.ones(columns.n_variables)


def _deviations(columns: Columns) -> np.ndarray:
    ranges = columns.ranges
    # In units of the range, so that no square overflows and a constant has none by rounding.
    z = (columns.X - columns.means) / np.where(ranges > 0, ranges, 1.0)
    return ranges * np.sqrt(_mean(columns, z**2))


def _mean(columns: Columns, values: np.ndarray) -> np.ndarray:
    """Weighted mean of each column of (n, m) values, NaN left out; 0 where there is none."""
    observed = ~np.isnan(values)
    weight = columns.sample_weight[:, None] * observed
    total = weight.sum(axis=0)
    with np.errstate(over="ignore"):
        total_of_values = (np.where(observed, values, 0.0) * weight).sum(axis=0)
    return total_of_values / np.where(total > 0, total, 1.0)


def zero_mean_columns(columns: Columns, specs: Sequence[Any]) -> list[int]:
    """Variables that have a factor of the mean as error, and a mean of about 0.

    Returns: of numeric variables that are not 0 throughout.
    """
    m = columns.n_variables
    asked = np.zeros(m, dtype=bool)
    for spec in specs:
        if isinstance(spec, np.ndarray):
            spec = spec.tolist()
        each = isinstance(spec, Sequence) and not isinstance(spec, str)
        entries = spec if each else [spec] * m
        asked |= [isinstance(entry, Real) and entry > 0 for entry in entries]
    if not asked.any():
        return []
    size = _mean(columns, np.abs(columns.X))
    small = np.abs(columns.means) < LEAST_MEAN_SHARE * size
    return [int(j) for j in np.flatnonzero(asked & small & (columns.n_categories == 0))]
