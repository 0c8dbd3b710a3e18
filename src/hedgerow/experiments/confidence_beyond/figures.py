"""Figures of what goes beyond the paper of ConfDTree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.experiments.confidence.figures import LOOKS
from hedgerow.experiments.confidence_beyond.plan import (
    ANSWERS,
    COMPARED,
    CORRECTIONS,
    PLAIN,
    TREE_LABELS,
    TREES,
    ConfidenceBeyondPlan,
)
from hedgerow.experiments.confidence_beyond.tables import METHODS, said
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import WIDTH, nothing_drawn, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HATCHES = dict(zip(ANSWERS, ("", "////", "\\\\\\\\"), strict=True))


@figure(
    "Routes alone, fines alone, both",
    caption="Mean difference in area (points) to the base tree without doubts, by version and "
    "base tree: alternative routes and fines (plain), routes alone (rising lines), "
    "fines alone (falling lines). {ran}",
    alt="Four panels, one per base tree, with three bars for each version; the numbers are in the "
    "table beneath.",
    words=said,
)
def confidence_beyond_parts(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> Figure:
    """Figure of the parts of the gain.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.statistics.merged`.
    plan : ConfidenceBeyondPlan

    Returns
    -------
    Figure
        A panel per base tree, three bars per version.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    table = COMPARED.table(rows, statistics, "answers")
    if table.empty:
        return nothing_drawn("No data set was run")
    cells = table.set_index(["base", "first"])["difference"]
    with style():
        drawn = Figure(figsize=(WIDTH, 2.7), layout="constrained")
        panels = drawn.subplots(1, len(TREES), sharey=True)
        for axes, tree in zip(panels, TREES, strict=True):
            for place, (version, look) in enumerate(LOOKS.items()):
                for k, answer in enumerate(ANSWERS):
                    axes.bar(place + 0.27 * (k - 1), cells[tree, f"{version}_{answer}"], 0.25,
                             color=look.colour, edgecolor="black", linewidth=0.6,
                             hatch=HATCHES[answer])  # fmt: skip
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.set_xticks(range(len(LOOKS)), [look.label for look in LOOKS.values()])
            axes.set_title(TREE_LABELS[tree].replace(", ", ",\n"))
            axes.grid(axis="y")
        panels[0].set_ylabel("Difference in area (points)")
        words = ("both", "routes alone", "fines alone")
        handles = [Patch(facecolor="white", edgecolor="black", hatch=HATCHES[a], label=w)
                   for a, w in zip(ANSWERS, words, strict=True)]  # fmt: skip
        drawn.legend(handles=handles, loc="outside upper center", ncols=3)
    return drawn


@figure(
    "The fine and the width of the intervals",
    caption="Mean difference in area (points) to the base tree without doubts, by the fine (left; "
    "the paper has 10 %) and by the width of the intervals relative to the paper's (right). {ran}",
    alt="Two panels with a line per version; the numbers are in the table beneath.",
    words=said,
)
def confidence_beyond_gradients(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> Figure:
    """Figure of the gradients of fine and width.

    Parameters
    ----------
    rows, statistics, plan
        As in `confidence_beyond_parts`.

    Returns
    -------
    Figure
    """
    from matplotlib.figure import Figure

    own = statistics[(statistics["part"] == "settings") & (statistics["correction"] == "none")]
    if own.empty:
        return nothing_drawn("No data set was run")
    cells = own.set_index("first")["difference"]
    with style():
        drawn = Figure(figsize=(WIDTH, 2.7), layout="constrained")
        panels = drawn.subplots(1, 2, sharey=True)
        for axes, (kind, values, scale, words, usual) in zip(
            panels,
            (
                ("fine", plan.fines, 100.0, "Fine (% of the assigned class's probability)", 10.0),
                ("width", plan.widths, 1.0, "Width of the intervals, times the paper's", 1.0),
            ),
            strict=True,
        ):
            for version, look in LOOKS.items():
                heights = [cells[f"{version}_{kind}_{value:g}"] for value in values]
                axes.plot([scale * value for value in values], heights, color=look.colour,
                          linestyle=look.line, label=look.label, **look.mark(5))  # fmt: skip
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.axvline(usual, color="0.6", linestyle=":", linewidth=1.0)
            axes.set_xlabel(words)
            axes.grid(axis="y")
        panels[0].set_ylabel("Difference in area (points)")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn


@figure(
    "Predicted and observed shares",
    caption="Share of the instances that have the class they are assigned, by the probability of "
    "that class, in {n_bins} bins; rows of all data sets and cross validations together, the size "
    "of a mark goes with their number. On the line probabilities are right; beneath it they are "
    "too high. {ran}",
    alt="Eight small panels, one per way to probabilities; the calibration errors are in the table "
    "beneath.",
    words=said,
)
def confidence_beyond_calibration(
    rows: pd.DataFrame, bins: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> Figure:
    """Figure of calibration curves.

    Parameters
    ----------
    rows, bins : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.statistics.merged`.
    plan : ConfidenceBeyondPlan

    Returns
    -------
    Figure
        A panel per way to probabilities.
    """
    import numpy as np
    from matplotlib.figure import Figure

    if bins.empty:
        return nothing_drawn("No data set was run")
    names = (PLAIN, *CORRECTIONS)
    with style():
        drawn = Figure(figsize=(WIDTH, 3.9), layout="constrained")
        panels = drawn.subplots(2, len(names) // 2, sharex=True, sharey=True)
        for axes, name in zip(panels.flat, names, strict=True):
            own = bins[bins["method"] == name]
            weight = own["n"].astype(float)
            sums = own.assign(predicted=own["predicted"] * weight, correct=own["correct"] * weight)
            sums = sums.groupby("bin")[["n", "predicted", "correct"]].sum().astype(float)
            x, y = sums["predicted"] / sums["n"], sums["correct"] / sums["n"]
            colour = LOOKS[name].colour if name in LOOKS else "#56B4E9"
            axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
            axes.plot(x, y, color=colour, linewidth=1.0)
            axes.scatter(x, y, 60 * np.sqrt(sums["n"] / sums["n"].sum()), color=colour,
                         edgecolor="black", linewidth=0.6, zorder=3)  # fmt: skip
            axes.set_title("plain shares" if name == PLAIN else METHODS[name])
            axes.set_xlim(0.0, 1.04)
            axes.set_ylim(0.0, 1.04)
        drawn.supxlabel("Probability of the assigned class", fontsize=8.5)
        drawn.supylabel("Share that has it", fontsize=8.5)
    return drawn
