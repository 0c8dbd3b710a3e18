"""Tracked results at paper scale against their manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hedgerow.errors import DataError, HedgerowError
from hedgerow.files import read_json
from hedgerow_study.audit.checkout import NO_CHECKOUT, check_links
from hedgerow_study.audit.findings import (
    DIFFERS,
    IDENTICAL,
    MISSING,
    NOT_LISTED,
    Check,
    File,
    Findings,
)
from hedgerow_study.audit.rerun_check import compare_files
from hedgerow_study.audit.verify import change_note
from hedgerow_study.reporting.manifest import checksum, checksums
from hedgerow_study.reporting.spot_checks import FILE
from hedgerow_study.workflow.jobs.parts import SUFFIX, digests
from hedgerow_study.workflow.references.paper_scale import Reference, code_of_part
from hedgerow_study.workflow.references.recorded import check_paths
from hedgerow_study.workflow.running.isolated import copy

NAME = "manifest.json"


def is_reference(path: Path | str) -> bool:
    """Whether a folder is one of results at paper scale, or holds such folders."""
    path = Path(path)
    return any(_is_manifest(file) for file in path.glob(f"**/{NAME}"))


def _is_manifest(file: Path) -> bool:
    try:
        content = read_json(file)
    except DataError:
        # A damaged one is named by the audit.
        return "reports" not in file.parts
    return "experiment" in content and "outputs" in content


def verify_reference(folder: Path | str) -> Findings:
    """Compare results at paper scale with their manifests.

    Returns: code and versions that differ from today's are reported and count for nothing: what
        is kept was made on another day. An older hedgerow whose functions are those of today, or
        gave the same results, is not reported.
    """
    folder = Path(folder)
    check_links(folder, [path.name for path in folder.glob("*")])
    manifests = sorted(file for file in folder.glob(f"**/{NAME}") if _is_manifest(file))
    if not manifests:
        raise DataError(
            f"{folder} holds no results at paper scale", remedy="name data/reference or one in it"
        )
    findings = Findings(str(folder))
    for file in manifests:
        _verify_one(file, folder, findings)
    listed = {file.path for file in findings.files}
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    # Draws of parts are the checker's, not the maker's; the file lies beside all manifests.
    if Path(FILE).name in present:
        present.discard(Path(FILE).name)
        message = "By the word of those who drew; `--rerun N --seed TEXT` draws parts here."
        findings.checks.append(Check("draws on record", None, [message]))
    why = "no manifest names it"
    findings.files += [File(path, NOT_LISTED, why=why) for path in sorted(present - listed)]
    return findings


def rerun_outputs(
    folder: Path,
    findings: Findings,
    checkout: Path | None,
    cores: int = 1,
    tell: Callable[..., None] = lambda what, done=0, of=None: None,
) -> None:
    """Make tables, figures and verdicts again from the tracked parts, and compare.

    Only the manifest beside them vouches for a table and a verdict, and somebody who edits these
    can rewrite it. Draws rerun the parts themselves (`--rerun`).

    checkout: whose workflow makes them; the folder is written to nowhere.
    """
    verdicts = {file.path: file for file in findings.files}
    manifests = sorted(file for file in folder.glob(f"**/{NAME}") if _is_manifest(file))
    tell("tables, figures and verdicts are made from parts", 0, len(manifests))
    for file in manifests:
        subfolder, content = file.parent, read_json(file)
        name = "" if subfolder == folder else f"{subfolder.relative_to(folder).as_posix()}/"
        tell(name or subfolder.name, 1)
        check = f"{name or subfolder.name + '/'}made from its parts"
        if checkout is None or not content.get("parts"):
            why = NO_CHECKOUT if checkout is None else "it has none: `hedgerow reference` makes it"
            findings.checks.append(Check(check, None, [f"{why}."]))
            continue
        with TemporaryDirectory(prefix="hedgerow-kept-") as place:
            copy(subfolder / "parts", Path(place) / "parts")
            named = content["experiment"], content.get("configuration", ""), Path(place)
            try:
                Reference(checkout, *named, content.get("of", "")).merge(cores)
            except HedgerowError as error:
                # The parts lie in a copy: the message names them as they lie in the folder.
                why = error.message.replace(f"{place}/", name)
                findings.checks.append(Check(check, None, [f"{why}."]))
                continue
            others = []
            for path in content["outputs"]:
                here, again = subfolder / path, Path(place) / path
                if here.is_file() and again.is_file() and checksum(here) != checksum(again):
                    others.append(path)
                    verdict, why = compare_files(here, again, 0.0)
                    if verdicts[name + path].verdict == IDENTICAL:
                        verdicts[name + path] = File(name + path, verdict, "output", why)
            message = f"{len(content['outputs']) - len(others)} of {len(content['outputs'])} files."
            findings.checks.append(Check(check, not others, [message]))
    findings.files = list(verdicts.values())


def _verify_one(file: Path, top: Path, findings: Findings) -> None:
    subfolder = file.parent
    name = subfolder.relative_to(top).as_posix()
    prefix = "" if name == "." else f"{name}/"
    try:
        content = _read_manifest(file)
    except HedgerowError as error:
        findings.files.append(File(f"{prefix}{NAME}", DIFFERS, "record", error.message))
        return
    findings.files.append(File(f"{prefix}{NAME}", IDENTICAL, "record"))
    expected = {**content["outputs"], **content.get("parts", {})}
    now = checksums(subfolder, [path for path in expected if (subfolder / path).is_file()])
    for path, listed in sorted(expected.items()):
        same = now.get(path) == listed
        verdict = MISSING if path not in now else IDENTICAL if same else DIFFERS
        why = "" if same or path not in now else change_note(subfolder / path, listed)
        kind = "input" if path in content.get("parts", ()) else "output"
        findings.files.append(File(f"{prefix}{path}", verdict, kind, why))
    findings.checks += _checks(content, subfolder, prefix or f"{subfolder.name}/")


def _read_manifest(file: Path) -> dict[str, Any]:
    content = read_json(file)
    for part in ("outputs", "parts"):
        if not isinstance(content.get(part, {}), dict):
            raise DataError(f"{file}: `{part}` is no mapping", remedy="make it again")
        try:
            check_paths(content.get(part, ()))
        except ValueError as error:
            raise DataError(f"{file}: {error}", remedy="make it again") from None
    # It becomes the name of a folder of the package.
    if not str(content["experiment"]).isidentifier() or not _names_code(content):
        raise DataError(f"{file} is damaged", remedy="make it again")
    return content


def _names_code(content: Mapping[str, Any]) -> bool:
    """Whether code and versions are what is read of them, where they are there."""
    code, versions = (content.get(key) or {} for key in ("code", "versions"))
    if not isinstance(code, dict) or not isinstance(versions, dict):
        return False
    try:
        calls = code_of_part({"code": code}) if "calls" in code else {}
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
    pairs = [*versions.items(), *calls.items()]
    return all(isinstance(one, str) and one for pair in pairs for one in pair)


def _checks(content: Mapping[str, Any], subfolder: Path, name: str) -> Iterator[Check]:
    """Parts against their own manifests; code and versions, which are only reported."""
    parts = [subfolder / path for path in content.get("parts", ()) if path.endswith(".json")]
    makers, lines = {name: content}, []
    for part in filter(Path.is_file, parts):
        try:
            one = read_json(part)
            # Parts of former times have no archive; they are made again one experiment at a time.
            former = "archive" not in one and isinstance(one["files"], dict)
            if not _names_code(one) or not (former or isinstance(one["archive"], str)):
                raise ValueError(part)
        except (HedgerowError, LookupError, TypeError, AttributeError, ValueError):
            lines.append(f"{part.name} is no manifest of a part.")
            continue
        makers[part.stem] = one
        archive = f"parts/{part.stem}{SUFFIX}"
        if not former and one["archive"] != content["parts"].get(archive):
            lines.append(f"{archive} is not what {part.name} was written with.")
    if parts:
        fine = [f"{len(makers) - 1} parts are what their own manifests describe."]
        yield Check(f"{name}parts", not lines, lines or fine)
    yield from _code_checks(makers, name)


def _code_checks(makers: Mapping[str, Mapping], name: str) -> Iterator[Check]:
    """Functions that are not those of today, and the commits that had them; versions."""
    calls = {id: _calls(maker) for id, maker in makers.items()}
    now = {}
    for call in sorted({call for one in calls.values() for call in one}):
        try:
            now |= digests([call])
        except (HedgerowError, LookupError, OSError):  # there is no such function any more
            now[call] = None
    older = {
        id: {call for call, digest in one.items() if now[call] != digest}
        for id, one in calls.items()
    }
    others = {id: one for id, one in makers.items() if not calls[id] or older[id]}
    if others:
        had = {str((one.get("code") or {}).get("commit") or "")[:9] for one in others.values()}
        had -= {""}
        commits = f", commit {', '.join(sorted(had))}" if had else ""
        named = sorted(set().union(*older.values()))
        which = f": {', '.join(named)}" if named else ""
        yield Check(f"{name}code", None, [f"Made by other code than today's{commits}{which}."])
    versions = sorted(
        {
            f"{package} {version} ({_installed(package)} here)."
            for id, maker in makers.items()
            for package, version in (maker.get("versions") or {}).items()
            # Digests say more of our own code than its version does.
            if _installed(package) != version and (package != "hedgerow" or id in others)
        }
    )
    if versions:
        yield Check(f"{name}versions", None, versions)


def _calls(maker: Mapping[str, Any]) -> dict[str, str]:
    """Digest of each function; none in a manifest that is older than them."""
    code = maker.get("code") or {}
    return code_of_part({"code": code}) if "calls" in code else {}


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
