"""`EvidentialData` from `Uncertain` and back, and E2M on uncertain data."""

import warnings

import numpy as np
import pandas as pd
import pytest
from effort import draws

from hedgerow import EvidentialData, EvidentialTreeClassifier, Uncertain
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.evidential import mixture

RNG = np.random.default_rng(5)
N = 40
X = pd.DataFrame(np.round(RNG.normal(2, 2, (N, 2)), 1), columns=["size", "weight"])
X.iloc[3, 0] = np.nan
X["site"] = pd.Categorical(RNG.choice(["north", "south", "west"], N))
Y = np.where(X["weight"] > 2, "yes", "no")
VOTES = pd.DataFrame(
    np.maximum(np.column_stack([Y == "no", Y == "yes"]), RNG.choice([0.0, 0.5, 1.0], (N, 2))),
    columns=["no", "yes"],
)
SURE = RNG.uniform(0.3, 1, (N, 3))
MODEL = EvidentialTreeClassifier(prune=False, max_leaves=3)
PARTS = ("low", "high", "gamma", "plausibility")


def same(one, other, rtol=0.0):
    for name in PARTS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, atol=rtol)
    assert one.possible.keys() == other.possible.keys()
    for j, table in one.possible.items():
        np.testing.assert_allclose(table, other.possible[j], rtol=rtol, atol=rtol)
    assert one.classes.tolist() == other.classes.tolist()
    assert one.feature_names == other.feature_names and one.categories == other.categories


def test_reliabilities_are_gammas():
    found = EvidentialData.from_uncertain(Uncertain(X, reliability=SURE), Y)
    same(found, EvidentialData.from_gamma(X, Y, 1.0 - SURE))
    found = EvidentialData.from_uncertain(Uncertain(X, y_plausibility=VOTES))
    same(found, EvidentialData.from_plausibility(X, VOTES.to_numpy(), ["no", "yes"]))
    array = np.arange(6.0).reshape(3, 2) % 2
    found = EvidentialData.from_uncertain(
        Uncertain(array), [1, 0, 1], classes=[1, 0], categories={1: "ab"}
    )
    same(found, EvidentialData.from_gamma(array, [1, 0, 1], classes=[1, 0], categories={1: "ab"}))


def test_rectangles_are_intervals():
    data = Uncertain(X[["size", "weight"]], error={"size": "+-0.5"}, reliability={"weight": 0.8})
    ends = [X[["size", "weight"]] + [d, 0.0] for d in (-0.5, 0.5)]
    want = EvidentialData.from_intervals(*ends, Y, [0.0, 1.0 - 0.8])
    same(EvidentialData.from_uncertain(data, Y), want)


def test_plain_data_are_not_taken_for_uncertain_ones():
    with pytest.raises(InputError, match="data are of type ndarray; give Uncertain"):
        EvidentialData.from_uncertain(np.ones((2, 2)), [0, 1])


def test_what_evidence_has_no_form_for():
    data = Uncertain(X, error={"size": 0.5, "weight": "+-1"}, imputed=X)
    with pytest.warns(HedgerowWarning, match=r"leave out error, of which .* and imputed") as told:
        found = EvidentialData.from_uncertain(data, Y)
    assert len(told) == 1
    same(found, EvidentialData.from_gamma(X, Y))
    with pytest.raises(InputError, match="y_plausibility is an array, whose columns"):
        EvidentialData.from_uncertain(Uncertain(X, y_plausibility=VOTES.to_numpy()))
    found = EvidentialData.from_uncertain(Uncertain(X, y_plausibility=VOTES.to_numpy()), Y)
    assert found.classes.tolist() == ["no", "yes"]


@pytest.mark.parametrize("seed", draws(60, least=12))
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.filterwarnings("error")
def test_there_and_back(seed, named):
    """Values, gaps, categories, even intervals, reliabilities and plausibilities of classes."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    table = pd.DataFrame(np.round(rng.normal(0, 3, (n, m)), 1), columns=list("abc"[:m]))
    categories = None
    if rng.random() < 0.5:
        labels = ["x", "y", "z"]
        codes = rng.integers(-1, 3, n)
        table["kind"] = pd.Categorical.from_codes(codes, labels)
        if not named:
            table["kind"] = np.where(codes < 0, np.nan, codes)
            categories = {m: labels}
    table = table.mask(rng.random(table.shape) < 0.2)
    if not named:
        table = table.to_numpy()
    reliability = rng.choice([0.3, 0.9, 1.0], table.shape) if rng.random() < 0.7 else None
    error = {0: "+-0.25"} if rng.random() < 0.5 else None
    plausible = np.maximum(np.eye(3)[rng.integers(0, 3, n)], rng.choice([0, 0.4], (n, 3)))
    data = Uncertain(table, error, plausible, reliability, classes=["k", "l", "m"])
    one = EvidentialData.from_uncertain(data, categories=categories)
    other = EvidentialData.from_uncertain(one.to_uncertain(), categories=categories)
    same(other, one, rtol=1e-12)
    assert isinstance(one.to_uncertain().X, pd.DataFrame) == named


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e3, 1e5, 1e9])
@pytest.mark.parametrize("half", [0.1, 0.3, 0.001, 2.5])
@pytest.mark.filterwarnings("error")
def test_large_values_keep_their_even_intervals(size, half):
    """What sums of binary numbers lose of a width is not taken for another one."""
    table = np.random.default_rng(0).normal(0, size, (50, 2))
    data = EvidentialData.from_uncertain(Uncertain(table, error=f"+-{half}"), [0, 1] * 25)
    assert data.to_uncertain().error == {0: f"+-{half}", 1: f"+-{half}"}


def test_what_cannot_go_back_is_told():
    low = np.array([[0.0, 1.0], [2.0, 3.0]])
    votes = [{"a": 0.5, ("a", "b"): 0.5}, {"b": 1.0}]
    attributes = EvidentialData.from_plausibility(
        EvidentialData.from_intervals(low, low + np.array([[1.0], [2.0]]), ["a", "b"]),
        [[1.0, 1.0], [0.0, 1.0]],
        ["a", "b"],
        attributes={1: [[1.0, 0.5, 0.2], [0.0, 1.0, 0.0]]},
    )
    data = EvidentialData.from_masses(attributes, votes)
    with pytest.warns(HedgerowWarning) as told:
        back = data.to_uncertain()
    (text,) = [str(w.message) for w in told]
    assert text == (
        "uncertain data leave out widths of attribute 0, other categories of attribute 1, masses "
        "of classes"
    )
    np.testing.assert_array_equal(back.X, [[0.5, 0.0], [3.0, 1.0]])
    np.testing.assert_array_equal(back.reliability, [[1.0, 0.5], [1.0, 1.0]])


# ------------------------------------------------------------------ the learner


def fitted(data, y=None, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return MODEL.fit(data, y, **more).trees_[-1], MODEL


def test_fit_reads_what_evidence_holds():
    data = Uncertain(X, error={"weight": "+-0.5"}, y_plausibility=VOTES, reliability=SURE.round(2))
    tree, model = fitted(data)
    found = model.predict_proba(data)
    want = EvidentialTreeClassifier(prune=False, max_leaves=3).fit(
        EvidentialData.from_uncertain(data)
    )
    assert tree.to_json() == want.tree_.to_json()
    np.testing.assert_array_equal(found, mixture(want.tree_, EvidentialData.from_uncertain(data)))
    assert model.score(data) == want.score(EvidentialData.from_uncertain(data))
    assert model.score(data, Y) == (want.classes_[found.argmax(axis=1)] == Y).mean()
    assert "_uncertainty" not in model.__dict__


def test_weights_of_0_leave_rows_out():
    weight = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
    data = Uncertain(X, error={"size": "+-0.5"}, y_plausibility=VOTES, reliability=SURE)
    one = fitted(data, sample_weight=weight)[0]
    assert one.to_json() == fitted(data.take(weight > 0))[0].to_json()


def test_codes_of_categories_are_no_intervals():
    array = np.column_stack([X["weight"], X["site"].cat.codes]).astype(float)
    model = EvidentialTreeClassifier(prune=False, max_leaves=3, categorical_features=[1])
    one = model.fit(Uncertain(array, error={0: "+-0.5"}, reliability=0.75), Y).trees_[-1]
    wide = EvidentialData.from_intervals(
        array - np.array([0.5, 0]), array + np.array([0.5, 0]), Y, 0.25,
        sets={1: [[str(int(code))] for code in array[:, 1]]},
    )  # fmt: skip
    want = EvidentialTreeClassifier(prune=False, max_leaves=3).fit(wide).tree_
    np.testing.assert_array_equal(one.class_weight, want.class_weight)


def test_gammas_beside_uncertain_data():
    for name, given in (("X", {"reliability": 0.5}), ("y", {"y_plausibility": VOTES})):
        with pytest.raises(InputError, match="a gamma is given beside uncertain data"):
            MODEL.fit(Uncertain(X, **given), Y, **{f"gamma_{name}": 0.2})
    one = fitted(Uncertain(X, y_plausibility=VOTES), gamma_X=0.2)[0]
    other = fitted(Uncertain(X, reliability=0.8, y_plausibility=VOTES))[0]
    np.testing.assert_allclose(one.class_weight, other.class_weight, atol=1e-6)


def test_other_errors_are_ignored_with_a_word():
    data = Uncertain(X, error={"size": 0.5})
    with pytest.warns(HedgerowWarning, match="EvidentialTreeClassifier ignores error of"):
        one = EvidentialTreeClassifier(prune=False).fit(data, Y)
    assert one.tree_.to_json() == EvidentialTreeClassifier(prune=False).fit(X, Y).tree_.to_json()
    np.testing.assert_array_equal(one.predict_proba(data), one.predict_proba(X, {"size": 0.5}))
    with pytest.raises(InputError, match="y is None, and X a plain table"):
        one.score(data)
    with pytest.raises(InputError, match="error is given beside uncertain data with reliab"):
        one.predict_proba(Uncertain(X, reliability=0.5), error=0.1)
    with pytest.warns(HedgerowWarning, match="ignores reliability"):
        one.apply(Uncertain(X, reliability=0.5))
