"""Best trees beside grown ones: samples, tuning, rows and tests made again by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier, OptimalTreeClassifier, SoftTreeClassifier
from hedgerow.data import TidyTable, add_noise, folds, rng, split
from hedgerow_study.experiments.missing.steps import one_hot
from hedgerow_study.experiments.search.plan import SearchPlan
from hedgerow_study.extensions.optimality_gap import statistics as optimality_gap_statistics
from hedgerow_study.extensions.optimality_gap import steps as optimality_gap_steps
from hedgerow_study.extensions.optimality_gap.plan import (
    C45_GIVEN,
    CLEAN,
    COMPARED,
    KNOWN_ERROR,
    METHODS,
    NOISY,
    PROOF,
    SEARCHES,
    UNPRUNED,
    OptimalityGapPlan,
)

PLAN = OptimalityGapPlan(
    depths=(2, 3),
    n_repeats=1,
    n_rows=90,
    n_folds=2,
    max_nodes=500,
    max_error_nodes=60,
    leaf_prices=(0, 0.03),
    errors=(0.1, 0.4),
    confidences=(0.1, 1),
    n_alphas=4,
    uct_iterations=60,
    noise=(0.1, 0.3),
)
PROTOCOL = SearchPlan()
KEY = ["part", "dataset", "repeat", "setting", "depth", "method", "metric"]


def made_up(name="made_up", n=90, gaps=False, seed=0):
    """Numbers that tell something of the class, and categories; rows that lack a value if asked."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, 3, n)).astype(np.int64)
    X = pd.DataFrame({"v0": 5 + random.normal(2.0 * y, 2.0), "v1": random.normal(9, 3, n) - y})
    X["kind"] = pd.Categorical(random.choice(["a", "b", "c"], n))
    if gaps:
        X.loc[X.index[::7], "v1"] = np.nan
        X.loc[X.index[::11], "kind"] = None
    return TidyTable(name, X, y, [f"class {k}" for k in range(3)], "kind of row")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def rows(table):
    return optimality_gap_steps.run(table, PLAN, PROTOCOL)


@pytest.fixture(scope="module")
def parts(table):
    """Training and test rows, and the folds of the training rows."""
    train, test = split(table, 0, seed=0, experiment="optimal", test_size=0.3)
    fold = folds(table.y[train], 2, rng(0, "optimal", table.name, 0, "folds"))
    return train, test, fold


def value(rows, part, method, metric="accuracy", depth=3, setting=CLEAN):
    where = {"part": part, "method": method, "metric": metric, "depth": depth, "setting": setting}
    own = rows[(rows[list(where)] == pd.Series(where)).all(axis=1)]["value"]
    assert len(own) == 1
    return own.iloc[0]


def noisy(table, of, training, factor, stream):
    """Rows of a data set with noise by the means of training rows."""
    values, _ = table.matrix()
    means = np.array([*values[training][:, :2].mean(axis=0), np.nan])
    frame = table.X.iloc[of].copy()
    made = add_noise(values[of], factor, means, rng(0, "optimal", table.name, 0, stream))
    return frame.assign(v0=made[:, 0], v1=made[:, 1])


def test_every_part_has_its_methods(rows):
    depths = PLAN.depths
    for part, settings, methods, metrics in (
        ("training", [CLEAN], UNPRUNED, ["accuracy"]),
        ("clean", [CLEAN], METHODS, [*COMPARED.parts["clean"].metrics]),
        ("noise", ["0.1", "0.3"], NOISY, [*COMPARED.parts["noise"].metrics]),
    ):
        own = rows[rows["part"] == part]
        found = set(own[["setting", "depth", "method", "metric"]].itertuples(index=False))
        assert found == {
            (s, d, m, metric)
            for s in settings
            for d in depths
            for m in methods
            for metric in metrics
        }
    assert not rows.duplicated(KEY).any() and not rows["value"].isna().any()
    search = rows[rows["part"] == "search"]
    assert set(search["method"]) == set(SEARCHES) and set(search["metric"]) == set(PROOF)
    assert set(search[search["method"] == KNOWN_ERROR]["setting"]) == {"0.1", "0.3"}
    assert set(search[search["method"] == "optimal"]["setting"]) == {CLEAN}


def test_what_is_compared_was_run():
    there = {
        "training": UNPRUNED,
        "clean": METHODS,
        "noise": NOISY,
    }
    for part, compared in COMPARED.parts.items():
        assert {name for pair in compared.pairs for name in pair} <= set(there[part])
    assert set(COMPARED.parts) == set(there)


def test_training_rows_are_made_again_by_hand(table, rows, parts):
    train = parts[0]
    X, y = table.X.iloc[train], table.y[train]
    best = OptimalTreeClassifier(3, max_nodes=500).fit(X, y)
    assert value(rows, "training", "optimal") == pytest.approx(best.score(X, y), abs=1e-6)
    assert value(rows, "search", "optimal", "n_nodes") == best.n_nodes_
    assert value(rows, "search", "optimal", "gap") == pytest.approx(best.gap_, abs=1e-6)
    c45 = C45Classifier(prune=False, max_depth=3, min_samples_split=2).fit(X, y)
    assert value(rows, "training", "c45_unpruned") == pytest.approx(c45.score(X, y), abs=1e-6)
    assert value(rows, "training", "optimal") >= value(rows, "training", "c45_unpruned")


@pytest.mark.parametrize(
    ("method", "make", "values"),
    [
        # The first of equals is the smaller tree.
        (
            "c45",
            lambda v, X: C45Classifier(confidence=v, max_depth=3, min_samples_split=2),
            (0.1, 1),
        ),
        (
            "optimal_priced",
            lambda v, X: OptimalTreeClassifier(3, leaf_penalty=v, max_nodes=500),
            (0.03, 0),
        ),
        (
            "optimal_error",
            lambda v, X: OptimalTreeClassifier(
                3, error={n: v * X[n].std(ddof=0) for n in ("v0", "v1")}, max_nodes=60
            ),
            (0.1, 0.4),
        ),
    ],
)
@pytest.mark.parametrize("factor", [0.0, 0.3])
def test_what_is_tuned_is_tuned_on_rows_as_those_of_the_test(
    table, rows, parts, method, make, values, factor
):
    train, test, fold = parts
    scores = dict.fromkeys(values, 0.0)
    for k in range(2):
        own, validation = train[fold != k], train[fold == k]
        X, y = table.X.iloc[own], table.y[own]
        of = noisy(table, validation, own, factor, f"noise fold {k}")
        for v in values:
            scores[v] += (make(v, X).fit(X, y).predict(of) == table.y[validation]).mean()
    chosen = max(values, key=lambda v: round(scores[v], 9))
    setting, part = (f"{factor:g}", "noise") if factor else (CLEAN, "clean")
    assert value(rows, "tuned", method, "value", setting=setting) == chosen
    X, y = table.X.iloc[train], table.y[train]
    learnt, of = make(chosen, X).fit(X, y), noisy(table, test, train, factor, "noise test")
    score = (learnt.predict(of) == table.y[test]).mean()
    assert value(rows, part, method, setting=setting) == pytest.approx(score, abs=1e-6)
    smooth = learnt.set_params(smoothing=True).predict_proba(of)
    loss = log_loss(table.y[test], smooth, labels=range(3))
    assert value(rows, part, method, "log_loss", setting=setting) == pytest.approx(loss, abs=1e-6)


def test_told_the_noise_knows_its_deviation(table, rows, parts):
    train, test, _ = parts
    X, y = table.X.iloc[train], table.y[train]
    error = {name: 0.3 * abs(X[name].mean()) for name in ("v0", "v1")}
    told = OptimalTreeClassifier(3, error=error, max_nodes=60).fit(X, y)
    score = told.score(noisy(table, test, train, 0.3, "noise test"), table.y[test])
    assert value(rows, "noise", KNOWN_ERROR, setting="0.3") == pytest.approx(score, abs=1e-6)
    confidence = value(rows, "tuned", "c45", "value", setting="0.3")
    soft = SoftTreeClassifier(
        propagation=0.3, evaluation=0.3, confidence=confidence, max_depth=3, min_samples_split=2
    )
    soft.fit(X, y)
    score = soft.score(noisy(table, test, train, 0.3, "noise test"), table.y[test])
    assert value(rows, "noise", C45_GIVEN, setting="0.3") == pytest.approx(score, abs=1e-6)


def test_cost_complexities_are_those_of_the_path(table):
    learners = optimality_gap_steps.Learners(3, PLAN, PROTOCOL, lambda name: 0)
    whole = optimality_gap_steps.rows_of(table)
    X = one_hot(whole.values, whole.n_categories)
    path = DecisionTreeClassifier(max_depth=3, random_state=0).cost_complexity_pruning_path(
        X, table.y
    )
    found = learners.alphas(whole, 3)
    sizes = [learners.cart(whole, 3, alpha).tree.n_leaves for alpha in found]
    assert 2 <= len(found) <= 4 and found[0] == 0 and sizes == sorted(sizes, reverse=True)
    assert found[-1] == pytest.approx(path.ccp_alphas[-1])


def test_smoothed_leaves_of_cart(table):
    learners = optimality_gap_steps.Learners(3, PLAN, PROTOCOL, lambda name: 0)
    whole = optimality_gap_steps.rows_of(table)
    cart = learners.cart(whole, 2, 0.0)
    X = one_hot(whole.values, whole.n_categories)
    leaves = cart.model.apply(X)
    smooth = cart.probabilities(whole, smoothing=True)
    for leaf in np.unique(leaves):
        counts = np.bincount(table.y[leaves == leaf], minlength=3)
        own = smooth[leaves == leaf]
        assert own == pytest.approx(np.tile((counts + 1) / (counts.sum() + 3), (len(own), 1)))


def test_another_depth_or_factor_changes_nothing(table, rows):
    other = dataclasses.replace(PLAN, depths=(3,), noise=(0.3, 0.5))
    both = rows.merge(optimality_gap_steps.run(table, other, PROTOCOL), on=KEY)
    assert len(both) > 60 and (both["value_x"] == both["value_y"]).all()


def test_sets_without_numbers_have_no_noise(table):
    kinds = table.X[["kind"]].assign(more=table.X["kind"].cat.rename_categories(list("xyz")))
    found = optimality_gap_steps.run(dataclasses.replace(table, X=kinds), PLAN, PROTOCOL)
    assert set(found["setting"]) == {CLEAN} and "noise" not in set(found["part"])


@pytest.mark.filterwarnings("error")
def test_gaps_and_a_class_of_one_row():
    table = made_up(n=40, gaps=True)
    table = dataclasses.replace(table, y=np.array([0] * 19 + [1] * 20 + [2]))
    found = optimality_gap_steps.run(table, PLAN, PROTOCOL)
    assert not found["value"].isna().any()


def test_a_variable_that_nobody_knows_has_no_error(table):
    X = table.X.assign(v1=np.nan)
    rows = optimality_gap_steps.rows_of(dataclasses.replace(table, X=X))
    assert rows.errors(0.1)["v1"] == 0 and rows.absolute_errors(0.1)["v1"] == 0
    assert rows.errors(0.1)["v0"] == pytest.approx(0.1 * X["v0"].std(ddof=0))


def test_rows_are_drawn_anew_for_each_repeat(table):
    plan = dataclasses.replace(PLAN, n_rows=30)
    one, other = (optimality_gap_steps.at_most(table, number, plan) for number in (0, 1))
    assert len(one.y) == len(other.y) == 30
    assert not one.X.equals(other.X)
    where = [int(np.flatnonzero(table.X["v0"] == value)[0]) for value in one.X["v0"]]
    assert where == sorted(set(where)) and (table.y[where] == one.y).all()
    assert optimality_gap_steps.at_most(table, 0, PLAN).X.equals(table.X)


# ------------------------------------------------------------------------------- statistics


def _rows(n_sets=8):
    """Accuracies of training and clean test rows at depths 2, 3 and 4."""
    random = np.random.default_rng(2)
    lines = []
    for k in range(n_sets):
        for part, methods in (("training", UNPRUNED), ("clean", METHODS)):
            for depth in (2, 3, 4):
                for method in methods:
                    key = (part, f"set {k}", 0, CLEAN, depth, method, "accuracy")
                    lines.append((*key, random.random()))
    return pd.DataFrame(lines, columns=[*KEY, "value"])


def test_tests_are_those_of_scipy():
    rows = _rows()
    found = optimality_gap_statistics.merged([rows])["statistics"]
    plain = found[found["correction"] == "none"].set_index(
        ["part", "metric", "depth", "first", "second"]
    )
    cell = plain.loc[("clean", "accuracy", 3, "optimal_priced", "c45")]
    wide = rows[(rows["part"] == "clean") & (rows["depth"] == 3)]
    wide = wide.pivot(index="dataset", columns="method", values="value")
    expected = stats.wilcoxon(wide["optimal_priced"], wide["c45"])
    assert cell["p"] == pytest.approx(expected.pvalue) and cell["n"] == 8
    assert cell["difference"] == pytest.approx(100 * (wide["optimal_priced"] - wide["c45"]).mean())


def test_without_any_data_set():
    made = optimality_gap_statistics.merged([])
    assert made["rows"].empty and made["statistics"].empty
