"""Noise beyond the thesis: other shapes, other scales; shares of categories."""

import numpy as np
import pytest
from scipy import stats

from hedgerow.data import (
    FAMILIES,
    add_family_noise,
    add_noise,
    category_shares,
    rng,
    variable_multiples,
)
from hedgerow.errors import InputError
from hedgerow.uncertainty import ShapedNoise

COMMON = ("normal", "uniform", "laplace", "student_t")
MEANS = np.array([10.0, -3.0, 0.25])


def stream(name="families"):
    return rng(1, "noise_models", "made_up", 0, name)


def drawn(family, n=40_000, factor=0.2, X=None, multiples=None):
    X = np.tile(MEANS, (n, 1)) if X is None else X
    return add_family_noise(X, family, factor, MEANS, stream(), multiples) - X


@pytest.mark.parametrize("family", COMMON)
def test_each_family_has_the_same_standard_deviation(family):
    """The variance of t with three degrees of freedom is finite, its fourth moment is not."""
    sd = drawn(family, 400_000).std(axis=0)
    np.testing.assert_allclose(
        sd, 0.2 * np.abs(MEANS), rtol=0.08 if family == "student_t" else 0.01
    )


@pytest.mark.parametrize("family", COMMON)
def test_what_is_drawn_is_what_the_matching_model_assumes(family):
    noise = drawn(family, 5_000)
    for j, mean in enumerate(np.abs(MEANS)):
        model = ShapedNoise(family, 0.2 * mean)
        assert stats.kstest(noise[:, j], model.cdf).pvalue > 1e-3
    others = [f for f in COMMON if f != family]
    far = [stats.kstest(noise[:, 0], ShapedNoise(f, 2.0).cdf).pvalue for f in others]
    assert max(far) < 1e-3


def test_normal_noise_is_that_of_experiments_1_and_2():
    X = np.random.default_rng(0).normal(5, 2, (50, 3))
    mine = add_family_noise(X, "normal", 0.2, MEANS, stream())
    np.testing.assert_array_equal(mine, add_noise(X, 0.2, MEANS, stream()))


def test_proportional_noise_grows_with_the_value():
    X = np.repeat([[1.0], [100.0], [0.0], [-100.0]], 10_000, axis=0)
    noise = add_family_noise(X, "proportional", 0.2, np.array([5.0]), stream()) - X
    sd = noise.reshape(4, -1).std(axis=1)
    np.testing.assert_allclose(sd, [0.2, 20, 0, 20], rtol=0.03)


@pytest.mark.parametrize("m", [1, 2, 3, 7, 12])
def test_multiples_differ_and_their_mean_is_one(m):
    multiples = variable_multiples(np.ones(m), stream())
    assert multiples.mean() == 1
    assert (len(set(multiples)) > 1) == (m >= 3)


def test_a_variable_without_noise_has_no_multiple():
    multiples = variable_multiples(np.array([0.0, 1.0, np.nan, -2.0, 3.0]), stream())
    assert multiples[0] == multiples[2] == 0
    assert multiples[[1, 3, 4]].mean() == 1


def test_per_variable_noise_is_scaled_by_the_multiples():
    sd = drawn("per_variable", multiples=np.array([0.0, 2.0, 1.0])).std(axis=0)
    np.testing.assert_allclose(sd, 0.2 * np.abs(MEANS) * [0, 2, 1], rtol=0.015)


@pytest.mark.parametrize("family", FAMILIES)
def test_missing_values_stay_and_means_of_0_get_no_noise(family):
    X = np.array([[1.0, np.nan, 2.0], [2.0, 3.0, 4.0]])
    before = X.copy()
    multiples = np.ones(3) if family == "per_variable" else None
    means = np.array([0.0, 3.0, np.nan])
    noised = add_family_noise(X, family, 0.3, means, stream(), multiples)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(noised[:, [0, 2]], X[:, [0, 2]])
    assert np.isnan(noised[0, 1]) and noised[1, 1] != 3.0
    still = add_family_noise(X, family, 0.0, means, stream(), multiples)
    np.testing.assert_array_equal(still, X)


@pytest.mark.parametrize("family", FAMILIES)
def test_bad_factors_families_and_multiples_are_refused(family):
    X, ones = np.ones((2, 2)), np.ones(2)
    multiples = ones if family == "per_variable" else None
    for factor in (-0.1, np.nan, np.inf):
        with pytest.raises(InputError, match="noise factor"):
            add_family_noise(X, family, factor, ones, stream(), multiples)
    with pytest.raises(InputError, match="do not fit"):
        add_family_noise(X, family, 0.1, np.ones(3), stream(), multiples)
    wrong = None if family == "per_variable" else ones
    with pytest.raises(InputError, match="multiples with the family per_variable"):
        add_family_noise(X, family, 0.1, ones, stream(), wrong)
    with pytest.raises(InputError, match="family is 'gauss'"):
        add_family_noise(X, "gauss", 0.1, ones, stream())


@pytest.mark.parametrize("multiples", [np.ones(3), np.array([1.0, -1.0])])
def test_multiples_that_do_not_fit_are_refused(multiples):
    with pytest.raises(InputError, match="multiples do not fit"):
        add_family_noise(np.ones((2, 2)), "per_variable", 0.1, np.ones(2), stream(), multiples)


# ----------------------------------------------------------------------------- categories


def test_shares_are_those_of_the_known_values():
    X = np.array([[0, 5.0], [2, 6.0], [2, 7.0], [np.nan, 8.0]])
    shares = category_shares(X, np.array([4, 0]))
    assert set(shares) == {0}
    np.testing.assert_allclose(shares[0], [1 / 3, 0, 2 / 3, 0])
    assert category_shares(np.full((2, 1), np.nan), np.array([3])) == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_name_gives_the_same_numbers_and_another_gives_others(family):
    X = np.random.default_rng(0).normal(5, 2, (40, 3))
    multiples = np.array([0.0, 2.0, 1.0]) if family == "per_variable" else None
    a, b, c = (
        add_family_noise(X, family, 0.3, MEANS, stream(name), multiples)
        for name in ("one", "one", "two")
    )
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)
