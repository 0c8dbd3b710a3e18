"""Results at paper scale against their manifests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from made_parts import CALL, make_part

from hedgerow import cli
from hedgerow.errors import DataError
from hedgerow.files import read_json, write_bytes, write_json
from hedgerow_study.audit.reference_results import is_reference, verify_reference
from hedgerow_study.reporting.manifest import checksums
from hedgerow_study.reporting.spot_checks import FILE as DRAWS
from hedgerow_study.workflow.jobs.parts import SUFFIX, digests
from hedgerow_study.workflow.references.paper_scale import read_parts

REPOSITORY = Path(__file__).parents[3]
REFERENCE = REPOSITORY / "data/reference"
#: Folders of parts; those of former times have no archives.
IN_PARTS = sorted({archive.parent for archive in REFERENCE.glob(f"**/parts/*{SUFFIX}")})


@pytest.fixture
def reference(tmp_path):
    """One experiment that was made as a whole, as in former times, and one in parts."""
    folder = tmp_path / "reference"
    for experiment in ("missing", "threshold/soft"):
        write_bytes(folder / experiment / "table.csv", b"value\n1\n")
        write_json(folder / experiment / "manifest.json", {"code": {"commit": "123"}})
    write_json(folder / "missing/manifest.json", {"versions": {}, "code": {}})
    for name in ("bupa", "wine"):
        make_part(folder / "threshold/soft/parts", name, {f"data/{name}.json": b"{}"})
    for experiment in ("missing", "threshold/soft"):
        list_all(folder / experiment)
    return folder


def list_all(folder):
    """Have the manifest list what lies there now."""
    folder = folder.resolve()
    content = read_json(folder / "manifest.json")
    write_json(
        folder / "manifest.json",
        {
            **content,
            "experiment": folder.name,
            "outputs": checksums(folder, folder.glob("*.csv")),
            "parts": checksums(folder, folder.glob("parts/*")),
        },
    )


def checked(found):
    """What was said, by the last part of what was checked."""
    return {check.name.rpartition("/")[2]: check.messages for check in found.checks}


def bad(found):
    return {file.path: file.verdict for file in found.files if file.verdict != "identical"}


def test_all_that_is_tracked_holds():
    """Code and versions of other days are told and count for nothing."""
    found = verify_reference(REFERENCE)
    assert found.holds, bad(found)
    # Draws are written down beside what they were drawn from.
    kept = {file for file in REFERENCE.rglob("*") if file.is_file()} - {REPOSITORY / DRAWS}
    assert len(found.files) == len(kept)


@pytest.mark.parametrize("folder", IN_PARTS, ids=lambda folder: folder.parent.name)
def test_parts_of_an_experiment_are_of_one_code_and_one_set_of_settings(folder):
    """They were made on many days, and by code that was reshaped in between."""
    manifests = read_parts(folder)
    told = read_json(folder.parent / "manifest.json")["parts"]
    assert {Path(path).name for path in told} == {path.name for path in folder.iterdir()}
    assert len(told) == 2 * len(manifests)


def test_other_code_and_versions_are_told(reference):
    path = reference / "missing/manifest.json"
    content = read_json(path)
    content["code"] |= {"digest": 64 * "0", "commit": "abc"}
    content["versions"]["numpy"] = "0.1"
    write_json(path, content)
    found = verify_reference(reference)
    told = {check.name: check for check in found.checks}
    assert found.holds
    assert told["missing/code"].holds is None
    assert "abc" in told["missing/code"].messages[0]
    assert told["missing/versions"].messages[0].startswith("numpy 0.1 (")


def test_changed_missing_and_unlisted_files(reference):
    table = next((reference / "missing").glob("*.csv"))
    table.write_text(table.read_text().replace("1", "2", 1))
    part = reference / "threshold/soft/parts/wine.tar.xz"
    part.unlink()
    (reference / "threshold/mine.csv").write_text("mine")
    (reference / "missing/mine.csv").write_text("mine")
    found = verify_reference(reference)
    assert bad(found) == {
        f"missing/{table.name}": "differs",
        f"threshold/soft/parts/{part.name}": "missing",
        "missing/mine.csv": "not listed",
        "threshold/mine.csv": "not listed",
    }
    assert not found.holds
    assert list(bad(verify_reference(reference / "threshold/soft"))) == [f"parts/{part.name}"]


def test_a_part_that_its_own_manifest_does_not_describe(reference):
    """An archive and the list of parts were changed, the manifest of the part was not."""
    folder = reference / "threshold/soft"
    assert checked(verify_reference(folder))["parts"] == [
        "2 parts are what their own manifests describe."
    ]
    shutil.copy(folder / "parts/wine.tar.xz", folder / "parts/bupa.tar.xz")
    list_all(folder)
    found = verify_reference(folder)
    assert bad(found) == {} and not found.holds
    told = ["parts/bupa.tar.xz is not what bupa.json was written with."]
    assert checked(found)["parts"] == told


@pytest.mark.parametrize(
    "content", [{}, {"archive": 1, "files": {}}, {"archive": 64 * "0", "code": {"calls": 1}}]
)
def test_a_manifest_of_no_part(reference, content):
    folder = reference / "threshold/soft"
    write_json(folder / "parts/bupa.json", content)
    list_all(folder)
    found = verify_reference(folder)
    assert not found.holds
    assert checked(found)["parts"] == ["bupa.json is no manifest of a part."]


def test_parts_of_former_times_are_told_and_hold(reference):
    """They have rows in the place of an archive, and one digest in that of one per function."""
    folder = reference / "threshold/soft"
    shutil.rmtree(folder / "parts")
    write_bytes(folder / "parts/bupa.parquet", b"rows")
    part = {
        "files": {"data/results/soft/bupa.parquet": "0"},
        "code": {"digest": "0", "commit": "f"},
    }
    write_json(folder / "parts/bupa.json", part)
    list_all(folder)
    found = verify_reference(folder)
    assert found.holds
    assert checked(found)["code"] == ["Made by other code than today's, commit 123, f."]


def test_functions_that_have_changed_are_told_with_the_commits_that_had_them(reference):
    """Those of today, and parts that came out the same, are not."""
    folder = reference / "threshold/soft"
    code = {"commit": "bbb", "calls": {"soft.steps:gone": 64 * "0"}}
    make_part(folder / "parts", "wine", {}, code=code)
    own = {"commit": "ccc", "calls": digests([CALL])}
    write_json(folder / "manifest.json", {"code": own})
    list_all(folder)
    told = "Made by other code than today's, commit abcdef123, bbb"
    assert checked(verify_reference(folder))["code"] == [f"{told}: soft.steps:gone, {CALL}."]
    equal = {"commit": "bbb", "calls": {CALL: 64 * "0"}, "equal": {"calls": digests([CALL])}}
    for name in ("bupa", "wine"):
        make_part(folder / "parts", name, {}, code=equal, versions={})
    list_all(folder)
    assert checked(verify_reference(folder)).keys() == {"parts"}


def test_an_older_version_of_our_own_code_is_told_where_its_functions_have_changed(reference):
    """Whether they have is known to the byte; of numpy only the version is."""
    folder = reference / "threshold/soft"
    for digest, told in ((digests([CALL])[CALL], ["numpy"]), (64 * "0", ["hedgerow", "numpy"])):
        code = {"commit": "bbb", "calls": {CALL: digest}}
        write_json(folder / "manifest.json", {"code": code})
        for name in ("bupa", "wine"):
            versions = {"hedgerow": "0.0.1", "numpy": "0.1"}
            make_part(folder / "parts", name, {}, code=code, versions=versions)
        list_all(folder)
        assert [said.split()[0] for said in checked(verify_reference(folder))["versions"]] == told


def test_a_damaged_manifest(reference):
    path = reference / "missing/manifest.json"
    path.write_text("{")
    assert bad(verify_reference(reference))["missing/manifest.json"] == "differs"
    path.write_text(json.dumps({"experiment": "missing", "outputs": []}))
    assert bad(verify_reference(reference))["missing/manifest.json"] == "differs"


def test_what_is_no_such_folder(tmp_path, capsys):
    with pytest.raises(DataError, match="no results at paper scale"):
        verify_reference(tmp_path)
    assert not is_reference(tmp_path)
    assert cli.main(["verify", str(REFERENCE / "soft_sweep"), "--digest", "0"]) == 1
    assert "--digest" in capsys.readouterr().err


def test_the_command(reference, capsys):
    assert cli.main(["verify", str(reference), "--no-cheap"]) == 0
    assert "all checks hold" in capsys.readouterr().out
    (reference / "mine.csv").write_text("mine")
    assert cli.main(["verify", str(reference), "--no-cheap"]) == 1
    assert "not listed  mine.csv" in capsys.readouterr().out
    assert cli.main(["verify", str(reference), "--no-cheap", "--allow-unlisted"]) == 0


@pytest.mark.parametrize(
    "edit",
    [
        {"outputs": {"../../secret": "0"}},
        {"experiment": "../../.."},
        {"experiment": ["missing"]},
        {"code": "none"},
        {"versions": {"": 1}},
    ],
)
def test_a_manifest_of_somebody_else_is_checked_before_it_is_used(reference, edit):
    """Its paths led anywhere, and what was of another kind was an error of ours."""
    path = reference / "missing/manifest.json"
    write_json(path, read_json(path) | edit)
    found = verify_reference(reference)
    assert bad(found)["missing/manifest.json"] == "differs" and not found.holds


def test_links_lead_to_no_file_of_the_reader(reference, tmp_path):
    (tmp_path / "secret").write_text("secret")
    table = next((reference / "missing").glob("*.csv"))
    table.unlink()
    table.symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match="is a link that leads out of it"):
        verify_reference(reference)
