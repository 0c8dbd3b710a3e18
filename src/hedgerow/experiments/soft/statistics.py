"""Statistics of experiments 1 and 2 of the thesis."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from hedgerow.evaluation import metrics, significance
from hedgerow.experiments.frames import sorted_
from hedgerow.experiments.soft.plan import (
    CELL,
    COMBINED,
    EXPERIMENTS,
    PRINTED,
    RECIPES,
    TABLE_3_1,
    SoftPlan,
)
from hedgerow.experiments.step import step

# -------------------------------------------------------------------------------- statistics


def of_table_3_1(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Rows of the plan's methods on the sets of table 3.1, or on all sets where there is none."""
    rows = rows[rows["method"].isin(plan.methods)].sort_values([*CELL, "metric"])
    members = rows[rows["dataset"].isin(set(TABLE_3_1.values()))]
    return members if len(members) else rows


@step("methods", "noise_factors")
def statistics(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of every cell of tables 3.4 and 3.5 against C4.5.

    The standardised metric of each method is tested against that of C4.5 at the same noise factor
    of the same experiment, over the data sets of table 3.1 that have rows. Two pairings stand
    side by side: `datasets` pairs the means over permutations, one pair per data set, and is the
    paper's; `permutations` takes every permutation of every data set as a pair, which has more
    power and treats permutations of one data set as independent, which they are not. Each is given
    plain and Holm-corrected over the cells of its table: one experiment, and the printed methods
    apart from the combinations of our own.

    The number of leaves of SE and PLT is that of C4.5 by construction; these cells are tested
    (p = 1) but do not belong to the family that Holm's procedure corrects for.

    Returns: experiment, metric, method, noise, pairing, then the attributes of `TestResult`; two
    rows per cell and pairing, correction `none` and `holm`. `statistic`, `p` are NaN where no data
    set of table 3.1 can be standardised.
    """
    rows = sorted_(rows[rows["dataset"].isin(set(TABLE_3_1.values()))], [*CELL, "metric"])
    frames = []
    for experiment in EXPERIMENTS:
        for pairing, group in itertools.product(
            ("datasets", "permutations"), (PRINTED[1:], COMBINED)
        ):
            cells, results = [], []
            for metric in ("n_leaves", "accuracy"):
                paired = _in_units_of_baseline(rows, experiment, metric)
                if pairing == "datasets":
                    paired = paired.groupby(level=["noise", "dataset"]).mean()
                for method in (m for m in plan.methods if m in group):
                    for n in plan.noise_factors:
                        cells.append((experiment, f"{metric}_std", method, n, pairing))
                        results.append(_against_c45(paired, method, n))
            if cells or not frames:
                frames.append(_with_holm(cells, results))
    frame = pd.concat(frames)
    return sorted_(frame, ["experiment", "metric", "method", "noise", "pairing", "correction"])


def _in_units_of_baseline(rows: pd.DataFrame, experiment: str, metric: str) -> pd.DataFrame:
    """Values over the baseline's standard deviation; columns are methods.

    The baseline's mean cancels in differences between methods. It is left in, because it keeps
    values away from 0, where rounding could not be told from a real difference.
    """
    unit, _ = metrics.baseline(rows, metric)
    cells = rows[
        (rows["experiment"] == experiment)
        & (rows["metric"] == metric)
        & rows["dataset"].isin(unit.index)
    ]
    cells = cells.assign(value=cells["value"] / cells["dataset"].map(unit["std"]))
    return cells.pivot(
        index=["noise", "dataset", "permutation"], columns="method", values="value"
    ).sort_index()


def _against_c45(paired: pd.DataFrame, method: str, n: float) -> significance.TestResult:
    groups = (method, "c45")
    at_level = paired[paired.index.get_level_values("noise") == n]
    if at_level.empty:
        note = "no data set of table 3.1 can be standardised"
        return significance.TestResult("wilcoxon_signed_rank", np.nan, np.nan, 0, groups, note=note)
    return significance.wilcoxon(at_level[method].to_numpy(), at_level["c45"].to_numpy(), groups)


def _with_holm(cells: list, results: list) -> pd.DataFrame:
    """Plain and corrected results of one table, keyed by cell."""
    family = [
        i
        for i, (cell, result) in enumerate(zip(cells, results, strict=True))
        if not (cell[1] == "n_leaves_std" and RECIPES[cell[2]].learner == "c45") and result.n > 0
    ]
    columns = ["experiment", "metric", "method", "noise", "pairing"]
    keys = pd.DataFrame(cells, columns=columns)
    return significance.plain_and_holm(keys, results, family)
