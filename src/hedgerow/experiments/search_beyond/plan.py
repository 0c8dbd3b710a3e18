"""Settings and names of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from hedgerow.experiments.compared import Compared, Key, Metric, Pair, Part
from hedgerow.experiments.plan import Plan, in_chunks, setting
from hedgerow.experiments.search.plan import BOTH, POLICIES

EXPERIMENT = "search_beyond"
#: Parts, and the setting that says how many splits each has.
SPLITS = {"optimum": "optimum_splits", "selection": "n_splits", "anytime": "anytime_splits"}
PARTS = tuple(SPLITS)

#: Where trees are measured: all training rows, the two sets into which UCT-DT divides them, test.
MEASURED = ("training", "induction", "validation", "test")
#: Learners of part `optimum`. UCT-DT: policy, search pruning, whether all tests are candidates.
SEARCHERS = {
    "uct_vs": ("vs", True, False),
    "uct_c45": ("c45", True, False),
    "uct_vs_no_pruning": ("vs", False, False),
    "uct_vs_all_tests": ("vs", False, True),
}
OPTIMA = ("optimal_accuracy", "optimal_f1", "optimal_f1_labels", "optimal_validation")
LEARNERS = ("c45_unpruned", "c45_pruned", *SEARCHERS, *OPTIMA)

#: Rules of selection; widening has an exponent, which is added to the name.
RULES = ("ucb", "simple_regret", "best")
WIDENING = "widening"

#: Variants of the anytime curves: with both kinds of search pruning, and with none.
PRUNED, UNPRUNED = BOTH, "no_pruning"

KEYS = {
    "optimum": ["dataset", "split", "depth", "learner", "trained_on"],
    "thresholds": ["dataset", "column"],
    "selection": ["dataset", "split", "method", "rule"],
    "anytime": ["dataset", "split", "method", "criterion", "step"],
    "times": ["dataset", "split", "method", "criterion", "step"],
}
#: What else each table holds.
VALUES = {
    "optimum": [
        *(f"{metric}_{where}" for where in MEASURED for metric in ("accuracy", "f1")),
        *("n_leaves", "n_columns"),
    ],
    "thresholds": ["variable", "threshold", "category"],
    "selection": [
        *("f1", "n_leaves", "f1_per_leaf", "validation_f1"),
        *("search_depth", "n_states", "n_iterations"),
    ],
    "anytime": ["iterations", "f1", "validation_f1", "n_leaves"],
    "times": ["seconds"],
}


@dataclass(frozen=True)
class SearchBeyondPlan(Plan):
    """Beyond chapter 4: how far tree search is from optimal trees, and other rules of selection.

    Curves show what is found after so many iterations. Splits, tuning and the settings of the
    learners are those of the section `search`.
    """

    section: ClassVar[str] = "search_beyond"

    #: Name and version of the library that checks optimal trees, `absent` without it.
    library: str = "absent"

    datasets: tuple[str, ...] = setting(
        (
            *("wdbc", "pima", "tic_tac_toe", "german_credit", "contraceptive"),
            *("synthetic_search_1", "synthetic_search_4"),
        ),
        "Data sets of rules of selection and anytime curves.",
    )
    optimum_datasets: tuple[str, ...] = setting(
        (
            *("bupa", "contraceptive", "haberman", "pima", "saheart_numeric", "tic_tac_toe"),
            "synthetic_search_4",
        ),
        "Data sets that are compared with optimal trees, without missing values. Macro F1 is "
        "compared on those with two classes.",
    )
    optimum_splits: int = setting(
        1,
        "Train-test splits of the comparison with optimal trees, the first of those of `search`.",
        minimum=1,
        maximum=999,
    )
    depths: tuple[int, ...] = setting(
        (2, 3, 4),
        "Limits of the depth at which trees are compared with the optimum.",
        minimum=1,
        maximum=20,
    )
    largest_f1_depth: int = setting(
        3,
        "Depth up to which the tree with the best macro F1 is searched; each level more costs "
        "twice the number of binary variables times as much.",
        minimum=0,
        maximum=20,
    )
    n_thresholds: int = setting(
        4,
        "Thresholds per numeric variable of the binary table, quantiles of its values.",
        minimum=1,
        maximum=10_000,
    )
    optimum_confidence: float = setting(
        0.5,
        "Pruning confidence c in the comparison with optimal trees; .5 is the 25 % of C4.5.",
        minimum=0,
        maximum=1,
    )
    optimum_iterations: int = setting(
        20_000,
        "Iterations of UCT-DT in the comparison with optimal trees.",
        minimum=0,
        maximum=2_000_000_000,
    )
    n_splits: int = setting(
        1,
        "Train-test splits of the rules of selection, the first of those of `search`.",
        minimum=1,
        maximum=999,
    )
    n_iterations: int = setting(
        5000,
        "Iterations of UCT-DT under every rule of selection.",
        minimum=0,
        maximum=2_000_000_000,
    )
    policies: tuple[str, ...] = setting(
        ("uct_vs", "uct_c45"),
        "Simulation policies under which rules of selection are compared.",
        choices=POLICIES,
    )
    widening: tuple[float, ...] = setting(
        (0.25, 0.5),
        "Exponents of progressive widening; a run without it is there in any case.",
        exclusive_minimum=0,
        maximum=1,
        fewest=0,
    )
    anytime_splits: int = setting(
        1,
        "Train-test splits of the anytime curves, the first of those of `search`.",
        minimum=1,
        maximum=999,
    )
    grid: tuple[int, ...] = setting(
        (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000),
        "Iterations after which the anytime curves look at the best tree so far.",
        minimum=1,
        maximum=2_000_000_000,
    )
    bootstrap_iterations: int = setting(
        300,
        "Where the curve of the policy C4.5b ends, which takes about a millisecond per iteration.",
        minimum=0,
        maximum=2_000_000_000,
    )
    chunk: int = in_chunks("Splits")


def rules_of(plan: SearchBeyondPlan) -> dict[str, dict]:
    """Rules of selection by name, each with its arguments of `UCTTreeClassifier`."""
    rules = {rule: {"selection": rule} for rule in RULES}
    return {**rules, **{f"{WIDENING}_{e:g}": {"widening": e} for e in plan.widening}}


# ---------------------------------------------------------------------------------- statistics

#: Objectives of the part `optimum`, and the learner that has the optimum on its training rows.
OBJECTIVES = {"accuracy": "optimal_accuracy", "f1": "optimal_f1"}
BASE = ("c45_unpruned", "training")

#: What rules of selection are compared by; rates are in per cent as they are.
METRICS_OF_RULES = {
    "f1": Metric(),
    "validation_f1": Metric(),
    "n_leaves": Metric(less_is_better=True),
    "f1_per_leaf": Metric(),
}


def against(base: str, keys: Iterable[Key]) -> Iterator[Pair]:
    """Whatever was run in a cell against one method of it."""
    return (Pair(key, (*key[:-1], base)) for key in keys if key[-1] != base)


#: Learners on binary tables, at each limit of the depth, against C4.5 without pruning on all
#: training rows; rules of selection, under each policy, against the upper confidence bound.
COMPARED = Compared(
    cell=("cell",),
    parts={
        "optimum": Part(
            {f"{objective}_test": Metric() for objective in OBJECTIVES},
            partial(against, "/".join(BASE)),
        ),
        "selection": Part(METRICS_OF_RULES, partial(against, "ucb")),
    },
    repeat=("split",),
    family=(),
    each="splits",
)

#: A gap narrower than this, in points, is none.
NO_GAP = 1e-9
