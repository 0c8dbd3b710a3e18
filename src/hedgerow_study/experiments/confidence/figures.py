"""Figures of ConfDTree's evaluation (Katz and others, section IV)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.showing.figures import Look, drawing
from hedgerow_study.experiments.confidence.plan import (
    CRITERIA,
    KINDS,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.confidence.tables import LABELS, caption_values
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008).
LOOKS = {
    "confdtree_norm": Look(LABELS["confdtree_norm"], "#E69F00", "s", "--", "////"),
    "confdtree_tdist": Look(LABELS["confdtree_tdist"], "#0072B2", "^", "-.", "xxxx"),
    "confdtree_comb": Look(LABELS["confdtree_comb"], "#009E73", "o", "-", ""),
}
KIND_LABELS = {"binary": "two classes", "multi_class": "several classes"}


@figure(
    "Gain by the size of the training part",
    caption="Mean relative improvement over {tree} of the area under the ROC curve on the "
    "other rows, by the share of the rows that trees are trained on, {repeats} each. Above the "
    "line ConfDTree is better. The paper's figure shows a gain that shrinks as the training part "
    "grows, about 9 % at the smallest and 5 % at the largest by its text. {ran}",
    alt="Two panels, data sets with two and with several classes, a line per version; the numbers "
    "are in the table beneath.",
    caption_values=caption_values,
)
def confdtree_figure_6(tables: Frames, plan: ConfidencePlan) -> Figure:
    """Figure 6: mean gain by the share of the rows that trees are trained on."""
    table = tables["confidence_sizes"]
    kinds = [kind for kind in KINDS if (table["kind"] == kind).any()]
    with drawing(2.8) as drawn:
        if not kinds:
            return drawn
        panels = drawn.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for axes, kind in zip(panels, kinds, strict=True):
            curve = table[table["kind"] == kind]
            for version, look in LOOKS.items():
                axes.plot(100.0 * curve["share"], curve[version], color=look.colour,
                          linestyle=look.line, label=look.label, **look.mark(5))  # fmt: skip
            axes.axhline(0.0, color="black", linewidth=0.8)
            n = int(curve["n_datasets"].iloc[0])
            axes.set_title(f"{n} data set{'s' if n > 1 else ''} with {KIND_LABELS[kind]}")
            axes.set_xlabel("Share of the rows that is trained on (%)")
            axes.grid(axis="y")
        panels[0].set_ylabel("Gain in the area (%)")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn


@figure(
    "Measured and published gains",
    caption="Relative improvement over {tree} of the area under the ROC curve, in per cent, "
    "by data set and version: measured (filled, the range over {cv} as a line) and published "
    "(hollow). Of several classes the plain mean over classes. {ran}",
    alt="A panel per version, a line per data set with a filled mark for what was measured and a "
    "hollow one for what is published; the numbers are in the table above.",
    caption_values=caption_values,
)
def confidence_gains(tables: Frames, plan: ConfidencePlan) -> Figure:
    """Figure of the gains of table I, measured beside published."""
    table = tables["confdtree_table_1"]
    gains = table[(table["criterion"] == CRITERIA[0]) & (table["status"] == "run")]
    names = list(gains["registry"].drop_duplicates())
    with drawing(0.21 * len(names) + 1.1) as drawn:
        panels = drawn.subplots(1, len(VERSIONS), sharey=True, squeeze=False)[0]
        for axes, (version, look) in zip(panels, LOOKS.items(), strict=True):
            cells = gains[gains["method"] == version].set_index("registry").reindex(names)
            for place, (_, cell) in enumerate(cells.iterrows()):
                axes.plot([cell["lowest"], cell["highest"]], [place] * 2, color=look.colour,
                          linewidth=1.2)  # fmt: skip
                axes.plot(cell["measured"], place, linestyle="", **look.mark(5.5))
                axes.plot(cell["published"], place, linestyle="", marker=look.marker,
                          markersize=5.5, markerfacecolor="none",
                          markeredgecolor="black")  # fmt: skip
            axes.axvline(0.0, color="black", linewidth=0.8)
            axes.set_title(look.label)
            axes.set_xlabel("Gain in the area (%)")
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.grid(axis="x")
    return drawn
