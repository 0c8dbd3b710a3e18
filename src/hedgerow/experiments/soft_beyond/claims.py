"""Our own questions beyond chapter 3: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged


@step()
def claims(
    statistics: pd.DataFrame, specification: Mapping[str, Any], stated: pd.DataFrame
) -> pd.DataFrame:
    """Judge the questions about noise models.

    Parameters
    ----------
    statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.statistics`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    own = statistics[statistics["part"] == "noise_models"]
    own = own[own["noise"] == own["noise"].max()]
    in_points = own["difference"].where(own["metric"] != "accuracy", 100.0 * own["difference"])
    frames = {"statistics": own.assign(difference=in_points.round(6))}
    return judged("soft_beyond", frames, specification, stated)
