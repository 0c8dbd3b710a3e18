"""Tables of what goes beyond the paper of E2M."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.experiments.compared import TESTED, cells_behind
from hedgerow.experiments.evidential_beyond.plan import AS_THEY_ARE, COMPARED, EvidentialBeyondPlan
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell
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
    AS_THEY_ARE: "E2M, doubts as they are",
    "e2m_votes": "E2M, votes",
    "cart_weighted": "CART, rows weighted by votes",
    "cart_majority": "CART, majority",
}
METRIC_LABELS = {
    "clean_error_rate": "Error before the noise",
    "error_rate": "Error on noised classes",
    "evidential_error_rate": "Evidential error",
}
TESTS = f"Error rates in points, less is better. {TESTED}"


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


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test."""
    return cells_behind(COMPARED, table, rows, identifier.removeprefix("evidential_beyond_"))


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
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "sweep")


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
        As `Compared.table` gives it, against E2M on intervals with doubt.
    """
    return COMPARED.table(rows, statistics, "repeated")


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
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "annotators")


@table(
    "Doubts that are told otherwise",
    caption="Error rates of E2M on the noise of the paper where it is told every doubt times the "
    "setting (at most 1): 0 is no doubt. As odds: gamma / ((1 - gamma) K + gamma), how likely the "
    "noise makes one of K values or classes of another over how likely it leaves it (of numbers "
    f"K = 2, the sides of a threshold). The second is told its doubts as they are. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
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
        As `Compared.table` gives it; the second is told its doubts as they are.
    """
    return COMPARED.table(rows, statistics, "misjudged")
