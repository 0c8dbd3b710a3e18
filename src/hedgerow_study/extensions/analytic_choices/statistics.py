"""What verdicts hang on: each statement in all its analyses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow_study.experiments.choice_distances import distances
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.analytic_choices import (
    HERE,
    PREFIX,
    WORTH,
    Choices,
    read_choices,
    shapley_shares,
    word_of,
)
from hedgerow_study.reporting.claim_specification import REPRODUCED
from hedgerow_study.reporting.claims import from_reference

#: Columns that are written in this order.
CLAIMS = {
    **{"experiment": str, "claim": str, "repeats": int, "n_analyses": int, "n_open": int},
    "reproduced": float,
    **{"partly": float, "not_reproduced": float, "word": str, "decides": str},
    **{"decides_share": float, "least": float, "largest": float},
}
POINTS = ["experiment", "claim", "analysis", "repeats"]
POINTS += ["verdict", "estimate", "low", "high", "measured"]
ALTERNATIVES = ["experiment", "claim", "analysis", "choice", "alternative"]
SHARES = ["experiment", "claim", "choice", "share"]
NEAREST = {
    **{"experiment": str, "rank": int, "analysis": str, "distance": float, "n_cells": int},
    **{"n_tables": int, "n_first": int},
}
#: How many analyses of each experiment are listed that lie nearest to the published numbers.
N_NEAREST = 10


@step(outputs=("claims", "points", "taken", "shares", "nearest"))
def summarise(judged: Frames, cells: Frames, choices: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Count verdicts over analyses, and share their variance out among the choices.

    Returns: `claims`: experiment, claim, repeats (of each data set, by the setting that
    config/analytic_choices.yaml names), n_analyses (that have a verdict), n_open (inconclusive),
    reproduced, partly, not_reproduced (shares of n_analyses), word, decides (the choice with the
    largest Shapley share of the verdict's variance over the full product), its decides_share, least
    and largest estimate. `points`: experiment, claim, analysis, repeats, verdict, estimate, low,
    high, measured. `taken`: experiment, claim, analysis, choice, alternative; a row for each
    choice. `shares`: experiment, claim, choice, share. `nearest`: experiment, rank (from 1) and
    what `hedgerow_study.experiments.choice_distances.distances` returns, the first `N_NEAREST` of
    each experiment.
    """
    read = read_choices(choices)
    claims, points, taken, shares = [], [], [], []
    for experiment, frame in sorted(judged.items(), key=lambda item: list(read).index(item[0])):
        declared, frame = read[experiment], from_reference(frame)
        names = [column for column in frame if column.startswith(PREFIX)]
        for claim, rows in frame.groupby("claim", sort=False):
            rows = rows.drop_duplicates("analysis")
            of_claim = {name: share for name, share in _shares(rows, declared, str(claim)).items()}
            claims.append({"experiment": experiment, "claim": claim, **_counted(rows, of_claim)})
            points.append(rows.assign(experiment=experiment).reindex(columns=POINTS))
            long = rows.melt(["claim", "analysis"], names, "choice", "alternative")
            long["choice"] = long["choice"].str.removeprefix(PREFIX)
            touching = [name for name, one in declared.choices.items() if claim in one.touches]
            long = long[long["choice"].isin(touching)].assign(experiment=experiment)
            taken.append(long[ALTERNATIVES])
            shares += [(experiment, claim, name, share) for name, share in of_claim.items()]
    return {
        "claims": pd.DataFrame(claims, columns=[*CLAIMS]).astype(CLAIMS),
        "points": _joined(points, POINTS),
        "taken": _joined(taken, ALTERNATIVES),
        "shares": pd.DataFrame(shares, columns=SHARES).astype({"share": float}),
        "nearest": _nearest(cells),
    }


def _nearest(cells: Frames) -> pd.DataFrame:
    frames = [
        distances(frame).head(N_NEAREST).assign(experiment=experiment)
        for experiment, frame in sorted(cells.items())
        if len(frame)
    ]
    frame = _joined(frames, [*NEAREST])
    return frame.assign(rank=frame.groupby("experiment").cumcount() + 1)[[*NEAREST]].astype(NEAREST)


def _joined(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def _counted(rows: pd.DataFrame, shares: Mapping[str, float]) -> dict[str, Any]:
    decided = rows[rows["verdict"].isin(WORTH)]
    part = decided["verdict"].value_counts(normalize=True)
    decides = max(shares, key=lambda name: shares[name], default="")
    return {
        "repeats": rows["repeats"].iloc[0],
        "n_analyses": len(decided),
        "n_open": len(rows) - len(decided),
        **{
            verdict.replace(" ", "_"): part.get(verdict, 0.0) if len(decided) else float("nan")
            for verdict in WORTH
        },
        "word": word_of(part.get(REPRODUCED, 0.0), len(decided)),
        "decides": decides,
        "decides_share": shares.get(decides, float("nan")),
        "least": rows["estimate"].min(),
        "largest": rows["estimate"].max(),
    }


def _shares(rows: pd.DataFrame, choices: Choices, claim: str) -> dict[str, float]:
    """Shapley shares of the verdict's variance; none where a combination has no verdict."""
    product = next((p for p in choices.products if claim in p.claims), None)
    if product is None:
        return {}
    columns = {PREFIX + name: name for name in product.choices if PREFIX + name in rows}
    others = [column for column in rows if column.startswith(PREFIX) and column not in columns]
    combinations = rows[(rows[others] == HERE).all(axis=1)].rename(columns=columns)
    if not combinations["verdict"].isin(WORTH).all():
        return {}
    worth = combinations.assign(worth=combinations["verdict"].map(WORTH).astype(float))
    return shapley_shares(worth, list(columns.values()), "worth")
