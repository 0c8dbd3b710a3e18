"""A drawing of a tree that can be read at the bedside.

Everything is laid out in inches first, with the sizes of the words measured, so that nothing
overlaps: a node stands above the middle of its two children (or, to the right, beside it), whose
subtrees are as near to each other as their boxes of the same level let them be.
A figure of our own has exactly that size; in axes of the user's the drawing is scaled to fit.
"""

from __future__ import annotations

import numpy as np

from hedgerow.checks import LARGEST_COUNT, check_choice, check_number
from hedgerow.drawing.layout import FONT_SIZE, ORIENTATIONS, Options, Plan
from hedgerow.drawing.node_rows import NodeRows
from hedgerow.drawing.path import decision_path_of
from hedgerow.drawing.pen import COLORS, Pen
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.tree.export import check_decimals, class_name, rename_tree, unit_words
from hedgerow.tree.metadata import mapping_of

PURPOSE = "a drawing of a tree"
LARGEST = 100  # leaves drawn when no depth is asked for; more cannot be read
FONT_SIZES = (0.1, 1000.0)  # points; of which a figure can be made


def plot_tree(
    tree,
    ax=None,
    decimals: int = 3,
    max_depth: int | None = None,
    class_colors=None,
    fontsize: float | None = None,
    *,
    class_names=None,
    feature_names=None,
    units=None,
    path=None,
    path_only: bool = False,
    X=None,
    y=None,
    shares: bool = False,
    weights: bool = False,
    orientation: str = "down",
):
    """Draw a tree: tests above, leaves below, each leaf with its class, n and class shares.

    The left branch is the one on which the test holds ("yes"), the right one "no". A stacked bar
    in every leaf shows the shares of the classes in the training weight that reached it.

    Parameters
    ----------
    tree : Tree
    ax : matplotlib Axes or Figure, optional
        Where to draw; in axes the drawing is scaled to fit, a figure becomes as large as the tree
        needs. By default a new figure of that size.
    decimals : int from 0 to 100, or None, default 3
        Digits of thresholds after the first significant one, at least: as many more are drawn as
        tell a threshold from the others of its variable, and from the value of the row in `path`.
        Whole numbers are written in full. None: exactly, as in `Tree.to_text`.
    max_depth : int, optional
        Deepest level drawn; a branch cut there is dashed and says how many leaves it hides. By
        default the whole tree, or as many levels as keep below 100 leaves.
    class_colors : sequence or dict, optional
        A colour for each class: in the order of the classes, or by label. By default the
        palette of Okabe and Ito, with hatches from the third class on.
    fontsize : float, optional
        Points, from 0.1 to 1000; 8 in a figure of our own, whatever fits in axes that are given.
    class_names, feature_names, units : optional
        As in `Tree.to_text`.
    path : (m,) values, Series, or int, optional
        A row, or the number of a node. A Series that has the tree's names is read by them, other
        values by their place. The nodes on the way are drawn strong and the others pale; each test
        on the way of a row says its value and where it goes, with the larger share where a soft
        test or a missing value divides it, and branches are as wide as its share.
    path_only : bool, default False
        Whether what lies off the way is cut to its first node: for trees too large to be drawn.
    X, y : (n, m) array or data frame, and (n,) labels, optional
        Rows whose values are shown at the tests that they reach, as histograms stacked by class, by
        category at tests on categories: with the threshold, the error that a gate allows for
        (shaded), and the value of the row in `path` (triangle).
    shares : bool, default False
        Whether tests have a thin bar of the class shares in training weight too, where they have no
        histogram.
    weights : bool, default False
        Whether branches are as wide as the training weight that takes them; not beside a `path`.
    orientation : {"down", "right"}, default "down"
        Where the tree grows to; to the right, with "yes" above "no", many leaves and long names
        take less room.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        A number of colours that is not that of the classes, a number out of range, names or units
        as `Tree.to_text` says, rows that do not fit the tree, a number that is no node.

    Examples
    --------
    >>> from hedgerow import C45Classifier
    >>> tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]).tree_
    >>> ax = tree.plot()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    >>> ax = tree.plot(path=[2.5], units={0: "mm"})
    >>> ax.texts[2].get_text(), ax.texts[4].get_text()
    ('x0 < 3 mm', 'x0 2.5 mm: yes')
    """
    import_optional("matplotlib.figure", PURPOSE)
    check_decimals(decimals)
    check_choice("orientation", orientation, ORIENTATIONS)
    if fontsize is not None:
        check_number("fontsize", fontsize, *FONT_SIZES)
    if (X is None) != (y is None):
        given, absent = ("X", "y") if y is None else ("y", "X")
        raise InputError(f"{given} is given without {absent}", remedy="give both, or neither")
    if path_only and path is None:
        raise InputError("path_only is True without a path", remedy="give `path`, a row or a node")
    way = decision_path_of(tree, path)
    reached = None if X is None else NodeRows(tree, X, y)
    shown = rename_tree(tree, class_names, feature_names)
    drawn = (way, bool(path_only), reached, bool(shares), bool(weights))
    wish = Options(orientation == "right", unit_words(shown, units), *drawn)
    colors = _colors(tree, shown, class_colors)
    size = FONT_SIZE if fontsize is None else float(fontsize)
    # The way alone is short, however many leaves the tree has.
    depth = tree.depth if path_only and max_depth is None else _depth_to_draw(tree, max_depth)
    plan = Plan(shown, depth, size, decimals, wish)
    ax, scale = _axes(ax, plan)
    points = size * scale if fontsize is None else size
    Pen(ax, shown, plan, colors, points, scale).draw()
    return ax


def _axes(ax, plan: Plan) -> tuple:
    """Axes with a place for all of a plan, and how large it is drawn there."""
    figures, scale = import_optional("matplotlib.figure", PURPOSE), 1.0
    if ax is None:
        ax = import_optional("matplotlib.pyplot", PURPOSE).figure()
    if isinstance(ax, figures.Figure):
        ax.set_size_inches(plan.width, plan.height)
        ax = ax.add_axes((0.0, 0.0, 1.0, 1.0))
    else:
        place = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(place.width / plan.width, place.height / plan.height)
    ax.set_axis_off()
    ax.set_xlim(0.0, plan.width)
    ax.set_ylim(-plan.height, 0.0)
    ax.set_aspect("equal", adjustable="box")
    return ax, scale


def _depth_to_draw(tree, max_depth) -> int:
    check_number("max_depth", max_depth, 0, LARGEST_COUNT, whole=True, optional=True)
    if max_depth is not None:
        return int(max_depth)
    if tree.n_leaves <= LARGEST:
        return tree.depth
    # Boxes at the foot of a drawing that stops at depth d: leaves down to d, and what is cut.
    depth = tree.node_depth
    leaves = np.cumsum(np.bincount(depth[tree.is_leaf()], minlength=tree.depth + 1))
    inner = np.bincount(depth[~tree.is_leaf()], minlength=tree.depth + 1)
    return int(np.flatnonzero(leaves + inner <= LARGEST).max(initial=0))


def legible_depth(tree, width: float, height: float, decimals: int, points: float) -> int:
    """The deepest level down to which a drawing in so many inches can be read, at least 1.

    Returns: for `max_depth` of `plot_tree`.
    """
    depth = _depth_to_draw(tree, None)
    while depth > 1:
        plan = Plan(tree, depth, FONT_SIZE, decimals)
        if FONT_SIZE * min(width / plan.width, height / plan.height) >= points:
            break
        depth -= 1
    return depth


def _colors(tree, shown, given) -> list:
    """A colour for each class; a dict may name classes as the tree does, or as they are shown."""
    if given is None:
        return [COLORS[c % len(COLORS)] for c in range(tree.n_classes)]
    pairs = mapping_of("class_colors", given)
    if pairs is not None:
        by_name = {str(label): color for label, color in pairs.items()}
        colors = []
        for c in range(tree.n_classes):
            names = [class_name(shown, c), class_name(tree, c)]
            named = [name for name in names if name in by_name]
            if not named:
                raise InputError(
                    f"class_colors has no colour for class {names[0]!r}",
                    remedy="give one for each class",
                )
            colors.append(by_name[named[0]])
        return colors
    if len(given) != tree.n_classes:
        raise InputError(
            f"class_colors has {len(given)} entries for {tree.n_classes} classes",
            remedy="give one colour for each class",
        )
    return list(given)
