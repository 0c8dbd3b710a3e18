"""A small run that is audited: each damage is found, named, and mended by the next run."""

from __future__ import annotations

import functools
import json
import os
import shutil
from pathlib import Path

import pytest
from audit.made_up import change
from throwaway import ROOT, Project, new_project

from hedgerow_study.audit import status as status_module
from hedgerow_study.audit import verify as verify_module
from hedgerow_study.workflow.planning.changed_outputs import changed_outputs

pytestmark = [pytest.mark.runs, pytest.mark.usefixtures("packages_unread")]

# A copy is no checkout of one's own.
status = functools.partial(status_module.status, trust=True)

SETTINGS = "experiments: [evidential, soft_illustration]\nevidential: {datasets: [iris]}\n"
#: A file of each kind.
KINDS = {
    "raw": "data/raw/iris/iris.data",
    "tidy": "data/tidy/iris.parquet",
    "tree": "data/trees/evidential/iris_001-001.parquet",
    "rows": "data/results/evidential/rows.parquet",
    "table": "reports/tables/e2m_table_1.csv",
    "figure": "reports/figures/e2m_figure_1.svg",
    "section": "data/results/evidential/section.json",
    "page": "reports/html/index.html",
    "published": "data/published/e2m_table_1.csv",
    "settings": "config/claims.yaml",
    "workflow": "workflow/rules/evidential.smk",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory, smoke_data) -> Project:
    """Two experiments have run; tests leave the project as they found it."""
    project = new_project(tmp_path_factory.mktemp("audited") / "project")
    done = project.forked("--cores", "2", *project.settings(SETTINGS))
    assert done.returncode == 0, done.stderr
    return project


FILES = ("--configfile", "config/smoke.yaml", "more.yaml")


def reproduced(project):
    """What `make reproduce` does, with the settings of the last call of `Project.settings`."""
    return project.python("-m", "hedgerow_study.workflow.run", "--cores", "2", *FILES)


@pytest.fixture
def copy(project, tmp_path) -> Project:
    """A copy that a test may change."""
    shutil.copytree(project.path, tmp_path / "project")
    return Project(tmp_path / "project")


@pytest.fixture
def forked(monkeypatch):
    """Plans are made in a fork of a Snakemake that has started."""

    def answer(request, root):
        return Project(Path(root)).forked("graph", request)

    monkeypatch.setattr("hedgerow_study.workflow.planning.graph._asked", answer)


def verify(path, **given):
    """Of the reader's own checkout."""
    return verify_module.verify(path, checkout=path, **{"cheap": False, **given})


def unlike(found):
    return {file.path: file.verdict for file in found.files if file.verdict != "identical"}


def test_a_run_holds_and_redone_jobs_come_out_the_same(project, forked):
    before = project.made()
    found = verify(project.path, rerun=3, seed=2)
    assert unlike(found) == {}
    assert found.holds, found.checks
    assert len(found.rerun_jobs) == 3
    assert found.not_checked() == ["commit", "jobs not rerun"]
    assert project.made() == before


@pytest.mark.parametrize("new_time", [False, True], ids=["old time", "new time"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_single_changed_byte_is_found(project, monkeypatch, kind, new_time):
    jobs = json.loads((project.path / "reports/manifest.json").read_text())["jobs"]
    monkeypatch.setattr("hedgerow_study.audit.verify.planned_again", lambda root, manifest: jobs)
    path = project.path / KINDS[kind]
    content, before = path.read_bytes(), path.stat()
    try:
        change(path, new_time)
        found = verify(project.path)
        assert unlike(found) == {KINDS[kind]: "differs"}
        assert not found.holds
        found = changed_outputs(project.path)
        read = set().union(*found.inputs.values())
        # Rule tidy looks at data files itself; the manifest has the files of the workflow.
        assert (KINDS[kind] in found.outputs | read) == (kind != "workflow")
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not changed_outputs(project.path).stale


def test_the_next_run_mends_all_of_it(copy, forked):
    """Every kind of file at once, half of them with their old times; swapped, deleted, forged.

    A forged manifest is told from its sums, and its digest from the one that the run printed. A
    file that nobody lists may be somebody's: it stays. What was edited is kept.
    """
    before, digest = copy.made(), verify(copy.path).digest
    read = ("raw", "published", "settings", "workflow")
    made = [kind for kind in KINDS if kind not in (*read, "table")]
    for number, kind in enumerate(made):
        change(copy.path / KINDS[kind], new_time=number % 2 == 0)
    one, other = (copy.path / f"reports/captions/{n}.rst" for n in ("e2m_table_1", "e2m_table_2"))
    content, other_content = one.read_bytes(), other.read_bytes()
    one.write_bytes(other_content)
    other.write_bytes(content)
    (copy.path / "reports/tables/evidential_curve.csv").unlink()
    mine = copy.path / "reports/tables/mine.csv"
    mine.write_text("mine")
    forge(copy.path, KINDS["table"])
    found = verify(copy.path, digest=digest)
    assert set(unlike(found)) == {
        *(KINDS[kind] for kind in made),
        *("reports/captions/e2m_table_1.rst", "reports/captions/e2m_table_2.rst"),
        *("reports/tables/evidential_curve.csv", "reports/tables/mine.csv"),
        # The record of the run names the digest of the manifest.
        *(KINDS["table"], "reports/manifest.json", "reports/html/assets/run.js"),
    }
    assert [check.name for check in found.checks if check.holds is False] == [
        "digest of the manifest"
    ]
    done = reproduced(copy)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    for path in (*(KINDS[kind] for kind in (*made, "table")), "reports/manifest.json"):
        assert f"{path} is not what its job wrote: it is recomputed, and kept as" in done.stderr
        assert (copy.path / "data/edited" / path).is_file()
    shutil.rmtree(copy.path / "data/edited")
    assert mine.read_text() == "mine"
    mine.unlink()
    assert said[-1].endswith(f"`hedgerow verify --digest`: {digest}")
    assert copy.made() == before, "the manifest among them: nothing in it depends on the run"
    assert verify(copy.path, digest=digest).holds


def forge(root: Path, path: str) -> None:
    """Change a file, and its checksum in the manifest."""
    from hedgerow_study.reporting.manifest import checksum

    change(root / path)
    manifest = root / "reports/manifest.json"
    content = json.loads(manifest.read_text())
    manifest.write_text(
        manifest.read_text().replace(content["outputs"][path], checksum(root / path))
    )


def test_what_a_part_of_a_run_made_since_is_as_its_job_wrote_it(copy):
    """A manifest is older than what a part of a run has made; the records of jobs are not."""
    copy.settings(SETTINGS.replace("}", ", min_gain: 0.2}"))
    rows = "data/results/evidential/rows.parquet"
    before = (copy.path / rows).read_bytes()
    assert copy.forked("--cores", "2", *FILES, "--", rows).returncode == 0
    assert (copy.path / rows).read_bytes() != before
    assert changed_outputs(copy.path).outputs == frozenset()
    change(copy.path / rows, new_time=True)
    assert changed_outputs(copy.path).outputs == {rows}


def test_a_dry_run_shows_what_a_run_would_make_again(copy):
    """A dry run said that it did not show it."""
    change(copy.path / KINDS["table"])
    planned = copy.planned(*FILES)
    assert planned["evidential_tables"] == 1
    assert "evidential_learn" not in planned


# ---------------------------------------------------------------------------------------- status


def words(found):
    """Which experiments are out of date, and for which kind of reason."""
    return {(one.experiment, one.kind) for one in found.stale}


def test_a_run_beside_tracked_results_holds(copy, forked):
    """What claims read of them is among what the manifest says was read."""
    for kept in ("soft/soft_claims.csv", "readings/soft/readings_verdicts.csv"):
        there = copy.path / "data/reference" / kept
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "data/reference" / kept, there)
    done = reproduced(copy)
    assert done.returncode == 0, done.stderr
    found = verify(copy.path)
    assert found.holds, found.checks


def test_one_changed_setting_names_what_depends_on_it(copy, forked):
    copy.settings(f"{SETTINGS}\nsoft_illustration: {{uncertainty: 0.2}}\n")
    found = status(copy.path)
    assert words(found) == {("soft_illustration", "configuration"), ("report", "configuration")}
    (cause,) = found.stale[0].causes
    assert cause.startswith("`soft_illustration.uncertainty` is 0.2, was ")
    assert not verify(copy.path).holds
