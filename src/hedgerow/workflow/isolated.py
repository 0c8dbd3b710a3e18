"""Interpreters for an audit, in the folder of somebody else or in a copy of the project.

Python puts the current folder before all others where it runs a module (`-m`): a file
`snakemake.py` in the folder of a run was imported in the place of Snakemake. Here it never is
(`-P`, and its variable for interpreters that these start), and no entry of PYTHONPATH follows the
current folder.

In a sandbox (bubblewrap) there is no network, no folder of the user's, and nothing to write to but
what is made for the purpose.

They end with this process, where a signal asks it to end, and so do the jobs that they run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hedgerow.errors import InputError
from hedgerow.files import write_json
from hedgerow.reporting.checkout import VARIABLE
from hedgerow.workflow.digest import PACKAGE

PROGRAM = "bwrap"
#: What programs need of the system: themselves, libraries, and how these are found.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *("/etc/alternatives", "/etc/fonts", "/etc/group", "/etc/ld.so.cache", "/etc/ld.so.conf"),
    *("/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd"),
)
#: Variables that a sandbox sees; others may hold what is nobody's business.
SEEN = (VARIABLE, "LANG", "LC_", "MKL_", "OMP_", "OPENBLAS_", "PATH", "PYTHON", "TZ")
#: Home and temporary folder in a sandbox: empty, and in memory.
EMPTY = "/tmp"
#: What the finder of an editable installation (meson-python) looks at, to see that nothing is to
#: be built; told to be verbose it asks that first, and else writes into the build.
BUILT_FROM = ("meson.build", "meson.options", "pyproject.toml", "src")
ASK_FIRST = {"MESONPY_EDITABLE_VERBOSE": "1"}
#: Signals that ask a process to end and that Python does not make an exception of.
ASK_TO_END = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
#: Seconds that an interpreter and its jobs have to end when they are asked to.
GRACE = 5.0
#: What the workflow is made of, beside the package.
WORKFLOW = (
    "CITATION.cff",
    "Snakefile",
    "profiles",
    "workflow",
    "config",
    "environment.yml",
    "data/published",
)
#: Tells a copy which checkout it stands for; pages and crate of a run say so.
CHECKOUT = "checkout.json"
#: Variables of another run of Snakemake, which this one is not part of.
APART = ("SNAKEMAKE_", "HEDGEROW_RUN", VARIABLE)


def run_python(
    arguments: Sequence[str],
    folder: Path | str,
    environment: Mapping[str, str] | None = None,
    boxed: Mapping[Path, Path] | None = None,
    writable: Sequence[Path] = (),
) -> subprocess.CompletedProcess:
    """Run this interpreter so that it imports nothing from where it runs.

    boxed: Without it there is no sandbox.
    """
    command = [sys.executable, "-P", *arguments]
    variables = _safe(os.environ if environment is None else environment)
    if boxed is not None:
        check_sandbox()
        command = [*_box(boxed, writable, folder), *command]
        variables = _few(variables)
    # The program of the sandbox itself is looked for with this process' own PATH.
    with _exit_where_asked():
        return _captured(command, folder, variables)


def _captured(
    command: Sequence[str], folder: Path | str, variables: Mapping[str, str]
) -> subprocess.CompletedProcess:
    """As `subprocess.run` with what is printed; nothing of it is left where this one has to end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=variables, **pipes) as child:
        try:
            out, err = child.communicate()
        except BaseException:
            _end(child.pid)
            raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def _end(pid: int) -> None:
    """End a process and all below it: Snakemake, asked to end, waits for the jobs that run."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        left = [*first.children(recursive=True), first]
        for end in (psutil.Process.terminate, psutil.Process.kill):
            for process in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    end(process)
            _, left = psutil.wait_procs(left, timeout=GRACE)


@contextlib.contextmanager
def _exit_where_asked() -> Iterator[None]:
    """Make an exit of signals that would end this process where it stands, without a clean-up."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in ASK_TO_END}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _safe(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables without places that follow the current folder."""
    places = environment.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(place for place in places if os.path.isabs(place))
    found = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
    return {**found, **({"PYTHONPATH": kept} if kept else {}), "PYTHONSAFEPATH": "1"}


# ------------------------------------------------------------------------------------ sandbox


def check_sandbox() -> None:
    """See that there can be one."""
    if shutil.which(PROGRAM) is None:
        raise InputError(
            f"there is no sandbox: bubblewrap (`{PROGRAM}`) is not installed",
            remedy="install it (`apt-get install bubblewrap`), or read the code and give --trust",
        )
    command = [*_box({}, (), "/"), sys.executable, "-I", "-c", "import hashlib"]
    done = subprocess.run(command, env=_few(os.environ), capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it says nothing"]
        raise InputError(
            f"there is no sandbox: bubblewrap cannot make one here ({lines[-1]})",
            remedy="allow user namespaces to programs of users, or read the code and give --trust",
        )


def _box(seen: Mapping[Path, Path], writable: Iterable[Path], folder: Path | str) -> list[str]:
    """What stands before a command that runs in a sandbox; later places lie over earlier ones."""
    found = [shutil.which(PROGRAM) or PROGRAM, "--unshare-all", "--die-with-parent"]
    found += ["--new-session", "--proc", "/proc", "--dev", "/dev", "--tmpfs", EMPTY]
    for place in (*SYSTEM, *_own_places()):
        found += ["--ro-bind-try", place, place]
    for place in writable:
        found += ["--bind", str(place), str(place)]
    for place, source in seen.items():
        found += ["--ro-bind", str(source), str(place)]
    return [*found, "--chdir", str(folder), "--"]


def _own_places() -> list[str]:
    """Where this interpreter, its packages and this one lie."""
    program = Path(sys.executable)
    found = [sys.base_prefix, sys.prefix, sys.exec_prefix]
    found += [str(program.parent), str(program.resolve().parent)]
    # The first one is the folder of a script, or the current one, unless Python was told so.
    found += [place for place in sys.path[not sys.flags.safe_path :] if os.path.isabs(place)]
    return sorted({*found, str(PACKAGE), *_builds()} - {"/"})


def _builds() -> list[str]:
    """Where an editable installation of this package has its compiled modules and sources."""
    finders = (f for f in sys.meta_path if type(f).__name__ == "MesonpyMetaFinder")
    found = [finder._build_path for finder in finders]
    return found + [str(PACKAGE.parents[1] / name) for name in BUILT_FROM if found]


def _few(environment: Mapping[str, str]) -> dict[str, str]:
    found = {name: value for name, value in environment.items() if name.startswith(SEEN)}
    return {**found, **ASK_FIRST, "HOME": EMPTY, "TMPDIR": EMPTY}


# ------------------------------------------------------------------------------------- copies


def copy_workflow(root: Path, folder: Path) -> None:
    """Copy what the workflow is made of, and the notes that its pages show."""
    from hedgerow.workflow.site import note_files  # which asks for libraries of pages

    for part in (*WORKFLOW, *note_files(root)):
        copy(root / part, folder / part)


def copy(source: Path, target: Path) -> None:
    """Copy a file or folder, if it is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.is_file():
        shutil.copy2(source, target)


def run_copy(
    folder: Path,
    checkout: dict,
    arguments: Sequence[str],
    targets: Sequence[str],
    sandbox: bool = False,
) -> subprocess.CompletedProcess:
    """Run Snakemake in a copy.

    folder: Beside it a file is written that tells which checkout it stands for.
    """
    write_json(folder.parent / CHECKOUT, checkout)
    own = {k: v for k, v in os.environ.items() if not k.startswith(APART)}
    return run_python(
        ["-m", "snakemake", *arguments, "--", *targets],
        folder,
        {**own, VARIABLE: str(folder.parent / CHECKOUT)},
        boxed={} if sandbox else None,
        writable=[folder.parent],
    )


def asking(configuration: str, experiments: Iterable[str]) -> list[str]:
    """Arguments to Snakemake for some experiments of a configuration, by its name in config/."""
    words = ",".join(experiments)
    return ["--configfile", f"config/{configuration}.yaml", "--config", f"experiments=[{words}]"]


def last_said(done: subprocess.CompletedProcess) -> str:
    """The last that a process said of its failure."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
