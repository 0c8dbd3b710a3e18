"""The section of chapter 5 on the report page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.numbers import NONE, between, is_number, minus, number
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure import figures as own_figures
from hedgerow_study.experiments.structure import tables as own_tables
from hedgerow_study.experiments.structure.plan import EXAMPLES, SCALES, VARIANTS, StructurePlan
from hedgerow_study.experiments.structure.tables import (
    ADDED_METRICS,
    CLOSENESS_UNITS,
    CRITERIA,
    LABELS,
    NORMED,
)
from hedgerow_study.reporting.html import (
    Section,
    claim_lines,
    filled,
    numbered,
    published,
    shown,
    tally,
)
from hedgerow_study.reporting.views import Span, Styled, beneath, text, together, view

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
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: StructurePlan,
) -> Section:
    """Chapter 5 as a section of the report page."""
    tables = numbered(tables)
    states = tables["thesis_table_5_1"].groupby("registry", sort=False)["status"].first()
    run = [d for d, state in states.items() if state == "run"]
    return filled(
        "structure",
        "The structure of trees",
        "experiments/structure/page.html.j2",
        "experiments/structure/summary.html.j2",
        "thesis_figure_5_4",
        tally=tally(claims),
        plan=plan,
        n_repeats=plan.n_repeats,
        claims=claim_lines(
            claims,
            {"first": "Forest 0", "printed": "From the printed cells"},
            "{n_reproduced} of {n_judged} forests",
        ),
        sets=[_data_set(tables, dataset) for dataset in run],
        absent=[d for d, state in states.items() if state == "absent"],
        shown=shown(own_tables, own_figures, figures=figures, captions=captions),
    )


def _data_set(tables: Frames, dataset: str) -> dict:
    """What the template needs of one data set."""
    of_set = {n: t[t["registry"] == dataset] for n, t in tables.items() if "registry" in t}
    examples = of_set["structure_examples"]
    pairs = [(title, _example(examples, kind)) for kind, title in _KINDS.items()]
    return {
        "name": dataset,
        "norms": _norms(of_set["thesis_table_5_1"]),
        "clusters": _clusters(of_set["thesis_table_5_2"]),
        "closeness": _closeness(of_set["structure_closeness"]),
        "pairs": _pairs(examples),
        "examples": view(
            [_of_example(title, pair) for title, pair in pairs],
            ["Pair", *(LABELS[m].split()[0] for m in NORMED.values()), "d_KL", "d_p"],
        ),
        "edits": [(title, minus(pair["edits"])) for title, pair in pairs if pair is not None],
    }


def _norms(table: pd.DataFrame) -> Markup:
    """Blocks of table 5.1, one per distance between predictions."""
    cells = table.set_index(["metric", "method", "criterion"])
    blocks = {
        title: [
            (
                LABELS[NORMED[method]].split()[0],
                *(c for scale in SCALES for c in _norm(cells.loc[(metric, method, scale)])),
            )
            for method in NORMED
        ]
        for metric, title in _REFERENCES.items()
    }
    heads = [("Forest 0", "published"), ("Mean", "range"), ("Difference", "bootstrap")]
    heads = [*(together(name, beneath(small)) for name, small in heads), "Forests\ncloser"]
    scales = (Span(name, 4) for name in ("Unnormalised", "Normalised"))
    return view(blocks, ["", *scales], ["Cost", *heads, *heads])


def _norm(cell: pd.Series) -> list:
    first, mean, difference = (number(cell[n], 1) for n in ("measured", "mean", "difference"))
    ends = between(cell["lowest"], cell["highest"], 1)
    cells = [
        together(first, published(first, number(cell["published"], 1))),
        together(mean, beneath(ends, "range")),
    ]
    if is_number(cell["difference"]):
        ends = between(cell["low"], cell["high"], 1)
        cells.append(together(difference, beneath(ends, "bootstrap")))
        cells.append(f"{int(cell['n_closer'])} of {int(cell['n_repeats'])}")
    return [*(Styled(each, row=cell["row"]) for each in cells), *[""] * (4 - len(cells))]


def _variants(cells: pd.DataFrame, metrics: Iterable[str], of: Callable) -> list[tuple]:
    """A line per variant and scale, what `of` gives for each metric."""
    return [
        (
            LABELS[method] + (" normalised" if scale == "normalized" else ""),
            *(each for metric in metrics for each in of(cells.loc[(method, scale, metric)])),
        )
        for method in VARIANTS
        for scale in SCALES
    ]


def _clusters(table: pd.DataFrame) -> Markup:
    """Table 5.2."""
    metrics = [*CRITERIA[:3], ADDED_METRICS[0], *CRITERIA[3:], ADDED_METRICS[1]]
    cells = table.set_index(["method", "criterion", "metric"]).sort_index()
    above = [""]
    for metric, cell in cells.loc[("edit_a1", "unnormalized")].loc[metrics].iterrows():
        pairs = f"{int(cell['n_pairs'])} pairs<br>" if is_number(cell["n_pairs"]) else ""
        n = int(cell["n_repeats"])
        of = Markup(f"{pairs}{n} forest{'s' if n != 1 else ''}")
        above.append(Span(together(_HEADS[metric], beneath(of)), 2))
    heads = ["Distance", *["First", "Mean"] * len(metrics)]
    return view(_variants(cells, metrics, _score), above, heads)


def _score(cell: pd.Series) -> list[Styled]:
    digits = 3 if cell.name[-1] in CRITERIA[:2] else 2
    first, printed = number(cell["measured"], digits), text(cell["printed"])
    shown = together(first, published(first, printed) if printed else "")
    return [Styled(each, row=cell["row"]) for each in (shown, number(cell["mean"], digits))]


def _closeness(table: pd.DataFrame) -> Markup:
    cells = table.set_index(["method", "criterion", "metric"])
    heads = (together(_HEADS[metric], beneath("forest 0")) for metric in CLOSENESS_UNITS)
    above = ["", Span("Rank correlation", 3), Span("", 2)]
    return view(_variants(cells, CLOSENESS_UNITS, _close), above, ["Distance", *heads])


def _close(cell: pd.Series) -> list[Styled]:
    first = number(cell["measured"], 2)
    if is_number(cell["published"]):
        first += f" (printed {number(cell['published'], 1)})"
    return [Styled(together(number(cell["mean"], 2), beneath(first, "forest 0")), row=cell["row"])]


def _pairs(table: pd.DataFrame) -> Markup:
    """Pairs by forest."""
    counts = table.pivot(index="repeat", columns="criterion", values="n_pairs")
    n_trees = table.groupby("repeat")["n_trees"].first()
    lines = [
        (repeat, n_trees[repeat], *(int(row[criterion]) for criterion in EXAMPLES))
        for repeat, row in counts.iterrows()
    ]
    return view(lines, ["Repeat", "Trees", *_KINDS.values()])


def _example(table: pd.DataFrame, criterion: str) -> pd.Series | None:
    """The pair that stands for a kind, of the first forest that has one."""
    pairs = table[(table["criterion"] == criterion) & table["edits"].notna()]
    return None if pairs.empty else pairs.sort_values("repeat").iloc[0]


def _of_example(title: str, pair: pd.Series | None) -> tuple:
    methods = [*NORMED.values(), "d_kl", "d_p"]
    if pair is None:
        return together(title, beneath("no forest has such a pair")), *[NONE] * len(methods)
    trees = f"trees {int(pair['tree_1'])} and {int(pair['tree_2'])}"
    name = together(title, beneath(f"forest {int(pair['repeat'])}, {trees}"))
    return name, *(number(pair[method], 3) for method in methods)
