"""One traversal for all consumers: shares, leaves, paths and predictions agree."""

import tracemalloc

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from oracle.random_trees import random_noise, random_tree, seeds

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree
from hedgerow.tree._gates import Gates, share_of


def awkward(X, n_categories, seed):
    """Other values: shifted, missing, unseen categories."""
    rng = np.random.default_rng([seed, 2])
    new = X + np.where(n_categories > 0, rng.integers(-1, 3, X.shape), rng.normal(0, 1, X.shape))
    new[rng.random(new.shape) < 0.2] = np.nan
    return new


@examples(100)
@given(seeds)
def test_shares_paths_leaves_and_predictions_agree(seed):
    """Leaf shares sum to 1, children's to their parent's; `apply` is the largest leaf's share."""
    tree, X, _, columns = random_tree(seed)
    gate = random_noise(seed, columns.n_categories)
    new = awkward(X, columns.n_categories, seed)
    shares = tree.shares(new, gate).toarray()
    leaf = tree.is_leaf()
    assert (shares[:, 0] == 1.0).all()
    np.testing.assert_allclose(shares[:, leaf].sum(axis=1), 1.0, atol=1e-9)
    inner = np.flatnonzero(~leaf)
    np.testing.assert_allclose(
        shares[:, inner],
        shares[:, tree.children_left[inner]] + shares[:, tree.children_right[inner]],
        atol=1e-9,
    )
    path = tree.decision_path(new, gate).toarray()
    np.testing.assert_array_equal(path, (shares > 0).astype(int))
    chosen = tree.apply(new, gate)
    at_leaves = np.where(leaf, shares, -1.0)
    np.testing.assert_array_equal(chosen, at_leaves.argmax(axis=1))
    assert (path[np.arange(len(new)), chosen] == 1).all()
    proba = tree.predict_proba(new, gate)
    np.testing.assert_allclose(proba, shares[:, leaf] @ tree.probabilities()[leaf], atol=1e-9)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-9)


@examples(50)
@given(seeds)
def test_training_rows_bring_their_weight_back(seed):
    """The hard traversal sends the training rows where growth sent them, missing ones too."""
    tree, _, _, columns = random_tree(seed)
    reached = tree.shares(columns.X, None).toarray() * columns.sample_weight[:, None]
    one_hot = np.eye(tree.n_classes)[columns.y]
    np.testing.assert_allclose(reached.T @ one_hot, tree.class_weight, atol=1e-9)


@examples(100)
@given(seeds)
def test_what_goes_whole_goes_where_its_gate_sends_it(seed):
    """Values far from a test take a short cut, which may not differ from the gates by a bit: on
    thresholds, on the edges of windows and one float beside them.
    """
    tree, X, _, columns = random_tree(seed)
    noise = random_noise(seed, columns.n_categories)
    gates = Gates(noise, X.shape[1], exact=True)
    new = np.tile(awkward(X, columns.n_categories, seed), (3, 1))
    rng = np.random.default_rng([seed, 3])
    for node in np.flatnonzero(~tree.is_leaf() & ~tree.is_categorical()):
        j, t = tree.feature[node], tree.threshold[node]
        reach = 0.0 if noise is None else noise.half_window * noise.sigma[j]
        edges = np.array([t - reach, t, t + reach])
        edges = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        rows = rng.integers(0, len(new), 6)
        new[rows, j] = rng.choice(edges, 6)
    want = np.zeros((len(new), tree.n_nodes))
    want[:, 0] = 1.0
    for node in np.flatnonzero(~tree.is_leaf()):
        left = share_of(
            gates, tree.feature[node], new[:, tree.feature[node]],
            threshold=tree.threshold[node], center=tree.center[node],
            missing=tree.share_left[node],
            categories_left=tree.categories_left[node] if tree.is_categorical()[node] else None,
        )  # fmt: skip
        want[:, tree.children_left[node]] = want[:, node] * left
        want[:, tree.children_right[node]] = want[:, node] * (1.0 - left)
    np.testing.assert_array_equal(tree.shares(new, noise).toarray(), want)
    # Bits, so the order of the sum counts: leaves in preorder.
    proba, values = np.zeros((len(new), tree.n_classes)), tree.probabilities()
    for leaf in np.flatnonzero(tree.is_leaf()):
        proba += want[:, leaf, None] * values[leaf]
    np.testing.assert_array_equal(tree.predict_proba(new, noise), proba)
    leaves = np.where(tree.is_leaf(), want, -1.0)
    np.testing.assert_array_equal(tree.apply(new, noise), leaves.argmax(axis=1))


@pytest.mark.parametrize("order", ["C", "F"])
def test_prediction_makes_no_copy_of_the_data(order):
    """Beside the probabilities and classes there is room for no tenth of the table."""
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(50_000, 20)), order=order)
    model = C45Classifier().fit(X[:1000], X[:1000, 0] > 0)
    tracemalloc.start()
    try:
        proba = model.predict_proba(X)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < proba.nbytes + X.nbytes / 10


def test_equal_shares_go_to_the_lower_leaf():
    tree = Tree(
        [0, -1, -1], [1.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.5, np.nan, np.nan], [[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]],
    )  # fmt: skip
    assert tree.apply([[np.nan]]).tolist() == [1]


@pytest.mark.parametrize("root", [-1, 5, 2**31, 2**70, 1.0, "1", None, True])
def test_a_root_that_is_no_node_is_refused(root):
    """It was read as it is: memory beyond the tree, and often the end of the process."""
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 0]
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    assert tree.n_nodes == 5
    with pytest.raises(InputError) as error:
        tree.predict_proba(X, root=root)
    assert str(error.value) == f"root is {root!r}; give the number of a node, from 0 to 4"
    for leaf in np.flatnonzero(tree.is_leaf()):
        want = np.tile(tree.probabilities()[leaf], (5, 1))
        np.testing.assert_array_equal(tree.predict_proba(X, root=leaf), want)


def test_smoothing_and_no_rows():
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 1]
    model = C45Classifier(prune=False, smoothing=True).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba([[1.0], [9.0]]), [[3 / 4, 1 / 4], [1 / 5, 4 / 5]]
    )
    assert model.tree_.predict_proba(np.empty((0, 1))).shape == (0, 2)


def test_a_node_without_weight_takes_its_parents_shares():
    tree = Tree(
        [0, -1, -1], [1.0, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.0, np.nan, np.nan], [[1.0, 3.0], [0.0, 0.0], [1.0, 3.0]],
    )  # fmt: skip
    np.testing.assert_allclose(tree.predict_proba([[0.0]]), [[0.25, 0.75]])
