"""Figures of the evaluation of E2M trees (Sutton-Charani and others, sections 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.showing.figures import WIDTH, Look, drawing
from hedgerow_study.experiments.evidential.plan import CART, E2M, ERRORS, NAIVE, PRECISE
from hedgerow_study.experiments.evidential.tables import LABELS, caption_values
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008).
LOOKS = {
    NAIVE: Look(LABELS[NAIVE], "#999999", "D", ":", ""),
    CART: Look(LABELS[CART], "#E69F00", "s", "--", "////"),
    E2M: Look(LABELS[E2M], "#0072B2", "o", "-", ""),
}
PANELS = dict(
    zip(
        ERRORS,
        ("Error on noised classes", "Evidential error", "Error before the noise"),
        strict=True,
    )
)


@figure(
    "The evidential error rate leans to the nearer side",
    caption="Evidential error rate of 100 instances against the uncertainty gamma of their "
    "classes, where 40 and where 60 of them are wrong: marks by the EM algorithm of equations 5 "
    "to 7, lines by the closed form of its maximum. Below one half the estimate falls to 0, above "
    "it rises to 1.",
    alt="Two curves from 0.4 and 0.6 at gamma 0, which leave each other and reach 0 and 1 at gamma "
    "two thirds; the numbers are in the table evidential_curve.",
)
def e2m_figure_1(tables: Frames) -> Figure:
    """Figure 1: the evidential error rate against the uncertainty."""
    table = tables["evidential_curve"]
    colours = dict(zip(PRECISE, (LOOKS[E2M].colour, LOOKS[CART].colour), strict=True))
    marks = dict(zip(PRECISE, "os", strict=True))
    with drawing(2.7, 0.62 * WIDTH) as drawn:
        axes = drawn.add_subplot()
        for precise, curve in table.groupby("precise"):
            axes.plot(curve["gamma"], curve["expected"], color=colours[precise], linewidth=1.2)
            axes.plot(curve["gamma"], curve["estimate"], linestyle="", marker=marks[precise],
                      color=colours[precise], markersize=4,
                      label=f"precise error rate {precise:g}")  # fmt: skip
        axes.axhline(0.5, color="black", linewidth=0.6, linestyle=":")
        axes.set_xlabel("Uncertainty gamma of each class")
        axes.set_ylabel("Evidential error rate")
        axes.set_xlim(-0.02, 1.0)
        axes.set_ylim(-0.03, 1.03)
        axes.grid()
        drawn.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return drawn


@figure(
    "Measured and published error rates",
    caption="Error rates after pruning by data set, mean over {tests} with its 95 % CI: "
    "measured (filled) and published (hollow; the paper has none before the noise). {ran}",
    alt="Three panels, error on noised classes, evidential error and error before the noise, a "
    "line per data set with a mark for the naive classifier, CART and E2M; the numbers are in the "
    "tables.",
    caption_values=caption_values,
)
def evidential_errors(tables: Frames) -> Figure:
    """Figure of the error rates of pruned trees."""
    whole = pd.concat([tables["e2m_table_1"], tables["evidential_clean"]], ignore_index=True)
    whole = whole[(whole["status"] == "run") & (whole["criterion"] != "unpruned")]
    names = list(whole["registry"].drop_duplicates())
    with drawing(0.42 * max(len(names), 1) + 1.2) as drawn:
        if not names:
            return drawn
        panels = drawn.subplots(1, len(PANELS), sharey=True, squeeze=False)[0]
        for axes, (metric, title) in zip(panels, PANELS.items(), strict=True):
            rates = whole[whole["metric"] == metric]
            for shift, (method, look) in zip((-0.24, 0.0, 0.24), LOOKS.items(), strict=True):
                cells = rates[rates["method"] == method].set_index("registry").reindex(names)
                places = [place + shift for place in range(len(names))]
                axes.errorbar(cells["measured"], places, xerr=cells["half_width"], linestyle="",
                              elinewidth=1.0, ecolor=look.colour, label=look.label,
                              **look.mark(5))  # fmt: skip
                axes.plot(cells["published"], places, linestyle="", marker=look.marker,
                          markersize=5, markerfacecolor="none",
                          markeredgecolor="black")  # fmt: skip
            axes.set_title(title)
            axes.set_xlabel("Error rate")
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.grid(axis="x")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn
