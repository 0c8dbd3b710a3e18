"""Optimal trees against ConTree, where pycontree is installed: the same fewest errors."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import OptimalTreeClassifier

pycontree = pytest.importorskip("pycontree", reason="`pip install pycontree==1.0.8` installs it")
pytestmark = pytest.mark.long


@pytest.mark.parametrize("seed", range(60))
def test_as_many_errors(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = rng.integers([20, 1, 2], [120, 6, 5])
    X = rng.normal(size=(n_rows, n_columns)).round(int(rng.integers(0, 3)))
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    for depth in (1, 2, 3):
        ours = OptimalTreeClassifier(depth).fit(X, y)
        theirs = pycontree.ConTree(max_depth=depth).fit(X, y.astype(np.int32))
        assert ours.proven_
        assert np.sum(ours.predict(X) != y) == np.sum(np.asarray(theirs.predict(X)) != y)
