"""Risk groups, and how far apart chance alone puts them."""

import numpy as np
import pandas as pd
import pytest
from lifelines.statistics import logrank_test
from sklearn.tree import DecisionTreeClassifier

from hedgerow.errors import InputError
from hedgerow.survival import (
    logrank,
    logrank_one_by_one,
    permutation_test,
    permuted_separation,
    risk_groups,
    separation,
    thesis_tree,
)
from hedgerow.survival.permutation import permutation_p


def made_up(seed=0, n=400, effect=1.5):
    """Patients whose first variable tells their hazard; two others tell nothing."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=["a", "b", "c"])
    death = random.exponential(5.0 * np.exp(-effect * (X["a"] > 0)))
    end = random.uniform(0.5, 12.0, n)
    return X, np.round(np.minimum(death, end), 2), (death <= end).astype(int)


def test_groups_of_the_thesis():
    X, time, event = made_up()
    groups = risk_groups(X, time, event, horizon=4.0, random_state=0)
    assert groups.tree_.feature[0] == 0
    assert groups.leaf.tolist() == groups.estimator.apply(X).tolist()
    parameters = groups.estimator.get_params()
    settings = ("confidence", "repetition_factor", "min_samples_leaf")
    assert [parameters[name] for name in settings] == [0.87, 0.7, 20]
    assert thesis_tree(max_depth=2).get_params()["max_depth"] == 2


def test_both_parts_hold_their_share_of_each_class():
    X, time, event = made_up(1)
    groups = risk_groups(X, time, event, horizon=4.0, random_state=3)
    y = groups.labels.y
    for value in (-1, 0, 1):
        own = y == value
        assert own.sum() > 10
        assert (own & ~groups.training).sum() == np.floor(0.25 * own.sum() + 0.5)
    again = risk_groups(X, time, event, horizon=4.0, random_state=3)
    other = risk_groups(X, time, event, horizon=4.0, random_state=4)
    assert (again.training == groups.training).all()
    assert (other.training != groups.training).any()
    assert risk_groups(X, time, event, horizon=4.0, test_size=0.0).training.all()


def test_the_learner_sees_known_classes_of_the_training_part_only():
    """Outcomes of test patients, and of those with no class, change nothing in the tree."""
    X, time, event = made_up(2)
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((X.index.to_numpy(), np.asarray(y), sample_weight))
            return super().fit(X, y, sample_weight)

    weight = np.arange(len(X), dtype=float)
    pipeline = {"estimator": Spy(max_depth=2), "random_state": 5, "sample_weight": weight}
    groups = risk_groups(X, time, event, horizon=4.0, **pipeline)
    rows, y, weights = seen[0]
    assert rows.tolist() == np.flatnonzero(groups.training & groups.labels.labelled).tolist()
    assert y.tolist() == groups.labels.y[rows].tolist()
    assert weights.tolist() == rows.tolist()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"horizon": 0.0}, "of 300 patients followed to the horizon 0 none had the event"),
        ({"horizon": 1e6}, "all had the event"),
        ({"test_size": 1.0}, "test_size"),
        ({"random_state": "x"}, "random_state"),
        ({"X": np.zeros((3, 2))}, "X has 3 rows and time 400 values"),
        ({"time": -np.ones(400)}, "time is -1.0"),
    ],
)
def test_what_cannot_be_divided(change, said):
    X, time, event = made_up()
    given = {"X": X, "time": np.maximum(time, 0.01), "event": event, "horizon": 4.0, **change}
    with pytest.raises(InputError, match=said):
        risk_groups(given.pop("X"), given.pop("time"), given.pop("event"), **given)


def test_each_group_against_all_and_against_the_rest():
    """Equal to lifelines' two-sample tests, with ties and a group without events."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        n = int(random.integers(5, 120))
        time = random.integers(0, 12, n).astype(float)
        event = random.random(n) < 0.5
        group = random.integers(0, 5, n)
        event[group == 4] = False
        found = logrank_one_by_one(time, event, group)
        assert found.groups.tolist() == np.unique(group).tolist()
        for i, own in enumerate(found.groups):
            inside = group == own
            all_ = logrank_test(time[inside], time, event[inside], event).test_statistic
            assert found.against_all[i] == pytest.approx(np.nan_to_num(all_), abs=1e-9)
            if (~inside).any():
                two = logrank_test(time[inside], time[~inside], event[inside], event[~inside])
                rest = np.nan_to_num(two.test_statistic)
                assert found.against_rest[i] == pytest.approx(rest, abs=1e-9)


def test_separation_of_parts():
    X, time, event = made_up()
    groups = risk_groups(X, time, event, horizon=4.0, random_state=0)
    found = separation(groups, time, event).set_index("part")
    assert found.index.tolist() == ["all", "training", "test"]
    test = ~groups.training
    overall = logrank(time[test], event[test] == 1, groups.leaf[test])
    assert found.loc["test", "overall"] == pytest.approx(-np.log10(overall.p))
    assert found.loc["test", "n_leaves"] == len(np.unique(groups.leaf[test]))
    for leaf in np.unique(groups.leaf[test]):
        own = groups.leaf[test] == leaf
        p = logrank_test(time[test][own], time[test], event[test][own], event[test]).p_value
        found.loc["test", "n_selected"] -= p < 0.005
    assert found.loc["test", "n_selected"] == 0


def test_p_counts_permutations_that_are_as_far_apart():
    null = np.array([1.0, 5.0, 3.0])
    assert permutation_p([0.5, 3.0, 4.0, 9.0], null).tolist() == [1.0, 0.75, 0.5, 0.25]


def test_a_variable_that_tells_is_found_and_noise_is_not():
    X, time, event = made_up()
    pipeline = {"horizon": 4.0, "estimator": thesis_tree(max_depth=2)}
    groups = risk_groups(X, time, event, random_state=0, **pipeline)
    found = permutation_test(groups, X, time, event, n_permutations=39, random_state=0, **pipeline)
    assert found.index.tolist() == np.unique(groups.leaf).tolist()
    assert found["logrank_p_permutation"].min() == pytest.approx(1 / 40)
    assert found.attrs["multivariate_logrank_p_permutation"] == pytest.approx(1 / 40)
    assert len(found.attrs["n_selected"]) == 39
    noise = X[["b", "c"]]
    groups = risk_groups(noise, time, event, random_state=0, **pipeline)
    found = permutation_test(
        groups, noise, time, event, n_permutations=39, random_state=0, **pipeline
    )
    assert found.attrs["multivariate_logrank_p_permutation"] > 0.05


def test_training_patients_look_separated_where_nothing_tells_them_apart():
    """Why test patients and permutations are asked: published-style tests find groups in noise."""
    _, time, event = made_up(7, effect=0.0)
    X = np.random.default_rng(7).normal(size=(len(time), 12))
    found = permuted_separation(X, time, event, horizon=4.0, seeds=range(40))
    false = found.assign(any=found["n_selected"] > 0).groupby("part")["any"].mean()
    assert false["training"] > 0.2
    assert false["test"] < 0.1
    assert found.groupby("permutation").size().eq(3).all()
    one = permuted_separation(X, time, event, horizon=4.0, seeds=[17])
    assert one.equals(found[found["permutation"] == 17].reset_index(drop=True))


@pytest.mark.parametrize(
    ("change", "said"), [({"part": "tset"}, "part is 'tset'"), ({"n_permutations": 0}, "n_perm")]
)
def test_permutations_that_cannot_be(change, said):
    X, time, event = made_up()
    groups = risk_groups(X, time, event, horizon=4.0, random_state=0)
    with pytest.raises(InputError, match=said):
        permutation_test(groups, X, time, event, horizon=4.0, **change)
    with pytest.raises(InputError, match="there are no seeds"):
        permuted_separation(X, time, event, horizon=4.0, seeds=[])
