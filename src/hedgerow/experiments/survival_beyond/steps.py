"""Beyond chapter 6: other models, weights for the censored, measurement error, stability.

    learn -> scores, stability; weights and measurement grow trees of their own

Divisions into training and test patients are those of `survival`, the first of them that of all its
tables, and so are the trees.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.errors import HedgerowWarning
from hedgerow.experiments.frames import joined, numbers_of, random_state, sorted_
from hedgerow.experiments.step import step
from hedgerow.experiments.survival.plan import EXPERIMENT as SURVIVAL
from hedgerow.experiments.survival.steps import cohort_of, pipeline_of
from hedgerow.experiments.survival.steps import learn as survival_learn
from hedgerow.experiments.survival_beyond.errors import Error, errors_of
from hedgerow.experiments.survival_beyond.plan import (
    EXPERIMENT,
    MODELS,
    N_TIMES,
    NO_ANSWER,
    NOT_INSTALLED,
    ORDER,
    SCORES,
    SETTINGS,
    TREES,
    WAYS,
    SurvivalBeyondPlan,
)

#: What the chapter's trees were tuned by.
TUNED = ("confidence", "repetition_factor", "min_samples_leaf")


class _Protocol:
    """Settings of `survival`, but for the cohorts and the number of divisions."""

    OWN = ("cohorts", "n_splits")

    def __init__(self, plan, protocol):
        self._plan, self._protocol = plan, protocol

    def __getattr__(self, name: str):
        return getattr(self._plan if name in self.OWN else self._protocol, name)


def codes(X: pd.DataFrame) -> np.ndarray:
    """Values as trees take them: categories by their code, NaN for missing ones; (n, m) float."""
    columns = []
    for _, column in X.items():
        if column.dtype == "category":
            code = column.cat.codes.to_numpy(float)
            columns.append(np.where(code < 0, np.nan, code))
        else:
            columns.append(column.to_numpy(float))
    return np.column_stack(columns)


def _division(own, split: int, protocol):
    """Patients divided and labelled as in `survival`, with the thesis' tree."""
    from hedgerow.survival import risk_groups

    state = random_state(protocol.seed, SURVIVAL, own.name, split, "split")
    pipeline = {**pipeline_of(own, protocol), "random_state": state}
    return risk_groups(own.X, *own.natural_history(), **pipeline)


def _f1(y: np.ndarray, said: np.ndarray) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(y, said, labels=[0, 1], average="macro", zero_division=0.0))


# --------------------------------------------------------------------------------------- learn


@step(
    "seed",
    makes=("trees", "tuning"),
    protocol=(
        "survival",
        "competing",
        "confidence",
        "confidences",
        "leaf_sizes",
        "min_followed",
        "min_samples_leaf",
        "n_folds",
        "repetition_factor",
        "repetition_factors",
        "seed",
        "test_size",
    ),
)
def learn(
    table: TidyTable, plan: SurvivalBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Trees of each division, with the thesis' settings and with tuned ones.

    Parameters
    ----------
    table : TidyTable
    plan : SurvivalBeyondPlan
    protocol : SurvivalPlan
        Settings of `survival`.
    splits : iterable of int, optional
        Numbers of divisions; default all. Chunks put together equal the whole.

    Returns
    -------
    dict of DataFrame
        `trees` and `tuning`, as `hedgerow.experiments.survival.steps.learn` gives them.
    """
    tables = survival_learn(table, _Protocol(plan, protocol), splits)
    return {name: tables[name] for name in ("trees", "tuning")}


# -------------------------------------------------------------------------------------- scores


@step(
    "n_trees",
    "penalty",
    "seed",
    protocol=(
        "survival",
        "competing",
        "confidence",
        "min_followed",
        "min_samples_leaf",
        "repetition_factor",
        "seed",
        "test_size",
    ),
)
def scores(
    table: TidyTable,
    trees: pd.DataFrame,
    plan: SurvivalBeyondPlan,
    protocol,
    splits: Iterable[int] | None = None,
) -> pd.DataFrame:
    """How well models of survival tell test patients apart, and what they say of them.

    All models are learnt from the whole training part, the censored included: a tree is grown from
    those whose class is known, and the survival of a leaf is the Kaplan-Meier curve of all training
    patients in it.

    Parameters
    ----------
    table : TidyTable
    trees : DataFrame
        As returned by `learn` of these divisions.
    plan : SurvivalBeyondPlan
    protocol : SurvivalPlan
    splits : as in `learn`

    Returns
    -------
    DataFrame
        dataset, split, model, metric (`concordance`, `auc` at the horizon, `brier` integrated up to
        it), value, note (why there is none).
    """
    own = cohort_of(table, plan)
    protocol = _Protocol(plan, protocol)
    follow_up = own.natural_history()
    X = codes(own.X)
    rows = []
    for split in numbers_of(plan, "n_splits", splits):
        training = _division(own, split, protocol).training
        last = min(own.horizon, *(follow_up[0][part].max() for part in (training, ~training)))
        at = np.linspace(0.0, last, N_TIMES + 1)[1:]
        for model in MODELS:
            note = ""
            if model in SETTINGS:
                leaf = _tree(trees, split, model).apply(X)
                predicted = _of_groups(leaf, follow_up, training, at)
            elif model == "nobody":
                predicted = _of_groups(np.zeros(len(X), int), follow_up, training, at)
            elif model == "cox":
                predicted = _cox(own.X, follow_up, training, at, plan.penalty)
                note = NO_ANSWER if predicted is None else ""
            else:
                predicted = None
                note = NOT_INSTALLED if plan.library == "absent" else ""
                if not note:
                    state = random_state(plan.seed, EXPERIMENT, own.name, split, "forest")
                    predicted = _forest(own.X, follow_up, training, at, plan.n_trees, state)
            values = dict.fromkeys(SCORES, np.nan)
            if predicted is not None:
                values = _scored(follow_up, training, *predicted, at)
            rows += [(own.name, split, model, m, v, note) for m, v in values.items()]
    frame = pd.DataFrame(rows, columns=[*ORDER["scores"], "value", "note"])
    return sorted_(frame, ORDER["scores"])


def _tree(trees: pd.DataFrame, split: int, method: str):
    from hedgerow.tree import Tree

    own = trees[(trees["split"] == split) & (trees["method"] == method)]
    return Tree.from_json(own["tree"].iloc[0])


def _scored(follow_up, training, risk, survival, at) -> dict[str, float]:
    from hedgerow.survival import concordance, integrated_brier_score, time_dependent_auc

    time, event = follow_up
    learnt, test = (time[training], event[training]), (time[~training], event[~training])
    return {
        "concordance": concordance(*test, risk),
        "auc": time_dependent_auc(*learnt, *test, risk, at[-1:]).mean,
        "brier": integrated_brier_score(*learnt, *test, survival, at).integrated,
    }


def _of_groups(group, follow_up, training, at) -> tuple[np.ndarray, np.ndarray]:
    """Risk by the last time and survival of test patients, by the curves of training patients.

    A group without training patients, to which a missing value can lead, has the curve of all.
    """
    from hedgerow.survival import group_survival

    time, event = (values[training] for values in follow_up)
    curves = group_survival(time, event, group[training], at)
    everybody = group_survival(time, event, np.zeros(len(time), int), at).to_numpy()[0]
    survival = curves.reindex(group[~training]).to_numpy()
    survival = np.where(np.isnan(survival), everybody, survival)
    return 1.0 - survival[:, -1], survival


def _design(X: pd.DataFrame, training: np.ndarray) -> pd.DataFrame:
    """Columns of numbers: missing values by the median or the most frequent category of the
    training part, categories one by one but the first, what is constant there left out."""
    numeric = [c for c in X if X[c].dtype != "category"]
    filled = X[numeric].fillna(X.loc[training, numeric].median()).fillna(0.0)
    parts = [filled]
    for name in (c for c in X if c not in numeric):
        known = X.loc[training, name].dropna()
        column = X[name].fillna(known.mode().iloc[0]) if len(known) else X[name]
        parts.append(pd.get_dummies(column, prefix=name, drop_first=True, dtype=float))
    made = pd.concat(parts, axis=1)
    made.columns = [f"x{i}" for i in range(made.shape[1])]
    return made.loc[:, made[training].nunique() > 1]


def _cox(X, follow_up, training, at, penalty: float):
    """Risk and survival of test patients by a Cox model; None where it finds no answer."""
    from lifelines import CoxPHFitter
    from lifelines.exceptions import ConvergenceError

    time, event = (values[training] for values in follow_up)
    design = _design(X, training)
    learnt = design[training].assign(_time=time, _event=event == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = CoxPHFitter(penalizer=penalty).fit(learnt, "_time", "_event")
        except ConvergenceError:
            return None
    test = design[~training]
    survival = fitted.predict_survival_function(test, times=at).to_numpy().T
    return fitted.predict_log_partial_hazard(test).to_numpy(), np.clip(survival, 0.0, 1.0)


def _forest(X, follow_up, training, at, n_trees: int, state: int):
    """The same by a random survival forest of scikit-survival, on a grid of times."""
    from hedgerow.optional import needed

    needed("sksurv", "a random survival forest")
    from sksurv.ensemble import RandomSurvivalForest
    from sksurv.util import Surv

    time, event = (values[training] for values in follow_up)
    design = _design(X, training).to_numpy()
    forest = RandomSurvivalForest(n_trees, min_samples_leaf=FOREST_LEAF, random_state=state)
    forest.fit(design[training], Surv.from_arrays(event == 1, _coarse(time, event == 1)))
    test = design[~training]
    curves = forest.predict_survival_function(test, return_array=True)
    # Before the first event everybody lives.
    place = np.searchsorted(forest.unique_times_, at, side="right")
    survival = np.column_stack([np.ones(len(test)), curves])[:, place]
    return forest.predict(test), np.clip(survival, 0.0, 1.0)


#: Patients of a leaf at least, and times, of a forest: every node keeps a curve over all times,
#: which of thousands of patients would take gigabytes.
FOREST_LEAF, FOREST_TIMES = 15, 100


def _coarse(time: np.ndarray, died: np.ndarray) -> np.ndarray:
    """Times raised to the next of some quantiles of the times of events, or to the last."""
    shares = np.linspace(0.0, 1.0, FOREST_TIMES)
    grid = np.unique(np.quantile(time[died], shares, method="higher"))
    return np.append(grid, time.max())[np.searchsorted(grid, time)]


# ------------------------------------------------------------------------------------- weights


@step(
    "seed",
    protocol=(
        "survival",
        "competing",
        "confidence",
        "min_followed",
        "min_samples_leaf",
        "repetition_factor",
        "seed",
        "test_size",
    ),
)
def weights(
    table: TidyTable, plan: SurvivalBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> pd.DataFrame:
    """Trees of the thesis' settings, with the censored left out or stood for by weights.

    Parameters
    ----------
    table : TidyTable
    plan : SurvivalBeyondPlan
    protocol : SurvivalPlan
    splits : as in `learn`

    Returns
    -------
    DataFrame
        dataset, split, way (`left_out`, as the thesis; `weighted`, inverse probability of
        censoring; where causes compete, `survived` and `survived_weighted`, which take another
        event for survival of the one in question), n_learnt, n_leaves, root (variable), then of
        test patients: accuracy and f1 (macro) of those whose class is known, weighted_accuracy (of
        the same, standing for the censored), concordance, predicted (mean probability of the
        event), incidence (share with the event by the horizon, by Kaplan-Meier, or by
        Aalen-Johansen for the last two ways) and distance (between these two, without its sign).
    """
    from hedgerow.survival import concordance, horizon_labels

    own = cohort_of(table, plan)
    protocol = _Protocol(plan, protocol)
    time, event = own.natural_history()
    names = WAYS if (event > 1).any() else WAYS[:2]
    rows = []
    for split in numbers_of(plan, "n_splits", splits):
        found = _division(own, split, protocol)
        training = found.training
        # All ways are judged on the same patients.
        test = np.flatnonzero(~training)
        y = found.labels.y[test]
        known = y >= 0
        standing = _weights(time, event, test, own.horizon, protocol.competing)
        for way in names:
            competing = "survived" if way.startswith("survived") else protocol.competing
            labels = horizon_labels(time, event, own.horizon, competing=competing)
            learnt = np.flatnonzero(training & labels.known)
            given = {}
            if way.endswith("weighted"):
                full = np.zeros(len(time))
                full[training] = _weights(time, event, training, own.horizon, competing)
                given = {"sample_weight": full[learnt]}
            tree = _tree_of(own, protocol, training, labels, **given)
            probability = tree.predict_proba(own.X.iloc[test])[:, 1]
            said = tree.predict(own.X.iloc[test])
            right = (said == y)[known]
            of_test = _weights(time, event, test, own.horizon, competing)
            incidence = float((of_test * (labels.y[test] == 1)).mean())
            root = own.X.columns[tree.tree_.feature[0]] if tree.tree_.n_leaves > 1 else ""
            rows.append(
                {
                    "dataset": own.name,
                    "split": split,
                    "way": way,
                    "n_learnt": len(learnt),
                    "n_leaves": tree.tree_.n_leaves,
                    "root": str(root),
                    "accuracy": float(right.mean()),
                    "weighted_accuracy": float(np.average(right, weights=standing[known])),
                    "f1": _f1(y[known], said[known]),
                    "concordance": concordance(time[test], event[test], probability),
                    "predicted": float(probability.mean()),
                    "incidence": incidence,
                    "distance": abs(float(probability.mean()) - incidence),
                }
            )
    return sorted_(pd.DataFrame(rows), ORDER["weights"])


def _tree_of(own, protocol, training, labels, **given):
    """A tree of the training part, as `risk_groups` grows it; labels and weights are given."""
    from hedgerow.survival import thesis_tree
    from hedgerow.survival.followed import FollowUp, fit_followed

    rows = np.flatnonzero(training)
    time, event = (values[rows] for values in own.natural_history())
    learnt = np.flatnonzero(labels.known[rows])
    return fit_followed(
        thesis_tree(**{name: getattr(protocol, name) for name in TUNED}),
        own.X.iloc[rows],
        learnt,
        labels.y[rows][learnt],
        FollowUp(time, event, own.horizon),
        protocol.min_followed,
        **given,
    )[0]


def _weights(time, event, part, horizon: float, competing: str) -> np.ndarray:
    """`censoring_weights` of the patients of one part, from their own follow-up."""
    from hedgerow.survival import censoring_weights

    return censoring_weights(time[part], event[part], horizon, competing=competing)


# --------------------------------------------------------------------------------- measurement


@step(
    "n_repeats",
    "seed",
    protocol=(
        "survival",
        "competing",
        "confidence",
        "min_followed",
        "min_samples_leaf",
        "repetition_factor",
        "seed",
        "test_size",
    ),
)
def measurement(
    table: TidyTable, plan: SurvivalBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> pd.DataFrame:
    """What becomes of test patients when their measurements are repeated.

    Each repetition adds a normal error to the values as they are recorded. These hold an error
    themselves, so that two real measurements differ by more.

    Parameters
    ----------
    table : TidyTable
    plan : SurvivalBeyondPlan
    protocol : SurvivalPlan
    splits : as in `learn`

    Returns
    -------
    DataFrame
        dataset, split, tree (`c45`; `se`, the same with soft evaluation by the errors; `soft`, with
        soft training propagation as well), n_variables (with a known error), n_test, n_leaves,
        n_tests, n_known (tests of a variable with a known error), then means over repetitions:
        group_changed (share of the test patients in another leaf), class_changed (with another
        predicted class), risk_changed (mean change of the predicted probability); accuracy and f1
        (macro) of the values as recorded, on test patients whose class is known. Without rows where
        no error is known.
    """
    from hedgerow.survival import thesis_tree
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    own = cohort_of(table, plan)
    protocol = _Protocol(plan, protocol)
    errors = {name: e for name, e in errors_of(own.name).items() if name in own.X}
    columns = [
        *(*ORDER["measurement"], "n_variables", "n_test", "n_leaves", "n_tests", "n_known"),
        *("group_changed", "class_changed", "risk_changed", "accuracy", "f1"),
    ]
    if not errors:
        return pd.DataFrame(columns=columns)
    settings = {name: getattr(protocol, name) for name in TUNED}
    models = {name: _noise(error) for name, error in errors.items()}
    rows = []
    for split in numbers_of(plan, "n_splits", splits):
        found = _division(own, split, protocol)
        learnt = np.flatnonzero(found.training & found.labels.known)
        test = np.flatnonzero(~found.training)
        X, y = own.X.iloc[test], found.labels.y[test]
        values = codes(X)
        repeats = _repeated(X, errors, own.name, split, plan)
        grown = (
            thesis_tree(**settings),
            SoftTreeClassifier(evaluation=models, **settings),
            SoftTreeClassifier(propagation=models, evaluation=models, **settings),
        )
        for name, model in zip(TREES, grown, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", HedgerowWarning)
                model.fit(own.X.iloc[learnt], found.labels.y[learnt])
            tree = model.tree_
            tested = own.X.columns[tree.feature[tree.feature >= 0]]
            known = y >= 0
            said = model.predict(X)
            rows.append(
                (
                    *(own.name, split, name, len(errors), len(test), tree.n_leaves, len(tested)),
                    int(tested.isin(list(errors)).sum()),
                    *_changed(tree, values, repeats),
                    float((said == y)[known].mean()),
                    _f1(y[known], said[known]),
                )
            )
    return sorted_(pd.DataFrame(rows, columns=columns), ORDER["measurement"])


def _noise(error: Error):
    from scipy import stats

    from hedgerow.uncertainty import RelativeNoise

    model = stats.norm(scale=error.sd)
    return RelativeNoise(model) if error.kind == "relative" else model


def _repeated(X: pd.DataFrame, errors: Mapping[str, Error], dataset, split, plan):
    """Values of the variables with an error, by number of the column: (n_repeats, n) each."""
    found = {}
    for name, error in errors.items():
        stream = rng(plan.seed, EXPERIMENT, dataset, split, f"repeat {name}")
        value = X[name].to_numpy(float)
        sd = error.sd * (np.abs(value) if error.kind == "relative" else np.ones(len(value)))
        drawn = stream.standard_normal((plan.n_repeats, len(value)))
        found[X.columns.get_loc(name)] = value + sd * drawn
    return found


def _changed(tree, X: np.ndarray, repeats: Mapping[int, np.ndarray]) -> tuple[float, float, float]:
    """Shares of patients in another leaf and class, and mean change of risk, over repetitions."""
    leaf, shares = tree.apply(X), tree.predict_proba(X)
    n_repeats = len(next(iter(repeats.values())))
    totals = np.zeros(3)
    for begin in range(0, n_repeats, AT_ONCE):
        many = range(begin, min(begin + AT_ONCE, n_repeats))
        again = np.tile(X, (len(many), 1))
        for column, values in repeats.items():
            again[:, column] = values[many.start : many.stop].ravel()
        found = tree.predict_proba(again).reshape(len(many), *shares.shape)
        totals += (
            (tree.apply(again).reshape(len(many), -1) != leaf).mean(axis=1).sum(),
            (found.argmax(axis=2) != shares.argmax(axis=1)).mean(axis=1).sum(),
            np.abs(found - shares)[:, :, 1].mean(axis=1).sum(),
        )
    group, label, risk = (totals / n_repeats).tolist()
    return group, label, risk


#: Repetitions of all patients that are predicted together.
AT_ONCE = 50


# ----------------------------------------------------------------------------------- stability


@step(
    "n_bootstrap",
    "seed",
    makes=("stability", "roots"),
    protocol=(
        "survival",
        "competing",
        "confidence",
        "min_followed",
        "min_samples_leaf",
        "repetition_factor",
    ),
)
def stability(
    table: TidyTable, tuning: pd.DataFrame, plan: SurvivalBeyondPlan, protocol
) -> dict[str, pd.DataFrame]:
    """How far trees of bootstrap samples of a cohort are from each other.

    Parameters
    ----------
    table : TidyTable
    tuning : DataFrame
        As returned by `learn` of the first division: its tuned settings.
    plan : SurvivalBeyondPlan
    protocol : SurvivalPlan

    Returns
    -------
    dict of DataFrame
        `stability`: dataset, settings (`thesis`, `tuned`), n_trees, then means over pairs of
        trees: distance_b2 (edit distance, Spearman), relative_b2 (sum of the distances over the sum
        of the numbers of tests of both trees, 1 at most; missing where no tree has a test), d_p
        (share of the patients in different predicted classes); and over trees: n_tests, same_root
        (share of the trees with the most frequent variable at the root), root (this variable),
        root_low and root_high (range of its thresholds), between (share of the patients between
        them).
        `roots`: dataset, settings, sample, variable (empty without a test), threshold (missing for
        categories), place (share of the patients up to it).
    """
    from hedgerow.structure import TreeEditDistance, class_prediction_distance
    from hedgerow.survival import horizon_labels, thesis_tree
    from hedgerow.survival.followed import FollowUp, fit_followed

    own = cohort_of(table, plan)
    time, event = own.natural_history()
    follow_up = FollowUp(time, event, own.horizon)
    labels = horizon_labels(time, event, own.horizon, competing=protocol.competing)
    X, y = own.X[labels.known], labels.y[labels.known]
    everybody = codes(own.X)
    metric = TreeEditDistance("B2", "spearman").fit(X, y)
    chosen = tuning[tuning["chosen"]].iloc[0]
    settings = {
        "thesis": {name: getattr(protocol, name) for name in TUNED},
        "tuned": {name: float(chosen[name]) for name in TUNED},
    }
    lines, roots = [], []
    for name in SETTINGS:
        stream = rng(plan.seed, EXPERIMENT, own.name, None, "bootstrap")  # the same for both
        trees = []
        while len(trees) < plan.n_bootstrap:
            weight = np.bincount(stream.integers(len(y), size=len(y)), minlength=len(y))
            if len(np.unique(y[weight > 0])) < 2:
                continue
            grown, _ = fit_followed(
                thesis_tree(**settings[name]),
                own.X,
                np.flatnonzero(labels.known),
                y,
                follow_up,
                protocol.min_followed,
                sample_weight=weight.astype(float),
            )
            trees.append(grown.tree_)
        own_roots = _roots(trees, own, name)
        roots.append(own_roots)
        upper = np.triu_indices(len(trees), 1)
        n_tests = np.array([int((~tree.is_leaf()).sum()) for tree in trees])
        of_both = (n_tests[:, None] + n_tests[None, :])[upper].sum()
        distances = metric.pairwise(trees)[upper]
        lines.append(
            {
                "dataset": own.name,
                "settings": name,
                "n_trees": len(trees),
                "distance_b2": float(distances.mean()),
                "relative_b2": float(distances.sum() / of_both) if of_both else np.nan,
                "d_p": float(class_prediction_distance(trees, everybody)[upper].mean()),
                "n_tests": float(n_tests.mean()),
                **_of_roots(own_roots, own.X),
            }
        )
    return {
        "stability": sorted_(pd.DataFrame(lines), ORDER["stability"]),
        "roots": joined(roots, ORDER["roots"]),
    }


def _roots(trees: list, own: Any, settings: str) -> pd.DataFrame:
    rows = []
    for sample, tree in enumerate(trees):
        variable, threshold, place = "", np.nan, np.nan
        if tree.n_leaves > 1:
            column = own.X.iloc[:, tree.feature[0]]
            variable, threshold = str(column.name), float(tree.threshold[0])
            if np.isfinite(threshold):
                place = float((column.dropna().to_numpy(float) <= threshold).mean())
        rows.append((own.name, settings, sample, variable, threshold, place))
    return pd.DataFrame(rows, columns=[*ORDER["roots"], "variable", "threshold", "place"])


def _of_roots(roots: pd.DataFrame, X: pd.DataFrame) -> dict[str, Any]:
    """The most frequent variable at the root (ties: the first of the cohort) and its thresholds."""
    counts = roots["variable"].value_counts()
    order = {str(name): place for place, name in enumerate(X.columns)}
    most = min(counts.index, key=lambda name: (-counts[name], order.get(name, -1)))
    own = roots.loc[roots["variable"] == most, "threshold"].dropna()
    low, high, between = np.nan, np.nan, np.nan
    if len(own):
        low, high = float(own.min()), float(own.max())
        values = X[most].dropna().to_numpy(float)
        between = float(((values > low) & (values <= high)).mean())
    return {
        "same_root": float(counts[most] / len(roots)),
        "root": most,
        "root_low": low,
        "root_high": high,
        "between": between,
    }
