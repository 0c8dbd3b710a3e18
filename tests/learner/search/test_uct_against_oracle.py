"""The incremental core grows the same search tree as the reference, for the same draws."""

import numpy as np
import pytest
from effort import examples
from hypothesis import Phase, given
from hypothesis import strategies as st
from oracle.induction import Reference
from oracle.random_trees import seeds
from oracle.uct import SearchReference

from hedgerow.induction._columns import Columns
from hedgerow.search._uct import Search

POLICIES = {"vs": 0, "c45": 1}
RULES = {"ucb": 0, "simple_regret": 1, "best": 2}


def tables(seed, n=40, n_validation=25):
    """Induction and validation sets with ties, categories, missing values and weights.

    Where two tests could gain the same for different reasons, weights are drawn, so that no tie
    is left to rounding.
    """
    rng = np.random.default_rng(seed)
    m, K = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    total = n + n_validation
    X = rng.normal(4.0, 2.0, (total, m))
    n_categories = np.zeros(m, dtype=np.int32)
    style = int(rng.integers(0, 3))
    if style:
        j = int(rng.integers(m))
        if style == 1:
            X[:, j] = rng.integers(0, 5, total)
        else:
            n_categories[j] = int(rng.integers(2, 6))
            X[:, j] = rng.integers(0, n_categories[j], total)
    missing = rng.random() < 0.4
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    y = rng.integers(0, K, total)
    signal = np.nan_to_num(X[:, 0]) > 4
    y = np.where(rng.random(total) < 0.6, signal.astype(int), y)
    weight = None
    if missing or style == 2 or rng.random() < 0.3:
        weight = rng.uniform(0.5, 3.0, n)
    return X[:n], y[:n], weight, X[n:], y[n:], K, n_categories


def pair(seed, **settings):
    """Core and reference on the same data, settings and draws."""
    X, y, weight, X_val, y_val, K, n_categories = tables(seed)
    rng = np.random.default_rng([seed, 1])
    policy = str(rng.choice(list(POLICIES)))
    rule = str(rng.choice(list(RULES), p=[0.6, 0.2, 0.2]))
    interval = int(rng.choice([0, 15, 40]))
    depth = int(rng.integers(0, 4))
    tree_pruning = bool(rng.random() < 0.6)
    k = int(rng.integers(1, 5))
    per_variable = int(rng.integers(1, k + 1))
    confidence = float(rng.choice([0.05, 0.25, 0.8]))
    laplace, raising = bool(rng.random() < 0.7), bool(rng.random() < 0.7)
    min_leaf = float(rng.choice([1, 2]))
    max_depth = int(rng.integers(1, 6))
    midpoints = bool(rng.random() < 0.3)
    repetition = float(rng.choice([1.0, 0.6]))
    cp = float(rng.choice([1.0, 0.1]))
    widening = float(rng.choice([0.0, 0.0, 0.4, 0.7]))
    greedy = bool(rng.random() < 0.5)
    per_weight = np.exp(rng.normal(0, 1, K)) if weight is not None and rng.random() < 0.5 else None
    core = Search(
        Columns(X, y, K, weight, n_categories, rows_per_weight=per_weight),
        np.asfortranarray(X_val),
        y_val.astype(np.int32),
        np.ones(len(y_val)),
        policy=POLICIES[policy],
        value_interval=interval,
        value_depth=depth,
        greedy=greedy,
        tree_pruning=tree_pruning,
        n_candidates=k,
        per_variable=per_variable,
        exploration=cp,
        rule=RULES[rule],
        widening=widening,
        confidence=confidence,
        laplace=laplace,
        raising=raising,
        min_split=4,
        min_leaf=min_leaf,
        max_depth=max_depth,
        midpoints=midpoints,
        repetition_factor=repetition,
        max_states=0,
        max_bytes=0,
        seed=seed,
    )
    reference = SearchReference(
        Reference(X, y, K, weight, n_categories, min_split=4, min_leaf=min_leaf,
                  max_depth=max_depth, midpoints=midpoints, repetition=repetition,
                  per_weight=per_weight),
        X_val, y_val, np.ones(len(y_val)), seed=seed, policy=policy, interval=interval,
        depth=depth, tree_pruning=tree_pruning, n_candidates=k, per_variable=per_variable,
        cp=cp, rule=rule, widening=widening, confidence=confidence, laplace=laplace,
        raising=raising, greedy=greedy,
    )  # fmt: skip
    return core, reference


def check_same(core, reference):
    table = core.table_of_states()
    nodes = sorted(reference.all_nodes(), key=lambda node: node.born)
    assert core.n_iterations == reference.iterations
    assert len(nodes) == len(table["state"])
    row = {id(node): i for i, node in enumerate(nodes)}
    held = core.best_actions
    used = sorted({int(a) for a in table["action"] if a >= 0} | set(held))
    tests = core.table_of_actions(used)
    for i, node in enumerate(nodes):
        assert table["parent"][i] == (-1 if node.parent is None else row[id(node.parent)])
        assert table["depth"][i] == node.depth
        assert table["n_visits"][i] == node.n
        assert table["value"][i] == pytest.approx(node.v, abs=1e-9)
        assert table["f1"][i] == pytest.approx(reference.f1(reference.tree(node.state)), abs=1e-9)
        if node.parent is not None:
            a = used.index(int(table["action"][i]))
            leaf, (j, threshold, subset) = node.state[-1]
            assert tests["feature"][a] == j
            if threshold is None:
                assert set(np.flatnonzero(tests["subset"][a])) == set(subset)
            else:
                assert tests["threshold"][a] == threshold
            above = tests["above"][a]
            assert (above < 0) == (leaf == ())
            if leaf:
                assert tests["is_left"][a] == (leaf[-1][1] == 0)
                assert tests["feature"][above] == leaf[-1][0][0]
    best = reference.best[1]
    assert [tests["feature"][used.index(a)] for a in held] == [test[0] for _, test in best]
    for a, (_, (_, threshold, _)) in zip(held, best, strict=True):
        assert threshold is None or tests["threshold"][used.index(a)] == threshold


@examples(80, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(seeds, st.integers(min_value=1, max_value=120))
def test_the_search_tree_is_that_of_the_reference(seed, n):
    core, reference = pair(seed)
    core.run(n)
    reference.run(n)
    check_same(core, reference)


def every_state(reference, state=(), leaves=((),)):
    """All trees that the actions reach, as sets."""
    found = {frozenset(state)}
    for leaf in leaves:
        for test in reference.actions(leaf):
            after = [one for one in leaves if one != leaf]
            after += [(*leaf, (test, 0)), (*leaf, (test, 1))]
            child = (*state, (leaf, test))
            if frozenset(child) not in found:
                found |= every_state(reference, child, tuple(after))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("policy", list(POLICIES))
def test_on_tiny_sets_the_best_tree_is_that_of_exhaustive_enumeration(seed, policy):
    X, y, _, X_val, y_val, K, n_categories = tables(seed, n=14, n_validation=20)
    weight = np.random.default_rng([seed, 2]).uniform(0.5, 3.0, len(y))
    core = Search(
        Columns(X, y, K, weight, n_categories), np.asfortranarray(X_val),
        y_val.astype(np.int32), np.ones(len(y_val)), policy=POLICIES[policy], value_interval=0,
        value_depth=0, greedy=False, tree_pruning=False, n_candidates=2, per_variable=2,
        exploration=1.0, rule=0, widening=0.0, confidence=0.25, laplace=True, raising=True,
        min_split=4, min_leaf=1, max_depth=2, midpoints=False, repetition_factor=1.0,
        max_states=0, max_bytes=0, seed=seed,
    )  # fmt: skip
    assert not core.run(100_000) and core.exhausted
    reference = SearchReference(
        Reference(X, y, K, weight, n_categories, max_depth=2), X_val, y_val,
        np.ones(len(y_val)), seed=seed, n_candidates=2,
    )  # fmt: skip
    states = every_state(reference)
    f1 = [reference.f1(reference.tree(tuple(state))) for state in states]
    table = core.table_of_states()
    assert len(table["f1"]) == len(states)
    np.testing.assert_allclose(np.sort(table["f1"]), np.sort(f1), atol=1e-12)
    assert table["f1"].max() == pytest.approx(max(f1))
