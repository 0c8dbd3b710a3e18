"""A warm process that forks for each job, so that 200 jobs do not import the same modules.

An interpreter with pandas and scipy.stats takes one to three seconds to start, and many jobs do
less than that. At the start of a run (`start`, in the Snakefile's handler `onstart`), and of a
group of jobs on a node of a cluster, one process imports what jobs import, and Snakemake is set to
call scripts with a small client (`hedgerow_study.workflow.running.client`) that passes the script
on: the warm process forks, and the child runs the script with the streams, folder and environment
of the client.

It is a convenience and nothing more. Jobs run in interpreters of their own in conda's environments,
outside Linux, with more than one thread, and where the process is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hedgerow_study import experiments, extensions
from hedgerow_study.workflow.running.snakemake_patches import (
    call_scripts_by,
    interpreter,
    runs_here,
)

CLIENT = Path(__file__).with_name("client.py")
#: What jobs import late. The modules of the experiments come after them.
MODULES = (
    "snakemake.io",
    "snakemake.iocontainers",
    "hedgerow_study.workflow.jobs.steps",
    "hedgerow.data",
    "hedgerow.evaluation",
    "hedgerow_study.reporting.html",
    "hedgerow.search",
    "hedgerow.structure",
    "hedgerow.tree",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "matplotlib.pyplot",
    "pandas",
    "pyarrow.dataset",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "scipy.stats",
    "sklearn.calibration",
    "sklearn.cluster",
    "sklearn.ensemble",
    "sklearn.manifold",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.tree",
    "statsmodels.stats.multitest",
    "yaml",
)
#: As Snakemake gives them to a job of one thread: libraries read them when they are imported.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
#: Seconds that a job has to clean up after an interrupt.
GRACE = 5.0
#: prctl(2): the signal that a process gets when its parent has ended.
PR_SET_PDEATHSIG = 1


def start(workflow: Any) -> bool:
    """Start the warm process of a run, and have Snakemake call scripts through it."""
    if not runs_here(workflow) or not sys.platform.startswith("linux"):
        return False
    python = interpreter()
    modules = [
        module
        for room in (experiments, extensions)
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
    ]
    try:
        warm = WarmProcess(python, [*MODULES, *(module.name for module in modules)])
    except OSError:  # a temporary folder of so long a name that no socket has room in it
        return False
    atexit.register(warm.stop)
    call_scripts_by(*warm.command)
    return True


class WarmProcess:
    """The process from outside: `command` is called in the place of `python`, with a script.

    modules: what it imports; those that are not installed are left out.
    """

    def __init__(self, python: str, modules: Iterable[str] = ()):
        self._folder = tempfile.mkdtemp(prefix="hedgerow-")  # for this user only
        path = os.path.join(self._folder, "jobs")
        self.command = [python, "-I", "-S", str(CLIENT), path, python]
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            try:
                listener.bind(path)
                listener.listen(128)  # clients may call from now on, and wait for the imports
            except OSError:
                shutil.rmtree(self._folder)
                raise
            self._process = subprocess.Popen(
                [python, "-m", __name__, str(listener.fileno()), *modules],
                stdin=subprocess.PIPE,  # which ends with this process, however it ends
                stdout=subprocess.DEVNULL,
                env={**os.environ, **dict.fromkeys(THREADS, "1")},
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C goes to the clients, and they tell
            )

    def stop(self) -> None:
        """End it and the jobs that it runs."""
        self._process.stdin.close()
        try:
            self._process.wait(2 * GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)


class _Warm:
    """The loop of the process: new clients, clients that went away, jobs that ended."""

    def __init__(self, listener: socket.socket):
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._clients: dict[int, socket.socket] = {}  # by process

    def run(self) -> None:
        awake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        for file, answer in (
            (sys.stdin.fileno(), None),
            (awake, self._ended),
            (self._listener, self._called),
        ):
            self._selector.register(file, selectors.EVENT_READ, answer)
        while True:
            for key, _ in self._selector.select():
                if key.data is None:  # the run is over
                    self._stop(list(self._clients))
                    return
                if key.fd == awake:
                    os.read(awake, 4096)
                key.data(key.fileobj)

    def _called(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        try:
            script, folder, streams, environment = _asked(client)
        except ConnectionError:  # stopped while it asked
            client.close()
            return
        process = os.fork()
        if process == 0:
            try:
                self._selector.close()
                for other in (listener, client, *self._clients.values()):
                    other.close()
                _become(streams, folder, environment)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            _run_and_exit(script)
        for stream in streams:
            os.close(stream)
        self._clients[process] = client
        self._selector.register(client, selectors.EVENT_READ, self._left)

    def _left(self, client: socket.socket) -> None:
        """A client has been stopped, and its job is as well, if it has not just ended."""
        left = [process for process, other in self._clients.items() if other is client]
        if left:
            self._selector.unregister(client)
            self._stop(left)

    def _ended(self, _file: int) -> None:
        while self._clients:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            self._report_end(process, status)

    def _report_end(self, process: int, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        client = self._clients.pop(process)
        with contextlib.suppress(KeyError):
            self._selector.unregister(client)
        with contextlib.suppress(OSError), client:
            # As a shell says it of a command that a signal has ended.
            client.sendall(bytes([code if code >= 0 else 128 - code]))

    def _stop(self, processes: list[int]) -> None:
        for process in processes:
            os.kill(process, signal.SIGINT)
        end = time.monotonic() + GRACE
        for process in processes:
            while (ended := os.waitpid(process, os.WNOHANG))[0] == 0:
                if time.monotonic() > end:
                    os.kill(process, signal.SIGKILL)
                time.sleep(0.01)
            self._report_end(*ended)


def _asked(client: socket.socket) -> tuple[str, str, list[int], dict[bytes, bytes]]:
    header, streams, _, _ = socket.recv_fds(client, 8, 3)
    rest = int.from_bytes(header, "big")
    parts = []
    while rest or not header:
        parts.append(client.recv(rest))
        rest -= len(parts[-1])
        if not parts[-1]:
            for stream in streams:
                os.close(stream)
            raise ConnectionError
    script, folder, *environment = b"".join(parts).split(b"\0")
    pairs = (pair.partition(b"=") for pair in environment)
    return (
        os.fsdecode(script),
        os.fsdecode(folder),
        streams,
        {name: value for name, _, value in pairs},
    )


def _become(streams: list[int], folder: str, environment: dict[bytes, bytes]) -> None:
    """Make of a copy of the warm process what the client would have been."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Also where the run was started with the interrupt ignored, as by `&` in a script: it is how
    # the warm process stops a job.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A job that outlived the warm process would write what Snakemake counts as failed.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    for name in set(os.environb) - set(environment):
        del os.environb[name]
    os.environb.update(environment)


def _run_and_exit(script: str) -> None:
    code = 1
    try:
        sys.argv = [script]
        sys.path[0] = os.path.dirname(os.path.abspath(script))
        runpy.run_path(script, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if not isinstance(end.code, int | None):
            print(end.code, file=sys.stderr)
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 0xFF)


def main(number: str, *modules: str) -> None:
    """Import, then fork for each caller, until the standard input ends."""
    listener = socket.socket(fileno=int(number))
    folder = os.path.dirname(listener.getsockname())
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        for module in modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)
        gc.collect()
        gc.freeze()
        _Warm(listener).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # also where Snakemake was killed


if __name__ == "__main__":
    main(*sys.argv[1:])
