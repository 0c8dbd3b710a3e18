"""Settings and names of what goes beyond the paper of ConfDTree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.experiments.confidence.plan import VERSIONS
from hedgerow.experiments.plan import Plan, setting

EXPERIMENT = "confidence_beyond"
PLAIN = "plain"  # what a learner says without doubts

#: Which of both answers to a doubt are given: of `ConfDTreeClassifier`.
ANSWERS = {"both": (True, True), "routes": (True, False), "fines": (False, True)}
#: Learners whose trees are corrected, in part `learners`.
LEARNERS = ("bagged", "rf", "ss", "stp", "se", "uct_vs")
#: Ways to better probabilities, in part `probabilities`; the versions doubt smoothed leaves.
CORRECTIONS = ("laplace", "m_estimate", "isotonic", "sigmoid", *VERSIONS)
#: Other readings of the intervals, in part `settings`.
READINGS = {
    "norm_everywhere": {"method": "norm", "normality_alpha": 0.0},
    "norm_lilliefors": {"method": "norm", "normality": "lilliefors"},
    "comb_lilliefors": {"method": "comb", "normality": "lilliefors"},
}

PARTS = ("answers", "learners", "categories", "probabilities", "settings")
#: Measures, and whether more is better.
METRICS = {"average_auc": True, "log_loss": False, "brier": False, "calibration_error": False}
#: What each part compares by.
COMPARED = {part: ("average_auc",) for part in PARTS} | {"probabilities": tuple(METRICS)}

ORDER = {
    "rows": ["part", "dataset", "repeat", "base", "method", "metric"],
    "bins": ["dataset", "repeat", "method", "bin"],
}
VALUES = {"rows": ["value"], "bins": ["n", "predicted", "correct"]}
TEST = ["part", "base", "metric", "first", "second", "difference"]


@dataclass(frozen=True)
class ConfidenceBeyondPlan(Plan):
    """Beyond the paper of ConfDTree: parts of the gain, other learners, categories, probabilities.

    Folds and base trees are those of the section `confidence`.
    """

    section: ClassVar[str] = "confidence_beyond"

    datasets: tuple[str, ...] = setting(
        ("diabetes", "ecoli3", "wdbc", "yeast_0256_vs_3789"),
        "Data sets of all parts but that on categories.",
    )
    categorical_datasets: tuple[str, ...] = setting(
        ("german_credit", "tic_tac_toe"),
        "Data sets whose trees test categories, for doubts on these.",
    )
    n_repeats: int = setting(
        1,
        "Cross validations, the first of those of `confidence`.",
        minimum=1,
        maximum=999,
    )
    n_trees: int = setting(5, "Trees of an ensemble that is corrected.", minimum=1, maximum=100_000)
    factor: float = setting(
        0.1,
        "Uncertainty factor u of soft search, soft training propagation and soft evaluation.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_iterations: int = setting(
        100, "Iterations of a search by UCT-DT (VS).", minimum=1, maximum=2_000_000_000
    )
    m: float = setting(
        10,
        "Weight of the data set's shares in an m-estimate (n_c + m p_c) / (n + m) of a leaf.",
        minimum=0,
        maximum=1_000_000,
    )
    inner_folds: int = setting(
        3,
        "Folds of the training part on which isotonic and sigmoid calibration are fitted.",
        minimum=2,
        maximum=1_000,
    )
    n_bins: int = setting(
        10, "Bins of the predicted probability, of equal width.", minimum=2, maximum=1_000
    )
    least: float = setting(
        1e-6,
        "Probability below which one counts as so much in the log loss, which is infinite at 0.",
        exclusive_minimum=0,
        maximum=0.1,
    )
    fines: tuple[float, ...] = setting(
        (0.01, 0.05, 0.1, 0.2, 0.3),
        "Fines, as shares of the assigned class's probability; the paper has .1.",
        minimum=0,
        maximum=1,
    )
    widths: tuple[float, ...] = setting(
        (0.5, 1, 1.5, 2, 3),
        "Factors of the paper's interval widths, normal and t.",
        exclusive_minimum=0,
        maximum=1_000,
    )
