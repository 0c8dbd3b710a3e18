"""How tests are divided among processes (`make test`)."""

from __future__ import annotations

import pytest

WORKFLOW = "tests/workflow/"


def pytest_collection_modifyitems(items):
    """The workflow takes longest and comes first, so that no process waits for it in the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(WORKFLOW))  # else as collected


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of one file share their fixtures, and those of the workflow share a run."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return WORKFLOW if nodeid.startswith(WORKFLOW) else nodeid.partition("::")[0]

    return Scheduling(config, log)
