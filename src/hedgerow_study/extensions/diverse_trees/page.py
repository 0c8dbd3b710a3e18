"""The section on the report page of what goes beyond chapter 5."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.showing.numbers import NONE, number, p_text, p_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.diverse_trees import figures as own_figures
from hedgerow_study.extensions.diverse_trees import tables as own_tables
from hedgerow_study.extensions.diverse_trees.plan import (
    DIVERSE,
    METRICS,
    POOLS,
    QUESTIONS,
    STRATEGIES,
    DiverseTreesPlan,
)
from hedgerow_study.extensions.diverse_trees.tables import (
    METRIC_LABELS,
    POOL_LABELS,
    SCORE_LABELS,
    direction,
    smallest_of_questions,
    strategy_label,
)
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.tables import MEAN
from hedgerow_study.reporting.views import Styled, tagged, together, view

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
_QUESTION_TITLES = {
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
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: DiverseTreesPlan,
) -> Section:
    """What goes beyond chapter 5 as a section of the report page."""
    questions = tables["diverse_trees_questions"]
    n = int(questions["n_datasets"].max())
    views = {
        "diverse_trees_questions": view(
            _question_lines(questions),
            ["Metric", *("\n− ".join(_QUESTIONS[question]) for question in QUESTIONS)],
        ),
        "diverse_trees_ensembles": view(
            _ensemble_blocks(tables["diverse_trees_ensembles"], plan),
            ["Trees", *(f"k = {k}" for k in plan.sizes)],
        ),
    }
    return filled(
        "diverse_trees",
        "Beyond the thesis: what the distance of trees is good for",
        "extensions/diverse_trees/page.html.j2",
        "extensions/diverse_trees/summary.html.j2",
        tally=tally(claims),
        answers=_answers(questions),
        n=n,
        small=smallest_of_questions(n) >= LEVEL,
        smallest_p=smallest_p(n),
        smallest_holm=smallest_of_questions(n),
        n_questions=len(QUESTIONS),
        level=LEVEL,
        plan=plan,
        claims=claim_lines(claims),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _answers(questions: pd.DataFrame) -> list[dict]:
    """Per question the metrics on which it makes a difference, by the test after Holm."""
    answers = []
    for name in QUESTIONS:
        rows = questions[questions["question"] == name]
        words = {"higher": [], "lower": [], "no difference": [], "too few data sets": []}
        for _, row in rows.iterrows():
            words[direction(row)].append(_lower(METRIC_LABELS[row["metric"]]))
        answers.append(
            {
                "name": _QUESTION_TITLES[name],
                "higher": "; ".join(words["higher"]),
                "lower": "; ".join(words["lower"]),
                "n_same": len(words["no difference"]),
                "too_few": "; ".join(words["too few data sets"]),
                "n_too_few": len(words["too few data sets"]),
            }
        )
    return answers


def _lower(label: str) -> str:
    """A label within a sentence.

    >>> _lower("Rank correlation with d_p"), _lower("A1 per test")
    ('rank correlation with d_p', 'A1 per test')
    """
    return label[0].lower() + label[1:] if label[1].islower() else label


def _question_lines(table: pd.DataFrame) -> list[tuple]:
    """A line per metric, a cell per question."""
    cells, available = table.set_index(["metric", "question"]), set(table["metric"])
    lines = []
    for metric in (metric for metric in METRICS if metric in available):
        rows = [cells.loc[(metric, question)] for question in QUESTIONS]
        size = tagged("small", f"n = {int(rows[0]['n_datasets'])}")
        digits = METRICS[metric].digits
        gains = (_compared(number(row["difference"], digits), row) for row in rows)
        lines.append((together(METRIC_LABELS[metric], " ", size), *gains))
    return lines


def _compared(shown: str, row: pd.Series) -> Styled:
    """A number, on how many data sets it is so, and whether the test calls it a difference."""
    mark = tagged("sup", "a") if row["p_holm"] < LEVEL else ""
    count = tagged("small", f"{row['wins']:.0f}:{row['losses']:.0f}")
    notes = f"{p_words(row['p'])}, after Holm {p_text(row['p_holm'])}"
    return Styled(together(shown, mark, " ", count), title=notes)


def _ensemble_blocks(table: pd.DataFrame, plan: DiverseTreesPlan) -> dict[str, list]:
    """A block per score and pool, a line per strategy, a cell per k."""
    means = table[table["dataset"] == MEAN].set_index(["metric", "pool", "strategy", "k"])
    blocks = {}
    for metric, score in SCORE_LABELS.items():
        for pool in POOLS:
            blocks[f"{score}, {POOL_LABELS[pool]}"] = [
                (
                    strategy_label(strategy, plan),
                    *(_ensemble(means, (metric, pool, strategy, k)) for k in plan.sizes),
                )
                for strategy in STRATEGIES
            ]
    return blocks


def _ensemble(means: pd.DataFrame, key: tuple) -> Styled | str:
    """A mean; the rival's line says how often the first line is above it."""
    if key not in means.index:
        return NONE
    measured = number(means.loc[key, "measured"], 1)
    return measured if key[2] == DIVERSE else _compared(measured, means.loc[key])
