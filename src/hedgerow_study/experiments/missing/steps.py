"""Trees on one data set with values removed, by five methods in three scenarios (section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.data.missingness import remove_values
from hedgerow_study.experiments.frames import numbers_of, one_sample, ordered, random_state
from hedgerow_study.experiments.missing.plan import (
    C45,
    CODED,
    CODED_GAIN,
    CODED_UNDEFINED,
    EIG_KNN,
    EIG_PERFECT,
    EXPERIMENT,
    FULL,
    IMPUTED,
    INDEPENDENT,
    KEPT,
    KNN,
    MEAN,
    METHODS,
    MISSING,
    ORDER,
    MissingPlan,
)
from hedgerow_study.experiments.step import step

if TYPE_CHECKING:
    from hedgerow.tree import Tree

AS_CODED = (CODED, CODED_UNDEFINED)
FACTS = ["n_rows", "n_dropped", "n_variables", "n_columns", "majority"]

# --------------------------------------------------------------------------------------- data


def complete_rows(table: TidyTable, incomplete: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, number of categories of each variable, class codes.

    incomplete: what becomes of rows that lack a value by themselves.
    """
    X, n_categories = one_sample(table).matrix()
    kept = ~np.isnan(X).any(axis=1) if incomplete == "drop" else np.ones(len(X), dtype=bool)
    return X[kept], n_categories, np.asarray(table.y)[kept]


def independent(
    X: np.ndarray, n_categories: np.ndarray, y: np.ndarray, stream: Iterable
) -> tuple[np.ndarray, np.ndarray]:
    """A data set whose variables tell nothing of one another: (X, y).

    The values of each variable are shuffled among the rows, and a row is of the class that C4.5,
    grown on the data as they are, gives it.
    """
    from hedgerow.induction.c45 import C45Classifier

    random = rng(*stream)
    shuffled = np.column_stack([random.permutation(column) for column in X.T])
    tree = C45Classifier(categorical_features=n_categories > 0).fit(X, y)
    return shuffled, tree.predict(shuffled).astype(y.dtype)


def one_hot(X: np.ndarray, n_categories: np.ndarray) -> np.ndarray:
    """Categories of more than two as columns of 0 and 1, all of them missing with the value."""
    columns = []
    for j, n in enumerate(n_categories):
        if n <= 2:
            columns.append(X[:, j])
            continue
        missing = np.isnan(X[:, j])
        columns += [np.where(missing, np.nan, X[:, j] == code) for code in range(n)]
    return np.column_stack(columns)


def with_missing_values(
    X: np.ndarray, n_categories: np.ndarray, choice: str, share: float, stream: Iterable
) -> np.ndarray:
    """The encoded table with a share of its values removed completely at random.

    As described a value goes with all columns that encode it, as coded each column on its own.
    The same stream removes at a larger share what it removes at a smaller one.
    """
    random = rng(*stream)
    if choice in AS_CODED:
        return remove_values(one_hot(X, n_categories), share, random)
    return one_hot(remove_values(X, share, random), n_categories)


def folds(y: np.ndarray, n_folds: int, seed: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Number, training rows and test rows of each stratified fold."""
    from sklearn.model_selection import StratifiedKFold

    divided = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for number, (training, test) in enumerate(divided.split(np.zeros(len(y)), y)):
        yield number, training, test


# ----------------------------------------------------------------------------------- learners


def impute_knn(X: np.ndarray, n_neighbors: int, *others: np.ndarray) -> list[np.ndarray]:
    """A training set filled by its nearest neighbours, and other tables by the same.

    A column without a known value is filled with 0, of which no tree learns anything.
    """
    from sklearn.impute import KNNImputer

    imputer = KNNImputer(n_neighbors=n_neighbors, keep_empty_features=True).fit(X)
    return [imputer.transform(table) for table in (X, *others)]


def means(X: np.ndarray) -> np.ndarray:
    """A training set filled with the mean of each column."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(keep_empty_features=True).fit_transform(X)


def trees_of(
    X: np.ndarray, true: np.ndarray, y: np.ndarray, filled: np.ndarray, choice: str, plan
) -> dict[str, Tree]:
    """The tree of each method."""
    tables = {C45: X, MEAN: means(X), KNN: filled}
    if choice in AS_CODED:
        from hedgerow_study.experiments.missing.coded import coded_tree

        n_classes, least = int(y.max()) + 1, plan.min_samples_split
        trees = {m: coded_tree(values, y, n_classes, None, least) for m, values in tables.items()}
        undefined = choice == CODED_UNDEFINED
        trees[EIG_KNN] = coded_tree(X, y, n_classes, filled, least, undefined)
        # Their perfect guesses are still missing, and nothing is gained among them.
        trees[EIG_PERFECT] = coded_tree(X, y, n_classes, np.zeros_like(X), least, undefined)
        return trees
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.missing.eig import EIGClassifier

    settings = {
        "prune": False,
        "candidates": plan.candidates,
        "min_samples_split": plan.min_samples_split,
        "reliability": plan.reliability,
    }
    trees = {m: C45Classifier(**settings).fit(values, y).tree_ for m, values in tables.items()}
    if choice == CODED_GAIN:
        from hedgerow_study.experiments.missing.coded import gain_tree

        trees[C45] = gain_tree(X, y, int(y.max()) + 1, plan)
    perfect = np.where(np.isnan(true), filled, true)  # what is missing by itself is guessed
    for method, imputed in ((EIG_KNN, filled), (EIG_PERFECT, perfect)):
        trees[method] = EIGClassifier(**settings).fit(X, y, X_imputed=imputed).tree_
    return trees


def classes_by(tree: Tree, X: np.ndarray, choice: str) -> np.ndarray:
    """Codes of the classes that a tree assigns, (n,) int."""
    if choice in AS_CODED and np.isnan(X).any():
        from hedgerow_study.experiments.missing.coded import coded_classes

        return coded_classes(tree, X)
    return tree.predict_proba(X).argmax(axis=1)


# -------------------------------------------------------------------------------------- steps


@step(
    *("candidates", "incomplete", "min_samples_split", "missingness", "n_folds", "n_neighbors"),
    *("interpretations", "reliability", "seed"),
    outputs=("rows", "trees", "kept", "sets"),
)
def learn(
    table: TidyTable, plan: MissingPlan, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Remove values, learn by each method, and test in each scenario, on one data set.

    Returns: `rows`: dataset, interpretation, missingness (per cent), repeat, fold, method,
    scenario, accuracy. `trees`: the same without the scenario, depth, n_leaves. `kept`: trees
    (JSON) of the first fold of the first repeat at the levels `KEPT`, or at the highest if there is
    none. `sets`: dataset, n_rows (used), n_dropped (rows that lack a value by themselves),
    n_variables, n_columns (encoded), majority (share of the commonest class).
    """
    given, n_categories, given_y = complete_rows(table, plan.incomplete)
    kept_at = set(KEPT) & set(plan.missingness) or {max(plan.missingness)}
    rows, sizes, kept = [], [], []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        seed = random_state(plan.seed, EXPERIMENT, table.name, repeat, "folds")
        stream = (plan.seed, EXPERIMENT, table.name, repeat, "gaps")
        complete_ones = {}
        for choice in plan.interpretations:
            X, y = given, given_y
            if choice == INDEPENDENT:
                shuffled = (plan.seed, EXPERIMENT, table.name, repeat, "independent")
                X, y = independent(given, n_categories, given_y, shuffled)
            complete_ones[choice] = X, y, one_hot(X, n_categories)
        for level in plan.missingness:
            cache: dict[tuple, list[np.ndarray]] = {}
            for choice in plan.interpretations:
                X, y, whole = complete_ones[choice]
                masked = with_missing_values(X, n_categories, choice, level / 100, stream)
                for fold, training, test in folds(y, plan.n_folds, seed):
                    key = (table.name, choice, level, repeat, fold)
                    # The same missing values are imputed alike, which takes most of the time.
                    same = (choice == INDEPENDENT, choice in AS_CODED, fold)
                    if same not in cache:
                        cache[same] = impute_knn(masked[training], plan.n_neighbors, masked[test])
                    filled, imputed = cache[same]
                    scenes = {FULL: whole[test], MISSING: masked[test], IMPUTED: imputed}
                    trees = trees_of(
                        masked[training], whole[training], y[training], filled, choice, plan
                    )
                    for method in METHODS:
                        tree = trees[method]
                        sizes.append((*key, method, tree.depth, tree.n_leaves))
                        for scenario, values in scenes.items():
                            predicted = classes_by(tree, values, choice)
                            accuracy = float((predicted == y[test]).mean())
                            rows.append((*key, method, scenario, accuracy))
                        if (repeat, fold) == (0, 0) and level in kept_at:
                            kept.append((table.name, choice, level, method, tree.to_json()))
    outputs = {"rows": (rows, ["accuracy"]), "trees": (sizes, ["depth", "n_leaves"])}
    outputs["kept"] = (kept, ["tree"])
    n, m = given.shape
    majority = float(np.bincount(given_y).max() / n)
    n_columns = one_hot(given, n_categories).shape[1]
    facts = (table.name, n, len(table.y) - n, m, n_columns, majority)
    outputs["sets"] = ([facts], FACTS)
    return {name: ordered(of, ORDER[name], *values) for name, (of, values) in outputs.items()}
