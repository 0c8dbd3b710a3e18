"""Paired questions over data sets: Wilcoxon's test of each, and what a judge reads of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from hedgerow.evaluation import significance


def paired_tests(
    pairs: Iterable[tuple[tuple, pd.Series, pd.Series]], columns: Sequence[str]
) -> pd.DataFrame | None:
    """Wilcoxon's signed-rank tests of one family, plain and after Holm's correction over it.

    Returns: the key, first minus second as a mean over data sets, and the attributes of
    `TestResult`; two rows per pair, with the correction `none` and `holm`. None without a pair.
    """
    keys, results = [], []
    for key, one, two in pairs:
        difference = one - two
        if difference.index.nlevels > 1:
            difference = difference.groupby(level=0).mean()
        keys.append((*key, float(difference.mean())))
        results.append(significance.wilcoxon(one.to_numpy(), two.to_numpy(), key[-2:]))
    if not results:
        return None
    frame = pd.DataFrame(keys, columns=list(columns))
    return significance.plain_and_holm(frame, results, range(len(results)))


def holm_corrected(
    statistics: pd.DataFrame, family: Sequence[str] = ("part", "metric")
) -> pd.DataFrame:
    """Rows of paired tests after the correction, with the least p that it lets them reach.

    What could not be seen after the correction is neither there nor not there.

    Returns: rows whose correction is `holm`, the difference rounded to nine decimals, and `least`.
    """
    corrected = statistics[statistics["correction"] == "holm"]
    corrected = corrected.assign(difference=corrected["difference"].round(9))
    corrected["least"] = corrected.groupby(list(family))["n"].transform(significance.smallest_holm)
    return corrected


def statistics_without_dataset(
    families: Iterable[Sequence[tuple[tuple, pd.Series, pd.Series]]],
    columns: Sequence[str],
    dataset: str,
    read: Callable[[pd.DataFrame], pd.DataFrame] = holm_corrected,
) -> dict[str, pd.DataFrame]:
    """What a judge reads of the tests of all data sets but one.

    read: makes of tests what is read.

    Returns: `statistics`; nothing where no pair is left.
    """
    frames = []
    for pairs in families:
        left = [(key, *(s.drop(dataset, errors="ignore") for s in both)) for key, *both in pairs]
        frames.append(paired_tests([pair for pair in left if len(pair[1])], columns))
    frames = [frame for frame in frames if frame is not None]
    return {"statistics": read(pd.concat(frames, ignore_index=True))} if frames else {}
