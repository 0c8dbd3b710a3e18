"""UDT: the bounded search against every sample point, and pruning and prediction by recursion."""

import math

import numpy as np
import pytest
from effort import draws
from oracle.induction import Reference, flat, leaves, predict

from hedgerow.induction import Columns, grow, prune
from hedgerow.tree.gates import NoiseGate


def table(seed, n_max):
    """Ties, missing values, categories, fractions, one to four classes."""
    rng = np.random.default_rng(seed)
    n, m, K = int(rng.integers(4, n_max)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.normal(3.0, 2.0, (n, m))
    n_categories = np.zeros(m, dtype=int)
    for j in range(m):
        style = rng.integers(0, 4)
        if style == 0:
            X[:, j] = rng.integers(0, 5, n)
        elif style == 1 and m > 1:
            n_categories[j] = int(rng.integers(2, 5))
            X[:, j] = rng.integers(0, n_categories[j], n)
    if rng.random() < 0.4:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = rng.integers(0, K, n)
    if rng.random() < 0.5:
        y = np.where(np.nan_to_num(X[:, 0]) > 3, 1, y)
    weight = rng.uniform(0.1, 2, n) if rng.random() < 0.4 else None
    sigma = np.where(n_categories > 0, 0.0, rng.choice([0.01, 0.15, 0.5, 1.5, 0.0], m))
    settings = {
        "min_samples_split": float(rng.choice([2, 4, 5.5])),
        "min_samples_leaf": float(rng.choice([1, 1, 2.5, 4])),
        "max_depth": int(rng.integers(1, 4)),
        "repetition_factor": float(rng.choice([1.0, 1.0, 0.7])),
    }
    n_points = int(rng.choice([2, 5, 20, 100]))
    return X, y, K, weight, n_categories, sigma, settings, n_points


def reference(X, y, K, weight, n_categories, sigma, s, n_points, per_weight=None):
    return Reference(
        X, y, K, weight, n_categories, pdf=sigma, n_points=n_points,
        min_split=s["min_samples_split"], min_leaf=s["min_samples_leaf"],
        max_depth=s["max_depth"], repetition=s["repetition_factor"],
        per_weight=per_weight,
    )  # fmt: skip


@pytest.mark.parametrize("block", range(10))
def test_growth(block):
    """The chosen sample point has the largest gain of all, and instances go where they should."""
    for seed in draws(12, 5000 + block * 12):
        X, y, K, weight, categories, sigma, s, n_points = table(seed, n_max=16)
        pdf = NoiseGate(sigma, window=4.0, conditioned=True)
        tree = grow(Columns(X, y, K, weight, categories), pdf=pdf, n_points=n_points, **s)
        reference(X, y, K, weight, categories, sigma, s, n_points).check(tree)


@pytest.mark.parametrize("block", range(5))
def test_minima_count_rows_under_class_weights(block):
    """As in growth on exact values: they were compared with the multiplied weights."""
    for seed in draws(12, 8000 + block * 12):
        X, y, K, weight, categories, sigma, s, n_points = table(seed, n_max=16)
        by_class = np.exp(np.random.default_rng(seed).normal(0, 1.5, K))
        weight = by_class[y] * (1.0 if weight is None else weight)
        pdf, per = NoiseGate(sigma, window=4.0, conditioned=True), 1 / by_class
        columns = Columns(X, y, K, weight, categories, rows_per_weight=per)
        tree = grow(columns, pdf=pdf, n_points=n_points, **s)
        reference(X, y, K, weight, categories, sigma, s, n_points, per).check(tree)


@pytest.mark.parametrize("seed", draws(12, least=4))
def test_large_nodes(seed):
    """Hundreds of values: most of their sample points are left out by bounds."""
    rng = np.random.default_rng(seed)
    n, K = 120, int(rng.integers(2, 4))
    X = rng.normal(3.0, 1.0, (n, 1))
    y = np.where(X[:, 0] + rng.normal(0, 0.5, n) > 3, rng.integers(0, K, n), 0)
    sigma = np.array([rng.choice([0.01, 0.1, 0.4])])
    s = {"min_samples_split": 4, "min_samples_leaf": float(rng.choice([1, 12])), "max_depth": 2,
         "repetition_factor": 1.0}  # fmt: skip
    pdf = NoiseGate(sigma, window=4.0, conditioned=True)
    tree = grow(Columns(X, y, K), pdf=pdf, n_points=20, **s)
    reference(X, y, K, None, None, sigma, s, 20).check(tree)


@pytest.mark.parametrize("block", range(8))
@pytest.mark.parametrize("counts", ["weights", "instances", "tuples"])
def test_pruning_and_prediction(block, counts):
    """A raised branch is conditioned on the tests that are left above it."""
    rng = np.random.default_rng(block)
    for seed in draws(10, 6000 + block * 10):
        X, y, K, weight, categories, sigma, s, n_points = table(seed, n_max=24)
        s["max_depth"] = None
        pdf = NoiseGate(sigma, window=4.0, conditioned=True)
        columns = Columns(X, y, K, weight, categories)
        tree = grow(columns, pdf=pdf, n_points=n_points, **s)
        ref = reference(X, y, K, weight, categories, sigma, {**s, "max_depth": None}, n_points)
        ref.counts = counts
        new = X[rng.integers(0, len(X), 10)] + rng.normal(0, 0.5, (10, X.shape[1]))
        new[:, categories > 0] = np.floor(np.abs(new[:, categories > 0]))
        for confidence in (0.0, 0.1, 0.5, 0.9):
            got = prune(tree, columns, propagation=pdf, confidence=confidence, counts=counts)
            want, _ = ref.prune(ref.nested(tree), confidence=confidence)
            assert got.n_leaves == leaves(want), (seed, confidence)
            for node, (j, threshold, weights) in enumerate(flat(want)):
                assert got.feature[node] == j
                if j >= 0 and not math.isnan(threshold):
                    assert got.threshold[node] == threshold
                np.testing.assert_allclose(got.class_weight[node], weights, atol=1e-9)
            expected = [predict(want, x, categories, pdf=sigma) for x in new]
            np.testing.assert_allclose(got.predict_proba(new, evaluation=pdf), expected, atol=1e-9)
