"""Tables, figures and plain answers of what goes beyond chapter 4.

Nothing here stands in the thesis, so that there is no published value beside it. Each function is
named by the id of the table or figure that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from hedgerow.experiments.search_beyond import (
    COMPARED,
    LEARNERS,
    OBJECTIVES,
    PRUNED,
    SEARCHERS,
    UNPRUNED,
    WIDENING,
    SearchBeyondPlan,
    comparable,
    rules_of,
)
from hedgerow.reporting.figures import LOOKS, WIDTH, Look, style

MEAN = "mean_over_datasets"

#: A test over data sets is called a difference below this.
LEVEL = 0.05
#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6
#: A gap narrower than this, in points, is none.
NO_GAP = 1e-9

#: Where a tree is measured -> rows from which C4.5 and the optimum beside it have learnt.
VIEWS = {
    "training": "training",
    "induction": "induction",
    "validation": "induction",
    "test": "training",
}

LEARNER_LABELS = {
    "c45_unpruned": "C4.5, not pruned",
    "c45_pruned": "C4.5, pruned",
    "uct_vs": "UCT-DT, VS",
    "uct_c45": "UCT-DT, C4.5",
    "uct_vs_no_pruning": "UCT-DT, VS, no search pruning",
    "uct_vs_all_tests": "UCT-DT, VS, no search pruning, all tests",
    "optimal_accuracy": "optimum of accuracy",
    "optimal_f1": "optimum of F1",
    "optimal_f1_labels": "optimum of F1, any label",
    "optimal_validation": "optimum of validation F1",
}

#: How learners are drawn: colours of Okabe and Ito (2008) as for methods.
LEARNER_LOOKS = {
    "c45_pruned": Look(LEARNER_LABELS["c45_pruned"], "#999999", "o", "-", ""),
    "uct_vs": Look(LEARNER_LABELS["uct_vs"], "#0072B2", "^", "-.", ""),
    "uct_c45": Look(LEARNER_LABELS["uct_c45"], "#009E73", "v", (0, (5, 1)), ""),
    "uct_vs_no_pruning": Look(LEARNER_LABELS["uct_vs_no_pruning"], "#56B4E9", "<", ":", ""),
    "uct_vs_all_tests": Look(LEARNER_LABELS["uct_vs_all_tests"], "#E69F00", "s", "--", ""),
    "optimum": Look("optimum", "#000000", "D", "-", ""),
    "optimal_f1_labels": Look(LEARNER_LABELS["optimal_f1_labels"], "#D55E00", "X", ":", ""),
    "optimal_validation": Look(LEARNER_LABELS["optimal_validation"], "#CC79A7", "P", "--", ""),
}

RULE_LABELS = {
    "ucb": "upper confidence bound",
    "simple_regret": "simple regret",
    "best": "best reward",
}

METRIC_UNITS = {
    "f1": "percent",
    "validation_f1": "percent",
    "n_leaves": "leaves",
    "f1_per_leaf": "percent_per_leaf",
}


def rule_label(rule: str) -> str:
    """How a table names a rule of selection."""
    if rule.startswith(f"{WIDENING}_"):
        return f"bound, widening {rule.removeprefix(f'{WIDENING}_')}"
    return RULE_LABELS[rule]


# ------------------------------------------------------------------------------------ tables


def search_beyond_gap(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of the gap between C4.5 and the optimum, and of the part that UCT-DT closes.

    Parameters
    ----------
    tables : mapping of DataFrame
        `optimum` is read, as returned by `hedgerow.experiments.search_beyond.optimum`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.search_beyond.statistics`.
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        One row per objective (accuracy; f1: macro F1 of two classes), set of rows that is measured,
        depth, learner, rows that it learns from, and data set. `dataset` is a key, or
        `mean_over_datasets`. Columns: measured (per cent, mean over splits), difference_c45 (points
        above C4.5 without pruning; on the rows of `VIEWS`), gap (points of the optimum above C4.5),
        gap_closed (per cent of it; over data sets the ratio of the sums), n_leaves, n_datasets, and
        of test rows p, p_holm, p_splits, p_splits_holm against C4.5 without pruning on all training
        rows. There is no gap in test data, where no tree is optimal. `absent`: data sets asked for
        that no source had, separated by semicolons; `library`: what has checked the most accurate
        trees.
    """
    rows = tables["optimum"]
    frames = []
    for objective, best in OBJECTIVES.items():
        own = comparable(rows, objective)
        key = ["depth", "learner", "trained_on", "dataset"]
        for measured, learnt_from in VIEWS.items():
            values = own.assign(measured=own[f"{objective}_{measured}"])
            values = values.groupby(key, as_index=False)[["measured", "n_leaves"]].mean()
            values = _of_view(values, objective, measured, learnt_from)
            values = values.merge(
                _one(values, "c45_unpruned", learnt_from, "base"), on=["depth", "dataset"]
            )
            values["difference_c45"] = values["measured"] - values.pop("base")
            target = best if measured != "validation" else "optimal_validation"
            trained_on = learnt_from if measured != "validation" else "training"
            there = _one(values, target, trained_on, "gap", "difference_c45")
            if measured == "test" or there.empty:
                values["gap"] = np.nan
            else:
                values = values.merge(there, on=["depth", "dataset"], how="left")
            values = pd.concat([_mean_rows(values), values.assign(n_datasets=1)])
            values["gap_closed"] = (
                100.0 * values["difference_c45"] / values["gap"].where(values["gap"] > NO_GAP)
            )
            frames.append(values.assign(objective=objective, measured_on=measured))
    table = pd.concat(frames, ignore_index=True)
    table = table.merge(_gap_tests(statistics), on=_GAP_CELL, how="left")
    table.loc[table["dataset"] != MEAN, list(_P_NAMES.values())] = np.nan
    absent = sorted(set(plan.optimum_datasets) - set(rows["dataset"]))
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(absent), "")
    table["library"] = plan.library
    order = {
        "dataset": [MEAN, *sorted(rows["dataset"].unique())],
        "objective": list(OBJECTIVES),
        "measured_on": list(VIEWS),
        "depth": sorted(rows["depth"].unique()),
        "learner": list(LEARNERS),
        "trained_on": ["training", "induction"],
    }
    columns = ["objective", "measured_on", "depth", "learner", "trained_on", "dataset", "measured"]
    columns += ["difference_c45", "gap", "gap_closed", "n_leaves", "n_datasets"]
    return _ordered(table, order, [*columns, *_P_NAMES.values(), "absent", "library"])


def _of_view(values, objective, measured, learnt_from) -> pd.DataFrame:
    """Learners that are fair to compare where they are measured."""
    searcher = values["learner"].isin(SEARCHERS)
    keep = searcher | (values["trained_on"] == learnt_from)
    if measured == "test":
        keep |= values["trained_on"] == "induction"
    validated = values["learner"] == "optimal_validation"
    keep = keep & ~validated | validated & (measured in ("validation", "test"))
    if measured == "validation":  # another objective's optimum says nothing here
        keep &= ~values["learner"].isin([*OBJECTIVES.values(), "optimal_f1_labels"])
    return values[keep]


def _one(values, learner, trained_on, name, column="measured") -> pd.DataFrame:
    """One learner's values by depth and data set, under another name."""
    own = values[(values["learner"] == learner) & (values["trained_on"] == trained_on)]
    return own[["depth", "dataset", column]].rename(columns={column: name})


def _mean_rows(values: pd.DataFrame) -> pd.DataFrame:
    key = ["depth", "learner", "trained_on"]
    numbers = ["measured", "difference_c45", "gap", "n_leaves"]
    grouped = values.groupby(key)
    # A gap is there for all sets of an objective or for none.
    mean = grouped[numbers].mean()
    mean["n_datasets"] = grouped["dataset"].nunique()
    return mean.reset_index().assign(dataset=MEAN)


_P_NAMES = {
    ("datasets", "none"): "p",
    ("datasets", "holm"): "p_holm",
    ("splits", "none"): "p_splits",
    ("splits", "holm"): "p_splits_holm",
}
_GAP_CELL = ["objective", "measured_on", "depth", "learner", "trained_on"]


def _gap_tests(statistics: pd.DataFrame) -> pd.DataFrame:
    own = statistics[statistics["part"] == "optimum"]
    learner = own["first"].astype(str).str.split("/", expand=True).reindex(columns=[0, 1])
    learner = learner.astype(object)
    own = own.assign(
        objective=own["metric"].str.removesuffix("_test"),
        measured_on="test",
        depth=own["cell"].astype(int),
        learner=learner[0],
        trained_on=learner[1],
    )
    return _wide_p(own, _GAP_CELL)


def _wide_p(tests: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """One column per pairing and correction."""
    columns = {
        name: tests[(tests["pairing"] == pairing) & (tests["correction"] == correction)].set_index(
            cell
        )["p"]
        for (pairing, correction), name in _P_NAMES.items()
    }
    return pd.concat(columns, axis=1).rename_axis(cell).reset_index()


def _ordered(table: pd.DataFrame, order: Mapping[str, list], columns: list[str]) -> pd.DataFrame:
    """Rows in the order of the names, numbers rounded so that no order of a sum shows."""
    rank = pd.DataFrame({c: table[c].map(list(names).index) for c, names in order.items()})
    rank = rank.sort_values(list(order), kind="stable")
    table = table.loc[rank.index].reindex(columns=columns).reset_index(drop=True)
    numbers = [c for c in table.select_dtypes("float").columns if not c.startswith("p")]
    table[numbers] = table[numbers].round(6) + 0.0
    return table


def search_beyond_rules(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of rules of selection at the same number of iterations.

    Parameters
    ----------
    tables : mapping of DataFrame
        `selection` is read.
    statistics : DataFrame
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, method, rule and data set (a key, or `mean_over_datasets`). Columns:
        metric, unit, method, rule, dataset, measured (mean over splits), difference_ucb (to the
        upper confidence bound of the same method), n_better and n_worse (data sets on which the
        rule is better or worse), n_datasets, p, p_holm, p_splits, p_splits_holm, absent.
    """
    rows = tables["selection"]
    frames = []
    for metric, more in COMPARED.items():
        key = ["method", "rule", "dataset"]
        values = rows.groupby(key, as_index=False)[metric].mean()
        values = values.rename(columns={metric: "measured"})
        bound = values[values["rule"] == "ucb"].set_index(["method", "dataset"])["measured"]
        values = values.join(bound.rename("bound"), on=["method", "dataset"])
        values["difference_ucb"] = values["measured"] - values.pop("bound")
        gain = values["difference_ucb"] * (1 if more else -1)
        values = values.assign(n_better=gain > NO_GAP, n_worse=gain < -NO_GAP, n_datasets=1)
        grouped = values.groupby(["method", "rule"])
        mean = grouped[["measured", "difference_ucb"]].mean()
        mean = mean.join(grouped[["n_better", "n_worse", "n_datasets"]].sum())
        mean = mean.reset_index().assign(dataset=MEAN)
        frames.append(pd.concat([mean, values]).assign(metric=metric, unit=METRIC_UNITS[metric]))
    table = pd.concat(frames, ignore_index=True)
    table[["n_better", "n_worse"]] = table[["n_better", "n_worse"]].astype(int)
    tests = statistics[statistics["part"] == "selection"]
    tests = tests.rename(columns={"cell": "method", "first": "rule"})
    table = table.merge(
        _wide_p(tests, ["metric", "method", "rule"]), on=["metric", "method", "rule"], how="left"
    )
    own = (table["dataset"] != MEAN) | (table["rule"] == "ucb")
    table.loc[own, list(_P_NAMES.values())] = np.nan
    table.loc[table["rule"] == "ucb", "difference_ucb"] = np.nan
    absent = sorted(set(plan.datasets) - set(rows["dataset"]))
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(absent), "")
    order = {
        "dataset": [MEAN, *sorted(rows["dataset"].unique())],
        "metric": list(COMPARED),
        "method": list(plan.policies),
        "rule": list(rules_of(plan)),
    }
    columns = ["metric", "unit", "method", "rule", "dataset", "measured", "difference_ucb"]
    columns += ["n_better", "n_worse", "n_datasets", *_P_NAMES.values(), "absent"]
    return _ordered(table, order, columns)


def search_beyond_progress(
    tables: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of what each method has found after so many iterations.

    Parameters
    ----------
    tables : mapping of DataFrame
        `anytime` is read.
    statistics : DataFrame, not used
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        One row per method, search pruning (`criterion`), point of the grid and data set (a key, or
        `mean_over_datasets`). Columns: method, criterion, budget (iterations; tree evaluations of
        ETE; 0 for C4.5), dataset, iterations (done, mean over splits: a search that has nothing
        left to try ends early, an evolution ends with its generation), f1, validation_f1 (per
        cent), n_leaves, difference_c45 (test F1, points), n_datasets, absent.
    """
    rows = tables["anytime"]
    budget = np.where(rows["method"] == "c45", 0, np.array(plan.grid)[rows["step"]])
    key = ["method", "criterion", "budget", "dataset"]
    numbers = ["iterations", "f1", "validation_f1", "n_leaves"]
    values = rows.assign(budget=budget).groupby(key, as_index=False)[numbers].mean()
    c45 = values[values["method"] == "c45"].set_index("dataset")["f1"]
    values["difference_c45"] = values["f1"] - values["dataset"].map(c45)
    grouped = values.groupby(key[:-1])
    mean = grouped[[*numbers, "difference_c45"]].mean()
    mean["n_datasets"] = grouped["dataset"].nunique()
    mean = mean.reset_index().assign(dataset=MEAN)
    table = pd.concat([mean, values.assign(n_datasets=1)], ignore_index=True)
    absent = sorted(set(plan.datasets) - set(rows["dataset"]))
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(absent), "")
    order = {
        "dataset": [MEAN, *sorted(rows["dataset"].unique())],
        "method": list(_CURVES),
        "criterion": ["", PRUNED, UNPRUNED],
        "budget": [0, *plan.grid],
    }
    columns = ["method", "criterion", "budget", "dataset", *numbers, "difference_c45"]
    return _ordered(table, order, [*columns, "n_datasets", "absent"])


#: Methods of the curves in the order of a legend.
_CURVES = ("c45", "ete", "uct_vs", "uct_c45", "uct_c45b")


def running_times(times: pd.DataFrame, plan: SearchBeyondPlan) -> pd.DataFrame:
    """Mean seconds of every point of the anytime curves; kept apart from all results.

    Parameters
    ----------
    times : DataFrame
        As `anytime` of the experiment returns them, of all data sets.
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        method, criterion, budget, seconds (mean over splits and data sets), n.
    """
    budget = np.where(times["method"] == "c45", 0, np.array(plan.grid)[times["step"]])
    key = ["method", "criterion", "budget"]
    grouped = times.assign(budget=budget).groupby(key)["seconds"]
    return grouped.agg(seconds="mean", n="size").reset_index().round({"seconds": 6})


# ----------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Gap:
    """How far a search comes from C4.5 to the optimum, means over data sets.

    Attributes
    ----------
    objective, learner : str
    depth, n : int
        Limit of the depth, number of data sets.
    training, validation : float
        Per cent of the gap that is closed; NaN where there is none.
    gap : float
        Points of the optimum above C4.5 without pruning, in training data.
    test, p : float
        Points above C4.5 without pruning in test data; Wilcoxon over data sets.
    optimum_test : float
        The same of the optimum.
    """

    objective: str
    learner: str
    depth: int
    n: int
    gap: float
    training: float
    validation: float
    test: float
    p: float
    optimum_test: float


def gaps(table: pd.DataFrame) -> list[Gap]:
    """One answer per objective, depth and variant of UCT-DT.

    Parameters
    ----------
    table : DataFrame, as returned by `search_beyond_gap`

    Returns
    -------
    list of Gap; empty without any optimum
    """
    means = table[table["dataset"] == MEAN]
    cells = means.set_index(["objective", "measured_on", "depth", "learner", "trained_on"])
    found = []
    for objective, best in OBJECTIVES.items():
        for depth in sorted(means.loc[means["objective"] == objective, "depth"].unique()):
            if (objective, "training", depth, best, "training") not in cells.index:
                continue
            for learner in SEARCHERS:
                own = {w: cells.loc[(objective, w, depth, learner, "training")] for w in VIEWS}
                optimum = cells.loc[(objective, "test", depth, best, "training")]
                found.append(
                    Gap(
                        objective,
                        learner,
                        int(depth),
                        int(own["training"]["n_datasets"]),
                        float(own["training"]["gap"]),
                        float(own["training"]["gap_closed"]),
                        float(own["validation"]["gap_closed"]),
                        float(own["test"]["difference_c45"]),
                        float(own["test"]["p"]),
                        float(optimum["difference_c45"]),
                    )
                )
    return found


def verdict(rules: pd.DataFrame, rule: str) -> str:
    """One plain sentence: is a rule of selection better than the upper confidence bound?

    Parameters
    ----------
    rules : DataFrame, as returned by `search_beyond_rules`
    rule : str

    Returns
    -------
    str, without a full stop; by the test of F1 on the test part over data sets
    """
    means = rules[(rules["dataset"] == MEAN) & (rules["rule"] == rule) & (rules["metric"] == "f1")]
    if means.empty or means["n_datasets"].max() < FEWEST_DATASETS:
        n = int(means["n_datasets"].max()) if len(means) else 0
        return f"It cannot be told from {n} data set{'' if n == 1 else 's'}"
    differs = means[means["p"] < LEVEL]
    up = int((differs["difference_ucb"] > 0).sum())
    down = len(differs) - up
    n = len(means)
    of = f"of {n} simulation {'policies' if n > 1 else 'policy'}"
    if not up and not down:
        return f"No: by the test its F1 differs under none {of}"
    if not down:
        return f"{'Yes' if up == n else 'In part'}: its F1 is higher under {up} {of}"
    if not up:
        return f"No, it harms: its F1 is lower under {down} {of}"
    return f"It depends: its F1 is higher under {up} {of} and lower under {down}"


def settled(table: pd.DataFrame, within: float = 0.5) -> list[dict]:
    """After how many iterations the validation F1 of each curve stays near its last value.

    Parameters
    ----------
    table : DataFrame, as returned by `search_beyond_progress`
    within : float
        Points of per cent.

    Returns
    -------
    list of dict
        method, criterion, budget (first point of the grid from which on the mean over data sets is
        `within` of the last), last_budget, validation_f1, f1 (of the last point).
    """
    means = table[(table["dataset"] == MEAN) & table["validation_f1"].notna()]
    found = []
    for (method, criterion), curve in means.groupby(["method", "criterion"], sort=False):
        curve = curve.sort_values("budget")
        last = curve.iloc[-1]
        far = (curve["validation_f1"] - last["validation_f1"]).abs() > within
        first = curve["budget"][~far[::-1].cummax()[::-1]].iloc[0]
        found.append(
            {
                "method": method,
                "criterion": criterion,
                "budget": int(first),
                "last_budget": int(last["budget"]),
                "validation_f1": float(last["validation_f1"]),
                "f1": float(last["f1"]),
            }
        )
    return found


# ---------------------------------------------------------------------------------- captions


def captions(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> dict[str, str]:
    """Caption of every table and figure, by id: what it shows and what was run.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id, or those of the experiment by name.
    plan : SearchBeyondPlan

    Returns
    -------
    dict of str
    """

    def ran(name: str, asked: tuple, n_splits: int) -> str:
        there = sorted(set(tables[name]["dataset"]) - {MEAN})
        text = (
            f"Run: {', '.join(there) or 'no data set'}, {n_splits} train-test "
            f"split{'s' if n_splits > 1 else ''} each, configuration {plan.configuration}."
        )
        absent = sorted(set(asked) - set(there))
        if absent:
            text += f" Absent, because no source answered: {', '.join(absent)}."
        return text

    of_gap = ran("search_beyond_gap", plan.optimum_datasets, plan.optimum_splits)
    of_rules = ran("search_beyond_rules", plan.datasets, plan.n_splits)
    of_curves = ran("search_beyond_progress", plan.datasets, plan.anytime_splits)
    binary = (
        f"All learners see the same binary table: {plan.n_thresholds} quantiles of each numeric "
        f"variable, an indicator per category. UCT-DT has {plan.optimum_iterations:,} iterations. "
        f"Macro F1 is over sets of two classes and up to depth {plan.largest_f1_depth}."
    )
    return {
        "search_beyond_gap": "Points above C4.5 without pruning at the same limit of the depth, "
        "means over data sets, and in brackets the per cent of the gap between C4.5 and the "
        f"optimum that a learner closes. {binary} {of_gap}",
        "search_beyond_distance": "Points above C4.5 without pruning at the same limit of the "
        f"depth, means over data sets, by the rows that are measured. {binary} {of_gap}",
        "search_beyond_rules": "Difference to the upper confidence bound after the same "
        f"{plan.n_iterations:,} iterations, means over data sets; the line of the bound is its "
        f"value. Both kinds of search pruning. {of_rules}",
        "search_beyond_progress": "Means over data sets after so many iterations, which are tree "
        f"evaluations of ETE. {of_curves}",
        "search_beyond_curves": "F1 on the test part and on the validation set, and leaves, of the "
        "best tree so far; means over data sets. ETE counts tree evaluations and has no validation "
        f"set. {of_curves}",
    }


# ----------------------------------------------------------------------------------- figures


def search_beyond_distance(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> Figure:
    """Figure of the distance to C4.5 by depth, of UCT-DT and of the optimum.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `search_beyond_gap` is read.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
        A row per objective, a column per set of rows that is measured.
    """
    table = tables["search_beyond_gap"]
    means = table[table["dataset"] == MEAN]
    titles = {
        "training": "all training rows",
        "induction": "induction set",
        "validation": "validation set",
        "test": "test part",
    }
    with style():
        figure = Figure(figsize=(WIDTH, 5.0), layout="constrained")
        grid = figure.subplots(2, 4, sharex="row")
        for axes_row, (objective, best) in zip(grid, OBJECTIVES.items(), strict=True):
            for axes, measured in zip(axes_row, VIEWS, strict=True):
                if objective == "accuracy" and measured == "validation":
                    axes.set_axis_off()  # searches maximise F1 there, and no optimum is known
                    continue
                cells = means[
                    (means["objective"] == objective) & (means["measured_on"] == measured)
                ]
                _by_depth(axes, cells, best, VIEWS[measured])
                axes.set_title(titles[measured])
                axes.set_xlabel("Largest depth (tests)")
            name = {"accuracy": "Accuracy", "f1": "Macro F1"}[objective]
            axes_row[0].set_ylabel(f"{name} minus that of\nC4.5 (points of %)")
        known = {}
        for axes in grid.flat:
            known |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        shown = [look.label for look in LEARNER_LOOKS.values() if look.label in known]
        figure.legend(
            [known[label] for label in shown], shown, loc="outside upper center", ncols=3,
            handlelength=3.0,
        )  # fmt: skip
    return figure


def _by_depth(axes, cells: pd.DataFrame, best: str, learnt_from: str) -> None:
    """One panel: a line per learner over the depth."""
    axes.axhline(0, color="black", linewidth=0.7)
    axes.grid(axis="y")
    for i, (learner, look) in enumerate(LEARNER_LOOKS.items()):
        name = best if learner == "optimum" else learner
        own = cells[cells["learner"] == name]
        if name in ("c45_pruned", best):
            own = own[own["trained_on"] == learnt_from]
        own = own.sort_values("depth")
        if len(own):
            axes.plot(
                own["depth"] + 0.03 * (i - len(LEARNER_LOOKS) / 2),  # equal values stay visible
                own["difference_c45"],
                color=look.colour,
                linestyle=look.line,
                label=look.label,
                **_mark(look, 4.5),
            )
    depths = sorted(cells["depth"].unique())
    axes.set_xticks(depths)
    if depths:
        axes.set_xlim(depths[0] - 0.3, depths[-1] + 0.3)


def _mark(look: Look, size: float, filled: bool = True) -> dict:
    return {
        "marker": look.marker,
        "markersize": size,
        "markerfacecolor": look.colour if filled else "white",
        "markeredgecolor": "black" if filled else look.colour,
        "markeredgewidth": 0.6,
    }


_PANELS = {
    "f1": "Test F1 (%)",
    "validation_f1": "Validation F1 (%)",
    "n_leaves": "Leaves",
}


def search_beyond_curves(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> Figure:
    """Figure of anytime curves: F1 and leaves against iterations.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `search_beyond_progress` is read.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
        A row per quantity; on the left with both kinds of search pruning, on the right with none.
    """
    table = tables["search_beyond_progress"].fillna({"criterion": ""})
    means = table[table["dataset"] == MEAN]
    return _curves(means.assign(x=means["budget"]), "Iterations (ETE: tree evaluations)", _PANELS)


def curves_by_seconds(
    tables: Mapping[str, pd.DataFrame], times: pd.DataFrame, plan: SearchBeyondPlan
) -> Figure:
    """The same curves against seconds, which no result depends on; kept apart from the report.

    Parameters
    ----------
    tables : mapping of DataFrame
        `search_beyond_progress` is read.
    times : DataFrame
        As returned by `running_times`.
    plan : SearchBeyondPlan

    Returns
    -------
    Figure
    """
    table = tables["search_beyond_progress"].fillna({"criterion": ""})
    means = table[table["dataset"] == MEAN]
    times = times.fillna({"criterion": ""})
    key = ["method", "criterion", "budget"]
    means = means.merge(times[[*key, "seconds"]], on=key).rename(columns={"seconds": "x"})
    panels = {name: _PANELS[name] for name in ("f1", "validation_f1")}
    return _curves(means, "Seconds", panels)


def _curves(means: pd.DataFrame, label: str, panels: Mapping[str, str]) -> Figure:
    """Lines of every method against x, a row per quantity, a column per kind of pruning."""
    columns = {PRUNED: "both kinds of search pruning", UNPRUNED: "no search pruning"}
    with style():
        figure = Figure(figsize=(WIDTH, 0.8 + 1.9 * len(panels)), layout="constrained")
        grid = figure.subplots(len(panels), 2, sharex=True, sharey="row")
        for axes_row, (quantity, title) in zip(grid, panels.items(), strict=True):
            for axes, (criterion, of_column) in zip(axes_row, columns.items(), strict=True):
                axes.grid(axis="y")
                axes.set_xscale("log")
                for method in _CURVES:
                    look = LOOKS[method]
                    curve = means[means["method"] == method].sort_values("budget")
                    curve = curve[curve["criterion"].isin(["", criterion])]
                    curve = curve.dropna(subset=[quantity])
                    if method == "c45" and len(curve):
                        value = curve[quantity].iloc[0]
                        axes.axhline(value, color="#777777", label=look.label, zorder=1.5)
                    elif len(curve):
                        axes.plot(
                            curve["x"],
                            curve[quantity],
                            color=look.colour,
                            linestyle=look.line,
                            label=look.label,
                            **_mark(look, 3.8),
                        )
                if quantity == next(iter(panels)):
                    axes.set_title(of_column)
            axes_row[0].set_ylabel(title)
        for axes in grid[-1]:
            axes.set_xlabel(label)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=max(len(labels), 1), handlelength=2.8
        )
    return figure
