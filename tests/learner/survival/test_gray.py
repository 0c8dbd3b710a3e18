"""Gray's test: against its plain twin, and what must hold of it. R's cmprsk: test_against_r.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cohorts import cohorts
from effort import draws
from oracle.survival import gray
from scipy.stats import chi2, kstest

from hedgerow.errors import InputError
from hedgerow.survival import FixedGroups, gray_test, leaf_survival, logrank


def random_causes(seed):
    chance = np.random.default_rng(seed)
    n, n_groups = int(chance.integers(6, 40)), 2 + seed % 3
    group = chance.integers(0, n_groups, n)
    # Few different times: ties of all kinds, the last patients at risk among them.
    time = np.ceil(chance.exponential(4, n) / (1 + 0.5 * group) * chance.choice([1, 10]))
    event = chance.choice([0, 1, 2, 3], n, p=[0.2, 0.4, 0.3, 0.1])
    event[0] = 1
    return time, event, group


@pytest.mark.parametrize("seed", draws(100))
def test_it_is_what_the_paper_says(seed):
    time, event, group = random_causes(seed)
    found = gray_test(time, event, group)
    statistic, df = gray(*(values.tolist() for values in (time.astype(int), event, group)))
    assert found.df == df
    assert found.statistic == pytest.approx(float(statistic), rel=1e-8, abs=1e-10)
    if df:
        assert found.p == pytest.approx(chi2.sf(float(statistic), df), rel=1e-7, abs=1e-12)


def test_without_another_cause_there_is_none_in_the_table():
    cohort = cohorts()["rossi"]
    table = leaf_survival(FixedGroups(cohort.leaf), None, cohort.time, cohort.event)
    assert not [name for name in table if "gray" in name] and "gray_p" not in table.attrs


def test_one_leaf_is_compared_with_nothing():
    found = leaf_survival(FixedGroups(np.ones(4, int)), None, np.arange(4.0), [1, 2, 1, 0])
    assert math.isnan(found["gray_p"].iloc[0]) and math.isnan(found.attrs["gray_p"])


def test_groups_that_do_not_differ():
    """p is uniform where the groups are drawn by lot."""
    chance = np.random.default_rng(1)
    p = []
    for _ in range(300):
        time, group = chance.exponential(1, 120), chance.integers(0, 3, 120)
        p.append(gray_test(time, chance.choice([0, 1, 2], 120), group).p)
    assert kstest(p, "uniform").pvalue > 0.01


def test_another_cause_that_comes_first_lessens_the_incidence_and_not_the_rate():
    """The same hazard of the cause in both groups, of the other cause five times that in one."""
    chance = np.random.default_rng(3)
    n = 2000
    group = np.arange(n) % 2
    one, other = chance.exponential(1.0, n), chance.exponential(1.0, n) / (1 + 4 * group)
    time, event = np.minimum(one, other), np.where(one < other, 1, 2)
    assert gray_test(time, event, group).p < 1e-6
    assert logrank(time, event == 1, group).p > 0.05


def test_names_and_order_of_groups_and_the_unit_of_time_change_nothing():
    time, event, group = random_causes(11)
    found = gray_test(time, event, group)
    order = np.random.default_rng(0).permutation(len(time))
    names = np.array(["c", "a", "b", "d"])[group]
    for other in (
        gray_test(time[order], event[order], group[order]),
        gray_test(1e6 * time, event, names),
        gray_test(time, event, names.astype(object)),
        gray_test(np.append(time, 0.0), np.append(event, 0), np.append(group, 9)),
    ):
        assert other == pytest.approx(found, rel=1e-9)


def test_nothing_to_compare():
    for time, group in (([1, 2, 3], [0, 0, 0]), ([1, 1, 1], [0, 1, 2]), ([3, 1, 1], [0, 1, 1])):
        found = gray_test(time, [1, 0, 0] if time[0] == 3 else [1, 1, 1], group)
        assert found == (0.0, 0, 1.0)


def test_cases_that_r_leaves_are_finite():
    """A pooled incidence above 1, and ties among the last at risk: variances below 0 in R."""
    all_of_one_first = gray_test(np.arange(1, 21), np.ones(20), np.repeat([1, 2], 10))
    assert all_of_one_first.statistic == pytest.approx(19.71072548915173)  # R says the same
    time = np.array([*range(1, 10), 10, *[11] * 4])
    found = gray_test(time, np.ones(14), [0] * 10 + [1] * 4)
    assert 0.0 < found.statistic < 30.0 and found.df == 1


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ([1, 2], r"group has shape \(2,\) and time 3 values; give one label per patient"),
        ([[1], [2], [3]], r"group has shape \(3, 1\)"),
        ([1.0, np.nan, 2.0], "group is missing in row 1, and in 1 rows in all; leave these"),
        (["a", None, "b"], "group is missing in row 1"),
    ],
)
def test_groups_that_are_none(group, message):
    with pytest.raises(InputError, match=message):
        gray_test([1, 2, 3], [1, 1, 0], group)


def test_follow_up_and_causes_are_checked():
    with pytest.raises(InputError, match="nobody has the event 3"):
        gray_test([1, 2], [1, 2], [0, 1], cause=3)
    with pytest.raises(InputError, match="time is nan in row 1"):
        gray_test([1, np.nan], [1, 2], [0, 1])
