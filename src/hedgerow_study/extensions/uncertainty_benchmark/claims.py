"""Our own questions about all answers to doubt: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.comparisons import judge_comparisons
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark.plan import COMPARED
from hedgerow_study.extensions.uncertainty_benchmark.tables import LABELS


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about each doubt, all together, and what a user would take instead."""
    return judge_comparisons(
        "uncertainty_benchmark", COMPARED, rows, statistics, specification, statements, LABELS
    )
