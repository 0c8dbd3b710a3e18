"""Figures of the evaluation of EIG (Schreckenberger and others, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.showing.figures import Look, drawing
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.missing.plan import (
    BASELINES,
    C45,
    CODED,
    CODED_GAIN,
    CODED_UNDEFINED,
    DESCRIBED,
    EIG_KNN,
    EIG_PERFECT,
    FULL,
    IMPUTED,
    INDEPENDENT,
    INTERPRETATIONS,
    KNN,
    MEAN,
    METHODS,
    MISSING,
    SCENARIOS,
)
from hedgerow_study.experiments.missing.tables import LABELS, caption_values
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008).
LOOKS = {
    C45: Look(LABELS[C45], "#E69F00", "s", "--", ""),
    MEAN: Look(LABELS[MEAN], "#999999", "D", ":", ""),
    KNN: Look(LABELS[KNN], "#CC79A7", "^", "-.", ""),
    EIG_KNN: Look(LABELS[EIG_KNN], "#0072B2", "o", "-", ""),
    EIG_PERFECT: Look(LABELS[EIG_PERFECT], "#009E73", "v", "-", ""),
}
TITLES = {
    FULL: "Complete test set",
    MISSING: "Test set with missing values",
    IMPUTED: "Imputed test set",
}
SHORT = {FULL: "complete", MISSING: "with missing values", IMPUTED: "imputed"}
HEADS = {
    DESCRIBED: "As described",
    CODED: "As coded, repaired",
    CODED_GAIN: "As described, gain of C4.5 as coded",
    CODED_UNDEFINED: "As coded, gains of 0/0 left",
    INDEPENDENT: "As described, independent variables",
}
COMMONEST = (
    "the dotted line is the share of the commonest class, printed as a number where it lies "
    "below the panel"
)
CURVES = (
    "A panel per data set with a line per method, accuracy against the share of missing values; "
    "the numbers are in the table missing_levels."
)
ROW, LEGEND = 1.75, 0.75  # inches of a row of panels, of the legend and the labels


def _columns(n: int) -> int:
    """Panels side by side, so that few places stay empty: up to four in a row, else 3 or 4."""
    return n if n <= 4 else min((3, 4), key=lambda columns: -n % columns)


def _curves(tables: Frames, scenario: str) -> Figure:
    """A panel per data set: accuracy against the share of missing values, a line per method."""
    levels, sets = tables["missing_levels"], tables["missing_sets"]
    curves = levels[(levels["interpretation"] == DESCRIBED) & (levels["scenario"] == scenario)]
    run_sets = sets[sets["status"] == "run"]
    run_sets = run_sets[run_sets["registry"].isin(curves["dataset"])]
    n_columns = max(_columns(len(run_sets)), 1)
    n_rows = max(-(-len(run_sets) // n_columns), 1)
    with drawing(ROW * n_rows + LEGEND) as drawn:
        if run_sets.empty:
            return drawn
        panels = drawn.subplots(n_rows, n_columns, squeeze=False, sharex=True).ravel()
        for axes, facts in zip(panels, run_sets.to_dict("records"), strict=False):
            cells = curves[curves["dataset"] == facts["registry"]]
            for method, look in LOOKS.items():
                line = cells[cells["method"] == method]
                axes.plot(line["missingness"], 100 * line["accuracy"], linewidth=1.1,
                          linestyle=look.line, color=look.colour, label=look.label,
                          marker=look.marker, markersize=3)  # fmt: skip
            _majority(axes, 100 * facts["majority"])
            axes.set_title(facts["dataset"].replace("_", " "))
            axes.grid()
        for axes in panels[len(run_sets) :]:
            axes.axis("off")
        for axes in panels[max(len(run_sets) - n_columns, 0) : len(run_sets)]:
            axes.tick_params(labelbottom=True)
        drawn.supxlabel("Missing values, per cent", fontsize="medium")
        drawn.supylabel("Accuracy, per cent", fontsize="medium")
        handles, labels = panels[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=3)
    return drawn


def _majority(axes: Axes, share: float) -> None:
    """The share of the commonest class: a line, or a number where it lies far below the curves."""
    low, high = axes.get_ylim()
    if share >= low - 0.25 * (high - low):
        axes.axhline(share, color="black", linewidth=0.6, linestyle=":")
        return
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85}
    axes.annotate(f"commonest {share:.0f} ↓", (0.05, 0.05), xycoords="axes fraction",
                  fontsize=7.5, bbox=box)  # fmt: skip


@figure(
    "Accuracy with a complete test set",
    caption="Accuracy where the training set lacks values and the test set is complete, mean over "
    f"{{runs}}, as the paper describes the methods; {COMMONEST}. The published figure is drawn "
    "from values that are not printed. {ran}",
    alt=CURVES,
    caption_values=caption_values,
)
def eig_figure_1(tables: Frames, means: pd.DataFrame) -> Figure:
    """Figure 1: prediction with full data."""
    return _curves(tables, FULL)


@figure(
    "Accuracy with missing values in the test set",
    caption="Accuracy where training and test set lack as many values, mean over {runs}, as the "
    f"paper describes the methods; {COMMONEST}. The published figure is drawn from values that are "
    "not printed. {ran}",
    alt=CURVES,
    caption_values=caption_values,
)
def eig_figure_2(tables: Frames, means: pd.DataFrame) -> Figure:
    """Figure 2: prediction with missing data."""
    return _curves(tables, MISSING)


@figure(
    "Accuracy with an imputed test set",
    caption="Accuracy where the missing values of the test set are imputed from the training set "
    f"(k-NN), mean over {{runs}}, as the paper describes the methods; {COMMONEST}. The published "
    "figure is drawn from values that are not printed. {ran}",
    alt=CURVES,
    caption_values=caption_values,
)
def eig_figure_3(tables: Frames, means: pd.DataFrame) -> Figure:
    """Figure 3: prediction with imputed data."""
    return _curves(tables, IMPUTED)


@figure(
    "What EIG gains in each interpretation",
    caption="Accuracy of EIG with k-NN imputation less that of each baseline at each level, mean "
    "over {sets} and {runs}, a row for each interpretation that ran. Above 0 favours EIG. {ran}",
    alt="Rows of three panels, interpretations and scenarios, with a line per baseline; the "
    "numbers follow from the table missing_levels.",
    caption_values=caption_values,
)
def missing_gains(tables: Frames, means: pd.DataFrame) -> Figure:
    """Figure of EIG's gains by interpretation and scenario."""
    levels = tables["missing_levels"]
    wide = levels.pivot_table(
        index=["interpretation", "scenario", "missingness"], columns="method", values="accuracy"
    )
    available = set(levels["interpretation"])
    kinds = [choice for choice in INTERPRETATIONS if choice in available]
    with drawing(1.9 * max(len(kinds), 1) + 0.6) as drawn:
        if not kinds:
            return drawn
        panels = drawn.subplots(len(kinds), len(SCENARIOS), sharex=True, sharey=True, squeeze=False)
        for row, choice in zip(panels, kinds, strict=True):
            for axes, scenario in zip(row, SCENARIOS, strict=True):
                accuracy = 100 * wide.loc[(choice, scenario), list(METHODS)]
                axes.axhline(0, color="black", linewidth=0.6)
                for method in BASELINES:
                    look = LOOKS[method]
                    axes.plot(accuracy.index, accuracy[EIG_KNN] - accuracy[method], linewidth=1.2,
                              linestyle=look.line, color=look.colour, marker=look.marker,
                              markersize=3.5, label=f"less {look.label}")  # fmt: skip
                axes.set_title(f"{HEADS[choice]}\ntest set {SHORT[scenario]}", fontsize="x-small")
                axes.grid()
        for axes in panels[-1]:
            axes.set_xlabel("Missing values, per cent")
        for axes in panels[:, 0]:
            axes.set_ylabel("EIG less baseline, percentage points")
        drawn.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center",
                     ncols=3)  # fmt: skip
    return drawn
