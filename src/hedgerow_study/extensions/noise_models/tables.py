"""Tables of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from hedgerow_study.experiments.cell_sources import Selector
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.noise_models.plan import (
    COMPARED,
    METHODS,
    MODELS,
    ORDER,
    PART,
    POOLED,
    WHERE,
    NoiseModelsPlan,
)
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import MEAN, how_many, in_rows, p_columns, ran

#: Metrics of the tables: (metric in rows, unit, unit of differences, factor to the unit).
METRICS = (
    ("accuracy", "percent", "percentage_points", 100.0),
    ("macro_f1", "percent", "percentage_points", 100.0),
    ("brier", "score", "score", 1.0),
    ("n_leaves", "leaves", "leaves", 1.0),
    ("uncertainty", "share", "share", 1.0),
)
#: Second, pairing and correction of a test: the column that has its p.
_P_BY = ("second", "pairing", "correction")
_P_NAMES = {
    (second, *where.values()): f"p_{second}{p[1:]}".replace("repeats", "pairs")
    for second in ("c45", "normal")
    for p, where in COMPARED.ps.items()
}
_CELL = ["where", "family", "noise", "method", "model"]
_DIFFERENCES = ["difference_clean", "difference_c45", "difference_normal"]
FAMILY_LABELS = {
    "normal": "normal",
    "uniform": "uniform",
    "laplace": "Laplace",
    "student_t": "Student’s t",
    "proportional": "proportional",
    "per_variable": "per variable",
    POOLED: "all but normal",
}
MODELS_COMPARED = (
    "Normal and matching models have a factor that cross validation chooses from {grid}; the "
    "third knows what was added. Normal noise has no other matching model."
)


def caption_values(rows: pd.DataFrame, plan: NoiseModelsPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    each = how_many(plan.n_repeats, "repeat")
    caption = ran(rows["dataset"].unique(), plan.datasets, each, plan.configuration)
    return {PART: caption, "grid": ", ".join(f"{u:g}" for u in plan.uncertainties)}


def cell_sources(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Rows of each data set, and the tests of their differences."""
    select = Selector(rows)
    families = [f for f in rows["family"].unique() if f not in ("normal", "none")]
    to_unit = {metric: times for metric, _, _, times in METRICS}
    c45 = {"method": "c45", "model": "none"}
    others = {
        "difference_clean": {**c45, "where": "none", "family": "none", "noise": 0.0},
        "difference_c45": c45,
        "difference_normal": {"model": "normal"},
    }
    for row, line in enumerate(table.to_dict("records")):
        cell = {name: line[name] for name in _CELL}
        if line["family"] == POOLED:
            cell["family"] = families
        where = {"part": PART, "metric": line["metric"], **cell}
        sets = select.data_sets(where)
        where["dataset"] = sets if line["dataset"] == MEAN else line["dataset"]
        first, times = Rows("rows", where), to_unit[line["metric"]]
        if pd.notna(line["measured"]):
            yield Cell(row, "measured", "mean_of_means", (first,), times, ("dataset",))
        for column, other in others.items():
            if pd.notna(line[column]):
                place = ("dataset", "repeat")
                place += () if column == "difference_clean" else ("where", "family", "noise")
                # A data set without such a model has no part in the difference.
                both = sorted({*sets}.intersection(select.data_sets({**where, **other})))
                places = both if line["dataset"] == MEAN else line["dataset"]
                pair = tuple(
                    Rows("rows", {**where, **side, "dataset": places}) for side in ({}, other)
                )
                yield Cell(row, column, "mean_difference", pair, times, place)
        test = {name: line[name] for name in ("metric", *COMPARED.cell)}
        test |= {"part": PART, "first": f"{line['method']}/{line['model']}"}
        for key, column in _P_NAMES.items():
            if pd.notna(line[column]):
                selection = {**test, **dict(zip(_P_BY, key, strict=True))}
                yield Cell(row, column, "value", (Rows("statistics", selection, "p"),))


@table(
    "Noise families and noise models",
    caption="Mean over data sets of the difference to C4.5 on the same data; the line of C4.5 is "
    f"its difference to C4.5 without noise. {MODELS_COMPARED} {{noise_models}}",
    caption_values=caption_values,
    sources=cell_sources,
)
def noise_models_gain(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: NoiseModelsPlan
) -> pd.DataFrame:
    """Table of noise families by the models that methods assume.

    Returns: one row per metric, place and family of the noise, noise factor, method, model and data
    set. `dataset` is a key, or `mean_over_datasets`, which has differences and p-values; the family
    `all_families` joins those in which the matching model is another than the normal. Columns:
    metric, unit, where, family, noise, method, model, dataset, measured (mean over repeats; of
    data sets only, as averages over them mean nothing), difference_clean (to C4.5 without added
    noise), difference_c45 (to C4.5 on the same data), difference_normal (to the normal model of the
    same method), unit_of_differences, n_datasets, of_datasets, p_c45 and p_normal (over data sets),
    each with `_holm`, `_pairs` (over repeats of data sets) and `_pairs_holm`, left_out (sets
    that have no such cell) and absent (sets asked for that no source had), separated by semicolons.
    """
    rows = rows.sort_values(ORDER)
    names = sorted(rows["dataset"].unique())
    per_set = rows.groupby([*_CELL, "dataset", "metric"], as_index=False)["value"].mean()
    key, frames = [*COMPARED.cell, "first"], []
    for metric, unit, unit_of_differences, to_unit in METRICS:
        values = per_set[per_set["metric"] == metric].drop(columns="metric")
        values = values.assign(measured=values.pop("value") * to_unit)
        if metric != "uncertainty":
            values = _with_differences(values)
        mean = _means(pd.concat([values, _joined_families(values)]), names)
        mean["first"] = mean["method"] + "/" + mean["model"]
        p = p_columns(statistics[statistics["metric"] == metric], key, _P_NAMES, _P_BY)
        mean = mean.merge(p, on=key, how="left")
        values = values.assign(n_datasets=1, left_out="")
        frames.append(
            pd.concat([mean, values], ignore_index=True).assign(
                metric=metric, unit=unit, unit_of_differences=unit_of_differences
            )
        )
    table = pd.concat(frames, ignore_index=True)
    asked = {*plan.datasets, *names}
    table["of_datasets"] = len(asked)
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(sorted(asked - set(names))), "")
    order = {
        "dataset": [MEAN, *names],
        "metric": [m[0] for m in METRICS],
        "where": ["none", *WHERE],
        "family": ["none", *FAMILY_LABELS],
        "noise": None,
        "method": METHODS,
        "model": MODELS,
    }
    numbers = ["measured", *_DIFFERENCES]
    # Rounding leaves no trace of the order of a sum, such as a mean of 5e-17 or -0.
    table[numbers] = table[numbers].round(6) + 0.0
    columns = ["metric", "unit", *_CELL, "dataset", *numbers, "unit_of_differences"]
    columns += ["n_datasets", "of_datasets", *_P_NAMES.values(), "left_out", "absent"]
    return in_rows(table, order).reindex(columns=columns)


def _with_differences(values: pd.DataFrame) -> pd.DataFrame:
    """Differences of each data set to clean C4.5, C4.5, and the normal model of the method."""
    place = ["where", "family", "noise", "dataset"]
    c45 = values[values["method"] == "c45"]
    others = {
        "clean": (c45[c45["where"] == "none"], ["dataset"]),
        "c45": (c45, place),
        "normal": (values[values["model"] == "normal"], [*place, "method"]),
    }
    for name, (cells, by) in others.items():
        other = cells.set_index(by)["measured"].rename("other")
        joined = values[["measured", *place, "method"]].join(other, on=by)
        values = values.assign(**{f"difference_{name}": joined["measured"] - joined["other"]})
    is_c45 = values["method"] == "c45"
    values.loc[is_c45 & (values["where"] == "none"), "difference_clean"] = np.nan
    values.loc[is_c45, "difference_c45"] = np.nan
    values.loc[values["model"].isin(["none", "normal"]), "difference_normal"] = np.nan
    return values


def _joined_families(values: pd.DataFrame) -> pd.DataFrame:
    """Means of each data set over the families other than normal."""
    others = values[~values["family"].isin(["normal", "none"])]
    key = ["where", "noise", "method", "model", "dataset"]
    numbers = [c for c in ["measured", *_DIFFERENCES] if c in values]
    return others.groupby(key, as_index=False)[numbers].mean().assign(family=POOLED)


def _means(values: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Means over data sets of differences; those of the values themselves mean nothing."""
    numbers = [c for c in _DIFFERENCES if c in values]
    grouped = values.groupby(_CELL)
    # Factors have the same unit everywhere, so that their mean means something.
    mean = grouped[numbers or ["measured"]].mean()
    members = grouped["dataset"].agg(set)
    mean["n_datasets"] = members.map(len)
    mean["left_out"] = members.map(lambda present: ";".join(sorted(set(names) - present)))
    return mean.reset_index().assign(dataset=MEAN)


class Conclusion(NamedTuple):
    """Whether a model beats the tuned normal one, for one method and one place of the noise.

    Mean differences over data sets and families of accuracy (percentage points) and Brier score,
    their p over data sets, and the data sets with a higher accuracy, of how many.
    """

    where: str
    method: str
    model: str
    accuracy: float
    brier: float
    p: float
    p_brier: float
    better: int
    n: int


def list_conclusions(table: pd.DataFrame) -> list[Conclusion]:
    """Answers at the largest noise factor, over the families other than normal; none without."""
    cells = table[(table["family"] == POOLED) & table["model"].isin(["matching", "true"])]
    if cells.empty:
        return []
    noise = cells["noise"].max()
    cells = cells[cells["noise"] == noise].set_index(["metric", "where", "method", "model"])
    other = ~table["family"].isin(["normal", "none", POOLED])
    sets = table[other & (table["dataset"] != MEAN) & (table["noise"] == noise)]
    sets = sets[sets["metric"] == "accuracy"]
    per_set = sets.groupby(["where", "method", "model", "dataset"])["difference_normal"].mean()
    conclusions = []
    for where in WHERE:
        for model in ("matching", "true"):
            for method in METHODS[1:]:
                key = (where, method, model)
                both = [cells.loc[(metric, *key)] for metric in ("accuracy", "brier")]
                numbers = [float(b[c]) for c in ("difference_normal", "p_normal") for b in both]
                better = int((per_set[key] > 1e-9).sum())
                conclusions.append(Conclusion(*key, *numbers, better, len(per_set[key])))
    return conclusions
