"""ConfDTree against the plain reference, on random tables and trees of every kind."""

import dataclasses
import pickle

import numpy as np
import pytest
from effort import draws, examples
from hypothesis import given
from oracle.confidence import Doubting, hard, soft
from oracle.random_trees import random_table, seeds
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import hedgerow
from hedgerow import C45Classifier, ConfDTreeClassifier, SoftTreeClassifier, Tree
from hedgerow.confidence.intervals import NodeCounts, Rules, count, intervals
from hedgerow.tree.gates import NoiseGate


def settings_of(model):
    return {f.name: getattr(model, f.name) for f in dataclasses.fields(Rules)}


def expected(model, X, y, table, weight=None, share=hard, smoothing=False):
    """What the reference predicts for the rows of `table`."""
    weight = np.ones(len(y)) if weight is None else weight
    codes = np.searchsorted(model.classes_, y)
    kept = weight > 0
    reference = Doubting(
        model.tree_, X[kept], codes[kept], weight[kept], share, smoothing, **settings_of(model)
    )
    return np.array([reference.predict(row) for row in table])


def drawn_settings(rng):
    """Settings that doubt often, so that every branch of the algorithms is met."""
    return {
        "method": str(rng.choice(["norm", "tdist", "comb"])),
        "min_instances": int(rng.choice([2, 3, 5])),
        "too_few": str(rng.choice(["class", "node"])),
        "normal_width": float(rng.choice([0.5, 1.0, 2.0])),
        "normal_width_other": float(rng.choice([0.5, 1.0, 2.5])),
        "t_alpha": float(rng.choice([0.005, 0.1, 0.5])),
        "t_alpha_other": float(rng.choice([0.01, 0.1, 0.5])),
        "normality_alpha": float(rng.choice([0.05, 0.5])),
        "fine": float(rng.choice([0.1, 0.3, 1.0])),
        "routes": bool(rng.random() < 0.8),
        "fines": bool(rng.random() < 0.8),
        "categorical": bool(rng.random() < 0.5),
        "category_alpha": float(rng.choice([0.05, 0.3])),
    }


def case(seed):
    """A random table, rows to be predicted, weights, settings and the tree's parameters."""
    rng = np.random.default_rng([seed, 7])
    X, y, _, _, n_categories = random_table(seed)
    weight = None if rng.random() < 0.5 else rng.integers(0, 4, len(y)).astype(float)
    if weight is not None and not weight.any():
        weight[0] = 1.0
    new = X + rng.normal(0.0, 1.0, X.shape) * (n_categories == 0)
    new[rng.random(new.shape) < 0.05] = np.nan
    for j in np.flatnonzero(n_categories):
        new[rng.random(len(new)) < 0.1, j] = n_categories[j] + 1  # seen by nobody
    grown = {
        "prune": bool(rng.random() < 0.3),
        "min_samples_split": 2,
        "smoothing": bool(rng.random() < 0.3),
        "categorical_features": [int(j) for j in np.flatnonzero(n_categories)] or None,
    }
    return rng, X, y, weight, new, drawn_settings(rng), grown


@given(seed=seeds)
@examples(400)
def test_hard_trees(seed):
    _, X, y, weight, new, settings, grown = case(seed)
    model = ConfDTreeClassifier(C45Classifier(**grown), **settings).fit(X, y, weight)
    want = expected(model, X, y, new, weight, smoothing=grown["smoothing"])
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-12)


@pytest.mark.parametrize("seed", draws(40, least=8))
def test_many_classes(seed):
    """So many have intervals at a node that what they foresee is laid out piece by piece."""
    rng = np.random.default_rng([seed, 11])
    n, K = 240, int(rng.integers(5, 12))
    y = rng.integers(0, K, n)
    X = rng.normal(y[:, None] * rng.normal(size=3), 2.0)
    new = X + rng.normal(0.0, 2.0, X.shape)
    new[rng.random(new.shape) < 0.05] = np.nan
    settings = drawn_settings(rng) | {"min_instances": 2, "routes": True}
    narrow, wide = (0.5, 1.0) if seed % 2 else (2.5, 0.5)
    settings |= {"normal_width": wide, "normal_width_other": narrow}
    tree = C45Classifier(prune=False, max_depth=5, smoothing=True)
    model = ConfDTreeClassifier(tree, **settings).fit(X, y)
    want = expected(model, X, y, new, smoothing=True)
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-12)


@pytest.mark.parametrize("K", [3, 5, 9])
def test_values_at_the_ends_of_intervals(K):
    """One test, K classes with intervals in whole numbers, every half of them asked by hand."""
    rng = np.random.default_rng(K)
    y = np.repeat(np.arange(K), 10)
    X = rng.normal(y, 0.5)[:, None]
    model = ConfDTreeClassifier(C45Classifier(max_depth=1, prune=False), min_instances=2).fit(X, y)
    tree, own = model.tree_, np.full((3, K, 2), np.nan)
    own[0] = np.arange(K)[:, None] + np.array([0.0, 4.0])
    other = own + np.array([1.0, -1.0])
    found = dataclasses.replace(model.get_intervals(), assigned_interval=own, other=other)
    rules = Rules(min_instances=2)
    asked = np.arange(-1.0, K + 5.0, 0.5)[:, None]
    got = found.correction(tree, 1, False, rules).predict(asked)
    p, weight = tree.probabilities(), tree.class_weight
    for x, row in zip(asked[:, 0], got, strict=True):
        said = p[1 if x < tree.threshold[0] else 2].copy()
        c = int(said.argmax())
        foreseen = [k for k in range(K) if k != c and other[0, k, 0] <= x <= other[0, k, 1]]
        if not own[0, c, 0] <= x <= own[0, c, 1]:
            if foreseen:
                left, right = (
                    sum(weight[node, k] ** 1.5 / weight[node].sum() for k in foreseen)
                    for node in (1, 2)
                )
                said = (left * p[1] + right * p[2]) / (left + right)
            else:
                fine = 0.1 * said[c]
                said += fine / (K - 1)
                said[c] -= fine + fine / (K - 1)
        np.testing.assert_allclose(row, said, atol=1e-12, err_msg=f"x = {x}")


@given(seed=seeds)
@examples(100)
def test_soft_trees(seed):
    rng, X, y, weight, new, settings, grown = case(seed)
    if rng.random() < 0.5:
        kind = SoftTreeClassifier(evaluation=0.2, propagation=0.1, error_unit="sd", **grown)
    else:
        kind = hedgerow.ProbabilisticThresholdClassifier(**grown)
    model = ConfDTreeClassifier(kind, **settings).fit(X, y, weight)
    share = hard if model.tree_.gate is None else soft
    if model.tree_.gate is not None and not model.tree_.gate.soft:
        share = hard
    want = expected(model, X, y, new, weight, share, grown["smoothing"])
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-9)


TOGETHER = [
    C45Classifier(prune=False, categorical_features=[0]),
    SoftTreeClassifier(evaluation=0.2, propagation=0.1, error_unit="sd", prune=False),
    SoftTreeClassifier(evaluation=stats.laplace(scale=0.4), prune=False),
    DecisionTreeClassifier(random_state=0),
]


@pytest.mark.parametrize("base", TOGETHER, ids=["hard", "soft", "asked", "scikit-learn"])
def test_rows_say_together_what_they_say_alone(base):
    """More rows than go by the nodes together, some with missing values, in any order in memory."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 6, 400)
    X = rng.normal(y[:, None] * [0.0, 1.0, -0.5], 1.5)
    X[:, 0] = rng.integers(0, 4, 400)
    model = ConfDTreeClassifier(base, min_instances=3, categorical=True).fit(X, y)
    new = X[rng.integers(0, 400, 9000)] + rng.normal(0.0, 1.0, (9000, 3)) * [0.0, 1.0, 1.0]
    new[rng.random(new.shape) < 0.1] = np.nan
    got = model.predict_proba(new)
    wide = np.full((18000, 7), 99.0)
    wide[::-2, 1::2] = new
    for table in (np.asfortranarray(new), wide[::-2, 1::2]):
        np.testing.assert_array_equal(model.predict_proba(table), got)
    for some in (slice(0, 1), slice(4090, 4110), slice(8190, 9000)):
        np.testing.assert_array_equal(model.predict_proba(new[some]), got[some])
    for row in (0, 4095, 4096, 8999):
        np.testing.assert_array_equal(model.revisions(new[row]).after, got[row])


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_a_chain_of_thousands_of_tests(kind):
    """Each row may need a room at every depth; class 2 stands apart at each test of the chain."""
    n, K = 3000, 4
    size = 2 * n + 1
    tests = np.arange(0, size - 1, 2)
    left, right, parent = (np.full(size, -1) for _ in range(3))
    left[tests], right[tests] = tests + 1, tests + 2
    parent[tests + 1] = parent[tests + 2] = tests
    feature, threshold, share = np.full(size, -1), np.full(size, np.nan), np.full(size, np.nan)
    feature[tests], threshold[tests], share[tests] = 0, np.arange(n), 0.5
    weight = np.ones((size, K)) * [40.0, 30.0, 20.0, 10.0]
    weight[tests + 1] = [[0.0, 1.0, 0.0, 0.0]]
    gate = NoiseGate(np.array([40.0])) if kind == "soft" else None
    tree = Tree(feature, threshold, left, right, parent, share, weight, classes=list("abcd"),
                gate=gate)  # fmt: skip
    place = np.full(size, -1, dtype=np.int32)
    count = np.full((size, K), 30.0)
    mean = np.full((size, K), -1e6)
    mean[:, 2] = threshold
    counted = NodeCounts(count, mean, np.full((size, K), 1e3), count, weight, place,
                      np.zeros((0, K, 0)))  # fmt: skip
    rules = Rules(method="tdist")
    found = intervals(tree, counted, rules)
    asked = np.linspace(-10.0, n + 10.0, 500)[:, None]
    got = found.correction(tree, 1, False, rules).predict(asked)
    np.testing.assert_allclose(got.sum(axis=1), 1.0, atol=1e-9)
    for row in (0, 250, 499):
        alone = found.correction(tree, 1, False, rules).predict(asked[row : row + 1])
        np.testing.assert_array_equal(alone, got[row : row + 1])
    assert abs(got - tree.predict_proba(asked)).max() > 0.01


@pytest.mark.parametrize("seed", draws(60, least=6))
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_trees_of_scikit_learn(kind, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(4.0, 2.0, (70, 3)), rng.integers(0, 3, 70)
    if kind is DecisionTreeClassifier:
        X[rng.random(X.shape) < 0.1] = np.nan
    new = X + rng.normal(0, 1, X.shape)
    settings = drawn_settings(rng) | {"smoothing": True}
    model = ConfDTreeClassifier(kind(random_state=0, max_depth=6), **settings).fit(X, y)
    as_read = [t.astype(np.float32).astype(float) for t in (X, new)]
    want = expected(model, as_read[0], y, as_read[1], smoothing=True)
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-12)


@pytest.mark.parametrize("seed", draws(30, least=4))
def test_statistics_are_those_of_annotate(seed):
    """Where weights are 1, and of tests on numbers."""
    X, y, _, _, n_categories = random_table(seed)
    named = [int(j) for j in np.flatnonzero(n_categories)] or None
    tree = C45Classifier(prune=False, categorical_features=named).fit(X, y).tree_
    codes = np.searchsorted(tree.classes, y)
    ours = count(tree, X, codes, np.ones(len(y)), Rules(min_instances=2))
    theirs = NodeCounts.of_annotated(tree.annotate(X, y))
    numeric = (tree.feature >= 0) & ~tree.is_categorical()
    np.testing.assert_allclose(ours.class_weight, theirs.class_weight, atol=1e-12)
    for name in ("n", "mean", "sd"):
        one, two = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(one[numeric], two[numeric], rtol=1e-9, atol=1e-12)
    enough = numeric[:, None] & (theirs.n >= 2)
    np.testing.assert_allclose(
        ours.normality_p[enough], theirs.normality_p[enough], rtol=1e-7, equal_nan=True
    )


def corrected(tree, table, codes, counts, rules):
    """One tree of an ensemble, corrected by the rows that were drawn for it."""
    kept = counts > 0
    found = intervals(tree, count(tree, table[kept], codes[kept], counts[kept], rules), rules)
    return lambda new: found.correction(tree, table.shape[1], False, rules).predict(new)


def bits(X):
    return X.astype(np.float32).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_forests_are_the_mean_of_their_trees(kind, weighted):
    X, y = load_wine(return_X_y=True)
    y = np.array(["c", "a", "b"])[y]
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = ConfDTreeClassifier(kind(4, max_depth=4, bootstrap=True, random_state=0))
    model.fit(X, y, weight if weighted else None)
    codes = np.searchsorted(model.classes_, y)
    total = 0.0
    for tree, rows in zip(model.trees_, model.estimator_.estimators_samples_, strict=True):
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        # Newer versions draw rows by their weight, older ones weigh the rows drawn.
        if tree.class_weight[0].sum() != pytest.approx(counts.sum()):
            counts *= weight
        assert tree.class_weight[0].sum() == pytest.approx(counts.sum())
        total = total + corrected(tree, bits(X), codes, counts, Rules())(bits(X))
    np.testing.assert_allclose(model.predict_proba(X), total / 4, atol=1e-12)
    assert abs(model.predict_proba(X) - model.estimator_.predict_proba(X)).max() > 0.01


@pytest.mark.parametrize("base", [None, C45Classifier(), DecisionTreeClassifier(max_depth=3)])
def test_bagged_trees_on_some_columns(base):
    X, y = load_wine(return_X_y=True)
    bag = BaggingClassifier(base, 5, max_features=0.4, max_samples=0.5, random_state=0)
    model = ConfDTreeClassifier(bag).fit(X, y)
    total = np.zeros((len(y), 3))
    fitted = model.estimator_
    for tree, columns, rows in zip(
        model.trees_, fitted.estimators_features_, fitted.estimators_samples_, strict=True
    ):
        table = X[:, columns] if isinstance(base, C45Classifier) else bits(X[:, columns])
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        total += corrected(tree, table, y, counts, Rules())(table)
    np.testing.assert_allclose(model.predict_proba(X), total / 5, atol=1e-12)


def test_a_bag_whose_trees_miss_a_class():
    """A class that was not drawn is none of the tree's, and its rows do not count there."""
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:50, 50:100, 100:103]
    bag = BaggingClassifier(C45Classifier(), 8, max_samples=0.2, random_state=0)
    for estimator in (bag, FrozenEstimator(bag.fit(X[few], y[few]))):
        model = ConfDTreeClassifier(estimator, routes=False, fines=False).fit(X[few], y[few])
        assert min(tree.n_classes for tree in model.trees_) == 2
        np.testing.assert_allclose(
            model.predict_proba(X), model.estimator_.predict_proba(X), atol=1e-12
        )
        assert ConfDTreeClassifier(estimator).fit(X[few], y[few]).score(X[few], y[few]) > 0.9


BASES = [
    C45Classifier(),
    C45Classifier(prune=False, smoothing=True),
    SoftTreeClassifier(search=0.1),
    SoftTreeClassifier(propagation=0.1),
    SoftTreeClassifier(evaluation=0.1),
    SoftTreeClassifier(propagation=0.1, evaluation=0.1),
    hedgerow.ProbabilisticThresholdClassifier(),
    hedgerow.UncertainTreeClassifier(),
    hedgerow.UCTTreeClassifier(n_iterations=200, random_state=0),
    hedgerow.EvolutionaryTreeClassifier(n_generations=20, random_state=0),
    hedgerow.EvidentialTreeClassifier(random_state=0),
    DecisionTreeClassifier(random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(5, random_state=0),
    ExtraTreesClassifier(5, random_state=0),
    BaggingClassifier(C45Classifier(), 5, random_state=0),
    BaggingClassifier(SoftTreeClassifier(evaluation=0.1), 3, random_state=0),
]


@pytest.mark.parametrize("base", BASES, ids=lambda base: repr(base)[:60])
def test_without_a_doubt_it_is_the_tree(base):
    """Also where values are missing, and frozen as well as fitted here."""
    X, y = load_wine(return_X_y=True)
    y = np.array(["b", "c", "a"])[y]
    model = ConfDTreeClassifier(base, routes=False, fines=False).fit(X, y)
    want = model.estimator_.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), want, atol=1e-15, rtol=1e-15)
    frozen = ConfDTreeClassifier(FrozenEstimator(model.estimator_)).fit(X, y)
    assert frozen.estimator_ is model.estimator_
    doubting = ConfDTreeClassifier(base).fit(X, y)
    if not hasattr(base, "n_estimators"):
        np.testing.assert_array_equal(frozen.predict_proba(X), doubting.predict_proba(X))
    assert doubting.score(X, y) > 0.9
    np.testing.assert_allclose(doubting.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)
    assert abs(doubting.predict_proba(X) - want).max() > 1e-3
    again = pickle.loads(pickle.dumps(doubting))
    np.testing.assert_array_equal(again.predict_proba(X), doubting.predict_proba(X))


def test_hard_trees_without_a_doubt_are_the_same_to_the_bit():
    X, y = load_wine(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = ConfDTreeClassifier(C45Classifier(prune=False), normal_width=1e9, t_alpha=0.0)
    model.fit(X, y)
    known = X[~np.isnan(X).any(axis=1)]
    want = model.estimator_.predict_proba(known)
    np.testing.assert_array_equal(model.predict_proba(known), want)
    np.testing.assert_allclose(
        model.predict_proba(X), model.estimator_.predict_proba(X), atol=1e-15, rtol=1e-15
    )
