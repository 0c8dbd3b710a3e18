"""Significance tests with one type of result, which tables, bold type and claims read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hedgerow.errors import InputError


@dataclass(frozen=True)
class TestResult:
    """Result of one test.

    Attributes
    ----------
    name : str
        Name of the test, such as `wilcoxon_signed_rank`.
    statistic : float
    p : float
        After `correction`, where there is one.
    n : int
        Number of pairs (or blocks) that were given to the test.
    groups : tuple of str
        What was compared, such as (`stp`, `c45`); a positive difference favours the first.
    correction : str
        `none`, or the procedure that adjusted p for the number of tests.
    note : str
        What a reader must know, such as that all differences were 0.
    """

    __test__ = False  # the name is no pytest class

    name: str
    statistic: float
    p: float
    n: int
    groups: tuple[str, ...]
    correction: str = "none"
    note: str = ""

    def as_row(self) -> dict:
        """Flat dictionary for a table; groups joined by `|`."""
        return {**asdict(self), "groups": "|".join(self.groups)}


def wilcoxon(
    first: np.ndarray,
    second: np.ndarray,
    groups: tuple[str, str],
    alternative: str = "two-sided",
) -> TestResult:
    """Wilcoxon signed-rank test of paired values (thesis 3.4.2, its reference 185).

    Values count as equal when they differ by less than 1e-12 of the largest, and so do
    differences. Differences of 0 are dropped, as Wilcoxon does. When all are 0 there is nothing
    to rank: statistic 0 and p = 1, and the note says so. How the p-value is worked out
    (exactly for few differences, by a normal approximation for many) is scipy's choice.

    Parameters
    ----------
    first, second : (n,) float arrays, paired by position
    groups : names of the two
    alternative : `two-sided`, `greater` (first above second) or `less`

    Returns
    -------
    TestResult

    Raises
    ------
    InputError
        If the arrays differ in length, are empty or hold a NaN.
    """
    first = np.asarray(first, dtype=float)
    second = np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1 or first.size == 0:
        raise InputError(
            f"{groups[0]} has {first.size} values and {groups[1]} {second.size}",
            remedy="give two arrays of the same length, paired by position",
        )
    # Means of equal numbers summed in another order differ by rounding. Such a difference is no
    # sign, and must not tell apart two differences that are tied: the test ranks, and ranks see
    # the last bit. So differences are counted in units far below what was measured.
    unit = 1e-12 * max(np.abs(first).max(), np.abs(second).max())
    difference = np.rint((first - second) / unit) if unit > 0 else first - second
    if np.isnan(difference).any():
        raise InputError(
            f"a value of {groups[0]} or {groups[1]} is NaN", remedy="leave incomplete pairs out"
        )
    name = "wilcoxon_signed_rank"
    if not difference.any():
        return TestResult(name, 0.0, 1.0, first.size, groups, note="all differences are 0")
    result = stats.wilcoxon(difference, alternative=alternative, zero_method="wilcox")
    return TestResult(name, float(result.statistic), float(result.pvalue), first.size, groups)


def holm(results: Sequence[TestResult]) -> list[TestResult]:
    """Adjust the p-values of one family of tests by Holm's step-down procedure.

    Parameters
    ----------
    results : sequence of TestResult, each without correction

    Returns
    -------
    list of TestResult in the same order, p adjusted, correction `holm`
    """
    if not results:
        return []
    adjusted = multipletests([r.p for r in results], method="holm")[1]
    return [
        replace(r, p=float(p), correction="holm") for r, p in zip(results, adjusted, strict=True)
    ]


def to_frame(results: Sequence[TestResult]) -> pd.DataFrame:
    """One row per result, columns as the attributes of `TestResult`."""
    columns = ["name", "statistic", "p", "n", "groups", "correction", "note"]
    return pd.DataFrame([r.as_row() for r in results], columns=columns)
