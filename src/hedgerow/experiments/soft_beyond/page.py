"""The section on the report page of what goes beyond chapter 3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.soft_beyond.claims import FEWEST_DATASETS, LEVEL, Answer, answers, verdict
from hedgerow.experiments.soft_beyond.plan import (
    METHODS,
    MODELS,
    PARTS,
    POOLED,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.experiments.soft_beyond.tables import FAMILY_LABELS, MEAN, absent_from
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, data_uri, number, render

# ---------------------------------------------------------------------------------- captions


def captions(rows: pd.DataFrame, plan: SoftBeyondPlan) -> dict[str, str]:
    """Caption of every table and figure, by id: what it shows and what was run.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts.
    plan : SoftBeyondPlan

    Returns
    -------
    dict of str
    """
    ran = {}
    for part in PARTS:
        there = sorted(rows.loc[rows["part"] == part, "dataset"].unique())
        absent = absent_from(part, rows, plan)
        ran[part] = (
            f"Run: {', '.join(there) or 'no data set'}, {plan.n_permutations} train-test "
            f"permutation{'s' if plan.n_permutations > 1 else ''} each, "
            f"configuration {plan.configuration}."
        )
        if absent:
            ran[part] += f" Absent, because no source answered: {', '.join(absent)}."
    grid = ", ".join(f"{u:g}" for u in plan.factors)
    differences = (
        "Mean over data sets of the difference to C4.5 on the same data; the line of C4.5 is its "
        "difference to C4.5 without noise."
    )
    models = (
        f"Normal and matching models have a factor that cross validation chooses from {grid}; the "
        "third knows what was added. Normal noise has no other matching model."
    )
    return {
        "soft_beyond_noise_models": f"{differences} {models} {ran['noise_models']}",
        "soft_beyond_class_noise": f"{differences} Labels of the training data are replaced by "
        "another class with probability p; validation folds and test data are clean. "
        f"{ran['class_noise']}",
        "soft_beyond_categorical_noise": f"{differences} Categories are replaced with probability "
        "p by draws from the distribution of their variable in the training data. "
        f"{ran['categorical_noise']}",
        "soft_beyond_matching": "Accuracy under noise of six families: difference to C4.5 on the "
        f"same data, one small point per data set and the mean over them. {models} "
        f"{ran['noise_models']}",
        "soft_beyond_labels": "Accuracy when (a) class labels of the training data, (b, c) "
        "categories of the training or the test data are replaced at random: difference to C4.5 "
        f"without noise, mean over data sets. (a) {ran['class_noise']} (b, c) "
        f"{ran['categorical_noise']} Sets without a numeric variable, where SS, STP and SE are "
        "C4.5, are not drawn.",
    }


#: Rule of the workflow that makes each table and figure, printed under it.
RULES = {"table": "soft_beyond_tables", "figure": "soft_beyond_figures"}

_BLOCKS = {
    "accuracy": ("Accuracy, in points of %", 1),
    "brier": ("Brier score (lower is better)", 3),
    "n_leaves": ("Number of leaves", 1),
}

#: What a method assumes, as the lines of a table name it.
_MODEL_LABELS = {"normal": "normal", "matching": "matching", "true": "known"}

_ALT = {
    "soft_beyond_matching": "Mean difference in accuracy to C4.5 of SS, STP and SE under six "
    "families of noise, with a normal model, a matching model and the noise known; the numbers are "
    "in the tables above.",
    "soft_beyond_labels": "Lines of the difference in accuracy to C4.5 without noise against the "
    "probability that class labels or categories are replaced; the numbers are in the tables.",
}

_TITLES = {
    "soft_beyond_noise_models": "Noise families and noise models",
    "soft_beyond_class_noise": "Class noise",
    "soft_beyond_categorical_noise": "Noise on categories",
    "soft_beyond_matching": "Noise families and noise models",
    "soft_beyond_labels": "Class noise and noise on categories",
}


def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path | str],
    rows: pd.DataFrame,
    plan: SoftBeyondPlan,
) -> Section:
    """What goes beyond chapter 3 as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        soft_beyond_noise_models, soft_beyond_class_noise and soft_beyond_categorical_noise.
    figures : mapping of path
        soft_beyond_matching and soft_beyond_labels: svg files, which are embedded.
    rows : DataFrame
        Rows of all data sets and parts.
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
        "verdicts": {model: _verdict(found, model) for model in ("matching", "true")},
        "answers": found,
        "n": n,
        "small": n < FEWEST_DATASETS,
        "smallest_p": 2 / 2**n if n else 1.0,
        "level": LEVEL,
        "plan": plan,
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
    markup = render(
        "experiments/soft_beyond/page.html.j2",
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
        labels={m: LOOKS[m].label for m in METHODS},
        figures=[
            {"id": name, "uri": data_uri(figures[name]), "alt": _ALT[name]}
            for name in ("soft_beyond_matching", "soft_beyond_labels")
        ],
        captions=captions(rows, plan),
        titles=_TITLES,
        rules=RULES,
        module="hedgerow.reporting.soft_beyond",
    )
    contents = (
        ("soft_beyond-answer", "Does a matching model help?"),
        ("soft_beyond-models", "Noise families"),
        ("soft_beyond-classes", "Class noise"),
        ("soft_beyond-categories", "Noise on categories"),
    )
    summary = render("experiments/soft_beyond/summary.html.j2", **stated)
    return Section("soft_beyond", "Beyond the thesis: other noise", markup, contents, summary)


def _verdict(found: list[Answer], model: str) -> str:
    """The plain answer with the range of the differences that it rests on."""
    text = verdict(found, model)
    differences = [a.accuracy for a in found if a.model == model]
    if differences:
        low, high = (number(f(differences), 1) for f in (min, max))
        text += f" (average differences from {low} to {high} points)"
    return f"{text}."


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
                f"against {other}: p = {row[name]:.3g} over {row['n_datasets']:.0f} data sets, "
                f"{row[f'{name}_pairs_holm']:.3g} over all pairs after Holm"
            )
            if row[name] < LEVEL:
                marks.append(mark)
    return {
        "text": number(row["difference_c45"], digits),
        "marks": ",".join(marks),
        "notes": "; ".join(notes),
    }
