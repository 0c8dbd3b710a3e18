"""UCT over the upper tests: never worse than where it begins, bounded, the same tree every time."""

import numpy as np
import pytest
from effort import draws
from optimal.test_optimal import all_subsets, cost_of, random_case
from sklearn.datasets import load_breast_cancer, load_wine

from hedgerow import C45Classifier, OptimalTreeClassifier
from hedgerow.errors import InputError
from hedgerow.optimal import anytime
from hedgerow.optimal.gap import cost_of as cost_on


def larger_case(seed):
    """Some dozen rows with ties, weights, routed missing values and categories."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(20, 60)), int(rng.integers(2, 4))
    X = rng.integers(0, rng.integers(3, 12), (n, m)).astype(float)
    if seed % 3 == 0:
        X[rng.random((n, m)) < 0.1] = np.nan
    y = rng.integers(0, rng.integers(2, 4), n)
    weight = rng.integers(1, 4, n) / 2 if seed % 2 else np.ones(n)
    settings = {
        "objective": ["errors", "log_loss", "gini"][seed % 3],
        "leaf_penalty": float(rng.choice([0, 0.01])),
        "candidates": ["values", "midpoints"][int(rng.integers(2))],
        "categorical_features": [0] if rng.random() < 0.3 else None,
    }
    return X, y, weight, {"missing": "routed", "weights": "counts", **settings}


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", draws(60))
def test_between_the_best_tree_and_that_of_c45(seed):
    X, y, weight, settings = larger_case(seed)
    best = OptimalTreeClassifier(4, **settings).fit(X, y, weight)
    before = None
    for nodes in (1, 30, 300, 3000):
        model = OptimalTreeClassifier(4, search="uct", max_nodes=nodes, **settings)
        model.fit(X, y, weight)
        assert cost_of(model, X, y, weight) == pytest.approx(model.objective_, abs=1e-7)
        assert model.bound_ <= best.objective_ + 1e-7
        assert model.objective_ >= best.objective_ - 1e-7
        assert model.get_depth() <= 4
        if before is not None:  # what is done next never depends on the limit
            assert model.objective_ <= before.objective_ + 1e-9
            assert model.bound_ >= before.bound_ - 1e-9
        before = model
    if np.isnan(X).any() or settings["categorical_features"] or settings["leaf_penalty"]:
        return
    greedy = C45Classifier(
        prune=False,
        max_depth=4,
        min_samples_split=2,
        weights="counts",
        candidates=settings["candidates"],
    ).fit(X, y, weight)
    codes = np.searchsorted(greedy.classes_, y)
    own = cost_on(greedy.tree_, X, codes, weight, settings["objective"]) / weight.sum()
    first = OptimalTreeClassifier(4, search="uct", max_nodes=1, **settings).fit(X, y, weight)
    assert first.objective_ <= own + 1e-9


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", draws(60))
def test_a_proof_in_the_end(seed):
    """The share of branch and bound finishes small problems."""
    X, y, weight, _, settings = random_case(seed)
    settings["missing"] = "routed"
    best = OptimalTreeClassifier(3, weights="counts", **settings).fit(X, y, weight)
    model = OptimalTreeClassifier(
        3, weights="counts", search="uct", max_nodes=10**6, **settings
    ).fit(X, y, weight)
    assert model.gap_ == 0.0 and model.proven_ is all_subsets(X, settings)
    assert model.objective_ == pytest.approx(best.objective_, abs=1e-9)


def test_the_same_tree_every_time():
    X, y = load_wine(return_X_y=True)
    X = np.round(X, 1)
    trees = [
        OptimalTreeClassifier(4, search="uct", max_nodes=3000, leaf_penalty=0.01).fit(X, y).tree_
        for _ in range(2)
    ]
    assert trees[0] == trees[1]


def test_exact_levels_only_change_the_way(monkeypatch):
    """Three levels by branch and bound instead of two: as true, and as good in the end."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[::2, :5]
    y = y[::2]
    settings = {"search": "uct", "max_nodes": 30_000}
    two = OptimalTreeClassifier(4, **settings).fit(X, y)
    monkeypatch.setattr(anytime, "EXACT", 3)
    three = OptimalTreeClassifier(4, **settings).fit(X, y)
    best = OptimalTreeClassifier(4, max_nodes=200_000).fit(X, y)
    assert best.bound_ <= min(two.objective_, three.objective_)
    assert (two.predict(X) != y).mean() == pytest.approx(two.objective_)
    assert (three.predict(X) != y).mean() == pytest.approx(three.objective_)


def test_better_than_bounds_alone_where_trees_are_deep():
    X, y = load_breast_cancer(return_X_y=True)
    limit = {"max_depth": 5, "max_nodes": 20_000}
    bounds = OptimalTreeClassifier(**limit).fit(X, y)
    uct = OptimalTreeClassifier(**limit, search="uct").fit(X, y)
    assert uct.objective_ <= bounds.objective_


def test_the_steps_are_told():
    X, y = load_wine(return_X_y=True)
    rank = np.array([np.unique(x, return_inverse=True)[1] for x in X.T], dtype=np.int32)
    search = anytime.Anytime(
        rank,
        y.astype(np.int32),
        np.ones(len(y)),
        depth=4,
        max_nodes=2000,
        n_classes=3,
        objective=0,
        penalty=0.0,
    )
    told = []
    value, bound, tree = search.run(lambda clock, cost: told.append(cost))
    assert told == sorted(told, reverse=True)
    assert value == told[-1] >= bound
    assert tree.shape == (15, 2)


def macro_f1(y, answer, weight):
    """As it is defined: the mean over classes of 2 TP / (answered + true)."""
    found = []
    for c in np.unique(y):
        both = weight[(y == c) & (answer == c)].sum()
        found.append(2 * both / (weight[answer == c].sum() + weight[y == c].sum()))
    return np.mean(found)


@pytest.mark.filterwarnings("ignore:not all subsets")
@pytest.mark.parametrize("seed", draws(40))
def test_macro_f1(seed):
    """What it says is what its answers give, and no tree of two levels is above the bound."""
    X, y, weight, settings = larger_case(seed)
    settings = {**settings, "objective": "macro_f1", "search": "uct", "leaf_penalty": 0.0}
    before = None
    for nodes in (1, 200, 3000):
        model = OptimalTreeClassifier(3, max_nodes=nodes, **settings).fit(X, y, weight)
        own = macro_f1(y, model.predict(X), weight)
        assert own == pytest.approx(1 - model.objective_, abs=1e-9)
        assert model.bound_ <= model.objective_ + 1e-12
        if before is not None:
            assert model.objective_ <= before + 1e-12
        before = model.objective_
    settings["objective"] = "errors"
    for class_weight in (None, "balanced"):  # trees that were found otherwise keep to the bound
        other = OptimalTreeClassifier(3, max_nodes=3000, class_weight=class_weight, **settings).fit(
            X, y, weight
        )
        assert 1 - macro_f1(y, other.predict(X), weight) >= model.bound_ - 1e-9


def test_macro_f1_of_rare_classes():
    """Where errors alone forget a class that is rare."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 1.5, 2, (X[:, 1] > 0).astype(int))
    y = np.where(rng.random(300) < 0.25, rng.integers(0, 2, 300), y)
    limit = {"max_depth": 2, "search": "uct", "max_nodes": 20_000}
    errors = OptimalTreeClassifier(**limit).fit(X, y)
    f1 = OptimalTreeClassifier(**limit, objective="macro_f1").fit(X, y)
    one = np.ones(300)
    assert macro_f1(y, f1.predict(X), one) >= macro_f1(y, errors.predict(X), one)
    assert OptimalTreeClassifier(**limit, objective="macro_f1").fit(X, y).tree_ == f1.tree_


def test_what_is_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="search is 'uct', which goes on without end"):
        OptimalTreeClassifier(search="uct").fit(X, y)
    with pytest.raises(InputError, match="search is 'all'"):
        OptimalTreeClassifier(search="all").fit(X, y)
    with pytest.raises(InputError, match="objective is 'macro_f1', which does not add up"):
        OptimalTreeClassifier(objective="macro_f1").fit(X, y)
    for settings in ({"error": 0.1}, {}):
        gaps = X.copy()
        gaps[0, 0] = X[0, 0] if settings else np.nan
        with pytest.raises(InputError, match="a test may divide a row"):
            OptimalTreeClassifier(search="uct", max_nodes=9, **settings).fit(gaps, y)


def test_a_table_without_tests():
    model = OptimalTreeClassifier(4, search="uct", max_nodes=5).fit([[1.0], [1.0]], [0, 1])
    assert model.get_n_leaves() == 1 and model.objective_ == 0.5
