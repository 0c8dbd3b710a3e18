"""Other forms of a tree: data frames, text rules, Graphviz."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import LARGEST_COUNT, check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.texts import one_line
from hedgerow.tree.metadata import names_of, variables_of

if TYPE_CHECKING:
    import pandas as pd

MOST_DECIMALS = 100
MOST_PLACES = 4  # of a share, behind the point
_EXACT = 17  # significant digits that tell every 64-bit float from its neighbours
_SHORTER = 5  # digits by which a number is shorter than the next one, to be written in its place
_LARGEST_IN_FULL = 1e16  # from here on floats have gaps of 2 and more
_ROUNDING = 1e-12  # what sums of shares are off by
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
    pd = import_optional("pandas", "a tree as a data frame")
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
    return one_line(names[feature]) if names is not None else f"x{feature}"


def rename_tree(tree, class_names=None, feature_names=None):
    """The tree with other names of its classes and variables; itself without any.

    class_names : sequence of str, one for each class in the order of the codes, a mapping of labels
        to names, or None
    feature_names : sequence of str, one for each variable, a mapping of names to others, or None
    """
    changes = {}
    if class_names is not None:
        classes = range(tree.n_classes) if tree.classes is None else tree.classes
        if isinstance(class_names, str):
            class_names = [class_names]
        names = names_of("class_names", class_names, classes)
        if len(names) != tree.n_classes:
            raise InputError(
                f"class_names holds {len(names)} names for {tree.n_classes} classes",
                remedy="give one for each class, in the order of `classes_`",
            )
        changes["classes"] = [str(name) for name in names]
    if feature_names is not None:
        if isinstance(feature_names, str):
            feature_names = [feature_names]
        variables = variables_of(tree.feature_names, tree.feature, feature_names)
        names = list(names_of("feature_names", feature_names, variables))
        least = int(tree.feature.max()) + 1
        if len(names) < least or (tree.feature_names and len(names) != len(tree.feature_names)):
            raise InputError(
                f"feature_names holds {len(names)} names for "
                f"{len(tree.feature_names or range(least))} variables",
                remedy="give one for each variable, in their order",
            )
        changes["feature_names"] = names
    return tree.replace(**changes) if changes else tree


def unit_words(tree, units) -> dict[int, str]:
    """Variable -> its unit with a blank before it, as it stands behind a number.

    units : dict of name or number of a variable to a text, or None
    """
    if units is None:
        return {}
    names = tree.feature_names or []
    by_variable = {}
    for key, unit in dict(units).items():
        j = names.index(key) if isinstance(key, str) and key in names else key
        n_variables = len(names) or LARGEST_COUNT
        if isinstance(j, bool) or not isinstance(j, Integral) or not 0 <= int(j) < n_variables:
            raise InputError(
                f"units names {key!r}, which is no variable of the tree",
                remedy="give the names of variables, or their numbers",
            )
        unit = one_line(str(unit))
        by_variable[int(j)] = unit if unit in ("%", "°") else f" {unit}"
    return by_variable


def class_name(tree, code: int) -> str:
    """Label of a class as it can be shown, its code where the tree knows none."""
    return one_line(str(tree.classes[code])) if tree.classes is not None else str(code)


def check_decimals(decimals: int | None) -> None:
    """Refuse more digits than a number can be written with."""
    if decimals is not None:
        check_number("decimals", decimals, 0, MOST_DECIMALS, whole=True)


# -- numbers ----------------------------------------------------------------------------


def number(value: float, decimals: int | None = 4, apart: Iterable[float] = ()) -> str:
    """A number for people: the digits that are shown of every threshold, value and weight.

    Whole numbers are written in full, and so is what stands before the decimal point. Rounding
    keeps the order of numbers, so numbers that differ also read as the smaller or the larger one.

    decimals : significant digits after the first, at least; None: as many as give back the same
        number when they are read
    apart : numbers shown beside it; digits are added until it reads otherwise than each of those
        that differ from it
    """
    if not math.isfinite(value):
        return str(value)
    if decimals is None:
        return _digits(value, _EXACT) if _in_full(value) else repr(float(value))
    others = [other for other in apart if math.isfinite(other) and other != value]
    for digits in range(decimals + 1, _EXACT):
        text = _digits(value, digits)
        if all(_digits(other, digits) != text for other in others):
            return text
    return _digits(value, max(decimals + 1, _EXACT))


def _in_full(value: float) -> bool:
    return abs(value) < _LARGEST_IN_FULL and value == int(value)


def _digits(value: float, digits: int) -> str:
    """So many significant digits, but whole numbers and what is before the point in full."""
    if _in_full(value):
        return str(int(value))
    if abs(value) >= _LARGEST_IN_FULL:
        return f"{value:.{digits}g}"
    return f"{value:.{max(digits, len(str(abs(int(value)))))}g}"


def threshold_number(
    tree, variable: int, threshold: float, decimals: int | None = 4, value: float | None = None
) -> str:
    """A threshold, with digits that distinguish it from others of its variable and from a value.

    decimals : as of `number`
    """
    of_variable = tree.sorted_thresholds[variable]
    place = int(np.searchsorted(of_variable, threshold))
    # Rounding keeps the order, so the two next to it decide.
    apart = [*of_variable[max(place - 1, 0) : place], *of_variable[place + 1 : place + 2]]
    return number(threshold, decimals, apart if value is None else [*apart, value])


def threshold_words(
    tree, variable: int, threshold: float, decimals: int | None = 4, value: float | None = None
) -> tuple[str, str, str]:
    """Signs of the left and of the right branch, and the number behind them.

    They are < and >=, but <= and > where the next lower number is the shorter one: of a tree whose
    tests send a value on the threshold to the left.
    """
    below = math.nextafter(threshold, -math.inf)
    goes_left = len(repr(below)) + _SHORTER < len(repr(threshold))
    number_ = below if goes_left else threshold
    at = threshold_number(tree, variable, number_, decimals, value)
    return ("<=", ">", at) if goes_left else ("<", ">=", at)


def share_texts(shares: Iterable[float], decimals: int = 2) -> list[str]:
    """Shares of one whole, with the same number of decimals: 0.00 and 1.00 are none and all.

    A share near 0 or 1 gets more decimals, and from the fifth on reads <0.0001 or >0.9999.

    decimals : at least
    """
    shares = [0.0 if p < _ROUNDING else 1.0 if p > 1.0 - _ROUNDING else float(p) for p in shares]
    divided = [p not in (0.0, 1.0) for p in shares]
    for places in range(decimals, MOST_PLACES + 1):
        texts = [f"{p:.{places}f}" for p in shares]
        if divided == [float(text) not in (0.0, 1.0) for text in texts]:
            return texts
    least = 10.0**-MOST_PLACES
    ends = {0.0: f"<{least:.{MOST_PLACES}f}", 1.0: f">{1.0 - least:.{MOST_PLACES}f}"}
    return [
        ends.get(float(text), text) if between else text
        for text, between in zip(texts, divided, strict=True)
    ]


# -- tests and leaves -------------------------------------------------------------------


def test_words(
    tree, node: int, decimals: int | None = None, units=None, value: float | None = None
) -> tuple[str, str]:
    """The conditions of the left and of the right branch, in words.

    decimals, value : as of `threshold_number`
    units : dict, as `unit_words` gives it
    """
    j = int(tree.feature[node])
    name = feature_name(tree, j)
    if not np.isnan(tree.threshold[node]):
        left, right, at = threshold_words(tree, j, float(tree.threshold[node]), decimals, value)
        at += (units or {}).get(j, "")
        return f"{name} {left} {at}", f"{name} {right} {at}"
    labels = tree.categories.get(int(tree.feature[node]))
    flags = tree.categories_left[node]
    codes = range(len(labels)) if labels is not None else range(len(flags))
    words = [one_line(str(labels[c])) if labels is not None else str(c) for c in codes]
    left = ", ".join(w for w, c in zip(words, codes, strict=True) if flags[c])
    right = ", ".join(w for w, c in zip(words, codes, strict=True) if not flags[c])
    return f"{name} in {{{left}}}", f"{name} in {{{right}}}"


def leaf_words(tree, node: int, decimals: int = 3, shares=None) -> str:
    """Prediction, weight and class shares of a leaf, in words.

    `shares` are ``tree.probabilities()``, for callers that ask for many leaves.
    """
    share = (tree.probabilities() if shares is None else shares)[node]
    weight = number(float(tree.class_weight[node].sum()), decimals)
    mix = ", ".join(f"{class_name(tree, c)} {p}" for c, p in enumerate(share_texts(share)))
    return f"{class_name(tree, int(share.argmax()))} (n = {weight}: {mix})"


def to_text(
    tree, decimals: int | None = None, class_names=None, feature_names=None, units=None
) -> str:
    """Readable rules: one line per branch, leaves say class, weight and shares."""
    check_decimals(decimals)
    tree = rename_tree(tree, class_names, feature_names)
    of_variable = unit_words(tree, units)
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
            left, right = test_words(tree, node, decimals, of_variable)
            stack.append((int(tree.children_right[node]), depth + 1, right))
            stack.append((int(tree.children_left[node]), depth + 1, left))
    return "\n".join(lines) + "\n"


def to_dot(
    tree, decimals: int | None = None, class_names=None, feature_names=None, units=None
) -> str:
    """Graphviz source; the left branch is the one on which the test holds."""
    check_decimals(decimals)
    tree = rename_tree(tree, class_names, feature_names)
    of_variable = unit_words(tree, units)

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
        lines.append(
            f"  {node} [label={quoted(test_words(tree, node, decimals, of_variable)[0])}];"
        )
        lines.append(f'  {node} -> {tree.children_left[node]} [label="yes"];')
        lines.append(f'  {node} -> {tree.children_right[node]} [label="no"];')
    lines.append("}")
    return "\n".join(lines) + "\n"
