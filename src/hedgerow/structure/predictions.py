"""Distances between the predictions of trees (thesis 5.4.1)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hedgerow.checks import check_memory, check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import is_frame
from hedgerow.tree.table import check_row_order, in_order, table_of
from hedgerow.tree.tree import Tree

EPSILON = 1e-5  # thesis 5.4.1, footnote 2
LEAST_EPSILON = 1e-300  # shared among the classes it is still above 0
BLOCK = 1 << 22  # numbers held at a time
ROUNDING = 1e-5  # by which given probabilities may miss 0, 1 and their sum: single precision


def class_probability_distance(
    trees: Iterable[Tree] | np.ndarray,
    X,
    others: Iterable[Tree] | None = None,
    *,
    epsilon: float = EPSILON,
) -> np.ndarray | float:
    """d_KL: mean Kullback-Leibler divergence of the class probabilities (equation 5.7).

    D(p || q) in nats, p the probabilities of the row's tree and q those of the column's, mixed
    with the uniform distribution: epsilon / K + (1 - epsilon) q. It is not symmetric, and for a
    tree and itself above 0 by about epsilon.

    Two models of any kind are compared by their probabilities, p first:
    ``class_probability_distance(a.predict_proba(X), b.predict_proba(X))``.

    Parameters
    ----------
    trees : iterable of n trees, or (rows, K) array or data frame
        Of numbers: the probabilities p of one model, of each class in each row.
    X : (rows, m) array or data frame
        NaN is missing; categories as codes, or by label in a data frame, whose columns are taken
        by the names of the trees' variables. Where `trees` are probabilities, those of the other
        model, q: the same shape, rows and classes; of two data frames, columns of the same name.
    others : iterable of k trees, optional
        None: `trees` again. Not with probabilities.
    epsilon : float from 1e-300, below 1, default 1e-5

    Returns
    -------
    (n, k) float64; a float for two arrays of probabilities

    Raises
    ------
    InputError
        An empty list, no rows, trees with variables that X does not have, trees without names
        and a data frame; arrays that differ in shape, frames of other columns or order of rows,
        arrays that hold a number outside [0, 1] or a row whose sum is not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.structure import class_probability_distance
    >>> p, q = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.5, 0.5], [0.5, 0.5]])
    >>> round(class_probability_distance(p, q), 4)  # half of ln 2
    0.3466
    """
    check_number("epsilon", epsilon, LEAST_EPSILON, 1.0)
    if epsilon == 1:
        raise InputError("epsilon is 1", remedy="give a number below 1")
    if is_frame(trees) or (isinstance(trees, np.ndarray) and trees.dtype != object):
        if others is not None:
            raise InputError(
                "others are given beside probabilities",
                remedy="give the probabilities of two models, class_probability_distance(p, q)",
            )
        check_row_order("q", X, trees, "p")
        if is_frame(trees):
            X = in_order("q", X, list(trees.columns))
        p, q = _distributions("p", trees), _distributions("q", X)
        if p.shape != q.shape:
            raise InputError(
                f"p has shape {p.shape} and q {q.shape}",
                remedy="give the probabilities of the same instances and classes",
            )
        total = _divergence(p.reshape(1, -1), q.reshape(1, -1), epsilon, p.shape[1])
        return max(float(total[0, 0]) / len(p), 0.0)
    first, second = _lists(trees, others)
    classes = _classes(first + second)
    tables = _Tables(X)
    out = np.zeros((len(first), len(second)))
    step = max(1, BLOCK // (max(len(first), len(second)) * len(classes)))
    for begin in range(0, tables.n, step):
        p = _probabilities(first, tables, classes, begin, step)
        q = p if others is None else _probabilities(second, tables, classes, begin, step)
        out += _divergence(p, q, epsilon, len(classes))
    # A divergence is never below 0; a difference of sums can be, by rounding.
    return np.maximum(out / tables.n, 0.0)


def _divergence(p, q, epsilon: float, n_classes: int) -> np.ndarray:
    """D(p || q), added up over rows: (n, rows x classes) and (k, rows x classes) to (n, k)."""
    smooth = np.log(epsilon / n_classes + (1.0 - epsilon) * q)
    entropy = np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=1)
    return entropy[:, None] - p @ smooth.T


def _distributions(name: str, given) -> np.ndarray:
    """Probabilities of each class in each row, checked."""
    try:
        probabilities = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} is no array of numbers", remedy="give probabilities, (n_instances, n_classes)"
        ) from None
    if probabilities.ndim != 2 or 0 in probabilities.shape:
        raise InputError(
            f"{name} has shape {probabilities.shape}",
            remedy="give one row per instance and one column per class, (n_instances, n_classes)",
        )
    outside = ~((probabilities >= -ROUNDING) & (probabilities <= 1.0 + ROUNDING))  # NaN as well
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise InputError(
            f"{name} holds {probabilities[row, column]:g} in row {row}",
            remedy="give probabilities, from 0 to 1",
        )
    total = probabilities.sum(axis=1)
    off = np.flatnonzero(np.abs(total - 1.0) > ROUNDING)
    if len(off):
        raise InputError(
            f"row {off[0]} of {name} adds up to {total[off[0]]:g}",
            remedy="give the probability of every class, which add up to 1",
        )
    return np.clip(probabilities, 0.0, 1.0)


def class_prediction_distance(
    trees: Iterable[Tree], X, others: Iterable[Tree] | None = None
) -> np.ndarray:
    """d_p: share of rows that two trees put into different classes (equation 5.8).

    Of equally probable classes a tree predicts its first.

    Parameters
    ----------
    trees, X, others
        As in `class_probability_distance`.

    Returns
    -------
    (n, k) float64, in [0, 1]

    Raises
    ------
    InputError
    """
    first, second = _lists(trees, others)
    classes = _classes(first + second)
    tables = _Tables(X)
    label = _predicted(first, tables, classes)
    label2 = label if others is None else _predicted(second, tables, classes)
    return np.array([(label2 != row).mean(axis=1) for row in label])


def _lists(trees, others) -> tuple[list[Tree], list[Tree]]:
    lists = []
    for given in (trees, trees if others is None else others):
        if given is trees and lists:
            lists.append(lists[0])
            continue
        if isinstance(given, Tree) or not isinstance(given, Iterable):
            raise InputError(
                f"trees is of type {type(given).__name__}", remedy="give a list of trees"
            )
        given = list(given)
        if not given:
            raise InputError("the list of trees is empty", remedy="give at least one tree")
        for tree in given:
            if not isinstance(tree, Tree):
                raise InputError(
                    f"a tree is of type {type(tree).__name__}",
                    remedy="give a hedgerow.Tree: `tree_` of a fitted estimator, or "
                    "Tree.from_sklearn(estimator)",
                )
        lists.append(given)
    n, k = map(len, lists)
    check_memory(f"the distances of {n} trees to {k}", 8.0 * n * k, "give fewer trees")
    return lists[0], lists[1]


def _classes(trees: list[Tree]) -> list:
    """All classes of the trees, in order: trees of bootstrap samples may lack one."""
    if any(tree.classes is None for tree in trees):
        if len({tree.n_classes for tree in trees}) > 1 or any(t.classes for t in trees):
            raise InputError(
                "some trees do not name their classes, and the others have other classes",
                remedy="give trees that all name their classes (tree.replace(classes=...))",
            )
        return list(range(trees[0].n_classes))
    labels = {label for tree in trees for label in tree.classes}
    try:
        return sorted(labels)
    except TypeError:  # texts beside numbers
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


class _Tables:
    """X in the codes of each tree, re-encoded only where categories differ."""

    def __init__(self, X):
        self._given = X
        self._tables = {}
        try:
            shape = np.shape(X)
        except ValueError:  # rows of different lengths
            shape = (len(X),)
        if len(shape) != 2 or shape[0] == 0:
            raise InputError(
                f"X has shape {shape}", remedy="give one row per instance, at least one, (n, m)"
            )
        self.n = shape[0]

    def table_of_tree(self, tree: Tree) -> np.ndarray:
        named = is_frame(self._given) and any(isinstance(c, str) for c in self._given.columns)
        if named and tree.feature_names is None:
            raise InputError(
                "X is a data frame, and a tree has no names of variables to take its columns by",
                remedy="give X.to_numpy(), with the columns that the trees were grown from, in "
                "their order, or name them: Tree.replace(feature_names=...)",
            )
        labels = (tree.feature_names, sorted(tree.categories.items()))
        key = str(labels) if is_frame(self._given) else ""
        if key not in self._tables:
            table = self._tables[key] = table_of(tree, self._given)
            if np.isinf(table).any():
                row, column = np.argwhere(np.isinf(table))[0]
                raise InputError(
                    f"X holds an infinite value in row {row}, column {column}",
                    remedy="replace it by a number, or by NaN where the value is missing",
                )
        return self._tables[key]


def _probabilities(trees, tables: _Tables, classes: list, begin: int, step: int) -> np.ndarray:
    """(n_trees, rows x classes)"""
    end = min(begin + step, tables.n)
    probabilities = np.zeros((len(trees), end - begin, len(classes)))
    for tree, into in zip(trees, probabilities, strict=True):
        into[:, _places(tree, classes)] = tree.predict_proba(tables.table_of_tree(tree)[begin:end])
    return probabilities.reshape(len(trees), -1)


def _predicted(trees, tables: _Tables, classes: list) -> np.ndarray:
    """(n_trees, rows) places in `classes`."""
    return np.array(
        [
            np.asarray(_places(tree, classes))[
                np.argmax(tree.predict_proba(tables.table_of_tree(tree)), axis=1)
            ]
            for tree in trees
        ]
    )


def _places(tree: Tree, classes: list) -> list[int]:
    if tree.classes is None:
        return list(range(len(classes)))
    place = {label: i for i, label in enumerate(classes)}
    return [place[label] for label in tree.classes]
