"""Experiments 1 and 2 against a plain rewriting of the printed steps (thesis 3.3.2)."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hedgerow.errors import ConfigError, DataError
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import NoiseGate
from hedgerow.uncertainty import piecewise_thresholds
from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import samples as soft_samples
from hedgerow_study.experiments.soft import steps as soft_steps


def _predict(X_train, y_train, X_new, method, uncertainty, confidence, n_categories):
    """One learner from its public parts, without anything that the experiment shares."""
    columns = Columns(X_train, y_train, 3, n_categories=n_categories)
    parts = method.split("_")
    search = uncertainty if "ss" in parts else None
    propagation = uncertainty if "stp" in parts else None
    numeric = n_categories == 0
    evaluation = pdf = None
    if method == "udt":
        ranges = np.nanmax(X_train, axis=0) - np.nanmin(X_train, axis=0)
        sigma = np.where(numeric, uncertainty / 4 * ranges, 0.0)
        propagation = evaluation = pdf = NoiseGate(sigma, window=4.0, conditioned=True)
    if pdf is None:
        tree = grow(columns, search=search, propagation=propagation, min_samples_split=4)
    else:
        tree = grow(columns, pdf=pdf, n_points=20, min_samples_split=4)
    tree = prune(tree, columns, confidence=confidence, propagation=propagation)
    if "se" in parts:
        means = np.where(numeric, np.nanmean(X_train, axis=0), 0.0)
        evaluation = NoiseGate(uncertainty * np.abs(means))
    if method == "plt":
        evaluation = piecewise_thresholds(tree, columns)
    return tree, tree.predict_proba(X_new, evaluation=evaluation).argmax(axis=1)


@pytest.mark.parametrize("method", soft_plan.TUNED)
@pytest.mark.parametrize("experiment", soft_plan.EXPERIMENTS)
def test_tuning_noises_the_right_folds(wine, wine_run, plan, experiment, method):
    """Steps 2a to 2c: noise on the CV training folds, or on the validation folds, never both."""
    samples = soft_samples.Samples(wine, wine_run.noised)
    confidence = wine_run.calibration["confidence"].iloc[0]
    tuning = wine_run.tuning
    for noise in plan.noise_factors:
        cell = tuning[
            (tuning["experiment"] == experiment)
            & (tuning["repeat"] == 1)
            & (tuning["noise"] == noise)
            & (tuning["method"] == method)
        ]
        on_training = noise if experiment == "training_noise" else 0.0
        on_validation = noise if experiment == "test_noise" else 0.0
        for uncertainty in plan.uncertainties:
            accuracies = []
            for k in range(3):
                _, predicted = _predict(
                    samples.X_of(1, f"fold_{k:02d}_train", on_training),
                    samples.y(1, f"fold_{k:02d}_train"),
                    samples.X_of(1, f"fold_{k:02d}_validation", on_validation),
                    method,
                    uncertainty,
                    confidence,
                    samples.n_categories,
                )
                accuracies.append(np.mean(predicted == samples.y(1, f"fold_{k:02d}_validation")))
            found = cell.loc[cell["uncertainty"] == uncertainty, "cv_accuracy"].item()
            assert found == pytest.approx(np.mean(accuracies), abs=1e-12)


@pytest.mark.parametrize("method", soft_plan.METHODS)
@pytest.mark.parametrize("experiment", soft_plan.EXPERIMENTS)
def test_trees_are_learnt_and_evaluated_as_printed(wine, wine_run, plan, experiment, method):
    """Steps 3 to 5 for every noise factor of one repeat."""
    samples = soft_samples.Samples(wine, wine_run.noised)
    confidence = wine_run.calibration["confidence"].iloc[0]
    rows = wine_run.rows.set_index([*soft_plan.CELL, "metric"])["value"]
    for noise in plan.noise_factors:
        cell = (experiment, "wine", 0, noise, method)
        uncertainty = rows[(*cell, "uncertainty")] if method in soft_plan.TUNED else 0.0
        tree, predicted = _predict(
            samples.X_of(0, "train", noise if experiment == "training_noise" else 0.0),
            samples.y(0, "train"),
            samples.X_of(0, "test", noise if experiment == "test_noise" else 0.0),
            method,
            uncertainty,
            confidence,
            samples.n_categories,
        )
        assert rows[(*cell, "n_leaves")] == tree.n_leaves
        assert rows[(*cell, "depth")] == tree.depth
        assert rows[(*cell, "accuracy")] == np.mean(predicted == samples.y(0, "test"))


def test_the_most_accurate_factor_is_chosen_and_the_smallest_among_equals(wine_run):
    for _, cell in wine_run.tuning.groupby(["experiment", "repeat", "noise", "method"]):
        best = cell["cv_accuracy"].max() - 1e-12
        assert cell.loc[cell["chosen"], "uncertainty"].tolist() == [
            cell.loc[cell["cv_accuracy"] >= best, "uncertainty"].min()
        ]


def test_column_0_of_both_experiments_is_the_same(wine_run):
    for frame, key in (
        (wine_run.rows, ["repeat", "method", "metric"]),
        (wine_run.tuning, ["repeat", "method", "uncertainty"]),
    ):
        clean = frame[frame["noise"] == 0.0]
        training, test = (
            clean[clean["experiment"] == e].drop(columns="experiment").sort_values(key)
            for e in soft_plan.EXPERIMENTS
        )
        pd.testing.assert_frame_equal(training.reset_index(drop=True), test.reset_index(drop=True))
        assert len(training) > 0


def test_experiment_2_has_one_c45_tree_and_se_has_its_leaves(wine_run):
    rows = wine_run.rows
    leaves = rows[rows["metric"] == "n_leaves"].set_index(soft_plan.CELL)["value"].unstack("method")
    for same in ("se", "plt"):
        assert (leaves[same] == leaves["c45"]).all()
    assert leaves.loc["test_noise", "c45"].groupby("repeat").nunique().eq(1).all()


def test_each_tree_is_stored_once(wine_run):
    keys = wine_run.trees.loc[wine_run.trees["node"] == 0, soft_plan.TREE_KEYS]
    assert not keys.duplicated().any()
    assert set(keys["method"]) == {"c45", "ss", "stp", "udt", "ss_stp"}


def test_chunks_of_repeats_change_nothing(wine, wine_run, plan):
    """The noise of a data set was one step, which every repeat waited for and hung on."""
    chunks = []
    for repeat in range(plan.n_repeats):
        noised = soft_steps.noise(wine, plan, [repeat])
        given = noised, wine_run.calibration
        learnt = soft_steps.learn(wine, *given, plan)
        pruned = soft_steps.prune(learnt["trees"], *given, learnt["tuning"], wine, plan)
        rows = soft_steps.evaluate(pruned, learnt["tuning"], noised, wine, plan)
        chunks.append({**noised, **learnt, "pruned": pruned, "rows": rows})
    for name in ("splits", "samples", "seeds"):
        whole = pd.concat([chunk[name] for chunk in chunks], ignore_index=True)
        pd.testing.assert_frame_equal(whole, wine_run.noised[name])
    names = ("rows", "pruned", "trees", "tuning")
    merged = soft_steps.merged(*([chunk[name] for chunk in chunks] for name in names))
    for name in names:
        pd.testing.assert_frame_equal(merged[name], getattr(wine_run, name))


def test_rows_are_complete_and_tidy(wine_run, plan):
    rows = wine_run.rows
    assert list(rows.columns) == [*soft_plan.CELL, "metric", "value"]
    assert not rows.duplicated([*soft_plan.CELL, "metric"]).any()
    cells = 2 * plan.n_repeats * len(plan.noise_factors)
    assert len(rows) == cells * (10 * 5 + 8)  # five metrics each, and eight tuned uncertainties
    assert rows["value"].notna().all()
    assert rows.loc[rows["metric"] == "uncertainty", "value"].isin(plan.uncertainties).all()


def test_times_are_those_of_a_method_run_alone(wine, wine_run, plan, monkeypatch):
    """With a clock that ticks once per tree, pruning and analysis: shared trees count each time."""
    ticks = itertools.count()
    monkeypatch.setattr(soft_steps.time, "process_time", lambda: next(ticks))
    learnt = soft_steps.learn(wine, wine_run.noised, wine_run.calibration, plan, repeats=[1])
    times = learnt["times"]
    assert list(times.columns) == [*soft_plan.CELL, "seconds"]
    assert len(times) == 2 * len(plan.noise_factors) * len(plan.methods)
    # Three folds times two uncertainties grown and read, and the last tree; C4.5: one per fold.
    expected = {m: 6 + 6 + 1 for m in plan.methods} | {"c45": 1, "plt": 1 + 1, "se": 3 + 6 + 1}
    for _, cell in times.groupby(["experiment", "noise"]):
        assert cell.set_index("method")["seconds"].to_dict() == expected


def test_a_missing_tree_is_named(wine, wine_run, plan):
    stp = wine_run.trees["method"] == "stp"
    with pytest.raises(DataError, match="no tree of stp with uncertainty"):
        soft_steps.prune(
            wine_run.trees[~stp],
            wine_run.noised,
            wine_run.calibration,
            wine_run.tuning,
            wine,
            plan,
        )


def test_a_subset_of_methods(wine, wine_run, plan):
    """C4.5 alone needs no tuning; its rows are those of the whole run."""
    import dataclasses

    alone = dataclasses.replace(plan, methods=("c45",))
    learnt = soft_steps.learn(wine, wine_run.noised, wine_run.calibration, alone)
    pruned = soft_steps.prune(
        learnt["trees"], wine_run.noised, wine_run.calibration, learnt["tuning"], wine, alone
    )
    rows = soft_steps.evaluate(pruned, learnt["tuning"], wine_run.noised, wine, alone)
    expected = wine_run.rows[wine_run.rows["method"] == "c45"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows, expected)


def test_a_learner_or_an_evaluation_that_is_none_is_refused(wine, wine_run, plan):
    """They were taken for C4.5: a slip in a name gave its trees under another one."""
    training = soft_samples.Samples(wine, wine_run.noised).training(0, "train", 0.0)
    with pytest.raises(ConfigError, match="no learner is called 'fancy'; use one of c45, ss, stp"):
        training.grow("fancy", 0.3, plan)
    tree = training.grow("c45", 0.0, plan)
    with pytest.raises(ConfigError, match="no learner is called 'se'"):
        training.prune(tree, "se", 0.3, 0.5, plan)
    with pytest.raises(ConfigError, match="no learner is called 'fancy'"):
        soft_plan.Recipe("fancy")
    with pytest.raises(ConfigError, match="no evaluation is called 'soft'; use one of None, noise"):
        soft_plan.Recipe("c45", "soft")


def test_the_training_sample_of_a_sample():
    names = {"train": "train", "test": "train", "fold_03_train": "fold_03_train"}
    names["fold_03_validation"] = "fold_03_train"
    for name, training in names.items():
        assert soft_samples.Parts.training_of(name) == training
