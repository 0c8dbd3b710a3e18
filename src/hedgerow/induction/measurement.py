"""Errors of measurement as people have them: one set of forms for every learner.

docs/measurement_error.md shows the forms; all that reads `error=` resolves it here, into a gate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import stats

from hedgerow.checks import LARGEST, check_choice, without_mask
from hedgerow.errors import InputError, warn_user
from hedgerow.optional_imports import is_frame, numbers_of, of_polars
from hedgerow.tree.gates import WIDEST, NoiseGate, RelativeNoise, RowNoise, check_model
from hedgerow.tree.table import check_row_order

WIDE = 16.0  # window of normal errors, in standard deviations: what is cut is below 1e-14
SPREADS = 100.0  # one number as the error of variables whose spreads differ so much is asked about
DRAWS = ("once", "per_test")
FORMS = (
    "give a standard deviation such as 0.5, '5 %' of each value, '+-0.5' for the half width of a "
    "rectangle, an object with cdf(d), or one standard deviation for each row"
)
_TEXT = re.compile(r"\s*(?P<half>\+-|\+/-|±)?\s*(?P<number>[0-9.eE+-]+)\s*(?P<percent>%)?\s*")


def column_number(entry, m: int, names, parameter: str, *, remedy: str) -> int:
    """Number of the column of X that an entry of a parameter names or counts.

    entry : str or int from -m to m - 1; names : sequence of str, empty when X has none.
    Raises an InputError for any other entry.
    """
    if isinstance(entry, str):
        if entry not in names:
            raise InputError(
                f"{parameter} names {entry!r}, which is no column of X",
                remedy="name a column of the data frame or give its number",
            )
        return list(names).index(entry)
    if isinstance(entry, Integral) and -m <= int(entry) < m:
        return int(entry) % m
    raise InputError(f"{parameter} holds {entry!r} for {m} variables", remedy=remedy)


def by_column(spec: Any, n_variables: int, names: Sequence[str], name: str, absent: Any = None):
    """Errors given by column as one for each variable; others as they are."""
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


def resolve_error(
    error: Any,
    n_categories: np.ndarray,
    names: Sequence[str] = (),
    *,
    n_rows: int | None = None,
    kept: np.ndarray | None = None,
    draws: str = "once",
    window: float | None = None,
    name: str = "error",
) -> NoiseGate | None:
    """The error of each variable, as a gate.

    Parameters
    ----------
    error : None, float, str, noise model, dict, Series, (m,) sequence, (n, m) array or data frame
        One form for all variables or one for each: a standard deviation in the variable's unit;
        a text, "5 %" (of the measured value, normal) or "+-0.5" (the true value lies anywhere so
        near); an object with ``cdf(d)``; None or 0, which is exact; and, for one variable of a dict
        or sequence, (n,) standard deviations, one for each row. A table has the standard deviations
        of all rows, NaN where a value is exact.
    n_categories : (m,) int
        Of each variable, 0 for numbers; categories have no error of measurement.
    names : sequence of str
        Names of the columns; empty when they have none.
    n_rows : int, optional
        Rows of the data, where errors by row are to fit them.
    kept : (n_rows,) bool or (n_read,) int, optional
        Rows that are read, where not all are once: errors by row are those of these.
    draws : {"once", "per_test"}
        A value is drawn once, so that a leaf has the probability of its box, or again at each test.
    window : float, optional
        Full width in standard deviations, beyond which no error is looked for; by default so wide
        that nothing is lost.
    name : str
        What to call the parameter in an error.

    Returns
    -------
    NoiseGate or None
        None: all values are exact.

    Raises
    ------
    InputError
        A form that is none of these, a column that X has not, an error of categories that is given
        by name, errors for another number of rows or variables.
    """
    check_choice("draws", draws, DRAWS)
    if error is None:
        return None
    m = len(n_categories)
    entries = _entries(error, m, names, name)
    named = isinstance(error, Mapping) or hasattr(error, "items")
    sigma = np.zeros(m)
    models: dict[int, Any] = {}
    for j, entry in enumerate(entries):
        if entry is None:
            continue
        if n_categories[j] > 0:
            if named and not is_frame(error):
                raise InputError(
                    f"{name} gives {entry!r} to {_column(j, names)}, which has categories",
                    remedy="leave it out: an error of measurement is one of numbers",
                )
            continue
        sigma[j], model = _resolved(entry, j, names, n_rows, kept, name)
        # Errors that are less than a normal number divide nothing.
        if sigma[j] < np.finfo(np.float64).tiny:
            sigma[j] = 0.0
        elif model is not None:
            models[j] = model
    if not (sigma > 0).any():
        return None
    if window is None:  # other tails than normal ones may reach far
        window = WIDEST if models else WIDE
    return NoiseGate(sigma, float(window), models, conditioned=draws == "once")


def check_error_order(error: Any, X: Any) -> None:
    """Refuse errors by row whose index is that of X in another order."""
    check_row_order("error", error, X)
    for column, entry in error.items() if isinstance(error, Mapping) else ():
        check_row_order(f"error[{column!r}]", entry, X)


def _column(j: int, names: Sequence[str]) -> str:
    return f"column {names[j]!r}" if len(names) else f"column {j}"


def _entries(error: Any, m: int, names: Sequence[str], name: str) -> list:
    """What was given, as one entry for each variable."""
    error = without_mask(of_polars(error))
    if is_frame(error):
        try:
            columns = {column: _or_exact(numbers_of(error[column])) for column in error.columns}
        except (TypeError, ValueError):
            raise InputError(f"{name} is no table of numbers", remedy=FORMS) from None
        return by_column(columns, m, names, name)
    if isinstance(error, Mapping) or hasattr(error, "items"):
        return by_column(error, m, names, name)
    if isinstance(error, np.ndarray) and error.ndim == 2:
        if error.shape[1] != m:
            raise InputError(
                f"{name} has {error.shape[1]} columns for {m} variables",
                remedy="give a column of standard deviations for each variable",
            )
        try:
            return [_or_exact(column) for column in np.asarray(error, dtype=np.float64).T]
        except (TypeError, ValueError):
            raise InputError(f"{name} is no table of numbers", remedy=FORMS) from None
    if isinstance(error, np.ndarray) and error.ndim == 0:
        error = error.item()
    if isinstance(error, (Sequence, np.ndarray)) and not isinstance(error, str):
        if len(error) != m:
            raise InputError(
                f"{name} has {len(error)} entries for {m} variables",
                remedy="give one error, one for each variable, or a table of one for each value",
            )
        return list(error)
    return [error] * m


def warn_of_scales(
    error: Any, X: np.ndarray, n_categories: np.ndarray, names: Sequence[str] = ()
) -> None:
    """Warn of one number as the error of variables whose spreads differ by more than `SPREADS`."""
    if isinstance(error, bool) or not isinstance(error, Real):
        return
    try:
        if not 0 < float(error) <= LARGEST:
            return
    except OverflowError:
        return
    numeric = np.flatnonzero((n_categories == 0) & ~np.isnan(X).all(axis=0))
    spread = np.nanstd(X[:, numeric], axis=0)
    numeric, spread = numeric[spread > 0], spread[spread > 0]
    if len(spread) and spread.max() > SPREADS * spread.min():
        ends = [spread.argmin(), spread.argmax()]
        least, most = (names[j] if len(names) else f"column {j}" for j in numeric[ends])
        warn_user(
            f"error={error:g} is in the unit of each variable, and their scales differ: standard "
            f"deviation {spread.min():.3g} of {least}, {spread.max():.3g} of {most}; give a dict "
            'of errors by variable, or a text such as "5 %" for a share of each value'
        )


def _or_exact(column: Any) -> np.ndarray:
    """Errors by row; one that is missing is none."""
    column = np.asarray(column, dtype=np.float64)
    return np.where(np.isnan(column), 0.0, column)


def _resolved(
    entry: Any,
    j: int,
    names: Sequence[str],
    n_rows: int | None,
    kept: np.ndarray | None,
    name: str,
) -> tuple[float, Any]:
    """Standard deviation of one variable's error, and the model of one that is not normal."""
    if isinstance(entry, np.ndarray) and entry.ndim == 0:
        entry = entry.item()
    refused = InputError(f"{name} of {_column(j, names)} is {entry!r}", remedy=FORMS)
    if isinstance(entry, (bool, np.bool_)):
        raise refused
    if isinstance(entry, str):
        return _of_text(entry, refused)
    if hasattr(entry, "cdf"):
        if hasattr(getattr(entry, "dist", None), "pmf"):
            raise InputError(
                f"{name} of {_column(j, names)} has a discrete distribution",
                remedy="give a continuous one: of a count, such as norm(scale=...)",
            )
        return check_model(entry, f"{name} of {_column(j, names)}"), entry
    if isinstance(entry, Real):
        return _checked(entry, refused), None
    try:
        sd = np.asarray(without_mask(entry), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise refused from None
    if sd.ndim != 1:
        raise refused
    if n_rows is not None and len(sd) != n_rows:
        raise InputError(
            f"{name} of {_column(j, names)} has {len(sd)} entries for {n_rows} rows",
            remedy="give one standard deviation for each row, or one for all of them",
        )
    sd = sd if kept is None else sd[kept]
    if not ((sd >= 0) & (sd <= LARGEST)).all():
        raise refused
    return float(sd.max(initial=0.0)), RowNoise(sd)


def _checked(sd: Any, refused: InputError) -> float:
    try:
        number = float(sd)
    except OverflowError:  # whole numbers have no end
        raise refused from None
    if not 0 <= number <= LARGEST:
        raise refused
    return number


def _of_text(text: str, refused: InputError) -> tuple[float, Any]:
    match = _TEXT.fullmatch(text)
    try:
        number = float(match["number"]) if match else -1.0
    except ValueError:
        raise refused from None
    if match is None or (match["half"] and match["percent"]):
        raise refused
    number = _checked(number, refused)
    if match["percent"]:
        share = number / 100.0
        return share, RelativeNoise(stats.norm(scale=share)) if share > 0 else None
    if match["half"]:
        model = stats.uniform(loc=-number, scale=2 * number) if number > 0 else None
        return number / np.sqrt(3.0), model
    return number, None


def keep_after_fit(gate: NoiseGate | None) -> NoiseGate | None:
    """The gate with which a tree reads rows that nothing is said of.

    Errors by row become their root mean square, as other rows have others.
    """
    if gate is None:
        return None
    models = {j: m for j, m in gate.models.items() if not isinstance(m, RowNoise)}
    if len(models) == len(gate.models):
        return gate
    sigma = np.array(gate.sigma)
    for j, model in gate.models.items():
        if isinstance(model, RowNoise):
            sigma[j] = model.typical
    return replace(gate, sigma=sigma, models=models)


def of_row(gate: NoiseGate, row: int) -> NoiseGate:
    """The gate of one row of a table: errors by row become its own."""
    sigma, models = np.array(gate.sigma), dict(gate.models)
    for j, model in gate.models.items():
        if isinstance(model, RowNoise):
            sigma[j] = model.sd[row]
            del models[j]
    return replace(gate, sigma=sigma, models=models)


def of_columns(gate: NoiseGate | None, columns: np.ndarray | None) -> NoiseGate | None:
    """The gate of a table that has some of the columns; None: all of them.

    columns : (k,) int
    """
    if gate is None or columns is None:
        return gate
    models = {i: gate.models[j] for i, j in enumerate(columns.tolist()) if j in gate.models}
    return replace(gate, sigma=gate.sigma[columns], models=models)
