"""Settings and names of experiments 1 and 2 of the thesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan

EXPERIMENT = "soft"  # the word under which seeds are drawn: both experiments share splits and folds
EXPERIMENTS = ("training_noise", "test_noise")


@dataclass(frozen=True)
class Recipe:
    """What a method is made of.

    Attributes
    ----------
    learner : {"c45", "ss", "stp", "udt", "ss_stp"}
        What grows its trees.
    evaluation : {None, "noise", "plt", "pdf"}
        How they are read: hard, by soft evaluation, piecewise-linear thresholds, or UDT's pdfs.
    tuned : bool
        Whether a factor is tuned: u, or the width w of UDT. All parts of a method share it,
        because they are about the same measurements.
    """

    learner: str
    evaluation: str | None = None
    tuned: bool = True


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
TREE_KEYS = ["dataset", "permutation", "training_noise", "method", "factor"]
CELL = ["experiment", "dataset", "permutation", "noise", "method"]

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
class SoftPlan(Plan):
    """Settings of experiments 1 and 2: the section `soft` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys; read by the report only, so that one more data set reruns no other.
    seed : int
        Global seed, from which every random draw is derived by name.
    configuration : str
        Name of the configuration, for captions.
    n_permutations : int
        Random train-test permutations per data set; 30 in the paper.
    test_size : float
        Share of the test part.
    n_folds : int
        Folds of tuning and of calibration.
    noise_factors : tuple of float
        Noise factors n; 0 has to be among them, because it is the baseline.
    methods : tuple of str
        Keys of `RECIPES`; c45 has to be among them.
    factors : tuple of float, above 0
        Grid of the tuned uncertainty factors u and of UDT's width w. It cannot hold 0 (methods
        note on table 3.4: SE at noise 0 differs from C4.5). The paper prints no grid; this one is
        ours.
    n_samples : int
        Sample points of each value's pdf in UDT; s = 100 in its paper.
    window, step : float
        Width of the soft search's grid beyond the data and its step, in units of sigma.
    gate_at : {"threshold", "midpoint"}
        Where the gates of STP and SE are centred.
    min_samples_split : float
        Weight below which a node is a leaf.
    target_leaves : tuple of float
        Mean leaves aimed at by the calibration, largest first.
    confidence_tolerance : float
        Width of the last interval of the bisection.
    store_samples : bool
        Keep the noised train and test samples on disk, not only their seeds and hashes.
    """

    section: ClassVar[str] = "soft"

    datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    n_permutations: int = 30
    test_size: float = 0.3
    n_folds: int = 10
    noise_factors: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    methods: tuple[str, ...] = PRINTED
    factors: tuple[float, ...] = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    window: float = 6.0  # thesis 3.3.2
    step: float = 0.1  # thesis 3.3.2
    n_samples: int = 100  # Tsang et al. 2011
    gate_at: str = "threshold"
    min_samples_split: float = 4  # chapters 3 and 4
    target_leaves: tuple[float, ...] = (15, 10, 5)  # thesis 3.3.1
    confidence_tolerance: float = 1e-3
    store_samples: bool = True

    @classmethod
    def from_config(cls, section: Mapping, seed: int, configuration_name: str) -> Self:
        """As `Plan.from_config`; a section that names no data set is refused as well."""
        if "datasets" in section and not section["datasets"]:
            raise ConfigError("`soft.datasets` names no data set", remedy="name at least one")
        return super().from_config(section, seed, configuration_name)

    def __post_init__(self):
        for name in ("noise_factors", "factors", "target_leaves"):
            # Whole numbers of a YAML file must not make other keys than floats do.
            object.__setattr__(self, name, tuple(sorted({float(v) for v in getattr(self, name)})))
        object.__setattr__(self, "target_leaves", self.target_leaves[::-1])  # largest first
        if 0.0 not in self.noise_factors or self.noise_factors[0] < 0:
            raise ConfigError(
                "`soft.noise_factors` has to hold 0 and nothing below",
                remedy="add 0: it is the baseline of every table",
            )
        if not self.factors or self.factors[0] <= 0:
            raise ConfigError(
                "`soft.factors` has to hold factors above 0 only",
                remedy="leave 0 out: without uncertainty every method is C4.5",
            )
        unknown = [m for m in self.methods if m not in METHODS]
        if unknown or "c45" not in self.methods:
            raise ConfigError(
                f"`soft.methods` is {', '.join(self.methods) or 'empty'}",
                remedy=f"name c45 and any of {', '.join(METHODS[1:])}",
            )
        object.__setattr__(self, "methods", tuple(m for m in METHODS if m in self.methods))
        if self.n_permutations < 1 or self.n_folds < 2 or not 0 < self.test_size < 1:
            raise ConfigError(
                f"`soft` has n_permutations {self.n_permutations}, n_folds {self.n_folds} and "
                f"test_size {self.test_size}",
                remedy="use n_permutations >= 1, n_folds >= 2 and a test_size between 0 and 1",
            )
