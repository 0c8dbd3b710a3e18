"""Our own questions beyond chapter 5: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.paired import holm_corrected, statistics_without_dataset
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.diverse_trees.plan import COMPARED, TEST
from hedgerow_study.extensions.diverse_trees.statistics import rows_of
from hedgerow_study.reporting.claims import judged


@step()
def claims(
    measured: Frames,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about distances and ensembles."""
    families = list(COMPARED.families(rows_of(measured)))
    frames = partial(statistics_without_dataset, families, TEST, read=_read)
    names = set().union(*(frame["dataset"] for frame in measured.values()))
    read = {"statistics": _read(statistics)}
    return judged("diverse_trees", read, specification, statements, names, frames, {})


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests after Holm's correction; the cell of an ensemble as pool and k."""
    pool_and_k = statistics["cell"].astype(str).str.extract(r"^(\w+)/(\d+)$")
    tests = statistics.assign(pool=pool_and_k[0].fillna(""), k=pool_and_k[1].fillna(0).astype(int))
    return holm_corrected(tests)
