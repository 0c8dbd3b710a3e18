"""How long patients could be followed, whatever they had: the reverse Kaplan-Meier estimate.

Of a patient included a year ago without the event nobody knows what comes by the sixth year, and
of one with the event it is known. Where few could be followed so long, those whose class is known
are those with the event, and their share is no risk.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import clone

from hedgerow.induction._columns import Columns
from hedgerow.induction.base import transaction
from hedgerow.induction.c45 import C45Classifier
from hedgerow.tree import Tree
from hedgerow.tree.cut import snip

#: Share of a group that could be followed to a horizon, below which nothing is known of it there.
MIN_FOLLOWED = 0.2
#: A share is a product of fractions, which may miss by rounding what it is.
ROUNDING = 1e-9
#: Tests that are refused one after the other before all that are left are cut off.
MOST_REFUSED = 1000
#: At a node of so many patients all variables are looked through when a test is refused.
SMALL_NODE = 500
#: Cells of a table of patients by thresholds.
AT_ONCE = 2_000_000


def not_censored(
    time: np.ndarray, ends: np.ndarray, entry: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Share not censored before each time (reverse Kaplan-Meier), and after the last."""
    # ends: whose follow-up ends by censoring, which comes after the events of the same time. entry:
    # at risk at t are those with entry < t <= time.
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
    """Probability of being followed to a horizon, had nobody an event (Schemper and Smith 1996)."""
    # event: 0 where follow-up ended without an event of any cause. entry: at risk at t are those
    # with entry < t <= time. Gives 1 where all had an event before; NaN of nobody.
    if not len(time):
        return math.nan
    when, share = not_censored(time, event == 0, entry)
    return float(share[np.searchsorted(when, horizon)])


def is_followed(share: float, least: float = MIN_FOLLOWED) -> bool:
    """Whether a share of `share_followed` is at least `least`, and above 0."""
    return share > 0.0 and share >= least - ROUNDING


def followed_until(
    time: np.ndarray,
    event: np.ndarray,
    least: float = MIN_FOLLOWED,
    entry: np.ndarray | None = None,
) -> float:
    """The last time to which a share of at least `least` could be followed."""
    # Infinite without end.
    when, share = not_censored(time, event == 0, entry)
    below = np.flatnonzero(~((share > 0.0) & (share >= least - ROUNDING)))
    # The share after a time is that of the times behind it.
    return math.inf if not len(below) else float(when[below[0] - 1])


class FollowUp:
    """Patients of whom groups are asked how many could be followed to a horizon.

    Parameters
    ----------
    time, event : (n,) arrays
        As in `share_followed`.
    horizon : float
    entry : (n,) float array, optional
    """

    def __init__(self, time, event, horizon: float, entry=None):
        self._about, self._entry = (time, event), entry
        self._horizon = horizon
        # The events of a time come before the ends of follow-up.
        self._order = np.lexsort((event == 0, time))
        self._ends = ((event == 0) & (time < horizon))[self._order]

    def share(self, who: np.ndarray) -> float:
        """`share_followed` of some of the patients, (n,) bool."""
        if self._entry is not None:
            time, event = (values[who] for values in self._about)
            return share_followed(time, event, self._horizon, self._entry[who])
        return float(self.shares(who[:, None])[0]) if who.any() else math.nan

    def shares(self, who: np.ndarray) -> np.ndarray:
        """The same of several groups, (n, k) bool, none of them empty; (k,) float array."""
        if self._entry is not None:
            return np.array([self.share(group) for group in who.T])
        some = self._order[who[self._order].any(axis=1)]
        inside = who[some]
        left = inside[::-1].cumsum(axis=0, dtype=np.int32)[::-1]
        ends = self._ends[who[self._order].any(axis=1)]
        inside, left = inside[ends], left[ends].astype(np.float64)
        steps = np.divide(left - 1.0, left, out=np.ones_like(left), where=inside)
        return np.where(inside, steps, 1.0).prod(axis=0)


def fit_followed(
    estimator: Any,
    X,
    learnt: np.ndarray,
    y: np.ndarray,
    follow_up: FollowUp,
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
    follow_up : FollowUp
        Of the training part.
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
    if not least or type(fitted) is not C45Classifier or fitted.tree_.n_leaves == 1:
        return fitted, ()
    values = fitted._encode(X, reset=False)
    if _first_refused_test(fitted.tree_, values, follow_up, least) is None:
        return fitted, ()
    return fitted, tuple(sorted(_grow_again(fitted, values, rows, y, follow_up, least, given)))


def _below(tree: Tree) -> np.ndarray:
    """Which nodes are below, or are, each node, (nodes, nodes) bool array."""
    below = np.eye(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes - 1, 0, -1):  # children follow their parents
        below[tree.parent[node]] |= below[node]
    return below


def _first_refused_test(tree: Tree, values, follow_up: FollowUp, least: float, since: int = 0):
    """The first node, from the root, with a side that could not be followed, and its patients."""
    # values: of the training part. since: the first node that is looked at. inside: None in the
    # place of both where all tests may be.
    leaf, below = np.asarray(tree.apply(values)), _below(tree)
    for node in np.flatnonzero(tree.feature >= 0):
        for child in (tree.children_left[node], tree.children_right[node]):
            inside = below[child][leaf]
            if node >= since and inside.any() and not is_followed(follow_up.share(inside), least):
                return int(node), below[node][leaf]
    return None


@transaction
def _grow_again(fitted, everybody, rows, y, follow_up: FollowUp, least, given) -> set[int]:
    """Grow a tree on below each refused test, without the thresholds that divide as it does."""
    # The tests above and beside stay as they are: growth at a node reads its own patients alone.
    # Gives variables of which tests were refused.
    whole = fitted._training_set(rows, y, given.get("sample_weight"))
    values, variables, since, looked = np.array(whole.X), set(), 0, set()
    about = (whole.y, whole.n_classes, whole.sample_weight, whole.n_categories)
    kept = {name: getattr(fitted, name) for name in ("prune", "max_depth")}
    try:
        fitted.prune = False
        fitted._grown(whole)
        for _ in range(MOST_REFUSED):
            # Nodes are numbered from the root on, left branches first: those before it are right.
            refused = _first_refused_test(fitted.tree_, everybody, follow_up, least, since)
            if refused is None:
                break
            since, inside = refused
            tree, tested = fitted.tree_, int(fitted.tree_.feature[since])
            variables.add(tested)
            here = tree.shares(values).tocsc()[:, since].nonzero()[0]  # as growth has them
            looks = range(whole.n_variables) if inside.sum() <= SMALL_NODE else [tested]
            if (since, tested) in looked:
                # It is those without a value who could not be followed, or several levels.
                values[here, tested] = _one_value(values[here, tested])
                looks = []
            for j in looks:
                joined = _without_levels if whole.n_categories[j] else _without_thresholds
                values[here, j] = joined(values[here, j], everybody[:, j], inside, follow_up, least)
                looked.add((since, j))
            columns = Columns(values, *about, rows_per_weight=whole.rows_per_weight)
            fitted._grown(columns, given=snip(tree, [since]))
        _cut(fitted, everybody, follow_up, least)
        fitted.max_depth, fitted.prune = 0, kept["prune"]  # counted by values as they are
        fitted._grown(whole, given=fitted.tree_)
        _cut(fitted, everybody, follow_up, least)  # pruning moves patients to a raised subtree
    finally:
        for name, value in kept.items():
            setattr(fitted, name, value)
    return variables


def _cut(fitted, values, follow_up: FollowUp, least: float) -> None:
    """Make leaves of nodes whose test is still one that is refused."""
    while (refused := _first_refused_test(fitted.tree_, values, follow_up, least)) is not None:
        fitted.tree_ = snip(fitted.tree_, [refused[0]])


def _without_thresholds(values, column, inside, follow_up: FollowUp, least: float) -> np.ndarray:
    """Numbers moved down to the next threshold that may be, so that no other is left."""
    # values: of the patients at a node from whom the tree is grown. column: of all patients of the
    # training part. inside: those of them who are at the node.
    observed = inside & ~np.isnan(column)
    levels, rest = np.unique(column[observed]), (inside & ~observed)[:, None]
    if len(levels) < 2:
        return values
    may = [levels[0]]
    for part in np.array_split(levels[1:], math.ceil(len(levels) * len(column) / AT_ONCE)):
        with np.errstate(invalid="ignore"):
            right = observed[:, None] & (column[:, None] >= part)
        left = observed[:, None] & ~right
        most = left.sum(axis=0) >= right.sum(axis=0)  # where those without a value are
        both = [
            follow_up.shares(side | (rest & goes)) for side, goes in ((left, most), (right, ~most))
        ]
        may += [v for v, *shares in zip(part, *both, strict=True) if _all_followed(shares, least)]
    place = np.searchsorted(may, values, side="right") - 1
    return np.where(np.isnan(values), values, np.array(may)[np.maximum(place, 0)])


def _one_value(values: np.ndarray) -> np.ndarray:
    """All known values the same, and one of them: tests above send them to the same side."""
    observed = ~np.isnan(values)
    return np.where(observed, values[observed].min(initial=math.inf), values)


def _all_followed(shares, least: float) -> bool:
    return all(is_followed(share, least) for share in shares)


def _without_levels(values, column, inside, follow_up: FollowUp, least: float) -> np.ndarray:
    """Codes of categories, those of which few could be followed made one with the most frequent."""
    # Parameters as `_without_thresholds`.
    observed = inside & ~np.isnan(column)
    codes, counts = np.unique(column[observed], return_counts=True)
    if len(codes) < 2:
        return values
    shares = follow_up.shares(observed[:, None] & (column[:, None] == codes))
    good = np.array([is_followed(share, least) for share in shares])
    if not good.any():
        return _one_value(values)
    return np.where(np.isin(values, codes[~good]), codes[good][counts[good].argmax()], values)
