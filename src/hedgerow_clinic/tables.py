"""Tables of the page: what was found, with the counts that are not shown taken out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.drawing.words import condition_words
from hedgerow.showing.numbers import p_words
from hedgerow.texts import with_unit
from hedgerow_clinic.analysis import PARTS, Analysis
from hedgerow_clinic.disclosure import (
    PRIMARY,
    SECONDARY,
    SHOWN,
    WITHHELD,
    as_shown,
    protected,
    small,
)
from hedgerow_clinic.risks import estimated, too_few
from hedgerow_clinic.table_format import ENDS, HOLM, INTERVALS, Table

if TYPE_CHECKING:
    import pandas as pd

#: Columns of survival in groups, those of a group that few patients or events would show through
#: after its counts.
OF_SURVIVAL = (
    *("group", "rule", "n", "events", "q25", "median", "q75", "rmst", "time_lost"),
    *("incidence", "logrank_p"),
    *("logrank_p_rest", "logrank_p_permutation", "gray_p", "hazard_ratio", "cox_p", "ph_p"),
    *("hazard_ratio_adjusted", "cox_p_adjusted", "ph_p_adjusted"),
    *("median_expected", "last_survival_expected"),
)
#: Of treated against untreated, those of models.
OF_TREATMENT = (
    *("logrank_p", "logrank_p_holm", "hazard_ratio", "cox_p", "cox_p_holm", "ph_p"),
    *("hazard_ratio_adjusted", "cox_p_adjusted", "cox_p_adjusted_holm"),
    *("hazard_ratio_weighted", "cox_p_weighted", "cox_p_weighted_holm"),
    *("largest_difference", "largest_difference_weighted"),
)
OF_GROUP = OF_SURVIVAL[4:]
OF_PART = ("n", "events")
OF_PERFORMANCE = ("concordance", "auc", "brier", "scaled_brier", "observed_expected")
OF_NEXT = ("apparent", "risk", "risk_low", "risk_high")
OF_COUNTS = ("n_treated", "n_untreated", "n_left_out", "events_treated", "events_untreated")


def rules(analysis: Analysis) -> dict[int, str]:
    """What the tests on the way to each leaf say, in words and units."""
    tree, columns = analysis.groups.tree_, analysis.cohort.columns
    names = list(analysis.cohort.X)
    rule_of: dict[int, str] = {}
    for node in analysis.numbers:
        words, at = [], node
        while at:
            above = int(tree.parent[at])
            column = columns[names[int(tree.feature[above])]]
            condition = condition_words(tree, above, 3)
            left = int(tree.children_left[above]) == at
            if not left and condition.startswith("< "):
                condition = "≥ " + condition[2:]
            elif not left:
                condition = (
                    condition.replace("is not ", "is ", 1)
                    if condition.startswith("is not ")
                    else condition.replace("is ", "is not ", 1)
                )
            unit = f" {column.unit}" if column.kind == "number" and column.unit else ""
            words.append(f"{column.label} {condition}{unit}")
            at = above
        rule_of[node] = ", ".join(reversed(words)) or "all patients"
    return rule_of


def number_of(analysis: Analysis, node: int) -> str:
    """Number of a leaf as it is shown."""
    return "All" if node == -1 else str(analysis.numbers[node])


# ------------------------------------------------------------------------------- the tables


def tables(analysis: Analysis, least: int) -> dict[str, Table]:
    """Every table of the page but the checklist, in its order."""
    ordered = [
        flow(analysis, least),
        words(analysis, least),
        inputs(analysis, least),
        baseline(analysis, least),
        *treated_baseline(analysis, least),
        *next_patient(analysis, least),
        *survival(analysis, least),
        *treatment_tables(analysis, least),
        performance_table(analysis, least),
        calibration_table(analysis, least),
        decisions(analysis, least),
    ]
    return {table.id: table for table in ordered}


#: Lines of the flow of patients that other tables read.
ROWS, LEFT_OUT, ANALYSED = "in the file", "left out: time or event is missing", "analysed"
LEFT_OUT_ENTERED = "left out: time, event or entry is missing"
NO_PATIENTS = "rows that do not count: copies, further rows of a patient, left out by number"
OUTCOME_LINES = {"the event": "with the event", "another event": "with another event first"} | {
    "no event": "follow-up ended without one"
}


def flow(analysis: Analysis, least: int) -> Table:
    """How many patients were used for what."""
    import pandas as pd

    cohort, included = analysis.cohort, analysis.is_included
    y, event = analysis.groups.labels.y[included], analysis.event[included]
    training = analysis.groups.training[included]
    unknown, other, n = y < 0, event > 1, int(included.sum())
    late = np.zeros(n, dtype=bool)
    if analysis.entry is not None:
        late = analysis.entry[included] >= cohort.horizon
    unknown &= ~late
    read = max(cohort.n_rows, len(cohort) + cohort.n_left_out)
    lines = [
        (ROWS, read),
        (LEFT_OUT if cohort.entry is None else LEFT_OUT_ENTERED, cohort.n_left_out),
        (ANALYSED, n),
        ("with the event", int((event == 1).sum())),
        ("with another event first", int((event > 1).sum())),
        ("follow-up ended without one", int((event == 0).sum())),
        ("training part", int(training.sum())),
        ("test part", int((~training).sum())),
        ("known: event by the horizon", int((y == 1).sum())),
        ("known: no event by the horizon", int((y == 0).sum())),
        ("unknown: another event before the horizon", int((unknown & other).sum())),
        ("unknown: follow-up ended before the horizon", int((unknown & ~other).sum())),
        (NO_PATIENTS, read - len(cohort) - cohort.n_left_out),
        (
            "no follow-up: treated at inclusion, or gone then"
            if cohort.entry is None
            else "no follow-up: treated before they came under observation",
            len(cohort) - n,
        ),
        ("unknown: came under observation at the horizon or later", int(late.sum())),
    ]
    counts = np.array([count for _, count in lines])
    hidden = _hidden_lines(counts, analysis.entry is not None, least)
    frame = pd.DataFrame(
        {
            "about": [words for words, _ in lines],
            "count": [as_shown(c, h, least) for c, h in zip(counts, hidden, strict=True)],
        }
    )
    # Lines that most tables do not need stand where they are taken off.
    order = [0, *[12] * bool(counts[12]), 1, *[13] * bool(counts[13]), *range(2, 12)]
    order += [14] * (analysis.entry is not None)
    frame = frame.iloc[order].reset_index(drop=True)
    ends = " until the intervention" if cohort.treated_at is not None else ""
    return Table(
        "flow",
        "Patients",
        f"Events and follow-up{ends}; horizon {cohort.horizon_text}. The tree learnt "
        "from patients of the training part whose class at the horizon is known."
        + " They stand, by weights, for those who were censored, and for those who had the event "
        "before they could come under observation and are in no table."
        * (analysis.entry is not None),
        frame,
    )


def _hidden_lines(counts: np.ndarray, entry: bool, least: int) -> np.ndarray:
    """What is hidden of each line of the flow of patients, who come late where `entry`."""
    hidden = np.zeros(len(counts), dtype=int)
    hidden[[12, 1, 13, 0]] = hidden_rows(counts[[12, 1, 13]], least)
    # Lines that add up, the sum last.
    hidden[[6, 7, 2]] = protected(counts[[6, 7, 2]][None], least, columns=False)[0]
    # How it ended (event, other event, neither) by what is known: had it or not known, none, both.
    ended, by = counts[[3, 4, 5]], counts[[8, 10, 11]]
    inner = np.column_stack([by, ended - by, ended])
    mask = protected(np.vstack([inner, inner.sum(axis=0)]), least)
    for place, (row, column) in {8: (0, 0), 10: (1, 0), 11: (2, 0), 9: (3, 1)}.items():
        hidden[place] = mask[row, column]
    hidden[2:6] = np.maximum(hidden[2:6], [mask[3, 2], *mask[:3, 2]])
    if entry:
        # Those without the event by the horizon, and those who come later, add up.
        pair = protected([[counts[9], counts[14], counts[9] + counts[14]]], least, columns=False)
        hidden[[9, 14]] = np.maximum(pair[0, :2], mask[3, 1])
        # Numbers at risk at the horizon tell the former: the others add up to all but those.
        rest = [14, 10, 11, 8]
        rest_mask = protected([[*counts[rest], counts[rest].sum()]], least, columns=False)[0, :-1]
        hidden[rest] = np.maximum(hidden[rest], rest_mask)
    return hidden


def hidden_rows(left_out, least: int) -> np.ndarray:
    """What is hidden of rows that do not count, (k,) int array, and last of all rows in the file.

    How many count follows from other tables, so that with the rows in the file the sum of those
    that do not is known.
    """
    return protected([[*left_out, sum(left_out)]], least, columns=False)[0]


def words(analysis: Analysis, least: int) -> Table:
    """What each word of the columns of event and treatment was taken for."""
    # Counts of the words of one meaning add up to what the flow of patients has. Where an
    # intervention ends the follow-up they do not, and differences would tell of few: then no count
    # stands here, unless all are shown.
    import pandas as pd

    cohort, rows = analysis.cohort, []
    ended = flow(analysis, least).frame.set_index("about")["count"]
    counted = not least or cohort.treated_at is None
    for name, entries in cohort.words.items():
        for meaning in dict.fromkeys(word.meaning for word in entries):
            alike = [word for word in entries if word.meaning == meaning]
            counts = [word.count for word in alike]
            hidden = protected([[*counts, sum(counts)]], least, columns=False)[0]
            if isinstance(ended.get(OUTCOME_LINES.get(meaning)), str):
                hidden = np.maximum(hidden, SECONDARY)
            for word, count, mask in zip(alike, counts, hidden[:-1], strict=True):
                if word.text or count:
                    shown = as_shown(count, mask, least) if counted else ""
                    rows.append((name, word.text or "(empty)", meaning, shown))
    return Table(
        "words",
        "What each word was taken for",
        "Of the columns of the event and of the treatment"
        + (", among those analysed." if counted else "; counts stand in other tables."),
        pd.DataFrame(rows, columns=["column", "value", "use", "count"]),
    )


def inputs(analysis: Analysis, least: int) -> Table:
    """What was done with each column."""
    import pandas as pd

    cohort, rows, included = analysis.cohort, [], analysis.is_included
    n = int(included.sum())
    entry = "" if analysis.entry is None else ", entry"
    roles = f"outcome, time{entry} or intervention"
    for name, column in cohort.columns.items():
        row = {"column": name, "variable": column.label, "kind": column.kind, "unit": column.unit}
        if name in cohort.X:
            missing = int(cohort.X[name][included].isna().sum())
            mask = protected([[missing, n - missing, n]], least, columns=False)[0, 0]
            rows.append({**row, "missing": as_shown(missing, mask, least), "use": "input"})
        else:
            why = cohort.not_used.get(name, roles)
            rows.append({**row, "missing": "", "use": f"no input: {why}"})
    return Table(
        "columns",
        "Columns of the table",
        "What each column was taken for. A schema file corrects it (--schema).",
        pd.DataFrame(rows),
    )


def baseline(analysis: Analysis, least: int) -> Table:
    """Inputs of all patients and of each group."""
    groups = {
        f"Group {number}": (analysis.groups.leaf == node) & analysis.is_included
        for node, number in analysis.numbers.items()
    }
    return Table(
        "baseline",
        "Patients at inclusion, by group",
        "Median (quartiles) of numbers, n (%) of categories; per cent of those that are known. "
        "All patients, training and test part."
        + " Who came under observation late has lived to do so: these are patients as they "
        "are seen, not as they are at inclusion." * (analysis.entry is not None),
        _baseline(analysis, groups, analysis.is_included, least),
    )


def treated_baseline(analysis: Analysis, least: int) -> list[Table]:
    """Inputs of treated and untreated patients."""
    if not analysis.treated:
        return []
    early = analysis.cohort.treated_at <= analysis.landmark
    at_risk, counted = analysis.cohort.time > analysis.landmark, analysis.is_compared
    groups = {"Treated": early & at_risk, "Untreated": ~early & at_risk, "Gone before": ~at_risk}
    groups = {name: mask & counted for name, mask in groups.items()}
    by = f"the landmark of {with_unit(analysis.landmark, analysis.cohort.unit, '.3g')}"
    who = f"by {by}" if analysis.cohort.treated_when else "at any time, as the table says"
    return [
        Table(
            "baseline_treated",
            "Patients at inclusion, treated and untreated",
            f"Treated: {who}. Gone before: the event, or the end of follow-up, came by "
            f"{by}. Association, not effect: "
            "who was treated was not drawn by lot, and differences in this table are one reason "
            "for other survival.",
            _baseline(
                analysis,
                {k: v for k, v in groups.items() if v.any()},
                counted,
                least,
                counted & ~analysis.is_included,
            ),
            association=True,
        )
    ]


def _baseline(
    analysis: Analysis,
    groups: Mapping[str, np.ndarray],
    everybody: np.ndarray,
    least: int,
    alone: np.ndarray | None = None,
) -> pd.DataFrame:
    """Inputs by group and of all."""
    # Few of those who are `alone` in this table, (n,) bool, show not. They are the difference of
    # the column of all patients to that of the other table.
    import pandas as pd

    cohort, rows = analysis.cohort, []
    names = [*groups, "All"]
    masks = [*groups.values(), everybody]
    sizes = np.array([[int(mask.sum()) for mask in masks]])
    hidden = protected(sizes, least, columns=False)
    shown = [as_shown(c, h, least) for c, h in zip(sizes[0], hidden[0], strict=True)]
    rows.append(["Patients", "n", *shown])
    for name in cohort.X:
        column, values = cohort.columns[name], cohort.X[name]
        missing = values.isna().to_numpy()
        if column.kind == "number" and not hasattr(values, "cat"):
            numbers = values.to_numpy()
            counts = np.array([[int((mask & missing).sum()) for mask in masks]])
            also = _few_alone(counts.shape, [missing], alone, least)
            hidden = protected(counts, least, columns=False, also=also)
            observed = [numbers[mask & ~missing] for mask in masks]
            cells = [
                WITHHELD if least and len(v) < least else _quartiles(v) if len(v) else "–"
                for v in observed
            ]
            rows.append([column.title, "median (quartiles)", *cells])
        else:
            codes = values.cat.codes.to_numpy()
            levels = list(values.cat.categories)
            # Levels and missing ones add up to the group, and groups to all patients.
            table = np.array(
                [
                    *[
                        [int((codes[mask] == k).sum()) for mask in masks]
                        for k in range(len(levels))
                    ],
                    [int((mask & missing).sum()) for mask in masks],
                    [int(mask.sum()) for mask in masks],
                ]
            )
            having = [*(codes == k for k in range(len(levels))), missing]
            hidden = protected(table, least, also=_few_alone(table.shape, having, alone, least))
            totals = table[:-2].sum(axis=0)
            for k, level in enumerate(levels):
                cells = [
                    f"{c} ({100 * c / max(total, 1):.0f} %)" if not h else as_shown(c, h, least)
                    for c, h, total in zip(table[k], hidden[k], totals, strict=True)
                ]
                rows.append([column.label, level, *cells])
            counts, hidden = table[-2:-1], hidden[-2:-1]
        if (missing & everybody).any():
            cells = [as_shown(c, h, least) for c, h in zip(counts[0], hidden[0], strict=True)]
            rows.append([column.label, "missing", *cells])
    return pd.DataFrame(rows, columns=["variable", "value", *names])


def _few_alone(shape, having, alone: np.ndarray | None, least: int) -> np.ndarray:
    """Where all patients, the last column, have few of those who are in one table alone."""
    also = np.zeros(shape, dtype=bool)
    if alone is not None:
        also[: len(having), -1] = small([int((mask & alone).sum()) for mask in having], least)
    return also


def _quartiles(values: np.ndarray) -> str:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{middle:.4g} ({low:.4g} to {high:.4g})"


def survival(analysis: Analysis, least: int) -> list[Table]:
    """Survival in each group, a table per part of the patients."""
    hidden = _hidden_in_leaves(analysis, least)
    words = rules(analysis)
    part_tables = []
    for part in PARTS:
        table = analysis.survival[part]
        frame = table.reset_index()
        frame.insert(0, "group", [number_of(analysis, node) for node in frame["leaf"]])
        frame.insert(1, "rule", [words[node] for node in frame["leaf"]])
        if part == "all" and analysis.permutation_test is not None:
            permuted = analysis.permutation_test["logrank_p_permutation"]
            frame["logrank_p_permutation"] = permuted.reindex(frame["leaf"]).to_numpy()
        turned = {f"hazard_ratio_{e}_adjusted": f"hazard_ratio_adjusted_{e}" for e in ENDS}
        frame = frame.rename(columns=turned)
        notes = {s: frame.get(f"cox_note{s}") for s in ("", "_adjusted")}
        bounds = [f"{name}_{end}" for name in INTERVALS for end in ENDS]
        keep = sorted(
            (c for c in frame if c.removesuffix(HOLM) in OF_SURVIVAL or c in bounds),
            key=lambda c: OF_SURVIVAL.index(
                c.removesuffix("_low").removesuffix("_high").removesuffix(HOLM)
            ),
        )
        frame = frame[keep].astype({c: object for c in keep})
        for place, node in enumerate(table.index):
            for name in OF_PART:
                mask = hidden[part, name][list(analysis.numbers).index(node)]
                frame.loc[place, name] = as_shown(int(table.loc[node, name]), mask, least)
            if small(table.loc[node, ["n", "events"]].to_numpy(int), least).any():
                gone = [c for c in frame if c.startswith(OF_GROUP)]
                frame.loc[place, gone] = WITHHELD
                continue
            for suffix, words_ in notes.items():
                if words_ is not None and words_.iloc[place]:
                    frame.loc[place, f"hazard_ratio{suffix}"] = f"({words_.iloc[place]})"
        frame = frame.iloc[np.argsort([int(number) for number in frame["group"]], kind="stable")]
        title = f"Survival in each group: {PARTS[part]}"
        part_tables.append(Table(f"survival_{part}", title, _caption(analysis, part, least), frame))
    return part_tables


def _caption(analysis: Analysis, part: str, least: int) -> str:
    p = analysis.survival[part].attrs["multivariate_logrank_p"]
    text = {
        "all": "Leaves were chosen by the outcome of three quarters of these patients, so that "
        "groups look further apart than they are.",
        "training": "Leaves were chosen by the outcome of these patients, so that groups look "
        "further apart than they are.",
        "test": "The tree has not seen these patients: what is left of the differences is here.",
    }[part]
    text += (
        f" Times in {analysis.cohort.unit} by which the event came (Kaplan-Meier), and the mean "
        f"time without it up to {analysis.cohort.horizon:g} (restricted mean); log-rank of a "
        "group against all patients and against the rest; hazard ratio of a group against the "
        "rest (Cox, 95 % CI); p, proportional: where it is small the ratio changes over "
        f"time, and the one here is a mean. All groups at once: {p_words(p)}."
    )
    if analysis.settings.life_table is not None:
        text += (
            " Population: people of the same ages and sexes by the life table "
            f"{analysis.settings.life_table}, who die of all causes; by when half of them "
            "have died, and the share who live at the last time of the group."
        )
    if analysis.settings.adjust:
        names = [analysis.cohort.columns[n].label for n in analysis.settings.adjust]
        n_adjusted = int(analysis.survival[part]["n_adjusted"].iloc[0])
        of = int(analysis.survival[part]["n"].sum())
        few = small([n_adjusted, of - n_adjusted], least).any()
        text += f" Adjusted for {', '.join(names)}"
        text += "." if few else f", of the {n_adjusted} patients of whom these are known."
    if analysis.has_competing_risks:
        text += " Events of other causes end the follow-up, except in incidence (Aalen-Johansen)."
    if analysis.entry is not None:
        text += " Patients are at risk from when they came under observation on."
        if analysis.has_competing_risks:
            text += (
                " There is no Gray's test: it counts patients from the start, and --entry does not."
            )
    if part == "all" and analysis.permutation_test is not None:
        permuted = analysis.permutation_test.attrs
        text += (
            f" Permuted: p after {permuted['n_permutations']} permutations of the outcomes through "
            "the whole analysis, all groups at once "
            f"{p_words(permuted['multivariate_logrank_p_permutation'])}."
        )
    return text


def _hidden_in_leaves(analysis: Analysis, least: int) -> dict[tuple[str, str], np.ndarray]:
    """What of n and events of each leaf and part is hidden; rows in the order of the leaves."""
    nodes = list(analysis.numbers)
    counts = {name: np.zeros((len(nodes) + 1, 3), dtype=int) for name in OF_PART}
    for place, part in enumerate(("training", "test", "all")):
        in_part = analysis.groups.part(part) & analysis.is_included
        for row, node in enumerate(nodes):
            inside = in_part & (analysis.groups.leaf == node)
            counts["n"][row, place] = inside.sum()
            counts["events"][row, place] = (inside & (analysis.event == 1)).sum()
    for table in counts.values():
        table[-1] = table[:-1].sum(axis=0)
    few = protected(counts["n"], least)
    # Who had no event are a count as well.
    rest = small(counts["n"] - counts["events"], least) if least else None
    masks = {"n": few, "events": protected(counts["events"], least, also=rest)}
    return {
        (part, name): masks[name][:-1, place]
        for name in OF_PART
        for place, part in enumerate(("training", "test", "all"))
    }


def withheld_leaves(analysis: Analysis, least: int) -> set[int]:
    """Leaves whose number of events, of all patients, would give a small one away."""
    mask = _hidden_in_leaves(analysis, least)["all", "events"]
    events = analysis.survival["all"]["events"].reindex(list(analysis.numbers), fill_value=0)
    hidden = (mask != SHOWN) & ~small(events.to_numpy(), least)  # small ones are written <5
    return {node for node, is_hidden in zip(analysis.numbers, hidden, strict=True) if is_hidden}


def next_patient(analysis: Analysis, least: int) -> list[Table]:
    """Risk of the next patient in each group, beside that of the patients who made the groups."""
    import pandas as pd

    if not analysis.risks or not analysis.separates_patients:
        return []
    table, words = analysis.validation.risks, rules(analysis)
    hidden = _hidden_in_leaves(analysis, least)
    rows = []
    for node in analysis.numbers:
        if node not in table.index:
            continue
        group_row = analysis.survival["all"].loc[node]
        place = list(analysis.numbers).index(node)
        row = {"group": number_of(analysis, node), "rule": words[node]}
        row["n"] = as_shown(int(group_row["n"]), hidden["all", "n"][place], least)
        few = small([int(group_row["n"]), int(group_row["events"])], least).any()
        # Where all events come by the horizon, the risk tells their number.
        with_event = (analysis.groups.leaf == node) & analysis.is_included & (analysis.event == 1)
        by_then = (analysis.time[with_event] <= analysis.cohort.horizon).all()
        few |= by_then and hidden["all", "events"][place] != SHOWN
        values = table.loc[node, list(OF_NEXT)].to_dict()
        row |= dict.fromkeys(OF_NEXT, WITHHELD) if few else values
        rows.append(row)
    rows.sort(key=lambda row: int(row["group"]))
    validation = analysis.validation
    return [
        Table(
            "next_patient",
            "Risk of the next patient",
            f"Risk of the event by {analysis.cohort.horizon_text}. These patients: those of whom "
            "the groups were made, so that groups look further apart than "
            "they are. Next patient: corrected for that, with the interval (95 %) that holds the "
            "risk of such a group in other patients of the same source. By "
            f"{validation.n_bootstraps} bootstraps of all steps (labels, division, growth, "
            f"estimates), seed {analysis.settings.seed}; how often such intervals hold is measured "
            "in benchmarks/next_patient.py." + no_risk(analysis),
            pd.DataFrame(rows),
        )
    ]


def treatment_tables(analysis: Analysis, least: int) -> list[Table]:
    """Treated against untreated patients in each group."""
    treated_tables = []
    for way, table in analysis.treated.items():
        frame = table.reset_index()
        frame.insert(0, "group", [number_of(analysis, node) for node in frame["leaf"]])
        frame = frame.rename(
            columns={
                f"hazard_ratio_{end}_{of}": f"hazard_ratio_{of}_{end}"
                for of in ("adjusted", "weighted")
                for end in ENDS
            }
        )
        keep = ["group", "n_treated", "n_untreated", "n_left_out"]
        keep += ["events_treated", "events_untreated", "median_treated", "median_untreated"]
        bounds = {name: [f"{name}_{end}" for end in ENDS] for name in INTERVALS}
        models = [c for name in OF_TREATMENT for c in (name, *bounds.get(name, ())) if c in frame]
        keep += models
        notes = {s: frame.get(f"cox_note{s}") for s in ("", "_adjusted", "_weighted")}
        frame = frame[keep].astype({c: object for c in keep})
        masks = _hidden_in_treated(analysis, table, least)
        for place in range(len(frame)):
            for name, mask in masks.items():
                frame.loc[place, name] = as_shown(int(table[name].iloc[place]), mask[place], least)
            few = {
                group: small(table[[f"n_{group}", f"events_{group}"]].iloc[place], least).any()
                for group in ("treated", "untreated")
            }
            for group, hide in few.items():
                if hide:
                    frame.loc[place, f"median_{group}"] = WITHHELD
            if any(few.values()):
                frame.loc[place, models] = WITHHELD
                continue
            for suffix, words_ in notes.items():
                if words_ is not None and words_.iloc[place]:
                    frame.loc[place, f"hazard_ratio{suffix}"] = f"({words_.iloc[place]})"
        named = {"logrank_p": "treated_p", "logrank_p_holm": "treated_p_holm"}
        frame = frame.rename(columns=named)
        if way == "inclusion":
            # Of the same patients from another time on: differences of counts would tell of few.
            gone = [c for c in OF_COUNTS if least or c == "n_left_out"]
            frame = frame.drop(columns=gone)
        treated_tables.append(
            Table(f"treated_{way}", *_treatment_caption(analysis, way), frame, True)
        )
    return treated_tables


def withheld_treated(analysis: Analysis, least: int) -> set[int]:
    """Leaves (-1: all) of which a number of treated or untreated patients is not shown."""
    table = analysis.treated["landmark"]
    masks = _hidden_in_treated(analysis, table, least)
    hidden = np.any([masks[name] != SHOWN for name in OF_COUNTS[:3]], axis=0)
    return {int(node) for node in table.index[hidden]}


def _hidden_in_treated(
    analysis: Analysis, table: pd.DataFrame, least: int
) -> dict[str, np.ndarray]:
    """By column what is hidden; the first row is that of all patients."""
    order = [*range(1, len(table)), 0]
    names = ["n_treated", "n_untreated", "n_left_out"]
    counts = table[names].to_numpy(int)[order]
    counts = np.column_stack([counts, counts.sum(axis=1)])
    # With the table of survival in each group sums would tell of few who are here alone.
    alone, leaf = analysis.is_compared & ~analysis.is_included, analysis.groups.leaf
    nodes = table.index.to_numpy()[order]
    here = [int((alone & ((leaf == node) | (node == -1))).sum()) for node in nodes]
    also = np.zeros(counts.shape, dtype=bool)
    also[:, -1] = small(here, least)
    back = np.argsort(order)
    few = protected(counts, least, also=also)[back]
    masks = {name: few[:, k] for k, name in enumerate(names)}
    for group in ("treated", "untreated"):
        n, events = (table[f"{name}_{group}"].to_numpy(int)[order] for name in ("n", "events"))
        rest = small(n - events, least)[:, None] if least else None
        mask = protected(events[:, None], least, rows=False, also=rest)[back, 0]
        masks[f"events_{group}"] = mask
    return masks


def _treatment_caption(analysis: Analysis, way: str) -> tuple[str, str]:
    unit, landmark = analysis.cohort.unit, f"{analysis.landmark:.3g}"
    is_dated = analysis.cohort.treated_when
    who = f"within {landmark} {unit} of inclusion" if is_dated else "at any time, as the table says"
    text = f"Treated: {who}. Time begins at "
    if way == "landmark":
        title = "Treated and untreated, counted from the landmark"
        text += f"{landmark} {unit}, with those who are still followed and without the event"
        text += (
            ", so that the wait for a treatment is not credited to it."
            if is_dated
            else ". The time of treatment is not given: a wait beyond the landmark is credited "
            "to the treatment, and this biases the comparison (immortal time bias)."
        )
    else:
        title = "Treated and untreated, counted from inclusion"
        text += (
            "inclusion: the treated could not die before they were treated, and look better for it "
            "(immortal time bias)."
        )
        text += (
            " The table is here to show by how much."
            if is_dated
            else " The time of treatment is not given: no table of this page shows by how much."
        )
    text += " A later treatment of the untreated counts for nothing." * is_dated
    if analysis.entry is not None:
        text += " Who came under observation later is at risk from then on."
    return title, text + _models_caption(analysis, way)


def _models_caption(analysis: Analysis, way: str) -> str:
    """What the models of treated against untreated are, and whether the groups differ in them."""
    about = analysis.treated[way].attrs
    p = about.get("interaction_p", math.nan)
    text = f" Whether the ratio differs between the groups: {p_words(p)}" if p == p else ""
    if not analysis.settings.adjust:
        return text + "." * bool(text)
    p = about.get("interaction_p_adjusted", math.nan)
    text += f", adjusted {p_words(p)}" if text and p == p else ""
    names = ", ".join(analysis.cohort.columns[n].label for n in analysis.settings.adjust)
    return (
        text
        + "." * bool(text)
        + (
            f" Adjusted for {names}. Weighted: by the chance of being treated given these (overlap "
            "weights), so that treated and untreated are alike in them; the largest standardised "
            "difference between the two is shown before and after. What is not among them is not "
            "taken out."
        )
    )


def performance_table(analysis: Analysis, least: int) -> Table:
    """How good the risks are in the test part, in all of it and by sex and age."""
    import pandas as pd

    table, rows = analysis.performance, []
    assert table is not None
    keep = [c for name in OF_PERFORMANCE for c in (name, *(f"{name}_{end}" for end in ENDS))]
    for by, subgroup in table.groupby("by", sort=False):
        counts = subgroup["n"].to_numpy(int)
        whole = int(table["n"].iloc[0])
        # Who has none of the levels is the rest.
        line = np.append(counts, [whole - counts.sum(), whole])
        hidden = protected(line[None], least, columns=False)[0] if by else np.zeros(3, dtype=int)
        for place, row in enumerate(subgroup.to_dict("records")):
            n, events = int(row["n"]), int(row["events"])
            few = small([n, events, n - events], least).any() or hidden[place] != SHOWN
            shown = {"variable": str(by) or "all", "value": str(row["level"]) if by else ""}
            shown["n"] = as_shown(n, hidden[place], least)
            values = dict.fromkeys(keep, WITHHELD) if few else {name: row[name] for name in keep}
            rows.append(shown | values)
    return Table(
        "performance",
        "How good the risks are",
        f"Test part, at {analysis.cohort.horizon_text}; the risk is that of the training "
        "part. Area under the curve of those with the event by the horizon against "
        "those without, squared error (Brier), and what it takes off the error of one risk for "
        "everybody (1: all, 0: nothing); share with the event by what was expected. Intervals (95 "
        f"%) are of {table.attrs['n_bootstraps']} resamples of the test part, seed "
        f"{analysis.settings.seed}: they take the tree as it is."
        + (
            ""
            if analysis.entry is None
            else " Pairs of patients count while both are under observation; in all else patients "
            "are weighted for those who had the event before they could come."
        ),
        pd.DataFrame(rows),
    )


def calibration_table(analysis: Analysis, least: int) -> Table:
    """Predicted and observed risk of each group."""
    table = analysis.calibration
    frame = table.reset_index()
    frame.insert(0, "group", [number_of(analysis, node) for node in frame["leaf"]])
    frame = frame.drop(columns="leaf")
    frame = frame.astype({c: object for c in frame})
    order = [*range(1, len(table)), 0]
    counts = table[["n", "events"]].to_numpy(int)[order]
    back, masks = np.argsort(order), {}
    masks["n"] = protected(counts[:, :1], least, rows=False)[back, 0]
    rest = small(counts[:, 0] - counts[:, 1], least)[:, None] if least else None
    masks["events"] = protected(counts[:, 1:], least, rows=False, also=rest)[back, 0]
    # As the table of survival in the test part hides them.
    whole = _hidden_in_leaves(analysis, least)["test", "n"]
    masks["n"][1:] = np.maximum(masks["n"][1:], whole)
    learnt = {node: few.any() for node, few in few_classes(analysis, least).items()}
    for place, node in enumerate(table.index):
        for name, mask in masks.items():
            frame.loc[place, name] = as_shown(int(table.loc[node, name]), mask[place], least)
        few = small(table.loc[node, ["n", "events"]].to_numpy(int), least).any()
        # Without censoring the share is the count: it is withheld with it.
        if few or masks["events"][place] != SHOWN:
            frame.loc[place, ["observed", "observed_low", "observed_high"]] = WITHHELD
        if learnt.get(node, False):
            frame.loc[place, ["predicted", "estimated"]] = WITHHELD
    if least:
        # Those after the horizon would be their difference to the table of survival.
        frame = frame.drop(columns="events")
    way = "Aalen-Johansen" if analysis.has_competing_risks else "Kaplan-Meier"
    censored = analysis.has_competing_risks and analysis.settings.competing == "censored"
    by = ", by another event or without one," if censored else ""
    return Table(
        "calibration",
        "Predicted and observed risk",
        f"Risk of the event by {analysis.cohort.horizon_text}. Share of the tree: of "
        f"the training patients whose class is known; {_unknown(analysis, by)}. Training "
        f"part and test part: {way}, which counts them as long as they were followed (95 % "
        "CI)."
        + ("" if analysis.entry is None else " All count from when they came under observation.")
        + no_risk(analysis),
        frame,
    )


def no_risk(analysis: Analysis) -> str:
    """Why a group has no risk, after a caption; empty where all have one."""
    if not analysis.leaves_without_risk:
        return ""
    numbers = ", ".join(str(analysis.numbers[node]) for node in analysis.leaves_without_risk)
    return (
        f" No risk (group {numbers}): {too_few(analysis.settings.min_followed)} of the patients "
        "could be followed to the horizon, so that nothing can be said there."
    )


def _unknown(analysis: Analysis, by: str) -> str:
    """What becomes of patients whose class is not known, in the share of the tree."""
    gone = f"those whose follow-up ends early{by}"
    if not analysis.settings.weights:
        return f"{gone} are left out, as in the thesis, so that it is too high where many are"
    if analysis.entry is None:
        return f"by weights these stand for {gone.rstrip(',')}"
    before = "those who had the event before they could come under observation"
    return f"by weights these stand for {gone} and for {before}"


def few_classes(analysis: Analysis, least: int) -> dict[int, np.ndarray]:
    """By leaf which of the two classes, none or the event, few training patients are known to have.

    Of the weights of the tree, which are counts where patients are not weighted.
    """
    weight, groups = analysis.groups.tree_.class_weight, analysis.groups
    few = {node: small(np.rint(weight[node]).astype(int), least) for node in analysis.numbers}
    if analysis.entry is not None:  # a weight of late entry is no count, nor at least as large
        for node in few:
            y = groups.labels.y[groups.training & (groups.leaf == node)]
            few[node] |= small([(y == 0).sum(), (y == 1).sum()], least)
    return few


def decisions(analysis: Analysis, least: int) -> Table:
    """Net benefit over thresholds."""
    table = analysis.decisions
    has_risk = ~np.isnan(estimated(analysis.groups, analysis.calibration))
    n = int((~analysis.groups.training & analysis.is_included & has_risk).sum())
    treated_ = table["n_treated"].to_numpy()
    frame = table.astype({"n_treated": object, "tree": object})
    hide = withheld_decisions(analysis, least)
    for place in np.flatnonzero(hide):
        count = int(treated_[place])
        frame.loc[place, "n_treated"] = as_shown(count, PRIMARY if 0 < count < n else SHOWN, least)
        frame.loc[place, "tree"] = WITHHELD
    frame = frame[(frame["threshold"] * 100).round() % 5 == 0].reset_index(drop=True)
    return Table(
        "decision_curve",
        "Net benefit of treating by the tree's risk",
        "Test part. Per patient: the share treated who have the event by the horizon, less the "
        "share treated who do not, weighted by the odds of the threshold (Vickers and Elkin 2006); "
        "shares of events by Kaplan-Meier, or Aalen-Johansen where causes compete, so that "
        "censored patients count as long as they were followed"
        + ("" if analysis.entry is None else ", and from when they came under observation on")
        + ". It asks whether the tree finds "
        "those who will have the event, and says nothing on what a treatment does.",
        frame,
    )


def withheld_decisions(analysis: Analysis, least: int) -> np.ndarray:
    """Thresholds at which few are treated, or not, or few of them or of the others have the event.

    Returns
    -------
    (k,) bool array
    """
    test = ~analysis.groups.training & analysis.is_included
    risk = estimated(analysis.groups, analysis.calibration)
    test &= ~np.isnan(risk)
    risk = risk[test]
    had = (analysis.event[test] == 1) & (analysis.time[test] <= analysis.cohort.horizon)
    treated_ = analysis.decisions["n_treated"].to_numpy()
    above = np.array([int((had & (risk >= t)).sum()) for t in analysis.decisions["threshold"]])
    counts = (treated_, len(risk) - treated_, above, int(had.sum()) - above)
    return np.any([small(count, least) for count in counts], axis=0)
