"""Our own questions about the best tree of a depth: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.optimal.plan import COMPARED
from hedgerow.experiments.optimal.statistics import fading, gap_closed
from hedgerow.experiments.optimal.tables import LABELS
from hedgerow.experiments.paired import after_holm, pairs_without
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about training data, test data, noise, stability, depth and quantiles.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.optimal.statistics.merged`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    told = partial(after_holm, family=("part", *COMPARED.family))
    families = [*COMPARED.families(rows), fading(rows)]

    def without(left_out: str) -> dict[str, pd.DataFrame]:
        columns = [*COMPARED.key, "difference"]
        found = pairs_without(families, columns, left_out, read=told)
        return found and {**found, "gap": gap_closed(rows[rows["dataset"] != left_out])}

    read = {"statistics": told(statistics), "gap": gap_closed(rows)}
    names = rows["dataset"].unique()
    return judged("optimal", read, specification, stated, names, without, LABELS)
