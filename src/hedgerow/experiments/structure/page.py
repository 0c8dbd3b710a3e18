"""The section of chapter 5 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.step import step
from hedgerow.experiments.structure import figures as structure_figures
from hedgerow.experiments.structure import tables as structure_tables
from hedgerow.experiments.structure.plan import EXAMPLES, SCALES, VARIANTS, StructurePlan
from hedgerow.experiments.structure.tables import CLOSENESS_UNITS, CRITERIA, LABELS, NORMED, OWN
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally
from hedgerow.reporting.numbers import minus, number

_HEADS = {
    "silhouette": "Silhouette",
    "nmi_cluster_n_nodes": "NMI",
    "insertion_deletion_score": "Parent, child",
    "insertion_deletion_score_first": "of one test",
    "same_variable_substitution_score": "Same",
    "correlated_substitution_score": "Correlated",
    "chance": "Chance",
    "rank_correlation_with_d_kl": "with d_KL",
    "rank_correlation_with_d_p": "with d_p",
    "rank_correlation_with_size": "with size",
    "mean_distance": "Mean distance",
    "largest_distance": "Largest distance",
}
_KINDS = {
    "insertion_deletion": "Parent and child",
    "same_variable": "Same variables, other thresholds",
    "correlated": "One strongly correlated variable",
}
_REFERENCES = {"norm_diff_to_d_kl": "Difference to d_KL", "norm_diff_to_d_p": "Difference to d_p"}


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: StructurePlan,
) -> Section:
    """Chapter 5 as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    states = tables["thesis_table_5_1"].groupby("registry", sort=False)["status"].first()
    run = [d for d, state in states.items() if state == "run"]
    stated = {"plan": plan, "n_forests": plan.n_forests}
    return filled(
        "structure",
        "The structure of trees",
        "experiments/structure/page.html.j2",
        "experiments/structure/summary.html.j2",
        "thesis_figure_5_4",
        tally=tally(claims),
        **stated,
        claims=claim_lines(
            claims,
            {"first": "Forest 0", "printed": "From the printed cells"},
            "{n_reproduced} of {n_judged} forests",
        ),
        sets=[_data_set(tables, dataset) for dataset in run],
        absent=[d for d, state in states.items() if state == "absent"],
        shown=shown(
            structure_tables,
            structure_figures,
            figures=figures,
            captions=captions,
        ),
    )


def _data_set(tables: Mapping[str, pd.DataFrame], dataset: str) -> dict:
    """What the template needs of one data set."""
    own = {n: t[t["registry"] == dataset] for n, t in tables.items() if "registry" in t}
    return {
        "name": dataset,
        "norms": _norms(own["thesis_table_5_1"]),
        "clusters": _clusters(own["thesis_table_5_2"]),
        "closeness": _closeness(own["structure_closeness"]),
        "examples": _examples(own["structure_examples"]),
    }


def _norms(table: pd.DataFrame) -> list[dict]:
    """Blocks of table 5.1, one per distance between predictions."""
    cells = table.set_index(["metric", "method", "criterion"])
    blocks = []
    for metric, title in _REFERENCES.items():
        lines = []
        for method in NORMED:
            groups = []
            for scale in SCALES:
                cell = cells.loc[(metric, method, scale)]
                groups.append(
                    {
                        "row": cell["row"],
                        "first": number(cell["measured"], 1),
                        "published": number(cell["published"], 1),
                        "mean": number(cell["mean"], 1),
                        "range": f"{number(cell['lowest'], 1)} to {number(cell['highest'], 1)}",
                        "difference": _difference(cell),
                    }
                )
            lines.append({"name": LABELS[NORMED[method]].split()[0], "groups": groups})
        blocks.append({"title": title, "lines": lines})
    return blocks


def _difference(cell: pd.Series) -> dict | None:
    if pd.isna(cell["difference"]):
        return None
    low, high = number(cell["low"], 1), number(cell["high"], 1)
    return {
        "value": number(cell["difference"], 1),
        "interval": f"{low} to {high}",
        "closer": f"{int(cell['n_closer'])} of {int(cell['n_forests'])}",
    }


def _clusters(table: pd.DataFrame) -> dict:
    """Heads and lines of table 5.2."""
    metrics = [*CRITERIA[:3], OWN[0], *CRITERIA[3:], OWN[1]]
    cells = table.set_index(["method", "criterion", "metric"]).sort_index()
    lines = []
    for method in VARIANTS:
        for scale in SCALES:
            line = []
            for metric in metrics:
                cell = cells.loc[(method, scale, metric)]
                digits = 3 if metric in CRITERIA[:2] else 2
                printed = cell["printed"]
                line.append(
                    {
                        "row": cell["row"],
                        "first": number(cell["measured"], digits),
                        "published": "" if pd.isna(printed) else str(printed),
                        "mean": number(cell["mean"], digits),
                    }
                )
            name = LABELS[method] + (" normalised" if scale == "normalized" else "")
            lines.append({"name": name, "cells": line})
    some = cells.loc[("edit_a1", "unnormalized")]
    heads = [
        {
            "title": _HEADS[m],
            "n_pairs": "" if pd.isna(some.loc[m, "n_pairs"]) else int(some.loc[m, "n_pairs"]),
            "n_forests": int(some.loc[m, "n_forests"]),
        }
        for m in metrics
    ]
    return {"heads": heads, "lines": lines}


def _closeness(table: pd.DataFrame) -> dict:
    cells = table.set_index(["method", "criterion", "metric"])
    lines = []
    for method in VARIANTS:
        for scale in SCALES:
            line = []
            for metric in CLOSENESS_UNITS:
                cell = cells.loc[(method, scale, metric)]
                line.append(
                    {
                        "row": cell["row"],
                        "mean": number(cell["mean"], 2),
                        "first": number(cell["measured"], 2),
                        "published": ""
                        if pd.isna(cell["published"])
                        else number(cell["published"], 1),
                    }
                )
            name = LABELS[method] + (" normalised" if scale == "normalized" else "")
            lines.append({"name": name, "cells": line})
    return {"heads": [_HEADS[m] for m in CLOSENESS_UNITS], "lines": lines}


def _examples(table: pd.DataFrame) -> dict:
    """Pairs by forest, and one of each kind."""
    counts = table.pivot(index="forest", columns="criterion", values="n_pairs")
    n_trees = table.groupby("forest")["n_trees"].first()
    lines = [
        {"forest": forest, "n_trees": n_trees[forest], "cells": [int(row[c]) for c in EXAMPLES]}
        for forest, row in counts.iterrows()
    ]
    shown = []
    for criterion, title in _KINDS.items():
        own = table[(table["criterion"] == criterion) & table["edits"].notna()]
        if own.empty:
            shown.append({"title": title, "edits": "no forest has such a pair", "cells": None})
            continue
        pair = own.sort_values("forest").iloc[0]
        methods = [*NORMED.values(), "d_kl", "d_p"]
        shown.append(
            {
                "title": title,
                "forest": int(pair["forest"]),
                "trees": f"{int(pair['tree_1'])} and {int(pair['tree_2'])}",
                "edits": minus(pair["edits"]),
                "cells": [number(pair[m], 3) for m in methods],
            }
        )
    heads = [LABELS[m].split()[0] for m in NORMED.values()]
    return {
        "kinds": list(_KINDS.values()),
        "lines": lines,
        "shown": shown,
        "heads": [*heads, "d_KL", "d_p"],
    }
