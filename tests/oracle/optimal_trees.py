"""All trees of a small depth over a few binary variables, one by one."""

from __future__ import annotations

import numpy as np


def all_predictions(B, leaves, depth):
    """Predictions of every tree; leaves(rows) gives the classes that a leaf of these rows may have.

    Yields (n,) arrays of class codes. Rows that label a leaf have to be there on both sides.
    """

    def trees(rows, depth):
        for label in leaves(rows):
            yield np.where(rows, label, 0)
        if depth == 0:
            return
        for column in range(B.shape[1]):
            high = rows & (B[:, column] == 1)
            low = rows & (B[:, column] == 0)
            if not (list(leaves(high)) and list(leaves(low))):
                continue
            for a in trees(low, depth - 1):
                for b in trees(high, depth - 1):
                    yield np.where(high, b, a)

    yield from trees(np.ones(len(B), dtype=bool), depth)
