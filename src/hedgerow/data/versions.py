"""Versions of a data file: the registered one, and a local one that a user keeps instead.

data/raw/<set>/<set>.data is the file that is read, and a user may edit it. Beside it lie
<set>.registered, the bytes that the registry names, and in versions/ each local version that was
adopted or set aside. config/local_data.yaml says which local versions are adopted.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hedgerow.data.readers import read_table
from hedgerow.data.registry import SOURCE_KINDS, DatasetEntry, Registry, Source
from hedgerow.data.row_changes import RowChanges, row_changes
from hedgerow.data.sources import (
    RECORD,
    FetchedFile,
    NoSourceError,
    answer,
    sha256_of_bytes,
    source_described,
    source_text,
    write_record,
)
from hedgerow.data.tidy import (
    TidyTable,
    check_fingerprint,
    check_groups,
    check_table,
    group_fingerprint,
    tidy_bytes,
)
from hedgerow.errors import ConfigError, DataError
from hedgerow.files import read_bytes, read_json, read_yaml, write_bytes, write_text
from hedgerow.schema import build, schema_of, setting, violations

__all__ = [
    "LocalVersion",
    "adopt",
    "compare_versions",
    "fetch_version",
    "local_file",
    "local_notes",
    "local_versions",
    "planned_table",
    "read_version",
    "restore",
    "version_bytes",
    "wanted_table",
]

#: Folder of the data files of a project.
RAW = Path("data/raw")
#: Beside the registry: which local versions are adopted.
LOCAL = "local_data.yaml"
VERSIONS = "versions"
#: Digits of a checksum that name a version.
DIGITS = 12
_HEAD = (
    "# Local versions of data files, used instead of the registered ones. Written by\n"
    "# `hedgerow data adopt` and `hedgerow data restore`; commit it with the results.\n"
)


@dataclass(frozen=True)
class LocalVersion:
    """A local version of a data file that was adopted.

    Attributes
    ----------
    sha256 : str
        Of the file.
    layout : str
        The source of the registry whose reader reads it, as ``source.json`` names it.
    date : str
        Day on which it was adopted, such as 2026-11-27.
    changes : str
        What differs from the registered version, in numbers of rows.
    tables : mapping
        Fingerprint of the tidy table of each set that reads the file.
    reason : str
        Why, in the user's words.
    """

    sha256: str = setting(pattern="[0-9a-f]{64}")
    layout: str = setting()
    date: str = setting(pattern=r"\d{4}-\d{2}-\d{2}", remedy="write it in quotes: '2026-11-27'")
    changes: str = setting()
    tables: Mapping[str, str] = field(default_factory=dict)
    reason: str = setting("", pattern=".*")

    def sentence(self, name: str) -> str:
        """What every page, caption and manifest says of it."""
        return f"{name}: local version of {self.date}, {self.changes}"


@dataclass(frozen=True)
class _File:
    local_data: Mapping[str, LocalVersion] = field(default_factory=dict)


def local_notes(registry: str | Path, datasets: Iterable[str]) -> list[str]:
    """A sentence for each local version that some data sets are read from, sorted."""
    names = set(datasets)
    versions = local_versions(registry).items()
    return [version.sentence(name) for name, version in versions if names & version.tables.keys()]


def local_file(registry: str | Path) -> Path:
    """The file of local versions, beside a registry."""
    return Path(registry).with_name(LOCAL)


def local_versions(registry: str | Path) -> dict[str, LocalVersion]:
    """Adopted local versions, by the set whose file it is."""
    path = local_file(registry)
    if not path.is_file():
        return {}
    content = read_yaml(path)
    for fault in violations(content, schema_of(_File)):
        raise ConfigError(f"{path}: {fault.message()}", remedy=fault.remedy or "correct the file")
    return dict(sorted(build(content, _File).local_data.items()))


def _write_local(registry: str | Path, versions: Mapping[str, LocalVersion]) -> None:
    import yaml

    path = local_file(registry)
    if not versions:
        path.unlink(missing_ok=True)
        return
    content = {"local_data": {name: asdict(versions[name]) for name in sorted(versions)}}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=98)
    write_text(path, _HEAD + text)


# ------------------------------------------------------------------------------------ the files


def data_file(entry: DatasetEntry, root: str | Path = RAW) -> Path:
    """The file of a set, which the set that it is made from may share with others."""
    return Path(root) / entry.base.key / entry.raw_name


def registered_file(path: Path) -> Path:
    """Where the registered bytes of a data file lie."""
    return path.with_suffix(".registered")


def kept_file(path: Path, sha256: str) -> Path:
    """Where a local version of a data file is kept."""
    return path.parent / VERSIONS / f"{sha256[:DIGITS]}{path.suffix}"


def version_bytes(folder: str | Path, sha256: str) -> bytes | None:
    """Bytes of a version of a data file.

    Returns: the current, the registered or a kept local version; None if none has this checksum.
    """
    folder = Path(folder)
    path = folder / f"{folder.name}.data"
    for file in (path, registered_file(path), kept_file(path, sha256)):
        if file.is_file() and sha256_of_bytes(data := file.read_bytes()) == sha256:
            return data
    return None


def _keep(path: Path) -> Path:
    """Keep the current bytes of a data file as a version."""
    data = path.read_bytes()
    kept = kept_file(path, sha256_of_bytes(data))
    if not kept.is_file():
        write_bytes(kept, data)
    return kept


def _registered(entry: DatasetEntry, path: Path) -> tuple[Source, bytes] | None:
    """The registered bytes beside a data file with their source, if they are what it served."""
    record = _recorded(path)
    source, data = source_described(entry, str(record.get("from"))), _registered_bytes(path)
    # A generator may have changed, and asks no network.
    if source is None or data is None or source.kind == "synthetic":
        return None
    return (source, data) if source.sha256 in (None, record["sha256"]) else None


def _registered_bytes(path: Path) -> bytes | None:
    """The registered bytes beside a data file; None if they are not there or not whole."""
    sha256 = _recorded(path).get("sha256")
    file = registered_file(path)
    data = file.read_bytes() if file.is_file() else b""
    return data if data and sha256_of_bytes(data) == sha256 else None


# ----------------------------------------------------------------------------------- workflow


def fetch_version(
    entry: DatasetEntry,
    folder: str | Path,
    mirror: str | Path | None = None,
    local: LocalVersion | None = None,
) -> FetchedFile:
    """Fetch the file of a set for the workflow, without touching a version that a user has edited.

    Returns: the registered version.
    """
    path = Path(folder) / entry.raw_name
    current = path.read_bytes() if path.is_file() else b""
    before = _recorded(path).get("sha256")
    try:
        source, data = _registered(entry, path) or answer(entry, mirror)
    except NoSourceError:
        if not current:
            raise
        return _provided(entry, folder, local, path, current)
    if not current or sha256_of_bytes(current) in (before, sha256_of_bytes(data)):
        kept = None if local is None else version_bytes(path.parent, local.sha256)
        write_bytes(path, data if kept is None else kept)
    write_bytes(registered_file(path), data)
    return write_record(entry, folder, source, data)


def _provided(
    entry: DatasetEntry,
    folder: str | Path,
    local: LocalVersion | None,
    path: Path,
    data: bytes,
) -> FetchedFile:
    """Record a data file that a user has put there, where no source has the registered version."""
    sha256 = sha256_of_bytes(data)
    source = next((s for s in entry.base.sources if s.sha256 == sha256), None)
    if source is not None:
        write_bytes(registered_file(path), data)
        return write_record(entry, folder, source, data)
    if local is None or local.sha256 != sha256:
        raise DataError(
            f"{path} is not the registered version, which no source has here",
            remedy=f"keep it: `hedgerow data adopt {entry.key}`; or remove it",
        )
    write_bytes(registered_file(path), b"")
    return write_record(entry, folder, _layout(entry, path, data, local.layout), b"")


def _recorded(path: Path) -> dict[str, Any]:
    """What source.json beside a data file says; empty where there is none."""
    try:
        return read_json(path.with_name(RECORD))
    except DataError:
        return {}


class PlannedChange(NamedTuple):
    """What the data file of a set gives, as far as it is known while a run is planned.

    Attributes
    ----------
    table : str
        Tells whether the tidy table is out of date: the fingerprint of the wanted table, the
        registered or the adopted one; the checksum of a file that was edited and gives another.
    same : bool
        Whether it is certain that the file that is there gives the wanted table.
    """

    table: str
    same: bool


def planned_table(
    entry: DatasetEntry, local: LocalVersion | None = None, root: str | Path = RAW
) -> PlannedChange:
    """Look at the data file of a set while a run is planned; it is read only if it has changed."""
    path = data_file(entry, root)
    wanted = wanted_table(entry, local)
    if not path.is_file() or not (data := path.read_bytes()):
        return PlannedChange(wanted, False)
    sha256 = sha256_of_bytes(data)
    if sha256 in ({s.sha256 for s in entry.base.sources} if local is None else {local.sha256}):
        return PlannedChange(wanted, True)
    if local is None and sha256 == _recorded(path).get("sha256"):
        # Of an earlier registry, or from a source without a checksum, such as a generator: rule
        # fetch replaces it if it runs.
        return PlannedChange(wanted, False)
    try:
        reader = _layout(entry, path, data, local.layout if local else "").reader
        same = _mark(entry, *tidy_bytes(entry, reader, data, path.name)) == wanted
    except DataError:
        same = False
    return PlannedChange(wanted if same else sha256, same)


def wanted_table(entry: DatasetEntry, local: LocalVersion | None) -> str:
    """Fingerprint of the registered table, or of the adopted one, with that of its groups."""
    if local is not None:
        return local.tables.get(entry.key, "")
    group = entry.base.group
    return entry.fingerprint if group is None else f"{entry.fingerprint}:{group.fingerprint}"


def _mark(entry: DatasetEntry, table: TidyTable, whole: TidyTable) -> str:
    """Fingerprint of a table, with that of its groups where it has any."""
    if entry.base.group is None:
        return table.fingerprint
    return f"{table.fingerprint}:{group_fingerprint(whole)}"


def _wanted_checksums(
    entry: DatasetEntry, local: LocalVersion | None, path: Path
) -> set[str | None]:
    """Checksums of the file that need not be read: those of the version that is wanted."""
    if local is not None:
        return {local.sha256}
    recorded = _recorded(path)
    checksums = {source.sha256 for source in entry.base.sources}
    source = source_described(entry, str(recorded.get("from")))
    # What comes from a source without a checksum is held to the table when it is read.
    if source is not None and source.sha256 is None:
        checksums.add(recorded.get("sha256"))
    return checksums


def _layout(entry: DatasetEntry, path: Path, data: bytes, layout: str = "") -> Source:
    """The source whose reader reads a file: its own, the named one, the fetched one, the first."""
    sha256 = sha256_of_bytes(data)
    sources = [source for source in entry.base.sources if source.sha256 == sha256]
    for name in (layout, str(_recorded(path).get("from"))):
        if source := source_described(entry, name):
            sources.append(source)
    return [*sources, *entry.base.sources][0]


def compare_versions(
    entry: DatasetEntry, path: Path, before: bytes, after: bytes, layout: str = ""
) -> RowChanges:
    """Rows in which two versions of the data file at a path differ.

    `layout` names the source (`LocalVersion`) that lays out what no source serves. Raises a
    `DataError` if one of them cannot be read.
    """
    return row_changes(
        *(
            read_table(data, _layout(entry, path, data, layout).reader, entry.base, path.name)
            for data in (before, after)
        )
    )


def read_version(entry: DatasetEntry, registry: str | Path, root: str | Path = RAW) -> TidyTable:
    """The tidy table of a set from the data file that lies there.

    Returns: checked against the fingerprint of the registry, or of the adopted version.
    """
    path, local = data_file(entry, root), local_versions(registry).get(entry.base.key)
    data = path.read_bytes()
    source = _layout(entry, path, data, local.layout if local else "")
    same = sha256_of_bytes(data) in _wanted_checksums(entry, local, path)
    try:
        table, whole = tidy_bytes(entry, source.reader, data, path.name)
        check_table(table)
    except DataError as error:
        if same:
            raise
        raise _question(entry, registry, local, path, f"cannot be used: {error.message}") from None
    if _mark(entry, table, whole) == wanted_table(entry, local):
        return table
    if same and local is None:
        check_fingerprint(entry, table, source_text(source))
        check_groups(entry.base, whole, source_text(source))
    raise _question(entry, registry, local, path, _difference(entry, local, path, data))


def _question(
    entry: DatasetEntry,
    registry: str | Path,
    local: LocalVersion | None,
    path: Path,
    difference: str,
) -> DataError:
    """The error for a data file that nobody has adopted."""
    key = entry.base.key
    sets = [name for name, one in read_yaml(registry)["datasets"].items()
            if key in (name, one.get("parent"))]  # fmt: skip
    version = "the registered version"
    if local is not None:
        version = f"the local version of {local.date} that {local_file(registry)} names"
    return DataError(
        f"{path} is not {version}: {difference} (read by {', '.join(sorted(sets))})",
        remedy=f"keep it: `hedgerow data adopt {key}`; take the registered one: "
        f"`hedgerow data restore {key}`",
    )


def _difference(entry: DatasetEntry, local: LocalVersion | None, path: Path, data: bytes) -> str:
    """Rows in which a data file differs from the version that is wanted."""
    if local is None:
        before, layout = _registered_bytes(path), ""
    else:
        before, layout = version_bytes(path.parent, local.sha256), local.layout
    if before is None:
        return "its rows cannot be compared, as the bytes of that version are not here"
    return compare_versions(entry, path, before, data, layout).sentence()


# --------------------------------------------------------------------------- adopt and restore


@dataclass(frozen=True)
class AcceptedChange:
    """What adopting a local version has done.

    Attributes
    ----------
    name : str
        The set whose file it is.
    version : LocalVersion
    changed : list of str
        Sets whose tidy tables differ from the registered ones.
    rows : RowChanges or None
        Against the registered version; None where its bytes are not here.
    kept : Path or None
        Where an edited file is kept that another one replaced.
    """

    name: str
    version: LocalVersion
    changed: list[str]
    rows: RowChanges | None
    kept: Path | None = None


def adopt(
    registry: Registry,
    name: str,
    file: str | Path | None = None,
    *,
    reason: str = "",
    mirror: str | Path | None = None,
    root: str | Path = RAW,
) -> AcceptedChange:
    """Use a local version of a data file instead of the registered one."""
    base = registry[name].base
    path = data_file(base, root)
    given = path if file is None else Path(file)
    data = read_bytes(given)
    sha256 = sha256_of_bytes(data)
    if not data or sha256 in _wanted_checksums(base, None, path):
        raise DataError(
            f"{given} is {'the registered version' if data else 'empty'}: nothing to adopt",
            remedy=f"edit {path}, or name a corrected file",
        )
    sets = {key: entry for key, entry in registry.items() if entry.base.key == base.key}
    source, tables = _usable(base, sets, path, given, data)
    changed = [key for key, mark in tables.items() if mark != wanted_table(sets[key], None)]
    if not changed:
        raise DataError(
            f"{given} gives the same tables as the registered version: nothing to adopt",
            remedy="go on: no result changes with it",
        )
    registered = _obtain(base, path, mirror)
    layout = source_text(source)
    rows = registered and compare_versions(base, path, registered[1], data, layout)
    kept = None
    if file is not None and path.is_file() and (now := path.read_bytes()) not in (b"", data):
        kept = None if sha256_of_bytes(now) in _wanted_checksums(base, None, path) else _keep(path)
    write_bytes(path, data)
    _keep(path)
    text = f"{len(data)} bytes" if rows is None else rows.counts()
    version = LocalVersion(sha256, layout, datetime.date.today().isoformat(), text, tables, reason)
    _write_local(registry.path, {**local_versions(registry.path), base.key: version})
    return AcceptedChange(base.key, version, changed, rows, kept)


def _usable(
    base: DatasetEntry,
    sets: Mapping[str, DatasetEntry],
    path: Path,
    given: Path,
    data: bytes,
) -> tuple[Source, dict[str, str]]:
    """The source that lays a file out in the same way, and the tables of all sets from it."""
    first = _layout(base, path, data)
    problem = None
    for source in [first, *base.sources]:
        try:
            marks = {}
            for key, entry in sorted(sets.items()):
                table, whole = tidy_bytes(entry, source.reader, data, given.name)
                check_table(table)
                marks[key] = _mark(entry, table, whole)
            return source, marks
        except DataError as error:
            problem = problem or error
    assert problem is not None, "a set has a source"
    raise DataError(f"{given} cannot be used: {problem.message}", remedy=problem.remedy)


def _obtain(
    base: DatasetEntry, path: Path, mirror: str | Path | None
) -> tuple[Source, bytes] | None:
    """The registered version with its source, kept beside the data file; None if none is here."""
    registered = _registered(base, path)
    for kinds in (SOURCE_KINDS, SOURCE_KINDS[1:]):  # the mirror may hold the local version
        if registered is None:
            with contextlib.suppress(DataError):
                registered = answer(base, mirror, kinds=kinds)
    if registered is not None:
        write_bytes(registered_file(path), registered[1])
        write_record(base, path.parent, *registered)
    return registered


def restore(
    registry: Registry, name: str, *, mirror: str | Path | None = None, root: str | Path = RAW
) -> Path | None:
    """Go back to the registered version of a data file.

    Returns: where the local version is kept; None if there was none.
    """
    base = registry[name].base
    path = data_file(base, root)
    registered = _obtain(base, path, mirror)
    if registered is None:
        answer(base, mirror)  # says why
        raise AssertionError("a source has answered")
    kept = None
    if path.is_file() and path.read_bytes() not in (b"", registered[1]):
        kept = _keep(path)
    write_bytes(path, registered[1])
    versions = local_versions(registry.path)
    versions.pop(base.key, None)
    _write_local(registry.path, versions)
    return kept
