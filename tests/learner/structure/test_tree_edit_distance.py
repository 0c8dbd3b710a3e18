"""TreeEditDistance against the plain reference; what each cost promises; bad input."""

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.random_trees import random_table, seeds
from oracle.structure import StructureReference
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier, Tree, UCTTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow
from hedgerow.structure import TreeEditDistance
from hedgerow.structure import distance as module

COSTS = ("A1", "A2", "B1", "B2")
CORRELATIONS = ("spearman", "pearson", "kendall")


def some(seed, n=2, max_depth=4):
    """A random table of two classes or more, and trees grown on bootstrap samples of it."""
    X, y, _, _, n_categories = random_table(seed)
    y = np.unique(y, return_inverse=True)[1]
    assume(y.max() > 0)
    rng = np.random.default_rng(seed)
    trees = []
    for _ in range(n):
        rows = rng.integers(0, len(y), len(y))
        columns = Columns(X[rows], y[rows], int(y.max()) + 1, None, n_categories)
        trees.append(grow(columns, min_samples_split=2, max_depth=max_depth))
    return X, y, trees


def leaf(n_classes=2):
    return Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], np.ones((1, n_classes)))


def stump(feature, threshold=np.nan, categories=None):
    """One test."""
    return Tree(
        [feature, -1, -1],
        [threshold, np.nan, np.nan],
        [1, -1, -1],
        [2, -1, -1],
        [-1, 0, 0],
        [0.5, np.nan, np.nan],
        np.ones((3, 2)),
        None if categories is None else [categories, [0] * len(categories), [0] * len(categories)],
    )


# -- against the reference --------------------------------------------------------------------


@examples(120)
@given(seeds, st.sampled_from(COSTS), st.sampled_from(CORRELATIONS))
def test_equal_to_the_reference(seed, cost, correlation):
    """Several classes, ties, missing values and categories."""
    X, y, trees = some(seed)
    metric = TreeEditDistance(cost, correlation).fit(X, y)
    expected = StructureReference(X, y, correlation).distance(cost, *trees)
    assert metric.distance(*trees) == pytest.approx(expected, abs=1e-9)


@examples(40)
@given(seeds)
def test_class_weights_and_swaps_are_those_of_the_data_set(seed):
    """Without missing values, rows are counted as the traversal of the tree counts them."""
    X, y, (tree, _) = some(seed)
    assume(not np.isnan(X).any())
    found = TreeEditDistance().fit(X, y).data_.sort(tree)
    counted = tree.replace(classes=None).annotate(X, y).statistics["class_weight"]
    np.testing.assert_allclose(found.class_weight, counted, atol=1e-9)


# -- by hand ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain():
    """Variables 0 and 1 are correlated by -1, 2 has no spread, 3 has four categories."""
    rng = np.random.default_rng(0)
    x = np.arange(1.0, 101)
    X = np.column_stack([x, -(x**3), np.full(100, 7.0), np.arange(100) % 4])
    X[0, 2] = 8.0
    return X, (x + rng.normal(0, 20, 100) > 40).astype(int)


@pytest.mark.parametrize(
    "one, two, costs",
    [
        (stump(0, 50.0), stump(0, 50.0), (0, 0, 0, 0)),
        (stump(0, 50.0), stump(0, 59.9), (1.2, 1.2, 0.2, 0.2)),  # IQR 49.5
        (stump(0, 2.0), stump(0, 98.0), (2, 2, 1, 1)),
        (stump(0, 50.0), stump(1, 0.0), (2, 1, 1, 0)),  # Spearman -1
        (stump(0, 50.0), leaf(), (1, 1, 1, 1)),
        (leaf(), leaf(), (0, 0, 0, 0)),
        (stump(2, 7.5), stump(2, 7.6), (2, 2, 1, 1)),  # IQR 0
        (stump(2, 7.5), stump(2, 7.5), (0, 0, 0, 0)),
        (stump(3, 1.5), stump(3, categories=[1, 1, 0, 0]), (2, 2, 1, 1)),  # unlike kinds
        # {0,1} | {2,3} and {0} | {1,2,3}: (1/2 + 2/3) / 2 of the values are alike.
        *[
            (
                stump(3, categories=[1, 1, 0, 0]),
                stump(3, categories=other),
                (1 + 5 / 12, 1 + 5 / 12, 5 / 12, 5 / 12),
            )
            for other in ([1, 0, 0, 0], [0, 1, 1, 1])
        ],
        # The same division, with the sides and a category that never occurs written otherwise.
        (
            stump(3, categories=[1, 1, 0, 0, 1]),
            stump(3, categories=[0, 0, 1, 1, 1, 0]),
            (0, 0, 0, 0),
        ),
        (stump(0, 50.0), stump(3, categories=[1, 1, 0, 0]), (2, 2, 1, 1)),  # no correlation
    ],
)
def test_costs_by_hand(plain, one, two, costs):
    for cost, expected in zip(COSTS, costs, strict=True):
        for pair in ((one, two), (two, one)):
            found = TreeEditDistance(cost).fit(*plain).distance(*pair)
            assert found == pytest.approx(expected, abs=1e-3), cost


def test_normalized_by_all_nodes(plain):
    metric = TreeEditDistance("A1", normalized=True).fit(*plain)
    assert metric.distance(stump(0, 2.0), stump(0, 98.0)) == 2 / 6
    assert metric.distance(stump(0, 2.0), leaf()) == 1 / 4
    np.testing.assert_array_equal(
        metric.pairwise([leaf(), stump(0, 2.0)]), [[0, 1 / 4], [1 / 4, 0]]
    )


def test_two_values_have_a_correlation_and_three_do_not():
    x = np.arange(60)
    X = np.column_stack([x // 30, x // 20, x // 30])
    y = x % 2
    binary, three = ([1, 0], [1, 0, 0])
    metric = TreeEditDistance("B2").fit(X, y)
    same = metric.distance(stump(0, categories=binary), stump(2, categories=binary))
    assert same == pytest.approx(0, abs=1e-12)
    assert metric.distance(stump(0, categories=binary), stump(1, categories=three)) == 1
    assert metric.distance(stump(0, 0.5), stump(1, 0.5)) < 0.2  # as numbers they have one


@pytest.mark.parametrize(
    "low, swaps",
    [
        ([30, 10, 5], False),  # more of the most frequent class below: stays
        ([10, 10, 10], True),
        ([25, 10, 15], False),  # a tie there: more of the second class goes right
        ([25, 20, 5], True),
        ([25, 15, 10], False),  # all alike: below the threshold is left
    ],
)
def test_sorting_by_rank(low, swaps):
    """`low` rows of classes 2, 0, 1 lie below the threshold, of 50, 30 and 20."""
    y = np.repeat([2, 0, 1], [50, 30, 20])
    x = np.ones(100)
    for begin, n in zip((0, 50, 80), low, strict=True):
        x[begin : begin + n] = 0
    metric = TreeEditDistance().fit(x[:, None], y)
    np.testing.assert_array_equal(metric.data_.class_order_, [2, 0, 1])
    assert bool(metric.data_.sort(stump(0, 0.5)).swaps[0]) is swaps


def test_trees_are_sorted_by_the_data_and_not_by_their_own_weights(plain):
    """A tree of any sample, or with no class weights of use, has the same distance."""
    X, y = plain
    tree = C45Classifier(prune=False, max_depth=3).fit(X, y).tree_
    arrays = tree.arrays()
    other = Tree(**{**arrays, "class_weight": arrays["class_weight"][:, ::-1]})
    for cost in COSTS:
        assert TreeEditDistance(cost).fit(X, y).distance(tree, other) == 0


# -- properties -------------------------------------------------------------------------------


@examples(60)
@given(seeds, st.sampled_from(COSTS), st.booleans())
def test_what_every_cost_promises(seed, cost, normalized):
    X, y, trees = some(seed, 4)
    metric = TreeEditDistance(cost, normalized=normalized).fit(X, y)
    found = metric.pairwise(trees)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 0)
    tests = np.array([t.n_nodes // 2 for t in trees], dtype=float)
    nodes = np.array([t.n_nodes for t in trees], dtype=float)
    absolute = found * (nodes[:, None] + nodes) if normalized else found
    assert (absolute >= np.abs(tests[:, None] - tests) - 1e-9).all()
    # B: the smaller tree's tests are substituted; A: nothing is dearer than writing anew.
    assert (absolute <= tests[:, None] + tests + 1e-9).all()
    for i in range(4):
        for j in range(4):
            assert metric.distance(trees[i], trees[j]) == found[i, j]


@examples(60)
@given(seeds, st.sampled_from(CORRELATIONS))
def test_type_a_is_not_below_type_b_and_correlation_only_helps(seed, correlation):
    X, y, trees = some(seed, 3)
    a1, a2, b1, b2 = (TreeEditDistance(c, correlation).fit(X, y).pairwise(trees) for c in COSTS)
    for larger, smaller in ((a1, b1), (a2, b2), (a1, a2), (b1, b2)):
        assert (larger >= smaller - 1e-12).all()


@examples(80)
@given(seeds, st.sampled_from(("A1", "A2", "B1")))
def test_triangle_inequality(seed, cost):
    X, y, trees = some(seed, 6)
    found = TreeEditDistance(cost).fit(X, y).pairwise(trees)
    detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= detour + 1e-9).all()


@examples(60)
@given(seeds, st.sampled_from(("A1", "A2", "B1")))
def test_substitution_costs_satisfy_the_triangle_inequality(seed, cost):
    """The tests of a few trees, each as a tree of its own."""
    X, y, trees = some(seed, 3)
    stumps = []
    for tree in trees:
        for node in np.flatnonzero(tree.feature >= 0):
            categories = tree.categories_left[node]
            is_category = np.isnan(tree.threshold[node])
            stumps.append(
                stump(tree.feature[node], tree.threshold[node], categories if is_category else None)
            )
    assume(stumps)
    found = TreeEditDistance(cost).fit(X, y).pairwise(stumps)
    detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= detour + 1e-9).all()


def test_b2_does_not_satisfy_the_triangle_inequality(plain):
    """Two thresholds of one variable are near tests on a variable correlated with it."""
    metric = TreeEditDistance("B2").fit(*plain)
    low, high, between = stump(0, 2.0), stump(0, 98.0), stump(1, -100.0)
    assert metric.distance(low, high) == 1
    assert metric.distance(low, between) + metric.distance(between, high) < 1e-9
    script = metric.edit_script(low, between)
    assert script.operation.tolist() == ["changed"] and script.cost[0] < 1e-9


@examples(60)
@given(seeds)
def test_b1_and_type_a_tell_different_sorted_trees_apart(seed):
    X, y, trees = some(seed)
    reference = StructureReference(X, y)
    equal = reference.sorted(trees[0]) == reference.sorted(trees[1])
    assume(not any(np.isnan(t.threshold[t.feature >= 0]).any() for t in trees))
    for cost in ("A1", "A2", "B1"):
        assert (TreeEditDistance(cost).fit(X, y).distance(*trees) == 0) is equal


# -- scripts ----------------------------------------------------------------------------------


@examples(60)
@given(seeds, st.sampled_from(COSTS))
def test_a_script_adds_up_to_the_distance(seed, cost):
    X, y, (one, two) = some(seed)
    metric = TreeEditDistance(cost).fit(X, y)
    script = metric.edit_script(one, two)
    assert script.attrs["distance"] == metric.distance(one, two)
    assert script.cost.sum() == pytest.approx(script.attrs["distance"], abs=1e-9)
    for column, tree in (("node_1", one), ("node_2", two)):
        nodes = sorted(script[column][script[column] >= 0])
        assert nodes == np.flatnonzero(tree.feature >= 0).tolist()
    assert (script.cost[script.operation == "same"] == 0).all()
    assert (script.cost[script.operation.isin(["inserted", "deleted"])] == 1).all()


def test_a_script_says_what_is_where():
    X, y = load_iris(return_X_y=True, as_frame=True)
    one, two = (C45Classifier(max_depth=d).fit(X, y).tree_ for d in (1, 2))
    metric = TreeEditDistance("A1").fit(X, y)
    script = metric.edit_script(one, two)
    assert script.operation.tolist() == ["same", "inserted"]
    assert script.test_1[0] == script.test_2[0] and "petal" in script.test_1[0]
    assert script.attrs == {"distance": 1.0, "normalized_distance": 1 / 8}
    back = metric.edit_script(two, one)
    assert back.operation.tolist() == ["same", "deleted"]
    assert metric.edit_script(leaf(3), leaf(3)).empty


# -- many trees -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forest():
    X, y = load_iris(return_X_y=True)
    search = UCTTreeClassifier(n_iterations=3000, tree_pruning=False, random_state=0).fit(X, y)
    return X, y, search.forest(60)


@pytest.mark.parametrize("cost", ["A1", "B2"])
def test_blocks_and_threads_change_nothing(forest, cost, monkeypatch, tmp_path):
    X, y, trees = forest
    metric = TreeEditDistance(cost).fit(X, y)
    whole = metric.pairwise(trees)
    monkeypatch.setattr(module, "THREADS_FROM", 0)
    np.testing.assert_array_equal(metric.pairwise(trees, n_jobs=3), whole)
    np.testing.assert_array_equal(metric.pairwise(trees, n_jobs=-1, progress=True), whole)
    monkeypatch.setattr(module, "BLOCK_TREES", 7)
    monkeypatch.setattr(module, "BLOCK_TESTS", 5)
    np.testing.assert_array_equal(metric.pairwise(iter(trees)), whole)
    np.testing.assert_array_equal(metric.pairwise(trees[:9], trees[4:50]), whole[:9, 4:50])
    out = np.memmap(tmp_path / "distances", dtype=np.float64, mode="w+", shape=(60, 60))
    assert metric.pairwise(trees, out=out, n_jobs=2) is out
    np.testing.assert_array_equal(out, whole)


def test_a_parent_and_a_child_of_the_search_are_one_insertion_apart(forest):
    X, y, _ = forest
    search = UCTTreeClassifier(n_iterations=500, tree_pruning=False, random_state=1).fit(X, y)
    parents = search.search_tree_.parent.to_numpy()[search.forest_states(40)]
    trees = search.forest(40)
    states = search.forest_states(40).tolist()
    for cost in COSTS:
        found = TreeEditDistance(cost).fit(X, y).pairwise(trees)
        for child, parent in enumerate(parents):
            if parent >= 0:
                assert found[child, states.index(parent)] == 1


def test_trees_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    trees = [
        Tree.from_sklearn(DecisionTreeClassifier(max_leaf_nodes=n, random_state=0).fit(X, y))
        for n in (2, 3, 6)
    ]
    found = TreeEditDistance("B1").fit(X, y).pairwise(trees)
    assert found[0, 1] == 1 and found[1, 2] == 3


# -- input ------------------------------------------------------------------------------------


def test_categories_are_matched_by_label():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 120)
    y = (colour == "red").astype(int)
    y[:15] = 1 - y[:15]
    tables = [
        pd.DataFrame({"colour": pd.Categorical(colour, categories=labels)})
        for labels in (["red", "green", "blue"], ["never", "blue", "green", "red"])
    ]
    trees = [C45Classifier(max_depth=1).fit(X, y).tree_ for X in tables]
    assert trees[0].n_nodes == 3
    for X in tables:
        for cost in COSTS:
            assert TreeEditDistance(cost).fit(X, y).distance(*trees) == 0


@pytest.mark.parametrize(
    "settings_, message",
    [
        ({"cost": "C1"}, "cost is 'C1'; choose one of 'A1', 'A2', 'B1', 'B2'"),
        ({"correlation": "mutual"}, "correlation is 'mutual'; choose one of"),
        ({"normalized": "yes"}, "normalized is 'yes'; give True or False"),
    ],
)
def test_unknown_parameters(plain, settings_, message):
    with pytest.raises(InputError, match=message):
        TreeEditDistance(**settings_).fit(*plain)


def test_bad_data(plain):
    X, y = plain
    with pytest.raises(InputError, match="y holds the one class"):
        TreeEditDistance().fit(X, np.ones(100))
    with pytest.raises(InputError, match="requires y to be passed"):
        TreeEditDistance().fit(X, None)
    with pytest.raises(InputError, match="y holds nan in row"):
        TreeEditDistance().fit(X, np.where(y == 1, np.nan, y))
    with pytest.raises(ValueError, match="inconsistent"):
        TreeEditDistance().fit(X, y[:-1])
    with pytest.raises(InputError, match="infinite"):
        TreeEditDistance().fit(np.where(X == 5, np.inf, X), y)


def test_bad_trees(plain):
    X, y = plain
    metric = TreeEditDistance().fit(X, y)
    with pytest.raises(InputError, match="the tree tests variable 4 and the data have 4"):
        metric.distance(stump(4, 1.0), leaf())
    with pytest.raises(InputError, match="the list of trees is empty"):
        metric.pairwise([])
    with pytest.raises(InputError, match="the list of trees is empty"):
        metric.pairwise([leaf()], [])
    with pytest.raises(InputError, match="trees is of type Tree"):
        metric.pairwise(leaf())
    with pytest.raises(InputError, match=r"Tree.from_sklearn"):
        metric.distance(DecisionTreeClassifier().fit(X, y), leaf())
    with pytest.raises(InputError, match="tests the categories of variable 1"):
        metric.distance(stump(0, categories=[1, 0]), stump(1, categories=[1, 0]))
    with pytest.raises(InputError, match="n_jobs"):
        metric.pairwise([leaf()], n_jobs=0)
    with pytest.raises(InputError, match=r"out is float64 of shape \(2, 2\)"):
        metric.pairwise([leaf()], out=np.empty((2, 2)))
    unknown = X.copy()
    unknown[:, 1] = np.nan
    metric.fit(unknown, y)
    assert metric.distance(stump(0, 1.0), leaf()) == 1
    with pytest.raises(InputError, match="a tree tests variable 1, of which the data"):
        metric.distance(stump(1, 1.0), leaf())
    named = stump(0, 1.0).replace(feature_names=["b", "a"])
    with pytest.raises(InputError, match="other names"):
        TreeEditDistance().fit(pd.DataFrame(X[:, :2], columns=["a", "b"]), y).distance(named, named)


def test_correlations_of_variables_asked_for_one_after_the_other(plain):
    """Which variables were asked for before changes nothing."""
    X, y = plain
    for correlation in CORRELATIONS:
        whole = TreeEditDistance("B2", correlation).fit(X, y).data_
        parts = TreeEditDistance("B2", correlation).fit(X, y).data_
        parts.absolute_correlations([3])
        parts.absolute_correlations([1, 3])
        np.testing.assert_array_equal(
            parts.absolute_correlations([0, 1, 3]),
            whole.absolute_correlations([0, 1, 2, 3])[np.ix_([0, 1, 3], [0, 1, 3])],
        )


def test_deep_trees():
    """Neither sorting nor comparing recurses, and memory does not grow with depth times rows."""
    n = 2000
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 2)), rng.integers(0, 2, 300)
    X[:50, 0] = np.nan  # these rows reach every node
    feature = np.append(np.tile([0, -1], n), -1)
    inner = feature >= 0
    nodes = np.arange(2 * n + 1)
    parent = np.where(nodes % 2, nodes - 1, nodes - 2)
    parent[0] = -1
    tree = Tree(
        feature,
        np.where(inner, nodes / 4 / n, np.nan),
        np.where(inner, nodes + 1, -1),
        np.where(inner, nodes + 2, -1),
        parent,
        np.where(inner, 0.5, np.nan),
        np.ones((2 * n + 1, 2)),
    )
    metric = TreeEditDistance("B1").fit(X, y)
    assert metric.distance(tree, leaf()) == n
    assert metric.distance(tree, stump(0, 0.0)) == n - 1
    assert metric.distance(tree, tree) == 0


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ([[0.0]], "out is of type list; give a numpy array of shape"),
        ("x", "out is of type str"),
        (np.zeros((1, 1), np.float32), "out is float32 of shape"),
        (np.broadcast_to(0.0, (1, 1)), "out is read-only"),
    ],
)
def test_what_distances_cannot_be_written_to(out, said):
    """A list was an AttributeError, a read-only array `buffer source array is read-only`."""
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    tree = C45Classifier().fit(X, y).tree_
    with pytest.raises(InputError, match=said):
        TreeEditDistance("A1").fit(X, y).pairwise([tree], out=out)
