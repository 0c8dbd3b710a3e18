"""Settings and names of what goes beyond the paper of ConfDTree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from hedgerow.experiments.compared import LOSS, POINTS, Compared, Key, Pair, Part
from hedgerow.experiments.confidence.plan import VERSIONS
from hedgerow.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "confidence_beyond"
PLAIN = "plain"  # what a learner says without doubts

#: Base trees, C4.5 of the thesis: whether they are pruned, and whether their leaves are smoothed.
TREES = {
    "pruned_laplace": (True, True),
    "pruned": (True, False),
    "unpruned_laplace": (False, True),
    "unpruned": (False, False),
}
TREE_LABELS = {
    "pruned_laplace": "pruned, Laplace-smoothed",
    "pruned": "pruned",
    "unpruned_laplace": "unpruned, Laplace-smoothed",
    "unpruned": "unpruned",
}
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
_LISTED = [
    PLAIN,
    *(f"{version}_{answer}" for version in VERSIONS for answer in ANSWERS),
    *(f"{version}_categories" for version in VERSIONS),
    *CORRECTIONS,
    *READINGS,
]


def _place(method: str) -> tuple:
    """Methods in the order of the tables: settings of a version by their size, then readings."""
    setting = re.fullmatch(r"(\w+)_(fine|width)_(.+)", method)
    if setting:
        return (1, setting[2], list(VERSIONS).index(setting[1]), float(setting[3]))
    return (2 if method in READINGS else 0, "", _LISTED.index(method), 0.0)


def without(keys: Iterable[Key]) -> Iterator[Pair]:
    """Each method against itself without what the part asks about: doubts, or on categories."""
    for base, method in keys:
        if method != PLAIN:
            second = method.removesuffix("_categories")
            yield Pair((base, method), (base, PLAIN if second == method else second))


def smoothed(keys: Iterable[Key]) -> Iterator[Pair]:
    """Ways to probabilities against plain shares; versions doubt smoothed leaves."""
    for base, method in keys:
        if method != PLAIN:
            yield Pair((base, method), (base, "laplace" if method in VERSIONS else PLAIN))


#: What each part compares by: areas, and in one also losses.
COMPARED = Compared(
    cell=("base",),
    parts={
        **{part: Part({"average_auc": POINTS}, without) for part in PARTS},
        "probabilities": Part(
            {
                "average_auc": POINTS,
                **dict.fromkeys(("log_loss", "brier", "calibration_error"), LOSS),
            },
            smoothed,
        ),
    },
    order={"base": (*TREES, *LEARNERS), "method": _place},
)

ORDER = {
    "rows": ["part", "dataset", "repeat", "base", "method", "metric"],
    "bins": ["dataset", "repeat", "method", "bin"],
}
VALUES = {"rows": ["value"], "bins": ["n", "predicted", "correct"]}


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
    n_trees: int = setting(3, "Trees of an ensemble that is corrected.", minimum=1, maximum=100_000)
    factor: float = setting(
        0.1,
        "Uncertainty factor u of soft search, soft training propagation and soft evaluation.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_iterations: int = setting(
        50, "Iterations of a search by UCT-DT (VS).", minimum=1, maximum=2_000_000_000
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
    chunk: int = in_chunks("Cross validations")
