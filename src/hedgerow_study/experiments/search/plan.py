"""Settings and names of trees by Monte Carlo search (thesis, chapter 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "search"  # the word under which seeds are drawn

#: Methods in the order of tables 4.5 and 4.3; UCT-DT by its simulation policy. C4.5 on the
#: induction set is ours: it has the rows from which UCT-DT takes its tests, and no search.
METHODS = ("c45", "c45_induction", "ete", "uct_vs", "uct_c45", "uct_c45b")
INDUCTION = "c45_induction"
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

CELL = ["dataset", "repeat", "method", "criterion"]
TUNING = ["dataset", "repeat", "method", "parameter", "value", "cv_f1", "chosen"]
#: Where the confidence is tuned by it, a further column of `tuning`.
BY_ACCURACY = "cv_accuracy"
#: Columns that order each table of `run`; nodes of a tree keep their order.
ORDER = {
    "rows": CELL,
    "trees": ["dataset", "repeat"],
    "tuning": ["dataset", "repeat", "method", "value"],
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
class UctPlan(Plan):
    """What a search by UCT-DT is given (thesis 4.5.1), in chapter 4 and wherever one is run."""

    n_iterations: int = setting(
        200_000, "Iterations of a search (thesis 4.5.1, 200,000).", minimum=1, maximum=2_000_000_000
    )
    n_candidates: int = setting(
        3, "Tests proposed for each new leaf, K (thesis 4.5.1, 3).", minimum=1, maximum=1_000_000
    )
    exploration: float = setting(
        1.0,
        "The constant C_p of the selection (thesis 4.5.1, 1).",
        minimum=0,
        maximum=1_000_000_000_000,
    )
    value_pruning_interval: int = setting(
        3000,
        "Iterations from one value-based pruning to the next (thesis 4.5.1, 3,000).",
        minimum=1,
        maximum=2_000_000_000,
    )
    value_pruning_depth: int = setting(
        5,
        "Depth below which value-based pruning keeps one branch (thesis 4.5.1, 5).",
        minimum=0,
        maximum=2_000_000_000,
    )
    kept_path: str = setting(
        "tip",
        "The branch that value-based pruning keeps: that to the tip with the best mean reward, or "
        "that of a greedy descent by mean rewards.",
        choices=("tip", "greedy"),
    )
    validation_fraction: float = setting(
        0.3,
        "Share of the training part that rewards are measured on (thesis 4.5.1, 0.3).",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    min_samples_split: float = setting(
        4,
        "Training weight below which a node becomes a leaf (thesis 4.5.1, 4).",
        minimum=2,
        maximum=1_000_000_000,
    )


@dataclass(frozen=True)
class SearchPlan(UctPlan):
    """Chapter 4 of the thesis: trees by Monte Carlo tree search (UCT-DT).

    They are compared with C4.5 and an evolutionary algorithm (ETE).
    """

    section: ClassVar[str] = "search"

    #: Key of data/published of each data set of chapter 4 -> registry key, from `published_as` in
    #: config/datasets.yaml.
    printed: Mapping[str, str] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        (
            *("balance_scale_lr", "banknote", "bhp_two_classes", "biodegradation", "wdbc", "car"),
            *("contraceptive", "credit_approval", "solar_flare", "german_credit", "ilpd"),
            *("localization", "mammographic_without_birads", "diabetic_retinopathy", "phishing"),
            *("pima", "student_pass", "synthetic_search_1", "synthetic_search_2"),
            *("synthetic_search_3", "synthetic_search_4", "synthetic_search_5"),
            *("synthetic_search_6", "synthetic_search_7", "synthetic_search_8", "tic_tac_toe"),
            *("titanic", "wine_quality_red_binary", "yeast_cyt_nuc"),
        ),
        "Data sets by their key in the registry; those of table 4.1, in its order, without two "
        "whose licences keep them out of the archive.",
    )
    n_repeats: int = setting(
        1,
        "Repeats, splits into training and test part per data set; the first is that of the "
        "published protocol, the others give means and spread.",
        minimum=1,
        maximum=999,
    )
    methods: tuple[str, ...] = setting(
        METHODS,
        "Methods on the first repeat: C4.5, also on the induction set of UCT-DT alone, ETE, and "
        "UCT-DT by its simulation policy; uct_vs has every search pruning of table 4.1, the others "
        "both.",
        choices=METHODS,
        contains="c45",
    )
    further_methods: tuple[str, ...] = setting(
        ("c45", "c45_induction", "uct_vs", "uct_c45"),
        "Methods on the other repeats, UCT-DT with both search prunings.",
        choices=METHODS,
        contains="c45",
    )
    test_size: float = setting(
        0.3,
        "Share of the rows that the test part gets (thesis 4.5.1, 0.3).",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    n_folds: int = setting(
        10, "Folds of the grid search of the pruning confidence.", minimum=2, maximum=100_000
    )
    confidences: tuple[float, ...] = setting(
        (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1),
        "Grid of the pruning confidence c of C4.5 and of DT-based pruning; the thesis prints none.",
        exclusive_minimum=0,
        maximum=1,
    )
    tuned_by: str = setting(
        "f1",
        "Criterion of the grid search of the pruning confidence: macro F1, or accuracy.",
        choices=("f1", "accuracy"),
    )
    ties_of_confidence: str = setting(
        "smallest",
        "Which confidence is taken where several are best: the smallest, which prunes hardest, or "
        "the largest.",
        choices=("smallest", "largest"),
    )
    alphas: tuple[float, ...] = setting(
        (0.0001, 0.001, 0.005),
        "Grid of ETE's price of a leaf, in units of accuracy; the thesis prints none.",
        minimum=0,
        maximum=1_000_000_000_000,
    )
    alpha_folds: int = setting(
        2, "Folds of the cross validation of ETE's price of a leaf.", minimum=2, maximum=100_000
    )
    population_size: int = setting(
        64,
        "Trees of a generation of ETE; the thesis prints no number.",
        minimum=2,
        maximum=1_000_000,
    )
    n_generations: int = setting(
        1000,
        "Generations of ETE, at most; the thesis prints no number.",
        minimum=1,
        maximum=1_000_000,
    )
    n_iterations_c45b: int = setting(
        2_000,
        "Iterations of a search with the policy C4.5b, which completes a new tree in each of them "
        "and takes a hundred times as long; the thesis gives it as many.",
        minimum=1,
        maximum=2_000_000_000,
    )
    tree_returned: str = setting(
        "state",
        "The tree that UCT-DT returns: that of the best state, or the same completed by C4.5 on "
        "all training rows and, where DT-based pruning is on, pruned.",
        choices=("state", "completed"),
    )
    leaf_counts: str = setting(
        "induction",
        "Whose rows the leaves of the best state's tree count: the induction set, or all training "
        "rows, counted again after the search; a completed tree counts these in any case.",
        choices=("induction", "training"),
    )
    property_folds: int = setting(
        3, "Folds in which the classifiers of table 4.7 are compared.", minimum=2, maximum=100_000
    )
    n_forest_trees: int = setting(
        100,
        "Trees of the forest that gives the importance of variables in table 4.7.",
        minimum=1,
        maximum=100_000,
    )
    chunk: int = in_chunks("Repeats")
