"""The section on all answers to doubt on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.compared import most
from hedgerow.experiments.step import step
from hedgerow.extensions.uncertainty_benchmark import figures as uncertainty_benchmark_figures
from hedgerow.extensions.uncertainty_benchmark import tables as uncertainty_benchmark_tables
from hedgerow.extensions.uncertainty_benchmark.plan import UncertaintyBenchmarkPlan
from hedgerow.extensions.uncertainty_benchmark.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
)
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number, p_text, signed

AMONG_TITLES = {"readable": "Among trees that can be read", "all": "Among all learners"}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    suite: Mapping[str, Any],
    plan: UncertaintyBenchmarkPlan,
) -> Section:
    """All answers to doubt as a section of the report page."""
    effects = tables["uncertainty_benchmark_effects"]
    n = most(effects)
    return filled(
        "uncertainty_benchmark",
        "Which learner answers which doubt",
        "extensions/uncertainty_benchmark/page.html.j2",
        "extensions/uncertainty_benchmark/summary.html.j2",
        tally=tally(claims),
        plan=plan,
        n=n,
        smallest_p=smallest_p(n),
        suite=suite,
        n_suite=len(suite["datasets"]),
        claims=claim_lines(claims),
        effects=_effects(effects),
        rules=_rules(tables["uncertainty_benchmark_rule"]),
        honesty=_honesty(tables["uncertainty_benchmark_honesty"]),
        people=_people(tables["uncertainty_benchmark_people"]),
        shown=shown(
            uncertainty_benchmark_tables,
            uncertainty_benchmark_figures,
            figures=figures,
            captions=captions,
        ),
    )


def _effects(table: pd.DataFrame) -> list[dict]:
    """Accuracy beside C4.5's, with intervals, by condition."""
    own = table[(table["metric"] == "accuracy") & (table["second"] == "c45")]
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


def _rules(table: pd.DataFrame) -> list[dict]:
    """The leaves of both rules."""
    found = []
    for among, own in table.groupby("among", sort=False):
        lines = []
        for line in own.to_dict("records"):
            cells = [LABELS[line["method"]], number(line["accuracy"], 1)]
            cells += [number(line[f"accuracy_{name}"], 1) for name in ("c45", "forest", "best")]
            cells += [number(line["n_cases"], 0), number(line["n_datasets"], 0)]
            lines.append({"name": line["rule"], "cells": cells})
        found.append({"title": AMONG_TITLES[among], "lines": lines})
    return found


def _honesty(table: pd.DataFrame) -> list[dict]:
    """What the rule is worth on data sets that it has not seen."""
    found = []
    for among, own in table.groupby("among", sort=False):
        lines = []
        for line in own.to_dict("records"):
            span = "–"
            if line["choice"] != "rule":
                span = f"{signed(line['low'], 1)} to {signed(line['high'], 1)}"
            cells = [number(line["accuracy"], 1), span]
            lines.append({"name": CHOICE_LABELS[line["choice"]], "cells": cells})
        found.append({"title": AMONG_TITLES[among], "lines": lines})
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
