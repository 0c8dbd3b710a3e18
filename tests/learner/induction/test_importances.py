"""Importances of variables follow the criterion of the learner."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier, ConfDTreeClassifier, OptimalTreeClassifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree


@pytest.mark.parametrize("criterion", ["information_gain", "gini"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_they_are_those_of_scikit_learn_for_the_same_structure(load, criterion):
    """Of a Gini tree they were gains of entropy."""
    X, y = load(return_X_y=True)
    model = C45Classifier(criterion=criterion, candidates="midpoints").fit(X, y)
    theirs = model.to_sklearn().tree_
    if criterion == "information_gain":  # the nodes of `to_sklearn` have the Gini index
        state = theirs.__getstate__()
        state["nodes"]["impurity"] = entropy(model.tree_.probabilities(), base=2, axis=1)
        theirs.__setstate__(state)
    np.testing.assert_allclose(
        model.feature_importances_, theirs.compute_feature_importances(), atol=1e-12
    )


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(random_state=0),
        DecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0),
        DecisionTreeClassifier(criterion="log_loss", max_depth=1, random_state=0),
        RandomForestClassifier(5, random_state=0),
    ],
    ids=repr,
)
def test_trees_of_scikit_learn_that_are_corrected_keep_their_importances(estimator):
    """Entropy was used whatever the criterion of the tree that ConfDTree corrects."""
    model = ConfDTreeClassifier(estimator).fit(*load_wine(return_X_y=True))
    np.testing.assert_allclose(
        model.feature_importances_, model.estimator_.feature_importances_, atol=1e-9
    )


def test_an_optimal_tree_follows_its_objective():
    X, y = load_iris(return_X_y=True)
    for objective, impurity in (("errors", "errors"), ("log_loss", "entropy"), ("gini", "gini")):
        model = OptimalTreeClassifier(max_depth=2, objective=objective).fit(X, y)
        expected = model.tree_.importances(4, impurity)
        np.testing.assert_array_equal(model.feature_importances_, expected)
        assert expected.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio"])
def test_a_criterion_without_an_impurity_uses_entropy(criterion):
    X, y = load_iris(return_X_y=True)
    model = C45Classifier(criterion=criterion).fit(X, y)
    np.testing.assert_array_equal(model.feature_importances_, model.tree_.importances(4))
    model = SoftTreeClassifier(error=0.05).fit(X, y)
    np.testing.assert_array_equal(model.feature_importances_, model.tree_.importances(4))


@pytest.mark.parametrize("impurity", ["entropy", "gini", "errors"])
def test_those_of_a_single_leaf_are_floats(impurity):
    """They were int64."""
    model = C45Classifier(max_depth=0, criterion="gini").fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    importances = model.tree_.importances(2, impurity)
    assert importances.dtype == model.feature_importances_.dtype == np.float64
    assert importances.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("impurity", ["entropy", "gini", "errors"])
def test_a_node_without_weight_lowers_nothing(impurity):
    leaf = [np.nan, np.nan]
    tree = Tree(
        [0, -1, 1, -1, -1],
        [1.0, np.nan, 2.0, *leaf],
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [-1, 0, 0, 2, 2],
        [1.0, np.nan, 0.5, *leaf],
        [[2, 1], [2, 1], [0, 0], [0, 0], [0, 0]],
    )
    assert tree.importances(2, impurity).tolist() == [0.0, 0.0]


def test_another_impurity_is_refused():
    tree = C45Classifier().fit([[1.0], [2.0]] * 4, [0, 1] * 4).tree_
    with pytest.raises(InputError, match="impurity is 'gain'"):
        tree.importances(1, "gain")
