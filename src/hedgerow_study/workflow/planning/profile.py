"""`workflow/profiles/slurm`: time, memory and groups of the rules on a cluster, from records.

    python -m hedgerow_study.workflow.planning.profile PROJECT...

A project is a folder in which the paper configuration ran, in whole or in part: each job left its
record in `data/jobs`. The parts that are kept here (`data/reference`) tell what theirs took. Of a
rule of which neither knows, the file keeps its entry. All others are rewritten.

A job of a cluster is a group of the workflow's: what learns on some data sets, what shows the
results of a paper, or tables of data sets.
"""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hedgerow.files import write_text
from hedgerow_study.experiments import base_of
from hedgerow_study.experiments.plan import sections
from hedgerow_study.workflow.planning.graph import experiment_of
from hedgerow_study.workflow.planning.records import (
    Need,
    kept_jobs,
    read_record,
    records_of_rules,
    repeats,
)
from hedgerow_study.workflow.settings.config import settings_of

PROFILE = Path("workflow/profiles/slurm/config.yaml")
CONFIGURATION = "paper"
#: Records are of some data sets on one machine; others are larger, and nodes may be slower. What
#: does not suffice is asked for again, with more.
TIMES_SECONDS, TIMES_MEMORY = 5, 3
#: A node runs Snakemake itself beside the job, and the process that it was forked from.
SNAKEMAKE_MB = 500
#: For tables, figures and the like: up to 254 MiB and seconds with the smoke configuration. Rules
#: of experiments with a job per data set are named in any case.
DEFAULT_MINUTES, DEFAULT_MB = 2, 1500
#: How often a job that failed is tried again.
RETRIES = 2
#: Settings that say how many repeats a job has, where that is not `chunk`, by rule.
CUT_BY = {"survival_learn": "repeat_chunk"}
#: A group learns on as many data sets as took these minutes with the paper configuration.
GROUP_MINUTES = 60
#: Tables of data sets that are made in one group, and parts of what a paper shows: all.
TABLES, SHOWN = 60, 100

HEAD = f"""\
# For a cluster with Slurm: make reproduce PROFILE=slurm (docs/workflow.md). Made by
# `python -m hedgerow_study.workflow.planning.profile`: beside each rule the seconds of its longest
# job and the largest memory, on record with the paper configuration; a rule without record is taken
# for the largest. Asked for are {TIMES_SECONDS} times the seconds, {TIMES_MEMORY} times the memory
# and {SNAKEMAKE_MB} MB for Snakemake beside the job; twice as much at the second try, and so on.
executor: slurm
slurm-status-command: squeue # answers without accounting too, where sacct does not
jobs: 100
cores: 1 # of a group, whose jobs run one after the other
retries: {RETRIES}
latency-wait: 60 # seconds that a shared disk may take to show what a node wrote
default-resources:
  mem_mb: attempt * {DEFAULT_MB}
  runtime: attempt * {DEFAULT_MINUTES} # minutes
"""


def recorded(project: Path, record: str, chunk: int = 1) -> Need:
    """What the jobs of a rule took in a project.

    chunk: repeats in a job at the scale wanted. The seconds of a job with fewer are
        multiplied.

    Returns: of processor time, which other work on the machine does not change; 0 without a record.
    """
    largest = Need()
    for file in project.glob(re.sub(r"\{\w+\}", "*", record)):
        done = repeats(file.stem) or chunk
        need = read_record(file).need
        largest = largest.with_(Need(need.seconds * max(1.0, chunk / done), need.mib))
    return largest


def per_dataset(record: str) -> bool:
    """Whether a rule is one of an experiment with a job per data set, by its record."""
    return "{" in record and Path(record).parts[2] in sections()


def needs(root: Path, projects: Iterable[Path]) -> dict[str, Need]:
    """What each rule took at most, by name; 0 for those without any record."""
    projects, by_rule = list(projects), {}
    kept = kept_jobs(root)
    for rule, record in records_of_rules(root).items():
        word, chunk = Path(record).parts[2], 1
        in_chunks = per_dataset(record) and "{chunk}" in record
        if in_chunks:
            # What goes beyond a paper may be cut as the paper is.
            names = (word, base_of(word))
            size = CUT_BY.get(rule, "chunk")
            cut = [settings_of(root, name, CONFIGURATION).get(size) for name in names]
            chunk = cut[0] or cut[1]
        need = Need()
        for project in projects:
            need = need.with_(recorded(project, record, chunk))
        for id, took in kept.items():
            need = need.with_(took if id.partition(":")[0] == rule else Need())
        by_rule[rule] = need
    return by_rule


def parse_needs(text: str) -> dict[str, Need]:
    """What a profile says of the records of its rules."""
    lines = re.findall(r"^  (\w+): # (\d+) s, (\d+) MiB$", text, re.MULTILINE)
    return {rule: Need(float(seconds), float(mib)) for rule, seconds, mib in lines}


def group_of(rule: str, record: str) -> str | None:
    """The group of a rule: a job of the cluster. None for what runs where Snakemake does.

    What goes beyond a paper learns on the tables and the noise of that paper, so that they are in
    one group; what shows results waits for all data sets, and has another one.
    """
    experiment = experiment_of(rule)
    if experiment in ("data", "report"):
        return "tables" if rule == "tidy" else None
    paper = base_of(experiment)
    return paper if per_dataset(record) else f"{paper}_shown"


def components(groups: Mapping[str, str], took: Mapping[str, Need]) -> dict[str, int]:
    """How many parts that do not depend on each other make a group, by its name."""
    seconds: dict[str, float] = defaultdict(float)
    datasets: dict[str, set[str]] = defaultdict(set)
    for id, need in took.items():
        rule, _, wildcards = id.partition(":")
        if rule in groups:
            seconds[groups[rule]] += need.seconds
            datasets[groups[rule]].add(wildcards.partition(",")[0])
    sizes = {}
    for group in dict.fromkeys(groups.values()):
        if group == "tables" or group.endswith("_shown"):
            sizes[group] = TABLES if group == "tables" else SHOWN
        else:
            each = seconds[group] / max(1, len(datasets[group]))
            sizes[group] = max(1, int(60 * GROUP_MINUTES / each)) if each else 1
    return sizes


def profile(
    by_rule: Mapping[str, Need],
    named: Iterable[str],
    groups: Mapping[str, str] | None = None,
    parts: Mapping[str, int] | None = None,
) -> str:
    """Text of the profile; some rules are named whatever they need."""
    named, largest = set(named), Need()
    for need in by_rule.values():
        largest = largest.with_(need)
    lines = [f"  {rule}: {group}" for rule, group in sorted((groups or {}).items())]
    lines = ["groups:", *lines] if lines else []
    if parts:
        lines += ["group-components: # parts that do not depend on each other"]
        lines += [f"  {group}: {n}" for group, n in sorted(parts.items())]
    lines += ["set-resources:"]
    for rule, need in sorted(by_rule.items()):
        asked = largest if rule in named and not need.seconds else need
        minutes = max(DEFAULT_MINUTES, math.ceil(TIMES_SECONDS * asked.seconds / 60))
        mb = TIMES_MEMORY * asked.mib * 1.048576 + SNAKEMAKE_MB
        mb = max(DEFAULT_MB, 100 * math.ceil(mb / 100))
        if rule in named or (minutes, mb) != (DEFAULT_MINUTES, DEFAULT_MB):
            took = f"{need.seconds:.0f} s, {need.mib:.0f} MiB" if need.seconds else "no record"
            lines += [f"  {rule}: # {took}", f"    mem_mb: attempt * {mb}"]
            lines += [f"    runtime: attempt * {minutes}"]
    return HEAD + "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the profile of the project at hand, and say how much of it was measured."""
    root = Path()
    file, records = root / PROFILE, records_of_rules(root)
    by_rule = needs(root, map(Path, sys.argv[1:] if arguments is None else arguments))
    before = parse_needs(file.read_text("utf-8")) if file.is_file() else {}
    by_rule = {r: need if need.seconds else before.get(r, need) for r, need in by_rule.items()}
    named = [rule for rule, record in records.items() if per_dataset(record)]
    groups = {rule: group_of(rule, record) for rule, record in records.items()}
    groups = {rule: group for rule, group in groups.items() if group}
    parts = components(groups, kept_jobs(root))
    write_text(file, profile(by_rule, named, groups, parts))
    unknown = [rule for rule in named if not by_rule[rule].seconds]
    print(f"{PROFILE}: written; of rules with a job per data set, {len(unknown)} without record")
    return 0


if __name__ == "__main__":
    sys.exit(main())
