"""Tables of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.evaluation.significance import LEVEL, critical_difference, smallest_holm
from hedgerow.experiments.behind import P, Selector, tested
from hedgerow.experiments.frames import sorted_
from hedgerow.experiments.step import table
from hedgerow.experiments.structure.plan import SCALES as STRUCTURE_SCALES
from hedgerow.experiments.structure.plan import VARIANT_NAMES, VARIANTS
from hedgerow.experiments.structure_beyond.plan import (
    ABOVE_CHANCE,
    COMPARED,
    FEWEST_TREES,
    KEYS,
    LEARNERS,
    METRICS,
    OF_LEARNERS,
    OF_PAIRS,
    POOLS,
    QUESTIONS,
    SCALES,
    SCORED,
    STRATEGIES,
    StructureBeyondPlan,
)
from hedgerow.experiments.structure_beyond.statistics import rows_of, scores_by_forest
from hedgerow.reporting.cells import STATED, Cell, Rows
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.tables import MEAN, how_many, ran

VARIANT_LABELS = {variant: ", ".join(names) for variant, names in VARIANT_NAMES.items()}

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

LEARNER_LABELS = {name: LOOKS[name].label for name in LEARNERS}
STABILITY_LABELS = {
    "distance_a1": "Edit distance A1",
    "distance_b2": "Edit distance B2",
    "relative_a1": "A1 per test",
    "relative_b2": "B2 per test",
    "d_p": "Share of rows classified otherwise (d_p)",
    "n_tests": "Tests",
    "f1": "Macro F1 of a tree, %",
}


def strategy_label(strategy: str, plan) -> str:
    """How a table names a strategy; the share is the plan's."""
    if strategy == "random_accurate" and plan.share != 0.5:
        return f"random, of the best {100 * plan.share:g} %"
    return STRATEGY_LABELS[strategy]


# ------------------------------------------------------------------------------------- tables


MISSING = (
    "A metric is averaged over the forests that have it for all variants: pairs of trees that "
    "differ by a strongly correlated variable are rare."
)


def said(tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id.
    plan : StructureBeyondPlan

    Returns
    -------
    dict of str
    """

    def of(name: str, n_splits: int) -> str:
        there = sorted(set(tables[name]["dataset"]) - {MEAN})
        each = f"{how_many(n_splits, 'division')} into training and test data"
        text = ran(there, plan.datasets, each, plan.configuration, between="; ")
        synthetic = [d for d in there if d.startswith("synthetic_")]
        if synthetic:
            text += f" Synthetic: {', '.join(synthetic)}."
        return text

    of_variants = tables["structure_beyond_variants"]
    own = of_variants[of_variants["dataset"] == MEAN]
    n_forests = int(own["n_forests"].max())
    of_forests = f"{of('structure_beyond_variants', plan.n_splits)} Forests: {n_forests}"
    n_wanted = plan.n_splits * tables["structure_beyond_ensembles"]["dataset"].nunique()
    n_wanted -= plan.n_splits  # of the mean
    if n_forests < n_wanted:
        of_forests += f" of {n_wanted}; the others have fewer than {FEWEST_TREES} trees"
    of_forests += "."
    of_ensembles = of("structure_beyond_ensembles", plan.n_splits)
    of_samples = of("structure_beyond_stability", plan.stability_splits)
    forests = (
        f"A forest of UCT-DT ({plan.n_iterations:,} iterations, VS) per division, "
        f"{how_many(plan.n_seeds, 'seed')} of k-means."
    )
    pools = (
        f"Pools: forests of UCT-DT, scored by F1 on the validation set of the search, and "
        f"{plan.n_bagged} pruned C4.5 trees of bootstrap samples, scored by F1 on the training "
        f"rows outside of each sample. Diverse trees are chosen out of the best "
        f"{100 * plan.share:g} %. Random: mean of {plan.n_draws} draws. A forest of fewer than "
        f"{FEWEST_TREES} trees is no pool."
    )
    learners = (
        f"{plan.n_bootstrap} bootstrap samples of each training part, the same for all learners; "
        f"pruning confidence {plan.confidence:g}, noise factor of SS and STP {plan.factor:g}, "
        f"UCT-DT with VS, both prunings and {plan.uct_iterations:,} iterations; none is tuned."
    )
    drawn = (
        f"{plan.patterns_trees} trees of all rows of {plan.patterns_dataset}, clusters by the edit "
        f"distance B2 with Spearman's correlation, configuration {plan.configuration}."
    )
    return {
        "forests": forests,
        "of_forests": of_forests,
        "pools": pools,
        "of_ensembles": of_ensembles,
        "learners": learners,
        "of_samples": of_samples,
        "drawn": drawn,
        "n_prototypes": str(plan.n_prototypes),
        "patterns_depth": str(plan.patterns_depth),
    }


class _Forests:
    """The forests that have a metric for all variants; found once per metric."""

    def __init__(self, measured: Mapping[str, pd.DataFrame]):
        self._measured = measured
        self._found: dict[str, list[tuple[str, int]]] = {}
        self._n = len(measured["closeness"].drop_duplicates(["dataset", "forest"]))

    def of(self, metric: str) -> list[tuple[str, int]]:
        """Data sets and numbers."""
        if metric not in self._found:
            self._found[metric] = scores_by_forest(self._measured, metric).index.tolist()
        return self._found[metric]

    def all_have(self, metric: str) -> bool:
        """Whether these are all forests."""
        return len(self.of(metric)) == self._n


def _of_variants(metric: str, line: Mapping[str, Any], known: _Forests) -> tuple[Rows, ...]:
    """Rows of the forests that have a metric for all variants; above chance also that of chance."""
    forests = known.of(metric)
    if line.get("dataset", MEAN) != MEAN:
        forests = [forest for forest in forests if forest[0] == line["dataset"]]
    own = {"dataset": sorted({d for d, _ in forests}), "forest": sorted({n for _, n in forests})}
    own |= {name: line[name] for name in ("method", "scale") if name in line}
    of = "measured/closeness" if metric in OF_PAIRS else "measured/scores"
    if metric in ABOVE_CHANCE:
        return Rows(of, own, ABOVE_CHANCE[metric]), Rows(of, own, "chance")
    return (Rows(of, own, metric),)


def _behind_variants(row: int, line: Mapping[str, Any], known: _Forests) -> Iterator[Cell]:
    """A mean over seeds, forests and data sets, where each forest has a value of each seed."""
    rows = _of_variants(line["metric"], line, known)
    by = ("dataset", "forest") + (("seed",) if rows[0].of.endswith("scores") else ())
    # Where forests of a data set are left out the same numbers may stand for others elsewhere.
    if not known.all_have(line["metric"]):
        yield Cell(row, "measured", STATED, rows[:1])
    elif len(rows) == 2:
        by += ("method", "scale")
        yield Cell(row, "measured", "mean_of_mean_differences", rows, by=by)
    else:
        yield Cell(row, "measured", "mean_of_means_of_means", rows, by=by[:2])


def behind_variants(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Scores and distances of the forests, and Friedman's test."""
    known = _Forests(measured)
    for row, line in enumerate(table.to_dict("records")):
        yield from _behind_variants(row, line, known)
        if pd.notna(line["friedman_p"]):
            own = {"part": "variants", "name": "friedman", "metric": line["metric"]}
            yield Cell(row, "friedman_p", "value", (Rows("statistics", own, "p"),))


def _behind_tests(row: int, line: Mapping[str, Any], part: str, **own: str) -> Iterator[Cell]:
    where = {"part": part, "metric": line["metric"], **own}
    yield from tested(row, line, where, {"difference": ("none", "difference"), **P})


def behind_questions(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Scores and distances of the variants that a question compares, and its tests."""
    known = _Forests(measured)
    for row, line in enumerate(table.to_dict("records")):
        one, two = QUESTIONS[line["question"]][2:]
        for column, variants in (("mean_first", one), ("mean_second", two)):
            methods, scales = (sorted(set(names)) for names in zip(*variants, strict=True))
            (rows, *_) = _of_variants(line["metric"], {}, known)
            own = {**rows.where, "method": methods, "scale": scales}
            yield Cell(row, column, STATED, (Rows(rows.of, own, rows.value),))
        yield from _behind_tests(row, line, "questions", cell=line["question"])


def behind_prototypes(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Scores and distances by scale, and tests of prototypes against the others."""
    known = _Forests(measured)
    for row, line in enumerate(table.to_dict("records")):
        yield from _behind_variants(row, line, known)
        own = {"cell": line["method"], "second": line["scale"]}
        yield from _behind_tests(row, line, "prototypes", **own)


def _behind_groups(
    row: int, line: Mapping[str, Any], of: str, where: Mapping, select: Selector, group: str
) -> Iterator[Cell]:
    """A mean over the divisions on which all groups have a value, and over data sets."""
    wide = select(where).pivot(index=["dataset", "split"], columns=group, values=line["metric"])
    known = wide.dropna()
    sets = sorted(set(known.index.get_level_values("dataset")))
    own = {**where, group: line[group], "dataset": sets}
    if line["dataset"] != MEAN:
        own["dataset"] = line["dataset"]
    cell = (Rows(of, own, line["metric"]),)
    formula = "mean_of_means" if len(known) == len(wide) else STATED
    yield Cell(row, "measured", formula, cell, by=("dataset",))


def behind_ensembles(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Scores of the ensembles, and tests of those that are far in structure against the others."""
    select = Selector(measured["ensembles"])
    for row, line in enumerate(table.to_dict("records")):
        where = {"pool": line["pool"], "k": line["k"]}
        yield from _behind_groups(row, line, "measured/ensembles", where, select, "strategy")
        own = {"cell": f"{line['pool']}/{line['k']}", "second": line["strategy"]}
        yield from _behind_tests(row, line, "ensembles", **own)


def behind_stability(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Distances between trees of bootstrap samples, and tests against C4.5."""
    select = Selector(measured["stability"])
    for row, line in enumerate(table.to_dict("records")):
        yield from _behind_groups(row, line, "measured/stability", {}, select, "learner")
        yield from _behind_tests(row, line, "stability", first=line["learner"])


@table(
    "Sixteen edit distances over data sets",
    caption="Means over data sets of the eight distances, as they are and normalised by the "
    f"number of nodes. {{forests}} {MISSING} {{of_forests}}",
    words=said,
    behind=behind_variants,
)
def structure_beyond_variants(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the sixteen edit distances over data sets.

    Parameters
    ----------
    measured : mapping of DataFrame
        `closeness` and `scores` are read, as returned by
        `hedgerow.experiments.structure_beyond.steps.run`, of all data sets.
    statistics : DataFrame
        As returned by `hedgerow.experiments.structure_beyond.statistics.statistics`.
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, method, scale and data set (a key, or `mean_over_datasets`). Columns:
        metric, method, scale, dataset, measured (mean over forests and seeds), n_datasets,
        n_forests (that have the metric for all variants); of means also mean_rank (1: the highest
        value, whether or not that is good), friedman_p and critical_difference (Nemenyi, .05; of
        mean ranks); absent: data sets asked for that no source had.
    """
    friedman = statistics[statistics["name"] == "friedman"].set_index("metric")["p"]
    frames = []
    for metric in METRICS:
        of_forests = scores_by_forest(measured, metric).groupby(level="dataset")
        wide = of_forests.mean()
        wide = wide[[c for c in wide.columns if c[1] in STRUCTURE_SCALES]]
        if wide.empty:
            continue
        mean = _long(wide.mean().to_frame(MEAN).T)
        ranks = wide.round(12).rank(axis=1, ascending=False).mean()
        mean["mean_rank"] = [ranks[key] for key in zip(mean["method"], mean["scale"], strict=True)]
        mean["friedman_p"] = friedman[metric]
        mean["critical_difference"] = critical_difference(wide.shape[1], len(wide), LEVEL)
        forests = of_forests.size()
        mean = mean.assign(n_datasets=len(wide), n_forests=forests.sum())
        own = _long(wide).assign(n_datasets=1)
        own["n_forests"] = own["dataset"].map(forests)
        frames.append(pd.concat([mean, own]).assign(metric=metric))
    columns = ["metric", "method", "scale", "dataset", "measured", "n_datasets", "n_forests"]
    columns += ["mean_rank", "friedman_p", "critical_difference", "absent"]
    return _finished(pd.concat(frames, ignore_index=True), columns, measured, plan)


@table(
    "Paired questions",
    caption="Difference of two means over the distances A1, A2, B1 and B2 (Spearman's "
    "correlation, not normalised, where nothing else is said), mean over data sets. {forests} "
    f"{MISSING} {{of_forests}}",
    words=said,
    behind=behind_questions,
)
def structure_beyond_questions(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the paired questions: correlations, type B, normalisation, prototypes.

    Parameters
    ----------
    measured : mapping of DataFrame
        `closeness` and `scores` are read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric and question (a key of
        `hedgerow.experiments.structure_beyond.plan.QUESTIONS`). Columns: metric, question, first,
        second (what is compared), mean_first, mean_second, difference (first minus second),
        wins and losses (data sets on which the first is higher and lower), n_datasets, p, p_holm,
        absent.
    """
    rows = rows_of(measured, "questions")
    table = COMPARED.table(rows, statistics, "questions", digits=None)
    columns = ["metric", "question", *COMPARED.columns[2:], "absent"]
    return _finished(table.rename(columns={"cell": "question"}), columns, measured, plan)


@table(
    "Distances to prototypes",
    caption="Means over data sets, with {n_prototypes} prototypes of each cluster of the "
    f"distance as it is. {{forests}} {MISSING} {{of_forests}}",
    words=said,
    behind=behind_prototypes,
)
def structure_beyond_prototypes(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the space of prototypes beside unnormalised and normalised distances.

    Parameters
    ----------
    measured : mapping of DataFrame
        `closeness` and `scores` are read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, method, scale (`prototypes` the third) and data set (a key, or
        `mean_over_datasets`). Columns: metric, method, scale, dataset, measured, n_datasets, and of
        the means of the other two scales: difference (prototypes minus this scale), wins and
        losses (data sets on which prototypes are higher and lower), p, p_holm; absent.
    """
    rows = rows_of(measured, "prototypes")
    lines = _lines(_means(rows, "prototypes"), rows, statistics, "prototypes", "second")
    lines = lines.rename(columns={"cell": "method", "method": "scale"})
    columns = ["metric", "method", "scale", "dataset", "measured", *_BESIDE, "absent"]
    return _finished(lines, columns, measured, plan)


@table(
    "Ensembles of k trees",
    caption="Test scores of the mean of the class probabilities of k trees, in per cent, means "
    "over data sets. {pools} {of_ensembles}",
    words=said,
    behind=behind_ensembles,
)
def structure_beyond_ensembles(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of ensembles of k trees, chosen in seven ways.

    Parameters
    ----------
    measured : mapping of DataFrame
        `ensembles` is read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per score, pool of trees, k, strategy and data set (a key, or
        `mean_over_datasets`). Columns: metric (f1, accuracy), pool, k, strategy, dataset, measured
        (per cent), mean_distance (edit distance B2 between two members), member_f1 (mean of its
        trees), n_datasets, and of means: difference (`structure` minus this strategy), wins and
        losses (data sets on which `structure` is higher and lower), p, p_holm; absent.
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
    lines = _lines(means.reset_index(), rows, statistics, "ensembles", "second")
    columns = ["metric", "pool", "k", "strategy", "dataset", "measured", "mean_distance"]
    columns += ["member_f1", *_BESIDE, "absent"]
    return _finished(lines.rename(columns={"method": "strategy"}), columns, measured, plan)


@table(
    "Trees of bootstrap samples",
    caption="Means over pairs of trees, or trees, of bootstrap samples, then over data sets. Per "
    "test: the sum of all distances over the sum of the numbers of tests of both trees. "
    "{learners} {of_samples}",
    words=said,
    behind=behind_stability,
)
def structure_beyond_stability(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the distances between trees of bootstrap samples, by learner.

    Parameters
    ----------
    measured : mapping of DataFrame
        `stability` is read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, learner and data set (a key, or `mean_over_datasets`). Columns: metric,
        learner, dataset, measured (mean over divisions), n_datasets, and of means: difference (to
        C4.5), wins and losses (data sets on which the learner is higher and lower), p, p_holm;
        absent.
    """
    rows = rows_of(measured, "stability")
    lines = _lines(_means(rows, "stability"), rows, statistics, "stability", "first")
    columns = ["metric", "learner", "dataset", "measured", *_BESIDE, "absent"]
    return _finished(lines.rename(columns={"method": "learner"}), columns, measured, plan)


#: Of the comparison of a method, beside its mean over data sets.
_BESIDE = ["difference", "wins", "losses", "n_datasets", *COMPARED.ps]


def _means(rows: pd.DataFrame, part: str) -> pd.DataFrame:
    """Means over data sets of what is compared in a part."""
    found = {}
    for metric in rows["metric"].unique():
        wide = COMPARED.means(rows, part, metric)
        found[metric] = pd.DataFrame({"value": wide.mean(), "n_datasets": wide.count()})
    return pd.concat(found, names=["metric"]).reset_index()


def _lines(
    means: pd.DataFrame, rows: pd.DataFrame, statistics: pd.DataFrame, part: str, side: str
) -> pd.DataFrame:
    """Means, each with its comparison, of which it is this side; then data sets."""
    tests = COMPARED.table(rows, statistics, part, digits=None).drop(columns="n_datasets")
    tests = tests.rename(columns={side: "method"})
    means = means.merge(tests, on=["cell", "metric", "method"], how="left").assign(dataset=MEAN)
    lines = pd.concat([means, rows.assign(n_datasets=1)], ignore_index=True)
    return lines.rename(columns={"value": "measured"})


def _long(wide: pd.DataFrame) -> pd.DataFrame:
    """Data sets by (method, scale) -> dataset, method, scale, measured."""
    return (
        wide.rename_axis(index="dataset", columns=["method", "scale"])
        .stack(["method", "scale"], future_stack=True)
        .rename("measured")
        .reset_index()
    )


#: Names of every column that orders a table.
_ORDER = {
    "metric": [*METRICS, *OF_LEARNERS, *(m for m in SCORED if m not in OF_LEARNERS)],
    "question": list(QUESTIONS),
    "pool": list(POOLS),
    "method": list(VARIANTS),
    "scale": list(SCALES),
    "strategy": list(STRATEGIES),
    "learner": list(LEARNERS),
}


def _finished(table, columns, measured, plan) -> pd.DataFrame:
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
    for name in ("wins", "losses", "n_datasets", "n_forests", "k"):
        if name in table:
            table[name] = table[name].astype(float).astype("Int64")
    numbers = [
        c for c in table.select_dtypes("float").columns if c not in ("p", "p_holm", "friedman_p")
    ]
    table[numbers] = table[numbers].round(6) + 0.0
    return table


# ----------------------------------------------------------------------------------- answers


def smallest_of_questions(n_datasets: int) -> float:
    """The smallest p after Holm that a question can have: it corrects over those of one metric."""
    return smallest_holm([n_datasets] * len(QUESTIONS))[0]


def direction(row: pd.Series) -> str:
    """In a word, whether the first of two is higher or lower by the test after Holm.

    Parameters
    ----------
    row : Series
        A row of `structure_beyond_questions`.

    Returns
    -------
    str: `higher`, `lower`, `no difference`, or `too few data sets` where none could be seen
    """
    if smallest_of_questions(row["n_datasets"]) >= LEVEL:
        return "too few data sets"
    if not row["p_holm"] < LEVEL:
        return "no difference"
    return "higher" if row["difference"] > 0 else "lower"
