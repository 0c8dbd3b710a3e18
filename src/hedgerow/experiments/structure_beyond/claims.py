"""Our own questions beyond chapter 5: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.experiments.paired import after_holm, pairs_without
from hedgerow.experiments.step import step
from hedgerow.experiments.structure_beyond.plan import COMPARED, TEST
from hedgerow.experiments.structure_beyond.statistics import rows_of
from hedgerow.reporting.claims import judged

#: What texts call the values of columns.
LABELS = {
    "distance_a1": "edit distance A1",
    "distance_b2": "edit distance B2",
    "relative_a1": "A1 per test",
    "relative_b2": "B2 per test",
}


@step()
def claims(
    measured: Mapping[str, pd.DataFrame],
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about distances, ensembles and stability.

    Parameters
    ----------
    measured : mapping of DataFrame
        closeness, scores, ensembles and stability, all data sets.
    statistics : DataFrame
        As returned by `hedgerow.experiments.structure_beyond.statistics.statistics`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    families = list(COMPARED.families(rows_of(measured, "questions", "ensembles", "stability")))
    frames = partial(pairs_without, families, TEST, read=_read)
    names = set().union(*(frame["dataset"] for frame in measured.values()))
    read = {"statistics": _read(statistics)}
    return judged("structure_beyond", read, specification, stated, names, frames, LABELS)


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests after Holm's correction; the cell of an ensemble as pool and k."""
    pool_and_k = statistics["cell"].astype(str).str.extract(r"^(\w+)/(\d+)$")
    own = statistics.assign(pool=pool_and_k[0].fillna(""), k=pool_and_k[1].fillna(0).astype(int))
    return after_holm(own)
