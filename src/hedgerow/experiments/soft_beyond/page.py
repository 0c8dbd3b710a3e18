"""The section on the report page of what goes beyond chapter 3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.compared import blocks, most, pair_words
from hedgerow.experiments.soft_beyond import figures as soft_beyond_figures
from hedgerow.experiments.soft_beyond import tables as soft_beyond_tables
from hedgerow.experiments.soft_beyond.plan import (
    COMPARED_SETS,
    METHODS,
    MODELS,
    POOLED,
    SETS,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.experiments.soft_beyond.tables import (
    FAMILY_LABELS,
    SET_LABELS,
    SET_METRICS,
    absent_from,
    answers,
)
from hedgerow.experiments.step import step
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
    plan: SoftBeyondPlan,
) -> Section:
    """What goes beyond chapter 3 as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        soft_beyond_noise_models, soft_beyond_class_noise, soft_beyond_categorical_noise and
        soft_beyond_sets.
    figures : mapping of path
        soft_beyond_matching, soft_beyond_labels and soft_beyond_promises: svg files, which are
        embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    rows : DataFrame
        Rows of all data sets and parts.
    claims : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.claims.claims`.
    plan : SoftBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    of_models = tables["soft_beyond_noise_models"]
    found = answers(of_models)
    n = max((a.n for a in found), default=0)
    stated = {
        "claims": claim_lines(claims),
        "answers": found,
        "n": n,
        "small": smallest_p(n) >= LEVEL,
        "smallest_p": smallest_p(n),
        "level": LEVEL,
        "plan": plan,
        "n_sets": most(tables["soft_beyond_sets"]),
        "promised": " or ".join(f"{100 * p:g} %" for p in plan.promised),
        "others": [FAMILY_LABELS[f] for f in plan.families if f != "normal"],
    }
    absent = {
        part: absent_from(part, rows, plan)
        for part in ("noise_models", "class_noise", "categorical_noise")
    }
    families = [f for f in (*plan.families, POOLED) if (of_models["family"] == f).any()]
    columns = [(f, FAMILY_LABELS[f]) for f in families]
    models = [
        {
            "where": where,
            "noise": noise,
            "blocks": _blocks(
                of_models[(of_models["where"] == where) & (of_models["noise"] == noise)],
                "family",
                families,
            ),
        }
        for where in WHERE
        for noise in plan.noise_factors
    ]
    of_classes = tables["soft_beyond_class_noise"]
    of_categories = tables["soft_beyond_categorical_noise"]
    return filled(
        "soft_beyond",
        "Beyond the thesis: other noise",
        "experiments/soft_beyond/page.html.j2",
        "experiments/soft_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        absent=absent,
        models=models,
        columns=columns,
        classes=_blocks(of_classes, "noise", [0.0, *plan.class_noise]),
        class_columns=[(p, f"p = {p:g}") for p in (0.0, *plan.class_noise)],
        categories=[
            {
                "where": where,
                "blocks": _blocks(
                    of_categories[of_categories["where"].isin(["none", where])],
                    "noise",
                    [0.0, *plan.category_noise],
                ),
            }
            for where in WHERE
        ],
        category_columns=[(p, f"p = {p:g}") for p in (0.0, *plan.category_noise)],
        sets=blocks(
            COMPARED_SETS,
            tables["soft_beyond_sets"],
            SETS,
            ("metric", *COMPARED_SETS.cell),
            _of_sets,
            pair_words(SET_LABELS),
        ),
        labels={m: LOOKS[m].label for m in METHODS},
        shown=shown(soft_beyond_tables, soft_beyond_figures, figures=figures, captions=captions),
    )


def _of_sets(metric: str, test: str, calibration: str, noise: float, promised: float) -> str:
    """Title of a block of the table of sets."""
    return (
        f"{SET_METRICS[metric]}: {test} test rows, {calibration} calibration, errors of "
        f"{noise:g} sd, {100 * promised:g} % promised"
    )


def _blocks(table: pd.DataFrame, across: str, columns: list) -> list[dict]:
    """Means over data sets, grouped by metric; a line per method and model, a cell per column."""
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
            by_column = of_line.drop_duplicates(across).set_index(across)
            name = LOOKS[method].label
            known = [by_column.loc[c] if c in by_column.index else None for c in columns]
            lines.append(
                {
                    "name": name if method == "c45" else f"{name}, {_MODEL_LABELS[model]}",
                    "left_out": _left_out(of_line),
                    "cells": [_cell(c, method, digits) for c in known],
                }
            )
        if lines:
            blocks.append({"title": title, "lines": lines})
    return blocks


def _left_out(of_line: pd.DataFrame) -> list[str]:
    texts = of_line["left_out"].fillna("").astype(str)
    return sorted({name for text in texts for name in text.split(";") if name})


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
