"""Tables of experiments 1 and 2 of the thesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.evaluation.metrics import standardised
from hedgerow_study.experiments.cell_sources import counts, test_cells
from hedgerow_study.experiments.comparisons import MEASURED
from hedgerow_study.experiments.soft.plan import (
    CELL,
    COMBINED,
    EXPERIMENTS,
    METHODS,
    PRINTED,
    RECIPES,
    SCORES,
    TABLE_3_1,
    SoftPlan,
)
from hedgerow_study.experiments.soft.statistics import missing, of_table_3_1, score_means, too_few
from hedgerow_study.experiments.step import step, table
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import MEAN, in_rows, p_columns, status

N_TABLE_3_1 = len(TABLE_3_1)

#: Word of data/published for an experiment.
CRITERION = {"training_noise": "train_noise", "test_noise": "test_noise"}

#: Metrics of tables 3.4 and 3.5 in printed order: (metric, metric in rows, unit, factor to unit).
TABLE_METRICS = (
    ("n_leaves_std", "n_leaves", "sd", 1.0),
    ("n_leaves_diff_c45", "n_leaves", "leaves", 1.0),
    ("accuracy_std", "accuracy", "sd", 1.0),
    ("accuracy_diff_c45", "accuracy", "percentage_points", 100.0),
)

#: Metrics in their own unit. Averages over data sets mean nothing here (thesis 3.4.2), so that
#: they stand in the rows of single data sets only.
ADDED_METRICS = (
    ("n_leaves", "n_leaves", "leaves", 1.0),
    ("accuracy", "accuracy", "percent", 100.0),
)

#: Unit of each score's difference and the factor to it.
UNITS = {
    "accuracy": ("percentage_points", 100.0),
    "macro_f1": ("percentage_points", 100.0),
    "brier": ("score", 1.0),
}


# ------------------------------------------------------------------------------------ tables


AVERAGES = (
    "Averages over data sets: measured, and the published value below it. Standardised: in "
    "standard deviations of C4.5 without added noise, per data set. Bold: p < 0.001. The "
    "differences in running time of the printed table depend on the machine and are in a file "
    "of their own, data/jobs/soft/running_times.csv."
)


def caption_values(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    available = set(rows["dataset"])
    members = [d for d in TABLE_3_1.values() if d in available]
    ran = (
        f"Run: {len(members)} of the {N_TABLE_3_1} data sets of table 3.1 "
        f"({', '.join(members) or 'none'}), {plan.n_repeats} repeats each, "
        f"configuration {plan.configuration}; the paper has {N_TABLE_3_1} data sets and 30 "
        "repeats."
    )
    drawn = ran
    if not members:
        drawn += f" Drawn are the data sets of this run: {', '.join(sorted(available))}."
    return {
        "ran": ran,
        "drawn": drawn,
        "n_folds": str(plan.n_folds),
        "grid": ", ".join(f"{u:g}" for u in plan.uncertainties),
        "configuration": plan.configuration,
        "calibrated_on": {
            "repeats": f"the training parts of {plan.n_calibrated} repeats (a synthetic "
            "set: of its samples)",
            "folds": f"the folds of a {plan.n_folds}-fold cross validation on the whole set, test "
            "rows included",
        }[plan.calibration],
    }


def sizes(tables: Iterable) -> pd.DataFrame:
    """Sizes of tidy tables as they are.

    Returns: dataset, n_variables, n_instances (of one sample, for the synthetic sets), n_sets,
    n_classes; one row per table, sorted by data set.
    """
    rows = []
    for one in tables:
        n_sets = 1 if one.sample is None else len(np.unique(one.sample))
        n_rows = len(one.y) // n_sets
        rows.append((one.name, one.X.shape[1], n_rows, n_sets, len(one.classes)))
    columns = ["dataset", "n_variables", "n_instances", "n_sets", "n_classes"]
    return pd.DataFrame(rows, columns=columns).sort_values("dataset", ignore_index=True)


def sizes_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 3.1 rests on the data sets themselves, and on their calibration."""
    for row, line in enumerate(table.itertuples(index=False)):
        if line.status != "run":
            continue
        where = {"dataset": line.dataset}
        yield Cell(row, "n_variables", "same", (Rows("tidy", where, "n_variables"),))
        yield Cell(row, "n_instances", "n_rows", (Rows("tidy", {**where, "sample": 0}, "class"),))
        for column, of in (("n_sets", "sample"), ("n_classes", "class")):
            yield Cell(row, column, "n_distinct", (Rows("tidy", where, of),))
        for column in ("target_leaves", "confidence", "mean_leaves", "reached"):
            yield Cell(row, column, "value", (Rows("calibrated", where, column),))


@table(
    "data sets",
    caption="Data sets as used here, and in grey as printed in table 3.1. The pruning confidence "
    "c is calibrated without noise on {calibrated_on}; leaves are the mean over these trees at "
    "this c, below it the number aimed at. "
    "Configuration {configuration}.",
    caption_values=caption_values,
    sources=sizes_sources,
)
def thesis_table_3_1(
    tidy: Sequence[TidyTable],
    calibrated: pd.DataFrame,
    published: Mapping[str, pd.DataFrame],
    plan: SoftPlan,
) -> pd.DataFrame:
    """Table 3.1: data sets as printed and as used, with their calibrated confidence."""
    return of_sizes(sizes(tidy), calibrated, published["thesis_table_3_1"], plan)


def of_sizes(
    sizes: pd.DataFrame, calibrated: pd.DataFrame, published: pd.DataFrame, plan: SoftPlan
) -> pd.DataFrame:
    """Table 3.1 from the sizes of its data sets.

    Returns: printed (name in the thesis, empty outside table 3.1), dataset, status (`run`,
    `absent`: asked for but no source answered, `not asked for`: not in this configuration), then
    each of n_variables, n_instances, n_sets, n_classes as measured and as printed, then
    target_leaves, confidence, mean_leaves, reached. Printed order, then sets of our own.
    """
    printed = published.pivot(index="dataset", columns="metric", values="value")
    names = _printed_names(published)
    sizes = sizes.set_index("dataset")
    calibrated = calibrated.set_index("dataset")
    outside = sorted(set(plan.datasets) - set(TABLE_3_1.values()))
    rows = []
    for key, dataset in [*TABLE_3_1.items(), *((None, d) for d in outside)]:
        row = {"printed": names.get(key, ""), "dataset": dataset}
        row["status"] = status(dataset, sizes.index, plan.datasets)
        for metric in ("n_variables", "n_instances", "n_sets", "n_classes"):
            row[metric] = sizes[metric].get(dataset)
            value = printed[metric].get(key) if key else None
            if metric == "n_sets" and key and pd.isna(value):
                value = 1  # the column is printed for the synthetic sets only
            row[f"{metric}_published"] = None if value is None else pd.to_numeric(value)
        for column in ("target_leaves", "confidence", "mean_leaves", "reached"):
            row[column] = calibrated[column].get(dataset)
        rows.append(row)
    frame = pd.DataFrame(rows)
    counts = [c for c in frame.columns if c.startswith("n_")]
    frame[counts] = frame[counts].astype("Int64")
    return frame


def _printed_names(published_3_1: pd.DataFrame) -> dict[str, str]:
    """Names of the data sets as printed in table 3.1, by published key."""
    notes = published_3_1[published_3_1["metric"] == "source"]
    names = notes["note"].str.extract(r"name printed: (.*)")[0]
    return dict(zip(notes["dataset"], names, strict=True))


def noise_sources(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Table 3.4 rests on the rows of experiment 1, table 3.5 on those of experiment 2."""
    experiments = dict(zip(("thesis_table_3_4", "thesis_table_3_5"), EXPERIMENTS, strict=True))
    return _cell_sources(experiments[identifier], table, rows)


def combined_sources(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Combinations, of either experiment."""
    for experiment in EXPERIMENTS:
        yield from _cell_sources(experiment, table[table["experiment"] == experiment], rows)


def tree_key(keys: Mapping[str, Any], rows: pd.DataFrame) -> dict[str, Any]:
    """The tree that gave a row: experiment 2 reads trees grown without noise, and a method of
    evaluation alone reads the trees of C4.5."""
    cell = rows[rows["metric"] == "uncertainty"]
    for column in CELL:
        cell = cell[cell[column] == keys[column]]
    learner = RECIPES[keys["method"]].learner
    return {
        "repeat": keys["repeat"],
        "training_noise": keys["noise"] if keys["experiment"] == "training_noise" else 0.0,
        "method": learner,
        "uncertainty": 0.0 if learner == "c45" or cell.empty else float(cell["value"].iloc[0]),
    }


def _cell_sources(experiment: str, table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    available = set(rows["dataset"])
    members = [d for d in TABLE_3_1.values() if d in available]
    of = {metric: (raw, to_unit) for metric, raw, _, to_unit in (*ADDED_METRICS, *TABLE_METRICS)}
    pairings = {"p": ("datasets", "none"), "p_holm": ("datasets", "holm")}
    pairings |= {"p_pairs": ("repeats", "none"), "p_pairs_holm": ("repeats", "holm")}
    for line in table.itertuples():
        metric, to_unit = of[line.metric]
        left_out = line.left_out.split(";")
        sets = [d for d in members if d not in left_out] if line.dataset == MEAN else [line.dataset]
        cell = {"experiment": experiment, "metric": metric, "noise": line.noise}
        source = Rows("rows", {**cell, "method": line.method, "dataset": sets})
        c45 = {**cell, "method": "c45", "dataset": sets}
        if line.metric == metric:
            yield Cell(line.Index, "measured", "mean", (source,), to_unit)
        elif line.metric.endswith("_std"):
            unit = Rows("rows", {**c45, "noise": 0.0})
            yield Cell(line.Index, "measured", "standardised", (source, unit), by=("dataset",))
        else:
            pair = (source, Rows("rows", c45))
            by = ("dataset", "repeat")
            yield Cell(line.Index, "measured", "mean_difference", pair, to_unit, by)
        yield Cell(line.Index, "n_datasets", "n_of_means", (source,), by=("dataset",))
        for column, (pairing, correction) in pairings.items():
            if pd.notna(getattr(line, column)):
                test = {**cell, "metric": line.metric, "method": line.method}
                test |= {"pairing": pairing, "correction": correction}
                yield Cell(line.Index, column, "value", (Rows("statistics", test, "p"),))


@table(
    "noise in training data",
    caption=f"Experiment 1, noise in the training data. {AVERAGES} {{ran}}",
    caption_values=caption_values,
    sources=noise_sources,
    tree=tree_key,
)
def thesis_table_3_4(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    published: Mapping[str, pd.DataFrame],
    plan: SoftPlan,
) -> pd.DataFrame:
    """Table 3.4: experiment 1, noise in the training data.

    Returns: one row per metric, method, noise factor and data set. `dataset` is
    `mean_over_datasets` for the average over the sets of table 3.1 that were run, which alone has a
    published value and p-values, or one data set, which has leaves and accuracy as they are as
    well. Columns: metric, unit, method, dataset, in_table_3_1, noise, measured, published,
    n_datasets, of_datasets (20), p and p_holm (pairs are means of data sets), p_pairs and
    p_pairs_holm (pairs are repeats of data sets), left_out (sets whose baseline does not vary
    in this metric) and missing (sets of table 3.1 that were not run), each separated by semicolons.
    """
    return _noise_table("training_noise", PRINTED, rows, statistics, published["thesis_table_3_4"])


@table(
    "noise in test data",
    caption=f"Experiment 2, noise in the test data. {AVERAGES} {{ran}}",
    caption_values=caption_values,
    sources=noise_sources,
    tree=tree_key,
)
def thesis_table_3_5(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    published: Mapping[str, pd.DataFrame],
    plan: SoftPlan,
) -> pd.DataFrame:
    """Table 3.5: experiment 2, noise in the test data. As `thesis_table_3_4` otherwise."""
    return _noise_table("test_noise", PRINTED, rows, statistics, published["thesis_table_3_5"])


@table(
    "combinations of SS, STP and SE",
    caption="Averages over data sets, in standard deviations of C4.5 without added noise and as "
    "differences to C4.5. {ran}",
    caption_values=caption_values,
    sources=combined_sources,
    tree=tree_key,
)
def soft_combined(rows: pd.DataFrame, statistics: pd.DataFrame) -> pd.DataFrame:
    """Combinations of SS, STP and SE, which the thesis leaves to future work (3.6).

    Returns: as `thesis_table_3_4` without published values, for both experiments (first column);
    beside the combinations their parts, which are tested in tables 3.4 and 3.5 and have no p here.
    No rows when no combination was run.
    """
    methods = ("c45", "ss", "stp", "se", *COMBINED)
    # The parts are tested in tables 3.4 and 3.5.
    tests = statistics.assign(p=statistics["p"].where(statistics["method"].isin(COMBINED)))
    frames = []
    for experiment in EXPERIMENTS:
        frame = _noise_table(experiment, methods, rows, tests, None)
        frame.insert(0, "experiment", experiment)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    return table if rows["method"].isin(COMBINED).any() else table.iloc[:0]


@step()
def soft_by_uncertainty(rows: pd.DataFrame) -> pd.DataFrame:
    """Leaves and accuracy against C4.5 by the uncertainty that was tuned.

    Returns: experiment, method, uncertainty, n_fits (data sets x repeats x noise factors for which
    it was chosen), n_leaves_diff_c45 (leaves), accuracy_diff_c45 (percentage points): means over
    these fits, C4.5 on the same repeat and noise. An uncertainty is chosen where it does well, so
    that the rows of one method are about different data.
    """
    wide = rows.pivot(index=CELL, columns="metric", values="value").reset_index()
    key = [c for c in CELL if c != "method"]
    baseline = wide[wide["method"] == "c45"].set_index(key)[["n_leaves", "accuracy"]]
    tuned = wide[wide["uncertainty"].notna()].set_index(key)
    difference = tuned[["n_leaves", "accuracy"]] - baseline.reindex(tuned.index)
    cells = pd.DataFrame(
        {
            "experiment": tuned.index.get_level_values("experiment"),
            "method": tuned["method"].to_numpy(),
            "uncertainty": tuned["uncertainty"].to_numpy(),
            "n_leaves_diff_c45": difference["n_leaves"].to_numpy(),
            "accuracy_diff_c45": 100 * difference["accuracy"].to_numpy(),
        }
    )
    grouped = cells.groupby(["experiment", "method", "uncertainty"])
    table = grouped.mean().round(4).reset_index()
    table.insert(3, "n_fits", grouped.size().to_numpy())
    return table


@step()
def soft_running_times(times: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Running times and their differences to C4.5, the last block of tables 3.4 and 3.5.

    Returns: experiment, dataset (`mean_over_datasets` first), method, noise, seconds (mean over
    repeats of tuning and learning), diff_c45 (s), published (difference, s; on other
    machines), n_datasets. Times depend on the machine and on what else it does: they are in a file
    of their own and nothing else reads them.
    """
    key = ["experiment", "dataset", "method", "noise"]
    per_set = times.groupby(key, as_index=False)["seconds"].mean()
    reference = per_set[per_set["method"] == "c45"].drop(columns="method")
    per_set = per_set.merge(reference, on=["experiment", "dataset", "noise"], suffixes=("", "_c45"))
    per_set["diff_c45"] = per_set["seconds"] - per_set.pop("seconds_c45")
    of_table = per_set[per_set["dataset"].isin(set(TABLE_3_1.values()))]
    mean = of_table.groupby(["experiment", "method", "noise"], as_index=False)[
        ["seconds", "diff_c45"]
    ].mean()
    mean = mean.assign(dataset=MEAN, n_datasets=of_table["dataset"].nunique())
    table = pd.concat([mean, per_set.assign(n_datasets=1)], ignore_index=True)
    cells = published[published["metric"] == "runtime_diff_c45"]
    cells = pd.DataFrame(
        {
            "experiment": cells["criterion"].map({w: e for e, w in CRITERION.items()}),
            "dataset": cells["dataset"],
            "method": cells["method"],
            "noise": cells["noise"].astype(float),
            "published": cells["value"].astype(float),
        }
    )
    table = table.merge(cells, on=key, how="left")
    order = {
        "experiment": None,
        "dataset": [MEAN, *sorted(set(table["dataset"]) - {MEAN})],
        "method": METHODS,
        "noise": None,
    }
    columns = [*key, "seconds", "diff_c45", "published", "n_datasets"]
    return in_rows(table, order)[columns].round(6)


def _noise_table(experiment, methods, rows, statistics, published) -> pd.DataFrame:
    # A sum depends on its order in the last bit, and data sets may be named in any order.
    rows = rows[rows["method"].isin(methods)].sort_values([*CELL, "metric"])
    members = [d for d in TABLE_3_1.values() if d in set(rows["dataset"])]
    missing = [d for d in TABLE_3_1.values() if d not in members]
    frames = []
    for metric, raw, unit, to_unit in (*ADDED_METRICS, *TABLE_METRICS):
        left_out = []
        if metric == raw:
            values = rows[(rows["experiment"] == experiment) & (rows["metric"] == metric)]
            values = values.assign(value=values["value"] * to_unit)
        elif metric.endswith("_std"):
            values, left_out = standardised(rows, raw)
            values = values[values["experiment"] == experiment]
        else:
            values = _difference_to_c45(rows, experiment, raw, to_unit)
        per_set = (
            values.groupby(["method", "dataset", "noise"], as_index=False)["value"]
            .mean()
            .rename(columns={"value": "measured"})
            .assign(n_datasets=1, left_out="")
        )
        of_table = per_set[per_set["dataset"].isin(members)]
        mean = of_table.groupby(["method", "noise"], as_index=False)["measured"].mean()
        mean = mean.assign(
            dataset=MEAN,
            n_datasets=of_table["dataset"].nunique(),
            left_out=";".join(d for d in left_out if d in members),
        )
        kept = per_set if metric == raw else pd.concat([mean, per_set])
        frames.append(kept.assign(metric=metric, unit=unit))
    table = pd.concat(frames, ignore_index=True)
    table["of_datasets"] = N_TABLE_3_1
    table["in_table_3_1"] = table["dataset"].isin([MEAN, *members])
    table["missing"] = np.where(table["dataset"] == MEAN, ";".join(missing), "")
    key = ["metric", "method", "noise"]
    if published is not None:
        cells = _published_cells(published, experiment)
        table = table.merge(cells, on=[*key, "dataset"], how="left")
    table = table.merge(_p_values(statistics, experiment), on=[*key, "dataset"], how="left")
    order = {
        "dataset": [MEAN, *members, *sorted(set(table["dataset"]) - {MEAN, *members})],
        "metric": [m[0] for m in (*ADDED_METRICS, *TABLE_METRICS)],
        "method": METHODS,
        "noise": None,
    }
    # Rounding leaves no trace of the order of a sum, such as a mean of 5e-17 or -0.
    table["measured"] = table["measured"].round(6) + 0.0
    columns = ["metric", "unit", "method", "dataset", "in_table_3_1", "noise", "measured"]
    columns += ["published"] if published is not None else []
    columns += ["n_datasets", "of_datasets", "p", "p_holm", "p_pairs"]
    columns += ["p_pairs_holm", "left_out", "missing"]
    return in_rows(table, order)[columns]


def _difference_to_c45(rows, experiment, metric, to_unit) -> pd.DataFrame:
    """Signed difference to C4.5 of the same repeat and noise factor.

    The thesis calls these differences absolute in the sense of not standardised: they have signs.
    """
    cells = rows[(rows["experiment"] == experiment) & (rows["metric"] == metric)]
    key = ["dataset", "repeat", "noise"]
    reference = cells.loc[cells["method"] == "c45", [*key, "value"]]
    cells = cells[cells["method"] != "c45"].merge(reference, on=key, suffixes=("", "_c45"))
    return cells.assign(value=(cells["value"] - cells["value_c45"]) * to_unit)


def _published_cells(published: pd.DataFrame, experiment: str) -> pd.DataFrame:
    cells = published[published["criterion"] == CRITERION[experiment]]
    return pd.DataFrame(
        {
            "metric": cells["metric"],
            "method": cells["method"],
            "noise": cells["noise"].astype(float),
            "dataset": cells["dataset"],
            "published": cells["value"].astype(float),
        }
    )


def _p_values(statistics: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """One column per pairing and correction."""
    names = {
        ("datasets", "none"): "p",
        ("datasets", "holm"): "p_holm",
        ("repeats", "none"): "p_pairs",
        ("repeats", "holm"): "p_pairs_holm",
    }
    selected = statistics[statistics["experiment"] == experiment]
    frame = p_columns(selected, ["metric", "method", "noise"], names, by=("pairing", "correction"))
    return frame.assign(dataset=MEAN)


# -------------------------------------------------------------------------- scores and ranks


def score_caption_values(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    used = sorted(set(of_table_3_1(rows, plan)["dataset"]))
    ran = (
        f"Over {len(used)} data sets ({', '.join(used)}), {plan.n_repeats} "
        f"repeats each, configuration {plan.configuration}."
    )
    return {"ran": ran, "n_factors": str(len(plan.noise_factors))}


def scores_sources(table: pd.DataFrame, rows: pd.DataFrame, plan: SoftPlan) -> Iterator[Cell]:
    """Differences to C4.5 over the data sets of table 3.1, and their tests."""
    sets = sorted(set(of_table_3_1(rows, plan)["dataset"]))
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["noise"]):
            continue
        test = {name: line[name] for name in ("experiment", "metric", "noise")}
        where = {**test, "dataset": sets}
        pair = tuple(Rows("rows", {**where, "method": line[m]}) for m in ("first", "second"))
        times, by = UNITS[line["metric"]][1], ("dataset", "repeat")
        for name, side in zip(("mean_first", "mean_second"), pair, strict=True):
            yield Cell(row, name, "mean_of_means", (side,), times, by[:1])
        yield Cell(row, "difference", "mean_difference", pair, times, by)
        yield from counts(row, line, pair, by, not SCORES[line["metric"]])
        yield from test_cells(row, line, {**test, "method": line["first"]}, of="scores")


def ranks_sources(table: pd.DataFrame, comparison: pd.DataFrame) -> Iterator[Cell]:
    """Ranks and tests as they were worked out."""
    columns = ("rank_first", "rank_second", "statistic", "p", "critical_difference")
    groups = comparison["groups"].tolist()
    for row, line in enumerate(table.to_dict("records")):
        where = {"experiment": line["experiment"], "name": line["name"], "groups": groups[row]}
        for column in columns:
            if pd.notna(line[column]):
                yield Cell(row, column, "value", (Rows("comparison", where, column),))


@table(
    "Macro F1 and Brier score",
    caption="Mean over data sets of the difference to C4.5 at the same noise factor; accuracy and "
    "macro F1 in percentage points, Brier score (sum of squares over the classes, less is better) "
    "as it is. Wilcoxon signed-rank test over data sets. {ran}",
    caption_values=score_caption_values,
    sources=scores_sources,
)
def soft_scores(rows: pd.DataFrame, scores: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Accuracy, macro F1 and Brier score of every method as differences to C4.5.

    Returns: experiment, metric, unit (the Brier score is a sum of squares between 0 and 2, less is
    better), noise, first (method), second (`c45`), mean_first, mean_second, difference (means over
    data sets), wins, losses (data sets on which the first is better and worse), n_datasets, p
    (Wilcoxon over data sets), p_holm (over the cells of one experiment), note, absent (sets of
    table 3.1 that were not run, separated by semicolons). Without a method besides C4.5, one row
    per experiment that says so.
    """
    means = score_means(rows, plan)
    lines = []
    for experiment in EXPERIMENTS:
        if len(means.columns) < 2:
            lines.append({"experiment": experiment, "note": too_few(0, means.columns)})
        for metric, higher in SCORES.items():
            unit, to_unit = UNITS[metric]
            for method in means.columns.drop("c45"):
                for noise in plan.noise_factors:
                    cell = means.xs((experiment, metric, noise), level=[0, 1, 2])
                    difference = cell[method] - cell["c45"]
                    # What differs by rounding only is neither better nor worse.
                    sign = np.sign(difference.round(12)) * (1 if higher else -1)
                    row = {"experiment": experiment, "metric": metric, "unit": unit}
                    row |= {"noise": noise, "first": method, "second": "c45"}
                    row |= {"mean_first": cell[method].mean() * to_unit}
                    row |= {"mean_second": cell["c45"].mean() * to_unit}
                    row |= {"difference": difference.mean() * to_unit, "n_datasets": len(cell)}
                    row |= {"wins": int((sign > 0).sum()), "losses": int((sign < 0).sum())}
                    lines.append(row | _tests(scores, experiment, metric, method, noise))
    columns = ["experiment", "metric", "unit", "noise", "first", "second", *MEASURED, "note"]
    table = pd.DataFrame(lines).reindex(columns=columns).assign(absent=missing(rows))
    counts = ["wins", "losses", "n_datasets"]
    table[counts] = table[counts].astype("Int64")
    means = ["mean_first", "mean_second", "difference"]
    numbers = ["noise", *means, "p", "p_holm"]
    table[numbers] = table[numbers].astype(float)
    table[means] = table[means].round(6) + 0.0
    return table


def _tests(scores: pd.DataFrame, *cell) -> dict:
    at = (scores[["experiment", "metric", "method", "noise"]] == list(cell)).all(axis=1)
    by_correction = scores[at].set_index("correction")
    return {
        "p": by_correction.loc["none", "p"],
        "p_holm": by_correction.loc["holm", "p"],
        "note": by_correction.loc["none", "note"],
    }


@table(
    "Mean ranks and their tests",
    caption="Mean ranks by accuracy and tests behind the critical-difference diagram. {ran}",
    caption_values=score_caption_values,
    sources=ranks_sources,
)
def soft_ranks(comparison: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks and tests behind the critical-difference diagram.

    Returns: experiment, name (friedman, nemenyi), first and second (methods of a pair), rank_first,
    rank_second, statistic (chi-squared; difference of the mean ranks), p, critical_difference (at
    0.05), n_datasets, note, absent (sets of table 3.1 that were not run, separated by semicolons).
    """
    groups = comparison["groups"].str.split("|")
    pair = comparison["name"] == "nemenyi"
    table = comparison.assign(
        first=groups.str[0].where(pair, ""), second=groups.str[1].where(pair, "")
    ).rename(columns={"n": "n_datasets", "missing": "absent"})
    columns = ["experiment", "name", "first", "second", "rank_first", "rank_second", "statistic"]
    table = table[[*columns, "p", "critical_difference", "n_datasets", "note", "absent"]]
    numbers = ["rank_first", "rank_second", "statistic", "critical_difference"]
    table[numbers] = table[numbers].round(6) + 0.0
    return table.reset_index(drop=True)


def mean_ranks_of(ranks: pd.DataFrame) -> pd.Series:
    """Mean rank by method from the pairs of one experiment, in the order of the methods."""
    pairs = ranks[ranks["name"] == "nemenyi"]
    rank_of = {
        **dict(zip(pairs["second"], pairs["rank_second"], strict=True)),
        **dict(zip(pairs["first"], pairs["rank_first"], strict=True)),
    }
    return pd.Series({m: rank_of[m] for m in METHODS if m in rank_of}, dtype=float)
