"""Files of a run's folder that no list of checksums holds: documents, and the crate at its root."""

from __future__ import annotations

import json
from pathlib import Path

from hedgerow.errors import DataError
from hedgerow.files import read_json, read_text
from hedgerow_study.audit.findings import Check
from hedgerow_study.reporting.crate import METADATA, at_root
from hedgerow_study.reporting.notes import note_files

NAME = "documents"
#: What is no result, and stands in every project; pages of claims show the notes besides.
DOCUMENTS = ("LICENSE", "README.md", "reports/README.md")


def documents_of(root: Path) -> list[str]:
    """Documents of a project."""
    return [path for path in (*DOCUMENTS, *note_files(root)) if (root / path).is_file()]


def root_crate(root: Path, date: str | None) -> str:
    """The crate of a run as one of the whole folder."""
    content = at_root(read_json(root / f"reports/{METADATA}"), date, documents_of(root))
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def check_documents(root: Path, checkout: Path) -> Check:
    """Whether documents are those of one's own checkout, and the crate at the root that of the run.

    Only the sender vouches for their day of publication.
    """
    names = documents_of(root)
    unlike = [
        path
        for path in names
        if not (checkout / path).is_file()
        or (checkout / path).read_bytes() != (root / path).read_bytes()
    ]
    if (root / METADATA).is_file():
        try:
            entities = read_json(root / METADATA)["@graph"]
            (date,) = (e.get("datePublished") for e in entities if e.get("@id") == "./")
            same = read_text(root / METADATA) == root_crate(root, date)
        except (DataError, LookupError, TypeError, ValueError, AttributeError):
            same = False
        if not same:
            return Check(NAME, False, [f"{METADATA} is not that of the run in reports/."])
    if unlike:
        message = f"{', '.join(unlike)}: not those of your checkout, and no checksum holds them."
        return Check(NAME, None, [message])
    return Check(NAME, True, [f"{len(names)} are those of your checkout."])
