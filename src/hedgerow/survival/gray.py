"""Gray's test of equal cumulative incidence where causes compete (Gray 1988)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from hedgerow.errors import InputError
from hedgerow.survival.labels import checked_follow_up, refuse_entry
from hedgerow.survival.logrank import at_risk_and_events

#: An eigenvalue of the covariance below this share of the largest is 0 but for rounding.
ROUNDING = 1e-10


class GrayTest(NamedTuple):
    """Result of Gray's test.

    Attributes
    ----------
    statistic : float
        Chi-squared; 0 where nothing can be compared.
    df : int
        Groups less one, and less where some were never at risk beside others.
    p : float
    """

    statistic: float
    df: int
    p: float


def gray_test(time, event, group, *, cause: int = 1, entry=None) -> GrayTest:
    """Test whether groups differ in the cumulative incidence of a cause (Gray 1988, rho = 0).

    The log-rank test compares how fast the cause comes among those still at risk; this test how
    many it comes to in the end, which is less where other causes come first. It is the log-rank
    test with another number at risk, h (1 - F), for h = Y / S: the number at risk Y over the share
    S still without any event, times those without the cause, F its cumulative incidence.

    Parameters
    ----------
    time, event : (n,) arrays
        As in `horizon_labels`.
    group : (n,) array
        Any labels, none missing.
    cause : int, default 1
    entry : None
        Not taken: with late entries the number at risk of the paper is another one.

    Returns
    -------
    GrayTest

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says; groups are not one label per patient;
        entries are given.

    Notes
    -----
    The covariance is Gray's asymptotic one (section 2 of the paper), under the hypothesis, with the
    variance of tied events less by the factor of the hypergeometric distribution: the numbers are
    those of `cuminc` in R's cmprsk. There the pooled incidence may exceed 1, where hardly any other
    cause comes and nobody is censored, and the factor may be negative, where many of the last
    patients have the event at once; here they are cut at 1 and 0.

    Examples
    --------
    >>> gray_test([1, 2, 3, 4, 5, 6], [1, 1, 2, 1, 2, 2], [0, 0, 0, 1, 1, 1]).df
    1
    """
    refuse_entry(entry, "there is no Gray's test")
    time, event = checked_follow_up(time, event, cause)
    group = np.asarray(group)
    if group.shape != time.shape:
        raise InputError(
            f"group has shape {group.shape} and time {len(time)} values",
            remedy="give one label per patient",
        )
    if len(bad := np.flatnonzero(group != group)) or len(bad := np.flatnonzero(_is_none(group))):
        raise InputError(
            f"group is missing in row {bad[0]}, and in {len(bad)} rows in all",
            remedy="leave these patients out",
        )
    groups, at_risk, events = at_risk_and_events(time, event != 0, group)
    caused = _of_cause(time, event, group, cause)
    score, covariance = _score(at_risk, events, caused)
    values, vectors = np.linalg.eigh(covariance)
    kept = values > ROUNDING * max(values[-1], 0.0)
    if len(groups) < 2 or not kept.any():
        return GrayTest(0.0, 0, 1.0)
    # The scores add up to 0: one group follows from the others, and no inverse is there.
    statistic = float(((vectors.T @ score)[kept] ** 2 / values[kept]).sum())
    df = int(kept.sum())
    return GrayTest(statistic, df, float(chi2.sf(statistic, df)))


def _is_none(group: np.ndarray) -> np.ndarray:
    """Where an array of objects holds None."""
    if group.dtype.kind != "O":
        return np.zeros(len(group), dtype=bool)
    return np.array([label is None for label in group])


def _of_cause(time, event, group, cause) -> np.ndarray:
    """Events of the cause at each time with any event, by group."""
    when, groups = np.unique(time[event != 0]), np.unique(group)
    died = event == cause
    place = np.searchsorted(when, time[died]) * len(groups) + np.searchsorted(groups, group[died])
    counts = np.bincount(place, minlength=len(when) * len(groups))
    return counts.reshape(len(when), len(groups)).astype(np.float64)


def _score(at_risk, events, caused) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the groups and their covariance, from counts by time (rows) and group."""
    # Letters are those of the paper: Y at risk, S Kaplan-Meier of all events, F incidence of the
    # cause, h = Y / S just before, F0 the pooled incidence and dG its hazard.
    Y, present = at_risk, at_risk > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        S = np.cumprod(np.where(present, 1.0 - events / Y, 1.0), axis=0)
        S_before = _before(S, 1.0)
        F_before = _before(np.cumsum(np.where(present, S_before * caused / Y, 0.0), axis=0), 0.0)
        h = np.where(present, Y / S_before, 0.0)
        total, died = h.sum(axis=1), caused.sum(axis=1)
        expected = h * (1.0 - F_before)
        expected *= (died / expected.sum(axis=1))[:, None]
        score = (caused - np.where(died[:, None] > 0.0, expected, 0.0)).sum(axis=0)
        step = died / total
        F0 = np.minimum(np.cumsum(step), 1.0)
        rest = 1.0 - _before(F0, 0.0)
        dG = np.where(rest > 0.0, np.diff(F0, prepend=0.0) / rest, 0.0)
        covariance = np.zeros((h.shape[1],) * 2)
        for r in range(h.shape[1]):
            a = -h * (h[:, r] / total)[:, None]
            a[:, r] += h[:, r]
            c = np.cumsum(a * dG[:, None], axis=0)
            later = c[-1] - c
            gone = np.where(S[:, r] > 0.0, (1.0 - F0) / S[:, r], 0.0)[:, None]
            # Variance of an increment of the incidence: of the cause as the hypothesis has it,
            # from the events of all groups; of other causes as it is in the group.
            other = events[:, r] - caused[:, r]
            of_cause = step / h[:, r] * _tied(died, total * S_before[:, r])
            of_others = other / h[:, r] ** 2 * _tied(other, Y[:, r])
            for part, variance in ((a + (1.0 - gone) * later, of_cause), (gone * later, of_others)):
                covariance += (part * np.where(present[:, r], variance, 0.0)[:, None]).T @ part
    return score, covariance


def _before(values: np.ndarray, first: float) -> np.ndarray:
    """Values just before each time, `first` before all."""
    return np.concatenate([np.full_like(values[:1], first), values[:-1]])


def _tied(events: np.ndarray, at_risk: np.ndarray) -> np.ndarray:
    """By how much ties lessen the variance of a number of events."""
    return np.where(events > 1.0, np.maximum(1.0 - (events - 1.0) / (at_risk - 1.0), 0.0), 1.0)
