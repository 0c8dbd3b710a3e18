"""EIGClassifier in the hands of users: what a second look found, a test each."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from hedgerow import EIGClassifier
from hedgerow.errors import HedgerowWarning, InputError

NAMES = list("abcdefghijklm")


@pytest.fixture(scope="module")
def wine():
    """Values with gaps, the classes, the values."""
    whole, y = load_wine(return_X_y=True)
    gaps = whole.copy()
    gaps[np.random.default_rng(0).random(whole.shape) < 0.4] = np.nan
    return gaps, y, whole


@pytest.fixture(scope="module")
def mixed(wine):
    """A data frame of three numbers and a category, all with gaps, and the classes."""
    X = pd.DataFrame(wine[0][:, :3], columns=list("abc"))
    kinds = np.random.default_rng(1).choice(["x", "y", "z", None], len(X))
    return X.assign(kind=pd.Categorical(kinds)), wine[1]


def quiet(model, *args, **settings):
    """Fit, and let no warning pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model.fit(*args, **settings)


# -------------------------------------------------------------------------------- imputers


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_frozen_imputer_is_used_as_it_was_fitted(wine, as_frame):
    """It failed: `FrozenEstimator.fit` insists on a y."""
    gaps, y, whole = wine
    fitted = KNNImputer().fit(pd.DataFrame(whole, columns=NAMES) if as_frame else whole)
    model = EIGClassifier(imputer=FrozenEstimator(fitted), missing_at_prediction="impute")
    guesses = KNNImputer().fit(whole).transform(gaps)
    assert quiet(model, gaps, y).tree_ == EIGClassifier().fit(gaps, y, guesses).tree_
    np.testing.assert_array_equal(model.impute(gaps), guesses)
    assert quiet(model, whole, y).tree_ == EIGClassifier().fit(whole, y).tree_
    np.testing.assert_array_equal(model.impute(gaps), guesses)


def test_a_frozen_imputer_sees_columns_that_training_does_not_know(wine):
    """The column without a known value was kept from it, so that it missed one."""
    gaps, y, whole = wine
    gaps = gaps.copy()
    gaps[:, 0] = np.nan
    model = quiet(EIGClassifier(imputer=FrozenEstimator(KNNImputer().fit(whole))), gaps, y)
    assert 0 not in model.tree_.feature and not np.isnan(model.impute(gaps)).any()


def test_an_imputer_that_was_frozen_before_it_was_fitted(wine):
    with pytest.raises(InputError, match=r"imputer KNNImputer fails: .*not fitted yet"):
        EIGClassifier(imputer=FrozenEstimator(KNNImputer())).fit(*wine[:2])


@pytest.mark.parametrize(
    "imputer",
    [
        make_pipeline(StandardScaler(), KNNImputer()),
        ColumnTransformer(
            [("c", SimpleImputer(), [*range(2, 13)]), ("a", SimpleImputer(), [0, 1])]
        ),
    ],
)
def test_known_values_that_come_back_as_others(wine, imputer):
    """Guesses on another scale, or of another column, were taken without a word."""
    with pytest.warns(HedgerowWarning, match=r"turns the known value .* of column 0") as told:
        EIGClassifier(imputer=imputer).fit(*wine[:2])
    assert len(told) == 1


def test_scaling_before_the_classifier(wine):
    """What the warning advises."""
    gaps, y, _ = wine
    model = quiet(make_pipeline(StandardScaler(), EIGClassifier()), gaps, y)
    assert model.score(gaps, y) > 0.8


def test_an_imputer_that_smooths_is_no_scaling(wine):
    gaps, y, _ = wine

    class Smoothing(SimpleImputer):
        def transform(self, X):
            means = np.broadcast_to(self.statistics_, X.shape)
            return np.where(np.isnan(X), means, 0.4 * X + 0.6 * means)

        def fit_transform(self, X, y=None):
            return self.fit(X).transform(X)

    one = quiet(EIGClassifier(imputer=Smoothing()), gaps, y)
    assert one.tree_ == EIGClassifier(imputer="mean").fit(gaps, y).tree_


@pytest.mark.parametrize(
    "imputer", [KNNImputer(), make_pipeline(KNNImputer(), StandardScaler(with_std=False))]
)
def test_a_constant_column_is_no_scaling(imputer):
    X = np.array([[7.0, 0], [7, 1], [np.nan, 2], [7, np.nan], [7, 4], [7, 5]])
    X[:, 1] -= np.nanmean(X[:, 1])
    if isinstance(imputer, KNNImputer):
        quiet(EIGClassifier(imputer=imputer), X, [0, 0, 0, 1, 1, 1])
    else:
        with pytest.warns(HedgerowWarning, match="known value 7 of column 0 into 0"):
            EIGClassifier(imputer=imputer).fit(X, [0, 0, 0, 1, 1, 1])


def test_draws_that_are_all_alike(wine):
    """An IterativeImputer has a random_state, and draws only when it is told so."""
    gaps, y = wine[0][:, :4], wine[1]
    settings = {"max_iter": 2, "tol": 1e9}
    with pytest.warns(HedgerowWarning, match=r"all 3 guesses .* sample_posterior=True"):
        EIGClassifier(imputer=IterativeImputer(**settings), n_imputations=3).fit(gaps, y)
    drawing = IterativeImputer(sample_posterior=True, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", HedgerowWarning)
        EIGClassifier(imputer=drawing, n_imputations=3).fit(gaps, y)


def test_an_imputer_that_is_not_scikit_learns(wine):
    """It could not be cloned, in a sentence of scikit-learn's about get_params."""

    class Own:
        def fit(self, X, y=None):
            self.means = np.nanmean(X, axis=0)
            return self

        def transform(self, X):
            return np.where(np.isnan(X), self.means, X)

    gaps, y, _ = wine
    own = Own()
    model = quiet(EIGClassifier(imputer=own), gaps, y)
    assert model.tree_ == EIGClassifier(imputer="mean").fit(gaps, y).tree_
    assert not hasattr(own, "means")
    with pytest.raises(InputError, match="Own has no random_state"):
        EIGClassifier(imputer=own, n_imputations=2).fit(gaps, y)


def test_outputs_of_imputers(wine):
    """Sparse tables were called no numbers; where values are missing was taken for their guess."""
    gaps, y, _ = wine
    plain = EIGClassifier().fit(gaps, y).tree_
    rare = make_pipeline(KNNImputer(), FunctionTransformer(sparse.csr_array))
    assert quiet(EIGClassifier(imputer=rare), gaps, y).tree_ == plain
    framed = KNNImputer().set_output(transform="pandas")
    assert quiet(EIGClassifier(imputer=framed), gaps, y).tree_ == plain
    with pytest.raises(InputError, match="MissingIndicator gives values that are no numbers"):
        EIGClassifier(imputer=MissingIndicator()).fit(gaps, y)


def test_an_imputer_that_writes_into_its_input(wine):
    class Overwriting(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            X[np.isnan(X)] = 7.0
            return X

    gaps, y, _ = wine
    given = gaps.copy()
    model = EIGClassifier(imputer=Overwriting(), missing_at_prediction="impute").fit(given, y)
    model.predict(given)
    filled = model.impute(given)
    np.testing.assert_array_equal(given, gaps)
    np.testing.assert_array_equal(filled, np.where(np.isnan(gaps), 7.0, gaps))


def test_the_column_that_stays_missing_is_named(wine):
    frame = pd.DataFrame(wine[0], columns=NAMES)
    with pytest.raises(InputError, match="StandardScaler leaves values of column 'a' missing"):
        EIGClassifier(imputer=StandardScaler()).fit(frame, wine[1])


def test_grid_search_over_an_imputer_and_its_parameters(wine):
    grid = [
        {"imputer": ["mean", KNNImputer()]},
        {"imputer": [KNNImputer()], "imputer__n_neighbors": [1, 3]},
    ]
    search = GridSearchCV(EIGClassifier(), grid, cv=2, error_score="raise").fit(*wine[:2])
    assert len(search.cv_results_["params"]) == 4 and search.best_score_ > 0.6


# --------------------------------------------------------------------------------- guesses


def test_frames_of_guesses(wine):
    gaps, y, whole = wine
    X, guesses = (pd.DataFrame(table, columns=NAMES) for table in (gaps, whole))
    plain = EIGClassifier().fit(gaps, y, whole).tree_
    for given in (
        guesses[guesses.columns[::-1]],  # was refused, as a fault of X
        guesses.set_axis(range(500, 500 + len(y))),
        guesses.astype(object),
        whole,  # was told that it has no names
        [guesses, guesses[guesses.columns[::-1]]],
    ):
        tree = quiet(EIGClassifier(), X, y, X_imputed=given).tree_
        assert tree.replace(feature_names=None) == plain
    assert quiet(EIGClassifier(), gaps, y, X_imputed=guesses).tree_ == plain


def test_rows_of_guesses_in_another_order(wine):
    """They were taken one by one, each for another row."""
    gaps, y, whole = wine
    X = pd.DataFrame(gaps).rename(columns=str)
    shuffled = pd.DataFrame(whole).rename(columns=str).sample(frac=1, random_state=0)
    with pytest.raises(InputError, match="index of X in another order"):
        EIGClassifier().fit(X, y, X_imputed=shuffled)
    model = EIGClassifier().fit(X, y, X_imputed=shuffled.loc[X.index])
    assert model.tree_.replace(feature_names=None) == EIGClassifier().fit(gaps, y, whole).tree_


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (lambda w: sparse.csr_array(w), "Sparse data was passed for X_imputed"),
        (lambda w: [sparse.csr_array(w)], "Sparse data was passed for X_imputed"),
        (lambda w: w[None, None], "X_imputed is no table: Found array with dim 4"),
        (lambda w: w[None][:0], "X_imputed has no rows and columns"),
        (lambda w: w[None, :-1], "X_imputed has 177 rows and X has 178"),
        (lambda w: [w, w[:-1]], "X_imputed has 177 rows and X has 178"),
        (lambda w: [[1.0, 2.0], [3.0]], "X_imputed has no rows and columns"),
        (lambda w: "knn", "X_imputed has no rows and columns"),
        (lambda w: KNNImputer(), "X_imputed has no rows and columns"),
        (lambda w: w * np.inf, "X_imputed holds an infinite value"),
        (lambda w: w.astype(str) + "x", "X_imputed"),
        (lambda w: w[:, 1:], "X_imputed has 12 features"),
        (lambda w: pd.DataFrame(w).assign(t="x").iloc[:, 1:].rename(columns=str), "of X_imputed"),
    ],
)
def test_bad_guesses_are_no_fault_of_X(wine, table, said):
    gaps, y, whole = wine
    with pytest.raises(InputError, match=said) as told:
        EIGClassifier().fit(gaps, y, X_imputed=table(whole))
    assert "\n" not in str(told.value) and told.value.remedy


def test_a_guess_that_lacks_is_found_by_its_row(wine):
    """The row was counted among those of positive weight, and the remedy spoke of an imputer."""
    gaps, y, whole = wine
    row = int(np.flatnonzero(np.isnan(gaps[:, 3]))[5])
    given = pd.DataFrame(whole.copy(), columns=NAMES)
    given.iloc[row, 3] = np.nan
    X, weight = pd.DataFrame(gaps, columns=NAMES), np.ones(len(y))
    weight[:3] = 0
    with pytest.raises(InputError, match=f"row {row}, column 'd' is nan, .*give a guess"):
        EIGClassifier().fit(X, y, X_imputed=given, sample_weight=weight)
    weight[row] = 0
    EIGClassifier().fit(X, y, X_imputed=given, sample_weight=weight)


def test_a_guess_of_an_unknown_category(mixed):
    X, y = mixed
    given = X.fillna({"a": 0, "b": 0, "c": 0}).assign(kind=pd.Categorical(["new"] * len(X)))
    with pytest.raises(InputError, match=r"column 'kind' is a category that X does not have"):
        EIGClassifier().fit(X, y, X_imputed=given)


# ------------------------------------------------------------------------------- prediction


def test_imputing_at_prediction_asked_for_after_fit(wine):
    """It was an AttributeError about None where nothing had been missing in training."""
    gaps, y, whole = wine
    model = EIGClassifier().fit(gaps, y).set_params(missing_at_prediction="impute")
    asked = EIGClassifier(missing_at_prediction="impute").fit(gaps, y)
    np.testing.assert_array_equal(model.predict_proba(gaps), asked.predict_proba(gaps))
    model = EIGClassifier().fit(whole, y).set_params(missing_at_prediction="impute")
    with pytest.raises(InputError, match=r"no imputer was fitted.*before fit"):
        model.predict(gaps)


def test_values_that_are_missing_in_prediction_only(wine):
    gaps, y, whole = wine
    model = EIGClassifier(missing_at_prediction="impute").fit(whole, y)
    np.testing.assert_array_equal(model.impute(gaps), KNNImputer().fit(whole).transform(gaps))
    alone = EIGClassifier(missing_at_prediction="impute").fit(gaps[:, :1], y)
    assert not np.isnan(alone.impute(gaps[:, :1])).any()


def test_dtypes_of_a_filled_frame(wine):
    """A column of 32 bits brought a warning of pandas, which is to become an error."""
    gaps, y, _ = wine
    n = len(y)
    X = pd.DataFrame(
        {
            "single": gaps[:, 0].astype("float32"),
            "nullable": pd.array(gaps[:, 1], dtype="Float64"),
            "whole": pd.array(np.where(np.isnan(gaps[:, 2]), None, 1), dtype="Int8"),
            "flag": pd.array([True, None] * (n // 2), dtype="boolean"),
            "object": np.where(np.isnan(gaps[:, 3]), None, gaps[:, 3]),
            "known": np.arange(n),
            "sure": np.arange(n) % 2 == 0,
        },
        index=np.arange(n)[::-1] // 2,
    )
    model = quiet(EIGClassifier(imputer="mean"), X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filled = model.impute(X)
    assert filled.dtypes.astype(str).tolist() == [
        "float32", "Float64", "float64", "float64", "float64", "int64", "bool",
    ]  # fmt: skip
    assert not filled.isna().any().any() and filled.index.equals(X.index)
    assert filled["flag"].tolist() == [1.0] * n
    known = ~np.isnan(gaps[:, 3])
    np.testing.assert_array_equal(filled["object"].to_numpy()[known], gaps[known, 3])
    np.testing.assert_allclose(filled["object"].to_numpy()[~known], np.nanmean(gaps[:, 3]))


@pytest.mark.parametrize(
    "kind",
    [
        pd.Categorical([None] * 8 + ["x"]),  # could not be filled: y was not among its categories
        pd.Categorical(["new"] * 4 + [None] * 4 + ["x"], categories=["new", "x"], ordered=True),
        pd.Series([None] * 8 + ["x"], dtype=object),
        np.full(9, np.nan),  # a warning of pandas', soon an error
    ],
)
def test_categories_of_a_filled_frame(mixed, kind):
    X, y = mixed
    model = EIGClassifier(missing_at_prediction="impute").fit(X, y)
    asked = X.iloc[:9].assign(kind=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filled = model.impute(asked)
    missing = asked["kind"].isna()
    assert filled["kind"][missing].isin(["x", "y", "z"]).all()
    assert filled["kind"][~missing].tolist() == asked["kind"][~missing].tolist()
    if isinstance(kind, pd.Categorical):
        assert filled["kind"].cat.ordered == kind.ordered
        assert set(filled["kind"].cat.categories) >= set(kind.categories)
    np.testing.assert_array_equal(
        model.predict_proba(filled), EIGClassifier().fit(X, y).predict_proba(filled)
    )
    np.testing.assert_array_equal(model.predict_proba(asked), model.predict_proba(filled))


def test_categories_that_are_numbers(wine):
    X = pd.DataFrame({"a": wine[0][:, 0], "kind": np.where(np.arange(178) % 5, [3, 7] * 89, None)})
    X["kind"] = X["kind"].astype("category")
    filled = EIGClassifier().fit(X, wine[1]).impute(X.assign(kind=pd.Categorical([None] * 178)))
    assert set(filled["kind"]) <= {3, 7} and not filled.isna().any().any()


def test_a_category_that_training_does_not_know(mixed):
    X, y = mixed
    for categories in (["u", "v"], []):
        unknown = X.assign(kind=pd.Categorical([None] * len(X), categories=categories))
        model = EIGClassifier(missing_at_prediction="impute").fit(unknown, y)
        assert model.impute(unknown)["kind"].isna().all()
        assert model.predict(X).shape == (len(X),)
