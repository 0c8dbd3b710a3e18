"""Settings and names of ConfDTree's evaluation (Katz and others, section IV)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hedgerow_study.experiments.plan import Plan, in_chunks, setting

EXPERIMENT = "confidence"  # the word under which seeds are drawn

BASE = "c45"
#: Versions of ConfDTree, by the method of `ConfDTreeClassifier`.
VERSIONS = {"confdtree_norm": "norm", "confdtree_tdist": "tdist", "confdtree_comb": "comb"}
FOREST = "rf"
METHODS = (BASE, *VERSIONS, FOREST)

#: Trees that are grown: J48 of Weka or C4.5 of the thesis, and whether they are pruned.
LEARNERS = {
    "j48": (True, True),
    "j48_unpruned": (True, False),
    "pruned": (False, True),
    "unpruned": (False, False),
}
#: Of C4.5 what J48 has by default: a confidence of 25 %, and training weight on a side of a test.
CONFIDENCE, MIN_SAMPLES_LEAF = 0.5, 2


@dataclass(frozen=True)
class BaseTree:
    """What ConfDTree corrects (of `LEARNERS`), and how it reads its prerequisite 2.

    too_few: what a class with too few instances disables, as of `ConfDTreeClassifier`.
    """

    learner: str
    smoothing: bool
    too_few: str


#: Base trees by their names. The paper names J48 of Weka and none of its options.
TREES = {
    f"{learner}{'_laplace' if smoothing else ''}{'_node' if too_few == 'node' else ''}": BaseTree(
        learner, smoothing, too_few
    )
    for learner in LEARNERS
    for smoothing in (False, True)
    for too_few in ("node", "class")
}
#: In the column `tree` of what no base tree has a part in.
NO_TREE = ""

#: Means of the areas of one class against the rest: plain, and weighted by the classes' shares.
CRITERIA = ("average_auc", "weighted_average_auc")
KINDS = ("binary", "multi_class")
#: What data/published calls them.
PRINTED_KINDS = {"binary": "binary_datasets", "multi_class": "multi_class_datasets"}

#: Change of the assigned class's probability from which an instance is affected (section IV.A); a
#: change that is one but for rounding counts.
AFFECTED = 0.10 - 1e-9
#: Metric of each interpretation of it.
AFFECTED_METRICS = {"points": "affected_points", "relative": "affected"}

#: Columns that order each table.
ORDER = {
    "rows": ["dataset", "repeat", "tree", "method", "metric"],
    "sizes": ["dataset", "repeat", "share", "tree", "method", "metric"],
    "facts": ["dataset"],
    "trees": ["dataset", "repeat", "fold", "learner"],
    "gains": ["tree", "dataset", "method", "criterion"],
    "statistics": ["part", "tree", "kind", "method", "criterion", "name"],
}


@dataclass(frozen=True)
class ConfidencePlan(Plan):
    """ConfDTree against the tree that it corrects (Katz and others, section IV).

    Ten-fold cross validation of tables I to III, and training sets of growing size of figure 6.
    """

    section: ClassVar[str] = "confidence"

    #: Key of data/published of each data set of the paper -> registry keys, from `published_as` in
    #: config/datasets.yaml; two fit one row.
    printed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    datasets: tuple[str, ...] = setting(
        (
            *("autos", "contraceptive_long_term", "credit_approval", "diabetes", "ecoli3", "glass"),
            *("ionosphere", "letter", "pima", "segment", "spambase", "vehicle", "vowel"),
            *("waveform", "wdbc", "yeast_02579_vs_368", "yeast_0256_vs_3789"),
        ),
        "Data sets by their key in the registry; those of table I that were found. The paper's "
        "yeast may be either of two.",
    )
    n_folds: int = setting(
        10, "Folds of the cross validation (section IV.A, 10).", minimum=2, maximum=1_000
    )
    n_repeats: int = setting(
        1,
        "Cross validations of each data set, each with other folds; the paper has one. Values are "
        "means over them.",
        minimum=1,
        maximum=999,
    )
    tree: str = setting(
        "j48_node",
        "Base tree of tables I to III, of figure 6 and of the statements: J48 of Weka, or C4.5 of "
        "the thesis (pruned, unpruned); with Laplace-smoothed leaves (laplace) or not; a class "
        "with too few instances disables all of a node (node; section III.A, prerequisite 2, to "
        "the letter) or its own interval. J48 as it comes prunes and does not smooth. The others "
        "stand in tables of their own.",
        choices=tuple(TREES),
    )
    min_instances: float = setting(
        5,
        "Instances that a class needs at a node for an interval, m (section IV.A, 5).",
        minimum=2,
        maximum=1_000_000_000,
    )
    normality_alpha: float = setting(
        0.05,
        "Level of the test of normality that lets NORM act; 0: no test (section III.A).",
        minimum=0,
        maximum=1,
    )
    affected: str = setting(
        "points",
        "What makes an instance one that is affected (table III, `modified by 10 % or more`): the "
        "assigned class's probability changes by ten percentage points, or by a tenth of it "
        "(relative).",
        choices=("points", "relative"),
    )
    n_trees: int = setting(
        50, "Trees of the random forest; the paper states no number.", minimum=1, maximum=100_000
    )
    forest_variables: str = setting(
        "sqrt",
        "Variables among which each test of the forest is chosen: the root of their number, or "
        "log2(m) + 1 of m as in Weka.",
        choices=("sqrt", "log2"),
    )
    shares: tuple[float, ...] = setting(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        "Shares of the rows that the training part gets (section IV.B, 10 % to 90 %).",
        exclusive_minimum=0,
        exclusive_maximum=1,
    )
    n_curve_repeats: int = setting(
        3,
        "Repeats at each share of figure 6, splits of each data set (section IV.B, 10).",
        minimum=1,
        maximum=999,
    )
    chunk: int = in_chunks("Cross validations and repeats of figure 6", 3)
