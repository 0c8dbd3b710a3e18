"""Our own questions beyond chapter 4: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.search_beyond.plan import SearchBeyondPlan
from hedgerow.experiments.search_beyond.tables import (
    search_beyond_gap,
    search_beyond_progress,
    settled,
)
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged
from hedgerow.reporting.tables import MEAN


@step("datasets", "grid", "optimum_datasets")
def claims(
    optimum: pd.DataFrame,
    anytime: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
    plan: SearchBeyondPlan,
) -> pd.DataFrame:
    """Judge the questions about optimal trees, rules of selection and anytime curves.

    Parameters
    ----------
    optimum, anytime : DataFrame
        The tables of these names of `hedgerow.experiments.search_beyond.steps`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.search_beyond.statistics.statistics`.
    specification : mapping
        config/claims.yaml, as read.
    stated : DataFrame
        data/published/claims.csv.
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    """
    gap = search_beyond_gap({"optimum": optimum}, statistics, plan)
    progress = search_beyond_progress({"anytime": anytime}, plan)
    frames = {
        "gap": gap[gap["dataset"] == MEAN],
        "rules": rules(statistics),
        "curves": curves(progress),
    }
    return judged("search_beyond", frames, specification, stated)


def rules(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests of F1 in test data over data sets: method, rule, difference, p, n."""
    own = statistics[
        (statistics["part"] == "selection")
        & (statistics["metric"] == "f1")
        & (statistics["pairing"] == "datasets")
        & (statistics["correction"] == "none")
    ]
    own = own.rename(columns={"cell": "method", "first": "rule"})
    return own[["method", "rule", "difference", "p", "n"]]


def curves(progress: pd.DataFrame) -> pd.DataFrame:
    """When each curve is settled: method, criterion, budget, last_budget, share, n_datasets."""
    columns = ["method", "criterion", "budget", "last_budget"]
    found = pd.DataFrame(settled(progress), columns=[*columns, "validation_f1", "f1"])
    n = progress.loc[progress["dataset"] != MEAN].groupby("method")["dataset"].nunique()
    return found[columns].assign(
        share=found["budget"] / found["last_budget"], n_datasets=found["method"].map(n)
    )
