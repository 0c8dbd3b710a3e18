"""Estimates that are maxima of the likelihood; trees of counting where nothing is in doubt."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hedgerow import C45Classifier, EvidentialData, EvidentialTreeClassifier
from hedgerow.evidential import best_first
from hedgerow.evidential._mixture import estimate, spread


def test_a_class_that_died_out_in_a_leaf_comes_back():
    """Two leaves and two classes, started where the other class has no count in the first leaf."""
    leaves = np.array([[1.0] * 6 + [0.3] * 6, [0.3] * 6 + [1.0] * 6])
    classes = np.array([[1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]])
    classes = classes.astype(float)
    dead = np.array([[3.0, 0.0], [6.0, 3.0]])
    stuck, gap, *_ = estimate(leaves, classes, dead.copy(), 1e-12, 10_000)
    assert gap > 1.0
    found, gap, *_ = estimate(leaves, classes, spread(dead), 1e-12, 10_000, 1e-6)
    assert gap < 1e-6
    assert found > stuck + 1.0


def counted(X, y, **settings):
    grown = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    return best_first(grown, **settings)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_by_default_data_without_doubt_give_the_tree_of_counting(load):
    """Of ten trees of halves of breast cancer nine were others: thresholds had been screened."""
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[: len(y) // 2]
    model = EvidentialTreeClassifier(prune=False).fit(EvidentialData.from_gamma(X[rows], y[rows]))
    assert model.trees_ == counted(X[rows], y[rows])
    whole = EvidentialTreeClassifier(prune=False).fit(EvidentialData.from_gamma(X, y))
    assert whole.trees_ == counted(X, y)


@pytest.mark.parametrize("seed", range(10))
def test_by_default_random_tables_without_doubt_give_the_tree_of_counting(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(300, 4)), 1 + seed % 3)
    y = (X @ rng.normal(size=4) + rng.normal(size=300) > 0).astype(int) + (X[:, 0] > 1)
    model = EvidentialTreeClassifier(prune=False).fit(EvidentialData.from_gamma(X, y))
    assert model.trees_ == counted(X, y)
