"""Figures of scores and ranks beyond the thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.experiments.soft.plan import EXPERIMENTS, SoftPlan
from hedgerow.experiments.soft_scores.tables import mean_ranks_of, said
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import LOOKS, WIDTH, style
from hedgerow.reporting.numbers import p_said

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "training_noise": "(a) Noise in the training data",
    "test_noise": "(b) Noise in the test data",
}


# ------------------------------------------------------------------------------------ figure


@figure(
    "Critical difference",
    caption="Mean rank of each method by accuracy, 1 is best. A block is one data set, its value "
    "the mean accuracy over all {n_factors} noise factors and the permutations. Bars join methods "
    "that Nemenyi's test does not tell apart at p < .05: their mean ranks differ by less than the "
    "critical difference (CD). Where Friedman's test finds no difference (p of .05 or more) there "
    "is nothing for Nemenyi's to divide. {ran}",
    alt="Two axes of mean ranks, one per experiment, with a mark for each method and bars that "
    "join methods which are not told apart; ranks and p-values are in the table soft_ranks.",
    words=said,
)
def soft_critical_difference(ranks: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Critical-difference diagram over data sets, one panel per experiment (Demsar 2006, fig. 1).

    Returns: A panel says so where there is nothing to test.
    """
    from matplotlib.figure import Figure

    lines = (len(plan.methods) + 1) // 2
    # Room for the rank axis, its ruler, bars and names; little where there is nothing to draw.
    height = 1.35 + 0.3 * lines if ranks["p"].notna().any() else 0.7
    with style():
        figure = Figure(figsize=(WIDTH, 2 * height), layout="constrained")
        for axes, experiment in zip(figure.subplots(2, 1), EXPERIMENTS, strict=True):
            _diagram(axes, ranks[ranks["experiment"] == experiment], experiment)
    return figure


def groups_of(mean_ranks: pd.Series, least: float) -> list[tuple[str, ...]]:
    """Largest runs of methods whose mean ranks all differ by less than the critical difference.

    Returns: methods of each run, best first; runs of one are left out.
    """
    ordered = mean_ranks.sort_values(kind="stable")
    found, reached = [], -1
    for i, rank in enumerate(ordered):
        last = int(np.flatnonzero(ordered.to_numpy() - rank < least)[-1])
        if last > i and last > reached:
            found.append(tuple(ordered.index[i : last + 1]))
            reached = last
    return found


def _diagram(axes, ranks: pd.DataFrame, experiment: str) -> None:
    axes.set_axis_off()
    axes.set_title(f"{TITLES[experiment]}: mean rank by accuracy, 1 is best")
    overall = ranks[ranks["name"] == "friedman"].iloc[0]
    if np.isnan(overall["p"]):
        words = f"No test: {overall['note']}."
        axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
        return
    mean = mean_ranks_of(ranks).sort_values(kind="stable")
    least, k = float(overall["critical_difference"]), len(mean)
    groups = groups_of(mean, least)
    # The rank axis lies at height 0; bars and names are below it, one unit apart.
    axes.plot([1, k], [0, 0], color="black", linewidth=0.9)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0, 0.22], color="black", linewidth=0.9)
        axes.text(rank, 0.3, f"{rank}", ha="center", va="bottom")
    for i, group in enumerate(groups):
        height = -0.38 - 0.3 * i
        ends = [mean[group[0]] - 0.01 * (k - 1), mean[group[-1]] + 0.01 * (k - 1)]
        axes.plot(ends, [height, height], color="black", linewidth=3.2, solid_capstyle="butt")
    top = -0.85 - 0.3 * max(len(groups) - 1, 0)
    n_left = (k + 1) // 2
    for i, (method, rank) in enumerate(mean.items()):
        left = i < n_left
        height = top - 0.62 * (i if left else k - 1 - i)
        edge, name = (1 - 0.04 * (k - 1), "right") if left else (k + 0.04 * (k - 1), "left")
        look = LOOKS[method]
        axes.plot([rank, rank, edge], [0, height, height], color="#4d4d4d", linewidth=0.8)
        axes.plot(
            rank,
            0,
            marker=look.marker,
            color=look.colour,
            markersize=6,
            markeredgecolor="black",
            markeredgewidth=0.6,
            zorder=3,
        )
        gap = (-0.015 if left else 0.015) * (k - 1)
        axes.text(edge + gap, height, f"{look.label}  {rank:.2f}", ha=name, va="center")
    # The ruler of the critical difference, from the best possible rank on.
    axes.plot([1, 1 + least], [1.3, 1.3], color="black", linewidth=1.2, marker="|", markersize=6)
    n = int(overall["n_datasets"])
    words = f"CD = {least:.2f}  (n = {n} data sets; Friedman {p_said(overall['p'])})"
    axes.text(1, 1.5, words, ha="left", va="bottom")
    # The axis, or the ruler where it is longer, with room for the names at both ends.
    width = max(k - 1, least)
    axes.set_xlim(1 - 0.27 * width, 1 + 1.27 * width)
    axes.set_ylim(top - 0.62 * (n_left - 1) - 0.4, 2.2)
