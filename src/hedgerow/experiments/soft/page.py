"""The section of experiments 1 and 2 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.soft import figures as soft_figures
from hedgerow.experiments.soft import tables as soft_tables
from hedgerow.experiments.soft.plan import (
    EXPERIMENTS,
    PRINTED,
    TABLE_3_1,
    SoftPlan,
)
from hedgerow.experiments.soft.tables import N_TABLE_3_1, OWN_METRICS, TABLE_METRICS, mean_ranks_of
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
_SCORE_TITLES = {
    "accuracy": "Accuracy, points of %, more is better",
    "macro_f1": "Macro F1, points of %, more is better",
    "brier": "Brier score, less is better",
}
_DIGITS = {"sd": 2, "percent": 1, "leaves": 1, "percentage_points": 1, "score": 3}


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
        scores=[_scores(e, tables["soft_scores"], tables["soft_ranks"]) for e in EXPERIMENTS],
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


def _scores(experiment: str, scores: pd.DataFrame, ranks: pd.DataFrame) -> dict:
    """What the template needs of the other scores and the ranks of one experiment."""
    scores = scores[scores["experiment"] == experiment]
    return {
        "word": experiment,
        "part": experiment.removesuffix("_noise"),
        "blocks": _score_blocks(scores),
        "note": _note(scores),
        "ranks": _ranks(ranks[ranks["experiment"] == experiment]),
    }


def _note(frame: pd.DataFrame) -> str:
    """Why there are no tests, or an empty text."""
    notes = frame.loc[frame["p"].isna(), "note"]
    return "; ".join(filter(None, notes.dropna().unique()))


def _score_blocks(frame: pd.DataFrame) -> list[dict]:
    """Lines of the table, grouped by score."""
    blocks = []
    for metric, title in _SCORE_TITLES.items():
        cells = frame[frame["metric"] == metric]
        lines = []
        for method in cells["first"].unique():
            of_method = cells[cells["first"] == method].sort_values("noise")
            shown = [_score_cell(c) for c in of_method.itertuples(index=False)]
            lines.append({"method": method, "cells": shown})
        if lines:
            blocks.append({"title": title, "n": 0, "left_out": [], "lines": lines})
    return blocks


def _score_cell(row) -> dict:
    """One cell of the shared noise table."""
    marks, notes = [], []
    if pd.notna(row.p):
        if row.p < LEVEL:
            marks.append("a")
        if row.p_holm < LEVEL:
            marks.append("b")
        notes = [
            f"better on {row.wins} of {row.n_datasets} data sets",
            f"{p_said(row.p)}, {p_text(row.p_holm)} after Holm",
        ]
    return {
        "measured": number(row.difference, _DIGITS[row.unit]),
        "published": None,
        "strong": bool(row.p < 0.001),
        "marks": ",".join(marks),
        "notes": "; ".join(notes),
    }


def _ranks(frame: pd.DataFrame) -> dict:
    """Result of Friedman's test and the pairs that Nemenyi's tells apart, in words."""
    overall = frame[frame["name"] == "friedman"].iloc[0]
    if pd.isna(overall["p"]):
        return {"note": overall["note"]}
    pairs = frame[(frame["name"] == "nemenyi") & (frame["p"] < LEVEL)]
    apart = []
    for pair in pairs.itertuples(index=False):
        first_is_better = pair.rank_first < pair.rank_second
        better, worse = (pair.first, pair.second)[:: 1 if first_is_better else -1]
        apart.append(f"{LOOKS[better].label} before {LOOKS[worse].label} ({p_said(pair.p)})")
    mean = mean_ranks_of(frame).sort_values(kind="stable")
    return {
        "note": "",
        "statistic": number(overall["statistic"], 2),
        "p": p_said(overall["p"]),
        "differ": bool(overall["p"] < LEVEL),
        "n": int(overall["n_datasets"]),
        "least": number(overall["critical_difference"], 2),
        "apart": apart,
        "order": ", ".join(f"{LOOKS[m].label} {number(r, 2)}" for m, r in mean.items()),
    }
