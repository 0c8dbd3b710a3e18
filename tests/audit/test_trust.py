"""Runs of strangers: what is run of their folders, what is read, and where it is run if it is."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from audit import made_up
from audit.made_up import bad, check_of, git

from hedgerow import cli
from hedgerow.audit import trust, verify
from hedgerow.audit.behind import Behind
from hedgerow.audit.replay import replay
from hedgerow.audit.status import status
from hedgerow.audit.trace import trace
from hedgerow.errors import ConfigError, DataError, HedgerowError, InputError
from hedgerow.files import read_parquet
from hedgerow.workflow import graph, isolated

SNAKEFILE = """
rule tables:
    input: "data/published/t.csv"
    output: "reports/tables/t.csv"
    shell: "cat {input} > {output}"
"""
JOB = made_up.job("tables", ["data/published/t.csv"], ["reports/tables/t.csv"])


@pytest.fixture
def folder(tmp_path, packages_unread) -> Path:
    """The folder of a run that somebody sent, with a workflow of its own."""
    root = tmp_path / "project"
    made_up.make(root)
    (root / "Snakefile").write_text(SNAKEFILE)
    (root / "workflow/rules").mkdir(parents=True)
    (root / "workflow/rules/more.smk").write_text("# more\n")
    made_up.write_records(root)
    return root


def leaves(mark: Path) -> str:
    """A line of Python that leaves a file."""
    return f"open({str(mark)!r}, 'w').close()\n"


# ------------------------------------------------------------------------- nothing of it is run


def test_nothing_of_a_strangers_folder_is_run(folder, tmp_path):
    """The Snakefile was, and whatever Python found beside it before its own library."""
    marks = tmp_path / "marks"
    marks.mkdir()
    (folder / "Snakefile").write_text(leaves(marks / "Snakefile") + SNAKEFILE)
    (folder / "json.py").write_text(leaves(marks / "json"))
    made_up.write_records(folder)
    found = verify.verify(folder)
    assert list(marks.iterdir()) == []
    assert bad(found) == ({}, []) and found.holds
    check = check_of(found, "jobs and settings")
    assert check.holds is None and "--trust" in check.said[0] and "--sandbox" in check.said[0]


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


@pytest.mark.parametrize("trusted", [False, True])
def test_a_line_appended_to_the_snakefile_is_found_by_its_bytes(folder, monkeypatch, trusted):
    """One that put the file back as it was passed: it had run when the code was compared."""
    file = folder / "Snakefile"
    before = file.read_text()

    def run(*_, **__):
        file.write_text(before)
        return made_up.JOBS

    monkeypatch.setattr(verify, "planned", run)
    file.write_text(f"{before}\nopen('Snakefile', 'w').write('what it was')\n")
    files, _ = bad(verify.verify(folder, trust=trusted))
    assert files == {"Snakefile": "differs"}


def test_the_workflow_stands_in_the_list_of_checksums(folder):
    """`sha256sum -c` said nothing of a changed rule."""
    listed = (folder / "reports/SHA256SUMS").read_text()
    for path in ("Snakefile", "workflow/rules/more.smk"):
        assert f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" in listed
    made_up.change(folder / "workflow/rules/more.smk")
    (folder / "workflow/rules/new.smk").write_text("")
    files, checks = bad(verify.verify(folder))
    assert files == {"workflow/rules/more.smk": "differs"} and checks == ["tracked files"]


def test_git_is_not_asked_in_a_repository_of_a_stranger(folder, tmp_path):
    """Its settings name programs: git ran them when it compared a changed file."""
    made_up.write_records(folder)
    for command in (["init", "-q"], ["add", "Snakefile"], ["commit", "-qm", "all"]):
        git(folder, *command)
    made_up.write_records(folder)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'mark'}'\n")
    program.chmod(0o755)
    git(folder, "config", "core.fsmonitor", program)
    found = verify.verify(folder, allow_changes=True)
    assert not (tmp_path / "mark").exists()
    assert bad(found) == ({}, [])
    assert "git is not asked" in check_of(found, "tracked files").said[0]


@pytest.mark.parametrize(
    "ask",
    [
        lambda folder: verify.verify(folder, rerun=1),
        lambda folder: verify.verify(folder, rerun=["tables"]),
        lambda folder: verify.verify(folder, cheap=True),
        lambda folder: status(folder),
        lambda folder: replay(folder, "t:#1"),
    ],
    ids=["rerun", "named", "cheap", "status", "replay"],
)
def test_what_needs_code_says_so(folder, tmp_path, ask):
    (folder / "Snakefile").write_text(leaves(tmp_path / "mark"))
    made_up.write_records(folder)
    with pytest.raises(InputError, match=r"runs code of .*; read its Snakefile.*--trust"):
        ask(folder)
    assert not (tmp_path / "mark").exists()


def test_ones_own_checkout_needs_no_leave(folder, monkeypatch, tmp_path):
    """It is the one that the package is imported from; a link in the folder does not make it so."""
    package = folder / "src/hedgerow"
    assert not trust.is_own(folder)
    monkeypatch.setattr(trust, "PACKAGE", package.resolve())
    assert trust.is_own(folder)
    trust.check_trust(folder, "`hedgerow status`", False)
    other = tmp_path / "other"
    other.mkdir()
    (other / "src").symlink_to(folder / "src")
    assert not trust.is_own(other) and not trust.is_own(tmp_path)


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
def test_links_lead_to_no_file_of_the_reader(folder, tmp_path, link, to):
    """Checksums of files of his own were compared with those that a stranger had listed."""
    (tmp_path / "secret").write_text("secret\n")
    place = folder / link
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(tmp_path / to)
    for audit in (verify.verify, lambda root: trace(root, "t:#1")):
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
def test_a_manifest_is_checked_whole_before_it_is_used(folder, edit):
    """What it said became paths, options of commands and words on a terminal."""
    path = folder / "reports/manifest.json"
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    files, checks = bad(verify.verify(folder))
    assert files["reports/manifest.json"] == "differs" and checks == ["manifest"]


def test_jobs_that_come_from_each_other(folder):
    """The chain was said to be closed, and who drew the graph did not come back."""
    path = folder / "reports/manifest.json"
    content = json.loads(path.read_text())
    content["jobs"]["learn:a"]["inputs"].append("reports/tables/t.csv")
    path.write_text(json.dumps(content))
    (folder / "reports/html/assets").mkdir(parents=True)
    found = {"facts": [], "times": [], "graph": ""}
    (folder / "reports/html/assets/run.js").write_text(f"window.RUN = {json.dumps(found)};\n")
    check = check_of(verify.verify(folder), "chain to what was read")
    assert check.holds is False and "comes from the next one" in check.said[-1]


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.system ['touch mark']", "- a list", "a: &a [*a]", "\x00"]
)
def test_settings_are_data(folder, text, monkeypatch, tmp_path):
    """A list in the place of settings was an error of ours."""
    monkeypatch.chdir(tmp_path)
    (folder / "config/default.yaml").write_text(text)
    assert "configuration" in bad(verify.verify(folder))[1]
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


@pytest.mark.parametrize(
    "edit",
    [
        lambda t: t["sources"]["rows"].update(files=["/etc/passwd"]),
        lambda t: t["sources"]["rows"].update(files=["../secret.csv"]),
        lambda t: t["cells"][0].__setitem__(0, 7),
        lambda t: t["cells"][0].__setitem__(1, "none"),
        lambda t: t["cells"][0].__setitem__(3, [3]),
        lambda t: t["cells"][0].__setitem__(5, "twice"),
        lambda t: t["selections"][0].__setitem__(2, {c: list(range(300)) for c in "abc"}),
        lambda t: t["selections"][0].__setitem__(3, [-1]),
        lambda t: t["cells"][0].__setitem__(2, "mean_difference"),
    ],
)
def test_what_stands_behind_a_table_is_checked_before_it_is_used(tmp_path, edit):
    """Its paths led anywhere, and its numbers were taken for rows that are there."""
    for path in ("reports/tables/t.csv", "reports/rows.csv"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("a,b\n1,2\n")
    told = {
        "sources": {"rows": {"files": ["reports/rows.csv"], "columns": ["a"], "rows": [[0, 0, 1]]}},
        "selections": [["rows", "b", {}, [0]]],
        "cells": [[0, "b", "mean", [0], [], 1, None]],
    }
    file = tmp_path / "reports/cells/t.json"
    file.parent.mkdir()
    file.write_text(json.dumps(told))
    (part,) = Behind(tmp_path, "t").parts()
    assert part.holds
    edit(told)
    file.write_text(json.dumps(told))
    with pytest.raises(DataError, match=r"cells/t\.json: "):
        list(Behind(tmp_path, "t").parts())


def test_names_of_files_steer_no_terminal(folder, tmp_path, capsys):
    """They went to it as they were, and one that is no UTF-8 ended the command."""
    for name in (b"\x1b[2J.csv", b"\xff.csv"):
        Path(os.fsdecode(os.fsencode(folder / "reports/tables") + b"/" + name)).write_text("")
    assert cli.main(["verify", str(folder), "--json", str(tmp_path / "found.json")]) == 1
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


# ---------------------------------------------------------------------------------- sandbox


@pytest.fixture(scope="module")
def bubblewrap():
    """A sandbox that there is."""
    try:
        isolated.check_sandbox()
    except HedgerowError as error:
        pytest.skip(str(error))


PROBE = """
import json, os, pathlib, socket, sys

def tried(what):
    try:
        what()
    except OSError as error:
        return error.strerror or str(error)
    return "done"

found = {
    "folder": tried(lambda: pathlib.Path("reports/tables/t.csv").write_text("x")),
    "beside": tried(lambda: pathlib.Path("Snakefile").write_text("x")),
    "home": tried(lambda: pathlib.Path(SECRET).read_text()),
    "network": tried(lambda: socket.create_connection(("127.0.0.1", PORT), 5)),
    "token": os.environ.get("HEDGEROW_TOKEN", "none"),
    "read": pathlib.Path("config/default.yaml").stat().st_size,
}
"""


def test_in_a_sandbox_there_is_no_network_and_nothing_to_write_to(
    folder, bubblewrap, tmp_path, monkeypatch
):
    """A Snakefile could send away what it found, and change results before they were compared."""
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setenv("HEDGEROW_TOKEN", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        probe = f"SECRET = {str(tmp_path / 'secret')!r}\nPORT = {server.getsockname()[1]}\n{PROBE}"
        (folder / "Snakefile").write_text(f"{probe}\nsys.exit(json.dumps(found))")
        with pytest.raises(ConfigError) as told:
            graph.planned(folder, sandbox=True)
    found = json.loads(told.value.message.split(": ", 1)[1])
    assert found == {
        "folder": "Read-only file system",
        "beside": "Read-only file system",
        "home": "No such file or directory",
        "network": "Connection refused",
        "token": "none",
        "read": (folder / "config/default.yaml").stat().st_size,
    }


def test_jobs_are_made_anew_in_a_sandbox(folder, bubblewrap, tmp_path, monkeypatch):
    """They are compared as elsewhere, and what else they write stays there."""
    monkeypatch.setattr(made_up, "JOBS", {**made_up.JOBS, "tables": JOB})
    monkeypatch.setattr(verify, "planned", lambda root, files, sandbox: made_up.JOBS)
    shell = f"cat {{input}} > {{output}}; touch '{tmp_path}/mark' || true"
    (folder / "Snakefile").write_text(SNAKEFILE.replace("cat {input} > {output}", shell))
    made_up.write_records(folder)
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    found = verify.verify(folder, rerun=["tables"], sandbox=True)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before
    assert not (tmp_path / "mark").exists()
    assert check_of(found, "made anew").said == ["tables, as asked for."]
    assert bad(found)[0] == {"reports/tables/t.csv": "differs"}, "it is not its input"


def test_without_bubblewrap_or_leave_of_the_system_there_is_no_sandbox(
    folder, monkeypatch, tmp_path
):
    monkeypatch.setattr(isolated, "PROGRAM", "no-such-program")
    with pytest.raises(InputError, match=r"`no-such-program`.* is not installed"):
        verify.verify(folder, sandbox=True)
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(isolated, "PROGRAM", str(program))
    with pytest.raises(InputError, match="No permissions to create new namespace"):
        verify.verify(folder, sandbox=True)
