"""Settings and names of the evaluation of E2M trees (Sutton-Charani and others, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "evidential"  # the word under which seeds are drawn

NAIVE, CART, E2M = "naive", "cart", "e2m"
METHODS = (NAIVE, CART, E2M)
#: Before and after pruning; the naive classifier has neither.
STATES = ("unpruned", "pruned")
NO_STATE = ""
#: Lines of the paper's tables.
LINES = ((NAIVE, NO_STATE), *((m, s) for m in (CART, E2M) for s in STATES))

#: On the test third: classes as the noise left them, their plausibilities, and before the noise.
ERRORS = ("error_rate", "evidential_error_rate", "clean_error_rate")
SIZES = ("n_leaves", "failure")

#: What CART compares tests by: as a key, and in words.
CRITERIA = {"gini": "Gini index", "information_gain": "entropy"}
#: Least gains times share of the leaf, in bits, at which sizes are reported.
FLOORS = (0.0, 1e-4, 1e-3, 1e-2)

#: Of figure 1: precise errors, number of instances, uncertainties.
PRECISE = (0.4, 0.6)
N_DRAWN = 100
UNCERTAINTIES = tuple(k / 100 for k in range(0, 100, 5))

#: Columns that order each table.
ORDER = {
    "rows": ["dataset", "repeat", "method", "state", "metric"],
    "trees": ["dataset", "repeat", "method", "state"],
    "sizes": ["dataset", "repeat", "method", "criterion", "floor", "state"],
    "tests": ["part", "dataset", "state", "metric"],
    "curve": ["precise", "gamma"],
}


@dataclass(frozen=True)
class EvidentialPlan(Plan):
    """E2M trees against CART on data whose values and classes are in doubt (section 4)."""

    section: ClassVar[str] = "evidential"

    #: Key of data/published of each data set of the paper -> registry keys, from `published_as` in
    #: config/datasets.yaml.
    printed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        ("iris", "balance_scale", "wine", "glass", "glass_4", "ecoli"),
        "Data sets by their key in the registry.",
    )
    n_repeats: int = setting(
        10,
        "Tests of each data set, each with noise and thirds of its own (section 4, 100).",
        minimum=1,
        maximum=9_999,
    )
    max_leaves: int = setting(
        10, "Leaves of a tree at most (section 4, 10).", minimum=1, maximum=1_000
    )
    min_gain: float = setting(
        0.05,
        "Least gain of a test as a share of the impurity of its leaf (section 4, 5 %).",
        minimum=0,
        maximum=1,
    )
    min_share_gain: float = setting(
        0.001,
        "Least gain of a test, in bits or of the Gini index, times the share of its leaf. The "
        "paper has none.",
        minimum=0,
        maximum=1,
    )
    n_floors: int = setting(
        1,
        "Tests of each data set in which E2M goes on to gains of 0, to tell the sizes at other "
        "floors.",
        minimum=0,
        maximum=9_999,
    )
    parent: str = setting(
        "current",
        "Impurity that a test lowers: that of the leaf as it is estimated now, or that of both its "
        "sides together as they are estimated with the test (combined). The paper does not say.",
        choices=("current", "combined"),
    )
    start: str = setting(
        "plausibility",
        "Where the estimate of both sides of a test starts: at classes weighted by plausibility, "
        "or at those of the leaf, shared out.",
        choices=("plausibility", "shares"),
    )
    tolerance: float = setting(
        1e-6,
        "Iteration ends where the likelihood gains less than this share of itself (algorithm 1).",
        minimum=0,
        maximum=1,
    )
    max_gap: float = setting(
        1e-4,
        "The estimate of a tree goes on until its log-likelihood is within this of the largest.",
        minimum=1e-9,
        maximum=1,
    )
    max_iterations: int = setting(
        1000,
        "Iterations of the estimate of a candidate at most; a tree's own may take 1000 times as "
        "many.",
        minimum=1,
        maximum=1_000_000,
    )
    n_finalists: int = setting(
        0,
        "Candidates that are decided by converged estimates, after a screening by twenty "
        "iterations; 0: all, without a screening.",
        minimum=0,
        maximum=1_000_000,
    )
    domain: str = setting(
        "interval",
        "From what a number is drawn that replaces one: uniformly between the smallest and the "
        "largest of its variable (interval), or from the values that occur (values).",
        choices=("interval", "values"),
    )
    cart_criterion: str = setting(
        "gini",
        "What CART compares tests by. The paper says standard CART, which is the Gini index; a "
        "table has both.",
        choices=tuple(CRITERIA),
    )
    cart_pruning: str = setting(
        "error",
        "What prunes CART along its splits: the share of errors on the crisp pruning third, or the "
        "evidential error rate. The paper does not say.",
        choices=("error", "evidential"),
    )
    chunk: int = in_chunks("Tests", 10)
