"""Tables of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import pandas as pd

from hedgerow_study.experiments.cell_sources import Selector
from hedgerow_study.experiments.comparisons import CAPTION_TESTS, Key, Place, cells_of_comparisons
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.survival_baselines.plan import (
    COMPARED,
    MODELS,
    OF_WAYS,
    SCORES,
    WAYS,
    SurvivalBaselinesPlan,
)
from hedgerow_study.extensions.survival_baselines.statistics import by_group, rows_of
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import MEAN, how_many, in_rows, ran

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


def caption_values(measured: Frames, plan: SurvivalBaselinesPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    available = set(measured["scores"]["dataset"])
    each = how_many(plan.n_repeats, "repeat")
    forest = f"{plan.library}, {plan.n_trees} trees"
    if plan.library == "absent":
        forest = "not installed (extra forests)"
    return {
        "ran": ran(available, plan.datasets, each, plan.configuration),
        "forest": f"Random survival forest: {forest}.",
        "penalty": f"{plan.penalty:g}",
    }


def _status(frame: pd.DataFrame, plan: SurvivalBaselinesPlan, names: Iterable[str]) -> pd.DataFrame:
    """With a row for each cohort that is absent, which has its name and status only."""
    names = set(names)
    gone = [name for name in sorted(plan.datasets) if name not in names]
    rows = frame.assign(status="run")
    if gone:
        lines = pd.DataFrame({"dataset": gone, "status": "absent"})
        rows = pd.concat([rows, lines.reindex(columns=rows.columns)], ignore_index=True)
    return rows


def _by_cohort(of_metric, metrics, groups) -> pd.DataFrame:
    """A row per metric and cohort with the value of each group, and one for the mean; metrics in
    their order.
    """
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


def _cell_sources(
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
                source = Rows(f"measured/{of}", {**where, group: name}, value)
                yield Cell(row, name, "mean_of_means", (source,), by=("dataset",))


def _place(part: str, metric: str, key: Key, measured: Mapping[str, Selector]) -> Place:
    """Where the values stand that `rows_of` of the statistics takes."""
    (method,) = key
    of, where, value = {
        "scores": ("scores", {"metric": metric, "model": method}, "value"),
        "weights": ("weights", {"way": method}, metric),
        "calibration": ("weights", {"way": metric}, method),
    }[part]
    return Place(Rows(f"measured/{of}", where, value), measured[of], ("dataset", "repeat"))


def comparisons_sources(table: pd.DataFrame, measured: Frames) -> Iterator[Cell]:
    """Both sides of each comparison, and its test."""
    select = {name: Selector(frame) for name, frame in measured.items()}
    place = partial(_place, measured=select)
    return cells_of_comparisons(COMPARED, table, rows_of(measured), place=place)


def scores_sources(table: pd.DataFrame, measured: Frames) -> Iterator[Cell]:
    """Scores of every model."""
    return _cell_sources("scores", table, measured["scores"], "model", MODELS)


def weights_sources(table: pd.DataFrame, measured: Frames) -> Iterator[Cell]:
    """What each way of taking the censored gives."""
    return _cell_sources("weights", table, measured["weights"], "way", WAYS)


@table(
    "Trees against other models of survival",
    caption="Test patients: Harrell's concordance and the area under the time-dependent curve at "
    "the horizon, higher is better, 0.5 says nothing; the Brier score integrated up to the "
    "horizon, lower is better. The risk of a tree's patient is the share with the event by the "
    "horizon in their leaf, by Kaplan-Meier of the training patients there. Cox model: ridge "
    "penalty {penalty}, missing values by the median of the training part. {forest} "
    f"{MEANS} {{ran}}",
    caption_values=caption_values,
    sources=scores_sources,
)
def survival_baselines_scores(measured: Frames, plan: SurvivalBaselinesPlan) -> pd.DataFrame:
    """Scores of trees, a Cox model and a random survival forest.

    Returns: metric, dataset, a column per model, <model>_note where there is no value, status.
    """
    rows = measured["scores"]
    frame = _by_cohort(
        lambda metric: by_group(rows[rows["metric"] == metric], "value", "model"),
        SCORES,
        MODELS,
    )
    notes = rows[rows["note"] != ""].drop_duplicates(["dataset", "model"])
    notes = notes.set_index(["dataset", "model"])["note"]
    for model in ("cox", "forest"):
        frame[f"{model}_note"] = [notes.get((dataset, model), "") for dataset in frame["dataset"]]
    return _status(frame, plan, rows["dataset"])


@table(
    "Weights for the censored",
    caption="Trees with the settings of the thesis, learnt without the censored (left_out), as in "
    "the thesis, and with weights by the inverse probability of censoring (weighted); where causes "
    "compete, both with another event as survival of the one in question. On the same test "
    "patients: accuracy and macro F1 where the class is known, accuracy weighted for the censored, "
    "concordance, leaves, the share with the event that is predicted on average, and how far it is "
    "from that of Kaplan-Meier at the horizon (distance; incidence: Aalen-Johansen where other "
    f"causes are survival). {MEANS} {{ran}}",
    caption_values=caption_values,
    sources=weights_sources,
)
def survival_baselines_weights(measured: Frames, plan: SurvivalBaselinesPlan) -> pd.DataFrame:
    """What weights for the censored change.

    Returns: metric (`incidence` and `same_root`, the share of the repeats with the root of
    left_out, among them), dataset, a column per way, status.
    """
    rows = measured["weights"]
    base = rows[rows["way"] == "left_out"].set_index(["dataset", "repeat"])["root"]
    roots = base.reindex(pd.MultiIndex.from_frame(rows[["dataset", "repeat"]])).to_numpy()
    rows = rows.assign(same_root=(rows["root"].to_numpy() == roots).astype(float))
    metrics = (*OF_WAYS, "incidence", "same_root")
    frame = _by_cohort(lambda metric: by_group(rows, metric, "way"), metrics, WAYS)
    return _status(frame, plan, rows["dataset"])


@table(
    "All comparisons",
    caption="What is compared with what, by part: scores (models), weights (ways to take the "
    "censored) and calibration (the share with the event that is predicted, and what it is, for "
    f"two ways). {CAPTION_TESTS} Of the share that is predicted, which is neither better nor "
    "worse: above and below. {ran}",
    caption_values=caption_values,
    sources=comparisons_sources,
)
def survival_baselines_comparisons(
    measured: Frames, statistics: pd.DataFrame, plan: SurvivalBaselinesPlan
) -> pd.DataFrame:
    """Tests of models and weights.

    Returns: as `Compared.table` gives it, of all parts; a data set is a cohort.
    """
    return COMPARED.table(rows_of(measured), statistics)
