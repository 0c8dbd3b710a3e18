"""A sheet of a workbook of Excel as rows of texts, with what is hidden in it and merged cells."""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hedgerow.errors import DataError
from hedgerow.optional_imports import import_optional
from hedgerow.showing.numbers import number
from hedgerow_clinic.answers import option_text
from hedgerow_clinic.problems import Problems

#: Bytes of a workbook once it is unpacked: a small file may hold very many.
MOST_UNPACKED = 1_000_000_000
#: Cells of a sheet, empty ones among them: one value far off makes a sheet of many.
MOST_CELLS = 100_000_000
#: Rows of a sheet that are counted.
COUNTED = 1000
#: A sheet without these words hides and merges nothing.
_MARKS = re.compile(rb"hidden|mergeCell")
_EXPORT_AGAIN = "save it as .xlsx or CSV again"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True)
class Worksheet:
    """A sheet as it was read.

    Attributes
    ----------
    records : list of lists of str
    name : str
    hidden : frozenset of int
        Places of rows that are hidden or filtered out.
    notes : tuple of str
        What the reader of a passport has to know.
    """

    records: list[list[str]]
    name: str
    hidden: frozenset[int]
    notes: tuple[str, ...] = ()


def read_worksheet(path: Path, content: bytes, sheet: str | None) -> Worksheet:
    """A sheet of a workbook: the one that is named, else the only visible one with a table."""
    openpyxl = import_optional("openpyxl", "a workbook of Excel")
    _check_unpacked(path, content)
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = {worksheet.title: worksheet for worksheet in book.worksheets}
    except Exception:  # whatever a damaged archive brings a parser to
        raise DataError(
            f"{path.name} is no workbook that can be read", remedy=_EXPORT_AGAIN
        ) from None
    if sheet is not None and sheet not in sheets:
        have = f"it has {', '.join(sheets)}"
        raise DataError(f"{path.name} has no sheet {sheet!r}", remedy=have)
    try:
        name = sheet if sheet is not None else _choose_sheet(path, sheets)
        records = _records_of(path, sheets[name])
        hidden, columns, merged = _marks(content, name)
        filled = _fill(path, records, merged)
    except DataError:
        raise
    except Exception:
        raise DataError(f"{path.name} is damaged", remedy=_EXPORT_AGAIN) from None
    notes = [f"column {letters} is hidden in the workbook, and read" for letters in columns]
    if filled:
        notes.append("each cell of a merged area has its value")
    return Worksheet(records, name, hidden, tuple(notes))


def _check_unpacked(path: Path, content: bytes) -> None:
    """Refuse a workbook that is small on disk and fills the memory when it is unpacked."""
    # No more is read of a part than the archive says that it has.
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except Exception:  # whatever a damaged archive brings its reader to
        raise DataError(
            f"{path.name} is no workbook that can be read", remedy=_EXPORT_AGAIN
        ) from None
    if unpacked > MOST_UNPACKED:
        raise DataError(
            f"{path.name} has {unpacked / 1e9:.3g} GB when it is unpacked, and at most "
            f"{MOST_UNPACKED / 1e9:g} are read",
            remedy="leave out sheets and columns, or save the sheet as CSV",
        )


def _choose_sheet(path: Path, sheets: dict[str, Any]) -> str:
    """The only visible sheet that holds a table; a question where several do."""
    visible = [name for name, worksheet in sheets.items() if worksheet.sheet_state == "visible"]
    counts = {name: _table_rows(sheets[name]) for name in sheets}
    holding = [name for name in visible if counts[name]]
    if len(holding) > 1:
        problems = Problems()
        listed = ", ".join(f"{name!r} ({_rows(counts[name])})" for name in holding)
        problems.add(
            "sheets",
            f"{len(holding)} of its sheets hold tables: {listed}",
            f"say {' or '.join(option_text('sheet', name) for name in holding)}",
            asks=True,
        )
        problems.check(path.name)
    if not holding and (others := [name for name in sheets if counts[name]]):
        raise DataError(
            f"{path.name} holds a table in a hidden sheet alone",
            remedy=f"say {' or '.join(option_text('sheet', name) for name in others)}",
        )
    return (holding or visible or list(sheets))[0]


def _table_rows(sheet: Any) -> int:
    """Rows of a sheet with two values or more, the head among them; 0: it holds no table."""
    rows = islice(sheet.iter_rows(values_only=True), COUNTED)
    count = sum(sum(value not in (None, "") for value in row) > 1 for row in rows)
    return count if count > 1 else 0


def _rows(count: int) -> str:
    return f"{number(count)} rows" if count < COUNTED else f"{number(COUNTED)} rows or more"


def _records_of(path: Path, sheet: Any) -> list[list[str]]:
    """Rows of a sheet as texts."""
    records, cells = [], 0
    for row in sheet.iter_rows(values_only=True):
        cells += len(row)
        if cells > MOST_CELLS:
            raise _too_many(path)
        records.append([_cell(value) for value in row])
    return records


def _too_many(path: Path) -> DataError:
    return DataError(
        f"{path.name} has more than {number(MOST_CELLS)} cells in its sheet, empty ones among them",
        remedy="delete what stands far from the table, or save the sheet as CSV",
    )


def _cell(value: Any) -> str:
    """A value of a workbook as a text that means the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


# ------------------------------------------------------------- what openpyxl's quick reader skips


def _marks(content: bytes, name: str) -> tuple[frozenset[int], list[str], list[str]]:
    """Places of hidden rows, letters of hidden columns, and merged areas of a sheet."""
    # Openpyxl knows them only if it holds every cell in memory; here they are read as a stream.
    from openpyxl.utils import get_column_letter

    hidden, columns, merged = set(), [], []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part_name = _part(archive, name)
        with archive.open(part_name) as part:
            if not any(map(_MARKS.search, _pieces(part))):
                return frozenset(), [], []
        place = -1
        for tag, element in _elements(archive.open(part_name)):
            if tag == "row":
                place = int(element.get("r", place + 2)) - 1
                if element.get("hidden") in ("1", "true"):
                    hidden.add(place)
            elif tag == "col" and element.get("hidden") in ("1", "true"):
                first = int(element.get("min", 1))
                # A mark may reach to the last column that a sheet can have.
                last = min(int(element.get("max", first)), first + 99)
                columns += [get_column_letter(k) for k in range(first, last + 1)]
            elif tag == "mergeCell":
                merged.append(element.get("ref", ""))
    return frozenset(hidden), columns, merged


def _pieces(part: Any) -> Iterator[bytes]:
    """What a part of a workbook holds, in pieces that overlap."""
    piece = part.read(1 << 20)
    while piece:
        yield piece
        more = part.read(1 << 20)
        piece = piece[-16:] + more if more else b""


def _elements(part: Any) -> Iterator[tuple[str, ElementTree.Element]]:
    """Elements of a part of a workbook by their names, each let go when the next one is read."""
    for _, element in ElementTree.iterparse(part):
        yield element.tag.rpartition("}")[2], element
        if element.tag.endswith("}row") or element.tag == "row":
            element.clear()


def _part(archive: zipfile.ZipFile, name: str) -> str:
    """The part of a workbook that holds a sheet."""
    with archive.open("xl/workbook.xml") as part:
        ids = {e.get("name"): e.get(_RELATION) for tag, e in _elements(part) if tag == "sheet"}
    with archive.open("xl/_rels/workbook.xml.rels") as part:
        targets = {e.get("Id"): e.get("Target", "") for _, e in _elements(part)}
    return posixpath.normpath(posixpath.join("/xl", targets[ids[name]])).lstrip("/")


def _fill(path: Path, records: list[list[str]], merged: list[str]) -> bool:
    """Write the value of a merged area, which its first cell holds, into all of its cells."""
    from openpyxl.utils import range_boundaries

    cells = 0
    for area in merged:
        left, top, right, bottom = range_boundaries(area)
        rows = records[top - 1 : bottom]
        if not rows or left > len(rows[0]) or not (value := rows[0][left - 1]):
            continue
        cells += len(rows) * (right - left + 1)
        if cells > MOST_CELLS:
            raise _too_many(path)
        for row in rows:
            row[left - 1 : right] = [value] * len(row[left - 1 : right])
    return cells > 0
