"""Interpreters for an audit, in the folder of somebody else or in a copy of the project.

Python puts the current folder before all others where it runs a module (`-m`): a file
`snakemake.py` in the folder of a run was imported in the place of Snakemake. Here it never is
(`-P`, and its variable for interpreters that these start), and no entry of PYTHONPATH follows the
current folder.

They end with this process, where a signal asks it to end, and so do the jobs that they run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hedgerow.files import write_json
from hedgerow_study.reporting.checkout import VARIABLE
from hedgerow_study.reporting.notes import note_files

#: Signals that ask a process to end and that Python does not make an exception of.
ASK_TO_END = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
#: Seconds that an interpreter and its jobs have to end when they are asked to.
GRACE = 5.0
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


def run_python(
    arguments: Sequence[str],
    folder: Path | str,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess:
    """Run this interpreter so that it imports nothing from where it runs."""
    command = [sys.executable, "-P", *arguments]
    variables = _safe(os.environ if environment is None else environment)
    with _exit_where_asked():
        return _captured(command, folder, variables)


def _captured(
    command: Sequence[str], folder: Path | str, variables: Mapping[str, str]
) -> subprocess.CompletedProcess:
    """As `subprocess.run` with what is printed; nothing of it is left where this one has to end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=variables, **pipes) as child:
        try:
            out, err = child.communicate()
        except BaseException:
            _end(child.pid)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def _end(pid: int) -> None:
    """End a process and all below it: Snakemake, asked to end, waits for the jobs that run."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        left = [*first.children(recursive=True), first]
        for end in (psutil.Process.terminate, psutil.Process.kill):
            for process in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    end(process)
            _, left = psutil.wait_procs(left, timeout=GRACE)


@contextlib.contextmanager
def _exit_where_asked() -> Iterator[None]:
    """Make an exit of signals that would end this process where it stands, without a clean-up."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in ASK_TO_END}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _safe(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables without places that follow the current folder."""
    places = environment.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(place for place in places if os.path.isabs(place))
    others = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    return {**others, **({"PYTHONPATH": kept} if kept else {}), "PYTHONSAFEPATH": "1"}


# ------------------------------------------------------------------------------------- copies


def copy_workflow(root: Path, folder: Path) -> None:
    """Copy what the workflow is made of, and the notes that its pages show."""
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
) -> subprocess.CompletedProcess:
    """Run Snakemake in a copy.

    folder: Beside it a file is written that tells which checkout it stands for.
    """
    write_json(folder.parent / CHECKOUT, checkout)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(APART)}
    return run_python(
        ["-m", "snakemake", *arguments, "--", *targets],
        folder,
        {**environment, VARIABLE: str(folder.parent / CHECKOUT)},
    )


def asking(configuration: str, experiments: Iterable[str]) -> list[str]:
    """Arguments to Snakemake for some experiments of a configuration, by its name in config/."""
    words = ",".join(experiments)
    return ["--configfile", f"config/{configuration}.yaml", "--config", f"experiments=[{words}]"]


def last_message(done: subprocess.CompletedProcess) -> str:
    """The last that a process said of its failure."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
