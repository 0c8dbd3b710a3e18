"""ETE: the core against the plain reference, what evolution must do, input and output."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from effort import draws
from oracle import ete as oracle
from oracle.random_trees import random_table
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hedgerow import C45Classifier, EvolutionaryTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow
from hedgerow.search._evolution import draw_below
from hedgerow.search.ete import as_individual, as_tree, boundaries, make_evolution
from hedgerow.tree import validation

SEEDS = draws(60)


def table(seed):
    X, y, K, weight, n_categories = random_table(seed)
    counted = np.exp(np.random.default_rng(seed).normal(0, 1, K)) if seed % 3 == 0 else None
    return Columns(X, y, K, weight, n_categories, rows_per_weight=counted)


def coded(columns, thresholds):
    """Codes of the values, counted one by one."""
    return [
        [
            -1
            if np.isnan(x)
            else int(x)
            if columns.n_categories[j]
            else sum(x >= t for t in ts.tolist())
            for x in columns.X[:, j].tolist()
        ]
        for j, ts in enumerate(thresholds)
    ]


def nested(feature, tests, left, right, node=0):
    """Arrays as a nested tuple, with the test of each node as the reference has it."""
    if feature[node] < 0:
        return None
    below = (nested(feature, tests, left, right, side[node]) for side in (left, right))
    return (int(feature[node]), tests[node], *below)


def from_core(arrays, reference):
    feature, bound, left, right, *_, flags = arrays
    tests = [
        f.tolist() if reference.categories[j] else int(b)
        for j, b, f in zip(feature, bound, flags, strict=True)
    ]
    return nested(feature, tests, left, right)


def as_the_core_gives(reference, tree, width):
    """Subsets of categories as flags; those absent at a node are on its heavier side."""
    done = tree
    for path, at in oracle.nodes(tree):
        if at is None or not reference.categories[at[0]]:
            continue
        rows = reference.rows_at(tree, path)
        present = {reference.codes[at[0]][i] for i, _ in rows}
        *_, left, right = reference.divide(*at[:2], rows)
        heavier = int(left / (left + right) >= 0.5)
        flags = [int(c in at[1]) if c in present else heavier for c in range(width)]
        done = oracle.replaced(done, path, (at[0], flags, *oracle.branch(done, path)[2:]))
    return done


def both(seed, **changes):
    """The core and the reference with one small population, and what the core has for data."""
    columns = table(seed)
    rng = np.random.default_rng([seed, 7])
    settings = {
        "alpha": [0.0, 0.001, 0.02][seed % 3],
        "min_samples_split": float(rng.choice([0, 2, 4])),
        "min_samples_leaf": float(rng.choice([0, 1, 2.5])),
        "max_depth": int(rng.choice([2, 4, 50])),
        "seed": int(rng.integers(2**63)),
    } | changes
    thresholds = boundaries(columns, midpoints=bool(seed % 2))
    core = make_evolution(columns, thresholds, population_size=8, **settings)
    reference = oracle.Evolution(
        coded(columns, thresholds),
        columns.y.tolist(),
        columns.sample_weight.tolist(),
        columns.n_classes,
        [len(t) for t in thresholds],
        columns.n_categories.tolist(),
        per_weight=columns.rows_per_weight,
        **settings,
    )
    for k in range(8):
        rows = np.sort(rng.permutation(columns.n_rows)[: columns.n_rows // 2 + 1]).astype(np.int32)
        if k % 2:
            core.add_dipolar(rows)
            tree = reference.grow(reference.start(rows.tolist()))
        else:
            sample = Columns(
                columns.X[rows],
                columns.y[rows],
                columns.n_classes,
                columns.sample_weight[rows],
                columns.n_categories,
            )
            grown = grow(sample, min_samples_split=2)
            feature, bound, flags = as_individual(grown, thresholds)
            core.add_tree(feature, bound, flags)
            tests = [
                frozenset(np.flatnonzero(f).tolist()) if of_categories else int(b)
                for b, f, of_categories in zip(bound, flags, grown.is_categorical(), strict=True)
            ]
            tree = nested(feature, tests, grown.children_left, grown.children_right)
        reference.population.append(reference.tree(tree))
    return core, reference, columns, thresholds


def agree(core, reference, index, one, width):
    tree, values = one
    assert core.fitness(index) == (values[0], values[2], values[1])
    assert from_core(core.tree(index), reference) == as_the_core_gives(reference, tree, width)


def test_random_numbers():
    """Published numbers of splitmix64 for this seed; products of more than 64 bits."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert draw_below(1234567, [2**64 - 1] * 3) == [(v * (2**64 - 1)) >> 64 for v in published]
    bounds = [1, 2, 3, 1000, 2**31, 2**32 - 1, 2**32, 2**33 + 7, 2**63, 2**64 - 1] * 50
    random = oracle.Random(2**64 - 5)
    assert draw_below(2**64 - 5, bounds) == [random.below(n) for n in bounds]


@pytest.mark.parametrize("seed", SEEDS)
def test_first_trees(seed):
    core, reference, columns, _ = both(seed)
    width = max(columns.n_categories.max(initial=0), 0)
    for k, one in enumerate(reference.population):
        agree(core, reference, k, one, width)


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_evolution(seed):
    """Every generation's best values, the number of evaluations and the last population."""
    core, reference, columns, _ = both(seed)
    width = max(columns.n_categories.max(initial=0), 0)
    rates = (0.4, 0.9, 1.8, seed % 3)
    history = core.evolve(25, 12, *rates)
    expected = reference.evolve(25, 12, *rates)
    assert len(history) == len(expected)
    for row, (_, (fitness, n_leaves, accuracy)) in zip(history, expected, strict=True):
        assert (row[0], row[2], row[3]) == (fitness, n_leaves, accuracy)
    assert core.n_evaluations == reference.n_evaluations
    for k, one in enumerate(reference.population):
        agree(core, reference, k, one, width)
    assert from_core(core.best(), reference) == as_the_core_gives(reference, expected[-1][0], width)


@pytest.mark.parametrize("seed", SEEDS)
def test_finished_trees(seed):
    """No empty side, weights that add up, limits kept; fitness from the tree's own weights."""
    core, reference, columns, thresholds = both(seed, min_samples_leaf=1.0, max_depth=5)
    history = core.evolve(20, 20, 0.3, 0.9, 2.0, 1)
    tree = as_tree(core.best(), thresholds)
    validation.check_arrays(tree)
    weight = tree.class_weight.sum(axis=1)
    assert (weight > 0).all()
    inner = np.flatnonzero(tree.feature >= 0)
    children = tree.class_weight[tree.children_left[inner]]
    children = children + tree.class_weight[tree.children_right[inner]]
    np.testing.assert_allclose(tree.class_weight[inner], children, atol=1e-9)
    assert tree.depth <= 5
    per_weight = columns.rows_per_weight
    counted = weight if per_weight is None else tree.class_weight @ per_weight
    assert (counted[1:] >= 1 - 1e-9).all()
    assert (counted[inner] >= reference.min_split).all()
    assert ((tree.share_left[inner] > 0) & (tree.share_left[inner] < 1)).all()
    largest = tree.class_weight[tree.is_leaf()].max(axis=1).sum()
    fitness = largest / columns.total_weight - reference.alpha * tree.n_leaves
    assert history[-1, 0] == pytest.approx(fitness, abs=1e-12)
    # The one traversal sends the training rows where the core did.
    shares = tree.shares(columns.X, evaluation=None).toarray() * columns.sample_weight[:, None]
    for c in range(columns.n_classes):
        np.testing.assert_allclose(
            shares[columns.y == c].sum(axis=0), tree.class_weight[:, c], atol=1e-9
        )


@pytest.mark.parametrize("seed", draws(30))
def test_thresholds_are_between_values_of_different_classes(seed):
    columns = table(seed)
    for j, (values, middles) in enumerate(
        zip(boundaries(columns), boundaries(columns, midpoints=True), strict=True)
    ):
        x, y = columns.X[:, j], columns.y
        known = np.unique(x[~np.isnan(x)])
        pairs = [(a, b) for a, b in pairwise(known) if len(set(y[x == a]) | set(y[x == b])) > 1]
        if columns.n_categories[j]:
            pairs = []
        assert values.tolist() == [b for _, b in pairs]
        assert all(a < t < b for t, (a, b) in zip(middles, pairs, strict=True))


def chequered(n=400, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, (X[:, 0] > 0) ^ (X[:, 1] > 0)


def test_finds_what_greedy_search_misses():
    """Exclusive or: the greedy tree spends its leaves elsewhere."""
    X, y = chequered(seed=1)
    model = EvolutionaryTreeClassifier(alpha=0.01, random_state=0).fit(X, y)
    assert model.get_n_leaves() == 4
    assert model.score(X, y) == 1.0
    assert C45Classifier(max_depth=2).fit(X, y).score(X, y) < 0.8


@pytest.mark.parametrize(("n", "n_values", "depth"), [(50, 40, 2), (40, 4, 3)])
def test_comes_near_the_best_tree_there_is(n, n_values, depth):
    """Against all trees of two or three levels on noisy tables."""
    missing, missing_greedily = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, n_values, (n, 2)).astype(float)
        y = ((X[:, 0] > n_values // 2) ^ (X[:, 1] > n_values // 3)) ^ (rng.random(n) < 0.2)
        columns = Columns(X, y, 2)
        thresholds = boundaries(columns)
        reference = oracle.Evolution(
            coded(columns, thresholds), y.tolist(), [1.0] * n, 2, [len(t) for t in thresholds],
            [0, 0], alpha=0.01, min_samples_split=4, min_samples_leaf=1, max_depth=depth, seed=0,
        )  # fmt: skip
        best = reference.optimum(reference.start())
        model = EvolutionaryTreeClassifier(0.01, max_depth=depth, random_state=seed).fit(X, y)
        missing.append(best - model.fitness_)
        greedy = C45Classifier(max_depth=depth).fit(X, y)
        missing_greedily.append(best - (greedy.score(X, y) - 0.01 * greedy.get_n_leaves()))
    assert min(missing) > -1e-9
    assert np.count_nonzero(np.array(missing) < 1e-9) >= 8
    assert np.mean(missing) < 0.1 * np.mean(missing_greedily)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_never_gets_worse_with_elitism(seed):
    X, y = load_wine(return_X_y=True)
    model = EvolutionaryTreeClassifier(n_generations=150, random_state=seed).fit(X, y)
    history = model.history_
    assert list(history) == ["generation", "best_fitness", "mean_fitness", "n_leaves", "accuracy"]
    assert history.best_fitness.is_monotonic_increasing
    assert history.generation.tolist() == list(range(model.n_generations_ + 1))
    assert (history.mean_fitness <= history.best_fitness + 1e-12).all()
    last = history.iloc[-1]
    assert last.n_leaves == model.get_n_leaves()
    assert last.accuracy == pytest.approx(model.score(X, y))
    assert model.fitness_ == pytest.approx(last.accuracy - 0.001 * last.n_leaves)
    assert 64 < model.n_evaluations_ <= 2 * 64 * 151


def test_a_larger_alpha_gives_fewer_leaves():
    X, y = load_breast_cancer(return_X_y=True)
    leaves = [
        EvolutionaryTreeClassifier(alpha, random_state=0).fit(X, y).get_n_leaves()
        for alpha in (0.0, 0.002, 0.01, 0.05, 0.6)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[2] > leaves[-1] == 1


def test_ends_when_nothing_changes_or_after_so_many_generations():
    X, y = load_iris(return_X_y=True)
    model = EvolutionaryTreeClassifier(n_generations_no_change=7, random_state=0).fit(X, y)
    fitness = model.history_.best_fitness
    assert (fitness.iloc[-8:] == fitness.iloc[-1]).all()
    assert fitness.iloc[-9] < fitness.iloc[-1]
    none = EvolutionaryTreeClassifier(n_generations=0, random_state=0).fit(X, y)
    assert none.n_generations_ == 0
    assert none.n_evaluations_ == 64
    one = EvolutionaryTreeClassifier(n_generations=1, random_state=0).fit(X, y)
    assert one.n_generations_ == 1


def test_the_budget_is_within_that_of_uct():
    defaults = EvolutionaryTreeClassifier().get_params()
    assert defaults["population_size"] * defaults["n_generations"] <= 200_000


def test_missing_values():
    X, y = chequered()
    gaps = X.copy()
    gaps[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    model = EvolutionaryTreeClassifier(alpha=0.01, random_state=0).fit(gaps, y)
    assert model.score(X, y) > 0.95
    assert model.get_n_leaves() <= 6
    path = model.decision_path(np.array([[np.nan, np.nan]])).toarray()
    assert path.sum() == model.tree_.n_nodes
    assert np.allclose(model.predict_proba(np.array([[np.nan, np.nan]])).sum(), 1.0)


def test_categorical():
    """Exclusive or of two subsets of five categories each."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, (2, 500))
    y = np.isin(a, [0, 3]) ^ np.isin(b, [1, 2, 4])
    X = pd.DataFrame(
        {"a": pd.Categorical.from_codes(a, list("pqrst")), "b": pd.Categorical(b.astype(str))}
    )
    model = EvolutionaryTreeClassifier(alpha=0.01, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.get_n_leaves() == 4
    assert model.tree_.is_categorical().sum() == 3
    assert "{p, s}" in model.tree_.to_text() or "{q, r, t}" in model.tree_.to_text()
    coded = np.column_stack([a, b])
    by_code = clone(model).set_params(categorical_features=[0, 1]).fit(coded, y)
    assert by_code.tree_ == model.tree_


def test_more_categories_than_a_word_has_bits():
    rng = np.random.default_rng(0)
    a = np.repeat(np.arange(150), 4)
    y = rng.integers(0, 2, 150)[a]
    model = EvolutionaryTreeClassifier(categorical_features=[0], random_state=0)
    model.fit(a[:, None].astype(float), y)
    assert model.score(a[:, None].astype(float), y) > 0.95


def test_seeds():
    X, y = load_breast_cancer(return_X_y=True)

    def fit(seed):
        return EvolutionaryTreeClassifier(n_generations=20, random_state=seed).fit(X, y).tree_

    assert fit(1) == fit(1)
    assert fit(1) == fit(np.random.RandomState(1))
    assert fit(1) != fit(2)
    assert fit(None) != fit(None)


@pytest.mark.parametrize("kind", ["greedy", "dipolar", "mixed"])
def test_first_trees_of_each_kind(kind):
    X, y = load_wine(return_X_y=True)
    model = EvolutionaryTreeClassifier(initial_trees=kind, initial_sample=0.5, random_state=0).fit(
        X, y
    )
    assert model.score(X, y) > 0.97


def test_limits():
    X, y = load_breast_cancer(return_X_y=True)
    model = EvolutionaryTreeClassifier(
        alpha=0, max_depth=3, min_samples_leaf=20, min_samples_split=60, random_state=0
    ).fit(X, y)
    weight = model.tree_.class_weight.sum(axis=1)
    assert model.get_depth() <= 3
    assert weight.min() >= 20
    assert weight[model.tree_.feature >= 0].min() >= 60
    assert EvolutionaryTreeClassifier(max_depth=0).fit(X, y).get_n_leaves() == 1


def test_nothing_to_split():
    assert EvolutionaryTreeClassifier().fit([[1.0], [2.0]], [1, 1]).get_n_leaves() == 1
    assert EvolutionaryTreeClassifier().fit([[1.0]], [1]).get_n_leaves() == 1
    alike = EvolutionaryTreeClassifier(random_state=0).fit([[1.0]] * 6, [0, 1, 0, 1, 1, 1])
    assert alike.get_n_leaves() == 1
    assert alike.predict([[1.0]]).tolist() == [1]
    unknown = EvolutionaryTreeClassifier(random_state=0).fit([[np.nan]] * 6, [0, 1, 0, 1, 1, 1])
    assert unknown.get_n_leaves() == 1


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"alpha": -0.1}, ["alpha is -0.1", "at least 0"]),
        ({"alpha": "x"}, ["alpha is 'x'", "give a number"]),
        ({"population_size": 1}, ["population_size is 1", "at least 2"]),
        ({"population_size": 2.5}, ["population_size is 2.5", "whole number"]),
        ({"n_generations": -1}, ["n_generations is -1", "at least 0"]),
        ({"n_generations_no_change": 0}, ["n_generations_no_change is 0", "at least 1"]),
        ({"crossover_rate": 1.5}, ["crossover_rate is 1.5", "at most 1"]),
        ({"mutation_rate": np.nan}, ["mutation_rate is nan", "give a number"]),
        ({"selection_pressure": 0.5}, ["selection_pressure is 0.5", "at least 1 and at most 2"]),
        ({"elitism": 64}, ["elitism is 64", "at most 63"]),
        ({"initial_trees": "random"}, ["initial_trees is 'random'", "'mixed'"]),
        ({"initial_sample": 0}, ["initial_sample is 0", "above 0"]),
        ({"min_samples_split": -1}, ["min_samples_split is -1", "at least 0"]),
        ({"min_samples_leaf": -1}, ["min_samples_leaf is -1", "at least 0"]),
        ({"max_depth": 1.5}, ["max_depth is 1.5", "whole number"]),
        ({"candidates": "best"}, ["candidates is 'best'", "'midpoints'"]),
        ({"smoothing": 1}, ["smoothing is 1", "True or False"]),
    ],
)
def test_parameters_out_of_range(setting, words):
    with pytest.raises(InputError) as caught:
        EvolutionaryTreeClassifier(**setting).fit([[1.0], [2.0]], [0, 1])
    for word in words:
        assert word in str(caught.value)
