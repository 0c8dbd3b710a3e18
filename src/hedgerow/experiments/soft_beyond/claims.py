"""Our own questions beyond chapter 3: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import DATASETS
from hedgerow.experiments.paired import pairs_without
from hedgerow.experiments.soft_beyond.plan import COMPARED
from hedgerow.experiments.soft_beyond.statistics import rows_of
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
    families = list(COMPARED.families(rows_of(own)))
    columns = [*COMPARED.key, "difference"]

    def over_data_sets(tests: pd.DataFrame) -> pd.DataFrame:
        return _read(tests.assign(pairing=DATASETS))

    without = partial(pairs_without, families, columns, read=over_data_sets)
    names, read = own["dataset"].unique(), {"statistics": _read(statistics)}
    return judged("soft_beyond", read, specification, stated, names, without)


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests of noise models at the largest factor, by method and model of the first."""
    own = statistics[statistics["part"] == PART]
    own = own[own["noise"] == own["noise"].max()]
    method, model = (own["first"].str.split("/").str[k] for k in range(2))
    return own.assign(difference=own["difference"].round(6), method=method, model=model)
