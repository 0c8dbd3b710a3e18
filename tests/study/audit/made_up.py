"""A made-up project: a data set, a chunk, a table, and the manifest of the run that made them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hedgerow.files import write_json
from hedgerow_study.reporting.manifest import checksum, manifest, sums, to_json

SETTINGS = {"configuration": "made-up", "seed": 1, "soft": {"step": 0.1, "datasets": ["a"]}}


def job(rule, inputs, outputs):
    digests = {"code": f"{rule:0<64}", "settings": 64 * "0"}
    return {"rule": rule, "inputs": inputs, "outputs": outputs, **digests}


RAW = "data/raw/a/a.data"
JOBS = {
    "fetch:a": job("fetch", [], [RAW, "data/raw/a/source.json"]),
    "learn:a": job("learn", [RAW], ["data/trees/a.parquet"]),
    "tables": job(
        "tables",
        ["data/published/t.csv", "data/trees/a.parquet"],
        ["reports/tables/t.csv", "reports/tables/u.csv"],
    ),
}
INPUTS = [RAW, "data/published/t.csv"]
OUTPUTS = ["data/raw/a/source.json", "reports/tables/t.csv", "reports/tables/u.csv"]


def write_records(root: Path, more: Sequence[str] = ()) -> None:
    content = manifest(
        root,
        INPUTS,
        [*OUTPUTS, *more],
        SETTINGS,
        {"a": {"dataset": "a", "file": "a.csv", "sha256": checksum(root / RAW)}},
        jobs=JOBS,
        given={"files": ["config/default.yaml"], "command_line": {}},
    )
    text = to_json(content)
    (root / "reports/SHA256SUMS").write_text(sums(content, text))
    (root / "reports/manifest.json").write_text(text)


def record_jobs(root: Path) -> None:
    """Write down what each job read and wrote, as a run does; of data files nothing."""
    for id, one in JOBS.items():
        files = {
            part: {p: checksum(root / p) for p in one[part] if p != RAW}
            for part in ("inputs", "outputs")
        }
        write_json(root / f"data/jobs/{id.replace(':', '/')}.json", {**files, "absent": []})


def make(root: Path) -> None:
    """Make the project in a new folder."""
    for path in [*INPUTS, *OUTPUTS, "data/trees/a.parquet", "reports/README.md"]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"content of {path}\n")
    (root / "config").mkdir()
    (root / "config/default.yaml").write_text(json.dumps(SETTINGS))
    write_records(root)


def change(path: Path, new_time: bool = False) -> None:
    """Change one byte, with its old time or a new one, a second later at least."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    time = before.st_mtime_ns
    if new_time:
        time = max(path.stat().st_mtime_ns, time + 1_000_000_000)
    os.utime(path, ns=(before.st_atime_ns, time))


def bad(found) -> tuple[dict[str, str], list[str]]:
    """Files that are not identical, by path, and the names of checks that do not hold."""
    files = {file.path: file.verdict for file in found.files if file.verdict != "identical"}
    return files, [check.name for check in found.checks if check.holds is False]


def check_of(found, name: str):
    """The one check of that name."""
    (check,) = (check for check in found.checks if check.name == name)
    return check


def git(root: Path, *arguments) -> None:
    """Call git, as somebody."""
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", root, *name, *arguments], check=True, capture_output=True)
