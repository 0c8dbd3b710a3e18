"""What jobs took, as they recorded it, and what a run will take by these records.

A job counts as it did when it last ran with the same settings, in this folder or for the reference
at the scale of the papers. Else the same rule tells: the same data set, by the number of repeats,
or the mean of all. Where all of these had other settings, it is a guess, and said to be one.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hedgerow.files import read_json
from hedgerow.showing import numbers
from hedgerow_study.workflow.jobs.frame import record_of
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.planning.graph import described, experiment_of
from hedgerow_study.workflow.running.snakemake_patches import cores_of, jobs_to_run, runs_here
from hedgerow_study.workflow.settings.config import repeats_of

#: How a chunk of repeats is named: the first and the last one.
CHUNK = re.compile(r"\d{3}-\d{3}")
#: Settings of the jobs of the reference: those of its configuration, whatever their digest.
KEPT = "kept"


class Need(NamedTuple):
    """What a job took, or the longest and the largest of some; 0 is not known."""

    seconds: float = 0.0  # of processor time
    mib: float = 0.0  # memory

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
    records = {}
    for rule, pattern in records_of_rules(root).items():
        path_pattern = re.compile(re.sub(r"\\{(\w+)\\}", _wildcard, re.escape(pattern)))
        for file in root.glob(re.sub(r"\{\w+\}", "*", pattern)):
            wildcards = path_pattern.fullmatch(file.relative_to(root).as_posix())
            if wildcards:
                id = f"{rule}:{','.join(wildcards.groups())}" if wildcards.groups() else rule
                records[id] = read_record(file)
    return records


def _wildcard(name: re.Match) -> str:
    return f"({CHUNK.pattern})" if name[1] == "chunk" else "([^/]+)"


def repeats(name: str) -> int | None:
    """Repeats of a job, by its id or the name of its record: 5 of `soft_learn:pima,000-004`.

    None where they are not cut into chunks.
    """
    chunk = re.search(rf"(?<=[_,]){CHUNK.pattern}$", name)
    return len(repeats_of(chunk[0])) if chunk else None


def last_line(file: Path) -> dict[str, str]:
    """What a record says of the last job that wrote it."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))[-1]


def read_record(file: Path) -> Recorded:
    """What a record says; processor time, which other work on the machine does not change."""
    job = last_line(file)
    seconds, mib = (number(job.get(name)) for name in ("cpu_time", "max_rss"))
    settings = job.get("settings", "NA").replace("NA", "")
    return Recorded(Need(seconds or number(job["s"]), mib), settings)


def number(text: str | None) -> float:
    """A figure of a record; 0 is not known."""
    try:
        return float(text or "")
    except ValueError:
        return 0.0


def kept_jobs(root: Path, configuration: str = "paper") -> dict[str, Need]:
    """What the jobs of all parts in data/reference took, and those that made tables of them."""
    needs = {}
    for file in sorted(root.glob("data/reference/**/*.json")):
        manifest = read_json(file)
        jobs, settings = manifest.get("jobs", {}), manifest.get("settings", {})
        of_today = "archive" in manifest or "outputs" in manifest
        if settings.get("configuration") == configuration and of_today:
            needs |= {id: Need(job["seconds"], job["mib"]) for id, job in jobs.items()}
    return needs


# ------------------------------------------------------------------------------------ forecast


class TimeRecords:
    """What jobs took, in seconds of processor time: here, and with the settings asked for."""

    def __init__(self, records: Mapping[str, Recorded], kept: Mapping[str, float]):
        seconds_of_jobs = [(id, KEPT, seconds) for id, seconds in kept.items()]
        seconds_of_jobs += [
            (id, settings, need.seconds) for id, (need, settings) in records.items()
        ]
        self._of: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        self._settings: dict[str, set[str]] = defaultdict(set)
        for id, settings, seconds in seconds_of_jobs:
            rule = id.partition(":")[0]
            self._of[rule, settings][id] = seconds
            self._settings[rule].add(settings)

    def of(self, id: str, settings: str, whole: int = 0) -> tuple[float, bool] | None:
        """What a job will take, and whether that is a guess; None without any record of its rule.

        whole : repeats of all jobs of its rule on its data set, as a record from before jobs were
        cut by repeats is of all of them; 0: not known
        """
        rule = id.partition(":")[0]
        same = {**self._of.get((rule, KEPT), {}), **self._of.get((rule, settings), {})}
        others = {k: v for one in self._settings[rule] for k, v in self._of[rule, one].items()}
        recorded = same or others
        if not recorded:
            return None
        if id in recorded:
            return recorded[id], not same
        dataset, n = _dataset(id), repeats(id)
        alike = {k: v for k, v in recorded.items() if _dataset(k) == dataset} or recorded
        scaled = [
            seconds * (n / (repeats(other) or whole or n) if n else 1.0)
            for other, seconds in alike.items()
        ]
        return _mean(scaled), not same


def _dataset(id: str) -> str:
    return id.partition(":")[2].partition(",")[0]


def _learns(id: str) -> bool:
    return ":" in id and experiment_of(id.partition(":")[0]) != "data"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def forecast_lines(
    jobs: Mapping[str, Mapping[str, Any]], records: TimeRecords, cores: int, configuration: str = ""
) -> list[str]:
    """One or two lines on the time that jobs of the graph will take."""
    count = "1 job" if len(jobs) == 1 else f"{numbers.count(len(jobs))} jobs"
    whole: dict[tuple[str, str], int] = defaultdict(int)
    for id in jobs:
        whole[id.partition(":")[0], _dataset(id)] += repeats(id) or 0
    forecasts = {
        id: records.of(id, job["settings"], whole[id.partition(":")[0], _dataset(id)])
        for id, job in jobs.items()
    }
    seconds_of = {id: one[0] for id, one in forecasts.items() if one}
    if not seconds_of:
        here = "; README says what the default configuration took elsewhere"
        hint = here if configuration == "default" else ""
        return [f"{count} to run: there is no record yet of what such jobs take{hint}."]
    unknown = jobs.keys() - seconds_of.keys()
    estimated = sum(one[0] for one in forecasts.values() if one and one[1])
    # What learns on a data set takes longer than what reads data and shows results.
    for learns in (True, False):
        alike = [seconds for id, seconds in seconds_of.items() if _learns(id) == learns]
        mean = _mean(alike or list(seconds_of.values()))
        seconds_of |= {id: mean for id in unknown if _learns(id) == learns}
    seconds = sum(seconds_of.values())
    wall = max(seconds / cores, *seconds_of.values())
    on = "1 core" if cores == 1 else f"{cores} cores"
    line = (
        f"{count} to run: by what such jobs took before, {about(seconds)} of processor time, "
        f"{about(wall)} on {on}."
    )
    but = []
    if estimated >= 0.01 * seconds > 0:
        share = 100 * estimated / seconds
        but.append(f"{share:.0f} % of the time is a guess, from jobs with other settings.")
    if unknown:
        n = len(unknown)
        which = "1 job without record counts"
        which = f"{numbers.count(n)} jobs without record count" if n > 1 else which
        but.append(f"{which} as the mean of others.")
    return [line, *filter(None, [" ".join(but)])]


def records_of(root: Path, configuration: str) -> TimeRecords:
    """What is on record in a project for a configuration, by its name."""
    kept = {id: need.seconds for id, need in kept_jobs(root, configuration).items()}
    return TimeRecords(records_in(root), kept)


def to_take(workflow: Any, configuration: str) -> list[str]:
    """What a run on this machine will take, in lines for the user who started it.

    workflow : snakemake.workflow.Workflow, as a Snakefile knows it in its handler `onstart`
    """
    if not runs_here(workflow):
        return []
    jobs: dict[str, dict[str, Any]] = {}
    for job in jobs_to_run(workflow):
        jobs |= {} if job.rule.norun else described(job)  # a rule that only names targets
    records = records_of(Path(), configuration)
    return forecast_lines(jobs, records, cores_of(workflow), configuration) if jobs else []


def about(seconds: float) -> str:
    """Seconds in words, as exact as an estimate is.

    >>> about(12.3), about(130), about(3000), about(7200), about(187_000)
    ('12 s', '2.2 min', '50 min', '2.0 h', '52 h')
    """
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    figure, unit = (seconds / 60, "min") if seconds < 99.5 * 60 else (seconds / 3600, "h")
    return f"{figure:.{int(figure < 9.95)}f} {unit}"
