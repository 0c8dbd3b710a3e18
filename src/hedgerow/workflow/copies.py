"""A copy of the project that holds what some jobs read, and in which they are made."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from subprocess import CompletedProcess

from hedgerow.files import write_json
from hedgerow.reporting.checkout import VARIABLE
from hedgerow.workflow.isolated import run_python

#: What the workflow is made of, beside the package.
WORKFLOW = (
    "CITATION.cff",
    "Snakefile",
    "profiles",
    "workflow",
    "config",
    "environment.yml",
    "data/published",
)
#: Tells a copy which checkout it stands for; pages and crate of a run say so.
CHECKOUT = "checkout.json"
#: Variables of another run of Snakemake, which this one is not part of.
APART = ("SNAKEMAKE_", "HEDGEROW_RUN", VARIABLE)


def copy_workflow(root: Path, folder: Path) -> None:
    """Copy what the workflow is made of, and the notes that its pages show."""
    from hedgerow.workflow.site import note_files  # which asks for libraries of pages

    for part in (*WORKFLOW, *note_files(root)):
        copy(root / part, folder / part)


def copy(source: Path, target: Path) -> None:
    """Copy a file or folder, if it is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.is_file():
        shutil.copy2(source, target)


def run_copy(
    folder: Path,
    checkout: dict,
    arguments: Sequence[str],
    targets: Sequence[str],
    sandbox: bool = False,
) -> CompletedProcess:
    """Run Snakemake in a copy.

    folder: Beside it a file is written that tells which checkout it stands for.
    """
    write_json(folder.parent / CHECKOUT, checkout)
    own = {k: v for k, v in os.environ.items() if not k.startswith(APART)}
    return run_python(
        ["-m", "snakemake", *arguments, "--", *targets],
        folder,
        {**own, VARIABLE: str(folder.parent / CHECKOUT)},
        boxed={} if sandbox else None,
        writable=[folder.parent],
    )


def asking(configuration: str, experiments: Iterable[str]) -> list[str]:
    """Arguments to Snakemake for some experiments of a configuration, by its name in config/."""
    words = ",".join(experiments)
    return ["--configfile", f"config/{configuration}.yaml", "--config", f"experiments=[{words}]"]


def last_said(done: CompletedProcess) -> str:
    """The last that a process said of its failure."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
