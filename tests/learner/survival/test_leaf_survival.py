"""Survival in leaves: against lifelines called by hand, textbook formulas, and bad cases."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from cohorts import PRECISE
from effort import draws
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.datasets import load_rossi, load_waltons
from lifelines.statistics import logrank_test, multivariate_logrank_test
from oracle.survival import kaplan_meier, quantile, two_sample_logrank

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.survival import FixedGroups, horizon_labels, leaf_survival, logrank

VARIABLES = ["fin", "age", "race", "wexp", "mar", "paro", "prio"]


@pytest.fixture(scope="module")
def rossi():
    """Released prisoners, followed for a year: data, tree, leaves."""
    data = load_rossi()
    y, known = horizon_labels(data["week"], data["arrest"], 52)
    tree = C45Classifier(confidence=0.87, min_samples_leaf=20, repetition_factor=0.7)
    tree.fit(data.loc[known, VARIABLES], y[known])
    return data, tree, tree.apply(data[VARIABLES])


# ------------------------------------------------------------------------------------ labels


def test_labels_at_a_horizon_by_hand():
    time = [2.0, 6.0, 6.0, 6.1, 5.9, 9.0, 0.0]
    event = [1, 1, 0, 1, 0, 0, 1]
    y, known = horizon_labels(time, event, 6)
    assert y.tolist() == [1, 1, 0, 0, -1, 0, 1]
    assert known.tolist() == [True, True, True, True, False, True, True]


def test_another_cause_ends_the_follow_up_or_is_survived():
    time, event = [2, 7, 3, 4], [2, 2, 1, 0]
    assert horizon_labels(time, event, 6).y.tolist() == [-1, 0, 1, -1]
    assert horizon_labels(time, event, 6, competing="survived").y.tolist() == [0, 0, 1, -1]
    assert horizon_labels(time, event, 6, cause=2).y.tolist() == [1, 0, -1, -1]


@pytest.mark.parametrize(
    ("time", "event", "message"),
    [
        ([1, np.nan], [1, 0], "time is nan in row 1, and wrong in 1 rows"),
        ([1, -2], [1, 0], r"time is -2\.0 in row 1"),
        ([1, np.inf], [1, 0], "time is inf in row 1"),
        ([1, 2], [1, 0.5], r"event is 0\.5 in row 1.*write 0 for the end of follow-up"),
        ([1, 2], [1, np.nan], "event is nan in row 1"),
        ([1, 2], [1, -1], "event is -1 in row 1"),
        ([1, 2], [0, 0], "nobody has the event 1"),
        ([1, 2], [1], "time has 2 values and event 1"),
        (["1", "2"], [1, 0], "time holds <U1; give numbers"),
        ([[1, 2]], [1, 0], "time has 2 dimensions"),
    ],
)
def test_follow_up_that_is_none(time, event, message):
    with pytest.raises(InputError, match=message):
        horizon_labels(time, event, 6)


@pytest.mark.parametrize("horizon", [-1, np.nan, "6y", True])
def test_a_horizon_that_is_none(horizon):
    with pytest.raises(InputError, match="horizon is"):
        horizon_labels([1, 2], [1, 0], horizon)


# ----------------------------------------------------------------------------------- log-rank


def random_follow_up(seed, n_groups):
    chance = np.random.default_rng(seed)
    n = int(chance.integers(4, 60))
    group = chance.integers(0, n_groups, n)
    # Few different times: ties among events, and of events with censored times.
    time = np.ceil(chance.exponential(5, n) / (1 + 0.5 * group) * chance.choice([1, 20])) + 0.0
    event = chance.random(n) < chance.uniform(0.2, 1)
    return time, event, group


@pytest.mark.parametrize("seed", draws(100))
def test_the_log_rank_test_is_that_of_the_textbook(seed):
    time, event, group = random_follow_up(seed, 2)
    found = logrank(time, event, group)
    expected = two_sample_logrank(time.tolist(), event.tolist(), (group == 1).tolist())
    assert found.statistic == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", draws(100))
def test_the_log_rank_test_of_several_groups_is_that_of_lifelines(seed):
    time, event, group = random_follow_up(seed, 2 + seed % 4)
    found = logrank(time, event, group)
    if found.df < len(np.unique(group)) - 1:
        return  # lifelines counts groups that were never at risk with others
    expected = multivariate_logrank_test(time, group, event)
    assert found.statistic == pytest.approx(expected.test_statistic, rel=1e-6, abs=1e-9)
    assert found.p == pytest.approx(expected.p_value, rel=1e-6, abs=1e-12)


def test_nothing_to_compare():
    assert logrank(np.arange(3.0), np.zeros(3, bool), np.arange(3)).p == 1.0
    assert logrank(np.arange(3.0), np.ones(3, bool), np.zeros(3)).p == 1.0


# ------------------------------------------------------------------------------------- leaves


def test_leaves_against_lifelines_called_by_hand(rossi):
    data, tree, leaf = rossi
    covariates = data[["age", "prio"]]
    table = leaf_survival(
        tree, data[VARIABLES], data["week"], data["arrest"], covariates=covariates
    )
    assert table.index.tolist() == sorted(set(leaf)) and len(table) > 2
    assert table["n"].sum() == len(data) and table["events"].sum() == data["arrest"].sum()
    overall = multivariate_logrank_test(data["week"], leaf, data["arrest"])
    assert table.attrs["multivariate_logrank_p"] == pytest.approx(overall.p_value, rel=1e-9)
    for node, row in table.iterrows():
        inside = leaf == node
        T, E = data["week"], data["arrest"]
        km = KaplanMeierFitter().fit(T[inside], E[inside])
        assert row["median"] == km.median_survival_time_
        assert row["last_survival"] == km.survival_function_.iloc[-1, 0]
        low, high = km.confidence_interval_.iloc[-1]
        assert (row["last_survival_low"], row["last_survival_high"]) == (low, high)
        with_all = logrank_test(T[inside], T, E[inside], E)
        with_rest = logrank_test(T[inside], T[~inside], E[inside], E[~inside])
        assert row["logrank_p"] == pytest.approx(with_all.p_value, rel=1e-9)
        assert row["logrank_p_rest"] == pytest.approx(with_rest.p_value, rel=1e-9)
        assert row["cox_note"] == row["cox_note_adjusted"] == ""
        for suffix, frame in (("", pd.DataFrame(index=data.index)), ("_adjusted", covariates)):
            frame = frame.assign(leaf=inside.astype(float), T=T, E=E)
            cox = CoxPHFitter().fit(frame, "T", "E", fit_options=PRECISE)
            line = cox.summary.loc["leaf"]
            assert row[f"hazard_ratio{suffix}"] == pytest.approx(line["exp(coef)"], rel=1e-7)
            assert row[f"hazard_ratio_low{suffix}"] == pytest.approx(
                line["exp(coef) lower 95%"], rel=1e-7
            )
            assert row[f"cox_p{suffix}"] == pytest.approx(line["p"], rel=1e-7)


def test_quartiles_are_those_of_the_textbook():
    data = load_waltons()
    time, event = data["T"].tolist(), data["E"].tolist()
    leaf = (data["group"] == "miR-137").to_numpy().astype(int)
    table = leaf_survival(FixedGroups(leaf), data, time, event)
    for node, row in table.iterrows():
        own = leaf == node
        steps = kaplan_meier(data["T"][own].tolist(), data["E"][own].tolist())
        for name, level in (("q25", 0.75), ("median", 0.5), ("q75", 0.25)):
            assert row[name] == quantile(steps, level), name
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]


def all_with_the_event(n):
    """The row of one leaf in which n have the event, at 1, 2, ..., n."""
    return leaf_survival(FixedGroups([0] * n), None, np.arange(1, n + 1), [1] * n).iloc[0]


def test_a_quartile_at_which_the_curve_is_exactly():
    """It came an event later (day 474 for 465 in `colon`): .75 was .7500000000000001."""
    late = 0
    for n in range(4, 200, 4):
        found = all_with_the_event(n)[["q25", "median", "q75"]].tolist()
        assert found == [n / 4, n / 2, 3 * n / 4]
        curve = KaplanMeierFitter().fit(np.arange(1, n + 1)).survival_function_["KM_estimate"]
        late += (curve <= 0.75).idxmax() > n / 4
    assert late > 0


def test_a_quartile_has_no_upper_limit_where_only_the_end_of_the_curve_is_below():
    """It was the last time: that of lifelines, whose interval at 0 is from 0 to 0. R has none."""
    found = all_with_the_event(8)
    assert found[["q25_high", "median_high", "q75_high"]].tolist() == [5.0, 7.0, math.inf]
    alone = all_with_the_event(1)
    assert alone[["median_low", "median", "median_high"]].tolist() == [1.0, 1.0, math.inf]


def test_holm_is_over_the_leaves(rossi):
    data, tree, _ = rossi
    table = leaf_survival(tree, data[VARIABLES], data["week"], data["arrest"])
    raw = np.sort(table["logrank_p"].to_numpy())
    n = len(raw)
    expected = np.minimum(np.maximum.accumulate(raw * np.arange(n, 0, -1)), 1.0)
    assert np.sort(table["logrank_p_holm"]) == pytest.approx(expected)
    assert {"logrank_p_rest_holm", "cox_p_holm"} <= set(table)


# ---------------------------------------------------------------------------------- bad cases


def made(n=120, seed=0):
    chance = np.random.default_rng(seed)
    return chance, chance.exponential(5, n), chance.random(n) < 0.7


@pytest.mark.parametrize(
    ("change", "node", "word"),
    [
        (lambda leaf, event: event & (leaf != 2), 2, "no events"),
        (lambda leaf, event: event & (leaf == 2), 2, "all events"),
        (lambda leaf, event: event & (leaf == 2), 1, "no events"),
    ],
)
def test_leaves_without_events_have_a_word(change, node, word):
    chance, time, event = made()
    leaf = chance.integers(1, 4, len(time))
    table = leaf_survival(FixedGroups(leaf), None, time, change(leaf, event))
    row = table.loc[node]
    assert row["cox_note"] == word and math.isnan(row["hazard_ratio"]) and math.isnan(row["cox_p"])
    assert not math.isnan(row["logrank_p"])
    if word == "no events":
        assert row["median"] == math.inf and row["last_survival"] == 1.0


def test_a_tree_of_one_leaf():
    _, time, event = made()
    table = leaf_survival(FixedGroups(np.zeros(len(time), int)), None, time, event)
    assert table["cox_note"].tolist() == ["one group"]
    assert math.isnan(table.attrs["multivariate_logrank_p"])
    assert math.isnan(table["logrank_p_rest"].iloc[0])


@pytest.mark.parametrize(("ratio", "share"), [(12, 0.02), (12, 0.04), (20, 0.04), (30, 0.02)])
def test_a_small_leaf_with_a_high_hazard_has_its_ratio(ratio, share):
    """It was 'separated': the first step of lifelines went too far, and did not come back."""
    random, n = np.random.default_rng(0), 2000
    leaf = (np.arange(n) < n * share).astype(int)
    death = random.exponential(40.0 / np.where(leaf, ratio, 1))
    time, event = np.minimum(death, 14.0), (death <= 14.0).astype(int)
    found = leaf_survival(FixedGroups(leaf), None, time, event).loc[1]
    assert found["hazard_ratio"] == pytest.approx(ratio, rel=0.4)
    assert found["hazard_ratio_low"] > 5.0
    # By the score equation, from the counts at each event time.
    when = np.sort(time[event == 1])
    inside = np.array([((time >= t) & (leaf == 1)).sum() for t in when])
    outside = np.array([((time >= t) & (leaf == 0)).sum() for t in when])
    expected = inside * found["hazard_ratio"] / (inside * found["hazard_ratio"] + outside)
    assert expected.sum() == pytest.approx(event[leaf == 1].sum(), rel=1e-5)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_a_covariate_that_separates_has_a_word(scale):
    chance, time, _ = made()
    leaf = chance.integers(1, 3, len(time))
    z = chance.integers(0, 2, len(time))
    found = leaf_survival(
        FixedGroups(leaf), None, time, z == 0, covariates=pd.DataFrame({"z": z * scale})
    )
    assert found["cox_note_adjusted"].tolist() == ["separated"] * 2
    assert found["cox_note"].tolist() == [""] * 2
    sound = pd.DataFrame({"z": chance.random(len(time)) * scale})
    found = leaf_survival(FixedGroups(leaf), None, time, z == 0, covariates=sound)
    assert found["cox_note_adjusted"].tolist() == [""] * 2


def test_covariates_that_say_the_same_have_a_word():
    chance, time, event = made()
    leaf = chance.integers(1, 3, len(time))
    z = chance.random(len(time))
    found = leaf_survival(
        FixedGroups(leaf), None, time, event, covariates=pd.DataFrame({"z": z, "z2": 1 - z})
    )
    assert found["cox_note_adjusted"].tolist() == ["singular"] * 2
    constant = pd.DataFrame({"z": z, "one": 1.0})
    found = leaf_survival(FixedGroups(leaf), None, time, event, covariates=constant)
    assert found["cox_note_adjusted"].tolist() == [""] * 2


def test_more_covariates_than_events():
    chance, time, event = made(n=8)
    leaf = np.arange(8) % 2
    event[:] = True
    many = pd.DataFrame(chance.random((8, 9)))
    found = leaf_survival(FixedGroups(leaf), None, time, event, covariates=many)
    assert found["cox_note_adjusted"].tolist() == ["too few"] * 2


def test_categories_and_missing_covariates():
    chance, time, event = made()
    leaf = chance.integers(1, 3, len(time))
    covariates = pd.DataFrame(
        {
            "sex": pd.Categorical(chance.choice(["f", "m"], len(time))),
            "age": chance.integers(40, 90, len(time)).astype(float),
            "smokes": chance.random(len(time)) < 0.5,
        }
    )
    covariates.loc[:4, "sex"] = None
    covariates.loc[3:9, "age"] = np.nan
    found = leaf_survival(FixedGroups(leaf), None, time, event, covariates=covariates)
    assert found["n_adjusted"].tolist() == [len(time) - 10] * 2
    frame = pd.DataFrame(
        {"leaf": leaf == 2, "sex": covariates["sex"] == "m", "age": covariates["age"]}
    ).assign(smokes=covariates["smokes"], T=time, E=event)
    by_hand = CoxPHFitter().fit(frame[10:].astype(float), "T", "E")
    ratio = found.loc[2, "hazard_ratio_adjusted"]
    assert ratio == pytest.approx(by_hand.hazard_ratios_["leaf"], rel=1e-6)


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        (pd.DataFrame({"a": ["x"] * 120}), "covariate 'a' holds object; give numbers"),
        (pd.DataFrame({"a": [np.inf] * 120}), "covariate 'a' is infinite"),
        (pd.DataFrame({"leaf": [1.0] * 120}), "a covariate is called 'leaf'"),
        (pd.DataFrame({"a": [1.0]}), "covariates are no data frame of 120 rows"),
        (np.zeros((120, 1)), "covariates are no data frame of 120 rows"),
    ],
)
def test_covariates_that_are_none(covariates, message):
    _, time, event = made()
    with pytest.raises(InputError, match=message):
        leaf_survival(FixedGroups(np.zeros(120, int)), None, time, event, covariates=covariates)


def test_tied_causes_share_those_at_risk():
    """lifelines moves tied times apart by chance: .598 for R's .591 in a leaf of a cohort."""
    time, event = np.repeat([1.0, 2.0, 3.0], 4), np.array([1, 2, 2, 0, 1, 1, 2, 0, 1, 0, 0, 0])
    found = leaf_survival(FixedGroups(np.zeros(12, int)), None, time, event).iloc[0]
    by_hand = 1 / 12 + (9 / 12) * (2 / 8) + (9 / 12) * (5 / 8) * (1 / 4)
    assert found["incidence"] == pytest.approx(by_hand, rel=1e-12)
    assert found["incidence_low"] < by_hand < found["incidence_high"]


def test_an_incidence_without_an_interval():
    """All have the event, or nobody is left at risk after the last."""
    for event, expected in (([1, 2, 1], 2 / 3), ([2, 2, 1], 1 / 3)):
        found = leaf_survival(FixedGroups(np.zeros(3, int)), None, [1, 2, 3], event).iloc[0]
        assert found["incidence"] == pytest.approx(expected)
        assert math.isnan(found["incidence_low"]) and math.isnan(found["incidence_high"])
    apart = leaf_survival(FixedGroups([0, 0, 1]), None, [1, 2, 3], [1, 1, 2])
    assert apart["incidence"].tolist() == [1.0, 0.0] and apart["incidence_low"].isna().all()


def test_the_same_twice_and_with_a_tree_itself(rossi):
    data, tree, _ = rossi
    X = data[VARIABLES]
    one, two = (leaf_survival(t, X, data["week"], data["arrest"]) for t in (tree, tree))
    pd.testing.assert_frame_equal(one, two)
    other = leaf_survival(tree.tree_, X.to_numpy(float), data["week"], data["arrest"])
    pd.testing.assert_frame_equal(one, other)
