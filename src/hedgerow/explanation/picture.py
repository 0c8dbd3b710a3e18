"""A picture of one explanation: the leaves a case may belong to, and what other values would do."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.drawing.pen import COLORS, hatch_of
from hedgerow.drawing.words import shorten
from hedgerow.errors import InputError
from hedgerow.explanation.words import MOST_LEAVES, percent
from hedgerow.optional_imports import import_optional
from hedgerow.texts import one_line

MOST_CURVES = 6
ROW = 1.9  # height of a row of curves, in inches
WIDTH = 7.2
STYLES = ("-", "--", ":", "-.")
POINTS = 8.0


def draw(explanation: Any, figure=None):
    """Draw an explanation."""
    plt = import_optional("matplotlib.pyplot", "a drawing of an explanation")
    leaves = explanation.leaves[:MOST_LEAVES]
    variables = _variables(explanation)
    rows = -(-len(variables) // 2)
    bars = 0.6 + 0.27 * len(leaves)
    if figure is None:
        figure = plt.figure(figsize=(WIDTH, bars + 0.9 + ROW * rows), layout="constrained")
    elif figure.axes:
        raise InputError("figure has axes already", remedy="give an empty one")
    grid = figure.add_gridspec(1 + rows, 2, height_ratios=[bars] + [ROW] * rows)
    _draw_leaves(figure.add_subplot(grid[0, :]), explanation, leaves)
    for place, variable in enumerate(variables):
        ax = figure.add_subplot(grid[1 + place // 2, place % 2])
        _draw_curve(ax, explanation, variable, place % 2 == 0)
    title = f"answer: {explanation.answer} ({percent(float(explanation.probabilities.max()))})"
    if (changes := explanation.changes) is not None:
        title += f"; measured again, another one than {explanation.stands}: {percent(changes)}"
    figure.suptitle(shorten(title, 6.9, POINTS + 1), fontsize=POINTS + 1, parse_math=False)
    handles = [
        plt.Line2D([], [], color=COLORS[c % len(COLORS)], ls=STYLES[c % len(STYLES)], lw=1.8)
        for c in range(len(explanation.classes))
    ]
    if variables:
        names = [shorten(str(label), 2.0, POINTS) for label in explanation.classes]
        legend = figure.legend(
            handles, names, loc="outside lower center", fontsize=POINTS, frameon=False,
            ncols=max(1, min(len(names), 6)),
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _variables(explanation: Any) -> list[int]:
    """Numbers of the variables that the case may be tested on, in the order of its path."""
    tree, shares = explanation.case.tree, explanation.case.shares
    inner = np.flatnonzero((tree.feature >= 0) & (shares > 0))
    order = inner[np.lexsort((inner, tree.node_depth[inner]))]
    return list(dict.fromkeys(tree.feature[order].tolist()))[:MOST_CURVES]


def _draw_leaves(ax, explanation: Any, leaves) -> None:
    place = -np.arange(len(leaves))
    for y, leaf in zip(place, leaves, strict=True):
        c = explanation.classes.index(leaf.answer)
        ax.barh(y, leaf.probability, height=0.7, color=COLORS[c % len(COLORS)], hatch=hatch_of(c),
                edgecolor="0.15", linewidth=0.5)  # fmt: skip
        ax.text(leaf.probability + 0.01, y, percent(leaf.probability), va="center", fontsize=POINTS)
    names = [shorten(f"{leaf.answer} (leaf {leaf.node})", 1.8, POINTS) for leaf in leaves]
    ax.set_yticks(place, names, fontsize=POINTS, parse_math=False)
    ax.set_xlim(0, 1.12)
    ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"], fontsize=POINTS)
    ax.set_xlabel("probability that it belongs there", fontsize=POINTS)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_curve(ax, explanation: Any, variable: int, first: bool) -> None:
    case = explanation.case
    values, p = explanation.what_if(variable)
    labels = case.tree.categories.get(variable)
    categorical = (
        labels is not None or case.tree.is_categorical()[case.tree.feature == variable].any()
    )
    for c in range(p.shape[1]):
        settings = {"color": COLORS[c % len(COLORS)], "ls": STYLES[c % len(STYLES)], "lw": 1.6}
        if categorical:
            settings |= {"ls": "", "marker": "osD^vP"[c % 6], "ms": 5}
        ax.plot(values, p[:, c], **settings)
    x = case.x[variable]
    if not np.isnan(x):
        ax.axvline(x, color="0.2", lw=0.9)
        value_law = case.laws.get(variable)
        if value_law is not None:
            ax.axvspan(x - value_law.sd, x + value_law.sd, color="0.85", zorder=0)
    if categorical:
        words = [str(label) for label in labels] if labels is not None else map(str, values)
        ax.set_xticks(values, [shorten(word, 0.8, POINTS) for word in words], fontsize=POINTS,
                      parse_math=False)  # fmt: skip
    ax.tick_params(labelsize=POINTS)
    ax.set_ylim(-0.03, 1.03)
    ax.set_yticks([0, 0.5, 1])
    if first:
        ax.set_ylabel("class probability", fontsize=POINTS)
    name = one_line(case.tree.feature_names[variable])
    ax.set_xlabel(shorten(name, 3.0, POINTS), fontsize=POINTS, parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
