"""The tree for all doubts in plain Python: a row has a weight in each class, wherever it is.

Propagation and pruning are those of `oracle.induction`; what a test is worth is written out once
more, for rows that count in several classes. Nothing is divided into parts of one class.
"""

import math

from oracle.induction import gain, gate
from oracle.missing import EIGReference


class DoubtReference(EIGReference):
    """What `UncertainDataTreeClassifier` must agree with.

    plausible : (n, K); error : (m,) standard deviations, 0 for exact values; imputed : (draws, n,
    m), read where X is missing.
    """

    def __init__(self, X, plausible, error, weight=None, n_categories=None, *, imputed=None,
                 reliability="global", **more):  # fmt: skip
        self.told = [[float(p) / sum(row) for p in row] for row in plausible]
        gaps = any(math.isnan(x) for row in X for x in row)
        super().__init__(
            X, [row.index(max(row)) for row in self.told], len(self.told[0]), weight,
            n_categories, imputed=imputed, reliability=reliability,
            criterion="expected_gain" if gaps else "information_gain", propagation=error,
            search=None if gaps else error, **more,
        )  # fmt: skip
        self.gaps = gaps

    def class_weights(self, members):
        counts = [0.0] * self.K
        for i, w in members:
            for k, share in enumerate(self.told[i]):
                counts[k] += w * share
        return counts

    def sides(self, members, lefts):
        left = self.class_weights([(i, w * s) for (i, w), s in zip(members, lefts, strict=True)])
        right = self.class_weights(
            [(i, w * (1 - s)) for (i, w), s in zip(members, lefts, strict=True)]
        )
        return left, right

    def worth(self, members, j, tau, subset):
        known, missing = self.split_by(members, j)

        def left(x):
            if subset is not None:
                return 1.0 if int(x) in subset else 0.0
            return gate(x, tau, self.search[j], self.window)

        sides = self.sides(known, [left(self.X[i, j]) for i, _ in known])
        among_known = gain(*sides)
        if not self.gaps:
            return among_known
        n, n_known = (sum(self.class_weights(part)) for part in (members, known))
        r = self.known_share[j] if self.reliability == "global" else n_known / n
        if not missing:
            return r * among_known
        present = {int(self.X[i, j]) for i, _ in known} if subset is not None else None
        heavier = 1.0 if sum(sides[0]) >= sum(sides[1]) else 0.0
        gains = []
        for table in self.imputed:
            guesses = [table[i, j] for i, _ in missing]
            lefts = [
                heavier if present is not None and int(x) not in present else left(x)
                for x in guesses
            ]
            gains.append(gain(*self.sides(missing, lefts)))
        return r * among_known + (1 - r) * sum(gains) / len(gains)

    def leaves(self, tree, node=0, members=None):
        """Members of each leaf of a tree of the core, by its number, as rows are read.

        Growth leaves less than a thousandth of a row to the other side; here all parts count.
        """
        members = self.root if members is None else members
        j, threshold = int(tree.feature[node]), float(tree.threshold[node])
        if j < 0:
            return {node: members}
        left, right = [], []
        for i, w in members:
            x = self.X[i, j]
            if math.isnan(x):
                part = float(tree.share_left[node])
            elif math.isnan(threshold):
                part = float(tree.categories_left[node][int(x)])
            else:
                center = tree.center[node] if self.propagation[j] > 0 else threshold
                part = gate(x, center, self.propagation[j], self.window, self.ties_right)
            left.append((i, w * part))
            right.append((i, w * (1 - part)))
        both = (int(tree.children_left[node]), left), (int(tree.children_right[node]), right)
        there = [(child, [(i, w) for i, w in part if w > 0]) for child, part in both]
        return {k: v for child, part in there for k, v in self.leaves(tree, child, part).items()}

    def log_likelihood(self, members, alpha):
        """Of a class distribution, from what is told of the classes of the members."""
        return sum(
            w * math.log(sum(p * a for p, a in zip(self.told[i], alpha, strict=True)))
            for i, w in members
        )

    def distribution(self, members, steps=3000):
        """The class distribution that makes the members most likely: EM from an even start."""
        alpha = [1.0 / self.K] * self.K
        total = sum(w for _, w in members)
        for _ in range(steps):
            counts = [0.0] * self.K
            for i, w in members:
                joint = [p * a for p, a in zip(self.told[i], alpha, strict=True)]
                for k in range(self.K):
                    counts[k] += w * joint[k] / sum(joint)
            alpha = [c / total for c in counts]
        return alpha
