"""Errors of measurement, estimated from measurements that were repeated."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from hedgerow.checks import check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional, is_frame, numbers_of, of_polars

if TYPE_CHECKING:
    import pandas as pd

LEAST_GROUPS = 5  # of which it can be said whether the error grows
ALPHA = 0.05


def error_from_repeats(
    frame, by: Hashable | Sequence[Hashable], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Errors of measurement from several measurements of the same.

    Parameters
    ----------
    frame : data frame
        One row per measurement; columns that hold no numbers are left out.
    by : column or columns
        What was measured, such as the patient.
    confidence : float, default 0.95
        Of the interval of the standard deviation.

    Returns
    -------
    DataFrame
        One row per variable: ``sd``, the standard deviation within what was measured (root of the
        mean of the variances, weighted by their degrees of freedom), ``low`` and ``high``, its
        interval for normal errors; ``df``, ``groups`` (measured twice or more) and ``values`` in
        them; ``rho`` and ``p``, Spearman's correlation of the standard deviation of a group with
        the size of its mean, and ``grows``, whether that is above 0 with p < .05; ``percent``,
        the error as a share of the mean (root of the mean of squares); ``error``, what can be given
        as ``error=``: "x %" where it grows, else the standard deviation.

    Raises
    ------
    InputError
        No data frame, no such column, or nothing that was measured twice.

    Notes
    -----
    Measurements of one patient differ by the instrument and by the patient's own variation between
    them: it is both that another measurement would show.

    Examples
    --------
    >>> import pandas as pd
    >>> from hedgerow import error_from_repeats
    >>> rows = pd.DataFrame({"patient": [1, 1, 2, 2, 3, 3], "sugar": [90, 94, 120, 118, 101, 99]})
    >>> errors = error_from_repeats(rows, by="patient")
    >>> errors.loc["sugar", ["sd", "low", "high"]].astype(float).round(2).tolist()
    [2.0, 1.13, 7.46]
    """
    pd = import_optional("pandas", "errors from repeated measurements")
    check_number("confidence", confidence, 0.5, 0.999999)
    frame = of_polars(frame)
    if not is_frame(frame):
        raise InputError(
            f"frame is a {type(frame).__name__}", remedy="give a data frame with a column `by`"
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise InputError(f"frame has two columns {twice!r}", remedy="give each a name of its own")
    single = not isinstance(by, (list, tuple)) or (isinstance(by, tuple) and by in frame.columns)
    keys = [by] if single else list(by)
    for key in keys:
        if key not in frame.columns:
            raise InputError(
                f"by names {key!r}, which is no column of the frame",
                remedy="name the column that says what was measured",
            )
    complete = frame.loc[frame[keys].notna().all(axis=1)]
    group = complete.groupby(keys, sort=True, observed=True).ngroup().to_numpy()
    lines = {}
    for name in frame.columns:
        dtype = complete[name].dtype
        if name in keys or dtype.kind in "mMb" or isinstance(dtype, pd.CategoricalDtype):
            continue
        try:
            x = numbers_of(complete[name])
        except (TypeError, ValueError):
            continue
        line = _of_values(x, group, confidence)
        if line is not None:
            lines[name] = line
    if not lines:
        raise InputError(
            f"nothing in the frame was measured twice of the same {', '.join(map(str, keys))}",
            remedy="give a row for each measurement",
        )
    return pd.DataFrame.from_dict(lines, orient="index").rename_axis("variable")


def _of_values(x: np.ndarray, group: np.ndarray, confidence: float) -> dict | None:
    """One line of the table; None where nothing was measured twice."""
    finite = np.isfinite(x)
    x, group = x[finite], group[finite]
    if not len(x):
        return None
    n = np.bincount(group)
    twice = n[group] > 1
    x, group = x[twice], group[twice]
    if not len(x):
        return None
    _, group = np.unique(group, return_inverse=True)
    n = np.bincount(group)
    mean = np.bincount(group, x) / n
    squares = np.bincount(group, (x - mean[group]) ** 2)
    df = int((n - 1).sum())
    sd = float(np.sqrt(squares.sum() / df))
    tail = (1.0 - confidence) / 2.0
    low, high = (sd * np.sqrt(df / stats.chi2.ppf(u, df)) for u in (1.0 - tail, tail))
    variance = squares / (n - 1)
    rho, p = _growth(np.abs(mean), np.sqrt(variance))
    grows = bool(rho > 0 and p < ALPHA)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = variance / mean**2
    usable = np.isfinite(share)
    weight = (n - 1)[usable]
    percent = 100.0 * np.sqrt(np.average(share[usable], weights=weight)) if usable.any() else np.nan
    return {
        "sd": sd,
        "low": float(low),
        "high": float(high),
        "df": df,
        "groups": len(n),
        "values": len(x),
        "rho": rho,
        "p": p,
        "grows": grows,
        "percent": float(percent),
        "error": f"{percent:.6g} %" if grows and np.isfinite(percent) else sd,
    }


def _growth(mean: np.ndarray, sd: np.ndarray) -> tuple[float, float]:
    """Spearman's correlation and its p; NaN where there is too little to say."""
    if len(mean) < LEAST_GROUPS or np.ptp(mean) == 0 or np.ptp(sd) == 0:
        return float("nan"), float("nan")
    correlation = stats.spearmanr(mean, sd)
    return float(correlation.statistic), float(correlation.pvalue)
