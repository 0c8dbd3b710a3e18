"""Statements T3-01 to T3-11 of thesis 3.4.2: what the judge reads of experiments 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.evaluation.metrics import standardised
from hedgerow_study.experiments.soft.plan import PRINTED, TABLE_3_1
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import judged

#: Metrics that statements speak of, each with the factor to its unit (accuracy: per cent).
METRICS = {"accuracy": 100.0, "n_leaves": 1.0}
CELL = ["experiment", "dataset", "noise", "method"]


@step()
def claims(
    rows: pd.DataFrame, specification: Mapping[str, Any], statements: pd.DataFrame
) -> pd.DataFrame:
    """Judge statements T3-01 to T3-11 of data/published/claims.csv.

    Returns: as returned by `hedgerow_study.reporting.claims.judge`, with statements.
    """
    return _judged(rows, None, specification, statements)


@step()
def with_times(
    rows: pd.DataFrame,
    times: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """As `claims`, with running times, which no result of a run may depend on.

    Without them T3-09 is inconclusive where they could decide.
    """
    key = ["experiment", "dataset", "method", "noise"]
    seconds = times.groupby(key, as_index=False)["seconds"].mean()
    return _judged(rows, seconds, specification, statements)


def _judged(
    rows: pd.DataFrame,
    times: pd.DataFrame | None,
    specification: Mapping[str, Any],
    published: pd.DataFrame,
) -> pd.DataFrame:
    whole = means(rows)

    def frames(left_out: str = "") -> dict[str, pd.DataFrame]:
        inputs = {"rows": whole[whole["dataset"] != left_out]}
        if times is not None:
            remaining = times[times["dataset"] != left_out]
            seconds = remaining.groupby("method")["seconds"].mean()
            inputs["times"] = seconds.rename("value").reset_index()
        return inputs

    names = whole["dataset"].unique()
    return judged("soft", frames(), specification, published, names, frames)


def means(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over repeats per data set of table 3.1: the unit of every test here.

    Returns: experiment, dataset, noise, method, metric, value; metrics are accuracy (per cent),
    n_leaves, and both with `_std`, in standard deviations of C4.5 without added noise.
    """
    rows = rows[rows["dataset"].isin(set(TABLE_3_1.values())) & rows["method"].isin(PRINTED)]
    frames = []
    for metric, to_unit in METRICS.items():
        selected = rows[rows["metric"] == metric]
        frames.append(_mean(selected).assign(metric=metric))
        frames[-1]["value"] *= to_unit
        if len(selected):
            of_metric, _ = standardised(rows, metric)
            frames.append(_mean(of_metric).assign(metric=f"{metric}_std"))
    return pd.concat(frames, ignore_index=True)


def _mean(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.groupby(CELL, as_index=False)["value"].mean()
