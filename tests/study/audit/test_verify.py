"""What `hedgerow verify` finds in a made-up project that is trusted.

Of one that is not: test_local_checkout.py. On real runs: test_workflow_audit.py.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import shutil
from importlib import metadata

import pytest
from audit.made_up import JOBS, SETTINGS, bad, change, check_of, git, write_records

from hedgerow import cli
from hedgerow.errors import DataError, InputError
from hedgerow_study.audit import rerun
from hedgerow_study.audit import verify as module
from hedgerow_study.audit.packages import check_packages
from hedgerow_study.audit.rerun import chance, draw_jobs, independent_groups, jobs_named
from hedgerow_study.audit.rerun_check import parse_rerun
from hedgerow_study.workflow.references.recorded import recorded
from hedgerow_study.workflow.showing import record


def verify(project, **given):
    """Its made-up workflow can make nothing."""
    return module.verify(project, **{"cheap": False, **given})


def test_a_run_that_nobody_touched_holds(project):
    found = verify(project)
    assert bad(found) == ({}, [])
    assert found.holds
    assert found.counts() == {"identical": 8}
    digest = hashlib.sha256((project / "reports/manifest.json").read_bytes()).hexdigest()
    assert found.digest == digest
    assert verify(project, digest=digest.upper()).holds


@pytest.mark.parametrize("new_time", [False, True], ids=["old time", "new time"])
@pytest.mark.parametrize(
    "path",
    ["data/raw/a/a.data", "data/published/t.csv", "data/trees/a.parquet", "reports/tables/t.csv"],
)
def test_a_changed_byte_is_found(project, path, new_time):
    change(project / path, new_time)
    found = verify(project)
    tracked = ["tracked files"] if path.startswith("data/published") else []
    assert bad(found) == ({path: "differs"}, tracked)
    assert not found.holds


def test_what_is_swapped_missing_or_not_listed(project):
    one, other = (project / f"reports/tables/{name}.csv" for name in "tu")
    before = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(before)
    (project / "data/trees/a.parquet").unlink()
    (project / "reports/tables/mine.csv").write_text("mine")
    (project / "data/logs").mkdir()
    (project / "data/logs/x.log").write_text("nothing is said of logs")
    found = verify(project)
    files, checks = bad(found)
    assert files == {
        "reports/tables/t.csv": "differs",
        "reports/tables/u.csv": "differs",
        "data/trees/a.parquet": "missing",
        "reports/tables/mine.csv": "not listed",
    }
    whys = {file.path: file.why for file in found.files}
    assert whys["reports/tables/t.csv"] == "it has the bytes of reports/tables/u.csv"
    assert checks == []


def test_files_that_nobody_lists_may_be_allowed(project):
    (project / "reports/tables/mine.csv").write_text("mine")
    assert not verify(project).holds
    assert verify(project, allow_unlisted=True).holds


def edit_manifest(project, change):
    path = project / "reports/manifest.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")


def test_an_edited_manifest(project):
    edit_manifest(project, lambda m: m["outputs"].update({"reports/tables/t.csv": 64 * "0"}))
    assert bad(verify(project)) == (
        {"reports/manifest.json": "differs", "reports/tables/t.csv": "differs"},
        [],
    )


def test_a_manifest_edited_with_its_output_is_found_by_the_sums_or_by_its_digest(project):
    """Where all three are forged, nothing inside tells: the digest of the run has to."""
    digest = verify(project).digest
    change(project / "reports/tables/t.csv")
    forged = hashlib.sha256((project / "reports/tables/t.csv").read_bytes()).hexdigest()
    edit_manifest(project, lambda m: m["outputs"].update({"reports/tables/t.csv": forged}))
    files, _ = bad(verify(project))
    assert files == {"reports/manifest.json": "differs", "reports/tables/t.csv": "differs"}
    write_records(project)
    assert verify(project).holds
    found = verify(project, digest=digest)
    assert bad(found) == ({}, ["digest of the manifest"])


@pytest.mark.parametrize(
    ("edit", "check"),
    [
        (lambda m: m["jobs"]["tables"]["inputs"].pop(), "parents"),
        (lambda m: m["jobs"]["tables"].update(code=64 * "1"), "code"),
        (lambda m: m["jobs"]["tables"].update(settings=64 * "1"), "settings of jobs"),
        (lambda m: m["configuration"]["soft"].update(step=0.2), "configuration"),
        (lambda m: m["packages"].update(numpy="0.1"), "package versions"),
        (lambda m: m.update(python="2.7.18"), "package versions"),
        (lambda m: m["made_by"].pop("reports/tables/t.csv"), "chain to what was read"),
        (lambda m: m["inputs"].pop("data/published/t.csv"), "chain to what was read"),
    ],
)
def test_what_else_a_manifest_says_is_compared(project, edit, check):
    edit_manifest(project, edit)
    files, checks = bad(verify(project))
    assert check in checks
    assert files["reports/manifest.json"] == "differs"


def test_a_changed_setting_is_named(project):
    changed = {**SETTINGS, "soft": {"step": 0.3, "datasets": ["a"]}}
    (project / "config/default.yaml").write_text(json.dumps(changed))
    check = check_of(verify(project), "configuration")
    assert check.messages == ["`soft.step` is 0.3 in config/default.yaml, 0.1 in the manifest."]
    (project / "config/default.yaml").unlink()
    check = check_of(verify(project), "configuration")
    assert not check.holds and "config/default.yaml" in check.messages[0]


def test_records_that_are_damaged_or_missing(project):
    manifest, listed = (project / f"reports/{name}" for name in ("manifest.json", "SHA256SUMS"))
    text, lines = manifest.read_text(), listed.read_text()
    listed.unlink()
    assert bad(verify(project))[0] == {"reports/SHA256SUMS": "missing"}
    listed.write_text(lines.replace("  data/trees", "  data/woods"))
    assert bad(verify(project))[0]["reports/SHA256SUMS"] == "differs"
    listed.write_text(lines)
    manifest.write_text("{")
    change(project / "reports/tables/t.csv")
    files, checks = bad(verify(project))
    assert files == {"reports/manifest.json": "differs", "reports/tables/t.csv": "differs"}
    assert checks == ["manifest"]
    manifest.unlink()
    assert bad(verify(project))[0]["reports/manifest.json"] == "missing"
    listed.unlink()
    with pytest.raises(DataError, match=r"holds no reports/manifest\.json; call `make reproduce`"):
        verify(project)
    old = json.loads(text)
    for key in ("version", "jobs", "made_by", "between"):
        del old[key]
    manifest.write_text(json.dumps(old))
    with pytest.raises(DataError, match="of an earlier version"):
        verify(project)


@pytest.mark.parametrize("path", ["../secret", "/etc/hostname", "reports/../../secret"])
def test_records_lead_nowhere_outside(project, path):
    """A made-up manifest would have files of others read."""
    edit_manifest(project, lambda m: m["outputs"].update({path: 64 * "0"}))
    files, _ = bad(verify(project))
    assert files == {"reports/manifest.json": "differs"}
    assert recorded(project).faults == ["reports/manifest.json is damaged"]


@pytest.mark.parametrize("key", ["jobs", "packages", "configuration", "sources", "between"])
def test_a_manifest_without_one_of_its_parts_is_damaged(project, key):
    edit_manifest(project, lambda m: m.pop(key))
    assert bad(verify(project))[1] == ["manifest"]


def test_results_may_lie_on_another_disk(project, tmp_path):
    (project / "data").rename(tmp_path / "elsewhere")
    (project / "data").symlink_to(tmp_path / "elsewhere")
    write_records(project)
    assert verify(project).holds


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"digest": "abc"}, "digest"),
        ({"rerun": -1}, "rerun"),
        ({"rerun": 1.5}, "rerun"),
        ({"seed": -1}, "seed"),
        ({"cores": 0}, "cores"),
        ({"tolerance": 2}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
    ],
)
def test_parameters_beyond_use(project, given, named):
    with pytest.raises(InputError, match=named):
        verify(project, **given)


# ------------------------------------------------------------------------------------- rerun


def test_jobs_are_drawn_by_the_seed():
    manifest = {"jobs": {**JOBS, **{f"more:{n}": {"rule": "more"} for n in range(20)}}}
    assert draw_jobs(manifest, 5, 1) == draw_jobs(manifest, 5, 1) != draw_jobs(manifest, 5, 2)
    everything = draw_jobs(manifest, 100, 1)
    assert len(everything) == 22 and "fetch:a" not in everything


def test_no_job_lies_in_a_group_with_one_that_it_comes_from():
    """However far: Snakemake made what lies between anew, and the last one from that."""
    manifest = {"jobs": JOBS, "made_by": {p: id for id in JOBS for p in JOBS[id]["outputs"]}}
    assert independent_groups(manifest, ["tables", "fetch:a"]) == [["tables"], ["fetch:a"]]
    assert independent_groups(manifest, ["learn:a", "tables"]) == [["learn:a"], ["tables"]]
    others = {f"more:{n}": {"rule": "more", "inputs": [], "outputs": []} for n in range(2)}
    manifest["jobs"] = {**JOBS, **others}
    assert independent_groups(manifest, ["tables", "more:0", "learn:a", "more:1"]) == [
        ["tables", "more:0", "more:1"],
        ["learn:a"],
    ]


# --------------------------------------------------------------------------- on a command line


def test_line_ends_that_git_converts_are_told(project):
    """A clone with core.autocrlf made 705 of 1,224 files differ, and nobody said why."""
    table = project / "reports/tables/t.csv"
    table.write_bytes(table.read_bytes().replace(b"\n", b"\r\n"))
    (file,) = (file for file in verify(project).files if file.verdict != "identical")
    assert file.why.startswith("only its line ends differ: git converts them")


def test_the_command(project, capsys, tmp_path):
    assert cli.main(["verify", str(project), "--no-cheap"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "All 8 files and all checks hold. Not checked: commit; jobs not rerun." in said
    change(project / "reports/tables/t.csv")
    file = tmp_path / "found.json"
    assert cli.main(["verify", str(project), "--no-cheap", "--json", str(file)]) == 1
    said = capsys.readouterr().out
    assert "differs  reports/tables/t.csv  its bytes were changed" in said
    assert "It does not hold: 7 identical; 1 differs. Not checked: commit" in said
    found = json.loads(file.read_text())
    assert found["holds"] is False
    assert found["counts"] == {"identical": 7, "differs": 1}
    (one,) = (f for f in found["files"] if f["verdict"] == "differs")
    assert one["path"] == "reports/tables/t.csv" and one["kind"] == "output"
    assert cli.main(["verify", str(tmp_path)]) == 1
    assert "is no project folder; go to the folder of a run" in capsys.readouterr().err
    assert cli.main(["verify", str(tmp_path / "nowhere")]) == 1
    assert "is no folder" in capsys.readouterr().err


# --------------------------------------------------------------------- the checkout of the run


@pytest.fixture
def repository(project):
    """The project with its settings and its published figure committed, and a run of that."""
    git(project, "init", "-q")
    git(project, "add", "config", "data/published")
    git(project, "commit", "-qm", "all")
    write_records(project)
    return project


def test_a_run_of_a_changed_checkout_does_not_hold(repository):
    """A loosened bound and `make reproduce`: all checks held, for the commit was only told."""
    assert bad(verify(repository)) == ({}, [])
    (repository / "config/claims.yaml").write_text("a bound: loosened\n")
    git(repository, "add", "config/claims.yaml")
    write_records(repository)
    found = verify(repository)
    assert bad(found) == ({}, ["commit"])
    said = check_of(found, "commit").messages
    assert said[0].startswith("Made by a changed checkout: 1 file differs from commit ")
    assert said[1] == "config/claims.yaml new."
    allowed = verify(repository, allow_changes=True)
    assert bad(allowed) == ({}, [])
    assert check_of(allowed, "commit").holds


def test_tracked_files_are_compared_with_the_commit(repository):
    path = repository / "data/published/t.csv"
    before = path.read_bytes()
    path.write_text("another figure\n")
    edit_manifest(repository, lambda m: m["inputs"].clear())  # as if no job had read it
    for allowed in (False, True):
        found = verify(repository, allow_changes=allowed)
        assert "tracked files" in bad(found)[1]
        assert (
            "data/published/t.csv: not what the run" in check_of(found, "tracked files").messages[0]
        )
    # The manifest says that the run had it so: the commit says otherwise.
    forged = hashlib.sha256(b"another figure\n").hexdigest()
    edit_manifest(repository, lambda m: m["code"]["files"].update({"data/published/t.csv": forged}))
    (said,) = check_of(verify(repository), "tracked files").messages
    assert said.startswith("data/published/t.csv: changed since commit ")
    path.write_bytes(before)


def test_commits_after_the_run_count_where_they_reach_it(repository):
    (repository / "README.md").write_text("a document")
    git(repository, "add", "README.md")
    git(repository, "commit", "-qm", "documents")
    assert bad(verify(repository)) == ({}, [])
    (repository / "config/more.yaml").write_text("a: 1\n")
    git(repository, "add", "config")
    git(repository, "commit", "-qm", "settings")
    found = verify(repository)
    assert bad(found)[1] == ["tracked files"]
    assert check_of(found, "tracked files").messages[0] == "config/more.yaml: new since the run."


def test_without_git_the_hashes_of_the_manifest_have_to_do(repository):
    shutil.rmtree(repository / ".git")
    found = verify(repository)
    assert bad(found) == ({}, [])
    assert check_of(found, "commit").holds is None
    assert "its commit is not known here" in check_of(found, "tracked files").messages[0]
    (repository / "config/claims.yaml").write_text("new")
    assert bad(verify(repository))[1] == ["tracked files"]
    (repository / "config/claims.yaml").unlink()
    write_records(repository)
    found = verify(repository)
    assert bad(found) == ({}, []) and check_of(found, "commit").holds is None
    git(repository, "init", "-q")
    assert bad(verify(repository)) == ({}, [])


def test_a_commit_that_is_not_here(repository):
    """It was `yes, as it was committed`, by the manifest's own word."""
    edit_manifest(repository, lambda m: m["code"].update(commit=40 * "1"))
    check = check_of(verify(repository), "commit")
    assert check.holds is None and "does not have commit 111" in check.messages[-1]


# ------------------------------------------------------------------ what else lies outside


def test_the_record_that_the_site_shows_is_compared(project):
    """`run.js` stands in no manifest, and a browser runs what it says, on the front page too."""
    made = json.loads((project / "reports/manifest.json").read_text())
    file = project / record.RECORD
    file.parent.mkdir(parents=True)
    record.write_record(project)
    before = file.read_text()
    assert bad(verify(project)) == ({}, [])
    content = json.loads(before.removeprefix("window.RUN = ").removesuffix(";\n"))
    forged = {name: json.loads(json.dumps(content)) for name in ("fact", "time", "graph", "names")}
    forged["fact"]["facts"][0][1] = "0123456789ab, clean"
    forged["time"]["times"] = [["rule", 1, "<b>", 2, 3]]
    forged["graph"]["graph"] += "<script>alert(1)</script>"
    forged["names"]["facts"].append(["Verdict", "all reproduced"])
    texts = [record.as_script(one) for one in forged.values()]
    texts += [before + "document.title = 'all reproduced';\n", "", "window.RUN = 1;\n"]
    for text in texts:
        file.write_text(text)
        assert bad(verify(project))[0] == {record.RECORD.as_posix(): "differs"}, text
    file.write_text(before)
    assert made["code"]["commit"] is None and '"no repository"' in before


def test_installed_packages_are_compared_with_their_records(tmp_path, monkeypatch):
    """A library that was edited in place has the version that the manifest lists; a `.pth` file
    that no package brings runs in every interpreter, and was not seen."""
    module = tmp_path / "made_up.py"
    module.write_text("one = 1\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"one = 1\n").digest()).rstrip(b"=").decode()
    about = tmp_path / "made_up-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: Made_Up\nVersion: 1.0\n")
    # numpy 2.0 brings bytecode, which Python writes anew when it imports the module.
    bytecode = f"__pycache__/made_up.cpython-311.pyc,sha256={digest},8\n"
    own = f"made_up.py,sha256={digest},8\nmade_up-1.0.dist-info/RECORD,,\n"
    (about / "RECORD").write_text(bytecode + own)
    found = [metadata.Distribution.at(about)]
    monkeypatch.setattr("hedgerow_study.audit.packages.metadata.distributions", lambda: found)
    monkeypatch.setattr(
        "hedgerow_study.audit.packages.sysconfig.get_path", lambda name: str(tmp_path)
    )
    monkeypatch.setattr("hedgerow_study.audit.packages.site.ENABLE_USER_SITE", False)
    listed = {"packages": {"made_up": "1.0"}}
    assert check_packages(listed).messages == ["1 files are as installed, by the records of their "
                                           "packages."]  # fmt: skip
    for name in ("more.pth", "sitecustomize.py", "json/__init__.py", "lone.pyc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
        check = check_packages(listed)
        assert check.holds is False and check.messages[0].startswith(
            f"No package lists {tmp_path / name}"
        )
        (tmp_path / name).unlink()
    (tmp_path / "README.txt").write_text("nothing runs it")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/made_up.cpython-311.pyc").write_text("Python writes it")
    assert check_packages(listed).holds
    module.write_text("one = 2\n")
    check = check_packages(listed)
    assert check.holds is False and check.messages[0].startswith("made_up: not as installed: ")
    assert check_packages({"packages": {}}).holds
    module.unlink()
    assert not check_packages(listed).holds
    (about / "RECORD").unlink()
    assert check_packages(listed).messages[-1] == "Without a record: made_up."


def test_the_chance_of_a_sample():
    """Nothing said that five jobs of hundreds find next to nothing."""
    assert f"{chance(444, 5):.1%}" == "1.1%"
    assert chance(10, 10, 3) == 1 and chance(10, 0) == 0
    pairs = [set(pair) for pair in itertools.combinations(range(6), 2)]
    drawn_one = sum(bool(pair & {0, 1, 2}) for pair in pairs) / len(pairs)
    assert chance(6, 2, 3) == pytest.approx(drawn_one)
    with pytest.raises(ValueError, match="more jobs"):
        chance(3, 1, 4)


def named_jobs():
    manifest = {"jobs": JOBS, "made_by": {p: id for id in JOBS for p in JOBS[id]["outputs"]}}
    manifest["sources"] = {}
    return manifest


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("tables", ["tables"]),
        ("learn", ["learn:a"]),
        ("learn:a", ["learn:a"]),
        ("reports/tables/u.csv", ["tables"]),
        ("./data/trees/a.parquet", ["learn:a"]),
    ],
)
def test_what_is_made_anew_can_be_named(name, ids):
    assert jobs_named(named_jobs(), name) == ids


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table", "did you mean `tables`"),
        ("zzz", "give a number"),
        ("fetch:a", "is a download"),
        ("data/published/t.csv", "no rule, job or file"),
    ],
)
def test_a_name_that_means_no_job(name, words):
    with pytest.raises(InputError, match=words):
        jobs_named(named_jobs(), name)


def test_numbers_and_names_may_be_mixed():
    assert parse_rerun(["5", "tables", "2"]) == (7, ["tables"])
    assert parse_rerun(3) == (3, []) and parse_rerun("tables") == (0, ["tables"])


@pytest.fixture
def remade(project, monkeypatch, tmp_path):
    """Jobs that are rerun give what the project first held."""
    first = tmp_path / "first"
    shutil.copytree(project, first)

    def redo(root, checkout, manifest, ids, cores, chained=False):
        yield from ((id, first, None) for id in ids)

    monkeypatch.setattr("hedgerow_study.audit.rerun_check.rerun_in_copy", redo)
    return project


def test_table_manifest_and_sums_edited_together_are_found_where_cheap_jobs_are_made_anew(remade):
    """The three looked whole; only a noted digest, or luck in a draw, told."""
    path = remade / "reports/tables/t.csv"
    path.write_text("a,b\n1,2\n")
    write_records(remade)
    assert verify(remade).holds
    found = verify(remade, cheap=True)
    assert found.cheap == ["tables"], "learning is none of them"
    assert bad(found) == ({"reports/tables/t.csv": "differs"}, [])
    assert check_of(found, "cheap jobs").messages == [
        "1 of 2 jobs: tables, figures, verdicts, pages."
    ]


def test_what_comes_from_an_altered_file_is_not_made_anew(remade):
    """It would differ, too, and bury the one that was altered."""
    change(remade / "data/trees/a.parquet")
    found = verify(remade, cheap=True)
    assert bad(found)[0] == {"data/trees/a.parquet": "differs"}
    assert found.cheap == [] and "tables" in check_of(found, "cheap jobs").messages[1]


def test_a_copy_has_the_notes_that_pages_show(project, monkeypatch):
    """In one's own checkout no cheap job could be made: pages of notes had nothing to come from."""
    (project / "docs/notes").mkdir(parents=True)
    (project / "docs/notes/soft.md").write_text("# Notes\n")
    seen = []

    def run(folder, *_):
        seen.append((folder / "docs/notes/soft.md").is_file())
        return {"": "nothing is run"}

    monkeypatch.setattr(rerun, "_run", run)
    manifest = json.loads((project / "reports/manifest.json").read_text())
    made = list(rerun.rerun_in_copy(project, project, manifest, ["tables"]))
    assert seen == [True] and made[0][2] == "nothing is run"


def test_a_draw_says_what_it_can_find(remade):
    (said,) = check_of(verify(remade, rerun=1, seed=3), "drawn jobs").messages
    assert said == (
        "1 of 2 jobs, drawn with seed 3 and made with all that they come from (1 in all), find one "
        "altered output with a chance of 50.0 % or more, one of 2 with 100.0 % or more."
    )
    found = verify(remade, rerun=["tables", 1], cheap=True)
    assert found.rerun_jobs == ["tables", "learn:a"]
    assert check_of(found, "rerun").messages[0] == "tables, as asked for."


@pytest.mark.parametrize("command", [["verify"], ["trace", "--all"], ["trace", "t:#1"]])
def test_json_is_written_over_nothing(tmp_path, capsys, command):
    """`--json FILE` replaced FILE, whatever it was."""
    file = tmp_path / "thesis.tex"
    file.write_text("mine")
    assert cli.main([*command, "--json", str(file)]) == 1
    assert "thesis.tex is there already; name another place, or add --force" in (
        capsys.readouterr().err
    )
    assert file.read_text() == "mine"


def test_json_with_force(project, tmp_path):
    file = tmp_path / "found.json"
    file.write_text("of yesterday")
    assert cli.main(["verify", str(project), "--no-cheap", "--json", str(file), "--force"]) == 0
    assert json.loads(file.read_text())["holds"] is True


def test_a_file_that_comes_while_an_audit_works_is_kept(project, tmp_path, monkeypatch, capsys):
    """It was written over; what was found is on the screen all the same."""
    from hedgerow_study.audit import verify as module

    file, work = tmp_path / "found.json", module.verify

    def slow(*arguments, **options):
        file.write_text("mine")
        return work(*arguments, **options)

    monkeypatch.setattr(module, "verify", slow)
    assert cli.main(["verify", str(project), "--json", str(file)]) == 1
    said = capsys.readouterr()
    assert file.read_text() == "mine" and "found.json is there already" in said.err
    assert "manifest" in said.out
