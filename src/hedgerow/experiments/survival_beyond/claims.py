"""Our own questions beyond chapter 6: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import judged_pairs
from hedgerow.experiments.step import step
from hedgerow.experiments.survival_beyond.plan import COMPARED
from hedgerow.experiments.survival_beyond.statistics import rows_of


@step()
def claims(
    measured: Mapping[str, pd.DataFrame],
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about models, weights, measurements and stability.

    Parameters
    ----------
    measured : mapping of DataFrame
        scores, weights, measurement and stability, all cohorts.
    statistics : DataFrame
        As returned by `hedgerow.experiments.survival_beyond.statistics.merged`.
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
        "survival_beyond", COMPARED, rows_of(measured), statistics, specification, stated, {}
    )
