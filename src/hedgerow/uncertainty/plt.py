"""Piecewise-linear thresholds at evaluation (PLT, Quinlan 1993, chapter 8)."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.checks import check_choice
from hedgerow.errors import InputError
from hedgerow.induction.base import FROM_DTYPE
from hedgerow.induction.c45 import C45Classifier
from hedgerow.tree.gates import ThresholdGate

CROSSINGS = ("any", "outward")
BOUNDS = ("interpolated", "values")


class ProbabilisticThresholdClassifier(C45Classifier):
    """C4.5 whose thresholds are softened at prediction (PLT, Quinlan 1993).

    The tree is that of `C45Classifier`. Each threshold t gets bounds t- and t+, the outermost
    points at which the errors of its branch on the training set, if t moved there, would
    have risen by one standard error. The share of an instance that goes left falls from 1 at
    t- to .5 at t and to 0 at t+, linearly.

    Parameters
    ----------
    crossings : {"any", "outward"}, default "any"
        Which points can be bounds: all at which the errors cross the limit, or those at which they
        rise above it on the way from the threshold outwards, as in Quinlan's program. They differ
        where the errors are below the limit again at the end of the node's values.
    confidence, prune, subtree_raising, laplace, repetition_factor, min_samples_split, \
min_samples_leaf, max_depth, candidates, categorical_features, smoothing, reliability, weights, \
criterion, class_weight, random_state, n_jobs
        As in `C45Classifier`.
    bounds : {"interpolated", "values"}, default "interpolated"
        Where between two values the errors cross the limit: on the line between them, or at the
        value of which the errors are above it.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        Carries the bounds as its gate, a `hedgerow.tree.ThresholdGate`.

    Raises
    ------
    InputError
        Whatever `C45Classifier` raises.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning, chapter 8; thesis, sections 3.1.1 and
    3.3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import ProbabilisticThresholdClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> soft = ProbabilisticThresholdClassifier(max_depth=1).fit(X, y)
    >>> gate = soft.tree_.gate
    >>> [round(float(t), 2) for t in (gate.lower[0], soft.tree_.threshold[0], gate.upper[0])]
    [1.71, 3.0, 3.68]
    """

    def __init__(
        self,
        crossings="any",
        confidence=0.25,
        prune=True,
        subtree_raising=True,
        laplace=True,
        repetition_factor=1.0,
        min_samples_split=4,
        min_samples_leaf=1,
        max_depth=None,
        candidates="values",
        categorical_features=FROM_DTYPE,
        smoothing=False,
        reliability="node",
        weights="auto",
        criterion="information_gain",
        class_weight=None,
        random_state=None,
        bounds="interpolated",
        n_jobs=None,
    ):
        self._set_shared(locals())
        self.crossings = crossings
        self.bounds = bounds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("crossings", self.crossings, CROSSINGS)
        check_choice("bounds", self.bounds, BOUNDS)

    def _evaluation_gate(self, tree, columns):
        return piecewise_thresholds(tree, columns, self.crossings, self.bounds)


def piecewise_thresholds(
    tree, columns, crossings: str = "any", bounds: str = "interpolated"
) -> ThresholdGate:
    """Bounds of every numeric threshold of a tree from the rows that grew it (PLT).

    E(t) is the weight of the node's known instances that its branch misclassifies when this
    threshold alone is moved to t, all tests read hard. With E errors of N at the threshold as it
    is and se = sqrt((E + .5)(N - E + .5) / (N + 1)), the bounds are the outermost points at
    which E(t) crosses E + se, interpolated linearly between neighbouring values at the node;
    where it does not, the node's smallest or largest value. With `crossings="any"` one on the way
    back below the limit counts like any other; with "outward" E(t) must rise above the limit there,
    seen from the threshold. With `bounds="values"` nothing is interpolated: of the two values the
    one above the limit is the bound.

    Parameters
    ----------
    tree : Tree
    columns : Columns
        The training set.
    crossings : {"any", "outward"}, default "any"
    bounds : {"interpolated", "values"}, default "interpolated"

    Returns
    -------
    ThresholdGate

    Raises
    ------
    InputError
        The tree tests more variables than the training set has, or a distance between two values
        is no number any more.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning, chapter 8.
    """
    crossing = _crossing if bounds == "interpolated" else _value_above
    lower = np.full(tree.n_nodes, math.nan)
    upper = np.full(tree.n_nodes, math.nan)
    X, y = columns.X, columns.y
    reached = tree.shares(X, evaluation=None).tocsc()
    predicted = _BranchPredictions(tree, X)
    for node in np.flatnonzero((tree.feature >= 0) & ~np.isnan(tree.threshold)):
        at = slice(reached.indptr[node], reached.indptr[node + 1])
        rows = reached.indices[at]
        weight = reached.data[at] * columns.sample_weight[rows]
        x = X[rows, tree.feature[node]]
        observed = ~np.isnan(x)
        rows, weight, x = rows[observed], weight[observed], x[observed]
        with np.errstate(over="ignore"):
            span = np.ptp(x)
        if np.isinf(span):
            raise InputError(
                f"values of column {tree.feature[node]} of X lie further apart than numbers go",
                remedy="choose another unit",
            )
        goes_left = x < tree.threshold[node]
        wrong = [
            weight * (predicted.below(int(child), rows, in_branch) != y[rows])
            for child, in_branch in (
                (tree.children_left[node], goes_left),
                (tree.children_right[node], ~goes_left),
            )
        ]
        lower[node], upper[node] = _bounds(
            x, *wrong, weight, tree.threshold[node], crossings, crossing
        )
    return ThresholdGate(lower, upper)


class _BranchPredictions:
    """Classes that branches predict for rows, all tests read hard.

    A row without missing values has the class of its own leaf in every branch above it; only the
    branches beside its path are walked. On a chain of tests, each of them is a leaf.
    """

    def __init__(self, tree, X):
        self._tree, self._X = tree, X
        tested = np.unique(tree.feature[tree.feature >= 0])
        self._observed = ~np.isnan(X[:, tested]).any(axis=1)
        self._row_codes = tree.predict_proba(X, None).argmax(axis=1)
        self._leaf_class = tree.probabilities().argmax(axis=1)

    def below(self, child: int, rows: np.ndarray, in_branch: np.ndarray) -> np.ndarray:
        """Of a branch, (n,) codes; in_branch: rows whose way leads into it."""
        if self._tree.feature[child] < 0:
            return np.full(len(rows), self._leaf_class[child])
        codes = self._row_codes[rows]
        others = rows[walked := ~(in_branch & self._observed[rows])]
        if len(others):
            shares = self._tree.predict_proba(self._X[others], None, root=child)
            codes[walked] = shares.argmax(axis=1)
        return codes


def _bounds(
    x, wrong_left, wrong_right, weight, threshold, crossings, crossing
) -> tuple[float, float]:
    """t- and t+ of one test.

    x : (n,) known values at the node; wrong_left, wrong_right : (n,) weight of each instance
    where the left or the right branch misclassifies it, else 0; weight : (n,); crossing : where
    between two values the level is met.
    """
    order = np.argsort(x, kind="stable")
    places = np.union1d(x, threshold)
    n_left = np.searchsorted(x[order], places)
    left = np.concatenate([[0.0], np.cumsum(wrong_left[order])])
    right = np.concatenate([[0.0], np.cumsum(wrong_right[order])])
    errors = left[n_left] + right[-1] - right[n_left]
    n = weight.sum()
    at = np.searchsorted(places, threshold)
    e = errors[at]
    level = e + math.sqrt((e + 0.5) * max(n - e + 0.5, 0.0) / (n + 1.0))
    # Points whose right neighbour is on the other side of the level.
    steps = np.diff((errors > level).astype(int))
    below, above = (np.flatnonzero(steps[part]) for part in (slice(at), slice(at, None)))
    if crossings == "outward":
        below, above = np.flatnonzero(steps[:at] < 0), np.flatnonzero(steps[at:] > 0)
    above = above + at
    t_low = crossing(places, errors, below[0], level) if len(below) else places[0]
    t_high = crossing(places, errors, above[-1], level) if len(above) else places[-1]
    return float(t_low), float(t_high)


def _crossing(places, errors, i: int, level: float) -> float:
    """Where the line from point i to the next one meets the level."""
    share = (errors[i] - level) / (errors[i] - errors[i + 1])
    return places[i] + share * (places[i + 1] - places[i])


def _value_above(places, errors, i: int, level: float) -> float:
    """Of point i and the next one, that above the level."""
    return places[i] if errors[i] > level else places[i + 1]
