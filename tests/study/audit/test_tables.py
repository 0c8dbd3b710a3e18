"""Two tables, number by number."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from hedgerow.files import write_csv, write_parquet
from hedgerow_study.audit.tables import difference, is_table

FRAME = pd.DataFrame(
    {
        "method": ["c45", "ss", "stp"],
        "n": [1, 2, 3],
        "value": [0.5, None, 2.0],
        "shown": [".812 ± .03 (12)", "-1.5e-3", "absent"],
        "bold": [True, False, True],
    }
)


@pytest.fixture(params=["csv", "parquet"])
def compared(request, tmp_path):
    """The difference between FRAME and another table, both written."""
    write = {"csv": write_csv, "parquet": write_parquet}[request.param]

    def compare(other: pd.DataFrame) -> float:
        paths = [tmp_path / f"{name}.{request.param}" for name in ("one", "other")]
        for path, frame in zip(paths, (FRAME, other), strict=True):
            write(path, frame)
        assert all(map(is_table, paths))
        assert difference(*paths) == difference(*paths[::-1])
        return difference(*paths)

    return compare


def test_the_same_numbers_differ_by_nothing(compared):
    assert compared(FRAME) == 0.0


@pytest.mark.parametrize(
    ("column", "row", "value", "expected"),
    [
        ("value", 0, 0.5 + 1e-9, 1e-9 / (0.5 + 1e-9)),
        ("value", 2, 0.0, 1.0),
        ("n", 1, 4, 0.5),
        ("shown", 0, ".812 ± .03 (13)", 1 / 13),
        ("shown", 1, "-1.6e-3", 0.1 / 1.6),
        # Words, what is missing, truth and infinity are no numbers that could be close.
        ("shown", 2, "gone", math.inf),
        ("shown", 0, ".812 ± .03", math.inf),
        ("method", 0, "c46", 1 / 46),
        ("value", 1, 0.5, math.inf),
        ("value", 0, math.inf, math.inf),
        ("bold", 0, False, math.inf),
    ],
)
def test_the_largest_relative_difference_counts(compared, column, row, value, expected):
    other = FRAME.copy()
    other.loc[row, column] = value
    assert compared(other) == pytest.approx(expected, rel=1e-9)


def test_other_rows_columns_and_types_are_no_numbers(compared):
    assert compared(FRAME.iloc[:2]) == math.inf
    assert compared(FRAME.rename(columns={"n": "m"})) == math.inf
    assert compared(FRAME.assign(n=["1", "2", "x"])) == math.inf


def test_a_damaged_table_is_unlike_any(tmp_path):
    write_parquet(tmp_path / "one.parquet", FRAME)
    (tmp_path / "other.parquet").write_bytes(b"no table")
    assert difference(tmp_path / "one.parquet", tmp_path / "other.parquet") == math.inf
    assert not is_table("figure.svg")
