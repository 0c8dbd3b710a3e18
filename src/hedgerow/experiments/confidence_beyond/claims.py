"""Our own questions beyond the paper of ConfDTree: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import judged_pairs
from hedgerow.experiments.confidence_beyond.plan import COMPARED
from hedgerow.experiments.confidence_beyond.tables import BASES, METHODS
from hedgerow.experiments.step import step


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about parts of the gain, learners, categories, probabilities, settings.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.statistics.merged`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    labels = {**BASES, **METHODS}
    return judged_pairs(
        "confidence_beyond", COMPARED, rows, statistics, specification, stated, labels
    )
