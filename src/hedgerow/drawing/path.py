"""The way of one row through a tree, or the way to one node, as a drawing shows it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from hedgerow.checks import as_numbers
from hedgerow.drawing.words import category_word, percent
from hedgerow.errors import InputError
from hedgerow.optional_imports import is_frame
from hedgerow.tree.export import number
from hedgerow.tree.gates import NoiseGate
from hedgerow.tree.table import table_of

#: Smallest share of a row that is drawn; a smaller one looks like none.
MIN_SHARE = 0.005
_REMEDY = "give one row, its values in the order of the variables, or the number of a node"


@dataclass(frozen=True)
class DecisionPath:
    """Share of a row at every node; of the way to a node 1."""

    share: np.ndarray
    row: np.ndarray | None = None

    def through(self, node: int) -> bool:
        """Whether the way goes through a node."""
        return bool(self.share[node] >= MIN_SHARE)

    def value(self, tree, node: int) -> float | None:
        """The row's value at a test; None where the way is not that of a row."""
        return None if self.row is None else float(self.row[tree.feature[node]])

    def answer(self, tree, node: int, decimals: int, units: dict[int, str]) -> tuple[str, str]:
        """The value of the row at a test, and where it goes, with its share if it is divided."""
        assert self.row is not None
        j = int(tree.feature[node])
        value = float(self.row[j])
        left = float(self.share[tree.children_left[node]] / self.share[node])
        goes = "yes" if left >= 0.5 else "no"
        if 1e-9 < left < 1.0 - 1e-9:
            goes += f" {percent(max(left, 1.0 - left))}"
        if np.isnan(value):
            return "missing", goes
        if np.isnan(tree.threshold[node]):
            return category_word(tree, j, int(value)), goes
        return number(value, decimals, [float(tree.threshold[node])]) + units.get(j, ""), goes


def decision_path_of(tree, path: Any) -> DecisionPath | None:
    """The way of a row, or to a node by its number."""
    if path is None:
        return None
    if isinstance(path, Integral) and not isinstance(path, bool | np.bool_):
        node = int(path)
        if not 0 <= node < tree.n_nodes:
            raise InputError(
                f"path is node {node}, which the tree does not have",
                remedy=f"give the number of a node, from 0 to {tree.n_nodes - 1}",
            )
        share = np.zeros(tree.n_nodes)
        while node >= 0:
            share[node] = 1.0
            node = int(tree.parent[node])
        return DecisionPath(share)
    row = _row_of(tree, path)
    return DecisionPath(tree.shares(row).toarray()[0], row[0])


def _row_of(tree, path: Any) -> np.ndarray:
    """The row as the tree reads it, (1, m)."""
    if hasattr(path, "to_frame") and hasattr(path, "index"):  # a Series of pandas
        names = tree.feature_names
        if names is not None and path.index.is_unique and set(names) <= set(path.index):
            path = path[names]
        path = path.to_frame().T
    if is_frame(path):
        row = table_of(tree, path)
    else:
        if isinstance(path, str) or np.ndim(path) == 0:
            raise InputError(f"path is {path!r}", remedy=_REMEDY)
        try:
            row = as_numbers("path", path)
        except InputError as error:
            if not tree.categories:
                raise
            remedy = "give a Series, or the codes of categories in the place of their labels"
            raise InputError(error.message, remedy) from None
        row = row[None] if row.ndim == 1 else row
    if row.ndim != 2 or len(row) != 1:
        raise InputError(f"path has shape {row.shape}", remedy=_REMEDY)
    check_columns(tree, "path", row.shape[1])
    check_finite("path", row)
    return np.ascontiguousarray(row)


def check_columns(tree, name: str, n: int) -> None:
    """Refuse rows of more or fewer variables than the tree knows, or fewer than it tests."""
    width = None if tree.feature_names is None else len(tree.feature_names)
    if width is None and isinstance(tree.gate, NoiseGate):
        width = len(tree.gate.sigma)
    least = int(tree.feature.max()) + 1
    if n < least or (width is not None and n != width):
        raise InputError(
            f"{name} has {n} values in a row and the tree reads {width or f'at least {least}'}",
            remedy="give the variables that the tree was grown from, in their order",
        )


def check_finite(name: str, values: np.ndarray) -> None:
    """Refuse infinite values, which have no place in a drawing."""
    if np.isinf(values).any():
        raise InputError(f"{name} holds infinite values", remedy="make them missing (NaN)")
