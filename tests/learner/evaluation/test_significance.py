"""Tests of ranks against other libraries, by hand and by trying every order of ranks; Holm."""

import numpy as np
import pytest
from effort import draws
from oracle import significance as oracle
from scipy import stats

from hedgerow.errors import InputError
from hedgerow.evaluation import (
    critical_difference,
    friedman,
    holm,
    nemenyi,
    ranks,
    repeated_measures_anova,
    shapiro_residuals,
    share_of_largest,
    significance,
    wilcoxon,
)
from hedgerow.evaluation.significance import TestResult as Result
from hedgerow.evaluation.significance import page_trend, smallest_holm, smallest_p, to_frame

GROUPS = ("stp", "c45")


@pytest.mark.parametrize("alternative", significance.ALTERNATIVES)
@pytest.mark.parametrize(("n", "method"), [(6, "exact"), (20, "exact"), (300, "exact")])
def test_agrees_with_scipy_where_no_ranks_tie(n, method, alternative):
    generator = np.random.default_rng(n)
    a, b = generator.normal(size=(2, n))
    expected = stats.wilcoxon(a, b, alternative=alternative, method=method)
    result = wilcoxon(a, b, GROUPS, alternative)
    assert result.statistic == expected.statistic
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.p_method == method


def test_many_pairs_have_the_normal_approximation_and_say_so():
    random = np.random.default_rng(0)
    n = significance.MOST_EXACT_PAIRS + 1
    difference = random.integers(1, 30, n) * random.choice([-1.0, 1.0], n)
    many = wilcoxon(difference, np.zeros(n), GROUPS)
    expected = stats.wilcoxon(difference, method="asymptotic")
    assert (many.statistic, many.p) == (expected.statistic, expected.pvalue)
    assert many.p_method == "normal approximation"
    one_less = wilcoxon(np.r_[difference[1:], 0.0], np.zeros(n), GROUPS)
    assert one_less.p_method == "exact"  # zeros do not count
    expected = stats.wilcoxon(difference[1:], method="asymptotic")
    assert one_less.p == pytest.approx(expected.pvalue, rel=0.01)


@pytest.mark.parametrize("alternative", significance.ALTERNATIVES)
@pytest.mark.parametrize("seed", draws(60, least=8))
def test_p_is_the_share_of_all_patterns_of_signs(seed, alternative):
    """From 14 pairs on, p was that of a normal approximation where one rank tied or one difference
    was 0, and zeros counted among the 14: p = .0431 with nine zeros, .0625 with eight."""
    random = np.random.default_rng(seed)
    n, zeros = 1 + seed % 16, int(random.integers(0, 25))
    size = 3 if seed % 2 else 40
    difference = random.integers(1, size, n) * random.choice([-1.0, 1.0], n, p=[0.3, 0.7])
    padded = random.permutation(np.r_[difference, np.zeros(zeros)])
    result = wilcoxon(padded, np.zeros(n + zeros), GROUPS, alternative)
    assert result.p == pytest.approx(oracle.signed_rank(difference, alternative), rel=1e-12)
    assert (result.n, result.p_method) == (n + zeros, "exact")


@pytest.mark.parametrize(
    ("wins", "zeros", "alternative", "p"),
    [
        ([1.0, 2, 3, 4, 5], 8, "two-sided", 0.0625),
        ([1.0, 2, 3, 4, 5], 9, "two-sided", 0.0625),  # was .0431
        ([1.0] * 5, 20, "two-sided", 0.0625),  # was .0253
        ([1.0, 2, 3, 4], 16, "greater", 0.0625),  # was .0339
        ([1.0, 1.0, *range(2, 28)], 0, "two-sided", 2.0**-27),  # was 3.8e-6
    ],
)
def test_no_p_is_below_that_of_differences_of_one_sign(wins, zeros, alternative, p):
    """Normal approximations went below what so many differences can give."""
    first = np.r_[wins, np.zeros(zeros)]
    result = wilcoxon(first, np.zeros(len(first)), GROUPS, alternative)
    assert result.p == p == smallest_p(len(wins), alternative)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("seed", range(12))
def test_ties_and_zeros_give_what_scipy_gives(seed, alternative):
    """Few small whole differences: nearly all ranks tie, and some are 0."""
    random = np.random.default_rng(seed)
    n = 2 + seed % 9
    first = random.integers(-3, 4, size=n).astype(float)
    first[0] = 2.0
    expected = stats.wilcoxon(first, alternative=alternative)
    result = wilcoxon(first, np.zeros(n), GROUPS, alternative)
    assert (result.statistic, result.p) == (expected.statistic, expected.pvalue)


def test_nothing_but_zeros():
    result = wilcoxon(np.ones(6), np.ones(6), GROUPS)
    assert (result.statistic, result.p, result.n) == (0.0, 1.0, 6)
    assert result.note == "all differences are 0"


def test_rounding_is_no_difference():
    """The last bit of a mean is not a sign: 0.1 + 0.2 and 0.3 are the same number."""
    result = wilcoxon(np.array([0.1 + 0.2, 0.7]), np.array([0.3, 0.7]), GROUPS)
    assert result.p == 1.0


def test_rounding_breaks_no_tie():
    """Twice the difference 2, once as 11 / 3 - 5 / 3: found when an order of rows changed p."""
    exact = wilcoxon(np.array([2.0, 2.0, 7.0, 1.0]), np.array([0.0, 0.0, 0.0, 4.0]), GROUPS)
    rounded = wilcoxon(
        np.array([11 / 3, 2 + 4e-16, 7.0, 1.0]), np.array([5 / 3, 0.0, 0.0, 4.0]), GROUPS
    )
    assert (rounded.statistic, rounded.p) == (exact.statistic, exact.p)


def test_rounding_breaks_no_tie_where_values_lie_on_both_sides_of_a_unit():
    """Values were rounded to a unit, and two that differed in the last bit fell on either side."""
    unit = 8e-12
    near = np.array([1.5 * unit, np.nextafter(1.5 * unit, 0), 8.0])
    assert wilcoxon(near * [1, -1, 1], 0 * near, GROUPS).statistic == 1.5
    assert ranks(np.array([near]), "abc").tolist() == [[2.5, 2.5, 1.0]]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([1.0], [1.0, 2.0], "stp has 1 values and c45 2"),
        ([], [], "stp has 0 values"),
        ([np.nan, 1.0], [1.0, 1.0], "stp has no value in pair 0"),
        ([0.0, 1.0], [1.0, np.inf], "c45 has an infinite value in pair 1"),
        ([0.0, np.inf], [1.0, np.inf], "stp has an infinite value in pair 1"),
        (["a"], [1.0], "stp holds something that is no real number"),
    ],
)
def test_pairs_that_are_none(first, second, words):
    """An infinite value was called NaN."""
    with pytest.raises(InputError, match=words):
        wilcoxon(np.array(first), np.array(second), GROUPS)


def test_an_alternative_that_is_none():
    for refused in (lambda: wilcoxon([1.0], [0.0], GROUPS, "more"), lambda: smallest_p(5, "two")):
        with pytest.raises(InputError, match="alternative is"):
            refused()


def test_holm_by_hand():
    """.01 x 3, .02 x 2, .5 x 1, never falling: .03, .04, .5."""
    results = [Result("t", 0.0, p, 5, GROUPS) for p in (0.5, 0.01, 0.02)]
    adjusted = holm(results)
    assert [r.p for r in adjusted] == pytest.approx([0.5, 0.03, 0.04])
    assert {r.correction for r in adjusted} == {"holm"}
    assert holm([]) == []


def test_holm_leaves_out_tests_without_p():
    """A NaN counted as a test and shifted the others: .01, NaN, .04 gave .03, NaN, .08. R's
    p.adjust leaves it out."""
    results = [Result("t", 0.0, p, 5, GROUPS) for p in (0.01, np.nan, 0.04)]
    assert [r.p for r in holm(results)] == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    assert np.isnan(holm(results[1:2])[0].p)
    assert smallest_holm([9, 0, np.nan, 9]) == pytest.approx([2 / 256, 1.0, 1.0, 2 / 256])


def test_holm_of_what_is_corrected_already():
    """A corrected p was multiplied once more."""
    plain = Result("t", 0.0, 0.01, 5, GROUPS)
    for corrected in (holm([plain]), nemenyi(np.eye(3), "abc")):
        with pytest.raises(InputError, match=r"p of .* and .* is corrected already"):
            holm([plain, *corrected])


def test_one_row_per_result():
    frame = to_frame([Result("t", 1.0, 0.5, 5, GROUPS)])
    assert frame.loc[0, ["name", "p", "groups"]].tolist() == ["t", 0.5, "stp|c45"]
    assert to_frame([]).columns.tolist() == frame.columns.tolist()


def test_a_row_names_the_approximation_of_its_p():
    few, many = friedman(_table(5, 3), "abc"), friedman(_table(101, 3), "abc")
    tied = Result("t", 0.0, 1.0, 5, GROUPS, note="tied", p_method="normal approximation")
    notes = to_frame([few, many, tied])["note"].tolist()
    assert notes == ["", "chi-squared approximation", "tied; normal approximation"]


# ------------------------------------------------------------------ several methods at once

METHODS = ("a", "b", "c", "d")


def _table(n, k, seed=0, ties=False):
    values = np.random.default_rng(seed).normal(size=(n, k))
    return np.round(values * 2) / 2 if ties else values


def test_ranks_by_hand():
    values = np.array([[0.9, 0.7, 0.8], [0.5, 0.6, 0.6]])
    assert ranks(values, "abc").tolist() == [[1, 3, 2], [3, 1.5, 1.5]]
    assert ranks(values, "abc", higher_is_better=False).tolist() == [[3, 1, 2], [1, 2.5, 2.5]]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(3, 3), (6, 4), (101, 3), (20, 10)])
def test_friedman_agrees_with_scipy(n, k, ties):
    values = _table(n, k, seed=n, ties=ties)
    expected = stats.friedmanchisquare(*values.T)
    names = [str(j) for j in range(k)]
    for higher_is_better in (True, False):
        result = friedman(values, names, higher_is_better)
        assert result.statistic == pytest.approx(expected.statistic, rel=1e-12)
        if n > 6:
            assert result.p == pytest.approx(expected.pvalue, rel=1e-10)
        assert result.p_method == ("exact" if n <= 6 else "chi-squared approximation")


@pytest.mark.parametrize("correct_ties", [True, False])
@pytest.mark.parametrize("seed", draws(40, least=8))
@pytest.mark.parametrize(
    ("n", "k"), [(1, 4), (3, 2), (9, 2), (3, 3), (5, 3), (2, 4), (3, 4), (2, 5)]
)
def test_friedman_is_the_share_of_all_orders_of_ranks(n, k, seed, correct_ties):
    """Two methods on five sets had p = .0253, where all wins of one have .0625."""
    values = _table(n, k, seed=seed, ties=seed % 3 > 0)
    result = friedman(values, "abcde"[:k], correct_ties=correct_ties)
    assert result.p == pytest.approx(oracle.friedman(values), rel=1e-12)
    assert result.p_method == "exact"
    assert n > 1 or result.p == 1


@pytest.mark.parametrize("n", [5, 9, 40])
def test_friedman_of_two_methods_is_the_sign_test(n):
    """As it was counted in `test_friedman_of_two_methods_counts_who_is_ahead`; ties go."""
    random = np.random.default_rng(n)
    for wins in range(n + 1):
        ahead = np.r_[np.ones(wins), -np.ones(n - wins), np.zeros(n // 3)]
        p = friedman(np.column_stack([ahead, 0 * ahead])[random.permutation(len(ahead))], "ab").p
        assert p == pytest.approx(stats.binomtest(wins, n).pvalue, rel=1e-12)


@pytest.mark.parametrize("seed", draws(40, least=8))
@pytest.mark.parametrize(("n", "k"), [(2, 3), (5, 3), (3, 4), (2, 5)])
def test_page_trend_is_the_share_of_all_orders_of_ranks(n, k, seed):
    """Two sets that rise over three levels had p = .023, and one of 36 orders is .028."""
    values = _table(n, k, seed=seed, ties=seed % 3 > 0) + np.arange(k) / 2
    result = page_trend(values, tuple("abcde"[:k]))
    assert result.p == pytest.approx(oracle.page(values), rel=1e-12)
    assert result.p_method == "exact"


def test_friedman_of_two_methods_counts_who_is_ahead():
    """With two methods the statistic is (wins - losses)^2 / n, ties left out of n."""
    values = np.array([[2, 1], [3, 1], [4, 1], [1, 2], [5, 5]], dtype=float)
    assert friedman(values, "ab").statistic == pytest.approx((3 - 1) ** 2 / 4)


def test_friedman_of_nothing_but_ties():
    result = friedman(np.ones((5, 3)), "abc")
    assert (result.statistic, result.p, result.note) == (0.0, 1.0, "all values are tied")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(5, 2), (6, 4), (20, 10)])
def test_nemenyi_is_the_studentized_range_of_the_rank_difference(n, k, ties):
    """Against scikit-posthocs on the values themselves, and the p-value worked out here."""
    import scikit_posthocs

    values = _table(n, k, seed=k, ties=ties)
    names = [str(j) for j in range(k)]
    expected = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    for result in nemenyi(values, names):
        i, j = map(int, result.groups)
        q = abs(result.statistic) / np.sqrt(k * (k + 1) / (6 * n)) * np.sqrt(2)
        assert result.p == pytest.approx(expected[i, j], rel=1e-9, abs=1e-15)
        assert result.p == pytest.approx(
            stats.studentized_range.sf(q, k, np.inf), rel=1e-6, abs=1e-12
        )


@pytest.mark.parametrize(
    ("k", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (10, 3.164)],
)
def test_critical_values_as_printed(k, q):
    """Critical values of the two-tailed Nemenyi test at .05, table 5 (a) of Demsar (2006)."""
    assert critical_difference(k, 1) / np.sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=1.1e-3)


def test_the_critical_difference_is_where_p_crosses_alpha():
    """A mean rank difference on either side of it has p on either side of alpha."""
    n, k = 40, 3
    least = critical_difference(k, n)
    # A block that swaps the first two takes 2 / n off their difference, which is 1 without any.
    swaps = [int(np.floor((1 - least) * n / 2)), int(np.ceil((1 - least) * n / 2))]
    p = []
    for swapped in swaps:
        values = np.tile([3.0, 2.0, 1.0], (n, 1))
        values[:swapped, :2] = [2.0, 3.0]
        p.append(nemenyi(values, "abc")[0].p)
    assert p[0] < 0.05 < p[1]


def test_a_block_is_ranked_by_itself():
    """Values counted as tied by the largest of all blocks: one of 1e13 tied all those near 1."""
    values = np.array([[1.0, 2.0, 3.0], [1e13, 3e13, 2e13], [3e-13, 1e-13, 2e-13]])
    expected = [[3, 2, 1], [3, 1, 2], [1, 3, 2]]
    assert ranks(values, "abc").tolist() == expected
    assert page_trend(values, tuple("abc")).statistic == 14 + 13 + 11
    alone = friedman(np.array(expected), "abc", higher_is_better=False)
    assert friedman(values, "abc") == alone


def test_rounding_makes_no_rank():
    values = np.array([[0.1 + 0.2, 0.3, 0.1], [0.3, 0.1 + 0.2, 0.1]])
    assert ranks(values, "abc").tolist() == [[1.5, 1.5, 3.0]] * 2


@pytest.mark.parametrize(
    ("values", "names", "words"),
    [
        (np.ones((3, 1)), "a", "3 blocks and 1 methods"),
        (np.ones((0, 3)), "abc", "0 blocks"),
        (np.ones((3, 2)), "abc", "3 names"),
        (np.array([[1.0, np.nan], [1.0, 2.0]]), "ab", "b has no value in block 0"),
    ],
)
def test_blocks_that_cannot_be_ranked(values, names, words):
    for test in (friedman, nemenyi):
        with pytest.raises(InputError, match=words):
            test(values, names)


def test_page_trend_is_that_of_scipy_and_knows_its_limits():
    generator = np.random.default_rng(0)
    values = generator.normal(size=(9, 5)) + np.arange(5)
    result = page_trend(values, tuple("abcde"))
    expected = stats.page_trend_test(values, method="exact")
    assert result.statistic == expected.statistic
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    many = page_trend(np.tile(values, (6, 1)), tuple("abcde"))
    assert many.p == stats.page_trend_test(np.tile(values, (6, 1)), method="asymptotic").pvalue
    assert many.p_method == "normal approximation"
    assert result.p < 0.001 < page_trend(-values, tuple("abcde")).p
    short = page_trend(values[:, :2], ("a", "b"))
    assert np.isnan(short.p) and "three conditions" in short.note
    for wrong, words in (
        (np.nan, "e has no value in block 0"),
        (np.inf, "e has an infinite value"),
    ):
        values[0, 4] = wrong
        with pytest.raises(InputError, match=words):
            page_trend(values, tuple("abcde"))


def _sums_of_squares(values):
    """F and p of the two-way layout without replicates, from sums of squares."""
    n, k = values.shape
    mean = values.mean()
    groups = n * np.sum((values.mean(axis=0) - mean) ** 2)
    blocks = k * np.sum((values.mean(axis=1) - mean) ** 2)
    rest = np.sum((values - mean) ** 2) - groups - blocks
    f = (groups / (k - 1)) / (rest / ((n - 1) * (k - 1)))
    return f, stats.f.sf(f, k - 1, (n - 1) * (k - 1))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_analysis_of_variance_by_sums_of_squares(k):
    generator = np.random.default_rng(k)
    values = generator.normal(size=(9, k)) + generator.normal(0, 5, (9, 1)) + np.arange(k)
    result = repeated_measures_anova(values, "abcd"[:k])
    f, p = _sums_of_squares(values)
    assert (result.statistic, result.p) == (pytest.approx(f), pytest.approx(p))
    assert (result.name, result.n, result.groups) == ("anova_within", 9, tuple("abcd"[:k]))
    if k == 2:  # F is the square of the paired t
        t = stats.ttest_rel(values[:, 0], values[:, 1])
        assert result.statistic == pytest.approx(t.statistic**2)
        assert result.p == pytest.approx(t.pvalue)


def test_normality_of_residuals_is_that_of_what_both_means_leave():
    generator = np.random.default_rng(0)
    values = generator.normal(size=(20, 3)) + 10 * np.arange(20)[:, None] + np.arange(3)
    residuals = values - values.mean(axis=1)[:, None] - values.mean(axis=0) + values.mean()
    expected = stats.shapiro(residuals.ravel())
    result = shapiro_residuals(values, "abc")
    assert (result.statistic, result.p) == (
        pytest.approx(expected.statistic),
        pytest.approx(expected.pvalue),
    )
    assert result.p > 0.05 > shapiro_residuals(np.exp(values % 7), "abc").p


def test_nothing_differs():
    values = np.tile(np.arange(1.0, 6.0)[:, None], (1, 3))
    result = repeated_measures_anova(values, "abc")
    assert (result.statistic, result.p) == (0, 1) and "tied" in result.note
    assert np.isnan(shapiro_residuals(values, "abc").p)
    assert "no residuals" in shapiro_residuals(values, "abc").note


def test_group_and_block_means_that_explain_all():
    """F was 1.7e30, of residuals that are rounding."""
    values = np.add.outer(np.array([0.1, 0.7, 0.3, 0.9]), np.array([0.0, 0.1, 0.3]))
    for test, words in (
        (repeated_measures_anova, "no residuals to estimate the error"),
        (shapiro_residuals, "no residuals to test"),
    ):
        result = test(values, "abc")
        assert np.isnan(result.statistic) and np.isnan(result.p) and result.note == words
    values[0, 0] += 1e-6
    assert 0 < repeated_measures_anova(values, "abc").p < 1e-6


@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2), (2, 3)])
def test_residuals_of_few_degrees_of_freedom_are_not_tested(n, k):
    """Shapiro's p of 2 x 2 values was .0239, whatever they are: residuals are a, -a, -a and a."""
    values = _table(n, k)
    result = shapiro_residuals(values, "abc"[:k])
    freedom = (n - 1) * (k - 1)
    assert np.isnan(result.p) and f"{n} x {k} residuals have {freedom}" in result.note
    assert not np.isnan(shapiro_residuals(_table(n + 2, k), "abc"[:k]).p)
    assert not np.isnan(repeated_measures_anova(values, "abc"[:k]).p)


def test_a_single_block_has_no_analysis_of_variance():
    for test in (repeated_measures_anova, shapiro_residuals):
        result = test(np.array([[1.0, 2.0]]), "ab")
        assert np.isnan(result.p) and result.note
    with pytest.raises(InputError, match="b has no value in block 0"):
        repeated_measures_anova(np.array([[1.0, np.nan], [1.0, 2.0]]), "ab")


def test_shares_of_the_largest():
    shares = share_of_largest(np.array([[2.0, 4.0, 1.0], [0.0, 0.0, 0.0]]))
    assert shares.tolist() == [[0.5, 1.0, 0.25], [0.0, 0.0, 0.0]]


def test_friedman_with_and_without_the_correction_for_ties():
    values = np.array([[1.0, 1.0, 2.0], [3.0, 1.0, 2.0], [2.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    corrected, plain = (friedman(values, "abc", correct_ties=c) for c in (True, False))
    assert corrected.statistic == pytest.approx(stats.friedmanchisquare(*values.T).statistic)
    of_block = ranks(values, "abc")
    sums = of_block.sum(axis=0)
    assert plain.statistic == pytest.approx(12 / (4 * 3 * 4) * np.sum(sums**2) - 3 * 4 * 4)
    assert (corrected.name, plain.name) == ("friedman", "friedman_without_ties")
    assert corrected.statistic > plain.statistic


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_smallest_p_is_that_of_differences_of_one_sign(n, alternative):
    above, below = np.arange(1.0, n + 1), np.zeros(n)
    found = wilcoxon(above, below, ("a", "b"), alternative)
    assert smallest_p(n, alternative) == pytest.approx(found.p)
