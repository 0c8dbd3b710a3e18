"""Comparisons of methods in pairs, against pandas and scipy by hand."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hedgerow_study.audit.arithmetic import evaluate
from hedgerow_study.audit.provenance import Input
from hedgerow_study.experiments.cell_sources import Selector
from hedgerow_study.experiments.comparisons import (
    LOSS,
    POINTS,
    SIDES,
    Pair,
    PairwiseComparison,
    Part,
    cells_of_comparisons,
    comparisons,
    most,
    pair_words,
)
from hedgerow_study.experiments.paired import statistics_without_dataset
from hedgerow_study.reporting.cells import Source, agrees

LABELS = {"new": "New", "old": "Old", "none": "None", "old, low": "Old at low noise"}


def across(keys):
    """Whatever is new against what is old where there is little noise."""
    return (Pair(key, ("low", "old"), "old, low") for key in keys if key[1] == "new")


COMPARED = PairwiseComparison(
    cell=("noise",),
    parts={
        "plain": Part({"accuracy": POINTS, "loss": LOSS}, (("new", "old"), ("old", "none"))),
        "across": Part({"accuracy": POINTS}, across),
    },
    order={"noise": ("low", "high")},
)


def _rows(missing: float, n_sets: int = 7, seed: int = 0) -> pd.DataFrame:
    """Every combination has a value, but for a share: no row, or a row without a value."""
    random = np.random.default_rng(seed)
    parts = {"plain": ("accuracy", "loss"), "across": ("accuracy",)}
    sets = [f"set {k}" for k in range(n_sets)]
    lines = [
        (part, dataset, repeat, noise, method, metric, random.random())
        for part, metrics in parts.items()
        for metric, dataset, repeat, noise, method in itertools.product(
            metrics, sets, range(3), ("low", "high", "0.5", "10"), ("old", "new", "none")
        )
    ]
    columns = ["part", "dataset", "repeat", "noise", "method", "metric", "value"]
    rows = pd.DataFrame(lines, columns=columns)
    fate = random.random(len(rows))
    rows.loc[fate < missing / 2, "value"] = np.nan
    rows = rows[(fate < missing / 2) | (fate >= missing)]
    return rows.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def _by_hand(rows, part, metric, first, second):
    """Values of both by data set: only repeats in which both have one."""
    own = rows[(rows["part"] == part) & (rows["metric"] == metric)]
    one, two = (
        own[(own["noise"] == noise) & (own["method"] == method)].dropna()
        for noise, method in (first, second)
    )
    both = one.merge(two, on=["dataset", "repeat"], suffixes=("_first", "_second"))
    return both.groupby("dataset")[["value_first", "value_second"]].mean()


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.8])
def test_tables_and_tests_are_those_of_pandas_and_scipy(missing):
    rows = _rows(missing)
    statistics = COMPARED.statistics(rows)
    seen = 0
    for part, metrics in {
        "plain": {"accuracy": 100, "loss": 1},
        "across": {"accuracy": 100},
    }.items():
        table = COMPARED.table(rows, statistics, part)
        assert list(table) == COMPARED.columns
        for metric, times in metrics.items():
            own = table[table["metric"] == metric]
            plain = []
            for line in own.to_dict("records"):
                second = (line["noise"], line["second"])
                if part == "across":
                    assert line["second"] == "old, low"
                    second = ("low", "old")
                hand = times * _by_hand(rows, part, metric, (line["noise"], line["first"]), second)
                one, two = hand["value_first"], hand["value_second"]
                assert line["n_datasets"] == len(hand) > 0
                assert line["mean_first"] == pytest.approx(one.mean(), abs=1e-8)
                assert line["mean_second"] == pytest.approx(two.mean(), abs=1e-8)
                assert line["difference"] == pytest.approx((one - two).mean(), abs=1e-8)
                better = two - one if metric == "loss" else one - two
                assert (line["wins"], line["losses"]) == ((better > 0).sum(), (better < 0).sum())
                assert line["p"] == pytest.approx(stats.wilcoxon(one, two).pvalue, abs=1e-8)
                plain.append(line["p"])
                seen += 1
            holm = multipletests(plain, method="holm")[1]
            assert own["p_holm"].tolist() == pytest.approx(holm.tolist(), abs=1e-8)
    assert seen == len(statistics) / 2 > (15 if missing < 0.5 else 5)


def test_a_repeat_without_a_value_counts_for_neither():
    lines = [
        ("plain", "one", 0, "low", "new", "accuracy", 0.9),
        ("plain", "one", 1, "low", "new", "accuracy", 0.1),
        ("plain", "one", 0, "low", "old", "accuracy", 0.8),
        ("plain", "one", 1, "low", "old", "accuracy", np.nan),
        ("plain", "two", 0, "low", "new", "accuracy", 0.7),  # no repeat that both have
        ("plain", "two", 1, "low", "old", "accuracy", 0.7),
    ]
    columns = ["part", "dataset", "repeat", "noise", "method", "metric", "value"]
    rows = pd.DataFrame(lines, columns=columns)
    (line,) = COMPARED.table(rows, COMPARED.statistics(rows), "plain").to_dict("records")
    assert (line["mean_first"], line["mean_second"], line["n_datasets"]) == (90.0, 80.0, 1)
    means = COMPARED.means(rows, "plain", "accuracy")
    assert means.loc["one", ("low", "new")] == pytest.approx(50.0)


@pytest.mark.parametrize("family", [(), ("metric",), ("metric", "noise"), ("noise",)])
def test_the_correction_is_over_a_family(family):
    compared = dataclasses.replace(COMPARED, family=family)
    rows = _rows(0.3)
    tests = compared.statistics(rows)
    plain, holm = (tests[tests["correction"] == name] for name in ("none", "holm"))
    assert not holm["p"].equals(plain["p"])
    for key, own in plain.groupby(["part", *family]):
        where = dict(zip(["part", *family], key, strict=True))
        theirs = holm.loc[(holm[list(where)] == pd.Series(where)).all(axis=1), "p"]
        assert theirs.tolist() == pytest.approx(multipletests(own["p"], method="holm")[1].tolist())


def test_each_repeat_is_a_pair_too():
    compared = dataclasses.replace(COMPARED, each="repeats", family=())
    rows = _rows(0.3)
    tests = compared.statistics(rows)
    usual = dataclasses.replace(COMPARED, family=()).statistics(rows)
    own = tests[tests["pairing"] == "datasets"].drop(columns="pairing").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, usual)
    table = compared.table(rows, tests, "plain")
    assert list(table)[-4:] == ["p", "p_holm", "p_repeats", "p_repeats_holm"]
    for line in table.to_dict("records"):
        scores = rows[(rows["part"] == "plain") & (rows["metric"] == line["metric"])]
        one, two = (
            scores[(scores["noise"] == line["noise"]) & (scores["method"] == line[side])].dropna()
            for side in ("first", "second")
        )
        both = one.merge(two, on=["dataset", "repeat"])
        expected = stats.wilcoxon(both["value_x"], both["value_y"]).pvalue
        assert line["p_repeats"] == pytest.approx(expected, abs=1e-8)
        where = compared.ps["p_repeats"] | {c: line[c] for c in compared.key[1:]}
        (read,) = Selector(tests)({"part": "plain", **where}).to_dict("records")
        assert read["n"] == len(both) >= line["n_datasets"]
        assert read["difference"] == pytest.approx(line["difference"], abs=1e-8)


def test_lines_are_in_the_order_of_the_plan():
    table = COMPARED.table(_rows(0.0), COMPARED.statistics(_rows(0.0)), "plain")
    assert table["metric"].tolist() == ["accuracy"] * 8 + ["loss"] * 8
    assert table["noise"].tolist() == ["low", "low", "high", "high", "0.5", "0.5", "10", "10"] * 2
    assert table["first"].tolist() == ["new", "old"] * 8


def test_nothing_depends_on_the_order_of_the_rows():
    one, two = _rows(0.3), _rows(0.3).sort_values(["value", "dataset"])
    pd.testing.assert_frame_equal(COMPARED.statistics(one), COMPARED.statistics(two))


def test_a_table_may_be_left_unrounded():
    rows = _rows(0.2)
    statistics = COMPARED.statistics(rows)
    exact = COMPARED.table(rows, statistics, "plain", digits=None)
    assert not exact.equals(exact.round(9))
    pd.testing.assert_frame_equal(exact.round(9), COMPARED.table(rows, statistics, "plain"))


def test_without_rows_there_are_columns():
    rows = _rows(0.0).head(0)
    statistics = COMPARED.statistics(rows)
    assert statistics.empty and list(statistics)[: len(COMPARED.key)] == COMPARED.key
    table = COMPARED.table(rows, statistics, "plain")
    assert table.empty and list(table) == COMPARED.columns and most(table) == 0
    assert COMPARED.means(rows, "plain", "accuracy").empty
    page = comparisons(COMPARED, table, "plain", ("metric",), str, pair_words(LABELS))
    assert "First – second" in page and "<tbody>" not in page


def test_two_values_of_one_method_in_one_repeat_are_refused():
    rows = _rows(0.0)
    with pytest.raises(ValueError, match="duplicate"):
        COMPARED.statistics(pd.concat([rows, rows.head(1)]))


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("part", ["plain", "across"])
def test_every_number_follows_from_the_rows_behind_it(missing, part):
    rows = _rows(missing)
    statistics = COMPARED.statistics(rows)
    table = COMPARED.table(rows, statistics, part)
    inputs = {"rows": rows, "statistics": statistics}
    inputs = {name: Input(Source([name], [frame])) for name, frame in inputs.items()}
    formulas = set()
    for cell in cells_of_comparisons(COMPARED, table, rows, part):
        groups = [inputs[own.of].rows(own, cell.by) for own in cell.rows]
        again = evaluate(cell.formula, groups, cell.by, cell.times, cell.decimals)
        assert agrees(table[cell.column].iloc[cell.row], again, 8), cell
        formulas.add((cell.column, cell.formula))
    columns = {column for column, _ in formulas}
    assert columns == {*SIDES, "p", "p_holm"}
    assert (("mean_first", "mean_of_means") in formulas) == (missing == 0.0)
    assert (("mean_first", "paired_mean") in formulas) == (missing > 0.0)


def test_what_a_page_shows():
    rows = _rows(0.0)
    table = COMPARED.table(rows, COMPARED.statistics(rows), "plain")
    found = comparisons(
        COMPARED,
        table,
        "plain",
        ("metric", "noise"),
        lambda *key: " ".join(key),
        pair_words(LABELS),
    )
    titles = re.findall("<span>(.*?)</span>", found)
    assert titles[:2] == ["accuracy low", "accuracy high"]
    line = found.split("<tbody>")[5].split("<tr>")[2]
    own = table[(table["metric"] == "loss") & (table["noise"] == "low")].iloc[1]
    assert '<th scope="row">Old – None</th>' in line and line.count("<td>") == 6
    assert f"<td>{own['mean_first']:.3f}</td>" in line and f"<td>{own['wins']} of 7</td>" in line


def test_a_cell_without_a_name_stands_on_the_page_too():
    rows = _rows(0.0).replace({"noise": {"high": ""}})
    table = COMPARED.table(rows, COMPARED.statistics(rows), "plain")
    read = pd.read_csv(io.StringIO(table.to_csv(index=False)))
    found = comparisons(
        COMPARED,
        read,
        "plain",
        ("metric", "noise"),
        lambda *key: f"of {key[1]}",
        pair_words(LABELS),
    )
    assert set(re.findall("<span>(.*?)</span>", found)) == {"of low", "of ", "of 0.5", "of 10"}
    assert found.count('<th scope="row">') == len(table)


def test_a_data_set_can_be_left_out():
    rows = _rows(0.3)
    columns = [*COMPARED.key, "difference"]
    left = statistics_without_dataset(
        list(COMPARED.families(rows)), columns, "set 3", read=lambda tests: tests
    )
    own = COMPARED.statistics(rows[rows["dataset"] != "set 3"])
    one, two = (
        tests.sort_values([*COMPARED.key, "correction"], ignore_index=True)
        for tests in (left["statistics"], own)
    )
    pd.testing.assert_frame_equal(one, two)
