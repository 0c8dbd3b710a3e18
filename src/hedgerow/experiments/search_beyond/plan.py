"""Settings and names of what goes beyond chapter 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan
from hedgerow.experiments.search.plan import BOTH, POLICIES

EXPERIMENT = "search_beyond"
PARTS = ("optimum", "selection", "anytime")

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
    """Settings of what goes beyond chapter 4: the section `search_beyond` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys of the parts `selection` and `anytime`.
    optimum_datasets : tuple of str
        Registry keys of the part `optimum`: sets without missing values.
    seed : int
    configuration : str
    library : str
        Name and version of the library that checks optimal trees, `absent` without it.
    optimum_splits, n_splits, anytime_splits : int
        Splits of the three parts: the first so many of those of `search`.
    depths : tuple of int
        Depth limits of the part `optimum`.
    largest_f1_depth : int
        Up to which the tree with the best macro F1 is searched; each level more costs twice the
        number of binary columns times as much.
    n_thresholds : int
        Thresholds of a numeric variable in the binary table.
    optimum_confidence : float
        Pruning confidence in the part `optimum`.
    optimum_iterations, n_iterations : int
        Iterations of UCT-DT in the parts `optimum` and `selection`.
    policies : tuple of str
        Methods of the part `selection`, out of `hedgerow.experiments.search.POLICIES`.
    widening : tuple of float in (0, 1]
        Exponents of progressive widening.
    grid : tuple of int
        Iterations after which the anytime curves look at the best tree so far.
    bootstrap_iterations : int
        Those of the policy C4.5b, which is slower, end here.
    """

    section: ClassVar[str] = "search_beyond"
    given: ClassVar[frozenset[str]] = frozenset({"library"})

    datasets: tuple[str, ...] = ()
    optimum_datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    library: str = "absent"
    optimum_splits: int = 3
    n_splits: int = 4
    anytime_splits: int = 2
    depths: tuple[int, ...] = (2, 3, 4)
    largest_f1_depth: int = 3
    n_thresholds: int = 4
    optimum_confidence: float = 0.5
    optimum_iterations: int = 20_000
    n_iterations: int = 10_000
    policies: tuple[str, ...] = ("uct_vs", "uct_c45")
    widening: tuple[float, ...] = (0.5,)
    grid: tuple[int, ...] = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
    bootstrap_iterations: int = 300

    def __post_init__(self):
        for name in ("depths", "grid"):
            values = tuple(sorted({int(v) for v in getattr(self, name)}))
            object.__setattr__(self, name, values)
            if not values or values[0] < 1:
                raise ConfigError(
                    f"`search_beyond.{name}` has to hold whole numbers above 0",
                    remedy="give a list such as [2, 3]",
                )
        exponents = tuple(sorted({float(v) for v in self.widening}))
        object.__setattr__(self, "widening", exponents)
        if exponents and not 0 < exponents[0] <= exponents[-1] <= 1:
            raise ConfigError(
                "`search_beyond.widening` holds an exponent that is not above 0 and up to 1",
                remedy="leave 0 out: without widening runs are there in any case",
            )
        unknown = [p for p in self.policies if p not in POLICIES]
        if unknown or not self.policies:
            raise ConfigError(
                f"`search_beyond.policies` is {', '.join(self.policies) or 'empty'}",
                remedy=f"name any of {', '.join(POLICIES)}",
            )
        policies = tuple(p for p in POLICIES if p in self.policies)
        object.__setattr__(self, "policies", policies)
        for name in ("optimum_splits", "n_splits", "anytime_splits", "n_thresholds"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"`search_beyond.{name}` is {getattr(self, name)}", remedy="use 1 or more"
                )


def rules_of(plan: SearchBeyondPlan) -> dict[str, dict]:
    """Rules of selection by name, each with its arguments of `UCTTreeClassifier`."""
    rules = {rule: {"selection": rule} for rule in RULES}
    return {**rules, **{f"{WIDENING}_{e:g}": {"widening": e} for e in plan.widening}}


def splits_of(part: str, plan: SearchBeyondPlan) -> int:
    """Number of splits of a part."""
    names = {"optimum": "optimum_splits", "selection": "n_splits", "anytime": "anytime_splits"}
    return getattr(plan, names[part])


# ---------------------------------------------------------------------------------- statistics

#: Objectives of the part `optimum`, and the learner that has the optimum on its training rows.
OBJECTIVES = {"accuracy": "optimal_accuracy", "f1": "optimal_f1"}
BASE = ("c45_unpruned", "training")

#: Metrics that are compared, and whether more is better.
COMPARED = {"f1": True, "validation_f1": True, "n_leaves": False, "f1_per_leaf": True}
TEST = ["part", "cell", "metric", "first", "second", "pairing", "difference"]


#: A gap narrower than this, in points, is none.
NO_GAP = 1e-9
