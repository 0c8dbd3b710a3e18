"""A table as a tree reads it: columns by their names, categories by their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hedgerow.checks import as_numbers
from hedgerow.errors import InputError
from hedgerow.optional import is_frame, numbers_of, of_polars
from hedgerow.tree.labels import codes_in

if TYPE_CHECKING:
    import pandas as pd

GROWN_FROM = "give the columns that the tree was grown from"


def table_of(tree, X: Any) -> np.ndarray:
    """X as a tree reads it, (n, m) float64: labels of a data frame become codes.

    The columns of a frame are taken by the names of the tree's variables, in whatever order they
    stand; columns of other names are left out. A tree without names, and a frame whose columns have
    no text for a name, go by position, as an array does.

    Raises
    ------
    InputError
        A column is missing or stands twice, holds something else than numbers and has no
        categories in the tree, or X is sparse.
    """
    X = of_polars(X)
    if sparse.issparse(X):
        raise InputError("X is sparse", remedy="give X.toarray()")
    if not is_frame(X):
        try:
            return as_numbers("X", X)
        except InputError as error:
            if not tree.categories:
                raise
            remedy = "give a data frame, or the codes of categories in the place of their labels"
            raise InputError(error.message, remedy) from None
    X = by_name(X, tree.feature_names)
    table = np.empty(X.shape, dtype=np.float64)
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        labels = tree.categories.get(j)
        if labels is not None:
            table[:, j] = codes_in(column, labels, name)
            continue
        try:
            table[:, j] = numbers_of(column)
        except (TypeError, ValueError):
            raise InputError(
                f"column {str(name)!r} of X holds something that is no real number, and has no "
                "categories in the tree",
                remedy=GROWN_FROM,
            ) from None
    return table


def by_name(X: pd.DataFrame, names: list[str] | None) -> pd.DataFrame:
    """The columns of these names, in their order; all as they stand where there are no names.

    Raises
    ------
    InputError
        One of them is missing or stands twice.
    """
    given = list(X.columns)
    if names is None or given == names or not any(isinstance(name, str) for name in given):
        return X
    for name in names:
        if (times := given.count(name)) != 1:
            raise InputError(
                f"X has {'no column' if not times else f'{times} columns'} {name!r}",
                remedy=GROWN_FROM,
            )
    return X[names]
