"""What holds of risk groups for the next patient: the rules, and what they do on synthetic ones."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from cohorts import cohorts
from lifelines import KaplanMeierFitter
from oracle.survival import optimism, plus_rule

from hedgerow.errors import InputError
from hedgerow.survival import bootstrap_validation, risk_groups, thesis_tree
from hedgerow.survival.estimates import incidence, risk_at
from hedgerow.survival.validation import _between, _of_errors

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def next_patient():
    sys.path.insert(0, str(BENCHMARKS))
    import next_patient

    return next_patient


@pytest.mark.parametrize("seed", range(20))
def test_rules_are_those_of_a_plain_twin(seed):
    random = np.random.default_rng(seed)
    errors = np.column_stack(
        [random.normal(0.6, 1.5, 60), random.uniform(0.5, 3.0, 60), random.normal(0.1, 0.9, 60)]
    )
    assert _of_errors(errors) == pytest.approx(optimism(errors.tolist()), rel=1e-12)
    apparent, outside = random.uniform(0.4, 0.9, 2)
    assert _between(apparent, outside) == pytest.approx(plus_rule(apparent, outside), rel=1e-12)


def test_too_few_groups_tell_nothing():
    assert all(map(math.isnan, _of_errors(np.ones((19, 3)))))
    assert math.isnan(_between(0.7, math.nan))


@pytest.mark.parametrize("name", ["gbsg2", "lung"])
def test_risks_are_those_of_the_libraries(name):
    time, event = cohorts()[name][:2]
    horizon = float(np.median(time))
    share, error = risk_at(time, event, horizon)
    fitted = KaplanMeierFitter().fit(time, event == 1)
    assert share == pytest.approx(1.0 - fitted.predict(horizon), rel=1e-12)
    low, high = fitted.confidence_interval_survival_function_.loc[:horizon].iloc[-1]
    cloglog = math.log(-math.log1p(-share))
    ends = [math.exp(-math.exp(cloglog + s * 1.959963984540054 * error)) for s in (1, -1)]
    assert ends == pytest.approx([low, high], rel=1e-9)
    other = np.where((event == 1) & (np.arange(len(time)) % 3 == 0), 2, event)
    until, codes = np.minimum(time, horizon), np.where(time <= horizon, other, 0)
    assert risk_at(time, other, horizon)[0] == pytest.approx(
        incidence(until, codes, 1, 0.95)["incidence"], rel=1e-12
    )


@pytest.mark.parametrize(
    ("time", "event", "share"),
    [
        ([], [], math.nan),
        ([1.0, 2.0], [1, 0], math.nan),  # nobody is followed to 5
        ([1.0, 2.0], [1, 1], 1.0),
        ([1.0, 6.0], [2, 0], 0.0),
    ],
)
def test_risks_at_the_edge_have_no_error(time, event, share):
    found = risk_at(np.array(time, dtype=float), np.array(event, dtype=int), 5.0)
    assert found[0] == pytest.approx(share, nan_ok=True) and math.isnan(found[1])


def test_the_seed_decides_and_groups_move_towards_their_parents(next_patient):
    x, time, event = next_patient.patients("a tree", 400, np.random.default_rng(1))
    groups = risk_groups(x, time, event, horizon=5.0, random_state=1)
    one, again, other = (
        bootstrap_validation(
            groups, x, time, event, horizon=5.0, n_bootstraps=30, random_state=seed
        )
        for seed in (7, 7, 8)
    )
    assert one.risks.equals(again.risks) and one[1:] == again[1:]
    assert not one.risks.equals(other.risks)
    assert one.low < one.concordance < one.high
    assert ((one.risks["risk_low"] < one.risks["risk"]) & one.finds).all()
    # Towards the parent: the largest falls and the smallest rises.
    ordered = one.risks.sort_values("apparent")
    assert ordered["risk"].iloc[0] > ordered["apparent"].iloc[0]
    assert ordered["risk"].iloc[-1] < ordered["apparent"].iloc[-1]


def test_intervals_hold_the_risk_of_new_patients(next_patient):
    """Of 30 synthetic cohorts; those of all patients hold it in two thirds of the groups."""
    found = [
        next_patient.one(source, seed, n=300, n_bootstraps=30)
        for source in ("nothing", "a tree")
        for seed in range(15)
    ]
    groups = sum(own["groups"] for own in found)
    assert sum(own["corrected"] for own in found) >= 0.88 * groups
    assert sum(own["all_patients"] for own in found) <= 0.85 * groups
    assert sum(own["finds"] for own in found[:15]) <= 2
    assert sum(own["finds"] for own in found[15:]) >= 13


def test_stored_numbers_of_the_simulation():
    """What `python benchmarks/next_patient.py` gave; the issue asks for 93 to 97 %."""
    with (BENCHMARKS / "next_patient.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 and all(row["source"].startswith("synthetic: ") for row in rows)
    for row in rows:
        assert 0.93 <= float(row["coverage_corrected"]) <= 0.97
        assert float(row["coverage_all_patients"]) < 0.82
        assert float(row["rmse_corrected"]) < 0.7 * float(row["rmse_all_patients"])
        assert float(row["rmse_concordance"]) < 0.7 * float(row["rmse_test_part"])
        assert float(row["coverage_concordance"]) >= 0.93
    assert float(rows[0]["finds"]) <= 0.05 and min(float(row["finds"]) for row in rows[1:]) > 0.95


def test_a_tree_without_a_test_finds_nothing(next_patient):
    """Other trees of the bootstraps may: they are not this one."""
    x, time, event = next_patient.patients("a tree", 400, np.random.default_rng(1))
    groups = risk_groups(x, time, event, horizon=5.0, estimator=thesis_tree(max_depth=0))
    found = bootstrap_validation(
        groups, x, time, event, horizon=5.0, n_bootstraps=5, estimator=thesis_tree(max_depth=0)
    )
    assert (found.low, found.concordance, found.high) == (0.5, 0.5, 0.5) and not found.finds
    assert found.risks["risk"].iloc[0] == pytest.approx(found.risks["apparent"].iloc[0])


def test_patients_of_another_cohort_are_refused(next_patient):
    x, time, event = next_patient.patients("a tree", 200, np.random.default_rng(1))
    groups = risk_groups(x, time, event, horizon=5.0, random_state=1)
    with pytest.raises(InputError, match="groups are of 200 patients and time of 100"):
        bootstrap_validation(groups, x[:100], time[:100], event[:100], horizon=5.0)
    with pytest.raises(InputError, match="n_bootstraps"):
        bootstrap_validation(groups, x, time, event, horizon=5.0, n_bootstraps=0)
