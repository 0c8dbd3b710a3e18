"""Values removed completely at random and not at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from hedgerow.data.missingness import MECHANISMS, remove_values
from hedgerow.errors import InputError


def table(n=4000, m=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) + rng.normal(size=(n, 1))
    X[:, 1] = rng.integers(0, 4, n)
    return X


def removed(X, share, mechanism, seed=1):
    out = remove_values(X, share, np.random.default_rng(seed), mechanism)
    known = ~np.isnan(out)
    np.testing.assert_array_equal(out[known], X[known])  # what is left is what it was
    return np.isnan(out)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5])
def test_the_share_of_each_variable(mechanism, share):
    gone = removed(table(), share, mechanism)
    np.testing.assert_allclose(gone.mean(axis=0), share, atol=0.03)


@pytest.mark.parametrize("mechanism", ["mcar", "mnar"])
@pytest.mark.parametrize("share", [0.8, 0.95, 1.0])
def test_large_shares(mechanism, share):
    np.testing.assert_allclose(removed(table(), share, mechanism).mean(axis=0), share, atol=0.03)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_larger_share_removes_a_superset(mechanism):
    less, more = (removed(table(), share, mechanism) for share in (0.2, 0.4))
    assert (less <= more).all()


def test_completely_at_random_depends_on_no_value():
    X = table()
    gone = removed(X, 0.4, "mcar")
    for j in range(X.shape[1]):
        assert abs(X[gone[:, j], j].mean() - X[~gone[:, j], j].mean()) < 0.12


def test_not_at_random_takes_large_values():
    X = table()
    gone = removed(X, 0.4, "mnar")
    for j in range(X.shape[1]):
        ranks = rankdata(X[:, j]) / len(X)
        # Chances rise linearly from 0 to .8: the mean rank of what goes is 2/3.
        assert abs(ranks[gone[:, j]].mean() - 2 / 3) < 0.02
    assert not removed(X, 0.4, "mnar")[X.argmin(axis=0), range(X.shape[1])].any()


def test_what_was_missing_stays_missing_and_counts_in_no_share():
    X = table()
    X[::2, 0] = np.nan
    X[:, 3] = np.nan
    for mechanism in MECHANISMS:
        out = remove_values(X, 0.3, np.random.default_rng(0), mechanism)
        assert np.isnan(out[::2, 0]).all() and np.isnan(out[:, 3]).all()
        assert abs(np.isnan(out[1::2, 0]).mean() - 0.3) < 0.04
    assert not np.isnan(X[1::2, 0]).any()  # the table given is not changed


@pytest.mark.parametrize(
    ("share", "mechanism", "said"),
    [
        (1.1, "mcar", "share"),
        (-0.1, "mcar", "share"),
        (np.nan, "mnar", "share"),
        (0.1, "nmar", "mechanism"),
    ],
)
def test_bad_input(share, mechanism, said):
    with pytest.raises(InputError, match=said):
        remove_values(table(), share, np.random.default_rng(0), mechanism)


def test_tables_that_cannot_be():
    with pytest.raises(InputError, match="dimensions"):
        remove_values(np.zeros(3), 0.1, np.random.default_rng(0))
