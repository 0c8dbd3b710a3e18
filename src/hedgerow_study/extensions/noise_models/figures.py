"""Figures of noise beyond the thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.showing.figures import LOOKS, Look, drawing, spread_by_rank
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.noise_models.plan import METHODS, POOLED, WHERE, NoiseModelsPlan
from hedgerow_study.extensions.noise_models.tables import (
    FAMILY_LABELS,
    MODELS_COMPARED,
    caption_values,
)
from hedgerow_study.reporting.tables import MEAN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How the noise models are drawn: colours of Okabe and Ito (2008) as for methods.
MODEL_LOOKS = {
    "normal": Look("normal model, tuned", "#999999", "o", "-", ""),
    "matching": Look("matching model, tuned", "#0072B2", "^", "--", ""),
    "true": Look("what was added, known", "#E69F00", "s", ":", ""),
}
_POINT = {"color": "#555555", "marker": "o", "markersize": 1.8}


@figure(
    "Noise families and noise models",
    caption="Accuracy under noise of six families: difference to C4.5 on the same data, one small "
    f"point per data set and the mean over them. {MODELS_COMPARED} {{noise_models}}",
    alt="Mean difference in accuracy to C4.5 of SS, STP and SE under six families of noise, with "
    "a normal model, a matching model and the noise known; the numbers are in the tables above.",
    caption_values=caption_values,
)
def noise_models_matching(tables: Frames, plan: NoiseModelsPlan) -> Figure:
    """Accuracy by family at the largest noise factor: a row per method, a column per place."""
    from matplotlib.lines import Line2D

    noise = max(plan.noise_factors)
    table = tables["noise_models_gain"]
    cells = table[(table["metric"] == "accuracy") & (table["noise"] == noise)]
    cells = cells.sort_values("dataset").set_index("family")
    families = [f for f in (*plan.families, POOLED) if f in cells.index]
    models = [m for m in MODEL_LOOKS if (cells["model"] == m).any()]
    with drawing(6.2) as figure:
        grid = figure.subplots(3, 2, sharex=True, sharey="row")
        for axes_row, method in zip(grid, METHODS[1:], strict=True):
            for axes, where in zip(axes_row, WHERE, strict=True):
                shown = cells[(cells["method"] == method) & (cells["where"] == where)]
                _families(axes, shown, families, models)
                axes.set_title(f"{LOOKS[method].label}, noise in the {where} data")
            axes_row[0].set_ylabel("Accuracy minus C4.5's\n(percentage points)")
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
