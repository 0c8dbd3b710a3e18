"""Tables of scores and ranks beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hedgerow.experiments.behind import tested
from hedgerow.experiments.compared import MEASURED
from hedgerow.experiments.soft.plan import EXPERIMENTS, METHODS, SoftPlan
from hedgerow.experiments.soft.statistics import of_table_3_1
from hedgerow.experiments.soft_scores.plan import SCORES
from hedgerow.experiments.soft_scores.statistics import missing, score_means, too_few
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows

#: Unit of each score's difference and the factor to it.
UNITS = {
    "accuracy": ("percentage_points", 100.0),
    "macro_f1": ("percentage_points", 100.0),
    "brier": ("score", 1.0),
}


# ------------------------------------------------------------------------------------ tables


def said(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    used = sorted(set(of_table_3_1(rows, plan)["dataset"]))
    ran = (
        f"Over {len(used)} data sets ({', '.join(used)}), {plan.n_permutations} train-test "
        f"permutations each, configuration {plan.configuration}."
    )
    return {"ran": ran, "n_factors": str(len(plan.noise_factors))}


def behind_scores(table: pd.DataFrame, rows: pd.DataFrame, plan: SoftPlan) -> Iterator[Cell]:
    """Differences to C4.5 over the data sets of table 3.1, and their tests."""
    sets = sorted(set(of_table_3_1(rows, plan)["dataset"]))
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["noise"]):
            continue
        own = {name: line[name] for name in ("experiment", "metric", "noise")}
        where = {**own, "dataset": sets}
        pair = tuple(Rows("rows", {**where, "method": line[m]}) for m in ("first", "second"))
        times, by = UNITS[line["metric"]][1], ("dataset", "permutation")
        for name, side in zip(("mean_first", "mean_second"), pair, strict=True):
            yield Cell(row, name, "mean_of_means", (side,), times, by[:1])
        yield Cell(row, "difference", "mean_difference", pair, times, by)
        yield from tested(row, line, {**own, "method": line["first"]})


def behind_ranks(table: pd.DataFrame, comparison: pd.DataFrame) -> Iterator[Cell]:
    """Ranks and tests as they were worked out."""
    columns = ("rank_first", "rank_second", "statistic", "p", "critical_difference")
    groups = comparison["groups"].tolist()
    for row, line in enumerate(table.to_dict("records")):
        own = {"experiment": line["experiment"], "name": line["name"], "groups": groups[row]}
        for column in columns:
            if pd.notna(line[column]):
                yield Cell(row, column, "value", (Rows("comparison", own, column),))


@table(
    "Macro F1 and Brier score",
    caption="Mean over data sets of the difference to C4.5 at the same noise factor; accuracy and "
    "macro F1 in points of %, Brier score (sum of squares over the classes, less is better) as it "
    "is. Wilcoxon signed-rank test over data sets. {ran}",
    words=said,
    behind=behind_scores,
)
def soft_scores(rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Accuracy, macro F1 and Brier score of every method as differences to C4.5.

    Returns: experiment, metric, unit (the Brier score is a sum of squares between 0 and 2, less is
    better), noise, first (method), second (`c45`), mean_first, mean_second, difference (means over
    data sets), wins, losses (data sets on which the first is better and worse), n_datasets, p
    (Wilcoxon over data sets), p_holm (over the cells of one experiment), note, absent (sets of
    table 3.1 that were not run, separated by semicolons). Without a method besides C4.5, one row
    per experiment that says so.
    """
    means = score_means(rows, plan)
    found = []
    for experiment in EXPERIMENTS:
        if len(means.columns) < 2:
            found.append({"experiment": experiment, "note": too_few(0, means.columns)})
        for metric, higher in SCORES.items():
            unit, to_unit = UNITS[metric]
            for method in means.columns.drop("c45"):
                for noise in plan.noise_factors:
                    cell = means.xs((experiment, metric, noise), level=[0, 1, 2])
                    difference = cell[method] - cell["c45"]
                    # What differs by rounding only is neither better nor worse.
                    sign = np.sign(difference.round(12)) * (1 if higher else -1)
                    row = {"experiment": experiment, "metric": metric, "unit": unit}
                    row |= {"noise": noise, "first": method, "second": "c45"}
                    row |= {"mean_first": cell[method].mean() * to_unit}
                    row |= {"mean_second": cell["c45"].mean() * to_unit}
                    row |= {"difference": difference.mean() * to_unit, "n_datasets": len(cell)}
                    row |= {"wins": int((sign > 0).sum()), "losses": int((sign < 0).sum())}
                    found.append(row | _tests(statistics, experiment, metric, method, noise))
    columns = ["experiment", "metric", "unit", "noise", "first", "second", *MEASURED, "note"]
    table = pd.DataFrame(found).reindex(columns=columns).assign(absent=missing(rows))
    counts = ["wins", "losses", "n_datasets"]
    table[counts] = table[counts].astype("Int64")
    means = ["mean_first", "mean_second", "difference"]
    numbers = ["noise", *means, "p", "p_holm"]
    table[numbers] = table[numbers].astype(float)
    table[means] = table[means].round(6) + 0.0
    return table


def _tests(statistics: pd.DataFrame, *cell) -> dict:
    at = (statistics[["experiment", "metric", "method", "noise"]] == list(cell)).all(axis=1)
    by_correction = statistics[at].set_index("correction")
    return {
        "p": by_correction.loc["none", "p"],
        "p_holm": by_correction.loc["holm", "p"],
        "note": by_correction.loc["none", "note"],
    }


@table(
    "Mean ranks and their tests",
    caption="Mean ranks by accuracy and tests behind the critical-difference diagram. {ran}",
    words=said,
    behind=behind_ranks,
)
def soft_ranks(comparison: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks and tests behind the critical-difference diagram.

    Returns: experiment, name (friedman, nemenyi), first and second (methods of a pair), rank_first,
    rank_second, statistic (chi-squared; difference of the mean ranks), p, critical_difference (at
    .05), n_datasets, note, absent (sets of table 3.1 that were not run, separated by semicolons).
    """
    groups = comparison["groups"].str.split("|")
    pair = comparison["name"] == "nemenyi"
    table = comparison.assign(
        first=groups.str[0].where(pair, ""), second=groups.str[1].where(pair, "")
    ).rename(columns={"n": "n_datasets", "missing": "absent"})
    columns = ["experiment", "name", "first", "second", "rank_first", "rank_second", "statistic"]
    table = table[[*columns, "p", "critical_difference", "n_datasets", "note", "absent"]]
    numbers = ["rank_first", "rank_second", "statistic", "critical_difference"]
    table[numbers] = table[numbers].round(6) + 0.0
    return table.reset_index(drop=True)


def mean_ranks_of(ranks: pd.DataFrame) -> pd.Series:
    """Mean rank by method from the pairs of one experiment, in the order of the methods."""
    pairs = ranks[ranks["name"] == "nemenyi"]
    found = {
        **dict(zip(pairs["second"], pairs["rank_second"], strict=True)),
        **dict(zip(pairs["first"], pairs["rank_first"], strict=True)),
    }
    return pd.Series({m: found[m] for m in METHODS if m in found}, dtype=float)
