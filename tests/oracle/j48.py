"""J48 in plain Python, for numbers without missing values (see `hedgerow.induction.GrowthRules`).

A tree is None, for a leaf, or (variable, value that goes left, left tree, right tree). Rows are
(values, class, weight).
"""

import math
from itertools import pairwise
from statistics import NormalDist

from oracle.induction import entropy


def counts(rows, n_classes):
    return [sum(w for _, c, w in rows if c == k) for k in range(n_classes)]


def sides(rows, j, value):
    return [r for r in rows if r[0][j] <= value], [r for r in rows if r[0][j] > value]


def best_test(rows, n_classes, least, j):
    """Gain less the penalty, its ratio to the split information, and the midpoint."""
    total = sum(counts(rows, n_classes))
    least = min(25.0, max(least, 0.1 * total / n_classes))
    values = sorted({row[0][j] for row in rows})
    found = []
    for low, high in pairwise(values):
        parts = [counts(side, n_classes) for side in sides(rows, j, low)]
        if low + 1e-5 < high and min(map(sum, parts)) >= least - 1e-9:
            gain = entropy(counts(rows, n_classes))
            gain -= sum(sum(part) / total * entropy(part) for part in parts)
            found.append((gain, -low, entropy(list(map(sum, parts))), (low + high) / 2))
    if not found:
        return None
    most = max(gain for gain, *_ in found)
    gain, _, information, middle = max(f for f in found if f[0] >= most - 1e-12)
    gain -= math.log2(len(found)) / total
    return (gain, gain / information, middle) if gain > 1e-9 else None


def grow(rows, n_classes, least, all_rows):
    weights = counts(rows, n_classes)
    if sum(weights) < 2 * least - 1e-9 or max(weights) >= sum(weights):
        return None
    tests = [best_test(rows, n_classes, least, j) for j in range(len(rows[0][0]))]
    gains = [test[0] for test in tests if test]
    if not gains:
        return None
    average, best, chosen = sum(gains) / len(gains), 0.0, None
    for j, test in enumerate(tests):
        if test and test[0] >= average - 1e-3 and test[1] > best + 1e-12:
            best, chosen = test[1], j
    value = max(r[0][chosen] for r in all_rows if r[0][chosen] <= tests[chosen][2])
    left, right = sides(rows, chosen, value)
    return (chosen, value, *(grow(side, n_classes, least, all_rows) for side in (left, right)))


def wrong(rows, n_classes):
    weights = counts(rows, n_classes)
    return sum(weights) - max(weights)


def total_of(tree, rows, n_classes, of_leaf):
    """Sum of `of_leaf` over the leaves that the rows reach."""
    if tree is None:
        return of_leaf(rows, n_classes)
    left, right = sides(rows, *tree[:2])
    return total_of(tree[2], left, n_classes, of_leaf) + total_of(
        tree[3], right, n_classes, of_leaf
    )


def collapse(tree, rows, n_classes):
    if tree is None or total_of(tree, rows, n_classes, wrong) >= wrong(rows, n_classes) - 1e-3:
        return None
    left, right = sides(rows, *tree[:2])
    return (*tree[:2], collapse(tree[2], left, n_classes), collapse(tree[3], right, n_classes))


def limit(n, errors, confidence):
    """Predicted errors of a leaf: the exact limit for none, the normal one from one error on."""
    if n <= 0:
        return 0.0
    none = n * (1 - confidence ** (1 / n))
    if errors < 1:
        return none + errors * (limit(n, 1.0, confidence) - none) if errors > 0 else none
    if errors + 0.5 >= n:
        return n
    z, f = NormalDist().inv_cdf(1 - confidence), (errors + 0.5) / n
    root = math.sqrt(f / n - f**2 / n + z**2 / (4 * n**2))
    return n * (f + z**2 / (2 * n) + z * root) / (1 + z**2 / n)


def prune(tree, rows, n_classes, confidence):
    if tree is None:
        return None

    def predicted(rows, n_classes):
        return limit(sum(counts(rows, n_classes)), wrong(rows, n_classes), confidence)

    left, right = sides(rows, *tree[:2])
    tree = (
        *tree[:2],
        prune(tree[2], left, n_classes, confidence),
        prune(tree[3], right, n_classes, confidence),
    )
    heavier = sum(w for *_, w in left) > sum(w for *_, w in right) + 1e-6
    branch = tree[2] if heavier else tree[3]
    as_is = total_of(tree, rows, n_classes, predicted)
    raised = total_of(branch, rows, n_classes, predicted)
    if predicted(rows, n_classes) <= min(as_is, raised) + 0.1:
        return None
    return prune(branch, rows, n_classes, confidence) if raised <= as_is + 0.1 else tree


def j48(rows, n_classes, least=2.0, confidence=0.25):
    """The grown tree, collapsed; and pruned."""
    grown = collapse(grow(rows, n_classes, least, rows), rows, n_classes)
    return grown, prune(grown, rows, n_classes, confidence)
