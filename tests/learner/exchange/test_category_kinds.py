"""Categories that are truth values and numbers, in every type of column that may hold them."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

from hedgerow import C45Classifier
from hedgerow.exchange import to_python, to_sql
from hedgerow.exchange.branches import spellings

#: Of a variable: categories, and what stands in a column of each type for them.
KINDS = {
    "truth": ([True, False], {"INTEGER": int, "BOOLEAN": bool, "TEXT": str, "REAL": float}),
    "bits": ([0, 1], {"INTEGER": int, "BOOLEAN": bool, "TEXT": str, "REAL": float}),
    "whole": ([1, 2, 30], {"INTEGER": int, "TEXT": str, "REAL": float}),
    "floats": ([1.0, 2.0, 2.5], {"TEXT": str, "REAL": float}),
    "texts": (["1", "2", "a"], {"TEXT": str}),
}
CASES = [(kind, column) for kind, (_, columns) in KINDS.items() for column in columns]


def grown(kind: str):
    """A tree that gives each category a class, with a table of its rows."""
    labels = KINDS[kind][0]
    values = labels * 8
    table = pd.DataFrame({"v": pd.Categorical(values, categories=labels)})
    y = [str(labels.index(value) % 2) for value in values]
    return C45Classifier(prune=False, min_samples_split=2).fit(table, y), table, values


def select(tree) -> str:
    return to_sql(tree, table="t", what="class", keep=["key"]) + " ORDER BY 1"


def filled(connection, place: str, column: str, values) -> None:
    connection.execute(f"CREATE TABLE t (key INTEGER, v {column})")
    for key, value in enumerate([*values, None]):
        connection.execute(f"INSERT INTO t VALUES ({place}, {place})", (key, value))


@pytest.mark.parametrize("column", ["", "INTEGER", "BOOLEAN", "TEXT", "REAL"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_sqlite_agrees_with_predict(kind, column):
    """``IN ('True')`` agreed with `predict` on half of the rows: SQLite has 1 for True. Of an
    untyped column of whole numbers as well, which it compares with no text."""
    model, table, values = grown(kind)
    writers = KINDS[kind][1]
    for write in [writers[column]] if column in writers else [] if column else writers.values():
        with sqlite3.connect(":memory:") as connection:
            filled(connection, "?", column, map(write, values))
            answers = connection.execute(select(model.tree_)).fetchall()
        assert [answer for _, answer in answers[:-1]] == model.predict(table).tolist()


@pytest.mark.parametrize("kind, column", CASES)
def test_duckdb_agrees_with_predict(kind, column):
    duckdb = pytest.importorskip("duckdb")
    model, table, values = grown(kind)
    with duckdb.connect() as connection:
        names = {"TEXT": "VARCHAR", "REAL": "DOUBLE"}
        filled(connection, "?", names.get(column, column), map(KINDS[kind][1][column], values))
        answers = connection.execute(select(model.tree_)).fetchall()
    assert [answer for _, answer in answers[:-1]] == model.predict(table).tolist()


@pytest.mark.parametrize("kind", list(KINDS))
def test_python_agrees_with_predict(kind):
    """1 for True, 1.0 for 1 and True for 1 were new categories, which went to the heavier side."""
    model, table, values = grown(kind)
    space = {}
    exec(to_python(model.tree_), space)
    expected = model.predict_proba(table).tolist()
    numpy_value = np.asarray(values).dtype.type
    for write in (*KINDS[kind][1].values(), lambda value: value, numpy_value):
        got = [list(space["predict_proba"]({"v": write(value)}).values()) for value in values]
        assert got == expected


def test_a_new_category_goes_where_the_tree_sends_it():
    model, _, _ = grown("whole")
    space = {}
    exec(to_python(model.tree_), space)
    with sqlite3.connect(":memory:") as connection:
        filled(connection, "?", "", [7, "7", 1.5, 10])
        text = to_sql(model.tree_, table="t") + " ORDER BY t.rowid"
        answers = connection.execute(text).fetchall()
    expected = model.tree_.predict_proba([[3.0], [3.0], [3.0], [3.0], [np.nan]])
    np.testing.assert_allclose(answers, expected)
    np.testing.assert_allclose(list(space["predict_proba"]({"v": 7}).values()), expected[0])


@pytest.mark.parametrize(
    "label, labels, texts",
    [
        ("True", ["True", "False"], ["True", "1", "1.0", "TRUE", "true"]),
        ("False", ["True", "False"], ["False", "0", "0.0", "FALSE", "false"]),
        ("True", ["True", "true", "1"], ["True", "1.0", "TRUE"]),
        ("30", ["30"], ["30", "30.0"]),
        ("30.0", ["30", "30.0"], ["30.0"]),
        ("-2.5", ["-2.5"], ["-2.5"]),
        ("007", ["007"], ["007"]),
        ("1e5", ["1e5"], ["1e5"]),
        ("nan", ["nan"], ["nan"]),
        ("inf", ["inf"], ["inf"]),
        ("mitral", ["mitral"], ["mitral"]),
        (3, [1, 3], [3]),
    ],
)
def test_spellings(label, labels, texts):
    assert spellings(label, labels) == texts


def test_plain_texts_are_compared_as_they_are():
    table = pd.DataFrame({"v": pd.Categorical(["a", "b"] * 4)})
    tree = C45Classifier().fit(table, [0, 1] * 4).tree_
    assert "CAST" not in to_sql(tree)
