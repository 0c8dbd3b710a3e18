"""What became of a job of Slurm, by its log, and what a killed run has left in the queue."""

from __future__ import annotations

import io
import logging

import pytest
from test_workflow_progress import record, started

from hedgerow.errors import ConfigError
from hedgerow_study.workflow.running import slurm
from hedgerow_study.workflow.running.progress import shown
from hedgerow_study.workflow.running.slurm import (
    MEMORY,
    STOPPED,
    TIME,
    cancel_left,
    check_slurm,
    why,
)

BEGUN = """\
Job 4: Reading and checking iris
Reason: Forced execution
[Fri Nov 27 02:27:55 2026]
Finished jobid: 4 (Rule: tidy)
Job 12: Reading and checking lung
Reason: Forced execution
"""
ENDS = {
    "slurmstepd: error: Job 3 exceeded memory limit (139 > 100), being killed": MEMORY,
    "slurmstepd: error: Exceeded job memory limit": MEMORY,
    "slurmstepd: error: *** JOB 5 ON n CANCELLED AT 02:38:50 DUE TO TIME LIMIT ***": TIME,
    "slurmstepd: error: *** JOB 5 ON n CANCELLED AT 2026-11-27T02:38:50 ***": STOPPED,
    "SLURM-job '7' failed, SLURM status is: 'OUT_OF_MEMORY'.": MEMORY,
    "SLURM-job '7' failed, SLURM status is: 'TIMEOUT'.": TIME,
}


@pytest.mark.parametrize(("text", "words"), ENDS.items())
def test_the_log_of_slurm_tells_why_a_job_was_ended(text, words):
    assert why(BEGUN + text) == words
    assert why(BEGUN) is None


def failure(number: int, rule: str) -> logging.LogRecord:
    log = [f"data/logs/{number}.log (check log file(s) for error details)"]
    return record("job_error", jobid=number, rule_name=rule, rule_msg=None, indent=True, log=log)


@pytest.mark.parametrize("begun", [True, False])
def test_of_a_group_that_failed_the_job_at_work_is_told(tmp_path, begun):
    """Snakemake calls each job of the group failed, those that were done as well."""
    log = tmp_path / "7.log"
    log.write_text((BEGUN if begun else "") + next(iter(ENDS)))
    stream = io.StringIO()
    display = shown(stream)
    names = {1: "iris", 2: "lung", 3: "wine"}
    for number, name in names.items():
        display.handle(started(number, "tidy", f"Reading and checking {name}"))
    said = [{"jobid": number, "rule_name": "tidy"} for number in names]
    display.handle(record("group_error", groupid="x", aux_logs=[str(log)], job_error_info=said))
    for number in names:
        display.handle(failure(number, "tidy"))
    display.handle(record(message="Trying to restart job 7."))
    name, logs = ("tidy", f"data/logs/2.log, {log}")
    if not begun:
        name, logs = ("a group of 3 jobs (tidy)", str(log))
    assert stream.getvalue().splitlines() == [
        f"{name} failed: it {MEMORY}; its log is {logs}",
        "It is tried again, and more is asked for.",
    ]
    assert not display.state.running


def test_a_job_outside_of_groups_is_told_with_its_reason():
    stream = io.StringIO()
    display = shown(stream)
    said = "SLURM-job '7' failed, SLURM status is: 'TIMEOUT'. Detailed failure reason unavailable"
    log = ["data/logs/a.log (check)", "no/7.log"]
    display.handle(record("job_error", jobid=1, rule_name="learn", rule_msg=said, log=log))
    assert stream.getvalue() == f"learn failed: it {TIME}; its log is data/logs/a.log, no/7.log\n"


def test_a_job_that_is_tried_again_here_asks_for_nothing():
    stream = io.StringIO()
    shown(stream).handle(record(message="Trying to restart job 7."))
    assert stream.getvalue() == "It is tried again.\n"


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A Slurm whose queue has a job of a folder, one of another, and one that is not ours."""
    (tmp_path / "bin").mkdir()
    here = tmp_path / "project"
    here.mkdir()
    queue = f"11|rule_soft_learn|{here}\\n12|rule_soft_learn|/elsewhere\\n13|(null)|{here}\\n"
    for name, body in {
        "squeue": f"printf '{queue}'",
        "scancel": f'echo "$@" > {tmp_path}/cancelled',
        "sbatch": "true",
    }.items():
        file = tmp_path / "bin" / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return here


def test_what_a_killed_run_left_in_the_queue_is_cancelled(commands, monkeypatch):
    assert cancel_left(commands) == 1
    assert (commands.parent / "cancelled").read_text() == "11\n"
    (commands.parent / "bin/squeue").write_text("#!/bin/sh\nexit 1\n")
    assert cancel_left(commands) == 0
    monkeypatch.setenv("PATH", str(commands))
    assert cancel_left(commands) == 0


def test_without_slurm_the_profile_is_refused_by_a_sentence(commands, monkeypatch):
    profile = ["--profile", "workflow/profiles/slurm"]
    monkeypatch.setattr(slurm, "find_spec", lambda name: object())
    check_slurm(profile)
    monkeypatch.setattr(slurm, "find_spec", lambda name: None)
    check_slurm(["--cores", "2"])
    with pytest.raises(ConfigError, match=r"requirements-cluster\.lock"):
        check_slurm(profile)
    monkeypatch.setenv("PATH", str(commands))
    with pytest.raises(ConfigError, match="no sbatch here"):
        check_slurm(["--profile=workflow/profiles/slurm/"])
