"""ConfDTreeClassifier as an estimator: what it takes, refuses, keeps, and prints."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import C45Classifier, ConfDTreeClassifier, EvidentialData, EvidentialTreeClassifier
from hedgerow.errors import InputError

INNER = [
    None,
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(3, random_state=0),
    BaggingClassifier(C45Classifier(), 3, random_state=0),
]


def failing(estimator):
    if isinstance(estimator.estimator, RandomForestClassifier | BaggingClassifier):
        return {"check_sample_weight_equivalence_on_dense_data": "rows are drawn at random"}
    return {}


@parametrize_with_checks(
    [ConfDTreeClassifier(inner) for inner in INNER], expected_failed_checks=failing
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "named"),
    [
        (3, "3"),
        ("tree", "'tree'"),
        (C45Classifier, "C45Classifier"),
        (DecisionTreeRegressor(), "DecisionTreeRegressor"),
        (LogisticRegression(), "LogisticRegression"),
        (AdaBoostClassifier(), "AdaBoostClassifier"),
        (GradientBoostingClassifier(), "GradientBoostingClassifier"),
        (make_pipeline(StandardScaler(), C45Classifier()), "Pipeline"),
        (ConfDTreeClassifier(), "ConfDTreeClassifier"),
        (BaggingClassifier(LogisticRegression()), "BaggingClassifier of LogisticRegression"),
        (BaggingClassifier(RandomForestClassifier()), "BaggingClassifier of RandomForest"),
        (FrozenEstimator(LogisticRegression()), "LogisticRegression"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_other_estimators_are_refused(estimator, named):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="give a tree classifier of hedgerow") as caught:
        ConfDTreeClassifier(estimator).fit(X, y)
    assert named in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_mixture_is_read_as_the_tree_that_it_is_of_plain_values():
    """E2M trees were refused as no trees."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    data = EvidentialData.from_gamma(X, y, 0.1, 0.1)
    e2m = EvidentialTreeClassifier(max_leaves=5, prune=False).fit(data)
    quiet = {"routes": False, "fines": False}
    model = ConfDTreeClassifier(FrozenEstimator(e2m), **quiet).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), e2m.predict_proba(X), atol=1e-12)
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    said = model.predict_proba(gaps)
    np.testing.assert_allclose(said, e2m.tree_.predict_proba(gaps.to_numpy()), atol=1e-12)
    assert abs(said - e2m.predict_proba(gaps)).max() > 0.01
    doubting = ConfDTreeClassifier(FrozenEstimator(e2m)).fit(X, y)
    assert abs(doubting.predict_proba(X) - e2m.predict_proba(X)).max() > 0.01
    assert "node 0" in str(doubting.revisions(X.iloc[61]))
    with pytest.raises(InputError, match="X is evidential data, of which a row may be in several"):
        doubting.predict_proba(data)


@pytest.mark.parametrize("inner", [C45Classifier(), RandomForestClassifier()])
def test_a_frozen_estimator_has_to_be_fitted(inner):
    with pytest.raises(NotFittedError):
        ConfDTreeClassifier(FrozenEstimator(inner)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"method": "normal"}, "method is 'normal'"),
        ({"min_instances": 1}, "min_instances is 1"),
        ({"too_few": "both"}, "too_few is 'both'"),
        ({"normal_width": -1}, "normal_width is -1"),
        ({"t_alpha_other": 1.5}, "t_alpha_other is 1.5"),
        ({"normality": "shapiro"}, "normality is 'shapiro'"),
        ({"normality_alpha": "x"}, "normality_alpha is 'x'"),
        ({"fine": 2}, "fine is 2"),
        ({"routes": 1}, "routes is 1"),
        ({"fines": None}, "fines is None"),
        ({"categorical": "yes"}, "categorical is 'yes'"),
        ({"category_alpha": np.nan}, "category_alpha is nan"),
        ({"smoothing": "laplace"}, "smoothing is 'laplace'"),
    ],
)
def test_bad_settings_are_named(settings, named):
    with pytest.raises(InputError) as caught:
        ConfDTreeClassifier(**settings).fit([[0.0], [1.0]], [0, 1])
    assert str(caught.value).startswith(named)


def test_labels_that_a_frozen_tree_does_not_know():
    X, y = load_iris(return_X_y=True)
    frozen = FrozenEstimator(C45Classifier().fit(X[:100], y[:100]))
    with pytest.raises(InputError, match=r"y holds the class 2, .* give classes among 0, 1"):
        ConfDTreeClassifier(frozen).fit(X, y)
    with pytest.raises(InputError, match="y holds the class 'a'"):
        ConfDTreeClassifier(frozen).fit(X, np.where(y, "a", "b"))
    with pytest.raises(InputError, match="y has 3 entries for 150 rows"):
        ConfDTreeClassifier(frozen).fit(X, [0, 1, 0])
    with pytest.raises(InputError, match="sample_weight of row 0 is negative"):
        ConfDTreeClassifier(frozen).fit(X[:100], y[:100], np.full(100, -1.0))
    some = ConfDTreeClassifier(frozen).fit(X, y, y < 2)  # rows without weight are not there
    assert some.classes_.tolist() == [0, 1]


def test_another_table_is_refused():
    X, y = load_wine(return_X_y=True, as_frame=True)
    for inner in INNER:
        model = ConfDTreeClassifier(inner).fit(X, y)
        for wrong in (X.iloc[:, :5], X.iloc[:, ::-1]):
            with pytest.raises(ValueError, match=r"features|feature names"):
                model.predict_proba(wrong)
        with pytest.raises(ValueError, match="infinit"):
            model.predict_proba(X.where(X < 1000, np.inf))
        with pytest.raises(InputError, match="x has 2 rows; give one of them"):
            model.revisions(X[:2])


def test_smoothing_is_that_of_the_estimator_unless_told():
    X, y = load_iris(return_X_y=True)
    off = {"routes": False, "fines": False}
    for smoothing in (False, True):
        base = C45Classifier(smoothing=smoothing)
        want = base.fit(X, y).predict_proba(X)
        model = ConfDTreeClassifier(base, **off)
        np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), want)
        other = clone(model).set_params(smoothing=not smoothing).fit(X, y)
        want = base.tree_.predict_proba(X, smoothing=not smoothing)
        np.testing.assert_array_equal(other.predict_proba(X), want)


def test_frames_with_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(5, 2, 200), "kind": rng.choice(list("abc"), 200)})
    X["kind"] = X["kind"].astype("category")
    y = np.where((X["size"] > 5) & (X["kind"] != "a"), "yes", "no")
    model = ConfDTreeClassifier(categorical=True).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.feature_names_in_.tolist() == ["size", "kind"]
    assert "kind in {" in str(model.revisions(X.iloc[0]))
    assert "leaf" in str(model.revisions(X.iloc[[1]]))


@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_missing_names_are_told_once(inner):
    """The estimator inside said it once more, under its own name."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    table = X.to_numpy()
    for given, asked in ((X, table), (table, X)):
        model = ConfDTreeClassifier(inner).fit(given, y)
        for ask, some in (
            (model.predict_proba, asked),
            (model.apply, asked),
            (model.explain, asked[:1]),
        ):
            with pytest.warns(UserWarning, match="feature names") as told:
                ask(some)
            assert len(told) == 1 and "ConfDTreeClassifier" in str(told[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.predict_proba(given)


def test_forests_as_estimators():
    X, y = load_wine(return_X_y=True, as_frame=True)
    bag = BaggingClassifier(C45Classifier(), 4, max_features=0.5, random_state=0)
    for inner in (RandomForestClassifier(4, random_state=0), bag):
        model = ConfDTreeClassifier(inner).fit(X, y)
        assert len(model.trees_) == 4 and not hasattr(model, "tree_")
        assert model.apply(X).shape == (178, 4)
        path = model.decision_path(X)
        assert path.shape == (178, sum(tree.n_nodes for tree in model.trees_))
        assert model.get_n_leaves() == sum(tree.n_leaves for tree in model.trees_)
        assert model.get_depth() == max(tree.depth for tree in model.trees_)
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        told = model.revisions(X.iloc[61])
        np.testing.assert_allclose(told.after, model.predict_proba(X.iloc[[61]])[0], atol=1e-12)
        want = model.estimator_.predict_proba(X.iloc[[61]])[0]
        np.testing.assert_allclose(told.before, want, atol=1e-12)
        assert len(told.trees) == 4 and str(told).startswith("tree 0\n")
        assert len(model.get_intervals(3).assigned_interval) == model.trees_[3].n_nodes
        for wrong in (4, -1, 0.5):
            with pytest.raises(InputError, match=f"tree is {wrong}"):
                model.get_intervals(wrong)
        assert any(name in str(told) for name in X.columns)
    np.testing.assert_array_equal(
        ConfDTreeClassifier(RandomForestClassifier(4, random_state=0)).fit(X, y).apply(X),
        RandomForestClassifier(4, random_state=0).fit(X, y).apply(X),
    )


def test_values_beyond_32_bits_are_refused_where_scikit_learn_does():
    X, y = load_iris(return_X_y=True)
    model = ConfDTreeClassifier(DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="infinity or a value too large"):
        model.predict_proba(np.full((1, 4), 1e300))


@pytest.mark.parametrize("normality", ["ks", "lilliefors"])
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e16, 1e200, 1e300])
def test_extreme_values_and_weights(scale, normality):
    """Squares that overflow or vanish leave a class without an interval, and no warning."""
    if normality == "lilliefors":
        pytest.importorskip("statsmodels")
    rng = np.random.default_rng(0)
    X, y = (rng.normal(size=(80, 2)) + 3.0) * scale, rng.integers(0, 3, 80)
    base = C45Classifier(prune=False, min_samples_split=0, min_samples_leaf=0)
    for weight in (None, 1e-300, 1e13):  # above, sums are refused
        weight = None if weight is None else np.full(80, weight)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = ConfDTreeClassifier(base, min_instances=2, normality=normality)
            got = model.fit(X, y, weight).predict_proba([*X, [1e308, -1e308], [np.nan, 5e-324]])
        np.testing.assert_allclose(got.sum(axis=1), 1.0, atol=1e-9)


def test_an_explanation_can_be_read_by_programs():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = ConfDTreeClassifier(C45Classifier(max_depth=2)).fit(X, y)
    told = model.revisions(X.iloc[61])
    root = told.nodes[-1]
    assert (root.node, root.depth, root.variable, root.done) == (0, 0, "flavanoids", "routes")
    assert root.is_atypical and root.assigned == 2 and root.others == (1,)
    assert root.value == pytest.approx(1.41)
    assert root.interval == tuple(model.get_intervals().assigned_interval[0, 2])
    assert root.before.argmax() == 2 and root.after.argmax() == 1
    weight = [model.get_intervals().pull[child, 1] for child in (1, 4)]
    assert root.left == pytest.approx(weight[0] / sum(weight))
    assert [step.node for step in told.nodes] == [3, 1, 5, 4, 0]
