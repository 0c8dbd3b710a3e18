"""How tests are divided among processes (`make test`)."""

from __future__ import annotations

from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parent / "workflow"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items):
    """Tests of one file share its fixtures, those of the workflow one run of it.

    The workflow takes longest and comes first, so that no process waits for it in the end.
    """
    items.sort(key=lambda item: WORKFLOW not in item.path.parents)  # else as collected
    for item in items:
        shared = "workflow" if WORKFLOW in item.path.parents else item.path.stem
        item.add_marker(pytest.mark.xdist_group(shared))
