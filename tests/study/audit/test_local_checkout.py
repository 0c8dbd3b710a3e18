"""Runs of strangers: nothing of their folders is run, and what is read is data."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from audit import made_up
from audit.made_up import bad, check_of, git

from hedgerow import cli
from hedgerow.errors import ConfigError, DataError, InputError
from hedgerow.files import read_parquet
from hedgerow_study.audit import checkout, rerun, verify
from hedgerow_study.audit.status import status
from hedgerow_study.audit.trace import trace
from hedgerow_study.workflow.planning import graph

SNAKEFILE = """
rule tables:
    input: "data/published/t.csv"
    output: "reports/tables/t.csv"
    shell: "cat {input} > {output}"
"""
JOB = made_up.job("tables", ["data/published/t.csv"], ["reports/tables/t.csv"])


def with_workflow(root: Path) -> Path:
    """A made-up project in a new folder, with a workflow of its own."""
    made_up.make(root)
    (root / "Snakefile").write_text(SNAKEFILE)
    (root / "workflow/rules").mkdir(parents=True)
    (root / "workflow/rules/more.smk").write_text("# more\n")
    return root


@pytest.fixture
def folder(tmp_path, packages_unread) -> Path:
    """The folder of a run that somebody sent."""
    root = with_workflow(tmp_path / "project")
    made_up.write_records(root)
    return root


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    """The reader's own checkout, of the same commit; its workflow is the one that runs."""
    root = with_workflow(tmp_path / "own")
    monkeypatch.setattr(verify, "local_checkout", lambda: root)

    def planned(checkout, manifest):
        assert checkout == root, "nothing of a folder that was sent is run"
        return made_up.JOBS

    monkeypatch.setattr(verify, "planned_again", planned)
    return root


def audited(folder, **given):
    """Without what the made-up workflow cannot make anew."""
    return verify.verify(folder, **{"cheap": False, **given})


def leaves(mark: Path) -> str:
    """A line of Python that leaves a file."""
    return f"open({str(mark)!r}, 'w').close()\n"


# ------------------------------------------------------------------------- nothing of it is run


def test_nothing_of_a_strangers_folder_is_run(folder, own, tmp_path):
    """The Snakefile was, and whatever Python found beside it before its own library."""
    marks = tmp_path / "marks"
    marks.mkdir()
    (folder / "Snakefile").write_text(leaves(marks / "Snakefile") + SNAKEFILE)
    (folder / "json.py").write_text(leaves(marks / "json"))
    made_up.write_records(folder)
    found = audited(folder)
    assert list(marks.iterdir()) == []
    assert bad(found) == ({}, []) and found.holds
    assert found.not_checked() == ["commit", "jobs not rerun"]


def test_without_a_checkout_only_bytes_are_compared(folder, monkeypatch):
    monkeypatch.setattr(verify, "local_checkout", lambda: None)
    found = audited(folder)
    assert found.holds and found.not_checked() == ["commit", "jobs, settings and results"]
    with pytest.raises(InputError, match="--rerun: hedgerow was installed without the checkout"):
        audited(folder, rerun=1)


def test_settings_and_what_jobs_read_of_a_checkout_are_the_readers(folder, own, monkeypatch):
    """Bounds, published figures and settings were taken from the folder that they came with."""
    seen = []

    def run(copy, *_):
        seen.append({p: (copy / p).read_text() for p in ("data/published/t.csv", "config/x.yaml")})
        return {"": "nothing is run"}

    monkeypatch.setattr(rerun, "_run", run)
    for path in ("data/published/t.csv", "config/x.yaml"):
        (own / path).write_text("mine\n")
        (folder / path).write_text("theirs\n")
    made_up.write_records(folder)
    verify.verify(folder, rerun=["tables"])
    assert seen and all(set(one.values()) == {"mine\n"} for one in seen)
    (own / "config/default.yaml").write_text(json.dumps({**made_up.SETTINGS, "seed": 2}))
    check = check_of(audited(folder), "configuration")
    assert check.messages == ["`seed` is 2 in config/default.yaml, 1 in the manifest."]


def test_a_trusted_workflow_is_planned_without_what_lies_beside_it(folder, tmp_path, monkeypatch):
    """`snakemake.py` of the folder was imported in the place of Snakemake, and with a PYTHONPATH
    that has an empty entry `sitecustomize.py` before all else."""
    marks = tmp_path / "marks"
    marks.mkdir()
    (folder / "Snakefile").write_text(leaves(marks / "Snakefile") + SNAKEFILE)
    (folder / "hedgerow").mkdir()
    for name in ("json", "sitecustomize", "hedgerow/__init__", "snakemake"):
        mark = marks / name.replace("/", "-")
        (folder / f"{name}.py").write_text(leaves(mark))
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}no/such/folder")
    jobs = graph.planned(folder)
    assert {mark.name for mark in marks.iterdir()} == {"Snakefile"}
    assert jobs["tables"]["outputs"] == ["reports/tables/t.csv"]


def test_the_workflow_stands_in_the_list_of_checksums(folder, own):
    """`sha256sum -c` said nothing of a changed rule."""
    listed = (folder / "reports/SHA256SUMS").read_text()
    for path in ("Snakefile", "workflow/rules/more.smk"):
        assert f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" in listed
    made_up.change(folder / "workflow/rules/more.smk")
    (folder / "workflow/rules/new.smk").write_text("")
    files, checks = bad(audited(folder))
    assert files == {"workflow/rules/more.smk": "differs"} and checks == ["tracked files"]


def test_git_is_not_asked_in_a_repository_of_a_stranger(folder, own, tmp_path):
    """Its settings name programs: git ran them when it compared a changed file."""
    for command in (["init", "-q"], ["add", "Snakefile"], ["commit", "-qm", "all"]):
        git(folder, *command)
    made_up.write_records(folder)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'mark'}'\n")
    program.chmod(0o755)
    git(folder, "config", "core.fsmonitor", program)
    found = audited(folder, allow_changes=True)
    assert not (tmp_path / "mark").exists()
    assert bad(found) == ({}, []) and "commit" in found.not_checked()


def test_what_needs_code_says_so(folder, tmp_path):
    (folder / "Snakefile").write_text(leaves(tmp_path / "mark"))
    made_up.write_records(folder)
    with pytest.raises(InputError, match=r"runs code of .*; read its Snakefile.*--trust"):
        status(folder)
    assert not (tmp_path / "mark").exists()


def test_ones_own_checkout_needs_no_leave(folder, monkeypatch, tmp_path):
    """It is the one that the package is imported from; a link in the folder does not make it so."""
    package = folder / "src/hedgerow"
    assert not checkout.is_own_checkout(folder)
    monkeypatch.setattr(checkout, "PACKAGE", package.resolve())
    assert checkout.is_own_checkout(folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "src").symlink_to(folder / "src")
    assert not checkout.is_own_checkout(other) and not checkout.is_own_checkout(tmp_path)


# ------------------------------------------------------------------------------- it is data


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("reports/tables/t.csv", "secret"),
        ("config", "."),
        ("data/raw/a", "."),
        ("workflow/rules/more.smk", "project/workflow/rules/more.smk"),
    ],
)
def test_links_lead_to_no_file_of_the_reader(folder, own, tmp_path, link, to):
    """Checksums of files of his own were compared with those that a stranger had listed."""
    (tmp_path / "secret").write_text("secret\n")
    place = folder / link
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(tmp_path / to)
    for audit in (audited, lambda root: trace(root, "t:#1")):
        with pytest.raises(DataError, match=f"'{link}' in .* is a link that leads out of it"):
            audit(folder)


def deep(n: int):
    found: list = []
    for _ in range(n):
        found = [found]
    return found


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m["jobs"]["tables"].update(rule="--configfile"),
        lambda m: m["jobs"].update({"tables\x1b[2J": m["jobs"]["tables"]}),
        lambda m: m["sources"]["a"].update(file="../../../secret"),
        lambda m: m["sources"].update({"..": {"file": "a"}}),
        lambda m: m["sources"].update({"a": "a.csv"}),
        lambda m: m.update(absent=["../../secret"]),
        lambda m: m["code"].update(commit="--output=secret"),
        lambda m: m["code"].pop("clean"),
        lambda m: m["code"]["files"].update({"../secret": "0"}),
        lambda m: m["given"].update(files=["/etc/passwd"]),
        lambda m: m["packages"].update({"numpy\x1b[2J": "1"}),
        lambda m: m["packages"].update(numpy=1),
        lambda m: m.pop("platform"),
        lambda m: m["outputs"].update({"reports/\x1b[2J": "0"}),
        lambda m: m["configuration"].update(soft=deep(200)),
    ],
)
def test_a_manifest_is_checked_whole_before_it_is_used(folder, own, edit):
    """What it said became paths, options of commands and words on a terminal."""
    path = folder / "reports/manifest.json"
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    files, checks = bad(audited(folder))
    assert files["reports/manifest.json"] == "differs" and checks == ["manifest"]


def test_jobs_that_come_from_each_other(folder, own):
    """The chain was said to be closed, and who drew the graph did not come back."""
    path = folder / "reports/manifest.json"
    content = json.loads(path.read_text())
    content["jobs"]["learn:a"]["inputs"].append("reports/tables/t.csv")
    path.write_text(json.dumps(content))
    (folder / "reports/html/assets").mkdir(parents=True)
    found = {"facts": [], "times": [], "graph": ""}
    (folder / "reports/html/assets/run.js").write_text(f"window.RUN = {json.dumps(found)};\n")
    check = check_of(audited(folder), "chain to what was read")
    assert check.holds is False and "comes from the next one" in check.messages[-1]


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.system ['touch mark']", "- a list", "a: &a [*a]", "\x00"]
)
def test_settings_are_data(folder, own, text, monkeypatch, tmp_path):
    """A list in the place of settings was an error of ours."""
    monkeypatch.chdir(tmp_path)
    (own / "config/default.yaml").write_text(text)
    assert "configuration" in bad(audited(folder))[1]
    assert not (tmp_path / "mark").exists()


def test_a_table_is_data(tmp_path):
    """Arrow once unpickled what a column of its own kind had in its metadata."""
    import pickle

    import pyarrow as pa
    import pyarrow.parquet as pq

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "mark"),)

    about = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": pickle.dumps(Evil()),
    }
    field = pa.field("a", pa.int64(), metadata=about)
    schema = pa.schema([field], metadata={b"pandas": pickle.dumps(Evil())})
    pq.write_table(pa.table([[1, 2]], schema=schema), tmp_path / "t.parquet")
    with contextlib.suppress(DataError):
        read_parquet(tmp_path / "t.parquet", sealed=False)
    assert not (tmp_path / "mark").exists()


def test_names_of_files_steer_no_terminal(folder, own, tmp_path, capsys):
    """They went to it as they were, and one that is no UTF-8 ended the command."""
    for name in (b"\x1b[2J.csv", b"\xff.csv"):
        Path(os.fsdecode(os.fsencode(folder / "reports/tables") + b"/" + name)).write_text("")
    assert (
        cli.main(["verify", str(folder), "--no-cheap", "--json", str(tmp_path / "found.json")]) == 1
    )
    said = capsys.readouterr().out
    assert "\x1b" not in said and "reports/tables/\\u001b[2J.csv" in said
    assert "\\\\udcff" in (tmp_path / "found.json").read_text()


@pytest.mark.parametrize(
    ("code", "out", "err"),
    [(1, "", "\x1b[2Jno"), (0, "[1]", ""), (0, '{"tables": {}}', ""), (0, "", ""), (1, "", "")],
)
def test_what_a_workflow_answers_is_data(folder, monkeypatch, code, out, err):
    """A Snakefile prints what it likes, and may end the process that plans."""
    done = subprocess.CompletedProcess([], code, out, err)
    monkeypatch.setattr(graph, "_asked", lambda request, root: done)
    with pytest.raises(ConfigError) as told:
        graph.planned(folder)
    assert "\x1b" not in str(told.value)
