"""The arithmetic from rows to a cell of a table, a second time: plain Python, no pandas, no scipy.

The functions of tables compute with pandas and scipy; this file shares nothing with them, so that
an error or an addition of theirs does not come out again. A formula gets groups of rows, one for
each selection that the cell names (`hedgerow_study.reporting.cells.Rows`). A row is a mapping with
`value` and the columns that the formula pairs or groups by; None and NaN are missing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist, fmean, quantiles, stdev
from typing import Any

from hedgerow.errors import DataError
from hedgerow_study.reporting import check_claims

Rows = Sequence[Mapping[str, Any]]
STATE = "state other rows behind the table"
NAN, WORDS = math.nan, ("no", "yes")


def evaluate(
    formula: str,
    groups: Sequence[Rows],
    by: Sequence[str] = (),
    times: float = 1.0,
    decimals: int | None = None,
) -> Any:
    """A cell from its rows, one group for each selection; NaN where a group is empty.

    Raises `DataError` where rows do not fit the formula.
    """
    if not all(groups):
        return NAN
    if decimals is not None:
        groups = [[row | {"value": number(row["value"], decimals)} for row in g] for g in groups]
    value = FORMULAS[formula](*groups, tuple(by))
    return value if times == 1 else number(value) * times


def is_observed(value: Any) -> bool:
    """Whether a value is there."""
    return value is not None and value == value


def number(value: Any, decimals: int | None = None) -> float:
    """A value as a number, to some decimals; NaN where there is none."""
    return (
        NAN
        if not is_observed(value)
        else float(value)
        if decimals is None
        else round(value, decimals)
    )


def values(rows: Rows) -> list[float]:
    """The values that are there."""
    return [float(row["value"]) for row in rows if is_observed(row["value"])]


def sd(rows: Rows) -> float:
    """Standard deviation of a sample; NaN of less than two."""
    return stdev(values(rows)) if len(values(rows)) > 1 else NAN


def mean(numbers: Sequence[float]) -> float:
    """Mean of known numbers; NaN of none."""
    observed = [one for one in numbers if is_observed(one)]
    return fmean(observed) if observed else NAN


def ratio(one: float, two: float) -> float:
    """A quotient, as floating-point numbers have it."""
    if two:
        return one / two
    return math.copysign(math.inf, one) if one else NAN


def one(rows: Rows) -> Any:
    """The value of the only row."""
    if len(rows) != 1:
        raise DataError(f"{len(rows)} rows stand behind a cell that rests on one", remedy=STATE)
    return rows[0]["value"]


def group_rows(rows: Rows, by: Sequence[str]) -> dict[tuple, list]:
    """Rows by the values of some columns; those without one are in no group."""
    groups: dict[tuple, list] = defaultdict(list)
    for row in rows:
        key = tuple(row[column] for column in by)
        if all(map(is_observed, key)):
            groups[key].append(row)
    return groups


def means(rows: Rows, by: Sequence[str]) -> dict[tuple, float]:
    """Mean of each group."""
    return {key: mean(values(group)) for key, group in group_rows(rows, by).items()}


def mean_of_means(rows: Rows, by: Sequence[str]) -> float:
    """Means by the first column, and their mean."""
    return mean(list(means(rows, by[:1]).values()))


def pair_rows(first: Rows, second: Rows, by: Sequence[str], whole: bool = True) -> list[tuple]:
    """Rows of the first with their partner of the same `by`; if whole, each has to have one."""
    one, two = ([tuple(row[column] for column in by) for row in rows] for rows in (first, second))
    partners = dict(zip(two, second, strict=True))
    if len(partners) < len(two) or (not whole and len(set(one)) < len(one)):
        raise DataError(f"several rows have the same {', '.join(by)}", remedy=STATE)
    if whole and (lacking := sum(key not in partners for key in one)):
        message = f"{lacking} of {len(first)} rows have no partner by {', '.join(by)}"
        raise DataError(message, remedy=STATE)
    return [(row, partners[key]) for row, key in zip(first, one, strict=True) if key in partners]


def differences(pairs: Sequence[tuple]) -> list[dict[str, Any]]:
    """The first row of each pair, its value less that of the second."""
    return [{**a, "value": number(a["value"]) - number(b["value"])} for a, b in pairs]


def pairs_in_both(first: Rows, second: Rows, by: Sequence[str]) -> list[tuple]:
    """Pairs of which both have a value."""
    one, two = ([row for row in rows if is_observed(row["value"])] for rows in (first, second))
    return pair_rows(one, two, by, whole=False)


def mean_signs(first: Rows, second: Rows, by: Sequence[str]) -> list[int]:
    """Of the mean difference by the first column, 0 where it is rounding only."""
    mean_differences = means(differences(pairs_in_both(first, second, by)), by[:1]).values()
    return [(mean > 5e-10) - (mean < -5e-10) for mean in mean_differences]


def gains(first: Rows, second: Rows, by: Sequence[str]) -> list[float]:
    """The first over the second, less 1, of each pair that has both."""
    rates = [
        ratio(number(a["value"]), number(b["value"])) - 1 for a, b in pair_rows(first, second, by)
    ]
    return [gain for gain in rates if is_observed(gain)]


def mean_gain(first: Rows, second: Rows, by: Sequence[str]) -> float:
    """Means by the first column over those of the second, less 1."""
    target, base = (means(rows, by[:1]) for rows in (first, second))
    return mean([ratio(target[key], base[key]) - 1 for key in target.keys() & base.keys()])


def standardised_mean(first: Rows, second: Rows, by: Sequence[str]) -> float:
    """By the first column: the mean, less that of the second and in its standard deviations."""
    target, unit = (group_rows(rows, by[:1]) for rows in (first, second))
    return mean([
        ratio(mean(values(target[key])) - mean(values(unit[key])), sd(unit[key]))
        for key in target.keys() & unit.keys()
    ])  # fmt: skip


def compare_with_best(first: Rows, others: Rows, by: Sequence[str], best: Callable) -> list[tuple]:
    """Values of the first, each with the best of the others in its group."""
    other_values = {key: values(rows) for key, rows in group_rows(others, by[:1]).items()}
    pairs = [(key, v) for key, rows in group_rows(first, by[:1]).items() for v in values(rows)]
    return [(value, best(other_values[key])) for key, value in pairs if other_values.get(key)]


def quartile(rows: Rows, number: int) -> float:
    """By linear interpolation between order statistics."""
    observed = values(rows)
    both = observed if len(observed) > 1 else observed * 2
    return quantiles(both, n=4, method="inclusive")[number] if observed else NAN


def t_tail(t: float, freedom: int) -> float:
    """Two-sided p of Student's t, by the finite series of Abramowitz and Stegun 26.7.3 and 4."""
    angle = math.atan2(abs(t), math.sqrt(freedom))
    cosine, odd = math.cos(angle) ** 2, freedom % 2
    term = total = math.cos(angle) if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine * (k - 1) / k
        total += term
    total = total * math.sin(angle) if freedom > 1 else 0.0
    return 1 - (2 / math.pi * (angle + total) if odd else total)


def half_width(rows: Rows, by: Sequence[str]) -> float:
    """Half of the 95 % interval of a mean, by Student's t."""
    n, low, high = len(rows), 0.0, 1e3
    if n < 2:
        return NAN
    for _ in range(200):  # halves of an interval around the quantile
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, n - 1) > 0.05 else (low, middle)
    return high * sd(rows) / math.sqrt(n)


def paired_t(first: Rows, second: Rows, by: Sequence[str]) -> tuple[float, float]:
    """t and p of the paired t test; NaN where there is one pair, or all are alike."""
    deltas = [row["value"] for row in differences(pair_rows(first, second, by))]
    if len(deltas) < 2 or not any(deltas) or not all(map(is_observed, deltas)):
        return NAN, NAN
    t = ratio(mean(deltas), stdev(deltas) / math.sqrt(len(deltas)))
    return t, t_tail(t, len(deltas) - 1)


def wilcoxon_p(first: Rows, second: Rows, by: Sequence[str]) -> float:
    """Exact two-sided p of the signed-rank test; what is equal up to rounding is equal."""
    sides = zip(*((a["value"], b["value"]) for a, b in pair_rows(first, second, by)), strict=True)
    return check_claims.wilcoxon(*map(list, sides), "two-sided")


def wilcoxon_normal(first: Rows, second: Rows, by: Sequence[str]) -> tuple[float, float]:
    """z and two-sided p of the signed-rank test in normal approximation; zeros are dropped."""
    deltas = values(differences(pair_rows(first, second, by)))
    kept = [difference for difference in deltas if difference]
    if len(deltas) < 2 or not kept:
        return NAN, NAN
    ranks, n = [rank / 2 for rank in check_claims.ranks(list(map(abs, kept)))], len(kept)
    above = sum(rank for rank, difference in zip(ranks, kept, strict=True) if difference > 0)
    ties = sum(t**3 - t for t in Counter(ranks).values())
    spread = math.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
    z = -abs(above - n * (n + 1) / 4) / spread
    return z, 2 * NormalDist().cdf(z)


def friedman(*arguments: Any) -> tuple[float, float]:
    """Statistic, corrected for ties, and p of Friedman's test: exact for few blocks."""
    *groups, by = arguments
    columns = [{row[by[0]]: float(row["value"]) for row in group} for group in groups]
    blocks = [[column[key] for column in columns] for key in sorted(columns[0])]
    ranks = [[rank / 2 for rank in check_claims.ranks(block)] for block in blocks]
    n, k = len(blocks), len(columns)
    ties = sum(t**3 - t for block in ranks for t in Counter(block).values())
    untied = 1 - ties / (n * k * (k * k - 1))
    if not untied:
        return 0.0, 1.0
    squares = sum(sum(column) ** 2 for column in zip(*ranks, strict=True))
    statistic = max(12 / (n * k * (k + 1)) * squares - 3 * n * (k + 1), 0.0) / untied
    if n <= check_claims.EXACT_BLOCKS.get(k, 0):
        return statistic, check_claims.friedman(blocks)
    return statistic, chi_squared_tail(statistic, k - 1)


def chi_squared_tail(x: float, freedom: int) -> float:
    """P above x, by the finite series of Abramowitz and Stegun 26.4.4 and 5."""
    odd = freedom % 2
    term = math.sqrt(2 * x / math.pi) * math.exp(-x / 2) if odd else math.exp(-x / 2)
    total = math.erfc(math.sqrt(x / 2)) if odd else 0.0
    for k in range(1 if odd else 0, freedom - 1, 2):
        total += term
        term *= x / (k + 2)
    return total


#: What each formula of a cell computes, by its name (`hedgerow_study.reporting.cells.SAYS`).
FORMULAS: dict[str, Callable[..., Any]] = {
    "value": lambda r, by: one(r),
    "same": lambda r, by: one([{"value": v} for v in dict.fromkeys(row["value"] for row in r)]),
    "mean": lambda r, by: mean(values(r)),
    "sd": lambda r, by: sd(r),
    "standard_error": lambda r, by: ratio(sd(r), math.sqrt(len(values(r)))),
    "lowest": lambda r, by: min(values(r), default=NAN),
    "highest": lambda r, by: max(values(r), default=NAN),
    "median": lambda r, by: quartile(r, 1),
    "q1": lambda r, by: quartile(r, 0),
    "q3": lambda r, by: quartile(r, 2),
    "n": lambda r, by: sum(is_observed(row["value"]) for row in r),
    "n_rows": lambda r, by: len(r),
    "n_distinct": lambda r, by: len({row["value"] for row in r if is_observed(row["value"])}),
    "percent_missing": lambda r, by: 100 * mean([not is_observed(row["value"]) for row in r]),
    "half_width": half_width,
    "share_of_ones": lambda r, by: mean([row["value"] == 1 for row in r]),
    "n_below_0": lambda r, by: sum(v < 0 for v in values(r)),
    "n_above_0": lambda r, by: sum(v > 0 for v in values(r)),
    "mean_above_1": lambda r, by: mean([v for v in values(r) if v > 1]),
    "mean_of_means": mean_of_means,
    "lowest_of_means": lambda r, by: min(filter(is_observed, means(r, by).values()), default=NAN),
    "highest_of_means": lambda r, by: max(filter(is_observed, means(r, by).values()), default=NAN),
    "n_of_means": lambda r, by: len({row[by[0]] for row in r if is_observed(row["value"])}),
    "mean_difference": lambda a, b, by: mean_of_means(differences(pair_rows(a, b, by)), by),
    "paired_mean": lambda a, b, by: mean_of_means([row for row, _ in pairs_in_both(a, b, by)], by),
    "paired_difference": lambda a, b, by: mean_of_means(differences(pairs_in_both(a, b, by)), by),
    "n_means_above": lambda a, b, by: mean_signs(a, b, by).count(1),
    "n_means_below": lambda a, b, by: mean_signs(a, b, by).count(-1),
    "mean_gain": mean_gain,
    "standardised": standardised_mean,
    "gain": lambda a, b, by: ratio(mean(values(a)), mean(values(b))) - 1,
    "lowest_gain": lambda a, b, by: min(gains(a, b, by), default=NAN),
    "highest_gain": lambda a, b, by: max(gains(a, b, by), default=NAN),
    "ratio": lambda a, b, by: ratio(one(a), one(b)),
    "half_of_difference": lambda a, b, by: (one(a) - one(b)) / 2,
    "wilcoxon_z": lambda a, b, by: wilcoxon_normal(a, b, by)[0],
    "wilcoxon_p": lambda a, b, by: wilcoxon_normal(a, b, by)[1],
    "wilcoxon_exact_p": wilcoxon_p,
    "paired_t": lambda a, b, by: paired_t(a, b, by)[0],
    "paired_t_p": lambda a, b, by: paired_t(a, b, by)[1],
    "friedman": lambda *arguments: friedman(*arguments)[0],
    "friedman_p": lambda *arguments: friedman(*arguments)[1],
    "n_highest": lambda a, b, by: sum(v >= best for v, best in compare_with_best(a, b, by, max)),
    "n_lowest": lambda a, b, by: sum(v <= best for v, best in compare_with_best(a, b, by, min)),
    "n_above": lambda a, b, by: sum(v > best for v, best in compare_with_best(a, b, by, max)),
    "n_below": lambda a, b, by: sum(v < best for v, best in compare_with_best(a, b, by, min)),
    "is_above": lambda a, b, by: WORDS[max(values(a)) > max(values(b))],
    "is_above_1000": lambda r, by: WORDS[one(r) > 1000],
}
