"""What the last run wrote down of its files: the manifest and its sums, checked when read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hedgerow.errors import DataError
from hedgerow.files import read_text
from hedgerow_study.reporting.manifest import checksum, sums

MANIFEST = "reports/manifest.json"
SUMS = "reports/SHA256SUMS"


@dataclass(frozen=True)
class Recorded:
    """What a run wrote down of its files."""

    manifest: dict[str, Any] | None  # None where it is not there or cannot be read
    sums: dict[str, str]  # path to SHA-256, from the file for `sha256sum`
    faults: list[str]  # what is wrong with the two themselves, a sentence each
    digest: str | None  # SHA-256 of the manifest's bytes

    def expected(self) -> dict[str, set[str]]:
        """Checksums of each file that was read or made; one, if nobody changed the records."""
        checksums: dict[str, set[str]] = {}
        manifest = self.manifest or {}
        mappings = [manifest.get(kind, {}) for kind in ("inputs", "outputs", "between")]
        for path, one in (item for files in (*mappings, self.sums) for item in files.items()):
            if one is not None and path != MANIFEST:
                checksums.setdefault(path, set()).add(one)
        return checksums


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
    listed, listing = {}, None
    if (root / SUMS).is_file():
        try:
            listing = read_text(root / SUMS)
            listed = dict(reversed(line.split("  ", 1)) for line in listing.splitlines())
            check_paths(listed)
        except (ValueError, DataError):
            listed = {}
            faults.append(f"{SUMS} is damaged")
    # The last line of the one is the checksum of the other.
    if content is not None and listing is not None and listed.get(MANIFEST) != digest:
        faults.append(f"{MANIFEST} is not the one that {SUMS} was written with")
    elif (
        content and "version" in content and listing is not None and listing != sums(content, text)
    ):
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
    yield all(_name(s.get("dataset")) for s in sources.values())
    yield _local_data(content.get("local_data", {}))
    for part in (content["packages"], content.get("cores", {})):
        yield all(_words(name) and _words(version) for name, version in part.items())
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


def _local_data(content: Any) -> bool:
    """Whether a manifest tells of local versions as a run writes them."""
    if not isinstance(content, dict) or not all(isinstance(v, dict) for v in content.values()):
        return False
    texts = [v.get(part) for v in content.values() for part in ("sha256", "sentence")]
    return all(map(_name, content)) and all(_words(text, None) for text in texts)


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
