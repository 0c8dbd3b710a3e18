"""Trees as risk groups: the experiment of thesis chapter 6, on each cohort.

    learn -> merged -> describe -> statistics, beside them permute

Repeat 0 is the split that all tables and figures show; the others tell what depends on it.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data import Cohort, CohortFacts, TidyTable, cohort
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow_study.experiments.frames import (
    concat_sorted,
    numbers_of,
    ordered,
    random_state,
    sorted_,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival.plan import (
    CHI2,
    CLASSES,
    COUNTED_FROM,
    EXPERIMENT,
    LEARNT,
    METHODS,
    ORDER,
    PARTS,
    PRINTED,
    SIMULATED,
)


def cohort_of(table: TidyTable, plan) -> Cohort:
    """A data set as a cohort, by what the registry says of it."""
    if table.name not in plan.cohorts:
        raise ConfigError(
            f"{table.name} is no cohort",
            remedy="take it out of `survival.datasets`, or give it a `cohort` in the registry",
        )
    return cohort(table, CohortFacts.from_dict(plan.cohorts[table.name]))


# --------------------------------------------------------------------------------------- learn


@step(
    *("competing", "confidence", "confidences", "leaf_sizes", "min_followed"),
    *("min_samples_leaf", "n_folds", "repetition_factor", "repetition_factors", "seed"),
    "test_size",
    outputs=("patients", "trees", "tuning", "performance"),
)
def learn(table: TidyTable, plan, repeats: Iterable[int] | None = None) -> dict[str, pd.DataFrame]:
    """Trees that predict the event by the horizon, and the leaf of each patient (thesis 6.2.2).

    Returns: `patients`: of repeat 0, one row per patient: dataset, row (of the cohort), training, y
    (1 with the event by the horizon, 0 without, -1 unknown), number and number_tuned (leaf from the
    left, from 1), said and said_tuned (predicted class), printed (leaf of figure 6.1, simulated
    patients only; 0 where a value that it tests is missing), time and event (natural history,
    years), full_time, full_event and intervention (years, NaN for none). `trees`: dataset, repeat,
    method, n_leaves, depth, root (variable), tree (JSON). `tuning`: of repeat 0, the grid: f1 (mean
    over folds), f1_error (standard error), n_leaves (mean), chosen. Neither has rows where repeat 0
    is in another chunk. `performance`: dataset, repeat, method, part, metric, value, n (patients it
    is a share of).
    """
    from hedgerow.survival import risk_groups

    cohort = cohort_of(table, plan)
    time, event = cohort.natural_history()
    numbers = numbers_of(plan, "n_repeats", repeats)
    trees, performance = [], []
    for repeat in numbers:
        state = random_state(plan.seed, EXPERIMENT, cohort.name, repeat, "split")
        pipeline = {**pipeline_of(cohort, plan), "random_state": state}
        of_thesis = risk_groups(cohort.X, time, event, **pipeline)
        learnt = np.flatnonzero(of_thesis.training & of_thesis.labels.labelled)
        grid = _grid(cohort.X.iloc[learnt], of_thesis.labels.y[learnt], repeat, cohort.name, plan)
        best = grid[grid["chosen"]].iloc[0]
        parameters = {name: best[name] for name in _TUNED}
        pipeline["estimator"] = pipeline["estimator"].set_params(**parameters)
        of_tuned = risk_groups(cohort.X, time, event, **pipeline)
        both = dict(zip(METHODS, (of_thesis, of_tuned), strict=True))
        for method, of in both.items():
            tree, key = of.tree_, (cohort.name, repeat, method)
            root = cohort.X.columns[tree.feature[0]] if tree.n_leaves > 1 else ""
            trees.append((*key, tree.n_leaves, tree.depth, str(root), tree.to_json()))
            performance += [(*key, *line) for line in _performance(cohort.X, of)]
        if repeat == numbers[0]:
            groups, tuning = both, grid
    number = {method: numbered(of.tree_, of.leaf) for method, of in groups.items()}
    first = groups[METHODS[0]]
    patients = pd.DataFrame(
        {
            "dataset": cohort.name,
            "row": np.arange(len(time)),
            "training": first.training,
            "y": first.labels.y,
            "number": number["thesis"],
            "number_tuned": number["tuned"],
            "said": first.estimator.predict(cohort.X),
            "said_tuned": groups["tuned"].estimator.predict(cohort.X),
            "printed": printed_groups(cohort),
            "time": time,
            "event": event,
            "full_time": cohort.time,
            "full_event": cohort.event,
            "intervention": np.nan if cohort.intervention is None else cohort.intervention,
        }
    )
    of_first_repeat = slice(None if numbers[0] == 0 else 0)
    return {
        "patients": patients.iloc[of_first_repeat],
        "trees": ordered(trees, ORDER["trees"], "n_leaves", "depth", "root", "tree"),
        "tuning": sorted_(tuning, ORDER["tuning"]).iloc[of_first_repeat],
        "performance": ordered(performance, ORDER["performance"], "value", "n"),
    }


@step(outputs=("patients", "trees", "tuning", "performance"))
def merged(
    patients: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    tuning: Sequence[pd.DataFrame],
    performance: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Put what `learn` returns of the chunks of a cohort together, so that nothing tells how it
    was cut."""
    parts = {"patients": patients, "trees": trees, "tuning": tuning, "performance": performance}
    return {name: concat_sorted(frames, ORDER[name]) for name, frames in parts.items()}


_TUNED = ("confidence", "repetition_factor", "min_samples_leaf")


def pipeline_of(cohort: Cohort, plan) -> dict[str, Any]:
    """Parameters of `risk_groups` that stay the same for all repeats and permutations."""
    from hedgerow.survival import thesis_tree

    return {
        "horizon": cohort.horizon,
        "competing": plan.competing,
        "test_size": plan.test_size,
        "min_followed": plan.min_followed,
        "estimator": thesis_tree(**{name: getattr(plan, name) for name in _TUNED}),
    }


def numbered(tree, leaf: np.ndarray) -> np.ndarray:
    """Number of each patient's leaf, as figure 6.1 counts them: from the left, from 1; (n,) int."""
    from hedgerow.survival import leaf_numbers

    return pd.Series(leaf).map(leaf_numbers(tree)).to_numpy()


def printed_groups(cohort: Cohort) -> np.ndarray:
    """Leaf of figure 6.1 of simulated patients, 0 for others and where a value is missing."""
    from hedgerow.data.aortic_stenosis import leaf_of

    if cohort.name != SIMULATED:
        return np.zeros(len(cohort.X), dtype=int)
    is_complete = cohort.X[list(TESTED_VARIABLES)].notna().all(axis=1).to_numpy()
    return np.where(is_complete, leaf_of(cohort.X), 0)


#: Variables that figure 6.1 tests.
TESTED_VARIABLES = (
    *("ava", "vmax", "posterior_wall", "age", "serum_creatinine", "arterial_hypertension"),
    *("mean_gradient", "stroke_volume"),
)


def _grid(X: pd.DataFrame, y: np.ndarray, repeat: int, dataset: str, plan) -> pd.DataFrame:
    """Cross validation of the settings among which is tuned (thesis 6.2.2).

    Chosen are, of the settings whose mean F1 is within one standard error of the best, those with
    the fewest leaves; ties: higher F1, then the first of the grid.
    """
    from hedgerow.data import folds, n_folds_for, rng
    from hedgerow.survival import thesis_tree

    n_folds = n_folds_for(y, plan.n_folds)
    fold = folds(y, n_folds, rng(plan.seed, EXPERIMENT, dataset, repeat, "folds"))
    rows = []
    for values in itertools.product(plan.confidences, plan.repetition_factors, plan.leaf_sizes):
        scores, leaves = [], []
        for k in range(n_folds):
            learnt, judged = fold != k, fold == k
            fitted = thesis_tree(**dict(zip(_TUNED, values, strict=True)))
            fitted.fit(X[learnt], y[learnt])
            scores.append(metrics.macro_f1(y[judged], fitted.predict_proba(X[judged])))
            leaves.append(fitted.tree_.n_leaves)
        error = np.std(scores, ddof=1) / np.sqrt(n_folds)
        rows.append((dataset, repeat, *values, np.mean(scores), error, np.mean(leaves)))
    columns = ["dataset", "repeat", *_TUNED, "f1", "f1_error", "n_leaves"]
    grid = pd.DataFrame(rows, columns=columns)
    best = grid.loc[grid["f1"].idxmax()]
    near = grid[grid["f1"] >= best["f1"] - best["f1_error"] - 1e-12]
    chosen = near.sort_values(["n_leaves", "f1"], ascending=[True, False], kind="stable").index[0]
    return grid.assign(chosen=grid.index == chosen)


def _performance(X: pd.DataFrame, of) -> list[tuple]:
    """part, metric, value, n: of the patients whose class is known (table 6.2)."""
    from sklearn.metrics import precision_recall_fscore_support

    lines = []
    for part in PARTS[1:]:
        rows = np.flatnonzero(of.part(part) & of.labels.labelled)
        if not len(rows):
            continue
        y, y_pred = of.labels.y[rows], of.estimator.predict(X.iloc[rows])
        lines.append((part, "accuracy", float(np.mean(y == y_pred)), len(rows)))
        lines.append((part, "majority", float(max(y.mean(), 1 - y.mean())), len(rows)))
        shares = precision_recall_fscore_support(y, y_pred, labels=[0, 1], zero_division=np.nan)
        for code, name in enumerate(CLASSES):
            predicted, actual = int((y_pred == code).sum()), int(shares[3][code])
            lines.append((part, f"{name}_recall", float(shares[1][code]), actual))
            lines.append((part, f"{name}_precision", float(shares[0][code]), predicted))
            lines.append((part, f"{name}_f_score", float(shares[2][code]), predicted + actual))
    return lines


# ------------------------------------------------------------------------------------- permute


@step(
    *("competing", "confidence", "min_followed", "min_samples_leaf", "repetition_factor"),
    *("seed", "test_size"),
)
def permute(table: TidyTable, plan, permutations: Iterable[int] | None = None) -> pd.DataFrame:
    """How far leaves are apart where outcomes are dealt to the patients at random.

    Returns: dataset, permutation, part, n_leaves, n_selected, overall, against_all, against_rest,
    as `hedgerow.survival.separation` gives them.
    """
    from hedgerow.survival import permuted_separation

    cohort = cohort_of(table, plan)
    numbers = numbers_of(plan, "n_permutations", permutations)
    seeds = [random_state(plan.seed, EXPERIMENT, cohort.name, i, "permutation") for i in numbers]
    separations = permuted_separation(
        cohort.X, *cohort.natural_history(), seeds=seeds, **pipeline_of(cohort, plan)
    )
    separations["permutation"] = np.repeat(numbers, len(PARTS))
    separations.insert(0, "dataset", cohort.name)
    columns = ORDER["null"]
    return sorted_(separations[[*columns, *separations.columns.drop(columns)]], columns)


# ------------------------------------------------------------------------------------ describe


@step("n_bootstrap", "seed", outputs=("leaves", "treatment", "separation", "intervals"))
def describe(table: TidyTable, patients: pd.DataFrame, plan) -> dict[str, pd.DataFrame]:
    """Survival in each leaf, and of treated against untreated (thesis 6.2.3, 6.3).

    Returns: `leaves`: dataset, groups (`learnt_tree`, of simulated patients `printed_tree` as
    well), part, number (0: all patients), then as `leaf_survival`. `treatment`: dataset, groups,
    counted_from, number (0: all patients), then as `compare_groups`; without rows where nobody is
    treated. `separation`: of the learnt tree, dataset, then as `hedgerow.survival.separation`, and
    multivariate_logrank_p. `intervals`: of table 6.2, dataset, method, then as `share_intervals`:
    test patients of repeat 0 whose class is known.
    """
    from hedgerow.survival import HorizonLabels, RiskGroups, separation

    cohort = cohort_of(table, plan)
    y, number = (patients[name].to_numpy() for name in ("y", "number"))
    learnt = RiskGroups(None, patients["training"].to_numpy(), HorizonLabels(y, y >= 0), number)
    leaves, overall = [], {}
    for part in PARTS:
        adjusted = part == "all"
        survival = _leaves(cohort, patients, learnt.part(part), number, adjusted)
        overall[part] = survival.attrs["multivariate_logrank_p"]
        leaves.append(survival.assign(groups=LEARNT, part=part))
    treatment = _treatment(cohort, patients, number, LEARNT)
    printed = patients["printed"].to_numpy()
    if (printed > 0).any():
        leaves.append(
            _leaves(cohort, patients, printed > 0, printed).assign(groups=PRINTED, part="all")
        )
        treatment += _treatment(cohort, patients, printed, PRINTED)
    apart = separation(learnt, *cohort.natural_history())
    return {
        "leaves": _keyed(leaves, cohort.name, "leaves"),
        "treatment": _keyed(treatment, cohort.name, "treatment"),
        "separation": sorted_(
            apart.assign(dataset=cohort.name, multivariate_logrank_p=apart["part"].map(overall)),
            ORDER["separation"],
        ),
        "intervals": _intervals(cohort, patients, plan),
    }


def _keyed(frames: list[pd.DataFrame], dataset: str, name: str) -> pd.DataFrame:
    columns = ORDER[name]
    if not frames:
        return pd.DataFrame(columns=columns)
    whole = pd.concat(frames, ignore_index=True).assign(dataset=dataset)
    return sorted_(whole[[*columns, *whole.columns.drop(columns)]], columns)


def _leaves(
    cohort: Cohort, patients: pd.DataFrame, who: np.ndarray, number, adjusted: bool = True
) -> pd.DataFrame:
    """`leaf_survival` of some patients, after a row of all of them (number 0)."""
    from hedgerow.survival import FixedGroups, leaf_survival, logrank_one_by_one

    time, event = (patients[name].to_numpy()[who] for name in ("time", "event"))
    covariates = None
    if adjusted and cohort.covariates is not None:
        covariates = cohort.covariates[who].reset_index(drop=True)
    frames, people = [], {}
    if cohort.name == SIMULATED:
        from hedgerow.data.aortic_stenosis import life_table

        people = {"age": cohort.X["age"][who], "sex": cohort.X["gender"][who]}
        people["life_table"] = life_table()
    for leaf in (np.zeros(int(who.sum()), dtype=int), number[who]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notes of the table say what they say
            survival = leaf_survival(
                FixedGroups(leaf), None, time, event, covariates=covariates, **people
            )
        frames.append(survival.rename_axis("number").reset_index())
    tests = logrank_one_by_one(time, event == 1, number[who])
    chi2 = dict(zip(CHI2, (tests.against_all, tests.against_rest), strict=True))
    frames[1] = frames[1].assign(**chi2)
    # All patients are compared with nobody.
    everybody = [c for c in frames[0] if not c.startswith(_COMPARED) and frames[0][c].notna().all()]
    whole = pd.concat([frames[0][everybody], frames[1]], ignore_index=True)
    whole = whole.reindex(columns=frames[1].columns)
    whole.attrs = {"multivariate_logrank_p": survival.attrs["multivariate_logrank_p"]}
    return whole


_COMPARED = ("logrank", "cox", "hazard", "ph_p", "n_adjusted", "gray")


def _treatment(cohort: Cohort, patients: pd.DataFrame, number, groups: str) -> list[pd.DataFrame]:
    """`compare_groups` of all patients (number 0) and by leaf, for both ways of counting time."""
    from hedgerow.survival import FixedGroups, compare_groups

    if cohort.intervention is None:
        return []
    who = number > 0
    time, event, when = (
        patients[name].to_numpy()[who] for name in ("full_time", "full_event", "intervention")
    )
    frames = []
    # A treatment that is chosen at inclusion leaves no time to wait.
    ways = COUNTED_FROM[:1] if cohort.at_inclusion else COUNTED_FROM
    for counted_from, leaf in itertools.product(ways, (np.zeros(len(time), int), number[who])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = compare_groups(
                FixedGroups(leaf),
                None,
                time,
                event,
                when,
                landmark=0.0 if cohort.at_inclusion else cohort.landmark,
                counted_from=counted_from,
            )
        table = table.rename_axis("number").reset_index()
        frames.append(table.assign(groups=groups, counted_from=counted_from))
    return frames


def _intervals(cohort: Cohort, patients: pd.DataFrame, plan) -> pd.DataFrame:
    """Intervals of the performance of both trees in the test part of repeat 0."""
    from hedgerow.evaluation.shares import share_intervals

    who = ~patients["training"].to_numpy() & (patients["y"].to_numpy() >= 0)
    if not who.any():
        raise DataError(
            f"{cohort.name}: no patient of the test part is followed to the horizon or dead by "
            "then",
            remedy="give it another `horizon` in the registry, or leave it out",
        )
    frames = []
    for method, column in zip(METHODS, ("said", "said_tuned"), strict=True):
        state = random_state(plan.seed, EXPERIMENT, cohort.name, 0, f"intervals {method}")
        intervals = share_intervals(
            patients["y"].to_numpy()[who],
            patients[column].to_numpy()[who],
            classes=range(len(CLASSES)),
            n_bootstrap=plan.n_bootstrap,
            random_state=state,
        )
        names = [
            metric if code is None or pd.isna(code) else f"{CLASSES[int(code)]}_{METRICS[metric]}"
            for metric, code in zip(intervals["metric"], intervals.pop("class"), strict=True)
        ]
        frames.append(intervals.assign(metric=names, dataset=cohort.name, method=method))
    return pd.concat(frames, ignore_index=True)


#: What data/published calls the metrics of `share_intervals`.
METRICS = {"recall": "recall", "precision": "precision", "f": "f_score"}
