"""Removing values from a table, completely at random or not at random (Little and Rubin).

The paper of EIG removes values completely at random (section 5).
"""

from __future__ import annotations

import numpy as np

from hedgerow.checks import check_choice, check_number
from hedgerow.errors import InputError

__all__ = ["MECHANISMS", "remove_values"]

#: Completely at random; not at random: the chance rises with the rank of the value.
MECHANISMS = ("mcar", "mnar")


def remove_values(
    X: np.ndarray, share: float, rng: np.random.Generator, mechanism: str = "mcar"
) -> np.ndarray:
    """Remove a share of the values of each variable.

    share: expected share of the known values of each variable that is removed.

    mechanism: "mcar": every value with the same chance. "mnar": with a chance that rises linearly
    with the rank of the value among the known ones of its variable, from 0 for the lowest to twice
    the share for the highest (with a share above one half, from twice the share less 1 to 1).

    Returns: A new array.
    """
    check_choice("mechanism", mechanism, MECHANISMS)
    check_number("share", share, 0.0, 1.0)
    X = np.array(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions", remedy="give rows and columns")
    drawn = rng.random(X.shape)
    if mechanism == "mcar":
        X[drawn < share] = np.nan
    else:
        ranks = np.column_stack([_ranks(column) for column in X.T]) if X.shape[1] else X
        X[drawn < _chances(ranks, share)] = np.nan
    return X


def _ranks(column: np.ndarray) -> np.ndarray:
    """Ranks of the known values from 0 to 1, ties their mean; all equal: one half; NaN stays."""
    from scipy.stats import rankdata

    ranks = np.full(len(column), np.nan)
    observed = ~np.isnan(column)
    if observed.sum() == 1:
        ranks[observed] = 0.5
    elif observed.any():
        ranks[observed] = (rankdata(column[observed]) - 1.0) / (observed.sum() - 1.0)
    return ranks


def _chances(ranks: np.ndarray, share: float) -> np.ndarray:
    """Chances that rise with a rank and are `share` on average; NaN: the share itself."""
    width = min(share, 1.0 - share)
    return share + width * (2.0 * np.where(np.isnan(ranks), 0.5, ranks) - 1.0)
