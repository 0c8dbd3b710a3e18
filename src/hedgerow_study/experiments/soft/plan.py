"""Settings and names of experiments 1 and 2 of the thesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.errors import ConfigError
from hedgerow_study.experiments.plan import Conflict, Plan, in_chunks, setting

EXPERIMENT = "soft"  # the word under which seeds are drawn: both experiments share splits and folds
EXPERIMENTS = ("training_noise", "test_noise")
MOST_STEPS = 100_000  # of a window, as soft search has it; a plan does not load the core


#: What grows trees, and what each takes as uncertain: the search of a test, the propagation of
#: training instances, or, in UDT, every value by its pdf.
LEARNERS = {
    "c45": (),
    "ss": ("search",),
    "stp": ("propagation",),
    "udt": ("pdf",),
    "ss_stp": ("search", "propagation"),
}
#: How trees are read: hard, by soft evaluation, piecewise-linear thresholds, or UDT's pdfs.
EVALUATIONS = (None, "noise", "plt", "pdf")


def uncertain_in(learner: str) -> tuple[str, ...]:
    """What a learner takes as uncertain, of `LEARNERS`."""
    if learner not in LEARNERS:
        names = ", ".join(LEARNERS)
        raise ConfigError(f"no learner is called {learner!r}", remedy=f"use one of {names}")
    return LEARNERS[learner]


@dataclass(frozen=True)
class Recipe:
    """What a method is made of.

    Attributes
    ----------
    learner : key of `LEARNERS`
        What grows its trees.
    evaluation : one of `EVALUATIONS`
        How they are read.
    tuned : bool
        Whether the uncertainty is tuned: u, or the width w of UDT. All parts of a method share it,
        because they are about the same measurements.

    Raises
    ------
    ConfigError
        If no learner or no evaluation is called so.
    """

    learner: str
    evaluation: str | None = None
    tuned: bool = True

    def __post_init__(self):
        uncertain_in(self.learner)
        if self.evaluation not in EVALUATIONS:
            names = ", ".join(str(name) for name in EVALUATIONS)
            raise ConfigError(
                f"no evaluation is called {self.evaluation!r}", remedy=f"use one of {names}"
            )


#: The six methods of tables 3.4 and 3.5, then combinations that the thesis leaves to future work.
RECIPES = {
    "c45": Recipe("c45", tuned=False),
    "ss": Recipe("ss"),
    "stp": Recipe("stp"),
    "se": Recipe("c45", "noise"),
    "plt": Recipe("c45", "plt", tuned=False),
    "udt": Recipe("udt", "pdf"),
    "ss_stp": Recipe("ss_stp"),
    "ss_se": Recipe("ss", "noise"),
    "stp_se": Recipe("stp", "noise"),
    "ss_stp_se": Recipe("ss_stp", "noise"),
}
METHODS = tuple(RECIPES)
PRINTED = ("c45", "ss", "stp", "se", "plt", "udt")  # tables 3.4 and 3.5
COMBINED = ("ss_stp", "ss_se", "stp_se", "ss_stp_se")
TUNED = tuple(method for method, recipe in RECIPES.items() if recipe.tuned)
#: Scores beside the thesis' own, and whether more is better.
SCORES = {"accuracy": True, "macro_f1": True, "brier": False}
#: With fewer data sets than this, methods are not ranked: ranks of two say nothing.
FEWEST_DATASETS = 3
TREE_KEYS = ["dataset", "repeat", "training_noise", "method", "uncertainty"]
CELL = ["experiment", "dataset", "repeat", "noise", "method"]

#: Printed rows of table 3.1, by their key in data/published, and the data set of the registry
#: that stands for each: variants leave out the non-ordinal variables, as 3.3.1 says.
TABLE_3_1 = {
    "hepatitis": "hepatitis_numeric",
    "heart_disease": "heart_cleveland_ordinal",
    "pima": "pima",
    "south_african_heart": "saheart_numeric",
    "breast_cancer_wisconsin": "wdbc",
    "dermatology": "dermatology",
    "haberman": "haberman",
    "indian_liver": "ilpd_numeric",
    "bupa": "bupa",
    "vertebral_2c": "vertebral_2c",
    "vertebral_3c": "vertebral_3c",
    "thyroid_gland": "new_thyroid",
    "parkinson": "parkinsons",
    "spectf": "spectf",
    "thoracic_surgery": "thoracic_surgery_numeric",
    "synthetic_soft_1": "synthetic_soft_1",
    "synthetic_soft_2": "synthetic_soft_2",
    "synthetic_soft_3": "synthetic_soft_3",
    "synthetic_soft_4": "synthetic_soft_4",
    "synthetic_soft_5": "synthetic_soft_5",
}


@dataclass(frozen=True)
class KernelPlan(Plan):
    """The kernel of the soft search (thesis 3.3.2), in chapter 3 and wherever one is run."""

    window: float = setting(
        6.0,
        "Width of the soft search's kernel, in standard deviations of the error (thesis 3.3.2).",
        exclusive_minimum=0,
        maximum=1_000,
    )
    step: float = setting(
        0.1,
        "Step of the soft search's grid, in standard deviations of the error (thesis 3.3.2).",
        exclusive_minimum=0,
        maximum=1_000,
    )

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterator[Conflict]:
        """A window of the soft search holds so many steps."""
        window, step = (config[cls.section][key] for key in ("window", "step"))
        if window / step > MOST_STEPS:
            yield Conflict(
                f"{cls.section}.step",
                f"`{cls.section}.step` is {step:g} and `{cls.section}.window` {window:g}",
                f"give a step of at least {window / MOST_STEPS:g}",
            )


@dataclass(frozen=True)
class SoftPlan(KernelPlan):
    """Experiments 1 and 2 of the thesis (chapter 3), noise in training or test data."""

    section: ClassVar[str] = "soft"

    datasets: tuple[str, ...] = setting(
        tuple(TABLE_3_1.values()),
        "Data sets by their key in the registry; those of table 3.1, in its order.",
    )
    n_repeats: int = setting(
        2,
        "Repeats, random divisions into training and test part per data set, 30 in the thesis; "
        "disjoint samples for the synthetic sets, which have 30.",
        minimum=1,
        maximum=999,
    )
    test_size: float = setting(
        0.3,
        "Share of the rows that the test part gets (thesis 3.3.2, 0.3).",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    n_folds: int = setting(
        3,
        "Folds of the cross validations that tune factors, and calibrate pruning where folds do.",
        minimum=2,
        maximum=100_000,
    )
    noise_factors: tuple[float, ...] = setting(
        (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
        "Noise factors n; the noise added to a variable is N(0, n |mean|). 0 is the baseline of "
        "every table.",
        minimum=0,
        maximum=1_000_000,
        contains=0,
    )
    noise_is: str = setting(
        "sd",
        "What the second argument of N(0, n |mean|) is: the standard deviation; the variance, of "
        "which the factors u of ss, stp and se are shares as well; or the variance, with u a share "
        "of the mean all the same (added_variance).",
        choices=("sd", "variance", "added_variance"),
    )
    methods: tuple[str, ...] = setting(
        (*PRINTED, "ss_se", "stp_se"),
        "Methods: C4.5, which is the baseline, soft search (SS), soft training propagation (STP), "
        "soft evaluation (SE), piecewise-linear thresholds (PLT), uncertain decision trees (UDT), "
        "and combinations of SS, STP and SE.",
        choices=METHODS,
        contains="c45",
    )
    # It cannot hold 0 (methods note on table 3.4): SE at noise 0 differs from C4.5.
    uncertainties: tuple[float, ...] = setting(
        (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
        "Uncertainty factors u among which ss, stp and se are tuned, and widths w of UDT. Without "
        "uncertainty every method is C4.5; the thesis prints no grid.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_samples: int = setting(
        100,
        "Sample points of each value's distribution in UDT; s = 100 in its paper.",
        minimum=2,
        maximum=1_000_000,
    )
    gate_at: str = setting(
        "threshold",
        "Where the gates of stp and se are centred: on the threshold, halfway to the next lower "
        "value, or on the threshold, a value on which goes right whole (ties_right).",
        choices=("threshold", "midpoint", "ties_right"),
    )
    plt_crossings: str = setting(
        "any",
        "Which crossings of the limit can be bounds of plt: any, or those outwards from the "
        "threshold, as in Quinlan's program.",
        choices=("any", "outward"),
    )
    plt_bounds: str = setting(
        "interpolated",
        "Where between two values of a node the bounds of plt lie: where the line between their "
        "numbers of errors meets the limit, or at the value above the limit.",
        choices=("interpolated", "values"),
    )
    udt_counts: str = setting(
        "weights",
        "What counts as the N and the E of a node where trees of udt are pruned: the shares of "
        "instances there, each instance with a share there as a whole one, or each instance as a "
        "whole one where its largest share goes (tuples).",
        choices=("weights", "instances", "tuples"),
    )
    leaf_votes: str = setting(
        "mixture",
        "How the leaves decide that an instance reaches by shares, where a tree is read softly: by "
        "the mixture of their class probabilities, by votes of their classes, or the leaf with the "
        "largest share alone.",
        choices=("mixture", "labels", "largest"),
    )
    min_samples_split: float = setting(
        4, "Training weight below which a node becomes a leaf.", minimum=2, maximum=1_000_000_000
    )
    target_leaves: tuple[float, ...] = setting(
        (15, 10, 5),
        "Mean number of leaves that the pruning confidence is calibrated to (thesis 3.3.1); the "
        "next lower one where it is out of reach.",
        minimum=2,
        maximum=1_000_000_000,
        descending=True,
    )
    calibration: str = setting(
        "repeats",
        "Trees whose leaves are averaged to calibrate the pruning confidence: of the training "
        "parts of the repeats, of which the thesis prints a mean of 15.0, or of the folds of "
        "a cross validation on the whole set.",
        choices=("repeats", "folds"),
    )
    n_calibrated: int = setting(
        30,
        "Repeats whose training parts calibrate the pruning confidence, however many are "
        "run (30 in the thesis); a synthetic set has as many as it has samples.",
        minimum=1,
        maximum=999,
    )
    confidence_tolerance: float = setting(
        0.001,
        "Width of the bisection's last interval of the pruning confidence.",
        minimum=1e-12,
        exclusive_maximum=1,
    )
    store_samples: bool = setting(
        True,
        "Keep the noised samples on disk; otherwise only their seeds and hashes, from which they "
        "are drawn again and checked.",
        is_shown=False,
    )
    chunk: int = in_chunks("Repeats", 2)
