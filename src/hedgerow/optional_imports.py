"""Libraries that a plain installation does not bring, and what is said without them."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hedgerow.errors import LibraryError

if TYPE_CHECKING:
    import numpy as np

#: Library -> what pip is asked for in a checkout, so that it is there.
EXTRAS = {
    "pandas": ".[frames]",
    "matplotlib": ".[draw]",
    "pooch": ".[data]",
    "pyarrow": ".[data]",
    "requests": ".[data]",
    "rich": ".[data]",
    "yaml": ".[data]",
    "jinja2": "./src/hedgerow_study",
    "markupsafe": "./src/hedgerow_study",
    "scikit_posthocs": "./src/hedgerow_study",
    "statsmodels": ".[survival]",
    "psutil": "./src/hedgerow_study",
    "rocrate": "./src/hedgerow_study",
    "snakemake": "./src/hedgerow_study",
    "lifelines": ".[survival]",
    "openpyxl": "./src/hedgerow_clinic",
    "docx": "./src/hedgerow_clinic[documents]",
    "sksurv": ".[forests]",
}


def import_optional(module: str, purpose: str) -> ModuleType:
    """A module of an optional library, for what cannot be had without it.

    Parameters
    ----------
    module : str
        Such as `matplotlib.figure`; its library is one of `EXTRAS`.
    purpose : str
        What needs it, as the subject of a sentence.

    Returns
    -------
    module

    Raises
    ------
    LibraryError
        If the library is not installed; one that is there and broken raises what it raises.

    Examples
    --------
    >>> import_optional("pandas", "a data frame").__name__
    'pandas'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = missing_library(error, purpose)
        if missing is None:
            raise
        raise missing from None


def missing_library(error: ModuleNotFoundError, purpose: str) -> LibraryError | None:
    """What to tell the user where an import failed; None if it was of no optional library."""
    library = (error.name or "").partition(".")[0]
    if library not in EXTRAS:
        return None
    return LibraryError(
        f"{purpose} needs {library}, which is not installed",
        remedy=f"`pip install '{EXTRAS[library]}'` in a checkout of hedgerow brings it",
    )


def version_of(library: str) -> str:
    """Name and version of a library, `absent` without it.

    A parameter of the rules that use it where it is installed, so that installing it runs them
    again.
    """
    try:
        return f"{library} {importlib.metadata.version(library)}"
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def is_frame(X: Any) -> bool:
    """Whether `X` is a pandas data frame. Nobody has made one where pandas was never imported."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def numbers_of(column: Any) -> np.ndarray:
    """Column of a pandas data frame as float64, NaN where a value is missing."""
    import numpy
    import pandas

    if isinstance(column.dtype, numpy.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy("float64")
    numbers = pandas.to_numeric(column)
    if getattr(numbers.dtype, "kind", "") == "c":
        raise TypeError("complex numbers")
    return numbers.to_numpy(dtype="float64", na_value=float("nan"))


def of_polars(X: Any) -> Any:
    """A polars data frame as one of pandas, categories as categories; anything else as it is.

    The categories of an Enum keep their order, others are sorted: polars numbers them as they come.
    """
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(X, polars.DataFrame):
        return X
    pandas = import_optional("pandas", "a polars data frame")
    columns = {}
    for series in X.iter_columns():
        if isinstance(series.dtype, (polars.Categorical, polars.Enum)):
            if isinstance(series.dtype, polars.Enum):
                labels = list(series.dtype.categories)
            else:
                labels = sorted(set(series.drop_nulls().to_list()))
            columns[series.name] = pandas.Categorical(series.to_list(), categories=labels)
        elif series.dtype.is_numeric() or series.dtype == polars.Boolean:
            columns[series.name] = series.cast(polars.Float64).to_numpy()
        else:
            columns[series.name] = series.to_list()
    return pandas.DataFrame(columns)
