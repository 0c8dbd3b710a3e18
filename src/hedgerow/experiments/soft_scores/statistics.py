"""Beyond the paper: other scores of experiments 1 and 2, and all methods ranked at once.

The thesis reports accuracy and number of leaves. The same fits also have a macro F1 score and a
Brier score; `scores` sets them beside accuracy. `comparison` asks whether the methods of one
experiment differ at all over the data sets (Friedman), and which pairs do (Nemenyi).

As in the tables of the thesis, averages and tests are over the data sets of table 3.1; where a
configuration holds none of them, over all of its data sets.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.experiments.soft.plan import EXPERIMENTS, TABLE_3_1, SoftPlan
from hedgerow.experiments.soft.statistics import of_table_3_1
from hedgerow.experiments.soft_scores.plan import FEWEST_DATASETS, SCORES
from hedgerow.experiments.step import step


def too_few(n_datasets: int, methods: Iterable[str]) -> str:
    """Why there is nothing to test, or an empty text."""
    if len(tuple(methods)) < 2:
        return "no method besides c45"
    if n_datasets < FEWEST_DATASETS:
        return f"{n_datasets} data sets, tested from {FEWEST_DATASETS} on"
    return ""


def missing(rows: pd.DataFrame) -> str:
    """Sets of table 3.1 without rows, separated by semicolons."""
    return ";".join(d for d in TABLE_3_1.values() if d not in set(rows["dataset"]))


def score_means(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Mean over permutations of each score.

    Returns: indexed by experiment, metric, noise and dataset, one column per method.
    """
    rows = of_table_3_1(rows, plan)
    cells = rows[rows["metric"].isin(list(SCORES))]
    means = cells.groupby(["experiment", "metric", "noise", "dataset", "method"])["value"].mean()
    wide = means.unstack("method")
    return wide[[m for m in plan.methods if m in wide]]


def scores(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of each score against C4.5, over data sets.

    Returns: experiment, metric, method, noise, then the attributes of `TestResult`; two rows per
    cell, correction `none` and `holm` (over all cells of one experiment). With fewer than three
    data sets p is NaN and the note says so.
    """
    means = score_means(rows, plan)
    frames = []
    for experiment in EXPERIMENTS:
        cells, results = [], []
        of_experiment = means[means.index.get_level_values("experiment") == experiment]
        for (_, metric, noise), at_level in of_experiment.groupby(
            level=["experiment", "metric", "noise"]
        ):
            for method in means.columns.drop("c45"):
                cells.append((experiment, metric, method, noise))
                results.append(_against_c45(at_level, method))
        keys = pd.DataFrame(cells, columns=["experiment", "metric", "method", "noise"])
        family = [i for i, result in enumerate(results) if not np.isnan(result.p)]
        frames.append(significance.plain_and_holm(keys, results, family))
    frame = pd.concat(frames)
    return frame.sort_values(
        ["experiment", "metric", "method", "noise", "correction"], ignore_index=True
    )


def _against_c45(at_level: pd.DataFrame, method: str) -> significance.TestResult:
    groups = (method, "c45")
    note = too_few(len(at_level), groups)
    if note:
        return significance.TestResult(
            "wilcoxon_signed_rank", np.nan, np.nan, len(at_level), groups, note=note
        )
    return significance.wilcoxon(at_level[method].to_numpy(), at_level["c45"].to_numpy(), groups)


def blocks(rows: pd.DataFrame, experiment: str, plan: SoftPlan) -> pd.DataFrame:
    """Accuracy of each method on each data set, the blocks of Friedman's test.

    Returns: one row per data set, one column per method: mean over the noise factors of the mean
    over permutations (fraction). One block per data set, because noise factors of one data set
    share their splits and are not independent.
    """
    means = score_means(rows, plan)
    at = (means.index.get_level_values("experiment") == experiment) & (
        means.index.get_level_values("metric") == "accuracy"
    )
    return means[at].groupby(level="dataset").mean()


def comparison(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Friedman's test of all methods and Nemenyi's of every pair, per experiment, on accuracy.

    Returns: experiment, rank_first and rank_second (mean ranks of the pair, 1 for the most
    accurate; NaN for Friedman's test), critical_difference (at .05), the attributes of
    `TestResult`, and missing (sets of table 3.1 without rows, separated by semicolons). With fewer
    than three data sets or two methods, one row per experiment without p, whose note says so.
    """
    frames = []
    for experiment in EXPERIMENTS:
        values = blocks(rows, experiment, plan)
        methods = tuple(values.columns)
        note = too_few(len(values), methods)
        if note:
            results = [
                significance.TestResult("friedman", np.nan, np.nan, len(values), methods, note=note)
            ]
        else:
            table = values.to_numpy()
            results = [
                significance.friedman(table, methods),
                *significance.nemenyi(table, methods),
            ]
        frame = significance.to_frame(results)
        pairs = frame["name"] == "nemenyi"
        mean = {}
        if not note:
            of_block = significance.ranks(values.to_numpy(), methods)
            mean = dict(zip(methods, of_block.mean(axis=0), strict=True))
            least = significance.critical_difference(len(methods), len(values))
        groups = frame["groups"].str.split("|")
        frame.insert(0, "critical_difference", least if mean else np.nan)
        frame.insert(0, "rank_second", groups.str[1].map(mean).where(pairs).astype(float))
        frame.insert(0, "rank_first", groups.str[0].map(mean).where(pairs).astype(float))
        frame.insert(0, "experiment", experiment)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True).assign(missing=missing(rows))


@step("methods", makes=("scores", "comparison"))
def statistics(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, pd.DataFrame]:
    """`scores` and `comparison` by their names."""
    return {"scores": scores(rows, plan), "comparison": comparison(rows, plan)}
