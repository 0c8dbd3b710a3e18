"""How the risks of a model hold in another hospital.

Patients whose follow-up ends before the horizon are stood for by others with weights (inverse
probability of censoring), those with another event count as not having had this one: with these
weights the share of events is that of Kaplan-Meier, or of Aalen-Johansen.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import check_number
from hedgerow.errors import InputError
from hedgerow.survival import censoring_weights, concordance, horizon_labels
from hedgerow.survival.estimates import ran_out
from hedgerow.survival.follow_up import is_followed, share_followed
from hedgerow.survival.labels import NobodyLeft, entry_of
from hedgerow.texts import with_unit
from hedgerow_clinic.cohort import Cohort
from hedgerow_clinic.counts import ProtectedCounts, protected_counts
from hedgerow_clinic.disclosure import SHOWN, small
from hedgerow_clinic.model import Point, RiskModel, Source, curve_of, group_of
from hedgerow_clinic.risks import decision_curve, risk_by

if TYPE_CHECKING:
    import pandas as pd

#: A risk of 0 or 1 has no logit.
LEAST_RISK = 0.001
#: Samples with replacement, by which intervals are found; at most.
RESAMPLES, MOST_RESAMPLES = 200, 10_000
CONFIDENCE = 0.95
#: Share of the samples in which a measure may be missing.
MOST_MISSING_SHARE = 0.1
#: Slopes beyond it come of groups that the samples divide wholly.
STEEPEST = 50.0
MEASURES = ("ratio", "intercept", "slope", "concordance", "brier", "scaled_brier")


@dataclass(frozen=True)
class Measure:
    """A number and its interval; NaN where there is none."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Validation:
    """What was found of a model in another hospital; counts as they are.

    Attributes
    ----------
    model : RiskModel
    cohort : Cohort
    X : DataFrame
        Inputs of the model that the table has, read.
    time, event : (n,) arrays
        Until an intervention.
    leaf : (n,) int array
    shares : (n,) float array
        Of each patient in its group.
    risk : (n,) float array
        By the model; NaN where it has none.
    has_competing_risks : bool
        Whether causes compete here or did in the first hospital.
    counts : Counted
        By the horizon, in the order of the groups.
    observed : dict of (float, float, float)
        Node (-1: all) -> share with the event by the horizon, and its interval.
    expected : float
    measures : dict of Measure
    line : (float, float)
        Intercept and slope of the recalibrated logit, both estimated.
    curves : dict of tuple of Point
        By node.
    decisions : DataFrame
    is_withheld : (99,) bool array
        Thresholds that are not shown.
    resamples, seed, least : int
    entry : (n,) array or None
        When each patient came under observation.
    n_late : int
        Patients who came when an intervention, or the horizon, was past: they tell nothing, and
        are not among the others.
    groups_without_risk : tuple of int
        Numbers of groups of which nothing can be said at the horizon: the model has no risk, or
        few of the patients here could be followed so long. They are in no measure.
    """

    model: RiskModel
    cohort: Cohort
    X: pd.DataFrame
    time: np.ndarray
    event: np.ndarray
    leaf: np.ndarray
    shares: np.ndarray
    risk: np.ndarray
    has_competing_risks: bool
    counts: ProtectedCounts
    observed: dict[int, tuple[float, float, float]]
    expected: float
    measures: dict[str, Measure]
    line: tuple[float, float]
    curves: dict[int, tuple[Point, ...]]
    decisions: pd.DataFrame
    is_withheld: np.ndarray
    resamples: int
    seed: int
    least: int
    entry: np.ndarray | None = None
    n_late: int = 0
    groups_without_risk: tuple[int, ...] = ()

    @property
    def nodes(self) -> list[int]:
        """Leaves in the order of the groups."""
        return [group.node for group in self.model.groups]

    def is_few(self, row: int) -> bool:
        """Whether patients or events of a group (the last: of all) are not shown."""
        hidden = self.counts.mask[row, [0, 4]] != SHOWN
        few = small(self.counts.counts[row, [0, 4]], self.least)
        return bool(hidden.any() or few.any())


def validate_model(
    model: RiskModel,
    cohort: Cohort,
    X: pd.DataFrame,
    leaf: np.ndarray,
    shares: np.ndarray,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    least: int = 5,
    progress: Callable[[str], Any] | None = None,
) -> Validation:
    """Compare what a model says with what came in another hospital."""
    # cohort: its horizon is that of the model. resamples: 0: no intervals but those of Kaplan-Meier
    # or Aalen-Johansen.
    tell = progress or (lambda words: None)
    check_number("--resamples", resamples, 0, MOST_RESAMPLES, whole=True)
    check_number("--seed", seed, 0, 2**32 - 1, whole=True)
    seen = _is_at_risk(model, cohort)
    cohort, X = cohort.subset(seen), X[seen].reset_index(drop=True)
    leaf, shares = leaf[seen], shares[seen]
    time, event = cohort.natural_history()
    entry, horizon, needed = cohort.entry, model.horizon, model.min_followed
    by_node = {group.node: math.nan if group.risk is None else group.risk for group in model.groups}
    risk = np.array([by_node[int(node)] for node in leaf])
    inside = {node: leaf == node for node in by_node}
    observed = {
        node: risk_by(time[rows], event[rows], horizon, CONFIDENCE, entry_of(entry, rows), needed)
        for node, rows in inside.items()
    }
    # Where few could be followed, those whose class is known are those with the event.
    nodes_with_risk = [n for n, value in by_node.items() if not math.isnan(value + observed[n][0])]
    has_risk = np.isin(leaf, nodes_with_risk)
    counts = protected_counts(list(by_node), leaf, time, event, horizon, least)
    _check_enough(model, time, event, entry, has_risk, counts)
    tell("observed and expected")
    about = (time[has_risk], event[has_risk], risk[has_risk], horizon, entry_of(entry, has_risk))
    return Validation(
        model,
        cohort,
        X,
        time,
        event,
        leaf,
        shares,
        risk,
        model.has_competing_risks or bool((event > 1).any()),
        counts,
        **_overall_measures(about, observed, needed, resamples, seed, least, tell),
        curves={
            node: curve_of(time[rows], event[rows], horizon, least, entry_of(entry, rows))
            for node, rows in inside.items()
        },
        resamples=resamples,
        seed=seed,
        least=least,
        entry=entry,
        n_late=int((~seen).sum()),
        groups_without_risk=tuple(
            group.number for group in model.groups if group.node not in nodes_with_risk
        ),
    )


def _is_at_risk(model: RiskModel, cohort: Cohort) -> np.ndarray:
    """Who came under observation before an intervention and the horizon, (n,) bool."""
    if cohort.entry is None:
        return np.ones(len(cohort), dtype=bool)
    time, event = cohort.natural_history()
    seen = (time > cohort.entry) & (cohort.entry < model.horizon)
    if seen.any():
        when = ran_out(time[seen], event[seen] != 0, cohort.entry[seen], model.horizon)
        if when is not None:
            raise NobodyLeft(when, model.unit)
    return seen


def _overall_measures(
    about, observed, needed: float, resamples, seed, least, tell
) -> dict[str, Any]:
    """What is found of all patients together, by its name in `Validation`."""
    # about: follow-up, risk, horizon and entry, as `measures_of` takes them.
    time, event, risk, horizon, since = about
    everybody = risk_by(time, event, horizon, CONFIDENCE, since, needed)
    point = measures_of(*about)
    tell("intervals")
    drawn = _bootstrap_measures(*about, resamples, seed)
    measures = {n: Measure(point[n], *_interval(drawn[:, k])) for k, n in enumerate(MEASURES)}
    if expected := point["expected"]:
        measures["ratio"] = Measure(*(value / expected for value in everybody))
    tell("decision curve")
    decisions = decision_curve(risk, time, event, horizon, since, needed)
    return {
        "observed": {**observed, -1: everybody},
        "expected": expected,
        "measures": measures,
        "line": line_of(*about),
        "decisions": decisions,
        "is_withheld": _withheld(decisions, risk, time, event, horizon, least),
    }


def _check_enough(model: RiskModel, time, event, entry, has_risk, counts: ProtectedCounts) -> None:
    """Whether enough patients are followed to the horizon, and have the event by then or not."""
    horizon, needed = model.horizon, model.min_followed
    remedy = "the horizon is that of the model: a longer follow-up is needed"
    share = share_followed(time[has_risk], event[has_risk], horizon, entry_of(entry, has_risk))
    if not is_followed(share, needed):
        share = share_followed(time, event, horizon, entry)
        raise InputError(
            f"{100 * share:.1f} % of the patients could be followed to "
            f"{with_unit(horizon, model.unit)}, and in each group of the model that has a risk "
            f"fewer than {100 * needed:g} %",
            remedy=remedy,
        )
    if not ((event == 1) & (time <= horizon) & has_risk).any():
        raise InputError(f"nobody has the event by {with_unit(horizon, model.unit)}", remedy=remedy)
    if (counts.mask[-1, [0, 4]] != SHOWN).any():
        raise InputError(
            "so few patients have the event, or do not have it, that nothing could be shown",
            remedy="add patients, or say --show-small-counts and keep the folder to yourself",
        )


# ---------------------------------------------------------------------------------- measures


def measures_of(
    time: np.ndarray,
    event: np.ndarray,
    risk: np.ndarray,
    horizon: float,
    entry: np.ndarray | None = None,
) -> dict[str, float]:
    """Every measure of predicted risks, without intervals."""
    # Observed over expected; intercept and slope of calibration (Cox 1958; Van Calster and others
    # 2016) by logistic regression with the weights of censoring (Blanche, Holt and Scheike 2023):
    # the intercept where the slope is 1, the slope where both are free; concordance (Harrell); the
    # score of Brier at the horizon with the same weights (Graf and others 1999), and its share
    # below that of one risk for all. entry: weights, the mean risk and pairs are those of late
    # entry then. Gives expected, the mean risk, and each of `MEASURES`; NaN where there is none:
    # where all risks are the same there is no slope.
    labels, weights = _weighted(time, event, horizon, entry)
    mean = float(risk.mean())
    if entry is not None:
        mean = float(risk @ weights) / float(weights.sum())
    total = float(weights.sum())
    share = float(weights @ labels) / total if total else math.nan
    brier = float(weights @ (labels - risk) ** 2) / len(time)
    without = float(weights @ (labels - share) ** 2) / len(time) if total else math.nan
    return {
        "expected": mean,
        "ratio": share / mean if risk.any() else math.nan,
        "intercept": _logistic(labels, weights, risk, slope=False)[0],
        "slope": _logistic(labels, weights, risk, slope=True)[1],
        "concordance": concordance(time, event, risk, entry=entry),
        "brier": brier,
        "scaled_brier": 1.0 - brier / without if without else math.nan,
    }


def line_of(time, event, risk, horizon, entry=None) -> tuple[float, float]:
    """Intercept and slope of the logit of the risk, both free."""
    return _logistic(*_weighted(time, event, horizon, entry), risk, slope=True)


def _weighted(time, event, horizon, entry) -> tuple[np.ndarray, np.ndarray]:
    """Whether the event came by the horizon, and the weight of each patient, (n,) each."""
    labels = horizon_labels(time, event, horizon, competing="survived", entry=entry)
    weights = censoring_weights(time, event, horizon, competing="survived", entry=entry)
    return np.where(labels.y == 1, 1.0, 0.0), weights


def logit(risk) -> np.ndarray:
    """Logit of risks, those near 0 and 1 moved in."""
    risk = np.clip(np.asarray(risk, dtype=float), LEAST_RISK, 1.0 - LEAST_RISK)
    return np.log(risk / (1.0 - risk))


def _logistic(labels, weights, risk, slope: bool) -> tuple[float, float]:
    """Intercept and slope on the logit of the risk, by patients of equal risk."""
    import statsmodels.api as sm

    levels, place = np.unique(risk, return_inverse=True)
    total = np.bincount(place, weights=weights)
    had = np.bincount(place, weights=weights * labels)
    used = total > 0.0
    x, share, total = logit(levels[used]), (had / np.maximum(total, 1e-300))[used], total[used]
    if not 0.0 < (share * total).sum() < total.sum() or (slope and len(np.unique(x)) < 2):
        return math.nan, math.nan
    columns = np.column_stack([np.ones(len(x)), x]) if slope else np.ones((len(x), 1))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            fitted = sm.GLM(
                share,
                columns,
                family=sm.families.Binomial(),
                var_weights=total,
                offset=None if slope else x,
            ).fit()
        except (ValueError, np.linalg.LinAlgError):  # groups that are divided wholly
            return math.nan, math.nan
    estimates = [float(v) for v in fitted.params]
    if not fitted.converged or not np.isfinite(estimates).all() or abs(estimates[-1]) > STEEPEST:
        return math.nan, math.nan
    return (estimates[0], estimates[1]) if slope else (estimates[0], 1.0)


def _bootstrap_measures(time, event, risk, horizon, entry, resamples: int, seed: int) -> np.ndarray:
    """Measures of samples with replacement, (resamples, 6)."""
    random = np.random.default_rng([seed, 3])
    estimates = np.full((resamples, len(MEASURES)), math.nan)
    for k in range(resamples):
        sample = random.integers(0, len(time), len(time))
        if time[sample].max() < horizon:
            continue
        about, since = (time[sample], event[sample]), entry_of(entry, sample)
        if entry is not None and math.isnan(risk_by(*about, horizon, entry=since)[0]):
            continue
        measures = measures_of(*about, risk[sample], horizon, since)
        estimates[k] = [measures[name] for name in MEASURES]
    return estimates


def _interval(values: np.ndarray) -> tuple[float, float]:
    """Percentiles of a measure over the samples; NaN where it lacks in many."""
    finite = values[np.isfinite(values)]
    if not len(values) or len(finite) < (1.0 - MOST_MISSING_SHARE) * len(values):
        return math.nan, math.nan
    out = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(finite, [out, 1.0 - out])
    return float(low), float(high)


def _withheld(decisions, risk, time, event, horizon, least: int) -> np.ndarray:
    """Thresholds between which, or at which, few patients or events would show, (99,) bool."""
    had = (event == 1) & (time <= horizon)
    hidden = np.zeros(len(decisions), dtype=bool)
    if not least:
        return hidden
    shown = [(0, 0), (len(risk), int(had.sum()))]
    is_small: dict[tuple[int, int], bool] = {}
    for place, threshold in enumerate(decisions["threshold"]):
        above = risk >= threshold
        counts = (int(above.sum()), int((had & above).sum()))
        if counts not in is_small:
            steps = [abs(counts[0] - a) for a, _ in shown] + [abs(counts[1] - b) for _, b in shown]
            others = [abs((counts[0] - counts[1]) - (a - b)) for a, b in shown]
            is_small[counts] = bool(small(np.array([*steps, *others]), least).any())
            if not is_small[counts]:
                shown.append(counts)
        hidden[place] = is_small[counts]
    return hidden


# ------------------------------------------------------------------------------- recalibration


def recalibrated_risks(validation: Validation) -> dict[int, dict[str, float]]:
    """Risks of each group for this hospital, in three ways."""
    # Gives node -> `shifted` (one number is learnt here: the intercept), `fitted` (two: intercept
    # and slope) and `estimated` (the group's own estimate; NaN where few are in it).
    risks = {}
    a, b = validation.line
    for row, group in enumerate(validation.model.groups):
        x = math.nan if group.risk is None else float(logit(group.risk))
        shift = x + validation.measures["intercept"].value
        risks[group.node] = {
            "shifted": 1.0 / (1.0 + math.exp(-shift)),
            "fitted": 1.0 / (1.0 + math.exp(-(a + b * x))),
            "estimated": math.nan if validation.is_few(row) else validation.observed[group.node][0],
        }
    return risks


def recalibrate(validation: Validation, source: Source, entry: str = "") -> RiskModel:
    """The model with the risks of this hospital's patients."""
    # A group of whom few are here has the shifted risk of the first hospital, and no interval; one
    # of whom few could be followed to the horizon has no risk. source: of this hospital.
    from dataclasses import replace

    risks, groups = recalibrated_risks(validation), []
    for row, group in enumerate(validation.model.groups):
        group_risks = risks[group.node]
        estimate, few = validation.observed[group.node], validation.is_few(row)
        if few and not math.isnan(estimate[0]):
            estimate = (group_risks["shifted"], math.nan, math.nan)
        few &= not math.isnan(estimate[0])
        if not few and not estimate[1] <= estimate[0] <= estimate[2]:
            estimate = (estimate[0], math.nan, math.nan)
        counts = tuple(
            validation.counts.shown(row, name, validation.least) for name in ("n", "events")
        )
        curve = () if few else validation.curves[group.node]
        groups.append(group_of(group.number, group.node, group.rule, counts, estimate, few, curve))
    return replace(
        validation.model,
        groups=tuple(groups),
        has_competing_risks=validation.has_competing_risks,
        n=validation.counts.shown(len(groups), "n", validation.least),
        least=validation.least,
        recalibrated_from=source,
        entry=entry,
    )
