"""Compiled cores beside their sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hedgerow._stamp import compiled
from hedgerow_study.audit import cores
from hedgerow_study.reporting.manifest import core_checksums, platform_name

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(monkeypatch):
    """What a manifest says of the cores; a build gives those in use."""
    now = core_checksums()
    built = {compiled()[name].name: digest for name, digest in now.items()}
    monkeypatch.setattr(cores, "_build_checksums", lambda checkout: built)
    return {"cores": now, "platform": platform_name()}


def test_a_lying_core_is_found(run, monkeypatch):
    """`_edit.pyx` was edited, built, and put back with its stamp: every check held, reruns too."""
    assert cores.check_cores(ROOT, run, True).holds
    lying = {**run["cores"], "hedgerow.structure._edit": 64 * "0"}
    check = cores.check_cores(ROOT, {**run, "cores": lying}, True)
    assert (
        check.holds is None and "the run had others: hedgerow.structure._edit" in check.messages[0]
    )
    monkeypatch.setattr(cores, "core_checksums", lambda: lying)
    check = cores.check_cores(ROOT, {**run, "cores": lying}, True)
    assert check.holds is False
    assert check.messages == [
        "hedgerow.structure._edit: not what the sources of the commit give here."
    ]


@pytest.mark.slow
def test_a_build_gives_the_same_bytes():
    now = {"cores": core_checksums(), "platform": platform_name()}
    check = cores.check_cores(ROOT, now, True)
    assert check.holds, check.messages


def test_what_cannot_be_compared_is_said(run, monkeypatch):
    assert cores.check_cores(ROOT, run, False).holds is None
    other = {**run, "cores": {}, "platform": "Darwin arm64"}
    check = cores.check_cores(ROOT, other, True)
    assert check.holds is None and check.messages[0].endswith("the run's are of Darwin arm64.")

    def fails(checkout):
        raise subprocess.CalledProcessError(
            1, ["pip"], stderr=b"no compiler\nERROR: meson failed\n"
        )

    monkeypatch.setattr(cores, "_build_checksums", fails)
    check = cores.check_cores(ROOT, run, True)
    assert check.holds is None
    assert check.messages == ["They could not be rebuilt: ERROR: meson failed."]
