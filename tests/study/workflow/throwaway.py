"""Throw-away projects: copies of the workflow that are planned and run for real."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path

from hedgerow_study.experiments import WORDS

ROOT = Path(__file__).resolve().parents[3]
PARTS = (
    "CITATION.cff",
    "Snakefile",
    "profiles",
    "workflow",
    "config",
    "environment.yml",
    "data/published",
    "reports/README.md",
)
SMOKE = ("--configfile", "config/smoke.yaml")
#: Rules that only name what is wanted; they run nothing.
TARGETS = {"default", "all", *WORDS}


@dataclass(frozen=True)
class Project:
    """A project folder, and the interpreter that runs commands there."""

    path: Path
    interpreter: str = sys.executable

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run Python in the folder."""
        return subprocess.run(
            [self.interpreter, *arguments],
            cwd=self.path,
            env=clean_environment(**environment),
            capture_output=True,
            text=True,
            timeout=900,  # a busy machine is no failure
        )

    def snakemake(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run Snakemake in the folder."""
        return self.python("-m", "snakemake", *arguments, **environment)

    def forked(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run Snakemake in the folder, in a fork of one that has started.

        It is the process of the tests' own interpreter, with the variables that it started with.
        """
        with tempfile.TemporaryDirectory() as folder:
            out, err = (Path(folder, name) for name in ("out", "err"))
            request = {"folder": self.path, "arguments": arguments, "out": out, "err": err}
            code = planner(*sorted(environment.items())).answer(request)
            said = [path.read_text() if path.exists() else "" for path in (out, err)]
        return subprocess.CompletedProcess(arguments, code, *said)

    def planned(self, *arguments: str, **environment: str) -> dict[str, int]:
        """Jobs that Snakemake would run, by rule."""
        return self.of_plan(self.forked("--dry-run", *arguments, **environment))

    def of_plan(self, plan: subprocess.CompletedProcess) -> dict[str, int]:
        """Jobs of a dry run, by rule."""
        assert plan.returncode == 0, plan.stderr
        text = plan.stdout + plan.stderr
        if "Nothing to be done" in text:
            return {}
        # The table of jobs: a head, a line under it, one line per rule, and the total.
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", text, re.MULTILINE | re.DOTALL)
        assert table, text
        jobs = {rule: int(n) for rule, n in map(str.split, table.group(1).splitlines())}
        return {rule: n for rule, n in jobs.items() if rule not in TARGETS}

    def settings(self, text: str, name: str = "more") -> tuple[str, ...]:
        """Arguments for the smoke configuration with some settings of a file of its own."""
        (self.path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return (*SMOKE, f"{name}.yaml")

    def made(self) -> dict[str, str]:
        """SHA-256 of every result, by path; logs and job records differ between runs."""
        found = {}
        for top in ("data", "reports"):
            for file in sorted((self.path / top).rglob("*")):
                name = file.relative_to(self.path).as_posix()
                # What a kill left beside a file that was being written is no result, nor is
                # what the site tells of the last run, or what is kept of the one before.
                beside = name.startswith(("data/logs/", "data/jobs/", "data/changes/"))
                beside |= file.name == "run.js"
                if ".part" in file.name or beside:
                    continue
                if file.is_file():
                    found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found


@contextlib.contextmanager
def read_workflow(**settings):
    """The smoke configuration of this checkout with some settings, as Snakemake reads its rules."""
    from snakemake.api import SnakemakeApi
    from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

    files = [ROOT / SMOKE[1]]
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        yield api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=files, config=settings),
            snakefile=ROOT / "workflow/Snakefile",
            workdir=ROOT,
        )._workflow


class Planner:
    """The process of planner.py; it ends when this one does."""

    def __init__(self, environment: dict[str, str]):
        command = [sys.executable, Path(__file__).with_name("planner.py")]
        # What a variable puts first on the path is a package that is edited.
        command += [] if environment else ["unchanging"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(**environment),
        )

    def answer(self, request: dict) -> int:
        """The exit code of a request."""
        self._process.stdin.write(json.dumps(request, default=str) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def end(self) -> None:
        """Let the process end."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@functools.cache
def planner(*environment: tuple[str, str]) -> Planner:
    """One process for all plans with the same variables."""
    found = Planner(dict(environment))
    atexit.register(found.end)
    return found


def clean_environment(**more: str) -> dict[str, str]:
    """The environment of this process with its own interpreter's commands first on PATH."""
    commands = str(Path(sys.executable).parent)
    # Neither Snakemake's jobs nor a `make` of a test may meet the variables of this test run,
    # which is often a child of `make test` itself.
    ours = ("PYTEST_", "SNAKEMAKE_", "MAKE", "MFLAGS")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return {**inherited, "PATH": commands + os.pathsep + inherited.get("PATH", ""), **more}


def until(condition, process: subprocess.Popen | None = None, seconds: float = 60):
    """What a condition gives as soon as it holds, or where its time or a process has ended."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() > end or (process and process.poll() is not None):
            return found
        time.sleep(0.05)


def interpreter_in(folder: Path) -> str:
    """A virtual environment in a folder, which sees the packages of this one."""
    venv.create(folder, with_pip=False)
    python = str(folder / "bin/python")
    here = sysconfig.get_path("purelib")
    question = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    there = subprocess.run(question, capture_output=True, text=True, check=True).stdout.strip()
    # addsitedir reads the .pth files there too, an editable installation's among them.
    Path(there, "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    return python


def new_project(path: Path, interpreter: str = sys.executable) -> Project:
    """Copy what the workflow needs into a new folder."""
    for part in PARTS:
        source, target = ROOT / part, path / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    return Project(path, interpreter)


def copied_package(folder: Path) -> dict[str, str]:
    """Copy the packages with their compiled modules, and give the variables that put it first.

    The finder of an editable installation goes before PYTHONPATH; it is told to stand back.
    """
    from hedgerow_study.workflow.jobs.digest import PACKAGE, STUDY

    target = folder / "hedgerow"
    for package in (PACKAGE, STUDY):
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("*.pyc"))
    # What the build makes lies elsewhere in an editable installation.
    made = [Path("_core_digest"), Path("_cyutility")]
    made += [f.relative_to(PACKAGE) for f in PACKAGE.rglob("*.pyx")]
    for place in made:
        spec = importlib.util.find_spec(".".join(["hedgerow", *place.with_suffix("").parts]))
        if spec is not None and spec.origin:
            shutil.copy2(spec.origin, target / place.parent)
    finders = [f for f in sys.meta_path if type(f).__name__ == "MesonpyMetaFinder"]
    builds = [finder._build_path for finder in finders]
    return {"PYTHONPATH": str(folder), "MESONPY_EDITABLE_SKIP": os.pathsep.join(builds)}
