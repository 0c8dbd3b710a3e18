"""A tree and the rows that it is asked about, from files that people give to a command."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from hedgerow.errors import DataError, InputError
from hedgerow.files import read_csv, read_text
from hedgerow.tree.labels import codes_in, text_of, texts_of
from hedgerow.tree.tree import Tree

ABSENT = "give the path of a file that is there"
MOST_CELLS = 10_000_000  # of a table: what is made of it is for people


def read_tree(path: str) -> Tree:
    """The tree in a JSON file, or that part of a file that holds more beside it."""
    text = _inner(read_text(path, ABSENT))
    try:
        tree = Tree.from_json(text)
    except InputError as error:
        raise DataError(f"{path}: {error.message}", remedy=error.remedy) from None
    if tree.feature_names is None:
        raise DataError(
            f"{path}: the tree has no names of variables",
            remedy="fit it on a data frame, or give them by Tree.replace(feature_names=...)",
        )
    return tree


def _inner(text: str) -> str:
    """The text of a tree: of a file that holds one with more beside it, its own part."""
    try:
        form = json.loads(text)
    except (RecursionError, ValueError):
        return text
    inner = form.get("tree") if isinstance(form, dict) else None
    return json.dumps(inner) if isinstance(inner, dict) else text


class Rows:
    """A table in a CSV file, as a tree reads it.

    Parameters
    ----------
    path : str
    tree : Tree
        With names of variables.

    Raises
    ------
    DataError
        No table, or one without a row or with more than 10,000,000 values.
    """

    def __init__(self, path: str, tree: Tree):
        self.path, self.tree = path, tree
        self.names: list[str] = list(tree.feature_names or [])
        self.frame = read_csv(path, absent=ABSENT)
        if not len(self.frame):
            raise DataError(f"{path} has no row", remedy="give at least one")
        if len(self.frame) * len(self.names) > MOST_CELLS:
            raise DataError(
                f"{path} has {len(self.frame)} rows of {len(self.names)} variables",
                remedy=f"give a table of at most {MOST_CELLS} values",
            )
        # pandas may be off by one in the last bit, where a value is to be equal to a threshold.
        self._texts = read_csv(path, text=True, absent=ABSENT)

    def values(self, variables: Iterable[int]) -> np.ndarray:
        """The variables of these numbers; what is empty is missing, and so are all others.

        Returns: categories as codes; one that is not among the labels is new.
        """
        table = np.full((len(self.frame), len(self.names)), np.nan)
        for j in variables:
            name = self.names[j]
            if name not in self.frame.columns:
                tested = ", which the tree tests" if (self.tree.feature == j).any() else ""
                raise DataError(
                    f"{self.path} has no column {name!r}{tested}",
                    remedy="give a table with the columns that the tree was grown from",
                )
            labels = self.tree.categories.get(int(j))
            column = self.frame[name]
            table[:, j] = self._numbers(name) if labels is None else codes_in(column, labels)
        return table

    def classes(self, name: str, labels: list) -> np.ndarray:
        """Places of the classes in a column among labels, (n,) int."""
        if name not in self.frame.columns:
            raise DataError(
                f"{self.path} has no column {name!r}", remedy="name the column of the class"
            )
        places = {text_of(label): place for place, label in enumerate(labels)}
        codes = np.empty(len(self.frame), dtype=np.int64)
        for row, text in enumerate(texts_of(self.frame[name])):
            if text not in places:
                held = f"holds {text!r}" if text else "is empty"
                expected = ", ".join(repr(label) for label in list(places)[:10])
                raise DataError(
                    f"{self.path}: column {name!r} {held} in row {row}, and the classes of the "
                    f"tree are {expected}",
                    remedy="name the column of the class, or drop that row",
                )
            codes[row] = places[text]
        return codes

    def _numbers(self, name: str) -> np.ndarray:
        import pandas as pd

        column = self.frame[name]
        try:
            values = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
        except (ValueError, TypeError):
            texts = pd.to_numeric(column, errors="coerce")
            row = int((texts.isna() & column.notna()).to_numpy().argmax())
            raise DataError(
                f"{self.path}: column {name!r} holds {column.iloc[row]!r} in row {row}, and the "
                "tree tests a number",
                remedy="write a number, or nothing where it is missing",
            ) from None
        infinite = np.isinf(values)
        if infinite.any():
            raise DataError(
                f"{self.path}: column {name!r} holds an infinite value in row "
                f"{int(infinite.argmax())}",
                remedy="write a number, or nothing where it is missing",
            )
        if pd.api.types.is_float_dtype(column.dtype):
            observed = ~np.isnan(values)
            values = values.copy()
            values[observed] = [float(text) for text in self._texts[name].to_numpy()[observed]]
        return values
