"""E2M's evaluation: the noise, thirds, trees and errors by hand, chunks, tests by scipy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris, load_wine

from hedgerow import C45Classifier, EvidentialTreeClassifier, Tree, evidential_error_rate
from hedgerow.data import TidyTable
from hedgerow_study.experiments.evidential import statistics as evidential_statistics
from hedgerow_study.experiments.evidential import steps as evidential_steps
from hedgerow_study.experiments.evidential.plan import (
    CART,
    E2M,
    ERRORS,
    FLOORS,
    LINES,
    NAIVE,
    SIZES,
    STATES,
    EvidentialPlan,
)

PLAN = EvidentialPlan(n_repeats=2, max_leaves=3, max_iterations=60)


def made_up(name="made_up", n=90, n_classes=3, seed=0):
    """Numbers and a category, some of them missing; the classes overlap."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, n_classes, n)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": random.normal(3.0 * y * (k == 0), 1.0) for k in range(2)})
    X["kind"] = pd.Categorical(random.choice(["a", "b", "c"], n))
    X.loc[X.index[::17], "v1"] = np.nan
    return TidyTable(name, X, y, [f"class {k}" for k in range(n_classes)], "kind of row")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def learnt(table):
    return evidential_steps.learn(table, PLAN)


# ------------------------------------------------------------------------------------ noise


def test_values_are_replaced_as_often_as_their_gamma_says():
    large = made_up(n=4000)
    found = evidential_steps.add_uncertainty(large, 0, PLAN)
    changed = found.clean != found.X
    known = ~np.isnan(found.clean)
    for j in range(2):  # a number that is drawn anew is another one
        own = known[:, j]
        for low in (0.0, 0.4, 0.8):
            some = own & (found.gamma[:, j] >= low) & (found.gamma[:, j] < low + 0.2)
            assert changed[some, j].mean() == pytest.approx(low + 0.1, abs=0.06)
    # A third of the categories that are drawn are what was there.
    assert changed[:, 2].mean() == pytest.approx(0.5 * 2 / 3, abs=0.03)
    assert (found.y != found.clean_y).mean() == pytest.approx(0.5 * 2 / 3, abs=0.03)
    assert np.array_equal(np.isnan(found.X), np.isnan(found.clean))
    for name in (np.nanmin, np.nanmax):  # the domain is that of the data set
        assert name(found.X, axis=0) == pytest.approx(name(found.clean, axis=0), abs=0.2)
    assert (np.nanmin(found.X, axis=0) >= np.nanmin(found.clean, axis=0)).all()
    assert (np.nanmax(found.X, axis=0) <= np.nanmax(found.clean, axis=0)).all()


def test_a_domain_of_values_brings_no_new_one(table):
    plan = dataclasses.replace(PLAN, domain="values")
    found = evidential_steps.add_uncertainty(table, 0, plan)
    for j in range(3):
        clean = found.clean[~np.isnan(found.clean[:, j]), j]
        assert np.isin(found.X[~np.isnan(found.X[:, j]), j], clean).all()
    other = evidential_steps.add_uncertainty(table, 0, PLAN)
    assert not np.isin(other.X[~np.isnan(other.X[:, 0]), 0], found.clean[:, 0]).all()
    assert np.array_equal(found.gamma, other.gamma)


def test_what_the_learner_is_told(table):
    found = evidential_steps.add_uncertainty(table, 0, PLAN)
    data = found.evidential()
    row = 5
    assert data.low[row, 0] == data.high[row, 0] == found.X[row, 0]
    assert data.gamma[row, 0] == found.gamma[row, 0]
    expected = np.full(3, found.gamma_y[row])
    expected[found.y[row]] = 1.0
    assert data.plausibility[row].tolist() == expected.tolist()
    assert data.categories == {2: ["a", "b", "c"]}
    assert (data.low[0, 1], data.high[0, 1]) == (-np.inf, np.inf)  # missing


def test_thirds_are_disjoint_and_belong_to_the_repeat(table):
    parts = evidential_steps.thirds(table, 0, PLAN)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(90))
    assert [len(part) for part in parts] == [30, 30, 30]
    assert not np.array_equal(parts[0], evidential_steps.thirds(table, 1, PLAN)[0])


# ------------------------------------------------------------------------------------ steps


def test_errors_are_made_again_by_hand(table, learnt):
    found = evidential_steps.add_uncertainty(table, 1, PLAN)
    growing, pruning, test = evidential_steps.thirds(table, 1, PLAN)
    data = found.evidential()
    settings = {"max_leaves": 3, "max_iterations": 60, "n_thresholds": None, "n_finalists": None}
    model = EvidentialTreeClassifier(**settings).fit(
        data.take(growing), pruning_data=data.take(pruning)
    )
    rows = learnt["rows"].set_index(["repeat", "method", "state", "metric"])["value"]
    said = model.predict(data.take(test))
    assert rows[1, E2M, "pruned", "error_rate"] == (said != found.y[test]).mean()
    assert rows[1, E2M, "pruned", "evidential_error_rate"] == evidential_error_rate(
        data.plausibility[test], said
    )
    assert rows[1, E2M, "pruned", "n_leaves"] == model.get_n_leaves()
    plain = table.X.assign(kind=table.X["kind"].cat.codes.astype(float)).to_numpy()
    clean = np.array([model.tree_.predict_proba(plain[[i]])[0].argmax() for i in test])
    # Missing values are read as evidence and not by the gate, so that one row may differ.
    own = rows[1, E2M, "pruned", "clean_error_rate"]
    assert own == pytest.approx((clean != table.y[test]).mean(), abs=0.07)
    commonest = np.bincount(found.y[growing]).argmax()
    assert rows[1, NAIVE, "", "error_rate"] == (found.y[test] != commonest).mean()


def test_finalists_are_screened_where_the_plan_says_so():
    whole = evidential_steps.e2m_learner(PLAN, 0)
    assert (whole.n_finalists, whole.n_thresholds) == (None, None)
    some = evidential_steps.e2m_learner(PLAN, 4)
    assert (some.n_finalists, some.n_thresholds) == (4, 32)


def test_cart_reads_the_crisp_replacements(table, learnt):
    found = evidential_steps.add_uncertainty(table, 0, PLAN)
    growing, pruning, test = evidential_steps.thirds(table, 0, PLAN)
    learner = C45Classifier(
        prune=False, min_samples_split=2, categorical_features=[2], criterion="gini"
    )
    whole = learner.fit(found.X[growing], found.y[growing]).tree_
    rows = learnt["rows"].set_index(["repeat", "method", "state", "metric"])["value"]
    trees = learnt["trees"].set_index(["repeat", "method", "state"])["tree"]
    grown = Tree.from_json(trees[0, CART, "unpruned"])
    assert grown.feature[0] == whole.feature[0] and grown.threshold[0] == whole.threshold[0]
    said = np.array(grown.classes)[grown.predict_proba(found.X[test]).argmax(axis=1)].astype(int)
    assert rows[0, CART, "unpruned", "error_rate"] == (said != found.y[test]).mean()
    # Pruned by the crisp error, along the sequence.
    crisp = evidential_steps.cart_trees(
        found.X[growing], found.y[growing], found.is_categorical(), PLAN
    )
    errors = [
        (evidential_steps.classes_by(tree, found.X[pruning]) != found.y[pruning]).mean()
        for tree in crisp
    ]
    assert Tree.from_json(trees[0, CART, "pruned"]).n_leaves == 1 + int(np.argmin(errors))


def test_the_other_pruning_of_cart(table):
    found = evidential_steps.add_uncertainty(table, 0, PLAN)
    growing, pruning, _ = evidential_steps.thirds(table, 0, PLAN)
    plan = dataclasses.replace(PLAN, max_leaves=6)
    crisp = evidential_steps.cart_trees(
        found.X[growing], found.y[growing], found.is_categorical(), plan
    )
    plausibility = found.evidential().plausibility[pruning]
    errors = [
        evidential_error_rate(plausibility, evidential_steps.classes_by(tree, found.X[pruning]))
        for tree in crisp
    ]
    plan = dataclasses.replace(plan, cart_pruning="evidential")
    chosen = evidential_steps.pruned_cart(crisp, found, pruning, plan)
    assert chosen.n_leaves == 1 + int(np.argmin(errors))


def test_every_line_of_the_tables_has_its_rows(learnt):
    rows = learnt["rows"]
    for method, state in LINES:
        own = rows[(rows["method"] == method) & (rows["state"] == state)]
        metrics = ERRORS if method == NAIVE else (*ERRORS, *SIZES)
        assert sorted(own["metric"]) == sorted([*metrics] * 2)
    assert rows["value"].notna().all()
    assert rows[rows["metric"].isin(ERRORS)]["value"].between(0, 1).all()
    assert len(learnt["trees"]) == 2 * 4


def test_chunks_put_together_are_the_whole(table, learnt):
    parts = [evidential_steps.learn(table, PLAN, [k]) for k in (1, 0)]
    for name in ("rows", "trees", "sizes"):
        whole = pd.concat([part[name] for part in parts])
        by = ("repeat", "method", "criterion", "floor", "state", "metric")
        whole = whole.sort_values([c for c in by if c in whole])
        pd.testing.assert_frame_equal(whole.reset_index(drop=True), learnt[name])


def test_sizes_at_a_floor_are_those_of_a_growth_with_it(table, learnt):
    """One growth to gains of 0 tells them all; in the first of two tests."""
    sizes = learnt["sizes"][learnt["sizes"]["method"] == E2M]
    sizes = sizes.set_index(["floor", "state"])["n_leaves"]
    found = evidential_steps.add_uncertainty(table, 0, PLAN)
    growing, pruning, _ = evidential_steps.thirds(table, 0, PLAN)
    data = found.evidential()
    assert tuple(sorted(set(learnt["sizes"]["floor"]))) == FLOORS
    for floor in FLOORS:
        plan = dataclasses.replace(PLAN, min_share_gain=floor)
        model = evidential_steps.e2m_learner(plan, 0).fit(
            data.take(growing), pruning_data=data.take(pruning)
        )
        assert sizes[floor, "unpruned"] == model.trees_[-1].n_leaves
        assert sizes[floor, "pruned"] == model.tree_.n_leaves
    rows = learnt["rows"].set_index(["method", "state", "metric", "repeat"])["value"]
    other = learnt["sizes"][learnt["sizes"]["method"] == CART]
    other = other.set_index(["criterion", "state", "repeat"]).sort_index()["n_leaves"]
    for state in STATES:
        own = rows[CART, state, "n_leaves"]
        assert own.to_dict() == other[PLAN.cart_criterion, state].to_dict()
    entropy = dataclasses.replace(PLAN, cart_criterion="information_gain")
    again = evidential_steps.learn(table, entropy, [1])["rows"]
    again = again.set_index(["method", "state", "metric"])["value"]
    for state in STATES:
        assert again[CART, state, "n_leaves"] == other["information_gain", state, 1]


def test_a_class_that_the_learning_third_lacks():
    table = made_up(n=60, n_classes=4)
    y = table.y.copy()
    y[y == 3] = 2
    y[-1] = 3
    rare = TidyTable("rare", table.X, y, table.classes, table.target)
    rows = evidential_steps.learn(rare, PLAN, [0])["rows"]
    assert rows["value"].notna().all()


# ------------------------------------------------------------------------------- statistics


def _rows(n, seed=3):
    random = np.random.default_rng(seed)
    lines = []
    for name in ("one", "two"):
        for repeat in range(n):
            for method, state in LINES:
                for metric in (*ERRORS, *(() if method == NAIVE else SIZES)):
                    lines.append((name, repeat, method, state, metric, random.random()))
    return pd.DataFrame(lines, columns=["dataset", "repeat", "method", "state", "metric", "value"])


def test_tests_are_those_of_scipy():
    rows = _rows(8)
    found = evidential_statistics.statistics(rows)
    found = found.set_index(["part", "dataset", "state", "metric"])
    value = rows.set_index(["dataset", "method", "state", "metric"]).sort_index()["value"]
    for state in STATES:
        cart, e2m = (value["two", m, state, "error_rate"].to_numpy() for m in (CART, E2M))
        expected = stats.ttest_rel(cart, e2m)
        cell = found.loc[("method", "two", state, "error_rate")]
        assert cell["p"] == pytest.approx(expected.pvalue)
        assert cell["difference"] == pytest.approx((cart - e2m).mean())
    before, after = (value["one", E2M, s, "clean_error_rate"].to_numpy() for s in STATES)
    cell = found.loc[("pruning", "one", "", "clean_error_rate")]
    assert cell["p"] == pytest.approx(stats.ttest_rel(before, after).pvalue)
    assert (found["n"] == 8).all() and len(found) == 2 * 4 * 3


def test_differences_that_are_all_alike():
    rows = _rows(5)
    rows["value"] = 1.0
    assert (evidential_statistics.statistics(rows)["p"] == 1.0).all()
    rows.loc[rows["method"] == E2M, "value"] = 0.5
    found = evidential_statistics.statistics(rows)
    own = found[found["part"] == "method"]
    assert (own["p"] == 0.0).all() and (own["difference"] == 0.5).all()
    assert evidential_statistics.statistics(_rows(1))["p"].isna().all()


def test_without_any_data_set():
    made = evidential_statistics.merged([], [], PLAN)
    assert (
        made["rows"].empty
        and made["sizes"].empty
        and made["tests"].empty
        and len(made["curve"]) == 40
    )


def test_the_curve_is_its_closed_form():
    curve = evidential_statistics.curve_of_figure_1()
    assert (curve["estimate"] - curve["expected"]).abs().max() < 1e-4
    start = curve[curve["gamma"] == 0]
    assert start["estimate"].tolist() == pytest.approx(start["precise"].tolist())
    # The likelihood itself, on a grid.
    for precise, gamma, _, expected in curve.iloc[::3].itertuples(index=False):
        grid = np.linspace(1e-9, 1 - 1e-9, 20_001)
        wrong = round(100 * precise)
        likelihood = wrong * np.log((1 - grid) * gamma + grid)
        likelihood += (100 - wrong) * np.log((1 - grid) + grid * gamma)
        assert grid[likelihood.argmax()] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_estimates_under_the_protocol_of_the_paper_are_maxima(name):
    """Of 46 draws 7 fell short by more than 1e-3, the worst by .58: no leaf could get back a class
    that had died out in it, and iteration ended where it was slow."""
    load = {"iris": load_iris, "wine": load_wine}[name]
    X, y = load(return_X_y=True, as_frame=True)
    table = TidyTable(name, X, y.to_numpy(), [str(k) for k in range(3)], "class")
    plan = EvidentialPlan()
    for repeat in range(23):
        data = (
            evidential_steps.add_uncertainty(table, repeat, plan)
            .evidential()
            .take(evidential_steps.thirds(table, repeat, plan)[0])
        )
        model = EvidentialTreeClassifier(prune=False, n_finalists=8, n_thresholds=8).fit(data)
        assert len(model.likelihood_gaps_) == len(model.trees_)
        assert model.likelihood_gaps_.max() < 1e-3
