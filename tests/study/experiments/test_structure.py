"""The steps of chapter 5: forests, distances, example pairs, clusters, scores, bootstrap."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from oracle.structure import StructureReference
from scipy import stats

from hedgerow.data import TidyTable, rng, split
from hedgerow.errors import ConfigError, DataError
from hedgerow.induction import Columns, grow
from hedgerow.search import UCTTreeClassifier
from hedgerow.structure import TreeEditDistance, prototypes
from hedgerow.tree import Tree, forest_from_frame
from hedgerow_study.experiments.structure import plan as structure_plan
from hedgerow_study.experiments.structure import statistics as structure_statistics
from hedgerow_study.experiments.structure import steps as structure_steps
from hedgerow_study.experiments.structure.plan import StructurePlan

PLAN = {
    "seed": 3,
    "n_repeats": 3,
    "n_trees": 25,
    "max_tests": 4,
    "n_iterations": 400,
    "value_pruning_interval": 100,
    "n_clusters": 3,
    "n_seeds": 2,
    "n_bootstrap": 40,
}


@pytest.fixture(scope="module")
def plan():
    return StructurePlan(**PLAN)


@pytest.fixture(scope="module")
def table():
    """Two pairs of variables that are nearly the same, and two classes that overlap."""
    generator = np.random.default_rng(4)
    n = 160
    y = (np.arange(n) % 5 < 2).astype(np.int64)
    one, two = generator.normal(0, 1, (2, n)) + 1.2 * y
    values = {
        "one": one,
        "one_again": one + generator.normal(0, 0.05, n),
        "two": two,
        "two_again": np.exp(two),  # the same ranks
        "other": generator.normal(0, 1, n),
    }
    return TidyTable("made_up", pd.DataFrame(values), y, ["no", "yes"], "class")


@pytest.fixture(scope="module")
def learned(table, plan):
    return structure_steps.learn(table, plan)


@pytest.fixture(scope="module")
def compared(table, learned, plan):
    return structure_steps.compare(table, learned, plan)


@pytest.fixture(scope="module")
def clustered(compared, learned, plan):
    return structure_steps.cluster_forests(compared, learned["forests"], plan)


def trees_of(learned, number):
    frame = learned["trees"]
    return forest_from_frame(frame[frame["repeat"] == number], ["tree"])[1]


def splits_in(tree):
    inner = tree.feature >= 0
    return sorted(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist(), strict=True))


# --------------------------------------------------------------------------------------- forests


def test_a_forest_is_closed_under_parent_and_of_the_asked_size(learned, plan):
    for number, own in learned["forests"].groupby("repeat"):
        trees = trees_of(learned, number)
        assert len(own) == len(trees) == plan.n_trees
        assert own["tree"].tolist() == list(range(plan.n_trees))
        for row, tree in zip(own.itertuples(), trees, strict=True):
            assert row.n_nodes == tree.n_nodes == 2 * row.n_tests + 1
            assert 1 <= row.n_tests <= plan.max_tests
            assert (row.parent == -1) == (row.n_tests == 1)
            if row.parent >= 0:
                above = own.iloc[row.parent]
                assert row.parent < row.tree and above["n_visits"] >= row.n_visits
                more, less = splits_in(tree), splits_in(trees[row.parent])
                for test in less:
                    more.remove(test)  # raises where the parent has a test that the child lacks
                assert len(more) == 1


def test_states_are_the_most_visited_that_are_small_enough():
    search_tree = pd.DataFrame(
        {
            "parent": [-1, 0, 0, 1, 1, 3, 5],
            "n_visits": [99, 50, 9, 30, 9, 20, 19],
            "depth": [0, 1, 1, 2, 2, 3, 4],
        }
    )
    assert structure_steps.states_of(search_tree, 3, 3).tolist() == [1, 3, 5]
    assert structure_steps.states_of(search_tree, 4, 3).tolist() == [1, 2, 3, 5]  # ties: the older
    assert structure_steps.states_of(search_tree, 99, 4).tolist() == [1, 2, 3, 4, 5, 6]


def test_a_complete_forest_has_every_state_but_the_root(table, plan, monkeypatch):
    asked = dataclasses.replace(plan, forest="complete", tree_pruning=True, max_tests=1, n_trees=3)
    searches, fit = [], UCTTreeClassifier.fit

    def kept(self, X, y):
        searches.append(self)
        return fit(self, X, y)

    monkeypatch.setattr(UCTTreeClassifier, "fit", kept)
    found = structure_steps.learn(table, asked)["forests"]
    for number, search in enumerate(searches):
        own, states = found[found["repeat"] == number], search.search_tree_.iloc[1:]
        assert own["state"].tolist() == states.index.tolist()
        assert own["n_tests"].tolist() == states["depth"].tolist()
        assert (own["parent"] == states["parent"].to_numpy() - 1).all()  # the root is no tree
    assert found["n_tests"].max() > 1 and len(searches) == plan.n_repeats
    monkeypatch.setattr(structure_steps, "MOST_TREES", 9)
    with pytest.raises(ConfigError, match=r"forest 0 has \d+ states, more than 9"):
        structure_steps.learn(table, asked)


def test_bootstrap_samples_of_a_complete_forest_are_bounded():
    config = {"structure": {"forest": "complete", "n_trees": 104, "n_bootstrap": 5_001}}
    (found,) = StructurePlan.conflicts(config)
    assert "a complete forest has up to 20000 trees" in str(found)
    config["structure"]["forest"] = "visited"
    assert not list(StructurePlan.conflicts(config))


def test_pruned_states_leave_the_search_where_that_is_asked_for(table, learned, plan):
    """A test whose both sides have the same class is one that C4.5's pruning takes back."""
    asked = dataclasses.replace(plan, tree_pruning=True, n_trees=10)
    pruned = structure_steps.learn(table, asked)

    def changing(found):
        for number in range(plan.n_repeats):
            for tree in trees_of(found, number):
                label, leaf = tree.class_weight.argmax(axis=1), tree.feature < 0
                for left, right in zip(tree.children_left, tree.children_right, strict=True):
                    if left >= 0 and leaf[left] and leaf[right]:
                        yield label[left] != label[right]

    assert all(changing(pruned))
    assert not all(changing(learned))


def test_accuracy_is_that_of_the_test_part(table, learned, plan):
    _, test = split(table, 1, seed=plan.seed, experiment="structure", test_size=plan.test_size)
    own = learned["forests"].query("repeat == 1")
    values = table.X.to_numpy()[test]
    for row, tree in zip(own.itertuples(), trees_of(learned, 1), strict=True):
        right = tree.predict_proba(values).argmax(axis=1) == table.y[test]
        assert row.test_accuracy == pytest.approx(100 * right.mean())


def test_forests_differ_and_a_forest_does_not_depend_on_the_others(table, learned, plan):
    alone = structure_steps.learn(table, plan, [2])
    pd.testing.assert_frame_equal(
        alone["forests"], learned["forests"].query("repeat == 2").reset_index(drop=True)
    )
    assert [splits_in(t) for t in trees_of(learned, 0)] != [
        splits_in(t) for t in trees_of(alone, 2)
    ]


@pytest.mark.slow
def test_chunks_put_together_equal_the_whole(table, learned, compared, clustered, plan):
    parts = {name: [] for name in structure_plan.ORDER}
    for numbers in ([2], [0, 1]):  # in the wrong order
        found = structure_steps.learn(table, plan, numbers)
        found |= structure_steps.compare(table, found, plan)
        found["scripts"] = structure_steps.edit_scripts(table, found, found["examples"], plan)
        found |= structure_steps.cluster_forests(found, found["forests"], plan)
        tested = structure_statistics.resampled(
            found["forests"], found["distances"], found["scripts"], plan
        )
        found |= {name: tested[name] for name in ("first", "statistics")}
        for name, frame in found.items():
            parts[name].append(frame)
    whole = {**learned, **compared, **clustered}
    whole["scripts"] = structure_steps.edit_scripts(table, learned, compared["examples"], plan)
    whole["first"] = compared["distances"].query("repeat == 0").reset_index(drop=True)
    whole["statistics"] = structure_statistics.statistics(
        compared["distances"], learned["forests"], plan
    )
    assert set(whole) == set(parts)
    for name, frames in parts.items():
        pd.testing.assert_frame_equal(structure_steps.merge(frames, name), whole[name])


def test_of_the_distances_those_are_kept_that_are_shown(learned, compared, plan):
    """All of the first forest, which figures show, and pairs whose edits are told."""
    keys = ["dataset", "repeat", "tree_1", "tree_2"]
    scripts = compared["distances"].query("tree_1 != tree_2")[keys].iloc[[0, 7, -2]]
    found = structure_statistics.resampled(learned["forests"], compared["distances"], scripts, plan)
    first = compared["distances"].query("repeat == 0")
    pd.testing.assert_frame_equal(found["first"], first)
    pd.testing.assert_frame_equal(found["shown"][keys], scripts.reset_index(drop=True))


def test_a_search_that_finds_nothing_is_an_error(table, plan):
    with pytest.raises(DataError, match=r"made_up: the search for forest 0 found 0 trees"):
        structure_steps.learn(
            TidyTable("made_up", table.X * 0, table.y, table.classes, "class"), plan, [0]
        )


@pytest.mark.parametrize(("name", "value"), [("n_seeds", 0), ("n_clusters", 1), ("n_trees", 2)])
def test_bad_settings_are_one_sentence(name, value):
    with pytest.raises(
        ConfigError, match=rf"`structure\.{name}` is `{value}`; give a whole number >="
    ):
        StructurePlan(**{name: value})


# ----------------------------------------------------------------------------- distances, examples


def test_distances_are_those_of_the_package(table, learned, compared, plan):
    """One of each kind again, with the plain reference and from predictions one by one."""
    train, test = split(table, 0, seed=plan.seed, experiment="structure", test_size=plan.test_size)
    values, trees = table.X.to_numpy(), trees_of(learned, 0)
    own = compared["distances"].query("repeat == 0").set_index(["tree_1", "tree_2"])
    assert len(own) == plan.n_trees**2
    plain = {
        rho: StructureReference(values[train], table.y[train], rho)
        for rho in ("spearman", "kendall")
    }
    proba = [tree.predict_proba(values[test]) for tree in trees]
    for one, two in ((0, 24), (3, 17), (20, 5), (7, 7)):
        found, pair = own.loc[(one, two)], (trees[one], trees[two])
        for kind in ("A1", "A2", "B1", "B2"):
            suffix = "_spearman" if kind[1] == "2" else ""
            expected = plain["spearman"].distance(kind, *pair)
            assert found[f"edit_{kind.lower()}{suffix}"] == pytest.approx(expected)
        assert found["edit_b2_kendall"] == pytest.approx(plain["kendall"].distance("B2", *pair))
        p, q = proba[one], 1e-5 / 2 + (1 - 1e-5) * proba[two]
        ratio = np.where(p > 0, np.log(np.where(p > 0, p, 1.0) / q), 0.0)
        assert found["d_kl"] == pytest.approx((p * ratio).sum(axis=1).mean(), abs=1e-12)
        differ = proba[one].argmax(axis=1) != proba[two].argmax(axis=1)
        assert found["d_p"] == pytest.approx(differ.mean())


def alike_nodes(a, b):
    """Tests of two sorted trees side by side, None where their shapes differ."""
    if a is None or b is None:
        return [] if a is b else None
    found = [(a[0], b[0])]
    for one, two in zip(a[1], b[1], strict=True):
        below = alike_nodes(one, two)
        if below is None:
            return None
        found += below
    return found


def slow_examples(trees, parent, reference, above):
    """As `example_pairs`, node by node; criterion, both places and number of changed tests."""
    rows = [("insertion_deletion", p, i, 1) for i, p in enumerate(parent) if p >= 0]
    reference.leaves = True
    sorted_ = [reference.sorted(tree) for tree in trees]
    for i in range(len(trees)):
        for k in range(i + 1, len(trees)):
            pairs = alike_nodes(sorted_[i], sorted_[k])
            if pairs is None:
                continue
            changed = [p for p in pairs if p[0] != p[1] and not turned(*p)]
            others = [p for p in changed if p[0][0] != p[1][0]]
            if changed and not others:
                rows.append(("same_variable", i, k, len(changed)))
            # The price of a substitution has the correlation, 0 of unordered categories.
            price = reference.substitution("B2", *others[0]) if len(others) == 1 else 1
            if len(changed) == 1 and 1 - price > above:
                rows.append(("correlated", i, k, 1))
    return sorted(rows)


def turned(a, b):
    return len(a) == len(b) == 3 and a == (b[0], b[2], b[1])


def random_forest_of_small_trees(seed):
    """Trees of one or a few tests on samples of one table with a categorical variable."""
    generator = np.random.default_rng(seed)
    n = 60
    base = generator.normal(0, 1, (n, 2))
    group = generator.integers(0, 3, n)
    y = (base[:, 0] + 0.5 * base[:, 1] + 0.6 * group + generator.normal(0, 1, n) > 0).astype(int)
    X = np.column_stack(
        [base, base[:, 0] + generator.normal(0, 0.02, n), group, group + 0.0, np.exp(base[:, 1])]
    )
    kinds = np.array([0, 0, 0, 3, 0, 0])
    trees = []
    while len(trees) < 40:
        mine = X.copy()
        mine[:, generator.choice(6, 2, replace=False)] = 0
        weight = generator.integers(0, 3, n).astype(float)
        split_from = float(generator.choice([15, 25, 40]))
        tree = grow(Columns(mine, y, 2, weight, kinds), min_samples_split=split_from)
        if tree.n_nodes > 1:
            trees.append(tree)
    return X, y, kinds, trees


@pytest.mark.parametrize("seed", range(6))
def test_example_pairs_against_a_comparison_node_by_node(seed):
    X, y, kinds, trees = random_forest_of_small_trees(seed)
    frame = pd.DataFrame(X)
    for j in np.flatnonzero(kinds):
        frame[j] = pd.Categorical(X[:, j].astype(int), categories=[0, 1, 2])
    parent = np.full(len(trees), -1)
    parent[5], parent[9] = 2, 5
    metric = TreeEditDistance("B2", "spearman").fit(frame, y)
    found = structure_steps.example_pairs(trees, parent, metric, 0.9)
    expected = slow_examples(trees, parent, StructureReference(X, y), 0.9)
    columns = ["criterion", "tree_1", "tree_2", "n_changed"]
    assert list(found[columns].itertuples(index=False, name=None)) == expected
    assert {row[0] for row in expected} == {"insertion_deletion", "same_variable", "correlated"}
    correlated = found[found["criterion"] == "correlated"]
    rho = np.abs(stats.spearmanr(X).statistic)
    for row in correlated.itertuples():
        assert row.correlation == pytest.approx(rho[row.variable_1, row.variable_2])
        assert row.correlation > 0.9


def chain(side, feature):
    """A test of variable 0, and on one side of it a test of another variable."""
    inner, leaf = (1, 4) if side == "left" else (2, 1)
    features, thresholds = np.full(5, -1), np.full(5, np.nan)
    features[[0, inner]], thresholds[[0, inner]] = (0, feature), 0.5
    left, right, parent = np.full(5, -1), np.full(5, -1), np.full(5, inner)
    left[0], right[0] = sorted((inner, leaf))
    left[inner], right[inner] = inner + 1, inner + 2
    parent[[0, inner, leaf]] = -1, 0, 0
    share = np.where(features >= 0, 0.5, np.nan)
    return Tree(features, thresholds, left, right, parent, share, np.ones((5, 2)))


def test_a_test_on_the_other_side_of_its_parent_is_in_another_node():
    """The edit distance takes both for one tree; they were once drawn as an example."""
    generator = np.random.default_rng(0)
    X = generator.random((40, 3))
    X[:, 2] = X[:, 1]
    y = (X[:, 0] > 0.5).astype(int)
    trees = [chain("left", 1), chain("right", 2), chain("left", 2)]
    metric = TreeEditDistance("B2", "spearman").fit(X, y)
    assert metric.distance(trees[0], trees[1]) == metric.distance(trees[0], trees[2]) == 0
    found = structure_steps.example_pairs(trees, [-1, -1, -1], metric, 0.9)
    assert found[["criterion", "tree_1", "tree_2"]].to_numpy().tolist() == [["correlated", 0, 2]]


def test_unordered_categories_are_not_correlated():
    """Codes of categories have ranks, but the edit distance gives them no correlation."""
    X, y, kinds, _ = random_forest_of_small_trees(1)
    one, two = (np.where(np.arange(6) == j, X, 0.0) for j in (3, 4))
    trees = [grow(Columns(x, y, 2, None, kinds), max_depth=1) for x in (one, two)]
    assert [int(t.feature[0]) for t in trees] == [3, 4]
    frame = pd.DataFrame(X)
    frame[3] = pd.Categorical(X[:, 3].astype(int), categories=[0, 1, 2])
    metric = TreeEditDistance("B2", "spearman").fit(frame, y)
    assert metric.data_.absolute_correlations([3, 4])[0, 1] == 1
    assert structure_steps.example_pairs(trees, [-1, -1], metric, 0.9).empty


def test_no_pairs_give_an_empty_table_of_the_same_columns():
    X, y, _, trees = random_forest_of_small_trees(0)
    metric = TreeEditDistance("B2", "spearman").fit(X, y)
    found = structure_steps.example_pairs(trees[:1], [-1], metric, 0.9)
    assert found.empty and "correlation" in found.columns


def test_the_pair_that_is_shown_follows_a_rule():
    forest = pd.DataFrame(
        {
            "tree": range(7),
            "n_tests": [1, 1, 2, 2, 3, 3, 4],
            "n_visits": [90, 80, 70, 60, 20, 30, 95],
        }
    )
    rows = [
        ("insertion_deletion", 0, 2, 1),
        ("insertion_deletion", 2, 4, 1),
        ("insertion_deletion", 3, 5, 1),  # of trees of three tests the most visited
        ("insertion_deletion", 4, 6, 1),
        ("same_variable", 0, 1, 1),  # most visited, but of one test
        ("same_variable", 2, 3, 2),
        ("same_variable", 4, 5, 1),
        ("correlated", 0, 1, 1),
    ]
    examples = pd.DataFrame(rows, columns=["criterion", "tree_1", "tree_2", "n_changed"])
    shown = structure_steps.shown_pairs(examples.sample(frac=1, random_state=1), forest)
    assert list(shown.itertuples(index=False, name=None)) == [rows[7], rows[2], rows[6]]


def test_edits_in_words_cost_what_the_distance_is(table, learned, compared, plan):
    scripts = structure_steps.edit_scripts(table, learned, compared["examples"], plan)
    distances = compared["distances"].set_index(["repeat", "tree_1", "tree_2"])
    assert not scripts.duplicated(["repeat", "criterion"]).any() and len(scripts) >= 6
    for row in scripts.itertuples():
        costs = [float(c) for c in pd.Series([row.edits]).str.findall(r"\(cost ([\d.e-]+)\)")[0]]
        expected = distances.loc[(row.repeat, row.tree_1, row.tree_2), "edit_b2_spearman"]
        assert sum(costs) == pytest.approx(expected, rel=2e-3, abs=1e-3)
        start = "insert " if row.criterion == "insertion_deletion" else ""
        assert row.edits.startswith(start) and any(n in row.edits for n in table.X.columns)


# --------------------------------------------------------------------------------------- clusters


def test_scores_worked_out_by_hand():
    places = np.array([0.0, 1.0, 10.0, 11.0, 30.0])
    D = np.abs(places[:, None] - places)
    labels = np.array([0, 0, 1, 1, 1])
    pairs = {
        "insertion_deletion_score": np.array([[0, 1], [1, 2], [2, 3]]),
        "same_variable_substitution_score": np.array([[0, 1], [3, 4]]),
        "correlated_substitution_score": np.empty((0, 2), dtype=int),
        "insertion_deletion_score_first": np.array([[1, 2]]),
    }
    found = structure_steps.score(D, labels, np.array([3, 3, 5, 5, 5]), pairs)
    # Silhouette of each tree: (other cluster - own cluster) / the larger.
    each = [
        (51 / 3 - 1) / (51 / 3),
        (48 / 3 - 1) / (48 / 3),
        (9.5 - 10.5) / 10.5,
        (10.5 - 10) / 10.5,
        (29.5 - 19.5) / 29.5,
    ]
    assert found["silhouette"] == pytest.approx(np.mean(each))
    assert found["nmi_cluster_n_nodes"] == pytest.approx(1)
    assert found["insertion_deletion_score"] == pytest.approx(2 / 3)
    assert found["same_variable_substitution_score"] == 1
    assert np.isnan(found["correlated_substitution_score"])
    assert found["insertion_deletion_score_first"] == 0
    assert found["chance"] == pytest.approx((1 + 3) / 10)
    assert found["n_found"] == 2
    one = structure_steps.score(D, np.zeros(5, dtype=int), np.array([3, 3, 5, 5, 5]), pairs)
    assert np.isnan(one["silhouette"]) and one["nmi_cluster_n_nodes"] == 0 and one["chance"] == 1


def test_clusters_and_closeness_of_one_variant_again(compared, learned, clustered, plan):
    """B1, normalised, forest 1: from the matrix to every number of its rows."""
    own = learned["forests"].query("repeat == 1")
    size = own["n_nodes"].to_numpy()
    frame = compared["distances"].query("repeat == 1")
    matrix = {
        name: frame.pivot(index="tree_1", columns="tree_2", values=name).to_numpy()
        for name in ("edit_b1", "d_kl", "d_p")
    }
    D = matrix["edit_b1"] / (size[:, None] + size)
    key = "repeat == 1 and method == 'edit_b1' and scale == 'normalized'"
    closeness = clustered["closeness"].query(key).iloc[0]
    for name in ("d_kl", "d_p"):
        total = sum((D[i, k] - matrix[name][i, k]) ** 2 for i in range(25) for k in range(25))
        assert closeness[f"norm_diff_to_{name}"] == pytest.approx(total**0.5)
        pairs = [(i, k) for i in range(25) for k in range(i)]
        rho = stats.spearmanr(
            [D[p] for p in pairs], [matrix[name][p] + matrix[name][p[::-1]] for p in pairs]
        ).statistic
        assert closeness[f"rank_correlation_with_{name}"] == pytest.approx(rho)
    assert closeness["largest_distance"] == D.max()
    assert closeness["mean_distance"] == pytest.approx(D.sum() / (25 * 24))

    labels = clustered["labels"].query(key).sort_values("tree")["label"].to_numpy()
    scores = clustered["scores"].query(key)
    assert scores["seed"].tolist() == list(range(plan.n_seeds))
    first = scores.iloc[0]
    assert first["n_found"] == len(set(labels)) == plan.n_clusters
    children = own[own["parent"] >= 0]
    together = [labels[c.tree] == labels[c.parent] for c in children.itertuples()]
    assert first["insertion_deletion_score"] == pytest.approx(np.mean(together))
    of_stumps = [
        same for same, c in zip(together, children.itertuples(), strict=True) if c.n_tests == 2
    ]
    assert first["insertion_deletion_score_first"] == pytest.approx(np.mean(of_stumps))


def test_too_many_clusters_are_an_error(compared, learned):
    plan = StructurePlan(**{**PLAN, "n_clusters": 25})
    with pytest.raises(ConfigError, match="forest 0 of made_up has 25 trees, for 25 clusters"):
        structure_steps.cluster_forests(compared, learned["forests"], plan)


def test_distances_in_the_space_of_prototypes(compared, learned, clustered):
    frame = compared["distances"].query("repeat == 0")
    D = structure_steps.matrix_of(frame, "edit_b2_spearman")
    size = learned["forests"].query("repeat == 0")["n_nodes"].to_numpy()
    key = "repeat == 0 and method == 'edit_b2_spearman' and scale == 'unnormalized'"
    labels = clustered["labels"].query(key).sort_values("tree")["label"].to_numpy()
    found = structure_steps.scaled(D, size, "prototypes", labels, SimpleNamespace(n_prototypes=2))
    chosen = prototypes(D, labels, 2)
    assert len(chosen) == 6
    for one, two in ((0, 1), (4, 20), (13, 13)):
        expected = np.mean([(D[one, p] - D[two, p]) ** 2 for p in chosen]) ** 0.5
        assert found[one, two] == pytest.approx(expected)
    plan = SimpleNamespace(**PLAN, n_components=3, n_prototypes=2)
    scales = (*structure_plan.SCALES, "prototypes")
    own = {name: every.query("repeat == 0") for name, every in compared.items()}
    forests = learned["forests"].query("repeat == 0")
    more = structure_steps.cluster_forests(own, forests, plan, scales)
    scores = clustered["scores"].query("repeat == 0").reset_index(drop=True)
    assert len(more["scores"]) == 1.5 * len(scores)
    same = more["scores"].query("scale != 'prototypes'").reset_index(drop=True)
    pd.testing.assert_frame_equal(same, scores)


# -------------------------------------------------------------------------------------- bootstrap


def test_bootstrap_against_resampled_rows_and_columns(compared, learned, plan):
    found = structure_statistics.statistics(compared["distances"], learned["forests"], plan)
    assert len(found) == 3 * 2 * 2 * 2  # forests, scales, references, pairs
    row = found.query(
        "repeat == 2 and scale == 'normalized' and reference == 'd_kl' "
        "and first == 'edit_b2_spearman'"
    ).iloc[0]
    assert row["second"] == "edit_b1"
    frame = compared["distances"].query("repeat == 2")
    size = learned["forests"].query("repeat == 2")["n_nodes"].to_numpy()
    both = size[:, None] + size
    one, two = (structure_steps.matrix_of(frame, m) / both for m in ("edit_b2_spearman", "edit_b1"))
    reference = structure_steps.matrix_of(frame, "d_kl")

    def gain(drawn):
        here = np.ix_(drawn, drawn)
        return np.linalg.norm((one - reference)[here]) - np.linalg.norm((two - reference)[here])

    n = len(size)
    assert row["difference"] == pytest.approx(gain(np.arange(n)))
    stream = rng(plan.seed, "structure", "made_up", 2, "bootstrap")
    times = stream.multinomial(n, np.full(n, 1 / n), size=plan.n_bootstrap)
    gains = [gain(np.repeat(np.arange(n), t)) for t in times]
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.percentile(gains, [2.5, 97.5])))
    assert row["share_below"] == np.mean(np.array(gains) < 0)
    assert row["low"] < row["difference"] < row["high"]


def test_a_distance_and_itself_do_not_differ(compared, learned, plan, monkeypatch):
    monkeypatch.setattr(structure_statistics, "PAIRED", (("edit_a1", "edit_a1"),))
    found = structure_statistics.statistics(compared["distances"], learned["forests"], plan)
    assert (found[["difference", "low", "high", "share_below"]] == 0).all(axis=None)
