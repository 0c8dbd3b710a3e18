"""Tables above the experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.audit.misprints import MANUAL, table_of
from hedgerow_study.experiments.published_cells import Printed
from hedgerow_study.experiments.step import table
from hedgerow_study.reporting.cells import Cell


def caption_values(published: Printed, sizes: Mapping[str, Any]) -> dict[str, str]:
    """Words of the caption: how many there are."""
    table = table_of(published, sizes)
    n_read = int((table["computed"] == MANUAL).sum())
    return {"n": str(len(table)), "computed": str(len(table) - n_read), "read": str(n_read)}


def misprint_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Misprints are found in what the papers print: no row of the run stands behind them."""
    yield from ()


@table(
    "Misprints and contradictions in the papers",
    caption="Inconsistencies that follow from the printed numbers alone: {n} places. "
    "{computed} are found by a computation over data/published, which runs with every report: "
    "function names it, and stands says whether the contradiction is there. {read} contradictions "
    "of texts and formulas are marked as found by reading. Sizes of data sets and of classes are "
    "compared with the files of the registry.",
    caption_values=caption_values,
    sources=misprint_sources,
)
def misprints(published: Printed, sizes: Mapping[str, Any]) -> pd.DataFrame:
    """Table of misprints, as returned by `hedgerow_study.experiments.audit.misprints.table_of`."""
    return table_of(published, sizes)
