"""Settings and names of noise beyond the thesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.data import FAMILIES
from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan

EXPERIMENT = "soft_beyond"
PARTS = ("noise_models", "class_noise", "categorical_noise")
METHODS = ("c45", "ss", "stp", "se")
GROWN = ("ss", "stp")  # se evaluates the trees of c45
WHERE = ("training", "test")
#: What a method assumes about the noise. `normal` and `matching` have a factor that is tuned.
MODELS = ("none", "normal", "matching", "true")
CELL = ["part", "where", "family", "noise", "method", "model"]
KEY = ["dataset", "permutation", *CELL]
NO_NOISE = ("none", "none", 0.0)  # where, family, noise of the clean baseline


@dataclass(frozen=True)
class SoftBeyondPlan(Plan):
    """Settings of what goes beyond chapter 3: the section `soft_beyond` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys of the parts on noise models and class noise.
    categorical_datasets : tuple of str
        Registry keys of the part on categorical noise: sets with categorical variables.
    seed : int
    configuration : str
    n_permutations : int
        The first so many of the permutations of section `soft`.
    families : tuple of str
        Out of `hedgerow.data.FAMILIES`.
    noise_factors : tuple of float, above 0
        Noise factors n of the first part.
    class_noise, category_noise : tuple of float, above 0 and at most 1
        Probabilities that a label or a category is replaced; 0 is always run, as the baseline.
    factors : tuple of float, above 0 and at most 1
        Grid of the tuned factors u, and of the tuned probability in the model of categories.
    window, step, gate_at, min_samples_split
        Those of the section `soft`.
    """

    section: ClassVar[str] = "soft_beyond"

    datasets: tuple[str, ...] = ()
    categorical_datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    n_permutations: int = 3
    families: tuple[str, ...] = FAMILIES
    noise_factors: tuple[float, ...] = (0.2,)
    class_noise: tuple[float, ...] = (0.1, 0.2)
    category_noise: tuple[float, ...] = (0.2,)
    factors: tuple[float, ...] = (0.1, 0.2, 0.4)
    window: float = 6.0
    step: float = 0.1
    gate_at: str = "threshold"
    min_samples_split: float = 4

    def __post_init__(self):
        for name in ("noise_factors", "class_noise", "category_noise", "factors"):
            values = tuple(sorted({float(v) for v in getattr(self, name)}))
            object.__setattr__(self, name, values)
            if not values or not values[0] > 0:
                raise ConfigError(
                    f"`soft_beyond.{name}` has to hold numbers above 0 only",
                    remedy="leave 0 out: runs without noise are the baseline in any case",
                )
        # A factor of the grid serves the model of categories as a probability.
        for name in ("class_noise", "category_noise", "factors"):
            if getattr(self, name)[-1] > 1:
                raise ConfigError(
                    f"`soft_beyond.{name}` holds {getattr(self, name)[-1]:g}, no probability",
                    remedy="give numbers up to 1",
                )
        unknown = [f for f in self.families if f not in FAMILIES]
        if unknown or not self.families:
            raise ConfigError(
                f"`soft_beyond.families` is {', '.join(self.families) or 'empty'}",
                remedy=f"name any of {', '.join(FAMILIES)}",
            )
        object.__setattr__(self, "families", tuple(f for f in FAMILIES if f in self.families))
        if self.n_permutations < 1:
            raise ConfigError(
                f"`soft_beyond.n_permutations` is {self.n_permutations}", remedy="use 1 or more"
            )


DRAWS = ["dataset", "permutation", "part", "sample", "family", "noise", "experiment", "stream"]
DRAWS += ["sha256"]
MULTIPLES = ["dataset", "permutation", "variable", "multiple"]
#: Tables of a run and the columns by which they are sorted.
ORDER = {"rows": [*KEY, "metric"], "draws": DRAWS[:-1], "multiples": MULTIPLES[:-1]}


# ------------------------------------------------------------------------------ statistics

POOLED = "all_families"  # the families in which a matching model is another than the normal one
TESTED = ("accuracy", "brier", "n_leaves")
AGAINST = {  # what a model is compared with: C4.5, and the normal model of the same method
    "normal": (("c45", "none"),),
    "matching": (("c45", "none"), ("same", "normal")),
    "true": (("c45", "none"), ("same", "normal")),
}
COMPARISON = ["part", "where", "family", "noise", "metric", "method", "model"]
COMPARISON += ["against_method", "against_model", "pairing"]
