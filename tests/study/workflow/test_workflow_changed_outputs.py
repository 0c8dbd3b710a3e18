"""Files that are not what their jobs read and wrote; on real runs: test_workflow_data_edits.py."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace

import pytest
from audit.made_up import RAW, change, make, record_jobs

from hedgerow.files import read_json, write_json
from hedgerow_study.workflow.planning.changed_outputs import (
    changed_outputs,
    keep_edited,
    mark_changed,
)

MAIN = SimpleNamespace(is_main_process=True)


@pytest.fixture
def project(tmp_path):
    make(tmp_path / "project")
    record_jobs(tmp_path / "project")
    return tmp_path / "project"


def marks(project):
    """Names of Snakemake's marks of incomplete files."""
    folder = project / ".snakemake/incomplete"
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def test_a_finished_run_has_nothing_changed(project):
    changed = changed_outputs(project)
    assert (changed.outputs, changed.inputs, changed.stale) == (frozenset(), {}, set())
    assert "reports/tables/t.csv" in changed.consistent
    mark_changed(MAIN, project)
    assert marks(project) == 0


@pytest.mark.parametrize("new_time", [False, True], ids=["old time", "new time"])
def test_the_content_decides_not_the_time(project, new_time):
    """A published figure with an older time planned nothing: Snakemake compares times first."""
    change(project / "reports/tables/u.csv", new_time)
    change(project / "data/published/t.csv", new_time)
    changed = changed_outputs(project)
    assert changed.outputs == {"reports/tables/u.csv"}
    assert changed.inputs == {"reports/tables/t.csv": {"data/published/t.csv"}}


def test_an_intermediate_file_makes_its_job_and_its_readers_stale(project):
    change(project / "data/trees/a.parquet")
    changed = changed_outputs(project)
    assert changed.outputs == {"data/trees/a.parquet"}
    assert changed.inputs.keys() == {"reports/tables/t.csv", "reports/tables/u.csv"}


def test_a_data_file_is_left_to_rule_tidy(project):
    change(project / RAW)
    assert changed_outputs(project).stale == set()


def test_copies_and_touches_change_nothing(project, tmp_path):
    shutil.copytree(project, tmp_path / "copy", copy_function=shutil.copyfile)
    for file in (tmp_path / "copy").rglob("*"):
        os.utime(file, (1e9, 1e9))
    assert changed_outputs(tmp_path / "copy").stale == set()


def test_what_is_missing_is_left_to_snakemake(project):
    (project / "data/trees/a.parquet").unlink()
    (project / "reports/tables/t.csv").unlink()
    assert changed_outputs(project).stale == set()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"inputs": {}}', '{"inputs": {"a": 1}, "outputs": {}, "absent": []}']
)
def test_a_record_that_is_spoilt_says_nothing(project, text):
    change(project / "data/trees/a.parquet")
    (project / "data/jobs/learn/a.json").write_text(text)
    assert changed_outputs(project).outputs == frozenset()


def test_a_mark_is_taken_back_when_the_edit_is(project):
    """Otherwise a dry run after an edit would have made the file again for ever."""
    path = project / "reports/tables/u.csv"
    before = path.read_bytes()
    change(path)
    mark_changed(MAIN, project)
    assert marks(project) == 2
    path.write_bytes(before)
    mark_changed(MAIN, project)
    assert marks(project) == 0


def test_a_job_of_a_cluster_marks_nothing(project):
    change(project / "reports/tables/u.csv")
    assert mark_changed(SimpleNamespace(is_main_process=False), project).stale == set()
    assert marks(project) == 0


def test_an_edited_result_is_kept_before_it_is_made_again(project):
    """A run overwrote an edited table without a word of where it went."""
    path = project / "reports/tables/u.csv"
    change(path)
    edited = path.read_bytes()
    changed = changed_outputs(project)
    pages = {"pages": ["reports/tables/u.csv"]}
    job = SimpleNamespace(output=["reports/tables/t.csv"], params=pages)
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: [job]))
    (line,) = keep_edited(workflow, changed, project)
    kept = "data/edited/reports/tables/u.csv"
    assert line.endswith(f"it is recomputed, and kept as {kept}.")
    assert (project / kept).read_bytes() == edited
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=list))
    assert keep_edited(workflow, changed, project) == []


def test_a_changed_page_makes_the_outputs_of_its_job_stale(project):
    """Pages in folders of the site are no outputs: a mark on the page alone reruns nothing."""
    change(project / "reports/tables/u.csv")
    changed = changed_outputs(project)
    assert changed.outputs == {"reports/tables/u.csv"}
    assert changed.siblings == {"reports/tables/t.csv"}
    assert "reports/tables/t.csv" in changed.stale - changed.consistent


def test_a_listed_file_that_is_gone_makes_the_list_stale(project):
    """The manifest would go on to say that a deleted chunk is kept."""
    chunk, record = project / "data/trees/chunk.parquet", project / "data/jobs/tables.json"
    chunk.write_text("chunk")
    write_json(record, {**read_json(record), "kept": ["data/trees/chunk.parquet"]})
    assert changed_outputs(project).stale == set()
    chunk.unlink()
    assert changed_outputs(project).stale == {"reports/tables/t.csv", "reports/tables/u.csv"}


def test_a_file_that_is_put_in_the_place_of_an_absent_set_is_used(project):
    """Whoever downloads a set by hand puts it where the empty file lies."""
    record = project / "data/jobs/learn/a.json"
    write_json(record, {**read_json(record), "absent": [RAW]})
    (project / RAW).write_text("")
    assert changed_outputs(project).stale == set()
    (project / RAW).write_text("1,2,a\n")
    assert changed_outputs(project).stale == {"data/trees/a.parquet"}
