"""The section on the report page of what goes beyond chapter 6."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.compared import blocks, pair_words
from hedgerow.experiments.step import step
from hedgerow.experiments.survival_beyond import figures as survival_beyond_figures
from hedgerow.experiments.survival_beyond import tables as survival_beyond_tables
from hedgerow.experiments.survival_beyond.plan import (
    COMPARED,
    MODELS,
    OF_REPEATS,
    SCORES,
    SETTINGS,
    TREES,
    WAYS,
    SurvivalBeyondPlan,
)
from hedgerow.experiments.survival_beyond.tables import (
    MODEL_LABELS,
    REPEAT_LABELS,
    SCORE_LABELS,
    TREE_LABELS,
    WAY_LABELS,
)
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import known, number, p_said
from hedgerow.reporting.tables import MEAN

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
_OF_SAMPLES = {
    "relative_b2": "Edit distance per test",
    "distance_b2": "Edit distance",
    "n_tests": "Tests",
    "d_p": "In different classes",
    "same_root": "Same root",
}
_SHORT = {
    **{
        "thesis": "thesis",
        "tuned": "tuned",
        "cox": "Cox",
        "forest": "forest",
        "nobody": "one curve",
    },
    **{"left_out": "left out", "weighted": "weighted", "survived": "left out, survival"},
    **{"survived_weighted": "weighted, survival", "c45": "C4.5", "se": "soft evaluation"},
    **{"soft": "soft tree", "predicted": "predicted", "incidence": "observed"},
}
_PARTS = {
    "scores": "Models",
    "weights": "Censored",
    "calibration": "Share with the event, censored",
    "measurement": "Repeated",
    "stability": "Samples",
}
#: What is printed in per cent.
_PER_CENT = {
    *("accuracy", "weighted_accuracy", "f1", "predicted", "incidence", "distance", "same_root"),
    *("group_changed", "class_changed", "risk_changed", "d_p", "between"),
}
_WHOLE = {"n_leaves", "n_tests", "n_known", "distance_b2"}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: SurvivalBeyondPlan,
) -> Section:
    """What goes beyond chapter 6 as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        Those of `hedgerow.experiments.survival_beyond.tables` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.survival_beyond.claims.claims`.
    plan : SurvivalBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    of_scores = tables["survival_beyond_scores"]
    first = of_scores[of_scores["metric"] == SCORES[0]]
    cohorts = [name for name in first["dataset"] if name != MEAN]
    absent = sorted(set(of_scores[of_scores["status"] == "absent"]["dataset"]))
    of_weights = tables["survival_beyond_weights"]
    ways = [w for w in WAYS if w in of_weights and of_weights[w].notna().any()]
    compared = tables["survival_beyond_comparisons"]
    tests = {part: compared[compared["part"] == part] for part in COMPARED.parts}
    of_repeats = tables["survival_beyond_measurement"]
    stated = {
        "plan": plan,
        "n": len(cohorts),
        "absent": absent,
        "level": LEVEL,
        "smallest_p": smallest_p(len(cohorts)) if cohorts else 1.0,
    }
    return filled(
        "survival_beyond",
        "Beyond the thesis: how far risk groups can be trusted",
        "experiments/survival_beyond/page.html.j2",
        "experiments/survival_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims, of="cohorts: {n_datasets}"),
        models=[MODEL_LABELS[m] for m in MODELS],
        score_blocks=_blocks(of_scores, SCORES, SCORE_LABELS, MODELS, tests["scores"]),
        ways=[WAY_LABELS[w] for w in ways],
        way_blocks=_blocks(of_weights, _OF_WAYS, _OF_WAYS, ways, tests["weights"]),
        errors=_errors(tables["survival_beyond_errors"]),
        trees=[TREE_LABELS[t] for t in TREES],
        repeat_blocks=_blocks(of_repeats, OF_REPEATS, REPEAT_LABELS, TREES, tests["measurement"]),
        samples=[_OF_SAMPLES[m] for m in _OF_SAMPLES],
        stability=_stability(tables["survival_beyond_stability"], tests["stability"]),
        comparisons=_comparisons(compared),
        shown=shown(
            survival_beyond_tables, survival_beyond_figures, figures=figures, captions=captions
        ),
    )


def _value(metric: str, value: float) -> str:
    if metric in _PER_CENT:
        return number(100.0 * value if pd.notna(value) else value, 1)
    return number(value, 1 if metric in _WHOLE else 3)


def _blocks(table: pd.DataFrame, metrics, labels, groups, tests: pd.DataFrame) -> list[dict]:
    """A block per metric: a line per cohort with a cell per group, and the mean with its tests."""
    found = []
    for metric in metrics:
        own = table[table["metric"] == metric] if "metric" in table else table
        if own.empty:
            continue
        lines = []
        for line in own.to_dict("records"):
            mean = line["dataset"] == MEAN
            cells = []
            for group in groups:
                note = line.get(f"{group}_note")
                word = "–" if pd.isna(note) or mean else str(note)
                value = line[group]
                cells.append(word if pd.isna(value) else _value(metric, value))
            name = "Mean" if mean else line["dataset"]
            lines.append({"name": name, "mean": mean, "cells": cells})
        words = [_test(line) for line in tests[tests["metric"] == metric].to_dict("records")]
        unit = ", %" if metric in _PER_CENT else ""
        found.append({"title": f"{labels[metric]}{unit}", "lines": lines, "tests": words})
    return found


def _test(line: Mapping) -> str:
    """A mean difference with its p."""
    words = f"{_SHORT[line['first']]} − {_SHORT[line['second']]} "
    words += _value(line["metric"], line["difference"])
    return f"{words} ({p_said(line['p_holm'])}, n = {line['n_datasets']})"


def _comparisons(table: pd.DataFrame) -> list[dict]:
    def title(part: str, metric: str) -> str:
        labels = SCORE_LABELS | _OF_WAYS | REPEAT_LABELS | _OF_SAMPLES | WAY_LABELS
        return f"{_PARTS[part]}: {labels[metric]}"

    by, names = ("part", "metric"), pair_words(_SHORT)
    return blocks(COMPARED, table, None, by, title, names)


def _cell(text: str, mark: str = "", notes: str = "") -> dict:
    return {"text": text, "mark": mark, "notes": notes}


def _errors(table: pd.DataFrame) -> list[dict]:
    """A line per quantity, with the columns that it stands for."""
    lines = []
    for quantity, own in table.groupby("quantity", sort=True):
        first = own.iloc[0]
        relative = first["kind"] == "relative"
        size = f"{100.0 * first['sd']:.3g} %" if relative else f"{first['sd']:g}"
        columns = [f"{d} {v}" for d, v in zip(own["dataset"], own["variable"], strict=True)]
        cells = [size, ", ".join(columns)]
        lines.append({"name": quantity, "cells": cells, "source": first["source"]})
    return lines


def _stability(table: pd.DataFrame, tests: pd.DataFrame) -> list[dict]:
    """A block per settings, a line per cohort; the mean of the tuned ones tells their tests."""
    after_holm = tests.set_index("metric")["p_holm"]
    blocks = []
    for settings in SETTINGS:
        lines = []
        for line in table[table["settings"] == settings].to_dict("records"):
            mean = line["dataset"] == MEAN
            cells = []
            for metric in _OF_SAMPLES:
                told = mean and settings == "tuned"
                p = after_holm.get(metric) if told else None
                tested = known(p)
                text = _value(metric, line[metric])
                mark = "a" if tested and p < LEVEL else ""
                cells.append(_cell(text, mark, p_said(p) if tested else ""))
            root = line.get("root")
            thresholds = "–"
            if pd.notna(line.get("root_low")):
                low, high = (f"{line[name]:.4g}" for name in ("root_low", "root_high"))
                thresholds = low if low == high else f"{low} to {high}"
            words = "" if mean else "no test" if pd.isna(root) or not root else str(root)
            lines.append(
                {
                    "name": "Mean" if mean else line["dataset"],
                    "mean": mean,
                    "cells": cells,
                    "root": words,
                    "thresholds": "" if mean else thresholds,
                    "between": _value("between", line["between"]),
                }
            )
        label = "Settings of the thesis" if settings == "thesis" else "Tuned settings"
        blocks.append({"title": label, "lines": lines})
    return blocks
