"""`Uncertain`: its forms, its parts, and what each learner makes of it."""

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from quick import LEARNERS
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialTreeClassifier,
    OptimalTreeClassifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    UCTTreeClassifier,
    Uncertain,
    UncertainTreeClassifier,
)
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.induction.uncertain_table import KINDS_OF_UNCERTAINTY

RNG = np.random.default_rng(0)
N = 80
X = pd.DataFrame(np.round(RNG.normal(2, 2, (N, 3)), 1), columns=["size", "weight", "age"])
X["site"] = pd.Categorical(RNG.choice(["north", "south", "west"], N))
Y = np.where(X["size"] + RNG.normal(0, 1, N) > 2, "b", np.where(X["weight"] > 3, "c", "a"))
NUMBERS = X[["size", "weight", "age"]]
CODES = np.unique(Y, return_inverse=True)[1]
VOTES = np.maximum(np.eye(3)[CODES], RNG.choice([0.0, 0.0, 0.4, 1.0], (N, 3)))
VOTES = pd.DataFrame(VOTES, columns=["a", "b", "c"])
SPREAD = RNG.uniform(0, 1, (N, 3))  # errors of each value
RELIABLE = RNG.uniform(0.5, 1, (N, 4))
WEIGHT = np.where(np.arange(N) % 5 == 0, 0.0, RNG.uniform(0.5, 2.0, N))
every = pytest.mark.parametrize("name", LEARNERS)
pytestmark = pytest.mark.filterwarnings("error")


def learner(name):
    """With no error of its own."""
    settings = {k: v for k, v in LEARNERS[name].items() if k not in ("evaluation", "propagation")}
    return getattr(hedgerow, name)(**settings)


def understood(model):
    inner = C45Classifier() if isinstance(model, ConfDTreeClassifier) else model
    return inner._understands


def quiet(fit, *given, **named):
    """A fit whose warnings are not what is tested."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*given, **named)


def test_each_learner_is_asked():
    names = {name for name in hedgerow.__all__ if name.endswith("Classifier")}
    assert set(LEARNERS) == names


def same(one, other, rows=X):
    assert one.tree_.to_json() == other.tree_.to_json()
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))


# ------------------------------------------------------------------ the object


FORMS = {
    "number": 0.5,
    "percent": "5 %",
    "rectangle": "+-0.5",
    "model": stats.laplace(0, 0.3),
    "dict": {"size": 0.4, 2: "5 %", "weight": SPREAD[:, 0].tolist()},
    "series": pd.Series({"size": 0.4, "age": 0.1}),
    "list": [0.1, None, "+-0.2", None],
    "list by row": [SPREAD[:, 1], 0.1, None, None],
    "array": np.column_stack([SPREAD, np.full(N, np.nan)]),
    "frame": pd.DataFrame({"size": SPREAD[:, 1]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_keep_their_errors(form):
    """Part of the answers are the answers of the part."""
    data = Uncertain(X, error=FORMS[form])
    model = C45Classifier().fit(X, Y)
    whole = model.predict_proba(data)
    np.testing.assert_array_equal(whole, model.predict_proba(X, error=FORMS[form]))
    assert (whole != model.predict_proba(X)).any()
    flags = np.arange(N) % 3 == 1
    for rows in (slice(10, 30), np.array([5, 2, 70, -1]), flags, [3]):
        part = data[rows]
        assert len(part) == part.shape[0] == len(np.arange(N)[rows])
        np.testing.assert_array_equal(model.predict_proba(part), whole[rows])
    np.testing.assert_array_equal(model.predict_proba(data.take([1, 1])), whole[[1, 1]])


def everything():
    return Uncertain(
        X,
        error={"size": 0.3},
        y_plausibility=VOTES,
        reliability=RELIABLE,
        imputed=[X, X[::-1].set_index(X.index)],
    )


def test_its_parts_are_taken_together():
    data = everything()
    rows = [4, 9, 4]
    part = data.take(rows)
    assert part.X.equals(X.iloc[rows])
    np.testing.assert_array_equal(part.y_plausibility, VOTES.to_numpy()[rows])
    np.testing.assert_array_equal(part.reliability, data.reliability[rows])
    assert [len(table) for table in part.imputed] == [3, 3]
    assert part.imputed[1].equals(data.imputed[1].iloc[rows])
    assert part.classes.tolist() == ["a", "b", "c"] and part.shape == (3, 4)
    assert (Uncertain(X, reliability=0.25).take(rows).gamma == 0.75).all()
    only = data.only({"error"})
    assert only.given == ("error",) and only.classes is None


def test_it_says_what_it_holds():
    assert repr(everything()) == (
        "Uncertain(80 rows, 4 columns; error, imputed, reliability, y_plausibility)"
    )
    assert repr(Uncertain([[1.0]])) == "Uncertain(1 row, 1 column; nothing in doubt)"


def test_it_is_read_only_and_has_memory_of_its_own():
    votes = VOTES.to_numpy(copy=True)
    data = Uncertain(NUMBERS, y_plausibility=votes, reliability=np.full(NUMBERS.shape, 0.5))
    votes[:] = 0.5
    np.testing.assert_array_equal(data.y_plausibility, VOTES)
    with pytest.raises(AttributeError, match="error of uncertain data is read-only"):
        data.error = 1
    for array in (data.y_plausibility, data.reliability):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (0.9, 0.9),
        ([1.0, 0.5, 0.25, 1.0], [1.0, 0.5, 0.25, 1.0]),
        ({"weight": 0.5, 2: 0.25}, [1.0, 0.5, 0.25, 1.0]),
        (pd.Series({"weight": 0.5}), [1.0, 0.5, 1.0, 1.0]),
    ],
)
def test_reliabilities_by_column(given, want):
    data = Uncertain(X, reliability=given)
    np.testing.assert_array_equal(np.broadcast_to(data.reliability, 4), np.broadcast_to(want, 4))
    np.testing.assert_array_equal(data.gamma, 1.0 - data.reliability)


def test_reliabilities_by_value():
    by_value = SPREAD[:, 1]
    data = Uncertain(X, reliability=pd.DataFrame({"age": by_value}))
    np.testing.assert_array_equal(data.reliability[:, 2], by_value)
    assert (data.reliability[:, [0, 1, 3]] == 1).all()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"X": [1.0, 2.0]}, r"X has the shape \(2,\).*give at least one row and one column"),
        ({"X": np.empty((0, 2))}, r"X has the shape \(0, 2\)"),
        ({"error": {"length": 1}}, "error names 'length', which is no column of X"),
        ({"error": {"site": 1.0}}, "'site', which has categories"),
        ({"error": {"size": [0.1] * 7}}, "error of column 'size' has 7 entries for 80 rows"),
        ({"error": -1.0}, "error of column 'size' is -1"),
        ({"y_plausibility": VOTES[:9]}, "y_plausibility has 9 rows and X 80"),
        ({"y_plausibility": VOTES + 1}, r"y_plausibility holds 1\.4 in row 0"),
        ({"y_plausibility": VOTES * 0}, "y_plausibility is 0 throughout row 0"),
        ({"y_plausibility": Y}, "y_plausibility is no table of numbers"),
        ({"y_plausibility": VOTES, "classes": "abc"}, "classes are given beside a data frame"),
        ({"y_plausibility": VOTES.to_numpy(), "classes": "ab"}, "for 3 columns"),
        ({"y_plausibility": VOTES.to_numpy(), "classes": "aab"}, "each once"),
        ({"y_plausibility": VOTES.to_numpy(), "classes": ["a", 1, 2]}, "a label of one kind"),
        ({"y_plausibility": VOTES.set_axis(["a", 1, 2], axis=1)}, "a label of one kind"),
        ({"y_plausibility": VOTES.to_numpy(), "classes": 3}, "classes of y_plausibility are 3 for"),
        ({"error": pd.DataFrame({"size": ["5 %"] * N})}, "error is no table of numbers"),
        (
            {"error": {"age": 0.1, "size": pd.Series(SPREAD[:, 0])[::-1]}},
            r"rows of error\['size'\] have .*error\['size'\]\.loc\[X\.index\]",
        ),
        ({"reliability": pd.DataFrame({"size": [0.5] * 4})}, "reliability has 4 rows and X 80"),
        ({"classes": "abc"}, "classes are given, and no plausibility of them"),
        ({"reliability": 1.5}, "reliability holds 1.5"),
        ({"reliability": [0.5, 0.5]}, "reliability is no number, nor one for each column"),
        ({"reliability": {"length": 0.5}}, "reliability names 'length'"),
        ({"X": [[1.0], [1.0, 2.0]]}, "X is no table; give one row per instance"),
        ({"X": 3}, r"X has the shape \(\)"),
        ({"y_plausibility": VOTES.replace(1.0, "sure")}, "y_plausibility holds something that is"),
        ({"y_plausibility": VOTES.set_axis(["a", "b", "a"], axis=1)}, "each once"),
        ({"y_plausibility": VOTES[::-1]}, "rows of y_plausibility have the index of X in another"),
        ({"error": pd.DataFrame({"size": SPREAD[:, 0]})[::-1]}, "rows of error have the index"),
        ({"reliability": pd.DataFrame({"size": SPREAD[:, 0]})[::-1]}, "rows of reliability have"),
        ({"reliability": pd.DataFrame({"size": ["high"] * N})}, "reliability holds something"),
        ({"reliability": "high"}, "reliability is no number, nor one for each column or value"),
        ({"imputed": X[::-1]}, r"rows of imputed have .*imputed\.loc\[X\.index\]"),
        ({"imputed": 5}, r"imputed has the shape \(\)"),
        ({"imputed": [[1.0], [1.0, 2.0]]}, "imputed is no table"),
        ({"imputed": X[:5]}, r"imputed has the shape \(5, 4\) and X \(80, 4\)"),
        ({"imputed": [X, X[:5]]}, r"imputed has the shape \(5, 4\)"),
    ],
)
def test_what_it_refuses_at_once(given, told):
    """One sentence each, with its remedy."""
    with pytest.raises(InputError, match=told):
        Uncertain(**{"X": X, **given})


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([99], "from 0 to 79"),
        ([True], "1 flags choose among 80 rows"),
        ([0.5], "whole numbers"),
        ([[1], [2, 3]], "whole numbers"),
    ],
)
def test_rows_that_are_not_there(rows, told):
    with pytest.raises(InputError, match=told):
        Uncertain(X).take(rows)


def test_copies_are_read_only_as_well():
    data = everything()
    for copied in (copy.deepcopy(data), pickle.loads(pickle.dumps(data)), copy.copy(data)):
        assert copied.given == data.given and copied.X.equals(data.X)
        for part in (copied.y_plausibility, copied.reliability, copied.classes):
            assert not part.flags.writeable
        with pytest.raises(AttributeError, match="error of uncertain data is read-only"):
            del copied.error


def test_it_is_no_table_of_numbers():
    for model in (DecisionTreeClassifier(), RandomForestClassifier()):
        with pytest.raises(InputError, match="uncertain data are no table of numbers"):
            model.fit(Uncertain(NUMBERS), Y)


# ------------------------------------------------------------------ every learner


@every
def test_without_doubts_it_is_its_table(name):
    model = learner(name)
    one, other = (quiet(clone(model).fit, data, Y) for data in (Uncertain(X), X))
    same(one, other)
    assert one.predict(Uncertain(X)).tolist() == other.predict(X).tolist()
    assert one.score(Uncertain(X), Y) == other.score(X, Y)
    assert (one.apply(Uncertain(X)) == other.apply(X)).all()
    kept = set(one.__dict__)
    assert kept == set(other.__dict__)
    pickle.loads(pickle.dumps(one))


def holds_rows(model):
    return {"_uncertainty", "_fractions", "_rows_given"} & set(model.__dict__)


@every
def test_a_fit_that_fails_keeps_nothing_of_the_rows(name):
    model = learner(name)
    with pytest.raises(InputError, match="sample_weight has 3 entries"):
        quiet(model.fit, everything(), sample_weight=np.ones(3))
    assert not holds_rows(model)


@pytest.mark.parametrize(
    ("model", "doubt", "told"),
    [
        (UncertainTreeClassifier(), {"error": "5 %"}, "pdfs are not normal"),
        (EIGClassifier(), {"imputed": X.assign(size=np.nan)}, "guess of X_imputed"),
        (OptimalTreeClassifier(search="uct", max_nodes=9), {"error": 0.1}, "a test may divide"),
        (EvidentialTreeClassifier(), {"reliability": 0.5}, "a gamma is given beside"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_growth_that_fails_keeps_nothing_of_the_rows(model, doubt, told):
    gaps = X.assign(size=X["size"].where(np.arange(N) % 4 > 0)) if "imputed" in doubt else X
    data = Uncertain(gaps, y_plausibility=VOTES, **doubt)
    gamma = {"gamma_X": 0.1} if "reliability" in doubt else {}
    with pytest.raises(InputError, match=told):
        model.fit(data, **gamma)
    assert not holds_rows(model)


@every
def test_one_warning_names_what_is_ignored(name):
    """In fit and in prediction; errors of rows to be predicted are read by all."""
    model, data = learner(name), everything()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data)
    told = [str(w.message) for w in caught if "ignores" in str(w.message)]
    ignored = [doubt for doubt in KINDS_OF_UNCERTAINTY if doubt not in understood(model)]
    assert len(told) == 1 and all(issubclass(w.category, HedgerowWarning) for w in caught)
    assert told[0].startswith(f"{name} ignores {' and '.join(ignored)} of the uncertain data")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict_proba(data)
    ignored, read = ["imputed", "reliability"], "error"  # guesses are for fit
    if name == "EvidentialTreeClassifier":
        ignored = ["error", "imputed"]  # beside reliabilities, of errors that are no rectangles
        read = "reliability"
    (told,) = [str(w.message) for w in caught]
    assert told.startswith(
        f"{name} ignores {' and '.join(ignored)} of the uncertain data; in prediction it reads "
        f"{read} ("
    )


@every
def test_warnings_are_of_the_line_that_asked(name):
    model, data = quiet(learner(name).fit, everything()), everything()
    ways = [model.predict, model.predict_log_proba, model.apply, model.decision_path]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for way in [model.fit, *ways, model.explain]:
            way(data)
        model.score(data, Y)
        cross_val_score(model, data, Y, cv=2)
    caught = [w for w in caught if "ignores" in str(w.message)]
    assert len(caught) == len(ways) + 3 + 4 and {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize("kind", [C45Classifier, EIGClassifier, UncertainTreeClassifier])
def test_warnings_of_weights_are_of_the_line_that_asked(kind):
    model, weight = kind(weights="counts"), np.full(N, 0.01)
    for data in (X, Uncertain(X, y_plausibility=VOTES)):
        with pytest.warns(HedgerowWarning, match="sample weights add up to 0.8") as caught:
            model.fit(data, Y, sample_weight=weight)
        assert [w.filename for w in caught] == [__file__]


@every
def test_what_is_understood_brings_no_warning(name):
    model, data = learner(name), everything()
    known = data.only(understood(model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*has no error and is C4.5")
        model.fit(known, Y)
    if {"error", "y_plausibility"} <= understood(model):
        plain = quiet(learner(name).fit, X, Y)
        assert model.tree_.to_json() != plain.tree_.to_json()


@every
def test_errors_of_rows_that_are_predicted(name):
    model = quiet(learner(name).fit, X, Y)
    error = {"size": 0.7, "weight": 2 * SPREAD[:, 2]}
    data = Uncertain(X, error=error)
    want = model.predict_proba(X, error=error)
    np.testing.assert_array_equal(model.predict_proba(data), want)
    np.testing.assert_array_equal(model.predict_log_proba(data), model.predict_log_proba(X, error))
    assert (want != model.predict_proba(X)).any()
    assert model.predict(data).tolist() == model.predict(X, error=error).tolist()
    assert (model.apply(data) == model.apply(X, error=error)).all()
    assert (model.decision_path(data) != model.decision_path(X, error=error)).nnz == 0
    assert str(model.explain(data[:2])[1]) == str(model.explain(X[:2], error=data[:2].error)[1])
    for read in (model.predict_proba, model.apply, model.explain):
        with pytest.raises(InputError, match="error is given beside uncertain data"):
            read(data, error=0.1)


@pytest.mark.parametrize(
    "kind", [SoftTreeClassifier, EIGClassifier, UncertainTreeClassifier, OptimalTreeClassifier]
)
def test_errors_in_fit_are_those_of_the_parameter(kind):
    model = kind(max_depth=2)
    error = {"size": 0.7, "age": 0.3}
    data = Uncertain(X, error=error)
    same(clone(model).fit(data, Y), clone(model).set_params(error=error).fit(X, Y))
    with pytest.raises(InputError, match=f"error is given to {kind.__name__} and with the data"):
        clone(model).set_params(error=0.1).fit(data, Y)
    refit = clone(model).fit(data, Y)
    same(quiet(refit.fit, X, Y), quiet(clone(model).fit, X, Y))


def test_errors_are_ignored_where_each_part_has_its_own():
    model = SoftTreeClassifier(0.1, 0.1, 0.1, error_unit="sd")
    with pytest.warns(HedgerowWarning, match="ignores error of the uncertain data"):
        one = clone(model).fit(Uncertain(X, error=0.5), Y)
    same(one, model.fit(X, Y))


# ------------------------------------------------------------------ doubtful classes


OF_CLASSES = {
    "C45Classifier": C45Classifier(weights="counts"),
    "gini": C45Classifier(criterion="gini", min_samples_leaf=0.5, weights="counts"),
    "plt": ProbabilisticThresholdClassifier(weights="counts"),
    "soft": SoftTreeClassifier(error={"size": 0.5, "age": 0.1}, weights="counts"),
    "udt": UncertainTreeClassifier(width=0.1, n_points=10, weights="counts"),
    "eig": EIGClassifier(weights="counts"),
    "optimal": OptimalTreeClassifier(max_depth=2, weights="counts"),
}


def parts():
    """Rows as often as they have classes: numbers of rows, classes, and shares, by a loop."""
    rows, labels, shares = [], [], []
    for i, row in enumerate(VOTES.to_numpy()):
        for label, p in zip("abc", row, strict=True):
            if p > 0:
                rows.append(i)
                labels.append(label)
                shares.append(p / row.sum())
    return np.array(rows), np.array(labels, dtype=Y.dtype), np.array(shares)


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("class_weight", [None, {"a": 1, "b": 2.5, "c": 0.5}])
def test_a_doubtful_row_is_several_of_one_class(name, weight, class_weight):
    model = clone(OF_CLASSES[name]).set_params(class_weight=class_weight)
    rows, labels, shares = parts()
    one = clone(model).fit(Uncertain(X, y_plausibility=VOTES), Y, sample_weight=weight)
    each = shares if weight is None else shares * weight[rows]
    other = clone(model).fit(X.iloc[rows], labels, sample_weight=each)
    np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
    np.testing.assert_allclose(one.tree_.threshold, other.tree_.threshold, rtol=1e-12)
    np.testing.assert_allclose(one.tree_.class_weight, other.tree_.class_weight, rtol=1e-12)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-12)


def test_errors_by_row_follow_the_parts():
    rows, labels, shares = parts()
    error = SPREAD
    model = SoftTreeClassifier(weights="counts", gate_at="ties_right")
    data = Uncertain(NUMBERS, error=error, y_plausibility=VOTES)
    one = clone(model).fit(data, sample_weight=WEIGHT)
    other = clone(model).set_params(error=error[rows])
    other.fit(NUMBERS.iloc[rows], labels, sample_weight=shares * WEIGHT[rows])
    assert one.tree_ == other.tree_
    best = OptimalTreeClassifier(max_depth=1, weights="counts", error=error)
    best.fit(data.only({"y_plausibility"}), sample_weight=WEIGHT)
    np.testing.assert_array_equal(best.tree_.gate.sigma, one.tree_.gate.sigma)
    kept = error[WEIGHT > 0]  # a row counts once in what the tree keeps for other rows
    np.testing.assert_allclose(one.tree_.gate.sigma, np.sqrt((kept**2).mean(axis=0)))


@pytest.mark.parametrize("name", OF_CLASSES)
def test_sure_classes_are_plain_ones(name):
    model = OF_CLASSES[name]
    sure = pd.DataFrame(np.eye(3)[CODES] * 0.7, columns=["a", "b", "c"])
    want = clone(model).fit(X, Y, sample_weight=WEIGHT)
    for data, y in ((Uncertain(X, y_plausibility=sure), None), (Uncertain(X), Y)):
        same(clone(model).fit(data, y, sample_weight=WEIGHT), want)
    shuffled = Uncertain(X, y_plausibility=sure[["c", "a", "b"]])
    same(clone(model).fit(shuffled, sample_weight=WEIGHT), want)


def test_balanced_classes_are_counted_by_their_shares():
    _, labels, shares = parts()
    counts = {label: shares[labels == label].sum() for label in "abc"}
    weight = {label: N / (3 * count) for label, count in counts.items()}
    data = Uncertain(X, y_plausibility=VOTES)
    one = C45Classifier(class_weight="balanced").fit(data)
    other = C45Classifier(class_weight=weight).fit(data)
    np.testing.assert_allclose(one.tree_.class_weight, other.tree_.class_weight)
    np.testing.assert_allclose(one.tree_.class_weight[0], N / 3)


def test_relative_weights_are_those_of_rows():
    """Weights that add up to 1 are relative, as of sure rows: shares do not make them counts."""
    data = Uncertain(X, y_plausibility=VOTES)
    weight = WEIGHT / WEIGHT.sum()
    found = C45Classifier().fit(data, sample_weight=weight).tree_
    assert found.class_weight[0].sum() == pytest.approx((weight > 0).sum())
    counts = C45Classifier(weights="counts").fit(data, sample_weight=weight * (weight > 0).sum())
    np.testing.assert_allclose(found.class_weight, counts.tree_.class_weight)
    by_class = {"a": 1, "b": 2.5, "c": 0.5}
    model = C45Classifier(class_weight=by_class, weights="relative")
    found = model.fit(data, sample_weight=WEIGHT).tree_.class_weight
    counts = clone(model).set_params(weights="counts", prune=False)
    root = counts.fit(data, sample_weight=WEIGHT).tree_.class_weight[0]
    np.testing.assert_allclose(found[0], root / root.sum() * (WEIGHT > 0).sum())
    few = Uncertain(X[:3], y_plausibility=VOTES[:3])
    assert C45Classifier().fit(few).tree_.class_weight[0].sum() == pytest.approx(3)


def test_a_weight_that_is_lost_is_named_by_its_row():
    """By its number in X, also where rows of weight 0 come before."""
    weight = np.where(np.arange(N) < 10, 0.0, 0.1)
    weight[40] = 1e-300
    tiny = dict.fromkeys("abc", 1e-100)
    for data in (X, Uncertain(X, y_plausibility=VOTES)):
        with pytest.raises(InputError, match="class_weight is 0 or not finite in row 40;"):
            C45Classifier(class_weight=tiny).fit(data, Y, sample_weight=weight)
    weight[40] = 0.1
    votes = VOTES.to_numpy().copy()
    votes[30] = 1.0, 5e-324, 0.0
    data = Uncertain(X, y_plausibility=votes, classes=list("abc"))
    with pytest.raises(InputError, match=r"the weight of a plausible class is 0 .* in row 30;"):
        C45Classifier().fit(data, sample_weight=weight)


def test_labels_of_an_array_are_those_of_y():
    data = Uncertain(X, y_plausibility=VOTES.to_numpy())
    same(C45Classifier().fit(data, Y), C45Classifier().fit(Uncertain(X, y_plausibility=VOTES)))
    with pytest.raises(
        InputError, match="y_plausibility is an array, whose columns have no labels"
    ):
        C45Classifier().fit(data)
    with pytest.raises(InputError, match=r"has 3 columns and y 2 classes.*give the labels"):
        C45Classifier().fit(data, np.where(Y == "c", "a", Y))
    with pytest.raises(InputError, match="y holds 'd', which is no class of"):
        C45Classifier().fit(Uncertain(X, y_plausibility=VOTES), np.where(Y == "c", "d", Y))
    named = Uncertain(X, y_plausibility=VOTES.to_numpy(), classes=["a", "b", "c"])
    lacking = named.take(Y != "c")
    assert C45Classifier().fit(lacking).classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="requires y to be passed"):
        C45Classifier().fit(Uncertain(X))


@pytest.mark.parametrize("kind", ["UCTTreeClassifier", "EvolutionaryTreeClassifier"])
def test_who_takes_one_class_takes_the_most_plausible(kind):
    likely = np.array(["a", "b", "c"])[VOTES.to_numpy().argmax(axis=1)]
    data = Uncertain(X, y_plausibility=VOTES)
    same(quiet(learner(kind).fit, data), learner(kind).fit(X, likely))
    same(quiet(learner(kind).fit, data, Y), learner(kind).fit(X, Y))


# ------------------------------------------------------------------ guesses, and learners inside


def test_guesses_are_those_of_eig():
    gaps = NUMBERS.mask(np.random.default_rng(1).random(NUMBERS.shape) < 0.3)
    draws = [NUMBERS, NUMBERS + 1.0]
    data = Uncertain(gaps, imputed=draws)
    want = EIGClassifier().fit(gaps, Y, X_imputed=draws, sample_weight=WEIGHT)
    same(EIGClassifier().fit(data, Y, sample_weight=WEIGHT), want, NUMBERS)
    same(EIGClassifier().fit(data[:], Y, sample_weight=WEIGHT), want, NUMBERS)
    as_array = Uncertain(gaps.to_numpy(), imputed=np.stack(draws))
    other = EIGClassifier().fit(as_array, Y, sample_weight=WEIGHT)
    assert other.tree_ == want.tree_
    with pytest.raises(InputError, match="X_imputed is given beside uncertain data"):
        EIGClassifier().fit(data, Y, X_imputed=draws)
    lacking = Uncertain(gaps, y_plausibility=VOTES, imputed=gaps)
    with pytest.raises(InputError, match=r"guess of X_imputed in row (\d+), column"):
        EIGClassifier().fit(lacking)


def test_guesses_follow_the_parts():
    gaps = NUMBERS.mask(np.random.default_rng(1).random(NUMBERS.shape) < 0.3)
    rows, labels, shares = parts()
    data = Uncertain(gaps, y_plausibility=VOTES, imputed=NUMBERS)
    one = EIGClassifier(weights="counts").fit(data, sample_weight=WEIGHT)
    other = EIGClassifier(weights="counts").fit(
        gaps.iloc[rows], labels, NUMBERS.iloc[rows], sample_weight=shares * WEIGHT[rows]
    )
    assert one.tree_ == other.tree_


def test_confdtree_counts_parts_of_rows():
    """Its intervals are those of the same tree on rows of one class each."""
    rows, labels, shares = parts()
    data = Uncertain(X, error={"size": 0.4}, y_plausibility=VOTES)
    inner = SoftTreeClassifier(weights="counts")
    one = ConfDTreeClassifier(inner).fit(data, sample_weight=WEIGHT)
    fitted = clone(inner).fit(data, sample_weight=WEIGHT)
    other = ConfDTreeClassifier(FrozenEstimator(fitted))
    other.fit(X.iloc[rows], labels, sample_weight=shares * WEIGHT[rows])
    assert one.tree_.to_json() == fitted.tree_.to_json()
    for name, own in vars(one.get_intervals()).items():
        if isinstance(own, np.ndarray):
            np.testing.assert_allclose(own, getattr(other.get_intervals(), name), atol=1e-9)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-12)
    assert (one.predict_proba(X) != fitted.predict_proba(X)).any()


@pytest.mark.parametrize(
    "inner",
    [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        RandomForestClassifier(5, random_state=0),
        BaggingClassifier(C45Classifier(), 5, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_confdtree_gives_others_the_table(inner):
    data = Uncertain(NUMBERS, error=0.3, y_plausibility=VOTES)
    with pytest.warns(HedgerowWarning, match="ignores error and y_plausibility") as told:
        one = ConfDTreeClassifier(inner).fit(data, Y)
    assert len(told) == 1
    other = ConfDTreeClassifier(inner).fit(NUMBERS, Y)
    np.testing.assert_array_equal(one.predict_proba(NUMBERS), other.predict_proba(NUMBERS))
    want = other.predict_proba(NUMBERS, error=0.3)
    np.testing.assert_array_equal(one.predict_proba(data), want)


def test_confdtree_asks_for_no_class_that_no_row_has():
    """Of an estimator that knows two, a third may be named; rows of weight 0 are as if absent."""
    frozen = FrozenEstimator(C45Classifier().fit(X, np.where(Y == "c", "a", Y)))
    two = VOTES[["a", "b"]].where(VOTES[["a", "b"]].any(axis=1), 1.0)
    want = ConfDTreeClassifier(frozen).fit(Uncertain(X, y_plausibility=two), sample_weight=WEIGHT)
    absent = Uncertain(X, y_plausibility=two.assign(c=np.where(WEIGHT == 0, 1.0, 0.0)))
    one = ConfDTreeClassifier(frozen).fit(absent, sample_weight=WEIGHT)
    np.testing.assert_array_equal(one.predict_proba(X), want.predict_proba(X))
    with pytest.raises(InputError, match="'c', which the fitted estimator does not know"):
        ConfDTreeClassifier(frozen).fit(absent)


# ------------------------------------------------------------------ cross-validation


def test_scikit_learn_divides_it():
    error = SPREAD
    data = Uncertain(NUMBERS, error=error, y_plausibility=VOTES)
    model = SoftTreeClassifier()
    scores = cross_val_score(model, data, Y, cv=4)
    by_hand = []
    for train, test in hedgerow_folds(4):
        fitted = clone(model).fit(data[train], Y[train])
        by_hand.append(fitted.score(data[test], Y[test]))
    np.testing.assert_array_equal(scores, by_hand)
    left, right, y, _ = train_test_split(data, Y, random_state=0)
    assert len(left) + len(right) == N and len(left) == len(y)
    assert isinstance(left, Uncertain)


def hedgerow_folds(k):
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(k).split(NUMBERS, Y)


def test_a_polars_frame():
    polars = pytest.importorskip("polars")
    table = polars.from_pandas(NUMBERS.reset_index(drop=True))
    votes = polars.from_pandas(VOTES)
    data = Uncertain(table, error={"size": 0.3}, y_plausibility=votes, imputed=table)
    want = SoftTreeClassifier().fit(Uncertain(NUMBERS, {"size": 0.3}, VOTES))
    same(SoftTreeClassifier().fit(data.only({"error", "y_plausibility"})), want, NUMBERS)


def test_masked_values_are_missing():
    array = np.ma.masked_greater(NUMBERS.to_numpy(), 4.0)
    want = C45Classifier().fit(array, Y)
    same(C45Classifier().fit(Uncertain(array), Y), want, array)


def test_what_a_mask_hides_is_no_guess_and_no_error():
    gaps = NUMBERS.to_numpy().copy()
    gaps[::4, 0] = np.nan
    hidden = np.ma.masked_array(np.ones((N, 3)), mask=np.isnan(gaps))
    for guesses in (hidden, [hidden, hidden]):
        data = Uncertain(gaps, imputed=guesses)
        assert np.isnan(data.imputed[-1][np.isnan(gaps)]).all()
        with pytest.raises(InputError, match=r"guess of X_imputed in row 0, column '0' is nan"):
            EIGClassifier().fit(data, Y)
    flags = np.arange(N) % 3 == 0
    table = np.ma.masked_array(SPREAD, mask=np.tile(flags, (3, 1)).T)  # a value without is exact
    want = np.where(flags[:, None], 0.0, SPREAD)
    model = C45Classifier().fit(NUMBERS, Y)
    for rows in (slice(None), slice(1, 9)):
        found = model.predict_proba(Uncertain(NUMBERS, error=table)[rows])
        np.testing.assert_array_equal(found, model.predict_proba(NUMBERS[rows], error=want[rows]))
    plain = model.predict_proba(NUMBERS, error=table)
    np.testing.assert_array_equal(plain, model.predict_proba(NUMBERS, error=want))
    with pytest.raises(InputError, match="error of column 'size' is"):
        Uncertain(NUMBERS, error={"size": table[:, 0]})


def test_uct_numbers_rows_of_the_table():
    model = UCTTreeClassifier(n_iterations=50, random_state=0)
    one = model.fit(Uncertain(X), Y, sample_weight=WEIGHT)
    two = clone(model).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(one.induction_indices_, two.induction_indices_)


def test_evidence_reads_it(recwarn):
    """E2M has its own tests of it; here, that all of it is what `gamma_X` says."""
    model = EvidentialTreeClassifier(prune=False, max_leaves=4)
    one = clone(model).fit(Uncertain(X, reliability=0.75), Y)
    same(one, clone(model).fit(X, Y, gamma_X=0.25))
    assert not recwarn


def test_the_table_of_the_page_is_what_learners_say():
    page = (Path(__file__).parents[3] / "docs/methods/doubt.md").read_text(encoding="utf-8")
    rows = page.partition("<!-- understands -->\n")[2].partition("\n\n")[0].splitlines()
    head, _, *rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert head == ["learner", *(f"`{doubt}`" for doubt in KINDS_OF_UNCERTAINTY)]
    told = {row[0].strip("`"): row[1:] for row in rows}
    assert list(told) == sorted(LEARNERS)
    for name, cells in told.items():
        if name == "ConfDTreeClassifier":
            assert set(cells) == {"as its estimator"}
            continue
        model, cells = (
            getattr(hedgerow, name)(),
            dict(zip(KINDS_OF_UNCERTAINTY, cells, strict=True)),
        )
        assert {doubt for doubt, cell in cells.items() if cell == "yes"} == model._understands
        others = {doubt: cell for doubt, cell in cells.items() if cell not in ("yes", "")}
        if name == "EvidentialTreeClassifier":
            assert others == {"error": "rectangles"}
            assert "error" in model._understood(Uncertain(X, error="+-0.5"))
            assert "error" not in model._understood(Uncertain(X, error={"size": "+-1", "age": 1}))
        else:
            assert not others
