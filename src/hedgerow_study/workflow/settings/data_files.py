"""Data files of a run, for its rules: where each set is read from, and in which version.

Whether a data file has changed is asked by the table that it gives. Rows in another order, other
line ends or a time of today give the same table, and Snakemake must not see the file as newer: it
is `ancient` as long as its table is the wanted one and rule tidy ran with the parameters of now.
Otherwise the input is a plain file, and the parameter `table` of rule tidy changes as well, which
an older time does not hide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.data import DatasetEntry, available
from hedgerow.data.registry import Registry
from hedgerow.data.sources import MIRROR_VARIABLE, RECORD
from hedgerow.data.versions import (
    PlannedChange,
    data_file,
    local_notes,
    local_versions,
    planned_table,
    read_version,
    wanted_table,
)
from hedgerow_study.workflow.running.snakemake_patches import jobs_to_run, recorded_params


class DataFiles:
    """Data files of the sets of a registry, beside whose file config/local_data.yaml may lie."""

    def __init__(self, registry: Registry):
        self._registry = registry
        self._local = local_versions(registry.path)
        self._planned = functools.cache(self._look)

    def reader(
        self, workflow: Any, entries: Mapping[str, str], *code: str
    ) -> Callable[[Any], dict[str, str]]:
        """Input function of rule tidy: the data file of `{dataset}` and its source.json."""
        from snakemake.io import ancient

        def read(wildcards: Any) -> dict[str, str]:
            name = wildcards.dataset
            file = data_file(self._registry[name])
            data, record = file.as_posix(), file.with_name(RECORD).as_posix()
            planned = self._planned(name)
            ran = recorded_params(workflow, f"data/tidy/{name}.parquet")
            now = {repr(text) for text in (planned.table, entries[name], *code)}
            same = planned.same and (ran is None or now <= set(ran))
            return {"data": ancient(data) if same else data, "record": ancient(record)}

        return read

    def table(self, wildcards: Any) -> str:
        """What tells whether the tidy table of `{dataset}` is out of date, for `params`."""
        return self._planned(wildcards.dataset).table

    def _look(self, name: str) -> PlannedChange:
        entry = self._registry[name]
        return planned_table(entry, self._local.get(entry.base.key))

    def check(self, workflow: Any) -> None:
        """Stop a run before its first job if a data file was edited that nobody has adopted.

        workflow: Rule tidy would stop as well, but Snakemake would have deleted the earlier table
            then.
        """
        jobs = (job for job in jobs_to_run(workflow) if job.rule.name == "tidy")
        for name in sorted({job.wildcards["dataset"] for job in jobs}):
            entry = self._registry[name]
            if self._planned(name).table != wanted_table(entry, self._local.get(entry.base.key)):
                read_version(entry, self._registry.path)

    def files(self, datasets: Iterable[str]) -> list[str]:
        """Data files of some sets, each once, sorted."""
        return sorted({data_file(self._registry[name]).as_posix() for name in datasets})

    def records(self, datasets: Iterable[str]) -> list[str]:
        """The source.json beside each of `files`."""
        return [Path(file).with_name(RECORD).as_posix() for file in self.files(datasets)]

    def sources(self, datasets: Iterable[str]) -> dict[str, str]:
        """The set whose file each of some sets reads: the set itself, or its parent."""
        return {name: self._registry[name].base.key for name in sorted(datasets)}

    def notes(self, datasets: Iterable[str]) -> list[str]:
        """A sentence for each local version that some sets are read from."""
        return local_notes(self._registry.path, datasets)


def to_download(workflow: Any, registry: Mapping[str, DatasetEntry], mirror: str | None) -> str:
    """What a run has to download: without the network it goes on without."""
    jobs = (job for job in jobs_to_run(workflow) if job.rule.name == "fetch")
    wanted = {job.wildcards["source"] for job in jobs}
    absent = sorted(name for name in wanted if available(registry[name], mirror) is None)
    if not absent:
        return ""
    sets = "1 data set is" if len(absent) == 1 else f"{len(absent)} data sets are"
    return (
        f"{sets} not on this machine: {', '.join(absent)}. Without the network every table names "
        f"them as absent; {MIRROR_VARIABLE} may name a folder that has them."
    )
