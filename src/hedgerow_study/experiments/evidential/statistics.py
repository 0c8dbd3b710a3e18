"""Tests over the repeats of each data set, and the curve of figure 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from hedgerow_study.experiments.evidential.plan import (
    CART,
    E2M,
    ERRORS,
    N_DRAWN,
    ORDER,
    PRECISE,
    STATES,
    UNCERTAINTIES,
    EvidentialPlan,
)
from hedgerow_study.experiments.frames import concat_or_empty, ordered
from hedgerow_study.experiments.step import step

TESTED = ("difference", "statistic", "p", "n")


def closed_form(precise: float, gamma: float) -> float:
    """Evidential error rate where a share is wrong and every class is in doubt by gamma < 1.

    The maximum of equation 5 for n p factors (1 - e) gamma + e and n (1 - p) factors
    (1 - e) + e gamma, in [0, 1].

    >>> closed_form(0.4, 0.5), closed_form(0.6, 0.5), closed_form(0.4, 0.0)
    (0.2, 0.8, 0.4)
    """
    rate = (precise - (1.0 - precise) * gamma) / (1.0 - gamma)
    return round(min(max(rate, 0.0), 1.0), 12)


def curve_of_figure_1() -> pd.DataFrame:
    """The evidential error rate against the uncertainty (section 3, figure 1).

    Returns: precise (error rate of certain classes), gamma, estimate (of `evidential_error_rate` on
    100 instances of two classes), expected (its closed form).
    """
    from hedgerow.evidential.error import evidential_error_rate

    rows = []
    for precise in PRECISE:
        predictions = (np.arange(N_DRAWN) < round(N_DRAWN * precise)).astype(int)
        for gamma in UNCERTAINTIES:
            plausibility = np.full((N_DRAWN, 2), gamma)
            plausibility[:, 0] = 1.0
            estimate = evidential_error_rate(plausibility, predictions)
            rows.append((precise, gamma, estimate, closed_form(precise, gamma)))
    return ordered(rows, ORDER["curve"], "estimate", "expected")


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """Paired t tests over the repeats of each data set.

    Returns: part, dataset, state, metric, difference, statistic, p, n (repeats). By part: -
    `method`: CART less E2M, of each error rate and the number of leaves, in each state; -
    `pruning`: E2M before pruning less E2M after it; the state is empty. Above 0 favours E2M, or
    pruning. p is NaN where repeats are fewer than two; 1 where all differences are 0.
    """
    wide = rows.pivot_table(
        index=["dataset", "repeat"], columns=["metric", "method", "state"], values="value"
    )
    lines = []
    for name, group in wide.groupby(level="dataset"):
        for metric in (*ERRORS, "n_leaves"):
            for state in STATES:
                pair = group[metric, CART, state] - group[metric, E2M, state]
                lines.append(("method", name, state, metric, *_paired(pair.dropna())))
            pair = group[metric, E2M, STATES[0]] - group[metric, E2M, STATES[1]]
            lines.append(("pruning", name, "", metric, *_paired(pair.dropna())))
    return ordered(lines, ORDER["tests"], *TESTED)


def _paired(differences: pd.Series) -> tuple[float, float, float, int]:
    """Mean, t, p and number of paired differences."""
    from scipy import stats

    values, n = differences.to_numpy(), len(differences)
    mean = float(values.mean()) if n else float("nan")
    if n < 2:
        return mean, float("nan"), float("nan"), n
    if np.ptp(values) <= 1e-12:
        # All alike: no difference from 0, or a certain one.
        return mean, float("nan"), float(abs(mean) <= 1e-12), n
    test = stats.ttest_1samp(values, 0.0)
    return mean, float(test.statistic), float(test.pvalue), n


@step("datasets", outputs=("rows", "sizes", "tests", "curve"))
def merged(
    rows: Sequence[pd.DataFrame], sizes: Sequence[pd.DataFrame], plan: EvidentialPlan
) -> dict[str, pd.DataFrame]:
    """Rows and sizes of all chunks and data sets, their tests, and the curve of figure 1."""
    whole = concat_or_empty(rows, ORDER["rows"], ["value"])
    tests = statistics(whole) if len(whole) else ordered([], ORDER["tests"], *TESTED)
    all_sizes = concat_or_empty(sizes, ORDER["sizes"], ["n_leaves"])
    return {"rows": whole, "sizes": all_sizes, "tests": tests, "curve": curve_of_figure_1()}
