"""What tests cost, and the order of files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import processor_times
import pytest


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A table of its own."""
    monkeypatch.setattr(processor_times, "FILE", tmp_path / "processor_time.csv")
    return processor_times.FILE


def test_what_takes_longest_comes_first():
    """A new file before all: it may take long."""
    seconds = {"tests/a.py": 1.0, "tests/b.py": 30.0, "tests/c.py": 2.0}
    files = ["tests/a.py", "tests/b.py", "tests/c.py", "tests/new.py"]
    names = [file[6:-3] for file in processor_times.in_order(files, seconds)]
    assert names == ["new", "b", "c", "a"]


def test_files_that_share_a_run_stand_apart():
    """The process that came second waited for the run of the first."""
    seconds = {name: float(10 - n) for n, name in enumerate("abcdefgh")}
    order = processor_times.in_order(list("abcdefgh"), seconds, sharing={"b", "c", "h"})
    assert order == ["b", "a", "d", "e", "f", "c", "g", "h"]
    assert order.index("c") - order.index("b") - 1 == processor_times.BETWEEN


def test_the_table_is_of_files_that_are_there():
    root = Path(processor_times.__file__).parents[1]
    assert all((root / file).is_file() for file in processor_times.read())


def test_times_are_added_up_by_file(kept, tmp_path):
    """What is gone is dropped, and what was not tested stays."""
    for name in ("old.py", "a.py"):
        (tmp_path / name).touch()
    kept.write_text("file,seconds\nold.py,3\ngone.py,4\n", encoding="utf-8")
    plugin = processor_times.Times()
    for nodeid, seconds in (("a.py::one[x::y]", 1.0), ("a.py::one[x::y]", 0.5), ("a.py::two", 0.3)):
        plugin.pytest_runtest_logreport(SimpleNamespace(nodeid=nodeid, processor_time=seconds))
    session = SimpleNamespace(config=SimpleNamespace(rootpath=tmp_path))
    plugin.pytest_sessionfinish(session, 2)  # broken off
    assert processor_times.read() == {"old.py": 3.0, "gone.py": 4.0}
    plugin.pytest_sessionfinish(session, 1)
    assert processor_times.read() == {"a.py": 1.8, "old.py": 3.0}


FILES = {
    "test_a.py": "def test_one(): pass\n",
    "test_b.py": (
        "import time\n"
        "def test_one():\n"
        "    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end: pass\n"
    ),
    "test_c.py": "import time\ndef test_one(): time.sleep(1)\n",
}


@pytest.mark.slow
def test_processes_count_their_own_time_and_the_next_run_follows_it(tmp_path):
    """Waiting costs nothing; a run without the option writes nothing."""
    tests = Path(processor_times.__file__).parent
    for name in ("conftest.py", "processor_times.py", "effort.py"):
        shutil.copy2(tests / name, tmp_path)
    table = tmp_path / "processor_time.csv"
    table.write_text("file,seconds\n", encoding="utf-8")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-q", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return re.findall(r"^test_\w\.py", done.stdout, re.MULTILINE)

    workers = ("--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    run(*workers)
    assert table.read_text(encoding="utf-8") == "file,seconds\n"
    run(*workers, "--write-times")
    lines = table.read_text(encoding="utf-8").splitlines()[1:]
    seconds = {file: float(took) for file, took in (line.split(",") for line in lines)}
    assert list(seconds) == sorted(FILES) and seconds["test_b.py"] >= 0.3 > seconds["test_c.py"]
    assert run("--collect-only")[0] == "test_b.py"
