"""Files: what was written is read, what was changed is refused in one sentence, nothing runs."""

from __future__ import annotations

import ast
import io
import itertools
import json
import os
import pickle
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from effort import share

from hedgerow import files
from hedgerow.errors import ConfigError, DataError, InputError
from hedgerow.files import (
    atomic_folder,
    backup_path,
    below,
    check_folder,
    check_free,
    for_spreadsheets,
    parquet_bytes,
    read_csv,
    read_json,
    read_metadata,
    read_parquet,
    read_text,
    read_yaml,
    write_csv,
    write_parquet,
    write_text,
)
from hedgerow_study.workflow.jobs.digest import PACKAGE

FRAME = pd.DataFrame(
    {
        "dataset": pd.Categorical(["haberman", "bupa"] * 20),
        "method": ["ss", "c45"] * 20,
        "value": np.random.default_rng(14).random(40),
        "n": np.arange(40),
        "missing": [np.nan, 1.0] * 20,
    }
)

# ----------------------------------------------------------------------------------- parquet


def test_a_table_comes_back_as_it_was_and_gives_the_same_bytes(tmp_path):
    path = tmp_path / "t.parquet"
    write_parquet(path, FRAME)
    pd.testing.assert_frame_equal(read_parquet(path), FRAME, check_exact=True)
    assert path.read_bytes() == parquet_bytes(FRAME)
    assert path.read_bytes() == parquet_bytes(pa.Table.from_pandas(FRAME, preserve_index=False))
    pd.testing.assert_frame_equal(pd.read_parquet(path), FRAME, check_exact=True)


def test_no_byte_of_a_table_can_be_changed(tmp_path):
    """Checksums of pages alone let names, types and numbers of rows be changed in silence."""
    path = tmp_path / "t.parquet"
    content = parquet_bytes(FRAME)
    places = np.random.default_rng(14).permutation(len(content))[: share(len(content))]
    for place in places:
        bit = 1 << place % 8
        path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
        for read in (read_parquet, read_metadata):
            with pytest.raises(DataError, match=r"t\.parquet is damaged.*; delete it and run"):
                read(path)


def test_pages_have_checksums_for_other_readers():
    content = parquet_bytes(FRAME)
    metadata = pq.read_metadata(io.BytesIO(content))
    column = metadata.row_group(0).column(metadata.schema.names.index("value"))
    place = column.dictionary_page_offset + column.total_compressed_size - 3
    changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    with pytest.raises(OSError, match="CRC"):
        pq.read_table(io.BytesIO(changed), page_checksum_verification=True)


@pytest.mark.parametrize("n_kept", [0, 3, 100, -1])
def test_a_table_that_is_cut_off(tmp_path, n_kept):
    (tmp_path / "t.parquet").write_bytes(parquet_bytes(FRAME)[:n_kept])
    with pytest.raises(DataError, match=r"t\.parquet is damaged"):
        read_parquet(tmp_path / "t.parquet")


def test_a_table_of_another_writer_is_read_only_where_its_checksum_stands_elsewhere(tmp_path):
    path = tmp_path / "t.parquet"
    FRAME.to_parquet(path, index=False)
    with pytest.raises(DataError, match="no table that the workflow wrote"):
        read_parquet(path)
    pd.testing.assert_frame_equal(read_parquet(path, sealed=False), FRAME)
    path.write_bytes(b"no table at all")
    with pytest.raises(DataError, match="is damaged"):
        read_parquet(path, sealed=False)


def test_a_column_that_is_called_like_the_seal(tmp_path):
    frame = pd.DataFrame({files._NAME.decode("latin-1") + "0" * 64: ["hedgerow.sha256\x18@"]})
    write_parquet(tmp_path / "t.parquet", frame)
    pd.testing.assert_frame_equal(read_parquet(tmp_path / "t.parquet"), frame)


class Runs:
    """Pickled, a call that leaves a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize(
    "numpy_type", ["object", "os.system", "category", "__import__('os')", "datetime64[ns, x]", 7]
)
def test_metadata_of_a_table_run_nothing(tmp_path, numpy_type):
    """Neither types that a file has pickled, nor those that pandas' metadata name."""
    ran, path = tmp_path / "ran", tmp_path / "t.parquet"
    field = pa.field("a", pa.int64()).with_metadata(
        {
            b"ARROW:extension:name": b"arrow.py_extension_type",
            b"ARROW:extension:metadata": pickle.dumps(Runs(ran)),
        }
    )
    about = {
        "index_columns": [],
        "column_indexes": [{"name": None, "pandas_type": "unicode", "numpy_type": numpy_type}],
        "columns": [{"name": "a", "pandas_type": "object", "numpy_type": numpy_type}],
    }
    schema = pa.schema([field], metadata={b"pandas": json.dumps(about).encode()})
    write_parquet(path, pa.table([pa.array([1, 2])], schema=schema))
    try:
        assert read_parquet(path).shape == (2, 1)
    except DataError as error:
        assert "is damaged" in str(error)
    assert not ran.exists()
    pickle.loads(pickle.dumps(Runs(ran))).close()
    assert ran.exists(), "the trap itself works"


# ------------------------------------------------------------------------------ JSON, text, CSV


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b'{"a": ', b'{"a": "\xe4"}', b"[" * 100_000, b"null"]
)
def test_json_that_is_damaged(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.json is damaged: it is no JSON mapping; delete it"):
        read_json(tmp_path / "x.json")


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "x.rst").write_bytes("Maß".encode("latin-1"))
    with pytest.raises(DataError, match=r"x\.rst is damaged: it is not UTF-8"):
        read_text(tmp_path / "x.rst")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nMaß\n".encode("latin-1"), r"x\.csv is not UTF-8; save it in the encoding UTF-8"),
        (b"", r"x\.csv is no table \(No columns"),
        (b"a,b\n1,2\n1,2,3\n", r"x\.csv is no table \(.*line 3"),
    ],
)
def test_csv_that_is_no_table(tmp_path, content, message):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_csv(tmp_path / "x.csv")


def test_files_that_are_not_there_or_no_files(tmp_path):
    for read in (read_json, read_text, read_csv, read_parquet):
        with pytest.raises(DataError, match="no such file; run the workflow first"):
            read(tmp_path / "none")
        for path in (tmp_path, "/dev/zero"):
            with pytest.raises(DataError, match="is no file; name a file"):
                read(path)
        with pytest.raises(DataError, match="cannot be read"):
            read(tmp_path / "a\0b")


# -------------------------------------------------------------------------------------- YAML

#: Nine lists, each of nine times the one before: some kilobytes that are a thousand million values.
BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in itertools.pairwise("abcdefghij")
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed: 1\nsoft: {chunk: 2}\nseed: 2", "line 3: the key `seed` stands twice; remove one"),
        ("soft: {chunk: 2,\n chunk: 3}", "line 2: the key `chunk` stands twice"),
        ("1: a\n'1': b", "line 2: the key `1` stands twice"),
        ("a: &x [*x]", r"line 1: `\*x` is not known before this line"),
        ("a: *x", r"line 1: `\*x` is not known before this line"),
        ("[" * 200_000, "line 1: more than 50 mappings and lists inside each other"),
        ("- " * 200 + "x", "line 1: more than 50 mappings and lists inside each other"),
        (BOMB, "or more than 1000000 values"),
        ("a:\n- Maß".encode("latin-1"), "line 2 is not UTF-8; save the file in the encoding UTF-8"),
        ("a: {", "not valid YAML at line"),
        ("a: 2024-13-45", "not valid YAML; correct the file"),
        ("a: " + "1" * 5000, "not valid YAML; correct the file"),
        ("a: \x00", "not valid YAML"),
        ("? [a]\n: 1", "not valid YAML at line 1"),
        ("a: !!python/object/apply:os.system [exit]", "not valid YAML at line 1"),
        ("a: !!python/name:os.system", "not valid YAML at line 1"),
    ],
)
def test_yaml_that_is_not_read(tmp_path, content, message):
    """200,000 brackets crashed the interpreter; of two equal keys one was taken in silence."""
    path = tmp_path / "x.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError, match=rf"x\.yaml: {message}|x\.yaml: .*{message}"):
        read_yaml(path)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("", None),
        ("\ufeffa: 1", {"a": 1}),
        ("- {a: 1}\n- {a: 2}", [{"a": 1}, {"a": 2}]),
        ("a: {b: 1}\nc: {b: 1}", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: &x 1\nb: [*x, *x]", {"a": 1, "b": [1, 1]}),
    ],
)
def test_yaml_that_is_read(tmp_path, content, value):
    (tmp_path / "x.yaml").write_text(content, encoding="utf-8")
    assert read_yaml(tmp_path / "x.yaml") == value


def test_yaml_that_is_no_file(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the settings"):
        read_yaml(tmp_path / "none.yaml", "the settings")
    with pytest.raises(ConfigError, match="is no file; name the file that holds the settings"):
        read_yaml(tmp_path, "the settings")
    with open(tmp_path / "long.yaml", "wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(ConfigError, match=r"long\.yaml has more than 20 MB; name the file that"):
        read_yaml(tmp_path / "long.yaml", "the settings")


# ------------------------------------------------------------------------------------- places


def test_permissions_are_those_of_the_user_and_no_umask_is_set(tmp_path, monkeypatch):
    """The umask was asked for by setting it to 0, under which another thread made its files."""
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "umask", lambda mask: pytest.fail("a umask was set"))
            write_text(tmp_path / "t.txt", "text")
            with atomic_folder(tmp_path / "f") as made:
                write_text(made / "t.txt", "text")
    finally:
        os.umask(before)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    assert modes == {"t.txt": 0o640, "f": 0o750}


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "link", "device"])
def test_a_place_where_something_stands_is_not_free(tmp_path, kind):
    """Files of a user's were written over; as root, the link /dev/stdout was replaced by a file."""
    place = tmp_path / "p"
    check_free(place), check_free(place, True)
    match kind:
        case "file":
            place.write_text("mine")
        case "folder":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
        case "link":
            place.symlink_to(tmp_path / "nowhere")
        case "device":
            place.symlink_to("/dev/null")
    with pytest.raises(InputError, match=r"p is there already; name another place$"):
        check_free(place)
    with pytest.raises(InputError, match="p is there already; name another place, or add --force"):
        check_free(place, False)
    if kind == "file":
        check_free(place, True)
    else:
        with pytest.raises(InputError, match="p is no file, and is not written over"):
            check_free(place, True)


def test_a_folder_is_replaced_where_all_in_it_is_listed(tmp_path):
    """A folder counted as one's own when it held a file of a certain name, and was removed."""
    folder = tmp_path / "f"

    def check(listed, force=True):
        check_folder(folder, force, "it", lambda at: listed)

    check(None)
    folder.mkdir()
    check(None)
    with pytest.raises(InputError, match="f is there already; name another place, or add --force"):
        check({"a"}, force=False)
    write_text(folder / "a" / "b.txt", "b")
    (folder / ".DS_Store").write_text("left by a system")
    check({"a/b.txt"})
    with pytest.raises(InputError, match="f was not made by it and is not overwritten"):
        check(None)
    with pytest.raises(
        InputError, match=r"f holds a/b\.txt, which it has not made, and is not over"
    ):
        check({"a"})
    (folder / "c").symlink_to(tmp_path)
    with pytest.raises(InputError, match="f holds c, which it has not made"):
        check({"a/b.txt"})
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(InputError, match="link is no folder, and is not written over"):
        check_folder(tmp_path / "link", True, "it", lambda at: {"a/b.txt", "c"})


def test_a_folder_takes_its_place_and_what_stood_there_is_kept(tmp_path, monkeypatch):
    folder = tmp_path / "f"
    assert backup_path(folder) is None
    for content in ("one", "two", "three"):
        with atomic_folder(folder, backup_path(folder)) as made:
            write_text(made / "t", content)
    told = {p.name: (p / "t").read_text() for p in tmp_path.iterdir()}
    assert told == {"f": "three", "f.old": "one", "f.old2": "two"}
    with pytest.raises(ZeroDivisionError), atomic_folder(folder, backup_path(folder)) as made:
        write_text(made / "t", str(1 / 0))
    with pytest.raises(OSError), atomic_folder(folder, backup_path(folder)) as made:
        made.rename(tmp_path / "gone")
    assert (folder / "t").read_text() == "three"
    monkeypatch.chdir(folder)
    assert backup_path(".") == tmp_path / "f.old3"


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/../x",
        "/x",
        "a//x",
        "a/",
        "./x",
        "\\\\host\\x",
        "a\\..\\x",
        "c:x",
        *("a\x00", "a\nb", "\udc80"),
    ],
)
def test_a_name_stays_below_its_folder(tmp_path, name):
    """`..` and absolute names in a registry led to any file of the machine, to be deleted."""
    with pytest.raises(DataError, match="is no path below a folder; write names with / between"):
        below(tmp_path, name)


def test_a_name_below_a_folder(tmp_path):
    for name in ("x", "a/b c.txt", ".x", "a..b", "grün/…"):
        assert below(tmp_path, name) == tmp_path / name


# ------------------------------------------------------------------------------- spreadsheets

FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "＝1",
    "low;=1",
    "a\r-b",
)
PLAIN = (
    "-3.2",
    "+5",
    "-3,2",
    "-1e-5",
    "-4 %".replace(" ", ""),
    "I-II",
    "a = b",
    "",
    "x@y",
    "−3 to 4",
)


def test_no_text_of_a_table_for_people_is_a_formula(tmp_path):
    """Categories such as `=cmd|...` stood in tables as they were, and a spreadsheet runs them."""
    texts = [*FORMULAS, *PLAIN]
    frame = pd.DataFrame({"=head": texts, "n": -1.5 * np.arange(len(texts)), "c": texts})
    frame["c"] = frame["c"].astype("category")
    frame["mixed"] = [-3.25, None, "-x", *range(len(texts) - 3)]
    write_csv(tmp_path / "t.csv", for_spreadsheets(frame))
    found = read_csv(tmp_path / "t.csv", text=True)
    assert list(found.columns) == ["'=head", "n", "c", "mixed"] and len(found) == len(texts)
    for column in ("'=head", "c"):
        shown = found[column].tolist()
        assert shown[len(FORMULAS) :] == list(PLAIN)
        assert [text.replace("'", "") for text in shown[: len(FORMULAS)]] == [
            text.replace("'", "").replace("\r", "\n") for text in FORMULAS
        ]
        assert not any(
            cell[:1] in (*"=+-@\t\r＝",)
            for text in shown[: len(FORMULAS)]
            for cell in text.split(";")
        )
    assert found["n"].tolist() == [str(v) for v in frame["n"]]
    assert found["mixed"].tolist()[:4] == ["-3.25", "", "'-x", "0"]
    assert frame["mixed"][2] == "-x", "the table itself stays"


# ------------------------------------------------------------------------------------ one way

#: Functions of libraries that read or write such files past the checks.
PAST = {
    "pq": {"read_table", "write_table", "read_schema", "read_metadata", "ParquetFile"},
    "pd": {"read_parquet", "read_pickle", "read_json", "read_feather"},
    "yaml": {"load", "safe_load", "unsafe_load", "full_load"},
    "json": {"load"},
    "pickle": {"load"},
}


def test_files_are_read_in_one_place():
    found = []
    for file in sorted(PACKAGE.parent.rglob("*.py")):
        if file.name == "files.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Attribute):
                continue
            past = isinstance(node.value, ast.Name) and node.attr in PAST.get(node.value.id, ())
            if past or node.attr == "to_parquet":
                found.append(
                    f"{file.relative_to(PACKAGE.parent)}:{node.lineno}: {ast.unparse(node)}"
                )
    assert found == []
