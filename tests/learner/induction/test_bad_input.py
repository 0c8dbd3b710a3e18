"""Input that cannot be right: one sentence that names the culprit and the remedy."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns
from hedgerow.induction._growth import Growth
from hedgerow.induction.rules import Rules
from hedgerow.tree._gates import Gates

X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 5.5], [4.0, 6.5], [5.0, 5.0], [6.0, 7.0]])
Y = np.array([0, 0, 0, 1, 1, 1])


def refuses(call, *words, kind=InputError):
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert "\n" not in message or kind is ValueError
    return message


def test_infinite_values():
    bad = X.copy()
    bad[2, 1] = np.inf
    refuses(lambda: C45Classifier().fit(bad, Y), "infinity", kind=ValueError)
    refuses(lambda: C45Classifier().fit(pd.DataFrame(bad), Y), "infinity", kind=ValueError)
    model = C45Classifier().fit(X, Y)
    refuses(lambda: model.predict(bad), "infinity", kind=ValueError)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, 1, -1, 1, 1, 1], ["sample_weight of row 2 is negative", "0 or more"]),
        ([0] * 6, ["the sample weight of every row is zero", "above 0"]),
        ([1, 1, 1, np.nan, 1, 1], ["sample_weight of row 3 is not finite", "0 or more"]),
        ([1, 1, 1, 1, np.inf, 1], ["sample_weight of row 4 is not finite", "0 or more"]),
        ([1, 1, 1], ["sample_weight has 3 entries for 6 rows", "one weight per row"]),
        ([[1]] * 6, ["sample_weight is not one-dimensional", "one per row"]),
    ],
)
def test_weights(weight, words):
    refuses(lambda: C45Classifier().fit(X, Y, weight), *words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"confidence": 1.5}, ["confidence is 1.5", "at least 0 and at most 1"]),
        ({"confidence": -0.1}, ["confidence is -0.1", "at least 0 and at most 1"]),
        ({"confidence": "high"}, ["confidence is 'high'", "give a number"]),
        ({"confidence": float("nan")}, ["confidence is nan", "give a number"]),
        ({"candidates": "midpoint"}, ["candidates is 'midpoint'", "'values', 'midpoints'"]),
        ({"candidates": None}, ["candidates is None", "'values', 'midpoints'"]),
        ({"criterion": "deviance"}, ["criterion is 'deviance'", "'gini', 'gain_ratio'"]),
        ({"max_depth": -1}, ["max_depth is -1", "at least 0"]),
        ({"max_depth": 2.5}, ["max_depth is 2.5", "whole number"]),
        ({"min_samples_split": -4}, ["min_samples_split is -4", "at least 0"]),
        ({"min_samples_leaf": "one"}, ["min_samples_leaf is 'one'", "give a number"]),
        ({"repetition_factor": -0.7}, ["repetition_factor is -0.7", "at least 0"]),
    ],
)
def test_parameters(settings, words):
    refuses(lambda: C45Classifier(**settings).fit(X, Y), *words)
    refuses(lambda: SoftTreeClassifier(**settings).fit(X, Y), *words)


@pytest.mark.parametrize("name", ["entropy", "", None])
def test_a_criterion_that_is_none(name):
    """Once every kind was information gain."""
    with pytest.raises(ValueError, match=f"no criterion {name!r}, only 'information_gain'"):
        Growth(Columns(X, Y, 2), Gates(None, 2), Rules(criterion=name))


class NoCdf:
    def __repr__(self):
        return "NoCdf()"


@pytest.mark.parametrize("part", ["search", "propagation", "evaluation"])
@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (-0.1, ["has the factor -0.1", "finite factor of 0 or more"]),
        (float("nan"), ["has the factor nan", "finite factor of 0 or more"]),
        (float("inf"), ["has the factor inf", "finite factor of 0 or more"]),
        ([0.1, -0.2], ["has the factor -0.2", "finite factor of 0 or more"]),
        ([0.1, 0.2, 0.3], ["has 3 entries for 2 variables", "one for each variable"]),
        (np.array([0.1]), ["has 1 entries for 2 variables", "one for each variable"]),
        (NoCdf(), ["NoCdf()", "neither a number nor an object with cdf(d)", "scipy.stats"]),
        ("large", ["'large'", "neither a number nor an object with cdf(d)"]),
    ],
)
def test_noise(part, noise, words):
    refuses(lambda: SoftTreeClassifier(**{part: noise}).fit(X, Y), part, *words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"window": 0}, ["window is 0"]),
        ({"window": -6.0}, ["window is -6.0"]),
        ({"step": 0.0}, ["step is 0.0"]),
        ({"step": 7.0}, ["step is 7.0", "at most 6"]),
        ({"gate_at": "middle"}, ["gate_at is 'middle'", "'threshold', 'midpoint', 'ties_right'"]),
    ],
)
def test_soft_settings(settings, words):
    refuses(lambda: SoftTreeClassifier(search=0.1, **settings).fit(X, Y), *words)


def test_a_column_of_text_in_an_array():
    table = np.column_stack([X[:, 0].astype(object), list("mfmfmf")])
    refuses(lambda: C45Classifier().fit(table, Y), "'m'", kind=ValueError)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (["sex"], ["categorical_features names 'sex'", "name a column"]),
        ([5], ["categorical_features holds 5 for 2 variables", "column names, numbers"]),
        ([0.5], ["categorical_features holds 0.5 for 2 variables"]),
        ("sex", ["categorical_features names 'sex'", "name a column"]),
    ],
)
def test_categorical_features(named, words):
    frame = pd.DataFrame(X, columns=["a", "b"])
    refuses(lambda: C45Classifier(categorical_features=named).fit(frame, Y), *words)


def test_categories_must_be_codes():
    refuses(
        lambda: C45Classifier(categorical_features=[1]).fit(X, Y),
        "categorical variable 1 of X holds values other than 0, 1, 2",
        "code its categories from 0",
    )
    refuses(lambda: C45Classifier(categorical_features=[0]).fit(-X, Y), "holds values other than")


def test_a_frame_with_categories_cannot_become_an_array():
    frame = pd.DataFrame({"sex": pd.Categorical(list("mfmfmf")), "age": X[:, 0]})
    model = C45Classifier().fit(frame, Y)
    with pytest.warns(UserWarning, match="feature names"):
        refuses(lambda: model.predict(X), "categorical columns but X is an array", "data frame")


def test_not_fitted():
    refuses(lambda: C45Classifier().predict(X), "not fitted", kind=NotFittedError)
    refuses(lambda: C45Classifier().apply(X), "not fitted", kind=NotFittedError)
    refuses(lambda: C45Classifier().get_depth(), "not fitted", kind=NotFittedError)


# -- documented answers -----------------------------------------------------------------


def test_a_new_category_goes_to_the_heavier_side():
    for n_a, n_b, heavier in ((4, 8, "b"), (8, 4, "a"), (6, 6, "a")):
        frame = pd.DataFrame({"kind": pd.Categorical(["a"] * n_a + ["b"] * n_b)})
        model = C45Classifier(prune=False).fit(frame, ["a"] * n_a + ["b"] * n_b)
        new = pd.DataFrame({"kind": ["zebra", "a", "b"]})
        assert model.predict(new).tolist() == [heavier, "a", "b"]


def test_a_category_absent_at_a_node_goes_to_its_heavier_side():
    """Category 2 is known in training, but no row that reaches the second test has it."""
    for n_zero, n_one in ((3, 5), (5, 3)):
        group = np.array([0.0] * 8 + [9.0] * 6)
        codes = np.array([0] * n_zero + [1] * n_one + [0, 0, 1, 1, 2, 2])
        y = np.array([0] * n_zero + [1] * n_one + [2] * 6)
        model = C45Classifier(prune=False, categorical_features=[1])
        model.fit(np.column_stack([group, codes]), y)
        assert model.tree_.feature.tolist() == [0, 1, -1, -1, -1]
        assert model.predict([[0.0, 2.0]])[0] == int(n_one > n_zero)
        assert model.predict([[0.0, 7.0]])[0] == int(n_one > n_zero)


def test_an_all_missing_column_is_never_tested():
    table = np.column_stack([np.full(6, np.nan), X[:, 0]])
    for model in (
        C45Classifier(prune=False),
        SoftTreeClassifier(search=0.1, propagation=0.1, evaluation=0.1, prune=False),
    ):
        model.fit(table, Y)
        assert 0 not in model.tree_.feature
        assert model.tree_.n_leaves > 1
    only = C45Classifier().fit(table[:, :1], Y)
    assert only.tree_.n_leaves == 1
    np.testing.assert_allclose(only.predict_proba([[3.0], [np.nan]]), 0.5)


def test_one_class_gives_a_single_leaf():
    for model in (C45Classifier(), SoftTreeClassifier(search=0.1, propagation=0.2)):
        model.fit(X, ["only"] * 6)
        assert (model.get_n_leaves(), model.get_depth()) == (1, 0)
        assert model.predict(X).tolist() == ["only"] * 6
        np.testing.assert_array_equal(model.predict_proba(X), np.ones((6, 1)))
        np.testing.assert_array_equal(model.feature_importances_, [0.0, 0.0])


def test_category_order_and_dtype_do_not_matter_at_prediction():
    rng = np.random.default_rng(0)
    kind = rng.choice(["low", "middle", "high"], 60)
    frame = pd.DataFrame({"kind": pd.Categorical(kind), "x": rng.normal(size=60)})
    y = (kind == "middle") ^ (frame["x"] > 0.5)
    model = C45Classifier(prune=False).fit(frame, y)
    want = model.predict_proba(frame)
    for column in (
        pd.Categorical(kind, categories=["middle", "unused", "low", "high"]),
        pd.Categorical(kind, categories=["high", "middle", "low"], ordered=True),
        kind.astype(object),
        pd.array(kind, dtype="string"),
    ):
        again = pd.DataFrame({"kind": column, "x": frame["x"]})
        np.testing.assert_array_equal(model.predict_proba(again), want)
    subset = frame[frame["kind"] == "high"].copy()
    subset["kind"] = subset["kind"].cat.remove_unused_categories()
    np.testing.assert_array_equal(
        model.predict_proba(subset), want[(frame["kind"] == "high").to_numpy()]
    )


def test_missing_categories():
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "a", "b", "b", "b", None])})
    model = C45Classifier(prune=False, min_samples_split=2).fit(frame, [0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(
        model.predict_proba(frame.iloc[[5]]), [[0.4 * 2 / 2.4, 1 - 0.4 * 2 / 2.4]]
    )


def test_nullable_and_boolean_columns_are_numbers():
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, 2, None, 4, 5, 6], dtype="Int64"),
            "flag": [False, False, False, True, True, True],
        }
    )
    model = C45Classifier(prune=False).fit(frame, Y)
    assert model.predict(frame).tolist() == Y.tolist()


@pytest.mark.parametrize("code", [2**20, 1e9, 2.0**31, 1e300])
def test_huge_codes_of_categories(code):
    """They were an OverflowError, or all of the memory."""
    table = np.array([[code], *([[0.0], [1.0]] * 3)])
    refuses(
        lambda: C45Classifier(categorical_features=[0]).fit(table, [0, 1] * 3 + [1]),
        f"categorical variable 0 of X holds the code {code:g}",
        "at most 1048576 of them",
    )
