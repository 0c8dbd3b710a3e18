"""Tables of the edit distance of trees (thesis, chapter 5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.showing.numbers import count
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import published_number
from hedgerow_study.experiments.step import table
from hedgerow_study.experiments.structure.plan import (
    EXAMPLES,
    PAIRED,
    REFERENCES,
    REPEAT,
    SCALES,
    VARIANT_NAMES,
    VARIANTS,
    StructurePlan,
)
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import finished, how_many, lines_of, status

#: Rows of table 5.1 by their names in data/published: A2 and B2 with Spearman's correlation.
NORMED = {
    "edit_a1": "edit_a1",
    "edit_a2": "edit_a2_spearman",
    "edit_b1": "edit_b1",
    "edit_b2": "edit_b2_spearman",
}
#: Metrics of table 5.2, as printed, then those of our own.
CRITERIA = ("silhouette", "nmi_cluster_n_nodes", *EXAMPLES.values())
ADDED_METRICS = ("insertion_deletion_score_first", "chance")
UNITS = {
    "silhouette": "coefficient",
    "nmi_cluster_n_nodes": "nmi",
    **dict.fromkeys((*EXAMPLES.values(), *ADDED_METRICS), "share_of_pairs"),
}
#: Metrics of `structure_closeness`, with their units.
CLOSENESS_UNITS = {
    "rank_correlation_with_d_kl": "spearman",
    "rank_correlation_with_d_p": "spearman",
    "rank_correlation_with_size": "spearman",
    "mean_distance": "edit_cost",
    "largest_distance": "edit_cost",
}
#: Largest unnormalised distances, read off figure 5.3 by the text of thesis 5.4.
LARGEST = {
    "edit_a1": 9.0,
    "edit_a2_spearman": 6.3,
    "edit_b1": 5.0,
    "edit_b2_spearman": 4.1,
}
LABELS = {variant: " ".join(names) for variant, names in VARIANT_NAMES.items()}


# ------------------------------------------------------------------------------------- values


FOREST_0 = (
    "Forest 0 is the published protocol, below its values the printed ones; means are over all "
    "forests, each from another split of the data."
)


def caption_values(plan: StructurePlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    forests = how_many(plan.n_repeats, "forest")
    trees = f"at most {plan.n_trees} trees"
    if plan.forest == "complete":
        trees = "all trees of a search"
    return {
        "ran": f"Run: {', '.join(plan.datasets)}, {forests} of {trees}, "
        f"{count(plan.n_iterations)} iterations, configuration {plan.configuration}; the paper has "
        "one forest of 104 trees of wdbc.",
        "n_bootstrap": count(plan.n_bootstrap),
        "n_clusters": str(plan.n_clusters),
        "n_seeds": str(plan.n_seeds),
        "correlated_above": f"{plan.correlated_above:g}",
    }


def _sets(forests: pd.DataFrame, plan: StructurePlan) -> list[tuple[str, str, str]]:
    """Printed and registry key and status: the data set of the chapter first, then by name."""
    pairs, available = lines_of(plan.printed, plan.printed, plan.datasets), set(forests["dataset"])
    return [(*pair, status(pair[1], available, plan.datasets)) for pair in pairs]


def values_of(closeness: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """One value per forest, variant and metric, scores as their means over the seeds of k-means.

    Returns: dataset, repeat, method, scale, metric, value; without what is missing.
    """
    key = [*REPEAT, "method", "scale"]
    means = scores.drop(columns="seed").groupby(key, sort=True).mean().reset_index()
    long = [frame.melt(key, var_name="metric") for frame in (closeness, means)]
    values = pd.concat(long, ignore_index=True).dropna(subset="value")
    return values.sort_values([*key, "metric"], kind="stable").reset_index(drop=True)


class _Values:
    """Values of all forests by data set, method, scale and metric."""

    def __init__(self, values: pd.DataFrame):
        self._by_variant = {
            key: group.set_index("repeat")["value"]
            for key, group in values.groupby(["dataset", "method", "scale", "metric"], sort=False)
        }

    def summary(self, dataset: str, method: str, scale: str, metric: str) -> dict:
        """Of forest 0, and over all forests that have it."""
        values = self._by_variant.get((dataset, method, scale, metric), pd.Series(dtype=float))
        return {
            "measured": values.get(0, np.nan),
            "mean": values.mean(),
            "lowest": values.min(),
            "highest": values.max(),
            "n_repeats": len(values),
        }


_HEAD = ["dataset", "registry", "status", "method", "criterion", "metric", "unit"]
_SUMMARY = ["measured", "mean", "lowest", "highest", "n_repeats"]
_NUMBERS = _SUMMARY[:4]


def _head(*values: str) -> dict[str, Any]:
    return dict(zip(_HEAD, values, strict=True))


# ------------------------------------------------------------------------------------- tables


def _summary_sources(row: int, line: Mapping[str, Any], rows: Rows, means: bool) -> Iterator[Cell]:
    """Forest 0 and all forests; a score is first a mean over the seeds of k-means."""
    first = Rows(rows.of, {**rows.where, "repeat": 0}, rows.value)
    yield Cell(row, "measured", "mean" if means else "value", (first,))
    formulas = {"mean": "mean_of_means", "lowest": "lowest_of_means"}
    formulas |= {"highest": "highest_of_means", "n_repeats": "n_of_means"}
    for column, formula in formulas.items():
        yield Cell(row, column, formula, (rows,), by=("repeat",))


def norms_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 5.1 rests on the norms of each forest, and on their bootstrap."""
    firsts = {first for first, _ in PAIRED}
    for row, line in enumerate(table.to_dict("records")):
        if line["status"] != "run":
            continue
        variant = NORMED[line["method"]]
        where = {"dataset": line["registry"], "method": variant, "scale": line["criterion"]}
        yield from _summary_sources(row, line, Rows("closeness", where, line["metric"]), False)
        trees = Rows("forests", {"dataset": line["registry"], "repeat": 0}, "tree")
        yield Cell(row, "n_trees", "n_rows", (trees,))
        if variant not in firsts:
            continue
        reference = line["metric"].removeprefix("norm_diff_to_")
        test = {"dataset": line["registry"], "scale": line["criterion"]}
        test |= {"reference": reference, "first": variant}
        for column in ("difference", "low", "high"):
            yield Cell(row, column, "value", (Rows("statistics", {**test, "repeat": 0}, column),))
        yield Cell(row, "n_closer", "n_below_0", (Rows("statistics", test, "high"),))
        yield Cell(row, "n_farther", "n_above_0", (Rows("statistics", test, "low"),))


def scores_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 5.2 rests on the scores of each forest and seed."""
    return _variants_sources(table, "scores", True)


def closeness_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """The same of rank correlations."""
    return _variants_sources(table, "closeness", False)


def _variants_sources(table: pd.DataFrame, of: str, seeds: bool) -> Iterator[Cell]:
    for row, line in enumerate(table.to_dict("records")):
        if line["status"] != "run":
            continue
        where = {"dataset": line["registry"], "method": line["method"], "scale": line["criterion"]}
        yield from _summary_sources(row, line, Rows(of, where, line["metric"]), seeds)


@table(
    "edit distances and predictions",
    caption="Frobenius norms of the difference between the matrix of edit distances (A2 and B2 "
    f"with Spearman's correlation) and that of distances between predictions. {FOREST_0} "
    "Difference: to A1 or B1 in forest 0, with the middle 95 % of {n_bootstrap} bootstrap "
    "samples of its trees, and in how many forests that interval lies below 0. The matrices have "
    "different units: a norm mostly says how large the edit distances are. {ran}",
    caption_values=caption_values,
    sources=norms_sources,
)
def thesis_table_5_1(results: Frames, published: Frames, plan: StructurePlan) -> pd.DataFrame:
    """Table 5.1: norms of the differences between edit distances and distances of predictions.

    Returns: in printed order: dataset (printed key; the registry's for sets that the thesis does
    not have), registry, status (`run`, `absent`, `not asked for`), method, criterion (scale),
    metric, unit, measured (Frobenius norm, forest 0), mean, lowest, highest over the n_repeats
    forests, n_trees (of forest 0), published; for A2 and B2 the difference to A1 and B1 in forest 0
    with low and high, the middle 95 % of the bootstrap over trees, and in how many forests this
    interval lies below (n_closer) or above 0 (n_farther).
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    n_trees = results["forests"].groupby(REPEAT).size()
    tested = results["statistics"].set_index(["dataset", "scale", "reference", "first"])
    tested = tested.sort_index()
    printed = published["thesis_table_5_1"].set_index(["dataset", "method", "criterion", "metric"])
    firsts = {first for first, _ in PAIRED}
    of = itertools.product(_sets(results["forests"], plan), REFERENCES, NORMED.items(), SCALES)
    lines = []
    for (key, dataset, state), reference, (method, variant), scale in of:
        metric = f"norm_diff_to_{reference}"
        line = {
            **_head(key, dataset, state, method, scale, metric, "matrix_norm"),
            **values.summary(dataset, variant, scale, metric),
            "n_trees": n_trees.get((dataset, 0)),
            "published": printed["value"].get((key, method, scale, metric)),
        }
        if variant in firsts and state == "run":
            # A list of one: of a single forest there would be no table.
            tests = tested.loc[[(dataset, scale, reference, variant)]].set_index("repeat")
            line |= {c: tests[c].get(0) for c in ("difference", "low", "high")}
            line["n_closer"] = int((tests["high"] < 0).sum())
            line["n_farther"] = int((tests["low"] > 0).sum())
        lines.append(line)
    numbers, counts = ["difference", "low", "high"], ["n_closer", "n_farther"]
    columns = [*_HEAD, *_SUMMARY, "n_trees", "published", *numbers, *counts]
    return finished(lines, columns, [*_NUMBERS, *numbers], ["n_repeats", "n_trees", *counts])


@table(
    "clusters of trees",
    caption="Clusters of trees, k = {n_clusters}; scores are means over {n_seeds} seeds of "
    f"k-means. {FOREST_0} The thesis scores pairs that it names (11, 5 and 2); here rules find all "
    "pairs of a kind in the forest at hand, so that measured and printed scores are over "
    "different pairs. NMI: of cluster and number of nodes. Each score is the share of pairs that "
    "is in one cluster: of parents and children, and of those whose parent has one test; of trees "
    "with the same variables and other thresholds; of trees that differ by one strongly "
    "correlated variable. Chance is that share of all pairs of trees, which large clusters raise. "
    "{ran}",
    caption_values=caption_values,
    sources=scores_sources,
)
def thesis_table_5_2(results: Frames, published: Frames, plan: StructurePlan) -> pd.DataFrame:
    """Table 5.2: clusters by each of the sixteen variants, and what they keep together.

    Returns: in printed order: dataset, registry, status, method, criterion (scale), metric, unit,
    measured (forest 0, mean over the seeds of k-means), mean, lowest, highest over the n_repeats
    forests that have such pairs, n_pairs (of forest 0), published (number) and printed (text).
    Beside the five criteria `insertion_deletion_score_first`, of the children of trees with one
    test, and `chance`, the share of all pairs of trees that are in one cluster.
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    n_pairs = _n_pairs(results)
    printed = published["thesis_table_5_2"].set_index(["dataset", "method", "criterion", "metric"])
    sets = _sets(results["forests"], plan)
    lines = []
    for (key, dataset, state), method, scale, metric in itertools.product(
        sets, VARIANTS, SCALES, (*CRITERIA, *ADDED_METRICS)
    ):
        text = printed["value"].get((key, method, scale, metric))
        line = _head(key, dataset, state, method, scale, metric, UNITS[metric])
        line |= values.summary(dataset, method, scale, metric)
        line |= {"n_pairs": n_pairs.get((dataset, 0, metric)), "printed": text}
        lines.append({**line, "published": None if text is None else published_number(text)})
    columns = [*_HEAD, *_SUMMARY, "n_pairs", "published", "printed"]
    return finished(lines, columns, _NUMBERS, ["n_repeats", "n_pairs"])


def _n_pairs(results: Frames) -> dict[tuple, int]:
    """Pairs behind each score, by data set, repeat and metric."""
    from hedgerow_study.experiments.structure.steps import pairs_of

    n_pairs = {}
    forests = results["forests"].sort_values("tree")
    for (dataset, repeat), trees in forests.groupby(REPEAT, sort=True):
        examples = results["examples"]
        mine = examples[(examples["dataset"] == dataset) & (examples["repeat"] == repeat)]
        for metric, pairs in pairs_of(mine, trees).items():
            n_pairs[dataset, repeat, metric] = len(pairs)
        n_pairs[dataset, repeat, "chance"] = len(trees) * (len(trees) - 1) // 2
    return n_pairs


def examples_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """The pairs of each forest, and the distances of the one that is shown."""
    methods = [*NORMED.values(), *REFERENCES]
    for row, line in enumerate(table.to_dict("records")):
        where = {"dataset": line["registry"], "repeat": line["repeat"]}
        trees = Rows("forests", where, "tree")
        yield Cell(row, "n_trees", "n_rows", (trees,))
        if line["n_pairs"]:
            pairs = {**where, "criterion": line["criterion"]}
            yield Cell(row, "n_pairs", "n_rows", (Rows("examples", pairs, "tree_1"),))
            pair = {**where, "tree_1": line["tree_1"], "tree_2": line["tree_2"]}
            for method in methods:
                yield Cell(row, method, "value", (Rows("distances", pair, method),))


@table(
    "Pairs of trees that the rules found",
    caption="Pairs that the rules found, by forest. Strongly correlated: rank correlation "
    "(Spearman) above {correlated_above}. Beneath, one pair of each kind in forest 0, or in the "
    "first forest that has one, with its edits by B2 and its distance by the four costs. {ran}",
    caption_values=caption_values,
    sources=examples_sources,
)
def structure_examples(results: Frames, plan: StructurePlan) -> pd.DataFrame:
    """The pairs of trees that the rules found in each forest, and one of each kind in words.

    Returns: dataset, registry, forest, n_trees, criterion, n_pairs, n_first (pairs whose first tree
    has one test), n_more (pairs that differ in more than one test); of the pair that stands for
    them (`hedgerow_study.experiments.structure.steps.shown_pairs`) tree_1, tree_2, n_nodes_1,
    n_nodes_2, edits (by B2 with Spearman's correlation) and its distances edit_a1,
    edit_a2_spearman, edit_b1, edit_b2_spearman, d_kl, d_p. Empty where a forest has no such pair.
    """
    methods = [*NORMED.values(), *REFERENCES]
    pair = [*REPEAT, "tree_1", "tree_2"]
    distances = results["distances"].set_index(pair)[methods]
    scripts = results["scripts"].set_index([*REPEAT, "criterion"])
    lines = []
    for key, dataset, _ in _sets(results["forests"], plan):
        of_set = results["forests"][results["forests"]["dataset"] == dataset]
        for repeat, trees in of_set.groupby("repeat", sort=True):
            n_tests, n_nodes = (trees.set_index("tree")[c] for c in ("n_tests", "n_nodes"))
            examples = results["examples"]
            mine = examples[(examples["dataset"] == dataset) & (examples["repeat"] == repeat)]
            for criterion in EXAMPLES:
                pairs = mine[mine["criterion"] == criterion]
                line = {"dataset": key, "registry": dataset, "repeat": repeat}
                line |= {"n_trees": len(trees), "criterion": criterion, "n_pairs": len(pairs)}
                line["n_first"] = int((pairs["tree_1"].map(n_tests) == 1).sum())
                line["n_more"] = int((pairs["n_changed"] > 1).sum())
                if len(pairs):
                    shown = scripts.loc[(dataset, repeat, criterion)]
                    one, two = int(shown["tree_1"]), int(shown["tree_2"])
                    line |= {"tree_1": one, "tree_2": two, "edits": shown["edits"]}
                    line |= {"n_nodes_1": n_nodes[one], "n_nodes_2": n_nodes[two]}
                    line |= distances.loc[(dataset, repeat, one, two)].to_dict()
                lines.append(line)
    counts = ["tree_1", "tree_2", "n_nodes_1", "n_nodes_2"]
    columns = ["dataset", "registry", "repeat", "n_trees", "criterion", "n_pairs", "n_first"]
    return finished(lines, [*columns, "n_more", *counts, "edits", *methods], methods, counts)


@table(
    "Rank correlations of the distances",
    caption="Rank correlation, over all pairs of different trees, of edit distances with "
    "distances between predictions and with the number of nodes of both trees; unlike the norms "
    "of table 5.1 it does not depend on units. Means over all forests, and forest 0 in small "
    "type. {ran}",
    caption_values=caption_values,
    sources=closeness_sources,
)
def structure_closeness(results: Frames, plan: StructurePlan) -> pd.DataFrame:
    """Whether edit distances rank pairs of trees as distances of predictions do, or as size does.

    Norms of differences, table 5.1, compare quantities in different units: they mostly say how
    large the edit distances are. Rank correlations do not depend on units.

    Returns: dataset, registry, status, method, criterion (scale), metric (rank correlations over
    all pairs of different trees with d_KL in the mean of both directions, with d_p and with the
    number of nodes of both trees; mean and largest distance), unit, measured (forest 0), mean,
    lowest, highest, n_repeats, published (largest distances of the text).
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    sets = _sets(results["forests"], plan)
    lines = []
    for (key, dataset, state), method, scale, (metric, unit) in itertools.product(
        sets, VARIANTS, SCALES, CLOSENESS_UNITS.items()
    ):
        line = _head(key, dataset, state, method, scale, metric, unit)
        line |= values.summary(dataset, method, scale, metric)
        if (metric, scale) == ("largest_distance", "unnormalized") and key in plan.printed:
            line["published"] = LARGEST.get(method)
        lines.append(line)
    numbers = [*_NUMBERS, "published"]
    return finished(lines, [*_HEAD, *_SUMMARY, "published"], numbers, ["n_repeats"])
