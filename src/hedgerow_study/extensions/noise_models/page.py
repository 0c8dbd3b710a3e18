"""The section on the report page of what goes beyond chapter 3."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.evaluation.significance import LEVEL, smallest_p
from hedgerow.showing.figures import LOOKS
from hedgerow.showing.numbers import NONE, number, p_text, p_words
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.noise_models import figures as own_figures
from hedgerow_study.extensions.noise_models import tables as own_tables
from hedgerow_study.extensions.noise_models.plan import (
    METHODS,
    MODELS,
    POOLED,
    WHERE,
    NoiseModelsPlan,
)
from hedgerow_study.extensions.noise_models.tables import (
    FAMILY_LABELS,
    Conclusion,
    list_conclusions,
)
from hedgerow_study.reporting.html import Section, claim_lines, filled, shown, tally
from hedgerow_study.reporting.tables import MEAN
from hedgerow_study.reporting.views import Span, Styled, tagged, together, view

_BLOCKS = {
    "accuracy": ("Accuracy, in percentage points", 1),
    "brier": ("Brier score (lower is better)", 3),
    "n_leaves": ("Number of leaves", 1),
}

#: What a method assumes, as the lines of a table name it.
_MODEL_LABELS = {"normal": "normal", "matching": "matching", "true": "known"}


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    rows: pd.DataFrame,
    claims: pd.DataFrame,
    plan: NoiseModelsPlan,
) -> Section:
    """What goes beyond chapter 3 as a section of the report page."""
    gains = tables["noise_models_gain"]
    conclusions = list_conclusions(gains)
    n = max((answer.n for answer in conclusions), default=0)
    families = [f for f in (*plan.families, POOLED) if (gains["family"] == f).any()]
    above = ["", Span("Family of the noise", len(families))]
    heads = ["Method, model", *(FAMILY_LABELS[family] for family in families)]
    models = []
    for where in WHERE:
        for noise in plan.noise_factors:
            selected = gains[(gains["where"] == where) & (gains["noise"] == noise)]
            shown_gains = view(_blocks(selected, families), above, heads)
            models.append({"where": where, "noise": noise, "view": shown_gains})
    return filled(
        "noise_models",
        "Beyond the thesis: other noise",
        "extensions/noise_models/page.html.j2",
        "extensions/noise_models/summary.html.j2",
        tally=tally(claims),
        claims=claim_lines(claims),
        answers=conclusions,
        answered=view(
            _conclusion_blocks(conclusions),
            ["Method, model", "Accuracy,\npercentage points", "p", "better on", "Brier score", "p"],
        ),
        n=n,
        small=smallest_p(n) >= LEVEL,
        smallest_p=smallest_p(n),
        level=LEVEL,
        plan=plan,
        others=[FAMILY_LABELS[f] for f in plan.families if f != "normal"],
        absent=sorted({*plan.datasets} - {*rows["dataset"]}),
        models=models,
        shown=shown(own_tables, own_figures, figures=figures, captions=captions),
    )


def _conclusion_blocks(conclusions: list[Conclusion]) -> dict[str, list]:
    """Blocks by the noisy part, a line per method and model."""
    blocks = {}
    for where in sorted({answer.where for answer in conclusions}, reverse=True):
        blocks[f"Noise in the {where} data"] = [
            (
                f"{LOOKS[a.method].label}, {'matching' if a.model == 'matching' else 'known'}",
                *(number(a.accuracy, 2), p_text(a.p), f"{a.better} of {a.n}"),
                *(number(a.brier, 3), p_text(a.p_brier)),
            )
            for a in conclusions
            if a.where == where
        ]
    return blocks


def _blocks(table: pd.DataFrame, families: list[str]) -> dict[str, list]:
    """Means over data sets by metric; a line per method and model, a cell per family."""
    means = table[table["dataset"] == MEAN]
    order = {"method": METHODS.index, "model": MODELS.index}
    means = means.sort_values([*order], key=lambda s: s.map(order[s.name]), kind="stable")
    blocks = {}
    for metric, (title, digits) in _BLOCKS.items():
        lines = []
        rows_of_metric = means[means["metric"] == metric]
        for (method, model), cells in rows_of_metric.groupby(["method", "model"], sort=False):
            if metric == "n_leaves" and method == "se":
                continue  # those of C4.5
            at = {row["family"]: row for row in cells.to_dict("records")}
            name = LOOKS[method].label
            name = name if method == "c45" else f"{name}, {_MODEL_LABELS[model]}"
            lines.append((name, *(_cell(at.get(f), method, digits) for f in families)))
        blocks |= {title: lines} if lines else {}
    return blocks


def _cell(row: Mapping | None, method: str, digits: int) -> Styled | str:
    """One cell: the difference as text, marks of significance, p-values for the curious."""
    if row is None:
        return NONE
    if method == "c45":
        return number(row["difference_clean"], digits)
    marks, notes = [], []
    for mark, name, other in (("a", "p_c45", "C4.5"), ("b", "p_normal", "the normal model")):
        if pd.notna(row[name]):
            notes.append(
                f"against {other}: {p_words(row[name])} over {row['n_datasets']:.0f} data sets, "
                f"{p_text(row[f'{name}_pairs_holm'])} over all pairs after Holm"
            )
            if row[name] < LEVEL:
                marks.append(mark)
    raised = tagged("sup", ",".join(marks)) if marks else ""
    shown_gain = together(number(row["difference_c45"], digits), raised)
    return Styled(shown_gain, title="; ".join(notes))
