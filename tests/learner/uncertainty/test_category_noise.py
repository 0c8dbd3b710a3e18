"""Soft evaluation of categories, and shaped noise models."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow import C45Classifier
from hedgerow.data import category_shares
from hedgerow.errors import InputError
from hedgerow.tree import NoiseGate
from hedgerow.uncertainty import CategoryNoise, ShapedNoise


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(4)
    n = 400
    kind, mark = rng.integers(0, 4, n), rng.integers(0, 2, n)
    x = rng.normal(3, 1, n)
    y = ((kind >= 2) ^ (mark == 1) ^ (rng.random(n) < 0.1)).astype(int) + (x > 4.2)
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical.from_codes(kind, list("abcd")),
            "x": x,
            "mark": pd.Categorical.from_codes(mark, ["no", "yes"]),
        }
    )
    model = C45Classifier(prune=False, max_depth=6).fit(frame, y)
    X = np.column_stack([kind, x, mark]).astype(float)
    X[::7, 0] = np.nan
    X[::11, 1] = np.nan
    shares = category_shares(X, np.array([4, 0, 2]))
    return model.tree_, X, shares


def naive(tree, row, shares, p, node=0):
    """Equation 3.10 by recursion; a category is what it seems, or drawn anew."""
    j = tree.feature[node]
    if j < 0:
        return tree.class_weight[node] / tree.class_weight[node].sum()
    if math.isnan(row[j]):
        left = tree.share_left[node]
    elif math.isnan(tree.threshold[node]):
        subset = tree.categories_left[node]
        if row[j] >= len(shares[j]):
            left = float(tree.share_left[node] >= 0.5)
        else:
            left = (1 - p) * subset[int(row[j])] + p * sum(
                s for s, inside in zip(shares[j], subset, strict=False) if inside
            )
    else:
        left = float(row[j] < tree.threshold[node])
    a = naive(tree, row, shares, p, tree.children_left[node])
    b = naive(tree, row, shares, p, tree.children_right[node])
    return left * a + (1 - left) * b


@pytest.mark.parametrize("p", [0.0, 0.2, 1.0])
def test_it_agrees_with_the_recursion(fitted, p):
    tree, X, shares = fitted
    assert tree.is_categorical().sum() >= 2
    rows = np.vstack([X[:60], [[4.0, 3.0, 0.0]]])  # a category never seen
    got = tree.predict_proba(rows, CategoryNoise(shares, p))
    want = [naive(tree, row, shares, p) for row in rows]
    np.testing.assert_allclose(got, want, atol=1e-12)
    np.testing.assert_allclose(got.sum(axis=1), 1)


def test_it_is_the_mean_prediction_over_what_the_category_may_have_been():
    """One test: the mixture equals the hard prediction of the true category, averaged by Bayes."""
    rng = np.random.default_rng(1)
    shares = {0: np.array([0.5, 0.3, 0.2])}
    true = rng.choice(3, 200_000, p=shares[0])
    seen = np.where(rng.random(200_000) < 0.4, rng.choice(3, 200_000, p=shares[0]), true)
    tree = C45Classifier(prune=False, categorical_features=[0]).fit(
        [[0], [0], [0], [1], [1], [1], [2], [2], [2]], [0, 0, 0, 0, 0, 0, 1, 1, 1]
    )
    hard = tree.tree_.predict_proba(true[:, None].astype(float), evaluation=None)
    soft = tree.tree_.predict_proba(np.array([[0.0], [1.0], [2.0]]), CategoryNoise(shares, 0.4))
    for category in range(3):
        np.testing.assert_allclose(soft[category], hard[seen == category].mean(axis=0), atol=0.01)


@pytest.mark.parametrize("p", [-0.1, 1.5, np.nan])
def test_a_bad_probability_is_refused(p):
    with pytest.raises(InputError, match="probability of replacement"):
        CategoryNoise({}, p)


# ----------------------------------------------------------------------------- shaped noise


@pytest.mark.parametrize(
    ("shape", "frozen"),
    [
        ("normal", stats.norm(scale=0.7)),
        ("uniform", stats.uniform(-0.7 * 3**0.5, 1.4 * 3**0.5)),
        ("laplace", stats.laplace(scale=0.7 / 2**0.5)),
        ("student_t", stats.t(3, scale=0.7 / 3**0.5)),
    ],
)
def test_shaped_noise_is_the_frozen_distribution_of_that_standard_deviation(shape, frozen):
    model = ShapedNoise(shape, 0.7)
    d = np.linspace(-4, 4, 41)
    np.testing.assert_allclose(model.cdf(d), frozen.cdf(d), atol=1e-15)
    assert model.std() == 0.7 == pytest.approx(frozen.std())
    assert isinstance(model.cdf(0.1), float) and model.mean() == 0
    gate = NoiseGate(np.array([0.7]), 6.0, {0: model})
    assert isinstance(gate.callables()[0], tuple)
    back = NoiseGate.from_dict(gate.to_dict())
    x = np.linspace(-2, 2, 9)
    np.testing.assert_array_equal(back.share(0, 0.3, x), gate.share(0, 0.3, x))


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.nan, np.inf])
def test_a_sigma_that_is_none_is_refused(sigma):
    with pytest.raises(InputError, match="sigma of noise"):
        ShapedNoise("normal", sigma)
    with pytest.raises(InputError, match="shape of noise is 'flat'"):
        ShapedNoise("flat", 1.0)
