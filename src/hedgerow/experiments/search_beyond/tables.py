"""Tables of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.experiments.behind import Selector
from hedgerow.experiments.search_beyond.plan import (
    COMPARED,
    LEARNERS,
    METRICS_OF_RULES,
    NO_GAP,
    OBJECTIVES,
    PRUNED,
    SEARCHERS,
    UNPRUNED,
    WIDENING,
    SearchBeyondPlan,
    rules_of,
)
from hedgerow.experiments.search_beyond.statistics import comparable, rows_of
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.tables import MEAN, how_many, in_rows, p_columns, ran

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


def said(tables: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    tables : mapping of DataFrame
        Tables of this module by id.
    plan : SearchBeyondPlan

    Returns
    -------
    dict of str
    """

    def of(name: str, asked: tuple, n_splits: int) -> str:
        there = set(tables[name]["dataset"]) - {MEAN}
        return ran(there, asked, how_many(n_splits, "train-test split"), plan.configuration)

    return {
        "of_gap": of("search_beyond_gap", plan.optimum_datasets, plan.optimum_splits),
        "of_rules": of("search_beyond_rules", plan.datasets, plan.n_splits),
        "of_curves": of("search_beyond_progress", plan.datasets, plan.anytime_splits),
        "binary": f"All learners see the same binary table: {plan.n_thresholds} quantiles of each "
        "numeric variable, an indicator per category. UCT-DT has "
        f"{plan.optimum_iterations:,} iterations. Macro F1 is over sets of two classes and up to "
        f"depth {plan.largest_f1_depth}.",
        "n_iterations": f"{plan.n_iterations:,}",
    }


def _behind_means(
    row: int, line: Mapping[str, Any], rows: Rows, datasets: list[str], columns: Mapping[str, str]
) -> Iterator[Cell]:
    """Means over divisions of a data set, or over data sets of these."""
    where = {**rows.where, "dataset": datasets if line["dataset"] == MEAN else line["dataset"]}
    for column, value in columns.items():
        if pd.notna(line[column]):
            own = (Rows(rows.of, where, value),)
            yield Cell(row, column, "mean_of_means", own, by=("dataset",))


def behind_gap(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """The gap rests on the trees of every learner, and its tests on test rows."""
    rows = measured["optimum"]
    select = {o: Selector(comparable(rows, o)) for o in table["objective"].unique()}
    for row, line in enumerate(table.to_dict("records")):
        own = {"depth": line["depth"], "learner": line["learner"]}
        own["trained_on"] = line["trained_on"]
        sets = select[line["objective"]].data_sets(own)
        value = f"{line['objective']}_{line['measured_on']}"
        means = Rows("measured/optimum", own)
        yield from _behind_means(
            row, line, means, sets, {"measured": value, "n_leaves": "n_leaves"}
        )
        yield from _behind_tests(
            row,
            line,
            {
                "part": "optimum",
                "cell": str(line["depth"]),
                "metric": value,
                "first": f"{line['learner']}/{line['trained_on']}",
            },
        )


def behind_rules(table: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> Iterator[Cell]:
    """Rules of selection rest on their searches."""
    sets = sorted(set(measured["selection"]["dataset"]))
    for row, line in enumerate(table.to_dict("records")):
        own = {"method": line["method"], "rule": line["rule"]}
        rows = Rows("measured/selection", own)
        yield from _behind_means(row, line, rows, sets, {"measured": line["metric"]})
        test = {"part": "selection", "cell": line["method"], "metric": line["metric"]}
        yield from _behind_tests(row, line, {**test, "first": line["rule"]})


def behind_progress(
    table: pd.DataFrame, measured: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan
) -> Iterator[Cell]:
    """Curves rest on what each method has found after so many iterations."""
    select = Selector(measured["anytime"])
    for row, line in enumerate(table.to_dict("records")):
        own = {"method": line["method"], "criterion": line["criterion"]}
        if line["budget"]:
            own["step"] = list(plan.grid).index(line["budget"])
        sets = select.data_sets(own)
        numbers = {name: name for name in ("iterations", "f1", "validation_f1", "n_leaves")}
        yield from _behind_means(row, line, Rows("measured/anytime", own), sets, numbers)


def _behind_tests(row: int, line: Mapping[str, Any], where: Mapping[str, Any]) -> Iterator[Cell]:
    for column, test in COMPARED.ps.items():
        if pd.notna(line[column]):
            yield Cell(row, column, "value", (Rows("statistics", {**where, **test}, "p"),))


@table(
    "C4.5, tree search and the optimum",
    caption="Points above C4.5 without pruning at the same limit of the depth, means over data "
    "sets, and in brackets the per cent of the gap between C4.5 and the optimum that a learner "
    "closes. {binary} {of_gap}",
    words=said,
    behind=behind_gap,
)
def search_beyond_gap(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of the gap between C4.5 and the optimum, and of the part that UCT-DT closes.

    Parameters
    ----------
    measured : mapping of DataFrame
        `optimum` is read, as returned by `hedgerow.experiments.search_beyond.steps.optimum`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.search_beyond.statistics.merged`.
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
    rows = measured["optimum"]
    frames = []
    for objective, best in OBJECTIVES.items():
        own = comparable(rows, objective)
        key = ["depth", "learner", "trained_on", "dataset"]
        for view, learnt_from in VIEWS.items():
            values = own.assign(measured=own[f"{objective}_{view}"])
            values = values.groupby(key, as_index=False)[["measured", "n_leaves"]].mean()
            values = _of_view(values, objective, view, learnt_from)
            values = values.merge(
                _one(values, "c45_unpruned", learnt_from, "base"), on=["depth", "dataset"]
            )
            values["difference_c45"] = values["measured"] - values.pop("base")
            target = best if view != "validation" else "optimal_validation"
            trained_on = learnt_from if view != "validation" else "training"
            there = _one(values, target, trained_on, "gap", "difference_c45")
            if view == "test" or there.empty:
                values["gap"] = np.nan
            else:
                values = values.merge(there, on=["depth", "dataset"], how="left")
            values = pd.concat([_mean_rows(values), values.assign(n_datasets=1)])
            values["gap_closed"] = (
                100.0 * values["difference_c45"] / values["gap"].where(values["gap"] > NO_GAP)
            )
            frames.append(values.assign(objective=objective, measured_on=view))
    table = pd.concat(frames, ignore_index=True)
    table["metric"] = table["objective"] + "_" + table["measured_on"]
    table["cell"] = table["depth"].astype(str)
    table["method"] = table["learner"] + "/" + table["trained_on"]
    table = _with_tests(table, statistics, "optimum")
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
    return _ordered(table, order, [*columns, *COMPARED.ps, "absent", "library"])


def _of_view(values, objective, view, learnt_from) -> pd.DataFrame:
    """Learners that are fair to compare where they are measured."""
    searcher = values["learner"].isin(SEARCHERS)
    keep = searcher | (values["trained_on"] == learnt_from)
    if view == "test":
        keep |= values["trained_on"] == "induction"
    validated = values["learner"] == "optimal_validation"
    keep = keep & ~validated | validated & (view in ("validation", "test"))
    if view == "validation":  # another objective's optimum says nothing here
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


#: What tests are found by.
_TESTED = ["metric", "cell", "method"]


def _with_tests(table: pd.DataFrame, statistics: pd.DataFrame, part: str) -> pd.DataFrame:
    """Columns of p beside means over data sets."""
    tests = statistics[statistics["part"] == part].rename(columns={"first": "method"})
    names = {tuple(where.values()): name for name, where in COMPARED.ps.items()}
    p = p_columns(tests, _TESTED, names, by=("pairing", "correction")).assign(dataset=MEAN)
    return table.merge(p, on=[*_TESTED, "dataset"], how="left")


def _ordered(table: pd.DataFrame, order: Mapping[str, list], columns: list[str]) -> pd.DataFrame:
    """Rows in the order of the names, numbers rounded so that no order of a sum shows."""
    table = in_rows(table, order).reindex(columns=columns)
    numbers = [c for c in table.select_dtypes("float").columns if not c.startswith("p")]
    table[numbers] = table[numbers].round(6) + 0.0
    return table


@table(
    "Rules of selection",
    caption="Difference to the upper confidence bound after the same {n_iterations} iterations, "
    "means over data sets; the line of the bound is its value. Both kinds of search pruning. "
    "{of_rules}",
    words=said,
    behind=behind_rules,
)
def search_beyond_rules(
    measured: Mapping[str, pd.DataFrame], statistics: pd.DataFrame, plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of rules of selection at the same number of iterations.

    Parameters
    ----------
    measured : mapping of DataFrame
        `selection` is read.
    statistics : DataFrame
    plan : SearchBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, method, rule and data set (a key, or `mean_over_datasets`). Columns:
        metric, unit, method, rule, dataset, measured (mean over splits), difference_ucb (to the
        upper confidence bound of the same method), wins and losses (data sets on which the
        rule is better and worse), n_datasets, p, p_holm, p_splits, p_splits_holm, absent.
    """
    rows = measured["selection"]
    own = rows_of(measured)
    own = own[own["part"] == "selection"]
    frames = []
    for dataset, of in {MEAN: own, **dict(list(own.groupby("dataset")))}.items():
        sets = of.groupby([*_TESTED, "dataset"])["value"].mean().groupby(_TESTED)
        beside = COMPARED.beside(of, "selection").rename(columns={"first": "method"})
        beside = beside.set_index(_TESTED)[["difference", "wins", "losses"]]
        values = sets.agg(measured="mean", n_datasets="size").join(beside)
        frames.append(values.reset_index().assign(dataset=dataset))
    table = _with_tests(pd.concat(frames, ignore_index=True), statistics, "selection")
    table[["wins", "losses"]] = table[["wins", "losses"]].fillna(0).astype(int)
    table["unit"] = table["metric"].map(METRIC_UNITS)
    names = {"cell": "method", "method": "rule", "difference": "difference_ucb"}
    table = table.rename(columns=names)
    absent = sorted(set(plan.datasets) - set(rows["dataset"]))
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(absent), "")
    order = {
        "dataset": [MEAN, *sorted(rows["dataset"].unique())],
        "metric": list(METRICS_OF_RULES),
        "method": list(plan.policies),
        "rule": list(rules_of(plan)),
    }
    columns = ["metric", "unit", "method", "rule", "dataset", "measured", "difference_ucb"]
    columns += ["wins", "losses", "n_datasets", *COMPARED.ps, "absent"]
    return _ordered(table, order, columns)


@table(
    "What is found after so many iterations",
    caption="Means over data sets after so many iterations, which are tree evaluations of ETE. "
    "{of_curves}",
    words=said,
    behind=behind_progress,
)
def search_beyond_progress(
    measured: Mapping[str, pd.DataFrame], plan: SearchBeyondPlan
) -> pd.DataFrame:
    """Table of what each method has found after so many iterations.

    Parameters
    ----------
    measured : mapping of DataFrame
        `anytime` is read.
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
    rows = measured["anytime"]
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
        "method": list(CURVES),
        "criterion": ["", PRUNED, UNPRUNED],
        "budget": [0, *plan.grid],
    }
    columns = ["method", "criterion", "budget", "dataset", *numbers, "difference_c45"]
    return _ordered(table, order, [*columns, "n_datasets", "absent"])


#: Methods of the curves in the order of a legend.
CURVES = ("c45", "ete", "uct_vs", "uct_c45", "uct_c45b")


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
