"""Every form of a tree against the tree, on the table that it was grown from."""

import numpy as np
import pytest
from effort import draws
from exports import archived, differing, leaves_by_form, sqlite_reads

from hedgerow import C45Classifier

#: In the quick run; the others are in the long one.
FEW = ("banknote", "glass", "iris", "wine")


def check(X, y, dtype, candidates, name):
    counts = differing(X, y, dtype, candidates)
    wrong = {form: n for form, n in counts.items() if n[0] and form not in ("rows", "unresolved")}
    assert not wrong, (name, dtype, candidates, counts)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("candidates", ["values", "midpoints"])
@pytest.mark.parametrize("name", FEW)
def test_rows_of_data_sets_reach_their_leaf(name, candidates, dtype):
    """scikit-learn's form sent 1,808 of 56,635 training rows of 42 data sets to another leaf."""
    ((_, X, y),) = archived([name])
    check(X, y, dtype, candidates, name)


@pytest.mark.long
def test_rows_of_all_archived_data_sets_reach_their_leaf():
    n_sets = 0
    for name, X, y in archived():
        n_sets += 1
        for dtype in (np.float64, np.float32):
            for candidates in ("values", "midpoints"):
                check(X, y, dtype, candidates, name)
    assert n_sets >= 40


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("candidates", ["values", "midpoints"])
def test_rows_of_random_tables_reach_their_leaf(candidates, dtype):
    """Values of many sizes, ties among them, and neighbouring 32-bit floats."""
    for seed in draws(60, least=10):
        rng = np.random.default_rng(seed)
        n, m = int(rng.integers(4, 80)), int(rng.integers(1, 5))
        X = rng.normal(size=(n, m)) * 10.0 ** rng.integers(-12, 13, m)
        X = np.where(rng.random(m) < 0.3, np.round(rng.normal(size=(n, m)), 1), X)
        near = np.float32(rng.normal()) * (1 + rng.integers(0, 9, (n, m)) * 2.0**-23)
        X = np.where(rng.random(m) < 0.3, near, X)
        check(X, rng.integers(0, 3, n), dtype, candidates, seed)


def test_numbers_that_sqlite_misreads_are_left_out_of_no_other_form():
    """The exception that `differing` makes for SQLite 3.40 is for SQL alone."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    found = leaves_by_form(tree, X)
    for form, leaf in found.items():
        kept = sqlite_reads(tree, X) if form == "sql" else slice(None)
        np.testing.assert_array_equal(leaf[kept], found["tree"][kept])
