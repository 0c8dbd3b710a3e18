"""Settings and names of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.data import FAMILIES
from hedgerow.experiments.compared import LOSS, POINTS, Compared, Key, Metric, Pair, Part
from hedgerow.experiments.plan import Conflict, Plan, more_than_there_are, setting
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
        "The first so many of the permutations of `soft`, and no more than it has.",
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
    chunk: int = setting(
        3,
        "Permutations per job. Results do not depend on it.",
        minimum=1,
        maximum=1_000_000,
        stated=False,
    )

    # Those of the section `soft`, which the rules give.
    window: float = SoftPlan.window
    step: float = SoftPlan.step
    gate_at: str = SoftPlan.gate_at
    min_samples_split: float = SoftPlan.min_samples_split

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterator[Conflict]:
        """The permutations are those of `soft`."""
        key = "n_permutations"
        return more_than_there_are(config, (cls.section, key), (SoftPlan.section, key))


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
