"""Which decision patterns occur in a forest, on one page."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import LARGEST_COUNT, check_number
from hedgerow.drawing.tree import legible_depth, plot_tree
from hedgerow.drawing.words import shorten
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional, is_frame
from hedgerow.structure.clusters import _checked, cluster, medoids, silhouette
from hedgerow.structure.distance import TreeEditDistance
from hedgerow.tree.export import check_decimals
from hedgerow.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

A4 = (8.27, 11.69)  # inches
MARGIN = 0.5
LEVELS = 3  # of tests that have a column of their own; the last one is "or deeper"
MOST = 6  # clusters on a page; the trees of more could not be read
POINTS = 5.6  # words of a tree; its smallest, .92 of them, have 8 pixels on the page of a report

# Of clusters; classes have blue and orange (hedgerow.drawing.pen).
COLOURS = ("#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P")
SMALL = {"fontsize": 6.5, "color": "0.35"}  # words beside the table


def plot_forest(
    trees: Sequence[Tree],
    X,
    y,
    *,
    n_clusters: int = 4,
    distance=None,
    n_variables: int = 12,
    title: str | None = None,
    class_colors=None,
    decimals: int = 2,
    random_state: int = 0,
):
    """Draw the clusters of a forest and the tree in the middle of each, on one page.

    Above: a map of the trees, on which distances are as near to their edit distances as a plane
    allows (metric multidimensional scaling), and a table of the variables that each cluster tests,
    level by level. Below: the medoid of each cluster, as many levels of it as can be read. The
    title of the map has the silhouette coefficient of the clusters, from -1 to 1: near 0, they are
    hardly groups.

    Parameters
    ----------
    trees : sequence of n trees
        Of any learner; those of scikit-learn after `hedgerow.tree.Tree.from_sklearn`.
    X : (rows, m) array or data frame
        Data that the nodes of all trees are sorted by; its columns name the variables.
    y : (rows,) array
    n_clusters : int, default 4
        At most 6, and at most n. Fewer are drawn where fewer trees differ.
    distance : TreeEditDistance or (n, n) array, optional
        A distance, fitted here where it is not, or the distances of the trees. None: cost B2 with
        Spearman's correlation.
    n_variables : int, default 12
        Variables in the table, those that most trees test.
    title : str, optional
        Above the page.
    class_colors, decimals
        As in `hedgerow.tree.Tree.plot`.
    random_state : int, default 0
        Of the clusters.

    Returns
    -------
    matplotlib Figure
        A4, upright.

    Raises
    ------
    InputError
        A parameter out of range, or what `TreeEditDistance` raises.

    References
    ----------
    Thesis 5.4.2: eigenmaps and k-means of edit distances.
    """
    import_optional("matplotlib", "a drawing of a forest")
    from matplotlib.figure import Figure

    trees = list(trees)
    check_number("n_clusters", n_clusters, 1, MOST, whole=True)
    check_number("n_variables", n_variables, 1, LARGEST_COUNT, whole=True)
    check_decimals(decimals)
    D = _distances(trees, X, y, distance)
    labels = cluster(D, n_clusters, random_state=random_state)
    middle = medoids(D, labels)
    names = _variable_names(trees, X)

    figure = Figure(figsize=A4)
    page = _Page(figure, title)
    _draw_map(page.axes(0.2, 0.0, 3.0, 3.0), D, labels, middle)
    _draw_table(figure, page, pattern_shares(trees, labels), labels, names, n_variables)
    places = page.grid(len(middle), top=3.7)
    for label, (tree_place, place) in enumerate(zip(middle.tolist(), places, strict=True)):
        tree = trees[tree_place]
        if tree.feature_names is None:
            tree = tree.replace(feature_names=names)
        left, top, width, height = place
        head = 0.28
        axes = page.axes(left, top + head, width, height - head)
        room = (width, height - head, decimals, POINTS)
        plot_tree(
            tree,
            axes,
            decimals=decimals,
            max_depth=legible_depth(tree, *room),
            class_colors=class_colors,
        )
        axes.set_anchor("N")
        _head(page, label, left, top, labels, tree_place, tree)
    return figure


def pattern_shares(trees: Sequence[Tree], labels) -> pd.DataFrame:
    """Which variables the trees of each cluster test, level by level.

    Parameters
    ----------
    trees : sequence of n trees
    labels : (n,) int
        Clusters.

    Returns
    -------
    DataFrame
        `label`, `level` (1: the root; 3: the third level or deeper), `feature` (column of the
        data), `share` of the cluster's trees that test it there. Pairs that no tree has are left
        out.

    Examples
    --------
    >>> from hedgerow import C45Classifier
    >>> tree = C45Classifier(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], list("aabb")).tree_
    >>> pattern_shares([tree, tree], [0, 0]).to_dict("records")
    [{'label': 0, 'level': 1, 'feature': 0, 'share': 1.0}]
    """
    pd = import_optional("pandas", "a table of patterns")
    labels = np.asarray(labels)
    rows = [
        (int(label), level, feature)
        for tree, label in zip(trees, labels, strict=True)
        for level, feature in sorted(set(_tests(tree)))
    ]
    frame = pd.DataFrame(rows, columns=["label", "level", "feature"])
    counts = frame.value_counts(sort=False).rename("share").reset_index()
    size = pd.Series(labels).value_counts()
    counts["share"] = counts["share"] / counts["label"].map(size)
    return counts.sort_values(["label", "level", "feature"], ignore_index=True)


def _tests(tree: Tree) -> list[tuple[int, int]]:
    """Level and variable of every test."""
    inner = np.flatnonzero(~tree.is_leaf())
    levels = np.minimum(tree.node_depth[inner] + 1, LEVELS)
    return list(zip(levels.tolist(), tree.feature[inner].tolist(), strict=True))


def _distances(trees, X, y, distance) -> np.ndarray:
    if distance is None:
        distance = TreeEditDistance("B2")
    if isinstance(distance, TreeEditDistance):
        if not hasattr(distance, "data_"):
            distance = TreeEditDistance(**distance.get_params()).fit(X, y)
        return distance.pairwise(trees)
    D = _checked(distance)
    if len(D) != len(trees):
        raise InputError(
            f"there are {len(trees)} trees and the distances of {len(D)}",
            remedy="give the distance of each tree to each, or a TreeEditDistance",
        )
    return D


def _variable_names(trees, X) -> list[str]:
    if is_frame(X):
        return [str(name) for name in X.columns]
    for tree in trees:
        if tree.feature_names is not None:
            return list(tree.feature_names)
    return [f"x{j}" for j in range(np.shape(X)[1])]


def plane(D: np.ndarray) -> np.ndarray:
    """Places of trees on a plane by metric multidimensional scaling (SMACOF).

    Returns: it starts from classical scaling, so that nothing is drawn at random.
    """
    from sklearn.decomposition import KernelPCA
    from sklearn.manifold import smacof

    n = len(D)
    if n < 3 or not D.any():
        return np.column_stack([D[0], np.zeros(n)])
    start = KernelPCA(2, kernel="precomputed", eigen_solver="dense").fit_transform(-0.5 * D**2)
    start = np.pad(start, ((0, 0), (0, 2 - start.shape[1])))
    return smacof(D, n_components=2, init=start, n_init=1, max_iter=300, eps=1e-6)[0]


class _Page:
    """Places on the page in inches from its upper left corner, within the margins."""

    def __init__(self, figure, title):
        self.figure = figure
        self.top = MARGIN
        if title:
            figure.text(
                MARGIN / A4[0], 1 - MARGIN / A4[1], title, fontsize=11, va="top", parse_math=False
            )
            self.top += 0.55
        self.width = A4[0] - 2 * MARGIN
        self.height = A4[1] - MARGIN - self.top

    def axes(self, left, top, width, height):
        bottom = A4[1] - self.top - top - height
        place = ((MARGIN + left) / A4[0], bottom / A4[1], width / A4[0], height / A4[1])
        return self.figure.add_axes(place)

    def text(self, left, top, words, **more):
        place = (MARGIN + left) / A4[0], 1 - (self.top + top) / A4[1]
        self.figure.text(*place, words, va="top", parse_math=False, **more)

    def grid(self, n: int, top: float) -> list[tuple[float, float, float, float]]:
        """Left, top, width and height of n trees below `top`, two side by side."""
        columns = 1 if n == 1 else 2
        rows = -(-n // columns)
        between = 0.2
        width = (self.width - between * (columns - 1)) / columns
        height = (self.height - top - between * (rows - 1)) / rows
        return [
            (
                (i % columns) * (width + between),
                top + (i // columns) * (height + between),
                width,
                height,
            )
            for i in range(n)
        ]


def _letter(label: int) -> str:
    return string.ascii_uppercase[label]


def _draw_map(axes, D, labels, middle) -> None:
    places = plane(D)
    for label in np.unique(labels):
        members = labels == label
        axes.scatter(
            *places[members].T,
            s=16,
            marker=MARKERS[label],
            facecolor=COLOURS[label],
            edgecolor="white",
            linewidth=0.4,
            alpha=0.85,
            zorder=2,
        )
    for label, tree in enumerate(middle):
        axes.scatter(
            *places[tree],
            s=90,
            marker=MARKERS[label],
            facecolor=COLOURS[label],
            edgecolor="black",
            linewidth=1.2,
            zorder=3,
        )
        axes.annotate(
            _letter(label),
            places[tree],
            xytext=(7, 4),
            textcoords="offset points",
            fontsize=10,
            fontweight="bold",
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "linewidth": 0, "alpha": 0.75},
            zorder=4,
        )
    axes.set_aspect("equal", adjustable="datalim")
    consistency = silhouette(D, labels)
    words = "" if np.isnan(consistency) else f"; silhouette {consistency:.2f}"
    axes.set_title(f"Map of the trees; large: medoids{words}", fontsize=8.5, loc="left")
    axes.set_xlabel("edit distance, first axis", fontsize=7.5)
    axes.set_ylabel("edit distance, second axis", fontsize=7.5)
    axes.tick_params(labelsize=7)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _draw_table(figure, page, shares, labels, names, n_variables) -> None:
    """Shares of trees that test a variable, a row per variable, a column per cluster and level."""
    sizes = np.bincount(labels)
    n_levels = int(shares["level"].max()) if len(shares) else 0
    left, gap = 4.75, 0.35
    axes = page.axes(left, gap, page.width - left, 3.0 - gap)
    page.text(left - 1.1, -0.19, "Trees of a cluster that test a variable, %", fontsize=8.5)
    axes.set_axis_off()
    if n_levels == 0:
        axes.text(0, 0.5, "no tree has a test", fontsize=8)
        return
    # By the share of all trees; ties: the variable that comes first.
    weight = shares["share"] * sizes[shares["label"]]
    order = weight.groupby(shares["feature"]).sum().sort_values(ascending=False, kind="stable")
    shown = order.index[:n_variables].tolist()
    block = n_levels + 0.35  # a little room between clusters
    size = min(6.5, 190 / (block * len(sizes)))
    axes.set_xlim(0, block * len(sizes) - 0.35)
    axes.set_ylim(max(len(shown), 6), 0)
    value = shares.set_index(["label", "level", "feature"])["share"]
    for row, feature in enumerate(shown):
        name = shorten(names[feature], 1.0, 7)
        axes.text(-0.2, row + 0.5, name, ha="right", va="center", fontsize=7, parse_math=False)
        for label in range(len(sizes)):
            for level in range(1, n_levels + 1):
                share = float(value.get((label, level, feature), 0.0))
                _cell(axes, label * block + level - 1, row, share, size)
    _draw_heads(axes, len(sizes), n_levels, block)
    if hidden := len(order) - len(shown):
        words = f"and {hidden} further variable{'s' if hidden > 1 else ''}"
        axes.text(0, len(shown) + 0.25, words, va="top", **SMALL, clip_on=False)


def _draw_heads(axes, n_clusters: int, n_levels: int, block: float) -> None:
    """Letters of the clusters above the table, and their levels."""
    above = {"textcoords": "offset points"}
    level = {**above, "xytext": (0, 3), **SMALL}
    for label in range(n_clusters):
        middle = (label * block + n_levels / 2, 0)
        look = {"fontsize": 9, "fontweight": "bold", "color": COLOURS[label]}
        axes.annotate(_letter(label), middle, xytext=(0, 13), ha="center", **above, **look)
        for k in range(1, n_levels + 1):
            word = f"{k}+" if k == LEVELS else str(k)
            axes.annotate(word, (label * block + k - 0.5, 0), ha="center", **level)
    axes.annotate("level", (-0.2, 0), ha="right", annotation_clip=False, **level)


def _cell(axes, x: float, row: int, share: float, size: float) -> None:
    from matplotlib.patches import Rectangle

    grey = 1.0 - 0.8 * share
    axes.add_patch(Rectangle((x, row), 1, 1, facecolor=str(grey), edgecolor="white", linewidth=0.6))
    if share > 0:
        number = f"{100 * share:.0f}" if share >= 0.005 else "<1"
        colour = "white" if share > 0.55 else "black"
        axes.text(x + 0.5, row + 0.5, number, ha="center", va="center", fontsize=size, color=colour)


def _head(page, label, left, top, labels, place, tree) -> None:
    """Letter and size of a cluster, above its medoid."""
    n = int((labels == label).sum())
    n_tests = int((~tree.is_leaf()).sum())
    words = f"{n} of {len(labels)} trees; medoid: tree {place}, {n_tests} "
    words += "test" if n_tests == 1 else "tests"
    axes = page.axes(left, top + 0.02, 0.16, 0.16)
    axes.set_axis_off()
    axes.scatter(
        0, 0, s=60, marker=MARKERS[label], facecolor=COLOURS[label], edgecolor="black", linewidth=1
    )
    page.text(left + 0.26, top + 0.01, _letter(label), fontsize=10, fontweight="bold")
    page.text(left + 0.46, top + 0.03, words, fontsize=8.5)
