"""One test for each bug that was found after its feature was finished."""

import numpy as np
import pandas as pd
import pytest
from oracle.induction import Reference, gain, leaves

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow, prune
from hedgerow.induction._growth import Growth
from hedgerow.induction._pruning import Pruning
from hedgerow.induction.rules import Rules
from hedgerow.tree import CategoryGate, CategoryNoise, NoiseGate, ThresholdGate
from hedgerow.tree._gates import Gates


def test_tiny_weight_goes_where_its_gate_says():
    """A row that arrived with under a thousandth of its weight went right even at a gate of 1."""
    X = np.array([[0, 0], [0, 0], [0, 9], [0, 9], [1, 5], [np.nan, 0.0]])
    y, weight = [0, 0, 1, 1, 2, 0], [1, 1, 1, 1, 8000, 1]
    sigma = np.array([1e-3, 1e-3])
    tree = grow(
        Columns(X, y, 3, weight),
        propagation=NoiseGate(sigma),
        candidates="midpoints",
        min_samples_split=2,
    )
    leaf = next(n for n in range(tree.n_nodes) if tree.class_weight[n, 1] == 2.0 and n > 1)
    assert tree.class_weight[leaf, 0] == 0
    Reference(
        X, y, 3, weight, propagation=sigma, min_split=2, midpoints=True
    ).check(tree)  # fmt: skip


def test_fractions_that_add_up_to_the_least_weight_reach_it():
    """Shares of .1 ten times are a little less than 1, and the node was not split."""
    X = np.array([[0.0]] * 10 + [[1.0]] * 10)
    weight = np.full(20, 0.1)
    assert 2 * weight[:10].cumsum()[-1] < 2.0
    tree = grow(Columns(X, [0] * 10 + [1] * 10, 2, weight), min_samples_split=2)
    assert tree.n_leaves == 2


def test_branch_is_not_raised_on_an_unfinished_sum():
    """The sum over a branch stopped a hair above the limit and was then taken for its errors."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        X = rng.integers(0, 4, (12, 2)).astype(float)
        y, weight = rng.integers(0, 2, 12), rng.choice([0.5, 1.0, 2.0], 12)
        columns = Columns(X, y, 2, weight)
        tree = grow(columns, min_samples_split=1, min_samples_leaf=0.5)
        reference = Reference(X, y, 2, weight, min_split=1, min_leaf=0.5)
        want, _ = reference.prune(reference.nested(tree), confidence=0.25)
        assert prune(tree, columns, confidence=0.25).n_leaves == leaves(want)


def test_window_as_narrow_as_the_step():
    """The first value's empty window made the search forget where it was, and find nothing."""
    X, y = np.array([[2.0]] * 3 + [[6.0]] * 3), [0, 0, 0, 1, 1, 1]
    for window, step in ((0.1, 0.1), (0.3, 0.3), (1.0, 1.0), (0.2, 0.1)):
        tree = grow(Columns(X, y, 2), search=0.05, window=window, step=step)
        assert tree.n_leaves == 2
        assert abs(tree.threshold[0] - 4.0) < 0.25


def test_no_limit_of_depth_is_no_limit():
    """Without max_depth the number of rows was the limit; soft trees of few heavy rows pass it."""
    columns = Columns(np.array([[1.0], [2.0]]), [0, 1], 2, [1e4, 1e4])
    assert grow(columns, propagation=0.5) == grow(columns, propagation=0.5, max_depth=10**6)


def test_mean_zero_but_for_rounding_is_zero():
    """A standardised variable has a mean of 1e-17: it carried noise, and thresholds were soft."""
    x = np.array([-1.5, -0.5, 0.5, 1.5]) / 3
    X = np.array([*x, *x])[:, None] + 1e-17
    y = [0, 0, 1, 1] * 2
    assert Columns(X, y, 2).means[0] == 0
    assert grow(Columns(X, y, 2), propagation=0.3).n_leaves == 2


def test_data_narrower_than_the_tree_are_refused():
    """The traversal read beyond the array, and sometimes ended the process."""
    X = np.random.default_rng(0).normal(size=(40, 5))
    tree = grow(Columns(X, (X[:, 4] > 0).astype(int), 2))
    for call in (tree.predict_proba, tree.apply, tree.shares, tree.decision_path):
        with pytest.raises(InputError, match="tests variable 4 and the data have 2 variables"):
            call(X[:, :2])
    with pytest.raises(InputError, match="noise for 2 variables and the data have 5"):
        tree.predict_proba(X, evaluation=np.ones(2))
    with pytest.raises(InputError, match="data have 2 variables"):
        prune(tree, Columns(X[:, :2], np.arange(40) % 2, 2))
    with pytest.raises(InputError, match="data have 2 variables"):
        tree.annotate(X[:, :2], np.arange(40) % 2)


@pytest.mark.parametrize("n_classes", [2, 40])
def test_rows_of_other_classes_prune_nothing(n_classes):
    """Their class weights were written beyond those of the tree: found by `make test-asan`."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    tree = grow(Columns(X, rng.integers(0, 3, 200), 3), min_samples_split=2)
    columns = Columns(X, rng.integers(0, n_classes, 200), n_classes)
    with pytest.raises(InputError, match=f"has 3 classes and the data have {n_classes}"):
        prune(tree, columns, confidence=0.9)


@pytest.mark.parametrize("sigma", [np.ones(2), np.ones(4), np.ones((3, 1)), np.ones(())])
@pytest.mark.parametrize("part", ["search", "propagation", "pdf", "evaluation"])
def test_noise_of_another_number_of_variables_is_refused(part, sigma):
    """A gate was taken as it is, and growth read its sigmas beyond the last."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    columns = Columns(X, (X[:, 2] > 0).astype(int), 2)
    gate, tree = NoiseGate(sigma), grow(columns)
    called = rf"{part} has noise for [0-9 x]+ variables and the data have 3; give a sigma for each"
    if part == "evaluation":
        for call in (tree.predict_proba, tree.apply, tree.shares, tree.decision_path):
            with pytest.raises(InputError, match=called):
                call(X, evaluation=gate)
    else:
        with pytest.raises(InputError, match=called):
            grow(columns, **{part: gate})
    if part == "propagation":
        with pytest.raises(InputError, match=called):
            prune(tree, columns, propagation=gate)
    if part != "pdf":
        with pytest.raises(InputError, match=called):
            SoftTreeClassifier(**{part: gate}).fit(X, columns.y)


FINISHED = [
    ThresholdGate(np.zeros(3), np.ones(3)),
    CategoryGate({0: np.eye(2)}),
    CategoryNoise({0: np.array([0.5, 0.5])}, 0.1),
]


@pytest.mark.parametrize("gate", FINISHED, ids=lambda gate: type(gate).__name__)
def test_gates_of_finished_trees_grow_none(gate):
    """They were said to be "neither a number nor an object with cdf(d)"."""
    columns = Columns(np.arange(6.0)[:, None] % 2, [0, 1] * 3, 2, None, [2])
    called = f"is a {type(gate).__name__}, a gate of finished trees; give it to their predict_proba"
    for part in ("search", "propagation", "pdf"):
        with pytest.raises(InputError, match=f"{part} {called}"):
            grow(columns, **{part: gate})
    with pytest.raises(InputError, match=f"propagation {called}"):
        prune(grow(columns), columns, propagation=gate)
    with pytest.raises(InputError, match=f"evaluation {called}"):
        SoftTreeClassifier(evaluation=gate).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("gate", FINISHED, ids=lambda gate: type(gate).__name__)
def test_the_cores_know_no_gates_of_finished_trees(gate):
    """They read a table of shares, or bounds, that nobody had laid: any number, or a crash."""
    columns = Columns(np.arange(6.0)[:, None] % 2, [0, 1] * 3, 2, None, [2])
    gates, arrays = Gates(gate, 1), grow(columns).arrays()
    called = f"a {type(gate).__name__} divides instances at a finished tree"
    with pytest.raises(TypeError, match=called):
        Growth(columns, gates, Rules())
    with pytest.raises(TypeError, match=called):
        Pruning(columns, arrays, gates, confidence=0.25, laplace=True, raising=True)


def test_flags_of_the_wrong_number_are_refused():
    """One flag for two variables was read as the number 1, the second variable."""
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(InputError, match="1 flags for 2 variables"):
        C45Classifier(categorical_features=[True]).fit(X, [0, 1])


def test_dates_flags_and_words_are_refused():
    """Dates were read as nanoseconds, "no" as true, and a word as weights gave a bare error."""
    y = [0, 1]
    dates = pd.DataFrame({"seen": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    with pytest.raises(InputError, match="'seen' of X holds dates"):
        C45Classifier().fit(dates, y)
    with pytest.raises(InputError, match="prune is 'no'"):
        C45Classifier(prune="no").fit([[1.0], [2.0]], y)
    with pytest.raises(InputError, match="sample_weight is 'balanced'"):
        C45Classifier().fit([[1.0], [2.0]], y, sample_weight="balanced")
    with pytest.raises(InputError, match="evaluation is True"):
        SoftTreeClassifier(evaluation=True).fit([[1.0], [2.0]], y)


@pytest.mark.parametrize("n_categories", [60, 70, 300])
def test_many_categories_are_in_the_order_of_their_class_shares(n_categories):
    """They were sorted by insertion: the time grew with the square of their number."""
    rng = np.random.default_rng(n_categories)
    codes = rng.integers(0, n_categories, 5 * n_categories)
    y = (rng.random(len(codes)) < rng.random(n_categories)[codes]).astype(int)
    columns = Columns(codes[:, None].astype(float), y, 2, n_categories=[n_categories])
    tree = grow(columns, max_depth=1, min_samples_leaf=0)
    table = np.stack([np.bincount(codes[y == k], minlength=n_categories) for k in (0, 1)], axis=1)
    present = np.flatnonzero(table.sum(axis=1))
    share = table[present, 1] / table[present].sum(axis=1)
    order = present[np.lexsort((present, share))]
    below = np.cumsum(table[order], axis=0)[:-1]
    gains = np.array([gain(left, table.sum(axis=0) - left) for left in below.tolist()])
    last = np.flatnonzero(gains > gains.max() - 1e-12)[0]
    left = order[: last + 1]
    left = left if present[0] in left else order[last + 1 :]
    np.testing.assert_array_equal(np.flatnonzero(tree.categories_left[0][present]),
                                  np.searchsorted(present, np.sort(left)))  # fmt: skip
