"""The results of the run before the last one that replaced any, for `hedgerow changes`.

A run that is about to replace results first packs what the manifest lists: claims, tables,
figures, and the manifest itself (`keep_previous`). An interrupted run that goes on finds its
manifest packed already, and so keeps the earlier results. `finish` ends a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.files import read_json, write_bytes, write_json
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.jobs.digest import ASKED, code_by_function
from hedgerow_study.workflow.jobs.parts import SUFFIX, archive_of, contents_of
from hedgerow_study.workflow.references.recorded import MANIFEST, checked
from hedgerow_study.workflow.running.snakemake_patches import jobs_to_run

FOLDER = Path("data/changes")
PREVIOUS = FOLDER / f"previous{SUFFIX}"
#: The archive before, until the run has ended: a run that changes nothing puts it back.
EARLIER = FOLDER / f"earlier{SUFFIX}"
#: The code of the last manifest, function by function.
FUNCTIONS = FOLDER / "functions.json"
#: Where a job writes that makes results.
RESULTS = ("data/results/", "reports/tables/", "reports/figures/")
CLAIMS = "reports/claims.csv"
#: What is kept of the outputs that a manifest lists.
KEPT = re.compile(rf"{re.escape(CLAIMS)}|reports/(?:tables/\w+\.csv|figures/\w+\.svg)")
#: Of the archive: a run waits for it.
PRESET = 2
AGAIN = f"delete {FOLDER}; the next run that replaces results keeps the earlier ones"


@dataclass(frozen=True)
class State:
    """The results of a run, and what they were made from."""

    digest: str  # SHA-256 of the manifest
    manifest: Mapping[str, Any]
    #: `hedgerow_study.workflow.jobs.digest.code_by_function`; empty where it was not kept.
    functions: Mapping[str, str] = field(default_factory=dict)
    #: Content of claims, tables and figures, by path.
    files: Mapping[str, bytes] = field(default_factory=dict)


# ------------------------------------------------------------------------- during a run


def keep_previous(workflow: Any) -> str:
    """Pack the results of the last run, if a run is about to replace any."""
    paths = [str(path) for job in jobs_to_run(workflow) for path in job.output]
    if not any(path.startswith(RESULTS) for path in paths):
        return ""
    try:
        pack(Path())
    except OSError as error:
        return f"`hedgerow changes` will not show this run: {PREVIOUS}: {error.strerror}."
    return ""


def pack(root: Path) -> bool:
    """Pack the last run of a folder, unless its manifest is packed already; return whether."""
    state = current_state(root)
    if state is None or state.digest == _digest_of(root / PREVIOUS):
        return False
    # A result that differs from the manifest is not the one that the last run made.
    outputs = state.manifest["outputs"]
    same = {p: c for p, c in state.files.items() if hashlib.sha256(c).hexdigest() == outputs[p]}
    content = {
        MANIFEST: (root / MANIFEST).read_bytes(),
        FUNCTIONS.name: json.dumps(state.functions, sort_keys=True).encode(),
        **same,
    }
    if (root / PREVIOUS).is_file():
        (root / PREVIOUS).replace(root / EARLIER)
    write_bytes(root / PREVIOUS, archive_of(content, PRESET))
    return True


def finish(root: Path | str = ".") -> None:
    """Note the code of a run that has ended; undo `keep_previous` where it changed nothing.

    Without the second part, a run that asks again for an absent data set would forget the last
    changes.
    """
    root = Path(root)
    if not (root / MANIFEST).is_file():
        return
    digest = checksum(root / MANIFEST)
    if (root / EARLIER).is_file():
        now = current_state(root)
        with contextlib.suppress(DataError):
            before = read_previous(root)
            if now and (before.digest, before.files) == (now.digest, now.files):
                (root / EARLIER).replace(root / PREVIOUS)
        (root / EARLIER).unlink(missing_ok=True)
    # A run of a part leaves the manifest, and with it the code that the manifest was made by.
    if _noted(root).get("manifest") != digest:
        content = {"manifest": digest, "functions": code_by_function(*ASKED)}
        write_json(root / FUNCTIONS, content)


# ------------------------------------------------------------------------------ afterwards


def current_state(root: Path) -> State | None:
    """The results in a folder; None where no run has ended."""
    try:
        text = (root / MANIFEST).read_bytes()
        manifest = checked(json.loads(text))
    except (OSError, ValueError, RecursionError, DataError):
        return None
    if "version" not in manifest:
        return None
    digest = hashlib.sha256(text).hexdigest()
    noted = _noted(root)
    functions = noted["functions"] if noted.get("manifest") == digest else {}
    places = {path: root / path for path in manifest["outputs"] if KEPT.fullmatch(path)}
    files = {path: place.read_bytes() for path, place in places.items() if place.is_file()}
    return State(digest, manifest, functions, files)


def read_previous(root: Path) -> State:
    """The results that are kept in a folder."""
    path = root / PREVIOUS
    if not path.is_file():
        raise DataError(
            f"{root} keeps no earlier run to compare with",
            remedy="the next run that replaces results keeps them: call `make reproduce` after "
            "an edit",
        )
    try:
        content = contents_of(path)
        text = content.pop(MANIFEST)
        manifest = checked(json.loads(text))
        manifest["version"]  # one of an earlier version lacks what is compared
        functions = _functions(json.loads(content.pop(FUNCTIONS.name)))
        outputs = {p: sha256 for p, sha256 in manifest["outputs"].items() if KEPT.fullmatch(p)}
        for name, data in content.items():
            if hashlib.sha256(data).hexdigest() != outputs.get(name):
                raise ValueError(name)
    except (LookupError, RecursionError, ValueError, DataError):
        raise DataError(f"{path} is damaged", remedy=AGAIN) from None
    return State(hashlib.sha256(text).hexdigest(), manifest, functions, content)


def _digest_of(path: Path) -> str | None:
    """SHA-256 of the manifest in an archive; None where there is none that can be read."""
    if not path.is_file():
        return None
    try:
        return hashlib.sha256(contents_of(path)[MANIFEST]).hexdigest()
    except (DataError, LookupError):
        return None


def _noted(root: Path) -> dict[str, Any]:
    """What the last run noted of its code; empty where there is nothing of the kind."""
    try:
        noted = read_json(root / FUNCTIONS)
        return {"manifest": noted["manifest"], "functions": _functions(noted["functions"])}
    except (DataError, LookupError, ValueError):
        return {}


def _functions(digests: Any) -> dict[str, str]:
    """Digests by function; a `ValueError` for anything else."""
    if not isinstance(digests, dict):
        raise ValueError("no functions")
    for name, digest in digests.items():
        if not re.fullmatch(r"[\w./-]+(:\w*)?", name) or not re.fullmatch(
            "[0-9a-f]{12}", str(digest)
        ):
            raise ValueError(name)
    return digests
