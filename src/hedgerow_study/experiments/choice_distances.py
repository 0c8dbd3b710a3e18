"""How far the numbers of each analysis lie from all that a paper prints."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hedgerow_study.experiments.published_cells import KEY
from hedgerow_study.reporting.analytic_choices import HERE

NUMBERS = ["published_value", "measured", "sd", "low", "high"]
#: Of a 95 % interval, in standard errors.
HALF_WIDTH = 1.96


def distances(cells: pd.DataFrame) -> pd.DataFrame:
    """How far the numbers of each analysis lie from all that is printed.

    The unit of a difference is the spread of its cell in the analysis as here: its standard
    deviation, or what its interval says of it, or the standard deviation of what is printed of the
    same metric in the same table. The distance is the root of the mean over tables of the mean
    square of a table's differences. Cells count that have a number in each analysis.

    Returns: analysis, distance, n_cells, n_tables, n_first (tables without which, one at a time, no
    other analysis is nearer); the nearest first, by name where two are equal.
    """
    columns = ["analysis", "distance", "n_cells", "n_tables", "n_first"]
    cells = cells[["analysis", *KEY, *NUMBERS]].fillna({name: "" for name in KEY})
    cells = cells.drop_duplicates(["analysis", *KEY])  # an analysis can be one of two kinds
    pairs = cells.dropna(subset=["measured", "published_value"])
    pairs = pairs[
        pairs.groupby(KEY)["analysis"].transform("nunique") == cells["analysis"].nunique()
    ]
    here = cells[cells["analysis"] == HERE].set_index(KEY)
    unit = here["sd"].astype(float).fillna((here["high"] - here["low"]) / (2.0 * HALF_WIDTH))
    printed = here.groupby(["table", "metric"])["published_value"].transform("std")
    unit = unit.where(unit > 0.0, printed)
    unit = unit[unit > 0.0].rename("unit")
    pairs = pairs.join(unit, on=KEY, how="inner")
    if pairs.empty:
        return pd.DataFrame(columns=columns)
    pairs["square"] = ((pairs["measured"] - pairs["published_value"]) / pairs["unit"]) ** 2
    square = pairs.pivot_table(index="analysis", columns="table", values="square", aggfunc="mean")
    square = square.sort_index()
    tables = list(square)
    total = square.mean(axis=1)
    without = [square.drop(columns=name).mean(axis=1) for name in tables] if len(tables) > 1 else []
    first = pd.DataFrame({n: one <= one.min() for n, one in enumerate(without)}, index=square.index)
    ranking = pd.DataFrame(
        {
            "distance": np.sqrt(total),
            "n_cells": pairs.groupby("analysis").size(),
            "n_tables": len(tables),
            "n_first": first.sum(axis=1).astype(int),
        }
    )
    return ranking.sort_values("distance", kind="stable").reset_index()[columns]
