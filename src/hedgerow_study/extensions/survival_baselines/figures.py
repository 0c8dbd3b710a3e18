"""Figures of what goes beyond chapter 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.showing.figures import drawing
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.survival_baselines.plan import MODELS, SCORES, SurvivalBaselinesPlan
from hedgerow_study.extensions.survival_baselines.statistics import by_group
from hedgerow_study.extensions.survival_baselines.tables import (
    MODEL_LABELS,
    SCORE_LABELS,
    caption_values,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008), with a marker each.
MODEL_LOOKS = {
    "thesis": ("#D55E00", "o"),
    "tuned": ("#E69F00", "s"),
    "cox": ("#0072B2", "D"),
    "forest": ("#009E73", "^"),
    "nobody": ("#999999", "|"),
}


@figure(
    "Trees against other models",
    caption="Scores on test patients, means over repeats. Concordance and area: further right is "
    "better, 0.5 says nothing; Brier score: further left is better. {forest} {ran}",
    alt="Three panels with a line per cohort; the Cox model is mostly ahead of the trees. The "
    "numbers are in the table above.",
    caption_values=caption_values,
)
def survival_baselines_models(measured: Frames, plan: SurvivalBaselinesPlan) -> Figure:
    """Figure of the scores of all models."""
    rows = measured["scores"]
    of = {m: by_group(rows[rows["metric"] == m], "value", "model") for m in SCORES}
    order = of["concordance"]["thesis"].sort_values(ascending=False, kind="stable").index
    with drawing(0.24 * len(order) + 1.2) as drawn:
        panels = drawn.subplots(1, len(SCORES), sharey=True, squeeze=False)[0]
        panels[0].set_yticks(range(len(order)), list(order))
        for axes, metric in zip(panels, SCORES, strict=True):
            wide = of[metric].loc[order]
            available = [m for m in MODELS if m in wide and wide[m].notna().any()]
            for place, (_, values) in enumerate(wide[available].iterrows()):
                axes.plot([values.min(), values.max()], [place] * 2, color="#cccccc", zorder=1)
            for model in available:
                colour, marker = MODEL_LOOKS[model]
                size, edge = (8, 2) if marker == "|" else (5.5, 0)
                axes.plot(wide[model], range(len(wide)), linestyle="", marker=marker,
                          color=colour, markersize=size, markeredgewidth=edge, alpha=0.9,
                          label=MODEL_LABELS[model])  # fmt: skip
            axes.set_ylim(len(wide) - 0.5, -0.5)
            axes.grid(axis="x")
            axes.set_xlabel(SCORE_LABELS[metric].replace(" under the curve", ""))
        handles, labels = panels[0].get_legend_handles_labels()
        ncols = len(labels) if len(labels) < 5 else 3
        drawn.legend(handles, labels, loc="outside upper center", ncols=ncols)
    return drawn
