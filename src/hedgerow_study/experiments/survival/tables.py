"""Tables of trees as risk groups (thesis, chapter 6).

What comes from the simulator has SYNTHETIC in its name and caption; public cohorts have tables of
their own, so that neither can be taken for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.showing.numbers import count
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import table
from hedgerow_study.experiments.survival.plan import (
    CLASSES,
    LEARNT,
    METHODS,
    PARTS,
    PRINTED,
    SIMULATED,
    SurvivalPlan,
)
from hedgerow_study.experiments.survival.statistics import selected
from hedgerow_study.reporting.cells import NO_FORMULA, Cell, Rows
from hedgerow_study.reporting.tables import how_many, in_rows, ran, status

SYNTHETIC = (
    "SYNTHETIC: made-up patients in the place of the private registry; published values stand "
    "beside for their form, their size is not to be compared."
)
#: Columns of the simulator's data in the order of table 6.1, by what data/published calls them.
VARIABLES = {
    "new_york_heart_association_nyha_class": "nyha_class",
    "history_of_arrhythmia_atrial_fibrillation": "atrial_fibrillation",
    "charlson_comorbidity_index": "charlson_index",
    "lv_end_diastolic_diameter": "end_diastolic_diameter",
    "lv_end_systolic_diameter": "end_systolic_diameter",
    "posterior_wall_thickness_pwt_in_diastole": "posterior_wall",
    "interventricular_septum_wall_thickness_in_diastole": "septum",
    "lv_outflow_tract_diameter": "outflow_tract",
    "indexed_aortic_valve_area_avai": "ava_indexed",
    "stroke_volume_sv": "stroke_volume",
    "delta_pm": "mean_gradient",
    "lv_end_diastolic_volume": "end_diastolic_volume",
    "lv_end_systolic_volume": "end_systolic_volume",
    "lvef_simpson": "ejection_fraction",
    "left_atrial_volume_biplane": "left_atrial_volume",
}
METRICS = ["accuracy"] + [f"{c}_{m}" for c in CLASSES for m in ("recall", "precision", "f_score")]


def caption_values(patients: pd.DataFrame, plan: SurvivalPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    public = [d for d in plan.datasets if d != SIMULATED]
    available = set(patients["dataset"]) - {SIMULATED}
    each = how_many(plan.n_repeats, "repeat")
    return {
        "ran": ran(available, public, each, plan.configuration),
        "simulated": f"Run: {SIMULATED}, {each}, configuration {plan.configuration}. {SYNTHETIC}",
        "permutations": how_many(plan.n_permutations, "permutation"),
        "bootstrap": count(plan.n_bootstrap),
    }


def simulated(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the simulator."""
    return frame[frame["dataset"] == SIMULATED].reset_index(drop=True)


def public(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of cohorts of patients."""
    return frame[frame["dataset"] != SIMULATED].reset_index(drop=True)


# ----------------------------------------------------------------------------------- table 6.1


def variables_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 6.1 rests on the simulated patients."""
    for row, line in enumerate(table.to_dict("records")):
        if line["status"] != "run":
            continue
        values = (Rows("tidy", {"dataset": SIMULATED}, line["column"]),)
        yield Cell(row, "n", "n", values)
        yield Cell(row, "percent_missing", "percent_missing", values)
        if pd.notna(line["percent"]):
            yield Cell(row, "percent", "mean", values, 100.0)
        else:
            for column in ("median", "q1", "q3"):
                yield Cell(row, column, column, values)


def performance_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 6.2 and its kin rest on the test parts of all repeats."""
    for row, line in enumerate(table.to_dict("records")):
        where = {"dataset": line["dataset"], "method": line["method"], "metric": line["metric"]}
        ends = Rows("intervals", where)
        every = Rows("performance", {**where, "part": "test"})
        first = Rows("performance", {**where, "part": "test", "repeat": 0})
        yield Cell(row, "measured", "value", (first,), 100.0)
        yield Cell(row, "n", "value", (Rows("performance", first.where, "n"),))
        for column in ENDS:
            if pd.notna(line[column]):
                yield Cell(row, column, "value", (Rows(ends.of, where, column),), 100.0)
        for column in ("mean", "lowest", "highest"):
            yield Cell(row, column, column, (every,), 100.0)
        yield Cell(row, "n_repeats", "n", (every,))


def leaves_sources(table: pd.DataFrame, leaves: pd.DataFrame) -> Iterator[Cell]:
    """Table 6.3 and its kin rest on one row of each leaf."""
    return _groups_sources("leaves", ["dataset", "groups", "number"], table, leaves)


def treatment_sources(table: pd.DataFrame, treatment: pd.DataFrame) -> Iterator[Cell]:
    """Table 6.4 and its kin rest on one row of each leaf, by where time is counted from."""
    key = ["dataset", "groups", "counted_from", "number"]
    return _groups_sources("treatment", key, table, treatment)


def _groups_sources(
    of: str, key: list[str], table: pd.DataFrame, rows: pd.DataFrame
) -> Iterator[Cell]:
    halves = {
        column: [name for name in (high, high.replace("high", "low"))]
        for column, high in (
            ("last_half_width", "last_survival_high"),
            ("hazard_ratio_half_width", "hazard_ratio_high"),
            ("hazard_ratio_half_width_adjusted", "hazard_ratio_high_adjusted"),
        )
    }
    numbers = [c for c in table.columns if c not in key and not c.endswith("_published")]
    for row, line in enumerate(table.to_dict("records")):
        where = {column: line[column] for column in key}
        for column in numbers:
            if pd.isna(line[column]):
                continue
            if column in rows.columns:
                yield Cell(row, column, "value", (Rows(of, where, column),))
            elif column in halves:
                ends = tuple(Rows(of, where, end) for end in halves[column])
                yield Cell(row, column, "half_of_difference", ends)


@table(
    "variables of the registry",
    caption="Variables of table 6.1, with their description as printed, and the synthetic patients "
    "in the place of the private registry: median and quartiles, or per cent with the "
    "characteristic, and per cent of patients in whom it is missing. {simulated}",
    caption_values=caption_values,
    sources=variables_sources,
)
def thesis_table_6_1_SYNTHETIC(
    tidy: Sequence[TidyTable], published: Frames, plan: SurvivalPlan
) -> pd.DataFrame:
    """Table 6.1: variables of the registry, as printed, and of the simulated patients.

    Returns: variable (printed key), name (as printed), type, description, column (of the
    simulator), status, n, median, q1, q3, percent (of those with a 1), percent_missing.
    """
    printed = published["thesis_table_6_1"]
    text = printed.pivot(index="criterion", columns="metric", values="value")
    named = printed[printed["metric"] == "type"].set_index("criterion")["note"]
    table = next((t for t in tidy if t.name == SIMULATED), None)
    state = status(SIMULATED, [t.name for t in tidy], plan.datasets)
    rows = []
    for key in dict.fromkeys(printed["criterion"]):
        column, words = VARIABLES.get(key, key), text.loc[key]
        name = str(named[key]).removeprefix("name printed: ")
        row = {"variable": key, "name": name, "type": words["type"]}
        row |= {"description": words["description"], "column": column, "status": state}
        if table is not None:
            values = table.X[column].to_numpy(dtype=float)
            present = values[~np.isnan(values)]
            row |= {"n": len(present), "percent_missing": 100.0 * (1 - len(present) / len(values))}
            if set(present) <= {0.0, 1.0}:
                row["percent"] = 100.0 * present.mean()
            else:
                quartiles = np.percentile(present, [25, 50, 75])
                row |= dict(zip(("q1", "median", "q3"), quartiles, strict=True))
        rows.append(row)
    columns = ["variable", "name", "type", "description", "column", "status", "n", "median"]
    columns += ["q1", "q3", "percent", "percent_missing"]
    return pd.DataFrame(rows).reindex(columns=columns).round(9)


# ----------------------------------------------------------------------------------- table 6.2


def _performance(
    performance: pd.DataFrame, intervals: pd.DataFrame, patients: pd.DataFrame
) -> pd.DataFrame:
    """Per cohort, tree and metric: the test part of repeat 0 with intervals, and all repeats."""
    test = performance[performance["part"] == "test"]
    by_key = intervals.set_index(["dataset", "method", "metric"])
    counts = patients[~patients["training"] & (patients["y"] >= 0)].groupby("dataset").size()
    rows = []
    key = ["dataset", "method", "metric"]
    for place, group in test.groupby(key, sort=True):
        first, values = group[group["repeat"] == 0], 100.0 * group["value"]
        row = dict(zip(key, place, strict=True)) | {"n_test": int(counts.get(place[0], 0))}
        row |= {"n": int(first["n"].iloc[0]) if len(first) else 0}
        row |= {"measured": 100.0 * first["value"].iloc[0] if len(first) else np.nan}
        if place in by_key.index:
            row |= {name: 100.0 * by_key.loc[place, name] for name in ENDS}
        row |= {"mean": values.mean(), "lowest": values.min(), "highest": values.max()}
        rows.append({**row, "n_repeats": values.notna().sum()})
    columns = [*key, "n_test", "n", "measured", *ENDS, "mean", "lowest", "highest", "n_repeats"]
    frame = pd.DataFrame(rows).reindex(columns=columns)
    order = {"dataset": None, "method": METHODS, "metric": (*METRICS, "majority")}
    return in_rows(frame, order).round(9)


ENDS = [f"{kind}_{end}" for kind in ("wald", "wilson", "bootstrap") for end in ("low", "high")]
PERFORMANCE = (
    "Test part of the first repeat, patients whose class is known, per cent with 95 % CI "
    "by Wald (as published), Wilson and {bootstrap} bootstrap samples; mean and range over all "
    "repeats. Majority: the share of the larger class, which a tree without tests has as "
    "accuracy. Thesis: its settings; tuned: chosen by cross validation on the "
    "training part."
)


@table(
    "performance of the tree",
    caption=f"{PERFORMANCE} {{simulated}}",
    caption_values=caption_values,
    sources=performance_sources,
)
def thesis_table_6_2_SYNTHETIC(
    performance: pd.DataFrame,
    intervals: pd.DataFrame,
    patients: pd.DataFrame,
    published: Frames,
    plan: SurvivalPlan,
) -> pd.DataFrame:
    """Table 6.2: performance of the tree on test patients of the simulator.

    Returns: dataset, method, metric, n_test, n (patients that the share is of), measured, its ends
    by three kinds of intervals, mean, lowest and highest over n_repeats; published with
    published_low and published_high.
    """
    frame = _performance(simulated(performance), simulated(intervals), simulated(patients))
    printed = published["thesis_table_6_2"].set_index("metric")["value"].astype(float)
    of_thesis = frame["method"] == "thesis"
    for name, suffix in (("published", ""), ("published_low", "_ci95_low"),
                         ("published_high", "_ci95_high")):  # fmt: skip
        values = frame["metric"].map(lambda metric, s=suffix: printed.get(metric + s))
        frame[name] = values.where(of_thesis)
    return frame


@table(
    "Performance of the trees on public cohorts",
    caption=f"As table 6.2, on cohorts of patients. {PERFORMANCE} {{ran}}",
    caption_values=caption_values,
    sources=performance_sources,
)
def survival_performance(
    performance: pd.DataFrame, intervals: pd.DataFrame, patients: pd.DataFrame
) -> pd.DataFrame:
    """Performance on test patients of public cohorts, in the form of table 6.2.

    Returns: as `thesis_table_6_2_SYNTHETIC`, without published values.
    """
    return _performance(public(performance), public(intervals), public(patients))


# ----------------------------------------------------------------------------------- table 6.3

#: Printed metrics of table 6.3 by method of data/published -> columns of `leaf_survival`.
OF_TABLE_6_3 = {
    ("kaplan_meier", "survival_q1"): "q25",
    ("kaplan_meier", "survival_q2"): "median",
    ("kaplan_meier", "survival_q3"): "q75",
    ("kaplan_meier", "ci95_last_point"): "last_half_width",
    ("kaplan_meier", "logrank_p_vs_all"): "logrank_p",
    ("cox_univariate", "hr"): "hazard_ratio",
    ("cox_univariate", "hr_ci95"): "hazard_ratio_half_width",
    ("cox_univariate", "p"): "cox_p",
    ("cox_multivariate", "hr"): "hazard_ratio_adjusted",
    ("cox_multivariate", "hr_ci95"): "hazard_ratio_half_width_adjusted",
    ("cox_multivariate", "p"): "cox_p_adjusted",
}
LEAVES = (
    "Kaplan-Meier quartiles in years (infinite where the curve ends above); log-rank test of "
    "each leaf against all patients, itself among them, as published, and against the others "
    "(_rest); Cox models of the leaf against the others, alone and adjusted; each p corrected "
    "over leaves by Holm (_holm); gray_p is Gray's test against the others where other causes "
    "compete, and incidence what comes of the event in the end there; ph_p tests proportional "
    "hazards; _note says in a word why a Cox model has no answer. _training and _test: the "
    "same on one part of the patients; _permutation: p where outcomes are permuted through "
    "the whole pipeline ({permutations}). Number 0: all patients."
)


def _half_widths(leaves: pd.DataFrame) -> pd.DataFrame:
    """Intervals as one number, as table 6.3 prints them: half of their width."""
    frame = leaves.copy()
    frame["last_half_width"] = (frame["last_survival_high"] - frame["last_survival_low"]) / 2
    for suffix in ("", "_adjusted"):
        if f"hazard_ratio_high{suffix}" in frame:
            width = frame[f"hazard_ratio_high{suffix}"] - frame[f"hazard_ratio_low{suffix}"]
            frame[f"hazard_ratio_half_width{suffix}"] = width / 2
    return frame


def _printed(published: pd.DataFrame, columns: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """Printed cells of a table by number of the leaf: columns `<name>_published`, as texts."""
    cells = published[published["criterion"].str.match(r"node_\d+$|all$")]
    name = [columns.get(key) for key in zip(cells["method"], cells["metric"], strict=True)]
    cells = cells.assign(
        column=name,
        number=cells["criterion"].replace("all", "node_0").str.removeprefix("node_").astype(int),
    ).dropna(subset="column")
    wide = cells.pivot(index="number", columns="column", values="value")
    return wide.reindex(columns=list(columns.values())).add_suffix("_published")


@table(
    "survival in the leaves",
    caption="Survival of synthetic patients by the tests that figure 6.1 prints (printed_tree, "
    "leaves numbered as published, patients in whom a tested value is missing left out) with the "
    "published values beside, and by the tree that was learnt from them (learnt_tree). "
    f"{LEAVES} {{simulated}}",
    caption_values=caption_values,
    sources=leaves_sources,
)
def thesis_table_6_3_SYNTHETIC(leaves: pd.DataFrame, published: Frames) -> pd.DataFrame:
    """Table 6.3: survival of simulated patients in each leaf.

    Returns: dataset, groups, number, then as `hedgerow.survival.leaf_survival`; printed cells as
    texts in columns with the suffix `_published`.
    """
    frame = _half_widths(simulated(leaves))
    printed = _printed(published["thesis_table_6_3"], OF_TABLE_6_3)
    return _with_published(frame, printed, frame["groups"] == PRINTED, ["number"])


def _with_published(
    frame: pd.DataFrame, printed: pd.DataFrame, shown: pd.Series, by: list[str]
) -> pd.DataFrame:
    """Leaves of the printed tree, then of the learnt one; printed cells where they are shown."""
    frame = frame.join(printed, on="number")
    frame.loc[~shown, list(printed.columns)] = None
    order = {"groups": (PRINTED, LEARNT), **dict.fromkeys(by)}
    return in_rows(frame, order).round(9)


@table(
    "Survival in the leaves, public cohorts",
    caption=f"As table 6.3, on cohorts of patients. {LEAVES} {{ran}}",
    caption_values=caption_values,
    sources=leaves_sources,
)
def survival_leaves(leaves: pd.DataFrame) -> pd.DataFrame:
    """Survival of patients of public cohorts in each leaf, in the form of table 6.3.

    Returns: as `thesis_table_6_3_SYNTHETIC`, without published values.
    """
    return _half_widths(public(leaves)).round(9)


# ----------------------------------------------------------------------------------- table 6.4

OF_TABLE_6_4 = {
    ("kaplan_meier", "delta_q1"): "delta_q25",
    ("kaplan_meier", "delta_q2"): "delta_median",
    ("kaplan_meier", "ci95"): "delta_last_half_width",
    ("kaplan_meier", "logrank_p"): "logrank_p",
    ("cox_no_vi", "hr"): "hazard_ratio_leaf_untreated",
    ("cox_no_vi", "p"): "cox_p_leaf_untreated",
    ("cox_vi", "hr"): "hazard_ratio_leaf_treated",
    ("cox_vi", "p"): "cox_p_leaf_treated",
}
TREATMENT = (
    "An association, not an effect: patients were not treated at random. Treated: by the landmark. "
    "Counted from inclusion, as published, the time that the treated waited for their treatment "
    "alive is credited to it (immortal time); counted from the landmark, only those count who live "
    "then. Differences of quartiles are treated less untreated, in years, NaN where neither curve "
    "falls so far; delta_last with the half widths of both intervals at the last points added in "
    "squares, as published. _leaf_treated and _leaf_untreated: the leaf against all others "
    "among the treated, or among the untreated. Number 0: all patients."
)


@table(
    "treated and untreated patients",
    caption="Synthetic patients with and without an intervention within six months, by the tests "
    "that figure 6.1 prints, with the published values beside, and by the learnt tree. "
    f"{TREATMENT} The simulator's intervention helps in leaves 2, 3 and 5, a little in 7 and 10, "
    "not in the others. {simulated}",
    caption_values=caption_values,
    sources=treatment_sources,
)
def thesis_table_6_4_SYNTHETIC(treatment: pd.DataFrame, published: Frames) -> pd.DataFrame:
    """Table 6.4: simulated patients with and without an early intervention, leaf by leaf.

    Returns: dataset, groups, counted_from, number, then as `hedgerow.survival.compare_groups`;
    printed cells as texts in columns with the suffix `_published`, beside the values counted as
    published. The printed row of all patients repeats table 6.3 and is left out.
    """
    frame = simulated(treatment)
    printed = _printed(published["thesis_table_6_4"], OF_TABLE_6_4).drop(index=0, errors="ignore")
    shown = (frame["groups"] == PRINTED) & (frame["counted_from"] == "inclusion")
    return _with_published(frame, printed, shown, ["counted_from", "number"])


@table(
    "Treated and untreated patients, public cohorts",
    caption=f"As table 6.4, on cohorts with a treatment. {TREATMENT} {{ran}}",
    caption_values=caption_values,
    sources=treatment_sources,
)
def survival_treatment(treatment: pd.DataFrame) -> pd.DataFrame:
    """Treated and untreated patients of public cohorts, in the form of table 6.4.

    Returns: as `thesis_table_6_4_SYNTHETIC`, without published values.
    """
    return public(treatment).round(9)


# ------------------------------------------------------------------------------ beyond a table


def _cohorts(patients: pd.DataFrame, trees: pd.DataFrame, plan: SurvivalPlan) -> pd.DataFrame:
    """One row per cohort that is asked for: who is in it and what became of them."""
    rows, available = [], set(patients["dataset"])
    for dataset in plan.datasets:
        facts = plan.cohorts.get(dataset, {})
        row = {"dataset": dataset, "status": status(dataset, available, plan.datasets)}
        row |= {name: facts.get(name) for name in ("event", "unit", "horizon", "landmark")}
        members = patients[patients["dataset"] == dataset]
        if len(members):
            y, event, training = members["y"], members["event"], members["training"]
            row |= {"n": len(members), "events": (event == 1).sum(), "competing": (event > 1).sum()}
            row |= {"died_by_horizon": (y == 1).sum(), "survived_horizon": (y == 0).sum()}
            row |= {"left_out": (y < 0).sum(), "n_training": (training & (y >= 0)).sum()}
            row |= {"n_test": (~training & (y >= 0)).sum()}
            row |= {"treated": members["intervention"].notna().sum()}
            mine = trees[trees["dataset"] == dataset]
            for method in METHODS:
                leaves = mine[mine["method"] == method]
                first = leaves[leaves["repeat"] == 0].iloc[0]
                row[f"n_leaves_{method}"] = int(first["n_leaves"])
                row[f"root_{method}"] = first["root"]
                row[f"same_root_{method}"] = int((leaves["root"] == first["root"]).sum())
            row["n_repeats"] = mine["repeat"].nunique()
        rows.append(row)
    return pd.DataFrame(rows)


COHORTS = (
    "Patients, events and events of other causes over the whole follow-up of the natural history; "
    "who had the event by the horizon, who survived it, and whose follow-up ended before, so that "
    "they are left out of training; horizon and landmark in the unit of the data; leaves and first "
    "variable of the tree of the first repeat, and in how many repeats the same variable is "
    "first."
)


def cohorts_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Counts of patients, and the trees of all repeats."""
    for row, line in enumerate(table.to_dict("records")):
        if line["status"] != "run":
            continue
        cohort = {"dataset": line["dataset"]}
        patients = {
            "n": {},
            "events": {"event": 1},
            "died_by_horizon": {"y": 1},
            "survived_horizon": {"y": 0},
            "n_training": {"y": [0, 1], "training": True},
            "n_test": {"y": [0, 1], "training": False},
        }
        for column, where in patients.items():
            if line[column]:
                yield Cell(row, column, "n_rows", (Rows("patients", {**cohort, **where}, "y"),))
        yield Cell(row, "treated", "n", (Rows("patients", cohort, "intervention"),))
        for method in METHODS:
            trees = {**cohort, "method": method}
            first = Rows("trees", {**trees, "repeat": 0}, "n_leaves")
            yield Cell(row, f"n_leaves_{method}", "value", (first,))
        repeats = Rows("trees", {**cohort, "method": METHODS[0]}, "repeat")
        yield Cell(row, "n_repeats", "n_distinct", (repeats,))


@table(
    "Cohorts", caption=f"{COHORTS} {{ran}}", caption_values=caption_values, sources=cohorts_sources
)
def survival_cohorts(
    patients: pd.DataFrame, trees: pd.DataFrame, plan: SurvivalPlan
) -> pd.DataFrame:
    """Public cohorts: patients, events, labels at the horizon, trees.

    Returns: one row per cohort that is asked for, with its status.
    """
    return public(_cohorts(patients, trees, plan))


@table(
    "The simulated registry",
    caption=f"{COHORTS} {{simulated}}",
    caption_values=caption_values,
    sources=cohorts_sources,
)
def survival_cohorts_SYNTHETIC(
    patients: pd.DataFrame, trees: pd.DataFrame, plan: SurvivalPlan
) -> pd.DataFrame:
    """As `survival_cohorts`, of the simulator."""
    return simulated(_cohorts(patients, trees, plan))


HONEST = (
    "Leaves with p < 0.005 of the log-rank test against all patients, as published "
    "(n_selected), and in how many of them it is still there: after Holm's correction, against "
    "the others, on training patients alone, on test patients alone in the same direction, and by "
    "permutation of the outcomes through the whole pipeline ({permutations}; empty where so few "
    "cannot tell). Then p of all leaves at once, by part and by permutation, and the false alarms: "
    "the share of the permutations, where nothing tells patients apart, in which a leaf of the "
    "part has p < 0.005."
)


def _out_of_sample(leaves: pd.DataFrame, separation: pd.DataFrame) -> pd.DataFrame:
    frame = selected(leaves)
    for part in PARTS:
        of_part = separation[separation["part"] == part].set_index("dataset")
        for name in ("multivariate_logrank_p", "p_permutation", "false_alarms"):
            frame[f"{name}_{part}"] = frame["dataset"].map(of_part[name])
    frame["n_permutations"] = frame["dataset"].map(of_part["n_permutations"])
    return frame


def honest_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Tests of each leaf, and of all leaves of a part at once."""
    counts = ("n_selected", "n_holm", "n_rest", "n_training", "n_test", "n_permutation")
    for row, line in enumerate(table.to_dict("records")):
        leaves = Rows("leaves", {"dataset": line["dataset"], "groups": LEARNT}, "logrank_p")
        for column in counts:
            if pd.notna(line[column]):
                yield Cell(row, column, NO_FORMULA, (leaves,))
        for part in PARTS:
            where = {"dataset": line["dataset"], "part": part}
            for name in ("multivariate_logrank_p", "p_permutation", "false_alarms"):
                if pd.notna(line[f"{name}_{part}"]):
                    yield Cell(row, f"{name}_{part}", "value", (Rows("separation", where, name),))


@table(
    "Honest groups",
    caption=f"{HONEST} {{ran}}",
    caption_values=caption_values,
    sources=honest_sources,
)
def survival_honest(leaves: pd.DataFrame, separation: pd.DataFrame) -> pd.DataFrame:
    """In how many leaves of public cohorts a published-style p < 0.005 survives.

    Returns: as `hedgerow_study.experiments.survival.statistics.selected`, with the tests of all
    leaves at once by part and the false alarms.
    """
    return public(_out_of_sample(leaves, separation))


@table(
    "Honest groups of the simulator",
    caption=f"{HONEST} {{simulated}}",
    caption_values=caption_values,
    sources=honest_sources,
)
def survival_honest_SYNTHETIC(leaves: pd.DataFrame, separation: pd.DataFrame) -> pd.DataFrame:
    """As `survival_honest`, of the simulator."""
    return simulated(_out_of_sample(leaves, separation))
