"""Content decides what is out of date: files that are not what their jobs read and wrote.

Snakemake compares the time of a file first and its content only where it is newer. Each job
therefore leaves the checksums of what it read and wrote
(`hedgerow_study.workflow.jobs.frame.contents_of`). While a run is planned they are compared with
the files. Outputs that differ, or that were made from other inputs, are marked in Snakemake's own
records as incomplete: it reruns them where the run needs them, with all that depends on them. Data
files are left out, which users edit; rule tidy looks at them.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError
from hedgerow_study.reporting.manifest import checksums
from hedgerow_study.workflow.jobs.frame import RECORDS, written_by
from hedgerow_study.workflow.running.snakemake_patches import is_main, jobs_to_run, mark_incomplete

#: Where an edited output is kept before its job runs again.
EDITED = Path("data/edited")
#: Seconds by which the clock of a file server may be ahead.
AHEAD = 60.0


@dataclass(frozen=True)
class Changed:
    """Files that are not what their jobs read and wrote."""

    #: Outputs with other bytes than their job wrote.
    outputs: frozenset[str] = frozenset()
    #: What the jobs of these wrote besides: a page of the site is none of Snakemake's outputs, and
    #: its job runs again where one of them is marked.
    siblings: frozenset[str] = frozenset()
    #: Outputs whose job read other bytes, and the paths of these inputs.
    inputs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: All other outputs that have a record.
    consistent: frozenset[str] = frozenset()

    @property
    def stale(self) -> set[str]:
        """Outputs that have to be made again."""
        return {*self.outputs, *self.siblings, *self.inputs}


def changed_outputs(root: Path | str = ".") -> Changed:
    """Compare all files with the records of the jobs that read and wrote them.

    Returns: empty where nothing has run. Files that are not there are not compared.
    """
    root = Path(root)
    records = [
        record for file in sorted((root / RECORDS).rglob("*.json")) if (record := _read(file))
    ]
    paths = {p for record in records for part in ("inputs", "outputs") for p in record[part]}
    present = [path for path in sorted(paths) if os.path.isfile(os.path.join(root, path))]
    now = checksums(root, present)
    wrote: dict[str, set[str]] = {}
    for record in records:
        for path, digest in record["outputs"].items():
            wrote.setdefault(path, set()).add(digest)
    outputs = {p for p, digests in wrote.items() if p in now and now[p] not in digests}
    siblings: set[str] = set()
    inputs = {}
    for record in records:
        other = frozenset(p for p, d in record["inputs"].items() if now.get(p, d) != d)
        other |= {p for p in record["absent"] if _has_content(root / p)}
        other |= {p for p in record["kept"] if not (root / p).is_file()}
        # A record of another configuration tells of files that another job has written since.
        unchanged = [p for p, digest in record["outputs"].items() if now.get(p) == digest]
        inputs |= dict.fromkeys(unchanged if other else (), other)
        siblings.update(() if outputs.isdisjoint(record["outputs"]) else unchanged)
    consistent = now.keys() & wrote.keys() - outputs - siblings - inputs.keys()
    return Changed(frozenset(outputs), frozenset(siblings), inputs, frozenset(consistent))


def _has_content(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def _read(file: Path) -> dict[str, Any] | None:
    """The record of a job; None where it was spoilt: what it wrote is then compared by nobody."""
    try:
        record = json.loads(file.read_bytes())
        files: dict[str, Any] = {part: dict(record[part]) for part in ("inputs", "outputs")}
        lists = {part: list(record.get(part, ())) for part in ("absent", "kept")}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    texts = [text for mapping in files.values() for item in mapping.items() for text in item]
    texts += [text for paths in lists.values() for text in paths]
    return {**files, **lists} if all(isinstance(text, str) for text in texts) else None


def mark_changed(workflow: Any, root: Path | str = ".") -> Changed:
    """Mark outputs as incomplete that are not what their jobs wrote, or come from other inputs."""
    if not is_main(workflow):
        return Changed()
    changed = changed_outputs(root)
    mark_incomplete(Path(root), changed.stale, changed.consistent)
    return changed


def keep_edited(workflow: Any, changed: Changed, root: Path | str = ".") -> list[str]:
    """Keep edited outputs of the jobs that will run, and tell of them."""
    root = Path(root)
    planned = {path for job in jobs_to_run(workflow) for path in written_by(job)}
    paths = sorted(changed.outputs & planned)
    for path in paths:
        (root / EDITED / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, root / EDITED / path)
    return [
        f"{path} is not what its job wrote: it is recomputed, and kept as {EDITED / path}."
        for path in paths
    ]


class FutureError(HedgerowError):
    """What a job reads is newer than anything that it could write."""


def check_times(workflow: Any) -> None:
    """Stop a run before jobs whose outputs would be older than their inputs."""
    jobs = jobs_to_run(workflow)
    outputs = {str(file) for job in jobs for file in job.output}
    read = {str(file) for job in jobs for file in job.input} - outputs
    now = time.time()
    times = {file: os.stat(file).st_mtime for file in read if os.path.exists(file)}
    late = sorted(file for file, seconds in times.items() if seconds > now + AHEAD)
    if not late:
        return
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(times[late[0]]))
    if len(late) == 1:
        message, remedy = f"{late[0]} is from the future ({date})", f"`touch {late[0]}`"
    else:
        message = f"{len(late)} files are from the future, {late[0]} among them ({date})"
        folders = " ".join(sorted({file.partition("/")[0] for file in late}))
        remedy = f"`find {folders} -newermt now -exec touch {{}} +`"
    raise FutureError(
        f"{message}: what is made from it would count as out of date",
        remedy=f"set the clock of this machine if it is slow, else call {remedy}",
    )
