"""The best tree: equal to all trees tried one by one, bounded at every stop, the same each time."""

import warnings

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle.best_trees import leaf_cost, least_cost, least_expected_cost
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hedgerow import C45Classifier, OptimalTreeClassifier
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.optimal import learner
from hedgerow.optimal.learner import OBJECTIVES


def random_case(seed):
    """A small table with ties, duplicates, weights, missing values and categories."""
    rng = np.random.default_rng(seed)
    depth = int(rng.integers(1, 4))
    n, m = int(rng.integers(3, 15 - 3 * depth)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.integers(2, 6), (n, m)).astype(float)
    if seed % 5 < 3:
        X[rng.random((n, m)) < 0.2] = np.nan
    y = rng.integers(0, rng.integers(2, 5), n)
    weight = rng.integers(1, 4, n) / 2 if seed % 2 else np.ones(n)
    settings = {
        "objective": OBJECTIVES[int(rng.integers(3))],
        "leaf_penalty": float(rng.choice([0, 0.01, 0.05])),
        "candidates": ["values", "midpoints"][int(rng.integers(2))],
        "missing": ["divided", "routed"][seed % 2],
        "most_subsets": int(rng.integers(1, 5)),
        "categorical_features": [j for j in range(m) if rng.random() < 0.3] or None,
    }
    return X, y, weight, depth, settings


def cost_of(model, X, y, weight):
    """What the tree costs on these rows, worked out from where each of them ends."""
    shares = model.tree_.shares(X).toarray()
    found = 0.0
    for node in np.flatnonzero(model.tree_.is_leaf()):
        by_class = {c: np.sum(shares[y == c, node] * weight[y == c]) for c in np.unique(y)}
        found += leaf_cost(by_class, model.objective)
    return found / weight.sum() + model.leaf_penalty * model.get_n_leaves()


def all_subsets(X, settings):
    """Whether there are so few categories that all subsets are tests; of three, each alone is."""
    most = max(settings["most_subsets"], 3)
    known = [np.unique(X[:, j][~np.isnan(X[:, j])]) for j in settings["categorical_features"] or ()]
    return all(len(each) <= most for each in known)


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", range(500))
def test_no_tree_is_better(seed):
    X, y, weight, depth, settings = random_case(seed)
    model = OptimalTreeClassifier(depth, weights="counts", **settings).fit(X, y, weight)
    rows = [[None if np.isnan(v) else v for v in row] for row in X]

    def least(most_subsets):
        cost = least_cost(
            rows,
            y.tolist(),
            weight.tolist(),
            depth,
            objective=settings["objective"],
            penalty=settings["leaf_penalty"] * weight.sum(),
            categorical=settings["categorical_features"] or (),
            midpoints=settings["candidates"] == "midpoints",
            most_subsets=most_subsets,
            routed=settings["missing"] == "routed",
        )
        return cost / weight.sum()

    complete = all_subsets(X, settings)
    if complete:
        assert model.objective_ == pytest.approx(least(settings["most_subsets"]), abs=1e-7)
    else:  # between one category against the others and all subsets
        assert least(9) - 1e-7 <= model.objective_ <= least(1) + 1e-7
    assert model.proven_ is complete
    assert model.bound_ == model.objective_ and model.gap_ == 0.0
    assert cost_of(model, X, y, weight) == pytest.approx(model.objective_, abs=1e-7)
    assert model.get_depth() <= depth


#: Tables of `test_half_of_a_variable_missing` on which a tree was said to be best that was not.
WRONG = (594, 793, 1004, 1205, 1213)


@pytest.mark.parametrize("seed", [*WRONG, *draws(400)])
def test_half_of_a_variable_missing(seed):
    """A row more let a test divide what was known, and drop what was not: the bound forgot it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 11))
    X = rng.integers(0, 4, (n, 2)).astype(float)
    X[:, 0] = rng.integers(0, 6, n)
    X[rng.random(n) < 0.5, 1] = np.nan
    y = rng.integers(0, 2, n)
    weight = rng.integers(1, 6, n).astype(float)
    penalty = float(rng.choice([0, 0.02]))
    model = OptimalTreeClassifier(2, weights="counts", leaf_penalty=penalty).fit(X, y, weight)
    rows = [[None if np.isnan(v) else v for v in row] for row in X]
    want = least_cost(rows, y.tolist(), weight.tolist(), 2, objective="errors",
                      penalty=penalty * weight.sum(), routed=False)  # fmt: skip
    assert model.proven_
    assert model.objective_ * weight.sum() == pytest.approx(want, abs=1e-7)


@pytest.mark.parametrize("tolerance", [0.0, 0.1, 0.5, 1.0])
def test_a_gap_that_is_good_enough(tolerance):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    model = OptimalTreeClassifier(3, tolerance=tolerance).fit(X, y)
    assert model.gap_ <= tolerance
    more = OptimalTreeClassifier(3, tolerance=tolerance / 2).fit(X, y)
    assert more.n_nodes_ >= model.n_nodes_
    assert more.objective_ <= model.objective_
    assert more.bound_ >= model.bound_
    assert OptimalTreeClassifier(3, tolerance=tolerance).fit(X, y).tree_ == model.tree_


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", range(60))
def test_a_bound_at_every_stop(seed):
    """Stopped after any number of tests: a tree that is as good as it says, and a true bound."""
    X, y, weight, _, settings = random_case(seed)
    best = OptimalTreeClassifier(3, weights="counts", **settings).fit(X, y, weight)
    before = None
    for nodes in (1, 2, 5, 11, 40):
        model = OptimalTreeClassifier(3, weights="counts", max_nodes=nodes, **settings)
        model.fit(X, y, weight)
        assert cost_of(model, X, y, weight) == pytest.approx(model.objective_, abs=1e-7)
        assert 0 <= model.bound_ <= best.objective_ + 1e-7 <= model.objective_ + 2e-7
        assert model.proven_ is (model.gap_ == 0.0 and all_subsets(X, settings))
        if before is not None:  # anytime: more nodes never give less
            assert model.objective_ <= before.objective_ + 1e-7
            assert model.bound_ >= before.bound_ - 1e-7
        before = model


def measured_case(seed):
    """A small table, with errors of some of its variables; at depth 1 more values than a block."""
    rng = np.random.default_rng(seed)
    depth = 1 + seed % 3
    n, m = int(rng.integers(4, (50, 14, 6)[seed % 3])), int(rng.integers(1, 3))
    X = rng.integers(0, (60, 8, 6)[seed % 3], (n, m)).astype(float)
    y = rng.integers(0, rng.integers(2, 4), n)
    weight = rng.integers(1, 4, n) / 2 if seed % 2 else np.ones(n)
    sds = np.where(rng.random(m) < 0.8, rng.choice([0.3, 1.0, 3.0], m), 0.0)
    return X, y, weight, depth, sds


@pytest.mark.parametrize("draws", ["once", "per_test"])
@pytest.mark.parametrize("seed", range(60))
def test_no_tree_has_less_expected_cost(seed, draws):
    X, y, weight, depth, sds = measured_case(seed)
    settings = {"objective": OBJECTIVES[seed % 3], "leaf_penalty": 0.02 * (seed % 2)}
    model = OptimalTreeClassifier(depth, error=sds, draws=draws, weights="counts", **settings)
    model.fit(X, y, weight)
    want = least_expected_cost(
        X.tolist(),
        y.tolist(),
        weight.tolist(),
        depth,
        sds.tolist(),
        objective=settings["objective"],
        penalty=settings["leaf_penalty"] * weight.sum(),
        once=draws == "once",
    )
    assert model.objective_ == pytest.approx(want / weight.sum(), abs=1e-7)
    assert model.proven_
    assert cost_of(model, X, y, weight) == pytest.approx(model.objective_, abs=1e-7)


def test_blocks_of_thresholds_leave_nothing_out():
    """Thresholds bounded together fell when the last block of a variable was short."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        X = np.column_stack([rng.integers(0, 12, 60), rng.integers(0, 45, 60)]).astype(float)
        y = rng.integers(0, 2, 60)
        model = OptimalTreeClassifier(2, error=[0.8, 2.0]).fit(X, y)
        rows = X.tolist()
        best = least_expected_cost(rows, y.tolist(), [1.0] * 60, 1, [0.8, 2.0], objective="errors")
        stump = OptimalTreeClassifier(1, error=[0.8, 2.0]).fit(X, y)
        assert stump.objective_ * 60 == pytest.approx(best, abs=1e-7)
        assert model.objective_ <= stump.objective_ + 1e-9


def test_an_error_of_0_gives_the_tree_of_exact_values():
    X, y = load_wine(return_X_y=True)
    exact = OptimalTreeClassifier(2).fit(X, y)
    for error in (0, np.zeros(13), {0: 0.0}):
        assert OptimalTreeClassifier(2, error=error).fit(X, y).tree_ == exact.tree_
    nearly = OptimalTreeClassifier(2, error=1e-9).fit(X, y)
    assert nearly.objective_ == pytest.approx(exact.objective_, abs=1e-7)


def test_errors_cost_and_the_tree_knows_them():
    """The larger the errors, the more the best tree costs; new rows are read with them."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = [
        OptimalTreeClassifier(2, error={"petal width (cm)": sd, "petal length (cm)": sd}).fit(X, y)
        for sd in (0.0, 0.1, 0.3, 1.0)
    ]
    costs = [model.objective_ for model in found]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]
    assert 0.01 < found[1].predict_proba(X.iloc[77:78])[0].max() < 0.99
    drawn = np.random.default_rng(0).normal(0, 1, (400, *X.shape)) * [0, 0, 0.3, 0.3]
    tree = found[2].tree_
    hard = [tree.apply(x, evaluation=None) for x in X.to_numpy() + drawn]
    label = tree.class_weight.argmax(axis=1)
    errors = np.array([np.mean(label[leaf] != y) for leaf in hard])
    assert abs(errors.mean() - costs[2]) < 4 * errors.std() / 20


#: Fewest errors of trees of depth 2 and 3, as ConTree (pycontree 1.0.8) finds them:
#: `python benchmarks/bench.py optimal`.
KNOWN = {"iris": (6, 1), "wine": (6, 0), "wdbc": (22, 9)}


@pytest.mark.parametrize("name", KNOWN)
def test_as_another_solver(name):
    load = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}[name]
    X, y = load(return_X_y=True)
    for depth, errors in zip((2, 3), KNOWN[name], strict=True):
        model = OptimalTreeClassifier(depth).fit(X, y)
        assert model.proven_
        assert np.sum(model.predict(X) != y) == round(model.objective_ * len(y)) == errors


def test_the_same_tree_for_rows_in_any_order():
    X, y = load_wine(return_X_y=True)
    first = OptimalTreeClassifier(2).fit(X, y).tree_
    rng = np.random.default_rng(1)
    for _ in range(3):
        order = rng.permutation(len(y))
        assert OptimalTreeClassifier(2).fit(X[order], y[order]).tree_ == first


def test_many_categories_are_not_said_to_be_proven():
    """Of 8 categories one against the others was tried, and an accuracy of .625 proven."""
    frame = pd.DataFrame({"kind": pd.Categorical(np.repeat(list("abcdefgh"), 10))})
    y = frame["kind"].cat.codes.to_numpy() % 2
    with pytest.warns(HedgerowWarning, match="'kind' \\(8\\) has more categories") as told:
        model = OptimalTreeClassifier(1).fit(frame, y)
    assert "give most_subsets=8" in str(told[0].message)
    assert model.score(frame, y) == 1.0 and model.proven_ is False and model.gap_ == 0.0
    assert model.search_space_ == (
        "trees of depth 1 or less that test categories by all of their subsets, but of the 8 "
        "categories of 'kind' each alone and 5 subsets by class shares"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = OptimalTreeClassifier(1, most_subsets=8).fit(frame, y)
    assert whole.proven_ is True and whole.search_space_.endswith("by all of their subsets")
    numbers = OptimalTreeClassifier(1).fit(y[:, None], y)
    assert numbers.proven_ is True
    assert (
        numbers.search_space_ == "trees of depth 1 or less that test numbers at all observed values"
    )
    stopped = OptimalTreeClassifier(3, most_subsets=8, max_nodes=1)
    X, y = load_breast_cancer(return_X_y=True)
    assert stopped.fit(X, y).proven_ is False


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", range(60))
def test_the_order_by_class_shares_is_exact_for_one_split(seed):
    """With two classes, of all subsets; with more, never worse than one against the others."""
    rng = np.random.default_rng(seed)
    k, n_classes = int(rng.integers(4, 9)), 2 + seed % 2
    x = np.concatenate([np.arange(k), rng.integers(0, k, 40)]).astype(float)
    y = rng.integers(0, n_classes, len(x))
    weight = rng.integers(1, 4, len(x)) / 2
    if seed % 3 == 0:
        x[rng.random(len(x)) < 0.1] = np.nan
    missing = "routed" if seed % 3 == 0 and n_classes == 2 else "divided"
    objective = OBJECTIVES[seed % 3]
    settings = {"objective": objective, "missing": missing, "categorical_features": [0]}
    models = [
        OptimalTreeClassifier(1, most_subsets=most, weights="counts", **settings)
        .fit(x[:, None], y, weight)
        .objective_
        for most in (3, 9)
    ]
    rows = [[None if np.isnan(v) else v] for v in x]

    def least(most):
        cost = least_cost(rows, y.tolist(), weight.tolist(), 1, objective=objective,
                          categorical=[0], most_subsets=most,
                          routed=missing == "routed")  # fmt: skip
        return cost / weight.sum()

    assert models[1] == pytest.approx(least(9), abs=1e-7)
    assert models[1] - 1e-9 <= models[0] <= least(1) + 1e-9
    if n_classes == 2 and not np.isnan(x).any():
        assert models[0] == pytest.approx(least(9), abs=1e-7)
    shuffled = rng.permutation(len(x))
    again = OptimalTreeClassifier(1, most_subsets=3, weights="counts", **settings)
    again.fit(x[shuffled, None], y[shuffled], weight[shuffled])
    assert again.objective_ == pytest.approx(models[0], abs=1e-12)


def test_midpoints_are_those_of_growth():
    """They differed in the last bit."""
    for values in np.random.default_rng(0).normal(0, 1, (200, 2)):
        X, y = np.sort(values)[:, None], [0, 1]
        grown = C45Classifier(candidates="midpoints", prune=False, min_samples_split=2).fit(X, y)
        best = OptimalTreeClassifier(1, candidates="midpoints").fit(X, y)
        assert best.tree_.threshold[0] == grown.tree_.threshold[0]
    ends = OptimalTreeClassifier(1, candidates="midpoints").fit([[-1.7e308], [1.7e308]], [0, 1])
    assert ends.tree_.threshold[0] == 0.0


def test_stopped_by_time_it_has_a_tree_and_a_bound():
    X, y = load_breast_cancer(return_X_y=True)
    model = OptimalTreeClassifier(4, objective="log_loss", time_limit=0.05).fit(X, y)
    assert not model.proven_
    assert 0 <= model.bound_ < model.objective_
    assert 0 < model.gap_ <= 1
    assert model.get_n_leaves() > 4


def test_missing_values_and_categories_in_a_frame():
    """What is missing goes where the tree is better, and so does a category."""
    frame = pd.DataFrame(
        {
            "pressure": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan],
            "ward": pd.Categorical(["north", "north", "south", "south", "east", None]),
        }
    )
    y = np.array(["ill", "ill", "well", "well", "ill", "ill"])
    model = OptimalTreeClassifier(1, missing="routed").fit(frame, y)
    assert model.objective_ == 0.0
    assert model.tree_.share_left[0] == 1.0
    assert model.predict(frame).tolist() == y.tolist()
    by_ward = OptimalTreeClassifier(1, missing="routed").fit(frame[["ward"]], y)
    assert by_ward.objective_ == 0.0
    assert by_ward.tree_.is_categorical()[0]
    assert by_ward.predict(frame[["ward"]]).tolist() == y.tolist()


def test_weights_of_classes_move_the_optimum():
    X = np.arange(10.0)[:, None]
    y = np.array([0, 0, 0, 1, 0, 0, 0, 0, 1, 1])
    plain = OptimalTreeClassifier(1).fit(X, y)
    assert plain.tree_.threshold[0] == 8.0
    wary = OptimalTreeClassifier(1, class_weight={0: 1, 1: 5}).fit(X, y)
    assert wary.tree_.threshold[0] == 3.0


def test_nothing_to_test():
    model = OptimalTreeClassifier(3).fit(np.ones((4, 2)), [0, 1, 1, 1])
    assert model.get_n_leaves() == 1
    assert model.objective_ == model.bound_ == 0.25
    assert OptimalTreeClassifier(0).fit([[1.0], [2.0]], [0, 1]).objective_ == 0.5


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": -1},
        {"max_depth": 17},
        {"max_depth": 2.5},
        {"objective": "accuracy"},
        {"leaf_penalty": -0.1},
        {"leaf_penalty": np.nan},
        {"missing": "divided by hand"},
        {"error": -1.0},
        {"error": "some"},
        {"error": [0.1, 0.2]},
        {"error": {"glucose": 5}},
        {"error": np.nan},
        {"draws": "twice"},
        {"candidates": "all"},
        {"most_subsets": 0},
        {"most_subsets": 13},
        {"max_nodes": 0},
        {"time_limit": 0},
        {"time_limit": -1},
        {"tolerance": -0.1},
        {"tolerance": 1.1},
        {"weights": "some"},
        {"smoothing": "yes"},
    ],
    ids=str,
)
def test_bad_parameters(settings):
    with pytest.raises(InputError, match=next(iter(settings))):
        OptimalTreeClassifier(**settings).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("seed", draws(60, least=12))
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_subsets_of_categories_are_counted_together(seed, objective, monkeypatch):
    """All rows were counted again for every two subsets: the time grew with the cube of the number
    of categories. Counted by category, tree, cost, bound and effort are the same to the last bit.
    """
    rng = np.random.default_rng(seed)
    n, k = 90, int(rng.integers(2, 25))
    X = np.column_stack([rng.integers(0, k, n), rng.normal(size=n).round(1), rng.integers(0, 4, n)])
    if seed % 2:
        X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(rng.random(n) < 0.6, np.nan_to_num(X[:, 0]) % 3, rng.integers(0, 4, n))
    y = np.minimum(y, 1 + seed % 3)
    weight = [None, rng.integers(1, 4, n), rng.uniform(0.5, 2, n)][seed % 3]
    model = OptimalTreeClassifier(
        2 + seed % 2, objective=objective, categorical_features=[0, 2], missing="routed",
        max_nodes=400, leaf_penalty=0.01, most_subsets=4,
    )  # fmt: skip
    found = []
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HedgerowWarning)
            model.fit(X, y, sample_weight=weight)
        found.append((model.tree_, model.objective_, model.bound_, model.n_nodes_))
        monkeypatch.setattr(learner, "_subsets_of", lambda columns, training: None)
    assert found[0] == found[1]
