"""The synthetic registry of aortic stenosis: what is printed of the private one, and the order."""

from __future__ import annotations

import csv
import dataclasses

import numpy as np
import pandas as pd
import pytest
from lifelines import KaplanMeierFitter
from made_up import ROOT

from hedgerow.data import check_table, fetch, tidy
from hedgerow.data.aortic_stenosis import (
    HAZARD_RATIOS,
    OUTCOMES,
    AorticStenosisPlan,
    _patients,
    aortic_stenosis,
    leaf_of,
    life_table,
)


@pytest.fixture(scope="module")
def entry(registry):
    return registry["synthetic_aortic_stenosis"]


def test_it_is_generated_as_registered_and_says_what_it_is(entry, tmp_path):
    table = tidy(entry, fetch(entry, tmp_path))
    check_table(table)
    assert table.fingerprint == entry.fingerprint and entry.note.startswith("Synthetic")
    assert table.classes == list(OUTCOMES) and len(table) == 2761


def test_what_the_thesis_prints_of_its_patients(entry):
    data = aortic_stenosis(entry.synthetic_plan)
    assert data["gender"].value_counts().to_dict() == {0.0: 1414, 1.0: 1347}
    assert data["age"].median() == 79 and data["age"].between(23, 100).all()
    with open(ROOT / "data/published/thesis_table_6_1.csv", newline="", encoding="utf-8") as file:
        printed = {row["criterion"] for row in csv.DictReader(file)}
    variables = data.drop(columns=["intervention", "years", "outcome"])
    assert variables.shape[1] == len(printed) == 39
    assert not variables[["gender", "age"]].isna().any(axis=None)
    assert 0.5 < variables["calcium_score"].isna().mean() < 0.7


def test_times_are_those_of_a_follow_up(entry):
    data = aortic_stenosis(entry.synthetic_plan)
    assert data["years"].between(0.001, entry.synthetic_plan.longest).all()
    operated = data["intervention"].dropna()
    assert 0.05 < len(operated) / len(data) < 0.9
    assert (operated < data.loc[operated.index, "years"]).all()
    assert set(data["outcome"]) == set(OUTCOMES)


def test_leaves_of_figure_6_1_by_hand():
    columns = ["ava", "vmax", "posterior_wall", "age", "serum_creatinine"]
    columns += ["arterial_hypertension", "mean_gradient", "stroke_volume"]
    rows = {
        1: [0.8, 300, 12, 80, 1, 1, 30, 70],
        2: [0.8, 400, 11, 80, 1, 1, 30, 70],
        3: [0.8, 400, 13, 80, 1, 1, 30, 70],
        4: [1.2, 300, 12, 60, 1, 1, 30, 70],
        5: [1.2, 300, 12, 80, 1, 0, 30, 70],
        6: [1.2, 300, 12, 80, 1, 1, 10, 60],
        7: [1.2, 300, 12, 80, 1, 1, 10, 70],
        8: [1.2, 300, 12, 80, 1, 1, 30, 70],
        9: [1.2, 300, 12, 60, 2, 1, 30, 70],
        10: [1.2, 300, 12, 90, 2, 1, 30, 70],
    }
    patients = pd.DataFrame(list(rows.values()), columns=columns)
    assert leaf_of(patients).tolist() == list(rows)


def test_hazards_keep_the_order_of_table_6_3(entry):
    """In many patients the natural history of each leaf has the hazard that was asked for."""
    from lifelines import CoxPHFitter

    plan = dataclasses.replace(entry.synthetic_plan, men=20_000, women=20_000, share_missing=0.0)
    data = aortic_stenosis(plan)
    leaf = leaf_of(_patients(plan, np.random.RandomState(plan.seed)))
    natural = data["intervention"].isna()
    frame = pd.DataFrame({"T": data["years"].where(natural, data["intervention"])})
    frame["E"] = natural & (data["outcome"] == OUTCOMES[1])
    for number in HAZARD_RATIOS:
        if number != 5:  # against the leaf whose hazard ratio is 1
            frame[f"leaf_{number}"] = (leaf == number).astype(float)
    found = CoxPHFitter().fit(frame, "T", "E").hazard_ratios_
    wanted = {f"leaf_{k}": v for k, v in HAZARD_RATIOS.items() if k != 5}
    for name, ratio in wanted.items():
        assert found[name] == pytest.approx(ratio, rel=0.25), name
    assert found[[f"leaf_{number}" for number in (4, 7, 8, 9, 10)]].is_monotonic_increasing


def test_an_intervention_helps_in_some_leaves_only(entry):
    from hedgerow.survival import FixedGroups, compare_groups

    plan = dataclasses.replace(entry.synthetic_plan, men=4_000, women=4_000)
    patients = _patients(plan, np.random.RandomState(plan.seed))
    data = aortic_stenosis(plan)
    table = compare_groups(
        FixedGroups(leaf_of(patients)),
        None,
        data["years"],
        data["outcome"].map({name: code for code, name in enumerate(OUTCOMES)}),
        data["intervention"],
        landmark=0.5,
    )
    assert (table.loc[[2, 3, 5], "hazard_ratio_high"] < 1).all()
    assert (table.loc[[1, 4, 6, 8, 9], "hazard_ratio_high"] > 1).all()


def test_other_seeds_are_other_patients():
    one, other = (
        aortic_stenosis(AorticStenosisPlan(50, 50, 9.3, 1.2, 17.9, 0.03, seed)) for seed in (1, 2)
    )
    assert not one.equals(other)
    assert one.equals(aortic_stenosis(AorticStenosisPlan(50, 50, 9.3, 1.2, 17.9, 0.03, 1)))


def test_the_life_table_is_the_mortality_that_the_generator_draws_from():
    """Deaths of other causes alone: hazards are drawn at exact ages, the table has whole years."""
    table = life_table()
    assert table.groupby("sex")["age"].agg(list).tolist() == [list(range(20, 111))] * 2
    n = 40_000
    plan = AorticStenosisPlan(n // 2, n // 2, 1e6, 1.2, 1e3, 0.0, 0)
    data = aortic_stenosis(plan)
    own = data[data["age"] == 80]
    rate = table[(table["age"].between(80, 84)) & (table["sex"] == 0)]["hazard"].sum()
    fitted = KaplanMeierFitter().fit(own["years"], own["outcome"] == "other death")
    assert fitted.predict(5.0) == pytest.approx(np.exp(-rate), abs=0.02)
