"""ConfDTree from the two algorithms of the paper, one node and one instance at a time."""

import math

import numpy as np
from scipy import stats


def hard(tree, node, x):
    """Share that goes left at a hard test."""
    if math.isnan(x):
        return float(tree.share_left[node])
    if not math.isnan(tree.threshold[node]):
        return 1.0 if x < tree.threshold[node] else 0.0
    flags = tree.categories_left[node]
    if 0 <= x < len(flags):
        return float(flags[int(x)])
    return 1.0 if tree.share_left[node] >= 0.5 else 0.0


def soft(tree, node, x):
    """The same by the tree's own gate, for noise and for piecewise-linear thresholds."""
    if math.isnan(x) or math.isnan(tree.threshold[node]):
        return hard(tree, node, x)
    if tree.gate.kind == "threshold":
        return float(tree.gate.share(node, tree.threshold[node], np.array([x]))[0])
    j = tree.feature[node]
    if tree.gate.sigma[j] <= 0:
        return hard(tree, node, x)
    return float(tree.gate.share(j, tree.center[node], np.array([x]))[0])


class Doubting:
    """A tree with the intervals of its nodes (algorithm 1), which predicts (algorithm 2).

    Settings are those of the estimator, by name; share is `hard` or `soft`.
    """

    def __init__(self, tree, X, y, weight, share=hard, smoothing=False, **settings):
        self.tree, self.share, self.set = tree, share, settings
        self.leaf = tree.probabilities(smoothing)
        self.at = {}
        self.derive(0, [(X[i], int(y[i]), float(weight[i]), 1.0) for i in range(len(y))])

    def derive(self, node, instances):
        """Algorithm 1; an instance is its values, class, weight, and its share here."""
        tree, m = self.tree, self.set["min_instances"]
        here = self.at[node] = {
            "count": [
                math.fsum(w * s for _, k, w, s in instances if k == c)
                for c in range(tree.n_classes)
            ]
        }
        if tree.feature[node] < 0:
            return
        j = tree.feature[node]
        known = [(float(v[j]), k, w, s) for v, k, w, s in instances if not math.isnan(v[j])]
        here["intervals"] = {}
        here["usual"] = {}
        normal = []
        for c in range(tree.n_classes):
            own = [(x, w * s, w, s) for x, k, w, s in known if k == c]
            n = math.fsum(w for _, w, _, _ in own)
            if n < m - 1e-9:
                continue
            if math.isnan(tree.threshold[node]):
                if self.set["categorical"]:
                    here["usual"][c] = frequencies(own, n)
                continue
            mean = math.fsum(x * w for x, w, _, _ in own) / n
            sd = math.sqrt(math.fsum(w * (x - mean) ** 2 for x, w, _, _ in own) / (n - 1))
            rows = np.repeat(
                [x for x, _, _, s in own if s >= 0.5], [round(w) for _, _, w, s in own if s >= 0.5]
            )
            p = 0.0
            if len(rows) >= 2 and rows.min() < rows.max():
                p = stats.kstest(rows, "norm", (rows.mean(), rows.std(ddof=1))).pvalue
            normal.append(p >= self.set["normality_alpha"])
            here["intervals"][c] = (mean, sd, n)
        occurring = {k for _, k, _, _ in known}
        if self.set["too_few"] == "node" and occurring - {*here["intervals"], *here["usual"]}:
            here["intervals"], here["usual"], normal = {}, {}, [False]
        method = self.set["method"]
        here["normal"] = method != "tdist" and all(normal)
        if method == "norm" and not here["normal"]:
            here["intervals"] = {}
        for child, left in ((tree.children_left[node], 1), (tree.children_right[node], 0)):
            shares = [self.share(tree, node, float(v[j])) for v, _, _, _ in instances]
            self.derive(
                child,
                [
                    (v, k, w, s * (g if left else 1 - g))
                    for (v, k, w, s), g in zip(instances, shares, strict=True)
                    if s * (g if left else 1 - g) > 0
                ],
            )

    def usual(self, node, c, x, other):
        """Whether a value is usual in a class; None where that is not known."""
        here, suffix = self.at[node], "_other" if other else ""
        if c in here["usual"]:
            frequency = here["usual"][c]
            mine = frequency.get(x, 0.0)
            tail = math.fsum(f for f in frequency.values() if f <= mine * (1 + 1e-12))
            return tail >= self.set["category_alpha" + suffix] - 1e-12
        if c not in here["intervals"]:
            return None
        mean, sd, n = here["intervals"][c]
        if here["normal"]:
            half = self.set["normal_width" + suffix] * sd
        else:
            t = stats.t.ppf(1 - self.set["t_alpha" + suffix] / 2, n - 1)
            half = float(t) * sd / math.sqrt(n)
        return abs(x - mean) <= half + 1e-12 * (abs(mean) + half)

    def predict(self, x, node=0, trusted=True):
        """Algorithm 2."""
        tree = self.tree
        if tree.feature[node] < 0:
            return list(self.leaf[node])
        value = float(x[tree.feature[node]])
        known = not math.isnan(value)
        one, two = int(tree.children_left[node]), int(tree.children_right[node])
        left = self.share(tree, node, value)
        if left == 1.0:
            probs = self.predict(x, one, trusted and known)
        elif left == 0.0:
            probs = self.predict(x, two, trusted and known)
        else:
            probs = mixed(left, self.predict(x, one, trusted and known),
                          self.predict(x, two, trusted and known))  # fmt: skip
        assigned = probs.index(max(probs))
        if not (trusted and known) or self.usual(node, assigned, value, False) is not False:
            return probs
        others = [
            c for c in range(tree.n_classes) if c != assigned and self.usual(node, c, value, True)
        ]
        if others:
            weight = [self.pull(child, others) for child in (one, two)]
            if not self.set["routes"] or sum(weight) == 0:
                return probs
            return mixed(weight[0] / sum(weight), self.predict(x, one), self.predict(x, two))
        present = [c for c, n in enumerate(self.at[node]["count"]) if n > 0 and c != assigned]
        if self.set["fines"] and present:
            fine = self.set["fine"] * probs[assigned]
            probs[assigned] -= fine
            for c in present:
                probs[c] += fine / len(present)
        return probs

    def pull(self, child, classes):
        """The weight of a branch: sum of sqrt(n_c) n_c / T."""
        counts = self.at[child]["count"]
        if sum(counts) == 0:
            return 0.0
        return sum(math.sqrt(counts[c]) * counts[c] / sum(counts) for c in classes)


def mixed(left, one, two):
    """Both branches, the left one with this weight."""
    return [left * a + (1.0 - left) * b for a, b in zip(one, two, strict=True)]


def frequencies(own, n):
    """Share of each category in a class."""
    found = {}
    for x, w, _, _ in own:
        found[x] = found.get(x, 0.0) + w / n
    return found
