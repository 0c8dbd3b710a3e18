"""Statistics of experiments 1 and 2 of the thesis.

`wilcoxon_tests` has those of tables 3.4 and 3.5. The thesis judges by accuracy and number of
leaves; the same fits also have a macro F1 score and a Brier score, which `scores` sets beside
accuracy. `comparison` asks whether the methods of one experiment differ at all over the data sets
(Friedman), and which pairs do (Nemenyi).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd

from hedgerow.evaluation import metrics, significance
from hedgerow_study.experiments.frames import sorted_
from hedgerow_study.experiments.soft.plan import (
    CELL,
    COMBINED,
    EXPERIMENTS,
    FEWEST_DATASETS,
    PRINTED,
    RECIPES,
    SCORES,
    TABLE_3_1,
    SoftPlan,
)
from hedgerow_study.experiments.step import step

# -------------------------------------------------------------------------------- statistics


def of_table_3_1(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Rows of the plan's methods on the sets of table 3.1, or on all sets where there is none."""
    rows = rows[rows["method"].isin(plan.methods)].sort_values([*CELL, "metric"])
    members = rows[rows["dataset"].isin(set(TABLE_3_1.values()))]
    return members if len(members) else rows


def wilcoxon_tests(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of every cell of tables 3.4 and 3.5 against C4.5.

    The standardised metric of each method is tested against that of C4.5 at the same noise factor
    of the same experiment, over the data sets of table 3.1 that have rows. Two pairings stand
    side by side: `datasets` pairs the means over repeats, one pair per data set, and is the
    paper's; `repeats` takes every repeat of every data set as a pair, which has more
    power and treats repeats of one data set as independent, which they are not. Each is given
    plain and Holm-corrected over the cells of its table: one experiment, and the printed methods
    apart from the combinations of our own.

    The number of leaves of SE and PLT is that of C4.5 by construction; these cells are tested
    (p = 1) but do not belong to the family that Holm's procedure corrects for.

    Returns: experiment, metric, method, noise, pairing, then the attributes of `TestResult`; two
    rows per cell and pairing, correction `none` and `holm`. `statistic`, `p` are NaN where no data
    set of table 3.1 can be standardised.
    """
    rows = sorted_(rows[rows["dataset"].isin(set(TABLE_3_1.values()))], [*CELL, "metric"])
    frames = []
    for experiment in EXPERIMENTS:
        for pairing, group in itertools.product(("datasets", "repeats"), (PRINTED[1:], COMBINED)):
            cells, results = [], []
            for metric in ("n_leaves", "accuracy"):
                paired = _in_units_of_baseline(rows, experiment, metric)
                if pairing == "datasets":
                    paired = paired.groupby(level=["noise", "dataset"]).mean()
                for method in (m for m in plan.methods if m in group):
                    for n in plan.noise_factors:
                        cells.append((experiment, f"{metric}_std", method, n, pairing))
                        results.append(_against_c45(paired, method, n))
            if cells or not frames:
                frames.append(_with_holm(cells, results))
    frame = pd.concat(frames)
    return sorted_(frame, ["experiment", "metric", "method", "noise", "pairing", "correction"])


def _in_units_of_baseline(rows: pd.DataFrame, experiment: str, metric: str) -> pd.DataFrame:
    """Values over the baseline's standard deviation; columns are methods.

    The baseline's mean cancels in differences between methods. It is left in, because it keeps
    values away from 0, where rounding would look like a real difference.
    """
    unit, _ = metrics.baseline(rows, metric)
    cells = rows[
        (rows["experiment"] == experiment)
        & (rows["metric"] == metric)
        & rows["dataset"].isin(unit.index)
    ]
    cells = cells.assign(value=cells["value"] / cells["dataset"].map(unit["std"]))
    return cells.pivot(
        index=["noise", "dataset", "repeat"], columns="method", values="value"
    ).sort_index()


def _against_c45(paired: pd.DataFrame, method: str, n: float) -> significance.TestResult:
    groups = (method, "c45")
    at_level = paired[paired.index.get_level_values("noise") == n]
    if at_level.empty:
        note = "no data set of table 3.1 can be standardised"
        return significance.TestResult("wilcoxon_signed_rank", np.nan, np.nan, 0, groups, note=note)
    return significance.wilcoxon(at_level[method].to_numpy(), at_level["c45"].to_numpy(), groups)


def _with_holm(cells: list, results: list) -> pd.DataFrame:
    """Plain and corrected results of one table, keyed by cell."""
    family = [
        i
        for i, (cell, result) in enumerate(zip(cells, results, strict=True))
        if not (cell[1] == "n_leaves_std" and RECIPES[cell[2]].learner == "c45") and result.n > 0
    ]
    columns = ["experiment", "metric", "method", "noise", "pairing"]
    keys = pd.DataFrame(cells, columns=columns)
    return significance.plain_and_holm(keys, results, family)


# -------------------------------------------------------------------------- scores and ranks


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
    """Mean over repeats of each score.

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
                results.append(_score_against_c45(at_level, method))
        keys = pd.DataFrame(cells, columns=["experiment", "metric", "method", "noise"])
        family = [i for i, result in enumerate(results) if not np.isnan(result.p)]
        frames.append(significance.plain_and_holm(keys, results, family))
    frame = pd.concat(frames)
    return frame.sort_values(
        ["experiment", "metric", "method", "noise", "correction"], ignore_index=True
    )


def _score_against_c45(at_level: pd.DataFrame, method: str) -> significance.TestResult:
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
    over repeats (fraction). One block per data set, because noise factors of one data set
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


@step("methods", "noise_factors", outputs=("statistics", "scores", "comparison"))
def statistics(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, pd.DataFrame]:
    """`wilcoxon_tests`, `scores` and `comparison`."""
    frames = {"scores": scores(rows, plan), "comparison": comparison(rows, plan)}
    return {"statistics": wilcoxon_tests(rows, plan), **frames}
