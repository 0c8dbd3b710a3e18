"""Statements of Katz and others: what the judge reads, measured and as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from hedgerow_study.experiments.confidence.plan import (
    AFFECTED_METRICS,
    CRITERIA,
    NO_TREE,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.confidence.statistics import independent_datasets, kind_of
from hedgerow_study.experiments.confidence.statistics import statistics as tests_of
from hedgerow_study.experiments.confidence.tables import LABELS, gains_by_share
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import hanging, judge, of_experiment, with_statements

_OF_SHARES = ["dataset", "share", "method", "kind", "value"]


@step("affected", "datasets", "tree")
def claims(
    rows: pd.DataFrame,
    facts: pd.DataFrame,
    gains: pd.DataFrame,
    sizes: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
    plan: ConfidencePlan,
) -> pd.DataFrame:
    """Judge the statements of data/published/claims.csv on ConfDTree.

    Returns: as returned by `hedgerow_study.reporting.claims.hanging` for the base tree of the plan,
    with statements; then verdict_<tree> and <tree> (what was measured) for each of the other base
    trees.
    """
    bound = of_experiment(specification, "confidence")
    sets = independent_datasets(plan, facts["dataset"].tolist())
    kinds = kind_of(facts)
    # Statements name a row of the paper by the first of the sets that fit it.
    row_of = {name: names[0] for names in plan.printed.values() for name in names}

    def frames(tree: str, names: Sequence[str], tests: pd.DataFrame) -> dict[str, pd.DataFrame]:
        rows_of_tree = rows[rows["tree"].isin([tree, NO_TREE]) & rows["dataset"].isin(names)]
        keys = ["dataset", "method", "metric"]
        means = rows_of_tree.groupby(keys, as_index=False)["value"].mean()
        # The statement is about the interpretation that the tables have.
        chosen = AFFECTED_METRICS[plan.affected]
        means = means[
            (means["metric"] == chosen) | ~means["metric"].isin(AFFECTED_METRICS.values())
        ]
        means = means.replace({"metric": {chosen: "affected"}})
        gain = gains[(gains["tree"] == tree) & (gains["criterion"] == CRITERIA[0])]
        gain = gain[gain["dataset"].isin(names)]
        long = gain[["dataset", "method", "gain"]].rename(columns={"gain": "value"})
        versions = gain[gain["method"].isin(VERSIONS)]
        ranks = versions.groupby("dataset")["gain"].rank(ascending=False)
        of_ranks = versions[["dataset", "method"]].assign(value=ranks, metric="rank")
        values = pd.concat([means, long.assign(metric="gain"), of_ranks], ignore_index=True)
        shares = gains_by_share(sizes[sizes["tree"] == tree])
        shares = shares[shares["dataset"].isin(names)].rename(columns={"gain": "value"})
        shares = shares.assign(
            kind=shares["dataset"].map(kinds), dataset=shares["dataset"].replace(row_of)
        )[_OF_SHARES]
        return {"rows": values, "tests": tests[tests["tree"] == tree], "shares": shares}

    of_tree = {"rows": rows[rows["tree"] == plan.tree], "gains": gains[gains["tree"] == plan.tree]}

    def without(left_out: str) -> dict[str, pd.DataFrame]:
        others = [name for name in sets if name != left_out]
        # Of two sets that fit one row of the paper the second does not stand in for the first.
        rest = {n: f[f["dataset"].isin(others)] for n, f in {**of_tree, "facts": facts}.items()}
        return frames(plan.tree, others, tests_of(**rest, plan=plan)) if others else {}

    table = hanging(judge(bound, frames(plan.tree, sets, statistics), LABELS), bound, sets, without)
    for tree in TREES:
        if tree != plan.tree:
            other = judge(bound, frames(tree, sets, statistics), LABELS)
            table[f"verdict_{tree}"], table[tree] = other["verdict"], other["measured"]
    return with_statements(table, bound, statements)
