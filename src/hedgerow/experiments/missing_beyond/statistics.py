"""Statistics of what goes beyond the paper of EIG: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.missing_beyond.plan import (
    AGREEMENT,
    COMPARED,
    GUESSES,
    ORDER,
    VALUES,
)
from hedgerow.experiments.step import step


def agreement(rows: pd.DataFrame) -> pd.DataFrame:
    """How far better guesses go with better trees, on each data set.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame of float
        Data sets by share: Spearman's correlation of accuracy with the imputer's error over the
        imputers of `GUESSES`, its sign turned, so that above 0 better guesses have better trees;
        0 where all are the same.
    """
    errors = COMPARED.means(rows, "imputers", "imputer_error")
    values = COMPARED.means(rows, "imputers", "accuracy")
    found = {}
    for setting, share in sorted({key[:2] for key in errors.columns}):
        columns = [(setting, share, guess) for guess in GUESSES]
        ranks = [t.reindex(columns=columns).round(9).rank(axis=1) for t in (errors, values)]
        found[share] = -ranks[0].corrwith(ranks[1], axis=1).where(values[columns].notna().all(1))
        even = values[columns].round(9).nunique(axis=1) == 1
        found[share] = found[share].mask(even, 0.0)
    return pd.DataFrame(found)


def of_guesses(rows: pd.DataFrame) -> list[tuple]:
    """The correlations of `agreement` against 0, as one family of tests.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    list of (key, first, second)
        As `hedgerow.experiments.compared.Compared.family` gives them.
    """
    known = {share: column.dropna() for share, column in agreement(rows).items()}
    return [
        (("imputers", "mcar", share, AGREEMENT, "eig", "imputer_error"), own, 0.0 * own)
        for share, own in known.items()
        if len(own)
    ]


@step(makes=("rows", "statistics"))
def merged(rows: Sequence[pd.DataFrame], natural: Sequence[pd.DataFrame]) -> dict:
    """Rows of all data sets, and their tests.

    Parameters
    ----------
    rows, natural : sequence of DataFrame
        As returned by `hedgerow.experiments.missing_beyond.steps.run` and
        `hedgerow.experiments.missing_beyond.steps.natural`.

    Returns
    -------
    dict of DataFrame
    """
    whole = whole_of([*rows, *natural], ORDER["rows"], VALUES["rows"])
    return {"rows": whole, "statistics": COMPARED.statistics(whole, of_guesses(whole))}
