"""ConfDTree's evaluation: areas and changes by hand, chunks, gains and tests by scipy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.frozen import FrozenEstimator

from hedgerow import C45Classifier, ConfDTreeClassifier
from hedgerow.data import TidyTable
from hedgerow_study.experiments.confidence import statistics as confidence_statistics
from hedgerow_study.experiments.confidence import steps as confidence_steps
from hedgerow_study.experiments.confidence.plan import (
    LEARNERS,
    NO_TREE,
    TREES,
    VERSIONS,
    ConfidencePlan,
)

PLAN = ConfidencePlan(n_folds=3, n_repeats=2, n_curve_repeats=2, n_trees=3, shares=(0.3, 0.8))


def made_up(name="made_up", n=120, n_classes=3, seed=0):
    """Numbers and a category, some of them missing; the classes overlap."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, n_classes, n))
    X = pd.DataFrame({f"v{k}": random.normal(y * (k == 0), 1.0) for k in range(3)})
    X["kind"] = pd.Categorical(random.choice(["a", "b"], n))
    X.loc[X.index[::17], "v1"] = np.nan
    classes = [f"class {k}" for k in range(n_classes)]
    return TidyTable(name, X, y.astype(np.int64), classes, "kind of row")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def validated(table):
    return confidence_steps.cross_validate(table, PLAN)


# ------------------------------------------------------------------------------- measures


def test_areas_are_counted_pairs():
    """One class against the rest: the share of pairs in which the row of the class is higher."""
    random = np.random.default_rng(1)
    y, p = random.integers(0, 3, 40), random.dirichlet(np.ones(4), 40).round(1)
    found = confidence_steps.auc_scores(y, p)
    by_hand = []
    for c in range(3):  # nobody has the fourth
        pairs = [(a > b) + 0.5 * (a == b) for a in p[y == c, c] for b in p[y != c, c]]
        by_hand.append(np.mean(pairs))
    assert found["average_auc"] == pytest.approx(np.mean(by_hand))
    weights = np.bincount(y)
    assert found["weighted_average_auc"] == pytest.approx(np.average(by_hand, weights=weights))
    assert np.isnan(confidence_steps.auc_scores(np.zeros(3, int), p[:3])["average_auc"])


def test_changes_by_hand():
    plain = np.array([[0.8, 0.2], [0.8, 0.2], [1.0, 0.0], [0.5, 0.5], [0.3, 0.7]])
    other = np.array([[0.72, 0.28], [0.73, 0.27], [0.9, 0.1], [0.4, 0.6], [0.3, 0.7]])
    found = confidence_steps.changes(plain, other)
    # Of the first 8 points of 80 are a tenth; of the second 7 are less; the third loses a tenth of
    # all, which is ten points; the fourth is assigned anew.
    assert found == {"affected": 0.6, "affected_points": 0.4, "reassigned": 0.2}


# ------------------------------------------------------------------------------------ steps


def test_predictions_of_all_folds_are_put_together(table, validated):
    """COMB on pruned trees, made again by hand."""
    X, y = table.X, table.y
    p = np.zeros((len(y), 3))
    for train, test in confidence_steps.folds_of(table, 1, PLAN):
        tree = C45Classifier(confidence=0.5, min_samples_leaf=2)
        tree.fit(X.iloc[train], y[train])
        model = ConfDTreeClassifier(FrozenEstimator(tree), method="comb")
        p[test] = model.fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])
    rows = validated["rows"].set_index(["repeat", "tree", "method", "metric"])["value"]
    own = rows[1, "pruned", "confdtree_comb"]
    for name, value in confidence_steps.auc_scores(y, p).items():
        assert own[name] == value


def test_every_tree_and_method_has_its_rows(validated):
    rows = validated["rows"]
    found = {(t, m) for t, m in zip(rows["tree"], rows["method"], strict=True)}
    assert found == {(t, m) for t in TREES for m in ("c45", *VERSIONS)} | {(NO_TREE, "rf")}
    assert not rows.duplicated(["dataset", "repeat", "tree", "method", "metric"]).any()
    assert rows["value"].between(0, 1)[rows["metric"] != "n_leaves"].all()
    facts = validated["facts"].iloc[0]
    assert (facts["n_variables"], facts["n_numeric_variables"], facts["n_classes"]) == (4, 3, 3)
    assert len(validated["trees"]) == 2 * 3 * len(LEARNERS)


def test_chunks_put_together_are_the_whole(table, validated):
    parts = [confidence_steps.cross_validate(table, PLAN, [k])["rows"] for k in (1, 0)]
    whole = pd.concat(parts).sort_values(["repeat", "tree", "method", "metric"])
    pd.testing.assert_frame_equal(whole.reset_index(drop=True), validated["rows"])
    sizes = confidence_steps.learning_curve(table, PLAN)
    parts = [confidence_steps.learning_curve(table, PLAN, [k]) for k in (0, 1)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), sizes)
    assert set(sizes["share"]) == {0.3, 0.8} and set(sizes["method"]) == {"c45", *VERSIONS}


def test_a_class_with_fewer_rows_than_folds(table):
    rare = np.flatnonzero(table.y == 2)[2:]
    keep = np.setdiff1d(np.arange(len(table.y)), rare)
    small = TidyTable("small", table.X.iloc[keep].reset_index(drop=True), table.y[keep],
                      table.classes, table.target)  # fmt: skip
    rows = confidence_steps.cross_validate(small, PLAN, [0])["rows"]
    assert rows["value"].notna().all()


# ------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def merged(table, validated):
    plan = ConfidencePlan(
        **{**{n: getattr(PLAN, n) for n in ("n_folds", "n_repeats", "n_trees", "shares")}},
        printed={"one": ["made_up"], "twins": ["two", "three"]},
    )
    others = [made_up(name, seed=k, n_classes=2) for k, name in enumerate(("two", "three"), 1)]
    found = [validated, *(confidence_steps.cross_validate(other, PLAN) for other in others)]
    parts = {name: [made[name] for made in found] for name in ("rows", "facts")}
    sizes = [confidence_steps.learning_curve(other, PLAN, [0]) for other in (table, *others)]
    return confidence_statistics.merged(**parts, sizes=sizes, plan=plan), plan


def test_gains_are_those_of_mean_areas(merged):
    made, _ = merged
    rows = made["rows"][made["rows"]["metric"] == "average_auc"]
    mean = rows.groupby(["dataset", "tree", "method"])["value"].mean()
    gains = made["gains"].set_index(["tree", "dataset", "method", "criterion"])
    for tree in TREES:
        new, old = mean["two", tree, "confdtree_norm"], mean["two", tree, "c45"]
        cell = gains.loc[(tree, "two", "confdtree_norm", "average_auc")]
        assert cell["gain"] == pytest.approx(100 * (new / old - 1))
        assert cell["lowest"] <= cell["highest"] and cell["n_repeats"] == 2
        forest = gains.loc[(tree, "two", "rf", "average_auc")]
        assert forest["gain"] == pytest.approx(100 * (mean["two", NO_TREE, "rf"] / old - 1))


def test_of_two_sets_that_fit_one_row_the_first_counts(merged):
    made, plan = merged
    assert confidence_statistics.independent_datasets(plan, ["made_up", "two", "three"]) == [
        "made_up",
        "two",
    ]
    assert confidence_statistics.independent_datasets(plan, ["three"]) == ["three"]
    tests = made["statistics"]
    assert set(tests[tests["kind"] == "binary"]["n"]) == {1}
    assert set(tests[tests["kind"] == "all"]["n"]) == {2}


def test_tests_are_those_of_scipy():
    """The base tree less the version, as table II prints it."""
    random = np.random.default_rng(5)
    names = [f"set {k}" for k in range(8)]
    rows = []
    for tree in TREES:
        for name in names:
            for method in ("c45", *VERSIONS):
                values = {"average_auc": random.random(), "weighted_average_auc": random.random()}
                values["affected_points"] = random.random()
                rows += [(name, 0, tree, method, m, v) for m, v in values.items()]
    rows += [(n, 0, NO_TREE, "rf", m, random.random()) for n in names
             for m in ("average_auc", "weighted_average_auc")]  # fmt: skip
    rows = pd.DataFrame(rows, columns=["dataset", "repeat", "tree", "method", "metric", "value"])
    facts = pd.DataFrame({"dataset": names, "n_classes": 2, "imbalance_ratio": range(1, 9)})
    gains = confidence_statistics.gains_of(rows)
    plan = ConfidencePlan(printed={})
    found = confidence_statistics.statistics(rows, gains, facts, plan).set_index(
        ["part", "tree", "kind", "method", "criterion", "name"]
    )
    wide = rows[(rows["tree"] == "pruned") & (rows["metric"] == "average_auc")]
    wide = wide.pivot(index="dataset", columns="method", values="value")
    old, new = wide["c45"].to_numpy(), wide["confdtree_tdist"].to_numpy()
    key = ("base", "pruned", "binary", "confdtree_tdist", "average_auc")
    t = stats.ttest_rel(old, new)
    assert found.loc[(*key, "paired_t"), "statistic"] == pytest.approx(t.statistic)
    assert found.loc[(*key, "paired_t"), "p"] == pytest.approx(t.pvalue)
    exact = stats.wilcoxon(old, new)
    assert found.loc[(*key, "wilcoxon"), "p"] == pytest.approx(exact.pvalue)
    # By the normal approximation: the sum of positive ranks less its mean, over its deviation.
    ranks = stats.rankdata(np.abs(old - new))
    smaller = min(ranks[old > new].sum(), ranks[old < new].sum())
    z = (smaller - 8 * 9 / 4) / np.sqrt(8 * 9 * 17 / 24)
    assert abs(found.loc[(*key, "wilcoxon_normal"), "statistic"]) == pytest.approx(abs(z))
    gain = 100 * (new / old - 1)
    key = ("imbalance", "pruned", "all", "confdtree_tdist", "average_auc", "spearman")
    assert found.loc[key, "statistic"] == pytest.approx(
        stats.spearmanr(range(1, 9), gain).statistic
    )


def test_no_data_set_at_all():
    made = confidence_statistics.merged([], [], [], ConfidencePlan(printed={}))
    assert all(frame.empty for frame in made.values())
