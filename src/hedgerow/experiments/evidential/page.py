"""The section of E2M trees on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.evidential import figures as evidential_figures
from hedgerow.experiments.evidential import tables as evidential_tables
from hedgerow.experiments.evidential.plan import (
    CART,
    CRITERIA,
    ERRORS,
    LINES,
    NAIVE,
    EvidentialPlan,
)
from hedgerow.experiments.evidential.tables import LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally
from hedgerow.reporting.numbers import blank, p_said, signed

_ERROR_LABELS = {ERRORS[0]: "Classical error rate", ERRORS[1]: "Evidential error rate"}
_STATE_LABELS = {"": "", "unpruned": "before pruning", "pruned": "after pruning"}
_METRIC_LABELS = {
    "error_rate": "Classical error",
    "evidential_error_rate": "Evidential error",
    "clean_error_rate": "Error before the noise",
    "n_leaves": "Leaves",
}
_HEADS = [f"{LABELS[m]} {_STATE_LABELS[s]}".strip() for m, s in LINES]


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: EvidentialPlan,
) -> Section:
    """E2M trees as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    states = tables["e2m_table_1"].drop_duplicates(["dataset", "registry"])
    absent = states[states["status"] == "absent"]
    named = absent["registry"].fillna("").where(lambda r: r != "", absent["dataset"])
    return filled(
        "evidential",
        "Trees from evidential data: E2M",
        "experiments/evidential/page.html.j2",
        "experiments/evidential/summary.html.j2",
        "evidential_errors",
        tally=tally(claims),
        plan=plan,
        claims=claim_lines(claims),
        absent=named.tolist(),
        n_run=int((states["status"] == "run").sum()),
        heads=_HEADS,
        size_heads=[h for h, (m, _) in zip(_HEADS, LINES, strict=True) if m != NAIVE],
        errors=[_errors(tables["e2m_table_1"], *item) for item in _ERROR_LABELS.items()],
        clean=_errors(tables["evidential_clean"], ERRORS[2], ""),
        sizes=_sizes(tables["e2m_table_2"]),
        readings=_readings(tables["evidential_sizes"]),
        tests=_tests(tables["evidential_tests"]),
        test_heads=list(_METRIC_LABELS.values()),
        curve=_curve(tables["evidential_curve"]),
        shown=shown(evidential_tables, evidential_figures, figures=figures, captions=captions),
    )


def _errors(table: pd.DataFrame, metric: str, title: str) -> dict:
    """A block of lines of one error rate, a data set each."""
    own = table[table["metric"] == metric].fillna({"registry": "", "criterion": ""})
    lines = []
    for (key, name), cells in own.groupby(["dataset", "registry"], sort=False):
        cells = cells.set_index(["method", "criterion"])
        of = [cells.loc[line] for line in LINES]
        line = {"name": name or key, "status": cells["status"].iloc[0]}
        line["cells"] = [
            {
                "row": cell["row"],
                "measured": blank(cell["measured"], 3),
                "half": blank(cell["half_width"], 3),
                "published": blank(cell.get("published"), 2),
            }
            for cell in of
        ]
        lines.append(line)
    return {"title": title, "lines": lines}


def _sizes(table: pd.DataFrame) -> list[dict]:
    """Lines of table 2: failures of 100 and leaves, with and without failures."""
    lines = []
    table = table.fillna({"registry": ""})
    for (key, name), own in table.groupby(["dataset", "registry"], sort=False):
        cells = own.set_index(["metric", "method", "criterion"])
        line = {"name": name or key, "status": own["status"].iloc[0], "cells": []}
        for method, state in LINES:
            if method == NAIVE:
                continue
            failed = cells.loc[("n_failures", method, state)]
            leaves = cells.loc[("n_leaves", method, state)]
            line["cells"].append(
                {
                    "rows": (failed["row"], leaves["row"]),
                    "failures": blank(failed["measured"], 0),
                    "failures_published": blank(failed["published"], 0),
                    "leaves": blank(leaves["measured"], 2),
                    "grown": blank(leaves["grown"], 2),
                    "leaves_published": blank(leaves["published"], 2),
                }
            )
        lines.append(line)
    return lines


def _readings(table: pd.DataFrame) -> dict:
    """Heads and lines of the sizes under other readings; failures and leaves in each cell."""
    table = table.fillna({"registry": ""})
    own = table.drop_duplicates(["method", "criterion", "floor"])
    heads = [
        f"CART, {CRITERIA[line.criterion]}" if line.method == CART else f"E2M, floor {line.floor:g}"
        for line in own.itertuples()
    ]
    lines = []
    for (key, name, state), cells in table.groupby(["dataset", "registry", "state"], sort=False):
        line = {"name": name or key, "state": _STATE_LABELS[state]}
        line["cells"] = [
            {
                "failures": blank(cell.n_failures, 0),
                "leaves": blank(cell.n_leaves, 1),
                "published": f"{cell.published_failures:.0f}, {cell.published_leaves:.1f}"
                if pd.notna(cell.published_failures)
                else "",
            }
            for cell in cells.itertuples()
        ]
        lines.append(line)
    return {"heads": heads, "lines": lines}


def _tests(table: pd.DataFrame) -> list[dict]:
    """Blocks of paired tests: CART less E2M in each state, and what pruning gains."""
    titles = {
        ("method", "unpruned"): "CART less E2M, before pruning",
        ("method", "pruned"): "CART less E2M, after pruning",
        ("pruning", ""): "E2M before pruning less after it",
    }
    table = table.fillna({"state": ""})
    blocks = []
    for (part, state), title in titles.items():
        own = table[(table["part"] == part) & (table["state"] == state)]
        lines = []
        for name, cells in own.groupby("dataset", sort=False):
            cells = cells.set_index("metric")
            of = [cells.loc[metric] for metric in _METRIC_LABELS]
            said = [
                {"difference": signed(cell["difference"], 3),
                 "p": p_said(cell["p"])}
                for cell in of
            ]  # fmt: skip
            lines.append({"name": name, "cells": said})
        blocks.append({"title": title, "lines": lines})
    return [block for block in blocks if block["lines"]]


def _curve(table: pd.DataFrame) -> list[dict]:
    """Every second uncertainty of figure 1, both precise rates side by side."""
    wide = table.pivot(index="gamma", columns="precise", values=["estimate", "expected"])
    return [
        {
            "gamma": f"{gamma:.2f}",
            "cells": [
                blank(line[kind, precise], 4)
                for precise in table["precise"].drop_duplicates()
                for kind in ("estimate", "expected")
            ],
        }
        for gamma, line in wide.iloc[::2].iterrows()
    ]
