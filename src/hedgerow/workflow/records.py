"""What jobs took, as they recorded it: where a record stands, and what it says."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NamedTuple

from hedgerow.workflow.config import permutations_of
from hedgerow.workflow.jobs import record_of
from hedgerow.workflow.rules import rules_of

#: How a chunk of repeats is named: the first and the last one.
CHUNK = re.compile(r"\d{3}-\d{3}")


class Need(NamedTuple):
    """What a job took, or the longest and the largest of some; 0 is not known.

    Attributes
    ----------
    seconds : float
        Processor time.
    mib : float
        Memory.
    """

    seconds: float = 0.0
    mib: float = 0.0

    def with_(self, other: Need) -> Need:
        """The larger of each."""
        return Need(*map(max, self, other))


class Recorded(NamedTuple):
    """What a job took, and the SHA-256 of its settings: empty if it has not done its work."""

    need: Need
    settings: str


def records_of_rules(root: Path) -> dict[str, str]:
    """Where each rule of the workflow leaves the record of a job, wildcards in braces."""
    logs = {name: rule.log for name, rule in rules_of(root).items() if rule.log}
    return {name: record_of(Path(log)).as_posix() for name, log in logs.items()}


def record_file(id: str, pattern: str) -> str:
    """Where a job has left its record: that of its rule, with the wildcards of its id."""
    values = iter(id.partition(":")[2].split(","))
    return re.sub(r"\{\w+\}", lambda _: next(values), pattern)


def records_in(root: Path) -> dict[str, Recorded]:
    """What the jobs in a folder took when they last ran, by their ids."""
    found = {}
    for rule, pattern in records_of_rules(root).items():
        known = re.compile(re.sub(r"\\{(\w+)\\}", _wildcard, re.escape(pattern)))
        for file in root.glob(re.sub(r"\{\w+\}", "*", pattern)):
            wildcards = known.fullmatch(file.relative_to(root).as_posix())
            if wildcards:
                id = f"{rule}:{','.join(wildcards.groups())}" if wildcards.groups() else rule
                found[id] = read_record(file)
    return found


def _wildcard(name: re.Match) -> str:
    return f"({CHUNK.pattern})" if name[1] == "chunk" else "([^/]+)"


def repeats(name: str) -> int | None:
    """Repeats of a job, by its id or the name of its record: 5 of `soft_learn:pima,000-004`.

    None where they are not cut into chunks.
    """
    chunk = re.search(rf"(?<=[_,]){CHUNK.pattern}$", name)
    return len(permutations_of(chunk[0])) if chunk else None


def read_record(file: Path) -> Recorded:
    """What a record says; processor time, which other work on the machine does not change."""
    with file.open(encoding="utf-8", newline="") as lines:
        job = list(csv.DictReader(lines, delimiter="\t"))[-1]
    seconds, mib = (_number(job.get(name)) for name in ("cpu_time", "max_rss"))
    settings = job.get("settings", "NA").replace("NA", "")
    return Recorded(Need(seconds or _number(job["s"]), mib), settings)


def _number(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return 0.0
