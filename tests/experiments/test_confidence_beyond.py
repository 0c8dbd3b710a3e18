"""Beyond the paper of ConfDTree: measures by hand, and what the parts compare."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold

from hedgerow import C45Classifier, ConfDTreeClassifier
from hedgerow.data import TidyTable
from hedgerow.experiments.confidence.plan import ConfidencePlan
from hedgerow.experiments.confidence.steps import areas, folds_of
from hedgerow.experiments.confidence_beyond import statistics as beyond_statistics
from hedgerow.experiments.confidence_beyond import steps as beyond_steps
from hedgerow.experiments.confidence_beyond.plan import (
    COMPARED,
    CORRECTIONS,
    PLAIN,
    ConfidenceBeyondPlan,
)
from hedgerow.experiments.frames import random_state

PROTOCOL = ConfidencePlan(n_folds=3)
PLAN = ConfidenceBeyondPlan(n_trees=2, n_iterations=20, fines=(0.0, 0.1), widths=(1,))


def made_up(name="made_up", n=120, seed=0):
    """Numbers and a category, some of them missing; two classes that overlap."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, 2, n)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": random.normal(y * (k == 0), 1.0) for k in range(3)})
    # One category is rare in both classes.
    usual = np.where(y == 1, "c", "b")
    X["kind"] = pd.Categorical(np.where(random.random(n) < 0.03, "a", usual))
    X.loc[X.index[::17], "v1"] = np.nan
    return TidyTable(name, X, y, ["no", "yes"], "class")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def made(table):
    return beyond_steps.run(table, PLAN, PROTOCOL)


# ------------------------------------------------------------------------------- measures


def test_an_m_estimate_by_hand():
    weights = np.array([[3.0, 0.0], [2.0, 5.0]])
    found = beyond_steps.m_estimates(weights, 4.0)
    # Shares of the data set: .5 and .5.
    assert found.tolist() == [[5 / 7, 2 / 7], [4 / 11, 7 / 11]]
    assert (beyond_steps.m_estimates(weights, 0.0)[1] == [2 / 7, 5 / 7]).all()


def test_measures_by_hand():
    y = np.array([0, 0, 1, 1])
    p = np.array([[0.9, 0.1], [0.3, 0.7], [0.2, 0.8], [1.0, 0.0]])
    plan = ConfidenceBeyondPlan(n_bins=2, least=0.01)
    found = beyond_steps.measures(y, p, plan)
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.3, 0.8, 0.01]).mean())
    # One bin: probabilities .9 .7 .8 and 1, two of four are right.
    assert found["calibration_error"] == pytest.approx(0.85 - 0.5)
    assert found["average_auc"] == areas(y, p)["average_auc"]
    table = beyond_steps.bins(y, p, 10)
    assert table["bin"].tolist() == [7, 8, 9] and table["n"].tolist() == [1, 1, 2]
    assert table["correct"].tolist() == [0.0, 1.0, 0.5]


# ------------------------------------------------------------------------------------ parts


def test_both_answers_are_the_version_itself(table, made):
    """Made again by hand, all folds together."""
    p = np.zeros((len(table.y), 2))
    for train, test in folds_of(table, 0, PROTOCOL):
        tree = C45Classifier(confidence=0.5, min_samples_leaf=2, prune=False)
        tree.fit(table.X.iloc[train], table.y[train])
        model = ConfDTreeClassifier(FrozenEstimator(tree), method="tdist")
        p[test] = model.fit(table.X.iloc[train], table.y[train]).predict_proba(table.X.iloc[test])
    rows = made["rows"].set_index(["part", "base", "method", "metric"])["value"]
    value = rows["answers", "unpruned", "confdtree_tdist_both", "average_auc"]
    assert value == areas(table.y, p)["average_auc"]
    # The paper's fine and width are among the settings, of the tree of the protocol.
    for method in ("confdtree_comb_fine_0.1", "confdtree_comb_width_1"):
        for metric in ("average_auc", "log_loss"):
            value = rows["settings", "pruned", method, metric]
            both = rows["answers", "pruned", "confdtree_comb_both", metric]
            assert value == pytest.approx(both, rel=1e-9)
    value = rows["settings", "pruned", "confdtree_comb_fine_0", "log_loss"]
    assert value == rows["answers", "pruned", "confdtree_comb_routes", "log_loss"]


def test_a_calibration_is_that_of_scikit_learn(table, made):
    p = np.zeros((len(table.y), 2))
    for number, (train, test) in enumerate(folds_of(table, 0, PROTOCOL)):
        name = (PROTOCOL.seed, "confidence_beyond", "made_up", 0, f"learners {number}")
        inner = StratifiedKFold(3, shuffle=True, random_state=random_state(*name))
        tree = C45Classifier(confidence=0.5, min_samples_leaf=2, smoothing=False)
        model = CalibratedClassifierCV(tree, method="sigmoid", cv=inner)
        p[test] = model.fit(table.X.iloc[train], table.y[train]).predict_proba(table.X.iloc[test])
    rows = made["rows"][made["rows"]["part"] == "probabilities"]
    values = rows.set_index(["method", "metric"])["value"]
    for metric, value in beyond_steps.measures(table.y, p, PLAN).items():
        assert values["sigmoid", metric] == pytest.approx(value)


def test_inner_folds_do_not_follow_the_order_of_the_rows():
    """Tables are sorted by their values: in that order inner folds were parts of the first
    variable's range, of which two taught the tree nothing about the third (area here: .37)."""
    random = np.random.default_rng(0)
    x = np.sort(random.uniform(0, 3, 300))
    y = (random.random(300) < np.where(x % 1 < 0.5, 0.1, 0.9)).astype(np.int64)
    table = TidyTable("in order", pd.DataFrame({"x": x}), y, ["no", "yes"], "class")
    rows = beyond_steps.run(table, PLAN, PROTOCOL)["rows"]
    rows = rows[rows["part"] == "probabilities"]
    values = rows.set_index(["method", "metric"])["value"]
    for method in ("isotonic", "sigmoid"):
        assert values[method, "average_auc"] > 0.8


def test_every_part_has_its_rows(table, made):
    rows = made["rows"]
    assert set(rows["part"]) == {"answers", "learners", "probabilities", "settings"}
    assert not rows.duplicated(["part", "base", "method", "metric"]).any()
    assert rows["value"].notna().all()
    own = rows[rows["part"] == "probabilities"]
    assert set(own["method"]) == {PLAIN, *CORRECTIONS} == set(made["bins"]["method"])
    sums = made["bins"].groupby("method")["n"].sum()
    assert (sums == len(table.y)).all()


def test_doubts_of_categories_differ_where_categories_are_tested():
    table = made_up(n=400)
    rows = beyond_steps.categories(table, PLAN, PROTOCOL)
    values = rows.set_index(["base", "method", "metric"])["value"]
    one = values["unpruned", "confdtree_tdist", "log_loss"]
    assert values["unpruned", "confdtree_tdist_categories", "log_loss"] != one
    numbers = TidyTable("numbers", table.X.drop(columns="kind"), table.y, table.classes, "class")
    rows = beyond_steps.categories(numbers, PLAN, PROTOCOL)
    values = rows.set_index(["base", "method", "metric"])["value"]
    for version in ("norm", "tdist", "comb"):
        one = values["unpruned", f"confdtree_{version}", "log_loss"]
        assert values["unpruned", f"confdtree_{version}_categories", "log_loss"] == one


def test_a_class_with_a_single_training_row_is_not_calibrated():
    small = made_up(n=40)
    y = small.y.copy()
    y[:] = 0
    y[[3, 20]] = 1
    rare = TidyTable("rare", small.X, y, small.classes, "class")
    plan = ConfidencePlan(n_folds=2)
    rows = beyond_steps.run(rare, PLAN, plan)["rows"]
    rows = rows[rows["part"] == "probabilities"]
    values = rows.set_index(["method", "metric"])["value"]
    assert values["isotonic", "brier"] == values[PLAIN, "brier"]


# ------------------------------------------------------------------------------- statistics


def test_what_is_compared_with_what(table, made):
    tables = [made_up(f"set {k}", seed=k) for k in (1, 2)]
    rows = [made["rows"], *(beyond_steps.run(other, PLAN, PROTOCOL)["rows"] for other in tables)]
    categories = [beyond_steps.categories(other, PLAN, PROTOCOL) for other in tables]
    merged = beyond_statistics.merged(rows, categories, [made["bins"]])
    tests = merged["statistics"].set_index(["part", "base", "metric", "first", "correction"])
    own = tests.loc[("probabilities", "c45", "log_loss", "confdtree_comb", "none")]
    assert own["second"] == "laplace" and own["n"] == 3
    wide = COMPARED.means(merged["rows"], "probabilities", "log_loss")["c45"]
    difference = (wide["confdtree_comb"] - wide["laplace"]).mean()
    assert own["difference"] == pytest.approx(difference)
    own = tests.loc[("categories", "pruned", "average_auc", "confdtree_norm_categories", "none")]
    assert own["second"] == "confdtree_norm" and own["n"] == 2
    own = tests.loc[("learners", "rf", "average_auc", "confdtree_norm", "holm")]
    assert own["second"] == PLAIN and own["p"] == 1.0
    # Areas are compared in points.
    wide = COMPARED.means(merged["rows"], "learners", "average_auc")
    assert wide.to_numpy().max() > 1.0


def test_no_data_set_at_all():
    made = beyond_statistics.merged([], [], [])
    assert all(frame.empty for frame in made.values())
