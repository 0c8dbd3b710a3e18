"""Statements E2M-01 to E2M-05 of Sutton-Charani and others: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from hedgerow_study.experiments.evidential.plan import CART, EvidentialPlan
from hedgerow_study.experiments.evidential.tables import LABELS
from hedgerow_study.experiments.step import step
from hedgerow_study.reporting.claims import judged

#: Repeats below which a paired t test is no evidence; the paper has 100.
FEWEST_TESTS = 10


@step("datasets")
def claims(
    rows: pd.DataFrame,
    tests: pd.DataFrame,
    curve: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
    plan: EvidentialPlan,
) -> pd.DataFrame:
    """Judge statements E2M-01 to E2M-05 of data/published/claims.csv."""
    # A second interpretation of a data set stands beside the first and in no verdict.
    first = {names[0] for names in plan.printed.values() if names}
    first_tests = tests[tests["dataset"].isin(first)] if first else tests

    def frames(left_out: str = "") -> dict[str, pd.DataFrame]:
        return frames_of(rows, first_tests[first_tests["dataset"] != left_out], curve)

    names = first_tests["dataset"].unique()
    return judged("evidential", frames(), specification, statements, names, frames, LABELS)


def frames_of(
    rows: pd.DataFrame, tests: pd.DataFrame, curve: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """What the judge reads of some data sets: `tests`, `unfailed` and `curve`."""
    tests = tests.assign(
        difference=pd.to_numeric(tests["difference"]).round(9),
        p=pd.to_numeric(tests["p"]).where(tests["n"] >= FEWEST_TESTS),
        n_sets=tests["dataset"].nunique(),
    )
    outwards = (curve["estimate"] - curve["precise"]) * np.sign(curve["precise"] - 0.5)
    apart = (curve["estimate"] - curve["expected"]).abs()
    return {
        "tests": tests,
        "unfailed": _without_failures(rows, tests),
        "curve": curve.assign(apart=apart, outwards=outwards.round(9)),
    }


def _without_failures(rows: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Tests by data set and state (`cell`), and whether CART has ever `failed` there."""
    failed = rows[(rows["metric"] == "failure") & (rows["method"] == CART)]
    share = failed.groupby(["dataset", "state"])["value"].mean()
    cells = tests[["dataset", "state"]].itertuples(index=False, name=None)
    ever = ["no" if share.get(cell, 1.0) == 0.0 else "yes" for cell in cells]
    return tests.assign(cell=tests["state"] + " " + tests["dataset"], failed=ever)
