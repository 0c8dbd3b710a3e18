"""The order of files in `make test`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import durations
import pytest


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A file of durations of its own."""
    monkeypatch.setattr(durations, "FILE", tmp_path / ".durations.json")
    return durations.FILE


def test_what_takes_longest_comes_first():
    """A new file before all: it may take long."""
    seconds = {"tests/a.py": 1.0, "tests/b.py": 30.0, "tests/c.py": 2.0}
    files = ["tests/a.py", "tests/b.py", "tests/c.py", "tests/new.py"]
    names = [file[6:-3] for file in durations.in_order(files, seconds)]
    assert names == ["new", "b", "c", "a"]


def test_files_that_share_a_run_stand_apart():
    """The process that came second waited for the run of the first."""
    seconds = {name: float(10 - n) for n, name in enumerate("abcdefgh")}
    order = durations.in_order(list("abcdefgh"), seconds, sharing={"b", "c", "h"})
    assert order == ["b", "a", "d", "e", "f", "c", "g", "h"]
    assert order.index("c") - order.index("b") - 1 == durations.BETWEEN


def test_where_nothing_was_measured_a_list_says_the_order():
    files = ["tests/a.py", "tests/workflow/test_workflow_absent.py", "tests/b.py"]
    assert durations.in_order(files, {}) == [files[1], files[0], files[2]]
    names = {path.stem for path in durations.FILE.parent.rglob("test_*.py")}
    assert names.issuperset(durations.FIRST)


@pytest.mark.parametrize("text", ["", "[]", "null", '{"a": "b"}', "{"])
def test_a_file_of_durations_that_is_spoilt_is_as_none(kept, text):
    kept.write_text(text, encoding="utf-8")
    assert durations.read() == {}


def report(nodeid, when, duration, shares=False):
    return SimpleNamespace(nodeid=nodeid, when=when, duration=duration, shares_run=shares)


def test_durations_are_added_up_by_file_and_kept(kept, tmp_path):
    """What is gone is dropped, what was not tested stays, and waiting for a run does not count."""
    for name in ("old.py", "a.py"):
        (tmp_path / name).touch()
    kept.write_text(json.dumps({"old.py": 3, "gone.py": 4}), encoding="utf-8")
    plugin = durations.Durations()
    plugin.pytest_runtest_logreport(report("a.py::one[x::y]", "setup", 1.0))
    plugin.pytest_runtest_logreport(report("a.py::one[x::y]", "call", 0.5))
    plugin.pytest_runtest_logreport(report("a.py::two", "setup", 60.0, shares=True))
    plugin.pytest_runtest_logreport(report("a.py::two", "call", 0.25, shares=True))
    session = SimpleNamespace(config=SimpleNamespace(rootpath=tmp_path))
    plugin.pytest_sessionfinish(session, 2)  # broken off
    assert durations.read() == {"old.py": 3.0, "gone.py": 4.0}
    plugin.pytest_sessionfinish(session, 1)
    assert durations.read() == {"old.py": 3.0, "a.py": 1.75}


FILES = {
    "test_a.py": "def test_one(): pass\n",
    "test_b.py": "import time\ndef test_one(): time.sleep(0.3)\n",
    "test_c.py": (
        "import pytest, time\n"
        "@pytest.fixture\ndef smoke(): time.sleep(2)\n"
        "def test_one(smoke): pass\n"
    ),
}


@pytest.mark.slow
def test_two_processes_keep_durations_and_the_next_run_follows_them(tmp_path):
    """That a run is shared reaches the process that adds up; single tests keep nothing."""
    tests = Path(durations.__file__).parent
    for name in ("conftest.py", "durations.py", "effort.py"):
        shutil.copy2(tests / name, tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-q", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return re.findall(r"^test_\w\.py", done.stdout, re.MULTILINE)

    file = tmp_path / ".durations.json"
    run("test_a.py")
    assert not file.exists()
    workers = ("--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    run(*workers, "--keep-durations")
    seconds = json.loads(file.read_text(encoding="utf-8"))
    assert list(seconds) == sorted(FILES) and seconds["test_b.py"] >= 0.3 > seconds["test_c.py"]
    assert run("--collect-only") == ["test_c.py", "test_b.py", "test_a.py"]
