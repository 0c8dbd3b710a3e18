"""Forests as tables: trees, one below the other, with the keys of each."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hedgerow.tree.export import _SINGLE


def forest_to_frame(trees, keys: pd.DataFrame) -> pd.DataFrame:
    """Many trees in one tidy table, one row per node.

    Parameters
    ----------
    trees : list of Tree
        With the same number of classes and of categories.
    keys : DataFrame
        One row per tree: what identifies it. Its columns come first.

    Returns
    -------
    DataFrame
        The keys, ``node``, and the arrays of the trees.
    """
    if not trees:
        return keys.iloc[:0].assign(node=np.zeros(0, dtype=np.int32))
    sizes = [tree.n_nodes for tree in trees]
    repeated = keys.loc[keys.index.repeat(sizes)].reset_index(drop=True)
    arrays = {"node": np.concatenate([np.arange(n, dtype=np.int32) for n in sizes])}
    for name in _SINGLE:
        arrays[name] = np.concatenate([getattr(tree, name) for tree in trees])
    weight = np.concatenate([tree.class_weight for tree in trees])
    for c in range(weight.shape[1]):
        arrays[f"weight_{c}"] = weight[:, c]
    left = np.concatenate([tree.categories_left for tree in trees])
    for c in range(left.shape[1]):
        arrays[f"category_{c}"] = left[:, c]
    return pd.concat([repeated, pd.DataFrame(arrays)], axis=1)


def forest_from_frame(frame: pd.DataFrame, key_columns: list[str]):
    """The trees that `forest_to_frame` wrote, in the order of the rows.

    Returns
    -------
    keys : DataFrame
        One row per tree.
    trees : list of Tree
    """
    from hedgerow.tree.tree import Tree

    starts = np.flatnonzero(frame["node"].to_numpy() == 0)
    stops = np.append(starts[1:], len(frame))
    weights = _block(frame, "weight_", np.float64)
    categories = _block(frame, "category_", np.uint8)
    arrays = {name: frame[name].to_numpy() for name in _SINGLE}
    trees = [
        Tree(
            **{name: array[a:b] for name, array in arrays.items()},
            class_weight=weights[a:b],
            categories_left=categories[a:b],
            _checked=True,
        )
        for a, b in zip(starts, stops, strict=True)
    ]
    return frame.iloc[starts][key_columns].reset_index(drop=True), trees


def _block(frame, prefix, dtype) -> np.ndarray:
    names = [c for c in frame.columns if c.startswith(prefix)]
    names.sort(key=lambda c: int(c[len(prefix) :]))
    if not names:
        return np.zeros((len(frame), 0), dtype=dtype)
    return np.ascontiguousarray(frame[names].to_numpy(dtype=dtype))
