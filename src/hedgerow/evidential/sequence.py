"""Trees of successive splits: best-first growth cut out of a grown tree, pruning along it."""

from __future__ import annotations

import numpy as np

from hedgerow.checks import LARGEST, LARGEST_COUNT, check_choice, check_number
from hedgerow.errors import InputError
from hedgerow.tree import Tree

SLACK = 1e-9  # gains and error rates that differ by less are alike


def entropy(counts: np.ndarray) -> np.ndarray:
    """Entropy in bits of class counts along the last axis; 0 without any."""
    total = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return -(share * np.log2(share, out=np.zeros_like(share), where=share > 0)).sum(axis=-1)


def gini(counts: np.ndarray) -> np.ndarray:
    """Gini index of class counts along the last axis; 0 without any."""
    total = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return np.where(total[..., 0] > 0, 1.0 - (share**2).sum(axis=-1), 0.0)


#: Impurity that a criterion of C4.5 lowers.
IMPURITIES = {"information_gain": entropy, "gini": gini}


def best_first(
    tree: Tree,
    max_leaves: int = 10,
    min_gain: float = 0.05,
    min_share_gain: float = 1e-3,
    criterion: str = "information_gain",
) -> list[Tree]:
    """The trees that best-first growth passes through, out of a tree grown to its end.

    Which test is best at a node depends on nothing outside the node, so that growing best-first
    and stopping is the same as growing all and dividing leaf after leaf.

    Parameters
    ----------
    tree : Tree
        Grown by `criterion` and not pruned (CART: `C45Classifier(prune=False,
        min_samples_split=2, criterion="gini")`).
    max_leaves : int, default 10
    min_gain : float, default 0.05
        Least gain of a test, as a share of the impurity of its node. Of the leaves whose test has
        it, the one with the largest weight x gain is divided next (ties: the lower node).
    min_share_gain : float, default 0.001
        Least gain of a test times the share of the rows at its node.
    criterion : {"information_gain", "gini"}, default "information_gain"
        Which impurity a test lowers, entropy in bits or the Gini index.

    Returns
    -------
    list of Tree
        From the root alone to the largest, each with one leaf more than the one before.

    Raises
    ------
    InputError
    """
    check_growth(max_leaves, min_gain, min_share_gain)
    check_choice("criterion", criterion, tuple(IMPURITIES))
    inner = np.flatnonzero(tree.feature >= 0)
    weight = tree.class_weight.sum(axis=1)
    impurity = IMPURITIES[criterion](tree.class_weight)
    total = weight * impurity
    gain = np.zeros(tree.n_nodes)
    gain[inner] = (
        total[inner] - total[tree.children_left[inner]] - total[tree.children_right[inner]]
    )
    enough = (gain > SLACK) & (gain >= (min_gain - SLACK) * total)
    enough &= gain >= min_share_gain * weight[0] - SLACK
    divided: list[int] = []
    leaves, trees = [0], [prefix(tree, [])]
    while len(leaves) < max_leaves:
        open_ = [node for node in leaves if tree.feature[node] >= 0 and enough[node]]
        if not open_:
            break
        best = open_[0]
        for node in open_[1:]:
            if gain[node] > gain[best] + SLACK:
                best = node
        divided.append(best)
        place = leaves.index(best)
        leaves[place : place + 1] = [int(tree.children_left[best]), int(tree.children_right[best])]
        trees.append(prefix(tree, divided))
    return trees


def check_growth(max_leaves, min_gain, min_share_gain) -> None:
    """Refuse bounds that no growth has."""
    check_number("max_leaves", max_leaves, 1, LARGEST_COUNT, whole=True)
    check_number("min_gain", min_gain, 0.0, 1.0)
    check_number("min_share_gain", min_share_gain, 0.0, LARGEST)


def prefix(tree: Tree, divided: list[int]) -> Tree:
    """The tree in which only these nodes are tests."""
    kept, stack = [], [0]
    while stack:
        node = stack.pop()
        kept.append(node)
        if node in divided:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    place = np.full(tree.n_nodes + 1, -1)  # the last for "none"
    place[kept] = np.arange(len(kept))
    arrays = {name: array[kept].copy() for name, array in tree.arrays().items()}
    test = np.isin(kept, divided)
    arrays["feature"][~test] = -1
    for name in ("threshold", "center", "share_left"):
        arrays[name][~test] = np.nan
    arrays["categories_left"][~test] = 0
    for name in ("children_left", "children_right"):
        arrays[name] = np.where(test, place[arrays[name]], -1)
    arrays["parent"] = place[arrays["parent"]]
    metadata = ("classes", "feature_names", "categories")
    return Tree(**arrays, **{name: getattr(tree, name) for name in metadata})


def pick_tree(errors) -> int:
    """Place of the smallest error in a sequence of trees (ties: the tree with fewer leaves).

    errors : sequence of float, in the order of the trees; NaN, an error that nothing tells, is
    above all others, and where all are NaN the first is taken.

    Raises
    ------
    InputError
    """
    errors = np.asarray(errors, dtype=np.float64)
    if errors.ndim != 1 or len(errors) == 0:
        raise InputError("errors is no list of numbers", remedy="give one error for each tree")
    filled = np.where(np.isnan(errors), np.inf, errors)
    return int(np.argmax(filled <= filled.min() + SLACK))
