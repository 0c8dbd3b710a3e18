"""What is said of one case, by drawing values: the plain way.

A value is drawn about the measured one, and the tree asked again. Nothing is worked out that could
be drawn. Below, without draws, of a tree with numbers alone: boxes of leaves, one after the other,
and differences of distribution functions at their ends.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
from scipy import integrate


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


def walked(tree, x, j, values):
    """(k, K) class shares of the leaf that is reached if variable j has each of some values."""
    found = []
    for value in values:
        changed = np.array(x, dtype=float)
        changed[j] = value
        node = 0
        while tree.feature[node] >= 0:
            left = changed[tree.feature[node]] < tree.threshold[node]
            node = (tree.children_left if left else tree.children_right)[node]
        found.append(tree.class_weight[node] / tree.class_weight[node].sum())
    return np.array(found)


def boxes(tree):
    """Leaf -> variable -> ends of the box, by walking down from the root."""
    found = {}

    def walk(node, box):
        j = int(tree.feature[node])
        if j < 0:
            found[node] = box
            return
        low, high = box.get(j, (-np.inf, np.inf))
        t = float(tree.threshold[node])
        walk(int(tree.children_left[node]), {**box, j: (low, min(high, t))})
        walk(int(tree.children_right[node]), {**box, j: (max(low, t), high)})

    walk(0, {})
    return found


def in_box(box, x, cdfs):
    """Probability that a case lies in a box; cdfs: variable -> cdf of its value about x."""
    p = 1.0
    for j, (low, high) in box.items():
        if j in cdfs:
            p *= float(cdfs[j](high - x[j]) - cdfs[j](low - x[j]))
        else:
            p *= float(low <= x[j] < high)
    return p


def exact_leaves(tree, x, models):
    """Leaf -> probability that the true values lie in its box; models: frozen distributions."""
    cdfs = {j: model.cdf for j, model in models.items()}
    return {leaf: in_box(box, x, cdfs) for leaf, box in boxes(tree).items()}


def difference_cdf(model):
    """Distribution function of the difference of two errors, integrated over one of them."""

    @functools.cache
    def cdf(t):
        if np.isinf(t):
            return float(t > 0)
        # Over the probability of the error; pieces, as its ends are steep.
        ends = [0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9, 1.0]
        return sum(
            integrate.quad(lambda u: model.cdf(t + model.ppf(u)), low, high, epsabs=1e-12)[0]
            for low, high in itertools.pairwise(ends)
        )

    return cdf


def exact_changes(tree, x, models):
    """Probability of another answer of the tree when all is measured again."""
    cdfs = {j: difference_cdf(model) for j, model in models.items()}
    answer = tree.class_weight.argmax(axis=1)
    now = answer[tree.apply(np.asarray(x, dtype=float)[None], None)[0]]
    return sum(in_box(b, x, cdfs) for leaf, b in boxes(tree).items() if answer[leaf] != now)
