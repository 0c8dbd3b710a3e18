"""Our own questions beyond chapter 5: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.paired import after_holm
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged

#: What texts call the values of columns.
LABELS = {
    "distance_a1": "edit distance A1",
    "distance_b2": "edit distance B2",
    "relative_a1": "A1 per test",
    "relative_b2": "B2 per test",
}


@step()
def claims(
    statistics: pd.DataFrame, specification: Mapping[str, Any], stated: pd.DataFrame
) -> pd.DataFrame:
    """Judge the questions about distances, ensembles and stability.

    Parameters
    ----------
    statistics : DataFrame
        As returned by `hedgerow.experiments.structure_beyond.statistics.statistics`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    pool_and_k = statistics["cell"].astype(str).str.extract(r"^(\w+)/(\d+)$")
    own = statistics.assign(pool=pool_and_k[0].fillna(""), k=pool_and_k[1].fillna(0).astype(int))
    return judged(
        "structure_beyond", {"statistics": after_holm(own)}, specification, stated, LABELS
    )
