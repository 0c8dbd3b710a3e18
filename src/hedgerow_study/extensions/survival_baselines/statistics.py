"""Statistics of what goes beyond chapter 6: paired tests over cohorts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from hedgerow_study.experiments.frames import Frames, concat_sorted
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.survival_baselines.plan import COMPARED, OF_WAYS, ORDER


def by_group(rows: pd.DataFrame, metric: str, column: str) -> pd.DataFrame:
    """One value per cohort and group, the mean over the repeats that have one."""
    return rows.groupby(["dataset", column])[metric].mean().unstack(column)


def rows_of(tables: Frames) -> pd.DataFrame:
    """All that is compared, in one table."""
    scores = tables["scores"].rename(columns={"model": "method"})
    weights = tables["weights"]
    ways = weights[weights["way"].isin(COMPARED.parts["calibration"].metrics)]
    predicted = _melted(ways, "method", ["predicted", "incidence"])
    by_part = {
        "scores": scores,
        "weights": _melted(weights.rename(columns={"way": "method"}), "metric", OF_WAYS),
        "calibration": predicted.rename(columns={"way": "metric"}),
    }
    columns = ["part", "dataset", "repeat", "method", "metric", "value"]
    frames = [rows.assign(part=part)[columns] for part, rows in by_part.items() if len(rows)]
    return pd.concat(frames, ignore_index=True)


def _melted(rows: pd.DataFrame, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """A row for each of some columns, which `name` names."""
    others = [column for column in ("dataset", "repeat", "method", "way") if column in rows]
    return rows.melt(others, list(columns), name)


@step(outputs=("scores", "weights", "statistics"))
def merged(
    scores: Sequence[pd.DataFrame], weights: Sequence[pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Tables of all cohorts, and the tests of their rows."""
    parts = {"scores": scores, "weights": weights}
    whole = {name: concat_sorted(frames, ORDER[name]) for name, frames in parts.items()}
    return {**whole, "statistics": COMPARED.statistics(rows_of(whole))}
