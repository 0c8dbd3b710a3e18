"""Settings and names of the question whether the best tree of a depth pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow_study.experiments.comparisons import LOSS, POINTS, Metric, PairwiseComparison, Part
from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "optimal"  # the word under which seeds are drawn, its former name

#: Learners that are given the noise level; the tuned ones have to estimate it.
KNOWN_ERROR, C45_GIVEN = "optimal_given", "c45_given"
#: Learners of test data; those of the training data are not pruned.
METHODS = ("c45", "cart", "uct", "optimal", "optimal_priced", "optimal_error")
NOISY = (*METHODS, C45_GIVEN, KNOWN_ERROR)
UNPRUNED = ("c45_unpruned", "cart_unpruned", "uct", "optimal")
#: Searches that have a bound.
SEARCHES = ("optimal", "optimal_priced", "optimal_error", KNOWN_ERROR)
PROOF = ("n_nodes", "proven", "gap")

#: Setting of the cells with data as they are; noise is called by its factor.
CLEAN = "clean"

LEAVES = Metric(1.0, 1, less_is_better=True)
SCORES = {"accuracy": POINTS, "macro_f1": POINTS, "log_loss": LOSS}
#: What each part compares, first and second, and by what.
COMPARED = PairwiseComparison(
    cell=("setting", "depth"),
    parts={
        "training": Part(
            {"accuracy": POINTS},
            (
                ("optimal", "c45_unpruned"),
                ("optimal", "cart_unpruned"),
                ("optimal", "uct"),
                ("uct", "c45_unpruned"),
            ),
        ),
        "clean": Part(
            {**SCORES, "n_leaves": LEAVES},
            (
                ("optimal", "c45"),
                ("optimal", "cart"),
                ("optimal_priced", "c45"),
                ("optimal_priced", "cart"),
                ("optimal_priced", "optimal"),
                ("optimal_error", "c45"),
                ("optimal_error", "optimal"),
                ("uct", "c45"),
            ),
        ),
        "noise": Part(
            SCORES,
            (
                ("optimal", "c45"),
                ("optimal_priced", "c45"),
                ("optimal_error", "c45"),
                ("optimal_error", "optimal"),
                (KNOWN_ERROR, "c45"),
                (KNOWN_ERROR, "optimal"),
                (KNOWN_ERROR, C45_GIVEN),
                (C45_GIVEN, "c45"),
            ),
        ),
    },
    order={"method": (*NOISY, *UNPRUNED[:2])},
)

ORDER = {"rows": ["part", "dataset", "repeat", "setting", "depth", "method", "metric"]}
VALUES = {"rows": ["value"]}


@dataclass(frozen=True)
class OptimalityGapPlan(Plan):
    """Whether the best tree of a depth pays, beside C4.5, CART and tree search of the same depth.

    Nothing of it is in the papers. UCT-DT has the settings of `search` but for its iterations.
    """

    section: ClassVar[str] = "optimality_gap"

    datasets: tuple[str, ...] = setting(
        ("bupa", "glass", "haberman", "heart_cleveland", "hepatitis", "iris", "saheart", "wine"),
        "Data sets by their key in the registry.",
    )
    depths: tuple[int, ...] = setting(
        (2, 3, 4), "Limits of the depth of all trees.", minimum=1, maximum=16
    )
    n_repeats: int = setting(2, "Splits into training and test part.", minimum=1, maximum=9_999)
    test_size: float = setting(
        0.3, "Share of the rows that are tested.", exclusive_minimum=0, exclusive_maximum=1
    )
    n_rows: int = setting(
        200,
        "Rows of a data set, at most; of a larger one as many are drawn for each repeat.",
        minimum=10,
        maximum=1_000_000,
    )
    n_folds: int = setting(
        3,
        "Folds of the cross validations that tune, on the training part.",
        minimum=2,
        maximum=1_000_000,
    )
    max_nodes: int = setting(
        3_000,
        "Tests whose branches are looked at in each search for a best tree; what is not proven by "
        "then is bounded. Nodes, not seconds: every machine finds the same tree.",
        minimum=1,
        maximum=2_000_000_000,
    )
    max_error_nodes: int = setting(
        100,
        "The same where values carry errors, which takes about a hundred times as long.",
        minimum=1,
        maximum=2_000_000_000,
    )
    leaf_prices: tuple[float, ...] = setting(
        (0, 0.01, 0.03),
        "Prices of a leaf, shares of the training weight, of which one is tuned.",
        minimum=0,
        maximum=1,
    )
    errors: tuple[float, ...] = setting(
        (0.1, 0.3),
        "Errors of measurement, in standard deviations of each variable, of which one is tuned.",
        exclusive_minimum=0,
        maximum=1_000,
    )
    confidences: tuple[float, ...] = setting(
        (0.05, 0.1, 0.25, 0.5, 1),
        "Pruning confidences of C4.5, of which one is tuned.",
        exclusive_minimum=0,
        maximum=1,
    )
    n_alphas: int = setting(
        10,
        "Cost complexities of CART of which one is tuned, at most: those of its own path, evenly.",
        minimum=1,
        maximum=10_000,
    )
    cart_criterion: str = setting(
        "gini", "What the tests of CART are chosen by.", choices=("gini", "entropy")
    )
    uct_iterations: int = setting(1_000, "Iterations of UCT-DT.", minimum=0, maximum=2_000_000_000)
    noise: tuple[float, ...] = setting(
        (0.2,),
        "Noise factors: numbers of test rows get normal noise whose standard deviation is this "
        "share of their variable's mean (thesis 3.3.2).",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    chunk: int = in_chunks("Repeats", 2)
