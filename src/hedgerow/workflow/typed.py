"""The command that was typed to start a run, told to the process that writes the record.

Snakemake is mostly started by another command, with options that nobody has typed. Each command of
ours that starts it hands down what it was itself called with; no result reads it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

#: Environment variable that holds the command for the processes below.
VARIABLE = "HEDGEROW_COMMAND"
MAKES = ("make", "gmake")
SHELLS = ("sh", "dash", "bash")


def command() -> str:
    """What was typed: as handed down, else the call of `make` above this process, else its own.

    Returns: as a shell takes it. Names of programs stand without their folders: what is recorded
        does not tell where somebody's Python lies.
    """
    handed = os.environ.get(VARIABLE)
    return handed or _of_make(_above()) or _own()


def _above() -> list[list[str]]:
    """Command lines of the two processes above this one, the nearest first."""
    import psutil

    try:
        return [process.cmdline() for process in psutil.Process().parents()[:2]]
    except psutil.Error:
        return []  # gone meanwhile, or of somebody else


def _of_make(above: Sequence[Sequence[str]]) -> str:
    """The call of `make` that started this process, by itself or by a shell; else nothing."""
    if above and above[0] and Path(above[0][0]).name in SHELLS and "-c" in above[0]:
        above = above[1:]
    if not above or not above[0] or Path(above[0][0]).name not in MAKES:
        return ""
    return shlex.join(["make", *above[0][1:]])


def _own() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is None:
        return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return shlex.join(["python", "-m", spec.name.removesuffix(".__main__"), *sys.argv[1:]])
