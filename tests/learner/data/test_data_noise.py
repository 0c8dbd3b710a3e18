"""Noise injection: N(0, n |training mean|), named seeds (thesis, section 3.3.2)."""

import numpy as np
import pytest

from hedgerow.data import add_noise, deviations, rng
from hedgerow.errors import InputError


def stream(name="train noise"):
    return rng(1, "soft", "made_up", 0, name)


@pytest.mark.parametrize("factor", [0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
def test_standard_deviation_is_factor_times_the_absolute_mean(factor):
    means = np.array([10.0, -3.0, 0.25])
    X = np.tile(means, (40_000, 1))
    noise = add_noise(X, factor, means, stream()) - X
    # 40,000 draws: the standard error of a standard deviation is 0.35 % of it.
    np.testing.assert_allclose(noise.std(axis=0), factor * np.abs(means), rtol=0.015)
    assert np.all(np.abs(noise.mean(axis=0)) < 4 * factor * np.abs(means) / np.sqrt(40_000))


def test_as_a_variance_the_factor_scales_with_its_root():
    means = np.array([10.0, -3.0, 0.25, np.nan])
    np.testing.assert_allclose(
        deviations(0.2, means, "variance"), [2**0.5, 0.6**0.5, 0.05**0.5, 0.0]
    )
    np.testing.assert_array_equal(deviations(0.2, means), 0.2 * np.array([10.0, 3.0, 0.25, 0.0]))
    X = np.zeros((500, 4))
    drawn = stream().standard_normal(X.shape)
    noised = add_noise(X, 0.2, means, stream(), "variance")
    np.testing.assert_array_equal(noised, drawn * deviations(0.2, means, "variance"))
    with pytest.raises(InputError, match="noise_is is 'precision'"):
        add_noise(X, 0.2, means, stream(), "precision")


def test_the_means_are_those_given_not_those_of_the_values():
    """The test part is noised by the training part's means."""
    X = np.full((20_000, 1), 1000.0)
    noise = add_noise(X, 0.5, np.array([2.0]), stream()) - X
    assert noise.std() == pytest.approx(1.0, rel=0.03)


def test_factor_zero_returns_the_values_in_a_new_array():
    X = np.ones((3, 2))
    noised = add_noise(X, 0.0, np.array([1.0, 1.0]), stream())
    np.testing.assert_array_equal(noised, X)
    noised[0, 0] = 5
    assert X[0, 0] == 1


def test_one_stream_scales_with_the_factor():
    X = np.zeros((100, 2))
    means = np.array([1.0, 2.0])
    a = add_noise(X, 0.1, means, stream())
    b = add_noise(X, 0.4, means, stream())
    np.testing.assert_allclose(b, 4 * a, rtol=1e-12)


def test_shapes_that_do_not_fit_and_infinite_means_are_refused():
    with pytest.raises(InputError, match="do not fit"):
        add_noise(np.ones((2, 3)), 0.1, np.ones(2), stream())
    with pytest.raises(InputError, match="do not fit"):
        add_noise(np.ones(3), 0.1, np.ones(3), stream())
    with pytest.raises(InputError, match="infinite"):
        add_noise(np.ones((2, 1)), 0.1, np.array([np.inf]), stream())
