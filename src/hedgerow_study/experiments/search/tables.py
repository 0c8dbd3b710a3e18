"""Tables of trees by Monte Carlo search (thesis, chapter 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.evaluation.significance import LEVEL
from hedgerow.showing.numbers import number
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.search.plan import (
    BOTH,
    CELL,
    FAMILIES,
    INDUCTION,
    METHODS,
    METRICS,
    POLICIES,
    PRUNING,
    SearchPlan,
)
from hedgerow_study.experiments.search.statistics import compare, wide_cells
from hedgerow_study.experiments.step import step, table
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import finished, lines_of, status

ALL = "all_datasets"
SMALL = 730  # instances; where the thesis draws the line between small and large sets (4.6.1)
LARGE = 1000  # instances; column C of table 4.7

#: Groups of columns of the tables of results, as printed.
COLUMNS = {
    "thesis_table_4_1": tuple(("uct_vs", c) for c in PRUNING),
    "thesis_table_4_3": tuple((m, BOTH) for m in POLICIES),
    "thesis_table_4_5": (("c45", ""), ("ete", ""), ("uct_vs", BOTH), ("uct_c45b", BOTH)),
}
#: Of our own: stands beside the printed groups, and takes no part in what they are counted by.
EXTRA_GROUPS = {"thesis_table_4_5": ((INDUCTION, ""),)}
#: Unit and printed decimals of each metric: what is equal as printed counts as a tie.
UNITS = {
    "f1": ("percent", 1),
    "n_leaves": ("leaves", 0),
    "f1_per_leaf": ("percent_per_leaf", 1),
    "search_depth": ("tests", 0),
}
#: Table whose printed cells each table of tests is recomputed from.
CAPTION_TESTS = {
    "thesis_table_4_2": "thesis_table_4_1",
    "thesis_table_4_4": "thesis_table_4_3",
    "thesis_table_4_6": "thesis_table_4_5",
}
CRITERIA = {
    "no_pruning": "no pruning",
    "vp": "value-based pruning",
    "dtp": "DT-based pruning",
    "vp_dtp": "both",
}


# ------------------------------------------------------------------------- data sets and cells


RESULTS = (
    "F1 is the macro F1 on the test part in per cent, L the number of leaves; below each value the "
    "printed one. Bold: no group of the row is better, at the printed decimals. Footers are "
    "counted from the cells of the data sets that were run, ties for each; below them the count of "
    "the printed cells of the same sets. Where the tree of C4.5, whose depth is the limit of "
    "UCT-DT, has one level of tests or none, there is no search: such a data set is marked † and "
    "in no footer. {without}"
)
SAME_TEST = (
    "Measured, and below it the same test on the printed cells of table {}. Arrows point to the "
    "better of a pair at p < 0.05: ← the first, ↑ the second. The analysis of variance is one-way, "
    "within data sets, on shares of each set's largest value; the thesis does not say how it "
    "normalises. p of Wilcoxon's test is exact. That of Friedman's is exact for up to 100 data "
    "sets of three groups and 20 of four, and otherwise that of chi-squared."
)


def caption_values(rows: pd.DataFrame, plan: SearchPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    available = set(rows["dataset"])
    n = sum(d in available for d in plan.printed.values())
    iterations = f"{number(plan.n_iterations)} iterations"
    if plan.n_iterations_c45b != plan.n_iterations:
        iterations += f" ({number(plan.n_iterations_c45b)} with the policy C4.5b)"
    return {
        "ran": f"Run: {n} of the {len(plan.printed)} data sets of chapter 4, {iterations}, "
        f"configuration {plan.configuration}; the paper has {len(plan.printed)} and 200,000.",
        "without": _without(rows, plan),
        "property_folds": str(plan.property_folds),
        "n_further": str(max(plan.n_repeats - 1, 0)),
    }


def _without(rows: pd.DataFrame, plan: SearchPlan) -> str:
    first = first_repeat(rows)
    lacking = set(first["dataset"][without_search(first)])
    names = [d for d in plan.printed.values() if d in lacking]
    return f"Here: {', '.join(names) or 'none'}."


def without_search(rows: pd.DataFrame) -> pd.Series:
    """Whether the limit of the depth left UCT-DT nothing to search, for each row.

    Returns: the same for all methods of a data set and repeat.
    """
    if "max_depth" not in rows:
        return pd.Series(False, index=rows.index)
    limit = rows.groupby(["dataset", "repeat"])["max_depth"].transform("max")
    return (limit <= 1).fillna(False).astype(bool)


def _sets(plan: SearchPlan, published: Frames) -> list[tuple[str, str]]:
    """Printed and registry keys, in the order of table 4.1; then sets of our own by name."""
    printed = published["thesis_table_4_1"]["dataset"]
    return lines_of(printed[printed != ALL], plan.printed, plan.datasets)


def printed_cells(published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """The cells of tables 4.1, 4.3 and 4.5 as they are printed.

    Returns: dataset (registry key), method, criterion, f1, n_leaves, f1_per_leaf, search_depth.
    What two tables print stands once; they agree.
    """
    cells = pd.concat([published[name] for name in COLUMNS], ignore_index=True)
    cells = cells[(cells["dataset"] != ALL) & cells["metric"].isin(UNITS)]
    cells = cells.assign(
        dataset=cells["dataset"].map(plan.printed),
        criterion=cells["criterion"].fillna(""),
        value=cells["value"].astype(float),
    )
    key = ["dataset", "method", "criterion"]
    cells = cells.drop_duplicates([*key, "metric"])
    wide = cells.pivot(index=key, columns="metric", values="value").reset_index()
    return wide.rename_axis(columns=None)


def first_repeat(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the published protocol, one repeat per data set."""
    return rows[rows["repeat"] == 0]


# ---------------------------------------------------------------------------- tables of results


def results_sources(table: pd.DataFrame, rows: pd.DataFrame, plan: SearchPlan) -> Iterator[Cell]:
    """Tables 4.1, 4.3 and 4.5 rest on the rows of the first repeat, footers on all of theirs."""
    lacking = set(rows["dataset"][without_search(rows) & (rows["repeat"] == 0)])
    ran = [d for d in plan.printed.values() if d in set(rows["dataset"]) - lacking]
    lines = table.to_dict("records")
    counted = [line for line in lines if str(line["metric"]).startswith("n_wins_")]
    groups = {
        column: sorted({line[column] for line in counted}) for column in ("method", "criterion")
    }
    for row, line in enumerate(lines):
        where = {"repeat": 0, "method": line["method"], "criterion": line["criterion"]}
        if line["dataset"] != ALL:
            if line["status"] == "run":
                where["dataset"] = line["registry"]
                yield Cell(row, "measured", "value", (Rows("rows", where, line["metric"]),))
            continue
        count, metric = next(
            (line["metric"].removesuffix(f"_{m}"), m)
            for m in sorted(METRICS, key=len, reverse=True)
            if line["metric"].endswith(f"_{m}")
        )
        where["dataset"] = ran
        if count == "n_wins":
            others, formula = groups, "n_highest" if METRICS[metric] else "n_lowest"
        else:
            others = {"method": count.removeprefix("n_better_than_"), "criterion": ""}
            formula = "n_above" if METRICS[metric] else "n_below"
        beaten = Rows("rows", {"repeat": 0, "dataset": ran, **others}, metric)
        pair = (Rows("rows", where, metric), beaten)
        yield Cell(row, "measured", formula, pair, by=("dataset",), decimals=UNITS[metric][1])


@table(
    "search pruning",
    caption=f"D is the number of tests of the deepest state reached. {RESULTS} {{ran}}",
    caption_values=caption_values,
    sources=results_sources,
)
def thesis_table_4_1(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.1: search pruning under the policy VS.

    Returns: one row per data set, group of columns and metric, in printed order: dataset (printed
    key; the registry's for sets that the thesis does not have), registry, status (`run`, `absent`,
    `not asked for`), method, criterion, metric, unit, measured, best (whether no other group has a
    better value as printed), published, published_best. Then the footers, dataset `all_datasets`:
    metrics n_wins_<metric>, and n_better_than_c45_<metric> in table 4.5; measured is counted over
    the n_datasets sets of chapter 4 that were run and searched, published is the printed number,
    counted what the printed cells of all sets give, and counted_same_sets what those of the
    n_datasets sets give. no_search: whether the limit of the depth left nothing to search.
    """
    return _results("thesis_table_4_1", rows, published, plan)


@table(
    "simulation policies",
    caption=f"{RESULTS} {{ran}}",
    caption_values=caption_values,
    sources=results_sources,
)
def thesis_table_4_3(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.3: simulation policies, with both search prunings. As `thesis_table_4_1`.

    Its running times depend on the machine: see `search_running_times`.
    """
    return _results("thesis_table_4_3", rows, published, plan)


@table(
    "C4.5, ETE and UCT-DT",
    caption="C4.5 on the induction set is ours and in no count of wins: tuned and grown on the "
    "rows from which UCT-DT takes its tests, it tells the search from the rows that validation "
    "costs. "
    f"{RESULTS} {{ran}}",
    caption_values=caption_values,
    sources=results_sources,
)
def thesis_table_4_5(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.5: C4.5, ETE, and UCT-DT with two policies. As `thesis_table_4_1`.

    Beside them, where it was run, C4.5 on the induction set, with footers
    n_better_than_c45_induction_<metric> for UCT-DT.
    """
    return _results("thesis_table_4_5", rows, published, plan)


_KEY = ["dataset", "registry", "status", "no_search", "method", "criterion", "metric", "unit"]
_COUNTS = ["counted", "counted_same_sets", "n_datasets"]


def _results(identifier, rows, published, plan) -> pd.DataFrame:
    groups = COLUMNS[identifier]
    metrics = [m for m in UNITS if m in METRICS or identifier == "thesis_table_4_1"]
    first = first_repeat(rows)
    lacking = set(first["dataset"][without_search(first)])
    extra = [g for g in EXTRA_GROUPS.get(identifier, ()) if (first["method"] == g[0]).any()]
    measured = _by_group(first, (*groups, *extra), metrics)
    printed = _by_group(printed_cells(published, plan), (*groups, *extra), metrics)
    notes = _notes(published[identifier])
    available = set(rows["dataset"])
    lines = []
    for key, dataset in _sets(plan, published):
        head = (key, dataset, status(dataset, available, plan.datasets), dataset in lacking)
        for group, metric in itertools.product((*groups, *extra), metrics):
            place = (metric, group, groups if group in groups else (), dataset)
            line = dict(zip(_KEY, (*head, *group, metric, UNITS[metric][0]), strict=True))
            for name, values in (("measured", measured), ("published", printed)):
                line[name] = values[metric, group].get(dataset)
                line[_BEST[name]] = _is_best(values, *place)
            lines.append({**line, "note": notes.get((key, *group, metric), "")})
    ran = [d for d in plan.printed.values() if d in available - lacking]
    lines += _footers(identifier, (measured, printed), [*extra], published, ran, plan)
    columns = [*_KEY, "measured", "best", "published", "published_best", *_COUNTS, "note"]
    table = finished(lines, columns, ["measured"], _COUNTS, digits=6)
    return table.astype({"published": float, "no_search": "boolean"})


_BEST = {"measured": "best", "published": "published_best"}


def _footers(identifier, values, extra, published, ran, plan) -> Iterator[dict[str, Any]]:
    """Counts over the data sets that were run, and over the printed cells of all and of these."""
    measured, printed = values
    groups, notes = COLUMNS[identifier], _notes(published[identifier])
    footer = published[identifier]
    footer = footer[footer["dataset"] == ALL].fillna({"criterion": ""})
    footer = footer.set_index(["method", "criterion", "metric"])["value"].astype(float)
    counts = {"n_wins": groups}
    if identifier == "thesis_table_4_5":
        counts["n_better_than_c45"] = groups[1:]
    for method, _ in extra:
        counts[f"n_better_than_{method}"] = [g for g in groups if g[0] in POLICIES]
    for count, counted in counts.items():
        ours = count.removeprefix("n_better_than_") == INDUCTION  # nothing of it is printed
        for group, metric in itertools.product(counted, METRICS):
            name, of = f"{count}_{metric}", (count, metric, group, groups)
            again = [] if ours else [plan.printed.values(), ran]
            yield {
                **{"dataset": ALL, "method": group[0], "criterion": group[1]},
                **{"metric": name, "unit": "datasets", "measured": _count(measured, *of, ran)},
                "published": footer.get((*group, name)),
                **dict(zip(_COUNTS, (_count(printed, *of, sets) for sets in again), strict=False)),
                **{"n_datasets": len(ran), "note": notes.get((ALL, *group, name), "")},
            }


def _by_group(cells: pd.DataFrame, groups, metrics) -> dict[tuple, pd.Series]:
    """(metric, group) -> values by data set, without those that are missing."""
    by_group = {}
    for method, criterion in groups:
        selected = cells[(cells["method"] == method) & (cells["criterion"] == criterion)]
        selected = selected.set_index("dataset")
        for metric in metrics:
            by_group[metric, (method, criterion)] = selected[metric].dropna().astype(float)
    return by_group


def _notes(table: pd.DataFrame) -> dict[tuple, str]:
    """Notes of doubtful printed cells and footers."""
    noted = table[table["note"].notna() & (table["note"] != "footer row")]
    noted = noted.assign(criterion=noted["criterion"].fillna(""))
    key = ["dataset", "method", "criterion", "metric"]
    return {tuple(row[c] for c in key): row["note"] for _, row in noted.iterrows()}


def _as_printed(values: Mapping, metric: str, group, dataset) -> float:
    """Value with the printed decimals, larger is better; NaN where there is none."""
    value = values[metric, group].get(dataset, np.nan)
    return round(float(value), UNITS[metric][1]) * (1 if METRICS.get(metric, True) else -1)


def _is_best(values, metric, group, groups, dataset) -> bool | None:
    """Whether no other group is better; None for search depth, where best has no meaning, and for
    what stands beside the groups."""
    value = _as_printed(values, metric, group, dataset)
    if metric not in METRICS or np.isnan(value) or group not in groups:
        return None
    others = [_as_printed(values, metric, g, dataset) for g in groups]
    return bool(value >= np.nanmax(others))


def _count(values, count, metric, group, groups, datasets) -> int:
    if count == "n_wins":
        return sum(bool(_is_best(values, metric, group, groups, d)) for d in datasets)
    other = (count.removeprefix("n_better_than_"), "")
    return sum(
        _as_printed(values, metric, group, d) > _as_printed(values, metric, other, d)
        for d in datasets
    )


# ------------------------------------------------------------------------------ tables of tests


def tests_sources(
    table: pd.DataFrame, rows: pd.DataFrame, identifier: str, plan: SearchPlan
) -> Iterator[Cell]:
    """Plain tests rest on the values that they compare, corrected ones on their family."""
    first = rows[rows["dataset"].isin(set(plan.printed.values())) & (rows["repeat"] == 0)]
    groups = FAMILIES[identifier]
    again = {
        "friedman": ("friedman", "friedman_p"),
        "wilcoxon_signed_rank": (None, "wilcoxon_exact_p"),
    }
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["n_datasets"]):
            continue
        sets = wide_cells(first, line["metric"], groups).index.tolist()
        values = tuple(
            Rows(
                "rows", {"repeat": 0, "dataset": sets, "method": m, "criterion": c}, line["metric"]
            )
            for m, c in (groups[name] for name in line["groups"].split("|"))
        )
        test = {"table": identifier, "metric": line["metric"], "name": line["test"]}
        test |= {"groups": line["groups"], "correction": line["correction"]}
        formulas = again.get(line["test"], (None, None))
        formulas = formulas if line["correction"] == "none" else (None, None)
        for column, formula in zip(("statistic", "p"), formulas, strict=True):
            if formula is None:
                yield Cell(row, column, "value", (Rows("statistics", test, column),))
            else:
                yield Cell(row, column, formula, values, by=("dataset",))
        yield Cell(row, "n_datasets", "n_rows", values[:1])


@table(
    "tests of search pruning",
    caption=SAME_TEST.format("4.1") + " {ran}",
    caption_values=caption_values,
    sources=tests_sources,
)
def thesis_table_4_2(statistics: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.2: tests of search pruning, from our rows and from the cells of table 4.1.

    Returns: metric, test, groups (`a|b`), correction, degrees_of_freedom and critical_value of
    Friedman's tests (alpha 0.05), then statistic, p, better and n_datasets as measured, the same
    with the prefix `recomputed_` from the printed cells, printed (p, chi-squared or winner as the
    thesis prints it; empty where it prints nothing), arrow, printed_arrow and note. Arrows point as
    in the thesis: `←` to the first of a pair, `↑` to the second.
    """
    return _tests_table("thesis_table_4_2", statistics, published, plan)


@table(
    "tests of the policies",
    caption=SAME_TEST.format("4.3") + " {ran}",
    caption_values=caption_values,
    sources=tests_sources,
)
def thesis_table_4_4(statistics: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.4: tests of the simulation policies. As `thesis_table_4_2`, from table 4.3."""
    return _tests_table("thesis_table_4_4", statistics, published, plan)


@table(
    "tests of the methods",
    caption=SAME_TEST.format("4.5")
    + " {ran} The thesis compares with 5.99, the critical value of 2 degrees of freedom; four "
    "methods have 3, and 7.81.",
    caption_values=caption_values,
    sources=tests_sources,
)
def thesis_table_4_6(statistics: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Table 4.6: tests of C4.5, ETE and UCT-DT. As `thesis_table_4_2`, from table 4.5.

    The thesis prints the critical value of 2 degrees of freedom; four methods have 3.
    """
    return _tests_table("thesis_table_4_6", statistics, published, plan)


def _tests_table(identifier, statistics, published, plan) -> pd.DataFrame:
    from scipy import stats

    measured = statistics[statistics["table"] == identifier]
    again = compare(printed_cells(published, plan), [identifier])
    key = ["metric", "name", "groups", "correction"]
    values = ["statistic", "p", "better", "n", "note"]
    table = again[[*key, *values]].merge(
        measured[[*key, *values]], on=key, how="left", suffixes=("_again", "")
    )
    printed = published[identifier].set_index(["metric", "criterion"])
    k = len(FAMILIES[identifier])
    critical = round(float(stats.chi2.isf(LEVEL, k - 1)), 2)
    names = {"anova_within": "anova_p", "friedman": "friedman_chi2"}
    lines = []
    for row in table.itertuples(index=False):
        is_pair = row.name == "wilcoxon_signed_rank" and row.correction == "none"
        place = (f"{row.metric}_{names.get(row.name)}", "group_comparison")
        place = (f"{row.metric}_wilcoxon_better", row.groups) if is_pair else place
        cell = printed.loc[place] if place in printed.index else None
        cell = cell.iloc[0] if isinstance(cell, pd.DataFrame) else cell
        notes = ["" if cell is None else cell["note"], row.note]
        better = (row.better, row.better_again, cell["value"]) if is_pair else ()
        arrows = [_arrow(row.groups, group) for group in better] or ["", "", ""]
        of_ranks = (k - 1, critical) if row.name.startswith("friedman") else (None, None)
        lines.append(
            (
                *(row.metric, row.name, row.groups, row.correction, *of_ranks),
                *(row.statistic, row.p, row.better, row.n),
                *(row.statistic_again, row.p_again, row.better_again, row.n_again),
                *("" if cell is None else str(cell["value"]), *arrows),
                "; ".join(note for note in notes if pd.notna(note) and note),
            )
        )
    columns = ["metric", "test", "groups", "correction", "degrees_of_freedom", "critical_value"]
    tested = ["statistic", "p", "better", "n_datasets"]
    columns += [*tested, *(f"recomputed_{name}" for name in tested)]
    columns += ["printed", "arrow", "recomputed_arrow", "printed_arrow", "note"]
    numbers = ["statistic", "p", "recomputed_statistic", "recomputed_p"]
    counts = ["degrees_of_freedom", "n_datasets", "recomputed_n_datasets"]
    table = finished(pd.DataFrame(lines, columns=columns), columns, numbers, counts, digits=6)
    table[numbers] += 0.0
    return table


def _arrow(groups: str, better: str | float) -> str:
    """Arrow of a cell, whose row is the first group and whose column the second."""
    first, second = groups.split("|")
    return {first: "←", second: "↑"}.get(better, "")


# ------------------------------------------------------------------ properties of the data sets


def properties_sources(
    table: pd.DataFrame, rows: pd.DataFrame, properties: pd.DataFrame
) -> Iterator[Cell]:
    """Table 4.7 rests on the properties of each data set and on its rows of the first repeat."""
    read = {"n_instances": "n_instances", "n_is_above_q2": "n_above_half_of_largest"}
    read |= {"n_above_median": "n_above_median", "nb_f1": "f1_nb", "mean_f1": "f1_mean"}
    shares = {
        "share_is_above_q2": "n_above_half_of_largest",
        "share_above_median": "n_above_median",
    }
    places = {"nb_f1": 1, "mean_f1": 1}
    best = best_validated(first_repeat(rows)[lambda r: r["method"].isin(list(POLICIES))])
    best = best.set_index("dataset") if len(best) else best
    for row, line in enumerate(table.to_dict("records")):
        metric, where = line["metric"], {"dataset": line["registry"]}
        if line["measured"] == "":
            continue

        def of(name: str, where=where) -> Rows:
            return Rows("properties", {**where, "metric": name})

        if metric in read:
            decimals = places.get(metric, 0)
            yield Cell(row, "measured", "value", (of(read[metric]),), decimals=decimals)
        elif metric in shares:
            yield Cell(row, "measured", "ratio", (of(shares[metric]), of("n_variables")))
        elif metric == "instances_above_1000":
            yield Cell(row, "measured", "is_above_1000", (of("n_instances"),))
        elif metric == "nb_f1_above_avg":
            yield Cell(row, "measured", "is_above", (of("f1_nb"), of("f1_mean")))
        else:
            value = "f1_per_leaf" if "f1_per_leaf" in metric else "f1"
            uct = {"method": list(POLICIES)}
            if metric.startswith("validated_"):
                chosen = best.loc[line["registry"]]
                uct = {"method": chosen["method"], "criterion": chosen["criterion"]}
            first = Rows("rows", {**where, "repeat": 0, **uct}, value)
            c45 = Rows("rows", {**where, "repeat": 0, "method": "c45"}, value)
            yield Cell(row, "measured", "is_above", (first, c45))


@table(
    "data sets and their properties",
    caption="NB: whether naive Bayes has a better macro F1 than the mean of six more expressive "
    "classifiers, {property_folds}-fold cross validation. Strong variables have more than half of "
    "the largest importance in a random forest; the count above the median, which the text asks "
    "for, is half of all variables and stands in the CSV file. Below each value the printed one. "
    "{ran}",
    caption_values=caption_values,
    sources=properties_sources,
)
def thesis_table_4_7(
    rows: pd.DataFrame, properties: pd.DataFrame, published: Frames, plan: SearchPlan
) -> pd.DataFrame:
    """Table 4.7: data sets, their properties, and whether UCT-DT outperformed C4.5.

    Returns: dataset (printed key), registry, status, metric, measured, published, note; in the
    order of the printed table. Metrics as published: n_instances, instances_above_1000,
    nb_f1_above_avg, uct_f1_above_c45 and uct_f1_per_leaf_above_c45 (yes or no), n_is_above_q2 and
    share_is_above_q2, which the measured column counts above half of the largest importance; of our
    own: n_above_median and share_above_median, the count of the text taken literally, nb_f1 and
    mean_f1 (per cent), and validated_f1_above_c45 and validated_f1_per_leaf_above_c45 (whether the
    variant with the best validation F1 is).
    """
    printed = published["thesis_table_4_7"]
    cells = printed.set_index(["dataset", "metric"])
    wide = properties.pivot(index="dataset", columns="metric", values="value")
    above = uct_against_c45(first_repeat(rows))
    available = set(rows["dataset"])
    lines = []
    shown = set(printed["dataset"])
    unprinted = [key for key, _ in _sets(plan, published) if key not in shown]
    for key in [*printed["dataset"].unique(), *unprinted]:
        dataset = plan.printed.get(key, key)
        measured = _measured_properties(wide, above, dataset)
        head = (key, dataset, status(dataset, available, plan.datasets))
        for metric in PROPERTIES:
            cell = cells.loc[(key, metric)] if (key, metric) in cells.index else {"value": ""}
            note = cell.get("note")
            note = "" if pd.isna(note) else note
            lines.append((*head, metric, measured.get(metric, ""), str(cell["value"]), note))
    columns = ["dataset", "registry", "status", "metric", "measured", "published", "note"]
    return pd.DataFrame(lines, columns=columns)


#: Metrics of table 4.7 in the order of its columns, then ours.
PROPERTIES = (
    "n_instances",
    "instances_above_1000",
    "nb_f1_above_avg",
    "uct_f1_above_c45",
    "n_is_above_q2",
    "share_is_above_q2",
    "uct_f1_per_leaf_above_c45",
    "n_above_median",
    "share_above_median",
    "nb_f1",
    "mean_f1",
    "validated_f1_above_c45",
    "validated_f1_per_leaf_above_c45",
)


def uct_against_c45(rows: pd.DataFrame) -> pd.DataFrame:
    """Whether any variant of UCT-DT is above C4.5, by data set.

    Returns: f1 and f1_per_leaf: whether the best of all variants is above C4.5; validated_f1 and
    validated_f1_per_leaf: whether the one of `best_validated` is, None where it is not known.
    """
    by_set = {}
    for dataset, rows_of_set in rows.groupby("dataset"):
        c45 = rows_of_set[rows_of_set["method"] == "c45"]
        uct = rows_of_set[rows_of_set["method"].isin(list(POLICIES))]
        if c45.empty or uct.empty:
            continue
        c45 = c45.iloc[0]
        line = {m: bool(uct[m].max() > c45[m]) for m in ("f1", "f1_per_leaf")}
        line |= {"validated_f1": None, "validated_f1_per_leaf": None}
        for _, chosen in best_validated(uct).iterrows():  # one or none
            for metric in ("f1", "f1_per_leaf"):
                line[f"validated_{metric}"] = bool(chosen[metric] > c45[metric])
        by_set[dataset] = line
    columns = ["f1", "f1_per_leaf", "validated_f1", "validated_f1_per_leaf"]
    return pd.DataFrame.from_dict(by_set, orient="index", columns=columns)


def best_validated(uct: pd.DataFrame) -> pd.DataFrame:
    """The variant of UCT-DT with the best validation F1 of each data set.

    Ties: fewer leaves, then the order of the tables.

    Returns: one row per data set; none where the validation F1 of a variant is not known.
    """
    if "validation_f1" not in uct or not len(uct):
        return uct.iloc[:0]
    is_complete = uct.groupby("dataset")["validation_f1"].transform(lambda v: v.notna().all())
    place = {g: i for i, g in enumerate((m, c) for m in POLICIES for c in PRUNING)}
    groups = zip(uct["method"], uct["criterion"], strict=True)
    ranked = uct.assign(place=[place[g] for g in groups])[is_complete.astype(bool)]
    ranked = ranked.sort_values(
        ["validation_f1", "n_leaves", "place"], ascending=[False, True, True]
    )
    return ranked.drop_duplicates("dataset").drop(columns="place")


def naive_bayes_is_better(properties: pd.DataFrame | pd.Series):
    """Whether naive Bayes has a better F1 than the mean of the more expressive classifiers."""
    return properties["f1_nb"] > properties["f1_mean"]


def _measured_properties(wide: pd.DataFrame, above: pd.DataFrame, dataset: str) -> dict[str, str]:
    """Cells of one data set, as text."""
    texts = {}
    if dataset in wide.index:
        facts = wide.loc[dataset]
        n_variables = facts["n_variables"]
        texts = {
            "n_instances": f"{facts['n_instances']:.0f}",
            "instances_above_1000": _yes(facts["n_instances"] > LARGE),
            "nb_f1_above_avg": _yes(naive_bayes_is_better(facts)),
            "n_is_above_q2": f"{facts['n_above_half_of_largest']:.0f}",
            "share_is_above_q2": f"{facts['n_above_half_of_largest'] / n_variables:.2f}",
            "n_above_median": f"{facts['n_above_median']:.0f}",
            "share_above_median": f"{facts['n_above_median'] / n_variables:.2f}",
            "nb_f1": f"{facts['f1_nb']:.1f}",
            "mean_f1": f"{facts['f1_mean']:.1f}",
        }
    if dataset in above.index:
        for name, value in above.loc[dataset].items():
            prefix = "" if name.startswith("validated") else "uct_"
            texts[f"{prefix}{name}_above_c45"] = "" if value is None else _yes(value)
    return texts


def _yes(value) -> str:
    return "yes" if value else "no"


# -------------------------------------------------------------------------------- over repeats


def repeats_sources(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Rows of the repeats above 0, and of the first."""
    repeats = sorted(set(rows["repeat"]) - {0})
    formulas = {name: name for name in ("mean", "sd", "lowest", "highest")}
    for row, line in enumerate(table.to_dict("records")):
        if pd.isna(line["n_repeats"]):
            continue
        where = {"dataset": line["registry"]}
        where |= {name: line[name] for name in ("method", "criterion")}
        further = Rows("rows", {**where, "repeat": repeats}, line["metric"])
        for column, formula in {**formulas, "n_repeats": "n_rows"}.items():
            yield Cell(row, column, formula, (further,))
        first = Rows("rows", {**where, "repeat": 0}, line["metric"])
        yield Cell(row, "first_repeat", "value", (first,))


@table(
    "Means and spread over repeats",
    caption="Mean and standard deviation over {n_further} further repeats, and the "
    "value of the first repeat, with both search prunings. Better: share of these repeats on which "
    "the method beats C4.5, ties half; for UCT-DT of those where the limit of its depth, that of "
    "the tree of C4.5, left something to search. {ran}",
    caption_values=caption_values,
    sources=repeats_sources,
)
def search_splits(rows: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Means and spread over further repeats, beside the one repeat of the published protocol.

    Returns: dataset (printed key), registry, status, method, criterion, metric (f1, n_leaves,
    f1_per_leaf), unit, mean, sd (n - 1 in the denominator; missing with one repeat), lowest,
    highest, n_repeats, n_no_search (of these; see `without_search`), first_repeat (repeat 0),
    published, better_than_c45 (share of these repeats on which the method beats C4.5, half for
    ties; for UCT-DT of those with a search). Sets that were not run have one row with their status.
    """
    available = set(rows["dataset"])
    first = _wide(first_repeat(rows))
    further = rows[rows["repeat"] > 0].sort_values(CELL)
    further = further.assign(no_search=without_search(further))
    printed = _wide(printed_cells(published, plan))
    lines = []
    for key, dataset in _sets(plan, published):
        head = {"dataset": key, "registry": dataset}
        head["status"] = status(dataset, available, plan.datasets)
        rows_of_set = further[further["dataset"] == dataset]
        if rows_of_set.empty:
            lines.append(head)
            continue
        c45 = rows_of_set[rows_of_set["method"] == "c45"].set_index("repeat")
        for method in (m for m in METHODS if m in set(rows_of_set["method"])):
            criterion = BOTH if method in POLICIES else ""
            values = rows_of_set[rows_of_set["method"] == method].set_index("repeat")
            counted = ~values["no_search"] | (method not in POLICIES)
            for metric, more in METRICS.items():
                series = values[metric].astype(float)
                gain = (series - c45[metric].astype(float)) * (1 if more else -1)
                better = ((gain > 0) + 0.5 * (gain == 0))[counted].mean()
                group = (dataset, method, criterion)
                line = {**head, "method": method, "criterion": criterion, "metric": metric}
                line |= {"unit": UNITS[metric][0], "mean": series.mean(), "sd": series.std()}
                line |= {"lowest": series.min(), "highest": series.max()}
                line |= {"n_repeats": len(series), "n_no_search": int(values["no_search"].sum())}
                line |= {"first_repeat": first[metric].get(group)}
                line |= {"published": printed[metric].get(group)}
                line |= {"better_than_c45": None if method == "c45" else better}
                lines.append(line)
    columns = ["dataset", "registry", "status", "method", "criterion", "metric", "unit"]
    numbers = ["mean", "sd", "lowest", "highest", "first_repeat", "published", "better_than_c45"]
    counts = ["n_repeats", "n_no_search"]
    return finished(lines, [*columns, *numbers, *counts], numbers, counts, digits=6)


def _wide(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.set_index(["dataset", "method", "criterion"])


@step("datasets")
def search_running_times(times: pd.DataFrame, published: Frames, plan: SearchPlan) -> pd.DataFrame:
    """Seconds of every method on the first repeat, beside the times of table 4.3.

    Returns: dataset (printed key), registry, method, criterion, seconds, tuning_seconds, published
    (s, of the policy VS, on another machine: the head of the column says hh:mm). Times depend on
    the machine; they are in a file of their own and nothing else reads them.
    """
    printed = published["thesis_table_4_3"]
    printed = printed[printed["metric"] == "runtime"].set_index("dataset")["value"]
    lines = []
    first = times[times["repeat"] == 0]
    first = first.assign(criterion=first["criterion"].fillna(""))  # as a CSV file gives it back
    first = first.set_index(["dataset", "method", "criterion"])
    groups = [(m, c) for m in METHODS for c in (PRUNING if m in POLICIES else ("",))]
    for key, dataset in _sets(plan, published):
        for method, criterion in groups:
            if (dataset, method, criterion) not in first.index:
                continue
            entry = first.loc[(dataset, method, criterion)]
            line = {"dataset": key, "registry": dataset, "method": method, "criterion": criterion}
            line |= {c: round(float(entry[c]), 3) for c in ("seconds", "tuning_seconds")}
            if (method, criterion) == ("uct_vs", BOTH) and key in printed.index:
                hours, minutes = str(printed[key]).split(":")
                line["published"] = 3600.0 * int(hours) + 60.0 * int(minutes)
            lines.append(line)
    columns = ["dataset", "registry", "method", "criterion", "seconds", "tuning_seconds"]
    return pd.DataFrame(lines).reindex(columns=[*columns, "published"])


def instances(published: Frames, plan: SearchPlan) -> pd.Series:
    """Printed numbers of instances of table 4.7, by registry key."""
    table = published["thesis_table_4_7"]
    table = table[table["metric"] == "n_instances"]
    return pd.Series(
        table["value"].astype(float).to_numpy(), index=table["dataset"].map(plan.printed)
    )
