"""Our own questions about the best tree of a depth: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.comparisons import judge_comparisons
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.optimality_gap.plan import COMPARED
from hedgerow_study.extensions.optimality_gap.tables import LABELS


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about training data, test data and noise."""
    return judge_comparisons(
        "optimality_gap", COMPARED, rows, statistics, specification, statements, LABELS
    )
