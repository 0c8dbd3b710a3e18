"""What a run on one machine does not need of Snakemake's scheduler."""

from __future__ import annotations

from typing import Any


def runs_here(workflow: Any) -> bool:
    """Whether all jobs run on this machine, of a workflow as its handler `onstart` knows it."""
    return getattr(workflow, "local_exec", False) is True


def without_rate_limit(workflow: Any) -> bool:
    """Take the limit of jobs per second from the scheduler, where all jobs run on this machine.

    The limiter starts a timer at each pass of the scheduler, and each timer that ends makes another
    pass: towards the end of a run they take a good part of a core (`JobScheduler`, Snakemake 9). A
    longer timespan only moves the cost to the exit, which waits for the timers. A cluster keeps its
    limit, and a version of Snakemake that is built otherwise is left as it is.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        As a Snakefile knows it, in its handler `onstart`.

    Returns
    -------
    bool
        Whether there was a limit and it is gone.
    """
    scheduler = getattr(workflow, "scheduler", None)
    if not runs_here(workflow) or getattr(scheduler, "job_rate_limiter", None) is None:
        return False
    scheduler.job_rate_limiter = None
    return True
