"""Patients without time, event or entry: who may be left out, and where that would mislead."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow_clinic.answers import option_text
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.table import Texts

#: Leaving patients out is a question where it moves the share with the event by so much, and chance
#: would not (Fisher's exact test); and where an empty event goes with the follow-up (Mann-Whitney)
#: so closely, as an area under the curve off one half.
MOVES, BY_CHANCE, APART, SURELY = 0.02, 0.01, 0.1, 0.001


def check_incomplete(
    table: Texts, outcome: Any, time: np.ndarray, event: np.ndarray, problems: Problems
) -> None:
    """Name patients without follow-up."""
    # Ask where leaving them out would take those without event. time: Follow-up, NaN where unknown.
    # event: -1 where unknown.
    remedy = "complete it, or leave such patients out with --leave-out-incomplete"
    named = [outcome.time] if outcome.time is not None else [outcome.start, outcome.end]
    named += [outcome.event] + [outcome.entry] * (outcome.entry is not None)
    # Where no word says that there was no event, an empty cell is the one that may say it.
    censored = (event == 0).any()
    supposed = event if censored else np.where(event < 0, 0, event)
    for name in named:
        empty = table.columns[name] == None  # noqa: E711  elementwise
        if name == outcome.event:
            empty &= event < 0
        if name == outcome.end and outcome.answers.end_of_study:
            empty &= np.isnan(time)
        if not empty.any():
            continue
        if name != outcome.event:
            asked = _ask_if_rate_shifts(outcome, name, empty, supposed, problems)
        elif censored:
            asked = _ask_if_time_differs(outcome, empty, time, problems)
        else:
            asked = True
            problems.ask(
                "event",
                f"it is empty for {_patients(empty.sum())}, and no word says that a patient had no "
                f"event ({int((~empty).sum())} have one): leaving them out would leave nobody "
                "without the event",
                f"say {option_text('no_event_is', '')} where an empty cell says that there was "
                "none, or complete it",
                name,
            )
        if asked or outcome.leave_out or name == outcome.entry:  # of entry `cohort` says more
            continue
        for place in np.flatnonzero(empty):
            problems.add("no follow-up", "it is empty", remedy, name, table.rows[place])


def _ask_if_rate_shifts(outcome: Any, name: str, empty, event, problems: Problems) -> bool:
    """Whether there was a question: leaving out the patients moves the share with the event."""
    from scipy.stats import fisher_exact

    observed = event >= 0
    had = event == 1
    counts = [
        [int((rows & side & observed).sum()) for rows in (had, ~had)] for side in (empty, ~empty)
    ]
    (gone_with, gone), (kept_with, kept) = counts
    if not (gone + gone_with) or not (kept + kept_with):
        return False
    before = (gone_with + kept_with) / (gone + gone_with + kept + kept_with)
    after = kept_with / (kept + kept_with)
    if abs(after - before) < MOVES or fisher_exact(counts).pvalue >= BY_CHANCE:
        return False
    usable = kept > 0
    ways = [f"{option_text('leave_out_empty', name)} to leave them out all the same"] * usable
    if name == outcome.end:
        ways.insert(
            0, "--end-of-study DATE where those without the event were followed to that day"
        )
    elif name == outcome.time:
        ways.insert(0, "--start, --end and --end-of-study DATE in the place of --time")
    answered = usable and name in outcome.answers.leave_out_empty
    problems.ask(
        "no follow-up",
        f"it is empty for {_patients(gone + gone_with)}, {gone_with} of them with the event, and "
        f"leaving them out would move the share with the event from {100 * before:.1f} % to "
        f"{100 * after:.1f} %",
        "complete it" + f", or say {', or '.join(ways)}" * bool(ways),
        name,
        answer=option_text("leave_out_empty", name) if answered else "",
        decided="patients in whom it is empty are left out, which goes with the event",
    )
    return True


def _ask_if_time_differs(outcome: Any, empty, time: np.ndarray, problems: Problems) -> bool:
    """Whether there was a question: patients whose event is unknown were followed otherwise."""
    from scipy.stats import mannwhitneyu

    name, observed = outcome.event, ~np.isnan(time)
    one, other = time[empty & observed], time[~empty & observed]
    if not len(one) or not len(other):
        return False
    test = mannwhitneyu(one, other)
    if abs(test.statistic / (len(one) * len(other)) - 0.5) < APART or test.pvalue >= SURELY:
        return False
    unit = outcome.horizon_unit
    problems.ask(
        "no follow-up",
        f"it is empty for {_patients(empty.sum())}, followed for {np.median(one):.3g} {unit} (the "
        f"others {np.median(other):.3g}; medians), so that leaving them out is no chance",
        f"say {option_text('no_event_is', '')} where an empty cell says that there was no event, "
        f"or {option_text('leave_out_empty', name)} to leave them out all the same, or complete it",
        name,
        answer=option_text("leave_out_empty", name)
        if name in outcome.answers.leave_out_empty
        else "",
        decided="patients in whom it is empty are left out, which goes with the follow-up",
    )
    return True


def _patients(count: int) -> str:
    return f"{count} patient{'s' * (int(count) != 1)}"
