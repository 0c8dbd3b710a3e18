"""Each estimator inside those of scikit-learn that call it: what they should score, not only run.

Bounds are a few points below what was measured with these seeds; a learner that is given weights it
cannot use, or probabilities of the wrong class, falls far below them.
"""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.class_weight import compute_sample_weight

import hedgerow
from hedgerow.errors import HedgerowWarning, InputError

#: Learners with what makes them quick here; two tests on a path.
SMALL = {
    "c45": hedgerow.C45Classifier(max_depth=2),
    "ss": hedgerow.SoftTreeClassifier(search=0.1, max_depth=2),
    "stp": hedgerow.SoftTreeClassifier(propagation=0.05, max_depth=2),
    "se": hedgerow.SoftTreeClassifier(evaluation=0.05, max_depth=2),
    "plt": hedgerow.ProbabilisticThresholdClassifier(max_depth=2),
    "udt": hedgerow.UncertainTreeClassifier(width=0.05, n_points=10, max_depth=2),
    "eig": hedgerow.EIGClassifier(max_depth=2),
    "doubt": hedgerow.UncertainDataTreeClassifier(max_depth=2),
    "uct": hedgerow.UCTTreeClassifier(n_iterations=300, max_depth=2, random_state=0),
    "ete": hedgerow.EvolutionaryTreeClassifier(
        population_size=16, n_generations=30, max_depth=2, random_state=0
    ),
    "optimal": hedgerow.OptimalTreeClassifier(max_depth=2),
    "e2m": hedgerow.EvidentialTreeClassifier(max_leaves=4, prune=False),
}
#: It is put around a learner, whose parameters these are.
NOT_ASKED = {"ConfDTreeClassifier"}
#: E2M stops by numbers of leaves and by gains, whatever the rows weigh; the best tree has a depth.
E2M, OPTIMAL = "e2m", "optimal"
each = pytest.mark.parametrize("name", SMALL)
each_of_c45s = pytest.mark.parametrize(
    "name", [name for name in SMALL if name not in (E2M, OPTIMAL)]
)
# A power of 2, so that nothing is rounded.
SCALE = 2.0**-12


def limits(name, *most):
    """The parameter that limits the size of a tree, with its values; None: no depth."""
    if name == E2M:
        return "max_leaves", [10 if depth is None else 2**depth for depth in most]
    if name == OPTIMAL:
        most = [2 if depth is None else min(depth, 2) for depth in most]
    return "max_depth", list(most)


def unlimited(name, **settings):
    limit, (most,) = limits(name, None)
    return clone(SMALL[name]).set_params(**{limit: most}, **settings)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def alone(cancer):
    """Accuracy of each learner by itself on the test rows."""
    train, test, y, y_test = cancer
    return {name: clone(m).fit(train, y).score(test, y_test) for name, m in SMALL.items()}


def test_no_learner_is_forgotten():
    kinds = {type(model).__name__ for model in SMALL.values()}
    exported = {name for name in hedgerow.__all__ if name.endswith("Classifier")}
    assert kinds == exported - NOT_ASKED


# ------------------------------------------------------------------ what meta-estimators score


@each
def test_boosting(name, cancer, alone):
    """It scored .63, the share of the larger class: weights with the sum 1 split nothing."""
    train, test, y, y_test = cancer
    with warnings.catch_warnings():
        warnings.simplefilter("error", HedgerowWarning)
        # E2M takes a second for a tree.
        n = 12 if name == E2M else 40
        boosted = AdaBoostClassifier(clone(SMALL[name]), n_estimators=n, random_state=0)
        boosted.fit(train, y)
    # Boosting ends earlier where a tree does no better than chance on the weighted rows.
    assert len(boosted.estimators_) >= 5
    assert np.median([tree.get_n_leaves() for tree in boosted.estimators_]) > 1
    score = boosted.score(test, y_test)
    assert score >= 0.94
    assert score >= alone[name] + 0.015


@each_of_c45s
def test_boosting_with_counts_is_told_about(name, cancer):
    train, test, y, y_test = cancer
    model = clone(SMALL[name]).set_params(weights="counts")
    boosted = AdaBoostClassifier(model, n_estimators=3, random_state=0)
    with pytest.warns(HedgerowWarning, match=r"add up to 1, .*min_samples_split.*'relative'"):
        boosted.fit(train, y)
    assert boosted.score(test, y_test) == pytest.approx(np.mean(y_test), abs=1e-12)


@each
def test_bagging(name, cancer, alone):
    """Weights of bagging are counts of rows."""
    train, test, y, y_test = cancer
    model = unlimited(name)
    n = 8 if name == E2M else 20
    bag = BaggingClassifier(model, n_estimators=n, random_state=0).fit(train, y)
    score = bag.score(test, y_test)
    assert score >= 0.93
    assert score >= model.fit(train, y).score(test, y_test) - 0.01


@each
def test_stacking(name, cancer, alone):
    train, test, y, y_test = cancer
    parts = [("tree", clone(SMALL[name])), ("bayes", GaussianNB())]
    stack = StackingClassifier(parts, LogisticRegression(C=10.0), cv=3).fit(train, y)
    assert stack.score(test, y_test) >= 0.92
    assert stack.score(test, y_test) >= alone[name]
    # The second column is the probability of the second class, the benign one: it speaks for it.
    assert stack.final_estimator_.coef_[0, 0] > 0


@each
def test_calibration(name, cancer):
    """Probabilities of trees that fit their rows lose less after it, and hardly more otherwise."""
    train, test, y, y_test = cancer
    model = unlimited(name)
    raw = log_loss(y_test, clone(model).fit(train, y).predict_proba(test))
    calibrated = CalibratedClassifierCV(model, cv=3, ensemble=False).fit(train, y)
    loss = log_loss(y_test, calibrated.predict_proba(test))
    assert loss <= min(0.3, raw + 0.02)
    assert calibrated.score(test, y_test) >= 0.9


@each
def test_calibration_with_relative_weights(name, cancer):
    """Weights reach the tree and the calibration: a class of a tenth of the weight is rarer."""
    train, test, y, _ = cancer
    weight = np.where(y == 1, 0.1, 1.0) / len(y)
    model = clone(SMALL[name]).set_params(weights="relative")
    probability = [
        CalibratedClassifierCV(clone(model), cv=3).fit(train, y, w).predict_proba(test)[:, 1].mean()
        for w in (None, weight)
    ]
    assert probability[1] < probability[0] - 0.05


@each
def test_grid_search(name, cancer):
    train, test, y, y_test = cancer
    price = {"ete": "alpha", E2M: "min_gain", OPTIMAL: "leaf_penalty"}.get(name, "confidence")
    limit, most = limits(name, 0, 3)
    grid = {limit: most, price: [0.01, 0.25], "weights": ["counts", "relative"]}
    search = GridSearchCV(clone(SMALL[name]), grid, cv=3).fit(train, y)
    assert search.best_params_[limit] == most[1]
    assert search.best_score_ >= 0.9
    assert search.score(test, y_test) >= 0.9
    again = clone(SMALL[name]).set_params(**search.best_params_)
    assert cross_val_score(again, train, y, cv=3).mean() == pytest.approx(search.best_score_)
    table = search.cv_results_
    scores = {w: table["mean_test_score"][table["param_weights"] == w] for w in grid["weights"]}
    # Without weights there is nothing to scale.
    np.testing.assert_array_equal(scores["counts"], scores["relative"])


# ------------------------------------------------------------------ what weights mean


@each
def test_relative_weights_have_no_unit(name):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 3.0, len(y))
    model = unlimited(name, weights="relative")
    tree = clone(model).fit(X, y, sample_weight=weight).tree_
    assert tree == clone(model).fit(X, y, sample_weight=weight * SCALE).tree_
    counts = clone(model).set_params(weights="counts")
    assert (
        tree
        == counts.fit(
            X, y, sample_weight=weight / weight.max() * (150 / np.sum(weight / weight.max()))
        ).tree_
    )
    assert tree.n_leaves > 2


@each
@pytest.mark.parametrize("value", [1 / 150, 1 / 3, 1e-300, 1e300])
def test_equal_relative_weights_are_none(name, value):
    X, y = load_iris(return_X_y=True)
    model = clone(SMALL[name]).set_params(weights="relative")
    weighted = clone(model).fit(X, y, sample_weight=np.full(150, value))
    assert weighted.tree_ == clone(model).fit(X, y).tree_


@each
def test_rows_of_relative_weight_0_are_as_if_absent(name):
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) % 3, 0.01, 0.0)
    model = clone(SMALL[name]).set_params(weights="relative")
    kept = weight > 0
    assert (
        clone(model).fit(X, y, sample_weight=weight).tree_
        == clone(model).fit(X[kept], y[kept]).tree_
    )


def test_the_root_holds_as_much_weight_as_there_are_rows():
    X, y = load_iris(return_X_y=True)
    model = hedgerow.C45Classifier(weights="relative").fit(X, y, np.where(y == 0, 0.02, 0.01))
    np.testing.assert_allclose(model.tree_.class_weight[0], [75, 37.5, 37.5], rtol=1e-12)


@pytest.mark.parametrize(
    ("total", "settings", "told"),
    [
        (3.9, {"weights": "counts"}, True),
        (4.0, {"weights": "counts"}, False),
        (3.9, {"weights": "counts", "min_samples_split": 2}, False),
        (149.0, {"weights": "counts", "min_samples_split": 150}, True),
        (0.5, {"weights": "relative"}, False),
        (0.5, {}, False),
    ],
)
def test_when_too_little_weight_is_told(total, settings, told):
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = hedgerow.C45Classifier(prune=False, **settings).fit(X, y, np.full(150, total / 150))
    assert [w.category for w in caught] == [HedgerowWarning] * told
    assert all(w.filename == __file__ for w in caught)
    assert (model.get_n_leaves() == 1) == told


def test_too_few_rows_are_not_a_matter_of_weights():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for weight in (None, np.ones(3)):
            hedgerow.C45Classifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1], weight)


@pytest.mark.parametrize(
    ("total", "meant"),
    [(1.0, "relative"), (3.9, "relative"), (4.0, "counts"), (75.0, "counts"), (600.0, "counts")],
)
def test_the_sum_says_how_weights_are_meant(total, meant):
    """AdaBoost, whose weights add up to 1, scored .399 on wine, the share of the largest class."""
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(1).uniform(1, 2, len(y))
    weight *= total / weight.sum()
    trees = [
        hedgerow.C45Classifier(**given).fit(X, y, weight).tree_
        for given in ({}, {"weights": meant})
    ]
    assert trees[0] == trees[1]
    other = {"relative": "counts", "counts": "relative"}[meant]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HedgerowWarning)
        assert hedgerow.C45Classifier(weights=other).fit(X, y, weight).tree_ != trees[0]


# ------------------------------------------------------------------ weights of classes


@each_of_c45s
def test_weights_of_classes_are_weights_of_rows(name):
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[np.where(np.arange(150) % 5 == 0, 0, y)]
    # Minima count rows, not these weights: they are left out here.
    free = {"min_samples_split": 0, "min_samples_leaf": 0, "weights": "counts"}
    model = clone(SMALL[name]).set_params(max_depth=3, **free)
    for given in ("balanced", {"a": 3.0, "b": 1.0, "c": 0.5}):
        row = compute_sample_weight(given, y)
        weighted = clone(model).set_params(class_weight=given)
        assert clone(weighted).fit(X, y).tree_ == clone(model).fit(X, y, sample_weight=row).tree_
        own = np.random.default_rng(2).uniform(1, 2, 150)
        both = clone(weighted).fit(X, y, sample_weight=own).tree_
        assert both == clone(model).fit(X, y, sample_weight=own * row).tree_
    assert clone(weighted).fit(X, y).tree_ != clone(model).fit(X, y).tree_


@each_of_c45s
def test_minima_count_rows_whatever_classes_weigh(name):
    """Minima were compared with weights times `class_weight`: "balanced" gave leaves of too few
    rows of a rare class, and weights of 1024 for every class switched the minima off."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(5, 1, (240, 3)).round(1), (rng.random(240) < 0.12).astype(int)
    y[X[:, 0] > 6.2] = 1
    X[rng.random(X.shape) < 0.1] = np.nan
    hard = {"min_samples_leaf": 7, "min_samples_split": 20, "max_depth": 5, "weights": "counts"}
    if "prune" in SMALL[name].get_params():
        hard["prune"] = False
    model = clone(SMALL[name]).set_params(**hard)
    for own in (None, rng.uniform(0.5, 2, 240)):
        few = clone(model).set_params(class_weight="balanced").fit(X, y, sample_weight=own)
        counted = few.tree_.class_weight * np.bincount(y) * 2 / len(y)
        assert few.tree_.n_leaves > 1
        np.testing.assert_array_less(7 - 1e-9, counted.sum(axis=1))
        plain = clone(model).fit(X, y, sample_weight=own).tree_
        for factor in (1024.0, SCALE) if name != "uct" else ():  # it prunes, by weights
            both = clone(model).set_params(class_weight={0: factor, 1: factor})
            tree = both.fit(X, y, sample_weight=own).tree_
            np.testing.assert_array_equal(tree.class_weight, plain.class_weight * factor)
            np.testing.assert_array_equal(tree.threshold, plain.threshold)


@pytest.mark.parametrize("given", ["balance", {"a": 0.0, "b": 1.0}, {"a": -1.0, "b": 1.0}, 3])
def test_other_weights_of_classes_are_refused(given):
    with pytest.raises(InputError, match=r"class_weight is .*; give"):
        hedgerow.C45Classifier(class_weight=given).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])


@each
@pytest.mark.parametrize("value", ["count", None, 1])
def test_other_meanings_of_weights_are_refused(name, value):
    model = clone(SMALL[name]).set_params(weights=value)
    with pytest.raises(InputError, match=r"weights is .*'auto', 'counts', 'relative'"):
        model.fit([[0.0], [1.0]], [0, 1])
