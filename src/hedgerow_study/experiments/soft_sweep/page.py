"""The section of the sweep of the pruning confidence on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.figures import LOOKS
from hedgerow.showing.numbers import NONE, number
from hedgerow_study.experiments.soft_sweep import figures as own_figures
from hedgerow_study.experiments.soft_sweep import tables as own_tables
from hedgerow_study.experiments.soft_sweep.plan import METHODS, PRINTED, SweepPlan
from hedgerow_study.experiments.soft_sweep.tables import HIGH_ABOVE, LOW_BELOW, PANELS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.views import Span, tagged, together, view


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: SweepPlan,
) -> Section:
    """The sweep as a section of the report page."""
    views = {"soft_sweep_ranges": _ranges(tables["soft_sweep_ranges"])}
    available = set(rows["dataset"])
    return filled(
        "soft_sweep",
        "Pruning confidence",
        "experiments/soft_sweep/page.html.j2",
        "experiments/soft_sweep/summary.html.j2",
        tally=tally(claims),
        n_printed=len(PRINTED),
        claims=claim_lines(claims, of=f"{{n_datasets}} of {len(PRINTED)} data sets run"),
        plan=plan,
        n_repeats=rows["repeat"].nunique(),
        absent=[d for d in plan.datasets if d not in available],
        not_asked=[d for d in PRINTED if d not in plan.datasets],
        extra=[d for d in plan.datasets if d not in PRINTED],
        low=LOW_BELOW,
        high=HIGH_ABOVE,
        grown=_grown(tables["soft_sweep"]),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
        figures=["thesis_figure_3_11", "thesis_figure_3_12"],
    )


def _ranges(ranges: pd.DataFrame) -> Markup:
    """Leaves and accuracy against C4.5: a block per data set, a line by method and noise factor."""
    blocks = {}
    numbers = ("Leaves\nof C4.5", "Leaves,\ndifference", "Accuracy,\ndifference", "Standard\nerror")
    for dataset, rows in ranges[ranges["status"] == "run"].groupby("dataset", sort=False):
        name = PANELS.get(dataset, "").partition(") ")[2]
        subtitle = dataset if name else "not in the printed figures"
        lines = []
        for noise in rows["noise"].unique():
            for method in METHODS[1:]:
                of_line = rows[(rows["noise"] == noise) & (rows["method"] == method)]
                cells = {row.range: _cells(row) for row in of_line.itertuples(index=False)}
                both = (cells.get(name, (NONE,) * len(numbers)) for name in ("low", "high"))
                lines.append((LOOKS[method].label, f"{noise:g}", *chain(*both)))
        blocks[together(name or dataset, " ", tagged("small", subtitle))] = lines
    spans = (f"c below {LOW_BELOW:g}", f"c above {HIGH_ABOVE:g}")
    above = (Span("", 2), *(Span(span, len(numbers)) for span in spans))
    return view(blocks, above, ("Method", "Noise", *numbers, *numbers))


def _cells(row) -> tuple[Any, ...]:
    """One range of a line."""
    accuracy = number(row.accuracy_diff, 1)
    return (
        number(row.leaves_c45, 1),
        number(row.leaves_diff, 1),
        accuracy if row.accuracy_kept else together(accuracy, tagged("sup", "a")),
        number(row.accuracy_se_c45, 1),
    )


def _grown(table: pd.DataFrame) -> list[dict]:
    """On how many data sets the unpruned trees of a method have more leaves than those of C4.5."""
    unpruned = table[(table["status"] == "run") & table["confidence"].isna()].pivot(
        index=["noise", "dataset"], columns="method", values="leaves"
    )
    return [
        {
            "noise": f"{noise:g}",
            "n": len(cells),
            "larger": {LOOKS[m].label: int((cells[m] > cells["c45"]).sum()) for m in METHODS[1:]},
        }
        for noise, cells in unpruned.groupby(level="noise")
    ]
