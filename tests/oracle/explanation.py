"""What is said of one case, by drawing values: the plain way.

A value is drawn about the measured one, and the tree asked again. Nothing is worked out that could
be drawn.
"""

from __future__ import annotations

import numpy as np


def drawn(x, errors, n, rng):
    """(n, m) true values; errors: variable -> function of (size) that draws true less measured."""
    values = np.repeat(np.asarray(x, dtype=float)[None], n, axis=0)
    for j, draw in errors.items():
        values[:, j] += draw(n)
    return values


def leaf_shares(tree, values):
    """(n_nodes,) share of the draws that end in each leaf."""
    return np.bincount(tree.apply(values, None), minlength=tree.n_nodes) / len(values)


def changes(tree, x, errors, n, rng, given):
    """Share of new measurements that the tree answers otherwise than the first one."""
    again = drawn(x, {} if given == "true" else errors, n, rng)  # true values
    for j, draw in errors.items():
        again[:, j] -= draw(n)  # an error is true less measured
    now = tree.predict_proba(np.asarray(x, dtype=float)[None], None)[0].argmax()
    return float(np.mean(tree.predict_proba(again, None).argmax(axis=1) != now))


def moments(tree, values, rng):
    """Mean, variance by leaves and by cases of each class probability, (K,) each, by draws."""
    leaf = tree.apply(values, None)
    weight = tree.class_weight[leaf] + 1.0 / tree.n_classes
    p = rng.standard_gamma(weight)
    p /= p.sum(axis=1, keepdims=True)
    of_leaf = weight / weight.sum(axis=1, keepdims=True)
    return p.mean(axis=0), of_leaf.var(axis=0), np.mean((p - of_leaf) ** 2, axis=0)


def entropy(tree, values):
    """Of the answer, in bits."""
    share = np.bincount(tree.predict_proba(values, None).argmax(axis=1)) / len(values)
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())


def fall(tree, x, errors, j, n, rng, n_bins):
    """Expected fall of the entropy if variable j is measured again: mutual information, binned.

    With the correction of Miller and Madow: each cell that was hit adds a half over n.
    """
    values = drawn(x, errors, n, rng)
    answer = tree.predict_proba(values, None).argmax(axis=1)
    again = values[:, j] - errors[j](n)
    cuts = np.quantile(again, np.linspace(0, 1, n_bins + 1)[1:-1])
    cell = np.searchsorted(cuts, again)
    joint = np.zeros((n_bins, tree.n_classes))
    np.add.at(joint, (cell, answer), 1.0)
    p = joint / n
    rows, columns = p.sum(axis=1, keepdims=True), p.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(p > 0, p * np.log(p / (rows * columns)), 0.0).sum()
    excess = (p > 0).sum() - (rows > 0).sum() - (columns > 0).sum() + 1
    return float((found - excess / (2.0 * n)) / np.log(2.0))
