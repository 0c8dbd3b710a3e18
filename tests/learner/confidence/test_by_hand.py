"""ConfDTree on trees that can be worked out on paper, the paper's own example among them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from oracle.random_trees import random_table, seeds
from scipy import stats
from sklearn.frozen import FrozenEstimator

from hedgerow import C45Classifier, ConfDTreeClassifier, Tree
from hedgerow.confidence.intervals import (
    FREQUENCY,
    NONE,
    NORMAL,
    STUDENT,
    NodeCounts,
    Rules,
    intervals,
)
from hedgerow.confidence.revisions import revisions_of

A, B, C = 0, 1, 2


def papers_tree():
    """Figures 1 to 5: X at the root, Y on its left.

    Left of the root are 100 of A, 100 of B and 30 of C, right of it 70 of C, as in the worked
    weights; below Y, leaf 1 is of A alone.
    """
    weight = [[100, 100, 100], [100, 100, 30], [100, 0, 0], [0, 100, 30], [0, 0, 70]]
    nan = np.nan
    return Tree(
        [0, 1, -1, -1, -1],
        [10.0, 6.0, nan, nan, nan],
        [1, 2, -1, -1, -1],
        [4, 3, -1, -1, -1],
        [-1, 0, 1, 1, 0],
        [230 / 300, 0.5, nan, nan, nan],
        weight,
        classes=["A", "B", "C"],
        feature_names=["X", "Y"],
    )


def papers_intervals(tree, c_at_root=(9.5, 2.0), method="norm"):
    """Means and deviations by which 9.9 at the root is unusual in A, and usual in C or not."""
    K = 3
    nothing = np.full((tree.n_nodes, K), np.nan)
    mean, sd, n, p = (nothing.copy() for _ in range(4))
    mean[0], sd[0] = [5.0, 6.0, c_at_root[0]], [1.0, 1.0, c_at_root[1]]
    mean[1], sd[1] = [4.75, 9.0, 8.0], [0.875, 1.0, 1.0]
    n[:2], p[:2] = tree.class_weight[:2], 0.5
    none = np.full(tree.n_nodes, -1, dtype=np.int32)
    counted = NodeCounts(n, mean, sd, p, tree.class_weight, none, np.zeros((0, K, 0)))
    rules = Rules(method=method)
    return intervals(tree, counted, rules), rules


def predicted(tree, found, rules, rows):
    rows = np.asarray(rows, dtype=float)
    return found.correction(tree, rows.shape[1], False, rules).predict(rows)


def test_the_papers_alternative_routes():
    """0.714421 and 8.3666 become 0.078672 and 0.921328, so {1, 0, 0} becomes {.08, 0, .92}."""
    tree = papers_tree()
    found, rules = papers_intervals(tree)
    assert found.pull[1, C] == pytest.approx(0.714421, abs=1e-6)
    assert found.pull[4, C] == pytest.approx(8.3666, abs=1e-4)
    want = [0.078672, 0.0, 0.921328]
    np.testing.assert_allclose(predicted(tree, found, rules, [[9.9, 4.0]])[0], want, atol=5e-7)


def test_the_papers_fine():
    """With the interval of C altered, {1, 0, 0} becomes {.9, .05, .05}."""
    tree = papers_tree()
    found, rules = papers_intervals(tree, c_at_root=(20.0, 1.0))
    want = [0.9, 0.05, 0.05]
    np.testing.assert_allclose(predicted(tree, found, rules, [[9.9, 4.0]])[0], want, atol=1e-15)


@pytest.mark.parametrize("below", [(A, B), (B, A), (A, C), (C, A), (B, C), (C, B)])
def test_of_two_equal_probabilities_the_first_class_is_assigned(below):
    """Routes at Y halve the leaves of two classes; X is usual in the first of them alone."""
    K, tree, rules = 3, papers_tree(), Rules()
    weight = tree.class_weight.copy()
    weight[2], weight[3] = np.eye(K)[below[0]], np.eye(K)[below[1]]
    tree = Tree(**tree.arrays() | {"class_weight": weight}, classes=list("ABC"))
    found, _ = papers_intervals(tree)
    own, other, pull = (
        np.full_like(a, np.nan) for a in (found.assigned_interval, found.other, found.pull)
    )
    own[0], other[0] = [0.0, 1.0], [0.0, 1.0]
    own[0, min(below)] = other[0, min(below)] = [0.0, 10.0]
    own[1], other[1] = [20.0, 21.0], [20.0, 21.0]
    third = ({A, B, C} - set(below)).pop()
    own[1, third] = other[1, third] = [0.0, 10.0]
    pull[:] = 1.0
    found = replace(found, assigned_interval=own, other=other, pull=pull)
    for y in (5.0, 7.0):
        got = predicted(tree, found, rules, [[9.0, y]])[0]
        np.testing.assert_array_equal(got, np.eye(K)[list(below)].sum(axis=0) / 2)


def test_nothing_is_doubted_at_or_below_a_missing_value():
    """X is missing: both branches by their shares, Y is not asked although it is unusual."""
    tree = papers_tree()
    found, rules = papers_intervals(tree, c_at_root=(20.0, 1.0))
    left = 230 / 300
    got = predicted(tree, found, rules, [[np.nan, 2.9]])[0]
    np.testing.assert_allclose(got, [left, 0.0, 1 - left], atol=1e-15)


def test_routes_whose_weight_is_all_on_one_branch():
    """Usual in B, of which right of the root there is none: nothing else is read."""
    tree = papers_tree()
    found, rules = papers_intervals(tree, c_at_root=(20.0, 1.0))
    row = np.array([[7.0, 2.0]])  # at Y a fine for A; 7 is usual in A at the root
    np.testing.assert_allclose(predicted(tree, found, rules, row), [[0.9, 0.05, 0.05]])
    narrow = intervals_with(found, own=[3.0, 6.9])
    told = revisions_of(tree, narrow, row, rules, False, ["A", "B", "C"], ["X", "Y"])
    assert [step.node for step in told.nodes] == [2, 1, 0]
    assert told.nodes[-1].others == ("B",) and told.nodes[-1].left == 1.0
    np.testing.assert_array_equal(told.after, predicted(tree, found, rules, row)[0])
    assert "all of its weight is on the left branch: A 0.900, B 0.050, C 0.050" in str(told)


def intervals_with(found, own):
    """The same intervals, but that of A at the root."""
    changed = found.assigned_interval.copy()
    changed[0, A] = own
    return replace(found, assigned_interval=changed)


# -------------------------------------------------------------------------------- intervals


def table(seed=0):
    """Two classes of 40, the second not normal, a few of a third class."""
    rng = np.random.default_rng(seed)
    x = np.r_[rng.normal(0, 1, 40), np.repeat([4.0, 9.0], 20), rng.normal(4.5, 0.1, 3)]
    return x[:, None], np.repeat([0, 1, 2], [40, 40, 3])


def test_intervals_of_each_method():
    X, y = table()
    frozen = FrozenEstimator(C45Classifier(prune=False, max_depth=1).fit(X, y))
    made = {m: ConfDTreeClassifier(frozen, method=m).fit(X, y) for m in ("norm", "tdist", "comb")}
    at = {m: model.get_intervals() for m, model in made.items()}
    # Class 1 has two values: no normal distribution, so that NORM does nothing at this node.
    assert at["norm"].source[0] == NONE and np.isnan(at["norm"].assigned_interval).all()
    assert at["tdist"].source[0] == at["comb"].source[0] == STUDENT
    x = X[y == 0, 0]
    for own, alpha in ((at["comb"].assigned_interval, 0.005), (at["comb"].other, 0.10)):
        want = stats.t.interval(1 - alpha, 39, x.mean(), stats.sem(x))
        np.testing.assert_allclose(own[0, 0], want, rtol=1e-9)
    # Three instances are too few; they have no interval and disable no node.
    assert np.isnan(at["comb"].assigned_interval[0, 2]).all()
    # Without class 1 all that is there is normal.
    kept = y != 1
    model = ConfDTreeClassifier(frozen, method="comb").fit(X[kept], y[kept])
    found = model.get_intervals()
    assert found.source[0] == NORMAL
    want = x.mean() + np.array([-2, 2]) * x.std(ddof=1)
    np.testing.assert_allclose(found.assigned_interval[0, 0], want, rtol=1e-9)
    want = x.mean() + np.array([-1, 1]) * x.std(ddof=1)
    np.testing.assert_allclose(found.other[0, 0], want, rtol=1e-9)


def test_a_class_of_one_value_has_an_interval_of_one_value():
    """Seven times 0.1 have a mean of 0.09999999999999999: the value itself fell outside."""
    X = np.r_[np.full(7, 0.1), np.linspace(1, 2, 7)][:, None]
    y = np.repeat([0, 1], 7)
    model = ConfDTreeClassifier(C45Classifier(prune=False), method="tdist").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba([[0.1]]), [[1.0, 0.0]])
    np.testing.assert_allclose(model.predict_proba([[0.2]]), [[0.9, 0.1]], atol=1e-15)


def test_lilliefors_is_stricter():
    pytest.importorskip("statsmodels")
    from statsmodels.stats.diagnostic import lilliefors

    rng = np.random.default_rng(3)
    X = np.r_[rng.exponential(1, 40), rng.normal(9, 1, 40)][:, None]
    y = np.repeat([0, 1], 40)
    base = C45Classifier(max_depth=1)
    loose = ConfDTreeClassifier(base, "norm").fit(X, y)
    strict = ConfDTreeClassifier(base, "norm", normality="lilliefors").fit(X, y)
    x = X[:40, 0]
    assert stats.kstest(x, "norm", (x.mean(), x.std(ddof=1))).pvalue >= 0.05
    assert lilliefors(x)[1] < 0.05
    assert loose.get_intervals().source[0] == NORMAL
    assert strict.get_intervals().source[0] == NONE
    assert (strict.predict_proba(X) == strict.estimator_.predict_proba(X)).all()


def test_categories():
    """Class 0 is mostly a, class 1 mostly b; c is rare in both, d unknown.

    Of class 0, c is 1 in 40, so that .025 < .05 of it is no more frequent: doubted.  In class 1
    it is 20 in 60, and all that is no more frequent makes .333 >= .32: both branches are read.
    """
    kinds = ["a"] * 39 + ["c"] + ["b"] * 40 + ["c"] * 20
    X = pd.DataFrame({"kind": pd.Categorical(kinds, categories=["a", "b", "c"])})
    y = np.repeat([0, 1], [40, 60])
    tree = Tree(
        [0, -1, -1], [np.nan] * 3, [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [0.6, np.nan, np.nan], [[40, 60], [40, 20], [0, 40]], [[1, 0, 1], [0, 0, 0], [0, 0, 0]],
    )  # fmt: skip
    base = C45Classifier(prune=False).fit(X, y)
    base.tree_ = tree.replace(classes=[0, 1], categories=base.tree_.categories)
    plain = ConfDTreeClassifier(FrozenEstimator(base)).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), base.predict_proba(X))
    model = ConfDTreeClassifier(FrozenEstimator(base), categorical=True).fit(X, y)
    assert model.get_intervals().source.tolist() == [FREQUENCY, NONE, NONE]
    new = pd.DataFrame({"kind": pd.Categorical(["a", "b", "c", "d", None])})
    got = model.predict_proba(new)
    third = np.array([2 / 3, 1 / 3])
    np.testing.assert_allclose(got[:2], [third, [0, 1]], atol=1e-12)
    pull = np.array([20**1.5 / 60, 40**1.5 / 40])
    weight = pull / pull.sum()
    np.testing.assert_allclose(got[2], weight[0] * third + weight[1] * np.array([0, 1]))
    # Nobody saw d: it goes to the heavier side, is usual in no class, and costs a fine.
    np.testing.assert_allclose(got[3], [2 / 3 * 0.9, 1 / 3 + 2 / 3 * 0.1])
    np.testing.assert_allclose(got[4], 0.6 * third + 0.4 * np.array([0, 1]))
    assert "kind = c is unusual in 0 {a}, usual in 1" in str(model.revisions(new.iloc[2:3]))
    assert "kind is missing, nothing is doubted" in str(model.revisions(new.iloc[4:]))
    assert "kind = a new category is unusual in 0 {a}" in str(model.revisions(new.iloc[3:4]))


# ------------------------------------------------------------------------------- properties


@given(seed=seeds)
@examples(150)
def test_probabilities_stay_probabilities_and_explanations_agree(seed):
    rng = np.random.default_rng(seed)
    X, y, _, _, _ = random_table(seed)
    method = str(rng.choice(["norm", "tdist", "comb"]))
    fine = float(rng.choice([0.1, 1.0]))
    model = ConfDTreeClassifier(C45Classifier(prune=False), method, 2, fine=fine).fit(X, y)
    new = X[:10] + rng.normal(0, 2, X[:10].shape)
    got = model.predict_proba(new)
    assert (got >= -1e-15).all()
    np.testing.assert_allclose(got.sum(axis=1), 1.0, atol=1e-12)
    plain = model.estimator_.predict_proba(new)
    for row in range(len(new)):
        told = model.revisions(new[row])
        np.testing.assert_array_equal(told.after, got[row])
        np.testing.assert_allclose(told.before, plain[row], atol=1e-15)
        assert told.nodes[-1].node == 0
        if not any(step.is_atypical for step in told.nodes):
            np.testing.assert_allclose(got[row], plain[row], atol=1e-15)
        for step in told.nodes:
            assert step.is_atypical or np.array_equal(step.before, step.after)


def test_order_of_rows_and_layout_do_not_matter():
    X, y = table()
    X = np.column_stack([X, -X, X])
    model = ConfDTreeClassifier(C45Classifier(prune=False)).fit(X, y)
    want = model.predict_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(model.predict_proba(X[order]), want[order])
    np.testing.assert_array_equal(model.predict_proba(np.asfortranarray(X)), want)
    again = ConfDTreeClassifier(C45Classifier(prune=False)).fit(X[order], y[order])
    np.testing.assert_allclose(again.predict_proba(X), want, atol=1e-9)


def test_one_class_and_few_instances_have_nothing_to_doubt():
    alone = ConfDTreeClassifier().fit([[0.0], [1.0], [2.0]], ["a", "a", "a"])
    np.testing.assert_array_equal(alone.predict_proba([[9.0]]), [[1.0]])
    assert str(alone.revisions([9.0])).startswith("leaf 0: a 1.000")
    few = ConfDTreeClassifier(C45Classifier(prune=False, min_samples_split=2), min_instances=9)
    few.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    np.testing.assert_array_equal(few.predict_proba([[-99.0], [99.0]]), [[1, 0], [0, 1]])


def test_a_tree_of_a_thousand_levels():
    """Frames, not calls: C has no stack of its own to fill."""
    n = 3000
    X = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) % 2
    inner = n - 1
    feature = np.r_[np.tile([0, -1], inner), -1]
    node = np.arange(2 * inner + 1)
    threshold = np.where(feature == 0, node / 2 + 0.5, np.nan)
    left, right = np.where(feature == 0, node + 1, -1), np.where(feature == 0, node + 2, -1)
    parent = np.where(node % 2, node - 1, node - 2)
    parent[0] = -1
    weight = np.zeros((len(node), 2))
    for i in range(inner):
        weight[2 * i] = [np.sum(y[i:] == 0), np.sum(y[i:] == 1)]
        weight[2 * i + 1, y[i]] = 1
    weight[-1, y[-1]] = 1
    base = C45Classifier(max_depth=1).fit(X, y)
    share = np.where(feature == 0, 0.5, np.nan)
    base.tree_ = Tree(feature, threshold, left, right, parent, share, weight, classes=[0, 1])
    assert base.tree_.depth == inner
    some = X[::100]
    still = ConfDTreeClassifier(FrozenEstimator(base), routes=False, fines=False).fit(X, y)
    np.testing.assert_array_equal(still.predict_proba(some), base.predict_proba(some))
    model = ConfDTreeClassifier(FrozenEstimator(base), method="tdist").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(some).sum(axis=1), 1.0, atol=1e-9)


def test_a_class_with_too_few_disables_its_node_where_it_is_asked_to():
    """Prerequisite 2 to the letter: a minimal number for every class present in the node."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 30), rng.normal(4, 1, 30), [2.0, 2.1]])[:, None]
    y = np.repeat([0, 1, 2], [30, 30, 2])
    base = C45Classifier(max_depth=1, prune=False).fit(X, y)
    own = ConfDTreeClassifier(FrozenEstimator(base), method="tdist").fit(X, y)
    whole = ConfDTreeClassifier(FrozenEstimator(base), method="tdist", too_few="node").fit(X, y)
    rows = np.linspace(-3, 8, 50)[:, None]
    assert not np.allclose(own.predict_proba(rows), base.predict_proba(rows))
    np.testing.assert_array_equal(whole.predict_proba(rows), base.predict_proba(rows))
    # Without the class that has too few both are one.
    some = y < 2
    base = C45Classifier(max_depth=1, prune=False).fit(X[some], y[some])
    said = [
        ConfDTreeClassifier(FrozenEstimator(base), method="tdist", too_few=what)
        .fit(X[some], y[some])
        .predict_proba(rows)
        for what in ("class", "node")
    ]
    np.testing.assert_array_equal(*said)
