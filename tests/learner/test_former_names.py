"""Names that changed: the former ones stand for the new ones and warn, for one release."""

import numpy as np
import pytest

import hedgerow
from hedgerow.errors import HedgerowWarning

X = np.arange(40.0)[:, None]
Y = (X[:, 0] > 20).astype(int)


def test_the_former_name_of_a_class_warns_and_gives_the_class():
    with pytest.warns(HedgerowWarning, match="UncertainDataTreeClassifier"):
        former = hedgerow.DoubtTreeClassifier
    assert former is hedgerow.UncertainDataTreeClassifier
    assert "DoubtTreeClassifier" not in dir(hedgerow)


def test_the_former_name_of_a_parameter_warns_and_is_used():
    with pytest.warns(HedgerowWarning, match="leaf_penalty"):
        former = hedgerow.OptimalTreeClassifier(max_depth=1, leaf_price=0.6).fit(X, Y)
    new = hedgerow.OptimalTreeClassifier(max_depth=1, leaf_penalty=0.6).fit(X, Y)
    assert former.tree_ == new.tree_ and new.tree_.n_leaves == 1
