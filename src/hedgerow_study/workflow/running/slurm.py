"""A run on a cluster with Slurm: what became of a job, and jobs that a killed run has left."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from hedgerow.errors import ConfigError

EXECUTOR = "snakemake_executor_plugin_slurm"

#: What Slurm writes into the log of a job that it ends, and its states, in words.
MEMORY = "took more memory than Slurm was asked for"
TIME = "took more time than Slurm was asked for"
STOPPED = "was stopped from outside"
ENDED = (
    (re.compile(r"[Ee]xceeded (?:job |step )?memory limit|oom[-_]kill|OUT_OF_MEMORY"), MEMORY),
    (re.compile(r"DUE TO TIME LIMIT|TIMEOUT"), TIME),
    (re.compile(r"\*\*\* (?:JOB|STEP) \S+ ON .* CANCELLED|'CANCELLED'|Killed"), STOPPED),
)
STARTED = re.compile(r"^(?:Job (\d+): (.*)|Finished jobid: (\d+) .*)$", re.MULTILINE)
#: How the executor comments what it queues.
COMMENT = "rule_"


def why(text: str) -> str | None:
    """Why Slurm has ended a job, by its log or its state, in words; None where it has not."""
    return next((words for pattern, words in ENDED if pattern.search(text)), None)


def unfinished(text: str) -> list[str]:
    """What the jobs of a group say of themselves that had begun and not ended, by Slurm's log."""
    running: dict[str, str] = {}
    for job, message, finished in STARTED.findall(text):
        if finished:
            running.pop(finished, None)
        else:
            running[job] = message
    return list(running.values())


def check_slurm(arguments: Sequence[str]) -> None:
    """Refuse the profile for Slurm where Slurm or Snakemake's executor for it is not installed."""
    named = " ".join(arguments).replace("=", " ").split()
    pairs = itertools.pairwise(named)
    if not any(a == "--profile" and Path(b).name == "slurm" for a, b in pairs):
        return
    if shutil.which("sbatch") is None:
        raise ConfigError(
            "there is no sbatch here, by which the profile slurm queues jobs",
            remedy="call it where Slurm's commands are, or without the profile",
        )
    if find_spec(EXECUTOR) is None:
        raise ConfigError(
            "Snakemake's executor for Slurm is not installed",
            remedy="call `make reproduce PROFILE=slurm`, or install requirements-cluster.lock",
        )


def answers() -> bool:
    """Whether Slurm's controller answers."""
    try:
        return subprocess.run(["scontrol", "ping"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def cancel_left(root: Path) -> int:
    """Cancel what an earlier run in a folder has left in Slurm's queue, if there is a Slurm."""
    if shutil.which("squeue") is None:
        return 0
    asked = ["squeue", "--me", "--noheader", "--states=PENDING,RUNNING", "--format=%i|%k|%Z"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    here, left = str(root.resolve()), []
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        job, comment, folder = line.split("|", 2)
        if folder == here and comment.startswith(COMMENT):
            left.append(job)
    if left:
        subprocess.run(["scancel", *left], capture_output=True, timeout=60)
    return len(left)
