"""Nodes that become leaves, and tests that decide nothing: trees cut by hand."""

import re

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from oracle.random_trees import chain, random_noise, random_tree, seeds
from sklearn.datasets import load_iris

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.tree import CategoryGate, ThresholdGate, Tree
from hedgerow.tree.gates import CategoryNoise


def cut_somewhere(tree: Tree, seed: int) -> tuple[Tree, list[int]]:
    """The tree without the branches at a few nodes, some of which lie below others."""
    nodes = np.random.default_rng([seed, 7]).integers(0, tree.n_nodes, 3).tolist()
    return tree.snip(*nodes), nodes


def kept(tree: Tree, nodes: list[int]) -> list[int]:
    """Nodes with none of the cut ones above, in preorder, by recursion."""

    def walk(node):
        if node in nodes or tree.feature[node] < 0:
            return [node]
        left, right = tree.children_left[node], tree.children_right[node]
        return [node, *walk(left), *walk(right)]

    return list(map(int, walk(0)))


def trees(seed: int) -> tuple[Tree, np.ndarray, np.ndarray]:
    """A random tree with a gate of any kind, with its rows."""
    tree, X, y, columns = random_tree(seed)
    rng = np.random.default_rng([seed, 5])
    width = tree.categories_left.shape[1]
    kinds = [None, random_noise(seed, columns.n_categories)]
    tested = np.unique(tree.feature[tree.is_categorical()]).tolist()
    if tested:
        kinds += [
            CategoryGate({j: np.full((width, width), 1 / width) for j in tested}),
            CategoryNoise({j: np.full(width, 1 / width) for j in tested}, 0.3),
        ]
    lower = tree.threshold - rng.uniform(0, 2, tree.n_nodes)
    kinds.append(ThresholdGate(lower, tree.threshold + rng.uniform(0, 2, tree.n_nodes)))
    gate = kinds[int(rng.integers(len(kinds)))]
    # Categories have labels, so that statistics know them where no test is left of them.
    categories = {j: list("abcdefg")[:k] for j, k in enumerate(columns.n_categories) if k}
    return tree.replace(gate=gate, categories=categories), X, y


# -- snip -------------------------------------------------------------------------------


@examples(200)
@given(seeds)
def test_what_is_left_is_as_it_was(seed):
    tree, _, _ = trees(seed)
    cut, nodes = cut_somewhere(tree, seed)
    old = kept(tree, nodes)
    assert cut.n_nodes == len(old)
    np.testing.assert_array_equal(cut.class_weight, tree.class_weight[old])
    inner = ~cut.is_leaf()
    assert inner.tolist() == [bool(tree.feature[n] >= 0) and n not in nodes for n in old]
    for name in ("feature", "threshold", "center", "share_left", "categories_left"):
        np.testing.assert_array_equal(
            getattr(cut, name)[inner], getattr(tree, name)[np.array(old)[inner]]
        )
    assert not cut.categories_left[~inner].any() and np.isnan(cut.threshold[~inner]).all()
    for name in ("classes", "feature_names", "categories"):
        assert getattr(cut, name) == getattr(tree, name)


@examples(200)
@given(seeds)
def test_rows_reach_the_nodes_that_are_left_as_before(seed):
    """With every gate: the shares of a row at these nodes do not change."""
    tree, X, _ = trees(seed)
    cut, nodes = cut_somewhere(tree, seed)
    before = tree.shares(X).toarray()[:, kept(tree, nodes)]
    np.testing.assert_allclose(cut.shares(X).toarray(), before, atol=1e-15)
    leaf = cut.is_leaf()
    answer = before[:, leaf] @ cut.probabilities()[leaf]
    np.testing.assert_allclose(cut.predict_proba(X), answer, atol=1e-12)


@examples(60)
@given(seeds)
def test_statistics_are_those_of_the_tree_that_is_left(seed):
    tree, X, y = trees(seed)
    cut, nodes = cut_somewhere(tree.annotate(X, y), seed)
    expected = tree.snip(*nodes).annotate(X, y)
    assert cut.statistics.keys() == expected.statistics.keys()
    for name, value in expected.statistics.items():
        np.testing.assert_array_equal(cut.statistics[name], value, err_msg=name)
    again = Tree.from_json(cut.to_json())
    assert again.to_json() == cut.to_json()


def test_statistics_that_json_kept_are_cut_as_well():
    iris = load_iris()
    tree = C45Classifier().fit(iris.data, iris.target).tree_.annotate(iris.data, iris.target)
    back = Tree.from_json(tree.to_json())
    assert back.snip(2).to_json() == tree.snip(2).to_json()


def test_nodes_of_a_tree_in_another_order_are_numbered_in_preorder():
    """Only that a child comes after its parent is asked of a tree by hand."""
    tree = Tree(
        [0, 1, 1, -1, -1, -1, -1],
        [1.0, 2.0, 3.0] + [np.nan] * 4,
        [1, 3, 5] + [-1] * 4,
        [2, 4, 6] + [-1] * 4,
        [-1, 0, 0, 1, 1, 2, 2],
        [0.5] * 3 + [np.nan] * 4,
        [[4, 6], [3, 2], [1, 4], [3, 0], [0, 2], [1, 0], [0, 4]],
    )
    cut = tree.snip()
    assert cut.children_left.tolist() == [1, 2, -1, -1, 5, -1, -1]
    assert cut.class_weight[:, 0].tolist() == [4, 3, 3, 0, 1, 1, 0]
    X = np.random.default_rng(0).uniform(0, 4, (50, 2))
    np.testing.assert_array_equal(cut.predict_proba(X), tree.predict_proba(X))
    assert tree.snip(1).threshold[2] == 3.0


def test_the_root_and_leaves():
    iris = load_iris()
    tree = C45Classifier().fit(iris.data, iris.target).tree_
    leaf = int(np.flatnonzero(tree.is_leaf())[0])
    assert tree.snip() == tree.snip(leaf) == tree and tree.snip() is not tree
    root = tree.snip(0, leaf, 0)
    assert root.n_nodes == 1
    np.testing.assert_allclose(root.predict_proba(iris.data[:2]), np.full((2, 3), 1 / 3))


def test_labels_stay_what_they_are():
    """An array of numbers and texts would make texts of all."""
    tree, _, _, _ = random_tree(3)
    labels = [*range(tree.n_classes - 1), "0"]
    tree = Tree(**tree.arrays(), classes=np.fromiter(labels, object, len(labels)))
    assert tree.snip(0).classes == labels


@pytest.mark.parametrize(
    "node",
    [-1, 7, 10**30, True, np.True_, 1.0, np.float64(1), "1", None, [1], np.array([1])],
    ids=repr,
)
def test_what_is_no_node_is_refused(node):
    iris = load_iris()
    tree = C45Classifier().fit(iris.data, iris.target).tree_
    assert tree.n_nodes == 7
    sentence = f"{node!r} is no node of the tree; give numbers of nodes, from 0 to 6, as `to_frame`"
    with pytest.raises(InputError, match=re.escape(sentence)):
        tree.snip(0, node)
    tree.snip(np.int32(6), np.uint8(0))


# -- simplify ---------------------------------------------------------------------------


def simplified(tree: Tree) -> Tree:
    """By the words: as long as two sister leaves have one class, the node above is cut."""
    while True:
        answer = tree.probabilities().argmax(axis=1)
        for node in np.flatnonzero(~tree.is_leaf()):
            below = [tree.children_left[node], tree.children_right[node]]
            if tree.is_leaf()[below].all() and answer[below[0]] == answer[below[1]]:
                tree = tree.snip(int(node))
                break
        else:
            return tree


@examples(200)
@given(seeds)
def test_sister_leaves_of_one_class_become_one(seed):
    """`min_samples_split=2` grows many of them; known values get the class that they had."""
    tree, X, _ = trees(seed)
    tree = tree.replace(gate=None)
    simple = tree.simplify()
    assert simple == simplified(tree)
    whole = X[~np.isnan(X).any(axis=1)]
    np.testing.assert_array_equal(
        simple.predict_proba(whole).argmax(axis=1), tree.predict_proba(whole).argmax(axis=1)
    )
    assert simple.simplify() == simple


def test_a_tie_goes_to_the_lower_class():
    tree = Tree(
        [0, -1, -1],
        [1.0, np.nan, np.nan],
        [1, -1, -1],
        [2, -1, -1],
        [-1, 0, 0],
        [0.5, np.nan, np.nan],
        [[5, 3, 0], [3, 1, 0], [2, 2, 0]],
    )
    assert tree.simplify().n_nodes == 1
    other = tree._with(class_weight=[[3, 5, 0], [1, 3, 0], [2, 2, 0]])
    assert other.simplify() == other


def test_a_leaf_without_weight_answers_as_the_node_above():
    arrays = {**stump(), "class_weight": [[0, 2], [0, 2], [0, 0]]}
    assert Tree(**arrays).simplify().n_nodes == 1


def test_weights_that_are_no_sums_change_no_answer():
    """By hand, a node may have weights of another class than both of its leaves."""
    arrays = {**stump(), "class_weight": [[5, 0], [0, 1], [0, 1]]}
    assert Tree(**arrays).simplify().n_nodes == 3


def stump() -> dict:
    return {
        "feature": [0, -1, -1],
        "threshold": [1.0, np.nan, np.nan],
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "parent": [-1, 0, 0],
        "share_left": [0.5, np.nan, np.nan],
    }


def test_trees_of_thousands_of_levels():
    """No recursion, and a time that grows with the nodes."""
    tree = chain(25_000)
    assert tree.simplify() == tree.snip() == tree  # leaves of the two classes take turns
    one_class = np.column_stack([tree.class_weight.sum(axis=1), np.zeros(tree.n_nodes)])
    assert tree._with(class_weight=one_class).simplify().n_nodes == 1
    assert tree.snip(40_000).n_nodes == 40_001
    assert tree.snip(*range(tree.n_nodes)).n_nodes == 1


# -- what takes a tree ------------------------------------------------------------------
