"""The warm process runs a script as an interpreter of its own would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from throwaway import clean_environment, until

from hedgerow_study.workflow.running import warm

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


@pytest.fixture(scope="module")
def process():
    started = warm.WarmProcess(sys.executable, ["json", "no_such_module"])
    yield started
    started.stop()


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "a script.py"

    def write(text: str):
        path.write_text(text, encoding="utf-8")
        return path

    return write


def command_of(process, path):
    return [*process.command, str(path)]


def called(process, path, **settings):
    environment = clean_environment(**{"OMP_NUM_THREADS": "1", **settings.pop("variables", {})})
    return subprocess.run(
        command_of(process, path),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        **settings,
    )


SEEN = """
import json, os, sys
print(json.dumps([os.getcwd(), os.environ.get("GIVEN"), "PYTEST_VERSION" in os.environ,
                  sys.argv, sys.path[0], __name__, sys.stdin.read()]))
print("said beside", file=sys.stderr)
"""


def test_streams_folder_and_environment_are_the_callers(process, script, tmp_path):
    path = script(SEEN)
    here = tmp_path / "elsewhere"
    here.mkdir()
    warmly = called(process, path, cwd=here, input="words", variables={"GIVEN": "a=b"})
    plainly = subprocess.run(
        [sys.executable, str(path)],
        cwd=here,
        env=clean_environment(GIVEN="a=b"),
        input="words",
        capture_output=True,
        text=True,
    )
    assert (warmly.stdout, warmly.stderr) == (plainly.stdout, plainly.stderr)
    assert warmly.returncode == plainly.returncode == 0


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('too few rows')", 1, "too few rows"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import os; os._exit(7)", 7, ""),
        ("import os; os.kill(os.getpid(), 9)", 128 + 9, ""),
        ("one = (", 1, "SyntaxError"),
    ],
)
def test_exit_codes_are_those_of_a_shell(process, script, text, code, said):
    done = called(process, script(text))
    assert done.returncode == code
    assert said in done.stderr and bool(said) == bool(done.stderr)


def test_one_job_leaves_nothing_to_the_next(process, script):
    text = "import json, os\nprint(hasattr(json, 'mark'), os.environ.pop('MARK', None))\n"
    change = "json.mark = 1\nos.environ['MARK'] = '1'\nos.chdir('/')\n"
    for _ in range(2):
        assert called(process, script(text + change)).stdout == "False None\n"


def test_modules_are_there_before_the_job_asks(process, script):
    text = "import sys\nprint('json' in sys.modules)"
    assert called(process, script(text)).stdout == "True\n"
    assert called(process, script(text.replace("json", "wave"))).stdout == "False\n"


def test_jobs_run_beside_each_other(process, script, tmp_path):
    """The first waits for a file that the second writes."""
    mark = tmp_path / "mark"
    waiting = script(f"import os, time\nwhile not os.path.exists({str(mark)!r}): time.sleep(.01)")
    first = subprocess.Popen(command_of(process, waiting))
    other = tmp_path / "other.py"
    other.write_text(f"open({str(mark)!r}, 'w').close()")
    assert called(process, other).returncode == 0
    assert first.wait(60) == 0


LONG = """
import pathlib, time
here = pathlib.Path({folder!r})
try:
    (here / "begun").touch()
    time.sleep(60)
finally:
    (here / "cleaned").touch()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_job_ends_with_its_caller_and_cleans_up(process, script, tmp_path, number):
    path = script(LONG.format(folder=str(tmp_path)))
    caller = subprocess.Popen(command_of(process, path), stderr=subprocess.PIPE, text=True)
    assert until((tmp_path / "begun").exists)
    caller.send_signal(number)
    assert caller.wait(30) == -number and caller.stderr.read() == ""
    assert until((tmp_path / "cleaned").exists)
    assert called(process, script("print('next')")).stdout == "next\n"


@pytest.mark.parametrize("said", [b"", (100).to_bytes(8, "big") + b"half"])
def test_a_caller_that_goes_away_while_it_asks_harms_nobody(process, script, said):
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(process.command[4])
        caller.sendall(said)
    assert called(process, script("print('next')")).stdout == "next\n"


def test_the_end_of_the_run_ends_its_jobs(script, tmp_path):
    own = warm.WarmProcess(sys.executable)
    path = script(LONG.format(folder=str(tmp_path)))
    caller = subprocess.Popen(command_of(own, path))
    assert until((tmp_path / "begun").exists)
    own.stop()
    assert (tmp_path / "cleaned").exists() and caller.wait(30) == 128 + signal.SIGINT


def test_where_it_is_killed_its_jobs_end_and_callers_say_one_line(script, tmp_path):
    """A job went on, and wrote what Snakemake had counted as failed; a waiting caller traced back.

    The second caller is one whom the process has not taken yet: it is stopped.
    """
    own = warm.WarmProcess(sys.executable)
    path = script(LONG.format(folder=str(tmp_path)))
    settings = {"stderr": subprocess.PIPE, "text": True}
    callers = [subprocess.Popen(command_of(own, path), **settings)]
    assert until((tmp_path / "begun").exists)
    own._process.send_signal(signal.SIGSTOP)
    callers.append(subprocess.Popen(command_of(own, path), **settings))
    # Where the machine is busy, it takes its time to call.
    assert until(lambda: psutil.Process(callers[1].pid).net_connections(kind="unix"))
    time.sleep(0.2)
    own._process.kill()
    for caller in callers:
        assert caller.wait(30) == 1
        line = "the process that ran the job is gone; the same command goes on from here\n"
        assert caller.stderr.read() == line
    assert until((tmp_path / "cleaned").exists)
    own.stop()


def test_it_ends_where_the_run_is_killed():
    command = (
        "import sys, time; from hedgerow_study.workflow.running.warm import WarmProcess; "
        "print(WarmProcess(sys.executable).command[4], flush=True); time.sleep(60)"
    )
    run = subprocess.Popen([sys.executable, "-c", command], stdout=subprocess.PIPE, text=True)
    folder = Path(run.stdout.readline().strip()).parent
    assert folder.is_dir()
    run.kill()
    run.wait()
    assert until(lambda: not folder.exists())


def test_without_the_process_a_job_has_its_own_interpreter(script, tmp_path):
    own = warm.WarmProcess(sys.executable)
    own.stop()
    path = script("import os, sys\nprint(sys.argv)\nraise SystemExit(4)")
    done = called(own, path)
    assert (done.returncode, done.stdout) == (4, f"{[str(path)]}\n")


def test_a_job_with_more_threads_has_its_own_interpreter(process, script):
    path = script("import os\nprint(os.getppid())")
    parents = {
        threads: int(called(process, path, variables={"OMP_NUM_THREADS": threads}).stdout)
        for threads in ("1", "2")
    }
    assert parents["1"] != os.getpid() and parents["2"] == os.getpid()


def test_on_a_cluster_there_is_none():
    before = sys.executable
    assert not warm.start(SimpleNamespace(local_exec=False))
    assert not warm.start(SimpleNamespace())
    assert sys.executable == before


def test_every_module_that_it_imports_is_there():
    """A module that was renamed would only cost time, and nobody would see it."""
    import importlib.util

    missing = [name for name in warm.MODULES if importlib.util.find_spec(name) is None]
    assert not missing
