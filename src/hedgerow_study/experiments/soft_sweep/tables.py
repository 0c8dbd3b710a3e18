"""Tables of the sweep of the pruning confidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from hedgerow_study.experiments.soft_sweep.plan import CELL, METHODS, PRINTED, SweepPlan
from hedgerow_study.experiments.step import table
from hedgerow_study.reporting.cells import Cell, Rows

#: Panels of the printed figures, by the registry's key of the data set.
PANELS = dict(
    zip(
        PRINTED,
        (
            "(a) Hepatitis",
            "(b) Heart disease",
            "(c) Pima Indians diabetes",
            "(d) South African heart disease",
            "(e) Breast cancer Wisconsin",
        ),
        strict=True,
    )
)

#: Noise factor of the training data that each figure shows.
NOISE = {"thesis_figure_3_11": 0.0, "thesis_figure_3_12": 0.1}

#: Claim T3-12: the ranges of c whose mean leaves are compared, both open at the value named.
LOW_BELOW, HIGH_ABOVE = 0.5, 0.9


# ------------------------------------------------------------------------------------ tables


def caption_values(rows: pd.DataFrame, plan: SweepPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    available = in_order(rows["dataset"])
    n = rows["repeat"].nunique()
    missing = [d for d in PRINTED if d not in available]
    grid = plan.confidences
    ran = f"Run: {', '.join(available)}; {n} repeats, configuration "
    ran += f"{plan.configuration}."
    if missing:
        absent = [d for d in missing if d in plan.datasets]
        ran += f" Of the five data sets of the printed figure {', '.join(missing)} "
        ran += f"{'is' if len(missing) == 1 else 'are'} not in this run"
        ran += f" (absent, no source answered: {', '.join(absent)})." if absent else "."
    one_leaf = "At c = 0 one leaf is left; its accuracy is written where it lies below the panel. "
    return {
        "ran": ran,
        "one_leaf": "" if grid[0] > 0 else one_leaf,
        "uncertainty": f"{plan.uncertainty:g}",
        "grid": f"{len(grid)} values of c from {grid[0]:g} to {grid[-1]:g}",
    }


def sweep_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Means and standard errors over the repeats at each c."""
    for row, line in enumerate(table.to_dict("records")):
        if line["status"] != "run":
            continue
        confidence = None if pd.isna(line["confidence"]) else line["confidence"]
        where = {"dataset": line["dataset"], "noise": line["noise"], "method": line["method"]}
        where["confidence"] = confidence
        for metric, name, times in (("n_leaves", "leaves", 1.0), ("accuracy", "accuracy", 100.0)):
            rows = (Rows("rows", {**where, "metric": metric}),)
            yield Cell(row, name, "mean", rows, times)
            yield Cell(row, f"{name}_se", "standard_error", rows, times)


def ranges_sources(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Means over the values of c of a range, and differences to C4.5."""
    grid = sorted(c for c in rows["confidence"].dropna().unique() if c > 0)
    ranges = {
        "low": [c for c in grid if c < LOW_BELOW],
        "high": [c for c in grid if c > HIGH_ABOVE],
    }
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["noise"]):
            continue
        where = {"dataset": line["dataset"], "noise": line["noise"]}
        where["confidence"] = ranges[line["range"]]
        for metric, name, times in (("n_leaves", "leaves", 1.0), ("accuracy", "accuracy", 100.0)):
            pair = tuple(
                Rows("rows", {**where, "metric": metric, "method": m})
                for m in (line["method"], "c45")
            )
            by = ("repeat", "confidence")
            for column, side in ((name, pair[0]), (f"{name}_c45", pair[1])):
                yield Cell(row, column, "mean_of_means", (side,), times, by[:1])
            yield Cell(row, f"{name}_diff", "mean_difference", pair, times, by)


@table(
    "Numbers of figures 3.11 and 3.12",
    caption="Means at each of {grid} and of the trees as they were grown. {ran}",
    caption_values=caption_values,
    sources=sweep_sources,
)
def soft_sweep(rows: pd.DataFrame, plan: SweepPlan) -> pd.DataFrame:
    """Means over repeats at every c, as drawn in the figures.

    Returns: dataset, panel (of the printed figures; empty for a set that is not in them), status
    (as in `soft_sweep_ranges`: a set that was not run has one row that says so), noise, method,
    confidence (NaN: the tree as it was grown), leaves, leaves_se, accuracy and accuracy_se in
    percent (standard errors over repeats), n_repeats. Printed order, then other sets by
    name.
    """
    cells = rows.sort_values([*CELL, "metric"]).groupby(
        ["dataset", "noise", "method", "confidence", "metric"], dropna=False
    )["value"]
    wide = pd.DataFrame({"mean": cells.mean(), "se": cells.sem(), "n": cells.size()}).unstack()
    table = wide.index.to_frame(index=False)
    table.insert(1, "panel", "")
    for metric, name, to_unit in (("n_leaves", "leaves", 1.0), ("accuracy", "accuracy", 100.0)):
        table[name] = (wide["mean", metric].to_numpy() * to_unit).round(6)
        table[f"{name}_se"] = (wide["se", metric].to_numpy() * to_unit).round(6)
    table["n_repeats"] = wide["n", "n_leaves"].to_numpy()
    table.insert(2, "status", "run")
    others = pd.DataFrame(_not_run(table["dataset"], plan))
    table = pd.concat([table.astype(object), others.astype(object)], ignore_index=True)
    table["panel"] = table["dataset"].map(PANELS).fillna("")
    numbers = ["noise", "confidence", "leaves", "leaves_se", "accuracy", "accuracy_se"]
    table[numbers] = table[numbers].astype(float)
    table["n_repeats"] = table["n_repeats"].astype("Int64")
    order = in_order(table["dataset"])
    rank = table.assign(
        dataset=table["dataset"].map(order.index),
        method=table["method"].map({m: i for i, m in enumerate(METHODS)}),
    ).sort_values(["dataset", "noise", "method", "confidence"])
    return table.loc[rank.index].reset_index(drop=True)


def in_order(datasets: Iterable[str]) -> list[str]:
    """Data sets in the order of the panels, then others by name."""
    available = set(datasets)
    return [*(d for d in PRINTED if d in available), *sorted(available - set(PRINTED))]


def _not_run(available: Iterable[str], plan: SweepPlan) -> list[dict[str, str]]:
    """Printed and wanted data sets without rows, each with its status."""
    available = set(available)
    return [
        {"dataset": d, "status": "absent" if d in plan.datasets else "not asked for"}
        for d in dict.fromkeys([*PRINTED, *plan.datasets])
        if d not in available
    ]


@table(
    "Low and high pruning confidence",
    caption=f"Mean leaves and accuracy over the values of c above 0 and below {LOW_BELOW:g} (low) "
    f"and above {HIGH_ABOVE:g} (high), difference to C4.5. Accuracy is kept where it is at most "
    "one standard error of C4.5's mean over repeats below it. {ran}",
    caption_values=caption_values,
    sources=ranges_sources,
)
def soft_sweep_ranges(rows: pd.DataFrame, plan: SweepPlan) -> pd.DataFrame:
    """Mean leaves and accuracy over the low and the high range of c, against C4.5.

    Returns: one row per data set, noise factor, range (low: 0 < c < 0.5, high: c > 0.9) and method
    (ss and stp): dataset, printed (whether in the printed figures), status (`run`, `absent`: asked
    for but no source answered, `not asked for`: not in this configuration), noise, range, method,
    leaves_c45, leaves, leaves_diff, accuracy_c45, accuracy, accuracy_diff and accuracy_se_c45
    (percent; the standard error over repeats of the mean of C4.5), smaller (leaves_diff below
    0), accuracy_kept (at most one standard error of C4.5 below C4.5). A printed set that was not
    run has one row with its status; a range in which the grid has no c has no row.
    """
    grid = rows[rows["confidence"] > 0].sort_values([*CELL, "metric"])
    low = grid[grid["confidence"] < LOW_BELOW].assign(range="low")
    high = grid[grid["confidence"] > HIGH_ABOVE].assign(range="high")
    key = ["dataset", "noise", "range", "method", "metric"]
    # First over the grid, so that the error is one of repeats, not of values of c.
    per_repeat = pd.concat([low, high]).groupby([*key, "repeat"])["value"].mean()
    cells = per_repeat.groupby(level=key)
    mean, error = cells.mean(), cells.sem().fillna(0.0)  # no error from a single repeat
    lines = []
    for dataset, noise, name, method in sorted({i[:4] for i in mean.index}):
        if method == "c45":
            continue
        cell, reference = (dataset, noise, name, method), (dataset, noise, name, "c45")
        row = {"dataset": dataset, "status": "run", "noise": noise, "range": name, "method": method}
        for metric, column, to_unit in (
            ("n_leaves", "leaves", 1.0),
            ("accuracy", "accuracy", 100.0),
        ):
            value, c45 = mean[(*cell, metric)] * to_unit, mean[(*reference, metric)] * to_unit
            row |= {f"{column}_c45": c45, column: value, f"{column}_diff": value - c45}
        row["accuracy_se_c45"] = error[(*reference, "accuracy")] * 100.0
        lines.append(row)
    # Not those of `lines`: a set whose grid has no c in either range was run all the same.
    lines += _not_run(rows["dataset"], plan)
    columns = ["dataset", "printed", "status", "noise", "range", "method", "leaves_c45", "leaves"]
    columns += ["leaves_diff", "accuracy_c45", "accuracy", "accuracy_diff", "accuracy_se_c45"]
    table = pd.DataFrame(lines).reindex(columns=columns)
    table["printed"] = table["dataset"].isin(PRINTED)
    numbers = columns[6:]
    # Rounding leaves no trace of the order of a sum, which would turn a tie into a difference.
    table[numbers] = table[numbers].astype(float).round(6) + 0.0
    run = table["status"] == "run"
    table["smaller"] = (table["leaves_diff"] < 0).astype(object).where(run, None)
    kept = table["accuracy_diff"] >= -table["accuracy_se_c45"]
    table["accuracy_kept"] = kept.astype(object).where(run, None)
    order = in_order(table["dataset"])
    rank = table.assign(
        dataset=table["dataset"].map(order.index),
        range=table["range"].map({"low": 0, "high": 1}),
        method=table["method"].map({m: i for i, m in enumerate(METHODS)}),
    ).sort_values(["dataset", "noise", "range", "method"])
    return table.loc[rank.index].reset_index(drop=True)
