"""Interpreters that are started for an audit: they end with whoever asked for them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil
import pytest

#: What a shell starts in the background ignores SIGINT, and so would this one.
ASKS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from hedgerow_study.workflow.running.isolated import run_python
run_python(["-c", RUNS], ".")
"""
#: As Snakemake does: it runs a job and waits for it when it is asked to end.
RUNS = """
import os, pathlib, signal, subprocess, sys
job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
signal.signal(signal.SIGTERM, lambda *_: None)
pathlib.Path("beside").write_text(f"{os.getpid()} {job.pid}")
os.rename("beside", "pids")
job.wait()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_nothing_runs_on_when_an_audit_is_stopped(tmp_path, number):
    """`hedgerow verify --rerun` ended on SIGTERM, and its Snakemake made the jobs to the end."""
    script = ASKS.replace("RUNS", repr(RUNS))
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path) as audit:
        while not (tmp_path / "pids").is_file():
            assert audit.poll() is None
            time.sleep(0.05)
        started = [psutil.Process(int(pid)) for pid in (tmp_path / "pids").read_text().split()]
        audit.send_signal(number)
        assert audit.wait(20) != 0
    _, alive = psutil.wait_procs(started, timeout=2)
    for process in alive:
        process.kill()
    assert not alive
