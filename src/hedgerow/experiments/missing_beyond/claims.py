"""Our own questions beyond the paper of EIG: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import judged_pairs
from hedgerow.experiments.missing_beyond.plan import COMPARED
from hedgerow.experiments.missing_beyond.statistics import of_guesses
from hedgerow.experiments.missing_beyond.tables import LABELS
from hedgerow.experiments.step import step


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about mechanisms, imputers, other learners, pruning, real gaps, noise.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.statistics.merged`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    more = (of_guesses(rows),)
    return judged_pairs(
        "missing_beyond", COMPARED, rows, statistics, specification, stated, LABELS, more
    )
