"""EIGClassifier as users meet it: imputers, frames, categories, prediction, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

from hedgerow import C45Classifier, EIGClassifier
from hedgerow.errors import InputError
from hedgerow.missing import TableImputer


@pytest.fixture(scope="module")
def gaps():
    X, y = load_wine(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = np.nan
    return X, y


@pytest.fixture(scope="module")
def frame():
    """Numbers and a category, both with gaps."""
    rng = np.random.default_rng(1)
    n = 120
    y = rng.integers(0, 2, n)
    kind = np.where(rng.random(n) < 0.8, np.where(y == 1, "hot", "cold"), "mild").astype(object)
    X = pd.DataFrame({"a": y + rng.normal(0, 0.6, n), "b": rng.integers(0, 9, n).astype(float)})
    X["kind"] = pd.Categorical(kind, categories=["cold", "mild", "hot"])
    whole = X.copy()
    for name in X.columns:
        X.loc[rng.random(n) < 0.4, name] = None
    return X, y, whole


class Filling(BaseEstimator):
    """An imputer that does as it is told."""

    def __init__(self, does=None):
        self.does = does

    def fit(self, X, y=None):
        self.n_fits_ = getattr(self, "n_fits_", 0) + 1
        return self

    def transform(self, X):
        return self.does(np.nan_to_num(X))


# ------------------------------------------------------------------------------------ imputers


def test_the_default_is_five_neighbours_as_they_are(gaps):
    X, y = gaps
    ours = EIGClassifier(prune=False).fit(X, y)
    given = EIGClassifier(prune=False).fit(X, y, X_imputed=KNNImputer().fit_transform(X))
    asked = EIGClassifier(prune=False, imputer=KNNImputer(n_neighbors=5)).fit(X, y)
    assert ours.tree_ == given.tree_ == asked.tree_
    assert ours.tree_ != EIGClassifier(prune=False, n_neighbors=1).fit(X, y).tree_
    assert ours.tree_ != EIGClassifier(prune=False, imputer="mean").fit(X, y).tree_
    assert isinstance(ours.imputer_, KNNImputer) and given.imputer_ is None
    np.testing.assert_allclose(ours.reliabilities_, 1 - np.isnan(X).mean(axis=0))


def test_a_mean_is_that_of_simple_imputer(gaps):
    X, y = gaps
    given = EIGClassifier().fit(X, y, X_imputed=SimpleImputer().fit_transform(X))
    assert EIGClassifier(imputer="mean").fit(X, y).tree_ == given.tree_


def test_the_imputer_given_is_not_fitted(gaps):
    imputer = KNNImputer()
    EIGClassifier(imputer=imputer).fit(*gaps)
    assert not hasattr(imputer, "n_features_in_")


def test_one_fit_of_the_imputer_per_fit(gaps):
    model = EIGClassifier(imputer=Filling(lambda X: X)).fit(*gaps)
    assert model.imputer_.n_fits_ == 1


def test_several_draws(gaps):
    X, y = gaps
    drawing = IterativeImputer(sample_posterior=True, max_iter=2, random_state=7)
    settings = {"imputer": drawing, "n_imputations": 3, "prune": False}
    one, two = (EIGClassifier(random_state=0, **settings).fit(X, y) for _ in range(2))
    assert one.tree_ == two.tree_
    assert one.tree_ != EIGClassifier(random_state=1, **settings).fit(X, y).tree_
    tables = []
    random = np.random.RandomState(0)
    for seed in random.randint(np.iinfo(np.int32).max, size=3):
        tables.append(clone(drawing).set_params(random_state=int(seed)).fit_transform(X))
    for draws in (tables, np.stack(tables)):
        assert EIGClassifier(prune=False).fit(X, y, X_imputed=draws).tree_ == one.tree_


def test_draws_of_an_imputer_that_does_not_draw(gaps):
    with pytest.raises(InputError, match="KNNImputer has no random_state"):
        EIGClassifier(n_imputations=2).fit(*gaps)


def test_no_gap_no_imputer():
    X, y = load_iris(return_X_y=True)
    model = EIGClassifier(imputer=Filling(lambda X: 1 / 0)).fit(X, y)
    assert model.tree_ == C45Classifier().fit(X, y).tree_ and model.imputer_ is None
    with pytest.raises(InputError, match="no imputer was fitted"):
        model.impute(X)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        (lambda X: X[:-1], r"turns a table of \(178, 13\)"),
        (lambda X: X[:, :-1], r"into one of \(178, 12\)"),
        (lambda X: np.where(X == 0, np.nan, X), "leaves values of column 0 missing"),
        (lambda X: np.where(X == 0, np.inf, X), "leaves values of column 0 missing"),
        (lambda X: X.astype(str) + "x", "no numbers"),
        (lambda X: 1 / 0, "fails: division by zero"),
        (lambda X: None, "no numbers|turns a table"),
    ],
)
def test_imputers_that_fail(gaps, does, said):
    with pytest.raises(InputError, match=f"the imputer Filling .*({said})"):
        EIGClassifier(imputer=Filling(does)).fit(*gaps)


@pytest.mark.parametrize("imputer", ["median", None, 3, KNNImputer, object()])
def test_no_imputers(gaps, imputer):
    with pytest.raises(InputError, match="imputer is "):
        EIGClassifier(imputer=imputer).fit(*gaps)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 2.5}, "n_neighbors"),
        ({"n_imputations": 0}, "n_imputations"),
        ({"n_imputations": 10**6}, "n_imputations"),
        ({"reliability": "leaf"}, "reliability"),
        ({"missing_at_prediction": "drop"}, "missing_at_prediction"),
        ({"propagation": -0.1}, "propagation"),
        ({"error_unit": "inch"}, "error_unit"),
    ],
)
def test_bad_parameters(gaps, settings, said):
    with pytest.raises(InputError, match=said):
        EIGClassifier(**settings).fit(*gaps)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (lambda X: X, "is nan, not a number"),
        (lambda X: np.ones(len(X)), "weights go by name"),
        (lambda X: [], "weights go by name|no rows"),
    ],
)
def test_bad_guesses(gaps, table, said):
    X, y = gaps
    with pytest.raises(ValueError, match=said):
        EIGClassifier().fit(X, y, X_imputed=table(X))


def test_guesses_as_nested_lists():
    X = [[0.0, np.nan], [1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]]
    y = [0, 0, 1, 1]
    whole = [[0.0, 1.0], [1.0, 2.0], [3.0, 3.0], [4.0, 5.0]]
    model = EIGClassifier(min_samples_split=2, prune=False)
    assert model.fit(X, y, X_imputed=whole).tree_ == model.fit(X, y, np.array(whole)).tree_


# -------------------------------------------------------------------------------- prediction


def test_imputed_prediction(gaps):
    X, y = gaps
    model = EIGClassifier(missing_at_prediction="impute").fit(X[::2], y[::2])
    filled = KNNImputer().fit(X[::2]).transform(X[1::2])
    plain = EIGClassifier().fit(X[::2], y[::2])
    assert model.tree_ == plain.tree_
    np.testing.assert_array_equal(model.impute(X[1::2]), filled)
    np.testing.assert_array_equal(model.predict_proba(X[1::2]), plain.predict_proba(filled))
    np.testing.assert_array_equal(model.apply(X[1::2]), plain.apply(filled))
    assert (model.predict_proba(X[1::2]) != plain.predict_proba(X[1::2])).any()


def test_imputed_prediction_of_a_tree_with_given_guesses(gaps):
    X, y = gaps
    whole = load_wine().data
    model = EIGClassifier(missing_at_prediction="impute").fit(X, y, X_imputed=whole)
    assert model.tree_ == EIGClassifier().fit(X, y, X_imputed=whole).tree_
    np.testing.assert_array_equal(model.impute(X), KNNImputer().fit_transform(X))


def test_a_frame_is_filled_as_a_frame(frame):
    X, y, _ = frame
    model = EIGClassifier().fit(X, y)
    filled = model.impute(X)
    assert list(filled.columns) == list(X.columns) and not filled.isna().any().any()
    assert filled["kind"].dtype == X["kind"].dtype
    pd.testing.assert_frame_equal(filled.where(X.notna()), X.where(X.notna()))
    wide = np.column_stack([X["a"], X["b"], *(
        np.where(X["kind"].isna(), np.nan, X["kind"] == kind) for kind in ("cold", "mild", "hot")
    )])  # fmt: skip
    expected = KNNImputer().fit_transform(wide.astype(float))
    np.testing.assert_allclose(filled["a"], expected[:, 0])
    codes = filled["kind"].cat.codes.to_numpy()
    missing = X["kind"].isna().to_numpy()
    assert (codes[missing] == expected[missing, 2:].argmax(axis=1)).all()


def test_whole_numbers_with_gaps_are_filled():
    X = pd.DataFrame({"n": pd.array([1, 2, None, 9, 8, 9], dtype="Int64"), "x": range(6)})
    y = [0, 0, 0, 1, 1, 1]
    filled = EIGClassifier(imputer="mean").fit(X, y).impute(X)
    assert filled["n"].tolist() == [1, 2, pytest.approx(5.8), 9, 8, 9]


def test_categories_by_the_perfect_guess(frame):
    X, y, whole = frame
    model = EIGClassifier(prune=False).fit(X, y, X_imputed=whole)
    assert "kind" in model.feature_names_in_[model.tree_.feature[model.tree_.feature >= 0]]
    assert (model.predict(X) == y).mean() > 0.7
    other = whole.assign(kind=pd.Categorical(["tepid"] * len(whole)))
    with pytest.raises(InputError, match="not a category's code"):
        EIGClassifier().fit(X, y, X_imputed=other)


def test_columns_without_a_known_value(gaps):
    X, y = gaps
    X = np.column_stack([np.full(len(X), np.nan), X])
    model = EIGClassifier(missing_at_prediction="impute").fit(X, y)
    assert model.reliabilities_[0] == 0 and 0 not in model.tree_.feature
    assert np.isnan(model.impute(X)[:, 0]).all() and not np.isnan(model.impute(X)[:, 1:]).any()
    everything = EIGClassifier().fit(np.full((4, 2), np.nan), [0, 0, 1, 1])
    assert everything.get_n_leaves() == 1


def test_rows_of_weight_0_are_absent(gaps):
    X, y = gaps
    weight = np.ones(len(y))
    weight[::3] = 0
    whole = load_wine().data
    for given in (None, whole):
        some = None if given is None else given[weight > 0]
        one = EIGClassifier().fit(X, y, X_imputed=given, sample_weight=weight)
        two = EIGClassifier().fit(X[weight > 0], y[weight > 0], X_imputed=some)
        assert one.tree_ == two.tree_


def test_noise_and_gaps(gaps):
    X, y = gaps
    soft = EIGClassifier(propagation=0.1, evaluation=0.1, prune=False).fit(X, y)
    assert soft.tree_.gate is not None
    assert soft.tree_ != EIGClassifier(prune=False).fit(X, y).tree_
    assert "search" not in soft.get_params()


# ------------------------------------------------------------------------------- company


def test_guesses_find_what_c45_cannot_see():
    """A variable that is known in few rows only, and that another one tells: the guesses, not the
    few known values, show what it is worth."""
    rng = np.random.default_rng(0)
    n = 400
    signal = rng.normal(size=n)
    y = (signal > 0).astype(int)
    X = np.column_stack([signal, signal + rng.normal(0, 1.5, n)])
    X[rng.random(n) < 0.6, 0] = np.nan
    X = X[:, ::-1].copy()
    whole = np.column_stack([X[:, 0], signal])
    perfect = EIGClassifier(prune=False, max_depth=1).fit(X, y, X_imputed=whole)
    c45 = C45Classifier(prune=False, max_depth=1, reliability="global").fit(X, y)
    assert perfect.tree_.feature[0] == 1
    assert perfect.score(whole, y) >= c45.score(whole, y)


def test_table_imputer_alone():
    table = TableImputer(SimpleImputer(), [0, 2])
    X = np.array([[1.0, 0], [np.nan, 1], [3.0, np.nan], [2.0, 1]])
    assert table.fit_fill(X).tolist() == [[1, 0], [2, 1], [3, 1], [2, 1]]
    assert table.fit(X).fill(np.array([[np.nan, 0.0]])).tolist() == [[2, 0]]
    untouched = np.array([[5.0, 1.0]])
    assert table.fill(untouched).tolist() == [[5, 1]] and table.fill(untouched) is not untouched
