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
from hedgerow_study.audit.anew import asked_for, make_anew
from hedgerow_study.audit.beside import check_documents
from hedgerow_study.audit.code import check_code, names
from hedgerow_study.audit.cores import check_cores
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
from hedgerow_study.audit.redo import with_parents
from hedgerow_study.audit.shown import check_shown
from hedgerow_study.audit.trust import (
    CLONE,
    NO_CHECKOUT,
    check_links,
    check_project,
    own_checkout,
)
from hedgerow_study.reporting.manifest import checksums, package_versions, platform_name
from hedgerow_study.workflow.planning.graph import planned_again
from hedgerow_study.workflow.references.recorded import MANIFEST, SUMS, Recorded, recorded
from hedgerow_study.workflow.showing.record import RECORD

DEFAULT = "config/default.yaml"
#: Folders in which nothing lies that no run has made, but for what is named below.
MADE = ("data/raw", "data/tidy", "data/noised", "data/calibrated", "data/trees", "data/results")
MADE += ("reports",)
#: Of the list of checksums, by `ssh-keygen -Y sign`.
SIGNATURE = f"{SUMS}.sig"
#: What no manifest lists: the page about the folder, and what differs from run to run.
TRACKED = {"reports/README.md", RECORD.as_posix(), SIGNATURE}
#: The files of a run, by the part of the manifest that lists them.
KINDS = {"inputs": "input", "outputs": "output", "between": "between"}
_NOWHERE = object()


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
        files are read there, and what is made anew is made from them by this checkout.

    root: Nothing in it is written.

    digest: Without it a manifest that was edited together with a result and with reports/SHA256SUMS
        looks whole.
    """
    n_drawn, asked = asked_for(rerun)
    check_number("rerun", n_drawn, 0, 10**6, whole=True)
    check_number("seed", seed, 0, 2**63, whole=True)
    check_number("cores", cores, 1, 10**4, whole=True)
    check_number("tolerance", tolerance, 0, 1)
    root = Path(root)
    check_project(root)
    own = own_checkout() if checkout is None else Path(checkout)
    if own is None or own.resolve() != root.resolve():
        check_links(root)
    if own is None and (n_drawn or asked):
        raise InputError(f"--rerun: {NO_CHECKOUT}", remedy=CLONE)
    known = _known(root)
    found = Findings(str(root), digest=known.digest, unlisted_allowed=allow_unlisted)
    tell("checksums")
    found.files += _recorded_files(root, known)
    if digest is not None:
        found.checks.append(_check_digest(digest, known))
    found.files += _unlisted(root, known)
    if known.manifest is None:
        found.checks.append(Check("manifest", False, ["It cannot be read: nothing else is known."]))
        return found
    manifest = known.manifest
    found.files += check_shown(root, manifest, known.digest)
    tell("installed packages")
    found.checks.append(check_packages(manifest))
    found.checks += [_closed(manifest), _data_files(manifest)]
    found.checks += _environment(manifest)
    found.checks += check_code(root, manifest, allow_changes, own)
    if own is None:
        found.checks.append(Check("jobs, settings and results", None, [f"{NO_CHECKOUT}: {CLONE}."]))
        return found
    found.checks.append(_configuration(own, manifest))
    found.checks.append(check_documents(root, own))
    tell("the graph of jobs")
    try:
        jobs = planned_again(own, manifest)
    except ConfigError as error:
        found.checks.append(Check("parents", False, [f"{error.message}."]))
        return found
    made_by = {path: id for id, job in jobs.items() for path in job["outputs"]}
    # The manifest tells of what it rests on; it holds what a copy has not, such as all checksums.
    own_job = made_by.get(MANIFEST, "")
    above = with_parents({"jobs": jobs, "made_by": made_by}, [own_job]) if own_job else jobs
    jobs = {id: jobs[id] for id in above if id != own_job}
    found.checks += _against_plan(manifest["jobs"], jobs)
    made_by = {path: id for path, id in made_by.items() if id in jobs}
    planned_manifest = {**manifest, "jobs": jobs, "made_by": made_by}
    tell("compiled cores are built anew")
    found.checks.append(check_cores(own, manifest, cheap))
    make_anew(root, own, planned_manifest, found, rerun, seed, cheap, cores, tolerance, tell)
    return found


def whole(root: Path) -> dict[str, Any]:
    """The manifest of a run of which every file is as recorded."""
    known = _known(root)
    bad = [file for file in _recorded_files(root, known) if file.verdict != IDENTICAL]
    # What was made on the way need not be kept.
    if bad or known.manifest is None:
        named = names(f"{file.path} ({file.verdict})" for file in bad)
        raise DataError(f"the run is not whole: {named}", remedy="call `make reproduce`")
    return known.manifest


def _known(root: Path) -> Recorded:
    """What the last run wrote down; an error where that is nothing, or of another time."""
    known = recorded(root)
    if known.manifest is None and not known.sums:
        if known.faults:
            raise DataError(f"{root / MANIFEST}: damaged", remedy="call `make reproduce`")
        raise DataError(
            f"{root} holds no {MANIFEST}", remedy="call `make reproduce`, or name another folder"
        )
    if known.manifest is not None and "jobs" not in known.manifest:
        raise DataError(
            f"{root / MANIFEST} is of an earlier version and names no jobs",
            remedy="call `make reproduce`, which writes it anew",
        )
    return known


# --------------------------------------------------------------------------------------- files


def _recorded_files(root: Path, known: Recorded) -> list[File]:
    return [*_records(known), *_files(root, known)]


def _records(known: Recorded) -> list[File]:
    """The manifest and the list for `sha256sum`, which bear witness to each other."""
    files = []
    for path, there in ((MANIFEST, known.digest is not None), (SUMS, bool(known.sums))):
        faults = [fault for fault in known.faults if fault.startswith(path)]
        verdict = DIFFERS if faults else IDENTICAL if there else MISSING
        files.append(File(path, verdict, "record", "; ".join(faults)))
    return files


def _check_digest(digest: str, known: Recorded) -> Check:
    asked = digest.strip().lower()
    if len(asked) != 64 or set(asked) - set("0123456789abcdef"):
        raise InputError(
            f"--digest is {digest!r}", remedy="give the 64 digits that the run printed"
        )
    if asked == known.digest:
        return Check("digest of the manifest", True, [f"It is {asked}."])
    return Check("digest of the manifest", False, [f"It is {known.digest}, not {asked}."])


def _files(root: Path, known: Recorded) -> list[File]:
    expected = known.expected()
    now = checksums(root, [path for path in expected if (root / path).is_file()])
    manifest = known.manifest or {}
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
                else changed(root / path, *expected[path])
            )
        files.append(File(path, verdict, kinds.get(path, ""), why))
    return files


def changed(file: Path, checksum: str) -> str:
    """How a file differs from the one that has a checksum."""
    content = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(content).hexdigest() == checksum:
        return "only its line ends differ: git converts them (core.autocrlf) without .gitattributes"
    return "its bytes were changed"


def _unlisted(root: Path, known: Recorded) -> list[File]:
    """What lies where runs write, and no run has listed."""
    manifest = known.manifest or {}
    listed = {*known.expected(), *manifest.get("made_by", ()), MANIFEST, SUMS, *TRACKED}
    there = {
        file.relative_to(root).as_posix()
        for folder in MADE
        for file in (root / folder).rglob("*")
        if (file.is_file() or file.is_symlink()) and not _is_version(file)
    }
    why = "the manifest does not name it: of another configuration, or nobody's"
    return [File(path, NOT_LISTED, why=why) for path in sorted(there - listed)]


def _is_version(file: Path) -> bool:
    """Whether a file is a local version of a data file that is kept, which no run reads."""
    return file.parent.name == VERSIONS and file.parents[2].name == "raw"


# -------------------------------------------------------------------------------------- checks


def _closed(manifest: Mapping[str, Any]) -> Check:
    """Whether a chain of jobs leads from each output to what was read."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    said = [f"{path} has no job." for path in manifest["outputs"] if made_by.get(path) not in jobs]
    for id, job in jobs.items():
        unknown = [p for p in job["inputs"] if p not in made_by and p not in manifest["inputs"]]
        said += [f"{path}, which {id} reads, has no job and is no input." for path in unknown]
    made_from = {id: {made_by[p] for p in jobs[id]["inputs"] if p in made_by} for id in jobs}
    try:
        TopologicalSorter(made_from).prepare()
    except CycleError as error:
        said.append(f"{' <- '.join(error.args[1])}: each of these jobs comes from the next one.")
    gone = [path for path, kept in manifest["between"].items() if kept is None]
    told = [f"Files made on the way and not kept: {len(gone)}."] if gone else []
    return Check("chain to what was read", not said, said or told or ["It is closed."])


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
    said = [
        f"{setting} is {_value(mine)} in {' and '.join(files)}, {_value(theirs)} in the manifest."
        for setting, theirs, mine in unlike(manifest["configuration"], now)
    ]
    return Check(name, not said, said or [f"As in {' and '.join(files)}."])


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
        own = read_yaml(root / file) or {}
        if not isinstance(own, Mapping):
            raise ConfigError(f"{file} holds no settings", remedy="write `name: value`")
        now = _merged(now, own)
    return _merged(now, given.get("command_line", {}))


def _merged(one: Mapping, other: Mapping) -> dict[str, Any]:
    """As Snakemake merges files of settings: mappings in each other, lists replaced."""
    found = dict(one)
    for key, value in other.items():
        inner = isinstance(value, Mapping) and isinstance(found.get(key), Mapping)
        found[key] = _merged(found[key], value) if inner else value
    return found


def unlike(one: Any, other: Any, name: str = "") -> list[tuple[str, Any, Any]]:
    """Settings that differ between two configurations, by their full names."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [
            found
            for key in sorted({*one, *other}, key=str)
            for found in unlike(
                one.get(key, _NOWHERE), other.get(key, _NOWHERE), f"{name}.{key}".lstrip(".")
            )
        ]
    return [] if one == other else [(f"`{name}`", one, other)]


def _value(value: Any) -> str:
    return "not there" if value is _NOWHERE else str(value)


def _environment(manifest: Mapping[str, Any]) -> list[Check]:
    said = changed_packages(manifest)
    system = platform_name()
    told = (
        []
        if system == manifest.get("platform")
        else [f"{system} here, {manifest['platform']} then."]
    )
    return [
        Check("package versions", not said, said or ["Those in use are those of the run."]),
        *([Check("machine", None, told)] if told else []),
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
    said = []
    for id in sorted({*jobs} - {*plan}):
        said.append(f"The workflow has no job {id}.")
    for id in sorted({*plan} - {*jobs}):
        said.append(f"The manifest leaves out {id}, which the workflow has.")
    for id, job in jobs.items():
        for part, words in (("rule", "rule"), ("inputs", "parents"), ("outputs", "outputs")):
            if id in plan and job[part] != plan[id][part]:
                said.append(f"{id} has other {words} in the manifest than in the workflow.")
    both = [id for id in jobs if id in plan]
    code = [id for id in both if jobs[id].get("code") != plan[id]["code"]]
    settings = [id for id in both if jobs[id].get("settings") != plan[id]["settings"]]
    checks = [Check("parents", not said, said or [f"Those of {len(both)} jobs are as planned."])]
    for name, ids in (("code", code), ("settings of jobs", settings)):
        fine = [f"That of {len(both)} jobs is the one in use."]
        changed = [f"It has changed since for {names(ids)}."]
        if name != "code":
            fine = [f"Those of {len(both)} jobs are those of the configuration."]
            changed = [f"They differ for {names(ids)}."]
        checks.append(Check(name, not ids, changed if ids else fine))
    return checks
