"""Figures of what goes beyond the paper of EIG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from hedgerow.experiments.missing_beyond.plan import (
    COMPARED,
    MECHANISMS,
    METHODS,
    MissingBeyondPlan,
)
from hedgerow.experiments.missing_beyond.tables import LABELS, MECHANISM_LABELS, said
from hedgerow.experiments.step import figure
from hedgerow.reporting.figures import WIDTH, looks_in_a_row, nothing_drawn, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAINS = ("eig_knn", "knn", "eig_perfect")
LOOKS = {
    part: looks_in_a_row(names, LABELS)
    for part, names in {"mechanisms": GAINS, "imputers": METHODS["imputers"][1:]}.items()
}


def gains(rows: pd.DataFrame, part: str) -> pd.DataFrame:
    """Accuracy of each method less that of C4.5, points, mean over data sets.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.statistics.merged`.
    part : {"mechanisms", "imputers"}

    Returns
    -------
    DataFrame of float
        (setting, share) by method.
    """
    wide = COMPARED.means(rows, part, "accuracy")
    base = wide.xs("c45", axis=1, level="method")
    found = {key: (wide[key] - base[key[:2]]).mean() for key in wide.columns if key[2] != "c45"}
    return pd.Series(found).rename_axis(["setting", "share", "method"]).unstack("method")


@figure(
    "Gain over C4.5 by the reason why values are missing",
    caption="Accuracy less that of C4.5, points, mean over data sets, by the share of values "
    "removed from training and test rows, a panel for each mechanism. Unpruned trees. {ran}",
    alt="Three panels with a line per method around 0; the numbers are in the table beneath.",
    words=said,
)
def missing_beyond_gains(rows: pd.DataFrame, plan: MissingBeyondPlan) -> Figure:
    """Figure of the mechanisms.

    Parameters
    ----------
    rows : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.statistics.merged`.
    plan : MissingBeyondPlan

    Returns
    -------
    Figure
        A panel per mechanism, a line per method.
    """
    from matplotlib.figure import Figure

    if not (rows["part"] == "mechanisms").any():
        return nothing_drawn("No data set was run")
    found = gains(rows, "mechanisms")
    with style():
        drawn = Figure(figsize=(WIDTH, 2.9), layout="constrained")
        panels = drawn.subplots(1, len(MECHANISMS), sharey=True)
        for axes, mechanism in zip(panels, MECHANISMS, strict=True):
            axes.axhline(0.0, color="#666666", linewidth=0.8)
            axes.set_title(MECHANISM_LABELS[mechanism].capitalize())
            axes.set_xlabel("Values removed (%)")
            axes.grid(axis="y")
            if mechanism not in found.index:  # no set has variables enough
                continue
            own = found.loc[mechanism].sort_index()
            for name, look in LOOKS["mechanisms"].items():
                axes.plot(100 * own.index, own[name], color=look.colour, linestyle=look.line,
                          label=look.label, **look.mark(4.5))  # fmt: skip
            axes.set_xticks([round(100 * share, 6) for share in own.index])
        panels[0].set_ylabel("Gain over C4.5 (points)")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn


@figure(
    "Errors of guesses, gains of trees",
    caption="EIG by what guesses: its accuracy less that of C4.5 (points) by the error of the "
    "guesses (root mean squared, standard deviations of the column), means over data sets, a "
    "panel for each share of removed values. If better guesses gave better trees, the marks would "
    "rise to the left. {ran}",
    alt="A panel per share of removed values with one mark per imputer; the numbers are in the "
    "table beneath.",
    words=said,
)
def missing_beyond_guesses(rows: pd.DataFrame, plan: MissingBeyondPlan) -> Figure:
    """Figure of the imputers.

    Parameters
    ----------
    rows, plan
        As in `missing_beyond_gains`.

    Returns
    -------
    Figure
        A panel per share, a mark per imputer.
    """
    from matplotlib.figure import Figure

    if not (rows["part"] == "imputers").any():
        return nothing_drawn("No data set was run")
    found = gains(rows, "imputers").loc["mcar"].sort_index()
    errors = COMPARED.means(rows, "imputers", "imputer_error").mean()
    with style():
        drawn = Figure(figsize=(WIDTH, 3.2), layout="constrained")
        panels = drawn.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for axes, share in zip(panels, found.index, strict=True):
            axes.axhline(0.0, color="#666666", linewidth=0.8)
            for name, look in LOOKS["imputers"].items():
                axes.plot(errors["mcar", share, name], found.loc[share, name], linestyle="none",
                          label=look.label, **look.mark(7.0))  # fmt: skip
            axes.set_title(f"{100 * share:g} % removed")
            axes.set_xlabel("Error of the guesses (sd)")
            axes.grid()
        panels[0].set_ylabel("Gain over C4.5 (points)")
        drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return drawn
