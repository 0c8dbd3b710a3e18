"""The section of ConfDTree on the report page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.numbers import NONE, blank
from hedgerow_study.experiments.confidence import figures as own_figures
from hedgerow_study.experiments.confidence import tables as own_tables
from hedgerow_study.experiments.confidence.figures import KIND_LABELS
from hedgerow_study.experiments.confidence.plan import (
    AFFECTED_METRICS,
    CRITERIA,
    FOREST,
    KINDS,
    PRINTED_KINDS,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.confidence.tables import (
    CHOICE_LABELS,
    FACTS,
    LABELS,
    TESTS,
    TREE_LABELS,
)
from hedgerow_study.experiments.frames import Frames
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
from hedgerow_study.reporting.views import Span, Styled, beneath, tagged, together, view

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
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: ConfidencePlan,
) -> Section:
    """ConfDTree as a section of the report page."""
    tables = numbered(tables)
    states = tables["confdtree_table_3"].drop_duplicates(["dataset", "registry"])
    absent = states[states["status"] == "absent"].fillna({"registry": ""})
    views = {
        "confdtree_table_1": _gains(tables["confdtree_table_1"]),
        "confdtree_table_2": view(
            _tests(tables["confdtree_table_2"]), ["Test", *_TEST_HEADS.values()]
        ),
        "confdtree_table_3": _affected(tables["confdtree_table_3"], plan),
        "confidence_trees": view(
            _blocks(tables["confidence_trees"], _of_tree),
            ["Base tree", "Area", "Leaves", *(LABELS[m] for m in _METHODS)],
        ),
        "confidence_sizes": view(
            _blocks(tables["confidence_sizes"], _of_size),
            ["Trained on", "Area of the tree", *(f"{LABELS[m]} (%)" for m in VERSIONS)],
        ),
    }
    return filled(
        "confidence",
        "Trees that doubt: ConfDTree",
        "experiments/confidence/page.html.j2",
        "experiments/confidence/summary.html.j2",
        "confidence_gains",
        tally=tally(claims),
        tree=TREE_LABELS[plan.tree],
        claims=claim_lines(claims),
        verdicts=view(_verdicts(claims, plan), ["Base tree", *claims["claim"]]),
        absent=[line["registry"] or line["dataset"] for line in absent.to_dict("records")],
        n_run=int((states["status"] == "run").sum()),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _gains(table: pd.DataFrame) -> Markup:
    """Table I: facts of a data set, then gains, of several classes by either mean."""
    table = table.fillna({"registry": "", "method": "", "criterion": ""})
    lines = []
    for (key, name), group in table.groupby(["dataset", "registry"], sort=False):
        facts = {line["metric"]: line for line in group[group["method"] == ""].to_dict("records")}
        gains = {(line["criterion"], line["method"]): line for line in group.to_dict("records")}
        status = group["status"].iloc[0]
        title = together(name or key, beneath(status) if status != "run" else "")
        of_facts = [_measured(facts[m], 2 if m == "imbalance_ratio" else 0, True) for m in FACTS]
        # Of two classes both means are the same.
        two = 2 in (facts["n_classes"]["published"], facts["n_classes"]["measured"])
        for criterion in CRITERIA[:1] if two else CRITERIA:
            if criterion not in set(group["criterion"]):
                continue
            line = [title, *of_facts]
            if criterion != CRITERIA[0]:
                line = [tagged("small", _CRITERION_LABELS[criterion]), *[""] * len(FACTS)]
            cells = (gains.get((criterion, method)) for method in _METHODS)
            lines.append((*line, *(_measured(cell) for cell in cells)))
    methods = (LABELS[method] for method in _METHODS)
    return view(lines, ["Data set", *_FACT_HEADS.values(), *methods])


def _measured(line: Mapping | None, digits: int = 1, is_fact: bool = False) -> Styled:
    """A measured value, what is printed beneath it."""
    if line is None:
        return Styled(together(NONE, published("", "")))
    of_printed = 2 if abs(line["published"]) < 10 else 1
    measured = blank(line["measured"], digits)
    printed = blank(line["published"], digits if is_fact else of_printed)
    return Styled(together(measured or NONE, published(measured, printed)), row=line["row"])


def _tests(table: pd.DataFrame) -> dict[Markup, list]:
    """Blocks of table II, one per kind of data set and mean over classes."""
    blocks = {}
    for kind in reversed(KINDS):
        for criterion in CRITERIA:
            of_kind = table["dataset"] == PRINTED_KINDS[kind]
            rows = table[of_kind & (table["criterion"] == criterion)]
            if rows.empty:
                continue
            n, theirs = rows["n_datasets"].dropna(), int(rows["published_n"].iloc[0])
            title = f"{KIND_LABELS[kind].capitalize()}, {_CRITERION_LABELS[criterion]} "
            counts = f"n = {int(n.iloc[0]) if len(n) else 0}; published: {theirs}"
            at = rows.set_index(["method", "metric"])
            blocks[together(title, tagged("small", counts))] = [
                (f"Tree against {LABELS[m]}", *(_of_test(at.loc[(m, test)]) for test in TESTS))
                for m in VERSIONS
            ]
    return blocks


def _of_test(cell: pd.Series) -> Styled:
    measured, printed = (blank(cell[name], 3) for name in ("measured", "published"))
    exact = blank(cell["exact_p"], 3) if cell.name[-1] == "wilcoxon_p" else ""
    small = together(" ", tagged("small", "exact ", exact)) if exact else ""
    shown = together(measured or NONE, small, published(measured, printed))
    return Styled(shown, row=cell["row"])


def _affected(table: pd.DataFrame, plan: ConfidencePlan) -> Markup:
    """Table III of the data sets that were run."""
    other = next(choice for choice in AFFECTED_METRICS if choice != plan.affected)
    lines = []
    for name, group in table[table["status"] == "run"].groupby("registry", sort=False):
        line, cells = [name], group.set_index("method")
        for version in VERSIONS:
            cell = cells.loc[version]
            measured, printed = (blank(cell[n], 1) for n in ("measured", "published"))
            shown = [together(measured, published(measured, printed))]
            shown += [blank(cell[n], 1) for n in (other, "reassigned")]
            line += [Styled(each, row=cell["row"]) for each in shown]
        lines.append(line)
    words = CHOICE_LABELS[other].replace(" ", "\n", 2)
    heads = ["Affected", f"By {words}", "Re-\nassigned"] * len(VERSIONS)
    return view(lines, ["", *(Span(LABELS[m], 3) for m in VERSIONS)], ["Data set", *heads])


def _blocks(table: pd.DataFrame, of: Callable[[Mapping], tuple]) -> dict[str, list]:
    """Blocks by kind of data set."""
    blocks = {}
    for kind, group in table.groupby("kind", sort=False):
        n = int(group["n_datasets"].iloc[0])
        title = f"{n} data set{'s' if n > 1 else ''} with {KIND_LABELS[kind]}"
        blocks[title] = [of(line) for line in group.to_dict("records")]
    return blocks


def _of_tree(line: Mapping) -> tuple:
    cells = [blank(line["base_auc"], 3), blank(line["n_leaves"], 0)]
    for method in _METHODS:
        measured, printed = (blank(line[f"{method}{end}"], 1) for end in ("", "_published"))
        wins = tagged("small", f"{int(line[f'{method}_wins'])} of {int(line['n_datasets'])}")
        cells.append(together(measured, " ", wins, published(measured, printed)))
    return TREE_LABELS[line["tree"]], *cells


def _of_size(line: Mapping) -> tuple:
    cells = (blank(line[version], 1) for version in VERSIONS)
    return f"{100 * line['share']:g} %", blank(line["base_auc"], 3), *cells


def _verdicts(claims: pd.DataFrame, plan: ConfidencePlan) -> list[tuple]:
    """A line per base tree, the headline in bold."""
    lines = []
    for tree in TREES:
        headline = tree == plan.tree
        name = tagged("strong", TREE_LABELS[tree]) if headline else TREE_LABELS[tree]
        lines.append((name, *claims["verdict" if headline else f"verdict_{tree}"]))
    return lines
