"""A tree as one of scikit-learn's, with all that reads those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import check_number
from hedgerow.errors import InputError
from hedgerow.exchange.branches import check_hard, labels_of, name_of
from hedgerow.tree import Tree
from hedgerow.tree.sound import MOST_VARIABLES

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


def to_sklearn(tree: Tree, n_features: int | None = None) -> DecisionTreeClassifier:
    """The tree as a fitted classifier of scikit-learn.

    Its test is ``x <= t`` on 32-bit floats, ours ``x < t``: the threshold becomes the largest
    32-bit float below it. Rows of 32-bit floats go the same way exactly; two 64-bit values that
    are one 32-bit float cannot be told apart.

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

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        ``predict``, ``predict_proba``, ``apply`` and ``decision_path`` work, as do libraries that
        read its ``tree_``. `fit` trains it anew.

    Raises
    ------
    InputError
        A test on categories, a gate that divides rows, another number of variables than of names.

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

    _check_numeric(tree)
    check_hard(tree, "scikit-learn's tree")
    made = DecisionTreeClassifier()
    made.n_features_in_ = _width(tree, n_features)
    made.n_classes_ = tree.n_classes
    made.classes_ = _label_array(labels_of(tree))
    made.n_outputs_ = 1
    made.max_features_ = made.n_features_in_
    if tree.feature_names is not None:
        made.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    made.tree_ = _structure(tree, made.n_features_in_)
    return made


def _structure(tree: Tree, n_features: int):
    from sklearn.tree import _tree

    shares = tree.probabilities()
    inner = ~tree.is_leaf()
    nodes = np.zeros(tree.n_nodes, dtype=_tree.NODE_DTYPE)
    nodes["left_child"] = tree.children_left  # -1 at leaves there as well
    nodes["right_child"] = tree.children_right
    nodes["feature"] = np.where(inner, tree.feature, _tree.TREE_UNDEFINED)
    nodes["threshold"] = np.where(inner, _below(tree.threshold), _tree.TREE_UNDEFINED)
    nodes["impurity"] = 1.0 - (shares**2).sum(axis=1)
    weight = tree.class_weight.sum(axis=1)
    nodes["n_node_samples"] = np.rint(np.minimum(weight, 2.0**62))
    nodes["weighted_n_node_samples"] = weight
    nodes["missing_go_to_left"] = inner & (tree.share_left > 0.5)
    made = _tree.Tree(n_features, np.array([tree.n_classes], dtype=np.intp), 1)
    made.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": tree.n_nodes,
            "nodes": nodes,
            "values": np.ascontiguousarray(shares[:, None, :]),
        }
    )
    return made


def _below(threshold: np.ndarray) -> np.ndarray:
    """The largest 32-bit float below each threshold, NaN where there is none."""
    with np.errstate(over="ignore"):  # beyond all 32-bit floats: infinite, and then the last one
        near = threshold.astype(np.float32)
        return np.where(near >= threshold, np.nextafter(near, np.float32(-np.inf)), near)


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
