"""What a run will take, before it starts: what its jobs, or jobs like them, took before.

A job counts as it did when it last ran with the same settings, in this folder or for the reference
at the scale of the papers. Else the same rule tells: the same data set, by the number of repeats,
or the mean of all. Where all of these had other settings, it is a guess, and said to be one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.files import read_yaml
from hedgerow.workflow.graph import ORDER, described, experiment_of
from hedgerow.workflow.records import Need, Recorded, records_in, repeats
from hedgerow.workflow.reference import kept_jobs
from hedgerow.workflow.scheduling import runs_here

#: Settings of the jobs of the reference: those of its configuration, whatever their digest.
KEPT = "kept"
#: Seconds of processor time beside those on record: of a run (imports and plan), and of each of its
#: jobs (Snakemake, and the client that calls the warm process); measured, smoke configuration.
START, EACH = 15.0, 0.07


class Known:
    """What jobs took.

    Parameters
    ----------
    records : mapping of str to Recorded
        Of the jobs in this folder, by their ids.
    kept : mapping of str to Need
        Of jobs with the settings that are asked for.
    """

    def __init__(self, records: Mapping[str, Recorded], kept: Mapping[str, Need]):
        told = [(id, KEPT, need) for id, need in kept.items()]
        told += [(id, settings, need) for id, (need, settings) in records.items()]
        self._of: dict[tuple[str, str], dict[str, Need]] = defaultdict(dict)
        self._settings: dict[str, set[str]] = defaultdict(set)
        for id, settings, need in told:
            rule = id.partition(":")[0]
            self._of[rule, settings][id] = need
            self._settings[rule].add(settings)

    def of(self, id: str, settings: str, whole: int = 0) -> tuple[Need, bool] | None:
        """What a job will take, and whether that is a guess; None without any record of its rule.

        Parameters
        ----------
        id, settings : str
            As `hedgerow.workflow.graph.described` has them.
        whole : int
            Repeats of all jobs of its rule on its data set: a record from before jobs were cut by
            repeats is of all of them. 0: not known.
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
        scaled = []
        for other, took in alike.items():
            times = n / (repeats(other) or whole or n) if n else 1.0
            scaled.append(Need(took.seconds * times, took.mib, took.disk * times))
        seconds, mib, disk = zip(*scaled, strict=True)
        return Need(_mean(seconds), max(mib), _mean([one for one in disk if one])), not same


def _dataset(id: str) -> str:
    return id.partition(":")[2].partition(",")[0]


def _learns(id: str) -> bool:
    return ":" in id and experiment_of(id.partition(":")[0]) != "data"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True)
class Forecast:
    """What a run will take.

    Attributes
    ----------
    jobs : dict of str to Need
        By their ids, those that will run.
    guessed : frozenset of str
        Those of which only jobs with other settings are on record.
    unknown : frozenset of str
        Those of which nothing is; they count as the mean of others of their kind (what learns on a
        data set, or what reads data and shows results), where there are any, else of all.
    seconds, wall : float
        Of processor time, and on the clock.
    cores : int
    configuration : str
    """

    jobs: Mapping[str, Need]
    guessed: frozenset[str]
    unknown: frozenset[str]
    seconds: float
    wall: float
    cores: int
    configuration: str

    def at_once(self) -> float:
        """MiB of the largest jobs, as many as there are cores."""
        return sum(sorted((need.mib for need in self.jobs.values()), reverse=True)[: self.cores])

    def by_experiment(self) -> dict[str, dict[str, Need]]:
        """The jobs of each experiment, and those of `data` and `report`, in this order."""
        found: dict[str, dict[str, Need]] = {word: {} for word in ORDER}
        for id, need in self.jobs.items():
            found[experiment_of(id.partition(":")[0])][id] = need
        return {word: jobs for word, jobs in found.items() if jobs}

    def lines(self) -> list[str]:
        """One or two lines that tell all."""
        n = len(self.jobs)
        jobs = "1 job" if n == 1 else f"{n:,} jobs"
        if not self.jobs.keys() - self.unknown:
            here = "; README says what the default configuration took elsewhere"
            told = here if self.configuration == "default" else ""
            return [f"{jobs} to run: there is no record yet of what such jobs take{told}."]
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        disk = sum(need.disk for need in self.jobs.values())
        line = (
            f"{jobs} to run: by what such jobs took before, {about(self.seconds)} of processor "
            f"time, {about(self.wall)} on {cores}, up to {size(self.at_once())} of memory at once"
            f"{f', {size(disk)} of disk' if disk else ''}."
        )
        return [line, *filter(None, [" ".join(self._but())])]

    def _but(self) -> list[str]:
        """What to know of these figures."""
        said = []
        guess = sum(self.jobs[id].seconds for id in self.guessed)
        share = guess / max(self.seconds, 1e-9)
        if share >= 0.01:
            said.append(f"{share:.0%} of the time is a guess, from jobs with other settings.")
        if self.unknown:
            n = len(self.unknown)
            count = "1 job without record counts" if n == 1 else f"{n:,} jobs without record count"
            said.append(f"{count} as the mean of others.")
        n = sum(not need.disk for need in self.jobs.values())
        if n > len(self.unknown):
            need = "1 of them needs" if n == 1 else f"{n:,} of them need"
            said.append(f"The disk that {need} is not known.")
        return said


def forecast(
    jobs: Mapping[str, Mapping[str, Any]], known: Known, cores: int, configuration: str = ""
) -> Forecast:
    """What a run will take.

    Parameters
    ----------
    jobs : mapping
        Those that run, by their ids, as `hedgerow.workflow.graph.described` gives them.
    known : Known
    cores : int
    configuration : str
        Its name.
    """
    whole: dict[tuple[str, str], int] = defaultdict(int)
    for id in jobs:
        whole[id.partition(":")[0], _dataset(id)] += repeats(id) or 0
    told = {
        id: known.of(id, job["settings"], whole[id.partition(":")[0], _dataset(id)])
        for id, job in jobs.items()
    }
    found = {id: one[0] for id, one in told.items() if one}
    unknown = frozenset(jobs.keys() - found.keys())
    seconds = {id: need.seconds for id, need in found.items()}
    for learns in (True, False):
        own = [one for id, one in seconds.items() if _learns(id) == learns]
        mean = Need(_mean(own or list(seconds.values())))
        found |= {id: mean for id in unknown if _learns(id) == learns}
    beside = EACH * len(jobs)
    return Forecast(
        jobs=found,
        guessed=frozenset(id for id, one in told.items() if one and one[1]),
        unknown=unknown,
        seconds=sum(need.seconds for need in found.values()) + START + beside,
        wall=on_the_clock(jobs, found, cores) + START + beside / cores,
        cores=cores,
        configuration=configuration,
    )


def on_the_clock(
    jobs: Mapping[str, Mapping[str, Any]],
    needs: Mapping[str, Need],
    cores: int,
    late: Mapping[str, float] | None = None,
) -> float:
    """Seconds until all jobs are done, where one starts as soon as it can and a core is free.

    Parameters
    ----------
    jobs : mapping
        By their ids.
    needs : mapping of str to Need
        What each takes.
    cores : int
    late : mapping of str to float, optional
        Seconds from the end of a job, when its core is free, until those that read from it may
        start; 0 for those that are not named.
    """
    late = late or {}
    maker = {path: id for id, job in jobs.items() for path in job["outputs"]}
    left = {id: {maker[p] for p in job["inputs"] if p in maker} for id, job in jobs.items()}
    readers = defaultdict(list)
    for id, before in left.items():
        for other in before:
            readers[other].append(id)
    ready = [id for id, before in left.items() if not before]
    events: list[tuple[float, bool, str]] = []  # when, whether it was known to be over, the job
    now, busy = 0.0, 0
    while ready or events:
        while ready and busy < cores:
            id = ready.pop(0)
            heapq.heappush(events, (now + needs[id].seconds, False, id))
            busy += 1
        now, known, done = heapq.heappop(events)
        if not known:
            busy -= 1
            heapq.heappush(events, (now + late.get(done, 0.0), True, done))
            continue
        for id in readers[done]:
            left[id].discard(done)
            ready += [] if left[id] else [id]
    return now


# ----------------------------------------------------------------------------- in a project


def known_in(root: Path, configuration: str) -> Known:
    """What is on record in a project for a configuration, by its name."""
    return Known(records_in(root), kept_jobs(root, configuration))


def configuration_of(root: Path, files: Iterable[str | Path]) -> str:
    """The name of the configuration that files of settings give, one above the other."""
    read = (read_yaml(root / file) or {} for file in ("config/default.yaml", *files))
    return [one["configuration"] for one in read if "configuration" in one][-1]


def to_take(workflow: Any, configuration: str) -> list[str]:
    """What a run on this machine will take, in lines for whoever has started it.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        As a Snakefile knows it, in its handler `onstart`.
    configuration : str
        Its name.
    """
    if not runs_here(workflow):
        return []
    jobs: dict[str, dict[str, Any]] = {}
    for job in workflow.dag.needrun_jobs():
        jobs |= {} if job.rule.norun else described(job)
    known = known_in(Path(), configuration)
    return forecast(jobs, known, workflow.cores, configuration).lines() if jobs else []


# -------------------------------------------------------------------------------- in words


def about(seconds: float) -> str:
    """Seconds in words, as exact as an estimate is.

    >>> about(12.3), about(130), about(3000), about(7200), about(187_000)
    ('12 s', '2.2 min', '50 min', '2.0 h', '52 h')
    """
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    figure, unit = (seconds / 60, "min") if seconds < 99.5 * 60 else (seconds / 3600, "h")
    return f"{figure:.{int(figure < 9.95)}f} {unit}"


def size(mib: float) -> str:
    """A size in words.

    >>> size(0.4), size(312), size(2200)
    ('1 MiB', '312 MiB', '2.1 GiB')
    """
    return f"{max(mib, 1):.0f} MiB" if mib < 1000 else f"{mib / 1024:.1f} GiB"
