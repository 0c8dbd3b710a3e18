"""Statistics of what goes beyond the paper of ConfDTree: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.confidence.plan import VERSIONS
from hedgerow.experiments.confidence_beyond.plan import (
    COMPARED,
    ORDER,
    PLAIN,
    TEST,
    VALUES,
)
from hedgerow.experiments.frames import joined
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step

#: Factors of values: areas are compared in points.
SCALE = {"average_auc": 100.0}


def by_method(rows: pd.DataFrame, part: str, metric: str) -> pd.DataFrame:
    """One value per data set and method, the mean over cross validations.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.steps.run`.
    part, metric : str

    Returns
    -------
    DataFrame of float
        Data sets by (base, method); areas in points.
    """
    own = rows[(rows["part"] == part) & (rows["metric"] == metric)]
    means = own.groupby(["dataset", "base", "method"])["value"].mean() * SCALE.get(metric, 1.0)
    return means.unstack(["base", "method"])


def against(part: str, method: str) -> str:
    """What a method is compared with: itself without what the part asks about."""
    if part == "categories" and method.endswith("_categories"):
        return method.removesuffix("_categories")
    return "laplace" if part == "probabilities" and method in VERSIONS else PLAIN


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over data sets of each method against what it changes.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        part, base, metric, first (method), second (see `against`), difference (first minus
        second, mean over data sets), then the attributes of `TestResult`; two rows each, with the
        correction `none` and `holm`, over all pairs of one part and metric. `n` is the
        number of data sets.
    """
    frames = []
    for part, metrics in COMPARED.items():
        for metric in metrics:
            wide = by_method(rows, part, metric)
            cells = []
            for base, method in wide.columns:
                if method == PLAIN:
                    continue
                second = against(part, method)
                both = wide[[(base, method), (base, second)]].dropna()
                if len(both):
                    key = (part, base, metric, method, second)
                    cells.append((key, both[base, method], both[base, second]))
            frames.append(paired_tests(cells, TEST))
    frames = [frame for frame in frames if frame is not None]
    if not frames:
        return pd.DataFrame(columns=[*TEST, "name", "statistic", "p", "n", "groups", "correction"])
    return joined(frames, [*TEST[:-1], "correction"])


@step(makes=("rows", "bins", "statistics"))
def merged(
    rows: Sequence[pd.DataFrame], categories: Sequence[pd.DataFrame], bins: Sequence[pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Tables of all data sets, and the tests of their rows.

    Parameters
    ----------
    rows, bins : sequence of DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.steps.run`.
    categories : sequence of DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.steps.categories`.

    Returns
    -------
    dict of DataFrame
    """
    # Without a frame none of the data sets could be had.
    parts = {"rows": [*rows, *categories], "bins": list(bins)}
    whole = {
        name: joined(frames, ORDER[name])
        if frames
        else pd.DataFrame(columns=[*ORDER[name], *VALUES[name]])
        for name, frames in parts.items()
    }
    return {**whole, "statistics": statistics(whole["rows"])}
