"""Metrics and ranks of what cannot be scored: one sentence, not another library's error."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InputError
from hedgerow.evaluation import (
    accuracy,
    best_value,
    brier,
    calibrate_confidence,
    macro_f1,
    ranks,
    share_of_largest,
)

P = np.array([[0.2, 0.8], [0.5, 0.5]])


@pytest.mark.parametrize("metric", [accuracy, macro_f1, brier])
@pytest.mark.parametrize(
    ("y", "probabilities", "said"),
    [
        ([0], P, r"y has shape \(1,\) and probabilities \(2, 2\)"),
        ([0, 1, 1], P, r"y has shape \(3,\)"),
        ([0, 1], P[:, 0], r"probabilities \(2,\)"),
        ([], np.zeros((0, 2)), "at least one"),
        (None, None, "y has shape"),
        (["a", "b"], P, "y holds other values than class codes"),
        ([0.0, np.nan], P, "y holds other values than class codes"),
        ([0.0, np.inf], P, "y holds codes from 0.0 to inf of 2 classes"),
        ([-1, 1], P, r"y holds codes from -1 to 1 of 2 classes; .* np.searchsorted"),
        ([1, 2], P, "y holds codes from 1 to 2 of 2 classes"),
        ([0, 1], [[0.2, np.nan], [0.5, 0.5]], "probabilities of row 0 are not finite"),
        ([0, 1], [["x", "y"], [0.5, 0.5]], "probabilities holds something that is no real number"),
        (np.ma.array([0, 1], mask=[0, 1]), P, "y is masked in row 1"),
    ],
)
def test_metrics(metric, y, probabilities, said):
    """Accuracy of one class for two rows was .5; of others came AxisError and the like. Labels -1
    and 1 were taken for codes: perfect predictions had an accuracy of .5, and 0 with 1 and 2."""
    with pytest.raises(InputError, match=said):
        metric(y, probabilities)


def test_lists_are_as_good():
    assert accuracy([1, 0], P.tolist()) == macro_f1([1, 0], P.tolist()) == 1.0


@pytest.mark.parametrize(
    "probabilities",
    [
        [[90, 10], [20, 80]],
        [[3, 0], [1, 2]],
        np.log(P),
        [[0.7, 0.7], [0.5, 0.5]],
        [[1.5, -0.5], [0, 1]],
    ],
)
def test_brier_of_what_are_no_probabilities(probabilities):
    """Percentages, votes and logarithms were cut to 0 and 1: those of 90 and 80 % had 1.0."""
    with pytest.raises(InputError, match=r"probabilities of row 0 are .* add up to 1"):
        brier([0, 1], probabilities)


def test_rounded_probabilities_have_a_brier_score():
    """With scikit-learn's warning."""
    with pytest.warns(UserWarning, match="do not sum to one"):
        score = brier([0, 1], [[0.33, 0.33, 0.33], [0.0, 1.0, 0.0]])
    assert score == pytest.approx(0.33, abs=0.01)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0, "many"])
def test_a_mean_number_of_leaves_that_is_none(wrong):
    """NaN was taken for a mean below every target, and returned as the outcome."""
    for leaves in (lambda c: wrong, lambda c: wrong if c < 0.6 else 20.0):
        with pytest.raises(InputError, match="the mean number of leaves at a confidence of"):
            calibrate_confidence(leaves)


def test_targets_of_a_calibration():
    """An array of targets has no truth value, and the check for an empty list asked for it."""
    expected = calibrate_confidence(lambda c: 20 * c, [15, 5])
    for same in (np.array([15, 5]), (15.0, 5.0)):
        assert calibrate_confidence(lambda c: 20 * c, same) == expected
    assert calibrate_confidence(lambda c: 20 * c, 15) == expected
    for wrong in ([], [np.nan], ["x"], None):
        with pytest.raises(InputError, match="target"):
            calibrate_confidence(lambda c: 20 * c, wrong)


@pytest.mark.parametrize(
    ("values", "accuracies", "words"),
    [
        ([1, 2], [0.5, np.nan], "a cross-validated accuracy is nan"),
        ([1, 2], [0.5, np.inf], "a cross-validated accuracy is inf"),
        ([1, np.nan], [0.5, 0.5], "a value is nan"),
        ([1, "x"], [0.5, 0.5], "values holds something that is no real number"),
    ],
)
def test_values_and_accuracies(values, accuracies, words):
    """A value of NaN was chosen, and an infinite accuracy was the best."""
    with pytest.raises(InputError, match=words):
        best_value(values, accuracies)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_shares_of_what_is_no_metric(wrong):
    """A NaN made a block of zeros."""
    with pytest.raises(InputError, match=f"values hold {wrong}"):
        share_of_largest([[1.0, wrong]])
    with pytest.raises(InputError, match=r"values have shape \(2,\)"):
        share_of_largest([1.0, 2.0])


@pytest.mark.parametrize(
    ("values", "groups", "said"),
    [
        ([["x", 2]], ["a", "b"], "values holds something that is no real number"),
        ([[1, 2], [3]], ["a", "b"], "values holds something that is no real number"),
        ([[np.inf, 1]], ["a", "b"], "a has an infinite value in block 0"),
        ([[1, 2]], None, "groups is None; give the names of the methods"),
    ],
)
def test_ranks(values, groups, said):
    """Infinity gave ranks that are no numbers."""
    with pytest.raises(InputError, match=said):
        ranks(values, groups)
