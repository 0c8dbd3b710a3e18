"""The folder of a model in another hospital: page, pictures, tables, recalibrated model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from hedgerow.files import atomic_folder, backup_path, write_text
from hedgerow.showing.templates import render
from hedgerow.texts import legible
from hedgerow_clinic import validation_figures as figures
from hedgerow_clinic import validation_tables
from hedgerow_clinic.cohort import Outcome
from hedgerow_clinic.external_validation import Validation, recalibrate
from hedgerow_clinic.folder import as_command
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
from hedgerow_clinic.passport import passport_of
from hedgerow_clinic.table_format import Table

WHAT = "hedgerow validate"
RECALIBRATED = "tree_recalibrated.json"


def write_validation(
    folder: str | Path,
    validation: Validation,
    source: Path,
    outcome: Outcome,
    *,
    title: str,
    model_name: str,
    rename: tuple[str, ...] = (),
    force: bool = False,
    schema: Path | None = None,
    documents: bool = False,
    progress: Callable[[str], Any] | None = None,
) -> Written:
    """Write everything that `hedgerow validate` gives; the same input gives the same bytes."""
    # model_name: the model as the command names it, without the folders above it.
    folder, name, title = Path(folder), legible(source.name), legible(title)
    check_output_folder(folder, force, WHAT)
    old, least = backup_path(folder), validation.least
    tell = progress or (lambda words: None)
    version = metadata.version("hedgerow")
    origin = Source(version, name, checksum(source), title)
    with atomic_folder(folder, old) as stage:
        tell("tables")
        shown = validation_tables.tables(validation)
        write_tables(stage, shown, documents)
        write_text(stage / FILE, validation.model.to_json())
        write_text(
            stage / RECALIBRATED, recalibrate(validation, origin, outcome.entry or "").to_json()
        )
        _draw(validation, title, name, stage / "figures", tell)
        tell("page")
        write_text(stage / "index.html", page(validation, shown, title, version))
        write_text(stage / "passport.html", _passport(validation, shown, outcome, origin, rename))
        options: dict[str, Any] = {
            "--schema": None if schema is None else schema.name,
            "--title": title,
            "--resamples": validation.resamples,
            "--documents": documents,
            "--seed": validation.seed,
        }
        renamed = [word for pair in rename for word in ("--rename", pair)]
        words = ["hedgerow", "validate", model_name, name, *renamed]
        files = write_manifest(
            stage,
            WHAT,
            least,
            {
                "command": as_command(words, outcome, options, least),
                "input": {name: checksum(source), FILE: checksum(stage / FILE)}
                | ({} if schema is None else {schema.name: checksum(schema)}),
                "outcome": dataclasses.asdict(outcome),
                "settings": {"resamples": validation.resamples},
                "seed": validation.seed,
            },
        )
    return Written(files, old)


def _draw(validation: Validation, title: str, name: str, folder: Path, tell) -> None:
    """The pictures of the page."""
    pictures = {
        "sheet": lambda: figures.validation_page(validation, title, name),
        "calibration": lambda: figures.calibration(validation),
        "survival": lambda: figures.curves(validation),
        "decisions": lambda: figures.decisions(validation),
    }
    for drawn, picture in pictures.items():
        tell(f"picture {drawn}")
        save_picture(picture, folder, drawn)


def page(validation: Validation, shown: Mapping[str, Table], title: str, version: str) -> str:
    """Text of index.html."""
    names = ("sheet", "calibration", "survival", "decisions")
    drawn = picture_entries(names, figures.alternatives(validation), figures.captions(validation))
    first = validation.model.made_from
    risks = _recalibration_note(validation)
    sections = [
        section("summary", "In short", [], [], []),
        section("sheet", "On one page", [], ["sheet"], []),
        section("patients", "The patients", [], [], ["flow", "case_mix"]),
        section("performance", "How the model does here", [], [], ["performance"]),
        section("calibration", "Expected and observed", risks, ["calibration"], ["groups"]),
        section("curves", "The groups beside the first hospital's", [], ["survival"], []),
        section(
            "recalibrated",
            "Recalibration",
            [
                f"{RECALIBRATED} is the same tree with the risks of these patients; “hedgerow "
                "apply” and “hedgerow validate” read it as they read tree.json."
            ],
            [],
            ["recalibration"],
        ),
        section("decide", "Does it help to decide", [], ["decisions"], ["decision_curve"]),
    ]
    for entry in sections:
        entry["id"] = f"part_{entry['id']}" if entry["id"] != "summary" else entry["id"]
    fill_sections(sections, drawn, shown)
    origin = (
        f"The tree is that of “{first.title}” ({first.file}, hedgerow {first.version}), the "
        f"outcome there {validation.model.outcome.replace('`', '')}. {validation.model.missing}"
    )
    return in_code(
        render(
            "hedgerow_clinic/second.html.j2",
            title=title,
            counts=words_of_counts(validation.least).partition(" Curves show")[0],
            summary=[*validation_tables.summary(validation), origin],
            notes=validation_tables.notes(validation),
            sections=sections,
            version=version,
            recalibrated=RECALIBRATED,
        )
    )


def _recalibration_note(validation: Validation) -> list[str]:
    source = validation.model.recalibrated_from
    sentence = "The risks are not those of the hospital where the tree was grown, but of “{}”."
    return [] if source is None else [sentence.format(source.title)]


def _passport(
    validation: Validation,
    shown: Mapping[str, Table],
    outcome: Outcome,
    origin: Source,
    rename: tuple[str, ...],
) -> str:
    counts = shown["flow"].frame.iloc[:-4]
    rows = "; ".join(f"{count} {about}" for about, count in counts.to_numpy().tolist())
    first = validation.model.made_from
    return passport_of(
        validation.cohort,
        outcome,
        rows,
        validation_tables.words_of(validation).to_numpy().tolist(),
        origin.title,
        origin.file,
        origin.sha256,
        origin.version,
        ({"Renamed": ", ".join(rename)} if rename else {})
        | {
            "Model": f"{first.title} ({first.file}, SHA-256 {first.sha256})",
            "Outcome there": f"{validation.model.outcome}: "
            + ", ".join(f"{w.word!r} is {w.taken_for}" for w in validation.model.words),
        },
    )
