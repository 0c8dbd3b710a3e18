"""Means over levels, and tests over data sets and over runs, of the evaluation of EIG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from hedgerow.evaluation import significance
from hedgerow_study.experiments.frames import concat_sorted, sorted_
from hedgerow_study.experiments.missing.plan import (
    ALL,
    BASELINES,
    BEST,
    BOTH,
    COMPARED,
    EIG_KNN,
    KEPT,
    MISSING,
    ORDER,
    VARIANTS,
    MissingPlan,
)
from hedgerow_study.experiments.step import step

#: Parts that compare accuracies.
OF_ACCURACY = [name for name, part in COMPARED.parts.items() if "accuracy" in part.metrics]

COLUMNS = {
    "rows": [*ORDER["rows"], "accuracy"],
    "trees": [*ORDER["trees"], "depth", "n_leaves"],
    "sets": [*ORDER["sets"], "n_rows", "n_dropped", "n_variables", "n_columns", "majority"],
    "means": [*ORDER["means"], "accuracy", "n_levels", "n_runs"],
    "levels": [*ORDER["levels"], "accuracy", "n_runs"],
    "runs": [*ORDER["runs"], "dataset", "eig", "best", "baseline", "difference", "p", "n"],
    "depths": [*ORDER["depths"], "depth", "n_leaves", "n_runs"],
}


def levels_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy at each level over repeats and folds: `COLUMNS["levels"]`."""
    cells = rows.groupby(ORDER["levels"])["accuracy"].agg(accuracy="mean", n_runs="size")
    return sorted_(cells.reset_index(), ORDER["levels"])


def means_of(levels: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy over levels, of the methods and of those that stand for several.

    Returns: `COLUMNS["means"]`; with the methods `eig_both`, the lower mean of the two variants,
    and `best_baseline`, the highest of the three.
    """
    key = ORDER["means"]
    cells = levels.groupby(key).agg(
        accuracy=("accuracy", "mean"), n_levels=("accuracy", "size"), n_runs=("n_runs", "min")
    )
    wide = cells["accuracy"].unstack("method")
    joint = {
        BOTH: wide[list(VARIANTS)].min(axis=1),
        BEST: wide[list(BASELINES)].max(axis=1),
    }
    frames = [cells.reset_index()]
    sizes = cells.groupby(key[:-1])[["n_levels", "n_runs"]].min()
    for method, values in joint.items():
        frames.append(sizes.assign(accuracy=values, method=method).reset_index())
    return sorted_(pd.concat(frames)[COLUMNS["means"]], key)


def rows_of(means: pd.DataFrame, depths: pd.DataFrame) -> pd.DataFrame:
    """What is compared, as `COMPARED` takes it: one value per data set.

    Returns: part, interpretation, scenario, dataset, method, metric, value. The advantage of a
    scenario is that of EIG with k-NN imputation over the best baseline; depths are means over the
    levels `KEPT`.
    """
    key = ["interpretation", "scenario", "dataset"]
    accuracy = means.rename(columns={"accuracy": "value"})[[*key, "method", "value"]]
    wide = accuracy.pivot(index=key, columns="method", values="value")
    wide = wide.reindex(columns=[EIG_KNN, BEST])  # without rows there are none
    gain = (wide[EIG_KNN] - wide[BEST]).rename("value").reset_index()
    gain["method"] = gain["scenario"]
    deep = depths.groupby(["interpretation", "dataset", "method"])["depth"].mean().rename("value")
    frames = [
        *(accuracy.assign(part=part, metric="accuracy") for part in OF_ACCURACY),
        gain.assign(part="scenarios", metric="advantage", scenario=MISSING),
        deep.reset_index().assign(part="depth", metric="depth", scenario=""),
    ]
    return pd.concat(frames, ignore_index=True).astype({"value": float})


def tests_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over data sets, plain and after Holm's correction.

    Returns: as `COMPARED.statistics` gives it. By part: - `best`, `baselines`, `imputation`:
    accuracy in points, of one scenario; - `scenarios`: how much more EIG with k-NN imputation is
    above the best baseline in the scenario `missing` than in another one; its Friedman test over
    all has `ALL` in the place of both, and no difference; - `depth`: depth of trees.
    """
    tests = COMPARED.statistics(rows)
    wide = COMPARED.values(rows, "scenarios", "advantage")
    results = []
    for choice in wide.columns.unique("interpretation"):
        gain = wide[choice].dropna()
        result = significance.friedman(gain.to_numpy(), gain.columns.get_level_values("method"))
        key = ("scenarios", choice, MISSING, "advantage", ALL, ALL, np.nan)
        results.append((key, result))
    keys = pd.DataFrame([key for key, _ in results], columns=[*COMPARED.key, "difference"])
    whole = pd.concat([keys, significance.to_frame([result for _, result in results])], axis=1)
    return concat_sorted([tests, whole], [*COMPARED.key, "correction"])


def runs_of(rows: pd.DataFrame) -> pd.DataFrame:
    """EIG with k-NN imputation against the best baseline at each level, paired t over the runs.

    Returns: `COLUMNS["runs"]`, of every data set: accuracies of both (`best` of the baseline with
    the highest mean at the level), their difference, p (NaN of fewer than two runs, 1 where all
    runs are alike), n (runs).
    """
    from scipy import stats

    lines = []
    key = ["dataset", "interpretation", "scenario", "missingness"]
    wide = rows.pivot_table(index=[*key, "repeat", "fold"], columns="method", values="accuracy")
    for (dataset, choice, scenario, level), group in wide.groupby(level=key):
        baselines = group[list(BASELINES)].mean()
        baseline = baselines.idxmax()
        pair = (group[EIG_KNN] - group[baseline]).dropna().to_numpy()
        p = np.nan
        if len(pair) > 1:
            p = 1.0 if np.ptp(pair) <= 1e-12 else float(stats.ttest_1samp(pair, 0.0).pvalue)
        line = (choice, scenario, level, dataset, group[EIG_KNN].mean(), baselines[baseline])
        lines.append((*line, baseline, pair.mean(), p, len(pair)))
    columns = COLUMNS["runs"]
    return sorted_(pd.DataFrame(lines, columns=columns), ["dataset", *ORDER["runs"]])


def depths_of(trees: pd.DataFrame) -> pd.DataFrame:
    """Mean depth and leaves at the levels `KEPT`: `COLUMNS["depths"]`."""
    selected = trees[trees["missingness"].isin(KEPT)]
    cells = selected.groupby(ORDER["depths"]).agg(
        depth=("depth", "mean"), n_leaves=("n_leaves", "mean"), n_runs=("depth", "size")
    )
    return sorted_(cells.reset_index(), ORDER["depths"])


@step("datasets", outputs=("rows", "trees", "sets", "levels", "means", "tests", "runs", "depths"))
def merged(
    rows: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    sets: Sequence[pd.DataFrame],
    plan: MissingPlan,
) -> dict[str, pd.DataFrame]:
    """Rows of all chunks and data sets, their means and tests."""
    # Without a frame none of the data sets could be had.
    if not rows:
        nothing = {name: pd.DataFrame(columns=columns) for name, columns in COLUMNS.items()}
        return {**nothing, "tests": COMPARED.statistics(pd.DataFrame(columns=["part", "metric"]))}
    whole = {
        "rows": concat_sorted(rows, ORDER["rows"]),
        "trees": concat_sorted(trees, ORDER["trees"]),
    }
    whole["sets"] = concat_sorted(sets, ORDER["sets"]).drop_duplicates(ignore_index=True)
    levels, depths = levels_of(whole["rows"]), depths_of(whole["trees"])
    means = means_of(levels)
    return {
        **whole,
        "levels": levels,
        "means": means,
        "tests": tests_of(rows_of(means, depths)),
        "runs": runs_of(whole["rows"]),
        "depths": depths,
    }
