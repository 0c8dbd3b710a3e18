"""Metrics and ranks of what cannot be scored: one sentence, not another library's error."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InputError
from hedgerow.evaluation import accuracy, brier, macro_f1, ranks

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
        ([0, 1], [[0.2, np.nan], [0.5, 0.5]], "probabilities of row 0 are not finite"),
        ([0, 1], [["x", "y"], [0.5, 0.5]], "probabilities holds something that is no real number"),
        (np.ma.array([0, 1], mask=[0, 1]), P, "y is masked in row 1"),
    ],
)
def test_metrics(metric, y, probabilities, said):
    """Accuracy of one class for two rows was .5; of others came AxisError and the like."""
    with pytest.raises(InputError, match=said):
        metric(y, probabilities)


def test_lists_are_as_good_and_codes_of_no_class_are_told():
    assert accuracy([1, 0], P.tolist()) == macro_f1([1, 0], P.tolist()) == 1.0
    with pytest.raises(InputError, match="y holds codes from 0 to 5 of 2 classes"):
        brier([0, 5], P)


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
