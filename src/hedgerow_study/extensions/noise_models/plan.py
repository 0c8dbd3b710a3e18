"""Settings and names of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from hedgerow.data import FAMILIES
from hedgerow_study.experiments.comparisons import (
    LOSS,
    POINTS,
    Key,
    Metric,
    Pair,
    PairwiseComparison,
    Part,
)
from hedgerow_study.experiments.plan import Plan, in_chunks, setting
from hedgerow_study.experiments.soft.plan import SoftPlan

EXPERIMENT = "soft_beyond"  # the word under which seeds are drawn, its former name
PART = "noise_models"
METHODS = ("c45", "ss", "stp", "se")
WHERE = ("training", "test")
#: What a method assumes about the noise. `normal` and `matching` have an uncertainty that is tuned.
MODELS = ("none", "normal", "matching", "true")
CELL = ["part", "where", "family", "noise", "method", "model"]
ORDER = ["dataset", "repeat", *CELL, "metric"]
NO_NOISE = ("none", "none", 0.0)  # where, family, noise of the clean baseline


@dataclass(frozen=True)
class NoiseModelsPlan(Plan):
    """Beyond the thesis: noise of other families, and models of the noise that match it or do not.

    Divisions, folds, pruning confidence and the settings of the learners are those of the section
    `soft`.
    """

    section: ClassVar[str] = "noise_models"

    datasets: tuple[str, ...] = setting(
        ("bupa", "haberman", "iris", "pima", "saheart_numeric", "wine"),
        "Data sets with numeric variables.",
    )
    n_repeats: int = setting(
        2,
        "How many of the repeats of `soft`, from the first on.",
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
    uncertainties: tuple[float, ...] = setting(
        (0.1, 0.2, 0.4),
        "Uncertainty factors u among which ss, stp and se are tuned.",
        exclusive_minimum=0,
        maximum=1,
    )
    chunk: int = in_chunks("Repeats", 5)

    # Those of the section `soft`, which the rules give.
    window: float = SoftPlan.window
    step: float = SoftPlan.step
    gate_at: str = SoftPlan.gate_at
    min_samples_split: float = SoftPlan.min_samples_split


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


#: What is compared. Where families are joined, a pair is still of one of them.
COMPARED = PairwiseComparison(
    cell=("where", "family", "noise"),
    parts={
        PART: Part(
            {"accuracy": POINTS, "brier": LOSS, "n_leaves": Metric(less_is_better=True)}, against
        )
    },
    repeat=("origin", "repeat"),
    family=(),
    each="repeats",
)
