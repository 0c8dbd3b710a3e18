"""Paired tests of one family, by scipy and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow_study.experiments.paired import (
    holm_corrected,
    paired_tests,
    statistics_without_dataset,
)

COLUMNS = ["part", "metric", "first", "second", "difference"]


def family(n=9, seed=0):
    """Two pairs of one metric on n data sets."""
    random = np.random.default_rng(seed)
    one, two, three = (pd.Series(random.normal(loc, 1.0, n)) for loc in (1.0, 0.0, 0.1))
    return [(("part", "auc", "a", "b"), one, two), (("part", "auc", "c", "b"), three, two)]


def test_each_pair_is_there_plain_and_corrected():
    pairs = family()
    found = paired_tests(pairs, COLUMNS)
    plain, corrected = (found[found["correction"] == c].reset_index() for c in ("none", "holm"))
    expected = [stats.wilcoxon(one, two).pvalue for _, one, two in pairs]
    assert plain["p"].tolist() == pytest.approx(expected)
    # Holm by hand: the smaller p twice, the larger one once, but no less than the smaller.
    small, large = sorted(expected)
    by_hand = sorted([min(2 * small, 1.0), max(min(2 * small, 1.0), large)])
    assert sorted(corrected["p"]) == pytest.approx(by_hand)
    assert plain["difference"].tolist() == pytest.approx([(o - t).mean() for _, o, t in pairs])
    assert (plain["n"] == 9).all() and list(found)[:5] == COLUMNS


def test_no_pair_no_table():
    assert paired_tests([], COLUMNS) is None


def test_the_judge_reads_what_is_left_after_the_correction():
    found = holm_corrected(paired_tests(family(5), COLUMNS))
    assert (found["correction"] == "holm").all() and len(found) == 2
    # Five pairs of values give no p below 2/2^5; of two tests the correction doubles it.
    assert found["least"].tolist() == pytest.approx([2 * 2 / 2**5] * 2)
    assert (found["difference"] == found["difference"].round(9)).all()


def test_tests_without_a_data_set_are_those_of_the_others():
    """A verdict without a data set has to rest on tests without it, not on those of all."""
    rng = np.random.default_rng(3)
    names = [f"set {i}" for i in range(8)]
    one, two = (pd.Series(rng.normal(k, 1.0, 8), index=names) for k in (0.5, 0.0))
    rows = pd.DataFrame({"dataset": names, "one": one.to_numpy(), "two": two.to_numpy()})

    def families(rows):
        wide = rows.set_index("dataset")
        return [[(("part", "metric", "one", "two"), wide["one"], wide["two"])]] if len(wide) else []

    columns = ["part", "metric", "first", "second", "difference"]

    def tests_of(rows):
        return paired_tests(families(rows)[0], columns)

    dropped = statistics_without_dataset(families(rows), columns, "set 3")["statistics"]
    others = holm_corrected(tests_of(rows[rows["dataset"] != "set 3"]))
    pd.testing.assert_frame_equal(dropped, others)
    assert dropped["n"].tolist() == [7]
    alone = rows[rows["dataset"] == "set 3"]
    assert statistics_without_dataset(families(alone), columns, "set 3") == {}
