"""Results at paper scale against their manifests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hedgerow import cli
from hedgerow.audit.kept import is_kept, verify_kept
from hedgerow.errors import DataError
from hedgerow.files import read_json, write_json

REFERENCE = Path(__file__).parents[2] / "data/reference"


@pytest.fixture
def reference(tmp_path):
    """One experiment that was made as a whole, and one in parts, in a folder of its own."""
    folder = tmp_path / "reference"
    shutil.copytree(REFERENCE / "missing_beyond", folder / "missing_beyond")
    shutil.copytree(REFERENCE / "threshold/soft", folder / "threshold/soft")
    return folder


def bad(found):
    return {file.path: file.verdict for file in found.files if file.verdict != "identical"}


def test_all_that_is_tracked_holds():
    """Code and versions of other days are told and count for nothing."""
    found = verify_kept(REFERENCE)
    assert found.holds, bad(found)
    assert len(found.files) == sum(file.is_file() for file in REFERENCE.rglob("*"))


def test_other_code_and_versions_are_told(reference):
    path = reference / "missing_beyond/manifest.json"
    content = read_json(path)
    content["code"] |= {"digest": 64 * "0", "commit": "abc"}
    content["versions"]["numpy"] = "0.1"
    write_json(path, content)
    found = verify_kept(reference)
    told = {check.name: check for check in found.checks}
    assert found.holds
    assert told["missing_beyond/code"].holds is None
    assert "abc" in told["missing_beyond/code"].said[0]
    assert told["missing_beyond/versions"].said[0].startswith("numpy 0.1 (")


def test_changed_missing_and_unlisted_files(reference):
    table = next((reference / "missing_beyond").glob("*.csv"))
    table.write_text(table.read_text().replace("1", "2", 1))
    part = next((reference / "threshold/soft/parts").glob("*.parquet"))
    part.unlink()
    (reference / "threshold/mine.csv").write_text("mine")
    (reference / "missing_beyond/mine.csv").write_text("mine")
    found = verify_kept(reference)
    assert bad(found) == {
        f"missing_beyond/{table.name}": "differs",
        f"threshold/soft/parts/{part.name}": "missing",
        "missing_beyond/mine.csv": "not listed",
        "threshold/mine.csv": "not listed",
    }
    assert not found.holds
    assert list(bad(verify_kept(reference / "threshold/soft"))) == [f"parts/{part.name}"]


def test_a_part_that_its_own_manifest_does_not_describe(reference):
    """Rows and the list of parts were changed, the manifest of the part was not."""
    folder = reference / "threshold/soft"
    one, other = sorted((folder / "parts").glob("*.parquet"))[:2]
    content = read_json(folder / "manifest.json")
    content["parts"][f"parts/{one.name}"] = content["parts"][f"parts/{other.name}"]
    shutil.copy(other, one)
    write_json(folder / "manifest.json", content)
    found = verify_kept(folder)
    assert bad(found) == {}
    (check,) = (check for check in found.checks if check.holds is False)
    assert check.said == [f"parts/{one.name} is not what {one.stem}.json was written with."]


def test_a_damaged_manifest(reference):
    path = reference / "missing_beyond/manifest.json"
    path.write_text("{")
    assert bad(verify_kept(reference))["missing_beyond/manifest.json"] == "differs"
    path.write_text(json.dumps({"experiment": "missing_beyond", "outputs": []}))
    assert bad(verify_kept(reference))["missing_beyond/manifest.json"] == "differs"


def test_what_is_no_such_folder(tmp_path, capsys):
    with pytest.raises(DataError, match="no results at paper scale"):
        verify_kept(tmp_path)
    assert not is_kept(tmp_path)
    assert cli.main(["verify", str(REFERENCE / "soft_sweep"), "--rerun", "2"]) == 1
    assert "--rerun" in capsys.readouterr().err


def test_the_command(reference, capsys):
    assert cli.main(["verify", str(reference)]) == 0
    assert "all checks hold" in capsys.readouterr().out
    (reference / "mine.csv").write_text("mine")
    assert cli.main(["verify", str(reference)]) == 1
    assert "not listed  mine.csv" in capsys.readouterr().out
    assert cli.main(["verify", str(reference), "--allow-unlisted"]) == 0


@pytest.mark.parametrize(
    "edit",
    [
        {"outputs": {"../../secret": "0"}},
        {"experiment": "../../.."},
        {"experiment": ["missing_beyond"]},
        {"code": "none"},
        {"versions": {"": 1}},
    ],
)
def test_a_manifest_of_somebody_else_is_checked_before_it_is_used(reference, edit):
    """Its paths led anywhere, and what was of another kind was an error of ours."""
    path = reference / "missing_beyond/manifest.json"
    write_json(path, read_json(path) | edit)
    found = verify_kept(reference)
    assert bad(found)["missing_beyond/manifest.json"] == "differs" and not found.holds


def test_links_lead_to_no_file_of_the_reader(reference, tmp_path):
    (tmp_path / "secret").write_text("secret")
    table = next((reference / "missing_beyond").glob("*.csv"))
    table.unlink()
    table.symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match="is a link that leads out of it"):
        verify_kept(reference)
