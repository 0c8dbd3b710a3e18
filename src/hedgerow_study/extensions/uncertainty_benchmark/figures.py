"""Figures of all answers to doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.showing.figures import drawing, nothing_drawn
from hedgerow.showing.numbers import number, signed
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    COMPARED,
    METHODS,
    PART,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.extensions.uncertainty_benchmark.tables import (
    CONDITION_LABELS,
    LABELS,
    caption_values,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure(
    "What each learner gains over C4.5",
    caption="Accuracy less that of C4.5 in the same condition, percentage points, mean over data "
    "sets, levels and places; darker is more, orange is a gain and blue a loss, and each cell says "
    "how much. Line of C4.5: its accuracy. {ran}",
    alt="A table of coloured cells, learners by conditions, each with its number; the numbers are "
    "in the tables.",
    caption_values=caption_values,
)
def uncertainty_benchmark_gains(rows: pd.DataFrame, plan: UncertaintyBenchmarkPlan) -> Figure:
    """Gains in accuracy: a line per learner, a column per condition."""
    from matplotlib import colormaps
    from matplotlib.colors import TwoSlopeNorm

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
    with drawing(0.36 * len(methods) + 1.6) as drawn:
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
        drawn.colorbar(
            image, ax=axes, label="Accuracy minus C4.5's (percentage points)", shrink=0.7
        )
    return drawn
