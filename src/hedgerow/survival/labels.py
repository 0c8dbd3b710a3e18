"""From follow-up to classes at a horizon, and the weights of those who have one (6.2.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_number, check_unmasked
from hedgerow.errors import InputError
from hedgerow.survival.estimates import Steps, ran_out
from hedgerow.survival.follow_up import not_censored

#: Causes of an event are numbered from 1.
MOST_CAUSES = 1_000_000


class HorizonLabels(NamedTuple):
    """Classes at a horizon.

    Attributes
    ----------
    y : (n,) int64 array
        1 with the event by the horizon, 0 without; -1 where nobody knows.
    labelled : (n,) bool array
        Whether the class is known, so that a learner may use the row.
    """

    y: np.ndarray
    labelled: np.ndarray


def horizon_labels(
    time, event, horizon: float, *, cause: int = 1, competing: str = "censored", entry=None
) -> HorizonLabels:
    """Whether each patient has had the event by the horizon (thesis 6.2.2).

    A patient whose follow-up ends before the horizon without the event has no class: it is not
    known whether the event came. One who is followed to the horizon or beyond has survived it. Who
    comes under observation at the horizon or later has none either: those who had the event before
    could not come, so that the patient tells nothing of the time before.

    Parameters
    ----------
    time : (n,) array
        Follow-up, in any unit, at least 0.
    event : (n,) array of bool or int
        0 where follow-up ended without an event; else the event, of which `cause` counts.
    horizon : float
        In the unit of `time`; an event at the horizon itself is one by the horizon.
    cause : int, default 1
    competing : {'censored', 'survived'}, default 'censored'
        What an event of another cause before the horizon means: the end of follow-up, as in the
        thesis, or that the event of interest will not come any more.
    entry : (n,) array, optional
        As in `leaf_survival`.

    Returns
    -------
    HorizonLabels

    Raises
    ------
    InputError
        Times that are missing, infinite or negative; events that are no whole numbers; unequal
        lengths; nobody has the event; entries as `leaf_survival` says.

    Notes
    -----
    Those whose class is known are a selection. Of patients whose follow-up could not last to the
    horizon, such as those included less than it before the end of a study, the ones with the event
    have a class and the others have none: among them the share of events is 1, whatever their risk.
    So the event is too frequent among all who have a class, and whatever goes with the date of
    inclusion predicts it. `censoring_weights` mend the first: with `largest` they stay finite
    however few are followed. They do not mend the second, as nobody is there who could stand for
    late patients without the event: `risk_groups` refuses tests that divide these off.

    Examples
    --------
    >>> horizon_labels([2, 7, 5, 6], [1, 1, 0, 0], 6).y
    array([ 1,  0, -1,  0])
    """
    check_number("horizon", horizon, 0.0, LARGEST)
    check_choice("competing", competing, ("censored", "survived"))
    time, event = checked_follow_up(time, event, cause)
    y = np.where(time >= horizon, 0, -1)
    if competing == "survived":
        y[(event != 0) & (event != cause)] = 0
    y[(event == cause) & (time <= horizon)] = 1
    if (entry := checked_entry(entry, time)) is not None:
        y[entry >= horizon] = -1
    return HorizonLabels(y, y >= 0)


def censoring_weights(
    time,
    event,
    horizon: float,
    *,
    cause: int = 1,
    competing: str = "censored",
    entry=None,
    largest: float | None = None,
) -> np.ndarray:
    """Weights of the patients whose class is known, in the place of all (Vock and others 2016).

    Who has the event early is rarely lost before it, so that among those whose class is known the
    event is too frequent. Each of them stands here for the patients who were censored before it
    could happen to them: with the weight 1 / G(t-), for t the time of the event or the horizon,
    whichever comes first, and G(t-) the share who are not censored before t (Graf and others 1999).
    Learners take these weights as `sample_weight`.

    Parameters
    ----------
    time, event, horizon, cause, competing
        As in `horizon_labels`. Where competing events are 'censored', they count as censoring here
        too, and where they are 'survived', they are known like any other class.
    entry : (n,) array, optional
        As in `leaf_survival`. Deaths before entering are not seen, so that a plain share of classes
        is wrong without any censoring, too.
    largest : float of at least 1, optional
        Weights above it are it: where hardly anybody is followed to the horizon, single patients
        stand for all others. The sum is less than n then, and the share of events too large.

    Returns
    -------
    (n,) float64 array
        Without entries at least 1 where the class is known, with them above 0; 0 elsewhere. The sum
        is n where somebody is followed to the horizon.

    Raises
    ------
    InputError
        As `horizon_labels`; with entries, all who are at risk at some time before the horizon have
        an event there and others enter later: no estimate can go on from there.

    Notes
    -----
    G is the Kaplan-Meier estimate of censoring from the same patients: give those of the training
    part alone. It takes censoring to have nothing to do with the inputs. Censoring at the time of
    an event comes after it: who has the event at t is not at risk of censoring at t. Then the
    weighted share of events is exactly what Kaplan-Meier, or with 'survived' Aalen-Johansen, says
    of the horizon.

    With entries the weight is n times the mass that the product-limit estimate of left-truncated
    follow-up (Lynden-Bell 1971; Woodroofe 1985) places on the patient: S(t-) / R(t) for an event at
    t, with R(t) at risk there, and S(horizon) in equal parts for those who are still at risk; with
    'survived' the masses are Aalen and Johansen's. If all enter at 0 this is 1 / G(t-) again.
    Entry, like censoring, is taken to have nothing to do with the inputs, or with the risk of those
    alive. While nobody is at risk nothing is known: all is conditional on living to the first
    entry.

    Examples
    --------
    >>> censoring_weights([2, 7, 5, 6], [1, 1, 0, 0], 6)
    array([1. , 1.5, 0. , 1.5])
    """
    labels = horizon_labels(time, event, horizon, cause=cause, competing=competing, entry=entry)
    labelled = labels.labelled
    time, event = checked_follow_up(time, event, cause)
    ends = event == 0 if competing == "survived" else event != cause
    if largest is not None:
        check_number("largest", largest, 1.0, LARGEST)
    most = math.inf if largest is None else largest
    if (entry := checked_entry(entry, time)) is not None:
        if (when := ran_out(time, ~ends, entry, horizon)) is not None:
            raise NobodyLeft(when)
        return np.minimum(entered_weights(time, ends, labelled, horizon, entry), most)
    return np.minimum(weights_at(not_censored(time, ends), time, labelled, horizon), most)


def weights_at(
    curve: tuple[np.ndarray, np.ndarray], time: np.ndarray, labelled: np.ndarray, horizon: float
) -> np.ndarray:
    """1 over the share of `not_censored` before time or horizon; 0 for patients without a label."""
    when, share = curve
    before = share[np.searchsorted(when, np.minimum(time, horizon))]
    return np.divide(1.0, before, out=np.zeros(len(time)), where=labelled)


def entered_weights(
    time: np.ndarray, ends: np.ndarray, labelled: np.ndarray, horizon: float, entry: np.ndarray
) -> np.ndarray:
    """n times the mass of the product-limit estimate on each patient; 0 without a label."""
    # ends, labelled: whose follow-up ends by censoring; whose class at the horizon is known.
    steps = Steps(time, ~ends, 1, entry)
    early = labelled & ~ends & (time <= horizon)
    mass = np.zeros(len(time))
    at = steps.until[early] - 1
    mass[early] = steps.before[at] / steps.at_risk[at]
    left = labelled & ~early
    reached = int(np.searchsorted(steps.when, horizon, side="right"))
    mass[left] = np.append(1.0, steps.survival)[reached] / max(left.sum(), 1)
    return len(time) * mass


def checked_follow_up(time, event, cause: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Times as float64 and events as int64, checked."""
    check_number("cause", cause, 1, MOST_CAUSES, whole=True)
    check_unmasked("time", time)
    check_unmasked("event", event)
    time = np.asarray(time)
    event = np.asarray(event)
    for name, values in (("time", time), ("event", event)):
        if values.ndim != 1:
            raise InputError(
                f"{name} has {values.ndim} dimensions", remedy="give one value per patient"
            )
        if values.dtype.kind not in "biuf":
            raise InputError(f"{name} holds {values.dtype}", remedy="give numbers")
    if len(time) != len(event):
        raise InputError(
            f"time has {len(time)} values and event {len(event)}", remedy="give one per patient"
        )
    time = time.astype(np.float64)
    bad = np.flatnonzero(~((time >= 0.0) & (time <= LARGEST)))
    if len(bad):
        raise InputError(
            f"time is {time[bad[0]]} in row {bad[0]}, and wrong in {len(bad)} rows",
            remedy="leave out patients without follow-up; times are finite and at least 0",
        )
    whole = np.asarray(event, dtype=np.float64)
    bad = np.flatnonzero(~((whole == np.round(whole)) & (whole >= 0) & (whole <= MOST_CAUSES)))
    if len(bad):
        raise InputError(
            f"event is {event[bad[0]]} in row {bad[0]}, and wrong in {len(bad)} rows",
            remedy="write 0 for the end of follow-up, and 1 (or the number of its cause) for the "
            "event",
        )
    event = whole.astype(np.int64)
    if not (event == cause).any():
        raise InputError(
            f"nobody has the event {cause}", remedy="check how events are coded: 0 means none"
        )
    return time, event


def horizon_error(horizon: float, time: np.ndarray, entry) -> InputError:
    """The error of a horizon that nobody is followed to."""
    message = f"the horizon is {horizon:g} and the last patient is followed to {time.max():g}"
    if entry is not None and time.max() >= horizon:
        message = f"the horizon is {horizon:g} and all who are followed so far enter later"
    return InputError(message, remedy="give an earlier one")


class NobodyLeft(InputError):
    """All at risk have an event at some time, though others enter later.

    Parameters
    ----------
    when : float
        Of `hedgerow.survival.estimates.ran_out`.
    unit, who : str
        Of the time; which patients they are.
    """

    def __init__(self, when: float, unit: str = "", who: str = "patients"):
        at = f"{when:.3g} {unit}" if unit else f"time {when:g}"
        super().__init__(
            f"all {who} at risk at {at} have an event then, and others enter later",
            remedy="count time from a later start, or leave out who entered before it",
        )
        self.when, self._arguments = when, (when, unit, who)

    def __reduce__(self):
        return type(self), self._arguments


def checked_entry(entry, time: np.ndarray) -> np.ndarray | None:
    """Times of entry as float64, checked; None where there are none."""
    # entry: when each patient came under observation: at risk at t are those with entry < t <=
    # time. time: of `checked_follow_up`.
    if entry is None:
        return None
    check_unmasked("entry", entry)
    given = np.asarray(entry)
    if given.shape != time.shape or given.dtype.kind not in "biuf":
        raise InputError(
            f"entry holds {given.dtype} in shape {given.shape}",
            remedy=f"give {len(time)} numbers, 0 for patients followed from the start",
        )
    given = given.astype(np.float64)
    if len(bad := np.flatnonzero(~(given >= 0.0))):
        raise InputError(
            f"entry is {given[bad[0]]} in row {bad[0]}, and wrong in {len(bad)} rows",
            remedy="give numbers of at least 0, 0 for patients followed from the start",
        )
    if len(bad := np.flatnonzero(given >= time)):
        raise InputError(
            f"entry is {given[bad[0]]:g} and time {time[bad[0]]:g} in row {bad[0]} ({len(bad)} "
            "rows)",
            remedy="leave out patients who were never followed; both times have the same start",
        )
    return given


def entry_of(entry: np.ndarray | None, who: np.ndarray) -> np.ndarray | None:
    """Times of entry of some patients; None where there are none."""
    # entry: of `checked_entry`.
    return None if entry is None else entry[who]


def refuse_entry(entry, why: str) -> None:
    """Raise where times of entry are given and cannot be taken."""
    # entry: None where there are no entries. why: a sentence's beginning: what does not go.
    if entry is not None:
        raise InputError(
            f"{why} where patients enter after the start",
            remedy="leave `entry` out, and patients who entered late",
        )
