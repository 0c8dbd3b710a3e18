"""The sweep of the pruning confidence: same samples as experiment 1, one tree, every c."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import forest_from_frame
from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import steps as soft_steps
from hedgerow_study.experiments.soft_sweep import plan as soft_sweep_plan
from hedgerow_study.experiments.soft_sweep import steps as soft_sweep_steps
from hedgerow_study.experiments.soft_sweep.plan import METHODS, SweepPlan


@pytest.fixture(scope="module")
def sweep():
    return SweepPlan(noise_factors=(0, 0.2), uncertainty=0.1, confidences=(1, 0, 0.3, 0.6))


@pytest.fixture(scope="module")
def run(wine, plan, sweep):
    noised = soft_steps.noise(wine, plan)
    trees = soft_sweep_steps.grow(wine, noised, sweep, plan)
    rows = soft_sweep_steps.evaluate(trees, noised, wine, sweep, plan)
    return SimpleNamespace(noised=noised, trees=trees, rows=rows)


def test_every_cell_once(run, plan, sweep):
    rows = run.rows
    assert list(rows.columns) == [*soft_sweep_plan.CELL, "metric", "value"]
    assert not rows.duplicated([*soft_sweep_plan.CELL, "metric"]).any()
    n_trees = plan.n_repeats * len(sweep.noise_factors) * len(METHODS)
    assert len(rows) == n_trees * (len(sweep.confidences) + 1) * 2
    assert set(rows["metric"]) == {"n_leaves", "accuracy"}
    assert sorted(rows["confidence"].dropna().unique()) == [0.0, 0.3, 0.6, 1.0]


def test_a_tree_is_grown_once(run, plan, sweep):
    keys, _ = forest_from_frame(run.trees, soft_plan.TREE_KEYS)
    assert len(keys) == plan.n_repeats * len(sweep.noise_factors) * len(METHODS)
    assert dict(zip(keys["method"], keys["uncertainty"], strict=True)) == {
        "c45": 0.0,
        "ss": 0.1,
        "stp": 0.1,
    }


def test_samples_are_those_of_experiment_1(run, wine, wine_run, plan):
    """Trees of C4.5 are node for node those that `soft` grows and stores under this noise."""
    theirs, grown = forest_from_frame(wine_run.trees, soft_plan.TREE_KEYS)
    there = {key: tree for key, tree in zip(theirs.itertuples(index=False), grown, strict=True)}
    keys, trees = forest_from_frame(run.trees, soft_plan.TREE_KEYS)
    compared = 0
    for key, tree in zip(keys.itertuples(index=False), trees, strict=True):
        if key in there:
            compared += 1
            pd.testing.assert_frame_equal(tree.to_frame(), there[key].to_frame())
    assert compared >= plan.n_repeats * 2  # C4.5 at both noise factors at least


def test_a_cell_by_hand(run, wine, plan):
    """STP at c = .6 and noise .2, from the splits and the stored sample."""
    splits = run.noised["splits"]
    at = splits[splits["repeat"] == 1]
    train = np.sort(at.loc[at["part"] == "train", "row"].to_numpy())
    test = np.sort(at.loc[at["part"] == "test", "row"].to_numpy())
    samples = run.noised["samples"]
    stored = samples[
        (samples["repeat"] == 1) & (samples["part"] == "train") & (samples["noise"] == 0.2)
    ].sort_values("row")
    X, n_categories = wine.matrix()
    noised = stored[list(wine.X.columns)].to_numpy(dtype=float)
    columns = Columns(noised, wine.y[train], 3, n_categories=n_categories)
    tree = prune(grow(columns, propagation=0.1), columns, confidence=0.6, propagation=0.1)
    cell = run.rows[
        (run.rows["repeat"] == 1)
        & (run.rows["noise"] == 0.2)
        & (run.rows["method"] == "stp")
        & (run.rows["confidence"] == 0.6)
    ].set_index("metric")["value"]
    assert cell["n_leaves"] == tree.n_leaves
    assert cell["accuracy"] == metrics.accuracy(wine.y[test], tree.predict_proba(X[test]))


def test_ends_of_the_grid(run):
    """c = 0 leaves one leaf, c = 1 prunes least but prunes, and nothing beats the grown tree."""
    leaves = run.rows[run.rows["metric"] == "n_leaves"]
    key = ["repeat", "noise", "method"]
    at = {c: leaves[leaves["confidence"] == c].set_index(key)["value"] for c in (0.0, 0.6, 1.0)}
    grown = leaves[leaves["confidence"].isna()].set_index(key)["value"]
    assert (at[0.0] == 1).all()
    assert (at[1.0] >= at[0.6]).all()
    assert (at[1.0] <= grown).all() and (at[1.0] < grown).any()


def test_order_of_trees_changes_nothing(run, wine, plan, sweep):
    parts = [group for _, group in run.trees.groupby(soft_plan.TREE_KEYS, sort=False)]
    shuffled = pd.concat(parts[::-1], ignore_index=True)
    again = soft_sweep_steps.evaluate(shuffled, run.noised, wine, sweep, plan)
    pd.testing.assert_frame_equal(again, run.rows)


def test_noise_that_was_not_drawn(wine, run, plan):
    with pytest.raises(DataError, match=r"noise 0\.3"):
        soft_sweep_steps.grow(wine, run.noised, SweepPlan(noise_factors=(0, 0.3)), plan)


def test_plan_of_a_configuration():
    section = {"datasets": ["wine"], "noise_factors": [0.1, 0], "confidences": [1, 0]}
    plan = SweepPlan.from_config(section, 3, "mine")
    assert plan.noise_factors == (0.0, 0.1) and plan.confidences == (0.0, 1.0)
    assert (plan.datasets, plan.configuration, plan.uncertainty) == (("wine",), "mine", 0.1)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"confidence": [0, 1]}, r"soft_sweep\.confidence`"),
        ({"confidences": [0.5]}, r"confidences` is `\[0.5\]`; name at least 2"),
        ({"confidences": [0, 1.5]}, "confidences` is `1.5`; give a list of numbers >= 0 and <= 1"),
        ({"confidences": [-0.1, 1]}, "confidences` is `-0.1`; give a list of numbers >= 0 and"),
        ({"noise_factors": []}, r"noise_factors` is `\[\]`; name at least one"),
        ({"noise_factors": [-1, 0]}, "noise_factors` is `-1`; give a list of numbers >= 0"),
        ({"uncertainty": 0}, "uncertainty` is `0`; give a number > 0"),
    ],
)
def test_settings_that_are_none(section, words):
    with pytest.raises(ConfigError, match=words):
        SweepPlan.from_config(section, 0, "mine")
