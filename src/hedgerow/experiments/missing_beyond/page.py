"""The section on what goes beyond the paper of EIG on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import smallest_p
from hedgerow.experiments.compared import blocks, most, pair_words
from hedgerow.experiments.missing_beyond import figures as missing_beyond_figures
from hedgerow.experiments.missing_beyond import tables as missing_beyond_tables
from hedgerow.experiments.missing_beyond.plan import COMPARED, METHODS, MissingBeyondPlan
from hedgerow.experiments.missing_beyond.tables import LABELS, MECHANISM_LABELS, METRIC_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow.reporting.numbers import number, of_all, p_text, signed


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: MissingBeyondPlan,
) -> Section:
    """What goes beyond the paper of EIG as a section of the report page.

    Parameters
    ----------
    tables : mapping of DataFrame
        Those of `hedgerow.experiments.missing_beyond.tables` by id, as read from their files.
    figures : mapping of path
        Its figures by id: svg files, which are embedded.
    captions : mapping of str
        Of all tables and figures, by id.
    claims : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.claims.claims`.
    plan : MissingBeyondPlan

    Returns
    -------
    Section
        The same inputs give the same text.
    """
    n = {part: most(tables[f"missing_beyond_{part}"]) for part in ("mechanisms", "natural")}
    stated = {"plan": plan, "n": n["mechanisms"], "n_natural": n["natural"]}
    stated["smallest_p"] = smallest_p(n["mechanisms"])
    return filled(
        "missing_beyond",
        "Beyond the paper of EIG",
        "experiments/missing_beyond/page.html.j2",
        "experiments/missing_beyond/summary.html.j2",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims),
        blocks={part: _blocks(tables[f"missing_beyond_{part}"], part) for part in COMPARED.parts},
        agreement=_agreement(tables["missing_beyond_agreement"]),
        sets=_sets(tables["missing_beyond_sets"]),
        methods=[LABELS[name] for name in METHODS["natural"]],
        shown=shown(
            missing_beyond_tables,
            missing_beyond_figures,
            figures=figures,
            captions=captions,
        ),
    )


def _blocks(table: pd.DataFrame, part: str) -> list[dict]:
    """Lines of one table, a block per metric, setting and share."""
    more = {"imputer_error": 2} if "imputer_error" in table else {}
    by, title = ("metric", *COMPARED.cell), partial(_title, part)
    return blocks(COMPARED, table, part, by, title, pair_words(LABELS), more)


def _title(part: str, metric: str, setting: str, share: float) -> str:
    removed = f"{100 * share:g} % removed"
    words = {
        "mechanisms": f"{removed}, {MECHANISM_LABELS.get(setting)}",
        "pruning": f"{METRIC_LABELS[metric]}, {setting}, {removed}",
        "natural": METRIC_LABELS[metric],
        "noise": f"noise factor {setting}, {removed}",
    }
    return words.get(part, removed)


def _agreement(table: pd.DataFrame) -> list[dict]:
    return [
        {
            "name": f"{100 * row['share']:g} % removed",
            "cells": [
                signed(row["correlation"], 2),
                of_all(row["positive"], row["n_datasets"]),
                p_text(row["p"]),
                p_text(row["p_holm"]),
            ],
        }
        for row in table.to_dict("records")
    ]


def _sets(table: pd.DataFrame) -> list[dict]:
    """A line per data set; the best of each, as printed, is told."""
    lines = []
    for row in table.to_dict("records"):
        values = [number(row[name], 1) for name in METHODS["natural"]]
        best = number(max(row[name] for name in METHODS["natural"]), 1)
        cells = [{"text": text, "best": text == best} for text in values]
        missing = number(row["missing"], 1)
        lines.append({"name": row["dataset"], "missing": missing, "cells": cells})
    return lines
