"""Which values are usual in each class at each node: statistics, intervals, rules."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hedgerow.checks import LARGEST, check_choice, check_flag, check_number
from hedgerow.confidence._confidence import Correction
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.tree import Tree
from hedgerow.tree._gates import Gates
from hedgerow.tree.gates import AnyGate
from hedgerow.tree.statistics import MIN_SHARE_COUNTED

METHODS = ("norm", "tdist", "comb")
NORMALITY = ("ks", "lilliefors")
LEAST_LILLIEFORS = 4  # rows, of its table
MOST_ROWS = 1e6  # that weights stand for in a test of normality; libraries count no further
SLACK = 1e-12  # of the numbers at hand: the mean of equal values may differ from them by rounding
NONE, NORMAL, STUDENT, FREQUENCY = range(4)  # where the intervals of a node come from


#: What lacks intervals where a class has fewer instances than it needs: the class, or the node.
TOO_FEW = ("class", "node")


@dataclass(frozen=True)
class Rules:
    """The settings of `ConfDTreeClassifier`, checked.

    Raises
    ------
    InputError
        Naming the first that is out of range.
    """

    method: str = "comb"
    min_instances: float = 5
    too_few: str = "class"
    normal_width: float = 2.0
    normal_width_other: float = 1.0
    t_alpha: float = 0.005
    t_alpha_other: float = 0.10
    normality: str = "ks"
    normality_alpha: float = 0.05
    routes: bool = True
    fines: bool = True
    fine: float = 0.10
    categorical: bool = False
    category_alpha: float = 0.05
    category_alpha_other: float = 0.32

    def __post_init__(self):
        check_choice("method", self.method, METHODS)
        check_number("min_instances", self.min_instances, 2, LARGEST)
        check_choice("too_few", self.too_few, TOO_FEW)
        for name in ("normal_width", "normal_width_other"):
            check_number(name, getattr(self, name), 0.0, LARGEST)
        check_choice("normality", self.normality, NORMALITY)
        for name in ("t_alpha", "category_alpha"):
            check_number(name, getattr(self, name), 0.0, 1.0)
            check_number(f"{name}_other", getattr(self, f"{name}_other"), 0.0, 1.0)
        check_number("normality_alpha", self.normality_alpha, 0.0, 1.0)
        check_number("fine", self.fine, 0.0, 1.0)
        for name in ("routes", "fines", "categorical"):
            check_flag(name, getattr(self, name))


@dataclass(frozen=True)
class NodeCounts:
    """What the intervals of a tree are made from; see `hedgerow.tree.statistics`.

    Attributes
    ----------
    n, mean, sd, normality_p : (n_nodes, K) float64
        Of the split variable in each class, where its value is known.
    class_weight : (n_nodes, K) float64
        Instances at each node.
    place : (n_nodes,) int32
        Of a test on categories, its place in `categories`; -1 where there is none.
    categories : (n_places, K, n_categories) float64
        Instances of each category.
    """

    n: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    normality_p: np.ndarray
    class_weight: np.ndarray
    place: np.ndarray
    categories: np.ndarray

    @classmethod
    def of_annotated(cls, tree: Tree) -> NodeCounts:
        """From the statistics that a tree carries, which hold nothing of categories."""
        if tree.statistics is None:
            raise InputError(
                "the tree has no node statistics",
                remedy="store that of Tree.annotate(X, y)",
            )
        names = ("n", "mean", "sd", "normality_p", "class_weight")
        return cls(
            *(np.asarray(tree.statistics[name], dtype=np.float64) for name in names),
            np.full(tree.n_nodes, -1, dtype=np.int32),
            np.zeros((0, tree.n_classes, 0)),
        )


def count(
    tree: Tree,
    table: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray,
    rules: Rules,
    gate: AnyGate | None = None,
) -> NodeCounts:
    """Count a data set at the nodes of a tree.

    What `Tree.annotate` counts, for all nodes and classes at once, without what other consumers
    read, which needs pandas; and categories. A row of whole weight counts as so many rows,
    in the test of normality too.
    """
    shares = tree.shares(table, gate).tocsc()
    K = tree.n_classes
    size = tree.n_nodes * K
    node = np.repeat(np.arange(tree.n_nodes), np.diff(shares.indptr))
    row, share = shares.indices, shares.data
    key = node * K + codes[row]
    w = weight[row] * share
    class_weight = np.bincount(key, weights=w, minlength=size).reshape(-1, K)

    feature = tree.feature[node]
    is_test = feature >= 0
    node, row, key, w, share = (a[is_test] for a in (node, row, key, w, share))
    x = table[row, feature[is_test]]
    observed = ~np.isnan(x)
    node, row, key, w, share, x = (a[observed] for a in (node, row, key, w, share, x))
    n = np.bincount(key, weights=w, minlength=size)
    # Values whose squares are beyond numbers have no spread, and no interval.
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.bincount(key, weights=w * x, minlength=size) / n
        squares = np.bincount(key, weights=w * (x - mean[key]) ** 2, minlength=size)
        sd = np.where(n >= 2, np.sqrt(squares / (n - 1)), np.nan)

    numeric = ~np.isnan(tree.threshold)[node]
    whole = numeric & (share >= MIN_SHARE_COUNTED) & (n[key] >= rules.min_instances - 1e-9)
    whole &= (sd[key] > 0) & np.isfinite(sd[key])
    p = np.full(size, np.nan)
    if rules.method != "tdist":
        _test_normality(p, key[whole], x[whole], weight[row[whole]], rules.normality)

    place = np.full(tree.n_nodes, -1, dtype=np.int32)
    tests = np.flatnonzero(tree.is_categorical())
    place[tests] = np.arange(len(tests))
    width = tree.categories_left.shape[1]
    at = ~numeric & (x < width)
    cell = (place[node[at]] * K + codes[row[at]]) * width + x[at].astype(np.intp)
    categories = np.bincount(cell, weights=w[at], minlength=len(tests) * K * width)
    table_of_nodes = (a.reshape(-1, K) for a in (n, mean, sd, p))
    return NodeCounts(
        *table_of_nodes, class_weight, place, categories.reshape(len(tests), K, width)
    )


def _test_normality(p, key, x, copies, test: str) -> None:
    """Fill in p-values by node and class; those of constants and of single rows stay NaN.

    key, x, copies : node and class, value, and number of times of each row
    """
    order = np.lexsort((x, key))
    key, x, copies = key[order], x[order], copies[order]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    group = np.cumsum(np.r_[True, key[1:] != key[:-1]][: len(key)]) - 1
    if not len(first):
        return
    last = np.r_[first[1:], len(key)] - 1
    varied = x[first] < x[last]
    keys = key[first]
    if test == "lilliefors":
        lilliefors = import_optional(
            "statsmodels.stats.diagnostic", "normality='lilliefors'"
        ).lilliefors
        for g in np.flatnonzero(varied):
            part = slice(first[g], last[g] + 1)
            times = copies[part] * min(1.0, MOST_ROWS / copies[part].sum())
            rows = np.repeat(x[part], np.maximum(np.rint(times), 1).astype(np.intp))
            if len(rows) >= LEAST_LILLIEFORS:
                p[keys[g]] = lilliefors(rows, dist="norm", pvalmethod="table")[1]
        return
    n = np.add.reduceat(copies, first)
    varied &= (n > 1.0) & (np.rint(n) >= 2)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.add.reduceat(copies * x, first) / n
        squares = np.add.reduceat(copies * (x - mean[group]) ** 2, first)
        cdf = special.ndtr((x - mean[group]) / np.sqrt(squares / (n - 1))[group])
    upper = np.cumsum(copies)
    upper -= (upper[first] - copies[first])[group]
    above = np.maximum.reduceat(upper / n[group] - cdf, first)
    below = np.maximum.reduceat(cdf - (upper - copies) / n[group], first)
    distance = np.clip(np.maximum(above, below), 0.0, 1.0)[varied]
    counts = np.rint(np.minimum(n[varied], MOST_ROWS))
    p[keys[varied]] = [_p_value(*of) for of in zip(distance.tolist(), counts.tolist(), strict=True)]


@functools.lru_cache(2**15)
def _p_value(distance: float, n: float) -> float:
    """Of Kolmogorov and Smirnov's test; versions of ConfDTree ask the same of the same tree."""
    from scipy import stats

    return float(stats.kstwo.sf(distance, n))


@dataclass(frozen=True)
class Intervals:
    """The intervals of a tree and all else that its correction reads.

    Attributes
    ----------
    source : (n_nodes,) int
        NONE, NORMAL, STUDENT or FREQUENCY.
    own, other : (n_nodes, K, 2) float64
        Lower and upper end for the assigned class, and for other classes; NaN: none.
    place : (n_nodes,) int32
    inside : (n_places, K, n_categories) uint8
        1: usual in the class when it is assigned, 2: when it is not, 3: both.
    enough_rows : (n_places, K) uint8
    pull : (n_nodes, K) float64
    present : (n_nodes, K) uint8
        See `hedgerow.confidence._confidence`.
    """

    source: np.ndarray
    assigned_interval: np.ndarray
    other: np.ndarray
    place: np.ndarray
    inside: np.ndarray
    enough_rows: np.ndarray
    pull: np.ndarray
    present: np.ndarray

    def correction(self, tree: Tree, n_variables: int, smoothing: bool, rules: Rules) -> Correction:
        """What predicts tables of so many variables by this tree."""
        return Correction(
            tree,
            Gates(tree.gate, n_variables, exact=True),
            np.ascontiguousarray(tree.probabilities(smoothing)),
            self.assigned_interval,
            self.other,
            self.place,
            self.inside,
            self.enough_rows,
            self.pull,
            self.present,
            rules.fine,
            rules.routes,
            rules.fines,
        )


def intervals(tree: Tree, counted: NodeCounts, rules: Rules) -> Intervals:
    """Algorithm 1: the interval of each class at each node (section III.A)."""
    from scipy import stats

    n, mean, sd = counted.n, counted.mean, counted.sd
    numeric = (tree.feature >= 0) & ~np.isnan(tree.threshold)
    many = n >= rules.min_instances - 1e-9
    if rules.too_few == "node":
        many &= _all_present(n, many)[:, None]
    enough = many & np.isfinite(sd) & numeric[:, None]
    passed = counted.normality_p >= rules.normality_alpha
    normal = enough.any(axis=1) & (passed | ~enough).all(axis=1)
    source = np.zeros(tree.n_nodes, dtype=np.int8)
    if rules.method != "norm":
        source[enough.any(axis=1)] = STUDENT
    if rules.method != "tdist":
        source[normal] = NORMAL
    enough &= (source != NONE)[:, None]

    gaussian = np.broadcast_to((source == NORMAL)[:, None], enough.shape)[enough]
    size, centre, spread = n[enough], mean[enough], sd[enough]
    # Statistics of a file may be any numbers.
    with np.errstate(all="ignore"):
        error = spread / np.sqrt(size)
        ends = []
        for width, alpha in (
            (rules.normal_width, rules.t_alpha),
            (rules.normal_width_other, rules.t_alpha_other),
        ):
            half = width * spread
            if not gaussian.all():
                t = stats.t.isf(alpha / 2.0, size - 1.0)
                # Without a spread every level gives the mean, infinity times 0 too.
                half = np.where(gaussian, half, np.where(spread > 0, t * error, 0.0))
            half += SLACK * (np.abs(centre) + half)
            bounds = np.full((*n.shape, 2), np.nan)
            bounds[enough] = np.column_stack([centre - half, centre + half])
            ends.append(bounds)
        total = counted.class_weight.sum(axis=1, keepdims=True)
        pull = np.where(total > 0, counted.class_weight**1.5 / total, 0.0)

    place, inside, enough_rows = _usual_categories(counted, rules)
    source[place >= 0] = FREQUENCY
    present = (counted.class_weight > 0).astype(np.uint8)
    return Intervals(source, *ends, place, inside, enough_rows, np.ascontiguousarray(pull), present)


def _all_present(n: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Nodes at which each class that occurs has instances enough: (n_nodes,) flags."""
    return (many | (n <= 0)).all(axis=-1)


def _usual_categories(counted: NodeCounts, rules: Rules):
    """`place`, `inside` and `known` of tests on categories; no place where no value is atypical."""
    categories = counted.categories
    if not rules.categorical or not categories.size:
        none = np.full(len(counted.place), -1, dtype=np.int32)
        K = counted.n.shape[1]
        return none, np.zeros((0, K, 0), dtype=np.uint8), np.zeros((0, K), dtype=np.uint8)
    n = categories.sum(axis=2)
    enough_rows = n >= rules.min_instances - 1e-9
    if rules.too_few == "node":
        enough_rows &= _all_present(n, enough_rows)[:, None]
    inside = np.zeros(categories.shape, dtype=np.uint8)
    for at in np.argwhere(enough_rows):
        frequency = categories[tuple(at)] / n[tuple(at)]
        rising = np.sort(frequency)
        ties = np.searchsorted(rising, frequency * (1.0 + SLACK), side="right")
        tail = np.concatenate([[0.0], np.cumsum(rising)])[ties] + SLACK
        inside[tuple(at)] = (tail >= rules.category_alpha) + 2 * (
            tail >= rules.category_alpha_other
        )
    return counted.place, inside, enough_rows.astype(np.uint8)


def as_codes(y: Any, classes: np.ndarray) -> np.ndarray:
    """Place of each label among the classes of a fitted estimator, (n,) int."""
    labels, codes = np.unique(y, return_inverse=True)
    places = {label: place for place, label in enumerate(classes.tolist())}
    for label in labels.tolist():
        if label not in places:
            raise InputError(
                f"y holds the class {label!r}, which the fitted estimator does not know",
                remedy="give classes among " + ", ".join(map(repr, places)),
            )
    return np.array([places[label] for label in labels.tolist()], dtype=np.intp)[codes.reshape(-1)]
