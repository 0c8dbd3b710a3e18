"""Missing incorporated in attributes: against every test by hand, categories, bad input."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle import mia
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.missing.mia import MissingIncorporated


def plain(X):
    return [[None if math.isnan(v) else v for v in row] for row in X.tolist()]


def learner(**settings):
    return C45Classifier(prune=False, min_samples_split=2, **settings)


def drawn(seed):
    """A table with ties, whose classes lean on the values and on their absence."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(4, 40)), int(random.integers(1, 4))
    X = random.integers(0, random.integers(2, 9), (n, m)).astype(float)
    gone = random.random((n, m)) < random.uniform(0.1, 0.8)
    y = (X[:, 0] + 3 * gone[:, -1] + random.normal(size=n) > 4).astype(int)
    X[gone] = np.nan
    X[0], X[1] = np.nan, random.integers(0, 5, m)  # of each, some is known and some missing
    return X, y, random


@pytest.mark.parametrize("seed", draws(300))
def test_trees_are_those_of_every_test_tried(seed):
    X, y, random = drawn(seed)
    lowest = np.nanmin(X, axis=0)
    for depth in (1, 3, 50):
        tree = mia.grow(plain(X), y.tolist(), lowest, depth)
        model = make_pipeline(MissingIncorporated(), learner(max_depth=depth)).fit(X, y)
        new = random.integers(-2, 12, (30, X.shape[1])).astype(float)
        new[random.random(new.shape) < 0.4] = np.nan
        rows = np.vstack([X, new])
        classes = model.classes_.tolist()
        for row, found in zip(plain(rows), model.predict_proba(rows), strict=True):
            leaf = mia.leaf(tree, row, lowest)
            expected = [leaf[c] / leaf.total() for c in classes]
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("candidates", ["values", "midpoints"])
def test_whether_a_value_is_missing_is_a_test(candidates):
    """Known values beyond those of training are known: below the lowest one went with missing."""
    X = np.array([[5.0], [6.0], [7.0], [np.nan], [np.nan]])
    tree = make_pipeline(MissingIncorporated(), learner(candidates=candidates))
    tree.fit(X, [0, 0, 0, 1, 1])
    assert tree.predict([[np.nan], [-1e9], [5.5], [1e9]]).tolist() == [1, 0, 0, 0]
    assert tree[-1].get_n_leaves() == 2


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e16, 1e149])
def test_copies_lie_beyond_the_known_values_whatever_their_size(scale):
    X = np.array([[-scale], [scale], [np.nan]])
    low, high = MissingIncorporated().fit_transform(X).T
    assert low[2] < -scale and high[2] > scale
    assert (low[:2] == X[:2, 0]).all() and (high[:2] == X[:2, 0]).all()


def test_only_variables_with_missing_values_are_doubled():
    X = np.array([[1.0, np.nan, 1.0], [2.0, np.nan, np.nan]])
    found = MissingIncorporated().fit(X)
    assert found.incorporated_.tolist() == [False, False, True]
    assert found.get_feature_names_out().tolist() == ["x0", "x1", "x2_low", "x2_high"]
    made = found.transform([[np.nan, 3.0, 2.0]])
    # What was never missing stays so, and C4.5 sends it both ways.
    assert np.isnan(made[0, 0]) and made[0, 1:].tolist() == [3.0, 1.0, 1.0]


def test_missing_is_a_category():
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(["a", "b", "missing", None, None, "a"]),
            "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
            "whole": pd.Categorical(list("xyxyxy")),
        },
        index=list("ghijkl"),
    )
    y = [0, 0, 1, 1, 1, 0]
    found = MissingIncorporated().fit(frame, y)
    made = found.transform(frame)
    assert made.columns.tolist() == ["kind", "size_low", "size_high", "whole"]
    assert made["kind"].tolist() == ["a", "b", "missing", "missing_", "missing_", "a"]
    assert made.index.tolist() == frame.index.tolist()
    assert made["whole"].dtype == frame["whole"].dtype
    tree = learner().fit(made, y)
    assert tree.get_n_leaves() == 2 and tree.predict(found.transform(frame)).tolist() == y


def test_nullable_columns_and_flags():
    frame = pd.DataFrame(
        {"n": pd.array([1, None, 3], dtype="Int64"), "b": pd.array([True, None, False], "boolean")}
    )
    made = MissingIncorporated().fit_transform(frame)
    assert made.dtypes.eq("float64").all()
    assert made.to_numpy().tolist() == [[1, 1, 1, 1], [-2, 6, -1, 2], [3, 3, 0, 0]]


@pytest.mark.parametrize(
    ("X", "culprit"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), "'a' of X holds infinity"),
        (np.array([[1e200], [0.0]]), "column 0 of X holds infinity or a number beyond"),
        (pd.DataFrame({"a": ["x", "y"]}), "'a' of X holds text, not numbers"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "'a' of X holds dates or times"),
    ],
)
def test_bad_columns(X, culprit):
    with pytest.raises(InputError, match=culprit):
        MissingIncorporated().fit(X)


def test_another_kind_of_column_than_in_fit():
    kinds = pd.DataFrame({"a": pd.Categorical(["x", None, "y"])})
    numbers = pd.DataFrame({"a": [1.0, np.nan, 2.0]})
    with pytest.raises(InputError, match="'a' of X is numeric and was not in fit"):
        MissingIncorporated().fit(kinds).transform(numbers)
    with pytest.raises(InputError, match="'a' of X is categorical and was not in fit"):
        MissingIncorporated().fit(numbers).transform(kinds)


def test_names_are_asked_for_as_in_scikit_learn():
    found = MissingIncorporated().fit(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    assert found.get_feature_names_out(["u", "v"]).tolist() == ["u_low", "u_high", "v"]
    with pytest.raises(ValueError, match="input_features"):
        found.get_feature_names_out(["u"])
    frame = pd.DataFrame({"u": [1.0, np.nan]})
    named = clone(found).fit(frame)
    with pytest.raises(ValueError, match="input_features"):
        named.get_feature_names_out(["w"])
    assert named.set_output(transform="pandas").transform(frame).columns.tolist() == [
        "u_low",
        "u_high",
    ]
