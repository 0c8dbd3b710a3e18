"""The edit distance of decision trees (thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hedgerow.checks import check_choice, check_flag, check_jobs, check_memory, n_threads
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.structure._edit import GRAIN, Forest, distances, gains, mapping
from hedgerow.structure.sorting import SortedTree, Tests, TrainingSet
from hedgerow.tree.export import test_words
from hedgerow.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

COSTS = {"A1": (1.0, False), "A2": (1.0, True), "B1": (0.0, False), "B2": (0.0, True)}
CORRELATIONS = ("spearman", "pearson", "kendall")

# Trees are compared block by block.  A block has a table of costs, test against test, that stays
# in the cache; with few different tests it serves all trees at once.
BLOCK_TREES = 128
BLOCK_TESTS = 1024
THREADS_FROM = 50_000  # pairs; a smaller matrix is ready before the threads are


class TreeEditDistance(BaseEstimator):
    """Edit distance between the structures of decision trees (thesis, chapter 5).

    The nodes of all trees are sorted by the classes of one data set (5.3.1). The distance is the
    least cost of turning the tests of one tree into those of the other: inserting or deleting a
    test costs 1, substituting it depends on how alike the two tests are. Leaves are not edited.

    Parameters
    ----------
    cost : {"A1", "A2", "B1", "B2"}, default "A1"
        Substitution costs, equations 5.2 to 5.5. Type A: 1 more than type B, so that a
        substitution costs up to a deletion and an insertion. 1: tests on different variables are
        as unlike as can be; 2: less so, the more these are correlated. The thesis recommends B2
        (5.5).
    correlation : {"spearman", "pearson", "kendall"}, default "spearman"
        Of the variables, for A2 and B2.
    normalized : bool, default False
        Divide by the number of nodes of both trees, leaves included (equation 5.6).

    Attributes
    ----------
    data_ : hedgerow.structure.sorting.TrainingSet
        `classes_`, `class_order_` (places in `classes_` by falling frequency), `iqr_` (m,).
    n_features_in_ : int

    Raises
    ------
    InputError
        A parameter out of range, data without two classes, a tree with variables that the data
        do not have or whose values are all missing.

    Notes
    -----
    The same test costs 0 with every cost. A1, A2 and B1 are metrics on sorted trees; with B2 the
    triangle inequality need not hold, and different trees can be at distance 0.

    References
    ----------
    Thesis, chapter 5; Zhang and Shasha (1989), Simple fast algorithms for the editing distance
    between trees and related problems.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier, TreeEditDistance
    >>> X, y = load_iris(return_X_y=True)
    >>> small, large = (C45Classifier(max_depth=d).fit(X, y).tree_ for d in (1, 2))
    >>> TreeEditDistance().fit(X, y).distance(small, large)
    1.0
    """

    def __init__(self, cost="A1", correlation="spearman", normalized=False):
        self.cost = cost
        self.correlation = correlation
        self.normalized = normalized

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def fit(self, X, y=None) -> TreeEditDistance:
        """Read the data set that trees are sorted by and that costs refer to.

        Parameters
        ----------
        X : (n, m) array or data frame
            The variables of the trees, in their order; NaN is missing, columns of pandas' type
            `category` are categorical variables.
        y : (n,) array
            Classes, two or more.

        Raises
        ------
        InputError
        """
        self._check_parameters()
        rows = X if isinstance(X, (list, tuple)) else [X]
        if any(isinstance(row, Tree) for row in rows):
            raise InputError(
                "X holds trees, and TreeEditDistance.fit takes a data set",
                remedy="call fit(X, y) with the rows that sort the trees, then distance(t1, t2)",
            )
        self.data_ = TrainingSet(self.correlation).fit(X, y)
        self.n_features_in_ = self.data_.n_features_in_
        return self

    def distance(self, t1: Tree, t2: Tree) -> float:
        """Distance between two trees.

        Raises
        ------
        InputError
        """
        first, second = self._sorted([t1]), self._sorted([t2])
        out = np.empty((1, 1))
        self._fill(out, first, second, False, 1, None)
        return float(out[0, 0])

    def pairwise(
        self,
        trees: Iterable[Tree],
        others: Iterable[Tree] | None = None,
        *,
        n_jobs: int = 1,
        progress: bool = False,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Distances between all trees of a list, or between two lists.

        Parameters
        ----------
        trees : iterable of n trees
        others : iterable of k trees, optional
            None: `trees` again; the matrix is then symmetric with zeros on its diagonal.
        n_jobs : int, default 1
            Threads, at most 1024; -1: one per core, -2: one less. The result does not depend on it.
        progress : bool, default False
            Show a progress bar on standard error.
        out : (n, k) float64 array, optional
            Where to write, such as a `numpy.memmap`.

        Returns
        -------
        (n, k) float64

        Raises
        ------
        InputError
            An empty list, a number of threads out of range, more distances than the memory holds,
            an `out` that these distances cannot be written to, or whatever `distance` raises.
        """
        check_flag("progress", progress)
        check_jobs("n_jobs", n_jobs)
        trees, others = _listed(trees), None if others is None else _listed(others)
        n, k = len(trees), len(trees if others is None else others)
        if out is None:
            check_memory(
                f"the distances of {n} trees to {k}",
                8.0 * n * k,
                "give fewer trees, or a numpy.memmap as out",
            )
        rows = self._sorted(trees)
        columns = rows if others is None else self._sorted(others)
        shape = (len(rows), len(columns))
        if out is None:
            out = np.empty(shape)
        else:
            _check_out(out, shape)
        n_jobs = n_threads(n_jobs)
        bar = _bar(progress, len(rows) * len(columns))
        try:
            self._fill(out, rows, columns, others is None, n_jobs, bar)
        finally:
            if bar is not None:
                bar.stop()
        return out

    def edit_script(self, t1: Tree, t2: Tree) -> pd.DataFrame:
        """The cheapest edits that turn the tests of one tree into those of the other.

        Returns
        -------
        DataFrame
            One row per edit: `operation` (same, changed, deleted, inserted), `node_1`, `node_2`
            (node numbers, -1 where there is none), `test_1`, `test_2` (the tests in words, of
            the side that is left after sorting), `cost`. In the order of the nodes of `t1`,
            insertions at the end. ``attrs["distance"]`` is the sum of the costs, and
            ``attrs["normalized_distance"]`` equation 5.6. A substitution of cost 2 is shown
            as what it is worth, a deletion and an insertion.

        Raises
        ------
        InputError
        """
        pd = import_optional("pandas", "an edit script")
        (a,), (b,) = self._sorted([t1]), self._sorted([t2])
        tests = Tests()
        number, number2 = tests.number(a), tests.number(b)
        gain = self._gains(tests, tests)
        distance, pairs = mapping(
            _forest([a], tests, [number])[0], _forest([b], tests, [number2])[0], gain
        )
        of_pair = {int(a.nodes[x]): int(b.nodes[y]) for x, y in pairs}
        rows = []
        for node in sorted(a.nodes.tolist()):
            other = of_pair.get(node, -1)
            if other < 0:
                rows.append(("deleted", node, -1, _words(a, node), "", 1.0))
                continue
            cost = 2.0 - gain[number[node], number2[other]] * GRAIN
            # By the test, not by its cost: with B2 a changed test can cost nothing.
            kind = "same" if number[node] == number2[other] else "changed"
            rows.append((kind, node, other, _words(a, node), _words(b, other), cost))
        for node in sorted(set(b.nodes.tolist()) - set(of_pair.values())):
            rows.append(("inserted", -1, node, "", _words(b, node), 1.0))
        columns = ["operation", "node_1", "node_2", "test_1", "test_2", "cost"]
        script = pd.DataFrame(rows, columns=columns)
        script.attrs["distance"] = distance
        script.attrs["normalized_distance"] = distance / (t1.n_nodes + t2.n_nodes)
        return script

    # -- parts --------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_choice("cost", self.cost, tuple(COSTS))
        check_choice("correlation", self.correlation, CORRELATIONS)
        check_flag("normalized", self.normalized)

    def _sorted(self, trees) -> list[SortedTree]:
        check_is_fitted(self, "data_")
        self._check_parameters()  # which all may be set after a fit
        sorted_trees = [self.data_.sort(tree) for tree in _listed(trees)]
        if not sorted_trees:
            raise InputError("the list of trees is empty", remedy="give at least one tree")
        return sorted_trees

    def _gains(self, tests: Tests, tests2: Tests) -> np.ndarray:
        dearer, correlated = COSTS[self.cost]
        one, two = tests.arrays(), tests2.arrays()
        width = max(one[2].shape[1], two[2].shape[1])
        padded = [
            np.pad(side, ((0, 0), (0, width - side.shape[1])), constant_values=2)
            for side in (one[2], two[2])
        ]
        data = self.data_
        # Of the variables that are tested, which can be few of very many.
        tested = np.union1d(one[0], two[0])
        k = len(tested)
        rho = (
            data.absolute_correlations(tested, self.correlation) if correlated else np.zeros((k, k))
        )
        places = [np.searchsorted(tested, feature).astype(np.int32) for feature in (one[0], two[0])]
        return gains(
            places[0],
            one[1],
            padded[0],
            places[1],
            two[1],
            padded[1],
            data.iqr_[tested],
            rho,
            data.unordered_[tested],
            dearer,
        )

    def _fill(self, out, rows, columns, square: bool, n_jobs: int, bar) -> None:
        """Work out a matrix of distances, part by part."""
        if out.size < THREADS_FROM:
            n_jobs = 1
        row_blocks = _blocks(rows, n_jobs)
        column_blocks = row_blocks if square else _blocks(columns, n_jobs)
        if COSTS[self.cost][1]:
            # All at once: what is known is filled in once, and threads only read it.
            trees = rows if square else [*rows, *columns]
            tested = np.unique(np.concatenate([t.tree.feature[t.nodes] for t in trees]))
            self.data_.absolute_correlations(tested, self.correlation)
        parts = [
            (i, j)
            for i in range(len(row_blocks))
            for j in range(i if square else 0, len(column_blocks))
        ]

        def part(i: int, j: int) -> int:
            row, forest, tests = row_blocks[i]
            column, forest2, tests2 = column_blocks[j]
            gain = self._gains(tests, tests2)
            distances(forest, forest2, gain, self.normalized, row, column, out, square)
            twice = 2 if square and i != j else 1
            return twice * forest.n_trees * forest2.n_trees

        if n_jobs == 1 or len(parts) == 1:
            for i, j in parts:
                _advance(bar, part(i, j))
            return
        with ThreadPoolExecutor(n_jobs) as pool:
            futures = [pool.submit(part, i, j) for i, j in parts]
            try:
                for future in as_completed(futures):
                    _advance(bar, future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _check_out(out, shape: tuple[int, int]) -> None:
    """Refuse what distances cannot be written to."""
    if not isinstance(out, np.ndarray):
        raise InputError(
            f"out is of type {type(out).__name__}", remedy=f"give a numpy array of shape {shape}"
        )
    if out.shape != shape or out.dtype != np.float64:
        raise InputError(
            f"out is {out.dtype} of shape {out.shape}", remedy=f"give float64 of shape {shape}"
        )
    if not out.flags.writeable:
        raise InputError("out is read-only", remedy="give an array that can be written to")


def _listed(trees) -> list:
    if isinstance(trees, Tree) or not isinstance(trees, Iterable):
        raise InputError(f"trees is of type {type(trees).__name__}", remedy="give a list of trees")
    return list(trees)


def _blocks(trees: list[SortedTree], n_jobs: int) -> list[tuple[int, Forest, Tests]]:
    """Begin, trees and tests of each block."""
    blocks = []
    limit = BLOCK_TREES if n_jobs == 1 else min(BLOCK_TREES, max(8, len(trees) // (4 * n_jobs)))
    begin = 0
    while begin < len(trees):
        tests, numbers = Tests(), []
        for sorted_tree in trees[begin : begin + limit]:
            # A tree of many tests is a block of its own.
            if numbers and len(tests) + len(sorted_tree.nodes) > BLOCK_TESTS:
                break
            numbers.append(tests.number(sorted_tree))
        end = begin + len(numbers)
        blocks.append((begin, *_forest(trees[begin:end], tests, numbers)))
        begin = end
    return blocks


def _forest(trees: list[SortedTree], tests: Tests, numbers: list) -> tuple[Forest, Tests]:
    """Trees and their tests as the core reads them; `numbers` are those of each tree's tests."""
    start = np.zeros(len(trees) + 1, dtype=np.int32)
    np.cumsum([len(t.nodes) for t in trees], out=start[1:])
    forest = Forest(
        start,
        np.concatenate([n[t.nodes] for n, t in zip(numbers, trees, strict=True)]),
        np.concatenate([t.first for t in trees]),
        np.concatenate([n[t.nodes_mirrored] for n, t in zip(numbers, trees, strict=True)]),
        np.concatenate([t.first_mirrored for t in trees]),
        np.array([t.tree.n_nodes for t in trees], dtype=np.float64),
    )
    return forest, tests


def _words(sorted_tree: SortedTree, node: int) -> str:
    return test_words(sorted_tree.tree, node)[int(sorted_tree.swaps[node])]


def _bar(progress: bool, total: int):
    """Show how many distances are known, on standard error; None when not asked for."""
    if not progress:
        return None
    import_optional("rich", "a progress bar")
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "distances",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    bar.add_task("distances", total=total)
    bar.start()
    return bar


def _advance(bar, n: int) -> None:
    if bar is not None:
        bar.update(bar.task_ids[0], advance=n)
