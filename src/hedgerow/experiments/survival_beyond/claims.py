"""Our own questions beyond chapter 6: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged


@step()
def claims(
    statistics: pd.DataFrame, specification: Mapping[str, Any], stated: pd.DataFrame
) -> pd.DataFrame:
    """Judge the questions about models, weights, measurements and stability.

    Parameters
    ----------
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
    # What could not be seen after the correction is neither there nor not there.
    own = statistics[statistics["correction"] == "holm"]
    own = own.assign(difference=own["difference"].round(9))
    own["least"] = own.groupby(["part", "metric"])["n"].transform(significance.smallest_holm)
    return judged("survival_beyond", {"statistics": own}, specification, stated)
