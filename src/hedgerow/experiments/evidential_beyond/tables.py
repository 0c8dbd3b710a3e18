"""Tables of what goes beyond the paper of E2M."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.experiments.behind import Selector, sides, tested
from hedgerow.experiments.evidential_beyond.plan import COMPARED, RIGHT, EvidentialBeyondPlan
from hedgerow.experiments.evidential_beyond.statistics import METHODS, POINTS, by_method
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.tables import how_many, ran

#: What texts call methods.
LABELS = {
    "e2m": "E2M",
    "e2m_pignistic": "pignistic draws",
    "cart": "CART",
    "c45": "C4.5",
    "ss": "soft search",
    "stp": "soft training propagation",
    "confdtree_tdist": "ConfDTree, TDIST",
    "confdtree_comb": "ConfDTree, COMB",
    "e2m_doubted": "E2M, intervals with doubt",
    "e2m_intervals": "E2M, intervals",
    "cart_means": "CART, means",
    "cart_single": "CART, one measurement",
    "e2m_odds": "E2M, doubts as odds",
    "e2m_votes": "E2M, votes",
    "cart_weighted": "CART, rows weighted by votes",
    "cart_majority": "CART, majority",
}
METRIC_LABELS = {
    "clean_error_rate": "Error before the noise",
    "error_rate": "Error on noised classes",
    "evidential_error_rate": "Evidential error",
}
COLUMNS = ["setting", "method", "metric", "value", "e2m", "difference", "wins", "n", "p", "p_holm"]
TESTS = (
    "Means over data sets, points; difference: of E2M less the other, below 0 favours E2M; wins: "
    "data sets on which E2M is better, of n; p of Wilcoxon's signed-rank test over data sets, "
    "plain and after Holm's correction over all rows of a metric."
)


def said(rows: pd.DataFrame, plan: EvidentialBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    rows : DataFrame
    plan : EvidentialBeyondPlan

    Returns
    -------
    dict of str
    """
    each = how_many(plan.n_repeats, "repeat")
    return {
        "ran": ran(set(rows["dataset"]), plan.datasets, each, plan.configuration)
        + f" At most {plan.n_rows} rows of each.",
        "draws": str(plan.n_draws),
        "factor": f"{plan.factor:g}",
        "k": str(plan.n_measurements),
        "outside": f"{2.0 ** (1 - plan.n_measurements):g}",
        "annotators": str(plan.n_annotators),
    }


def compared(rows: pd.DataFrame, statistics: pd.DataFrame, part: str) -> pd.DataFrame:
    """A line per setting, other method and metric of one part, beside E2M.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.statistics.merged`.
    part : str

    Returns
    -------
    DataFrame
        `COLUMNS`: value is the mean of the other method, e2m that of E2M.
    """
    own = statistics[statistics["part"] == part]
    p = own.pivot_table(
        index=["setting", "metric", "second"], columns="correction", values="p", sort=False
    )
    plain = own[own["correction"] == "none"].set_index(["setting", "metric", "second"])
    lines = []
    for metric in COMPARED[part] if len(own) else ():
        wide = by_method(rows, part, metric)
        first, *others = METHODS[part]
        for setting in sorted(set(own["setting"])):
            for other in others:
                if (setting, metric, other) not in plain.index:
                    continue
                test = plain.loc[(setting, metric, other)]
                both = wide[[(setting, first), (setting, other)]].dropna()
                one, two = both[setting, first], both[setting, other]
                line = {"setting": setting, "method": other, "metric": metric}
                line |= {"value": two.mean(), "e2m": one.mean(), "difference": test["difference"]}
                line |= {"wins": int((one < two).sum()), "n": int(test["n"])}
                line |= {"p": p.loc[(setting, metric, other), "none"]}
                lines.append({**line, "p_holm": p.loc[(setting, metric, other), "holm"]})
    return pd.DataFrame(lines, columns=COLUMNS).round(9)


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test."""
    part = identifier.removeprefix("evidential_beyond_")
    mine, select = METHODS[part][0], Selector(rows)
    for row, line in enumerate(table.to_dict("records")):
        own = {"part": part, "setting": line["setting"], "metric": line["metric"]}
        first, second = (Rows("rows", {**own, "method": m}) for m in (mine, line["method"]))
        yield from sides(row, ("e2m", "value"), first, second, select, POINTS)
        yield from tested(row, line, {**own, "first": mine, "second": line["method"]})


def behind_misjudged(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Rows and tests of doubts that are told otherwise, against those told as they are."""
    select = Selector(rows)
    for row, line in enumerate(table.to_dict("records")):
        own = {"part": "misjudged", "metric": line["metric"]}
        first = Rows("rows", {**own, "setting": line["setting"], "method": line["method"]})
        right = Rows("rows", {**own, "setting": RIGHT, "method": "e2m"})
        yield from sides(row, ("value", "right"), first, right, select, POINTS)
        yield from tested(row, line, {**own, "setting": line["setting"], "first": line["method"]})


@table(
    "Answers to doubt, by the level of the noise",
    caption="Error rates of E2M and of other learners on the same data, where every value and "
    "class has a doubt uniform on [0, level]. E2M and CART are grown on a third and pruned on "
    "another; so is CART on {draws} draws of each row from its pignistic distribution, which "
    "reads draws of the test rows as well. C4.5, soft trees (factor {factor}) and ConfDTree on "
    f"C4.5 prune by the rows they are grown from and get both thirds. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def evidential_beyond_sweep(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: EvidentialBeyondPlan
) -> pd.DataFrame:
    """E2M against the other answers to doubt.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.statistics.merged`.
    plan : EvidentialBeyondPlan

    Returns
    -------
    DataFrame
        As `compared` gives it.
    """
    return compared(rows, statistics, "sweep")


@table(
    "Intervals of repeated measurements",
    caption="Error rates where each number is measured {k} times with a normal error, a share "
    "(setting) of its variable's standard deviation; classes are certain. E2M reads the interval "
    "from the smallest to the largest, with a plausibility of {outside} outside of it (that the "
    "value is beyond all measurements) or of 0; CART their mean, or the first measurement. "
    f"{TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def evidential_beyond_repeated(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: EvidentialBeyondPlan
) -> pd.DataFrame:
    """E2M on intervals.

    Parameters
    ----------
    rows, statistics, plan
        As in `evidential_beyond_sweep`.

    Returns
    -------
    DataFrame
        As `compared` gives it, against E2M on intervals with doubt.
    """
    return compared(rows, statistics, "repeated")


@table(
    "Annotators who disagree",
    caption="Error rates by the true classes where {annotators} annotators name the class of each "
    "row, each wrong with a share of their own, uniform up to the setting; values are certain. E2M "
    "reads votes over the largest number of votes as plausibilities, CART the class with most "
    f"votes, or every class that was named, weighted by its votes. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def evidential_beyond_annotators(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: EvidentialBeyondPlan
) -> pd.DataFrame:
    """E2M on votes.

    Parameters
    ----------
    rows, statistics, plan
        As in `evidential_beyond_sweep`.

    Returns
    -------
    DataFrame
        As `compared` gives it.
    """
    return compared(rows, statistics, "annotators")


@table(
    "Doubts that are told otherwise",
    caption="Error rates of E2M on the noise of the paper where it is told every doubt times the "
    "setting (at most 1): 0 is no doubt. As odds: gamma / ((1 - gamma) K + gamma), how likely the "
    "noise makes one of K values or classes of another over how likely it leaves it (of numbers "
    "K = 2, the sides of a threshold). Means over data sets, points; difference: to doubts told as "
    "they are, below 0 favours the others; wins: data sets on which the others are better, of n; p "
    "of Wilcoxon's signed-rank test, plain and after Holm's correction over all rows of a metric. "
    "{ran}",
    words=said,
    behind=behind_misjudged,
)
def evidential_beyond_misjudged(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: EvidentialBeyondPlan
) -> pd.DataFrame:
    """E2M told its doubts otherwise than they are.

    Parameters
    ----------
    rows, statistics, plan
        As in `evidential_beyond_sweep`.

    Returns
    -------
    DataFrame
        setting, method, metric, value, right (mean of doubts told as they are), difference,
        wins, n, p, p_holm.
    """
    own = statistics[statistics["part"] == "misjudged"]
    lines = []
    for (metric, method, setting), tests in own.groupby(["metric", "first", "setting"]):
        wide = by_method(rows, "misjudged", metric)
        both = wide[[(setting, method), (RIGHT, "e2m")]].dropna()
        wrong, right = both[setting, method], both[RIGHT, "e2m"]
        p = tests.set_index("correction")["p"]
        line = {"setting": setting, "method": method, "metric": metric}
        line |= {"value": wrong.mean(), "right": right.mean()}
        line |= {"difference": tests["difference"].iloc[0], "wins": int((wrong < right).sum())}
        lines.append({**line, "n": len(both), "p": p["none"], "p_holm": p["holm"]})
    columns = [*COLUMNS[:4], "right", *COLUMNS[5:]]
    return pd.DataFrame(lines, columns=columns).round(9)
