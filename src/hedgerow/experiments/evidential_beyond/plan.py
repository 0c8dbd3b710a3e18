"""Settings and names of what goes beyond the paper of E2M."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hedgerow.experiments.compared import ERROR_POINTS, Compared, Key, Pair, Part
from hedgerow.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "evidential_beyond"  # the word under which seeds are drawn

#: Learners of the sweep of the noise, E2M first: what the others are compared with.
LEARNERS = (
    "e2m",
    "e2m_pignistic",
    "cart",
    "c45",
    "ss",
    "stp",
    "confdtree_tdist",
    "confdtree_comb",
)
REPEATED = ("e2m_doubted", "e2m_intervals", "cart_means", "cart_single")
#: Doubts told as plausibilities of the noise are, times a factor; or as its odds.
MISJUDGED = ("e2m", "e2m_odds")
ANNOTATED = ("e2m_votes", "cart_weighted", "cart_majority")
PARTS = ("sweep", "repeated", "annotators", "misjudged")
RIGHT = 1.0  # the factor of a doubt that is told as it is

#: What of doubts that are told as they are is called in tests and tables.
AS_THEY_ARE = "e2m, right"


def told_otherwise(keys: Iterable[Key]) -> Iterator[Pair]:
    """Doubts told otherwise against doubts told as they are."""
    right = (RIGHT, "e2m")
    return (Pair(key, right, AS_THEY_ARE) for key in keys if key != right)


def _first_with_others(methods: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((methods[0], other) for other in methods[1:])


#: What each part compares, first and second, and by which errors.
COMPARED = Compared(
    cell=("setting",),
    parts={
        "sweep": Part(
            {"clean_error_rate": ERROR_POINTS, "error_rate": ERROR_POINTS},
            _first_with_others(LEARNERS),
        ),
        "repeated": Part({"error_rate": ERROR_POINTS}, _first_with_others(REPEATED)),
        "annotators": Part({"error_rate": ERROR_POINTS}, _first_with_others(ANNOTATED)),
        "misjudged": Part(
            {"clean_error_rate": ERROR_POINTS, "evidential_error_rate": ERROR_POINTS},
            told_otherwise,
        ),
    },
)

ORDER = {"rows": ["part", "dataset", "repeat", "setting", "method", "metric"]}
VALUES = {"rows": ["value"]}


@dataclass(frozen=True)
class EvidentialBeyondPlan(Plan):
    """Beyond the paper of E2M: other answers to doubt, intervals, annotators, misjudged doubt.

    Noise, growth and pruning are those of the section `evidential`.
    """

    section: ClassVar[str] = "evidential_beyond"

    datasets: tuple[str, ...] = setting(
        ("iris", "wine", "haberman", "bupa", "saheart", "diabetes"),
        "Data sets by their key in the registry.",
    )
    n_repeats: int = setting(
        1,
        "Repeats of each data set, each with noise and thirds of its own.",
        minimum=1,
        maximum=9_999,
    )
    n_rows: int = setting(
        240,
        "Rows of a data set at most; of a larger one as many are drawn for each repeat.",
        minimum=9,
        maximum=1_000_000,
    )
    levels: tuple[float, ...] = setting(
        (0, 0.5, 1),
        "Noise levels: every value and class has a doubt uniform on [0, level].",
        minimum=0,
        maximum=1,
    )
    n_finalists: int = setting(
        32,
        "Candidates of E2M that are decided by converged estimates, after a screening.",
        minimum=1,
        maximum=1_000_000,
    )
    n_draws: int = setting(
        10,
        "Draws of each row from its pignistic distribution.",
        minimum=1,
        maximum=10_000,
    )
    factor: float = setting(
        0.1,
        "Uncertainty factor u of soft search and soft training propagation.",
        exclusive_minimum=0,
        maximum=1_000_000,
    )
    n_measurements: int = setting(
        3, "Measurements of each value that make an interval.", minimum=2, maximum=1_000
    )
    errors: tuple[float, ...] = setting(
        (0.5, 1),
        "Errors of a measurement, as shares of the standard deviation of its variable.",
        exclusive_minimum=0,
        maximum=1_000,
    )
    n_annotators: int = setting(
        5, "Annotators who name the class of each row.", minimum=2, maximum=1_000
    )
    mistakes: tuple[float, ...] = setting(
        (0.4, 0.8),
        "Largest shares of classes that an annotator gets wrong; each has one of their own, "
        "uniform up to it.",
        minimum=0,
        maximum=1,
    )
    misjudged: tuple[float, ...] = setting(
        (0, 0.25, 1, 4),
        "Factors of the doubts that the learner is told; 1 is told as it is, 0 no doubt.",
        minimum=0,
        maximum=1_000,
        contains=1,
    )
    chunk: int = in_chunks("Repeats")
