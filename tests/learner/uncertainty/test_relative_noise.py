"""Noise that grows with the measured value, and the models that the core works out itself."""

import math
import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from test_noise_models import RELATIVE, in_each_part, table_of_both_signs

from hedgerow import SoftTreeClassifier, Tree
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree.gates import NoiseGate, resolve_noise
from hedgerow.uncertainty import RelativeNoise


@in_each_part
@pytest.mark.parametrize("name", RELATIVE)
def test_it_agrees_with_the_reference(agrees, name, seed):
    agrees(name, seed)


def test_the_gate_widens_with_the_value_and_is_hard_at_0():
    gate = resolve_noise(RelativeNoise(stats.norm(scale=0.1)), np.ones(1), np.zeros(1, dtype=int))
    x = np.array([10.0, 100.0, -100.0, 0.0, 0.0])
    centre = np.array([11.0, 110.0, -90.0, 0.0, 1e-9])
    one_sigma = stats.norm.cdf(1)
    np.testing.assert_allclose(gate.share(0, centre, x), [one_sigma] * 3 + [0.0, 1.0])
    assert gate.relative == {0} and NoiseGate(np.ones(1)).relative == frozenset()


def test_where_all_values_are_alike_in_size_it_is_the_common_noise():
    """|x| is 4 everywhere: 5 % of the value is .2 in the variable's unit."""
    X = np.array([[-4.0], [4.0]] * 10)
    y = np.array([0, 1] * 10)
    for part in ("search", "propagation", "evaluation"):
        ours = SoftTreeClassifier(**{part: RelativeNoise(stats.norm(scale=0.05))}).fit(X, y)
        plain = SoftTreeClassifier(**{part: stats.norm(scale=0.2)}).fit(X, y)
        grid = np.linspace(-5, 5, 7)[:, None]
        if part == "evaluation":
            grid = np.array([[-4.0], [4.0]])
        np.testing.assert_allclose(ours.predict_proba(grid), plain.predict_proba(grid), atol=1e-9)


def test_a_skewed_variable_does_not_outgrow_the_memory():
    """The grid's step is at least a 20th of that of the largest value."""
    x = np.r_[np.linspace(1, 2, 200), 1e6][:, None]
    y = np.r_[np.arange(200) >= 100, False].astype(int)
    model = SoftTreeClassifier(search=RelativeNoise(stats.norm(scale=0.1))).fit(x, y)
    assert model.predict_proba(x).shape == (201, 2)


def test_it_travels_with_the_tree():
    X, y, _ = table_of_both_signs(1)
    own = RelativeNoise(stats.laplace(scale=0.1))
    model = SoftTreeClassifier(evaluation=[own, 0.1], prune=False).fit(X, y)
    back = Tree.from_json(model.tree_.to_json())
    assert back.gate.relative == {0}
    np.testing.assert_array_equal(back.predict_proba(X), model.tree_.predict_proba(X))
    again = clone(pickle.loads(pickle.dumps(model))).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_is_no_model_is_refused():
    for part in ("search", "propagation", "evaluation"):
        with pytest.raises(InputError, match=f"{part} is .* neither a number nor"):
            SoftTreeClassifier(**{part: RelativeNoise(0.1)}).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        stats.norm(0.02, 0.3),
        stats.uniform(-0.5, 0.9),
        stats.laplace(-0.1, scale=0.2),
        stats.t(3, 0.05, 0.2),
        stats.t(df=3, scale=0.2),
    ],
)
def test_the_core_and_python_agree_on_the_models_that_both_know(model, relative):
    """The same model under another name goes through Python for every node."""

    class Unknown:
        def __getattr__(self, name):
            if name == "dist":
                raise AttributeError(name)
            return getattr(model, name)

    wrap = RelativeNoise if relative else (lambda m: m)
    for seed in range(4):
        X, y, K = table_of_both_signs(seed, 60)
        columns = Columns(X, y, K)
        means, kinds = columns.means, columns.n_categories
        known = resolve_noise(wrap(model), means, kinds)
        asked = resolve_noise(wrap(Unknown()), means, kinds)
        assert isinstance(known.callables()[0], tuple)
        assert callable(asked.callables()[0])
        trees = [grow(columns, propagation=gate) for gate in (known, asked)]
        np.testing.assert_array_equal(trees[0].feature, trees[1].feature)
        np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)
        np.testing.assert_allclose(trees[0].class_weight, trees[1].class_weight, atol=1e-10)
        pruned = [prune(trees[k], columns, propagation=(known, asked)[k]) for k in range(2)]
        np.testing.assert_allclose(pruned[0].class_weight, pruned[1].class_weight, atol=1e-10)


def test_other_families_and_shapes_are_asked():
    gate = resolve_noise(
        [stats.t(5, scale=0.2), stats.triang(0.5, -1, 2), stats.norm(scale=0.3)],
        np.ones(3),
        np.zeros(3, dtype=int),
    )
    asked = gate.callables()
    assert callable(asked[0]) and callable(asked[1]) and isinstance(asked[2], tuple)
    assert math.isclose(asked[0](1.0, np.array([0.9]))[0], stats.t.cdf(0.5, 5))
