"""Settings of chapter 3 that stand for other analyses of it, against their definitions."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from effort import draws

from hedgerow.data import TidyTable
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import NoiseGate
from hedgerow.tree.gates import spread_of
from hedgerow.uncertainty import piecewise_thresholds
from hedgerow_study.experiments.soft.plan import LEARNERS, RECIPES
from hedgerow_study.experiments.soft.samples import Samples, with_kernel


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
        found = with_kernel(tree, X, gate, leaf_votes)
        expected = [decided(tree, x, gate, leaf_votes) for x in X]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    hard = with_kernel(tree, X, None, leaf_votes)
    np.testing.assert_array_equal(hard, tree.predict_proba(X, evaluation=None))


def changed(here, other):
    """Methods whose rows are others in another run."""
    key = ["experiment", "repeat", "noise", "method", "metric"]
    both = here.rows.set_index(key)["value"], other.rows.set_index(key)["value"]
    pd.testing.assert_index_equal(*(values.index for values in both))
    return set(both[0][both[0] != both[1]].reset_index()["method"])


def test_ties_change_what_is_divided_by_noise(plan, run_of):
    """Values repeat; thresholds of soft search lie between them."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 40)
    X = pd.DataFrame(rng.integers(3, 9, (120, 2)) + y[:, None], columns=["a", "b"], dtype=float)
    table = TidyTable("whole", X, y, ["0", "1", "2"], "class")
    places = ("threshold", "ties_right")
    runs = [run_of(table, dataclasses.replace(plan, gate_at=at)) for at in places]
    divided = {m for m in RECIPES if {"stp", "se"} & {*m.split("_")}}
    assert {"stp", "se", "stp_se"} <= changed(*runs) <= divided


@pytest.mark.parametrize("leaf_votes", ["labels", "largest"])
def test_leaf_votes_change_what_is_read_softly(wine, plan, wine_run, run_of, leaf_votes):
    other = run_of(wine, dataclasses.replace(plan, leaf_votes=leaf_votes))
    assert changed(wine_run, other) == {
        method for method, recipe in RECIPES.items() if recipe.evaluation
    }
    # In tuning as well, of which only methods without such an evaluation keep all numbers.
    key = ["experiment", "repeat", "noise", "uncertainty"]
    for method, own in wine_run.tuning.groupby("method"):
        tuned = other.tuning[other.tuning["method"] == method]
        values = [frame.set_index(key)["cv_accuracy"] for frame in (own, tuned)]
        assert values[0].equals(values[1]) == (RECIPES[method].evaluation is None)


@pytest.mark.parametrize("noise_is", ["variance", "added_variance"])
def test_what_the_noise_is_of(wine, plan, wine_run, run_of, noise_is):
    """Added noise in either case; what is modelled, at noise 0 as well, with variances alone."""
    other = run_of(wine, dataclasses.replace(plan, noise_is=noise_is, store_samples=False))
    modelled = {m for m in RECIPES if {"ss", "stp", "se"} & {*m.split("_")}}
    clean = [SimpleNamespace(rows=r.rows[r.rows["noise"] == 0]) for r in (wine_run, other)]
    assert changed(*clean) == (modelled if noise_is == "variance" else set())
    assert changed(wine_run, other) == {*RECIPES}
    sd = Samples(wine, wine_run.noised).training(0, "train", 0.2)
    variance = Samples(wine, other.noised, noise_is).training(0, "train", 0.2)
    clean = Samples(wine, wine_run.noised).training(0, "train", 0.0)
    means = np.nanmean(clean.X[:, :3], axis=0)
    added = [training.X[:, :3] - clean.X[:, :3] for training in (sd, variance)]
    np.testing.assert_allclose(added[1] * np.sqrt(0.2 * means), added[0], atol=1e-12)


def test_factors_as_shares_of_a_variance(wine, plan, wine_run):
    """SS, STP and SE with sigma = sqrt(u |mean|), in growth, pruning and analysis."""
    plan = dataclasses.replace(plan, noise_is="variance")
    training = Samples(wine, wine_run.noised).training(0, "train", 0.0)
    sigma = np.sqrt(0.1 * np.append(np.nanmean(training.X[:, :3], axis=0), 0.0))
    gate = NoiseGate(sigma)
    for learner, parts in LEARNERS.items():
        if "pdf" not in parts:
            tree = training.grow(learner, 0.1, plan)
            assert tree == grow(training.columns, **dict.fromkeys(parts, gate))
            propagation = gate if "propagation" in parts else None
            pruned = training.prune(tree, learner, 0.1, 0.5, plan)
            assert pruned == prune(tree, training.columns, confidence=0.5, propagation=propagation)
    np.testing.assert_allclose(training.gate("se", pruned, 0.1, plan).sigma, sigma)


def test_bounds_change_plt_alone(wine, plan, wine_run, run_of):
    other = run_of(wine, dataclasses.replace(plan, plt_bounds="values"))
    assert changed(wine_run, other) == {"plt"}


@pytest.mark.parametrize("udt_counts", ["instances", "tuples"])
def test_counts_change_udt_alone(wine, plan, wine_run, run_of, udt_counts):
    other = run_of(wine, dataclasses.replace(plan, udt_counts=udt_counts))
    assert changed(wine_run, other) == {"udt"}
