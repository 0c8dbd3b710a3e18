"""Optimal trees of limited depth over binary variables, what tree search is measured against.

Two objectives: accuracy for any number of classes, and macro F1 for two. Errors add up over
branches, so that the fewest of a tree follow from the fewest of its branches; counts of all pairs
of columns give those of depth 2 at once. Macro F1 does not add up; the errors of either class do,
and of all pairs (errors of class 0, errors of class 1) that a branch can have only those that no
other beats in both can be part of an optimal tree.

The library pystreed, where it is installed, checks the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import COUNTED, as_numbers, check_number, check_unmasked
from hedgerow.errors import DataError, InputError
from hedgerow.optional import needed, version_of

if TYPE_CHECKING:
    import pandas as pd

LIBRARY = "pystreed"
TIME_LIMIT = 60.0  # seconds of the library for one tree
MOST_CLASSES = 1 << 16  # whose rows are counted one after the other
THRESHOLDS = ["dataset", "column", "variable", "threshold", "category"]

#: A tree: a class code, or (column, tree where the column is 0, tree where it is 1).
NestedTree = int | tuple


# -------------------------------------------------------------------------------- binary table


def binary_table(table, n_thresholds: int) -> tuple[np.ndarray, pd.DataFrame]:
    """A data set as columns of 0 and 1, the same for every method.

    A numeric variable gives one column `x >= t` per threshold t: the quantiles that cut its
    values into `n_thresholds` + 1 parts, each a value of the data; of all rows, without classes.
    A categorical variable gives one column per category, or one if it has two.

    Parameters
    ----------
    table : TidyTable
    n_thresholds : int

    Returns
    -------
    (n, p) float array of 0 and 1
        Columns that are constant, or equal to an earlier one or its opposite, are left out.
    DataFrame
        One row per column: dataset, column, variable, threshold (NaN for categories), category.

    Raises
    ------
    DataError
        A value is missing: an optimal tree has no place for it.
    """
    import pandas as pd

    if table.X.isna().to_numpy().any():
        raise DataError(
            f"{table.name}: values are missing",
            remedy="leave it out of `search_beyond.optimum_datasets`",
        )
    columns, names, seen = [], [], set()
    for variable, threshold, category, column in _tests(table.X, n_thresholds):
        key = (column if column[0] == 0 else 1 - column).tobytes()
        if key in seen or column.min() == column.max():
            continue
        seen.add(key)
        names.append((table.name, len(columns), str(variable), threshold, category))
        columns.append(column)
    frame = pd.DataFrame(names, columns=THRESHOLDS)
    frame = frame.astype({"column": "int64", "threshold": "float64", "category": "str"})
    return np.array(columns, dtype=float).reshape(len(columns), len(table.y)).T.copy(), frame


def _tests(X: pd.DataFrame, n_thresholds: int) -> Iterator[tuple]:
    """Variable, threshold, category and 0-1 column of every test."""
    import pandas as pd

    shares = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    for variable in X:
        values = X[variable]
        if isinstance(values.dtype, pd.CategoricalDtype):
            categories = list(values.cat.categories)
            for code, category in enumerate(categories[: 1 if len(categories) == 2 else None]):
                yield variable, np.nan, str(category), (values.cat.codes == code).to_numpy(np.int8)
            continue
        x = values.to_numpy(float)
        for t in np.unique(np.quantile(x, shares, method="higher")):
            yield variable, float(t), "", (x >= t).astype(np.int8)


# ---------------------------------------------------------------------------------------- trees


def predict(tree: NestedTree, B: np.ndarray) -> np.ndarray:
    """(n,) class codes that a tree gives to the rows of a binary table."""
    if not isinstance(tree, tuple):
        return np.full(len(B), tree, dtype=int)
    column, low, high = tree
    return np.where(B[:, column] > 0.5, predict(high, B), predict(low, B))


def n_leaves(tree: NestedTree) -> int:
    """Number of leaves."""
    return n_leaves(tree[1]) + n_leaves(tree[2]) if isinstance(tree, tuple) else 1


def most_accurate(B: np.ndarray, y: np.ndarray, depth: int) -> NestedTree:
    """A tree with the highest accuracy on the rows given, of all up to a depth.

    Parameters
    ----------
    B : (n, p) array of 0 and 1
    y : (n,) int array of class codes, any number of classes
    depth : int
        Largest number of tests on a path.

    Returns
    -------
    NestedTree
        Ties: at each node the smallest depth that has as few errors, then the lowest column; leaves
        bear the class of the majority, the lowest of several.

    Raises
    ------
    InputError
        B holds something but 0 and 1, y no class codes from 0 on, or they differ in length; a depth
        that is no whole number of 0 or more.

    Examples
    --------
    A test alone tells nothing of the class, two of them all:

    >>> from hedgerow import most_accurate
    >>> most_accurate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], depth=2)
    (0, (1, 0, 1), (1, 1, 0))
    """
    B, y = _checked(B, y)
    check_number("depth", depth, 0, COUNTED, whole=True)
    return _FewestErrors(B, y).tree(np.ones(len(y), dtype=bool), depth)


def _checked(B, y) -> tuple[np.ndarray, np.ndarray]:
    """A binary table as float64, and class codes of its rows."""
    check_unmasked("B", B)
    check_unmasked("y", y)
    B, codes = as_numbers("B", B), as_numbers("y", y)
    if B.ndim != 2 or 0 in B.shape:
        raise InputError(
            f"B has shape {B.shape}", remedy="give a table with a row and a column at least"
        )
    if not np.isin(B, (0.0, 1.0)).all():
        row, column = np.argwhere(~np.isin(B, (0.0, 1.0)))[0]
        raise InputError(
            f"B holds {B[row, column]:g} in row {row}, column {column}",
            remedy="give the outcome of each test as 0 or 1",
        )
    if codes.shape != (len(B),):
        raise InputError(
            f"y has shape {codes.shape} for {len(B)} rows of B", remedy="give one class code a row"
        )
    wrong = ~((codes >= 0) & (codes < MOST_CLASSES) & (codes == np.rint(codes)))
    if wrong.any():
        raise InputError(
            f"y holds {codes[wrong.argmax()]:g} in row {int(wrong.argmax())}",
            remedy=f"give codes of classes from 0 on, below {MOST_CLASSES}",
        )
    return B, codes.astype(int)


class _FewestErrors:
    """Fewest errors of trees on subsets of the rows; those of depth 2 from counts of pairs."""

    def __init__(self, B: np.ndarray, y: np.ndarray):
        self.B = np.asarray(B, dtype=np.float64)
        self.y = np.asarray(y)
        self.classes = range(int(self.y.max()) + 1)
        self._known = {}

    def errors(self, rows: np.ndarray, depth: int, below: float = np.inf) -> float:
        """Fewest errors on rows (a mask); `below` or more where there are not fewer than that."""
        key = (np.packbits(rows).tobytes(), depth)
        if key not in self._known:
            best = self._errors(rows, depth, below)
            if best >= below:  # not the optimum, only no less than the bound
                return best
            self._known[key] = best
        return self._known[key]

    def _errors(self, rows, depth: int, below: float) -> float:
        counts = np.array([np.sum(rows & (self.y == c)) for c in self.classes], dtype=float)
        best = float(counts.sum() - counts.max())
        if depth == 0 or best == 0:
            return best
        if depth <= 2:
            return min(best, self._shallow(rows, counts, depth))
        bound = min(best, below)
        for column in range(self.B.shape[1]):
            high = rows & (self.B[:, column] > 0.5)
            low = rows & ~high
            if not (high.any() and low.any()):
                continue
            first = self.errors(low, depth - 1, bound)
            if first < bound:
                bound = min(bound, first + self.errors(high, depth - 1, bound - first))
        return min(best, bound)

    def _shallow(self, rows, counts, depth: int) -> float:
        """Fewest errors of all trees with one or two tests on a path, and at least one."""
        of_class = [self.B[rows & (self.y == c)] for c in self.classes]
        ones = np.array([X.sum(axis=0) for X in of_class])  # (classes, columns)
        high, low = ones, counts[:, None] - ones
        if depth == 1:
            return float((_missed(high) + _missed(low)).min())
        both = np.array([X.T @ X for X in of_class])  # (classes, first column, second column)
        sides = (
            (high, both, high[:, :, None] - both),
            (low, ones[:, None, :] - both, low[:, :, None] - ones[:, None, :] + both),
        )
        errors = [
            np.minimum(_missed(leaf), (_missed(one) + _missed(other)).min(axis=1))
            for leaf, one, other in sides
        ]
        return float((errors[0] + errors[1]).min())

    def tree(self, rows: np.ndarray, depth: int) -> NestedTree:
        """A tree with as few errors as possible."""
        fewest = self.errors(rows, depth)
        limit = next(d for d in range(depth + 1) if self.errors(rows, d) == fewest)
        if limit == 0:
            return int(np.argmax([np.sum(rows & (self.y == c)) for c in self.classes]))
        for column in range(self.B.shape[1]):
            high = rows & (self.B[:, column] > 0.5)
            low = rows & ~high
            first = self.errors(low, limit - 1, fewest + 1)
            if first <= fewest and first + self.errors(high, limit - 1) == fewest:
                return (column, self.tree(low, limit - 1), self.tree(high, limit - 1))
        raise AssertionError("the fewest errors have no tree")


def _missed(counts: np.ndarray) -> np.ndarray:
    """Rows that are not of the majority; counts by class first."""
    return counts.sum(axis=0) - counts.max(axis=0)


def check_accuracy(B: np.ndarray, y: np.ndarray, depth: int, tree: NestedTree) -> None:
    """Compare the errors of a tree with those of the optimum that pystreed finds.

    Parameters
    ----------
    B, y, depth
        As given to `most_accurate`.
    tree : NestedTree
        What it returned.

    Raises
    ------
    LibraryError
        pystreed is not installed.
    DataError
        The numbers of errors differ, or pystreed has no proof of optimality within a minute.

    References
    ----------
    van der Linden, de Weerdt and Demirovic (2023), Necessary and sufficient conditions for optimal
    decision trees using dynamic programming.
    """
    needed("pystreed", "the check of optimal trees")
    from pystreed import STreeDClassifier

    y = np.asarray(y, dtype=np.int32)
    found = STreeDClassifier("accuracy", max_depth=depth, time_limit=TIME_LIMIT)
    found.fit(np.asarray(B, dtype=np.int32), y)
    theirs = int(np.sum(found.predict(np.asarray(B, dtype=np.int32)) != y))
    ours = int(np.sum(predict(tree, B) != y))
    if not found.fit_result.is_optimal() or theirs != ours:
        raise DataError(
            f"depth {depth}: our optimum has {ours} errors, that of {version_of(LIBRARY)} {theirs}",
            remedy="report this: one of the two is wrong, or ran out of time",
        )


class ErrorFronts:
    """Errors of two classes that trees up to a depth can have, and the tree with the best F1.

    Parameters
    ----------
    B : (n, p) array of 0 and 1
        Rows on which errors are counted.
    y : (n,) int array of 0 and 1
    given : (array, array), optional
        Binary table and classes of other rows, which label the leaves by majority (ties: class 0)
        and of which each side of a test needs one at least; so UCT-DT labels leaves from the
        induction set and measures on the validation set. None: labels are free.

    Raises
    ------
    InputError
        There are other classes than 0 and 1, and as `most_accurate`; tables of other columns.

    Examples
    --------
    >>> from hedgerow import ErrorFronts
    >>> fronts = ErrorFronts([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> fronts.best(depth=1)[0], fronts.best(depth=2)
    (0.5, (1.0, (0, (1, 0, 1), (1, 1, 0))))
    """

    def __init__(self, B: np.ndarray, y: np.ndarray, given: tuple | None = None):
        B, y = _checked(B, y)
        self.free = given is None
        labelling, labels = (B, y) if given is None else _checked(*given)
        if labelling.shape[1] != B.shape[1]:
            raise InputError(
                f"B has {B.shape[1]} columns and the table of `given` {labelling.shape[1]}",
                remedy="give the same columns twice",
            )
        others = sorted({*y.tolist(), *labels.tolist()} - {0, 1})
        if others:
            raise InputError(
                "the macro F1 of a tree is optimised for the classes 0 and 1 only, and y holds "
                f"{others[0]}",
                remedy="code the two classes as 0 and 1",
            )
        # Rows by class: those on which errors count, then those that label the leaves.
        pairs = [(B, y)] if self.free else [(B, y), (labelling, labels)]
        self.rows = [np.asarray(table[of == c], dtype=np.float64) for table, of in pairs
                     for c in (0, 1)]  # fmt: skip
        self.n_columns = B.shape[1]
        self.totals = np.array([len(r) for r in self.rows])

    def best(self, depth: int) -> tuple[float, NestedTree]:
        """Best macro F1 (fraction) of all trees up to a depth, and a tree that has it.

        Ties: fewer errors, then fewer of class 0; of trees with the same errors one with the
        smallest depth, then the lowest columns.

        Raises
        ------
        InputError
            A depth that is no whole number of 0 or more.
        """
        check_number("depth", depth, 0, COUNTED, whole=True)
        masks = [np.ones(n, dtype=bool) for n in self.totals]
        front = self._front(masks, depth)
        n0, n1 = self.totals[:2]
        scores = np.array([_macro_f1(n0, n1, *point) for point in front])
        order = np.lexsort((front[:, 0], front.sum(axis=1), -np.round(scores, 12)))
        point = tuple(front[order[0]])
        return float(scores[order[0]]), self._tree(masks, depth, point)

    # Points are (errors of class 0, errors of class 1); a front holds them by rising first number.

    def _leaves(self, counts: np.ndarray) -> np.ndarray:
        """(2, k, 2) or (1, k, 2): points of k leaves under each label that they may bear."""
        zero = np.zeros_like(counts[0])
        as_0, as_1 = np.stack([zero, counts[1]], -1), np.stack([counts[0], zero], -1)
        if self.free:
            return np.stack([as_0, as_1])
        return np.where((counts[3] > counts[2])[:, None], as_1, as_0)[None]

    def _counts(self, masks) -> np.ndarray:
        return np.array([[m.sum()] for m in masks])

    def _split(self, masks, column: int, side: int):
        return [m & (r[:, column] == side) for m, r in zip(masks, self.rows, strict=True)]

    def _usable(self, counts: np.ndarray) -> np.ndarray:
        """Whether leaves of these counts have a row that labels them."""
        return (counts[-2] + counts[-1]) > 0

    def _front(self, masks, depth: int) -> np.ndarray:
        best = self._blank()
        self._enter(best, self._leaves(self._counts(masks)).reshape(-1, 2))
        if depth == 1:
            self._enter(best, self._stumps(np.array([r[m].sum(axis=0) for m, r in
                zip(masks, self.rows, strict=True)]), self._counts(masks)))  # fmt: skip
        elif depth >= 2:
            for low, high in self._sides(masks, depth):
                if low is not None:
                    self._enter(best, _sums(low, high))
        return _compressed(best)

    def _sides(self, masks, depth: int):
        """Fronts of both sides of a test of each column, None where a side is empty."""
        if depth > 2:
            for column in range(self.n_columns):
                sides = [self._split(masks, column, side) for side in (0, 1)]
                if all(self._usable(self._counts(s))[0] for s in sides):
                    yield [self._front(s, depth - 1) for s in sides]
                else:
                    yield None, None
            return
        # Counts of all pairs of columns at once: [class or sample, first column, second column].
        both = np.array([r[m].T @ r[m] for m, r in zip(masks, self.rows, strict=True)])
        ones = np.diagonal(both, axis1=1, axis2=2)
        totals = self._counts(masks)
        for column in range(self.n_columns):
            high, n_high = both[:, column], ones[:, column : column + 1]
            sides = [(ones - high, totals - n_high), (high, n_high)]
            if not all(self._usable(n)[0] for _, n in sides):
                yield None, None
                continue
            fronts = []
            for counts, n in sides:
                best = self._blank()
                self._enter(best, self._leaves(n).reshape(-1, 2))
                self._enter(best, self._stumps(counts, n))
                fronts.append(_compressed(best))
            yield fronts

    def _stumps(self, counts: np.ndarray, totals: np.ndarray) -> np.ndarray:
        """Points of all trees with one test. counts: rows with a 1, by class and column."""
        rest = totals - counts
        usable = self._usable(counts) & self._usable(rest)
        low, high = self._leaves(rest[:, usable]), self._leaves(counts[:, usable])
        return (low[:, None] + high[None]).reshape(-1, 2)

    def _blank(self) -> np.ndarray:
        """Fewest errors of class 1 for each number of errors of class 0."""
        return np.full(self.totals[0] + 1, np.iinfo(np.int64).max)

    def _enter(self, best: np.ndarray, points: np.ndarray) -> None:
        points = points.astype(np.int64)
        np.minimum.at(best, points[:, 0], points[:, 1])

    def _tree(self, masks, depth: int, point: tuple) -> NestedTree:
        """A tree of the smallest depth with these errors."""
        leaves = self._leaves(self._counts(masks))[:, 0]
        for i, leaf in enumerate(leaves):
            if tuple(leaf) == point:
                if self.free:
                    return i
                counts = self._counts(masks)[:, 0]
                return int(counts[3] > counts[2])
        for limit in range(1, depth + 1):
            if point not in set(map(tuple, self._front(masks, limit))):
                continue
            for column in range(self.n_columns):
                sides = [self._split(masks, column, side) for side in (0, 1)]
                if not all(self._usable(self._counts(s))[0] for s in sides):
                    continue
                low, high = (self._front(s, limit - 1) for s in sides)
                high_points = set(map(tuple, high))
                for a in map(tuple, low):
                    b = (point[0] - a[0], point[1] - a[1])
                    if b in high_points:
                        return (
                            column,
                            self._tree(sides[0], limit - 1, a),
                            self._tree(sides[1], limit - 1, b),
                        )
        raise AssertionError("a point of the front has no tree")


def _sums(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (low[:, None] + high[None]).reshape(-1, 2)


def _compressed(best: np.ndarray) -> np.ndarray:
    """Points that no other beats in both numbers of errors."""
    lowest = np.minimum.accumulate(best)
    keep = np.flatnonzero(np.r_[True, lowest[1:] < lowest[:-1]] & (best < np.iinfo(np.int64).max))
    return np.stack([keep, best[keep]], axis=1)


def _macro_f1(n0: int, n1: int, e0: int, e1: int) -> float:
    """Macro F1 of two classes with n rows and e errors each; a class with neither counts 0."""
    halves = [
        2 * (n - e) / (2 * (n - e) + e0 + e1) if n - e + e0 + e1 else 0.0
        for n, e in ((n0, e0), (n1, e1))
    ]
    return float(np.mean(halves))
