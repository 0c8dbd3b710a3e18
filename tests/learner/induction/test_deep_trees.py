"""A tree as deep as its training set is long: nothing may crash, nothing may recurse in Python.

Classes alternate along one variable, so that every test cuts off one row. Each script runs in a
process of its own, so that a stack overflow fails one test instead of ending the run, and in a
thread with a small stack: half a mebibyte leaves a core that recurses 6,000 levels 87 bytes each.
"""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

START = """
import sys
import matplotlib
matplotlib.use("Agg")
import numpy as np
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import Tree
n = int(sys.argv[1])
X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
columns = Columns(X, y, 2)
tree = grow(columns, min_samples_split=2)
assert tree.depth == n - 1 and tree.n_leaves == n, tree
few = X[:: n // 50]
"""

#: What follows runs in a thread: pruning called itself once per level, and a chain ended the
#: process. Its own errors end the process as they would in the main one.
SMALL_STACK = """
import threading
threading.stack_size(512 * 1024)
ended = []
def work():
{work}
    ended.append(True)
thread = threading.Thread(target=work)
thread.start()
thread.join()
assert ended
"""

SCRIPTS = {
    "pruning": """
pruned = prune(tree, columns, confidence=0.25)
assert pruned.n_leaves < 10, pruned
""",
    "reading": """
import pickle
assert (tree.predict_proba(few).argmax(axis=1) == y[:: n // 50]).all()
soft = tree.predict_proba(few, evaluation=np.array([3.0]))
assert np.allclose(soft.sum(axis=1), 1.0)
assert (tree.feature[tree.apply(few)] == -1).all()
assert tree.decision_path(few).sum(axis=1).max() <= n
assert np.isclose(tree.importances(1).sum(), 1.0)
tree.annotate(few, y[:: n // 50])
assert Tree.from_json(tree.to_json()) == tree
assert pickle.loads(pickle.dumps(tree)) == tree
assert len(tree.to_dot()) > n
assert len(tree.to_frame()) == 2 * n - 1
""",
    "drawing": """
tree.plot().figure.canvas.draw()
tree.plot(max_depth=3)
""",
}


#: A picture draws each node and takes long; Python gives up at a depth of 1000.
LENGTHS = {"pruning": 6_000, "reading": 6_000, "drawing": 4_000}


@pytest.mark.parametrize("what", SCRIPTS)
def test_a_chain_of_thousands_of_tests(what):
    script = START + SCRIPTS[what]
    if what != "drawing":
        script = START + SMALL_STACK.format(work=textwrap.indent(SCRIPTS[what], "    "))
    command = [sys.executable, "-c", script, str(LENGTHS[what])]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]


def test_text_of_a_deep_tree():
    """Indented by depth, so its length grows with the square: a shorter chain."""
    script = START + "assert len(tree.to_text().splitlines()) == 2 * n - 2"
    run = subprocess.run([sys.executable, "-c", script, "1500"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
