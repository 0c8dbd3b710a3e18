"""Scores of risks at one horizon: functions of one score, repeated patients, scikit-survival, R."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from cohorts import cohorts
from effort import draws, examples
from hypothesis import given
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter

from hedgerow.errors import InputError
from hedgerow.survival import (
    brier_score,
    concordance,
    integrated_brier_score,
    performance,
    time_dependent_auc,
)
from hedgerow.survival.performance import MEASURES, _checked_patients

#: Few different times and risks: ties of all kinds.
patients = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from([0, 0, 1, 1, 2]), st.integers(0, 5)),
    min_size=2,
    max_size=20,
).filter(lambda rows: any(e == 1 for _, e, _ in rows))


def made_up(seed, n=600):
    """Risks that are nearly right, two causes, two groups."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    death, other, gone = (random.exponential(s, n) for s in (np.exp(-x), 3.0, 2.5))
    time = np.ceil(10 * np.minimum(np.minimum(death, other), gone)) / 10
    first = np.minimum(np.minimum(death, other), gone)
    event = np.where(first == death, 1, np.where(first == other, 2, 0))
    return time, event, 1.0 - np.exp(-np.exp(x)), np.where(random.random(n) < 0.4, "F", "M")


@given(patients, st.integers(0, 8))
@examples(300)
def test_each_score_is_that_of_its_function(rows, horizon):
    time, event, risk = (np.array(column) for column in zip(*rows, strict=True))
    risk = risk / 5.0
    if time.max() < horizon:
        return
    row = performance(time, event, risk, horizon, n_bootstraps=0).iloc[0]
    assert row["concordance"] == pytest.approx(concordance(time, event, risk), nan_ok=True)
    auc = time_dependent_auc(time, event, time, event, risk, [horizon]).auc[0]
    assert row["auc"] == pytest.approx(auc, nan_ok=True)
    survival = 1.0 - risk[:, None]
    brier = integrated_brier_score(time, event, time, event, survival, [horizon]).brier[0]
    assert row["brier"] == pytest.approx(brier, abs=1e-12)
    found = brier_score(time, event, risk, horizon)
    assert found.score == row["brier"]
    assert found.scaled == pytest.approx(row["scaled_brier"], nan_ok=True)
    share = 1.0 - KaplanMeierFitter().fit(time, event == 1).predict(horizon)
    assert row["observed"] == pytest.approx(share, abs=1e-9)
    assert row["expected"] == pytest.approx(risk.mean())
    if not math.isnan(found.marginal):
        assert found.marginal == pytest.approx(share * (1.0 - share), abs=1e-12)
    # Missing where everybody has the event, or nobody, but for rounding.
    if not math.isnan(found.scaled):
        assert found.scaled == pytest.approx(1.0 - found.score / found.marginal)


@pytest.mark.parametrize("seed", draws(20))
@pytest.mark.parametrize("competing", ["censored", "survived"])
def test_patients_who_count_twice_are_two(seed, competing):
    """A resample by weights is that of the patients written out."""
    random = np.random.default_rng(seed)
    time, event, risk, _ = made_up(seed, 40)
    risk = risk.round(1)
    counts = random.multinomial(40, np.full(40, 1 / 40))
    weighted = _checked_patients(time, event, risk, 0.5, 1, competing, None).scores(
        counts[:, None] * 1.0
    )
    own = np.repeat(np.arange(40), counts)
    twice = _checked_patients(time[own], event[own], risk[own], 0.5, 1, competing, None)
    for name, value in twice.scores(np.ones((40, 1))).items():
        assert weighted[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


def test_who_dies_of_another_cause_never_has_the_event():
    """By hand: with `survived` the second patient is compared with the third and the last one."""
    time, event, risk = [1, 2, 3, 4], [2, 1, 0, 1], [0.9, 0.5, 0.7, 0.1]
    both = {
        way: performance(time, event, risk, 3, competing=way, n_bootstraps=0).iloc[0]
        for way in ("censored", "survived")
    }
    assert both["censored"]["concordance"] == pytest.approx(1 / 2)
    # Against the first, of the highest risk, both lose.
    assert both["survived"]["concordance"] == pytest.approx(1 / 4)
    assert both["survived"]["observed"] == pytest.approx(1 / 4)
    assert both["censored"]["observed"] == pytest.approx(1 / 3)


def test_brier_and_auc_of_scikit_survival():
    metrics = pytest.importorskip("sksurv.metrics")
    from sksurv.util import Surv

    time, event, risk, _ = made_up(3)
    risk = risk.round(3)  # there risks are equal that differ by 1e-8
    # There who is censored at the time of an event is gone before it: no such ties here.
    time = time + np.random.default_rng(3).random(len(time)) * 1e-3
    y = Surv.from_arrays(event == 1, time)
    row = performance(time, event, risk, 0.77, n_bootstraps=0).iloc[0]
    assert row["auc"] == pytest.approx(metrics.cumulative_dynamic_auc(y, y, risk, 0.77)[0][0])
    brier = metrics.brier_score(y, y, 1.0 - risk[:, None], [0.77])[1][0]
    assert row["brier"] == pytest.approx(brier)
    assert row["concordance"] == pytest.approx(
        metrics.concordance_index_censored(event == 1, time, risk)[0]
    )


@pytest.mark.parametrize(
    ("name", "column", "value", "error"),
    [("lung", "age", 0.551144691, 0.02531911685), ("gbsg2", "tsize", 0.5718220212, 0.0179263379)],
)
def test_the_spread_of_resamples_is_that_of_r(name, column, value, error):
    """R 4.2.2, survival 3.5-3: r$concordance and sqrt(r$var), by the infinitesimal jackknife, of
    r <- concordance(Surv(time, event == 1) ~ age, data, reverse = TRUE)."""
    cohort = cohorts()[name]
    risk = cohort.covariates[column].to_numpy() / 200.0
    own = _checked_patients(cohort.time, cohort.event, risk, 300.0, 1, "censored", None)
    assert own.scores(np.ones((len(risk), 1)))["concordance"][0] == pytest.approx(value, rel=1e-8)
    drawn = own.resampled(4000, np.random.RandomState(0))["concordance"]
    assert drawn.std() == pytest.approx(error, rel=0.04)


def test_rows_of_groups():
    time, event, risk, sex = made_up(1)
    age = pd.Series(
        pd.cut(np.arange(600) % 90, [-1, 30, 60, 89], labels=["young", "middle", "old"])
    )
    sex = pd.Series(sex).where(np.arange(600) % 50 > 0)  # some have none
    found = performance(
        time, event, risk, 0.5, by={"sex": sex, "age": age}, random_state=0, n_bootstraps=50
    )
    assert list(zip(found["by"], found["level"], strict=True)) == [
        ("", "all"),
        ("sex", "F"),
        ("sex", "M"),
        ("age", "young"),
        ("age", "middle"),
        ("age", "old"),
    ]
    assert found["n"].tolist()[0] == 600 and found["n"].iloc[1:3].sum() == 588
    own = (sex == "F").to_numpy()
    alone = performance(time[own], event[own], risk[own], 0.5, n_bootstraps=0).iloc[0]
    for name in (*MEASURES, "observed", "expected"):
        assert found.loc[1, name] == alone[name]
    for name in MEASURES:
        inside = (found[f"{name}_low"] < found[name]) & (found[name] < found[f"{name}_high"])
        assert inside.all(), name
    assert len(set(found.attrs["seeds"])) == 6
    again = performance(
        time, event, risk, 0.5, by={"sex": sex, "age": age}, random_state=0, n_bootstraps=50
    )
    pd.testing.assert_frame_equal(found, again)
    named = performance(time, event, risk, 0.5, by=sex.rename("sex"), n_bootstraps=0)
    assert named["by"].tolist() == ["", "sex", "sex"] and named["auc_low"].isna().all()
    bare = performance(time, event, risk, 0.5, by=sex.to_numpy(), n_bootstraps=0)
    assert bare["by"].tolist() == ["", "group", "group"]


def test_a_group_that_is_not_followed_so_far_has_no_score():
    time, event, risk, _ = made_up(1)
    short = np.arange(600) < 100
    time, event = np.where(short, np.minimum(time, 0.3), time), np.where(short, 0, event)
    found = performance(time, event, risk, 1.0, by=short, random_state=0, n_bootstraps=20)
    row = found[found["level"] == True].iloc[0]  # noqa: E712
    assert row["n"] == 100 and np.isnan([row["brier"], row["auc"], row["concordance"]]).all()
    assert math.isnan(row["auc_low"]) and row["expected"] > 0.0


def test_intervals_hold_what_they_say():
    """Of 200 made-up cohorts the 80 % interval of observed over expected holds 1 in 80 %."""
    random, inside = np.random.default_rng(0), []
    for seed in range(200):
        x = random.normal(size=200)
        death, gone = random.exponential(np.exp(-x)), random.exponential(2.0, 200)
        time, event = np.minimum(death, gone), death <= gone
        row = performance(
            time,
            event,
            1.0 - np.exp(-np.exp(x) * 0.5),
            0.5,
            n_bootstraps=99,
            confidence=0.8,
            random_state=seed,
        ).iloc[0]
        inside.append(row["observed_expected_low"] <= 1.0 <= row["observed_expected_high"])
    assert 0.74 < np.mean(inside) < 0.86


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"risk": [1.2, 0.1, 0.1]}, "risk is 1.2 in row 0; give probabilities from 0 to 1"),
        ({"risk": [0.1]}, "risk holds float64"),
        ({"horizon": 9}, "the horizon is 9 and the last patient is followed to 3"),
        ({"horizon": -1}, "horizon is -1"),
        ({"competing": "gone"}, "competing is 'gone'; choose one of"),
        ({"entry": [0, 0, 3]}, "entry is 3 and time 3 in row 2"),
        ({"entry": [0, 1, 1]}, "all patients at risk at time 1 have an event then"),
        ({"by": [1]}, "by has 1 labels of 'group' and time 3 values"),
        ({"n_bootstraps": -1}, "n_bootstraps is -1"),
        ({"confidence": 95}, "confidence is 95"),
        ({"event": [0, 0, 0]}, "nobody has the event 1"),
    ],
)
def test_bad_input(change, message):
    given = {"time": [1, 2, 3], "event": [1, 1, 0], "risk": [0.9, 0.5, 0.1], "horizon": 2}
    with pytest.raises(InputError, match=message):
        performance(**given | change)
    if not {"by", "n_bootstraps", "confidence"} & set(change):
        with pytest.raises(InputError, match=message):
            brier_score(**given | change)
