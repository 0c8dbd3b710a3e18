"""Any noise model with a distribution function, in search, propagation and evaluation."""

import math

import numpy as np
import pandas as pd
import pytest
from oracle.induction import Reference, predict
from oracle.noise import noise_models
from scipy import stats
from sklearn.datasets import load_iris

from hedgerow import SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree.gates import resolve_noise, scale_of
from hedgerow.uncertainty import EmpiricalNoise, RelativeNoise

RESIDUALS = np.random.default_rng(7).normal(0.05, 0.4, 60).round(2)
MODELS = {
    "normal": stats.norm(scale=0.4),
    "biased": stats.norm(0.2, 0.3),
    "uniform": stats.uniform(-0.5, 1.0),
    "triangular": stats.triang(0.5, loc=-0.8, scale=1.6),
    "laplace": stats.laplace(scale=0.3),
    "student": stats.t(5, scale=0.3),
    "no_variance": stats.t(1.5, scale=0.3),
    "cauchy": stats.cauchy(scale=0.2),
    "empirical": EmpiricalNoise(RESIDUALS),
}
#: As shares of the value.
RELATIVE = {
    "relative normal": stats.norm(scale=0.2),
    "relative biased": stats.norm(0.1, 0.15),
    "relative uniform": stats.uniform(-0.3, 0.6),
    "relative laplace": stats.laplace(scale=0.15),
    "relative student": stats.t(3, scale=0.1),
    "relative empirical": EmpiricalNoise((RESIDUALS / 2).round(2)),
}


def table(seed, n=16):
    rng = np.random.default_rng(seed)
    X = rng.normal(3, 1.5, (n, 2)).round(int(rng.integers(0, 3)))
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.15] = np.nan
    y = rng.integers(0, 2 + seed % 2, n)
    return X, y, int(y.max()) + 1


def table_of_both_signs(seed, n=14):
    """Values of both signs with zeros, ties and holes."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(2, 2, (n, 2)) * (1 + 3 * (rng.random((n, 2)) < 0.2))).round(seed % 2)
    X[0, 0] = 0.0
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.15] = np.nan
    y = rng.integers(0, 2 + seed % 2, n)
    return X, y, int(y.max()) + 1


def case(name, seed, n):
    """A table, its number of classes, and the model of a name."""
    if name in RELATIVE:
        return *table_of_both_signs(seed, n), RelativeNoise(RELATIVE[name])
    return *table(seed, n), MODELS[name]


def known(name, sigma):
    """The reference knows the model by its sigma."""
    model = (MODELS | RELATIVE)[name]
    center = model.mean() if name.endswith(("biased", "empirical")) else 0.0
    relative = {sigma} if name in RELATIVE else set()
    return noise_models({sigma: model.cdf}, {sigma: center}, relative=relative)


def search_agrees(name, seed):
    X, y, K, model = case(name, seed, 15)
    columns = Columns(X, y, K)
    noise = resolve_noise(model, columns.means, columns.n_categories)
    tree = grow(columns, search=noise, min_samples_split=3)
    with known(name, noise.sigma[0]):
        Reference(X, y, K, search=noise.sigma, min_split=3).check(tree)


def propagation_agrees(name, seed):
    X, y, K, model = case(name, seed, 13)
    columns = Columns(X, y, K)
    noise = resolve_noise(model, columns.means, columns.n_categories)
    tree = grow(columns, propagation=noise, min_samples_split=4, max_depth=5)
    with known(name, noise.sigma[0]):
        reference = Reference(X, y, K, propagation=noise.sigma, min_split=4, max_depth=5)
        reference.check(tree)
        want, _ = reference.prune(reference.nested(tree), confidence=0.6)
    pruned = prune(tree, columns, propagation=noise, confidence=0.6)
    assert (pruned.feature[0] >= 0) == ("j" in want)
    np.testing.assert_allclose(pruned.class_weight[0], want["weights"], atol=1e-9)


def evaluation_agrees(name, seed):
    X, y, K, model = case(name, seed, 15)
    fitted = SoftTreeClassifier(evaluation=model, prune=False).fit(X, y)
    sigma = fitted.tree_.gate.sigma
    reference = Reference(X, y, K).nested(fitted.tree_)
    new = np.concatenate([X, X + 0.13, [[np.nan, 3.0], [0.0, 0.0]]])
    with known(name, sigma[0]):
        want = [predict(reference, row, [0, 0], sigma) for row in new]
    np.testing.assert_allclose(fitted.predict_proba(new), want, atol=1e-9)


#: Function and seed; the reference of search is slow.
in_each_part = pytest.mark.parametrize(
    ("agrees", "seed"),
    [
        *((search_agrees, seed) for seed in range(3)),
        *(
            (agrees, seed)
            for agrees in (propagation_agrees, evaluation_agrees)
            for seed in range(6)
        ),
    ],
)


@in_each_part
@pytest.mark.parametrize("name", MODELS)
def test_it_agrees_with_the_reference(agrees, name, seed):
    agrees(name, seed)


def test_the_scale_of_a_model():
    """The standard deviation where it is finite; else half the distance of the +-1 sigma points."""
    assert scale_of(stats.norm(scale=0.4)) == pytest.approx(0.4)
    assert scale_of(stats.uniform(-1, 2)) == pytest.approx(2 / math.sqrt(12))
    assert scale_of(EmpiricalNoise([-1.0, 1.0])) == 1.0
    for heavy in (stats.t(1.5, scale=0.3), stats.cauchy(0.5, 2.0)):
        want = (heavy.ppf(norm_of(1)) - heavy.ppf(norm_of(-1))) / 2
        assert scale_of(heavy) == pytest.approx(want)

    class OnlyCdf:
        def cdf(self, d):
            return stats.norm.cdf(d, 3.0, 0.7)

    assert scale_of(OnlyCdf()) == pytest.approx(0.7)


def norm_of(z):
    return stats.norm.cdf(z)


def test_an_object_with_cdf_alone_is_enough():
    class Mine:
        def cdf(self, d):
            return stats.norm.cdf(d, scale=0.4)

    X, y, _ = table(1, 60)
    for part in ("search", "propagation", "evaluation"):
        mine = SoftTreeClassifier(**{part: Mine()}, max_depth=5).fit(X, y)
        want = SoftTreeClassifier(**{part: stats.norm(scale=0.4)}, max_depth=5).fit(X, y)
        np.testing.assert_array_equal(mine.tree_.feature, want.tree_.feature)
        np.testing.assert_allclose(mine.predict_proba(X), want.predict_proba(X), atol=1e-9)


def test_an_error_inside_a_model_reaches_the_user():
    class Broken:
        looks = 0

        def cdf(self, d):
            self.looks += np.ndim(d) > 0
            if self.looks <= 2:  # as when the model is checked; it breaks at work
                return stats.norm.cdf(d)
            raise RuntimeError("the calibration file is gone")

        def std(self):
            return 0.4

    X, y, _ = table(1, 60)
    for part in ("search", "propagation"):
        with pytest.raises(RuntimeError, match="the calibration file is gone"):
            SoftTreeClassifier(**{part: Broken()}).fit(X, y)
    model = SoftTreeClassifier(evaluation=Broken()).fit(X, y)
    with pytest.raises(RuntimeError, match="the calibration file is gone"):
        model.predict(X)


def test_categorical_variables_carry_no_noise():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"kind": pd.Categorical(rng.choice(list("abc"), 80)), "x": rng.normal(3, 1, 80)}
    )
    y = (frame["kind"] == "a") | (frame["x"] > 4)
    model = SoftTreeClassifier(0.1, 0.1, stats.laplace(scale=0.1)).fit(frame, y)
    assert model.tree_.gate.sigma[0] == 0 and set(model.tree_.gate.models) == {1}


def test_empirical_noise():
    noise = EmpiricalNoise([2.0, -1.0, 0.0, 1.0])
    assert noise.cdf(-1.5) == 0 and noise.cdf(2.0) == 1
    np.testing.assert_array_equal(noise.cdf(np.array([-1.0, 0.5])), [0.25, 0.5])
    assert noise.std() == pytest.approx(np.std([2, -1, 0, 1]))
    for bad in ([], [1.0, np.nan], [np.inf]):
        with pytest.raises(InputError, match="residuals of a noise model are empty or not finite"):
            EmpiricalNoise(bad)


def test_a_point_mass_is_no_noise():
    """A model without spread falls back to the hard method."""
    X, y, _ = table(1, 60)
    exact = EmpiricalNoise([0.0, 0.0])
    soft = SoftTreeClassifier(exact, exact, exact).fit(X, y)
    hard = SoftTreeClassifier().fit(X, y)
    assert soft.tree_ == hard.tree_
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


def test_a_biased_model_keeps_its_mass():
    """The window was cut about 0, so that a model far from 0 became a step at its edge."""
    gate = resolve_noise(stats.norm(5, 1), np.ones(1), np.zeros(1, dtype=int))
    for d in (2.5, 4.0, 5.0, 7.5):
        share = gate.share(0, np.array([d]), np.array([0.0]))
        assert share[0] == pytest.approx(stats.norm(5, 1).cdf(d))
    assert gate.share(0, np.array([1.9]), np.array([0.0]))[0] == 0


def test_the_sign_of_residuals():
    """An instrument that reads 1 too high: a reading just above a threshold is truly below it."""
    true_minus_measured = -1 + np.linspace(-0.2, 0.2, 9)
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    soft = SoftTreeClassifier(evaluation=EmpiricalNoise(true_minus_measured), prune=False)
    assert soft.fit(X, y).predict([[3.2]])[0] == 0


class Odd:
    """Something with a cdf that is no distribution function."""

    def __init__(self, value):
        self.value = value

    def cdf(self, d):
        return self.value if np.isscalar(d) else np.full(np.shape(d), self.value)


@pytest.mark.parametrize("value", [0.5, 7.0, -1.0, np.nan])
@pytest.mark.parametrize("part", ["search", "propagation", "evaluation"])
def test_a_model_that_is_no_distribution_is_refused(part, value):
    """A constant made the search for its scale run for ever; not-a-number went unnoticed."""
    with pytest.raises(InputError, match=f"{part} holds the noise model .* rises from 0 to 1"):
        SoftTreeClassifier(**{part: Odd(value)}).fit([[1.0], [2.0]], [0, 1])


class Careless:
    """Normal noise that goes wrong at the n-th question, in one of many ways."""

    def __init__(self, way, n=0):
        self.way, self.n = way, n

    def __repr__(self):
        return "Careless()"

    def cdf(self, d):
        self.n -= 1
        right = stats.norm.cdf(d)
        return right if self.n >= 0 or np.ndim(d) == 0 else self.way(d, right)


def _interrupt(d, right):
    raise KeyboardInterrupt


WAYS = {
    "nothing": (lambda d, right: None, "gives nan|gives shape|gives no numbers"),
    "words": (lambda d, right: "half", "gives no numbers for distances of shape"),
    "nan": (lambda d, right: right * np.nan, "gives nan"),
    "scalar": (lambda d, right: 0.5, r"gives shape \(\) for distances of shape"),
    "above": (lambda d, right: right * 1.1, r"gives 1\."),
    "below": (lambda d, right: right - 0.1, "gives -0.1"),
    "flat": (lambda d, right: right[..., None], "gives shape"),
    "short": (lambda d, right: right[:-1], "gives shape"),
}


@pytest.mark.parametrize("asked_before", [0, 1, 2, 3])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["search", "propagation", "evaluation"])
def test_a_model_that_goes_wrong_is_named(part, way, asked_before):
    """Whenever it does: at the first look, while growing, while predicting."""
    wrong, sentence = WAYS[way]
    X, y = load_iris(return_X_y=True)
    model = Careless(wrong, asked_before)
    with pytest.raises(
        InputError, match=rf"the noise model Careless\(\), whose cdf\(d\) ({sentence})"
    ):
        fitted = SoftTreeClassifier(**{part: model}).fit(X, y)
        for _ in range(4):
            fitted.predict_proba(X)


def test_a_function_that_falls_between_the_first_points():
    dented = Careless(lambda d, right: np.where(np.abs(d - 0.3) < 0.02, right - 0.2, right))
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=r"Careless\(\), whose cdf\(d\) falls between 0\.2"):
        SoftTreeClassifier(evaluation=dented).fit(X, y)


def test_a_function_that_changes_its_argument():
    def clumsy(d, right):
        d[...] = 0.0
        return right

    X, y = load_iris(return_X_y=True)
    other = SoftTreeClassifier(evaluation=Careless(clumsy)).fit(X, y)
    plain = SoftTreeClassifier(evaluation=Careless(lambda d, right: right)).fit(X, y)
    np.testing.assert_array_equal(other.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("part", ["search", "propagation", "evaluation"])
@pytest.mark.parametrize("asked_before", [0, 1, 2, 3, 4])
def test_an_interrupt_is_never_swallowed(part, asked_before):
    X, y = load_iris(return_X_y=True)
    model = Careless(_interrupt, asked_before)
    with pytest.raises(KeyboardInterrupt):
        fitted = SoftTreeClassifier(**{part: model}).fit(X, y)
        for _ in range(5):
            fitted.predict_proba(X)
