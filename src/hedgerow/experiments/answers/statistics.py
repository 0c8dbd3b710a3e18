"""Statistics of all answers to doubt: tests over data sets, and mean ranks."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.evaluation.significance import critical_difference, friedman, ranks
from hedgerow.experiments.answers.plan import COMPARED, ORDER, PART, RANKED, VALUES
from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.step import step

RANKS = ["condition", "metric", "method", "mean_rank", "n_datasets", "critical_difference", "p"]


def mean_ranks(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean rank of each learner in each condition, over data sets that have all of them.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.answers.steps.run`.

    Returns
    -------
    DataFrame
        condition, metric, method, mean_rank (1: the best everywhere), n_datasets,
        critical_difference (Nemenyi, level .05) and p of Friedman's test.
    """
    lines = []
    for metric in RANKED:
        less = COMPARED.parts[PART].metrics[metric].less_is_better
        means = COMPARED.means(rows, PART, metric)
        for condition in means.columns.unique("condition") if len(means) else ():
            own = means[condition].dropna()
            methods = list(own.columns)
            if len(methods) < 2 or own.empty:
                continue
            values, n = own.to_numpy(), len(own)
            p = friedman(values, methods, not less).p
            difference = critical_difference(len(methods), n)
            found = ranks(values, methods, not less).mean(axis=0)
            for method, rank in zip(methods, found, strict=True):
                lines.append((condition, metric, method, float(rank), n, difference, p))
    return pd.DataFrame(lines, columns=RANKS)


@step(makes=("rows", "statistics", "ranks"))
def merged(rows: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Rows of all data sets, their tests and mean ranks.

    Parameters
    ----------
    rows : sequence of DataFrame
        As returned by `hedgerow.experiments.answers.steps.run`.

    Returns
    -------
    dict of DataFrame
    """
    whole = whole_of(rows, ORDER["rows"], VALUES["rows"])
    return {
        "rows": whole,
        "statistics": COMPARED.statistics(whole),
        "ranks": mean_ranks(whole),
    }
