"""Growth, soft search and pruning in plain Python (thesis 2.2 and 3.2, with the method notes).

Trees are nested dicts; instances are (row, weight) pairs.  Nothing here is fast.
"""

import math
from itertools import combinations, pairwise

import numpy as np
from scipy.stats import beta

CLIP = 1e-9
EVERYWHERE = (-math.inf, math.inf)


def gate(x, center, sigma, window=6.0, ties_right=False):
    """Equation 3.9, cut to 0 and 1 from half the window on; sigma 0 is equation 2.1.

    ties_right: a value on the centre goes right whole.
    """
    if sigma == 0 or (ties_right and x == center):
        return 1.0 if x < center else 0.0
    t = (center - x) / sigma
    if t >= window / 2 - CLIP:
        return 1.0
    if t <= -window / 2 + CLIP:
        return 0.0
    return 0.5 * math.erfc(-t / math.sqrt(2))


def pdf_gate(x, threshold, sigma, interval=EVERYWHERE, half=2.0):
    """UDT: mass left of the threshold of a normal pdf cut at `half` sigma, within an interval."""

    def mass(t):
        z = min(max((t - x) / sigma, -half), half)
        return 0.5 * math.erfc(-z / math.sqrt(2))

    low, high = mass(interval[0]), mass(interval[1])
    if high <= low:
        return 1.0 if x < threshold else 0.0
    return min(max((mass(threshold) - low) / (high - low), 0.0), 1.0)


def sample_points(values, sigma, n_points, interval=EVERYWHERE, half=2.0):
    """UDT: equally spaced points of each value's pdf, both ends included."""
    offsets = [k * (2 * half * sigma / (n_points - 1)) - half * sigma for k in range(n_points)]
    points = {x + d for x in set(values) for d in offsets}
    return sorted(t for t in points if interval[0] < t < interval[1])


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def gini(weights):
    """Chance that two draws are of different classes (Breiman et al. 1984, 2.4)."""
    total = sum(weights)
    return 1.0 - sum((w / total) ** 2 for w in weights)


def gain(left, right, impurity=entropy):
    """Equations 2.3 to 2.6 from class weights on the two sides (bits)."""
    both = [a + b for a, b in zip(left, right, strict=True)]
    n, nl, nr = sum(both), sum(left), sum(right)
    return impurity(both) - nl / n * impurity(left) - nr / n * impurity(right)


def sides(known, shares, y, n_classes):
    left, right = [0.0] * n_classes, [0.0] * n_classes
    for (i, w), share in zip(known, shares, strict=True):
        left[y[i]] += w * share
        right[y[i]] += w * (1 - share)
    return left, right


def hard_candidates(values, midpoints=False):
    """The observed values but the lowest, or the midpoints below them."""
    values = sorted(set(values))
    if midpoints:
        return [(a + b) / 2 for a, b in pairwise(values)]
    return values[1:]


def soft_grid(column, sigma, window=6.0, step=0.1):
    """Equation 3.7, from the known values of the whole training set."""
    low, high = min(column), max(column)
    n = math.floor((high - low) / (step * sigma) + window / step + 1e-9)
    return [(low - window / 2 * sigma) + k * (step * sigma) for k in range(n + 1)]


class Reference:
    """What the core must agree with.

    search, propagation, pdf: (m,) sigma or None; pdf is that of UDT, with its sample points.
    """

    def __init__(self, X, y, n_classes, weight=None, n_categories=None, search=None,
                 propagation=None, pdf=None, n_points=100, min_split=4, min_leaf=1,
                 max_depth=None, midpoints=False, repetition=1.0, window=6.0,
                 step=0.1, criterion="information_gain", ties_right=False,
                 counts="weights", per_weight=None):  # fmt: skip
        self.ties_right, self.counts = ties_right, counts
        self.criterion = criterion
        self.impurity = gini if criterion == "gini" else entropy
        self.X, self.y, self.K = np.asarray(X, float), list(y), n_classes
        n, m = self.X.shape
        self.weight = [1.0] * n if weight is None else list(weight)
        self.n_categories = [0] * m if n_categories is None else list(n_categories)
        self.search = [0.0] * m if search is None else list(search)
        self.propagation = [0.0] * m if propagation is None else list(propagation)
        self.pdf = [0.0] * m if pdf is None else list(pdf)
        self.n_points = n_points
        self.min_split, self.min_leaf = min_split, min_leaf
        self.per_weight = [1.0] * n_classes if per_weight is None else list(per_weight)
        self.max_depth = math.inf if max_depth is None else max_depth
        self.midpoints, self.repetition = midpoints, repetition
        self.window, self.step = window, step
        rows = [i for i in range(n) if self.weight[i] > 0]
        self.root = [(i, self.weight[i]) for i in rows]
        self.grids = {}
        for j in range(m):
            known = [v for v in self.X[rows, j] if not math.isnan(v)]
            if self.search[j] > 0 and known:
                self.grids[j] = soft_grid(known, self.search[j], window, step)

    def rows(self, class_weights):
        """What minima count: weights before they were multiplied by class weights."""
        return sum(w * per for w, per in zip(class_weights, self.per_weight, strict=True))

    def is_fed(self, members, known, *sides):
        """Whether each side, with its share of the rows without the value, reaches the minimum."""
        n, n_known = self.rows(self.class_weights(members)), self.rows(self.class_weights(known))
        share = 1 / sum(sum(side) for side in sides)
        return all(
            self.rows(side) + (n - n_known) * sum(side) * share + 1e-12 * n >= self.min_leaf
            for side in sides
        )

    def class_weights(self, members):
        counts = [0.0] * self.K
        for i, w in members:
            counts[self.y[i]] += w
        return counts

    def route(self, members, j, threshold, center, left_set, share_left=None, above=(), ties=None):
        """Rows and weights of the two children; above: (variable, interval) pairs; ties: whether
        those on the centre of a gate go right, as everywhere by default."""
        ties = self.ties_right if ties is None else ties
        known = [(i, w) for i, w in members if not math.isnan(self.X[i, j])]
        left, right = [], []
        for i, w in known:
            x = self.X[i, j]
            if left_set is not None:
                a = w if int(x) in left_set else 0.0
            else:
                sigma = self.propagation[j]
                if self.pdf[j] > 0:
                    a = w * pdf_gate(x, threshold, self.pdf[j], interval_of(j, above))
                else:
                    at = center if sigma > 0 else threshold
                    a = w * gate(x, at, sigma, self.window, ties)
                if sigma > 0 or self.pdf[j] > 0:
                    least = 1e-3 * self.weight[i]
                    if a < least or w - a < least:
                        a = w if a > w - a else 0.0
            left.append((i, a))
            right.append((i, w - a))
        wl, wr = sum(w for _, w in left), sum(w for _, w in right)
        share = wl / (wl + wr) if wl + wr > 0 else share_left
        for i, w in members:
            if math.isnan(self.X[i, j]):
                left.append((i, w * share))
                right.append((i, w - w * share))
        return ([(i, w) for i, w in left if w > 0], [(i, w) for i, w in right if w > 0], share)

    def route_by(self, tree, members, above):
        test = (tree["j"], tree["threshold"], tree["center"], tree["subset"], tree["share"])
        return self.route(members, *test, above)

    def tests(self, members, j, above=()):
        """Every admissible test on variable j: (gain, threshold or None, subset)."""
        known = [(i, w) for i, w in members if not math.isnan(self.X[i, j])]
        n = sum(w for _, w in members)
        n_known = sum(w for _, w in known)
        if len(known) < 2:
            return []
        values = [self.X[i, j] for i, _ in known]
        found = []
        if self.n_categories[j] > 0:
            present = sorted({int(v) for v in values})
            rest = present[1:]
            for size in range(len(rest)):
                for chosen in combinations(rest, size):
                    subset = {present[0], *chosen}
                    shares = [1.0 if int(v) in subset else 0.0 for v in values]
                    left, right = sides(known, shares, self.y, self.K)
                    if self.is_fed(members, known, left, right):
                        found.append((self.gained(left, right, n), None, subset))
            return found
        if self.pdf[j] > 0:
            interval = interval_of(j, above)
            for tau in sample_points(values, self.pdf[j], self.n_points, interval):
                shares = [pdf_gate(v, tau, self.pdf[j], interval) for v in values]
                left, right = sides(known, shares, self.y, self.K)
                lighter = min(sum(left), sum(right))
                if lighter > 1e-12 * n_known and self.is_fed(members, known, left, right):
                    found.append((self.gained(left, right, n), tau, None))
            return found
        taus = self.grids[j] if j in self.grids else hard_candidates(values, self.midpoints)
        for tau in taus:
            shares = [gate(v, tau, self.search[j], self.window) for v in values]
            left, right = sides(known, shares, self.y, self.K)
            if min(sum(left), sum(right)) <= 1e-12 * n_known:
                continue
            routed = self.routed(known, j, tau)
            if min(map(sum, routed)) <= 0 or not self.is_fed(members, known, *routed):
                continue
            found.append((self.gained(left, right, n), tau, None))
        return found

    def gained(self, left, right, n):
        """Gain among the known values times their share of the weight."""
        return gain(left, right, self.impurity) * (sum(left) + sum(right)) / n

    def ratio_of(self, members, j, threshold, subset, above=()):
        """Gain by split information; what is unknown is a part (Quinlan 1993, 2.2 and 3.2)."""
        left, right = self.sides_of(members, j, threshold, subset, above)
        n = sum(w for _, w in members)
        parts = [sum(left), sum(right), max(n - sum(left) - sum(right), 0.0)]
        return self.gained(left, right, n) / entropy(parts)

    def best_of(self, members, above, path):
        """Variable -> (largest gain of its tests, least ratio of those that have it, whether the
        gain is not below the average of the variables). Ratios are read by their criterion only.
        """
        found = {}
        for j in range(self.X.shape[1]):
            factor = self.repetition if j in above else 1.0
            tests = [t for t in self.tests(members, j, path) if t[0] > 1e-9]
            if tests:
                most = max(t[0] for t in tests)
                ratio = math.nan
                if self.criterion == "gain_ratio":
                    best = [t[1:] for t in tests if t[0] > most - 1e-9]
                    ratio = min(self.ratio_of(members, j, *test, path) for test in best)
                found[j] = most * factor, ratio * factor
        average = sum(g for g, _ in found.values()) / max(len(found), 1)
        return {j: (g, r, g >= average - 1e-3) for j, (g, r) in found.items()}

    def routed(self, known, j, tau):
        left, right, _ = self.route(known, j, tau, tau, None, ties=False)
        return self.class_weights(left), self.class_weights(right)

    def check(self, tree, tolerance=1e-9):
        """Walk a tree of the core: routing, weights, choice and stopping must be the rules'."""
        stack = [(0, self.root, 0, ())]
        while stack:
            node, members, depth, path = stack.pop()
            above = {j for j, _ in path}
            counts = self.class_weights(members)
            np.testing.assert_allclose(tree.class_weight[node], counts, atol=1e-9, rtol=1e-9)
            stop = (
                sum(c > 0 for c in counts) < 2
                or self.rows(counts) < self.min_split - 1e-9
                or depth >= self.max_depth
            )
            rivals = {} if stop else self.best_of(members, above, path)
            best = max((g for g, _, _ in rivals.values()), default=0.0)
            j = int(tree.feature[node])
            if j < 0:
                assert best <= 1e-9 + tolerance, f"leaf {node} could gain {best}"
                continue
            assert not stop, f"node {node} should be a leaf"
            threshold, subset = tree.threshold[node], None
            if math.isnan(threshold):
                subset = {c for c in range(self.n_categories[j]) if tree.categories_left[node][c]}
            factor = self.repetition if j in above else 1.0
            chosen = self.gain_of(members, j, threshold, subset, path) * factor
            if self.criterion == "gain_ratio":
                ratio = factor * self.ratio_of(members, j, threshold, subset, path)
                most = max(r for _, r, enough in rivals.values() if enough)
                assert rivals[j][2], f"node {node}: a gain below the average"
                assert ratio > most - 1e-7, f"node {node}: ratio {ratio}, best {most}"
                best = rivals[j][0]
            assert abs(chosen - best) < tolerance, f"node {node}: gain {chosen}, best {best}"
            left, right, share = self.route(
                members, j, threshold, tree.center[node], subset, above=path
            )
            np.testing.assert_allclose(tree.share_left[node], share, atol=1e-9)
            to_left, to_right = (
                (*path, (j, (-math.inf, threshold))),
                (*path, (j, (threshold, math.inf))),
            )
            stack.append((int(tree.children_left[node]), left, depth + 1, to_left))
            stack.append((int(tree.children_right[node]), right, depth + 1, to_right))

    def gain_of(self, members, j, threshold, subset, above=()):
        left, right = self.sides_of(members, j, threshold, subset, above)
        return self.gained(left, right, sum(w for _, w in members))

    def sides_of(self, members, j, threshold, subset, above=()):
        """Class weights of the known on either side of a test."""
        known = [(i, w) for i, w in members if not math.isnan(self.X[i, j])]
        shares = [
            (1.0 if int(self.X[i, j]) in subset else 0.0)
            if subset is not None
            else pdf_gate(self.X[i, j], threshold, self.pdf[j], interval_of(j, above))
            if self.pdf[j] > 0
            else gate(self.X[i, j], threshold, self.search[j], self.window)
            for i, _ in known
        ]
        return sides(known, shares, self.y, self.K)

    # -- pruning ------------------------------------------------------------------------

    def nested(self, tree, node=0):
        if tree.feature[node] < 0:
            return {"weights": list(tree.class_weight[node])}
        j = int(tree.feature[node])
        categorical = math.isnan(tree.threshold[node])
        return {
            "weights": list(tree.class_weight[node]),
            "j": j,
            "threshold": float(tree.threshold[node]),
            "center": float(tree.center[node]),
            "subset": {c for c in range(self.n_categories[j]) if tree.categories_left[node][c]}
            if categorical
            else None,
            "share": float(tree.share_left[node]),
            "left": self.nested(tree, int(tree.children_left[node])),
            "right": self.nested(tree, int(tree.children_right[node])),
        }

    def errors(self, members, whole, confidence, laplace):
        """whole: rows whose larger part went here at each test."""
        if self.counts != "weights":
            kept = [i for i, _ in members if self.counts == "instances" or i in whole]
            members = [(i, self.weight[i]) for i in kept]
        counts = self.class_weights(members)
        n = sum(counts)
        if n <= 0:
            return 0.0
        e = n - max(counts)
        if laplace:
            e = n * (e + 1) / (n + self.K)
        if e >= n or confidence == 0:
            return n
        return n * beta.ppf(1 - confidence / 2, e + 1, n - e)

    def halves(self, whole, left, right):
        """`whole` of either side: where more of a row went, the left one if as much."""
        left, right = dict(left), dict(right)
        larger = {i for i in whole if left.get(i, 0.0) >= right.get(i, 0.0)}
        return larger, whole - larger

    def reestimate(self, tree, members, whole, confidence, laplace, above=()):
        """A copy of the branch with the weights of these members, and its errors."""
        counts = self.class_weights(members)
        if "j" not in tree:
            return {"weights": counts}, self.errors(members, whole, confidence, laplace)
        left, right, share = self.route(
            members,
            tree["j"],
            tree["threshold"],
            tree["center"],
            tree["subset"],
            tree["share"],
            above,
        )
        low, high = paths_below(tree, above)
        on = self.halves(whole, left, right)
        a, ea = self.reestimate(tree["left"], left, on[0], confidence, laplace, low)
        b, eb = self.reestimate(tree["right"], right, on[1], confidence, laplace, high)
        return {**tree, "weights": counts, "share": share, "left": a, "right": b}, ea + eb

    def prune(self, tree, confidence=0.25, laplace=True, raising=True, members=None, above=(),
              whole=None):  # fmt: skip
        members = self.root if members is None else members
        whole = {i for i, _ in self.root} if whole is None else whole
        counts = self.class_weights(members)
        leaf = self.errors(members, whole, confidence, laplace)
        if "j" not in tree:
            return tree, leaf
        left, right, _ = self.route(
            members,
            tree["j"],
            tree["threshold"],
            tree["center"],
            tree["subset"],
            tree["share"],
            above,
        )
        low, high = paths_below(tree, above)
        on = self.halves(whole, left, right)
        a, ea = self.prune(tree["left"], confidence, laplace, raising, left, low, on[0])
        b, eb = self.prune(tree["right"], confidence, laplace, raising, right, high, on[1])
        tree = {**tree, "left": a, "right": b}
        options = [(leaf, {"weights": counts})]
        if raising:
            for branch in (a, b):
                if "j" in branch:
                    raised, e = self.reestimate(branch, members, whole, confidence, laplace, above)
                    options.append((e, raised))
        options.append((ea + eb, tree))
        best = options[0]
        for option in options[1:]:
            if option[0] < best[0] - 1e-9:
                best = option
        return best[1], best[0]


def interval_of(j, above):
    """Where the tests above, (variable, interval) pairs, put variable j."""
    mine = [interval for variable, interval in above if variable == j]
    return max([-math.inf, *(a for a, _ in mine)]), min([math.inf, *(b for _, b in mine)])


def paths_below(tree, above):
    """Tests above the two children of a node."""
    j, t = tree["j"], tree["threshold"]
    if tree["subset"] is not None:
        return (*above, (j, EVERYWHERE)), (*above, (j, EVERYWHERE))
    return (*above, (j, (-math.inf, t))), (*above, (j, (t, math.inf)))


def piecewise_bounds(tree, rows, X, y, weight, outward=False, values=False):
    """PLT: t- and t+ of the root test of a nested tree on (row, weight of the instance) pairs.

    E(t) is counted anew for each t; a crossing is where the line between two neighbouring points,
    one above the level and one not, meets it; the outermost one on either side counts. outward:
    only where the point that is further from the threshold is the one above the level. values: not
    where the line meets it, but at that of the two points that is above.
    """
    j, threshold = tree["j"], tree["threshold"]
    known = [(i, w * weight[i]) for i, w in rows if not math.isnan(X[i, j])]

    def errors(t):
        wrong = 0.0
        for i, w in known:
            branch = tree["left"] if X[i, j] < t else tree["right"]
            wrong += w * (int(np.argmax(predict(branch, X[i], None))) != y[i])
        return wrong

    n, e = sum(w for _, w in known), errors(threshold)
    level = e + math.sqrt((e + 0.5) * (n - e + 0.5) / (n + 1))
    places = sorted({threshold, *(float(X[i, j]) for i, _ in known)})

    def meets(a, b):
        if values:
            return a if errors(a) > level else b
        return a + (errors(a) - level) / (errors(a) - errors(b)) * (b - a)

    crossings = [
        meets(a, b)
        for a, b in pairwise(places)
        if (errors(a) > level) != (errors(b) > level)
        and (not outward or errors(a if b <= threshold else b) > level)
    ]
    low = min((c for c in crossings if c < threshold), default=places[0])
    high = max((c for c in crossings if c > threshold), default=places[-1])
    return low, high


def leaves(tree):
    return 1 if "j" not in tree else leaves(tree["left"]) + leaves(tree["right"])


def flat(tree):
    """Tests and weights in preorder, to compare with the arrays of the core."""
    if "j" not in tree:
        return [(-1, None, tree["weights"])]
    head = (tree["j"], tree["threshold"], tree["weights"])
    return [head, *flat(tree["left"]), *flat(tree["right"])]


def predict(tree, x, n_categories, evaluation=None, window=6.0, pdf=None, ties=False, above=()):
    """Equation 3.10 by recursion; evaluation, pdf: (m,) sigma or None; ties: as in `gate`."""
    if "j" not in tree:
        return np.array(tree["weights"]) / sum(tree["weights"])
    j = tree["j"]
    v = x[j]
    if math.isnan(v):
        share = tree["share"]
    elif tree["subset"] is not None:
        if 0 <= v < n_categories[j]:
            share = 1.0 if int(v) in tree["subset"] else 0.0
        else:
            share = 1.0 if tree["share"] >= 0.5 else 0.0
    elif pdf is not None and pdf[j] > 0:
        share = pdf_gate(v, tree["threshold"], pdf[j], interval_of(j, above))
    else:
        sigma = 0.0 if evaluation is None else evaluation[j]
        share = gate(v, tree["center"] if sigma > 0 else tree["threshold"], sigma, window, ties)
    low, high = paths_below(tree, above)
    rest = (n_categories, evaluation, window, pdf, ties)
    out = 0.0
    if share > 0:
        out = out + share * predict(tree["left"], x, *rest, low)
    if share < 1:
        out = out + (1 - share) * predict(tree["right"], x, *rest, high)
    return out
