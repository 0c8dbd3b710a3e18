"""Significance tests with one type of result, which tables, bold type and claims read."""

from __future__ import annotations

import contextlib
import gc
import itertools
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import LARGEST_COUNT, as_numbers, check_choice, check_number
from hedgerow.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

#: A p below this is called a difference.
LEVEL = 0.05
#: Values closer than this share of the largest are equal.
ROUNDING = 1e-12
ALTERNATIVES = ("two-sided", "greater", "less")
#: How p was calculated, `TestResult.p_method`.
EXACT, NORMAL, CHI_SQUARED = "exact", "normal approximation", "chi-squared approximation"
#: Differences other than 0 up to which p of the signed-rank test is exact.
MOST_EXACT_PAIRS = 500
#: Blocks up to which p of Friedman's test is exact, by the number of methods: two seconds or less.
MOST_EXACT_BLOCKS = {2: 500, 3: 100, 4: 20, 5: 8, 6: 5, 7: 2, 8: 2}
#: Blocks and conditions up to which p of Page's test is exact.
MOST_EXACT_TREND = (50, 8)
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
    p_method : str
        How p was calculated: `exact` or the name of the approximation; empty for tests that have
        one way only.
    """

    __test__ = False  # the name is no pytest class

    name: str
    statistic: float
    p: float
    n: int
    groups: tuple[str, ...]
    correction: str = "none"
    note: str = ""
    p_method: str = ""

    def as_row(self) -> dict:
        """Flat dictionary for a table; groups joined by `|`, an approximation of p in the note."""
        notes = (self.note, self.p_method if self.p_method != EXACT else "")
        note = "; ".join(filter(None, notes))
        return {**vars(self), "groups": "|".join(self.groups), "note": note}


def wilcoxon(
    first: np.ndarray,
    second: np.ndarray,
    groups: tuple[str, str],
    alternative: str = "two-sided",
) -> TestResult:
    """Wilcoxon signed-rank test of paired values (thesis 3.4.2, its reference 185).

    Values count as equal when they differ by at most 1e-12 of the largest, and so do
    differences. Differences of 0 are dropped, as Wilcoxon does. When all are 0 there is nothing
    to rank: statistic 0 and p = 1, and the note says so. For up to 500 other differences p is
    exact, whether ranks tie or not; for more it is scipy's normal approximation.

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
        If the arrays differ in length, are empty or hold a NaN or an infinite value.
    """
    from scipy import stats

    check_choice("alternative", alternative, ALTERNATIVES)
    first, second = as_numbers(groups[0], first), as_numbers(groups[1], second)
    if first.shape != second.shape or first.ndim != 1 or first.size == 0:
        raise InputError(
            f"{groups[0]} has {first.size} values and {groups[1]} {second.size}",
            remedy="give two arrays of the same length, paired by position",
        )
    pairs = np.column_stack([first, second])
    _check_complete(pairs, groups, "pair")
    tolerance = ROUNDING * np.abs(pairs).max()
    difference = first - second
    difference = difference[np.abs(difference) > tolerance]
    name = "wilcoxon_signed_rank"
    if not difference.size:
        note = "all differences are 0"
        return TestResult(name, 0.0, 1.0, first.size, groups, note=note, p_method=EXACT)
    ranks = stats.rankdata(_levels(np.abs(difference), tolerance))
    signed = tuple(np.sort(np.sign(difference) * ranks).tolist())
    statistic, p, p_method = _signed_rank(signed, alternative)
    return TestResult(name, statistic, p, first.size, groups, p_method=p_method)


def smallest_p(n: int, alternative: str = "two-sided") -> float:
    """The smallest p of a signed-rank or sign test of n differences: all of one sign.

    >>> smallest_p(6), smallest_p(0)
    (0.03125, 1.0)
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    if n == n:  # NaN stands for a test that was not made
        check_number("n", n, 0, LARGEST_COUNT)
    return min(1.0, (2.0 if alternative == "two-sided" else 1.0) * 0.5 ** float(n))


def smallest_holm(n: Sequence[int], alternative: str = "two-sided") -> list[float]:
    """The smallest p that each signed-rank test of a family can have after Holm's correction.

    The smallest of a family is multiplied by the number of tests, and no other falls below it.

    Parameters
    ----------
    n : sequence of int
        Differences of each test; 0 or NaN stands for a test that was not made, which `holm` does
        not count.
    alternative : str

    Returns
    -------
    list of float

    >>> smallest_holm([8] * 8)[0], smallest_holm([9] * 8)[0]
    (0.0625, 0.03125)
    """
    smallest = [smallest_p(k, alternative) for k in n]
    first = sum(k > 0 for k in n) * min(smallest, default=1.0)
    return [min(1.0, max(p, first)) for p in smallest]


def page_trend(values: np.ndarray, groups: tuple[str, ...]) -> TestResult:
    """Page's test of a rising trend over ordered conditions, in blocks such as data sets.

    For up to 50 blocks and 8 conditions p is exact, whether ranks tie or not; for more it is
    scipy's normal approximation.

    Returns: p is one-sided: small where values rise. Fewer than two blocks or three conditions can
    show no trend: NaN, and the note says so.
    """
    from scipy import stats

    values, name = as_numbers("values", values), "page_trend"
    _check_complete(values, groups, "block")
    n, k = values.shape
    if n < 2 or k < 3:
        note = "needs two blocks and three conditions"
        return TestResult(name, np.nan, np.nan, n, groups, note=note)
    of_block = ranks(values, groups, higher_is_better=False)
    if n <= MOST_EXACT_TREND[0] and k <= MOST_EXACT_TREND[1]:
        statistic, p = _trend_of_ranks(tuple(map(tuple, of_block.tolist())))
        return TestResult(name, statistic, p, n, groups, p_method=EXACT)
    result = stats.page_trend_test(of_block, ranked=True, method="asymptotic")
    statistic, p = float(result.statistic), float(result.pvalue)
    return TestResult(name, statistic, p, n, groups, p_method=NORMAL)


@lru_cache(maxsize=4096)
def _signed_rank(signed: tuple[float, ...], alternative: str) -> tuple[float, float, str]:
    """Statistic, p and its method, of signed ranks, which are all that the test looks at.

    Kept, because few data sets have few patterns of ranks. scipy has exact p-values where no
    ranks tie, and tries all signs where they do: of 13 values at most.
    """
    from scipy import stats

    values = np.array(signed)
    above, below = (float(np.maximum(side, 0.0).sum()) for side in (values, -values))
    two_sided = alternative == "two-sided"
    statistic = min(above, below) if two_sided else above
    if len(values) > MOST_EXACT_PAIRS:
        p = stats.wilcoxon(values, alternative=alternative, method="asymptotic").pvalue
        return statistic, float(p), NORMAL
    # The sum of positive ranks and that of negative ones have the same distribution.
    tail = _share_of_sums(np.abs(values), below if alternative == "greater" else statistic)
    return statistic, min(1.0, 2.0 * tail) if two_sided else tail, EXACT


def _share_of_sums(ranks: np.ndarray, largest: float) -> float:
    """Share of all patterns of signs whose positive ranks add up to `largest` at most.

    Ranks are whole or halves. Each sign halves the share of every sum, and adds it again at that
    sum with the rank: exact in floating point for 52 ranks, to the last digits for hundreds.
    """
    share = np.zeros(round(2 * largest) + 1)
    share[0] = 1.0
    for rank in np.rint(2 * np.sort(ranks)).astype(int):
        share /= 2.0
        share[rank:] += share[:-rank]
    return min(1.0, float(share.sum()))


def _levels(values: np.ndarray, tolerance: np.ndarray | float) -> np.ndarray:
    """Whole numbers in the order of the values of a row; neighbours within `tolerance` share one.

    Means of equal numbers summed in another order differ by rounding. Such a difference is no
    sign, and must not tell apart what is tied: the tests rank, and ranks see the last bit.
    """
    order = np.argsort(values, axis=-1)
    ascending = np.take_along_axis(values, order, axis=-1)
    rises = np.diff(ascending, axis=-1, prepend=ascending[..., :1]) > tolerance
    levels = np.empty(values.shape)
    np.put_along_axis(levels, order, np.cumsum(rises, axis=-1), axis=-1)
    return levels


def _check_complete(values: np.ndarray, groups: Sequence[str], row: str) -> None:
    """Refuse a NaN or an infinite value, by the name of its column and the number of its row."""
    for place in np.argwhere(~np.isfinite(values))[:1]:
        has = "no" if np.isnan(values[tuple(place)]) else "an infinite"
        raise InputError(
            f"{groups[place[1]]} has {has} value in {row} {place[0]}",
            remedy=f"leave incomplete {row}s out",
        )


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
        A p of NaN stays NaN and does not count as a test, as in R.

    Raises
    ------
    InputError
        If a result is corrected already.
    """
    from statsmodels.stats.multitest import multipletests

    for result in results:
        if result.correction != "none":
            raise InputError(
                f"p of {' and '.join(result.groups)} is corrected already ({result.correction})",
                remedy="give results as the test returned them",
            )
    adjusted = np.array([result.p for result in results], dtype=float)
    tested = ~np.isnan(adjusted)
    if tested.any():
        with _garbage_left_alone():
            adjusted[tested] = multipletests(adjusted[tested], method="holm")[1]
    return [
        replace(r, p=float(p), correction="holm") for r, p in zip(results, adjusted, strict=True)
    ]


# ------------------------------------------------------------------ several methods at once


def ranks(values: np.ndarray, groups: Sequence[str], higher_is_better: bool = True) -> np.ndarray:
    """Ranks of methods within each block, 1 for the best; ties share their mean rank.

    Parameters
    ----------
    values : (n, k) float array
        One row per block (a data set), one column per method. Values of a block that differ by
        at most 1e-12 of its largest are tied.
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
    _check_complete(values, groups, "block")
    levels = _levels(values, ROUNDING * np.abs(values).max(axis=1, keepdims=True))
    return stats.rankdata(-levels if higher_is_better else levels, axis=1)


def friedman(
    values: np.ndarray,
    groups: Sequence[str],
    higher_is_better: bool = True,
    correct_ties: bool = True,
) -> TestResult:
    """Friedman's test of k methods over n blocks, corrected for ties (Friedman 1937).

    The statistic is 12 / (n k (k + 1)) sum R_j^2 - 3 n (k + 1), with R_j the sum of the ranks of
    method j, over 1 - sum (t^3 - t) / (n k (k^2 - 1)) for ties of t values within a block.

    p is exact for few blocks: the share of all orders of the ranks within blocks, ties as they
    are, whose statistic is as large. Few are up to 500 blocks of 2 methods, 100 of 3, 20 of 4, 8 of
    5, 5 of 6 and 2 of 7 or 8. Otherwise p is that of chi-squared with k - 1 degrees of freedom.

    Parameters
    ----------
    values, groups, higher_is_better : as in `ranks`
    correct_ties : bool
        Without the correction the name is `friedman_without_ties`; papers often print that one.
        An exact p is the same with and without.

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
        note = "all values are tied"
        return TestResult(name, 0.0, 1.0, n, tuple(groups), note=note, p_method=EXACT)
    spread = 12.0 / (n * k * (k + 1)) * np.sum(of_block.sum(axis=0) ** 2) - 3.0 * n * (k + 1)
    statistic = float(max(spread, 0.0) / (untied if correct_ties else 1.0))
    if n <= MOST_EXACT_BLOCKS.get(k, 0):
        squares = float(np.sum((2.0 * of_block.sum(axis=0)) ** 2))
        p, p_method = _share_of_orders(_sorted_blocks(of_block), squares), EXACT
    else:
        p, p_method = float(stats.chi2.sf(statistic, k - 1)), CHI_SQUARED
    return TestResult(name, statistic, p, n, tuple(groups), p_method=p_method)


def _sorted_blocks(of_block: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Ranks of each block in order, blocks in order: what orders of ranks depend on."""
    return tuple(sorted(map(tuple, np.sort(of_block, axis=1).tolist())))


@lru_cache(maxsize=1024)
def _orders(block: tuple[float, ...]) -> np.ndarray:
    """All different orders of the ranks of a block, twice the ranks, so that they are whole."""
    doubled = [round(2 * rank) for rank in block]
    return np.array(sorted(set(itertools.permutations(doubled))))


@lru_cache(maxsize=4096)
def _share_of_orders(blocks: tuple[tuple[float, ...], ...], least: float) -> float:
    """Share of all orders within blocks for which sums of doubled ranks have squares of `least`.

    Block by block, over the sums that are possible. Which method has which sum does not count,
    so that sums are kept in order.
    """
    k = len(blocks[0])
    places = (2 * k * len(blocks) + 1) ** np.arange(k)
    sums: np.ndarray = np.zeros((1, k), dtype=np.int64)
    share: np.ndarray = np.ones(1)
    for block in blocks:
        orders = _orders(block)
        sums = np.sort((sums[:, None] + orders).reshape(-1, k), axis=1)
        _, first, of = np.unique(sums @ places, return_index=True, return_inverse=True)
        share = np.bincount(of, np.repeat(share / len(orders), len(orders)))
        sums = sums[first]
    # The sum of all differs from 1 by rounding.
    return float(share[np.sum(sums**2, axis=1) >= least].sum() / share.sum())


@lru_cache(maxsize=4096)
def _trend_of_ranks(blocks: tuple[tuple[float, ...], ...]) -> tuple[float, float]:
    """Page's statistic, and the share of all orders within blocks that have as large a one."""
    place = np.arange(1, len(blocks[0]) + 1)
    statistic = float(np.sum(np.array(blocks) @ place))
    least, share = round(2.0 * statistic), np.ones(1)
    for block in blocks:
        sums = _orders(tuple(sorted(block))) @ place
        share = np.convolve(share, np.bincount(sums - sums.min()) / len(sums))
        least -= sums.min()
    return statistic, float(share[least:].sum() / share.sum())


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
    check_number("n_blocks", n_blocks, 1, LARGEST_COUNT, whole=True)
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

    Raises
    ------
    InputError
        If a value is below 0, NaN or infinite.
    """
    values = as_numbers("values", values)
    wrong = values[~((values >= 0) & np.isfinite(values))]
    if values.ndim != 2 or wrong.size:
        what = f"values hold {wrong[0]}" if wrong.size else f"values have shape {values.shape}"
        raise InputError(what, remedy="give a finite number of at least 0 for each block and group")
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
        in any block: statistic 0 and p = 1. With a single block, or where group and block means
        explain all values, nothing estimates the error: NaN. The note says so.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    import pandas as pd
    from statsmodels.stats.anova import AnovaRM

    values, name = as_numbers("values", values), "anova_within"
    n, k = ranks(values, groups).shape  # for its checks
    if n < 2:
        return TestResult(name, np.nan, np.nan, n, tuple(groups), note="needs two blocks")
    rounding = ROUNDING * np.abs(values).max()
    if np.ptp(values, axis=1).max() <= rounding:
        return TestResult(name, 0.0, 1.0, n, tuple(groups), note="all values are tied")
    if np.ptp(_residuals(values)) <= rounding:
        note = "no residuals to estimate the error"
        return TestResult(name, np.nan, np.nan, n, tuple(groups), note=note)
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
        The statistic is W; a small p speaks against normal residuals. NaN where there is nothing
        to test, and the note says so: fewer than two blocks, residuals that do not differ, or
        fewer than three degrees of freedom, (n - 1)(k - 1). With one, p is the same for all values.

    Raises
    ------
    InputError
        As `ranks` does.
    """
    from scipy import stats

    values, name = as_numbers("values", values), "shapiro_residuals"
    n, k = ranks(values, groups).shape
    residuals, freedom, note = _residuals(values).ravel(), (n - 1) * (k - 1), ""
    if n < 2 or np.ptp(residuals) <= ROUNDING * np.abs(values).max():
        note = "no residuals to test"
    elif freedom < 3:
        note = f"{n} x {k} residuals have {freedom} degrees of freedom, and the test needs 3"
    if note:
        return TestResult(name, np.nan, np.nan, n, tuple(groups), note=note)
    result = stats.shapiro(residuals)
    return TestResult(name, float(result.statistic), float(result.pvalue), n, tuple(groups))


def _residuals(values: np.ndarray) -> np.ndarray:
    """What block and group means leave; of equal numbers that is rounding."""
    centred = values - values.mean(axis=1, keepdims=True)
    return centred - centred.mean(axis=0)


def to_frame(results: Sequence[TestResult]) -> pd.DataFrame:
    """One row per result, columns as the attributes of `TestResult`."""
    import pandas as pd

    columns = ["name", "statistic", "p", "n", "groups", "correction", "note"]
    return pd.DataFrame([r.as_row() for r in results], columns=columns)


def plain_and_holm(
    keys: pd.DataFrame, results: Sequence[TestResult], family: Sequence[int]
) -> pd.DataFrame:
    """Every result twice, plain and corrected, beside the key of its cell.

    Returns: columns of `keys`, then the attributes of `TestResult`; correction `none`, then `holm`.
    """
    import pandas as pd

    corrected = [replace(r, correction="holm") for r in results]
    for i, adjusted in zip(family, holm([results[i] for i in family]), strict=True):
        corrected[i] = adjusted
    twice = pd.concat([keys, keys], ignore_index=True)
    return pd.concat([twice, to_frame([*results, *corrected])], axis=1)
