"""What is mended of Snakemake, and that one module alone reaches into its inside."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import re
from types import SimpleNamespace

import pytest
from throwaway import ROOT

from hedgerow_study.workflow.running import snakemake_patches
from hedgerow_study.workflow.running.slurm import EXECUTOR
from hedgerow_study.workflow.running.snakemake_patches import (
    keep_asking,
    runs_on_node,
    wait_to_queue,
    without_rate_limit,
    without_steps,
)

#: What others may import of Snakemake: the API, flags of files, and the interface of displays.
DOCUMENTED = {
    *("snakemake.api", "snakemake.io", "snakemake.utils"),
    "snakemake_interface_logger_plugins.base",
}


def inside(text):
    """What Python code names of Snakemake's inside."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if owner.rpartition(".")[2].strip("_") in ("workflow", "dag", "scheduler", "executor"):
                yield f"{owner}.{node.attr}"
            if isinstance(node.ctx, ast.Store) and (owner, node.attr) == ("sys", "executable"):
                yield "sys.executable"
        named = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (n for n in named if n.startswith("snakemake") and n not in DOCUMENTED)


def test_one_module_alone_reaches_into_snakemake():
    """About ten places did, and an update of Snakemake had to be tried in each."""
    package = ROOT / "src/hedgerow_study"
    found = {
        (path.name, one)
        for path in [*package.glob("workflow/**/*.py"), *package.glob("audit/*.py")]
        if path.name != "snakemake_patches.py"
        for one in inside(path.read_text("utf-8"))
    }
    # `workflow.configfiles` is documented.
    assert {one for one in found if not one[1].startswith("hedgerow")} == {
        ("graph.py", "workflow.configfiles")
    }
    rules = "\n".join(
        p.read_text("utf-8") for p in (ROOT / "workflow").rglob("*") if p.suffix == ".smk"
    )
    rules += (ROOT / "workflow/Snakefile").read_text("utf-8")
    # "workflow.showing.site:content" is a call.
    assert set(re.findall(r'(?<![."\w])workflow\.(\w+)', rules)) == {"configfiles"}
    assert "sys.executable =" not in rules


def workflow(**changes):
    scheduler = SimpleNamespace(job_rate_limiter=object())
    return SimpleNamespace(**{"scheduler": scheduler, "local_exec": True, **changes})


def test_the_limit_is_taken_where_jobs_run_here():
    own = workflow()
    assert without_rate_limit(own) and own.scheduler.job_rate_limiter is None
    assert not without_rate_limit(own)


@pytest.mark.parametrize(
    "changes", [{"local_exec": False}, {"scheduler": None}, {"scheduler": SimpleNamespace()}]
)
def test_a_cluster_and_another_snakemake_are_left_as_they_are(changes):
    other = workflow(**changes)
    assert not without_rate_limit(other)
    assert getattr(other.scheduler, "job_rate_limiter", 1) is not None


def test_the_installed_snakemake_is_built_so():
    """Names that `without_rate_limit` reads; a version without them only loses its speed."""
    importlib.import_module("snakemake.api")  # which imports the others in an order that they bear
    module = importlib.import_module("snakemake.workflow")
    assert isinstance(inspect.getattr_static(module.Workflow, "local_exec"), property)
    scheduler = module.JobScheduler
    assert "self.job_rate_limiter is None" in inspect.getsource(scheduler)


class Executor:
    """An executor that gets an answer of some jobs, and of the others none."""

    def __init__(self, running, done, failed):
        self.running, self.done, self.failed, self.reported = running, done, failed, []

    def report_job_success(self, job):
        self.reported.append((job, True))

    def report_job_error(self, job, msg=None):
        self.reported.append((job, False))

    async def check_active_jobs(self, jobs):
        for job in jobs:
            if job in self.done:
                self.report_job_success(job)
            elif job in self.failed:
                self.report_job_error(job, msg="it failed")
            elif job in self.running:
                yield job

    def additional_general_args(self):
        return "--executor slurm-jobstep --jobs 1"


def on(executor, **changes):
    return workflow(scheduler=SimpleNamespace(_executor=executor), local_exec=False, **changes)


def asked(executor, jobs):
    async def collected():
        return [job async for job in executor.check_active_jobs(jobs)]

    return asyncio.run(collected())


def test_jobs_without_an_answer_are_asked_for_again():
    """The controller was away for five questions, and the run waited for ever."""
    a, b, c, d = (SimpleNamespace(name=name) for name in "abcd")
    executor = Executor(running=[a], done=[b], failed=[c])
    assert asked(executor, [a, b, c, d]) == [a]
    assert keep_asking(on(executor))
    for _ in range(2):
        assert asked(executor, [a, b, c, d]) == [a, d]
    assert executor.reported == [(b, True), (c, False)] * 3
    assert not keep_asking(on(SimpleNamespace()))
    assert not keep_asking(workflow())


def test_nothing_is_queued_while_the_controller_is_away(monkeypatch):
    """Three tries are over in seconds, where a controller takes a minute to start."""
    said, away = [], [False, False, True]
    monkeypatch.setattr(snakemake_patches, "answers", lambda: away.pop(0) if away else True)
    queued, cancelled = [], []
    slurm = type(
        "Executor",
        (),
        {
            "__module__": EXECUTOR,
            "run_job": lambda self, job: queued.append((job, len(away))),
            "cancel_jobs": lambda self, jobs: cancelled.append(jobs),
            "logger": SimpleNamespace(warning=said.append),
        },
    )()
    assert wait_to_queue(on(slurm), every=0.01)
    slurm.run_job("a")
    assert queued == [("a", 0)] and len(said) == 1 and "does not answer" in said[0]
    slurm.run_job("b")
    assert queued[1:] == [("b", 0)] and len(said) == 1
    away[:] = [False] * 9
    slurm.cancel_jobs(["a"])
    slurm.run_job("c")
    assert cancelled == [["a"]] and queued[2:] == [("c", 9)] and len(said) == 1
    assert not wait_to_queue(on(Executor([], [], []))) and not wait_to_queue(workflow())


def test_a_job_does_not_wait_for_ever_to_be_queued(monkeypatch):
    monkeypatch.setattr(snakemake_patches, "answers", lambda: False)
    queued, parts = [], {"__module__": EXECUTOR, "run_job": lambda self, job: queued.append(job)}
    parts |= {"cancel_jobs": None, "logger": SimpleNamespace(warning=lambda text: None)}
    slurm = type("Executor", (), parts)()
    assert wait_to_queue(on(slurm), every=0.01, limit=0.05)
    slurm.run_job("a")
    assert queued == ["a"]


def test_a_group_runs_without_steps_on_its_node():
    executor = Executor([], [], [])
    assert without_steps(on(executor))
    assert executor.additional_general_args() == "--executor local"
    other = SimpleNamespace(additional_general_args=lambda: "")
    assert not without_steps(on(other)) and other.additional_general_args() == ""
    assert not without_steps(workflow())
    assert runs_on_node(workflow(remote_exec=True)) and not runs_on_node(workflow())


def test_the_installed_executor_for_slurm_is_built_so():
    """Names that are changed where a run starts; others are left as they are."""
    slurm = pytest.importorskip("snakemake_executor_plugin_slurm")
    reports = ("report_job_success", "report_job_error")
    for name in ("check_active_jobs", *reports, "run_job", "cancel_jobs"):
        assert callable(getattr(slurm.Executor, name))
    assert "submit(self.run_job" in inspect.getsource(slurm.Executor._submit_job)
    assert inspect.isasyncgenfunction(slurm.Executor.check_active_jobs)
    assert "slurm-jobstep" in inspect.getsource(slurm.Executor.additional_general_args)
    scheduler = importlib.import_module("snakemake.scheduling.job_scheduler").JobScheduler
    assert "self._executor = " in inspect.getsource(scheduler.__init__)
