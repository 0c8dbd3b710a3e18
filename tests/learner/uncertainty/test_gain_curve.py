"""Gain curves against the plain reference and against what growth chooses."""

import numpy as np
import pytest
from effort import draws
from oracle.induction import gain, gate, hard_candidates, sides, soft_grid

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.uncertainty import gain_curve


def sample(seed):
    """Values with ties, two to four classes."""
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(2, 40)), int(rng.integers(2, 5))
    x = rng.normal(3, 2, n) if seed % 2 else rng.integers(0, 6, n).astype(float)
    return x, rng.integers(0, K, n), rng


def expected(x, y, taus, sigma, window):
    K = len(np.unique(y))
    codes = np.unique(y, return_inverse=True)[1]
    known = [(i, 1.0) for i in range(len(x))]
    lefts, gains = [], []
    for tau in taus:
        left, right = sides(known, [gate(v, tau, sigma, window) for v in x], codes, K)
        lefts.append(left)
        gains.append(gain(left, right) if min(sum(left), sum(right)) > 1e-12 else 0.0)
    return np.array(lefts).reshape(-1, K), np.array(gains)


@pytest.mark.parametrize("seed", draws(40))
@pytest.mark.parametrize("midpoints", [False, True])
def test_hard_curve_is_the_references(seed, midpoints):
    x, y, _ = sample(seed)
    curve = gain_curve(x, y, candidates="midpoints" if midpoints else "values")
    taus = hard_candidates(x, midpoints)
    np.testing.assert_allclose(curve.threshold, taus)
    left, gains = expected(x, y, taus, 0.0, 6.0)
    np.testing.assert_allclose(curve.left, left)
    np.testing.assert_allclose(curve.gain, gains, atol=1e-12)


@pytest.mark.parametrize("seed", draws(60))
def test_soft_curve_is_the_references(seed):
    """Plateaus between reaches, windows and steps of all kinds."""
    x, y, rng = sample(seed)
    sigma = float(rng.choice([0.02, 0.3, 1.5]))
    window, step = float(rng.choice([4, 6, 8])), float(rng.choice([0.05, 0.1, 0.5]))
    curve = gain_curve(x, y, sigma, window=window, step=step)
    taus = soft_grid(x, sigma, window, step)
    np.testing.assert_allclose(curve.threshold, taus, rtol=0, atol=1e-9)
    left, gains = expected(x, y, taus, sigma, window)
    np.testing.assert_allclose(curve.left, left, atol=1e-9)
    np.testing.assert_allclose(curve.gain, gains, atol=1e-9)
    np.testing.assert_allclose(curve.increments.sum(axis=0), left[-1], atol=1e-9)
    assert (curve.increments >= -1e-12).all()


@pytest.mark.parametrize("seed", draws(20, least=4))
def test_growth_chooses_the_top_of_the_curve(seed):
    """The same bits: a figure shows the gains among which the tree has chosen."""
    x, y, _ = sample(seed)
    settings = {"prune": False, "max_depth": 1, "min_samples_split": 2}
    hard = gain_curve(x, y)
    tree = C45Classifier(**settings).fit(x[:, None], y).tree_
    if tree.n_leaves == 2:
        assert tree.threshold[0] == hard.threshold[np.argmax(hard.gain > hard.gain.max() - 1e-12)]
    soft = gain_curve(x, y, 0.2 * abs(x.mean()))
    tree = SoftTreeClassifier(search=0.2, **settings).fit(x[:, None], y).tree_
    if tree.n_leaves == 2:
        at = np.argmin(abs(soft.threshold - tree.threshold[0]))
        assert soft.threshold[at] == pytest.approx(tree.threshold[0], abs=1e-12)
        inside = (soft.threshold > x.min()) & (soft.threshold <= x.max())
        assert soft.gain[at] == pytest.approx(soft.gain[inside].max(), abs=1e-12)


def test_figure_3_3a():
    """The gain is 1 on a plateau about 0 (methods note on figure 3.3)."""
    curve = gain_curve([-2.0, -2.0, 2.0, 2.0], ["a", "a", "b", "b"], 0.3)
    top = curve.threshold[curve.gain > 1 - 1e-12]
    assert top.min() == pytest.approx(-1.1, abs=0.03) and top.max() == pytest.approx(1.1, abs=0.03)
    assert curve.classes.tolist() == ["a", "b"]


def test_one_value_or_one_class_has_nothing_to_gain():
    assert gain_curve([1.0, 1.0], [0, 1]).gain.size == 0
    for values, labels in (([1.0, 1.0], [0, 1]), ([1.0, 2.0], [0, 0]), ([1.0], [0])):
        assert abs(gain_curve(values, labels, 0.1).gain).max() < 1e-12


@pytest.mark.parametrize(
    ("values", "labels", "settings", "culprit"),
    [
        ([], [], {}, "empty"),
        ([1.0, np.nan], [0, 1], {}, "not finite"),
        ([[1.0]], [0], {}, "dimension"),
        ([1.0, 2.0], [0], {}, "2 values and 1 labels"),
        ([1.0, 2.0], [0, 1], {"sigma": -1.0}, "sigma is -1.0"),
        ([1.0, 2.0], [0, 1], {"sigma": np.nan}, "sigma is nan"),
        ([1.0, 2.0], [0, 1], {"sigma": 1e-9}, "sigma is 1e-09 for values from 1 to 2"),
        ([1.0, 2.0], [0, 1], {"sigma": 0.1, "step": 0.0}, "step is 0.0"),
        ([1.0, 2.0], [0, 1], {"sigma": 0.1, "window": 0.0}, "window is 0.0"),
        ([1.0, 2.0], [0, 1], {"candidates": "all"}, "candidates is 'all'"),
    ],
)
def test_bad_input(values, labels, settings, culprit):
    with pytest.raises(InputError, match=culprit):
        gain_curve(values, labels, **settings)
