"""Processor time of a plan with nothing to do, beside that of a trivial Snakefile of the same size.

    python benchmarks/planning.py FOLDER    a project in which a run of this code has ended

The trivial one has as many jobs and outputs, a report of as many pages that reads as many files,
and one parameter: what Snakemake takes for itself. Both are planned in turns; the lowest of each
counts. Python has to be allowed to keep bytecode (no PYTHONDONTWRITEBYTECODE), as the digests are
kept beside it.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
SNAKEMAKE = str(Path(sys.executable).with_name("snakemake"))

TRIVIAL = """
rule all:
    input: "all.txt"

rule collect:
    input:
        expand("part/{{i}}/{{j}}.txt", i=range({n}), j=range({each})),
        expand("page/{{k}}.txt", k=range({pages})),
    output: "all.txt"
    params: setting=1
    shell: "touch {{output}}"

rule pages:
    input: expand("part/{{i}}/0.txt", i=range({read}))
    output: expand("page/{{k}}.txt", k=range({pages}))
    params: setting=1
    shell: "touch {{output}}"

rule part:
    output: expand("part/{{{{i}}}}/{{j}}.txt", j=range({each}))
    params: setting=1
    shell: "touch {{output}}"
"""


def trivial(jobs: dict[str, dict]) -> str:
    """A Snakefile with as many jobs and files as a run has, and a report of the same shape.

    >>> report = {"inputs": ["x"] * 4, "outputs": ["y"] * 9}
    >>> parts = {name: {"inputs": [], "outputs": ["1", "2"]} for name in "abcdef"}
    >>> text = trivial({"report": report, **parts})
    >>> [f"range({n})" in text for n in (6, 2, 9, 4)]
    [True, True, True, True]
    """
    report = jobs["report"]
    others = [len(job["outputs"]) for name, job in jobs.items() if name != "report"]
    return TRIVIAL.format(
        n=len(others),
        each=round(sum(others) / len(others)),
        pages=len(report["outputs"]),
        read=len(report["inputs"]),
    )


def processor_time(folder: str | Path) -> float:
    """Seconds of a plan, user and system; a plan with something to do is refused."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [SNAKEMAKE, "-n", "-q", "--cores", "1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "Nothing to be done" not in done.stdout + done.stderr:
        sys.exit(f"{folder}: the run has not ended, or not of this code; run Snakemake there first")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(folder: str) -> None:
    """Print both times and their ratio."""
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        sys.exit("PYTHONDONTWRITEBYTECODE is set: nothing is kept; unset it")
    jobs = json.loads((Path(folder) / "reports/manifest.json").read_text("utf-8"))["jobs"]
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Snakefile").write_text(trivial(jobs), encoding="utf-8")
        subprocess.run([SNAKEMAKE, "-q", "all", "--cores", "2"], cwd=name, check=True)
        times = [(processor_time(folder), processor_time(name)) for _ in range(ROUNDS)]
    ours, theirs = map(min, zip(*times, strict=True))
    print(f"{len(jobs)} jobs: {ours:.2f} s, trivial {theirs:.2f} s, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
