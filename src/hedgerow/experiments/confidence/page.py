"""The section of ConfDTree on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.confidence import figures as confidence_figures
from hedgerow.experiments.confidence import tables as confidence_tables
from hedgerow.experiments.confidence.figures import KIND_LABELS
from hedgerow.experiments.confidence.plan import (
    CRITERIA,
    FOREST,
    KINDS,
    PRINTED_KINDS,
    READINGS,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow.experiments.confidence.tables import FACTS, LABELS, READING_LABELS, TESTS, TREE_LABELS
from hedgerow.experiments.step import step
from hedgerow.reporting.claim_specification import NOT, PARTLY, REPRODUCED, TOO_LITTLE
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally
from hedgerow.reporting.numbers import blank

_METHODS = (*VERSIONS, FOREST)
_FACT_HEADS = {
    "n_classes": "Classes",
    "n_numeric_variables": "Numeric",
    "n_variables": "Variables",
    "n_instances": "Rows",
    "imbalance_ratio": "Imbalance",
}
_TEST_HEADS = {
    "wilcoxon_z": "Wilcoxon z",
    "wilcoxon_p": "p",
    "paired_t": "Paired t",
    "paired_t_p": "p",
}
_CRITERION_LABELS = dict(zip(CRITERIA, ("mean over classes", "weighted mean"), strict=True))


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: ConfidencePlan,
) -> Section:
    """ConfDTree as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    states = tables["confdtree_table_3"].drop_duplicates(["dataset", "registry"])
    absent = [r or d for d, r, s in states[["dataset", "registry", "status"]].fillna("").values
              if s == "absent"]  # fmt: skip
    stated = {"plan": plan, "tree": TREE_LABELS[plan.tree]}
    return filled(
        "confidence",
        "Trees that doubt: ConfDTree",
        "experiments/confidence/page.html.j2",
        "experiments/confidence/summary.html.j2",
        "confidence_gains",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims),
        claim_ids=claims["claim"].tolist(),
        verdicts=_verdicts(claims, plan),
        absent=absent,
        n_run=int((states["status"] == "run").sum()),
        fact_heads=list(_FACT_HEADS.values()),
        method_heads=[LABELS[m] for m in _METHODS],
        version_heads=[LABELS[m] for m in VERSIONS],
        test_heads=list(_TEST_HEADS.values()),
        gains=_gains(tables["confdtree_table_1"]),
        tests=_tests(tables["confdtree_table_2"]),
        affected=_affected(tables["confdtree_table_3"], plan),
        other=next(t for r, t in READING_LABELS.items() if r != plan.affected),
        trees=_trees(tables["confidence_trees"]),
        sizes=_sizes(tables["confidence_sizes"]),
        shown=shown(confidence_tables, confidence_figures, figures=figures, captions=captions),
    )


def _gains(table: pd.DataFrame) -> list[dict]:
    """Lines of table I."""
    table = table.fillna({"registry": "", "method": "", "criterion": ""})
    lines = []
    for (key, name), own in table.groupby(["dataset", "registry"], sort=False):
        facts = own[own["method"] == ""].set_index("metric")
        cells = own[own["method"] != ""].set_index(["criterion", "method"])
        line = {"name": name or key, "status": own["status"].iloc[0]}
        line["facts"] = [
            {
                "row": facts.loc[m, "row"],
                "measured": blank(facts.loc[m, "measured"], 2 if m == "imbalance_ratio" else 0),
                "published": blank(facts.loc[m, "published"], 2 if m == "imbalance_ratio" else 0),
            }
            for m in FACTS
        ]
        line["groups"] = []
        for criterion in CRITERIA:
            if criterion not in cells.index.get_level_values(0):
                continue
            # Of two classes both means are the same.
            two = (
                facts["published"].get("n_classes") == 2 or facts["measured"].get("n_classes") == 2
            )
            if two and criterion != CRITERIA[0]:
                continue
            of = cells.loc[criterion]
            line["groups"].append(
                {
                    "name": "" if criterion == CRITERIA[0] else _CRITERION_LABELS[criterion],
                    "cells": [_measured(of.loc[m]) if m in of.index else {} for m in _METHODS],
                }
            )
        lines.append(line)
    return lines


def _measured(cell: pd.Series, digits: int = 1) -> dict[str, str]:
    return {
        "row": cell["row"],
        "measured": blank(cell["measured"], digits),
        "published": blank(cell["published"], 2 if abs(cell["published"]) < 10 else 1),
    }


def _tests(table: pd.DataFrame) -> list[dict]:
    """Blocks of table II, one per kind of data set and mean over classes."""
    blocks = []
    for kind in reversed(KINDS):
        for criterion in CRITERIA:
            own = table[
                (table["dataset"] == PRINTED_KINDS[kind]) & (table["criterion"] == criterion)
            ]
            if own.empty:
                continue
            n, theirs = own["n_datasets"].dropna(), int(own["published_n"].iloc[0])
            cells = own.set_index(["method", "metric"])
            blocks.append(
                {
                    "title": f"{KIND_LABELS[kind].capitalize()}, {_CRITERION_LABELS[criterion]}",
                    "n": f"n = {int(n.iloc[0]) if len(n) else 0}; published: {theirs}",
                    "lines": [
                        {
                            "name": f"Tree against {LABELS[m]}",
                            "cells": [_of_test(cells.loc[(m, metric)], metric) for metric in TESTS],
                        }
                        for m in VERSIONS
                    ],
                }
            )
    return blocks


def _of_test(cell: pd.Series, metric: str) -> dict[str, str]:
    found = {name: blank(cell[name], 3) for name in ("measured", "published")}
    exact = cell["exact_p"] if metric == "wilcoxon_p" else None
    return {**found, "row": cell["row"], "exact": blank(exact, 3)}


def _affected(table: pd.DataFrame, plan: ConfidencePlan) -> list[dict]:
    """Lines of table III of the data sets that were run."""
    other = next(reading for reading in READINGS if reading != plan.affected)
    lines = []
    for name, own in table[table["status"] == "run"].groupby("registry", sort=False):
        cells = own.set_index("method")
        columns = {"measured": "measured", "other": other, "reassigned": "reassigned"}
        columns["published"] = "published"
        line = [
            {"row": cells.loc[v, "row"]}
            | {k: blank(cells.loc[v, c], 1) for k, c in columns.items()}
            for v in VERSIONS
        ]
        lines.append({"name": name, "cells": line})
    return lines


def _trees(table: pd.DataFrame) -> list[dict]:
    """Blocks of the table of base trees, one per kind of data set."""
    blocks = []
    for kind, own in table.groupby("kind", sort=False):
        n = int(own["n_datasets"].iloc[0])
        lines = []
        for row in own.to_dict("records"):
            cells = [
                {
                    "measured": blank(row[m], 1),
                    "wins": f"{int(row[f'{m}_wins'])} of {n}",
                    "published": blank(row[f"{m}_published"], 1),
                }
                for m in _METHODS
            ]
            line = {"name": TREE_LABELS[row["tree"]], "auc": blank(row["base_auc"], 3)}
            lines.append({**line, "leaves": blank(row["n_leaves"], 0), "cells": cells})
        title = f"{n} data set{'s' if n > 1 else ''} with {KIND_LABELS[kind]}"
        blocks.append({"title": title, "lines": lines})
    return blocks


def _verdicts(claims: pd.DataFrame, plan: ConfidencePlan) -> list[dict]:
    """Lines of the table of verdicts, one per base tree."""
    words = {REPRODUCED: "yes", PARTLY: "in part", NOT: "no", TOO_LITTLE: "–"}
    return [
        {
            "name": TREE_LABELS[tree],
            "verdicts": claims[column].map(words).tolist(),
            "is_headline": headline,
        }
        for tree in TREES
        for headline in [tree == plan.tree]
        for column in ["verdict" if headline else f"verdict_{tree}"]
    ]


def _sizes(table: pd.DataFrame) -> list[dict]:
    """Blocks of the table of training parts, one per kind of data set."""
    blocks = []
    for kind, own in table.groupby("kind", sort=False):
        n = int(own["n_datasets"].iloc[0])
        lines = [
            {
                "name": f"{100 * row['share']:g} %",
                "cells": [blank(row["base_auc"], 3), *(blank(row[v], 1) for v in VERSIONS)],
            }
            for row in own.to_dict("records")
        ]
        title = f"{n} data set{'s' if n > 1 else ''} with {KIND_LABELS[kind]}"
        blocks.append({"title": title, "lines": lines})
    return blocks
