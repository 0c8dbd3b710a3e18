"""Statistics of trees by Monte Carlo search (thesis, chapter 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow_study.experiments.search.plan import FAMILIES, METRICS, SearchPlan
from hedgerow_study.experiments.step import step

# -------------------------------------------------------------------------------- statistics


@step("datasets")
def statistics(rows: pd.DataFrame, plan: SearchPlan) -> pd.DataFrame:
    """The tests of tables 4.2, 4.4 and 4.6 on repeat 0, over the data sets of chapter 4."""
    of_chapter = rows["dataset"].isin(set(plan.printed.values()))
    return compare(rows[of_chapter & (rows["repeat"] == 0)])


def compare(cells: pd.DataFrame, tables: Iterable[str] = tuple(FAMILIES)) -> pd.DataFrame:
    """Every test of tables 4.2, 4.4 and 4.6 on one value per data set, method and criterion.

    The paper tests tables 4.2 and 4.4 by a within-subjects analysis of variance on normalised
    metrics and table 4.6 by Friedman's test, each followed by Wilcoxon's test of all pairs. All of
    them are given for every table, with Shapiro's test of the residuals that the first rests on,
    Wilcoxon's p corrected by Holm over the pairs of one metric, and Nemenyi's after Friedman's.

    Returns: table, metric, the attributes of `TestResult`, and better: of a pair the group that the
    difference favours at p < .05, else `none`; empty for tests of all groups. Data sets without all
    groups of a table are left out of it.
    """
    lines = []
    for table, (metric, more) in itertools.product(tables, METRICS.items()):
        wide = wide_cells(cells, metric, FAMILIES[table])
        if len(wide):
            lines += [(table, metric, *each) for each in _tests(wide, more)]
    frame = pd.DataFrame(lines, columns=["table", "metric", "result", "better"])
    results = significance.to_frame(frame.pop("result"))
    frame = pd.concat([frame[["table", "metric"]], results, frame["better"]], axis=1)
    # Categories in the order of the tables; within a table and metric as the tests were made.
    return frame.reset_index(drop=True)


def wide_cells(
    cells: pd.DataFrame, metric: str, groups: Mapping[str, tuple[str, str]]
) -> pd.DataFrame:
    """Data sets by groups, those without a value left out."""
    columns = {}
    for name, (method, criterion) in groups.items():
        selected = cells[(cells["method"] == method) & (cells["criterion"] == criterion)]
        columns[name] = selected.set_index("dataset")[metric].astype(float)
    return pd.DataFrame(columns).dropna().sort_index()


def _tests(wide: pd.DataFrame, more: bool) -> Iterable[tuple[significance.TestResult, str]]:
    """Results of one metric, each with the better group of a pair."""
    groups = tuple(wide.columns)
    values = wide.to_numpy()
    normalised = significance.share_of_largest(values)
    yield significance.repeated_measures_anova(normalised, groups), ""
    yield significance.shapiro_residuals(normalised, groups), ""
    for correct_ties in (True, False):
        yield significance.friedman(values, groups, more, correct_ties), ""
    pairs = list(itertools.combinations(range(len(groups)), 2))
    results, ahead = [], []
    for i, j in pairs:
        first, second = (values[:, k] if more else -values[:, k] for k in (i, j))
        names = (groups[i], groups[j])
        results.append(significance.wilcoxon(first, second, names))
        greater = significance.wilcoxon(first, second, names, "greater").p
        less = significance.wilcoxon(first, second, names, "less").p
        ahead.append(names[0] if greater < less else names[1])
    for corrected in (results, significance.holm(results)):
        for result, name in zip(corrected, ahead, strict=True):
            yield result, name if result.p < significance.LEVEL else "none"
    for result in significance.nemenyi(values, groups, higher_is_better=more):
        name = result.groups[0] if result.statistic > 0 else result.groups[1]
        yield result, name if result.p < significance.LEVEL else "none"
