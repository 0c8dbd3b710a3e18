"""Figures of the sweep of the pruning confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.showing.figures import LOOKS, WIDTH, style
from hedgerow_study.experiments.soft_sweep.plan import METHODS, SweepPlan
from hedgerow_study.experiments.soft_sweep.tables import (
    HIGH_ABOVE,
    LOW_BELOW,
    NOISE,
    PANELS,
    caption_values,
    in_order,
    soft_sweep,
)
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ----------------------------------------------------------------------------------- figures


DRAWN = (
    "Leaves and accuracy on clean test data against the pruning confidence c, mean over "
    "repeats with a band of one standard error; C4.5, SS and STP with u = {uncertainty}. Marks at "
    "the right are the trees as they were grown: c = 1 still prunes. {one_leaf}Dotted lines bound "
    f"the ranges below {LOW_BELOW:g} and above {HIGH_ABOVE:g}. The paper prints this figure "
    "without numbers, and its caption names C4.5 and SS only."
)


@figure(
    "pruning confidence, no noise",
    caption=f"Pruning confidence, noise factor 0 in the training data. {DRAWN} {{ran}}",
    alt="For each data set a panel of leaves and a panel of test accuracy against the pruning "
    "confidence from 0 to 1, a line each for C4.5, SS and STP, without added noise; means are in "
    "the table soft_sweep.",
    caption_values=caption_values,
)
def thesis_figure_3_11(rows: pd.DataFrame, plan: SweepPlan) -> Figure:
    """Figure 3.11: leaves and accuracy against the pruning confidence, no noise added.

    Returns: one row of two panels per data set that was run: the mean over repeats with a band
    of one standard error. The paper prints no numbers for it.
    """
    return _figure(rows, plan, NOISE["thesis_figure_3_11"])


@figure(
    "pruning confidence, noise in training data",
    caption=f"Pruning confidence, noise factor 0.1 in the training data. {DRAWN} {{ran}}",
    alt="For each data set a panel of leaves and a panel of test accuracy against the pruning "
    "confidence from 0 to 1, a line each for C4.5, SS and STP, with noise factor 0.1 in the "
    "training data; means are in the table soft_sweep.",
    caption_values=caption_values,
)
def thesis_figure_3_12(rows: pd.DataFrame, plan: SweepPlan) -> Figure:
    """Figure 3.12: as `thesis_figure_3_11`, with noise factor 0.1 in the training data."""
    return _figure(rows, plan, NOISE["thesis_figure_3_12"])


#: Where the marks of the unpruned trees stand, beyond c = 1.
_GROWN = 1.07


def _figure(rows: pd.DataFrame, plan: SweepPlan, noise: float) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

    table = soft_sweep(rows, plan)
    table = table[table["noise"] == noise]
    datasets = in_order(table["dataset"])
    with style():
        if not datasets:
            figure = Figure(figsize=(WIDTH, 1.0), layout="constrained")
            words = f"Noise factor {noise:g} is not part of this configuration."
            figure.text(0.5, 0.5, words, ha="center", va="center")
            return figure
        figure = Figure(figsize=(WIDTH, 0.6 + 1.75 * len(datasets)), layout="constrained")
        grid = figure.subplots(len(datasets), 2, sharex=True, squeeze=False)
        for (left, right), dataset in zip(grid, datasets, strict=True):
            of_set = table[table["dataset"] == dataset]
            _lines(left, of_set, "leaves")
            _lines(right, of_set, "accuracy")
            left.set_title(PANELS.get(dataset, f"{dataset} (not in the paper's figure)"))
            left.set_ylabel("Leaves (log scale)")
            right.set_ylabel("Accuracy (%)")
            left.set_yscale("log")
            left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            left.yaxis.set_major_formatter(FormatStrFormatter("%g"))
            left.yaxis.set_minor_locator(NullLocator())
            _frame_accuracy(right, of_set)
        ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
        for axes in grid[-1]:
            axes.set_xticks([*ticks, _GROWN], [*(f"{c:g}" for c in ticks), "no\npruning"])
            axes.get_xticklabels()[-1].set_ha("left")
            axes.set_xlabel("Pruning confidence c")
            axes.set_xlim(-0.02, _GROWN + 0.05)
        for column in grid.T:
            figure.align_ylabels(column)
        handles = [
            Line2D(
                [],
                [],
                color=LOOKS[m].colour,
                linestyle=LOOKS[m].line,
                marker=LOOKS[m].marker,
                markeredgecolor="black",
                markeredgewidth=0.5,
                label=LOOKS[m].label + ("" if m == "c45" else f", u = {plan.uncertainty:g}"),
            )
            for m in METHODS
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _lines(axes, table: pd.DataFrame, column: str) -> None:
    """One panel: a line with its band per method, and the unpruned trees at the right."""
    axes.grid(axis="y")
    for boundary in (LOW_BELOW, HIGH_ABOVE):
        axes.axvline(boundary, color="black", linewidth=0.6, linestyle=(0, (1, 3)))
    axes.axvline(1, color="#d9d9d9", linewidth=0.6)
    step = max(3, (table["confidence"].nunique() + 3) // 6)
    for i, method in enumerate(METHODS):
        cells = table[table["method"] == method]
        pruned, grown = cells[cells["confidence"].notna()], cells[cells["confidence"].isna()]
        look = LOOKS[method]
        error = pruned[f"{column}_se"].fillna(0.0)
        c, mean = pruned["confidence"].to_numpy(), pruned[column].to_numpy()
        axes.fill_between(c, mean - error, mean + error, color=look.colour, alpha=0.22, linewidth=0)
        axes.plot(
            c,
            mean,
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            # A few marks per line, at other places for each method.
            markevery=(i * step // 3, step),
            markersize=4,
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
        axes.errorbar(
            [_GROWN + 0.015 * (i - 1)],
            grown[column],
            grown[f"{column}_se"].fillna(0.0),
            color=look.colour,
            marker=look.marker,
            markersize=4,
            markeredgecolor="black",
            markeredgewidth=0.5,
            elinewidth=0.9,
            linestyle="",
        )


def _frame_accuracy(axes, table: pd.DataFrame) -> None:
    """Limits by what is not a single leaf, which would press all else to the top."""
    trees = table[table["confidence"] != 0]
    error = trees["accuracy_se"].fillna(0.0)
    low, high = (trees["accuracy"] - error).min(), (trees["accuracy"] + error).max()
    margin = max(0.06 * (high - low), 0.5)
    axes.set_ylim(low - margin, high + margin)
    leaf = table.loc[table["confidence"] == 0, "accuracy"]
    if len(leaf) and leaf.iloc[0] < low - margin:
        words = f"c = 0: {leaf.iloc[0]:.1f} ↓"
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85}
        axes.annotate(words, (0.06, 0.04), xycoords="axes fraction", fontsize=7.5, bbox=box)
