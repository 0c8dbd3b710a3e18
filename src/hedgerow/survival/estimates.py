"""Estimates of survival that both tables are made of: a curve, an incidence, corrected p."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import is_complex
from hedgerow.errors import InputError
from hedgerow.evaluation import significance
from hedgerow.optional import needed

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "survival in leaves"
#: Share of patients who have had the event at the quartiles of survival.
QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}
#: A share of survival that is rounding: a product of fractions that is .75 may miss it.
ROUNDING = 1e-9
#: Columns that models have beside covariates.
RESERVED = ("leaf", "treated")


def leaves_of(tree: Any, X, n: int) -> np.ndarray:
    """Leaf of each of n patients, (n,) int; an `InputError` where there are others."""
    leaf = np.asarray(tree.apply(X))
    if len(leaf) != n:
        raise InputError(
            f"X has {len(leaf)} rows and time {n} values", remedy="give one per patient"
        )
    return leaf


def curve(time: np.ndarray, died: np.ndarray, confidence: float) -> dict[str, float]:
    """Quartiles and last point of a Kaplan-Meier curve; NaN where there are no patients."""
    if not len(time):
        names = [*QUARTILES, "last_survival"]
        names += [f"{name}_{end}" for name in names for end in ("low", "high")]
        return dict.fromkeys([*names, "last_time"], math.nan)
    from lifelines import KaplanMeierFitter

    fitted = KaplanMeierFitter(alpha=1.0 - confidence).fit(time, died)
    when = fitted.survival_function_.index.to_numpy()
    survival = fitted.survival_function_.iloc[:, 0].to_numpy()
    low, high = fitted.confidence_interval_survival_function_.to_numpy().T
    found = {}
    for name, share in QUARTILES.items():
        found[name] = _first(when, survival, 1.0 - share)
        found[f"{name}_low"] = _first(when, low, 1.0 - share)
        # Where the curve ends above, so does its upper bound: that quantile has no upper limit. Nor
        # has it where only a last fall to 0 goes below: at 0 the interval is not defined.
        found[f"{name}_high"] = _first(when[survival > 0.0], high[survival > 0.0], 1.0 - share)
    found["last_time"] = float(when[-1])
    found["last_survival"] = float(survival[-1])
    # At 0 and 1 the log-log interval is not defined; one of no width would say too much.
    inside = 0.0 < found["last_survival"] < 1.0
    found["last_survival_low"] = float(low[-1]) if inside else math.nan
    found["last_survival_high"] = float(high[-1]) if inside else math.nan
    return found


def _first(when: np.ndarray, survival: np.ndarray, level: float) -> float:
    """First time at which a curve is not above a level; infinite where it never is."""
    there = when[survival <= level + ROUNDING]
    return float(there[0]) if len(there) else math.inf


def incidence(
    time: np.ndarray, event: np.ndarray, cause: int, confidence: float
) -> dict[str, float]:
    """Cumulative incidence of the cause by its last event, others competing (Aalen-Johansen).

    The interval is that of log(-log) with the delta method's variance (Marubini and Valsecchi
    1995); NaN without an event, or where nobody is left at risk after the last one.
    """
    needed("statsmodels", PURPOSE)
    from scipy.stats import norm
    from statsmodels.duration.survfunc import CumIncidenceRight

    found = {"incidence": 0.0, "incidence_low": math.nan, "incidence_high": math.nan}
    if not (event == cause).any():
        return found
    codes = np.where(event == cause, 1, np.where(event != 0, 2, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = CumIncidenceRight(time, codes)
    curve, error = fitted.cinc[0], fitted.cinc_se[0]
    # Where it reaches its end: after the last patient at risk there is no variance.
    end = int(np.argmax(curve == curve[-1]))
    found["incidence"] = share = float(curve[end])
    if share < 1.0 and not math.isnan(error[end]):
        z = norm.ppf((1.0 + confidence) / 2.0)
        factor = math.exp(z * error[end] / (share * math.log(share)))
        found["incidence_low"], found["incidence_high"] = share ** (1.0 / factor), share**factor
    return found


def model_matrix(covariates: pd.DataFrame, n: int) -> pd.DataFrame:
    """Covariates as numbers, a category as one indicator per level but the first."""
    pd = needed("pandas", PURPOSE)
    if not isinstance(covariates, pd.DataFrame) or len(covariates) != n:
        raise InputError(
            f"covariates are no data frame of {n} rows", remedy="give one row per patient"
        )
    columns: dict[str, Any] = {}
    for name in covariates:
        column = covariates[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            known = column.notna().to_numpy()
            for level in column.cat.categories[1:]:
                columns[f"{name}={level}"] = np.where(known, column == level, np.nan)
        elif pd.api.types.is_numeric_dtype(column.dtype) and not is_complex(column):
            columns[str(name)] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            raise InputError(
                f"covariate {name!r} holds {column.dtype}",
                remedy="give numbers, True and False, or a pandas categorical",
            )
        if np.isinf(columns.get(str(name), 0.0)).any():
            raise InputError(f"covariate {name!r} is infinite", remedy="leave these patients out")
    if taken := [name for name in RESERVED if name in columns]:
        raise InputError(f"a covariate is called {taken[0]!r}", remedy="give it another name")
    return pd.DataFrame(columns)


def holm(p: np.ndarray) -> np.ndarray:
    """p corrected by Holm's procedure; what is missing is not counted."""
    needed("statsmodels", PURPOSE)

    corrected, known = np.full(len(p), np.nan), ~np.isnan(p)
    tests = [significance.TestResult("", math.nan, float(value), 0, ()) for value in p[known]]
    corrected[known] = [test.p for test in significance.holm(tests)]
    return corrected
