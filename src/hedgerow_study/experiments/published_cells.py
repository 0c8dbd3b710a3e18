"""What a printed cell says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

#: Columns that name a printed cell, in all files of data/published but claims.csv.
KEY = ["table", "dataset", "method", "criterion", "noise", "metric"]
#: Published tables by their ids, every cell a text as it is printed.
Printed: TypeAlias = "Mapping[str, pd.DataFrame]"


def cells_of(published: pd.DataFrame) -> pd.Series:
    """Printed cells of a table as texts, by data set, method, criterion and metric."""
    cells = published.fillna({"method": "", "criterion": ""})
    return cells.set_index(["dataset", "method", "criterion", "metric"])["value"]


def published_number(text) -> float:
    """The value of a printed cell: a fraction or a number; a bound is its number, a dash nothing.

    >>> [published_number(text) for text in ("3/5", "<.001", ">12.4", "-")]
    [0.6, 0.001, 12.4, nan]
    """
    text = str(text).strip().lstrip("<>")
    return math.nan if text in ("-", "nan", "") else float(Fraction(text))
