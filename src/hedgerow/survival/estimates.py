"""Estimates of survival that both tables are made of: a curve, an incidence, a hazard ratio."""

from __future__ import annotations

import contextlib
import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.optional import needed

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "survival in leaves"
#: Share of patients who have had the event at the quartiles of survival.
QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}
#: Where a covariate separates those with the event perfectly, the likelihood has no maximum: the
#: fit stops somewhere, with a standard error of the logarithmic hazard ratio, per standard
#: deviation of the covariate, that no data give otherwise.
SEPARATED = 25.0
#: When a Cox fit ends: squares of the last step in standard errors, and what the likelihood gained
#: by it. With those of lifelines hazard ratios are right to four digits.
PRECISE = {"precision": 1e-14, "r_precision": 1e-15}
#: Steps of Newton's method, as lifelines has them and shorter: where few of many patients have much
#: of the events, the first step goes so far that it ends in numbers that are none, or beyond all.
FITS = ({}, {"step_size": 0.5}, {"step_size": 0.1})
#: Columns that models have beside covariates.
RESERVED = ("leaf", "treated", "_time", "_event")
#: Why a cell of a Cox model is empty, in a word.
NO_EVENTS, ALL_EVENTS, ALONE = "no events", "all events", "one group"
SINGULAR, SEPARATES, FEW = "singular", "separated", "too few"


def leaves_of(tree: Any, X, n: int) -> np.ndarray:
    """Leaf of each of n patients, (n,) int; an `InputError` where there are others."""
    leaf = np.asarray(tree.apply(X))
    if len(leaf) != n:
        raise InputError(
            f"X has {len(leaf)} rows and time {n} values", remedy="give one per patient"
        )
    return leaf


def p_of(tested: Any) -> float:
    """p of a test; 1 where nothing tells the groups apart, as when none of them has an event."""
    p = float(tested.p_value)
    return 1.0 if math.isnan(p) else p


def curve(time: np.ndarray, died: np.ndarray, confidence: float) -> dict[str, float]:
    """Quartiles and last point of a Kaplan-Meier curve; NaN where there are no patients."""
    if not len(time):
        names = [*QUARTILES, "last_survival"]
        names += [f"{name}_{end}" for name in names for end in ("low", "high")]
        return dict.fromkeys([*names, "last_time"], math.nan)
    from lifelines import KaplanMeierFitter
    from lifelines.utils import qth_survival_time

    fitted = KaplanMeierFitter(alpha=1.0 - confidence).fit(time, died)
    curve = fitted.survival_function_
    interval = fitted.confidence_interval_survival_function_
    low, high = interval.iloc[:, [0]], interval.iloc[:, [1]]
    found = {}
    for name, share in QUARTILES.items():
        found[name] = float(qth_survival_time(1.0 - share, curve))
        # Where the curve ends above, so does its upper bound: that quantile has no upper limit.
        found[f"{name}_low"] = float(qth_survival_time(1.0 - share, low))
        found[f"{name}_high"] = float(qth_survival_time(1.0 - share, high))
    found["last_time"] = float(curve.index[-1])
    found["last_survival"] = float(curve.iloc[-1, 0])
    # At 0 and 1 the log-log interval is not defined; one of no width would say too much.
    inside = 0.0 < found["last_survival"] < 1.0
    found["last_survival_low"] = float(low.iloc[-1, 0]) if inside else math.nan
    found["last_survival_high"] = float(high.iloc[-1, 0]) if inside else math.nan
    return found


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


def cox(
    frame: pd.DataFrame, of: str, time: np.ndarray, died: np.ndarray, confidence: float
) -> dict[str, Any]:
    """Hazard ratio of an indicator among columns, the others adjusted for, or a word in its place.

    Parameters
    ----------
    frame : DataFrame
        Numbers, NaN where missing: such rows are left out.
    of : str
        The indicator.
    time : (n,) float array
    died : (n,) bool array
    confidence : float

    Returns
    -------
    dict
        `hazard_ratio` with `_low` and `_high`, `cox_p` (Wald), `ph_p` (proportional hazards:
        scaled Schoenfeld residuals over ranks of time); NaN where `cox_note` has a word.
    """
    from lifelines.statistics import proportional_hazard_test

    names = ("hazard_ratio", "hazard_ratio_low", "hazard_ratio_high", "cox_p", "ph_p")
    empty = dict.fromkeys(names, math.nan)
    known = frame.notna().all(axis=1).to_numpy()
    data = frame[known].astype(float)
    data = data.loc[:, [c for c in data if c == of or data[c].nunique() > 1]]
    inside, event = data[of].to_numpy() == 1.0, died[known]
    if not inside.any() or inside.all():
        return empty | {"cox_note": ALONE}
    if not event[inside].any():
        return empty | {"cox_note": NO_EVENTS}
    if not event[~inside].any():
        return empty | {"cox_note": ALL_EVENTS}
    if event.sum() <= data.shape[1]:
        return empty | {"cox_note": FEW}
    if np.linalg.matrix_rank(data - data.mean()) < data.shape[1]:
        return empty | {"cox_note": SINGULAR}
    data = data.assign(_time=time[known], _event=event)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they tell is told by the note
        fitted = _fitted(data, confidence)
        if fitted is None:
            return empty | {"cox_note": SEPARATES}
        proportional = proportional_hazard_test(fitted, data, time_transform="rank")
    line = fitted.summary.loc[of]
    low, high = line.filter(regex=r"^exp\(coef\) (lower|upper)")
    values = (line["exp(coef)"], low, high, line["p"], proportional.summary.loc[of, "p"])
    return {**dict(zip(names, map(float, values), strict=True)), "cox_note": ""}


def _fitted(data: pd.DataFrame, confidence: float) -> Any:
    """A Cox model of all columns, or None where a covariate separates those with the event."""
    from lifelines import CoxPHFitter
    from lifelines.exceptions import ConvergenceError

    spread = data.drop(columns=["_time", "_event"]).std()
    for options in FITS:
        with contextlib.suppress(ConvergenceError, ArithmeticError, np.linalg.LinAlgError):
            model = CoxPHFitter(alpha=1.0 - confidence)
            fitted = model.fit(data, "_time", "_event", fit_options=PRECISE | options)
            if (fitted.standard_errors_ * spread).max() < SEPARATED:
                return fitted
    return None


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
        elif pd.api.types.is_numeric_dtype(column.dtype):
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
    from statsmodels.stats.multitest import multipletests

    corrected, known = np.full(len(p), np.nan), ~np.isnan(p)
    if known.any():
        corrected[known] = multipletests(p[known], method="holm")[1]
    return corrected
