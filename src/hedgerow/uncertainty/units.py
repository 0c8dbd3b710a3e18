"""Errors as people have them: the unit of a number, and the column that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.induction._columns import Columns
from hedgerow.induction.base import column_number

UNITS = ("mean", "sd", "range", "absolute")
# Positive and negative values leave less than this share of their mean size in the mean: as an
# error, 10 % of such a mean is below 1 % of a value.
CANCELLED = 0.1


def error_unit_of(columns: Columns, unit: str) -> np.ndarray:
    """What an error of 1 is for each variable of a training set, in the variable's unit.

    Parameters
    ----------
    columns : Columns
    unit : {"mean", "sd", "range", "absolute"}
        Weighted mean and standard deviation (divided by the weight, not by one less), largest
        minus smallest value, all of the known values; or 1.

    Returns
    -------
    (m,) float64
        Means have their sign; 0 for categorical variables and where no value is known, but for
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
    known = ~np.isnan(values)
    weight = columns.sample_weight[:, None] * known
    total = weight.sum(axis=0)
    with np.errstate(over="ignore"):
        total_of_values = (np.where(known, values, 0.0) * weight).sum(axis=0)
    return total_of_values / np.where(total > 0, total, 1.0)


def by_column(spec: Any, n_variables: int, names: Sequence[str], name: str, absent: Any = None):
    """Errors given by column as one for each variable; others as they are.

    Parameters
    ----------
    spec : dict, Series or anything else
        Column name or number -> error.
    n_variables : int
    names : sequence of str
        Names of the columns; empty when they have none.
    name : str
        What to call the parameter in an error.
    absent
        Error of the columns that are not given.

    Returns
    -------
    list of n_variables entries, or `spec`

    Raises
    ------
    InputError
        A name that is no column, or a column that is given twice.
    """
    if not (isinstance(spec, Mapping) or hasattr(spec, "items")):  # a Series is no Mapping
        return spec
    entries = [absent] * n_variables
    given = set()
    for column, entry in spec.items():
        j = column_number(
            column, n_variables, names, name, remedy="give an error for each column name or number"
        )
        if j in given:
            raise InputError(
                f"{name} gives two errors to column {column!r}", remedy="give each column once"
            )
        given.add(j)
        entries[j] = entry
    return entries


def cancelled(columns: Columns, specs: Sequence[Any]) -> list[int]:
    """Variables that have a factor of the mean as error, and a mean of about 0.

    Parameters
    ----------
    columns : Columns
    specs : sequence
        Noise as `hedgerow.uncertainty.resolve_noise` takes it, and has checked it.

    Returns
    -------
    list of int, ascending
        Of numeric variables that are not 0 throughout.
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
    small = np.abs(columns.means) < CANCELLED * size
    return [int(j) for j in np.flatnonzero(asked & small & (columns.n_categories == 0))]
