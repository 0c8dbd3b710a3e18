"""The curve of each statement: its analyses, sorted, with their choices below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.showing.figures import WIDTH, nothing_drawn, style
from hedgerow_study.experiments.step import figure
from hedgerow_study.extensions.analytic_choices.plan import MultiversePlan
from hedgerow_study.extensions.analytic_choices.tables import caption_values
from hedgerow_study.reporting.analytic_choices import FEWEST, HERE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of Okabe and Ito (2008), and markers.
VERDICTS = {
    "reproduced": ("#0072B2", "o"),
    "partly": ("#E69F00", "D"),
    "not reproduced": ("#000000", "X"),
    "inconclusive": ("#999999", "."),
}


@figure(
    "Curves of the analyses",
    caption="Each point is an analysis of the paper: its estimate with the 95 % CI over data "
    "sets, sorted; the marks below say which alternatives it takes (none: as here). The line is "
    "the analysis of all other pages. Statements with {fewest} analyses or more. {ran}",
    alt="A panel for each statement, with a point for each analysis and marks for its choices; the "
    "numbers are in the table analytic_choices_points.",
    caption_values=caption_values,
)
def analytic_choices_curves(
    claims: pd.DataFrame, points: pd.DataFrame, taken: pd.DataFrame, plan: MultiversePlan
) -> Figure:
    """Specification curves (Simonsohn, Simmons and Nelson 2020)."""
    from matplotlib.figure import Figure

    enough = claims[claims["n_analyses"] >= FEWEST]["claim"].tolist()
    shown = [c for c in enough if points.loc[points["claim"] == c, "estimate"].notna().any()]
    if not shown:
        return nothing_drawn(f"No statement has {FEWEST} analyses or more.")
    marks = {claim: _alternatives(taken[taken["claim"] == claim]) for claim in shown}
    heights = [(1.5, 0.16 * len(marks[claim])) for claim in shown]
    with style():
        total = sum(curve + below + 0.75 for curve, below in heights)
        drawn = Figure(figsize=(WIDTH, total), layout="constrained")
        ratios = [height for pair in heights for height in pair]
        axes = drawn.subplots(2 * len(shown), 1, gridspec_kw={"height_ratios": ratios})
        for n, claim in enumerate(shown):
            rows = points[points["claim"] == claim].sort_values(["estimate", "analysis"])
            _curve(axes[2 * n], claim, rows)
            _marks(axes[2 * n + 1], rows, taken[taken["claim"] == claim], marks[claim])
        used = [v for v in VERDICTS if v in set(points["verdict"][points["claim"].isin(shown)])]
        handles = [
            axes[0].plot([], [], linestyle="", color=VERDICTS[v][0], marker=VERDICTS[v][1], label=v)
            for v in used
        ]
        drawn.legend(handles=[h[0] for h in handles], loc="outside upper right", ncols=len(used))
    return drawn


def _alternatives(taken: pd.DataFrame) -> list[tuple[str, str]]:
    others = taken[taken["alternative"] != HERE]
    return list(others[["choice", "alternative"]].drop_duplicates().itertuples(index=False))


def _curve(axes, claim: str, points: pd.DataFrame) -> None:
    place = np.arange(len(points))
    for verdict, (colour, marker) in VERDICTS.items():
        mask = (points["verdict"] == verdict).to_numpy()
        x = place[mask]
        if len(x):
            low, high = (points[name].to_numpy(float)[mask] for name in ("low", "high"))
            axes.vlines(x, low, high, color=colour, linewidth=0.8, alpha=0.6)
            estimate = points["estimate"].to_numpy(float)[mask]
            axes.plot(x, estimate, linestyle="", color=colour, marker=marker, markersize=4)
    here = points.loc[points["analysis"] == HERE, "estimate"]
    axes.axhline(float(here.iloc[0]), color="#4d4d4d", linewidth=0.8, linestyle="--")
    axes.set_title(claim)
    axes.set_ylabel("estimate")
    axes.set_xlim(-0.8, len(points) - 0.2)
    axes.set_xticks([])
    axes.grid(axis="y")


def _marks(axes, points: pd.DataFrame, taken: pd.DataFrame, names: list[tuple[str, str]]) -> None:
    order = {analysis: n for n, analysis in enumerate(points["analysis"])}
    for line, (choice, alternative) in enumerate(names):
        rows = taken[(taken["choice"] == choice) & (taken["alternative"] == alternative)]
        where = [order[analysis] for analysis in rows["analysis"]]
        axes.plot(where, [line] * len(where), linestyle="", marker="s", markersize=3, color="black")
    axes.set_yticks(range(len(names)), [f"{c}: {a}" for c, a in names], fontsize=7)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(-0.8, len(points) - 0.2)
    axes.set_xticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.grid(axis="y", linewidth=0.4)
