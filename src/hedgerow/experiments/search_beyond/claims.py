"""Our own questions beyond chapter 4: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import DATASETS
from hedgerow.experiments.search_beyond.plan import COMPARED, SearchBeyondPlan
from hedgerow.experiments.search_beyond.statistics import rows_of
from hedgerow.experiments.search_beyond.tables import (
    search_beyond_gap,
    search_beyond_progress,
    settled,
)
from hedgerow.experiments.step import step
from hedgerow.reporting.claims import judged
from hedgerow.reporting.tables import MEAN

#: Nothing is read of tests over splits.
OVER_DATA_SETS = replace(COMPARED, each="")


@step("datasets", "grid", "optimum_datasets")
def claims(
    measured: Mapping[str, pd.DataFrame],
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
    plan: SearchBeyondPlan,
) -> pd.DataFrame:
    """Judge the questions about optimal trees, rules of selection and anytime curves.

    Parameters
    ----------
    measured : mapping of DataFrame
        optimum, selection and anytime of `hedgerow.experiments.search_beyond.steps`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.search_beyond.statistics.merged`.
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

    def without(left_out: str) -> dict[str, pd.DataFrame]:
        own = {name: frame[frame["dataset"] != left_out] for name, frame in measured.items()}
        if not any(map(len, own.values())):
            return {}
        tests = OVER_DATA_SETS.statistics(rows_of(own)).assign(pairing=DATASETS)
        return frames_of(own, tests, plan)

    names = set().union(*(frame["dataset"] for frame in measured.values()))
    read = frames_of(measured, statistics, plan)
    return judged("search_beyond", read, specification, stated, names, without)


def frames_of(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> dict[str, pd.DataFrame]:
    """What the judge reads: `gap`, `rules` and `curves`."""
    gap = search_beyond_gap({"optimum": tables["optimum"]}, statistics, plan)
    progress = search_beyond_progress({"anytime": tables["anytime"]}, plan)
    return {
        "gap": gap[gap["dataset"] == MEAN],
        "rules": rules(statistics),
        "curves": curves(progress),
    }


def rules(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests of F1 in test data over data sets: method, rule, difference, p, n."""
    own = statistics[
        (statistics["part"] == "selection")
        & (statistics["metric"] == "f1")
        & (statistics["pairing"] == DATASETS)
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
