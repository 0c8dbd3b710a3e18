"""What a run on a cluster will take: its jobs in the groups of the profile, on some nodes."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.errors import ConfigError
from hedgerow.files import read_yaml
from hedgerow.workflow.need import Forecast, about, on_the_clock
from hedgerow.workflow.profile import PROFILE
from hedgerow.workflow.records import Need

#: Seconds beside those on record: of a group (Snakemake, its plan, and the imports of the warm
#: process), of each of its jobs, and from its end until Snakemake asks Slurm and learns of it.
START, EACH, ASKED = 6.0, 0.3, 20.0


@dataclass(frozen=True)
class OnNodes:
    """What a run on a cluster will take.

    Attributes
    ----------
    groups : dict of str to float
        Seconds of each job of Slurm's, by the id of one of its jobs.
    wall : float
        Seconds on the clock.
    nodes, cores : int
        How many, and of each.
    """

    groups: Mapping[str, float]
    wall: float
    nodes: int
    cores: int

    def line(self) -> str:
        """A line that tells all."""
        n = len(self.groups)
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        jobs = "1 job" if n == 1 else f"{n:,} jobs"
        median = about(statistics.median(self.groups.values())) if n else about(0)
        return (
            f"By {PROFILE.parent} on {nodes} with {cores}, without waiting for others: {jobs} of "
            f"Slurm, half of them longer than {median}, {about(self.wall)} on the clock."
        )


def grouped(
    jobs: Mapping[str, Mapping[str, Any]], groups: Mapping[str, str], parts: Mapping[str, int]
) -> list[list[str]]:
    """Jobs that Slurm gets as one, as Snakemake puts them together.

    Parameters
    ----------
    jobs : mapping
        By their ids, as `hedgerow.workflow.graph.described` gives them.
    groups : mapping of str to str
        Rule to group; jobs of other rules run where Snakemake does.
    parts : mapping of str to int
        How many parts that do not depend on each other make a group.

    Returns
    -------
    list of list of str
        Ids, sorted. Which parts come together is Snakemake's choice: here it is their order.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    of = {id: groups[id.partition(":")[0]] for id in jobs if id.partition(":")[0] in groups}
    maker = {path: id for id, job in jobs.items() for path in job["outputs"]}
    ids = sorted(of)
    number = {id: i for i, id in enumerate(ids)}
    edges = [
        (number[id], number[maker[path]])
        for id in ids
        for path in jobs[id]["inputs"]
        if of.get(maker.get(path, "")) == of[id]
    ]
    ones, others = zip(*edges, strict=True) if edges else ((), ())
    graph = coo_array(([1] * len(edges), (ones, others)), shape=(len(ids), len(ids)))
    connected: dict[int, list[str]] = defaultdict(list)
    for id, component in zip(ids, connected_components(graph, directed=False)[1], strict=True):
        connected[component].append(id)
    by_group: dict[str, list[list[str]]] = defaultdict(list)
    for component in connected.values():
        by_group[of[component[0]]].append(component)
    found = []
    for group, components in by_group.items():
        n = parts.get(group, 1)
        for start in range(0, len(components), n):
            found.append(sorted(id for one in components[start : start + n] for id in one))
    return found


def on_nodes(
    found: Forecast, jobs: Mapping[str, Mapping[str, Any]], nodes: int, cores: int, root: Path
) -> OnNodes:
    """What a run of jobs on a cluster will take, by the profile for Slurm of a project.

    Parameters
    ----------
    found : Forecast
        Of the same jobs on one machine.
    jobs : mapping
        Those that run, by their ids.
    nodes, cores : int
        How many nodes, and cores of each.
    root : Path
        Folder of the project.

    Raises
    ------
    ConfigError
        If the profile has no groups.
    """
    profile = read_yaml(root / PROFILE)
    if not isinstance(profile, dict) or not isinstance(profile.get("groups"), dict):
        raise ConfigError(
            f"{PROFILE} has no groups of rules",
            remedy="write it anew: python -m hedgerow.workflow.profile",
        )
    together = grouped(jobs, profile["groups"], profile.get("group-components") or {})
    whole = {ids[0]: ids for ids in together}
    alone = jobs.keys() - {id for ids in together for id in ids}
    seconds = {
        first: START + sum(EACH + found.jobs[id].seconds for id in ids)
        for first, ids in whole.items()
    }
    merged = {id: {k: list(jobs[id][k]) for k in ("inputs", "outputs")} for id in alone}
    needs = {id: found.jobs[id] for id in alone}
    for first, ids in whole.items():
        made = [path for id in ids for path in jobs[id]["outputs"]]
        read = {path for id in ids for path in jobs[id]["inputs"]}
        merged[first] = {"inputs": sorted(read.difference(made)), "outputs": made}
        needs[first] = Need(seconds[first])
    wall = on_the_clock(merged, needs, nodes * cores, dict.fromkeys(whole, ASKED))
    return OnNodes(seconds, wall, nodes, cores)
