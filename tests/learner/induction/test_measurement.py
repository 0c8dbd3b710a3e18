"""Errors of measurement: the forms in which they are given, what each learner does with them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.measurement import probabilities
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EvidentialTreeClassifier,
    OptimalTreeClassifier,
    SoftTreeClassifier,
    UCTTreeClassifier,
    UncertainTreeClassifier,
    resolve_error,
)
from hedgerow.errors import InputError
from hedgerow.induction.measurement import keep_after_fit

NAMES = ["size", "weight", "age"]
NUMBERS = np.zeros(3, dtype=int)


def table(seed, n=40):
    """Numbers with ties, gaps and zeros, and three classes."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(1, 2, (n, 3)), 1)
    X[rng.random((n, 3)) < 0.1] = np.nan
    X[rng.random((n, 3)) < 0.1] = 0.0
    y = rng.integers(0, 3, n) if rng.random() < 0.3 else np.nansum(X, axis=1).round().clip(0, 2)
    return X, y.astype(int)


def some_form(rng, n):
    """One of the forms of the page, at random."""
    u = float(np.round(rng.uniform(0.1, 1.5), 2))
    return [
        u,
        f"{u * 20:.1f} %",
        f"+-{u}",
        stats.laplace(0.1, u),
        rng.uniform(0, u, n).tolist(),
        None,
        0,
    ][rng.integers(7)]


@examples(150)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["once", "per_test"]))
def test_against_the_definition(seed, draws):
    """The core's mixture is that of boxes, or of products, worked out leaf by leaf."""
    X, y = table(seed)
    rng = np.random.default_rng(seed)
    forms = [some_form(rng, len(X)) for _ in range(3)]
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    gate = resolve_error(forms, NUMBERS, n_rows=len(X), draws=draws)
    found = tree.predict_proba(X, gate)
    expected = [probabilities(tree, x, forms, i, draws) for i, x in enumerate(X)]
    np.testing.assert_allclose(found, expected, atol=2e-9)


def test_a_variable_tested_twice():
    """The example of docs/methods/optimal.md: .68 by the box, .71 by the product."""
    X, y = [[3.0], [5.0], [7.0]] * 4, [0, 1, 0] * 4
    tree = C45Classifier(prune=False, candidates="midpoints").fit(X, y).tree_
    assert sorted(tree.threshold[tree.feature >= 0]) == [4, 6]
    once = tree.predict_proba([[5.0]], resolve_error(1.0, NUMBERS[:1]))[0, 1]
    product = tree.predict_proba([[5.0]], resolve_error(1.0, NUMBERS[:1], draws="per_test"))[0, 1]
    assert round(once, 2) == 0.68
    assert round(product, 2) == 0.71


SAME = [
    (0.5, {0: 0.5, 1: 0.5, 2: 0.5}),
    ([0.5, None, 0], {"size": "0.5"}),
    ({-1: "5%"}, {"age": " 5.0 % "}),
    (pd.Series({"weight": "±2"}), {1: "+-2"}),
    (np.array([1.0, 2.0, 0.0]), [1.0, 2.0, 0.0]),
    (pd.DataFrame({"age": [1.0, np.nan]}), {2: [1.0, 0.0]}),
    (np.array([[np.nan, 0, 1], [np.nan, 0, 2]]), {"age": np.array([1.0, 2.0])}),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=[str(i) for i in range(len(SAME))])
def test_forms_that_mean_the_same(one, other):
    first, second = (resolve_error(e, NUMBERS, NAMES, n_rows=2) for e in (one, other))
    x = np.array([0.4, -3.0])
    np.testing.assert_array_equal(first.sigma, second.sigma)
    for j in range(3):
        np.testing.assert_array_equal(first.share(j, 0.1, x), second.share(j, 0.1, x))


@pytest.mark.parametrize("exact", [None, 0, [0, None, 0.0], {}, {"age": 0}, 1e-320, "0 %", "+-0"])
def test_no_error_is_no_gate(exact):
    assert resolve_error(exact, NUMBERS, NAMES) is None


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (-1, "error of column 'size' is -1; give a standard deviation such as 0.5"),
        (np.nan, "error of column 'size' is nan"),
        (True, "error of column 'size' is True"),
        ("5 kg", "error of column 'size' is '5 kg'"),
        ("+-5 %", r"error of column 'size' is '\+-5 %'"),
        ("1e", "error of column 'size' is '1e'"),
        ({"length": 1}, "error names 'length', which is no column"),
        ({3: 1}, "error holds 3 for 3 variables"),
        ({"age": 1, 2: 1}, "error gives two errors to column 2"),
        ([1, 2], "error has 2 entries for 3 variables"),
        (np.ones((4, 2)), "error has 2 columns for 3 variables"),
        ({"age": [1, 2, 3]}, "error of column 'age' has 3 entries for 4 rows"),
        ({"age": [1, 2, -3, 4]}, r"error of column 'age' is \[1, 2, -3, 4\]"),
        ({"age": [[1], [2]]}, "error of column 'age' is"),
        ({"age": ["a"] * 4}, "error of column 'age' is"),
        (1e200, r"error of column 'size' is 1e\+200"),
        (np.full((4, 3), "a"), "error is no table of numbers"),
    ],
)
def test_what_is_refused(error, message):
    with pytest.raises(InputError, match=message):
        resolve_error(error, NUMBERS, NAMES, n_rows=4)


def test_categories_have_no_error():
    gate = resolve_error(1.0, np.array([0, 3, 0]), NAMES)
    assert gate.sigma.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="gives 1 to column 'weight', which has categories"):
        resolve_error({"weight": 1}, np.array([0, 3, 0]), NAMES)


def learners():
    return [
        C45Classifier(),
        SoftTreeClassifier(error=0.1),
        UncertainTreeClassifier(error=0.1),
        OptimalTreeClassifier(max_depth=2, error={2: 0.2}),
        UCTTreeClassifier(n_iterations=50, random_state=0),
        ConfDTreeClassifier(),
        ConfDTreeClassifier(estimator=DecisionTreeClassifier(random_state=0)),
        ConfDTreeClassifier(
            estimator=RandomForestClassifier(n_estimators=3, max_features=2, random_state=0)
        ),
        EvidentialTreeClassifier(random_state=0),
    ]


@pytest.mark.parametrize("learner", learners(), ids=lambda e: type(e).__name__)
def test_every_learner_reads_errors(learner):
    X, y = load_iris(return_X_y=True)
    learner.fit(X, y)
    own, exact = learner.predict_proba(X), learner.predict_proba(X, error=0)
    read = learner.predict_proba(X, error={2: 0.4, 3: "10 %"})
    assert (read != exact).any()
    np.testing.assert_allclose(read.sum(axis=1), 1.0)
    np.testing.assert_array_equal(learner.predict(X, error=0), learner.classes_[exact.argmax(1)])
    by_row = np.zeros(X.shape)
    by_row[:75, 2] = 0.4
    halves = learner.predict_proba(X, error=by_row)
    np.testing.assert_allclose(halves[75:], exact[75:], atol=1e-12)
    np.testing.assert_allclose(
        halves[:75], learner.predict_proba(X, error={2: 0.4})[:75], atol=1e-12
    )
    assert learner.apply(X, error=0.3).shape[0] == len(X)
    assert learner.decision_path(X, error=0.3).shape[0] == len(X)
    np.testing.assert_array_equal(learner.predict_proba(X), own)  # nothing is left behind
    with pytest.raises(InputError, match="has 2 entries for 150 rows"):
        learner.predict_proba(X, error={2: [1.0, 2.0]})


def test_a_soft_tree_of_errors_is_that_of_its_parts():
    X, y = load_iris(return_X_y=True)
    parts = SoftTreeClassifier(
        search=0.2, propagation=0.2, evaluation=0.2, error_unit="absolute"
    ).fit(X, y)
    whole = SoftTreeClassifier(error=0.2).fit(X, y)
    assert whole.tree_ == parts.tree_
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))
    np.testing.assert_array_equal(whole.predict_proba(X, error=0.2), parts.predict_proba(X))
    some = SoftTreeClassifier(error=0.2, search=0.0, error_unit="absolute").fit(X, y)
    hard = SoftTreeClassifier(propagation=0.2, evaluation=0.2, error_unit="absolute").fit(X, y)
    assert some.tree_ == hard.tree_


@pytest.mark.parametrize("learner", [SoftTreeClassifier, OptimalTreeClassifier])
def test_errors_by_row_in_training(learner):
    """One standard deviation, said once for each row; rows of weight 0 bring theirs along."""
    X, y = load_iris(return_X_y=True)
    settings = {"max_depth": 2}
    one = learner(error=[0, 0, 0.2, 0], **settings).fit(X, y)
    each = learner(error={2: np.full(150, 0.2)}, **settings).fit(X, y)
    np.testing.assert_allclose(each.tree_.threshold, one.tree_.threshold)
    np.testing.assert_allclose(each.tree_.class_weight, one.tree_.class_weight, rtol=1e-9)
    np.testing.assert_allclose(each.tree_.gate.sigma, one.tree_.gate.sigma)
    sd = np.where(np.arange(150) % 2 == 0, 0.2, 3.0)
    weight = (np.arange(150) % 2 == 0).astype(float)
    half = learner(error={2: sd}, **settings).fit(X, y, sample_weight=weight)
    alone = learner(error={2: sd[::2]}, **settings).fit(X[::2], y[::2])
    np.testing.assert_allclose(half.tree_.class_weight, alone.tree_.class_weight)
    assert not hasattr(half, "_rows_given")
    pickle.loads(pickle.dumps(half)).predict(X)
    with pytest.raises(InputError, match="has 149 entries for 150 rows"):
        learner(error={2: np.ones(149)}).fit(X, y)


def test_what_a_tree_keeps_of_errors_by_row():
    gate = resolve_error({0: [3.0, 4.0], 1: "5 %"}, NUMBERS, n_rows=2)
    kept = keep_after_fit(gate)
    assert kept.sigma[0] == pytest.approx(np.sqrt(12.5))
    assert set(kept.models) == {1}
    assert keep_after_fit(kept) is kept


def test_uncertain_trees_take_normal_pdfs_alone():
    X, y = load_iris(return_X_y=True)
    ranges = X.max(axis=0) - X.min(axis=0)
    width = UncertainTreeClassifier(width=0.2).fit(X, y)
    error = UncertainTreeClassifier(error=0.05 * ranges).fit(X, y)
    assert width.tree_ == error.tree_
    np.testing.assert_array_equal(width.predict_proba(X), error.predict_proba(X))
    for form in ("5 %", "+-1", {0: np.ones(150)}):
        with pytest.raises(InputError, match="of which pdfs are not normal"):
            UncertainTreeClassifier(error=form).fit(X, y)


def test_growth_refuses_draws_once_of_other_errors():
    X, y = load_iris(return_X_y=True)
    gate = resolve_error("5 %", np.zeros(4, dtype=int))
    with pytest.raises(InputError, match="drawn once and not normal"):
        SoftTreeClassifier(propagation=gate).fit(X, y)


def test_names_of_columns():
    X, y = load_iris(return_X_y=True, as_frame=True)
    name = X.columns[2]
    named = C45Classifier().fit(X, y)
    plain = C45Classifier().fit(X.to_numpy(), y)
    np.testing.assert_array_equal(
        named.predict_proba(X, error={name: 0.3}), plain.predict_proba(X.to_numpy(), error={2: 0.3})
    )
    errors = pd.DataFrame({name: np.where(y == 0, 0.3, np.nan)})
    np.testing.assert_allclose(
        named.predict_proba(X, error=errors)[:50],
        named.predict_proba(X, error={name: 0.3})[:50],
        atol=1e-12,
    )
