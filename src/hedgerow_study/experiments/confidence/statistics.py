"""Gains over the base tree, and tests of them over data sets (Katz and others, section IV)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from hedgerow.evaluation import significance
from hedgerow_study.experiments.confidence.plan import (
    AFFECTED_METRICS,
    BASE,
    CRITERIA,
    FOREST,
    KINDS,
    ORDER,
    TREES,
    VERSIONS,
    ConfidencePlan,
)
from hedgerow_study.experiments.frames import concat_or_empty, sorted_
from hedgerow_study.experiments.step import step

COMB = "confdtree_comb"


def kind_of(facts: pd.DataFrame) -> pd.Series:
    """`binary` or `multi_class` of each data set, by its name."""
    n_classes = facts.set_index("dataset")["n_classes"]
    return n_classes.map(lambda n: KINDS[0] if n == 2 else KINDS[1])


def independent_datasets(plan: ConfidencePlan, available: Sequence[str]) -> list[str]:
    """Data sets that statistics count: of those that fit one row of the paper the first."""
    twins = {key: [k for k in keys if k in available] for key, keys in plan.printed.items()}
    left_out = {k for keys in twins.values() for k in keys[1:]}
    return sorted(set(available) - left_out)


def gains_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Relative improvement of the area over that of each base tree (section IV, table I).

    Returns: tree, dataset, method (versions and the forest), criterion, auc and base_auc (means
    over cross validations), gain (per cent: 100 (auc / base_auc - 1)), lowest and highest gain of a
    cross validation, n_repeats.
    """
    areas = rows[rows["metric"].isin(CRITERIA)]
    of_forest = areas[areas["method"] == FOREST]
    frames = []
    for tree in TREES:
        mine = areas[areas["tree"] == tree]
        base = mine[mine["method"] == BASE]
        key = ["dataset", "repeat", "metric"]
        others = pd.concat([mine[mine["method"] != BASE], of_forest])
        both = others.merge(base[[*key, "value"]], on=key, suffixes=("", "_base"))
        both["gain"] = 100.0 * (both["value"] / both["value_base"] - 1.0)
        cells = both.groupby(["dataset", "method", "metric"])
        gains = cells.agg(
            auc=("value", "mean"),
            base_auc=("value_base", "mean"),
            lowest=("gain", "min"),
            highest=("gain", "max"),
            n_repeats=("gain", "size"),
        ).reset_index()
        gains["gain"] = 100.0 * (gains["auc"] / gains["base_auc"] - 1.0)
        frames.append(gains.assign(tree=tree))
    whole = pd.concat(frames, ignore_index=True).rename(columns={"metric": "criterion"})
    columns = [*ORDER["gains"], "auc", "base_auc", "gain", "lowest", "highest", "n_repeats"]
    return sorted_(whole[columns], ORDER["gains"])


def statistics(
    rows: pd.DataFrame, gains: pd.DataFrame, facts: pd.DataFrame, plan: ConfidencePlan
) -> pd.DataFrame:
    """Tests over data sets.

    Returns: part, tree, kind (`binary`, `multi_class` or `all`), method, criterion, name,
    statistic, p, n (data sets), difference. By part: - `base`: the base tree against a method, as
    table II has it (base less method): `wilcoxon` (exact where it may be), `wilcoxon_normal` (z and
    p by the normal approximation, as printed) and `paired_t`; difference is the mean gain, per
    cent; - `forest`: the same of `confdtree_comb` against the random forest; - `affected`:
    Spearman's correlation over data sets of the share of affected instances and the gain;
    `imbalance`: of the largest class to the smallest and the gain.
    """
    kinds = kind_of(facts)
    names = independent_datasets(plan, facts["dataset"].tolist())
    imbalance = facts.set_index("dataset")["imbalance_ratio"]
    lines: list[dict] = []
    for (tree, criterion), cells in gains.groupby(["tree", "criterion"], sort=False):
        wide = {
            c: cells.pivot(index="dataset", columns="method", values=c) for c in ("auc", "gain")
        }
        base = cells.groupby("dataset")["base_auc"].first()
        metric = AFFECTED_METRICS[plan.affected]
        affected = rows[(rows["tree"] == tree) & (rows["metric"] == metric)]
        affected = affected.groupby(["dataset", "method"])["value"].mean().unstack()
        for kind in (*KINDS, "all"):
            sets = [n for n in names if n in base.index and (kind == "all" or kinds[n] == kind)]
            if not sets:
                continue
            key = {"tree": tree, "kind": kind, "criterion": criterion}
            for method in (*VERSIONS, FOREST):
                gain = wide["gain"].loc[sets, method].mean()
                cell = {**key, "method": method, "difference": gain}
                tests = _paired(base[sets], wide["auc"].loc[sets, method])
                lines += [{"part": "base", **cell, **test} for test in tests]
            other = wide["auc"].loc[sets]
            difference = (other[FOREST] - other[COMB]).mean()
            lines += [
                {"part": "forest", **key, "method": COMB, "difference": difference, **test}
                for test in _paired(other[COMB], other[FOREST])
            ]
            for method in VERSIONS:
                gain = wide["gain"].loc[sets, method]
                for part, along in (("affected", affected[method]), ("imbalance", imbalance)):
                    test = _correlated(along[sets], gain)
                    lines.append({"part": part, **key, "method": method, **test})
    columns = [*ORDER["statistics"], "statistic", "p", "n", "difference"]
    return sorted_(pd.DataFrame(lines).reindex(columns=columns), ORDER["statistics"])


def _paired(first: pd.Series, second: pd.Series) -> Iterator[dict]:
    """Tests of first less second."""
    from scipy import stats

    one, two, n = first.to_numpy(), second.to_numpy(), len(first)
    exact = significance.wilcoxon(one, two, ("first", "second"))
    yield {"name": "wilcoxon", "statistic": exact.statistic, "p": exact.p, "n": n}
    nan = {"statistic": float("nan"), "p": float("nan"), "n": n}
    if n < 2 or not (one != two).any():
        yield {"name": "wilcoxon_normal", **nan}
        yield {"name": "paired_t", **nan}
        return
    normal = stats.wilcoxon(one, two, method="asymptotic", correction=False)
    yield {"name": "wilcoxon_normal", "statistic": normal.zstatistic, "p": normal.pvalue, "n": n}
    paired = stats.ttest_rel(one, two)
    yield {"name": "paired_t", "statistic": paired.statistic, "p": paired.pvalue, "n": n}


def _correlated(first: pd.Series, second: pd.Series) -> dict:
    from scipy import stats

    n = len(first)
    correlation = {"name": "spearman", "statistic": float("nan"), "p": float("nan"), "n": n}
    if n > 2 and first.nunique() > 1 and second.nunique() > 1:
        test = stats.spearmanr(first.to_numpy(), second.to_numpy())
        correlation |= {"statistic": float(test.statistic), "p": float(test.pvalue)}
    return correlation


@step("affected", "datasets", outputs=("rows", "facts", "gains", "sizes", "statistics"))
def merged(
    rows: Sequence[pd.DataFrame],
    facts: Sequence[pd.DataFrame],
    sizes: Sequence[pd.DataFrame],
    plan: ConfidencePlan,
) -> dict[str, pd.DataFrame]:
    """Tables of all chunks and data sets, gains and their tests."""
    parts = {"rows": (rows, ["value"]), "facts": (facts, _FACTS), "sizes": (sizes, ["value"])}
    whole = {name: concat_or_empty(of[0], ORDER[name], of[1]) for name, of in parts.items()}
    whole["facts"] = whole["facts"].drop_duplicates("dataset", ignore_index=True)
    whole["gains"] = gains_of(whole["rows"])
    tests = statistics(whole["rows"], whole["gains"], whole["facts"], plan)
    return {**whole, "statistics": tests}


_FACTS = ["n_instances", "n_classes", "n_variables", "n_numeric_variables", "imbalance_ratio"]
