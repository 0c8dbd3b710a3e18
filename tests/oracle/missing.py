"""EIG in plain Python (Schreckenberger, Bartelt and Stuckenschmidt, definitions 1 to 3).

The tree, its rules and the propagation of instances without a value are those of C4.5
(`oracle.induction`); what differs is what a test is worth.
"""

import math

import numpy as np

from oracle.induction import Reference, entropy, gain, gate, sides


class EIGReference(Reference):
    """What the core must agree with.

    imputed : (draws, n, m), read where X is missing; criterion "expected_gain" or "coded_gain".
    """

    def __init__(self, X, y, n_classes, weight=None, n_categories=None, *, imputed=None,
                 criterion="expected_gain", reliability="global", missing_to_both=False,
                 **more):  # fmt: skip
        super().__init__(X, y, n_classes, weight, n_categories, **more)
        self.imputed = None if imputed is None else np.asarray(imputed, float)
        self.criterion, self.reliability = criterion, reliability
        self.missing_to_both = missing_to_both
        total = sum(w for _, w in self.root)
        self.known_share = [
            sum(w for i, w in self.root if not math.isnan(self.X[i, j])) / total
            for j in range(self.X.shape[1])
        ]

    def split_by(self, members, j):
        known = [(i, w) for i, w in members if not math.isnan(self.X[i, j])]
        missing = [(i, w) for i, w in members if math.isnan(self.X[i, j])]
        return known, missing

    def worth(self, members, j, tau, subset):
        """Definition 3 for one candidate; the baseline of the authors' code."""
        known, missing = self.split_by(members, j)
        n, n_known = sum(w for _, w in members), sum(w for _, w in known)
        r = self.known_share[j] if self.reliability == "global" else n_known / n
        shares = [self.left(self.X[i, j], tau, subset) for i, _ in known]
        left, right = sides(known, shares, self.y, self.K)
        among_known = gain(left, right)
        if self.criterion == "information_gain":
            return r * among_known
        if self.criterion == "coded_gain":
            everybody = entropy(self.class_weights(members))
            return r * r * (everybody - entropy(self.class_weights(known)) + among_known)
        if not missing:
            return r * among_known
        present = {int(self.X[i, j]) for i, _ in known} if subset is not None else None
        heavier = 1.0 if sum(left) >= sum(right) else 0.0
        draws = []
        for table in self.imputed:
            shares = []
            for i, _ in missing:
                guess = table[i, j]
                absent = present is not None and int(guess) not in present
                shares.append(heavier if absent else self.left(guess, tau, subset))
            draws.append(gain(*sides(missing, shares, self.y, self.K)))
        return r * among_known + (1 - r) * sum(draws) / len(draws)

    @staticmethod
    def left(x, tau, subset):
        if subset is not None:
            return 1.0 if int(x) in subset else 0.0
        return gate(x, tau, 0.0)

    def tests(self, members, j, above=()):
        found = super().tests(members, j, above)
        return [(self.worth(members, j, tau, subset), tau, subset) for _, tau, subset in found]

    def gain_of(self, members, j, threshold, subset, above=()):
        return self.worth(members, j, threshold, subset)

    def route(self, members, j, threshold, center, left_set, share_left=None, above=(), ties=None):
        left, right, share = super().route(
            members, j, threshold, center, left_set, share_left, above, ties
        )
        _known, missing = self.split_by(members, j)
        if not self.missing_to_both or not missing:
            return left, right, share
        lost = sum(w for _, w in missing)
        rows = {i for i, _ in missing}
        kept = (
            [(i, w) for i, w in left if i not in rows],
            [(i, w) for i, w in right if i not in rows],
        )
        wl, wr = (sum(w for _, w in side) for side in kept)
        share = (wl + lost) / (wl + wr + 2 * lost)
        left = kept[0] + [(i, w * share) for i, w in missing]
        right = kept[1] + [(i, w - w * share) for i, w in missing]
        return left, right, share
