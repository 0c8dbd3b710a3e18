"""Settings and names of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hedgerow_study.experiments.comparisons import Metric, PairwiseComparison, Part
from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "survival_beyond"  # the word under which seeds are drawn, its former name

#: What is scored: the leaves of two trees, two models of survival, and one curve for everybody.
MODELS = ("thesis", "tuned", "cox", "forest", "nobody")
NOT_INSTALLED = "not installed"
NO_ANSWER = "no convergence"
SCORES = ("concordance", "auc", "brier")
#: Who is learnt from: the thesis leaves the censored out.
WAYS = ("left_out", "weighted", "survived", "survived_weighted")
OF_WAYS = (
    *("accuracy", "weighted_accuracy", "f1", "concordance"),
    *("n_leaves", "predicted", "distance"),
)

#: Trees with the settings of the thesis and with the tuned ones.
SETTINGS = ("thesis", "tuned")

#: Times up to the horizon at which the Brier score is taken.
N_TIMES = 20

#: Columns that order each table.
ORDER = {
    "scores": ["dataset", "repeat", "model", "metric"],
    "weights": ["dataset", "repeat", "way"],
}
PARTS = ("scores", "weights")

_LESS = Metric(digits=3, less_is_better=True)
_MORE = Metric(digits=3)
_FEWER = Metric(less_is_better=True)
_WITH_LEFT_OUT = tuple((way, "left_out") for way in WAYS[1:])
#: What is compared, the first against the second, and by what.
COMPARED = PairwiseComparison(
    cell=(),
    parts={
        "scores": Part(
            {"concordance": _MORE, "auc": _MORE, "brier": _LESS},
            (
                *((tree, model) for tree in SETTINGS for model in ("cox", "forest")),
                ("tuned", "thesis"),
                ("thesis", "nobody"),
            ),
        ),
        "weights": Part(
            dict.fromkeys(OF_WAYS, _MORE) | {"n_leaves": _FEWER, "distance": _LESS},
            _WITH_LEFT_OUT,
        ),
        # What the model predicts on average against the incidence, for two ways of learning.
        "calibration": Part(dict.fromkeys(WAYS[:2], _MORE), (("predicted", "incidence"),)),
    },
)


@dataclass(frozen=True)
class SurvivalBaselinesPlan(Plan):
    """Beyond chapter 6: trees as risk groups against other models of survival.

    Then weights for the censored. Divisions into training and test patients, trees and their tuning
    are those of the section `survival`.
    """

    section: ClassVar[str] = "survival_baselines"

    #: Facts of each cohort, `cohort` in config/datasets.yaml: unit of time, horizon, causes.
    cohorts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Name and version of the library of random survival forests, `absent` without it.
    library: str = "absent"

    datasets: tuple[str, ...] = setting(
        ("gbsg2", "lung", "veteran", "whas500", "heart_valve", "peak_vo2"),
        "Cohorts of patients by their key in the registry; each has a `cohort` there.",
    )
    n_repeats: int = setting(
        3,
        "Repeats, splits into training and test patients; the first of those of `survival`.",
        minimum=1,
        maximum=999,
    )
    penalty: float = setting(
        0.1,
        "Ridge penalty of the Cox model, on standardised variables.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_trees: int = setting(200, "Trees of a random survival forest.", minimum=1, maximum=100_000)
    chunk: int = in_chunks("Repeats", 3)
