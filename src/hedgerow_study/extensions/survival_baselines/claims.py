"""Our own questions beyond chapter 6: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.comparisons import judge_comparisons
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.survival_baselines.plan import COMPARED
from hedgerow_study.extensions.survival_baselines.statistics import rows_of


@step()
def claims(
    measured: Frames,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about models and weights."""
    return judge_comparisons(
        "survival_baselines", COMPARED, rows_of(measured), statistics, specification, statements, {}
    )
