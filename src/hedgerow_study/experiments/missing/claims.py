"""Statements of Schreckenberger and others on EIG: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.missing.plan import (
    BEST,
    BOTH,
    DESCRIBED,
    EIG_KNN,
    EIG_PERFECT,
    INDEPENDENT,
    POINTS,
    VARIANTS,
    MissingPlan,
    published_interpretations,
)
from hedgerow_study.experiments.missing.statistics import rows_of, tests_of
from hedgerow_study.experiments.missing.tables import LABELS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import hanging, judge, of_experiment, with_statements

#: What claims are judged by; all but the last have an interpretation.
INPUTS = ("levels", "means", "tests", "runs", "depths", "sets")
#: Levels of missing values, and runs at each, below which a mean is no evidence; the paper has 19
#: levels of 25 runs.
FEWEST_LEVELS, FEWEST_RUNS = 10, 10
#: Per cent: the lowest level, with which EIG-06 compares, and those from which on EIG-07 looks.
LOWEST, STARTS = 5, (60, 75)


def frames_of(choice: str, results: Frames) -> dict[str, pd.DataFrame]:
    """What the judge reads of one interpretation; too few levels or runs count as not measured.

    results: `INPUTS`, of all interpretations.

    Returns: `gains`: dataset, scenario, method (a variant, or both), difference from the best
    baseline in points; `perfect`: dataset, scenario, difference of perfect less k-NN imputation;
    `tests`; `runs`: dataset, scenario, missingness, difference, p, and `drop`, what EIG has lost
    since the level `LOWEST`; `worst`: dataset, scenario, method, start (of `STARTS`), apart (from
    the majority share, points, at most); of what is described also `independent`, the tests on
    independent variables.
    """
    sets = results["sets"]
    levels, means, tests, runs, depths = (
        results[name][results[name]["interpretation"] == choice] for name in INPUTS[:5]
    )
    enough = (means["n_levels"] >= FEWEST_LEVELS) & (means["n_runs"] >= FEWEST_RUNS)
    wide = means.assign(accuracy=(POINTS * means["accuracy"].astype(float)).where(enough))
    wide = wide.pivot(index=["dataset", "scenario"], columns="method", values="accuracy")
    n_sets = max(int(enough.groupby(means["dataset"]).any().sum()) if len(means) else 0, 0)
    gains = [
        (*key, method, line[method] - line[BEST])
        for key, line in wide.iterrows()
        for method in (*VARIANTS, BOTH)
    ]
    perfect = [(*key, line[EIG_PERFECT] - line[EIG_KNN]) for key, line in wide.iterrows()]
    keys = ["dataset", "scenario"]
    sized = levels["n_runs"] >= FEWEST_RUNS
    levels = levels.assign(accuracy=levels["accuracy"].astype(float).where(sized))
    majority = dict(zip(sets["dataset"], sets["majority"], strict=True))
    apart = POINTS * (levels["accuracy"] - levels["dataset"].map(majority)).abs()
    sized = runs["n"] >= FEWEST_RUNS
    runs = runs.assign(
        difference=(POINTS * runs["difference"].astype(float)).where(sized).round(9),
        p=runs["p"].astype(float).where(sized),
        eig=(POINTS * runs["eig"].astype(float)).where(sized),
        n_sets=1,
    )
    lowest = runs[runs["missingness"] == LOWEST].set_index(keys)["eig"]
    at = pd.MultiIndex.from_frame(runs[keys])
    runs = runs.assign(drop=(lowest.reindex(at).to_numpy() - runs["eig"]).round(9))
    deep = bool(len(depths)) and bool((depths["n_runs"] >= FEWEST_RUNS).all())
    plain = tests[tests["correction"] == "none"]
    is_complete = enough.all() if len(means) else False
    measured = plain["part"].map(lambda part: deep if part == "depth" else is_complete).astype(bool)
    plain = plain.assign(
        difference=plain["difference"].astype(float).where(measured).round(9),
        p=plain["p"].astype(float).where(measured),
        least=significance.smallest_p(n_sets) if n_sets else 1.0,
    )
    frames = {
        "gains": _counted(pd.DataFrame(gains, columns=[*keys, "method", "difference"]), n_sets),
        "perfect": _counted(pd.DataFrame(perfect, columns=[*keys, "difference"]), n_sets),
        "tests": plain,
        "runs": runs,
        "worst": _worst(levels.assign(apart=apart.round(9))),
    }
    if choice == DESCRIBED:
        frames["independent"] = frames_of(INDEPENDENT, results)["tests"]
    return frames


def _worst(levels: pd.DataFrame) -> pd.DataFrame:
    """Largest distance from the majority share over the levels from each start on."""
    lines = []
    for start in STARTS:
        asked = set(range(start, 100, 5))
        selected = levels[levels["missingness"].isin(asked)]
        for key, cells in selected.groupby(["dataset", "scenario", "method"]):
            whole = set(cells["missingness"]) == asked and cells["apart"].notna().all()
            lines.append((*key, start, cells["apart"].max() if whole else float("nan"), 1))
    columns = ["dataset", "scenario", "method", "start", "apart", "n_sets"]
    return pd.DataFrame(lines, columns=columns)


def _counted(frame: pd.DataFrame, n_sets: int) -> pd.DataFrame:
    return frame.assign(difference=frame["difference"].astype(float).round(9), n_sets=n_sets)


@step("datasets", "interpretations")
def claims(
    results: Frames, specification: Mapping[str, Any], statements: pd.DataFrame, plan: MissingPlan
) -> pd.DataFrame:
    """Judge the statements of data/published/claims.csv on EIG, as the paper is described.

    Returns: as returned by `hedgerow_study.reporting.claims.judge`, with statements; then
    verdict_<interpretation> and <interpretation> (what was measured) for each other interpretation
    of the paper that was run.
    """
    bound = of_experiment(specification, "missing")
    verdicts = judge(bound, frames_of(DESCRIBED, results), LABELS)
    names = results["means"]["dataset"].unique()
    verdicts = hanging(verdicts, bound, names, partial(_without, results))
    for choice in published_interpretations(plan.interpretations):
        if choice != DESCRIBED:
            other = judge(bound, frames_of(choice, results), LABELS)
            verdicts[f"verdict_{choice}"], verdicts[choice] = other["verdict"], other["measured"]
    return with_statements(verdicts, bound, statements)


def _without(results: Frames, dataset: str) -> dict[str, pd.DataFrame]:
    """What the judge reads without a data set, its tests made again."""
    left = {
        name: f[f["dataset"] != dataset] if "dataset" in f else f for name, f in results.items()
    }
    left["tests"] = left["tests"].iloc[:0]
    if len(left["means"]):
        read = [DESCRIBED, INDEPENDENT]
        means, depths = (left[n][left[n]["interpretation"].isin(read)] for n in ("means", "depths"))
        left["tests"] = tests_of(rows_of(means, depths))
    return frames_of(DESCRIBED, left)


@step("datasets", "interpretations")
def claims_by_choice(
    results: Frames, specification: Mapping[str, Any], statements: pd.DataFrame, plan: MissingPlan
) -> pd.DataFrame:
    """The statements as `claims` returns them, in each interpretation, which is a column."""
    bound = of_experiment(specification, "missing")
    verdicts = []
    for choice in published_interpretations(plan.interpretations):
        judged = with_statements(
            judge(bound, frames_of(choice, results), LABELS), bound, statements
        )
        verdicts.append(judged.assign(interpretation=choice))
    return pd.concat(verdicts, ignore_index=True)
