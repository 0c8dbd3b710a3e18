"""Installed packages beside the checksums that came with them."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import site
import sysconfig
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import Any, NamedTuple

from hedgerow.showing.numbers import count
from hedgerow_study.audit.commit_check import names
from hedgerow_study.audit.findings import Check

#: Installed in place: digests of jobs and the commit tell their code.
OUR_PACKAGES = ("hedgerow", "hedgerow-data", "hedgerow-study", "hedgerow-clinic")
#: What an interpreter runs or imports. Bytecode counts where it stands alone, as a module does.
RUNS = (".py", ".pth", ".so", ".pyd", ".pyc")


class RecordedFile(NamedTuple):
    """A file of a package: its place, the kind of its checksum, the checksum, its size."""

    place: str
    kind: str
    value: str
    size: int | None


def check_packages(manifest: Mapping[str, Any]) -> Check:
    """Compare every file of the packages that a manifest lists with the package's own record.

    pip writes the record from the wheel that it installs (RECORD, the wheel format). A file that
    was edited together with its record is not found. To exclude that, reinstall from the lock
    file, whose hashes are those of the wheels. A file that no record lists is nobody's, and runs
    in every interpreter where it is a `.pth` or `sitecustomize.py`.

    Returns: it names packages with a file that is changed or gone, files of nobody, and packages
        without a record.
    """
    lines, without, files, recorded = [], [], 0, set()
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"].lower()
        listed = _recorded_files(distribution)
        recorded |= {one.place for one in listed}
        if name not in manifest["packages"] or name in OUR_PACKAGES:
            continue
        # Bytecode is left out: few wheels bring any (numpy 2.0 does), and Python rewrites it.
        listed = [one for one in listed if one.value and not one.place.endswith(".pyc")]
        if not listed:
            without.append(name)
        files += len(listed)
        with ThreadPoolExecutor() as pool:
            # Hashing leaves the interpreter to the other threads.
            fine = list(pool.map(_is_as_recorded, listed))
        wrong = [one.place for one, same in zip(listed, fine, strict=True) if not same]
        if wrong:
            lines.append(f"{name}: not as installed: {names(wrong)}.")
    if strange := _unlisted_files(recorded):
        lines.append(f"No package lists {names(strange)}, which interpreters run or import.")
    summary = [f"{count(files)} files are as installed, by the records of their packages."]
    summary += [f"Without a record: {names(without)}."] if without else []
    return Check("installed packages", not lines, lines or summary)


def _recorded_files(distribution: metadata.Distribution) -> list[RecordedFile]:
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    entries = []
    for path, digest, size in (row for row in rows if len(row) == 3):
        kind, _, value = digest.partition("=")
        place = os.path.normpath(distribution.locate_file(path))
        entries.append(RecordedFile(place, kind, value, int(size) if size.isdigit() else None))
    return entries


def _is_as_recorded(file: RecordedFile) -> bool:
    try:
        if file.size is not None and os.path.getsize(file.place) != file.size:
            return False
        with open(file.place, "rb") as content:
            digest = hashlib.file_digest(content, file.kind).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest).decode().rstrip("=") == file.value


def _unlisted_files(recorded: Collection[str]) -> list[str]:
    """Files where packages are installed that no package lists and that an interpreter takes up."""
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    places |= {site.getusersitepackages()} if site.ENABLE_USER_SITE else set()
    unlisted = []
    for place in sorted(places):
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if name != "__pycache__"]
            paths = (os.path.join(folder, name) for name in files if name.endswith(RUNS))
            unlisted += [path for path in paths if path not in recorded]
    return sorted(unlisted)
