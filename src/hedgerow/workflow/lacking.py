"""What a run has to download, said before it starts: without the network it goes on without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.data import DatasetEntry, available
from hedgerow.data.sources import MIRROR_VARIABLE


def to_download(workflow: Any, registry: Mapping[str, DatasetEntry], mirror: str | None) -> str:
    """The data sets that a run wants and that no mirror, library or archive has here."""
    jobs = (job for job in workflow.dag.needrun_jobs() if job.rule.name == "fetch")
    wanted = {job.wildcards["source"] for job in jobs}
    absent = sorted(name for name in wanted if available(registry[name], mirror) is None)
    if not absent:
        return ""
    sets = "1 data set is" if len(absent) == 1 else f"{len(absent)} data sets are"
    return (
        f"{sets} not on this machine: {', '.join(absent)}. Without the network every table names "
        f"them as absent; {MIRROR_VARIABLE} may name a folder that has them."
    )
