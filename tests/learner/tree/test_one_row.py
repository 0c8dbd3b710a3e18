"""What a tree keeps for the next row: traversals and class probabilities, and what they may not do.

Each call built both anew, in a time that grew with the tree.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from quick import LEARNERS
from scipy import stats

import hedgerow
from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)) + 2.0
X[RNG.random(X.shape) < 0.05] = np.nan
Y = RNG.integers(3, size=300)
ROWS = range(0, 300, 7)


def fitted(name):
    model = getattr(hedgerow, name)(**LEARNERS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, Y)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_row_alone_is_answered_as_in_its_table(name):
    model = fitted(name)
    for method in ("predict_proba", "predict", "apply"):
        if hasattr(model, method):
            call = getattr(model, method)
            whole, alone = call(X), np.concatenate([call(X[i : i + 1]) for i in ROWS])
            np.testing.assert_array_equal(alone, whole[list(ROWS)])


def test_forms_of_one_row():
    """Floats of both sizes, whole numbers, lists and frames, in any layout."""
    model = C45Classifier().fit(X, Y)
    frames = C45Classifier().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    for i in ROWS:
        row = np.round(X[i : i + 1], 2)
        expected = model.tree_.predict_proba(row)
        forms = [
            row,
            row.tolist(),
            row.astype(">f8"),
            np.asfortranarray(row),
            np.c_[row, row][:, :4],
        ]
        for form in forms:
            np.testing.assert_array_equal(model.predict_proba(form), expected)
        frame = pd.DataFrame(row, columns=list("abcd"))
        for form in (frame, frame.astype(object), frame.convert_dtypes()):
            np.testing.assert_array_equal(frames.predict_proba(form), expected)
        single = row.astype(np.float32)
        np.testing.assert_array_equal(
            model.predict_proba(single), model.tree_.predict_proba(single.astype(np.float64))
        )


def test_what_was_refused_is_refused():
    """The few checks of a plain row are all that it needs; any other one takes them all."""
    model = C45Classifier().fit(X, Y)
    frames = C45Classifier().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    row = np.ones((1, 4))
    for wrong, words in [
        (np.ones((1, 3)), "3 features"),
        (np.ones(4), "Expected 2D array"),
        (np.empty((0, 4)), "0 sample"),
        (row * np.inf, "infinite value"),
        (row + 1j, "Complex data"),
        (np.array([["a", "b", "c", "d"]]), "holds text"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.predict(wrong)
    with pytest.warns(UserWarning, match="feature names"):
        frames.predict(row)
    with pytest.raises(ValueError, match="feature names"):
        frames.predict(pd.DataFrame(row, columns=list("abdc")))
    masked = np.ma.masked_array(row, [[True, False, False, False]])
    missing = row.copy()
    missing[0, 0] = np.nan
    np.testing.assert_array_equal(model.predict_proba(masked), model.predict_proba(missing))
    with pytest.raises(InputError, match="tests variable"):
        model.tree_.predict_proba(np.ones((1, 1)))


def test_gates_in_turn():
    """The tree's own, none, and others: none takes up the traversal of another one."""
    tree = SoftTreeClassifier(evaluation=0.3).fit(X, Y).tree_
    other = tree.replace(gate=None)
    gates = ["own", None, np.full(4, 0.7), np.full(4, 0.01)]
    once = [copy.copy(tree).predict_proba(X, gate) for gate in gates]
    for _ in range(3):
        for gate, expected in zip(gates, once, strict=True):
            np.testing.assert_array_equal(tree.predict_proba(X, gate), expected)
            np.testing.assert_array_equal(other.predict_proba(X), once[1])
    tree.gate = None
    np.testing.assert_array_equal(tree.predict_proba(X), once[1])


def test_errors_by_row_and_by_model():
    model = SoftTreeClassifier(evaluation=0.1).fit(X, Y)
    for error in ({1: np.full(300, 0.5)}, stats.t(5), {0: "+-0.5"}):
        first = model.predict_proba(X, error=error)
        np.testing.assert_array_equal(model.predict_proba(X, error=error), first)
    np.testing.assert_array_equal(
        model.predict_proba(X[:1], error={0: np.array([0.5])}),
        model.predict_proba(X, error={0: np.full(300, 0.5)})[:1],
    )


def test_threads_take_a_traversal_each():
    tree = SoftTreeClassifier(evaluation=0.3).fit(X, Y).tree_
    expected = tree.predict_proba(X)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: tree.predict_proba(X), range(200)):
            np.testing.assert_array_equal(found, expected)
    assert sum(map(len, tree._idle.values())) <= 8


def test_what_is_kept_is_the_trees_own():
    """Probabilities that are given out may be written to; nothing kept is pickled."""
    tree = C45Classifier().fit(X, Y).tree_
    before = tree.predict_proba(X[:5])
    tree.probabilities()[:] = 0.0
    np.testing.assert_array_equal(tree.predict_proba(X[:5]), before)
    read = pickle.loads(pickle.dumps(tree))
    assert not read._idle and not read._leaf_values and read == tree
    np.testing.assert_array_equal(read.predict_proba(X[:5]), before)
    np.testing.assert_array_equal(
        tree.predict_proba(X, smoothing=True), tree.predict_proba(X, smoothing=1)
    )


def test_a_branch_is_read_after_another():
    """`root` of one call must not stay for the next one."""
    tree = C45Classifier(prune=False).fit(X, Y).tree_
    whole, leaves = tree.predict_proba(X), tree.apply(X)
    for node in (1, int(tree.children_right[0])):
        tree.predict_proba(X, root=node)
        np.testing.assert_array_equal(tree.predict_proba(X), whole)
        np.testing.assert_array_equal(tree.apply(X), leaves)
