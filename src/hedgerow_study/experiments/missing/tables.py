"""Tables of the evaluation of EIG (Schreckenberger and others, section 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from hedgerow_study.experiments.cell_sources import (
    ColumnSource,
    LineSources,
    P,
    Selector,
    test_cells,
)
from hedgerow_study.experiments.comparisons import (
    CAPTION_TEST_NOTE,
    Key,
    Place,
    cells_of_comparisons,
)
from hedgerow_study.experiments.frames import Frames, sorted_
from hedgerow_study.experiments.missing.plan import (
    ALL,
    BEST,
    BOTH,
    C45,
    COMPARED,
    EIG_KNN,
    EIG_PERFECT,
    KNN,
    MEAN,
    METHODS,
    POINTS,
    VARIANTS,
    MissingPlan,
    published_interpretations,
)
from hedgerow_study.experiments.missing.statistics import rows_of
from hedgerow_study.experiments.published_cells import published_number
from hedgerow_study.experiments.step import table
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import how_many, ran, status

LABELS = {
    C45: "C4.5",
    MEAN: "Mean imputation",
    KNN: "k-NN imputation",
    EIG_KNN: "EIG, k-NN",
    EIG_PERFECT: "EIG, perfect",
    BOTH: "the lower variant of EIG",
    BEST: "the best baseline",
}
#: Of the text: data sets on which the first has a higher mean than the second.
ABOVE = {
    "n_datasets_mean_accuracy_above_baselines": (BOTH, BEST),
    "n_datasets_mean_accuracy_above_eig_knn": (EIG_PERFECT, EIG_KNN),
    "n_datasets_mean_accuracy_above_eig_perfect": (EIG_KNN, EIG_PERFECT),
}
#: From the text: a level counts as a clear lead with p below this, an accuracy as steady or flat
#: within so many percentage points.
CLEAR, STEADY, FLAT = 0.05, 5.0, 1.0


def caption_values(means: pd.DataFrame, plan: MissingPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    draws = how_many(plan.n_repeats, "draw")
    each = f"{draws} of {plan.n_folds} folds"
    levels = ", ".join(str(level) for level in plan.missingness)
    if len(plan.missingness) > 6:
        levels = f"{plan.missingness[0]} to {plan.missingness[-1]}"
    return {
        "runs": each,
        "levels": f"{len(plan.missingness)} levels of missing values ({levels} per cent)",
        "sets": how_many(means["dataset"].nunique(), "data set"),
        "ran": ran(set(means["dataset"]), plan.datasets, each, plan.configuration),
    }


def names_of(plan: MissingPlan) -> list[tuple[str, str]]:
    """The paper's name and registry key of each data set: those of the paper, then others."""
    names = [(name, key) for name, keys in plan.printed.items() for key in keys]
    theirs = {key for _, key in names}
    return sorted(names) + [(key, key) for key in sorted(set(plan.datasets) - theirs)]


def tests_sources(table: pd.DataFrame, means: pd.DataFrame, depths: pd.DataFrame) -> Iterator[Cell]:
    """Both sides of each comparison, and its test; advantages are differences themselves."""
    rows = rows_of(means, depths)
    of_means, of_depths = Selector(means), Selector(depths)

    def place(part: str, metric: str, key: Key) -> Place:
        choice, scenario, method = key
        where = {"interpretation": choice, "method": method}
        if part == "depth":
            return Place(Rows("depths", where, "depth"), of_depths, ("dataset", "missingness"))
        where["scenario"] = scenario
        return Place(Rows("means", where, "accuracy"), of_means, ("dataset",))

    plain = table[table["part"] != "scenarios"]
    yield from cells_of_comparisons(COMPARED, plain, rows, place=place, statistics="tests")
    for row, line in table[table["part"] == "scenarios"].iterrows():
        for column, scenario in (("mean_first", "first"), ("mean_second", "second")):
            keys = {"interpretation": line["interpretation"], "scenario": line[scenario]}
            pair = tuple(Rows("means", {**keys, "method": m}, "accuracy") for m in (EIG_KNN, BEST))
            if line["first"] != ALL:
                yield Cell(row, column, "mean_difference", pair, POINTS, ("dataset",))
        test = {name: line[name] for name in COMPARED.key}
        columns = {"difference": ("none", "difference"), **P}
        yield from test_cells(row, line, test, columns, "tests")


def text_sources(table: pd.DataFrame, plan: MissingPlan) -> Iterator[Cell]:
    """Numbers of the text rest on the means of their scenario, or on its levels."""
    for row, line in enumerate(table.to_dict("records")):
        for choice in published_interpretations(plan.interpretations):
            if pd.isna(line[choice]):
                continue
            where = {"interpretation": choice, "scenario": line["scenario"]}
            if line["metric"] in ABOVE:
                pair = tuple(
                    Rows("means", {**where, "method": m}, "accuracy") for m in ABOVE[line["metric"]]
                )
                yield Cell(row, choice, "n_above", pair, by=("dataset",))
                continue
            keys = list(plan.printed.get(line["dataset"], ()))
            where |= {"dataset": keys[:1]} if keys else {}
            of = "levels" if line["metric"].startswith(OF_LEVELS) else "means"
            yield Cell(row, choice, "", (Rows(of, where, "accuracy"),))


#: Metrics of the text that are read off a curve begin so.
OF_LEVELS = ("missingness_", "flat_")


@table(
    "Data sets of the evaluation of EIG",
    caption="Rows, rows left out because they lack a value by themselves, variables, columns once "
    "categories are 0 and 1, and the share of the commonest class. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "sets",
        {"registry": "dataset"},
        ("n_rows", "n_dropped", "n_variables", "n_columns", "majority"),
    ),
)
def missing_sets(sets: pd.DataFrame, plan: MissingPlan) -> pd.DataFrame:
    """Sizes of the data sets.

    Returns: dataset (the paper's name), registry, status (`run`, `absent`, `not asked for`),
    n_rows, n_dropped, n_variables, n_columns, majority.
    """
    available = set(sets["dataset"])
    names = [(name, key, status(key, available, plan.datasets)) for name, key in names_of(plan)]
    frame = pd.DataFrame(names, columns=["dataset", "registry", "status"])
    facts = sets.rename(columns={"dataset": "registry"})
    return frame.merge(facts, on="registry", how="left").round({"majority": 9})


@table(
    "Mean accuracies of EIG and its baselines",
    caption="Accuracy, mean over {levels} and {runs}, by what the test set is like; the best of "
    "each line is marked. The paper prints curves and what it says of these means, not the means. "
    "{ran}",
    caption_values=caption_values,
    sources=LineSources(
        "levels",
        {
            "registry": "dataset",
            "interpretation": "interpretation",
            "scenario": "scenario",
            "method": "method",
        },
        {
            "accuracy": ColumnSource("mean"),
            "n_levels": ColumnSource("n_rows", "accuracy"),
            "n_runs": ColumnSource("lowest"),
        },
    ),
)
def missing_means(means: pd.DataFrame, plan: MissingPlan) -> pd.DataFrame:
    """What stands behind the sentences of section 5.

    Returns: dataset (the paper's name), registry, status, interpretation, scenario, method,
    accuracy, n_levels, n_runs (at each level), best (whether no method is higher).
    """
    cells = means[means["method"].isin(METHODS)]
    names = pd.DataFrame(names_of(plan), columns=["name", "dataset"])
    cells = names.merge(cells, on="dataset", how="inner")
    cells = cells.rename(columns={"dataset": "registry", "name": "dataset"})
    highest = cells.groupby(["registry", "interpretation", "scenario"])["accuracy"].transform("max")
    cells["best"] = cells["accuracy"].astype(float) >= highest.astype(float) - 1e-9
    cells["accuracy"] = cells["accuracy"].astype(float).round(9)
    order = ["dataset", "registry", "interpretation", "scenario", "method", "accuracy", "n_levels"]
    return sorted_(cells[[*order, "n_runs", "best"]], order[:5])


@table(
    "Accuracies by the share of missing values",
    caption="What figures 1 to 3 show: accuracy at each level, mean over {runs}. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "levels",
        ("interpretation", "dataset", "scenario", "missingness", "method"),
        ("accuracy", "n_runs"),
    ),
)
def missing_levels(levels: pd.DataFrame, means: pd.DataFrame, plan: MissingPlan) -> pd.DataFrame:
    """The curves in numbers.

    Returns: interpretation, dataset, scenario, missingness (per cent), method, accuracy, n_runs.
    """
    return levels.assign(accuracy=levels["accuracy"].astype(float).round(9))


@table(
    "Tests of EIG over data sets",
    caption="Accuracies, in per cent, and advantages over the best baseline, in percentage "
    f"points, are means over levels. {CAPTION_TEST_NOTE} of a part, interpretation and scenario. "
    "Of depth, which is neither better nor worse: deeper and shallower. All three scenarios: "
    "Friedman's test. {ran}",
    caption_values=caption_values,
    sources=tests_sources,
)
def missing_tests(
    tests: pd.DataFrame, means: pd.DataFrame, depths: pd.DataFrame, plan: MissingPlan
) -> pd.DataFrame:
    """Paired tests.

    Returns: part, then the columns of `COMPARED`. Of Friedman's tests, which are the last and whose
    first and second are `all`, n_datasets and p only.
    """
    pairs = COMPARED.table(rows_of(means, depths), tests)
    whole = tests[tests["first"] == ALL].rename(columns={"n": "n_datasets"}).round({"p": 9})
    lines = [*pairs.to_dict("records"), *whole.to_dict("records")]
    frame = pd.DataFrame(lines, columns=list(pairs))
    counts = dict.fromkeys(("wins", "losses", "n_datasets"), "Int64")
    return frame.astype(counts)


@table(
    "Depth of trees",
    caption="Depth and leaves of unpruned trees at 20, 50 and 80 per cent of missing values, mean "
    "over {runs}. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "depths",
        ("interpretation", "dataset", "missingness", "method"),
        ("depth", "n_leaves", "n_runs"),
    ),
)
def missing_depth(depths: pd.DataFrame, means: pd.DataFrame, plan: MissingPlan) -> pd.DataFrame:
    """Sizes of the trees (section 5.4).

    Returns: interpretation, dataset, missingness (per cent), method, depth, n_leaves, n_runs.
    """
    numbers = {name: depths[name].astype(float).round(9) for name in ("depth", "n_leaves")}
    return depths.assign(**numbers)


@table(
    "What the paper says in numbers",
    caption="Numbers of section 5 beside what they are here in each interpretation, over "
    "{sets}, {levels} and {runs}. Clearly better: p below 0.05 in a paired t test over the runs, "
    "from that level up to 90 per cent; steady: within 5 percentage points of the lowest level; "
    "flat: within 1 percentage point of the share of the commonest class from that level on. {ran}",
    caption_values=caption_values,
    sources=text_sources,
)
def missing_text(
    means: pd.DataFrame,
    levels: pd.DataFrame,
    runs: pd.DataFrame,
    sets: pd.DataFrame,
    published: Frames,
    plan: MissingPlan,
) -> pd.DataFrame:
    """Numbers of the text, measured.

    Returns: dataset, method, scenario, metric, unit, published, then a column of each
    interpretation that was run: NaN where it was not measured, or where there is no such level. Yes
    is 1, no is 0.
    """
    printed = published["eig_text_numbers"]
    printed = printed[printed["criterion"].astype(str).str.startswith("scenario_")]
    lines = []
    for row in printed.to_dict("records"):
        scenario = row["criterion"].removeprefix("scenario_")
        line = {"dataset": row["dataset"], "method": row["method"], "scenario": scenario}
        line |= {"metric": row["metric"], "unit": row["unit"]}
        yes_no = {"yes": 1.0, "no": 0.0}
        line["published"] = yes_no.get(row["value"]) if row["value"] in yes_no else None
        if line["published"] is None:
            line["published"] = published_number(row["value"])
        for choice in published_interpretations(plan.interpretations):
            seen = _TextNumbers(
                *(f[f["interpretation"] == choice] for f in (means, levels, runs)), sets, plan
            )
            line[choice] = seen.number(row["metric"], row["dataset"], row["method"], scenario)
        lines.append(line)
    frame = pd.DataFrame(lines)
    return frame.round(
        {name: 9 for name in ("published", *published_interpretations(plan.interpretations))}
    )


class _TextNumbers:
    """Numbers of the text, of one interpretation."""

    def __init__(self, means, levels, runs, sets, plan):
        values = means.assign(accuracy=POINTS * means["accuracy"].astype(float))
        self.means = values.pivot(
            index=["scenario", "dataset"], columns="method", values="accuracy"
        )
        self.levels = levels.assign(accuracy=POINTS * levels["accuracy"].astype(float))
        self.runs, self.sets, self.plan = runs, sets, plan

    def number(self, metric: str, dataset: str, method: str, scenario: str) -> float:
        """What the metric is here; NaN where it was not measured."""
        if not len(self.means) or scenario not in self.means.index.get_level_values("scenario"):
            return np.nan
        means = self.means.loc[scenario]
        if metric in ABOVE:
            first, second = ABOVE[metric]
            return float((means[first] > means[second]).sum())
        if metric == "n_datasets_clear_increase":
            return float((means[BOTH] - means[BEST] > FLAT).sum())
        keys = [key for key in self.plan.printed.get(dataset, ()) if key in means.index]
        if not keys:
            return np.nan
        line = means.loc[keys[0]]
        if metric == "best_mean_accuracy":
            return float(line[method] >= line[list(METHODS)].max() - 1e-9)
        if metric == "mean_accuracy_above_eig":
            return float(line[method] > line[list(VARIANTS)].max())
        if metric == "mean_accuracy_deficit_to_other_methods":
            return float(line[[m for m in METHODS if m != method]].mean() - line[method])
        return self._level(metric, keys[0], scenario)

    def _level(self, metric: str, dataset: str, scenario: str) -> float:
        at = (self.levels["dataset"] == dataset) & (self.levels["scenario"] == scenario)
        wide = self.levels[at].pivot(index="missingness", columns="method", values="accuracy")
        eig = wide[list(VARIANTS)].min(axis=1)
        if metric == "missingness_from_which_eig_clearly_better":
            runs = self.runs[
                (self.runs["dataset"] == dataset) & (self.runs["scenario"] == scenario)
            ].set_index("missingness")
            lead = (runs["p"].astype(float) < CLEAR) & (runs["difference"].astype(float) > 0)
            return _first_level(lead[lead.index <= 90])
        if metric == "missingness_until_which_accuracy_steady":
            lost = eig.iloc[0] - eig > STEADY
            return float(eig.index[~lost.cummax()].max())
        if metric == "missingness_from_which_below_imputation_baselines":
            return _first_level(eig < wide[[MEAN, KNN]].min(axis=1))
        majority = POINTS * float(self.sets.set_index("dataset").loc[dataset, "majority"])
        flat = (wide[[C45, *VARIANTS]] - majority).abs().max(axis=1) <= FLAT
        if metric == "missingness_from_which_accuracy_flat":
            return _first_level(flat)
        if metric == "flat_accuracy":
            return majority if flat.iloc[-1] else np.nan
        return np.nan


def _first_level(holds: pd.Series) -> float:
    """The level from which on something holds at every one, NaN without one."""
    until_the_end = holds[::-1].cummin()[::-1].astype(bool)
    return float(until_the_end.index[until_the_end].min()) if until_the_end.any() else np.nan


@table(
    "Statements of the paper in each interpretation",
    caption="Verdict on each statement where the methods are as the paper describes them, as its "
    "authors coded them, repaired where gains are 0/0, and, if they were run, as described but for "
    "the gain of C4.5 and as coded with those gains left undefined. {ran}",
    caption_values=caption_values,
    sources=LineSources("interpretations", ("claim", "interpretation"), ("verdict",)),
)
def missing_interpretations(
    interpretations: pd.DataFrame, means: pd.DataFrame, plan: MissingPlan
) -> pd.DataFrame:
    """Which interpretation carries which claim.

    Returns: claim, interpretation, verdict, measured, lacking.
    """
    order = {choice: place for place, choice in enumerate(plan.interpretations)}
    place = interpretations["interpretation"].map(order)
    frame = interpretations.assign(place=place).sort_values(["claim", "place"], kind="stable")
    return frame[["claim", "interpretation", "verdict", "measured", "lacking"]].reset_index(
        drop=True
    )
