"""What a tree answers when values vary: each answer with its probability.

Values vary independently, each by a law of its own. A test divides what the tests above left of a
value, so that a path that tests a variable twice has the probability of its box. A missing value
goes both ways at once, and the answer is that of the mixture: both branches are followed together,
as the same values decide in both.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hedgerow.explanation.error_laws import Law
from hedgerow.tree._gates import Gates, share_of

MOST = 20_000  # combinations of branches that are followed, else values are drawn
DRAWS = 200_000  # in that case
BLOCK = 20_000  # of them at once
SEED = 38

Between = Mapping[int, tuple[float, float]]


class Answers:
    """The answers of a tree to one case whose values vary.

    Parameters
    ----------
    tree : Tree
        Read with hard tests.
    leaves : (n_nodes, K) float64
        Class probabilities of its nodes.
    x : (m,) float64
        NaN is missing.
    laws : dict of int to Law
        Variables that vary.

    Attributes
    ----------
    exact : bool
        Every combination of branches was followed in all that was asked so far; else those with
        too many are answered by `DRAWS` draws with a fixed seed.
    """

    def __init__(self, tree, leaves: np.ndarray, x: np.ndarray, laws: Mapping[int, Law]):
        self.tree, self.leaves, self.x, self.laws = tree, leaves, x, laws
        self.exact = True
        self._feature = tree.feature.tolist()
        self._low, self._high = tree.children_left.tolist(), tree.children_right.tolist()
        inner = np.flatnonzero(tree.feature >= 0)
        numeric = inner[~np.isnan(tree.threshold[inner])]
        # Share of an exact value that goes left of each test; probability that one that varies is
        # below the threshold.
        left = np.zeros(tree.n_nodes)
        left[inner] = np.where(
            np.isnan(x[tree.feature[inner]]),
            tree.share_left[inner],
            x[tree.feature[inner]] < tree.threshold[inner],
        )
        gates = Gates(None, len(x))
        for node in np.setdiff1d(inner, numeric):
            j = int(tree.feature[node])
            flags = np.ascontiguousarray(tree.categories_left[node], dtype=np.uint8)
            missing = tree.share_left[node]
            left[node] = share_of(gates, j, x[[j]], missing=missing, categories_left=flags)[0]
        below = np.full(tree.n_nodes, np.nan)
        for variable, law in laws.items():
            nodes = numeric[tree.feature[numeric] == variable]
            if len(nodes):
                below[nodes] = law.below(tree.threshold[nodes])
        self._left, self._below = left.tolist(), below.tolist()

    def probability(self, between: Between | None = None) -> np.ndarray:
        """Probability of each answer, (K,).

        between : of some variables, the probabilities that the value is below both ends of where
            it lies; the ends are no thresholds, or thresholds of the tree
        """
        probabilities = np.zeros(self.leaves.shape[1])
        between = dict(between or {})
        # What is still to be followed: nodes with their weights, where each variable lies, chance.
        stack = [(((0, 1.0),), between, 1.0)]
        done: list[tuple[int, float]]
        n_followed = 0
        while stack:
            nodes, lies, chance = stack.pop()
            n_followed += 1
            if n_followed > MOST:
                self.exact = False
                return self._drawn(between)
            open_ones = list(nodes)
            done = []
            divided = False
            while open_ones:
                node, weight = open_ones.pop()
                j = self._feature[node]
                if j < 0:
                    done.append((node, weight))
                    continue
                below = self._below[node]
                if below != below:  # an exact value, or a missing one
                    share = self._left[node]
                    if share > 0.0:
                        open_ones.append((self._low[node], weight * share))
                    if share < 1.0:
                        open_ones.append((self._high[node], weight * (1.0 - share)))
                    continue
                lower, upper = lies.get(j, (0.0, 1.0))
                at = min(max(below, lower), upper)
                mass = upper - lower
                share = (at - lower) / mass if mass > 0.0 else self._left[node]
                if 0.0 < share < 1.0:
                    rest = (*open_ones, *done)
                    low = ((self._low[node], weight), *rest), {**lies, j: (lower, at)}
                    high = ((self._high[node], weight), *rest), {**lies, j: (at, upper)}
                    stack.append((*high, chance * (1.0 - share)))
                    stack.append((*low, chance * share))
                    divided = True
                    break
                open_ones.append((self._low[node] if share >= 1.0 else self._high[node], weight))
            if not divided:
                probabilities[self._answer(done)] += chance
        return probabilities

    def _answer(self, done: list[tuple[int, float]]) -> int:
        if len(done) == 1:
            return int(self.leaves[done[0][0]].argmax())
        # In the order of the nodes, so that ties are broken as in a prediction.
        mixed = sum(weight * self.leaves[node] for node, weight in sorted(done))
        return int(np.argmax(mixed))

    def _drawn(self, between: Between) -> np.ndarray:
        rng = np.random.default_rng(SEED)
        counts = np.zeros(self.leaves.shape[1])
        for _ in range(DRAWS // BLOCK):
            values = np.repeat(self.x[None], BLOCK, axis=0)
            for j, law in self.laws.items():
                lower, upper = between.get(j, (0.0, 1.0))
                values[:, j] = law.quantiles(rng.uniform(lower, upper, BLOCK))
            leaves = self.tree.shares(values, None) @ self._at_leaves
            counts += np.bincount(leaves.argmax(axis=1), minlength=len(counts))
        return counts / DRAWS

    @property
    def _at_leaves(self) -> np.ndarray:
        return np.where((self.tree.feature < 0)[:, None], self.leaves, 0.0)
