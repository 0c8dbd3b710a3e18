"""Treated against untreated, adjusted and weighted: by hand, made-up reasons, and bad cases."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from hedgerow.errors import InputError
from hedgerow.survival import FixedGroups, compare_groups, propensity_weights
from hedgerow.survival.cox import cox, interaction


def test_the_scale_of_weights_and_patients_without_one_tell_nothing():
    random = np.random.default_rng(0)
    time, died, inside = random.exponential(1, 100), random.random(100) < 0.8, np.arange(100) < 50
    weights = random.uniform(0.1, 3.0, 100)
    frame = pd.DataFrame({"leaf": inside})
    one = cox(frame, "leaf", time, died, 0.95, weights=weights)
    other = cox(frame, "leaf", time, died, 0.95, weights=1e6 * weights)
    for name in ("hazard_ratio", "hazard_ratio_low", "cox_p"):
        assert other[name] == pytest.approx(one[name], rel=1e-9)
    weights[::7], weights[1::7] = 0.0, np.nan
    kept = weights > 0.0
    one = cox(frame, "leaf", time, died, 0.95, weights=weights)
    other = cox(frame[kept], "leaf", time[kept], died[kept], 0.95, weights=weights[kept])
    assert one == other


def reasons(n=3000, seed=0):
    """Two leaves; the sick are treated more often and die faster; the treatment halves hazards."""
    random = np.random.default_rng(seed)
    leaf, sick = random.integers(1, 3, n), random.normal(0, 1, n)
    treated = random.random(n) < 1 / (1 + np.exp(-1.5 * sick))
    death = random.exponential(np.exp(-1.2 * sick + math.log(2.0) * treated))
    end = random.uniform(1, 6, n)
    when = np.where(treated, 0.0, np.nan)
    covariates = pd.DataFrame({"sick": sick, "age": random.normal(60, 9, n)})
    return leaf, np.minimum(death, end), death <= end, when, covariates


def test_the_sick_are_treated_and_the_treatment_looks_harmful():
    """The ratio within patients who are alike is .5; among all who differ it is nearer to 1."""
    leaf, time, event, when, covariates = reasons()
    found = compare_groups(
        FixedGroups(leaf),
        None,
        time,
        event,
        when,
        landmark=0.0,
        counted_from="inclusion",
        covariates=covariates,
        weights="overlap",
    )
    assert (found["hazard_ratio"] > 1.0).all()
    assert found["hazard_ratio_adjusted"].to_numpy() == pytest.approx(0.5, abs=0.07)
    assert (found["hazard_ratio_high_weighted"] < 0.8).all()
    assert (found["n_adjusted"] == found["n"]).all() and (found["n_weighted"] == found["n"]).all()
    assert (found["largest_difference"] > 0.9).all()
    # Over all patients the means are equal; in a leaf they nearly are.
    assert (found["largest_difference_weighted"] < 0.15).all()
    assert {"cox_p_adjusted_holm", "cox_p_weighted_holm"} <= set(found)
    assert max(abs(row["difference_weighted"]) for row in found.attrs["balance"]) < 1e-9
    assert found.attrs["interaction_df"] == found.attrs["interaction_df_adjusted"] == 1
    assert found.attrs["interaction_p_adjusted"] > 0.05


def test_an_effect_that_differs_between_leaves():
    random = np.random.default_rng(1)
    leaf, treated = random.integers(1, 4, 900), random.random(900) < 0.5
    time = random.exponential(np.where(treated & (leaf == 2), 3.0, 1.0))
    found = interaction(leaf, treated, time, np.ones(900, bool))
    assert found.df == 2 and found.p < 1e-6
    same = interaction(leaf, treated, random.exponential(1.0, 900), np.ones(900, bool))
    assert same.df == 2 and same.p > 0.01


def test_interaction_where_no_event_comes_to_one_side():
    """The likelihood grows to a limit as a coefficient falls; R comes near it by many steps.

    R 4.2.2, survival 3.5-3: 2 * (b$loglik[2] - a$loglik[2]) for a <- coxph(Surv(time, event) ~
    treated + factor(leaf)) and b of treated * factor(leaf), with iter.max = 40 and eps = 1e-13.
    """
    n = np.arange(120)
    leaf, treated, time = n % 3, n * 7 % 11 < 5, (n * 37 % 101 + 1).astype(float)
    died = (n * 13 % 17 < 12) & ~((leaf == 1) & treated)
    found = interaction(leaf, treated, time, died)
    assert found.df == 2 and found.statistic == pytest.approx(16.4375534881, rel=1e-8)
    # A leaf without events says nothing, nor does a single leaf with both groups.
    more = interaction(
        np.append(leaf, [5] * 40),
        np.append(treated, np.arange(40) % 2 == 0),
        np.append(time, np.arange(40.0)),
        np.append(died, np.zeros(40, bool)),
    )
    assert more == found
    none = interaction(leaf, treated & (leaf == 1), time, died)
    assert none.df == 0 and math.isnan(none.p)


def test_patients_without_a_covariate_have_no_weight():
    *_, when, covariates = reasons(200)
    treated = np.isfinite(when)
    covariates.loc[3, "age"] = np.nan
    made = propensity_weights(treated, covariates)
    assert np.isnan(made.weights[3]) and np.isnan(made.propensity[3])
    assert np.isfinite(np.delete(made.weights, 3)).all()
    others = propensity_weights(np.delete(treated, 3), covariates.drop(index=3))
    assert others.weights == pytest.approx(np.delete(made.weights, 3))


def test_covariates_that_say_the_same_or_nothing():
    *_, when, covariates = reasons(200)
    treated = np.isfinite(when).astype(int)
    plain = propensity_weights(treated, covariates, kind="ate")
    more = covariates.assign(again=2 * covariates["age"], one=7.0)
    made = propensity_weights(treated, more, kind="ate")
    assert made.weights == pytest.approx(plain.weights, rel=1e-9)
    assert math.isnan(made.balance.loc["one", "difference"])
    # Stabilised: the weights of each group add up to about its number.
    assert plain.weights[treated == 1].sum() == pytest.approx(treated.sum(), rel=0.15)
    assert abs(plain.balance.loc["sick", "difference"]) > 1.0
    assert abs(plain.balance.loc["sick", "difference_weighted"]) < 0.4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"treated": [2] * 200}, r"treated holds int64 in shape \(200,\), and not 0 and 1 only"),
        ({"treated": [1] * 200}, "all 200 patients without a missing covariate are treated"),
        ({"kind": "match"}, "kind is 'match'; choose one of"),
        ({"covariates": pd.DataFrame({"a": [np.nan] * 200})}, "every patient misses a covariate"),
        ({"covariates": pd.DataFrame({"a": range(200)})}, "tell treated from untreated patients"),
        ({"covariates": pd.DataFrame({"a": ["x"] * 200})}, "covariate 'a' holds"),
    ],
)
def test_bad_propensities(change, message):
    given = {"treated": np.arange(200) < 90, "covariates": reasons(200)[-1], **change}
    with pytest.raises(InputError, match=message):
        propensity_weights(**given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": "overlap"}, "weights is 'overlap' and there are no covariates"),
        ({"weights": "match"}, "weights is 'match'; choose one of"),
        ({"weights": [1.0]}, r"weights holds float64 in shape \(1,\); give 200 numbers"),
        ({"weights": [-1.0] * 200}, "weights is -1 in row 0"),
        ({"covariates": pd.DataFrame({"treated": range(200)})}, "a covariate is called 'treated'"),
    ],
)
def test_bad_weights(change, message):
    leaf, time, event, when, _ = reasons(200)
    with pytest.raises(InputError, match=message):
        compare_groups(FixedGroups(leaf), None, time, event, when, landmark=0.0, **change)
