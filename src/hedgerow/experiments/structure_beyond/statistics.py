"""Statistics of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np
import pandas as pd

from hedgerow.errors import DataError
from hedgerow.evaluation import significance
from hedgerow.experiments.frames import joined
from hedgerow.experiments.step import step
from hedgerow.experiments.structure.plan import FOREST, VARIANT
from hedgerow.experiments.structure_beyond.plan import (
    ABOVE_CHANCE,
    COMPARED,
    FEWEST_TREES,
    KEYS,
    METRICS,
    OF_PAIRS,
    QUESTIONS,
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
    rows = rows_of(tables)
    frames = [_of_variants(rows), COMPARED.statistics(rows)]
    return joined(frames, [*COMPARED.key, "name", "correction"])


def rows_of(tables: Mapping[str, pd.DataFrame], *parts: str) -> pd.DataFrame:
    """What is compared, one value per data set, over what all methods of a cell have.

    Parameters
    ----------
    tables : mapping of DataFrame
        As of `statistics`; those that are read for the parts.
    *parts : str
        Of `COMPARED`; none: all.

    Returns
    -------
    DataFrame
        part, dataset, cell, method, metric, value.
    """
    scores, frames = cache(partial(scores_by_variant, tables)), []
    for part in parts or COMPARED.parts:
        for metric in COMPARED.parts[part].metrics:
            wide = _by_method(tables, scores, part, metric)
            wide = wide.rename_axis(index="dataset", columns=["cell", "method"])
            rows = wide.melt(ignore_index=False).reset_index()
            frames.append(rows.assign(part=part, metric=metric))
    # A data set that one pool has may be missing from another.
    return pd.concat(frames, ignore_index=True).dropna()


def _by_method(
    tables: Mapping[str, pd.DataFrame],
    scores: Callable[[str], pd.DataFrame],
    part: str,
    metric: str,
) -> pd.DataFrame:
    """Data sets by cell and method; `scores` gives data sets by variant."""
    if part == "prototypes":
        return scores(metric)
    if part == "questions":
        wide = scores(metric)
        return pd.DataFrame(
            {
                (name, method): wide[list(variants)].mean(axis=1)
                for name, (first, second, one, two) in QUESTIONS.items()
                for method, variants in ((first, one), (second, two))
            }
        )
    if part == "stability":
        return pd.concat({"": by_group(tables[part], metric, "learner")}, axis=1)
    cells = {
        f"{pool}/{k}": by_group(own, metric, "strategy")
        for (pool, k), own in tables[part].groupby(["pool", "k"])
    }
    return pd.concat(cells, axis=1, sort=True)


def _of_variants(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[rows["method"] != "prototypes"]
    keys, results = [], []
    for metric in METRICS:
        wide = COMPARED.means(rows, "prototypes", metric)
        if wide.empty:
            continue
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
