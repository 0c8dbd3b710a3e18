"""Figures of what goes beyond chapter 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.evaluation.significance import LEVEL
from hedgerow.showing.figures import drawing
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.diverse_trees.plan import (
    DIVERSE,
    POOLS,
    STRATEGIES,
    DiverseTreesPlan,
)
from hedgerow_study.extensions.diverse_trees.tables import (
    POOL_LABELS,
    caption_values,
    strategy_label,
)
from hedgerow_study.reporting.tables import MEAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure(
    "What distance in structure gains",
    caption="Macro F1 of k trees that are far in structure minus that of k trees chosen "
    "otherwise, in percentage points; a circle per data set, a diamond for their mean, filled "
    f"where p < {LEVEL:g} after Holm's correction. {{pools}} {{of_ensembles}}",
    alt="Gain of trees that are far in structure over six other choices, by data set, for two "
    "pools of trees; the means are in the table above.",
    caption_values=caption_values,
)
def diverse_trees_ensembles_gain(tables: Frames, plan: DiverseTreesPlan) -> Figure:
    """Figure of what trees that are far in structure gain over other choices."""
    table = tables["diverse_trees_ensembles"]
    table = table[table["metric"] == "f1"]
    others = [s for s in STRATEGIES if s != DIVERSE]
    with drawing(5.0) as figure:
        grid = figure.subplots(
            len(POOLS), len(plan.sizes), sharey=True, sharex="row", squeeze=False
        )
        for axes_row, pool in zip(grid, POOLS, strict=True):
            for axes, k in zip(axes_row, plan.sizes, strict=True):
                selected = table[(table["pool"] == pool) & (table["k"] == k)]
                axes.axvline(0, color="black", linewidth=0.7)
                axes.grid(axis="x")
                axes.set_title(f"{POOL_LABELS[pool]}, k = {k}")
                if selected.empty:
                    continue
                wide = selected[selected["dataset"] != MEAN].pivot(
                    index="dataset", columns="strategy", values="measured"
                )
                means = selected[selected["dataset"] == MEAN].set_index("strategy")
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
            axes.set_xlabel("Gain in F1 (percentage points)")
        figure.supylabel("k trees far in structure, minus …", fontsize=8.5)
    return figure
