"""PLT: bounds by hand and against the plain reference, the gate between them, prediction."""

import numpy as np
import pytest
from effort import draws
from oracle.induction import Reference, piecewise_bounds

from hedgerow import ProbabilisticThresholdClassifier, Tree
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import ThresholdGate
from hedgerow.uncertainty import piecewise_thresholds


def test_bounds_are_crossings_also_where_the_errors_fall_again_at_the_end():
    """The bounds were the outermost points within the limit: here the node's ends, 0 and 11.

    Three wrong of six on either side of 6: E = 6, N = 12, se = 1.80, level 7.80. Downwards E(t) is
    7, 8, 9 at 5, 4, 3 and 8, 7, 6 at 2, 1, 0; upwards 7, 8, 9, 8, 7 from 7 on.
    """
    x = np.arange(12.0)
    y = np.array([1, 1, 1, 0, 0, 0] * 2)
    tree = Tree(
        [0, -1, -1], [6.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.5, np.nan, np.nan], [[6, 6], [4, 2], [2, 4]],
    )  # fmt: skip
    gate = piecewise_thresholds(tree, Columns(x[:, None], y, 2))
    level = 6 + np.sqrt(6.5 * 6.5 / 13)
    assert gate.lower[0] == pytest.approx(1 + (level - 7), abs=1e-12)
    assert gate.upper[0] == pytest.approx(11 - (level - 7), abs=1e-12)
    # In Quinlan's program only the way out counts: 7.8 between 5 and 4, and between 7 and 8.
    gate = piecewise_thresholds(tree, Columns(x[:, None], y, 2), "outward")
    assert gate.lower[0] == pytest.approx(5 - (level - 7), abs=1e-12)
    assert gate.upper[0] == pytest.approx(7 + (level - 7), abs=1e-12)

    # At values: those above the limit.
    for crossings, expected in (("any", (2, 10)), ("outward", (4, 8))):
        gate = piecewise_thresholds(tree, Columns(x[:, None], y, 2), crossings, "values")
        assert (gate.lower[0], gate.upper[0]) == expected


@pytest.mark.parametrize("crossings", ["any", "outward"])
@pytest.mark.parametrize("bounds", ["interpolated", "values"])
@pytest.mark.parametrize("seed", draws(40, least=6))
def test_bounds_against_the_reference(seed, bounds, crossings):
    rng = np.random.default_rng(seed)
    n, m, K = 60, 3, int(rng.integers(2, 4))
    X = rng.normal(3, 2, (n, m))
    X[:, 0] = rng.integers(0, 6, n)
    if seed % 3 == 0:
        X[rng.random((n, m)) < 0.15] = np.nan
    y = rng.integers(0, K, n)
    y = np.where(np.nan_to_num(X[:, 1]) > 3, 0, y)
    weight = rng.uniform(0.2, 2, n) if seed % 2 else np.ones(n)
    columns = Columns(X, y, K, weight)
    tree = prune(grow(columns), columns, confidence=0.6)
    gate = piecewise_thresholds(tree, columns, crossings, bounds)
    options = {"crossings": crossings, "bounds": bounds}
    model = ProbabilisticThresholdClassifier(**options, confidence=0.6, prune=True)
    fitted = model.fit(X, y, weight).tree_.gate
    np.testing.assert_array_equal(fitted.lower, gate.lower)
    np.testing.assert_array_equal(fitted.upper, gate.upper)
    check_bounds(tree, gate, X, y, K, weight, crossings == "outward", bounds == "values")


def check_bounds(tree, gate, X, y, K, weight, *others):
    reference = Reference(X, y, K, weight)
    shares = tree.shares(X, evaluation=None).toarray()
    stack = [(0, reference.nested(tree))]
    while stack:
        node, nested = stack.pop()
        if "j" not in nested:
            continue
        rows = [(i, shares[i, node]) for i in range(len(X)) if shares[i, node] > 0]
        low, high = piecewise_bounds(nested, rows, X, y, weight, *others)
        assert gate.lower[node] == pytest.approx(low, abs=1e-9)
        assert gate.upper[node] == pytest.approx(high, abs=1e-9)
        stack.append((tree.children_left[node], nested["left"]))
        stack.append((tree.children_right[node], nested["right"]))


def test_a_chain_is_prepared_once(monkeypatch):
    """Every test of a tree made probabilities of all nodes and a traversal anew: a chain of 4,000
    tests took twice as long."""
    n = 40
    X, y, weight = np.arange(n, dtype=float)[:, None], np.arange(n) % 2, np.ones(n)
    X[[7, 20]] = np.nan
    columns = Columns(X, y, 2)
    tree = grow(columns, min_samples_split=2, min_samples_leaf=0.5)
    assert tree.depth > 20
    calls = []
    traversal = Tree._traversal
    monkeypatch.setattr(Tree, "_traversal", lambda *a: calls.append(a) or traversal(*a))
    gate = piecewise_thresholds(tree, columns)
    assert len(calls) == 1
    check_bounds(tree, gate, X, y, 2, weight, False, False)


def test_the_gate_falls_from_one_to_a_half_to_zero():
    gate = ThresholdGate(np.array([1.0]), np.array([5.0]))
    x = np.array([0.0, 1.0, 1.5, 2.0, 3.5, 5.0, 9.0])
    np.testing.assert_allclose(gate.share(0, 2.0, x), [1, 1, 0.75, 0.5, 0.25, 0, 0])
    tree = Tree(
        [0, -1, -1], [2.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.5, np.nan, np.nan], [[1, 1], [1, 0], [0, 1]],
        gate=ThresholdGate(np.array([1.0, np.nan, np.nan]), np.array([5.0, np.nan, np.nan])),
    )  # fmt: skip
    np.testing.assert_allclose(
        tree.predict_proba(x[:, None])[:, 0], gate.share(0, 2.0, x), atol=1e-15
    )


@pytest.mark.parametrize(
    ("lower", "upper", "want"),
    [(1.0, 2.0, [0.75, 0.5, 0]), (2.0, 3.0, [1, 0.5, 0.25]), (2.0, 2.0, [1, 0.5, 0])],
)
def test_a_bound_on_the_threshold_leaves_it_a_half(lower, upper, want):
    """Where the upper bound was the threshold, all of its instances went right."""
    x = np.array([1.5, 2.0, 2.5])
    gate = ThresholdGate(np.array([lower, np.nan, np.nan]), np.array([upper, np.nan, np.nan]))
    assert gate.soft
    np.testing.assert_array_equal(gate.share(0, 2.0, x), want)
    tree = Tree(
        [0, -1, -1], [2.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.5, np.nan, np.nan], [[1, 1], [1, 0], [0, 1]], gate=gate,
    )  # fmt: skip
    np.testing.assert_array_equal(tree.predict_proba(x[:, None])[:, 0], want)
