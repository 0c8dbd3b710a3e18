"""Figures 3.11 and 3.12 of the thesis, the sweep of the pruning confidence, and what it shows.

The paper prints both figures without numbers. Ours stand in the table `soft_sweep`, and the means
that its statement T3-12 speaks of in `soft_sweep_ranges`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

from hedgerow.experiments.soft_sweep import CELL, METHODS, PRINTED, SweepPlan
from hedgerow.reporting.figures import LOOKS, WIDTH, style

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
#: Claim T3-12: data sets, out of the five, for the low range and for the high range.
LOW_SETS, HIGH_SETS = 4, 3


# ------------------------------------------------------------------------------------ tables


def soft_sweep(rows: pd.DataFrame, sweep: SweepPlan) -> pd.DataFrame:
    """Means over permutations at every c, as drawn in the figures.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `hedgerow.experiments.soft_sweep.evaluate`.
    sweep : SweepPlan

    Returns
    -------
    DataFrame
        dataset, panel (of the printed figures; empty for a set that is not in them), status (as in
        `soft_sweep_ranges`: a set that was not run has one row that says so), noise, method,
        confidence (NaN: the tree as it was grown), leaves, leaves_se, accuracy and accuracy_se in
        percent (standard errors over permutations), n_permutations. Printed order, then other sets
        by name.
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
    table["n_permutations"] = wide["n", "n_leaves"].to_numpy()
    table.insert(2, "status", "run")
    others = pd.DataFrame(_not_run(table["dataset"], sweep))
    table = pd.concat([table.astype(object), others.astype(object)], ignore_index=True)
    table["panel"] = table["dataset"].map(PANELS).fillna("")
    numbers = ["noise", "confidence", "leaves", "leaves_se", "accuracy", "accuracy_se"]
    table[numbers] = table[numbers].astype(float)
    table["n_permutations"] = table["n_permutations"].astype("Int64")
    order = _order(table["dataset"])
    rank = table.assign(
        dataset=table["dataset"].map(order.index),
        method=table["method"].map({m: i for i, m in enumerate(METHODS)}),
    ).sort_values(["dataset", "noise", "method", "confidence"])
    return table.loc[rank.index].reset_index(drop=True)


def _order(datasets: Iterable[str]) -> list[str]:
    """Data sets in the order of the panels, then others by name."""
    there = set(datasets)
    return [*(d for d in PRINTED if d in there), *sorted(there - set(PRINTED))]


def _not_run(there: Iterable[str], sweep: SweepPlan) -> list[dict[str, str]]:
    """Printed and wanted data sets without rows, each with its status."""
    there = set(there)
    return [
        {"dataset": d, "status": "absent" if d in sweep.datasets else "not asked for"}
        for d in dict.fromkeys([*PRINTED, *sweep.datasets])
        if d not in there
    ]


def soft_sweep_ranges(rows: pd.DataFrame, sweep: SweepPlan) -> pd.DataFrame:
    """Mean leaves and accuracy over the low and the high range of c, against C4.5.

    Parameters
    ----------
    rows, sweep : as in `soft_sweep`

    Returns
    -------
    DataFrame
        One row per data set, noise factor, range (low: 0 < c < 0.5, high: c > 0.9) and method (ss
        and stp): dataset, printed (whether in the printed figures), status (`run`, `absent`: asked
        for but no source answered, `not asked for`: not in this configuration), noise, range,
        method, leaves_c45, leaves, leaves_diff, accuracy_c45, accuracy, accuracy_diff and
        accuracy_se_c45 (percent; the standard error over permutations of the mean of C4.5),
        smaller (leaves_diff below 0), accuracy_kept (at most one standard error of C4.5 below
        C4.5). A printed set that was not run has one row with its status.
    """
    grid = rows[rows["confidence"] > 0].sort_values([*CELL, "metric"])
    low = grid[grid["confidence"] < LOW_BELOW].assign(range="low")
    high = grid[grid["confidence"] > HIGH_ABOVE].assign(range="high")
    key = ["dataset", "noise", "range", "method", "metric"]
    # First over the grid, so that the error is one of permutations, not of values of c.
    per_permutation = pd.concat([low, high]).groupby([*key, "permutation"])["value"].mean()
    cells = per_permutation.groupby(level=key)
    mean, error = cells.mean(), cells.sem().fillna(0.0)  # no error from a single permutation
    found = []
    for dataset, noise, name, method in sorted({i[:4] for i in mean.index}):
        if method == "c45":
            continue
        cell, reference = (dataset, noise, name, method), (dataset, noise, name, "c45")
        row = {"dataset": dataset, "status": "run", "noise": noise, "range": name, "method": method}
        for metric, column, to_unit in (
            ("n_leaves", "leaves", 1.0),
            ("accuracy", "accuracy", 100.0),
        ):
            own, c45 = mean[(*cell, metric)] * to_unit, mean[(*reference, metric)] * to_unit
            row |= {f"{column}_c45": c45, column: own, f"{column}_diff": own - c45}
        row["accuracy_se_c45"] = error[(*reference, "accuracy")] * 100.0
        found.append(row)
    found += _not_run([row["dataset"] for row in found], sweep)
    columns = ["dataset", "printed", "status", "noise", "range", "method", "leaves_c45", "leaves"]
    columns += ["leaves_diff", "accuracy_c45", "accuracy", "accuracy_diff", "accuracy_se_c45"]
    table = pd.DataFrame(found).reindex(columns=columns)
    table["printed"] = table["dataset"].isin(PRINTED)
    numbers = columns[6:]
    # Rounding leaves no trace of the order of a sum, which would turn a tie into a difference.
    table[numbers] = table[numbers].astype(float).round(6) + 0.0
    run = table["status"] == "run"
    table["smaller"] = (table["leaves_diff"] < 0).astype(object).where(run, None)
    kept = table["accuracy_diff"] >= -table["accuracy_se_c45"]
    table["accuracy_kept"] = kept.astype(object).where(run, None)
    order = _order(table["dataset"])
    rank = table.assign(
        dataset=table["dataset"].map(order.index),
        range=table["range"].map({"low": 0, "high": 1}),
        method=table["method"].map({m: i for i, m in enumerate(METHODS)}),
    ).sort_values(["dataset", "noise", "range", "method"])
    return table.loc[rank.index].reset_index(drop=True)


# ----------------------------------------------------------------------------------- verdict


@dataclass(frozen=True)
class Verdict:
    """Claim T3-12 of data/published/claims.csv, judged as its `how_to_test` says.

    Attributes
    ----------
    verdict : str
        `reproduced`, `partly`, `not reproduced`, or `open` where sets that were not run could
        still decide.
    low, high : int
        Data sets, out of the five printed ones, that count in the low and in the high range.
    by_leaves : str
        The verdict if accuracy were left out: the test does not say how much of it must be kept
        on how many data sets, and one standard error is little.
    smaller : int
        Data sets with smaller trees in the low range, whatever their accuracy.
    missing : tuple of str
        Printed sets that were not run at both noise factors and over both ranges.
    """

    verdict: str
    low: int
    high: int
    by_leaves: str
    smaller: int
    missing: tuple[str, ...]

    @property
    def n_sets(self) -> int:
        """Printed sets that were run."""
        return len(PRINTED) - len(self.missing)


def verdict(ranges: pd.DataFrame) -> Verdict:
    """Judge claim T3-12 from the table `soft_sweep_ranges`.

    A data set counts in the low range when SS and STP both have fewer mean leaves than C4.5 at
    accuracy kept, with and without noise; it counts in the high range when neither has fewer
    leaves, with and without noise. Reproduced: four sets or more count in the low range and three
    or more in the high range; partly: the low range alone. With sets missing the answer is given
    only where these could not change it.

    Parameters
    ----------
    ranges : DataFrame

    Returns
    -------
    Verdict
    """
    wanted = len(NOISE) * (len(METHODS) - 1)
    low = high = smaller = 0
    missing = []
    for dataset in PRINTED:
        cells = ranges[
            (ranges["dataset"] == dataset)
            & (ranges["status"] == "run")
            & ranges["noise"].isin(list(NOISE.values()))
        ]
        at_low, at_high = (cells[cells["range"] == name] for name in ("low", "high"))
        if len(at_low) < wanted or len(at_high) < wanted:
            missing.append(dataset)
            continue
        fewer = at_low["smaller"].astype(bool)
        smaller += bool(fewer.all())
        low += bool((fewer & at_low["accuracy_kept"].astype(bool)).all())
        high += not at_high["smaller"].astype(bool).any()
    spare = len(missing)
    return Verdict(
        _word(low, high, spare), low, high, _word(smaller, high, spare), smaller, tuple(missing)
    )


def _word(low: int, high: int, spare: int) -> str:
    """Verdict on counts of data sets, `spare` more of which were not run."""
    if low >= LOW_SETS and high >= HIGH_SETS:
        return "reproduced"
    if low + spare < LOW_SETS:
        return "not reproduced"
    if low >= LOW_SETS and high + spare < HIGH_SETS:
        return "partly"
    return "open"


# ---------------------------------------------------------------------------------- captions


def captions(rows: pd.DataFrame, sweep: SweepPlan) -> dict[str, str]:
    """Caption of the figures and tables, by id: what is shown and what was run.

    Parameters
    ----------
    rows, sweep : as in `soft_sweep`

    Returns
    -------
    dict of str
    """
    there = _order(rows["dataset"])
    n = rows["permutation"].nunique()
    missing = [d for d in PRINTED if d not in there]
    grid = sweep.confidences
    ran = f"Run: {', '.join(there)}; {n} train-test permutations, configuration "
    ran += f"{sweep.configuration}."
    if missing:
        absent = [d for d in missing if d in sweep.datasets]
        ran += f" Of the five data sets of the printed figure {', '.join(missing)} "
        ran += f"{'is' if len(missing) == 1 else 'are'} not in this run"
        ran += f" (absent, no source answered: {', '.join(absent)})." if absent else "."
    one_leaf = "At c = 0 one leaf is left; its accuracy is written where it lies below the panel. "
    if grid[0] > 0:
        one_leaf = ""
    drawn = (
        "Leaves and accuracy on clean test data against the pruning confidence c, mean over "
        "permutations with a band of one standard error; C4.5, SS and STP with u = "
        f"{sweep.factor:g}. Marks at the right are the trees as they were grown: c = 1 still "
        f"prunes. {one_leaf}Dotted lines bound the ranges below {LOW_BELOW:g} and above "
        f"{HIGH_ABOVE:g}. The paper prints this figure without numbers, "
        "and its caption names C4.5 and SS only."
    )
    noise = "noise factor {} in the training data"
    return {
        "thesis_figure_3_11": f"Pruning confidence, {noise.format('0')}. {drawn} {ran}",
        "thesis_figure_3_12": f"Pruning confidence, {noise.format('0.1')}. {drawn} {ran}",
        "soft_sweep": f"Means at each of {len(grid)} values of c from {grid[0]:g} to {grid[-1]:g} "
        f"and of the trees as they were grown. {ran}",
        "soft_sweep_ranges": "Mean leaves and accuracy over the values of c above 0 and below "
        f"{LOW_BELOW:g} (low) and above {HIGH_ABOVE:g} (high), difference to C4.5. Accuracy is "
        "kept where it is at most one standard error of C4.5's mean over permutations below "
        f"it. {ran}",
    }


# ----------------------------------------------------------------------------------- figures


def thesis_figure_3_11(rows: pd.DataFrame, sweep: SweepPlan) -> Figure:
    """Figure 3.11: leaves and accuracy against the pruning confidence, no noise added.

    Parameters
    ----------
    rows, sweep : as in `soft_sweep`

    Returns
    -------
    Figure
        One row of two panels per data set that was run: the mean over permutations with a band of
        one standard error. The paper prints no numbers for it.
    """
    return _figure(rows, sweep, NOISE["thesis_figure_3_11"])


def thesis_figure_3_12(rows: pd.DataFrame, sweep: SweepPlan) -> Figure:
    """Figure 3.12: as `thesis_figure_3_11`, with noise factor 0.1 in the training data."""
    return _figure(rows, sweep, NOISE["thesis_figure_3_12"])


#: Where the marks of the unpruned trees stand, beyond c = 1.
_GROWN = 1.07


def _figure(rows: pd.DataFrame, sweep: SweepPlan, noise: float) -> Figure:
    table = soft_sweep(rows, sweep)
    table = table[table["noise"] == noise]
    datasets = _order(table["dataset"])
    with style():
        if not datasets:
            figure = Figure(figsize=(WIDTH, 1.0), layout="constrained")
            words = f"Noise factor {noise:g} is not part of this configuration."
            figure.text(0.5, 0.5, words, ha="center", va="center")
            return figure
        figure = Figure(figsize=(WIDTH, 0.6 + 1.75 * len(datasets)), layout="constrained")
        grid = figure.subplots(len(datasets), 2, sharex=True, squeeze=False)
        for (left, right), dataset in zip(grid, datasets, strict=True):
            of_set = table[table["dataset"] == dataset]
            _lines(left, of_set, "leaves")
            _lines(right, of_set, "accuracy")
            left.set_title(PANELS.get(dataset, f"{dataset} (not in the paper's figure)"))
            left.set_ylabel("Leaves (log scale)")
            right.set_ylabel("Accuracy (%)")
            left.set_yscale("log")
            left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            left.yaxis.set_major_formatter(FormatStrFormatter("%g"))
            left.yaxis.set_minor_locator(NullLocator())
            _frame_accuracy(right, of_set)
        ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
        for axes in grid[-1]:
            axes.set_xticks([*ticks, _GROWN], [*(f"{c:g}" for c in ticks), "no\npruning"])
            axes.get_xticklabels()[-1].set_ha("left")
            axes.set_xlabel("Pruning confidence c")
            axes.set_xlim(-0.02, _GROWN + 0.05)
        for column in grid.T:
            figure.align_ylabels(column)
        handles = [
            Line2D(
                [],
                [],
                color=LOOKS[m].colour,
                linestyle=LOOKS[m].line,
                marker=LOOKS[m].marker,
                markeredgecolor="black",
                markeredgewidth=0.5,
                label=LOOKS[m].label if m == "c45" else f"{LOOKS[m].label}, u = {sweep.factor:g}",
            )
            for m in METHODS
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _lines(axes, table: pd.DataFrame, column: str) -> None:
    """One panel: a line with its band per method, and the unpruned trees at the right."""
    axes.grid(axis="y")
    for boundary in (LOW_BELOW, HIGH_ABOVE):
        axes.axvline(boundary, color="black", linewidth=0.6, linestyle=(0, (1, 3)))
    axes.axvline(1, color="#d9d9d9", linewidth=0.6)
    step = max(3, (table["confidence"].nunique() + 3) // 6)
    for i, method in enumerate(METHODS):
        cells = table[table["method"] == method]
        pruned, grown = cells[cells["confidence"].notna()], cells[cells["confidence"].isna()]
        look = LOOKS[method]
        error = pruned[f"{column}_se"].fillna(0.0)
        c, mean = pruned["confidence"].to_numpy(), pruned[column].to_numpy()
        axes.fill_between(c, mean - error, mean + error, color=look.colour, alpha=0.22, linewidth=0)
        axes.plot(
            c,
            mean,
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            # A few marks per line, at other places for each method.
            markevery=(i * step // 3, step),
            markersize=4,
            markeredgecolor="black",
            markeredgewidth=0.5,
        )
        axes.errorbar(
            [_GROWN + 0.015 * (i - 1)],
            grown[column],
            grown[f"{column}_se"].fillna(0.0),
            color=look.colour,
            marker=look.marker,
            markersize=4,
            markeredgecolor="black",
            markeredgewidth=0.5,
            elinewidth=0.9,
            linestyle="",
        )


def _frame_accuracy(axes, table: pd.DataFrame) -> None:
    """Limits by what is not a single leaf, which would press all else to the top."""
    trees = table[table["confidence"] != 0]
    error = trees["accuracy_se"].fillna(0.0)
    low, high = (trees["accuracy"] - error).min(), (trees["accuracy"] + error).max()
    margin = max(0.06 * (high - low), 0.5)
    axes.set_ylim(low - margin, high + margin)
    leaf = table.loc[table["confidence"] == 0, "accuracy"]
    if len(leaf) and leaf.iloc[0] < low - margin:
        words = f"c = 0: {leaf.iloc[0]:.1f} ↓"
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85}
        axes.annotate(words, (0.06, 0.04), xycoords="axes fraction", fontsize=7.5, bbox=box)
