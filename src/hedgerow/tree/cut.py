"""Trees cut by hand: nodes that become leaves, and tests that decide nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.tree.gates import AnyGate, ThresholdGate
from hedgerow.tree.tree import Tree

#: Statistics with an entry for each node, and those among them that are of its test.
_OF_NODES = ("weight", "class_weight")
_OF_TESTS = ("n", "mean", "sd", "normality_p", "iqr")


def snip(tree: Tree, nodes: Iterable[int]) -> Tree:
    """The tree with these nodes as leaves; what is below them goes.

    Parameters
    ----------
    tree : Tree
    nodes : iterable of int
        Numbers of nodes. A leaf stays one; a node below another one of them goes with the rest.

    Returns
    -------
    Tree
        Renumbered in preorder. A leaf predicts by its ``class_weight``, the training weight that
        reached it. Names and gate stay, and so do statistics of the nodes that are left.

    Raises
    ------
    InputError
        A number that is no node.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier
    >>> iris = load_iris()
    >>> tree = C45Classifier().fit(iris.data, iris.target).tree_
    >>> tree, snip(tree, [2])
    (Tree(4 leaves, depth 3), Tree(2 leaves, depth 1))
    """
    is_leaf = tree.is_leaf()
    for node in nodes:
        if (
            isinstance(node, bool | np.bool_)
            or not isinstance(node, Integral)
            or not 0 <= node < tree.n_nodes
        ):
            raise InputError(
                f"{node!r} is no node of the tree",
                remedy=f"give numbers of nodes, from 0 to {tree.n_nodes - 1}, as `to_frame` has "
                "them",
            )
        is_leaf[node] = True
    order = _preorder(tree, is_leaf)
    leaf = is_leaf[order]
    place = np.full(tree.n_nodes + 1, -1)  # the last is that of -1, no node
    place[order] = np.arange(len(order))
    arrays = {name: array[order] for name, array in tree.arrays().items()}
    for name in ("children_left", "children_right", "parent"):
        arrays[name] = place[arrays[name]]
    # Leaves as growth leaves them.
    for name in ("feature", "children_left", "children_right"):
        arrays[name][leaf] = -1
    for name in ("threshold", "center", "share_left"):
        arrays[name][leaf] = np.nan
    arrays["categories_left"][leaf] = 0
    classes = tree.classes
    return Tree(
        **arrays,
        gate=_cut_gate(tree.gate, order, leaf),
        # Each label as it is: an array of numbers and texts would make texts of all.
        classes=None if classes is None else np.fromiter(classes, object, len(classes)),
        feature_names=tree.feature_names,
        categories=tree.categories,
        statistics=_cut_statistics(tree.statistics, order, leaf),
    )


def simplify(tree: Tree) -> Tree:
    """The tree without tests that decide nothing: sister leaves of one class become one.

    Growth leaves such tests, as the probabilities below them differ where the class does not.

    Returns: no two sister leaves have the same class (the lower one at a tie, as in `predict`),
    unless the node above them, by weights that are no sum of theirs, would answer otherwise. Rows
    whose values are known get the class that they had, where no gate divides them.
    """
    answer = tree.probabilities().argmax(axis=1)
    one_class = tree.is_leaf()
    for node in np.flatnonzero(~one_class)[::-1]:  # a child has a higher number than its parent
        below = [tree.children_left[node], tree.children_right[node]]
        one_class[node] = one_class[below].all() and (answer[below] == answer[node]).all()
    return snip(tree, np.flatnonzero(one_class).tolist())


def _preorder(tree: Tree, is_leaf: np.ndarray) -> np.ndarray:
    """Nodes from the root on, left branches first, nothing below a leaf."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if not is_leaf[node]:
            waiting += [int(tree.children_right[node]), int(tree.children_left[node])]
    return np.array(order)


def _cut_gate(gate: AnyGate | None, order: np.ndarray, leaf: np.ndarray) -> AnyGate | None:
    """A gate for the nodes that are left; those of variables know no nodes."""
    if not isinstance(gate, ThresholdGate):
        return gate
    bounds = {name: np.asarray(getattr(gate, name))[order] for name in ("lower", "upper")}
    return replace(gate, **{name: np.where(leaf, np.nan, b) for name, b in bounds.items()})


def _cut_statistics(statistics: dict | None, order: np.ndarray, leaf: np.ndarray) -> dict | None:
    if statistics is None:
        return None
    cut: dict[str, Any] = dict(statistics)
    for name in (*_OF_NODES, *_OF_TESTS):
        cut[name] = np.asarray(statistics[name])[order]
    for name in _OF_TESTS:
        cut[name] = cut[name].astype(np.float64)
        cut[name][leaf] = np.nan
    return cut
