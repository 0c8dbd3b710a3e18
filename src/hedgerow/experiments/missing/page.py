"""The section of EIG on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.compared import blocks, pair_words
from hedgerow.experiments.missing import figures as missing_figures
from hedgerow.experiments.missing import tables as missing_tables
from hedgerow.experiments.missing.figures import HEADS, SHORT, TITLES
from hedgerow.experiments.missing.plan import (
    ALL,
    COMPARED,
    DESCRIBED,
    METHODS,
    SCENARIOS,
    MissingPlan,
    of_paper,
)
from hedgerow.experiments.missing.statistics import OF_ACCURACY
from hedgerow.experiments.missing.tables import LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import blank, minus, p_said

_PARTS = {
    "best": "Accuracy, variant less the best baseline",
    "baselines": "Accuracy, variant less each baseline",
    "imputation": "Accuracy, perfect less k-NN imputation",
    "scenarios": "Advantage over the best baseline, between scenarios",
    "depth": "Depth",
}
_TEXT = {
    "n_datasets_mean_accuracy_above_baselines": "data sets on which both variants are above all "
    "baselines",
    "n_datasets_mean_accuracy_above_eig_knn": "data sets on which perfect is above k-NN imputation",
    "n_datasets_mean_accuracy_above_eig_perfect": "data sets on which k-NN is above perfect "
    "imputation",
    "n_datasets_clear_increase": "data sets with a clear increase (more than 1 point)",
    "best_mean_accuracy": "has the highest mean",
    "mean_accuracy_above_eig": "is above both variants",
    "mean_accuracy_deficit_to_other_methods": "below the mean of the others, points",
    "missingness_from_which_eig_clearly_better": "level from which EIG is clearly better, per cent",
    "missingness_until_which_accuracy_steady": "level until which EIG is steady, per cent",
    "missingness_from_which_below_imputation_baselines": "level from which EIG is below the "
    "imputations, per cent",
    "missingness_from_which_accuracy_flat": "level from which accuracy is flat, per cent",
    "flat_accuracy": "the flat accuracy, per cent",
}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: MissingPlan,
) -> Section:
    """EIG as a section of the report page.

    Returns: the same inputs give the same text.
    """
    sets = tables["missing_sets"]
    return filled(
        "missing",
        "Trees from data with missing values: EIG",
        "experiments/missing/page.html.j2",
        "experiments/missing/summary.html.j2",
        "missing_gains",
        tally=tally(claims),
        plan=plan,
        claims=claim_lines(
            claims, {r: HEADS[r] for r in of_paper(plan.readings) if r != DESCRIBED}
        ),
        absent=sets.loc[sets["status"] == "absent", "registry"].tolist(),
        n_run=int((sets["status"] == "run").sum()),
        sets=_sets(sets),
        methods=[LABELS[method] for method in METHODS],
        means=_means(tables["missing_means"], sets),
        readings=_readings(tables["missing_readings"], plan),
        text=_text(tables["missing_text"], plan),
        tests=_tests(tables["missing_tests"]),
        whole=_whole(tables["missing_tests"]),
        depths=_depths(tables["missing_depth"]),
        shown=shown(missing_tables, missing_figures, figures=figures, captions=captions),
    )


def _sets(table: pd.DataFrame) -> list[dict]:
    lines = []
    for row in table.to_dict("records"):
        counts = ("n_rows", "n_dropped", "n_variables", "n_columns")
        cells = [blank(row[name], 0) for name in counts]
        cells.append(blank(100 * row["majority"], 1))
        name = row["dataset"].replace("_", " ")
        lines.append({"name": name, "key": row["registry"], "status": row["status"],
                      "cells": cells})  # fmt: skip
    return lines


def _means(table: pd.DataFrame, sets: pd.DataFrame) -> list[dict]:
    """Blocks by scenario, as described: a line per data set, the best marked."""
    names = dict(zip(sets["registry"], sets["dataset"], strict=True))
    blocks = []
    own = table[table["reading"] == DESCRIBED]
    for scenario in SCENARIOS:
        lines = []
        for key, cells in own[own["scenario"] == scenario].groupby("registry", sort=False):
            at = cells.set_index("method")
            values = [
                {"value": blank(100 * at.loc[m, "accuracy"], 2), "best": bool(at.loc[m, "best"])}
                for m in METHODS
            ]
            lines.append({"name": names[key].replace("_", " "), "cells": values})
        if lines:
            blocks.append({"title": TITLES[scenario], "lines": lines})
    return blocks


def _readings(table: pd.DataFrame, plan: MissingPlan) -> dict:
    lines = []
    for claim, cells in table.groupby("claim", sort=False):
        at = cells.set_index("reading")
        said = [
            {"verdict": at.loc[reading, "verdict"],
             "measured": _words(at.loc[reading, "measured"]) or _words(at.loc[reading, "lacking"])}
            for reading in of_paper(plan.readings)
        ]  # fmt: skip
        lines.append({"claim": claim, "cells": said})
    return {"heads": [HEADS[reading] for reading in of_paper(plan.readings)], "lines": lines}


def _words(text) -> str:
    return "" if pd.isna(text) else str(text)


def _text(table: pd.DataFrame, plan: MissingPlan) -> list[dict]:
    lines = []
    for row in table.to_dict("records"):
        whose = "" if row["dataset"] == "all_datasets" else row["dataset"].replace("_", " ") + ": "
        who = LABELS.get(row["method"], "")
        starts = who and not _TEXT[row["metric"]].startswith(("data sets", "level", "the flat"))
        what = f"{whose}{who + ' ' if starts else ''}{_TEXT[row['metric']]}"
        yes_no = row["unit"] == "yes_no"
        cells = [_said(row[name], yes_no) for name in ("published", *of_paper(plan.readings))]
        lines.append({"what": what, "scenario": SHORT[row["scenario"]], "cells": cells})
    return lines


def _said(value, yes_no: bool) -> str:
    if pd.isna(value):
        return "–"
    if yes_no:
        return "yes" if value else "no"
    return minus(f"{value:.1f}".removesuffix(".0"))


def _tests(table: pd.DataFrame) -> list[dict]:
    """Lines of the tests as described, a block per part and scenario."""
    own = table[(table["reading"] == DESCRIBED) & (table["first"] != ALL)]
    return blocks(COMPARED, own, None, ("part", "scenario"), _title, pair_words(LABELS | TITLES))


def _title(part: str, scenario: str) -> str:
    return _PARTS[part] + (f": {TITLES[scenario].lower()}" if part in OF_ACCURACY else "")


def _whole(table: pd.DataFrame) -> str:
    """The test of all three scenarios, as described."""
    own = table[(table["reading"] == DESCRIBED) & (table["first"] == ALL)]
    return "; ".join(p_said(p) for p in own["p"])


def _depths(table: pd.DataFrame) -> list[dict]:
    """Blocks by level, as described: depth and leaves of each method."""
    blocks = []
    own = table[table["reading"] == DESCRIBED]
    for level, part in own.groupby("missingness"):
        lines = []
        for name, cells in part.groupby("dataset", sort=False):
            at = cells.set_index("method")
            values = [f"{at.loc[m, 'depth']:.1f}, {at.loc[m, 'n_leaves']:.0f}" for m in METHODS]
            lines.append({"name": name, "cells": values})
        blocks.append({"title": f"{level} per cent missing", "lines": lines})
    return blocks
