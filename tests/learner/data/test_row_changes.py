"""Differences of two versions of a table, against a count of its rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from hedgerow.data.row_changes import CellChange, row_changes


def frame(*rows):
    return pd.DataFrame(rows, columns=["x", "colour", "class"], dtype=object)


BEFORE = frame(("1", "red", "a"), ("2", "blue", "b"), ("3", None, "a"), ("3", None, "a"))


def test_one_cell():
    after = BEFORE.copy()
    after.loc[1, "x"] = "7"
    differing = row_changes(BEFORE, after)
    assert (differing.added, differing.removed, differing.changed) == (0, 0, 1)
    assert differing.cells == (CellChange(2, "x", "2", "7"),)
    assert differing.sentence() == "1 of 4 rows changed (row 2, x: 2 -> 7)"


def test_a_missing_value_is_told():
    after = BEFORE.copy()
    after.loc[2, "colour"] = "red"
    assert row_changes(BEFORE, after).sentence() == (
        "1 of 4 rows changed (row 3, colour: missing -> red)"
    )


def test_rows_in_another_order_are_no_change():
    differing = row_changes(BEFORE, BEFORE[::-1])
    assert not differing and differing.sentence() == "no row of 4 differs"


def test_rows_added_and_removed():
    assert row_changes(BEFORE, BEFORE[1:]).counts() == "1 of 4 rows removed"
    more = pd.concat([BEFORE, frame(("9", "green", "c"))])
    assert row_changes(BEFORE, more).counts() == "1 of 4 rows added"
    assert row_changes(BEFORE, BEFORE[:3]).counts() == "1 of 4 rows removed", "of two equal ones"


def test_a_row_that_moved_and_changed_is_one_changed_row():
    """A row removed above shifts all numbers: counterparts are differing by what they share."""
    after = BEFORE[1:].reset_index(drop=True)
    after.loc[0, "class"] = "a"
    differing = row_changes(BEFORE, after)
    assert (differing.added, differing.removed, differing.changed) == (0, 1, 1)
    assert differing.cells == (CellChange(1, "class", "b", "a"),)


@pytest.mark.parametrize("seed", range(20))
def test_counts_add_up(seed):
    """Rows that both have, those changed and those removed are all rows before; so after."""
    rng = np.random.default_rng(seed)
    tables = [frame(*rng.integers(0, 3, (rng.integers(0, 9), 3)).astype(str)) for _ in range(2)]
    before, after = (Counter(map(tuple, t.to_numpy())) for t in tables)
    common = sum((before & after).values())
    differing = row_changes(*tables)
    assert common + differing.changed + differing.removed == differing.n_before == len(tables[0])
    assert common + differing.changed + differing.added == differing.n_after == len(tables[1])
    assert len({cell.row for cell in differing.cells}) == differing.changed
    assert all(cell.before != cell.after for cell in differing.cells)


def test_many_changed_rows_are_compared_by_their_order():
    before = frame(*((str(i), "red", "a") for i in range(400)))
    after = before.assign(x=[str(i + 1000) for i in range(400)])
    assert row_changes(before, after).counts() == "400 of 400 rows changed"
