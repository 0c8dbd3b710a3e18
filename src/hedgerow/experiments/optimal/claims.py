"""Our own questions about the best tree of a depth: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.experiments.compared import judged_pairs
from hedgerow.experiments.optimal.plan import COMPARED
from hedgerow.experiments.optimal.tables import LABELS
from hedgerow.experiments.step import step


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    stated: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about training data, test data and noise."""
    return judged_pairs("optimal", COMPARED, rows, statistics, specification, stated, LABELS)
