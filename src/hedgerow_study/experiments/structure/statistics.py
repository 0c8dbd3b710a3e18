"""Statistics of the edit distance of trees (thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from hedgerow.data import rng
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure.plan import (
    EXPERIMENT,
    ORDER,
    PAIRED,
    REFERENCES,
    REPEAT,
    SCALES,
)
from hedgerow_study.experiments.structure.steps import matrix_of, merge, of_forest, scaled


def statistics(
    distances: pd.DataFrame, forests: pd.DataFrame, plan, scales: Sequence[str] = SCALES
) -> pd.DataFrame:
    """Whether correlations bring distances closer to predictions: bootstrap over trees.

    Returns: dataset, repeat, scale, reference, first, second, difference (of the Frobenius norms of
    table 5.1, first minus second), low, high (2.5 and 97.5 % of the bootstrap samples), share_below
    (samples in which the first is closer). Trees are drawn with replacement; pairs of a tree with
    itself count 0, as they do in the matrix.
    """
    rows = []
    for (dataset, number), forest in forests.groupby(REPEAT, sort=True):
        n_nodes = forest["n_nodes"].to_numpy()
        mine = of_forest(distances, dataset, number)
        stream = rng(plan.seed, EXPERIMENT, dataset, number, "bootstrap")
        n = len(forest)
        times = stream.multinomial(n, np.full(n, 1 / n), size=plan.n_bootstrap).astype(float)
        for scale in scales:
            for reference in REFERENCES:
                R = matrix_of(mine, reference)
                for first, second in PAIRED:
                    squares = [
                        (scaled(matrix_of(mine, m), n_nodes, scale, None, plan) - R) ** 2
                        for m in (first, second)
                    ]
                    norms = [np.sqrt(np.einsum("bi,ij,bj->b", times, s, times)) for s in squares]
                    gain = norms[0] - norms[1]
                    whole = float(np.sqrt(squares[0].sum()) - np.sqrt(squares[1].sum()))
                    low, high = np.percentile(gain, [2.5, 97.5])
                    key = (dataset, number, scale, reference, first, second)
                    rows.append((*key, whole, low, high, float((gain < 0).mean())))
    columns = [*ORDER["statistics"], "difference", "low", "high", "share_below"]
    return merge([pd.DataFrame(rows, columns=columns)], "statistics")


@step("n_bootstrap", "seed", outputs=("shown", "first", "statistics"))
def resampled(
    forests: pd.DataFrame, distances: pd.DataFrame, scripts: pd.DataFrame, plan
) -> dict[str, pd.DataFrame]:
    """The bootstrap over the trees of some forests, and what is shown of millions of distances.

    Returns: `shown`: distances of the pairs whose edits are shown; `first`: of all pairs of the
    first forest, which figures show; `statistics` as `statistics` returns it.
    """
    pair = [*REPEAT, "tree_1", "tree_2"]
    shown = pd.MultiIndex.from_frame(distances[pair]).isin(pd.MultiIndex.from_frame(scripts[pair]))
    return {
        "shown": merge([distances[shown]], "distances"),
        "first": merge([distances[distances["repeat"] == 0]], "first"),
        "statistics": statistics(distances, forests, plan),
    }


@step(outputs=tuple(ORDER))
def merged(
    forests: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    distances: Sequence[pd.DataFrame],
    first: Sequence[pd.DataFrame],
    examples: Sequence[pd.DataFrame],
    scripts: Sequence[pd.DataFrame],
    closeness: Sequence[pd.DataFrame],
    labels: Sequence[pd.DataFrame],
    scores: Sequence[pd.DataFrame],
    statistics: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """All forests of a data set in one table each."""
    chunks = (forests, trees, distances, first, examples, scripts, closeness, labels, scores)
    named = zip(ORDER, (*chunks, statistics), strict=True)
    return {name: merge(frames, name) for name, frames in named}
