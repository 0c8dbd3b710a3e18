"""Error-based pruning on trees made by hand, with the numbers worked out beside them."""

import numpy as np
import pytest
from scipy.stats import beta

from hedgerow import C45Classifier
from hedgerow.induction import Columns, prune
from hedgerow.induction._pruning import leaf_errors
from hedgerow.tree import Tree


def upper(errors, n, confidence):
    """Clopper-Pearson upper limit at tail c / 2: the 1 - c/2 quantile of Beta(E + 1, N - E)."""
    return beta.ppf(1 - confidence / 2, errors + 1, n - errors)


@pytest.mark.parametrize(
    ("errors", "n", "limit"), [(0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.750), (1, 16, 0.160)]
)
def test_limits_of_quinlans_book(errors, n, limit):
    """C4.5: Programs for Machine Learning, section 4.2, CF 25 %, which is c = .5 here.

    Without errors it is 1 - .25^(1/n). The book prints .157 for (1, 16): C4.5 interpolates in a
    table of coefficients; the exact Beta quantile is .160.
    """
    got = leaf_errors([[n - errors, errors]], 0.5, laplace=False)[0]
    assert got / n == pytest.approx(upper(errors, n, 0.5), rel=1e-9)
    assert got / n == pytest.approx(limit, abs=6e-4)
    if errors == 0:
        assert got / n == pytest.approx(1 - 0.25 ** (1 / n), rel=1e-9)


def test_laplace_comes_first():
    """E errors of N become N (E + 1) / (N + C): 6 (0 + 1) / (6 + 2) = .75 errors of 6."""
    got = leaf_errors([[6.0, 0.0]], 0.5)[0]
    assert got == pytest.approx(6 * beta.ppf(0.75, 1.75, 5.25), rel=1e-9)
    # Three classes: 10 (3 + 1) / (10 + 3) = 40/13 errors of 10.
    got = leaf_errors([[7.0, 2.0, 1.0]], 0.25)[0]
    e = 40 / 13
    assert got == pytest.approx(10 * beta.ppf(0.875, e + 1, 10 - e), rel=1e-9)


def test_corners_of_the_confidence():
    """c = 0: every case could be an error; c = 1: the median of the limit, not the rate."""
    assert leaf_errors([[6.0, 1.0]], 0.0)[0] == 7.0
    assert leaf_errors([[6.0, 1.0]], 1.0)[0] == pytest.approx(
        7 * beta.ppf(0.5, 7 * 2 / 9 + 1, 7 - 7 * 2 / 9)
    )
    assert leaf_errors([[0.0, 0.0]], 0.5)[0] == 0.0


def quinlan_tree():
    """Sixteen members of congress, 6 and 9 democrats, 1 republican: x < 1, 1 <= x < 2, x >= 2."""
    X = np.array([0.0] * 6 + [1.0] * 9 + [2.0])[:, None]
    y = np.array([0] * 15 + [1])
    tree = Tree(
        feature=[0, -1, 0, -1, -1],
        threshold=[1.0, np.nan, 2.0, np.nan, np.nan],
        children_left=[1, -1, 3, -1, -1],
        children_right=[2, -1, 4, -1, -1],
        parent=[-1, 0, 0, 2, 2],
        share_left=[6 / 16, np.nan, 9 / 10, np.nan, np.nan],
        class_weight=[[15, 1], [6, 0], [9, 1], [9, 0], [0, 1]],
    )
    return tree, Columns(X, y, 2)


def test_quinlans_example_becomes_a_leaf():
    """6 x .206 + 9 x .143 + 1 x .750 = 3.273 predicted errors against 16 x .160 = 2.554.

    The lower test alone: 9 x .143 + .750 = 2.03 against 10 x .247 = 2.47, so that it stays;
    the root becomes a leaf all the same.
    """
    tree, columns = quinlan_tree()
    below = 9 * upper(0, 9, 0.5) + upper(0, 1, 0.5)
    assert below == pytest.approx(2.035, abs=2e-3)
    assert 10 * upper(1, 10, 0.5) > below
    assert 6 * upper(0, 6, 0.5) + below == pytest.approx(3.273, abs=3e-3)
    assert 16 * upper(1, 16, 0.5) == pytest.approx(2.554, abs=1e-3)
    pruned = prune(tree, columns, confidence=0.5, laplace=False, subtree_raising=False)
    assert pruned.n_leaves == 1
    assert pruned.class_weight.tolist() == [[15.0, 1.0]]
    assert tree.n_leaves == 3, "the tree given is untouched"


def test_quinlans_example_with_raising():
    """Raising x < 2 puts 15 democrats in one leaf: 15 x .0883 + .750 = 2.07, below 2.55."""
    tree, columns = quinlan_tree()
    assert 15 * upper(0, 15, 0.5) + upper(0, 1, 0.5) < 16 * upper(1, 16, 0.5)
    pruned = prune(tree, columns, confidence=0.5, laplace=False, subtree_raising=True)
    assert pruned.feature.tolist() == [0, -1, -1]
    assert pruned.threshold[0] == 2.0
    assert pruned.class_weight.tolist() == [[15.0, 1.0], [15.0, 0.0], [0.0, 1.0]]
    assert pruned.share_left[0] == 15 / 16
    assert pruned.parent.tolist() == [-1, 0, 0]


def test_a_test_without_merit_goes_and_one_with_merit_stays():
    """8 | 8 pure leaves: 16 (1 - .25^(1/8)) = 2.55 errors against 16 x .6 or more."""
    X = np.repeat([[0.0], [1.0]], 8, axis=0)
    pure = np.repeat([0, 1], 8)
    model = C45Classifier(confidence=0.5, laplace=False).fit(X, pure)
    assert model.get_n_leaves() == 2
    same = np.array(([0] * 6 + [1] * 2) * 2)
    same[0] = 1
    assert C45Classifier(prune=False).fit(X, same).get_n_leaves() == 2
    assert C45Classifier(confidence=0.5, laplace=False).fit(X, same).get_n_leaves() == 1
