"""What the folders of patients' tables have in common: page, pictures, tables, manifest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hedgerow.errors import DataError
from hedgerow.files import (
    check_folder,
    for_spreadsheets,
    read_json,
    write_bytes,
    write_csv,
    write_json,
)
from hedgerow.showing.figures import save
from hedgerow.texts import QUOTED, unquoted
from hedgerow_clinic.documents import document
from hedgerow_clinic.table_format import COLUMNS, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Stands in each folder that a run made and lists its files: no other folder is replaced.
MARK = "manifest.json"
LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "lifelines", "statsmodels", "matplotlib")
#: Pictures for print.
PRINT_FIGURES = ("sheet",)


class Written(NamedTuple):
    """Files of a folder that was written, and where the folder that it replaces is now."""

    files: list[str]
    old: Path | None


def check_output_folder(folder: str | Path, force: bool, what: str) -> None:
    """Refuse a folder that is there, save one that an earlier run of `what` has made."""
    check_folder(folder, force, f"`{what}`", lambda path: _is_listed(path, what))


def _is_listed(folder: Path, what: str) -> set[str] | None:
    """The files of an earlier run, by its manifest; None where the manifest is none of ours."""
    try:
        manifest = read_json(folder / MARK) if (folder / MARK).is_file() else {}
    except DataError:
        return None
    outputs = manifest.get("outputs")
    if manifest.get("made_by") != what or not isinstance(outputs, dict):
        return None
    return {MARK, *outputs}


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_tables(folder: Path, shown: Mapping[str, Table], documents: bool = False) -> None:
    """Each table as CSV, and as .docx where documents are wanted."""
    for table in shown.values():
        frame = table.frame
        if "answer" in frame:  # in sentences of ours; cells of patients stay as they are
            frame = frame.assign(answer=frame["answer"].map(unquoted))
        write_csv(folder / "tables" / f"{table.id}.csv", for_spreadsheets(frame))
        if documents:
            write_bytes(folder / "tables" / f"{table.id}.docx", document(table))


def save_picture(picture: Callable[[], Figure], folder: Path, name: str) -> None:
    """A picture as SVG and PNG, a sheet as PDF as well."""
    # Saving lays a figure out, and once more would move it by a hair.
    for suffix in (".svg", ".png", *([".pdf"] if name in PRINT_FIGURES else [])):
        save(picture(), folder / f"{name}{suffix}")


def write_manifest(folder: Path, what: str, least: int, more: Mapping[str, Any]) -> list[str]:
    """Write what made the folder, with checksums of all its files; gives their names."""
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    write_json(
        folder / MARK,
        {
            "made_by": what,
            "version": metadata.version("hedgerow"),
            "libraries": {name: metadata.version(name) for name in LIBRARIES},
            "small_counts_hidden_below": least,
            "outputs": {file: checksum(folder / file) for file in files},
            **more,
        },
    )
    return [*files, MARK]


# ----------------------------------------------------------------------------------- the page


def words_of_counts(least: int, option: str = "") -> str:
    """What a page says of small counts, and in brackets by which option they are shown."""
    option = f" ({option} shows them)" * bool(option)
    return (
        f"Counts from 1 to {least - 1} are written <{least}{option}; where another count would "
        "give one away, that one is withheld, and estimates of so few patients or events are. "
        "Curves show each event as a step: pass them on as you would pass on the tables of a "
        "publication."
        if least
        else "Small counts are shown, as was asked for: look at them before passing the page on."
    )


#: A tag, and what a title, a style or code holds, which stays as it is.
_TAGS = re.compile(
    r"(<(?:title|style|code|pre)\b.*?</(?:title|style|code|pre)>|<[^>]*>)", re.DOTALL
)


def in_code(page: str) -> str:
    """A page with names that stand between backticks set as code.

    >>> in_code('<p title="`a`">column `time`</p>')
    '<p title="`a`">column <code>time</code></p>'
    """
    parts = _TAGS.split(str(page))
    parts[::2] = [QUOTED.sub(r"<code>\1</code>", text) for text in parts[::2]]
    return "".join(parts)


def section(
    anchor: str, title: str, words: Sequence[str], drawn: Sequence[str], listed: Sequence[str]
) -> dict[str, Any]:
    """A section of a page: names of its pictures and tables, until `fill_sections` puts them in."""
    return {"id": anchor, "title": title, "words": words, "figures": drawn, "tables": listed}


def picture_entries(
    names: Iterable[str],
    alternatives: Mapping[str, str],
    captions: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """What a page has to know of each picture."""
    return {
        name: {
            "id": name,
            "alt": alternatives[name],
            "caption": captions[name],
            "narrow": name == "calibration",
            "pdf": name in PRINT_FIGURES,
            "association": name == "treated",
        }
        for name in names
    }


def fill_sections(
    sections: Iterable[dict[str, Any]],
    drawn: Mapping[str, dict[str, Any]],
    shown: Mapping[str, Table],
) -> None:
    """Put pictures and tables into the sections that name them, those that there are."""
    listed = {name: _listed_table(table) for name, table in shown.items()}
    for entry in sections:
        entry["figures"] = [drawn[name] for name in entry["figures"] if name in drawn]
        entry["tables"] = [listed[name] for name in entry["tables"] if name in listed]


def _listed_table(table: Table) -> dict[str, Any]:
    heads, rows = table.cells()
    right = [
        COLUMNS.get(column, (column, ""))[1] != ""
        or column in ("n", "events", "count")
        or column.startswith(("n_", "events_"))
        for column in table.columns
    ]
    return {
        "id": table.id,
        "title": table.title,
        "caption": table.caption,
        "association": table.association,
        "heads": heads,
        "rows": rows,
        "right": right,
    }
