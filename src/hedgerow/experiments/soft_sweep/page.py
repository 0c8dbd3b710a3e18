"""The section of the sweep of the pruning confidence on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.soft_sweep.claims import HIGH_SETS, LOW_SETS, verdict
from hedgerow.experiments.soft_sweep.plan import METHODS, PRINTED, SweepPlan
from hedgerow.experiments.soft_sweep.tables import HIGH_ABOVE, LOW_BELOW, PANELS, _order
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, data_uri, number, render

# ---------------------------------------------------------------------------------- captions


def captions(rows: pd.DataFrame, sweep: SweepPlan) -> dict[str, str]:
    """Caption of the figures and tables, by id: what is shown and what was run.

    Parameters
    ----------
    rows, sweep : as in `soft_sweep`

    Returns
    -------
    dict of str
    """
    there = _order(rows["dataset"])
    n = rows["permutation"].nunique()
    missing = [d for d in PRINTED if d not in there]
    grid = sweep.confidences
    ran = f"Run: {', '.join(there)}; {n} train-test permutations, configuration "
    ran += f"{sweep.configuration}."
    if missing:
        absent = [d for d in missing if d in sweep.datasets]
        ran += f" Of the five data sets of the printed figure {', '.join(missing)} "
        ran += f"{'is' if len(missing) == 1 else 'are'} not in this run"
        ran += f" (absent, no source answered: {', '.join(absent)})." if absent else "."
    one_leaf = "At c = 0 one leaf is left; its accuracy is written where it lies below the panel. "
    if grid[0] > 0:
        one_leaf = ""
    drawn = (
        "Leaves and accuracy on clean test data against the pruning confidence c, mean over "
        "permutations with a band of one standard error; C4.5, SS and STP with u = "
        f"{sweep.factor:g}. Marks at the right are the trees as they were grown: c = 1 still "
        f"prunes. {one_leaf}Dotted lines bound the ranges below {LOW_BELOW:g} and above "
        f"{HIGH_ABOVE:g}. The paper prints this figure without numbers, "
        "and its caption names C4.5 and SS only."
    )
    noise = "noise factor {} in the training data"
    return {
        "thesis_figure_3_11": f"Pruning confidence, {noise.format('0')}. {drawn} {ran}",
        "thesis_figure_3_12": f"Pruning confidence, {noise.format('0.1')}. {drawn} {ran}",
        "soft_sweep": f"Means at each of {len(grid)} values of c from {grid[0]:g} to {grid[-1]:g} "
        f"and of the trees as they were grown. {ran}",
        "soft_sweep_ranges": "Mean leaves and accuracy over the values of c above 0 and below "
        f"{LOW_BELOW:g} (low) and above {HIGH_ABOVE:g} (high), difference to C4.5. Accuracy is "
        "kept where it is at most one standard error of C4.5's mean over permutations below "
        f"it. {ran}",
    }


#: Rule of the workflow that makes each table and figure, printed under it.
RULES = {"table": "soft_sweep_tables", "figure": "soft_sweep_figures"}

CLAIM = "T3-12"

#: Marks of a verdict that do not rest on colour.
_MARKS = {"reproduced": "●", "partly": "◐", "not reproduced": "○", "open": "–"}

_ALT = (
    "For each data set a panel of leaves and a panel of test accuracy against the pruning "
    "confidence from 0 to 1, a line each for C4.5, SS and STP, {}; means are in the table "
    "soft_sweep."
)


def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path | str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    sweep: SweepPlan,
) -> Section:
    """The sweep as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        soft_sweep and soft_sweep_ranges, as written to reports/tables.
    figures : mapping of path
        thesis_figure_3_11 and thesis_figure_3_12: svg files, which are embedded.
    rows : DataFrame
        Rows of all data sets.
    claims : DataFrame
        data/published/claims.csv.
    sweep : SweepPlan

    Returns
    -------
    Section
    """
    ranges = tables["soft_sweep_ranges"]
    found = verdict(ranges)
    stated = {
        "found": found,
        "n_printed": len(PRINTED),
        "low_sets": LOW_SETS,
        "high_sets": HIGH_SETS,
    }
    there = set(rows["dataset"])
    claim = claims.set_index("claim_id").loc[CLAIM]
    alts = {
        "thesis_figure_3_11": _ALT.format("without added noise"),
        "thesis_figure_3_12": _ALT.format("with noise factor 0.1 in the training data"),
    }
    markup = render(
        "experiments/soft_sweep/page.html.j2",
        **stated,
        claim=CLAIM,
        statement=claim["statement"],
        mark=_MARKS[found.verdict],
        sweep=sweep,
        n_permutations=rows["permutation"].nunique(),
        absent=[d for d in sweep.datasets if d not in there],
        not_asked=[d for d in PRINTED if d not in sweep.datasets],
        extra=[d for d in sweep.datasets if d not in PRINTED],
        low=LOW_BELOW,
        high=HIGH_ABOVE,
        sets=_sets(ranges),
        grown=_grown(tables["soft_sweep"]),
        captions=captions(rows, sweep),
        figures=[{"id": i, "uri": data_uri(figures[i]), "alt": alt} for i, alt in alts.items()],
        rules=RULES,
        module="hedgerow.reporting.soft_sweep",
    )
    contents = (
        ("soft_sweep-finding", "Statement"),
        ("soft_sweep-ranges", "Leaves and accuracy in numbers"),
        ("soft_sweep-figures", "Figures 3.11 and 3.12"),
    )
    summary = render("experiments/soft_sweep/summary.html.j2", **stated, sweep=sweep)
    return Section("soft_sweep", "Pruning confidence", markup, contents, summary)


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
