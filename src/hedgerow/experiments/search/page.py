"""The section of chapter 4 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.experiments.search import figures as search_figures
from hedgerow.experiments.search import tables as search_tables
from hedgerow.experiments.search.plan import METHODS, METRICS, SearchPlan
from hedgerow.experiments.search.tables import ALL, BESIDE, COLUMNS, CRITERIA, UNITS
from hedgerow.experiments.step import step
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally, title_of
from hedgerow.reporting.numbers import number, p_said

_HEADS = {"f1": "F1", "n_leaves": "L", "f1_per_leaf": "F1/L", "search_depth": "D"}
_TESTS = {
    "anova_within": "Analysis of variance",
    "shapiro_residuals": "Normal residuals (Shapiro)",
    "friedman": "Friedman",
    "friedman_without_ties": "the same, ties not corrected",
    "wilcoxon_signed_rank": "Wilcoxon",
}
_PARTS = (
    ("pruning", "Search pruning", ("4_1", "4_2"), ("4_3", "4_4")),
    ("policies", "Simulation policies", ("4_3", "4_4"), ("4_5",)),
    ("methods", "C4.5, ETE and UCT-DT", ("4_5", "4_6"), ()),
)


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: SearchPlan,
) -> Section:
    """Chapter 4 as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    there = set(rows["dataset"])
    members = [d for d in plan.printed.values() if d in there]
    stated = {
        "plan": plan,
        "n_run": len(members),
        "n_table": len(plan.printed),
        "small": smallest_p(len(members)) >= LEVEL,
    }
    parts = [
        {
            "word": word,
            "title": title,
            "results": _results(tables[f"thesis_table_{results}"], f"thesis_table_{results}"),
            "tests": _tests(tables[f"thesis_table_{tested}"], f"thesis_table_{tested}"),
            "figures": [f"thesis_figure_{n}" for n in drawn],
        }
        for word, title, (results, tested), drawn in _PARTS
    ]
    splits = _splits(tables["search_splits"])
    return filled(
        "search",
        "Trees by Monte Carlo tree search",
        "experiments/search/page.html.j2",
        "experiments/search/summary.html.j2",
        "thesis_figure_4_5",
        tally=tally(claims),
        **stated,
        claims=claim_lines(claims, {"printed": "From the printed cells"}),
        parts=parts,
        properties=_properties(tables["thesis_table_4_7"]),
        splits=splits,
        shown=shown(search_tables, search_figures, figures=figures, captions=captions),
        absent=sorted(set(plan.datasets) - there),
        not_asked=[d for d in plan.printed.values() if d not in plan.datasets],
        outside=sorted(there - set(plan.printed.values())),
    )


def _label(method: str, criterion: str, identifier: str) -> str:
    if identifier == "thesis_table_4_1":
        return CRITERIA[criterion].capitalize() if criterion != "dtp" else CRITERIA[criterion]
    return LOOKS[method].label


def _results(table: pd.DataFrame, identifier: str) -> dict:
    """What the template needs of a table of results: heads, lines and footers."""
    table = table.assign(criterion=table["criterion"].fillna(""), note=table["note"].fillna(""))
    body, feet = table[table["dataset"] != ALL], table[table["dataset"] == ALL]
    there = set(zip(body["method"], body["criterion"], strict=True))
    groups = [*COLUMNS[identifier], *(g for g in BESIDE.get(identifier, ()) if g in there)]
    metrics = list(dict.fromkeys(body["metric"]))
    lines = []
    for key in body["dataset"].unique():
        own = body[body["dataset"] == key]
        state = own["status"].iloc[0]
        if state == "not asked for":
            continue
        cells = own.set_index(["method", "criterion", "metric"])
        lines.append(
            {
                "name": key.replace("_", " "),
                "registry": own["registry"].iloc[0],
                "absent": state == "absent",
                "no_search": str(own["no_search"].iloc[0]) == "True",
                "cells": [_value(cells.loc[(*g, m)], m) for g in groups for m in metrics],
            }
        )
    feet = feet.set_index(["method", "criterion", "metric"])
    footers = []
    for prefix, title in (
        ("n_wins", "No. wins"),
        ("n_better_than_c45", "No. better than C4.5"),
        ("n_better_than_c45_induction", "No. better than C4.5 on the induction set"),
    ):
        if not any(i[2].startswith(prefix) for i in feet.index):
            continue
        cells = []
        for g in groups:
            for m in metrics:
                place = (*g, f"{prefix}_{m}")
                counted = feet.loc[place] if place in feet.index else None
                cells.append(
                    {"row": None, "measured": "", "published": "", "note": ""}
                    if counted is None
                    else {
                        "row": counted["row"],
                        "measured": number(counted["measured"]),
                        **_printed_count(counted),
                    }
                )
        footers.append({"title": title, "cells": cells})
    return {
        "id": identifier,
        "title": title_of(identifier),
        "groups": [_label(*g, identifier) for g in groups],
        "metrics": [_HEADS[m] for m in metrics],
        "lines": lines,
        "footers": footers,
    }


def _printed_count(counted: pd.Series) -> dict:
    """What the thesis has of a footer; of one of our own nothing."""
    if pd.isna(counted["counted"]):
        return {"published": "", "note": ""}
    return {
        "published": number(counted["counted_same_sets"]),
        "note": f"printed over all sets: {number(counted['published'])}, counted "
        f"from the printed cells: {number(counted['counted'])}",
    }


def _value(cell: pd.Series, metric: str) -> dict:
    digits = UNITS[metric][1]
    return {
        "row": cell["row"],
        "measured": number(cell["measured"], digits),
        "published": number(cell["published"], digits),
        "best": str(cell["best"]) == "True",
        "note": cell["note"],
    }


def _tests(table: pd.DataFrame, identifier: str) -> dict:
    """Tests of one table: lines of all groups, then of pairs, columns by metric."""
    blank = ("better", "printed", "arrow", "recomputed_arrow", "printed_arrow")
    table = table.fillna(dict.fromkeys(blank, ""))
    table = table[(table["correction"] == "none")]
    lines = []
    names = table[["test", "groups"]].drop_duplicates()
    for test, groups in names.itertuples(index=False):
        own = table[(table["test"] == test) & (table["groups"] == groups)].set_index("metric")
        is_pair = test == "wilcoxon_signed_rank"
        first = own.iloc[0]
        title = _TESTS[test]
        if is_pair:
            title = " against ".join(_group(g, identifier) for g in groups.split("|"))
        elif pd.notna(first["critical_value"]):
            title += f" (critical {first['critical_value']:.2f})"
        cells = []
        for metric in METRICS:
            row = own.loc[metric]
            printed = str(row["printed"])
            if is_pair:
                printed = row["printed_arrow"] or "none"
            cells.append(
                {
                    "row": row["row"],
                    "measured": _outcome(row, "", test),
                    "again": _outcome(row, "recomputed_", test),
                    "printed": printed,
                    "note": "" if pd.isna(row["note"]) else row["note"],
                }
            )
        lines.append({"title": title, "pair": is_pair, "cells": cells})
    n = table["n_datasets"].dropna()
    return {
        "id": identifier,
        "title": title_of(identifier),
        "metrics": [_HEADS[m] for m in METRICS],
        "lines": lines,
        "n": int(n.iloc[0]) if len(n) else 0,
    }


def _group(name: str, identifier: str) -> str:
    return CRITERIA[name] if identifier == "thesis_table_4_2" else LOOKS[name].label


def _outcome(row: pd.Series, prefix: str, test: str) -> str:
    if pd.isna(row[f"{prefix}p"]):
        return "–"
    words = p_said(row[f"{prefix}p"])
    if test == "wilcoxon_signed_rank":
        return f"{words} {row[f'{prefix}arrow']}".strip()
    sign = {"anova_within": "F", "shapiro_residuals": "W"}.get(test, "χ²")
    return f"{sign} = {row[f'{prefix}statistic']:.2f}, {words}"


def _properties(table: pd.DataFrame) -> list[dict]:
    """Lines of table 4.7 that are not out of this configuration."""
    shown = (
        "n_instances",
        "nb_f1_above_avg",
        "n_is_above_q2",
        "share_is_above_q2",
        "uct_f1_above_c45",
        "uct_f1_per_leaf_above_c45",
    )
    table = table.fillna({"measured": "", "published": ""})
    lines = []
    for key in table["dataset"].unique():
        own = table[table["dataset"] == key].set_index("metric")
        state = own["status"].iloc[0]
        if state == "not asked for":
            continue
        lines.append(
            {
                "name": key.replace("_", " "),
                "registry": own["registry"].iloc[0],
                "absent": state == "absent",
                "cells": [
                    {
                        "row": own.loc[m, "row"],
                        "measured": str(own.loc[m, "measured"]) or "–",
                        "published": str(own.loc[m, "published"]) or "–",
                    }
                    for m in shown
                ],
            }
        )
    return lines


def _splits(table: pd.DataFrame) -> list[dict]:
    """Data sets with their methods, for those that have further splits."""
    run = table[table["method"].notna()]
    sets = []
    for key in run["dataset"].unique():
        own = run[run["dataset"] == key]
        lines = []
        for method in (m for m in METHODS if m in set(own["method"])):
            cells = own[own["method"] == method].set_index("metric")
            lines.append(
                {
                    "method": LOOKS[method].label,
                    "cells": [_spread(cells.loc[m], m) for m in METRICS],
                }
            )
        first = own.iloc[0]
        sets.append(
            {
                "name": key.replace("_", " "),
                "registry": first["registry"],
                "n": int(first["n_splits"]),
                "n_no_search": int(first["n_no_search"]),
                "lines": lines,
            }
        )
    return sets


def _spread(cell: pd.Series, metric: str) -> dict:
    digits = max(UNITS[metric][1], 1)
    better = cell["better_than_c45"]
    return {
        "row": cell["row"],
        "mean": number(cell["mean"], digits),
        "sd": number(cell["sd"], digits),
        "first": number(cell["first_split"], UNITS[metric][1]),
        "better": "" if pd.isna(better) else f"{100 * better:.0f} %",
    }
