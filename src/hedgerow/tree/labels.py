"""Labels of categories, whatever kind of column they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.errors import warn_user

if TYPE_CHECKING:
    import pandas as pd


def codes_in(column: pd.Series, labels: Sequence[Any], name: Any = None) -> np.ndarray:
    """Codes of categories, (n,) float64: NaN where a value is missing, a new code for new labels.

    Labels match by value (1, 1.0 and True are one), else by text: "1" is 1, since files and trees
    in JSON have texts. A warning says where a column holds no label at all.

    name : of the column, for the warning; None for none
    """
    import pandas as pd

    by_value = {label: code for code, label in enumerate(labels)}
    by_text: dict[str, int] = {}
    for code, label in enumerate(labels):
        by_text.setdefault(text_of(label), code)
    # Labels that are texts already: "1.0" is the 1 of a column, where no other label is.
    for text, code in list(by_text.items()):
        by_text.setdefault(text.removesuffix(".0"), code)

    def code_of(value: Any) -> int:
        try:
            code = by_value.get(value)
        except TypeError:  # a list, say, has no hash
            code = None
        return by_text.get(text_of(value), len(labels)) if code is None else code

    places, values = pd.factorize(column)
    codes = np.array([*map(code_of, values), np.nan])  # the last one is that of the place -1
    if name is not None and len(values) and (codes[:-1] == len(labels)).all():
        shown = ", ".join(repr(text_of(label)) for label in labels[:3])
        warn_user(
            f"no value of column {name!r} is a category that training has seen: it holds "
            f"{text_of(values[0])!r}, and the categories are {shown}"
            f"{', ...' if len(labels) > 3 else ''}"
        )
    return codes[places]


def texts_of(column: pd.Series) -> list[str]:
    """Cells as texts, whole numbers without a point; "" where there is none."""
    import pandas as pd

    if pd.api.types.is_float_dtype(column.dtype) and not (column.dropna() % 1).any():
        column = column.astype("Int64")  # whole numbers, of which some are missing
    return column.astype(object).where(column.notna(), "").astype(str).tolist()


def text_of(label: Any) -> str:
    """A label as `texts_of` gives it."""
    return str(int(label)) if isinstance(label, float) and label % 1 == 0 else str(label)
