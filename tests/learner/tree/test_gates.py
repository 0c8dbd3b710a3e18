"""One function for the share of an instance that goes left: every kind of gate."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import gates as naive
from oracle.induction import gate as normal_gate
from oracle.induction import pdf_gate
from oracle.random_trees import random_tree, seeds
from scipy import stats

from hedgerow.data import category_shares
from hedgerow.errors import InputError
from hedgerow.induction.core import grow
from hedgerow.tree import CategoryGate, CategoryNoise, NoiseGate, ThresholdGate, Tree
from hedgerow.tree._gates import Gates, share_of
from hedgerow.tree.gates import RelativeNoise, gate_from_dict, gate_to_dict, resolve_noise
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
    gate = NoiseGate(np.array([0.0, 0.7]), window, ties_right=True)
    got = share_of(Gates(gate, 2), 1, X, threshold=5.0, center=1.0, missing=0.3)
    check(got, [normal_gate(x, 1.0, 0.7, window, ties_right=True) for x in KNOWN], 0.3)
    np.testing.assert_allclose(gate.share(1, 1.0, KNOWN), got[:-1], atol=1e-12)


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
        gates = Gates(replace(gate, ties_right=True), 1, exact)
        got = share_of(gates, 0, X, threshold=5.0, center=1.0, missing=0.3)
        check(got, np.where(KNOWN == 1.0, 0.0, want), 0.3)


@pytest.mark.parametrize("known", [0.5, 0.49])
def test_subset(known):
    """A category never seen goes to the heavier side; a missing one both ways."""
    codes = np.array([0.0, 1.0, 2.0, 3.0, 7.0, -1.0, np.nan])
    left = np.array([1, 0, 1], dtype=np.uint8)
    heavier = float(known >= 0.5)
    got = share_of(Gates(None, 1), 0, codes, missing=known, categories_left=left)
    assert got.tolist() == [1, 0, 1, heavier, heavier, heavier, known]


CODES = np.array([0.0, 1.0, 2.0, 3.0, 7.0, -1.0, np.nan])
OBSERVED = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.0, 0.5, 0.5]])


@pytest.mark.parametrize("known", [0.5, 0.49])
@pytest.mark.parametrize("left", [[1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 0, 1]])
def test_categories(known, left):
    """Categories beyond those that the gate knows are certain; unseen ones go to the heavier."""
    left = np.array(left, dtype=np.uint8)
    got = share_of(Gates(CategoryGate({1: OBSERVED}), 2), 1, CODES, missing=known,
                   categories_left=left)  # fmt: skip
    check(got, [naive.confused(c, left, OBSERVED, known) for c in CODES[:-1]], known)
    shares = np.array([0.5, 0.3, 0.2])
    for p in (0.0, 0.3, 1.0):
        gates = Gates(CategoryNoise({1: shares}, p), 2)
        got = share_of(gates, 1, CODES, missing=known, categories_left=left)
        check(got, [naive.replaced(c, left, shares, p, known) for c in CODES[:-1]], known)
        # A variable that it does not name, and tests on numbers, are hard.
        for other in (gates, Gates(None, 2)):
            hard = share_of(other, 0, CODES, missing=known, categories_left=left)
            np.testing.assert_array_equal(
                hard, share_of(Gates(None, 1), 0, CODES, missing=known, categories_left=left)
            )
            step = share_of(other, 1, CODES, threshold=2.0, missing=known)
            np.testing.assert_array_equal(step[:-1], CODES[:-1] < 2)


@examples(60)
@given(seeds, st.floats(0, 1))
def test_uncertain_categories_need_no_traversal_of_their_own(seed, p):
    """The predictions are those of the traversal that they had, to the byte."""
    tree, X, _, columns = random_tree(seed)
    shares = category_shares(columns.X, columns.n_categories)
    rng = np.random.default_rng([seed, 7])
    new = X + np.where(columns.n_categories > 0, rng.integers(-1, 3, X.shape), 0)
    new[rng.random(new.shape) < 0.1] = np.nan
    noise = CategoryNoise(shares, p)
    got = tree.predict_proba(new, noise)
    np.testing.assert_array_equal(got, naive.categorical_predictions(tree, new, shares, p))
    # Replacement as a table of the true category given the observed one.
    width = tree.categories_left.shape[1]
    given = {
        j: (1 - p) * np.eye(width) + p * np.pad(s, (0, width - len(s))) for j, s in shares.items()
    }
    np.testing.assert_allclose(tree.predict_proba(new, CategoryGate(given)), got, atol=1e-12)
    # Leaves and paths read the same gate, and so does a tree that carries it.
    carrying = Tree.from_json(tree.replace(gate=noise).to_json())
    np.testing.assert_array_equal(carrying.predict_proba(new), got)
    leaf = tree.is_leaf()
    spread = tree.shares(new, noise).toarray()[:, leaf]
    np.testing.assert_allclose(spread @ tree.probabilities()[leaf], got, atol=1e-12)


def test_a_table_of_categories_is_kept_in_json():
    gate = CategoryGate({2: OBSERVED})
    back = gate_from_dict(json.loads(json.dumps(gate_to_dict(gate))))
    np.testing.assert_array_equal(back.given[2], OBSERVED)


@pytest.mark.parametrize(
    "table",
    [[0.5, 0.5], [[0.5, 0.5]], [[0.5, 0.6], [0, 1]], [[1.5, -0.5], [0, 1]], [[np.nan, 1], [0, 1]]],
)
def test_a_table_that_is_none_is_refused(table):
    with pytest.raises(InputError, match="true categories of variable 3 are no distributions"):
        CategoryGate({3: np.array(table)})


def test_a_gate_that_knows_more_categories_than_the_tree():
    tree = Tree(
        [0, -1, -1], [np.nan] * 3, [1, -1, -1], [2, -1, -1], [-1, 0, 0], [0.5, np.nan, np.nan],
        [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]], [[1, 0], [0, 0], [0, 0]],
    )  # fmt: skip
    with pytest.raises(InputError, match="knows 3 categories of variable 0 and the tree 2"):
        tree.predict_proba([[0.0]], CategoryGate({0: OBSERVED}))


@examples(60)
@given(st.integers(0, 10**6), st.floats(-2, 2), st.floats(0.01, 3), st.floats(1, 8))
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


def test_where_ties_go_is_kept_in_json():
    gate = NoiseGate(np.array([0.5, 0.0]), ties_right=True)
    form = json.loads(json.dumps(gate_to_dict(gate)))
    assert gate_from_dict(form).ties_right
    assert "ties_right" not in gate_to_dict(replace(gate, ties_right=False))
    tree = Tree(
        [0, -1, -1], [1.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.5, np.nan, np.nan], [[1, 1], [1, 0], [0, 1]], gate=gate,
    )  # fmt: skip
    np.testing.assert_array_equal(tree.predict_proba([[1.0, 0.0]]), [[0.0, 1.0]])
    with pytest.raises(InputError, match="`ties_right` of a gate is 'yes'; give True or False"):
        tree.replace(gate=NoiseGate(gate.sigma, ties_right="yes"))


@pytest.mark.parametrize("seed", range(6))
def test_the_window_of_propagation_is_that_of_its_gate(seed):
    """Growth once cut a gate at half the window of the search, pruning at half its own."""
    _, _, _, columns = random_tree(seed)
    sigma = np.where(columns.n_categories > 0, 0.0, 1.0)
    gate = NoiseGate(sigma, window=2.0)
    tree = grow(columns, propagation=gate, max_depth=3)
    assert tree == grow(columns, propagation=gate, window=2.0, max_depth=3)
