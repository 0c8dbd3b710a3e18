"""Two tables, number by number."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.errors import DataError
from hedgerow.files import read_csv, read_parquet

if TYPE_CHECKING:
    import pandas as pd

#: A number in a cell of a table such as `.812 ± .03 (12)`.
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def is_table(path: str | Path) -> bool:
    """Whether a file is compared number by number."""
    return Path(path).suffix in (".csv", ".parquet")


def difference(one: Path, other: Path) -> float:
    """The largest difference between numbers of two tables, relative to the larger one.

    Returns: 0 where all numbers are the same; infinite where anything but a number differs:
        columns, types, rows, words, what is missing.
    """
    try:
        left, right = (_read(path) for path in (one, other))
    except DataError:
        return math.inf
    if list(left) != list(right) or len(left) != len(right):
        return math.inf
    if list(map(str, left.dtypes)) != list(map(str, right.dtypes)):
        return math.inf
    return max((_of_column(left[name], right[name]) for name in left), default=0.0)


def _read(path: Path) -> pd.DataFrame:
    return read_parquet(path) if path.suffix == ".parquet" else read_csv(path)


def _of_column(left: pd.Series, right: pd.Series) -> float:
    import numpy as np
    import pandas as pd

    if not (left.isna() == right.isna()).all():
        return math.inf
    left, right = left.dropna(), right.dropna()
    if pd.api.types.is_numeric_dtype(left.dtype) and left.dtype != bool:
        return _largest(left.to_numpy(np.float64), right.to_numpy(np.float64))
    largest = 0.0
    for one, other in zip(left.tolist(), right.tolist(), strict=True):
        one, other = str(one), str(other)
        if one == other:
            continue
        if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
            return math.inf
        numbers = [np.array(_NUMBER.findall(text), dtype=np.float64) for text in (one, other)]
        largest = max(largest, _largest(*numbers))
    return largest


def _largest(one, other) -> float:
    import numpy as np

    unlike = one != other
    if not unlike.any():
        return 0.0
    one, other = one[unlike], other[unlike]
    if not (np.isfinite(one) & np.isfinite(other)).all():
        return math.inf
    return float((np.abs(one - other) / np.maximum(np.abs(one), np.abs(other))).max())
