"""Our own questions beyond the paper of E2M: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import judged_pairs
from hedgerow.experiments.evidential_beyond.plan import COMPARED
from hedgerow.experiments.evidential_beyond.tables import LABELS
from hedgerow.experiments.step import step


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about other answers to doubt, intervals, votes and misjudged doubt.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.statistics.merged`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    return judged_pairs(
        "evidential_beyond", COMPARED, rows, statistics, specification, stated, LABELS
    )
