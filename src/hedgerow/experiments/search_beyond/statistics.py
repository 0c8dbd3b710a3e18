"""Statistics of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from hedgerow.experiments.frames import joined
from hedgerow.experiments.search_beyond.plan import (
    COMPARED,
    METRICS_OF_RULES,
    OBJECTIVES,
    OPTIMA,
)
from hedgerow.experiments.search_beyond.steps import merge
from hedgerow.experiments.step import step


def comparable(rows: pd.DataFrame, objective: str) -> pd.DataFrame:
    """Rows of the data sets and depths that have the optimum of an objective.

    So that all averages of one objective are over the same sets. Learners that are optimal by
    another objective are left out. Without any optimum all rows are returned.

    Parameters
    ----------
    rows : DataFrame, table `optimum`
    objective : key of `OBJECTIVES`

    Returns
    -------
    DataFrame
    """
    others = {"optimal_f1_labels", "optimal_validation"}
    own = {OBJECTIVES[objective]} | (others if objective == "f1" else set())
    rows = rows[~rows["learner"].isin(set(OPTIMA) - own)]
    key = ["dataset", "depth"]
    there = rows.loc[rows["learner"] == OBJECTIVES[objective], key].drop_duplicates()
    return rows.merge(there, on=key) if len(there) else rows


def rows_of(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All that is compared, in one table.

    Parameters
    ----------
    tables : mapping of DataFrame
        `optimum` and `selection`.

    Returns
    -------
    DataFrame
        part (of `COMPARED`), dataset, split, cell (depth, or policy), method (learner and the rows
        that it learns from, or rule), metric, value.
    """
    columns = ["part", "dataset", "split", "cell", "method", "metric", "value"]
    rules = tables["selection"].rename(columns={"method": "cell", "rule": "method"})
    rules = rules.melt(columns[1:5], list(METRICS_OF_RULES), "metric")
    frames = [rules.assign(part="selection")[columns]]
    for objective in OBJECTIVES:
        own = comparable(tables["optimum"], objective)
        metric = f"{objective}_test"
        learners = own.assign(
            part="optimum",
            cell=own["depth"].astype(str),
            method=own["learner"] + "/" + own["trained_on"],
            metric=metric,
            value=own[metric],
        )
        frames.append(learners[columns])
    return joined(frames, columns[:-1])


@step(makes=("optimum", "thresholds", "selection", "anytime", "statistics"))
def merged(
    optimum: Sequence[pd.DataFrame],
    thresholds: Sequence[pd.DataFrame],
    selection: Sequence[pd.DataFrame],
    anytime: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks and data sets, and the tests of their rows.

    Parameters
    ----------
    optimum, thresholds, selection, anytime : sequence of DataFrame
        As the functions of these names in `hedgerow.experiments.search_beyond.steps` return them.

    Returns
    -------
    dict of DataFrame
    """
    parts = {
        "optimum": optimum,
        "thresholds": thresholds,
        "selection": selection,
        "anytime": anytime,
    }
    whole = {name: merge(frames, name) for name, frames in parts.items()}
    return {**whole, "statistics": COMPARED.statistics(rows_of(whole))}
