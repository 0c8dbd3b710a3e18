"""Settings and names of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from hedgerow.data import FAMILIES
from hedgerow.experiments.compared import LOSS, POINTS, Compared, Key, Metric, Pair, Part
from hedgerow.experiments.plan import Plan, in_chunks, setting
from hedgerow.experiments.soft.plan import SoftPlan

EXPERIMENT = "soft_beyond"
PARTS = ("noise_models", "class_noise", "categorical_noise")
METHODS = ("c45", "ss", "stp", "se")
WHERE = ("training", "test")
#: What a method assumes about the noise. `normal` and `matching` have a factor that is tuned.
MODELS = ("none", "normal", "matching", "true")
CELL = ["part", "where", "family", "noise", "method", "model"]
KEY = ["dataset", "permutation", *CELL]
NO_NOISE = ("none", "none", 0.0)  # where, family, noise of the clean baseline


@dataclass(frozen=True)
class SoftBeyondPlan(Plan):
    """Beyond the thesis: noise of other families, class noise, noise on categories.

    Models of the noise match it or do not. Divisions, folds, pruning confidence and the settings of
    the learners are those of the section `soft`.
    """

    section: ClassVar[str] = "soft_beyond"

    datasets: tuple[str, ...] = setting(
        ("bupa", "haberman", "iris", "pima", "saheart_numeric", "wine"),
        "Data sets with numeric variables, for noise families and class noise.",
    )
    categorical_datasets: tuple[str, ...] = setting(
        ("contraceptive", "german_credit", "saheart", "tic_tac_toe"),
        "Data sets with categorical variables, for noise on categories.",
    )
    n_permutations: int = setting(
        2,
        "How many of the permutations of `soft`, from the first on.",
        minimum=1,
        maximum=999,
    )
    families: tuple[str, ...] = setting(
        FAMILIES,
        "Families of noise on numeric variables. Matching models are compared with the normal one "
        "over those that are not normal.",
        choices=FAMILIES,
    )
    noise_factors: tuple[float, ...] = setting(
        (0.2,),
        "Noise factors n; the standard deviation is n |mean|, or n |x|. Runs without noise are the "
        "baseline in any case.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    class_noise: tuple[float, ...] = setting(
        (0.1, 0.2),
        "Probabilities that a training label is replaced by another class.",
        exclusive_minimum=0,
        maximum=1,
    )
    category_noise: tuple[float, ...] = setting(
        (0.2,),
        "Probabilities that a category is replaced by a draw of its variable.",
        exclusive_minimum=0,
        maximum=1,
    )
    factors: tuple[float, ...] = setting(
        (0.1, 0.2, 0.4),
        "Uncertainty factors u among which ss, stp and se are tuned, and probabilities among which "
        "the model of categories is; at most 1.",
        exclusive_minimum=0,
        maximum=1,
    )
    set_datasets: tuple[str, ...] = setting(
        (
            "bupa",
            "contraceptive",
            "ecoli",
            "german_credit",
            "glass",
            "haberman",
            "heart_cleveland",
            "ilpd",
            "iris",
            "vertebral_3c",
            "wdbc",
            "wine",
        ),
        "Archived data sets with numeric variables, for sets with a promise.",
    )
    set_rows: int = setting(
        500,
        "Rows of each of these, at most; of a larger one as many are drawn for each division.",
        minimum=20,
        maximum=1_000_000,
    )
    n_divisions: int = setting(
        5,
        "Divisions of each of these into rows that trees are grown from, that their sets are "
        "calibrated with, and that are tested.",
        minimum=1,
        maximum=9_999,
    )
    test_size: float = setting(
        0.3, "Share of the rows that are tested.", exclusive_minimum=0, exclusive_maximum=1
    )
    calibration_size: float = setting(
        0.3,
        "Share of the other rows that sets are calibrated with.",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    set_noise: tuple[float, ...] = setting(
        (0.5,),
        "Standard deviations of the normal errors of test values, in those of each variable; soft "
        "trees are told.",
        exclusive_minimum=0,
        maximum=1_000,
    )
    promised: tuple[float, ...] = setting(
        (0.9,),
        "Probabilities with which sets promise to hold the true class.",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    set_confidence: float = setting(
        0.25,
        "Pruning confidence of the trees whose sets are looked at.",
        exclusive_minimum=0,
        maximum=1,
    )
    leaf_smoothing: bool = setting(
        True,
        "Whether leaves of those trees give Laplace-smoothed probabilities, by which pure leaves "
        "of few rows are told from those of many.",
    )
    ties_broken: bool = setting(
        True,
        "Whether equal scores are ordered at random, so that sets hold the true class as often as "
        "promised; else they count in full, and sets are larger.",
    )
    chunk: int = in_chunks("Permutations and divisions of sets", 5)

    # Those of the section `soft`, which the rules give.
    window: float = SoftPlan.window
    step: float = SoftPlan.step
    gate_at: str = SoftPlan.gate_at
    min_samples_split: float = SoftPlan.min_samples_split


DRAWS = ["dataset", "permutation", "part", "sample", "family", "noise", "experiment", "stream"]
DRAWS += ["sha256"]
MULTIPLES = ["dataset", "permutation", "variable", "multiple"]
#: Tables of a run and the columns by which they are sorted.
ORDER = {"rows": [*KEY, "metric"], "draws": DRAWS[:-1], "multiples": MULTIPLES[:-1]}


# ------------------------------------------------------------------------------ statistics

POOLED = "all_families"  # the families in which a matching model is another than the normal one
#: What each model of a method is compared with: C4.5, and the normal model of the method.
AGAINST = {"normal": ("c45",), "matching": ("c45", "normal"), "true": ("c45", "normal")}


def against(keys: Iterable[Key]) -> Iterator[Pair]:
    """What `AGAINST` says; methods are named with their models."""
    for *cell, first in keys:
        method, model = first.split("/")
        seconds = {"c45": "c45/none", "normal": f"{method}/normal"}
        for name in AGAINST.get(model, ()):
            yield Pair((*cell, first), (*cell, seconds[name]), name)


#: What is compared, in all parts alike. Where families are joined, a pair is still of one of them.
COMPARED = Compared(
    cell=("where", "family", "noise"),
    parts={
        part: Part(
            {"accuracy": POINTS, "brier": LOSS, "n_leaves": Metric(less_is_better=True)}, against
        )
        for part in PARTS
    },
    repeat=("origin", "permutation"),
    family=(),
    each="permutations",
)

# ------------------------------------------------------------------------------- sets

SETS = "sets"  # the part, and its rows
#: Trees whose sets are looked at: those of METHODS, and all three parts of a soft tree at once.
ALL_PARTS = "ss_stp_se"
SET_METHODS = (*METHODS, ALL_PARTS)
#: What sets are compared with by their coverage.
PROMISED = "promised"
CLEAN, NOISY = "clean", "noisy"
#: What test values and those of the calibration are like.
SITUATIONS = ((CLEAN, CLEAN), (NOISY, CLEAN), (NOISY, NOISY))

SIZE = Metric(1.0, 2, less_is_better=True)


def _beside(keys: Iterable[Key]) -> Iterator[Pair]:
    """Coverage against what is promised; other metrics against C4.5."""
    keys = list(keys)
    second = PROMISED if any(key[-1] == PROMISED for key in keys) else METHODS[0]
    for *cell, method in keys:
        if method != second:
            yield Pair((*cell, method), (*cell, second))


#: How sets are compared.
COMPARED_SETS = Compared(
    cell=("test", "calibration", "noise", "promised"),
    parts={
        SETS: Part(
            {"coverage": POINTS, "size": SIZE, "single": POINTS, "class_coverage": POINTS}, _beside
        )
    },
    order={
        "method": (*SET_METHODS, PROMISED),
        "test": (CLEAN, NOISY),
        "calibration": (CLEAN, NOISY),
    },
    repeat=("division",),
)
SET_ORDER = ["part", "dataset", "division", *COMPARED_SETS.cell, "method", "metric"]
