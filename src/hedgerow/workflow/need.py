"""What a run will take, before it starts: what its jobs, or jobs like them, took before.

A job counts as it did when it last ran with the same settings, in this folder or for the reference
at the scale of the papers. Else the same rule tells: the same data set, by the number of repeats,
or the mean of all. Where all of these had other settings, it is a guess, and said to be one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.workflow.graph import described, experiment_of
from hedgerow.workflow.records import Recorded, records_in, repeats
from hedgerow.workflow.reference import kept_jobs
from hedgerow.workflow.scheduling import runs_here

#: Settings of the jobs of the reference: those of its configuration, whatever their digest.
KEPT = "kept"


class Known:
    """What jobs took, in seconds of processor time.

    records : of the jobs in this folder, by their ids
    kept : of jobs with the settings that are asked for
    """

    def __init__(self, records: Mapping[str, Recorded], kept: Mapping[str, float]):
        told = [(id, KEPT, seconds) for id, seconds in kept.items()]
        told += [(id, settings, need.seconds) for id, (need, settings) in records.items()]
        self._of: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        self._settings: dict[str, set[str]] = defaultdict(set)
        for id, settings, seconds in told:
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
        found = same or others
        if not found:
            return None
        if id in found:
            return found[id], not same
        dataset, n = _dataset(id), repeats(id)
        alike = {k: v for k, v in found.items() if _dataset(k) == dataset} or found
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


def said(
    jobs: Mapping[str, Mapping[str, Any]], known: Known, cores: int, configuration: str = ""
) -> list[str]:
    """One or two lines on the time that jobs will take, as `hedgerow.workflow.graph` has them."""
    count = "1 job" if len(jobs) == 1 else f"{len(jobs):,} jobs"
    whole: dict[tuple[str, str], int] = defaultdict(int)
    for id in jobs:
        whole[id.partition(":")[0], _dataset(id)] += repeats(id) or 0
    told = {
        id: known.of(id, job["settings"], whole[id.partition(":")[0], _dataset(id)])
        for id, job in jobs.items()
    }
    found = {id: one[0] for id, one in told.items() if one}
    if not found:
        here = "; README says what the default configuration took elsewhere"
        there = here if configuration == "default" else ""
        return [f"{count} to run: there is no record yet of what such jobs take{there}."]
    unknown = jobs.keys() - found.keys()
    guess = sum(one[0] for one in told.values() if one and one[1])
    # What learns on a data set takes longer than what reads data and shows results.
    for learns in (True, False):
        own = [seconds for id, seconds in found.items() if _learns(id) == learns]
        mean = _mean(own or list(found.values()))
        found |= {id: mean for id in unknown if _learns(id) == learns}
    seconds = sum(found.values())
    wall = max(seconds / cores, *found.values())
    on = "1 core" if cores == 1 else f"{cores} cores"
    line = (
        f"{count} to run: by what such jobs took before, {about(seconds)} of processor time, "
        f"{about(wall)} on {on}."
    )
    but = []
    if guess >= 0.01 * seconds > 0:
        but.append(f"{guess / seconds:.0%} of the time is a guess, from jobs with other settings.")
    if unknown:
        n = len(unknown)
        which = "1 job without record counts" if n == 1 else f"{n:,} jobs without record count"
        but.append(f"{which} as the mean of others.")
    return [line, *filter(None, [" ".join(but)])]


def known_in(root: Path, configuration: str) -> Known:
    """What is on record in a project for a configuration, by its name."""
    kept = {id: need.seconds for id, need in kept_jobs(root, configuration).items()}
    return Known(records_in(root), kept)


def to_take(workflow: Any, configuration: str) -> list[str]:
    """What a run on this machine will take, in lines for whoever has started it.

    workflow : snakemake.workflow.Workflow, as a Snakefile knows it in its handler `onstart`
    """
    if not runs_here(workflow):
        return []
    jobs: dict[str, dict[str, Any]] = {}
    for job in workflow.dag.needrun_jobs():
        jobs |= {} if job.rule.norun else described(job)
    known = known_in(Path(), configuration)
    return said(jobs, known, workflow.cores, configuration) if jobs else []


def about(seconds: float) -> str:
    """Seconds in words, as exact as an estimate is.

    >>> about(12.3), about(130), about(3000), about(7200), about(187_000)
    ('12 s', '2.2 min', '50 min', '2.0 h', '52 h')
    """
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    figure, unit = (seconds / 60, "min") if seconds < 99.5 * 60 else (seconds / 3600, "h")
    return f"{figure:.{int(figure < 9.95)}f} {unit}"
