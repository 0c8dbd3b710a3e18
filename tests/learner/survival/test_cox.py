"""Cox models of an indicator: against lifelines, and against the formulas of the textbook."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from cohorts import PRECISE, cohorts
from effort import draws
from lifelines import CoxPHFitter
from oracle.survival import efron_likelihood, proportional
from scipy.stats import chi2

from hedgerow.survival.cox import NAMES, cox

#: What lifelines gives as well. Its test of proportional hazards is the approximate one.
OF_LIFELINES = [name for name in NAMES if name != "ph_p"]


def by_lifelines(frame: pd.DataFrame, of: str, time, died) -> dict[str, float]:
    """What `cox` gives, by lifelines."""
    data = frame.astype(float).assign(T=time, E=died)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CoxPHFitter().fit(data, "T", "E", fit_options=PRECISE)
    line = model.summary.loc[of]
    low, high = line.filter(regex=r"^exp\(coef\) (lower|upper)")
    return dict(zip(OF_LIFELINES, (line["exp(coef)"], low, high, line["p"]), strict=True))


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
            for name in OF_LIFELINES:
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
    for name in OF_LIFELINES:
        assert found[name] == pytest.approx(expected[name], rel=1e-7), name


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


@pytest.mark.parametrize("seed", draws(50))
def test_proportional_hazards_are_tested_by_the_score(seed):
    """Sums written out over events and patients in tests/oracle, by ranks of all times."""
    random = np.random.default_rng(seed)
    n, p = int(random.integers(20, 40)), seed % 3
    X = pd.DataFrame(random.normal(size=(n, p)), columns=[f"x{i}" for i in range(p)])
    X.insert(seed % (p + 1), "leaf", random.permutation(np.arange(n) % 2).astype(float))
    time = np.ceil(random.exponential(4.0 + 3.0 * X["leaf"]) * random.choice([1, 3, 1000]))
    died = random.random(n) < random.uniform(0.5, 1.0)
    found = cox(X, "leaf", time, died, 0.95)
    assert found["cox_note"] == ""
    expected = proportional(X.to_numpy().tolist(), time, died, X.columns.get_loc("leaf"))
    assert found["ph_p"] == pytest.approx(chi2.sf(expected, 1), rel=1e-6, abs=1e-12)


def test_proportional_hazards_where_nothing_can_be_tested():
    """All events at one time, or all others after those at risk are alike: no p, and a ratio."""
    leaf = np.arange(20) % 2 == 0
    one_time = cox(pd.DataFrame({"leaf": leaf}), "leaf", np.full(20, 3.0), np.arange(20) < 7, 0.95)
    time, died = np.where(np.arange(20) < 15, 1.0, 2.0), np.isin(np.arange(20), (0, 1, 2, 17, 19))
    later = cox(pd.DataFrame({"leaf": leaf & (time < 2)}), "leaf", time, died, 0.95)
    for found in (one_time, later):
        assert found["cox_note"] == "" and np.isfinite(found["hazard_ratio"])
        assert np.isnan(found["ph_p"])
