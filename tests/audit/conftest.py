"""A made-up project in which a run has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit import made_up

from hedgerow.audit.findings import Check


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """The project; what Snakemake would plan there is what the manifest says."""
    from hedgerow.audit import verify

    monkeypatch.setattr(verify, "planned", lambda root, files, sandbox: made_up.JOBS)
    # Thousands of files are hashed for it: once, in a test of its own.
    fine = Check("installed packages", True, ["Not looked at."])
    monkeypatch.setattr(verify, "check_packages", lambda manifest: fine)
    root = tmp_path / "project"
    made_up.make(root)
    return root
