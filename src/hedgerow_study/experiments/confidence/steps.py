"""ConfDTree and the tree that it corrects on one data set (Katz and others, section IV)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, split
from hedgerow_study.experiments.confidence.plan import (
    AFFECTED,
    BASE,
    CONFIDENCE,
    CRITERIA,
    EXPERIMENT,
    FOREST,
    LEARNERS,
    MIN_SAMPLES_LEAF,
    NO_TREE,
    ORDER,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.frames import (
    all_classes,
    numbers_of,
    one_sample,
    ordered,
    random_state,
)
from hedgerow_study.experiments.step import step

if TYPE_CHECKING:
    from hedgerow.induction.c45 import C45Classifier

# ------------------------------------------------------------------------------- learners


def corrected(X, y, test, plan) -> Iterator[tuple[str, str, C45Classifier, np.ndarray]]:
    """Probabilities of each base tree, as it is and by each version of ConfDTree.

    Intervals, which take most of the time, do not depend on how leaves are smoothed.

    Yields: `tree` Of `TREES`.; `learner` What was fitted to X and y.
    """
    from sklearn.frozen import FrozenEstimator

    from hedgerow.confidence.confdtree import ConfDTreeClassifier

    fitted = {name: grow_trees(X, y, *of) for name, of in LEARNERS.items()}
    models = {
        (name, too_few, version): ConfDTreeClassifier(
            FrozenEstimator(learner),
            method=method,
            min_instances=plan.min_instances,
            too_few=too_few,
            normality_alpha=plan.normality_alpha,
        ).fit(X, y)
        for name, learner in fitted.items()
        for too_few in ("node", "class")
        for version, method in VERSIONS.items()
    }
    for tree, base in TREES.items():
        learner = fitted[base.learner]
        versions = {version: models[base.learner, base.too_few, version] for version in VERSIONS}
        for method, model in {BASE: learner, **versions}.items():
            model.set_params(smoothing=base.smoothing)
            yield tree, method, learner, model.predict_proba(test)


def grow_trees(X, y, j48: bool, pruned: bool):
    """J48 or C4.5 on a training part."""
    from hedgerow.induction.c45 import C45Classifier

    if j48:
        return C45Classifier.j48(unpruned=not pruned).fit(X, y)
    model = C45Classifier(CONFIDENCE, prune=pruned, min_samples_leaf=MIN_SAMPLES_LEAF)
    return model.fit(X, y)


def encode_features(X: pd.DataFrame) -> np.ndarray:
    """What a random forest reads: numbers as they are, a category as one indicator per level."""
    return pd.get_dummies(X, dtype=float).to_numpy(dtype=float, na_value=np.nan)


def _of_forest(X: np.ndarray, y, test: np.ndarray, state: int, plan):
    """Probabilities of a random forest, and its classes."""
    from sklearn.ensemble import RandomForestClassifier

    variables = int(np.log2(X.shape[1]) + 1) if plan.forest_variables == "log2" else "sqrt"
    forest = RandomForestClassifier(
        plan.n_trees, max_features=variables, random_state=state, n_jobs=1
    ).fit(X, y)
    return forest.predict_proba(test), forest.classes_


# -------------------------------------------------------------------------------- measures


def auc_scores(y: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    """Areas under the curve of one class against the rest (section IV.A).

    Returns: `average_auc`, the mean over the classes that some rows have and some have not, and
    `weighted_average_auc`, weighted by their numbers of rows; NaN where there is no such class.
    """
    from scipy.stats import rankdata

    counts = np.bincount(y, minlength=probabilities.shape[1])
    defined = np.flatnonzero((counts > 0) & (counts < len(y)))
    if not len(defined):
        return dict.fromkeys(CRITERIA, np.nan)
    # Mann and Whitney's count of pairs in the right order, a tie for half: of whole and half ranks
    # it is exact, and there may be 26 classes.
    ranks = rankdata(probabilities[:, defined], axis=0)
    n = counts[defined]
    pairs = [ranks[y == c, k].sum() for k, c in enumerate(defined)] - n * (n + 1) / 2
    aucs = pairs / (n * (len(y) - n))
    weighted = np.average(aucs, weights=counts[defined])
    return dict(zip(CRITERIA, (float(np.mean(aucs)), float(weighted)), strict=True))


def changes(plain: np.ndarray, other: np.ndarray) -> dict[str, float]:
    """Shares of instances whose probabilities a method changed.

    Returns: `affected`: the assigned class's probability changed by 10 % of it or more (section
    IV.A, table III); `affected_points`: by 10 points or more, another interpretation of the
    sentence; `reassigned`: another class is assigned.
    """
    rows, assigned = np.arange(len(plain)), plain.argmax(axis=1)
    before, after = plain[rows, assigned], other[rows, assigned]
    return {
        "affected": float((np.abs(after - before) >= AFFECTED * before).mean()),
        "affected_points": float((np.abs(after - before) >= AFFECTED).mean()),
        "reassigned": float((other.argmax(axis=1) != assigned).mean()),
    }


# ------------------------------------------------------------------------------------ steps


@step(
    *("forest_variables", "min_instances", "n_folds", "n_trees", "normality_alpha", "seed"),
    outputs=("rows", "facts", "trees"),
)
def cross_validate(
    table: TidyTable, plan: ConfidencePlan, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Cross validations of C4.5, ConfDTree and a random forest on one data set.

    As Weka does, the predictions of all folds are put together before areas are worked out: a fold
    need not have every class.

    Returns: `rows`: dataset, repeat, tree (of `TREES`; empty for the forest), method, metric,
    value. Metrics: those of `auc_scores`, `auc_of_folds` (mean over folds of the average area), of
    `changes`, and `n_leaves` (mean over folds). `facts`: dataset, n_instances, n_classes,
    n_variables, n_numeric_variables, imbalance_ratio (largest class to smallest). `trees`: dataset,
    repeat, fold, learner (of `LEARNERS`), n_leaves, tree (JSON).
    """
    table = one_sample(table)
    X, y, n_classes = table.X, table.y, len(table.classes)
    features = encode_features(X)
    rows, trees = [], []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        predictions: dict[tuple[str, str], np.ndarray] = {}
        fold_of = np.empty(len(y), dtype=int)
        leaves: dict[str, list[int]] = {learner: [] for learner in LEARNERS}
        for fold, (train, test) in enumerate(folds_of(table, repeat, plan)):
            fold_of[test] = fold

            def keep(key, probabilities, classes, test=test, predictions=predictions):
                whole = predictions.setdefault(key, np.zeros((len(y), n_classes)))
                whole[test] = all_classes(probabilities, classes, n_classes)

            state = random_state(plan.seed, EXPERIMENT, table.name, repeat, f"forest {fold}")
            keep(
                (NO_TREE, FOREST),
                *_of_forest(features[train], y[train], features[test], state, plan),
            )
            parts = X.iloc[train], y[train], X.iloc[test]
            for name, method, learner, probabilities in corrected(*parts, plan):
                keep((name, method), probabilities, learner.classes_)
                if method == BASE and name in LEARNERS:
                    tree = learner.tree_
                    leaves[name].append(tree.n_leaves)
                    trees.append((table.name, repeat, fold, name, tree.n_leaves, tree.to_json()))
        for (tree, method), probabilities in predictions.items():
            values = auc_scores(y, probabilities)
            values["auc_of_folds"] = _mean_over_folds(y, probabilities, fold_of)
            if method in VERSIONS:
                values |= changes(predictions[tree, BASE], probabilities)
            if method == BASE:
                values["n_leaves"] = float(np.mean(leaves[TREES[tree].learner]))
            rows += [(table.name, repeat, tree, method, *item) for item in values.items()]
    counts = np.bincount(y, minlength=n_classes)
    numeric = sum(pd.api.types.is_numeric_dtype(X[name].dtype) for name in X)
    facts = {
        "dataset": table.name,
        "n_instances": len(y),
        "n_classes": n_classes,
        "n_variables": X.shape[1],
        "n_numeric_variables": numeric,
        "imbalance_ratio": counts.max() / counts.min(),
    }
    return {
        "rows": ordered(rows, ORDER["rows"], "value"),
        "facts": pd.DataFrame([facts]),
        "trees": ordered(trees, ORDER["trees"], "n_leaves", "tree"),
    }


def folds_of(table: TidyTable, repeat: int, plan) -> list[tuple[np.ndarray, np.ndarray]]:
    """Row numbers of the training and the test part of each fold of a cross validation."""
    from sklearn.model_selection import StratifiedKFold

    state = random_state(plan.seed, EXPERIMENT, table.name, repeat, "folds")
    divided = StratifiedKFold(plan.n_folds, shuffle=True, random_state=state)
    with warnings.catch_warnings():
        # Of classes with fewer rows than folds, which some folds then lack.
        warnings.simplefilter("ignore", UserWarning)
        return list(divided.split(np.zeros(len(table.y)), table.y))


def _mean_over_folds(y: np.ndarray, probabilities: np.ndarray, fold: np.ndarray) -> float:
    values = [
        auc_scores(y[fold == k], probabilities[fold == k])[CRITERIA[0]] for k in np.unique(fold)
    ]
    return float(np.nanmean(values))


@step("min_instances", "normality_alpha", "seed", "shares")
def learning_curve(
    table: TidyTable, plan: ConfidencePlan, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """C4.5 and ConfDTree on training parts of growing size (section IV.B, figure 6).

    Returns: dataset, repeat, share, tree, method, metric (of `auc_scores`), value (test part).
    """
    table = one_sample(table)
    X, y, n_classes = table.X, table.y, len(table.classes)
    rows = []
    for repeat in numbers_of(plan, "n_curve_repeats", repeats):
        for share in plan.shares:
            train, test = split(
                table, repeat, seed=plan.seed, experiment=EXPERIMENT, test_size=1.0 - share
            )
            parts = X.iloc[train], y[train], X.iloc[test]
            for tree, method, learner, probabilities in corrected(*parts, plan):
                whole = all_classes(probabilities, learner.classes_, n_classes)
                for metric, value in auc_scores(y[test], whole).items():
                    rows.append((table.name, repeat, share, tree, method, metric, value))
    return ordered(rows, ORDER["sizes"], "value")
