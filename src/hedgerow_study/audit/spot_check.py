"""Parts of tracked results, drawn at random, made again and compared value by value."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.checks import check_number
from hedgerow.errors import DataError, HedgerowError, InputError
from hedgerow.files import read_json, write_json
from hedgerow_study.audit.checkout import CLONE, NO_CHECKOUT, local_checkout
from hedgerow_study.audit.findings import Check, Findings
from hedgerow_study.reporting.checkout import code_state
from hedgerow_study.reporting.spot_checks import (
    DIFFERS,
    EQUAL,
    FILE,
    NOT_RERUN,
    read_draws,
    sentence,
)
from hedgerow_study.workflow.jobs.frame import absence
from hedgerow_study.workflow.jobs.parts import SUFFIX
from hedgerow_study.workflow.references.paper_scale import drawn, unlike, words_of
from hedgerow_study.workflow.running.isolated import asking, copy_workflow, last_message, run_copy
from hedgerow_study.workflow.running.progress import duration

#: Where a draw is at work; what is finished there is not made again.
PLACE = "data/rerun"
#: Seconds that Snakemake takes to plan a part and to begin, whatever the part.
START = 8.0


def project_of(folder: Path) -> Path:
    """The project in whose data/reference a folder lies."""
    for root in [folder.resolve(), *folder.resolve().parents]:
        if (root / "config/default.yaml").is_file():
            return root
    raise DataError(
        f"{folder} lies in no hedgerow project, whose workflow could make parts again",
        remedy="name data/reference of a checkout",
    )


def all_parts(folder: Path) -> dict[str, Path]:
    """Parts below a folder: their manifests by what they are called, `soft/pima`."""
    files = sorted(folder.glob("**/parts/*.json"))
    return {
        f"{file.parents[1].relative_to(folder).as_posix()}/{file.stem}": file
        for file in files
        if file.with_name(f"{file.stem}{SUFFIX}").is_file()  # parts of former times have none
    }


def spot_check(
    folder: Path | str,
    n: int,
    seed: str,
    *,
    cores: int = 1,
    checkout: Path | None = None,
    tell: Callable[..., None] = lambda what, done=0, of=None: None,
    say: Callable[[str], None] = lambda line: None,
    findings: Findings | None = None,
) -> Findings:
    """Draw parts with equal chances, make them again, and compare their values.

    What came out is kept: a call that was stopped goes on where it was, and a larger draw by the
    same text holds the smaller one. Parts are made by the workflow of a checkout, by default the
    one whose package is in use. A part that is no longer the one that was compared counts as
    not drawn yet.
    """
    folder = Path(folder)
    root = project_of(folder)
    local = local_checkout() if checkout is None else checkout
    if local is None:
        raise InputError(f"--rerun: {NO_CHECKOUT}", remedy=CLONE)
    check_number("rerun", n, 1, 10**6, whole=True)
    if not seed:
        raise InputError("--seed is empty", remedy="give any text, and note it")
    parts = all_parts(folder)
    if not parts:
        raise DataError(f"{folder} holds no parts", remedy="name data/reference")
    findings = Findings(str(folder)) if findings is None else findings
    names = drawn(parts, min(n, len(parts)), seed)
    place = root / PLACE / hashlib.sha256(f"{folder.resolve()}\0{seed}".encode()).hexdigest()[:16]
    records = _read_results(place)
    manifests = {name: read_json(parts[name]) for name in names}
    left = [name for name in names if _result(records, name, manifests[name]) is None]
    jobs = [job for name in left for job in manifests[name]["jobs"].values()]
    seconds = START * len(left) + sum(job["seconds"] for job in jobs) / cores
    say(
        f'{len(names)} of {len(parts)} parts, drawn by "{seed}": {len(names) - len(left)} are '
        f"known, {len(left)} are made again, about {duration(seconds, digits=0)} on "
        f"{cores} core{'s' if cores != 1 else ''}, as recorded when they were made"
    )
    tell("parts are made again", 0, len(left))
    for name in left:
        tell(name)
        records[name] = {
            "archive": manifests[name]["archive"],
            **_rerun_part(local, place, parts[name], manifests[name], cores),
        }
        write_json(place / "known.json", records)
        tell(name, 1)
    shutil.rmtree(place / "project", ignore_errors=True)
    came_out = {name: records[name]["verdict"] for name in names}
    draw = {"seed": seed, "n_parts": len(parts), "parts": came_out, "code": code_state(local)}
    if folder.resolve() == (root / FILE).parent and local.resolve() == root:
        others = [one for one in read_draws(root) if one["seed"] != seed]
        write_json(root / FILE, {"draws": sorted([*others, draw], key=lambda one: one["seed"])})
    lines = [sentence(draw)]
    lines += [f"{name}: {records[name]['why']}." for name in names if records[name]["why"]]
    findings.checks.append(Check("parts made again", set(came_out.values()) == {EQUAL}, lines))
    return findings


def _read_results(place: Path) -> dict[str, Any]:
    file = place / "known.json"
    return read_json(file) if file.is_file() else {}


def _result(records: Mapping[str, Any], name: str, manifest: Mapping[str, Any]) -> str | None:
    """What came out of a part before, if it is still the same part; failures are tried again."""
    one = records.get(name, {})
    same = one.get("archive") == manifest["archive"] and one.get("verdict") != NOT_RERUN
    return one["verdict"] if same else None


def _rerun_part(
    checkout: Path, place: Path, file: Path, manifest: Mapping[str, Any], cores: int
) -> dict[str, str]:
    """Make a part again in a copy of the project; what came out, and why it is not equal."""
    copy = place / "project"
    if not copy.is_dir():
        copy_workflow(checkout, copy)
    wanted = sorted(manifest["files"])
    command = [f"--cores={cores}", "--rerun-incomplete"]
    command += asking(manifest["settings"]["configuration"], words_of(manifest))
    done = run_copy(copy, code_state(checkout), command, wanted)
    if done.returncode:
        return {"verdict": NOT_RERUN, "why": last_message(done)}
    lacking = next(filter(None, (absence(copy / path) for path in wanted)), None)
    if lacking:
        return {"verdict": NOT_RERUN, "why": f"the data set is not here ({lacking})"}
    try:
        other = unlike(copy, file.parent, file.stem, manifest)
    except HedgerowError as error:
        return {"verdict": DIFFERS, "why": error.message}
    return {"verdict": DIFFERS if other else EQUAL, "why": ", ".join(other)}
