"""SQL, run by the standard library's SQLite, against `predict_proba`."""

import re
import sqlite3

import numpy as np
import pytest
from drawn import CLASSES, drawn_tree, first_tree, records
from effort import examples
from hypothesis import given
from oracle.random_trees import chain, seeds

from hedgerow.errors import InputError
from hedgerow.exchange import to_sql
from hedgerow.exchange.as_sql import approximate
from hedgerow.tree import Tree


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def database(tree, rows, table="t"):
    """The rows in a table with a key."""
    connection = sqlite3.connect(":memory:")
    found = records(tree, rows)
    columns = ", ".join(map(quoted, found[0]))
    connection.execute(f"CREATE TABLE {quoted(table)} (key, {columns})")
    places = ", ".join("?" * (len(found[0]) + 1))
    values = [(key, *record.values()) for key, record in enumerate(found)]
    connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", values)
    return connection


def answers(tree, rows, **options):
    with database(tree, rows) as connection:
        got = connection.execute(to_sql(tree, table="t", keep=["key"], **options))
        return [each[0] for each in got.description][1:], [row[1:] for row in sorted(got)]


def read_exactly(tree, rows):
    """Rows without values on thresholds that this SQLite does not read as they are written."""
    connection = sqlite3.connect(":memory:")
    rows = rows.copy()
    for threshold in set(tree.threshold[~np.isnan(tree.threshold)].tolist()):
        if connection.execute(f"SELECT {approximate(threshold)}").fetchone()[0] != threshold:
            rows[np.isclose(rows, threshold, rtol=1e-14, atol=0)] = np.nan
    return rows


@examples(200)
@given(seeds)
def test_probabilities_are_those_of_the_tree(seed):
    """NULL in any columns, new categories, values on thresholds; names that are made to break."""
    tree, rows = drawn_tree(seed)
    rows = read_exactly(tree, rows)
    names, got = answers(tree, rows)
    assert names == [f"probability_{label}" for label in CLASSES[: tree.n_classes]]
    np.testing.assert_allclose(got, tree.predict_proba(rows), atol=1e-12)


@examples(60)
@given(seeds)
def test_classes_are_those_of_the_tree(seed):
    tree, rows = drawn_tree(seed)
    rows = read_exactly(tree, rows)
    expected = tree.predict_proba(rows)
    names, got = answers(tree, rows, what="class")
    assert names == ["class"]
    # The order of summation may decide a tie of a divided row.
    sure = np.isnan(rows).sum(axis=1) == 0
    top = np.sort(expected, axis=1)
    if tree.n_classes > 1:
        sure |= top[:, -1] - top[:, -2] > 1e-9
    for (label,), row, told in zip(got, expected, sure, strict=True):
        assert label in tree.classes
        assert label == tree.classes[row.argmax()] or not told


def test_expressions_stand_in_a_query_of_ones_own():
    tree, rows = first_tree(lambda tree: tree.n_leaves > 3)
    rows = read_exactly(tree, rows)
    for what in ("proba", "class"):
        select = f"SELECT {tree.to_sql(what=what)}\nFROM t ORDER BY key"
        with database(tree, rows) as connection:
            assert connection.execute(select).fetchall() == answers(tree, rows, what=what)[1]


def test_whole_numbers_as_labels_are_numbers():
    tree = chain(3)
    rows = np.array([[-1.0, 0, 0], [0, 0, 0], [0, 1, 0]])
    assert answers(tree, rows, what="class")[1] == [(0,), (1,), (0,)]
    assert answers(tree.replace(classes=[True, False]), rows, what="class")[1][0] == ("True",)
    assert answers(tree.replace(classes=["0", "1"]), rows, what="class")[1][0] == ("0",)
    assert answers(tree.snip(0), rows, what="class")[1][0] == (0,)


def test_categories_without_labels_are_codes():
    tree, rows = first_tree(lambda tree: tree.is_categorical().sum() > 1)
    codes = tree.replace(categories={})
    rows = read_exactly(tree, rows)
    got = answers(codes, rows)[1]
    np.testing.assert_allclose(got, codes.predict_proba(rows), atol=1e-12)
    assert re.search(r"IN \(\d", codes.to_sql())


def test_a_leaf_that_takes_no_category_is_reached_by_missing_values_alone():
    """Tests of one variable by different categories leave nothing of them."""
    tree = Tree(
        [0, -1, 0, -1, -1],
        np.full(5, np.nan),
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [-1, 0, 0, 2, 2],
        [0.6, np.nan, 0.25, np.nan, np.nan],
        [[6, 4], [3, 1], [3, 3], [0, 3], [3, 0]],
        [[1, 0], [0, 0], [1, 0], [0, 0], [0, 0]],
        categories={0: ["a", "b"]},
    )
    rows = np.array([[0.0], [1.0], [2.0], [np.nan]])
    np.testing.assert_allclose(answers(tree, rows)[1], tree.predict_proba(rows), atol=1e-15)
    # A new one goes left at the first test alone.
    assert tree.rules()["rule"][1] == "x0 in {}"


@pytest.mark.parametrize("depth", [40, 2500])
def test_deep_trees_stay_within_what_a_parser_takes(depth):
    """SQLite takes expressions of depth 1,000, its older parsers a stack of 100."""
    tree = chain(depth)
    rng = np.random.default_rng(depth)
    rows = rng.integers(-1, depth + 1, (30, 3)).astype(float)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    np.testing.assert_allclose(answers(tree, rows)[1], tree.predict_proba(rows), atol=1e-12)
    text = tree.to_sql()
    assert max(len(re.findall(r"\bCASE\b", line)) for line in text.splitlines()) <= 4


def test_a_table_of_a_schema():
    tree, rows = chain(2), np.array([[-1.0, 0, 0]])
    with database(tree, rows, 'a"b') as connection:
        got = connection.execute(tree.to_sql(table=("main", 'a"b'), keep="key")).fetchall()
    assert got == [(0, 1.0, 0.0)]


def test_a_column_that_is_not_there_is_an_error():
    """SQLite takes a name in double quotes that it does not know as a text, if nothing tells it
    that it is one of a table."""
    tree = chain(2)
    connection = database(tree, np.zeros((1, 3)))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(tree.to_sql(table="t", feature_names=["u", "v", "w"]))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"what": "leaf"}, "what is 'leaf'; choose one of 'proba', 'class'"),
        ({"table": ""}, "table is ''"),
        ({"table": 3}, "table is 3"),
        ({"table": ()}, r"table is \(\)"),
        ({"table": "t", "keep": [3]}, r"keep is \[3\]"),
        ({"table": "t", "keep": 3}, "keep is 3"),
        ({"keep": ["key"]}, "keep names columns of no table"),
        ({"table": "t", "keep": ["a", "A"]}, "two columns are called 'a'"),
        ({"table": "t", "keep": ["probability_0"]}, "two columns are called 'probability_0'"),
        ({"table": "t", "keep": ["CLASS"], "what": "class"}, "two columns are called 'class'"),
        (
            {"table": "t", "keep": ["probability_1"], "what": "class"},
            "two columns are called 'probability_1'",
        ),
        ({"class_names": ["a", "A"]}, "two columns are called 'probability_a'"),
        ({"class_names": ["a\0b", "b"]}, "holds a character that SQL cannot"),
        ({"feature_names": ["a\ud800", "b", "c"]}, "holds a character that SQL cannot"),
        ({"class_names": ["a"]}, "1 names for 2 classes"),
    ],
)
def test_what_cannot_be_written_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        chain(3).to_sql(**options)


def test_a_class_without_weight_has_the_probability_0():
    tree = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[0.0, 2.0]])
    assert answers(tree, np.zeros((2, 1)))[1] == [(0.0, 1.0)] * 2
