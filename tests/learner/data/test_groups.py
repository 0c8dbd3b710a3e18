"""Groups: which rows belong together, from the registry to a split that keeps them whole."""

import csv
import dataclasses
import io
import json
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_up import ROOT, sha256

from hedgerow.cli import main
from hedgerow.data import (
    TidyTable,
    canonical_csv,
    fetch,
    load,
    load_registry,
    read_tidy,
    split_groups,
    tidy,
    write_tidy,
)
from hedgerow.errors import DataError, InputError
from hedgerow.files import read_arrow, write_parquet

#: Of two persons, each twice; sorted by x, the rows are of A, B, B, A.
ROWS = "r1_A,5,red,a\nr2_A,1,blue,b\nr1_B,3,,a\nr2_B,2,red,b\n"
BY = {"column": "name", "pattern": r"r\d_([A-Z])", "fingerprint": sha256("A\nB\nB\nA\n")}
READER = {"columns": ["name", "x", "colour", "class"]}


def grouped(text=ROWS, reader=READER, **changes):
    return {"text": text, "reader": reader, "group": {**BY, **changes}}


# ------------------------------------------------------------------------------------ parkinsons


def test_parkinsons_has_32_persons_in_195_recordings():
    found = load("parkinsons")
    sizes = Counter(found.group.tolist())
    assert len(found.group) == 195 and len(sizes) == 32
    assert sizes["S01"] == 6
    assert {person for person, n in sizes.items() if n == 7} == {"S21", "S27", "S35"}
    assert set(sizes.values()) == {6, 7}
    # 48 recordings of healthy persons are 8 persons; nobody is in both classes.
    status = {(person, label) for person, label in zip(found.group, found.y, strict=True)}
    assert Counter(label for _, label in status) == {"healthy": 8, "parkinson": 24}
    assert found.X.shape[1] == 22 and list(found.frame) == [*found.X, "status"]
    assert "195 rows in 32 groups, 22 variables" in repr(found)


@pytest.mark.parametrize("kind", [pytest.param("mirror", marks=pytest.mark.mirror), "archive"])
def test_every_source_says_the_same_of_each_recording(kind, registry, tmp_path):
    """Against the file read by hand: a row of the table has the person of its values."""
    entry = registry["parkinsons"]
    raw = fetch(entry, tmp_path, kinds={kind})
    table = tidy(entry, raw)
    person = {}
    for row in csv.DictReader(io.StringIO(raw.path.read_text())):
        person[tuple(float(row[v]) for v in entry.variables)] = row["name"].split("_")[2]
    assert len(person) == 195
    assert table.group.tolist() == [person[tuple(values)] for values in table.matrix()[0]]


def test_the_table_of_parkinsons_is_that_without_groups(registry, tmp_path):
    """Results of before hold: the same rows, in the same order."""
    entry = registry["parkinsons"]
    table = tidy(entry, fetch(entry, tmp_path))
    frozen = "5221a6e1a86721632df0955762dc823fc69f6070ff66bf4bb246f7d30ab26fa4"
    assert table.fingerprint == entry.fingerprint == frozen
    assert sha256(canonical_csv(table)) == frozen


def test_a_set_without_groups_has_none():
    found = load("wine")
    assert found.group is None and "group" not in repr(found)


# ---------------------------------------------------------------------------------- tidy tables


def test_labels_go_with_their_rows(tiny):
    table = tiny.table(**grouped())
    assert table.group.tolist() == ["A", "B", "B", "A"]
    assert list(table.X) == ["x", "colour"]
    without = dataclasses.replace(table, group=None)
    assert canonical_csv(table) == canonical_csv(without)


def test_without_a_pattern_the_whole_value_is_the_label(tiny):
    spec = grouped(fingerprint=sha256("r2_A\nr2_B\nr1_B\nr1_A\n"))
    del spec["group"]["pattern"]
    assert tiny.table(**spec).group.tolist() == ["r2_A", "r2_B", "r1_B", "r1_A"]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_rows_that_tie_are_sorted_by_group(tiny, order):
    lines = ["r1_C,1,red,a", "r1_B,1,red,a", "r1_A,1,red,a", "r1_D,0,red,b"]
    spec = grouped("\n".join(lines[i] for i in order), fingerprint=sha256("D\nA\nB\nC\n"))
    changes = {"classes": {"a": 3, "b": 1}, "variables": {"x": "numeric", "colour": {"red": 4}}}
    assert tiny.table(**spec, **changes).group.tolist() == ["D", "A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "pattern", "value"),
    [
        (ROWS, r"s\d_([A-Z])", "'r1_A'"),
        (ROWS, r"r\d_([A-Z])_\d", "'r1_A'"),
        (ROWS, r"r(\d)", "'r1_A'"),  # a part is not enough
        (ROWS, r"r\d_([A-Z]?)[A-Z]", "'r1_A'"),  # what is empty is no label
        (ROWS.replace("r1_B", "r1_7"), BY["pattern"], "'r1_7'"),
        (ROWS.replace("r1_B", "?"), BY["pattern"], "None"),
    ],
)
def test_a_value_that_the_pattern_does_not_match_is_named(tiny, text, pattern, value):
    with pytest.raises(DataError) as caught:
        tiny.table(**grouped(text, pattern=pattern))
    said = str(caught.value)
    assert said.startswith(f"tiny: {value} in column 'name' tells no group; correct ")
    assert repr(pattern) in said and "\n" not in said


def test_other_groups_of_the_same_table_are_refused(tiny):
    """UCI's files have no checksum, and the table's fingerprint does not hold groups."""
    tiny.table(**grouped())
    swapped = ROWS.replace("r1_A", "r1_C")
    with pytest.raises(DataError, match=r"tiny: the groups by 'name' from mirror .* are not the "):
        tiny.table(**grouped(swapped))


def test_a_file_without_the_column_is_refused(tiny):
    text = "x,colour,class\n5,red,a\n1,blue,b\n3,,a\n2,red,b\n"
    with pytest.raises(DataError, match="no column 'name'"):
        tiny.table(**grouped(text, {"header": True}))


# ---------------------------------------------------------------------------------------- parquet


def test_parquet_keeps_groups_beside_the_columns(tiny, tmp_path):
    """As metadata: whoever does not know groups reads the table as before."""
    table = tiny.table(**grouped())
    write_tidy(tmp_path / "with.parquet", table)
    write_tidy(tmp_path / "without.parquet", dataclasses.replace(table, group=None))
    again = read_tidy(tmp_path / "with.parquet")
    assert again.group.tolist() == ["A", "B", "B", "A"]
    assert read_tidy(tmp_path / "without.parquet").group is None
    one, other = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("with", "without"))
    assert one.equals(other)
    about, plain = (json.loads(t.schema.metadata[b"hedgerow"]) for t in (one, other))
    assert about == {**plain, "group": ["A", "B", "B", "A"]} and "group" not in plain


def test_a_file_with_too_few_groups_is_no_tidy_table(tiny, tmp_path):
    path = tmp_path / "t.parquet"
    write_tidy(path, tiny.table(**grouped()))
    arrow = read_arrow(path)
    about = json.loads(arrow.schema.metadata[b"hedgerow"]) | {"group": ["A", "B", "B"]}
    path.unlink()
    write_parquet(path, arrow.replace_schema_metadata({b"hedgerow": json.dumps(about)}))
    with pytest.raises(DataError, match=r"t\.parquet: not a tidy table"):
        read_tidy(path)


# --------------------------------------------------------------------------------------- variants


def variant(tiny, **changes):
    """Entry of the rows of classes a and c, with one of two variables."""
    text = ROWS.replace("2,red,b", "2,red,c")
    tiny.entry(**grouped(text), classes={"a": 2, "b": 1, "c": 1})
    tiny.spec["datasets"]["part"] = {
        **{"title": "A variant", "parent": "tiny", "rows": 3, "fingerprint": "0" * 64},
        **{"classes": {"a": 2, "c": 1}, "variables": {"x": "numeric"}},
        "transform": {"keep_variables": ["x"], "keep_classes": ["a", "c"]},
        **changes,
    }
    tiny.write()
    return load_registry(tiny.path)["part"]


def test_a_variant_has_the_groups_of_the_rows_that_it_keeps(tiny):
    entry = variant(tiny)
    assert entry.group == entry.base.group
    table = tidy(entry, fetch(entry, tiny.raw, tiny.folder), check=False)
    assert table.X["x"].tolist() == [2, 3, 5] and table.y.tolist() == [1, 0, 0]
    assert table.group.tolist() == ["B", "B", "A"]


def test_groups_of_a_variant_are_compared_before_rows_are_left_out(tiny):
    """The registered fingerprint is of all rows of the file."""
    entry = variant(tiny)
    raw = fetch(entry, tiny.raw, tiny.folder)
    own = tidy(entry, raw, check=False).fingerprint
    entry = dataclasses.replace(entry, fingerprint=own)
    assert len(tidy(entry, raw)) == 3
    other = dataclasses.replace(entry.group, fingerprint="0" * 64)
    raw = dataclasses.replace(raw, entry=dataclasses.replace(entry.base, group=other))
    with pytest.raises(DataError, match=r"tiny: the groups by 'name' from mirror .* are not the "):
        tidy(entry, raw)


def test_a_variant_with_groups_of_its_own_is_refused(tiny):
    with pytest.raises(DataError, match=r"`datasets\.part` has other groups than its parent"):
        variant(tiny, group={**BY, "pattern": "(r).*"})


# --------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "pattern",
    [
        "r1_A",
        "(r)(1)",
        "(r",
        "r)",
        "(a+)+",
        "(?:a|a)*(b)",
        "(b)?",
        "(b){2}",
        "(?x)(b) +",
        "(?<=a*)(b)",
        "(b){99",
    ],
)
def test_a_pattern_has_one_pair_of_brackets_that_is_not_repeated(tiny, pattern):
    """A registry may be a stranger's, and a repeated bracket may take years."""
    with pytest.raises(
        DataError, match=r"`datasets\.tiny\.group`: `pattern` is .*; write a regular expression"
    ):
        tiny.entry(**grouped(pattern=pattern))


@pytest.mark.parametrize("column", ["x", "class"])
def test_a_column_of_the_table_tells_no_groups(tiny, column):
    with pytest.raises(DataError, match=f"`datasets.tiny` has its groups by '{column}', which the"):
        tiny.entry(**grouped(column=column))


def test_the_command_prints_the_fingerprint_of_the_groups(tiny, capsys):
    tiny.entry(**grouped(fingerprint=""))
    options = ["--registry", str(tiny.path), "--mirror", str(tiny.folder)]
    assert main(["data", "fingerprint", "tiny", *options]) == 0
    assert BY["fingerprint"] in capsys.readouterr().out
    assert (
        main(["data", "fingerprint", "wine", "--registry", str(ROOT / "config/datasets.yaml")]) == 0
    )
    assert "group" not in capsys.readouterr().out


# ------------------------------------------------------------------------------------------ split


def table_of(y, group):
    X = pd.DataFrame({"a": np.arange(len(y), dtype=float)})
    return TidyTable("made_up", X, np.asarray(y), ["a", "b"], "class", group=np.asarray(group))


@pytest.fixture(scope="module")
def parkinsons(registry, tmp_path_factory):
    entry = registry["parkinsons"]
    return tidy(entry, fetch(entry, tmp_path_factory.mktemp("raw")))


def test_no_person_is_in_both_parts(parkinsons):
    """Of 32 persons 10 are for testing (9.6): 7 of 24 (7.2), and 3 of the 8 healthy ones (2.4)."""
    tested = Counter()
    for repeat in range(20):
        train, test = split_groups(parkinsons, repeat, seed=1, experiment="soft")
        assert sorted([*train, *test]) == list(range(195))
        assert list(train) == sorted(train) and list(test) == sorted(test)
        persons = set(parkinsons.group[test])
        assert not persons & set(parkinsons.group[train])
        healthy = set(parkinsons.group[test][parkinsons.y[test] == 0])
        assert (len(persons), len(healthy)) == (10, 3)
        tested.update(persons)
    assert len(tested) == 32  # nobody is left out of all


def test_it_depends_on_its_name_alone(parkinsons):
    base = split_groups(parkinsons, 0, seed=1, experiment="soft")[1]
    again = split_groups(parkinsons, 0, seed=1, experiment="soft")[1]
    np.testing.assert_array_equal(base, again)
    for other in (
        split_groups(parkinsons, 1, seed=1, experiment="soft"),
        split_groups(parkinsons, 0, seed=2, experiment="soft"),
        split_groups(parkinsons, 0, seed=1, experiment="search"),
    ):
        assert list(other[1]) != list(base)


def test_a_group_counts_by_the_class_of_most_of_its_rows():
    """Groups p and q are of class a (q by a tie), r and s of b: one of each is for testing."""
    table = table_of([1, 0, 0, 1, 0, 1, 1, 0, 1, 1], list("pppqqrrsss"))
    for repeat in range(10):
        _, test = split_groups(table, repeat, seed=1, experiment="soft", test_size=0.5)
        tested = set(table.group[test])
        assert len(tested & {"p", "q"}) == len(tested & {"r", "s"}) == 1


def test_what_cannot_be_split_by_group(parkinsons):
    with pytest.raises(DataError, match="parkinsons: no groups are known of its rows; use `split`"):
        split_groups(dataclasses.replace(parkinsons, group=None), 0, seed=1, experiment="soft")
    with pytest.raises(DataError, match=r"made_up: 1 groups cannot be split with test_size 0\.3"):
        split_groups(table_of([0, 1, 0], list("ppp")), 0, seed=1, experiment="soft")
    with pytest.raises(
        DataError, match=r"parkinsons: 32 groups cannot be split with test_size 0\.0"
    ):
        split_groups(parkinsons, 0, seed=1, experiment="soft", test_size=0.01)
    with pytest.raises(InputError, match="test_size"):
        split_groups(parkinsons, 0, seed=1, experiment="soft", test_size=1)
