"""Figures of what goes beyond chapter 5."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.evaluation.significance import LEVEL
from hedgerow.experiments.step import figure
from hedgerow.experiments.structure.plan import EXAMPLES
from hedgerow.experiments.structure_beyond.plan import (
    DIVERSE,
    LEARNERS,
    METRICS,
    PATTERN,
    POOLS,
    STRATEGIES,
    StructureBeyondPlan,
)
from hedgerow.experiments.structure_beyond.tables import (
    LEARNER_LABELS,
    METRIC_LABELS,
    POOL_LABELS,
    VARIANT_LABELS,
    said,
    strategy_label,
)
from hedgerow.reporting.figures import WIDTH, Look, style
from hedgerow.reporting.tables import MEAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ----------------------------------------------------------------------------------- figures

#: Panels of the figure of ranks: metrics that all data sets have.
RANKED = tuple(
    m for m in METRICS if m not in EXAMPLES.values() and not m.startswith(("correlated", "norm"))
)


@figure(
    "Ranks of the sixteen distances",
    caption="Mean rank over data sets, 1 for the highest value whether or not that is good, of "
    "the eight distances, as they are and normalised. Bar: the least difference of two that "
    f"Nemenyi's test calls significant at {LEVEL:g}. {{forests}} {{of_forests}}",
    alt="Mean ranks of the sixteen distances by seven metrics; the numbers are in the table above.",
    words=said,
)
def structure_beyond_ranks(tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan) -> Figure:
    """Figure of the mean ranks of the sixteen distances.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id; `structure_beyond_variants` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A panel per metric, a line per distance.
    """
    from matplotlib.figure import Figure

    table = tables["structure_beyond_variants"]
    means = table[table["dataset"] == MEAN]
    looks = {
        "unnormalized": Look("as they are", "#0072B2", "o", "", ""),
        "normalized": Look("normalised", "#E69F00", "s", "", ""),
    }
    methods = list(VARIANT_LABELS)
    with style():
        figure = Figure(figsize=(WIDTH, 8.2), layout="constrained")
        grid = figure.subplots(4, 2, sharey=True)
        for axes, metric in itertools.zip_longest(grid.flat, RANKED):
            own = means[means["metric"] == metric] if metric else means.iloc[:0]
            if own.empty:
                axes.set_axis_off()
                continue
            axes.grid(axis="both")
            for scale, look in looks.items():
                of_scale = own[own["scale"] == scale].set_index("method").reindex(methods)
                axes.plot(
                    of_scale["mean_rank"],
                    range(len(methods)),
                    linestyle="",
                    marker=look.marker,
                    markersize=5,
                    markerfacecolor=look.colour if scale == "unnormalized" else "white",
                    markeredgecolor=look.colour,
                    markeredgewidth=1.2,
                    label=look.label,
                )
            width = float(own["critical_difference"].iloc[0])
            axes.plot([1, 1 + width], [-1, -1], color="black", linewidth=2)
            axes.annotate(
                "critical difference",
                (1 + width, -1),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
            n = int(own["n_datasets"].iloc[0])
            axes.set_title(f"{METRIC_LABELS[metric]}\n({n} data set{'s' if n > 1 else ''})")
            axes.set_xlim(0.5, 16.5)
            axes.set_xticks([1, 4, 8, 12, 16])
            axes.set_ylim(len(methods) - 0.5, -1.6)
            axes.set_yticks(range(len(methods)), [VARIANT_LABELS[m] for m in methods])
            axes.set_xlabel("Mean rank (1: highest value)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure


@figure(
    "What distance in structure gains",
    caption="Macro F1 of k trees that are far in structure minus that of k trees chosen "
    "otherwise, in points; a circle per data set, a diamond for their mean, filled where p < "
    f"{LEVEL:g} after Holm's correction. {{pools}} {{of_ensembles}}",
    alt="Gain of trees that are far in structure over six other choices, by data set, for two "
    "pools of trees; the means are in the table above.",
    words=said,
)
def structure_beyond_ensembles_gain(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Figure of what trees that are far in structure gain over other choices.

    Parameters
    ----------
    tables : mapping of DataFrame
        `structure_beyond_ensembles` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A row per pool, a column per k.
    """
    from matplotlib.figure import Figure

    table = tables["structure_beyond_ensembles"]
    table = table[table["metric"] == "f1"]
    others = [s for s in STRATEGIES if s != DIVERSE]
    with style():
        figure = Figure(figsize=(WIDTH, 5.0), layout="constrained")
        grid = figure.subplots(
            len(POOLS), len(plan.sizes), sharey=True, sharex="row", squeeze=False
        )
        for axes_row, pool in zip(grid, POOLS, strict=True):
            for axes, k in zip(axes_row, plan.sizes, strict=True):
                own = table[(table["pool"] == pool) & (table["k"] == k)]
                axes.axvline(0, color="black", linewidth=0.7)
                axes.grid(axis="x")
                axes.set_title(f"{POOL_LABELS[pool]}, k = {k}")
                if own.empty:
                    continue
                wide = own[own["dataset"] != MEAN].pivot(
                    index="dataset", columns="strategy", values="measured"
                )
                means = own[own["dataset"] == MEAN].set_index("strategy")
                for row, strategy in enumerate(others):
                    gain = wide[DIVERSE] - wide[strategy]
                    axes.plot(
                        gain, np.full(len(gain), row), "o", color="#56B4E9", markersize=3.5,
                        markeredgecolor="#0072B2", markeredgewidth=0.5, zorder=2,
                    )  # fmt: skip
                    significant = means.loc[strategy, "p_holm"] < LEVEL
                    axes.plot(
                        means.loc[strategy, "difference"], row, "D", markersize=6, zorder=3,
                        markerfacecolor="black" if significant else "white",
                        markeredgecolor="black",
                    )  # fmt: skip
                axes.set_yticks(range(len(others)), [strategy_label(s, plan) for s in others])
                axes.set_ylim(len(others) - 0.5, -0.5)
        for axes in grid[-1]:
            axes.set_xlabel("Gain in F1 (points)")
        figure.supylabel("k trees far in structure, minus …", fontsize=8.5)
    return figure


@figure(
    "Trees of bootstrap samples",
    caption="Trees of bootstrap samples: a line per data set, the mean over data sets in black. "
    "{learners} {of_samples}",
    alt="Tests, edit distance, edit distance per test and d_p of C4.5, SS, STP and UCT-DT by data "
    "set; the means are in the table above.",
    words=said,
)
def structure_beyond_spread(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Figure of the stability of learners: sizes, distances per test, and predictions.

    Parameters
    ----------
    tables : mapping of DataFrame
        `structure_beyond_stability` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A panel per metric, a line per data set.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    table = tables["structure_beyond_stability"]
    panels = {
        "n_tests": "Tests",
        "distance_b2": "Edit distance B2",
        "relative_b2": "B2 per test",
        "d_p": "d_p",
    }
    places = range(len(LEARNERS))
    with style():
        figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        grid = figure.subplots(1, len(panels))
        for axes, (metric, title) in zip(grid, panels.items(), strict=True):
            own = table[table["metric"] == metric]
            axes.grid(axis="y")
            axes.set_title(title)
            axes.set_xticks(
                places, [LEARNER_LABELS[n].replace(", VS", "") for n in LEARNERS], rotation=40
            )
            if own.empty:
                continue
            wide = own.pivot(index="dataset", columns="learner", values="measured")
            wide = wide.reindex(columns=LEARNERS)
            for dataset, values in wide.drop(MEAN).iterrows():
                axes.plot(places, values, color="#999999", linewidth=0.8, label=dataset, zorder=2)
            axes.plot(
                places, wide.loc[MEAN], color="black", marker="D", markersize=5, linewidth=1.8,
                zorder=3,
            )  # fmt: skip
            axes.set_xlim(-0.3, len(LEARNERS) - 0.7)
            if metric in ("n_tests", "distance_b2") and (wide > 0).all(axis=None):
                axes.set_yscale("log")
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
                axes.yaxis.set_minor_formatter(NullFormatter())
    return figure


@figure(
    "Decision patterns of a random forest",
    caption="A random forest of scikit-learn, depth at most {patterns_depth}: {drawn}",
    alt="A map of the trees of a random forest in clusters, the variables that each cluster "
    "tests, and the tree in the middle of each.",
    words=said,
)
def structure_beyond_patterns(
    table: TidyTable, patterns: pd.DataFrame, plan: StructureBeyondPlan
) -> Figure:
    """Page of the decision patterns of a random forest.

    Parameters
    ----------
    table : TidyTable
        That the trees were grown on.
    patterns : DataFrame, as returned by `hedgerow.experiments.structure_beyond.steps.patterns`
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
    """
    title = f"Random forest, {plan.patterns_trees} trees, {plan.patterns_dataset}"
    return _page(table, patterns, "random_forest", title)


@figure(
    "Decision patterns of C4.5 trees of bootstrap samples",
    caption="Pruned C4.5 trees of bootstrap samples: {drawn}",
    alt="The same of C4.5 trees of bootstrap samples.",
    words=said,
)
def structure_beyond_bootstrap(
    table: TidyTable, patterns: pd.DataFrame, plan: StructureBeyondPlan
) -> Figure:
    """Page of the decision patterns of C4.5 trees of bootstrap samples.

    Parameters
    ----------
    table, patterns : as in `structure_beyond_patterns`
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
    """
    title = f"C4.5, {plan.patterns_trees} bootstrap samples, {plan.patterns_dataset}"
    return _page(table, patterns, "c45", title)


def _page(table: TidyTable, patterns: pd.DataFrame, forest: str, title: str) -> Figure:
    from hedgerow.drawing import plot_forest
    from hedgerow.tree import forest_from_frame

    labels = {"classes": table.classes, "feature_names": list(table.X.columns)}
    trees = forest_from_frame(patterns[patterns["forest"] == forest], PATTERN)[1]
    # Classes of the data by name, so that nodes are sorted by what the drawing shows.
    y = np.asarray(table.classes)[table.y]
    with style():
        return plot_forest([t.replace(**labels) for t in trees], table.X, y, title=title)
