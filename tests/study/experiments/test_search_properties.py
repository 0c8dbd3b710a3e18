"""Properties of data sets: naive Bayes, the six classifiers, importance of variables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from hedgerow.data import TidyTable
from hedgerow_study.experiments.search import properties as search_properties
from hedgerow_study.experiments.search.plan import SearchPlan
from hedgerow_study.experiments.search.properties import CLASSIFIERS, importances, properties


@pytest.fixture(scope="module")
def plan():
    return SearchPlan(seed=3, property_folds=2, n_forest_trees=20)


def _values(table, plan):
    return properties(table, plan).set_index("metric")["value"]


def test_every_metric_once_and_the_same_again(wine, plan):
    found = properties(wine, plan)
    pd.testing.assert_frame_equal(found, properties(wine, plan))
    assert found["metric"].is_unique and found["metric"].is_monotonic_increasing
    values = found.set_index("metric")["value"]
    assert (values["n_instances"], values["n_variables"]) == (178, 4)
    assert values["f1_mean"] == pytest.approx(np.mean([values[f"f1_{c}"] for c in CLASSIFIERS]))
    assert 1 <= values["n_above_half_of_largest"] <= 4 and values["n_above_median"] == 2
    assert values["f1_rf"] > 60


def test_naive_bayes_of_one_kind_of_variable_is_that_of_scikit_learn(wine):
    X = wine.X[["alcohol", "ash"]]
    numbers = TidyTable("wine", X, wine.y, wine.classes, "class")
    own = search_properties._naive_bayes(numbers).fit(X, wine.y)
    assert (own.predict(X) == GaussianNB().fit(X, wine.y).predict(X)).all()
    X = wine.X[["hue"]]
    levels = TidyTable("wine", X, wine.y, wine.classes, "class")
    own = search_properties._naive_bayes(levels).fit(X, wine.y)
    codes = X["hue"].cat.codes.to_numpy()[:, None]
    assert (own.predict(X) == CategoricalNB().fit(codes, wine.y).predict(codes)).all()


def test_naive_bayes_counts_the_frequencies_of_classes_once(wine):
    """A mixed model: log prior once, and the likelihoods of both kinds."""
    own = search_properties._naive_bayes(wine).fit(wine.X, wine.y)
    X = wine.X.assign(malic_acid=wine.X["malic_acid"].fillna(wine.X["malic_acid"].median()))
    numbers = X[["alcohol", "malic_acid", "ash"]].to_numpy()
    codes = X["hue"].cat.codes.to_numpy()[:, None]
    prior = np.log(np.bincount(wine.y) / len(wine.y))
    score = GaussianNB().fit(numbers, wine.y).predict_joint_log_proba(numbers)
    score = score + CategoricalNB().fit(codes, wine.y).predict_joint_log_proba(codes) - prior
    assert (own.predict(wine.X) == score.argmax(axis=1)).all()


def test_dummies_of_a_variable_count_together():
    """A category that decides the class outweighs noise, whatever the number of its levels."""
    generator = np.random.default_rng(0)
    level = generator.integers(0, 6, 300)
    X = pd.DataFrame({"noise": generator.normal(size=300)})
    X["level"] = pd.Categorical.from_codes(level, [f"v{i}" for i in range(6)])
    table = TidyTable("made", X, (level % 2).astype(np.int64), ["0", "1"], "class")
    importance = importances(table, 30, 0)
    assert importance.sum() == pytest.approx(1) and importance[1] > 0.8


def test_holes_everywhere_in_a_fold():
    """A variable without a known value in a training fold stays a constant."""
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = pd.DataFrame({"a": generator.normal(size=40) + y, "b": np.full(40, np.nan)})
    X["c"] = pd.Categorical([None] * 39 + ["x"], categories=["x", "y"])
    table = TidyTable("holes", X, y, ["0", "1"], "class")
    values = _values(table, SearchPlan(property_folds=2, n_forest_trees=5))
    assert values.notna().all()
