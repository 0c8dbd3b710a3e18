"""Statements T5-01 to T5-08 of thesis 5.4: what the judge reads, measured and as printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import published_number
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure.plan import EXAMPLES, REFERENCES, StructurePlan
from hedgerow_study.experiments.structure.tables import LABELS as VARIANT_LABELS
from hedgerow_study.experiments.structure.tables import NORMED, values_of
from hedgerow_study.reporting.claims import (
    NOT_TESTABLE,
    REPRODUCED,
    TOO_LITTLE,
    hanging,
    judge,
    of_experiment,
    with_statements,
    without,
)

#: What texts call the values of columns.
LABELS = {
    **VARIANT_LABELS,
    **{f"norm_diff_to_{r}": n for r, n in zip(REFERENCES, ("d_KL", "d_p"), strict=True)},
    **dict(zip(EXAMPLES.values(), ("insertions", "same variable", "correlated"), strict=True)),
    "unnormalized": "",
    "normalized": "normalised",
}
CELL = ["dataset", "method", "scale", "metric", "value"]


@step("datasets")
def claims(
    closeness: pd.DataFrame,
    scores: pd.DataFrame,
    statistics: pd.DataFrame,
    published: Frames,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
    plan: StructurePlan,
) -> pd.DataFrame:
    """Judge statements T5-01 to T5-08 of data/published/claims.csv.

    Returns: as returned by `hedgerow_study.reporting.claims.hanging` of the mean over all forests
    (each score over those that have such pairs), then verdict_first and first (forest 0, the
    published protocol), n_reproduced of the n_judged forests that can speak to it, verdict_printed
    and printed (the cells that the thesis prints: not all of its statements follow from them), with
    statements.
    """
    chapter = set(plan.printed.values())
    results = {"closeness": closeness, "scores": scores, "statistics": statistics}
    results = {name: frame[frame["dataset"].isin(chapter)] for name, frame in results.items()}
    bound = of_experiment(specification, "structure")
    numbers = sorted(results["closeness"]["repeat"].unique())
    frames = measured(results, numbers)
    judged = judge(bound, frames, LABELS)
    judged = hanging(judged, bound, frames["cells"]["dataset"].unique(), partial(without, frames))
    # Forest 0 may not have been run: then nothing can be said of it.
    alone = {n: judge(bound, measured(results, [n]), LABELS) for n in {0, *numbers}}
    theirs = judge(bound, {"cells": printed(published, plan)}, LABELS, printed=True)
    verdicts = pd.DataFrame({n: alone[n]["verdict"] for n in numbers}, index=judged.index)
    judged = judged.assign(
        verdict_first=alone[0]["verdict"],
        first=alone[0]["measured"],
        n_reproduced=(verdicts == REPRODUCED).sum(axis=1),
        n_judged=(~verdicts.isin([TOO_LITTLE, NOT_TESTABLE])).sum(axis=1),
        verdict_printed=theirs["verdict"],
        printed=theirs["measured"],
    )
    return with_statements(judged, bound, statements)


def measured(results: Frames, numbers: Iterable[int]) -> dict[str, pd.DataFrame]:
    """Frames of some forests.

    Returns: cells (dataset, method, scale, metric, value: means over the forests), seeds (the same
    by seed of k-means) and bootstrap (repeat, scale, reference, first, metric: low or high ends of
    intervals).
    """
    closeness, scores, statistics = (
        results[name][results[name]["repeat"].isin(list(numbers))]
        for name in ("closeness", "scores", "statistics")
    )
    key = ["dataset", "method", "scale"]
    cells = values_of(closeness, scores).groupby([*key, "metric"], as_index=False)["value"].mean()
    seeds = scores.groupby(["seed", *key], as_index=False)["silhouette"].mean()
    seeds = seeds.rename(columns={"silhouette": "value"}).assign(metric="silhouette")
    ends = statistics.melt(
        ["dataset", "repeat", "scale", "reference", "first"], ["low", "high"], var_name="metric"
    )
    return {"cells": cells[CELL], "seeds": seeds.dropna(subset="value"), "bootstrap": ends}


def printed(published: Frames, plan: StructurePlan) -> pd.DataFrame:
    """What tables 5.1 and 5.2 print; 5.1 has Spearman's correlation only."""
    tables = [published[f"thesis_table_5_{number}"] for number in (1, 2)]
    table = pd.concat(tables, ignore_index=True)
    table = table.assign(
        dataset=table["dataset"].map(plan.printed).fillna(table["dataset"]),
        method=table["method"].replace(NORMED),
        scale=table["criterion"],
        value=table["value"].map(published_number),
    )
    return table[CELL].drop_duplicates(CELL[:-1])
