"""Figures of trees by Monte Carlo search (thesis, chapter 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.showing.figures import LOOKS, drawing
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.search.plan import BOTH, PRUNING, SearchPlan
from hedgerow_study.experiments.search.tables import (
    CRITERIA,
    SMALL,
    caption_values,
    first_repeat,
    instances,
    printed_cells,
)
from hedgerow_study.experiments.step import figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ----------------------------------------------------------------------------------- figures


PRINTED_CELLS = "Open markers follow from the printed cells."


@figure(
    "search depth",
    caption="Tests of the deepest state of the search, policy VS, against the tests of the C4.5 "
    f"tree; on the line both are equal. {PRINTED_CELLS} {{ran}}",
    alt="Four panels of points, one per data set: tests of the deepest state of the search "
    "against tests of the C4.5 tree; numbers are in tables 4.1 and 4.5.",
    caption_values=caption_values,
)
def thesis_figure_4_3(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> Figure:
    """Figure 4.3: deepest state of the search against the tests of the C4.5 tree.

    Returns: four panels, one per search pruning under the policy VS; a point is a data set. Open
    markers are the printed depths of table 4.1 against the printed leaves of table 4.5 less one:
    the figure itself comes without numbers.
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

    measured = first_repeat(rows)
    printed = printed_cells(published, plan)
    with drawing(5.6) as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, letter, criterion in zip(grid.flat, "abcd", PRUNING, strict=True):
            axes.grid()
            for cells, drawn in ((printed, False), (measured, True)):
                x = _column(cells, "c45", "", "n_leaves") - 1
                y = _column(cells, "uct_vs", criterion, "search_depth")
                _points(axes, x, y, "uct_vs", drawn)
            axes.set_title(f"({letter}) {CRITERIA[criterion]}")
            for scale, axis in ((axes.set_xscale, axes.xaxis), (axes.set_yscale, axes.yaxis)):
                scale("symlog", linthresh=1)  # a tree of one leaf has no test
                axis.set_major_locator(FixedLocator([0, 1, 2, 5, 10, 20, 50, 100]))
                axis.set_major_formatter(FormatStrFormatter("%g"))
                axis.set_minor_locator(NullLocator())
            line = np.arange(1001)
            axes.add_artist(Line2D(line, line, color="black", linewidth=0.7))  # sets no limit
        _outer_labels(grid, "Tests of the C4.5 tree (log scale)", "Tests of the deepest state")
        _legend(figure, "uct_vs")
    return figure


@figure(
    "F1 against C4.5 by size",
    caption="F1 of UCT-DT, policy VS, less that of C4.5; the dotted line is at 730 instances, "
    f"where the thesis parts small from large data sets. {PRINTED_CELLS} {{ran}}",
    alt="Four panels of points, one per data set: F1 of UCT-DT less that of C4.5 against the "
    "number of instances; numbers are in tables 4.1 and 4.5.",
    caption_values=caption_values,
)
def thesis_figure_4_4(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> Figure:
    """Figure 4.4: F1 of UCT-DT (VS) less that of C4.5, against the number of instances."""
    pairs = [(("uct_vs", c), ("c45", ""), CRITERIA[c]) for c in PRUNING]
    with drawing(5.2) as figure:
        grid = figure.subplots(2, 2, sharex=True, sharey=True)
        _differences(grid, pairs, rows, published, plan)
        _outer_labels(grid, "Instances (log scale)", "F1, difference to C4.5\n(percentage points)")
        _legend(figure, "uct_vs")
    return figure


@figure(
    "F1 of C4.5b by size",
    caption="F1 of the policy C4.5b less that of the policies VS (a) and C4.5 (b); the dotted "
    f"line is at 730 instances. {PRINTED_CELLS} {{ran}}",
    alt="Two panels of points, one per data set: F1 of the policy C4.5b less that of VS and of "
    "C4.5 against the number of instances; numbers are in table 4.3.",
    caption_values=caption_values,
)
def thesis_figure_4_5(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> Figure:
    """Figure 4.5: F1 of the policy C4.5b less that of VS and of C4.5, against instances."""
    c45b = ("uct_c45b", BOTH)
    pairs = [
        (c45b, ("uct_vs", BOTH), "C4.5b less VS"),
        (c45b, ("uct_c45", BOTH), "C4.5b less C4.5"),
    ]
    with drawing(3.0) as figure:
        grid = figure.subplots(1, 2, sharex=True, sharey=True, squeeze=False)
        _differences(grid, pairs, rows, published, plan)
        _outer_labels(grid, "Instances (log scale)", "F1, difference\n(percentage points)")
        _legend(figure, "uct_c45b")
    return figure


def _differences(grid, pairs, rows, published, plan) -> None:
    measured = first_repeat(rows)
    sizes = measured.groupby("dataset")["n_rows"].first().astype(float)
    printed = printed_cells(published, plan)
    for axes, letter, (first, second, title) in zip(grid.flat, "abcd", pairs, strict=False):
        axes.grid(axis="y")
        for cells, x, drawn in (
            (printed, instances(published, plan), False),
            (measured, sizes, True),
        ):
            y = _column(cells, *first, "f1") - _column(cells, *second, "f1")
            _points(axes, x, y, first[0], drawn)
        axes.axhline(0, color="black", linewidth=0.7)
        axes.axvline(SMALL, color="black", linewidth=0.7, linestyle=(0, (1, 3)))
        axes.set_title(f"({letter}) {title}")
        axes.set_xscale("log")
        ticks = [600, 800, 1000, 1500, 2000]
        axes.set_xticks(ticks, [str(t) for t in ticks])
        axes.minorticks_off()


def _column(cells: pd.DataFrame, method: str, criterion: str, metric: str) -> pd.Series:
    selected = cells[(cells["method"] == method) & (cells["criterion"] == criterion)]
    return selected.set_index("dataset")[metric].astype(float)


def _points(axes, x: pd.Series, y: pd.Series, method: str, measured: bool) -> None:
    """One marker per data set that has both values: filled if measured, open if printed."""
    both = pd.DataFrame({"x": x, "y": y}).dropna().sort_index()
    axes.plot(both["x"], both["y"], **_marker(method, measured))


def _marker(method: str, measured: bool) -> dict:
    look = LOOKS[method]
    form = {"linestyle": "", "marker": look.marker, "markersize": 5}
    if measured:
        return {**form, "color": look.colour, "markeredgecolor": "black", "markeredgewidth": 0.5}
    grey = {"markerfacecolor": "none", "markeredgecolor": "#999999", "markeredgewidth": 0.9}
    return {**form, **grey}


def _outer_labels(grid, below: str, left: str) -> None:
    for axes in grid[-1]:
        axes.set_xlabel(below)
    for axes in grid[:, 0]:
        axes.set_ylabel(left)


def _legend(figure: Figure, method: str) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label="measured", **_marker(method, True)),
        Line2D([], [], label="published", **_marker(method, False)),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
