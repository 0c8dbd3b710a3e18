"""Plain edit distance of decision trees, from thesis 5.3 and the definition of the distance.

A sorted tree is a tuple (test, children): tests only, no leaves.  A test is (variable,
threshold) or (variable, left set, right set).
"""

from functools import cache

import numpy as np
import pandas as pd


class StructureReference:
    """A data set: X with NaN for missing, y as class codes, names of categorical variables."""

    def __init__(self, X, y, correlation="spearman"):
        self.X, self.y = np.asarray(X, dtype=float), np.asarray(y)
        self.leaves = False  # whether `sorted` keeps them, as None
        count = np.bincount(self.y)
        self.order = sorted(range(len(count)), key=lambda c: (-count[c], c))
        self.values = [sorted(set(x[~np.isnan(x)])) for x in self.X.T]
        self.iqr = [
            np.subtract(*np.percentile(x[~np.isnan(x)], [75, 25])) if np.isfinite(x).any() else 0.0
            for x in self.X.T
        ]
        self.rho = (
            pd.DataFrame(self.X)
            .corr(method=correlation, min_periods=2)
            .abs()
            .fillna(0.0)
            .to_numpy()
        )

    # -- 5.3.1 ----------------------------------------------------------------------------

    def sorted(self, tree):
        """The tests of a tree, children in order; None for a leaf."""
        rows = [(i, 1.0) for i in range(len(self.y))]
        return self._branch(tree, 0, rows, [1.0 / len(self.order)] * len(self.order))

    def _branch(self, tree, node, rows, above):
        if tree.feature[node] < 0:
            return None
        shares = self._shares(rows, above)
        j = int(tree.feature[node])
        ways = [self._way(tree, node, self.X[i, j]) for i, _ in rows]
        known = sum(w for (_, w), way in zip(rows, ways, strict=True) if way is not None)
        left = sum(w for (_, w), way in zip(rows, ways, strict=True) if way is True)
        share = left / known if known else 0.5
        sides = []
        for wanted, part in ((True, share), (False, 1.0 - share)):
            here = [
                (i, w * part if way is None else w)
                for (i, w), way in zip(rows, ways, strict=True)
                if way is wanted or (way is None and part > 0)
            ]
            child = (tree.children_left if wanted else tree.children_right)[node]
            sides.append((self._branch(tree, child, here, shares), self._shares(here, shares)))
        (low, p), (high, q) = sides
        test = self._test(tree, node)
        swap = len(test) == 3 and not self._has_first(test)
        for r, c in enumerate(self.order):
            if abs(p[c] - q[c]) > 1e-12:
                swap = p[c] < q[c] if r == 0 else p[c] > q[c]
                break
        children = (high, low) if swap else (low, high)
        return test, tuple(child for child in children if child is not None or self.leaves)

    def _shares(self, rows, above):
        count = [sum(w for i, w in rows if self.y[i] == c) for c in range(len(above))]
        return [k / sum(count) for k in count] if sum(count) else above

    def _has_first(self, test):
        return min(test[1] | test[2], default=None) in test[1] or not test[1] | test[2]

    def _way(self, tree, node, x):
        if np.isnan(x):
            return None
        if not np.isnan(tree.threshold[node]):
            return bool(x < tree.threshold[node])
        left = tree.categories_left[node]
        return bool(left[int(x)]) if x < len(left) else None

    def _test(self, tree, node):
        j = int(tree.feature[node])
        if not np.isnan(tree.threshold[node]):
            return j, float(tree.threshold[node])
        known = [v for v in self.values[j] if v < tree.categories_left.shape[1]]
        left = frozenset(v for v in known if tree.categories_left[node, int(v)])
        return j, left, frozenset(known) - left

    # -- 5.3.2 ----------------------------------------------------------------------------

    def substitution(self, kind, a, b):
        """Equations 5.2 to 5.5; kind A1, A2, B1 or B2."""
        if a == b or (len(a) == len(b) == 3 and a == (b[0], b[2], b[1])):
            return 0.0
        dearer = 1.0 if kind[0] == "A" else 0.0
        if a[0] != b[0]:
            unordered = any(len(t) == 3 and len(self.values[t[0]]) > 2 for t in (a, b))
            rho = 0.0 if kind[1] == "1" or unordered else min(1.0, self.rho[a[0], b[0]])
            return dearer + 1.0 - rho
        if len(a) != len(b):
            return dearer + 1.0
        if len(a) == 3:
            alike = max(
                (jaccard(a[1], b[1]) + jaccard(a[2], b[2])) / 2,
                (jaccard(a[1], b[2]) + jaccard(a[2], b[1])) / 2,
            )
            return dearer + 1.0 - alike
        iqr = self.iqr[a[0]]
        return dearer + (min(1.0, abs(a[1] - b[1]) / iqr) if iqr > 0 else 1.0)

    def distance(self, kind, t1, t2):
        """Distance of two trees, not normalised."""
        one, two = self.sorted(t1), self.sorted(t2)
        return forest_distance(
            () if one is None else (one,),
            () if two is None else (two,),
            lambda a, b: self.substitution(kind, a, b),
        )


def jaccard(a, b):
    """|A n B| / |A u B|; 1 for two empty sets."""
    return len(a & b) / len(a | b) if a | b else 1.0


def size(forest):
    """Number of tests."""
    return sum(1 + size(children) for _, children in forest)


def forest_distance(one, two, substitution):
    """Least cost between ordered forests, by the last roots: delete, insert or map them."""

    @cache
    def between(f, g):
        if not f or not g:
            return float(size(f) + size(g))
        (a, below), (b, below2) = f[-1], g[-1]
        return min(
            between(f[:-1] + below, g) + 1.0,
            between(f, g[:-1] + below2) + 1.0,
            between(f[:-1], g[:-1]) + between(below, below2) + substitution(a, b),
        )

    return between(one, two)
