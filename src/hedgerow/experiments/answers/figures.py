"""Figures of all answers to doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.experiments.answers.plan import COMPARED, METHODS, PART, READABLE, AnswersPlan
from hedgerow.experiments.answers.tables import CONDITION_LABELS, LABELS, said
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import WIDTH, nothing_drawn, style
from hedgerow.reporting.numbers import number, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure(
    "What each learner gains over C4.5",
    caption="Accuracy less that of C4.5 in the same condition, points, mean over data sets, levels "
    "and places; darker is more, orange is a gain and blue a loss, and each cell says how much. "
    "Line of C4.5: its accuracy. {ran}",
    alt="A table of coloured cells, learners by conditions, each with its number; the numbers are "
    "in the tables.",
    words=said,
)
def answers_gains(rows: pd.DataFrame, plan: AnswersPlan) -> Figure:
    """Figure of who gains where.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.answers.statistics.merged`.
    plan : AnswersPlan

    Returns
    -------
    Figure
        A line per learner, a column per condition.
    """
    from matplotlib import colormaps
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    means = COMPARED.means(rows, PART, "accuracy")
    if means.empty:
        return nothing_drawn("No data set was run")
    whole = means.mean().unstack("condition")
    if "c45" not in whole.index:
        return nothing_drawn("C4.5 was not run")
    conditions = [c for c in CONDITION_LABELS if c in whole]
    methods = [m for m in METHODS if m in whole.index]
    base = whole.loc["c45", conditions]
    gains = whole.loc[methods, conditions] - base
    most = max(float(np.nanmax(np.abs(gains.to_numpy()))), 1e-9)
    with style():
        drawn = Figure(figsize=(WIDTH, 0.36 * len(methods) + 1.6), layout="constrained")
        axes = drawn.subplots()
        # Two colours that a colour-blind reader tells apart; in grey the sign tells.
        colours = colormaps["PuOr_r"]
        norm = TwoSlopeNorm(0.0, -most, most)
        image = axes.imshow(gains, cmap=colours, norm=norm, aspect="auto")
        for i, method in enumerate(methods):
            for k, condition in enumerate(conditions):
                value = gains.loc[method, condition]
                text = number(base[condition], 1) if method == "c45" else signed(value, 1)
                dark = abs(value) > 0.6 * most
                axes.text(k, i, text, ha="center", va="center", color="white" if dark else "black")
        names = [
            CONDITION_LABELS[c].replace(", ", ",\n").replace(" for ", "\nfor ") for c in conditions
        ]
        axes.set_xticks(range(len(conditions)), names, rotation=35, ha="right")
        axes.set_yticks(range(len(methods)), [LABELS[m] for m in methods])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        drawn.colorbar(image, ax=axes, label="Accuracy minus C4.5's (points)", shrink=0.7)
    return drawn


@figure(
    "Mean ranks",
    caption="Mean rank of the accuracy over data sets, 1 for the best; learners within the grey "
    "band do not differ from the best by Nemenyi's test (level .05). Filled: one readable tree. "
    "{ran}",
    alt="A panel per condition with a mark per learner along an axis of mean ranks; the numbers "
    "are in the table.",
    words=said,
)
def answers_rank_lines(ranks: pd.DataFrame, rows: pd.DataFrame, plan: AnswersPlan) -> Figure:
    """Figure of the mean ranks.

    Parameters
    ----------
    ranks, rows : DataFrame
        As returned by `hedgerow.experiments.answers.statistics.merged`.
    plan : AnswersPlan

    Returns
    -------
    Figure
        A panel per condition.
    """
    from matplotlib.figure import Figure

    own = ranks[ranks["metric"] == "accuracy"]
    conditions = [c for c in CONDITION_LABELS if (own["condition"] == c).any()]
    if not conditions:
        return nothing_drawn("No data set was run with two learners or more")
    n_columns = 3
    n_rows = -(-len(conditions) // n_columns)
    with style():
        drawn = Figure(figsize=(WIDTH, 2.9 * n_rows), layout="constrained")
        panels = drawn.subplots(n_rows, n_columns, squeeze=False, sharex=True)
        for axes, condition in zip(panels.flat, conditions, strict=False):
            lines = own[own["condition"] == condition].sort_values(["mean_rank", "method"])
            best = lines["mean_rank"].iloc[0]
            band = best + lines["critical_difference"].iloc[0]
            axes.axvspan(best, band, color="#e3e3e3", linewidth=0)
            for i, (method, rank) in enumerate(
                zip(lines["method"], lines["mean_rank"], strict=True)
            ):
                readable = method in READABLE
                axes.plot(
                    rank,
                    i,
                    marker="o" if readable else "s",
                    markersize=5,
                    color="#0072B2",
                    markerfacecolor="#0072B2" if readable else "white",
                )
            axes.set_yticks(range(len(lines)), [LABELS[m] for m in lines["method"]], fontsize=7)
            axes.invert_yaxis()
            axes.grid(axis="x")
            axes.tick_params(axis="y", length=0)
            axes.set_title(CONDITION_LABELS[condition].capitalize(), loc="right")
        for axes in panels.flat[len(conditions) :]:
            axes.set_visible(False)
        for axes in panels[-1]:
            axes.set_xlabel("Mean rank")
    return drawn
