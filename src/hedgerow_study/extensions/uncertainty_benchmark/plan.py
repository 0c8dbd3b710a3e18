"""Settings and names of the comparison of all answers to doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

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

EXPERIMENT = "answers"  # the word under which seeds are drawn, its former name

#: Trees of this package, C4.5 first, then what a user would take instead.
OURS = (
    "c45",
    "ss",
    "stp",
    "se",
    "ss_stp_se",
    "plt",
    "udt",
    "confdtree",
    "e2m",
    "eig",
    "imputation",
    "optimal",
    "uncertain_data_tree",
)
OTHERS = ("cart", "forest", "boosting", "logistic")
METHODS = (*OURS, *OTHERS)
#: What every other learner is compared with.
AGAINST = ("c45", "forest")

#: What is one tree that can be read.
READABLE = (*OURS, OTHERS[0])

#: Data without any doubt, and their level and place.
CLEAN = "clean"
NOWHERE = "nowhere"
TRAINING = "training"  # where doubtful classes are
PART = "suite"
#: In the place of a learner, for what the training rows are like.
DATA = "data"
PROPERTIES = ("n_rows", "n_variables", "n_classes", "largest_class", "share_numeric")

CHANGES = Metric(100.0, less_is_better=True)


def _comparison_part(keys: Iterable[Key]) -> Iterator[Pair]:
    """Every learner against C4.5 and against the forest."""
    for condition, method in keys:
        for other in AGAINST:
            if method not in AGAINST[: AGAINST.index(other) + 1]:
                yield Pair((condition, method), (condition, other))


#: Of a data set the mean over repeats, levels and places of a condition.
COMPARED = PairwiseComparison(
    cell=("condition",),
    parts={
        PART: Part(
            {
                "accuracy": POINTS,
                "macro_f1": POINTS,
                "log_loss": LOSS,
                "brier": LOSS,
                "calibration": LOSS,
                "changes": CHANGES,
            },
            _comparison_part,
        )
    },
    order={"method": METHODS},
    repeat=("repeat", "level", "place"),
    family=("metric", "condition"),
)

ORDER = {
    "rows": ["part", "dataset", "repeat", "condition", "level", "place", "method", "metric"],
}
VALUES = {"rows": ["value"]}


@dataclass(frozen=True)
class UncertaintyBenchmarkPlan(Plan):
    """Which learner answers which doubt: all of them on the same data, with the same tuning.

    What is run is registered in `config/suite.yaml`; a configuration says how much of it.
    """

    section: ClassVar[str] = "uncertainty_benchmark"

    datasets: tuple[str, ...] = setting(
        ("bupa", "glass", "haberman", "iris", "vertebral_3c", "wine"),
        "Data sets of the suite by their key in the registry.",
    )
    n_repeats: int = setting(1, "The first so many repeats of the suite.", minimum=1, maximum=999)
    n_rows: int = setting(
        150,
        "Rows of a data set, at most; of a larger one as many are drawn for each repeat.",
        minimum=20,
        maximum=1_000_000,
    )
    levels: tuple[int, ...] = setting(
        (1,), "Levels of doubt by their number in the suite, from 0.", minimum=0, maximum=99
    )
    n_settings: int = setting(
        2,
        "Settings that each learner has to choose from, the first so many of its own.",
        minimum=1,
        maximum=4,
    )
    methods: tuple[str, ...] = setting(
        METHODS, "Learners that are compared, by their words.", choices=METHODS
    )
    n_trees: int = setting(50, "Trees of the forest.", minimum=1, maximum=100_000)
    n_rounds: int = setting(50, "Rounds of gradient boosting.", minimum=1, maximum=100_000)
    rule_leaves: int = setting(6, "Leaves of the rule of thumb, at most.", minimum=2, maximum=100)
    people_dataset: str = setting(
        "parkinsons", "Data set with several recordings of a person, as an illustration."
    )
    n_people: int = setting(
        3, "Repeats, splits of its persons into training and test part.", minimum=1, maximum=999
    )
    max_nodes: int = setting(
        300,
        "Tests whose branches are looked at in each search for a best tree; a tenth of it where "
        "values carry errors. Nodes, not seconds: every machine finds the same tree.",
        minimum=10,
        maximum=2_000_000_000,
    )
    chunk: int = in_chunks("Repeats, those of its persons as well,")
