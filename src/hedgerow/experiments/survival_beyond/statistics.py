"""Statistics of what goes beyond chapter 6: paired tests over cohorts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from hedgerow.experiments.frames import joined
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step
from hedgerow.experiments.survival_beyond.plan import (
    MODEL_PAIRS,
    OF_REPEATS,
    OF_SAMPLES,
    OF_WAYS,
    ORDER,
    PARTS,
    SCORES,
    TEST,
    TREE_PAIRS,
    WAY_PAIRS,
)


def by_group(rows: pd.DataFrame, metric: str, column: str) -> pd.DataFrame:
    """One value per cohort and group, the mean over divisions.

    Parameters
    ----------
    rows : DataFrame
        dataset, the column that names the group, and the metric; one row per division, where there
        are some.
    metric, column : str

    Returns
    -------
    DataFrame of float
        Cohorts by groups; missing where a division has no value.
    """
    means = rows.groupby(["dataset", column])[metric].agg(lambda values: values.mean(skipna=False))
    return means.unstack(column)


def _compared(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple]:
    """part, metric, cohorts by groups, pairs; each is a family of Holm's correction."""
    for metric in SCORES:
        own = tables["scores"][tables["scores"]["metric"] == metric]
        yield "scores", metric, by_group(own, "value", "model"), MODEL_PAIRS
    for metric in OF_WAYS:
        wide = by_group(tables["weights"], metric, "way")
        yield "weights", metric, wide, WAY_PAIRS
    for way in ("left_out", "weighted"):
        own = tables["weights"][tables["weights"]["way"] == way]
        wide = own.groupby("dataset")[["predicted", "incidence"]].mean()
        yield "calibration", way, wide, (("predicted", "incidence"),)
    if len(tables["measurement"]):
        for metric in OF_REPEATS:
            wide = by_group(tables["measurement"], metric, "tree")
            yield "measurement", metric, wide, TREE_PAIRS
    for metric in OF_SAMPLES:
        wide = by_group(tables["stability"], metric, "settings")
        yield "stability", metric, wide, (("tuned", "thesis"),)


def statistics(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over cohorts, one value per cohort: the mean of its divisions.

    Parameters
    ----------
    tables : mapping of DataFrame
        `scores`, `weights`, `measurement` and `stability`.

    Returns
    -------
    DataFrame
        part, metric, first, second, difference (first minus second, mean over cohorts), then the
        attributes of `TestResult`; two rows each, with the correction `none` and `holm`, over the
        pairs of one metric. By part:

        - `scores`: `MODEL_PAIRS`; models that are not installed are left out;
        - `weights`: `WAY_PAIRS`, the last two on cohorts whose causes compete;
        - `calibration`: what the model predicts on average against the incidence, a metric for each
          way of learning;
        - `measurement`: `TREE_PAIRS`, on cohorts with a known error;
        - `stability`: the tuned settings against those of the thesis.

        A pair that no cohort has is left out; `n` is the number of cohorts.
    """
    frames = []
    for part, metric, wide, pairs in _compared(tables):
        there = [pair for pair in pairs if set(pair) <= set(wide)]
        both = [wide[list(pair)].dropna() for pair in there]
        cells = [
            ((part, metric, *pair), *(own[name] for name in pair))
            for pair, own in zip(there, both, strict=True)
            if len(own)
        ]
        frames.append(paired_tests(cells, TEST))
    return joined([f for f in frames if f is not None], [*TEST[:-1], "correction"])


@step(makes=("scores", "weights", "measurement", "stability", "roots", "statistics"))
def merged(
    scores: Sequence[pd.DataFrame],
    weights: Sequence[pd.DataFrame],
    measurement: Sequence[pd.DataFrame],
    stability: Sequence[pd.DataFrame],
    roots: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all cohorts, and the tests of their rows.

    Parameters
    ----------
    scores, weights, measurement, stability, roots : sequence of DataFrame
        As returned by the functions of these names of
        `hedgerow.experiments.survival_beyond.steps`.

    Returns
    -------
    dict of DataFrame
    """
    parts = dict(zip(PARTS, (scores, weights, measurement, stability, roots), strict=True))
    whole = {name: joined(frames, ORDER[name]) for name, frames in parts.items()}
    return {**whole, "statistics": statistics(whole)}
