"""A tree as one of scikit-learn's, with all that reads those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import check_choice, check_flag, check_number
from hedgerow.errors import InputError, warn_user
from hedgerow.exchange.branches import check_hard, labels_of, name_of
from hedgerow.tree import Tree
from hedgerow.tree.validation import MOST_VARIABLES

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


def to_sklearn(
    tree: Tree,
    n_features: int | None = None,
    *,
    candidates: str = "values",
    smoothing: bool = False,
) -> DecisionTreeClassifier:
    """The tree as a fitted classifier of scikit-learn.

    Its test is ``x <= t`` on 32-bit floats, ours ``x < t`` on 64-bit floats. scikit-learn rounds
    each value to 32 bits, so the threshold t is rounded as well, and the test becomes ``x <=`` the
    32-bit float before it. Rounding keeps the order of numbers: a value goes the same way unless it
    is below t and becomes the same 32-bit float as t. Then it goes right.

    A missing value goes whole to the heavier side, to the right where both are equally heavy, as
    scikit-learn itself does where training had none. That is what this tree does where
    ``share_left`` is 0 or 1; otherwise it divides the row, which scikit-learn's cannot.

    Parameters
    ----------
    tree : Tree
        With tests on numbers, and no gate that divides rows.
    n_features : int, optional
        Number of variables of the data; by default that of the names or, without names, the
        highest tested one and those before it.
    candidates : {"values", "midpoints"}, default "values"
        What the thresholds are, as in `C45Classifier`: observed values, which a training row may
        be equal to, or half-way between two of them, which none is. A midpoint that is rounded
        down to 32 bits has become the value below it, which goes left, so that the test is then
        ``x <=`` the rounded midpoint.
    smoothing : bool, default False
        Laplace-smoothed leaves, as in `Tree.predict_proba`.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        ``predict``, ``predict_proba``, ``apply`` and ``decision_path`` work, as do libraries that
        read its ``tree_``. `fit` retrains it.

    Raises
    ------
    InputError
        A test on categories, a gate that divides rows, another number of variables than of names.

    Warns
    -----
    HedgerowWarning
        32 bits cannot tell some values of a variable apart: two thresholds become one, a threshold
        becomes 0 or infinite, or it is a whole number above 2^24 and the one below it becomes the
        same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import export_text
    >>> from hedgerow import C45Classifier
    >>> iris = load_iris()
    >>> tree = C45Classifier(max_depth=1).fit(iris.data, iris.target).tree_
    >>> print(export_text(tree.to_sklearn()), end="")
    |--- feature_2 <= 3.00
    |   |--- class: 0
    |--- feature_2 >  3.00
    |   |--- class: 1
    """
    from sklearn.tree import DecisionTreeClassifier

    check_choice("candidates", candidates, ("values", "midpoints"))
    check_flag("smoothing", smoothing)
    _check_numeric(tree)
    check_hard(tree, "scikit-learn's tree")
    _warn_of_rounding(tree)
    classifier = DecisionTreeClassifier()
    classifier.n_features_in_ = _width(tree, n_features)
    classifier.n_classes_ = tree.n_classes
    classifier.classes_ = _label_array(labels_of(tree))
    classifier.n_outputs_ = 1
    classifier.max_features_ = classifier.n_features_in_
    if tree.feature_names is not None:
        classifier.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    last_left = _last_left(tree.threshold, midpoints=candidates == "midpoints")
    classifier.tree_ = _structure(tree, classifier.n_features_in_, last_left, smoothing)
    return classifier


def _structure(tree: Tree, n_features: int, threshold: np.ndarray, smoothing: bool):
    """The arrays of scikit-learn's tree; rows of at most `threshold` go left."""
    from sklearn.tree import _tree

    shares = tree.probabilities(smoothing)
    inner = ~tree.is_leaf()
    nodes = np.zeros(tree.n_nodes, dtype=_tree.NODE_DTYPE)
    nodes["left_child"] = tree.children_left  # -1 at leaves there as well
    nodes["right_child"] = tree.children_right
    nodes["feature"] = np.where(inner, tree.feature, _tree.TREE_UNDEFINED)
    nodes["threshold"] = np.where(inner, threshold, _tree.TREE_UNDEFINED)
    nodes["impurity"] = 1.0 - (shares**2).sum(axis=1)
    weight = tree.class_weight.sum(axis=1)
    nodes["n_node_samples"] = np.rint(np.minimum(weight, 2.0**62))
    nodes["weighted_n_node_samples"] = weight
    nodes["missing_go_to_left"] = inner & (tree.share_left > 0.5)
    structure = _tree.Tree(n_features, np.array([tree.n_classes], dtype=np.intp), 1)
    structure.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": tree.n_nodes,
            "nodes": nodes,
            "values": np.ascontiguousarray(shares[:, None, :]),
        }
    )
    return structure


def _rounded(threshold: np.ndarray) -> np.ndarray:
    """Each threshold as the 32-bit float that scikit-learn makes of an equal value."""
    with np.errstate(over="ignore"):  # beyond all 32-bit floats: infinite
        return threshold.astype(np.float32)


def _last_left(threshold: np.ndarray, midpoints: bool) -> np.ndarray:
    """The largest 32-bit float that goes left at each threshold, NaN where there is none."""
    near = _rounded(threshold)
    before = np.nextafter(near, np.float32(-np.inf))
    # Where both values beside a midpoint become one 32-bit float, neither choice tells them apart.
    return np.where(near < threshold, near, before) if midpoints else before


def _warn_of_rounding(tree: Tree) -> None:
    """One warning of the variables with values that 32 bits cannot tell apart."""
    reasons = {j: _unresolved(tree, j) for j in np.unique(tree.feature[tree.feature >= 0]).tolist()}
    reasons = {j: reason for j, reason in reasons.items() if reason}
    if reasons:
        first, reason = next(iter(reasons.items()))
        others = f"; likewise in {len(reasons) - 1} other variables" if len(reasons) > 1 else ""
        warn_user(
            f"scikit-learn rounds values to 32 bits, which cannot tell apart all values of "
            f"{name_of(tree, first)!r}: {reason}{others}. Such rows may reach another leaf: shift "
            "or rescale the variable before fitting, or use `to_python` or `to_sql`"
        )


def _unresolved(tree: Tree, variable: int) -> str:
    """What of a variable 32 bits cannot tell apart as far as its thresholds show it, or nothing."""
    exact = np.unique(tree.threshold[tree.feature == variable])
    # All numbers are below the largest one: `Tree.from_sklearn` has it for tests on missing values.
    exact = exact[exact < np.finfo(np.float64).max]
    near = _rounded(exact)
    unlike = np.flatnonzero((near == 0.0) & (exact != 0.0) | np.isinf(near))
    if len(unlike):
        return f"{float(exact[unlike[0]])!r} becomes {float(near[unlike[0]])!r}"
    same = np.flatnonzero(near[1:] == near[:-1])
    if len(same):
        low, high = exact[same[0] : same[0] + 2].tolist()
        return f"{low!r} and {high!r} become one number"
    whole = exact[(exact == np.rint(exact)) & (_rounded(exact - 1.0) == near)]
    if len(whole):
        return f"{whole[0] - 1.0:.0f} and {whole[0]:.0f} become one number"
    return ""


def _check_numeric(tree: Tree) -> None:
    categorical = tree.is_categorical()
    if categorical.any():
        name = name_of(tree, int(tree.feature[categorical.argmax()]))
        raise InputError(
            f"the tree tests categories of {name!r}, which scikit-learn's trees cannot",
            remedy="grow it on columns of 0 and 1, one for each category, or write it as rules, "
            "SQL or Python",
        )


def _width(tree: Tree, n_features: int | None) -> int:
    names, least = tree.feature_names, int(tree.feature.max()) + 1
    if n_features is None:
        return max(least, 1) if names is None else len(names)  # no table has none
    check_number("n_features", n_features, least, MOST_VARIABLES, whole=True)
    if names is not None and n_features != len(names):
        raise InputError(
            f"n_features is {n_features} and the tree has {len(names)} names of variables",
            remedy="leave it out",
        )
    return int(n_features)


def _label_array(labels: list) -> np.ndarray:
    """Of one type where that keeps each label as it is, else of objects."""
    plain = np.array(labels)
    if plain.ndim == 1 and all(a == b for a, b in zip(plain.tolist(), labels, strict=True)):
        return plain
    return np.fromiter(labels, object, len(labels))
