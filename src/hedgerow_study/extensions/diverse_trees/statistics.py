"""Statistics of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import pandas as pd

from hedgerow.errors import DataError
from hedgerow_study.experiments.frames import Frames, concat_sorted
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure.plan import REPEAT, VARIANT
from hedgerow_study.extensions.diverse_trees.plan import (
    ABOVE_CHANCE,
    COMPARED,
    FEWEST_TREES,
    KEYS,
    OF_PAIRS,
    QUESTIONS,
)


def scores_by_forest(tables: Frames, metric: str) -> pd.DataFrame:
    """One value per forest and variant: the mean over seeds of k-means.

    A forest in which any variant has no value is left out of the metric: every average of a data
    set is over the same forests. There is none where no pair of trees is an example.
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
    wide = rows.pivot(index=REPEAT, columns=["method", "scale"], values=metric)
    return wide.dropna()


def statistics(tables: Frames) -> pd.DataFrame:
    """Wilcoxon's tests over data sets, a value for each, the mean over its repeats.

    By part: `questions`, each of `QUESTIONS` (cell), Holm over those of one metric; `ensembles`,
    the strategy `structure` against each other one, a cell per pool and k such as `uct/5`, Holm
    over all of one metric. A metric that no data set has is left out.
    """
    if tables["closeness"].empty:
        raise DataError(
            f"no data set has a forest of {FEWEST_TREES} trees",
            remedy="raise `diverse_trees.n_iterations`, or name other data sets",
        )
    tests = COMPARED.statistics(rows_of(tables))
    return concat_sorted([tests], [*COMPARED.key, "name", "correction"])


def rows_of(tables: Frames, *parts: str) -> pd.DataFrame:
    """What parts (default all) compare, a value per data set, over what methods of a cell have."""
    scores, frames = cache(partial(_by_variant, tables)), []
    for part in parts or COMPARED.parts:
        for metric in COMPARED.parts[part].metrics:
            wide = _by_method(tables, scores, part, metric)
            wide = wide.rename_axis(index="dataset", columns=["cell", "method"])
            rows = wide.melt(ignore_index=False).reset_index()
            frames.append(rows.assign(part=part, metric=metric))
    # A data set that one pool has may be missing from another.
    return pd.concat(frames, ignore_index=True).dropna()


def _by_variant(tables: Frames, metric: str) -> pd.DataFrame:
    """One value per data set and variant: the mean over forests."""
    return scores_by_forest(tables, metric).groupby(level="dataset").mean()


def _by_method(
    tables: Frames, scores: Callable[[str], pd.DataFrame], part: str, metric: str
) -> pd.DataFrame:
    """Data sets by cell and method; `scores` gives data sets by variant."""
    if part == "questions":
        wide = scores(metric)
        return pd.DataFrame(
            {
                (name, method): wide[list(variants)].mean(axis=1)
                for name, (first, second, one, two) in QUESTIONS.items()
                for method, variants in ((first, one), (second, two))
            }
        )
    cells = {}
    for (pool, k), group in tables[part].groupby(["pool", "k"]):
        # The mean over the repeats on which all strategies have a value.
        wide = group.pivot(index=["dataset", "repeat"], columns="strategy", values=metric)
        cells[f"{pool}/{k}"] = wide.dropna().groupby(level="dataset").mean()
    return pd.concat(cells, axis=1, sort=True)


@step(outputs=("closeness", "scores", "ensembles", "statistics"))
def merged(
    closeness: Sequence[pd.DataFrame],
    scores: Sequence[pd.DataFrame],
    ensembles: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks and data sets, and the tests of their rows."""
    parts = {"closeness": closeness, "scores": scores, "ensembles": ensembles}
    whole = {name: concat_sorted(frames, KEYS[name]) for name, frames in parts.items()}
    return {**whole, "statistics": statistics(whole)}
