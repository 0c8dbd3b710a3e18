"""A run as one zip file with its RO-Crate at the root, so that the unzipped folder is the crate."""

from __future__ import annotations

import datetime
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from hedgerow.errors import DataError, InputError
from hedgerow.files import atomic_file
from hedgerow_study.audit.documents import documents_of, root_crate
from hedgerow_study.audit.verify import SIGNATURE, intact_manifest
from hedgerow_study.reporting.checkout import reached_files
from hedgerow_study.reporting.crate import METADATA
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.references.recorded import MANIFEST, SUMS

#: The earliest time that a zip file knows.
TIME = (1980, 1, 1, 0, 0, 0)


class ArchiveSummary(NamedTuple):
    """What was put into an archive."""

    n_files: int
    digest: str
    without_licence: list[str]


def archive(
    root: Path,
    file: Path,
    date: str | None = None,
    tell: Callable[..., None] = lambda what, done=0, of=None: None,
) -> ArchiveSummary:
    """Write a run into a zip file: what it read and made, what it is made from, its records.

    The record of the run that the site shows (`run.js`) is left out: it holds times.
    """
    manifest = intact_manifest(root)
    text = root_crate(root, _day(date or manifest["code"].get("date")))
    content = json.loads(text)
    listed = {path for part in ("inputs", "outputs") for path in manifest[part]}
    listed |= {path for path, kept in manifest["between"].items() if kept is not None}
    listed |= {MANIFEST, SUMS, *reached_files(root), *documents_of(root)}
    listed |= {SIGNATURE} if (root / SIGNATURE).is_file() else set()
    listed |= {unquote(e["@id"]) for e in content["@graph"] if "File" in e.get("@type", ())}
    missing = sorted(path for path in listed if not (root / path).is_file())
    if missing:
        raise DataError(f"{missing[0]} is missing", remedy="call `make reproduce`")
    tell("files are packed", 0, len(listed))
    with atomic_file(file) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted({*listed, METADATA}):
            body = text.encode() if path == METADATA else (root / path).read_bytes()
            about = zipfile.ZipInfo(path, TIME)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, 3
            about.external_attr = 0o644 << 16
            out.writestr(about, body)
            tell(path, 1)
    return ArchiveSummary(len(listed) + 1, checksum(file), _without_licence(content))


def _day(text: str | None) -> str:
    try:
        return datetime.date.fromisoformat(text or "").isoformat()
    except ValueError as error:
        message = f"{text!r} is no day" if text else "no commit gives a day of publication"
        raise InputError(message, remedy="give --date, such as --date 2026-11-24") from error


def _without_licence(crate: Mapping[str, Any]) -> list[str]:
    """Keys of data sets whose licence the registry does not state."""
    of = {entity["@id"]: entity.get("name", "") for entity in crate["@graph"]}
    return sorted(
        entity["identifier"]
        for entity in crate["@graph"]
        if "about" in entity
        and "identifier" in entity
        and of.get((entity.get("license") or {}).get("@id"), "not stated") == "not stated"
    )
