"""The section on what goes beyond the paper of E2M on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.compared import blocks, most, pair_words
from hedgerow.experiments.evidential_beyond import figures as evidential_beyond_figures
from hedgerow.experiments.evidential_beyond import tables as evidential_beyond_tables
from hedgerow.experiments.evidential_beyond.plan import COMPARED, EvidentialBeyondPlan
from hedgerow.experiments.evidential_beyond.tables import LABELS, METRIC_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally

_SETTINGS = {
    "sweep": "noise level {:g}",
    "repeated": "error {:g} sd",
    "annotators": "mistakes up to {:g}",
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
    n = most(tables["evidential_beyond_sweep"])
    stated = {"plan": plan, "n": n, "smallest_p": smallest_p(n)}
    of_part = {part: tables[f"evidential_beyond_{part}"] for part in COMPARED.parts}
    return filled(
        "evidential_beyond",
        "Beyond the paper of E2M",
        "experiments/evidential_beyond/page.html.j2",
        "experiments/evidential_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims),
        blocks={part: _blocks(_few(of_part[part]), part) for part in _SETTINGS},
        misjudged=blocks(
            *(COMPARED, of_part["misjudged"], "misjudged"),
            *(("metric",), METRIC_LABELS.__getitem__, _told),
        ),
        shown=shown(
            evidential_beyond_tables,
            evidential_beyond_figures,
            figures=figures,
            captions=captions,
        ),
    )


def _few(table: pd.DataFrame) -> pd.DataFrame:
    """The lowest, the middle and the highest setting; the file of the table has all."""
    settings = sorted(table["setting"].unique())
    if len(settings) <= 4:
        return table
    return table[table["setting"].isin([settings[0], settings[len(settings) // 2], settings[-1]])]


def _blocks(table: pd.DataFrame, part: str) -> list[dict]:
    """Lines of one table, a block per metric and setting."""
    several = len(COMPARED.parts[part].metrics) > 1

    def title(metric: str, setting: float) -> str:
        words = _SETTINGS[part].format(setting)
        return f"{METRIC_LABELS[metric]}, {words}" if several else words.capitalize()

    by = ("metric", "setting")
    return blocks(COMPARED, table, part, by, title, pair_words(LABELS))


def _told(line: Mapping) -> str:
    return f"times {line['setting']:g}" if line["first"] == "e2m" else "as odds"
