"""Beyond the paper: macro F1 and Brier score beside accuracy, and a critical-difference diagram."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from hedgerow.experiments.soft import EXPERIMENTS, METHODS, SoftPlan
from hedgerow.experiments.soft_scores import SCORES, missing, of_table_3_1, score_means, too_few
from hedgerow.reporting.figures import LOOKS, WIDTH, style

#: Unit of each score's difference and the factor to it.
UNITS = {
    "accuracy": ("percentage_points", 100.0),
    "macro_f1": ("percentage_points", 100.0),
    "brier": ("score", 1.0),
}
TITLES = {
    "training_noise": "(a) Noise in the training data",
    "test_noise": "(b) Noise in the test data",
}
ALPHA = 0.05


# ------------------------------------------------------------------------------------ tables


def soft_scores(rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Accuracy, macro F1 and Brier score of every method as differences to C4.5.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `hedgerow.experiments.soft.evaluate`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.soft_scores.scores`.
    plan : SoftPlan

    Returns
    -------
    DataFrame
        experiment, metric, unit (the Brier score is a sum of squares between 0 and 2, less is
        better), method, noise, c45 (mean of C4.5 over the data sets), difference (mean over data
        sets of the method's mean minus that of C4.5), better (data sets on which the method is
        better), n_datasets, p (Wilcoxon over data sets), p_holm (over the cells of one
        experiment), note, missing (sets of table 3.1 that were not run, separated by semicolons).
        Without a method besides C4.5, one row per experiment that says so.
    """
    means = score_means(rows, plan)
    found = []
    for experiment in EXPERIMENTS:
        if len(means.columns) < 2:
            found.append({"experiment": experiment, "note": too_few(0, means.columns)})
        for metric, higher in SCORES.items():
            unit, to_unit = UNITS[metric]
            for method in means.columns.drop("c45"):
                for noise in plan.noise_factors:
                    cell = means.xs((experiment, metric, noise), level=[0, 1, 2])
                    difference = cell[method] - cell["c45"]
                    # What differs by rounding only is neither better nor worse.
                    sign = np.sign(difference.round(12)) * (1 if higher else -1)
                    row = {"experiment": experiment, "metric": metric, "unit": unit}
                    row |= {"method": method, "noise": noise, "n_datasets": len(cell)}
                    row |= {"c45": cell["c45"].mean() * to_unit, "better": int((sign > 0).sum())}
                    row |= {"difference": difference.mean() * to_unit}
                    found.append(row | _tests(statistics, experiment, metric, method, noise))
    columns = ["experiment", "metric", "unit", "method", "noise", "c45", "difference", "better"]
    columns += ["n_datasets", "p", "p_holm", "note"]
    table = pd.DataFrame(found).reindex(columns=columns).assign(missing=missing(rows))
    table[["better", "n_datasets"]] = table[["better", "n_datasets"]].astype("Int64")
    numbers = ["noise", "c45", "difference", "p", "p_holm"]
    table[numbers] = table[numbers].astype(float)
    table[["c45", "difference"]] = table[["c45", "difference"]].round(6) + 0.0
    return table


def _tests(statistics: pd.DataFrame, *cell) -> dict:
    at = (statistics[["experiment", "metric", "method", "noise"]] == list(cell)).all(axis=1)
    by_correction = statistics[at].set_index("correction")
    return {
        "p": by_correction.loc["none", "p"],
        "p_holm": by_correction.loc["holm", "p"],
        "note": by_correction.loc["none", "note"],
    }


def soft_ranks(comparison: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks and tests behind the critical-difference diagram.

    Parameters
    ----------
    comparison : DataFrame
        As returned by `hedgerow.experiments.soft_scores.comparison`.

    Returns
    -------
    DataFrame
        experiment, name (friedman, nemenyi), first and second (methods of a pair), rank_first,
        rank_second, statistic (chi-squared; difference of the mean ranks), p,
        critical_difference (at .05), n_datasets, note, missing (sets of table 3.1 that were not
        run, separated by semicolons).
    """
    groups = comparison["groups"].str.split("|")
    pair = comparison["name"] == "nemenyi"
    table = comparison.assign(
        first=groups.str[0].where(pair, ""), second=groups.str[1].where(pair, "")
    ).rename(columns={"n": "n_datasets"})
    columns = ["experiment", "name", "first", "second", "rank_first", "rank_second", "statistic"]
    table = table[[*columns, "p", "critical_difference", "n_datasets", "note", "missing"]]
    numbers = ["rank_first", "rank_second", "statistic", "critical_difference"]
    table[numbers] = table[numbers].round(6) + 0.0
    return table.reset_index(drop=True)


# ---------------------------------------------------------------------------------- captions


def captions(rows: pd.DataFrame, plan: SoftPlan) -> dict[str, str]:
    """Caption of the tables and the figure, by id.

    Parameters
    ----------
    rows, plan : as in `soft_scores`

    Returns
    -------
    dict of str
    """
    used = sorted(set(of_table_3_1(rows, plan)["dataset"]))
    ran = (
        f"Over {len(used)} data sets ({', '.join(used)}), {plan.n_permutations} train-test "
        f"permutations each, configuration {plan.configuration}."
    )
    return {
        "soft_scores": "Mean over data sets of the difference to C4.5 at the same noise factor; "
        "accuracy and macro F1 in points of %, Brier score (sum of squares over the classes, less "
        f"is better) as it is. Wilcoxon signed-rank test over data sets. {ran}",
        "soft_ranks": "Mean ranks by accuracy and tests behind the critical-difference diagram. "
        f"{ran}",
        "soft_critical_difference": "Mean rank of each method by accuracy, 1 is best. A block is "
        "one data set, its value the mean accuracy over all "
        f"{len(plan.noise_factors)} noise factors and the permutations. Bars join methods that "
        "Nemenyi's test does not tell apart at p < .05: their mean ranks differ by less than the "
        f"critical difference (CD). Where Friedman's test finds no difference (p of .05 "
        f"or more) there is nothing for Nemenyi's to divide. {ran}",
    }


# ------------------------------------------------------------------------------------ figure


def soft_critical_difference(ranks: pd.DataFrame, plan: SoftPlan) -> Figure:
    """Critical-difference diagram over data sets, one panel per experiment (Demsar 2006, fig. 1).

    Parameters
    ----------
    ranks : DataFrame
        As returned by `soft_ranks`.
    plan : SoftPlan

    Returns
    -------
    Figure
        A panel says so where there is nothing to test.
    """
    lines = (len(plan.methods) + 1) // 2
    # Room for the rank axis, its ruler, bars and names; little where there is nothing to draw.
    height = 1.35 + 0.3 * lines if ranks["p"].notna().any() else 0.7
    with style():
        figure = Figure(figsize=(WIDTH, 2 * height), layout="constrained")
        for axes, experiment in zip(figure.subplots(2, 1), EXPERIMENTS, strict=True):
            _diagram(axes, ranks[ranks["experiment"] == experiment], experiment)
    return figure


def groups_of(mean_ranks: pd.Series, least: float) -> list[tuple[str, ...]]:
    """Largest runs of methods whose mean ranks all differ by less than the critical difference.

    Parameters
    ----------
    mean_ranks : Series
        Mean rank by method.
    least : float
        Critical difference.

    Returns
    -------
    list of tuple of str
        Methods of each run, best first; runs of one are left out.
    """
    ordered = mean_ranks.sort_values(kind="stable")
    found, reached = [], -1
    for i, rank in enumerate(ordered):
        last = int(np.flatnonzero(ordered.to_numpy() - rank < least)[-1])
        if last > i and last > reached:
            found.append(tuple(ordered.index[i : last + 1]))
            reached = last
    return found


def mean_ranks_of(ranks: pd.DataFrame) -> pd.Series:
    """Mean rank by method from the pairs of one experiment, in the order of the methods."""
    pairs = ranks[ranks["name"] == "nemenyi"]
    found = {
        **dict(zip(pairs["second"], pairs["rank_second"], strict=True)),
        **dict(zip(pairs["first"], pairs["rank_first"], strict=True)),
    }
    return pd.Series({m: found[m] for m in METHODS if m in found}, dtype=float)


def _diagram(axes, ranks: pd.DataFrame, experiment: str) -> None:
    axes.set_axis_off()
    axes.set_title(f"{TITLES[experiment]}: mean rank by accuracy, 1 is best")
    overall = ranks[ranks["name"] == "friedman"].iloc[0]
    if np.isnan(overall["p"]):
        words = f"No test: {overall['note']}."
        axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
        return
    mean = mean_ranks_of(ranks).sort_values(kind="stable")
    least, k = float(overall["critical_difference"]), len(mean)
    groups = groups_of(mean, least)
    # The rank axis lies at height 0; bars and names are below it, one unit apart.
    axes.plot([1, k], [0, 0], color="black", linewidth=0.9)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0, 0.22], color="black", linewidth=0.9)
        axes.text(rank, 0.3, f"{rank}", ha="center", va="bottom")
    for i, group in enumerate(groups):
        height = -0.38 - 0.3 * i
        ends = [mean[group[0]] - 0.01 * (k - 1), mean[group[-1]] + 0.01 * (k - 1)]
        axes.plot(ends, [height, height], color="black", linewidth=3.2, solid_capstyle="butt")
    top = -0.85 - 0.3 * max(len(groups) - 1, 0)
    n_left = (k + 1) // 2
    for i, (method, rank) in enumerate(mean.items()):
        left = i < n_left
        height = top - 0.62 * (i if left else k - 1 - i)
        edge, name = (1 - 0.04 * (k - 1), "right") if left else (k + 0.04 * (k - 1), "left")
        look = LOOKS[method]
        axes.plot([rank, rank, edge], [0, height, height], color="#4d4d4d", linewidth=0.8)
        axes.plot(
            rank,
            0,
            marker=look.marker,
            color=look.colour,
            markersize=6,
            markeredgecolor="black",
            markeredgewidth=0.6,
            zorder=3,
        )
        gap = (-0.015 if left else 0.015) * (k - 1)
        axes.text(edge + gap, height, f"{look.label}  {rank:.2f}", ha=name, va="center")
    # The ruler of the critical difference, from the best possible rank on.
    axes.plot([1, 1 + least], [1.3, 1.3], color="black", linewidth=1.2, marker="|", markersize=6)
    p = f"p = {overall['p']:.3g}" if overall["p"] >= 0.001 else "p < .001"
    n = int(overall["n_datasets"])
    words = f"CD = {least:.2f}  (n = {n} data sets; Friedman {p})"
    axes.text(1, 1.5, words, ha="left", va="bottom")
    # The axis, or the ruler where it is longer, with room for the names at both ends.
    width = max(k - 1, least)
    axes.set_xlim(1 - 0.27 * width, 1 + 1.27 * width)
    axes.set_ylim(top - 0.62 * (n_left - 1) - 0.4, 2.2)
