"""The section of experiments 1 and 2 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.soft import figures as soft_figures
from hedgerow.experiments.soft import tables as soft_tables
from hedgerow.experiments.soft.plan import PRINTED, TABLE_3_1, SoftPlan
from hedgerow.experiments.soft.tables import N_TABLE_3_1, OWN_METRICS, TABLE_METRICS
from hedgerow.experiments.step import step
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally
from hedgerow.reporting.numbers import number, p_said, p_text
from hedgerow.reporting.tables import MEAN

#: Below this number of permutations the unit of the standardised metrics is hardly known.
FEWEST_PERMUTATIONS = 5

_METRIC_TITLES = {
    "n_leaves": "Number of leaves",
    "accuracy": "Accuracy, in %",
    "n_leaves_std": "Number of leaves, standardised by C4.5 without added noise",
    "n_leaves_diff_c45": "Number of leaves, difference to C4.5 at the same noise factor",
    "accuracy_std": "Accuracy, standardised by C4.5 without added noise",
    "accuracy_diff_c45": "Accuracy, difference to C4.5 at the same noise factor, in points of %",
}
_DIGITS = {"sd": 2, "percent": 1, "leaves": 1, "percentage_points": 1}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: SoftPlan,
) -> Section:
    """Experiments 1 and 2 as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    sizes = tables["thesis_table_3_1"]
    sizes = sizes.assign(printed=sizes["printed"].fillna(""))  # as a CSV file gives it back
    there = set(rows["dataset"])
    n_run = len(there & set(TABLE_3_1.values()))
    experiments = [
        _experiment("training_noise", "Experiment 1", "3_4", ("3_5", "3_9"), tables),
        _experiment("test_noise", "Experiment 2", "3_5", ("3_6", "3_10"), tables),
    ]
    combined = _combined(tables["soft_combined"])
    stated = {"plan": plan, "n_run": n_run, "n_table": N_TABLE_3_1}
    least = smallest_p(n_run)
    return filled(
        "soft",
        "Soft trees on noisy data",
        "experiments/soft/page.html.j2",
        "experiments/soft/summary.html.j2",
        "thesis_figure_3_5",
        small=least >= LEVEL,
        rough=plan.n_permutations < FEWEST_PERMUTATIONS,
        tally=tally(claims),
        **stated,
        smallest_p=least,
        claims=claim_lines(claims),
        labels={method: LOOKS[method].label for method in plan.methods},
        printed=[LOOKS[method].label for method in plan.methods if method in PRINTED],
        combined=combined,
        outside=sorted(there - set(TABLE_3_1.values())),
        absent=sorted(set(plan.datasets) - there),
        not_asked=[d for d in TABLE_3_1.values() if d not in plan.datasets],
        sizes=sizes.astype(object).where(sizes.notna(), None).to_dict("records"),
        experiments=experiments,
        shown=shown(soft_tables, soft_figures, figures=figures, captions=captions),
    )


def _experiment(word, title, table, drawn, tables) -> dict:
    """What the template needs of one experiment."""
    identifier = f"thesis_table_{table}"
    frame = tables[identifier]
    datasets = [d for d in frame["dataset"].unique() if d != MEAN]
    member = frame.groupby("dataset")["in_table_3_1"].first()
    return {
        "word": word,
        "title": title,
        "table": identifier,
        "mean": _blocks(frame[frame["dataset"] == MEAN]),
        "outside": {d: _blocks(frame[frame["dataset"] == d]) for d in datasets if not member[d]},
        "members": {d: _blocks(frame[frame["dataset"] == d]) for d in datasets if member[d]},
        "figures": [
            {"id": f"thesis_figure_{n}", "shape": shape}
            for n, shape in zip(drawn, ("narrow", "wide"), strict=True)
        ],
    }


def _combined(table: pd.DataFrame) -> list[dict]:
    """Averages of the combinations, one block of tables per experiment; none where none was run."""
    titles = {
        "training_noise": "Noise in the training data",
        "test_noise": "Noise in the test data",
    }
    mean = table[table["dataset"] == MEAN]
    return [
        {"title": title, "blocks": _blocks(mean[mean["experiment"] == word])}
        for word, title in titles.items()
        if (mean["experiment"] == word).any()
    ]


def _blocks(frame: pd.DataFrame) -> list[dict]:
    """Rows of one table, grouped by metric in printed order."""
    blocks = []
    for metric, _, unit, _ in (*OWN_METRICS, *TABLE_METRICS):
        cells = frame[frame["metric"] == metric]
        if cells.empty:
            continue
        left_out = cells["left_out"].fillna("").iloc[0]
        lines = []
        for method in cells["method"].unique():
            of_method = cells[cells["method"] == method].sort_values("noise")
            lines.append(
                {
                    "method": method,
                    "cells": [_cell(c, unit) for c in of_method.itertuples(index=False)],
                }
            )
        blocks.append(
            {
                "title": _METRIC_TITLES[metric],
                "n": int(cells["n_datasets"].iloc[0]),
                "left_out": [d for d in str(left_out).split(";") if d],
                "lines": lines,
            }
        )
    return blocks


def _cell(row, unit: str) -> dict:
    """One cell: numbers as text, and marks of significance."""
    digits = _DIGITS[unit]
    published = getattr(row, "published", None)  # combinations have none
    marks = []
    if row.p < LEVEL:
        marks.append("a")
    if row.p_pairs_holm < LEVEL:
        marks.append("b")
    notes = []
    if pd.notna(row.p):
        notes = [
            f"{p_said(row.p)} over data sets, {p_text(row.p_holm)} after Holm",
            f"{p_said(row.p_pairs)} over all pairs, {p_text(row.p_pairs_holm)} after Holm",
        ]
    return {
        "row": row.row,
        "measured": number(row.measured, digits),
        "published": None if pd.isna(published) else number(published, digits),
        "strong": bool(row.p < 0.001),
        "marks": ",".join(marks),
        "notes": "; ".join(notes),
    }
