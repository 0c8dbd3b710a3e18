"""Tables, figures and plain answers of what goes beyond chapter 3: other noise than Gaussian.

Nothing here stands in the thesis, so that there is no published value beside it. Each function is
named by the id of the table or figure that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hedgerow.experiments.soft_beyond import (
    KEY,
    METHODS,
    MODELS,
    PARTS,
    POOLED,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.reporting.figures import LOOKS, WIDTH, Look, style

MEAN = "mean_over_datasets"

#: Metrics of the tables: (metric in rows, unit, unit of differences, factor to the unit).
METRICS = (
    ("accuracy", "percent", "percentage_points", 100.0),
    ("macro_f1", "percent", "percentage_points", 100.0),
    ("brier", "score", "score", 1.0),
    ("n_leaves", "leaves", "leaves", 1.0),
    ("factor", "share", "share", 1.0),
)

FAMILY_LABELS = {
    "normal": "normal",
    "uniform": "uniform",
    "laplace": "Laplace",
    "student_t": "Student’s t",
    "proportional": "proportional",
    "per_variable": "per variable",
    POOLED: "all but normal",
}

#: How the noise models are drawn: colours of Okabe and Ito (2008) as for methods.
MODEL_LOOKS = {
    "normal": Look("normal model, tuned", "#999999", "o", "-", ""),
    "matching": Look("matching model, tuned", "#0072B2", "^", "--", ""),
    "true": Look("what was added, known", "#E69F00", "s", ":", ""),
}

#: A test over data sets is called a difference below this.
LEVEL = 0.05
#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6


# ------------------------------------------------------------------------------------ tables


def soft_beyond_noise_models(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of noise families by the models that methods assume.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts, as returned by `hedgerow.experiments.soft_beyond.run`.
    statistics : DataFrame
        As returned by `hedgerow.experiments.soft_beyond.statistics`.
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


def soft_beyond_class_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of class noise in the training data. As `soft_beyond_noise_models` otherwise."""
    return _table("class_noise", rows, statistics, plan)


def soft_beyond_categorical_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: SoftBeyondPlan
) -> pd.DataFrame:
    """Table of noise on categorical variables. As `soft_beyond_noise_models` otherwise."""
    return _table("categorical_noise", rows, statistics, plan)


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
    frames = []
    for metric, unit, unit_of_differences, to_unit in METRICS:
        values = per_set[per_set["metric"] == metric].drop(columns="metric")
        values = values.assign(measured=values.pop("value") * to_unit)
        if metric != "factor":
            values = _with_differences(values)
        joined = _joined_families(values) if part == "noise_models" else values.iloc[:0]
        mean = _means(pd.concat([values, joined]), there)
        mean = mean.merge(_p_values(statistics, metric), on=_CELL, how="left")
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
        "noise": sorted(table["noise"].unique()),
        "method": list(METHODS),
        "model": list(MODELS),
    }
    rank = pd.DataFrame({c: table[c].map(names.index) for c, names in order.items()})
    rank = rank.sort_values(list(order), kind="stable")
    numbers = ["measured", *_DIFFERENCES]
    # Rounding leaves no trace of the order of a sum, such as a mean of 5e-17 or -0.
    table[numbers] = table[numbers].round(6) + 0.0
    columns = ["metric", "unit", *_CELL, "dataset", *numbers, "unit_of_differences"]
    columns += ["n_datasets", "of_datasets", *_P_COLUMNS, "left_out", "absent"]
    return table.loc[rank.index].reindex(columns=columns).reset_index(drop=True)


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


_P_NAMES = {
    ("datasets", "none"): "",
    ("datasets", "holm"): "_holm",
    ("permutations", "none"): "_pairs",
    ("permutations", "holm"): "_pairs_holm",
}
_P_COLUMNS = [f"p_{other}{end}" for other in ("c45", "normal") for end in _P_NAMES.values()]


def _p_values(statistics: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One column per comparison, pairing and correction."""
    of_metric = statistics[statistics["metric"] == metric]
    columns = {}
    for other in ("c45", "normal"):
        against_c45 = of_metric["against_method"] == "c45"
        chosen = of_metric[against_c45 if other == "c45" else ~against_c45]
        for (pairing, correction), end in _P_NAMES.items():
            tests = (chosen["pairing"] == pairing) & (chosen["correction"] == correction)
            columns[f"p_{other}{end}"] = chosen[tests].set_index(_CELL)["p"]
    return pd.concat(columns, axis=1).rename_axis(_CELL).reset_index()


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

    @property
    def verdict(self) -> str:
        """`helps`, `harms` or `no difference`, by the test of the accuracy over data sets."""
        if self.p >= LEVEL or self.accuracy == 0:
            return "no difference"
        return "helps" if self.accuracy > 0 else "harms"


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


def verdict(found: list[Answer], model: str) -> str:
    """One plain sentence from the answers about a model.

    Parameters
    ----------
    found : list of Answer
    model : {"matching", "true"}

    Returns
    -------
    str

    Examples
    --------
    >>> one = Answer("test", "ss", "matching", 0.1, 0.0, 0.4, 0.9, 3, 6)
    >>> verdict([one], "matching")
    'No: by the test its accuracy differs in none of the 1 combinations of method and noisy part'
    """
    of_model = [a for a in found if a.model == model]
    if not of_model:
        return "Not asked: the configuration has normal noise only"
    n_sets = max(a.n for a in of_model)
    if n_sets < FEWEST_DATASETS:
        return f"It cannot be told from {n_sets} data set{'s' if n_sets > 1 else ''}"
    n = len(of_model)
    helps, harms = (sum(a.verdict == v for a in of_model) for v in ("helps", "harms"))
    combinations = f"of the {n} combinations of method and noisy part"
    if helps == harms == 0:
        return f"No: by the test its accuracy differs in none {combinations}"
    if harms == 0:
        word = "Yes" if helps == n else "In part"
        return f"{word}: its accuracy is higher in {helps} {combinations} and lower in none"
    if helps == 0:
        return f"No, it harms: its accuracy is lower in {harms} {combinations} and higher in none"
    return f"It depends: its accuracy is higher in {helps} {combinations} and lower in {harms}"


# ---------------------------------------------------------------------------------- captions


def captions(rows: pd.DataFrame, plan: SoftBeyondPlan) -> dict[str, str]:
    """Caption of every table and figure, by id: what it shows and what was run.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets and parts.
    plan : SoftBeyondPlan

    Returns
    -------
    dict of str
    """
    ran = {}
    for part in PARTS:
        there = sorted(rows.loc[rows["part"] == part, "dataset"].unique())
        absent = absent_from(part, rows, plan)
        ran[part] = (
            f"Run: {', '.join(there) or 'no data set'}, {plan.n_permutations} train-test "
            f"permutation{'s' if plan.n_permutations > 1 else ''} each, "
            f"configuration {plan.configuration}."
        )
        if absent:
            ran[part] += f" Absent, because no source answered: {', '.join(absent)}."
    grid = ", ".join(f"{u:g}" for u in plan.factors)
    differences = (
        "Mean over data sets of the difference to C4.5 on the same data; the line of C4.5 is its "
        "difference to C4.5 without noise."
    )
    models = (
        f"Normal and matching models have a factor that cross validation chooses from {grid}; the "
        "third knows what was added. Normal noise has no other matching model."
    )
    return {
        "soft_beyond_noise_models": f"{differences} {models} {ran['noise_models']}",
        "soft_beyond_class_noise": f"{differences} Labels of the training data are replaced by "
        "another class with probability p; validation folds and test data are clean. "
        f"{ran['class_noise']}",
        "soft_beyond_categorical_noise": f"{differences} Categories are replaced with probability "
        "p by draws from the distribution of their variable in the training data. "
        f"{ran['categorical_noise']}",
        "soft_beyond_matching": "Accuracy under noise of six families: difference to C4.5 on the "
        f"same data, one small point per data set and the mean over them. {models} "
        f"{ran['noise_models']}",
        "soft_beyond_labels": "Accuracy when (a) class labels of the training data, (b, c) "
        "categories of the training or the test data are replaced at random: difference to C4.5 "
        f"without noise, mean over data sets. (a) {ran['class_noise']} (b, c) "
        f"{ran['categorical_noise']} Sets without a numeric variable, where SS, STP and SE are "
        "C4.5, are not drawn.",
    }


# ----------------------------------------------------------------------------------- figures


def soft_beyond_matching(tables: Mapping[str, pd.DataFrame], plan: SoftBeyondPlan) -> Figure:
    """Figure of accuracy by family of the noise, method and model.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; `soft_beyond_noise_models` is read.
    plan : SoftBeyondPlan

    Returns
    -------
    Figure
        A row per method, a column per place of the noise, at the largest noise factor.
    """
    noise = max(plan.noise_factors)
    table = tables["soft_beyond_noise_models"]
    cells = table[(table["metric"] == "accuracy") & (table["noise"] == noise)]
    cells = cells.sort_values("dataset").set_index("family")
    families = [f for f in (*plan.families, POOLED) if f in cells.index]
    models = [m for m in MODEL_LOOKS if (cells["model"] == m).any()]
    with style():
        figure = Figure(figsize=(WIDTH, 6.2), layout="constrained")
        grid = figure.subplots(3, 2, sharex=True, sharey="row")
        for axes_row, method in zip(grid, METHODS[1:], strict=True):
            for axes, where in zip(axes_row, WHERE, strict=True):
                shown = cells[(cells["method"] == method) & (cells["where"] == where)]
                _families(axes, shown, families, models)
                axes.set_title(f"{LOOKS[method].label}, noise in the {where} data")
            axes_row[0].set_ylabel("Accuracy minus C4.5's\n(points of %)")
        for axes in grid[-1]:
            labels = [FAMILY_LABELS[f] for f in families]
            axes.set_xticks(range(len(families)), labels, rotation=35, ha="right")
        handles = [
            Line2D([], [], linestyle="", label=MODEL_LOOKS[m].label, **_mark(MODEL_LOOKS[m], 5.5))
            for m in models
        ]
        handles.append(Line2D([], [], linestyle="", label="data set", **_POINT))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


_POINT = {"color": "#555555", "marker": "o", "markersize": 1.8}


def _mark(look: Look, size: float) -> dict:
    return {
        "marker": look.marker,
        "markersize": size,
        "markerfacecolor": look.colour,
        "markeredgecolor": "black",
        "markeredgewidth": 0.6,
    }


def _families(axes, cells: pd.DataFrame, families: list[str], models: list[str]) -> None:
    """One panel: families along the axis, a mark per model, the data sets behind it."""
    axes.axhline(0, color="black", linewidth=0.7)
    axes.grid(axis="y")
    for boundary in np.arange(1, len(families)) - 0.5:
        axes.axvline(boundary, color="#d9d9d9", linewidth=0.6)
    for i, family in enumerate(families):
        of_family = cells[cells.index == family]
        for k, model in enumerate(models):
            of_model = of_family[of_family["model"] == model]
            x = i + 0.27 * (k - (len(models) - 1) / 2)
            mean = of_model.loc[of_model["dataset"] == MEAN, "difference_c45"]
            sets = of_model.loc[of_model["dataset"] != MEAN, "difference_c45"].to_numpy()
            # Points are spread by rank, not at random, so that the same data give the same file.
            spread = (np.argsort(np.argsort(sets, kind="stable")) % 3 - 1) * 0.05
            axes.plot(x + spread, sets, linestyle="", zorder=2, **_POINT)
            axes.plot([x] * len(mean), mean, linestyle="", zorder=3, **_mark(MODEL_LOOKS[model], 5))
    axes.set_xlim(-0.5, max(len(families), 1) - 0.5)
    axes.tick_params(axis="x", length=0)


def soft_beyond_labels(tables: Mapping[str, pd.DataFrame], plan: SoftBeyondPlan) -> Figure:
    """Figure of accuracy under class noise and categorical noise.

    Parameters
    ----------
    tables : mapping of DataFrame
        The tables of this module by id; class noise and categorical noise are read.
    plan : SoftBeyondPlan

    Returns
    -------
    Figure
        Three panels: difference of the accuracy to that of C4.5 without noise against the
        probability of replacement. SE with a model of the categories is a line of its own.
    """
    classes = tables["soft_beyond_class_noise"]
    categories = tables["soft_beyond_categorical_noise"]
    panels = (
        (classes, "training", "(a) Training labels", plan.class_noise),
        (categories, "training", "(b) Training categories", plan.category_noise),
        (categories, "test", "(c) Test categories", plan.category_noise),
    )
    drawn = comparable(classes) | comparable(categories)
    lines = [("c45", "none", LOOKS["c45"])]
    lines += [(m, "normal", LOOKS[m]) for m in METHODS[1:]]
    of_categories = Look("SE, model of the categories", "#000000", "X", (0, (1, 1)), "")
    lines.append(("se", "matching", of_categories))
    with style():
        figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
        for axes, (table, where, title, levels) in zip(
            figure.subplots(1, 3, sharey=True), panels, strict=True
        ):
            axes.axhline(0, color="black", linewidth=0.7)
            axes.grid(axis="y")
            cells = table[(table["metric"] == "accuracy") & table["dataset"].isin(drawn)]
            cells = cells[cells["where"].isin(["none", where])]
            mean = cells.groupby(["where", "noise", "method", "model"], as_index=False)[
                "difference_clean"
            ].mean()
            for i, (method, model, look) in enumerate(lines):
                of_line = mean[(mean["method"] == method) & (mean["model"] == model)]
                of_line = of_line.sort_values("noise")
                values = of_line["difference_clean"].where(
                    (of_line["where"] != "none") | (method != "c45"), 0.0
                )
                shift = 0.01 * max(levels) * (i - (len(lines) - 1) / 2)
                axes.plot(
                    of_line["noise"] + shift,
                    values,
                    color=look.colour,
                    linestyle=look.line,
                    label=look.label,
                    **_mark(look, 4.5),
                )
            axes.set_title(title)
            axes.set_xticks([0, *levels], [f"{p:g}" for p in (0, *levels)])
            axes.set_xlabel("Probability of replacement")
        figure.axes[0].set_ylabel("Accuracy minus that of C4.5\nwithout noise (points of %)")
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=len(labels), handlelength=2.6
        )
    return figure


def comparable(table: pd.DataFrame) -> set[str]:
    """Data sets that have every method of a table, so that means over them can be compared.

    A set without a numeric variable has C4.5 and SE with a model of the categories only. Where
    there is no other, all sets are returned.
    """
    sets = table[table["dataset"] != MEAN]
    methods = sets.groupby("dataset")["method"].agg(set)
    whole = set(methods.index[methods.map(lambda found: set(METHODS) <= found)])
    return whole or set(methods.index)
