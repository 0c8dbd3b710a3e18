"""Small counts are hidden, and do not follow from what is shown."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.disclosure import given_away

from hedgerow_clinic.disclosure import SHOWN, as_shown, protected, small


def with_totals(inner):
    inner = np.asarray(inner)
    inner = np.column_stack([inner, inner.sum(axis=1)])
    return np.vstack([inner, inner.sum(axis=0)])


@pytest.mark.parametrize("seed", range(12))
def test_no_small_count_follows_from_the_rest(seed):
    """Against every table that agrees with what is shown."""
    rng = np.random.default_rng(seed)
    counts = with_totals(rng.integers(0, 6, (2, 2)) * rng.integers(1, 3, (2, 2)) % 9)
    hidden = protected(counts, 3) != SHOWN
    assert hidden[small(counts, 3)].all()
    assert given_away(counts, hidden, 3) == []


def test_the_oracle_sees_what_is_given_away():
    counts = with_totals([[2, 9], [8, 7]])
    alone = small(counts, 3)
    assert given_away(counts, alone, 3) == [(0, 0)]


def test_nothing_is_hidden_where_all_counts_are_large_or_zero():
    assert not protected(with_totals([[0, 9], [8, 7]]), 5).any()
    assert not protected(with_totals([[1, 9], [8, 7]]), 0).any()


def test_counts_as_they_are_shown():
    assert [as_shown(3, 1, 5), as_shown(12, 2, 5), as_shown(12, 0, 5)] == ["<5", "withheld", 12]
