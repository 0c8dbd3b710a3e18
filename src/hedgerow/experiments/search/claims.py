"""Statements T4-01 to T4-13 of data/published/claims.csv, judged as their `how_to_test` says.

Each test is carried out to the letter, p-values included, once on what was measured on split 0 and
once on the cells that the thesis prints: some of its statements do not follow from its own tables.
With few data sets hardly anything can be reproduced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from scipy import stats

from hedgerow.evaluation.significance import (
    friedman,
    repeated_measures_anova,
    share_of_largest,
    wilcoxon,
)
from hedgerow.experiments.search.plan import BOTH, FAMILIES, METRICS, SearchPlan
from hedgerow.experiments.search.statistics import wide_cells
from hedgerow.experiments.search.tables import (
    LARGE,
    SMALL,
    first_split,
    instances,
    printed_cells,
    said,
    uct_against_c45,
)
from hedgerow.experiments.step import table
from hedgerow.reporting.verdicts import OPEN, Judged, signed, verdict

VS, C45, C45B, TREE, ETE = (
    ("uct_vs", BOTH),
    ("uct_c45", BOTH),
    ("uct_c45b", BOTH),
    ("c45", ""),
    ("ete", ""),
)


class _NotMeasuredError(LookupError):
    """No data set has what a statement speaks of."""


class Evidence:
    """One value per data set of chapter 4, method and criterion: measured, or printed.

    Parameters
    ----------
    cells : DataFrame
        dataset, method, criterion, f1, n_leaves, f1_per_leaf, search_depth; validation_f1 where it
        is known.
    sizes : Series
        Instances by data set.
    nb : Series
        Whether naive Bayes has the better F1, by data set.
    """

    def __init__(self, cells: pd.DataFrame, sizes: pd.Series, nb: pd.Series):
        self.cells, self.sizes, self.nb = cells, sizes, nb

    def pair(self, metric: str, first: tuple, second: tuple) -> pd.DataFrame:
        """Both values by data set, columns `first` and `second`."""
        wide = wide_cells(self.cells, metric, {"first": first, "second": second})
        if wide.empty:
            raise _NotMeasuredError
        return wide

    def gain(self, metric: str, first: tuple, second: tuple) -> pd.Series:
        """First minus second, by data set."""
        wide = self.pair(metric, first, second)
        # As exact as what is printed: a tie of printed cells is no difference of 1e-15.
        return (wide["first"] - wide["second"]).round(9)

    def p(self, metric: str, first: tuple, second: tuple, alternative: str) -> float:
        """Wilcoxon signed-rank test over data sets."""
        wide = self.pair(metric, first, second)
        groups = ("|".join(first), "|".join(second))
        one, two = (wide[c].to_numpy() for c in ("first", "second"))
        return wilcoxon(one, two, groups, alternative).p


@table(
    "Statements of chapter 4",
    caption="Each statement after its test. {ran}",
    words=said,
)
def search_claims(
    rows: pd.DataFrame,
    properties: pd.DataFrame,
    published: Mapping[str, pd.DataFrame],
    plan: SearchPlan,
) -> pd.DataFrame:
    """Statements T4-01 to T4-13 of chapter 4 after their tests.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `hedgerow.experiments.search.run`; split 0 is read.
    properties : DataFrame
        Of all data sets, as returned by `hedgerow.experiments.search_properties.properties`.
    published : mapping of DataFrame
        data/published/thesis_table_4_*.csv by their ids.
    plan : SearchPlan

    Returns
    -------
    DataFrame
        claim, verdict, measured, n_datasets, then verdict_printed and printed: the same test on
        the cells that the thesis prints.
    """
    own = Evidence(*_measured(rows, properties, plan))
    printed = Evidence(*_printed(published, plan))
    lines = []
    for judge in JUDGES:
        mine, theirs = _judge(judge, own), _judge(judge, printed)
        lines.append({**vars(mine), "verdict_printed": theirs.verdict, "printed": theirs.measured})
    return pd.DataFrame(lines)


def _measured(rows, properties, plan):
    rows = first_split(rows)
    rows = rows[rows["dataset"].isin(set(plan.printed.values()))]
    wide = properties.pivot(index="dataset", columns="metric", values="value")
    return rows, rows.groupby("dataset")["n_rows"].first(), wide["f1_nb"] > wide["f1_mean"]


def _printed(published, plan):
    table = published["thesis_table_4_7"]
    nb = table[table["metric"] == "nb_f1_above_avg"].set_index("dataset")["value"] == "yes"
    nb.index = nb.index.map(plan.printed)
    return printed_cells(published, plan), instances(published, plan), nb


def _judge(judge: Callable[[Evidence], Judged], evidence: Evidence) -> Judged:
    try:
        return judge(evidence)
    except _NotMeasuredError:
        return Judged(judge.claim, OPEN, "no data set of this run can speak to it", 0)


JUDGES: list[Callable[[Evidence], Judged]] = []


def _of(claim: str):
    """Name the statement that a function judges, and put it on the list."""

    def register(judge):
        judge.claim = claim
        JUDGES.append(judge)
        return judge

    return register


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {value:.2g}"


def _wins(gain: pd.Series) -> tuple[int, int]:
    return int((gain > 0).sum()), int((gain < 0).sum())


@_of("T4-01")
def _value_pruning_raises_f1(e: Evidence) -> Judged:
    groups = ("uct_vs", "vp"), ("uct_vs", "no_pruning")
    gain, p = e.gain("f1", *groups), e.p("f1", *groups, "greater")
    won, lost = _wins(gain)
    return Judged(
        "T4-01",
        verdict(p < 0.05, gain.mean() > 0 and won > lost),
        f"{signed(gain.mean())} points, better on {won} and worse on {lost} of {len(gain)} data "
        f"sets, {_p(p)}",
        len(gain),
    )


@_of("T4-02")
def _value_pruning_searches_deeper(e: Evidence) -> Judged:
    groups = ("uct_vs", "vp"), ("uct_vs", "no_pruning")
    depth = e.pair("search_depth", *groups).mean()
    deeper = e.p("search_depth", *groups, "greater")
    larger = e.p("n_leaves", *groups, "greater")
    leaves = e.gain("n_leaves", *groups)
    doubled = depth["first"] >= 2 * depth["second"]
    return Judged(
        "T4-02",
        verdict(deeper < 0.05 and larger < 0.05 and doubled, deeper < 0.05),
        f"mean depth {depth['second']:.1f} without and {depth['first']:.1f} with ({_p(deeper)}); "
        f"{signed(leaves.mean())} leaves ({_p(larger)})",
        len(leaves),
    )


@_of("T4-03")
def _tree_pruning_alone_changes_nothing(e: Evidence) -> Judged:
    groups = ("uct_vs", "dtp"), ("uct_vs", "no_pruning")
    depth = e.pair("search_depth", *groups).mean()
    gain, p = e.gain("f1", *groups), e.p("f1", *groups, "two-sided")
    near = abs(depth["first"] / depth["second"] - 1) <= 0.2
    return Judged(
        "T4-03",
        verdict(p >= 0.05 and near, p >= 0.05),
        f"{signed(gain.mean())} points of F1 ({_p(p)}); mean depth {depth['second']:.1f} without "
        f"and {depth['first']:.1f} with",
        len(gain),
    )


@_of("T4-04")
def _tree_pruning_cuts_leaves(e: Evidence) -> Judged:
    groups = ("uct_vs", "vp_dtp"), ("uct_vs", "vp")
    fewer = e.p("n_leaves", *groups, "less")
    ratio = e.p("f1_per_leaf", *groups, "greater")
    lower = e.p("f1", *groups, "less")
    leaves, gain = e.gain("n_leaves", *groups), e.gain("f1", *groups)
    small = [fewer < 0.05, ratio < 0.05]
    return Judged(
        "T4-04",
        verdict(all(small) and lower >= 0.05, any(small)),
        f"{signed(leaves.mean())} leaves ({_p(fewer)}); F1/L {_p(ratio)}; F1 "
        f"{signed(gain.mean())} points (lower: {_p(lower)})",
        len(gain),
    )


@_of("T4-05")
def _value_pruning_helps_large_sets_only(e: Evidence) -> Judged:
    gain = e.gain("f1", ("uct_vs", "vp"), TREE)
    size = e.sizes.reindex(gain.index)
    small, large = gain[size < SMALL], gain[size >= SMALL]
    if small.empty or large.empty:
        raise _NotMeasuredError
    below, above = float((small > 0).mean()), float((large > 0).mean())
    p = float(stats.mannwhitneyu(large, small, alternative="greater").pvalue)
    return Judged(
        "T4-05",
        verdict(below <= 0.2 and above >= 0.6, above > below),
        f"above C4.5 on {int((small > 0).sum())} of {len(small)} data sets below {SMALL} instances "
        f"and on {int((large > 0).sum())} of {len(large)} from there ({_p(p)}, Mann-Whitney)",
        len(gain),
    )


@_of("T4-06")
def _policies_do_not_differ_in_f1(e: Evidence) -> Judged:
    wide = wide_cells(e.cells, "f1", FAMILIES["thesis_table_4_4"])
    if len(wide) < 2:
        raise _NotMeasuredError
    groups = tuple(wide.columns)
    anova = repeated_measures_anova(share_of_largest(wide.to_numpy()), groups).p
    ranks = friedman(wide.to_numpy(), groups).p
    held = [anova >= 0.05, ranks >= 0.05]
    return Judged(
        "T4-06",
        verdict(all(held), any(held)),
        f"analysis of variance {_p(anova)}, Friedman {_p(ranks)}",
        len(wide),
    )


@_of("T4-07")
def _bootstrapping_brings_smaller_trees(e: Evidence) -> Judged:
    p = [
        e.p("n_leaves", C45, VS, "greater"),
        e.p("n_leaves", C45, C45B, "greater"),
        e.p("f1_per_leaf", C45B, C45, "greater"),
    ]
    small = sum(v < 0.05 for v in p)
    return Judged(
        "T4-07",
        verdict(small == 3, small >= 1),
        f"leaves of the C4.5 policy above VS {_p(p[0])} and above C4.5b {_p(p[1])}; F1/L of C4.5b "
        f"above C4.5 {_p(p[2])}",
        len(e.gain("n_leaves", C45, C45B)),
    )


@_of("T4-08")
def _bootstrapping_helps_small_sets(e: Evidence) -> Judged:
    more, small, words, n = [], [], [], 0
    for name, other in (("VS", VS), ("C4.5", C45)):
        gain = e.gain("f1", C45B, other)
        gain = gain[e.sizes.reindex(gain.index) < SMALL]
        if gain.empty:
            raise _NotMeasuredError
        n = len(gain)
        won, lost = _wins(gain)
        p = 1.0
        if won + lost:
            p = float(stats.binomtest(won, won + lost, alternative="greater").pvalue)
        more.append(won > lost)
        small.append(p < 0.05)
        words.append(f"above {name} on {won}, below on {lost} ({_p(p)}, sign test)")
    return Judged(
        "T4-08",
        verdict(all(more) and any(small), all(more)),
        f"{'; '.join(words)}; of {n} data sets below {SMALL} instances",
        n,
    )


@_of("T4-09")
def _uct_has_higher_f1(e: Evidence) -> Judged:
    between, above, words, n = [], [], [], 0
    for name, method in (("VS", VS), ("C4.5b", C45B)):
        gain = e.gain("f1", method, TREE)
        n = len(gain)
        p = e.p("f1", method, TREE, "two-sided")
        share = float((gain > 0).mean())
        between.append(0.55 <= share <= 0.75 and p >= 0.05)
        above.append(share > 0.5 or (p < 0.05 and gain.mean() > 0))
        words.append(f"{name} above C4.5 on {int((gain > 0).sum())} of {n} ({_p(p)})")
    return Judged("T4-09", verdict(all(between), any(above)), "; ".join(words), n)


@_of("T4-10")
def _uct_has_smaller_trees(e: Evidence) -> Judged:
    p = {
        (name, metric): e.p(metric, method, TREE, "greater" if METRICS[metric] else "less")
        for name, method in (("VS", VS), ("C4.5b", C45B))
        for metric in ("n_leaves", "f1_per_leaf")
    }
    small = sum(v < 0.05 for v in p.values())
    wide = {
        m: wide_cells(e.cells, m, FAMILIES["thesis_table_4_6"]) for m in ("n_leaves", "f1_per_leaf")
    }
    words = [f"{name}: {'F1/L' if 'f1' in m else 'leaves'} {_p(v)}" for (name, m), v in p.items()]
    for metric, cells in wide.items():
        if len(cells) > 1:
            result = friedman(cells.to_numpy(), tuple(cells.columns), METRICS[metric])
            name = "F1/L" if "f1" in metric else "leaves"
            words.append(f"Friedman of {name} {result.statistic:.2f} ({_p(result.p)})")
    return Judged(
        "T4-10",
        verdict(small == 4, small >= 2),
        "; ".join(words),
        len(e.gain("n_leaves", VS, TREE)),
    )


@_of("T4-11")
def _ete_has_larger_trees(e: Evidence) -> Judged:
    p = {
        "leaves above C4.5": e.p("n_leaves", ETE, TREE, "greater"),
        "above VS": e.p("n_leaves", ETE, VS, "greater"),
        "above C4.5b": e.p("n_leaves", ETE, C45B, "greater"),
        "F1 below VS": e.p("f1", ETE, VS, "less"),
        "below C4.5b": e.p("f1", ETE, C45B, "less"),
    }
    small = sum(v < 0.05 for v in p.values())
    return Judged(
        "T4-11",
        verdict(small == 5, small >= 3),
        ", ".join(f"{name} {_p(v)}" for name, v in p.items()),
        len(e.gain("n_leaves", ETE, TREE)),
    )


@_of("T4-12")
def _uct_wins_on_large_sets(e: Evidence) -> Judged:
    above = uct_against_c45(e.cells)
    above = above[e.sizes.reindex(above.index) > LARGE]
    if above.empty:
        raise _NotMeasuredError
    n = len(above)
    f1, ratio = (int(above[m].sum()) for m in ("f1", "f1_per_leaf"))
    words = f"best variant above C4.5 in F1 on {f1} and in F1/L on {ratio} of {n} data sets"
    if above["validated_f1"].notna().all():
        chosen = [int(above[f"validated_{m}"].sum()) for m in ("f1", "f1_per_leaf")]
        words += f"; the variant chosen on validation data on {chosen[0]} and {chosen[1]}"
    return Judged(
        "T4-12",
        verdict(f1 == ratio == n, min(f1, ratio) >= 0.75 * n),
        f"{words} above {LARGE} instances",
        n,
    )


@_of("T4-13")
def _uct_wins_less_where_naive_bayes_does(e: Evidence) -> Judged:
    above = uct_against_c45(e.cells)
    above = above[e.sizes.reindex(above.index) < LARGE]
    nb = e.nb.reindex(above.index)
    above, nb = above["f1"][nb.notna()].astype(bool), nb[nb.notna()].astype(bool)
    if not nb.any() or nb.all():
        raise _NotMeasuredError
    counts = np.array([[(above & nb).sum(), (~above & nb).sum()],
                       [(above & ~nb).sum(), (~above & ~nb).sum()]])  # fmt: skip
    p = float(stats.fisher_exact(counts, alternative="less").pvalue)
    better, other = counts[0, 0] / counts[0].sum(), counts[1, 0] / counts[1].sum()
    return Judged(
        "T4-13",
        verdict(better < other and p < 0.05, better < other),
        f"above C4.5 on {counts[0, 0]} of {counts[0].sum()} data sets where naive Bayes is better "
        f"and on {counts[1, 0]} of {counts[1].sum()} others ({_p(p)}, Fisher), below {LARGE} "
        "instances",
        len(above),
    )
