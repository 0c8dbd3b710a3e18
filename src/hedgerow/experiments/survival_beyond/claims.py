"""Our own questions beyond chapter 6: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.paired import after_holm, read_without
from hedgerow.experiments.step import step
from hedgerow.experiments.survival_beyond.statistics import statistics as tests_of
from hedgerow.reporting.claims import judged


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
        As returned by `hedgerow.experiments.survival_beyond.statistics.statistics`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    read, frames = {"statistics": after_holm(statistics)}, partial(read_without, tests_of, measured)
    names = measured["scores"]["dataset"].unique()
    return judged("survival_beyond", read, specification, stated, names, frames)
