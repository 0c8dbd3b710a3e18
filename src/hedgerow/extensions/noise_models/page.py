"""The section on the report page of what goes beyond chapter 3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.step import step
from hedgerow.extensions.noise_models import figures as noise_models_figures
from hedgerow.extensions.noise_models import tables as noise_models_tables
from hedgerow.extensions.noise_models.plan import (
    METHODS,
    MODELS,
    POOLED,
    WHERE,
    NoiseModelsPlan,
)
from hedgerow.extensions.noise_models.tables import FAMILY_LABELS, answers
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number, p_said, p_text
from hedgerow.reporting.tables import MEAN

_BLOCKS = {
    "accuracy": ("Accuracy, in points of %", 1),
    "brier": ("Brier score (lower is better)", 3),
    "n_leaves": ("Number of leaves", 1),
}

#: What a method assumes, as the lines of a table name it.
_MODEL_LABELS = {"normal": "normal", "matching": "matching", "true": "known"}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: NoiseModelsPlan,
) -> Section:
    """What goes beyond chapter 3 as a section of the report page."""
    of_models = tables["noise_models_gain"]
    found = answers(of_models)
    n = max((a.n for a in found), default=0)
    families = [f for f in (*plan.families, POOLED) if (of_models["family"] == f).any()]
    models = []
    for where in WHERE:
        for noise in plan.noise_factors:
            own = of_models[(of_models["where"] == where) & (of_models["noise"] == noise)]
            models.append({"where": where, "noise": noise, "blocks": _blocks(own, families)})
    return filled(
        "noise_models",
        "Beyond the thesis: other noise",
        "extensions/noise_models/page.html.j2",
        "extensions/noise_models/summary.html.j2",
        tally=tally(claims),
        claims=claim_lines(claims),
        answers=found,
        n=n,
        small=smallest_p(n) >= LEVEL,
        smallest_p=smallest_p(n),
        level=LEVEL,
        plan=plan,
        others=[FAMILY_LABELS[f] for f in plan.families if f != "normal"],
        absent=sorted({*plan.datasets} - {*rows["dataset"]}),
        models=models,
        columns=[(f, FAMILY_LABELS[f]) for f in families],
        labels={m: LOOKS[m].label for m in METHODS},
        shown=shown(noise_models_tables, noise_models_figures, figures=figures, captions=captions),
    )


def _blocks(table: pd.DataFrame, families: list[str]) -> list[dict]:
    """Means over data sets, grouped by metric; a line per method and model, a cell per family."""
    means = table[table["dataset"] == MEAN]
    blocks = []
    for metric, (title, digits) in _BLOCKS.items():
        cells = means[means["metric"] == metric]
        lines = []
        for (method, model), of_line in sorted(
            cells.groupby(["method", "model"]),
            key=lambda line: (METHODS.index(line[0][0]), MODELS.index(line[0][1])),
        ):
            if metric == "n_leaves" and method == "se":
                continue  # those of C4.5
            by_family = of_line.set_index("family")
            known = [by_family.loc[f] if f in by_family.index else None for f in families]
            name = LOOKS[method].label
            lines.append(
                {
                    "name": name if method == "c45" else f"{name}, {_MODEL_LABELS[model]}",
                    "cells": [_cell(c, method, digits) for c in known],
                }
            )
        if lines:
            blocks.append({"title": title, "lines": lines})
    return blocks


def _cell(row, method: str, digits: int) -> dict:
    """One cell: the difference as text, marks of significance, p-values for the curious."""
    if row is None:
        return {"text": "–", "marks": "", "notes": ""}
    if method == "c45":
        return {"text": number(row["difference_clean"], digits), "marks": "", "notes": ""}
    marks, notes = [], []
    for mark, name, other in (("a", "p_c45", "C4.5"), ("b", "p_normal", "the normal model")):
        if pd.notna(row[name]):
            notes.append(
                f"against {other}: {p_said(row[name])} over {row['n_datasets']:.0f} data sets, "
                f"{p_text(row[f'{name}_pairs_holm'])} over all pairs after Holm"
            )
            if row[name] < LEVEL:
                marks.append(mark)
    return {
        "text": number(row["difference_c45"], digits),
        "marks": ",".join(marks),
        "notes": "; ".join(notes),
    }
