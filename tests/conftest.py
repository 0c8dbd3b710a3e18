"""How much is tested (`--effort`), and in which order for several processes (`make test`)."""

from __future__ import annotations

import effort
import pytest

#: What takes longest comes first, so that no process waits for another one in the end. Files that
#: share the run of the smoke configuration stand apart: one process makes it, the others wait.
FIRST = (
    "test_workflow_runs",
    "test_workflow_reference",
    "test_workflow_absent",
    "test_workflow_example",
    "test_workflow_plan",
    "test_workflow_reruns",
    "test_workflow_edits",
    "test_structure_beyond",
    "test_structure",
)

#: Marks of tests that are left out.
LEFT_OUT = {"quick": {"runs", "slow", "long"}, "usual": {"long"}}


@pytest.fixture
def packages_unread(monkeypatch):
    """An audit does not hash the 15,000 files of installed packages: once is enough."""
    from hedgerow.audit.findings import Check

    fine = Check("installed packages", True, ["Not looked at."])
    monkeypatch.setattr("hedgerow.audit.verify.check_packages", lambda manifest: fine)


def pytest_addoption(parser):
    parser.addoption(
        "--effort",
        choices=list(effort.SHARES),
        default=effort.chosen,
        help="quick: no workflow runs, nothing slow, few random tables; long: everything; longer: "
        "more random tables",
    )


def pytest_configure(config):
    effort.chosen = config.getoption("effort")


def pytest_collection_modifyitems(config, items):
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(FIRST)))  # else as collected
    marked = LEFT_OUT.get(effort.chosen)
    if marked:
        left_out = {item for item in items if marked & {m.name for m in item.iter_markers()}}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
