"""Choosing accurate trees that differ in structure (thesis 5.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hedgerow.checks import LARGEST_COUNT, as_numbers, check_number
from hedgerow.errors import InputError
from hedgerow.structure.clusters import _checked, farthest_first, medoids
from hedgerow.structure.distance import TreeEditDistance
from hedgerow.tree.tree import Tree


def select_diverse(
    trees: Sequence[Tree], k: int, distance, *, scores=None, share: float = 0.5
) -> np.ndarray:
    """Choose k accurate trees that are far from each other.

    The trees with the best scores are kept; the first choice is the best of them, each next one
    the tree whose nearest chosen tree is farthest away. Equally far: the better score, then the
    first in `trees`.

    Parameters
    ----------
    trees : sequence of n trees
    k : int
        How many, 1 to n.
    distance : TreeEditDistance or (n, n) array
        A fitted distance, or the distances of the trees, symmetric and at least 0.
    scores : (n,) array, optional
        The larger the better, such as F1 on rows that the trees did not learn from. None: all
        trees are alike, and the first choice is the medoid.
    share : float in (0, 1], default 0.5
        Part of the trees that may be chosen, those with the best scores; rounded up, at least k
        trees. Without scores all may be chosen.

    Returns
    -------
    (k,) int
        Places in `trees`, in the order of choice: the first j are the choice for j < k.

    Raises
    ------
    InputError
        A parameter out of range; a matrix, or scores, of another size than `trees`.

    Notes
    -----
    The aim is a large least distance, so that no two chosen trees say nearly the same. A large
    mean distance would not ensure it: its largest value can be that of two groups of near twins.
    Where the triangle inequality holds (costs A1, A2 and B1), the least distance is at least half
    of that of any k of the trees that may be chosen (Gonzalez 1985); for B2, and for normalised
    distances, nothing is guaranteed. There are no exchanges afterwards: with them a larger k would
    no longer extend the choice of a smaller one.

    References
    ----------
    Thesis 5.5, which proposes to discard models of redundant structure; Gonzalez (1985),
    Clustering to minimize the maximum intercluster distance.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import UCTTreeClassifier
    >>> from hedgerow.structure import TreeEditDistance, select_diverse
    >>> X, y = load_iris(return_X_y=True)
    >>> search = UCTTreeClassifier(n_iterations=2000, random_state=0).fit(X, y)
    >>> trees = search.forest(50)
    >>> scores = search.search_tree_["validation_f1"].iloc[search.forest_states(50)]
    >>> chosen = select_diverse(trees, 3, TreeEditDistance("B2").fit(X, y), scores=scores)
    >>> bool(scores.iloc[chosen[0]] == scores.max())
    True
    """
    trees = list(trees)
    n = len(trees)
    check_number("k", k, 1, LARGEST_COUNT, whole=True)
    if k > n:
        raise InputError(f"k is {k} and there are {n} trees", remedy="ask for as many or fewer")
    check_number("share", share, 0.0, 1.0)
    if share == 0:
        raise InputError("share is 0", remedy="give a number above 0 and up to 1")
    kept = _kept(n, k, scores, share)
    if isinstance(distance, TreeEditDistance):
        within = distance.pairwise([trees[i] for i in kept])
    else:
        within = _checked(distance)
        if len(within) != n:
            raise InputError(
                f"there are {n} trees and the distances of {len(within)}",
                remedy="give the distance of each tree to each, or a fitted TreeEditDistance",
            )
        within = within[np.ix_(kept, kept)]
    start = 0 if scores is not None else int(medoids(within, np.zeros(len(kept), dtype=int))[0])
    return kept[farthest_first(within, int(k), start)]


def _kept(n: int, k: int, scores, share: float) -> np.ndarray:
    """Places of the trees that may be chosen, the best first."""
    if scores is None:
        return np.arange(n)
    scores = as_numbers("scores", scores)
    if scores.shape != (n,) or not np.isfinite(scores).all():
        raise InputError(
            f"there are {n} trees and scores of shape {scores.shape}, or one is not finite",
            remedy="give one finite number per tree",
        )
    # A product such as .07 * 100 is a little above a whole number.
    n_kept = max(k, math.ceil(round(share * n, 9)))
    return np.argsort(-scores, kind="stable")[:n_kept]
