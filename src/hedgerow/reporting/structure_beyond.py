"""Tables, figures and plain answers of what goes beyond chapter 5.

Nothing here stands in the thesis, so that there is no published value beside it. Each function is
named by the id of the table or figure that it makes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from hedgerow.evaluation.significance import critical_difference
from hedgerow.experiments import structure
from hedgerow.experiments.structure_beyond import (
    BASE,
    DIVERSE,
    FEWEST_TREES,
    LEARNERS,
    METRICS,
    OF_LEARNERS,
    PATTERN,
    POOLS,
    QUESTIONS,
    SCALES,
    SCORED,
    STRATEGIES,
    StructureBeyondPlan,
    by_group,
    scores_by_forest,
    scores_by_variant,
)
from hedgerow.reporting.figures import LOOKS, WIDTH, Look, style

MEAN = "mean_over_datasets"

#: A test over data sets is called a difference below this, after Holm's correction.
LEVEL = 0.05
#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6
#: Values nearer to each other than this are the same.
EQUAL = 1e-9

VARIANT_LABELS = {
    "edit_a1": "A1",
    "edit_a2_pearson": "A2, Pearson",
    "edit_a2_kendall": "A2, Kendall",
    "edit_a2_spearman": "A2, Spearman",
    "edit_b1": "B1",
    "edit_b2_pearson": "B2, Pearson",
    "edit_b2_kendall": "B2, Kendall",
    "edit_b2_spearman": "B2, Spearman",
}

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


def structure_beyond_variants(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the sixteen edit distances over data sets.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness` and `scores` are read, as returned by
        `hedgerow.experiments.structure_beyond.run`, of all data sets.
    statistics : DataFrame
        As returned by `hedgerow.experiments.structure_beyond.statistics`.
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
        wide = scores_by_variant(tables, metric)
        wide = wide[[c for c in wide.columns if c[1] in structure.SCALES]]
        if wide.empty:
            continue
        mean = _long(wide.mean().to_frame(MEAN).T)
        ranks = wide.round(12).rank(axis=1, ascending=False).mean()
        mean["mean_rank"] = [ranks[key] for key in zip(mean["method"], mean["scale"], strict=True)]
        mean["friedman_p"] = friedman[metric]
        mean["critical_difference"] = critical_difference(wide.shape[1], len(wide), LEVEL)
        forests = scores_by_forest(tables, metric).groupby(level="dataset").size()
        mean = mean.assign(n_datasets=len(wide), n_forests=forests.sum())
        own = _long(wide).assign(n_datasets=1)
        own["n_forests"] = own["dataset"].map(forests)
        frames.append(pd.concat([mean, own]).assign(metric=metric))
    columns = ["metric", "method", "scale", "dataset", "measured", "n_datasets", "n_forests"]
    columns += ["mean_rank", "friedman_p", "critical_difference", "absent"]
    return _finished(frames, columns, tables, plan)


def structure_beyond_questions(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the paired questions: correlations, type B, normalisation, prototypes.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness` and `scores` are read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric and question (a key of
        `hedgerow.experiments.structure_beyond.QUESTIONS`). Columns: metric, question, first,
        second (what is compared), mean_first, mean_second, difference (first minus second),
        n_higher and n_lower (data sets on which the first is so), n_datasets, p, p_holm, absent.
    """
    rows = []
    for metric in METRICS:
        wide = scores_by_variant(tables, metric)
        for name, (first, second, one, two) in QUESTIONS.items() if len(wide) else ():
            values = wide[list(one)].mean(axis=1), wide[list(two)].mean(axis=1)
            gain = values[0] - values[1]
            rows.append(
                {
                    **{"metric": metric, "question": name, "first": first, "second": second},
                    **{"mean_first": values[0].mean(), "mean_second": values[1].mean()},
                    **_compared(gain),
                }
            )
    tests = _p_values(statistics, "questions").rename(columns={"cell": "question"})
    columns = ["metric", "question", "first", "second", "mean_first", "mean_second"]
    columns += [*COMPARED, "p", "p_holm", "absent"]
    table = pd.DataFrame(rows, columns=columns[:-3])
    table = table.merge(tests, on=["metric", "question", "first", "second"], how="left")
    return _finished([table], columns, tables, plan)


def structure_beyond_prototypes(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the space of prototypes beside unnormalised and normalised distances.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness` and `scores` are read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, method, scale (`prototypes` the third) and data set (a key, or
        `mean_over_datasets`). Columns: metric, method, scale, dataset, measured, n_datasets, and of
        the means of the other two scales: difference (prototypes minus this scale), n_higher and
        n_lower (data sets on which prototypes are so), p, p_holm; absent.
    """
    tests = _p_values(statistics, "prototypes").rename(
        columns={"cell": "method", "second": "scale"}
    )
    frames = []
    for metric in METRICS:
        wide = scores_by_variant(tables, metric)
        if wide.empty:
            continue
        mean = _long(wide.mean().to_frame(MEAN).T).set_index(["method", "scale"])
        for method, scale in itertools.product(structure.VARIANTS, structure.SCALES):
            found = _compared(wide[method, "prototypes"] - wide[method, scale])
            for name in ("difference", "n_higher", "n_lower"):
                mean.loc[(method, scale), name] = found[name]
        mean = mean.reset_index().assign(metric=metric, n_datasets=len(wide))
        mean = mean.merge(tests.drop(columns="first"), on=["metric", "method", "scale"], how="left")
        own = _long(wide).assign(n_datasets=1, metric=metric)
        frames.append(pd.concat([mean, own]))
    columns = ["metric", "method", "scale", "dataset", "measured", *COMPARED, "p", "p_holm"]
    return _finished(frames, [*columns, "absent"], tables, plan)


def structure_beyond_ensembles(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of ensembles of k trees, chosen in seven ways.

    Parameters
    ----------
    tables : mapping of DataFrame
        `ensembles` is read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per score, pool of trees, k, strategy and data set (a key, or
        `mean_over_datasets`). Columns: metric (f1, accuracy), pool, k, strategy, dataset, measured
        (per cent), mean_distance (edit distance B2 between two members), member_f1 (mean of its
        trees), n_datasets, and of means: difference (`structure` minus this strategy), n_higher and
        n_lower (data sets on which `structure` is so), p, p_holm; absent.
    """
    rows = tables["ensembles"]
    tests = _p_values(statistics, "ensembles").rename(columns={"second": "strategy"})
    frames = []
    for (pool, k), own in rows.groupby(["pool", "k"], sort=True):
        beside = {name: _members(own, name) for name in ("mean_distance", "member_f1")}
        for metric in SCORED:
            wide = by_group(own, metric, "strategy")
            of_sets = [_stacked(b.loc[wide.index], name) for name, b in beside.items()]
            values = pd.concat([_stacked(wide, "measured"), *of_sets], axis=1).reset_index()
            mean = values.groupby("strategy", as_index=False)[["measured", *beside]].mean()
            mean["dataset"] = MEAN
            gains = {s: _compared(wide[DIVERSE] - wide[s]) for s in STRATEGIES if s != DIVERSE}
            gains[DIVERSE] = {"n_datasets": len(wide)}
            mean = mean.merge(pd.DataFrame(gains).T.rename_axis("strategy").reset_index())
            key = {"metric": metric, "pool": pool, "k": k}
            mean = mean.assign(**key, cell=f"{pool}/{k}")
            mean = mean.merge(
                tests.drop(columns="first"), on=["metric", "cell", "strategy"], how="left"
            )
            frames += [mean, values.assign(**key, n_datasets=1)]
    columns = ["metric", "pool", "k", "strategy", "dataset", "measured", "mean_distance"]
    columns += ["member_f1", *COMPARED, "p", "p_holm", "absent"]
    return _finished(frames, columns, tables, plan)


def _members(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """As `by_group`; a single tree has no distance."""
    wide = rows.pivot(index=["dataset", "split"], columns="strategy", values=name)
    return wide.groupby(level="dataset").mean()


def structure_beyond_stability(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: StructureBeyondPlan
) -> pd.DataFrame:
    """Table of the distances between trees of bootstrap samples, by learner.

    Parameters
    ----------
    tables : mapping of DataFrame
        `stability` is read.
    statistics : DataFrame
    plan : StructureBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, learner and data set (a key, or `mean_over_datasets`). Columns: metric,
        learner, dataset, measured (mean over divisions), n_datasets, and of means: difference (to
        C4.5), n_higher and n_lower (data sets on which the learner is so), p, p_holm; absent.
    """
    tests = _p_values(statistics, "stability").rename(columns={"first": "learner"})
    frames = []
    for metric in OF_LEARNERS:
        wide = by_group(tables["stability"], metric, "learner")
        if wide.empty:
            continue
        values = _stacked(wide, "measured").reset_index()
        mean = wide.mean().rename("measured").rename_axis("learner").reset_index()
        gains = {name: _compared(wide[name] - wide[BASE]) for name in LEARNERS if name != BASE}
        gains[BASE] = {"n_datasets": len(wide)}
        mean = mean.merge(pd.DataFrame(gains).T.rename_axis("learner").reset_index())
        mean = mean.assign(metric=metric, dataset=MEAN)
        own = tests[tests["metric"] == metric].drop(columns=["cell", "second"])
        mean = mean.merge(own, on=["metric", "learner"], how="left")
        frames += [mean, values.assign(metric=metric, n_datasets=1)]
    columns = ["metric", "learner", "dataset", "measured", *COMPARED, "p", "p_holm", "absent"]
    return _finished(frames, columns, tables, plan)


COMPARED = ["difference", "n_higher", "n_lower", "n_datasets"]


def _compared(gain: pd.Series) -> dict:
    return {
        "difference": float(gain.mean()),
        "n_higher": int((gain > EQUAL).sum()),
        "n_lower": int((gain < -EQUAL).sum()),
        "n_datasets": len(gain),
    }


def _p_values(statistics: pd.DataFrame, part: str) -> pd.DataFrame:
    """One row per comparison, p plain and after Holm."""
    own = statistics[statistics["part"] == part]
    key = ["cell", "metric", "first", "second"]
    columns = {
        name: own[own["correction"] == correction].set_index(key)["p"]
        for name, correction in (("p", "none"), ("p_holm", "holm"))
    }
    return pd.concat(columns, axis=1).rename_axis(key).reset_index()


def _long(wide: pd.DataFrame) -> pd.DataFrame:
    """Data sets by (method, scale) -> dataset, method, scale, measured."""
    return (
        wide.rename_axis(index="dataset", columns=["method", "scale"])
        .stack(["method", "scale"], future_stack=True)
        .rename("measured")
        .reset_index()
    )


def _stacked(wide: pd.DataFrame, name: str) -> pd.Series:
    """Data sets by groups -> one value per pair."""
    return (
        wide.rename_axis(columns=wide.columns.name or "strategy")
        .stack(future_stack=True)
        .rename(name)
    )


#: Names of every column that orders a table.
_ORDER = {
    "metric": [*METRICS, *OF_LEARNERS, *(m for m in SCORED if m not in OF_LEARNERS)],
    "question": list(QUESTIONS),
    "pool": list(POOLS),
    "method": list(structure.VARIANTS),
    "scale": list(SCALES),
    "strategy": list(STRATEGIES),
    "learner": list(LEARNERS),
}


def _finished(frames, columns, tables, plan) -> pd.DataFrame:
    """Rows in the order of the names, means first; numbers rounded so that no sum's order shows."""
    table = pd.concat([f for f in frames if len(f)], ignore_index=True)
    # All that are there have bootstrap trees; a forest of too few trees is left out.
    absent = sorted(set(plan.datasets) - set(tables["ensembles"]["dataset"]))
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
    for name in ("n_higher", "n_lower", "n_datasets", "n_forests", "k"):
        if name in table:
            table[name] = table[name].astype(float).astype("Int64")
    numbers = [
        c for c in table.select_dtypes("float").columns if c not in ("p", "p_holm", "friedman_p")
    ]
    table[numbers] = table[numbers].round(6) + 0.0
    return table


# ----------------------------------------------------------------------------------- answers


def question_verdict(row: pd.Series) -> str:
    """One line: whether the first is higher or lower than the second, by the test after Holm.

    Parameters
    ----------
    row : Series
        A row of `structure_beyond_questions`.

    Returns
    -------
    str: `higher`, `lower`, `no difference`, or `cannot be told`
    """
    if row["n_datasets"] < FEWEST_DATASETS:
        return "cannot be told"
    if not row["p_holm"] < LEVEL:
        return "no difference"
    return "higher" if row["difference"] > 0 else "lower"


def ensembles_verdict(table: pd.DataFrame, pool: str, strategy: str) -> str:
    """Whether trees that are far in structure are a better ensemble than another choice.

    Parameters
    ----------
    table : DataFrame
        As returned by `structure_beyond_ensembles`.
    pool, strategy : str

    Returns
    -------
    str, without a full stop; by macro F1 after Holm's correction, over all k
    """
    means = table[(table["dataset"] == MEAN) & (table["metric"] == "f1")]
    means = means[(means["pool"] == pool) & (means["strategy"] == strategy)]
    n = int(means["n_datasets"].max()) if len(means) else 0
    if n < FEWEST_DATASETS:
        return f"It cannot be told from {n} data set{'' if n == 1 else 's'}"
    mean = float(means["difference"].mean())
    differs = means[means["p_holm"] < LEVEL]
    up, down = int((differs["difference"] > 0).sum()), int((differs["difference"] < 0).sum())
    points = f"{abs(mean):.1f} points of F1 {'above' if mean > 0 else 'below'} on average"
    of = f"{len(means)} sizes" if len(means) > 1 else "the one size"
    if not up and not down:
        return f"No difference by the test at any of {of}; {points}"
    if up and down:
        return f"Better at {up} and worse at {down} of {of}; {points}"
    return f"{'Better' if up else 'Worse'} at {up or down} of {of}; {points}"


def stability_verdict(table: pd.DataFrame, metric: str, learner: str) -> str:
    """Whether the trees of a learner are nearer to each other than those of C4.5.

    Parameters
    ----------
    table : DataFrame
        As returned by `structure_beyond_stability`.
    metric, learner : str

    Returns
    -------
    str: `higher`, `lower`, `no difference`, or `cannot be told`; after Holm's correction
    """
    own = table[(table["dataset"] == MEAN) & (table["metric"] == metric)]
    own = own[own["learner"] == learner]
    return question_verdict(own.iloc[0]) if len(own) else "cannot be told"


# ---------------------------------------------------------------------------------- captions


def captions(tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan) -> dict[str, str]:
    """Caption of every table and figure, by id: what it shows and what was run.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id.
    plan : StructureBeyondPlan

    Returns
    -------
    dict of str
    """

    def ran(name: str, n_splits: int) -> str:
        there = sorted(set(tables[name]["dataset"]) - {MEAN})
        text = (
            f"Run: {', '.join(there)}; {n_splits} division{'s' if n_splits > 1 else ''} into "
            f"training and test data each, configuration {plan.configuration}."
        )
        absent = sorted(set(plan.datasets) - set(there))
        if absent:
            text += f" Absent, because no source answered: {', '.join(absent)}."
        synthetic = [d for d in there if d.startswith("synthetic_")]
        if synthetic:
            text += f" Synthetic: {', '.join(synthetic)}."
        return text

    of_variants = tables["structure_beyond_variants"]
    own = of_variants[of_variants["dataset"] == MEAN]
    n_forests = int(own["n_forests"].max())
    of_forests = f"{ran('structure_beyond_variants', plan.n_splits)} Forests: {n_forests}"
    n_wanted = plan.n_splits * tables["structure_beyond_ensembles"]["dataset"].nunique()
    n_wanted -= plan.n_splits  # of the mean
    if n_forests < n_wanted:
        of_forests += f" of {n_wanted}; the others have fewer than {FEWEST_TREES} trees"
    of_forests += "."
    of_ensembles = ran("structure_beyond_ensembles", plan.n_splits)
    of_samples = ran("structure_beyond_stability", plan.stability_splits)
    forests = (
        f"A forest of UCT-DT ({plan.n_iterations:,} iterations, VS) per division, "
        f"{plan.n_seeds} seed{'s' if plan.n_seeds > 1 else ''} of k-means."
    )
    missing = (
        "A metric is averaged over the forests that have it for all variants: pairs of trees that "
        "differ by a strongly correlated variable are rare."
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
        "structure_beyond_variants": "Means over data sets of the eight distances, as they are "
        f"and normalised by the number of nodes. {forests} {missing} {of_forests}",
        "structure_beyond_ranks": "Mean rank over data sets, 1 for the highest value whether or "
        "not that is good, of the eight distances, as they are and normalised. Bar: the least "
        f"difference of two that Nemenyi's test calls significant at {LEVEL:g}. {forests} "
        f"{of_forests}",
        "structure_beyond_questions": "Difference of two means over the distances A1, A2, B1 and "
        "B2 (Spearman's correlation, not normalised, where nothing else is said), mean over data "
        f"sets. {forests} {missing} {of_forests}",
        "structure_beyond_prototypes": f"Means over data sets, with {plan.n_prototypes} "
        "prototypes of each cluster of the distance as it is. "
        f"{forests} {missing} {of_forests}",
        "structure_beyond_ensembles": "Test scores of the mean of the class probabilities of k "
        f"trees, in per cent, means over data sets. {pools} {of_ensembles}",
        "structure_beyond_ensembles_gain": "Macro F1 of k trees that are far in structure minus "
        "that of k trees chosen otherwise, in points; a circle per data set, a diamond for their "
        f"mean, filled where p < {LEVEL:g} after Holm's correction. {pools} {of_ensembles}",
        "structure_beyond_stability": "Means over pairs of trees, or trees, of bootstrap samples, "
        "then over data sets. Per test: the sum of all distances over the sum of the numbers of "
        f"tests of both trees. {learners} {of_samples}",
        "structure_beyond_spread": "Trees of bootstrap samples: a line per data set, the mean over "
        f"data sets in black. {learners} {of_samples}",
        "structure_beyond_patterns": "A random forest of scikit-learn, depth at most "
        f"{plan.patterns_depth}: {drawn}",
        "structure_beyond_bootstrap": f"Pruned C4.5 trees of bootstrap samples: {drawn}",
    }


# ----------------------------------------------------------------------------------- figures

#: Panels of the figure of ranks: metrics that all data sets have.
RANKED = tuple(
    m
    for m in METRICS
    if m not in structure.EXAMPLES.values() and not m.startswith(("correlated", "norm"))
)


def structure_beyond_ranks(tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan) -> Figure:
    """Figure of the mean ranks of the sixteen distances.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id; `structure_beyond_variants` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A panel per metric, a line per distance.
    """
    table = tables["structure_beyond_variants"]
    means = table[table["dataset"] == MEAN]
    looks = {
        "unnormalized": Look("as they are", "#0072B2", "o", "", ""),
        "normalized": Look("normalised", "#E69F00", "s", "", ""),
    }
    methods = list(VARIANT_LABELS)
    with style():
        figure = Figure(figsize=(WIDTH, 8.2), layout="constrained")
        grid = figure.subplots(4, 2, sharey=True)
        for axes, metric in itertools.zip_longest(grid.flat, RANKED):
            own = means[means["metric"] == metric] if metric else means.iloc[:0]
            if own.empty:
                axes.set_axis_off()
                continue
            axes.grid(axis="both")
            for scale, look in looks.items():
                of_scale = own[own["scale"] == scale].set_index("method").reindex(methods)
                axes.plot(
                    of_scale["mean_rank"],
                    range(len(methods)),
                    linestyle="",
                    marker=look.marker,
                    markersize=5,
                    markerfacecolor=look.colour if scale == "unnormalized" else "white",
                    markeredgecolor=look.colour,
                    markeredgewidth=1.2,
                    label=look.label,
                )
            width = float(own["critical_difference"].iloc[0])
            axes.plot([1, 1 + width], [-1, -1], color="black", linewidth=2)
            axes.annotate(
                "critical difference",
                (1 + width, -1),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
            n = int(own["n_datasets"].iloc[0])
            axes.set_title(f"{METRIC_LABELS[metric]}\n({n} data set{'s' if n > 1 else ''})")
            axes.set_xlim(0.5, 16.5)
            axes.set_xticks([1, 4, 8, 12, 16])
            axes.set_ylim(len(methods) - 0.5, -1.6)
            axes.set_yticks(range(len(methods)), [VARIANT_LABELS[m] for m in methods])
            axes.set_xlabel("Mean rank (1: highest value)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure


def structure_beyond_ensembles_gain(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Figure of what trees that are far in structure gain over other choices.

    Parameters
    ----------
    tables : mapping of DataFrame
        `structure_beyond_ensembles` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A row per pool, a column per k.
    """
    table = tables["structure_beyond_ensembles"]
    table = table[table["metric"] == "f1"]
    others = [s for s in STRATEGIES if s != DIVERSE]
    with style():
        figure = Figure(figsize=(WIDTH, 5.0), layout="constrained")
        grid = figure.subplots(
            len(POOLS), len(plan.sizes), sharey=True, sharex="row", squeeze=False
        )
        for axes_row, pool in zip(grid, POOLS, strict=True):
            for axes, k in zip(axes_row, plan.sizes, strict=True):
                own = table[(table["pool"] == pool) & (table["k"] == k)]
                axes.axvline(0, color="black", linewidth=0.7)
                axes.grid(axis="x")
                axes.set_title(f"{POOL_LABELS[pool]}, k = {k}")
                if own.empty:
                    continue
                wide = own[own["dataset"] != MEAN].pivot(
                    index="dataset", columns="strategy", values="measured"
                )
                means = own[own["dataset"] == MEAN].set_index("strategy")
                for row, strategy in enumerate(others):
                    gain = wide[DIVERSE] - wide[strategy]
                    axes.plot(
                        gain, np.full(len(gain), row), "o", color="#56B4E9", markersize=3.5,
                        markeredgecolor="#0072B2", markeredgewidth=0.5, zorder=2,
                    )  # fmt: skip
                    significant = means.loc[strategy, "p_holm"] < LEVEL
                    axes.plot(
                        means.loc[strategy, "difference"], row, "D", markersize=6, zorder=3,
                        markerfacecolor="black" if significant else "white",
                        markeredgecolor="black",
                    )  # fmt: skip
                axes.set_yticks(range(len(others)), [strategy_label(s, plan) for s in others])
                axes.set_ylim(len(others) - 0.5, -0.5)
        for axes in grid[-1]:
            axes.set_xlabel("Gain in F1 (points)")
        figure.supylabel("k trees far in structure, minus …", fontsize=8.5)
    return figure


def structure_beyond_spread(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Figure of the stability of learners: sizes, distances per test, and predictions.

    Parameters
    ----------
    tables : mapping of DataFrame
        `structure_beyond_stability` is read.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
        A panel per metric, a line per data set.
    """
    table = tables["structure_beyond_stability"]
    panels = {
        "n_tests": "Tests",
        "distance_b2": "Edit distance B2",
        "relative_b2": "B2 per test",
        "d_p": "d_p",
    }
    places = range(len(LEARNERS))
    with style():
        figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        grid = figure.subplots(1, len(panels))
        for axes, (metric, title) in zip(grid, panels.items(), strict=True):
            own = table[table["metric"] == metric]
            axes.grid(axis="y")
            axes.set_title(title)
            axes.set_xticks(
                places, [LEARNER_LABELS[n].replace(", VS", "") for n in LEARNERS], rotation=40
            )
            if own.empty:
                continue
            wide = own.pivot(index="dataset", columns="learner", values="measured")
            wide = wide.reindex(columns=LEARNERS)
            for dataset, values in wide.drop(MEAN).iterrows():
                axes.plot(places, values, color="#999999", linewidth=0.8, label=dataset, zorder=2)
            axes.plot(
                places, wide.loc[MEAN], color="black", marker="D", markersize=5, linewidth=1.8,
                zorder=3,
            )  # fmt: skip
            axes.set_xlim(-0.3, len(LEARNERS) - 0.7)
            if metric in ("n_tests", "distance_b2") and (wide > 0).all(axis=None):
                axes.set_yscale("log")
                axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
                axes.yaxis.set_minor_formatter(NullFormatter())
    return figure


def structure_beyond_patterns(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Page of the decision patterns of a random forest.

    Parameters
    ----------
    tables : mapping
        `patterns`, as returned by `hedgerow.experiments.structure_beyond.patterns`, and `table`,
        the TidyTable that the trees were grown on.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
    """
    title = f"Random forest, {plan.patterns_trees} trees, {plan.patterns_dataset}"
    return _page(tables, "random_forest", title)


def structure_beyond_bootstrap(
    tables: Mapping[str, pd.DataFrame], plan: StructureBeyondPlan
) -> Figure:
    """Page of the decision patterns of C4.5 trees of bootstrap samples.

    Parameters
    ----------
    tables : mapping
        As in `structure_beyond_patterns`.
    plan : StructureBeyondPlan

    Returns
    -------
    Figure
    """
    title = f"C4.5, {plan.patterns_trees} bootstrap samples, {plan.patterns_dataset}"
    return _page(tables, "c45", title)


def _page(tables, forest: str, title: str) -> Figure:
    from hedgerow.structure import plot_forest
    from hedgerow.tree import forest_from_frame

    table, frame = tables["table"], tables["patterns"]
    labels = {"classes": table.classes, "feature_names": list(table.X.columns)}
    trees = forest_from_frame(frame[frame["forest"] == forest], PATTERN)[1]
    # Classes of the data by name, so that nodes are sorted by what the drawing shows.
    y = np.asarray(table.classes)[table.y]
    with style():
        return plot_forest([t.replace(**labels) for t in trees], table.X, y, title=title)
