"""Statistics of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow_study.experiments.frames import concat_sorted
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.noise_models.plan import COMPARED, ORDER, POOLED


def rows_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as they are compared.

    Methods are named with their models; origin is the family that was drawn. Rows of families in
    which the matching model is another than the normal one are there once more in the family
    `all_families`. Leaves of SE, which are those of C4.5, are left out.
    """
    rows = rows[(rows["method"] != "se") | (rows["metric"] != "n_leaves")]
    named = rows["method"] + "/" + rows["model"]
    rows = rows.assign(method=named, origin=rows["family"]).drop(columns="model")
    others = ~rows["family"].isin(["normal", "none"])
    return pd.concat([rows, rows[others].assign(family=POOLED)], ignore_index=True)


@step(outputs=("rows", "statistics"))
def merged(rows: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Rows of all chunks and data sets, and their tests."""
    whole = concat_sorted(rows, ORDER)
    return {"rows": whole, "statistics": COMPARED.statistics(rows_of(whole))}
