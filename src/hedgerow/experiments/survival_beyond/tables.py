"""Tables of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import pandas as pd

from hedgerow.experiments.behind import Selector
from hedgerow.experiments.compared import TESTED, Key, Place, cells_behind
from hedgerow.experiments.step import table
from hedgerow.experiments.survival_beyond.errors import COLUMNS, table_of
from hedgerow.experiments.survival_beyond.plan import (
    COMPARED,
    MODELS,
    OF_REPEATS,
    OF_SAMPLES,
    OF_WAYS,
    SCORES,
    SETTINGS,
    TREES,
    WAYS,
    SurvivalBeyondPlan,
)
from hedgerow.experiments.survival_beyond.statistics import by_group, rows_of
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.tables import MEAN, how_many, in_rows, ran

MODEL_LABELS = {
    "thesis": "Tree, thesis' settings",
    "tuned": "Tree, tuned",
    "cox": "Cox model",
    "forest": "Random survival forest",
    "nobody": "One curve for all",
}
SCORE_LABELS = {
    "concordance": "Concordance",
    "auc": "Area under the curve at the horizon",
    "brier": "Integrated Brier score",
}
WAY_LABELS = {
    "left_out": "left out",
    "weighted": "weighted",
    "survived": "left out, other causes as survival",
    "survived_weighted": "weighted, other causes as survival",
}
TREE_LABELS = {"c45": "C4.5", "se": "C4.5, soft evaluation", "soft": "soft tree"}
REPEAT_LABELS = {
    "group_changed": "Another risk group",
    "class_changed": "Another predicted class",
    "risk_changed": "Mean change of the predicted risk",
    "accuracy": "Accuracy",
    "f1": "Macro F1",
    "n_leaves": "Leaves",
}


def said(measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    measured : mapping of DataFrame
        `scores`, `weights`, `measurement` and `stability`, of
        `hedgerow.experiments.survival_beyond.statistics.merged`.
    plan : SurvivalBeyondPlan

    Returns
    -------
    dict of str
    """
    there = set(measured["scores"]["dataset"])
    each = how_many(plan.n_splits, "division")
    forest = f"{plan.library}, {plan.n_trees} trees"
    if plan.library == "absent":
        forest = "not installed (extra forests)"
    unknown = sorted(there - set(measured["measurement"]["dataset"]))
    left_out = f" Without a variable of known error: {', '.join(unknown)}." if unknown else ""
    samples = how_many(plan.n_bootstrap, "bootstrap sample")
    return {
        "ran": ran(there, plan.datasets, each, plan.configuration),
        "sampled": ran(there, plan.datasets, samples, plan.configuration),
        "forest": f"Random survival forest: {forest}.",
        "penalty": f"{plan.penalty:g}",
        "repeats": how_many(plan.n_repeats, "repetition"),
        "left_out": left_out,
    }


def _status(frame: pd.DataFrame, plan: SurvivalBeyondPlan, there: Iterable[str]) -> pd.DataFrame:
    """With a row for each cohort that is absent, which has its name and status only."""
    there = set(there)
    gone = [name for name in sorted(plan.datasets) if name not in there]
    rows = frame.assign(status="run")
    if gone:
        lines = pd.DataFrame({"dataset": gone, "status": "absent"})
        rows = pd.concat([rows, lines.reindex(columns=rows.columns)], ignore_index=True)
    return rows


def _by_cohort(of_metric, metrics, groups) -> pd.DataFrame:
    """A row per metric and cohort with the value of each group, and one for the mean; metrics in
    their order."""
    lines = []
    for metric in metrics:
        wide = of_metric(metric).reindex(columns=list(groups)).astype(float)
        for dataset, values in wide.iterrows():
            lines.append({"metric": metric, "dataset": dataset, **values.to_dict()})
        lines.append({"metric": metric, "dataset": MEAN, **wide.mean().to_dict()})
    frame = pd.DataFrame(lines)
    last = (frame["dataset"] == MEAN).astype(int)
    frame = in_rows(frame.assign(_last=last), {"metric": metrics, "_last": None, "dataset": None})
    return frame.drop(columns="_last").round(9)


#: What a table of values says of its last rows.
MEANS = "A mean is over the cohorts that have the value; its tests stand among the comparisons."


def _behind(
    of: str, table: pd.DataFrame, rows: pd.DataFrame, group: str, names: Iterable[str]
) -> Iterator[Cell]:
    """Values of each group of each cohort, and means over cohorts."""
    scores = of == "scores"
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["metric"]) or line["metric"] == "same_root":
            continue
        value = "value" if scores else line["metric"]
        where = {"metric": line["metric"]} if scores else {}
        if line["dataset"] != MEAN:
            where["dataset"] = line["dataset"]
        for name in names:
            if pd.notna(line[name]):
                own = Rows(f"measured/{of}", {**where, group: name}, value)
                yield Cell(row, name, "mean_of_means", (own,), by=("dataset",))


def _place(part: str, metric: str, key: Key, measured: Mapping[str, Selector]) -> Place:
    """Where the values of `hedgerow.experiments.survival_beyond.statistics.rows_of` stand."""
    (method,) = key
    of, where, value = {
        "scores": ("scores", {"metric": metric, "model": method}, "value"),
        "weights": ("weights", {"way": method}, metric),
        "calibration": ("weights", {"way": metric}, method),
        "measurement": ("measurement", {"tree": method}, metric),
        "stability": ("stability", {"settings": method}, metric),
    }[part]
    by = ("dataset",) if part == "stability" else ("dataset", "split")
    return Place(Rows(f"measured/{of}", where, value), measured[of], by)


def behind_comparisons(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Both sides of each comparison, and its test."""
    select = {name: Selector(frame) for name, frame in measured.items()}
    place = partial(_place, measured=select)
    return cells_behind(COMPARED, table, rows_of(measured), place=place)


def behind_scores(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Scores of every model."""
    return _behind("scores", table, measured["scores"], "model", MODELS)


def behind_weights(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """What each way of taking the censored gives."""
    return _behind("weights", table, measured["weights"], "way", WAYS)


def behind_errors(table: pd.DataFrame) -> Iterator[Cell]:
    """Errors of measurement are read from the literature: no row of the run stands behind them."""
    yield from ()


def behind_measurement(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """What repeated measurements change for each tree."""
    return _behind("measurement", table, measured["measurement"], "tree", TREES)


def behind_stability(table: pd.DataFrame) -> Iterator[Cell]:
    """Trees of bootstrap samples, and means over cohorts."""
    numbers = [*OF_SAMPLES, "between"]
    for row, line in enumerate(table.to_dict("records")):
        own = {"settings": line["settings"]}
        if line["dataset"] != MEAN:
            own["dataset"] = line["dataset"]
        for name in numbers:
            if pd.notna(line[name]):
                yield Cell(row, name, "mean", (Rows("measured/stability", own, name),))


@table(
    "Trees against other models of survival",
    caption="Test patients: Harrell's concordance and the area under the time-dependent curve at "
    "the horizon, higher is better, .5 says nothing; the Brier score integrated up to the horizon, "
    "lower is better. The risk of a tree's patient is the share with the event by the horizon in "
    "their leaf, by Kaplan-Meier of the training patients there. Cox model: ridge penalty "
    "{penalty}, missing values by the median of the training part. {forest} "
    f"{MEANS} {{ran}}",
    words=said,
    behind=behind_scores,
)
def survival_beyond_scores(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> pd.DataFrame:
    """Scores of trees, a Cox model and a random survival forest.

    Parameters
    ----------
    measured : mapping of DataFrame
        `scores` is read.
    plan : SurvivalBeyondPlan

    Returns
    -------
    DataFrame
        metric, dataset, a column per model, <model>_note where there is no value, status.
    """
    rows = measured["scores"]
    found = _by_cohort(
        lambda metric: by_group(rows[rows["metric"] == metric], "value", "model"),
        SCORES,
        MODELS,
    )
    notes = rows[rows["note"] != ""].drop_duplicates(["dataset", "model"])
    notes = notes.set_index(["dataset", "model"])["note"]
    for model in ("cox", "forest"):
        found[f"{model}_note"] = [notes.get((dataset, model), "") for dataset in found["dataset"]]
    return _status(found, plan, rows["dataset"])


@table(
    "Weights for the censored",
    caption="Trees with the settings of the thesis, learnt without the censored (left_out), as in "
    "the thesis, and with weights by the inverse probability of censoring (weighted); where causes "
    "compete, both with another event as survival of the one in question. On the same test "
    "patients: accuracy and macro F1 where the class is known, accuracy weighted for the censored, "
    "concordance, leaves, the share with the event that is predicted on average, and how far it is "
    "from that of Kaplan-Meier at the horizon (distance; incidence: Aalen-Johansen where other "
    f"causes are survival). {MEANS} {{ran}}",
    words=said,
    behind=behind_weights,
)
def survival_beyond_weights(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> pd.DataFrame:
    """What weights for the censored change.

    Parameters
    ----------
    measured : mapping of DataFrame
        `weights` is read.
    plan
        As in `survival_beyond_scores`.

    Returns
    -------
    DataFrame
        metric (`incidence` and `same_root`, the share of the divisions with the root of left_out,
        among them), dataset, a column per way, status.
    """
    rows = measured["weights"]
    base = rows[rows["way"] == "left_out"].set_index(["dataset", "split"])["root"]
    roots = base.reindex(pd.MultiIndex.from_frame(rows[["dataset", "split"]])).to_numpy()
    rows = rows.assign(same_root=(rows["root"].to_numpy() == roots).astype(float))
    metrics = (*OF_WAYS, "incidence", "same_root")
    found = _by_cohort(lambda metric: by_group(rows, metric, "way"), metrics, WAYS)
    return _status(found, plan, rows["dataset"])


@table(
    "Errors of measurement",
    caption="Standard deviation of one measurement about its mean over repetitions: in the unit of "
    "the column (absolute) or as a share of the value (relative), with where it is taken from. "
    "Which value stands for which column, and that the error is normal, is our choice. Cohorts of "
    "this run.",
    behind=behind_errors,
)
def survival_beyond_errors(measured: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Errors of measurement by cohort and variable.

    Parameters
    ----------
    measured : mapping of DataFrame
        `measurement` is read: which cohorts were run.

    Returns
    -------
    DataFrame
        As `hedgerow.experiments.survival_beyond.errors.table_of`.
    """
    return table_of(set(measured["measurement"]["dataset"]) & set(COLUMNS))


@table(
    "Measurements that are repeated",
    caption="Test patients whose measurements are repeated with the error of the table above, "
    "{repeats}: the share who change their risk group (leaf; of a soft tree that with the largest "
    "share), the share who change their predicted class, and the mean change of the predicted "
    "risk, for C4.5 with the settings of the thesis, the same tree with soft evaluation by "
    "these errors (se), and one with soft training propagation as well (soft); accuracy and macro "
    "F1 of the values as they are recorded. Recorded values hold an error themselves, so that two "
    f"real measurements differ by more. {MEANS} {{ran}}{{left_out}}",
    words=said,
    behind=behind_measurement,
)
def survival_beyond_measurement(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> pd.DataFrame:
    """Patients who change their group when measurements are repeated.

    Parameters
    ----------
    measured : mapping of DataFrame
        `measurement` is read.
    plan
        As in `survival_beyond_scores`.

    Returns
    -------
    DataFrame
        metric (n_known: tests of a variable with a known error; n_tests), dataset, a column per
        tree, status.
    """
    rows = measured["measurement"]
    if rows.empty:
        return pd.DataFrame(columns=["metric", "dataset", *TREES, "status"])
    found = _by_cohort(
        lambda metric: by_group(rows, metric, "tree"),
        (*OF_REPEATS, "n_tests", "n_known"),
        TREES,
    )
    return _status(found, plan, measured["scores"]["dataset"])


@table(
    "Trees of bootstrap samples",
    caption="Trees of bootstrap samples of each cohort, with the settings of the thesis and the "
    "tuned ones: edit distance (B2, Spearman) between two trees, the same per test of both (at "
    "most 1, for trees that share nothing), tests, share of the patients whom two trees put into "
    "different classes (d_p), share of the trees with the most frequent variable at the root, and "
    "the range of its thresholds, with the share of the patients who lie within it (between). "
    f"{MEANS} {{sampled}}",
    words=said,
    behind=behind_stability,
)
def survival_beyond_stability(
    measured: Mapping[str, pd.DataFrame], plan: SurvivalBeyondPlan
) -> pd.DataFrame:
    """How far trees of bootstrap samples are from each other.

    Parameters
    ----------
    measured : mapping of DataFrame
        `stability` is read.
    plan
        As in `survival_beyond_scores`.

    Returns
    -------
    DataFrame
        dataset, settings, as `hedgerow.experiments.survival_beyond.steps.stability` gives them,
        then a row per settings for the mean; status.
    """
    rows = measured["stability"]
    numbers = [*OF_SAMPLES, "between"]
    lines = []
    for name in SETTINGS:
        own = rows[rows["settings"] == name]
        line = {"dataset": MEAN, "settings": name, **own[numbers].mean().to_dict()}
        lines.append(line)
    found = pd.concat([rows, pd.DataFrame(lines)], ignore_index=True).round(9)
    return _status(found, plan, rows["dataset"])


@table(
    "All comparisons",
    caption="What is compared with what, by part: scores (models), weights (ways to take the "
    "censored), calibration (the share with the event that is predicted, and what it is, for two "
    "ways), measurement (trees of repeated measurements) and stability (tuned settings against "
    f"those of the thesis). {TESTED} Of the share that is predicted, which is neither better nor "
    "worse: above and below. {ran}{left_out}",
    words=said,
    behind=behind_comparisons,
)
def survival_beyond_comparisons(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SurvivalBeyondPlan
) -> pd.DataFrame:
    """Tests of models, weights, repeated measurements and settings.

    Parameters
    ----------
    measured : mapping of DataFrame
        `scores`, `weights`, `measurement` and `stability`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.survival_beyond.statistics.merged`.
    plan : SurvivalBeyondPlan

    Returns
    -------
    DataFrame
        As `Compared.table` gives it, of all parts; a data set is a cohort.
    """
    return COMPARED.table(rows_of(measured), statistics)
