"""Beyond the paper of EIG: cross validation with values missing in training and test rows.

- `mechanisms`: values removed completely at random, at random, not at random;
- `imputers`: EIG by what guesses, with the error of the guesses, and with several of each value;
- `learners`: beside MIA, scikit-learn's own tree and its gradient boosting;
- `pruning`: pruned and unpruned trees, by accuracy, macro F1 and log loss;
- `natural`: data sets that lack values by themselves, one-hot and with tests on categories;
- `noise`: numbers that are noisy as well, with soft gates.

C4.5 on guesses (`mean`, `knn`) fills the test rows too, by the imputer of the training rows; all
other trees send a row that lacks a value down both sides.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_noise, rng
from hedgerow.data.missingness import remove_values
from hedgerow.evaluation import metrics
from hedgerow.experiments.frames import all_classes, numbers_of, one_thread, random_state, sorted_
from hedgerow.experiments.missing.plan import EXPERIMENT as SHARED
from hedgerow.experiments.missing.steps import complete, folds, one_hot
from hedgerow.experiments.missing_beyond.plan import (
    AS_IT_IS,
    DATA,
    EXPERIMENT,
    MECHANISMS,
    METHODS,
    ORDER,
    VALUES,
    MissingBeyondPlan,
)
from hedgerow.experiments.step import step

Line = tuple[str, str, str, dict[str, float]]  # part, setting, method, value of each metric
#: They read categories as they are.
NATIVE = ("c45_native", "eig_knn_native")


# --------------------------------------------------------------------------------- data


def some_rows(y: np.ndarray, dataset: str, repeat: int, plan: MissingBeyondPlan) -> np.ndarray:
    """Numbers of at most so many rows, drawn at random, ascending."""
    order = rng(plan.seed, EXPERIMENT, dataset, repeat, "rows").permutation(len(y))
    return np.sort(order[: plan.n_rows])


def is_number(n_categories: np.ndarray) -> np.ndarray:
    """Which columns of the encoded table are numbers, (p,) bool."""
    columns = [np.full(1 if n <= 2 else n, n == 0) for n in n_categories]
    return np.concatenate(columns)


def divided(y: np.ndarray, dataset: str, repeat: int, plan: MissingBeyondPlan) -> Iterator[tuple]:
    """Number, training rows and test rows of each fold, those of `missing` where rows are."""
    state = random_state(plan.seed, SHARED, dataset, repeat, "folds")
    with warnings.catch_warnings():
        # Of classes with fewer rows than folds, which some folds then lack.
        warnings.simplefilter("ignore", UserWarning)
        yield from folds(y, plan.n_folds, state)


# ------------------------------------------------------------------------------- imputers


def imputer(name: str, plan: MissingBeyondPlan, state: int):
    """What guesses, not fitted.

    Parameters
    ----------
    name : {"mean", "knn", "iterative", "forest", "gaussian"}
        The last three guess each variable from all others in turn: by Bayesian ridge regression,
        by a small forest, or by draws from what that regression leaves possible.
    plan : MissingBeyondPlan
    state : int
        Of whatever is drawn.

    Returns
    -------
    transformer of scikit-learn
    """
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

    if name == "mean":
        return SimpleImputer()
    if name == "knn":
        return KNNImputer(n_neighbors=plan.n_neighbors)
    rounds = {"max_iter": plan.n_rounds, "random_state": state}
    if name == "iterative":
        return IterativeImputer(**rounds)
    if name == "gaussian":
        return IterativeImputer(sample_posterior=True, **rounds)
    forest = RandomForestRegressor(plan.n_trees, min_samples_leaf=3, random_state=state)
    return IterativeImputer(forest, **rounds)


def error_of(guesses: np.ndarray, X: np.ndarray, true: np.ndarray) -> float:
    """Root mean squared error of the guesses, each column in units of its standard deviation.

    Parameters
    ----------
    guesses : (draws, n, p) float array
    X : (n, p) float array
        NaN where values were guessed.
    true : (n, p) float array

    Returns
    -------
    float
        Columns that are constant, and those of which nothing is known, count nothing; NaN where
        that leaves nothing.
    """
    spread = true.std(axis=0)
    counted = np.isnan(X) & ~np.isnan(X).all(axis=0) & (spread > 0)
    if not counted.any():
        return float("nan")
    error = (guesses - true)[:, counted] / np.broadcast_to(spread, X.shape)[counted]
    return float(np.sqrt((error**2).mean()))


# --------------------------------------------------------------------------------- learners


class _Fold:
    """Training and test rows of one fold, what guesses their values, and what learns from them.

    Parameters
    ----------
    X, true : (n, p) float arrays
        With values missing, and as they are (of sets that lack some by themselves: X again).
    y : (n,) int array
    n_classes : int
    rows : pair of int arrays
    stream : callable
        Seed of an estimator by its name.
    plan : MissingBeyondPlan
    frame : DataFrame, optional
        The same rows with categories as they are.
    """

    def __init__(self, X, true, y, n_classes, rows, stream, plan, frame=None):
        train, test = rows
        self.X, self.test, self.true = X[train], X[test], true[train]
        self.y, self.test_y, self.n_classes = y[train], y[test], n_classes
        self.frame = None if frame is None else (frame.iloc[train], frame.iloc[test])
        self.stream, self.plan = stream, plan
        self._guessed = {}

    def guessed(self, name: str, draw: int = 0) -> tuple:
        """Training rows filled by an imputer, and the imputer."""
        from hedgerow.missing.imputation import TableImputer

        if (name, draw) not in self._guessed:
            state = self.stream(f"{name} {draw}")
            table = TableImputer(
                imputer(name, self.plan, state), np.zeros(self.X.shape[1], dtype=int)
            )
            with warnings.catch_warnings():
                # So few rounds as were asked for need not converge.
                warnings.simplefilter("ignore")
                self._guessed[name, draw] = table.fit_fill(self.X), table
        return self._guessed[name, draw]

    def draws(self, method: str) -> np.ndarray:
        """Guesses of EIG, (draws, n, p)."""
        if method == "eig_perfect":
            return self.true[None]
        if method == "eig_multiple":
            drawn = range(self.plan.n_imputations)
            return np.stack([self.guessed("gaussian", draw)[0] for draw in drawn])
        name = "knn" if method == "eig_soft" else method.removeprefix("eig_")
        return self.guessed(name)[0][None]

    def said(self, method: str, prune: bool = False, factor=None, smoothing: bool = False):
        """Probabilities of the test rows by a method, (n, n_classes).

        factor : (p,) float array, noise factor of each column, of methods with soft gates
        """
        X, test = self._tables(method)
        told = method.startswith("eig_") and method not in NATIVE
        guesses = {"X_imputed": list(self.draws(method))} if told else {}
        model = self._learner(method, prune, factor).fit(X, self.y, **guesses)
        if smoothing:
            model.set_params(smoothing=True)
        return all_classes(model.predict_proba(test), model.classes_, self.n_classes)

    def _tables(self, method: str) -> tuple:
        """What a method reads of the training and of the test rows."""
        own = self.frame is not None and method in (*NATIVE, "gradient_boosting")
        X, test = self.frame if own else (self.X, self.test)
        if method == "gradient_boosting":
            # It fails on a variable of which no value is known.
            known = np.flatnonzero(~pd.isna(X).all(axis=0))
            X, test = (t.iloc[:, known] if own else t[:, known] for t in (X, test))
        if method in ("mean", "knn"):
            filled, table = self.guessed(method)
            return filled, table.fill(self.test)
        return X, test

    def _learner(self, method: str, prune: bool, factor):
        """What learns, not fitted."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.tree import DecisionTreeClassifier

        from hedgerow.induction.c45 import C45Classifier
        from hedgerow.missing.eig import EIGClassifier
        from hedgerow.missing.mia import MissingIncorporated
        from hedgerow.uncertainty.soft import SoftTreeClassifier

        own = {"prune": prune, "min_samples_split": 2}
        if method in ("c45", "c45_native"):
            return C45Classifier(reliability="global", **own)
        if method in ("c45_node", "mean", "knn"):
            return C45Classifier(**own)
        if method == "soft":
            return SoftTreeClassifier(propagation=factor, evaluation=factor, **own)
        if method == "mia":
            return make_pipeline(MissingIncorporated(), C45Classifier(**own))
        if method == "sklearn_tree":
            return DecisionTreeClassifier(criterion="entropy", random_state=self.stream(method))
        if method == "gradient_boosting":
            return HistGradientBoostingClassifier(random_state=self.stream(method))
        noise = {"propagation": factor, "evaluation": factor} if method == "eig_soft" else {}
        return EIGClassifier(n_neighbors=self.plan.n_neighbors, **noise, **own)


# ------------------------------------------------------------------------------------ parts


def _removed(fold: _Fold, mechanism: str) -> Iterator[Line]:
    """Every part on values that were removed by one mechanism."""
    parts = ("mechanisms", "imputers", "learners") if mechanism == "mcar" else ("mechanisms",)
    found = {}
    for part in parts:
        for method in METHODS[part]:
            if method not in found:
                found[method] = metrics.accuracy(fold.test_y, fold.said(method))
            values = {"accuracy": found[method]}
            if part == "imputers" and method != "c45":
                values["imputer_error"] = error_of(fold.draws(method), fold.X, fold.true)
            yield part, mechanism, method, values
    if mechanism == "mcar":
        yield from _pruning(fold)


def _pruning(fold: _Fold) -> Iterator[Line]:
    from sklearn.metrics import log_loss

    classes = range(fold.n_classes)
    for setting, prune in (("unpruned", False), ("pruned", True)):
        for method in METHODS["pruning"]:
            plain = fold.said(method, prune)
            # A leaf that has seen one class only is never as sure as that.
            smooth = fold.said(method, prune, smoothing=True)
            smooth = smooth / smooth.sum(axis=1, keepdims=True)
            values = {
                "accuracy": metrics.accuracy(fold.test_y, plain),
                "macro_f1": metrics.macro_f1(fold.test_y, plain),
                "log_loss": float(log_loss(fold.test_y, smooth, labels=classes)),
            }
            yield "pruning", setting, method, values


def _noisy(X, is_number, true, factor: float, draws) -> tuple[np.ndarray, np.ndarray]:
    """Values with noise on the numbers, by the means of training rows, and each column's factor."""
    means = np.where(is_number, true.mean(axis=0), np.nan)
    return add_noise(X, factor, means, draws), np.where(is_number, factor, 0.0)


def _noise(fold: _Fold, setting: str, factors: np.ndarray) -> Iterator[Line]:
    with warnings.catch_warnings():
        # Of variables whose mean is 0, which a factor of the mean leaves hard.
        warnings.simplefilter("ignore", UserWarning)
        for method in METHODS["noise"]:
            said = fold.said(method, factor=factors)
            yield "noise", setting, method, {"accuracy": metrics.accuracy(fold.test_y, said)}


def _averaged(lines: list, key: tuple, lists: dict) -> None:
    for (part, setting, share, method, metric), values in lists.items():
        lines.append((part, *key, setting, share, method, metric, float(np.mean(values))))


def _frame(lines: list) -> pd.DataFrame:
    columns = [*ORDER["rows"], *VALUES["rows"]]
    return sorted_(pd.DataFrame(lines, columns=columns), ORDER["rows"])


@step(
    "n_folds",
    "n_imputations",
    "n_neighbors",
    "n_rounds",
    "n_rows",
    "n_trees",
    "noise",
    "seed",
    "shares",
)
def run(
    table: TidyTable, plan: MissingBeyondPlan, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """All parts but `natural` on one data set, from which values are removed.

    Parameters
    ----------
    table : TidyTable
        Rows that lack a value are left out.
    plan : MissingBeyondPlan
    repeats : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    DataFrame
        part, dataset, repeat, setting (mechanism, pruned or not, noise factor), share of removed
        values, method, metric, value: the mean over folds.
    """
    values, n_categories, y = complete(table, "drop")
    lines = []
    with one_thread():
        for repeat in numbers_of(plan, "n_repeats", repeats):
            rows = some_rows(y, table.name, repeat, plan)
            some = dataclasses.replace(table, y=y[rows])
            lists = defaultdict(list)
            for share in plan.shares:
                given = values[rows], n_categories, some, repeat, share, plan
                for part, setting, method, measured in _repeat(*given):
                    for metric, value in measured.items():
                        lists[part, setting, share, method, metric].append(value)
            _averaged(lines, (table.name, repeat), lists)
    return _frame(lines)


def _repeat(values, n_categories, table, repeat: int, share: float, plan) -> Iterator[Line]:
    """One repeat at one share, fold by fold."""
    true, numbers = one_hot(values, n_categories), is_number(n_categories)
    for mechanism in MECHANISMS:
        # At random, the variable that tells what goes stays.
        if mechanism == "mar" and share > 1.0 - 1.0 / values.shape[1]:
            continue
        draws = rng(plan.seed, SHARED, table.name, repeat, "gaps")
        X = one_hot(remove_values(values, share, draws, mechanism), n_categories)
        for k, *rows in divided(table.y, table.name, repeat, plan):

            def stream(name, fold=k, mechanism=mechanism):
                name = f"{name} {mechanism} {share!r} fold {fold}"
                return random_state(plan.seed, EXPERIMENT, table.name, repeat, name)

            given = true, table.y, len(table.classes), rows, stream, plan
            yield from _removed(_Fold(X, *given), mechanism)
            if mechanism != "mcar" or not numbers.any():
                continue
            for factor in plan.noise:
                noise = rng(plan.seed, EXPERIMENT, table.name, repeat, f"noise fold {k}")
                noisy, factors = _noisy(X, numbers, true[rows[0]], factor, noise)
                yield from _noise(_Fold(noisy, *given), f"{factor:g}", factors)


@step("n_folds", "n_neighbors", "seed")
def natural(
    table: TidyTable, plan: MissingBeyondPlan, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """A data set that lacks values by itself; nothing is removed.

    Parameters
    ----------
    table : TidyTable
    plan : MissingBeyondPlan
    repeats : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    DataFrame
        As `run` gives it, with a share of 0, and the share of the values that are missing as
        `missing` of the method `data`.
    """
    values, n_categories, y = complete(table, "keep")
    X = one_hot(values, n_categories)
    lines = []
    with one_thread():
        for repeat in numbers_of(plan, "n_repeats", repeats):
            lists = defaultdict(list)
            lists["natural", AS_IT_IS, 0.0, DATA, "missing"] = [np.isnan(values).mean()]
            for k, *rows in divided(y, table.name, repeat, plan):

                def stream(name, fold=k, repeat=repeat):
                    name = f"{name} natural fold {fold}"
                    return random_state(plan.seed, EXPERIMENT, table.name, repeat, name)

                fold = _Fold(X, X, y, len(table.classes), rows, stream, plan, table.X)
                for method in METHODS["natural"]:
                    said = fold.said(method)
                    for metric in ("accuracy", "macro_f1"):
                        value = getattr(metrics, metric)(fold.test_y, said)
                        lists["natural", AS_IT_IS, 0.0, method, metric].append(value)
            _averaged(lines, (table.name, repeat), lists)
    return _frame(lines)
