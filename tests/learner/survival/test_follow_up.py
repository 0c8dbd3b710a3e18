"""Who could be followed to a horizon, and trees that do not divide patients by it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from lifelines import KaplanMeierFitter
from oracle.survival import reverse_kaplan_meier
from survival.cohorts import staggered

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.induction.c45 import C45Classifier as Learner
from hedgerow.survival import (
    bootstrap_validation,
    censoring_weights,
    horizon_labels,
    risk_groups,
    thesis_tree,
)
from hedgerow.survival.estimates import risk_at
from hedgerow.survival.follow_up import MIN_FOLLOWED, followed_until, is_followed, share_followed


def sides(groups, time, event, horizon):
    """Share followed, in the training part, on each side of each test of a tree."""
    tree, own = groups.tree_, groups.training
    found = []
    for node in range(1, tree.n_nodes):
        below = {node}
        for k in range(node + 1, tree.n_nodes):
            below |= {k} if int(tree.parent[k]) in below else set()
        inside = own & np.isin(groups.leaf, list(below))
        if inside.any():
            found.append(share_followed(time[inside], event[inside], horizon))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_share_that_could_be_followed_is_that_of_the_oracle_and_of_lifelines(seed):
    random = np.random.default_rng([70, seed])
    n = int(random.integers(3, 40))
    time = random.integers(1, 12, n) / 2.0
    event = random.integers(0, 3, n)
    for horizon in (0.4, 2.0, 3.5, 9.0):
        found = share_followed(time, event, horizon)
        assert found == pytest.approx(float(reverse_kaplan_meier(time, event, horizon)))
    # Of the same time, the censored come after the events; lifelines has it the other way round.
    apart = time + random.permutation(n) / 1000.0
    fitted = KaplanMeierFitter().fit(apart, event == 0)
    for horizon in (2.0, 3.5):
        expected = float(fitted.predict(horizon - 1e-9))
        assert share_followed(apart, event, horizon) == pytest.approx(expected)


def test_times_of_entry_count_for_the_share_that_could_be_followed():
    random = np.random.default_rng([70, 10])
    entry = random.uniform(0.0, 2.0, 60)
    time, event = entry + random.exponential(3.0, 60), random.integers(0, 2, 60)
    found = share_followed(time, event, 4.0, entry)
    assert found == pytest.approx(float(reverse_kaplan_meier(time, event, 4.0, entry)))
    same = share_followed(time, event, 4.0, np.zeros(60))
    assert same == pytest.approx(share_followed(time, event, 4.0)) and same != pytest.approx(found)


def test_where_all_had_the_event_before_it_is_known():
    """The number at risk is the wrong quantity: 190 who died within .9 years are known at 6."""
    time = np.random.default_rng([70, 1]).uniform(0.1, 0.9, 190)
    event = np.ones(190, dtype=int)
    assert share_followed(time, event, 6.0) == 1.0
    assert risk_at(time, event, 6.0)[0] == 1.0
    assert followed_until(time, event) == math.inf
    assert math.isnan(share_followed(time[:0], event[:0], 6.0))


def test_a_curve_whose_last_patient_has_the_event_says_nothing():
    """The estimate fell to 0 with the last one of many who were censored: a risk of 100 %."""
    time, event = np.append(np.linspace(1.0, 5.0, 50), 5.5), np.append(np.zeros(50, int), 1)
    assert share_followed(time, event, 6.0) == pytest.approx(1 / 51)
    assert math.isnan(risk_at(time, event, 6.0)[0])
    few = np.append(np.zeros(40, int), np.ones(11, int))
    assert share_followed(time, few, 6.0) == pytest.approx(11 / 51)
    assert risk_at(time, few, 6.0)[0] == 1.0
    assert math.isnan(risk_at(time, few, 6.0, min_followed=0.3)[0])


def test_a_horizon_that_a_fifth_could_be_followed_to():
    time, event = np.arange(1.0, 11.0), np.zeros(10, int)
    assert followed_until(time, event) == 9.0
    assert is_followed(share_followed(time, event, 9.0))
    assert not is_followed(share_followed(time, event, 9.1))
    assert not is_followed(0.0, 0.0) and is_followed(0.2) and not is_followed(math.nan)


@pytest.mark.parametrize("column", ["year", "assay"])
def test_no_test_divides_off_patients_who_were_included_too_late(column):
    """The first test was `year >= 2015`, with a risk of 1 on one side; the true ones are alike.

    Of patients included less than a horizon before the end those with the event are known, and the
    others are not. A column that goes with the date, such as a new assay, did the same.
    """
    X, time, event = staggered(seed=1)
    X = X[["age", column]]
    free = risk_groups(X, time, event, horizon=6.0, random_state=0, min_followed=0.0)
    assert min(sides(free, time, event, 6.0)) < 0.05
    worst = free.tree_.probabilities()[free.tree_.feature < 0, 1].max()
    assert worst == pytest.approx(1.0) and free.refused == ()
    groups = risk_groups(X, time, event, horizon=6.0, random_state=0)
    assert min(sides(groups, time, event, 6.0)) >= MIN_FOLLOWED
    assert groups.refused and groups.tree_.n_leaves > 1
    assert set(groups.refused) <= {0, 1} and 1 in groups.refused
    names = {X.columns[j] for j in groups.tree_.feature if j >= 0}
    assert "age" in names


def test_tests_above_and_beside_a_refused_one_stay_as_they_are():
    """Growth goes on at the node alone; classes are counted by the values as they are."""
    random = np.random.default_rng([70, 5])
    X, time, event = staggered(800, seed=5)
    X = X[["age", "year"]].assign(marker=random.normal(size=800))
    X.loc[random.random(800) < 0.1, "age"] = np.nan
    found = {}
    for least in (0.0, 0.2, 0.4):
        groups = risk_groups(X, time, event, horizon=5.0, random_state=1, min_followed=least)
        found[least] = groups
        known = groups.training & groups.labels.labelled
        weight = groups.tree_.class_weight[groups.tree_.feature < 0].sum()
        assert weight == pytest.approx(known.sum())
        assert not least or min(sides(groups, time, event, 5.0)) >= least - 1e-9
        assert groups.estimator.get_params() == thesis_tree().get_params()
    again = risk_groups(X, time, event, horizon=5.0, random_state=1)
    assert again.tree_.to_json() == found[0.2].tree_.to_json()


def test_a_tree_that_divides_nobody_off_is_the_one_that_it_was():
    random = np.random.default_rng([70, 6])
    X = pd.DataFrame({"a": random.normal(size=300), "b": random.normal(size=300)})
    time = random.exponential(np.exp(-X["a"]) * 4.0)
    event, time = (time < 8.0).astype(int), np.minimum(time, 8.0)
    one, other = (
        risk_groups(X, time, event, horizon=3.0, random_state=0, min_followed=least)
        for least in (0.0, 0.2)
    )
    assert one.tree_.to_json() == other.tree_.to_json() and other.refused == ()


def test_a_horizon_that_few_reach_gives_no_test():
    X, time, event = staggered()
    groups = risk_groups(X[["age"]], time, event, horizon=10.0, random_state=0)
    assert share_followed(time, event, 10.0) < MIN_FOLLOWED and groups.tree_.n_leaves == 1
    with pytest.raises(InputError, match="min_followed is 2"):
        risk_groups(X, time, event, horizon=6.0, min_followed=2.0)


def test_other_learners_are_taken_as_they_are():
    class Other(Learner):
        pass

    X, time, event = staggered()
    given = {"horizon": 6.0, "random_state": 0}
    groups = risk_groups(X[["year"]], time, event, estimator=Other(min_samples_leaf=20), **given)
    assert groups.refused == ()
    own = C45Classifier(min_samples_leaf=20)
    assert risk_groups(X[["year"]], time, event, estimator=own, **given).refused


def test_bootstraps_have_no_risk_where_the_groups_have_none():
    X, time, event = staggered(400, seed=1)
    X = X[["year"]]
    pipeline = {"horizon": 6.0, "min_followed": 0.0}
    groups = risk_groups(X, time, event, random_state=0, **pipeline)
    found = bootstrap_validation(groups, X, time, event, n_bootstraps=5, **pipeline)
    late = [n for n in found.risks.index if X["year"][groups.leaf == n].min() >= 2015]
    assert late and found.risks.loc[late, ["apparent", "risk"]].isna().all(axis=None)


@pytest.mark.parametrize("seed", range(4))
def test_weights_stay_finite_where_hardly_anybody_is_followed(seed):
    """One of 300 stood for all who were included too late, with a weight of 100 and more."""
    _, time, event = staggered(300, seed)
    horizon = float(np.sort(time)[-1])
    free = censoring_weights(time, event, horizon)
    assert np.isfinite(free).all() and free.max() > 20.0
    bound = censoring_weights(time, event, horizon, largest=5.0)
    assert bound.max() == 5.0 and (bound == np.minimum(free, 5.0)).all()
    assert censoring_weights(time, event, 2.0).max() < 5.0
    with pytest.raises(InputError, match="largest is 0"):
        censoring_weights(time, event, horizon, largest=0.5)


def test_the_known_are_those_with_the_event_where_nobody_could_be_followed():
    """What the page on `horizon_labels` says of patients who were included late."""
    X, time, event = staggered()
    late = (X["year"] >= 2015).to_numpy()
    y, known = horizon_labels(time, event, 6.0)
    assert y[late & known].min() == 1 and share_followed(time[late], event[late], 6.0) == 0.0
    assert 0.2 < y[~late & known].mean() < 0.8
