"""Statements T5-01 to T5-08 of data/published/claims.csv, judged as their `how_to_test` says.

Each test is carried out to the letter on the mean over all forests, on forest 0 (the published
protocol), on each forest alone, and on the cells that the thesis prints: not all of its statements
follow from its own tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from hedgerow.experiments.step import table
from hedgerow.experiments.structure.plan import (
    EXAMPLES,
    REFERENCES,
    SCALES,
    VARIANTS,
    StructurePlan,
)
from hedgerow.experiments.structure.tables import LABELS, NORMED, number_of, said, values_of
from hedgerow.reporting.verdicts import NOT, OPEN, PARTLY, REPRODUCED, Judged, verdict

TYPE_A = tuple(m for m in VARIANTS if m.startswith("edit_a"))
TYPE_B = tuple(m for m in VARIANTS if m.startswith("edit_b"))
CORRELATED = tuple(m for m in VARIANTS if m not in ("edit_a1", "edit_b1"))
PLAIN, NORMALISED = SCALES
BEST = ("edit_b2_spearman", PLAIN)
EXACT = 9  # decimals: equal means differ by rounding


class _NotMeasuredError(LookupError):
    """No forest has what a statement speaks of."""


class Evidence:
    """One value per method, scale and metric: of one forest, the mean of several, or printed.

    Parameters
    ----------
    cells : mapping of (method, scale, metric) to float
    seeds : list of mapping of (method, scale) to float, optional
        Silhouettes by seed of k-means.
    bootstrap : DataFrame, optional
        `statistics` of the forests.
    """

    def __init__(self, cells: Mapping[tuple, float], seeds=(), bootstrap=None):
        self._cells = {k: round(float(v), EXACT) for k, v in cells.items() if not pd.isna(v)}
        self.seeds, self.bootstrap = list(seeds), bootstrap

    def get(self, method: str, scale: str, metric: str) -> float:
        """A value; where there is none, the statement is open."""
        if (method, scale, metric) not in self._cells:
            raise _NotMeasuredError
        return self._cells[method, scale, metric]

    def has(self, metric: str) -> bool:
        """Whether any variant has a value of a metric."""
        return any(m == metric for _, _, m in self._cells)


@table(
    "Statements of chapter 5",
    caption="Each statement after its test. {ran}",
    words=said,
)
def structure_claims(
    results: Mapping[str, pd.DataFrame], published: Mapping[str, pd.DataFrame], plan: StructurePlan
) -> pd.DataFrame:
    """Statements T5-01 to T5-08 of chapter 5 after their tests.

    Parameters
    ----------
    results : mapping of DataFrame
        The tables of `hedgerow.experiments.structure`, all forests: `closeness`, `scores` and
        `statistics` are read, of the data set of the chapter.
    published : mapping of DataFrame
        data/published/thesis_table_5_*.csv by their ids.
    plan : StructurePlan

    Returns
    -------
    DataFrame
        claim, verdict and measured (mean over all forests; each score over those that have such
        pairs), verdict_first and first (forest 0), n_reproduced of the n_judged forests that can
        speak to it, verdict_printed and printed (the same test on the cells that the thesis
        prints).
    """
    chapter = set(plan.printed.values())
    own = {
        name: results[name][results[name]["dataset"].isin(chapter)]
        for name in ("closeness", "scores", "statistics")
    }
    numbers = sorted(own["closeness"]["forest"].unique())
    every = _measured(own, numbers)
    alone = {number: _measured(own, [number]) for number in numbers}
    printed = _printed(published)
    lines = []
    for judge in JUDGES:
        mean, theirs = _judge(judge, every), _judge(judge, printed)
        each = {number: _judge(judge, evidence) for number, evidence in alone.items()}
        first = each.get(0, Judged(judge.claim, OPEN, "forest 0 was not run"))
        judged = [j for j in each.values() if j.verdict != OPEN]
        lines.append(
            {
                "claim": judge.claim,
                "verdict": mean.verdict,
                "measured": mean.measured,
                "verdict_first": first.verdict,
                "first": first.measured,
                "n_reproduced": sum(j.verdict == REPRODUCED for j in judged),
                "n_judged": len(judged),
                "verdict_printed": theirs.verdict,
                "printed": theirs.measured,
            }
        )
    return pd.DataFrame(lines)


def _measured(own: Mapping[str, pd.DataFrame], numbers) -> Evidence:
    """Means over some forests of the chapter's data set."""
    closeness, scores, statistics = (
        own[name][own[name]["forest"].isin(numbers)]
        for name in ("closeness", "scores", "statistics")
    )
    cells = values_of(closeness, scores).groupby(["method", "scale", "metric"])["value"].mean()
    by_seed = scores.groupby(["seed", "method", "scale"])["silhouette"].mean()
    seeds = [by_seed[seed].to_dict() for seed in sorted(scores["seed"].unique())]
    return Evidence(cells.to_dict(), seeds, statistics)


def _printed(published: Mapping[str, pd.DataFrame]) -> Evidence:
    cells = {}
    for name in ("thesis_table_5_1", "thesis_table_5_2"):
        for row in published[name].itertuples(index=False):
            cells[NORMED.get(row.method, row.method), row.criterion, row.metric] = number_of(
                row.value
            )
    return Evidence(cells)


def _judge(judge: Callable[[Evidence], Judged], evidence: Evidence) -> Judged:
    try:
        return judge(evidence)
    except _NotMeasuredError:
        return Judged(judge.claim, OPEN, "no such pair of trees")


JUDGES: list[Callable[[Evidence], Judged]] = []


def _of(claim: str):
    """Name the statement that a function judges, and put it on the list."""

    def register(judge):
        judge.claim = claim
        JUDGES.append(judge)
        return judge

    return register


def _span(values, digits: int = 2) -> str:
    low, high = (f"{v:.{digits}f}" for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


@_of("T5-01")
def _correlations_bring_closer_to_predictions(e: Evidence) -> Judged:
    words, smaller = [], 0
    for first, second in (("edit_a2_spearman", "edit_a1"), ("edit_b2_spearman", "edit_b1")):
        for scale in SCALES:
            for reference in REFERENCES:
                one, two = (e.get(m, scale, f"norm_diff_to_{reference}") for m in (first, second))
                smaller += one < two
                if one >= two:
                    name = "normalised " if scale == NORMALISED else ""
                    short = {"d_kl": "d_KL", "d_p": "d_p"}[reference]
                    words.append(
                        f"{name}{LABELS[first].split()[0]} {one:.1f} against {LABELS[second]} "
                        f"{two:.1f} ({short})"
                    )
    text = f"smaller in {smaller} of 8 pairs"
    if words:
        text += f"; not: {', '.join(words)}"
    if e.bootstrap is not None and len(e.bootstrap):
        below, above = (e.bootstrap["high"] < 0).sum(), (e.bootstrap["low"] > 0).sum()
        text += (
            f"; of {len(e.bootstrap)} bootstrap intervals of the difference {below} lie below 0 "
            f"and {above} above"
        )
    return Judged("T5-01", verdict(smaller == 8, smaller >= 6), text)


@_of("T5-02")
def _type_a_is_larger(e: Evidence) -> Judged:
    pairs = [(a, a.replace("edit_a", "edit_b")) for a in TYPE_A]
    metrics, name = ["mean_distance"], "mean distance"
    if not e.has("mean_distance"):  # the thesis prints norms only, with Spearman's correlation
        metrics = [f"norm_diff_to_{r}" for r in REFERENCES]
        name = "norm of the difference, in place of means, which the thesis does not print,"
        pairs = [p for p in pairs if p[0] in NORMED.values()]
    found = [(e.get(a, PLAIN, m), e.get(b, PLAIN, m)) for m in metrics for a, b in pairs]
    larger = sum(a > b for a, b in found)
    ratios = [a / b if b else np.inf for a, b in found]
    return Judged(
        "T5-02",
        verdict(larger == len(found), 2 * larger > len(found)),
        f"{name} of type A larger in {larger} of {len(found)} pairs, {_span(ratios)} times that of "
        "type B",
    )


@_of("T5-03")
def _normalised_keep_parents_and_children_less(e: Evidence) -> Judged:
    metric = EXAMPLES["insertion_deletion"]
    found = [(e.get(m, NORMALISED, metric), e.get(m, PLAIN, metric)) for m in VARIANTS]
    lower = sum(n < p for n, p in found)
    return Judged(
        "T5-03",
        verdict(lower == 8, lower >= 6),
        f"lower for {lower} of 8 distances: {_span([n for n, _ in found])} normalised, "
        f"{_span([p for _, p in found])} not",
    )


def _all_b_above_a(e: Evidence, metric: str, scales) -> tuple[bool, bool, str]:
    """Whether every B is above every A, whether their means are, and in words."""
    a, b = ([e.get(m, s, metric) for m in t for s in scales] for t in (TYPE_A, TYPE_B))
    words = f"type B {_span(b)}, mean {np.mean(b):.2f}; type A {_span(a)}, mean {np.mean(a):.2f}"
    mean = round(float(np.mean(b) - np.mean(a)), EXACT) > 0
    return min(b) > max(a), mean, words


@_of("T5-04")
def _type_b_tells_more_about_size(e: Evidence) -> Judged:
    every, mean, words = _all_b_above_a(e, "nmi_cluster_n_nodes", SCALES)
    return Judged("T5-04", verdict(every and mean, mean), words)


@_of("T5-05")
def _only_correlations_group_correlated_variables(e: Evidence) -> Judged:
    metric = EXAMPLES["correlated"]
    with_, without = (
        {m: e.get(m, PLAIN, metric) for m in group}
        for group in (CORRELATED, ("edit_a1", "edit_b1"))
    )
    above = sum(one > two for one in with_.values() for two in without.values())
    n = len(with_) * len(without)
    a2, b2 = ([v for m, v in with_.items() if m.startswith(k)] for k in ("edit_a", "edit_b"))
    return Judged(
        "T5-05",
        verdict(above == n, 2 * above > n),
        f"above in {above} of {n} pairings: A1 {without['edit_a1']:.2f}, B1 "
        f"{without['edit_b1']:.2f}, A2 {_span(a2)}, B2 {_span(b2)}",
    )


@_of("T5-06")
def _type_b_groups_same_variables(e: Evidence) -> Judged:
    every, mean, words = _all_b_above_a(e, EXAMPLES["same_variable"], (PLAIN,))
    return Judged("T5-06", verdict(every, mean), words)


@_of("T5-07")
def _type_b_is_more_consistent(e: Evidence) -> Judged:
    every, mean, words = _all_b_above_a(e, "silhouette", SCALES)
    if e.seeds:
        won = sum(
            min(s[m, c] for m in TYPE_B for c in SCALES)
            > max(s[m, c] for m in TYPE_A for c in SCALES)
            for s in e.seeds
        )
        words += f"; every B above every A with {won} of {len(e.seeds)} seeds"
    return Judged("T5-07", verdict(every, mean), words)


@_of("T5-08")
def _b2_spearman_is_best(e: Evidence) -> Judged:
    cells = [(m, s) for m in VARIANTS for s in SCALES]
    silhouette = {c: e.get(*c, "silhouette") for c in cells}
    largest = max(silhouette.values())
    first = [c for c in cells if silhouette[c] == largest]
    b2 = [c for c in cells if c[0].startswith("edit_b2") and c[1] == PLAIN]
    near = max(silhouette[c] for c in b2) - min(silhouette[c] for c in b2)
    lower, unknown = [], []
    for criterion, metric in EXAMPLES.items():
        try:
            scores = {c: e.get(*c, metric) for c in cells}
        except _NotMeasuredError:
            unknown.append(criterion)
            continue
        if max(scores.values()) > scores[BEST]:
            lower.append(criterion)
    name = " and ".join(_name(c) for c in first)
    words = (
        f"highest silhouette {largest:.3f}: {name}; B2 Spearman {silhouette[BEST]:.3f}; the three "
        f"unnormalised B2 within {near:.3f}"
    )
    named = {"insertion_deletion": "insertions", "same_variable": "same variable"}
    if lower:
        words += f"; others score higher in {', '.join(named.get(c, c) for c in lower)}"
    holds = BEST in first and not lower and near <= 0.1
    partly = any(c in b2 for c in first)
    if holds and unknown:
        return Judged("T5-08", OPEN, f"{words}; no pair of trees for {', '.join(unknown)}")
    return Judged("T5-08", REPRODUCED if holds else PARTLY if partly else NOT, words)


def _name(cell: tuple[str, str]) -> str:
    return LABELS[cell[0]] + (" normalised" if cell[1] == NORMALISED else "")
