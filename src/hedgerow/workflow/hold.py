"""One run in a folder: a lock of the system, which ends with the processes that hold it.

Snakemake's lock is a list of files. It outlives a run that is killed, two runs that start at once
may both find none, and a run beside another one that needs none of its files removes the locks of
both when it ends. A run of `hedgerow.workflow.run` therefore holds a file, alone, and a `snakemake`
that was called directly holds it together with others of its kind, whose files Snakemake compares.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError

try:
    import fcntl
except ImportError:  # Windows: Snakemake's lock has to do
    fcntl = None

FILE = Path(".snakemake/run.pid")
#: Tells Snakemake that the process which started it holds the folder.
VARIABLE = "HEDGEROW_RUN"


class LockedError(HedgerowError):
    """Another run holds the project's folder, or may hold it."""


def at_work(pid: int | None) -> LockedError:
    """The error that names the process of another run, where it is known."""
    named, stop = ("", "") if pid is None else (f" (process {pid})", f", or `kill {pid}`")
    return LockedError(
        f"another run is at work here{named}",
        remedy=f"wait for it, or stop it with Ctrl-C in its terminal{stop}",
    )


@contextlib.contextmanager
def held(root: Path) -> Iterator[int | None]:
    """Hold a folder alone.

    Yields: number of the open file: the folder is held as long as this process or one that inherits
        the file has it open. None where the system or the file system knows no such locks.
    """
    number = _lock(root, alone=True)
    try:
        yield number
    finally:
        if number is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(number, 0)
            os.close(number)


def hold_beside(workflow: Any) -> bool:
    """Hold the folder of a Snakemake that was called directly, as long as it runs.

    Returns: whether it is held; it is not where `hedgerow.workflow.run` does, nor with `--nolock`.
    """
    if VARIABLE in os.environ or not workflow.execution_settings.lock:
        return False
    return _lock(Path(), alone=False) is not None


def _lock(root: Path, alone: bool) -> int | None:
    if fcntl is None:
        return None
    path = root / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(number, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.read(number, 20)
        os.close(number)
        raise at_work(int(pid) if pid.strip().isdigit() else None) from None
    except OSError:
        os.close(number)
        return None
    note(number, os.getpid())
    return number


def note(number: int | None, pid: int) -> None:
    """Write down which process to name to others, if there is room for it."""
    if number is not None:
        with contextlib.suppress(OSError):
            os.ftruncate(number, 0)
            os.pwrite(number, b"%d\n" % pid, 0)
