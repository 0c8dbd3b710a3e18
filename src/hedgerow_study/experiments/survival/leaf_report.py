"""A page for the bedside, of each cohort: the tree, survival in its leaves, numbers at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.data import TidyTable
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival.plan import CLASSES, METHODS, SIMULATED
from hedgerow_study.experiments.survival.steps import cohort_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Leaves of a tree whose words can be read on a page.
LEGIBLE = 10


@step("configuration", outputs=("svg", "pdf"))
def draw_leaf_report(
    table: TidyTable, patients: pd.DataFrame, trees: pd.DataFrame, plan
) -> dict[str, Figure]:
    """The tree of a cohort and survival in its leaves on one page.

    Returns: `svg` and `pdf`, the same page: the tree of the thesis' settings, or where it has more
    than ten leaves the smaller one of it and the tuned one. Of all patients, as published. Where no
    page holds its leaves, it says so.
    """
    from hedgerow.drawing.survival import MOST_LEAVES, guideline_page
    from hedgerow.tree import Tree

    cohort = cohort_of(table, plan)
    time, event = cohort.natural_history()
    by_method = trees[trees["repeat"] == 0].set_index("method")
    method = METHODS[0]
    if by_method.loc[method, "n_leaves"] > LEGIBLE:
        method = by_method.loc[list(METHODS), "n_leaves"].idxmin()
    if (n_leaves := by_method.loc[method, "n_leaves"]) > MOST_LEAVES:
        return {kind: _too_large(cohort.name, n_leaves) for kind in ("svg", "pdf")}
    tree = Tree.from_json(by_method.loc[method, "tree"])
    tree = tree.replace(feature_names=[str(c) for c in cohort.X.columns], classes=list(CLASSES))
    values, _ = TidyTable(cohort.name, cohort.X, event, [], "").matrix()
    prefix = "SYNTHETIC patients: " if cohort.name == SIMULATED else ""
    notes = [
        f"Tree: {'settings of the thesis' if method == 'thesis' else 'tuned settings'}, learnt "
        f"from {int((patients['training'] & (patients['y'] >= 0)).sum())} of these patients.",
        "Leaves were chosen by the outcome: other patients' curves are closer together.",
    ]
    if prefix:
        notes.append("SYNTHETIC: made-up patients, of no use at any bedside.")

    def page():
        return guideline_page(
            tree,
            values,
            time,
            event,
            horizon=cohort.horizon,
            title=f"{prefix}{cohort.name.replace('_', ' ')}",
            unit="years",
            cohort=f"{cohort.name}, configuration {plan.configuration}",
            names={str(c): str(c).replace("_", " ") for c in cohort.X.columns},
            notes=notes,
        )

    # Saving lays a figure out, and once more would move it by a hair.
    return {"svg": page(), "pdf": page()}


def _too_large(name: str, n_leaves: int) -> Figure:
    from matplotlib.figure import Figure

    page = Figure(figsize=(8.27, 1.0))
    words = f"{name}: the tree has {n_leaves} leaves, more than can be read on a page"
    page.text(0.05, 0.5, words, fontsize=9, va="center")
    return page
