"""Random trees with awkward names and categories, and rows that ask everything of them."""

from collections.abc import Callable

import numpy as np
from oracle.random_trees import random_tree

from hedgerow.tree import Tree

#: What could break out of quotes, of a format, of a line.
NAMES = ['a "b"', "c'd; DROP TABLE t; --", "é\n{tree}", "%s\\", "select", ""]
LABELS = ["", "it's", '"', "new\nline", "{}", "\\", "ß"]
CLASSES = ['"; import os', "'", "grün", "b\\"]


def drawn_tree(seed: int) -> tuple[Tree, np.ndarray]:
    """A tree of numbers and categories, all of them named, and rows.

    Among the rows are values on thresholds, missing ones, and categories that training has not
    seen: they have the first code without a label, as `hedgerow.tree.statistics` has it.
    """
    tree, X, _, columns = random_tree(seed)
    rng = np.random.default_rng([seed, 3])
    tree = tree.replace(
        classes=[CLASSES[c] for c in range(tree.n_classes)],
        feature_names=[NAMES[j] for j in range(X.shape[1])],
        categories={j: LABELS[:k] for j, k in enumerate(columns.n_categories) if k},
    )
    rows = np.repeat(X, 2, axis=0)
    for j, k in enumerate(columns.n_categories):
        at = tree.threshold[(tree.feature == j) & ~tree.is_categorical()]
        other = rng.integers(0, k + 1, len(rows)) if k else rng.choice([*at, 0.0], len(rows))
        rows[:, j] = np.where(rng.random(len(rows)) < 0.5, rows[:, j], other)
    rows[rng.random(rows.shape) < rng.choice([0.0, 0.2, 0.7])] = np.nan
    return tree, rows


def first_tree(wanted: Callable[[Tree], bool]) -> tuple[Tree, np.ndarray]:
    """The first of the trees, with its rows, of which something holds."""
    return next(found for found in map(drawn_tree, range(1000)) if wanted(found[0]))


def records(tree: Tree, rows: np.ndarray) -> list[dict]:
    """The rows as a database or a file has them: None where missing, categories by label."""
    names = tree.feature_names or [f"x{j}" for j in range(rows.shape[1])]

    def value(j: int, x: float):
        if np.isnan(x):
            return None
        labels = tree.categories.get(j)
        if labels is None:
            return float(x)
        return labels[int(x)] if x < len(labels) else "never seen"

    return [
        {name: value(j, x) for j, (name, x) in enumerate(zip(names, row, strict=True))}
        for row in rows
    ]
