"""Log-rank tests of several groups, fast enough to stand inside a permutation test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.stats import chi2

from hedgerow.checks import as_numbers, check_unmasked
from hedgerow.errors import InputError
from hedgerow.survival.labels import checked_entry


class LogRank(NamedTuple):
    """Result of a log-rank test.

    Attributes
    ----------
    statistic : float
        Chi-squared; 0 where nothing can be compared.
    df : int
        Groups less one, and one less for each group that nobody was at risk in at any event.
    p : float
    """

    statistic: float
    df: int
    p: float


def logrank(time: np.ndarray, event: np.ndarray, group: np.ndarray, *, entry=None) -> LogRank:
    """Log-rank test of whether groups differ in survival (Mantel 1966; Peto and Peto 1972).

    At each time with events, the events of a group are compared with its share of those at risk;
    the differences summed over times, with their hypergeometric covariance, give the statistic.

    Parameters
    ----------
    time : (n,) float array
    event : (n,) bool array
    group : (n,) array
        Any labels.
    entry : (n,) array, optional
        When each patient came under observation, in the unit of `time`: at risk at t are those with
        entry < t <= time.

    Returns
    -------
    LogRank

    Raises
    ------
    InputError
        Different lengths, times that are not finite, events that are neither 0 nor 1, labels that
        cannot be put in order, entries as `leaf_survival` says.
    """
    time, event, group = _checked(time, event, group)
    entry = checked_entry(entry, time)
    groups, at_risk, events = at_risk_and_events(time, event, group, entry)
    if len(groups) < 2 or not len(at_risk):
        return LogRank(0.0, max(len(groups) - 1, 0), 1.0)
    total, died = at_risk.sum(axis=1), events.sum(axis=1)
    share = at_risk / total[:, None]
    observed_less_expected = (events - share * died[:, None]).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(total > 1, died * (total - died) / (total - 1), 0.0)
    covariance = np.diag((share * spread[:, None]).sum(axis=0))
    covariance -= (share * spread[:, None]).T @ share
    compared = np.flatnonzero(covariance.diagonal() > 0.0)
    if len(compared) < 2:
        return LogRank(0.0, max(len(compared) - 1, 0), 1.0)
    # The differences add up to 0: one group follows from the others.
    rest = compared[:-1]
    statistic = _quadratic(covariance[np.ix_(rest, rest)], observed_less_expected[rest])
    df = len(compared) - 1
    return LogRank(statistic, df, float(chi2.sf(statistic, df)))


def _checked(time, event, group) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, whether each ended in an event, and labels of groups, as arrays of one length."""
    for name, values in (("time", time), ("event", event), ("group", group)):
        check_unmasked(name, values)
    time, event, group = as_numbers("time", time), np.asarray(event), np.asarray(group)
    if not time.ndim == 1 or not time.shape == event.shape == group.shape:
        raise InputError(
            f"time has shape {time.shape}, event {event.shape} and group {group.shape}",
            remedy="give one value per patient",
        )
    if not np.isfinite(time).all():
        raise InputError(
            f"time is {time[~np.isfinite(time)][0]} in row {int((~np.isfinite(time)).argmax())}",
            remedy="leave out patients without follow-up",
        )
    if event.dtype != bool:
        if event.dtype.kind not in "biuf" or not ((event == 0) | (event == 1)).all():
            raise InputError(
                "event holds something else than true and false", remedy="write 1 for the event"
            )
        event = event.astype(bool)
    if group.dtype == object:
        try:
            np.unique(group)
        except TypeError:
            raise InputError(
                "group holds labels of several kinds", remedy="give all as texts or as numbers"
            ) from None
    return time, event, group


def _quadratic(covariance: np.ndarray, difference: np.ndarray) -> float:
    """difference' covariance^-1 difference."""
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        factor = np.zeros((1, 1))
    scale = factor.diagonal() ** 2
    if scale.min() > SINGULAR * covariance.diagonal().max():
        half = solve_triangular(factor, difference, lower=True, check_finite=False)
        return float(half @ half)
    # Groups of which some were never at risk at the same time as others.
    return float(difference @ np.linalg.pinv(covariance, hermitian=True) @ difference)


#: What is left of a variance, once the groups before it are known, is 0 but for rounding below.
SINGULAR = 1e-9


class OneByOne(NamedTuple):
    """Log-rank tests of each group, one degree of freedom each.

    Attributes
    ----------
    groups : (g,) array
        Their labels, ascending.
    against_all : (g,) float array
        Chi-squared of the group against all patients, itself among them (as thesis table 6.3).
    against_rest : (g,) float array
        Chi-squared of the group against all others; 0 where nothing can be compared.
    """

    groups: np.ndarray
    against_all: np.ndarray
    against_rest: np.ndarray


def logrank_one_by_one(
    time: np.ndarray, event: np.ndarray, group: np.ndarray, *, entry=None
) -> OneByOne:
    """Two-sample log-rank tests of each group against all patients, and against all others.

    Parameters
    ----------
    time : (n,) float array
    event : (n,) bool array
    group : (n,) array
        Any labels.
    entry : (n,) array, optional
        When each patient came under observation, in the unit of `time`: at risk at t are those with
        entry < t <= time.

    Returns
    -------
    OneByOne

    Raises
    ------
    InputError
        As `logrank`.
    """
    time, event, group = _checked(time, event, group)
    entry = checked_entry(entry, time)
    groups, at_risk, events = at_risk_and_events(time, event, group, entry)
    n, d = (counts.sum(axis=1, keepdims=True) for counts in (at_risk, events))
    return OneByOne(
        groups,
        # The second sample has the group in it, so that the group is counted twice.
        _two_samples(at_risk, events, n, d),
        _two_samples(at_risk, events, n - at_risk, d - events),
    )


def _two_samples(n_1, d_1, n_2, d_2) -> np.ndarray:
    """Chi-squared per column, from numbers at risk and events at each time in both samples."""
    n, d = n_1 + n_2, d_1 + d_2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = n_1 / n
        spread = np.where(n > 1, d * (n - d) / (n - 1), 0.0)
        difference = (d_1 - share * d).sum(axis=0)
        variance = (share * (1.0 - share) * spread).sum(axis=0)
        return np.where(variance > 0.0, difference**2 / variance, 0.0)


def at_risk_and_events(time, event, group, entry=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of groups, and at each time with events those at risk and the events, by group."""
    groups, group = np.unique(group, return_inverse=True)
    n_groups, when = len(groups), np.unique(time[event])
    # The last event time that a patient is still at risk at.
    last = np.searchsorted(when, time, side="right")
    size = len(when) + 1
    leaving = np.bincount(last * n_groups + group, minlength=size * n_groups)
    # At risk at event time t: all whose last one is t or later.
    at_risk = leaving.reshape(size, n_groups)[::-1].cumsum(axis=0)[::-1][1:]
    if entry is not None:
        # Not yet: all who enter at t or later.
        place = np.searchsorted(when, entry, side="right") * n_groups + group
        coming = np.bincount(place, minlength=size * n_groups).reshape(size, n_groups)
        at_risk = at_risk - coming[::-1].cumsum(axis=0)[::-1][1:]
    place = (last[event] - 1) * n_groups + group[event]
    events = np.bincount(place, minlength=len(when) * n_groups).reshape(len(when), n_groups)
    return groups, at_risk.astype(np.float64), events.astype(np.float64)
