"""Tables of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_holm
from hedgerow.showing.numbers import count
from hedgerow_study.experiments.cell_sources import P, Selector, test_cells
from hedgerow_study.experiments.frames import Frames, sorted_
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.diverse_trees.plan import (
    ABOVE_CHANCE,
    COMPARED,
    FEWEST_TREES,
    KEYS,
    METRICS,
    OF_PAIRS,
    POOLS,
    QUESTIONS,
    SCORED,
    STRATEGIES,
    DiverseTreesPlan,
)
from hedgerow_study.extensions.diverse_trees.statistics import rows_of, scores_by_forest
from hedgerow_study.reporting.cells import NO_FORMULA, Cell, Rows
from hedgerow_study.reporting.tables import MEAN, how_many, ran

METRIC_LABELS = {
    "silhouette": "Silhouette",
    "nmi_cluster_n_nodes": "Information on tree size",
    "insertion_deletion_score": "Parent and child in one cluster",
    "same_variable_substitution_score": "Same variable in one cluster",
    "correlated_substitution_score": "Correlated variable in one cluster",
    "insertion_deletion_score_above_chance": "Parent and child, above chance",
    "same_variable_substitution_score_above_chance": "Same variable, above chance",
    "correlated_substitution_score_above_chance": "Correlated variable, above chance",
    "norm_diff_to_d_kl": "Norm of the difference to d_KL",
    "norm_diff_to_d_p": "Norm of the difference to d_p",
    "rank_correlation_with_d_kl": "Rank correlation with d_KL",
    "rank_correlation_with_d_p": "Rank correlation with d_p",
    "rank_correlation_with_size": "Rank correlation with tree size",
}

STRATEGY_LABELS = {
    "structure": "far in structure",
    "predictions": "far in predictions",
    "best": "the k best",
    "random_accurate": "random, of the better half",
    "random": "random, of all",
    "whole": "all trees",
    "single": "the best tree alone",
}
POOL_LABELS = {"uct": "UCT-DT", "c45": "bootstrap C4.5"}
SCORE_LABELS = {"f1": "Macro F1", "accuracy": "Accuracy"}


def strategy_label(strategy: str, plan: DiverseTreesPlan) -> str:
    """How a table names a strategy; the share is the plan's."""
    if strategy == "random_accurate" and plan.share != 0.5:
        return f"random, of the best {100 * plan.share:g} %"
    return STRATEGY_LABELS[strategy]


# ------------------------------------------------------------------------------------- tables


MISSING = (
    "A metric is averaged over the forests that have it for all variants: pairs of trees that "
    "differ by a strongly correlated variable are rare."
)


def caption_values(measured: Frames, plan: DiverseTreesPlan) -> dict[str, str]:
    """Words of the captions: what was run."""

    def of(datasets: Iterable[str]) -> str:
        datasets = sorted(datasets)
        each = how_many(plan.n_repeats, "repeat")
        text = ran(datasets, plan.datasets, each, plan.configuration, between="; ")
        synthetic = [d for d in datasets if d.startswith("synthetic_")]
        if synthetic:
            text += f" Synthetic: {', '.join(synthetic)}."
        return text

    forests = [scores_by_forest(measured, metric).index for metric in METRICS]
    n_forests = max(map(len, forests))
    of_forests = f"{of({name for keys in forests for name, _ in keys})} Forests: {n_forests}"
    n_wanted = plan.n_repeats * measured["ensembles"]["dataset"].nunique()
    if n_forests < n_wanted:
        of_forests += f" of {n_wanted}; the others have fewer than {FEWEST_TREES} trees"
    return {
        "forests": f"A forest of UCT-DT ({count(plan.n_iterations)} iterations, VS) per repeat, "
        f"{how_many(plan.n_seeds, 'seed')} of k-means.",
        "of_forests": f"{of_forests}.",
        "pools": f"Pools: forests of UCT-DT, scored by F1 on the validation set of the search, and "
        f"{plan.n_bagged} pruned C4.5 trees of bootstrap samples, scored by F1 on the training "
        f"rows outside of each sample. Diverse trees are chosen out of the best "
        f"{100 * plan.share:g} %. Random: mean of {plan.n_draws} draws. A forest of fewer than "
        f"{FEWEST_TREES} trees is no pool.",
        "of_ensembles": of(set(measured["ensembles"]["dataset"])),
    }


def _tests_sources(
    row: int, line: Mapping[str, Any], part: str, **selection: str
) -> Iterator[Cell]:
    where = {"part": part, "metric": line["metric"], **selection}
    yield from test_cells(row, line, where, {"difference": ("none", "difference"), **P})


def questions_sources(table: pd.DataFrame, measured: Frames) -> Iterator[Cell]:
    """Scores and distances of the variants that a question compares, and its tests."""
    forests_with = cache(lambda metric: scores_by_forest(measured, metric).index)
    for row, line in enumerate(table.to_dict("records")):
        metric = line["metric"]
        datasets, numbers = (sorted(set(v)) for v in zip(*forests_with(metric), strict=True))
        of = "measured/closeness" if metric in OF_PAIRS else "measured/scores"
        one, two = QUESTIONS[line["question"]][2:]
        for column, variants in (("mean_first", one), ("mean_second", two)):
            methods, scales = (sorted(set(names)) for names in zip(*variants, strict=True))
            where = {"dataset": datasets, "repeat": numbers, "method": methods, "scale": scales}
            rows = Rows(of, where, ABOVE_CHANCE.get(metric, metric))
            yield Cell(row, column, NO_FORMULA, (rows,))
        yield from _tests_sources(row, line, "questions", cell=line["question"])


def ensembles_sources(table: pd.DataFrame, measured: Frames) -> Iterator[Cell]:
    """Scores of the ensembles, and tests of those that are far in structure against the others."""
    select = Selector(measured["ensembles"])
    for row, line in enumerate(table.to_dict("records")):
        where = {"pool": line["pool"], "k": line["k"]}
        # A mean over the repeats on which all strategies have a value, and over data sets.
        wide = select(where).pivot(
            index=["dataset", "repeat"], columns="strategy", values=line["metric"]
        )
        complete = wide.dropna()
        sets = sorted(set(complete.index.get_level_values("dataset")))
        of = sets if line["dataset"] == MEAN else line["dataset"]
        selection = {**where, "strategy": line["strategy"], "dataset": of}
        formula = "mean_of_means" if len(complete) == len(wide) else NO_FORMULA
        cell = (Rows("measured/ensembles", selection, line["metric"]),)
        yield Cell(row, "measured", formula, cell, by=("dataset",))
        selection = {"cell": f"{line['pool']}/{line['k']}", "second": line["strategy"]}
        yield from _tests_sources(row, line, "ensembles", **selection)


@table(
    "Paired questions",
    caption="Difference of two means over the distances A1, A2, B1 and B2 (Spearman's "
    "correlation, not normalised, where nothing else is said), mean over data sets. {forests} "
    f"{MISSING} {{of_forests}}",
    caption_values=caption_values,
    sources=questions_sources,
)
def diverse_trees_questions(
    measured: Frames, statistics: pd.DataFrame, plan: DiverseTreesPlan
) -> pd.DataFrame:
    """Table of the paired questions: correlations, type B, normalisation, prototypes.

    Returns: One row per metric and question (a key of
    `hedgerow_study.extensions.diverse_trees.plan.QUESTIONS`). Columns: metric, question, first,
    second (what is compared), mean_first, mean_second, difference (first minus second), wins and
    losses (data sets on which the first is higher and lower), n_datasets, p, p_holm, absent.
    """
    rows = rows_of(measured, "questions")
    table = COMPARED.table(rows, statistics, "questions", digits=None)
    columns = ["metric", "question", *COMPARED.columns[2:], "absent"]
    return _finished(table.rename(columns={"cell": "question"}), columns, measured, plan)


@table(
    "Ensembles of k trees",
    caption="Test scores of the mean of the class probabilities of k trees, in per cent, means "
    "over data sets. {pools} {of_ensembles}",
    caption_values=caption_values,
    sources=ensembles_sources,
)
def diverse_trees_ensembles(
    measured: Frames, statistics: pd.DataFrame, plan: DiverseTreesPlan
) -> pd.DataFrame:
    """Table of ensembles of k trees, chosen in seven ways.

    Returns: One row per score, pool of trees, k, strategy and data set (a key, or
    `mean_over_datasets`). Columns: metric (f1, accuracy), pool, k, strategy, dataset, measured (per
    cent), mean_distance (edit distance B2 between two members), member_f1 (mean of its trees),
    n_datasets, and of means: difference (`structure` minus this strategy), wins and losses (data
    sets on which `structure` is higher and lower), p, p_holm; absent.
    """
    members = sorted_(measured["ensembles"], KEYS["ensembles"])
    members = members.assign(cell=members["pool"] + "/" + members["k"].astype(str))
    members = members.rename(columns={"strategy": "method"})
    of_members = ["mean_distance", "member_f1"]
    key = ["pool", "k", "cell", "method"]
    members = members.groupby([*key, "dataset"], as_index=False)[of_members].mean()
    rows = rows_of(measured, "ensembles").merge(members, on=["cell", "method", "dataset"])
    grouped = rows.groupby([*key, "metric"])
    means = grouped[["value", *of_members]].mean().assign(n_datasets=grouped.size())
    tests = COMPARED.table(rows, statistics, "ensembles", digits=None).drop(columns="n_datasets")
    tests = tests.rename(columns={"second": "method"})
    means = means.reset_index().merge(tests, on=["cell", "metric", "method"], how="left")
    lines = pd.concat([means.assign(dataset=MEAN), rows.assign(n_datasets=1)], ignore_index=True)
    lines = lines.rename(columns={"value": "measured", "method": "strategy"})
    columns = ["metric", "pool", "k", "strategy", "dataset", "measured", "mean_distance"]
    columns += ["member_f1", "difference", "wins", "losses", "n_datasets", *COMPARED.ps, "absent"]
    return _finished(lines, columns, measured, plan)


#: Names of every column that orders a table.
_ORDER = {
    "metric": [*METRICS, *SCORED],
    "question": list(QUESTIONS),
    "pool": list(POOLS),
    "strategy": list(STRATEGIES),
}


def _finished(
    table: pd.DataFrame, columns: list[str], measured: Frames, plan: DiverseTreesPlan
) -> pd.DataFrame:
    """Rows in the order of the names, means first; numbers rounded so that no sum's order shows."""
    # All that are there have bootstrap trees; a forest of too few trees is left out.
    absent = sorted(set(plan.datasets) - set(measured["ensembles"]["dataset"]))
    is_mean = table["dataset"] == MEAN if "dataset" in table else True
    table["absent"] = np.where(is_mean, ";".join(absent), "")
    rank = pd.DataFrame(index=table.index)
    if "dataset" in table:
        rank["dataset"] = table["dataset"].where(table["dataset"] != MEAN, "")
    for name, order in _ORDER.items():
        if name in table:
            rank[name] = table[name].map(order.index)
    if "k" in table:
        rank.insert(list(rank.columns).index("strategy"), "k", table["k"])
    table = table.loc[rank.sort_values(list(rank.columns), kind="stable").index, columns]
    table = table.reset_index(drop=True)
    for name in ("wins", "losses", "n_datasets", "k"):
        if name in table:
            table[name] = table[name].astype(float).astype("Int64")
    numbers = [c for c in table.select_dtypes("float").columns if c not in COMPARED.ps]
    table[numbers] = table[numbers].round(6) + 0.0
    return table


# ----------------------------------------------------------------------------------- answers


def smallest_of_questions(n_datasets: int) -> float:
    """The smallest p after Holm that a question can have: it corrects over those of one metric."""
    return smallest_holm([n_datasets] * len(QUESTIONS))[0]


def direction(row: pd.Series) -> str:
    """In a word, whether the first of two is higher or lower by the test after Holm."""
    if smallest_of_questions(row["n_datasets"]) >= LEVEL:
        return "too few data sets"
    if not row["p_holm"] < LEVEL:
        return "no difference"
    return "higher" if row["difference"] > 0 else "lower"
