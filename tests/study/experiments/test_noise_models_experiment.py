"""Other noise than Gaussian: protocol, names of draws, models, statistics."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow.data import FAMILIES, rng
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow_study.experiments.soft import samples as soft_samples
from hedgerow_study.extensions.noise_models import plan as noise_models_plan
from hedgerow_study.extensions.noise_models import steps as noise_models_steps
from hedgerow_study.extensions.noise_models.plan import (
    COMPARED,
    EXPERIMENT,
    POOLED,
    NoiseModelsPlan,
)
from hedgerow_study.extensions.noise_models.statistics import merged, rows_of
from hedgerow_study.extensions.noise_models.steps import noise_gate


@pytest.fixture(scope="module")
def beyond(plan):
    """The plan of `soft` in conftest, one noise factor of it."""
    return NoiseModelsPlan(
        datasets=("wine",),
        seed=plan.seed,
        n_repeats=plan.n_repeats,
        noise_factors=(0.2,),
        uncertainties=(0.1, 0.3),
    )


@pytest.fixture(scope="module")
def done(wine_run, beyond):
    return again(wine_run, beyond)


def again(wine_run, plan, table=None, repeats=None):
    table = wine_run.table if table is None else table
    splits, calibration = wine_run.noised["splits"], wine_run.calibration
    return noise_models_steps.numeric(table, splits, calibration, plan, repeats)


def cell(rows, metric="accuracy", **key):
    chosen = rows[rows["metric"] == metric]
    for name, value in key.items():
        chosen = chosen[chosen[name] == value]
    return chosen.sort_values("repeat")["value"].to_numpy()


def test_every_cell_is_there_once(done, beyond):
    assert not done.duplicated(noise_models_plan.ORDER).any()
    assert done["value"].notna().all()
    of_models = done[done["metric"] == "accuracy"]
    # Clean C4.5; per place and family C4.5, and three methods with three models, two if normal.
    per_repeat = 1 + 2 * (6 + 5 * 9 + 6)
    assert len(of_models) == per_repeat * beyond.n_repeats
    assert set(of_models["family"]) == {"none", *FAMILIES}
    matching = of_models[of_models["model"] == "matching"]
    assert "normal" not in set(matching["family"])


def test_c45_under_normal_noise_is_that_of_experiments_1_and_2(done, wine_run):
    """The same divisions, the same draws, the same confidence: the same number."""
    for where, experiment in (("training", "training_noise"), ("test", "test_noise")):
        for metric in ("accuracy", "n_leaves", "brier"):
            mine = cell(done, metric, where=where, family="normal", method="c45", noise=0.2)
            theirs = cell(wine_run.rows, metric, experiment=experiment, method="c45", noise=0.2)
            np.testing.assert_array_equal(mine, theirs)


def test_tuned_normal_methods_are_those_of_experiments_1_and_2(done, wine_run):
    """Same grid and same folds, so that uncertainty and accuracy agree as well."""
    for where, experiment in (("training", "training_noise"), ("test", "test_noise")):
        for method in ("ss", "stp", "se"):
            for metric in ("uncertainty", "accuracy", "n_leaves"):
                key = {"method": method, "noise": 0.2}
                mine = cell(done, metric, where=where, family="normal", model="normal", **key)
                theirs = cell(wine_run.rows, metric, experiment=experiment, **key)
                np.testing.assert_array_equal(mine, theirs, err_msg=f"{where} {method} {metric}")


def test_the_true_model_is_not_tuned(done):
    tuned = set(done.loc[done["metric"] == "uncertainty", "model"])
    assert tuned == {"normal", "matching"}


def test_two_runs_are_equal_and_chunks_are_the_whole(done, wine_run, beyond):
    chunks = [again(wine_run, beyond, repeats=[p]) for p in (1, 0)]
    pd.testing.assert_frame_equal(merged(chunks)["rows"], done)


def test_one_family_more_changes_no_other(done, wine_run, beyond):
    fewer = dataclasses.replace(beyond, families=("laplace", "per_variable"))
    few = again(wine_run, fewer)
    whole = done[done["family"].isin(few["family"].unique())]
    pd.testing.assert_frame_equal(few, whole.reset_index(drop=True))


def test_draws_are_named_by_family_sample_and_factor(beyond, wine_run):
    splits = wine_run.noised["splits"]
    repeat = noise_models_steps._Repeat(wine_run.table, 1, splits, beyond)
    seeds = wine_run.noised["seeds"]
    seeds = seeds[(seeds["repeat"] == 1) & (seeds["noise"] == 0.2)]
    for name, sha256 in zip(seeds["sample"], seeds["sha256"], strict=True):
        assert soft_samples.sha256_of(repeat.noised(name, "normal", 0.2)) == sha256
    # Drawn here once more, from the name alone.
    X, n_categories = wine_run.table.matrix()
    rows = splits[splits["repeat"] == 1]
    train = np.sort(rows.loc[rows["part"] == "train", "row"])
    test = np.sort(rows.loc[rows["part"] == "test", "row"])
    means = soft_samples.variable_means(X[train], n_categories)
    generator = rng(beyond.seed, EXPERIMENT, "wine", 1, "noise_laplace_test_0.2")
    noise = generator.laplace(0.0, np.sqrt(0.5), X[test].shape) * 0.2 * np.abs(means)
    np.testing.assert_array_equal(repeat.noised("test", "laplace", 0.2), X[test] + noise)


def test_multiples_differ_between_repeats(beyond, wine_run):
    splits = wine_run.noised["splits"]
    found = [
        noise_models_steps._Repeat(wine_run.table, number, splits, beyond).multiples
        for number in range(2)
    ]
    hue = list(wine_run.table.X.columns).index("hue")
    for multiples in found:
        assert set(multiples) <= {0.0, 1.0, 2.0}
        assert multiples[hue] == 0  # categorical: no noise
        assert np.delete(multiples, hue).mean() == 1


# ------------------------------------------------------------------------------------ models


def test_gates_have_the_standard_deviation_that_the_factor_says():
    means = np.array([10.0, -4.0, 0.0])
    for family in ("normal", "uniform", "laplace", "student_t"):
        gate = noise_gate(family, 0.2, means, 6.0)
        np.testing.assert_allclose(gate.sigma, [2.0, 0.8, 0.0])
        assert 2 not in gate.models
    for family, shape in (
        ("laplace", stats.laplace(scale=2 / 2**0.5)),
        ("normal", stats.norm(0, 2)),
    ):
        gate = noise_gate(family, 0.2, means, 6.0)
        share = gate.share(0, 1.0, np.array([0.0]))
        np.testing.assert_allclose(share, shape.cdf(1.0))


def test_the_gate_of_proportional_noise_is_relative():
    gate = noise_gate("proportional", 0.2, np.array([10.0, 0.0]), 6.0)
    assert gate.relative == {0} and gate.sigma.tolist() == [0.2, 0.0]
    share = gate.share(0, 110.0, np.array([100.0]))
    np.testing.assert_allclose(share, stats.norm.cdf(0.5))


def test_the_gate_per_variable_knows_the_ratios():
    gate = noise_gate("per_variable", 0.2, np.array([10.0, 5.0, 1.0]), 6.0, np.array([0, 1, 2.0]))
    np.testing.assert_allclose(gate.sigma, [0, 1.0, 0.4])


# --------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"noise_factors": [0, 0.1]},
            "`noise_models.noise_factors` is `0`; give a list of numbers > 0",
        ),
        ({"uncertainties": []}, r"`noise_models.uncertainties` is `\[\]`; name at least one"),
        ({"uncertainties": [0.1, 1.2]}, r"`noise_models\.uncertainties` is `1\.2`; .*> 0 and <= 1"),
        ({"families": ["gauss"]}, "`noise_models.families` is `gauss`; give a list of normal"),
        ({"n_repeats": 0}, "`noise_models.n_repeats` is `0`; give a whole number >= 1"),
        ({"familes": ["normal"]}, "unknown setting `noise_models.familes`"),
    ],
)
def test_a_wrong_setting_is_told(settings, said):
    with pytest.raises(ConfigError, match=said):
        NoiseModelsPlan.from_config(settings, 0, "x")


def test_more_repeats_than_the_splits_hold(wine_run, beyond):
    with pytest.raises(DataError, match="wine: the splits lack repeat 2"):
        again(wine_run, beyond, repeats=[2])


def test_a_set_without_numeric_variables_is_refused(wine_run, beyond):
    hue = dataclasses.replace(wine_run.table, X=wine_run.table.X[["hue"]])
    with pytest.raises(DataError, match="no numeric variable"):
        again(wine_run, beyond, hue)


# -------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def three_sets(done):
    """The rows of one set under three names, shifted, so that averages differ."""
    frames = []
    for k, name in enumerate(("one", "two", "three")):
        shifted = done.assign(dataset=name)
        better = (shifted["method"] == "ss") & (shifted["model"] == "matching")
        shifted.loc[better, "value"] += 0.01 * (k + 1)
        frames.append(shifted)
    return pd.concat(frames, ignore_index=True)


def test_statistics_compare_what_they_say(three_sets):
    tests = COMPARED.statistics(rows_of(three_sets))
    key = {"where": "test", "family": "laplace", "metric": "accuracy"}
    key |= {"first": "ss/matching", "second": "normal"}
    key |= {"pairing": "datasets", "correction": "none"}
    row = tests.loc[(tests[list(key)] == pd.Series(key)).all(axis=1)].squeeze()
    accuracy = three_sets[three_sets["metric"] == "accuracy"]
    accuracy = accuracy[(accuracy["where"] == "test") & (accuracy["family"] == "laplace")]
    means = accuracy[accuracy["method"] == "ss"].groupby(["model", "dataset"])["value"].mean()
    difference = means["matching"] - means["normal"]
    assert row["difference"] == pytest.approx(100 * difference.mean())
    assert row["n"] == 3 and row["groups"] == "ss/matching|normal"
    assert row["p"] == pytest.approx(stats.wilcoxon(difference).pvalue)


def test_pooled_families_are_all_but_the_normal(three_sets):
    tests = COMPARED.statistics(rows_of(three_sets))
    of_pairs = tests[(tests["pairing"] == "repeats") & (tests["correction"] == "none")]
    # Three data sets, two repeats, five families.
    assert set(of_pairs.loc[of_pairs["family"] == POOLED, "n"]) == {3 * 2 * 5}


def test_the_leaves_of_se_are_not_tested_and_holm_only_raises_p(three_sets):
    tests = COMPARED.statistics(rows_of(three_sets))
    assert not ((tests["metric"] == "n_leaves") & tests["first"].str.startswith("se/")).any()
    wide = tests.pivot(index=[*COMPARED.key, "pairing"], columns="correction", values="p")
    assert (wide["holm"] >= wide["none"]).all() and (wide["holm"] > wide["none"]).any()


def test_probabilities_stay_probabilities(wine_run):
    """Soft evaluation under every family: rows add up to 1, so that the Brier score is one."""
    X, n_categories = wine_run.table.matrix()
    learner = noise_models_steps.Learner(
        X, wine_run.table.y, 3, n_categories, 0.5, NoiseModelsPlan(uncertainties=(0.1,))
    )
    for family in FAMILIES:
        multiples = np.array([0.0, 1.0, 2.0, 0.0]) if family == "per_variable" else None
        gate = noise_gate(family, 0.3, learner.means, 6.0, multiples)
        for method in ("ss", "stp", "se"):
            tree, analysis = learner.predictor(method, gate, family)
            probabilities = tree.predict_proba(X, evaluation=analysis)
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            assert 0 <= metrics.brier(wine_run.table.y, probabilities) <= 2
