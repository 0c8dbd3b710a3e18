"""Figures of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.experiments.search_beyond.plan import OBJECTIVES, PRUNED, UNPRUNED, SearchBeyondPlan
from hedgerow.experiments.search_beyond.steps import merge
from hedgerow.experiments.search_beyond.tables import (
    CURVES,
    LEARNER_LABELS,
    VIEWS,
    running_times,
    said,
)
from hedgerow.experiments.step import figure, step
from hedgerow.reporting.figures import LOOKS, WIDTH, Look, style
from hedgerow.reporting.tables import MEAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How learners are drawn: colours of Okabe and Ito (2008) as for methods.
LEARNER_LOOKS = {
    "c45_pruned": Look(LEARNER_LABELS["c45_pruned"], "#999999", "o", "-", ""),
    "uct_vs": Look(LEARNER_LABELS["uct_vs"], "#0072B2", "^", "-.", ""),
    "uct_c45": Look(LEARNER_LABELS["uct_c45"], "#009E73", "v", (0, (5, 1)), ""),
    "uct_vs_no_pruning": Look(LEARNER_LABELS["uct_vs_no_pruning"], "#56B4E9", "<", ":", ""),
    "uct_vs_all_tests": Look(LEARNER_LABELS["uct_vs_all_tests"], "#E69F00", "s", "--", ""),
    "optimum": Look("optimum", "#000000", "D", "-", ""),
    "optimal_f1_labels": Look(LEARNER_LABELS["optimal_f1_labels"], "#D55E00", "X", ":", ""),
    "optimal_validation": Look(LEARNER_LABELS["optimal_validation"], "#CC79A7", "P", "--", ""),
}


# ----------------------------------------------------------------------------------- figures


@figure(
    "C4.5, tree search and the optimum",
    caption="Points above C4.5 without pruning at the same limit of the depth, means over data "
    "sets, by the rows that are measured. {binary} {of_gap}",
    alt="Lines of the points above C4.5 against the largest depth, for UCT-DT, pruned C4.5 and "
    "optimal trees, in training, induction, validation and test rows; the numbers are in the "
    "table above.",
    words=said,
)
def search_beyond_distance(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> Figure:
    """Figure of the distance to C4.5 by depth, of UCT-DT and of the optimum.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `search_beyond_gap` is read.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
        A row per objective, a column per set of rows that is measured.
    """
    from matplotlib.figure import Figure

    table = tables["search_beyond_gap"]
    means = table[table["dataset"] == MEAN]
    titles = {
        "training": "all training rows",
        "induction": "induction set",
        "validation": "validation set",
        "test": "test part",
    }
    with style():
        figure = Figure(figsize=(WIDTH, 5.0), layout="constrained")
        grid = figure.subplots(2, 4, sharex="row")
        for axes_row, (objective, best) in zip(grid, OBJECTIVES.items(), strict=True):
            for axes, measured in zip(axes_row, VIEWS, strict=True):
                if objective == "accuracy" and measured == "validation":
                    axes.set_axis_off()  # searches maximise F1 there, and no optimum is known
                    continue
                cells = means[
                    (means["objective"] == objective) & (means["measured_on"] == measured)
                ]
                _by_depth(axes, cells, best, VIEWS[measured])
                axes.set_title(titles[measured])
                axes.set_xlabel("Largest depth (tests)")
            name = {"accuracy": "Accuracy", "f1": "Macro F1"}[objective]
            axes_row[0].set_ylabel(f"{name} minus that of\nC4.5 (points of %)")
        known = {}
        for axes in grid.flat:
            known |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        shown = [look.label for look in LEARNER_LOOKS.values() if look.label in known]
        figure.legend(
            [known[label] for label in shown], shown, loc="outside upper center", ncols=3,
            handlelength=3.0,
        )  # fmt: skip
    return figure


def _by_depth(axes, cells: pd.DataFrame, best: str, learnt_from: str) -> None:
    """One panel: a line per learner over the depth."""
    axes.axhline(0, color="black", linewidth=0.7)
    axes.grid(axis="y")
    for i, (learner, look) in enumerate(LEARNER_LOOKS.items()):
        name = best if learner == "optimum" else learner
        own = cells[cells["learner"] == name]
        if name in ("c45_pruned", best):
            own = own[own["trained_on"] == learnt_from]
        own = own.sort_values("depth")
        if len(own):
            axes.plot(
                own["depth"] + 0.03 * (i - len(LEARNER_LOOKS) / 2),  # equal values stay visible
                own["difference_c45"],
                color=look.colour,
                linestyle=look.line,
                label=look.label,
                **look.mark(4.5),
            )
    depths = sorted(cells["depth"].unique())
    axes.set_xticks(depths)
    if depths:
        axes.set_xlim(depths[0] - 0.3, depths[-1] + 0.3)


_PANELS = {
    "f1": "Test F1 (%)",
    "validation_f1": "Validation F1 (%)",
    "n_leaves": "Leaves",
}


@figure(
    "What is found after so many iterations",
    caption="F1 on the test part and on the validation set, and leaves, of the best tree so far; "
    "means over data sets. ETE counts tree evaluations and has no validation set. {of_curves}",
    alt="Lines of F1 on test and validation rows and of the number of leaves against iterations, "
    "for C4.5, ETE and UCT-DT; the numbers are in the table.",
    words=said,
)
def search_beyond_curves(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> Figure:
    """Figure of anytime curves: F1 and leaves against iterations.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `search_beyond_progress` is read.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
        A row per quantity; on the left with both kinds of search pruning, on the right with none.
    """
    table = tables["search_beyond_progress"].fillna({"criterion": ""})
    means = table[table["dataset"] == MEAN]
    return _curves(means.assign(x=means["budget"]), "Iterations (ETE: tree evaluations)", _PANELS)


def curves_by_seconds(
    tables: Mapping[str, pd.DataFrame], times: pd.DataFrame, plan: SearchBeyondPlan
) -> Figure:
    """The same curves against seconds, which no result depends on; kept apart from the report.

    Parameters
    ----------
    tables : mapping of DataFrame
        `search_beyond_progress` is read.
    times : DataFrame
        As returned by `running_times`.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
    """
    table = tables["search_beyond_progress"].fillna({"criterion": ""})
    means = table[table["dataset"] == MEAN]
    times = times.fillna({"criterion": ""})
    key = ["method", "criterion", "budget"]
    means = means.merge(times[[*key, "seconds"]], on=key).rename(columns={"seconds": "x"})
    panels = {name: _PANELS[name] for name in ("f1", "validation_f1")}
    return _curves(means, "Seconds", panels)


def _curves(means: pd.DataFrame, label: str, panels: Mapping[str, str]) -> Figure:
    """Lines of every method against x, a row per quantity, a column per kind of pruning."""
    from matplotlib.figure import Figure

    columns = {PRUNED: "both kinds of search pruning", UNPRUNED: "no search pruning"}
    with style():
        figure = Figure(figsize=(WIDTH, 0.8 + 1.9 * len(panels)), layout="constrained")
        grid = figure.subplots(len(panels), 2, sharex=True, sharey="row")
        for axes_row, (quantity, title) in zip(grid, panels.items(), strict=True):
            for axes, (criterion, of_column) in zip(axes_row, columns.items(), strict=True):
                axes.grid(axis="y")
                axes.set_xscale("log")
                for method in CURVES:
                    look = LOOKS[method]
                    curve = means[means["method"] == method].sort_values("budget")
                    curve = curve[curve["criterion"].isin(["", criterion])]
                    curve = curve.dropna(subset=[quantity])
                    if method == "c45" and len(curve):
                        value = curve[quantity].iloc[0]
                        axes.axhline(value, color="#777777", label=look.label, zorder=1.5)
                    elif len(curve):
                        axes.plot(
                            curve["x"],
                            curve[quantity],
                            color=look.colour,
                            linestyle=look.line,
                            label=look.label,
                            **look.mark(3.8),
                        )
                if quantity == next(iter(panels)):
                    axes.set_title(of_column)
            axes_row[0].set_ylabel(title)
        for axes in grid[-1]:
            axes.set_xlabel(label)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=max(len(labels), 1), handlelength=2.8
        )
    return figure


@step("*", makes=("times", "svg", "png"))
def search_beyond_running_times(
    progress: pd.DataFrame, times: Sequence[pd.DataFrame], plan: SearchBeyondPlan
) -> dict:
    """Seconds of the anytime curves, and the curves against them.

    Apart from all results: seconds differ from machine to machine and from run to run.

    Parameters
    ----------
    progress : DataFrame
        `search_beyond_progress`, as read from its file.
    times : sequence of DataFrame
        As `hedgerow.experiments.search_beyond.steps.anytime` returns them.
    plan : SearchBeyondPlan

    Returns
    -------
    dict
        `times`, a DataFrame; `svg` and `png`, the same Figure.
    """
    seconds = running_times(merge(times, "times"), plan)
    figure = curves_by_seconds({"search_beyond_progress": progress}, seconds, plan)
    return {"times": seconds, "svg": figure, "png": figure}
