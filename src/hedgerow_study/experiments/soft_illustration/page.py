"""Section of the illustrations of chapter 3 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow_study.experiments.soft_illustration import figures as soft_illustration_figures
from hedgerow_study.experiments.soft_illustration import tables as soft_illustration_tables
from hedgerow_study.experiments.soft_illustration.plan import SoftIllustrationPlan
from hedgerow_study.experiments.soft_illustration.tables import GROUPS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.html import Section, filled, numbered, shown

# ----------------------------------------------------------------------------------- section


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    results: Mapping[str, pd.DataFrame],
    plan: SoftIllustrationPlan,
) -> Section:
    """The illustrations as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    leaves = tables["thesis_table_3_2"]
    patients = tables["thesis_table_3_3"]
    patients = patients.astype({"patient": "Int64"})  # numbers, as a CSV file gives them back
    patients = patients.astype(object).where(patients.notna(), None)
    context = {
        "shown": shown(
            soft_illustration_tables, soft_illustration_figures, figures=figures, captions=captions
        ),
        "plan": plan,
    }
    return filled(
        "soft_illustration",
        "Illustrations of soft trees",
        "experiments/soft_illustration/page.html.j2",
        "experiments/soft_illustration/summary.html.j2",
        patients=len(results["thesis_figure_3_7"]),
        **context,
        principles=[f"thesis_figure_3_{n}" for n in (1, 2)],
        toy=[f"thesis_figure_3_{n}" for n in (3, 4)],
        lvef=[f"thesis_figure_3_{n}" for n in (7, 8)],
        leaves=[
            {
                "leaf": leaf,
                "label": label,
                "cells": {r.method: r for r in rows.itertuples(index=False)},
            }
            for (leaf, label), rows in leaves.groupby(["leaf", "class"])
        ],
        sources=leaves[["method", "leaf", "threshold", "weight"]]
        .drop_duplicates()
        .to_dict("records"),
        groups=[
            {
                "short": short,
                "title": title,
                **{
                    source: patients[
                        (patients["group"] == group) & (patients["source"] == source)
                    ].to_dict("records")
                    for source in ("measured", "published")
                },
            }
            for group, (short, title) in GROUPS.items()
        ],
    )
