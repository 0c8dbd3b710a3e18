"""Scores of risk groups and of other models of survival on the same patients.

Events of another cause end the follow-up in all of them: what is scored is the event as it would
come if no other cause did.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.checks import LARGEST
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import Steps
from hedgerow.survival.follow_up import not_censored
from hedgerow.survival.labels import (
    checked_entry,
    checked_follow_up,
    horizon_labels,
    weights_at,
)

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "scores of survival"
#: Risks closer than this share of their range are equal: what is left is rounding of a model.
ROUNDING = 1e-9


class TimeDependentAUC(NamedTuple):
    """Area under the ROC curve at several times.

    Attributes
    ----------
    at : (k,) float array
        Times.
    auc : (k,) float array
        NaN where nobody has had the event yet, or nobody is left without it.
    mean : float
        Mean over the times, each with the share of patients who have the event since the one
        before.
    """

    at: np.ndarray
    auc: np.ndarray
    mean: float


class BrierScores(NamedTuple):
    """Mean squared error of survival at several times.

    Attributes
    ----------
    at : (k,) float array
        Times.
    brier : (k,) float array
    integrated : float
        Mean over the time from the first to the last.
    """

    at: np.ndarray
    brier: np.ndarray
    integrated: float


def group_survival(time, event, group, at, *, cause: int = 1, entry=None) -> pd.DataFrame:
    """Survival of groups at given times (Kaplan-Meier): what a tree predicts by its leaves.

    Parameters
    ----------
    time, event : (n,) arrays
        As in `horizon_labels`, of the training part.
    group : (n,) array
        Any labels, such as leaves.
    at : (k,) array
        Times, ascending. After the last patient of a group its curve goes on as it ends.
    cause : int, default 1
    entry : (n,) array, optional
        As in `leaf_survival`.

    Returns
    -------
    DataFrame
        Index: the groups, ascending; columns: the times. `.loc[leaf_of_test_patients].to_numpy()`
        is what `integrated_brier_score` takes.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says; one label per patient is not given; times that are none;
        entries as `leaf_survival` says.
    LibraryError
        lifelines is not installed (extra `survival`).
    """
    pd = import_optional("pandas", PURPOSE)
    import_optional("lifelines", PURPOSE)
    from lifelines import KaplanMeierFitter

    time, event = checked_follow_up(time, event, cause)
    at = _times(at)
    group = np.asarray(group)
    if group.shape != time.shape:
        raise InputError(
            f"group has shape {group.shape} and time {len(time)} values",
            remedy="give one label per patient",
        )
    labels, of = np.unique(group, return_inverse=True)
    curves = []
    late = checked_entry(entry, time)
    for i in range(len(labels)):
        if late is not None:
            steps = Steps(time[of == i], event[of == i] == cause, 1, late[of == i])
            reached = np.searchsorted(steps.when, at, side="right")
            curves.append(np.append(1.0, steps.survival)[reached])
            continue
        fitted = KaplanMeierFitter().fit(time[of == i], event[of == i] == cause)
        curves.append(np.atleast_1d(fitted.predict(at)))  # of one time it is a number
    return pd.DataFrame(curves, index=pd.Index(labels, name="group"), columns=at)


def concordance(time, event, risk, *, cause: int = 1, entry=None) -> float:
    """Share of pairs in which the patient of higher risk has the event first (Harrell 1996).

    Parameters
    ----------
    time, event : (n,) arrays
        As in `horizon_labels`.
    risk : (n,) array
        Higher for those who are to have the event earlier. Equal risks, but for rounding, count
        half.
    cause : int, default 1
    entry : (n,) array, optional
        As in `leaf_survival`: a pair counts where the one is at risk when the other has the event.

    Returns
    -------
    float
        In [0, 1]; .5 for risks that say nothing; NaN where no pair can be compared.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says; risks that are missing or not one per patient; entries
        as `leaf_survival` says.
    LibraryError
        lifelines is not installed (extra `survival`).
    """
    import_optional("lifelines", PURPOSE)
    from lifelines.utils import concordance_index

    time, event = checked_follow_up(time, event, cause)
    risk = predictions("risk", risk, len(time), None)
    if (entry := checked_entry(entry, time)) is not None:
        pairs = Pairs(time, event == cause, risk, entry)
        return float(pairs.concordance(np.ones((len(time), 1)))[0])
    try:
        return float(concordance_index(time, -ranks(risk), event == cause))
    except ZeroDivisionError:  # the word of lifelines for no pair
        return math.nan


class Pairs:
    """Pairs of patients of whom one has the event first, counted for many resamples at once.

    Parameters
    ----------
    last : (n,) float array
        Time for pairs: infinite for patients who will not have the event.
    caused : (n,) bool array
        Who has the event.
    risk : (n,) float array
    entry : (n,) float array, optional
        A pair counts where the one has entered before the other has the event.
    """

    def __init__(self, last, caused, risk, entry=None):
        rank = ranks(risk)
        # Who has the event goes before who is censored at the same time.
        self._place = _places(np.lexsort((~caused, last)))
        self._had = np.flatnonzero(caused)
        # Later are all after the last event of the same time.
        when = last[self._had]
        tied = np.searchsorted(np.sort(when), when, side="right")
        self._after = np.sort(self._place[self._had])[tied - 1] + 1
        self._sums = [self._counted(rank, self._place, self._after)]
        if entry is not None:
            # Who enters at the event or after it comes later, too, and is taken off again.
            order = np.argsort(entry, kind="stable")
            begin = np.searchsorted(entry[order], when)
            self._sums.append(self._counted(rank, _places(order), begin))

    def concordance(self, counts: np.ndarray) -> np.ndarray:
        """Share of pairs in which the higher risk has the event first, (b,)."""
        # counts: how often each patient counts.
        sums = [
            np.einsum(
                "ib,ib->b", counts[cases], _between(np.cumsum(counts[others], axis=0), begin, end)
            )
            for cases, others, begin, end in self._sums[0]
        ]
        for taken_off in self._sums[1:]:
            for k, (cases, others, begin, end) in enumerate(taken_off):
                late = _between(np.cumsum(counts[others], axis=0), begin, end)
                sums[k] = sums[k] - np.einsum("ib,ib->b", counts[cases], late)
        every, tied, right = sums[0], sums[1], sum(sums[2:], np.zeros(counts.shape[1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(every > 0.0, (right + tied / 2.0) / every, np.nan)

    def _counted(self, rank, place, after) -> list[tuple[np.ndarray, ...]]:
        """Which sums over patients make the pairs: of all, with equal risks, with the lower one."""
        # Each is (cases, others, begin, end): to a case, who has the event, belong `others` from
        # begin to end, in an order that has them in one piece. A lower risk first differs in one
        # bit of the rank, where it has 0 and the higher one 1: one sum per bit. place: of each
        # patient in an order. after: of each case, the place from which on others belong to it.
        n, had = len(rank), self._had

        def sums(label, cases, others):
            """Others with the same label who come later, for cases among those with the event."""
            key = label[others] * (n + 1) + place[others]
            by_key = np.argsort(key, kind="stable")
            key, base = key[by_key], label[had[cases]] * (n + 1)
            begin = np.searchsorted(key, base + after[cases])
            return had[cases], others[by_key], begin, np.searchsorted(key, base + n + 1)

        everybody, all_events = np.arange(n), np.arange(len(had))
        terms = [
            sums(np.zeros(n, dtype=np.int64), all_events, everybody),
            sums(rank, all_events, everybody),
        ]
        for bit in range(int(rank.max(initial=0)).bit_length()):
            high = (rank >> bit) & 1
            cases, others = np.flatnonzero(high[had] == 1), np.flatnonzero(high == 0)
            terms.append(sums(rank >> (bit + 1), cases, others))
        return terms


def _places(order: np.ndarray) -> np.ndarray:
    """Place of each in an order, (n,) int."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


def _between(total: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Sums from begin to end, of sums from the first one on."""
    total = np.concatenate([np.zeros_like(total[:1], shape=(1, total.shape[1])), total])
    return total[end] - total[begin]


def time_dependent_auc(
    time_train, event_train, time, event, risk, at, *, cause: int = 1
) -> TimeDependentAUC:
    """Area under the cumulative/dynamic ROC curve at given times.

    At each time, it compares patients who have had the event by then with those who have not.
    Others stand for the censored (`censoring_weights`; Uno and others 2007, Hung and Chiang
    2010).

    Parameters
    ----------
    time_train, event_train : (m,) arrays
        As in `horizon_labels`, of the patients from whom censoring is estimated.
    time, event : (n,) arrays
        The same of those who are scored.
    risk : (n,) or (n, k) array
        Higher for those who are to have the event earlier; of all times, or of each. Equal risks,
        but for rounding, count half.
    at : (k,) array
        Times, ascending, while patients of both parts are followed.
    cause : int, default 1

    Returns
    -------
    TimeDependentAUC
        Its mean is over the distribution of events among those who are scored (Lambert and Chevret
        2016); NaN where one of the areas is.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says; times that are not ascending or come after the last
        patient; risks that are missing or not one per patient.
    LibraryError
        lifelines is not installed (extra `survival`).
    """
    from sklearn.metrics import roc_auc_score

    labels, weights, at = _labels_at(time_train, event_train, time, event, at, cause)
    risk = predictions("risk", risk, labels.shape[0], len(at))
    auc = np.full(len(at), np.nan)
    for k in range(len(at)):
        labelled = weights[:, k] > 0.0
        y = labels[labelled, k]
        if 0 < y.sum() < len(y):
            rank = ranks(risk[labelled, k])
            auc[k] = roc_auc_score(y, rank, sample_weight=weights[labelled, k])
    everybody = np.zeros(len(labels), dtype=np.int64)
    survival = group_survival(time, event, everybody, at, cause=cause).iloc[0].to_numpy()
    events = -np.diff(survival, prepend=1.0)
    if len(at) == 1:
        return TimeDependentAUC(at, auc, float(auc[0]))
    mean = float(auc @ events / events.sum()) if events.sum() > 0.0 else math.nan
    return TimeDependentAUC(at, auc, mean)


def integrated_brier_score(
    time_train, event_train, time, event, survival, at, *, cause: int = 1
) -> BrierScores:
    """Mean squared error of predicted survival, at given times and over them (Graf 1999).

    Parameters
    ----------
    time_train, event_train, time, event, cause
        As in `time_dependent_auc`.
    survival : (n, k) array
        Predicted share without the event at each time, such as `group_survival` gives.
    at : (k,) array
        Times, ascending, while patients of both parts are followed.

    Returns
    -------
    BrierScores
        0 for predictions that are certain and right, .25 for one half everywhere. Of one time, the
        integrated score is that of this time.

    Raises
    ------
    InputError
        As `time_dependent_auc`; survival beyond 0 and 1.
    """
    from scipy.integrate import trapezoid

    labels, weights, at = _labels_at(time_train, event_train, time, event, at, cause)
    survival = predictions("survival", survival, labels.shape[0], len(at))
    beyond = (survival < 0.0) | (survival > 1.0)
    if len(bad := np.argwhere(beyond)):
        raise InputError(
            f"survival is {survival[tuple(bad[0])]:g} in row {bad[0][0]}",
            remedy="give shares from 0 to 1",
        )
    brier = (weights * (labels - (1.0 - survival)) ** 2).mean(axis=0)
    if len(at) == 1:
        return BrierScores(at, brier, float(brier[0]))
    return BrierScores(at, brier, float(trapezoid(brier, at) / (at[-1] - at[0])))


def _labels_at(
    time_train, event_train, time, event, at, cause
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes at each time and weights, 0 where the class is not known, (n, k) each; the times."""
    followed, ended = checked_follow_up(time_train, event_train, cause)
    time, event = checked_follow_up(time, event, cause)
    at = _times(at)
    for whose, last in (("training part", followed.max()), ("patients scored", time.max())):
        if at[-1] > last:
            raise InputError(
                f"at holds {at[-1]:g} and the last of the {whose} is followed to {last:g}",
                remedy="leave such times out",
            )
    curve = not_censored(followed, ended != cause)
    labels, weights = np.zeros((2, len(time), len(at)))
    for k, horizon in enumerate(at):
        y, labelled = horizon_labels(time, event, float(horizon), cause=cause)
        labels[:, k] = np.where(labelled, y, 0)
        weights[:, k] = weights_at(curve, time, labelled, float(horizon))
    return labels, weights, at


def ranks(risk: np.ndarray) -> np.ndarray:
    """Ranks of risks from 0 on, the same for those that are equal but for rounding."""
    order = np.argsort(risk, kind="stable")
    scaled = risk[order] / (np.abs(risk).max() or 1.0)  # a range that is finite
    steps = np.diff(scaled, prepend=scaled[:1])
    ranks = np.empty(len(risk), dtype=np.int64)
    ranks[order] = np.cumsum(steps > ROUNDING * (scaled[-1] - scaled[0]))
    return ranks


def _times(at) -> np.ndarray:
    """Times as floats, checked."""
    given = np.asarray(at)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iuf":
        raise InputError(
            f"at holds {given.dtype} in shape {given.shape}", remedy="give a list of times"
        )
    times = given.astype(np.float64)
    right = (times >= 0.0) & (times <= LARGEST)
    if not right.all() or (np.diff(times) <= 0.0).any():
        raise InputError(
            "at holds times that are missing, below 0 or not ascending",
            remedy="give each time once, the earliest first",
        )
    return times


def predictions(name: str, values, n: int, k: int | None) -> np.ndarray:
    """Predictions of n patients as floats, checked: (n,) without k, else (n, k)."""
    given = np.asarray(values)
    shapes = [(n,)] if k is None else [(n, k)] if name == "survival" else [(n,), (n, k)]
    if given.shape not in shapes or given.dtype.kind not in "biuf":
        raise InputError(
            f"{name} holds {given.dtype} in shape {given.shape}",
            remedy=f"give numbers in shape {' or '.join(map(str, shapes))}",
        )
    numbers = given.astype(np.float64)
    if len(bad := np.argwhere(~np.isfinite(numbers))):
        raise InputError(
            f"{name} is {numbers[tuple(bad[0])]} in row {bad[0][0]}",
            remedy="leave out patients without a prediction",
        )
    return numbers if k is None or numbers.ndim == 2 else np.broadcast_to(numbers[:, None], (n, k))
