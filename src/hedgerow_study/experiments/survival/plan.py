"""Settings and names of trees as risk groups (thesis, chapter 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "survival"  # the word under which seeds are drawn

#: The simulator of the thesis' private registry.
SIMULATED = "synthetic_aortic_stenosis"
#: Trees: with the settings that the thesis chose, and with the best of a grid.
METHODS = ("thesis", "tuned")
#: Who statistics are about: all patients, as published, and the parts for and against learning.
PARTS = ("all", "training", "test")
#: Groups of the simulated patients: by the tests that figure 6.1 prints, and by the learnt tree.
PRINTED, LEARNT = "printed_tree", "learnt_tree"
#: Below it a leaf is selected (thesis 6.2.3, 6.3).
ALPHA = 0.005
#: Where time of treated and untreated begins: as published, and at the landmark.
COUNTED_FROM = ("inclusion", "landmark")
#: Classes at the horizon: 1 has had the event.
CLASSES = ("survival", "death")

#: Log-rank statistics of a leaf against all patients, itself among them, and against the others.
CHI2 = ("logrank_chi2", "logrank_chi2_rest")
#: What leaves have as statistics of a part, beside those of all patients.
OF_PARTS = ("n", "events", "median", "hazard_ratio", "logrank_p", "logrank_p_rest", "cox_p")

TREE = ["dataset", "repeat", "method"]
GROUP = ["dataset", "groups", "part", "number"]
#: Columns that order each table.
ORDER = {
    "patients": ["dataset", "row"],
    "trees": TREE,
    "tuning": ["dataset", "repeat", "confidence", "repetition_factor", "min_samples_leaf"],
    "null": ["dataset", "permutation", "part"],
    "performance": [*TREE, "part", "metric"],
    "leaves": GROUP,
    "treatment": ["dataset", "groups", "counted_from", "number"],
    "separation": ["dataset", "part"],
    "selected": ["dataset", "number"],
}


@dataclass(frozen=True)
class SurvivalPlan(Plan):
    """Chapter 6 of the thesis: leaves of a tree as risk groups.

    On a synthetic registry of aortic stenosis, in the place of the private one, and on public
    cohorts.
    """

    section: ClassVar[str] = "survival"

    #: Facts of each cohort, `cohort` in config/datasets.yaml: unit of time, horizon, causes.
    cohorts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        (
            *(SIMULATED, "flchain", "gbsg2", "lung", "stanford_heart_intervals", "support2"),
            *("veteran", "whas500", "heart_valve", "peak_vo2"),
        ),
        "Cohorts by their key in the registry; each has a `cohort` there.",
    )
    n_repeats: int = setting(
        3,
        "Repeats, splits into training and test part; the first is that of all tables and figures, "
        "the others tell how far tree and performance depend on the split.",
        minimum=1,
        maximum=999,
    )
    test_size: float = setting(
        0.25,
        "Share of the patients that the test part gets (thesis 6.2.2, 138 of 549).",
        exclusive_minimum=0,
        maximum=0.9,
    )
    confidence: float = setting(
        0.87, "Pruning confidence c (thesis 6.2.2, 0.87).", minimum=0, maximum=1
    )
    repetition_factor: float = setting(
        0.7,
        "What the gain of a test counts where a test above has the same variable (thesis 6.2.2, "
        "0.7).",
        minimum=0,
        maximum=1,
    )
    min_samples_leaf: float = setting(
        20,
        "Patients on each side of a test at least (thesis 6.2.2, 20).",
        minimum=1,
        maximum=1_000_000_000,
    )
    min_followed: float = setting(
        0.2,
        "Share of the patients on each side of a test that could be followed to the horizon at "
        "least (reverse Kaplan-Meier); 0, as published: any.",
        minimum=0,
        maximum=1,
    )
    confidences: tuple[float, ...] = setting(
        (0.25, 0.87), "Pruning confidences among which is tuned.", minimum=0, maximum=1
    )
    repetition_factors: tuple[float, ...] = setting(
        (0.7, 1.0), "Repetition factors among which is tuned.", minimum=0, maximum=1
    )
    leaf_sizes: tuple[float, ...] = setting(
        (10, 20, 40),
        "Patients on each side of a test at least, among which is tuned.",
        minimum=1,
        maximum=1_000_000_000,
    )
    n_folds: int = setting(
        5, "Folds of the cross validation that tunes (thesis 6.2.2, 10).", minimum=2, maximum=1000
    )
    competing: str = setting(
        "censored",
        "What another event before the horizon makes of a patient's class: no class, as the end of "
        "follow-up does (thesis 6.2.2), or survival of the event in question.",
        choices=("censored", "survived"),
    )
    n_permutations: int = setting(
        39,
        "Permutations of the outcomes through the whole pipeline; p below 0.005 needs 200 or more.",
        minimum=1,
        maximum=999,
    )
    n_bootstrap: int = setting(
        1000,
        "Bootstrap samples of the test patients, for intervals of table 6.2.",
        minimum=10,
        maximum=100_000,
    )
    chunk: int = in_chunks("Permutations", 39)
    repeat_chunk: int = in_chunks("Repeats", 3)
