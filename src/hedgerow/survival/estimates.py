"""Estimates of survival that both tables are made of: a curve, an incidence, corrected p."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import is_complex
from hedgerow.errors import InputError
from hedgerow.evaluation import significance
from hedgerow.optional_imports import import_optional
from hedgerow.survival.follow_up import MIN_FOLLOWED, is_followed, share_followed

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "survival in leaves"
#: Share of patients who have had the event at the quartiles of survival.
QUARTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}
#: A share of survival that is rounding: a product of fractions that is .75 may miss it.
ROUNDING = 1e-9
#: A share this near to 0 or 1 has no logarithm of its logarithm.
EDGE = 1e-4
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


class Steps:
    """Patients at risk and events at each time with an event of any cause, and what follows.

    Parameters
    ----------
    time : (n,) float array
    event : (n,) int or bool array
        0, or the cause.
    cause : int
    entry : (n,) float array, optional
        At risk at t are those with entry < t <= time.

    Attributes
    ----------
    when : (k,) float array
        The times.
    at_risk, events, own : (k,) float arrays
        Patients at risk, events, events of the cause.
    survival, before : (k,) float arrays
        Kaplan-Meier of all events after and before each time. Once it is 0 it stays there, even
        where more patients enter.
    """

    def __init__(self, time, event, cause: int = 1, entry=None):
        had = event != 0
        self.when = np.unique(time[had])
        size = len(self.when) + 1
        self.until = np.searchsorted(self.when, time, side="right")
        self.since = np.zeros(len(time), dtype=np.int64)
        if entry is not None:
            self.since = np.searchsorted(self.when, entry, side="right")
        leaving, coming = (np.bincount(n, minlength=size) for n in (self.until, self.since))
        # The last one is after all events.
        at_risk = np.cumsum(coming) - np.cumsum(leaving)
        self.at_risk = at_risk[:-1].astype(np.float64)
        counts = [
            np.bincount(self.until[rows] - 1, minlength=size) for rows in (had, event == cause)
        ]
        self.events, self.cause_events = (n[:-1].astype(np.float64) for n in counts)
        self.had_event, self.caused = had, event == cause
        self.survival = np.cumprod(1.0 - self.events / self.at_risk)
        self.before = np.append(1.0, self.survival)[:-1]

    def incidence(self) -> np.ndarray:
        """Share who have had the cause by each time (Aalen-Johansen), (k,)."""
        return np.cumsum(self.before * self.cause_events / self.at_risk)

    def incidence_errors(self) -> np.ndarray:
        """Standard error of the incidence at each time by the delta method, (k,)."""
        # NaN at its end. Marubini and Valsecchi (1995); of one cause Greenwood's. A square of the
        # difference of two incidences is multiplied out, so that sums over the times before are
        # running sums.
        share, left = self.incidence(), self.at_risk - self.events
        with np.errstate(divide="ignore", invalid="ignore"):
            all_causes = self.events / (self.at_risk * left)
            squares = (
                self.before**2
                * self.cause_events
                * (self.at_risk - self.cause_events)
                / self.at_risk**3
            )
            mixed = self.before * self.cause_events / self.at_risk**2
            variance = (
                share**2 * np.cumsum(all_causes)
                - 2.0 * share * np.cumsum(all_causes * share)
                + np.cumsum(all_causes * share**2)
                + np.cumsum(squares)
                - 2.0 * share * np.cumsum(mixed)
                + 2.0 * np.cumsum(mixed * share)
            )
            return np.sqrt(np.maximum(variance, 0.0))

    def influence(self, height: np.ndarray) -> np.ndarray:
        """What each patient adds to a sum over the steps of the incidence, (n,)."""
        # height: what each step counts in the sum: 1 up to a time for the incidence there. The
        # infinitesimal jackknife: the derivative by the weight of each patient, whose sum of
        # squares is a variance. A patient adds to the own step, and takes from what is left of the
        # sum by an event of any cause; all at risk share in the opposite.
        step = height * self.before / self.at_risk
        total = np.cumsum(step * self.cause_events)
        rest = (total[-1] if len(total) else 0.0) - total
        alive = self.at_risk - self.events
        rest = np.divide(rest, alive, out=np.zeros_like(rest), where=alive > 0.0)
        shared = np.append(
            0.0, np.cumsum((step * self.cause_events - rest * self.events) / self.at_risk)
        )
        influence = shared[self.since] - shared[self.until]
        influence[self.had_event] -= rest[self.until[self.had_event] - 1]
        influence[self.caused] += step[self.until[self.caused] - 1]
        return influence


def curve(
    time: np.ndarray, died: np.ndarray, confidence: float, entry: np.ndarray | None = None
) -> dict[str, float]:
    """Quartiles and last point of a Kaplan-Meier curve; NaN where there are no patients."""
    # entry: at risk at t are those with entry < t <= time: the curve is of those who live to the
    # first entry.
    if not len(time):
        names = [*QUARTILES, "last_survival"]
        names += [f"{name}_{end}" for name in names for end in ("low", "high")]
        return dict.fromkeys([*names, "last_time"], math.nan)
    if entry is None:
        from lifelines import KaplanMeierFitter

        fitted = KaplanMeierFitter(alpha=1.0 - confidence).fit(time, died)
        when = fitted.survival_function_.index.to_numpy()
        survival = fitted.survival_function_.iloc[:, 0].to_numpy()
        low, high = fitted.confidence_interval_survival_function_.to_numpy().T
    else:
        # lifelines takes who enters at the time of an event to be at risk there.
        when, survival, low, high = _delayed_entry_curve(time, died, entry, confidence)
    estimates = {}
    for name, share in QUARTILES.items():
        estimates[name] = _first(when, survival, 1.0 - share)
        estimates[f"{name}_low"] = _first(when, low, 1.0 - share)
        # Where the curve ends above, so does its upper bound: that quantile has no upper limit. Nor
        # has it where only a last fall to 0 goes below: at 0 the interval is not defined.
        estimates[f"{name}_high"] = _first(when[survival > 0.0], high[survival > 0.0], 1.0 - share)
    estimates["last_time"] = float(when[-1])
    estimates["last_survival"] = float(survival[-1])
    # At 0 and 1 the log-log interval is not defined; one of no width would say too much.
    inside = 0.0 < estimates["last_survival"] < 1.0
    estimates["last_survival_low"] = float(low[-1]) if inside else math.nan
    estimates["last_survival_high"] = float(high[-1]) if inside else math.nan
    return estimates


def _delayed_entry_curve(
    time: np.ndarray, died: np.ndarray, entry: np.ndarray, confidence: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kaplan-Meier of patients who enter late, from 0 to the last time, with log-log intervals."""
    from scipy.stats import norm

    steps = Steps(time, died.astype(np.int64), 1, entry)
    left = steps.at_risk - steps.events
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(steps.events / (steps.at_risk * left))
        log = np.log(steps.survival)
        half = norm.ppf((1.0 + confidence) / 2.0) * np.sqrt(greenwood) / log
        low, high = steps.survival ** np.exp(-half), steps.survival ** np.exp(half)
    over = steps.survival == 0.0
    low[over] = high[over] = 0.0
    ends = [(0.0, 1.0, math.nan, math.nan)]
    if len(steps.when):
        last = (time.max(), steps.survival[-1], low[-1], high[-1])
    else:
        last = (time.max(), 1.0, math.nan, math.nan)
    inner = zip(steps.when, steps.survival, low, high, strict=True)
    when, survival, low, high = np.array([*ends, *inner, last]).T
    return when, survival, low, high


def _first(when: np.ndarray, survival: np.ndarray, level: float) -> float:
    """First time at which a curve is not above a level; infinite where it never is."""
    reached = when[survival <= level + ROUNDING]
    return float(reached[0]) if len(reached) else math.inf


def incidence(
    time: np.ndarray,
    event: np.ndarray,
    cause: int,
    confidence: float,
    entry: np.ndarray | None = None,
) -> dict[str, float]:
    """Cumulative incidence of the cause by its last event, others competing (Aalen-Johansen)."""
    # The interval is that of log(-log) with the delta method's variance (Marubini and Valsecchi
    # 1995), of patients who enter late with that of the infinitesimal jackknife; NaN without an
    # event, or where nobody is left at risk after the last one. entry: at risk at t are those with
    # entry < t <= time: the incidence is of those who live to the first entry.
    import_optional("statsmodels", PURPOSE)

    estimates = {"incidence": 0.0, "incidence_low": math.nan, "incidence_high": math.nan}
    if not (event == cause).any():
        return estimates
    if entry is None:
        from statsmodels.duration.survfunc import CumIncidenceRight

        codes = np.where(event == cause, 1, np.where(event != 0, 2, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            fitted = CumIncidenceRight(time, codes)
        curve, errors = fitted.cinc[0], fitted.cinc_se[0]
        # Where it reaches its end: after the last patient at risk there is no variance.
        end = int(np.argmax(curve == curve[-1]))
        share, error = float(curve[end]), errors[end]
    else:
        steps = Steps(time, event, cause, entry)
        grows = np.flatnonzero(steps.cause_events * steps.before > 0.0)
        if not len(grows):
            return estimates
        end = int(grows[-1])
        share = float(steps.incidence()[end])
        influence = steps.influence((np.arange(len(steps.when)) <= end).astype(np.float64))
        # Where the curve ends, as without entries.
        error = math.sqrt(influence @ influence) if steps.survival[end] > 0.0 else math.nan
    estimates["incidence"] = share
    if share < 1.0 and not math.isnan(error):
        low, high = log_log(share, error, confidence)
        estimates["incidence_low"], estimates["incidence_high"] = low, high
    return estimates


def log_log(share: float, error: float, confidence: float) -> tuple[float, float]:
    """Interval of a share between 0 and 1 on the scale of log(-log), by its standard error."""
    from scipy.stats import norm

    z = norm.ppf((1.0 + confidence) / 2.0)
    factor = math.exp(z * error / (share * math.log(share)))
    return share ** (1.0 / factor), share**factor


def risk_at(
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    cause: int = 1,
    entry: np.ndarray | None = None,
    min_followed: float = MIN_FOLLOWED,
) -> tuple[float, float]:
    """Share with the event by a horizon, and the standard error of log(-log(1 - share))."""
    # entry: at risk at t are those with entry < t <= time. min_followed: share of the patients that
    # could be followed to the horizon (`share_followed`) from which on there is a risk. A curve
    # that falls to 0 because the last of many who were censored had the event says nothing. share,
    # error: Kaplan-Meier with Greenwood's variance, or Aalen-Johansen where another event comes
    # before the horizon. NaN where less than `min_followed` could be followed so far; with entries
    # also where all at risk have an event before others enter.
    if not is_followed(share_followed(time, event, horizon, entry), min_followed):
        return math.nan, math.nan
    if entry is not None:
        return _risk_of_entered(time, event, horizon, cause, entry)
    import_optional("statsmodels", PURPOSE)
    from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight

    early = time <= horizon
    codes = np.where(early & (event != 0), np.where(event == cause, 1, 2), 0)
    if not (codes == 1).any():
        return 0.0, math.nan
    until = np.minimum(time, horizon)
    with np.errstate(divide="ignore", invalid="ignore"):
        if (codes == 2).any():
            fitted = CumIncidenceRight(until, codes)
            share, error = float(fitted.cinc[0][-1]), float(fitted.cinc_se[0][-1])
        else:
            fitted = SurvfuncRight(until, codes)
            share, error = 1.0 - float(fitted.surv_prob[-1]), float(fitted.surv_prob_se[-1])
    return share, _on_log_log(share, error)


def _on_log_log(share: float, error: float) -> float:
    """Standard error of log(-log(1 - share)) from that of a share; NaN where it has none."""
    if not (EDGE < share < 1.0 - EDGE and error > 0.0):
        return math.nan
    return error / ((1.0 - share) * abs(math.log1p(-share)))


def _risk_of_entered(time, event, horizon: float, cause: int, entry) -> tuple[float, float]:
    """`risk_at` of patients who come under observation late."""
    early = time <= horizon
    had = early & (event != 0)
    several = (had & (event != cause)).any()
    steps = Steps(np.minimum(time, horizon), np.where(had, event, 0), cause, entry)
    ended = bool(len(steps.when)) and steps.survival[-1] == 0.0
    reached = bool(((entry < horizon) & (time >= horizon)).any())
    if not (reached or ended) or ran_out(time, had, entry, horizon) is not None:
        return math.nan, math.nan
    if not (had & (event == cause)).any():
        return 0.0, math.nan
    if several:
        share = float(steps.incidence()[-1])
        influence = steps.influence(np.ones(len(steps.when)))
        return share, _on_log_log(share, math.sqrt(influence @ influence))
    share = 1.0 - float(steps.survival[-1])
    left = steps.at_risk * (steps.at_risk - steps.events)
    greenwood = np.divide(steps.events, left, out=np.zeros_like(left), where=left > 0.0)
    return share, _on_log_log(share, (1.0 - share) * math.sqrt(greenwood.sum()))


def ran_out(
    time: np.ndarray, had: np.ndarray, entry: np.ndarray | None, horizon: float = math.inf
) -> float | None:
    """The first time up to the horizon at which all at risk have an event, though others come."""
    # A curve is 0 from there on, whatever becomes of those who enter later. had: whose follow-up
    # ends with an event. horizon: those who enter at it or later tell nothing. Gives None where it
    # never happens, as it cannot without entries.
    if entry is None:
        return None
    steps = Steps(time, had, 1, entry)
    empty = steps.when[(steps.events == steps.at_risk) & (steps.when < horizon)]
    late = entry[entry < horizon].max(initial=-1.0)
    return float(empty[0]) if len(empty) and late >= empty[0] else None


def model_matrix(covariates: pd.DataFrame, n: int) -> pd.DataFrame:
    """Covariates as numbers, a category as one indicator per level but the first."""
    pd = import_optional("pandas", PURPOSE)
    if not isinstance(covariates, pd.DataFrame) or len(covariates) != n:
        raise InputError(
            f"covariates are no data frame of {n} rows", remedy="give one row per patient"
        )
    columns: dict[str, Any] = {}
    for name in covariates:
        column = covariates[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            observed = column.notna().to_numpy()
            for level in column.cat.categories[1:]:
                columns[f"{name}={level}"] = np.where(observed, column == level, np.nan)
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
    import_optional("statsmodels", PURPOSE)

    tests = [significance.TestResult("", math.nan, float(value), 0, ()) for value in p]
    return np.array([test.p for test in significance.holm(tests)], dtype=float)
