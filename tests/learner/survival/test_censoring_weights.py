"""Weights in the place of the censored: mass handed on, Kaplan-Meier's identity, no bias."""

from __future__ import annotations

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter
from lifelines.datasets import load_gbsg2
from oracle.survival import incidence, kaplan_meier, redistributed

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.survival import censoring_weights, horizon_labels, risk_groups

#: Few different times: events, censored times and the horizon coincide.
follow_up = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from([0, 0, 1, 1, 2])), min_size=1, max_size=25
).filter(lambda rows: any(e == 1 for _, e in rows))
modes = st.sampled_from(["censored", "survived"])


def last(steps, horizon):
    """Value of a step function at the horizon, 0 before its first step."""
    return float(next((value for t, value in reversed(steps) if t <= horizon), 0))


@given(follow_up, st.integers(0, 9), modes)
@examples(500)
def test_the_censored_hand_their_mass_on(rows, horizon, competing):
    time, event = (list(column) for column in zip(*rows, strict=True))
    found = censoring_weights(time, event, horizon, competing=competing)
    ends = [e == 0 or (e != 1 and competing == "censored") for e in event]
    mass = redistributed(time, ends, horizon)
    known = horizon_labels(time, event, horizon, competing=competing).labelled
    assert (found[~known] == 0.0).all() and (found[known] >= 1.0).all()
    expected = [float(m) if k else 0.0 for m, k in zip(mass, known, strict=True)]
    assert found == pytest.approx(expected, rel=1e-12)
    if max(time) >= horizon:
        assert found.sum() == pytest.approx(len(time))


@given(follow_up, st.integers(0, 9))
@examples(500)
def test_weighted_events_are_what_the_estimators_say(rows, horizon):
    time, event = (list(column) for column in zip(*rows, strict=True))
    weight = censoring_weights(time, event, horizon)
    y = horizon_labels(time, event, horizon).y
    survival = [(t, 1 - s) for t, s in kaplan_meier(time, [e == 1 for e in event])]
    found = weight[y == 1].sum() / len(time)
    assert found == pytest.approx(last(survival, horizon), abs=1e-12)
    weight = censoring_weights(time, event, horizon, competing="survived")
    found = weight[y == 1].sum() / len(time)
    assert found == pytest.approx(last(incidence(time, event), horizon), abs=1e-12)


def test_kaplan_meier_of_a_cohort():
    data = load_gbsg2()
    weight = censoring_weights(data["time"], data["cens"], 1000)
    y = horizon_labels(data["time"], data["cens"], 1000).y
    survival = KaplanMeierFitter().fit(data["time"], data["cens"]).predict(1000)
    assert weight[y == 0].sum() / len(y) == pytest.approx(survival, rel=1e-12)
    assert weight.sum() == pytest.approx(len(y), rel=1e-12)


def test_censoring_that_has_nothing_to_do_with_the_inputs_does_no_harm():
    """With the censored left out, more than the true share have the event; weighted, that share."""
    chance = np.random.default_rng(0)
    left_out, weighted, truth = [], [], 1.0 - np.exp(-0.5)
    for _ in range(400):
        event_at, gone_at = chance.exponential(2.0, 200), chance.exponential(1.0, 200)
        time, event = np.minimum(event_at, gone_at), event_at <= gone_at
        y, known = horizon_labels(time, event, 1.0)
        weight = censoring_weights(time, event, 1.0)
        left_out.append(y[known].mean())
        weighted.append(np.average(y[known], weights=weight[known]))
    error = np.std(weighted) / np.sqrt(len(weighted))
    assert abs(np.mean(weighted) - truth) < 3.0 * error
    assert np.mean(left_out) - truth > 20.0 * error


def test_nobody_is_censored():
    time = np.arange(1.0, 9.0)
    assert (censoring_weights(time, np.ones(8), 4) == 1.0).all()
    # After the horizon nobody knows, and nobody asks.
    assert (censoring_weights(time, time < 5, 4) == 1.0).all()


def test_nobody_is_followed_to_the_horizon():
    """What is not known stays so: nobody is there who could stand for the last ones."""
    weight = censoring_weights([1, 2, 3], [1, 0, 0], 10)
    assert weight.tolist() == [1.0, 0.0, 0.0]


def test_ties_by_hand():
    """At 2 one has the event and one is gone: the event comes first, so that both are at risk."""
    found = censoring_weights([1, 2, 2, 3, 4], [0, 1, 0, 1, 0], 3)
    # G: 4/5 after 1; at 2 one of the three who are left is gone.
    share = [None, 4 / 5, None, 4 / 5 * 2 / 3, 4 / 5 * 2 / 3]
    assert found == pytest.approx([1 / s if s else 0.0 for s in share])


def test_learners_take_them():
    data = load_gbsg2()
    X = data[["age", "tsize", "pnodes", "progrec"]]
    time, event = data["time"].to_numpy(), data["cens"].to_numpy()
    weight = censoring_weights(time, event, 1000)
    groups = risk_groups(X, time, event, horizon=1000, test_size=0.0, sample_weight=weight)
    root = groups.tree_.class_weight[0]
    survival = KaplanMeierFitter().fit(time, event).predict(1000)
    assert root[0] / root.sum() == pytest.approx(survival, rel=1e-9)
    # Patients of weight 0 are as if absent, whatever stands for their class.
    y, known = horizon_labels(time, event, 1000)
    tree = C45Classifier(min_samples_leaf=20)
    some = tree.fit(X[known], y[known], sample_weight=weight[known]).tree_
    everybody = tree.fit(X, np.where(known, y, 1), sample_weight=weight).tree_
    assert some == everybody


def censored_early(n: int, seed: int):
    """Three groups of hazards .1, .3 and .9; two in five are censored before the horizon 2."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, n)
    death = random.exponential(1.0 / np.array([0.1, 0.3, 0.9])[X])
    gone = random.exponential(2.5, n)
    time, event = np.minimum(death, gone), (death <= gone).astype(int)
    return X, time, event, 1.0 - np.exp(-2.0 * np.array([0.1, 0.3, 0.9])[X])


def test_leaves_of_weighted_trees_tell_the_true_risk():
    """Mean distance of a leaf's share from the true risk in it: .093 without weights, .014 with."""
    errors = {None: [], "ipcw": []}
    for seed in range(20):
        X, time, event, truth = censored_early(2000, seed)
        for weights, found in errors.items():
            groups = risk_groups(
                X[:, None].astype(float), time, event, horizon=2, weights=weights, random_state=seed
            )
            shares = groups.tree_.class_weight
            shares = shares[:, 1] / shares.sum(axis=1)
            leaf = groups.leaf
            true = np.bincount(leaf, truth) / np.maximum(np.bincount(leaf), 1)
            found.append(np.abs(shares[leaf] - true[leaf])[~groups.training].mean())
    plain, weighted = (np.mean(found) for found in errors.values())
    assert (round(plain, 3), round(weighted, 3)) == (0.093, 0.014)


def test_weights_are_of_the_training_part_and_on_top_of_ones_own():
    X, time, event, _ = censored_early(500, 1)
    X, own = X[:, None].astype(float), np.random.default_rng(1).uniform(0.5, 2.0, 500)
    found = risk_groups(
        X, time, event, horizon=2, weights="ipcw", sample_weight=own, random_state=1
    )
    part = found.training
    by_hand = np.zeros(500)
    by_hand[part] = censoring_weights(time[part], event[part], 2)
    other = risk_groups(X, time, event, horizon=2, sample_weight=own * by_hand, random_state=1)
    assert found.tree_ == other.tree_
    with pytest.raises(InputError, match="weights is 'all'; choose one of 'ipcw'"):
        risk_groups(X, time, event, horizon=2, weights="all")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"time": [1, np.nan]}, "time is nan in row 1"),
        ({"event": [0, 0]}, "nobody has the event 1"),
        ({"event": [1]}, "time has 2 values and event 1"),
        ({"horizon": -1}, "horizon is -1"),
        ({"cause": 0}, "cause is 0"),
        ({"competing": "gone"}, "competing is 'gone'; choose one of 'censored', 'survived'"),
    ],
)
def test_what_is_none(more, message):
    with pytest.raises(InputError, match=message):
        censoring_weights(**{"time": [1, 2], "event": [1, 0], "horizon": 2} | more)
