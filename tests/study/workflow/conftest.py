"""Fixtures: a new project, and one in which the smoke configuration has run."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from throwaway import ROOT, SMOKE, Project, interpreter_in, new_project


@pytest.fixture
def project(tmp_path) -> Project:
    """A new project in which nothing has run."""
    return new_project(tmp_path / "project")


@pytest.fixture(scope="session")
def smoke_data(tmp_path_factory) -> None:
    """Skip where no source on this machine serves the data sets of the smoke configuration."""
    from hedgerow.data import fetch, load_registry
    from hedgerow.errors import DownloadError
    from hedgerow.files import read_yaml

    registry = load_registry(ROOT / "config/datasets.yaml")
    for dataset in read_yaml(ROOT / "config/smoke.yaml")["soft"]["datasets"]:
        try:
            fetch(registry[dataset], tmp_path_factory.mktemp(dataset))
        except DownloadError as error:
            if os.environ.get("HEDGEROW_MIRROR"):
                raise  # a mirror is here: that the set is not found in it is a failure
            pytest.skip(f"no source of {dataset}: {error}")


#: Nothing in a result depends on it: runs of other tests compare with this one under their own.
ELSEWHERE = {"LANG": "C", "LC_ALL": "C", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "random"}


def run_smoke(folder: Path) -> Project:
    """The smoke configuration, run with two cores; project and Python lie in a strange path."""
    python = folder / ".venv/bin/python"
    if (folder / "complete").exists():
        return Project(folder, str(python))
    if folder.exists():
        pytest.fail("another process has started the run of the smoke configuration and failed")
    project = new_project(folder, interpreter_in(folder / ".venv"))
    done = project.snakemake("--cores", "2", *SMOKE, **ELSEWHERE)
    assert done.returncode == 0, done.stderr
    (folder / "complete").touch()
    return project


@pytest.fixture(scope="session")
def smoke(tmp_path_factory, smoke_data) -> Project:
    """A copy of the project in which the smoke configuration has run; all processes share the run.

    No other test is in this copy at the same time, but one may have left settings files there.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with open(shared / "smoke.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = run_smoke(shared / "ein Pfad mit Blänks & Ümläuten")
    folder = own / "a copy of the run"
    shutil.copytree(made.path, folder, symlinks=True, ignore=shutil.ignore_patterns(".venv"))
    return Project(folder, made.interpreter)
