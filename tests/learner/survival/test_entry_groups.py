"""Risk groups of patients who come under observation late: classes, weights, scores, bootstraps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from effort import draws
from oracle.survival import auc, entered, truncated_masses
from oracle.survival import concordance as pairs

from hedgerow.errors import InputError
from hedgerow.survival import (
    bootstrap_validation,
    brier_score,
    censoring_weights,
    concordance,
    horizon_labels,
    leaf_survival,
    performance,
    permutation_test,
    permuted_separation,
    restricted_mean,
    risk_groups,
    separation,
)
from hedgerow.survival.estimates import Steps, ran_out, risk_at
from hedgerow.survival.labels import checked_follow_up

WAYS = ("censored", "survived")


def patients(seed, n=40):
    """Times and entries with ties, two causes, and a horizon at which somebody is at risk."""
    random = np.random.default_rng(seed)
    time = random.integers(1, 6 + 4 * (seed % 3), n).astype(float)
    entry = np.floor(random.random(n) * time * random.choice([0.0, 0.5, 1.0]))
    event = random.choice([0, 1, 2], n, p=[0.35, 0.45, 0.2])
    # Never empty before the horizon: the first eight are there from the start, and to the end.
    entry[:8], time[:8], event[:8] = 0.0, 9.0, 0
    event[8] = 1
    return time, event, entry, float(random.integers(1, 8))


def ends_of(event, competing):
    """Whose follow-up ends by censoring."""
    return event == 0 if competing == "survived" else event != 1


@pytest.mark.parametrize("competing", WAYS)
@pytest.mark.parametrize("seed", draws(60))
def test_weights_are_the_masses_of_the_product_limit(seed, competing):
    time, event, entry, horizon = patients(seed)
    found = censoring_weights(time, event, horizon, competing=competing, entry=entry)
    ends = ends_of(event, competing)
    mass = truncated_masses(time.tolist(), ends.tolist(), entry.tolist(), horizon)
    known = horizon_labels(time, event, horizon, competing=competing, entry=entry).labelled
    assert found == pytest.approx([len(time) * float(m) for m in mass], abs=1e-12)
    assert (found[known] > 0.0).all() and (found[~known] == 0.0).all()
    assert found.sum() == pytest.approx(len(time), rel=1e-12)


@pytest.mark.parametrize("competing", WAYS)
@pytest.mark.parametrize("seed", draws(60))
def test_entries_at_0_are_the_weights_of_censoring(seed, competing):
    """The product-limit masses are 1 / G(t-) where all are followed from the start."""
    time, event, _, horizon = patients(seed)
    start = np.zeros(len(time))
    plain = censoring_weights(time, event, horizon, competing=competing)
    found = censoring_weights(time, event, horizon, competing=competing, entry=start)
    assert found == pytest.approx(plain, rel=1e-12, abs=1e-12)
    one, other = (
        horizon_labels(time, event, horizon, competing=competing, entry=e) for e in (None, start)
    )
    assert (one.y == other.y).all()


@pytest.mark.parametrize("seed", draws(60))
def test_weighted_events_are_what_the_estimators_of_late_entry_say(seed):
    time, event, entry, horizon = patients(seed)
    for competing, which in (("censored", "survival"), ("survived", "incidence")):
        weight = censoring_weights(time, event, horizon, competing=competing, entry=entry)
        y = horizon_labels(time, event, horizon, competing=competing, entry=entry).y
        had = np.where(ends_of(event, competing), 0, event)
        made = entered(time, had, np.ones(len(time), bool), entry)
        steps = [v for t, v in zip(made["when"], made[which], strict=True) if t <= horizon]
        expected = steps[-1] if steps else Fraction(int(which == "survival"))
        expected = float(1 - expected if which == "survival" else expected)
        assert weight[y == 1].sum() / len(time) == pytest.approx(expected, abs=1e-12)
        share = risk_at(time, had, horizon, entry=entry)[0]
        assert share == pytest.approx(expected, abs=1e-12)


def test_who_enters_at_the_horizon_has_no_class():
    y = horizon_labels([5, 5, 5, 3], [1, 1, 0, 1], 4, entry=[3.9, 4, 4.5, 0]).y
    assert y.tolist() == [0, -1, -1, 1]


def test_a_risk_set_that_runs_out_is_told():
    """The trap of late entry: the first patients die before others come, and the curve is 0."""
    time, event, entry = np.array([1.0, 5.0, 6.0, 7.0]), np.array([1, 1, 0, 0]), [0.0, 2, 2, 2]
    message = (
        "all patients at risk at time 1 have an event then, and others enter later; count time "
        "from a later start"
    )
    for call in (
        lambda: censoring_weights(time, event, 6.0, entry=entry),
        lambda: brier_score(time, event, [0.5] * 4, 6.0, entry=entry),
        lambda: risk_groups(
            np.eye(4), time, event, horizon=6.0, weights="ipcw", test_size=0, entry=entry
        ),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert math.isnan(risk_at(time, event, 6.0, entry=np.array(entry))[0])
    # Nobody enters afterwards, or not before the horizon: nothing is missed.
    assert censoring_weights([1, 2], [1, 1], 3, entry=[0, 0]).tolist() == [1.0, 1.0]
    assert ran_out(time, event == 1, np.array(entry), 2.0) is None
    assert risk_at(time, event, 2.0, entry=np.array(entry)) == (
        1.0,
        pytest.approx(np.nan, nan_ok=True),
    )


@pytest.mark.parametrize("seed", draws(40))
def test_risk_at_with_entries_at_0_is_that_without(seed):
    time, event, entry, horizon = patients(seed)
    for codes in (event, (event == 1).astype(int)):
        one, other = (risk_at(time, codes, horizon, entry=e) for e in (None, np.zeros(len(time))))
        assert one[0] == pytest.approx(other[0], abs=1e-12)
        if not (codes[time <= horizon] > 1).any():
            assert one[1] == pytest.approx(other[1], rel=1e-9, nan_ok=True)
    # Nobody is at risk at the horizon: those who are followed so far enter after it.
    late = np.where(time >= horizon, horizon, entry)
    kept = late < time
    given = time[kept], np.where(time[kept] < horizon, 0, event[kept]), horizon
    assert math.isnan(risk_at(*given, entry=late[kept])[0])
    if (given[1] == 1).any():
        for call in (restricted_mean, lambda t, e, h, entry: brier_score(t, e, t, h, entry=entry)):
            with pytest.raises(InputError, match="all who are followed so far enter later"):
                call(given[0] / 100, given[1], horizon / 100, entry=late[kept] / 100)


@pytest.mark.parametrize("competing", WAYS)
@pytest.mark.parametrize("seed", draws(30))
def test_scores_written_out(seed, competing):
    time, event, entry, horizon = patients(seed)
    risk = np.random.default_rng(seed).integers(0, 6, len(time)) / 6.0
    row = performance(
        time, event, risk, horizon, competing=competing, n_bootstraps=0, entry=entry
    ).iloc[0]
    weight = censoring_weights(time, event, horizon, competing=competing, entry=entry)
    y = horizon_labels(time, event, horizon, competing=competing, entry=entry).y
    n = len(time)
    assert row["brier"] == pytest.approx((weight * ((y == 1) - risk) ** 2).sum() / n)
    assert row["expected"] == pytest.approx((weight * risk).sum() / n)
    assert row["observed"] == pytest.approx(weight[y == 1].sum() / n)
    area = auc(y.tolist(), risk.tolist(), weight.tolist())
    assert row["auc"] == pytest.approx(math.nan if area is None else float(area), nan_ok=True)
    last = time if competing == "censored" else np.where(event > 1, np.inf, time)
    expected = float(pairs(last.tolist(), (event == 1).tolist(), risk.tolist(), entry.tolist()))
    assert row["concordance"] == pytest.approx(expected)
    if competing == "censored":
        assert concordance(time, event, risk, entry=entry) == pytest.approx(expected)
    made = brier_score(time, event, risk, horizon, competing=competing, entry=entry)
    assert made.score == row["brier"] and made.scaled == pytest.approx(
        row["scaled_brier"], nan_ok=True
    )


def test_scores_of_resamples_are_those_of_the_patients_drawn():
    """Who is drawn twice is at risk twice; who enters at 0 counts as without entries."""
    time, event, entry, horizon = patients(4, 60)
    risk = np.random.default_rng(0).random(60)
    given = {"n_bootstraps": 50, "random_state": 3}
    plain = performance(time, event, risk, horizon, **given)
    same = performance(time, event, risk, horizon, entry=np.zeros(60), **given)
    numbers = plain.select_dtypes("number").columns
    assert same[numbers].to_numpy() == pytest.approx(
        plain[numbers].to_numpy(), rel=1e-9, nan_ok=True
    )
    low, high = performance(time, event, risk, horizon, entry=entry, **given)[
        ["brier_low", "brier_high"]
    ].iloc[0]
    assert low < brier_score(time, event, risk, horizon, entry=entry).score < high


def come_late(n, seed):
    """Half come late if they live so long, two groups: hazards .2 and .8, and follow-up to 4."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, n)
    death = random.exponential(1.0 / np.array([0.2, 0.8])[X])
    entry = np.where(random.random(n) < 0.5, random.uniform(0.0, 2.0, n), 0.0)
    time, seen = np.minimum(death, 4.0), entry < np.minimum(death, 4.0)
    truth = 1.0 - np.exp(-2.0 * np.array([0.2, 0.8])[X])
    found = (X[:, None].astype(float), time, (death <= 4.0).astype(int), entry)
    return (*(values[seen] for values in found), truth[seen], truth.mean())


def test_leaves_without_entries_are_biased_and_with_them_are_not():
    """Deaths before entering that nobody saw make the risks by the horizon 2 too low."""
    errors, ratios = {"with": [], "without": []}, {"with": [], "without": []}
    for seed in range(10):
        X, time, event, entry, truth, everybody = come_late(1500, seed)
        for way, own in (("with", entry), ("without", None)):
            groups = risk_groups(
                X, time, event, horizon=2, weights="ipcw", test_size=0.0, random_state=0, entry=own
            )
            shares = groups.tree_.class_weight
            errors[way].append(float((shares[:, 1] / shares.sum(axis=1))[groups.leaf].mean()))
            errors[way][-1] -= float(truth.mean())
            row = performance(time, event, truth, 2, n_bootstraps=0, entry=own).iloc[0]
            ratios[way].append(row["observed_expected"])
            if way == "with":
                assert row["expected"] == pytest.approx(everybody, abs=0.03)
    noise = {way: np.std(values) / math.sqrt(10) for way, values in errors.items()}
    assert abs(np.mean(errors["with"])) < 3.0 * noise["with"] + 0.005
    assert np.mean(errors["without"]) < -0.05
    assert abs(np.mean(ratios["with"]) - 1.0) < 0.02 and np.mean(ratios["without"]) < 0.9


def test_risk_groups_learn_with_the_masses_of_the_training_part():
    X, time, event, entry, *_ = come_late(800, 1)
    found = risk_groups(X, time, event, horizon=2, weights="ipcw", random_state=2, entry=entry)
    part = found.training
    assert (found.labels.y == horizon_labels(time, event, 2, entry=entry).y).all()
    own = censoring_weights(time[part], event[part], 2, entry=entry[part])
    root = found.tree_.class_weight[0]
    y = found.labels.y[part]
    assert root == pytest.approx([own[y == 0].sum(), own[y == 1].sum()])
    steps = Steps(time[part], event[part], 1, entry[part])
    survival = steps.survival[np.searchsorted(steps.when, 2.0, side="right") - 1]
    assert root[0] / root.sum() == pytest.approx(survival, rel=1e-12)


@pytest.mark.parametrize("what", ["risk_groups", "bootstrap", "permutations"])
def test_entries_without_weights_are_refused(what):
    X, time, event, entry, *_ = come_late(300, 1)
    groups = risk_groups(X, time, event, horizon=2, weights="ipcw", entry=entry)
    given = {"horizon": 2, "entry": entry}
    call = {
        "risk_groups": lambda: risk_groups(X, time, event, **given),
        "bootstrap": lambda: bootstrap_validation(groups, X, time, event, **given),
        "permutations": lambda: permutation_test(groups, X, time, event, **given),
    }[what]
    with pytest.raises(
        InputError, match=r"entry is given without weights: .*; give weights='ipcw'"
    ):
        call()


def test_bootstraps_of_late_entry():
    """Apparent risks are those of the delayed-entry estimate; entries at 0 change nothing."""
    X, time, event, entry, truth, _ = come_late(600, 3)
    given = {"horizon": 2, "weights": "ipcw"}
    groups = risk_groups(X, time, event, random_state=0, entry=entry, **given)
    found = bootstrap_validation(groups, X, time, event, n_bootstraps=25, entry=entry, **given)
    assert found.n_bootstraps == 25
    for node, row in found.risks.iterrows():
        own = groups.leaf == node
        assert row["apparent"] == risk_at(time[own], event[own], 2, entry=entry[own])[0]
        assert row["risk_low"] < truth[own].mean() < row["risk_high"]
    assert found.apparent == concordance(
        time, event, found.risks["apparent"][groups.leaf], entry=entry
    )
    start = np.zeros(len(time))
    groups = risk_groups(X, time, event, random_state=0, **given)
    one, other = (
        bootstrap_validation(groups, X, time, event, n_bootstraps=5, entry=e, **given)
        for e in (None, start)
    )
    assert other.risks.to_numpy() == pytest.approx(one.risks.to_numpy(), nan_ok=True)
    assert other.concordance == pytest.approx(one.concordance)


def test_outcomes_are_dealt_with_their_entries():
    X, time, event, entry, *_ = come_late(300, 5)
    given = {"horizon": 2, "weights": "ipcw", "entry": entry}
    groups = risk_groups(X, time, event, random_state=0, **given)
    null = permuted_separation(X, time, event, seeds=[7], **given)
    random = np.random.RandomState(7)
    dealt = random.permutation(len(time))
    outcome = (time[dealt], event[dealt])
    own = given | {"entry": entry[dealt]}
    by_hand = risk_groups(X, *outcome, random_state=random, **own)
    expected = separation(by_hand, *outcome, entry=entry[dealt])
    assert null.drop(columns="permutation").equals(expected)
    table = permutation_test(groups, X, time, event, n_permutations=5, random_state=1, **given)
    # Groups that differ fourfold in hazard are further apart than chance makes them.
    assert table["logrank_p_rest_permutation"].tolist() == pytest.approx([1 / 6, 1 / 6])
    whole = leaf_survival(groups.estimator, X, time, event, entry=entry)
    overall = separation(groups, time, event, entry=entry).set_index("part").loc["all", "overall"]
    assert 10.0**-overall == pytest.approx(whole.attrs["multivariate_logrank_p"], rel=1e-6)


def test_permutations_whose_training_part_runs_out_are_left_out():
    """One of them ended the whole run, though the tree itself could be grown."""
    X, time, event, entry, *_ = come_late(300, 5)
    entry = np.maximum(entry, 0.05)
    seen = entry < time
    X, time, event, entry = X[seen], time[seen], event[seen], entry[seen]
    # Who has the event before others enter, and whom it takes in the same part.
    entry[:2], time[:2], event[:2] = 0.0, [0.02, 3.0], [1, 0]
    given = {"horizon": 2, "weights": "ipcw", "entry": entry}
    groups = risk_groups(X, time, event, random_state=1, **given)
    table = permutation_test(groups, X, time, event, n_permutations=20, random_state=1, **given)
    made = table.attrs["n_permutations"]
    assert 0 < made < 20 and len(table.attrs["n_selected"]) == made
    assert table["logrank_p_permutation"].min() >= 1 / (made + 1)
    entry[1] = 0.05
    with pytest.raises(InputError, match=r"all patients at risk at time 0\.02 have"):
        permuted_separation(X, time, event, seeds=[0, 1], **{**given, "test_size": 0.0})


def test_bad_entries():
    time, event = checked_follow_up([1, 2, 3], [1, 1, 0])
    for call in (horizon_labels, censoring_weights):
        with pytest.raises(InputError, match="entry is 2 and time 2 in row 1"):
            call(time, event, 2, entry=[0, 2, 0])
    with pytest.raises(InputError, match=r"entry is -1\.0 in row 0"):
        concordance(time, event, time, entry=[-1, 0, 0])
