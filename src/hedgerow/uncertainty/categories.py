"""Soft evaluation where it is the categories that are uncertain.

The thesis gives noise to numeric variables only. The same reasoning holds for a category that was
replaced, with probability p, by a draw from the distribution of its variable: given the category v
that stands in the data, the true one is v with probability 1 - p, and otherwise distributed as if
nothing were known, because the draw does not depend on what it replaced. The share of an instance
that a test sends left is therefore (1 - p) [v in S_L] + p P(S_L).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.errors import InputError


@dataclass(frozen=True)
class CategoryNoise:
    """Categories replaced at random.

    Attributes
    ----------
    shares : dict of int to (n_categories,) float array
        Distribution of each categorical variable, as `hedgerow.data.category_shares` gives it.
    probability : float in [0, 1]
        Chance that a category was replaced.

    Raises
    ------
    InputError
        A probability outside [0, 1].
    """

    shares: dict[int, np.ndarray]
    probability: float

    def __post_init__(self):
        if not 0 <= self.probability <= 1:
            raise InputError(
                f"probability of replacement is {self.probability!r}",
                remedy="give a number between 0 and 1",
            )

    def soften(self, variable: int, subset: np.ndarray, hard: np.ndarray) -> np.ndarray:
        """Shares that go left at a test, from those of the hard test.

        Parameters
        ----------
        variable : int
        subset : (n_categories,) bool array
            Categories that the test sends left.
        hard : (n,) float array
            1 where the hard test sends an instance left, else 0.
        """
        if variable not in self.shares:
            return hard
        shares = self.shares[variable]
        left = float(shares[subset[: len(shares)]].sum())
        return (1 - self.probability) * hard + self.probability * left


def predict_proba(tree, X: np.ndarray, noise: CategoryNoise) -> np.ndarray:
    """Class probabilities, mixed over the leaves, when categories are uncertain (equation 3.10).

    Tests on numeric variables are hard; a missing value divides an instance as in the tree.

    Parameters
    ----------
    tree : hedgerow.Tree
    X : (n, m) float array, categories as codes
    noise : CategoryNoise

    Returns
    -------
    (n, n_classes) float array
    """
    X = np.asarray(X, dtype=np.float64)
    reach = np.zeros((tree.n_nodes, len(X)))
    reach[0] = 1.0
    inner = np.flatnonzero(tree.feature >= 0)
    for node in inner:  # in preorder: a parent stands before its children
        j = tree.feature[node]
        x = X[:, j]
        if np.isnan(tree.threshold[node]):
            subset = tree.categories_left[node]
            known = (x >= 0) & (x < len(subset))
            heavier = float(tree.share_left[node] >= 0.5)
            codes = np.where(known, x, 0).astype(int)
            left = np.where(known, subset[codes].astype(float), heavier)
            left = np.where(known, noise.soften(int(j), subset, left), left)
        else:
            left = (x < tree.threshold[node]).astype(float)
        left = np.where(np.isnan(x), tree.share_left[node], left)
        reach[tree.children_left[node]] = reach[node] * left
        reach[tree.children_right[node]] = reach[node] * (1.0 - left)
    value = tree.probabilities()
    mixed = np.zeros((len(X), tree.n_classes))
    for leaf in np.flatnonzero(tree.feature < 0):
        mixed += reach[leaf][:, None] * value[leaf]
    return mixed
