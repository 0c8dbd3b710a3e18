"""Significance tests with one type of result, which tables, bold type and claims read."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import COUNTED, as_numbers, check_number
from hedgerow.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

#: A p below this is called a difference.
LEVEL = 0.05
#: Values closer than this share of the largest are equal.
ROUNDING = 1e-12
#: Differences of which scipy tries all signs where ranks tie.
MOST_SIGNS = 13
#: Methods that are compared at once; the quantiles of many more are not exact.
MOST_GROUPS = 10_000


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
        What was compared, such as (`stp`, `c45`); a positive difference favours the first. For a
        test of several at once, all of them.
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
        return {**vars(self), "groups": "|".join(self.groups)}


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
    from scipy import stats

    first = np.asarray(first, dtype=float)
    second = np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1 or first.size == 0:
        raise InputError(
            f"{groups[0]} has {first.size} values and {groups[1]} {second.size}",
            remedy="give two arrays of the same length, paired by position",
        )
    difference = _counted(first - second, max(np.abs(first).max(), np.abs(second).max()))
    if np.isnan(difference).any():
        raise InputError(
            f"a value of {groups[0]} or {groups[1]} is NaN", remedy="leave incomplete pairs out"
        )
    name = "wilcoxon_signed_rank"
    if not difference.any():
        return TestResult(name, 0.0, 1.0, first.size, groups, note="all differences are 0")
    ranks = np.zeros(difference.size)
    differs = difference != 0
    ranks[differs] = stats.rankdata(np.abs(difference[differs]))
    signed = tuple(np.sort(np.sign(difference) * ranks).tolist())
    statistic, p = _signed_rank(signed, alternative)
    return TestResult(name, statistic, p, first.size, groups)


def smallest_p(n: int, alternative: str = "two-sided") -> float:
    """The smallest p of a signed-rank or sign test of n differences: all of one sign.

    >>> smallest_p(6), smallest_p(0)
    (0.03125, 1.0)
    """
    if n == n:  # NaN stands for a test that was not made
        check_number("n", n, 0, COUNTED)
    return min(1.0, (2.0 if alternative == "two-sided" else 1.0) * 0.5 ** float(n))


def smallest_holm(n: Sequence[int], alternative: str = "two-sided") -> list[float]:
    """The smallest p that each signed-rank test of a family can have after Holm's correction.

    The smallest of a family is multiplied by the number of tests, and no other falls below it.

    Parameters
    ----------
    n : sequence of int
        Differences of each test.
    alternative : str

    Returns
    -------
    list of float

    >>> smallest_holm([8] * 8)[0], smallest_holm([9] * 8)[0]
    (0.0625, 0.03125)
    """
    own = [smallest_p(k, alternative) for k in n]
    first = len(own) * min(own, default=1.0)
    return [min(1.0, max(p, first)) for p in own]


def page_trend(values: np.ndarray, groups: tuple[str, ...]) -> TestResult:
    """Page's test of a rising trend over ordered conditions, in blocks such as data sets.

    Parameters
    ----------
    values : (n_blocks, n_conditions) float array
        Conditions in the order in which they should rise.
    groups : names of the conditions

    Returns
    -------
    TestResult
        p is one-sided: small where values rise. Fewer than two blocks or three conditions can
        show no trend: NaN, and the note says so.

    Raises
    ------
    InputError
        If a value is NaN.
    """
    from scipy import stats

    values = np.asarray(values, dtype=float)
    if np.isnan(values).any():
        raise InputError("a value of a trend is NaN", remedy="leave incomplete blocks out")
    n, k = values.shape
    if n < 2 or k < 3:
        note = "needs two blocks and three conditions"
        return TestResult("page_trend", np.nan, np.nan, n, groups, note=note)
    counted = _counted(values, np.abs(values).max())
    result = stats.page_trend_test(counted, method="asymptotic")
    return TestResult("page_trend", float(result.statistic), float(result.pvalue), n, groups)


@lru_cache(maxsize=4096)
def _signed_rank(ranks: tuple[float, ...], alternative: str) -> tuple[float, float]:
    """Statistic and p of signed ranks (0: no difference), which are all that the test looks at.

    Kept, because few data sets have few patterns of ranks. Where ranks tie, scipy goes through all
    signs of up to 13 values one by one; here its permutation test does so at once, with the same
    result.
    """
    from scipy import stats

    signed = np.array(ranks)
    sizes = np.abs(signed[signed != 0])
    if len(signed) > MOST_SIGNS or len(np.unique(sizes)) == len(signed):
        result = stats.wilcoxon(signed, alternative=alternative, zero_method="wilcox")
        return float(result.statistic), float(result.pvalue)
    p = stats.permutation_test(
        (signed,),
        lambda values, axis: np.maximum(values, 0.0).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    ).pvalue
    above, below = np.maximum(signed, 0.0).sum(), np.maximum(-signed, 0.0).sum()
    return float(min(above, below) if alternative == "two-sided" else above), float(p)


def _counted(values: np.ndarray, largest: float) -> np.ndarray:
    """Values in whole numbers of a unit far below what was measured.

    Means of equal numbers summed in another order differ by rounding. Such a difference is no
    sign, and must not tell apart what is tied: the tests rank, and ranks see the last bit.
    """
    unit = ROUNDING * largest
    return np.rint(values / unit) if unit > 0 else values


@cache
def _set_aside() -> bool:
    """Whether what was imported is set aside already, as in forked jobs; asking takes as long as
    looking for garbage."""
    return gc.get_freeze_count() > 0


@contextlib.contextmanager
def _garbage_left_alone() -> Iterator[None]:
    """statsmodels looks for garbage at each correction: a tenth of a second with much in memory."""
    aside = not _set_aside()
    if aside:
        gc.freeze()
    try:
        yield
    finally:
        if aside:
            gc.unfreeze()


def holm(results: Sequence[TestResult]) -> list[TestResult]:
    """Adjust the p-values of one family of tests by Holm's step-down procedure.

    Parameters
    ----------
    results : sequence of TestResult, each without correction

    Returns
    -------
    list of TestResult in the same order, p adjusted, correction `holm`
    """
    from statsmodels.stats.multitest import multipletests

    if not results:
        return []
    with _garbage_left_alone():
        adjusted = multipletests([r.p for r in results], method="holm")[1]
    return [
        replace(r, p=float(p), correction="holm") for r, p in zip(results, adjusted, strict=True)
    ]


# ------------------------------------------------------------------ several methods at once


def ranks(values: np.ndarray, groups: Sequence[str], higher_is_better: bool = True) -> np.ndarray:
    """Ranks of methods within each block, 1 for the best; ties share their mean rank.

    Parameters
    ----------
    values : (n, k) float array
        One row per block (a data set), one column per method. Values that differ by less than
        1e-12 of the largest are tied.
    groups : sequence of k str
        Names of the methods.
    higher_is_better : bool
        Whether the largest value gets rank 1.

    Returns
    -------
    (n, k) float array; each row sums to k (k + 1) / 2

    Raises
    ------
    InputError
        If there are fewer than two methods or no block, or if a value is NaN or infinite.
    """
    from scipy import stats

    values = as_numbers("values", values)
    if not isinstance(groups, Sized):
        raise InputError(f"groups is {groups!r}", remedy="give the names of the methods")
    if values.ndim != 2 or values.shape[1] != len(groups):
        raise InputError(
            f"an array of shape {values.shape} and {len(groups)} names of methods",
            remedy="give one row per block and one column per method",
        )
    n, k = values.shape
    if k < 2 or n < 1:
        raise InputError(
            f"{n} blocks and {k} methods cannot be compared by ranks",
            remedy="give one block and two methods at least",
        )
    if not np.isfinite(values).all():
        block, column = np.argwhere(~np.isfinite(values))[0]
        has = "no" if np.isnan(values[block, column]) else "an infinite"
        raise InputError(
            f"{groups[column]} has {has} value in block {block}",
            remedy="leave incomplete blocks out",
        )
    counted = _counted(values, np.abs(values).max())
    return stats.rankdata(-counted if higher_is_better else counted, axis=1)


def friedman(
    values: np.ndarray,
    groups: Sequence[str],
    higher_is_better: bool = True,
    correct_ties: bool = True,
) -> TestResult:
    """Friedman's test of k methods over n blocks, corrected for ties (Friedman 1937).

    The statistic is 12 / (n k (k + 1)) sum R_j^2 - 3 n (k + 1), with R_j the sum of the ranks of
    method j, over 1 - sum (t^3 - t) / (n k (k^2 - 1)) for ties of t values within a block; p is
    that of chi-squared with k - 1 degrees of freedom.

    Parameters
    ----------
    values, groups, higher_is_better : as in `ranks`
    correct_ties : bool
        Without the correction the name is `friedman_without_ties`; papers often print that one.

    Returns
    -------
    TestResult
        n is the number of blocks. When every block ties all methods: statistic 0 and p = 1.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    from scipy import stats

    of_block = ranks(values, groups, higher_is_better)
    n, k = of_block.shape
    ties = sum(np.sum(t**3 - t) for t in (np.unique(r, return_counts=True)[1] for r in of_block))
    untied = 1.0 - ties / (n * k * (k**2 - 1))
    name = "friedman" if correct_ties else "friedman_without_ties"
    if untied == 0:
        return TestResult(name, 0.0, 1.0, n, tuple(groups), note="all values are tied")
    spread = 12.0 / (n * k * (k + 1)) * np.sum(of_block.sum(axis=0) ** 2) - 3.0 * n * (k + 1)
    statistic = max(float(spread), 0.0) / (untied if correct_ties else 1.0)
    p = float(stats.chi2.sf(statistic, k - 1))
    return TestResult(name, statistic, p, n, tuple(groups))


def nemenyi(
    values: np.ndarray, groups: Sequence[str], higher_is_better: bool = True
) -> list[TestResult]:
    """Nemenyi's test of every pair of methods after Friedman's (Nemenyi 1963; Demsar 2006, 3.2.2).

    The p-values are those of scikit-posthocs: of the studentized range of k groups with infinite
    degrees of freedom. They hold for all pairs at once.

    Parameters
    ----------
    values, groups, higher_is_better : as in `ranks`

    Returns
    -------
    list of TestResult
        One per pair, in the order of `groups`. The statistic is the difference of the mean ranks
        of the two, the second's minus the first's, so that it is positive where the first is
        better; it is significant where it reaches `critical_difference`.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    import scikit_posthocs  # here: it brings a plotting library that few jobs need

    of_block = ranks(values, groups, higher_is_better)
    n, k = of_block.shape
    # Ranks of ranks are the ranks: ties stay as they were counted here.
    p = scikit_posthocs.posthoc_nemenyi_friedman(of_block).to_numpy()
    mean = of_block.mean(axis=0)
    return [
        TestResult(
            "nemenyi",
            float(mean[j] - mean[i]),
            float(p[i, j]),
            n,
            (groups[i], groups[j]),
            correction="nemenyi",
        )
        for i in range(k)
        for j in range(i + 1, k)
    ]


def critical_difference(n_groups: int, n_blocks: int, alpha: float = LEVEL) -> float:
    """Least difference of two mean ranks that Nemenyi's test calls significant (Demsar 2006).

    Parameters
    ----------
    n_groups : int from 2 to 10,000
        Number of methods, k.
    n_blocks : int, at least 1
        Number of data sets, n.
    alpha : float in (0, 1)

    Returns
    -------
    float
        q sqrt(k (k + 1) / (6 n)), with q the upper quantile of the studentized range of k groups
        and infinite degrees of freedom, over the square root of 2.

    Raises
    ------
    InputError
        A number out of range.
    """
    from scipy import stats

    check_number("n_groups", n_groups, 2, MOST_GROUPS, whole=True)
    check_number("n_blocks", n_blocks, 1, COUNTED, whole=True)
    check_number("alpha", alpha, 0.0, 1.0)
    q = stats.studentized_range.isf(alpha, n_groups, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_groups * (n_groups + 1) / (6.0 * n_blocks)))


# ---------------------------------------------------------------- analysis of variance


def share_of_largest(values: np.ndarray) -> np.ndarray:
    """Normalise a metric: each block's values as shares of its largest (thesis 4.6.1).

    The paper speaks of normalised metrics without saying how. Among shares of the largest or the
    mean, standard scores, ranges and logarithms, this one leaves residuals nearest to normal in
    tables 4.1 and 4.3, which is what the paper reports of its own.

    Parameters
    ----------
    values : (n, k) float array, at least 0
        One row per block (a data set), one column per group.

    Returns
    -------
    (n, k) float array in [0, 1]; a block of zeros stays as it is
    """
    values = np.asarray(values, dtype=float)
    largest = values.max(axis=1, keepdims=True)
    return np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)


def repeated_measures_anova(values: np.ndarray, groups: Sequence[str]) -> TestResult:
    """One-way within-subjects analysis of variance (thesis 4.6.1), without a sphericity correction.

    Parameters
    ----------
    values : (n, k) float array
        One row per block (a data set, the subject), one column per group.
    groups : sequence of k str

    Returns
    -------
    TestResult
        The statistic is F with k - 1 and (n - 1)(k - 1) degrees of freedom. When no group differs
        in any block: statistic 0 and p = 1; with a single block: NaN; the note says so.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    import pandas as pd
    from statsmodels.stats.anova import AnovaRM

    values, name = np.asarray(values, dtype=float), "anova_within"
    n, k = ranks(values, groups).shape  # for its checks
    if n < 2:
        return TestResult(name, np.nan, np.nan, n, tuple(groups), note="needs two blocks")
    counted = _counted(values, np.abs(values).max())
    if not np.ptp(counted, axis=1).any():
        return TestResult(name, 0.0, 1.0, n, tuple(groups), note="all values are tied")
    long = pd.DataFrame(
        {
            "block": np.repeat(np.arange(n), k),
            "group": np.tile(np.arange(k), n),
            "value": values.ravel(),
        }
    )
    table = AnovaRM(long, "value", "block", within=["group"]).fit().anova_table
    return TestResult(
        name, float(table["F Value"].iloc[0]), float(table["Pr > F"].iloc[0]), n, tuple(groups)
    )


def shapiro_residuals(values: np.ndarray, groups: Sequence[str]) -> TestResult:
    """Shapiro and Wilk's test of normality of what block and group means leave (1965).

    Parameters
    ----------
    values, groups : as in `repeated_measures_anova`

    Returns
    -------
    TestResult
        The statistic is W; a small p speaks against normal residuals. Without residuals to test
        (fewer than two blocks, or none that differ): NaN, and the note says so.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    from scipy import stats

    values, name = np.asarray(values, dtype=float), "shapiro_residuals"
    n, _ = ranks(values, groups).shape
    centred = values - values.mean(axis=1, keepdims=True)
    residuals = (centred - centred.mean(axis=0)).ravel()
    # What is left of equal numbers is rounding.
    if n < 2 or np.ptp(residuals) <= ROUNDING * np.abs(values).max():
        return TestResult(name, np.nan, np.nan, n, tuple(groups), note="no residuals to test")
    result = stats.shapiro(residuals)
    return TestResult(name, float(result.statistic), float(result.pvalue), n, tuple(groups))


def to_frame(results: Sequence[TestResult]) -> pd.DataFrame:
    """One row per result, columns as the attributes of `TestResult`."""
    import pandas as pd

    columns = ["name", "statistic", "p", "n", "groups", "correction", "note"]
    return pd.DataFrame([r.as_row() for r in results], columns=columns)


def plain_and_holm(
    keys: pd.DataFrame, results: Sequence[TestResult], family: Sequence[int]
) -> pd.DataFrame:
    """Every result twice, plain and corrected, beside the key of its cell.

    Parameters
    ----------
    keys : DataFrame, one row per result
    results : sequence of TestResult, each without correction
    family : sequence of int
        Positions of the results that Holm's procedure corrects for; the others keep their p.

    Returns
    -------
    DataFrame
        Columns of `keys`, then the attributes of `TestResult`; correction `none`, then `holm`.
    """
    import pandas as pd

    corrected = [replace(r, correction="holm") for r in results]
    for i, adjusted in zip(family, holm([results[i] for i in family]), strict=True):
        corrected[i] = adjusted
    twice = pd.concat([keys, keys], ignore_index=True)
    return pd.concat([twice, to_frame([*results, *corrected])], axis=1)
