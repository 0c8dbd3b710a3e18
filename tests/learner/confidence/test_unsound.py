"""Trees and statistics that no hedgerow has written: refused in one sentence, or as good as any."""

import json

import numpy as np
import pytest
from effort import draws
from oracle.mutated_trees import examples, mutated

from hedgerow import Tree
from hedgerow.confidence.intervals import NodeCounts, Rules, count, intervals
from hedgerow.confidence.revisions import revisions_of
from hedgerow.errors import InputError


def doubts(tree, X, y, rules):
    """All that is asked of a tree with intervals; the corrected probabilities."""
    if tree.statistics is None:
        gate = tree.gate if tree.gate is not None and tree.gate.soft else None
        counted = count(tree, X, y % tree.n_classes, np.ones(len(y)), rules, gate)
    else:
        counted = NodeCounts.of_annotated(tree)
    found = intervals(tree, counted, rules)
    names = [f"v{j}" for j in range(X.shape[1])]
    classes = list(range(tree.n_classes))
    for row in range(0, len(X), 25):
        str(revisions_of(tree, found, X[row : row + 1], rules, True, classes, names))
    return found.correction(tree, X.shape[1], False, rules).predict(X)


@pytest.mark.parametrize("name", list(examples()[0]))
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_changed_tree_is_refused_or_doubts(name):
    """Never another error, never a crash, and probabilities stay probabilities."""
    _, X, y = examples()
    used = 0
    for seed in draws(2000 if name == "annotated" else 200, least=20):  # 13 is the first usable
        try:
            tree = Tree.from_json(mutated(name, seed))
        except InputError:
            continue
        method = ("norm", "tdist", "comb")[seed % 3]
        rules = Rules(method, 2, categorical=bool(seed % 2), fine=0.5)
        try:
            got = doubts(tree, X, y, rules)
        except InputError:
            continue
        except Exception as error:
            raise AssertionError(f"{name}, seed {seed}") from error
        assert np.allclose(got.sum(axis=1), 1.0), (name, seed)
        used += 1
    assert used


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_wild_statistics_doubt_wildly_and_no_more():
    """Each number of the statistics in turn is one that nothing has."""
    texts, X, y = examples()
    form = json.loads(texts["annotated"])
    for name in ("n", "mean", "sd", "normality_p", "class_weight"):
        for value in (None, -1.0, 0.0, 0.5, 1.0, 1e308, -1e308, 5e-324):
            changed = json.loads(texts["annotated"])
            table = form["statistics"][name]
            changed["statistics"][name] = [[value] * len(row) for row in table]
            tree = Tree.from_json(json.dumps(changed))
            for method in ("norm", "tdist", "comb"):
                got = doubts(tree, X, y, Rules(method, 2))
                assert np.allclose(got.sum(axis=1), 1.0), (name, value, method)
