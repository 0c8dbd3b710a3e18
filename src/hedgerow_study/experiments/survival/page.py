"""The section of chapter 6 on the report page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from hedgerow.showing.numbers import NONE, between, count, in_form, is_number, minus, number, p_text
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.survival import figures as own_figures
from hedgerow_study.experiments.survival import tables as own_tables
from hedgerow_study.experiments.survival.plan import (
    LEARNT,
    METHODS,
    PARTS,
    PRINTED,
    SIMULATED,
    SurvivalPlan,
)
from hedgerow_study.experiments.survival.tables import METRICS
from hedgerow_study.reporting.html import (
    Section,
    claim_lines,
    filled,
    numbered,
    published,
    shown,
    tally,
)
from hedgerow_study.reporting.views import Span, Styled, tagged, text, together, view

_METRIC_NAMES = {
    "accuracy": "Accuracy",
    "majority": "Majority",
    **{
        f"{c}_{m}": f"{c.capitalize()} {n}"
        for c in ("survival", "death")
        for m, n in (("recall", "recall"), ("precision", "precision"), ("f_score", "F"))
    },
}
#: Most leaves of a cohort that are shown on the page; all are in the file.
MOST_LEAVES = 12


#: Columns of the treated and of leaves that the thesis prints; a ratio is one with its interval.
_LEAVES = ("q25", "median", "q75", "logrank_p", "hazard_ratio", "cox_p", "hazard_ratio_adjusted")
_LEAVES += ("cox_p_adjusted",)
_TREATED = ("delta_q25", "delta_median", "logrank_p", "hazard_ratio")
_TREATED += ("hazard_ratio_leaf_untreated", "hazard_ratio_leaf_treated")


@step("*")
def section(
    tables: Frames,
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: SurvivalPlan,
) -> Section:
    """Chapter 6 as a section of the report page."""
    tables = numbered(tables)
    cohorts = tables["survival_cohorts"]
    registry = tables["thesis_table_6_1_SYNTHETIC"]
    views = {
        "survival_cohorts": _people(cohorts),
        "survival_performance": _performance(tables["survival_performance"]),
        "survival_honest": _honest(tables["survival_honest"]),
        "survival_cohorts_SYNTHETIC": _people(tables["survival_cohorts_SYNTHETIC"]),
        "thesis_table_6_1_SYNTHETIC": _registry(registry),
        "thesis_table_6_2_SYNTHETIC": _performance(tables["thesis_table_6_2_SYNTHETIC"]),
        "survival_honest_SYNTHETIC": _honest(tables["survival_honest_SYNTHETIC"]),
        "thesis_table_6_3_SYNTHETIC": _printed_leaves(tables["thesis_table_6_3_SYNTHETIC"]),
        "thesis_table_6_4_SYNTHETIC": _printed_treatment(tables["thesis_table_6_4_SYNTHETIC"]),
    }
    return filled(
        "survival",
        "Trees as risk groups",
        "experiments/survival/page.html.j2",
        "experiments/survival/summary.html.j2",
        "survival_evidence",
        tally=tally(claims),
        plan=plan,
        cohorts=cohorts[cohorts["status"] == "run"]["dataset"].tolist(),
        absent=cohorts[cohorts["status"] == "absent"]["dataset"].tolist(),
        simulated=SIMULATED,
        claims=claim_lines(claims, of="cohorts: {n_datasets}"),
        left=_surviving_leaves(tables["survival_honest"]),
        leaves=_by_cohort(tables["survival_leaves"], _leaf, *_LEAF_HEADS),
        treatment=_by_cohort(tables["survival_treatment"], _treated, *_TREATED_HEADS),
        n_variables=len(registry),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def years(value: float, last: float = float("nan")) -> str:
    """A time in years; where a curve does not fall so far, that it is beyond its end.

    >>> years(5.25), years(float("inf"), 12.4), years(float("inf"))
    ('5.2', '>12.4', 'not reached')
    """
    if pd.isna(value):
        return NONE
    if abs(value) != float("inf"):
        return number(value, 1)
    return "not reached" if pd.isna(last) else f">{number(last, 1)}"


def ratio(line: Mapping, suffix: str = "", note: str = "cox_note") -> str:
    """A hazard ratio with its interval, or the word why there is none."""
    value = line.get(f"hazard_ratio{suffix}")
    if not is_number(value):
        return text(line.get(f"{note}{suffix}")) or NONE
    return f"{number(value, 2)}, {_span(line, 'hazard_ratio_low', 'hazard_ratio_high', 2, suffix)}"


def _span(line: Mapping, low: str, high: str, digits: int = 1, suffix: str = "") -> str:
    """From one number to another one."""
    return between(line[f"{low}{suffix}"], line[f"{high}{suffix}"], digits)


def _people(table: pd.DataFrame) -> Markup:
    counts = ("n", "events", "competing", "died_by_horizon", "survived_horizon", "left_out")
    counts += ("n_training", "n_test", "treated")
    lines = []
    for line in table[table["status"] == "run"].to_dict("records"):
        trees = [
            f"{count(line[f'n_leaves_{method}'])} · {text(line[f'root_{method}']) or 'no test'} "
            f"({count(line[f'same_root_{method}'])} of {count(line['n_repeats'])})"
            for method in METHODS
        ]
        horizon = f"{line['horizon']:g} {line['unit']}"
        lines.append((line["dataset"], horizon, *(count(line[name]) for name in counts), *trees))
    above = ["", "", Span("Follow-up", 3), Span("By the horizon", 3), Span("With a class", 2), ""]
    heads = ["Cohort", "Horizon", "Patients", "Events", "Others", "Died", "Survived", "Left out"]
    heads += ["Training", "Test", "Treated", "Thesis", "Tuned"]
    return view(lines, [*above, Span("Leaves · first variable", 2)], heads)


def _performance(table: pd.DataFrame) -> Markup:
    """One block per cohort and tree; published values where the table has them."""
    blocks = {}
    for (dataset, method), group in table.groupby(["dataset", "method"], sort=False):
        at = {line["metric"]: line for line in group.to_dict("records")}
        title = Markup("{}, {} {}").format(
            dataset, method, tagged("small", count(group["n_repeats"].max()), " repeats")
        )
        metrics = (metric for metric in (*METRICS, "majority") if metric in at)
        blocks[title] = [_of_metric(at[metric]) for metric in metrics]
    heads = ["Metric", "Measured", "of n", "Wald", "Wilson", "Bootstrap", "Mean", "Range"]
    return view(blocks, heads + ["Published,\n95 % CI"] * ("published" in table))


def _of_metric(line: Mapping) -> tuple:
    cells = [number(line["measured"], 1), count(line["n"])]
    cells += [
        _span(line, f"{kind}_low", f"{kind}_high") for kind in ("wald", "wilson", "bootstrap")
    ]
    cells += [number(line["mean"], 1), _span(line, "lowest", "highest")]
    cells = [Styled(cell, row=line["row"]) for cell in cells]
    if "published" in line:
        printed = [number(line[f"published{end}"], 1) for end in ("", "_low", "_high")]
        shown = "{}, {} to {}".format(*printed) if is_number(line["published"]) else ""
        cells.append(shown)
    return _METRIC_NAMES[line["metric"]], *cells


def _honest(table: pd.DataFrame) -> Markup:
    counts = ("n_leaves", "n_selected", "n_holm", "n_rest", "n_training", "n_test")
    lines = []
    for line in table.to_dict("records"):
        survived = line["n_permutation"]
        cells = [count(line[name]) for name in counts]
        cells += [count(survived) if is_number(survived) else "inconclusive"]
        cells += [p_text(line[f"multivariate_logrank_p_{part}"]) for part in PARTS]
        cells += [p_text(line["p_permutation_all"])]
        cells += [number(100 * line[f"false_alarms_{part}"], 0) for part in PARTS]
        lines.append((line["dataset"], *cells))
    parts = ["All", "Training", "Test"]
    heads = ["Cohort", "Leaves", "As\npublished", "Holm", "Against\nthe rest", "Training", "Test"]
    above = [Span("Leaves with p < 0.005", 6), Span("p of all leaves at once", 4)]
    above += [Span("False alarms, %", 3)]
    return view(lines, ["", "", *above], [*heads, "Permuted", *parts, "Permuted", *parts])


def _surviving_leaves(table: pd.DataFrame) -> dict:
    """Over all cohorts: leaves with p < 0.005 as published, and with p < 0.005 after all."""
    is_complete = table["n_permutation"].notna().all()
    return {
        "n_leaves": int(table["n_leaves"].sum()),
        "n_cohorts": len(table),
        **{name: int(table[name].sum()) for name in ("n_selected", "n_test")},
        "n_permutation": int(table["n_permutation"].sum()) if is_complete else None,
        "n_permutations": count(table["n_permutations"].max()),
    }


_LEAF_HEADS = (
    ["", "", "", Span("Years until", 3), Span("Log-rank against all, p", 4), Span("Cox alone", 2),
     Span("Cox adjusted", 2)],
    ["Group", "n", "Events", "25 %", "50 %", "75 %", "As published", "Holm", "Permuted",
     "Test part", "Hazard ratio,\n95 % CI", "p", "Hazard ratio,\n95 % CI", "p"],
)  # fmt: skip
_TREATED_HEADS = (
    ["", "", "", "", Span("Years gained until", 2), Span("Log-rank, p", 2), "",
     Span("Leaf against the others", 2)],
    ["Group", "Counted from", "Treated", "Untreated", "25 %", "50 %", "p", "Holm",
     "Hazard ratio\nof the treated,\n95 % CI", "Untreated", "Treated"],
)  # fmt: skip


def _by_cohort(table: pd.DataFrame, of: Callable[[Mapping], tuple], *heads: list) -> list[dict]:
    """Lines of each cohort; of one with many leaves those that are furthest from the others."""
    blocks = []
    for dataset, group in table[table["groups"] == LEARNT].groupby("dataset", sort=True):
        leaves = group[group["number"] > 0]
        most = leaves
        if leaves["number"].nunique() > MOST_LEAVES:
            first = leaves.drop_duplicates("number")
            kept = first.sort_values("logrank_p", kind="stable")["number"].head(MOST_LEAVES)
            most = leaves[leaves["number"].isin(kept)]
        chosen = pd.concat([group[group["number"] == 0], most])
        blocks.append(
            {
                "name": dataset,
                "view": view([of(line) for line in chosen.to_dict("records")], *heads),
                "shown": most["number"].nunique(),
                "n_leaves": leaves["number"].nunique(),
            }
        )
    return blocks


def _name(line: Mapping) -> str:
    return "All patients" if line["number"] == 0 else f"Leaf {int(line['number'])}"


def _leaf(line: Mapping) -> tuple:
    cells = [count(line["n"]), count(line["events"])]
    cells += [years(line[name], line["last_time"]) for name in ("q25", "median", "q75")]
    cells += [p_text(line[f"logrank_p{end}"]) for end in ("", "_holm", "_permutation", "_test")]
    for suffix in ("", "_adjusted"):
        alone = line["number"] == 0  # there are no others
        cells += (
            [NONE, NONE] if alone else [ratio(line, suffix), p_text(line.get(f"cox_p{suffix}"))]
        )
    return _name(line), *(Styled(cell, row=line["row"]) for cell in cells)


def _treated(line: Mapping) -> tuple:
    cells = [count(line["n_treated"]), count(line["n_untreated"])]
    cells += [minus(years(line[name])) for name in ("delta_q25", "delta_median")]
    cells += [p_text(line["logrank_p"]), p_text(line["logrank_p_holm"]), ratio(line)]
    for suffix in ("_leaf_untreated", "_leaf_treated"):
        cells.append(NONE if line["number"] == 0 else ratio(line, suffix))
    return _name(line), line["counted_from"], *(Styled(cell, row=line["row"]) for cell in cells)


def _registry(table: pd.DataFrame) -> Markup:
    lines = []
    for line in table.to_dict("records"):
        simulated = NONE
        if is_number(line["percent"]):
            simulated = f"{number(line['percent'], 0)} %"
        elif is_number(line["median"]):
            simulated = f"{line['median']:g} ({line['q1']:g} to {line['q3']:g})"
        shown = (simulated, number(line["percent_missing"], 0))
        cells = (Styled(cell, row=line["row"]) for cell in shown)
        lines.append((line["name"], line["type"], text(line["description"]), *cells))
    return view(lines, ["Variable", "Type", "As printed", "Simulated", "Missing, %"])


def _printed_leaves(table: pd.DataFrame) -> Markup:
    """Leaves of the printed tree with what is printed, and those of the learnt tree."""
    blocks = {}
    for groups, title in ((PRINTED, "Tests of figure 6.1"), (LEARNT, "Learnt tree")):
        blocks[title] = [
            _with_published(line, ("n", "events"), _LEAVES)
            for line in table[table["groups"] == groups].to_dict("records")
        ]
    above = ["", "", "", Span("Years until", 3), "", Span("Cox alone", 2), Span("Cox adjusted", 2)]
    heads = ["Group", "n", "Events", "25 %", "50 %", "75 %", "Log-rank p"]
    return view(blocks, above, [*heads, *["Hazard ratio,\n95 % CI", "p"] * 2])


def _printed_treatment(table: pd.DataFrame) -> Markup:
    titles = {
        (PRINTED, "inclusion"): "Tests of figure 6.1, counted from inclusion, as published",
        (PRINTED, "landmark"): "Tests of figure 6.1, counted from the landmark",
        (LEARNT, "landmark"): "Learnt tree, counted from the landmark",
    }
    blocks = {}
    for (groups, way), title in titles.items():
        rows = table[(table["groups"] == groups) & (table["counted_from"] == way)]
        blocks[title] = [
            _with_published(line, ("n_treated", "n_untreated"), _TREATED)
            for line in rows.to_dict("records")
        ]
    above = ["", "", "", Span("Years gained until", 2), "", "", Span("Leaf against the others", 2)]
    heads = ["Group", "Treated", "Untreated", "25 %", "50 %", "Log-rank p"]
    return view(
        blocks, above, [*heads, "Hazard ratio\nof the treated,\n95 % CI", "Untreated", "Treated"]
    )


def _with_published(line: Mapping, counts: tuple[str, str], names: tuple[str, ...]) -> tuple:
    """A line of table 6.3 or 6.4, what is printed beneath each value."""
    cells = [count(line[name]) for name in counts]
    for name in names:
        alone = line["number"] == 0 and (counts[0] == "n" or name != "hazard_ratio")
        if name.startswith("hazard_ratio"):
            value = NONE if alone else ratio(line, name.removeprefix("hazard_ratio"))
        elif "_p" in name:
            value = p_text(line[name])
        else:
            value = minus(years(line[name], line.get("last_time", float("nan"))))
        printed = in_form(text(line.get(f"{name}_published")))
        cells.append(together(value, published(value, printed) if printed else ""))
    return _name(line), *(Styled(cell, row=line["row"]) for cell in cells)
