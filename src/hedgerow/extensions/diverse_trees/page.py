"""The section on the report page of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.step import step
from hedgerow.extensions.diverse_trees import figures as diverse_trees_figures
from hedgerow.extensions.diverse_trees import tables as diverse_trees_tables
from hedgerow.extensions.diverse_trees.plan import (
    DIVERSE,
    METRICS,
    POOLS,
    QUESTIONS,
    STRATEGIES,
    DiverseTreesPlan,
)
from hedgerow.extensions.diverse_trees.tables import (
    METRIC_LABELS,
    POOL_LABELS,
    SCORE_LABELS,
    direction,
    smallest_of_questions,
    strategy_label,
)
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number, p_said, p_text
from hedgerow.reporting.tables import MEAN

#: Heads of columns, in two lines.
_QUESTIONS = {
    "correlation_in_a": ("A2", "A1"),
    "correlation_in_b": ("B2", "B1"),
    "unitary_substitution": ("B", "A"),
    "normalization": ("normalised", "as it is"),
    "pearson": ("Pearson", "Spearman"),
    "kendall": ("Kendall", "Spearman"),
    "prototypes_normalized": ("prototypes", "normalised"),
    "prototypes_unnormalized": ("prototypes", "as it is"),
}
#: What each question asks, for the list of answers.
_ASKED = {
    "correlation_in_a": "Correlations in the costs, type A (A2 against A1)",
    "correlation_in_b": "Correlations in the costs, type B (B2 against B1)",
    "unitary_substitution": "A substitution as one operation (B against A)",
    "normalization": "Normalised by the number of nodes, against as they are",
    "pearson": "Pearson's correlation against Spearman's",
    "kendall": "Kendall's correlation against Spearman's",
    "prototypes_normalized": "Distances to prototypes against normalised ones",
    "prototypes_unnormalized": "Distances to prototypes against distances as they are",
}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: DiverseTreesPlan,
) -> Section:
    """What goes beyond chapter 5 as a section of the report page."""
    questions = tables["diverse_trees_questions"]
    of_ensembles = tables["diverse_trees_ensembles"]
    n = int(questions["n_datasets"].max())
    stated = {
        "answers": _answers(questions),
        "n": n,
        "small": smallest_of_questions(n) >= LEVEL,
        "smallest_p": smallest_p(n),
        "smallest_holm": smallest_of_questions(n),
        "n_questions": len(QUESTIONS),
        "level": LEVEL,
        "plan": plan,
    }
    return filled(
        "diverse_trees",
        "Beyond the thesis: what the distance of trees is good for",
        "extensions/diverse_trees/page.html.j2",
        "extensions/diverse_trees/summary.html.j2",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims),
        questions=[_QUESTIONS[q] for q in QUESTIONS],
        question_lines=_question_lines(questions),
        ensemble_blocks=_ensemble_blocks(of_ensembles, plan),
        sizes=plan.sizes,
        shown=shown(
            diverse_trees_tables, diverse_trees_figures, figures=figures, captions=captions
        ),
    )


def _answers(questions: pd.DataFrame) -> list[dict]:
    """Per question the metrics on which it makes a difference, by the test after Holm."""
    answers = []
    for name in QUESTIONS:
        own = questions[questions["question"] == name]
        words = {"higher": [], "lower": [], "no difference": [], "too few data sets": []}
        for _, row in own.iterrows():
            words[direction(row)].append(_lower(METRIC_LABELS[row["metric"]]))
        answers.append(
            {
                "name": _ASKED[name],
                "higher": "; ".join(words["higher"]),
                "lower": "; ".join(words["lower"]),
                "n_same": len(words["no difference"]),
                "untold": "; ".join(words["too few data sets"]),
                "n_untold": len(words["too few data sets"]),
            }
        )
    return answers


def _lower(label: str) -> str:
    """A label within a sentence.

    >>> _lower("Rank correlation with d_p"), _lower("A1 per test")
    ('rank correlation with d_p', 'A1 per test')
    """
    return label[0].lower() + label[1:] if label[1].islower() else label


def _question_lines(table: pd.DataFrame) -> list[dict]:
    """A line per metric, a cell per question."""
    cells = table.set_index(["metric", "question"])
    lines = []
    for metric in METRICS:
        if metric not in set(table["metric"]):
            continue
        own = [cells.loc[(metric, q)] for q in QUESTIONS]
        lines.append(
            {
                "name": METRIC_LABELS[metric],
                "n": int(own[0]["n_datasets"]),
                "cells": [_gain_cell(row, METRICS[metric].digits) for row in own],
            }
        )
    return lines


def _gain_cell(row: pd.Series, digits: int) -> dict:
    """A difference, on how many data sets it is so, and whether the test calls it one."""
    return {
        "text": number(row["difference"], digits),
        "count": f"{row['wins']:.0f}:{row['losses']:.0f}",
        "mark": "a" if row["p_holm"] < LEVEL else "",
        "notes": f"{p_said(row['p'])}, after Holm {p_text(row['p_holm'])}",
    }


def _ensemble_blocks(table: pd.DataFrame, plan: DiverseTreesPlan) -> list[dict]:
    """A block per score and pool, a line per strategy, a cell per k."""
    means = table[table["dataset"] == MEAN].set_index(["metric", "pool", "strategy", "k"])
    blocks = []
    for metric, score in SCORE_LABELS.items():
        for pool in POOLS:
            lines = []
            for strategy in STRATEGIES:
                cells = []
                for k in plan.sizes:
                    key = (metric, pool, strategy, k)
                    if key not in means.index:
                        cells.append({"text": "–", "count": "", "mark": "", "notes": ""})
                        continue
                    row = means.loc[key]
                    text = number(row["measured"], 1)
                    cell = {"text": text, "count": "", "mark": "", "notes": ""}
                    if strategy != DIVERSE:
                        # The rival's line says how often the first line is above it.
                        found = _gain_cell(row, 1)
                        cell |= {name: found[name] for name in ("count", "mark", "notes")}
                    cells.append(cell)
                lines.append({"name": strategy_label(strategy, plan), "cells": cells})
            title = f"{score}, {POOL_LABELS[pool]}"
            blocks.append({"title": title, "lines": lines})
    return blocks
