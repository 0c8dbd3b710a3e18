"""Statistics of the best tree of a depth: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.optimal.plan import (
    ADVANTAGES,
    CLEAN,
    COMPARED,
    FADE,
    ORDER,
    UNPRUNED,
    VALUES,
)
from hedgerow.experiments.step import step

#: A gap narrower than this, in points, is none.
NO_GAP = 1e-9


def fading(rows: pd.DataFrame) -> list[tuple]:
    """Advantages at the least depth against those at the largest, as one family of tests.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    list of (key, first, second)
        As `hedgerow.experiments.compared.Compared.family` gives them: the depth is the largest, the
        first and second are both methods of the advantage, the values its size in points at the
        least and at the largest depth. Empty where there is one depth.
    """
    found = []
    for part, first, second in ADVANTAGES:
        means = COMPARED.means(rows, part, "accuracy")
        depths = sorted({key[1] for key in means.columns})
        if len(depths) < 2:
            continue
        ends = [means[CLEAN, d, first] - means[CLEAN, d, second] for d in (depths[0], depths[-1])]
        both = pd.concat(ends, axis=1).dropna()
        key = (part, CLEAN, depths[-1], FADE, first, second)
        found.append((key, both.iloc[:, 0], both.iloc[:, 1]))
    return found


def gap_closed(rows: pd.DataFrame) -> pd.DataFrame:
    """How much of the gap between C4.5 and the best tree UCT-DT closes, in training data.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        depth, gap (points, mean over data sets), gap_closed (per cent, the ratio of the sums over
        data sets; missing without a gap), n_datasets.
    """
    means = COMPARED.means(rows, "training", "accuracy")
    lines = []
    for depth in sorted({key[1] for key in means.columns}):
        own = {name: means[CLEAN, depth, name] for name in UNPRUNED}
        gap = (own["optimal"] - own["c45_unpruned"]).mean()
        closed = (own["uct"] - own["c45_unpruned"]).mean()
        share = 100.0 * closed / gap if gap > NO_GAP else float("nan")
        lines.append((depth, gap, share, len(means)))
    return pd.DataFrame(lines, columns=["depth", "gap", "gap_closed", "n_datasets"])


@step(makes=("rows", "statistics"))
def merged(
    rows: Sequence[pd.DataFrame],
    stability: Sequence[pd.DataFrame],
    quantiles: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Rows of all data sets, and their tests.

    Parameters
    ----------
    rows, stability, quantiles : sequence of DataFrame
        As the functions `run`, `stability` and `quantiles` of
        `hedgerow.experiments.optimal.steps` return them.

    Returns
    -------
    dict of DataFrame
    """
    whole = whole_of([*rows, *stability, *quantiles], ORDER["rows"], VALUES["rows"])
    return {"rows": whole, "statistics": COMPARED.statistics(whole, fading(whole))}
