"""Settings and names of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow_study.experiments.comparisons import Metric, PairwiseComparison, Part
from hedgerow_study.experiments.plan import Conflict, Plan, in_chunks, setting
from hedgerow_study.experiments.structure.plan import EXAMPLES, ORDER, REFERENCES, TREE, VARIANT
from hedgerow_study.experiments.structure.plan import SCALES as STRUCTURE_SCALES

EXPERIMENT = "structure_beyond"  # the word under which seeds are drawn, its former name

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
    "closeness": VARIANT,
    "scores": ORDER["scores"],
    "grown": ["dataset", "repeat", "sample"],
    "ensembles": ["dataset", "repeat", "pool", "k", "strategy"],
}
OF_FORESTS = ("closeness", "scores")
#: What the table of ensembles holds beside its keys.
VALUES = ["f1", "accuracy", "mean_distance", "member_f1", "n_trees"]


@dataclass(frozen=True)
class DiverseTreesPlan(Plan):
    """Beyond chapter 5: the edit distances over many data sets, and distances to prototypes.

    Then ensembles of trees that differ in structure. Repeats, forests and clusters are made with
    the settings of the section `structure`.
    """

    section: ClassVar[str] = "diverse_trees"

    datasets: tuple[str, ...] = setting(
        (
            *("bupa", "ecoli3", "german_credit", "pima", "saheart", "tic_tac_toe", "titanic"),
            *("vehicle", "wdbc", "wine", "yeast_0256_vs_3789"),
        ),
        "Data sets of all parts.",
    )
    n_repeats: int = setting(
        1,
        "Repeats, splits of each data set into training and test data, with one forest each; "
        "the first of those of `structure`.",
        minimum=1,
        maximum=999,
    )
    n_iterations: int = setting(
        20_000, "Iterations of the search that makes a forest.", minimum=1, maximum=2_000_000_000
    )
    n_seeds: int = setting(
        2, "Seeds of k-means, over which scores are averaged.", minimum=1, maximum=100
    )
    n_prototypes: int = setting(
        2, "Trees of each cluster that are prototypes.", minimum=1, maximum=1_000
    )
    sizes: tuple[int, ...] = setting(
        (3, 5, 9), "Trees of an ensemble, k.", minimum=2, maximum=10_000
    )
    share: float = setting(
        0.5,
        "Share of the trees with the best validation F1, out of which diverse trees are chosen.",
        exclusive_minimum=0,
        maximum=1,
    )
    n_draws: int = setting(
        200,
        "Random ensembles of each kind, whose scores are averaged.",
        minimum=1,
        maximum=1_000_000,
    )
    n_bagged: int = setting(
        100,
        "C4.5 trees of bootstrap samples out of which ensembles are chosen.",
        minimum=2,
        maximum=20_000,
    )
    confidence: float = setting(
        0.25, "Pruning confidence c of the C4.5 trees; it is not tuned.", minimum=0, maximum=1
    )
    chunk: int = in_chunks("Repeats")

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterator[Conflict]:
        """Ensembles are chosen out of the trees."""
        word = cls.section
        largest, n_bagged = max(config[word]["sizes"]), config[word]["n_bagged"]
        if largest > n_bagged:
            yield Conflict(
                f"{word}.n_bagged",
                f"`{word}.sizes` holds {largest} and `{word}.n_bagged` is {n_bagged}",
                "an ensemble is chosen out of as many trees as its size at least",
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
#: Norms are in the hundreds, all else within -1 and 1.
METRICS = {
    **{metric: Metric(digits=2) for metric in (*OF_CLUSTERS, *OF_PAIRS)},
    **{f"norm_diff_to_{r}": Metric(digits=0) for r in REFERENCES},
}


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

SCORED = {"f1": Metric(), "accuracy": Metric()}  # of ensembles

#: Cells are questions, and pools with k such as `uct/5`. Each data set is one value, over what
#: all have. No metric says which distance is right: wins are where the first is higher.
COMPARED = PairwiseComparison(
    cell=("cell",),
    parts={
        "questions": Part(METRICS, [question[:2] for question in QUESTIONS.values()]),
        "ensembles": Part(SCORED, [(DIVERSE, other) for other in STRATEGIES if other != DIVERSE]),
    },
    repeat=(),
)
TEST = [*COMPARED.key, "difference"]
