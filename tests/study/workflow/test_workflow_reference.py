"""References: parts made one by one, tables made of all of them, and what is refused."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from made_parts import CALL, make_part
from throwaway import ROOT, new_project

from hedgerow import cli
from hedgerow.errors import DataError, InputError
from hedgerow.files import (
    parquet_bytes,
    read_csv,
    read_json,
    read_parquet,
    read_yaml,
    write_bytes,
    write_csv,
    write_json,
    write_parquet,
)
from hedgerow_study.audit.reference_results import rerun_outputs, verify_reference
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.jobs.frame import write_absence
from hedgerow_study.workflow.jobs.parts import Cut, Part, digests
from hedgerow_study.workflow.planning.records import Need, kept_jobs
from hedgerow_study.workflow.references.paper_scale import (
    LARGEST_FIGURE,
    Reference,
    check_out,
    claims_of,
    drawn,
    kept,
    kernels,
    read_parts,
    unpack,
)

SETTINGS = """
configuration: tiny
experiments: [soft]
soft:
  datasets: [bupa, haberman, wine]
  methods: [c45, ss, se, plt, udt]
  n_repeats: 2
  n_folds: 2
  noise_factors: [0, 0.2]
  uncertainties: [0.2]
  n_samples: 10
  chunk: 1
"""
TWO = ["bupa", "haberman"]


# ------------------------------------------------------------------ parts, made up by hand


@pytest.fixture
def made(tmp_path):
    """Two parts in a folder."""
    for name in TWO:
        make_part(tmp_path / "parts", name, {f"data/results/soft/{name}.parquet": b"rows"})
    return tmp_path / "parts"


def edit(folder, name, **changed):
    write_json(folder / f"{name}.json", read_json(folder / f"{name}.json") | changed)


def test_no_part_at_all(tmp_path):
    with pytest.raises(DataError, match="holds no part"):
        read_parts(tmp_path)


def test_a_changed_archive_is_refused(made):
    archive = made / "bupa.tar.xz"
    content = archive.read_bytes()
    archive.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
    with pytest.raises(DataError, match=r"bupa\.tar\.xz is not the file"):
        read_parts(made)
    archive.unlink()
    with pytest.raises(DataError, match=r"bupa\.tar\.xz is not the file"):
        read_parts(made)


def test_a_file_that_is_not_that_of_the_manifest_is_refused(made, tmp_path):
    """Archive and manifest agree on its name only."""
    path = "data/results/soft/bupa.parquet"
    edit(made, "bupa", files={path: 64 * "0"})
    with pytest.raises(DataError, match=rf"{path} in .*bupa was changed"):
        unpack(made, "bupa", read_parts(made)["bupa"], tmp_path / "project")
    assert not (tmp_path / "project").exists()


@pytest.mark.parametrize("content", ["{}", '{"files": {}}', '{"code": 1, "files": [1]}', "[", "1"])
def test_a_manifest_that_is_none_is_refused(made, content):
    (made / "bupa.json").write_text(content)
    with pytest.raises(DataError, match=r"bupa\.json is (no manifest of a part|damaged)"):
        read_parts(made)


@pytest.mark.parametrize(
    "changed",
    [
        {"files": {"../../secret": 64 * "0"}},
        {"files": {"/secret": 64 * "0"}},
        {"source": "mirror"},
        {"settings": []},
        {"archive": 1},
        {"jobs": {"soft_learn:bupa": {"seconds": "long", "mib": 1}}},
        {"jobs": {"soft_learn:bupa": 1}},
        {"code": {"calls": {CALL: 1}}},
    ],
)
def test_a_manifest_of_somebody_else_is_checked_before_it_is_used(made, changed):
    """Its files lay where it liked, beside the copy of the project as well."""
    edit(made, "bupa", **changed)
    with pytest.raises(DataError, match=r"bupa\.json is no manifest of a part"):
        read_parts(made)


@pytest.mark.parametrize(
    "key, changed",
    [
        ("settings", {"configuration": "paper", "seed": 1, "soft": {"step": 0.2}}),
        ("settings", {"configuration": "paper", "seed": 2, "soft": {"step": 0.1}}),
        ("code", {"calls": {CALL: 64 * "1"}}),
        ("code", {"calls": {CALL: 64 * "0"}, "equal": {"calls": {CALL: 64 * "1"}}}),
    ],
)
def test_parts_that_were_made_differently_are_refused(made, key, changed):
    edit(made, "haberman", **{key: changed})
    with pytest.raises(DataError, match=f"bupa and haberman in .* made with different {key}"):
        read_parts(made)


def test_parts_of_two_rules_need_not_read_the_same(made):
    """Those of other functions and settings say nothing against each other."""
    settings = {"configuration": "paper", "seed": 1, "soft": {"n_folds": 3}, "search": {"step": 2}}
    edit(made, "haberman", settings=settings, code={"calls": {"soft.steps:noise": 64 * "2"}})
    assert list(read_parts(made)) == TWO


def test_parts_that_came_out_the_same_join_those_of_today(made):
    equal = {"calls": {CALL: 64 * "1"}, "compared": ["bupa"]}
    edit(made, "bupa", code={"calls": {CALL: 64 * "0"}, "equal": equal})
    edit(made, "haberman", code={"calls": {CALL: 64 * "1"}})
    assert list(read_parts(made)) == TWO


def test_a_draw_follows_its_text_and_not_the_order_of_the_names():
    names = [f"set_{i}" for i in range(20)]
    few = drawn(names, 3, "today")
    assert drawn(reversed(names), 3, "today") == few
    assert drawn(names, 5, "today")[:3] == few
    assert drawn(names, 3, "tomorrow") != few
    assert drawn(names[:2], 5, "today") == drawn(names[:2], 2, "today")


def test_what_the_jobs_of_kept_parts_took(tmp_path):
    """Not those of other configurations, nor of parts that have no archive."""
    folder = tmp_path / "data/reference/soft/parts"
    make_part(folder, "bupa", {})
    settings = {"configuration": "midpoint"}
    make_part(tmp_path / "data/reference/midpoint/soft/parts", "wine", {}, settings=settings)
    write_json(folder / "iris.json", {"settings": {"configuration": "paper"}, "jobs": {"n": 1}})
    assert kept_jobs(tmp_path) == {"soft_learn:bupa,000-004": Need(90.0, 200.0)}


def test_files_of_a_user_among_the_parts_are_left_alone(made):
    check_out(made.parent, "soft", False)
    (made / "notes.tar.xz").write_text("mine")
    with pytest.raises(InputError, match=r"holds parts/notes\.tar\.xz, which"):
        check_out(made.parent, "soft", False)
    with pytest.raises(InputError, match="was not made by"):
        check_out(made.parent, "search", False)
    check_out(made.parent, "soft", True)


# ----------------------------------------------------- a reference whose plan is written by hand

OTHER = "soft.steps:noise"
HOW = Cut(
    {
        name: Part(name, name, (f"data/{name}.parquet", f"data/jobs/{name}.parquet"), (), calls)
        for name, calls in [("a", (CALL,)), ("b", (CALL,)), ("c", (CALL,)), ("d", (CALL, OTHER))]
    },
    ("soft_tables",),
    ("soft.tables",),
)
VALUES = pd.DataFrame({"value": [0.1, 0.2, np.nan]})


@pytest.fixture
def four(tmp_path):
    """Four parts, made by functions that have changed, and a project that has made them again."""
    shutil.copytree(ROOT / "config", tmp_path / "project/config")
    one = Reference(tmp_path / "project", "soft", "paper", tmp_path / "soft")
    one.cut = HOW
    for name, part in HOW.parts.items():
        files = {path: parquet_bytes(VALUES) for path in part.files}
        code = {"commit": "abc", "calls": dict.fromkeys(part.calls, 64 * "0")}
        make_part(one.parts, name, files, settings=one._settings(part.calls), code=code)
        for path, content in files.items():
            write_bytes(one.root / path, content)
        write_json(one.root / f"data/raw/{name}/source.json", {"sha256": 64 * "1"})
    one.plan = {f"tidy:{name}": {"inputs": [f"data/raw/{name}/source.json"]} for name in HOW.parts}
    return one


def test_a_part_of_local_data_is_refused(four):
    """A reference would have told the results of edited data as those of the papers' sets."""
    version = {
        **{"sha256": 64 * "0", "layout": "mirror (a/a)", "date": "2026-11-27"},
        **{"changes": "1 of 3 rows changed", "tables": {"a": 64 * "1"}},
    }
    local = four.root / "config/local_data.yaml"
    local.write_text(yaml.safe_dump({"local_data": {"a": version}}))
    with pytest.raises(DataError, match=r"no part a of registered data \(a: local version of"):
        four.collect(["a"])


def codes(one):
    return {name: read_json(one.parts / f"{name}.json")["code"] for name in HOW.parts}


def test_parts_that_come_out_the_same_speak_for_the_others(four):
    """They keep the digests that made them; running times and notes of writers may differ."""
    write_parquet(four.root / "data/jobs/a.parquet", VALUES + 1)
    noted = pa.Table.from_pandas(VALUES).replace_schema_metadata({"writer": "another"})
    write_parquet(four.root / "data/a.parquet", noted)
    four.compare(["d", "a"])
    for name, code in codes(four).items():
        calls = HOW.parts[name].calls
        assert code["calls"] == dict.fromkeys(calls, 64 * "0") and code["commit"] == "abc"
        assert code["equal"] == {"calls": digests(calls), "compared": ["a", "d"]}
    assert list(read_parts(four.parts)) == list(HOW.parts)
    four.compare(["b"])
    assert codes(four)["a"]["equal"]["compared"] == ["a", "b", "d"]


def _last_bit(one):
    table = VALUES.copy()
    table.loc[1, "value"] = np.nextafter(0.2, 1)
    write_parquet(one.root / "data/d.parquet", table)


@pytest.mark.parametrize(
    "spoil, culprit",
    [
        (_last_bit, "data/d.parquet"),
        (lambda one: (one.root / "data/d.parquet").unlink(), "data/d.parquet"),
        (
            lambda one: write_json(one.root / "data/raw/d/source.json", {"sha256": 64 * "2"}),
            "data/raw/d/source.json",
        ),
        (lambda one: _asks_for(one, step=0.2), "settings"),
        (lambda one: _drop_file(one, "d"), "files"),
    ],
)
def test_a_part_that_comes_out_otherwise_speaks_for_none(four, spoil, culprit):
    """A difference in the last bit of one value is one."""
    spoil(four)
    before = codes(four)
    with pytest.raises(DataError, match=rf"{re.escape(culprit)}: made again, not what .*d\.json"):
        four.compare(["d"])
    assert codes(four) == before


def _asks_for(one, **settings):
    file = one.root / "config/paper.yaml"
    content = read_yaml(file)
    content["soft"] |= settings
    file.write_text(json.dumps(content))


def _drop_file(one, name):
    kept = {f"data/{name}.parquet": parquet_bytes(VALUES)}
    manifest = read_json(one.parts / f"{name}.json")
    own = {key: manifest[key] for key in ("settings", "code")}
    make_part(one.parts, name, kept, **own)


def test_a_setting_that_has_come_since_is_no_difference(four):
    """That the values are the same shows that it changes none."""
    for name in HOW.parts:
        settings = read_json(four.parts / f"{name}.json")["settings"]
        del settings["soft"]["plt_crossings"]
        edit(four.parts, name, settings=settings)
    four.compare(["d"])
    assert "equal" in codes(four)["a"]


def test_parts_of_analyses_are_not_those_of_another_order(tmp_path):
    """Runs in a part have numbers, not names: with choices in another order, which no digest told,
    rows of one alternative were judged as those of another."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    one = Reference(tmp_path, "analytic_choices", "multiverse", tmp_path / "kept", "evidential")
    calls = ["workflow.jobs.analytic_choices:run"]
    then = one._settings(calls)
    assert one._settings(calls) == json.loads(json.dumps(then))
    file = tmp_path / "config/analytic_choices.yaml"
    content = read_yaml(file)
    own = content["evidential"]["choices"]
    content["evidential"]["choices"] = dict(reversed(own.items()))
    file.write_text(json.dumps(content))
    now = one._settings(calls)
    assert now["analytic_choices"]["choices"] == then["analytic_choices"]["choices"] and now != then
    shutil.copy(ROOT / "config/analytic_choices.yaml", file)
    file = tmp_path / "config/multiverse.yaml"
    file.write_text(file.read_text().replace("singles: true", "singles: false"))
    assert one._settings(calls) != then


def test_a_function_that_has_changed_is_compared_or_none_is(four):
    """Parts of one rule spoke for those of another one, which nobody had made again."""
    with pytest.raises(DataError, match=rf"^{OTHER} has changed and made none of a, b"):
        four.compare(["a", "b"])
    assert not any("equal" in code for code in codes(four).values())
    for seed in ("1", "2", "3", "4"):
        chosen = four.to_compare([], 1, seed)
        assert "d" in chosen and len(chosen) <= 2
        assert chosen[0] == drawn(HOW.parts, 1, seed)[0]
    assert four.to_compare(["b"], 0, "1") == ["b", "d"]
    edit(four.parts, "d", code={"calls": {CALL: 64 * "0"} | digests([OTHER])})
    assert four.to_compare(["b"], 0, "1") == ["b"]


def test_parts_that_are_not_there_are_not_drawn(four):
    (four.parts / "a.json").unlink()
    assert sorted(four.to_compare([], 4, "1")) == ["b", "c", "d"]
    with pytest.raises(DataError, match=r"has no part a; make it first"):
        four.to_compare(["a"], 1, "1")


def test_a_part_without_its_archive_is_not_there(four):
    """Manifests of former times have none; their parts are made again."""
    (four.parts / "b.tar.xz").unlink()
    (four.parts / "c.json").unlink()
    assert four.absent() == ["b", "c"]
    assert four.named(["d", "a", "d"]) == ["d", "a"]
    with pytest.raises(DataError, match=r"`e` is no data set of soft in config/paper\.yaml"):
        four.named(["e"])
    with pytest.raises(DataError, match=r"b\.tar\.xz is not the file"):
        four.merge()


def test_what_is_lacking_is_named_and_nothing_is_made_of_the_others(four):
    for end in ("json", "tar.xz"):
        (four.parts / f"c.{end}").unlink()
    with pytest.raises(DataError, match="of soft 1 parts are not there: c"):
        four.merge()
    assert {path.name for path in four.folder.iterdir()} == {"parts"}


def test_parts_with_other_settings_than_the_configuration_give_no_tables(four):
    """The manifest of the tables would have stated settings that no part was made with."""
    _asks_for(four, step=0.2)
    told = r"a\.json: settings not those of config/paper\.yaml"
    with pytest.raises(DataError, match=told):
        four.merge()
    with pytest.raises(DataError, match=told):
        four.to_compare(["a"], 0, "1")


@pytest.mark.parametrize("why", ["nothing has made it", "no source serves it"])
def test_what_could_not_be_made_is_no_part(four, why):
    path = four.root / "data/b.parquet"
    path.unlink()
    if why.startswith("no source"):
        write_absence(path, why)
    with pytest.raises(DataError, match=rf"no part b: data/b\.parquet is not there \({why}\)"):
        four.collect(["b"])


def test_commands_that_ask_for_nothing_possible(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["reference", "soft"]) == 1
    assert "is no hedgerow project" in capsys.readouterr().err
    monkeypatch.chdir(ROOT)
    assert cli.main(["reference", "all", "pima"]) == 1
    assert "`pima` is a part of one experiment" in capsys.readouterr().err


# --------------------------------------------------------------------------------- real runs


def reference(project, *arguments, experiment="soft", configuration="tiny"):
    options = ("--configuration", configuration, "--out", "kept")
    return project.python("-m", "hedgerow.cli", "reference", experiment, *arguments, *options)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Three parts, made by three calls, and the tables that the last one makes of them."""
    project = new_project(tmp_path_factory.mktemp("parts"))
    (project.path / "config/tiny.yaml").write_text(SETTINGS)
    for arguments, said, lacking in (
        (["haberman"], "1 of 3 parts are there, and no tables yet", "bupa, wine"),
        (["bupa"], "2 of 3 parts are there, and no tables yet", "wine"),
        (["--all"], "3 parts, ", ""),
    ):
        done = reference(project, *arguments)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
        assert not lacking or f"not there: {lacking}\n" in done.stdout
        assert (project.path / "kept/soft/manifest.json").is_file() == (not lacking)
    return project


@pytest.fixture(scope="module")
def soft(project):
    """That reference; its plan is asked for once."""
    return Reference(project.path, "soft", "tiny", project.path / "kept/soft")


@pytest.mark.runs
def test_tables_are_those_of_one_run(project, soft):
    """Made apart and put together, or made together: the same to the byte."""
    done = project.forked("--cores", "2", "--configfile", "config/tiny.yaml", "--", "soft")
    assert done.returncode == 0, done.stderr
    manifest = read_json(soft.folder / "manifest.json")
    assert manifest["kernels"] == kernels()  # last places hang on them
    assert len(manifest["outputs"]) > 8 and "running_times.csv" in manifest["outputs"]
    assert same_as_run(soft) == set(manifest["outputs"])


def same_as_run(one):
    """What a reference keeps and a run in its project has made, compared."""
    made = kept(one.plan, one.cut.rules) | {
        f"{one.experiment}_claims.csv": claims_of(one.plan, one.experiment)
    }
    found = set()
    for name, path in made.items():
        if (one.folder / name).is_file():
            whole = one.root / path
            if whole.suffix == ".parquet":
                write_csv(one.folder.parent / "whole.csv", read_parquet(whole))
                whole = one.folder.parent / "whole.csv"
            assert (one.folder / name).read_bytes() == whole.read_bytes(), name
            found.add(name)
        elif path.endswith(".svg"):
            assert (one.root / path).stat().st_size > LARGEST_FIGURE
        else:  # a table without rows
            assert len((one.root / path).read_text().splitlines()) == 1
    return found


@pytest.mark.runs
def test_a_reference_holds_under_audit_and_says_what_it_was_made_of(soft):
    found = verify_reference(soft.folder)
    assert found.holds and not any(check.name.endswith("code") for check in found.checks)
    assert len(found.files) == sum(path.is_file() for path in soft.folder.rglob("*"))
    manifest = read_json(soft.folder / "manifest.json")
    assert (manifest["n_jobs"], manifest["configuration"]) == (30, "tiny")
    assert manifest["seconds"] >= manifest["longest_seconds"] > 0 < manifest["largest_mib"]
    ends = ("json", "tar.xz")
    names = {f"parts/{name}.{end}" for name in (*TWO, "wine") for end in ends}
    assert manifest["parts"].keys() == names
    assert set(manifest["code"]["calls"]) == set(soft.cut.calls)


@pytest.mark.runs
def test_a_forged_table_at_full_scale_is_found(soft, tmp_path):
    """73.6 was edited to 99.12, and the manifest with it: "all files and all checks hold"."""
    folder = tmp_path / "soft"
    shutil.copytree(soft.folder, folder)
    table, manifest = folder / "thesis_table_3_4.csv", read_json(folder / "manifest.json")
    found = verify_reference(folder)
    rerun_outputs(folder, found, soft.root)
    n = len(manifest["outputs"])
    assert found.holds and found.checks[-1].messages == [f"{n} of {n} files."]
    rows = read_csv(table)
    row = rows["measured"].first_valid_index()
    rows.loc[row, "measured"] += 25
    write_csv(table, rows)
    manifest["outputs"]["thesis_table_3_4.csv"] = checksum(table)
    write_json(folder / "manifest.json", manifest)
    found = verify_reference(folder)
    assert found.holds
    rerun_outputs(folder, found, soft.root)
    differ = [file for file in found.files if file.verdict != "identical"]
    assert [file.path for file in differ] == ["thesis_table_3_4.csv"] and not found.holds
    assert "in the rerun its numbers differ" in differ[0].why
    rerun_outputs(folder, found, None)
    assert found.not_checked() == ["soft/made from its parts"]
    for part in sorted((folder / "parts").glob("*.json")):
        content = read_json(part)
        content["settings"]["soft"]["step"] = 0.3
        write_json(part, content)
    rerun_outputs(folder, found, soft.root)
    assert found.checks[-1].holds is None
    assert re.match(r"parts/\w+\.json: settings not those of config/", found.checks[-1].messages[0])


@pytest.mark.runs
def test_a_part_says_what_it_was_made_from(soft):
    part = read_json(soft.parts / "bupa.json")
    assert (part["experiment"], part["part"], part["dataset"]) == ("soft", "bupa", "bupa")
    # No step declares how many repeats there are: the jobs name them.
    learnt = {id for id in part["jobs"] if id.startswith("soft_learn:")}
    assert learnt == {"soft_learn:bupa,000-000", "soft_learn:bupa,001-001"}
    assert part["settings"]["configuration"] == "tiny"
    assert not {"datasets", "chunk"} & part["settings"]["soft"].keys()
    assert part["source"]["dataset"] == "bupa"
    assert len(part["jobs"]) == 10 and part["jobs"]["soft_learn:bupa,001-001"]["mib"] > 0
    assert part["code"]["calls"] == digests(soft.cut.parts["bupa"].calls)
    assert "data/results/soft/bupa.parquet" in part["files"] and len(part["files"]) == 4
    assert not any("tidy" in path or "trees" in path for path in part["files"])


@pytest.mark.runs
def test_files_of_another_configuration_are_no_part(soft, tmp_path):
    """Its running times, cut otherwise, were added to those of the part, and so were its jobs."""
    for folder, suffix in (("times", "parquet"), ("learn", "tsv")):
        there = sorted((soft.root / "data/jobs/soft" / folder).glob(f"bupa_*.{suffix}"))
        shutil.copy(there[0], there[0].with_name(f"bupa_000-008.{suffix}"))
    again = Reference(soft.root, "soft", "tiny", tmp_path)
    again.plan = soft.plan
    again.collect(["bupa"])
    for name in ("bupa.json", "bupa.tar.xz"):
        assert (tmp_path / "parts" / name).read_bytes() == (soft.parts / name).read_bytes()


@pytest.mark.runs
def test_parts_are_compared_by_the_command(project, soft):
    """Of parts that other code has made one is named, and one is drawn."""
    for name in soft.cut.parts:
        code = read_json(soft.parts / f"{name}.json")["code"]
        calls = code["calls"] | {CALL: 64 * "0"}
        edit(soft.parts, name, code=code | {"calls": calls})
    assert "code" in {
        check.name.rpartition("/")[2] for check in verify_reference(soft.folder).checks
    }
    done = reference(project, "bupa", "--compare", "1", "--seed", "a text")
    assert done.returncode == 0, done.stderr
    other = drawn(["haberman", "wine"], 1, "a text")[0]
    assert f"bupa, {other} came out the same" in done.stdout
    equal = {"calls": digests(soft.cut.parts["wine"].calls), "compared": ["bupa", other]}
    assert read_json(soft.parts / "wine.json")["code"]["equal"] == equal
    found = verify_reference(soft.folder)
    assert found.holds and not any(check.name.endswith("code") for check in found.checks)


@pytest.mark.runs
def test_a_wrong_call_is_told_in_one_line(project):
    for arguments, told in (
        (["winee"], "hedgerow: `winee` is no data set of soft in config/tiny.yaml; it has bupa,"),
        (["--compare", "0"], "hedgerow: no part is to be compared; name some"),
    ):
        done = reference(project, *arguments)
        assert done.returncode == 1 and done.stderr.startswith(told)
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.runs
@pytest.mark.parametrize("word, parts", [("structure", 2), ("uncertainty_benchmark", 3)])
def test_other_experiments_have_references_too(tmp_path, word, parts):
    """On one data set, cut by its chunks; and with parts of two rules, which read other things."""
    project = new_project(tmp_path / "project")
    done = reference(project, "--all", experiment=word, configuration="smoke")
    assert done.returncode == 0, done.stderr
    assert f"kept/{word}: {parts} parts, " in done.stdout
    done = project.forked("--cores", "2", "--configfile", "config/smoke.yaml", "--", word)
    assert done.returncode == 0, done.stderr
    one = Reference(project.path, word, "smoke", project.path / "kept" / word)
    assert f"{word}_claims.csv" in same_as_run(one) and verify_reference(one.folder).holds


READ = """
configuration: read
experiments: [evidential, analytic_choices]
evidential: {datasets: [iris, wine], n_repeats: 2, max_leaves: 4, chunk: 1}
analytic_choices: {of: [evidential], singles: true, nearest: true}
"""


@pytest.mark.runs
def test_analyses_have_a_reference_of_what_they_read(tmp_path):
    """Parts made one by one give the tables of one run, and come out the same again."""
    project = new_project(tmp_path / "analytic_choices")
    (project.path / "config/read.yaml").write_text(READ)
    asked = {"experiment": "analytic_choices", "configuration": "read"}
    done = reference(project, "wine", "--of", "evidential", **asked)
    assert done.returncode == 0, done.stderr
    assert (
        "kept/analytic_choices/evidential: 1 of 2 parts are there, and no tables yet" in done.stdout
    )
    done = reference(project, "--all", "--of", "evidential", **asked)
    assert done.returncode == 0, done.stderr
    folder = project.path / "kept/analytic_choices/evidential"
    one = Reference(project.path, "analytic_choices", "read", folder, "evidential")
    assert list(one.cut.parts) == ["iris", "wine"]
    done = project.forked(
        "--cores", "2", "--configfile", "config/read.yaml", "--", "analytic_choices"
    )
    assert done.returncode == 0, done.stderr
    manifest = read_json(folder / "manifest.json")
    assert (manifest["experiment"], manifest["of"]) == ("analytic_choices", "evidential")
    assert "choices" in manifest["settings"]["analytic_choices"]
    names = {f"analytic_choices_{name}.csv" for name in ("open", "nearest", "points", "verdicts")}
    assert names <= manifest["outputs"].keys()
    for name, path in one.wanted.items():
        if name in manifest["outputs"]:
            assert (folder / name).read_bytes() == (project.path / path).read_bytes(), name
    assert verify_reference(folder).holds
    done = reference(project, "--compare", "1", "--of", "evidential", **asked)
    assert done.returncode == 0, done.stderr
    # Where an alternative has come, parts are of another file.
    choices = project.path / "config/analytic_choices.yaml"
    choices.write_text(choices.read_text().replace("tolerance: 0.0001", "tolerance: 0.0002"))
    done = reference(project, "--of", "evidential", **asked)
    assert done.returncode == 1 and "settings not those of config/read.yaml" in done.stderr
