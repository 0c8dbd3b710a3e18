"""Settings of chapter 3 that stand for other readings of it, against their definitions."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from effort import draws

from hedgerow.data import TidyTable
from hedgerow.experiments.soft.plan import RECIPES
from hedgerow.experiments.soft.samples import read_softly
from hedgerow.induction import Columns, grow
from hedgerow.tree import NoiseGate
from hedgerow.tree.gates import spread_of
from hedgerow.uncertainty import piecewise_thresholds

TIES = "ties_right"


def drawn_tree(seed):
    """A tree of repeated values, some missing, its table, and a gate of each kind."""
    rng = np.random.default_rng(seed)
    n, K = 50, int(rng.integers(2, 4))
    X = rng.integers(0, 7, (n, 3)).astype(float)
    X[:, 0] += rng.normal(0, 1, n)
    X[rng.random((n, 3)) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 1]) > 3, 0, rng.integers(0, K, n))
    columns = Columns(X, y, K)
    tree = grow(columns)
    noise = NoiseGate(rng.uniform(0.1, 2, 3))
    return tree, X, (noise, spread_of(0.2, columns.ranges), piecewise_thresholds(tree, columns))


def decided(tree, x, gate, leaf_votes):
    """One instance, leaf by leaf."""
    shares = tree.shares(x[None], evaluation=gate).toarray()[0]
    leaves = [node for node in range(tree.n_nodes) if tree.feature[node] < 0 and shares[node] > 0]
    if leaf_votes == "largest":
        leaf = max(leaves, key=lambda node: (shares[node], -node))
        return tree.class_weight[leaf] / tree.class_weight[leaf].sum()
    votes = np.zeros(tree.n_classes)
    for leaf in leaves:
        weights = list(tree.class_weight[leaf])
        if leaf_votes == "labels":
            votes[weights.index(max(weights))] += shares[leaf]
        else:
            votes += shares[leaf] * tree.class_weight[leaf] / sum(weights)
    return votes


@pytest.mark.parametrize("leaf_votes", ["mixture", "labels", "largest"])
@pytest.mark.parametrize("seed", draws(20, least=4))
def test_leaves_vote_as_defined(seed, leaf_votes):
    tree, X, gates = drawn_tree(seed)
    for gate in gates:
        found = read_softly(tree, X, gate, leaf_votes)
        expected = [decided(tree, x, gate, leaf_votes) for x in X]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    hard = read_softly(tree, X, None, leaf_votes)
    np.testing.assert_array_equal(hard, tree.predict_proba(X, evaluation=None))


def changed(here, other):
    """Methods whose rows are others in another run."""
    key = ["experiment", "permutation", "noise", "method", "metric"]
    both = here.rows.set_index(key)["value"], other.rows.set_index(key)["value"]
    pd.testing.assert_index_equal(*(values.index for values in both))
    return set(both[0][both[0] != both[1]].reset_index()["method"])


def test_ties_change_what_is_divided_by_noise(plan, run_of):
    """Values repeat; thresholds of soft search lie between them."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 40)
    X = pd.DataFrame(rng.integers(3, 9, (120, 2)) + y[:, None], columns=["a", "b"], dtype=float)
    table = TidyTable("whole", X, y, ["0", "1", "2"], "class")
    runs = [run_of(table, dataclasses.replace(plan, gate_at=at)) for at in ("threshold", TIES)]
    divided = {m for m in RECIPES if {"stp", "se"} & {*m.split("_")}}
    assert {"stp", "se", "stp_se"} <= changed(*runs) <= divided


@pytest.mark.parametrize("leaf_votes", ["labels", "largest"])
def test_leaf_votes_change_what_is_read_softly(wine, plan, wine_run, run_of, leaf_votes):
    other = run_of(wine, dataclasses.replace(plan, leaf_votes=leaf_votes))
    assert changed(wine_run, other) == {
        method for method, recipe in RECIPES.items() if recipe.evaluation
    }
    # In tuning as well, of which only methods without such an evaluation keep all numbers.
    key = ["experiment", "permutation", "noise", "factor"]
    for method, own in wine_run.tuning.groupby("method"):
        tuned = other.tuning[other.tuning["method"] == method]
        values = [frame.set_index(key)["cv_accuracy"] for frame in (own, tuned)]
        assert values[0].equals(values[1]) == (RECIPES[method].evaluation is None)
