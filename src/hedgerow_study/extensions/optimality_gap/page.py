"""The section on the best tree of a depth on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.evaluation.significance import smallest_p
from hedgerow.showing.numbers import count, number, signed
from hedgerow_study.experiments.comparisons import comparisons, most, pair_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.optimality_gap import figures as own_figures
from hedgerow_study.extensions.optimality_gap import tables as own_tables
from hedgerow_study.extensions.optimality_gap.plan import CLEAN, COMPARED, OptimalityGapPlan
from hedgerow_study.extensions.optimality_gap.tables import LABELS
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.views import view

#: Tables of comparisons: part, and the columns of which each combination is a block. Of several
#: metrics the page shows the accuracy.
BLOCKS = {
    "optimality_gap_training": ("training", ("depth",)),
    "optimality_gap_clean": ("clean", ("depth",)),
    "optimality_gap_noise": ("noise", ("setting", "depth")),
}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: OptimalityGapPlan,
) -> Section:
    """Whether the best tree pays as a section of the report page."""
    n = most(tables["optimality_gap_clean"])
    views = {
        **{name: _comparisons(tables[name], *arguments) for name, arguments in BLOCKS.items()},
        "optimality_gap_proof": view(
            _proof(tables["optimality_gap_proof"]), ["Depth", "Proven (%)", "Gap (%)", "Nodes"]
        ),
        "optimality_gap_levels": view(
            _levels(tables["optimality_gap_levels"]),
            ["Method", "Accuracy", "Macro F1", "Log loss", "Leaves"],
        ),
    }
    return filled(
        "optimality_gap",
        "The best tree: does it pay?",
        "extensions/optimality_gap/page.html.j2",
        "extensions/optimality_gap/summary.html.j2",
        tally=tally(claims),
        plan=plan,
        n=n,
        smallest_p=smallest_p(n),
        claims=claim_lines(claims),
        answer=_answer(tables["optimality_gap_clean"]),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _comparisons(table: pd.DataFrame, part: str, by: tuple[str, ...]) -> Markup:
    """Lines of one table of comparisons, a block per setting and depth."""
    if len(COMPARED.parts[part].metrics) > 1:
        table = table[table["metric"] == "accuracy"]
    return comparisons(COMPARED, table, part, by, partial(_title, by), pair_words(LABELS))


def _title(by: tuple[str, ...], *values) -> str:
    named = dict(zip(by, values, strict=True))
    if "setting" in named:
        return f"Noise factor {named['setting']}, depth up to {named['depth']}"
    return f"Depth up to {named['depth']}"


def _answer(table: pd.DataFrame) -> list[dict]:
    """Test accuracy of the best tree less that of C4.5, without and with a price, by depth."""
    selected = table[(table["metric"] == "accuracy") & (table["second"] == "c45")]
    answers = []
    for depth, lines in selected.groupby("depth"):
        line = lines.set_index("first")["difference"]
        crisp, priced = (signed(line[name], 1) for name in ("optimal", "optimal_priced"))
        answers.append({"depth": depth, "crisp": crisp, "priced": priced})
    return answers


def _proof(table: pd.DataFrame) -> dict[str, list]:
    """A block per method and condition."""
    blocks = {}
    for (method, setting), group in table.groupby(["method", "setting"], sort=False):
        where = CLEAN if setting == CLEAN else f"noise factor {setting}"
        title = f"{LABELS[method]}, {where}"
        blocks[title[0].upper() + title[1:]] = [
            (row["depth"], number(row["proven"]), number(row["gap"]), count(row["n_nodes"]))
            for row in group.to_dict("records")
        ]
    return blocks


def _levels(table: pd.DataFrame) -> dict[str, list]:
    """A block per condition and depth."""
    digits = {"accuracy": 1, "macro_f1": 1, "log_loss": 3, "n_leaves": 1}
    blocks = {}
    for (setting, depth), group in table.groupby(["setting", "depth"], sort=False):
        where = "Clean" if setting == CLEAN else f"Noise factor {setting}"
        blocks[f"{where}, depth up to {depth}"] = [
            (LABELS[row["method"]], *(number(row[name], n) for name, n in digits.items()))
            for row in group.to_dict("records")
        ]
    return blocks
