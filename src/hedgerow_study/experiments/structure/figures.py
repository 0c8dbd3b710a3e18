"""Figures of the edit distance of trees (thesis, chapter 5)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.showing.figures import WIDTH, drawing, style
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import figure
from hedgerow_study.experiments.structure.plan import EXAMPLES, StructurePlan
from hedgerow_study.experiments.structure.steps import matrix_of
from hedgerow_study.experiments.structure.tables import caption_values

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# ------------------------------------------------------------------------------------ figures

#: Of clusters, after Okabe and Ito (2008): dark ones first, and a marker that tells them apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
#: The variant that figures 5.2 and 5.4 show.
SHOWN = ("edit_b2_spearman", "unnormalized")
COLOUR_MAP = "cividis"  # its lightness rises all along, in grey as well
PERPLEXITY = 30.0
PANEL, DIGIT, SPACE = 100.0, 4.5, 3.0  # points of figure 5.3: panel, digit of 7, between numbers
HEAD = 0.6  # inches above two trees, for what tells them apart and their numbers
MARGIN = 0.3  # inches, in all, beside and between two trees
FOREST = 4.5  # inches of the forest in figure 5.2, with its heading
GAP = 0.2  # radians of the rings of figure 5.2 that are left for their numbers


PAIRS = (
    "The thesis draws pairs that it names; which of many pairs is drawn here, a rule says "
    "(docs/notes/structure.md)."
)


def _of(results: Frames, table: TidyTable) -> dict[str, pd.DataFrame]:
    """Results of the data set that is drawn, the first that is there."""
    return {
        name: frame[frame["dataset"] == table.name].reset_index(drop=True)
        for name, frame in results.items()
    }


@figure(
    "a tree and its parent",
    caption="Of forest 0 the most visited tree of three tests (or as near to three as there is) "
    f"and its parent. {PAIRS} {{ran}}",
    alt="A tree and the tree that has one test more; the test that was added stands above them.",
    caption_values=caption_values,
)
def thesis_figure_5_1(results: Frames, table: TidyTable, plan: StructurePlan) -> Figure:
    """Figure 5.1: a tree and its parent."""
    from matplotlib.figure import Figure

    results = _of(results, table)
    pair = _shown_pair(results, "insertion_deletion")
    with style():
        if pair is None:  # a forest of trees of one test
            figure = Figure(figsize=(WIDTH, 0.5))
            figure.text(0.012, 0.5, "No forest has a tree and its parent", fontsize=8.5)
            return figure
        trees = _two_trees(pair, results, table)
        height = _height_of(trees)
        figure = Figure(figsize=(WIDTH, height))
        _pair_of_trees(figure, pair, trees, (0.0, height), "")
    return figure


@figure(
    "the forest, and substitutions",
    caption="(a) Forest 0, marked by the clusters of the unnormalised B2 with Spearman's "
    "correlation. (b) Two trees that differ by thresholds of the same variables, (c) two that "
    "differ by one strongly correlated variable, of forest 0 or of the first forest that has such "
    f"a pair. {PAIRS} {{ran}}",
    alt="The forest as a graph of rings, each tree joined to its parent and marked by its "
    "cluster; below it two pairs of trees that differ by one substitution.",
    caption_values=caption_values,
)
def thesis_figure_5_2(results: Frames, table: TidyTable, plan: StructurePlan) -> Figure:
    """Figure 5.2: the hierarchical forest, and trees that differ by a substitution.

    Returns: (a) Forest 0 as a graph, the empty tree in the middle, each ring one test more,
    clusters by the unnormalised B2 with Spearman's correlation. (b) Two trees that differ by
    thresholds of the same variables, (c) two that differ by a strongly correlated variable; of
    forest 0, or of the first forest that has such a pair.
    """
    from matplotlib.figure import Figure

    results = _of(results, table)
    kinds = (("b", "same_variable"), ("c", "correlated"))
    pairs = {letter: _shown_pair(results, kind) for letter, kind in kinds}
    trees = {
        letter: _two_trees(pair, results, table)
        for letter, pair in pairs.items()
        if pair is not None
    }
    forest, labels = _forest(results, 0)
    with style():
        heights = [_height_of(trees[letter]) if letter in trees else 0.4 for letter, _ in kinds]
        height = sum(heights) + FOREST
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.add_axes((0.0, sum(heights) / height, 1.0, (FOREST - 0.3) / height))
        named = _named_trees(results)
        _draw_forest(axes, forest, labels, named)
        title = "(a) The forest; numbers: trees of figure 5.1 and of (b) and (c)"
        figure.text(0.012, 1.0 - 0.12 / height, title, fontsize=8.5, va="top")
        top = sum(heights)
        for (letter, kind), panel_height in zip(kinds, heights, strict=True):
            top -= panel_height
            if letter in trees:
                place = (top, panel_height)
                _pair_of_trees(figure, pairs[letter], trees[letter], place, f"({letter}) ")
            else:
                words = f"({letter}) No forest has two trees that differ by {_KINDS[kind]}"
                figure.text(0.012, (top + 0.2) / height, words, fontsize=8.5)
    return figure


@figure(
    "matrices of distances",
    caption="Unnormalised distances between the trees of forest 0; white lines part trees of "
    "different size, and each matrix has a scale of its own. KL is not symmetric: rows are the "
    "first tree, whose probabilities weigh the logarithms. The published matrices come without "
    "numbers. {ran}",
    alt="Six matrices of distances between all trees of forest 0, sorted by their number of "
    "nodes: four edit distances and two distances between predictions.",
    caption_values=caption_values,
)
def thesis_figure_5_3(results: Frames, table: TidyTable, plan: StructurePlan) -> Figure:
    """Figure 5.3: matrices of distances, trees sorted by their number of nodes."""
    results = _of(results, table)
    forest, _ = _forest(results, 0)
    size = forest["n_nodes"].to_numpy()
    by_size = np.argsort(size, kind="stable")
    distances = results["first"]
    panels = [
        ("edit_a1", "A1"),
        ("edit_a2_spearman", "A2, Spearman"),
        ("d_kl", "KL (nats)"),
        ("edit_b1", "B1"),
        ("edit_b2_spearman", "B2, Spearman"),
        ("d_p", "P (share of instances)"),
    ]
    starts = np.flatnonzero(np.diff(size[by_size], prepend=0))
    stops = np.append(starts[1:], len(size))
    middles = (starts + stops - 1) / 2
    # Of sizes that few trees have, a number would lie on the next one.
    numbers = [str(n) for n in size[by_size][starts]]
    legible = _apart(middles * PANEL / len(size), numbers, stops - starts)
    names = [numbers[group] for group in legible]
    with drawing(4.6) as figure:
        grid = figure.subplots(2, 3, sharex=True, sharey=True)
        for axes, (name, title) in zip(grid.flat, panels, strict=True):
            D = matrix_of(distances, name)[np.ix_(by_size, by_size)]
            image = axes.imshow(D, cmap=COLOUR_MAP, vmin=0, origin="lower",
                                interpolation="nearest")  # fmt: skip
            figure.colorbar(image, ax=axes, shrink=0.76, pad=0.02)
            axes.set_title(title)
            for start in starts[1:] - 0.5:
                axes.axvline(start, color="white", linewidth=0.5)
                axes.axhline(start, color="white", linewidth=0.5)
            axes.set_xticks(middles[legible], names, fontsize=7)
            axes.set_yticks(middles[legible], names, fontsize=7)
            axes.tick_params(length=0)
        for axes in grid[-1]:
            axes.set_xlabel("Nodes of the tree")
        for axes in grid[:, 0]:
            axes.set_ylabel("Nodes of the tree")
    return figure


@figure(
    "clusters of trees (t-SNE)",
    caption="t-SNE of the unnormalised B2 with Spearman's correlation, forest 0, from a start at "
    "the first two eigenmaps; nothing is moved apart, so that trees at distance 0 lie on each "
    "other. Clusters are those of k-means with the first seed. Large markers: medoids. Bold "
    "numbers: trees of figures 5.1 and 5.2; other numbers: medoids. Neither axis has a unit. "
    "{ran}",
    alt="The trees of forest 0 as points on a plane, marked by their cluster, with the numbers of "
    "the example trees and of the medoids.",
    caption_values=caption_values,
)
def thesis_figure_5_4(results: Frames, table: TidyTable, plan: StructurePlan) -> Figure:
    """Figure 5.4: the trees of forest 0 on a plane (t-SNE), and their clusters.

    Returns: from the unnormalised B2 with Spearman's correlation; large markers: medoids of the
    clusters; numbers: trees of figures 5.1 and 5.2, and medoids.
    """
    from matplotlib.lines import Line2D

    results = _of(results, table)
    from hedgerow.structure import medoids
    from hedgerow.structure.clusters import silhouette

    _, labels = _forest(results, 0)
    D = matrix_of(results["first"], SHOWN[0])
    places = plane(D)
    middle = medoids(D, labels)
    named = {**{int(m): "normal" for m in middle}, **dict.fromkeys(_named_trees(results), "bold")}
    with drawing(4.4) as figure:
        axes = figure.add_subplot()
        for label in np.unique(labels):
            at = places[labels == label]
            axes.plot(*at.T, **_cluster_look(label), markersize=5, alpha=0.85)
            axes.plot(*places[middle[label]], **_cluster_look(label, "black", 1.4), markersize=10)
        axes.set_xlabel("First axis of t-SNE")
        axes.set_ylabel("Second axis of t-SNE")
        axes.set_aspect("equal", adjustable="datalim")
        handles = _cluster_handles(labels)
        handles.append(
            Line2D([], [], linestyle="", marker="o", markersize=10, label="medoid",
                   markerfacecolor="none", markeredgecolor="black", markeredgewidth=1.4)
        )  # fmt: skip
        consistency = silhouette(D, labels)
        words = None if np.isnan(consistency) else f"Clusters, silhouette {consistency:.2f}"
        figure.legend(handles=handles, loc="outside upper left", ncols=3, title=words)
        _labels(axes, places, {t: (str(t), weight) for t, weight in sorted(named.items())})
    return figure


def _apart(places: np.ndarray, numbers: list[str], weights: np.ndarray) -> list[int]:
    """Numbers that can stand at their places on one line, in points, the weightiest first."""
    chosen: list[int] = []
    for one in np.argsort(-weights, kind="stable").tolist():
        room = [SPACE + DIGIT * (len(numbers[one]) + len(numbers[k])) / 2 for k in chosen]
        if all(abs(places[one] - places[k]) >= r for k, r in zip(chosen, room, strict=True)):
            chosen.append(one)
    return chosen


def plane(D: np.ndarray) -> np.ndarray:
    """Places of trees on a plane by t-SNE, without chance.

    Returns: exact gradients from a start at the first two Laplacian eigenmaps, perplexity 30, or a
    third of the other trees where these are few; turned so that it is widest along its first axis.
    """
    from sklearn.manifold import TSNE

    from hedgerow.structure import laplacian_eigenmaps

    start = laplacian_eigenmaps(D, 2)
    start = np.pad(start, ((0, 0), (0, 2 - start.shape[1])))
    start = 1e-4 * start / (start[:, 0].std() or 1.0)
    perplexity = min(PERPLEXITY, (len(D) - 1) / 3)
    tsne = TSNE(2, metric="precomputed", init=start, method="exact", perplexity=perplexity,
                random_state=0)  # fmt: skip
    places = tsne.fit_transform(D.copy()).astype(float)  # it squares what it is given, in place
    places -= places.mean(axis=0)
    axes = np.linalg.svd(places, full_matrices=False)[2]
    # Which end is left does not follow from the distances: the larger component points right, up.
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    return places @ (axes * signs[:, None]).T


_KINDS = {
    "insertion_deletion": "a tree and its parent",
    "same_variable": "thresholds of the same variables",
    "correlated": "a strongly correlated variable",
}


def _forest(results, number: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Trees of one forest and their clusters."""
    forest = results["forests"]
    forest = forest[forest["repeat"] == number].reset_index(drop=True)
    labels = results["labels"]
    labels = labels[
        (labels["repeat"] == number)
        & (labels["method"] == SHOWN[0])
        & (labels["scale"] == SHOWN[1])
    ]
    return forest, labels.sort_values("tree")["label"].to_numpy()


def _shown_pair(results, criterion: str) -> pd.Series | None:
    """The pair that stands for its kind: of forest 0, or of the first that has one."""
    scripts = results["scripts"]
    pairs = scripts[scripts["criterion"] == criterion].sort_values("repeat")
    return None if pairs.empty else pairs.iloc[0]


def _named_trees(results) -> list[int]:
    """Trees of forest 0 in the pairs that are shown."""
    pairs = [_shown_pair(results, criterion) for criterion in EXAMPLES]
    return sorted({int(p[c]) for p in pairs if p is not None and p["repeat"] == 0
                   for c in ("tree_1", "tree_2")})  # fmt: skip


def _two_trees(pair, results, table) -> list:
    """The trees of a pair, with names of variables and classes."""
    from hedgerow.tree import forest_from_frame

    frame = results["trees"]
    frame = frame[frame["repeat"] == pair["repeat"]]
    names = {"feature_names": [str(c) for c in table.X.columns], "classes": list(table.classes)}
    return [
        forest_from_frame(frame[frame["tree"] == pair[c]], ["tree"])[1][0].replace(**names)
        for c in ("tree_1", "tree_2")
    ]


def _natural_size(tree) -> tuple[float, float]:
    """Width and height in inches at which the words of a drawn tree have their full size."""
    from matplotlib.figure import Figure

    from hedgerow.drawing.tree import plot_tree

    axes = plot_tree(tree, Figure().add_subplot())
    return float(np.ptp(axes.get_xlim())), float(np.ptp(axes.get_ylim()))


def _height_of(trees) -> float:
    """Inches of two trees side by side with their heading, as large as the page lets them."""
    sizes = [_natural_size(tree) for tree in trees]
    scale = min(1.0, (WIDTH - MARGIN) / sum(width for width, _ in sizes))
    return scale * max(height for _, height in sizes) + HEAD


def _pair_of_trees(figure: Figure, pair, trees, place, letter: str) -> None:
    """Two trees side by side, on one scale, below what turns the first into the second.

    `place` is bottom and height in inches.
    """
    from hedgerow.drawing.tree import plot_tree

    width, inches = figure.get_size_inches()
    bottom, height = place
    numbers = [int(pair["tree_1"]), int(pair["tree_2"])]
    where = f", forest {pair['repeat']}" if pair["repeat"] else ""
    title = f"{letter}Trees {numbers[0]} and {numbers[1]}{where}: {pair['edits']}"
    top = (bottom + height - 0.06) / inches
    title = textwrap.fill(title, 98)
    figure.text(0.012, top, title, fontsize=8.5, va="top", parse_math=False)
    sizes = [_natural_size(tree) for tree in trees]
    room = height - HEAD
    wide = sum(w for w, _ in sizes)
    scale = min(1.0, (width - MARGIN) / wide, room / max(h for _, h in sizes))
    gap = (width - scale * wide) / 3
    left = gap
    for tree, number, (w, h) in zip(trees, numbers, sizes, strict=True):
        top = bottom + room
        area = (left / width, (top - scale * h) / inches, scale * w / width, scale * h / inches)
        axes = figure.add_axes(area)
        plot_tree(tree, axes, decimals=3)
        axes.set_title(f"Tree {number}", fontsize=8, loc="center", pad=2)
        left += scale * w + gap


def _cluster_look(label: int, edge: str = "white", width: float = 0.4) -> dict:
    return {
        "linestyle": "",
        "marker": MARKERS[label % len(MARKERS)],
        "markerfacecolor": COLOURS[label % len(COLOURS)],
        "markeredgecolor": edge,
        "markeredgewidth": width,
    }


def _cluster_handles(labels) -> list[Line2D]:
    from matplotlib.lines import Line2D

    sizes = zip(*np.unique(labels, return_counts=True), strict=True)
    names = [(k, f"cluster {k} ({n} tree{'' if n == 1 else 's'})") for k, n in sizes]
    return [Line2D([], [], markersize=6, label=name, **_cluster_look(k)) for k, name in names]


def _draw_forest(axes, forest: pd.DataFrame, labels, named) -> None:
    """A forest as a graph: the empty tree in the middle, each ring one test more."""
    from matplotlib.lines import Line2D

    places = rings(forest["parent"].to_numpy(), forest["n_tests"].to_numpy())
    outer = int(forest["n_tests"].max())
    around = np.linspace(0, 2 * np.pi, 181)
    for radius in range(1, outer + 1):
        axes.plot(radius * np.cos(around), radius * np.sin(around), color="#d9d9d9", linewidth=0.6,
                  zorder=0)  # fmt: skip
    for tree, parent in enumerate(forest["parent"]):
        ends = places[[tree, parent]] if parent >= 0 else np.array([places[tree], [0.0, 0.0]])
        axes.plot(*ends.T, color="#777777", linewidth=0.7, zorder=1)
    axes.plot(0, 0, marker="o", markersize=5, color="white", markeredgecolor="#777777", zorder=2)
    for label in np.unique(labels):
        axes.plot(*places[labels == label].T, **_cluster_look(label), markersize=6.5, zorder=3)
    for tree in named:
        look = _cluster_look(labels[tree], "black", 1.4)
        axes.plot(*places[tree], **look, markersize=8, zorder=4)
    axes.set_aspect("equal")
    # Room for the legend beside the rings.
    axes.set_xlim(-1.9 * outer, 1.3 * outer)
    axes.set_ylim(-1.07 * outer, 1.07 * outer)
    axes.set_axis_off()
    handles = _cluster_handles(labels)
    handles.append(Line2D([], [], marker="o", markersize=5, color="#777777", linewidth=0.7,
                          markerfacecolor="white", label="no test"))  # fmt: skip
    handles.append(Line2D([], [], color="#d9d9d9", label="rings: number of tests"))
    axes.legend(handles=handles, loc="lower left", borderaxespad=0.3)
    for radius in range(1, outer + 1):
        axes.text(0, radius, str(radius), fontsize=7, color="#555555", ha="center", va="center",
                  zorder=0.5, bbox={"facecolor": "white", "linewidth": 0, "pad": 0.8})  # fmt: skip
    _labels(axes, places, {tree: (str(tree), "bold") for tree in named})


def rings(parent, n_tests) -> np.ndarray:
    """Places of the trees of a forest: on the ring of their number of tests, children near.

    Returns: every tree gets a share of the circle in proportion to the ends below it; a gap at the
    top is left for numbers.
    """
    parent, n_tests = np.asarray(parent), np.asarray(n_tests, dtype=float)
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for tree, above in enumerate(parent.tolist()):
        children[above].append(tree)  # -1: the last place
    ends = np.ones(n + 1)
    for tree in range(n - 1, -1, -1):
        if children[tree]:
            ends[tree] = ends[children[tree]].sum()
    angle = np.zeros(n)
    starts = {n: (np.pi / 2 + GAP / 2, 2 * np.pi - GAP)}
    for tree in (n, *range(n)):
        start, room = starts[tree]
        below = children[tree if tree < n else -1]
        total = ends[below].sum()
        for child in below:
            share = room * ends[child] / total
            starts[child] = (start, share)
            angle[child] = start + share / 2
            start += share
    return np.column_stack([np.cos(angle), np.sin(angle)]) * n_tests[:, None]


def _labels(axes, places, words: Mapping[int, tuple[str, str]]) -> None:
    """Numbers beside their points, where they cover fewest points and no other number."""
    from matplotlib.transforms import Bbox

    figure = axes.get_figure()
    figure.draw_without_rendering()  # the layout is final from here on
    points = axes.transData.transform(places)
    unit = figure.dpi / 72.0
    taken: list[Bbox] = []
    for tree, (text, weight) in words.items():
        wide, high = (4.6 * len(text) + 3) * unit, 9.5 * unit
        best = None
        for reach in (12, 17, 23, 30):
            for turn in np.arange(16) * np.pi / 8:
                middle = points[tree] + reach * unit * np.array([1.15 * np.cos(turn), np.sin(turn)])
                box = Bbox.from_bounds(*(middle - np.array([wide, high]) / 2), wide, high)
                inside = ((points > box.min - 2 * unit) & (points < box.max + 2 * unit)).all(axis=1)
                cost = inside.sum() + 20 * sum(box.overlaps(other) for other in taken)
                cost += 0.06 * reach
                if best is None or cost < best[0] - 1e-9:
                    best = (cost, middle, box)
        taken.append(best[2])
        shift = (best[1] - points[tree]) / unit
        axes.annotate(
            text,
            places[tree],
            xytext=shift,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            fontweight=weight,
            zorder=6,
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": "black", "shrinkA": 0,
                        "shrinkB": 3},
            bbox={"facecolor": "white", "linewidth": 0, "alpha": 0.75, "pad": 0.5},
        )  # fmt: skip
