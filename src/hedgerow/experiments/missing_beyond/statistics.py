"""Statistics of what goes beyond the paper of EIG: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from hedgerow.experiments.frames import joined
from hedgerow.experiments.missing_beyond.plan import (
    AGREEMENT,
    COMPARED,
    GUESSES,
    IN_POINTS,
    ORDER,
    PAIRS,
    TEST,
    VALUES,
)
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step

POINTS = 100.0


def by_method(rows: pd.DataFrame, part: str, metric: str) -> pd.DataFrame:
    """One value per data set, the mean over repeats; accuracy and F1 in points.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.steps.run`.
    part, metric : str

    Returns
    -------
    DataFrame of float
        Data sets by (setting, share, method).
    """
    own = rows[(rows["part"] == part) & (rows["metric"] == metric)]
    keys = ["setting", "share", "method"]
    means = own.groupby(["dataset", *keys])["value"].mean()
    return (POINTS if metric in IN_POINTS else 1.0) * means.unstack(keys)


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
    errors = by_method(rows, "imputers", "imputer_error")
    values = by_method(rows, "imputers", "accuracy")
    found = {}
    for setting, share in sorted({key[:2] for key in errors.columns}):
        columns = [(setting, share, guess) for guess in GUESSES]
        ranks = [t.reindex(columns=columns).round(9).rank(axis=1) for t in (errors, values)]
        found[share] = -ranks[0].corrwith(ranks[1], axis=1).where(values[columns].notna().all(1))
        even = values[columns].round(9).nunique(axis=1) == 1
        found[share] = found[share].mask(even, 0.0)
    return pd.DataFrame(found)


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over data sets.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        part, setting, share, metric, first, second (methods), difference (first minus second,
        mean over data sets; accuracy and F1 in points), then the attributes of `TestResult`; two
        rows each, with the correction `none` and `holm`, over all pairs of one part and metric.
        `n` is the number of data sets. The metric `agreement` tests the correlations of
        `agreement` against 0.
    """
    frames = [paired_tests(cells, TEST) for cells in families_of(rows)]
    frames = [frame for frame in frames if frame is not None]
    if not frames:
        columns = [*TEST, "name", "statistic", "p", "n", "groups", "correction"]
        return pd.DataFrame(columns=columns).astype({"difference": float, "n": int})
    return joined(frames, [*TEST[:-1], "correction"])


def families_of(rows: pd.DataFrame) -> Iterator[list[tuple]]:
    """Pairs of each family, by data set: key, first and second."""
    for part, metrics in COMPARED.items():
        for metric in metrics:
            wide = by_method(rows, part, metric)
            cells = []
            for setting, share in sorted({key[:2] for key in wide.columns}):
                for one, two in PAIRS[part]:
                    columns = [(setting, share, one), (setting, share, two)]
                    both = wide.reindex(columns=columns).dropna()
                    if len(both):
                        key = (part, setting, share, metric, one, two)
                        cells.append((key, both[columns[0]], both[columns[1]]))
            yield cells
    cells = []
    for share, column in agreement(rows).items():
        known = column.dropna()
        if len(known):
            key = ("imputers", "mcar", share, AGREEMENT, "eig", "imputer_error")
            cells.append((key, known, 0.0 * known))
    yield cells


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
    # Without a frame none of the data sets could be had.
    frames = [*rows, *natural]
    columns = [*ORDER["rows"], *VALUES["rows"]]
    whole = joined(frames, ORDER["rows"]) if frames else pd.DataFrame(columns=columns)
    return {"rows": whole, "statistics": statistics(whole)}
