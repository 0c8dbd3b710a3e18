"""Beyond chapter 6: other models and weights for the censored.

Divisions into training and test patients are those of `survival`, the first of them that of all its
tables, and so are the trees.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hedgerow.data import Cohort, TidyTable
from hedgerow_study.experiments.frames import (
    CombinedSettings,
    numbers_of,
    ordered,
    random_state,
    sorted_,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival.plan import EXPERIMENT as SURVIVAL
from hedgerow_study.experiments.survival.steps import cohort_of, pipeline_of
from hedgerow_study.experiments.survival.steps import learn as survival_learn
from hedgerow_study.extensions.survival_baselines.plan import (
    EXPERIMENT,
    MODELS,
    N_TIMES,
    NO_ANSWER,
    NOT_INSTALLED,
    ORDER,
    SCORES,
    SETTINGS,
    WAYS,
    SurvivalBaselinesPlan,
)

if TYPE_CHECKING:
    from hedgerow.survival.analysis import RiskGroups
    from hedgerow_study.experiments.survival.plan import SurvivalPlan

#: Time, and 1 where it is that of the event. Risk of test patients, and survival at some times.
FollowUpTimes = tuple[np.ndarray, np.ndarray]
Predicted = tuple[np.ndarray, np.ndarray]

MACRO = {"labels": [0, 1], "average": "macro", "zero_division": 0.0}
#: Settings that stand for those of `survival`.
PLAN_SETTINGS = ("cohorts", "n_repeats")
#: What the chapter's trees were tuned by.
TUNED = ("confidence", "repetition_factor", "min_samples_leaf")


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


def _division(cohort: Cohort, repeat: int, protocol: CombinedSettings) -> RiskGroups:
    """Patients divided and labelled as in `survival`, with the thesis' tree."""
    from hedgerow.survival import risk_groups

    state = random_state(protocol.seed, SURVIVAL, cohort.name, repeat, "split")
    pipeline = {**pipeline_of(cohort, protocol), "random_state": state}
    return risk_groups(cohort.X, *cohort.natural_history(), **pipeline)


# -------------------------------------------------------------------------------------- scores


@step(
    "n_trees",
    "penalty",
    "seed",
    protocol=(
        *("survival", "competing", "confidence", "confidences", "leaf_sizes", "min_followed"),
        *("min_samples_leaf", "n_folds", "repetition_factor", "repetition_factors", "seed"),
        "test_size",
    ),
)
def scores(
    table: TidyTable,
    plan: SurvivalBaselinesPlan,
    protocol: SurvivalPlan,
    repeats: Iterable[int] | None = None,
) -> pd.DataFrame:
    """How well models of survival tell test patients apart, and what they say of them.

    All models are learnt from the whole training part, the censored included: a tree is grown from
    those whose class is known, as in `survival`, and the survival of a leaf is the Kaplan-Meier
    curve of all training patients in it. `auc` is at the horizon, `brier` integrated up to it;
    `note` says why there is none.
    """
    from hedgerow.tree import Tree

    cohort = cohort_of(table, plan)
    protocol = CombinedSettings(plan, protocol, PLAN_SETTINGS)
    trees = survival_learn(table, protocol, repeats)["trees"]
    trees = trees.set_index(["repeat", "method"])["tree"]
    follow_up = cohort.natural_history()
    X = codes(cohort.X)
    rows = []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        training = _division(cohort, repeat, protocol).training
        last = min(cohort.horizon, *(follow_up[0][part].max() for part in (training, ~training)))
        at = np.linspace(0.0, last, N_TIMES + 1)[1:]
        for model in MODELS:
            note = ""
            if model in SETTINGS:
                leaf = Tree.from_json(trees[repeat, model]).apply(X)
                predicted = _of_groups(leaf, follow_up, training, at)
            elif model == "nobody":
                predicted = _of_groups(np.zeros(len(X), int), follow_up, training, at)
            elif model == "cox":
                predicted = _cox(cohort.X, follow_up, training, at, plan.penalty)
                note = NO_ANSWER if predicted is None else ""
            else:
                predicted = None
                note = NOT_INSTALLED if plan.library == "absent" else ""
                if not note:
                    state = random_state(plan.seed, EXPERIMENT, cohort.name, repeat, "forest")
                    predicted = _forest(cohort.X, follow_up, training, at, plan.n_trees, state)
            values = dict.fromkeys(SCORES, np.nan)
            if predicted is not None:
                values = _scored(follow_up, training, predicted, at)
            rows += [(cohort.name, repeat, model, m, v, note) for m, v in values.items()]
    return ordered(rows, ORDER["scores"], "value", "note")


def _scored(
    follow_up: FollowUpTimes, training: np.ndarray, predicted: Predicted, at: np.ndarray
) -> dict[str, float]:
    from hedgerow.survival import concordance, integrated_brier_score, time_dependent_auc

    (time, event), (risk, survival) = follow_up, predicted
    learnt, test = (time[training], event[training]), (time[~training], event[~training])
    return {
        "concordance": concordance(*test, risk),
        "auc": time_dependent_auc(*learnt, *test, risk, at[-1:]).mean,
        "brier": integrated_brier_score(*learnt, *test, survival, at).integrated,
    }


def _of_groups(
    group: np.ndarray, follow_up: FollowUpTimes, training: np.ndarray, at: np.ndarray
) -> Predicted:
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
    training part, categories one by one but the first, what is constant there left out.
    """
    numeric = [c for c in X if X[c].dtype != "category"]
    filled = X[numeric].fillna(X.loc[training, numeric].median()).fillna(0.0)
    parts = [filled]
    for name in (c for c in X if c not in numeric):
        observed = X.loc[training, name].dropna()
        column = X[name].fillna(observed.mode().iloc[0]) if len(observed) else X[name]
        parts.append(pd.get_dummies(column, prefix=name, drop_first=True, dtype=float))
    design = pd.concat(parts, axis=1)
    design.columns = [f"x{i}" for i in range(design.shape[1])]
    return design.loc[:, design[training].nunique() > 1]


def _cox(
    X: pd.DataFrame, follow_up: FollowUpTimes, training: np.ndarray, at: np.ndarray, penalty: float
) -> Predicted | None:
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


def _forest(
    X: pd.DataFrame,
    follow_up: FollowUpTimes,
    training: np.ndarray,
    at: np.ndarray,
    n_trees: int,
    state: int,
) -> Predicted:
    """The same by a random survival forest of scikit-survival, on a grid of times."""
    from hedgerow.optional_imports import import_optional

    import_optional("sksurv", "a random survival forest")
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
        *("survival", "competing", "confidence", "min_followed", "min_samples_leaf"),
        *("repetition_factor", "seed", "test_size"),
    ),
)
def weights(
    table: TidyTable,
    plan: SurvivalBaselinesPlan,
    protocol: SurvivalPlan,
    repeats: Iterable[int] | None = None,
) -> pd.DataFrame:
    """Trees of the thesis' settings, with the censored left out or stood for by weights.

    Ways: `left_out`, as the thesis; `weighted`, inverse probability of censoring; where causes
    compete, `survived` and `survived_weighted`, which take another event for survival of the one in
    question. Of test patients: accuracy and f1 (macro) of those whose class is known,
    weighted_accuracy (of the same, standing for the censored), concordance, predicted (mean
    probability of the event), incidence (share with the event by the horizon, by Kaplan-Meier, or
    by Aalen-Johansen for the last two ways) and distance (between these two, without its sign).
    """
    from hedgerow.survival import horizon_labels, thesis_tree
    from hedgerow.survival.follow_up import FollowUp, fit_followed

    cohort = cohort_of(table, plan)
    protocol = CombinedSettings(plan, protocol, PLAN_SETTINGS)
    time, event = cohort.natural_history()
    names = WAYS if (event > 1).any() else WAYS[:2]
    rows = []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        groups = _division(cohort, repeat, protocol)
        training, grown_from = groups.training, np.flatnonzero(groups.training)
        follow_up = FollowUp(time[grown_from], event[grown_from], cohort.horizon)
        # All ways are judged on the same patients.
        test = np.flatnonzero(~training)
        standing = _weights(time, event, test, cohort.horizon, protocol.competing)
        for way in names:
            competing = "survived" if way.startswith("survived") else protocol.competing
            labels = horizon_labels(time, event, cohort.horizon, competing=competing)
            of_training = np.flatnonzero(labels.labelled[grown_from])
            learnt = grown_from[of_training]
            given = {}
            if way.endswith("weighted"):
                full = np.zeros(len(time))
                full[training] = _weights(time, event, training, cohort.horizon, competing)
                given = {"sample_weight": full[learnt]}
            # As `risk_groups` grows it.
            tree, _ = fit_followed(
                thesis_tree(**{name: getattr(protocol, name) for name in TUNED}),
                cohort.X.iloc[grown_from],
                of_training,
                labels.y[learnt],
                follow_up,
                protocol.min_followed,
                **given,
            )
            of_test = _weights(time, event, test, cohort.horizon, competing)
            incidence = float((of_test * (labels.y[test] == 1)).mean())
            row = {"dataset": cohort.name, "repeat": repeat, "way": way, "n_learnt": len(learnt)}
            measured = _measured(tree, cohort, test, groups.labels.y[test], standing)
            distance = abs(measured["predicted"] - incidence)
            rows.append({**row, **measured, "incidence": incidence, "distance": distance})
    return sorted_(pd.DataFrame(rows), ORDER["weights"])


def _measured(
    tree: Any, cohort: Cohort, test: np.ndarray, y: np.ndarray, standing: np.ndarray
) -> dict[str, Any]:
    """A tree, and what it says of test patients; y below 0: the class is not known."""
    from sklearn.metrics import f1_score

    from hedgerow.survival import concordance

    time, event = cohort.natural_history()
    X, has_class = cohort.X.iloc[test], y >= 0
    probability, predicted = tree.predict_proba(X)[:, 1], tree.predict(X)
    right = (predicted == y)[has_class]
    root = cohort.X.columns[tree.tree_.feature[0]] if tree.tree_.n_leaves > 1 else ""
    return {
        "n_leaves": tree.tree_.n_leaves,
        "root": str(root),
        "accuracy": float(right.mean()),
        "weighted_accuracy": float(np.average(right, weights=standing[has_class])),
        "f1": float(f1_score(y[has_class], predicted[has_class], **MACRO)),
        "concordance": concordance(time[test], event[test], probability),
        "predicted": float(probability.mean()),
    }


def _weights(
    time: np.ndarray, event: np.ndarray, part: np.ndarray, horizon: float, competing: str
) -> np.ndarray:
    """`censoring_weights` of the patients of one part, from their own follow-up."""
    from hedgerow.survival import censoring_weights

    return censoring_weights(time[part], event[part], horizon, competing=competing)
