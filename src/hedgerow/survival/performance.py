"""How good predicted risks at one horizon are, in all patients and in groups, with intervals.

Concordance, area under the curve, Brier score and the ratio of observed to expected events are sums
over patients and pairs of patients, so that all resamples of a bootstrap are counted together, with
the number of times that each patient is drawn as weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_number, check_random
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import ran_out
from hedgerow.survival.labels import (
    censoring_weights,
    checked_entry,
    checked_follow_up,
    entered_weights,
    entry_of,
    horizon_error,
    horizon_labels,
)
from hedgerow.survival.scores import PURPOSE, Pairs, predictions, ranks
from hedgerow.tree.table import check_row_order

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("concordance", "auc", "brier", "scaled_brier", "observed_expected")
MOST_BOOTSTRAPS = 100_000
#: Numbers in a table of patients and resamples, which bounds the memory.
AT_ONCE = 2_000_000
#: Weights that add up to less than this share of the patients stand for no longer follow-up.
MIN_WEIGHT_SHARE = 1.0 - 1e-9
EVERYBODY = "all"


class Brier(NamedTuple):
    """Brier score at one horizon.

    Attributes
    ----------
    score : float
        Mean squared error of the risks; 0 is certain and right.
    marginal : float
        Of the same risk for all, the share that Kaplan and Meier tell; NaN where it is 0 or 1.
    scaled : float
        1 - score / marginal: 1 is certain and right, 0 as good as the same risk for all, less is
        worse.
    """

    score: float
    marginal: float
    scaled: float


def brier_score(
    time,
    event,
    risk,
    horizon: float,
    *,
    cause: int = 1,
    competing: str = "censored",
    entry=None,
) -> Brier:
    """Mean squared error of predicted risks at a horizon, the censored stood for by others.

    Parameters
    ----------
    time, event, cause, competing
        As in `censoring_weights`, which tells how much each patient counts whose class is known.
    risk : (n,) array
        Predicted probability of the event by the horizon, from 0 to 1.
    horizon : float
        In the unit of `time`.
    entry : (n,) array, optional
        As in `censoring_weights`.

    Returns
    -------
    Brier
        Graf and others (1999); scaled as by Steyerberg and others (2010).

    Raises
    ------
    InputError
        Follow-up and entries as `censoring_weights` says; risks that are missing, not one per
        patient, or beyond 0 and 1; nobody is followed to the horizon.

    Examples
    --------
    >>> round(brier_score([1, 2, 5, 6], [1, 1, 0, 0], [0.9, 0.6, 0.3, 0.2], 4).scaled, 3)
    0.7
    """
    patients = _checked_patients(time, event, risk, horizon, cause, competing, entry)
    scores = patients.scores(np.ones((len(patients.time), 1)))
    score, scaled = scores["brier"][0], scores["scaled_brier"][0]
    share = scores["observed"][0]
    marginal = share * (1.0 - share) if 0.0 < share < 1.0 else math.nan
    return Brier(float(score), float(marginal), float(scaled))


def performance(
    time,
    event,
    risk,
    horizon: float,
    *,
    by=None,
    cause: int = 1,
    competing: str = "censored",
    n_bootstraps: int = 200,
    confidence: float = 0.95,
    random_state=None,
    entry=None,
) -> pd.DataFrame:
    """How good predicted risks at a horizon are, in all patients and in groups.

    Parameters
    ----------
    time, event, risk, horizon, cause, competing, entry
        As in `brier_score`.
    by : (n,) array, DataFrame or mapping of (n,) arrays, optional
        Groups of patients, such as sex and age groups; who has none is in no group.
    n_bootstraps : int, default 200
        Resamples of the patients, within each group; 0: no intervals.
    confidence : float, default .95
        Of the intervals, which go from quantile to quantile of the resamples.
    random_state : int or RandomState, optional
        Gives each row a seed of its own (`attrs["seeds"]`).

    Returns
    -------
    DataFrame
        One row for all patients and one per group:

        - `by`, `level`: name and value of the group; the first row is `all`;
        - `n`, and `events` by the horizon that were seen;
        - `concordance`: share of pairs in which who has the event first has the higher risk
          (Harrell 1996); with `competing='survived'` who has another event never has this one
          (Wolbers and others 2009); with entries as in `concordance`;
        - `auc`: area under the curve at the horizon, the censored stood for by others
          (`time_dependent_auc`);
        - `brier`, `scaled_brier`: as in `brier_score`;
        - `observed`, the share with the event by the horizon (Kaplan-Meier, or with 'survived'
          Aalen-Johansen), `expected`, the mean risk, with entries weighted as in
          `censoring_weights`, and `observed_expected`, their ratio;
        - `_low` and `_high` of concordance, auc, brier, scaled_brier and observed_expected.

        NaN where nothing can be compared, or nobody in the group is followed to the horizon, or all
        at risk in it have an event before others enter; of intervals, where this is so in one of
        ten resamples or more.

        `attrs` hold `horizon`, `n_bootstraps`, `confidence` and `seeds`.

    Raises
    ------
    InputError
        As `brier_score`; groups that are not one per patient.
    """
    pd = import_optional("pandas", PURPOSE)
    check_number("n_bootstraps", n_bootstraps, 0, MOST_BOOTSTRAPS, whole=True)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_row_order("by", by, time, "time")
    whole = _checked_patients(time, event, risk, horizon, cause, competing, entry)
    groups: list[tuple[str, Any, np.ndarray]] = [("", EVERYBODY, np.ones(len(whole.time), bool))]
    for name, labels in _groups(by, len(whole.time)).items():
        groups += [(name, level, (labels == level).to_numpy(bool)) for level in _levels(labels)]
    random = check_random("random_state", random_state)
    seeds = [int(seed) for seed in random.randint(0, 2**31 - 1, len(groups))]
    rows = []
    for (name, level, inside), seed in zip(groups, seeds, strict=True):
        subset = whole.subset(inside)
        row: dict[str, Any] = {"by": name, "level": level, "n": int(inside.sum())}
        row["events"] = int((subset.y == 1).sum())
        scores = subset.scores(np.ones((len(subset.time), 1)))
        drawn = subset.resampled(n_bootstraps, np.random.RandomState(seed))
        for measure in (*MEASURES[:-1], "observed", "expected", MEASURES[-1]):
            row[measure] = float(scores[measure][0])
            if measure in MEASURES:
                row |= _interval(measure, row[measure], drawn[measure], confidence)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs = {
        "horizon": float(horizon),
        "n_bootstraps": n_bootstraps,
        "confidence": confidence,
        "seeds": seeds,
    }
    return table


def _interval(name: str, value: float, drawn: np.ndarray, confidence: float) -> dict[str, float]:
    """Quantiles of the resamples, NaN where too many of them have no value."""
    finite = drawn[~np.isnan(drawn)]
    low = high = math.nan
    if not math.isnan(value) and len(finite) and len(finite) > 0.9 * len(drawn):
        ends = (1.0 - confidence) / 2.0
        low, high = (float(end) for end in np.quantile(finite, (ends, 1.0 - ends)))
    return {f"{name}_low": low, f"{name}_high": high}


class _Patients:
    """Follow-up, classes at the horizon and risks, and scores of weighted patients.

    Parameters
    ----------
    time : (n,) float array
    ends : (n,) bool array
        Whose follow-up ends by censoring.
    y : (n,) int array
        Class at the horizon, -1 where nobody knows.
    caused : (n,) bool array
        Who has the event.
    last : (n,) float array
        Time for pairs: infinite for patients who will not have the event.
    risk : (n,) float array
    horizon : float
    entry : (n,) float array or None
    """

    def __init__(self, time, ends, y, caused, last, risk, horizon: float, entry=None):
        self.time, self.ends, self.y, self.caused = time, ends, y, caused
        self.last, self.risk, self.horizon = last, risk, horizon
        self.entry = entry
        self._pairs: Pairs | None = None

    def subset(self, inside: np.ndarray) -> _Patients:
        """Some of the patients, (n,) bool."""
        return _Patients(
            self.time[inside],
            self.ends[inside],
            self.y[inside],
            self.caused[inside],
            self.last[inside],
            self.risk[inside],
            self.horizon,
            entry_of(self.entry, inside),
        )

    def resampled(self, n: int, random: np.random.RandomState) -> dict[str, np.ndarray]:
        """Scores of n resamples, each (n,)."""
        size = len(self.time)
        scores: dict[str, list[np.ndarray]] = {name: [np.empty(0)] for name in MEASURES}
        step = max(1, AT_ONCE // max(size, 1))
        for begin in range(0, n if size else 0, step):
            counts = [
                np.bincount(random.randint(0, size, size), minlength=size)
                for _ in range(begin, min(begin + step, n))
            ]
            batch = self.scores(np.column_stack(counts).astype(np.float64))
            for name in MEASURES:
                scores[name].append(batch[name])
        return {name: np.concatenate(values) for name, values in scores.items()}

    def scores(self, counts: np.ndarray) -> dict[str, np.ndarray]:
        """All measures, (b,) each, where patients count so often, (n, b)."""
        if not len(counts):
            return {
                name: np.full(counts.shape[1], np.nan)
                for name in (*MEASURES, "observed", "expected")
            }
        weights = counts * (
            self._censoring_weights(counts) if self.entry is None else self._entry_weights(counts)
        )
        n, y = counts.sum(axis=0), (self.y == 1).astype(np.float64)
        whole = weights.sum(axis=0) >= MIN_WEIGHT_SHARE * n
        with np.errstate(divide="ignore", invalid="ignore"):
            brier = ((y - self.risk) ** 2) @ weights / n
            observed, expected = y @ weights / n, self.risk @ counts / n
            if self.entry is not None:
                # Who enters late has lived to do so, and is too often of low risk.
                expected = np.where(whole, self.risk @ weights / n, np.nan)
            # Rounding aside: nobody or everybody has the event.
            marginal = np.where(
                (observed > 1e-12) & (observed < MIN_WEIGHT_SHARE),
                observed * (1.0 - observed),
                np.nan,
            )
            scores = {
                "brier": np.where(whole, brier, np.nan),
                "scaled_brier": np.where(whole, 1.0 - brier / marginal, np.nan),
                "observed": np.where(whole, observed, np.nan),
                "expected": expected,
                "observed_expected": np.where(
                    whole & (expected > 0.0), observed / expected, np.nan
                ),
            }
        if self._pairs is None:
            self._pairs = Pairs(self.last, self.caused, self.risk, self.entry)
        concordance = self._pairs.concordance(counts)
        return scores | {"auc": self._auc(weights, y), "concordance": concordance}

    def _censoring_weights(self, counts: np.ndarray) -> np.ndarray:
        """1 over the share not censored before the class was known, 0 where it is not, (n, b)."""
        # As `weights_at` of `not_censored`, for each column.
        order = np.argsort(self.time, kind="stable")
        when, first = np.unique(self.time[order], return_index=True)
        counts = counts[order]
        leaving = np.add.reduceat(counts, first, axis=0)
        censored = np.add.reduceat(counts * self.ends[order, None], first, axis=0)
        at_risk = leaving[::-1].cumsum(axis=0)[::-1] - leaving + censored
        steps = 1.0 - np.divide(
            censored, at_risk, out=np.zeros_like(censored), where=censored > 0.0
        )
        share = np.concatenate([np.ones((1, counts.shape[1])), np.cumprod(steps, axis=0)])
        before = share[np.searchsorted(when, np.minimum(self.time, self.horizon))]
        labelled = (self.y >= 0)[:, None] & (before > 0.0)
        return np.divide(1.0, before, out=np.zeros_like(before), where=labelled)

    def _entry_weights(self, counts: np.ndarray) -> np.ndarray:
        """`entered_weights` of each column, of who is drawn several times each time, (n, b)."""
        # 0 in a column in which all at risk have an event before others enter.
        weights, everybody = np.zeros(counts.shape), np.arange(len(counts))
        for column, drawn in enumerate(counts.T.astype(np.int64)):
            rows = np.repeat(everybody, drawn)
            time, ends, entry = self.time[rows], self.ends[rows], self.entry[rows]
            if ran_out(time, ~ends, entry, self.horizon) is None:
                labelled = self.y[rows] >= 0
                weights[rows, column] = entered_weights(time, ends, labelled, self.horizon, entry)
        return weights

    def _auc(self, weights: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Area under the curve of weighted patients, equal risks count half, (b,)."""
        rank = ranks(self.risk)
        order = np.argsort(rank, kind="stable")
        first = np.unique(rank[order], return_index=True)[1]
        weights, y = weights[order], y[order, None]
        cases = np.add.reduceat(weights * y, first, axis=0)
        controls = np.add.reduceat(weights * (1.0 - y), first, axis=0)
        below = np.cumsum(controls, axis=0) - controls / 2.0
        pairs = cases.sum(axis=0) * controls.sum(axis=0)
        above = (cases * below).sum(axis=0)
        return np.divide(above, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0.0)


def _checked_patients(time, event, risk, horizon, cause, competing, entry) -> _Patients:
    """The patients, checked."""
    check_number("horizon", horizon, 0.0, LARGEST)
    check_choice("competing", competing, ("censored", "survived"))
    time, event = checked_follow_up(time, event, cause)
    risk = predictions("risk", risk, len(time), None)
    if len(bad := np.flatnonzero((risk < 0.0) | (risk > 1.0))):
        raise InputError(
            f"risk is {risk[bad[0]]:g} in row {bad[0]}", remedy="give probabilities from 0 to 1"
        )
    given: dict[str, Any] = {"cause": cause, "competing": competing, "entry": entry}
    weights = censoring_weights(time, event, horizon, **given)
    if weights.sum() < MIN_WEIGHT_SHARE * len(time):
        raise horizon_error(horizon, time, entry)
    labels = horizon_labels(time, event, horizon, **given)
    ends, last = event != cause, time
    if competing == "survived":
        ends, last = event == 0, np.where((event != 0) & (event != cause), np.inf, time)
    entry = checked_entry(entry, time)
    return _Patients(time, ends, labels.y, event == cause, last, risk, float(horizon), entry)


def _groups(by, n: int) -> dict[str, pd.Series]:
    """Labels of groups by their names."""
    pd = import_optional("pandas", PURPOSE)
    if by is None:
        return {}
    if isinstance(by, (pd.DataFrame, Mapping)):
        given = {str(name): by[name] for name in by}
    else:
        given = {str(getattr(by, "name", None) or "group"): by}
    groups = {}
    for name, labels in given.items():
        series = pd.Series(labels).reset_index(drop=True)
        if len(series) != n:
            raise InputError(
                f"by has {len(series)} labels of {name!r} and time {n} values",
                remedy="give one per patient",
            )
        groups[name] = series
    return groups


def _levels(labels: pd.Series) -> list:
    """Groups in their order, without those that nobody is in."""
    observed = labels.dropna()
    if hasattr(labels, "cat"):
        return [level for level in labels.cat.categories if (observed == level).any()]
    try:
        return sorted(observed.unique())
    except TypeError:
        return sorted(observed.unique(), key=str)
