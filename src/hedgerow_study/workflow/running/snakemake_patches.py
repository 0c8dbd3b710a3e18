"""All that reaches into Snakemake's inside, with the reason and the upstream issue of each.

Nothing here has an official option or plugin (Snakemake 9.27, executor for Slurm 2.8). Other
modules ask this one; a test sees to it that no other names such an attribute. Where a version of
Snakemake is built otherwise, patches of its scheduler leave it as it is.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import time
import types
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hedgerow_study.workflow.running.slurm import EXECUTOR, answers

# ------------------------------------------------------------------------------------ the plan
#
# A Snakefile and its handlers are given the object `workflow`, and no documented way to the jobs of
# a run: github.com/snakemake/snakemake/issues/1884 (the DAG in handlers), issues/13 (the workflow
# of the API).


def runs_here(workflow: Any) -> bool:
    """Whether all jobs run on this machine."""
    return getattr(workflow, "local_exec", False) is True


def runs_on_node(workflow: Any) -> bool:
    """Whether this is the Snakemake that runs a group of jobs on a node of a cluster."""
    return getattr(workflow, "remote_exec", False) is True


def is_main(workflow: Any) -> bool:
    """Whether this is the Snakemake that was called, and not one that it has started."""
    return workflow.is_main_process


def cores_of(workflow: Any) -> int:
    """Cores of a run."""
    return workflow.cores


def locks(workflow: Any) -> bool:
    """Whether a run locks its folder: `--nolock` is not given."""
    return workflow.execution_settings.lock


def command_line_settings(workflow: Any) -> dict[str, Any]:
    """The settings of `--config`."""
    return dict(workflow.config_settings.config or {})


def jobs_to_run(workflow: Any) -> list[Any]:
    """Jobs that a run will run, when it is planned; also of rules that only name targets."""
    return list(workflow.dag.needrun_jobs())


def jobs_above(workflow: Any, rule: str) -> list[Any]:
    """All jobs that those of a rule depend on, whether they run or not."""
    dag = workflow.dag
    pending = [job for job in dag.jobs if job.rule.name == rule]
    above, seen = [], set(pending)
    while pending:
        for job in dag.dependencies[pending.pop()]:
            if job not in seen:
                seen.add(job)
                pending.append(job)
                above.append(job)
    return above


@contextlib.contextmanager
def planned_workflow(
    files: Iterable[str], settings: Mapping[str, Any], options: Mapping[str, Any] | None
) -> Iterator[Any]:
    """The workflow of the current folder, planned as `snakemake --summary` begins.

    options : of the profile that the command line takes unasked, by their names there
    """
    from snakemake.api import SnakemakeApi
    from snakemake.settings.enums import RerunTrigger
    from snakemake.settings.types import (
        ConfigSettings,
        DAGSettings,
        OutputSettings,
        Quietness,
        ResourceSettings,
    )

    given: dict[str, Any] = {"force_incomplete": True}
    if options is not None:
        triggers = RerunTrigger.parse_choices_set(options["rerun-triggers"])
        given = {
            "force_incomplete": options["rerun-incomplete"],
            "rerun_triggers": triggers,
            "max_checksum_file_size": options["max-checksum-file-size"],
        }
    config = ConfigSettings(configfiles=list(map(Path, files)), config=dict(settings))
    quiet = OutputSettings(quiet={Quietness.ALL}, enable_file_logging=False)
    with SnakemakeApi(quiet) as api:
        started = api.workflow(resource_settings=ResourceSettings(cores=1), config_settings=config)
        started.dag(DAGSettings(**given))
        workflow = started._workflow
        workflow._prepare_dag(
            forceall=False, ignore_incomplete=False, lock_warn_only=True, nolock=True
        )
        workflow._build_dag()
        yield workflow


def reasons_of_jobs(workflow: Any) -> Iterator[tuple[Any, dict[Any, set[str]], Any]]:
    """Jobs of a plan, the jobs before each with their files, and Snakemake's reason, if it runs."""
    dag = workflow.dag
    for job in dag.jobs:
        if not job.rule.norun:
            before = {other: set(map(str, files)) for other, files in dag.dependencies[job].items()}
            yield job, before, dag.reason(job) if dag.needrun(job) else None


def recorded_inputs(workflow: Any, job: Any) -> set[str]:
    """Inputs that a job had when it last ran."""
    records = (workflow.persistence.metadata(file) for file in job.output)
    return {path for record in records if record for path in record.input or ()}


def recorded_params(workflow: Any, path: str) -> list[str] | None:
    """Parameters with which a file was made; None without a record, and while rules are read.

    Snakemake does not compare those of a job that comes after one that runs, even if it does so by
    `ancient` files only: github.com/snakemake/snakemake/issues/4166.
    """
    from snakemake.io import IOFile

    records = workflow.persistence
    return records.params(IOFile(path)) if records else None


def maker_of_file(workflow: Any, path: str) -> tuple[Any, ...] | None:
    """Rule, wildcards, inputs, outputs and params of the job that makes a file, before any plan.

    Snakemake's graph holds the jobs of one run only, once it is planned.
    """
    for rule in workflow.rules:
        # `is_producer` compiles the patterns of a rule: a prefix is asked first.
        near = any(path.startswith(file.constant_prefix()) for file in rule.output)
        if near and rule.is_producer(path):
            wildcards = rule.get_wildcards(path)
            outputs, _ = rule.expand_output(wildcards)
            inputs, *_ = rule.expand_input(wildcards)
            return rule.name, dict(wildcards), inputs, outputs, dict(rule.params.items())
    return None


# ---------------------------------------------------------------------------- what is out of date


def mark_incomplete(root: Path, outputs: Iterable[str], complete: Iterable[str]) -> None:
    """Have Snakemake make outputs again, and take back such marks of others.

    It compares times first, and never the bytes of an output: an edit of one stays, and so does
    what was made of an input that was edited and got its old time. Options name files to make
    (`--forcerun`), which the Snakefile cannot give. No issue known.
    """
    marks, outputs = root / ".snakemake/incomplete", sorted(outputs)
    marked = marks.is_dir() and any(marks.iterdir())
    if not outputs and not marked:
        return
    from snakemake.io import IOFile
    from snakemake.persistence.file import FilePersistence

    try:
        records = FilePersistence(nolock=True, path=(root / ".snakemake").resolve())
        if marked:
            for key in records._filter_incomplete_keys(complete):
                records._unmark_incomplete(key)
        records.started(SimpleNamespace(output=list(map(IOFile, outputs))))
    except OSError:  # a folder that can only be read
        pass


# ------------------------------------------------------------------------ interpreter and display


def interpreter() -> str:
    """This interpreter, whatever `call_scripts_by` has set."""
    return shlex.split(sys.executable)[0]


def call_scripts_by(*command: str) -> None:
    """Have Snakemake call Python scripts by a command.

    Snakemake takes `sys.executable`, unquoted, so that a blank in its path ends the command
    (github.com/snakemake/snakemake/issues/2645), and starts an interpreter for each job, with all
    imports (issues/3143).
    """
    sys.executable = shlex.join(command)


def with_logger(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Variables with which Snakemake finds the logger plugin in a folder.

    It looks for modules `snakemake_logger_plugin_*` on the path, where an editable installation
    shows none to it. No issue known.
    """
    path = [str(folder), *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(path)}


# --------------------------------------------------------------------------------- the scheduler


def patch_scheduler(workflow: Any) -> None:
    """Apply all that follows to a run that is about to start."""
    without_rate_limit(workflow)
    keep_asking(workflow)
    wait_to_queue(workflow)
    without_steps(workflow)


def _executor_of(workflow: Any) -> Any:
    return getattr(getattr(workflow, "scheduler", None), "_executor", None)


def without_rate_limit(workflow: Any) -> bool:
    """Take the limit of jobs per second from the scheduler, where all jobs run on this machine.

    The limiter starts a timer at each pass of the scheduler, and each timer that ends makes another
    pass: towards the end of a run they take a good part of a core. The option
    `--max-jobs-per-timespan` takes no "none"; a longer timespan moves the cost to the exit, which
    waits for the timers. github.com/snakemake/snakemake/pull/3744.
    """
    scheduler = getattr(workflow, "scheduler", None)
    if not runs_here(workflow) or getattr(scheduler, "job_rate_limiter", None) is None:
        return False
    scheduler.job_rate_limiter = None
    return True


def keep_asking(workflow: Any) -> bool:
    """Have the executor of a cluster ask again for jobs of which it got no answer.

    While the controller does not answer, the executor for Slurm loses the jobs that it asked for:
    they are neither done nor failed, nor asked for again, and the run waits for ever.
    github.com/snakemake/snakemake-executor-plugin-slurm/issues/207.
    """
    executor = _executor_of(workflow)
    check = getattr(executor, "check_active_jobs", None)
    if runs_here(workflow) or check is None:
        return False
    answered: set[int] = set()

    def noting(report: Any) -> Any:
        def noted(job: Any, *arguments: Any, **more: Any) -> Any:
            answered.add(id(job))
            return report(job, *arguments, **more)

        return noted

    async def asked(self: Any, jobs: Sequence[Any]) -> AsyncIterator[Any]:
        answered.clear()
        async for job in check(jobs):
            answered.add(id(job))
            yield job
        for job in jobs:
            if id(job) not in answered:
                yield job

    executor.report_job_success = noting(executor.report_job_success)
    executor.report_job_error = noting(executor.report_job_error)
    executor.check_active_jobs = types.MethodType(asked, executor)
    return True


def wait_to_queue(workflow: Any, every: float = 5.0, limit: float = 1800.0) -> bool:
    """Have the executor for Slurm queue nothing while the controller does not answer.

    It would count as a failure of the job, and three of them, seconds apart, end the run:
    github.com/snakemake/snakemake-executor-plugin-slurm/issues/313 and 320.

    every, limit: seconds between two questions, and of waiting for a job; then it is queued in any
        case, and fails as Slurm says.
    """
    executor = _executor_of(workflow)
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
    github.com/snakemake/snakemake-executor-plugin-slurm/issues/469.
    """
    executor = _executor_of(workflow)
    steps = getattr(executor, "additional_general_args", None)
    if steps is None or "slurm-jobstep" not in str(steps()):
        return False
    executor.additional_general_args = lambda: "--executor local"
    return True
