"""Tables and sentences of a model in another hospital, small counts taken out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hedgerow_clinic.analysis import notes_on_entry
from hedgerow_clinic.checklist import no_risk_message
from hedgerow_clinic.disclosure import SHOWN, WITHHELD, as_shown, protected, small
from hedgerow_clinic.external_validation import Measure, Validation, recalibrated_risks
from hedgerow_clinic.model import Input
from hedgerow_clinic.table_format import Table, estimated, format_value
from hedgerow_clinic.tables import (
    ANALYSED,
    LEFT_OUT,
    LEFT_OUT_ENTERED,
    NO_PATIENTS,
    ROWS,
    hidden_rows,
)

if TYPE_CHECKING:
    import pandas as pd

#: Differences of shares and means from which two hospitals are called unlike (Austin 2009).
LARGE_DIFFERENCE = 0.1
NAMES = {
    "ratio": "Observed over expected",
    "intercept": "Calibration intercept",
    "slope": "Calibration slope",
    "concordance": "Concordance",
    "brier": "Brier score",
    "scaled_brier": "Scaled Brier score",
}
MEANINGS = {
    "ratio": "1: as many events as expected; above 1: more",
    "intercept": "0: right on the whole; above 0: risks are too low",
    "slope": "1: risks are spread as they should be; below 1: too far apart",
    "concordance": "0.5: chance; 1: all pairs in the right order",
    "brier": "mean squared error of the risk; 0 is best",
    "scaled_brier": "share of the error of one risk for all that is gone; 0 or less: no better",
}


def tables(validation: Validation) -> dict[str, Table]:
    """Every table of the page, in its order."""
    ordered = [
        flow(validation),
        case_mix(validation),
        performance(validation),
        groups(validation),
        recalibration(validation),
        decisions(validation),
    ]
    return {table.id: table for table in ordered}


#: A line of the flow of patients.
TOO_LATE = "left out: came under observation at the horizon, or an intervention, or later"


def flow(validation: Validation) -> Table:
    """How many patients were used, and how their follow-up ended."""
    import pandas as pd

    cohort, least = validation.cohort, validation.least
    row = len(validation.nodes)
    read = max(cohort.n_rows, len(cohort) + cohort.n_left_out + validation.n_late)
    others = read - len(cohort) - cohort.n_left_out - validation.n_late
    hidden = hidden_rows([others, cohort.n_left_out, validation.n_late], least)
    n_hidden = int(validation.counts.mask[row, 4])
    lines = [
        (ROWS, as_shown(read, int(hidden[-1]), least)),
        (NO_PATIENTS, as_shown(others, int(hidden[0]), least)),
        (
            LEFT_OUT if validation.entry is None else LEFT_OUT_ENTERED,
            as_shown(cohort.n_left_out, int(hidden[1]), least),
        ),
        (ANALYSED, as_shown(len(cohort), n_hidden, least)),
        ("event by the horizon", validation.counts.shown(row, "events", least)),
        ("another event before", validation.counts.shown(row, "other", least)),
        ("follow-up ended before", validation.counts.shown(row, "ended", least)),
        ("followed to the horizon", validation.counts.shown(row, "followed", least)),
    ]
    if validation.entry is not None:
        lines.insert(3, (TOO_LATE, as_shown(validation.n_late, int(hidden[2]), least)))
    if not others:
        lines.pop(1)
    ends = " until the intervention" if cohort.treated_at is not None else ""
    return Table(
        "flow",
        "Patients",
        f"Events and follow-up{ends}; horizon {validation.model.horizon_text}, "
        "which is that of the model."
        + (
            ""
            if validation.entry is None
            else " Patients count from when they came under observation, and stand, by weights, "
            "for those who had the event before."
        ),
        pd.DataFrame(lines, columns=["about", "count"]),
    )


# ------------------------------------------------------------------------------------ case mix


def case_mix(validation: Validation) -> Table:
    """What the patients of both hospitals are like."""
    import pandas as pd

    rows = [("Patients", "n", validation.model.n, _n_patients(validation), math.nan)]
    for variable in validation.model.inputs:
        rows += _input_rows(validation, variable)
    rows += _group_rows(validation)
    return Table(
        "case_mix",
        "Patients of both hospitals",
        "Median (quartiles) of numbers, shares of categories among those of whom they are known; "
        "the first hospital as its tree.json tells it. The standardised difference is that of "
        "means or shares over their pooled standard deviation, here less there; from "
        f"{LARGE_DIFFERENCE:g} on hospitals are called unlike (Austin 2009).",
        pd.DataFrame(rows, columns=["variable", "value", "first", "here", "difference"]),
    )


def _n_patients(validation: Validation) -> int | str:
    return validation.counts.shown(len(validation.nodes), "n", validation.least)


def _input_rows(validation: Validation, variable: Input) -> list[tuple]:
    least = validation.least
    title = f"{variable.label} ({variable.unit})" if variable.unit else variable.label
    if variable.name not in validation.X:
        return [(title, "not in this table", "", "", math.nan)]
    values = validation.X[variable.name].to_numpy(dtype=float)
    observed = values[~np.isnan(values)]
    missing = int(np.isnan(values).sum())
    rows: list[tuple] = []
    if variable.kind == "number":
        mask = protected(np.array([[missing, len(observed), len(values)]]), least, columns=False)[0]
        few = bool(small(len(observed), least)) or not len(observed)
        here = WITHHELD if few else _quartiles(*np.quantile(observed, [0.25, 0.5, 0.75]))
        first = _quartiles(variable.quarter, variable.median, variable.three_quarters)
        mean, sd = (math.nan, math.nan) if few else (observed.mean(), _sd(observed))
        rows.append((title, "median (quartiles)", first, here, _distance(variable, mean, sd)))
        gone = as_shown(missing, int(mask[0]), least)
    else:
        counts = [int((observed == k).sum()) for k in range(len(variable.levels))]
        # Categories that the model does not know are missing to it.
        mask = protected(np.array([[*counts, missing, len(values)]]), least, columns=False)[0]
        for k, level in enumerate(variable.levels):
            share = counts[k] / len(observed) if len(observed) else math.nan
            shown = mask[k] == SHOWN
            here = format_value(share, "s") if shown else as_shown(counts[k], int(mask[k]), least)
            first = WITHHELD if level.share is None else format_value(float(level.share), "s")
            distance = _between_shares(level.share, share) if shown else math.nan
            rows.append((variable.label, level.level, first, here, distance))
        gone = as_shown(missing, int(mask[-2]), least)
    if missing or variable.missing != 0:
        rows.append((variable.label, "missing", str(variable.missing), str(gone), math.nan))
    return rows


def _group_rows(validation: Validation) -> list[tuple]:
    rows = []
    total, first_n = len(validation.leaf), validation.model.n
    for row, group in enumerate(validation.model.groups):
        here = validation.counts.shown(row, "n", validation.least)
        first = group.n
        shares = [
            n / of if isinstance(n, int) and isinstance(of, int) and of else math.nan
            for n, of in ((first, first_n), (here, total))
        ]
        if isinstance(_n_patients(validation), str):
            shares[1] = math.nan
        texts = [
            format_value(share, "s") if share == share else str(n)
            for share, n in zip(shares, (first, here), strict=True)
        ]
        rows.append((f"Group {group.number}", group.rule, *texts, _between_shares(*shares)))
    return rows


def _quartiles(low, middle, high) -> str:
    if middle is None:
        return WITHHELD
    return f"{middle:.4g} ({low:.4g} to {high:.4g})"


def _sd(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _distance(variable: Input, mean: float, sd: float) -> float:
    if variable.mean is None or variable.sd is None:
        return math.nan
    pooled = math.sqrt((variable.sd**2 + sd**2) / 2.0) if sd == sd else math.nan
    return (mean - variable.mean) / pooled if pooled else math.nan


def _between_shares(first: float | None, here: float | None) -> float:
    if first is None or here is None or first != first or here != here:
        return math.nan
    pooled = math.sqrt((first * (1.0 - first) + here * (1.0 - here)) / 2.0)
    return (here - first) / pooled if pooled else math.nan


# ---------------------------------------------------------------------------------- performance


def performance(validation: Validation) -> Table:
    """Measures with their intervals."""
    import pandas as pd

    several = (
        " Causes compete: observed is the incidence (Aalen-Johansen), another event counts as not "
        "having had this one; in concordance it ends the follow-up."
        if validation.has_competing_risks
        else ""
    )
    rows = []
    for name, measure in validation.measures.items():
        rows.append(
            {
                "measure": NAMES[name],
                "estimate": measure.value,
                "estimate_low": measure.low,
                "estimate_high": measure.high,
                "meaning": MEANINGS[name],
            }
        )
    order = list(NAMES.values())
    rows.sort(key=lambda row: order.index(row["measure"]))
    drawn = (
        f"95 % CI are percentiles of {validation.resamples} samples with replacement, that "
        "of observed over expected is the one of the observed share."
        if validation.resamples
        else "No samples were drawn (--resamples 200), so that most intervals lack."
    )
    return Table(
        "performance",
        "How the model does here",
        "Intercept and slope of calibration by logistic regression on the logit of the risk "
        "(Cox 1958; Van Calster and others 2016), the censored stood for by others (inverse "
        "probability of censoring; Blanche, Holt and Scheike 2023); so in the Brier score at the "
        f"horizon (Graf and others 1999). Concordance: Harrell. {drawn}{several}",
        pd.DataFrame(rows),
    )


def groups(validation: Validation) -> Table:
    """Risk of each group by the first hospital, and what was observed."""
    import pandas as pd

    rows, least = [], validation.least
    entries = [*enumerate(validation.model.groups), (len(validation.nodes), None)]
    for row, group in entries:
        n, events = (validation.counts.shown(row, name, least) for name in ("n", "events"))
        node = -1 if group is None else group.node
        share, low, high = validation.observed[node]
        few = validation.is_few(row)
        rows.append(
            {
                "group": "All" if group is None else str(group.number),
                "rule": "all patients" if group is None else group.rule,
                "n": n,
                "events": events,
                "expected": validation.expected if group is None else _number(group.risk),
                "expected_low": math.nan if group is None or group.low is None else group.low,
                "expected_high": math.nan if group is None or group.high is None else group.high,
                "seen": WITHHELD if few else share,
                "seen_low": WITHHELD if few else low,
                "seen_high": WITHHELD if few else high,
            }
        )
    way = "Aalen-Johansen" if validation.has_competing_risks else "Kaplan-Meier"
    rough = [str(group.number) for group in validation.model.groups if group.few]
    more = (
        f" Risks without an interval (group {', '.join(rough)}) are rough: few patients were in "
        "that group of the first hospital."
        if rough
        else ""
    )
    frame = pd.DataFrame(rows)
    return Table(
        "groups",
        "Expected and observed, by group",
        f"Risk of the event by {validation.model.horizon_text}, by the first "
        f"hospital and as observed here ({way}), with 95 % CI; events by the horizon.{more}",
        frame.astype({name: object for name in frame if name.startswith("seen")}),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def recalibration(validation: Validation) -> Table:
    """Risks for this hospital, in three ways."""
    import pandas as pd

    risks, rows = recalibrated_risks(validation), []
    for row, group in enumerate(validation.model.groups):
        group_risks = risks[group.node]
        _, low, high = validation.observed[group.node]
        few = validation.is_few(row)
        rows.append(
            {
                "group": str(group.number),
                "rule": group.rule,
                "expected": _number(group.risk),
                "shifted": group_risks["shifted"],
                "fitted": group_risks["fitted"],
                "seen": WITHHELD if few else group_risks["estimated"],
                "seen_low": WITHHELD if few else low,
                "seen_high": WITHHELD if few else high,
            }
        )
    frame = pd.DataFrame(rows)
    return Table(
        "recalibration",
        "Risks for this hospital",
        "Shifted: the logit of every risk plus the calibration intercept; shifted and stretched: "
        "intercept and slope, both estimated here; observed here: each group's own estimate, which "
        "tree_recalibrated.json holds (of a group of few patients, the shifted risk). They were "
        "learnt from these patients: how well they do is for a further hospital to say.",
        frame.astype({name: object for name in frame if name.startswith("seen")}),
    )


def decisions(validation: Validation) -> Table:
    """Net benefit over thresholds."""
    frame = validation.decisions.astype({"n_treated": object, "tree": object})
    for place in np.flatnonzero(validation.is_withheld):
        frame.loc[place, ["n_treated", "tree"]] = WITHHELD
    frame = frame[(frame["threshold"] * 100).round() % 5 == 0].reset_index(drop=True)
    return Table(
        "decision_curve",
        "Net benefit of treating by the first hospital's risks",
        "Per patient: the share treated who have the event by the horizon, less the share treated "
        "who do not, weighted by the odds of the threshold (Vickers and Elkin 2006); shares of "
        "events by Kaplan-Meier, or Aalen-Johansen where causes compete.",
        frame,
    )


# ------------------------------------------------------------------------------------ sentences


def with_interval(measure: Measure, kind: str = "b") -> str:
    """A measure as a sentence says it."""
    return estimated(measure.value, measure.low, measure.high, kind)


def summary(validation: Validation) -> list[str]:
    """Sentences for the top of the page and of the sheet, without counts of groups."""
    measures, unit = validation.measures, validation.model.horizon_text
    needed = validation.model.min_followed
    share, low, high = validation.observed[-1]
    lines = [
        f"By {unit}, {estimated(share, low, high, 's')} of the patients here had the "
        f"event; the first hospital's risks expect {format_value(validation.expected, 's')}. "
        f"Observed over expected: {with_interval(measures['ratio'])}.",
        f"Calibration: intercept {with_interval(measures['intercept'])}, slope "
        f"{with_interval(measures['slope'])}; 0 and 1 would be right.",
        f"Concordance {with_interval(measures['concordance'])}: of two patients of whom one has "
        "the event earlier, how often that one has the higher risk; pairs of one group count half.",
        f"Brier score {with_interval(measures['brier'])}; "
        f"{with_interval(measures['scaled_brier'], 's')} of the error of one risk for all is gone.",
    ]
    if validation.groups_without_risk:
        rows = [number - 1 for number in validation.groups_without_risk]
        counts = [validation.counts.shown(row, "n", validation.least) for row in rows]
        lines.insert(
            0,
            no_risk_message(
                validation.groups_without_risk, counts, _n_patients(validation), unit, needed
            ),
        )
    divided = int((validation.shares < 1.0).sum())
    if divided:
        mask = protected(
            np.array([[divided, len(validation.leaf) - divided, len(validation.leaf)]]),
            validation.least,
            columns=False,
        )
        lines.append(
            f"{as_shown(divided, int(mask[0, 0]), validation.least)} patients have no value at a "
            "test on their way: each is in the group that gets the largest share."
        )
    return lines


def notes(validation: Validation) -> list[str]:
    """Warnings for the top of the page."""
    model, lines = validation.model, []
    if not model.finds:
        lines.append(
            "In the first hospital this tree did not tell new patients apart, and its page gives "
            "no risks: the groups here may be due to chance."
        )
    if model.ends_at_intervention and validation.cohort.treated_at is None:
        lines.append(
            "In the first hospital an intervention ended the follow-up, and here none is named "
            "(--intervention): outcomes are not the same where patients were treated."
        )
    if validation.has_competing_risks and not model.has_competing_risks:
        lines.append(
            "Causes compete here and did not in the first hospital, whose risks are those without "
            "other causes: they are too high for an incidence."
        )
    if validation.entry is not None:
        numbers = {group.node: group.number for group in model.groups}
        about = (validation.leaf, validation.time, validation.event, validation.entry)
        lines += notes_on_entry(numbers, *about, model.unit)
    mix = case_mix(validation).frame
    apart = mix[mix["difference"].abs() >= LARGE_DIFFERENCE]
    named = list(dict.fromkeys(v for v in apart["variable"] if not v.startswith("Group ")))
    if named:
        lines.append(
            f"The patients are unlike those of the first hospital in {', '.join(named[:8])}"
            + ", ..." * (len(named) > 8)
            + f" (standardised difference of {LARGE_DIFFERENCE:g} or more)."
        )
    return lines


def words_of(validation: Validation) -> pd.DataFrame:
    """Words of event and treatment, without counts: other tables have those by the horizon."""
    import pandas as pd

    rows = [
        (name, word.text or "(empty)", word.meaning, "")
        for name, words in validation.cohort.words.items()
        for word in words
        if word.text or word.count
    ]
    return pd.DataFrame(rows, columns=["column", "value", "use", "count"])
