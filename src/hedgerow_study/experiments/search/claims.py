"""Statements T4-01 to T4-13 of thesis 4.6: what the judge reads, measured and as printed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.search.plan import METRICS, POLICIES, SearchPlan
from hedgerow_study.experiments.search.tables import (
    best_validated,
    first_repeat,
    instances,
    naive_bayes_is_better,
    printed_cells,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import (
    hanging,
    judge,
    of_experiment,
    with_statements,
    without,
)

GROUP = ["dataset", "method", "criterion"]
UCT_BEST, UCT_VALIDATED = "uct_best", "uct_validated"


@step("datasets")
def claims(
    rows: pd.DataFrame,
    properties: pd.DataFrame,
    published: Frames,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
    plan: SearchPlan,
) -> pd.DataFrame:
    """Judge statements T4-01 to T4-13 of data/published/claims.csv.

    Returns: as returned by `hedgerow_study.reporting.claims.hanging`, then verdict_printed and
    printed (the same tests on the cells that the thesis prints: some of its statements do not
    follow from its own tables), with statements.
    """
    bound = of_experiment(specification, "search")
    frames = {"cells": measured(rows, properties, plan)}
    names = frames["cells"]["dataset"].unique()
    verdicts = hanging(judge(bound, frames), bound, names, partial(without, frames))
    theirs = judge(bound, {"cells": printed(published, plan)}, printed=True)
    verdicts = verdicts.assign(verdict_printed=theirs["verdict"], printed=theirs["measured"])
    return with_statements(verdicts, bound, statements)


def measured(rows: pd.DataFrame, properties: pd.DataFrame, plan: SearchPlan) -> pd.DataFrame:
    """Repeat 0 of the data sets of the chapter, as `cells`."""
    rows = first_repeat(rows)
    rows = rows[rows["dataset"].isin(set(plan.printed.values()))]
    wide = properties.pivot(index="dataset", columns="metric", values="value")
    naive_bayes = naive_bayes_is_better(wide).map({True: "yes", False: "no"})
    return cells(rows, rows.groupby("dataset")["n_rows"].first(), naive_bayes)


def printed(published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """What tables 4.1, 4.3, 4.5 and 4.7 print, as `cells`."""
    table = published["thesis_table_4_7"]
    of_nb = table[table["metric"] == "nb_f1_above_avg"]
    naive_bayes = of_nb.set_index(of_nb["dataset"].map(plan.printed))["value"]
    return cells(printed_cells(published, plan), instances(published, plan), naive_bayes)


def cells(rows: pd.DataFrame, sizes: pd.Series, naive_bayes: pd.Series) -> pd.DataFrame:
    """One value per data set, method, criterion and metric.

    naive_bayes: whether naive Bayes has the better F1, by data set.

    Returns: dataset, size, naive_bayes (empty where it is not known), method (also `uct_best`, the
    largest value of all variants of UCT-DT, and `uct_validated`, the values of the one with the
    best validation F1), criterion, metric, value.
    """
    metrics = [*METRICS, "search_depth"]
    rows = rows.assign(criterion=rows["criterion"].fillna(""))
    uct = rows[rows["method"].isin(list(POLICIES))]
    best = uct.groupby("dataset")[["f1", "f1_per_leaf"]].max().reset_index()
    more = [rows, best.assign(method=UCT_BEST, criterion="")]
    chosen = best_validated(uct)[["dataset", "f1", "f1_per_leaf"]]
    if len(chosen):
        more.append(chosen.assign(method=UCT_VALIDATED, criterion=""))
    whole = pd.concat([f[[*GROUP, *(m for m in metrics if m in f)]] for f in more])
    long = whole.melt(GROUP, metrics, var_name="metric").dropna(subset="value")
    return long.assign(
        size=long["dataset"].map(sizes).astype(float),
        naive_bayes=long["dataset"].map(naive_bayes).fillna(""),
        value=long["value"].astype(float),
    )
