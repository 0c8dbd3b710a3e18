"""How long patients could be followed, whatever they had: the reverse Kaplan-Meier estimate.

Of a patient included a year ago without the event nobody knows what comes by the sixth year, and
of one with the event it is known. Where few could be followed so long, those whose class is known
are those with the event, and their share is no risk.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from hedgerow.induction._columns import Columns
from hedgerow.induction.base import transaction
from hedgerow.induction.c45 import C45Classifier
from hedgerow.tree import Tree
from hedgerow.tree.cut import snip

#: Share of a group that could be followed to a horizon, below which nothing is known of it there.
FOLLOWED = 0.2
#: A share is a product of fractions, which may miss by rounding what it is.
ROUNDING = 1e-9
#: Tests that are refused one after the other before all that are left are cut off.
MOST_REFUSED = 1000


def not_censored(
    time: np.ndarray, ends: np.ndarray, entry: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Share not censored before each time (reverse Kaplan-Meier), and after the last.

    Parameters
    ----------
    time : (n,) float array
    ends : (n,) bool array
        Whose follow-up ends by censoring, which comes after the events of the same time.
    entry : (n,) float array, optional
        At risk at t are those with entry < t <= time.

    Returns
    -------
    when : (m,) float array, ascending
    share : (m + 1,) float array
    """
    when, place = np.unique(time, return_inverse=True)
    leaving = np.bincount(place, minlength=len(when))
    censored = np.bincount(place, weights=ends, minlength=len(when))
    at_risk = leaving[::-1].cumsum()[::-1] - leaving + censored
    if entry is not None:
        at_risk -= len(entry) - np.searchsorted(np.sort(entry), when, side="left")
    steps = 1.0 - np.divide(censored, at_risk, out=np.zeros(len(when)), where=censored > 0.0)
    return when, np.concatenate([[1.0], np.cumprod(steps)])


def share_followed(
    time: np.ndarray, event: np.ndarray, horizon: float, entry: np.ndarray | None = None
) -> float:
    """Probability of being followed to a horizon, had nobody an event (Schemper and Smith 1996).

    Parameters
    ----------
    time : (n,) float array
    event : (n,) int or bool array
        0 where follow-up ended without an event of any cause.
    horizon : float
    entry : (n,) float array, optional
        At risk at t are those with entry < t <= time.

    Returns
    -------
    float
        1 where all had an event before; NaN of nobody.
    """
    if not len(time):
        return math.nan
    when, share = not_censored(time, event == 0, entry)
    return float(share[np.searchsorted(when, horizon)])


def is_followed(share: float, least: float = FOLLOWED) -> bool:
    """Whether a share of `share_followed` is at least `least`, and above 0."""
    return share > 0.0 and share >= least - ROUNDING


def followed_until(
    time: np.ndarray,
    event: np.ndarray,
    least: float = FOLLOWED,
    entry: np.ndarray | None = None,
) -> float:
    """The last time to which a share of at least `least` could be followed; infinite without end.

    Parameters
    ----------
    time, event, entry : (n,) arrays
        As in `share_followed`.
    least : float
    """
    when, share = not_censored(time, event == 0, entry)
    below = np.flatnonzero(~((share > 0.0) & (share >= least - ROUNDING)))
    # The share after a time is that of the times behind it.
    return math.inf if not len(below) else float(when[below[0] - 1])


def fit_followed(
    estimator: Any,
    X,
    learnt: np.ndarray,
    y: np.ndarray,
    followed: Callable[[np.ndarray], float],
    least: float,
    **given: np.ndarray,
) -> tuple[Any, tuple[int, ...]]:
    """Fit a tree none of whose tests divides off patients who could not be followed to the horizon.

    A test is refused where of the patients on one side less than `least` could be followed so
    long, and the next best one is taken in its place. Only `C45Classifier` is grown so; the tree of
    another learner is taken as it is.

    Parameters
    ----------
    estimator : classifier
        A clone of it is fitted.
    X : (n, m) array or data frame
        Of the training part.
    learnt : (k,) int array
        Rows whose class is known.
    y : (k,) array
        Their classes.
    followed : callable
        Gets who of the training part is in a group, (n,) bool array, and gives the share of them
        that could be followed to the horizon.
    least : float
    **given
        Further arguments of `fit`.

    Returns
    -------
    estimator : classifier
    refused : tuple of int
        Variables of which tests were refused, ascending.
    """
    rows = X.iloc[learnt] if hasattr(X, "iloc") else X[learnt]
    fitted = clone(estimator).fit(rows, y, **given)
    if (
        not least
        or type(fitted) is not C45Classifier
        or _refused(fitted, X, followed, least) is None
    ):
        return fitted, ()
    return fitted, tuple(sorted(_grow_again(fitted, X, rows, learnt, y, followed, least, given)))


def _below(tree: Tree) -> np.ndarray:
    """Which nodes are below, or are, each node, (nodes, nodes) bool array."""
    below = np.eye(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes - 1, 0, -1):  # children follow their parents
        below[tree.parent[node]] |= below[node]
    return below


def _refused(fitted, X, followed, least: float) -> tuple[int, int, np.ndarray] | None:
    """The first node, from the root, with a side that could not be followed; side and patients.

    Returns
    -------
    node, child : int
    inside : (n,) bool array
        Who is at the node.
    """
    tree = fitted.tree_
    if tree.n_leaves == 1:
        return None
    leaf, below = np.asarray(fitted.apply(X)), _below(tree)
    for node in np.flatnonzero(tree.feature >= 0):
        for child in (tree.children_left[node], tree.children_right[node]):
            inside = below[child][leaf]
            if inside.any() and not is_followed(followed(inside), least):
                return int(node), int(child), below[node][leaf]
    return None


@transaction
def _grow_again(fitted, X, rows, learnt, y, followed, least: float, given) -> set[int]:
    """Grow a tree on below each refused test, without the values that it would divide by.

    The tests above and beside stay as they are: growth at a node reads its own patients alone.

    Returns
    -------
    set of int
        Variables of which tests were refused.
    """
    whole = fitted._training_set(rows, y, given.get("sample_weight"))
    everybody = fitted._encode(X, reset=False)
    if "sample_weight" in given:
        learnt = learnt[given["sample_weight"] > 0.0]
    values, variables = np.array(whole.X), set()
    about = (whole.y, whole.n_classes, whole.sample_weight, whole.n_categories)
    kept = {name: getattr(fitted, name) for name in ("prune", "max_depth")}
    try:
        fitted.prune = False
        fitted._grown(whole)
        for _ in range(MOST_REFUSED):
            found = _refused(fitted, X, followed, least)
            if found is None:
                break
            node, child, inside = found
            tree, j = fitted.tree_, int(fitted.tree_.feature[node])
            variables.add(j)
            here = np.zeros(len(learnt), dtype=bool)
            here[tree.shares(everybody[learnt]).tocsc()[:, node].nonzero()[0]] = True
            column = everybody[:, j]
            merge = _without_levels if whole.n_categories[j] else _without_thresholds
            right = child == tree.children_right[node]
            known = inside & ~np.isnan(column)
            about_test = (column, known, tree.threshold[node], right, followed, least)
            values[here, j] = merge(values[here, j], *about_test) if known.any() else math.nan
            columns = Columns(values, *about, rows_per_weight=whole.rows_per_weight)
            fitted._grown(columns, given=snip(tree, [node]))
        _cut(fitted, X, followed, least)
        fitted.max_depth, fitted.prune = 0, kept["prune"]  # counted by values as they are
        fitted._grown(whole, given=fitted.tree_)
        _cut(fitted, X, followed, least)  # pruning moves patients where it raises a subtree
    finally:
        for name, value in kept.items():
            setattr(fitted, name, value)
    return variables


def _cut(fitted, X, followed, least: float) -> None:
    """Make leaves of nodes whose test is still one that is refused."""
    while (found := _refused(fitted, X, followed, least)) is not None:
        fitted.tree_ = snip(fitted.tree_, [found[0]])


def _without_thresholds(values, column, known, threshold, right: bool, followed, least):
    """Numbers moved together, so that no threshold is left that divides as a refused one does.

    Parameters
    ----------
    values : (k,) float array
        Of the patients at a node from whom the tree is grown.
    column : (n,) float array
        Of all patients of the training part.
    known : (n,) bool array
        Those of them who are at the node and have a value.
    threshold : float
        Of the test that is refused.
    right : bool
        Whether for its upper side.
    """
    levels = np.unique(column[known])
    refused = int(np.searchsorted(levels, threshold))
    good, bad = (0, refused) if right else (len(levels), refused)
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        side = column >= levels[middle] if right else column < levels[middle]
        if is_followed(followed(known & side), least):
            good = middle
        else:
            bad = middle
    if right:
        return np.minimum(values, levels[good])
    return np.maximum(values, levels[good - 1])


def _without_levels(values, column, known, threshold, right: bool, followed, least):
    """Codes of categories, those of which few could be followed made one with the most frequent.

    Where it is none of them alone, all become one. Parameters as `_without_thresholds`.
    """
    codes, counts = np.unique(column[known], return_counts=True)
    good = np.array([is_followed(followed(known & (column == code)), least) for code in codes])
    late = np.isin(values, codes[~good])
    if not good.any() or not late.any():
        late = ~np.isnan(values)
        good[:] = True
    return np.where(late, codes[good][counts[good].argmax()], values)
