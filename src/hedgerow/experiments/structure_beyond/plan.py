"""Settings and names of what goes beyond chapter 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan
from hedgerow.experiments.structure.plan import EXAMPLES, ORDER, REFERENCES, TREE, VARIANT
from hedgerow.experiments.structure.plan import SCALES as STRUCTURE_SCALES

EXPERIMENT = "structure_beyond"

#: Learners whose stability is measured.
LEARNERS = ("c45", "ss", "stp", "uct_vs")
BASE = "c45"

#: Scales of distances: those of the chapter, and the space of prototypes.
SCALES = (*STRUCTURE_SCALES, "prototypes")
#: The distances of the paired questions; the others differ by the kind of correlation only.
MAIN = {
    "A1": "edit_a1",
    "A2": "edit_a2_spearman",
    "B1": "edit_b1",
    "B2": "edit_b2_spearman",
}

#: Where trees of an ensemble come from: a search of UCT-DT, or bootstrap samples by C4.5.
POOLS = ("uct", "c45")
#: How they are chosen. `whole` takes all trees and `single` the best one, whatever k.
STRATEGIES = (
    "structure",
    "predictions",
    "best",
    "random_accurate",
    "random",
    "whole",
    "single",
)
DIVERSE = "structure"

#: Trees below which a forest is left out: a search that is held to trees of one test finds few.
FEWEST_TREES = 20

#: Columns that identify a row of each table; nodes of a tree keep their order.
KEYS = {
    "forests": TREE,
    "trees": TREE,
    "examples": ORDER["examples"],
    "closeness": VARIANT,
    "scores": ORDER["scores"],
    "grown": ["dataset", "split", "learner", "sample"],
    "ensembles": ["dataset", "split", "pool", "k", "strategy"],
    "stability": ["dataset", "split", "learner"],
}
PATTERN = ["dataset", "forest", "tree"]  # of `patterns`
OF_FORESTS = ("examples", "closeness", "scores")
#: What the tables of this module hold beside their keys.
VALUES = {
    "ensembles": ["f1", "accuracy", "mean_distance", "member_f1", "n_trees"],
    "stability": [
        *("distance_a1", "distance_b2", "relative_a1", "relative_b2", "d_p"),
        *("n_tests", "f1", "n_leaves_only", "n_trees"),
    ],
}


@dataclass(frozen=True)
class StructureBeyondPlan(Plan):
    """Settings of what goes beyond chapter 5: the section `structure_beyond`.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys.
    seed : int
    configuration : str
    n_splits : int
        Divisions into training and test data of each data set, one forest each: the first so many
        of those of `structure`.
    n_iterations : int
        Of the search that makes a forest.
    n_seeds : int
        Of k-means.
    n_prototypes : int
        Trees of each cluster that are prototypes.
    sizes : tuple of int
        Trees of an ensemble, k.
    share : float in (0, 1]
        Of the trees with the best validation F1, out of which diverse trees are chosen.
    n_draws : int
        Random ensembles of each kind, whose scores are averaged.
    n_bagged : int
        C4.5 trees of bootstrap samples out of which ensembles are chosen.
    stability_splits : int
        Divisions of the part `stability`: the first so many of `n_splits`.
    n_bootstrap : int
        Its bootstrap samples, the same for all learners.
    confidence : float in [0, 1]
        Of pruning, of all learners.
    factor : float, above 0
        Noise factor of SS and STP: sigma = factor |mean of the variable|.
    uct_iterations : int
        Iterations of UCT-DT in the part `stability`.
    patterns_dataset : str
        Registry key of the data set whose forests are drawn.
    patterns_trees, patterns_depth : int
        Trees of each forest that is drawn, and limit of the depth in the random forest.
    """

    section: ClassVar[str] = "structure_beyond"

    datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    n_splits: int = 3
    n_iterations: int = 20_000
    n_seeds: int = 2
    n_prototypes: int = 2
    sizes: tuple[int, ...] = (3, 5, 9)
    share: float = 0.5
    n_draws: int = 200
    n_bagged: int = 100
    stability_splits: int = 2
    n_bootstrap: int = 12
    confidence: float = 0.25
    factor: float = 0.1
    uct_iterations: int = 10_000
    patterns_dataset: str = "wdbc"
    patterns_trees: int = 100
    patterns_depth: int = 3

    def __post_init__(self):
        sizes = tuple(sorted({int(k) for k in self.sizes}))
        object.__setattr__(self, "sizes", sizes)
        if not sizes or sizes[0] < 2 or sizes[-1] > self.n_bagged:
            raise ConfigError(
                f"`structure_beyond.sizes` is {', '.join(map(str, sizes)) or 'empty'} and "
                f"`structure_beyond.n_bagged` {self.n_bagged}",
                remedy="give sizes of 2 or more, and as many trees as the largest",
            )
        if self.n_bootstrap < 2:
            raise ConfigError(
                f"`structure_beyond.n_bootstrap` is {self.n_bootstrap}",
                remedy="use 2 or more: distances are between trees of two samples",
            )
        if self.factor <= 0 or not 0 < self.share <= 1:
            raise ConfigError(
                f"`structure_beyond.factor` is {self.factor:g} and `structure_beyond.share` "
                f"{self.share:g}",
                remedy="use a factor above 0 and a share above 0 and up to 1",
            )


# ---------------------------------------------------------------------------------- statistics

#: Scores of the distances. The examples are there twice: as the thesis counts them, and less the
#: share of all pairs of trees that are in one cluster, which one large cluster raises as well.
ABOVE_CHANCE = {f"{name}_above_chance": name for name in EXAMPLES.values()}
OF_CLUSTERS = ("silhouette", "nmi_cluster_n_nodes", *EXAMPLES.values(), *ABOVE_CHANCE)
#: The norms of table 5.1, and rank correlations, which do not depend on the scale of a distance.
OF_PAIRS = (
    *(f"norm_diff_to_{r}" for r in REFERENCES),
    *(f"rank_correlation_with_{r}" for r in (*REFERENCES, "size")),
)
METRICS = (*OF_CLUSTERS, *OF_PAIRS)


def _both(costs: str, scale: str = "unnormalized") -> tuple:
    return tuple((MAIN[c], scale) for c in costs.split())


def _correlated(kind: str) -> tuple:
    return tuple((f"edit_{cost}_{kind}", "unnormalized") for cost in ("a2", "b2"))


#: Paired questions: name -> what is compared (first, second), and the variants whose mean each is.
QUESTIONS = {
    "correlation_in_a": ("A2", "A1", _both("A2"), _both("A1")),
    "correlation_in_b": ("B2", "B1", _both("B2"), _both("B1")),
    "unitary_substitution": ("B", "A", _both("B1 B2"), _both("A1 A2")),
    "normalization": (
        "normalized",
        "unnormalized",
        _both("A1 A2 B1 B2", "normalized"),
        _both("A1 A2 B1 B2"),
    ),
    "pearson": ("pearson", "spearman", _correlated("pearson"), _correlated("spearman")),
    "kendall": ("kendall", "spearman", _correlated("kendall"), _correlated("spearman")),
    "prototypes_normalized": (
        "prototypes",
        "normalized",
        _both("A1 A2 B1 B2", "prototypes"),
        _both("A1 A2 B1 B2", "normalized"),
    ),
    "prototypes_unnormalized": (
        "prototypes",
        "unnormalized",
        _both("A1 A2 B1 B2", "prototypes"),
        _both("A1 A2 B1 B2"),
    ),
}

SCORED = ("f1", "accuracy")  # of ensembles
OF_LEARNERS = ("distance_a1", "distance_b2", "relative_a1", "relative_b2", "d_p", "n_tests", "f1")

TEST = ["part", "cell", "metric", "first", "second", "difference"]


#: A test over data sets is called a difference below this, after Holm's correction.
LEVEL = 0.05


#: Values nearer to each other than this are the same.
EQUAL = 1e-9
