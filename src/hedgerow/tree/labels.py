"""Labels of categories: the same texts, whatever kind of column they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def codes_in(column: pd.Series, labels: list) -> np.ndarray:
    """Codes of categories, (n,) float64: NaN where there is none, and a new one for new labels."""
    codes = {text_of(label): float(code) for code, label in enumerate(labels)}
    # Labels that are texts already: "1.0" is the 1 of `texts_of`, where no other label is.
    for text, code in list(codes.items()):
        codes.setdefault(text.removesuffix(".0"), code)
    codes[""] = np.nan
    return np.array([codes.get(text, float(len(labels))) for text in texts_of(column)])


def texts_of(column: pd.Series) -> list[str]:
    """Cells as texts, whole numbers without a point; "" where there is none."""
    import pandas as pd

    if pd.api.types.is_float_dtype(column.dtype) and not (column.dropna() % 1).any():
        column = column.astype("Int64")  # whole numbers, of which some are missing
    return column.astype(object).where(column.notna(), "").astype(str).tolist()


def text_of(label) -> str:
    """A label as `texts_of` gives it."""
    return str(int(label)) if isinstance(label, float) and label % 1 == 0 else str(label)
