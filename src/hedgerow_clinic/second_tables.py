"""Tables and sentences of a model in another hospital, small counts taken out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hedgerow_clinic.analysis import notes_on_entry
from hedgerow_clinic.checklist import nothing_said
from hedgerow_clinic.disclosure import SHOWN, WITHHELD, as_shown, protected, small
from hedgerow_clinic.model import Input
from hedgerow_clinic.shown import Table, said
from hedgerow_clinic.tables import (
    ANALYSED,
    LEFT_OUT,
    LEFT_OUT_ENTERED,
    NO_PATIENTS,
    ROWS,
    hidden_rows,
)
from hedgerow_clinic.transport import Measure, Validation, recalibrated_risks

if TYPE_CHECKING:
    import pandas as pd

#: Differences of shares and means from which two hospitals are called unlike (Austin 2009).
UNLIKE = 0.1
NAMES = {
    "ratio": "Observed over expected",
    "intercept": "Calibration intercept",
    "slope": "Calibration slope",
    "concordance": "Concordance",
    "brier": "Brier score",
    "scaled_brier": "Scaled Brier score",
}
READ = {
    "ratio": "1: as many events as expected; above 1: more",
    "intercept": "0: right on the whole; above 0: risks are too low",
    "slope": "1: risks are spread as they should be; below 1: too far apart",
    "concordance": "0.5: chance; 1: all pairs in the right order",
    "brier": "mean squared error of the risk; 0 is best",
    "scaled_brier": "share of the error of one risk for all that is gone; 0 or less: no better",
}


def tables(found: Validation) -> dict[str, Table]:
    """Every table of the page, in its order."""
    made = [
        flow(found),
        case_mix(found),
        performance(found),
        groups(found),
        recalibration(found),
        decisions(found),
    ]
    return {table.id: table for table in made}


#: A line of the flow of patients.
TOO_LATE = "left out: came under observation at the horizon, or an intervention, or later"


def flow(found: Validation) -> Table:
    """How many patients were used, and how their follow-up ended."""
    import pandas as pd

    cohort, least = found.cohort, found.least
    row = len(found.nodes)
    read = max(cohort.n_rows, len(cohort) + cohort.n_left_out + found.n_late)
    others = read - len(cohort) - cohort.n_left_out - found.n_late
    hidden = hidden_rows([others, cohort.n_left_out, found.n_late], least)
    n_hidden = int(found.counts.mask[row, 4])
    lines = [
        (ROWS, as_shown(read, int(hidden[-1]), least)),
        (NO_PATIENTS, as_shown(others, int(hidden[0]), least)),
        (
            LEFT_OUT if found.entry is None else LEFT_OUT_ENTERED,
            as_shown(cohort.n_left_out, int(hidden[1]), least),
        ),
        (ANALYSED, as_shown(len(cohort), n_hidden, least)),
        ("event by the horizon", found.counts.shown(row, "events", least)),
        ("another event before", found.counts.shown(row, "other", least)),
        ("follow-up ended before", found.counts.shown(row, "ended", least)),
        ("followed to the horizon", found.counts.shown(row, "followed", least)),
    ]
    if found.entry is not None:
        lines.insert(3, (TOO_LATE, as_shown(found.n_late, int(hidden[2]), least)))
    if not others:
        lines.pop(1)
    ends = " until the intervention" if cohort.treated_at is not None else ""
    return Table(
        "flow",
        "Patients",
        f"Events and follow-up{ends}; horizon {found.model.horizon_text}, "
        "which is that of the model."
        + (
            ""
            if found.entry is None
            else " Patients count from when they came under observation, and stand, by weights, "
            "for those who had the event before."
        ),
        pd.DataFrame(lines, columns=["about", "count"]),
    )


# ------------------------------------------------------------------------------------ case mix


def case_mix(found: Validation) -> Table:
    """What the patients of both hospitals are like."""
    import pandas as pd

    rows = [("Patients", "n", found.model.n, _all(found), math.nan)]
    for own in found.model.inputs:
        rows += _of_input(found, own)
    rows += _of_groups(found)
    return Table(
        "case_mix",
        "Patients of both hospitals",
        "Median (quartiles) of numbers, shares of categories among those of whom they are known; "
        "the first hospital as its tree.json tells it. The standardised difference is that of "
        "means or shares over their pooled standard deviation, here less there; from "
        f"{UNLIKE:g} on hospitals are called unlike (Austin 2009).",
        pd.DataFrame(rows, columns=["variable", "value", "first", "here", "difference"]),
    )


def _all(found: Validation) -> int | str:
    return found.counts.shown(len(found.nodes), "n", found.least)


def _of_input(found: Validation, own: Input) -> list[tuple]:
    least = found.least
    title = f"{own.label} ({own.unit})" if own.unit else own.label
    if own.name not in found.X:
        return [(title, "not in this table", "", "", math.nan)]
    values = found.X[own.name].to_numpy(dtype=float)
    known = values[~np.isnan(values)]
    missing = int(np.isnan(values).sum())
    rows: list[tuple] = []
    if own.kind == "number":
        mask = protected(np.array([[missing, len(known), len(values)]]), least, columns=False)[0]
        few = bool(small(len(known), least)) or not len(known)
        here = WITHHELD if few else _quartiles(*np.quantile(known, [0.25, 0.5, 0.75]))
        first = _quartiles(own.quarter, own.median, own.three_quarters)
        mean, sd = (math.nan, math.nan) if few else (known.mean(), _sd(known))
        rows.append((title, "median (quartiles)", first, here, _distance(own, mean, sd)))
        gone = as_shown(missing, int(mask[0]), least)
    else:
        counts = [int((known == k).sum()) for k in range(len(own.levels))]
        # Categories that the model does not know are missing to it.
        mask = protected(np.array([[*counts, missing, len(values)]]), least, columns=False)[0]
        for k, level in enumerate(own.levels):
            share = counts[k] / len(known) if len(known) else math.nan
            shown = mask[k] == SHOWN
            here = said(share, "s") if shown else as_shown(counts[k], int(mask[k]), least)
            first = WITHHELD if level.share is None else said(float(level.share), "s")
            distance = _between_shares(level.share, share) if shown else math.nan
            rows.append((own.label, level.level, first, here, distance))
        gone = as_shown(missing, int(mask[-2]), least)
    if missing or own.missing != 0:
        rows.append((own.label, "missing", str(own.missing), str(gone), math.nan))
    return rows


def _of_groups(found: Validation) -> list[tuple]:
    rows = []
    total, first_n = len(found.leaf), found.model.n
    for row, group in enumerate(found.model.groups):
        here = found.counts.shown(row, "n", found.least)
        first = group.n
        shares = [
            n / of if isinstance(n, int) and isinstance(of, int) and of else math.nan
            for n, of in ((first, first_n), (here, total))
        ]
        if isinstance(_all(found), str):
            shares[1] = math.nan
        texts = [
            said(share, "s") if share == share else str(n)
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


def _distance(own: Input, mean: float, sd: float) -> float:
    if own.mean is None or own.sd is None:
        return math.nan
    pooled = math.sqrt((own.sd**2 + sd**2) / 2.0) if sd == sd else math.nan
    return (mean - own.mean) / pooled if pooled else math.nan


def _between_shares(first: float | None, here: float | None) -> float:
    if first is None or here is None or first != first or here != here:
        return math.nan
    pooled = math.sqrt((first * (1.0 - first) + here * (1.0 - here)) / 2.0)
    return (here - first) / pooled if pooled else math.nan


# ---------------------------------------------------------------------------------- performance


def performance(found: Validation) -> Table:
    """Measures with their intervals."""
    import pandas as pd

    several = (
        " Causes compete: observed is the incidence (Aalen-Johansen), another event counts as not "
        "having had this one; in concordance it ends the follow-up."
        if found.several
        else ""
    )
    rows = []
    for name, measure in found.measures.items():
        rows.append(
            {
                "measure": NAMES[name],
                "estimate": measure.value,
                "estimate_low": measure.low,
                "estimate_high": measure.high,
                "meaning": READ[name],
            }
        )
    order = list(NAMES.values())
    rows.sort(key=lambda row: order.index(row["measure"]))
    drawn = (
        f"95 % intervals are percentiles of {found.resamples} samples with replacement, that of "
        "observed over expected is the one of the observed share."
        if found.resamples
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


def groups(found: Validation) -> Table:
    """Risk of each group by the first hospital, and what was observed."""
    import pandas as pd

    rows, least = [], found.least
    entries = [*enumerate(found.model.groups), (len(found.nodes), None)]
    for row, group in entries:
        n, events = (found.counts.shown(row, name, least) for name in ("n", "events"))
        node = -1 if group is None else group.node
        share, low, high = found.observed[node]
        few = found.is_few(row)
        rows.append(
            {
                "group": "All" if group is None else str(group.number),
                "rule": "all patients" if group is None else group.rule,
                "n": n,
                "events": events,
                "expected": found.expected if group is None else _number(group.risk),
                "expected_low": math.nan if group is None or group.low is None else group.low,
                "expected_high": math.nan if group is None or group.high is None else group.high,
                "seen": WITHHELD if few else share,
                "seen_low": WITHHELD if few else low,
                "seen_high": WITHHELD if few else high,
            }
        )
    way = "Aalen-Johansen" if found.several else "Kaplan-Meier"
    rough = [str(group.number) for group in found.model.groups if group.few]
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
        f"Risk of the event by {found.model.horizon_text}, by the first "
        f"hospital and as observed here ({way}), with 95 % intervals; events by the horizon.{more}",
        frame.astype({name: object for name in frame if name.startswith("seen")}),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def recalibration(found: Validation) -> Table:
    """Risks for this hospital, in three ways."""
    import pandas as pd

    risks, rows = recalibrated_risks(found), []
    for row, group in enumerate(found.model.groups):
        own = risks[group.node]
        _, low, high = found.observed[group.node]
        few = found.is_few(row)
        rows.append(
            {
                "group": str(group.number),
                "rule": group.rule,
                "expected": _number(group.risk),
                "shifted": own["shifted"],
                "fitted": own["fitted"],
                "seen": WITHHELD if few else own["estimated"],
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


def decisions(found: Validation) -> Table:
    """Net benefit over thresholds."""
    frame = found.decisions.astype({"n_treated": object, "tree": object})
    for place in np.flatnonzero(found.withheld):
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
    text = said(measure.value, kind)
    if measure.low == measure.low and measure.high == measure.high:
        text += f" ({said(measure.low, kind)} to {said(measure.high, kind)})"
    return text.replace("-", "−")


def summary(found: Validation) -> list[str]:
    """Sentences for the top of the page and of the sheet, without counts of groups."""
    own, unit = found.measures, found.model.horizon_text
    needed = found.model.min_followed
    share, low, high = found.observed[-1]
    lines = [
        f"By {unit}, {with_interval(Measure(share, low, high), 's')} of the patients here had the "
        f"event; the first hospital's risks expect {said(found.expected, 's')}. Observed over "
        f"expected: {with_interval(own['ratio'])}.",
        f"Calibration: intercept {with_interval(own['intercept'])}, slope "
        f"{with_interval(own['slope'])}; 0 and 1 would be right.",
        f"Concordance {with_interval(own['concordance'])}: of two patients of whom one has the "
        "event earlier, how often that one has the higher risk; pairs of one group count half.",
        f"Brier score {with_interval(own['brier'])}; "
        f"{with_interval(own['scaled_brier'], 's')} of the error of one risk for all is gone.",
    ]
    if found.unknown:
        rows = [number - 1 for number in found.unknown]
        counts = [found.counts.shown(row, "n", found.least) for row in rows]
        lines.insert(0, nothing_said(found.unknown, counts, _all(found), unit, needed))
    divided = int((found.shares < 1.0).sum())
    if divided:
        mask = protected(
            np.array([[divided, len(found.leaf) - divided, len(found.leaf)]]),
            found.least,
            columns=False,
        )
        lines.append(
            f"{as_shown(divided, int(mask[0, 0]), found.least)} patients have no value at a test "
            "on their way: each is in the group that gets the largest share."
        )
    return lines


def notes(found: Validation) -> list[str]:
    """Warnings for the top of the page."""
    model, lines = found.model, []
    if not model.finds:
        lines.append(
            "In the first hospital this tree did not tell new patients apart, and its page gives "
            "no risks: the groups here may be due to chance."
        )
    if model.ends_at_intervention and found.cohort.treated_at is None:
        lines.append(
            "In the first hospital an intervention ended the follow-up, and here none is named "
            "(--intervention): outcomes are not the same where patients were treated."
        )
    if found.several and not model.several:
        lines.append(
            "Causes compete here and did not in the first hospital, whose risks are those without "
            "other causes: they are too high for an incidence."
        )
    if found.entry is not None:
        numbers = {group.node: group.number for group in model.groups}
        about = (found.leaf, found.time, found.event, found.entry)
        lines += notes_on_entry(numbers, *about, model.unit)
    mix = case_mix(found).frame
    apart = mix[mix["difference"].abs() >= UNLIKE]
    named = list(dict.fromkeys(v for v in apart["variable"] if not v.startswith("Group ")))
    if named:
        lines.append(
            f"The patients are unlike those of the first hospital in {', '.join(named[:8])}"
            + ", ..." * (len(named) > 8)
            + f" (standardised difference of {UNLIKE:g} or more)."
        )
    return lines


def words_of(found: Validation) -> pd.DataFrame:
    """Words of event and treatment, without counts: other tables have those by the horizon."""
    import pandas as pd

    rows = [
        (name, word.text or "(empty)", word.taken_for, "")
        for name, own in found.cohort.words.items()
        for word in own
        if word.text or word.count
    ]
    return pd.DataFrame(rows, columns=["column", "value", "use", "count"])
