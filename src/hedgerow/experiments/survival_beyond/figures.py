"""Figures of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.experiments.step import figure
from hedgerow.experiments.survival_beyond.plan import MODELS, SCORES, TREES, SurvivalBeyondPlan
from hedgerow.experiments.survival_beyond.statistics import by_group
from hedgerow.experiments.survival_beyond.tables import (
    MODEL_LABELS,
    REPEAT_LABELS,
    SCORE_LABELS,
    TREE_LABELS,
    said,
)
from hedgerow.reporting.figures import WIDTH, nothing_drawn, style

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
WAY_LOOKS = {
    "left_out": ("censored left out", "#D55E00", "o"),
    "weighted": ("weighted", "#0072B2", "D"),
}
TREE_LOOKS = {"c45": ("#D55E00", "o"), "se": ("#E69F00", "s"), "soft": ("#0072B2", "D")}
#: Share of a panel beyond 0 and beyond the largest value, so that no marker is cut.
ROOM = 0.07
#: Of the first, second, ... most frequent variable at the root; the last of all others.
SHADES = ("#0072B2", "#56B4E9", "#E69F00", "#dddddd")


def _dumbbells(axes, wide: pd.DataFrame, looks: Mapping[str, tuple[str, str, str]]) -> None:
    """A line per cohort from its least to its largest value, a marker per group."""
    there = [name for name in looks if name in wide and wide[name].notna().any()]
    for place, (_, values) in enumerate(wide[there].iterrows()):
        axes.plot([values.min(), values.max()], [place] * 2, color="#cccccc", zorder=1)
    for name in there:
        label, colour, marker = looks[name]
        axes.plot(wide[name], range(len(wide)), linestyle="", marker=marker, color=colour,
                  markersize=8 if marker == "|" else 5.5, markeredgewidth=2 if marker == "|" else 0,
                  alpha=0.9, label=label)  # fmt: skip
    axes.set_ylim(len(wide) - 0.5, -0.5)
    axes.grid(axis="x")


def _from_zero(axes, largest: float) -> None:
    """Limits from 0 to a value, with room for markers at both."""
    axes.set_xlim(-ROOM * (largest or 1.0), (1.0 + ROOM) * (largest or 1.0))


def _panels(n_panels: int, n_cohorts: int, names: Sequence[str]):
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(WIDTH, 0.24 * n_cohorts + 1.2), layout="constrained")
    panels = drawn.subplots(1, n_panels, sharey=True, squeeze=False)[0]
    panels[0].set_yticks(range(n_cohorts), names)
    return drawn, panels


@figure(
    "Trees against other models",
    caption="Scores on test patients, means over divisions. Concordance and area: further right is "
    "better, .5 says nothing; Brier score: further left is better. {forest} {ran}",
    alt="Three panels with a line per cohort; the Cox model is mostly ahead of the trees. The "
    "numbers are in the table above.",
    words=said,
)
def survival_beyond_models(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> Figure:
    """Figure of the scores of all models.

    Parameters
    ----------
    measured : mapping of DataFrame
        `scores` is read.
    plan : SurvivalBeyondPlan

    Returns
    -------
    Figure
        A panel per score, a line per cohort.
    """
    rows = measured["scores"]
    of = {m: by_group(rows[rows["metric"] == m], "value", "model") for m in SCORES}
    order = of["concordance"]["thesis"].sort_values(ascending=False, kind="stable").index
    looks = {m: (MODEL_LABELS[m], *MODEL_LOOKS[m]) for m in MODELS}
    with style():
        drawn, panels = _panels(len(SCORES), len(order), list(order))
        for axes, metric in zip(panels, SCORES, strict=True):
            _dumbbells(axes, of[metric].loc[order], looks)
            axes.set_xlabel(SCORE_LABELS[metric].replace(" under the curve", ""))
        handles, labels = panels[0].get_legend_handles_labels()
        ncols = len(labels) if len(labels) < 5 else 3
        drawn.legend(handles, labels, loc="outside upper center", ncols=ncols)
    return drawn


@figure(
    "Predicted and observed share of events",
    caption="Share of test patients with the event by the horizon: by Kaplan-Meier (black), and as "
    "the tree predicts it on average, learnt without the censored, as in the thesis, or with "
    "weights for them. Means over divisions. {ran}",
    alt="A line per cohort; with weights the prediction lies nearer to the black mark. The numbers "
    "are in the table above.",
    words=said,
)
def survival_beyond_calibration(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> Figure:
    """Figure of predicted and observed shares of events.

    Parameters
    ----------
    measured : mapping of DataFrame
        `weights` is read.
    plan : SurvivalBeyondPlan

    Returns
    -------
    Figure
    """
    rows = measured["weights"]
    wide = by_group(rows, "predicted", "way")[list(WAY_LOOKS)]
    base = rows[rows["way"] == "left_out"].groupby("dataset")
    wide["incidence"] = base["incidence"].mean()
    learnt = base["n_learnt"].first()
    wide = wide.sort_values("incidence", kind="stable")
    with style():
        names = [f"{name} ({int(learnt[name]):,} learnt from)" for name in wide.index]
        drawn, (axes,) = _panels(1, len(wide), names)
        _dumbbells(axes, wide, {**WAY_LOOKS, "incidence": ("Kaplan-Meier", "#000000", "|")})
        axes.set_xlabel("Share with the event by the horizon")
        _from_zero(axes, wide.max(axis=None))
        handles, labels = axes.get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return drawn


@figure(
    "What a repeated measurement changes",
    caption="Test patients who change when measurements are repeated with their known error, "
    "{repeats}, means over divisions: of C4.5, the same tree with soft evaluation by the errors, "
    "and a tree with soft training propagation as well. Brackets: "
    "tests of a variable with a known error, of all tests of C4.5, means. {ran}{left_out}",
    alt="Three panels with a line per cohort, C4.5 mostly right of the soft tree. The numbers are "
    "in the table above.",
    words=said,
)
def survival_beyond_repeats(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> Figure:
    """Figure of patients who change when measurements are repeated.

    Parameters
    ----------
    measured : mapping of DataFrame
        `measurement` is read.
    plan : SurvivalBeyondPlan

    Returns
    -------
    Figure
    """
    rows = measured["measurement"]
    if rows.empty:
        return nothing_drawn("No cohort of this run has a variable of known error")
    metrics = ("group_changed", "class_changed", "risk_changed")
    of = {m: 100.0 * by_group(rows, m, "tree") for m in metrics}
    order = of["group_changed"]["c45"].sort_values(ascending=False, kind="stable").index
    tests = {m: by_group(rows, m, "tree")["c45"] for m in ("n_known", "n_tests")}
    looks = {t: (TREE_LABELS[t], *TREE_LOOKS[t]) for t in TREES}
    with style():
        names = [f"{d} ({tests['n_known'][d]:.1f} of {tests['n_tests'][d]:.1f})" for d in order]
        drawn, panels = _panels(3, len(order), names)
        for axes, metric in zip(panels, metrics, strict=True):
            _dumbbells(axes, of[metric].loc[order], looks)
            unit = "points" if metric == "risk_changed" else "% of the patients"
            label = "Change of risk" if metric == "risk_changed" else REPEAT_LABELS[metric]
            axes.set_xlabel(f"{label},\n{unit}")
            _from_zero(axes, of[metric][list(TREES)].max(axis=None))
        handles, labels = panels[0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=3)
    return drawn


@figure(
    "The first test of a guideline tree",
    caption="Trees of bootstrap samples with the settings of the thesis. Left: share of the trees "
    "with each variable at the root; the darkest is the most frequent, the two after it are shown, "
    "the others are light grey. Right: where this variable is cut, as the share of the patients "
    "up to the threshold, a mark per tree, with the range of the thresholds; categories have none. "
    "{sampled}",
    alt="A bar per cohort for the variables at the root, and marks for their thresholds, which "
    "spread over up to half of the patients. The ranges are in the table above.",
    words=said,
)
def survival_beyond_roots(
    measured: Mapping[str, pd.DataFrame], roots: pd.DataFrame, plan: SurvivalBeyondPlan
) -> Figure:
    """Figure of the variables and thresholds at the roots of trees of bootstrap samples.

    Parameters
    ----------
    measured : mapping of DataFrame
        `stability` is read.
    roots : DataFrame
        As returned by `hedgerow.experiments.survival_beyond.steps.stability`.
    plan : SurvivalBeyondPlan

    Returns
    -------
    Figure
    """
    own = measured["stability"]
    own = own[own["settings"] == "thesis"].set_index("dataset")
    own = own.sort_values("same_root", ascending=False, kind="stable")
    trees = roots[roots["settings"] == "thesis"]
    with style():
        drawn, (left, right) = _panels(2, len(own), list(own.index))
        for place, (dataset, line) in enumerate(own.iterrows()):
            mine = trees[trees["dataset"] == dataset]
            _root_bar(left, place, mine["variable"], line["root"])
            cut = mine[mine["variable"] == line["root"]]["place"].dropna()
            right.plot(cut, [place] * len(cut), "|", color=SHADES[0], markersize=9, alpha=0.7)
            if len(cut):
                low, high = (f"{line[name]:.4g}" for name in ("root_low", "root_high"))
                words = low if low == high else f"{low} to {high}"
                right.annotate(words, (1.0, place), xycoords=("axes fraction", "data"),
                               xytext=(4, 0), textcoords="offset points", va="center",
                               fontsize=7.5, annotation_clip=False)  # fmt: skip
        left.set_xlim(0.0, 1.0)
        right.set_xlim(0.0, 1.0)
        right.grid(axis="x")
        left.set_ylim(len(own) - 0.5, -0.5)
        left.set_xlabel("Share of the trees,\nby the variable at the root")
        right.set_xlabel("Share of the patients\nup to the threshold")
    return drawn


def _root_bar(axes, place: int, variables: pd.Series, root: str) -> None:
    """Shares of the variables at the root, the most frequent first, with their names inside."""
    counts = variables.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    names = [root, *(name for name in counts.index if name != root)]
    begin = 0.0
    for rank, name in enumerate(names):
        share = counts[name] / len(variables)
        shade = SHADES[min(rank, len(SHADES) - 1)]
        axes.barh(place, share, left=begin, color=shade, height=0.72, edgecolor="white")
        label = name or "no test"
        if share > 0.028 * len(label) + 0.01:
            axes.text(begin + share / 2, place, label, ha="center", va="center", fontsize=7.5,
                      color="white" if rank == 0 else "black")  # fmt: skip
        begin += share
