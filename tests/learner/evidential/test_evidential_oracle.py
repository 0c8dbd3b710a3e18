"""E2M against the plain reference, on random evidential data."""

import math

import numpy as np
import pytest
from effort import draws
from oracle.evidential import (
    Growth,
    attributes,
    cart,
    closed_form,
    error_rate,
    estimate,
    likelihood_gap,
    log_likelihood,
    maximum,
    predict_proba,
    step,
)

from hedgerow import C45Classifier, EvidentialData, EvidentialTreeClassifier, evidential_error_rate
from hedgerow.errors import InputError
from hedgerow.evidential import _mixture, best_first, mixture
from hedgerow.evidential._mixture import estimate as core_estimate
from hedgerow.evidential.boxes import leaf_boxes
from hedgerow.evidential.growth import Growth as CoreGrowth
from hedgerow.evidential.growth import Settings

EXACT = {"n_thresholds": None, "n_finalists": None, "prune": False}


def drawn(seed, n=12):
    """Evidential data of every kind: numbers, intervals, categories, missing, certain, vacuous."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.choice([2, 3]))
    low = np.round(rng.normal(size=(n, 2)), int(rng.choice([1, 6])))
    high = low + (rng.random((n, 2)) < 0.3) * rng.random((n, 2))
    low[rng.random((n, 2)) < 0.1] = np.nan
    gamma = rng.random((n, 2)) * rng.choice([0.3, 1.0])
    gamma[rng.random((n, 2)) < 0.3] = 0.0
    gamma[rng.random((n, 2)) < 0.1] = 1.0
    classes = rng.random((n, n_classes)) ** 2
    certain = rng.random(n) < 0.4
    classes[certain] = np.eye(n_classes)[rng.integers(n_classes, size=int(certain.sum()))]
    classes[rng.random(n) < 0.1] = 1.0
    data = EvidentialData.from_intervals(low, high, None, gamma, classes=range(n_classes))
    more = {}
    if rng.random() < 0.5:  # a third attribute, of three categories
        possible = np.where(rng.random((n, 3)) < 0.5, rng.random((n, 3)), 0.0)
        possible[np.arange(n), rng.integers(3, size=n)] = 1.0
        data = EvidentialData.from_intervals(
            np.column_stack([low, np.zeros(n)]),
            np.column_stack([high, np.zeros(n)]),
            None,
            np.column_stack([gamma, np.zeros(n)]),
            classes=range(n_classes),
        )
        more = {"attributes": {2: possible}}
    return EvidentialData.from_plausibility(data, classes, **more)


def leaf_values(tree):
    leaves = list(leaf_boxes(tree))
    weight = tree.class_weight[leaves]
    return weight.sum(axis=1), weight


@pytest.mark.parametrize("seed", draws(60))
def test_one_estimate(seed):
    rng = np.random.default_rng(seed)
    n, n_leaves, n_classes = int(rng.integers(1, 40)), *(int(v) for v in rng.integers(1, 6, size=2))
    leaves = rng.random((n, n_leaves)) * (rng.random((n, n_leaves)) < 0.7)
    leaves[np.arange(n), rng.integers(n_leaves, size=n)] = 1.0
    classes = rng.random((n, n_classes)) * (rng.random((n, n_classes)) < 0.7)
    classes[np.arange(n), rng.integers(n_classes, size=n)] = 1.0
    start = rng.random((n_leaves, n_classes)) + 0.01
    start *= n / start.sum()
    counts = start.copy()
    most = int(rng.choice([1, 3, 50]))
    found, gap, n_iterations, fall = core_estimate(
        np.ascontiguousarray(leaves.T), np.ascontiguousarray(classes.T), counts, 1e-9, most
    )
    share = start.sum(axis=1)
    _, _, passed = estimate(leaves, classes, share / n, start / share[:, None], 1e-9, most)
    share, probability, _ = estimate(
        leaves, classes, share / n, start / share[:, None], -math.inf, n_iterations
    )
    assert abs(n_iterations - len(passed)) <= 1  # the last gain may be on either side of 1e-9
    assert found == pytest.approx(passed[min(n_iterations, len(passed)) - 1], abs=1e-7)
    assert counts == pytest.approx(n * np.array(share)[:, None] * probability, abs=1e-7)
    assert fall < 1e-9
    assert counts.sum() == pytest.approx(n)
    # The gap is that of the counts before the last step.
    share = start.sum(axis=1)
    before = estimate(
        leaves, classes, share / n, start / share[:, None], -math.inf, n_iterations - 1
    )
    assert gap == pytest.approx(likelihood_gap(leaves, classes, *before[:2]), abs=1e-7)


@pytest.mark.parametrize("seed", draws(30))
def test_one_estimate_of_weighted_rows(seed):
    """A step by the equations, and whole weights as rows that stand there so often."""
    rng = np.random.default_rng(seed)
    n, n_leaves, n_classes = int(rng.integers(1, 20)), *(int(v) for v in rng.integers(1, 6, size=2))
    leaves, classes = rng.random((n, n_leaves)) + 0.01, rng.random((n, n_classes)) + 0.01
    start = rng.random((n_leaves, n_classes)) + 0.01
    weight = rng.random(n) * 10.0 ** rng.integers(-3, 4)
    given = [np.ascontiguousarray(table.T) for table in (leaves, classes)]
    counts = start * (weight.sum() / start.sum())
    found, _, _, fall = core_estimate(*given, counts, 0.0, 1, weight=weight)
    share = start.sum(axis=1) / start.sum()
    before = share.tolist(), (start / start.sum(axis=1, keepdims=True)).tolist()
    parts = leaves.tolist(), classes.tolist()
    assert found == pytest.approx(log_likelihood(*parts, *before, weight), rel=1e-9, abs=1e-9)
    share, probability = step(*parts, *before, weight)
    assert counts == pytest.approx(weight.sum() * np.array(share)[:, None] * probability)
    assert fall == 0.0
    whole = rng.integers(1, 4, size=n)
    most, N = int(rng.choice([1, 3, 50])), whole.sum()
    one, other = (start * (N / start.sum()) for _ in range(2))
    weighted = core_estimate(*given, one, 1e-9, most, weight=whole.astype(float))
    repeated = [np.ascontiguousarray(np.repeat(table, whole, axis=1)) for table in given]
    assert weighted[:2] == pytest.approx(core_estimate(*repeated, other, 1e-9, most)[:2], abs=1e-7)
    assert one == pytest.approx(other, abs=1e-7)


@pytest.mark.parametrize("seed", draws(60))
def test_growth_on_weighted_rows(seed):
    """Trees, counts, likelihoods and bounds of gaps as of rows that are repeated."""
    rng = np.random.default_rng(seed + 4000)
    data = drawn(seed)
    whole = rng.integers(1, 4, size=data.n_rows)
    settings = {
        "max_leaves": 4,
        "min_gain": float(rng.choice([0.0, 0.05])),
        "parent": str(rng.choice(["current", "combined"])),
        "start": str(rng.choice(["plausibility", "shares"])),
        "min_share_gain": 0.02,
        "max_iterations": 40,
        "n_finalists": None,
        "n_thresholds": None,
    }
    repeated = CoreGrowth(data.take(np.repeat(np.arange(data.n_rows), whole)), Settings(**settings))
    weighted = CoreGrowth(data, Settings(**settings), whole.astype(float))
    want = repeated.run()
    for one, other in zip(weighted.run(), want, strict=True):
        assert one.feature.tolist() == other.feature.tolist()
        assert np.array_equal(one.threshold, other.threshold, equal_nan=True)
        assert np.array_equal(one.categories_left, other.categories_left)
        assert one.class_weight == pytest.approx(other.class_weight, abs=1e-5)
    assert weighted.log_likelihoods == pytest.approx(repeated.log_likelihoods, abs=1e-6)
    assert weighted.gains == pytest.approx(repeated.gains, abs=1e-6)
    assert max(weighted.likelihood_gaps) < 1e-4


@pytest.mark.parametrize("seed", draws(30))
def test_no_start_finds_a_larger_likelihood(seed):
    """The estimate once depended on where it started, and the reference started there too."""
    rng = np.random.default_rng(seed + 3000)
    model = EvidentialTreeClassifier(**EXACT, max_leaves=4, min_gain=0.0).fit(data := drawn(seed))
    for tree, found, gap in zip(
        model.trees_, model.log_likelihoods_, model.likelihood_gaps_, strict=True
    ):
        assert 0.0 <= gap < 1e-4
        boxes = leaf_boxes(tree).values()
        leaves = np.stack([box.plausibility(data) for box in boxes], axis=1).tolist()
        starts = []
        for _ in range(4):
            joint = rng.random((tree.n_leaves, len(data.classes))) ** 4 + 1e-6
            share = joint.sum(axis=1, keepdims=True)
            starts.append(((share[:, 0] / joint.sum()).tolist(), (joint / share).tolist()))
        most = maximum(leaves, data.plausibility.tolist(), starts, most=3000)
        assert found > most - 1e-4


@pytest.mark.parametrize("seed", draws(100))
def test_growth(seed):
    rng = np.random.default_rng(seed + 1000)
    data = drawn(seed)
    settings = {
        "max_leaves": int(rng.choice([2, 3, 4])),
        "min_gain": float(rng.choice([0.0, 0.05, 0.3])),
        "parent": str(rng.choice(["current", "combined"])),
        "start": str(rng.choice(["plausibility", "shares"])),
        "tolerance": 1e-4,
        "min_share_gain": float(rng.choice([0.0, 0.02])),
    }
    model = EvidentialTreeClassifier(**EXACT, **settings, max_iterations=40).fit(data)
    expected = Growth(attributes(data), data.plausibility.tolist(), most=40, **settings)
    boxes = list(leaf_boxes(model.tree_).values())
    assert len(boxes) == len(expected.leaves)
    for box, leaf in zip(boxes, expected.leaves, strict=True):
        assert set(box.intervals) | set(box.subsets) == set(leaf)
        for j, part in leaf.items():
            if j in data.possible:
                # A category that no row can have goes to the heavier side.
                there = np.flatnonzero(data.possible[j].max(axis=0) > 0)
                assert set(np.flatnonzero(box.subsets[j])) & set(there) == part & set(there)
            else:
                assert box.intervals[j] == part
    assert model.log_likelihoods_[-1] == pytest.approx(expected.found[-1], abs=1e-6)
    # The tree's class weights are expected counts: one step more.
    share, probability = step(
        expected.plausible(expected.leaves), expected.y, expected.share, expected.probability
    )
    weight, counts = leaf_values(model.tree_)
    n = data.n_rows
    assert counts / n == pytest.approx(np.array(share)[:, None] * probability, abs=1e-7)
    instances = attributes(data)
    said = mixture(model.tree_, data)
    probability = np.divide(
        counts, weight[:, None], out=np.ones_like(counts), where=weight[:, None] > 0
    )
    for i in range(n):
        again = predict_proba(expected.leaves, weight / n, probability, instances[i])
        assert said[i] == pytest.approx(again, abs=1e-6)


@pytest.mark.parametrize("seed", draws(200))
def test_error_rate(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 30)), int(rng.integers(2, 5))
    plausibility = rng.random((n, k)) * (rng.random((n, k)) < 0.8)
    plausibility[np.arange(n), rng.integers(k, size=n)] = 1.0
    predictions = rng.integers(k, size=n)
    right = plausibility[np.arange(n), predictions]
    wrong = [
        max(row[c] for c in range(k) if c != p)
        for row, p in zip(plausibility, predictions, strict=True)
    ]
    if (right == wrong).all():
        assert math.isnan(evidential_error_rate(plausibility, predictions))
        return
    expected = error_rate(right.tolist(), wrong)
    found = evidential_error_rate(plausibility, predictions)
    assert found == pytest.approx(expected, abs=1e-4)

    def likelihood(rate):  # the logarithm of equation 5
        return sum(math.log((1 - rate) * r + rate * w) for r, w in zip(right, wrong, strict=True))

    for near in (found - 1e-4, found + 1e-4):
        if 0 < near < 1:
            inside = min(max(found, 1e-12), 1 - 1e-12)
            assert likelihood(inside) >= likelihood(near) - 1e-9


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 0.5, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.5, 0.66, 2 / 3, 0.9, 0.95, 0.999])
def test_error_rate_has_the_closed_form_of_figure_1(share, gamma):
    n_wrong = round(100 * share)
    plausibility = np.full((100, 2), gamma)
    plausibility[:, 0] = 1.0
    predictions = (np.arange(100) < n_wrong).astype(int)
    found = evidential_error_rate(plausibility, predictions)
    assert found == pytest.approx(closed_form(n_wrong / 100, gamma), abs=1e-11)


@pytest.mark.parametrize("seed", draws(30))
def test_error_rate_of_weighted_rows(seed):
    """Whole weights are repeated rows, 0 is an absent one, and only proportions count."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(2, 5))
    plausibility = 0.99 * rng.random((n, k)) + 0.01
    predictions = rng.integers(k, size=n)
    whole = rng.integers(0, 4, size=n)
    whole[0] = 2
    rows = np.repeat(np.arange(n), whole)
    want = evidential_error_rate(plausibility[rows], predictions[rows])
    for weight in (whole, 1e-200 * whole, 1e200 * whole):
        found = evidential_error_rate(plausibility, predictions, sample_weight=weight)
        assert found == pytest.approx(want, abs=1e-9)
    with pytest.raises(InputError, match="sample_weight has 1 entries"):
        evidential_error_rate(plausibility, predictions, sample_weight=[1.0])


@pytest.mark.parametrize("seed", draws(60))
def test_data_without_doubt_give_counting(seed):
    """Neither growth knows of the other, and the third of neither."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    X = np.round(rng.normal(size=(n, 2)), int(rng.choice([0, 1, 6])))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int) + (rng.random(n) < 0.2)
    settings = {
        "max_leaves": int(rng.choice([2, 4, 10])),
        "min_gain": float(rng.choice([0.0, 0.05, 0.3])),
    }
    grown = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    trees = best_first(grown.tree_, **settings)
    model = EvidentialTreeClassifier(**EXACT, **settings).fit(EvidentialData.from_gamma(X, y))
    assert model.trees_ == trees
    codes = np.searchsorted(model.classes_, y)
    counted = cart(X.tolist(), codes.tolist(), **settings)
    assert len(counted) == len(trees)
    for leaves, tree in zip(counted, trees, strict=True):
        at = tree.apply(X)
        assert [sorted(np.flatnonzero(at == leaf)) for leaf in np.unique(at)] == leaves


def test_error_rate_where_the_iteration_creeps():
    """A hundred thousand steps ended 6e-5 above 0, an eighth above .00055, and took a second."""
    for share, gamma in ((0.4, 2 / 3), (0.45, 0.818), (0.55, 0.818), (0.6, 2 / 3)):
        plausibility = np.full((100, 2), gamma)
        plausibility[:, 0] = 1.0
        predictions = (np.arange(100) < round(100 * share)).astype(int)
        found = evidential_error_rate(plausibility, predictions)
        assert found == pytest.approx(closed_form(share, gamma), abs=1e-11)


@pytest.mark.parametrize("scale", [1.0, 1e-300, 5e-324])
def test_error_rate_reads_plausibilities_as_shares_of_the_largest(scale):
    plausibility = np.array([[scale, 0.0], [scale, scale], [0.0, scale], [scale, 0.0]])
    assert evidential_error_rate(plausibility, [0, 0, 0, 0]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("seed", draws(20))
@pytest.mark.parametrize("n_leaves", [2, 5])
def test_rows_of_one_class_give_the_same_bits(seed, n_leaves):
    """Every class and leaf of every row was looked at, 0 or not: 20 classes took 6 times as long.

    A plausibility of 1e-310 is lost in every sum, and has the dense tables read.
    """
    rng = np.random.default_rng(seed)
    n, K, n_splits = 402 + seed % 4, 5, 3
    classes, leaves = np.zeros((K, n)), np.zeros((n_leaves, n))
    classes[np.arange(n) % K, np.arange(n)] = rng.uniform(0.1, 1, n)
    leaves[rng.integers(0, n_leaves, n), np.arange(n)] = rng.uniform(0.1, 1, n)
    if seed % 2:
        leaves[:, rng.random(n) < 0.1] = 0.3
    weight = rng.uniform(0.5, 2, n) if seed % 3 == 0 else None
    other = classes.copy()
    other[(n - 10) % K - 1, n - 10] = 1e-310
    left = leaves[1] * rng.integers(0, 2, (n_splits, n))
    right = leaves[1] - left
    given = rng.uniform(1, 2, (n_leaves, K))
    found = []
    for table in (classes, other):
        counts = given * n / given.sum()
        whole = _mixture.estimate(leaves, table, counts, 1e-6, 50, np.inf, weight)
        starts = _mixture.start_splits(leaves, table, counts, 1, left, right, True, weight)
        splits = _mixture.spread(starts)
        parts = _mixture.estimate_splits(leaves, table, 1, left, right, splits, 1e-6, 9, weight)
        found.append((counts, whole, starts, splits, *parts))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
