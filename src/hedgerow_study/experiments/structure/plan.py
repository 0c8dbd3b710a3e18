"""Settings and names of the edit distance of trees (thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hedgerow_study.experiments.plan import Conflict, in_chunks, setting
from hedgerow_study.experiments.search.plan import UctPlan

EXPERIMENT = "structure"  # the word under which seeds are drawn
MOST_TREES = 20_000  # of a forest, whose distances are of all pairs
MOST_COUNTS = 100_000_000  # of trees in bootstrap samples; they take 24 bytes each

#: Edit distances of table 5.2, as data/published names them: substitution cost and correlation.
VARIANTS = {
    "edit_a1": ("A1", "spearman"),  # A1 and B1 read no correlation
    "edit_a2_pearson": ("A2", "pearson"),
    "edit_a2_kendall": ("A2", "kendall"),
    "edit_a2_spearman": ("A2", "spearman"),
    "edit_b1": ("B1", "spearman"),
    "edit_b2_pearson": ("B2", "pearson"),
    "edit_b2_kendall": ("B2", "kendall"),
    "edit_b2_spearman": ("B2", "spearman"),
}
#: What texts call them: the cost and, where one is read, the correlation.
VARIANT_NAMES = {
    variant: (cost,) if cost in ("A1", "B1") else (cost, correlation.capitalize())
    for variant, (cost, correlation) in VARIANTS.items()
}
#: Of equation 5.6; with `VARIANTS` the sixteen variants of the chapter.
SCALES = ("unnormalized", "normalized")
#: Distances between predictions (5.4.1).
REFERENCES = ("d_kl", "d_p")
#: The qualitative criteria of 5.4.2, by the metric that data/published names them.
EXAMPLES = {
    "insertion_deletion": "insertion_deletion_score",
    "same_variable": "same_variable_substitution_score",
    "correlated": "correlated_substitution_score",
}

REPEAT = ["dataset", "repeat"]
TREE = [*REPEAT, "tree"]
PAIR = [*REPEAT, "tree_1", "tree_2"]
VARIANT = [*REPEAT, "method", "scale"]
#: Columns that order each table; nodes of a tree keep their order.
ORDER = {
    "forests": TREE,
    "trees": TREE,
    "distances": PAIR,
    "first": PAIR,
    "examples": [*REPEAT, "criterion", "tree_1", "tree_2"],
    "scripts": [*REPEAT, "criterion"],
    "closeness": VARIANT,
    "labels": [*VARIANT, "tree"],
    "scores": [*VARIANT, "seed"],
    "statistics": [*REPEAT, "scale", "reference", "first", "second"],
}


@dataclass(frozen=True)
class StructurePlan(UctPlan):
    """Chapter 5 of the thesis: the edit distance of trees on forests of UCT-DT.

    The forests are clustered, and it is measured what the clusters keep together.
    """

    section: ClassVar[str] = "structure"

    #: Key of data/published of the chapter's data set -> registry key, from `published_as` in
    #: config/datasets.yaml; for tables and captions.
    printed: Mapping[str, str] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        ("wdbc",), "Data sets by their key in the registry; the thesis has wdbc."
    )
    n_repeats: int = setting(
        3,
        "Forests per data set, each from a split into training and test part; the first is that "
        "of the published protocol, the others tell how much of a value is the split's.",
        minimum=1,
        maximum=999,
    )
    test_size: float = setting(
        0.3023,
        "Share of the rows that the test part gets (thesis 5.3, 172 of 569).",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    forest: str = setting(
        "visited",
        "Which states of the search are a forest: those most visited, by `n_trees` and "
        "`max_tests`, or its complete search tree, which is small with `tree_pruning`.",
        choices=("visited", "complete"),
    )
    n_trees: int = setting(
        104,
        "Trees of a forest, the most visited states of the search (thesis 5.4, 104).",
        minimum=3,
        maximum=MOST_TREES,
    )
    max_tests: int = setting(
        6,
        "Tests of the largest tree of a forest (thesis 5.4, 13 nodes).",
        minimum=1,
        maximum=10_000,
    )
    value_pruning: bool = setting(
        True, "Whether value-based pruning thins the search tree; chapter 5 does not say."
    )
    tree_pruning: bool = setting(
        False,
        "Whether states whose last test C4.5's pruning would remove leave the search; chapter 5 "
        "does not say.",
    )
    n_clusters: int = setting(4, "Clusters of k-means (thesis 5.4.2, 4).", minimum=2, maximum=1_000)
    n_components: int = setting(
        3,
        "Components of the Laplacian eigenmaps, the constant one not counted: with it as many as "
        "clusters.",
        minimum=1,
        maximum=1_000,
    )
    n_seeds: int = setting(
        10,
        "Seeds of k-means, over which scores are averaged; figures and tables of labels show the "
        "first.",
        minimum=1,
        maximum=100,
    )
    correlated_above: float = setting(
        0.95,
        "Absolute rank correlation (Spearman) above which two variables count as strongly "
        "correlated.",
        minimum=0,
        exclusive_maximum=1,
    )
    n_bootstrap: int = setting(
        1000, "Bootstrap samples of the trees of a forest.", minimum=1, maximum=100_000
    )
    chunk: int = in_chunks("Repeats")

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterator[Conflict]:
        """All bootstrap samples of a forest are in memory at once."""
        settings = config[cls.section]
        n_samples, n_trees = settings["n_bootstrap"], settings["n_trees"]
        trees = f"`structure.n_trees` {n_trees}"
        if settings["forest"] == "complete":
            n_trees = MOST_TREES
            trees = f"a complete forest has up to {n_trees} trees"
        if n_samples * n_trees > MOST_COUNTS:
            yield Conflict(
                "structure.n_bootstrap",
                f"`structure.n_bootstrap` is {n_samples} and {trees}, which "
                f"take {24 * n_samples * n_trees / 2**30:.3g} GiB of memory",
                f"of so many trees give at most {MOST_COUNTS // n_trees} samples",
            )


CLOSENESS = [
    *(f"norm_diff_to_{r}" for r in REFERENCES),
    *(f"rank_correlation_with_{r}" for r in (*REFERENCES, "size")),
    *("mean_distance", "largest_distance"),
]
SCORES = [
    "silhouette",
    "nmi_cluster_n_nodes",
    *EXAMPLES.values(),
    "insertion_deletion_score_first",
    "chance",
    "n_found",
]


# ---------------------------------------------------------------------------------- statistics

#: Statement T5-01: distances that use correlations against those that do not.
PAIRED = (("edit_a2_spearman", "edit_a1"), ("edit_b2_spearman", "edit_b1"))
