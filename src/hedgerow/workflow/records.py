"""What jobs took, as they recorded it: where a record stands, and what it says."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NamedTuple

from hedgerow.workflow.jobs import record_of


class Need(NamedTuple):
    """What a job took, or the longest and the largest of some: processor time in seconds, MiB."""

    seconds: float = 0.0
    mib: float = 0.0

    def with_(self, other: Need) -> Need:
        """The larger of each."""
        return Need(*map(max, self, other))


def records_of_rules(root: Path) -> dict[str, str]:
    """Where each rule of the workflow leaves the record of a job, wildcards in braces."""
    rule = re.compile(r'^rule (\w+):.*?^    log:\s+"([^"]+)"', re.MULTILINE | re.DOTALL)
    files = sorted((root / "workflow/rules").glob("*.smk"))
    logs = [found for file in files for found in rule.findall(file.read_text("utf-8"))]
    return {name: record_of(Path(log)).as_posix() for name, log in logs}


def record_file(id: str, pattern: str) -> str:
    """Where a job has left its record: that of its rule, with the wildcards of its id."""
    values = iter(id.partition(":")[2].split(","))
    return re.sub(r"\{\w+\}", lambda _: next(values), pattern)


def read_record(file: Path) -> Need:
    """What a record says; processor time, which other work on the machine does not change.

    A figure is 0 where the system did not tell.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        job = list(csv.DictReader(lines, delimiter="\t"))[-1]
    return Need(_number(job["cpu_time"]) or _number(job["s"]), _number(job["max_rss"]))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
