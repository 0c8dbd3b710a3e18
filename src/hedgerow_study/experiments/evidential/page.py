"""The section of E2M trees on the report page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.numbers import NONE, blank, is_number, p_words, signed
from hedgerow_study.experiments.evidential import figures as own_figures
from hedgerow_study.experiments.evidential import tables as own_tables
from hedgerow_study.experiments.evidential.plan import (
    CART,
    CRITERIA,
    ERRORS,
    LINES,
    NAIVE,
    EvidentialPlan,
)
from hedgerow_study.experiments.evidential.tables import LABELS
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

_ERROR_LABELS = {ERRORS[0]: "Classical error rate", ERRORS[1]: "Evidential error rate"}
_STATE_LABELS = {"": "", "unpruned": "before pruning", "pruned": "after pruning"}
_METRIC_LABELS = {
    "error_rate": "Classical error",
    "evidential_error_rate": "Evidential error",
    "clean_error_rate": "Error before the noise",
    "n_leaves": "Leaves",
}
_HEADS = [f"{LABELS[m]} {_STATE_LABELS[s]}".strip() for m, s in LINES]


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: EvidentialPlan,
) -> Section:
    """E2M trees as a section of the report page."""
    tables = numbered(tables)
    states = tables["e2m_table_1"].drop_duplicates(["dataset", "registry"])
    absent = states[states["status"] == "absent"]
    named = absent["registry"].fillna("").where(lambda r: r != "", absent["dataset"])
    errors = tables["e2m_table_1"]
    heads = ["Data set", *(head.replace(" ", "\n", 1) for head in _HEADS)]
    views = {
        "e2m_table_1": view(
            {title: _errors(errors, metric) for metric, title in _ERROR_LABELS.items()}, heads
        ),
        "evidential_clean": view(_errors(tables["evidential_clean"], ERRORS[2]), heads),
        "e2m_table_2": _sizes(tables["e2m_table_2"]),
        "evidential_sizes": _size_choices(tables["evidential_sizes"]),
        "evidential_tests": view(
            _tests(tables["evidential_tests"]), ["Data set", *_METRIC_LABELS.values()]
        ),
        "evidential_curve": _curve(tables["evidential_curve"]),
    }
    return filled(
        "evidential",
        "Trees from evidential data: E2M",
        "experiments/evidential/page.html.j2",
        "experiments/evidential/summary.html.j2",
        "evidential_errors",
        tally=tally(claims),
        plan=plan,
        claims=claim_lines(claims),
        absent=named.tolist(),
        n_run=int((states["status"] == "run").sum()),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _by_set(table: pd.DataFrame) -> Iterator[tuple[Markup, pd.DataFrame]]:
    """Data sets as lines name them, and their rows."""
    table = table.fillna({"registry": "", "criterion": ""})
    for (key, name), group in table.groupby(["dataset", "registry"], sort=False):
        status = group["status"].iloc[0]
        yield together(name or key, beneath(status) if status != "run" else ""), group


def _errors(table: pd.DataFrame, metric: str) -> list[tuple]:
    """Lines of one error rate, published values where the table has them."""
    lines = []
    for name, group in _by_set(table[table["metric"] == metric]):
        at = group.set_index(["method", "criterion"])
        lines.append((name, *(_error(at.loc[line]) for line in LINES)))
    return lines


def _error(cell: pd.Series) -> Styled:
    measured, half = blank(cell["measured"], 3), blank(cell["half_width"], 3)
    half = together(" ", tagged("small", f"± {half}")) if half else ""
    printed = published(measured, blank(cell["published"], 2)) if "published" in cell else ""
    return Styled(together(measured or NONE, half, printed), row=cell["row"])


def _sizes(table: pd.DataFrame) -> Markup:
    """Table 2: failures of 100 and leaves, with and without failures."""
    lines, columns = [], [line for line in LINES if line[0] != NAIVE]
    for name, group in _by_set(table):
        line, at = [name], group.set_index(["metric", "method", "criterion"])
        for column in columns:
            failed, leaves = (at.loc[(metric, *column)] for metric in ("n_failures", "n_leaves"))
            measured, grown = (blank(leaves[n], 2) for n in ("measured", "grown"))
            small = ""
            if grown and grown != measured:
                small = together(" ", tagged("small", f"({grown})"))
            n_failed, printed = (blank(failed[n], 0) for n in ("measured", "published"))
            shown = together(n_failed or NONE, published(n_failed, printed))
            line.append(Styled(shown, row=failed["row"]))
            printed = published(measured, blank(leaves["published"], 2))
            line.append(Styled(together(measured or NONE, small, printed), row=leaves["row"]))
        lines.append(line)
    spans = (Span(head, 2) for head, line in zip(_HEADS, LINES, strict=True) if line in columns)
    return view(lines, ["", *spans], ["Data set", *["Failures", "Leaves"] * len(columns)])


def _size_choices(table: pd.DataFrame) -> Markup:
    """Sizes under other interpretations; failures and leaves in each cell."""
    table = table.fillna({"registry": ""})
    heads = [
        f"CART, {CRITERIA[line.criterion]}" if line.method == CART else f"E2M, floor {line.floor:g}"
        for line in table.drop_duplicates(["method", "criterion", "floor"]).itertuples()
    ]
    lines = []
    for (key, name, state), group in table.groupby(["dataset", "registry", "state"], sort=False):
        cells = (_failures_and_leaves(line) for line in group.to_dict("records"))
        lines.append((name or key, Styled(_STATE_LABELS[state], "text"), *cells))
    return view(lines, ["Data set", Styled("State", "text"), *heads])


def _failures_and_leaves(line: Mapping) -> Markup:
    leaves, failures = blank(line["n_leaves"], 1), line["published_failures"]
    printed = ""
    if is_number(failures):
        printed = beneath(f"{failures:.0f}, {line['published_leaves']:.1f}")
    return together(f"{blank(line['n_failures'], 0)}, {leaves}" if leaves else NONE, printed)


def _tests(table: pd.DataFrame) -> dict[str, list]:
    """Blocks of paired tests: CART less E2M in each state, and what pruning gains."""
    titles = {
        ("method", "unpruned"): "CART less E2M, before pruning",
        ("method", "pruned"): "CART less E2M, after pruning",
        ("pruning", ""): "E2M before pruning less after it",
    }
    blocks = {title: [] for title in titles.values()}
    key = ["part", "state", "dataset"]
    for (*of, name), group in table.fillna({"state": ""}).groupby(key, sort=False):
        at = group.set_index("metric").loc[list(_METRIC_LABELS)].to_dict("records")
        cells = (
            together(signed(line["difference"], 3), " ", tagged("small", p_words(line["p"])))
            for line in at
        )
        blocks[titles[tuple(of)]].append((name, *cells))
    return {title: lines for title, lines in blocks.items() if lines}


def _curve(table: pd.DataFrame) -> Markup:
    """Every second uncertainty of figure 1, both precise rates side by side."""
    kinds = {"estimate": "Estimate", "expected": "Closed form"}
    wide = table.pivot(index="gamma", columns="precise", values=list(kinds))
    rates = table["precise"].drop_duplicates()
    lines = [
        (f"{gamma:.2f}", *(blank(line[kind, rate], 4) for rate in rates for kind in kinds))
        for gamma, line in wide.iloc[::2].iterrows()
    ]
    spans = (Span(f"Precise rate {rate}", 2) for rate in rates)
    return view(lines, ["", *spans], ["gamma", *[*kinds.values()] * len(rates)])
