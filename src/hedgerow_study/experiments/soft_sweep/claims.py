"""Statement T3-12 of thesis 3.4.2: what the judge reads of the sweep of the pruning confidence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow_study.experiments.soft_sweep.plan import SweepPlan
from hedgerow_study.experiments.soft_sweep.tables import soft_sweep_ranges
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import judged, without

KEY = ["dataset", "noise", "range", "method"]


@step("datasets")
def claims(
    rows: pd.DataFrame, specification: Mapping[str, Any], statements: pd.DataFrame, plan: SweepPlan
) -> pd.DataFrame:
    """Judge statement T3-12 of data/published/claims.csv.

    Returns: as returned by `hedgerow_study.reporting.claims.judge`, with statements.
    """
    return of_ranges(soft_sweep_ranges(rows, plan), specification, statements)


def of_ranges(
    ranges: pd.DataFrame, specification: Mapping[str, Any], published: pd.DataFrame
) -> pd.DataFrame:
    """As `claims`, from the table soft_sweep_ranges."""
    run = ranges[ranges["status"] == "run"]
    values = run.melt(KEY, ["leaves_diff", "accuracy_diff", "accuracy_kept"], var_name="metric")
    values["value"] = values["value"].astype(float)
    frames, names = {"ranges": values}, values["dataset"].unique()
    return judged("soft_sweep", frames, specification, published, names, partial(without, frames))
