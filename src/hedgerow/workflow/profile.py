"""`workflow/profiles/slurm`: time and memory of the rules on a cluster, from records of their jobs.

    python -m hedgerow.workflow.profile PROJECT...

A project is a folder in which the paper configuration ran, in whole or in part: each job left its
record in `data/jobs`. The parts that are kept here (`data/reference`) tell what theirs took. The
file is written anew from what is given.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hedgerow.experiments.plan import sections
from hedgerow.files import write_text
from hedgerow.workflow.records import Need, read_record, records_of_rules, repeats
from hedgerow.workflow.reference import kept_jobs, settings_of

PROFILE = Path("workflow/profiles/slurm/config.yaml")
CONFIGURATION = "paper"
#: Records are of some data sets on one machine; others are larger, and nodes may be slower.
TIMES_SECONDS, TIMES_MEMORY = 10, 3
#: A node runs Snakemake itself beside the job.
SNAKEMAKE_MB = 250
#: For tables, figures and the like: up to 254 MiB and seconds with the smoke configuration. Rules
#: of experiments with a job per data set are named in any case.
DEFAULT_MINUTES, DEFAULT_MB = 10, 1500

HEAD = f"""\
# For a cluster with Slurm: snakemake --profile workflow/profiles/slurm (docs/workflow.md). Made by
# `python -m hedgerow.workflow.profile`: beside each rule the seconds of its longest job and the
# largest memory, on record with the paper configuration; a rule without record is taken for the
# largest. Asked for are {TIMES_SECONDS} times the seconds, and {TIMES_MEMORY} times the memory
# and {SNAKEMAKE_MB} MB for the Snakemake that runs beside the job.
executor: slurm
jobs: 100
latency-wait: 60 # seconds that a shared disk may take to show what a node wrote
default-resources:
  mem_mb: {DEFAULT_MB}
  runtime: {DEFAULT_MINUTES} # minutes
set-resources:
"""


def recorded(project: Path, record: str, chunk: int = 1) -> Need:
    """What the jobs of a rule took in a project.

    Parameters
    ----------
    project : Path
    record : str
        As `records_of_rules` gives it.
    chunk : int
        Permutations in a job at the scale wanted. The seconds of a job with fewer are multiplied.

    Returns
    -------
    Need
        Of processor time, which other work on the machine does not change; 0 without a record.
    """
    found = Need()
    for file in project.glob(re.sub(r"\{\w+\}", "*", record)):
        done = repeats(file.stem) or chunk
        need = read_record(file).need
        found = found.with_(Need(need.seconds * max(1.0, chunk / done), need.mib))
    return found


def per_dataset(record: str) -> bool:
    """Whether a rule is one of an experiment with a job per data set, by its record."""
    return "{" in record and Path(record).parts[2] in sections()


def needs(root: Path, projects: Iterable[Path]) -> dict[str, Need]:
    """What each rule took at most, by name; 0 for those without any record."""
    projects, found = list(projects), {}
    kept = kept_jobs(root)
    for rule, record in records_of_rules(root).items():
        word, chunk = Path(record).parts[2], 1
        in_chunks = per_dataset(record) and "{chunk}" in record
        if in_chunks:
            chunk = settings_of(root, word, CONFIGURATION)["chunk"]
        need = Need()
        for project in projects:
            need = need.with_(recorded(project, record, chunk))
        for id, took in kept.items():
            need = need.with_(took if id.partition(":")[0] == rule else Need())
        found[rule] = need
    return found


def profile(found: Mapping[str, Need], named: Iterable[str]) -> str:
    """Text of the profile; some rules are named whatever they need."""
    named, lines, largest = set(named), [], Need()
    for need in found.values():
        largest = largest.with_(need)
    for rule, need in sorted(found.items()):
        asked = largest if rule in named and not need.seconds else need
        minutes = max(DEFAULT_MINUTES, 5 * math.ceil(TIMES_SECONDS * asked.seconds / 60 / 5))
        mb = TIMES_MEMORY * asked.mib * 1.048576 + SNAKEMAKE_MB
        mb = max(DEFAULT_MB, 100 * math.ceil(mb / 100))
        if rule in named or (minutes, mb) != (DEFAULT_MINUTES, DEFAULT_MB):
            said = f"{need.seconds:.0f} s, {need.mib:.0f} MiB" if need.seconds else "no record"
            lines += [f"  {rule}: # {said}", f"    mem_mb: {mb}", f"    runtime: {minutes}"]
    return HEAD + "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the profile of the project at hand, and say how much of it was measured."""
    root = Path()
    found = needs(root, map(Path, sys.argv[1:] if arguments is None else arguments))
    named = [rule for rule, record in records_of_rules(root).items() if per_dataset(record)]
    write_text(root / PROFILE, profile(found, named))
    unknown = [rule for rule in named if not found[rule].seconds]
    print(f"{PROFILE}: written; of rules with a job per data set, {len(unknown)} without record")
    return 0


if __name__ == "__main__":
    sys.exit(main())
