"""Soft evaluation where it is the categories that are uncertain.

The thesis gives noise to numeric variables only. The same reasoning holds for categories: their
gates are `CategoryNoise`, for categories replaced at random, and `CategoryGate`, for any table of
the true category given the observed one.
"""

from __future__ import annotations

import numpy as np

from hedgerow.tree.gates import CategoryGate, CategoryNoise

__all__ = ["CategoryGate", "CategoryNoise", "predict_proba"]


def predict_proba(tree, X: np.ndarray, noise: CategoryGate | CategoryNoise) -> np.ndarray:
    """``tree.predict_proba(X, noise)``, under the name that experiments call.

    Parameters
    ----------
    tree : hedgerow.Tree
    X : (n, m) float array, categories as codes
    noise : CategoryNoise or CategoryGate

    Returns
    -------
    (n, n_classes) float array
    """
    return tree.predict_proba(X, evaluation=noise)
