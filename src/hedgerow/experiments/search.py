"""Trees by Monte Carlo tree search: the experiments of thesis chapter 4 (4.5 and 4.6).

One data set and one split at a time. Split 0 is the published protocol: one division into 70 %
training and 30 % test data, on which C4.5, ETE and six variants of UCT-DT learn. Further splits,
which the paper does not have, tell how much of a difference is the split's. Each split tunes the
pruning confidence of C4.5 on its training part; the trees of C4.5 and DT-based pruning inside
UCT-DT share it:

    run -> merged by data set -> statistics
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from hedgerow.data import folds, rng, seed_sequence, split
from hedgerow.errors import ConfigError
from hedgerow.evaluation import metrics, significance
from hedgerow.evaluation.tuning import best_factor
from hedgerow.workflow.plan import Plan

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


def cells_of(split_number: int, plan: SearchPlan) -> list[tuple[str, str]]:
    """Method and criterion of every learner that runs on a split, in the order of the tables.

    Parameters
    ----------
    split_number : int
        0 is the published protocol.
    plan : SearchPlan

    Returns
    -------
    list of (str, str)
    """
    cells = []
    for method in plan.methods if split_number == 0 else plan.further_methods:
        if method not in POLICIES:
            cells.append((method, ""))
        elif method == "uct_vs" and split_number == 0:
            cells += [(method, criterion) for criterion in PRUNING]
        else:
            cells.append((method, BOTH))
    return cells


# --------------------------------------------------------------------------------------- run


def run(table, plan: SearchPlan, splits: Iterable[int] | None = None) -> dict[str, pd.DataFrame]:
    """Learn and evaluate every method on some splits of one data set (thesis 4.5.1).

    Parameters
    ----------
    table : TidyTable
    plan : SearchPlan
    splits : iterable of int, optional
        Numbers of splits; default all. Chunks put together equal the whole.

    Returns
    -------
    dict of DataFrame
        `rows`: dataset, split, method, criterion, f1 (macro F1 on the test part, per cent),
        n_leaves, f1_per_leaf (per cent per leaf), search_depth (tests of the deepest state),
        validation_f1 (of the chosen tree, per cent), n_iterations, exhausted, confidence, alpha,
        max_depth (of the C4.5 tree; the limit of each branch of UCT-DT), n_rows. What a method
        does not have is missing.
        `trees`: the trees, one row per node, keys dataset, split, method, criterion.
        `tuning`: dataset, split, method, parameter, value, cv_f1 (fraction), chosen.
        `times`: dataset, split, method, criterion, seconds of learning, tuning_seconds. Machines
        differ: no result depends on it.
    """
    from hedgerow.tree import forest_to_frame

    table = _one_sample(table)
    wanted = range(plan.n_splits) if splits is None else sorted(set(splits))
    rows, keys, trees, tuning, times = [], [], [], [], []
    for number in wanted:
        part = _Part(table, number, plan)
        for method, criterion in cells_of(number, plan):
            cell = (table.name, number, method, criterion)
            start = time.perf_counter()
            tree, probabilities, found = part.learn(method, criterion)
            seconds = time.perf_counter() - start - found.pop("tuning_seconds", 0.0)
            f1 = 100.0 * metrics.macro_f1(part.y_test, probabilities)
            rows.append(
                {
                    **dict(zip(CELL, cell, strict=True)),
                    "f1": f1,
                    "n_leaves": tree.n_leaves,
                    "f1_per_leaf": f1 / tree.n_leaves,
                    **found,
                    "n_rows": len(table.y),
                }
            )
            keys.append(cell)
            trees.append(tree)
            times.append((*cell, seconds, part.tuning_seconds.get(method, 0.0)))
        tuning += part.tuning
    columns = ["f1", "n_leaves", "f1_per_leaf", "search_depth", "validation_f1", "n_iterations"]
    columns += ["exhausted", "confidence", "alpha", "max_depth", "n_rows"]
    frame = pd.DataFrame(rows).reindex(columns=[*CELL, *columns])
    whole = ["n_leaves", "search_depth", "n_iterations", "max_depth", "n_rows"]
    # One type whatever methods a chunk holds.
    types = {c: "Int64" if c in whole else "Float64" for c in columns}
    frame = frame.astype({**types, "exhausted": "boolean"})
    return {
        "rows": _sorted(frame, ORDER["rows"]),
        "trees": forest_to_frame(trees, pd.DataFrame(keys, columns=CELL)),
        "tuning": _sorted(
            pd.DataFrame(tuning, columns=TUNING).astype({"chosen": bool}),
            ORDER["tuning"],
        ),
        "times": _sorted(
            pd.DataFrame(times, columns=[*CELL, "seconds", "tuning_seconds"]), ORDER["times"]
        ),
    }


def _one_sample(table):
    """A synthetic set of chapter 4 is one sample, and is permuted as any other set is."""
    if table.sample is None or len(np.unique(table.sample)) > 1:
        return table
    return dataclasses.replace(table, sample=None)


class _Part:
    """One split of one data set: its parts, and what is tuned on the training part."""

    def __init__(self, table, number: int, plan: SearchPlan):
        self.table, self.number, self.plan = table, number, plan
        self.train, test = split(
            table, number, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size
        )
        self.matrix, self.n_categories = table.matrix()
        self.n_classes = len(table.classes)
        self.y_test = table.y[test]
        self.X_test, self.matrix_test = table.X.iloc[test], self.matrix[test]
        self.tuning: list[tuple] = []
        self.tuning_seconds: dict[str, float] = {}
        self._c45 = None

    def learn(self, method: str, criterion: str):
        """Tree, test probabilities and what else is recorded of one method."""
        if method == "c45":
            tree, confidence = self.c45()
            found = {"confidence": confidence, "max_depth": tree.depth}
            found["tuning_seconds"] = self.tuning_seconds["c45"]
            return tree, tree.predict_proba(self.matrix_test), found
        if method == "ete":
            alpha = self._tuned_alpha()
            learner = self._ete(alpha, "ete").fit(*self._training(self.train))
            found = {"alpha": alpha, "tuning_seconds": self.tuning_seconds["ete"]}
            return learner.tree_, self._probabilities(learner, self.X_test), found
        return self._uct(method, criterion)

    def c45(self):
        """The C4.5 tree of the training part and its tuned confidence."""
        if self._c45 is None:
            confidence = self._tuned_confidence()
            columns = self._columns(self.train)
            self._c45 = self._prune(self._grow(columns), columns, confidence), confidence
        return self._c45

    def _uct(self, method: str, criterion: str):
        from hedgerow.search.uct import UCTTreeClassifier

        _, confidence = self.c45()
        value_pruning, tree_pruning = PRUNING[criterion]
        plan = self.plan
        learner = UCTTreeClassifier(
            policy=POLICIES[method],
            value_pruning=value_pruning,
            tree_pruning=tree_pruning,
            n_iterations=(plan.n_iterations_c45b if method == "uct_c45b" else plan.n_iterations),
            n_candidates=plan.n_candidates,
            exploration=plan.exploration,
            value_pruning_interval=plan.value_pruning_interval,
            value_pruning_depth=plan.value_pruning_depth,
            validation_fraction=plan.validation_fraction,
            confidence=confidence,
            min_samples_split=plan.min_samples_split,
            # The division into induction and validation set is the same for all variants.
            random_state=self._random_state("uct"),
        ).fit(*self._training(self.train))
        # Of the tree itself: value-based pruning may have deleted its state.
        kept = self.train[learner.validation_indices_]
        validated = self._probabilities(learner, self.table.X.iloc[kept])
        found = {
            "search_depth": int(learner.search_depth_),
            "validation_f1": 100.0 * metrics.macro_f1(self.table.y[kept], validated),
            "n_iterations": int(learner.n_iterations_),
            "exhausted": bool(learner.exhausted_),
            "confidence": confidence,
            "max_depth": int(learner.max_depth_),
        }
        return learner.tree_, self._probabilities(learner, self.X_test), found

    # ------------------------------------------------------------------------------- tuning

    def _tuned_confidence(self) -> float:
        """Grid search by macro F1; a tree is grown once per fold. Ties: the smaller tree's c."""
        start = time.perf_counter()
        scores = np.zeros(len(self.plan.confidences))
        n = 0
        for train, validation in self._folds("confidence_folds", self.plan.n_folds):
            columns = self._columns(train)
            grown = self._grow(columns)
            y = self.table.y[validation]
            for i, confidence in enumerate(self.plan.confidences):
                tree = self._prune(grown, columns, confidence)
                scores[i] += metrics.macro_f1(y, tree.predict_proba(self.matrix[validation]))
            n += 1
        best = best_factor(self.plan.confidences, scores / n)
        self._note("c45", "confidence", self.plan.confidences, scores / n, best, start)
        return best

    def _tuned_alpha(self) -> float:
        """Cross-validated cost of a leaf by macro F1; ties: the larger cost, the smaller tree."""
        start = time.perf_counter()
        scores = np.zeros(len(self.plan.alphas))
        n = 0
        for k, (train, validation) in enumerate(self._folds("alpha_folds", self.plan.alpha_folds)):
            X, y = self.table.X.iloc[validation], self.table.y[validation]
            for i, alpha in enumerate(self.plan.alphas):
                learner = self._ete(alpha, f"ete_fold_{k:02d}").fit(*self._training(train))
                scores[i] += metrics.macro_f1(y, self._probabilities(learner, X))
            n += 1
        best = -best_factor([-a for a in self.plan.alphas], scores / n)
        self._note("ete", "alpha", self.plan.alphas, scores / n, best, start)
        return best

    def _folds(self, stream: str, n_folds: int):
        """Training and validation rows of each fold of the training part."""
        generator = rng(self.plan.seed, EXPERIMENT, self.table.name, self.number, stream)
        fold = folds(self.table.y[self.train], n_folds, generator)
        for k in range(fold.max() + 1):
            yield self.train[fold != k], self.train[fold == k]

    def _note(self, method, parameter, values, scores, best, start) -> None:
        self.tuning_seconds[method] = time.perf_counter() - start
        for value, score in zip(values, scores, strict=True):
            cell = (self.table.name, self.number, method, parameter)
            self.tuning.append((*cell, value, float(score), value == best))

    # ----------------------------------------------------------------------------- learners

    def _columns(self, rows: np.ndarray):
        from hedgerow.induction import Columns

        return Columns(
            self.matrix[rows], self.table.y[rows], self.n_classes, n_categories=self.n_categories
        )

    def _grow(self, columns):
        from hedgerow.induction import grow

        return grow(columns, min_samples_split=self.plan.min_samples_split)

    def _prune(self, tree, columns, confidence: float):
        from hedgerow.induction import prune

        return prune(tree, columns, confidence=confidence)

    def _ete(self, alpha: float, stream: str):
        from hedgerow.search.ete import EvolutionaryTreeClassifier

        return EvolutionaryTreeClassifier(
            alpha=alpha,
            population_size=self.plan.population_size,
            n_generations=self.plan.n_generations,
            random_state=self._random_state(stream),
        )

    def _training(self, rows: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
        return self.table.X.iloc[rows], self.table.y[rows]

    def _random_state(self, stream: str) -> int:
        sequence = seed_sequence(self.plan.seed, EXPERIMENT, self.table.name, self.number, stream)
        return int(sequence.generate_state(1, dtype=np.uint32)[0])

    def _probabilities(self, learner, X: pd.DataFrame) -> np.ndarray:
        """(n, K) probabilities over all classes, whichever the learner has seen."""
        probabilities = np.zeros((len(X), self.n_classes))
        probabilities[:, np.asarray(learner.classes_, dtype=int)] = learner.predict_proba(X)
        return probabilities


def _sorted(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    return frame.sort_values(list(by), kind="stable").reset_index(drop=True)


def merge(parts: Sequence[pd.DataFrame], by: Sequence[str]) -> pd.DataFrame:
    """Put the chunks of one data set together, so that nothing tells how it was cut.

    Parameters
    ----------
    parts : sequence of DataFrame
    by : sequence of str
        Columns to sort by; rows that tie keep their order.

    Returns
    -------
    DataFrame
    """
    return _sorted(pd.concat(list(parts), ignore_index=True), by)


# -------------------------------------------------------------------------------- statistics


def statistics(rows: pd.DataFrame, plan: SearchPlan) -> pd.DataFrame:
    """The tests of tables 4.2, 4.4 and 4.6 on split 0, over the data sets of chapter 4.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `run`.
    plan : SearchPlan

    Returns
    -------
    DataFrame
        As `compare`.
    """
    of_chapter = rows["dataset"].isin(set(plan.printed.values()))
    return compare(rows[of_chapter & (rows["split"] == 0)])


def compare(cells: pd.DataFrame, tables: Iterable[str] = tuple(FAMILIES)) -> pd.DataFrame:
    """Every test of tables 4.2, 4.4 and 4.6 on one value per data set, method and criterion.

    The paper tests tables 4.2 and 4.4 by a within-subjects analysis of variance on normalised
    metrics and table 4.6 by Friedman's test, each followed by Wilcoxon's test of all pairs. All of
    them are given for every table, with Shapiro's test of the residuals that the first rests on,
    Wilcoxon's p corrected by Holm over the pairs of one metric, and Nemenyi's after Friedman's.

    Parameters
    ----------
    cells : DataFrame
        dataset, method, criterion, f1, n_leaves, f1_per_leaf; measured or printed.
    tables : iterable of str
        Keys of `FAMILIES`.

    Returns
    -------
    DataFrame
        table, metric, the attributes of `TestResult`, and better: of a pair the group that the
        difference favours at p < .05, else `none`; empty for tests of all groups. Data sets
        without all groups of a table are left out of it.
    """
    found = []
    for table, (metric, more) in itertools.product(tables, METRICS.items()):
        wide = wide_cells(cells, metric, FAMILIES[table])
        if len(wide):
            found += [(table, metric, *each) for each in _tests(wide, more)]
    frame = pd.DataFrame(found, columns=["table", "metric", "result", "better"])
    results = significance.to_frame(frame.pop("result"))
    frame = pd.concat([frame[["table", "metric"]], results, frame["better"]], axis=1)
    # Categories in the order of the tables; within a table and metric as the tests were made.
    return frame.reset_index(drop=True)


def wide_cells(
    cells: pd.DataFrame, metric: str, groups: Mapping[str, tuple[str, str]]
) -> pd.DataFrame:
    """Data sets by groups, those without a value left out.

    Parameters
    ----------
    cells : DataFrame
        dataset, method, criterion and the metric.
    metric : str
    groups : mapping
        Name of the column -> (method, criterion).

    Returns
    -------
    DataFrame of float, data sets sorted by name
    """
    columns = {}
    for name, (method, criterion) in groups.items():
        own = cells[(cells["method"] == method) & (cells["criterion"] == criterion)]
        columns[name] = own.set_index("dataset")[metric].astype(float)
    return pd.DataFrame(columns).dropna().sort_index()


def _tests(wide: pd.DataFrame, more: bool) -> Iterable[tuple[significance.TestResult, str]]:
    """Results of one metric, each with the better group of a pair."""
    groups = tuple(wide.columns)
    values = wide.to_numpy()
    normalised = significance.share_of_largest(values)
    yield significance.repeated_measures_anova(normalised, groups), ""
    yield significance.shapiro_residuals(normalised, groups), ""
    for correct_ties in (True, False):
        yield significance.friedman(values, groups, more, correct_ties), ""
    pairs = list(itertools.combinations(range(len(groups)), 2))
    results, ahead = [], []
    for i, j in pairs:
        first, second = (values[:, k] if more else -values[:, k] for k in (i, j))
        names = (groups[i], groups[j])
        results.append(significance.wilcoxon(first, second, names))
        greater = significance.wilcoxon(first, second, names, "greater").p
        less = significance.wilcoxon(first, second, names, "less").p
        ahead.append(names[0] if greater < less else names[1])
    for corrected in (results, significance.holm(results)):
        for result, name in zip(corrected, ahead, strict=True):
            yield result, name if result.p < 0.05 else "none"
    for result in significance.nemenyi(values, groups, higher_is_better=more):
        name = result.groups[0] if result.statistic > 0 else result.groups[1]
        yield result, name if result.p < 0.05 else "none"
