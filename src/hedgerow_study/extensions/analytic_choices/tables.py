"""Tables of the analyses: each statement over all of them, and the choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.cell_sources import LineSources
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.analytic_choices.plan import MultiversePlan
from hedgerow_study.reporting.analytic_choices import FEWEST, read_choices

#: Numbers of `analytic_choices_verdicts` that are read off as they are.
NUMBERS = (
    *("repeats", "n_analyses", "n_open", "reproduced", "partly", "not_reproduced", "decides_share"),
    *("least", "largest"),
)


def caption_values(claims: pd.DataFrame, plan: MultiversePlan) -> dict[str, str]:
    """Words of the captions: what was read."""
    largest = claims.groupby("experiment", sort=False)["n_analyses"].max()
    ran = ", ".join(f"{experiment} (up to {n})" for experiment, n in largest.items()) or "none"
    return {
        "ran": f"Experiments and analyses of a statement: {ran}; configuration "
        f"{plan.configuration}.",
        "fewest": str(FEWEST),
    }


@table(
    "Statements over all analyses",
    caption="Each statement is judged in each analysis by the same rules. Over analyses: "
    "reproduced in all, in some or in none of its analyses, where partly counts as not reproduced; "
    "no word below {fewest} analyses. The choice that decides has the largest Shapley share of the "
    "variance of the verdict, over the full product of choices. "
    "Repeats: splits, draws or forests of each data set. {ran}",
    caption_values=caption_values,
    sources=LineSources("claims", ("claim",), NUMBERS),
)
def analytic_choices_verdicts(claims: pd.DataFrame) -> pd.DataFrame:
    """Shares of verdicts by statement.

    Returns: experiment, claim, repeats, n_analyses, n_open (inconclusive analyses),
    reproduced, partly, not_reproduced (shares), word, decides, decides_share, least and largest
    (estimate over the analyses, in the unit of the claim).
    """
    return claims.reset_index(drop=True)


@table(
    "Every analysis",
    caption="Verdict and estimate of each statement in each analysis, with its 95 % CI "
    "over data sets. {ran}",
    caption_values=caption_values,
    sources=LineSources("points", ("claim", "analysis"), ("repeats", "estimate", "low", "high")),
)
def analytic_choices_points(points: pd.DataFrame) -> pd.DataFrame:
    """Verdicts one by one.

    Returns: experiment, claim, analysis (choice=alternative, separated by commas; `as here`),
    repeats, verdict, estimate, low, high, measured.
    """
    return points.reset_index(drop=True)


@table(
    "Analyses nearest to what is printed",
    caption="An informed guess at what was run: of each experiment the analyses whose numbers lie "
    "nearest to all printed cells of the methods that they run. A difference counts in units of "
    "the spread of its cell; the distance is the root of the mean over tables of its mean square. "
    "First without: tables without which, one at a time, no other analysis is nearer. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "nearest", ("experiment", "analysis"), ("distance", "n_cells", "n_tables", "n_first")
    ),
)
def analytic_choices_nearest(nearest: pd.DataFrame) -> pd.DataFrame:
    """The analyses of each experiment in the order of their distance.

    Returns: experiment, rank, analysis, distance, n_cells, n_tables, n_first.
    """
    return nearest.reset_index(drop=True)


@table(
    "Open choices",
    caption="What the papers leave open, what is done here and what else was read "
    "(config/analytic_choices.yaml, which was written before). {ran}",
    caption_values=caption_values,
    sources=LineSources("claims", (), ()),  # words of config/analytic_choices.yaml
)
def analytic_choices_open(
    claims: pd.DataFrame, choices: Mapping[str, Any], plan: MultiversePlan
) -> pd.DataFrame:
    """The choices that were read.

    Returns: experiment, choice, place, open, here, otherwise (alternatives, separated by
    semicolons), touches (claims, separated by blanks).
    """
    available = set(claims["experiment"])
    rows = [
        (
            *(experiment, name, one.place, one.open, one.here),
            *("; ".join(one.otherwise), " ".join(one.touches)),
        )
        for experiment, declared in read_choices(choices).items()
        if experiment in available
        for name, one in declared.choices.items()
        if plan.singles or any(name in product.choices for product in declared.products)
    ]
    columns = ["experiment", "choice", "place", "open", "here", "otherwise", "touches"]
    return pd.DataFrame(rows, columns=columns)
