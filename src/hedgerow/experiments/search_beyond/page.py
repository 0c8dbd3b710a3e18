"""The section on the report page of what goes beyond chapter 4."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.search_beyond import figures as search_beyond_figures
from hedgerow.experiments.search_beyond import tables as search_beyond_tables
from hedgerow.experiments.search_beyond.plan import (
    LEARNERS,
    METRICS_OF_RULES,
    OBJECTIVES,
    PRUNED,
    UNPRUNED,
    SearchBeyondPlan,
    rules_of,
)
from hedgerow.experiments.search_beyond.tables import (
    LEARNER_LABELS,
    VIEWS,
    gaps,
    rule_label,
    settled,
)
from hedgerow.experiments.step import step
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number, p_said, p_text
from hedgerow.reporting.tables import MEAN

_OBJECTIVES = {"accuracy": "Accuracy", "f1": "Macro F1, two classes"}
_VIEWS = {
    "training": "all training rows",
    "induction": "induction set",
    "validation": "validation set",
    "test": "test part",
}
_METRICS = {
    "f1": ("F1 on the test part, %", 1),
    "validation_f1": ("F1 on the validation set, %", 1),
    "n_leaves": ("Leaves", 1),
    "f1_per_leaf": ("F1 per leaf, %", 1),
}
_CRITERIA = {PRUNED: "both prunings", UNPRUNED: "no search pruning", "": ""}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: SearchBeyondPlan,
) -> Section:
    """What goes beyond chapter 4 as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        search_beyond_gap, search_beyond_rules and search_beyond_progress, as read from their files.
    figures : mapping of path
        search_beyond_distance and search_beyond_curves: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.search_beyond.claims.claims`.
    plan : SearchBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    tables = {name: _filled(table) for name, table in tables.items()}
    of_gap, of_rules = tables["search_beyond_gap"], tables["search_beyond_rules"]
    progress = tables["search_beyond_progress"]
    found = gaps(of_gap)
    n_rules = of_rules.loc[of_rules["dataset"] != MEAN, "dataset"].nunique()
    stated = {
        "gaps": _sentences(found),
        "claims": claim_lines(claims),
        "curves": _last(progress),
        "library": plan.library,
        "n_rules": n_rules,
        "small": smallest_p(n_rules) >= LEVEL,
        "smallest_p": smallest_p(n_rules),
        "level": LEVEL,
        "plan": plan,
    }
    return filled(
        "search_beyond",
        "Beyond the thesis: optimal trees and other searches",
        "experiments/search_beyond/page.html.j2",
        "experiments/search_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        gap_blocks=_gap_blocks(of_gap),
        views=[_VIEWS[view] for view in VIEWS],
        rule_blocks=_rule_blocks(of_rules, plan),
        methods=[LOOKS[method].label for method in plan.policies],
        lines=_progress_lines(progress),
        settled=[
            {**curve, "name": _name(curve["method"], curve["criterion"])}
            for curve in settled(progress)
        ],
        shown=shown(
            search_beyond_tables, search_beyond_figures, figures=figures, captions=captions
        ),
    )


def _filled(table: pd.DataFrame) -> pd.DataFrame:
    """A table as read from its file, texts that are empty as such."""
    texts = [c for c in ("criterion", "absent") if c in table]
    return table.fillna(dict.fromkeys(texts, "")).astype(dict.fromkeys(texts, str))


def _name(method: str, criterion: str) -> str:
    name = LOOKS[method].label
    return f"{name}, {_CRITERIA[criterion]}" if criterion else name


def _sentences(found: list) -> list[dict]:
    """One sentence per objective and depth: gap, what search closes, what is left in test data."""
    sentences = []
    for objective in OBJECTIVES:
        for depth in sorted({g.depth for g in found if g.objective == objective}):
            own = [g for g in found if (g.objective, g.depth) == (objective, depth)]
            best = max(own, key=lambda g: (g.training, -LEARNERS.index(g.learner)))
            thesis = next(g for g in own if g.learner == "uct_vs")
            sentences.append(
                {
                    "objective": _OBJECTIVES[objective],
                    "depth": depth,
                    "n": best.n,
                    "gap": number(best.gap, 1),
                    "thesis": _closed(thesis.training),
                    "closed": _closed(best.training),
                    "closer": LEARNER_LABELS[best.learner],
                    "validation": "" if pd.isna(thesis.validation) else _closed(thesis.validation),
                    "test": _above(thesis.test),
                    "p": p_said(thesis.p),
                    "optimum_test": _above(best.optimum_test),
                }
            )
    return sentences


def _closed(share: float) -> str:
    """Part of a gap in words; a learner below C4.5 closes nothing of it.

    >>> _closed(12.3), _closed(-4.0)
    ('12 %', 'none')
    """
    return f"{number(share, 0)} %" if share > 0 else "none"


def _above(points: float) -> str:
    """A difference to C4.5 in words.

    >>> _above(-0.62)
    '0.6 points below'
    """
    return f"{number(abs(points), 1)} points {'below' if points < 0 else 'above'}"


def _gap_blocks(table: pd.DataFrame) -> list[dict]:
    """A block per objective and depth; a line per learner, a cell per set of rows."""
    means = table[table["dataset"] == MEAN]
    blocks = []
    for (objective, depth), block in sorted(
        means.groupby(["objective", "depth"]),
        key=lambda item: (list(OBJECTIVES).index(item[0][0]), item[0][1]),
    ):
        lines = []
        for learner in LEARNERS:
            for trained_on in ("training", "induction"):
                own = block[(block["learner"] == learner) & (block["trained_on"] == trained_on)]
                if own.empty:
                    continue
                by_view = own.set_index("measured_on")
                name = LEARNER_LABELS[learner]
                if trained_on == "induction":
                    name += ", of the induction set"
                cells = [_gap_cell(by_view, view) for view in VIEWS]
                leaves = number(own["n_leaves"].iloc[0], 1)
                lines.append({"name": name, "cells": cells, "leaves": leaves})
        n = int(block["n_datasets"].max())
        title = f"{_OBJECTIVES[objective]}, depth up to {depth}"
        blocks.append({"title": title, "n": n, "lines": lines})
    return blocks


def _gap_cell(by_view: pd.DataFrame, view: str) -> dict:
    if view not in by_view.index:
        return {"text": "–", "closed": "", "mark": "", "notes": ""}
    row = by_view.loc[view]
    closed = "" if pd.isna(row["gap_closed"]) else f"({number(row['gap_closed'], 0)} %)"
    notes = f"{number(row['measured'], 1)} %"
    if pd.notna(row["p"]):
        notes += f"; {_told(row)}"
    mark = "a" if pd.notna(row["p"]) and row["p"] < LEVEL else ""
    return {
        "text": number(row["difference_c45"], 1),
        "closed": closed,
        "mark": mark,
        "notes": notes,
    }


def _told(row: Mapping) -> str:
    return f"{p_said(row['p'])} over data sets, {p_text(row['p_splits'])} over all splits"


def _rule_blocks(table: pd.DataFrame, plan: SearchBeyondPlan) -> list[dict]:
    """A block per metric; a line per rule, a cell per simulation policy."""
    means = table[table["dataset"] == MEAN].set_index(["metric", "method", "rule"])
    blocks = []
    for metric in METRICS_OF_RULES:
        title, digits = _METRICS[metric]
        lines = []
        for rule in rules_of(plan):
            cells = []
            for method in plan.policies:
                if (metric, method, rule) not in means.index:
                    cells.append({"text": "–", "count": "", "mark": "", "notes": ""})
                    continue
                row = means.loc[(metric, method, rule)]
                if rule == "ucb":
                    text = number(row["measured"], digits)
                    cells.append({"text": text, "count": "", "mark": "", "notes": ""})
                    continue
                notes = _told(row)
                count = f"{row['wins']:.0f} better, {row['losses']:.0f} worse"
                mark = "a" if row["p"] < LEVEL else ""
                text = number(row["difference_ucb"], digits + 1)
                cells.append({"text": text, "count": count, "mark": mark, "notes": notes})
            lines.append({"name": rule_label(rule), "cells": cells})
        blocks.append({"title": title, "lines": lines})
    return blocks


def _last(progress: pd.DataFrame) -> list[dict]:
    """Where each curve ends."""
    means = progress[progress["dataset"] == MEAN]
    ends = []
    for (method, criterion), curve in means.groupby(["method", "criterion"], sort=False):
        last = curve.sort_values("budget").iloc[-1]
        ends.append(
            {
                "name": _name(method, criterion),
                "method": method,
                "criterion": criterion,
                "budget": int(last["budget"]),
                "f1": number(last["f1"], 1),
                "difference": number(last["difference_c45"], 1),
                "leaves": number(last["n_leaves"], 1),
                "n": int(last["n_datasets"]),
            }
        )
    return ends


def _progress_lines(progress: pd.DataFrame) -> dict:
    """Test F1 of every curve, a cell per point of the grid."""
    means = progress[progress["dataset"] == MEAN]
    grid = sorted(b for b in means["budget"].unique() if b > 0)
    lines = []
    for (method, criterion), curve in means.groupby(["method", "criterion"], sort=False):
        by_budget = curve.set_index("budget")["f1"]
        if method == "c45":
            cells = [number(by_budget.iloc[0], 1)] + [""] * (len(grid) - 1)
        else:
            cells = [number(by_budget[b], 1) if b in by_budget else "" for b in grid]
        lines.append({"name": _name(method, criterion), "cells": cells})
    return {"grid": [f"{b:,}" for b in grid], "lines": lines}
