"""`python -m hedgerow.workflow.run`: run the workflow, and resume a run that was killed.

A killed Snakemake leaves its lock behind, and the next one refuses to start. This command notes
its process beside the lock. Where it finds such a note and the process is gone, it removes the
lock and goes on; it never touches the lock of a run that is alive, nor one of unknown origin.
`hedgerow.workflow.hold` keeps a second run out of the folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hedgerow.errors import ConfigError, HedgerowError
from hedgerow.files import read_csv, read_json, read_parquet, read_yaml, write_json
from hedgerow.reporting.checkout import Checkout
from hedgerow.reporting.manifest import checksum
from hedgerow.workflow import typed
from hedgerow.workflow.cluster import cancel_left, check_slurm
from hedgerow.workflow.disk import no_room
from hedgerow.workflow.hold import VARIABLE, LockedError, at_work, held, note
from hedgerow.workflow.jobs import absence
from hedgerow.workflow.progress import duration

LOCKS = Path(".snakemake/locks")
REPORT = Path("reports/html/index.html")
MANIFEST = Path("reports/manifest.json")
LOGGER = Path(__file__).parent / "logger"
#: Argument that is ours, not Snakemake's.
RETRY_ABSENT = "--retry-absent"
STOPPED = (
    "Stopped. Finished jobs are kept and nothing is half-written: the same command goes on here."
)
KILLED = (
    "Snakemake was killed (signal {}), as happens where memory runs out. Finished jobs are kept "
    "and nothing is half-written: the same command goes on here; fewer --cores need less memory."
)


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


def note_of(root: Path) -> Path:
    """Where the process is noted. `snakemake --unlock` removes it together with the lock."""
    return root / LOCKS / "process.json"


def release(root: Path | str = ".") -> bool:
    """Remove the lock of an earlier run of this command that was killed."""
    root = Path(root)
    note = note_of(root)
    locks = sorted((root / LOCKS).glob("*.lock"))
    process = _noted(note)
    if process is not None and _alive(process):
        raise at_work(process["pid"])
    if not locks:
        note.unlink(missing_ok=True)
        return False
    if process is None:
        raise LockedError(
            "this folder is locked by a snakemake that was not started by `make reproduce`",
            remedy="if none is running any more, call `snakemake --unlock` and try again",
        )
    for lock in locks:
        lock.unlink(missing_ok=True)
    note.unlink(missing_ok=True)
    return True


def run(arguments: Sequence[str], root: Path | str = ".") -> int:
    """Run Snakemake in a folder, after releasing the lock of a killed run.

    arguments: `--retry-absent` asks again for data sets that no source had.

    Returns: exit code of Snakemake, as a shell gives it where a signal has ended it.
    """
    root = Path(root)
    _check_files(arguments, root)
    check_slurm(arguments)
    with held(root) as hold:
        if release(root):
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
    _note(root, os.getpid())
    command = [sys.executable, "-m", "snakemake"]
    child = subprocess.Popen(
        [*command, *_display(arguments), *arguments],
        cwd=root,
        env=_environment(),
        pass_fds=() if hold is None else (hold,),  # it may outlive this process
    )
    before = signal.signal(signal.SIGTERM, lambda number, frame: child.send_signal(number))
    note(hold, child.pid)
    # Snakemake locks after it has planned, a second or more from now.
    with contextlib.suppress(OSError):
        _note(root, child.pid)
    stopped = False
    while True:
        try:
            code = child.wait()
            break
        except KeyboardInterrupt:
            # Snakemake got the signal as well: it ends its jobs and removes its lock.
            stopped = True
    signal.signal(signal.SIGTERM, before)  # `hedgerow reference` has more to do
    if code < 0:
        # Its lock is left, and so is the note, which tells the next run that it may remove both.
        asked = stopped or -code in (signal.SIGINT, signal.SIGTERM)
        print(STOPPED if asked else KILLED.format(-code), file=sys.stderr)
        return 128 - code
    note_of(root).unlink(missing_ok=True)
    if stopped and code:
        print(STOPPED, file=sys.stderr)
    return code


def _note(root: Path, pid: int) -> None:
    import psutil

    write_json(note_of(root), {"pid": pid, "started": psutil.Process(pid).create_time()})


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
    own = any(argument.partition("=")[0] in others for argument in arguments)
    return [] if own else ["--logger", "hedgerow"]


def _environment() -> dict[str, str]:
    """Where Snakemake finds the display, and what the record says that was typed.

    It looks for displays as modules of a certain name on the path.
    """
    path = [LOGGER, *filter(None, [os.environ.get("PYTHONPATH")])]
    own = {
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        VARIABLE: "1",
        typed.VARIABLE: typed.command(),
    }
    return {**os.environ, **own}


def summary(root: Path | str = ".") -> list[str]:
    """What the last run found: per paper how many statements have which verdict.

    Returns: A line per paper and one for questions of our own; none without claims.
    """
    import pandas as pd

    from hedgerow.reporting.claim_specification import ANSWERS, VERDICTS, verdict_text

    root = Path(root)
    made = read_json(root / MANIFEST)["outputs"]
    files = sorted(path for path in made if path.endswith("/claims.parquet"))
    if not files:
        return []
    judged = pd.concat([read_parquet(root / path) for path in files], ignore_index=True)
    papers = read_csv(root / "data/published/claims.csv").set_index("claim_id")["paper"]
    paper = judged["claim"].map(papers)
    lines = []
    for name in [*dict.fromkeys(papers), None]:
        own = judged[paper.isna() if name is None else paper == name]
        counts = Counter(map(verdict_text, own["claim"], own["verdict"]))
        order = dict.fromkeys(ANSWERS.values() if name is None else VERDICTS)
        if texts := [f"{counts[text]} {text}" for text in order if counts[text]]:
            lines.append(f"{name or 'questions of our own'}: {', '.join(texts)}")
    return lines


def made_from(root: Path | str = ".") -> list[str]:
    """What has to be known of the checkout of the last run: a line, or none where it is clean."""
    said = Checkout.from_dict(read_json(Path(root) / MANIFEST)["code"]).sentence()
    return [f"{said} Every page says so, and `hedgerow verify` does."] if said else []


def _noted(note: Path) -> dict | None:
    try:
        content = json.loads(note.read_text(encoding="utf-8"))
        return {"pid": int(content["pid"]), "started": float(content["started"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _alive(process: dict) -> bool:
    """Whether the noted process runs; a later one with the same number started at another time."""
    import psutil

    try:
        there = psutil.Process(process["pid"])
        # Start times are reckoned from the boot time, which moves when the clock is set.
        same = abs(there.create_time() - process["started"]) < 60.0
        return same and there.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow in the current folder, and say what it found and where the report lies.

    The last line is the checksum of the manifest: a manifest that is edited together with a result
    can only be found by whoever has noted it elsewhere.
    """
    start = time.monotonic()
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        if code == 0 and REPORT.is_file() and MANIFEST.is_file():
            print(f"\nDone in {duration(time.monotonic() - start)}.", *summary(), sep="\n")
            print(*made_from(), f"The report is {REPORT.resolve()}", sep="\n")
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
