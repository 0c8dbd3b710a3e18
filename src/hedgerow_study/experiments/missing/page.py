"""The section of EIG on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.numbers import NONE, blank, is_number, minus, number, p_words
from hedgerow_study.experiments.comparisons import comparisons, pair_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.missing import figures as own_figures
from hedgerow_study.experiments.missing import tables as own_tables
from hedgerow_study.experiments.missing.figures import HEADS, SHORT, TITLES
from hedgerow_study.experiments.missing.plan import (
    ALL,
    COMPARED,
    DESCRIBED,
    KEPT,
    METHODS,
    SCENARIOS,
    MissingPlan,
    published_interpretations,
)
from hedgerow_study.experiments.missing.statistics import OF_ACCURACY
from hedgerow_study.experiments.missing.tables import LABELS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.views import Styled, beneath, tagged, text, view

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
    "n_datasets_clear_increase": "data sets with a clear increase (more than 1 percentage point)",
    "best_mean_accuracy": "has the highest mean",
    "mean_accuracy_above_eig": "is above both variants",
    "mean_accuracy_deficit_to_other_methods": "below the mean of the others, percentage points",
    "missingness_from_which_eig_clearly_better": "level from which EIG is clearly better, per cent",
    "missingness_until_which_accuracy_steady": "level until which EIG is steady, per cent",
    "missingness_from_which_below_imputation_baselines": "level from which EIG is below the "
    "imputations, per cent",
    "missingness_from_which_accuracy_flat": "level from which accuracy is flat, per cent",
    "flat_accuracy": "the flat accuracy, per cent",
}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: MissingPlan,
) -> Section:
    """EIG as a section of the report page."""
    sets, choices = tables["missing_sets"], published_interpretations(plan.interpretations)
    heads = [HEADS[choice] for choice in choices]
    described = {
        name: t[t["interpretation"] == DESCRIBED]
        for name, t in tables.items()
        if "interpretation" in t
    }
    tests, methods = described["missing_tests"], ["Data set", *(LABELS[m] for m in METHODS)]
    friedman = tests["first"] == ALL
    views = {
        "missing_sets": view(
            [_dataset_row(row) for row in sets.to_dict("records")],
            ["Data set", "Rows", "Left out", "Variables", "Columns", "Commonest class, %"],
        ),
        "missing_means": view(_means(described["missing_means"]), methods),
        "missing_interpretations": view(
            _choice_rows(tables["missing_interpretations"], choices),
            ["Statement", *(Styled(head, "text") for head in heads)],
        ),
        "missing_text": view(
            [_number_of_text(row, choices) for row in tables["missing_text"].to_dict("records")],
            ["What", Styled("Test set", "text"), "Published", *heads],
        ),
        "missing_tests": comparisons(
            COMPARED,
            tests[~friedman],
            None,
            ("part", "scenario"),
            _title,
            pair_words(LABELS | TITLES),
        ),
        "missing_depth": view(_depths(described["missing_depth"]), methods),
    }
    return filled(
        "missing",
        "Trees from data with missing values: EIG",
        "experiments/missing/page.html.j2",
        "experiments/missing/summary.html.j2",
        "missing_gains",
        tally=tally(claims),
        plan=plan,
        claims=claim_lines(claims, {r: HEADS[r] for r in choices if r != DESCRIBED}),
        absent=sets.loc[sets["status"] == "absent", "registry"].tolist(),
        n_run=int((sets["status"] == "run").sum()),
        whole="; ".join(p_words(p) for p in tests.loc[friedman, "p"]),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )  # fmt: skip


def _name(row: Mapping) -> str:
    return row["dataset"].replace("_", " ")


def _dataset_row(row: Mapping) -> tuple:
    name = Markup("{} {}").format(_name(row), tagged("small", row["registry"]))
    if row["status"] != "run":
        name += beneath(row["status"])
    counts = ("n_rows", "n_dropped", "n_variables", "n_columns")
    return name, *(number(row[count]) for count in counts), number(100 * row["majority"], 1)


def _means(table: pd.DataFrame) -> dict[str, list]:
    """Blocks by scenario, a line per data set, the best marked."""
    blocks = {TITLES[scenario]: [] for scenario in SCENARIOS}
    for (scenario, _), group in table.groupby(["scenario", "registry"], sort=False):
        at = {row["method"]: row for row in group.to_dict("records")}
        blocks[TITLES[scenario]].append(
            (_name(at[METHODS[0]]), *(_accuracy(at[m]) for m in METHODS))
        )
    return {title: lines for title, lines in blocks.items() if lines}


def _accuracy(row: Mapping) -> str:
    measured = blank(100 * row["accuracy"], 2)
    return tagged("strong", measured) if row["best"] else measured


def _depths(table: pd.DataFrame) -> dict[str, list]:
    """Blocks by level: depth and leaves of each method."""
    blocks = {level: [] for level in KEPT}
    for (level, name), group in table.groupby(["missingness", "dataset"], sort=False):
        at = group.set_index("method")
        cells = (f"{at.loc[m, 'depth']:.1f}, {at.loc[m, 'n_leaves']:.0f}" for m in METHODS)
        blocks[level].append((name, *cells))
    return {f"{level} per cent missing": lines for level, lines in blocks.items() if lines}


def _choice_rows(table: pd.DataFrame, choices: list[str]) -> list[tuple]:
    at = {(row["claim"], row["interpretation"]): row for row in table.to_dict("records")}
    claims = table["claim"].drop_duplicates()
    return [(claim, *(_verdict(at[claim, choice]) for choice in choices)) for claim in claims]


def _verdict(row: Mapping) -> Styled:
    verdict = tagged("strong", row["verdict"])
    if measured := text(row["measured"]) or text(row["lacking"]):
        verdict += Markup("<br>") + tagged("small", measured)
    return Styled(verdict, "wrap")


def _number_of_text(row: Mapping, choices: list[str]) -> tuple:
    words, who = _TEXT[row["metric"]], LABELS.get(row["method"], "")
    if who and not words.startswith(("data sets", "level", "the flat")):
        words = f"{who} {words}"
    whose = "" if row["dataset"] == "all_datasets" else f"{_name(row)}: "
    cells = (_sentence(row[name], row["unit"] == "yes_no") for name in ("published", *choices))
    return Styled(whose + words, "wrap"), Styled(SHORT[row["scenario"]], "text"), *cells


def _sentence(value: float, yes_no: bool) -> str:
    if not is_number(value):
        return NONE
    if yes_no:
        return "yes" if value else "no"
    return minus(f"{value:.1f}".removesuffix(".0"))


def _title(part: str, scenario: str) -> str:
    return _PARTS[part] + (f": {TITLES[scenario].lower()}" if part in OF_ACCURACY else "")
