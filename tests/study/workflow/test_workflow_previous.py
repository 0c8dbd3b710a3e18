"""What is kept of the run before, and `hedgerow changes` and `claims` after real runs."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from types import SimpleNamespace

import pytest
from audit import made_up
from throwaway import Project

from hedgerow import cli
from hedgerow.errors import DataError
from hedgerow.files import read_csv
from hedgerow_study.audit.verify import verify
from hedgerow_study.reporting import check_claims
from hedgerow_study.workflow.jobs import parts
from hedgerow_study.workflow.jobs.digest import code_by_function
from hedgerow_study.workflow.references import previous
from hedgerow_study.workflow.references.previous import (
    EARLIER,
    FUNCTIONS,
    PREVIOUS,
    current_state,
    finish,
    keep_previous,
    pack,
    read_previous,
)
from hedgerow_study.workflow.references.recorded import MANIFEST

TABLE = "reports/tables/t.csv"


@pytest.fixture
def made(tmp_path, packages_unread):
    """The made-up project of the audit."""
    root = tmp_path / "project"
    made_up.make(root)
    finish(root)
    return root


def rerun(root, text):
    """What a run that replaces a table leaves."""
    pack(root)
    (root / TABLE).write_text(text)
    made_up.write_records(root)
    finish(root)


def test_the_same_run_is_packed_once_into_the_same_bytes(made):
    assert pack(made)
    first = (made / PREVIOUS).read_bytes()
    assert not pack(made)
    (made / PREVIOUS).unlink()
    assert pack(made) and (made / PREVIOUS).read_bytes() == first
    assert read_previous(made) == current_state(made)


def test_an_interrupted_run_keeps_the_earlier_results(made):
    """It goes on with half of the results replaced, which are not those of the run before."""
    before = (made / TABLE).read_bytes()
    pack(made)
    (made / TABLE).write_text("half")
    rerun(made, "whole")
    assert read_previous(made).files[TABLE] == before
    assert not (made / EARLIER).exists()


def test_a_run_that_changes_nothing_leaves_the_last_changes(made):
    """Each run asks again for an absent data set; with it the last changes were forgotten."""
    rerun(made, "other")
    kept = (made / PREVIOUS).read_bytes()
    rerun(made, "other")
    assert (made / PREVIOUS).read_bytes() == kept and not (made / EARLIER).exists()
    rerun(made, "third")
    assert read_previous(made).files[TABLE] == b"other"


def test_a_result_that_somebody_edited_is_not_kept_as_that_of_the_run(made):
    (made / TABLE).write_text("edited")
    pack(made)
    assert TABLE not in read_previous(made).files
    assert "reports/tables/u.csv" in read_previous(made).files


def test_the_code_stays_that_of_the_manifest(made, monkeypatch):
    """A run of a part, after an edit, would else hide the edit from the run that follows."""
    noted = (made / FUNCTIONS).read_bytes()
    monkeypatch.setattr(previous, "code_by_function", lambda *_: {"m:f": 12 * "0"})
    finish(made)
    assert (made / FUNCTIONS).read_bytes() == noted
    rerun(made, "other")
    assert current_state(made).functions == {"m:f": 12 * "0"}


@pytest.mark.parametrize(
    ("output", "packed"),
    [
        ("data/results/soft/rows.parquet", True),
        ("reports/figures/f.svg", True),
        ("reports/manifest.json", False),
        ("reports/html/index.html", False),
        ("data/tidy/a.parquet", False),
    ],
)
def test_only_a_run_that_makes_results_packs(made, monkeypatch, output, packed):
    monkeypatch.chdir(made)
    jobs = [SimpleNamespace(output=[output])]
    dag = SimpleNamespace(needrun_jobs=lambda: jobs)
    assert keep_previous(SimpleNamespace(dag=dag)) == ""
    assert (made / PREVIOUS).exists() == packed


def test_a_full_disk_does_not_stop_the_run(made, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(made)
    monkeypatch.setattr(previous, "write_bytes", full)
    jobs = [SimpleNamespace(output=[TABLE])]
    said = keep_previous(SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: jobs)))
    assert said.endswith("previous.tar.xz: No space left on device.")


def test_what_is_kept_is_no_unlisted_file(made):
    pack(made)
    found = verify(made, cheap=False)
    assert not [file for file in found.files if file.path.startswith("data/changes")]


@pytest.mark.parametrize("damage", ["cut", "flip", "other", "link", "manifest", "bomb", "unknown"])
def test_a_damaged_archive_is_one_sentence(made, monkeypatch, damage):
    pack(made)
    path, content = made / PREVIOUS, (made / PREVIOUS).read_bytes()
    if damage == "bomb":
        monkeypatch.setattr(parts, "LARGEST", 100)
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "flip":
        half = len(content) // 2
        path.write_bytes(content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :])
    else:
        names = {"other": TABLE, "link": "../t.csv", "manifest": MANIFEST, "unknown": "x"}
        files = {**parts.contents_of(path), names[damage]: b"{}"}
        path.write_bytes(parts.archive_of(files))
    with pytest.raises(DataError, match="is damaged; delete data/changes"):
        read_previous(made)
    finish(made)


def test_functions_of_python_and_of_compiled_sources(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "m.py").write_text(
        'from x import y\nfrom hedgerow.core._c import g\nN = 1\ndef f():\n    """Doc."""\n'
        "    return g(N)\ndef other():\n    pass\nprint(1)\n"
    )
    (tmp_path / "core").mkdir()
    core = tmp_path / "core/_c.pyx"
    core.write_text(
        "# A comment.\ncdef int M = 1\ndef g(\n    int n,\n):\n    return n\n"
        "cdef class K:\n    pass\ncdef inline double h(double x) noexcept nogil:\n    return x\n"
    )
    found = code_by_function("m:f", package=tmp_path)
    names = {f"core/_c.pyx{name}" for name in ("", ":g", ":K", ":h")}
    assert found.keys() == {"m:N", "m:f", "m:", *names}
    core.write_text(
        core.read_text().replace("A comment", "Another").replace("return x", "return 2")
    )
    other = code_by_function("m:f", package=tmp_path)
    assert {name for name in found if found[name] != other[name]} == {"core/_c.pyx:h"}


# ------------------------------------------------------------------------------------- runs

#: What is made of rows of ConfDTree, and no learner.
CHEAP = "confidence: {affected: relative}\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory, smoke):
    """A copy of its own, in which the smoke configuration has run."""
    folder = tmp_path_factory.mktemp("changed") / "project"
    shutil.copytree(smoke.path, folder, symlinks=True)
    return Project(folder, smoke.interpreter)


def shown(project, *options):
    """What the command prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert cli.main(["changes", str(project.path), *options]) == 0
    return out.getvalue()


@pytest.mark.runs
def test_an_edit_of_a_setting_and_of_a_published_figure(project, tmp_path):
    """The run of a part leaves the manifest; the run that follows keeps the first results."""
    settings = project.settings(CHEAP)
    published = project.path / "data/published/confdtree_table_3.csv"
    first = (project.path / "reports/tables/confdtree_table_3.csv").read_bytes()
    lines = published.read_text().splitlines(keepends=True)
    published.write_text("".join([*lines[:-1], lines[-1].replace("0", "1")]))
    done = project.forked("--cores", "2", "confidence", *settings)
    assert done.returncode == 0, done.stderr
    assert not json.loads(shown(project, "--json"))["ended"]
    assert shown(project).startswith("The last run has not ended")
    done = project.forked("--cores", "2", *settings)
    assert done.returncode == 0, done.stderr

    found = json.loads(shown(project, "--json"))
    assert found["ended"]
    assert found["edits"]["settings"] == [
        {"name": "confidence.affected", "before": "points", "after": "relative"}
    ]
    path = "data/published/confdtree_table_3.csv"
    assert {"path": path, "change": "changed"} in found["edits"]["files"]
    assert found["edits"]["code"] == [] == found["edits"]["rules"]
    assert "confdtree_table_3" in [one["id"] for one in found["tables"]]
    kept = read_previous(project.path)
    assert kept.files["reports/tables/confdtree_table_3.csv"] == first
    assert kept.functions, "the first run noted its code"

    shown(project, "--figures", str(tmp_path / "pairs"))
    pairs = {path.name for path in (tmp_path / "pairs").iterdir()}
    assert pairs == {f"{f['id']}_{s}.svg" for f in found["figures"] for s in ("before", "after")}

    archive = (project.path / PREVIOUS).read_bytes()
    done = project.forked("--cores", "2", *settings)
    assert done.returncode == 0 and (project.path / PREVIOUS).read_bytes() == archive
    assert "confidence.affected: points -> relative" in shown(project)


# ----------------------------------------------------------------------------- the second judge


@pytest.mark.runs
def test_a_second_judge_comes_to_the_same_verdicts(smoke, tmp_path):
    """`hedgerow claims` writes what verdicts rest on; `check_claims.py` judges it without us."""
    folder, stated = tmp_path / "claims", smoke.path / "reports/claims.csv"
    for force in ([], ["--force"]):
        done = smoke.python("-m", "hedgerow.cli", "claims", str(folder), *force)
        assert done.returncode == 0, done.stderr
    again = smoke.python("-m", "hedgerow.cli", "claims", str(folder))
    assert "is there already" in again.stderr
    judged = smoke.python(check_claims.__file__, str(folder), str(stated))
    n = len(read_csv(stated))
    assert judged.stdout.endswith(f"{n} claims judged, {n} agree, 0 differ; not checked: none\n")
    text = stated.read_text(encoding="utf-8")
    forged = tmp_path / "forged.csv"
    forged.write_text(text.replace("inconclusive", "reproduced", 1), encoding="utf-8")
    judged = smoke.python(check_claims.__file__, str(folder), str(forged))
    assert judged.returncode == 1 and judged.stdout.count(", differs") == 1
