"""Our own questions beyond the paper of E2M: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.evidential_beyond.statistics import statistics as tests_of
from hedgerow.experiments.evidential_beyond.tables import LABELS
from hedgerow.experiments.paired import after_holm, read_without
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged


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
    read, frames = {"statistics": after_holm(statistics)}, partial(read_without, tests_of, rows)
    names = rows["dataset"].unique()
    return judged("evidential_beyond", read, specification, stated, names, frames, LABELS)
