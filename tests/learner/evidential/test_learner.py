"""The E2M tree as people use it: sizes, pruning, prediction, hard cases, what is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from effort import draws, examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.evidential import Growth, attributes
from sklearn.datasets import load_iris

from hedgerow import (
    C45Classifier,
    EvidentialData,
    EvidentialTreeClassifier,
    Tree,
    evidential_error_rate,
)
from hedgerow.errors import InputError
from hedgerow.evidential import best_first, mixture, pick_tree, predict_evidential
from hedgerow.evidential._mixture import estimate, start_splits
from hedgerow.evidential.sequence import entropy, prefix

X, Y = load_iris(return_X_y=True, as_frame=True)


def noised(seed, level=1.0, n=150):
    """Rows of iris with values and classes replaced as often as their gamma says."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(150, size=n, replace=False)
    x, y = X.to_numpy()[rows], Y.to_numpy()[rows]
    gamma, doubt = level * rng.random(x.shape), level * rng.random(n)
    low, high = x.min(axis=0), x.max(axis=0)
    other = low + rng.random(x.shape) * (high - low)
    x = np.where(rng.random(x.shape) < gamma, other, x)
    y = np.where(rng.random(n) < doubt, rng.integers(3, size=n), y)
    return EvidentialData.from_gamma(x, y, gamma, doubt, classes=[0, 1, 2])


# ------------------------------------------------------------------ the likelihood


@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_the_likelihood_never_falls(seed):
    rng = np.random.default_rng(seed)
    n, n_leaves, n_classes = (int(v) for v in rng.integers(1, 8, size=3))
    leaves = np.where(rng.random((n_leaves, n)) < 0.5, rng.random((n_leaves, n)), 0.0)
    leaves[rng.integers(n_leaves, size=n), np.arange(n)] = 1.0
    classes = np.where(rng.random((n_classes, n)) < 0.5, rng.random((n_classes, n)), 0.0)
    classes[rng.integers(n_classes, size=n), np.arange(n)] = rng.choice([1.0, 1e-30])
    counts = rng.random((n_leaves, n_classes)) ** 8 + 1e-12
    counts *= n / counts.sum()
    passed = []
    for _ in range(40):
        passed.append(estimate(leaves, classes, counts, 0.0, 1)[0])
        assert np.isfinite(counts).all()
        assert counts.sum() == pytest.approx(n)
    assert (np.diff(passed) >= -1e-9 * (1 + np.abs(passed[1:]))).all()


def test_a_fall_is_an_error_in_debug_mode(monkeypatch):
    from hedgerow.evidential import growth

    monkeypatch.setattr(growth, "estimate", lambda *given: (-10.0, 0.0, 3, 1.0))
    with pytest.raises(AssertionError, match="likelihood fell"):
        EvidentialTreeClassifier().fit(noised(0))


@pytest.mark.parametrize("start", ["plausibility", "shares"])
def test_each_tree_explains_the_data_better_than_the_one_before(start):
    for seed in draws(10):
        model = EvidentialTreeClassifier(prune=False, start=start).fit(noised(seed))
        parts = [len(tree.feature) // 2 + 1 for tree in model.trees_]
        assert parts == list(range(1, len(parts) + 1))
        assert len(model.log_likelihoods_) == len(parts)
        for tree in model.trees_:
            assert tree.class_weight[0].sum() == pytest.approx(150)


@pytest.mark.parametrize("by_plausibility", [True, False])
def test_starts_of_an_estimate_that_has_not_converged_add_up(by_plausibility):
    """They added up to more, and the first step then seemed to lower the likelihood."""
    rng = np.random.default_rng(0)
    leaves, classes = rng.random((3, 40)), rng.random((2, 40))
    counts = rng.random((3, 2))
    counts *= 40 / counts.sum()
    left, right = leaves[1] * rng.random((2, 5, 40))
    starts = start_splits(leaves, classes, counts, 1, left.copy(), right.copy(), by_plausibility)
    assert starts.sum(axis=(1, 2)) == pytest.approx(np.full(5, 40.0))
    assert starts[:, 1:3].sum(axis=(1, 2)) == pytest.approx(np.full(5, counts[1].sum()))
    assert np.array_equal(starts[:, 0], np.tile(counts[0], (5, 1)))
    assert np.array_equal(starts[:, 3], np.tile(counts[2], (5, 1)))


# ------------------------------------------------------------------ growth


def test_screening_finds_what_the_whole_search_finds_mostly():
    """Candidates are screened cheaply and decided exactly; the first test has the most of them."""
    gains, same = [], 0
    seeds = draws(60, least=12)
    for seed in seeds:
        data = noised(seed, level=0.7)
        settings = {"prune": False, "max_leaves": 2}
        fast = EvidentialTreeClassifier(**settings).fit(data).tree_
        exact = {"n_thresholds": None, "n_finalists": None}
        whole = EvidentialTreeClassifier(**settings, **exact).fit(data).tree_
        same += fast == whole
        gains.append(gain(fast) / gain(whole))
    assert same >= 0.5 * len(seeds)
    assert np.mean(gains) > 0.97


def gain(tree):
    """Weight times gain of the first test, by the estimates of the tree of two leaves."""
    total = tree.class_weight.sum(axis=1) * entropy(tree.class_weight)
    return total[0] - total[1] - total[2]


def test_screening_stops_no_sooner_than_the_whole_search():
    """After a few iterations a side may seem less pure than the leaf: all were left out then, and
    of 25 growths on the data of the paper 19 ended at once."""
    exact = {"n_thresholds": None, "n_finalists": None}
    sizes = np.zeros(2)
    for seed in draws(30, least=6):
        data = noised(seed, n=50)
        for k, settings in enumerate(({}, exact)):
            sizes[k] += EvidentialTreeClassifier(prune=False, **settings).fit(data).get_n_leaves()
    assert sizes[0] > 0.7 * sizes[1]


# ------------------------------------------------------------------ pruning


def test_pruning_takes_the_smallest_evidential_error():
    data, pruning, rest = (noised(5, n=150).take(np.arange(50) + 50 * part) for part in range(3))
    model = EvidentialTreeClassifier().fit(data, pruning_data=pruning)
    errors = [
        evidential_error_rate(pruning.plausibility, predict_evidential(tree, pruning))
        for tree in model.trees_
    ]
    assert model.pruning_errors_.tolist() == errors
    assert model.tree_ == model.trees_[pick_tree(errors)]
    assert model.predict(rest).shape == (50,)
    grown = EvidentialTreeClassifier(prune=False).fit(data)
    assert grown.trees_ == model.trees_
    assert not hasattr(grown, "pruning_errors_")


def test_rows_are_held_back_by_a_seed():
    data = noised(6)
    models = [EvidentialTreeClassifier(random_state=seed).fit(data) for seed in (0, 0, 1)]
    assert models[0].trees_ == models[1].trees_ != models[2].trees_
    assert models[0].trees_[0].class_weight.sum() == pytest.approx(75)
    little = EvidentialTreeClassifier(pruning_share=0.2, random_state=0).fit(data)
    assert little.trees_[0].class_weight.sum() == pytest.approx(120)


def test_without_a_seed_rows_are_held_back_anew(monkeypatch):
    """The default was a seed of 0, which hid how much of a tree rests on the rows held back."""
    data = noised(6)
    state = np.random.RandomState(0)
    monkeypatch.setattr(np.random.mtrand, "_rand", state)  # what None stands for
    model = EvidentialTreeClassifier()
    one, other = (model.fit(data).trees_ for _ in range(2))
    assert one != other
    state.seed(0)
    assert EvidentialTreeClassifier().fit(data).trees_ == one


def test_pick_tree():
    assert pick_tree([0.4, 0.3, 0.3 - 1e-12, 0.5]) == 1
    assert pick_tree([np.nan, 0.3]) == 1
    assert pick_tree([np.nan, np.nan]) == 0
    with pytest.raises(InputError, match="errors is no list"):
        pick_tree([])


# ------------------------------------------------------------------ prediction


def test_plain_rows_go_the_way_of_the_tree():
    model = EvidentialTreeClassifier(prune=False).fit(EvidentialData.from_gamma(X, Y, 0.1, 0.2))
    assert model.predict_proba(X) == pytest.approx(model.tree_.predict_proba(X.to_numpy()))
    given = EvidentialData.from_gamma(X, classes=[0, 1, 2])
    assert np.array_equal(model.predict_proba(given), model.predict_proba(X))
    assert np.array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_nothing_known_gives_the_shares_of_the_whole_tree():
    model = EvidentialTreeClassifier(prune=False).fit(noised(7))
    nothing = EvidentialData.from_gamma(np.full((1, 4), np.nan), classes=[0, 1, 2])
    expected = model.tree_.class_weight[0] / 150
    assert model.predict_proba(nothing)[0] == pytest.approx(expected)
    vacuous = EvidentialData.from_gamma(X.iloc[:1].to_numpy(), [0], 1.0, classes=[0, 1, 2])
    assert model.predict_proba(vacuous)[0] == pytest.approx(expected)


def test_any_tree_reads_evidential_data():
    tree = C45Classifier().fit(X, Y).tree_
    data = EvidentialData.from_gamma(X, Y)
    assert mixture(tree, data) == pytest.approx(tree.predict_proba(X.to_numpy()))


# ------------------------------------------------------------------ hard cases


def test_one_class_one_row_and_rows_that_say_nothing():
    one = EvidentialTreeClassifier(prune=False).fit(
        EvidentialData.from_gamma([[1.0], [2.0]], [0, 0])
    )
    assert one.get_n_leaves() == 1
    single = EvidentialTreeClassifier(prune=False).fit(EvidentialData.from_gamma([[1.0]], [0]))
    assert single.predict([[3.0]]).tolist() == [0]
    vacuous = EvidentialData.from_gamma(np.full((5, 2), np.nan), classes=["a", "b"])
    model = EvidentialTreeClassifier(prune=False).fit(vacuous)
    assert model.get_n_leaves() == 1
    assert model.predict_proba(vacuous) == pytest.approx(0.5)


def test_vacuous_rows_change_nothing_but_the_sum():
    """A row that is possible everywhere has every parameter's likelihood as a factor of 1."""
    data = noised(8, level=0.6, n=60)
    low = np.vstack([data.low, np.full((20, 4), np.nan)])
    gamma = np.vstack([data.gamma, np.zeros((20, 4))])
    more = EvidentialData.from_plausibility(
        EvidentialData.from_gamma(low, None, gamma, classes=[0]),
        np.vstack([data.plausibility, np.ones((20, 3))]),
    )
    settings = {"prune": False, "tolerance": 1e-12, "max_iterations": 20_000, "max_leaves": 2}
    one, other = (EvidentialTreeClassifier(**settings).fit(d) for d in (data, more))
    assert one.tree_.threshold[0] == other.tree_.threshold[0]
    assert one.tree_.class_weight / 60 == pytest.approx(other.tree_.class_weight / 80, abs=1e-3)


def test_a_leaf_that_dies_out_is_read_all_the_same():
    """Its probabilities are those of its parent, as in any tree."""
    tree = Tree(
        feature=[0, -1, -1],
        threshold=[1.0, np.nan, np.nan],
        children_left=[1, -1, -1],
        children_right=[2, -1, -1],
        parent=[-1, 0, 0],
        share_left=[1.0, np.nan, np.nan],
        class_weight=[[3.0, 1.0], [3.0, 1.0], [0.0, 0.0]],
    )
    data = EvidentialData.from_gamma(
        [[0.0], [2.0], [2.0]], None, [[0.0], [0.0], [0.5]], classes=[0, 1]
    )
    assert mixture(tree, data) == pytest.approx(np.array([[0.75, 0.25]] * 3))


def test_many_attributes_of_tiny_plausibility_underflow_nothing():
    rng = np.random.default_rng(0)
    data = EvidentialData.from_gamma(rng.normal(size=(30, 20)), rng.integers(3, size=30), 1e-30)
    model = EvidentialTreeClassifier(prune=False, min_gain=0.0).fit(data)
    assert np.isfinite(model.log_likelihoods_).all()
    assert np.isfinite(model.predict_proba(data)).all()


def test_a_leaf_that_its_own_tests_exclude_holds_nothing():
    """An interval about both thresholds was in it with plausibility 1, and so was a missing one."""
    tree = Tree(
        feature=[0, 0, -1, -1, -1],
        threshold=[3.0, 5.0, np.nan, np.nan, np.nan],
        children_left=[1, 2, -1, -1, -1],
        children_right=[4, 3, -1, -1, -1],
        parent=[-1, 0, 1, 1, 0],
        share_left=[0.5, 0.5, np.nan, np.nan, np.nan],
        class_weight=[[6.0, 2.0], [4.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 2.0]],
    )
    data = EvidentialData.from_intervals(
        [[1.0], [np.nan], [4.0]], [[10.0], [np.nan], [4.0]], None, 0.5, classes=[0, 1]
    )
    # Leaves of weight 2 (x < 3) and 4 (x >= 3); the third one asks for 5 <= x < 3.
    expected = [[2 / 3, 1 / 3], [2 / 3, 1 / 3], [3 / 5, 2 / 5]]
    assert mixture(tree, data) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("scale", [1e-300, 1e-310, 5e-324])
def test_plausibilities_of_classes_may_be_as_small_as_numbers_are(scale):
    """The inverse of what a row says was infinite below 1e-308, and the likelihood no number."""
    x, y = X.to_numpy()[::5], np.eye(3)[Y[::5]]
    small = EvidentialData.from_plausibility(
        x, y * np.where(np.arange(30) % 2, scale, 1.0)[:, None]
    )
    one, other = (
        EvidentialTreeClassifier(prune=False, start="shares").fit(data)
        for data in (EvidentialData.from_plausibility(x, y), small)
    )
    assert np.array_equal(one.tree_.threshold, other.tree_.threshold, equal_nan=True)
    assert other.tree_.class_weight == pytest.approx(one.tree_.class_weight)
    less = one.log_likelihoods_ - other.log_likelihoods_
    assert less == pytest.approx(-15 * np.log(scale))


@pytest.mark.parametrize("seed", draws(60))
def test_products_of_tiny_plausibilities_vanish_nowhere(seed):
    """Where both a leaf and a class were of 1e-300, the likelihood seemed to fall."""
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(1, 25)), int(rng.integers(1, 4)), int(rng.integers(1, 6))
    x = rng.normal(size=(n, m)).round(int(rng.integers(3))) * 10.0 ** rng.integers(-300, 300)
    gamma = rng.choice([0.0, 1e-300, 1e-12, 0.5, 1.0], size=(n, m))
    classes = rng.choice([0.0, 5e-324, 1e-300, 0.3, 1.0], size=(n, k))
    classes[np.arange(n), rng.integers(k, size=n)] = rng.choice([5e-324, 1e-200, 1.0])
    codes = {}
    if seed % 3 == 0:
        codes, x[:, 0] = {0: list("uvw")}, rng.integers(3, size=n)
    data = EvidentialData.from_gamma(x, None, gamma, classes=[0], categories=codes)
    data = EvidentialData.from_plausibility(data, classes)
    exact = {"n_thresholds": None, "n_finalists": None}
    few = {"n_thresholds": 1, "n_finalists": 1, "n_screening": 1}
    for more in ({}, {"start": "shares", "parent": "combined", **exact}, exact, few):
        settings = {"prune": False, "max_leaves": 50, "max_iterations": 60, "min_gain": 0.0}
        model = EvidentialTreeClassifier(**settings, **more).fit(data)
        assert np.isfinite(model.log_likelihoods_).all()
        assert np.isfinite(model.predict_proba(data)).all()
        assert model.tree_.class_weight[0].sum() == pytest.approx(n)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_few_thresholds_are_tried_first_and_the_others_follow(most):
    """Of one threshold the lowest was tried, and none beside it."""
    x = np.arange(40.0)[:, None]
    data = EvidentialData.from_gamma(x, (x[:, 0] >= 13).astype(int), 0.1, 0.1)
    fast = EvidentialTreeClassifier(prune=False, max_leaves=2, min_gain=0.0, n_thresholds=most)
    assert fast.fit(data).tree_.threshold[0] == 13.0


def test_screening_holds_no_sides():
    """Those of all candidates took 16 bytes for each row of each: gigabytes at 20,000 rows."""
    import tracemalloc

    data = noised(0)
    wide = [np.tile(array, (10, 5)) for array in (data.low, data.high)]
    data = EvidentialData.from_intervals(*wide, None, np.tile(data.gamma, (10, 5)), classes=[0])
    data = EvidentialData.from_plausibility(data, np.tile(noised(0).plausibility, (10, 1)))
    tracemalloc.start()
    EvidentialTreeClassifier(
        prune=False, max_leaves=4, max_iterations=3, n_finalists=2, n_screening=1
    ).fit(data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 32 * data.low.nbytes


def test_fitting_without_pruning_forgets_the_errors_of_pruning():
    model = EvidentialTreeClassifier(random_state=0).fit(noised(2))
    assert len(model.pruning_errors_) == len(model.trees_)
    model.set_params(prune=False).fit(noised(2))
    assert not hasattr(model, "pruning_errors_")


def test_the_order_of_rows_and_of_classes_does_not_matter():
    data = noised(5, level=0.6)
    rows = np.random.default_rng(0).permutation(150)
    other = EvidentialData.from_plausibility(data, data.plausibility[:, ::-1], [2, 1, 0])
    settings = {"prune": False, "max_leaves": 4}
    models = [
        EvidentialTreeClassifier(**settings).fit(one) for one in (data, data.take(rows), other)
    ]
    for model in models[1:]:
        assert model.tree_.feature.tolist() == models[0].tree_.feature.tolist()
        assert np.array_equal(model.tree_.threshold, models[0].tree_.threshold, equal_nan=True)
    assert models[2].predict(data).tolist() == models[0].predict(data).tolist()


# ------------------------------------------------------------------ what is refused


DATA = EvidentialData.from_gamma([[0.0], [1.0], [2.0]], [0, 1, 1])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: m.fit(DATA, [0, 1, 1]), "y is given beside evidential data"),
        (lambda m: m.fit(DATA, DATA), "y is given beside evidential data.*pruning_data=..."),
        (lambda m: m.fit(DATA, gamma_X=0.1), "gamma_X is given beside evidential data"),
        (lambda m: m.fit(DATA, gamma_y=[0, 0, 1]), "gamma_y is given beside evidential data"),
        (lambda m: m.fit(DATA, pruning_data=[[0.0]]), "pruning_data is of type list"),
        (lambda m: m.fit(DATA.take([])), "data hold no row"),
        (lambda m: m.fit(DATA.take([0])), "pruning_share 0.5 of 1 sample leaves none"),
        (
            lambda m: m.fit(DATA, pruning_data=EvidentialData.from_gamma([[0, 1]], [0])),
            "pruning_data have other attributes",
        ),
        (
            lambda m: m.fit(
                EvidentialData.from_gamma(X, Y),
                pruning_data=EvidentialData.from_gamma(X[X.columns[::-1]], Y),
            ),
            "pruning_data have other attributes",
        ),
        (
            lambda m: m.fit(DATA, pruning_data=EvidentialData.from_gamma([[0.0]], [0])),
            r"pruning_data have the classes \[0\] and the data of the fit \[0, 1\]",
        ),
        (lambda m: m.fit(DATA).predict(EvidentialData.from_gamma([[0, 1]], [0])), "data have 2"),
        (lambda m: m.set_params(parent="both").fit(DATA), "parent is 'both'; choose one of"),
        (lambda m: m.set_params(start=1).fit(DATA), "start is 1; choose one of"),
        (lambda m: m.set_params(max_leaves=0).fit(DATA), "max_leaves is 0"),
        (lambda m: m.set_params(n_finalists=0).fit(DATA), "n_finalists is 0"),
        (lambda m: m.set_params(min_gain=2).fit(DATA), "min_gain is 2"),
    ],
)
def test_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(EvidentialTreeClassifier())


def test_data_of_another_kind_are_refused():
    tree = C45Classifier(prune=False).fit([[0.0], [1.0]] * 3, [0, 1] * 3).tree_
    other = EvidentialData.from_gamma([[0.0]], [0], categories={0: ["u", "v"]})
    with pytest.raises(InputError, match="tests attribute 0 for numbers and the data have cat"):
        mixture(tree, other)
    frame = pd.DataFrame({"a": pd.Categorical(list("uvuv"))})
    tree = (
        EvidentialTreeClassifier(prune=False)
        .fit(EvidentialData.from_gamma(frame, [0, 1] * 2))
        .tree_
    )
    with pytest.raises(InputError, match="and the tree knows"):
        mixture(tree, EvidentialData.from_gamma([[0.0]], [0], categories={0: ["u", "w"]}))


@pytest.mark.parametrize(
    ("plausibility", "predictions", "sentence"),
    [
        ([[1.0, 0.5]], [0, 1], "predictions are no list of 1 whole numbers"),
        ([[1.0, 0.5]], [0.5], "predictions are no list of 1 whole numbers"),
        ([[1.0, 0.5]], [2], "predictions hold 2 for 2 classes"),
        ([[1.0, 0.5]], [-1], "predictions hold -1 for 2 classes"),
        ([[0.0, 0.0]], [0], "plausibility is 0 throughout row 0"),
        ([[1.0, 1.5]], [0], "plausibility holds 1.5 in row 0, column 1"),
        (np.ones((0, 2)), np.zeros(0, dtype=int), "no prediction to judge"),
    ],
)
def test_error_rate_refuses(plausibility, predictions, sentence):
    with pytest.raises(InputError, match=sentence):
        evidential_error_rate(plausibility, predictions)


# ------------------------------------------------------------------ trees of successive splits


def test_each_tree_of_the_sequence_has_one_leaf_more():
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, Y).tree_
    trees = best_first(tree, 6, 0.0)
    assert [t.n_leaves for t in trees] == [1, 2, 3, 4, 5, 6]
    whole = best_first(tree, 10_000, 0.0)[-1]
    assert whole == tree
    assert prefix(tree, []).n_nodes == 1
    for small, large in itertools.pairwise(trees):
        inside = set(np.unique(small.feature[small.feature >= 0]))
        assert inside <= set(np.unique(large.feature[large.feature >= 0]))


def test_rows_as_the_reference_takes_them():
    data = EvidentialData.from_gamma([[1.0, 0.0]], [0], 0.25, categories={1: ["u", "v"]})
    assert attributes(data) == [[(1.0, 1.0, 0.25), [1.0, 0.25]]]


# ------------------------------------------------------------------ ties and orders


@pytest.mark.parametrize("seed", range(20))
def test_an_attribute_and_its_mirror_tie_and_the_first_is_taken(seed):
    """Their gains differ by rounding, which must not choose."""
    data = noised(seed, n=80)
    low = np.column_stack([data.low[:, 2], -data.low[:, 2]])
    gamma = data.gamma[:, [2, 2]]
    both = EvidentialData.from_gamma(low, None, gamma, classes=[0])
    both = EvidentialData.from_plausibility(both, data.plausibility)
    exact = {"n_thresholds": None, "n_finalists": None, "prune": False, "max_leaves": 2}
    tests = EvidentialTreeClassifier(**exact, tolerance=1e-9).fit(both).tree_.feature
    assert set(tests.tolist()) <= {-1, 0}


def test_of_two_candidates_that_tie_the_lower_threshold_is_the_better():
    from hedgerow.evidential.growth import Test, TestGains, _better, _first_best

    def one(place, gain, likelihood=-9.0):
        tests = [Test(0, 0, float(place), None, place)]
        parts = (np.array([value]) for value in (gain, likelihood, True))
        return TestGains(tests, None, *parts), 0

    low, high = one(1, 3.0), one(4, 3.0 + 1e-12)
    assert _better(low, high, (1e-9, 1e-9)) is low
    assert _better(high, low, (1e-9, 1e-9)) is low
    assert _first_best([low[0], high[0]], (1e-9, 1e-9))[0] is low[0]
    assert _better(low, one(4, 3.1), (1e-9, 1e-9))[0].tests[0].place == 4
    likelier = one(4, 3.0, likelihood=-8.0)
    assert _better(low, likelier, (1e-9, 1e-9)) is likelier
    assert _first_best([low[0], likelier[0]], (1e-9, 1e-9))[0] is likelier[0]


def test_of_two_tests_that_gain_all_the_likelier_one_is_taken():
    """The lower column was taken though its tree explained the doubtful rows less well."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    x = np.column_stack([y + 0.4 * rng.random(30), y + 0.4 * rng.random(30)])
    x[[3, 20], 0] = x[[20, 3], 0]  # told wrong by the first, and said to be in doubt
    gamma = np.full(x.shape, 0.05)
    gamma[[3, 20], 0] = 0.9
    data = EvidentialData.from_gamma(x, y, gamma)
    model = EvidentialTreeClassifier(prune=False, max_leaves=2).fit(data)
    assert model.tree_.feature[0] == 1
    first = EvidentialData.from_gamma(x[:, [0, 0]], y, gamma[:, [0, 0]])
    other = EvidentialTreeClassifier(prune=False, max_leaves=2).fit(first)
    assert other.share_gains_[0] == pytest.approx(model.share_gains_[0], abs=1e-4)
    assert other.log_likelihoods_[1] < model.log_likelihoods_[1] - 0.1


def test_gains_of_a_share_below_the_floor_divide_nothing():
    data = noised(2, n=50)
    whole = EvidentialTreeClassifier(prune=False, min_share_gain=0.0).fit(data)
    assert (whole.share_gains_ < 1e-3).any()
    for floor in (1e-3, 1e-2):
        model = EvidentialTreeClassifier(prune=False, min_share_gain=floor).fit(data)
        below = whole.share_gains_ < floor
        n_trees = 1 + (int(below.argmax()) if below.any() else len(below))
        assert model.trees_ == whole.trees_[:n_trees]


def test_of_two_leaves_that_tie_the_lower_node_is_divided_first():
    x = np.array([0.0, 1.0, 10.0, 11.0] * 3)[:, None]
    y = np.array([0, 1, 2, 3] * 3)
    grown = C45Classifier(prune=False, min_samples_split=2).fit(x, y).tree_
    three = best_first(grown, 3, 0.0)[-1]
    assert three.threshold[:2].tolist() == [10.0, 1.0]


@pytest.mark.parametrize("seed", range(10))
def test_up_to_ten_categories_are_divided_in_every_way(seed):
    """An order of the categories does not hold the best division of three classes."""
    rng = np.random.default_rng(seed)
    n = 30
    codes, y = rng.integers(5, size=n), rng.integers(3, size=n)
    labels = {0: list("uvwxy")}
    data = EvidentialData.from_gamma(
        codes[:, None], y, 0.1, rng.random(n) * 0.3, classes=[0, 1, 2], categories=labels
    )
    settings = {"max_leaves": 2, "min_gain": 0.0, "parent": "current", "start": "plausibility"}
    exact = {"n_thresholds": None, "n_finalists": None, "prune": False}
    model = EvidentialTreeClassifier(**settings, **exact, tolerance=1e-4, max_iterations=40)
    found = model.fit(data).log_likelihoods_[-1]
    whole = Growth(
        attributes(data), data.plausibility.tolist(), tolerance=1e-4, most=40, **settings
    )
    assert found == pytest.approx(whole.found[-1], abs=1e-6)
