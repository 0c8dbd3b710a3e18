"""Means over levels, and tests over data sets and over runs, of the evaluation of EIG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.experiments.frames import joined, sorted_
from hedgerow.experiments.missing.plan import (
    BASELINES,
    C45,
    EIG_KNN,
    EIG_PERFECT,
    KEPT,
    MISSING,
    ORDER,
    SCENARIOS,
    VARIANTS,
    MissingPlan,
)
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step

#: Differences of accuracy are told in points.
POINTS = 100.0
#: Of the variants together: the lower of the two; of the baselines: the highest of the three.
BOTH, BEST = "eig_both", "best_baseline"

COLUMNS = {
    "rows": [*ORDER["rows"], "accuracy"],
    "trees": [*ORDER["trees"], "depth", "n_leaves"],
    "sets": [*ORDER["sets"], "n_rows", "n_dropped", "n_variables", "n_columns", "majority"],
    "means": [*ORDER["means"], "accuracy", "n_levels", "n_runs"],
    "levels": [*ORDER["levels"], "accuracy", "n_runs"],
    "tests": [*ORDER["tests"], "metric", "difference", "statistic", "p", "n", "correction"],
    "runs": [*ORDER["runs"], "dataset", "eig", "best", "baseline", "difference", "p", "n"],
    "depths": [*ORDER["depths"], "depth", "n_leaves", "n_runs"],
}


def levels_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy at each level over repeats and folds: `COLUMNS["levels"]`."""
    cells = rows.groupby(ORDER["levels"])["accuracy"].agg(accuracy="mean", n_runs="size")
    return sorted_(cells.reset_index(), ORDER["levels"])


def means_of(levels: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy over levels, of the methods and of those that stand for several.

    Parameters
    ----------
    levels : DataFrame
        As returned by `levels_of`.

    Returns
    -------
    DataFrame
        `COLUMNS["means"]`; with the methods `eig_both`, the lower mean of the two variants, and
        `best_baseline`, the highest of the three.
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


def pairs_of() -> Iterator[tuple[str, str, str]]:
    """Part, first and second of what is compared over data sets within one scenario."""
    for variant in (*VARIANTS, BOTH):
        yield "best", variant, BEST
    for variant in VARIANTS:
        for baseline in BASELINES:
            yield "baselines", variant, baseline
    yield "imputation", EIG_PERFECT, EIG_KNN


def tests_of(means: pd.DataFrame, depths: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over data sets, plain and after Holm's correction.

    Parameters
    ----------
    means, depths : DataFrame
        As returned by `means_of` and `depths_of`.

    Returns
    -------
    DataFrame
        `COLUMNS["tests"]`. By part:

        - `best`, `baselines`, `imputation`: accuracy in points, first less second, of one
          scenario;
        - `scenarios`: how much more EIG with k-NN imputation is above the best baseline in the
          scenario `missing` than in another one (method_1, method_2: the scenarios); its
          Friedman test has `all` in their place, its statistic and no difference;
        - `depth`: depth of trees, mean over the levels `KEPT`.

        A family of the correction is one part of one reading and scenario.
    """
    frames = []
    for (reading, scenario), own in means.groupby(["reading", "scenario"]):
        wide = POINTS * own.pivot(index="dataset", columns="method", values="accuracy").dropna()
        for part in ("best", "baselines", "imputation"):
            cells = [
                ((part, reading, scenario, one, two), wide[one], wide[two])
                for kind, one, two in pairs_of()
                if kind == part and len(wide)
            ]
            frames.append(_told(paired_tests(cells, [*ORDER["tests"], "difference"]), "accuracy"))
    for reading, own in means.groupby("reading"):
        wide = own.pivot(index="dataset", columns=["scenario", "method"], values="accuracy")
        frames.append(_scenarios(reading, POINTS * wide.dropna()))
    deep = depths.groupby(["reading", "dataset", "method"])["depth"].mean().unstack("method")
    for reading, own in deep.dropna().groupby("reading"):
        cells = [
            (("depth", reading, "", one, two), own[one], own[two])
            for one in (C45, *VARIANTS)
            for two in BASELINES[1:]
        ]
        frames.append(_told(paired_tests(cells, [*ORDER["tests"], "difference"]), "depth"))
    frames = [frame for frame in frames if frame is not None]
    if not frames:
        return pd.DataFrame(columns=COLUMNS["tests"])
    return joined(frames, [*ORDER["tests"], "correction"])


def _told(found: pd.DataFrame | None, metric: str) -> pd.DataFrame | None:
    return None if found is None else found.assign(metric=metric)[COLUMNS["tests"]]


def _scenarios(reading: str, wide: pd.DataFrame) -> pd.DataFrame | None:
    """Tests of the advantage over the best baseline between scenarios, of one reading."""
    if not len(wide):
        return None
    gain = pd.DataFrame({s: wide[s, EIG_KNN] - wide[s, BEST] for s in SCENARIOS})
    cells = [
        (("scenarios", reading, MISSING, MISSING, other), gain[MISSING], gain[other])
        for other in SCENARIOS
        if other != MISSING
    ]
    found = _told(paired_tests(cells, [*ORDER["tests"], "difference"]), "advantage")
    whole = significance.friedman(gain.to_numpy(), SCENARIOS)
    line = ("scenarios", reading, MISSING, "all", "all", "advantage", np.nan)
    line += (whole.statistic, whole.p, whole.n, "none")
    return pd.concat([found, pd.DataFrame([line], columns=COLUMNS["tests"])], ignore_index=True)


def runs_of(rows: pd.DataFrame) -> pd.DataFrame:
    """EIG with k-NN imputation against the best baseline at each level, paired t over the runs.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.missing.steps.learnt`, all data sets.

    Returns
    -------
    DataFrame
        `COLUMNS["runs"]`, of every data set: accuracies of both (`best` of the baseline with the
        highest mean at the level), their difference, p (NaN of fewer than two runs, 1 where all
        runs are alike), n (runs).
    """
    from scipy import stats

    found = []
    key = ["dataset", "reading", "scenario", "missingness"]
    wide = rows.pivot_table(index=[*key, "repeat", "fold"], columns="method", values="accuracy")
    for (dataset, reading, scenario, level), own in wide.groupby(level=key):
        baselines = own[list(BASELINES)].mean()
        baseline = baselines.idxmax()
        pair = (own[EIG_KNN] - own[baseline]).dropna().to_numpy()
        p = np.nan
        if len(pair) > 1:
            p = 1.0 if np.ptp(pair) <= 1e-12 else float(stats.ttest_1samp(pair, 0.0).pvalue)
        line = (reading, scenario, level, dataset, own[EIG_KNN].mean(), baselines[baseline])
        found.append((*line, baseline, pair.mean(), p, len(pair)))
    columns = COLUMNS["runs"]
    return sorted_(pd.DataFrame(found, columns=columns), ["dataset", *ORDER["runs"]])


def depths_of(trees: pd.DataFrame) -> pd.DataFrame:
    """Mean depth and leaves at the levels `KEPT`: `COLUMNS["depths"]`."""
    own = trees[trees["missingness"].isin(KEPT)]
    cells = own.groupby(ORDER["depths"]).agg(
        depth=("depth", "mean"), n_leaves=("n_leaves", "mean"), n_runs=("depth", "size")
    )
    return sorted_(cells.reset_index(), ORDER["depths"])


@step("datasets", makes=("rows", "trees", "sets", "levels", "means", "tests", "runs", "depths"))
def merged(
    rows: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    sets: Sequence[pd.DataFrame],
    plan: MissingPlan,
) -> dict[str, pd.DataFrame]:
    """Rows of all chunks and data sets, their means and tests.

    Parameters
    ----------
    rows, trees, sets : sequence of DataFrame
        As returned by `hedgerow.experiments.missing.steps.learnt`.
    plan : MissingPlan

    Returns
    -------
    dict of DataFrame
    """
    # Without a frame none of the data sets could be had.
    if not rows:
        return {name: pd.DataFrame(columns=columns) for name, columns in COLUMNS.items()}
    whole = {"rows": joined(rows, ORDER["rows"]), "trees": joined(trees, ORDER["trees"])}
    whole["sets"] = joined(sets, ORDER["sets"]).drop_duplicates(ignore_index=True)
    levels, depths = levels_of(whole["rows"]), depths_of(whole["trees"])
    means = means_of(levels)
    return {
        **whole,
        "levels": levels,
        "means": means,
        "tests": tests_of(means, depths),
        "runs": runs_of(whole["rows"]),
        "depths": depths,
    }
