"""The section of the sweep of the pruning confidence on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.soft_sweep import figures as soft_sweep_figures
from hedgerow.experiments.soft_sweep import tables as soft_sweep_tables
from hedgerow.experiments.soft_sweep.plan import METHODS, PRINTED, SweepPlan
from hedgerow.experiments.soft_sweep.tables import HIGH_ABOVE, LOW_BELOW, PANELS
from hedgerow.experiments.step import step
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number


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
    ranges = tables["soft_sweep_ranges"]
    there = set(rows["dataset"])
    return filled(
        "soft_sweep",
        "Pruning confidence",
        "experiments/soft_sweep/page.html.j2",
        "experiments/soft_sweep/summary.html.j2",
        tally=tally(claims),
        n_printed=len(PRINTED),
        claims=claim_lines(claims, of=f"{{n_datasets}} of {len(PRINTED)} data sets run"),
        plan=plan,
        n_permutations=rows["permutation"].nunique(),
        absent=[d for d in plan.datasets if d not in there],
        not_asked=[d for d in PRINTED if d not in plan.datasets],
        extra=[d for d in plan.datasets if d not in PRINTED],
        low=LOW_BELOW,
        high=HIGH_ABOVE,
        sets=_sets(ranges),
        grown=_grown(tables["soft_sweep"]),
        shown=shown(soft_sweep_tables, soft_sweep_figures, figures=figures, captions=captions),
        figures=["thesis_figure_3_11", "thesis_figure_3_12"],
    )


def _sets(ranges: pd.DataFrame) -> list[dict]:
    """What the template needs of each data set that was run: lines of noise factor and method."""
    sets = []
    run = ranges[ranges["status"] == "run"]
    for dataset in run["dataset"].unique():
        lines = []
        of_set = run[run["dataset"] == dataset]
        for noise in of_set["noise"].unique():
            for method in METHODS[1:]:
                cells = of_set[(of_set["noise"] == noise) & (of_set["method"] == method)]
                by_range = {row.range: _cell(row) for row in cells.itertuples(index=False)}
                lines.append(
                    {
                        "noise": f"{noise:g}",
                        "method": LOOKS[method].label,
                        "cells": [by_range.get(name) for name in ("low", "high")],
                    }
                )
        name = PANELS.get(dataset, "").partition(") ")[2]
        sets.append({"name": name or dataset, "key": dataset if name else "", "lines": lines})
    return sets


def _cell(row) -> dict:
    return {
        "c45": number(row.leaves_c45, 1),
        "leaves": number(row.leaves_diff, 1),
        "accuracy": number(row.accuracy_diff, 1),
        "error": number(row.accuracy_se_c45, 1),
        "lost": not bool(row.accuracy_kept),
    }


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
