"""UDT: the bounded search against every sample point, and pruning and prediction by recursion."""

import numpy as np
import pytest
from effort import draws
from oracle.induction import predict
from test_core_against_oracle import assert_pruned, reference, settings, table

from hedgerow.induction import Columns, grow, prune
from hedgerow.tree.gates import NoiseGate


def case(seed, n_max):
    """A random table with the spread of its pdfs and settings of growth."""
    X, y, K, weight, categories, rng = table(seed, n_max)
    spread = rng.choice([0.01, 0.15, 0.5, 1.5, 0.0], len(categories))
    s = {**settings(rng), "max_depth": int(rng.integers(1, 4))}
    n_points = int(rng.choice([2, 5, 20, 100]))
    return X, y, K, weight, categories, np.where(categories > 0, 0.0, spread), s, n_points


@pytest.mark.parametrize("block", range(10))
def test_growth(block):
    """The chosen sample point has the largest gain of all, and instances go where they should."""
    for seed in draws(12, 5000 + block * 12):
        X, y, K, weight, categories, sigma, s, n_points = case(seed, n_max=16)
        pdf = NoiseGate(sigma, window=4.0, conditioned=True)
        tree = grow(Columns(X, y, K, weight, categories), pdf=pdf, n_points=n_points, **s)
        ref = reference(X, y, K, weight, categories, s, pdf=sigma, n_points=n_points)
        ref.check(tree)


@pytest.mark.parametrize("block", range(5))
def test_minima_count_rows_under_class_weights(block):
    """As in growth on exact values: they were compared with the multiplied weights."""
    for seed in draws(12, 8000 + block * 12):
        X, y, K, weight, categories, sigma, s, n_points = case(seed, n_max=16)
        by_class = np.exp(np.random.default_rng(seed).normal(0, 1.5, K))
        weight = by_class[y] * (1.0 if weight is None else weight)
        pdf, per = NoiseGate(sigma, window=4.0, conditioned=True), 1 / by_class
        columns = Columns(X, y, K, weight, categories, rows_per_weight=per)
        tree = grow(columns, pdf=pdf, n_points=n_points, **s)
        more = {"pdf": sigma, "n_points": n_points, "per_weight": per}
        reference(X, y, K, weight, categories, s, **more).check(tree)


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
    reference(X, y, K, None, None, s, pdf=sigma, n_points=20).check(tree)


@pytest.mark.parametrize("block", range(8))
@pytest.mark.parametrize("counts", ["weights", "instances", "tuples"])
def test_pruning_and_prediction(block, counts):
    """A raised branch is conditioned on the tests that are left above it."""
    rng = np.random.default_rng(block)
    for seed in draws(10, 6000 + block * 10):
        X, y, K, weight, categories, sigma, s, n_points = case(seed, n_max=24)
        s["max_depth"] = None
        pdf = NoiseGate(sigma, window=4.0, conditioned=True)
        columns = Columns(X, y, K, weight, categories)
        tree = grow(columns, pdf=pdf, n_points=n_points, **s)
        ref = reference(X, y, K, weight, categories, s, pdf=sigma, n_points=n_points)
        ref.counts = counts
        new = X[rng.integers(0, len(X), 10)] + rng.normal(0, 0.5, (10, X.shape[1]))
        new[:, categories > 0] = np.floor(np.abs(new[:, categories > 0]))
        for confidence in (0.0, 0.1, 0.5, 0.9):
            got = prune(tree, columns, propagation=pdf, confidence=confidence, counts=counts)
            want, _ = ref.prune(ref.nested(tree), confidence=confidence)
            assert_pruned(got, want, (seed, confidence))
            expected = [predict(want, x, categories, pdf=sigma) for x in new]
            np.testing.assert_allclose(got.predict_proba(new, evaluation=pdf), expected, atol=1e-9)
