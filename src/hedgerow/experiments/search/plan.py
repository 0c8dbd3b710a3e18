"""Settings and names of trees by Monte Carlo search (thesis, chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan

EXPERIMENT = "search"  # the word under which seeds are drawn

#: Methods in the order of tables 4.5 and 4.3; UCT-DT by its simulation policy.
METHODS = ("c45", "ete", "uct_vs", "uct_c45", "uct_c45b")
POLICIES = {"uct_vs": "vs", "uct_c45": "c45", "uct_c45b": "c45b"}
#: Search pruning of table 4.1: value-based pruning, DT-based pruning.
PRUNING = {
    "no_pruning": (False, False),
    "vp": (True, False),
    "dtp": (False, True),
    "vp_dtp": (True, True),
}
BOTH = "vp_dtp"  # with which policies and methods are compared (4.6.2, 4.6.3)

#: Metrics of tables 4.1, 4.3 and 4.5, and whether more is better.
METRICS = {"f1": True, "n_leaves": False, "f1_per_leaf": True}

CELL = ["dataset", "split", "method", "criterion"]
TUNING = ["dataset", "split", "method", "parameter", "value", "cv_f1", "chosen"]
#: Columns that order each table of `run`; nodes of a tree keep their order.
ORDER = {
    "rows": CELL,
    "trees": ["dataset", "split"],
    "tuning": ["dataset", "split", "method", "value"],
    "times": CELL,
}

#: What each table of tests compares: (method, criterion) of each group, named as in the table.
FAMILIES = {
    "thesis_table_4_2": {c: ("uct_vs", c) for c in PRUNING},
    "thesis_table_4_4": {m: (m, BOTH) for m in POLICIES},
    "thesis_table_4_6": {
        "c45": ("c45", ""),
        "ete": ("ete", ""),
        "uct_vs": ("uct_vs", BOTH),
        "uct_c45b": ("uct_c45b", BOTH),
    },
}


@dataclass(frozen=True)
class SearchPlan(Plan):
    """Settings of chapter 4: the section `search` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys; read by the report only, so that one more data set reruns no other.
    printed : dict of str
        Key of data/published of each data set of chapter 4 -> registry key, from `published_as`
        in config/datasets.yaml.
    seed : int
        Global seed, from which every random draw is derived by name.
    configuration : str
        Name of the configuration, for captions.
    n_splits : int
        Train-test splits per data set: the one of the published protocol, then further ones.
    methods, further_methods : tuple of str
        Methods of split 0 and of the further splits, out of `METHODS`; c45 is among both. UCT-DT
        has every search pruning of table 4.1 under the policy VS on split 0, and both prunings
        together elsewhere.
    test_size : float
        Share of the test part (thesis 4.5.1).
    n_folds : int
        Folds of the grid search of the pruning confidence.
    confidences : tuple of float in (0, 1]
        Its grid. The paper prints none; this one is ours.
    alphas : tuple of float, at least 0
        Grid of ETE's cost of a leaf. The paper prints none.
    alpha_folds : int
        Folds of its cross validation.
    population_size, n_generations : int
        Of ETE; the paper prints neither.
    n_iterations, n_candidates, exploration, value_pruning_interval, value_pruning_depth
        Of UCT-DT (thesis 4.5.1): 200,000, K = 3, C_p = 1, n_vp = 3,000, d_vp = 5.
    n_iterations_c45b : int
        Iterations of the policy C4.5b, which completes a new tree in each of them and takes a
        hundred times as long as the others; the paper gives all the same.
    validation_fraction : float
        Share of the training part that rewards are measured on (thesis 4.5.1).
    min_samples_split : float
        Weight below which a node is a leaf (thesis 4.5.1).
    property_folds : int
        Folds in which the classifiers of table 4.7 are compared.
    n_forest_trees : int
        Trees of the random forest that gives the importance of variables.
    """

    section: ClassVar[str] = "search"
    given: ClassVar[frozenset[str]] = frozenset({"printed"})

    datasets: tuple[str, ...] = ()
    printed: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    configuration: str = "default"
    n_splits: int = 11
    methods: tuple[str, ...] = METHODS
    further_methods: tuple[str, ...] = ("c45", "uct_vs", "uct_c45")
    test_size: float = 0.3
    n_folds: int = 10
    confidences: tuple[float, ...] = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
    alphas: tuple[float, ...] = (0.0001, 0.001, 0.005)
    alpha_folds: int = 3
    population_size: int = 64
    n_generations: int = 1000
    n_iterations: int = 200_000
    n_iterations_c45b: int = 200_000
    n_candidates: int = 3
    exploration: float = 1.0
    value_pruning_interval: int = 3000
    value_pruning_depth: int = 5
    validation_fraction: float = 0.3
    min_samples_split: float = 4
    property_folds: int = 5
    n_forest_trees: int = 500

    def __post_init__(self):
        for name in ("confidences", "alphas"):
            # Whole numbers of a YAML file must not make other keys than floats do.
            object.__setattr__(self, name, tuple(sorted({float(v) for v in getattr(self, name)})))
        if not self.confidences or self.confidences[0] <= 0 or self.confidences[-1] > 1:
            raise ConfigError(
                "`search.confidences` is no grid of pruning confidences",
                remedy="give values above 0 and up to 1",
            )
        if not self.alphas or self.alphas[0] < 0:
            raise ConfigError(
                "`search.alphas` is empty or holds a value below 0",
                remedy="give costs of a leaf such as 0.001",
            )
        for name in ("methods", "further_methods"):
            given = getattr(self, name)
            if "c45" not in given or set(given) - set(METHODS):
                raise ConfigError(
                    f"`search.{name}` is {', '.join(given) or 'empty'}",
                    remedy=f"name c45 and any of {', '.join(METHODS[1:])}",
                )
            object.__setattr__(self, name, tuple(m for m in METHODS if m in given))
        if self.n_splits < 1 or min(self.n_folds, self.alpha_folds, self.property_folds) < 2:
            raise ConfigError(
                f"`search` has n_splits {self.n_splits}, n_folds {self.n_folds}, alpha_folds "
                f"{self.alpha_folds} and property_folds {self.property_folds}",
                remedy="use one split and two folds at least",
            )
