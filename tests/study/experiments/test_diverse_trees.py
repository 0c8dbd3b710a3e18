"""Beyond chapter 5: variants over data sets, prototypes, ensembles."""

import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hedgerow import C45Classifier
from hedgerow.data import split
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow.structure import TreeEditDistance, class_prediction_distance, select_diverse
from hedgerow.tree import forest_from_frame
from hedgerow_study.experiments.frames import concat_sorted
from hedgerow_study.experiments.structure import plan as structure_plan
from hedgerow_study.experiments.structure import steps as structure_steps
from hedgerow_study.experiments.structure.plan import StructurePlan
from hedgerow_study.extensions.diverse_trees import plan as diverse_trees_plan
from hedgerow_study.extensions.diverse_trees import statistics as diverse_trees_statistics
from hedgerow_study.extensions.diverse_trees import steps as diverse_trees_steps
from hedgerow_study.extensions.diverse_trees.plan import (
    KEYS,
    METRICS,
    QUESTIONS,
    STRATEGIES,
    VALUES,
    DiverseTreesPlan,
)
from hedgerow_study.extensions.diverse_trees.statistics import scores_by_forest
from hedgerow_study.extensions.diverse_trees.steps import f1_and_accuracy, sample_weights


@pytest.fixture(scope="module")
def plan():
    return DiverseTreesPlan(
        seed=3,
        n_repeats=2,
        n_iterations=400,
        sizes=(2, 4),
        n_draws=5,
        n_bagged=8,
    )


@pytest.fixture(scope="module")
def protocol():
    return StructurePlan(
        seed=3, n_trees=25, max_tests=4, value_pruning_interval=100, n_clusters=3, n_components=3
    )


@pytest.fixture(scope="module")
def done(wine, plan, protocol):
    return diverse_trees_steps.run(wine, plan, protocol)


def trees_of(frame, **key):
    for name, value in key.items():
        frame = frame[frame[name] == value]
    return forest_from_frame(frame, KEYS["grown"])[1]


# ----------------------------------------------------------------------------------------- run


def test_tables_hold_what_they_say(done, plan):
    assert set(done) == set(KEYS)
    assert list(done["ensembles"].columns) == [*KEYS["ensembles"], *VALUES]
    assert not done["ensembles"].duplicated(KEYS["ensembles"]).any()
    assert set(done["closeness"]["scale"]) == {"unnormalized", "normalized", "prototypes"}
    own = done["grown"].drop_duplicates(KEYS["grown"])
    assert own.groupby("repeat").size().to_dict() == {0: 8, 1: 8}


@pytest.mark.slow
def test_chunks_put_together_are_the_whole(wine, plan, protocol, done):
    chunks = [diverse_trees_steps.run(wine, plan, protocol, [s]) for s in (1, 0)]
    for name in KEYS:
        merged = concat_sorted([c[name] for c in chunks], KEYS[name])
        pd.testing.assert_frame_equal(merged, concat_sorted([done[name]], KEYS[name]))


def test_forests_are_those_of_structure(wine, plan, protocol, done):
    settings = SimpleNamespace(**{**vars(protocol), "n_iterations": plan.n_iterations})
    pd.testing.assert_frame_equal(
        structure_steps.learn(wine, settings, [0, 1])["forests"], done["forests"]
    )


@pytest.mark.slow
def test_forests_of_too_few_trees_are_left_out_and_nothing_else(wine, plan, protocol, monkeypatch):
    """The first forest finds nothing, the second ten trees less."""
    learn = structure_steps.learn

    def fewer(table, settings, repeats):
        if 0 in repeats:
            raise DataError("wine: the search for forest 0 found 1 tree", remedy="none")
        return learn(table, settings, repeats)

    monkeypatch.setattr(diverse_trees_steps, "structure_learn", fewer)
    found = diverse_trees_steps.run(wine, plan, protocol)
    for name in ("forests", "trees", "closeness", "scores"):
        assert set(found[name]["repeat"]) == {1}
    pools = found["ensembles"].groupby("pool")["repeat"].unique().map(list).to_dict()
    assert pools == {"c45": [0, 1], "uct": [1]}
    monkeypatch.setattr(diverse_trees_steps, "FEWEST_TREES", 26)
    small = StructurePlan(**{**vars(protocol), "n_trees": 30, "max_tests": 1})
    found = diverse_trees_steps.run(wine, plan, small)
    for name in ("forests", "trees", "closeness", "scores"):
        assert len(found[name]) == 0 and set(KEYS[name]) <= set(found[name].columns)
    assert set(found["ensembles"]["pool"]) == {"c45"}


# ------------------------------------------------------------------------------------- growing


def test_samples_have_as_many_rows_and_do_not_depend_on_their_number():
    few, many = (sample_weights("a", 1, 50, n, 7) for n in (2, 6))
    assert many.sum(axis=1).tolist() == [50.0] * 6
    assert np.array_equal(few, many[:2])
    assert not np.array_equal(many[0], many[1])
    assert not np.array_equal(many, sample_weights("a", 2, 50, 6, 7))


def test_trees_of_samples_are_made_again_by_hand(wine, plan, protocol):
    """Settings of `structure` were declared by the step and changed nothing."""
    train, _ = split(wine, 1, seed=3, experiment="structure", test_size=protocol.test_size)
    weight = sample_weights("wine", 1, len(train), 8, 3)[2]
    for least in (4.0, 30.0):
        other = dataclasses.replace(protocol, min_samples_split=least)
        grown = diverse_trees_steps.grow_samples(wine, plan, other, [1])
        tree = trees_of(grown, repeat=1, sample=2)[0].arrays()
        model = C45Classifier(confidence=0.25, min_samples_split=least)
        model.fit(wine.X.iloc[train], wine.y[train], sample_weight=weight)
        for name in ("feature", "children_left", "class_weight", "threshold"):
            assert np.array_equal(tree[name], model.tree_.arrays()[name], equal_nan=True), name


def test_a_class_that_a_sample_lacks_has_no_weight():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 2], 6)
    fitted = C45Classifier(prune=False).fit(X, y)
    tree = diverse_trees_steps._with_all_classes(fitted.tree_, fitted.classes_, 3)
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
        own = done["forests"][done["forests"]["repeat"] == number]
        scores = own["validation_f1"].to_numpy()
        nodes = done["trees"][done["trees"]["repeat"] == number]
        trees = forest_from_frame(nodes, structure_plan.TREE)[1]
    else:
        trees = trees_of(done["grown"], repeat=number)
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
    rows = rows[(rows["repeat"] == number) & (rows["pool"] == pool) & (rows["k"] == k)]
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
    chosen = diverse_trees_steps._chosen([None] * 10, 3, D, D, scores, stream, plan)
    for name, n in (("random", 10), ("random_accurate", 4)):
        assert chosen[name].shape == (300, 3)
        assert all(len(set(row)) == 3 for row in chosen[name].tolist())
        times = np.bincount(chosen[name].ravel(), minlength=10)
        assert set(np.flatnonzero(times)) == set(range(n))
        # Each of n trees as often as any other: binomial, five standard deviations.
        p = 3 / n
        assert np.abs(times[:n] - 300 * p).max() < 5 * np.sqrt(300 * p * (1 - p))


# ---------------------------------------------------------------------------------- statistics


@pytest.fixture(scope="module")
def made_up():
    """MADE UP: seven data sets of two forests; B is .1 above A, normalised .2 below, and the
    second forest of the last set has no pair of correlated variables."""
    random = np.random.default_rng(8)
    closeness, scores, ensembles = [], [], []
    for d, repeat in itertools.product(range(7), range(2)):
        for method, scale in itertools.product(structure_plan.VARIANTS, diverse_trees_plan.SCALES):
            base = 0.4 + 0.1 * method.startswith("edit_b") - 0.2 * (scale == "normalized")
            base += 0.01 * d + 0.001 * random.random()
            key = {"dataset": f"set_{d}", "repeat": repeat, "method": method, "scale": scale}
            closeness.append({**key, **dict.fromkeys(diverse_trees_plan.OF_PAIRS, base)})
            for seed in range(2):
                own = {m: base + 0.02 * seed for m in diverse_trees_plan.OF_CLUSTERS[:5]}
                if d == 6 and repeat == 1:
                    own["correlated_substitution_score"] = np.nan
                scores.append({**key, "seed": seed, **own, "chance": 0.25})
        for pool, k, strategy in itertools.product(("uct", "c45"), (3, 5), STRATEGIES):
            gain = 1.0 if strategy == "structure" and pool == "uct" else 0.0
            row = {"dataset": f"set_{d}", "repeat": repeat, "pool": pool, "k": k}
            ensembles.append({**row, "strategy": strategy, "f1": 70 + d + gain, "accuracy": 80.0})
    made = {"closeness": closeness, "scores": scores, "ensembles": ensembles}
    return {name: pd.DataFrame(rows) for name, rows in made.items()}


@pytest.fixture(scope="module")
def tests(made_up):
    return diverse_trees_statistics.statistics(made_up)


def scores_by_variant(tables, metric):
    return scores_by_forest(tables, metric).groupby(level="dataset").mean()


def one(frame, **key):
    for name, value in key.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1, key
    return frame.iloc[0]


def test_a_forest_without_a_value_is_left_out_of_all_variants(made_up):
    wide = scores_by_variant(made_up, "correlated_substitution_score")
    own = made_up["scores"]
    own = own[(own["dataset"] == "set_6") & (own["repeat"] == 0) & (own["method"] == "edit_a1")]
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


def test_ensembles_are_compared_cell_by_cell(tests):
    own = tests[(tests["part"] == "ensembles") & (tests["correction"] == "none")]
    assert len(own) == 2 * 2 * 2 * (len(STRATEGIES) - 1)
    row = one(own, cell="uct/5", metric="f1", second="random")
    assert (row["difference"], row["p"], row["n"]) == (pytest.approx(1.0), 2 / 2**7, 7)
    assert one(own, cell="c45/3", metric="f1", second="best")["p"] == 1.0


def test_a_metric_that_no_forest_has_is_left_out(made_up):
    scores = made_up["scores"].assign(correlated_substitution_score=np.nan)
    found = diverse_trees_statistics.statistics({**made_up, "scores": scores})
    there = set(found.loc[found["part"] == "questions", "metric"])
    gone = {"correlated_substitution_score", "correlated_substitution_score_above_chance"}
    assert there == set(METRICS) - gone


# ---------------------------------------------------------------------------------------- plan


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": (1, 3)}, "`diverse_trees.sizes` is `1`; give a list of whole numbers >= 2"),
        ({"sizes": ()}, r"`diverse_trees.sizes` is `\[\]`; name at least one"),
        ({"n_bagged": 1}, "`diverse_trees.n_bagged` is `1`; give a whole number >= 2"),
        ({"share": 1.5}, "`diverse_trees.share` is `1.5`; give a number > 0 and <= 1"),
    ],
)
def test_bad_settings_name_the_culprit(arguments, message):
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")):
        DiverseTreesPlan(**arguments)
