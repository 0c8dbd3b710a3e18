"""Restricted mean survival time: how long patients live without the event up to a horizon."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from hedgerow.checks import LARGEST, check_number
from hedgerow.survival.estimates import Steps
from hedgerow.survival.labels import checked_entry, checked_follow_up, horizon_error


class RestrictedMean(NamedTuple):
    """Mean times up to a horizon, in the unit of time.

    Attributes
    ----------
    mean, low, high : float
        Mean time without the event: the area below Kaplan and Meier's curve, for which other causes
        end the follow-up; NaN where nobody is followed to the horizon and the curve ends above 0.
    lost, lost_low, lost_high : float
        Mean time lost to the cause where others compete: the area below the incidence of Aalen and
        Johansen. With one cause it is the horizon less `mean`. NaN where nobody is followed to the
        horizon and not all have had an event.
    """

    mean: float
    low: float
    high: float
    lost: float
    lost_low: float
    lost_high: float


def restricted_mean(
    time, event, horizon: float, *, cause: int = 1, entry=None, confidence: float = 0.95
) -> RestrictedMean:
    """Mean time without the event up to a horizon, and mean time lost to it.

    Parameters
    ----------
    time, event : (n,) arrays
        As in `horizon_labels`.
    horizon : float > 0
        In the unit of `time`.
    cause : int, default 1
    entry : (n,) array, optional
        As in `leaf_survival`.
    confidence : float, default .95

    Returns
    -------
    RestrictedMean
        Intervals are those of the normal distribution, cut at 0 and the horizon: of the mean with
        Greenwood's variance (Irwin 1949; Royston and Parmar 2013), of the time lost (Andersen 2013)
        with that of the infinitesimal jackknife.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says, entries as `leaf_survival`; nobody is followed to the
        horizon, so that the mean is not known.

    Examples
    --------
    >>> restricted_mean([1, 2, 3, 4], [1, 1, 0, 1], 4).mean
    2.75
    """
    check_number("horizon", horizon, 0.0, LARGEST)
    check_number("confidence", confidence, 0.5, 0.9999)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    estimate = restricted_estimates(time, event, horizon, cause, confidence, entry)
    if math.isnan(estimate.mean) and math.isnan(estimate.lost):
        raise horizon_error(horizon, time, entry)
    return estimate


def restricted_estimates(
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    cause: int,
    confidence: float,
    entry: np.ndarray | None = None,
) -> RestrictedMean:
    """`restricted_mean` of checked arrays; NaN where it is not known."""
    z = float(norm.ppf((1.0 + confidence) / 2.0))
    reached = bool(len(time)) and time.max() >= horizon
    if entry is not None:  # who enters later does not tell of the horizon
        reached = bool(((time >= horizon) & (entry < horizon)).any())
    alone = Steps(time, (event == cause).astype(np.int64), 1, entry)
    mean = (math.nan,) * 3
    if reached or _ended(alone):
        # Of each interval between two events before the horizon its length, and the curve there.
        inner = alone.when < horizon
        survival = np.append(1.0, alone.survival[inner])
        area = np.diff(alone.when[inner], prepend=0.0, append=horizon) * survival
        later = area[::-1].cumsum()[::-1][1:]
        at_risk, events = alone.at_risk[inner], alone.events[inner]
        left = at_risk * (at_risk - events)
        greenwood = np.divide(events, left, out=np.zeros_like(left), where=left > 0.0)
        error = math.sqrt((later**2 * greenwood).sum())
        mean = _within(float(area.sum()), z * error, horizon)
    every = Steps(time, event, cause, entry)
    lost = (math.nan,) * 3
    if reached or _ended(every):
        height = np.maximum(horizon - every.when, 0.0)
        influence = every.influence(height)
        total = float((height * every.before * every.cause_events / every.at_risk).sum())
        lost = _within(total, z * math.sqrt(influence @ influence), horizon)
    return RestrictedMean(*mean, *lost)


def _ended(steps: Steps) -> bool:
    """Whether the curve goes down to 0."""
    return bool(len(steps.when)) and steps.survival[-1] == 0.0


def _within(mean: float, half: float, horizon: float) -> tuple[float, float, float]:
    """A mean and its interval, cut at 0 and the horizon."""
    return mean, max(mean - half, 0.0), min(mean + half, horizon)
