"""The compiled core against the plain reference, on random tables with every awkward feature."""

import math

import numpy as np
import pytest
from effort import draws
from oracle.induction import Reference, flat, leaves, predict

from hedgerow.induction import Columns, grow, prune
from hedgerow.tree.gates import NoiseGate


def table(seed, n_max=40, missing=True, categorical=True, weights=True):
    """A random table: ties, duplicates, missing values, categories, weights, few classes."""
    rng = np.random.default_rng(seed)
    n, m, K = int(rng.integers(4, n_max)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.normal(3.0, 2.0, (n, m))
    n_categories = np.zeros(m, dtype=int)
    for j in range(m):
        style = rng.integers(0, 4)
        if style == 0:
            X[:, j] = rng.integers(0, 5, n)
        elif style == 1 and categorical:
            n_categories[j] = int(rng.integers(2, 6))
            X[:, j] = rng.integers(0, n_categories[j], n)
    if missing and rng.random() < 0.5:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = rng.integers(0, K, n)
    if rng.random() < 0.5:
        y = np.where(np.nan_to_num(X[:, 0]) > 3, 1, y)
    w = None
    if weights and rng.random() < 0.5:
        w = rng.integers(0, 4, n) if rng.random() < 0.5 else rng.uniform(0, 2, n)
        w = np.asarray(w, float)
        w[0] = 1.0
    return X, y, K, w, n_categories, rng


def settings(rng):
    return {
        "min_samples_split": float(rng.choice([2, 4, 5.5])),
        "min_samples_leaf": float(rng.choice([1, 1, 2.5, 4])),
        "max_depth": None if rng.random() < 0.7 else int(rng.integers(0, 4)),
        "repetition_factor": float(rng.choice([1.0, 1.0, 0.7])),
    }


def reference(X, y, K, w, n_categories, s, **more):
    return Reference(
        X, y, K, w, n_categories, min_split=s["min_samples_split"],
        min_leaf=s["min_samples_leaf"], max_depth=s["max_depth"],
        repetition=s["repetition_factor"], **more,
    )  # fmt: skip


def assert_pruned(tree, want, case):
    """The tree has the tests and weights of the reference's."""
    assert tree.n_leaves == leaves(want), case
    for node, (j, threshold, weights) in enumerate(flat(want)):
        assert tree.feature[node] == j
        if j >= 0 and not math.isnan(threshold):
            assert tree.threshold[node] == threshold
        np.testing.assert_allclose(tree.class_weight[node], weights, atol=1e-9)


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("candidates", ["values", "midpoints"])
def test_hard_growth(block, candidates):
    for seed in draws(30, block * 30):
        X, y, K, w, cats, rng = table(seed)
        s = settings(rng)
        tree = grow(Columns(X, y, K, w, cats), candidates=candidates, **s)
        reference(X, y, K, w, cats, s, midpoints=candidates == "midpoints").check(tree)


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("criterion", ["gini", "gain_ratio"])
@pytest.mark.parametrize("soft", ["", "search", "propagation"])
def test_criteria(block, criterion, soft):
    """The Gini index, and Quinlan's gain ratio among tests of at least the average gain."""
    for seed in draws(30, 5000 + block * 30):
        X, y, K, w, cats, rng = table(seed, n_max=14 if soft else 40)
        s = settings(rng)
        noise = {soft: np.where(cats > 0, 0.0, 0.4)} if soft else {}
        gates = {name: NoiseGate(sigma) for name, sigma in noise.items()}
        tree = grow(Columns(X, y, K, w, cats), criterion=criterion, **gates, **s)
        reference(X, y, K, w, cats, s, criterion=criterion, **noise).check(tree)


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("kind", ["hard", "search", "propagation"])
def test_minima_count_rows_under_class_weights(block, kind):
    """They were compared with weights that class weights had multiplied: under "balanced" a
    minimum of 5 rows let leaves of 3 rare ones pass, and refused some of 8 frequent ones."""
    for seed in draws(40, 7000 + block * 40):
        X, y, K, w, cats, rng = table(seed, n_max=40 if kind == "hard" else 14)
        s = settings(rng)
        whole = rng.random() < 0.5
        by_class = rng.integers(1, 4, K) if whole else np.exp(rng.normal(0, 1.5, K))
        weight = by_class[y] * (np.ones(len(y)) if w is None else w)
        noise = {} if kind == "hard" else {kind: np.where(cats > 0, 0.0, 0.4)}
        gates = {name: NoiseGate(sigma) for name, sigma in noise.items()}
        tree = grow(Columns(X, y, K, weight, cats, rows_per_weight=1 / by_class), **gates, **s)
        reference(X, y, K, weight, cats, s, per_weight=1 / by_class, **noise).check(tree)


@pytest.mark.parametrize("seed", draws(12, least=4))
@pytest.mark.parametrize("kind", ["missing", "weights", "soft"])
def test_large_nodes(seed, kind):
    """Nodes with hundreds of candidates, most of which the search may leave out by a bound."""
    rng = np.random.default_rng(seed)
    n, K = 150, int(rng.integers(2, 5))
    X = rng.normal(3.0, 1.0, (n, 2))
    y = np.where(X[:, 0] + rng.normal(0, 0.5, n) > 3, rng.integers(0, K, n), 0)
    w, sigma = None, np.zeros(2)
    if kind == "missing":
        X[rng.random((n, 2)) < 0.1] = np.nan
    elif kind == "weights":
        w = rng.uniform(0.1, 2, n)
    else:
        sigma = np.array([0.1, 0.5])
    s = {"min_samples_split": 4, "min_samples_leaf": float(rng.choice([1, 12])), "max_depth": 3,
         "repetition_factor": 1.0}  # fmt: skip
    gate = NoiseGate(sigma) if kind == "soft" else None
    tree = grow(Columns(X, y, K, w), propagation=gate, **s)
    reference(X, y, K, w, None, s, propagation=sigma).check(tree)


@pytest.mark.parametrize("block", range(10))
def test_soft_search(block):
    """SS: at every node the gain of the chosen grid point is the largest of the whole grid."""
    for seed in draws(30, 1000 + block * 30):
        X, y, K, w, cats, rng = table(seed, n_max=20)
        s = settings(rng)
        sigma = np.where(cats > 0, 0.0, rng.choice([0.15, 0.4, 1.0, 0.0], len(cats)))
        tree = grow(Columns(X, y, K, w, cats), search=NoiseGate(sigma), **s)
        reference(X, y, K, w, cats, s, search=sigma).check(tree)


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("gate_at", ["threshold", "ties_right"])
def test_soft_propagation(block, gate_at):
    """STP: routing, dropped weights and stopping follow the rules, with hard or soft search."""
    for seed in draws(30, 2000 + block * 30):
        X, y, K, w, cats, rng = table(seed, n_max=14)
        s = settings(rng)
        sigma = np.where(cats > 0, 0.0, rng.choice([0.15, 0.4, 1.0, 0.0], len(cats)))
        search = None
        if rng.random() < 0.3:
            search = np.where(cats > 0, 0.0, 0.4)
        tree = grow(
            Columns(X, y, K, w, cats),
            propagation=NoiseGate(sigma),
            search=None if search is None else NoiseGate(search),
            gate_at=gate_at,
            **s,
        )
        more = {"search": search, "ties_right": gate_at == "ties_right"}
        reference(X, y, K, w, cats, s, propagation=sigma, **more).check(tree)


@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("soft", [False, True, "ties_right"])
def test_pruning(block, soft):
    """Same tests and weights as the reference with scipy's Beta quantiles."""
    for seed in draws(10, 3000 + block * 10):
        X, y, K, w, cats, rng = table(seed, n_max=20 if soft else 40)
        s = settings(rng)
        sigma = np.where(cats > 0, 0.0, 0.3) if soft else np.zeros(len(cats))
        gate = NoiseGate(sigma, ties_right=soft == "ties_right") if soft else None
        columns = Columns(X, y, K, w, cats)
        tree = grow(columns, propagation=gate, **s)
        ref = reference(X, y, K, w, cats, s, propagation=sigma, ties_right=soft == "ties_right")
        for confidence in (0.0, 0.1, 0.5, 0.9, 1.0):
            for laplace in (True, False):
                for raising in (True, False):
                    options = {"confidence": confidence, "laplace": laplace}
                    got = prune(tree, columns, propagation=gate, subtree_raising=raising, **options)
                    want, _ = ref.prune(ref.nested(tree), raising=raising, **options)
                    assert_pruned(got, want, (seed, confidence, laplace, raising))


@pytest.mark.parametrize("block", range(5))
def test_prediction(block):
    """Hard and soft evaluation against the recursion, with missing values and new categories."""
    for seed in draws(20, 4000 + block * 20):
        X, y, K, w, cats, rng = table(seed)
        tree = grow(Columns(X, y, K, w, cats))
        ref = Reference(X, y, K, w, cats).nested(tree)
        new = X + np.where(cats > 0, rng.integers(-1, 3, X.shape), rng.normal(0, 0.5, X.shape))
        new[::3] = X[::3]  # values that lie on thresholds
        new[rng.random(new.shape) < 0.1] = np.nan
        noise = np.where(cats > 0, 0.0, 0.4)
        for sigma, ties in ((None, False), (noise, False), (noise, True)):
            gate = None if sigma is None else NoiseGate(sigma, ties_right=ties)
            got = tree.predict_proba(new, evaluation=gate)
            want = [predict(ref, x, cats, sigma, ties=ties) for x in new]
            np.testing.assert_allclose(got, want, atol=1e-9)
            np.testing.assert_allclose(got.sum(axis=1), 1.0, atol=1e-9)
            if sigma is not None and not ties:
                np.testing.assert_array_equal(got, tree.predict_proba(new, evaluation=sigma))
