"""What each node of a tree did to one instance, for people."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hedgerow.confidence.intervals import FREQUENCY, Intervals, Rules
from hedgerow.texts import one_line
from hedgerow.tree import Tree
from hedgerow.tree.export import number, share_texts, test_words

DIGITS = 4  # significant ones after the first, at least, of thresholds and values
#: What a node did, in the order of the core.
DONE = ("leaf", "missing", "no interval", "within", "let be", "routes", "fine")


@dataclass(frozen=True)
class Revision:
    """One node that an instance came by.

    Attributes
    ----------
    node : int
    depth : int
        Tests above it.
    test : str
        What holds of instances that go left; empty at a leaf.
    variable : str
        Empty at a leaf.
    value : float, str or None
        Of the instance at this test; None: missing, or at a leaf.
    assigned : label
        Class that the branch below, as corrected, assigned.
    interval : (float, float), tuple of str, or None
        Of that class; at a test on categories those usual in it.
    done : str
        "leaf"; "missing": the value is missing here or at a test above; "no interval" of the
        assigned class; "within": the value is usual; else a doubt: "routes", "fine", or "let be"
        where the settings turn off what would follow, or nothing can.
    others : tuple of labels
        Other classes in whose interval the value lies, where it was doubted.
    left : float
        Share of the instance that goes left, or with "routes" the weight of the left branch.
    before, after : (K,) float64
        Class probabilities that came up, and those that were handed on.
    threshold : float
        NaN at a leaf and at a test on categories.
    """

    node: int
    depth: int
    test: str
    variable: str
    value: float | str | None
    assigned: object
    interval: tuple | None
    done: str
    others: tuple
    left: float
    before: np.ndarray
    after: np.ndarray
    threshold: float = math.nan

    @property
    def is_atypical(self) -> bool:
        """Whether the value is unusual for the assigned class."""
        return self.done in ("let be", "routes", "fine")


@dataclass(frozen=True)
class Revisions:
    """How the probabilities of one instance came about.

    Attributes
    ----------
    classes : list
        Labels, in the order of the probabilities.
    before : (K,) float64
        Probabilities of the tree as it is.
    after : (K,) float64
        Those with all doubts.
    nodes : tuple of Doubt
        From the leaf up, in the order in which they had their say; those of a branch stand before
        the node above it. Of a forest none.
    trees : tuple of Doubts
        Of a forest, those of its trees.
    """

    classes: list
    before: np.ndarray
    after: np.ndarray
    nodes: tuple[Revision, ...]
    trees: tuple[Revisions, ...] = ()

    def __str__(self) -> str:
        lines = []
        for place, tree in enumerate(self.trees):
            lines += [f"tree {place}", *("  " + line for line in str(tree).splitlines())]
        for step in self.nodes:
            lines += _sentences(step, self.classes)
        of = "forest" if self.trees else "tree"
        changed = np.abs(self.after - self.before).max() > 0
        lines.append(f"{of}: {class_shares(self.classes, self.before)}")
        after = class_shares(self.classes, self.after) if changed else "the same"
        lines.append(f"with doubts: {after}")
        return "\n".join(map(one_line, lines))  # names and labels may hold breaks


def class_shares(classes: list, share: np.ndarray) -> str:
    """Probabilities by falling size; those that are written as 0 are left out."""
    order = np.argsort(-share, kind="stable")
    shown = [c for c in order if share[c] >= 5e-4]
    texts = share_texts(share[shown], 3)
    return ", ".join(f"{classes[c]} {text}" for c, text in zip(shown, texts, strict=True))


def _sentences(step: Revision, classes: list) -> list[str]:
    indent = "  " * step.depth
    if step.done == "leaf":
        return [f"{indent}leaf {step.node}: {class_shares(classes, step.before)}"]
    head = f"{indent}node {step.node}, {step.test}: "
    if step.done == "missing":
        what = "is missing" if step.value is None else "follows a missing value"
        return [f"{head}{step.variable} {what}, nothing is doubted"]
    ends = [end for end in step.interval or () if not isinstance(end, str)]
    value_text, neighbours = step.value, ends
    if not isinstance(value_text, str):
        neighbours = [*ends, value_text]
        value_text = number(value_text, apart=[step.threshold, *ends])
    head += f"{step.variable} = {value_text} "
    if step.done == "no interval":
        return [f"{head}meets no interval of {step.assigned}, nothing is doubted"]
    if isinstance(step.interval[0] if step.interval else "", str):
        usual = "{" + ", ".join(step.interval) + "}"
    else:
        usual = "[" + ", ".join(number(end, apart=neighbours) for end in ends) + "]"
    if step.done == "within":
        return [f"{head}is usual in {step.assigned} {usual}"]
    head += f"is unusual in {step.assigned} {usual}"
    others = ", ".join(map(str, step.others))
    head += f", usual in {others}" if step.others else " and in all other classes"
    after = class_shares(classes, step.after)
    branches = f"both branches, left {step.left:.3f} and right {1.0 - step.left:.3f}"
    if step.left in (0.0, 1.0):
        branches = f"all of its weight is on the {'left' if step.left else 'right'} branch"
    follows = {
        "let be": "nothing follows",
        "fine": f"{step.assigned} pays a fine: {after}",
        "routes": f"{branches}: {after}",
    }
    return [head, f"{indent}    {follows[step.done]}"]


def revisions_of(
    tree: Tree,
    intervals: Intervals,
    table: np.ndarray,
    rules: Rules,
    smoothing: bool,
    classes: list,
    names: list[str],
) -> Revisions:
    """The doubts of a single row.

    smoothing: laplace-smoothed leaves.
    """
    traced = intervals.correction(tree, table.shape[1], smoothing, rules).trace(table)
    named = tree if tree.feature_names is not None else tree.replace(feature_names=names)
    depth = tree.node_depth
    steps = []
    for node, did, assigned, x, left, before, after in zip(*traced, strict=True):
        node, j, done = int(node), int(tree.feature[node]), DONE[did]
        leaf = done == "leaf"
        atypical = done in ("let be", "routes", "fine")
        steps.append(
            Revision(
                node,
                int(depth[node]),
                "" if leaf else test_words(named, node, DIGITS, value=float(x))[0],
                "" if leaf else named.feature_names[j],
                None if leaf else shown_value(tree, j, float(x)),
                classes[assigned],
                _usual(tree, intervals, node, assigned) if atypical or done == "within" else None,
                done,
                tuple(
                    classes[c]
                    for c in range(len(classes))
                    if atypical and c != assigned and _is_other(intervals, node, c, x)
                ),
                float(left),
                before.copy(),
                after.copy(),
                float(tree.threshold[node]),
            )
        )
    plain = tree.predict_proba(table, smoothing=smoothing)[0]
    return Revisions(list(classes), plain, steps[-1].after, tuple(steps))


def shown_value(tree: Tree, j: int, x: float) -> float | str | None:
    """Of a variable: a number, or the name of a category; None where it is missing."""
    if np.isnan(x):
        return None
    if j not in tree.categories and not (tree.is_categorical() & (tree.feature == j)).any():
        return x
    labels = tree.categories.get(j)
    if labels is None:
        return str(int(x))
    has_label = 0 <= x < len(labels) and x == int(x)
    return str(labels[int(x)]) if has_label else "a new category"


def _usual(tree: Tree, intervals: Intervals, node: int, c: int) -> tuple:
    """Interval of an assigned class, or the categories usual in it."""
    if intervals.source[node] != FREQUENCY:
        return tuple(map(float, intervals.assigned_interval[node, c]))
    usual = np.flatnonzero(intervals.inside[intervals.place[node], c] & 1)
    labels = tree.categories.get(int(tree.feature[node]))
    usual = usual if labels is None else usual[usual < len(labels)]
    return tuple(str(v) if labels is None else str(labels[v]) for v in usual)


def _is_other(intervals: Intervals, node: int, c: int, x: float) -> bool:
    """Whether a value is usual in a class that was not assigned."""
    if intervals.source[node] != FREQUENCY:
        low, high = intervals.other[node, c]
        return bool(low <= x <= high)
    inside = intervals.inside[intervals.place[node], c]
    return bool(0 <= x < len(inside) and inside[int(x)] & 2)
