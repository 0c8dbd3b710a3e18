"""Our own questions beyond chapter 3: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.paired import read_without
from hedgerow.experiments.soft_beyond.statistics import statistics as tests_of
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged

#: Of the tests, those that the questions are about.
PART = "noise_models"


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about noise models.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.merged`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    own = rows[(rows["part"] == PART) & (rows["metric"] == "accuracy")]
    own = own[own["noise"] == own["noise"].max()]
    frames = partial(read_without, partial(tests_of, pairings=["datasets"]), own, read=_read)
    names, read = own["dataset"].unique(), {"statistics": _read(statistics)}
    return judged("soft_beyond", read, specification, stated, names, frames)


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests of noise models at the largest factor; differences of accuracy in points."""
    own = statistics[statistics["part"] == PART]
    own = own[own["noise"] == own["noise"].max()]
    in_points = own["difference"].where(own["metric"] != "accuracy", 100.0 * own["difference"])
    return own.assign(difference=in_points.round(6))
