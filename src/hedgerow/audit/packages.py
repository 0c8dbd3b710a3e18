"""Installed packages beside the checksums that came with them."""

from __future__ import annotations

import base64
import csv
import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

from hedgerow.audit.code import names
from hedgerow.audit.findings import Check

#: Installed in place: digests of jobs and the commit tell its code.
OWN = "hedgerow"


def check_packages(manifest: Mapping[str, Any]) -> Check:
    """Compare every file of the packages that a manifest lists with the package's own record.

    pip writes the record from the wheel that it installs (RECORD, the wheel format). A file that
    was edited together with its record is not found: whoever fears that installs the lock file
    anew, whose hashes are those of the wheels.

    Returns: it names packages with a file that is changed or gone, and those without a record.
    """
    said, without, files = [], [], 0
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"].lower()
        if name not in manifest["packages"] or name == OWN:
            continue
        listed = _listed(distribution)
        if not listed:
            without.append(name)
        files += len(listed)
        with ThreadPoolExecutor() as pool:
            # Hashing leaves the interpreter to the other threads.
            fine = list(pool.map(_as_listed, listed))
        wrong = [path.as_posix() for (path, *_), same in zip(listed, fine, strict=True) if not same]
        if wrong:
            said.append(f"{name}: not as installed: {names(wrong)}.")
    told = [f"{files:,} files are as installed, by the records of their packages."]
    told += [f"Without a record: {names(without)}."] if without else []
    return Check("installed packages", not said, said or told)


def _listed(distribution: metadata.Distribution) -> list[tuple[Path, str, str, int | None]]:
    """Place, kind of the checksum, checksum and size of each file that has one.

    Bytecode is left out: few wheels bring any (numpy 2.0 does), and Python writes it anew.
    """
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    found = []
    for path, told, size in (row for row in rows if len(row) == 3 and row[1]):
        if path.endswith(".pyc"):
            continue
        kind, _, value = told.partition("=")
        place = Path(distribution.locate_file(path))
        found.append((place, kind, value, int(size) if size.isdigit() else None))
    return found


def _as_listed(entry: tuple[Path, str, str, int | None]) -> bool:
    path, kind, value, size = entry
    try:
        if size is not None and path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, kind).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == value
