"""The tree for all doubts: each doubt alone is its method, all at once are those of the twin."""

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle.doubt import DoubtReference
from oracle.induction import flat
from sklearn.datasets import load_iris, load_wine

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialData,
    SoftTreeClassifier,
    Uncertain,
    UncertainDataTreeClassifier,
)
from hedgerow.errors import InputError
from hedgerow.evidential._mixture import estimate, spread


def table(seed, n_max=34, gaps=None):
    """Numbers with ties and categories, guesses, weights, and doubtful classes."""
    rng = np.random.default_rng(seed)
    n, m, K = int(rng.integers(6, n_max)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    whole = np.round(rng.normal(3.0, 2.0, (n, m)), int(rng.integers(0, 3)))
    n_categories = np.zeros(m, dtype=int)
    for j in range(m):
        if rng.random() < 0.25:
            n_categories[j] = int(rng.integers(2, 6))
            whole[:, j] = rng.integers(0, n_categories[j], n)
            whole[:2, j] = n_categories[j] - 1  # all codes are known to the learner
    X = whole.copy()
    if gaps is None:
        gaps = rng.random() < 0.7
    if gaps:
        X[rng.random((n, m)) < rng.choice([0.1, 0.4])] = np.nan
        X[:2] = whole[:2]
    imputed = np.repeat(whole[None], int(rng.integers(1, 3)), axis=0)
    y = np.where(whole[:, 0] > 3, K - 1, rng.integers(0, K, n))
    plausible = np.eye(K)[y]
    doubtful = rng.random(n) < rng.choice([0.2, 0.6, 1.0])
    others = rng.choice([0.0, 0.1, 0.5, 1.0], (n, K))
    plausible[doubtful] = np.maximum(plausible, others)[doubtful]
    weight = None if rng.random() < 0.5 else rng.choice([0.5, 1.0, 2.0], n)
    error = np.where(n_categories > 0, 0.0, rng.choice([0.0, 0.3, 1.2], m))
    return X, plausible, error, weight, n_categories, imputed, rng


def fitted(seed, **settings):
    X, plausible, error, weight, n_categories, imputed, rng = table(seed)
    gaps = np.isnan(X).any()
    named = np.flatnonzero(n_categories)
    rules = {
        "reliability": str(rng.choice(["global", "node"])),
        "min_samples_leaf": float(rng.choice([1, 0.5])),
    }
    model = UncertainDataTreeClassifier(
        categorical_features=named if len(named) else None,
        min_samples_split=2,
        weights="counts",
        **rules,
        **settings,
    )
    data = Uncertain(
        X,
        error=error.tolist() if error.any() else None,
        y_plausibility=plausible,
        imputed=imputed if gaps else None,
        classes=range(plausible.shape[1]),
    )
    model.fit(data, sample_weight=weight)
    twin = DoubtReference(
        X, plausible, error, weight, n_categories, imputed=imputed, min_split=2,
        min_leaf=rules["min_samples_leaf"], reliability=rules["reliability"],
    )  # fmt: skip
    return model, twin


@pytest.mark.parametrize("seed", draws(250, least=40))
def test_growth_with_all_doubts_is_that_of_the_twin(seed):
    model, twin = fitted(seed, prune=False, leaves="fractions")
    twin.check(model.tree_)


@pytest.mark.parametrize("seed", draws(120, 1000, least=20))
def test_pruning_counts_shares_of_classes(seed):
    grown, twin = fitted(seed, prune=False, leaves="fractions")
    pruned, _ = fitted(seed, leaves="fractions", confidence=0.6)
    want = flat(twin.prune(twin.nested(grown.tree_), confidence=0.6)[0])
    found = flat(twin.nested(pruned.tree_))
    assert [one[0] for one in found] == [one[0] for one in want]
    for one, other in zip(found, want, strict=True):
        np.testing.assert_equal(one[1], other[1])
        np.testing.assert_allclose(one[2], other[2], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", draws(120, 2000, least=20))
def test_leaves_make_what_is_told_of_their_rows_most_likely(seed):
    """No other class distribution is more likely; nodes above are the sums of their leaves."""
    model, twin = fitted(seed)
    tree = model.tree_
    for leaf, members in twin.leaves(tree).items():
        found = tree.class_weight[leaf]
        assert found.sum() == pytest.approx(sum(w for _, w in members), rel=1e-9)
        best = twin.log_likelihood(members, twin.distribution(members))
        assert twin.log_likelihood(members, (found / found.sum()).tolist()) >= best - 1e-6
    for node in np.flatnonzero(tree.feature >= 0):
        sides = [tree.children_left[node], tree.children_right[node]]
        np.testing.assert_allclose(tree.class_weight[node], tree.class_weight[sides].sum(axis=0))


@pytest.mark.parametrize("seed", draws(60, 3000, least=10))
def test_leaves_weigh_what_growth_counted_there(seed):
    """But for parts below a thousandth of a row, which growth leaves to the other side."""
    by_shares, _ = fitted(seed, leaves="fractions", confidence=0.7)
    model, _ = fitted(seed, confidence=0.7)
    counted, estimated = (m.tree_.class_weight.sum(axis=1) for m in (by_shares, model))
    n_rows, n_tests = counted[0], (model.tree_.feature >= 0).sum()
    np.testing.assert_allclose(estimated, counted, atol=2e-3 * n_rows * n_tests + 1e-9)
    if model.tree_.gate is None:
        np.testing.assert_allclose(estimated, counted, rtol=1e-9)
    assert estimated[0] == pytest.approx(n_rows)


# ------------------------------------------------------------------ one doubt, that method's tree


def numbers(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(2, 2, (60, 4)), 1)
    y = np.where(X[:, 0] + rng.normal(0, 1, 60) > 2, "b", np.where(X[:, 1] > 3, "c", "a"))
    return X, y, rng


@pytest.mark.parametrize("seed", draws(20, least=5))
@pytest.mark.parametrize("error", [0.4, "5 %", "+-0.5", {2: 1.0}, "rows"])
def test_errors_alone_are_the_soft_tree(seed, error):
    X, y, rng = numbers(seed)
    error = rng.uniform(0, 1, X.shape) if isinstance(error, str) and error == "rows" else error
    want = SoftTreeClassifier(error=error).fit(X, y)
    for model in (
        UncertainDataTreeClassifier(error=error).fit(X, y),
        UncertainDataTreeClassifier().fit(Uncertain(X, error=error), y),
    ):
        assert model.tree_.to_json() == want.tree_.to_json()
        np.testing.assert_array_equal(model.predict_proba(X), want.predict_proba(X))


@pytest.mark.parametrize("seed", draws(20, least=5))
@pytest.mark.parametrize("imputer", ["knn", "mean"])
def test_gaps_alone_are_eig(seed, imputer):
    X, y, rng = numbers(seed)
    X[rng.random(X.shape) < 0.3] = np.nan
    want = EIGClassifier(imputer).fit(X, y)
    assert UncertainDataTreeClassifier(imputer=imputer).fit(X, y).tree_ == want.tree_
    guesses = rng.normal(2, 2, (2, *X.shape))
    want = EIGClassifier().fit(X, y, X_imputed=guesses)
    found = UncertainDataTreeClassifier().fit(Uncertain(X, imputed=guesses), y)
    assert found.tree_.to_json() == want.tree_.to_json()


@pytest.mark.parametrize("seed", draws(20, least=5))
def test_without_a_doubt_it_is_c45(seed):
    X, y, _ = numbers(seed)
    want = C45Classifier().fit(X, y).tree_.to_json()
    sure = Uncertain(X, y_plausibility=pd.get_dummies(y).astype(float))
    for data in (X, Uncertain(X), sure):
        assert UncertainDataTreeClassifier().fit(data, y).tree_.to_json() == want
    assert UncertainDataTreeClassifier().fit(sure).tree_.to_json() == want


@pytest.mark.parametrize("seed", draws(20, least=5))
def test_leaves_of_doubtful_classes_are_those_of_e2m(seed):
    """Where every value is known E2M's estimate of the same tree falls apart into its leaves."""
    X, y, rng = numbers(seed)
    plausible = np.maximum(
        np.eye(3)[np.unique(y, return_inverse=True)[1]], 0.6 * rng.random((60, 3))
    )
    data = Uncertain(X, y_plausibility=plausible)
    fractions = UncertainDataTreeClassifier(leaves="fractions").fit(data, y).tree_
    tree = UncertainDataTreeClassifier().fit(data, y).tree_
    c45 = C45Classifier().fit(data, y).tree_
    assert fractions.to_json() == c45.to_json()
    assert (tree.threshold[tree.feature >= 0] == c45.threshold[c45.feature >= 0]).all()
    ends = np.flatnonzero(tree.is_leaf())
    there = (tree.apply(X) == ends[:, None]).astype(float)
    counts = spread(fractions.class_weight[ends])
    estimate(there, np.ascontiguousarray(plausible.T), counts, np.inf, 1_000_000, 1e-10)
    np.testing.assert_allclose(tree.class_weight[ends], counts, atol=1e-4)
    assert abs(fractions.class_weight[ends] - counts).max() > 0.1


def test_a_leaf_by_hand():
    """Two sure rows of a and one of which a and b are alike: the third is of a, most likely."""
    data = Uncertain(
        [[0.0]] * 3, y_plausibility=pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": [0.0, 0.0, 1.0]})
    )
    assert UncertainDataTreeClassifier().fit(data).predict_proba([[0.0]])[0] == pytest.approx(
        [1, 0], abs=1e-4
    )
    model = UncertainDataTreeClassifier(leaves="fractions").fit(data)
    assert model.predict_proba([[0.0]])[0] == pytest.approx([2.5 / 3, 0.5 / 3])


def test_weights_of_classes_multiply_what_a_leaf_estimates():
    X, y, rng = numbers(3)
    plausible = np.maximum(
        np.eye(3)[np.unique(y, return_inverse=True)[1]], 0.5 * rng.random((60, 3))
    )
    data = Uncertain(X, y_plausibility=plausible, classes=["a", "b", "c"])
    plain = UncertainDataTreeClassifier(max_depth=0).fit(data).tree_.class_weight
    heavy = UncertainDataTreeClassifier(max_depth=0, class_weight={"a": 1, "b": 3, "c": 0.5}).fit(
        data
    )
    np.testing.assert_allclose(heavy.tree_.class_weight, plain * [1, 3, 0.5], rtol=1e-6)


# ------------------------------------------------------------------ all at once, by users


def wine(seed=0):
    rng = np.random.default_rng(seed)
    X, y = load_wine(return_X_y=True, as_frame=True)
    gaps = X.mask(rng.random(X.shape) < 0.1)
    plausible = np.maximum(np.eye(3)[y], rng.choice([0.0, 0.5], (len(y), 3)))
    votes = pd.DataFrame(plausible, columns=["Barolo", "Grignolino", "Barbera"])
    return Uncertain(gaps, error={"alcohol": 0.2, "ash": "5 %"}, y_plausibility=votes), X, y


def test_confdtree_doubts_it():
    data, X, y = wine()
    model = ConfDTreeClassifier(UncertainDataTreeClassifier()).fit(data)
    inner = UncertainDataTreeClassifier().fit(data)
    assert model.tree_.to_json() == inner.tree_.to_json()
    labels = np.array(["Barolo", "Grignolino", "Barbera"])[y]
    assert model.score(data, labels) > 0.85 and model.score(X, labels) > 0.85
    assert (model.predict_proba(data) != inner.predict_proba(data)).any()
    assert "usual" in str(model.revisions(data[:1]))
    assert "proline" in str(model.explain(data[:1])[0])


def test_it_explains_with_the_errors_of_the_data():
    data, X, _ = wine()
    model = UncertainDataTreeClassifier().fit(data)
    again = Uncertain(X[:3], error={"flavanoids": 0.5})
    assert str(model.explain(again)[1]) == str(model.explain(X[:3], {"flavanoids": 0.5})[1])
    assert str(model.explain(again)[1]) != str(model.explain(X[:3])[1])


def test_arrays_and_frames_give_the_same_tree():
    data, _, _ = wine()
    as_array = Uncertain(
        data.X.to_numpy(),
        error={0: 0.2, 2: "5 %"},
        y_plausibility=data.y_plausibility,
        classes=data.classes,
    )
    one, other = (
        UncertainDataTreeClassifier().fit(data).tree_,
        UncertainDataTreeClassifier().fit(as_array).tree_,
    )
    np.testing.assert_array_equal(one.class_weight, other.class_weight)
    np.testing.assert_array_equal(one.threshold, other.threshold)


def test_rows_of_weight_0_are_as_if_absent():
    data, _, _ = wine()
    weight = np.ones(len(data))
    weight[::4] = 0
    kept = weight > 0
    rows = np.random.default_rng(0).uniform(0, 0.4, data.shape)
    data = Uncertain(data.X, error=rows, y_plausibility=data.y_plausibility, classes=data.classes)
    one = UncertainDataTreeClassifier().fit(data, sample_weight=weight)
    assert one.tree_.to_json() == UncertainDataTreeClassifier().fit(data.take(kept)).tree_.to_json()


def test_each_row_is_guessed_once():
    """A row of three plausible classes is one neighbour to the others, not three."""
    data, _, _ = wine()
    model = UncertainDataTreeClassifier(missing_at_prediction="impute").fit(data)
    plain = EIGClassifier().fit(data.X, data.likeliest())
    np.testing.assert_array_equal(model.impute(data.X), plain.impute(data.X))


def test_a_soft_tree_and_evidence_are_not_what_it_needs():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=r"leaves is 'median'.*choose one of"):
        UncertainDataTreeClassifier(leaves="median").fit(X, y)
    with pytest.raises(InputError, match="no table of numbers"):
        UncertainDataTreeClassifier().fit(EvidentialData.from_gamma(X, y), y)
