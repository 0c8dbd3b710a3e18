"""Paired questions over data sets: Wilcoxon's test of each, and what a judge reads of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from hedgerow.evaluation import significance


def paired_tests(
    pairs: Iterable[tuple[tuple, pd.Series, pd.Series]], columns: Sequence[str]
) -> pd.DataFrame | None:
    """Wilcoxon's signed-rank tests of one family, plain and after Holm's correction over it.

    Parameters
    ----------
    pairs : iterable of (key, first, second)
        The key ends with the names of both; first and second are (n,) float series, one value per
        data set.
    columns : sequence of str
        Names of the parts of the key, and of the difference.

    Returns
    -------
    DataFrame or None
        The key, first minus second as a mean over data sets, and the attributes of `TestResult`;
        two rows per pair, with the correction `none` and `holm`. None without a pair.
    """
    keys, results = [], []
    for key, one, two in pairs:
        keys.append((*key, float((one - two).mean())))
        results.append(significance.wilcoxon(one.to_numpy(), two.to_numpy(), key[-2:]))
    if not results:
        return None
    frame = pd.DataFrame(keys, columns=list(columns))
    return significance.plain_and_holm(frame, results, range(len(results)))


def after_holm(statistics: pd.DataFrame) -> pd.DataFrame:
    """Rows of paired tests after the correction, with the least p that it lets them reach.

    What could not be seen after the correction is neither there nor not there.

    Parameters
    ----------
    statistics : DataFrame
        part, metric, difference, n and correction, among others; of one part and metric, one
        family.

    Returns
    -------
    DataFrame
        Rows whose correction is `holm`, the difference rounded to nine decimals, and `least`.
    """
    own = statistics[statistics["correction"] == "holm"]
    own = own.assign(difference=own["difference"].round(9))
    own["least"] = own.groupby(["part", "metric"])["n"].transform(significance.smallest_holm)
    return own
