"""The risk at a horizon of patients who enter late, against R's survival.

R's answers are `entry.csv` of tests/learner/survival, whose other quantities are tested there.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from survival.cohorts import TIMES, late

from hedgerow_clinic.risks import risk_by

ENTRY = pd.read_csv(Path(__file__).parents[1] / "learner/survival/entry.csv")


@pytest.mark.parametrize("name", sorted(late()))
def test_risks_of_patients_who_enter_late_are_what_r_says(name):
    time, event, leaf, covariates = late()[name]
    entry, horizon = covariates["entry"].to_numpy(), TIMES[name][1]
    expected = ENTRY[(ENTRY["cohort"] == name) & ENTRY["name"].str.startswith("risk")]
    expected = expected.set_index(["leaf", "name"])["value"].to_dict()
    found = {}
    for node in sorted({node for node, _ in expected}):
        inside = leaf == node
        for quantity, codes in (("risk", event == 1), ("risk_of_cause", event)):
            followed = (time[inside], codes[inside].astype(int), horizon)
            share, low, high = risk_by(*followed, entry=entry[inside], min_followed=0.0)
            found |= {(node, quantity): share}
            found |= {(node, f"{quantity}_low"): low, (node, f"{quantity}_high"): high}
    assert found == pytest.approx(expected, rel=1e-6, abs=0.0, nan_ok=True)
