"""Mean times up to a horizon: by hand, by plain means where nobody is censored, and bad cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from effort import draws
from oracle.survival import entered, kaplan_meier

from hedgerow.errors import InputError
from hedgerow.survival import FixedGroups, leaf_survival, restricted_mean


def area(steps, horizon) -> float:
    """Below a curve of (time, survival), from 1 at 0 on."""
    before, level, total = 0.0, 1.0, 0.0
    for when, survival in steps:
        if when >= horizon:
            break
        total += (when - before) * level
        before, level = when, float(survival)
    return total + (horizon - before) * level


@pytest.mark.parametrize("seed", draws(30))
def test_areas_below_the_curves_of_the_textbook(seed):
    random = np.random.default_rng(seed)
    n = 40
    time = random.integers(1, 12, n).astype(float)
    event = random.choice([0, 1, 2], n)
    event[0], horizon = 1, float(random.integers(1, int(time.max()) + 1))
    found = restricted_mean(time, event, horizon)
    assert found.mean == pytest.approx(area(kaplan_meier(time, event == 1), horizon), rel=1e-12)
    entry = np.floor(time * random.random(n) * (seed % 2))
    found = restricted_mean(time, event, horizon, entry=entry)
    made = entered(time, event, event == 1, entry)
    free = [(t, 1 - f) for t, f in zip(made["when"], made["incidence"], strict=True)]
    assert found.lost == pytest.approx(horizon - area(free, horizon), rel=1e-12, abs=1e-12)


def test_where_nobody_is_censored_they_are_plain_means():
    random = np.random.default_rng(0)
    time, event = random.exponential(2.0, 300), random.choice([1, 2], 300)
    lived = np.minimum(time, 3.0)
    found = restricted_mean(time, np.ones(300), 3.0)
    z = 1.959963985
    assert found.mean == pytest.approx(lived.mean())
    assert found.high - found.low == pytest.approx(2 * z * lived.std() / math.sqrt(300))
    assert found[3:] == pytest.approx((3.0 - found.mean, 3.0 - found.high, 3.0 - found.low))
    lost = np.where(event == 1, 3.0 - lived, 0.0)
    found = restricted_mean(time, event, 3.0)
    assert found.lost == pytest.approx(lost.mean())
    assert found.lost_high - found.lost == pytest.approx(z * lost.std() / math.sqrt(300))
    # Until other causes come they are for both: what is lost to each adds up.
    other = restricted_mean(time, event, 3.0, cause=2)
    assert found.lost + other.lost == pytest.approx((3.0 - lived).mean())


def test_beyond_the_last_patient_there_is_a_mean_only_if_all_had_the_event():
    assert restricted_mean([1, 2, 3], [0, 1, 1], 9.0).mean == pytest.approx(2.5)
    found = restricted_mean([1, 2, 3], [0, 1, 2], 9.0)
    assert math.isnan(found.mean) and found.lost == pytest.approx(3.5)
    with pytest.raises(InputError, match="the horizon is 9 and the last patient is followed to 3"):
        restricted_mean([1, 2, 3], [1, 1, 0], 9.0)
    leaf = FixedGroups([0, 0, 0, 1, 1, 1])
    table = leaf_survival(leaf, None, [1, 2, 3, 5, 8, 9], [1, 1, 0, 1, 0, 0], horizon=6.0)
    assert math.isnan(table.loc[0, "rmst"]) and table.loc[1, "rmst"] == pytest.approx(5 + 2 / 3)
    assert "time_lost" not in table
    assert "rmst" not in leaf_survival(leaf, None, [1, 2, 3, 5, 8, 9], [1, 1, 0, 1, 0, 0])


def test_intervals_end_at_0_and_at_the_horizon():
    found = restricted_mean([1.0, 5.0], [1, 0], 4.0)
    assert found.high == 4.0 and found.lost_low == 0.0
    before = restricted_mean([3.0, 5.0], [1, 0], 2.0)
    assert before == (2.0, 2.0, 2.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("horizon", [-1.0, math.nan, math.inf, "x"])
def test_bad_horizons(horizon):
    for call in (
        lambda: restricted_mean([1, 2], [1, 1], horizon),
        lambda: leaf_survival(FixedGroups([0, 0]), None, [1, 2], [1, 1], horizon=horizon),
    ):
        with pytest.raises(InputError, match="horizon"):
            call()
