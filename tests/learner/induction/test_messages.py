"""Typical mistakes of users: each message names the mistake, its place and the remedy."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_iris

from hedgerow import C45Classifier, Uncertain
from hedgerow.errors import InputError
from hedgerow.structure import TreeEditDistance

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("criterion", ["entropy", "log_loss"])
def test_criteria_of_scikit_learn_are_translated(criterion):
    """The message listed our names alone, and `information_gain` is what entropy gives."""
    with pytest.raises(InputError, match="use 'information_gain', as it is called here"):
        C45Classifier(criterion=criterion).fit(X, y)


@pytest.mark.parametrize("depth", [-1, 2.5])
def test_a_depth_may_be_none(depth):
    """A depth of -1 was to be "at least 0 and at most 9.22337e+18"."""
    with pytest.raises(InputError, match=r"give a whole number( of at least 0)?, or None$"):
        C45Classifier(max_depth=depth).fit(X, y)


def test_text_in_a_list_is_named_with_its_place():
    """It was `could not convert string to float: 'a'`, without a column."""
    with pytest.raises(InputError, match=r"column 1 of X holds text \('a' in row 1\), not numbers"):
        C45Classifier().fit([[1, 2], [3, "a"]], [0, 1])
    for other in ([1, "a"], ["a", "b"], [[1, "a"], [2]]):
        with pytest.raises(ValueError, match=r"could not convert|inhomogeneous|setting an array"):
            C45Classifier().fit(other, [0, 1])


def test_trees_are_not_what_an_edit_distance_is_fitted_to():
    """`fit([t1, t2])` was a TypeError about a missing y."""
    tree = C45Classifier().fit(X, y).tree_
    for trees in ([tree, tree], tree):
        with pytest.raises(InputError, match=r"X holds trees, .* then distance\(t1, t2\)"):
            TreeEditDistance().fit(trees)


def test_a_misspelt_keyword_names_the_parameter():
    """`errors=` was an unexpected keyword argument, and no parameter was named."""
    model = C45Classifier().fit(X, y)
    for explain in (model.explain, model.tree_.explain):
        with pytest.raises(TypeError, match="no parameter 'errors'; did you mean `error`"):
            explain(X[0], errors=0.1)
    with pytest.raises(TypeError, match="no parameter 'eror'; did you mean `error`"):
        Uncertain(X, eror=0.1)
    with pytest.raises(TypeError, match="no parameter 'x'; it takes X, error, y_plausibility"):
        Uncertain(x=X)
