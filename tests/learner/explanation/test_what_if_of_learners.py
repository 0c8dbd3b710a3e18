"""What-if at the value that a row has is the prediction, whatever the learner.

E2M's curve was that of its tree read test by test, ConfDTree's that of its tree without
corrections: with b = 300 and another value missing, `what_if("b", [300])` was (.442, .558) and
`predict_proba` (.506, .494).
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialTreeClassifier,
    EvolutionaryTreeClassifier,
    OptimalTreeClassifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    UCTTreeClassifier,
    UncertainDataTreeClassifier,
    UncertainTreeClassifier,
)
from hedgerow.induction.base import TreeClassifierMixin

LEARNERS = {
    "C4.5": C45Classifier(smoothing=True),
    "Gini": C45Classifier(criterion="gini"),
    "soft": SoftTreeClassifier(propagation=0.1, evaluation=0.1),
    "PLT": ProbabilisticThresholdClassifier(),
    "UDT": UncertainTreeClassifier(),
    "EIG": EIGClassifier(random_state=0),
    "EIG that imputes": EIGClassifier(random_state=0, missing_at_prediction="impute"),
    "doubt": UncertainDataTreeClassifier(random_state=0),
    "E2M": EvidentialTreeClassifier(random_state=0),
    "optimal": OptimalTreeClassifier(max_depth=2),
    "ETE": EvolutionaryTreeClassifier(random_state=0, n_generations=5),
    "UCT-DT": UCTTreeClassifier(n_iterations=200, random_state=0),
    "ConfDTree": ConfDTreeClassifier(C45Classifier(max_depth=3)),
    "ConfDTree with categories": ConfDTreeClassifier(categorical=True, fine=0.4, smoothing=True),
    "ConfDTree of E2M": ConfDTreeClassifier(EvidentialTreeClassifier(random_state=0)),
    "ConfDTree of scikit-learn": ConfDTreeClassifier(DecisionTreeClassifier(max_depth=3)),
    "ConfDTree of a soft tree": ConfDTreeClassifier(
        SoftTreeClassifier(propagation=0.1, evaluation=0.1)
    ),
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    n = 200
    X = pd.DataFrame(
        {
            "a": rng.normal(0, 1, n),
            "b": rng.choice([100.0, 200, 300, 400], n) + rng.normal(0, 20, n),
            "kind": pd.Categorical(rng.choice(list("xyz"), n)),
        }
    )
    y = np.where(X["a"] + X["b"] / 200 + (X["kind"] == "x") + rng.normal(0, 0.6, n) > 1.6, "p", "q")
    return X.mask(rng.random(X.shape) < 0.15), y


def test_every_learner_is_here():
    listed = {type(model) for model in LEARNERS.values()}
    every = {getattr(hedgerow, name) for name in hedgerow.__all__}
    learners = {c for c in every if isinstance(c, type) and issubclass(c, TreeClassifierMixin)}
    assert learners <= listed


@pytest.mark.parametrize("error", [None, 0, {"a": 0.3, "b": 15.0}], ids=["exact", "0", "errors"])
@pytest.mark.parametrize("name", LEARNERS)
def test_at_the_value_of_the_row_it_is_the_prediction(table, name, error):
    X, y = table
    if name.endswith("scikit-learn"):
        X = X.drop(columns="kind")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(LEARNERS[name]).fit(X, y)
        rows = X.iloc[:30]
        predicted = model.predict_proba(rows, error=error)
        explained = model.explain(rows, error)
    for row, said in enumerate(explained):
        np.testing.assert_allclose(said.probabilities, predicted[row], atol=1e-12)
        for variable in X.columns:
            value = X[variable].iloc[row]
            if pd.isna(value):
                continue
            _, p = said.what_if(variable, [value])
            np.testing.assert_allclose(p[0], predicted[row], atol=1e-12)


@pytest.mark.parametrize("name", ["C4.5", "E2M", "ConfDTree", "ConfDTree of E2M", "soft"])
def test_at_another_value_it_is_the_prediction_of_that_row(table, name):
    """Against rows that are changed one by one and predicted."""
    X, y = table
    model = clone(LEARNERS[name]).fit(X, y)
    for row in range(5):
        said = model.explain(X.iloc[[row]])[0]
        values, p = said.what_if("b")
        changed = pd.concat([X.iloc[[row]]] * len(values), ignore_index=True).assign(b=values)
        np.testing.assert_allclose(p, model.predict_proba(changed), atol=1e-12)
        labels = ["x", "y", "z"]
        changed = pd.concat([X.iloc[[row]]] * 3, ignore_index=True)
        changed["kind"] = pd.Categorical(labels)
        found = said.what_if("kind", labels)[1]
        np.testing.assert_allclose(found, model.predict_proba(changed), atol=1e-12)


def test_no_prediction_of_a_confdtree_is_skipped(table):
    """Its predictions change at the ends of intervals too: each stretch has a value."""
    X, y = table
    model = ConfDTreeClassifier(C45Classifier(max_depth=2)).fit(X, y)
    intervals = model.get_intervals()
    for row in range(10):
        said = model.explain(X.iloc[[row]])[0]
        for j, name in enumerate(["a", "b"]):
            tested = model.tree_.feature == j
            if not tested.any():
                continue
            values, p = said.what_if(name)
            ends = np.concatenate(
                [part[tested].ravel() for part in (intervals.assigned_interval, intervals.other)]
            )
            cuts = np.unique([*ends[np.isfinite(ends)], *model.tree_.threshold[tested]])
            assert values[0] < cuts[0] and cuts[-1] < values[-1]
            middle = (cuts[1:] + cuts[:-1]) / 2
            changed = pd.concat([X.iloc[[row]]] * len(middle), ignore_index=True).assign(
                **{name: middle}
            )
            for wanted in model.predict_proba(changed):
                assert np.abs(p - wanted).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("name", ["E2M", "C4.5", "soft"])
def test_it_can_be_pickled(table, name):
    X, y = table
    model = clone(LEARNERS[name]).fit(X, y)
    said = model.explain(X.iloc[[0]])[0]
    again = pickle.loads(pickle.dumps(said))
    np.testing.assert_array_equal(again.what_if("b")[1], said.what_if("b")[1])
