"""Least cost of all trees up to a depth, in plain Python: every test, one after the other.

First of trees that send a row one way or divide it as values are missing, then of trees whose rows
carry errors: a leaf has the probability of its box, or the product of the gates above it.
"""

from __future__ import annotations

import math
from itertools import combinations


def leaf_cost(weights, objective):
    """Cost of a leaf; weights: class -> weight."""
    total = sum(weights.values())
    shares = [w / total for w in weights.values() if w > 0]
    if objective == "errors":
        return total - max(weights.values())
    if objective == "gini":
        return total * (1 - sum(p * p for p in shares))
    return -total * sum(p * math.log(p) for p in shares)


def sides(value, goes_left, missing_left):
    """Share of a row that a test sends left."""
    return float(missing_left if value is None else goes_left(value))


def numeric_tests(values, midpoints):
    known = sorted({v for v in values if v is not None})
    lower = known[:-1]
    upper = known[1:]
    thresholds = [(a + b) / 2 for a, b in zip(lower, upper, strict=True)] if midpoints else upper
    return [lambda v, t=t: v < t for t in thresholds]


def category_tests(values, most_subsets):
    known = sorted({v for v in values if v is not None})
    if len(known) > most_subsets:
        subsets = [{v} for v in known]
    else:
        subsets = [set(s) for k in range(1, len(known)) for s in combinations(known, k)]
    return [lambda v, s=s: v in s for s in subsets]


def divisions(rows, weights, j, categorical, midpoints, most_subsets, routed):
    """Shares that each test of variable j sends left, one list for each."""
    values = [row[j] for row in rows]
    if categorical:
        tests = category_tests(values, most_subsets)
    else:
        tests = numeric_tests(values, midpoints)
    if routed:
        tests.append(lambda v: True)  # whether it is missing
    for goes_left in tests:
        known = [w for w, v in zip(weights, values, strict=True) if v is not None]
        left = [w for w, v in zip(weights, values, strict=True) if v is not None and goes_left(v)]
        for missing_left in (True, False) if routed else (sum(left) / sum(known),):
            yield [sides(v, goes_left, missing_left) for v in values]


def least_cost(rows, labels, weights, depth, *, objective, penalty=0.0, categorical=(),
               midpoints=False, most_subsets=6, routed=True):  # fmt: skip
    """Least cost of a tree of this depth or less; rows hold None where a value is missing."""
    by_class = {}
    for label, weight in zip(labels, weights, strict=True):
        by_class[label] = by_class.get(label, 0.0) + weight
    best = leaf_cost(by_class, objective) + penalty
    if depth == 0:
        return best
    settings = {"objective": objective, "penalty": penalty, "categorical": categorical,
                "midpoints": midpoints, "most_subsets": most_subsets, "routed": routed}  # fmt: skip
    for j in range(len(rows[0])):
        tests = divisions(rows, weights, j, j in categorical, midpoints, most_subsets, routed)
        for shares in tests:
            total = 0.0
            for side in (shares, [1 - s for s in shares]):
                part = [i for i, s in enumerate(side) if s > 0]
                if not part:
                    break
                total += least_cost(
                    [rows[i] for i in part],
                    [labels[i] for i in part],
                    [weights[i] * side[i] for i in part],
                    depth - 1,
                    **settings,
                )
            else:
                best = min(best, total)
    return best


def normal(z):
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def below(x, threshold, sd):
    """Probability that the true value is below the threshold."""
    if math.isinf(threshold):
        return float(threshold > 0)
    return float(x < threshold) if sd == 0 else normal((threshold - x) / sd)


def box_probability(row, box, sds):
    """Probability that a row lies between two thresholds of each variable."""
    found = 1.0
    for x, (low, high), sd in zip(row, box, sds, strict=True):
        found *= below(x, high, sd) - below(x, low, sd)
    return max(found, 0.0)


def least_expected_cost(rows, labels, weights, depth, sds, *, objective, penalty=0.0, once=True):
    """Least expected cost; sds: one for each variable. Leaves are boxes, or products of gates."""
    thresholds = [sorted(set(values))[1:] for values in zip(*rows, strict=True)]

    def cost(reached):
        by_class = {}
        for label, weight in zip(labels, reached, strict=True):
            by_class[label] = by_class.get(label, 0.0) + weight
        return (leaf_cost(by_class, objective) if sum(reached) > 0 else 0.0) + penalty

    def best(box, gates, depth):
        if once:
            reached = [w * box_probability(r, box, sds) for r, w in zip(rows, weights, strict=True)]
        else:
            reached = [w * g for w, g in zip(weights, gates, strict=True)]
        found = cost(reached)
        if depth == 0:
            return found
        for j, (low, high) in enumerate(box):
            for t in thresholds[j]:
                if once and not low < t < high:
                    continue
                left = [below(row[j], t, sds[j]) for row in rows]
                sides = [
                    ([*box[:j], (low, t), *box[j + 1 :]], left),
                    ([*box[:j], (t, high), *box[j + 1 :]], [1 - s for s in left]),
                ]
                total = 0.0
                for part, shares in sides:
                    kept = [g * s for g, s in zip(gates, shares, strict=True)]
                    total += best(part, kept, depth - 1)
                found = min(found, total)
        return found

    return best([(-math.inf, math.inf)] * len(sds), [1.0] * len(rows), depth)
