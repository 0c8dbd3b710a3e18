"""Other noise than Gaussian: protocol, names of draws, models, statistics."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow.data import FAMILIES, TidyTable, rng
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow.experiments.soft import samples as soft_samples
from hedgerow.experiments.soft_beyond import plan as soft_beyond_plan
from hedgerow.experiments.soft_beyond import steps as soft_beyond_steps
from hedgerow.experiments.soft_beyond.plan import COMPARED, POOLED, SoftBeyondPlan
from hedgerow.experiments.soft_beyond.statistics import rows_of
from hedgerow.experiments.soft_beyond.steps import noise_gate


@pytest.fixture(scope="module")
def beyond(plan):
    """The plan of `soft` in conftest, one noise factor of it."""
    return SoftBeyondPlan(
        datasets=("wine",),
        categorical_datasets=("wine",),
        seed=plan.seed,
        n_permutations=plan.n_permutations,
        noise_factors=(0.2,),
        class_noise=(0.3,),
        category_noise=(0.4,),
        factors=(0.1, 0.3),
    )


@pytest.fixture(scope="module")
def done(wine_run, beyond):
    return soft_beyond_steps.run_parts(
        soft_beyond_plan.PARTS,
        wine_run.table,
        wine_run.noised["splits"],
        wine_run.calibration,
        beyond,
    )


def again(wine_run, plan, parts=soft_beyond_plan.PARTS, permutations=None):
    splits, calibration = wine_run.noised["splits"], wine_run.calibration
    return soft_beyond_steps.run_parts(
        parts, wine_run.table, splits, calibration, plan, permutations
    )


def cell(rows, metric="accuracy", **key):
    chosen = rows[rows["metric"] == metric]
    for name, value in key.items():
        chosen = chosen[chosen[name] == value]
    return chosen.sort_values("permutation")["value"].to_numpy()


def test_every_cell_is_there_once(done, beyond):
    rows = done["rows"]
    assert not rows.duplicated([*soft_beyond_plan.KEY, "metric"]).any()
    assert rows["value"].notna().all()
    of_models = rows[(rows["part"] == "noise_models") & (rows["metric"] == "accuracy")]
    # Clean C4.5; per place and family C4.5, and three methods with three models, two if normal.
    per_permutation = 1 + 2 * (6 + 5 * 9 + 6)
    assert len(of_models) == per_permutation * beyond.n_permutations
    assert set(of_models["family"]) == {"none", *FAMILIES}
    matching = of_models[of_models["model"] == "matching"]
    assert "normal" not in set(matching["family"])


def test_c45_under_normal_noise_is_that_of_experiments_1_and_2(done, wine_run):
    """The same divisions, the same draws, the same confidence: the same number."""
    for where, experiment in (("training", "training_noise"), ("test", "test_noise")):
        for metric in ("accuracy", "n_leaves", "brier"):
            mine = cell(done["rows"], metric, where=where, family="normal", method="c45", noise=0.2)
            theirs = cell(wine_run.rows, metric, experiment=experiment, method="c45", noise=0.2)
            np.testing.assert_array_equal(mine, theirs)


def test_tuned_normal_methods_are_those_of_experiments_1_and_2(done, wine_run):
    """Same grid and same folds, so that factor and accuracy agree as well."""
    for where, experiment in (("training", "training_noise"), ("test", "test_noise")):
        for method in ("ss", "stp", "se"):
            for metric in ("factor", "accuracy", "n_leaves"):
                key = {"method": method, "noise": 0.2}
                mine = cell(
                    done["rows"], metric, where=where, family="normal", model="normal", **key
                )
                theirs = cell(wine_run.rows, metric, experiment=experiment, **key)
                np.testing.assert_array_equal(mine, theirs, err_msg=f"{where} {method} {metric}")


def test_the_true_model_is_not_tuned(done):
    rows = done["rows"]
    tuned = set(rows.loc[rows["metric"] == "factor", "model"])
    assert tuned == {"normal", "matching"}


def test_class_noise_without_flips_is_the_clean_run(done, wine_run):
    clean = cell(done["rows"], part="class_noise", noise=0.0, method="c45")
    theirs = cell(wine_run.rows, experiment="test_noise", noise=0.0, method="c45")
    np.testing.assert_array_equal(clean, theirs)


def test_soft_evaluation_of_categories_leaves_the_tree_alone(done):
    rows = done["rows"]
    for where in ("none", "training", "test"):
        key = {"part": "categorical_noise", "where": where}
        trees = [cell(rows, "n_leaves", **key, method="c45")]
        trees += [cell(rows, "n_leaves", **key, method="se", model="matching")]
        np.testing.assert_array_equal(*trees)


def test_two_runs_are_equal_and_chunks_are_the_whole(done, wine_run, beyond):
    chunks = [again(wine_run, beyond, permutations=[p]) for p in (1, 0)]
    joined = soft_beyond_steps.merge({name: [c[name] for c in chunks] for name in done})
    for name, frame in done.items():
        pd.testing.assert_frame_equal(joined[name], frame)


def test_one_family_more_changes_no_other(done, wine_run, beyond):
    fewer = dataclasses.replace(beyond, families=("laplace", "per_variable"))
    few = again(wine_run, fewer, ["noise_models"])["rows"]
    whole = done["rows"]
    whole = whole[(whole["part"] == "noise_models") & whole["family"].isin(few["family"].unique())]
    pd.testing.assert_frame_equal(few, whole.reset_index(drop=True))


def test_draws_are_named_by_family_sample_and_factor(done, beyond, wine_run):
    draws = done["draws"]
    assert not draws.duplicated(["permutation", "experiment", "stream"]).any()
    seeds = wine_run.noised["seeds"]
    normal = draws[(draws["family"] == "normal")].merge(
        seeds, on=["permutation", "sample", "noise"], suffixes=("", "_soft")
    )
    assert len(normal) and (normal["sha256"] == normal["sha256_soft"]).all()
    assert (normal["experiment"] == "soft").all()
    one = draws[(draws["family"] == "laplace") & (draws["sample"] == "test")].iloc[0]
    assert (one["experiment"], one["stream"]) == ("soft_beyond", "noise_laplace_test_0.2")
    # Drawn here once more, from the name alone.
    X, n_categories = wine_run.table.matrix()
    splits = wine_run.noised["splits"]
    rows = splits[splits["permutation"] == one["permutation"]]
    train = np.sort(rows.loc[rows["part"] == "train", "row"])
    test = np.sort(rows.loc[rows["part"] == "test", "row"])
    means = soft_samples.variable_means(X[train], n_categories)
    generator = rng(beyond.seed, "soft_beyond", "wine", one["permutation"], one["stream"])
    noise = generator.laplace(0.0, np.sqrt(0.5), X[test].shape) * 0.2 * np.abs(means)
    assert soft_samples.sha256_of(X[test] + noise) == one["sha256"]


def test_multiples_are_recorded_and_differ_between_permutations_by_name(done):
    multiples = done["multiples"]
    assert set(multiples["multiple"]) <= {0.0, 1.0, 2.0}
    by_variable = multiples.pivot(index="variable", columns="permutation", values="multiple")
    assert (by_variable.loc["hue"] == 0).all()  # categorical: no noise
    assert (by_variable.drop("hue").mean() == 1).all()


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
            "`soft_beyond.noise_factors` is `0`; give a list of numbers > 0",
        ),
        ({"factors": []}, r"`soft_beyond.factors` is `\[\]`; name at least one"),
        ({"class_noise": [1.5]}, "`soft_beyond.class_noise` is `1.5`; .*> 0 and <= 1"),
        ({"families": ["gauss"]}, "`soft_beyond.families` is `gauss`; give a list of normal"),
        ({"n_permutations": 0}, "`soft_beyond.n_permutations` is `0`; give a whole number >= 1"),
        ({"familes": ["normal"]}, "unknown setting `soft_beyond.familes`"),
    ],
)
def test_a_wrong_setting_is_told(settings, said):
    with pytest.raises(ConfigError, match=said):
        SoftBeyondPlan.from_config(settings, 0, "x")


def test_a_factor_above_1_is_no_probability_of_a_category():
    with pytest.raises(ConfigError, match=r"`soft_beyond\.factors` is `1\.2`; .*> 0 and <= 1"):
        SoftBeyondPlan(factors=(0.1, 1.2))


def test_more_permutations_than_the_splits_hold(wine_run, beyond):
    with pytest.raises(DataError, match="wine: the splits lack permutation 2"):
        again(wine_run, beyond, ["class_noise"], permutations=[2])


def test_a_set_without_the_variables_is_refused(wine_run, beyond):
    X = wine_run.table.X
    numeric = dataclasses.replace(wine_run.table, X=X.drop(columns="hue"))
    splits, calibration = wine_run.noised["splits"], wine_run.calibration
    with pytest.raises(DataError, match="no categorical variable"):
        soft_beyond_steps.run("categorical_noise", numeric, splits, calibration, beyond)
    categories = dataclasses.replace(wine_run.table, X=X[["hue"]])
    with pytest.raises(DataError, match="no numeric variable"):
        soft_beyond_steps.run("noise_models", categories, splits, calibration, beyond)
    with pytest.raises(ConfigError, match="no part is called 'noise'"):
        soft_beyond_steps.run("noise", wine_run.table, splits, calibration, beyond)


def test_without_numeric_variables_only_c45_and_the_model_of_categories_run(wine_run, beyond):
    hue = dataclasses.replace(wine_run.table, X=wine_run.table.X[["hue"]])
    rows = soft_beyond_steps.run(
        "categorical_noise", hue, wine_run.noised["splits"], wine_run.calibration, beyond
    )["rows"]
    assert set(zip(rows["method"], rows["model"], strict=True)) == {
        ("c45", "none"),
        ("se", "matching"),
        ("se", "true"),
    }
    assert isinstance(hue, TidyTable)


# -------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def three_sets(done):
    """The rows of one set under three names, shifted, so that averages differ."""
    frames = []
    for k, name in enumerate(("one", "two", "three")):
        shifted = done["rows"].assign(dataset=name)
        better = (shifted["method"] == "ss") & (shifted["model"] == "matching")
        shifted.loc[better, "value"] += 0.01 * (k + 1)
        frames.append(shifted)
    return pd.concat(frames, ignore_index=True)


def test_statistics_compare_what_they_say(three_sets):
    tests = COMPARED.statistics(rows_of(three_sets))
    key = {"part": "noise_models", "where": "test", "family": "laplace", "metric": "accuracy"}
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
    of_pairs = tests[(tests["pairing"] == "permutations") & (tests["correction"] == "none")]
    pooled = of_pairs[(of_pairs["family"] == POOLED) & (of_pairs["part"] == "noise_models")]
    # Three data sets, two permutations, five families.
    assert set(pooled["n"]) == {3 * 2 * 5}
    assert not (tests[tests["part"] != "noise_models"]["family"] == POOLED).any()


def test_the_leaves_of_se_are_not_tested_and_holm_only_raises_p(three_sets):
    tests = COMPARED.statistics(rows_of(three_sets))
    assert not ((tests["metric"] == "n_leaves") & tests["first"].str.startswith("se/")).any()
    wide = tests.pivot(index=[*COMPARED.key, "pairing"], columns="correction", values="p")
    assert (wide["holm"] >= wide["none"]).all() and (wide["holm"] > wide["none"]).any()


def test_a_part_without_rows_has_no_tests(three_sets):
    only = three_sets[three_sets["part"] == "class_noise"]
    assert set(COMPARED.statistics(rows_of(only))["part"]) == {"class_noise"}


def test_probabilities_stay_probabilities(wine_run):
    """Soft evaluation under every family: rows add up to 1, so that the Brier score is one."""
    X, n_categories = wine_run.table.matrix()
    learner = soft_beyond_steps._Learner(
        X, wine_run.table.y, 3, n_categories, 0.5, SoftBeyondPlan(factors=(0.1,))
    )
    for family in FAMILIES:
        multiples = np.array([0.0, 1.0, 2.0, 0.0]) if family == "per_variable" else None
        gate = noise_gate(family, 0.3, learner.means, 6.0, multiples)
        for method in ("ss", "stp", "se"):
            predict = soft_beyond_steps._soft_probabilities(learner, method, gate, family)
            probabilities = predict(X)
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            assert 0 <= metrics.brier(wine_run.table.y, probabilities) <= 2
