"""What holds for every tree, however it was grown: conserved weight, limits, ties, no seed."""

import tracemalloc

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from oracle.random_trees import random_noise, random_table, random_tree, seeds

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow, prune


def assert_weight_is_conserved(tree, columns):
    """Children's class weights add up to their parent's; the root has all of it."""
    want = np.zeros(tree.n_classes)
    np.add.at(want, columns.y, columns.sample_weight)
    np.testing.assert_allclose(tree.class_weight[0], want, atol=1e-9)
    inner = np.flatnonzero(tree.feature >= 0)
    left, right = tree.children_left[inner], tree.children_right[inner]
    both = tree.class_weight[left] + tree.class_weight[right]
    np.testing.assert_allclose(both, tree.class_weight[inner], atol=1e-9)
    share = tree.share_left[inner]
    assert ((share > 0) & (share < 1)).all()
    assert np.isnan(tree.share_left[tree.is_leaf()]).all()


@examples(150)
@given(seeds)
def test_weight_is_conserved_along_every_gate(seed):
    """C4.5, SS, STP and both, with missing values, categories and fractional weights."""
    X, y, K, weight, n_categories = random_table(seed, n_max=30)
    columns = Columns(X, y, K, weight, n_categories)
    noise = random_noise(seed, n_categories)
    for soft in ({}, {"search": noise}, {"propagation": noise}):
        tree = grow(columns, min_samples_split=2, max_depth=8, **soft)
        assert_weight_is_conserved(tree, columns)
        kept = prune(tree, columns, propagation=soft.get("propagation"))
        assert_weight_is_conserved(kept, columns)
        assert kept.n_leaves <= tree.n_leaves


@examples(60)
@given(seeds)
def test_limits_are_kept(seed):
    rng = np.random.default_rng(seed)
    limits = {
        "min_samples_split": float(rng.uniform(2, 12)),
        "min_samples_leaf": float(rng.uniform(0.5, 6)),
        "max_depth": int(rng.integers(0, 6)),
    }
    tree, _, _, _ = random_tree(seed, **limits)
    weight = tree.class_weight.sum(axis=1)
    assert tree.depth <= limits["max_depth"]
    assert (weight[~tree.is_leaf()] >= limits["min_samples_split"] - 1e-9).all()
    assert (weight[1:] >= limits["min_samples_leaf"] - 1e-9).all()


@examples(80)
@given(seeds)
def test_growth_goes_on_from_a_given_tree(seed):
    """What pruning or a limit left of a tree grows to the same tree, and counts as it did."""
    X, y, K, weight, n_categories = random_table(seed)
    columns = Columns(X, y, K, weight, n_categories)
    tree = grow(columns, min_samples_split=2)
    top = grow(columns, min_samples_split=2, max_depth=seed % 4)
    pruned = prune(tree, columns, subtree_raising=False)
    assert grow(columns, given=top, max_depth=0) == top
    again = grow(columns, given=pruned, max_depth=0)  # `pruned` keeps categories at its leaves
    for name in ("feature", "threshold", "children_left", "share_left", "class_weight"):
        np.testing.assert_array_equal(getattr(again, name), getattr(pruned, name))
    for part in (top, pruned):
        assert grow(columns, given=part, min_samples_split=2) == tree


def test_a_given_tree_has_to_fit_the_data():
    X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0], [2.0, 0.0]])
    y = np.array([0, 1, 0, 1])
    tree = grow(Columns(X, y, 2, n_categories=[3, 0]), min_samples_split=2)
    fewer = Columns(X[:, 1:], y, 2)
    assert tree.feature[0] == 0
    tested = grow(Columns(X[:, ::-1].copy(), y, 2, n_categories=[0, 3]), min_samples_split=2)
    with pytest.raises(InputError, match="tests variable 1 and the data have 1 variables"):
        grow(fewer, given=tested)
    with pytest.raises(InputError, match="more categories than the 0 of the data"):
        grow(fewer, given=tree)
    wider = Columns(X, y, 2, n_categories=[5, 0])
    assert grow(wider, given=tree).categories_left.shape[1] == 5


@examples(40)
@given(seeds)
def test_row_order_does_not_matter(seed):
    """The same rows in another order grow the same tree, and prune to the same one."""
    X, y, K, _, n_categories = random_table(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    first = Columns(X, y, K, None, n_categories)
    second = Columns(X[order], y[order], K, None, n_categories)
    a, b = grow(first), grow(second)
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    a, b = prune(a, first), prune(b, second)
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_allclose(a.class_weight, b.class_weight, atol=1e-9)


def test_ties_go_to_the_lower_variable_then_threshold():
    rising = np.arange(6.0)
    y = [0, 0, 1, 1, 0, 0]
    tree = C45Classifier(prune=False, max_depth=1).fit(np.column_stack([rising, rising]), y).tree_
    assert tree.feature[0] == 0
    assert tree.threshold[0] == 2.0  # as good as 4.0


@examples(40)
@given(seeds)
def test_one_columns_serves_many_fits(seed):
    """Fits leave the sorted training set as it was."""
    X, y, K, weight, n_categories = random_table(seed)
    columns = Columns(X, y, K, weight, n_categories)
    noise = random_noise(seed, n_categories)
    first = grow(columns)
    grow(columns, search=noise, propagation=noise, max_depth=5)
    prune(first, columns)
    assert grow(columns) == first


def test_repetition_factor_prefers_new_variables():
    """A gain counts for less where an ancestor tests the variable (thesis, chapter 6)."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 0] > 1) + ((X[:, 1] > 0) & (rng.random(300) < 0.5))
    plain = C45Classifier(prune=False).fit(X, y).tree_
    never = C45Classifier(prune=False, repetition_factor=0.0).fit(X, y).tree_
    assert plain.depth > 3 >= never.depth
    for node in range(never.n_nodes):
        path, above = [], node
        while above >= 0:
            if never.feature[above] >= 0:
                path.append(never.feature[above])
            above = never.parent[above]
        assert len(path) == len(set(path))


def test_xor_has_no_gain_and_no_split():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    tree = C45Classifier(prune=False).fit(X, X[:, 0].astype(int) ^ X[:, 1].astype(int)).tree_
    assert tree.n_leaves == 1


def test_neighbouring_floats_are_told_apart():
    """A midpoint that rounds onto the lower value must still send it left."""
    low = 1.0
    high = np.nextafter(low, 2.0)
    for candidates in ("values", "midpoints"):
        model = C45Classifier(prune=False, candidates=candidates)
        model.fit([[low], [low], [high], [high]], [0, 0, 1, 1])
        assert model.predict([[low], [high]]).tolist() == [0, 1]


def large_table(awkward):
    """More values than a table may have that is copied for one growth."""
    rng = np.random.default_rng(0)
    n, m = 30_000, 36
    X = rng.normal(size=(n, m))
    X[:, 1] = np.round(X[:, 1], 1)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 0.5, n) > 0) + 2 * (X[:, 2] > 1)
    if not awkward:
        return X, y, None, None
    n_categories = np.zeros(m, dtype=np.int32)
    n_categories[3] = 5
    X[:, 3] = np.where(X[:, 0] > 0, rng.integers(0, 5, n), rng.integers(0, 2, n))
    X[rng.random((n, m)) < 0.02] = np.nan
    X[:, 4] = np.nan
    return X, y, rng.uniform(0.1, 2.0, n), n_categories


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [{}, {"search": 0.1, "max_depth": 2}, {"propagation": 0.1, "max_depth": 2}]
)
@pytest.mark.parametrize("awkward", [False, True])
def test_a_table_that_is_read_where_it_is_grows_the_same_tree(awkward, method):
    """A large one is neither copied nor sorted beforehand if it serves one growth."""
    X, y, weight, n_categories = large_table(awkward)
    X.setflags(write=False)
    how = {"max_depth": 2 if method else 6, "min_samples_leaf": 3, **method}
    keep_after_fit = Columns(X, y, 4, weight, n_categories)
    want = grow(keep_after_fit, **how)
    noise = method.get("propagation")
    pruned = prune(want, keep_after_fit, propagation=noise)
    assert want.n_leaves >= 4
    for table in (X, np.asfortranarray(X), X[::-1][::-1]):
        once = Columns(table, y, 4, weight, n_categories, keep_after_fit=False)
        assert np.shares_memory(once.X, table)
        tree = grow(once, **how)
        assert tree.to_json() == want.to_json()
        assert prune(tree, once, propagation=noise).to_json() == pruned.to_json()
        np.testing.assert_array_equal(once.means, keep_after_fit.means)
        np.testing.assert_array_equal(once.ranges, keep_after_fit.ranges)
    # Asked for all the same, the order and what needs it are there.
    for j, known in enumerate(keep_after_fit.n_known):
        np.testing.assert_array_equal(once.order[j, :known], keep_after_fit.order[j, :known])
    counts = np.arange(len(y)) % 3
    again = grow(once.resampled(counts), **how)
    assert again == grow(keep_after_fit.resampled(counts), **how)


@pytest.mark.parametrize("order", ["C", "F"])
def test_fit_makes_no_copy_of_a_large_table(order):
    """Sorted rows are in the memory of the growth, which is not numpy's."""
    X, y, _, _ = large_table(False)
    X = np.asarray(X, order=order)
    C45Classifier().fit(X[:100], y[:100])
    tracemalloc.start()
    try:
        C45Classifier(max_depth=6).fit(X, y)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < X.nbytes / 3
