"""Random tables and trees for property tests: every awkward feature, drawn from one seed."""

import numpy as np
from hypothesis import strategies as st

from hedgerow.induction import Columns, grow
from hedgerow.tree import Tree
from hedgerow.tree.gates import NoiseGate

seeds = st.integers(min_value=0, max_value=2**32 - 1)


def random_table(seed, n_max=60):
    """X, y, n_classes, weights, n_categories; ties, missing values, categories, fractions."""
    rng = np.random.default_rng(seed)
    n, m, K = int(rng.integers(2, n_max)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    X = rng.normal(4.0, 2.0, (n, m))
    n_categories = np.zeros(m, dtype=int)
    for j in range(m):
        style = rng.integers(0, 4)
        if style == 0:
            X[:, j] = rng.integers(0, 5, n)
        elif style == 1:
            n_categories[j] = int(rng.integers(1, 7))
            X[:, j] = rng.integers(0, n_categories[j], n)
    if rng.random() < 0.5:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = rng.integers(0, K, n)
    weight = None if rng.random() < 0.5 else rng.uniform(0.05, 3.0, n)
    return X, y, K, weight, n_categories


def random_noise(seed, n_categories):
    """None or a sigma for each numeric variable, some of them 0."""
    rng = np.random.default_rng([seed, 1])
    if rng.random() < 0.4:
        return None
    return NoiseGate(
        np.where(n_categories > 0, 0.0, rng.choice([0.0, 0.2, 0.7], len(n_categories)))
    )


def random_tree(seed, propagation=None, search=None, **settings):
    """A tree grown on a random table, with the table: (tree, X, y, columns)."""
    X, y, K, weight, n_categories = random_table(seed)
    columns = Columns(X, y, K, weight, n_categories)
    settings = {"min_samples_split": 2, **settings}
    tree = grow(columns, propagation=propagation, search=search, **settings)
    return tree, X, y, columns


def chain(depth):
    """A tree as deep as it has tests, of three variables in turn; each test has a leaf on its left.

    A leaf answers by the parity of its depth.
    """
    n = 2 * depth + 1
    test = np.arange(n) % 2 == 0
    test[-1] = False
    nodes = np.arange(n)
    weight = np.zeros((n, 2))
    leaf = np.flatnonzero(~test)
    weight[leaf, np.arange(len(leaf)) % 2] = 1.0
    weight[::2] = np.cumsum(weight[::-1], axis=0)[::-1][::2]
    parent = np.where(nodes % 2 == 1, nodes - 1, nodes - 2)
    parent[0] = -1
    return Tree(
        np.where(test, nodes // 2 % 3, -1),
        np.where(test, nodes // 2, np.nan),
        np.where(test, nodes + 1, -1),
        np.where(test, nodes + 2, -1),
        parent,
        np.where(test, 0.25, np.nan),
        weight,
    )
