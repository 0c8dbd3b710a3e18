"""The manifest: what went in, what came out, and with which code, settings and seeds.

It holds no time and nothing that differs between two runs of the same state, so that two
manifests can be compared line by line.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

from hedgerow._stamp import compiled
from hedgerow_study.reporting.checkout import checkout, is_workflow

#: Counts up when what a reader finds at a key changes. The first one had no number and no jobs,
#: the second no files of code, the third did not list the workflow among what was read, the fourth
#: had a data file for each set, the fifth did not list the compiled cores.
VERSION = 6
#: What differs from run to run, as running times do.
TIMES = "data/jobs/"


def manifest(
    root: Path | str,
    inputs: Iterable[Path | str],
    outputs: Iterable[Path | str],
    configuration: Mapping[str, Any],
    sources: Mapping[str, Any],
    absent: Iterable[str] = (),
    jobs: Mapping[str, Mapping[str, Any]] | None = None,
    given: Mapping[str, Any] | None = None,
    code: Mapping[str, Any] | None = None,
    local: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Content of reports/manifest.json.

    inputs: The files of the workflow are added, as they were when the run was planned.

    Returns: keys: version, inputs, outputs and between (path -> SHA-256), made_by (path -> id of
        the job), jobs, packages (name -> version), cores (compiled module -> SHA-256), python,
        platform, code (commit, date, clean,
        files, changed, diff), configuration, given, seeds, sources, local_data, absent; ready for
        JSON. What is `between` was made on the way and is no result, such as a chunk; None in place
        of a file that is not kept.
    """
    root, outputs, jobs = Path(root), list(outputs), dict(jobs or {})
    code = dict(checkout(root).to_dict() if code is None else code)
    workflow = {p: digest for p, digest in code.get("files", {}).items() if is_workflow(p)}
    maker = {path: job for job in jobs for path in jobs[job]["outputs"]}
    listed, read = checksums(root, outputs), checksums(root, inputs)
    between = [p for p in maker if p not in {**listed, **read} and not p.startswith(TIMES)]
    kept = checksums(root, (path for path in between if (root / path).is_file()))
    return {
        "version": VERSION,
        "inputs": dict(sorted({**read, **workflow}.items())),
        "outputs": listed,
        "between": {path: kept.get(path) for path in sorted(between)},
        "made_by": maker,
        "jobs": jobs,
        "packages": package_versions(),
        "cores": core_checksums(),
        "python": platform.python_version(),
        "platform": platform_name(),
        "code": code,
        "configuration": dict(configuration),
        "given": dict(given or {}),
        "seeds": {
            "global": configuration["seed"],
            "streams": "SHA-256 of (global seed, experiment, data set, repeat, stream)",
            # The seed of every noised sample stands in a table of its own.
            "tables": sorted(p for p in {*listed, *between} if p.endswith("/seeds.parquet")),
        },
        "sources": {key: sources[key] for key in sorted(sources)},
        "local_data": {
            name: dict(one) for name, one in (local or {}).items() if one["sha256"] in read.values()
        },
        "absent": sorted(absent),
    }


def checksums(root: Path, paths: Iterable[Path | str]) -> dict[str, str]:
    """SHA-256 of each file, by its path relative to the root (with forward slashes), sorted."""
    files = sorted({_named(root, path): os.path.join(root, path) for path in paths}.items())
    # Reading and hashing leave the interpreter to the other threads. Each of them takes a part of
    # the list at once: thousands of small files would cost more to hand out than to read.
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(_checksums, [files[i::workers] for i in range(workers)])
    return dict(sorted(one for part in parts for one in part))


def _checksums(files: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, checksum(file)) for name, file in files]


def _named(root: Path, path: Path | str) -> str:
    # A relative one stays as it is: a folder of it may be a link to another disk.
    if os.path.isabs(path):
        return Path(path).resolve().relative_to(root.resolve()).as_posix()
    return Path(path).as_posix()


def checksum(path: Path | str) -> str:
    """SHA-256 of a file, read in pieces."""
    with open(path, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def package_versions() -> dict[str, str]:
    """Version of every installed distribution, by lower-case name."""
    versions = {d.metadata["Name"].lower(): d.version for d in metadata.distributions()}
    return dict(sorted(versions.items()))


def core_checksums() -> dict[str, str]:
    """SHA-256 of every compiled core in use, by the name of its module."""
    return {name: checksum(file) for name, file in compiled().items()}


def platform_name() -> str:
    """System and kind of processor, which compiled cores are of."""
    return f"{platform.system()} {platform.machine()}"


def to_json(content: Mapping[str, Any]) -> str:
    """Manifest as text: keys sorted, one line per entry."""
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def sums(content: Mapping[str, Any], manifest: str) -> str:
    """Checksums for `sha256sum -c`, called in the folder of the project."""
    files = {**content["inputs"], **content["outputs"], **content["between"]}
    files = {path: kept for path, kept in sorted(files.items()) if kept is not None}
    files["reports/manifest.json"] = hashlib.sha256(manifest.encode()).hexdigest()
    return "".join(f"{kept}  {path}\n" for path, kept in files.items())
