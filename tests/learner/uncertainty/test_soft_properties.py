"""What ties soft trees to C4.5: limits, equalities, and what noise does to a prediction."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from oracle.induction import Reference
from oracle.random_trees import random_table, seeds
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_wine

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.induction import Columns, grow
from hedgerow.tree.gates import NoiseGate

LOADERS = {"wdbc": load_breast_cancer, "wine": load_wine}


def arrays_equal(a, b):
    assert a == b, "another tree"


@examples(60)
@given(seeds)
def test_soft_search_with_tiny_noise_is_hard_search(seed):
    """Far below the distance of values, every node parts its rows as a best hard test does: the
    gain is convex in the share of one value that goes left.
    """
    X, y, K, weight, n_categories = random_table(seed, n_max=25)
    X = np.round(X, 2)
    columns = Columns(X, y, K, weight, n_categories)
    tiny = NoiseGate(np.where(n_categories > 0, 0.0, 1e-4))
    limits = {"min_samples_split": 2, "min_samples_leaf": 0}
    soft = grow(columns, search=tiny, **limits)
    Reference(X, y, K, weight, n_categories, min_split=2, min_leaf=0, midpoints=True).check(soft)


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("zero", [0, 0.0, "array"])
def test_factor_0_is_c45_exactly(name, zero):
    X, y = LOADERS[name](return_X_y=True)
    noise = np.zeros(X.shape[1]) if isinstance(zero, str) else zero
    hard = C45Classifier().fit(X, y)
    for part in ("search", "propagation", "evaluation"):
        soft = SoftTreeClassifier(**{part: noise}).fit(X, y)
        arrays_equal(soft.tree_, hard.tree_)
        np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))
    arrays_equal(SoftTreeClassifier(noise, noise, noise).fit(X, y).tree_, hard.tree_)
    arrays_equal(SoftTreeClassifier().fit(X, y).tree_, hard.tree_)


@examples(40)
@given(seeds)
def test_factor_0_is_c45_on_awkward_tables(seed):
    X, y, K, weight, n_categories = random_table(seed)
    columns = Columns(X, y, K, weight, n_categories)
    hard = grow(columns)
    for part in ("search", "propagation"):
        arrays_equal(grow(columns, **{part: 0.0}), hard)
    none = NoiseGate(np.zeros(X.shape[1]))
    np.testing.assert_array_equal(hard.predict_proba(X, none), hard.predict_proba(X, None))


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("gate_at", ["midpoint", "ties_right"])
def test_other_gates_tend_to_c45(name, gate_at):
    """Soft evaluation with a tiny factor: C4.5's predictions on the training data."""
    X, y = LOADERS[name](return_X_y=True)
    hard = C45Classifier().fit(X, y)
    for u in (1e-9, 1e-6):
        soft = SoftTreeClassifier(evaluation=u, gate_at=gate_at).fit(X, y)
        np.testing.assert_array_equal(soft.tree_.feature, hard.tree_.feature)
        np.testing.assert_allclose(soft.predict_proba(X), hard.predict_proba(X), atol=1e-12)


def test_threshold_gates_do_not():
    """A training row AT an observed-value threshold is halved however small the factor is."""
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    soft = SoftTreeClassifier(evaluation=1e-9).fit(X, y)
    np.testing.assert_allclose(soft.predict_proba(X), [[1, 0], [1, 0], [0.5, 0.5], [0, 1]])


@pytest.mark.parametrize("name", LOADERS)
def test_soft_propagation_with_tiny_noise_is_c45(name):
    X, y = LOADERS[name](return_X_y=True)
    kinds = (("midpoints", "threshold"), ("values", "midpoint"), ("values", "ties_right"))
    for candidates, gate_at in kinds:
        hard = C45Classifier(candidates=candidates).fit(X, y)
        soft = SoftTreeClassifier(propagation=1e-9, candidates=candidates, gate_at=gate_at)
        soft.fit(X, y)
        np.testing.assert_array_equal(soft.tree_.feature, hard.tree_.feature)
        np.testing.assert_allclose(soft.predict_proba(X), hard.predict_proba(X), atol=1e-12)


@examples(60)
@given(seeds)
def test_predictions_sum_to_1(seed):
    """Any of the three parts or all, with missing values and unseen categories."""
    rng = np.random.default_rng(seed)
    X, y, _, weight, n_categories = random_table(seed)
    parts = {p: 0.15 for p in ("search", "propagation", "evaluation") if rng.random() < 0.7}
    model = SoftTreeClassifier(
        **parts,
        categorical_features=list(np.flatnonzero(n_categories)),
        max_depth=5,
        gate_at=rng.choice(["threshold", "midpoint", "ties_right"]).item(),
        smoothing=bool(rng.random() < 0.5),
    ).fit(X, y, weight)
    new = X + np.where(n_categories > 0, rng.integers(0, 3, X.shape), rng.normal(0, 1, X.shape))
    proba = model.predict_proba(new)
    assert ((proba >= 0) & (proba <= 1 + 1e-12)).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-9)


def test_equation_3_10_at_one_test():
    X = np.array([[2.0], [3.0], [4.0], [5.0], [6.0]])
    model = SoftTreeClassifier(evaluation=0.2, prune=False, max_depth=1).fit(X, [0, 0, 0, 1, 0])
    tree = model.tree_
    sigma = 0.2 * 4.0
    left, right = tree.probabilities()[[1, 2]]
    for x in (1.0, 4.1, 4.9, 5.0, 7.0):
        share = norm.cdf((tree.threshold[0] - x) / sigma)
        share = 1.0 if tree.threshold[0] - x >= 3 * sigma else share
        np.testing.assert_allclose(
            model.predict_proba([[x]])[0], share * left + (1 - share) * right, atol=1e-12
        )


@pytest.mark.parametrize("window", [1.0, 3.0, 6.0])
def test_beyond_half_the_window_the_gate_is_hard(window):
    X, y = [[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1]
    model = SoftTreeClassifier(evaluation=0.1, window=window, prune=False).fit(X, y)
    sigma, at = 0.1 * 3.0, model.tree_.threshold[0]
    reach = window / 2 * sigma
    inside = model.predict_proba([[at - 0.99 * reach], [at + 0.99 * reach]])
    outside = model.predict_proba([[at - 1.01 * reach], [at + 1.01 * reach]])
    assert ((inside > 0) & (inside < 1)).all()
    np.testing.assert_array_equal(outside, [[1, 0], [0, 1]])
    # Cut, not renormalised: what jumps is the tail beyond the window.
    np.testing.assert_allclose(inside[1, 0], norm.cdf(-0.99 * window / 2), atol=1e-12)


def test_a_mean_of_0_has_no_noise():
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    soft = SoftTreeClassifier(0.3, 0.3, 0.3).fit(X, y)
    hard = SoftTreeClassifier().fit(X, y)
    arrays_equal(soft.tree_, hard.tree_)
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


@pytest.mark.parametrize("part", ["search", "propagation"])
def test_noise_in_training_gives_smaller_trees(part):
    """The regularising effect that the thesis reports: wdbc, pruned alike."""
    X, y = load_breast_cancer(return_X_y=True)
    sizes = [
        SoftTreeClassifier(**{part: u}, max_depth=8, confidence=0.9).fit(X, y).get_n_leaves()
        for u in (0.0, 0.1, 0.5)
    ]
    assert sizes[0] > sizes[2]


def test_an_array_of_factors_is_one_for_each_variable():
    X, y = load_wine(return_X_y=True)
    factors = np.zeros(13)
    factors[6] = 0.2
    model = SoftTreeClassifier(evaluation=factors).fit(X, y)
    np.testing.assert_allclose(
        model.tree_.gate.sigma, np.where(np.arange(13) == 6, 0.2 * X[:, 6].mean(), 0.0)
    )
    again = SoftTreeClassifier(evaluation=list(factors)).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
