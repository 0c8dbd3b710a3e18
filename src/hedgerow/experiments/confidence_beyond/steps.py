"""Beyond the paper of ConfDTree, on the folds of its evaluation.

Five parts, each with the predictions of all folds put together:

- `answers`: alternative routes alone, fines alone and both, on the four base trees;
- `learners`: doubts inside bagged trees and a random forest, and on top of soft trees and UCT-DT;
- `categories`: doubts of tests on categories as well;
- `probabilities`: log loss, Brier score and calibration beside smoothing, m-estimates and
  scikit-learn's calibrations;
- `settings`: the fine, the width of the intervals, other readings of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.evaluation import metrics
from hedgerow.experiments.confidence.plan import BASE, CONFIDENCE, MIN_SAMPLES_LEAF, VERSIONS
from hedgerow.experiments.confidence.steps import areas, encoded, folds_of, grown
from hedgerow.experiments.confidence_beyond.plan import (
    ANSWERS,
    EXPERIMENT,
    LEARNERS,
    ORDER,
    PLAIN,
    READINGS,
    TREES,
    VALUES,
    ConfidenceBeyondPlan,
)
from hedgerow.experiments.frames import (
    all_classes,
    numbers_of,
    one_sample,
    random_state,
    sorted_,
    uct_from,
)
from hedgerow.experiments.step import step

#: Widths of the paper: of normal intervals, and the two-sided levels of t intervals.
NORMAL_WIDTHS = {"normal_width": 2.0, "normal_width_other": 1.0}
T_LEVELS = {"t_alpha": 0.005, "t_alpha_other": 0.10}


class _Fold:
    """Training and test part of one fold, and what predicts from the first."""

    def __init__(self, table: TidyTable, train, test, features, state, plan, protocol):
        self.X, self.y, self.test = table.X.iloc[train], table.y[train], table.X.iloc[test]
        self.features, self.test_features = features[train], features[test]
        self.n_classes, self.state = len(table.classes), state
        self.plan, self.protocol = plan, protocol
        self._trees: dict[bool, Any] = {}

    def tree(self, pruned: bool):
        """C4.5 on the training part."""
        if pruned not in self._trees:
            self._trees[pruned] = grown(self.X, self.y, False, pruned)
        return self._trees[pruned]

    def said(self, learner, X=None) -> np.ndarray:
        """Probabilities of the test part, a column for each class of the data set."""
        found = learner.predict_proba(self.test if X is None else X)
        return all_classes(found, learner.classes_, self.n_classes)

    def doubted(self, learner, X=None, test=None, **settings) -> np.ndarray:
        """The same, corrected by ConfDTree, of a learner that is fitted."""
        from sklearn.frozen import FrozenEstimator

        from hedgerow.confidence.confdtree import ConfDTreeClassifier

        settings = {"min_instances": self.protocol.min_instances, **settings}
        model = ConfDTreeClassifier(FrozenEstimator(learner), **settings)
        return self.said(model.fit(self.X if X is None else X, self.y), test)


def _answers(fold: _Fold) -> Iterator[tuple[str, str, np.ndarray]]:
    for name, (pruned, smoothing) in TREES.items():
        tree = fold.tree(pruned).set_params(smoothing=smoothing)
        yield name, PLAIN, fold.said(tree)
        for version, method in VERSIONS.items():
            for answer, (routes, fines) in ANSWERS.items():
                said = fold.doubted(tree, method=method, routes=routes, fines=fines)
                yield name, f"{version}_{answer}", said


def _learners(fold: _Fold) -> Iterator[tuple[str, str, np.ndarray]]:
    from sklearn.ensemble import BaggingClassifier, RandomForestClassifier

    from hedgerow.confidence.confdtree import ConfDTreeClassifier
    from hedgerow.experiments.search.plan import UctPlan
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    plan, protocol = fold.plan, fold.protocol
    c45 = {"confidence": CONFIDENCE, "min_samples_leaf": MIN_SAMPLES_LEAF}
    state = np.random.RandomState(fold.state).randint(2**31, size=len(LEARNERS))
    state = dict(zip(LEARNERS, state.tolist(), strict=True))
    codes = [pd.api.types.is_numeric_dtype(fold.X[name].dtype) for name in fold.X]
    base = fold.tree(False)
    base = type(base)(**{**base.get_params(), "categorical_features": _categorical(codes)})
    forests = {
        "bagged": (BaggingClassifier(base, plan.n_trees, random_state=state["bagged"]), _coded),
        "rf": (RandomForestClassifier(plan.n_trees, random_state=state["rf"]), None),
    }
    for name, (forest, coded) in forests.items():
        X, test = fold.features, fold.test_features
        if coded is not None:
            X, test = coded(fold.X), coded(fold.test)
        for method in (PLAIN, *VERSIONS):
            if method == PLAIN:
                model = forest
            else:
                model = ConfDTreeClassifier(
                    forest, method=VERSIONS[method], min_instances=protocol.min_instances
                )
            yield name, method, fold.said(model.fit(X, fold.y), test)
    alone = {
        "ss": SoftTreeClassifier(search=plan.factor, smoothing=True, **c45),
        "stp": SoftTreeClassifier(propagation=plan.factor, smoothing=True, **c45),
        "se": SoftTreeClassifier(evaluation=plan.factor, smoothing=True, **c45),
        "uct_vs": uct_from(
            UctPlan(n_iterations=plan.n_iterations),
            policy="vs",
            smoothing=True,
            random_state=state["uct_vs"],
            **c45,
        ),
    }
    for name, learner in alone.items():
        with warnings.catch_warnings():
            # Of values that a soft gate cannot blur and of classes that a small part lacks.
            warnings.simplefilter("ignore", UserWarning)
            fitted = learner.fit(fold.X, fold.y)
            yield name, PLAIN, fold.said(fitted)
            for version, method in VERSIONS.items():
                yield name, version, fold.doubted(fitted, method=method)


def _categorical(numeric: list[bool]) -> list[int] | None:
    return [j for j, is_number in enumerate(numeric) if not is_number] or None


def _coded(X: pd.DataFrame) -> np.ndarray:
    """Categories as codes: ensembles of scikit-learn hand arrays to their trees."""
    columns = []
    for name in X:
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            codes = X[name].cat.codes.to_numpy(float)
            columns.append(np.where(codes < 0, np.nan, codes))
        else:
            columns.append(X[name].to_numpy(float, na_value=np.nan))
    return np.column_stack(columns)


def _categories(fold: _Fold) -> Iterator[tuple[str, str, np.ndarray]]:
    for name, (pruned, smoothing) in TREES.items():
        tree = fold.tree(pruned).set_params(smoothing=smoothing)
        yield name, PLAIN, fold.said(tree)
        for version, method in VERSIONS.items():
            yield name, version, fold.doubted(tree, method=method)
            said = fold.doubted(tree, method=method, categorical=True)
            yield name, f"{version}_categories", said


def m_estimates(weights: np.ndarray, m: float) -> np.ndarray:
    """Class probabilities of leaves, drawn towards those of the data set.

    Parameters
    ----------
    weights : (n_leaves, K) float array
        Instances of each class; all leaves together are the training part.
    m : float
        How many instances the data set's shares count as.

    Returns
    -------
    (n_leaves, K) float array
        (n_c + m p_c) / (n + m) (Cestnik 1990).
    """
    shares = weights.sum(axis=0) / weights.sum()
    return (weights + m * shares) / (weights.sum(axis=1, keepdims=True) + m)


def _probabilities(fold: _Fold) -> Iterator[tuple[str, str, np.ndarray]]:
    from sklearn.base import clone
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import StratifiedKFold

    plan = fold.plan
    tree = fold.tree(True).set_params(smoothing=False)
    yield BASE, PLAIN, fold.said(tree)
    leaves = np.flatnonzero(tree.tree_.feature < 0)
    estimates = m_estimates(tree.tree_.class_weight[leaves], plan.m)
    shares = tree.tree_.shares(tree._encode(fold.test, reset=False)).tocsc()[:, leaves]
    yield BASE, "m_estimate", all_classes(shares @ estimates, tree.classes_, fold.n_classes)
    folds = min(plan.inner_folds, int(np.bincount(fold.y)[np.unique(fold.y)].min()))
    for method in ("isotonic", "sigmoid"):
        if folds < 2:  # a class with a single row cannot be calibrated: the tree as it is
            yield BASE, method, fold.said(tree)
            continue
        # Rows are sorted by their values: folds in their order would differ in the first variable.
        inner = StratifiedKFold(folds, shuffle=True, random_state=fold.state)
        model = CalibratedClassifierCV(clone(tree), method=method, cv=inner)
        yield BASE, method, fold.said(model.fit(fold.X, fold.y))
    tree.set_params(smoothing=True)
    yield BASE, "laplace", fold.said(tree)
    for version, method in VERSIONS.items():
        yield BASE, version, fold.doubted(tree, method=method)


def _settings(fold: _Fold) -> Iterator[tuple[str, str, np.ndarray]]:
    from scipy.stats import norm

    plan, name = fold.plan, "pruned"
    pruned, smoothing = TREES[name]
    tree = fold.tree(pruned).set_params(smoothing=smoothing)
    yield name, PLAIN, fold.said(tree)
    for version, method in VERSIONS.items():
        for fine in plan.fines:
            yield name, f"{version}_fine_{fine:g}", fold.doubted(tree, method=method, fine=fine)
        for factor in plan.widths:
            wide = {key: factor * width for key, width in NORMAL_WIDTHS.items()}
            # The level whose normal quantile is so many times as large.
            for key, alpha in T_LEVELS.items():
                wide[key] = 2.0 * norm.sf(factor * norm.isf(alpha / 2.0))
            yield name, f"{version}_width_{factor:g}", fold.doubted(tree, method=method, **wide)
    for reading, given in READINGS.items():
        yield name, reading, fold.doubted(tree, **given)


# -------------------------------------------------------------------------------- measures


def measures(y: np.ndarray, p: np.ndarray, plan) -> dict[str, float]:
    """What probabilities are worth.

    Parameters
    ----------
    y : (n,) int array
    p : (n, K) float array
    plan : ConfidenceBeyondPlan

    Returns
    -------
    dict of float
        `average_auc`; `log_loss`, with probabilities of at least `plan.least`; `brier`;
        `calibration_error`: mean distance of the assigned class's probability and the share that
        is right, over bins, weighted by their rows.
    """
    rows = np.arange(len(y))
    table = bins(y, p, plan.n_bins)
    distance = (table["predicted"] - table["correct"]).abs()
    return {
        "average_auc": areas(y, p)["average_auc"],
        "log_loss": float(-np.log(np.maximum(p[rows, y], plan.least)).mean()),
        "brier": metrics.brier(y, p),
        "calibration_error": float((distance * table["n"]).sum() / table["n"].sum()),
    }


def bins(y: np.ndarray, p: np.ndarray, n_bins: int) -> pd.DataFrame:
    """Rows by the probability of the class that they are assigned.

    Returns
    -------
    DataFrame
        bin (from 0), n, predicted (mean probability), correct (share that has the class); bins with
        rows only.
    """
    assigned = p.argmax(axis=1)
    said = p[np.arange(len(y)), assigned]
    bin_ = np.minimum((said * n_bins).astype(int), n_bins - 1)
    frame = pd.DataFrame({"bin": bin_, "predicted": said, "correct": assigned == y})
    found = frame.groupby("bin").agg(
        n=("predicted", "size"), predicted=("predicted", "mean"), correct=("correct", "mean")
    )
    return found.reset_index()


def _run(
    table: TidyTable, parts: dict, plan, protocol, repeats: Iterable[int] | None
) -> dict[str, pd.DataFrame]:
    table = one_sample(table)
    y, n_classes, features = table.y, len(table.classes), encoded(table.X)
    rows, tables = [], []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        found: dict[tuple[str, str, str], np.ndarray] = {}
        for number, (train, test) in enumerate(folds_of(table, repeat, protocol)):
            stream = f"learners {number}"
            state = random_state(protocol.seed, EXPERIMENT, table.name, repeat, stream)
            fold = _Fold(table, train, test, features, state, plan, protocol)
            for part, of in parts.items():
                for base, method, said in of(fold):
                    key = (part, base, method)
                    found.setdefault(key, np.zeros((len(y), n_classes)))[test] = said
        for (part, base, method), p in found.items():
            key = (part, table.name, repeat, base, method)
            rows += [(*key, *item) for item in measures(y, p, plan).items()]
            if part == "probabilities":
                own = bins(y, p, plan.n_bins)
                tables.append(own.assign(dataset=table.name, repeat=repeat, method=method))
    columns = {name: [*ORDER[name], *VALUES[name]] for name in ORDER}
    made = {"rows": sorted_(pd.DataFrame(rows, columns=columns["rows"]), ORDER["rows"])}
    if tables:
        made["bins"] = sorted_(pd.concat(tables)[columns["bins"]], ORDER["bins"])
    return made


@step(
    "factor",
    "fines",
    "inner_folds",
    "least",
    "m",
    "n_bins",
    "n_iterations",
    "n_trees",
    "widths",
    makes=("rows", "bins"),
    protocol=(
        "confidence",
        "min_instances",
        "n_folds",
        "seed",
    ),
)
def run(
    table: TidyTable, plan: ConfidenceBeyondPlan, protocol, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """All parts but that on categories, on one data set.

    Parameters
    ----------
    table : TidyTable
    plan : ConfidenceBeyondPlan
    protocol : ConfidencePlan
        Settings of `confidence`: confidence, min_instances, min_samples_leaf, n_folds, seed, tree.
    repeats : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    dict of DataFrame
        `rows`: part, dataset, repeat, base (base tree or learner), method (`PLAIN`, or how it was
        corrected), metric, value.
        `bins`: dataset, repeat, method, bin, n, predicted, correct: of part `probabilities`.
    """
    parts = {"answers": _answers, "learners": _learners}
    parts |= {"probabilities": _probabilities, "settings": _settings}
    return _run(table, parts, plan, protocol, repeats)


@step(
    "least",
    "n_bins",
    protocol=(
        "confidence",
        "min_instances",
        "n_folds",
        "seed",
    ),
)
def categories(
    table: TidyTable, plan: ConfidenceBeyondPlan, protocol, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """The part on doubts of tests on categories, on one data set.

    Parameters
    ----------
    table, plan, protocol, repeats
        As in `run`.

    Returns
    -------
    DataFrame
        `rows` of `run`.
    """
    return _run(table, {"categories": _categories}, plan, protocol, repeats)["rows"]
