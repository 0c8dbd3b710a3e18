"""Good trees soon: UCT over the upper tests of a tree, branch and bound below them.

A *problem* is a set of rows and the depth that is left; its arms are tests, and a test has the
problems of its two branches. They are kept, so that every way that leads to the same rows shares
what is known of them. A visit takes one arm by its upper confidence bound and visits one of its
branches, down to problems that branch and bound solves. What a problem is worth is its best tree,
not the mean of its visits: a search for the best, not for the best on average.

An eighth of all nodes goes to branch and bound over the whole tree, for a bound and in the end a
proof. What is done next never depends on the limit, so that more nodes never give a worse tree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hedgerow.optimal._rows import RowTree

EXACT = 2  # levels that branch and bound solves
TRIAL_DEPTH = 3  # ... and at which it is tried once, for as many nodes as a first look has
FIRST = 256  # nodes of a first look; each later one has twice as many
BOUNDING = 8  # of so many nodes one is for the bound of the whole
EXPLORATION = 0.03  # of the upper confidence bound, in units of the problem's cost
WIDENING = 0.6  # a problem has as many arms as visits to this power
MOST_CELLS = 2e7  # rows and columns times tests that a list of tests is made of
STEPS = np.array([-16, -8, -4, -2, -1, 1, 2, 4, 8, 16])  # to the neighbours of a good threshold


@dataclass(eq=False)
class _Arm:
    """One test of a problem, with the problems of its branches."""

    column: int
    threshold: int
    left: Problem
    right: Problem
    n_visits: int = 0

    @property
    def value(self) -> float:
        return self.left.value + self.right.value

    @property
    def bound(self) -> float:
        return self.left.bound + self.right.bound


@dataclass(eq=False)
class Problem:
    """The best tree of some rows up to a depth, as far as it is known.

    Attributes
    ----------
    rows : (n,) intp
        Of the training set, ascending.
    order : (n_columns, n) int32
        Places in `rows`, by each column; dropped once the problem is solved.
    depth : int
    value, bound : float
        Cost of the best tree that was found; no tree costs less.
    tree : (2 ** depth - 1, 2) int32 or None
        The best tree, as `BranchAndBound.run` gives it, where no arm is better.
    best : _Arm or None
    waiting : list of (cost, column, threshold)
        Tests that are no arms yet, by what two levels make of them.
    """

    rows: np.ndarray
    order: np.ndarray | None
    depth: int
    value: float = math.inf
    bound: float = 0.0
    tree: np.ndarray | None = None
    best: _Arm | None = None
    n_visits: int = 0
    arms: list[_Arm] = field(default_factory=list)
    waiting: list[tuple[float, int, int]] = field(default_factory=list)
    seen_tests: set[tuple[int, int]] = field(default_factory=set)

    def whole(self) -> np.ndarray:
        """The best tree that was found, (2 ** depth - 1, 2) int32."""
        if self.best is None:
            assert self.tree is not None
            return self.tree
        test = np.array([[self.best.column, self.best.threshold]], dtype=np.int32)
        return np.concatenate([test, self.best.left.whole(), self.best.right.whole()])


class Anytime:
    """The search, of rows that go one way at each test.

    Parameters
    ----------
    rank, label, weight
        As `RowTree` takes them.
    depth : int
    max_nodes : int
        Tests whose branches are looked at before the search stops; 0: no limit.
    seconds : float
        As `max_nodes`; 0: no limit.
    tolerance : float
        Share of the cost that may lie between it and the bound when the search stops.
    clock : callable
        What tells the seconds.
    **core
        Classes, objective and penalty, as `BranchAndBound` takes them.
    """

    def __init__(
        self,
        rank: np.ndarray,
        label: np.ndarray,
        weight: np.ndarray,
        *,
        depth: int,
        max_nodes: int = 0,
        seconds: float = 0.0,
        tolerance: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        **core,
    ):
        self.rank, self.label, self.weight, self.core = rank, label, weight, core
        self.max_nodes, self.tolerance, self.clock = max_nodes, tolerance, clock
        self.deadline = clock() + seconds if seconds else math.inf
        self.slack = 1e-9 * float(weight.sum())
        self.n_nodes = self._n_bounding = self._n_looks = 0
        self._problems: dict[tuple[int, bytes], Problem] = {}
        order = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
        self.root = self._problem(np.arange(rank.shape[1]), order, depth)

    @property
    def over(self) -> bool:
        """Whether a limit is reached."""
        spent = 0 < self.max_nodes <= self.n_nodes
        return spent or self.clock() > self.deadline

    def run(self, on_improvement: Callable[[float, float], None] | None = None):
        """Search until a limit is reached, or the root is solved well enough.

        on_improvement : called with the clock and the cost of each better tree

        Returns
        -------
        value, bound, tree
            As of `BranchAndBound.run`.
        """
        best = math.inf
        while True:
            if self.root.value < best - self.slack:
                best = self.root.value
                if on_improvement is not None:
                    on_improvement(self.clock(), best)
            near = self.root.value - self.root.bound <= self.tolerance * self.root.value
            if near or self.over or self._done(self.root):
                self._settle(self.root)
                return self.root.value, self.root.bound, self.root.whole()
            before = self.n_nodes
            if before < BOUNDING * self._n_bounding:
                self._visit(self.root)
            if self.n_nodes == before:  # its turn, or all that was proposed is solved
                self._bound()

    def start(self, tree: np.ndarray) -> None:
        """Begin with a tree of the root, as `BranchAndBound.run` gives it."""
        self._seed(self.root, tree)

    # ------------------------------------------------------------------------- problems

    def _problem(self, rows: np.ndarray, order: np.ndarray, depth: int) -> Problem:
        key = depth, rows.tobytes()
        problem = self._problems.get(key)
        if problem is None:
            problem = self._problems[key] = Problem(rows, order, depth)
        return problem

    def _branch(self, problem: Problem, column: int, threshold: int) -> _Arm:
        assert problem.order is not None
        left = self.rank[column, problem.rows] < threshold
        branches = []
        for side in (left, ~left):
            place = np.cumsum(side, dtype=np.int32) - np.int32(1)
            order = problem.order[side[problem.order]].reshape(len(problem.order), -1)
            branches.append(
                self._problem(
                    problem.rows[side], np.ascontiguousarray(place[order]), problem.depth - 1
                )
            )
        return _Arm(column, threshold, *branches)

    def _solver(self, problem: Problem, depth: int, max_nodes: int = 0) -> RowTree:
        left = max(self.deadline - self.clock(), 1e-3)
        return RowTree(
            np.ascontiguousarray(self.rank[:, problem.rows]),
            problem.order,
            self.label[problem.rows],
            self.weight[problem.rows],
            depth=depth,
            max_nodes=max_nodes,
            seconds=0.0 if math.isinf(left) else left,
            **self.core,
        )

    def _done(self, problem: Problem) -> bool:
        return problem.bound >= problem.value - self.slack

    def _learn(self, problem: Problem, value: float, bound: float, tree: np.ndarray) -> None:
        if value < problem.value - self.slack:
            problem.value, problem.tree, problem.best = value, tree, None
        problem.bound = min(max(problem.bound, bound), problem.value)
        if self._done(problem):
            problem.order = None
            problem.waiting = []

    def _look(self, problem: Problem) -> None:
        """Branch and bound over a whole problem, for twice the nodes of the last time."""
        core = self._solver(problem, problem.depth, FIRST << min(problem.n_visits, 40))
        value, bound, tree = core.run()
        self.n_nodes += core.n_nodes
        self._learn(problem, value, bound, tree)

    def _bound(self) -> None:
        """Branch and bound over the whole tree."""
        most = FIRST << min(self._n_looks, 40)
        if self.max_nodes:
            most = min(most, self.max_nodes - self.n_nodes)
        core = self._solver(self.root, self.root.depth, most)
        value, bound, tree = core.run()
        self._n_looks += 1
        self._n_bounding += max(core.n_nodes, 1)
        self.n_nodes += max(core.n_nodes, 1)
        self._learn(self.root, value, bound, tree)

    def _leaf(self, problem: Problem) -> None:
        """The tree without a test."""
        value = self._solver(problem, 0).run()[0]
        tree = np.full(((1 << problem.depth) - 1, 2), -1, dtype=np.int32)
        self._learn(problem, value, min(value, 2 * self.core["penalty"]), tree)

    def _seed(self, problem: Problem, tree: np.ndarray) -> None:
        if problem.depth <= EXACT:
            self._look(problem)
            return
        self._leaf(problem)
        column, threshold = tree[0].tolist()
        if self._done(problem) or column < 0:
            return
        arm = self._branch(problem, column, threshold)
        problem.arms.append(arm)
        problem.seen_tests.add((column, threshold))
        half = len(tree) // 2
        self._seed(arm.left, tree[1 : 1 + half])
        self._seed(arm.right, tree[1 + half :])
        self._update(problem)

    # ---------------------------------------------------------------------------- tests

    def _propose(self, problem: Problem) -> None:
        """Tests of a problem: of each stretch of a column the one that leaves least Gini index."""
        assert problem.order is not None
        n, m = len(problem.rows), len(self.rank)
        most = max(2, int(MOST_CELLS / (float(n) * m * m)))
        label, weight = self.label[problem.rows], self.weight[problem.rows]
        columns, thresholds = [], []
        for j in range(m):
            rows = problem.order[j]
            rank = self.rank[j, problem.rows[rows]]
            last = np.flatnonzero(np.diff(rank))  # row on the left of each threshold
            if not len(last):
                continue
            if len(last) > most:
                by_class = np.zeros((n, self.core["n_classes"]))
                by_class[np.arange(n), label[rows]] = weight[rows]
                left = np.cumsum(by_class, axis=0)
                right = left[-1] - left[last]
                left = left[last]
                purity = (left**2).sum(axis=1) / left.sum(axis=1)
                purity += (right**2).sum(axis=1) / right.sum(axis=1)
                stretch = last * most // n
                by = np.lexsort((-purity, stretch))
                last = last[np.sort(by[np.r_[True, np.diff(stretch[by]) > 0]])]
            columns.append(np.full(len(last), j))
            thresholds.append(rank[last + 1])
        if columns:
            self._wait(problem, np.concatenate(columns), np.concatenate(thresholds))

    def _wait(self, problem: Problem, columns: np.ndarray, thresholds: np.ndarray) -> None:
        """Put tests where what two levels make of them has them."""
        tests = zip(columns.tolist(), thresholds.tolist(), strict=True)
        new = [test for test in tests if test not in problem.seen_tests]
        if not new:
            return
        problem.seen_tests.update(new)
        column, threshold = np.array(new, dtype=np.int32).T
        costs = self._solver(problem, 2).lookahead(
            np.ascontiguousarray(column), np.ascontiguousarray(threshold)
        )
        self.n_nodes += len(new)
        entries = [(cost, *test) for cost, test in zip(costs.tolist(), new, strict=True)]
        problem.waiting = sorted(problem.waiting + entries, reverse=True)  # the next is the last

    def _neighbours(self, problem: Problem, arm: _Arm) -> None:
        """Thresholds near one that made the best tree."""
        ranks = np.unique(self.rank[arm.column, problem.rows])
        near = np.searchsorted(ranks, arm.threshold) + STEPS
        near = near[(near > 0) & (near < len(ranks))]
        self._wait(problem, np.full(len(near), arm.column), ranks[near])

    # --------------------------------------------------------------------------- search

    def _visit(self, problem: Problem) -> None:
        """Learn more of a problem that is not solved."""
        first = problem.n_visits == 0
        if problem.depth <= EXACT or (first and problem.depth <= TRIAL_DEPTH):
            self._look(problem)
        elif first:
            self._leaf(problem)
        if first and problem.depth > EXACT and not self._done(problem):
            self._propose(problem)
        problem.n_visits += 1
        if problem.depth <= EXACT or self._done(problem) or self.over:
            return
        arm = self._chosen(problem)
        if arm is None:
            return
        arm.n_visits += 1
        open_ones = [branch for branch in (arm.left, arm.right) if not self._done(branch)]
        if all(branch.n_visits for branch in open_ones):
            # The one that may gain most for each visit that it has had.
            open_ones.sort(key=lambda p: p.n_visits / (p.value - p.bound))
            open_ones = open_ones[:1]
        for branch in open_ones:
            self._visit(branch)
            if self.over:
                break
        self._update(problem)

    def _chosen(self, problem: Problem) -> _Arm | None:
        """A new arm where there may be one more, else the one with the best confidence bound."""
        limit = problem.value - self.slack
        open_arms = [
            arm
            for arm in problem.arms
            if arm.bound < limit and not (self._done(arm.left) and self._done(arm.right))
        ]
        room = len(problem.arms) < 1 + int(problem.n_visits**WIDENING)
        if problem.waiting and (room or not open_arms):
            _, column, threshold = problem.waiting.pop()
            arm = self._branch(problem, column, threshold)
            problem.arms.append(arm)
            return arm
        scale = max(problem.value, self.slack)
        log = math.log(problem.n_visits + 1)

        def cost(arm: _Arm) -> float:
            return arm.value / scale - EXPLORATION * math.sqrt(log / max(arm.n_visits, 1))

        return min(open_arms, key=cost, default=None)

    def _settle(self, problem: Problem) -> None:
        """What the tree of a problem costs, where a branch got better on another way."""
        if problem.best is not None:
            self._settle(problem.best.left)
            self._settle(problem.best.right)
            problem.value = problem.best.value
            problem.bound = min(problem.bound, problem.value)

    def _update(self, problem: Problem) -> None:
        """Take the best arm; all are looked at, as branches are shared."""
        better = None
        for arm in problem.arms:
            if arm.value < problem.value - self.slack:
                problem.value, problem.best, better = arm.value, arm, arm
        if better is not None and better.n_visits and not self._done(problem):
            self._neighbours(problem, better)
