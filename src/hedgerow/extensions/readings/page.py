"""The section of the readings on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.step import step
from hedgerow.extensions.readings import figures as readings_figures
from hedgerow.extensions.readings import tables as readings_tables
from hedgerow.extensions.readings.plan import ReadingsPlan
from hedgerow.reporting.html import Section, filled, shown
from hedgerow.reporting.numbers import number
from hedgerow.reporting.readings import FEWEST


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    plan: ReadingsPlan,
) -> Section:
    """Readings as a section of the report page."""
    claims = tables["readings_verdicts"]
    choices = tables["readings_choices"]
    named = claims["word"].fillna("").ne("")
    return filled(
        "readings",
        "Every reading: which statements stand on a choice that nobody printed",
        "extensions/readings/page.html.j2",
        plan=plan,
        fewest=FEWEST,
        n_claims=len(claims),
        n_named=int(named.sum()),
        words=claims["word"][named].value_counts().sort_index().to_dict(),
        claims=[_line(row) for row in claims.to_dict("records")],
        choices=choices.fillna("").to_dict("records"),
        nearest=tables["readings_nearest"].to_dict("records"),
        shown=shown(readings_tables, readings_figures, figures=figures, captions=captions),
    )


def _line(row: Mapping) -> dict[str, str]:
    """A statement as the page shows it; shares in per cent."""

    def share(name: str) -> str:
        return "–" if pd.isna(row[name]) else number(100.0 * row[name], 0)

    return {
        "claim": row["claim"],
        "n": str(row["n_readings"]),
        "open": str(row["n_open"]),
        **{name: share(name) for name in ("reproduced", "partly", "not_reproduced")},
        "word": row["word"] if isinstance(row["word"], str) else "",
        "decides": _decides(row),
    }


def _decides(row: Mapping) -> str:
    if not isinstance(row["decides"], str) or not row["decides"]:
        return "–"
    return f"{row['decides']} ({number(100.0 * row['decides_share'], 0)} %)"
