"""One test for each bug that was found after its feature was finished."""

import subprocess
import sys

import numpy as np
import pytest
from oracle.induction import Reference

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow
from hedgerow.tree import NoiseGate

CHAIN = """
import threading
import numpy as np
from hedgerow.induction import Columns, grow, prune
n = 6000
columns = Columns(np.arange(n, dtype=float)[:, None], np.arange(n) % 2, 2)
tree = grow(columns, min_samples_split=2)
assert tree.depth > 2000
threading.stack_size(256 << 10)
thread = threading.Thread(target=lambda: prune(tree, columns))
thread.start()
thread.join()
print("pruned")
"""


def test_pruning_a_chain_does_not_overflow_the_stack():
    """Pruning called itself once per level: a tree that is one long chain ended the process."""
    done = subprocess.run([sys.executable, "-c", CHAIN], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "pruned\n"


def test_tiny_weight_goes_where_its_gate_says():
    """A row that arrived with under a thousandth of its weight went right even at a gate of 1."""
    X = np.array([[0, 0], [0, 0], [0, 9], [0, 9], [1, 5], [np.nan, 0.0]])
    y, weight = [0, 0, 1, 1, 2, 0], [1, 1, 1, 1, 8000, 1]
    sigma = np.array([1e-3, 1e-3])
    tree = grow(
        Columns(X, y, 3, weight),
        propagation=NoiseGate(sigma),
        candidates="midpoints",
        min_samples_split=2,
    )
    leaf = next(n for n in range(tree.n_nodes) if tree.class_weight[n, 1] == 2.0 and n > 1)
    assert tree.class_weight[leaf, 0] == 0
    Reference(
        X, y, 3, weight, propagation=sigma, min_split=2, midpoints=True
    ).check(tree)  # fmt: skip


def test_fractions_that_add_up_to_the_least_weight_reach_it():
    """Shares of .1 ten times are a little less than 1, and the node was not split."""
    X = np.array([[0.0]] * 10 + [[1.0]] * 10)
    weight = np.full(20, 0.1)
    assert 2 * weight[:10].cumsum()[-1] < 2.0
    tree = grow(Columns(X, [0] * 10 + [1] * 10, 2, weight), min_samples_split=2)
    assert tree.n_leaves == 2


def test_flags_of_the_wrong_number_are_refused():
    """One flag for two variables was read as the number 1, the second variable."""
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(InputError, match="1 flags for 2 variables"):
        C45Classifier(categorical_features=[True]).fit(X, [0, 1])
