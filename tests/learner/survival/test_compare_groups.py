"""Treated against untreated inside leaves: by hand, the immortal time, and bad cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cohorts import PRECISE
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.statistics import logrank_test

from hedgerow.errors import InputError
from hedgerow.survival import FixedGroups, compare_groups


def cohort(n=800, seed=0):
    """Patients in two leaves; a treatment without any effect, after a waiting time."""
    chance = np.random.default_rng(seed)
    leaf = chance.integers(1, 3, n)
    death = chance.exponential(1.0, n)
    end = chance.uniform(3, 6, n)
    time, event = np.minimum(death, end), death <= end
    wanted = chance.random(n) < 0.6
    waiting = chance.uniform(0, 1.5, n)
    when = np.where(wanted & (waiting <= time), waiting, np.nan)
    return leaf, time, event, when


def test_waiting_time_is_no_merit_of_the_treatment():
    """Counted from inclusion, a treatment that does nothing saves lives in both leaves."""
    leaf, time, event, when = cohort()
    found = {
        way: compare_groups(
            FixedGroups(leaf), None, time, event, when, landmark=1.0, counted_from=way
        )
        for way in ("inclusion", "landmark")
    }
    assert (found["inclusion"]["hazard_ratio"] < 0.8).all()
    assert (found["inclusion"]["cox_p"] < 0.01).all()
    assert (found["landmark"]["cox_p"] > 0.05).all()
    assert found["inclusion"].attrs["n_left_out"] == 0
    assert found["landmark"].attrs["n_left_out"] == (time <= 1.0).sum()
    assert found["landmark"]["n_left_out"].sum() == (time <= 1.0).sum()


@pytest.mark.parametrize("counted_from", ["landmark", "inclusion"])
@pytest.mark.parametrize("later", ["ignored", "censored"])
def test_against_lifelines_called_by_hand(counted_from, later):
    leaf, time, event, when = cohort(200, seed=3)
    mark = 0.5
    found = compare_groups(
        FixedGroups(leaf),
        None,
        time,
        event,
        when,
        landmark=mark,
        counted_from=counted_from,
        later=later,
    )
    treated = np.nan_to_num(when, nan=np.inf) <= mark
    T, E = time.copy(), event.copy()
    if later == "censored":
        for i in range(len(T)):
            if not treated[i] and when[i] < T[i]:
                T[i], E[i] = when[i], False
    kept = mark < T if counted_from == "landmark" else np.full(len(T), True)
    T = T - mark if counted_from == "landmark" else T
    for node, row in found.iterrows():
        medians = {}
        for group, own in (("treated", treated), ("untreated", ~treated)):
            own = own & kept & (leaf == node)
            assert (row[f"n_{group}"], row[f"events_{group}"]) == (own.sum(), E[own].sum())
            km = KaplanMeierFitter().fit(T[own], E[own])
            medians[group] = km.median_survival_time_
            assert row[f"median_{group}"] == medians[group]
            everyone = (treated if group == "treated" else ~treated) & kept
            by_leaf = {"leaf": (leaf == node)[everyone], "T": T[everyone], "E": E[everyone]}
            assert_ratio(row, by_leaf, "leaf", f"_leaf_{group}")
        assert row["delta_median"] == medians["treated"] - medians["untreated"]
        one, other = (kept & (leaf == node) & g for g in (treated, ~treated))
        tested = logrank_test(T[one], T[other], E[one], E[other])
        assert row["logrank_p"] == pytest.approx(tested.p_value, rel=1e-9)
        inside = kept & (leaf == node)
        assert_ratio(row, {"treated": treated[inside], "T": T[inside], "E": E[inside]}, "treated")


def assert_ratio(row, columns, of, suffix=""):
    import pandas as pd

    frame = pd.DataFrame(columns).astype(float)
    cox = CoxPHFitter().fit(frame, "T", "E", fit_options=PRECISE)
    assert row[f"hazard_ratio{suffix}"] == pytest.approx(cox.hazard_ratios_[of], rel=1e-6)
    assert row[f"cox_p{suffix}"] == pytest.approx(cox.summary.loc[of, "p"], rel=1e-6)


def test_the_published_interval_is_that_of_the_last_points():
    leaf, time, event, when = cohort(200, seed=3)
    time, event = np.minimum(time, 2.0), event & (time <= 2.0)
    found = compare_groups(FixedGroups(leaf), None, time, event, when, landmark=0.5).iloc[0]
    treated, widths = np.nan_to_num(when, nan=np.inf) <= 0.5, []
    for group in (treated, ~treated):
        own = group & (leaf == 1) & (time > 0.5)
        km = KaplanMeierFitter().fit(time[own] - 0.5, event[own])
        low, high = km.confidence_interval_.iloc[-1]
        widths.append((high - low) / 2)
    assert found["delta_last_half_width"] == pytest.approx(math.hypot(*widths))


def test_a_leaf_in_which_nobody_is_treated():
    leaf, time, event, when = cohort(200)
    when[leaf == 1] = np.nan
    found = compare_groups(FixedGroups(leaf), None, time, event, when, landmark=1.0)
    assert found.loc[1, "cox_note"] == "one group"
    assert math.isnan(found.loc[1, "logrank_p"]) and math.isnan(found.loc[1, "median_treated"])
    assert found.loc[1, "cox_note_leaf_treated"] == "one group"
    assert found.loc[2, "cox_note"] == "" and found.loc[2, "logrank_p_holm"] > 0


def test_a_leaf_in_which_nobody_is_left_at_the_landmark():
    leaf, time, event, when = cohort(200)
    time[leaf == 1] = 0.5
    when[(leaf == 1) & (when > 0.5)] = np.nan
    found = compare_groups(FixedGroups(leaf), None, time, event, when, landmark=1.0)
    assert found.loc[1, "n"] == 0 and found.loc[1, "n_left_out"] == (leaf == 1).sum()
    assert found.loc[1, "cox_note"] == "one group" and math.isnan(found.loc[1, "delta_median"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"intervention": [1.0]}, r"intervention holds float64 in shape \(1,\); give 200 numbers"),
        ({"intervention": ["x"] * 200}, "intervention holds <U1"),
        ({"intervention": [-1.0] * 200}, "intervention is -1 in row 0, before inclusion"),
        ({"intervention": [99.0] * 200}, "intervention is 99 in row 0, after the end of follow-up"),
        ({"intervention": [np.nan] * 200}, r"patients at the landmark 0\.5 are untreated"),
        ({"landmark": -1}, "landmark is -1"),
        ({"landmark": 99}, "all 0 patients at the landmark 99"),
        ({"counted_from": "birth"}, "counted_from is 'birth'; choose one of"),
        ({"later": "never"}, "later is 'never'; choose one of"),
        ({"confidence": 95}, "confidence is 95"),
    ],
)
def test_bad_input(change, message):
    leaf, time, event, when = cohort(200)
    given = {"intervention": when, "landmark": 0.5, **change}
    with pytest.raises(InputError, match=message):
        compare_groups(FixedGroups(leaf), None, time, event, **given)
