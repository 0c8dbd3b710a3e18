"""Leaves of a tree as boxes, and what is plausible of them (notes on E2M in docs/methods)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hedgerow.errors import InputError
from hedgerow.evidential.data import EvidentialData
from hedgerow.tree import Tree


@dataclass(frozen=True)
class Box:
    """Values that reach a node: several tests of one attribute are one interval or one set."""

    intervals: dict[int, tuple[float, float]] = field(default_factory=dict)  # low <= x < high
    subsets: dict[int, np.ndarray] = field(default_factory=dict)  # flags of the categories

    def interval(self, j: int) -> tuple[float, float]:
        """Bounds of a numeric attribute, the upper one excluded."""
        return self.intervals.get(j, (-np.inf, np.inf))

    def subset(self, j: int, n_categories: int) -> np.ndarray:
        """Flags of the categories that an attribute may have."""
        return self.subsets.get(j, np.ones(n_categories, dtype=bool))

    def below(self, j: int, threshold: float) -> tuple[Box, Box]:
        """Both sides of a test on a number."""
        low, high = self.interval(j)
        sides = ((low, min(high, threshold)), (max(low, threshold), high))
        return tuple(Box({**self.intervals, j: side}, self.subsets) for side in sides)

    def within(self, j: int, goes_left: np.ndarray) -> tuple[Box, Box]:
        """Both sides of a test on categories."""
        possible = self.subset(j, len(goes_left))
        sides = (possible & goes_left, possible & ~goes_left)
        return tuple(Box(self.intervals, {**self.subsets, j: side}) for side in sides)

    def plausibility(self, data: EvidentialData, without: int = -1) -> np.ndarray:
        """That an instance is in the box: the product over its attributes, (n,) float64.

        without : int
            An attribute that is left out of the product.
        """
        plausibility = np.ones(data.n_rows)
        for j in sorted(set(self.intervals) | set(self.subsets)):
            if j == without:
                continue
            if j in data.possible:
                plausibility *= subset_plausibility(data, j, self.subsets[j])
            else:
                plausibility *= interval_plausibility(data, j, *self.intervals[j])
        return plausibility


def interval_plausibility(data: EvidentialData, j: int, low, high) -> np.ndarray:
    """That a number is in [low, high), (n,); of several intervals, (n_intervals, n).

    0 of an empty one: tests of a path that exclude one another, as below soft tests.
    """
    low, high = np.asarray(low)[..., None], np.asarray(high)[..., None]
    inside = (data.low[:, j] < high) & (data.high[:, j] >= low)
    return np.where(low < high, np.where(inside, 1.0, data.gamma[:, j]), 0.0)


def subset_plausibility(data: EvidentialData, j: int, flags: np.ndarray) -> np.ndarray:
    """That a category is one of those flagged, (n,)."""
    if not flags.any():
        return np.zeros(data.n_rows)
    return data.possible[j][:, flags].max(axis=1)


class ByPlausibility:
    """An attribute's categories of each instance, the most plausible first.

    Parameters
    ----------
    possible : (n, n_categories) float64
    """

    def __init__(self, possible: np.ndarray):
        self.order = np.argsort(-possible, axis=1, kind="stable")
        self.value = np.take_along_axis(possible, self.order, axis=1)

    def of_any(self, flags: np.ndarray) -> np.ndarray:
        """That a category is one of a set, of many sets (n_sets, n_categories): (n_sets, n).

        The first category that a set holds decides. A plain value has two plausibilities, its own
        and that of all others, and so takes two looks however many categories there are.
        """
        plausibility = np.zeros((len(flags), len(self.order)))
        pending = np.repeat(flags.any(axis=1, keepdims=True), len(self.order), axis=1)
        for code, value in zip(self.order.T, self.value.T, strict=True):
            # Where what is left is all alike, any of it may be the one that the set holds.
            decided = pending & (flags[:, code] | (value == self.value[:, -1]))
            np.copyto(plausibility, value, where=decided)
            pending &= ~decided
            if not pending.any():
                break
        return plausibility


def leaf_boxes(tree: Tree) -> dict[int, Box]:
    """The box of each leaf, by its number, in ascending order."""
    boxes, leaves = {0: Box()}, {}
    for node in range(tree.n_nodes):
        box = boxes.pop(node)
        j = int(tree.feature[node])
        if j < 0:
            leaves[node] = box
            continue
        if np.isnan(tree.threshold[node]):
            flags = tree.categories_left[node]
            sides = box.within(
                j, flags[: len(tree.categories[j])] if j in tree.categories else flags
            )
        else:
            sides = box.below(j, float(tree.threshold[node]))
        boxes[int(tree.children_left[node])], boxes[int(tree.children_right[node])] = sides
    return leaves


def check_names(given, expected) -> None:
    """Refuse evidential data whose attributes have other names, or another order."""
    if given is None or expected is None:
        return
    expected = [str(name) for name in expected]
    if given != expected:
        raise InputError(
            f"data have the attributes {given[:5]} and the tree {expected[:5]}",
            remedy="give the attributes that it was grown from, in their order",
        )


def check_fits(tree: Tree, data: EvidentialData) -> None:
    """Refuse data whose attributes are not those of the tree."""
    tree.check_width(data.n_features)
    check_names(data.feature_names, tree.feature_names)
    tests = tree.feature >= 0
    for j in np.unique(tree.feature[tests]):
        categorical = bool(tree.is_categorical()[tree.feature == j].any())
        if categorical != (int(j) in data.possible):
            kinds = ("numbers", "categories")
            raise InputError(
                f"the tree tests attribute {j} for {kinds[categorical]} and the data have "
                f"{kinds[not categorical]}",
                remedy="give the attributes that the tree was grown from",
            )
        labels = tree.categories.get(int(j))
        if categorical and labels != data.categories[int(j)]:
            raise InputError(
                f"attribute {j} has the categories {data.categories[int(j)]} and the tree knows "
                f"{labels}",
                remedy="give data with the categories that the tree was grown from",
            )


def mixture(tree: Tree, data: EvidentialData) -> np.ndarray:
    """Class probabilities of evidential instances, (n, n_classes) float64.

    Proportional to the sum over the leaves of share of the leaf, plausibility of its box and
    probability of the class in it. Where only leaves without a share are plausible, they count
    alike.

    Parameters
    ----------
    tree : Tree
        Any tree; shares are those of its training weight.
    data : EvidentialData
        With the tree's attributes; classes are not read.

    Raises
    ------
    InputError
        Attributes of another number or kind.
    """
    check_fits(tree, data)
    boxes = leaf_boxes(tree)
    nodes = np.array(list(boxes))
    probability = tree.probabilities()[nodes]
    weight = tree.class_weight[nodes].sum(axis=1)
    total = weight.sum()
    weight = weight / total if total > 0 else np.ones(len(nodes))
    plausible = np.stack([box.plausibility(data) for box in boxes.values()])
    mixed = np.einsum("hi,h,hk->ik", plausible, weight, probability)
    empty = mixed.sum(axis=1) <= 0
    if empty.any():
        mixed[empty] = np.einsum("hi,hk->ik", plausible[:, empty], probability)
    return mixed / mixed.sum(axis=1, keepdims=True)


def predict_evidential(tree: Tree, data: EvidentialData) -> np.ndarray:
    """Column of the most probable class of each instance (ties: the first), (n,) int.

    Parameters and errors are those of `mixture`.
    """
    return mixture(tree, data).argmax(axis=1)
