"""The rows behind cells: selection, arithmetic, and what every table has to say of itself."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import significance as oracle

from hedgerow.errors import DataError
from hedgerow_study.audit.arithmetic import FORMULAS, evaluate
from hedgerow_study.experiments.cell_sources import LineSources
from hedgerow_study.reporting.cells import (
    NO_FORMULA,
    SAYS,
    Cell,
    Rows,
    Source,
    agrees,
    document,
    shown,
)
from hedgerow_study.workflow.jobs.steps import annotations_of, declared_by, having

FRAME = pd.DataFrame(
    {
        "dataset": ["a", "a", "b", "b", "b"],
        "method": ["x", "y", "x", "y", None],
        "repeat": [0, 0, 1, 1, 2],
        "value": [1.0, 2.0, 3.0, np.nan, 5.0],
    }
)


def two_files() -> Source:
    return Source(["one.parquet", "two.parquet"], [FRAME.iloc[:2], FRAME.iloc[2:]])


# ------------------------------------------------------------------------------ every table


@pytest.mark.parametrize("word", having("tables"))
def test_every_table_states_the_rows_behind_it(word):
    """Beside itself: data, or a function of the same module, named at the table."""
    for table in (d for d in declared_by(word) if d.kind == "table"):
        function = table.function.shown.sources
        if isinstance(function, LineSources):
            continue
        assert function.__module__ == table.function.__module__, table.name
        assert next(iter(annotations_of(function))) == "table" and function.__doc__, table.name


# ------------------------------------------------------------------------------- selections


def test_rows_are_found_by_values_lists_and_emptiness():
    source = two_files()
    assert source.positions({"dataset": "a", "method": "y"}).tolist() == [1]
    assert source.positions({"method": ["y", "x"]}).tolist() == [0, 1, 2, 3]
    assert source.positions({"method": None}).tolist() == [4]
    assert source.positions({"dataset": "c"}).tolist() == []
    assert source.positions({}).tolist() == [0, 1, 2, 3, 4]


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match=r"one.parquet has no column `fold`"):
        two_files().positions({"fold": 1})
    with pytest.raises(DataError, match=r"no column `score`"):
        two_files().rows(Rows("rows", {}, "score"))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.0, 0.1, None])), max_size=20))
def test_a_selection_is_what_a_filter_gives(rows):
    frame = pd.DataFrame(rows, columns=["dataset", "noise"]).assign(value=1.0)
    frame["noise"] = frame["noise"].astype(float)
    source = Source(["f"], [frame])
    for dataset in "ab":
        plain = frame.index[(frame["dataset"] == dataset) & (frame["noise"] == 0.1)]
        assert source.positions({"dataset": dataset, "noise": 0.1}).tolist() == plain.tolist()
        empty = frame.index[(frame["dataset"] == dataset) & frame["noise"].isna()]
        assert source.positions({"noise": None, "dataset": dataset}).tolist() == empty.tolist()


def test_a_document_lists_each_row_once_with_its_place():
    source = two_files()
    own = Rows("rows", {"dataset": "b"})
    cells = [Cell(0, "mean", "mean", (own,)), Cell(0, "highest", "highest", (own,), 100.0)]
    told = document("some_table", cells, {"rows": source})
    assert told["sources"]["rows"]["files"] == ["one.parquet", "two.parquet"]
    assert [row[:2] for row in told["sources"]["rows"]["rows"]] == [[1, 0], [1, 1], [1, 2]]
    assert told["selections"] == [["rows", "value", {"dataset": "b"}, [0, 1, 2]]]
    assert [c[3] for c in told["cells"]] == [[0], [0]]
    page = shown(told, pd.DataFrame({"mean": [4.0], "highest": [500.0]}))
    assert page["cells"]["1"][0] == ["mean", "4.0", "mean of these 3", [0]]


# ------------------------------------------------------------------------------- arithmetic


def frame(*values: float, **columns) -> pd.DataFrame:
    return pd.DataFrame({"value": values, **columns})


def recomputed(formula, frames, by=(), **given):
    return evaluate(formula, [f.to_dict("records") for f in frames], by, **given)


@pytest.mark.parametrize(
    ("formula", "frames", "by", "expected"),
    [
        ("value", [frame(3)], (), 3),
        ("mean", [frame(1, 2, 6)], (), 3),
        ("n", [frame(1, np.nan)], (), 1),
        ("n_rows", [frame(1, np.nan)], (), 2),
        ("mean_of_means", [frame(1, 3, 10, d=list("aab"))], ("d",), 6),
        ("lowest_of_means", [frame(1, 3, 10, d=list("aab"))], ("d",), 2),
        ("mean_difference", [frame(5, 7, d=list("ab")), frame(1, 2, d=list("ab"))], ("d",), 4.5),
        ("gain", [frame(3, 5), frame(2)], (), 1),
        ("ratio", [frame(3), frame(4)], (), 0.75),
        ("half_of_difference", [frame(3), frame(1)], (), 1),
        ("percent_missing", [frame(3, np.nan)], (), 50),
        ("n_highest", [frame(2, 5, d=list("ab")), frame(2, 1, 6, d=list("aab"))], ("d",), 1),
        ("n_below", [frame(2, 5, d=list("ab")), frame(3, 1, d=list("ab"))], ("d",), 1),
        ("is_above", [frame(2), frame(1)], (), "yes"),
        ("mean_above_1", [frame(1, 2, 4)], (), 3),
    ],
)
def test_formulas(formula, frames, by, expected):
    assert recomputed(formula, frames, by) == expected


def test_a_standardised_mean():
    """In standard deviations of the second, by data set, then over data sets."""
    own = frame(4, 6, 9, 11, d=list("aabb"))
    base = frame(1, 3, 8, 12, d=list("aabb"))
    by_set = [(5 - 2) / math.sqrt(2), (10 - 10) / math.sqrt(8)]
    assert recomputed("standardised", [own, base], ("d",)) == pytest.approx(np.mean(by_set))


def test_tests_are_those_of_scipy():
    from scipy import stats

    one, two = [3.0, 1.0, 4.0, 1.5, 5.0], [2.0, 7.0, 1.0, 8.0, 2.5]
    key = list("abcde")
    frames = [frame(*one, d=key), frame(*two, d=key)]
    assert recomputed("paired_t_p", frames, ("d",)) == pytest.approx(
        stats.ttest_rel(one, two).pvalue, rel=1e-12
    )
    exact = stats.wilcoxon(one, two, method="exact").pvalue
    assert recomputed("wilcoxon_exact_p", frames, ("d",)) == pytest.approx(exact)
    third = frame(*[1.0, 1.0, 2.0, 9.0, 3.0], d=key)
    friedman = stats.friedmanchisquare(one, two, third["value"])
    assert recomputed("friedman", [*frames, third], ("d",)) == pytest.approx(friedman.statistic)
    values = np.column_stack([one, two, third["value"]])
    assert recomputed("friedman_p", [*frames, third], ("d",)) == pytest.approx(
        oracle.friedman(values)
    )


def test_nothing_is_known_of_no_rows_and_one_pair_has_no_test():
    assert math.isnan(recomputed("mean", [FRAME.iloc[:0]]))
    assert math.isnan(recomputed("paired_t_p", [frame(1, d=["a"]), frame(2, d=["a"])], ("d",)))


def test_rows_without_a_partner_are_an_error_and_so_are_several_where_one_is_meant():
    with pytest.raises(DataError, match="1 of 2 rows have no partner by d"):
        recomputed("mean_difference", [frame(1, 2, d=list("ab")), frame(1, d=["a"])], ("d",))
    with pytest.raises(DataError, match="2 rows stand behind a cell that rests on one"):
        recomputed("value", [frame(1, 2)])


def test_values_are_compared_as_printed():
    rows = [frame(70.04, d=["a"]), frame(70.0, d=["a"])]
    assert recomputed("n_above", rows, ("d",)) == 1
    assert recomputed("n_above", rows, ("d",), decimals=1) == 0


@given(st.floats(-1e4, 1e4), st.integers(0, 6))
def test_a_rounded_cell_agrees_and_one_that_is_off_does_not(value, digits):
    assert agrees(round(value, 6), value)
    assert agrees(f"{value:.{digits}f}", value)
    assert not agrees(round(value, 6) + 1e-5, value)


def test_every_formula_says_what_it_is():
    assert SAYS.keys() - {NO_FORMULA} == FORMULAS.keys()
    for name, says in SAYS.items():
        assert says.format(n=2, by="data set"), name


@pytest.mark.parametrize("n", [2, 3, 6, 9, 40])
@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_the_second_arithmetic_agrees_with_libraries(n, k):
    """It is plain Python, so that no library is believed twice; values tie."""
    from scipy import stats

    from hedgerow.evaluation import significance

    values = np.random.default_rng(n * k).integers(0, 5, (n, k)) / 4
    keys = [f"d{i}" for i in range(n)]
    frames = [frame(*column, d=keys) for column in values.T]
    found = significance.friedman(values, list("abcdef")[:k])
    assert recomputed("friedman", frames, ("d",)) == pytest.approx(found.statistic)
    assert recomputed("friedman_p", frames, ("d",)) == pytest.approx(found.p)
    one, two = values[:, 0], values[:, 1]
    p = significance.wilcoxon(one, two, ("a", "b")).p
    assert recomputed("wilcoxon_exact_p", frames[:2], ("d",)) == pytest.approx(p)
    if (one != two).any():
        with np.errstate(divide="ignore"):
            test = stats.wilcoxon(one, two, method="asymptotic", correction=False)
        assert recomputed("wilcoxon_z", frames[:2], ("d",)) == pytest.approx(test.zstatistic)
        assert recomputed("wilcoxon_p", frames[:2], ("d",)) == pytest.approx(test.pvalue)
        t = stats.ttest_rel(one, two)
        assert recomputed("paired_t", frames[:2], ("d",)) == pytest.approx(t.statistic)
        assert recomputed("paired_t_p", frames[:2], ("d",)) == pytest.approx(t.pvalue)
    half = stats.t.ppf(0.975, n - 1) * one.std(ddof=1) / math.sqrt(n)
    assert recomputed("half_width", frames[:1]) == pytest.approx(half)
    for name, share in (("q1", 25), ("median", 50), ("q3", 75)):
        assert recomputed(name, frames[:1]) == pytest.approx(np.percentile(one, share))
