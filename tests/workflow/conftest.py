"""Fixtures: a new project, and one in which the smoke configuration has run."""

from __future__ import annotations

import os

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
    from hedgerow.workflow.config import load_yaml

    registry = load_registry(ROOT / "config/datasets.yaml")
    for dataset in load_yaml(ROOT / "config/smoke.yaml")["soft"]["datasets"]:
        try:
            fetch(registry[dataset], tmp_path_factory.mktemp(dataset))
        except DownloadError as error:
            if os.environ.get("HEDGEROW_MIRROR"):
                raise  # a mirror is here: that the set is not found in it is a failure
            pytest.skip(f"no source of {dataset}: {error}")


@pytest.fixture(scope="session")
def smoke(tmp_path_factory, smoke_data) -> Project:
    """The smoke configuration, run with two cores; project and Python lie in a path with spaces."""
    folder = tmp_path_factory.mktemp("runs") / "a path with spaces"
    project = new_project(folder, interpreter_in(folder / ".venv"))
    done = project.snakemake("--cores", "2", *SMOKE)
    assert done.returncode == 0, done.stderr
    return project
