"""The manifest: what went in, what came out, and with which code, settings and seeds.

It holds no time and nothing that differs between two runs of the same state, so that two
manifests can be compared line by line.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

#: Made, though tracked.
RESULTS = "data/reference"


def manifest(
    root: Path | str,
    inputs: Iterable[Path | str],
    outputs: Iterable[Path | str],
    configuration: Mapping[str, Any],
    sources: Mapping[str, Any],
    absent: Iterable[str] = (),
) -> dict[str, Any]:
    """Content of reports/manifest.json.

    Parameters
    ----------
    root : path
        Root of the repository; files are named relative to it.
    inputs : iterable of path
        What was read and not made: raw data, published figures, settings.
    outputs : iterable of path
        What was made, from tidy tables to the report.
    configuration : mapping
        The whole checked configuration.
    sources : mapping
        Which source served each data set, by registry key.
    absent : iterable of str
        Data sets of the configuration that no source served.

    Returns
    -------
    dict
        Keys: inputs and outputs (path -> SHA-256), packages (name -> version), python, platform,
        code (commit, clean), configuration, seeds, sources, absent; ready for JSON.

    Raises
    ------
    FileNotFoundError
        If a file that is listed does not exist.
    """
    root, outputs = Path(root), list(outputs)
    return {
        "inputs": checksums(root, inputs),
        "outputs": checksums(root, outputs),
        "packages": package_versions(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "code": code_state(root),
        "configuration": dict(configuration),
        "seeds": {
            "global": configuration["seed"],
            "streams": "SHA-256 of (global seed, experiment, data set, permutation, stream)",
            # The seed of every noised sample stands in a file of its own among the outputs.
            "tables": sorted(p for p in map(str, outputs) if p.endswith("/seeds.parquet")),
        },
        "sources": {key: sources[key] for key in sorted(sources)},
        "absent": sorted(absent),
    }


def checksums(root: Path, paths: Iterable[Path | str]) -> dict[str, str]:
    """SHA-256 of each file, by its path relative to the root (with forward slashes), sorted."""
    found = {}
    for path in paths:
        absolute = root / path
        name = absolute.resolve().relative_to(root.resolve()).as_posix()
        with absolute.open("rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return dict(sorted(found.items()))


def package_versions() -> dict[str, str]:
    """Version of every installed distribution, by lower-case name."""
    found = {d.metadata["Name"].lower(): d.version for d in metadata.distributions()}
    return dict(sorted(found.items()))


def code_state(root: Path) -> dict[str, Any]:
    """Commit of the working tree and whether it was clean; None where git cannot say.

    Untracked files count as changes, ignored ones (what the workflow makes) do not, nor do tracked
    results at paper scale: they are made, and nothing is made from them.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    # A copy that lies inside another repository has no state of its own.
    own = top is not None and Path(top).resolve() == Path(root).resolve()
    commit = _git(root, "rev-parse", "HEAD") if own else None
    own_files = ("--", ".", f":(exclude){RESULTS}")
    changes = _git(root, "status", "--porcelain", *own_files) if commit else None
    return {"commit": commit, "clean": None if changes is None else changes == ""}


def _git(root: Path, *arguments: str) -> str | None:
    """Answer of git, or None: git may be absent, and a copy need not be a repository."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def to_json(content: Mapping[str, Any]) -> str:
    """Manifest as text: keys sorted, one line per entry."""
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
