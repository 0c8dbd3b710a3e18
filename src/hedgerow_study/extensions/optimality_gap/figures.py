"""Figures of the best tree of a depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.showing.figures import Look, drawing, nothing_drawn
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.optimality_gap.plan import (
    C45_GIVEN,
    CLEAN,
    COMPARED,
    KNOWN_ERROR,
    NOISY,
    OptimalityGapPlan,
)
from hedgerow_study.extensions.optimality_gap.tables import (
    LABELS,
    caption_values,
    optimality_gap_levels,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008), as methods have them elsewhere.
LOOKS = {
    "c45": Look(LABELS["c45"], "#999999", "o", "-", ""),
    "cart": Look(LABELS["cart"], "#E69F00", "s", "--", "////"),
    "uct": Look(LABELS["uct"], "#56B4E9", "^", "-.", ""),
    "optimal": Look(LABELS["optimal"], "#000000", "D", "-", "...."),
    "optimal_priced": Look(LABELS["optimal_priced"], "#0072B2", "v", (0, (5, 1)), ""),
    "optimal_error": Look(LABELS["optimal_error"], "#D55E00", "X", ":", ""),
    KNOWN_ERROR: Look(LABELS[KNOWN_ERROR], "#CC79A7", "P", "--", ""),
    C45_GIVEN: Look(LABELS[C45_GIVEN], "#009E73", "<", (0, (3, 1, 1, 1)), ""),
}
#: Unpruned, what is drawn as its pruned kind.
KIND = {"c45_unpruned": "c45", "cart_unpruned": "cart"}


def gains(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Accuracy of each method less that of C4.5, percentage points, mean over data sets."""
    frames = {}
    for part in ("training", "clean", "noise"):
        wide = COMPARED.means(rows, part, "accuracy").rename(columns=KIND)
        for setting in dict.fromkeys(key[0] for key in wide.columns):
            of_setting = wide[setting]
            base = of_setting.xs("c45", axis=1, level="method")
            differences = of_setting.sub(base, axis=1, level="depth").mean().unstack("method")
            name = part if setting == CLEAN else setting
            frames[name] = differences.drop(columns="c45").sort_index()
    return frames


@figure(
    "Gain over C4.5 by depth",
    caption="Accuracy less that of C4.5 at the same limit of the depth, percentage points, mean "
    "over data sets: in the training part (unpruned trees), in clean test rows and in test rows "
    "with noise (factor n), whose panels have one scale. {ran}",
    alt="A panel for training data, clean test data and each noise factor, with a line per method "
    "against the depth, around 0 for C4.5; the numbers are in the tables of this page.",
    caption_values=caption_values,
)
def optimality_gap_gains(rows: pd.DataFrame, plan: OptimalityGapPlan) -> Figure:
    """Figure of the gains over C4.5."""
    frames = gains(rows)
    if not frames:
        return nothing_drawn("No data set was run")
    titles = {"training": "Training part", "clean": "Test part, clean"}
    with drawing(3.3) as drawn:
        panels = drawn.subplots(1, len(frames), squeeze=False)[0]
        lines = {}
        for axes, (name, table) in zip(panels, frames.items(), strict=True):
            axes.axhline(0.0, color="#666666", linewidth=0.8)
            axes.set_title(titles.get(name, f"Test part, n = {name}"))
            axes.set_xlabel("Largest depth")
            axes.grid(axis="y")
            for i, method in enumerate(m for m in NOISY if m in table):
                look = LOOKS[method]
                # Equal values stay visible.
                axes.plot(table.index + 0.04 * (i - 2), table[method], color=look.colour,
                          linestyle=look.line, label=look.label, **look.mark(4.5))  # fmt: skip
            axes.set_xticks(list(table.index))
            axes.set_xlim(table.index[0] - 0.3, table.index[-1] + 0.3)
            lines |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        tested = pd.concat([table.stack() for name, table in frames.items() if name != "training"])
        room = 0.05 * (tested.max() - tested.min()) + 0.1
        for axes in panels[1:]:
            axes.set_ylim(min(tested.min(), 0.0) - room, max(tested.max(), 0.0) + room)
        panels[0].set_ylabel("Accuracy minus that of\nC4.5 (percentage points)")
        drawn.legend(lines.values(), lines, loc="outside upper center", ncols=3, handlelength=3.0)
    return drawn


@figure(
    "Accuracy and size",
    caption="Accuracy on clean test rows against the number of leaves, means over data sets; a "
    "line joins the limits of the depth of a method, which stand at the marks. {ran}",
    alt="One line per method through its depths, with leaves to the right and accuracy upwards; "
    "the numbers are in the table of every method at every depth.",
    caption_values=caption_values,
)
def optimality_gap_sizes(rows: pd.DataFrame, plan: OptimalityGapPlan) -> Figure:
    """Figure of accuracy against leaves."""
    table = optimality_gap_levels(rows, plan)
    table = table[table["setting"] == CLEAN]
    if table.empty:
        return nothing_drawn("No data set was run")
    with drawing(3.6) as drawn:
        axes = drawn.subplots()
        axes.grid()
        for method, line in table.groupby("method", sort=False):
            line, look = line.sort_values("depth"), LOOKS[method]
            axes.plot(line["n_leaves"], line["accuracy"], color=look.colour, linestyle=look.line,
                      label=look.label, **look.mark(5.5))  # fmt: skip
            for x, y, depth in zip(line["n_leaves"], line["accuracy"], line["depth"], strict=True):
                axes.annotate(str(depth), (x, y), (4, 4), textcoords="offset points", fontsize=7)
        axes.set_xlabel("Leaves (mean over data sets)")
        axes.set_ylabel("Accuracy in test rows (%)")
        drawn.legend(loc="outside upper center", ncols=3, handlelength=3.0)
    return drawn
