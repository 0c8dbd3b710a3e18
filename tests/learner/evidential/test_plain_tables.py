"""E2M on plain tables: without doubt, doubts by gamma, weights, scores, scikit-learn's tools."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split

from hedgerow import C45Classifier, EvidentialData, EvidentialTreeClassifier, evidential_error_rate
from hedgerow.errors import InputError
from hedgerow.evidential import best_first, predict_evidential

X, Y = load_iris(return_X_y=True, as_frame=True)
GROWN = EvidentialTreeClassifier(prune=False, max_leaves=4)


def mixed(seed=0, n=80):
    """Numbers and categories, some missing, whose labels are numbers in one column."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"size": rng.normal(size=n).round(1)})
    frame.loc[rng.random(n) < 0.2, "size"] = np.nan
    frame["colour"] = pd.Categorical(rng.choice(["red", "green", "blue"], size=n))
    frame["grade"] = pd.Categorical(rng.integers(3, 6, size=n))
    y = (frame["colour"] == "red") ^ (frame["grade"] == 4) ^ (rng.random(n) < 0.1)
    return frame, np.where(y, "yes", "no")


# ------------------------------------------------------------------ fit


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("doubt", [{}, {"gamma_X": 0.2, "gamma_y": 0.1}])
def test_a_table_and_its_doubts_are_evidential_data(prune, doubt):
    frame, y = mixed()
    model = EvidentialTreeClassifier(max_leaves=4, prune=prune, random_state=0)
    told = clone(model).fit(frame, y, **doubt)
    data = EvidentialData.from_gamma(frame, y, **doubt)
    made = clone(model).fit(data)
    assert told.trees_ == made.trees_ and len(told.trees_) > 1
    assert told.tree_ == made.tree_
    assert told.tree_.feature_names == ["size", "colour", "grade"]
    assert told.tree_.categories == {1: ["blue", "green", "red"], 2: ["3", "4", "5"]}
    assert told.classes_.tolist() == made.classes_.tolist() == ["no", "yes"]
    assert told.feature_names_in_.tolist() == list(frame.columns)
    assert np.array_equal(told.log_likelihoods_, made.log_likelihoods_)
    want = told.predict_proba(frame)
    assert np.array_equal(made.predict_proba(frame), want)
    assert np.array_equal(told.predict_proba(EvidentialData.from_gamma(frame, y)), want)


def test_doubts_of_each_value_and_row():
    rng = np.random.default_rng(0)
    gamma, doubt = rng.random(X.shape), rng.random(len(Y))
    want = clone(GROWN).fit(EvidentialData.from_gamma(X, Y, gamma, doubt)).tree_
    frame = pd.DataFrame(gamma, columns=X.columns)
    for given in (gamma, frame):
        assert clone(GROWN).fit(X, Y, gamma_X=given, gamma_y=pd.Series(doubt)).tree_ == want
    by_column = clone(GROWN).fit(X, Y, gamma_X=gamma[0]).tree_
    assert by_column == clone(GROWN).fit(X, Y, gamma_X=np.tile(gamma[0], (150, 1))).tree_


@pytest.mark.parametrize("seed", [*range(12), 210, 288, 297])
def test_categories_without_doubt_give_the_tree_of_counting(seed):
    """Absent categories went to a side by a rounding error, where both sides weighed the same."""
    random = np.random.default_rng(seed)
    codes = random.integers(9, size=(60, 2))
    y = np.where(random.random(60) < 0.6, codes[:, 0] % 2, random.integers(2, size=60))
    frame = pd.DataFrame(
        {name: pd.Categorical(codes[:, at], range(9)) for at, name in enumerate("ab")}
    )
    grown = C45Classifier(prune=False, min_samples_split=2).fit(frame, y)
    model = EvidentialTreeClassifier(prune=False, max_leaves=8)
    assert model.fit(frame, y).trees_ == best_first(grown.tree_, 8)


def test_codes_are_categories_where_it_is_said():
    codes = np.random.default_rng(0).integers(3, size=(90, 1)).astype(float)
    y = (codes[:, 0] == 1).astype(int)
    model = EvidentialTreeClassifier(prune=False, categorical_features=[0]).fit(codes, y)
    assert model.tree_.n_leaves == 2 and model.score(codes, y) == 1.0
    assert model.tree_.categories == {0: ["0", "1", "2"]}
    plain = EvidentialTreeClassifier(prune=False).fit(codes, y)
    assert plain.tree_.n_leaves == 3  # two thresholds


def test_a_new_category_and_a_missing_value_say_nothing():
    frame, y = mixed()
    model = clone(GROWN).fit(frame, y)
    odd = pd.DataFrame({"size": [np.nan], "colour": pd.Categorical(["mauve"]), "grade": [9]})
    odd["grade"] = pd.Categorical(odd["grade"])
    weight = model.tree_.class_weight[0]
    assert model.predict_proba(odd)[0] == pytest.approx(weight / weight.sum())


def test_labels_that_are_numbers_are_found_after_a_fit_on_evidential_data():
    """They were sought as texts: every category was a new one, of which nothing is known."""
    frame, y = mixed()
    model = clone(GROWN).fit(EvidentialData.from_gamma(frame, y))
    assert (model.tree_.feature == 2).any()
    found = model.predict_proba(frame)
    assert np.array_equal(found, clone(GROWN).fit(frame, y).predict_proba(frame))
    assert len(np.unique(found[:, 0])) > 2


def test_a_category_column_without_any():
    frame = pd.DataFrame({"a": [0.0, 1.0] * 4, "b": pd.Categorical([None] * 8)})
    model = EvidentialTreeClassifier(prune=False).fit(frame, [0, 1] * 4)
    assert model.predict(frame).tolist() == [0, 1] * 4


def test_a_fit_on_another_kind_forgets_the_one_before():
    frame, y = mixed()
    model = clone(GROWN).fit(frame, y).fit(X.to_numpy(), Y)
    assert not hasattr(model, "feature_names_in_") and model.tree_.categories == {}
    again = model.fit(EvidentialData.from_gamma(frame, y)).fit(frame, y)
    assert again.tree_ == clone(GROWN).fit(frame, y).tree_


# ------------------------------------------------------------------ weights


@pytest.mark.parametrize("doubt", [{}, {"gamma_X": 0.3, "gamma_y": 0.2}])
def test_whole_weights_are_repeated_rows(doubt):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, size=150)
    rows = np.repeat(np.arange(150), weight)
    model = GROWN if doubt else clone(GROWN).set_params(max_leaves=10)
    one = clone(model).fit(X, Y, sample_weight=weight, **doubt)
    other = clone(model).fit(X.iloc[rows], Y.iloc[rows], **doubt)
    assert one.tree_.feature.tolist() == other.tree_.feature.tolist()
    assert np.array_equal(one.tree_.threshold, other.tree_.threshold, equal_nan=True)
    assert one.tree_.class_weight == pytest.approx(other.tree_.class_weight, abs=1e-3)
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-5)
    data = EvidentialData.from_gamma(X, Y, **doubt)
    assert clone(model).fit(data, sample_weight=weight).tree_ == one.tree_


def test_rows_of_weight_0_bring_neither_class_nor_doubt():
    weight = (Y != 1).astype(float)
    rng = np.random.default_rng(0)
    gamma, doubt = rng.random(X.shape), rng.random(150)
    model = clone(GROWN).fit(X, Y, sample_weight=weight, gamma_X=gamma, gamma_y=doubt)
    kept = np.flatnonzero(weight)
    without = clone(GROWN).fit(X.iloc[kept], Y.iloc[kept], gamma_X=gamma[kept], gamma_y=doubt[kept])
    assert model.tree_ == without.tree_
    assert model.classes_.tolist() == [0, 2]


def test_weights_count_in_pruning():
    """Rows that are grown from and rows that are held back, each by its own."""
    data = EvidentialData.from_gamma(X, Y, 0.1, 0.1)
    weight = np.random.default_rng(0).uniform(0.1, 5.0, 150)
    model = EvidentialTreeClassifier(random_state=0).fit(data, sample_weight=weight)
    order = np.random.RandomState(0).permutation(150)
    held = np.sort(order[:75])
    part = data.take(held)
    want = [
        evidential_error_rate(
            part.plausibility, predict_evidential(tree, part), sample_weight=weight[held]
        )
        for tree in model.trees_
    ]
    assert model.pruning_errors_ == pytest.approx(want)
    grown = clone(model).set_params(prune=False)
    rest = np.sort(order[75:])
    assert grown.fit(data.take(rest), sample_weight=weight[rest]).trees_ == model.trees_


def test_shares_are_scaled_to_numbers_of_rows():
    """Of weights that add up to 1 all gains would be alike."""
    weight = np.random.default_rng(0).uniform(1.0, 3.0, 150)
    doubt = {"gamma_X": 0.1, "gamma_y": 0.1}
    one = clone(GROWN).fit(X, Y, sample_weight=weight * (150 / weight.sum()), **doubt)
    other = clone(GROWN).fit(X, Y, sample_weight=weight / weight.sum(), **doubt)
    assert other.tree_.feature.tolist() == one.tree_.feature.tolist()
    assert other.tree_.class_weight == pytest.approx(one.tree_.class_weight)
    assert other.tree_.class_weight[0].sum() == pytest.approx(150)


# ------------------------------------------------------------------ score


def test_score_of_plain_and_of_evidential_data():
    data = EvidentialData.from_gamma(X, Y, 0.1, 0.2)
    model = clone(GROWN).fit(data)
    said = model.predict(data)
    assert model.score(X, Y) == np.mean(model.predict(X) == Y)
    assert model.score(data, Y) == np.mean(said == Y)
    rate = evidential_error_rate(data.plausibility, said)
    assert model.score(data) == 1.0 - rate > 0.9
    weight = np.random.default_rng(0).random(150)
    rate = evidential_error_rate(data.plausibility, said, sample_weight=weight)
    assert model.score(data, sample_weight=weight) == 1.0 - rate
    assert np.isnan(model.score(EvidentialData.from_gamma(X, Y, 0, 1.0)))


def test_score_reads_masses_alone():
    masses = [{int(k): 0.4, int(k + 1) % 3: 0.3, int(k + 2) % 3: 0.3} for k in Y]
    data = EvidentialData.from_masses(X, masses)
    model = clone(GROWN).fit(X, Y)
    rate = evidential_error_rate(data.plausibility, model.predict(data), alone=data.alone)
    assert model.score(data) == 1.0 - rate
    assert rate > 0.9 > 0.1 > evidential_error_rate(data.plausibility, model.predict(data))


# ------------------------------------------------------------------ scikit-learn's tools


def test_cross_validation_of_tables_with_doubts():
    gamma = np.random.default_rng(0).random(X.shape) * 0.3
    cv = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(clone(GROWN), X, Y, cv=cv, params={"gamma_X": gamma, "gamma_y": 0.1})
    want = [
        clone(GROWN)
        .fit(X.iloc[rows], Y.iloc[rows], gamma_X=gamma[rows], gamma_y=0.1)
        .score(X.iloc[test], Y.iloc[test])
        for rows, test in cv.split(X)
    ]
    assert found.tolist() == want and min(want) > 0.8


def test_cross_validation_of_evidential_data():
    """They had no rows that scikit-learn could take."""
    data = EvidentialData.from_gamma(X, Y, 0.1, 0.2)
    assert data.shape == (150, 4)
    cv = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(clone(GROWN), data, cv=cv)
    want = [
        clone(GROWN).fit(data.take(rows)).score(data.take(test)) for rows, test in cv.split(data)
    ]
    assert found.tolist() == want and min(want) > 0.8
    search = GridSearchCV(clone(GROWN), {"max_leaves": [1, 3]}, cv=cv).fit(data)
    assert search.best_params_ == {"max_leaves": 3}
    assert search.best_estimator_.tree_ == clone(GROWN).set_params(max_leaves=3).fit(data).tree_
    train, test = train_test_split(data, random_state=0)
    assert (train.n_rows, test.n_rows) == (112, 38)


def test_rows_of_evidential_data():
    data = EvidentialData.from_gamma(X, Y, 0.1, 0.2)
    for rows in ([3, 1], np.array([3, 1]), ([3, 1], Ellipsis)):
        assert np.array_equal(data[rows].low, X.to_numpy()[[3, 1]])
    assert np.array_equal(data[:7:3].low, X.to_numpy()[:7:3])
    assert np.array_equal(data[(Y == 1).to_numpy()].low, X.to_numpy()[Y == 1])
    with pytest.raises(InputError, match="no list of whole numbers"):
        data[0]


# ------------------------------------------------------------------ what is refused

DATA = EvidentialData.from_gamma(X, Y)
OTHER = EvidentialData.from_gamma(X, Y, classes=[2, 1, 0])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: m.fit(X), "requires y to be passed"),
        (lambda m: m.fit(X, Y[:-1]), "inconsistent numbers of samples"),
        (lambda m: m.fit(X, Y, gamma_X=2.0), "gamma_X holds 2 in row 0, column 0"),
        (lambda m: m.fit(X, Y, gamma_X=np.ones(3)), r"gamma_X is no table"),
        (lambda m: m.fit(X, Y, gamma_y=np.ones(3)), r"gamma_y is no list"),
        (lambda m: m.fit(X, Y, gamma_X=X.rename(columns=str.upper)), "gamma_X has the columns"),
        (lambda m: m.fit(X, Y, [1.0] * 149 + [0.0], gamma_X=2.0), "gamma_X holds 2 in row 0"),
        (lambda m: m.fit(X, Y, sample_weight=[1.0]), "sample_weight has 1 entries"),
        (lambda m: m.fit(DATA, sample_weight=[1.0]), "sample_weight has 1 entries"),
        (lambda m: m.set_params(weights="all").fit(X, Y), "weights is 'all'"),
        (lambda m: m.fit(X, Y).score(X), "y is None, and X a plain table; give its classes"),
        (lambda m: m.fit(X, Y).score(OTHER), r"X have the classes \[2, 1, 0\] and the data of"),
        (lambda m: m.fit(X, Y).apply(DATA), "X is evidential data, of which a row may be in"),
        (lambda m: m.fit(X, Y).predict(X.to_numpy()[:, :2]), "2 features"),
        (lambda m: C45Classifier().fit(DATA, Y), "evidential data are no table of numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(clone(GROWN))
