"""A run against its manifest: every file, what it came from, and what else lies there."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from hedgerow.checks import check_number
from hedgerow.data.versions import VERSIONS
from hedgerow.errors import ConfigError, DataError, HedgerowError, InputError
from hedgerow.files import read_yaml
from hedgerow_study.audit.checkout import (
    CLONE,
    NO_CHECKOUT,
    check_links,
    check_project,
    local_checkout,
)
from hedgerow_study.audit.commit_check import check_code, names
from hedgerow_study.audit.cores import check_cores
from hedgerow_study.audit.documents import check_documents
from hedgerow_study.audit.findings import (
    DIFFERS,
    IDENTICAL,
    MISSING,
    NOT_LISTED,
    Check,
    File,
    Findings,
)
from hedgerow_study.audit.packages import check_packages
from hedgerow_study.audit.report_check import check_shown
from hedgerow_study.audit.rerun import with_parents
from hedgerow_study.audit.rerun_check import check_by_rerun, parse_rerun
from hedgerow_study.reporting.manifest import checksums, package_versions, platform_name
from hedgerow_study.workflow.planning.graph import planned_again
from hedgerow_study.workflow.references.recorded import MANIFEST, SUMS, Recorded, recorded
from hedgerow_study.workflow.showing.record import RECORD

DEFAULT = "config/default.yaml"
#: Folders in which nothing lies that no run has made, but for what is named below.
OUTPUT_FOLDERS = (
    "data/raw",
    "data/tidy",
    "data/noised",
    "data/calibrated",
    "data/trees",
    "data/results",
)
OUTPUT_FOLDERS += ("reports",)
#: Of the list of checksums, by `ssh-keygen -Y sign`.
SIGNATURE = f"{SUMS}.sig"
#: What no manifest lists: the page about the folder, and what differs from run to run.
TRACKED = {"reports/README.md", RECORD.as_posix(), SIGNATURE}
#: The files of a run, by the part of the manifest that lists them.
KINDS = {"inputs": "input", "outputs": "output", "between": "between"}
_ABSENT = object()


def verify(
    root: Path | str = ".",
    *,
    checkout: Path | str | None = None,
    digest: str | None = None,
    rerun: int | str | Sequence[int | str] = 0,
    cheap: bool = True,
    seed: int = 0,
    cores: int = 1,
    tolerance: float = 0.0,
    allow_unlisted: bool = False,
    allow_changes: bool = False,
    tell: Callable[..., None] = lambda what, done=0, of=None: None,
) -> Findings:
    """Compare the results in a folder with the manifest of the run that made them.

    checkout: whose code, workflow, settings, published figures and rules for claims are believed;
        by default the one whose package is in use. Of another folder nothing is run: rows and raw
        files are read there, and this checkout recomputes results from them.

    root: Nothing in it is written.

    digest: Without it a manifest that was edited together with a result and with reports/SHA256SUMS
        looks whole.
    """
    n_drawn, asked = parse_rerun(rerun)
    check_number("rerun", n_drawn, 0, 10**6, whole=True)
    check_number("seed", seed, 0, 2**63, whole=True)
    check_number("cores", cores, 1, 10**4, whole=True)
    check_number("tolerance", tolerance, 0, 1)
    root = Path(root)
    check_project(root)
    local = local_checkout() if checkout is None else Path(checkout)
    if local is None or local.resolve() != root.resolve():
        check_links(root)
    if local is None and (n_drawn or asked):
        raise InputError(f"--rerun: {NO_CHECKOUT}", remedy=CLONE)
    record = _read_record(root)
    findings = Findings(str(root), digest=record.digest, unlisted_allowed=allow_unlisted)
    tell("checksums")
    findings.files += _recorded_files(root, record)
    if digest is not None:
        findings.checks.append(_check_digest(digest, record))
    findings.files += _unlisted(root, record)
    if record.manifest is None:
        findings.checks += [Check("manifest", False, ["It cannot be read: nothing else is known."])]
        return findings
    manifest = record.manifest
    findings.files += check_shown(root, manifest, record.digest)
    tell("installed packages")
    findings.checks.append(check_packages(manifest))
    findings.checks += [_check_job_chain(manifest), _data_files(manifest)]
    findings.checks += _environment(manifest)
    findings.checks += check_code(root, manifest, allow_changes, local)
    if local is None:
        findings.checks += [Check("jobs, settings and results", None, [f"{NO_CHECKOUT}: {CLONE}."])]
        return findings
    findings.checks.append(_configuration(local, manifest))
    findings.checks.append(check_documents(root, local))
    tell("the graph of jobs")
    try:
        jobs = planned_again(local, manifest)
    except ConfigError as error:
        findings.checks.append(Check("parents", False, [f"{error.message}."]))
        return findings
    made_by = {path: id for id, job in jobs.items() for path in job["outputs"]}
    # The manifest tells of what it rests on; it holds what a copy has not, such as all checksums.
    writer = made_by.get(MANIFEST, "")
    above = with_parents({"jobs": jobs, "made_by": made_by}, [writer]) if writer else jobs
    jobs = {id: jobs[id] for id in above if id != writer}
    findings.checks += _against_plan(manifest["jobs"], jobs)
    made_by = {path: id for path, id in made_by.items() if id in jobs}
    planned_manifest = {**manifest, "jobs": jobs, "made_by": made_by}
    tell("rebuilding compiled cores")
    findings.checks.append(check_cores(local, manifest, cheap))
    check_by_rerun(
        root, local, planned_manifest, findings, rerun, seed, cheap, cores, tolerance, tell
    )
    return findings


def intact_manifest(root: Path) -> dict[str, Any]:
    """The manifest of a run of which every file is as recorded."""
    record = _read_record(root)
    bad = [file for file in _recorded_files(root, record) if file.verdict != IDENTICAL]
    # What was made on the way need not be kept.
    if bad or record.manifest is None:
        named = names(f"{file.path} ({file.verdict})" for file in bad)
        raise DataError(f"the run is not whole: {named}", remedy="call `make reproduce`")
    return record.manifest


def _read_record(root: Path) -> Recorded:
    """What the last run wrote down; an error where that is nothing, or of another time."""
    record = recorded(root)
    if record.manifest is None and not record.sums:
        if record.faults:
            raise DataError(f"{root / MANIFEST}: damaged", remedy="call `make reproduce`")
        raise DataError(
            f"{root} holds no {MANIFEST}", remedy="call `make reproduce`, or name another folder"
        )
    if record.manifest is not None and "jobs" not in record.manifest:
        raise DataError(
            f"{root / MANIFEST} is of an earlier version and names no jobs",
            remedy="call `make reproduce`, which rewrites it",
        )
    return record


# --------------------------------------------------------------------------------------- files


def _recorded_files(root: Path, record: Recorded) -> list[File]:
    return [*_records(record), *_files(root, record)]


def _records(record: Recorded) -> list[File]:
    """The manifest and the list for `sha256sum`, which bear witness to each other."""
    files = []
    for path, is_present in ((MANIFEST, record.digest is not None), (SUMS, bool(record.sums))):
        faults = [fault for fault in record.faults if fault.startswith(path)]
        verdict = DIFFERS if faults else IDENTICAL if is_present else MISSING
        files.append(File(path, verdict, "record", "; ".join(faults)))
    return files


def _check_digest(digest: str, record: Recorded) -> Check:
    asked = digest.strip().lower()
    if len(asked) != 64 or set(asked) - set("0123456789abcdef"):
        raise InputError(
            f"--digest is {digest!r}", remedy="give the 64 digits that the run printed"
        )
    if asked == record.digest:
        return Check("digest of the manifest", True, [f"It is {asked}."])
    return Check("digest of the manifest", False, [f"It is {record.digest}, not {asked}."])


def _files(root: Path, record: Recorded) -> list[File]:
    expected = record.expected()
    now = checksums(root, [path for path in expected if (root / path).is_file()])
    manifest = record.manifest or {}
    kinds = {path: kind for part, kind in KINDS.items() for path in manifest.get(part, ())}
    files = []
    for path in sorted(expected):
        why = ""
        if len(expected[path]) > 1:
            verdict = DIFFERS if path in now else MISSING
            why = f"{MANIFEST} and {SUMS} have different checksums of it"
        elif path not in now:
            verdict = MISSING
        elif expected[path] == {now[path]}:
            verdict = IDENTICAL
        else:
            verdict = DIFFERS
            others = [other for other in expected if now[path] in expected[other]]
            why = (
                f"it has the bytes of {others[0]}"
                if others
                else change_note(root / path, *expected[path])
            )
        files.append(File(path, verdict, kinds.get(path, ""), why))
    return files


def change_note(file: Path, checksum: str) -> str:
    """How a file differs from the one that has a checksum."""
    content = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(content).hexdigest() == checksum:
        return "only its line ends differ: git converts them (core.autocrlf) without .gitattributes"
    return "its bytes were changed"


def _unlisted(root: Path, record: Recorded) -> list[File]:
    """What lies where runs write, and no run has listed."""
    manifest = record.manifest or {}
    listed = {*record.expected(), *manifest.get("made_by", ()), MANIFEST, SUMS, *TRACKED}
    present = {
        file.relative_to(root).as_posix()
        for folder in OUTPUT_FOLDERS
        for file in (root / folder).rglob("*")
        if (file.is_file() or file.is_symlink()) and not _is_version(file)
    }
    why = "the manifest does not name it: of another configuration, or nobody's"
    return [File(path, NOT_LISTED, why=why) for path in sorted(present - listed)]


def _is_version(file: Path) -> bool:
    """Whether a file is a local version of a data file that is kept, which no run reads."""
    return file.parent.name == VERSIONS and file.parents[2].name == "raw"


# -------------------------------------------------------------------------------------- checks


def _check_job_chain(manifest: Mapping[str, Any]) -> Check:
    """Whether a chain of jobs leads from each output to what was read."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    lines = [f"{path} has no job." for path in manifest["outputs"] if made_by.get(path) not in jobs]
    for id, job in jobs.items():
        unknown = [p for p in job["inputs"] if p not in made_by and p not in manifest["inputs"]]
        lines += [f"{path}, which {id} reads, has no job and is no input." for path in unknown]
    parents = {id: {made_by[p] for p in jobs[id]["inputs"] if p in made_by} for id in jobs}
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        lines.append(f"{' <- '.join(error.args[1])}: each of these jobs comes from the next one.")
    gone = [path for path, kept in manifest["between"].items() if kept is None]
    notes = [f"Files made on the way and not kept: {len(gone)}."] if gone else []
    return Check("chain to what was read", not lines, lines or notes or ["It is closed."])


def _data_files(manifest: Mapping[str, Any]) -> Check:
    """Whether each data file is the one that its source served, or a local version."""
    local, adopted, unknown = manifest.get("local_data", {}), [], []
    served = {source["dataset"]: source.get("sha256") for source in manifest["sources"].values()}
    for name, sha256 in sorted(served.items()):
        path = f"data/raw/{name}/{name}.data"
        if (read := manifest["inputs"].get(path)) == sha256:
            continue
        if read is not None and read == local.get(name, {}).get("sha256"):
            adopted.append(f"{local[name]['sentence']}.")
        else:
            unknown.append(
                f"{path} is neither the registered version nor a local one that is adopted; "
                "rule tidy found the registered rows in it."
            )
    if not adopted and not unknown:
        adopted = [f"All {len(served)} are the registered versions."]
    return Check("data files", None if unknown else True, unknown + adopted)


def _configuration(root: Path, manifest: Mapping[str, Any]) -> Check:
    """Whether the files of settings still say what the run was made with."""
    name, given = "configuration", manifest.get("given", {})
    files = settings_files(given)
    try:
        now = settings_now(root, files, given)
    except HedgerowError as error:
        return Check(name, False, [f"{error}."])
    lines = [
        f"{setting} is {_value(mine)} in {' and '.join(files)}, {_value(theirs)} in the manifest."
        for setting, theirs, mine in diff_settings(manifest["configuration"], now)
    ]
    return Check(name, not lines, lines or [f"As in {' and '.join(files)}."])


def settings_files(given: Mapping[str, Any]) -> list[str]:
    """Files of settings, as a manifest names them under `given`, the default first."""
    return [DEFAULT, *(file for file in given.get("files", ()) if file != DEFAULT)]


def settings_now(root: Path, files: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration that files of settings give now."""
    now: dict[str, Any] = {}
    for file in files:
        if not (root / file).is_file():
            raise ConfigError(
                f"{file}, with which the last run was made, is missing",
                remedy="put it back, or name the settings (--configfile)",
            )
        settings = read_yaml(root / file) or {}
        if not isinstance(settings, Mapping):
            raise ConfigError(f"{file} holds no settings", remedy="write `name: value`")
        now = _merge_settings(now, settings)
    return _merge_settings(now, given.get("command_line", {}))


def _merge_settings(one: Mapping, other: Mapping) -> dict[str, Any]:
    """As Snakemake merges files of settings: mappings in each other, lists replaced."""
    merged = dict(one)
    for key, value in other.items():
        inner = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge_settings(merged[key], value) if inner else value
    return merged


def diff_settings(one: Any, other: Any, name: str = "") -> list[tuple[str, Any, Any]]:
    """Settings that differ between two configurations, by their full names."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [
            difference
            for key in sorted({*one, *other}, key=str)
            for difference in diff_settings(
                one.get(key, _ABSENT), other.get(key, _ABSENT), f"{name}.{key}".lstrip(".")
            )
        ]
    return [] if one == other else [(f"`{name}`", one, other)]


def _value(value: Any) -> str:
    return "not there" if value is _ABSENT else str(value)


def _environment(manifest: Mapping[str, Any]) -> list[Check]:
    lines = changed_packages(manifest)
    system = platform_name()
    notes = (
        []
        if system == manifest.get("platform")
        else [f"{system} here, {manifest['platform']} then."]
    )
    return [
        Check("package versions", not lines, lines or ["Those in use are those of the run."]),
        *([Check("machine", None, notes)] if notes else []),
    ]


def changed_packages(manifest: Mapping[str, Any]) -> list[str]:
    """Versions that are not those of the run; packages that came later do not count."""
    now = {**package_versions(), "python": platform.python_version()}
    then = {**manifest["packages"], "python": manifest.get("python")}
    return [
        f"{name} is {now.get(name, 'not installed')}, was {version}."
        for name, version in sorted(then.items())
        if now.get(name) != version
    ]


def _against_plan(jobs: Mapping[str, Any], plan: Mapping[str, Any]) -> list[Check]:
    """Whether the workflow, as it is now, makes the same files from the same parents."""
    lines = []
    for id in sorted({*jobs} - {*plan}):
        lines.append(f"The workflow has no job {id}.")
    for id in sorted({*plan} - {*jobs}):
        lines.append(f"The manifest leaves out {id}, which the workflow has.")
    for id, job in jobs.items():
        for part, words in (("rule", "rule"), ("inputs", "parents"), ("outputs", "outputs")):
            if id in plan and job[part] != plan[id][part]:
                lines.append(f"{id} has other {words} in the manifest than in the workflow.")
    both = [id for id in jobs if id in plan]
    code = [id for id in both if jobs[id].get("code") != plan[id]["code"]]
    settings = [id for id in both if jobs[id].get("settings") != plan[id]["settings"]]
    checks = [Check("parents", not lines, lines or [f"Those of {len(both)} jobs are as planned."])]
    for name, ids in (("code", code), ("settings of jobs", settings)):
        fine = [f"That of {len(both)} jobs is the one in use."]
        changed = [f"It has changed since for {names(ids)}."]
        if name != "code":
            fine = [f"Those of {len(both)} jobs are those of the configuration."]
            changed = [f"They differ for {names(ids)}."]
        checks.append(Check(name, not ids, changed if ids else fine))
    return checks
