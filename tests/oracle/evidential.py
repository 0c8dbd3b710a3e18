"""E2M from the equations of the paper, one instance, leaf and class at a time.

An attribute of an instance is (low, high, gamma), or a list of plausibilities of its categories. A
part of an attribute is (low, high), the upper bound excluded, or a set of categories; a leaf is a
dictionary of parts.
"""

import itertools
import math

SLACK = 1e-9


def attributes(data):
    """Rows of `EvidentialData` as the functions below take them."""
    return [
        [
            list(data.possible[j][i])
            if j in data.possible
            else (data.low[i, j], data.high[i, j], data.gamma[i, j])
            for j in range(data.n_features)
        ]
        for i in range(data.n_rows)
    ]


def plausibility(attribute, part):
    """That an attribute lies in a part of its domain."""
    if isinstance(attribute, list):
        return max((attribute[v] for v in part), default=0.0)
    low, high, gamma = attribute
    return 1.0 if low < part[1] and high >= part[0] else gamma


def in_leaf(instance, leaf):
    """The same of a leaf: the product over the attributes that are tested."""
    return math.prod(plausibility(instance[j], part) for j, part in sorted(leaf.items()))


def log_likelihood(leaves, classes, share, probability, weight=None):
    """Equation 1 for a mixture: sum of the logarithms over the instances, each as often as told."""
    total = 0.0
    for i in range(len(classes)):
        total += (1.0 if weight is None else weight[i]) * math.log(
            sum(
                share[h] * probability[h][k] * leaves[i][h] * classes[i][k]
                for h in range(len(share))
                for k in range(len(classes[i]))
            )
        )
    return total


def step(leaves, classes, share, probability, weight=None):
    """Algorithm 1 once: expected memberships, then their means."""
    n, n_leaves, n_classes = len(classes), len(share), len(classes[0])
    weight = [1.0] * n if weight is None else weight
    expected = [[0.0] * n_classes for _ in range(n_leaves)]
    for i in range(n):
        joint = [
            [share[h] * probability[h][k] * leaves[i][h] * classes[i][k] for k in range(n_classes)]
            for h in range(n_leaves)
        ]
        evidence = sum(map(sum, joint))
        for h, k in itertools.product(range(n_leaves), range(n_classes)):
            expected[h][k] += weight[i] * joint[h][k] / evidence
    share = [sum(row) / sum(weight) for row in expected]
    probability = [
        [v / sum(row) for v in row] if sum(row) > 0 else old
        for row, old in zip(expected, probability, strict=True)
    ]
    return share, probability


def likelihood_gap(leaves, classes, share, probability):
    """By how much at most the log-likelihood is below its maximum (Lindsay 1983).

    It is concave in share times probability, so that the steepest way to any leaf and class bounds
    what there is to gain.
    """
    steepest = 0.0
    n, n_leaves, n_classes = len(classes), len(share), len(classes[0])
    evidence = [
        sum(
            share[h] * probability[h][k] * leaves[i][h] * classes[i][k]
            for h in range(n_leaves)
            for k in range(n_classes)
        )
        for i in range(n)
    ]
    for h, k in itertools.product(range(n_leaves), range(n_classes)):
        steepest = max(steepest, sum(leaves[i][h] * classes[i][k] / evidence[i] for i in range(n)))
    return steepest - n


def spread(share, probability):
    """A hundredth of the weight evenly on all leaves and classes: a step multiplies."""
    n_classes = len(probability[0])
    each = 0.01 / (len(share) * n_classes)
    joint = [[0.99 * s * p + each for p in row] for s, row in zip(share, probability, strict=True)]
    return [sum(row) for row in joint], [[v / sum(row) for v in row] for row in joint]


def estimate(leaves, classes, share, probability, tolerance, most, gap=math.inf):
    """Algorithm 1: share, probability, and the log-likelihood of what went into each step."""
    found = []
    for _ in range(most):
        found.append(log_likelihood(leaves, classes, share, probability))
        near = gap == math.inf or likelihood_gap(leaves, classes, share, probability) < gap
        share, probability = step(leaves, classes, share, probability)
        if near and len(found) > 1 and found[-1] - found[-2] < tolerance:
            break
    return share, probability, found


def maximum(leaves, classes, starts, tolerance=1e-10, most=100_000):
    """The largest log-likelihood that iteration finds from several starts."""
    return max(estimate(leaves, classes, *start, tolerance, most)[2][-1] for start in starts)


def entropy(probability):
    """In bits."""
    return -sum(p * math.log2(p) for p in probability if p > 0)


def parts_of(instances, weight, leaf, j):
    """The two parts of each test on attribute j at a leaf, in the order in which they are tried.

    weight: plausibility of each instance in the leaf, for numbers; categories: all subsets.
    """
    if isinstance(instances[0][j], list):
        known = sorted(leaf.get(j, range(len(instances[0][j]))))
        first, others = known[0], known[1:]
        for mask in range((1 << len(others)) - 1):
            left = {first} | {v for p, v in enumerate(others) if mask >> p & 1}
            yield left, set(known) - left
        return
    low, high = leaf.get(j, (-math.inf, math.inf))
    values = {v for x, w in zip(instances, weight, strict=True) if w > 0 for v in x[j][:2]}
    for t in sorted(v for v in values if math.isfinite(v) and low <= v < high)[1:]:
        yield (low, t), (t, high)


class Growth:
    """Best-first growth in which every candidate is estimated to its end.

    alike: weights times gains, and log-likelihoods, that are told apart by no less.
    """

    def __init__(self, instances, classes, *, max_leaves, min_gain, parent, start, tolerance, most,
                 max_gap=1e-4, min_share_gain=0.0, alike=1e-3):  # fmt: skip
        self.max_gap, self.min_share_gain, self.alike = max_gap, min_share_gain, alike
        self.x, self.y, self.n_classes = instances, classes, len(classes[0])
        self.parent, self.start, self.min_gain = parent, start, min_gain
        self.tolerance, self.most = tolerance, most
        self.leaves, self.share = [{}], [1.0]
        sums = [sum(y[k] / sum(y) for y in classes) for k in range(self.n_classes)]
        self.probability = [[s / sum(sums) for s in sums]]
        self.re_estimate()
        self.tests = []
        while len(self.leaves) < max_leaves:
            best = self.best()
            if best is None:
                break
            place, j, parts, self.share, self.probability = best
            leaf = self.leaves[place]
            self.leaves[place : place + 1] = [{**leaf, j: part} for part in parts]
            self.re_estimate()
            self.tests.append((place, j, parts))

    def plausible(self, leaves):
        return [[in_leaf(x, leaf) for leaf in leaves] for x in self.x]

    def re_estimate(self):
        self.share, self.probability, self.found = estimate(
            self.plausible(self.leaves), self.y, *spread(self.share, self.probability),
            self.tolerance, 1000 * self.most, self.max_gap,
        )  # fmt: skip

    def best(self):
        """The largest gain; of those alike the largest likelihood; of those alike the first."""
        found = []
        plausible = self.plausible(self.leaves)
        for place, leaf in enumerate(self.leaves):
            weight = [row[place] for row in plausible]
            for j in range(len(self.x[0])):
                for parts in parts_of(self.x, weight, leaf, j):
                    tried = self.tried(place, j, parts, plausible)
                    if tried:
                        found.append((tried[:2], (place, j, parts, *tried[2:])))
        for of in (0, 1):
            most = max((values[of] for values, _ in found), default=0.0)
            found = [one for one in found if one[0][of] >= most - self.alike]
        return found[0][1] if found else None

    def started(self, place, sides, plausible):
        """Shares and probabilities of two sides, from which their estimate starts."""
        held = [[0.0] * self.n_classes for _ in sides]
        by_plausibility = [[0.0] * self.n_classes for _ in sides]
        for i, y in enumerate(self.y):
            joint = [
                [s * p[k] * plausible[i][h] * y[k] for k in range(self.n_classes)]
                for h, (s, p) in enumerate(zip(self.share, self.probability, strict=True))
            ]
            evidence = sum(map(sum, joint))
            both = sum(side[i] for side in sides)
            for side, row, counted in zip(sides, held, by_plausibility, strict=True):
                for k in range(self.n_classes):
                    if both > 0:
                        row[k] += side[i] / both * joint[place][k] / evidence
                    counted[k] += side[i] * y[k]
        chosen = by_plausibility if self.start == "plausibility" else held
        # Of the share that the leaf has, which the instances add up to once it is converged.
        total = sum(map(sum, held))
        return [self.share[place] * sum(row) / total for row in held], [
            [v / sum(row) for v in row] if sum(row) > 0 else self.probability[place]
            for row in chosen
        ]

    def tried(self, place, j, parts, plausible):
        """Weight x gain of a test, log-likelihood of the tree with it, its estimates; or None."""
        both = [{**self.leaves[place], j: part} for part in parts]
        leaves = [*self.leaves[:place], *both, *self.leaves[place + 1 :]]
        sides = [[in_leaf(x, leaf) for x in self.x] for leaf in both]
        shares, probabilities = self.started(place, sides, plausible)
        share = [*self.share[:place], *shares, *self.share[place + 1 :]]
        probability = [*self.probability[:place], *probabilities, *self.probability[place + 1 :]]
        share, probability, passed = estimate(
            self.plausible(leaves), self.y, *spread(share, probability), self.tolerance, self.most
        )
        n = len(self.y)
        one, other = share[place : place + 2]
        if min(one, other) * n <= SLACK:
            return None
        after = (one * entropy(probability[place]) + other * entropy(probability[place + 1])) / (
            one + other
        )
        whole, before = self.share[place], entropy(self.probability[place])
        if self.parent == "combined":
            whole = one + other
            before = entropy(
                [
                    (one * a + other * b) / whole
                    for a, b in zip(probability[place], probability[place + 1], strict=True)
                ]
            )
        gain = before - after
        if gain <= SLACK or gain < (self.min_gain - SLACK) * before:
            return None
        if whole * gain < self.min_share_gain - SLACK / n:
            return None
        return n * whole * gain, passed[-1], share, probability


def predict_proba(leaves, share, probability, instance):
    """The mixture that an instance is judged by."""
    mixed = [
        sum(share[h] * in_leaf(instance, leaf) * probability[h][k] for h, leaf in enumerate(leaves))
        for k in range(len(probability[0]))
    ]
    return [v / sum(mixed) for v in mixed]


def error_rate(right, wrong, most=200_000):
    """Equations 5 to 7 from one half, until nothing moves."""
    rate = 0.5
    for _ in range(most):
        expected = [
            rate * w / ((1 - rate) * r + rate * w) for r, w in zip(right, wrong, strict=True)
        ]
        before, rate = rate, sum(expected) / len(expected)
        if rate == before:
            break
    return rate


def closed_form(share, gamma):
    """Figure 1: the evidential rate where this share is wrong, and all is in doubt by gamma < 1."""
    if share > 0.5:
        return 1.0 - closed_form(1.0 - share, gamma)
    return max(0.0, (share - (1.0 - share) * gamma) / (1.0 - gamma))


def cart(X, y, max_leaves, min_gain):
    """CART on plain numbers by counting: rows of each leaf from the left, after each split."""

    def impurity(rows):
        counts = [sum(y[i] == k for i in rows) for k in set(y)]
        return entropy([c / len(rows) for c in counts])

    def best_test(rows):
        best = None
        for j in range(len(X[0])):
            for t in sorted({X[i][j] for i in rows})[1:]:
                left = [i for i in rows if X[i][j] < t]
                right = [i for i in rows if X[i][j] >= t]
                after = len(left) * impurity(left) + len(right) * impurity(right)
                gain = len(rows) * impurity(rows) - after
                if best is None or gain > best[0] + SLACK * len(rows):
                    best = (gain, left, right)
        total = len(rows) * impurity(rows)
        return best if best and best[0] > SLACK and best[0] >= min_gain * total - SLACK else None

    leaves = [list(range(len(y)))]
    passed = [[list(leaf) for leaf in leaves]]
    while len(leaves) < max_leaves:
        found = [(best_test(rows), place) for place, rows in enumerate(leaves)]
        chosen = None
        for test, place in found:
            if test and (chosen is None or test[0] > chosen[0][0] + SLACK):
                chosen = (test, place)
        if chosen is None:
            break
        (_, left, right), place = chosen
        leaves[place : place + 1] = [left, right]
        passed.append([list(leaf) for leaf in leaves])
    return passed
