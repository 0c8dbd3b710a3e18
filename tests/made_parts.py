"""Parts of a reference that nothing has learnt: archives and manifests made by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from hedgerow.files import write_bytes, write_json
from hedgerow_study.reporting.manifest import checksum, checksums
from hedgerow_study.workflow.jobs.parts import SUFFIX, packed

CALL = "soft.steps:learn"


def make_part(folder: Path, name: str, files: Mapping[str, bytes], **more) -> dict:
    """Write a part below a folder; `more` of its manifest is other than usual."""
    archive = folder / f"{name}{SUFFIX}"
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        for path, content in files.items():
            write_bytes(root / path, content)
        write_bytes(archive, packed(root, files))
        sums = checksums(root, [root / path for path in files])
    manifest = {
        "experiment": "soft",
        "part": name,
        "dataset": name,
        "settings": {"configuration": "paper", "seed": 1, "soft": {"step": 0.1}},
        "code": {"commit": "abcdef123456", "clean": True, "calls": {CALL: 64 * "0"}},
        "versions": {"numpy": "0.1"},
        "source": {"sha256": 64 * "1"},
        "archive": checksum(archive),
        "files": sums,
        "jobs": {f"soft_learn:{name},000-004": {"seconds": 90.0, "mib": 200.0}},
    } | more
    write_json(folder / f"{name}.json", manifest)
    return manifest
