"""The compiled cores in use, beside those that their sources give and those of a run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hedgerow._stamp import compiled
from hedgerow_study.audit.commit_check import names
from hedgerow_study.audit.findings import Check
from hedgerow_study.reporting.checkout import commit_of
from hedgerow_study.reporting.manifest import checksum, core_checksums, platform_name
from hedgerow_study.workflow.running.isolated import copy

NAME = "compiled cores"
#: What a build reads of a checkout.
BUILT_FROM = ("LICENSE", "README.md", "config", "meson.build", "meson.options", "pyproject.toml")
BUILT_FROM += ("src",)
#: Python below 3.11.4, as Debian 12 has it, knows no filters.
FILTER = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


def check_cores(checkout: Path, manifest: Mapping[str, Any], build: bool) -> Check:
    """Build the cores from the sources of the checkout's commit, and compare.

    A core that was compiled from other sources than lie beside it passes every other check, and
    makes the same forged results again. The same sources and compiler give the same bytes.

    build: else the cores in use are compared with those of the run only.

    Returns: it names cores that differ; a run with cores of another compiler cannot be compared.
    """
    now, then = core_checksums(), manifest.get("cores", {})
    others = sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))
    if not build:
        return Check(NAME, None, ["Not rebuilt: leave out --no-cheap."])
    try:
        built = _build_checksums(checkout)
    except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
        message = (getattr(error, "stderr", b"") or str(error).encode()).decode(errors="replace")
        last = (message.strip().splitlines() or ["it says nothing"])[-1]
        return Check(NAME, None, [f"They could not be rebuilt: {last}."])
    wrong = sorted(name for name, file in now.items() if built.get(compiled()[name].name) != file)
    if wrong:
        message = f"{names(wrong)}: not what the sources of the commit give here."
        return Check(NAME, False, [message])
    if others and manifest.get("platform") != platform_name():
        return Check(
            NAME,
            None,
            [f"Those in use are their sources'; the run's are of {manifest['platform']}."],
        )
    if others:
        message = f"Those in use are their sources'; the run had others: {names(others)}."
        return Check(NAME, None, [message])
    return Check(NAME, True, [f"All {len(now)} are what their sources give, and those of the run."])


def _build_checksums(checkout: Path) -> dict[str, str]:
    """SHA-256 of each compiled file that the sources of a commit give, by name."""
    with TemporaryDirectory(prefix="hedgerow-build-") as name:
        sources, wheels = Path(name) / "sources", Path(name) / "wheels"
        sources.mkdir()
        commit = commit_of(checkout)
        if commit is None:
            for part in BUILT_FROM:
                copy(checkout / part, sources / part)
        else:
            git = ["git", "--no-replace-objects", "-C", str(checkout), "archive", commit]
            packed = subprocess.run([*git, "--", *BUILT_FROM], capture_output=True, check=True)
            with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
                archive.extractall(sources, **FILTER)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
        pip += ["--no-build-isolation", "--wheel-dir", str(wheels), "."]
        subprocess.run(pip, cwd=sources, capture_output=True, check=True)
        (wheel,) = wheels.glob("*.whl")
        files = {file.name for file in compiled().values()}
        with zipfile.ZipFile(wheel) as content:
            for member in content.namelist():
                if Path(member).name in files:
                    content.extract(member, name)
        digests = {file.name: checksum(file) for file in (Path(name) / "hedgerow").rglob("*.*")}
        return {name: digest for name, digest in digests.items() if name in files}
