"""`python -m hedgerow_study.workflow.run`: run the workflow, and resume a run that was killed.

Snakemake's lock is a list of files. A killed Snakemake leaves it behind, and the next one refuses
to start; two that start at once may both find none. A run of this command therefore holds a file by
a lock of the system, alone, which ends with its processes: where it gets it, nobody is at work, and
what Snakemake has left is removed. A `snakemake` that was called directly holds the file together
with others of its kind, whose files Snakemake compares.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hedgerow.errors import ConfigError, HedgerowError
from hedgerow.files import read_csv, read_json, read_parquet, read_yaml
from hedgerow_study.reporting.checkout import Checkout
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.jobs.frame import absence
from hedgerow_study.workflow.running.disk import no_room
from hedgerow_study.workflow.running.progress import duration
from hedgerow_study.workflow.running.slurm import cancel_left, check_slurm
from hedgerow_study.workflow.running.snakemake_patches import locks, with_logger

try:
    import fcntl
except ImportError:  # Windows: Snakemake's lock has to do
    fcntl = None

LOCKS = Path(".snakemake/locks")
LOCK = Path(".snakemake/run.pid")
#: Tells Snakemake that the process which started it holds the folder.
HELD = "HEDGEROW_RUN"
#: Environment variable that holds the command for the processes below.
COMMAND = "HEDGEROW_COMMAND"
MAKES = ("make", "gmake")
SHELLS = ("sh", "dash", "bash")
REPORT = Path("reports/html/index.html")
MANIFEST = Path("reports/manifest.json")
LOGGER = Path(__file__).parent / "running/logger"
#: Argument that is ours, not Snakemake's.
RETRY_ABSENT = "--retry-absent"
STOPPED = (
    "Stopped. Finished jobs are kept and nothing is half-written: the same command goes on here."
)
KILLED = (
    "Snakemake was killed (signal {}), as happens where memory runs out. Finished jobs are kept "
    "and nothing is half-written: the same command goes on here; fewer --cores need less memory."
)


# -------------------------------------------------------------------------- one run in a folder


class LockedError(HedgerowError):
    """Another run holds the project's folder, or may hold it."""


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


def hold_for_snakemake(workflow: Any) -> bool:
    """Hold the folder of a Snakemake that was called directly, as long as it runs.

    Returns: whether it is held; it is not where `hedgerow_study.workflow.run` does, nor with
    `--nolock`.
    """
    if HELD in os.environ or not locks(workflow):
        return False
    return _lock(Path(), alone=False) is not None


def _lock(root: Path, alone: bool) -> int | None:
    if fcntl is None:
        return None
    path = root / LOCK
    path.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(number, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.read(number, 20)
        os.close(number)
        named, stop = "", ""
        if pid.strip().isdigit():
            named, stop = f" (process {int(pid)})", f", or `kill {int(pid)}`"
        raise LockedError(
            f"another run is at work here{named}",
            remedy=f"wait for it, or stop it with Ctrl-C in its terminal{stop}",
        ) from None
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


# --------------------------------------------------------------------------- what was typed


def command() -> str:
    """What was typed: as handed down, else the call of `make` above this process, else its own.

    Returns: as a shell takes it. Names of programs stand without their folders: what is recorded
        does not tell where somebody's Python lies.
    """
    handed = os.environ.get(COMMAND)
    return handed or _of_make(_above()) or _command_line()


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


def _command_line() -> str:
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is None:
        return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return shlex.join(["python", "-m", spec.name.removesuffix(".__main__"), *sys.argv[1:]])


# ------------------------------------------------------------------------------------- the run


def absent_sets(root: Path) -> list[str]:
    """Data sets that no source had when they were last asked for."""
    records = sorted((root / "data/raw").glob("*/source.json"))
    return [record.parent.name for record in records if absence(record) is not None]


def forget_absent(root: Path) -> None:
    """Remove what says that data sets are absent, so that the run asks for them again."""
    for name in absent_sets(root):
        folder = root / "data/raw" / name
        for file in (folder / f"{name}.data", folder / f"{name}.registered"):
            if file.is_file() and not file.stat().st_size:  # a user may have put one there
                file.unlink()
        (folder / "source.json").unlink()


def release(root: Path, alone: bool) -> bool:
    """Remove the lock of a Snakemake that was killed, where this run holds the folder `alone`."""
    left = sorted((root / LOCKS).glob("*.lock"))
    if left and not alone:  # the file system has no locks: nobody knows who is at work
        raise LockedError(
            "this folder is locked by a snakemake that may still be running",
            remedy="if none is running any more, call `snakemake --unlock` and try again",
        )
    for lock in left:
        lock.unlink(missing_ok=True)
    return bool(left)


def run(arguments: Sequence[str], root: Path | str = ".") -> int:
    """Run Snakemake in a folder, after releasing the lock of a killed run.

    arguments: `--retry-absent` asks again for data sets that no source had.

    Returns: exit code of Snakemake, as a shell gives it where a signal has ended it.
    """
    root = Path(root)
    _check_files(arguments, root)
    check_slurm(arguments)
    with held(root) as hold:
        if release(root, hold is not None):
            print("The last run was killed; its lock is removed and its work is taken up again.")
            if n := cancel_left(root):
                print(f"What it has left in Slurm's queue is cancelled ({n}).")
        if RETRY_ABSENT in arguments:
            arguments = [one for one in arguments if one != RETRY_ABSENT]
            forget_absent(root)
        elif names := absent_sets(root):
            print(
                f"No source had {', '.join(names)} in an earlier run: tables name them as absent. "
                f"`make reproduce RETRY_ABSENT=1` asks again.",
                flush=True,
            )
        return _run(arguments, root, hold)


def _run(arguments: Sequence[str], root: Path, hold: int | None) -> int:
    child = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *_display(arguments), *arguments],
        cwd=root,
        env=_environment(),
        pass_fds=() if hold is None else (hold,),  # it may outlive this process
    )
    stopped = 0

    def hand_on(number: int, frame: object) -> None:
        nonlocal stopped
        stopped = number
        child.send_signal(number)

    before = signal.signal(signal.SIGTERM, hand_on)
    note(hold, child.pid)
    while True:
        try:
            code = child.wait()
            break
        except KeyboardInterrupt:
            # Snakemake got the signal as well: it ends its jobs and removes its lock.
            stopped = signal.SIGINT
    signal.signal(signal.SIGTERM, before)  # `hedgerow reference` has more to do
    if -code in (signal.SIGINT, signal.SIGTERM):
        stopped = -code
    if stopped and code:
        print(STOPPED, file=sys.stderr)
        return 128 + stopped
    if code < 0:
        print(KILLED.format(-code), file=sys.stderr)
        return 128 - code
    return code


def _check_files(arguments: Sequence[str], root: Path) -> None:
    """Snakemake answers a configuration file that it cannot read with a traceback."""
    default = root / "config/default.yaml"
    if default.is_file():
        read_yaml(default)
    named = False
    for argument in arguments:
        option, _, value = argument.partition("=")
        if argument.startswith("-"):
            named = option in ("--configfile", "--configfiles")
            files = [value] if named and value else []
        else:
            files = [argument] if named else []
        for file in files:
            if (root / file).is_file():
                read_yaml(root / file)
            else:
                raise ConfigError(
                    f"there is no configuration file {file}",
                    remedy="those of the project are in config/; write `--` before a target that "
                    "follows --configfile",
                )


def _display(arguments: Sequence[str]) -> list[str]:
    """Our display, where no other one is asked for and something runs."""
    others = {"--logger", "-n", "--dry-run", "--dryrun"}
    is_chosen = any(argument.partition("=")[0] in others for argument in arguments)
    return [] if is_chosen else ["--logger", "hedgerow"]


def _environment() -> dict[str, str]:
    """Where Snakemake finds the display, and what the record says that was typed."""
    return {**with_logger(LOGGER, os.environ), HELD: "1", COMMAND: command()}


def summary(root: Path | str = ".") -> list[str]:
    """What the last run found: per paper how many statements have which verdict.

    Returns: A line per paper and one for questions of our own; none without claims.
    """
    import pandas as pd

    from hedgerow_study.reporting.claim_specification import ANSWERS, VERDICTS, verdict_text

    root = Path(root)
    outputs = read_json(root / MANIFEST)["outputs"]
    files = sorted(path for path in outputs if path.endswith("/claims.parquet"))
    if not files:
        return []
    judged = pd.concat([read_parquet(root / path) for path in files], ignore_index=True)
    papers = read_csv(root / "data/published/claims.csv").set_index("claim_id")["paper"]
    paper = judged["claim"].map(papers)
    lines = []
    for name in [*dict.fromkeys(papers), None]:
        of_paper = judged[paper.isna() if name is None else paper == name]
        counts = Counter(map(verdict_text, of_paper["claim"], of_paper["verdict"]))
        order = dict.fromkeys(ANSWERS.values() if name is None else VERDICTS)
        if texts := [f"{counts[text]} {text}" for text in order if counts[text]]:
            lines.append(f"{name or 'questions of our own'}: {', '.join(texts)}")
    return lines


def checkout_note(root: Path | str = ".") -> list[str]:
    """What has to be known of the checkout of the last run: a line, or none where it is clean."""
    sentence = Checkout.from_dict(read_json(Path(root) / MANIFEST)["code"]).sentence()
    return [f"{sentence} Every page says so, and `hedgerow verify` does."] if sentence else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in the current folder, and say what it found and where the report lies.

    The last line is the checksum of the manifest: only a copy of it that was noted elsewhere
    reveals a manifest that was edited together with a result.
    """
    start = time.monotonic()
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        if code == 0 and REPORT.is_file() and MANIFEST.is_file():
            print(f"\nDone in {duration(time.monotonic() - start)}.", *summary(), sep="\n")
            print(*checkout_note(), f"The report is {REPORT.resolve()}", sep="\n")
            print(f"SHA-256 of {MANIFEST}, for `hedgerow verify --digest`: {checksum(MANIFEST)}")
        return code
    except HedgerowError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        full = no_room(error)
        if full is None:
            raise
        print(full, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
