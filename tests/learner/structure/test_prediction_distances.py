"""Distances of predictions against loops over equations 5.7 and 5.8."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.structure import class_prediction_distance, class_probability_distance
from hedgerow.structure import predictions as module


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.1] = np.nan
    models = []
    for depth in (1, 2, 4):
        rows = rng.integers(0, 150, 150)
        models.append(C45Classifier(prune=False, max_depth=depth).fit(X[rows], y[rows]))
    models.append(C45Classifier(max_depth=2).fit(X[:100], y[:100]))  # knows two classes only
    return X, models


def probabilities(model, X):
    found = np.zeros((len(X), 3))
    found[:, model.classes_] = model.predict_proba(X)
    return found


@pytest.mark.parametrize("block", [1 << 22, 40])
def test_equal_to_the_equations(fitted, block, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", block)
    X, models = fitted
    trees = [m.tree_ for m in models]
    kl = class_probability_distance(trees, X)
    share = class_prediction_distance(trees, X)
    for i, a in enumerate(models):
        for j, b in enumerate(models):
            p, q = probabilities(a, X), probabilities(b, X)
            total = 0.0
            for x in range(len(X)):
                for c in range(3):
                    if p[x, c] > 0:
                        total += p[x, c] * math.log(p[x, c] / (1e-5 / 3 + (1 - 1e-5) * q[x, c]))
            assert kl[i, j] == pytest.approx(total / len(X), rel=1e-9, abs=1e-12)
            assert share[i, j] == np.mean(a.predict(X) != b.predict(X))
    np.testing.assert_array_equal(share, share.T)
    np.testing.assert_array_equal(np.diag(share), 0)
    assert (np.diag(kl) < 1e-5).all() and (kl >= 0).all()
    np.testing.assert_allclose(class_probability_distance(trees[:2], X, trees[1:]), kl[:2, 1:])
    np.testing.assert_array_equal(class_prediction_distance(trees[:2], X, trees[1:]), share[:2, 1:])


def test_data_frames_with_categories():
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "green", "blue"], 90)
    y = (colour == "red").astype(int)
    models = []
    for labels in (["red", "green", "blue"], ["blue", "green", "red"]):
        X = pd.DataFrame({"colour": pd.Categorical(colour, categories=labels)})
        models.append(C45Classifier().fit(X, y))
    trees = [m.tree_ for m in models]
    assert class_prediction_distance(trees, X).max() == 0
    assert class_probability_distance(trees, X).max() < 1e-5


def test_two_models_by_their_probabilities(fitted):
    """The same number as for trees, whatever gave the probabilities."""
    X, models = fitted
    kl = class_probability_distance([m.tree_ for m in models], X)
    for i, a in enumerate(models):
        for j, b in enumerate(models):
            p, q = probabilities(a, X), probabilities(b, X)
            found = class_probability_distance(p, q)
            assert isinstance(found, float) and found == pytest.approx(kl[i, j], rel=1e-12)
    same = class_probability_distance(pd.DataFrame(p), q.astype(np.float32), epsilon=0.1)
    assert same == pytest.approx(class_probability_distance(p, q, epsilon=0.1), abs=1e-6)


def test_probabilities_by_hand():
    p, q = np.array([[0.8, 0.2], [0.0, 1.0]]), np.array([[0.5, 0.5], [1.0, 0.0]])
    smooth = [0.01 + 0.98 * 0.5, 0.01 + 0.98, 0.01]  # epsilon .02, two classes
    want = 0.8 * math.log(0.8 / smooth[0]) + 0.2 * math.log(0.2 / smooth[0])
    want += math.log(1 / smooth[2])
    assert class_probability_distance(p, q, epsilon=0.02) == pytest.approx(want / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("p", "q", "words"),
    [
        (np.array([0.5, 0.5]), np.array([[0.5, 0.5]]), r"p has shape \(2,\)"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "p has shape"),
        (np.array([[0.5, 0.5]]), np.array([[0.2, 0.3, 0.5]]), "and q"),
        (np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]] * 2), "and q"),
        (np.array([[1.5, -0.5]]), np.array([[0.5, 0.5]]), "p holds 1.5 in row 0"),
        (np.array([[0.5, 0.5]]), np.array([[0.5, np.nan]]), "q holds nan"),
        (np.array([[0.5, 0.5]] * 2), np.array([[0.5, 0.5], [0.2, 0.3]]), "row 1 of q adds up"),
        (np.array([[0.5, 0.5]]), "words", "q is no array"),
    ],
)
def test_what_are_no_probabilities(p, q, words):
    with pytest.raises(InputError, match=words):
        class_probability_distance(p, q)


def test_probabilities_have_no_others():
    p = np.array([[0.5, 0.5]])
    with pytest.raises(InputError, match="others"):
        class_probability_distance(p, p, p)


def test_bad_input(fitted):
    X, models = fitted
    tree = models[0].tree_
    with pytest.raises(InputError, match="the list of trees is empty"):
        class_prediction_distance([], X)
    with pytest.raises(InputError, match="trees is of type Tree"):
        class_prediction_distance(tree, X)
    with pytest.raises(InputError, match=r"Tree\.from_sklearn"):
        class_probability_distance([models[0]], X)
    with pytest.raises(InputError, match="X has shape"):
        class_prediction_distance([tree], X[:0])
    with pytest.raises(InputError, match="epsilon is 0"):
        class_probability_distance([tree], X, epsilon=0)
    with pytest.raises(InputError, match="variables"):
        class_prediction_distance([models[2].tree_], X[:, :1])
    with pytest.raises(InputError, match="do not name their classes"):
        class_prediction_distance([tree, tree.replace(classes=None)], X)


def test_tables_that_the_trees_cannot_read():
    """Labels of categories in an array were `could not convert string to float`."""
    frame = pd.DataFrame({"kind": pd.Categorical(list("aabb") * 5), "x": range(20)})
    y = (frame["kind"] == "a").astype(int)
    tree = C45Classifier().fit(frame, y).tree_
    other = C45Classifier().fit(frame[["x"]].to_numpy(), y % 2).tree_
    assert class_prediction_distance([tree], frame)[0, 0] == 0.0
    for trees, X, said in (
        ([tree], frame.to_numpy(), "no real number; give a data frame, or the codes of categories"),
        ([tree], [["a", 1.0]], "give a data frame, or the codes"),
        ([other], frame, "a tree has no names of variables"),
        ([tree], [[1], [1, 2]], r"X has shape \(2,\)"),
    ):
        for distance in (class_prediction_distance, class_probability_distance):
            with pytest.raises(InputError, match=said):
                distance(trees, X)
