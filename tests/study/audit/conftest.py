"""A made-up project in which a run has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit import made_up


@pytest.fixture
def project(tmp_path, monkeypatch, packages_unread) -> Path:
    """The project, the reader's own; what Snakemake would plan there is what the manifest says."""
    from hedgerow_study.audit import verify

    monkeypatch.setattr(verify, "planned_again", lambda root, manifest: made_up.JOBS)
    root = tmp_path / "project"
    monkeypatch.setattr(verify, "local_checkout", lambda: root)
    made_up.make(root)
    return root
