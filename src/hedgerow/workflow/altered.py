"""Files that are not what the last run wrote: found before a run plans, so that it makes them anew.

Snakemake compares times. A cell that was changed and got its old time is nothing to it; with a new
time it counts as made, and what is made from it as out of date. Here bytes are compared with the
last manifest, and what differs is marked as incomplete in Snakemake's own records, as a file is
whose job was killed: it is made anew where the run needs it, with all that hangs on it, and nowhere
else. Nothing is deleted before its job runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

from hedgerow.errors import DataError
from hedgerow.files import read_text
from hedgerow.reporting.manifest import checksum, checksums, sums

MANIFEST = "reports/manifest.json"
SUMS = "reports/SHA256SUMS"
RAW = "data/raw/"
#: Options with which Snakemake makes nothing; `--touch` would count as made what is marked.
MAKES_NOTHING = {
    *("--archive", "--cleanup-metadata", "--cm", "--cleanup-shadow", "--conda-cleanup-envs"),
    *("--containerize", "--d3dag", "--dag", "--delete-all-output", "--delete-temp-output"),
    *("--detailed-summary", "-D", "--export-cwl", "--filegraph", "--generate-unit-tests"),
    *("--help", "-h", "--lint", "--list", "--list-changes", "--list-input-changes"),
    *("--list-params-changes", "--list-code-changes", "--list-rules", "--list-target-rules", "-l"),
    *("--list-untracked", "--lu", "--lt", "--print-compilation", "--report", "--rulegraph"),
    *("--summary", "-S", "--touch", "-t", "--unlock", "--version", "-v"),
}
DRY_RUN = {"-n", "--dry-run", "--dryrun"}
#: Seconds by which the time of a file may differ from the one that its record holds.
SAME_TIME = 0.1


@dataclass(frozen=True)
class Recorded:
    """What a run wrote down of its files.

    Attributes
    ----------
    manifest : dict or None
        None where it is not there or cannot be read.
    sums : dict
        Path to SHA-256, from the file for `sha256sum`; empty where it is not there.
    faults : list of str
        What is wrong with the two themselves, a sentence each.
    digest : str or None
        SHA-256 of the manifest's bytes.
    """

    manifest: dict[str, Any] | None
    sums: dict[str, str]
    faults: list[str]
    digest: str | None

    def expected(self) -> dict[str, set[str]]:
        """Checksums of each file that was read or made; one, if nobody changed the records."""
        found: dict[str, set[str]] = {}
        manifest = self.manifest or {}
        told = [manifest.get(kind, {}) for kind in ("inputs", "outputs", "between")]
        for path, one in (item for files in (*told, self.sums) for item in files.items()):
            if one is not None and path != MANIFEST:
                found.setdefault(path, set()).add(one)
        return found


def recorded(root: Path) -> Recorded:
    """What the last run in a folder wrote down, and whether it is whole."""
    content, digest, faults, text = None, None, [], ""
    if (root / MANIFEST).is_file():
        digest = checksum(root / MANIFEST)
        try:
            text = read_text(root / MANIFEST)
            content = checked(json.loads(text))
        except (ValueError, RecursionError, DataError):
            faults.append(f"{MANIFEST} is damaged")
    listed, told = {}, None
    if (root / SUMS).is_file():
        try:
            told = read_text(root / SUMS)
            listed = dict(reversed(line.split("  ", 1)) for line in told.splitlines())
            check_paths(listed)
        except (ValueError, DataError):
            listed = {}
            faults.append(f"{SUMS} is damaged")
    # The last line of the one is the checksum of the other.
    if content is not None and told is not None and listed.get(MANIFEST) != digest:
        faults.append(f"{MANIFEST} is not the one that {SUMS} was written with")
    elif content and "version" in content and told is not None and told != sums(content, text):
        faults.append(f"{SUMS} is not what it was written with")
    return Recorded(content, listed, faults, digest)


#: Mappings and lists inside each other; a manifest has fewer than ten.
DEEPEST = 50
_DIGEST = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")


def checked(content: Any) -> dict[str, Any]:
    """A manifest that has the parts which are read here; a `ValueError` for anything else.

    It may be somebody else's. What it says becomes paths, names of jobs on a command line and
    words on a terminal, so that nothing passes that could not stand in one which a run wrote.
    """
    _check_depth(content)
    files = ("inputs", "outputs", "between", "made_by")
    mappings = (*files, "jobs", "packages", "configuration", "given", "sources", "code")
    if not isinstance(content, dict) or not isinstance(content.get("outputs"), dict):
        raise ValueError("no manifest")
    if "version" in content and not all(isinstance(content.get(k), dict) for k in mappings):
        raise ValueError("no manifest")
    for job in content.get("jobs", {}).values():
        if not isinstance(job, dict) or not isinstance(job.get("rule"), str):
            raise ValueError("no manifest")
        for paths in (job.get("inputs"), job.get("outputs")):
            if not isinstance(paths, list):
                raise ValueError("no manifest")
            check_paths(paths)
    for part in files:
        check_paths(content.get(part, {}))
        if not all(isinstance(v, str | None) for v in content.get(part, {}).values()):
            raise ValueError("no manifest")
    if "version" in content and not all(_facts(content)):
        raise ValueError("no manifest")
    return content


def _facts(content: dict[str, Any]) -> Iterator[bool]:
    """What else is read of a manifest, and whether each is of its kind."""
    jobs, sources, absent = content["jobs"], content["sources"], content.get("absent")
    for id, job in jobs.items():
        yield _words(id) and job["rule"].isidentifier()
        yield all(_words(job.get(digest, ""), None) for digest in ("code", "settings"))
    yield isinstance(absent, list) and all(map(_name, [*absent, *sources]))
    yield all(isinstance(s, dict) and _name(s.get("file")) for s in sources.values())
    yield all(_words(name) and _words(version) for name, version in content["packages"].items())
    yield _words(content.get("python")) and _words(content.get("platform"))
    yield _words(content["configuration"].get("configuration", ""))
    given = content["given"]
    yield isinstance(given.get("files", []), list)
    check_paths(given.get("files", []))
    yield isinstance(given.get("command_line", {}), dict)
    code = content["code"]
    yield {"commit", "clean"} <= code.keys()
    commit = code.get("commit")
    yield commit is None or (isinstance(commit, str) and bool(_DIGEST.fullmatch(commit)))
    yield _words(code.get("date", ""), None) and code.get("clean") in (True, False, None)
    for part in ("files", "changed"):
        yield isinstance(code.get(part, {}), dict)
        check_paths(code.get(part, {}))
        yield all(map(_words, code.get(part, {}).values()))
    diff = code.get("diff", [])
    yield isinstance(diff, list) and all(isinstance(line, str) for line in diff)


def _words(text: Any, other: Any = "") -> bool:
    """Whether something is a text that a terminal shows as it is, or another value."""
    return text == other or (isinstance(text, str) and text.isprintable())


def _name(text: Any) -> bool:
    """Whether something names a file or a folder in another one."""
    return _words(text, None) and text not in (None, "", ".", "..") and "/" not in text


def _check_depth(content: Any) -> None:
    """A `ValueError` for what is nested so deeply that its readers would not come back."""
    level = [content] if isinstance(content, dict | list) else []
    for _ in range(DEEPEST):
        inner = [v.values() if isinstance(v, dict) else v for v in level]
        level = [one for values in inner for one in values if isinstance(one, dict | list)]
        if not level:
            return
    raise ValueError(f"more than {DEEPEST} mappings and lists inside each other")


def check_paths(paths: Iterable[str]) -> None:
    """A `ValueError` for what is no path, or one that leads out of the project."""
    for path in paths:
        if not isinstance(path, str) or {"..", "/"} & set(PurePosixPath(path).parts):
            raise ValueError(f"{path!r} leads out of the project")
        if not path.isprintable():
            raise ValueError(f"{path!r} is no path")


@dataclass
class Altered:
    """Files that are not what the last run wrote.

    Attributes
    ----------
    made : list of str
        Results, and what was made on the way.
    read : list of str
        Raw data that were changed or are gone; published figures and settings that were changed
        and have their old times, which Snakemake would not see.
    anew : set of str
        What has to be made anew.
    gone : list of str
        What was made on the way and is not kept: the manifest has to say so.
    faults : list of str
        As in `Recorded`.
    """

    made: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    anew: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def altered(root: Path | str = ".") -> Altered:
    """Compare all files with what the last run wrote down of them.

    Files that were made since, by a run that was stopped or made a part only, are not held against
    a manifest that is older: Snakemake's records tell them, and the time at which their jobs left
    them.

    Parameters
    ----------
    root : path
        Folder of the project.

    Returns
    -------
    Altered
        Empty where nothing has run.
    """
    root = Path(root)
    known = recorded(root)
    found = Altered(faults=known.faults)
    if known.faults:
        found.anew.update(path for path in (MANIFEST, SUMS) if (root / path).is_file())
    expected = known.expected()
    now = checksums(root, [path for path in expected if (root / path).is_file()])
    between = (known.manifest or {}).get("between", {})
    found.gone = [path for path, one in between.items() if one and path not in now]
    if found.gone:
        found.anew.add(MANIFEST)
    unlike = sorted(path for path, one in now.items() if expected[path] != {one})
    # No job makes raw data by their name: without this nobody would miss them.
    unlike += sorted(path for path in expected if _is_raw(path) and path not in now)
    if not unlike:
        return found
    manifest = known.manifest or {}
    since = made_since_manifest(root)
    children: dict[str, set[str]] = {}
    for job in manifest.get("jobs", {}).values():
        for path in job["inputs"]:
            children.setdefault(path, set()).update(job["outputs"])
    for path in unlike:
        if path not in manifest.get("inputs", ()) and not _is_raw(path):
            if not since(path):
                found.made.append(path)
                found.anew.add(path)
            continue
        # The file of a data set lies beside the record that rule fetch makes.
        raw = Path(path).with_name("source.json").as_posix()
        readers = {raw} if _is_raw(path) else children.get(path, {MANIFEST})
        stale = {reader for reader in readers if not since(reader)}
        if stale:
            found.anew |= stale
            if _is_raw(path) or _older(root / path, root / MANIFEST):
                found.read.append(path)
    found.anew = {path for path in found.anew if (root / path).is_file()}
    return found


def _is_raw(path: str) -> bool:
    return path.startswith(RAW) and not path.endswith("/source.json")


def _older(path: Path, other: Path) -> bool:
    return not other.is_file() or path.stat().st_mtime <= other.stat().st_mtime


def made_since_manifest(root: Path) -> Callable[[str], bool]:
    """Whether a file is as a job left it that ended after the manifest was written."""
    records = _records(root)
    manifest = _record(records, MANIFEST)
    there = (root / MANIFEST).is_file()
    written = manifest.endtime if manifest else None
    if written is None:
        written = (root / MANIFEST).stat().st_mtime if there else float("-inf")

    def since(path: str) -> bool:
        record = _record(records, path)
        if record is None or record.endtime is None or record.endtime <= written:
            return False
        # The record holds the time of the file when its job had ended.
        return abs((root / path).stat().st_mtime - record.endtime) < SAME_TIME

    return since


def _records(root: Path) -> Any:
    """Snakemake's records of a folder."""
    from snakemake.persistence.file import FilePersistence

    return FilePersistence(nolock=True, path=(root / ".snakemake").resolve())


def _record(records: Any, path: str) -> Any:
    from snakemake.io import IOFile

    return records.metadata(IOFile(path))


# ------------------------------------------------------------------------------- before a run


def make_anew(arguments: Sequence[str], root: Path) -> list[str]:
    """See to it that a run makes anew what is not what the last one wrote.

    Parameters
    ----------
    arguments : sequence of str
        For Snakemake; a dry run changes no record.
    root : path
        Folder of the project, which the caller holds.

    Returns
    -------
    list of str
        What to tell the user: a sentence for results, one for what was read, one for each fault
        of the records themselves.
    """
    options = {argument.partition("=")[0] for argument in arguments if argument.startswith("-")}
    if options & MAKES_NOTHING:
        return []
    found = altered(root)
    if options & DRY_RUN:
        plain = " (A dry run does not show it.)"
        return [line + plain for line in told(found)]
    if found.anew:
        from snakemake.io import IOFile

        # As for a job that has begun; --rerun-incomplete does the rest.
        _records(root).started(SimpleNamespace(output=list(map(IOFile, sorted(found.anew)))))
    return told(found)


def told(found: Altered) -> list[str]:
    """Sentences for `make_anew`."""
    lines = [f"{fault}: it is written anew." for fault in found.faults]
    if found.made:
        are = "is" if len(found.made) == 1 else "are"
        lines.append(
            f"{_some(found.made)} {are} not as the last run left {_it(found.made)}: made anew, as "
            "far as this run needs it."
        )
    if found.gone:
        lines.append(
            f"{_some(found.gone)} {'is' if len(found.gone) == 1 else 'are'} gone: made on the way, "
            "and needed by nothing that is to be done. The manifest is written anew and says so."
        )
    if found.read:
        are = "is" if len(found.read) == 1 else "are"
        lines.append(
            f"{_some(found.read)} {are} not what the last run read: what comes from "
            f"{_it(found.read)} is made anew."
        )
    return lines


def _some(paths: Sequence[str], most: int = 3) -> str:
    if len(paths) <= most:
        return " and ".join([", ".join(paths[:-1]), paths[-1]] if len(paths) > 1 else paths)
    return f"{len(paths)} files, {', '.join(paths[:most])} among them,"


def _it(paths: Sequence[str]) -> str:
    return "it" if len(paths) == 1 else "them"
