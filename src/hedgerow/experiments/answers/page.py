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
from hedgerow.experiments.answers.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
)
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
        rules=_rules(tables["answers_rule"]),
        honesty=_honesty(tables["answers_honesty"]),
        people=_people(tables["answers_people"]),
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
            where += PLACE_LABELS[line["place"]]
        cells = [LABELS[line["best"]], number(line["accuracy_best"], 1)]
        cells += [LABELS.get(line["best_readable"], NONE), number(line["accuracy_readable"], 1)]
        cells += [number(line["accuracy_c45"], 1), number(line["accuracy_forest"], 1)]
        found.append({"name": where, "cells": cells})
    return found


def _rules(table: pd.DataFrame) -> list[dict]:
    """The leaves of both rules."""
    titles = {"readable": "Among trees that can be read", "all": "Among all learners"}
    found = []
    for among, own in table.groupby("among", sort=False):
        lines = []
        for line in own.to_dict("records"):
            cells = [LABELS[line["method"]], number(line["accuracy"], 1)]
            cells += [number(line[f"accuracy_{name}"], 1) for name in ("c45", "forest", "best")]
            cells += [number(line["n_cases"], 0), number(line["n_datasets"], 0)]
            lines.append({"name": line["rule"], "cells": cells})
        found.append({"title": titles[among], "lines": lines})
    return found


def _honesty(table: pd.DataFrame) -> list[dict]:
    """What the rule is worth on data sets that it has not seen."""
    titles = {"readable": "Among trees that can be read", "all": "Among all learners"}
    found = []
    for among, own in table.groupby("among", sort=False):
        lines = []
        for line in own.to_dict("records"):
            span = "–"
            if line["choice"] != "rule":
                span = f"{signed(line['low'], 1)} to {signed(line['high'], 1)}"
            cells = [number(line["accuracy"], 1), span]
            lines.append({"name": CHOICE_LABELS[line["choice"]], "cells": cells})
        found.append({"title": titles[among], "lines": lines})
    return found


def _people(table: pd.DataFrame) -> list[dict]:
    """Lines of the illustration."""
    return [
        {
            "name": PEOPLE_LABELS[line["method"]],
            "cells": [
                number(line["accuracy"], 1),
                number(line["log_loss"], 3),
                number(line["changes"], 1),
                number(line["foretold"], 1),
            ],
        }
        for line in table.to_dict("records")
    ]


#: Where errors and gaps are; doubtful classes are in the training part in any case.
PLACE_LABELS = {
    "test": ", in use",
    "both": ", in training and in use",
    "training": ", in training",
}


def _n_levels(suite: Mapping[str, Any]) -> int:
    return max(len(levels) for levels in suite["levels"].values())
