"""Figures of experiments 1 and 2 of the thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.evaluation.metrics import standardised
from hedgerow.showing.figures import LOOKS, WIDTH, spread_by_rank, style
from hedgerow.showing.numbers import p_words
from hedgerow_study.experiments.soft.plan import EXPERIMENTS, PRINTED, TUNED, SoftPlan
from hedgerow_study.experiments.soft.statistics import of_table_3_1
from hedgerow_study.experiments.soft.tables import (
    caption_values,
    mean_ranks_of,
    score_caption_values,
)
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ----------------------------------------------------------------------------------- figures


NO_NUMBERS = "The paper prints this figure without numbers, so none stand beside."
FACTOR = (
    "Mean over data sets of the tuned uncertainty factor u, and of the width w of UDT, which is a "
    "share of the variable's range; bars are one standard error over data sets. Factors are tuned "
    "by {n_folds}-fold cross validation over u, w = {grid}; the paper prints no grid."
)
BOX = (
    "A box holds one value per data set (the mean over its repeats, drawn as a point), in "
    "standard deviations of C4.5 without added noise; whiskers reach to the last value within "
    "1.5 interquartile ranges, the line is the median, the diamond the mean. SE and PLT have "
    "the leaves of C4.5. A data set on which the baseline does not vary has no such value and "
    "is not drawn."
)


@figure(
    "tuned factors, noise in training data",
    caption=f"Experiment 1, noise in the training data of the cross-validation folds. {FACTOR} "
    f"{NO_NUMBERS} {{drawn}}",
    alt="Lines of the mean tuned factor of each tuned method against the noise factor of the "
    "training data.",
    caption_values=caption_values,
)
def thesis_figure_3_5(rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Figure 3.5: mean tuned factors against the noise factor of experiment 1.

    Returns: mean over data sets of the mean over repeats; bars are one standard error over
    data sets. The paper prints no numbers for it.
    """
    return _factor_figure("training_noise", rows, plan)


@figure(
    "tuned factors, noise in test data",
    caption=f"Experiment 2, noise in the test data: the validation folds. {FACTOR} {NO_NUMBERS} "
    "{drawn}",
    alt="Lines of the mean tuned factor of each tuned method against the noise factor of the test "
    "data.",
    caption_values=caption_values,
)
def thesis_figure_3_6(rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Figure 3.6: mean tuned factors against the noise factor of experiment 2.

    As `thesis_figure_3_5` otherwise.
    """
    return _factor_figure("test_noise", rows, plan)


@figure(
    "leaves and accuracy, noise in training data",
    caption=f"Experiment 1, noise in the training data. {BOX} {NO_NUMBERS} {{drawn}}",
    alt="Boxplots of standardised leaves and accuracy of each method at each noise factor of the "
    "training data; means are in table 3.4.",
    caption_values=caption_values,
)
def thesis_figure_3_9(rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Figure 3.9: boxplots of standardised leaves and accuracy of experiment 1.

    Returns: two panels. A box holds one value per data set of table 3.1, the mean over its
    repeats, and each value is drawn as a point; whiskers reach to the last value within 1.5
    interquartile ranges. The paper prints no numbers for it.
    """
    return _box_figure("training_noise", rows, plan)


@figure(
    "leaves and accuracy, noise in test data",
    caption=f"Experiment 2, noise in the test data. {BOX} {NO_NUMBERS} {{drawn}}",
    alt="Boxplots of standardised leaves and accuracy of each method at each noise factor of the "
    "test data; means are in table 3.5.",
    caption_values=caption_values,
)
def thesis_figure_3_10(rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Figure 3.10: boxplots of standardised leaves and accuracy of experiment 2.

    As `thesis_figure_3_9` otherwise.
    """
    return _box_figure("test_noise", rows, plan)


def _noise_label(experiment: str) -> str:
    part = {"training_noise": "training", "test_noise": "test"}[experiment]
    return f"Noise factor of the {part} data (share of |mean|)"


def _factor_figure(experiment: str, rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    from matplotlib.figure import Figure

    cells = of_table_3_1(rows, plan)
    cells = cells[(cells["experiment"] == experiment) & (cells["metric"] == "uncertainty")]
    per_set = cells.groupby(["method", "noise", "dataset"])["value"].mean()
    with style():
        figure = Figure(figsize=(0.62 * WIDTH, 2.9), layout="constrained")
        axes = figure.add_subplot()
        axes.grid(axis="y")
        methods = [m for m in plan.methods if m in PRINTED and m in TUNED]
        for i, method in enumerate(methods):
            values = per_set[method].groupby(level="noise")
            mean, error = values.mean(), values.sem().fillna(0.0)
            look = LOOKS[method]
            axes.errorbar(
                # A small shift keeps the bars of different methods apart.
                mean.index + 0.005 * (i - (len(methods) - 1) / 2),
                mean,
                error,
                label=look.label,
                color=look.colour,
                marker=look.marker,
                linestyle=look.line,
                markeredgecolor="black",
                markeredgewidth=0.5,
                elinewidth=0.9,
                capsize=2,
            )
        axes.set_xlabel(_noise_label(experiment))
        axes.set_ylabel("Mean tuned factor (u: share of |mean|,\nw of UDT: share of the range)")
        axes.set_xticks(plan.noise_factors, [f"{n:g}" for n in plan.noise_factors])
        axes.set_ylim(0, None)
        if methods:
            axes.legend(ncols=len(methods), loc="lower left", bbox_to_anchor=(0, 1), borderpad=0)
        else:
            axes.set_xlim(0, max(plan.noise_factors) or 1.0)
    return figure


def _box_figure(experiment: str, rows: pd.DataFrame, plan: SoftPlan) -> Figure:
    from matplotlib.figure import Figure

    panels = (
        ("n_leaves", "(a) Number of leaves", "Leaves (sd of C4.5\nwithout noise)"),
        ("accuracy", "(b) Test accuracy", "Accuracy (sd of C4.5\nwithout noise)"),
    )
    methods = [m for m in plan.methods if m in PRINTED]
    with style():
        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
        for axes, (metric, title, label) in zip(
            figure.subplots(2, 1, sharex=True), panels, strict=True
        ):
            values, _ = standardised(of_table_3_1(rows, plan), metric)
            values = values[values["experiment"] == experiment]
            per_set = values.groupby(["method", "noise", "dataset"])["value"].mean()
            axes.axhline(0, color="black", linewidth=0.7)
            axes.grid(axis="y")
            for i, method in enumerate(methods):
                _boxes(axes, per_set, method, i, len(methods), plan)
            axes.set_title(title)
            axes.set_ylabel(label)
            for boundary in np.arange(1, len(plan.noise_factors)) - 0.5:
                axes.axvline(boundary, color="#d9d9d9", linewidth=0.6)
        axes.set_xticks(range(len(plan.noise_factors)), [f"{n:g}" for n in plan.noise_factors])
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(plan.noise_factors) - 0.5)
        axes.set_xlabel(_noise_label(experiment))
        handles = _handles(methods)
        figure.legend(
            handles=handles,
            loc="outside upper center",
            ncols=len(handles),
            handlelength=1.8,
            columnspacing=1.5,
        )
    return figure


def _handles(methods: list[str]) -> list:
    """What the legend shows: a box of each method, a point and a mean."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    box = {"edgecolor": "black", "linewidth": 0.7}
    looks = [LOOKS[m] for m in methods]
    boxes = [{"facecolor": look.colour, "hatch": look.hatch, "label": look.label} for look in looks]
    point = {"xdata": [], "ydata": [], "color": "black", "linestyle": ""}
    return [
        *(Patch(**one, **box) for one in boxes),
        Line2D(**point, marker="o", markersize=2.5, label="data set"),
        Line2D(**point, marker="D", markersize=4, markerfacecolor="white", label="mean"),
    ]


def _boxes(axes, per_set: pd.Series, method: str, i: int, n: int, plan: SoftPlan) -> None:
    """Boxes of one method, one per noise factor, with every data set as a point."""
    if method not in per_set.index.get_level_values("method"):
        return
    width = 0.84 / n
    look = LOOKS[method]
    for level, noise in enumerate(plan.noise_factors):
        values = per_set[method][noise].to_numpy()
        centre = level + (i - (n - 1) / 2) * width
        drawn = axes.boxplot(
            values,
            positions=[centre],
            widths=0.86 * width,
            patch_artist=True,
            showfliers=False,  # every value is drawn as a point below
            manage_ticks=False,
            showmeans=True,
            medianprops={"color": "black", "linewidth": 1.3},
            meanprops={
                "marker": "D",
                "markersize": 3.4,
                "markerfacecolor": "white",
                "markeredgecolor": "black",
                "markeredgewidth": 0.7,
                "zorder": 4,
            },
            whiskerprops={"linewidth": 0.7},
            capprops={"linewidth": 0.7},
        )
        box = drawn["boxes"][0]
        box.set(facecolor=look.colour, hatch=look.hatch, edgecolor="black", linewidth=0.7)
        spread = spread_by_rank(values, 0.16 * width)
        axes.plot(centre + spread, values, "o", color="black", markersize=1.8, zorder=3)


# -------------------------------------------------------------------------- scores and ranks

_RANKED = {
    "training_noise": "(a) Noise in the training data",
    "test_noise": "(b) Noise in the test data",
}


@figure(
    "Critical difference",
    caption="Mean rank of each method by accuracy, 1 is best. A block is one data set, its value "
    "the mean accuracy over all {n_factors} noise factors and the repeats. Bars join methods "
    "that Nemenyi's test does not tell apart at p < 0.05: their mean ranks differ by less than the "
    "critical difference (CD). Where Friedman's test finds no difference (p of 0.05 or more) there "
    "is nothing for Nemenyi's to divide. {ran}",
    alt="Two axes of mean ranks, one per experiment, with a mark for each method and bars that "
    "join methods that do not differ by the test; ranks and p-values are in the table soft_ranks.",
    caption_values=score_caption_values,
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
    groups, reached = [], -1
    for i, rank in enumerate(ordered):
        last = int(np.flatnonzero(ordered.to_numpy() - rank < least)[-1])
        if last > i and last > reached:
            groups.append(tuple(ordered.index[i : last + 1]))
            reached = last
    return groups


def _diagram(axes, ranks: pd.DataFrame, experiment: str) -> None:
    axes.set_axis_off()
    axes.set_title(f"{_RANKED[experiment]}: mean rank by accuracy, 1 is best")
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
    words = f"CD = {least:.2f}  (n = {n} data sets; Friedman {p_words(overall['p'])})"
    axes.text(1, 1.5, words, ha="left", va="bottom")
    # The axis, or the ruler where it is longer, with room for the names at both ends.
    width = max(k - 1, least)
    axes.set_xlim(1 - 0.27 * width, 1 + 1.27 * width)
    axes.set_ylim(top - 0.62 * (n_left - 1) - 0.4, 2.2)
