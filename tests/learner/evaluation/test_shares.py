"""Accuracy, recall, precision and F with intervals: by formula, as printed, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.survival import wald, wilson
from scipy import stats
from sklearn.metrics import precision_recall_fscore_support

from hedgerow.errors import InputError
from hedgerow.evaluation.shares import intervals_of_counts, share_intervals
from hedgerow.files import read_csv

Z = 1.959963984540054
PRINTED = {("accuracy", None): "accuracy"}
PRINTED |= {
    (metric, name): f"{name}_{metric}{'_score' if metric == 'f' else ''}"
    for metric in ("recall", "precision", "f")
    for name in ("survival", "death")
}
ENDS = {"estimate": "", "wald_low": "_ci95_low", "wald_high": "_ci95_high"}


def patients(counts):
    """True and predicted class of each, from a table of counts."""
    true, predicted = np.indices(np.shape(counts)).reshape(2, -1)
    return np.repeat(true, np.ravel(counts)), np.repeat(predicted, np.ravel(counts))


@pytest.fixture(scope="module")
def published(request):
    path = request.config.rootpath / "data/published/thesis_table_6_2.csv"
    return read_csv(path).set_index("metric")["value"]


def test_the_21_numbers_of_the_thesis(published):
    """Those told right are no whole numbers there, as table 6.2 has no whole solution."""
    counts = np.array([[42.63, 63 - 42.63], [20.0, 55.0]])
    table = intervals_of_counts(counts, ["survival", "death"], 0.95).set_index(["metric", "class"])
    assert len(published) == 21 == 3 * len(PRINTED)
    for key, name in PRINTED.items():
        for column, end in ENDS.items():
            found = 100.0 * table.loc[[key], column].item()
            assert abs(found - float(published[name + end])) < 0.05, name + end


def test_whole_patients_come_as_near_as_they_can(published):
    table = share_intervals(*patients([[43, 20], [20, 55]]), classes=[0, 1], random_state=0)
    table = table.set_index(["metric", "class"])
    for (metric, label), name in PRINTED.items():
        key = (metric, {"survival": 0, "death": 1}.get(label))
        for column, end in ENDS.items():
            found = 100.0 * table.loc[[key], column].item()
            assert abs(found - float(published[name + end])) < 0.7, name + end
    width = table["wald_high"] - table["wald_low"]
    ratio = width / (table["bootstrap_high"] - table["bootstrap_low"])
    of_f = ratio.index.get_level_values("metric") == "f"
    assert (ratio[of_f] > 1.9).all() and (ratio[~of_f] < 1.1).all()


@given(counts=st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(sum))
@examples(200)
def test_each_number_is_that_of_its_formula(counts):
    (a, b), (c, d) = counts = np.reshape(counts, (2, 2))
    true, predicted = patients(counts)
    table = share_intervals(true, predicted, classes=[0, 1], n_bootstrap=50, random_state=1)
    expected = [(a + d, a + b + c + d)]
    for right, of_class, called in ((a, a + b, a + c), (d, c + d, b + d)):
        expected += [(right, of_class), (right, called), (2 * right, of_class + called)]
    for row, (right, n) in zip(table.itertuples(index=False), expected, strict=True):
        assert row.n == n
        if not n:
            assert np.isnan(row[4:]).all() and math.isnan(row.estimate)
            continue
        assert row.estimate == pytest.approx(right / n)
        assert row.bootstrap_low <= row.bootstrap_high
        if row.metric == "f":
            assert math.isnan(row.wilson_low)
            assert math.isnan(row.wald_low) or row.wald_low <= row.estimate <= row.wald_high
            continue
        assert (row.wald_low, row.wald_high) == pytest.approx(wald(right, n, Z))
        # statsmodels cuts at 0 and 1 what rounding leaves beside them
        assert (row.wilson_low, row.wilson_high) == pytest.approx(wilson(right, n, Z), abs=1e-12)
    sklearn = precision_recall_fscore_support(true, predicted, labels=[0, 1], zero_division=np.nan)
    for metric, values in zip(("precision", "recall", "f"), sklearn[:3], strict=True):
        own = table.loc[table["metric"] == metric, "estimate"]
        known = ~np.isnan(values) & ~own.isna()
        assert own[known].to_numpy() == pytest.approx(values[known])


def test_the_bootstrap_is_that_of_scipy():
    chance = np.random.default_rng(3)
    true = chance.integers(0, 2, 120)
    predicted = np.where(chance.random(120) < 0.7, true, 1 - true)

    def precision(t, p):
        return np.mean(t[p == 1] == 1)

    theirs = stats.bootstrap(
        (true, predicted),
        precision,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = share_intervals(true, predicted, n_bootstrap=20_000, random_state=0)
    ours = ours[(ours["metric"] == "precision") & (ours["class"] == 1)].iloc[0]
    assert (ours["bootstrap_low"], ours["bootstrap_high"]) == pytest.approx(tuple(theirs), abs=0.01)


def test_the_order_of_patients_and_the_kind_of_labels_change_nothing():
    true, predicted = patients([[9, 4], [2, 11]])
    one = share_intervals(true, predicted, random_state=5)
    order = np.random.default_rng(0).permutation(len(true))
    names = np.array(["alive", "dead"])
    series = pd.Series(pd.Categorical(names[true[order]]))
    two = share_intervals(series, names[predicted[order]].tolist(), random_state=5)
    assert two["class"].tolist() == [None, *["alive"] * 3, *["dead"] * 3]
    pd.testing.assert_frame_equal(one.drop(columns="class"), two.drop(columns="class"))
    swapped = share_intervals(true, predicted, classes=[1, 0], random_state=5)
    pd.testing.assert_series_equal(
        swapped.set_index(["metric", "class"])["wald_low"].sort_index(),
        one.set_index(["metric", "class"])["wald_low"].sort_index(),
    )


def test_a_class_that_is_never_predicted_and_one_that_is_not_there():
    table = share_intervals([0, 0, 1], [0, 0, 0], classes=[0, 1, 2], random_state=0)
    table = table.set_index(["metric", "class"])
    assert table.loc[("recall", 1), "estimate"] == 0.0
    assert table.loc[("precision", 1), "n"] == 0
    assert table.loc[("precision", 1)].drop("n").isna().all()
    assert table.loc[("f", 1), "estimate"] == 0.0 and np.isnan(table.loc[("f", 1), "wald_low"])
    for metric in ("recall", "precision", "f"):
        assert table.loc[(metric, 2)].drop("n").isna().all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0, 1], [0]), "y_true has 2 values and y_pred 1; give one of each"),
        (([], []), r"y_true has shape \(0,\); give one class per patient"),
        (([[0]], [[0]]), r"y_true has shape \(1, 1\)"),
        (([0, 1], [0, np.nan]), "y_pred is missing in row 1, and in 1 rows in all; leave out"),
        (([0, 1], [0, None]), "y_pred is missing in row 1"),
        (([0, 1], ["0", "1"]), "classes are labels of several kinds that have no order; give all"),
        ((range(101), range(101)), "there are 101 classes; give labels of at most 100"),
    ],
)
def test_classes_that_are_none(given, message):
    with pytest.raises(InputError, match=message):
        share_intervals(*given)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"classes": [0, 2]}, r"there is a class 1 and classes are \[0, 2\]; name all labels"),
        ({"classes": [0, 0, 1]}, r"classes are \[0, 0, 1\]; give each label once"),
        ({"classes": []}, r"classes are \[\]; give each label once"),
        ({"classes": 1}, "classes are 1; give each label once"),
        ({"confidence": 95}, "confidence is 95; give a number of at least 0.5"),
        ({"n_bootstrap": 0}, "n_bootstrap is 0"),
        ({"random_state": "x"}, "random_state is 'x'"),
    ],
)
def test_parameters_that_are_none(more, message):
    with pytest.raises(InputError, match=message):
        share_intervals([0, 1], [1, 1], **more)
