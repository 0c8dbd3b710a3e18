"""The model card: on one page what a tree is, how good it is, and what it is not for.

Its sections are those of Mitchell and others, Model Cards for Model Reporting (2019).
"""

from __future__ import annotations

from hedgerow.showing.templates import render
from hedgerow_clinic.analysis import Analysis
from hedgerow_clinic.checklist import OPEN, no_tree_message
from hedgerow_clinic.cohort import Outcome
from hedgerow_clinic.layout import in_code
from hedgerow_clinic.table_format import ENDS, Table, estimated
from hedgerow_clinic.tables import ANALYSED

MEASURES = {
    "concordance": "Concordance",
    "auc": "Area under the curve",
    "scaled_brier": "Error taken off (Brier)",
    "observed_expected": "Observed by expected",
}


def card(
    analysis: Analysis,
    shown: dict[str, Table],
    outcome: Outcome,
    title: str,
    source: str,
    version: str,
) -> str:
    """Text of model_card.html."""
    cohort, settings = analysis.cohort, analysis.settings
    horizon = cohort.horizon_text
    counts = shown["flow"].frame.set_index("about")["count"].astype(str)
    tree = analysis.groups.tree_
    tested = sorted({cohort.columns[list(cohort.X)[f]].label for f in tree.feature if f >= 0})
    sections = {
        "Model": {
            "What it is": f"a decision tree (C4.5) with {tree.n_leaves} groups, at most "
            f"{settings.max_depth} tests deep; hedgerow {version}, seed {settings.seed}",
            "What it says": f"a group, and its risk of the event (`{outcome.event}`) by {horizon}",
            "What it asks for": ", ".join(tested) or "nothing",
            "A value that is missing": "goes down both branches; the largest share counts",
            "Who made it, licence": OPEN,
        },
        "Use": {
            "For whom, by whom, for what": OPEN,
            "Not for": "choosing a treatment: groups describe, and say nothing on what a treatment "
            "does; patients unlike those below",
        },
        "Data": {
            "Learnt from": f"{counts['training part']} of {counts[ANALYSED]} patients of {source}"
            + (f", {cohort.period}" if cohort.period else ""),
            "Tested on": f"{counts['test part']} patients of the same file, whom it has not seen"
            + _bootstrap_phrase(analysis),
            "Another hospital": "hedgerow validate FOLDER second.csv; not done by this run",
            "Read as": "see the data passport",
        },
        "How good it is": _performance(analysis, shown["performance"]),
        "What to mind": {
            "Limits": "groups were chosen by the outcome; the risks of the page that are corrected "
            "for it are those of the next patient of the same source",
            "Censoring": "taken for independent of how patients were getting on",
            **_late_entry(outcome),
            "Fairness, ethics, consent": OPEN,
        },
    }
    return in_code(
        render("hedgerow_clinic/card.html.j2", title=title, sections=sections, version=version)
    )


def _late_entry(outcome: Outcome) -> dict[str, str]:
    if outcome.entry is None:
        return {}
    return {
        "Late entry": f"patients count from `{outcome.entry}` on, when they came under "
        "observation; others stand, by weights, for those who had the event before. When a patient "
        "came is taken for independent of the inputs and of the risk"
    }


def _bootstrap_phrase(analysis: Analysis) -> str:
    validation = analysis.validation
    if validation is None:
        return ""
    return f", and on those whom {validation.n_bootstraps} bootstraps of all steps left out"


def _performance(analysis: Analysis, table: Table) -> dict[str, str]:
    """Measures with intervals: of new patients, and of the parts of the test part."""
    validation, measures = analysis.validation, {}
    if validation is not None:
        concordance = (validation.concordance, validation.low, validation.high)
        measures["Concordance, new patients"] = estimated(*concordance, "s")
        if not validation.finds:
            measures["Verdict"] = no_tree_message(analysis)
    for row in table.frame.to_dict("records"):
        who = " ".join(filter(None, (row["variable"], row["value"])))
        cells = []
        for name, title in MEASURES.items():
            cells.append(f"{title} {estimated(row[name], *(row[f'{name}_{e}'] for e in ENDS))}")
        measures[f"Test part, {who}"] = "; ".join(cells)
    return measures
