"""How much is tested (`--effort`), and in which order for several processes (`make test`)."""

from __future__ import annotations

import os

import effort
import processor_times
import pytest

#: The fixture whose run is shared by all processes.
SHARED = "smoke"

#: Marks of tests that are left out.
LEFT_OUT = {"quick": {"runs", "slow", "long"}, "usual": {"long"}}


@pytest.fixture
def packages_unread(monkeypatch):
    """An audit neither hashes the 15,000 files of installed packages nor builds the cores: once is
    enough."""
    from hedgerow_study.audit.findings import Check

    fine = Check("installed packages", True, ["Not looked at."])
    monkeypatch.setattr("hedgerow_study.audit.verify.check_packages", lambda manifest: fine)
    cores = Check("compiled cores", True, ["Not looked at."])
    monkeypatch.setattr("hedgerow_study.audit.verify.check_cores", lambda *_: cores)


def pytest_addoption(parser):
    parser.addoption(
        "--effort",
        choices=list(effort.SHARES),
        default=effort.chosen,
        help="quick: no workflow runs, nothing slow, few random tables; long: everything; longer: "
        "more random tables",
    )
    parser.addoption(
        "--write-times",
        action="store_true",
        help="write what the tests of each file cost to tests/processor_time.csv",
    )


def pytest_configure(config):
    effort.chosen = config.getoption("effort")
    if config.getoption("write_times") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(processor_times.Times())


#: Processor time when the last report was made.
before = processor_times.used()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    global before
    report = yield
    report.processor_time, before = processor_times.used() - before, processor_times.used()
    return report


def shares_run(item) -> bool:
    return SHARED in getattr(item, "fixturenames", ())


def file_of(item) -> str:
    return item.nodeid.partition("::")[0]


def pytest_collection_modifyitems(config, items):
    files = list(dict.fromkeys(map(file_of, items)))
    sharing = {file_of(item) for item in items if shares_run(item)}
    order = processor_times.in_order(files, processor_times.read(), sharing)
    places = {file: place for place, file in enumerate(order)}
    items.sort(key=lambda item: places[file_of(item)])  # within a file as collected
    marked = LEFT_OUT.get(effort.chosen)
    if marked:
        left_out = {item for item in items if marked & {m.name for m in item.iter_markers()}}
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    if not os.environ.get("HEDGEROW_MIRROR"):
        reason = "needs the data sets of a local mirror: HEDGEROW_MIRROR is not set"
        for item in items:
            if item.get_closest_marker("mirror"):
                item.add_marker(pytest.mark.skip(reason=reason))
