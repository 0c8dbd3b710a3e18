"""Files that are newer than now: Snakemake refuses outputs that are older than their inputs."""

from __future__ import annotations

import os
import time
from typing import Any

from hedgerow.errors import HedgerowError

#: Seconds by which the clock of a file server may be ahead.
AHEAD = 60.0


class FutureError(HedgerowError):
    """What a job reads is newer than anything that it could write."""


def check_times(workflow: Any) -> None:
    """Stop a run before jobs whose outputs would be older than their inputs."""
    jobs = list(workflow.dag.needrun_jobs())
    made = {str(file) for job in jobs for file in job.output}
    read = {str(file) for job in jobs for file in job.input} - made
    now = time.time()
    times = {file: os.stat(file).st_mtime for file in read if os.path.exists(file)}
    late = sorted(file for file, seconds in times.items() if seconds > now + AHEAD)
    if not late:
        return
    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(times[late[0]]))
    if len(late) == 1:
        said, remedy = f"{late[0]} is from the future ({date})", f"`touch {late[0]}`"
    else:
        said = f"{len(late)} files are from the future, {late[0]} among them ({date})"
        folders = " ".join(sorted({file.partition("/")[0] for file in late}))
        remedy = f"`find {folders} -newermt now -exec touch {{}} +`"
    raise FutureError(
        f"{said}: what is made from it would count as out of date",
        remedy=f"set the clock of this machine if it is slow, else call {remedy}",
    )
