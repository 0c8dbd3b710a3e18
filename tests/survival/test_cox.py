"""Cox models of an indicator: against lifelines, and against the likelihood of the textbook."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from cohorts import PRECISE, average_ranks, cohorts
from lifelines import CoxPHFitter
from lifelines.statistics import proportional_hazard_test
from oracle.survival import efron_likelihood

from hedgerow.survival.cox import NAMES, cox


def by_lifelines(frame: pd.DataFrame, of: str, time, died) -> dict[str, float]:
    """What `cox` gives, by lifelines."""
    data = frame.astype(float).assign(T=time, E=died)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CoxPHFitter().fit(data, "T", "E", fit_options=PRECISE)
        tested = proportional_hazard_test(model, data, time_transform=average_ranks)
    line = model.summary.loc[of]
    low, high = line.filter(regex=r"^exp\(coef\) (lower|upper)")
    values = (line["exp(coef)"], low, high, line["p"], tested.summary.loc[of, "p"])
    return dict(zip(NAMES, values, strict=True))


@pytest.mark.parametrize("name", sorted(cohorts()))
def test_tied_times_as_lifelines_has_them(name):
    cohort = cohorts()[name]
    died = cohort.event == 1
    covariates = cohort.covariates.astype(float)
    for node in np.unique(cohort.leaf):
        for frame in (pd.DataFrame(index=covariates.index), covariates):
            frame = frame.assign(leaf=(cohort.leaf == node).astype(float))
            found = cox(frame, "leaf", cohort.time, died, 0.95)
            expected = by_lifelines(frame, "leaf", cohort.time, died)
            for name in NAMES:
                assert found[name] == pytest.approx(expected[name], rel=1e-7, abs=1e-12), name


def untied(n=400, seed=7):
    """An indicator and two covariates, one of them far from 0; times without ties."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"leaf": random.random(n) < 0.3, "age": random.normal(60, 9, n)}).astype(float)
    X["far"] = random.exponential(1e5, n)
    risk = np.exp(0.8 * X["leaf"] + 0.05 * (X["age"] - 60)).to_numpy()
    return X, random.exponential(1.0 / risk), random.random(n) < 0.7


def test_without_ties_to_seven_digits():
    X, time, died = untied()
    found, expected = cox(X, "leaf", time, died, 0.95), by_lifelines(X, "leaf", time, died)
    for name in NAMES:
        assert found[name] == pytest.approx(expected[name], rel=1e-7), name


def test_the_order_of_rows_tells_nothing():
    """Times in tenths: hundreds of ties, whose ranks must not be those of the rows."""
    X, time, died = untied()
    time = np.ceil(10.0 * time)
    again = np.random.default_rng(1).permutation(len(time))
    one = cox(X, "leaf", time, died, 0.95)
    other = cox(X.iloc[again], "leaf", time[again], died[again], 0.95)
    for name in NAMES:
        assert one[name] == pytest.approx(other[name], rel=1e-9), name


@pytest.mark.parametrize("seed", range(5))
def test_the_likelihood_of_the_textbook_is_largest_there(seed):
    """Efron's likelihood in plain Python: no slope at the ratio, and its curvature is the error."""
    random = np.random.default_rng(seed)
    n = 40
    time = random.integers(1, 12, n).astype(float)
    died, inside = random.random(n) < 0.7, random.random(n) < 0.4
    found = cox(pd.DataFrame({"leaf": inside}), "leaf", time, died, 0.95)
    beta, step = np.log(found["hazard_ratio"]), 1e-4
    below, at, above = (
        efron_likelihood(inside.astype(float), time, died, b)
        for b in (beta - step, beta, beta + step)
    )
    assert abs(above - below) / (2 * step) < 1e-4
    error = 1.0 / np.sqrt((2 * at - above - below) / step**2)
    width = np.log(found["hazard_ratio_high"]) - np.log(found["hazard_ratio_low"])
    assert width == pytest.approx(2 * 1.959964 * error, rel=1e-4)


def test_words_where_there_is_no_model():
    time, died = np.arange(1.0, 41.0), np.arange(40) % 2 == 0
    leaf = np.arange(40) < 20

    def note(inside, died=died, **more):
        frame = pd.DataFrame({"leaf": inside, **more}).astype(float)
        return cox(frame, "leaf", time, died, 0.95)["cox_note"]

    assert note(np.zeros(40, bool)) == "one group"
    assert note(leaf, died & ~leaf) == "no events"
    assert note(leaf, died & leaf) == "all events"
    mixed = np.arange(40) % 3 == 0
    assert note(mixed, died, sick=died) == "separated"
    assert note(leaf, died, again=leaf) == "singular"
    assert note(leaf, (time == 1) | (time == 40), age=time % 7) == "too few"
