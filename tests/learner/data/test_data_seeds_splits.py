"""Named seeds, stratified permutations, folds."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.data import TidyTable, folds, n_folds_for, rng, seed_sequence, split
from hedgerow.errors import DataError, InputError


def table_of(y, name="made_up", sample=None, n_classes=None):
    y = np.asarray(y)
    n_classes = n_classes or int(y.max()) + 1
    return TidyTable(
        name=name,
        X=pd.DataFrame({"a": np.arange(len(y), dtype=float)}),
        y=y,
        classes=[str(c) for c in range(n_classes)],
        target="class",
        sample=sample,
    )


# ------------------------------------------------------------------------------------------ seeds


@pytest.mark.parametrize(
    "other",
    [
        (8, "soft", "wine", 3, "split"),
        (7, "search", "wine", 3, "split"),
        (7, "soft", "bupa", 3, "split"),
        (7, "soft", "wine", 4, "split"),
        (7, "soft", "wine", None, "split"),
        (7, "soft", "wine", 3, "fold"),
        # Neighbouring parts of a name are kept apart.
        (7, "softw", "ine", 3, "split"),
    ],
)
def test_streams_of_different_names_differ(other):
    assert seed_sequence(7, "soft", "wine", 3, "split").entropy != seed_sequence(*other).entropy
    draws = rng(7, "soft", "wine", 3, "split").standard_normal(2000)
    others = rng(*other).standard_normal(2000)
    assert abs(np.corrcoef(draws, others)[0, 1]) < 0.08  # 3.6 standard errors


def test_a_named_stream_never_changes():
    """Frozen values: a change of the hashing or of the generator would change every result."""
    digest = hashlib.sha256(b'[0,"soft","wine",0,"split"]').digest()
    assert seed_sequence(0, "soft", "wine", 0, "split").entropy == int.from_bytes(digest, "big")
    draws = rng(0, "soft", "wine", 0, "split").integers(0, 1000, 4)
    np.testing.assert_array_equal(draws, [150, 284, 93, 168])


def test_a_stream_does_not_depend_on_the_hash_seed_of_python():
    code = "import hedgerow.data as d; print(d.seed_sequence(0, 'soft', 'wine', 1, 'x').entropy)"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize(
    "name",
    [
        (-1, "soft", "wine", 0, "x"),
        (1.5, "soft", "wine", 0, "x"),
        (True, "soft", "wine", 0, "x"),
        (0, "", "wine", 0, "x"),
        (0, "soft", None, 0, "x"),
        (0, "soft", "wine", -2, "x"),
        (0, "soft", "wine", 0, 3),
    ],
)
def test_a_bad_name_is_refused(name):
    with pytest.raises(InputError):
        seed_sequence(*name)


# ------------------------------------------------------------------------------------------ split


def test_split_depends_on_repeat_seed_experiment_and_set_alone():
    y = [0, 1] * 50
    base = split(table_of(y), 0, seed=1, experiment="soft")[1]
    again = split(table_of(y), 0, seed=1, experiment="soft")[1]
    np.testing.assert_array_equal(base, again)
    for other in (
        split(table_of(y), 1, seed=1, experiment="soft"),
        split(table_of(y), 0, seed=2, experiment="soft"),
        split(table_of(y), 0, seed=1, experiment="search"),
        split(table_of(y, name="other"), 0, seed=1, experiment="soft"),
    ):
        assert list(other[1]) != list(base)


def test_thirty_permutations_use_every_row_for_testing():
    table = table_of([0] * 40 + [1] * 20)
    tested = np.concatenate([split(table, p, seed=1, experiment="soft")[1] for p in range(30)])
    counts = np.bincount(tested, minlength=60)
    assert counts.min() > 0
    assert counts.sum() == 30 * 18


def test_a_set_of_samples_is_not_permuted():
    sample = np.repeat([0, 1, 2], 20)
    table = table_of([0, 1] * 30, sample=sample)
    for p in range(3):
        train, test = split(table, p, seed=1, experiment="soft")
        assert set(sample[train]) == set(sample[test]) == {p}
        assert (len(train), len(test)) == (14, 6)
    with pytest.raises(DataError, match="no sample 3"):
        split(table, 3, seed=1, experiment="soft")


@examples(200)
@given(
    counts=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    test_size=st.sampled_from([0.1, 0.3, 0.5, 0.9]),
)
def test_class_shares_are_kept_within_one_row(counts, test_size):
    y = np.repeat(np.arange(len(counts)), counts)
    n = len(y)
    n_test = int(np.floor(test_size * n + 0.5))
    table = table_of(y)
    if not 0 < n_test < n:
        with pytest.raises(DataError):
            split(table, 0, seed=0, experiment="soft", test_size=test_size)
        return
    train, test = split(table, 0, seed=0, experiment="soft", test_size=test_size)
    assert len(test) == n_test
    assert sorted([*train, *test]) == list(range(n))
    assert list(train) == sorted(train) and list(test) == sorted(test)
    in_test = np.bincount(y[test], minlength=len(counts))
    # Small classes may claim a row that the larger ones then lack.
    small = sum(c * min(test_size, 1 - test_size) < 1 for c in counts)
    assert np.all(np.abs(in_test - np.asarray(counts) * test_size) < 1 + small)


@pytest.mark.parametrize("test_size", [0.0, 1.0, -0.2, float("nan")])
def test_a_test_share_outside_0_and_1_is_refused(test_size):
    with pytest.raises(InputError, match="test_size"):
        split(table_of([0, 1] * 10), 0, seed=0, experiment="soft", test_size=test_size)


# ------------------------------------------------------------------------------------------ folds


def test_folds_are_stratified_and_of_equal_size():
    y = np.array([0] * 53 + [1] * 31 + [2] * 16)
    fold = folds(y, 10, rng(0, "soft", "x", 0, "folds"))
    np.testing.assert_array_equal(np.bincount(fold), [10] * 10)
    for label, n in enumerate(np.bincount(y)):
        per_fold = np.bincount(fold[y == label], minlength=10)
        assert set(per_fold) <= {n // 10, -(-n // 10)}


def test_folds_are_deterministic_and_leave_y_alone():
    y = np.array([0, 1] * 25)
    before = y.copy()
    a = folds(y, 5, rng(0, "soft", "x", 0, "folds"))
    b = folds(y, 5, rng(0, "soft", "x", 0, "folds"))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize(
    ("counts", "expected"), [((20, 12), 10), ((20, 7), 7), ((20, 1), 2), ((0, 20, 4), 4)]
)
def test_a_small_class_reduces_the_number_of_folds(counts, expected):
    y = np.repeat(np.arange(len(counts)), counts)
    assert n_folds_for(y, 10) == expected
    assert folds(y, 10, rng(0, "soft", "x", 0, "folds")).max() + 1 == expected


def test_bad_folds_are_refused():
    with pytest.raises(InputError, match="n_folds"):
        folds(np.array([0, 1]), 1, rng(0, "soft", "x", 0, "folds"))
    with pytest.raises(DataError, match="folds"):
        folds(np.array([0]), 2, rng(0, "soft", "x", 0, "folds"))
