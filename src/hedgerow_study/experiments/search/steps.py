"""Trees by Monte Carlo tree search: the experiments of thesis chapter 4 (4.5 and 4.6).

One data set and one repeat at a time. Repeat 0 is the published protocol: one split into 70 %
training and 30 % test data, on which C4.5, ETE and six variants of UCT-DT learn. Further repeats,
which the paper does not have, tell how much of a difference is the split's. Each repeat tunes the
pruning confidence of C4.5 on its training part; the trees of C4.5 and DT-based pruning inside
UCT-DT share it:

    run -> merged by data set -> statistics
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, folds, rng, split
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_value
from hedgerow_study.experiments.frames import (
    concat_sorted,
    numbers_of,
    one_sample,
    ordered,
    random_state,
    sorted_,
    uct_from,
)
from hedgerow_study.experiments.search.plan import (
    BOTH,
    BY_ACCURACY,
    CELL,
    EXPERIMENT,
    INDUCTION,
    ORDER,
    POLICIES,
    PRUNING,
    TUNING,
    SearchPlan,
)
from hedgerow_study.experiments.step import step


def cells_of(split_number: int, plan: SearchPlan) -> list[tuple[str, str]]:
    """Method and criterion of every learner that runs on a repeat, in the order of the tables."""
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


@step(
    *("alpha_folds", "alphas", "confidences", "exploration", "further_methods", "kept_path"),
    *("leaf_counts", "methods", "min_samples_split", "n_candidates", "n_folds"),
    *("n_generations", "n_iterations", "n_iterations_c45b", "population_size", "seed"),
    *("test_size", "ties_of_confidence", "tree_returned", "tuned_by", "validation_fraction"),
    *("value_pruning_depth", "value_pruning_interval"),
    outputs=("rows", "trees", "tuning", "times"),
)
def run(
    table: TidyTable, plan: SearchPlan, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Learn and evaluate every method on some repeats of one data set (thesis 4.5.1).

    Returns: `rows`: dataset, repeat, method, criterion, f1 (macro F1 on the test part, per cent),
    n_leaves, f1_per_leaf (per cent per leaf), search_depth (tests of the deepest state),
    validation_f1 (of the best state's tree as it was found, per cent), n_iterations, exhausted,
    confidence, alpha, max_depth (of the C4.5 tree; the limit of each branch of UCT-DT), n_rows.
    What a method does not have is missing. `trees`: the trees, one row per node, keys dataset,
    repeat, method, criterion. `tuning`: dataset, repeat, method, parameter, value, cv_f1 (macro F1,
    fraction), chosen; with `tuned_by` accuracy also cv_accuracy (fraction), by which a confidence
    is chosen then. `times`: dataset, repeat, method, criterion, seconds of learning,
    tuning_seconds. Both are processor time, which other work on the machine and its pauses do not
    lengthen as they do the clock's. Machines differ: no result depends on it.
    """
    from hedgerow.tree import forest_to_frame

    table = one_sample(table)
    rows, keys, trees, tuning, times = [], [], [], [], []
    for number in numbers_of(plan, "n_repeats", repeats):
        part = Part(table, number, plan)
        for method, criterion in cells_of(number, plan):
            cell = (table.name, number, method, criterion)
            start = time.process_time()
            tree, probabilities, details = part.learn(method, criterion)
            seconds = time.process_time() - start - details.pop("tuning_seconds", 0.0)
            f1 = 100.0 * metrics.macro_f1(part.y_test, probabilities)
            row = dict(zip(CELL, cell, strict=True)) | {"f1": f1, "n_leaves": tree.n_leaves}
            row |= {"f1_per_leaf": f1 / tree.n_leaves, **details, "n_rows": len(table.y)}
            rows.append(row)
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
    tuning = pd.DataFrame(tuning, columns=_tuning_columns(plan))
    return {
        "rows": sorted_(frame, ORDER["rows"]),
        "trees": forest_to_frame(trees, pd.DataFrame(keys, columns=CELL), bare=True),
        "tuning": sorted_(tuning.astype({"chosen": bool}), ORDER["tuning"]),
        "times": ordered(times, ORDER["times"], "seconds", "tuning_seconds"),
    }


def _tuning_columns(plan) -> list[str]:
    return TUNING if plan.tuned_by == "f1" else [*TUNING, BY_ACCURACY]


class Part:
    """One repeat of a data set: its parts, and what is tuned on the training part."""

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
        self._c45: dict[str, tuple] = {}

    def learn(self, method: str, criterion: str):
        """Tree, test probabilities and what else is recorded of one method."""
        if method in ("c45", INDUCTION):
            tree, confidence = self.c45(method)
            details = {"confidence": confidence, "tuning_seconds": self.tuning_seconds[method]}
            if method == "c45":
                details["max_depth"] = tree.depth
            return tree, tree.predict_proba(self.matrix_test), details
        if method == "ete":
            alpha = self.tuned_alpha()
            learner = self.fit(self.ete(alpha))
            details = {"alpha": alpha, "tuning_seconds": self.tuning_seconds["ete"]}
            return learner.tree_, self._probabilities(learner, self.X_test), details
        plan = self.plan
        n_iterations = plan.n_iterations_c45b if method == "uct_c45b" else plan.n_iterations
        learner = self.fit(self.uct(method, criterion, n_iterations=n_iterations))
        details = {
            "search_depth": int(learner.search_depth_),
            "validation_f1": self.validation_f1(learner),
            "n_iterations": int(learner.n_iterations_),
            "exhausted": bool(learner.exhausted_),
            "confidence": self.c45()[1],
            "max_depth": int(learner.max_depth_),
        }
        return *self.returned(learner, PRUNING[criterion][1]), details

    def returned(self, learner, tree_pruning: bool):
        """The tree that a fitted UCT-DT returns, and its test probabilities.

        That of the best state, which may be counted again on all training rows, or completed on
        them by C4.5.
        """
        completed = self.plan.tree_returned == "completed"
        if not completed and self.plan.leaf_counts == "induction":
            return learner.tree_, self._probabilities(learner, self.X_test)
        columns = self._columns(self.train)
        max_depth = int(learner.max_depth_) if completed else 0  # 0: nothing is grown
        tree = self._grow(columns, given=learner.tree_, max_depth=max_depth)
        if completed and tree_pruning:
            tree = self._prune(tree, columns, learner.confidence)
        return tree, tree.predict_proba(self.matrix_test)

    def c45(self, method: str = "c45"):
        """The C4.5 tree of the training part, or of its induction set, and its confidence.

        The confidence is tuned on the same rows.
        """
        if method not in self._c45:
            rows = self.train if method == "c45" else self.induction()
            confidence = self._tuned_confidence(method, rows)
            self._c45[method] = self.c45_tree(confidence, rows), confidence
        return self._c45[method]

    def induction(self) -> np.ndarray:
        """Rows of the training part from which every UCT-DT takes its tests."""
        from sklearn.utils import check_random_state

        from hedgerow.search.division import split_rows

        random = check_random_state(self._random_state("uct"))
        return self.train[split_rows(len(self.train), self.plan.validation_fraction, random)[0]]

    def c45_tree(self, confidence: float, rows: np.ndarray | None = None):
        """The C4.5 tree of the training part, or of some rows of it, pruned at a confidence."""
        columns = self._columns(self.train if rows is None else rows)
        return self._prune(self._grow(columns), columns, confidence)

    def uct(self, method: str, criterion: str, **arguments):
        """UCT-DT with the tuned confidence of C4.5, not fitted; `arguments` as in `uct_from`."""
        value_pruning, tree_pruning = PRUNING[criterion]
        return uct_from(
            self.plan,
            policy=POLICIES[method],
            value_pruning=value_pruning,
            tree_pruning=tree_pruning,
            confidence=self.c45()[1],
            # The division into induction and validation set is the same for all variants.
            random_state=self._random_state("uct"),
            **arguments,
        )

    def ete(self, alpha: float, stream: str = "ete", **arguments):
        """ETE with a price of a leaf and the seed of a stream, not fitted."""
        from hedgerow.search.ete import EvolutionaryTreeClassifier

        settings = {
            name: getattr(self.plan, name)
            for name in ("population_size", "n_generations", "min_samples_split")
            if name not in arguments
        }
        return EvolutionaryTreeClassifier(
            alpha=alpha, random_state=self._random_state(stream), **settings, **arguments
        )

    def fit(self, learner, rows: np.ndarray | None = None):
        """A learner, fitted to the training part or to some rows of it."""
        rows = self.train if rows is None else rows
        return learner.fit(self.table.X.iloc[rows], self.table.y[rows])

    def f1(self, learner) -> float:
        """Macro F1 of a fitted learner on the test part, per cent."""
        return 100.0 * metrics.macro_f1(self.y_test, self._probabilities(learner, self.X_test))

    def validation_f1(self, learner) -> float:
        """Macro F1 of the tree of a fitted UCT-DT on its validation set, per cent.

        Of the tree itself: value-based pruning may have deleted its state.
        """
        kept = self.train[learner.validation_indices_]
        probabilities = self._probabilities(learner, self.table.X.iloc[kept])
        return 100.0 * metrics.macro_f1(self.table.y[kept], probabilities)

    # ------------------------------------------------------------------------------- tuning

    def _tuned_confidence(self, method: str, rows: np.ndarray) -> float:
        """Grid search by macro F1 or accuracy; a tree is grown once per fold."""
        stream = "confidence_folds" if method == "c45" else f"confidence_folds_{method}"
        start = time.process_time()
        by_accuracy = self.plan.tuned_by == "accuracy"
        measures = [metrics.macro_f1, *([metrics.accuracy] if by_accuracy else [])]
        scores = np.zeros((len(measures), len(self.plan.confidences)))
        n = 0
        for train, validation in self._folds(stream, self.plan.n_folds, rows):
            columns = self._columns(train)
            grown = self._grow(columns)
            y = self.table.y[validation]
            for i, confidence in enumerate(self.plan.confidences):
                tree = self._prune(grown, columns, confidence)
                probabilities = tree.predict_proba(self.matrix[validation])
                scores[:, i] += [measure(y, probabilities) for measure in measures]
            n += 1
        sign = -1 if self.plan.ties_of_confidence == "largest" else 1
        best = sign * best_value([sign * c for c in self.plan.confidences], scores[-1] / n)
        self._note(method, "confidence", self.plan.confidences, scores / n, best, start)
        return best

    def tuned_alpha(self) -> float:
        """Cross-validated cost of a leaf by macro F1; ties: the larger cost, the smaller tree."""
        start = time.process_time()
        scores = np.zeros(len(self.plan.alphas))
        n = 0
        parts = self._folds("alpha_folds", self.plan.alpha_folds, self.train)
        for k, (train, validation) in enumerate(parts):
            X, y = self.table.X.iloc[validation], self.table.y[validation]
            for i, alpha in enumerate(self.plan.alphas):
                learner = self.fit(self.ete(alpha, f"ete_fold_{k:02d}"), train)
                scores[i] += metrics.macro_f1(y, self._probabilities(learner, X))
            n += 1
        best = -best_value([-a for a in self.plan.alphas], scores / n)
        self._note("ete", "alpha", self.plan.alphas, scores[None] / n, best, start)
        return best

    def _folds(self, stream: str, n_folds: int, rows: np.ndarray):
        """Training and validation rows of each fold of some rows of the training part."""
        generator = rng(self.plan.seed, EXPERIMENT, self.table.name, self.number, stream)
        fold = folds(self.table.y[rows], n_folds, generator)
        for k in range(fold.max() + 1):
            yield rows[fold != k], rows[fold == k]

    def _note(self, method, parameter, values, scores, best, start) -> None:
        self.tuning_seconds[method] = time.process_time() - start
        for value, (f1, *accuracy) in zip(values, scores.T.tolist(), strict=True):
            cell = (self.table.name, self.number, method, parameter)
            self.tuning.append((*cell, value, f1, value == best, *accuracy))

    # ----------------------------------------------------------------------------- learners

    def _columns(self, rows: np.ndarray):
        from hedgerow.induction import Columns

        return Columns(
            self.matrix[rows], self.table.y[rows], self.n_classes, n_categories=self.n_categories
        )

    def _grow(self, columns, **more):
        from hedgerow.induction import grow

        return grow(columns, min_samples_split=self.plan.min_samples_split, **more)

    def _prune(self, tree, columns, confidence: float):
        from hedgerow.induction import prune

        return prune(tree, columns, confidence=confidence)

    def _random_state(self, stream: str) -> int:
        return random_state(self.plan.seed, EXPERIMENT, self.table.name, self.number, stream)

    def _probabilities(self, learner, X: pd.DataFrame) -> np.ndarray:
        """(n, K) probabilities over all classes, whichever the learner has seen."""
        probabilities = np.zeros((len(X), self.n_classes))
        probabilities[:, np.asarray(learner.classes_, dtype=int)] = learner.predict_proba(X)
        return probabilities


@step(outputs=("rows", "trees", "tuning"))
def merged(
    rows: Sequence[pd.DataFrame], trees: Sequence[pd.DataFrame], tuning: Sequence[pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Put the chunks of one data set together, so that nothing tells how it was cut."""
    parts = {"rows": rows, "trees": trees, "tuning": tuning}
    return {name: concat_sorted(frames, ORDER[name]) for name, frames in parts.items()}
