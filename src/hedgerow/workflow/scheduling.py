"""What a run on one machine does not need of Snakemake's scheduler, and one on a cluster lacks."""

from __future__ import annotations

import threading
import time
import types
from collections.abc import AsyncIterator, Sequence
from typing import Any

from hedgerow.workflow.cluster import EXECUTOR, answers


def runs_here(workflow: Any) -> bool:
    """Whether all jobs run on this machine, of a workflow as its handler `onstart` knows it."""
    return getattr(workflow, "local_exec", False) is True


def runs_on_node(workflow: Any) -> bool:
    """Whether this is the Snakemake that runs a group of jobs on a node of a cluster."""
    return getattr(workflow, "remote_exec", False) is True


def without_rate_limit(workflow: Any) -> bool:
    """Take the limit of jobs per second from the scheduler, where all jobs run on this machine.

    The limiter starts a timer at each pass of the scheduler, and each timer that ends makes another
    pass: towards the end of a run they take a good part of a core (`JobScheduler`, Snakemake 9). A
    longer timespan only moves the cost to the exit, which waits for the timers. A cluster keeps its
    limit, and a version of Snakemake that is built otherwise is left as it is.
    """
    scheduler = getattr(workflow, "scheduler", None)
    if not runs_here(workflow) or getattr(scheduler, "job_rate_limiter", None) is None:
        return False
    scheduler.job_rate_limiter = None
    return True


def keep_asking(workflow: Any) -> bool:
    """Have the executor of a cluster ask again for jobs of which it got no answer.

    While the controller does not answer, Snakemake's executor for Slurm (2.8) loses the jobs that
    it asked for: they are neither done nor failed, nor asked for again, and the run waits for ever.
    """
    executor = getattr(getattr(workflow, "scheduler", None), "_executor", None)
    check = getattr(executor, "check_active_jobs", None)
    if runs_here(workflow) or check is None:
        return False
    told: set[int] = set()

    def noting(report: Any) -> Any:
        def noted(job: Any, *arguments: Any, **more: Any) -> Any:
            told.add(id(job))
            return report(job, *arguments, **more)

        return noted

    async def asked(self: Any, jobs: Sequence[Any]) -> AsyncIterator[Any]:
        told.clear()
        async for job in check(jobs):
            told.add(id(job))
            yield job
        for job in jobs:
            if id(job) not in told:
                yield job

    executor.report_job_success = noting(executor.report_job_success)
    executor.report_job_error = noting(executor.report_job_error)
    executor.check_active_jobs = types.MethodType(asked, executor)
    return True


def wait_to_queue(workflow: Any, every: float = 5.0, limit: float = 1800.0) -> bool:
    """Have the executor for Slurm queue nothing while the controller does not answer.

    It would count as a failure of the job, and three of them, seconds apart, end the run.

    every, limit: seconds between two questions, and of waiting for a job; then it is queued in any
        case, and fails as Slurm says.
    """
    executor = getattr(getattr(workflow, "scheduler", None), "_executor", None)
    if type(executor).__module__.partition(".")[0] != EXECUTOR:
        return False
    submit, cancel = executor.run_job, executor.cancel_jobs
    stopped, away = threading.Event(), threading.Event()

    def queued(job: Any) -> None:
        end = time.monotonic() + limit
        while not (stopped.is_set() or answers() or time.monotonic() > end):
            if not away.is_set():
                away.set()
                executor.logger.warning("Slurm's controller does not answer: jobs wait for it.")
            stopped.wait(every)
        away.clear()
        submit(job)

    def cancelled(jobs: Any) -> None:
        stopped.set()
        cancel(jobs)

    executor.run_job, executor.cancel_jobs = queued, cancelled
    return True


def without_steps(workflow: Any) -> bool:
    """Have Snakemake run the jobs of a group on the node by itself, where Slurm is the executor.

    Its executor for Slurm would start a step for each of them, in which a Snakemake of its own
    plans again: seconds for jobs that often take less. A group has one node and no MPI.
    """
    executor = getattr(getattr(workflow, "scheduler", None), "_executor", None)
    steps = getattr(executor, "additional_general_args", None)
    if steps is None or "slurm-jobstep" not in str(steps()):
        return False
    executor.additional_general_args = lambda: "--executor local"
    return True
