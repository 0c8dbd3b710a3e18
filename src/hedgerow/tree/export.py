"""Other forms of a tree: data frames, text rules, Graphviz."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import check_number
from hedgerow.errors import InputError
from hedgerow.optional import needed
from hedgerow.texts import legible

if TYPE_CHECKING:
    import pandas as pd

MOST_DECIMALS = 100
_SINGLE = (
    "feature",
    "threshold",
    "center",
    "children_left",
    "children_right",
    "parent",
    "share_left",
)


def tree_to_frame(tree) -> pd.DataFrame:
    """One row per node, ascending: the arrays as columns.

    Class weights are ``weight_<class code>``, the categories that go left
    ``category_<code>``.
    """
    pd = needed("pandas", "a tree as a data frame")
    columns = {"node": np.arange(tree.n_nodes, dtype=np.int32)}
    for name in _SINGLE:
        columns[name] = getattr(tree, name)
    for c in range(tree.n_classes):
        columns[f"weight_{c}"] = tree.class_weight[:, c]
    for c in range(tree.categories_left.shape[1]):
        columns[f"category_{c}"] = tree.categories_left[:, c]
    return pd.DataFrame(columns)


# -- words ------------------------------------------------------------------------------


def feature_name(tree, feature: int) -> str:
    """Name of a variable as it can be shown, ``x<number>`` where the tree knows none."""
    names = tree.feature_names
    return legible(names[feature]) if names is not None else f"x{feature}"


def named_classes(tree, class_names):
    """The tree with other names of its classes; itself without any.

    class_names : sequence of str, one for each class in the order of the codes, or None
    """
    if class_names is None:
        return tree
    names = [class_names] if isinstance(class_names, str) else list(class_names)
    if len(names) != tree.n_classes:
        raise InputError(
            f"class_names holds {len(names)} names for {tree.n_classes} classes",
            remedy="give one for each class, in the order of `classes_`",
        )
    return tree.replace(classes=[str(name) for name in names])


def class_name(tree, code: int) -> str:
    """Label of a class as it can be shown, its code where the tree knows none."""
    return legible(str(tree.classes[code])) if tree.classes is not None else str(code)


def check_decimals(decimals: int) -> None:
    """Refuse more digits than a number can be written with."""
    check_number("decimals", decimals, 0, MOST_DECIMALS, whole=True)


def number(value: float, decimals: int = 4) -> str:
    """A number as a person writes it: at most `decimals` significant digits after the first."""
    if not math.isfinite(value):
        return str(value)
    return f"{value:.{decimals + 1}g}"


def test_words(tree, node: int, decimals: int = 4) -> tuple[str, str]:
    """The conditions of the left and of the right branch, in words."""
    name = feature_name(tree, int(tree.feature[node]))
    if not np.isnan(tree.threshold[node]):
        at = number(float(tree.threshold[node]), decimals)
        return f"{name} < {at}", f"{name} >= {at}"
    labels = tree.categories.get(int(tree.feature[node]))
    flags = tree.categories_left[node]
    known = range(len(labels)) if labels is not None else range(len(flags))
    words = [legible(str(labels[c])) if labels is not None else str(c) for c in known]
    left = ", ".join(w for w, c in zip(words, known, strict=True) if flags[c])
    right = ", ".join(w for w, c in zip(words, known, strict=True) if not flags[c])
    return f"{name} in {{{left}}}", f"{name} in {{{right}}}"


def leaf_words(tree, node: int, decimals: int = 3, shares=None) -> str:
    """Prediction, weight and class shares of a leaf, in words.

    `shares` are ``tree.probabilities()``, for callers that ask for many leaves.
    """
    share = (tree.probabilities() if shares is None else shares)[node]
    weight = number(float(tree.class_weight[node].sum()), decimals)
    mix = ", ".join(f"{class_name(tree, c)} {p:.2f}" for c, p in enumerate(share))
    return f"{class_name(tree, int(share.argmax()))} (n = {weight}: {mix})"


def to_text(tree, decimals: int = 4, class_names=None) -> str:
    """Readable rules: one line per branch, leaves say class, weight and shares."""
    check_decimals(decimals)
    tree = named_classes(tree, class_names)
    if tree.feature[0] < 0:
        return leaf_words(tree, 0) + "\n"
    shares = tree.probabilities()
    lines: list[str] = []
    stack: list[tuple[int, int, str | None]] = [(0, 0, None)]
    while stack:
        node, depth, words = stack.pop()
        if words is not None:
            lead = "|   " * (depth - 1) + words
            leaf = tree.feature[node] < 0
            lines.append(lead + (": " + leaf_words(tree, node, shares=shares) if leaf else ""))
        if tree.feature[node] >= 0:
            left, right = test_words(tree, node, decimals)
            stack.append((int(tree.children_right[node]), depth + 1, right))
            stack.append((int(tree.children_left[node]), depth + 1, left))
    return "\n".join(lines) + "\n"


def to_dot(tree, decimals: int = 4, class_names=None) -> str:
    """Graphviz source; the left branch is the one on which the test holds."""
    check_decimals(decimals)
    tree = named_classes(tree, class_names)

    def quoted(text: str) -> str:
        # Graphviz reads entities such as &lt; in every label.
        escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'

    shares = tree.probabilities()
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded", fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for node in range(tree.n_nodes):
        if tree.feature[node] < 0:
            lines.append(f"  {node} [label={quoted(leaf_words(tree, node, shares=shares))}];")
            continue
        lines.append(f"  {node} [label={quoted(test_words(tree, node, decimals)[0])}];")
        lines.append(f'  {node} -> {tree.children_left[node]} [label="yes"];')
        lines.append(f'  {node} -> {tree.children_right[node]} [label="no"];')
    lines.append("}")
    return "\n".join(lines) + "\n"
