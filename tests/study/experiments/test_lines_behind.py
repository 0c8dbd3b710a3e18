"""Provenance of tables as data: which rows each cell of a line rests on."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from hedgerow_study.experiments.cell_sources import ColumnSource, LineSources
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import finished, heads_of, lines_of

TABLE = pd.DataFrame({"registry": ["a", "b"], "mean": [0.5, np.nan], "n": [2, 0]})


def test_each_column_rests_on_rows_that_its_line_names():
    lines = LineSources(
        "rows",
        {"registry": "dataset"},
        {
            "mean": ColumnSource("mean", "value", 100.0, {"metric": "accuracy"}),
            "n": ColumnSource("n_rows", "value"),
        },
    )
    assert list(lines(TABLE)) == [
        Cell(0, "mean", "mean", (Rows("rows", {"dataset": "a", "metric": "accuracy"}),), 100.0),
        Cell(0, "n", "n_rows", (Rows("rows", {"dataset": "a"}),)),
        Cell(1, "n", "n_rows", (Rows("rows", {"dataset": "b"}),)),
    ]


def test_a_column_as_it_is_and_lines_without_provenance():
    lines = LineSources("sets", ("registry",), ("n",), lambda line: line["n"] > 0)
    assert list(lines(TABLE)) == [Cell(0, "n", "value", (Rows("sets", {"registry": "a"}, "n"),))]


def test_printed_lines_come_first_with_what_became_of_them():
    plan = SimpleNamespace(printed={"First": ("one", "two")}, datasets=("two", "own"))
    assert lines_of({"x": "y"}, {"x": "y"}, ["y"]) == [("x", "y")]
    found = [tuple(head.values()) for head in heads_of(["First", "Second"], ["two"], plan)]
    assert found == [
        ("First", "one", "not asked for"),
        ("First", "two", "run"),
        ("Second", "", "absent"),
        ("own", "own", "absent"),
    ]


def test_a_finished_table_has_its_columns_and_types():
    lines = [{"name": "a", "value": 1 / 3, "n": 2}, {"name": "b"}]
    table = finished(lines, ["name", "value", "n", "note"], ["value"], ["n"], digits=2)
    assert list(table) == ["name", "value", "n", "note"]
    assert table["value"].iloc[0] == 0.33 and table["n"].tolist() == [2, pd.NA]
