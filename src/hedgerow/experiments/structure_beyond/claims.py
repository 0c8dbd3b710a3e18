"""Claims of what goes beyond chapter 5."""

from __future__ import annotations

import pandas as pd

from hedgerow.experiments.structure_beyond.plan import LEVEL
from hedgerow.experiments.structure_beyond.tables import MEAN

#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6


# ----------------------------------------------------------------------------------- answers


def question_verdict(row: pd.Series) -> str:
    """One line: whether the first is higher or lower than the second, by the test after Holm.

    Parameters
    ----------
    row : Series
        A row of `structure_beyond_questions`.

    Returns
    -------
    str: `higher`, `lower`, `no difference`, or `cannot be told`
    """
    if row["n_datasets"] < FEWEST_DATASETS:
        return "cannot be told"
    if not row["p_holm"] < LEVEL:
        return "no difference"
    return "higher" if row["difference"] > 0 else "lower"


def ensembles_verdict(table: pd.DataFrame, pool: str, strategy: str) -> str:
    """Whether trees that are far in structure are a better ensemble than another choice.

    Parameters
    ----------
    table : DataFrame
        As returned by `structure_beyond_ensembles`.
    pool, strategy : str

    Returns
    -------
    str, without a full stop; by macro F1 after Holm's correction, over all k
    """
    means = table[(table["dataset"] == MEAN) & (table["metric"] == "f1")]
    means = means[(means["pool"] == pool) & (means["strategy"] == strategy)]
    n = int(means["n_datasets"].max()) if len(means) else 0
    if n < FEWEST_DATASETS:
        return f"It cannot be told from {n} data set{'' if n == 1 else 's'}"
    mean = float(means["difference"].mean())
    differs = means[means["p_holm"] < LEVEL]
    up, down = int((differs["difference"] > 0).sum()), int((differs["difference"] < 0).sum())
    points = f"{abs(mean):.1f} points of F1 {'above' if mean > 0 else 'below'} on average"
    of = f"{len(means)} sizes" if len(means) > 1 else "the one size"
    if not up and not down:
        return f"No difference by the test at any of {of}; {points}"
    if up and down:
        return f"Better at {up} and worse at {down} of {of}; {points}"
    return f"{'Better' if up else 'Worse'} at {up or down} of {of}; {points}"


def stability_verdict(table: pd.DataFrame, metric: str, learner: str) -> str:
    """Whether the trees of a learner are nearer to each other than those of C4.5.

    Parameters
    ----------
    table : DataFrame
        As returned by `structure_beyond_stability`.
    metric, learner : str

    Returns
    -------
    str: `higher`, `lower`, `no difference`, or `cannot be told`; after Holm's correction
    """
    own = table[(table["dataset"] == MEAN) & (table["metric"] == metric)]
    own = own[own["learner"] == learner]
    return question_verdict(own.iloc[0]) if len(own) else "cannot be told"
