"""Tables of all answers to doubt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hedgerow.showing.figures import LOOKS
from hedgerow_study.experiments.cell_sources import ColumnSource, LineSources
from hedgerow_study.experiments.comparisons import CAPTION_TESTS, cells_of_comparisons
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    COMPARED,
    METHODS,
    PART,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.reporting.cells import NO_FORMULA, Cell, Rows
from hedgerow_study.reporting.tables import how_many, ran

#: What texts call learners.
LABELS = {
    **{name: LOOKS[name].label for name in METHODS if name in LOOKS},
    "confdtree": "ConfDTree",
    "e2m": "E2M",
    "eig": "EIG",
    "imputation": "C4.5 after kNN imputation",
    "optimal": "best tree",
    "uncertain_data_tree": "uncertain-data tree",
    "cart": "scikit-learn's tree",
    "forest": "random forest",
    "boosting": "gradient boosting",
    "logistic": "logistic regression",
}
CONDITION_LABELS = {
    "clean": "no uncertainty",
    "error": "errors, size given",
    "heavy_tails": "heavy-tailed errors",
    "wrong_size": "errors, given size off by 2×",
    "missing": "missing completely at random",
    "missing_not_at_random": "missing not at random",
    "uncertain_labels": "uncertain labels, given",
    "uncertain_labels_withheld": "uncertain labels, not given",
    "all": "all together",
}


def caption_values(rows: pd.DataFrame, plan: UncertaintyBenchmarkPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    each = how_many(plan.n_repeats, "repeat")
    caption = ran(rows["dataset"].unique(), plan.datasets, each, plan.configuration)
    levels = how_many(len(plan.levels), "level")
    settings = how_many(plan.n_settings, "setting")
    return {"ran": f"{caption} {levels} of doubt; each learner chooses from {settings}."}


def effects_sources(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Both sides of each comparison and its test; the interval of the differences."""
    yield from cells_of_comparisons(COMPARED, table, rows, PART)
    for row, line in enumerate(table.to_dict("records")):
        selection = {"condition": line["condition"], "metric": line["metric"]}
        both = [line["first"], line["second"]]
        where = Rows("rows", {"part": PART, **selection, "method": both})
        for column in ("low", "high"):
            if pd.notna(line[column]):
                yield Cell(row, column, NO_FORMULA, (where,))


@table(
    "Every learner beside C4.5 and beside the forest",
    caption="Shares in per cent, differences in percentage points with the 95 % CI of their mean "
    "over data sets (Student's t). "
    f"{CAPTION_TESTS.removesuffix('.')} within a condition. {{ran}}",
    caption_values=caption_values,
    sources=effects_sources,
)
def uncertainty_benchmark_effects(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: UncertaintyBenchmarkPlan
) -> pd.DataFrame:
    """What each learner gains over C4.5 and over the forest.

    Returns: as `Compared.table` gives it, with low and high.
    """
    frame = COMPARED.table(rows, statistics, PART)
    bounds = {}
    for metric in COMPARED.parts[PART].metrics:
        means = COMPARED.means(rows, PART, metric)
        for line in frame[frame["metric"] == metric].itertuples():
            one, two = (means[line.condition, side] for side in (line.first, line.second))
            bounds[line.Index] = interval((one - two).dropna().to_numpy())
    limits = pd.DataFrame.from_dict(bounds, orient="index", columns=["low", "high"])
    return frame.join(limits.astype(float).round(9))


def interval(differences: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Student's interval of a mean, (low, high); NaN of fewer than two values."""
    from scipy import stats

    n = len(differences)
    if n < 2:
        return np.nan, np.nan
    half = stats.t.isf((1 - level) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n)
    return differences.mean() - half, differences.mean() + half


CHOICE_LABELS = {
    "rule": "the rule of thumb",
    "best_single": "the one learner that is best on the others",
    "c45": "C4.5",
    "forest": "random forest",
    "hindsight": "the best of each case, in hindsight",
}
PEOPLE_LABELS = {
    "c45": "C4.5, errors not given",
    "c45_given": "C4.5, errors of the recording given",
    "uncertain_data_tree": "uncertain-data tree",
    "forest": "random forest",
}
#: Metrics of the illustration, and their unit.
PEOPLE_METRICS = {"accuracy": 100.0, "log_loss": 1.0, "changes": 100.0, "expected_changes": 100.0}


def recordings_caption(people: pd.DataFrame, plan: UncertaintyBenchmarkPlan) -> dict[str, str]:
    """Words of the caption of the illustration."""
    each = how_many(plan.n_people, "repeat")
    datasets = people["dataset"].unique()
    return {"ran": ran(datasets, [plan.people_dataset], each, plan.configuration)}


def honesty_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Accuracy on the data sets that were left out."""
    for row, line in enumerate(table.to_dict("records")):
        where = {"among": line["among"], "choice": line["choice"]}
        sources = (Rows("honesty", where, "accuracy"),)
        yield Cell(row, "accuracy", "mean", sources, 100.0)
        rule = Rows("honesty", {**where, "choice": "rule"}, "accuracy")
        if line["choice"] != "rule":
            for column in ("low", "high"):
                if pd.notna(line[column]):
                    yield Cell(row, column, NO_FORMULA, (*sources, rule))


@table(
    "A rule of thumb",
    caption="A tree of few leaves (E2M) learnt from how near each learner came to the best in "
    "each case, a data set in a condition: what to take by what is known beforehand. error: "
    "standard deviation of the errors, in those of a variable; missing, uncertain_labels: shares, "
    "0 where nobody tells; exact_training: 1 where doubt came after training; n_rows: of the "
    "training part. Accuracies on the cases of the leaf, means over data sets, in per cent: of "
    "what it recommends, of C4.5, of the forest, of the best in hindsight. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "leaves",
        ("among", "leaf"),
        dict.fromkeys(("n_cases", "n_datasets"), ColumnSource())
        | dict.fromkeys(
            ("accuracy", "accuracy_c45", "accuracy_forest", "accuracy_best"),
            ColumnSource(times=100.0),
        ),
    ),
)
def uncertainty_benchmark_rule(
    leaves: pd.DataFrame, rows: pd.DataFrame, plan: UncertaintyBenchmarkPlan
) -> pd.DataFrame:
    """Which learner to take, among readable trees and among all.

    Returns: its columns, accuracies in per cent.
    """
    frame = leaves.copy()
    for column in frame.columns[frame.columns.str.startswith("accuracy")]:
        frame[column] = 100.0 * frame[column]
    return frame.round(9)


@table(
    "How honest the rule is",
    caption="Accuracy on data sets that were left out when the rule was grown, mean over them "
    "(per cent), beside what else could be chosen without knowing them. Interval: 95 % CI of the "
    "mean difference to the rule over data sets (Student's t). {ran}",
    caption_values=caption_values,
    sources=honesty_sources,
)
def uncertainty_benchmark_honesty(
    honesty: pd.DataFrame, rows: pd.DataFrame, plan: UncertaintyBenchmarkPlan
) -> pd.DataFrame:
    """The rule on data sets that it has not seen.

    Returns: among, choice, accuracy, low, high (of the difference to the rule), n_datasets.
    """
    lines = []
    for among, group in honesty.groupby("among", sort=False):
        wide = 100.0 * group.pivot(index="dataset", columns="choice", values="accuracy")
        for choice in CHOICE_LABELS:
            if choice not in wide:
                continue
            apart = (wide[choice] - wide["rule"]).dropna().to_numpy()
            bounds = interval(apart) if choice != "rule" else (np.nan, np.nan)
            lines.append((among, choice, wide[choice].mean(), *bounds, len(apart)))
    columns = ["among", "choice", "accuracy", "low", "high", "n_datasets"]
    return pd.DataFrame(lines, columns=columns).round(9)


@table(
    "Real repeats: one recording is answered",
    caption="Several recordings of each person. Persons are divided; one recording of each test "
    "person is answered, and the others tell its errors. Accuracy in per cent and log loss over "
    "persons; changes: of the other recordings those that are answered otherwise, per cent; "
    "expected_changes: its probability by the explanation of the case, per cent. Means over "
    "repeats. {ran}",
    caption_values=recordings_caption,
    sources=LineSources(
        "people",
        ("method",),
        {
            metric: ColumnSource("mean", "value", times, {"metric": metric})
            for metric, times in PEOPLE_METRICS.items()
        },
    ),
)
def uncertainty_benchmark_people(
    people: pd.DataFrame, plan: UncertaintyBenchmarkPlan
) -> pd.DataFrame:
    """The benefit of giving learners real errors.

    Returns: method, accuracy, log_loss, changes, expected_changes, n_repeats.
    """
    wide = people.pivot_table(index="method", columns="metric", values="value", aggfunc="mean")
    wide = wide.reindex(index=[m for m in PEOPLE_LABELS if m in wide.index])
    wide = wide.reindex(columns=list(PEOPLE_METRICS))
    wide *= pd.Series(PEOPLE_METRICS)
    frame = wide.rename_axis(columns=None).reset_index()
    frame["n_repeats"] = people["repeat"].nunique()
    return frame.round(9)
