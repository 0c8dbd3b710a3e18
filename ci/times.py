"""What README says of the first run: set-up, experiments and tests, timed in a fresh clone.

    make times                                    measure, and write the sentence in README
    python ci/times.py --keep FOLDER  leave the clone there, and logs beside it

The last commit is cloned and its two commands are called, without a mirror of the data sets; the
first twice: the second call plans, and has nothing to do. What `make paper` takes is the sum of the
records of the tracked results.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Where README has the sentence.
PLACE = re.compile(r"(<!-- times: make times -->\n).*?(<!-- end -->)", re.DOTALL)
#: What a run makes, in the folder of the project.
MADE = ("data/raw", "data/tidy", "data/noised", "data/calibrated", "data/trees", "data/results")
MADE += ("data/logs", "data/jobs", "reports", ".snakemake")


@dataclass(frozen=True)
class Times:
    """Minutes and sizes.

    Attributes
    ----------
    setup, reproduce, again, test : float
        Minutes on the clock; all but the first after set-up. `again` is a second `make reproduce`.
    paper : str
        Processor time at the scale of the papers, with its unit.
    processor : float
        Minutes of processor time of `make reproduce`.
    environment, made : float
        MB of `.venv`, and of what the run makes.
    cores : int
    processor_name : str
        As the system gives it.
    day : str
    """

    setup: float
    reproduce: float
    again: float
    test: float
    paper: str
    processor: float
    environment: float
    made: float
    cores: int
    processor_name: str
    day: str


def measured(project: Path, python: str) -> Times:
    """Call the commands in a clone."""
    setup, _ = called(project, "setup", python)
    environment = megabytes(project / ".venv")
    before = sum(megabytes(project / part) for part in MADE)
    reproduce, processor = called(project, "reproduce", python)
    made = sum(megabytes(project / part) for part in MADE) - before
    again, _ = called(project, "reproduce", python, log="again")
    paper = recorded(project)
    test, _ = called(project, "test", python)
    day = datetime.date.today().isoformat()
    cores = os.cpu_count() or 1
    sizes = (environment, made)
    return Times(
        setup, reproduce, again, test, paper, processor, *sizes, cores, processor_name(), day
    )


def processor_name() -> str:
    """Name of the processor; that of its architecture where the system does not give it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    name = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return name[1].strip() if name else platform.processor() or platform.machine()


RECORDED = """
from pathlib import Path
from hedgerow_study.workflow.planning.records import about
from hedgerow_study.workflow.references.paper_scale import kept_jobs
print(about(sum(need.seconds for need in kept_jobs(Path()).values())))
"""


def recorded(project: Path) -> str:
    """Processor time of `make paper`, by the records of the tracked results."""
    command = [".venv/bin/python", "-c", RECORDED]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def called(project: Path, target: str, python: str, log: str = "") -> tuple[float, float]:
    """Minutes on the clock and of processor time of one command."""
    environment = {k: v for k, v in os.environ.items() if k != "HEDGEROW_MIRROR"}
    spent, started = processor_seconds(), time.perf_counter()
    path = project.with_name(f"{project.name}-{log or target}.log")
    print(f"make {target} > {path}", file=sys.stderr, flush=True)
    with open(path, "wb") as file:
        command = ["make", target, f"PYTHON={python}"]
        subprocess.run(command, cwd=project, env=environment, stdout=file, check=True)
    return (time.perf_counter() - started) / 60, (processor_seconds() - spent) / 60


def processor_seconds() -> float:
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def megabytes(folder: Path) -> float:
    """Size of the files below a folder, those with several names once."""
    sizes = {}
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            status = file.stat()
            sizes[status.st_ino] = status.st_size
    return sum(sizes.values()) / 1e6


def sentence(times: Times) -> str:
    """What README says.

    >>> times = Times(1.2, 7.4, 0.2, 10.6, "11 h", 12.9, 1040.0, 96.0, 2, "Z80", "2026-01-31")
    >>> print(textwrap.fill(sentence(times), 90))
    On two cores (Z80) the first takes 7 minutes, 13 minutes of processor time and 100 MB
    after a set-up of 1 minute and 1.0 GB; called again it takes 12 seconds. The second takes
    11 minutes. `make paper` runs at the papers' scale: 11 h of processor time. (`make times`,
    2026-01-31)
    """
    cores = {1: "one core", 2: "two cores", 4: "four cores"}.get(
        times.cores, f"{times.cores} cores"
    )
    return (
        f"On {cores} ({times.processor_name}) the first takes {minutes(times.reproduce)}, "
        f"{minutes(times.processor)} of processor time and {round(times.made, -1):.0f} MB after a "
        f"set-up of {minutes(times.setup)} and {times.environment / 1000:.1f} GB; called again it "
        f"takes {60 * times.again:.0f} seconds. The second takes {minutes(times.test)}. "
        f"`make paper` runs at the papers' scale: {times.paper} of processor time. "
        f"(`make times`, {times.day})"
    )


def filled(text: str, said: str) -> str:
    """A text with what was measured in its place."""
    text, places = PLACE.subn(lambda found: f"{found[1]}{said}\n{found[2]}", text)
    if places != 1:
        raise ValueError("README has no place for the times")
    return text


def minutes(value: float) -> str:
    """A whole number of them, at least one."""
    whole = max(round(value), 1)
    return f"{whole} minute{'s' if whole > 1 else ''}"


def main() -> None:
    """Measure in a clone of the last commit, and write README."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="clone here, and leave it")
    parser.add_argument("--python", default="python3", help="interpreter (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hedgerow-first-run-") as folder:
        project = (options.keep or Path(folder) / "hedgerow").resolve()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(project)], check=True)
        times = measured(project, options.python)
    said = textwrap.fill(sentence(times), 118)
    print(said)
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8"), said), encoding="utf-8")


if __name__ == "__main__":
    main()
