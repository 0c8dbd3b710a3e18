"""The section on all answers to doubt on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.showing.numbers import NONE, between, number, p_text, signed
from hedgerow_study.experiments.comparisons import most
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark import figures as own_figures
from hedgerow_study.extensions.uncertainty_benchmark import tables as own_tables
from hedgerow_study.extensions.uncertainty_benchmark.plan import UncertaintyBenchmarkPlan
from hedgerow_study.extensions.uncertainty_benchmark.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
)
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.views import view

AMONG_TITLES = {"readable": "Among trees that can be read", "all": "Among all learners"}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    suite: Mapping[str, Any],
    plan: UncertaintyBenchmarkPlan,
) -> Section:
    """All answers to doubt as a section of the report page."""
    effects = tables["uncertainty_benchmark_effects"]
    n = most(effects)
    views = {
        "uncertainty_benchmark_effects": view(
            _effects(effects),
            ["Learner – C4.5", "Difference", "Interval", "Won : lost", "p", "p, Holm"],
        ),
        "uncertainty_benchmark_rule": view(
            _rules(tables["uncertainty_benchmark_rule"]),
            ["Where", "Take", "Accuracy", "C4.5", "Forest", "Best in hindsight", "Cases",
             "Data sets"],
        ),
        "uncertainty_benchmark_honesty": view(
            _honesty(tables["uncertainty_benchmark_honesty"]),
            ["On a data set that was left out", "Accuracy", "Less the rule"],
        ),
        "uncertainty_benchmark_people": view(
            _people(tables["uncertainty_benchmark_people"]),
            ["Learner", "Accuracy", "Log loss", "Answers that change", "Expected changes"],
        ),
    }  # fmt: skip
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
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _effects(table: pd.DataFrame) -> dict[str, list]:
    """Accuracy beside C4.5's, with intervals, by condition."""
    selected = table[(table["metric"] == "accuracy") & (table["second"] == "c45")]
    blocks = {}
    for condition, title in CONDITION_LABELS.items():
        lines = selected[selected["condition"] == condition].to_dict("records")
        if lines:
            blocks[title] = [_effect(line) for line in lines]
    return blocks


def _effect(line: Mapping) -> tuple:
    wins = f"{line['wins']:.0f} : {line['losses']:.0f}"
    gain = (
        LABELS[line["first"]],
        signed(line["difference"], 1),
        between(line["low"], line["high"], 1, signed),
        wins,
    )
    return *gain, p_text(line["p"]), p_text(line["p_holm"])


def _rules(table: pd.DataFrame) -> dict[str, list]:
    """The leaves of both rules."""
    digits = {"accuracy": 1, "accuracy_c45": 1, "accuracy_forest": 1, "accuracy_best": 1}
    digits |= {"n_cases": 0, "n_datasets": 0}
    return {
        AMONG_TITLES[among]: [
            (
                *(line["rule"], LABELS[line["method"]]),
                *(number(line[name], n) for name, n in digits.items()),
            )
            for line in group.to_dict("records")
        ]
        for among, group in table.groupby("among", sort=False)
    }


def _honesty(table: pd.DataFrame) -> dict[str, list]:
    """What the rule is worth on data sets that it has not seen."""
    return {
        AMONG_TITLES[among]: [
            (
                CHOICE_LABELS[line["choice"]],
                number(line["accuracy"], 1),
                NONE if line["choice"] == "rule" else between(line["low"], line["high"], 1, signed),
            )
            for line in group.to_dict("records")
        ]
        for among, group in table.groupby("among", sort=False)
    }


def _people(table: pd.DataFrame) -> list[tuple]:
    """Lines of the illustration."""
    digits = {"accuracy": 1, "log_loss": 3, "changes": 1, "expected_changes": 1}
    return [
        (PEOPLE_LABELS[line["method"]], *(number(line[name], n) for name, n in digits.items()))
        for line in table.to_dict("records")
    ]
