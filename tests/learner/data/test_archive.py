"""The archive: it holds what the registry says, under licences that allow it, and nothing else."""

import lzma
import re

import pytest
from made_up import ROOT, ROWS

from hedgerow.data import archive, available, fetch, load_registry, tidy
from hedgerow.data import sources as sources_module
from hedgerow.data.registry import LICENCES
from hedgerow.errors import DataError, DownloadError
from hedgerow_data import pack as packing

REGISTRY = load_registry(ROOT / "config/datasets.yaml")
ARCHIVED = {entry.key: source for entry, source in packing.archived(REGISTRY)}
FILES = sorted(archive.folder().rglob("*.xz"))


def test_every_file_is_registered_and_every_registered_one_is_there():
    assert sorted(archive.place(source) for source in ARCHIVED.values()) == FILES


def test_every_set_whose_licence_allows_it_is_there():
    """Of a licence that names a library, that library brings the set along."""
    allowed = {
        key
        for key, entry in REGISTRY.items()
        if entry.licence in LICENCES and not entry.synthetic and entry.parent is None
    }
    assert set(ARCHIVED) == allowed
    assert all(re.fullmatch("CC BY 4.0|CC0 .*|BSD-.*|MIT", name) for name in LICENCES)


@pytest.mark.parametrize(
    "key", [key for key, entry in REGISTRY.items() if entry.base.key in ARCHIVED]
)
def test_a_set_and_its_variants_come_out_as_registered(key, tmp_path, monkeypatch):
    monkeypatch.delenv("HEDGEROW_MIRROR", raising=False)
    raw = fetch(REGISTRY[key], tmp_path, kinds={"mirror", "archive", "url"})
    assert raw.kind == "archive" and raw.described.startswith("archive (")
    assert tidy(REGISTRY[key], raw).fingerprint == REGISTRY[key].fingerprint


def test_the_page_names_every_set_its_authors_and_changes():
    page = packing.readme(REGISTRY)
    for key in ARCHIVED:
        entry = REGISTRY[key]
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{key}` |"))
        assert entry.citation in row and entry.homepage in row and entry.doi in row
        assert row.endswith(f"| {entry.archived} |") and f"| {entry.licence} |" in row
    assert f"{len(ARCHIVED)} files" in page


# ---------------------------------------------------------------------------------- by a tiny set


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """An archive of its own, and the entry of a set that is in it."""
    folder = tmp_path / "archive"
    monkeypatch.setattr(archive, "folder", lambda: folder)
    return folder


def archived(tiny, licence="CC0 1.0", **changes):
    return tiny.entry(licence=licence, archived="none known", **changes)


def pack(tiny, shelf):
    file = shelf / "tiny/tiny.data.xz"
    file.parent.mkdir(parents=True)
    file.write_bytes(packing.packed(tiny.file.read_bytes()))
    return file


def test_the_archive_stands_behind_the_mirror(tiny, shelf):
    entry = archived(tiny)
    pack(tiny, shelf)
    assert fetch(entry, tiny.raw, tiny.folder).kind == "mirror"
    assert available(entry) == "archive"
    raw = fetch(entry, tiny.raw)
    assert raw.kind == "archive" and raw.path.read_text() == ROWS


def test_a_set_that_the_archive_lacks_is_asked_of_the_next_source(tiny, shelf):
    entry = archived(tiny)
    assert available(entry) is None
    with pytest.raises(DownloadError, match=r"archive \(tiny/tiny.data\): the archive has no such"):
        fetch(entry, tiny.raw)


@pytest.mark.parametrize("fault", ["cut", "no xz", "empty", "larger", "other"])
def test_a_damaged_file_stops_the_fetch_with_one_sentence(tiny, shelf, monkeypatch, fault):
    entry = archived(tiny)
    file = pack(tiny, shelf)
    match fault:
        case "cut":
            file.write_bytes(file.read_bytes()[:-20])
        case "no xz":
            file.write_bytes(b"1,2,3\n")
        case "empty":
            file.write_bytes(b"")
        case "larger":
            monkeypatch.setattr(sources_module, "LARGEST_FILE", 3)
        case "other":
            file.write_bytes(packing.packed(b"1,2,3\n"))
    said = "wrong checksum" if fault == "other" else "cannot be read .*; install the package again"
    with pytest.raises(DataError, match=rf"tiny: .*tiny\.data\.xz.* {said}") as caught:
        fetch(entry, tiny.raw)
    assert "\n" not in str(caught.value) and not tiny.raw.exists()


@pytest.mark.parametrize("licence", ["GPL-3", "CC BY-NC 4.0", "not stated", "CC BY 4.0 or so"])
def test_what_may_not_be_passed_on_is_refused(tiny, licence):
    with pytest.raises(
        DataError, match=f"`datasets.tiny` is archived under the licence '{licence}'"
    ):
        archived(tiny, licence=licence)


def test_what_no_mirror_has_is_not_archived(tiny):
    url = {"kind": "url", "file": "x", "url": "https://example.org/x"}
    with pytest.raises(DataError, match="is archived but has no file in a mirror; name the file"):
        archived(tiny, sources=[url])


def test_packing_writes_what_is_new_and_names_what_the_mirror_lacks(tmp_path, monkeypatch, capsys):
    """On the registry's sets, most of which this mirror lacks."""
    mirror, shelf = tmp_path / "mirror", tmp_path / "shelf"
    source = ARCHIVED["haberman"]
    file = mirror / source.file
    file.parent.mkdir(parents=True)
    file.write_bytes(lzma.decompress(archive.place(source).read_bytes()))
    monkeypatch.setenv("HEDGEROW_MIRROR", str(mirror))
    monkeypatch.chdir(ROOT)
    assert packing.main(shelf) == 1
    captured = capsys.readouterr()
    assert captured.out.split() == [f"{source.file}.xz"]
    assert captured.err.count("no source answered") == len(ARCHIVED) - 1
    stamp = (shelf / f"{source.file}.xz").stat().st_mtime_ns
    assert packing.main(shelf) == 1 and capsys.readouterr().out == ""
    assert (shelf / f"{source.file}.xz").stat().st_mtime_ns == stamp


def test_without_the_package_of_the_archive_it_is_named(tiny, shelf, monkeypatch):
    """A set of the archive said that no source answered, and not what to install."""
    monkeypatch.setattr(archive, "folder", lambda: None)
    entry = archived(tiny)
    tiny.file.unlink()
    assert available(entry) is None
    with pytest.raises(DownloadError, match=r"hedgerow-data is not installed \(`pip install"):
        fetch(entry, tiny.raw)
