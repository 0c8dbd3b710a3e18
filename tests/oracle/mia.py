"""Trees with missing incorporated in attributes (MIA) in plain Python, test by test."""

from __future__ import annotations

import math
from collections import Counter


def entropy(labels):
    n = len(labels)
    return -sum(k / n * math.log2(k / n) for k in Counter(labels).values())


def tests(rows, j):
    """Every test of variable j: what a row without the value does, and the threshold.

    Left: missing, or below the threshold; right: known and below it is left, missing is right.
    The test of whether the value is missing is that of the lowest threshold with missing left.
    """
    known = sorted({row[j] for row in rows if row[j] is not None})
    lacking = any(row[j] is None for row in rows)
    return [("left", t) for t in known[0 if lacking else 1 :]] + [("right", t) for t in known[1:]]


def goes_left(value, missing_goes, threshold, lowest):
    if value is None:
        return missing_goes == "left"
    # Whoever is known is not missing, however low the value is.
    return max(value, lowest) < threshold


def grow(rows, labels, lowest, depth):
    """A leaf is a Counter; a node is (variable, missing_goes, threshold, left, right)."""
    if len(set(labels)) == 1 or len(labels) < 2 or depth == 0:
        return Counter(labels)
    best, chosen = 1e-9, None
    for j in range(len(rows[0])):
        for missing_goes, threshold in tests(rows, j):
            side = [goes_left(row[j], missing_goes, threshold, lowest[j]) for row in rows]
            parts = [[c for c, s in zip(labels, side, strict=True) if s is left]
                     for left in (True, False)]  # fmt: skip
            gain = entropy(labels) - sum(len(p) / len(labels) * entropy(p) for p in parts)
            if gain > best + 1e-12:
                best, chosen = gain, (j, missing_goes, threshold, side)
    if chosen is None:
        return Counter(labels)
    j, missing_goes, threshold, side = chosen
    children = []
    for left in (True, False):
        kept = [i for i, s in enumerate(side) if s is left]
        part = [rows[i] for i in kept], [labels[i] for i in kept]
        children.append(grow(*part, lowest, depth - 1))
    return j, missing_goes, threshold, *children


def leaf(tree, row, lowest):
    while not isinstance(tree, Counter):
        j, missing_goes, threshold, left, right = tree
        tree = left if goes_left(row[j], missing_goes, threshold, lowest[j]) else right
    return tree
