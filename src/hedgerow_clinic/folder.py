"""The folder that opens in a browser: page, pictures, tables, tree, manifest."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.files import atomic_folder, backup_path, write_text
from hedgerow.showing.templates import render
from hedgerow.texts import legible, with_unit
from hedgerow.tree import Tree
from hedgerow_clinic import figures
from hedgerow_clinic.analysis import NO_DATE, Analysis
from hedgerow_clinic.answers import as_options
from hedgerow_clinic.checklist import checklist, no_tree_message, summary
from hedgerow_clinic.cohort import Outcome
from hedgerow_clinic.disclosure import MIN_CELL_COUNT
from hedgerow_clinic.layout import (
    Written,
    check_output_folder,
    checksum,
    fill_sections,
    in_code,
    picture_entries,
    save_picture,
    section,
    words_of_counts,
    write_manifest,
    write_tables,
)
from hedgerow_clinic.model import FILE, Source
from hedgerow_clinic.model import risk_model as risk_model
from hedgerow_clinic.model_card import card
from hedgerow_clinic.passport import passport
from hedgerow_clinic.risks import rounded_down
from hedgerow_clinic.table_format import Table
from hedgerow_clinic.tables import few_classes, tables, withheld_leaves

WHAT = "hedgerow survival"


def write_folder(
    folder: str | Path,
    analysis: Analysis,
    source: Path,
    outcome: Outcome,
    *,
    title: str,
    least: int = MIN_CELL_COUNT,
    force: bool = False,
    schema: Path | None = None,
    documents: bool = False,
    progress: Callable[[str], Any] | None = None,
) -> Written:
    """Write everything that a run gives; the same input gives the same bytes."""
    folder, name, title = Path(folder), legible(source.name), legible(title)
    check_output_folder(folder, force, WHAT)
    old = backup_path(folder)
    tell = progress or (lambda words: None)
    with atomic_folder(folder, old) as stage:
        tell("tables")
        shown = tables(analysis, least)
        version = metadata.version("hedgerow")
        shown["checklist"] = checklist(analysis, shown, name, version)
        write_tables(stage, shown, documents)
        seen_tree = protected_tree(analysis, least)
        origin = Source(version, name, checksum(source), title)
        model = risk_model(analysis, shown, seen_tree, outcome, origin, least)
        write_text(stage / FILE, model.to_json())
        pictures = _pictures(analysis, shown, title, least, name)
        for drawn, picture in pictures.items():
            tell(f"picture {drawn}")
            save_picture(picture, stage / "figures", drawn)
        tell("page")
        write_text(
            stage / "index.html", page(analysis, shown, list(pictures), title, least, version)
        )
        write_text(stage / "model_card.html", card(analysis, shown, outcome, title, name, version))
        write_text(
            stage / "passport.html",
            passport(analysis, shown, outcome, title, name, checksum(source), version),
        )
        files = write_manifest(
            stage,
            WHAT,
            least,
            {
                "command": command(outcome, analysis, name, title, least, schema, documents),
                "input": {name: checksum(source)}
                | ({} if schema is None else {schema.name: checksum(schema)}),
                "outcome": dataclasses.asdict(outcome),
                "settings": dataclasses.asdict(analysis.settings),
                "seed": analysis.settings.seed,
            },
        )
    return Written(files, old)


def command(
    outcome: Outcome,
    analysis: Analysis,
    source: str,
    title: str,
    least: int,
    schema: Path | None,
    documents: bool,
) -> str:
    """The command that gives the same folder, with every setting written out."""
    settings = analysis.settings
    options = {
        "--horizon": outcome.horizon,
        "--schema": None if schema is None else schema.name,
        "--title": title,
        "--max-depth": settings.max_depth,
        "--min-patients": settings.min_samples_leaf,
        "--test-size": settings.test_size,
        "--competing": settings.competing,
        "--landmark": settings.landmark,
        "--adjust": ",".join(settings.adjust) or None,
        "--permutations": settings.permutations or None,
        "--bootstraps": settings.bootstraps,
        "--age": settings.age,
        "--sex": settings.sex,
        "--life-table": settings.life_table,
        "--weights": settings.weights,
        "--min-followed": settings.min_followed,
        "--documents": documents,
        "--seed": settings.seed,
    }
    return as_command(["hedgerow", "survival", source], outcome, options, least)


def as_command(words: list[str], outcome: Outcome, options: Mapping[str, Any], least: int) -> str:
    """A command with what describes the follow-up, further options, and the answers."""
    # options: those that are None or False are left out; True: an option without a value.
    import shlex

    words = list(words)
    outcome_options = {
        "--time": outcome.time,
        "--start": outcome.start,
        "--end": outcome.end,
        "--event": outcome.event,
        "--cause": outcome.cause,
        "--intervention": outcome.intervention,
        "--entry": outcome.entry,
        "--unit": outcome.unit,
    }
    for word in outcome.event_is:
        words += ["--event-is", word]
    for name, value in {**outcome_options, **options}.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words += [name, f"{value:g}" if isinstance(value, float) else str(value)]
    words += as_options(outcome.answers)
    words += ["--leave-out-incomplete"] * outcome.leave_out + ["--show-small-counts"] * (not least)
    return shlex.join(words)


def _pictures(analysis: Analysis, shown: dict[str, Table], title: str, least: int, source: str):
    """Functions that draw each picture."""
    groups = {
        "sheet": lambda: figures.tree_page(analysis, title, least, source),
        "survival": lambda: figures.curves(analysis, least),
    }
    groups["followed"] = lambda: figures.plot_potential_follow_up(analysis, least)
    pictures = (groups if analysis.separates_patients else {}) | {
        "calibration": lambda: figures.calibration(analysis, shown["calibration"]),
        "decisions": lambda: figures.plot_decision_curve(analysis, least),
    }
    if analysis.treated:
        pictures["treated"] = lambda: figures.treated(analysis, least)
    return pictures


# ----------------------------------------------------------------------------------- the tree


def tree_json(analysis: Analysis, least: int) -> str:
    """The tree as it stands in `tree.json`; see `protected_tree`."""
    return protected_tree(analysis, least).to_json(indent=1) + "\n"


def protected_tree(analysis: Analysis, least: int) -> Tree:
    """The tree, its weights changed where they would show a small count."""
    # In a leaf in which few training patients are known to have the event, or not to have it, their
    # number is replaced by the middle of what `<5` may be; in one whose events would give such a
    # number away, it is rounded to a multiple of five. Inner nodes are sums of their leaves.
    tree = analysis.groups.tree_
    if not least:
        return tree
    weight = np.array(tree.class_weight)
    leaves = list(analysis.numbers)
    counts = np.rint(weight[leaves]).astype(int)
    classes = few_classes(analysis, least)
    few = np.array([classes[node].any() for node in leaves])
    for place, node in enumerate(leaves):
        if few[place]:
            weight[node] = _protected_weights(weight[node], classes[node], least)
    telling = set(withheld_leaves(analysis, least))
    if few.sum() == 1:  # alone, it would follow from the sum of the others
        rest = [k for k in range(len(leaves)) if not few[k]]
        if rest:
            telling.add(leaves[min(rest, key=lambda k: counts[k].min())])
    for node in telling - {leaves[k] for k in np.flatnonzero(few)}:
        weight[node] = _rounded(np.rint(weight[node]).astype(int), least)
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.feature[node] >= 0:
            weight[node] = weight[tree.children_left[node]] + weight[tree.children_right[node]]
    attributes = {name: getattr(tree, name) for name in ("feature_names", "classes", "categories")}
    arrays = {**tree.arrays(), "class_weight": weight}
    gate = getattr(tree, "gate", None)
    return type(tree)(**arrays, **attributes, gate=gate)


def _protected_weights(weight: np.ndarray, few: np.ndarray, least: int) -> np.ndarray:
    """Weights of two classes, a small one as the middle of what it may be."""
    # The sum is the same, and the larger one: of few patients who come late the weight may be
    # large.
    total, middle, larger = np.rint(weight).sum(), least / 2.0, weight.argmax()
    blurred = np.where(few, middle, total - middle)
    if few.all() or blurred.argmax() != larger:
        return np.where(np.arange(2) == larger, 0.75, 0.25) * total
    return blurred


def _rounded(counts: np.ndarray, least: int) -> np.ndarray:
    """Counts of two classes, the second a multiple of `least`, the same sum and the same larger."""
    total = int(counts.sum())
    for second in sorted(range(0, total + 1, least), key=lambda v: abs(v - counts[1])):
        if (second > total - second) == (counts[1] > counts[0]):
            return np.array([total - second, second], dtype=float)
    return counts.astype(float)


# ----------------------------------------------------------------------------------- the page


def page(
    analysis: Analysis,
    shown: dict[str, Table],
    pictures: Sequence[str],
    title: str,
    least: int,
    version: str,
) -> str:
    """Text of index.html."""
    drawn = picture_entries(pictures, figures.alt_texts(analysis, shown), _captions(analysis))
    sections = [
        section("summary", "In short", [], [], []),
        section(
            "groups",
            "The tree and its groups" if analysis.separates_patients else "No groups",
            [] if analysis.separates_patients else [no_tree_message(analysis)],
            ["sheet", "survival"],
            ["next_patient"],
        ),
        section("patients", "The patients", [], [], ["flow", "words", "baseline", "columns"]),
        section(
            "tables_of_survival",
            "Survival in the groups",
            _words_of_survival(analysis),
            [],
            ["survival_test", "survival_all", "survival_training"],
        ),
        section(
            "trust",
            "How far to trust it",
            [*_words_of_follow_up(analysis), *_words_of_trust(analysis)],
            ["followed", "calibration", "decisions"],
            ["performance", "calibration", "decision_curve"],
        ),
    ]
    if analysis.treated:
        sections.insert(
            4,
            section(
                "treatment",
                "Treated and untreated: association, not effect",
                _words_of_treatment(analysis),
                ["treated"],
                ["treated_landmark", "treated_inclusion", "baseline_treated"],
            ),
        )
    sections.append(section("report", "For the report", [], [], ["checklist"]))
    fill_sections(sections, drawn, shown)
    return in_code(
        render(
            "hedgerow_clinic/page.html.j2",
            title=title,
            counts=words_of_counts(least, "--show-small-counts"),
            summary=[*summary(analysis, shown), _word_meanings(analysis)],
            notes=analysis.notes,
            sections=sections,
            version=version,
        )
    )


def _word_meanings(analysis: Analysis) -> str:
    cohort = analysis.cohort
    text = cohort.taken_as[0].upper() + cohort.taken_as[1:]
    if cohort.not_used:
        names = ", ".join(list(cohort.not_used)[:8]) + ", ..." * (len(cohort.not_used) > 8)
        text += f". Not used as inputs: {names} (see “Columns of the table”)"
    return text + "."


def _words_of_survival(analysis: Analysis) -> list[str]:
    words = [
        "Patients whose follow-up ended early count until then, as if they would have gone on like "
        "those of their group who were followed longer. That is right if who was lost was not lost "
        "for how they were getting on (independent censoring); no table can show whether it is."
    ]
    if analysis.entry is not None:
        words.append(
            "Patients count from when they came under observation, and numbers at risk rise where "
            "patients come. Who had the event before is not in the table. Others stand for them, "
            "which is right if when a patient came has nothing to do with the inputs, nor with how "
            "the patient was getting on; no table can show whether it has."
        )
    if analysis.cohort.treated_at is not None:
        words.append(
            "An intervention ends the follow-up. What is shown is the course without it only if "
            "those who were treated at some time would else have fared like those of the same "
            "group who were followed on: if who was treated was not chosen by how they were "
            "getting on. Where the sickest are treated first, the course without treatment is "
            "worse than this one."
        )
        if not analysis.cohort.treated_when:
            words.append(
                "The table says who was treated and not when: those treated count as treated at "
                "inclusion, have no follow-up here, and are not counted. Where treatment came "
                "later, the time that they lived before it is missing, and the course without it "
                "looks worse than it is."
            )
    if analysis.has_competing_risks:
        words.append(
            "Causes compete. "
            + (
                "Another event before the horizon ends the follow-up: whether the event would have "
                "come by the horizon is not known, and the tree learns nothing from such a patient "
                "(as in the thesis). The table “Patients” counts them. The share of the tree is "
                "that among patients without another event; the risk among all is lower, and "
                "stands beside it."
                if analysis.settings.competing == "censored"
                else "The tree takes a patient with another event before the horizon as one who "
                "will not have the event any more (--competing survived)."
            )
        )
    if analysis.permutation_test is None:
        words.append(
            "No permutations were asked for (--permutations 999): p values of all patients and of "
            "the training part are too small, those of the test part are not."
        )
    return words


def _words_of_treatment(analysis: Analysis) -> list[str]:
    words = [
        "Patients were not treated at random. What differs here may come from who was treated, and "
        "no table of this page can tell it from an effect of treatment."
        + (
            ""
            if analysis.settings.adjust
            else " Columns named with --adjust are taken out of the comparison."
        )
    ]
    return words if analysis.cohort.treated_when else [*words, NO_DATE]


def _words_of_follow_up(analysis: Analysis) -> list[str]:
    """To which horizon the groups could be followed."""
    if not analysis.separates_patients:
        return []
    least, unit = 100 * analysis.share_needed, analysis.cohort.unit
    until = rounded_down(analysis.followed_until)
    text = (
        "Patients whose follow-up could not last to the horizon of "
        f"{with_unit(analysis.cohort.horizon, unit)} tell nothing of it unless they have the "
        f"event before. {least:g} % or more of each group could be followed to "
        f"{with_unit(until, unit)} (reverse Kaplan-Meier)"
    )
    if until < analysis.cohort.horizon:
        text += f": --horizon {until:g}{unit[0]} would give each of these groups a risk"
    return [text + "."]


def _words_of_trust(analysis: Analysis) -> list[str]:
    if analysis.share_reclassified != analysis.share_reclassified:
        return [
            "The schema gives no error of measurement: how many patients would change their group "
            "when they are measured again is not known."
        ]
    return [
        "If what has an error of measurement in the schema were measured again (normal errors of "
        f"that size), {100 * analysis.share_reclassified:.1f} % of the patients would be in "
        "another group."
    ]


def _captions(analysis: Analysis) -> dict[str, str]:
    cohort = analysis.cohort
    way = "Aalen-Johansen" if analysis.has_competing_risks else "Kaplan-Meier"
    return {
        "sheet": "The tree on one page, for print.",
        "survival": f"Share without the event ({way}) in each group, all patients; marks: "
        "follow-up ends."
        + (
            ""
            if analysis.entry is None
            else " Where counts are withheld, a curve ends before the first event at which few are "
            "under observation, early or late."
        ),
        "treated": "Share without the event of treated and untreated patients, from "
        f"{with_unit(analysis.landmark, cohort.unit, '.3g')} after inclusion on, with 95 % "
        "CI.",
        "followed": "Share of each group that could be followed so long, had nobody an event "
        "(reverse Kaplan-Meier), all patients. Lines: the horizon, and the share that a risk "
        "needs. A group of which few patients were censored has no curve.",
        "calibration": "Each group of the test part; bars: 95 % CI. On the line, what was "
        "predicted was seen.",
        "decisions": "Test part: net benefit of treating patients from a risk on, by the tree, and "
        "of treating all or none. Where the line of the tree is not the highest, the tree does not "
        "help to decide.",
    }
