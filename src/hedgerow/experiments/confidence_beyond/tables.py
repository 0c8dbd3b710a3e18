"""Tables of what goes beyond the paper of ConfDTree."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.experiments.compared import TESTED, cells_behind
from hedgerow.experiments.confidence.plan import VERSIONS
from hedgerow.experiments.confidence.tables import LABELS
from hedgerow.experiments.confidence_beyond.plan import (
    ANSWERS,
    COMPARED,
    PLAIN,
    TREE_LABELS,
    ConfidenceBeyondPlan,
)
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell
from hedgerow.reporting.tables import how_many, ran

#: What texts call bases and methods.
BASES = {
    **TREE_LABELS,
    "bagged": "bagged C4.5",
    "rf": "random forest",
    "ss": "soft search",
    "stp": "soft training propagation",
    "se": "soft evaluation",
    "uct_vs": "UCT-DT (VS)",
    "c45": "C4.5",
}
METHODS = {
    PLAIN: "as it is",
    **{version: LABELS[version] for version in VERSIONS},
    **{
        f"{version}_{answer}": f"{LABELS[version]}, {words}"
        for version in VERSIONS
        for answer, words in zip(ANSWERS, ("both", "routes alone", "fines alone"), strict=True)
    },
    **{f"{v}_categories": f"{LABELS[v]}, categories too" for v in VERSIONS},
    "laplace": "Laplace smoothing",
    "m_estimate": "m-estimate",
    "isotonic": "isotonic calibration",
    "sigmoid": "sigmoid calibration",
    "norm_everywhere": "NORM, no test of normality",
    "norm_lilliefors": "NORM, Lilliefors' test",
    "comb_lilliefors": "COMB, Lilliefors' test",
}
METRIC_LABELS = {
    "average_auc": "Area (points)",
    "log_loss": "Log loss",
    "brier": "Brier score",
    "calibration_error": "Calibration error",
}


def said(rows: pd.DataFrame, plan: ConfidenceBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    rows : DataFrame
    plan : ConfidenceBeyondPlan

    Returns
    -------
    dict of str
    """
    each = how_many(plan.n_repeats, "cross validation")
    categorical = rows["part"] == "categories"
    name = plan.configuration
    return {
        "ran": ran(set(rows["dataset"][~categorical]), plan.datasets, each, name),
        "ran_categories": ran(
            set(rows["dataset"][categorical]), plan.categorical_datasets, each, name
        ),
        "n_trees": str(plan.n_trees),
        "factor": f"{plan.factor:g}",
        "n_iterations": f"{plan.n_iterations:,}",
        "m": f"{plan.m:g}",
        "least": f"{plan.least:g}",
        "n_bins": str(plan.n_bins),
        "inner": str(plan.inner_folds),
    }


TESTS = f"The first is the method, the second what it is compared with. {TESTED}"


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test."""
    return cells_behind(COMPARED, table, rows, identifier.removeprefix("confidence_beyond_"))


@table(
    "Routes alone, fines alone, both",
    caption="Area under the ROC curve (points) of C4.5 on its four base trees, and of each version "
    f"of ConfDTree with alternative routes alone, certainty fines alone, and both. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def confidence_beyond_answers(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> pd.DataFrame:
    """Where the gain comes from.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.statistics.merged`.
    plan : ConfidenceBeyondPlan

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "answers")


@table(
    "Doubts in other learners",
    caption="Area (points) of other learners as they are and with doubts: {n_trees} bagged C4.5 "
    "trees (unpruned), a random forest of {n_trees}, soft search, soft training propagation and "
    "soft evaluation with the factor {factor}, UCT-DT after {n_iterations} iterations (these four "
    f"with Laplace-smoothed leaves). {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def confidence_beyond_learners(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> pd.DataFrame:
    """Doubts in ensembles, soft trees and trees of a search.

    Parameters
    ----------
    rows, statistics, plan
        As in `confidence_beyond_answers`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "learners")


@table(
    "Doubts of tests on categories",
    caption="Area (points) of each version with doubts of tests on categories too, against the "
    f"same version without, and of that against the base tree. {TESTS} {{ran_categories}}",
    words=said,
    behind=behind_part,
)
def confidence_beyond_categories(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> pd.DataFrame:
    """Doubts by the frequency of a category in a class.

    Parameters
    ----------
    rows, statistics, plan
        As in `confidence_beyond_answers`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "categories")


@table(
    "What probabilities are worth",
    caption="Pruned C4.5 with plain shares at its leaves against other ways to its probabilities: "
    "Laplace smoothing, m-estimates (m = {m}), scikit-learn's isotonic and sigmoid calibration on "
    "{inner} inner folds; and Laplace-smoothed leaves against ConfDTree on them. Area in points, "
    "more is better; log loss (probabilities of at least {least}), Brier score and calibration "
    f"error (of the assigned class, {{n_bins}} bins), less is better. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def confidence_beyond_probabilities(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> pd.DataFrame:
    """Log loss, Brier score and calibration beside the area.

    Parameters
    ----------
    rows, statistics, plan
        As in `confidence_beyond_answers`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "probabilities")


@table(
    "The fine, the width of the intervals, other readings of them",
    caption="Area (points) of ConfDTree with other settings than the paper's (a fine of .1, widths "
    "times 1) against the base tree without doubts. A width times f: f times as many standard "
    "deviations, and the level of a t interval whose normal quantile is f times as large. "
    f"{TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def confidence_beyond_settings(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: ConfidenceBeyondPlan
) -> pd.DataFrame:
    """The gradient of the fine and of the interval width.

    Parameters
    ----------
    rows, statistics, plan
        As in `confidence_beyond_answers`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "settings")
