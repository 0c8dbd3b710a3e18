"""Patients who come under observation late: at risk at t are those with entry < t <= time."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle.survival import entered, sandwich

from hedgerow.errors import InputError
from hedgerow.survival import (
    FixedGroups,
    compare_groups,
    gray_test,
    group_survival,
    leaf_survival,
    logrank,
    logrank_one_by_one,
)
from hedgerow.survival.cox import cox, interaction
from hedgerow.survival.estimates import Steps, curve, incidence


def patients(seed, n=60):
    """Times and entries with ties, two causes, two groups and a treatment."""
    random = np.random.default_rng(seed)
    time = random.integers(1, 5 + 8 * (seed % 3), n).astype(float)
    entry = np.floor(random.random(n) * time * random.choice([0.0, 0.5, 1.0]))
    event = random.choice([0, 1, 2], n, p=[0.3, 0.5, 0.2])
    event[:2] = 1
    return time, event, np.arange(n) % 3, entry


@pytest.mark.parametrize("seed", draws(40))
def test_numbers_at_risk_written_out(seed):
    """Curve, incidence and log-rank by the plain sums of tests/oracle, in fractions."""
    time, event, group, entry = patients(seed)
    died = event == 1
    expected = entered(time, event, group == 0, entry)
    steps = Steps(time, event, 1, entry)
    assert steps.when.tolist() == expected["when"]
    assert steps.survival == pytest.approx([float(s) for s in expected["survival"]], abs=1e-12)
    assert steps.incidence() == pytest.approx([float(f) for f in expected["incidence"]], abs=1e-12)
    tested = logrank(time, died, group == 0, entry=entry)
    assert tested.statistic == pytest.approx(float(expected["logrank"]), rel=1e-9, abs=1e-12)
    each = logrank_one_by_one(time, died, group, entry=entry)
    assert each.against_rest[0] == pytest.approx(tested.statistic, abs=1e-12)


@pytest.mark.parametrize("seed", draws(20))
def test_the_influence_of_a_patient_is_a_derivative(seed):
    """A patient more, by a thousandth: counts with weights in the plain sums of tests/oracle."""
    time, event, group, entry = patients(seed, 25)
    steps = Steps(time, event, 1, entry)
    height = np.random.default_rng(seed).random(len(steps.when))
    found = steps.influence(height)
    assert abs(found.sum()) < 1e-12

    def total(weights) -> float:
        made = entered(time, event, group == 0, entry, weights)["incidence"]
        return float(np.diff(np.array(made, float), prepend=0.0) @ height)

    for i in range(0, 25, 6):
        more, less = np.ones(25), np.ones(25)
        more[i], less[i] = 1.0 + 1e-5, 1.0 - 1e-5
        slope = (total(more) - total(less)) / 2e-5
        assert found[i] == pytest.approx(slope, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("seed", draws(50))
def test_a_weighted_model_of_the_textbook(seed):
    """Sums written out over events and patients in tests/oracle, with tied times."""
    random = np.random.default_rng(seed)
    time, event, group, entry = patients(seed)
    entry = entry if seed % 2 else None
    inside, weights = group == 0, random.uniform(0.2, 2.0, len(time))
    frame = pd.DataFrame({"leaf": inside})
    found = cox(frame, "leaf", time, event == 1, 0.95, entry=entry, weights=weights)
    assert found["cox_note"] == "" and "ph_p" not in found
    beta = math.log(found["hazard_ratio"])
    slope, variance = sandwich(inside.astype(float), time, event == 1, weights, beta, entry)
    assert abs(slope) < 1e-6
    width = math.log(found["hazard_ratio_high"] / found["hazard_ratio_low"])
    assert width == pytest.approx(2 * 1.959963985 * math.sqrt(variance), rel=1e-7)


def test_entries_at_0_are_none():
    time, event, group, _ = patients(1, 200)
    start = np.zeros(200)
    own = (time, event == 1)
    for one, other in (
        (curve(*own, 0.95), curve(*own, 0.95, start)),
        (incidence(time, event, 1, 0.95), incidence(time, event, 1, 0.95, start)),
    ):
        assert list(one) == list(other)
        assert list(other.values()) == pytest.approx(list(one.values()), rel=1e-12, nan_ok=True)
    assert logrank(*own, group, entry=start) == logrank(*own, group)
    one, other = (interaction(group, time % 2 == 0, *own, None, e) for e in (None, start))
    assert other == pytest.approx(one)
    one = leaf_survival(FixedGroups(group), None, time, event)
    other = leaf_survival(FixedGroups(group), None, time, event, entry=start)
    gone = [name for name in one if name.startswith("gray_p")]
    pd.testing.assert_frame_equal(one.drop(columns=gone), other, rtol=1e-9)
    at = [1.0, 2.5, 100.0]
    one, other = (group_survival(time, event, group, at, entry=e) for e in (None, start))
    pd.testing.assert_frame_equal(one, other)


def test_a_curve_that_falls_to_0_before_others_enter_stays_there():
    found = curve(np.array([1.0, 5.0, 6.0]), np.ones(3, bool), 0.95, np.array([0.0, 2.0, 2.0]))
    assert found["last_survival"] == 0.0 and found["median"] == 1.0
    event, entry = np.array([2, 1, 1]), np.array([0.0, 2.0, 2.0])
    assert incidence(np.array([1.0, 5.0, 6.0]), event, 1, 0.95, entry)["incidence"] == 0.0


def test_a_curve_without_an_event_goes_to_the_last_time():
    found = curve(np.array([2.0, 5.0]), np.zeros(2, bool), 0.95, np.array([0.0, 1.0]))
    assert (found["last_time"], found["last_survival"]) == (5.0, 1.0)
    assert math.isinf(found["median_high"]) and math.isnan(found["last_survival_low"])


def test_treated_and_untreated_who_enter_after_the_landmark():
    """From the landmark on, by hand: those who enter later are at risk from then on."""
    random = np.random.default_rng(3)
    n = 400
    time, event = random.exponential(2.0, n) + 0.01, random.random(n) < 0.8
    entry = np.where(random.random(n) < 0.5, time * random.random(n), 0.0)
    when = np.where(random.random(n) < 0.5, time * random.random(n), np.nan)
    leaf = np.arange(n) % 2
    given = (FixedGroups(leaf), None, time, event, when)
    found = compare_groups(*given, landmark=0.5, entry=entry)
    kept = time > 0.5
    treated = np.nan_to_num(when, nan=np.inf) <= 0.5
    data = (time[kept] - 0.5, event[kept])
    late = np.maximum(entry[kept] - 0.5, 0.0)
    for node, row in found.iterrows():
        own = leaf[kept] == node
        frame = pd.DataFrame({"treated": treated[kept][own]})
        made = cox(frame, "treated", data[0][own], data[1][own], 0.95, entry=late[own])
        assert row["hazard_ratio"] == made["hazard_ratio"]
        assert (
            row["logrank_p"]
            == logrank(data[0][own], data[1][own], frame["treated"], entry=late[own]).p
        )
    assert found.attrs["n_left_out"] == (~kept).sum()
    # Who is treated before entering was never seen untreated.
    censored = compare_groups(*given, landmark=0.5, entry=entry, later="censored")
    never = kept & ~treated & (when <= entry)
    assert never.any() and censored.attrs["n_left_out"] == (~kept).sum() + never.sum()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ([0.0], r"entry holds float64 in shape \(1,\); give 60 numbers"),
        (["x"] * 60, "entry holds <U1"),
        ([-1.0] + [0.0] * 59, "entry is -1.0 in row 0"),
        ([np.nan] + [0.0] * 59, "entry is nan in row 0"),
        ([99.0] + [0.0] * 59, r"entry is 99 and time \d+ in row 0 \(1 rows\)"),
    ],
)
def test_bad_entries(entry, message):
    time, event, group, _ = patients(0)
    for call in (
        lambda: leaf_survival(FixedGroups(group), None, time, event, entry=entry),
        lambda: compare_groups(
            FixedGroups(group), None, time, event, np.zeros(60), landmark=0, entry=entry
        ),
        lambda: logrank(time, event == 1, group, entry=entry),
        lambda: group_survival(time, event, group, [1.0], entry=entry),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_what_cannot_take_entries_says_so():
    time, event, group, entry = patients(0)
    table = pd.DataFrame({"age": [50], "sex": ["F"], "hazard": [0.1]})
    for call, message in (
        (lambda: gray_test(time, event, group, entry=entry), "there is no Gray's test"),
        (
            lambda: leaf_survival(
                FixedGroups(group),
                None,
                time,
                event,
                entry=entry,
                life_table=table,
                age=[50.0] * 60,
                sex=["F"] * 60,
            ),
            "survival of the general population is not to be compared",
        ),
    ):
        with pytest.raises(InputError, match=f"{message} where patients enter after the start"):
            call()
