"""Beyond chapter 4: distance of tree search from the optimum, rules of selection, anytime curves.

Three parts on the splits of the experiment `search`:

- `optimum`: on binary tables, where the best tree of a given depth can be computed, how much of
  the gap between C4.5 and that tree UCT-DT closes.
- `selection`: the rule by which UCT-DT walks down its search tree. Beside the upper confidence
  bound of the thesis, a rule that looks for the best arm (`simple_regret`), one that follows the
  best reward (`best`), and progressive widening of K with random variables, at the same number
  of iterations.
- `anytime`: what each method has found after so many iterations, and after so many seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, split
from hedgerow.evaluation import metrics
from hedgerow.experiments.frames import joined, numbers_of, one_sample, random_state, uct_from
from hedgerow.experiments.search.plan import EXPERIMENT as SEARCH_EXPERIMENT
from hedgerow.experiments.search.plan import POLICIES
from hedgerow.experiments.search.steps import Part
from hedgerow.experiments.search_beyond.plan import (
    EXPERIMENT,
    KEYS,
    PRUNED,
    SEARCHERS,
    SPLITS,
    UNPRUNED,
    VALUES,
    SearchBeyondPlan,
    rules_of,
)
from hedgerow.experiments.step import step


def merge(frames: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Join tables of chunks and data sets, so that nothing tells how they were cut.

    Parameters
    ----------
    frames : sequence of DataFrame
        Tables of one name of `KEYS`.
    name : str

    Returns
    -------
    DataFrame, sorted by its key; rows that several chunks hold are there once. No frame gives a
    table without rows: none of the data sets could be had.
    """
    if not frames:
        texts = {"dataset", "learner", "trained_on", "method", "rule", "criterion"}
        columns = [*KEYS[name], *VALUES[name]]
        types = {c: "str" if c in texts else "float" for c in columns}
        return pd.DataFrame(columns=columns).astype(types)
    return joined(frames, KEYS[name]).drop_duplicates(KEYS[name], ignore_index=True)


def _table(rows: list[tuple], name: str) -> pd.DataFrame:
    return merge([pd.DataFrame(rows, columns=[*KEYS[name], *VALUES[name]])], name)


# ------------------------------------------------------------------------------------- optimum


@step(
    "depths",
    "largest_f1_depth",
    "n_thresholds",
    "optimum_confidence",
    "optimum_iterations",
    "seed",
    makes=(
        "optimum",
        "thresholds",
    ),
    protocol=(
        "search",
        "exploration",
        "kept_path",
        "n_candidates",
        "seed",
        "test_size",
        "validation_fraction",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def optimum(
    table: TidyTable, plan: SearchBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """C4.5, UCT-DT and the optimum on the binary table of one data set.

    UCT-DT divides its training rows into induction and validation set; the others are trained on
    all training rows and on the induction set alone. All may split any node of two rows.

    Parameters
    ----------
    table : TidyTable
    plan : SearchBeyondPlan
    protocol : SearchPlan
        Settings of `search`: test_size, exploration, n_candidates, value_pruning_interval,
        value_pruning_depth, validation_fraction, seed.
    splits : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    dict of DataFrame
        `optimum`: dataset, split, depth (limit), learner, trained_on (training or induction;
        UCT-DT: training), accuracy and macro F1 on each of `MEASURED` (columns such as f1_test, per
        cent), n_leaves, n_columns. For two classes only, up to `largest_f1_depth`: `optimal_f1`
        (of trees whose leaves have the class of the majority, as those of C4.5 and UCT-DT),
        `optimal_f1_labels` (any class) and `optimal_validation` (of macro F1 on the validation
        set; the induction set labels leaves).
        `thresholds`: the tests of the binary table, as `binary_table`.

    Raises
    ------
    DataError
        A value is missing, or the library finds another accuracy than we do.
    """
    from hedgerow.search.optimal import binary_table

    table = one_sample(table)
    B, thresholds = binary_table(table, plan.n_thresholds)
    rows = []
    for number in numbers_of(plan, SPLITS["optimum"], splits):
        train, test = split(
            table, number, seed=protocol.seed, experiment=SEARCH_EXPERIMENT,
            test_size=protocol.test_size,
        )  # fmt: skip
        for depth in plan.depths:
            found = _of_depth(table, B, train, test, number, depth, plan, protocol)
            rows += [(table.name, number, depth, *row) for row in found]
    return {"optimum": _table(rows, "optimum"), "thresholds": thresholds}


def _of_depth(table, B, train, test, number, depth, plan, protocol):
    """Rows of every learner at one limit of the depth."""
    from hedgerow.search.optimal import (
        ErrorFronts,
        check_accuracy,
        most_accurate,
        n_leaves,
        predict,
    )

    y, n_classes = table.y, len(table.classes)
    searchers = {
        name: _searcher(table, number, name, depth, B.shape[1], plan, protocol).fit(
            B[train], y[train]
        )
        for name in SEARCHERS
    }
    first = next(iter(searchers.values()))
    parts = {
        "training": train,
        "induction": train[first.induction_indices_],
        "validation": train[first.validation_indices_],
        "test": test,
    }

    def row(learner, trained_on, classes_of, leaves):
        measured = []
        for rows in parts.values():
            sure = np.eye(n_classes)[classes_of(B[rows])]
            measured.append(100.0 * metrics.accuracy(y[rows], sure))
            measured.append(100.0 * metrics.macro_f1(y[rows], sure))
        return (learner, trained_on, *measured, leaves, B.shape[1])

    def of_nested(learner, trained_on, tree):
        return row(learner, trained_on, lambda X: predict(tree, X), n_leaves(tree))

    found = []
    for name, learner in searchers.items():
        found.append(row(name, "training", _classes(learner), learner.tree_.n_leaves))
    for trained_on in ("training", "induction"):
        X, labels = B[parts[trained_on]], y[parts[trained_on]]
        for name, pruned in (("c45_unpruned", False), ("c45_pruned", True)):
            learner = _c45(depth, pruned, plan).fit(X, labels)
            found.append(row(name, trained_on, _classes(learner), learner.tree_.n_leaves))
        tree = most_accurate(X, labels, depth)
        if plan.library != "absent":
            check_accuracy(X, labels, depth, tree)
        found.append(of_nested("optimal_accuracy", trained_on, tree))
        if n_classes == 2 and depth <= plan.largest_f1_depth:
            tree = ErrorFronts(X, labels, (X, labels)).best(depth)[1]
            found.append(of_nested("optimal_f1", trained_on, tree))
            if trained_on == "training":
                tree = ErrorFronts(X, labels).best(depth)[1]
                found.append(of_nested("optimal_f1_labels", trained_on, tree))
    if n_classes == 2 and depth <= plan.largest_f1_depth:
        inside, outside = parts["induction"], parts["validation"]
        fronts = ErrorFronts(B[outside], y[outside], (B[inside], y[inside]))
        found.append(of_nested("optimal_validation", "training", fronts.best(depth)[1]))
    return found


def _classes(learner):
    """Class codes that a fitted learner predicts."""
    codes = np.asarray(learner.classes_, dtype=int)
    return lambda X: codes[np.argmax(learner.predict_proba(X), axis=1)]


def _c45(depth: int, pruned: bool, plan):
    from hedgerow.induction.c45 import C45Classifier

    return C45Classifier(
        confidence=plan.optimum_confidence, prune=pruned, max_depth=depth, min_samples_split=2
    )


def _searcher(table, number, name, depth, n_columns, plan, protocol):
    policy, pruning, everything = SEARCHERS[name]
    return uct_from(
        protocol,
        policy=policy,
        value_pruning=pruning,
        tree_pruning=pruning,
        n_iterations=plan.optimum_iterations,
        n_candidates=n_columns if everything else protocol.n_candidates,
        confidence=plan.optimum_confidence,
        min_samples_split=2,
        max_depth=depth,
        # The division into induction and validation set is the same for all variants and depths.
        random_state=random_state(plan.seed, EXPERIMENT, table.name, number, "uct"),
    )


# ----------------------------------------------------------------------- selection and anytime


@step(
    "n_iterations",
    "policies",
    "seed",
    "widening",
    makes=("selection",),
    protocol=(
        "search",
        "confidences",
        "exploration",
        "kept_path",
        "min_samples_split",
        "n_candidates",
        "n_folds",
        "seed",
        "test_size",
        "ties_of_confidence",
        "tuned_by",
        "validation_fraction",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def selection(
    table: TidyTable, plan: SearchBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """UCT-DT under every rule of selection, with both kinds of search pruning.

    Parameters
    ----------
    table : TidyTable
    plan : SearchBeyondPlan
    protocol : SearchPlan
        As `hedgerow.experiments.search.steps.run` reads it.
    splits : iterable of int, optional

    Returns
    -------
    dict of DataFrame
        `selection`: dataset, split, method, rule, f1 (macro F1 on the test part, per cent),
        n_leaves, f1_per_leaf, validation_f1 (of the chosen tree, per cent), search_depth,
        n_states, n_iterations.
    """
    table = one_sample(table)
    rows = []
    for number in numbers_of(plan, SPLITS["selection"], splits):
        part = Part(table, number, protocol)
        for method in plan.policies:
            for rule, arguments in rules_of(plan).items():
                learner = part.fit(
                    part.uct(method, PRUNED, n_iterations=plan.n_iterations, **arguments)
                )
                f1 = part.f1(learner)
                leaves = int(learner.tree_.n_leaves)
                rows.append(
                    (
                        *(table.name, number, method, rule, f1, leaves, f1 / leaves),
                        *(part.validation_f1(learner), int(learner.search_depth_)),
                        *(len(learner.search_tree_), int(learner.n_iterations_)),
                    )
                )
    return {"selection": _table(rows, "selection")}


@step(
    "bootstrap_iterations",
    "grid",
    "seed",
    makes=(
        "anytime",
        "times",
    ),
    protocol=(
        "search",
        "alpha_folds",
        "alphas",
        "confidences",
        "exploration",
        "kept_path",
        "min_samples_split",
        "n_candidates",
        "n_folds",
        "n_generations",
        "population_size",
        "seed",
        "test_size",
        "ties_of_confidence",
        "tuned_by",
        "validation_fraction",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def anytime(
    table: TidyTable, plan: SearchBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """What C4.5, ETE and UCT-DT have found after growing numbers of iterations.

    UCT-DT is one search that goes on from one point of the grid to the next. ETE counts tree
    evaluations; its evolution is made anew for each point, which repeats its first generations
    exactly. C4.5 is there once, with 0 iterations.

    Parameters
    ----------
    table : TidyTable
    plan : SearchBeyondPlan
    protocol : SearchPlan
        As `hedgerow.experiments.search.steps.run` reads it.
    splits : iterable of int, optional

    Returns
    -------
    dict of DataFrame
        `anytime`: dataset, split, method, criterion, step (position in the grid, 0 for C4.5),
        iterations (done by then), f1 (test, per cent), validation_f1 (per cent; UCT-DT only),
        n_leaves.
        `times`: dataset, split, method, criterion, step, seconds of processor time from the start
        of learning, tuning left out. Machines differ: no result depends on it.
    """
    table = one_sample(table)
    rows, times = [], []
    for number in numbers_of(plan, SPLITS["anytime"], splits):
        part = Part(table, number, protocol)
        for method, criterion, point, learner, iterations, seconds in _curves(part, plan, protocol):
            key = (table.name, number, method, criterion, point)
            if method == "c45":
                probabilities = learner.predict_proba(part.matrix_test)
                f1, leaves = 100.0 * metrics.macro_f1(part.y_test, probabilities), learner.n_leaves
            else:
                f1, leaves = part.f1(learner), learner.tree_.n_leaves
            validation = part.validation_f1(learner) if method in POLICIES else np.nan
            rows.append((*key, iterations, f1, validation, int(leaves)))
            times.append((*key, seconds))
    return {"anytime": _table(rows, "anytime"), "times": _table(times, "times")}


def _curves(part, plan, protocol):
    """Method, criterion, number in the grid, learner, iterations done and seconds of each point."""
    tree, confidence = part.c45()
    start = time.process_time()
    part.c45_tree(confidence)
    yield "c45", "", 0, tree, 0, time.process_time() - start
    alpha = part.tuned_alpha()
    for point, iterations in enumerate(plan.grid):
        generations = iterations // protocol.population_size
        if generations < 1:
            continue
        learner = part.ete(alpha, n_generations=generations)
        start = time.process_time()
        part.fit(learner)
        seconds = time.process_time() - start
        yield "ete", "", point, learner, int(learner.n_evaluations_), seconds
    for method in POLICIES:
        for criterion in (PRUNED, UNPRUNED):
            learner, seconds = part.uct(method, criterion, n_iterations=plan.grid[0]), 0.0
            for point, iterations in enumerate(plan.grid):
                if method == "uct_c45b" and iterations > plan.bootstrap_iterations:
                    break
                start = time.process_time()
                if point == 0:
                    part.fit(learner)
                else:
                    learner.continue_search(iterations - plan.grid[point - 1])
                seconds += time.process_time() - start
                yield method, criterion, point, learner, int(learner.n_iterations_), seconds
