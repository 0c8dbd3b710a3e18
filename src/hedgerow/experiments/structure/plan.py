"""Settings and names of the edit distance of trees (thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan

EXPERIMENT = "structure"  # the word under which seeds are drawn

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

FOREST = ["dataset", "forest"]
TREE = [*FOREST, "tree"]
PAIR = [*FOREST, "tree_1", "tree_2"]
VARIANT = [*FOREST, "method", "scale"]
#: Columns that order each table; nodes of a tree keep their order.
ORDER = {
    "forests": TREE,
    "trees": TREE,
    "distances": PAIR,
    "examples": [*FOREST, "criterion", "tree_1", "tree_2"],
    "scripts": [*FOREST, "criterion"],
    "closeness": VARIANT,
    "labels": [*VARIANT, "tree"],
    "scores": [*VARIANT, "seed"],
}


@dataclass(frozen=True)
class StructurePlan(Plan):
    """Settings of chapter 5: the section `structure` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys; the chapter's is the first.
    printed : dict of str
        Key of data/published of the chapter's data set -> registry key, from `published_as` in
        config/datasets.yaml; for tables and captions.
    seed : int
        Global seed, from which every random draw is derived by name.
    configuration : str
        Name of the configuration, for captions.
    n_forests : int
        Forests per data set: the one of the published protocol, then further ones.
    test_size : float
        Share of the test part; .3023 is 172 of 569 rows (thesis 5.3).
    n_trees : int
        Trees of a forest, the 104 of the paper: the most visited states.
    max_tests : int
        Tests of its largest tree: 6, as the largest tree of the paper has 13 nodes.
    n_iterations, n_candidates, exploration, value_pruning, value_pruning_interval,
    value_pruning_depth, validation_fraction, min_samples_split
        Of UCT-DT with the policy VS, as in chapter 4; DT-based pruning is off.
    n_clusters : int
    n_components : int
        Of Laplacian eigenmaps, the constant one not counted.
    n_seeds : int
        Seeds of k-means; scores are their means, figures and tables of labels show the first.
    correlated_above : float
        Spearman correlation from which two variables count as strongly correlated.
    n_bootstrap : int
        Bootstrap samples of the trees of a forest.
    """

    section: ClassVar[str] = "structure"
    given: ClassVar[frozenset[str]] = frozenset({"printed"})

    datasets: tuple[str, ...] = ("wdbc",)
    printed: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    configuration: str = "default"
    n_forests: int = 6
    test_size: float = 0.3023
    n_trees: int = 104
    max_tests: int = 6
    n_iterations: int = 200_000
    n_candidates: int = 3
    exploration: float = 1.0
    value_pruning: bool = True
    value_pruning_interval: int = 3000
    value_pruning_depth: int = 5
    validation_fraction: float = 0.3
    min_samples_split: float = 4
    n_clusters: int = 4
    n_components: int = 4
    n_seeds: int = 10
    correlated_above: float = 0.95
    n_bootstrap: int = 1000

    def __post_init__(self):
        for name in ("n_forests", "n_seeds", "max_tests", "n_components", "n_bootstrap"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"`structure.{name}` is {getattr(self, name)}", remedy="use 1 or more"
                )
        for name, least in (("n_clusters", 2), ("n_trees", 3)):
            if getattr(self, name) < least:
                raise ConfigError(
                    f"`structure.{name}` is {getattr(self, name)}", remedy=f"use {least} or more"
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
