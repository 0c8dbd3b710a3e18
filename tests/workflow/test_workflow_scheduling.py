"""A run on one machine has no limit of jobs per second, and one on a cluster keeps it."""

from __future__ import annotations

import importlib
import inspect
from types import SimpleNamespace

import pytest

from hedgerow.workflow.scheduling import without_rate_limit


def workflow(**changes):
    scheduler = SimpleNamespace(job_rate_limiter=object())
    return SimpleNamespace(**{"scheduler": scheduler, "local_exec": True, **changes})


def test_the_limit_is_taken_where_jobs_run_here():
    own = workflow()
    assert without_rate_limit(own) and own.scheduler.job_rate_limiter is None
    assert not without_rate_limit(own)


@pytest.mark.parametrize(
    "changes", [{"local_exec": False}, {"scheduler": None}, {"scheduler": SimpleNamespace()}]
)
def test_a_cluster_and_another_snakemake_are_left_as_they_are(changes):
    other = workflow(**changes)
    assert not without_rate_limit(other)
    assert getattr(other.scheduler, "job_rate_limiter", 1) is not None


def test_the_installed_snakemake_is_built_so():
    """Names that `without_rate_limit` reads; a version without them only loses its speed."""
    importlib.import_module("snakemake.api")  # which imports the others in an order that they bear
    module = importlib.import_module("snakemake.workflow")
    assert isinstance(inspect.getattr_static(module.Workflow, "local_exec"), property)
    scheduler = module.JobScheduler
    assert "self.job_rate_limiter is None" in inspect.getsource(scheduler)
