"""Our own questions beyond the paper of EIG: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.missing_beyond.plan import TEST
from hedgerow.experiments.missing_beyond.statistics import families_of
from hedgerow.experiments.missing_beyond.tables import LABELS
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
    read, frames = (
        {"statistics": after_holm(statistics)},
        partial(pairs_without, list(families_of(rows)), TEST),
    )
    names = rows["dataset"].unique()
    return judged("missing_beyond", read, specification, stated, names, frames, LABELS)
