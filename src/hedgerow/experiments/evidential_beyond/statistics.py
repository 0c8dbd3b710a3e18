"""Statistics of what goes beyond the paper of E2M: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.evidential_beyond.plan import (
    ANNOTATED,
    COMPARED,
    LEARNERS,
    ORDER,
    REPEATED,
    RIGHT,
    TEST,
    VALUES,
)
from hedgerow.experiments.frames import joined
from hedgerow.experiments.paired import paired_tests
from hedgerow.experiments.step import step

#: Errors are compared in points.
POINTS = 100.0
#: Methods of the parts whose methods are compared at one setting; the first with each other one.
METHODS = {"sweep": LEARNERS, "repeated": REPEATED, "annotators": ANNOTATED}


def by_method(rows: pd.DataFrame, part: str, metric: str) -> pd.DataFrame:
    """One error per data set, in points, the mean over repeats.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.steps.run`.
    part, metric : str

    Returns
    -------
    DataFrame of float
        Data sets by (setting, method).
    """
    own = rows[(rows["part"] == part) & (rows["metric"] == metric)]
    means = POINTS * own.groupby(["dataset", "setting", "method"])["value"].mean()
    return means.unstack(["setting", "method"])


def pairs_of(part: str, wide: pd.DataFrame) -> list[tuple[tuple, tuple]]:
    """Columns of `by_method` that are compared: first, second.

    In `misjudged` what is told otherwise with what is told as it is; elsewhere E2M with the others.
    """
    settings = sorted(set(wide.columns.get_level_values("setting")))
    if part == "misjudged":
        right = (RIGHT, "e2m")
        return [(pair, right) for pair in sorted(wide.columns) if pair != right]
    first, *others = METHODS[part]
    return [((s, first), (s, other)) for s in settings for other in others]


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon's signed-rank tests over data sets.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        part, setting, metric, first, second (methods; of `misjudged` one of `MISJUDGED` and `e2m,
        right`), difference (first minus second, mean over data sets, points), then the attributes
        of `TestResult`; two rows each, with the correction `none` and `holm`, over all pairs of one
        part and metric. `n` is the number of data sets.
    """
    frames = []
    for part, metrics in COMPARED.items():
        for metric in metrics:
            wide = by_method(rows, part, metric)
            cells = []
            for one, two in pairs_of(part, wide) if len(wide) else ():
                both = wide[[one, two]].dropna()
                if len(both):
                    second = two[1] if part != "misjudged" else "e2m, right"
                    cells.append(((part, one[0], metric, one[1], second), both[one], both[two]))
            frames.append(paired_tests(cells, TEST))
    frames = [frame for frame in frames if frame is not None]
    if not frames:
        columns = [*TEST, "name", "statistic", "p", "n", "groups", "correction"]
        return pd.DataFrame(columns=columns).astype({"difference": float, "n": int})
    return joined(frames, [*TEST[:-1], "correction"])


@step(makes=("rows", "statistics"))
def merged(rows: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Rows of all data sets, and their tests.

    Parameters
    ----------
    rows : sequence of DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.steps.run`.

    Returns
    -------
    dict of DataFrame
    """
    # Without a frame none of the data sets could be had.
    columns = [*ORDER["rows"], *VALUES["rows"]]
    whole = joined(rows, ORDER["rows"]) if rows else pd.DataFrame(columns=columns)
    return {"rows": whole, "statistics": statistics(whole)}
