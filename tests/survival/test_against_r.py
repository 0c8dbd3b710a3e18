"""Survival in leaves against R's `survival`: numbers in reference.csv, the calls in reference.R.

They were made with R 4.2.2 and survival 3.5-3 by `python tests/survival/make_reference.py`.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest
from cohorts import cohorts

from hedgerow.survival import KnownLeaves, leaf_survival, logrank

REFERENCE = pd.read_csv(Path(__file__).with_name("reference.csv"))


@pytest.mark.parametrize("name", sorted(cohorts()))
def test_leaf_survival_is_what_r_says(name):
    cohort = cohorts()[name]
    table = leaf_survival(
        KnownLeaves(cohort.leaf), None, cohort.time, cohort.event, covariates=cohort.covariates
    )
    expected = REFERENCE[REFERENCE["cohort"] == name]
    assert len(expected) == 1 + 24 * len(table)
    for _, leaf, quantity, value in expected.itertuples(index=False):
        if leaf == 0:
            assert table.attrs[quantity] == pytest.approx(value, rel=1e-6)
            found = logrank(cohort.time, cohort.event == 1, cohort.leaf)
            assert found.p == pytest.approx(value, rel=1e-6)
            continue
        found = table.loc[leaf, quantity]
        if math.isnan(value):  # the curve does not fall so far, or has no interval where it ends
            assert math.isnan(found) if "last" in quantity else math.isinf(found), (leaf, quantity)
        else:
            assert found == pytest.approx(value, rel=1e-5, abs=1e-12), (leaf, quantity)
