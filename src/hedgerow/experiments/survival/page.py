"""The section of chapter 6 on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from hedgerow.experiments.step import step
from hedgerow.experiments.survival import figures as survival_figures
from hedgerow.experiments.survival import tables as survival_tables
from hedgerow.experiments.survival.plan import LEARNT, METHODS, PRINTED, SIMULATED, SurvivalPlan
from hedgerow.experiments.survival.tables import METRICS
from hedgerow.reporting.html import Section, claim_lines, filled, numbered, shown, tally
from hedgerow.reporting.numbers import count, minus, number, p_text

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


@step("*")
def section(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, Path],
    captions: Mapping[str, str],
    claims: pd.DataFrame,
    plan: SurvivalPlan,
) -> Section:
    """Chapter 6 as a section of the report page.

    Returns: the same inputs give the same text.
    """
    tables = numbered(tables)
    cohorts = tables["survival_cohorts"]
    run = cohorts[cohorts["status"] == "run"]["dataset"].tolist()
    stated = {"plan": plan, "cohorts": run}
    return filled(
        "survival",
        "Trees as risk groups",
        "experiments/survival/page.html.j2",
        "experiments/survival/summary.html.j2",
        "survival_evidence",
        tally=tally(claims),
        **stated,
        absent=cohorts[cohorts["status"] == "absent"]["dataset"].tolist(),
        simulated=SIMULATED,
        claims=claim_lines(claims, of="cohorts: {n_datasets}"),
        people=_people(cohorts),
        performance=_performance(tables["survival_performance"]),
        honest=_honest(tables["survival_honest"]),
        left=_left(tables["survival_honest"]),
        leaves=_by_cohort(tables["survival_leaves"], _leaf),
        treatment=_by_cohort(tables["survival_treatment"], _treated),
        registry=_registry(tables["thesis_table_6_1_SYNTHETIC"]),
        made=_people(tables["survival_cohorts_SYNTHETIC"]),
        made_performance=_performance(tables["thesis_table_6_2_SYNTHETIC"]),
        made_honest=_honest(tables["survival_honest_SYNTHETIC"]),
        made_leaves=_made_leaves(tables["thesis_table_6_3_SYNTHETIC"]),
        made_treatment=_made_treatment(tables["thesis_table_6_4_SYNTHETIC"]),
        shown=shown(survival_tables, survival_figures, figures=figures, captions=captions),
    )


def years(value: float, last: float = float("nan")) -> str:
    """A time in years; where a curve does not fall so far, that it is beyond its end.

    >>> years(5.25), years(float("inf"), 12.4), years(float("inf"))
    ('5.2', '>12.4', 'not reached')
    """
    if pd.isna(value):
        return "–"
    if abs(value) != float("inf"):
        return number(value, 1)
    return "not reached" if pd.isna(last) else f">{number(last, 1)}"


def ratio(line: pd.Series, suffix: str = "", note: str = "cox_note") -> str:
    """A hazard ratio with its interval, or the word why there is none."""
    value = line.get(f"hazard_ratio{suffix}")
    if pd.isna(value):
        word = line.get(f"{note}{suffix}")
        return "–" if pd.isna(word) else str(word)
    low, high = line[f"hazard_ratio_low{suffix}"], line[f"hazard_ratio_high{suffix}"]
    return f"{number(value, 2)} ({number(low, 2)} to {number(high, 2)})"


def _people(table: pd.DataFrame) -> list[dict]:
    lines = []
    for line in table[table["status"] == "run"].to_dict("records"):
        names = ("n", "events", "competing", "died_by_horizon", "survived_horizon", "left_out")
        names += ("n_training", "n_test", "treated")
        lines.append(
            {
                "name": line["dataset"],
                "horizon": f"{line['horizon']:g} {line['unit']}",
                "cells": [count(line[name]) for name in names],
                "trees": [
                    f"{count(line[f'n_leaves_{m}'])} · "
                    f"{'no test' if pd.isna(line[f'root_{m}']) else line[f'root_{m}']} "
                    f"({count(line[f'same_root_{m}'])} of {count(line['n_splits'])})"
                    for m in METHODS
                ],
            }
        )
    return lines


def _performance(table: pd.DataFrame) -> list[dict]:
    """One block per cohort and tree."""
    blocks = []
    for (dataset, method), own in table.groupby(["dataset", "method"], sort=False):
        cells = own.set_index("metric")
        lines = []
        for metric in (*METRICS, "majority"):
            if metric not in cells.index:
                continue
            cell = cells.loc[metric]
            ends = {
                kind: f"{number(cell[f'{kind}_low'], 1)} to {number(cell[f'{kind}_high'], 1)}"
                if pd.notna(cell[f"{kind}_low"])
                else "–"
                for kind in ("wald", "wilson", "bootstrap")
            }
            line = {
                "row": cell["row"],
                "name": _METRIC_NAMES[metric],
                "measured": number(cell["measured"], 1),
                "n": count(cell["n"]),
                "ends": list(ends.values()),
                "mean": number(cell["mean"], 1),
                "range": "–"
                if pd.isna(cell["lowest"])
                else f"{number(cell['lowest'], 1)} to {number(cell['highest'], 1)}",
                "published": "",
            }
            if "published" in cell and pd.notna(cell["published"]):
                low, high = (number(cell[f"published_{end}"], 1) for end in ("low", "high"))
                line["published"] = f"{number(cell['published'], 1)} ({low} to {high})"
            lines.append(line)
        blocks.append({"name": dataset, "method": method, "lines": lines,
                       "n_splits": count(own["n_splits"].max())})  # fmt: skip
    return blocks


def _honest(table: pd.DataFrame) -> list[dict]:
    counts = ("n_leaves", "n_selected", "n_holm", "n_rest", "n_training", "n_test")
    lines = []
    for line in table.to_dict("records"):
        survived = line["n_permutation"]
        lines.append(
            {
                "name": line["dataset"],
                "cells": [count(line[name]) for name in counts]
                + ["too little data" if pd.isna(survived) else count(survived)],
                "p": [p_text(line[f"multivariate_logrank_p_{part}"])
                      for part in ("all", "training", "test")]
                + [p_text(line["p_permutation_all"])],
                "false": [number(100 * line[f"false_alarms_{part}"], 0)
                          for part in ("all", "training", "test")],
                "n_permutations": count(line["n_permutations"]),
            }
        )  # fmt: skip
    return lines


def _left(table: pd.DataFrame) -> dict:
    """Over all cohorts: leaves with p < .005 as published, and with p < .005 after all."""
    told = table["n_permutation"].notna().all()
    return {
        "n_leaves": int(table["n_leaves"].sum()),
        "n_cohorts": len(table),
        **{name: int(table[name].sum()) for name in ("n_selected", "n_test")},
        "n_permutation": int(table["n_permutation"].sum()) if told else None,
        "n_permutations": count(table["n_permutations"].max()),
    }


def _by_cohort(table: pd.DataFrame, of) -> list[dict]:
    """Lines of each cohort; of one with many leaves those that are furthest from the others."""
    blocks = []
    for dataset, own in table[table["groups"] == LEARNT].groupby("dataset", sort=True):
        leaves = own[own["number"] > 0]
        most = leaves
        if leaves["number"].nunique() > MOST_LEAVES:
            first = leaves.drop_duplicates("number")
            kept = first.sort_values("logrank_p", kind="stable")["number"].head(MOST_LEAVES)
            most = leaves[leaves["number"].isin(kept)]
        chosen = pd.concat([own[own["number"] == 0], most])
        blocks.append(
            {
                "name": dataset,
                "lines": [of(line) for _, line in chosen.iterrows()],
                "shown": most["number"].nunique(),
                "n_leaves": leaves["number"].nunique(),
            }
        )
    return blocks


def _name(line: pd.Series) -> str:
    return "All patients" if line["number"] == 0 else f"Leaf {int(line['number'])}"


def _leaf(line: pd.Series) -> dict:
    cells = [count(line["n"]), count(line["events"])]
    cells += [years(line[name], line["last_time"]) for name in ("q25", "median", "q75")]
    cells += [p_text(line["logrank_p"]), p_text(line["logrank_p_holm"])]
    cells += [p_text(line["logrank_p_permutation"]), p_text(line["logrank_p_test"])]
    if line["number"] == 0:
        cells += ["–"] * 4
    else:
        cells += [ratio(line), p_text(line["cox_p"])]
        cells += [ratio(line, "_adjusted"), p_text(line.get("cox_p_adjusted"))]
    return {"row": line["row"], "name": _name(line), "cells": cells}


def _treated(line: pd.Series) -> dict:
    cells = [count(line["n_treated"]), count(line["n_untreated"])]
    cells += [minus(years(line[name])) for name in ("delta_q25", "delta_median")]
    cells += [p_text(line["logrank_p"]), p_text(line["logrank_p_holm"])]
    cells += [ratio(line)]
    if line["number"] == 0:
        cells += ["–", "–"]
    else:
        cells += [ratio(line, "_leaf_untreated"), ratio(line, "_leaf_treated")]
    return {
        "row": line["row"],
        "name": _name(line),
        "counted_from": line["counted_from"],
        "cells": cells,
    }


def _registry(table: pd.DataFrame) -> list[dict]:
    lines = []
    for line in table.to_dict("records"):
        if pd.notna(line["percent"]):
            value = f"{number(line['percent'], 0)} %"
        elif pd.notna(line["median"]):
            quartiles = " to ".join(f"{line[q]:g}" for q in ("q1", "q3"))
            value = f"{line['median']:g} ({quartiles})"
        else:
            value = "–"
        described = "" if pd.isna(line["description"]) else str(line["description"])
        lines.append(
            {
                "row": line["row"],
                "name": line["name"],
                "cells": [line["type"], described, value, number(line["percent_missing"], 0)],
            }
        )
    return lines


def _made_leaves(table: pd.DataFrame) -> list[dict]:
    """Leaves of the printed tree with what is printed, and those of the learnt tree."""
    names = {
        "q25": "q25_published",
        "median": "median_published",
        "q75": "q75_published",
        "logrank_p": "logrank_p_published",
        "hazard_ratio": "hazard_ratio_published",
        "cox_p": "cox_p_published",
        "hazard_ratio_adjusted": "hazard_ratio_adjusted_published",
        "cox_p_adjusted": "cox_p_adjusted_published",
    }
    blocks = []
    for groups, title in ((PRINTED, "Tests of figure 6.1"), (LEARNT, "Learnt tree")):
        lines = []
        for _, line in table[table["groups"] == groups].iterrows():
            cells = []
            for name, printed in names.items():
                if line["number"] == 0 and "ratio" in name:
                    value = "–"
                elif "ratio" in name:
                    value = ratio(line, "_adjusted" if name.endswith("adjusted") else "")
                else:
                    told = (line[name],) if "_p" in name else (line[name], line["last_time"])
                    value = (p_text if "_p" in name else years)(*told)
                text = line[printed]
                cells.append({"value": value, "published": "" if pd.isna(text) else str(text)})
            lines.append(
                {
                    "row": line["row"],
                    "name": _name(line),
                    "n": count(line["n"]),
                    "events": count(line["events"]),
                    "cells": cells,
                }
            )
        blocks.append({"title": title, "lines": lines})
    return blocks


def _made_treatment(table: pd.DataFrame) -> list[dict]:
    names = {
        "delta_q25": "delta_q25_published",
        "delta_median": "delta_median_published",
        "logrank_p": "logrank_p_published",
        "hazard_ratio": None,
        "hazard_ratio_leaf_untreated": "hazard_ratio_leaf_untreated_published",
        "hazard_ratio_leaf_treated": "hazard_ratio_leaf_treated_published",
    }
    blocks = []
    titles = {
        (PRINTED, "inclusion"): "Tests of figure 6.1, counted from inclusion, as published",
        (PRINTED, "landmark"): "Tests of figure 6.1, counted from the landmark",
        (LEARNT, "landmark"): "Learnt tree, counted from the landmark",
    }
    for (groups, way), title in titles.items():
        own = table[(table["groups"] == groups) & (table["counted_from"] == way)]
        lines = []
        for _, line in own.iterrows():
            cells = []
            for name, printed in names.items():
                if "ratio" in name:
                    suffix = name.removeprefix("hazard_ratio")
                    alone = line["number"] == 0 and suffix
                    value = "–" if alone else ratio(line, suffix)
                else:
                    value = p_text(line[name]) if "_p" in name else minus(years(line[name]))
                text = None if printed is None else line[printed]
                cells.append(
                    {"value": value, "published": "" if pd.isna(text) else minus(str(text))}
                )
            counts = [count(line["n_treated"]), count(line["n_untreated"])]
            lines.append(
                {"row": line["row"], "name": _name(line), "counts": counts, "cells": cells}
            )
        blocks.append({"title": title, "lines": lines})
    return blocks
