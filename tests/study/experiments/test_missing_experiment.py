"""EIG's evaluation: gaps, folds, trees and accuracies by hand, chunks, tests by scipy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle import significance as oracle
from scipy import stats
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import StratifiedKFold

from hedgerow import C45Classifier, EIGClassifier, Tree
from hedgerow.data import TidyTable
from hedgerow.induction import Columns, grow
from hedgerow_study.experiments.frames import random_state
from hedgerow_study.experiments.missing import statistics as missing_statistics
from hedgerow_study.experiments.missing import steps as missing_steps
from hedgerow_study.experiments.missing.coded import coded_classes
from hedgerow_study.experiments.missing.plan import (
    BEST,
    BOTH,
    CODED,
    CODED_GAIN,
    CODED_UNDEFINED,
    DESCRIBED,
    INDEPENDENT,
    INTERPRETATIONS,
    METHODS,
    SCENARIOS,
    MissingPlan,
)

PLAN = MissingPlan(interpretations=(DESCRIBED, CODED), n_repeats=2, missingness=(20, 60), n_folds=2)


def made_up(name="made_up", n=90, seed=0):
    """Numbers, a category of two and one of three; a few rows lack a value by themselves."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, 3, n)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": random.normal(2.0 * y * (k == 0), 1.0) for k in range(2)})
    X["two"] = pd.Categorical(random.choice(["no", "yes"], n))
    X["three"] = pd.Categorical(random.choice(["a", "b", "c"], n))
    X.loc[X.index[::17], "v1"] = np.nan
    return TidyTable(name, X, y, ["p", "q", "r"], "kind of row")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def learnt(table):
    return missing_steps.learn(table, PLAN)


# ---------------------------------------------------------------------------------------- data


def test_incomplete_rows_are_left_out_or_kept(table):
    X, n_categories, y = missing_steps.complete_rows(table, "drop")
    assert len(X) == len(y) == 84 and not np.isnan(X).any()
    assert n_categories.tolist() == [0, 0, 2, 3]
    assert len(missing_steps.complete_rows(table, "keep")[0]) == 90


def test_categories_of_three_are_three_columns(table):
    X, n_categories, _ = missing_steps.complete_rows(table, "drop")
    X = X[:3].copy()
    X[0, 3], X[1, 3], X[2, 3] = 2, np.nan, 0
    wide = missing_steps.one_hot(X, n_categories)
    assert wide.shape == (3, 6)
    np.testing.assert_array_equal(wide[:, :3], X[:, :3])
    np.testing.assert_array_equal(wide[:, 3:], [[0, 0, 1], [np.nan] * 3, [1, 0, 0]])


def test_gaps_of_both_interpretations(table):
    X, n_categories, _ = missing_steps.complete_rows(made_up(n=3000), "drop")
    stream = (0, "missing", "made_up", 0, "gaps")
    described, coded = (
        np.isnan(missing_steps.with_missing_values(X, n_categories, interpretation, 0.4, stream))
        for interpretation in (DESCRIBED, CODED)
    )
    assert described.mean() == pytest.approx(0.4, abs=0.02)
    assert coded.mean() == pytest.approx(0.4, abs=0.02)
    three = described[:, 3:]
    assert (three.all(axis=1) == three.any(axis=1)).all()
    together = coded[:, 3:].all(axis=1).mean()
    assert together == pytest.approx(0.4**3, abs=0.02)
    for interpretation, gone in ((DESCRIBED, described), (CODED, coded)):
        fewer = np.isnan(
            missing_steps.with_missing_values(X, n_categories, interpretation, 0.1, stream)
        )
        assert (fewer <= gone).all() and fewer.sum() < gone.sum()
        whole = missing_steps.one_hot(X, n_categories)
        left = missing_steps.with_missing_values(X, n_categories, interpretation, 0.4, stream)
        np.testing.assert_array_equal(left[~gone], whole[~gone])


# --------------------------------------------------------------------------------------- steps


def by_hand(table, plan, repeat, level, fold):
    """Values and rows of one fold, as described."""
    X, n_categories, y = missing_steps.complete_rows(table, "drop")
    seed = random_state(plan.seed, "missing", table.name, repeat, "folds")
    rows = list(StratifiedKFold(2, shuffle=True, random_state=seed).split(X, y))[fold]
    stream = (plan.seed, "missing", table.name, repeat, "gaps")
    gaps = missing_steps.with_missing_values(X, n_categories, DESCRIBED, level / 100, stream)
    return gaps, missing_steps.one_hot(X, n_categories), y, *rows


def test_accuracies_are_made_again_by_hand(table, learnt):
    gaps, whole, y, training, test = by_hand(table, PLAN, 1, 60, 1)
    imputer = KNNImputer(keep_empty_features=True).fit(gaps[training])
    settings = {"prune": False, "min_samples_split": 2, "reliability": "global"}
    c45, eig = C45Classifier(**settings), EIGClassifier(**settings)
    filled = imputer.transform(gaps[training])
    models = {
        "c45": c45.fit(gaps[training], y[training]).tree_,
        "mean": c45.fit(SimpleImputer().fit_transform(gaps[training]), y[training]).tree_,
        "knn": c45.fit(filled, y[training]).tree_,
        "eig_knn": eig.fit(gaps[training], y[training]).tree_,
        "eig_perfect": eig.fit(gaps[training], y[training], whole[training]).tree_,
    }
    scenes = {"full": whole, "missing": gaps}
    at = {"interpretation": DESCRIBED, "missingness": 60, "repeat": 1, "fold": 1}
    own = learnt["rows"]
    for column, value in at.items():
        own = own[own[column] == value]
    cells = own.set_index(["method", "scenario"])["accuracy"]
    for method, tree in models.items():
        for scenario, values in scenes.items():
            right = (tree.predict_proba(values[test]).argmax(axis=1) == y[test]).mean()
            assert cells[method, scenario] == right
        imputed = tree.predict_proba(imputer.transform(gaps[test])).argmax(axis=1)
        assert cells[method, "imputed"] == (imputed == y[test]).mean()
    sizes = learnt["trees"].query("interpretation == @DESCRIBED and missingness == 60")
    sizes = sizes.query("repeat == 1 and fold == 1").set_index("method")
    assert {m: t.depth for m, t in models.items()} == sizes["depth"].to_dict()
    assert {m: t.n_leaves for m, t in models.items()} == sizes["n_leaves"].to_dict()


def test_rows_are_whole_and_chunks_are_the_whole(table, learnt):
    rows = learnt["rows"]
    assert len(rows) == 2 * 2 * 2 * 2 * len(METHODS) * len(SCENARIOS)
    assert len(learnt["trees"]) * len(SCENARIOS) == len(rows)
    assert (
        rows["accuracy"].between(0, 1).all()
        and rows.drop(columns="accuracy").duplicated().sum() == 0
    )
    parts = [missing_steps.learn(table, PLAN, [k]) for k in range(2)]
    merged = missing_statistics.merged(
        [p["rows"] for p in parts], [p["trees"] for p in parts], [p["sets"] for p in parts], PLAN
    )
    whole = missing_statistics.merged([rows], [learnt["trees"]], [learnt["sets"]], PLAN)
    for name, frame in whole.items():
        pd.testing.assert_frame_equal(merged[name], frame)


def test_interpretations_run_together_give_what_each_gives_alone(table):
    """Those with the same gaps share the guesses of the nearest neighbours."""
    plan = dataclasses.replace(PLAN, interpretations=INTERPRETATIONS, n_repeats=1)
    together = missing_steps.learn(table, plan)
    for interpretation in INTERPRETATIONS:
        alone = missing_steps.learn(
            table, dataclasses.replace(plan, interpretations=(interpretation,))
        )
        for name in ("rows", "trees", "kept"):
            own = together[name][together[name]["interpretation"] == interpretation]
            pd.testing.assert_frame_equal(own.reset_index(drop=True), alone[name])


def test_the_two_interpretations_share_folds_and_differ_in_trees(table, learnt):
    sizes = learnt["trees"].set_index(["interpretation", "missingness", "repeat", "fold", "method"])
    assert (sizes.loc[DESCRIBED]["n_leaves"] != sizes.loc[CODED]["n_leaves"]).any()
    assert (sizes.loc[CODED]["depth"] <= 20).all()
    one = missing_steps.learn(table, dataclasses.replace(PLAN, interpretations=(CODED,)))["rows"]
    own = learnt["rows"].query("interpretation == @CODED").reset_index(drop=True)
    pd.testing.assert_frame_equal(one, own)


def test_independent_variables_are_the_same_values_in_other_rows(table):
    X, n_categories, y = missing_steps.complete_rows(table, "drop")
    stream = (0, "missing", "made_up", 0, "independent")
    shuffled, classes = missing_steps.independent(X, n_categories, y, stream)
    np.testing.assert_array_equal(np.sort(shuffled, axis=0), np.sort(X, axis=0))
    assert (shuffled != X).any(axis=0).all()
    tree = C45Classifier(categorical_features=n_categories > 0).fit(X, y)
    np.testing.assert_array_equal(classes, tree.predict(shuffled))
    plan = dataclasses.replace(PLAN, interpretations=(DESCRIBED, INDEPENDENT))
    made = missing_steps.learn(table, plan)
    accuracy = made["rows"].set_index("interpretation")["accuracy"]
    assert not np.array_equal(accuracy[DESCRIBED], accuracy[INDEPENDENT])
    pd.testing.assert_frame_equal(made["sets"], missing_steps.learn(table, PLAN)["sets"])


def test_gains_that_are_undefined_change_the_trees_of_eig_alone(table):
    plan = dataclasses.replace(PLAN, interpretations=(CODED, CODED_UNDEFINED))
    trees = missing_steps.learn(table, plan)["trees"].set_index(["method", "interpretation"])
    for method in METHODS:
        one, other = (trees.loc[(method, r), "n_leaves"] for r in (CODED, CODED_UNDEFINED))
        assert (one.to_numpy() != other.to_numpy()).any() == method.startswith("eig")


def test_trees_are_kept_for_those_who_want_to_see_them(table, learnt):
    kept = learnt["kept"]
    assert kept["missingness"].unique().tolist() == [20] and len(kept) == 2 * len(METHODS)
    tree = Tree.from_json(kept["tree"].iloc[0])
    own = learnt["trees"].query("missingness == 20 and repeat == 0 and fold == 0")
    first = own[(own["interpretation"] == kept["interpretation"].iloc[0])].set_index("method")
    assert tree.n_leaves == first.loc[kept["method"].iloc[0], "n_leaves"]
    high = missing_steps.learn(table, dataclasses.replace(PLAN, missingness=(60,)), [0])
    assert high["kept"]["missingness"].unique().tolist() == [60]


def test_what_is_missing_by_itself_is_guessed_where_rows_are_kept(table):
    plan = dataclasses.replace(PLAN, incomplete="keep", n_repeats=1)
    made = missing_steps.learn(table, plan)
    assert made["sets"]["n_dropped"].item() == 0 and made["rows"]["accuracy"].notna().all()


# ---------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def merged():
    """Seven made-up sets, so that a test can tell."""
    random = np.random.default_rng(0)
    key = ["dataset", "interpretation", "missingness", "repeat", "fold", "method", "scenario"]
    index = pd.MultiIndex.from_product(
        [[f"set{k}" for k in range(7)], INTERPRETATIONS, [20, 50, 80], range(2), range(3), METHODS,
         SCENARIOS], names=key,
    )  # fmt: skip
    rows = pd.DataFrame({"accuracy": random.random(len(index))}, index=index).reset_index()
    trees = rows[rows["scenario"] == "full"].drop(columns=["scenario", "accuracy"])
    trees = trees.assign(depth=random.integers(1, 20, len(trees)), n_leaves=5)
    sets = pd.DataFrame({"dataset": [f"set{k}" for k in range(7)]})
    sets = sets.assign(n_rows=1, n_dropped=0, n_variables=1, n_columns=1, majority=0.5)
    return missing_statistics.merged([rows], [trees], [sets], PLAN)


def test_means_over_levels(merged):
    rows = merged["rows"]
    own = rows.query("dataset == 'set3' and interpretation == @CODED and scenario == 'imputed'")
    cells = merged["means"].query("dataset == 'set3' and interpretation == @CODED")
    cells = cells.query("scenario == 'imputed'").set_index("method")
    by_method = own.groupby("method")["accuracy"].mean()
    for method in METHODS:
        assert cells.loc[method, "accuracy"] == pytest.approx(by_method[method])
    assert cells.loc[BEST, "accuracy"] == pytest.approx(by_method[["c45", "mean", "knn"]].max())
    assert cells.loc[BOTH, "accuracy"] == pytest.approx(by_method[["eig_knn", "eig_perfect"]].min())
    assert (cells["n_levels"] == 3).all() and (cells["n_runs"] == 6).all()


def test_tests_over_data_sets_by_scipy(merged):
    means = merged["means"].query("interpretation == @DESCRIBED and scenario == 'missing'")
    wide = 100 * means.pivot(index="dataset", columns="method", values="accuracy")
    tests = merged["tests"].query("interpretation == @DESCRIBED and correction == 'none'")
    line = tests.query("part == 'best' and scenario == 'missing' and first == @BOTH").iloc[0]
    expected = stats.wilcoxon(wide[BOTH] - wide[BEST])
    assert line["p"] == pytest.approx(expected.pvalue) and line["n"] == 7
    assert line["difference"] == pytest.approx((wide[BOTH] - wide[BEST]).mean())
    family = merged["tests"].query("interpretation == @DESCRIBED and part == 'baselines'")
    family = family.query("scenario == 'missing'")
    assert (family["correction"] == "holm").sum() == 6
    plain, holm = (
        family[family["correction"] == name].sort_values("p")["p"] for name in ("none", "holm")
    )
    assert holm.min() == pytest.approx(min(1.0, 6 * plain.min()))


def test_the_advantage_between_scenarios(merged):
    means = merged["means"].query("interpretation == @DESCRIBED")
    wide = 100 * means.pivot(index="dataset", columns=["scenario", "method"], values="accuracy")
    gain = {s: wide[s, "eig_knn"] - wide[s, BEST] for s in SCENARIOS}
    tests = merged["tests"].query("interpretation == @DESCRIBED and part == 'scenarios'")
    whole = tests[tests["first"] == "all"].iloc[0]
    assert whole["p"] == pytest.approx(oracle.friedman(np.column_stack([*gain.values()])))
    line = tests.query("second == 'imputed' and correction == 'none'").iloc[0]
    difference = gain["missing"] - gain["imputed"]
    assert line["difference"] == pytest.approx(difference.mean())
    assert line["p"] == pytest.approx(stats.wilcoxon(difference).pvalue)


def test_depths_are_means_of_the_three_levels(merged):
    deep = merged["depths"].query("interpretation == @CODED")
    wide = deep.groupby(["dataset", "method"])["depth"].mean().unstack()
    tests = merged["tests"].query(
        "interpretation == @CODED and part == 'depth' and correction == 'none'"
    )
    assert len(tests) == 6
    line = tests.query("first == 'c45' and second == 'knn'").iloc[0]
    assert line["difference"] == pytest.approx((wide["c45"] - wide["knn"]).mean())


def test_runs_are_paired(merged):
    rows = merged["rows"].query(
        "dataset == 'set1' and interpretation == @DESCRIBED and scenario == 'full'"
    )
    rows = rows.query("missingness == 50")
    wide = rows.pivot(index=["repeat", "fold"], columns="method", values="accuracy")
    best = wide[["c45", "mean", "knn"]].mean().idxmax()
    line = merged["runs"].query(
        "dataset == 'set1' and interpretation == @DESCRIBED and scenario == 'full'"
    )
    line = line.query("missingness == 50").iloc[0]
    assert line["baseline"] == best and line["n"] == 6
    assert line["p"] == pytest.approx(stats.ttest_rel(wide["eig_knn"], wide[best]).pvalue)


def test_nothing_to_be_had():
    empty = missing_statistics.merged([], [], [], PLAN)
    assert all(len(frame) == 0 for frame in empty.values())


def test_the_third_interpretation_changes_c45_alone(table):
    plan = dataclasses.replace(PLAN, interpretations=INTERPRETATIONS, n_repeats=1)
    made = missing_steps.learn(table, plan)["rows"]
    wide = made.pivot_table(
        index=["missingness", "fold", "scenario"],
        columns=["interpretation", "method"],
        values="accuracy",
    )
    for method in METHODS:
        same = wide[DESCRIBED, method].equals(wide[CODED_GAIN, method])
        assert same == (method != "c45")


# ------------------------------------------------------------------------- as coded by the authors


def coded_by_hand(tree, x, node=0):
    """Class weights of the leaves that can be reached, by walking down."""
    j = tree.feature[node]
    if j < 0:
        return tree.class_weight[node].copy()
    left, right = tree.children_left[node], tree.children_right[node]
    if np.isnan(x[j]):
        return coded_by_hand(tree, x, left) + coded_by_hand(tree, x, right)
    return coded_by_hand(tree, x, left if x[j] < tree.threshold[node] else right)


@pytest.mark.parametrize("seed", draws(10, 16000))
def test_coded_prediction(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    X[rng.random(X.shape) < 0.5] = np.nan
    tree = grow(Columns(X, y, 3), criterion="coded_gain", reliability="global",
                missing_to_both=True, min_samples_split=2)  # fmt: skip
    found = coded_classes(tree, X)
    sums = np.array([coded_by_hand(tree, x) for x in X])
    top = np.sort(sums, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    assert (found == sums.argmax(axis=1))[clear].all() and clear.any()
