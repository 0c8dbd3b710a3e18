"""Arrays as numpy hands them over: the same answers however a table lies in memory."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from hedgerow import (
    C45Classifier,
    EvolutionaryTreeClassifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    UCTTreeClassifier,
    UncertainTreeClassifier,
)

ESTIMATORS = {
    "c45": C45Classifier(),
    "soft": SoftTreeClassifier(evaluation=0.1),
    "soft_everywhere": SoftTreeClassifier(search=0.1, propagation=0.1, evaluation=0.1),
    "plt": ProbabilisticThresholdClassifier(),
    "udt": UncertainTreeClassifier(width=0.1),
    "ete": EvolutionaryTreeClassifier(population_size=10, n_generations=3, random_state=0),
    "uct": UCTTreeClassifier(n_iterations=50, random_state=0),
}


def _structured(X):
    """Fields at odd bytes: steps that are no multiple of a number's size."""
    table = np.zeros(len(X), dtype=[("head", "u1"), ("row", "f8", (X.shape[1],)), ("tail", "u1")])
    table["row"] = X
    return table["row"]


def _one_field_each(X):
    """A view over columns of a structured array, in steps of 12 bytes."""
    table = np.zeros(X.shape, dtype=[("x", "f8"), ("flag", "i4")])
    table["x"] = X
    return table["x"]


def _read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def _unaligned(X):
    memory = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = memory[1:].view(np.float64).reshape(X.shape)
    view[:] = X
    return view


LAYOUTS = {
    "fortran": np.asfortranarray,
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "sliced": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "structured": _structured,
    "fields": _one_field_each,
    "read_only": _read_only,
    "unaligned": _unaligned,
    "foreign": lambda X: X.astype(X.dtype.newbyteorder()),
    "single": lambda X: X.astype(np.float32),
    "broadcast": lambda X: np.broadcast_to(X, (1, *X.shape))[0],
}


@pytest.fixture(scope="module")
def table():
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)  # so that 32 bits hold it as well
    X[::9, 1] = np.nan
    return X, y


@pytest.fixture(scope="module", params=ESTIMATORS)
def fitted(request, table):
    from sklearn.base import clone

    return request.param, clone(ESTIMATORS[request.param]).fit(*table)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_predictions(fitted, table, layout):
    X, _ = table
    given = LAYOUTS[layout](X)
    assert np.array_equal(given, X, equal_nan=True)
    _, estimator = fitted
    np.testing.assert_array_equal(estimator.predict_proba(given), estimator.predict_proba(X))
    tree = estimator.tree_
    np.testing.assert_array_equal(tree.predict_proba(given), tree.predict_proba(X))
    np.testing.assert_array_equal(tree.apply(given), tree.apply(X))
    assert (tree.shares(given) != tree.shares(X)).nnz == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_training(fitted, table, layout):
    from sklearn.base import clone

    X, y = table
    name, estimator = fitted
    other = clone(ESTIMATORS[name]).fit(LAYOUTS[layout](X), LAYOUTS["reversed"](y[:, None])[:, 0])
    assert other.tree_ == estimator.tree_
    np.testing.assert_array_equal(other.predict_proba(X), estimator.predict_proba(X))
