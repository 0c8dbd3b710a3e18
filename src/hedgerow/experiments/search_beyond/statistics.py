"""Statistics of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow.experiments.frames import sorted_
from hedgerow.experiments.search_beyond.plan import BASE, COMPARED, OBJECTIVES, OPTIMA, TEST
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


PAIRINGS = ("datasets", "splits")


def statistics(
    tables: Mapping[str, pd.DataFrame], pairings: Sequence[str] = PAIRINGS
) -> pd.DataFrame:
    """Wilcoxon signed-rank tests: rules of selection against the upper confidence bound, and
    learners on binary tables against C4.5 without pruning on all training rows.

    Two pairings stand side by side: `datasets` pairs the means of each data set over its splits,
    `splits` takes every split of every data set as a pair, which has more power and treats splits
    as independent, which they are not. Holm's correction is over the tests of one part and pairing.

    Parameters
    ----------
    tables : mapping of DataFrame
        `optimum` and `selection`.
    pairings : sequence of {"datasets", "splits"}

    Returns
    -------
    DataFrame
        part, cell (depth, or method), metric, first, second, pairing, difference (mean over data
        sets; positive: the first has more), then the attributes of `TestResult`; two rows each,
        with the correction `none` and `holm`.
    """
    compared = {"optimum": [], "selection": []}
    own = tables["selection"]
    for method, of_method in own.groupby("method", sort=True):
        for metric in COMPARED:
            wide = of_method.pivot(index=["dataset", "split"], columns="rule", values=metric)
            for rule in wide.columns.drop("ucb", errors="ignore"):
                key = ("selection", method, metric, rule, "ucb")
                compared["selection"].append((key, wide[[rule, "ucb"]].dropna()))
    base = "/".join(BASE)
    for objective in OBJECTIVES:
        own = comparable(tables["optimum"], objective)
        own = own.assign(name=own["learner"] + "/" + own["trained_on"])
        for depth, of_depth in own.groupby("depth", sort=True):
            metric = f"{objective}_test"
            wide = of_depth.pivot(index=["dataset", "split"], columns="name", values=metric)
            for name in wide.columns.drop(base):
                key = ("optimum", str(depth), metric, name, base)
                compared["optimum"].append((key, wide[[name, base]].dropna()))
    frames = []
    for cells in compared.values():
        for pairing in pairings:
            keys, results = [], []
            for key, pairs in cells:
                per_set = pairs.groupby(level="dataset").mean()
                chosen = (per_set if pairing == "datasets" else pairs).to_numpy()
                difference = float((per_set.iloc[:, 0] - per_set.iloc[:, 1]).mean())
                keys.append((*key, pairing, difference))
                results.append(significance.wilcoxon(chosen[:, 0], chosen[:, 1], key[3:]))
            if results:
                frame = pd.DataFrame(keys, columns=TEST)
                frames.append(significance.plain_and_holm(frame, results, range(len(results))))
    if not frames:
        columns = significance.to_frame([]).columns
        return pd.DataFrame(columns=[*TEST, *columns])
    return sorted_(pd.concat(frames, ignore_index=True), [*TEST[:-1], "correction"])


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
    return {**whole, "statistics": statistics(whole)}
