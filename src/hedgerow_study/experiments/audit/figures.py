"""One picture of all that is printed, measured against published."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from hedgerow.showing.figures import WIDTH, drawing
from hedgerow.showing.numbers import count
from hedgerow_study.experiments.step import figure

PAPERS = {"thesis": "Thesis", "confdtree": "ConfDTree", "e2m": "E2M", "eig": "EIG"}
#: Kinds of cells: label, colour (Okabe and Ito, from dark to light in grey), marker, units.
KINDS = (
    ("p and test statistics", "#000000", "x", ("p", "z", "t", "chi2")),
    ("accuracy, F1, area, error", "#0072B2", "o", ("percent", "percentage_points", "rate", "sd")),
    ("leaves, depth, F1 per leaf", "#D55E00", "^", ("leaves", "tests", "percent_per_leaf")),
    ("distances, clusters of trees", "#E69F00", "s", ("matrix_norm", "coefficient", "nmi")),
    ("counts, shares, yes or no", "#56B4E9", "D", ()),
)
#: Where points beyond lie, on the scale of the largest printed value.
EDGE = 1.5


def caption_values(comparison: pd.DataFrame, configuration: str) -> dict[str, str]:
    """Words of the caption: how many cells are measured, and how many lie beyond."""
    scaled = on_one_scale(comparison)
    measured = (comparison["reason"].fillna("") == "").sum()
    return {
        "measured": count(measured),
        "cells": count(len(comparison)),
        "drawn": count(len(scaled)),
        "beyond": count(int((scaled["y"].abs() > EDGE).sum())),
        "configuration": configuration,
    }


def on_one_scale(comparison: pd.DataFrame) -> pd.DataFrame:
    """Cells that have both numbers, as shares of the largest printed value of table and metric.

    Returns: paper, kind (number in `KINDS`), x (published) and y (measured).
    """
    largest = comparison.groupby(["table", "metric"])["published_value"].transform(
        lambda values: values.abs().max()
    )
    both = comparison["published_value"].notna() & comparison["measured"].notna() & (largest > 0)
    cells, largest = comparison[both], largest[both]
    return pd.DataFrame(
        {
            "paper": cells["table"].str.split("_").str[0],
            "kind": [_kind(*pair) for pair in zip(cells["unit"], cells["metric"], strict=True)],
            "x": cells["published_value"] / largest,
            "y": cells["measured"] / largest,
        }
    )


def _kind(unit: str, metric: str) -> int:
    if metric.startswith("n_leaves"):
        return 2  # a standardised number of leaves is one
    kinds = [number for number, (*_, units) in enumerate(KINDS) if unit in units]
    return kinds[0] if kinds else len(KINDS) - 1


@figure(
    "Published and measured, every cell",
    caption="Every cell that the papers print and this run ({configuration}) measures: {measured} "
    "of {cells} cells are measured, and {drawn} of them are numbers and drawn. "
    "reports/comparison.csv has each, with the reason where one is not measured. Both numbers "
    "are divided by the largest absolute value that is printed of that metric in that table, so "
    "that all units share one scale. On the line measured equals published. {beyond} cells lie "
    "beyond the frame and stand at its edge.",
    alt="A panel per paper: measured against published values, with the line where both are equal. "
    "The numbers are in reports/comparison.csv.",
    caption_values=caption_values,
)
def comparison(comparison: pd.DataFrame) -> Figure:
    """Figure of all cells: a panel per paper."""
    scaled = on_one_scale(comparison)
    with drawing(WIDTH * 1.06) as drawn:
        panels = drawn.subplots(2, 2, sharex=True, sharey=True)
        for axes, (paper, label) in zip(panels.flat, PAPERS.items(), strict=True):
            cells = scaled[scaled["paper"] == paper]
            n_cells = int(comparison["table"].str.startswith(f"{paper}_").sum())
            axes.plot([-1.05, 1.05], [-1.05, 1.05], color="#666666", linewidth=0.8, zorder=1)
            for number, (name, colour, marker, _) in enumerate(KINDS):
                points = cells[cells["kind"] == number]
                filled = {} if marker == "x" else {"edgecolors": "white"}
                axes.scatter(
                    points["x"],
                    np.clip(points["y"], -EDGE, EDGE),
                    s=14,
                    c=colour,
                    marker=marker,
                    linewidths=0.8 if marker == "x" else 0.3,
                    label=name,
                    zorder=3 if number == 0 else 2,
                    clip_on=False,
                    **filled,
                )
            axes.set_title(f"{label}: {count(len(cells))} of {count(n_cells)} cells")
            axes.set_xlim(-1.08, 1.08)
            axes.set_ylim(-EDGE, EDGE)
            axes.grid(True)
        for axes in panels[-1]:
            axes.set_xlabel("Published, share of the largest")
        for axes in panels[:, 0]:
            axes.set_ylabel("Measured, on the same scale")
        handles, names = panels.flat[0].get_legend_handles_labels()
        drawn.legend(handles, names, loc="outside upper center", ncols=3)
    return drawn
