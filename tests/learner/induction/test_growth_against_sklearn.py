"""Unpruned growth beside scikit-learn's entropy tree, node by node on real tables."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier
from hedgerow.tree import Tree

TIE = 1e-9


def entropy(counts):
    """Of rows of counts, in bits."""
    total = counts.sum(axis=-1, keepdims=True)
    share = counts / np.where(total > 0, total, 1)
    logs = np.log2(np.where(share > 0, share, 1))
    return -(share * logs).sum(axis=-1)


def all_tests(X, y, n_classes):
    """Gain and partition of every admissible test, by sorting each variable with numpy.

    Returns
    -------
    gains : (t,) float
    sides : (t, n) bool, True on the side of the first row, so that equal partitions are equal
    """
    one_hot = np.eye(n_classes)[y]
    gains, sides = [], []
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        cuts = np.flatnonzero(np.diff(X[order, j]) > 0)
        left = one_hot[order].cumsum(axis=0)[cuts]
        total = one_hot.sum(axis=0)
        share = left.sum(axis=1) / len(y)
        gain = entropy(total) - share * entropy(left) - (1 - share) * entropy(total - left)
        gains.append(gain)
        for cut in cuts[gain > gain.max(initial=0.0) - TIE] if len(cuts) else ():
            side = np.zeros(len(y), dtype=bool)
            side[order[: cut + 1]] = True
            sides.append((gain[np.searchsorted(cuts, cut)], side if side[0] else ~side))
    best = max((g.max(initial=0.0) for g in gains), default=0.0)
    winners = {side.tobytes() for gain, side in sides if gain > best - TIE}
    return best, winners


def gain_of(left, y, n_classes):
    counts = [np.bincount(y[side], minlength=n_classes) for side in (left, ~left)]
    share = left.mean()
    return (
        entropy(counts[0] + counts[1])
        - share * entropy(counts[0])
        - (1 - share) * entropy(counts[1])
    )


SETS = {"wdbc": load_breast_cancer, "wine": load_wine, "iris": load_iris, "digits": load_digits}


def as_float32(load):
    """scikit-learn compares in 32 bits: give both the values that it sees."""
    X, y = load(return_X_y=True)
    return X.astype(np.float32).astype(np.float64), y


@pytest.mark.parametrize("name", SETS)
def test_same_tests_until_a_tie(name):
    """Descend both trees together, as long as one partition alone has the largest gain.

    Of tests that gain the same scikit-learn draws one, and we take the lower variable.
    """
    X, y = as_float32(SETS[name])
    K = int(y.max()) + 1
    ours = C45Classifier(prune=False, candidates="midpoints", min_samples_split=2).fit(X, y).tree_
    peer = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    theirs = Tree.from_sklearn(peer)
    compared, tied = 0, 0
    stack = [(0, 0, np.arange(len(y)))]
    while stack:
        a, b, rows = stack.pop()
        best, winners = all_tests(X[rows], y[rows], K)
        if ours.feature[a] < 0:
            assert best <= TIE
            assert theirs.feature[b] < 0
            continue
        left = X[rows, ours.feature[a]] < ours.threshold[a]
        other = X[rows, theirs.feature[b]] < theirs.threshold[b]
        gain = gain_of(left, y[rows], K)
        assert gain == pytest.approx(best, abs=TIE)
        assert gain >= gain_of(other, y[rows], K) - TIE
        if len(winners) > 1:
            tied += 1
            continue
        compared += 1
        # Another variable may part the rows alike with the sides exchanged.
        sides = [int(theirs.children_left[b]), int(theirs.children_right[b])]
        if left[0] != other[0]:
            other = ~other
            sides.reverse()
        np.testing.assert_array_equal(left, other)
        stack.append((int(ours.children_left[a]), sides[0], rows[left]))
        stack.append((int(ours.children_right[a]), sides[1], rows[~left]))
    # iris ties at the root: petal length and width both cut off setosa.
    assert compared >= {"wdbc": 4, "wine": 3, "iris": 0, "digits": 40}[name], (compared, tied)
    if not tied:
        assert ours.n_leaves == theirs.n_leaves


@pytest.mark.parametrize("name", SETS)
def test_every_node_has_the_largest_gain(name):
    """Ties or not: no test at any node of ours is beaten, and a leaf has nothing to gain."""
    X, y = as_float32(SETS[name])
    K = int(y.max()) + 1
    tree = C45Classifier(prune=False, candidates="midpoints", min_samples_split=2).fit(X, y).tree_
    path = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.n_nodes):
        rows = np.flatnonzero(path[:, node])
        if tree.feature[node] < 0:
            assert len(np.unique(y[rows])) == 1 or all_tests(X[rows], y[rows], K)[0] <= TIE
            continue
        best, _ = all_tests(X[rows], y[rows], K)
        left = X[rows, tree.feature[node]] < tree.threshold[node]
        assert gain_of(left, y[rows], K) == pytest.approx(best, abs=TIE)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_same_tree_on_continuous_data_without_ties(seed, weighted, criterion):
    """One variable, distinct values, classes at random: the whole tree agrees.

    Weights of many binary digits leave no two tests with the same gain, and add up exactly.
    """
    rng = np.random.default_rng(seed)
    X = rng.permutation(200)[:, None].astype(float)
    y = rng.integers(0, 3, 200)
    weight = rng.integers(2**9, 2**11, 200) / 2**10 if weighted else None
    settings = {"min_samples_split": 0, "min_samples_leaf": 0, "prune": False}
    own = {"entropy": "information_gain"}.get(criterion, criterion)
    learner = C45Classifier(candidates="midpoints", criterion=own, **settings)
    ours = learner.fit(X, y, weight).tree_
    peer = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y, weight)
    theirs = Tree.from_sklearn(peer)
    assert ours.n_leaves == theirs.n_leaves
    if weighted:
        np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
        np.testing.assert_allclose(ours.class_weight, theirs.class_weight, atol=1e-9)
        inner = ours.feature >= 0
        np.testing.assert_allclose(ours.threshold[inner], peer.tree_.threshold[inner])
