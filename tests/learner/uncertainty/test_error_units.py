"""Errors in the units that people have, by column, and what is said where there is none."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hedgerow import C45Classifier, SoftTreeClassifier, UncertainTreeClassifier
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.induction._columns import Columns
from hedgerow.uncertainty.units import UNITS, error_unit_of

PARTS = ("search", "propagation", "evaluation")
part_by_part = pytest.mark.parametrize("part", PARTS)


def told(call) -> list[str]:
    """What a call warns of, by hedgerow, from the line that called."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    ours = [w for w in caught if w.category is HedgerowWarning]
    assert all(w.filename == __file__ for w in ours)
    return [str(w.message) for w in ours]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = list("abcd")
    return X, y.to_numpy()


# ------------------------------------------------------------------ units


def by_hand(x, weight, unit: str) -> float:
    """The unit of one variable from its definition."""
    x, weight = x[~np.isnan(x)], weight[~np.isnan(x)]
    if unit == "absolute":
        return 1.0
    if x.size == 0:
        return 0.0
    if unit == "range":
        return x.max() - x.min()
    mean = np.average(x, weights=weight)
    return mean if unit == "mean" else np.sqrt(np.average((x - mean) ** 2, weights=weight))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(10))
def test_units_by_hand(unit, seed):
    """Weights, missing values, a constant, a variable without a value, one with categories."""
    draw = np.random.default_rng(seed)
    X = draw.normal(draw.normal(0, 10, 6), draw.uniform(0.01, 100, 6), (30, 6))
    X[draw.uniform(size=X.shape) < 0.2] = np.nan
    X[:, 3], X[:, 4], X[:, 5] = 0.1, np.nan, draw.integers(0, 3, 30)
    weight = draw.uniform(0.1, 3.0, 30)
    kinds = np.array([0, 0, 0, 0, 0, 3], dtype=np.int32)
    columns = Columns(X, np.arange(30) % 2, 2, weight, kinds)
    want = [by_hand(X[:, j], weight, unit) for j in range(6)]
    got = error_unit_of(columns, unit)
    np.testing.assert_allclose(got[:5], want[:5], rtol=1e-9, atol=1e-13)
    assert got[5] == (1.0 if unit == "absolute" else 0.0)
    if unit in ("sd", "range"):
        assert got[3] == 0.0  # a constant has no spread, not even by rounding


def test_a_standard_deviation_of_huge_values_is_finite():
    columns = Columns(np.array([[1e200], [3e200]]), [0, 1], 2)
    assert error_unit_of(columns, "sd")[0] == pytest.approx(1e200)


@part_by_part
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_a_normal_model_of_that_size(part, unit, iris):
    """Whatever the unit, the tree is the one that the same errors give as frozen distributions."""
    X, y = iris
    size = [abs(by_hand(X[c].to_numpy(), np.ones(150), unit)) for c in X]
    u = 0.3 if unit == "absolute" else 0.1
    given = SoftTreeClassifier(**{part: u}, error_unit=unit).fit(X, y)
    same = SoftTreeClassifier(**{part: [stats.norm(scale=u * s) for s in size]}).fit(X, y)
    assert given.tree_.n_leaves == same.tree_.n_leaves > 2
    np.testing.assert_allclose(given.predict_proba(X), same.predict_proba(X), atol=1e-9)


def test_the_default_unit_is_the_mean(iris):
    X, y = iris
    plain = SoftTreeClassifier(0.1, 0.1, 0.1).fit(X, y)
    named = SoftTreeClassifier(0.1, 0.1, 0.1, error_unit="mean").fit(X, y)
    assert plain.tree_ == named.tree_
    np.testing.assert_array_equal(plain.tree_.gate.sigma, 0.1 * X.mean().to_numpy())


def test_noise_models_have_a_unit_of_their_own(iris):
    X, y = iris
    models = [SoftTreeClassifier(*[stats.norm(scale=0.2)] * 3, error_unit=u) for u in UNITS]
    assert all(model.fit(X, y).tree_ == models[0].tree_ for model in models)


def test_standardised_data_take_shares_of_the_standard_deviation(iris):
    """A share of the standard deviation is the same error before and after StandardScaler."""
    X, y = iris
    soft = SoftTreeClassifier(0.2, 0.2, 0.2, error_unit="sd")
    scaled = make_pipeline(StandardScaler(), clone(soft)).fit(X, y)
    assert told(lambda: make_pipeline(StandardScaler(), clone(soft)).fit(X, y)) == []
    np.testing.assert_allclose(scaled.predict_proba(X), soft.fit(X, y).predict_proba(X), atol=1e-9)
    assert soft.tree_ != C45Classifier().fit(X, y).tree_


def test_another_unit_is_refused(iris):
    with pytest.raises(InputError, match=r"error_unit is 'std'; choose one of 'mean', 'sd', "):
        SoftTreeClassifier(0.1, error_unit="std").fit(*iris)


# ------------------------------------------------------------------ errors by column


@part_by_part
@pytest.mark.parametrize("form", [dict, pd.Series], ids=["dict", "series"])
def test_errors_by_column_name(part, form, iris):
    X, y = iris
    want = SoftTreeClassifier(**{part: [0.0, 0.05, 0.1, 0.2]}).fit(X, y)
    errors = {"d": 0.2, "b": 0.05, "c": 0.1}  # in any order; the first has none
    assert SoftTreeClassifier(**{part: form(errors)}).fit(X, y).tree_ == want.tree_
    # Columns in another order are other numbers, and the same names.
    back = SoftTreeClassifier(**{part: form(errors)}).fit(X[list("dcba")], y)
    np.testing.assert_array_equal(
        SoftTreeClassifier(evaluation=form(errors)).fit(X[list("dcba")], y).tree_.gate.sigma,
        SoftTreeClassifier(evaluation=form(errors)).fit(X, y).tree_.gate.sigma[::-1],
    )
    assert back.score(X[list("dcba")], y) > 0.9


def test_errors_of_one_study_in_the_units_of_the_columns(iris):
    """What people have: the standard deviation of repeated measurements, column by column."""
    X, y = iris
    soft = SoftTreeClassifier(evaluation=X.std() / 10, error_unit="absolute").fit(X, y)
    np.testing.assert_allclose(soft.tree_.gate.sigma, X.std() / 10)
    mixed = {"a": stats.uniform(-0.1, 0.2), "c": 0.1, 3: 0.2}
    gate = SoftTreeClassifier(evaluation=mixed, error_unit="absolute").fit(X, y).tree_.gate
    np.testing.assert_allclose(gate.sigma, [0.1 / np.sqrt(3), 0.0, 0.1, 0.2])
    assert list(gate.models) == [0]


def test_errors_by_number_where_columns_have_no_names(iris):
    X, y = iris
    want = SoftTreeClassifier(evaluation=[0, 0, 0.1, 0.2]).fit(X.to_numpy(), y)
    for errors in ({2: 0.1, -1: 0.2}, pd.Series([0.0, 0.0, 0.1, 0.2])):
        assert SoftTreeClassifier(evaluation=errors).fit(X.to_numpy(), y).tree_ == want.tree_


@part_by_part
@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ({"e": 0.1}, "names 'e', which is no column of X"),
        ({4: 0.1}, "holds 4 for 4 variables; give an error for each column name or number"),
        ({2.5: 0.1}, r"holds 2\.5 for 4 variables"),
        ({"a": 0.1, 0: 0.1}, "gives two errors to column 0; give each column once"),
        (pd.Series([0.1, 0.2], index=["a", "a"]), "gives two errors to column 'a'"),
        ({"a": -0.1}, r"has the factor -0\.1"),
        (pd.Series({"a": np.nan}), "has the factor nan"),
        ({"a": "much"}, "neither a number nor an object with cdf"),
    ],
)
def test_wrong_errors_by_column(part, errors, message, iris):
    with pytest.raises(InputError, match=f"^{part} .*{message}"):
        SoftTreeClassifier(**{part: errors}).fit(*iris)


def test_categorical_columns_have_no_error(iris):
    X, y = iris
    X = X.assign(a=pd.Categorical(np.where(X["a"] > 5.8, "long", "short")))
    soft = SoftTreeClassifier(evaluation={"a": 0.5, "d": 0.1}, error_unit="absolute").fit(X, y)
    np.testing.assert_array_equal(soft.tree_.gate.sigma, [0.0, 0.0, 0.0, 0.1])


def test_widths_by_column(iris):
    X, y = iris
    want = UncertainTreeClassifier(width=[0.0, 0.0, 0.1, 0.2]).fit(X, y)
    assert UncertainTreeClassifier(width={"d": 0.2, "c": 0.1}).fit(X, y).tree_ == want.tree_
    with pytest.raises(InputError, match="width names 'e', which is no column of X"):
        UncertainTreeClassifier(width={"e": 0.1}).fit(X, y)


@pytest.mark.parametrize("form", [dict, pd.Series], ids=["dict", "series"])
def test_clone_pickle_grid_and_json(form, iris):
    X, y = iris
    errors = form({"c": 0.1, "d": 0.2})
    model = SoftTreeClassifier(evaluation=errors, error_unit="sd")
    assert set(model.get_params()) >= {"error_unit", "evaluation", "weights"}
    want = model.fit(X, y).predict_proba(X)
    for other in (clone(model).fit(X, y), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), want)
    assert dict(clone(model).get_params()["evaluation"]) == dict(errors)
    json.loads(model.tree_.to_json())
    repr(model)
    grid = {"evaluation": [dict(errors), 0.2], "error_unit": ["mean", "sd", "range"]}
    search = GridSearchCV(SoftTreeClassifier(), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


# ------------------------------------------------------------------ what is said


def test_a_soft_tree_without_any_error_says_that_it_is_c45(iris):
    (message,) = told(lambda: SoftTreeClassifier().fit(*iris))
    assert "SoftTreeClassifier has no error and is C4.5" in message
    assert SoftTreeClassifier().fit(*iris).tree_ == C45Classifier().fit(*iris).tree_


@part_by_part
@pytest.mark.parametrize("noise", [0.1, 0.0, [0.1] * 4, {"a": 0.1}, stats.norm(scale=0.1)])
def test_a_soft_tree_with_an_error_says_nothing(part, noise, iris):
    """A factor of 0 was asked for, as in the grid of a search."""
    assert told(lambda: SoftTreeClassifier(**{part: noise}).fit(*iris)) == []


@part_by_part
def test_a_mean_of_about_0_is_told(part):
    """After StandardScaler a soft tree was C4.5 without a word."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    scaler = StandardScaler().set_output(transform="pandas")
    Z = scaler.fit_transform(X)
    soft = SoftTreeClassifier(**{part: 0.1})
    (message,) = told(lambda: soft.fit(Z, y))
    assert "about 0 in 30 of 30 columns ('mean radius', 'mean texture', " in message
    assert "and 27 more), where C4.5 is left" in message and "error_unit='sd'" in message
    # Fitted on other rows, means are not 0 to the last bit, and as good as that.
    half = np.arange(len(y)) % 2 == 0
    assert "of 30 columns" in told(lambda: soft.fit(Z[half], y[half]))[0]
    for unit in ("sd", "range", "absolute"):
        assert told(lambda u=unit: clone(soft).set_params(error_unit=u).fit(Z, y)) == []
    assert told(lambda: soft.fit(X, y)) == []


def test_only_columns_with_an_error_are_told():
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"centred": draw.normal(size=100), "far": draw.normal(5, 1, 100)})
    X["centred"] -= X["centred"].mean()
    X["zero"] = 0.0
    X["kind"] = pd.Categorical(np.where(X["far"] > 5, "p", "q"))
    y = (X["centred"] > 0).to_numpy()
    (message,) = told(lambda: SoftTreeClassifier(0.1).fit(X, y))
    assert "in 1 of 4 columns ('centred')" in message
    for quiet in ({"far": 0.1}, [0, 0.1, 0.1, 0], [stats.norm(scale=0.1), 0.1, 0.1, 0.1]):
        assert told(lambda noise=quiet: SoftTreeClassifier(noise).fit(X, y)) == []
    table = X[["centred"]].to_numpy()
    (message,) = told(lambda: SoftTreeClassifier(0.0, np.array(0.1)).fit(table, y))
    assert "in 1 of 1 columns (0)" in message


def test_in_a_pipeline_the_right_unit_is_worth_it():
    """Errors of half a standard deviation in use: evaluation that knows of them predicts better."""
    X, y = load_breast_cancer(return_X_y=True)
    noisy = X + np.random.default_rng(0).normal(0, 0.5 * X.std(axis=0), X.shape)
    loss = {
        unit: cross_val_score(
            make_pipeline(StandardScaler(), SoftTreeClassifier(evaluation=0.5, error_unit=unit)),
            noisy,
            y,
            cv=3,
            scoring="neg_log_loss",
        ).mean()
        for unit in ("mean", "sd")
    }
    assert loss["sd"] > loss["mean"] + 0.5
