"""Figures of what goes beyond the paper of E2M."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.experiments.evidential_beyond.plan import (
    ANNOTATED,
    COMPARED,
    LEARNERS,
    REPEATED,
    EvidentialBeyondPlan,
)
from hedgerow.experiments.evidential_beyond.tables import LABELS, METRIC_LABELS, said
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import ROW, WIDTH, looks_in_a_row, nothing_drawn, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = {
    name: look
    for names in (LEARNERS, REPEATED, ANNOTATED)
    for name, look in looks_in_a_row(names, LABELS).items()
}


def _lines(axes: Axes, rows: pd.DataFrame, part: str, metric: str, names) -> None:
    """A line per method: mean error over data sets by the setting."""
    means = COMPARED.means(rows, part, metric).mean()
    for name in names:
        own = means.xs(name, level="method").sort_index()
        look = LOOKS[name]
        axes.plot(own.index, own.to_numpy(), color=look.colour, linestyle=look.line,
                  label=look.label, **look.mark(4.5))  # fmt: skip
    axes.grid(axis="y")


@figure(
    "The papers' answers to doubt in one picture",
    caption="Mean error over data sets by the level of the noise, on values and classes before the "
    "noise (left) and after it (right): E2M, its rivals on the same thirds, and learners that are "
    "told nothing of the doubts, on two thirds (soft trees: factor {factor}). {ran}",
    alt="Two panels with a line per learner that rises with the level of the noise; the numbers "
    "are in the table beneath.",
    words=said,
)
def evidential_beyond_levels(rows: pd.DataFrame, plan: EvidentialBeyondPlan) -> Figure:
    """Figure of the sweep.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.statistics.merged`.
    plan : EvidentialBeyondPlan

    Returns
    -------
    Figure
        A panel per error, a line per learner.
    """
    from matplotlib.figure import Figure

    if rows.empty:
        return nothing_drawn("No data set was run")
    with style():
        drawn = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        panels = drawn.subplots(1, 2)
        for axes, metric in zip(panels, ("clean_error_rate", "error_rate"), strict=True):
            _lines(axes, rows, "sweep", metric, LEARNERS)
            axes.set_title(METRIC_LABELS[metric])
            axes.set_xlabel("Largest doubt of a value or class")
        panels[0].set_ylabel("Error (%)")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return drawn


@figure(
    "Intervals, votes, and doubts that are misjudged",
    caption="Mean error over data sets: on intervals of {k} measurements by their error (left), on "
    "votes of {annotators} annotators by their largest share of mistakes (middle), and of E2M by "
    "the factor of the doubts that it is told (right, error before the noise and evidential error; "
    "dotted: doubts as odds). {ran}",
    alt="Three panels with a line per method; the numbers are in the tables beneath.",
    words=said,
)
def evidential_beyond_doubts(rows: pd.DataFrame, plan: EvidentialBeyondPlan) -> Figure:
    """Figure of the other parts.

    Parameters
    ----------
    rows, plan
        As in `evidential_beyond_levels`.

    Returns
    -------
    Figure
        A panel per part, a line per method, or per error.
    """
    from matplotlib.figure import Figure

    if rows.empty:
        return nothing_drawn("No data set was run")
    with style():
        drawn = Figure(figsize=(WIDTH, 3.3), layout="constrained")
        panels = drawn.subplots(1, 3)
        _lines(panels[0], rows, "repeated", "error_rate", REPEATED)
        panels[0].set_xlabel("Error of a measurement\n(share of the sd)")
        _lines(panels[1], rows, "annotators", "error_rate", ANNOTATED)
        panels[1].set_xlabel("Largest share of mistakes\nof an annotator")
        for metric, (colour, mark, line) in zip(
            ("clean_error_rate", "evidential_error_rate"), (ROW[0], ROW[2]), strict=True
        ):
            every = COMPARED.means(rows, "misjudged", metric).mean()
            means = every.xs("e2m", level="method").sort_index()
            panels[2].plot(range(len(means)), means.to_numpy(), color=colour, marker=mark,
                           markersize=4.5, linestyle=line, label=METRIC_LABELS[metric])  # fmt: skip
            panels[2].axhline(every.xs("e2m_odds", level="method").iloc[0], color=colour,
                              linestyle=":", label="as odds")  # fmt: skip
        panels[2].set_xticks(range(len(means)), [f"{factor:g}" for factor in means.index])
        panels[2].set_xlabel("Factor of the doubts\nthat are told")
        panels[2].grid(axis="y")
        panels[0].set_ylabel("Error (%)")
        for axes in panels:
            low, high = axes.get_ylim()
            axes.set_ylim(low, high + 0.5 * (high - low))  # room for the legend
            axes.legend(loc="upper left", fontsize=7, frameon=False)
    return drawn
