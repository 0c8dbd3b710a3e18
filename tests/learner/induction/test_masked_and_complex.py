"""Masked arrays and complex numbers: what plain arrays make of them in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick import LEARNERS
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import C45Classifier, ConfDTreeClassifier, EvidentialData
from hedgerow.errors import InputError
from hedgerow.missing import MissingIncorporated
from hedgerow.structure import TreeEditDistance, class_prediction_distance
from hedgerow.survival import horizon_labels, logrank

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
HIDDEN = np.zeros(X.shape, dtype=bool)
HIDDEN[::4, 0] = True
MASKED = np.ma.array(np.where(HIDDEN, 99.0, X), mask=HIDDEN)
MISSING = np.where(HIDDEN, np.nan, X)
MASKED_Y = np.ma.array(Y, mask=[False] * 59 + [True])
MASKED_W = np.ma.array(np.ones(60), mask=[False] * 59 + [True])


@pytest.mark.parametrize("name", LEARNERS)
def test_masked_is_missing(name):
    """Trees were grown from the numbers under the mask."""
    model = getattr(hedgerow, name)(**LEARNERS[name])
    tree = model.fit(MISSING, Y).tree_
    assert model.fit(MASKED, Y).tree_ == tree
    np.testing.assert_array_equal(model.predict_proba(MASKED), model.predict_proba(MISSING))
    np.testing.assert_array_equal(tree.predict_proba(MASKED), tree.predict_proba(MISSING))
    unmasked = np.ma.array(X)
    assert (
        model.fit(unmasked, np.ma.array(Y), sample_weight=np.ma.array(np.ones(60))).tree_
        is not None
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_masked_classes_and_weights_are_refused(name):
    model = getattr(hedgerow, name)(**LEARNERS[name])
    with pytest.raises(InputError, match="y is masked in row 59; leave those rows out"):
        model.fit(X, MASKED_Y)
    with pytest.raises(InputError, match="sample_weight is masked in row 59"):
        model.fit(X, Y, sample_weight=MASKED_W)


def test_masked_whole_numbers_and_other_readers_of_tables():
    whole = np.ma.array(np.arange(12).reshape(6, 2), mask=[[0, 0]] * 5 + [[1, 0]])
    tree = C45Classifier(min_samples_split=2).fit(whole, [0, 0, 0, 1, 1, 1]).tree_
    assert tree.class_weight[0].sum() == 6
    frame = MissingIncorporated().fit(MASKED)
    np.testing.assert_array_equal(frame.incorporated_, [True, False, False])
    data, plain = (EvidentialData.from_gamma(table, Y) for table in (MASKED, MISSING))
    np.testing.assert_array_equal(data.low, plain.low)
    sklearn = ConfDTreeClassifier(DecisionTreeClassifier(max_depth=2, random_state=0))
    probabilities = sklearn.fit(MASKED, Y).predict_proba(MASKED)
    np.testing.assert_array_equal(probabilities, sklearn.fit(MISSING, Y).predict_proba(MISSING))
    tree = C45Classifier().fit(X, Y).tree_
    for refused in (
        lambda: sklearn.fit(X, MASKED_Y),
        lambda: tree.annotate(X, MASKED_Y),
        lambda: tree.annotate(X, Y, MASKED_W),
        lambda: TreeEditDistance("A1").fit(X, MASKED_Y),
        lambda: horizon_labels(np.ma.array(X[:, 0] ** 2, mask=HIDDEN[:, 0]), Y, 1.0),
        lambda: logrank(X[:, 0] ** 2, MASKED_Y, Y),
    ):
        with pytest.raises(InputError, match="is masked in row"):
            refused()


def test_complex_columns_are_refused():
    """Their imaginary part was dropped, with a warning of numpy's."""
    frame = pd.DataFrame(X, columns=list("abc"))
    tree = C45Classifier().fit(frame, Y).tree_
    frame["a"] = frame["a"] + 1j
    for given in (frame, frame.astype(object)):
        for refused in (
            lambda given=given: C45Classifier().fit(given, Y),
            lambda given=given: tree.annotate(given, Y),
            lambda given=given: class_prediction_distance([tree], given),
            lambda given=given: EvidentialData.from_gamma(given, Y),
            lambda given=given: MissingIncorporated().fit(given),
        ):
            with pytest.raises(InputError, match="column 'a' of X holds"):
                refused()
    with pytest.raises(InputError, match="X holds something that is no real number"):
        tree.predict_proba(X + 1j)
