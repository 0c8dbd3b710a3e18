"""What a report of a prediction model has to say, filled from the run where the run knows it.

The numbers are those of TRIPOD+AI (Collins and others, BMJ 2024; 385: e078378), all 52 of them; the
words are ours. They were compared with two public copies of the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedgerow.showing.numbers import interval, p_words
from hedgerow_clinic.analysis import PARTS, Analysis
from hedgerow_clinic.risks import too_few
from hedgerow_clinic.table_format import Table, format_value
from hedgerow_clinic.tables import ANALYSED

OPEN = "to be filled in by the authors"

#: Item, what it asks, and what the run answers; {names} are filled by `_answers`.
ITEMS = (
    ("1", "Title: a prediction model, its population, its outcome", OPEN),
    ("2", "Abstract", OPEN),
    ("3a", "Why the model is needed, and which others there are", OPEN),
    ("3b", "Whom it is for, where in their care, and who uses it", OPEN),
    ("3c", "Groups of people whose health is known to be worse", OPEN),
    ("4", "Aim: to make a model, or to test one", "the run makes a model and tests it"),
    ("5a", "Where the data come from", f"the file {{source}}; how it was gathered: {OPEN}"),
    ("5b", "Dates", "{dates}"),
    ("6a", "Setting and centres", OPEN),
    ("6b", "Who was included", "all rows with {included}"),
    ("6c", "Treatments and how they were dealt with", "{treatments}"),
    (
        "7",
        "Preparation of the data",
        "checked row by row; columns used and not used: table “{columns}”",
    ),
    (
        "8a",
        "Outcome",
        f"the event by {{horizon}}; {{taken_as}}; {{others}}its definition: {OPEN}",
    ),
    ("8b", "Who judged the outcome, where it had to be judged", OPEN),
    ("8c", "Whether they knew the predictors", OPEN),
    (
        "9a",
        "Choice of predictors",
        "{n_inputs} of the {n_columns} columns can be inputs, and all were offered to the tree, "
        "which tests {n_used}",
    ),
    ("9b", "Definition and time of predictors", f"names and units by the schema; {OPEN}"),
    ("9c", "Who judged the predictors, where they had to be judged", OPEN),
    (
        "10",
        "Size of the sample",
        "patients with the event by the horizon: {n_event}, without it: {n_free}; all were taken, "
        "no size was planned",
    ),
    (
        "11",
        "Missing values",
        "{missing}the tree sends such a patient down both branches by the shares of the others; "
        "adjusted models leave such patients out",
    ),
    (
        "12a",
        "Use of the data",
        "{training} % to learn from, the rest to test on, drawn class by class with the seed "
        "{seed}",
    ),
    ("12b", "Handling of predictors", "numbers as they are, categories as sets"),
    (
        "12c",
        "Kind of model and how it was made",
        "a decision tree (C4.5), at most {max_depth} tests deep, at least {min_samples_leaf} "
        "patients on each side of a test, pruned with the confidence 0.87, repeated variables "
        "weighted by 0.7; nothing was tuned; tested on the test part{bootstraps}",
    ),
    ("12d", "Differences between centres", OPEN),
    (
        "12e",
        "Measures of performance",
        "calibration of each group and net benefit in the test part, concordance {ranked}"
        "{corrected}",
    ),
    ("12f", "Changes of the model after testing", "none"),
    ("12g", "How predictions are made", "by the tree of this page, tree.json"),
    (
        "13",
        "Rare outcomes",
        "{weights} and no resampling; the share of the tree is compared with what was seen",
    ),
    ("14", "Fairness between groups of people", "{fairness}"),
    ("15", "What the model gives", "a group and its risk of the event by {horizon}"),
    (
        "16",
        "Training and test data",
        f"two parts of one table; another hospital tests the tree with `hedgerow validate`: {OPEN}",
    ),
    ("17", "Ethics", OPEN),
    ("18a", "Funding", OPEN),
    ("18b", "Conflicts of interest", OPEN),
    ("18c", "Protocol", OPEN),
    ("18d", "Registration", OPEN),
    ("18e", "Access to the data", f"the run copies no patient's row; {OPEN}"),
    (
        "18f",
        "Access to the code",
        "hedgerow {version}; command and settings: manifest.json",
    ),
    ("19", "Patients and public", OPEN),
    ("20a", "Flow of patients", "table “{flow}”"),
    ("20b", "Patients at inclusion", "table “{baseline}”"),
    ("20c", "Training against test part", "tables of survival in each of the two"),
    ("21", "Patients and events in each analysis", "in every table, where they can be shown"),
    ("22", "The whole model", "{n_leaves} groups by {used}; picture and tree.json"),
    ("23a", "Performance with intervals", "{performance}"),
    ("23b", "Performance between groups or centres", OPEN),
    ("24", "Results of changes of the model", "there were none"),
    ("25", "What the results mean", OPEN),
    (
        "26",
        "Limits",
        "found and tested in one table; groups were chosen by the outcome; further ones: " + OPEN,
    ),
    ("27a", "Poor or missing input at the bedside", "a missing value goes down both branches"),
    ("27b", "Who uses it and what they have to know", OPEN),
    ("27c", "What comes next", OPEN),
)


def checklist(analysis: Analysis, shown: dict[str, Table], source: str, version: str) -> Table:
    """The checklist of a run."""
    # source: name of the file.
    import pandas as pd

    answers = {"source": source, "version": version, **_answers(analysis, shown)}
    items = [(item, about, answer.format_map(answers)) for item, about, answer in ITEMS]
    frame = pd.DataFrame(items, columns=["item", "about", "answer"])
    done = int((~frame["answer"].str.contains(OPEN)).sum())
    return Table(
        "checklist",
        "What a report has to say",
        "Items are numbered as in TRIPOD+AI (Collins and others, BMJ 2024; 385: e078378), in words "
        f"of our own. The run answers {done} of {len(frame)}; the others wholly or in part are for "
        "the authors.",
        frame,
    )


def _answers(analysis: Analysis, shown: dict[str, Table]) -> dict[str, Any]:
    """What the items of the checklist say of this run."""
    cohort, settings, validation = analysis.cohort, analysis.settings, analysis.validation
    counts = shown["flow"].frame.set_index("about")["count"]
    tree = analysis.groups.tree_
    used = sorted({list(cohort.X)[f] for f in tree.feature.tolist() if f >= 0})
    n_missing = sum(cohort.X[name].isna().any() for name in cohort.X)
    included = f"{counts['analysed']} of {counts['in the file']}"
    if analysis.entry is None:
        included = f"time and event: {included}"
    else:
        included = (
            f"time, event and entry: {included}; patients count from when they came under "
            "observation, and those who had the event before it are not in the file"
        )
    return {
        "dates": cohort.period or f"the run knows times and no dates: {OPEN}",
        "included": included,
        "treatments": _treatments(analysis),
        "horizon": cohort.horizon_text,
        "taken_as": cohort.taken_as,
        "others": _others(analysis, counts),
        "n_inputs": cohort.X.shape[1],
        "n_columns": len(cohort.columns),
        "n_used": len(used),
        "used": ", ".join(cohort.columns[name].label for name in used) or "no test",
        "n_leaves": tree.n_leaves,
        "n_event": counts["known: event by the horizon"],
        "n_free": counts["known: no event by the horizon"],
        "missing": f"in {n_missing} inputs; " if n_missing else "no input has any; ",
        "training": f"{100 * (1 - settings.test_size):.0f}",
        "seed": settings.seed,
        "max_depth": settings.max_depth,
        "min_samples_leaf": settings.min_samples_leaf,
        "bootstraps": "" if validation is None else " and by bootstraps of all steps",
        "ranked": ", ".join(
            f"{100 * value:.0f} % ({PARTS[part]})" for part, value in analysis.concordance.items()
        ),
        "corrected": "" if validation is None else f"; {_corrected_concordance(analysis)}",
        "weights": _weights(analysis),
        "fairness": _fairness(analysis),
        "performance": ", ".join(
            f"table “{shown[name].title}”"
            for name in ("next_patient", "performance", "calibration")
            if name in shown
        ),
        **{name: shown[name].title for name in ("columns", "flow", "baseline")},
    }


def _weights(analysis: Analysis) -> str:
    if not analysis.settings.weights:
        return "no weights"
    late = "" if analysis.entry is None else " and late entry"
    return f"weights for censoring{late} alone"


def _fairness(analysis: Analysis) -> str:
    assert analysis.performance is not None
    names = [str(name) for name in analysis.performance["by"].unique() if name]
    if not names:
        return f"the table has no sex and no age by which the run could test; {OPEN}"
    return f"the tree is tested apart by {' and '.join(names)}; what follows from it: {OPEN}"


def _corrected_concordance(analysis: Analysis) -> str:
    validation = analysis.validation
    assert validation is not None
    return (
        f"of new patients {format_value(validation.concordance, 's')} ({_interval(validation)}), "
        f"by {validation.n_bootstraps} bootstraps of all steps"
    )


def _interval(validation) -> str:
    return interval(validation.low, validation.high, "s", format_value)


def _others(analysis: Analysis, counts) -> str:
    """What events of other causes are taken for."""
    if not analysis.has_competing_risks:
        return ""
    if analysis.settings.competing == "survived":
        return "another event before it counts as survival of this one; "
    return (
        "another event before it ends the follow-up and leaves no class "
        f"({counts['unknown: another event before the horizon']} patients); "
    )


def _treatments(analysis: Analysis) -> str:
    if analysis.cohort.treated_at is None:
        return f"the table names none; {OPEN}"
    text = (
        "the tree and its curves end the follow-up at the intervention; treated and untreated are "
        "compared in each group, as an association, not an effect"
    )
    if not analysis.cohort.treated_when:
        text += (
            "; the table has no time of treatment: those treated count as treated at inclusion, "
            "the wait cannot be separated from the treatment, and this biases the comparison"
        )
    return text if analysis.treated else f"{text} (could not be made here)"


def no_tree_message(analysis: Analysis) -> str:
    """What is said in the place of groups that do not tell new patients apart."""
    validation = analysis.validation
    assert validation is not None
    if len(analysis.numbers) == 1:
        return "No tree was found that tells patients apart: it has no test, and one group."
    return (
        "No tree was found that tells patients apart. Of two new patients of whom one has the "
        "event earlier it would give that one the higher risk in "
        f"{format_value(validation.concordance, 's')} of the pairs ({_interval(validation)}), and "
        "50 % is chance. No sheet of groups is made."
    )


def no_risk_message(
    numbers: Sequence[int], counts: Sequence[int | str], n: int | str, horizon: str, least: float
) -> str:
    """Of how many patients nothing can be said at the horizon, and why."""
    # least: share that has to be followed so long.
    groups = f"group{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    who, of = f"the patients of {groups}", "them"
    if counts and not any(isinstance(count, str) for count in (*counts, n)):
        who, of = f"{sum(map(int, counts))} of {n} patients", groups
    return (
        f"For {who} nothing can be said at {horizon}: {too_few(least)} of {of} could be followed "
        "so long."
    )


def summary(analysis: Analysis, shown: dict[str, Table]) -> list[str]:
    """Sentences for the top of the page; counts are those of the tables that are shown."""
    cohort, validation = analysis.cohort, analysis.validation
    lines = [] if analysis.separates_patients else [no_tree_message(analysis)]
    unit, unknown = cohort.horizon_text, analysis.leaves_without_risk
    if analysis.separates_patients and len(analysis.numbers) - len(unknown) > 1:
        last = len(analysis.numbers) - len(unknown)
        lines.append(
            f"{len(analysis.numbers)} risk groups; group 1 has the lowest and group {last} the "
            f"highest risk of the event by {unit}."
        )
    if unknown:
        numbers = [analysis.numbers[node] for node in unknown]
        n = shown["survival_all"].frame.set_index("group")["n"]
        counts = shown["flow"].frame.set_index("about")["count"]
        group_sizes = [n[str(number)] for number in numbers]
        least = analysis.settings.min_followed
        lines.append(no_risk_message(numbers, group_sizes, counts[ANALYSED], unit, least))
    if analysis.separates_patients and validation is not None:
        higher = validation.apparent > validation.concordance
        owes = higher and format_value(validation.apparent, "s") != format_value(
            validation.concordance, "s"
        )
        why = ": the difference is what it owes to having been grown on them" * owes
        lines.append(
            "Of two new patients of whom one has the event earlier, the tree gives that one the "
            f"higher risk in {format_value(validation.concordance, 's')} of the pairs "
            f"({_interval(validation)}; 50 % would be chance; pairs of one "
            "group count half). In its own patients it is "
            f"{format_value(validation.apparent, 's')}{why} ({validation.n_bootstraps} "
            f"bootstraps of all steps, seed {analysis.settings.seed})."
        )
    if not analysis.separates_patients:
        return lines
    if "test" in analysis.concordance:
        share = format_value(analysis.concordance["test"], "s")
        it = "it" if validation is not None else "the concordance"
        lines.append(
            f"In the test part, which the tree has not seen, {it} is {share}: one division of "
            "many, "
            "which another seed would make another one."
        )
    p = analysis.survival["test"].attrs["multivariate_logrank_p"]
    if p == p:
        lines.append(f"Log-rank test of all groups in the test part: {p_words(p)}.")
    return lines
