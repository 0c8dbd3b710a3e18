"""One function for the share of an instance that goes left: every kind of gate."""

import math

import numpy as np
import pytest
from hedgerow.tree._gates import Gates, share_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import gates as naive
from oracle.induction import gate as normal_gate
from oracle.induction import pdf_gate
from oracle.random_trees import random_tree
from scipy import stats

from hedgerow.induction.core import grow
from hedgerow.tree import NoiseGate, ThresholdGate
from hedgerow.tree.gates import RelativeNoise, resolve_noise
from hedgerow.uncertainty import ShapedNoise

X = np.concatenate([np.linspace(-4.0, 6.0, 81), [1.0, 0.0, -0.0, 1e300, -1e300, np.nan]])
KNOWN = X[:-1]


class Python:
    """A model under a name that the core does not know: it has to ask."""

    def __init__(self, model):
        self.model = model

    def cdf(self, d):
        return self.model.cdf(d)

    def mean(self):
        return self.model.mean()

    def std(self):
        return self.model.std()


def check(got, want, missing):
    assert got[-1] == missing
    assert ((got >= 0) & (got <= 1)).all()
    np.testing.assert_allclose(got[:-1], want, atol=1e-12)


@pytest.mark.parametrize("gate", [None, NoiseGate(np.zeros(1)), NoiseGate(np.ones(2), 6.0)])
def test_step(gate):
    """No gate, one without noise, and one that is about other variables."""
    j = 0 if gate is None or len(gate.sigma) == 1 else 2
    gates = Gates(gate, 3)
    assert gates.soft == (j == 2)
    got = share_of(gates, j, X, threshold=1.0, center=0.4, missing=0.3)
    check(got, [naive.step(x, 1.0) for x in KNOWN], 0.3)


@pytest.mark.parametrize("window", [6.0, 2.5])
def test_normal(window):
    """The centre is that of the gate, not the threshold."""
    gates = Gates(NoiseGate(np.array([0.0, 0.7]), window), 2)
    got = share_of(gates, 1, X, threshold=5.0, center=1.0, missing=0.3)
    check(got, [normal_gate(x, 1.0, 0.7, window) for x in KNOWN], 0.3)


@pytest.mark.parametrize("lower", [-math.inf, -1.0, 0.9])
@pytest.mark.parametrize("upper", [math.inf, 3.0, 1.1])
def test_pdf(lower, upper):
    """Given the interval that the tests above left; a step where they left no mass."""
    gates = Gates(NoiseGate(np.array([0.8]), 4.0, conditioned=True), 1)
    assert gates.conditioned
    got = share_of(gates, 0, X, threshold=1.0, lower=lower, upper=upper, missing=0.3)
    want = [pdf_gate(x, 1.0, 0.8, (lower, upper)) for x in KNOWN]
    # Far out the mass left is a difference of two numbers that are nearly 1.
    near = (lower - 1.5 < KNOWN) & (upper + 1.5 > KNOWN)
    assert got[-1] == 0.3 and ((got >= 0) & (got <= 1)).all()
    np.testing.assert_allclose(got[:-1][near], np.array(want)[near], atol=1e-9)


@pytest.mark.parametrize(("lower", "upper"), [(-1.0, 2.5), (1.0, 3.0), (0.0, 1.0), (1.0, 1.0)])
def test_linear(lower, upper):
    gate = ThresholdGate(np.array([lower]), np.array([upper]))
    gates = Gates(gate, 1)
    got = share_of(gates, 0, X, threshold=1.0, lower=lower, upper=upper, missing=0.3)
    check(got, [naive.linear(x, lower, 1.0, upper) for x in KNOWN], 0.3)
    np.testing.assert_allclose(got[:-1], gate.share(0, 1.0, KNOWN), atol=1e-12)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        stats.norm(0.02, 0.5),
        stats.uniform(-0.5, 0.9),
        stats.laplace(-0.1, scale=0.2),
        stats.t(3, 0.05, 0.2),
        stats.triang(0.5, -1, 2),
        ShapedNoise("laplace", 0.3),
    ],
)
def test_models(model, known, relative):
    """Worked out by the core, or asked of Python: the same distribution function."""
    if not known:
        model = Python(model)
    if relative:
        model = RelativeNoise(model)
    gate = resolve_noise(model, np.ones(1), np.zeros(1, dtype=int))
    for exact in (False, True):
        gates = Gates(gate, 1, exact)
        assert gates.asking >= (exact or not known)
        got = share_of(gates, 0, X, threshold=5.0, center=1.0, missing=0.3)
        sigma, center = gate.sigma[0], gate.center[0]
        want = [naive.model(x, 1.0, model.cdf, sigma, center, relative) for x in KNOWN]
        check(got, want, 0.3)


@pytest.mark.parametrize("known", [0.5, 0.49])
def test_subset(known):
    """A category never seen goes to the heavier side; a missing one both ways."""
    codes = np.array([0.0, 1.0, 2.0, 3.0, 7.0, -1.0, np.nan])
    left = np.array([1, 0, 1], dtype=np.uint8)
    heavier = float(known >= 0.5)
    got = share_of(Gates(None, 1), 0, codes, missing=known, categories_left=left)
    assert got.tolist() == [1, 0, 1, heavier, heavier, heavier, known]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.floats(-2, 2),
    st.floats(0.01, 3),
    st.floats(1, 8),
)
def test_a_share_falls_along_the_values(seed, center, sigma, window):
    """Of every gate at tests on numbers: 0 <= share <= 1, and more of a smaller value is left."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(0, 3, 30))
    lower, upper = np.sort(rng.normal(center, 2, 2))
    lower, upper = min(lower, center), max(upper, center)
    for gate in (
        None,
        NoiseGate(np.array([sigma]), window),
        NoiseGate(np.array([sigma]), window, {0: stats.laplace(scale=sigma)}),
        ThresholdGate(np.array([lower]), np.array([upper])),
    ):
        got = share_of(Gates(gate, 1), 0, x, threshold=center, lower=lower, upper=upper)
        assert ((got >= 0) & (got <= 1)).all()
        assert (np.diff(got) <= 1e-12).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_window_of_propagation_is_that_of_its_gate(seed):
    """Growth once cut a gate at half the window of the search, pruning at half its own."""
    _, _, _, columns = random_tree(seed)
    sigma = np.where(columns.n_categories > 0, 0.0, 1.0)
    gate = NoiseGate(sigma, window=2.0)
    tree = grow(columns, propagation=gate, max_depth=3)
    assert tree == grow(columns, propagation=gate, window=2.0, max_depth=3)
