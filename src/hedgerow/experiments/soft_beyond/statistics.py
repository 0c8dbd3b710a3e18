"""Statistics of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.soft_beyond.plan import COMPARED, COMPARED_SETS, POOLED, SET_ORDER
from hedgerow.experiments.soft_beyond.steps import merge
from hedgerow.experiments.step import step


def rows_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as they are compared.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts, as returned by `run`.

    Returns
    -------
    DataFrame
        part, dataset, origin (the family that was drawn), permutation, where, family, noise, method
        (with its model), metric, value. Those of families in which the matching model is another
        than the normal one are there once more in the family `all_families`. Leaves of SE, which
        are those of C4.5, are left out.
    """
    rows = rows[(rows["method"] != "se") | (rows["metric"] != "n_leaves")]
    named = rows["method"] + "/" + rows["model"]
    rows = rows.assign(method=named, origin=rows["family"]).drop(columns="model")
    others = (rows["part"] == "noise_models") & ~rows["family"].isin(["normal", "none"])
    return pd.concat([rows, rows[others].assign(family=POOLED)], ignore_index=True)


@step(makes=("rows", "draws", "multiples", "statistics"))
def merged(
    rows: Sequence[pd.DataFrame],
    draws: Sequence[pd.DataFrame],
    multiples: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks, parts and data sets, and the tests of their rows.

    Parameters
    ----------
    rows, draws, multiples : sequence of DataFrame
        As returned by `hedgerow.experiments.soft_beyond.steps.run`.

    Returns
    -------
    dict of DataFrame
    """
    whole = merge({"rows": rows, "draws": draws, "multiples": multiples})
    return {**whole, "statistics": COMPARED.statistics(rows_of(whole["rows"]))}


@step(makes=("sets", "statistics"))
def of_sets(sets: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Coverage and size of the sets of all data sets, and the tests of their rows.

    Parameters
    ----------
    sets : sequence of DataFrame
        As returned by `hedgerow.experiments.soft_beyond.sets.sets`.

    Returns
    -------
    dict of DataFrame
    """
    whole = whole_of(sets, SET_ORDER, ["value"])
    return {"sets": whole, "statistics": COMPARED_SETS.statistics(whole)}
