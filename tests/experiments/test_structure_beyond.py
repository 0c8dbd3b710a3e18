"""Beyond chapter 5: variants over data sets, prototypes, ensembles, stability."""

import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from statsmodels.stats.multitest import multipletests

from hedgerow import C45Classifier, SoftTreeClassifier, UCTTreeClassifier
from hedgerow.data import TidyTable, seed_sequence, split
from hedgerow.errors import ConfigError, DataError, HedgerowWarning
from hedgerow.evaluation import metrics
from hedgerow.experiments.frames import joined
from hedgerow.experiments.structure import plan as structure_plan
from hedgerow.experiments.structure import steps as structure_steps
from hedgerow.experiments.structure.plan import StructurePlan
from hedgerow.experiments.structure_beyond import plan as structure_beyond_plan
from hedgerow.experiments.structure_beyond import statistics as structure_beyond_statistics
from hedgerow.experiments.structure_beyond import steps as structure_beyond_steps
from hedgerow.experiments.structure_beyond.plan import (
    KEYS,
    LEARNERS,
    METRICS,
    QUESTIONS,
    STRATEGIES,
    VALUES,
    StructureBeyondPlan,
)
from hedgerow.experiments.structure_beyond.statistics import by_group, scores_by_variant
from hedgerow.experiments.structure_beyond.steps import f1_and_accuracy, sample_weights
from hedgerow.structure import TreeEditDistance, class_prediction_distance, select_diverse
from hedgerow.tree import forest_from_frame


@pytest.fixture(scope="module")
def plan():
    return StructureBeyondPlan(
        seed=3,
        n_splits=2,
        n_iterations=400,
        sizes=(2, 4),
        n_draws=5,
        n_bagged=8,
        stability_splits=1,
        n_bootstrap=3,
        uct_iterations=60,
    )


@pytest.fixture(scope="module")
def protocol():
    return StructurePlan(
        seed=3, n_trees=25, max_tests=4, value_pruning_interval=100, n_clusters=3, n_components=3
    )


@pytest.fixture(scope="module")
def done(wine, plan, protocol):
    return structure_beyond_steps.run(wine, plan, protocol)


def trees_of(frame, **key):
    for name, value in key.items():
        frame = frame[frame[name] == value]
    return forest_from_frame(frame, KEYS["grown"])[1]


# ----------------------------------------------------------------------------------------- run


def test_tables_hold_what_they_say(done, plan):
    assert set(done) == set(KEYS)
    for name, columns in VALUES.items():
        assert list(done[name].columns) == [*KEYS[name], *columns]
        assert not done[name].duplicated(KEYS[name]).any()
    assert set(done["closeness"]["scale"]) == {"unnormalized", "normalized", "prototypes"}
    own = done["grown"].drop_duplicates(KEYS["grown"])
    counts = own.groupby(["split", "learner"]).size().to_dict()
    assert counts == {(0, "c45"): 8, (0, "ss"): 3, (0, "stp"): 3, (0, "uct_vs"): 3, (1, "c45"): 8}
    assert done["stability"]["split"].unique().tolist() == [0]
    assert done["stability"]["learner"].tolist() == list(LEARNERS)


@pytest.mark.slow
def test_chunks_put_together_are_the_whole(wine, plan, protocol, done):
    chunks = [structure_beyond_steps.run(wine, plan, protocol, [s]) for s in (1, 0)]
    for name in KEYS:
        merged = joined([c[name] for c in chunks], KEYS[name])
        pd.testing.assert_frame_equal(merged, joined([done[name]], KEYS[name]))


def test_forests_are_those_of_structure(wine, plan, protocol, done):
    settings = SimpleNamespace(**{**vars(protocol), "n_iterations": plan.n_iterations})
    pd.testing.assert_frame_equal(
        structure_steps.learn(wine, settings, [0, 1])["forests"], done["forests"]
    )


@pytest.mark.slow
def test_forests_of_too_few_trees_are_left_out_and_nothing_else(wine, plan, protocol, monkeypatch):
    """The first forest finds nothing, the second ten trees less."""
    learn = structure_steps.learn

    def fewer(table, settings, forests):
        if 0 in forests:
            raise DataError("wine: the search for forest 0 found 1 tree", remedy="none")
        return learn(table, settings, forests)

    monkeypatch.setattr(structure_beyond_steps, "structure_learn", fewer)
    found = structure_beyond_steps.run(wine, plan, protocol)
    for name in ("forests", "trees", "examples", "closeness", "scores"):
        assert set(found[name]["forest"]) == {1}
    pools = found["ensembles"].groupby("pool")["split"].unique().map(list).to_dict()
    assert pools == {"c45": [0, 1], "uct": [1]}
    monkeypatch.setattr(structure_beyond_steps, "FEWEST_TREES", 26)
    small = StructurePlan(**{**vars(protocol), "n_trees": 30, "max_tests": 1})
    found = structure_beyond_steps.run(wine, plan, small)
    for name in ("forests", "trees", "examples", "closeness", "scores"):
        assert len(found[name]) == 0 and set(KEYS[name]) <= set(found[name].columns)
    assert set(found["ensembles"]["pool"]) == {"c45"} and len(found["stability"]) == 4


# ------------------------------------------------------------------------------------- growing


def test_samples_have_as_many_rows_and_do_not_depend_on_their_number():
    few, many = (sample_weights("a", 1, 50, n, 7) for n in (2, 6))
    assert many.sum(axis=1).tolist() == [50.0] * 6
    assert np.array_equal(few, many[:2])
    assert not np.array_equal(many[0], many[1])
    assert not np.array_equal(many, sample_weights("a", 2, 50, 6, 7))


@pytest.mark.parametrize("learner", ["c45", "ss", "stp"])
def test_weights_stand_for_repeated_rows(wine, plan, protocol, learner):
    weight = sample_weights("wine", 0, len(wine), 1, 5)[0]
    rows = np.repeat(np.arange(len(wine)), weight.astype(int))
    by_weight = structure_beyond_steps._learner(learner, "wine", 0, 0, plan, protocol)
    by_weight.fit(wine.X, wine.y, sample_weight=weight)
    by_rows = structure_beyond_steps._learner(learner, "wine", 0, 0, plan, protocol)
    by_rows.fit(wine.X.iloc[rows], wine.y[rows])
    for name in ("feature", "children_left", "class_weight", "threshold"):
        one, two = by_weight.tree_.arrays()[name], by_rows.tree_.arrays()[name]
        assert np.allclose(one, two, atol=1e-9, equal_nan=True), name


def test_centred_variables_are_not_warned_of(wine, plan, protocol):
    """The variables of titanic are: a factor of their means is 0, as in the thesis."""
    numbers = wine.X.select_dtypes("number")
    X = wine.X.assign(**(numbers - numbers.mean()))
    with pytest.warns(HedgerowWarning, match="mean, which is about 0"):
        structure_beyond_steps._learner("ss", "wine", 0, 0, plan, protocol).fit(X, wine.y)
    centred = dataclasses.replace(wine, X=X)
    grown = structure_beyond_steps.grow_samples(centred, plan, protocol, [0])
    assert set(grown["learner"]) == set(LEARNERS)


def test_copies_of_a_row_stay_on_one_side_of_the_search(wine, plan, protocol):
    weight = sample_weights("wine", 0, len(wine), 1, 5)[0]
    search = structure_beyond_steps._learner("uct_vs", "wine", 0, 0, plan, protocol)
    search.fit(wine.X, wine.y, sample_weight=weight)
    assert not set(search.induction_indices_) & set(search.validation_indices_)
    assert search.tree_.class_weight[0].sum() == weight[search.induction_indices_].sum()


def test_learners_are_those_that_the_plan_describes(plan, protocol):
    made = {
        name: structure_beyond_steps._learner(name, "wine", 1, 2, plan, protocol)
        for name in LEARNERS
    }
    assert type(made["c45"]) is C45Classifier and type(made["ss"]) is SoftTreeClassifier
    assert (made["ss"].search, made["ss"].propagation, made["ss"].evaluation) == (0.1, None, None)
    assert (made["stp"].search, made["stp"].propagation, made["stp"].evaluation) == (
        None,
        0.1,
        None,
    )
    assert isinstance(made["uct_vs"], UCTTreeClassifier)
    assert (made["uct_vs"].policy, made["uct_vs"].n_iterations) == ("vs", 60)
    assert {m.confidence for m in made.values()} == {0.25}
    other = structure_beyond_steps._learner("uct_vs", "wine", 1, 3, plan, protocol)
    assert other.random_state != made["uct_vs"].random_state


def test_learners_have_the_settings_of_the_searches_of_structure(plan, protocol):
    """They were declared by the step and changed nothing: each learner had the library's own."""
    given = {
        **{"n_candidates": 2, "exploration": 0.5, "value_pruning_interval": 40},
        **{"value_pruning_depth": 3, "validation_fraction": 0.4, "min_samples_split": 9.0},
    }
    other = dataclasses.replace(protocol, **given)
    made = [structure_beyond_steps._learner(n, "wine", 1, 2, plan, other) for n in LEARNERS]
    assert {learner.min_samples_split for learner in made} == {9.0}
    assert {name: getattr(made[-1], name) for name in given} == given


def test_a_class_that_a_sample_lacks_has_no_weight():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 2], 6)
    fitted = C45Classifier(prune=False).fit(X, y)
    tree = structure_beyond_steps._with_all_classes(fitted.tree_, fitted.classes_, 3)
    assert tree.class_weight[0].tolist() == [6.0, 0.0, 6.0]
    assert tree.predict_proba(np.array([[11.0]])).tolist() == [[0.0, 0.0, 1.0]]


# ----------------------------------------------------------------------------------- ensembles


def test_many_scores_at_once_are_those_of_the_metrics():
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 40)
    predicted = random.integers(0, 3, (5, 40))
    predicted[4] = 1  # two classes are never predicted
    f1, accuracy = f1_and_accuracy(y, predicted, 4)  # and one is not there
    for i in range(5):
        probabilities = np.eye(4)[predicted[i]]
        assert f1[i] == pytest.approx(100 * metrics.macro_f1(y, probabilities))
        assert accuracy[i] == pytest.approx(100 * metrics.accuracy(y, probabilities))


@pytest.mark.parametrize(("pool", "k"), [*itertools.product(("uct", "c45"), (2, 4))])
def test_ensembles_are_means_of_the_chosen_trees(wine, plan, protocol, done, pool, k):
    number = 1
    train, test = split(wine, number, seed=3, experiment="structure", test_size=protocol.test_size)
    values = wine.matrix()[0]
    if pool == "uct":
        own = done["forests"][done["forests"]["forest"] == number]
        scores = own["validation_f1"].to_numpy()
        nodes = done["trees"][done["trees"]["forest"] == number]
        trees = forest_from_frame(nodes, structure_plan.TREE)[1]
    else:
        trees = trees_of(done["grown"], split=number, learner="c45")
        weights = sample_weights("wine", number, len(train), 8, 3)
        scores = np.array(
            [
                100 * metrics.macro_f1(wine.y[r], tree.predict_proba(values[r]))
                for tree, r in zip(trees, [train[w == 0] for w in weights], strict=True)
            ]
        )
    D = TreeEditDistance("B2").fit(values[train], wine.y[train]).pairwise(trees)
    D_p = class_prediction_distance(trees, values[train])
    order = np.argsort(-scores, kind="stable")
    chosen = {
        "structure": select_diverse(trees, k, D, scores=scores),
        "predictions": select_diverse(trees, k, D_p, scores=scores),
        "best": order[:k],
        "whole": np.arange(len(trees)),
        "single": order[:1],
    }
    rows = done["ensembles"]
    rows = rows[(rows["split"] == number) & (rows["pool"] == pool) & (rows["k"] == k)]
    rows = rows.set_index("strategy")
    assert set(rows.index) == set(STRATEGIES) and (rows["n_trees"] == len(trees)).all()
    for strategy, places in chosen.items():
        probabilities = np.mean([trees[i].predict_proba(values[test]) for i in places], axis=0)
        row = rows.loc[strategy]
        probabilities = np.round(probabilities, 12)
        assert row["f1"] == pytest.approx(100 * metrics.macro_f1(wine.y[test], probabilities))
        assert row["accuracy"] == pytest.approx(100 * metrics.accuracy(wine.y[test], probabilities))
        pairs = list(itertools.combinations(places, 2))
        expected = np.mean([D[a, b] for a, b in pairs]) if pairs else np.nan
        assert row["mean_distance"] == pytest.approx(expected, nan_ok=True)
        alone = [
            100 * metrics.macro_f1(wine.y[test], trees[i].predict_proba(values[test]))
            for i in places
        ]
        assert row["member_f1"] == pytest.approx(np.mean(alone))


def test_random_ensembles_draw_without_replacement_and_the_accurate_ones_from_the_best(plan):
    scores = np.arange(10.0)[::-1]  # the first is the best
    D = np.abs(np.arange(10.0)[:, None] - np.arange(10.0))
    plan = SimpleNamespace(n_draws=300, share=0.4)
    stream = np.random.default_rng(0)
    chosen = structure_beyond_steps._chosen([None] * 10, 3, D, D, scores, stream, plan)
    for name, n in (("random", 10), ("random_accurate", 4)):
        assert chosen[name].shape == (300, 3)
        assert all(len(set(row)) == 3 for row in chosen[name].tolist())
        times = np.bincount(chosen[name].ravel(), minlength=10)
        assert set(np.flatnonzero(times)) == set(range(n))
        # Each of n trees as often as any other: binomial, five standard deviations.
        p = 3 / n
        assert np.abs(times[:n] - 300 * p).max() < 5 * np.sqrt(300 * p * (1 - p))


# ----------------------------------------------------------------------------------- stability


def test_stability_is_the_mean_over_pairs(wine, plan, protocol, done):
    train, test = split(wine, 0, seed=3, experiment="structure", test_size=protocol.test_size)
    values = wine.matrix()[0]
    for row in done["stability"].itertuples():
        trees = trees_of(done["grown"], split=0, learner=row.learner)[:3]
        pairs = list(itertools.combinations(trees, 2))
        sizes = [(t.feature >= 0).sum() for t in trees]
        for cost, mean, relative in (
            ("A1", row.distance_a1, row.relative_a1),
            ("B2", row.distance_b2, row.relative_b2),
        ):
            metric = TreeEditDistance(cost).fit(values[train], wine.y[train])
            found = [metric.distance(a, b) for a, b in pairs]
            assert mean == pytest.approx(np.mean(found))
            # Each tree is in two of the three pairs.
            assert relative == pytest.approx(np.sum(found) / (2 * np.sum(sizes)))
        predicted = [t.predict_proba(values[test]).argmax(axis=1) for t in trees]
        apart = [np.mean(a != b) for a, b in itertools.combinations(predicted, 2)]
        assert row.d_p == pytest.approx(np.mean(apart))
        assert row.n_tests == pytest.approx(np.mean(sizes)) and row.n_trees == 3


def test_trees_without_tests_have_no_relative_distance(wine, plan, protocol):
    leaf = C45Classifier(max_depth=0).fit(wine.X, wine.y).tree_
    keys = [("wine", 0, learner, i) for learner in LEARNERS for i in range(3)]
    from hedgerow.tree import forest_to_frame

    grown = forest_to_frame([leaf] * 12, pd.DataFrame(keys, columns=KEYS["grown"]))
    found = structure_beyond_steps.stability(wine, grown, plan, protocol)
    assert found["relative_a1"].isna().all() and (found["distance_a1"] == 0).all()
    assert (found["n_leaves_only"] == 3).all()


# ------------------------------------------------------------------------------------ patterns


def test_the_forests_that_are_drawn():
    data = load_breast_cancer(as_frame=True)
    table = TidyTable("wdbc", data.data, data.target.to_numpy(), ["m", "b"], "class")
    plan = StructureBeyondPlan(seed=3, patterns_trees=5, patterns_depth=2)
    frame = structure_beyond_steps.patterns(table, plan)
    keys, trees = forest_from_frame(frame, structure_beyond_plan.PATTERN)
    assert keys["forest"].tolist() == ["random_forest"] * 5 + ["c45"] * 5
    trees, grown = trees[:5], trees[5:]
    assert max(t.depth for t in trees) == 2
    # Each C4.5 tree has the weight of one sample, and no two samples are the same.
    assert {t.class_weight[0].sum() for t in grown} == {569.0}
    assert len({t.to_json() for t in grown}) == 5
    sequence = seed_sequence(3, "structure_beyond", "wdbc", None, "random forest")
    forest = RandomForestClassifier(
        5, max_depth=2, random_state=int(sequence.generate_state(1, dtype=np.uint32)[0])
    ).fit(data.data.to_numpy(), data.target)
    X = data.data.to_numpy(dtype=np.float32).astype(float)  # as scikit-learn reads them
    mean = np.mean([t.predict_proba(X) for t in trees], axis=0)
    assert np.allclose(mean, forest.predict_proba(X))


def test_a_set_with_categories_is_refused(wine, plan):
    with pytest.raises(DataError, match="wine has missing values or categorical variables"):
        structure_beyond_steps.patterns(wine, plan)


# ---------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def made_up():
    """MADE UP: seven data sets of two forests; B is .1 above A, normalised .2 below, and the
    second forest of the last set has no pair of correlated variables."""
    random = np.random.default_rng(8)
    closeness, scores, ensembles, stability = [], [], [], []
    for d, forest in itertools.product(range(7), range(2)):
        for method, scale in itertools.product(
            structure_plan.VARIANTS, structure_beyond_plan.SCALES
        ):
            base = 0.4 + 0.1 * method.startswith("edit_b") - 0.2 * (scale == "normalized")
            base += 0.01 * d + 0.001 * random.random()
            key = {"dataset": f"set_{d}", "forest": forest, "method": method, "scale": scale}
            closeness.append({**key, **dict.fromkeys(structure_beyond_plan.OF_PAIRS, base)})
            for seed in range(2):
                own = {m: base + 0.02 * seed for m in structure_beyond_plan.OF_CLUSTERS[:5]}
                if d == 6 and forest == 1:
                    own["correlated_substitution_score"] = np.nan
                scores.append({**key, "seed": seed, **own, "chance": 0.25})
        for pool, k, strategy in itertools.product(("uct", "c45"), (3, 5), STRATEGIES):
            gain = 1.0 if strategy == "structure" and pool == "uct" else 0.0
            row = {"dataset": f"set_{d}", "split": forest, "pool": pool, "k": k}
            ensembles.append({**row, "strategy": strategy, "f1": 70 + d + gain, "accuracy": 80.0})
        for learner in LEARNERS:
            row = {"dataset": f"set_{d}", "split": forest, "learner": learner}
            values = dict.fromkeys(
                structure_beyond_plan.OF_LEARNERS, 2.0 - (learner == "stp") + 0.1 * d
            )
            if d == 0 and learner == "ss" and forest == 0:
                values["relative_a1"] = np.nan
            stability.append({**row, **values})
    made = {"closeness": closeness, "scores": scores, "ensembles": ensembles}
    return {n: pd.DataFrame(rows) for n, rows in {**made, "stability": stability}.items()}


@pytest.fixture(scope="module")
def tests(made_up):
    return structure_beyond_statistics.statistics(made_up)


def one(frame, **key):
    for name, value in key.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1, key
    return frame.iloc[0]


def test_a_forest_without_a_value_is_left_out_of_all_variants(made_up):
    wide = scores_by_variant(made_up, "correlated_substitution_score")
    own = made_up["scores"]
    own = own[(own["dataset"] == "set_6") & (own["forest"] == 0) & (own["method"] == "edit_a1")]
    expected = own[own["scale"] == "normalized"]["correlated_substitution_score"].mean()
    assert wide.loc["set_6", ("edit_a1", "normalized")] == pytest.approx(expected)
    gone = made_up["scores"]["dataset"].eq("set_6") & made_up["scores"]["seed"].eq(1)
    holed = made_up["scores"].mask(gone & made_up["scores"]["method"].eq("edit_b1"))
    scores = made_up["scores"].assign(silhouette=holed["silhouette"])
    wide = scores_by_variant({**made_up, "scores": scores}, "silhouette")
    assert "set_6" not in wide.index and len(wide) == 6


def test_above_chance_is_less_the_share_of_all_pairs(made_up):
    plain = scores_by_variant(made_up, "same_variable_substitution_score")
    above = scores_by_variant(made_up, "same_variable_substitution_score_above_chance")
    assert np.allclose(plain - above, 0.25)


def test_questions_compare_means_of_variants_over_data_sets(made_up, tests):
    wide = scores_by_variant(made_up, "silhouette")
    b = (wide["edit_b1", "unnormalized"] + wide["edit_b2_spearman", "unnormalized"]) / 2
    a = (wide["edit_a1", "unnormalized"] + wide["edit_a2_spearman", "unnormalized"]) / 2
    key = {"part": "questions", "metric": "silhouette"}
    row = one(tests, **key, cell="unitary_substitution", correction="none")
    assert (row["first"], row["second"], row["n"]) == ("B", "A", 7)
    assert row["difference"] == pytest.approx((b - a).mean())
    assert row["p"] == pytest.approx(stats.wilcoxon(b, a).pvalue) and row["p"] == 2 / 2**7
    corrected = tests[(tests["part"] == "questions") & (tests["correction"] == "holm")]
    corrected = corrected[corrected["metric"] == "silhouette"].set_index("cell")
    plain = tests[(tests["part"] == "questions") & (tests["correction"] == "none")]
    plain = plain[plain["metric"] == "silhouette"].set_index("cell")
    assert set(plain.index) == set(QUESTIONS)
    expected = multipletests(plain["p"], method="holm")[1]
    assert np.allclose(corrected.loc[plain.index, "p"], expected)


def test_variants_have_friedman_and_all_pairs(made_up, tests):
    own = tests[(tests["part"] == "variants") & (tests["metric"] == "rank_correlation_with_d_p")]
    assert (own["name"] == "nemenyi").sum() == 16 * 15 // 2
    wide = scores_by_variant(made_up, "rank_correlation_with_d_p").drop(
        columns="prototypes", level="scale"
    )
    row = own[own["name"] == "friedman"].iloc[0]
    assert row["p"] == pytest.approx(stats.friedmanchisquare(*wide.to_numpy().T).pvalue)
    assert set(tests.loc[tests["part"] == "variants", "metric"]) == set(METRICS)


def test_ensembles_are_compared_cell_by_cell(tests):
    own = tests[(tests["part"] == "ensembles") & (tests["correction"] == "none")]
    assert len(own) == 2 * 2 * 2 * (len(STRATEGIES) - 1)
    row = one(own, cell="uct/5", metric="f1", second="random")
    assert (row["difference"], row["p"], row["n"]) == (pytest.approx(1.0), 2 / 2**7, 7)
    assert one(own, cell="c45/3", metric="f1", second="best")["p"] == 1.0


def test_learners_are_compared_with_c45_on_common_divisions(made_up, tests):
    own = tests[(tests["part"] == "stability") & (tests["correction"] == "none")]
    assert set(own["second"]) == {"c45"} and len(own) == 7 * 3
    row = one(own, metric="relative_a1", first="stp")
    assert row["difference"] == pytest.approx(-1.0) and row["n"] == 7
    wide = by_group(made_up["stability"], "relative_a1", "learner")
    assert wide.loc["set_0", "ss"] == 2.0  # of the other division
    lost = made_up["stability"].copy()
    lost.loc[(lost["dataset"] == "set_0") & (lost["learner"] == "ss"), "relative_a1"] = np.nan
    found = structure_beyond_statistics.statistics({**made_up, "stability": lost})
    found = found[(found["part"] == "stability") & (found["metric"] == "relative_a1")]
    assert (found["n"] == 6).all()


def test_a_metric_that_no_forest_has_is_left_out(made_up):
    scores = made_up["scores"].assign(correlated_substitution_score=np.nan)
    found = structure_beyond_statistics.statistics({**made_up, "scores": scores})
    there = set(found.loc[found["part"] == "questions", "metric"])
    gone = {"correlated_substitution_score", "correlated_substitution_score_above_chance"}
    assert there == set(METRICS) - gone


# ---------------------------------------------------------------------------------------- plan


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": (1, 3)}, "`structure_beyond.sizes` is `1`; give a list of whole numbers >= 2"),
        ({"sizes": ()}, r"`structure_beyond.sizes` is `\[\]`; name at least one"),
        ({"n_bootstrap": 1}, "`structure_beyond.n_bootstrap` is `1`; give a whole number >= 2"),
        ({"factor": 0}, "`structure_beyond.factor` is `0`; give a number > 0"),
        ({"share": 1.5}, "`structure_beyond.share` is `1.5`; give a number > 0 and <= 1"),
    ],
)
def test_bad_settings_name_the_culprit(arguments, message):
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        StructureBeyondPlan(**arguments)
