"""Tables of noise beyond the thesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hedgerow.experiments.behind import Selector
from hedgerow.experiments.compared import TESTED, cells_behind
from hedgerow.experiments.soft_beyond.plan import (
    COMPARED,
    COMPARED_SETS,
    KEY,
    METHODS,
    MODELS,
    PARTS,
    POOLED,
    PROMISED,
    SET_METHODS,
    SETS,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.figures import LOOKS
from hedgerow.reporting.tables import MEAN, how_many, in_rows, p_columns, ran

#: Metrics of the tables: (metric in rows, unit, unit of differences, factor to the unit).
METRICS = (
    ("accuracy", "percent", "percentage_points", 100.0),
    ("macro_f1", "percent", "percentage_points", 100.0),
    ("brier", "score", "score", 1.0),
    ("n_leaves", "leaves", "leaves", 1.0),
    ("factor", "share", "share", 1.0),
)


# ------------------------------------------------------------------------------------ tables


DIFFERENCES = (
    "Mean over data sets of the difference to C4.5 on the same data; the line of C4.5 is its "
    "difference to C4.5 without noise."
)
KNOWN_MODELS = (
    "Normal and matching models have a factor that cross validation chooses from {grid}; the "
    "third knows what was added. Normal noise has no other matching model."
)


def said(rows: pd.DataFrame, plan: SoftBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts.
    plan : SoftBeyondPlan

    Returns
    -------
    dict of str
    """
    each = how_many(plan.n_permutations, "train-test permutation")
    of_parts = {
        part: ran(
            rows.loc[rows["part"] == part, "dataset"].unique(),
            datasets_of(part, plan),
            each,
            plan.configuration,
        )
        for part in PARTS
    }
    return {**of_parts, "grid": ", ".join(f"{u:g}" for u in plan.factors)}


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Rows of each data set, and the tests of their differences."""
    part = identifier.removeprefix("soft_beyond_")
    own = rows[rows["part"] == part]
    select = Selector(own)
    families = [f for f in own["family"].unique() if f not in ("normal", "none")]
    to_unit = {metric: times for metric, _, _, times in METRICS}
    for row, line in enumerate(table.to_dict("records")):
        cell = {name: line[name] for name in _CELL}
        if line["family"] == POOLED:
            cell["family"] = families
        where = {"part": part, "metric": line["metric"], **cell}
        sets = select.data_sets(where)
        where["dataset"] = sets if line["dataset"] == MEAN else line["dataset"]
        first, times = Rows("rows", where), to_unit[line["metric"]]
        if pd.notna(line["measured"]):
            yield Cell(row, "measured", "mean_of_means", (first,), times, ("dataset",))
        c45 = {"method": "c45", "model": "none"}
        clean = {**c45, "where": "none", "family": "none", "noise": 0.0}
        others = {"difference_clean": clean, "difference_c45": c45}
        others["difference_normal"] = {"model": "normal"}
        for column, other in others.items():
            if pd.notna(line[column]):
                place = ("dataset", "permutation")
                place += () if column == "difference_clean" else ("where", "family", "noise")
                # A data set without such a model has no part in the difference.
                both = sorted({*sets}.intersection(select.data_sets({**where, **other})))
                places = both if line["dataset"] == MEAN else line["dataset"]
                pair = tuple(
                    Rows("rows", {**where, **side, "dataset": places}) for side in ({}, other)
                )
                yield Cell(row, column, "mean_difference", pair, times, place)
        test = {name: line[name] for name in ("metric", *COMPARED.cell)}
        test |= {"part": part, "first": f"{line['method']}/{line['model']}"}
        for key, column in _P_NAMES.items():
            if pd.notna(line[column]):
                own = {**test, **dict(zip(_P_BY, key, strict=True))}
                yield Cell(row, column, "value", (Rows("statistics", own, "p"),))


@table(
    "Noise families and noise models",
    caption=f"{DIFFERENCES} {KNOWN_MODELS} {{noise_models}}",
    words=said,
    behind=behind_part,
)
def soft_beyond_noise_models(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of noise families by the models that methods assume.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts, as returned by
        `hedgerow.experiments.soft_beyond.steps.run`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.merged`.
    plan : SoftBeyondPlan

    Returns
    -------
    DataFrame
        One row per metric, place and family of the noise, noise factor, method, model and data
        set. `dataset` is a key, or `mean_over_datasets`, which has differences and p-values; the
        family `all_families` joins those in which the matching model is another than the normal.
        Columns: metric, unit, where, family, noise, method, model, dataset, measured (mean over
        permutations; of data sets only, as averages over them mean nothing), difference_clean (to
        C4.5 without added noise), difference_c45 (to C4.5 on the same data), difference_normal
        (to the normal model of the same method), unit_of_differences, n_datasets, of_datasets,
        p_c45 and p_normal (over data sets), each with `_holm`, `_pairs` (over permutations of data
        sets) and `_pairs_holm`, left_out (sets that have no such cell) and absent (sets asked for
        that no source had), separated by semicolons.
    """
    return _table("noise_models", rows, statistics, plan)


@table(
    "Class noise",
    caption=DIFFERENCES
    + " Labels of the training data are replaced by another class with probability p; validation "
    "folds and test data are clean. {class_noise}",
    words=said,
    behind=behind_part,
)
def soft_beyond_class_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of class noise in the training data. As `soft_beyond_noise_models` otherwise."""
    return _table("class_noise", rows, statistics, plan)


@table(
    "Noise on categories",
    caption=DIFFERENCES
    + " Categories are replaced with probability p by draws from the distribution of their "
    "variable in the training data. {categorical_noise}",
    words=said,
    behind=behind_part,
)
def soft_beyond_categorical_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of noise on categorical variables. As `soft_beyond_noise_models` otherwise."""
    return _table("categorical_noise", rows, statistics, plan)


def said_of_sets(sets: pd.DataFrame, plan: SoftBeyondPlan) -> dict[str, str]:
    """Words of the captions about sets: what was run.

    Parameters
    ----------
    sets : DataFrame
        Rows of all data sets.
    plan : SoftBeyondPlan

    Returns
    -------
    dict of str
    """
    each = how_many(plan.n_divisions, "division")
    there = sets["dataset"].unique()
    told = ran(there, plan.set_datasets, each, plan.configuration)
    return {"sets": f"{told} At most {plan.set_rows} rows of each."}


def behind_sets(table: pd.DataFrame, sets: pd.DataFrame) -> Iterator[Cell]:
    """Both sides of each comparison of sets, and its test."""
    yield from cells_behind(
        COMPARED_SETS, table, sets, SETS, statistics="set_statistics", of="sets"
    )


@table(
    "Sets with a promise",
    caption="A set holds the classes that a row may have, and promises to hold the true one. "
    "Coverage: share of test rows whose set does, beside what is promised; of the class for which "
    "it is least: of those with five test rows. Size: classes in a set. Single: sets of one class. "
    "Errors of test and calibration rows are normal, in standard deviations of each variable; soft "
    "trees are told, C4.5 is not, and all are grown from values without. Shares in points. "
    f"{TESTED} {{sets}}",
    words=said_of_sets,
    behind=behind_sets,
)
def soft_beyond_sets(
    sets: pd.DataFrame, set_statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Coverage and size of sets, of C4.5 and of soft trees that know the errors.

    Parameters
    ----------
    sets, set_statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics.of_sets`.
    plan : SoftBeyondPlan

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED_SETS.table(sets, set_statistics, SETS)


def datasets_of(part: str, plan: SoftBeyondPlan) -> tuple[str, ...]:
    """Data sets that a part asks for."""
    return plan.categorical_datasets if part == "categorical_noise" else plan.datasets


def absent_from(part: str, rows: pd.DataFrame, plan: SoftBeyondPlan) -> list[str]:
    """Data sets that a part asks for and that have no rows."""
    there = set(rows.loc[rows["part"] == part, "dataset"])
    return sorted(set(datasets_of(part, plan)) - there)


_CELL = ["where", "family", "noise", "method", "model"]


def _table(part: str, rows, statistics, plan) -> pd.DataFrame:
    rows = rows[rows["part"] == part].sort_values([*KEY, "metric"])
    statistics = statistics[statistics["part"] == part]
    there = sorted(rows["dataset"].unique())
    per_set = rows.groupby([*_CELL, "dataset", "metric"], as_index=False)["value"].mean()
    key, frames = [*COMPARED.cell, "first"], []
    for metric, unit, unit_of_differences, to_unit in METRICS:
        values = per_set[per_set["metric"] == metric].drop(columns="metric")
        values = values.assign(measured=values.pop("value") * to_unit)
        if metric != "factor":
            values = _with_differences(values)
        joined = _joined_families(values) if part == "noise_models" else values.iloc[:0]
        mean = _means(pd.concat([values, joined]), there)
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
    asked = set(datasets_of(part, plan)) | set(there)
    table["of_datasets"] = len(asked)
    table["absent"] = np.where(table["dataset"] == MEAN, ";".join(sorted(asked - set(there))), "")
    order = {
        "dataset": [MEAN, *there],
        "metric": [m[0] for m in METRICS],
        "where": ["none", *WHERE],
        "family": ["none", *FAMILY_LABELS, "classes", "categories"],
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


_DIFFERENCES = ["difference_clean", "difference_c45", "difference_normal"]


def _with_differences(values: pd.DataFrame) -> pd.DataFrame:
    """Differences of each data set to clean C4.5, C4.5, and the normal model of the method."""
    place = ["where", "family", "noise", "dataset"]

    def reference(cells, by, name):
        return cells.set_index(by)["measured"].rename(name)

    c45 = values[values["method"] == "c45"]
    clean = reference(c45[c45["where"] == "none"], ["dataset"], "clean")
    at_place = reference(c45, place, "c45")
    normal = values[values["model"] == "normal"]
    of_method = reference(normal, [*place, "method"], "normal")
    values = values.join(clean, on="dataset").join(at_place, on=place)
    values = values.join(of_method, on=[*place, "method"])
    for name in ("clean", "c45", "normal"):
        values[f"difference_{name}"] = values["measured"] - values.pop(name)
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


def _means(values: pd.DataFrame, there: list[str]) -> pd.DataFrame:
    """Means over data sets of differences; those of the values themselves mean nothing."""
    numbers = [c for c in _DIFFERENCES if c in values]
    grouped = values.groupby(_CELL)
    # Factors have the same unit everywhere, so that their mean means something.
    mean = grouped[numbers or ["measured"]].mean()
    members = grouped["dataset"].agg(set)
    mean["n_datasets"] = members.map(len)
    mean["left_out"] = members.map(lambda found: ";".join(sorted(set(there) - found)))
    return mean.reset_index().assign(dataset=MEAN)


#: Second, pairing and correction of a test: the column that has its p.
_P_BY = ("second", "pairing", "correction")
_P_NAMES = {
    (second, *where.values()): f"p_{second}{p[1:]}".replace("permutations", "pairs")
    for second in ("c45", "normal")
    for p, where in COMPARED.ps.items()
}


#: What texts call methods of the comparisons of sets.
SET_LABELS = {**{m: LOOKS[m].label for m in SET_METHODS}, PROMISED: "promised"}
SET_METRICS = {
    "coverage": "Coverage",
    "class_coverage": "Coverage of the class for which it is least",
    "size": "Size",
    "single": "Single",
}

FAMILY_LABELS = {
    "normal": "normal",
    "uniform": "uniform",
    "laplace": "Laplace",
    "student_t": "Student’s t",
    "proportional": "proportional",
    "per_variable": "per variable",
    POOLED: "all but normal",
}


# ----------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Answer:
    """Whether one assumption beats another, for one method and one place of the noise.

    Attributes
    ----------
    where, method, model : str
        The model is compared with the tuned normal one of the same method.
    accuracy : float
        Mean difference over data sets and families, points of %; positive: the model is better.
    brier : float
        The same of the Brier score; negative: the model is better.
    p : float
        Wilcoxon signed-rank test of the accuracy over data sets, two-sided.
    p_brier : float
    better, n : int
        Data sets on which the model has the higher accuracy, of how many.
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


def answers(table: pd.DataFrame) -> list[Answer]:
    """Does a model help that matches the noise? One answer per place, method and model.

    Parameters
    ----------
    table : DataFrame, as returned by `soft_beyond_noise_models`

    Returns
    -------
    list of Answer
        Over the families other than normal, at the largest noise factor; empty without them.
    """
    cells = table[(table["family"] == POOLED) & table["model"].isin(["matching", "true"])]
    if cells.empty:
        return []
    noise = cells["noise"].max()
    cells = cells[cells["noise"] == noise].set_index(["metric", "where", "method", "model"])
    other = ~table["family"].isin(["normal", "none", POOLED])
    sets = table[other & (table["dataset"] != MEAN) & (table["noise"] == noise)]
    sets = sets[sets["metric"] == "accuracy"]
    per_set = sets.groupby(["where", "method", "model", "dataset"])["difference_normal"].mean()
    found = []
    for where in WHERE:
        for model in ("matching", "true"):
            for method in METHODS[1:]:
                accuracy = cells.loc[("accuracy", where, method, model)]
                brier = cells.loc[("brier", where, method, model)]
                differences = per_set[where, method, model]
                found.append(
                    Answer(
                        where,
                        method,
                        model,
                        float(accuracy["difference_normal"]),
                        float(brier["difference_normal"]),
                        float(accuracy["p_normal"]),
                        float(brier["p_normal"]),
                        int((differences > 1e-9).sum()),
                        len(differences),
                    )
                )
    return found
