"""Figures of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.experiments.soft_beyond.plan import (
    COMPARED_SETS,
    METHODS,
    POOLED,
    SET_METHODS,
    SETS,
    SITUATIONS,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.experiments.soft_beyond.tables import (
    FAMILY_LABELS,
    KNOWN_MODELS,
    said,
    said_of_sets,
)
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import LOOKS, WIDTH, Look, spread_by_rank, style
from hedgerow.reporting.tables import MEAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How the noise models are drawn: colours of Okabe and Ito (2008) as for methods.
MODEL_LOOKS = {
    "normal": Look("normal model, tuned", "#999999", "o", "-", ""),
    "matching": Look("matching model, tuned", "#0072B2", "^", "--", ""),
    "true": Look("what was added, known", "#E69F00", "s", ":", ""),
}


# ----------------------------------------------------------------------------------- figures


@figure(
    "Noise families and noise models",
    caption="Accuracy under noise of six families: difference to C4.5 on the same data, one small "
    f"point per data set and the mean over them. {KNOWN_MODELS} {{noise_models}}",
    alt="Mean difference in accuracy to C4.5 of SS, STP and SE under six families of noise, with "
    "a normal model, a matching model and the noise known; the numbers are in the tables above.",
    words=said,
)
def soft_beyond_matching(tables: Mapping[str, pd.DataFrame], plan: SoftBeyondPlan) -> Figure:
    """Figure of accuracy by family of the noise, method and model.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `soft_beyond_noise_models` is read.
    plan : SoftBeyondPlan

    Returns
    -------
    Figure
        A row per method, a column per place of the noise, at the largest noise factor.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    noise = max(plan.noise_factors)
    table = tables["soft_beyond_noise_models"]
    cells = table[(table["metric"] == "accuracy") & (table["noise"] == noise)]
    cells = cells.sort_values("dataset").set_index("family")
    families = [f for f in (*plan.families, POOLED) if f in cells.index]
    models = [m for m in MODEL_LOOKS if (cells["model"] == m).any()]
    with style():
        figure = Figure(figsize=(WIDTH, 6.2), layout="constrained")
        grid = figure.subplots(3, 2, sharex=True, sharey="row")
        for axes_row, method in zip(grid, METHODS[1:], strict=True):
            for axes, where in zip(axes_row, WHERE, strict=True):
                shown = cells[(cells["method"] == method) & (cells["where"] == where)]
                _families(axes, shown, families, models)
                axes.set_title(f"{LOOKS[method].label}, noise in the {where} data")
            axes_row[0].set_ylabel("Accuracy minus C4.5's\n(points of %)")
        for axes in grid[-1]:
            labels = [FAMILY_LABELS[f] for f in families]
            axes.set_xticks(range(len(families)), labels, rotation=35, ha="right")
        handles = [
            Line2D([], [], linestyle="", label=MODEL_LOOKS[m].label, **MODEL_LOOKS[m].mark(5.5))
            for m in models
        ]
        handles.append(Line2D([], [], linestyle="", label="data set", **_POINT))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


_POINT = {"color": "#555555", "marker": "o", "markersize": 1.8}


def _families(axes, cells: pd.DataFrame, families: list[str], models: list[str]) -> None:
    """One panel: families along the axis, a mark per model, the data sets behind it."""
    axes.axhline(0, color="black", linewidth=0.7)
    axes.grid(axis="y")
    for boundary in np.arange(1, len(families)) - 0.5:
        axes.axvline(boundary, color="#d9d9d9", linewidth=0.6)
    for i, family in enumerate(families):
        of_family = cells[cells.index == family]
        for k, model in enumerate(models):
            of_model = of_family[of_family["model"] == model]
            x = i + 0.27 * (k - (len(models) - 1) / 2)
            mean = of_model.loc[of_model["dataset"] == MEAN, "difference_c45"]
            sets = of_model.loc[of_model["dataset"] != MEAN, "difference_c45"].to_numpy()
            spread = spread_by_rank(sets, 0.05)
            axes.plot(x + spread, sets, linestyle="", zorder=2, **_POINT)
            axes.plot([x] * len(mean), mean, linestyle="", zorder=3, **MODEL_LOOKS[model].mark(5))
    axes.set_xlim(-0.5, max(len(families), 1) - 0.5)
    axes.tick_params(axis="x", length=0)


@figure(
    "Class noise and noise on categories",
    caption="Accuracy when (a) class labels of the training data, (b, c) categories of the "
    "training or the test data are replaced at random: difference to C4.5 without noise, mean "
    "over data sets. (a) {class_noise} (b, c) {categorical_noise} Sets without a numeric "
    "variable, where SS, STP and SE are C4.5, are not drawn.",
    alt="Lines of the difference in accuracy to C4.5 without noise against the probability that "
    "class labels or categories are replaced; the numbers are in the tables.",
    words=said,
)
def soft_beyond_labels(tables: Mapping[str, pd.DataFrame], plan: SoftBeyondPlan) -> Figure:
    """Figure of accuracy under class noise and categorical noise.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; class noise and categorical noise are read.
    plan : SoftBeyondPlan

    Returns
    -------
    Figure
        Three panels: difference of the accuracy to that of C4.5 without noise against the
        probability of replacement. SE with a model of the categories is a line of its own.
    """
    from matplotlib.figure import Figure

    classes = tables["soft_beyond_class_noise"]
    categories = tables["soft_beyond_categorical_noise"]
    panels = (
        (classes, "training", "(a) Training labels", plan.class_noise),
        (categories, "training", "(b) Training categories", plan.category_noise),
        (categories, "test", "(c) Test categories", plan.category_noise),
    )
    drawn = comparable(classes) | comparable(categories)
    lines = [("c45", "none", LOOKS["c45"])]
    lines += [(m, "normal", LOOKS[m]) for m in METHODS[1:]]
    of_categories = Look("SE, model of the categories", "#000000", "X", (0, (1, 1)), "")
    lines.append(("se", "matching", of_categories))
    with style():
        figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
        for axes, (table, where, title, levels) in zip(
            figure.subplots(1, 3, sharey=True), panels, strict=True
        ):
            axes.axhline(0, color="black", linewidth=0.7)
            axes.grid(axis="y")
            cells = table[(table["metric"] == "accuracy") & table["dataset"].isin(drawn)]
            cells = cells[cells["where"].isin(["none", where])]
            mean = cells.groupby(["where", "noise", "method", "model"], as_index=False)[
                "difference_clean"
            ].mean()
            for i, (method, model, look) in enumerate(lines):
                of_line = mean[(mean["method"] == method) & (mean["model"] == model)]
                of_line = of_line.sort_values("noise")
                values = of_line["difference_clean"].where(
                    (of_line["where"] != "none") | (method != "c45"), 0.0
                )
                shift = 0.01 * max(levels) * (i - (len(lines) - 1) / 2)
                axes.plot(
                    of_line["noise"] + shift,
                    values,
                    color=look.colour,
                    linestyle=look.line,
                    label=look.label,
                    **look.mark(4.5),
                )
            axes.set_title(title)
            axes.set_xticks([0, *levels], [f"{p:g}" for p in (0, *levels)])
            axes.set_xlabel("Probability of replacement")
        figure.axes[0].set_ylabel("Accuracy minus that of C4.5\nwithout noise (points of %)")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels), handlelength=2.6
        )
    return figure


def comparable(table: pd.DataFrame) -> set[str]:
    """Data sets that have every method of a table, so that means over them can be compared.

    A set without a numeric variable has C4.5 and SE with a model of the categories only. Where
    there is no other, all sets are returned.
    """
    sets = table[table["dataset"] != MEAN]
    methods = sets.groupby("dataset")["method"].agg(set)
    whole = set(methods.index[methods.map(lambda found: set(METHODS) <= found)])
    return whole or set(methods.index)


@figure(
    "Sets with a promise",
    caption="Sets that promise to hold the true class: (a) how often they do, less what is "
    "promised, and (b) how many classes they hold, less those of C4.5; one small point per data "
    "set and the mean over them. Largest error and least promise of the table. {sets}",
    alt="Coverage and size of prediction sets of C4.5 and soft trees where test values carry "
    "errors and the calibration has them or has not; the numbers are in the table.",
    words=said_of_sets,
)
def soft_beyond_promises(sets: pd.DataFrame, plan: SoftBeyondPlan) -> Figure:
    """Figure of coverage and size of sets.

    Parameters
    ----------
    sets : DataFrame
        Rows of all data sets.
    plan : SoftBeyondPlan

    Returns
    -------
    Figure
        At the largest error and the least promise: a group of marks per situation.
    """
    from matplotlib.figure import Figure

    cell = (max(plan.set_noise), min(plan.promised))
    panels = (
        ("coverage", 100 * cell[1], "(a) Coverage", "Coverage minus promised\n(points of %)"),
        ("size", METHODS[0], "(b) Size", "Classes in a set\nminus those of C4.5"),
    )
    with style():
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        for axes, (metric, other, title, label) in zip(figure.subplots(1, 2), panels, strict=True):
            means = COMPARED_SETS.means(sets, SETS, metric)
            axes.axhline(0, color="black", linewidth=0.7)
            axes.grid(axis="y")
            methods = SET_METHODS if metric == "coverage" else SET_METHODS[1:]
            for i, situation in enumerate(SITUATIONS):
                for k, method in enumerate(methods):
                    key = (*situation, *cell, method)
                    if key not in means:
                        continue
                    beside = other if metric == "coverage" else means[(*key[:-1], other)]
                    values = (means[key] - beside).dropna().to_numpy()
                    x = i + 0.8 / len(methods) * (k - (len(methods) - 1) / 2)
                    spread = spread_by_rank(values, 0.03)
                    axes.plot(x + spread, values, linestyle="", zorder=2, **_POINT)
                    name = LOOKS[method].label if i == 0 else None
                    mark = LOOKS[method].mark(5.5)
                    axes.plot([x], [values.mean()], linestyle="", zorder=3, label=name, **mark)
            for boundary in np.arange(1, len(SITUATIONS)) - 0.5:
                axes.axvline(boundary, color="#d9d9d9", linewidth=0.6)
            names = [f"test {test},\ncalibrated\non {held}" for test, held in SITUATIONS]
            axes.set_xticks(range(len(SITUATIONS)), names)
            axes.set_xlim(-0.5, len(SITUATIONS) - 0.5)
            axes.tick_params(axis="x", length=0)
            axes.set_title(title)
            axes.set_ylabel(label)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=max(len(labels), 1))
    return figure
