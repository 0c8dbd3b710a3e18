"""Versions of a data file: registered, edited, adopted, restored; no edit is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_up import ROWS, sha256

from hedgerow import cli
from hedgerow.data import load_registry
from hedgerow.data.versions import (
    adopt,
    data_file,
    fetch_version,
    local_notes,
    local_versions,
    planned_table,
    read_version,
    restore,
    wanted_table,
)
from hedgerow.errors import ConfigError, DataError

EDITED = ROWS.replace("5,red,a", "6,red,a")


class Set:
    """The tiny set in a project's folder, its file fetched."""

    def __init__(self, tiny):
        self.tiny = tiny
        self.entry = tiny.entry()
        self.registry = load_registry(tiny.path)
        self.root = tiny.raw
        self.path = data_file(self.entry, self.root)
        self.fetch()

    def fetch(self):
        local = local_versions(self.tiny.path).get("tiny")
        return fetch_version(self.entry, self.path.parent, self.tiny.folder, local)

    def edit(self, text=EDITED):
        self.path.write_text(text, newline="")

    def adopt(self, file=None, **more):
        return adopt(self.registry, "tiny", file, mirror=self.tiny.folder, root=self.root, **more)

    def restore(self):
        return restore(self.registry, "tiny", mirror=self.tiny.folder, root=self.root)

    def table(self):
        return read_version(self.entry, self.tiny.path, self.root)

    def planned(self):
        local = local_versions(self.tiny.path).get("tiny")
        found = planned_table(self.entry, local, self.root)
        assert not found.same or found.table == wanted_table(self.entry, local)
        return found


@pytest.fixture
def one(tiny):
    return Set(tiny)


@pytest.mark.parametrize(
    "text",
    [
        "".join(reversed(ROWS.splitlines(keepends=True))),
        ROWS.replace("\n", "\r\n"),
        "\ufeff" + ROWS,
        ROWS.replace("\n", "  \n") + "\n\n",
    ],
    ids=["order", "line ends", "byte-order mark", "blanks"],
)
def test_other_bytes_with_the_same_table_change_nothing(one, text):
    """A file that was saved by another editor made everything anew."""
    one.edit(text)
    assert one.planned().same
    assert one.table().fingerprint == one.entry.fingerprint


def test_an_edited_file_stops_with_a_question(one):
    """A run fetched the registered file again and deleted the edit."""
    one.edit()
    assert not one.planned().same
    message = (
        r"tiny\.data is not the registered version: 1 of 4 rows changed \(row 1, x: 5 -> 6\) "
        r"\(read by tiny\); keep it: `hedgerow data adopt tiny`; take the registered one: "
        "`hedgerow data restore tiny`"
    )
    with pytest.raises(DataError, match=message):
        one.table()
    assert one.path.read_text() == EDITED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS.replace("5,red,a", "5,red,c"), r"cannot be used: .*'c' is no class .*\(row 1\)"),
        (ROWS.replace("1,blue", "x,blue"), r"'x' in column 'x' is not a number \(row 2\)"),
        (ROWS.replace("2,red,b", "2,red,?"), r"1 of 4 rows have no class \(row 4\)"),
        (ROWS.replace("\n", ",1\n"), "row 1 of the data has 4 fields instead of 3"),
        ("", "empty"),
    ],
    ids=["class", "number", "missing target", "new column", "empty"],
)
def test_what_cannot_be_used_is_refused(one, text, message):
    """The message names row and column, and nothing is recorded."""
    one.edit(text)
    with pytest.raises(DataError, match=message):
        one.adopt()
    if text:
        with pytest.raises(DataError, match=message.split(": ")[-1]):
            one.table()
    assert local_versions(one.tiny.path) == {}
    assert one.path.read_text() == text


def test_fetching_again_leaves_an_edited_file_alone(one):
    one.edit()
    one.fetch()
    assert one.path.read_text() == EDITED
    one.path.unlink()
    one.fetch()
    assert one.path.read_text() == ROWS


def test_an_unedited_file_follows_the_registry(one):
    """What nobody edited is replaced when the registry names other bytes."""
    other = ROWS.replace("5", "4")
    one.entry = one.tiny.entry(other)
    # The next plan must not differ from this one: the table is foreseen.
    assert one.planned() == (one.entry.fingerprint, False)
    one.fetch()
    assert one.planned() == (one.entry.fingerprint, True)
    assert one.path.read_text() == other


def test_adopted_and_restored(one):
    one.edit()
    done = one.adopt(reason="a typing error")
    assert (done.name, done.changed, str(done.rows.cells[0])) == (
        *("tiny", ["tiny"], "row 1, x: 5 -> 6"),
    )
    version = local_versions(one.tiny.path)["tiny"]
    assert (version.sha256, version.reason) == (sha256(EDITED), "a typing error")
    note = f"tiny: local version of {version.date}, 1 of 4 rows changed"
    assert local_notes(one.tiny.path, ["tiny", "other"]) == [note]
    assert local_notes(one.tiny.path, ["other"]) == []
    assert one.planned().same
    assert one.table().fingerprint == version.tables["tiny"] != one.entry.fingerprint
    kept = one.restore()
    assert kept.read_text() == EDITED and one.path.read_text() == ROWS
    assert local_versions(one.tiny.path) == {}
    assert not one.tiny.path.with_name("local_data.yaml").exists()
    assert one.planned().same
    assert one.restore() is None, "there is nothing to go back from"


def test_an_adopted_file_that_is_lost_comes_back_from_its_kept_version(one):
    one.edit()
    one.adopt()
    one.path.unlink()
    one.fetch()
    assert one.path.read_text() == EDITED


@pytest.mark.parametrize(
    ("text", "message"),
    [(EDITED.replace("1,blue", "4,blue"), "row 2, x: 1 -> 4"), (ROWS, "row 1, x: 6 -> 5")],
)
def test_an_adopted_file_that_is_edited_again_stops_again(one, text, message):
    """Also where the registered file is copied back."""
    one.edit()
    one.adopt()
    one.edit(text)
    assert not one.planned().same
    with pytest.raises(DataError, match=rf"is not the local version .*\({message}\)"):
        one.table()


def test_a_named_file_takes_the_place_of_an_edited_one_which_is_kept(one, tmp_path):
    corrected = tmp_path / "corrected.csv"
    corrected.write_text(EDITED)
    one.edit(ROWS.replace("5", "9"))
    done = one.adopt(corrected)
    assert done.kept.read_text() == ROWS.replace("5", "9")
    assert one.path.read_text() == EDITED


def test_the_registered_version_is_not_adopted(one):
    with pytest.raises(DataError, match="is the registered version: nothing to adopt"):
        one.adopt()


def test_a_mirror_with_a_corrected_file(one):
    """It was called truncated or damaged, and the set could not be used at all."""
    (one.path.parent / "source.json").unlink()
    one.path.unlink()
    one.path.with_suffix(".registered").unlink()
    one.tiny.file.write_text(EDITED)
    with pytest.raises(DataError, match=r"data adopt tiny .*data restore tiny"):
        one.fetch()
    done = one.adopt(one.tiny.file)
    assert done.rows is None, "no source has the registered rows to compare with"
    assert one.table().X["x"].max() == 6
    with pytest.raises(DataError, match="is not the registered version"):
        one.restore()
    assert one.path.read_text() == EDITED, "nothing has changed where the way back is barred"


def test_a_variant_reads_the_file_of_its_parent(tiny):
    """An edit of one copy left its sister old."""
    tiny.entry()
    spec = {
        **{"title": "one class", "parent": "tiny", "rows": 2, "classes": {"a": 1, "b": 1}},
        **{"variables": {"x": [1, 3, 5]}, "fingerprint": "0" * 64},
        "transform": {"keep_variables": ["x"]},
    }
    tiny.spec["datasets"]["part"] = spec
    tiny.write()
    registry = load_registry(tiny.path)
    part = registry["part"]
    path = data_file(part, tiny.raw)
    assert path == data_file(registry["tiny"], tiny.raw)
    fetch_version(part.base, path.parent, tiny.folder)
    path.write_text(EDITED)
    done = adopt(registry, "part", mirror=tiny.folder, root=tiny.raw)
    assert (done.name, done.changed) == ("tiny", ["part", "tiny"])
    table = read_version(part, tiny.path, tiny.raw)
    assert list(table.X["x"]) == [1, 2, 3, 6]
    path.write_text(ROWS)
    with pytest.raises(DataError, match=r"read by part, tiny"):
        read_version(part, tiny.path, tiny.raw)


@pytest.mark.parametrize(
    "text",
    [
        "local_data: 3",
        "local_data: {tiny: {sha256: abc}}",
        "local_data: {tiny: {sha: abc}}",
        "other: {}",
        "local_data: {tiny: {sha256: " + 64 * "0" + ", layout: x, date: 2026-11-27, changes: y}}",
    ],
)
def test_a_spoilt_record_of_local_versions_is_refused(tiny, text):
    tiny.entry()
    tiny.path.with_name("local_data.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"local_data\.yaml: "):
        local_versions(tiny.path)


def test_the_commands(one, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    one.root.rename(tmp_path / "data/raw")
    file = tmp_path / "data/raw/tiny/tiny.data"
    options = ["--registry", str(one.tiny.path), "--mirror", str(one.tiny.folder)]
    file.write_text(EDITED)
    assert cli.main(["data", "adopt", "tiny", *options]) == 0
    told = capsys.readouterr().out
    assert "1 of 4 rows changed" in told and "row 1, x: 5 -> 6" in told
    assert "Data sets that change: tiny." in told
    assert cli.main(["data", "restore", "tiny", *options]) == 0
    assert "The local version is kept: data/raw/tiny/versions/" in capsys.readouterr().out
    assert file.read_text() == ROWS
    assert cli.main(["data", "adopt", "tinny", *options]) == 1
    assert "did you mean `tiny`" in capsys.readouterr().err
    assert cli.main(["data", "adopt", "tiny", "nowhere.csv", *options]) == 1
    assert "nowhere.csv: no such file" in capsys.readouterr().err


def without_sources(one):
    """No source answers, and nothing was fetched."""
    for path in one.path.parent.iterdir():
        path.unlink()
    one.tiny.file.unlink()


def test_a_registered_file_that_was_downloaded_by_hand_is_taken(one):
    """No source answered, and a file put there was passed over."""
    without_sources(one)
    one.edit(ROWS)
    assert one.fetch().sha256 == sha256(ROWS)
    assert one.planned().same and one.table().fingerprint == one.entry.fingerprint


def test_another_file_in_its_place_asks(one):
    without_sources(one)
    one.edit()
    with pytest.raises(DataError, match=r"no source has here; keep it: `hedgerow data adopt tiny`"):
        one.fetch()
    assert one.path.read_text() == EDITED
    assert one.adopt().rows is None
    one.fetch()
    assert one.planned().same and one.table().X["x"].max() == 6


def test_a_file_with_the_registered_tables_is_not_adopted(one):
    """A banner on every page said that no row differs."""
    one.edit("".join(reversed(ROWS.splitlines(keepends=True))))
    with pytest.raises(DataError, match="gives the same tables as the registered version"):
        one.adopt()
    assert local_versions(one.tiny.path) == {}


def test_a_generator_that_changed_makes_its_file_again(registry, tmp_path):
    """The kept bytes were taken for those of the new settings, and then refused."""
    entry = registry["synthetic_missing_1"]
    path = data_file(entry, tmp_path)
    fetch_version(entry, path.parent)
    first = path.read_bytes()
    assert planned_table(entry, None, tmp_path) == (entry.fingerprint, False)
    plan = replace(entry.synthetic_plan, seed=entry.synthetic_plan.seed + 1)
    fetch_version(replace(entry, synthetic_plan=plan), path.parent)
    assert path.read_bytes() != first
    path.write_bytes(first + first.splitlines(keepends=True)[-1])
    edited = planned_table(entry, None, tmp_path)
    assert edited.table == sha256(path.read_bytes()) and not edited.same
