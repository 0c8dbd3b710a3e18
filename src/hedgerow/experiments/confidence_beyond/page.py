"""The section on what goes beyond the paper of ConfDTree on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.compared import blocks, most
from hedgerow.experiments.confidence_beyond import figures as confidence_beyond_figures
from hedgerow.experiments.confidence_beyond import tables as confidence_beyond_tables
from hedgerow.experiments.confidence_beyond.plan import COMPARED, ConfidenceBeyondPlan
from hedgerow.experiments.confidence_beyond.tables import BASES, METHODS, METRIC_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: ConfidenceBeyondPlan,
) -> Section:
    """What goes beyond the paper of ConfDTree as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        Those of `hedgerow.experiments.confidence_beyond.tables` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.confidence_beyond.claims.claims`.
    plan : ConfidenceBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    n = most(tables["confidence_beyond_answers"])
    stated = {"plan": plan, "n": n, "smallest_p": smallest_p(n)}
    return filled(
        "confidence_beyond",
        "Beyond the paper of ConfDTree",
        "experiments/confidence_beyond/page.html.j2",
        "experiments/confidence_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims),
        blocks={
            part: _blocks(tables[f"confidence_beyond_{part}"], part) for part in COMPARED.parts
        },
        shown=shown(
            confidence_beyond_tables,
            confidence_beyond_figures,
            figures=figures,
            captions=captions,
        ),
    )


def _blocks(table: pd.DataFrame, part: str) -> list[dict]:
    """Lines of one table, a block per base, or per metric where there are several."""
    several = len(COMPARED.parts[part].metrics) > 1
    by, titles = (("metric",), METRIC_LABELS) if several else (("base",), BASES)
    return blocks(COMPARED, table, part, by, titles.__getitem__, _pair)


def _pair(line: Mapping) -> str:
    return f"{_method(line['first'])} – {_method(line['second'])}"


def _method(name: str) -> str:
    """What a method is called; settings have their value at the end of the name."""
    if name in METHODS:
        return METHODS[name]
    version, kind, value = name.rsplit("_", 2)
    value = f"{100 * float(value):g} %" if kind == "fine" else f"times {value}"
    return f"{METHODS[version]}, {kind} {value}"
