"""Statistics of what goes beyond the paper of ConfDTree: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.confidence_beyond.plan import COMPARED, ORDER, VALUES
from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.step import step


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
    parts = {"rows": [*rows, *categories], "bins": bins}
    whole = {name: whole_of(own, ORDER[name], VALUES[name]) for name, own in parts.items()}
    return {**whole, "statistics": COMPARED.statistics(whole["rows"])}
