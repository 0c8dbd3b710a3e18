"""Settings and names of the evaluation of EIG (Schreckenberger and others, section 5)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow_study.experiments.comparisons import Metric, PairwiseComparison, Part
from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "missing"  # the word under which seeds are drawn

C45, MEAN, KNN, EIG_KNN, EIG_PERFECT = "c45", "mean", "knn", "eig_knn", "eig_perfect"
METHODS = (C45, MEAN, KNN, EIG_KNN, EIG_PERFECT)
BASELINES, VARIANTS = METHODS[:3], METHODS[3:]
#: What the test set is like: complete, with as many missing values as the training set, imputed.
SCENARIOS = ("full", "missing", "imputed")
FULL, MISSING, IMPUTED = SCENARIOS
#: The paper as it is described, as its authors coded it (repaired), as described but for the gain
#: of C4.5, and as coded with gains of 0/0 left undefined. The last is no interpretation but a
#: question: as described, on data whose variables are independent.
INTERPRETATIONS = ("described", "coded", "coded_gain", "coded_undefined", "independent")
DESCRIBED, CODED, CODED_GAIN, CODED_UNDEFINED, INDEPENDENT = INTERPRETATIONS

#: Of the variants together: the lower of the two; of the baselines: the highest of the three.
BOTH, BEST = "eig_both", "best_baseline"
#: In the place of what is compared, of a test of all at once.
ALL = "all"
#: Differences of accuracy are reported in percentage points.
POINTS = 100.0
_ACCURACY = {"accuracy": Metric(POINTS, 2)}
#: What each part compares. Advantages over the best baseline are compared between scenarios, which
#: stand in the place of methods; depths have no scenario.
COMPARED = PairwiseComparison(
    cell=("interpretation", "scenario"),
    parts={
        "best": Part(_ACCURACY, tuple((variant, BEST) for variant in (*VARIANTS, BOTH))),
        "baselines": Part(_ACCURACY, tuple(itertools.product(VARIANTS, BASELINES))),
        "imputation": Part(_ACCURACY, ((EIG_PERFECT, EIG_KNN),)),
        "scenarios": Part(
            {"advantage": Metric(POINTS, 2)},
            tuple((MISSING, other) for other in SCENARIOS if other != MISSING),
        ),
        "depth": Part(
            {"depth": Metric(1.0, 2)}, tuple(itertools.product((C45, *VARIANTS), BASELINES[1:]))
        ),
    },
    order={"interpretation": INTERPRETATIONS, "scenario": SCENARIOS},
    repeat=(),
    family=("metric", "interpretation", "scenario"),
)

#: Levels at which a few trees are kept for those who want to see them.
KEPT = (20, 50, 80)
#: Of `hedgerow_study.experiments.missing.coded`.
CODED_DEPTH = 20

#: Columns that order each table.
ORDER = {
    "rows": ["dataset", "interpretation", "missingness", "repeat", "fold", "method", "scenario"],
    "trees": ["dataset", "interpretation", "missingness", "repeat", "fold", "method"],
    "kept": ["dataset", "interpretation", "missingness", "method"],
    "sets": ["dataset"],
    "means": ["interpretation", "dataset", "scenario", "method"],
    "levels": ["interpretation", "dataset", "scenario", "missingness", "method"],
    "runs": ["interpretation", "scenario", "missingness"],
    "depths": ["interpretation", "dataset", "missingness", "method"],
}


def published_interpretations(choices: tuple[str, ...]) -> list[str]:
    """Interpretations of the paper, in their order."""
    return [choice for choice in choices if choice != INDEPENDENT]


@dataclass(frozen=True)
class MissingPlan(Plan):
    """EIG against C4.5 and imputation where values are missing completely at random (section 5)."""

    section: ClassVar[str] = "missing"

    #: Name of each data set of the paper -> registry keys, from `published_as` in
    #: config/datasets.yaml.
    printed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        ("wine", "car", "credit_approval", "wdbc", "audit", "autism_adult", "synthetic_missing_1"),
        "Data sets by their key in the registry.",
    )
    interpretations: tuple[str, ...] = setting(
        (DESCRIBED,),
        "The methods as the paper describes them, as its authors' public code has them when it is "
        "repaired, as described but for the gain of C4.5, which is as coded (coded_gain), and as "
        "coded with gains of 0/0 left undefined, of which the first is taken (coded_undefined); "
        "and as described on variables that are shuffled one by one (independent, EIG-09).",
        choices=INTERPRETATIONS,
    )
    missingness: tuple[int, ...] = setting(
        (5, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95),
        "Missing values of each variable, per cent (section 5: 5 to 95 in steps of 5).",
        minimum=0,
        maximum=99,
    )
    n_repeats: int = setting(
        2,
        "Draws of missing values at each level, each with folds of its own (section 5, 5).",
        minimum=1,
        maximum=9_999,
    )
    n_folds: int = setting(
        5, "Folds of the cross validation (section 5, 5).", minimum=2, maximum=1_000
    )
    n_neighbors: int = setting(
        5, "Neighbours of the k-NN imputation (section 5, 5).", minimum=1, maximum=1_000_000
    )
    reliability: str = setting(
        "global",
        "Whether the reliability of a variable is counted once, on the training fold, or at each "
        "node. As described; the authors' code counts it once.",
        choices=("global", "node"),
    )
    min_samples_split: float = setting(
        2.0,
        "Least weight of a node that is divided (section 2.2.1: fewer than two instances are a "
        "leaf).",
        minimum=0,
        maximum=1_000_000,
    )
    candidates: str = setting(
        "values",
        "Thresholds: the observed values (algorithm 1), or half-way between them, as the authors' "
        "code has it. At a value a guess between the 0 and 1 of a column goes with the 0.",
        choices=("values", "midpoints"),
    )
    incomplete: str = setting(
        "drop",
        "Rows that lack a value by themselves, of which no true value is known: left out (drop), "
        "or kept, what is missing staying so (keep). The paper does not say.",
        choices=("drop", "keep"),
    )
    chunk: int = in_chunks("Draws")
