"""Our own questions beyond chapter 3: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import DATASETS
from hedgerow.experiments.paired import after_holm, pairs_without
from hedgerow.experiments.soft_beyond.plan import COMPARED, COMPARED_SETS
from hedgerow.experiments.soft_beyond.statistics import rows_of
from hedgerow.experiments.soft_beyond.tables import SET_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged

#: Of the tests, those that the questions are about.
PART = "noise_models"


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    sets: pd.DataFrame,
    set_statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about noise models and about sets.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.merged`.
    sets, set_statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.of_sets`.
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

    of_sets = list(COMPARED_SETS.families(sets))
    told = partial(after_holm, family=("part", *COMPARED_SETS.family))

    def without(left_out: str) -> dict[str, pd.DataFrame]:
        found = pairs_without(families, columns, left_out, read=over_data_sets)
        more = pairs_without(of_sets, [*COMPARED_SETS.key, "difference"], left_out, read=told)
        return {**found, "sets": more["statistics"]} if more else found

    read = {"statistics": _read(statistics), "sets": told(set_statistics)}
    names = sorted({*own["dataset"], *sets["dataset"]})
    return judged("soft_beyond", read, specification, stated, names, without, SET_LABELS)


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests of noise models at the largest factor, by method and model of the first."""
    own = statistics[statistics["part"] == PART]
    own = own[own["noise"] == own["noise"].max()]
    method, model = (own["first"].str.split("/").str[k] for k in range(2))
    return own.assign(difference=own["difference"].round(6), method=method, model=model)
