"""Forests as tables: trees, one below the other, with the keys of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.tree import validation
from hedgerow.tree.export import _SINGLE
from hedgerow.tree.metadata import metadata_from_json, metadata_to_json

if TYPE_CHECKING:
    import pandas as pd

#: Column of what a tree has beside its arrays, a JSON text in the row of its root.
METADATA = "metadata"


def forest_to_frame(trees, keys: pd.DataFrame, *, bare: bool = False) -> pd.DataFrame:
    """Many trees in one tidy table, one row per node.

    Parameters
    ----------
    trees : list of Tree
        With the same number of classes and of categories.
    keys : DataFrame
        One row per tree: what identifies it. Its columns come first.
    bare : bool, optional
        Leave out names and gates: they are known elsewhere, or will not be asked for. Node
        statistics are left out always.

    Returns
    -------
    DataFrame
        The keys, ``node``, and the arrays of the trees; ``beside``, their gates and names, where
        any has some.
    """
    pd = import_optional("pandas", "a forest as a data frame")
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
    metadata = [None if bare else _metadata_json(tree) for tree in trees]
    if any(text is not None for text in metadata):
        arrays[METADATA] = np.full(sum(sizes), None, dtype=object)
        arrays[METADATA][np.cumsum([0, *sizes[:-1]])] = metadata
    return pd.concat([repeated, pd.DataFrame(arrays)], axis=1)


def _metadata_json(tree) -> str | None:
    form = metadata_to_json(tree)
    return json.dumps(form, allow_nan=False) if any(form.values()) else None


def forest_from_frame(frame: pd.DataFrame, key_columns: list[str]):
    """The trees that `forest_to_frame` wrote, in the order of the rows.

    Returns
    -------
    keys : DataFrame
        One row per tree.
    trees : list of Tree

    Raises
    ------
    InputError
        The table holds no such trees.
    """
    import pandas as pd

    from hedgerow.tree.tree import Tree

    with validation.parse_errors_of("a table of trees"):
        node = frame["node"].to_numpy()
        starts = np.flatnonzero(node == 0)
        stops = np.append(starts[1:], len(frame))
        weights = _block(frame, "weight_", np.float64)
        categories = _block(frame, "category_", np.uint8)
        arrays = {name: frame[name].to_numpy() for name in _SINGLE}
        metadata = frame[METADATA].to_numpy()[starts] if METADATA in frame else [None] * len(starts)
        keys = frame.iloc[starts][key_columns].reset_index(drop=True)
    if not np.array_equal(node, np.arange(len(node)) - np.repeat(starts, stops - starts)):
        raise InputError(
            "rows of a table of trees are missing or out of order", remedy="sort it as written"
        )
    trees = [
        Tree(
            # Copies: a slice is the memory of the table, which its owner may change.
            **{name: array[a:b].copy() for name, array in arrays.items()},
            class_weight=weights[a:b].copy(),
            categories_left=categories[a:b].copy(),
            **({} if pd.isna(text) else _restored(text)),
        )
        for a, b, text in zip(starts, stops, metadata, strict=True)
    ]
    return keys, trees


def _restored(text: str) -> dict:
    with validation.parse_errors_of("what a table of trees has beside their arrays"):
        return metadata_from_json(json.loads(text))


def _block(frame, prefix, dtype) -> np.ndarray:
    names = [c for c in frame.columns if c.startswith(prefix)]
    names.sort(key=lambda c: int(c[len(prefix) :]))
    if not names:
        return np.zeros((len(frame), 0), dtype=dtype)
    return np.ascontiguousarray(frame[names].to_numpy(dtype=dtype))
