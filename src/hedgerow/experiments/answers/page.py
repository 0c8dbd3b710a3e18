"""The section on all answers to doubt on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.answers import figures as answers_figures
from hedgerow.experiments.answers import tables as answers_tables
from hedgerow.experiments.answers.plan import CLEAN, NOWHERE, RANKED, AnswersPlan
from hedgerow.experiments.answers.tables import CONDITION_LABELS, LABELS
from hedgerow.experiments.compared import most
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import NONE, number, p_text, signed


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    suite: Mapping[str, Any],
    plan: AnswersPlan,
) -> Section:
    """All answers to doubt as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        Those of `hedgerow.experiments.answers.tables` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.answers.claims.claims`.
    suite : mapping
        config/suite.yaml, as read.
    plan : AnswersPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    effects = tables["answers_effects"]
    n = most(effects)
    return filled(
        "answers",
        "Which learner answers which doubt",
        "experiments/answers/page.html.j2",
        "experiments/answers/summary.html.j2",
        tally=tally(claims),
        plan=plan,
        n=n,
        smallest_p=smallest_p(n),
        suite=suite,
        n_suite=len(suite["datasets"]),
        claims=claim_lines(claims),
        ranks=_ranks(tables["answers_ranks"]),
        effects=_effects(effects),
        cells=_cells(tables["answers_map"], suite),
        shown=shown(answers_tables, answers_figures, figures=figures, captions=captions),
    )


def _ranks(table: pd.DataFrame) -> list[dict]:
    """Lines by condition, the best mean rank first."""
    found = []
    for condition, own in table.groupby("condition", sort=False):
        lines = []
        for line in own.to_dict("records"):
            cells = [number(line["accuracy"], 1), number(line["rank_accuracy"], 1)]
            cells += [number(line["log_loss"], 3), number(line["rank_log_loss"], 1)]
            lines.append({"name": LABELS[line["method"]], "cells": cells})
        difference = own["critical_difference"].max()
        title = f"{CONDITION_LABELS[condition]}; critical difference {number(difference, 1)}"
        found.append({"title": title, "lines": lines})
    return found


def _effects(table: pd.DataFrame) -> list[dict]:
    """Accuracy beside C4.5's, with intervals, by condition."""
    own = table[(table["metric"] == RANKED[0]) & (table["second"] == "c45")]
    found = []
    for condition, lines in own.groupby("condition", sort=False):
        told = []
        for line in lines.to_dict("records"):
            span = f"{signed(line['low'], 1)} to {signed(line['high'], 1)}"
            wins = f"{line['wins']:.0f} : {line['losses']:.0f}"
            cells = [signed(line["difference"], 1), span, wins]
            cells += [p_text(line["p"]), p_text(line["p_holm"])]
            told.append({"name": LABELS[line["first"]], "cells": cells})
        found.append({"title": CONDITION_LABELS[condition], "lines": told})
    order = [*CONDITION_LABELS.values()]
    return sorted(found, key=lambda block: order.index(block["title"]))


def _cells(table: pd.DataFrame, suite: Mapping[str, Any]) -> list[dict]:
    """Lines of the map."""
    found = []
    for line in table.to_dict("records"):
        where = CONDITION_LABELS[line["condition"]]
        if line["condition"] != CLEAN:
            where += f", level {line['level'] + 1} of {_n_levels(suite)}"
        if line["place"] != NOWHERE:
            where += {"test": ", in use", "both": ", in training and in use"}.get(
                line["place"], ", in training"
            )
        cells = [LABELS[line["best"]], number(line["accuracy_best"], 1)]
        cells += [LABELS.get(line["best_readable"], NONE), number(line["accuracy_readable"], 1)]
        cells += [number(line["accuracy_c45"], 1), number(line["accuracy_forest"], 1)]
        found.append({"name": where, "cells": cells})
    return found


def _n_levels(suite: Mapping[str, Any]) -> int:
    return max(len(levels) for levels in suite["levels"].values())
