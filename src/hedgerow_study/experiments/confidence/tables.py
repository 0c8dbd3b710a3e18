"""Tables of ConfDTree's evaluation (Katz and others, section IV)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd

from hedgerow_study.experiments.confidence.plan import (
    AFFECTED_METRICS,
    BASE,
    CRITERIA,
    FOREST,
    KINDS,
    METHODS,
    PRINTED_KINDS,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.confidence.statistics import independent_datasets, kind_of
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import cells_of, published_number
from hedgerow_study.experiments.step import table
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import finished, heads_of, how_many, in_rows

#: What texts call base trees and methods.
LEARNER_LABELS = {
    "j48": "J48, pruned",
    "j48_unpruned": "J48, unpruned",
    "pruned": "C4.5, pruned",
    "unpruned": "C4.5, unpruned",
}
TREE_LABELS = {
    name: LEARNER_LABELS[base.learner]
    + (", Laplace-smoothed" if base.smoothing else "")
    + f" ({base.too_few} rule)"
    for name, base in TREES.items()
}
LABELS = {
    BASE: "Tree",
    "confdtree_norm": "NORM",
    "confdtree_tdist": "TDIST",
    "confdtree_comb": "COMB",
    FOREST: "Forest",
}
CHOICE_LABELS = {"points": "ten percentage points", "relative": "a tenth of it"}
#: Of table I, with their units.
FACTS = {
    "n_classes": "count",
    "n_numeric_variables": "count",
    "n_variables": "count",
    "n_instances": "count",
    "imbalance_ratio": "ratio",
}
GAIN = "relative_auc_improvement_vs_c45"
#: Of table II: the test, and which of its numbers.
TESTS = {
    "wilcoxon_z": ("wilcoxon_normal", "statistic"),
    "wilcoxon_p": ("wilcoxon_normal", "p"),
    "paired_t": ("paired_t", "statistic"),
    "paired_t_p": ("paired_t", "p"),
}


def caption_values(plan: ConfidencePlan) -> dict[str, str]:
    """Words of the captions: what was asked for."""
    return {
        "tree": TREE_LABELS[plan.tree],
        "cv": f"{how_many(plan.n_repeats, 'cross validation')} of {plan.n_folds} folds",
        "n_trees": str(plan.n_trees),
        "affected": CHOICE_LABELS[plan.affected],
        "other": next(t for r, t in CHOICE_LABELS.items() if r != plan.affected),
        "m": f"{plan.min_instances:g}",
        "repeats": how_many(plan.n_curve_repeats, "repeat"),
        "ran": f"Asked for: {', '.join(plan.datasets)}, configuration {plan.configuration}.",
    }


def gains_sources(table: pd.DataFrame, plan: ConfidencePlan) -> Iterator[Cell]:
    """Table I rests on the areas of each cross validation, and on the facts of the data sets."""
    for row, line in enumerate(table.to_dict("records")):
        where = {"dataset": line["registry"]}
        if line["status"] != "run":
            continue
        if line["metric"] in FACTS:
            yield Cell(row, "measured", "value", (Rows("facts", where, line["metric"]),))
            continue
        where["metric"] = line["criterion"]
        tree = "" if line["method"] == FOREST else plan.tree
        first = Rows("rows", {**where, "method": line["method"], "tree": tree})
        base = Rows("rows", {**where, "method": BASE, "tree": plan.tree})
        yield Cell(row, "measured", "gain", (first, base), 100.0)
        for column, formula in (("lowest", "lowest_gain"), ("highest", "highest_gain")):
            yield Cell(row, column, formula, (first, base), 100.0, ("repeat",))
        for column, rows in (("auc", first), ("base_auc", base)):
            yield Cell(row, column, "mean", (rows,))


def tests_sources(table: pd.DataFrame, facts: pd.DataFrame, plan: ConfidencePlan) -> Iterator[Cell]:
    """Table II rests on the areas of the data sets of its kind, those of the base tree first."""
    kinds = kind_of(facts)
    names = independent_datasets(plan, facts["dataset"].tolist())
    kind_named = {printed: kind for kind, printed in PRINTED_KINDS.items()}
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["n_datasets"]):
            continue
        sets = [n for n in names if kinds[n] == kind_named[line["dataset"]]]
        where = {"tree": plan.tree, "method": line["method"], "criterion": line["criterion"]}
        where["dataset"] = sets
        pair = (Rows("gains", where, "base_auc"), Rows("gains", where, "auc"))
        yield Cell(row, "measured", line["metric"], pair, by=("dataset",))
        yield Cell(row, "n_datasets", "n_rows", pair[:1])
        if pd.notna(line["exact_p"]):
            yield Cell(row, "exact_p", "wilcoxon_exact_p", pair, by=("dataset",))


def affected_sources(table: pd.DataFrame, plan: ConfidencePlan) -> Iterator[Cell]:
    """Table III rests on the shares of each cross validation."""
    measures = {
        "measured": AFFECTED_METRICS[plan.affected],
        **AFFECTED_METRICS,
        "reassigned": "reassigned",
    }
    for row, line in enumerate(table.to_dict("records")):
        where = {"tree": plan.tree, "dataset": line["registry"], "method": line["method"]}
        for column, metric in measures.items() if line["status"] == "run" else ():
            yield Cell(row, column, "mean", (Rows("rows", {**where, "metric": metric}),), 100.0)


@table(
    "Data sets, and the gain in the area under the curve",
    caption="Relative improvement of the area under the ROC curve over {tree}, in per cent, "
    "mean over {cv}, and the published one; of several classes "
    "the mean of the areas of one class against the rest, and weighted by the classes' shares. "
    "Predictions of all folds are put together. Random forest of {n_trees} trees. The paper's "
    "MiniBooNE is in no source; the two yeast sets both fit its row. {ran}",
    caption_values=caption_values,
    sources=gains_sources,
)
def confdtree_table_1(
    facts: pd.DataFrame, gains: pd.DataFrame, published: Frames, plan: ConfidencePlan
) -> pd.DataFrame:
    """Table I: properties of the data sets, and the gain of each method in the area.

    Returns: dataset (printed key), registry, status (`run`, `absent`, `not asked for`), method
    (empty for properties), criterion, metric, unit, measured, lowest, highest, auc, base_auc,
    published (number), printed (text).
    """
    properties = facts.set_index("dataset")
    gains_of_tree = gains[gains["tree"] == plan.tree].set_index(["dataset", "method", "criterion"])
    gains_of_tree = gains_of_tree.sort_index()
    printed = cells_of(published["confdtree_table_1"])
    lines = []
    for head in heads_of(published["confdtree_table_1"]["dataset"], properties.index, plan):
        key, name = head["dataset"], head["registry"]
        for metric, unit in FACTS.items():
            text = printed.get((key, "", "", metric))
            line = {**head, "method": "", "criterion": "", "metric": metric, "unit": unit}
            line |= {"measured": properties[metric].get(name, np.nan), "printed": text}
            lines.append({**line, "published": _ratio(text) if unit == "ratio" else text})
        for method, criterion in itertools.product((*VERSIONS, FOREST), CRITERIA):
            text = printed.get((key, method, criterion, GAIN))
            line = {**head, "method": method, "criterion": criterion, "metric": GAIN}
            line |= {"unit": "percent", "published": text, "printed": text}
            if (name, method, criterion) in gains_of_tree.index:
                cell = gains_of_tree.loc[(name, method, criterion)]
                line |= {"measured": cell["gain"]} | {c: cell[c] for c in _GAINS[1:]}
            if text is not None or "measured" in line:
                lines.append(line)
    numbers = [*_GAINS, "published"]
    return finished(lines, [*_HEAD, *numbers, "printed"], numbers)


_HEAD = ["dataset", "registry", "status", "method", "criterion", "metric", "unit"]
_GAINS = ["measured", "lowest", "highest", "auc", "base_auc"]


def _ratio(text: str | None) -> float | None:
    """Largest class to smallest of a printed ratio such as `1 : 1.44 : 8.44`.

    >>> _ratio("1 : 1.44 : 8.44"), _ratio("max ratio of 1 : 1.1"), _ratio(None)
    (8.44, 1.1, None)
    """
    return None if text is None else max(float(part.split()[-1]) for part in text.split(":"))


@table(
    "The tree against ConfDTree, tests over data sets",
    caption="Tests over data sets of the area of {tree} against that of each version, as "
    "the paper has them: a negative value favours ConfDTree. Wilcoxon's signed-rank test by its "
    "normal approximation, as printed, with the exact p beside, and a paired t test. With few "
    "data sets no test can say much: n is their number. {ran}",
    caption_values=caption_values,
    sources=tests_sources,
)
def confdtree_table_2(
    statistics: pd.DataFrame, published: Frames, plan: ConfidencePlan
) -> pd.DataFrame:
    """Table II: tests of C4.5 against each version.

    Returns: dataset (`multi_class_datasets`, `binary_datasets`), method, criterion, metric (of
    `TESTS`), measured, published, exact_p (of Wilcoxon's test), n_datasets, published_n.
    """
    tests = statistics[(statistics["part"] == "base") & (statistics["tree"] == plan.tree)]
    tests = tests.set_index(["kind", "method", "criterion", "name"]).sort_index()
    printed = cells_of(published["confdtree_table_2"])
    sets = published["confdtree_table_1"].query("metric == 'n_classes'")
    n_published = {
        "binary": int((sets["value"].astype(float) == 2).sum()),
        "multi_class": int((sets["value"].astype(float) > 2).sum()),
    }
    lines = []
    for kind, criterion, method, (metric, (name, column)) in itertools.product(
        reversed(KINDS), CRITERIA, VERSIONS, TESTS.items()
    ):
        text = printed.get((PRINTED_KINDS[kind], method, criterion, metric))
        if text is None:
            continue
        line = {"dataset": PRINTED_KINDS[kind], "method": method}
        line |= {"criterion": criterion, "metric": metric}
        cell = (kind, method, criterion, name)
        if cell in tests.index:
            line |= {"measured": tests.loc[cell, column], "n_datasets": tests.loc[cell, "n"]}
            if name.startswith("wilcoxon"):
                line["exact_p"] = tests.loc[(*cell[:3], "wilcoxon"), "p"]
        line |= {"published": published_number(text), "published_n": n_published[kind]}
        lines.append(line)
    columns = ["dataset", "method", "criterion", "metric"]
    numbers, counts = ["measured", "published", "exact_p"], ["n_datasets", "published_n"]
    return finished(lines, [*columns, *numbers, *counts], numbers, counts)


@table(
    "Instances that a version affects",
    caption="Share of test instances, in per cent, whose assigned class changes its probability by "
    "{affected} or more, mean over {cv} of {tree}; beside it the other interpretation of "
    "the paper's “modified by 10 % or more”: {other}. Reassigned: another class is assigned. {ran}",
    caption_values=caption_values,
    sources=affected_sources,
)
def confdtree_table_3(rows: pd.DataFrame, published: Frames, plan: ConfidencePlan) -> pd.DataFrame:
    """Table III: share of instances that each version affects.

    Returns: dataset, registry, status, method, metric (`instances_affected`), unit (per cent),
    measured (the interpretation of the plan), points, relative, reassigned, published.
    """
    means = rows[rows["tree"] == plan.tree].groupby(["dataset", "method", "metric"])["value"].mean()
    printed = cells_of(published["confdtree_table_3"])
    measures = {
        "measured": AFFECTED_METRICS[plan.affected],
        **AFFECTED_METRICS,
        "reassigned": "reassigned",
    }
    lines = []
    for head in heads_of(published["confdtree_table_3"]["dataset"], set(rows["dataset"]), plan):
        for method in VERSIONS:
            line = {**head, "method": method, "metric": "instances_affected", "unit": "percent"}
            for column, metric in measures.items():
                line[column] = 100.0 * means.get((head["registry"], method, metric), np.nan)
            text = printed.get((head["dataset"], method, "", "instances_affected"))
            lines.append({**line, "published": text})
    columns = ["dataset", "registry", "status", "method", "metric", "unit"]
    numbers = ["measured", *AFFECTED_METRICS, "reassigned", "published"]
    return finished(lines, [*columns, *numbers], numbers)


def trees_sources(table: pd.DataFrame, facts: pd.DataFrame, plan: ConfidencePlan) -> Iterator[Cell]:
    """Gains over each base tree of the data sets of a kind."""
    kinds, names = kind_of(facts), independent_datasets(plan, facts["dataset"].tolist())
    for row, line in enumerate(table.to_dict("records")):
        where = {"dataset": [n for n in names if kinds[n] == line["kind"]], "tree": line["tree"]}
        areas = {**where, "criterion": CRITERIA[0], "method": next(iter(VERSIONS))}
        yield Cell(row, "base_auc", "mean", (Rows("gains", areas, "base_auc"),))
        leaves = Rows("rows", {**where, "metric": "n_leaves"})
        yield Cell(row, "n_leaves", "mean_of_means", (leaves,), by=("dataset",))
        for method in (*VERSIONS, FOREST):
            gains = Rows("gains", {**where, "criterion": CRITERIA[0], "method": method}, "gain")
            yield Cell(row, method, "mean", (gains,))
            yield Cell(row, f"{method}_wins", "n_above_0", (gains,))


def small_parts_sources(
    table: pd.DataFrame, facts: pd.DataFrame, plan: ConfidencePlan
) -> Iterator[Cell]:
    """Areas on what training parts of each size leave, of the data sets of a kind."""
    kinds, names = kind_of(facts), independent_datasets(plan, facts["dataset"].tolist())
    for row, line in enumerate(table.to_dict("records")):
        where = {"dataset": [n for n in names if kinds[n] == line["kind"]], "share": line["share"]}
        where |= {"metric": CRITERIA[0], "tree": plan.tree}
        base = Rows("sizes", {**where, "method": BASE})
        yield Cell(row, "base_auc", "mean_of_means", (base,), by=("dataset",))
        for method in VERSIONS:
            pair = (Rows("sizes", {**where, "method": method}), base)
            yield Cell(row, method, "mean_gain", pair, 100.0, ("dataset",))


@table(
    "Base trees that the paper does not state",
    caption="Mean area of the tree and mean relative improvement over it, in per cent, for J48 of "
    "Weka and C4.5 of the thesis, pruned or not, with Laplace-smoothed leaves or not, over n data "
    "sets, of which so many improve; beside it the printed mean over the same data sets. A class "
    "with fewer than {m} instances disables all of a node (node rule) or its own interval (class "
    "rule). {cv} each. {ran}",
    caption_values=caption_values,
    sources=trees_sources,
)
def confidence_trees(
    gains: pd.DataFrame,
    facts: pd.DataFrame,
    rows: pd.DataFrame,
    published: Frames,
    plan: ConfidencePlan,
) -> pd.DataFrame:
    """The gain of each method over each base tree.

    Returns: kind, tree, base_auc, n_leaves (means over data sets), then of each method its mean
    gain, `<method>_wins` and `<method>_published` (mean of the printed gains over the data sets
    that the paper has), n_datasets. Areas are plain means over classes.
    """
    kinds = kind_of(facts)
    names = independent_datasets(plan, facts["dataset"].tolist())
    selected = gains[gains["criterion"] == CRITERIA[0]]
    leaves = rows[rows["metric"] == "n_leaves"].groupby(["tree", "dataset"])["value"].mean()
    printed = cells_of(published["confdtree_table_1"])
    key_of = {name: key for key, sets in plan.printed.items() for name in sets}
    lines = []
    for kind in KINDS:
        mine = [n for n in names if kinds[n] == kind]
        for tree in TREES if mine else ():
            cells = selected[(selected["tree"] == tree) & selected["dataset"].isin(mine)]
            line = {"kind": kind, "tree": tree}
            line["base_auc"] = cells.groupby("dataset")["base_auc"].first().mean()
            line["n_leaves"] = leaves[tree][mine].mean()
            for method in (*VERSIONS, FOREST):
                gain = cells[cells["method"] == method]["gain"]
                theirs = [
                    float(printed[key_of[n], method, CRITERIA[0], GAIN])
                    for n in mine
                    if n in key_of
                ]
                line |= {method: gain.mean(), f"{method}_wins": int((gain > 0).sum())}
                line[f"{method}_published"] = np.mean(theirs) if theirs else np.nan
            lines.append({**line, "n_datasets": len(mine)})
    frame = pd.DataFrame(lines)
    return finished(frame, list(frame), [c for c in frame if frame[c].dtype.kind == "f"])


@table(
    "Gain by the size of the training part",
    caption="Mean relative improvement over {tree} of the area, in per cent, on the rows "
    "that a training part of so large a share of each data set leaves, {repeats} each; n data "
    "sets. The paper shows figure 6 without numbers. {ran}",
    caption_values=caption_values,
    sources=small_parts_sources,
)
def confidence_sizes(
    sizes: pd.DataFrame, facts: pd.DataFrame, plan: ConfidencePlan
) -> pd.DataFrame:
    """Mean gain by the share of the rows that trees are trained on, figure 6 in numbers.

    Returns: kind, share, base_auc, a column per version (mean over data sets of the gain of mean
    areas), n_datasets.
    """
    of_sizes = gains_by_share(sizes[sizes["tree"] == plan.tree])
    of_sizes = of_sizes[
        of_sizes["dataset"].isin(independent_datasets(plan, facts["dataset"].tolist()))
    ]
    of_sizes["kind"] = of_sizes["dataset"].map(kind_of(facts))
    means = of_sizes.groupby(["kind", "share", "method"])
    frame = means["gain"].mean().unstack().reindex(columns=list(VERSIONS))
    base = of_sizes.groupby(["kind", "share"])
    frame.insert(0, "base_auc", base["base_auc"].mean())
    frame["n_datasets"] = base["dataset"].nunique()
    frame = in_rows(frame.reset_index(), {"kind": KINDS, "share": None})
    return finished(frame, list(frame), ["base_auc", *VERSIONS])


def gains_by_share(sizes: pd.DataFrame) -> pd.DataFrame:
    """Gain of each data set, share of training rows and version.

    Returns: dataset, share, method, auc, base_auc (means over repeats), gain (per cent).
    """
    areas = sizes[sizes["metric"] == CRITERIA[0]]
    wide = areas.groupby(["dataset", "share", "method"])["value"].mean().unstack()
    wide = wide.reindex(columns=[m for m in METHODS if m != FOREST])
    long = wide[list(VERSIONS)].stack().rename("auc").reset_index()
    base = wide[BASE].rename("base_auc").reset_index()
    long = long.merge(base, on=["dataset", "share"])
    return long.assign(gain=100.0 * (long["auc"] / long["base_auc"] - 1.0))
