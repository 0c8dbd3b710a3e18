"""Whether what a table of counts shows gives a small one away, by trying all tables."""

from __future__ import annotations

import itertools

import numpy as np


def possible(counts, hidden, least):
    """Every table that agrees with what is shown, totals in the last row and column."""
    counts = np.asarray(counts)
    inner = [(i, j) for i in range(len(counts) - 1) for j in range(counts.shape[1] - 1)]
    most = int(counts.max()) + least
    free = [cell for cell in inner if hidden[cell]]
    for values in itertools.product(range(most + 1), repeat=len(free)):
        table = counts.copy()
        for cell, value in zip(free, values, strict=True):
            table[cell] = value
        table[:-1, -1] = table[:-1, :-1].sum(axis=1)
        table[-1] = table[:-1].sum(axis=0)
        if (table == counts)[~hidden].all():
            yield table


def given_away(counts, hidden, least):
    """Hidden small counts that are the same in every such table."""
    counts = np.asarray(counts)
    tables = np.array(list(possible(counts, hidden, least)))
    fixed = (tables == tables[0]).all(axis=0)
    return [tuple(c) for c in np.argwhere(fixed & hidden & (counts > 0) & (counts < least))]
