"""Readers, tidy tables, fingerprints, and bad input one by one."""

import dataclasses
import hashlib

import numpy as np
import pandas as pd
import pytest
from made_up import ROWS

from hedgerow.data import (
    TidyTable,
    canonical_csv,
    check_table,
    fetch,
    load_registry,
    read_fetched,
    read_tidy,
    tidy,
    write_tidy,
)
from hedgerow.errors import DataError
from hedgerow.files import write_parquet

CANONICAL = "x,colour,class\n1.0,blue,b\n2.0,red,b\n3.0,,a\n5.0,red,a\n"


def test_the_canonical_csv_is_sorted_typed_and_hashed(tiny):
    table = tiny.table()
    assert canonical_csv(table).decode() == CANONICAL
    assert table.fingerprint == hashlib.sha256(CANONICAL.encode()).hexdigest()
    assert table.classes == ["a", "b"]
    np.testing.assert_array_equal(table.y, [1, 1, 0, 0])
    assert table.X["x"].dtype == np.float64


def test_matrix_has_codes_and_numbers_of_categories(tiny):
    X, n_categories = tiny.table().matrix()
    np.testing.assert_array_equal(n_categories, [0, 2])
    np.testing.assert_array_equal(X, [[1, 0], [2, 1], [3, np.nan], [5, 1]])


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        ("3,?,a\n2,red,b\n5,red,a\n1,blue,b\n", {}),  # another order, another missing mark
        ("5.0,red,a\r\n1,blue,b\r\n3e0,,a\r\n02,red,b\r\n", {}),  # other line ends and digits
        ("\ufeff5,red,a\n1,blue,b\n3,,a\n2,red,b", {}),  # byte order mark, no last line end
        ('5, "red", a\n1, "blue", b\n3, , a\n2, "red", b\n\n', {}),
        ("a,5,red\nb,1,blue\na,3,\nb,2,red\n", {"target": "first"}),
        ("5;red;a\n1;blue;b\n3;;a\n2;red;b\n", {"separator": ";"}),
        ("5  red\ta\n1 blue b\n3 ?  a\n2 red b\n", {"separator": "whitespace"}),
        ("9,5,red,a\n8,1,blue,b\n7,3,,a\n6,2,red,b\n", {"drop": [0]}),
        ("class,colour,x\na,red,5\nb,blue,1\na,,3\nb,red,2\n", {"header": True}),
        (
            "id,x,colour,class\n1,5,red,a\n2,1,blue,b\n3,3,,a\n4,2,red,b\n",
            {"header": True, "drop": ["id"]},
        ),
        (
            "X Y Z\n1 5 red a\n2 1 blue b\n3 3 NA a\n4 2 red b\n",
            {
                "separator": " ",
                "header": True,
                "row_names": True,
                "drop": ["rownames"],
                "columns": ["x", "colour", "class"],
            },
        ),
        ("4,2,a,b\n5,red,a\n1,blue,b\n3,,a\n2,red,b\n", {"skip_lines": 1}),
        ("red,5,a\nblue,1,b\n,3,a\nred,2,b\n", {"columns": ["colour", "x", "class"]}),
        ("5,red,0\n1,blue,1.0\n3,,0\n2,red,01\n", {"labels": {"0": "a", "1": "b"}}),
        ("5,R,a\n1,B,b\n3,,a\n2,R,b\n", {"recode": {"colour": {"R": "red", "B": "blue"}}}),
        ("5,red,a\n1,blue,b\n3,unknown,a\n2,red,b\n", {"missing": ["unknown"]}),
        ("5.004,red,a\n1.0000000001,blue,b\n3,,a\n2,red,b\n", {"decimals": {"x": 2}}),
        (
            "% a comment\n@relation t\n@ATTRIBUTE x numeric\n@attribute 'colour' {blue, red}\n"
            "@attribute class{a,b}\n\n@DATA\n5,red,a\n1,'blue',b\n% c\n3,?,a\n2,red,b\n",
            {"format": "arff"},
        ),
    ],
)
def test_every_layout_gives_the_same_bytes(tiny, text, reader):
    table = tiny.table(text, reader=reader)
    assert canonical_csv(table).decode() == CANONICAL


def test_latin_1_files_are_read(tiny):
    text = "1,rosé,a\n2,rosé,b\n".encode("latin-1")
    table = tiny.table(
        text, rows=2, classes={"a": 1, "b": 1}, variables={"x": "numeric", "colour": {"rosé": 2}}
    )
    assert list(table.X["colour"]) == ["rosé", "rosé"]


def test_minus_zero_is_zero(tiny):
    a = tiny.table(
        "-0.0,red,a\n1,red,b\n", rows=2, variables={"x": "numeric", "colour": {"red": 2}}
    )
    assert b"-0.0" not in canonical_csv(a)


def test_labels_with_commas_and_quotes_are_quoted(tiny):
    table = TidyTable(
        name="t",
        X=pd.DataFrame({"a,b": [1.0, np.nan]}),
        y=np.array([0, 1]),
        classes=['say "x"', "plain"],
        target="class",
    )
    assert canonical_csv(table).decode() == '"a,b",class\n1.0,"say ""x"""\n,plain\n'


def test_a_survival_set_keeps_its_time(tiny):
    table = tiny.table(
        "5,red,a,10\n1,blue,b,2.5\n3,,a,4\n2,red,b,1\n",
        task="survival",
        time="months",
        reader={"columns": ["x", "colour", "class", "months"]},
    )
    np.testing.assert_array_equal(table.time, [2.5, 1, 4, 10])
    assert canonical_csv(table).startswith(b"x,colour,months,class\n1.0,blue,2.5,b\n")


# ------------------------------------------------------------------------------------- transforms


def variant(tiny, text=ROWS, classes=None, variables=None, **transform):
    tiny.entry(text)
    tiny.spec["datasets"]["tiny_variant"] = {
        "title": "A variant",
        "parent": "tiny",
        "rows": 4,
        "classes": classes or {"a": 2, "b": 2},
        "variables": variables or {"x": "numeric"},
        "transform": transform,
        "fingerprint": "0" * 64,
    }
    tiny.write()
    entry = load_registry(tiny.path)["tiny_variant"]
    return tidy(entry, fetch(entry, tiny.raw, tiny.folder), check=False)


def test_variants_keep_and_drop_variables(tiny):
    assert list(variant(tiny, keep_variables=["x"]).X) == ["x"]
    assert list(variant(tiny, drop_variables=["x"]).X) == ["colour"]


def test_variants_group_classes(tiny):
    table = variant(tiny, classes={"rest": 0, "b": 0}, group_classes={"rest": ["a"], "b": ["b"]})
    assert table.classes == ["rest", "b"]
    np.testing.assert_array_equal(table.y, [1, 1, 0, 0])


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        ({"keep_variables": ["z"]}, "the parent tiny has no variable 'z'"),
        ({"drop_variables": ["z"]}, "the parent tiny has no variable 'z'"),
        ({"as_numbers": ["z"]}, "the parent tiny has no variable 'z'"),
        ({"keep_classes": ["z"]}, "the parent tiny has no class 'z'"),
        ({"group_classes": {"new": ["z"]}}, "the parent tiny has no class 'z'"),
        ({"group_classes": {"a": ["a"]}}, "class 'b' of tiny is in no group"),
    ],
)
def test_a_wrong_transform_is_named(tiny, transform, message):
    with pytest.raises(DataError, match=f"tiny_variant: {message}"):
        variant(tiny, **transform)


# ---------------------------------------------------------------------------------------- parquet


def test_parquet_round_trip(tiny, tmp_path):
    table = tiny.table()
    write_tidy(tmp_path / "sub" / "t.parquet", table)
    again = read_tidy(tmp_path / "sub" / "t.parquet")
    pd.testing.assert_frame_equal(again.X, table.X)
    np.testing.assert_array_equal(again.y, table.y)
    assert again.classes == table.classes
    assert again.fingerprint == table.fingerprint
    assert canonical_csv(again) == canonical_csv(table)
    assert [p.name for p in (tmp_path / "sub").iterdir()] == ["t.parquet"]


def test_parquet_keeps_categories_and_classes_that_no_row_has(tiny, tmp_path):
    """Parquet stores the categories that occur, in order of occurrence; codes must not move."""
    table = TidyTable(
        name="t",
        X=pd.DataFrame({"c": pd.Categorical(["z", "y"], categories=["x", "y", "z"])}),
        y=np.array([2, 1]),
        classes=["a", "b", "c"],
        target="class",
        sample=np.array([0, 1]),
        time=np.array([1.0, 2.0]),
        time_name="days",
    )
    write_tidy(tmp_path / "t.parquet", table)
    again = read_tidy(tmp_path / "t.parquet")
    np.testing.assert_array_equal(again.y, [2, 1])
    np.testing.assert_array_equal(again.matrix()[0], [[2], [1]])
    np.testing.assert_array_equal(again.matrix()[1], [3])
    np.testing.assert_array_equal(again.sample, [0, 1])
    np.testing.assert_array_equal(again.time, [1, 2])


def test_parquet_bytes_are_the_same_twice_and_hold_the_key_and_fingerprint(tiny, tmp_path):
    import pyarrow.parquet as pq

    table = tiny.table()
    write_tidy(tmp_path / "a.parquet", table)
    write_tidy(tmp_path / "b.parquet", table)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    metadata = pq.read_schema(tmp_path / "a.parquet").metadata[b"hedgerow"].decode()
    assert '"key": "tiny"' in metadata and table.fingerprint in metadata


def test_a_failed_write_leaves_nothing(tiny, tmp_path, monkeypatch):
    def fail(file):
        raise OSError("disk full")

    table = tiny.table()
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_tidy(tmp_path / "out" / "t.parquet", table)
    assert list((tmp_path / "out").iterdir()) == []


def test_missing_damaged_and_foreign_parquet_files(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_tidy(tmp_path / "none.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 truncated")
    with pytest.raises(DataError, match=r"bad\.parquet is damaged"):
        read_tidy(tmp_path / "bad.parquet")
    write_parquet(tmp_path / "other.parquet", pd.DataFrame({"a": [1]}))
    with pytest.raises(DataError, match="not a tidy table"):
        read_tidy(tmp_path / "other.parquet")


def test_a_table_that_is_not_that_of_its_fingerprint(tiny, tmp_path):
    """Whole and sealed, and yet another table: the fingerprint is compared on reading as well."""
    table = tiny.table()
    write_tidy(tmp_path / "t.parquet", table)
    assert read_tidy(tmp_path / "t.parquet").fingerprint == table.fingerprint
    other = dataclasses.replace(table, X=table.X.assign(x=table.X["x"] + 1))
    write_tidy(tmp_path / "t.parquet", other)
    with pytest.raises(DataError, match=r"t\.parquet: not the table of its fingerprint"):
        read_tidy(tmp_path / "t.parquet")


# -------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("5,red\n1,blue\n", {}, "row 1 of the data has 2 fields instead of 3"),
        ("5,red,a\n1,blu", {}, "row 2 of the data has 2 fields instead of 3"),
        ("", {}, "the file has no rows"),
        ("five,red,a\n1,blue,b\n", {}, "'five' in column 'x' is not a number"),
        ("5,green,a\n1,blue,b\n", {}, "'green' is no category of 'colour'"),
        ("5,red,z\n1,blue,b\n", {}, "'z' is no class of 'class'"),
        ("5,red,a\n1,blue,?\n", {}, "1 of 2 rows have no class .row 2.; drop them"),
        (
            "x,colour,klass\n5,red,a\n",
            {"reader": {"header": True}},
            "the target column 'class' is not there",
        ),
        ("x,class\n5,a\n", {"reader": {"header": True}}, "no column 'colour'"),
        (
            "x,colour,extra,class\n5,red,1,a\n",
            {"reader": {"header": True}},
            "unknown column 'extra'",
        ),
        (
            "x,colour,class\n5,red,a\n",
            {"reader": {"header": True, "drop": ["id"]}},
            "no column 'id' to drop",
        ),
        (
            "x,colour,class\n5,red,a\n",
            {"reader": {"header": True, "columns": ["x", "class"]}},
            "3 columns, the registry names 2",
        ),
        ("5,red,a\n", {"reader": {"format": "arff"}}, "no @attribute and @data lines"),
        ("5,red,a\n1,blue,a\n", {}, "all 2 rows are of class 'a'"),
        ("inf,red,a\n1,blue,b\n", {}, "1 infinite values in column 'x'"),
        (
            ROWS,
            {"reader": {"recode": {"colur": {"r": "red"}}}},
            "no column 'colur' for `recode`; correct the reader in the registry entry tiny",
        ),
        (ROWS, {"reader": {"decimals": {"size": 2}}}, "no column 'size' for `decimals`"),
        (
            ROWS,
            {"reader": {"decimals": {"x": 0.5}}},
            "reader.decimals.x` is `0.5`; give a whole number",
        ),
    ],
)
def test_one_sentence_for_each_bad_file(tiny, text, changes, message):
    with pytest.raises(DataError, match=message):
        tiny.table(text, **changes)


def test_rows_without_class_can_be_dropped(tiny):
    table = tiny.table("5,red,a\n1,blue,?\n2,red,b\n", rows=2, missing_target="drop")
    assert len(table) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS + "7,red,a\n", "5 rows instead of 4"),
        (ROWS.replace("2,red,b", "2,red,a"), "3 rows of class a instead of 2"),
        (
            ROWS.replace("5,", "6,"),
            "column x has minimum 1, mean 3, maximum 6 instead of minimum 1, mean 2.75, maximum 5",
        ),
        (ROWS.replace("2,red", "2,blue"), "column colour has 2 rows of blue instead of 1"),
        # The values of each column are the same, the rows are not.
        ("1,red,a\n5,blue,b\n3,,a\n2,red,b\n", "single values differ"),
    ],
)
def test_another_table_is_refused_and_the_difference_named(tiny, text, message):
    right = tiny.entry()
    with pytest.raises(DataError, match="is not the registered one: .*" + message):
        tiny.table(text, fingerprint=right.fingerprint)


def test_a_raw_file_that_was_changed_after_the_fetch(tiny):
    entry = tiny.entry()
    raw = fetch(entry, tiny.raw, tiny.folder)
    raw.path.write_text(ROWS + ROWS)
    with pytest.raises(DataError, match="was changed after it was fetched"):
        tidy(entry, read_fetched(entry, tiny.raw))


def test_check_table_names_what_is_wrong(tiny):
    good = tiny.table()
    check_table(good)

    def bad(**changes):
        return dataclasses.replace(good, **changes)

    for table, message in [
        (bad(X=good.X[[]]), "4 rows and 0 variables"),
        (bad(X=good.X.iloc[:0], y=good.y[:0]), "0 rows and 2 variables"),
        (bad(y=good.y[:3]), "4 rows but 3 classes"),
        (bad(y=np.array([0, 1, -1, 0])), "1 of 4 rows have no class"),
        (bad(y=np.array([0, 1, 2, 0])), "1 of 4 rows have no class"),
        (bad(y=np.zeros(4, dtype=int)), "all 4 rows are of class 'a'"),
        (bad(X=good.X.assign(x=[1, np.inf, 2, -np.inf])), "2 infinite values in column 'x'"),
        (bad(X=good.X.assign(x=list("abcd"))), "column 'x' has type"),
        (bad(time=np.array([1, 2, np.nan, -1]), time_name="days"), "'days' is missing"),
    ]:
        with pytest.raises(DataError, match=message):
            check_table(table)
