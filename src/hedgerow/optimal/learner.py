"""The tree of least cost up to a depth, proven, on raw values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.checks import (
    BEYOND_USE,
    LARGEST_COUNT,
    check_choice,
    check_flag,
    check_memory,
    check_number,
)
from hedgerow.errors import InputError, warn_user
from hedgerow.induction._columns import Columns
from hedgerow.induction.base import FROM_DTYPE, WEIGHTS, TreeClassifierMixin, transaction
from hedgerow.induction.core import check_size, grow
from hedgerow.induction.measurement import DRAWS, keep_after_fit
from hedgerow.induction.rules import halfway
from hedgerow.optimal._rows import RowTree
from hedgerow.optimal._shares import ShareTree, block
from hedgerow.optimal.anytime import Anytime
from hedgerow.optimal.macro import MacroF1
from hedgerow.tree import Tree
from hedgerow.tree.gates import NoiseGate

#: In the order of the core's constants.
OBJECTIVES = ("errors", "log_loss", "gini")
MISSING = ("divided", "routed")
SEARCHES = ("bounds", "uct")
MACRO_F1 = "macro_f1"  # does not add up over leaves
#: What becomes of a missing value, in the order of the core's constants.
MISSING_SIDES = ("right", "left", "divided")
LEAST_SHARE = 1e-15  # of a row that comes to the left at a threshold, as an entry
WIDEST_SUBSETS = 12  # 2,047 tests of one variable
DEEPEST = 16  # a tree is laid out as deep as it may be
BYTES = 24  # of each row, column and level of the search


@dataclass(frozen=True)
class Tests:
    """The tests of one variable that differ by a threshold, or one test on categories.

    A numeric variable is a column of its values; where some are missing and are routed, two, with
    what is missing on the left of all thresholds and on their right. A test on categories is a
    column of its own, in which those on the left have rank 0.

    Attributes
    ----------
    variable : int
    rank : (n,) int32
        Place of each row among the values: lower ranks than 1, 2, ... go left at the first,
        second, ... threshold. A missing value has rank 0 where it goes left, and the highest where
        it goes right.
    thresholds : (highest rank,) float64
        NaN at categories.
    subset : (n_categories,) bool or None
        Categories that go left.
    missing : (k,) int
        Rows without a value.
    goes : {"right", "left", "divided"}
        What becomes of them.
    """

    variable: int
    rank: np.ndarray
    thresholds: np.ndarray
    subset: np.ndarray | None
    missing: np.ndarray
    goes: str

    @property
    def divides(self) -> bool:
        """Whether a test of the column divides rows."""
        return self.goes == "divided" and len(self.missing) > 0


def columns_of(
    training: Columns, routed: bool, midpoints: bool, most_subsets: int, ordered: bool = True
):
    """Every test of a training set, a list of `Tests`.

    ordered : with subsets by the order of class shares, where there are too many for all
    """
    tests: list[Tests] = []
    for j in range(training.n_variables):
        x = np.asarray(training.X[:, j])
        observed = ~np.isnan(x)
        missing = np.flatnonzero(~observed)
        if not observed.any():
            continue
        sides = ("divided",) if not (routed and len(missing)) else ("left", "right")
        n_categories = training.n_categories[j]
        if n_categories == 0:
            values, place = np.unique(x[observed], return_inverse=True)
            within = _thresholds(values, midpoints)
            for goes in sides:
                rank, thresholds = np.zeros(len(x), dtype=np.int32), within
                rank[observed] = place
                if goes == "right":  # of whether it is missing: a threshold that no value reaches
                    rank[missing] = len(values)
                    thresholds = np.append(within, np.finfo(np.float64).max)
                if len(thresholds):
                    tests.append(Tests(j, rank, thresholds, None, missing, goes))
            continue
        codes = np.where(observed, x, 0).astype(np.int64)
        within_order = _by_class_shares(training, j) if ordered else []
        for goes in sides:
            subsets = _subsets(codes[observed], n_categories, most_subsets, within_order)
            if goes == "right":  # whether it is missing
                subsets.append(np.ones(n_categories, dtype=bool))
            for subset in subsets:
                rank = (~subset[codes]).astype(np.int32)
                rank[missing] = goes != "left"
                tests.append(Tests(j, rank, np.array([np.nan]), subset, missing, goes))
    return tests


def _by_rank(columns: list[Tests], training: Columns, **search) -> RowTree:
    """The search for rows that go one way."""
    rank = np.array([column.rank for column in columns], dtype=np.int32)
    order = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
    subsets = _subsets_of(columns, training)
    return RowTree(rank, order, training.y, training.sample_weight, subsets, **search)


def _subsets_of(columns: list[Tests], training: Columns) -> tuple | None:
    """Tests on categories as `RowTree` takes them; None: there are none."""
    variable = np.full(len(columns), -1, dtype=np.int32)
    codes: list[np.ndarray] = []
    moved: list[np.ndarray] = []
    before, left = None, np.zeros(0, dtype=bool)
    for number, column in enumerate(columns):
        place = (column.variable, column.goes)
        if column.subset is None:
            moved.append(np.zeros(0, dtype=np.int64))
            before = None
            continue
        # A missing value is a category behind the others.
        now = np.append(column.subset, column.goes == "left")
        if place != before:
            x = np.asarray(training.X[:, column.variable])
            codes.append(np.where(np.isnan(x), len(column.subset), x).astype(np.int32))
            before, left = place, np.zeros(len(now), dtype=bool)
        variable[number] = len(codes) - 1
        moved.append(np.flatnonzero(now != left))
        left = now
    if not codes:
        return None
    first = np.cumsum([0, *map(len, moved)]).astype(np.int64)
    return variable, np.array(codes), first, np.concatenate(moved).astype(np.int32)


def _uncertain(gate: NoiseGate | None, column: Tests) -> bool:
    """Whether the values of a column carry an error."""
    return gate is not None and column.subset is None and gate.sigma[column.variable] > 0


def _whole_entries(column: Tests, width: int):
    """As `_divided_entries`, of exact values: all of a row comes to the left at one threshold."""
    observed = np.ones(len(column.rank), dtype=bool)
    observed[column.missing] = False
    row = np.flatnonzero(observed & (column.rank < len(column.thresholds)))
    row = row[np.argsort(column.rank[row], kind="stable")]
    return column.rank[row] // width, row, np.ones(len(row))


def _divided_entries(left: np.ndarray, row: np.ndarray, width: int):
    """What of each row comes to the left at each threshold, or at so many of them together.

    left : (n_thresholds, k) share of rows `row` on the left
    Returns numbers of (groups of) thresholds from 0 on, rows, and shares; by the first two.
    """
    last = np.arange(
        width - 1, len(left) + width - 1, width
    )  # of each group; the last may be short
    more = np.diff(left[np.minimum(last, len(left) - 1)], axis=0, prepend=0.0)
    at, place = np.nonzero(more > LEAST_SHARE)
    return at, row[place], more[at, place]


def _by_row(entries: list[tuple], n_rows: int):
    """Entries of all columns by row, and where those of each row and column begin."""
    at, row, share = (np.concatenate(each) for each in zip(*entries, strict=True))
    column = np.repeat(np.arange(len(entries)), [len(each) for each, _, _ in entries])
    place = row * len(entries) + column
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(n_rows * len(entries) + 1))
    return starts.astype(np.int64), at[order].astype(np.int32), share[order]


def _by_class(entries: list[tuple], label: np.ndarray, n_classes: int, most: int):
    """Entries of all columns one after the other, by threshold and class, and where each begins.

    most : of thresholds of a column
    """
    n = most * n_classes
    for j, (at, row, share) in enumerate(entries):
        place = at * n_classes + label[row]
        order = np.argsort(place, kind="stable")
        entries[j] = place[order], row[order], share[order]
    starts = np.array([np.searchsorted(at, np.arange(n + 1)) for at, _, _ in entries])
    starts += np.cumsum([0, *(len(at) for at, _, _ in entries[:-1])])[:, None]
    row = np.concatenate([row for _, row, _ in entries]).astype(np.int32)
    return starts.astype(np.int64), row, np.concatenate([share for _, _, share in entries])


def _by_share(
    columns: list[Tests], training: Columns, gate: NoiseGate | None, **search
) -> ShareTree:
    """The search for rows that a test may divide."""
    most = max(len(column.thresholds) for column in columns)
    single: list[tuple] = []
    blocks: list[tuple] = []
    variable = np.full(len(columns), -1, dtype=np.int32)
    tracked: dict[int, int] = {}  # variables whose errors are drawn once
    for j, column in enumerate(columns):
        if not _uncertain(gate, column):
            single.append(_whole_entries(column, 1))
            blocks.append(_whole_entries(column, block))
            continue
        x = training.X[:, column.variable]
        row = np.setdiff1d(np.arange(len(x)), column.missing)
        left = np.array(
            [gate.share(column.variable, t, x[row], rows=row) for t in column.thresholds]
        )
        single.append(_divided_entries(left, row, 1))
        blocks.append(_divided_entries(left, row, block))
        if gate.conditioned:
            variable[j] = tracked.setdefault(column.variable, len(tracked))
    missing = [column.missing.astype(np.int32) for column in columns]
    return ShareTree(
        *_by_class(single, training.y, training.n_classes, most),
        *_by_row(blocks, training.n_rows),
        np.cumsum([0, *(len(m) for m in missing)]).astype(np.int64),
        np.concatenate(missing),
        np.array([MISSING_SIDES.index(column.goes) for column in columns], dtype=np.int32),
        variable,
        training.y,
        training.sample_weight,
        **search,
    )


def _thresholds(values: np.ndarray, midpoints: bool) -> np.ndarray:
    """Thresholds between ascending values; a value goes right where it is at its threshold."""
    return halfway(values[:-1], values[1:]) if midpoints else values[1:]


def _categories_of(training: Columns, variable: int) -> np.ndarray:
    """Codes of the categories that a variable has in a training set, ascending."""
    x = np.asarray(training.X[:, variable])
    return np.unique(x[~np.isnan(x)]).astype(np.int64)


def _is_complete(n_present: int, most_subsets: int) -> bool:
    """Whether all subsets of so many categories are searched; of three each one alone makes all."""
    return n_present <= max(most_subsets, 3)


def _by_class_shares(training: Columns, variable: int) -> list[int]:
    """Categories of a variable in the order of their class shares (Breiman et al. 1984).

    Of more than two classes, in that of the first principal component of the shares (Coppersmith,
    Hong and Hosking 1999).
    """
    present = _categories_of(training, variable)
    x = np.asarray(training.X[:, variable])
    observed = ~np.isnan(x)
    weight = np.zeros((len(present), training.n_classes))
    place = np.searchsorted(present, x[observed])
    np.add.at(weight, (place, np.asarray(training.y)[observed]), training.sample_weight[observed])
    total = weight.sum(axis=1, keepdims=True)
    share = weight / np.maximum(total, np.finfo(np.float64).tiny)
    score = share[:, -1]
    if training.n_classes > 2:
        from_mean = share - (total * share).sum(axis=0) / total.sum()
        score = from_mean @ np.linalg.eigh(from_mean.T @ (total * from_mean))[1][:, -1]
    # Without what the order of rows leaves in the last digits, so that ties are ties.
    order = present[np.argsort(np.round(score, 9), kind="stable")].tolist()
    return order if order[0] < order[-1] else order[::-1]


def _subsets(
    codes: np.ndarray, n_categories: int, most_subsets: int, order: list[int]
) -> list[np.ndarray]:
    """Categories that go left: all subsets where there are not too many.

    Of all subsets those with the lowest category, so that none comes twice. Where there are too
    many each category alone, and the first ones of an order.
    """
    present = np.unique(codes)
    k = len(present)
    flags = np.zeros(n_categories, dtype=bool)
    subsets = []
    if k <= most_subsets:
        # As numbers, whose bits are the categories behind the lowest.
        for bits in range((1 << (k - 1)) - 1):
            subset = flags.copy()
            subset[present[0]] = True
            subset[present[1:]] = [bool(bits >> i & 1) for i in range(k - 1)]
            subsets.append(subset)
        return subsets
    lefts = [[category] for category in present]
    # The first and all but the last are single categories, which are there.
    lefts += [order[:size] for size in range(2, len(order) - 1)]
    for left in lefts:
        subset = flags.copy()
        subset[left] = True
        subsets.append(subset)
    return subsets


class OptimalTreeClassifier(TreeClassifierMixin):
    """The tree of least cost up to a depth, with a proof, on raw values.

    No test is left out and none is chosen before what lies below it is known: every tree of up to
    `max_depth` tests on a path is looked at, or shown to cost no less than one that was. The search
    may be stopped at any time. It then gives the best tree that it has found, which is never worse
    than one that is grown test by test with the best two at a time, and a cost that no tree is
    below.

    Parameters
    ----------
    max_depth : int from 0 to 16, default 3
        Largest number of tests on a path. Time grows with about the number of values of a variable
        for each.
    objective : {"errors", "log_loss", "gini", "macro_f1"}, default "errors"
        What a leaf costs: the weight of rows that are not of its majority; their log loss under the
        class shares of the leaf (nats); its weight times its Gini index. Each per unit of weight of
        the training set. Or 1 less the macro F1 of the whole tree, which does not add up over
        leaves and takes ``search="uct"``: the best of searches for errors weighted by class; the
        class weights of its nodes are weighted so as well.
    leaf_penalty : float, default 0
        What each leaf costs besides, in the same unit: .01 for a leaf that must save one row of a
        hundred. As ``ccp_alpha`` of scikit-learn, and solved instead of pruned.
    missing : {"divided", "routed"}, default "divided"
        A missing value goes both ways, in proportion to the known training weight, as in C4.5; or
        whole to the side that is better for the tree, and whether it is missing is a test, too
        (MIA). The first takes the search longer, as more rows can make a branch cheaper.
    candidates : {"values", "midpoints"}, default "values"
        Thresholds: the observed values (thesis 3.2.1), or half-way between them.
    most_subsets : int from 1 to 12, default 6
        Categories of a variable up to which a test may have any of them on its left. Of more, one
        against the others, and the first ones by the order of class shares: a good start, exact for
        one split with two classes, and no proof for deeper trees or more classes.
    categorical_features : "from_dtype", None, or sequence, default "from_dtype"
        As in `C45Classifier`.
    class_weight : dict, "balanced" or None, default None
        As in `C45Classifier`.
    weights : {"auto", "counts", "relative"}, default "auto"
        How `sample_weight` is meant, as in `C45Classifier`. The tree depends on proportions alone,
        the numbers in its leaves do not.
    smoothing : bool, default False
        Laplace-smoothed leaves in `predict_proba`.
    error : optional, default None
        Errors of measurement, by column, by row, in any form of `hedgerow.resolve_error`. The cost
        is then the expected one when values are drawn about those that were measured: a row counts
        at each leaf with the probability that it ends there. The tree reads new rows in the same
        way; of errors by row it keeps the root mean square for them.
    draws : {"once", "per_test"}, default "once"
        A value is drawn once, so that a leaf has the probability of its box; or again at each test,
        as in the thesis (3.2.3). They differ where a path tests a variable twice.
    max_nodes : int, optional
        Tests whose two branches are looked at before the search stops: the same tree on every
        machine. None: as many as the proof takes.
    time_limit : float, optional
        Seconds after which the search stops; it is looked at between tests. None: no limit.
    tolerance : float from 0 to 1, default 0
        Gap that is good enough: the search stops once ``gap_`` is no larger. The same search, so
        that a larger tolerance never gives a better tree or a higher bound.
    search : {"bounds", "uct"}, default "bounds"
        How trees are looked for. By their bounds, lowest first: the way to a proof. Or by UCT over
        the upper tests, with branch and bound for the last two levels: the way to a good tree of
        depth 4 to 6 within a limit (`max_nodes` or `time_limit`, one of which it needs). It begins
        with the tree of C4.5 and never gives a worse one; an eighth of its nodes are for the bound.
        For rows that go one way at each test: no errors of
        measurement, and missing values routed.
    leaf_price : deprecated
        The former name of `leaf_penalty`, which it stands for until the release after the next.

    Attributes
    ----------
    objective_ : float
        Cost of `tree_` on the training set, per unit of weight, leaves penalised.
    bound_ : float
        No tree of `search_space_` costs less.
    gap_ : float
        ``(objective_ - bound_) / objective_``; 0 once the search is finished.
    proven_ : bool
        No tree of this depth is better, by more than 1e-9: the search is finished, and all subsets
        of categories were among its tests.
    search_space_ : str
        In words, which trees were searched.
    n_nodes_ : int
        Tests whose branches were looked at.
    tree_ : Tree
    classes_ : array

    Raises
    ------
    InputError
        A parameter outside its range.

    Warns
    -----
    HedgerowWarning
        A variable has so many categories that not all of their subsets are searched.

    Notes
    -----
    Of trees that cost the same the search keeps the first that it comes to. It goes through tests
    by bounds on their cost, then variables by the Gini index that their best test leaves, then from
    left to right: the same tree for the same rows in any order.

    There is no least weight of leaves. With one, a branch with fewer rows could cost more than one
    with more, and what is known of a test would say nothing of its neighbours. For smaller trees
    use `leaf_penalty`.

    References
    ----------
    Brita, van der Linden, Demirovic (2025), Optimal classification trees for continuous feature
    data using dynamic programming with branch-and-bound; docs/methods/optimal.md has what differs.
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, section 4.6:
    the order by class shares. Coppersmith, Hong and Hosking (1999), Partitioning nominal attributes
    in decision trees, Data Mining and Knowledge Discovery 3: the same of more than two classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> best = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> round(best.objective_ * len(y)), best.proven_
    (1, True)
    """

    _understands = frozenset({"error", "y_plausibility"})
    min_samples_split = 0  # no parameter: see Notes

    def __init__(
        self,
        max_depth=3,
        objective="errors",
        leaf_penalty=0.0,
        missing="divided",
        candidates="values",
        most_subsets=6,
        categorical_features=FROM_DTYPE,
        class_weight=None,
        weights="auto",
        smoothing=False,
        error=None,
        draws="once",
        max_nodes=None,
        time_limit=None,
        tolerance=0.0,
        search="bounds",
        leaf_price=None,
    ):
        self.max_depth = max_depth
        self.objective = objective
        self.leaf_penalty = leaf_penalty
        self.missing = missing
        self.candidates = candidates
        self.most_subsets = most_subsets
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.weights = weights
        self.smoothing = smoothing
        self.error = error
        self.draws = draws
        self.max_nodes = max_nodes
        self.time_limit = time_limit
        self.tolerance = tolerance
        self.search = search
        self.leaf_price = leaf_price

    @property
    def _leaf_penalty(self):
        return self.leaf_penalty if self.leaf_price is None else self.leaf_price

    def _check_parameters(self) -> None:
        check_number("max_depth", self.max_depth, 0, DEEPEST, whole=True)
        check_choice("objective", self.objective, (*OBJECTIVES, MACRO_F1))
        check_number("leaf_penalty", self._leaf_penalty, 0.0, BEYOND_USE)
        check_choice("missing", self.missing, MISSING)
        check_choice("candidates", self.candidates, ("values", "midpoints"))
        check_number("most_subsets", self.most_subsets, 1, WIDEST_SUBSETS, whole=True)
        check_choice("weights", self.weights, WEIGHTS)
        check_flag("smoothing", self.smoothing)
        check_choice("draws", self.draws, DRAWS)
        check_choice("search", self.search, SEARCHES)
        if self.objective == MACRO_F1 and self.search != "uct":
            raise InputError(
                "objective is 'macro_f1', which does not add up over leaves",
                remedy="give search='uct' with a limit",
            )
        if self.search == "uct" and self.max_nodes is None and self.time_limit is None:
            raise InputError(
                "search is 'uct', which goes on without end",
                remedy="give max_nodes or time_limit, or search='bounds'",
            )
        if self.max_nodes is not None:
            check_number("max_nodes", self.max_nodes, 1, LARGEST_COUNT, whole=True)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0.0, BEYOND_USE)
            if self.time_limit == 0:
                raise InputError("time_limit is 0", remedy="give seconds, or None for no limit")
        check_number("tolerance", self.tolerance, 0.0, 1.0)

    def _fit(self, X, y, sample_weight):
        self._search(X, y, sample_weight)
        if self._partly_searched:
            texts = [f"{self._column(j)} ({k})" for j, k in self._partly_searched.items()]
            text = ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "")
            most = max(self._partly_searched.values())
            remedy = f"give most_subsets={most}" if most <= WIDEST_SUBSETS else "merge categories"
            warn_user(
                f"not all subsets of categories were searched, and no tree is proven: {text} has "
                f"more categories than most_subsets={self.most_subsets}; {remedy}, or read "
                "search_space_"
            )
        return self

    def _column(self, j: int) -> str:
        names = getattr(self, "feature_names_in_", ())
        return repr(str(names[j])) if len(names) else f"column {j}"

    def _search_space(self, ordered: bool) -> str:
        """In words, which trees were searched."""
        where = "observed values" if self.candidates == "values" else "midpoints"
        tests = [f"numbers at all {where}"] if not self._n_categories.all() else []
        tests += ["categories by all of their subsets"] if self._n_categories.any() else []
        text = f"trees of depth {self.max_depth} or less that test {' and '.join(tests)}"
        for j, k in self._partly_searched.items():
            text += ", but" if text.endswith("subsets") else ","
            subsets = f"each alone and {k - 3} subsets by class shares" if ordered else "each alone"
            text += f" of the {k} categories of {self._column(j)} {subsets}"
        return text

    @transaction
    def _search(self, X, y, sample_weight, prove: bool = False, ordered: bool = True):
        """Fit; the core, with evidence of its bound if `prove`, and the tests that it searched.

        ordered : as of `columns_of`
        """
        if self.leaf_price is not None:
            warn_user("leaf_price is now called leaf_penalty; the old name will go")
        self._check_parameters()
        training = self._training_set(X, y, sample_weight)
        columns = columns_of(
            training,
            self.missing == "routed",
            self.candidates == "midpoints",
            self.most_subsets,
            ordered,
        )
        gate = self._training_gate()
        check_size(training, gate)
        # Columns by row and level; of errors, what of each row comes left at each threshold.
        needed = float(BYTES) * len(columns) * training.n_rows * max(self.max_depth, 1)
        uncertain = [len(c.thresholds) for c in columns if _uncertain(gate, c)]
        needed += 8.0 * training.n_rows * (max(uncertain, default=0) + sum(uncertain))
        check_memory("the search for the best tree", needed, "give fewer rows or variables")
        weight = training.total_weight
        with np.errstate(over="ignore"):  # values endlessly far from a threshold, in errors
            core = self._core(training, columns, gate, prove)
        value, bound, layout = core.run()
        self.objective_ = value / weight
        self._is_finished = bool(value - bound <= 1e-9 * weight)
        n_present = {
            j: len(_categories_of(training, j))
            for j in np.flatnonzero(training.n_categories).tolist()
        }
        self._partly_searched = {
            j: k for j, k in n_present.items() if not _is_complete(k, self.most_subsets)
        }
        self.search_space_ = self._search_space(ordered)
        self.proven_ = self._is_finished and not self._partly_searched
        self.bound_ = self.objective_ if self._is_finished else bound / weight
        self.gap_ = 0.0 if self._is_finished else (self.objective_ - self.bound_) / self.objective_
        self.n_nodes_ = core.n_nodes
        with np.errstate(over="ignore"):
            row_weight = np.array(training.sample_weight)
            if self.objective == MACRO_F1:  # its leaves answer by these
                row_weight *= core.by_class[training.y]
            tree = _tree_of(layout, columns, training, gate, row_weight)
        self._finish(tree, keep_after_fit(self._training_gate(once=True)))
        return core, columns

    def _core(self, training: Columns, columns: list[Tests], gate: NoiseGate | None, prove: bool):
        """The search for the best tree of these tests, to be run."""
        divides = any(column.divides or _uncertain(gate, column) for column in columns)
        if self.search == "uct" and divides:
            raise InputError(
                "search is 'uct', and a test may divide a row: values are missing or have errors",
                remedy="give missing='routed' and no error, or search='bounds'",
            )
        problem = {
            "n_classes": training.n_classes,
            "penalty": self._leaf_penalty * training.total_weight,
            "depth": self.max_depth,
            "max_nodes": self.max_nodes or 0,
            "seconds": self.time_limit or 0.0,
            "tolerance": self.tolerance,
        }
        if self.objective != MACRO_F1:
            problem["objective"] = OBJECTIVES.index(self.objective)
        tests = columns or [_nothing(training.n_rows)]
        if self.search == "uct":
            rank = np.array([column.rank for column in tests], dtype=np.int32)
            method = MacroF1 if self.objective == MACRO_F1 else Anytime
            core = method(rank, training.y, training.sample_weight, **problem)
            core.start(self._greedy(training, columns))
            return core
        if divides:
            return _by_share(tests, training, gate, prove=prove, **problem)
        return _by_rank(tests, training, prove=prove, **problem)

    def _greedy(self, training: Columns, columns: list[Tests]) -> np.ndarray:
        """The unpruned tree of C4.5, as far as its tests are among those searched.

        As `BranchAndBound.run` gives a tree: (2 ** depth - 1, 2) int32.
        """
        tree = grow(
            training,
            max_depth=self.max_depth,
            min_samples_split=2,
            candidates=self.candidates,
        )
        layout = np.full(((1 << self.max_depth) - 1, 2), -1, dtype=np.int32)

        def lay(node: int, place: int, size: int) -> None:
            if size == 0 or tree.feature[node] < 0:
                return
            test = _test_of(tree, node, columns, training)
            if test is None:
                return
            layout[place] = test
            half = (size - 1) // 2
            lay(tree.children_left[node], place + 1, half)
            lay(tree.children_right[node], place + 1 + half, half)

        lay(0, 0, len(layout))
        return layout


def _test_of(tree: Tree, node: int, columns: list[Tests], training: Columns):
    """Column and threshold of a test of a grown tree; None: it is not among those searched."""
    j, at = int(tree.feature[node]), tree.threshold[node]
    for number, column in enumerate(columns):
        if column.variable != j or len(column.missing):
            continue
        if column.subset is None:
            below = training.X[:, j] < at
            return number, int(column.rank[below].max()) + 1
        left = tree.categories_left[node][: len(column.subset)]
        present = np.unique(training.X[:, j]).astype(int)
        if (left[present] == column.subset[present]).all():
            return number, 1
        if (left[present] != column.subset[present]).all():
            return None  # with its sides the other way round
    return None


def _nothing(n_rows: int) -> Tests:
    """A column without a test."""
    nobody = np.zeros(0, dtype=np.int64)
    return Tests(0, np.zeros(n_rows, dtype=np.int32), np.zeros(0), None, nobody, "divided")


def _tree_of(
    layout: np.ndarray,
    columns: list[Tests],
    training: Columns,
    gate: NoiseGate | None,
    row_weight: np.ndarray,
) -> Tree:
    """The tree that the core found, with the training weight of its nodes.

    layout : (2 ** depth - 1, 2) int, as `BranchAndBound.run` returns it
    row_weight : (n,) float64, of each row
    """
    nodes: list[tuple] = []
    class_weight: list[np.ndarray] = []
    categories_left = []
    nothing = np.zeros(int(training.n_categories.max(initial=0)), dtype=bool)

    def grow(weight: np.ndarray, place: int, size: int, parent: int, between: dict) -> int:
        node = len(nodes)
        class_weight.append(np.bincount(training.y, weights=weight, minlength=training.n_classes))
        categories_left.append(nothing)
        nodes.append((-1, np.nan, -1, -1, parent, np.nan))
        if size == 0 or layout[place, 0] < 0:
            return node
        column, threshold = columns[layout[place, 0]], layout[place, 1]
        at = column.thresholds[threshold - 1]
        left = (column.rank < threshold).astype(float)
        observed = np.ones(len(left), dtype=bool)
        observed[column.missing] = False
        lower, upper = between.get(column.variable, (-np.inf, np.inf))
        if _uncertain(gate, column):
            assert gate is not None  # for the type checker
            x = training.X[observed, column.variable]
            rows = np.flatnonzero(observed)
            left[observed] = gate.share(column.variable, at, x, lower, upper, rows)
        share = np.sum(weight[observed] * left[observed]) / np.sum(weight[observed])
        if column.goes != "divided" and weight[~observed].any():
            share = float(column.goes == "left")
        left[~observed] = share
        if column.subset is not None:
            subset = nothing.copy()
            subset[: len(column.subset)] = column.subset
            here = training.X[observed & (weight > 0), column.variable].astype(int)
            absent = np.setdiff1d(np.arange(len(column.subset)), here)
            subset[absent] = share >= 0.5
            categories_left[node] = subset
        branch = (size - 1) // 2
        below = {**between, column.variable: (lower, min(at, upper))}
        above = {**between, column.variable: (max(lower, at), upper)}
        low = grow(weight * left, place + 1, branch, node, below)
        high = grow(weight * (1 - left), place + 1 + branch, branch, node, above)
        nodes[node] = (column.variable, at, low, high, parent, share)
        return node

    grow(row_weight, 0, len(layout), -1, {})
    arrays = (*zip(*nodes, strict=True), np.array(class_weight), np.array(categories_left))
    return Tree(*arrays)
