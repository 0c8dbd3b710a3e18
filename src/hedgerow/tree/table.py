"""A table as a tree reads it: columns by their names, categories by their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hedgerow.checks import as_numbers
from hedgerow.errors import InputError
from hedgerow.optional_imports import is_frame, numbers_of, of_polars
from hedgerow.tree.labels import codes_in

if TYPE_CHECKING:
    import pandas as pd

GROWN_FROM = "give the columns that the tree was grown from"
DATES, TEXT = "dates or times", "text"
#: Names that pandas has for what a column holds, and ours for those that are no numbers.
_KINDS = {
    **dict.fromkeys(("date", "datetime", "datetime64", "period", "time"), DATES),
    **dict.fromkeys(("timedelta", "timedelta64"), DATES),
    **dict.fromkeys(("string", "mixed-integer"), TEXT),
    **{"bytes": "bytes", "complex": "complex values", "interval": "intervals"},
}
_REMEDIES = {
    DATES: "turn it into a number, such as days since the first",
    "complex values": "give real and imaginary part as columns of their own",
    "lists": "give each of their entries a column",
}


def column_numbers(column: pd.Series, remedy: str | None = None) -> np.ndarray:
    """A column of a frame as float64, (n,), NaN where it is missing; objects by value."""
    import pandas as pd

    dates = (pd.api.types.is_datetime64_any_dtype, pd.api.types.is_timedelta64_dtype)
    # pandas would give nanoseconds for them.
    if not any(is_kind(column.dtype) for is_kind in dates):
        try:
            return numbers_of(column)
        except (ValueError, TypeError):
            pass
    kind = _kind_of(column)
    raise InputError(
        f"column {str(column.name)!r} of X holds {kind}, not numbers",
        remedy or _REMEDIES.get(kind, "turn it into a pandas categorical, or into numbers"),
    )


def _kind_of(column: pd.Series) -> str:
    """What a column without numbers holds, in words."""
    import pandas as pd

    inferred = pd.api.types.infer_dtype(column.astype(object), skipna=True)
    if inferred in _KINDS:
        return _KINDS[inferred]
    first = next(iter(column.dropna()), None)
    if isinstance(first, (list, tuple, set, dict, np.ndarray)):
        return "lists"
    return f"values of type {type(first).__name__}"


def check_frame(X: Any) -> None:
    """Refuse a table of a library whose columns are not read here."""
    for call in ("compute", "to_pandas"):  # dask, whose frames have both; then pyarrow and others
        if hasattr(X, call) and hasattr(X, "columns") and not is_frame(X):
            library = type(X).__module__.partition(".")[0]
            raise InputError(f"X is a {type(X).__name__} of {library}", f"give X.{call}()")


def table_of(tree, X: Any) -> np.ndarray:
    """X as a tree reads it, (n, m) float64: labels of a data frame become codes.

    The columns of a frame are taken by the names of the tree's variables, in whatever order they
    stand; columns of other names are left out. A tree without names, and a frame whose columns have
    no text for a name, go by position, as an array does.
    """
    if type(X) is np.ndarray and X.dtype == np.float64:
        return X
    X = of_polars(X)
    check_frame(X)
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
    for j, (name, column) in enumerate(X.items()):
        labels = tree.categories.get(j)
        if labels is not None:
            table[:, j] = codes_in(column, labels, name)
        else:
            table[:, j] = column_numbers(column, GROWN_FROM)
    return table


def check_row_order(name: str, table: Any, X: Any, other: str = "X") -> None:
    """Refuse a frame or Series with the rows of X in another order: they are read one by one."""
    if not (hasattr(table, "iloc") and hasattr(X, "iloc")) or table.index.equals(X.index):
        return
    unique = table.index.is_unique and len(table) == len(X)
    if unique and set(table.index) == set(X.index):
        raise InputError(
            f"the rows of {name} have the index of {other} in another order",
            remedy=f"give them in the order of {other}: {name}.loc[{other}.index]",
        )


def in_order(name: str, given: Any, labels: Sequence[Any]) -> Any:
    """The columns of a frame, or the entries of a Series, in the order of labels.

    Anything else as it is, and so what has numbers for the names of its columns. Labels may be
    those of a frame, or their texts.
    """
    if not hasattr(given, "iloc"):
        return given
    columns = is_frame(given)
    given_labels = list(given.columns if columns else given.index)
    if given_labels == list(range(len(labels))):
        return given
    texts, wanted = [str(label) for label in given_labels], [str(label) for label in labels]
    if sorted(texts) != sorted(wanted) or len(set(texts)) < len(texts):
        raise InputError(
            f"{name} has the columns {texts[:5]}, and {wanted[:5]} are asked for",
            remedy="give each of these columns once, in any order",
        )
    places = [texts.index(label) for label in wanted]
    return given.iloc[:, places] if columns else given.iloc[places]


def by_name(X: pd.DataFrame, names: list[str] | None) -> pd.DataFrame:
    """The columns of these names, in their order; all as they stand where there are no names."""
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
