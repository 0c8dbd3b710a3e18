"""Statistics of what goes beyond chapter 5."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.errors import DataError
from hedgerow.evaluation import significance
from hedgerow.experiments.frames import joined
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step
from hedgerow.experiments.structure.plan import FOREST, SCALES, VARIANT, VARIANTS
from hedgerow.experiments.structure_beyond.plan import (
    ABOVE_CHANCE,
    BASE,
    DIVERSE,
    FEWEST_TREES,
    KEYS,
    LEARNERS,
    METRICS,
    OF_LEARNERS,
    OF_PAIRS,
    QUESTIONS,
    SCORED,
    STRATEGIES,
    TEST,
)


def scores_by_forest(tables: Mapping[str, pd.DataFrame], metric: str) -> pd.DataFrame:
    """One value per forest and variant: the mean over seeds of k-means.

    A forest in which any variant has no value is left out of the metric: every average of a data
    set is over the same forests. There is none where no pair of trees is an example.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness` and `scores`.
    metric : str
        One of `METRICS`.

    Returns
    -------
    DataFrame of float
        (dataset, forest) by (method, scale).
    """
    if metric in OF_PAIRS:
        rows = tables["closeness"]
    else:
        rows = tables["scores"]
        if metric in ABOVE_CHANCE:
            rows = rows.assign(**{metric: rows[ABOVE_CHANCE[metric]] - rows["chance"]})
        # A seed may find one cluster only, which has no silhouette.
        of_seeds = rows.groupby(VARIANT)[metric]
        rows = of_seeds.mean().where(of_seeds.count() == of_seeds.size()).reset_index()
    wide = rows.pivot(index=FOREST, columns=["method", "scale"], values=metric)
    return wide.dropna()


def scores_by_variant(tables: Mapping[str, pd.DataFrame], metric: str) -> pd.DataFrame:
    """One value per data set and variant: the mean over its forests of `scores_by_forest`.

    Parameters
    ----------
    tables, metric
        As there.

    Returns
    -------
    DataFrame of float
        Data sets by (method, scale); only data sets with a value.
    """
    return scores_by_forest(tables, metric).groupby(level="dataset").mean()


def by_group(rows: pd.DataFrame, metric: str, column: str) -> pd.DataFrame:
    """One value per data set and group: the mean over the divisions on which all have one.

    Parameters
    ----------
    rows : DataFrame
        dataset, split, the column that names the group, and the metric.
    metric, column : str

    Returns
    -------
    DataFrame of float
        Data sets by groups.
    """
    wide = rows.pivot(index=["dataset", "split"], columns=column, values=metric)
    return wide.dropna().groupby(level="dataset").mean()


def statistics(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All tests, over data sets: one value per data set, the mean over its divisions.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness`, `scores`, `ensembles` and `stability`.

    Returns
    -------
    DataFrame
        part, cell, metric, first, second, difference (first minus second, mean over data sets),
        then the attributes of `TestResult`. By part:

        - `variants`: Friedman's test of the sixteen variants of the chapter (rank 1: the highest
          value, whether or not that is good) and Nemenyi's of each pair;
        - `questions`: Wilcoxon's signed-rank test of each of `QUESTIONS` (cell); Holm over the
          questions of one metric;
        - `prototypes`: the same of each method (cell), the scale `prototypes` against the others;
          Holm over the methods and scales of one metric;
        - `ensembles`: the strategy `structure` against each other one, a cell per pool and k such
          as `uct/5`; Holm over all of one metric;
        - `stability`: each learner against C4.5; Holm over the learners of one metric.

        Wilcoxon's tests have two rows each, with the correction `none` and `holm`. A metric that
        no data set has is left out; `n` is the number of data sets.

    Raises
    ------
    DataError
        There is no forest at all.
    """
    if tables["closeness"].empty:
        raise DataError(
            f"no data set has a forest of {FEWEST_TREES} trees",
            remedy="raise `structure_beyond.n_iterations`, or name other data sets",
        )
    of_metrics = _of_metrics(tables)
    families = [*_families(tables, of_metrics), *_tagged("prototypes", _prototypes(of_metrics))]
    frames = [_of_variants(of_metrics), *(paired_tests(pairs, TEST) for pairs in families)]
    return joined([f for f in frames if f is not None], [*TEST[:-1], "name", "correction"])


def families_of(tables: Mapping[str, pd.DataFrame]) -> list[list[tuple]]:
    """Pairs of the families of `questions`, `ensembles` and `stability`, by data set."""
    return list(_families(tables, _of_metrics(tables)))


def _of_metrics(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    found = {metric: scores_by_variant(tables, metric) for metric in METRICS}
    return {metric: wide for metric, wide in found.items() if len(wide)}


def _families(tables: Mapping[str, pd.DataFrame], of_metrics: Mapping) -> Iterator[list[tuple]]:
    yield from _tagged("questions", _questions(of_metrics))
    yield from _tagged("ensembles", _ensemble_tests(tables["ensembles"]))
    yield from _tagged("stability", _stability_tests(tables["stability"]))


def _tagged(part: str, families: Iterable) -> Iterator[list[tuple]]:
    for cells in families:
        yield [((part, *key), one, two) for key, one, two in cells]


def _of_variants(of_metrics) -> pd.DataFrame:
    keys, results = [], []
    for metric, every in of_metrics.items():
        wide = every.loc[:, every.columns.get_level_values("scale") != "prototypes"]
        names = ["/".join(column) for column in wide.columns]
        keys.append(("variants", "", metric, "", "", np.nan))
        results.append(significance.friedman(wide.to_numpy(), names))
        if len(wide) > 1:
            values = wide.to_numpy()
            for result in significance.nemenyi(values, names):
                i, j = (names.index(group) for group in result.groups)
                difference = float((values[:, i] - values[:, j]).mean())
                keys.append(("variants", "", metric, *result.groups, difference))
                results.append(result)
    return pd.concat([pd.DataFrame(keys, columns=TEST), significance.to_frame(results)], axis=1)


def _questions(of_metrics):
    for metric, wide in of_metrics.items():
        yield [
            (
                (name, metric, first, second),
                wide[list(one)].mean(axis=1),
                wide[list(two)].mean(axis=1),
            )
            for name, (first, second, one, two) in QUESTIONS.items()
        ]


def _prototypes(of_metrics):
    for metric, wide in of_metrics.items():
        yield [
            (
                (method, metric, "prototypes", scale),
                wide[(method, "prototypes")],
                wide[(method, scale)],
            )
            for method, scale in itertools.product(VARIANTS, SCALES)
        ]


def _ensemble_tests(rows: pd.DataFrame):
    for metric in SCORED:
        cells = []
        for (pool, k), own in rows.groupby(["pool", "k"], sort=True):
            wide = by_group(own, metric, "strategy")
            if len(wide):
                cells += [
                    ((f"{pool}/{k}", metric, DIVERSE, other), wide[DIVERSE], wide[other])
                    for other in STRATEGIES
                    if other != DIVERSE
                ]
        yield cells


def _stability_tests(rows: pd.DataFrame):
    for metric in OF_LEARNERS:
        wide = by_group(rows, metric, "learner")
        if len(wide):
            yield [
                (("", metric, learner, BASE), wide[learner], wide[BASE])
                for learner in LEARNERS
                if learner != BASE
            ]


@step(
    makes=(
        "examples",
        "closeness",
        "scores",
        "ensembles",
        "stability",
        "statistics",
    )
)
def merged(
    examples: Sequence[pd.DataFrame],
    closeness: Sequence[pd.DataFrame],
    scores: Sequence[pd.DataFrame],
    ensembles: Sequence[pd.DataFrame],
    stability: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks and data sets, and the tests of their rows.

    Parameters
    ----------
    examples, closeness, scores, ensembles, stability : sequence of DataFrame
        As returned by `hedgerow.experiments.structure_beyond.steps.run`.

    Returns
    -------
    dict of DataFrame
    """
    parts = {
        "examples": examples,
        "closeness": closeness,
        "scores": scores,
        "ensembles": ensembles,
        "stability": stability,
    }
    whole = {name: joined(frames, KEYS[name]) for name, frames in parts.items()}
    return {**whole, "statistics": statistics(whole)}
