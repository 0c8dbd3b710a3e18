"""Signed-rank tests against scipy, against ranks summed by hand, and Holm's procedure."""

import numpy as np
import pytest
from scipy import stats

from hedgerow.errors import InputError
from hedgerow.evaluation import holm, wilcoxon
from hedgerow.evaluation.significance import TestResult as Result
from hedgerow.evaluation.significance import to_frame

GROUPS = ("stp", "c45")


def test_ranks_summed_by_hand():
    """Differences 1, -2, 3, 4: ranks 1, 2, 3, 4; the smaller rank sum is that of -2."""
    result = wilcoxon(np.array([1.0, 0.0, 3.0, 4.0]), np.array([0.0, 2.0, 0.0, 0.0]), GROUPS)
    assert result.statistic == 2.0
    # Exact: 3 of the 16 sign patterns have a rank sum of 2 or less, on either side.
    assert result.p == pytest.approx(2 * 3 / 16)
    assert (result.n, result.groups, result.correction) == (4, GROUPS, "none")


@pytest.mark.parametrize("n", [6, 20, 120])
def test_agrees_with_scipy(n):
    generator = np.random.default_rng(n)
    a, b = generator.normal(size=(2, n))
    expected = stats.wilcoxon(a, b)
    result = wilcoxon(a, b, GROUPS)
    assert (result.statistic, result.p) == (expected.statistic, expected.pvalue)


def test_differences_of_zero_are_dropped():
    a = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    b = np.array([0.0, 0.0, 0.0, 0.0, 9.0])
    expected = stats.wilcoxon(a, b, zero_method="wilcox")
    result = wilcoxon(a, b, GROUPS)
    assert result.p == expected.pvalue
    assert result.n == 5


def test_nothing_but_zeros():
    result = wilcoxon(np.ones(6), np.ones(6), GROUPS)
    assert (result.statistic, result.p, result.n) == (0.0, 1.0, 6)
    assert result.note == "all differences are 0"


def test_rounding_is_no_difference():
    """The last bit of a mean is not a sign: 0.1 + 0.2 and 0.3 are the same number."""
    result = wilcoxon(np.array([0.1 + 0.2, 0.7]), np.array([0.3, 0.7]), GROUPS)
    assert result.p == 1.0


def test_rounding_breaks_no_tie():
    """Twice the difference 2, once as 11 / 3 - 5 / 3: found when an order of rows changed p."""
    exact = wilcoxon(np.array([2.0, 2.0, 7.0, 1.0]), np.array([0.0, 0.0, 0.0, 4.0]), GROUPS)
    rounded = wilcoxon(
        np.array([11 / 3, 2 + 4e-16, 7.0, 1.0]), np.array([5 / 3, 0.0, 0.0, 4.0]), GROUPS
    )
    assert (rounded.statistic, rounded.p) == (exact.statistic, exact.p)


@pytest.mark.parametrize(
    ("first", "second"), [([1.0], [1.0, 2.0]), ([], []), ([np.nan, 1.0], [1.0, 1.0])]
)
def test_pairs_that_are_none(first, second):
    with pytest.raises(InputError):
        wilcoxon(np.array(first), np.array(second), GROUPS)


def test_holm_by_hand():
    """.01 x 3, .02 x 2, .5 x 1, never falling: .03, .04, .5."""
    results = [Result("t", 0.0, p, 5, GROUPS) for p in (0.5, 0.01, 0.02)]
    adjusted = holm(results)
    assert [r.p for r in adjusted] == pytest.approx([0.5, 0.03, 0.04])
    assert {r.correction for r in adjusted} == {"holm"}
    assert holm([]) == []


def test_one_row_per_result():
    frame = to_frame([Result("t", 1.0, 0.5, 5, GROUPS)])
    assert frame.loc[0, ["name", "p", "groups"]].tolist() == ["t", 0.5, "stp|c45"]
    assert to_frame([]).columns.tolist() == frame.columns.tolist()
