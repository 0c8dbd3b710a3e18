"""Concordance, time-dependent AUC, Brier score: plain twins, scikit-survival, what must hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cohorts import cohorts
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lifelines import CoxPHFitter
from oracle import survival as oracle
from sklearn.metrics import roc_auc_score

from hedgerow.errors import InputError
from hedgerow.survival import (
    concordance,
    group_survival,
    horizon_labels,
    integrated_brier_score,
    time_dependent_auc,
)

#: Few different times and risks: ties of all kinds.
patients = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from([0, 0, 1, 1, 2]), st.integers(0, 3)),
    min_size=2,
    max_size=20,
).filter(lambda rows: any(e == 1 for _, e, _ in rows))


def halves(cohort, seed=0):
    """Training and test part of a cohort, with the risks and survival of a Cox model."""
    test = np.random.default_rng(seed).random(len(cohort.time)) < 0.5
    frame = cohort.covariates.reset_index(drop=True).assign(_t=cohort.time, _e=cohort.event)
    cox = CoxPHFitter().fit(frame[~test], "_t", "_e")
    return test, frame, cox


@given(patients)
@examples(300)
def test_concordance_counts_pairs(rows):
    time, event, risk = (list(column) for column in zip(*rows, strict=True))
    expected = oracle.concordance(time, [e == 1 for e in event], risk)
    found = concordance(time, event, risk)
    assert math.isnan(found) if expected is None else found == pytest.approx(float(expected))


@given(patients, st.integers(0, 8))
@examples(300)
def test_auc_and_brier_score_count_weighted_pairs_and_patients(rows, horizon):
    time, event, risk = (np.array(column) for column in zip(*rows, strict=True))
    if horizon > time.max():
        return
    y = horizon_labels(time, event, horizon).y
    ends = [e != 1 for e in event]
    weight = oracle.redistributed(time.tolist(), ends, horizon)
    expected = oracle.auc(y.tolist(), risk.tolist(), weight)
    found = time_dependent_auc(time, event, time, event, risk, [horizon])
    assert found.mean == pytest.approx(found.auc[0], nan_ok=True)
    if expected is None:
        assert math.isnan(found.auc[0])
    else:
        assert found.auc[0] == pytest.approx(float(expected))
    survival = 1.0 - risk[:, None] / 4.0
    brier = integrated_brier_score(time, event, time, event, survival, [horizon])
    errors = [w * (c - r / 4) ** 2 for w, c, r in zip(weight, y, risk, strict=True) if c >= 0]
    assert brier.brier == pytest.approx([float(sum(errors)) / len(time)])
    assert brier.integrated == brier.brier[0]


@pytest.mark.parametrize("name", sorted(cohorts()))
def test_they_are_those_of_scikit_survival(name):
    metrics = pytest.importorskip("sksurv.metrics")
    cohort = cohorts()[name]
    # Apart by a hair: there who is censored at the time of an event counts as gone before it.
    cohort = cohort._replace(time=cohort.time + 1e-4 * (cohort.event == 0))
    test, frame, cox = halves(cohort)
    y = np.array(
        list(zip(cohort.event == 1, cohort.time, strict=True)),
        dtype=[("event", bool), ("time", float)],
    )
    train, scored = (
        (cohort.time[~test], cohort.event[~test]),
        (cohort.time[test], cohort.event[test]),
    )
    at = np.quantile(cohort.time[test & (cohort.event == 1)], [0.1, 0.3, 0.5, 0.7, 0.9]) + 1e-3
    at = np.unique(at[at < cohort.time[~test].max()])
    risk = cox.predict_log_partial_hazard(frame[test]).to_numpy()
    survival = cox.predict_survival_function(frame[test], times=at).to_numpy().T
    ours = time_dependent_auc(*train, *scored, risk, at)
    areas, mean = metrics.cumulative_dynamic_auc(y[~test], y[test], risk, at)
    assert ours.auc == pytest.approx(areas, rel=1e-9)
    assert ours.mean == pytest.approx(mean, rel=1e-9)
    by_time = time_dependent_auc(*train, *scored, 1.0 - survival, at)
    assert by_time.auc == pytest.approx(areas, rel=1e-9)
    brier = integrated_brier_score(*train, *scored, survival, at)
    assert brier.brier == pytest.approx(
        metrics.brier_score(y[~test], y[test], survival, at)[1], rel=1e-9
    )
    assert brier.integrated == pytest.approx(
        metrics.integrated_brier_score(y[~test], y[test], survival, at), rel=1e-9
    )
    theirs = metrics.concordance_index_censored(y["event"][test], y["time"][test], risk)
    assert concordance(*scored, risk) == pytest.approx(theirs[0], rel=1e-9)


def test_risks_that_differ_by_rounding_are_equal():
    """A Cox model gave .68095 for .68042: patients who are alike differed in the last bit."""
    chance = np.random.default_rng(4)
    time, event = chance.exponential(1, 300), chance.integers(0, 2, 300)
    risk = chance.integers(0, 4, 300) / 3.0
    for scale in (1e-12, 1.0, 1e150):
        noisy = scale * risk * (1.0 + 1e-15 * chance.normal(size=300)) + scale
        for score in (
            lambda r: concordance(time, event, r),
            lambda r: time_dependent_auc(time, event, time, event, r, [0.3, 0.9]).mean,
        ):
            assert score(noisy) == score(risk)


def test_without_censoring_they_are_those_of_classes():
    chance = np.random.default_rng(0)
    time, event = chance.exponential(1, 200), np.ones(200, int)
    risk, at = chance.normal(size=200) - np.log(time), [0.5, 1.0]
    found = time_dependent_auc(time, event, time, event, risk, at)
    assert found.auc == pytest.approx([roc_auc_score(time <= t, risk) for t in at])
    share = 1.0 / (1.0 + np.exp(risk))
    survival = np.column_stack([share, share])
    brier = integrated_brier_score(time, event, time, event, survival, at).brier
    assert brier == pytest.approx(
        [((time > t) - share).var() + ((time > t) - share).mean() ** 2 for t in at]
    )


def test_known_values():
    chance = np.random.default_rng(1)
    at = np.array([0.5, 1.0, 1.5])
    event_at, gone_at = chance.exponential(1, (2, 3000))
    time, event = np.minimum(event_at, gone_at), (event_at <= gone_at).astype(int)
    follow_up = (time, event, time, event)
    assert time_dependent_auc(*follow_up, -event_at, at).auc.tolist() == [1.0] * 3
    assert time_dependent_auc(*follow_up, event_at, at).mean == 0.0
    assert time_dependent_auc(*follow_up, np.zeros(3000), at).mean == 0.5
    perfect = (event_at[:, None] > at).astype(float)
    assert integrated_brier_score(*follow_up, perfect, at).integrated == 0.0
    half = np.full((3000, 3), 0.5)
    assert integrated_brier_score(*follow_up, half, at).integrated == pytest.approx(0.25)
    assert concordance(time, event, -event_at) == 1.0


def test_another_cause_ends_the_follow_up():
    chance = np.random.default_rng(2)
    time, event, risk = chance.exponential(1, 80), chance.integers(0, 3, 80), chance.random(80)
    own = (event == 1).astype(int)
    at, survival = [0.2, 0.8], chance.random((80, 2))
    assert concordance(time, event, risk) == concordance(time, own, risk)
    one, two = (time_dependent_auc(time, e, time, e, risk, at) for e in (event, own))
    assert one.auc.tolist() == two.auc.tolist() and one.mean == two.mean
    one, two = (integrated_brier_score(time, e, time, e, survival, at) for e in (event, own))
    assert one.integrated == two.integrated
    assert concordance(time, event, risk, cause=2) != concordance(time, own, risk)


def test_what_cannot_be_told():
    nobody_yet = time_dependent_auc([1, 2], [1, 0], [1, 2], [1, 0], [2, 1], [0.5, 1.5])
    assert (
        math.isnan(nobody_yet.auc[0]) and nobody_yet.auc[1] == 1.0 and math.isnan(nobody_yet.mean)
    )
    assert math.isnan(concordance([1, 1], [1, 1], [0, 1]))


GOOD = {"time": [1, 2, 3], "event": [1, 0, 1], "at": [1.5, 2.5]}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"time": [1, 2, np.nan]}, "time is nan in row 2"),
        ({"event": [0, 0, 0]}, "nobody has the event 1"),
        ({"at": []}, r"at holds float64 in shape \(0,\); give a list of times"),
        ({"at": 2.0}, r"at holds float64 in shape \(\)"),
        ({"at": ["1"]}, "at holds <U1"),
        ({"at": [2, 1]}, "at holds times that are missing, below 0 or not ascending; give each"),
        ({"at": [1, np.nan]}, "at holds times that are missing"),
        ({"at": [-1, 1]}, "at holds times that are missing, below 0"),
        ({"at": [1, 4]}, "at holds 4 and the last of the training part is followed to 3; leave"),
        ({"time_train": [1, 2, 9], "at": [1, 4]}, "the last of the patients scored is followed to"),
        ({"risk": [1, 2]}, r"risk holds int64 in shape \(2,\); give numbers in shape \(3,\) or"),
        ({"risk": ["a", "b", "c"]}, "risk holds <U1"),
        ({"risk": [1.0, np.nan, 2.0]}, "risk is nan in row 1; leave out patients"),
        ({"survival": [0.5, 0.5, 0.5]}, r"survival holds float64 in shape \(3,\); give numbers"),
        ({"survival": [[0.5, 0.5], [0.5, 2], [0, 0]]}, "survival is 2 in row 1; give shares from"),
        ({"survival": [[0.5, 0.5], [0.5, np.inf], [0, 0]]}, "survival is inf in row 1"),
    ],
)
def test_what_is_none(more, message):
    given = GOOD | more
    time, event, at = given["time"], given["event"], given["at"]
    train = (given.get("time_train", time), event)
    with pytest.raises(InputError, match=message):
        if "survival" in more:
            integrated_brier_score(*train, time, event, given["survival"], at)
        else:
            time_dependent_auc(*train, time, event, given.get("risk", [1, 2, 3]), at)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: concordance([1, 2], [1, 1], [[1], [2]]), r"risk holds int64 in shape \(2, 1\)"),
        (lambda: concordance([1, 2], [1, 1], [1, np.nan]), "risk is nan in row 1"),
        (lambda: group_survival([1, 2], [1, 1], [1], [1]), r"group has shape \(1,\) and time 2"),
        (lambda: group_survival([1, 2], [1, 1], [1, 2], [-1]), "at holds times"),
    ],
)
def test_what_is_none_alone(call, message):
    with pytest.raises(InputError, match=message):
        call()
