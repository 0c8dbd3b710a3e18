"""The section on what goes beyond the paper of E2M on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.evidential_beyond import figures as evidential_beyond_figures
from hedgerow.experiments.evidential_beyond import tables as evidential_beyond_tables
from hedgerow.experiments.evidential_beyond.plan import EvidentialBeyondPlan
from hedgerow.experiments.evidential_beyond.tables import LABELS, METRIC_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, render, shown, tally
from hedgerow.reporting.numbers import number, of_all, p_text, signed

_SETTINGS = {
    "evidential_beyond_sweep": "noise level {:g}",
    "evidential_beyond_repeated": "error {:g} sd",
    "evidential_beyond_annotators": "mistakes up to {:g}",
}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: EvidentialBeyondPlan,
) -> Section:
    """What goes beyond the paper of E2M as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        Those of `hedgerow.experiments.evidential_beyond.tables` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.evidential_beyond.claims.claims`.
    plan : EvidentialBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    sweep = tables["evidential_beyond_sweep"]
    n = int(sweep["n"].max()) if len(sweep) else 0
    stated = {"plan": plan, "n": n, "smallest_p": smallest_p(n)}
    markup = render(
        "experiments/evidential_beyond/page.html.j2",
        **stated,
        claims=claim_lines(claims),
        blocks={name: _blocks(_few(tables[name]), words) for name, words in _SETTINGS.items()},
        misjudged=_misjudged(tables["evidential_beyond_misjudged"]),
        shown=shown(
            evidential_beyond_tables,
            evidential_beyond_figures,
            figures=figures,
            captions=captions,
        ),
    )
    contents = (
        ("evidential_beyond-findings", "Questions"),
        ("evidential_beyond-answers", "Answers to doubt"),
        ("evidential_beyond-sources", "Intervals, votes, misjudged doubt"),
    )
    summary = render("experiments/evidential_beyond/summary.html.j2", **stated, tally=tally(claims))
    title = "Beyond the paper of E2M"
    return Section("evidential_beyond", title, markup, contents, summary)


def _few(table: pd.DataFrame) -> pd.DataFrame:
    """The lowest, the middle and the highest setting; the file of the table has all."""
    settings = sorted(table["setting"].unique())
    if len(settings) <= 4:
        return table
    return table[table["setting"].isin([settings[0], settings[len(settings) // 2], settings[-1]])]


def _blocks(table: pd.DataFrame, words: str) -> list[dict]:
    """Lines of one table, a block per metric and setting."""
    blocks = []
    several = table["metric"].nunique() > 1
    for (metric, setting), own in table.groupby(["metric", "setting"], sort=False):
        lines = [
            {"name": LABELS[row["method"]], "cells": _cells(row, ("value", "e2m"))}
            for row in own.to_dict("records")
        ]
        title = words.format(setting)
        title = f"{METRIC_LABELS[metric]}, {title}" if several else title.capitalize()
        blocks.append({"title": title, "lines": lines})
    return blocks


def _misjudged(table: pd.DataFrame) -> list[dict]:
    """Lines of doubts told wrong, a block per metric."""
    return [
        {
            "title": METRIC_LABELS[metric],
            "lines": [
                {"name": _told(row), "cells": _cells(row, ("value", "right"))}
                for row in own.to_dict("records")
            ],
        }
        for metric, own in table.groupby("metric", sort=False)
    ]


def _told(row: Mapping) -> str:
    return f"times {row['setting']:g}" if row["method"] == "e2m" else "as odds"


def _cells(row: Mapping, means: tuple[str, str]) -> list[str]:
    cells = [*(number(row[name], 1) for name in means), signed(row["difference"], 1)]
    return [*cells, of_all(row["wins"], row["n"]), p_text(row["p"]), p_text(row["p_holm"])]
