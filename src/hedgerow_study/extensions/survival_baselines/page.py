"""The section on the report page of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.showing.numbers import number, p_words
from hedgerow_study.experiments.comparisons import comparisons, pair_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.survival_baselines import figures as own_figures
from hedgerow_study.extensions.survival_baselines import tables as own_tables
from hedgerow_study.extensions.survival_baselines.plan import (
    COMPARED,
    MODELS,
    SCORES,
    WAYS,
    SurvivalBaselinesPlan,
)
from hedgerow_study.extensions.survival_baselines.tables import (
    MODEL_LABELS,
    SCORE_LABELS,
    WAY_LABELS,
)
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.tables import MEAN
from hedgerow_study.reporting.views import tagged, text, together, view

_OF_WAYS = {
    "accuracy": "Accuracy, class known",
    "weighted_accuracy": "Accuracy, weighted",
    "f1": "Macro F1",
    "concordance": "Concordance",
    "n_leaves": "Leaves",
    "predicted": "Share with the event that is predicted",
    "incidence": "The same by Kaplan-Meier or Aalen-Johansen",
    "distance": "Distance of these two",
    "same_root": "Divisions with the root of the first column",
}
_SHORT = {
    **{"thesis": "thesis", "tuned": "tuned", "cox": "Cox", "forest": "forest"},
    **{"nobody": "one curve", "left_out": "left out", "weighted": "weighted"},
    **{"survived": "left out, survival", "survived_weighted": "weighted, survival"},
    **{"predicted": "predicted", "incidence": "observed"},
}
_PARTS = {
    "scores": "Models",
    "weights": "Censored",
    "calibration": "Share with the event, censored",
}
#: What is printed in per cent.
_PER_CENT = {
    *("accuracy", "weighted_accuracy", "f1", "predicted", "incidence", "distance", "same_root")
}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: SurvivalBaselinesPlan,
) -> Section:
    """What goes beyond chapter 6 as a section of the report page."""
    of_scores = tables["survival_baselines_scores"]
    first = of_scores[of_scores["metric"] == SCORES[0]]
    cohorts = [name for name in first["dataset"] if name != MEAN]
    absent = sorted(set(of_scores[of_scores["status"] == "absent"]["dataset"]))
    of_weights = tables["survival_baselines_weights"]
    ways = [w for w in WAYS if w in of_weights and of_weights[w].notna().any()]
    compared = tables["survival_baselines_comparisons"]
    tests = {part: compared[compared["part"] == part] for part in COMPARED.parts}
    models, of_ways = (MODEL_LABELS[m] for m in MODELS), (WAY_LABELS[w] for w in ways)
    views = {
        "survival_baselines_scores": view(
            _blocks(of_scores, SCORES, SCORE_LABELS, MODELS, tests["scores"]), ["Cohort", *models]
        ),
        "survival_baselines_comparisons": _comparisons(compared),
        "survival_baselines_weights": view(
            _blocks(of_weights, _OF_WAYS, _OF_WAYS, ways, tests["weights"]), ["Cohort", *of_ways]
        ),
    }
    return filled(
        "survival_baselines",
        "Beyond the thesis: how far risk groups can be trusted",
        "extensions/survival_baselines/page.html.j2",
        "extensions/survival_baselines/summary.html.j2",
        tally=tally(claims),
        plan=plan,
        n=len(cohorts),
        absent=absent,
        level=LEVEL,
        smallest_p=smallest_p(len(cohorts)) if cohorts else 1.0,
        claims=claim_lines(claims, of="cohorts: {n_datasets}"),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _value(metric: str, value: float) -> str:
    if metric in _PER_CENT:
        return number(100.0 * value if pd.notna(value) else value, 1)
    return number(value, 1 if metric == "n_leaves" else 3)


def _blocks(table: pd.DataFrame, metrics, labels, groups, tests: pd.DataFrame) -> dict[str, list]:
    """A block per metric: a line per cohort with a cell per group, and the mean with its tests."""
    blocks = {}
    for metric in metrics:
        rows_of_metric = table[table["metric"] == metric]
        if rows_of_metric.empty:
            continue
        words = [_test(line) for line in tests[tests["metric"] == metric].to_dict("records")]
        subtitle = together(" ", tagged("small", "; ".join(words))) if words else ""
        unit = ", %" if metric in _PER_CENT else ""
        blocks[together(labels[metric], unit, subtitle)] = [
            _line(line, metric, groups) for line in rows_of_metric.to_dict("records")
        ]
    return blocks


def _line(line: Mapping, metric: str, groups) -> tuple:
    """A cohort or the mean; in the place of a value the word why there is none."""
    is_mean = line["dataset"] == MEAN
    cells = []
    for group in groups:
        word = "" if is_mean or pd.notna(line[group]) else text(line.get(f"{group}_note"))
        cells.append(word or _value(metric, line[group]))
    return tagged("b", "Mean") if is_mean else line["dataset"], *cells


def _test(line: Mapping) -> str:
    """A mean difference with its p."""
    words = f"{_SHORT[line['first']]} − {_SHORT[line['second']]} "
    words += _value(line["metric"], line["difference"])
    return f"{words} ({p_words(line['p_holm'])}, n = {line['n_datasets']})"


def _comparisons(table: pd.DataFrame) -> Markup:
    def title(part: str, metric: str) -> str:
        labels = SCORE_LABELS | _OF_WAYS | WAY_LABELS
        return f"{_PARTS[part]}: {labels[metric]}"

    by, names = ("part", "metric"), pair_words(_SHORT)
    return comparisons(COMPARED, table, None, by, title, names)
