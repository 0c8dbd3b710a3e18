"""Tables 5.1 and 5.2 and figures 5.1 to 5.4 of the thesis, measured beside published.

Each function is named by the id of the table or figure that it makes. Forest 0 is the published
protocol; the other forests come from other divisions of the same data and tell how much of a value
is the division's.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hedgerow.experiments.structure import (
    EXAMPLES,
    FOREST,
    PAIRED,
    REFERENCES,
    SCALES,
    VARIANTS,
    StructurePlan,
    matrix_of,
)
from hedgerow.reporting.figures import WIDTH, style

#: Rows of table 5.1 by their names in data/published: A2 and B2 with Spearman's correlation.
NORMED = {
    "edit_a1": "edit_a1",
    "edit_a2": "edit_a2_spearman",
    "edit_b1": "edit_b1",
    "edit_b2": "edit_b2_spearman",
}
#: Metrics of table 5.2, as printed, then those of our own.
CRITERIA = ("silhouette", "nmi_cluster_n_nodes", *EXAMPLES.values())
OWN = ("insertion_deletion_score_first", "chance")
UNITS = {
    "silhouette": "coefficient",
    "nmi_cluster_n_nodes": "nmi",
    **dict.fromkeys((*EXAMPLES.values(), *OWN), "share_of_pairs"),
}
#: Metrics of `structure_closeness`, with their units.
CLOSENESS = {
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
LABELS = {
    "edit_a1": "A1",
    "edit_a2_pearson": "A2 Pearson",
    "edit_a2_kendall": "A2 Kendall",
    "edit_a2_spearman": "A2 Spearman",
    "edit_b1": "B1",
    "edit_b2_pearson": "B2 Pearson",
    "edit_b2_kendall": "B2 Kendall",
    "edit_b2_spearman": "B2 Spearman",
}


# ------------------------------------------------------------------------------------- values


def order(plan: StructurePlan) -> dict[str, str]:
    """Printed key -> registry key: the data set of the chapter first, then others by name.

    Parameters
    ----------
    plan : StructurePlan

    Returns
    -------
    dict of str
    """
    own = sorted(set(plan.datasets) - set(plan.printed.values()))
    return {**plan.printed, **{d: d for d in own}}


def status(dataset: str, there, plan: StructurePlan) -> str:
    """`run`, `absent` (asked for, no source answered) or `not asked for`."""
    if dataset in there:
        return "run"
    return "absent" if dataset in plan.datasets else "not asked for"


def values_of(closeness: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """One value per forest, variant and metric, scores as their means over the seeds of k-means.

    Parameters
    ----------
    closeness, scores : DataFrame
        As returned by `hedgerow.experiments.structure.cluster_forests`.

    Returns
    -------
    DataFrame
        dataset, forest, method, scale, metric, value; without what is missing.
    """
    key = [*FOREST, "method", "scale"]
    means = scores.drop(columns="seed").groupby(key, sort=True).mean().reset_index()
    long = [frame.melt(key, var_name="metric") for frame in (closeness, means)]
    found = pd.concat(long, ignore_index=True).dropna(subset="value")
    return found.sort_values([*key, "metric"], kind="stable").reset_index(drop=True)


def number_of(text) -> float:
    """The value of a printed cell, a fraction or a number.

    >>> number_of("3/5")
    0.6
    """
    return float(Fraction(str(text)))


class _Values:
    """Values of all forests by data set, method, scale and metric."""

    def __init__(self, values: pd.DataFrame):
        self._found = {
            key: own.set_index("forest")["value"]
            for key, own in values.groupby(["dataset", "method", "scale", "metric"], sort=False)
        }

    def summary(self, dataset: str, method: str, scale: str, metric: str) -> dict:
        """Of forest 0, and over all forests that have it."""
        own = self._found.get((dataset, method, scale, metric), pd.Series(dtype=float))
        return {
            "measured": own.get(0, np.nan),
            "mean": own.mean(),
            "lowest": own.min(),
            "highest": own.max(),
            "n_forests": len(own),
        }


_HEAD = ["dataset", "registry", "status", "method", "criterion", "metric", "unit"]
_SUMMARY = ["measured", "mean", "lowest", "highest", "n_forests"]


def _table(lines: list[dict], columns: list[str], counts: tuple[str, ...]) -> pd.DataFrame:
    table = pd.DataFrame(lines).reindex(columns=columns)
    numbers = [c for c in columns if c in {*_SUMMARY, "difference", "low", "high"} - {*counts}]
    table[numbers] = table[numbers].astype(float).round(9)
    table[list(counts)] = table[list(counts)].astype("Int64")
    return table


# ------------------------------------------------------------------------------------- tables


def thesis_table_5_1(
    results: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame], plan: StructurePlan
) -> pd.DataFrame:
    """Table 5.1: norms of the differences between edit distances and distances of predictions.

    Parameters
    ----------
    results : mapping of DataFrame
        The tables of `hedgerow.experiments.structure`, all forests: `forests`, `closeness`,
        `scores` and `statistics` are read.
    published : mapping of DataFrame
        data/published/thesis_table_5_*.csv by their ids.
    plan : StructurePlan

    Returns
    -------
    DataFrame
        In printed order: dataset (printed key; the registry's for sets that the thesis does not
        have), registry, status (`run`, `absent`, `not asked for`), method, criterion (scale),
        metric, unit, measured (Frobenius norm, forest 0), mean, lowest, highest over the n_forests
        forests, n_trees (of forest 0), published; for A2 and B2 the difference to A1 and B1 in
        forest 0 with low and high, the middle 95 % of the bootstrap over trees, and in how many
        forests this interval lies below (n_closer) or above 0 (n_farther).
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    n_trees = results["forests"].groupby(FOREST).size()
    tested = results["statistics"].set_index(["dataset", "scale", "reference", "first"])
    tested = tested.sort_index()
    printed = published["thesis_table_5_1"].set_index(["dataset", "method", "criterion", "metric"])
    firsts = {first for first, _ in PAIRED}
    there, lines = set(results["forests"]["dataset"]), []
    for key, dataset in order(plan).items():
        for reference in REFERENCES:
            for method, variant in NORMED.items():
                for scale in SCALES:
                    metric = f"norm_diff_to_{reference}"
                    place = (key, method, scale, metric)
                    line = {
                        "dataset": key,
                        "registry": dataset,
                        "status": status(dataset, there, plan),
                        "method": method,
                        "criterion": scale,
                        "metric": metric,
                        "unit": "matrix_norm",
                        **values.summary(dataset, variant, scale, metric),
                        "n_trees": n_trees.get((dataset, 0)),
                        "published": printed["value"].get(place),
                    }
                    if variant in firsts and dataset in there:
                        own = tested.loc[(dataset, scale, reference, variant)]
                        own = own.set_index("forest")
                        line |= {c: own[c].get(0) for c in ("difference", "low", "high")}
                        line["n_closer"] = int((own["high"] < 0).sum())
                        line["n_farther"] = int((own["low"] > 0).sum())
                    lines.append(line)
    columns = [*_HEAD, *_SUMMARY, "n_trees", "published", "difference", "low", "high"]
    columns += ["n_closer", "n_farther"]
    return _table(lines, columns, ("n_forests", "n_trees", "n_closer", "n_farther"))


def thesis_table_5_2(
    results: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame], plan: StructurePlan
) -> pd.DataFrame:
    """Table 5.2: clusters by each of the sixteen variants, and what they keep together.

    Parameters
    ----------
    results : mapping of DataFrame
        `forests`, `examples`, `closeness` and `scores` are read.
    published, plan : as in `thesis_table_5_1`

    Returns
    -------
    DataFrame
        In printed order: dataset, registry, status, method, criterion (scale), metric, unit,
        measured (forest 0, mean over the seeds of k-means), mean, lowest, highest over the
        n_forests forests that have such pairs, n_pairs (of forest 0), published (number) and
        printed (text). Beside the five criteria `insertion_deletion_score_first`, of the children
        of trees with one test, and `chance`, the share of all pairs of trees that are in one
        cluster.
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    n_pairs = _n_pairs(results)
    printed = published["thesis_table_5_2"].set_index(["dataset", "method", "criterion", "metric"])
    there, lines = set(results["forests"]["dataset"]), []
    for key, dataset in order(plan).items():
        for method in VARIANTS:
            for scale in SCALES:
                for metric in (*CRITERIA, *OWN):
                    text = printed["value"].get((key, method, scale, metric))
                    lines.append(
                        {
                            "dataset": key,
                            "registry": dataset,
                            "status": status(dataset, there, plan),
                            "method": method,
                            "criterion": scale,
                            "metric": metric,
                            "unit": UNITS[metric],
                            **values.summary(dataset, method, scale, metric),
                            "n_pairs": n_pairs.get((dataset, 0, metric)),
                            "published": None if text is None else number_of(text),
                            "printed": text,
                        }
                    )
    columns = [*_HEAD, *_SUMMARY, "n_pairs", "published", "printed"]
    return _table(lines, columns, ("n_forests", "n_pairs"))


def _n_pairs(results: Mapping[str, pd.DataFrame]) -> dict[tuple, int]:
    """Pairs behind each score, by data set, forest and metric."""
    from hedgerow.experiments.structure import pairs_of

    found = {}
    forests = results["forests"].sort_values("tree")
    for (dataset, forest), own in forests.groupby(FOREST, sort=True):
        examples = results["examples"]
        mine = examples[(examples["dataset"] == dataset) & (examples["forest"] == forest)]
        for metric, pairs in pairs_of(mine, own).items():
            found[dataset, forest, metric] = len(pairs)
        found[dataset, forest, "chance"] = len(own) * (len(own) - 1) // 2
    return found


def structure_examples(
    results: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame], plan: StructurePlan
) -> pd.DataFrame:
    """The pairs of trees that the rules found in each forest, and one of each kind in words.

    Parameters
    ----------
    results : mapping of DataFrame
        `forests`, `distances`, `examples` and `scripts` are read.
    published, plan : as in `thesis_table_5_1`

    Returns
    -------
    DataFrame
        dataset, registry, forest, n_trees, criterion, n_pairs, n_first (pairs whose first tree has
        one test), n_more (pairs that differ in more than one test); of the pair that stands for
        them (`hedgerow.experiments.structure.shown_pairs`) tree_1, tree_2, n_nodes_1, n_nodes_2,
        edits (by B2 with Spearman's correlation) and its distances edit_a1, edit_a2_spearman,
        edit_b1, edit_b2_spearman, d_kl, d_p. Empty where a forest has no such pair.
    """
    methods = [*NORMED.values(), *REFERENCES]
    pair = [*FOREST, "tree_1", "tree_2"]
    distances = results["distances"].set_index(pair)[methods]
    scripts = results["scripts"].set_index([*FOREST, "criterion"])
    lines = []
    for key, dataset in order(plan).items():
        of_set = results["forests"][results["forests"]["dataset"] == dataset]
        for forest, own in of_set.groupby("forest", sort=True):
            n_tests, n_nodes = (own.set_index("tree")[c] for c in ("n_tests", "n_nodes"))
            examples = results["examples"]
            mine = examples[(examples["dataset"] == dataset) & (examples["forest"] == forest)]
            for criterion in EXAMPLES:
                pairs = mine[mine["criterion"] == criterion]
                line = {
                    "dataset": key,
                    "registry": dataset,
                    "forest": forest,
                    "n_trees": len(own),
                    "criterion": criterion,
                    "n_pairs": len(pairs),
                    "n_first": int((pairs["tree_1"].map(n_tests) == 1).sum()),
                    "n_more": int((pairs["n_changed"] > 1).sum()),
                }
                if len(pairs):
                    shown = scripts.loc[(dataset, forest, criterion)]
                    one, two = int(shown["tree_1"]), int(shown["tree_2"])
                    line |= {"tree_1": one, "tree_2": two, "edits": shown["edits"]}
                    line |= {"n_nodes_1": n_nodes[one], "n_nodes_2": n_nodes[two]}
                    line |= distances.loc[(dataset, forest, one, two)].to_dict()
                lines.append(line)
    counts = ["tree_1", "tree_2", "n_nodes_1", "n_nodes_2"]
    columns = ["dataset", "registry", "forest", "n_trees", "criterion", "n_pairs", "n_first"]
    table = pd.DataFrame(lines).reindex(columns=[*columns, "n_more", *counts, "edits", *methods])
    table[counts] = table[counts].astype("Int64")
    table[methods] = table[methods].astype(float).round(9)
    return table


def structure_closeness(
    results: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame], plan: StructurePlan
) -> pd.DataFrame:
    """Whether edit distances rank pairs of trees as distances of predictions do, or as size does.

    Norms of differences, table 5.1, compare quantities in different units: they mostly say how
    large the edit distances are. Rank correlations do not depend on units.

    Parameters
    ----------
    results : mapping of DataFrame
        `forests`, `closeness` and `scores` are read.
    published, plan : as in `thesis_table_5_1`

    Returns
    -------
    DataFrame
        dataset, registry, status, method, criterion (scale), metric (rank correlations over all
        pairs of different trees with d_KL in the mean of both directions, with d_p and with the
        number of nodes of both trees; mean and largest distance), unit, measured (forest 0), mean,
        lowest, highest, n_forests, published (largest distances of the text).
    """
    values = _Values(values_of(results["closeness"], results["scores"]))
    there, lines = set(results["forests"]["dataset"]), []
    for key, dataset in order(plan).items():
        for method in VARIANTS:
            for scale in SCALES:
                for metric, unit in CLOSENESS.items():
                    said = (metric, scale) == ("largest_distance", "unnormalized")
                    said = said and key in plan.printed
                    lines.append(
                        {
                            "dataset": key,
                            "registry": dataset,
                            "status": status(dataset, there, plan),
                            "method": method,
                            "criterion": scale,
                            "metric": metric,
                            "unit": unit,
                            **values.summary(dataset, method, scale, metric),
                            "published": LARGEST.get(method) if said else None,
                        }
                    )
    table = _table(lines, [*_HEAD, *_SUMMARY, "published"], ("n_forests",))
    return table.astype({"published": float})


# ------------------------------------------------------------------------------------ figures

#: Of clusters, after Okabe and Ito (2008): dark ones first, and a marker that tells them apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
#: The variant that figures 5.2 and 5.4 show.
SHOWN = ("edit_b2_spearman", "unnormalized")
COLOUR_MAP = "cividis"  # its lightness rises all along, in grey as well
PERPLEXITY = 30.0
HEAD = 0.6  # inches above two trees, for what tells them apart and their numbers
MARGIN = 0.3  # inches, in all, beside and between two trees
GAP = 0.2  # radians of the rings of figure 5.2 that are left for their numbers


def thesis_figure_5_1(results: Mapping[str, pd.DataFrame], table, plan: StructurePlan) -> Figure:
    """Figure 5.1: a tree and its parent.

    Parameters
    ----------
    results : mapping of DataFrame
        The tables of `hedgerow.experiments.structure`, all forests of one data set: `forests`,
        `trees`, `scripts`, `distances` and `labels` are read by one figure or another.
    table : TidyTable
        The data set, for names of variables and classes.
    plan : StructurePlan

    Returns
    -------
    Figure
        Of forest 0 the most visited tree of three tests, and its parent.
    """
    pair = _shown_pair(results, "insertion_deletion")
    with style():
        if pair is None:  # a forest of trees of one test
            figure = Figure(figsize=(WIDTH, 0.5))
            figure.text(0.012, 0.5, "No forest has a tree and its parent", fontsize=8.5)
            return figure
        trees = _two_trees(pair, results, table)
        sizes = [_natural_size(tree) for tree in trees]
        scale = min(1.0, (WIDTH - MARGIN) / sum(width for width, _ in sizes))
        height = scale * max(height for _, height in sizes) + HEAD
        figure = Figure(figsize=(WIDTH, height))
        _pair_of_trees(figure, pair, trees, (0.0, height), "")
    return figure


def thesis_figure_5_2(results: Mapping[str, pd.DataFrame], table, plan: StructurePlan) -> Figure:
    """Figure 5.2: the hierarchical forest, and trees that differ by a substitution.

    Parameters
    ----------
    results, table, plan : as in `thesis_figure_5_1`

    Returns
    -------
    Figure
        (a) Forest 0 as a graph, the empty tree in the middle, each ring one test more, clusters by
        the unnormalised B2 with Spearman's correlation. (b) Two trees that differ by thresholds of
        the same variables, (c) two that differ by a strongly correlated variable; of forest 0, or
        of the first forest that has such a pair.
    """
    kinds = (("b", "same_variable"), ("c", "correlated"))
    pairs = {letter: _shown_pair(results, kind) for letter, kind in kinds}
    own, labels = _forest(results, 0)
    with style():
        figure = Figure(figsize=(WIDTH, 9.6))
        axes = figure.add_axes((0.0, 0.545, 1.0, 0.43))
        named = _named_trees(results)
        _draw_forest(axes, own, labels, named)
        title = "(a) The forest; numbers: trees of figure 5.1 and of (b) and (c)"
        figure.text(0.012, 0.988, title, fontsize=8.5, va="top")
        for (letter, kind), bottom in zip(kinds, (0.27, 0.0), strict=True):
            if pairs[letter] is None:
                words = f"({letter}) No forest has two trees that differ by {_KINDS[kind]}"
                figure.text(0.012, bottom + 0.24, words, fontsize=8.5)
            else:
                trees = _two_trees(pairs[letter], results, table)
                place = (bottom * 9.6, 0.26 * 9.6)
                _pair_of_trees(figure, pairs[letter], trees, place, f"({letter}) ")
    return figure


def thesis_figure_5_3(results: Mapping[str, pd.DataFrame], table, plan: StructurePlan) -> Figure:
    """Figure 5.3: matrices of distances, trees sorted by their number of nodes.

    Parameters
    ----------
    results, table, plan : as in `thesis_figure_5_1`

    Returns
    -------
    Figure
        Forest 0: A1, A2, B1 and B2 with Spearman's correlation, d_KL and d_p, unnormalised; each
        with a scale of its own.
    """
    own, _ = _forest(results, 0)
    size = own["n_nodes"].to_numpy()
    by_size = np.argsort(size, kind="stable")
    distances = results["distances"]
    distances = distances[distances["forest"] == 0]
    panels = [
        ("edit_a1", "A1"),
        ("edit_a2_spearman", "A2, Spearman"),
        ("d_kl", "KL (nats)"),
        ("edit_b1", "B1"),
        ("edit_b2_spearman", "B2, Spearman"),
        ("d_p", "P (share of instances)"),
    ]
    starts = np.flatnonzero(np.diff(size[by_size], prepend=0))
    stops = np.append(starts[1:], len(size))
    middles = (starts + stops - 1) / 2
    legible: list[int] = []  # of sizes that few trees have, a number would lie on the next one
    for group in np.argsort(starts - stops, kind="stable").tolist():
        if all(abs(middles[group] - middles[other]) > 0.06 * len(size) for other in legible):
            legible.append(group)
    names = [str(n) for n in size[by_size][starts[legible]]]
    with style():
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        grid = figure.subplots(2, 3, sharex=True, sharey=True)
        for axes, (name, title) in zip(grid.flat, panels, strict=True):
            D = matrix_of(distances, name)[np.ix_(by_size, by_size)]
            image = axes.imshow(D, cmap=COLOUR_MAP, vmin=0, origin="lower",
                                interpolation="nearest")  # fmt: skip
            figure.colorbar(image, ax=axes, shrink=0.76, pad=0.02)
            axes.set_title(title)
            for start in starts[1:] - 0.5:
                axes.axvline(start, color="white", linewidth=0.5)
                axes.axhline(start, color="white", linewidth=0.5)
            axes.set_xticks(middles[legible], names, fontsize=7)
            axes.set_yticks(middles[legible], names, fontsize=7)
            axes.tick_params(length=0)
        for axes in grid[-1]:
            axes.set_xlabel("Nodes of the tree")
        for axes in grid[:, 0]:
            axes.set_ylabel("Nodes of the tree")
    return figure


def thesis_figure_5_4(results: Mapping[str, pd.DataFrame], table, plan: StructurePlan) -> Figure:
    """Figure 5.4: the trees of forest 0 on a plane (t-SNE), and their clusters.

    Parameters
    ----------
    results, table, plan : as in `thesis_figure_5_1`

    Returns
    -------
    Figure
        From the unnormalised B2 with Spearman's correlation; large markers: medoids of the
        clusters; numbers: trees of figures 5.1 and 5.2, and medoids.
    """
    from hedgerow.structure import medoids

    _, labels = _forest(results, 0)
    distances = results["distances"]
    D = matrix_of(distances[distances["forest"] == 0], SHOWN[0])
    places = plane(D)
    middle = medoids(D, labels)
    named = {**{int(m): "normal" for m in middle}, **dict.fromkeys(_named_trees(results), "bold")}
    with style():
        figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        axes = figure.add_subplot()
        for label in np.unique(labels):
            at = places[labels == label]
            axes.plot(*at.T, **_cluster_look(label), markersize=5, alpha=0.85)
            axes.plot(*places[middle[label]], **_cluster_look(label, "black", 1.4), markersize=10)
        axes.set_xlabel("First axis of t-SNE")
        axes.set_ylabel("Second axis of t-SNE")
        axes.set_aspect("equal", adjustable="datalim")
        handles = _cluster_handles(labels)
        handles.append(
            Line2D([], [], linestyle="", marker="o", markersize=10, label="medoid",
                   markerfacecolor="none", markeredgecolor="black", markeredgewidth=1.4)
        )  # fmt: skip
        figure.legend(handles=handles, loc="outside upper left", ncols=3)
        _labels(axes, places, {t: (str(t), weight) for t, weight in sorted(named.items())})
    return figure


def plane(D: np.ndarray) -> np.ndarray:
    """Places of trees on a plane by t-SNE, without chance.

    Parameters
    ----------
    D : (n, n) array

    Returns
    -------
    (n, 2) float64
        Exact gradients from a start at the first two Laplacian eigenmaps, perplexity 30, or a
        third of the other trees where these are few; turned so that it is widest along its first
        axis.
    """
    from sklearn.manifold import TSNE

    from hedgerow.structure import laplacian_eigenmaps

    start = laplacian_eigenmaps(D, 2)
    start = np.pad(start, ((0, 0), (0, 2 - start.shape[1])))
    start = 1e-4 * start / (start[:, 0].std() or 1.0)
    perplexity = min(PERPLEXITY, (len(D) - 1) / 3)
    tsne = TSNE(2, metric="precomputed", init=start, method="exact", perplexity=perplexity,
                random_state=0)  # fmt: skip
    found = tsne.fit_transform(D.copy()).astype(float)  # it squares what it is given, in place
    found -= found.mean(axis=0)
    axes = np.linalg.svd(found, full_matrices=False)[2]
    # Which end is left does not follow from the distances: the larger component points right, up.
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    return found @ (axes * signs[:, None]).T


_KINDS = {
    "insertion_deletion": "a tree and its parent",
    "same_variable": "thresholds of the same variables",
    "correlated": "a strongly correlated variable",
}


def _forest(results, number: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Trees of one forest and their clusters."""
    own = results["forests"]
    own = own[own["forest"] == number].reset_index(drop=True)
    labels = results["labels"]
    labels = labels[
        (labels["forest"] == number)
        & (labels["method"] == SHOWN[0])
        & (labels["scale"] == SHOWN[1])
    ]
    return own, labels.sort_values("tree")["label"].to_numpy()


def _shown_pair(results, criterion: str) -> pd.Series | None:
    """The pair that stands for its kind: of forest 0, or of the first that has one."""
    scripts = results["scripts"]
    own = scripts[scripts["criterion"] == criterion].sort_values("forest")
    return None if own.empty else own.iloc[0]


def _named_trees(results) -> list[int]:
    """Trees of forest 0 in the pairs that are shown."""
    pairs = [_shown_pair(results, criterion) for criterion in EXAMPLES]
    return sorted({int(p[c]) for p in pairs if p is not None and p["forest"] == 0
                   for c in ("tree_1", "tree_2")})  # fmt: skip


def _two_trees(pair, results, table) -> list:
    """The trees of a pair, with names of variables and classes."""
    from hedgerow.tree import forest_from_frame

    frame = results["trees"]
    frame = frame[frame["forest"] == pair["forest"]]
    names = {"feature_names": [str(c) for c in table.X.columns], "classes": list(table.classes)}
    return [
        forest_from_frame(frame[frame["tree"] == pair[c]], ["tree"])[1][0].replace(**names)
        for c in ("tree_1", "tree_2")
    ]


def _natural_size(tree) -> tuple[float, float]:
    """Width and height in inches at which the words of a drawn tree have their full size."""
    from hedgerow.tree.drawing import plot_tree

    axes = plot_tree(tree, Figure().add_subplot())
    return float(np.ptp(axes.get_xlim())), float(np.ptp(axes.get_ylim()))


def _pair_of_trees(figure: Figure, pair, trees, place, letter: str) -> None:
    """Two trees side by side, on one scale, below what turns the first into the second.

    `place` is bottom and height in inches.
    """
    from hedgerow.tree.drawing import plot_tree

    width, inches = figure.get_size_inches()
    bottom, height = place
    numbers = [int(pair["tree_1"]), int(pair["tree_2"])]
    where = f", forest {pair['forest']}" if pair["forest"] else ""
    title = f"{letter}Trees {numbers[0]} and {numbers[1]}{where}: {pair['edits']}"
    top = (bottom + height - 0.06) / inches
    title = textwrap.fill(title, 98)
    figure.text(0.012, top, title, fontsize=8.5, va="top", parse_math=False)
    sizes = [_natural_size(tree) for tree in trees]
    room = height - HEAD
    wide = sum(w for w, _ in sizes)
    scale = min(1.0, (width - MARGIN) / wide, room / max(h for _, h in sizes))
    gap = (width - scale * wide) / 3
    left = gap
    for tree, number, (w, h) in zip(trees, numbers, sizes, strict=True):
        top = bottom + room
        area = (left / width, (top - scale * h) / inches, scale * w / width, scale * h / inches)
        axes = figure.add_axes(area)
        plot_tree(tree, axes, decimals=3)
        axes.set_title(f"Tree {number}", fontsize=8, loc="center", pad=2)
        left += scale * w + gap


def _cluster_look(label: int, edge: str = "white", width: float = 0.4) -> dict:
    return {
        "linestyle": "",
        "marker": MARKERS[label % len(MARKERS)],
        "markerfacecolor": COLOURS[label % len(COLOURS)],
        "markeredgecolor": edge,
        "markeredgewidth": width,
    }


def _cluster_handles(labels) -> list[Line2D]:
    return [
        Line2D([], [], markersize=6, label=f"cluster {k} ({n} trees)", **_cluster_look(k))
        for k, n in zip(*np.unique(labels, return_counts=True), strict=True)
    ]


def _draw_forest(axes, own: pd.DataFrame, labels, named) -> None:
    """A forest as a graph: the empty tree in the middle, each ring one test more."""
    places = rings(own["parent"].to_numpy(), own["n_tests"].to_numpy())
    outer = int(own["n_tests"].max())
    around = np.linspace(0, 2 * np.pi, 181)
    for radius in range(1, outer + 1):
        axes.plot(radius * np.cos(around), radius * np.sin(around), color="#d9d9d9", linewidth=0.6,
                  zorder=0)  # fmt: skip
    for tree, parent in enumerate(own["parent"]):
        ends = places[[tree, parent]] if parent >= 0 else np.array([places[tree], [0.0, 0.0]])
        axes.plot(*ends.T, color="#777777", linewidth=0.7, zorder=1)
    axes.plot(0, 0, marker="o", markersize=5, color="white", markeredgecolor="#777777", zorder=2)
    for label in np.unique(labels):
        axes.plot(*places[labels == label].T, **_cluster_look(label), markersize=6.5, zorder=3)
    for tree in named:
        look = _cluster_look(labels[tree], "black", 1.4)
        axes.plot(*places[tree], **look, markersize=8, zorder=4)
    axes.set_aspect("equal")
    # Room for the legend beside the rings.
    axes.set_xlim(-1.9 * outer, 1.3 * outer)
    axes.set_ylim(-1.07 * outer, 1.07 * outer)
    axes.set_axis_off()
    handles = _cluster_handles(labels)
    handles.append(Line2D([], [], marker="o", markersize=5, color="#777777", linewidth=0.7,
                          markerfacecolor="white", label="no test"))  # fmt: skip
    handles.append(Line2D([], [], color="#d9d9d9", label="rings: number of tests"))
    axes.legend(handles=handles, loc="lower left", borderaxespad=0.3)
    for radius in range(1, outer + 1):
        axes.text(0, radius, str(radius), fontsize=7, color="#555555", ha="center", va="center",
                  zorder=0.5, bbox={"facecolor": "white", "linewidth": 0, "pad": 0.8})  # fmt: skip
    _labels(axes, places, {tree: (str(tree), "bold") for tree in named})


def rings(parent, n_tests) -> np.ndarray:
    """Places of the trees of a forest: on the ring of their number of tests, children near.

    Parameters
    ----------
    parent : (n,) int
        Place of each tree's parent, which stands before it; -1: the empty tree in the middle.
    n_tests : (n,) int
        Radius.

    Returns
    -------
    (n, 2) float64
        Every tree gets a share of the circle in proportion to the ends below it; a gap at the top
        is left for numbers.
    """
    parent, n_tests = np.asarray(parent), np.asarray(n_tests, dtype=float)
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for tree, above in enumerate(parent.tolist()):
        children[above].append(tree)  # -1: the last place
    ends = np.ones(n + 1)
    for tree in range(n - 1, -1, -1):
        if children[tree]:
            ends[tree] = ends[children[tree]].sum()
    angle = np.zeros(n)
    starts = {n: (np.pi / 2 + GAP / 2, 2 * np.pi - GAP)}
    for tree in (n, *range(n)):
        start, room = starts[tree]
        below = children[tree if tree < n else -1]
        total = ends[below].sum()
        for child in below:
            share = room * ends[child] / total
            starts[child] = (start, share)
            angle[child] = start + share / 2
            start += share
    return np.column_stack([np.cos(angle), np.sin(angle)]) * n_tests[:, None]


def _labels(axes, places, words: Mapping[int, tuple[str, str]]) -> None:
    """Numbers beside their points, where they cover fewest points and no other number."""
    from matplotlib.transforms import Bbox

    figure = axes.get_figure()
    figure.draw_without_rendering()  # the layout is final from here on
    points = axes.transData.transform(places)
    unit = figure.dpi / 72.0
    taken: list[Bbox] = []
    for tree, (text, weight) in words.items():
        wide, high = (4.6 * len(text) + 3) * unit, 9.5 * unit
        best = None
        for reach in (12, 17, 23, 30):
            for turn in np.arange(16) * np.pi / 8:
                middle = points[tree] + reach * unit * np.array([1.15 * np.cos(turn), np.sin(turn)])
                box = Bbox.from_bounds(*(middle - np.array([wide, high]) / 2), wide, high)
                inside = ((points > box.min - 2 * unit) & (points < box.max + 2 * unit)).all(axis=1)
                cost = inside.sum() + 20 * sum(box.overlaps(other) for other in taken)
                cost += 0.06 * reach
                if best is None or cost < best[0] - 1e-9:
                    best = (cost, middle, box)
        taken.append(best[2])
        shift = (best[1] - points[tree]) / unit
        axes.annotate(
            text,
            places[tree],
            xytext=shift,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            fontweight=weight,
            zorder=6,
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": "black", "shrinkA": 0,
                        "shrinkB": 3},
            bbox={"facecolor": "white", "linewidth": 0, "alpha": 0.75, "pad": 0.5},
        )  # fmt: skip
