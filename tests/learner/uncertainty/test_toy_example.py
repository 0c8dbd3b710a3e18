"""The motivating example of thesis 3.2.4: figures 3.3a and 3.4."""

import numpy as np
import pytest
from oracle.noise import in_order, misclassified, simulated
from scipy import stats
from scipy.stats import norm

from hedgerow import SoftTreeClassifier

X = np.array([[-2.0], [-2.0], [2.0], [2.0]])
Y = [0, 0, 1, 1]
SIGMA = 0.3
STEP = 0.1 * SIGMA


def test_figure_3_3a_hard_search_picks_2():
    assert SoftTreeClassifier(prune=False).fit(X, Y).tree_.threshold[0] == 2.0


def test_figure_3_3a_soft_search_picks_0():
    """The gain is 1 on a plateau about 0; its middle is within a grid step of 0."""
    tree = SoftTreeClassifier(search=stats.norm(scale=SIGMA), prune=False).fit(X, Y).tree_
    assert abs(tree.threshold[0]) <= STEP
    assert tree.n_leaves == 2


@pytest.mark.parametrize("shift", [3.0, 4.0, 100.0])
def test_figure_3_3a_with_a_factor(shift):
    """The same noise as a fraction of the mean, on values moved above 0."""
    model = SoftTreeClassifier(search=SIGMA / shift, prune=False).fit(X + shift, Y)
    assert abs(model.tree_.threshold[0] - shift) <= STEP * (1 + 1e-9)
    between = np.linspace(0.1, 1.9, 10)[:, None] + shift
    hard = SoftTreeClassifier(prune=False).fit(X + shift, Y)
    assert (model.predict(between) == 1).all()
    assert (hard.predict(between) == 0).all(), "what soft search avoids"


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0, 3.0, 5.0])
def test_figure_3_4_closed_form_is_what_simulation_gives(sigma):
    for x in (1.0, -1.0):
        for noisy in (False, True):
            ordered, wrong = simulated(x, sigma, noisy)
            assert in_order(sigma) == pytest.approx(ordered, abs=0.004)
            assert misclassified(x, sigma, noisy) == pytest.approx(wrong, abs=0.004)


def test_figure_3_4_printed_form_is_not():
    """sigma = 2: .921 by simulation and by Phi(4 / (sqrt(2) sigma)); Phi(4 / (2 sigma)) = .841."""
    assert in_order(2.0) == pytest.approx(0.921, abs=5e-4)
    assert simulated(1.0, 2.0)[0] == pytest.approx(0.921, abs=2e-3)
    assert norm.cdf(4 / (2 * 2.0)) == pytest.approx(0.841, abs=5e-4)


def test_figure_3_4_goes_to_one_half():
    """Nearly certain while the two measurements keep apart, then ever less so; SE faster."""
    sigmas = np.linspace(0.2, 8, 40)
    for noisy in (False, True):
        right = np.array([misclassified(1.0, s, noisy) for s in sigmas])
        left = np.array([misclassified(-1.0, s, noisy) for s in sigmas])
        np.testing.assert_allclose(right + left, 1.0)
        assert (np.diff(right) > 0).all() and right[0] < 1e-4 and right[-1] < 0.5
    assert misclassified(1.0, 1.0, noisy=True) > misclassified(1.0, 1.0, noisy=False)


def fitted(**noise):
    """One test at 0 on the two training values -2 (class 0) and 2 (class 1)."""
    model = SoftTreeClassifier(
        candidates="midpoints", min_samples_split=2, max_depth=1, prune=False, **noise
    )
    return model.fit([[-2.0], [2.0]], [0, 1])


@pytest.mark.parametrize("sigma", [0.5, 0.7, 1.0, 2.0, 4.0, 8.0])
def test_figure_3_4a_soft_training_propagation(sigma):
    """A leaf holds Phi(2 / sigma) of its own class: less certain as sigma grows."""
    model = fitted(propagation=stats.norm(scale=sigma))
    own = 1.0 if 2 / sigma >= 3 else norm.cdf(2 / sigma)
    want = [[own, 1 - own], [1 - own, own]]
    np.testing.assert_allclose(model.predict_proba([[-1.0], [1.0]]), want, atol=1e-12)


def test_figure_3_4a_moves_as_the_closed_form():
    """Prediction 0 at x = 1: from 0 towards one half with growing sigma, in both."""
    sigmas = [0.7, 1.0, 1.5, 2.0, 3.0, 5.0]
    leaf = [fitted(propagation=stats.norm(scale=s)).predict_proba([[1.0]])[0, 0] for s in sigmas]
    closed = [misclassified(1.0, s) for s in sigmas]
    assert (np.diff(leaf) > 0).all() and (np.diff(closed) > 0).all()
    assert max(*leaf, *closed) < 0.5


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("x", [-1.0, 0.0, 0.3, 1.0])
def test_figure_3_4b_soft_evaluation(sigma, x):
    """Equation 3.10 with pure leaves: the chance that the true value lies below the threshold."""
    model = fitted(evaluation=stats.norm(scale=sigma))
    assert model.predict_proba([[x]])[0, 0] == pytest.approx(norm.cdf(-x / sigma), abs=1e-12)
