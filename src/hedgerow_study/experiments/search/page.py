"""The section of chapter 4 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.showing.figures import LOOKS
from hedgerow.showing.numbers import NONE, is_number, number, p_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.search import figures as own_figures
from hedgerow_study.experiments.search import tables as own_tables
from hedgerow_study.experiments.search.plan import METHODS, METRICS, SearchPlan
from hedgerow_study.experiments.search.tables import ALL, COLUMNS, CRITERIA, EXTRA_GROUPS, UNITS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.html import (
    Section,
    claim_lines,
    filled,
    numbered,
    published,
    shown,
    tally,
)
from hedgerow_study.reporting.views import Span, Styled, beneath, tagged, text, together, view

_HEADS = {"f1": "F1", "n_leaves": "L", "f1_per_leaf": "F1/L", "search_depth": "D"}
_TESTS = {
    "anova_within": "Analysis of variance",
    "shapiro_residuals": "Normal residuals (Shapiro)",
    "friedman": "Friedman",
    "friedman_without_ties": "the same, ties not corrected",
    "wilcoxon_signed_rank": "Wilcoxon",
}
#: Part of the page, its title, its tables of results and of tests, its figures.
_PARTS = (
    ("pruning", "Search pruning", "thesis_table_4_1", "thesis_table_4_2", ("4_3", "4_4")),
    ("policies", "Simulation policies", "thesis_table_4_3", "thesis_table_4_4", ("4_5",)),
    ("methods", "C4.5, ETE and UCT-DT", "thesis_table_4_5", "thesis_table_4_6", ()),
)
_FOOTERS = {
    "n_wins": "No. wins",
    "n_better_than_c45": "No. better than C4.5",
    "n_better_than_c45_induction": "No. better than C4.5 on the induction set",
}
_PROPERTIES = {
    "n_instances": "Instances",
    "nb_f1_above_avg": "NB",
    "n_is_above_q2": "Strong\nvariables",
    "share_is_above_q2": "Share",
    "uct_f1_above_c45": "UCT-DT above\nC4.5 in F1",
    "uct_f1_per_leaf_above_c45": "in F1/L",
}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: SearchPlan,
) -> Section:
    """Chapter 4 as a section of the report page."""
    tables = numbered(tables)
    available = set(rows["dataset"])
    members = [d for d in plan.printed.values() if d in available]
    repeats = tables["search_splits"]
    repeats = repeats[repeats["method"].notna()]
    views = {"thesis_table_4_7": _properties(tables["thesis_table_4_7"])}
    views |= {"search_splits": _repeats(repeats)} if len(repeats) else {}
    parts = []
    for word, title, results, tests, drawn in _PARTS:
        views[results] = _results(tables[results], results)
        views[tests] = _tests(tables[tests], tests)
        n = tables[tests].query("correction == 'none'")["n_datasets"].dropna()
        parts.append(
            {
                "word": word,
                "title": title,
                "results": results,
                "tests": tests,
                "figures": [f"thesis_figure_{number}" for number in drawn],
                "n": int(n.iloc[0]) if len(n) else 0,
            }
        )
    return filled(
        "search",
        "Trees by Monte Carlo tree search",
        "experiments/search/page.html.j2",
        "experiments/search/summary.html.j2",
        "thesis_figure_4_5",
        tally=tally(claims),
        plan=plan,
        n_run=len(members),
        n_table=len(plan.printed),
        small=smallest_p(len(members)) >= LEVEL,
        claims=claim_lines(claims, {"printed": "From the printed cells"}),
        parts=parts,
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
        absent=sorted(set(plan.datasets) - available),
        not_asked=[d for d in plan.printed.values() if d not in plan.datasets],
        outside=sorted(available - set(plan.printed.values())),
    )


def _label(method: str, criterion: str, identifier: str) -> str:
    if identifier == "thesis_table_4_1":
        return CRITERIA[criterion].capitalize() if criterion != "dtp" else CRITERIA[criterion]
    return LOOKS[method].label


def _data_set(row: Mapping) -> Markup:
    """Its name in the paper, and beneath it the registry's."""
    no_search = str(row.get("no_search")) == "True"
    absent = row["status"] == "absent"
    return together(
        row["dataset"].replace("_", " "),
        " †" if no_search else "",
        Markup(" <small>absent</small>") if absent else "",
        beneath(row["registry"]),
    )


def _results(table: pd.DataFrame, identifier: str) -> Markup:
    """Table 4.1, 4.3 or 4.5: a line per data set, then counts."""
    table = table.assign(criterion=table["criterion"].fillna(""), note=table["note"].fillna(""))
    key = ["method", "criterion", "metric"]
    body, feet = table[table["dataset"] != ALL], table[table["dataset"] == ALL].set_index(key)
    available = set(zip(body["method"], body["criterion"], strict=True))
    groups = [
        *COLUMNS[identifier],
        *(g for g in EXTRA_GROUPS.get(identifier, ()) if g in available),
    ]
    metrics = list(dict.fromkeys(body["metric"]))
    places = [(*group, metric) for group in groups for metric in metrics]
    lines = []
    for _, rows in body[body["status"] != "not asked for"].groupby("dataset", sort=False):
        cells = rows.set_index(key)
        lines.append((_data_set(rows.iloc[0]), *(_value(cells.loc[place]) for place in places)))
    counts = []
    for prefix, title in _FOOTERS.items():
        if any(metric.startswith(prefix) for metric in feet.index.get_level_values("metric")):
            of = [(*group, f"{prefix}_{metric}") for *group, metric in places]
            cells = (_count(feet.loc[c]) if c in feet.index else beneath("") for c in of)
            counts.append((Styled(title, "wraps"), *cells))
    heads = [_HEADS[metric] for metric in metrics]
    return view(
        {"": lines, None: counts},
        ["", *(Span(_label(*group, identifier), len(metrics)) for group in groups)],
        ["Data set", *heads * len(groups)],
    )


def _value(cell: pd.Series) -> Styled:
    digits = UNITS[cell.name[-1]][1]
    measured, note = number(cell["measured"], digits), cell["note"]
    shown = tagged("b", measured) if str(cell["best"]) == "True" else measured
    printed = published(measured, number(cell["published"], digits), "*" if note else "")
    return Styled(together(shown, printed), row=cell["row"], title=note)


def _count(counted: pd.Series) -> Styled:
    """A footer; of one of our own nothing is printed."""
    printed, note = beneath(""), ""
    if is_number(counted["counted"]):
        printed = beneath(number(counted["counted_same_sets"]), "from the printed cells")
        note = (
            f"printed over all sets: {number(counted['published'])}, counted "
            f"from the printed cells: {number(counted['counted'])}"
        )
    measured = together(number(counted["measured"]), printed)
    return Styled(measured, row=counted["row"], title=note)


def _tests(table: pd.DataFrame, identifier: str) -> Markup:
    """Tests of one table: lines of all groups, then of pairs, columns by metric."""
    lines = []
    for (test, groups), rows in table[table["correction"] == "none"].groupby(
        ["test", "groups"], sort=False
    ):
        rows = rows.set_index("metric")
        is_pair = test == "wilcoxon_signed_rank"
        critical = rows["critical_value"].iloc[0]
        title = _TESTS[test] + (f" (critical {critical:.2f})" if is_number(critical) else "")
        if is_pair:
            title = " against ".join(_group(group, identifier) for group in groups.split("|"))
        line = [title]
        for metric in METRICS:
            cell = rows.loc[metric]
            again = beneath(_outcome(cell, "recomputed_", test), "from the printed cells")
            measured = together(_outcome(cell, "", test), again)
            printed = text(cell["printed_arrow"]) or "none" if is_pair else text(cell["printed"])
            line += [Styled(measured, row=cell["row"])]
            line += [Styled(printed or NONE, title=text(cell["note"]))]
        lines.append(line)
    measured = together("Measured", beneath("printed cells"))
    return view(
        lines,
        ["", *(Span(_HEADS[metric], 2) for metric in METRICS)],
        ["Test", *[measured, "Printed"] * len(METRICS)],
    )


def _group(name: str, identifier: str) -> str:
    return CRITERIA[name] if identifier == "thesis_table_4_2" else LOOKS[name].label


def _outcome(row: pd.Series, prefix: str, test: str) -> str:
    if pd.isna(row[f"{prefix}p"]):
        return NONE
    words = p_words(row[f"{prefix}p"])
    if test == "wilcoxon_signed_rank":
        return f"{words} {text(row[f'{prefix}arrow'])}".strip()
    sign = {"anova_within": "F", "shapiro_residuals": "W"}.get(test, "χ²")
    return f"{sign} = {row[f'{prefix}statistic']:.2f}, {words}"


def _properties(table: pd.DataFrame) -> Markup:
    """Lines of table 4.7 that are not out of this configuration."""
    lines = []
    for _, rows in table[table["status"] != "not asked for"].groupby("dataset", sort=False):
        line = [_data_set(rows.iloc[0])]
        for cell in rows.set_index("metric").loc[list(_PROPERTIES)].to_dict("records"):
            measured, printed = (text(cell[name]) or NONE for name in ("measured", "published"))
            shown = together(measured, published(measured, printed))
            line.append(Styled(shown, row=cell["row"]))
        lines.append(line)
    return view(lines, ["Data set", *_PROPERTIES.values()])


def _repeats(table: pd.DataFrame) -> Markup:
    """Blocks of the data sets that have further repeats, a line per method."""
    blocks = {}
    for _, rows in table.groupby("dataset", sort=False):
        first = rows.iloc[0]
        words = f"{first['registry']}, {int(first['n_repeats'])} repeats"
        if first["n_no_search"]:
            words += f", {int(first['n_no_search'])} of them without a search"
        name = first["dataset"].replace("_", " ")
        lines = []
        for method in (m for m in METHODS if m in set(rows["method"])):
            cells = rows[rows["method"] == method].set_index("metric")
            spreads = [cell for metric in METRICS for cell in _spread(cells.loc[metric])]
            lines.append((LOOKS[method].label, *spreads))
        blocks[Markup("{} {}").format(name, tagged("small", words))] = lines
    return view(
        blocks,
        ["", *(Span(_HEADS[metric], 4) for metric in METRICS)],
        ["Method", *["Mean", "sd", "First\nrepeat", "Better"] * len(METRICS)],
    )


def _spread(cell: pd.Series) -> list:
    digits, row = UNITS[cell.name][1], cell["row"]
    numbers = [number(cell[name], max(digits, 1)) for name in ("mean", "sd")]
    numbers += [number(cell["first_repeat"], digits)]
    better = cell["better_than_c45"]
    better = f"{100 * better:.0f} %" if is_number(better) else ""
    return [*(Styled(value, row=row) for value in numbers), better]
