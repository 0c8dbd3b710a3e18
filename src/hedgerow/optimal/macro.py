"""Macro F1, which does not add up over leaves: the best of searches for weighted errors.

Every weighting of the classes has a tree of least weighted errors. Macro F1 falls, to the first
order, by an amount for each error that depends on its class: the weighting that follows from the
best tree so far is the next to be searched, as in methods for fractional programs. All searches go
on in turns, so that what is done next never depends on the limit.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import minimize_scalar

from hedgerow.optimal.anytime import Anytime

SLICE = 2000  # nodes of a search, in its turn
MOST = 6  # weightings
NEAR = 0.05  # logarithms of weights that differ by less are the same


class MacroF1:
    """Search for a tree with the least 1 - macro F1, leaves penalised.

    Parameters
    ----------
    rank, label, weight, n_classes, penalty, depth, max_nodes, seconds, tolerance
        As `Anytime` takes them; `penalty` in units of weight, as there.

    Attributes
    ----------
    by_class : (n_classes,) float64
        Weights of the classes by which the leaves of the best tree answer.
    """

    def __init__(
        self, rank, label, weight, *, n_classes, penalty, max_nodes=0, seconds=0.0, **core
    ):
        self.rank, self.label, self.weight = rank, label, weight
        self.n_classes, self.penalty, self.max_nodes = n_classes, penalty, max_nodes
        self.core = {"seconds": seconds, "n_classes": n_classes, "penalty": penalty, **core}
        self.tolerance = self.core.pop("tolerance", 0.0)
        self.total = float(weight.sum())
        self.of_class = np.bincount(label, weights=weight, minlength=n_classes)
        self.value, self.bound = math.inf, 0.0
        self.tree: np.ndarray | None = None
        self.by_class = np.ones(n_classes)
        self.searches: list[tuple[np.ndarray, Anytime]] = []
        self._start: np.ndarray | None = None

    @property
    def n_nodes(self) -> int:
        """Tests whose branches were looked at."""
        return sum(search.n_nodes for _, search in self.searches)

    def start(self, tree: np.ndarray) -> None:
        """Begin with a tree, as `BranchAndBound.run` gives it."""
        self._start = tree
        self._judge(tree, np.ones(self.n_classes))
        self._add(np.ones(self.n_classes))
        self._add(self.total / (self.n_classes * np.maximum(self.of_class, 1e-300)))

    def run(self):
        """As `BranchAndBound.run`; costs are 1 - macro F1 times the weight of all rows."""
        for turn in itertools.count():
            by_class, search = self.searches[turn % len(self.searches)]
            rest = self.max_nodes - self.n_nodes if self.max_nodes else SLICE
            search.max_nodes = search.n_nodes + max(min(SLICE, rest), 1)
            value, bound, _ = search.run(self._judge_improvement(by_class, search))
            leaves = 2 * self.penalty if value > bound else self.penalty
            self._tighten(by_class, bound - leaves)
            if turn % len(self.searches) == len(self.searches) - 1:
                self._add(self._next())
            solved = all(s.root.bound >= s.root.value - s.slack for _, s in self.searches)
            spent = 0 < self.max_nodes <= self.n_nodes
            late = search.clock() > search.deadline
            near = self.value - self.bound <= self.tolerance * self.value
            if solved or spent or late or near:
                return self.value * self.total, self.bound * self.total, self.tree

    def _add(self, by_class: np.ndarray) -> None:
        by_class = by_class * self.total / float(by_class @ self.of_class)
        near = [np.abs(np.log(by_class / other)).max() < NEAR for other, _ in self.searches]
        if any(near) or len(self.searches) == MOST:
            return
        weight = self.weight * by_class[self.label]
        search = Anytime(self.rank, self.label, weight, objective=0, **self.core)
        if self.searches:  # all of them have one time
            search.deadline = self.searches[0][1].deadline
        search.start(self._start)
        self.searches.append((by_class, search))

    def _judge_improvement(self, by_class: np.ndarray, search: Anytime):
        """What judges each better tree of a search, at the same places whatever the limit."""
        return lambda clock, cost: self._judge(search.root.whole(), by_class)

    def _answers(self, tree: np.ndarray, by_class: np.ndarray) -> tuple[np.ndarray, int]:
        """The class that the leaves give to each row, by weighted majority; their number."""
        answer = np.zeros(len(self.label), dtype=np.intp)

        def go(rows: np.ndarray, place: int, size: int) -> int:
            if size == 0 or tree[place, 0] < 0:
                class_weight = np.bincount(
                    self.label[rows], weights=self.weight[rows], minlength=self.n_classes
                )
                answer[rows] = np.argmax(class_weight * by_class)
                return 1
            left = self.rank[tree[place, 0], rows] < tree[place, 1]
            half = (size - 1) // 2
            leaves = go(rows[left], place + 1, half)
            return leaves + go(rows[~left], place + 1 + half, half)

        return answer, go(np.arange(len(self.label)), 0, len(tree))

    def _f1(self, answer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """F1 of each class, and the weight that is answered by it."""
        given = np.bincount(answer, weights=self.weight, minlength=self.n_classes)
        right = answer == self.label
        true = np.bincount(self.label[right], weights=self.weight[right], minlength=self.n_classes)
        return 2 * true / np.maximum(given + self.of_class, 1e-300), given

    def _judge(self, tree: np.ndarray, by_class: np.ndarray) -> None:
        answer, leaves = self._answers(tree, by_class)
        f1, given = self._f1(answer)
        cost = 1 - float(f1.mean()) + leaves * self.penalty / self.total
        if cost < self.value - 1e-12:
            self.value, self.tree, self.by_class = cost, tree.copy(), by_class
            self._given = given

    def _next(self) -> np.ndarray:
        """What an error in each class costs near the best tree."""
        return 1.0 / np.maximum(self.of_class + self._given, 1e-300)

    def _tighten(self, by_class: np.ndarray, errors: float) -> None:
        """No tree has less weighted errors than so many: what that says of macro F1.

        With x_k of a class's weight n_k answered wrong, its F1 is at most
        f_k(x) = 2 (n_k - x) / (2 n_k - x), which is concave. The largest mean of f_k where
        sum(a_k x_k) >= errors is at most max_x mean(f_k) + s (sum(a_k x_k) - errors), s >= 0.
        """
        if errors <= 0:
            highest_f1 = 1.0
        else:
            n, K = self.of_class, self.n_classes

            def dual(s: float) -> float:
                # f'(x) = -2 n / (2 n - x)^2, set to -K s a: the x of the largest term.
                with np.errstate(divide="ignore"):
                    x = 2 * n - np.sqrt(2 * n / np.maximum(K * s * by_class, 1e-300))
                x = np.clip(x, 0.0, n)
                f1 = 2 * (n - x) / np.maximum(2 * n - x, 1e-300)
                return float(f1.mean() + s * (by_class @ x - errors))

            steepest = float((2 / (K * np.maximum(n, 1e-300) * by_class)).max())
            best = minimize_scalar(dual, bounds=(0.0, steepest), method="bounded").fun
            highest_f1 = min(1.0, float(best))
        self.bound = min(max(self.bound, 1 - highest_f1 + self.penalty / self.total), self.value)
