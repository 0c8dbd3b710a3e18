"""Statistics of all answers to doubt: tests over data sets."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow_study.experiments.frames import concat_or_empty
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark.plan import COMPARED, ORDER, VALUES


@step(outputs=("rows", "statistics"))
def merged(rows: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Rows of all data sets, and their tests."""
    whole = concat_or_empty(rows, ORDER["rows"], VALUES["rows"])
    return {"rows": whole, "statistics": COMPARED.statistics(whole)}
