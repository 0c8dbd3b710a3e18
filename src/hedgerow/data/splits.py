"""Stratified train-test splits and cross-validation folds.

Written out here rather than taken from a library, so that a split depends on its named
stream alone and stays the same when a library changes how it draws.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import LARGEST_COUNT, check_number
from hedgerow.data.seeds import rng
from hedgerow.errors import DataError, InputError

if TYPE_CHECKING:
    from hedgerow.data.tidy import TidyTable

__all__ = ["folds", "n_folds_for", "split", "split_groups"]


def split(
    table: TidyTable,
    repeat: int,
    *,
    seed: int,
    experiment: str,
    test_size: float = 0.3,
) -> tuple[np.ndarray, np.ndarray]:
    """Stratified train-test split of one repeat (thesis, section 3.3.2).

    A set that consists of disjoint samples (the synthetic sets of chapter 3) is not permuted:
    repeat p splits its sample p. The number of test rows is ``test_size`` times the number
    of rows, rounded to the nearest whole number (a half goes up). Each class gives its share,
    rounded down; what is missing is taken one by one from the classes with the largest
    remainders (ties: the earlier class), while a class of two or more rows keeps at least one row
    on each side where the numbers allow it.

    Parameters
    ----------
    table : TidyTable
    repeat : int
        From 0. For a set of samples it must be one of the samples.
    seed : int
        Global seed of the configuration.
    experiment : str
        The experiment's word, see `hedgerow.data.seed_sequence`.
    test_size : float
        Share of test rows, between 0 and 1, both excluded.

    Returns
    -------
    train, test : (n_train,) and (n_test,) int arrays
        Row numbers of the table, ascending, disjoint; together all rows (of the sample).

    Raises
    ------
    InputError
        ``test_size`` is not between 0 and 1.
    DataError
        The set has no such sample, or too few rows to be split.
    """
    check_number("test_size", test_size, 0.0, 1.0)
    if test_size in (0, 1):
        raise InputError(f"test_size is {test_size!r}", remedy="give a share such as 0.3")
    rows = np.arange(len(table.y))
    if table.sample is not None:
        rows = np.flatnonzero(np.asarray(table.sample) == repeat)
        if not len(rows):
            raise DataError(
                f"{table.name}: the set has no sample {repeat}",
                remedy=f"ask for at most {len(np.unique(table.sample))} repeats",
            )
    y = np.asarray(table.y)[rows]
    n_test = math.floor(test_size * len(rows) + 0.5)
    if not 0 < n_test < len(rows):
        raise DataError(
            f"{table.name}: {len(rows)} rows cannot be split with test_size {test_size}",
            remedy="use a larger set or another share",
        )
    stream = rng(seed, experiment, table.name, repeat, "split")
    quota = _quotas(np.bincount(y, minlength=len(table.classes)), test_size, n_test)
    in_test = np.zeros(len(rows), dtype=bool)
    for code, n in enumerate(quota):
        members = np.flatnonzero(y == code)
        in_test[stream.permutation(members)[:n]] = True
    return rows[~in_test], rows[in_test]


def split_groups(
    table: TidyTable,
    repeat: int,
    *,
    seed: int,
    experiment: str,
    test_size: float = 0.3,
) -> tuple[np.ndarray, np.ndarray]:
    """Train-test split that keeps groups whole: no person in both parts.

    `split` of a table with one row for each group, in the order of their labels, whose class is
    the one that most of its rows have (ties: the earlier class).

    Parameters
    ----------
    table : TidyTable
        With groups.
    repeat, seed, experiment
        As in `split`.
    test_size : float
        Share of the groups that are for testing, between 0 and 1, both excluded.

    Returns
    -------
    train, test : (n_train,) and (n_test,) int arrays
        Row numbers of the table, ascending, disjoint; together all rows.

    Raises
    ------
    InputError
        ``test_size`` is not between 0 and 1.
    DataError
        The table has no groups, or too few to be split.
    """
    if table.group is None:
        raise DataError(
            f"{table.name}: no groups are known of its rows",
            remedy="use `split`, or name their column under `group` in the registry entry",
        )
    labels, first, of = np.unique(table.group, return_index=True, return_inverse=True)
    counts = np.zeros((len(labels), len(table.classes)), dtype=int)
    np.add.at(counts, (of, table.y), 1)
    y = counts.argmax(axis=1)
    ones = dataclasses.replace(table, X=table.X.iloc[first], y=y, sample=None, group=labels)
    try:
        _, tested = split(ones, repeat, seed=seed, experiment=experiment, test_size=test_size)
    except DataError:
        raise DataError(
            f"{table.name}: {len(labels)} groups cannot be split with test_size {test_size}",
            remedy="use a larger set or another share",
        ) from None
    in_test = np.isin(of, tested)
    return np.flatnonzero(~in_test), np.flatnonzero(in_test)


def _quotas(counts: np.ndarray, test_size: float, n_test: int) -> np.ndarray:
    """Test rows per class: shares rounded down, the rest to the largest remainders."""
    share = counts * test_size
    quota = np.floor(share).astype(int)
    # Rounding the remainders makes classes of equal size tie, whatever their last bit says.
    order = np.lexsort((np.arange(len(counts)), -np.round(share - quota, 9)))
    low = np.where(counts >= 2, 1, 0)
    high = np.where(counts >= 2, counts - 1, counts)
    quota = np.clip(quota, low, high)
    while quota.sum() != n_test:
        step = 1 if quota.sum() < n_test else -1
        candidates = order if step > 0 else order[::-1]
        free = [c for c in candidates if low[c] <= quota[c] + step <= high[c]]
        if not free:  # more classes than test rows: the class with most test rows gives first
            free = [c for c in candidates if 0 <= quota[c] + step <= counts[c]]
        for c in free[: abs(n_test - quota.sum())]:
            quota[c] += step
    return quota


def n_folds_for(y: np.ndarray, n_folds: int) -> int:
    """Number of folds that the class sizes allow.

    The requested number, or the size of the smallest class present where that is smaller, so
    that each validation fold holds every class; never fewer than two.
    """
    check_number("n_folds", n_folds, 2, LARGEST_COUNT, whole=True)
    if len(y) < 2:
        raise DataError(f"{len(y)} rows cannot be cut into folds", remedy="use a larger set")
    counts = np.bincount(np.asarray(y, dtype=int))
    return int(max(2, min(n_folds, counts[counts > 0].min())))


def folds(y: np.ndarray, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Stratified cross-validation folds (thesis, section 3.3.2, step 2a).

    Class by class, rows in random order are dealt to the folds in turn; a class starts with the
    fold after the last one that the class before it used, which keeps the folds of equal size,
    give or take one row.

    Parameters
    ----------
    y : (n,) int array
        Class codes, 0 or larger.
    n_folds : int
        Two or more. Where a class has fewer members, `n_folds_for` reduces the number.
    rng : numpy.random.Generator
        A named stream, see `hedgerow.data.rng`.

    Returns
    -------
    (n,) int array
        Fold number of each row, from 0; the largest plus one is the number of folds.

    Raises
    ------
    InputError
        ``n_folds`` is below 2.
    DataError
        There are fewer than two rows.
    """
    y = np.asarray(y, dtype=int)
    n = n_folds_for(y, n_folds)
    fold = np.empty(len(y), dtype=int)
    dealt = 0
    for code in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == code))
        fold[members] = (dealt + np.arange(len(members))) % n
        dealt += len(members)
    return fold
