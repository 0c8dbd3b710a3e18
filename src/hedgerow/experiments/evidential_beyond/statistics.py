"""Statistics of what goes beyond the paper of E2M: paired tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow.experiments.evidential_beyond.plan import COMPARED, ORDER, VALUES
from hedgerow.experiments.frames import whole_of
from hedgerow.experiments.step import step


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
    whole = whole_of(rows, ORDER["rows"], VALUES["rows"])
    return {"rows": whole, "statistics": COMPARED.statistics(whole)}
