"""Beyond chapter 4: learners on binary tables, rules of selection, anytime curves, tests."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from hedgerow.data import TidyTable, split
from hedgerow.errors import ConfigError
from hedgerow.evaluation import metrics
from hedgerow.experiments.search import plan as search_plan
from hedgerow.experiments.search import steps as search_steps
from hedgerow.experiments.search.plan import SearchPlan
from hedgerow.experiments.search_beyond import plan as search_beyond_plan
from hedgerow.experiments.search_beyond import steps as search_beyond_steps
from hedgerow.experiments.search_beyond.plan import (
    BASE,
    COMPARED,
    KEYS,
    LEARNERS,
    OPTIMA,
    SEARCHERS,
    VALUES,
    SearchBeyondPlan,
    rules_of,
)
from hedgerow.experiments.search_beyond.statistics import comparable, rows_of
from hedgerow.search.optimal import binary_table, most_accurate, predict


@pytest.fixture(scope="module")
def plan():
    return SearchBeyondPlan(
        seed=3,
        optimum_splits=2,
        n_splits=2,
        anytime_splits=2,
        depths=(2, 3),
        largest_f1_depth=2,
        n_thresholds=3,
        optimum_iterations=300,
        n_iterations=150,
        widening=(0.5,),
        grid=(1, 20, 200),
        bootstrap_iterations=20,
    )


@pytest.fixture(scope="module")
def protocol():
    return SearchPlan(
        seed=3,
        n_folds=3,
        alpha_folds=2,
        confidences=(0.1, 0.5),
        alphas=(0.001, 0.01),
        value_pruning_interval=50,
        population_size=10,
        n_generations=5,
    )


@pytest.fixture(scope="module")
def two_classes():
    """A set of two overlapping classes, numbers and categories, nothing missing."""
    generator = np.random.default_rng(8)
    y = np.arange(160) % 2
    X = pd.DataFrame(generator.normal(size=(160, 3)) + y[:, None] * [0.8, 0.4, 0.0])
    X.columns = ["a", "b", "c"]
    letters = np.where(generator.random(160) < 0.3 + 0.3 * y, "u", "v")
    X["d"] = pd.Categorical(letters, categories=["u", "v"])
    return TidyTable("two", X, y.astype(np.int64), ["0", "1"], "class")


@pytest.fixture(scope="module")
def optimum(two_classes, plan, protocol):
    return search_beyond_steps.optimum(two_classes, plan, protocol)


@pytest.fixture(scope="module")
def selection(two_classes, plan, protocol):
    return search_beyond_steps.selection(two_classes, plan, protocol)


@pytest.fixture(scope="module")
def anytime(two_classes, plan, protocol):
    return search_beyond_steps.anytime(two_classes, plan, protocol)


def test_every_learner_once_per_split_and_depth(optimum, plan):
    rows = optimum["optimum"]
    assert list(rows.columns) == [*KEYS["optimum"], *VALUES["optimum"]]
    assert not rows.duplicated(KEYS["optimum"]).any() and rows.notna().all(None)
    at = {d: set(g["learner"]) for d, g in rows.groupby("depth")}
    assert at[2] == set(LEARNERS)
    assert at[3] == set(LEARNERS) - {"optimal_f1", "optimal_f1_labels", "optimal_validation"}
    assert len(rows) == plan.optimum_splits * (4 + 4 + 2 + 2 + 1 + 1 + 4 + 4 + 2)


def test_no_tree_is_better_than_the_optimum_where_it_is_one(optimum):
    rows = optimum["optimum"].set_index(["split", "depth"])

    def best(learner, trained_on, column):
        own = rows[(rows["learner"] == learner) & (rows["trained_on"] == trained_on)]
        return own[column]

    for sample in ("training", "induction"):
        column = f"accuracy_{sample}"
        at = best("optimal_accuracy", sample, column)
        assert (rows[column] <= at.reindex(rows.index) + 1e-9).all()
    majority = rows[~rows["learner"].isin(OPTIMA)]
    at = best("optimal_f1", "training", "f1_training").reindex(majority.index)
    trained = majority["trained_on"] == "training"
    greedy = trained & majority["learner"].str.startswith("c45") & at.notna()
    assert greedy.any() and (majority["f1_training"] <= at + 1e-9)[greedy].all()
    # What UCT-DT could have chosen bounds what it chose.
    at = best("optimal_validation", "training", "f1_validation").reindex(majority.index)
    searched = majority["learner"].isin(SEARCHERS) & at.notna()
    assert searched.any() and (majority["f1_validation"] <= at + 1e-9)[searched].all()


def test_the_most_accurate_tree_by_hand(two_classes, optimum, plan):
    train, test = split(two_classes, 1, seed=3, experiment="search", test_size=0.3)
    B, names = binary_table(two_classes, 3)
    pd.testing.assert_frame_equal(optimum["thresholds"], names)
    y = two_classes.y
    tree = most_accurate(B[train], y[train], 3)
    rows = optimum["optimum"]
    row = rows[(rows["split"] == 1) & (rows["depth"] == 3) & (rows["trained_on"] == "training")]
    row = row[row["learner"] == "optimal_accuracy"].iloc[0]
    assert row["accuracy_test"] == pytest.approx(100 * np.mean(predict(tree, B[test]) == y[test]))
    f1 = metrics.macro_f1(y[train], np.eye(2)[predict(tree, B[train])])
    assert row["f1_training"] == pytest.approx(100 * f1)


def test_three_classes_have_no_optimum_of_f1(plan, protocol):
    generator = np.random.default_rng(1)
    X = pd.DataFrame(generator.normal(size=(60, 2)), columns=["a", "b"])
    table = TidyTable("three", X, np.arange(60) % 3, ["0", "1", "2"], "class")
    done = search_beyond_steps.optimum(table, plan, protocol, [0])["optimum"]
    assert set(done["learner"]) & set(OPTIMA) == {"optimal_accuracy"}
    both = pd.concat([done, done.assign(dataset="other")])
    assert comparable(both, "f1")["learner"].isin(OPTIMA).sum() == 0
    assert set(comparable(both, "accuracy")["dataset"]) == {"three", "other"}


def test_the_bound_is_the_search_of_chapter_4(two_classes, selection, plan, protocol):
    """Same split, division, confidence and seed as `search`: the same tree."""
    theirs = search_steps.run(
        two_classes,
        dataclasses.replace(protocol, n_iterations=150, methods=("c45", "uct_vs"), n_splits=1),
    )["rows"]
    theirs = theirs[(theirs["method"] == "uct_vs") & (theirs["criterion"] == "vp_dtp")].iloc[0]
    rows = selection["selection"]
    mine = rows[(rows["split"] == 0) & (rows["method"] == "uct_vs") & (rows["rule"] == "ucb")]
    for column in ("f1", "n_leaves", "validation_f1", "search_depth"):
        assert mine.iloc[0][column] == theirs[column], column


def test_every_rule_once(selection, plan):
    rows = selection["selection"]
    assert set(rows["rule"]) == set(rules_of(plan)) == {
        "ucb", "simple_regret", "best", "widening_0.5"
    }  # fmt: skip
    assert len(rows) == plan.n_splits * len(plan.policies) * 4
    assert (rows["n_iterations"] <= plan.n_iterations).all() and rows.notna().all(None)
    assert rows["f1_per_leaf"].tolist() == (rows["f1"] / rows["n_leaves"]).tolist()


def test_a_curve_goes_on_where_it_stopped(two_classes, anytime, plan, protocol):
    """The last point is that of one search with as many iterations."""
    rows = anytime["anytime"]
    for method in ("uct_vs", "uct_c45"):
        part = search_steps.Part(two_classes, 1, protocol)
        whole = part.fit(part.uct(method, "vp_dtp", n_iterations=200))
        curve = rows[(rows["split"] == 1) & (rows["method"] == method)]
        last = curve[(curve["criterion"] == "vp_dtp") & (curve["step"] == 2)].iloc[0]
        assert last["n_leaves"] == whole.tree_.n_leaves
        assert last["f1"] == part.f1(whole)
        assert last["iterations"] == whole.n_iterations_


def test_points_of_the_curves(anytime, plan):
    rows = anytime["anytime"]
    steps = rows.groupby(["method", "criterion"])["step"].agg(set)
    assert steps["c45", ""] == {0} and steps["ete", ""] == {1, 2}
    assert steps["uct_vs", "no_pruning"] == {0, 1, 2} and steps["uct_c45b", "vp_dtp"] == {0, 1}
    uct = rows["method"].isin(search_plan.POLICIES)
    assert rows["validation_f1"].notna().tolist() == uct.tolist()
    # The best tree so far cannot get worse where it is chosen.
    for _, curve in rows[uct].groupby(["split", "method", "criterion"]):
        assert curve.sort_values("step")["validation_f1"].is_monotonic_increasing


def test_seconds_are_kept_apart(anytime):
    assert "seconds" not in anytime["anytime"]
    times = anytime["times"]
    assert times[KEYS["times"]].equals(anytime["anytime"][KEYS["anytime"]])
    for _, curve in times[times["method"] == "uct_vs"].groupby(["split", "criterion"]):
        assert curve["seconds"].is_monotonic_increasing


@pytest.mark.parametrize("part", search_beyond_plan.PARTS)
def test_two_runs_are_equal_and_chunks_are_the_whole(part, two_classes, plan, protocol, request):
    done = request.getfixturevalue(part)
    run = getattr(search_beyond_steps, part)
    chunks = [run(two_classes, plan, protocol, [s]) for s in (1, 0)]
    for name, frame in done.items():
        if name != "times":
            joined = search_beyond_steps.merge([c[name] for c in chunks], name)
            pd.testing.assert_frame_equal(joined, frame)


# ---------------------------------------------------------------------------------- statistics


def test_paired_tests_by_hand():
    """Six sets on each of which `best` is a little better: p = 2 / 2^6."""
    rows = [
        (f"set_{i}", s, "uct_vs", rule, 70.0 + i + (0.1 * (i + 1)) * (rule == "best") + s, 5)
        for i in range(6)
        for s in range(2)
        for rule in ("ucb", "best")
    ]
    selection = pd.DataFrame(rows, columns=[*KEYS["selection"], "f1", "n_leaves"])
    selection = selection.assign(f1_per_leaf=selection["f1"] / 5, validation_f1=70.0)
    empty = search_beyond_steps.merge([], "optimum")
    tests = COMPARED.statistics(rows_of({"selection": selection, "optimum": empty}))
    of_f1 = tests[(tests["metric"] == "f1") & (tests["correction"] == "none")]
    of_f1 = of_f1.set_index("pairing")
    assert of_f1.loc["datasets", "p"] == pytest.approx(2 / 2**6)
    assert of_f1.loc["datasets", "n"] == 6 and of_f1.loc["splits", "n"] == 12
    assert of_f1.loc["datasets", "difference"] == pytest.approx(0.35)
    same = tests[tests["metric"] == "validation_f1"]
    assert (same["p"] == 1).all()


def test_tests_of_learners_are_over_sets_with_an_optimum(optimum):
    rows = optimum["optimum"]
    tests = COMPARED.statistics(
        rows_of({"optimum": rows, "selection": search_beyond_steps.merge([], "selection")})
    )
    assert set(tests["second"]) == {"/".join(BASE)}
    of_f1 = tests[tests["metric"] == "f1_test"]
    assert set(of_f1["cell"]) == {"2"} and "uct_vs/training" in set(of_f1["first"])
    assert "optimal_accuracy/training" not in set(of_f1["first"])


def test_no_set_at_all_gives_a_table_without_rows():
    for name in KEYS:
        frame = search_beyond_steps.merge([], name)
        assert frame.empty and list(frame.columns) == [*KEYS[name], *VALUES[name]]


# ---------------------------------------------------------------------------------------- plan


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"depth": [2]}, "unknown setting `search_beyond.depth`"),
        ({"depths": []}, r"`search_beyond.depths` is `\[\]`; name at least one"),
        ({"grid": [0, 10]}, "grid` is `0`; give a list of whole numbers >= 1"),
        ({"widening": [0.0]}, "widening` is `0.0`; give a list of numbers > 0 and <= 1"),
        ({"widening": [1.5]}, "widening` is `1.5`; give a list of numbers > 0 and <= 1"),
        ({"policies": ["vs"]}, "policies` is `vs`; give a list of uct_vs"),
        ({"n_splits": 0}, "n_splits` is `0`; give a whole number >= 1"),
    ],
)
def test_a_plan_says_what_is_wrong(settings, said):
    with pytest.raises(ConfigError, match=said):
        SearchBeyondPlan.from_config(settings, 0, "made-up")


def test_a_plan_sorts_its_lists():
    plan = SearchBeyondPlan.from_config(
        {"depths": [3, 2], "grid": [10, 1], "policies": ["uct_c45", "uct_vs"], "chunk": 1},
        7,
        "made-up",
    )
    assert plan.depths == (2, 3) and plan.grid == (1, 10) and plan.seed == 7
    assert plan.policies == ("uct_vs", "uct_c45")
