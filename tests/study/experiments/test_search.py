"""Chapter 4 on one data set: repeats, tuning, what is given to the learners, what is recorded."""

import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hedgerow.data import TidyTable, folds, rng, split
from hedgerow.errors import ConfigError
from hedgerow.evaluation import metrics
from hedgerow.induction import Columns, grow, prune
from hedgerow.induction.c45 import C45Classifier
from hedgerow.tree import forest_from_frame
from hedgerow_study.experiments.frames import concat_sorted
from hedgerow_study.experiments.search import plan as search_plan
from hedgerow_study.experiments.search import statistics as search_statistics
from hedgerow_study.experiments.search import steps as search_steps
from hedgerow_study.experiments.search.plan import CELL, SearchPlan

PRINTED_CELLS = [
    ("c45", ""),
    ("ete", ""),
    *(("uct_vs", c) for c in ("no_pruning", "vp", "dtp", "vp_dtp")),
    ("uct_c45", "vp_dtp"),
    ("uct_c45b", "vp_dtp"),
]


class _StandIn(C45Classifier):
    """A pruned C4.5 tree in the place of a search; it remembers how it was called."""

    calls = ()

    def __init__(self, **given):
        type(self).calls += (given,)
        confidence = given.get("confidence", min(1.0, 100 * given.get("alpha", 0.0025)))
        super().__init__(confidence=confidence)


class _Search(_StandIn):
    def fit(self, X, y):
        super().fit(X, y)
        self.validation_indices_, self.max_depth_ = np.arange(20), 5
        self.search_depth_, self.n_iterations_, self.exhausted_ = 7, 99, False
        return self


class _Evolution(_StandIn):
    pass


@pytest.fixture
def learners(monkeypatch):
    """Stand-ins for the learners, which have tests of their own."""
    found = {
        "uct": ("UCTTreeClassifier", _Search),
        "ete": ("EvolutionaryTreeClassifier", _Evolution),
    }
    for name, (public, stand_in) in found.items():
        module = ModuleType(f"hedgerow.search.{name}")
        stand_in.calls = ()
        setattr(module, public, stand_in)
        monkeypatch.setitem(sys.modules, f"hedgerow.search.{name}", module)
    return SimpleNamespace(search=_Search, evolution=_Evolution)


@pytest.fixture(scope="module")
def plan():
    return SearchPlan(
        seed=3,
        n_repeats=3,
        n_folds=3,
        alpha_folds=2,
        confidences=(0.5, 0.01, 1),
        alphas=(0.01, 0.001),
        n_iterations=50,
        n_iterations_c45b=40,
        n_candidates=2,
        population_size=11,
        n_generations=13,
    )


@pytest.fixture
def done(wine, plan, learners):
    return search_steps.run(wine, plan)


def test_every_cell_once(done):
    rows = done["rows"]
    assert not rows.duplicated(CELL).any()
    at = {s: set(zip(g["method"], g["criterion"], strict=True)) for s, g in rows.groupby("repeat")}
    ours = ("c45_induction", "")
    assert at[0] == {*PRINTED_CELLS, ours}
    assert at[1] == at[2] == {("c45", ""), ours, ("uct_vs", "vp_dtp"), ("uct_c45", "vp_dtp")}
    assert rows.equals(rows.sort_values(CELL, ignore_index=True))


def test_what_a_method_does_not_have_is_missing(done):
    rows = done["rows"].set_index("method")
    assert rows.loc[["c45", "ete"], ["search_depth", "validation_f1", "exhausted"]].isna().all(None)
    assert (
        rows.loc[["uct_vs", "c45"], "alpha"].isna().all()
        and rows.loc[["ete"], "alpha"].notna().all()
    )
    uct = rows.loc[["uct_vs"]]
    assert (uct["search_depth"] == 7).all() and (uct["n_iterations"] == 99).all()
    assert uct["validation_f1"].notna().all() and not uct["exhausted"].any()
    assert (uct["max_depth"] == 5).all()
    assert (rows["n_rows"] == 178).all()


def test_the_tree_of_c45_by_hand(wine, plan, done):
    """Repeat 1: grid search on its training part, and the pruned tree on its test part."""
    train, test = split(wine, 1, seed=3, experiment="search", test_size=0.3)
    X, n_categories = wine.matrix()
    fold = folds(wine.y[train], 3, rng(3, "search", "wine", 1, "confidence_folds"))

    def scores(c):
        for k in range(3):
            rows, held = train[fold != k], train[fold == k]
            columns = Columns(X[rows], wine.y[rows], 3, n_categories=n_categories)
            tree = prune(grow(columns), columns, confidence=c)
            yield metrics.macro_f1(wine.y[held], tree.predict_proba(X[held]))

    mean = {c: np.mean(list(scores(c))) for c in plan.confidences}
    best = min(c for c in mean if mean[c] >= max(mean.values()) - 1e-12)
    columns = Columns(X[train], wine.y[train], 3, n_categories=n_categories)
    tree = prune(grow(columns), columns, confidence=best)
    f1 = 100 * metrics.macro_f1(wine.y[test], tree.predict_proba(X[test]))
    row = done["rows"][(done["rows"]["repeat"] == 1) & (done["rows"]["method"] == "c45")].iloc[0]
    assert (row["confidence"], row["n_leaves"], row["max_depth"]) == (
        best,
        tree.n_leaves,
        tree.depth,
    )
    assert row["f1"] == f1 and row["f1_per_leaf"] == f1 / tree.n_leaves
    tuning = done["tuning"]
    tuning = tuning[(tuning["repeat"] == 1) & (tuning["method"] == "c45")].set_index("value")
    assert tuning["cv_f1"].to_dict() == pytest.approx(mean)
    assert tuning.index[tuning["chosen"]].tolist() == [best]


def test_c45_on_the_induction_set_knows_nothing_else(wine, plan):
    """Tuned, grown and pruned on the rows from which the searches take their tests."""
    part = search_steps.Part(wine, 1, plan)
    searched = part.fit(part.uct("uct_vs", "vp_dtp", n_iterations=3))
    rows = part.train[searched.induction_indices_]
    assert len(rows) == len(part.train) - round(0.3 * len(part.train))
    tree, probabilities, found = part.learn("c45_induction", "")
    fold = folds(wine.y[rows], 3, rng(3, "search", "wine", 1, "confidence_folds_c45_induction"))
    X, n_categories = wine.matrix()

    def pruned(own, c):
        columns = Columns(X[own], wine.y[own], 3, n_categories=n_categories)
        return prune(grow(columns), columns, confidence=c)

    def score(c):
        trees = [pruned(rows[fold != k], c) for k in range(3)]
        held = [rows[fold == k] for k in range(3)]
        return np.mean([metrics.macro_f1(wine.y[h], t.predict_proba(X[h]))
                        for t, h in zip(trees, held, strict=True)])  # fmt: skip

    scores = {c: score(c) for c in plan.confidences}
    best = min(c for c in scores if scores[c] >= max(scores.values()) - 1e-12)
    want = pruned(rows, best)
    assert found["confidence"] == best and "max_depth" not in found
    np.testing.assert_array_equal(probabilities, want.predict_proba(part.matrix_test))
    np.testing.assert_array_equal(tree.threshold, want.threshold)
    noted = [row for row in part.tuning if row[2] == "c45_induction"]
    assert [row[5] for row in noted] == pytest.approx([scores[c] for c in plan.confidences])


def test_the_confidence_is_tuned_by_accuracy_where_it_says_so(wine, plan, learners):
    """Macro F1 stands beside in any case; the price of a leaf of ETE is tuned by it alone."""
    train, _ = split(wine, 0, seed=3, experiment="search", test_size=0.3)
    X, n_categories = wine.matrix()
    fold = folds(wine.y[train], 3, rng(3, "search", "wine", 0, "confidence_folds"))
    score = {}
    for c in plan.confidences:
        right = []
        for k in range(3):
            rows, held = train[fold != k], train[fold == k]
            columns = Columns(X[rows], wine.y[rows], 3, n_categories=n_categories)
            tree = prune(grow(columns), columns, confidence=c)
            right.append(np.mean(tree.predict_proba(X[held]).argmax(axis=1) == wine.y[held]))
        score[c] = np.mean(right)
    by_f1 = search_steps.run(wine, plan, [0])["tuning"]
    tuning = search_steps.run(wine, replace(plan, tuned_by="accuracy"), [0])["tuning"]
    assert list(tuning.columns) == [*by_f1.columns, "cv_accuracy"]
    pd.testing.assert_series_equal(tuning["cv_f1"], by_f1["cv_f1"])
    own = tuning[tuning["method"] == "c45"].set_index("value")
    assert own["cv_accuracy"].to_dict() == pytest.approx(score)
    best = min(c for c in score if score[c] >= max(score.values()) - 1e-12)
    assert own.index[own["chosen"]].tolist() == [best]
    ete = tuning["method"] == "ete"
    assert tuning.loc[ete, "cv_accuracy"].isna().all()
    pd.testing.assert_frame_equal(tuning.loc[ete, by_f1.columns], by_f1[ete])


def test_ties_of_the_confidence(wine, plan, learners, monkeypatch):
    monkeypatch.setattr(search_steps.metrics, "macro_f1", lambda y, p: 0.5)
    for ties, best in (("smallest", 0.01), ("largest", 1.0)):
        tuning = search_steps.run(wine, replace(plan, ties_of_confidence=ties), [0])["tuning"]
        tuning = tuning[tuning["method"] == "c45"]
        assert tuning.loc[tuning["chosen"], "value"].tolist() == [best]


def test_alpha_is_tuned_and_ties_go_to_the_smaller_tree(wine, plan, learners, monkeypatch):
    monkeypatch.setattr(metrics, "macro_f1", lambda y, p: 0.5)
    done = search_steps.run(wine, plan, [0])
    tuning = done["tuning"].query("method == 'ete'").set_index("value")
    assert tuning.index[tuning["chosen"]].tolist() == [0.01]
    # Ties of the confidence as well: it prunes hardest.
    tuning = done["tuning"].query("method == 'c45'").set_index("value")
    assert tuning.index[tuning["chosen"]].tolist() == [0.01]
    calls = learners.evolution.calls
    assert len(calls) == 2 * 2 + 1 and calls[-1]["alpha"] == 0.01
    assert all(c["population_size"] == 11 and c["n_generations"] == 13 for c in calls)
    # A fold has one stream for all values of alpha.
    assert [c["random_state"] for c in calls[:4]] == [calls[0]["random_state"]] * 2 + [
        calls[2]["random_state"]
    ] * 2


def test_what_a_search_is_given(done, learners):
    calls = learners.search.calls
    at_first = calls[:6]
    assert [(c["policy"], c["value_pruning"], c["tree_pruning"]) for c in at_first] == [
        ("vs", False, False),
        ("vs", True, False),
        ("vs", False, True),
        ("vs", True, True),
        ("c45", True, True),
        ("c45b", True, True),
    ]
    assert len(calls) == 6 + 2 * 2
    assert all(c["n_candidates"] == 2 for c in calls)
    assert all(c["n_iterations"] == (40 if c["policy"] == "c45b" else 50) for c in calls)
    # All variants of a repeat split the training part alike; each repeat has its own split.
    assert len({c["random_state"] for c in at_first}) == 1
    assert len({c["random_state"] for c in calls}) == 3
    confidence = done["rows"].query("method == 'c45' and repeat == 0")["confidence"].iloc[0]
    assert {c["confidence"] for c in at_first} == {confidence}


def test_every_learner_has_the_weight_below_which_a_node_is_a_leaf(wine, plan, learners):
    """The evolution had the library's own, whatever the configuration said."""
    other = replace(plan, min_samples_split=9.0, n_repeats=1)
    search_steps.run(wine, other)
    for calls in (learners.search.calls, learners.evolution.calls):
        assert {c["min_samples_split"] for c in calls} == {9.0}


def test_trees_give_the_rows(wine, done):
    keys, trees = forest_from_frame(done["trees"], CELL)
    rows = done["rows"].set_index(CELL)
    X, _ = wine.matrix()
    assert len(keys) == len(rows)
    for key, tree in zip(keys.itertuples(index=False, name=None), trees, strict=True):
        _, test = split(wine, key[1], seed=3, experiment="search", test_size=0.3)
        f1 = 100 * metrics.macro_f1(wine.y[test], tree.predict_proba(X[test]))
        assert rows.loc[key, "f1"] == pytest.approx(f1)
        assert rows.loc[key, "n_leaves"] == tree.n_leaves


def test_validation_f1_is_that_of_the_chosen_tree(wine, done):
    """On the rows of the training part that the search kept for validation."""
    keys, trees = forest_from_frame(done["trees"], CELL)
    rows = done["rows"].set_index(CELL)["validation_f1"]
    X, _ = wine.matrix()
    for key, tree in zip(keys.itertuples(index=False, name=None), trees, strict=True):
        if key[2] in search_plan.POLICIES:
            train, _ = split(wine, key[1], seed=3, experiment="search", test_size=0.3)
            kept = train[:20]
            expected = 100 * metrics.macro_f1(wine.y[kept], tree.predict_proba(X[kept]))
            assert rows[key] == pytest.approx(expected)


def test_chunks_put_together_equal_the_whole(wine, plan, done):
    chunks = [search_steps.run(wine, plan, chunk) for chunk in ([2], [0, 1])]
    for name in ("rows", "trees", "tuning"):
        together = concat_sorted([chunk[name] for chunk in chunks], search_plan.ORDER[name])
        pd.testing.assert_frame_equal(together, done[name])


def test_times_stand_apart(done):
    assert "seconds" not in done["rows"] and "seconds" not in done["trees"]
    times = done["times"]
    assert times[CELL].equals(done["rows"][CELL])
    assert (times["seconds"] >= 0).all()
    tuned = times["method"].isin(["c45", "c45_induction", "ete"])
    assert (times.loc[tuned, "tuning_seconds"] > 0).all()
    assert (times.loc[~tuned, "tuning_seconds"] == 0).all()


def test_a_set_of_one_sample_is_permuted(wine, plan, learners):
    """The synthetic sets of chapter 3 are disjoint samples, those of chapter 4 one sample."""
    one = replace(wine, sample=np.zeros(len(wine.y), dtype=int))
    few = replace(plan, methods=("c45",), further_methods=("c45",))
    rows = search_steps.run(one, few, [0, 1])["rows"]
    pd.testing.assert_frame_equal(rows, search_steps.run(wine, few, [0, 1])["rows"])


def test_a_class_that_the_training_part_lacks(plan, learners):
    """One row of a class: it may be in the test part only, and counts in the F1."""
    generator = np.random.default_rng(1)
    y = np.array([0] * 20 + [1] * 20 + [2])
    X = pd.DataFrame({"a": generator.normal(0, 1, 41) + 3 * y})
    table = TidyTable("lone", X, y, ["0", "1", "2"], "class")
    rows = search_steps.run(table, plan, range(6))["rows"]
    assert rows["f1"].notna().all() and rows["f1"].max() <= 100


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"confidence": [0.1]}, r"search\.confidence`"),
        ({"confidences": [0, 0.5]}, "confidences` is `0`; give a list of numbers > 0 and <= 1"),
        ({"confidences": []}, r"`search.confidences` is `\[\]`; name at least one"),
        ({"alphas": [-1]}, "alphas"),
        ({"methods": ["ete"]}, r"methods` is `\[ete\]`; .*c45 among them"),
        ({"further_methods": ["c45", "ss"]}, "further_methods"),
        ({"n_repeats": 0}, "n_repeats` is `0`; give a whole number >= 1"),
        ({"n_folds": 1}, "n_folds` is `1`; give a whole number >= 2"),
    ],
)
def test_settings_that_are_none(section, words):
    with pytest.raises(ConfigError, match=words):
        SearchPlan.from_config(section, 0, "mine")


def test_plan_of_a_configuration():
    section = {"datasets": ["wine"], "methods": ["uct_vs", "c45"], "alphas": [1, 0], "chunk": 3}
    plan = SearchPlan.from_config(section, 4, "mine")
    assert (plan.datasets, plan.seed, plan.configuration) == (("wine",), 4, "mine")
    assert plan.methods == ("c45", "uct_vs") and plan.alphas == (0.0, 1.0)
    assert search_steps.cells_of(0, plan)[:2] == [("c45", ""), ("uct_vs", "no_pruning")]


# -------------------------------------------------------------------------------- statistics


def _cells(values):
    """One row per data set and cell from a mapping (method, criterion) -> F1 of each data set."""
    rows = []
    for (method, criterion), f1 in values.items():
        for i, value in enumerate(f1):
            rows.append((f"d{i}", 0, method, criterion, value, 10, value / 10))
    return pd.DataFrame(rows, columns=[*CELL, "f1", "n_leaves", "f1_per_leaf"])


def test_pairs_name_the_better_group():
    generator = np.random.default_rng(4)
    base = generator.uniform(50, 90, 12)
    gains = {"no_pruning": 0, "vp": 5, "dtp": 5, "vp_dtp": -3}
    cells = _cells(
        {("uct_vs", c): base + g + generator.normal(0, 0.1, 12) for c, g in gains.items()}
    )
    found = search_statistics.compare(cells)
    assert set(found["table"]) == {"thesis_table_4_2"}
    pairs = found[(found["name"] == "wilcoxon_signed_rank") & (found["correction"] == "none")]
    better = pairs[pairs["metric"] == "f1"].set_index("groups")["better"].to_dict()
    assert better["no_pruning|vp"] == "vp" and better["no_pruning|vp_dtp"] == "no_pruning"
    assert better["vp|vp_dtp"] == "vp"
    # All have ten leaves.
    leaves = found[found["metric"] == "n_leaves"].set_index("name")["p"]
    assert (pairs[pairs["metric"] == "n_leaves"]["better"] == "none").all()
    assert leaves["anova_within"] == leaves["friedman"] == 1
    assert np.isnan(leaves["shapiro_residuals"])


def test_fewer_leaves_are_better():
    cells = _cells({("c45", ""): [1.0] * 8, ("ete", ""): [1.0] * 8, ("uct_vs", "vp_dtp"): [1.0] * 8,
                    ("uct_c45b", "vp_dtp"): [1.0] * 8})  # fmt: skip
    cells["n_leaves"] = np.where(cells["method"] == "ete", 30, 10)
    found = search_statistics.compare(cells).query("metric == 'n_leaves' and correction == 'none'")
    better = found.set_index("groups")["better"]
    assert better["c45|ete"] == "c45" and better["ete|uct_vs"] == "uct_vs"


def test_statistics_take_the_first_split_of_the_sets_of_the_chapter(wine):
    cells = _cells({g: np.arange(5.0) + i for i, g in enumerate(PRINTED_CELLS)})
    plan = SearchPlan(printed={f"p{i}": f"d{i}" for i in range(4)})  # d4 is a set of our own
    found = search_statistics.statistics(pd.concat([cells, cells.assign(repeat=1, f1=0.0)]), plan)
    assert (found["n"] == 4).all()
    assert set(found["table"]) == set(search_plan.FAMILIES)


def test_a_single_data_set_can_be_compared(wine):
    """The smoke configuration may have one; nothing is significant."""
    found = search_statistics.compare(_cells({g: [50.0 + i] for i, g in enumerate(PRINTED_CELLS)}))
    assert (found["better"].isin(["", "none"])).all()
    assert search_statistics.compare(_cells({PRINTED_CELLS[0]: [50.0]})).empty


def test_with_the_learners_themselves(wine, plan):
    """A few iterations of the real search and evolution, twice: the same rows."""
    few = replace(plan, n_iterations=60, n_generations=3)
    first, again = (search_steps.run(wine, few, [0]) for _ in range(2))
    for name in ("rows", "trees", "tuning"):
        pd.testing.assert_frame_equal(first[name], again[name])
    assert (first["rows"].set_index("method").loc["uct_vs", "n_iterations"] <= 60).all()


@pytest.fixture(scope="module")
def mixed():
    """Numbers and categories, values of both missing, one category rare."""
    random = np.random.default_rng(7)
    number, other = random.normal(size=(2, 400))
    kind = random.choice(4, size=400, p=[0.4, 0.3, 0.28, 0.02])
    noise = random.normal(size=400)
    y = (number + (kind == 1) - (kind == 2) * other + 0.2 * noise > 0).astype(int)
    number[random.random(400) < 0.2] = np.nan
    kind[random.random(400) < 0.1] = -1
    kind = pd.Categorical.from_codes(kind, ["a", "b", "c", "d"])
    X = pd.DataFrame({"number": number, "kind": kind, "other": other})
    return TidyTable("mixed", X, y, ["no", "yes"], "class")


def searched(table, number=1, **settings):
    """A part, and searches of it without and with tree pruning."""
    part = search_steps.Part(
        table, number, SearchPlan(seed=3, n_folds=2, confidences=(0.9,), **settings)
    )
    return part, [
        part.fit(part.uct("uct_vs", criterion, n_iterations=200)) for criterion in ("vp", "vp_dtp")
    ]


def below(tree, node):
    """The tests below a node of a tree, nested."""
    if tree.feature[node] < 0:
        return tree.class_weight[node].tolist()
    sides = (tree.children_left[node], tree.children_right[node])
    test = (int(tree.feature[node]), tree.threshold[node], tree.share_left[node])
    return (*test, *(below(tree, side) for side in sides))


@pytest.mark.parametrize("seed", range(6))
def test_a_completed_tree_is_that_of_the_state_with_c45_at_its_leaves(seed):
    """By its definition: where a leaf of the state was, stands what C4.5 grows from its rows."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(200, 3)), 1)
    y = np.digitize(X[:, 0] * X[:, 1] + random.normal(scale=0.4, size=200), [-0.3, 0.4])
    names = ["a", "b", "c"]
    table = TidyTable("drawn", pd.DataFrame(X, columns=names), y, names, "class")
    part, learners = searched(table, seed, tree_returned="completed")
    X, y = part.matrix[part.train], table.y[part.train]
    for learner in learners:

        def completed(node, rows, depth, own=learner.tree_, limit=learner.max_depth_):
            columns = Columns(X[rows], y[rows], 3, n_categories=part.n_categories)
            j, t = own.feature[node], own.threshold[node]
            if j < 0:
                return below(grow(columns, max_depth=limit - depth), 0)
            left = X[rows, j] < t
            sides = ((own.children_left[node], left), (own.children_right[node], ~left))
            grown = (completed(side, rows[here], depth + 1) for side, here in sides)
            return (int(j), t, left.mean(), *grown)

        whole = Columns(X, y, 3, n_categories=part.n_categories)
        tree, probabilities = part.returned(learner, False)
        assert below(tree, 0) == completed(0, np.arange(len(y)), 0)
        assert tree.depth <= learner.max_depth_
        assert (probabilities == tree.predict_proba(part.matrix_test)).all()
        pruned, probabilities = part.returned(learner, True)
        assert pruned == prune(tree, whole, confidence=0.9)
        assert (probabilities == pruned.predict_proba(part.matrix_test)).all()


def test_leaves_are_counted_again_on_all_training_rows(mixed):
    """The tests stay; a row without a value is divided as all training rows are."""
    part, learners = searched(mixed, leaf_counts="training")
    X, y = part.matrix[part.train], mixed.y[part.train]
    for learner in learners:
        own = learner.tree_
        tree, probabilities = part.returned(learner, True)
        for name in ("feature", "children_left", "children_right"):
            assert (getattr(tree, name) == getattr(own, name)).all()
        np.testing.assert_array_equal(tree.threshold, own.threshold)
        assert tree.n_leaves > 2 and tree.class_weight[0].sum() == len(y)
        found = tree.annotate(X, y).statistics["class_weight"]
        np.testing.assert_allclose(tree.class_weight, found)
        assert (probabilities == tree.predict_proba(part.matrix_test)).all()
        # Counted on the induction set, it is the tree of the state.
        rows = learner.induction_indices_
        columns = Columns(X[rows], y[rows], 2, n_categories=part.n_categories)
        again = grow(columns, given=own, max_depth=0)
        np.testing.assert_allclose(again.class_weight, own.class_weight)
        np.testing.assert_allclose(again.share_left, own.share_left)
        np.testing.assert_array_equal(again.categories_left, own.categories_left)
        probabilities = own.predict_proba(part.matrix_test)
        assert (learner.predict_proba(part.X_test) == probabilities).all()


def test_what_is_returned_is_what_is_recorded(wine, plan):
    """Trees, F1 and leaves are of the tree returned; the validation F1 is of the state's tree."""
    small = replace(plan, methods=("c45", "uct_vs"), n_iterations=300, confidences=(0.9,))
    keys = ["method", "criterion"]

    def of(**settings):
        made = search_steps.run(wine, replace(small, **settings), [0])
        return made["rows"].set_index(keys), made["trees"]

    here, _ = of()
    counted, _ = of(leaf_counts="training")
    completed, trees = of(tree_returned="completed")
    both, _ = of(tree_returned="completed", leaf_counts="training")
    pd.testing.assert_frame_equal(completed, both)
    for other in (counted, completed):
        pd.testing.assert_frame_equal(other.loc[["c45"]], here.loc[["c45"]])
        same = ["validation_f1", "search_depth", "n_iterations", "max_depth", "confidence"]
        pd.testing.assert_frame_equal(other[same], here[same])
    assert (counted["n_leaves"] == here["n_leaves"]).all()
    assert (completed["n_leaves"] != here["n_leaves"]).any()
    leaves = trees[trees["feature"] < 0].groupby(keys).size()
    assert leaves.to_dict() == completed["n_leaves"].to_dict()
