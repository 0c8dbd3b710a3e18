"""The section of other scores and of ranks on the report page: beyond the paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL
from hedgerow.experiments.soft.plan import EXPERIMENTS, TABLE_3_1, SoftPlan
from hedgerow.experiments.soft_scores import figures as soft_scores_figures
from hedgerow.experiments.soft_scores import tables as soft_scores_tables
from hedgerow.experiments.soft_scores.plan import FEWEST_DATASETS
from hedgerow.experiments.soft_scores.tables import mean_ranks_of
from hedgerow.experiments.step import step
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, filled, shown
from hedgerow.reporting.numbers import number, p_said, p_text

_TITLES = {
    "accuracy": "Accuracy, points of %, more is better",
    "macro_f1": "Macro F1, points of %, more is better",
    "brier": "Brier score, less is better",
}
_DIGITS = {"accuracy": 1, "macro_f1": 1, "brier": 3}
_PARTS = {"training_noise": "training", "test_noise": "test"}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    plan: SoftPlan,
) -> Section:
    """Scores and ranks as a section of the report page."""
    there = set(rows["dataset"])
    scores = tables["soft_scores"]
    ranks = tables["soft_ranks"]
    n_run = len(there & set(TABLE_3_1.values()))
    return filled(
        "soft_scores",
        "Beyond the paper: other scores and ranks",
        "experiments/soft_scores/page.html.j2",
        plan=plan,
        labels={m: LOOKS[m].label for m in plan.methods},
        absent=sorted(set(plan.datasets) - there),
        n_run=n_run,
        n_table=len(TABLE_3_1),
        fewest=FEWEST_DATASETS,
        experiments=[
            {
                "word": experiment,
                "part": _PARTS[experiment],
                "blocks": _blocks(scores[scores["experiment"] == experiment]),
                "note": _note(scores[scores["experiment"] == experiment]),
                "ranks": _ranks(ranks[ranks["experiment"] == experiment]),
            }
            for experiment in EXPERIMENTS
        ],
        shown=shown(soft_scores_tables, soft_scores_figures, figures=figures, captions=captions),
    )


def _note(frame: pd.DataFrame) -> str:
    """Why there are no tests, or an empty text."""
    notes = frame.loc[frame["p"].isna(), "note"]
    return "; ".join(filter(None, notes.dropna().unique()))


def _blocks(frame: pd.DataFrame) -> list[dict]:
    """Lines of the table, grouped by score."""
    blocks = []
    for metric, title in _TITLES.items():
        cells = frame[frame["metric"] == metric]
        lines = []
        for method in cells["first"].unique():
            of_method = cells[cells["first"] == method].sort_values("noise")
            shown = [_cell(c, _DIGITS[metric]) for c in of_method.itertuples(index=False)]
            lines.append({"method": method, "cells": shown})
        if lines:
            blocks.append({"title": title, "n": 0, "left_out": [], "lines": lines})
    return blocks


def _cell(row, digits: int) -> dict:
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
        "measured": number(row.difference, digits),
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
