"""Exact p-values of rank tests by trying every sign and every order of ranks."""

import itertools

import numpy as np
from scipy import stats


def signed_rank(difference, alternative):
    """p of Wilcoxon's test: zeros go, then all 2^n patterns of signs are tried."""
    difference = np.asarray(difference, dtype=float)
    difference = difference[difference != 0]
    ranks = stats.rankdata(np.abs(difference))
    above = ranks[difference > 0].sum()
    sums = np.array(list(itertools.product([0, 1], repeat=len(ranks)))) @ ranks
    less, greater = np.mean(sums <= above), np.mean(sums >= above)
    return {"less": less, "greater": greater, "two-sided": min(1, 2 * min(less, greater))}[
        alternative
    ]


def _all_tables(ranks):
    """Every order of the ranks within each block."""
    return itertools.product(*(list(itertools.permutations(block)) for block in ranks))


def friedman(values):
    """p of Friedman's test: tables whose rank sums differ as much, of all tables."""
    ranks = stats.rankdata(values, axis=1)
    observed = np.sum(ranks.sum(axis=0) ** 2)
    return np.mean(
        [np.sum(np.sum(table, axis=0) ** 2) >= observed - 1e-9 for table in _all_tables(ranks)]
    )


def page(values):
    """p of Page's test: tables with as large a sum of place times rank, of all tables."""
    ranks = stats.rankdata(values, axis=1)
    place = np.arange(1, ranks.shape[1] + 1)
    observed = np.sum(ranks @ place)
    return np.mean(
        [np.sum(np.array(table) @ place) >= observed - 1e-9 for table in _all_tables(ranks)]
    )
