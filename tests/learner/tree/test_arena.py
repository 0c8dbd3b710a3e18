"""Memory of the cores: nothing outlives its object, and nothing grows that should not."""

import gc
from copy import copy

import numpy as np
import pytest
from oracle.random_trees import random_tree
from sklearn.datasets import load_iris

from hedgerow import EvolutionaryTreeClassifier, OptimalTreeClassifier, UCTTreeClassifier
from hedgerow.induction import Columns
from hedgerow.induction.core import grow, prune
from hedgerow.search.ete import boundaries, make_evolution
from hedgerow.structure import TreeEditDistance
from hedgerow.tree._arena import live, refuse_after
from hedgerow.tree.gates import spread_of
from hedgerow.uncertainty.curves import gain_curve

IRIS = load_iris(return_X_y=True)
GAPS = np.where(np.arange(600).reshape(150, 4) % 17, IRIS[0], np.nan)
MIXED, X, Y, COLUMNS = random_tree(0)  # three classes, categories, missing values
TREES = [grow(COLUMNS, max_depth=d) for d in range(4)]


class Broken:
    """A noise model that works until it is checked, and then no more."""

    def cdf(self, d):
        if np.ndim(d):
            raise ZeroDivisionError("broken model")
        return float(np.clip(0.5 + d, 0, 1))


def uct(policy, **settings):
    return UCTTreeClassifier(
        policy=policy, n_iterations=30, random_state=1, value_pruning_interval=7, **settings
    ).fit(*IRIS)


WORK = {
    "growth": lambda: grow(Columns(*IRIS, 3), min_samples_split=2),
    "soft search": lambda: grow(Columns(*IRIS, 3), search=0.1),
    "propagation": lambda: grow(COLUMNS, propagation=0.3),
    "udt": lambda: grow(COLUMNS, pdf=spread_of(0.2, COLUMNS.ranges)),
    "pruning": lambda: prune(TREES[-1], COLUMNS, confidence=0.9),
    "soft pruning": lambda: prune(TREES[-1], COLUMNS, propagation=0.3),
    "prediction": lambda: copy(MIXED).predict_proba(X, None),  # which kept no traversal
    "curve": lambda: gain_curve(IRIS[0][:, 2], IRIS[1], sigma=0.1),
    "uct": lambda: uct("vs"),
    "uct c45": lambda: uct("c45"),
    "uct c45b": lambda: uct("c45b"),
    "uct widening": lambda: uct("vs", widening=0.5),
    "ete": lambda: EvolutionaryTreeClassifier(
        n_generations=5, population_size=8, random_state=1
    ).fit(*IRIS),
    "best tree": lambda: OptimalTreeClassifier(2)._search(*IRIS, None, prove=True)[0].proof(),
    "best of three": lambda: OptimalTreeClassifier(3)._search(*IRIS, None, prove=True)[0].proof(),
    "best of gaps": lambda: OptimalTreeClassifier(2)._search(GAPS, IRIS[1], None, prove=True),
    "distance": lambda: TreeEditDistance().fit(COLUMNS.X, COLUMNS.y).pairwise(TREES),
}


def check(before):
    """As many arenas live as before, and no block without one."""
    if live() != before:
        gc.collect()
    assert live() == before


@pytest.fixture(autouse=True)
def grant_again():
    yield
    refuse_after(-1)


@pytest.mark.parametrize("name", WORK)
def test_nothing_is_left_when_memory_ends_anywhere(name):
    """Every block in turn is refused: an error, no crash, and no block without an owner."""
    work = WORK[name]
    work()  # caches fill
    gc.collect()
    before = live()
    refused = 0
    for n in [*range(45), *range(45, 4000, 211)]:
        refuse_after(n)
        try:
            work()
        except MemoryError as error:
            assert str(error).startswith("no memory ")
            refused += 1
        else:
            break
        finally:
            refuse_after(-1)
        check(before)
    assert refused >= 2
    work()
    check(before)


@pytest.mark.parametrize("call", [grow, prune])
def test_a_model_that_fails_leaves_nothing(call):
    """The error of a noise model of the user's comes out as it is."""
    columns = Columns(*IRIS, 3)
    given = (grow(columns), columns) if call is prune else (columns,)
    gc.collect()
    before = live()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match="broken model"):
            call(*given, propagation=Broken())
    check(before)


def test_states_that_are_pruned_give_their_memory_back():
    """Each opened state holds two blocks, and none once value-based pruning has removed it."""
    model = UCTTreeClassifier(
        policy="vs", n_iterations=40, random_state=1, value_pruning_interval=20,
        value_pruning_depth=1, exploration=0.1,
    ).fit(*IRIS)  # fmt: skip
    search = model._search
    fixed = search.memory.n_blocks - 2 * search.n_opened
    for _ in range(6):
        model.continue_search(60)
        assert search.memory.n_blocks == fixed + 2 * search.n_opened
    assert search.n_created > search.n_alive + 50


def test_an_evolution_does_not_grow():
    """Individuals are overwritten: blocks stay the same, and bytes those of the largest trees."""
    columns = Columns(*IRIS, 3)
    thresholds = boundaries(columns)
    evolution = make_evolution(
        columns, thresholds, alpha=0.001, population_size=10, min_samples_split=2.0,
        min_samples_leaf=1.0, max_depth=6, seed=3,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    for _ in range(10):
        evolution.add_dipolar(rng.choice(columns.n_rows, 40, replace=False).astype(np.int32))
    run = (400, 10**6, 0.5, 0.5, 1.5, 1)
    evolution.evolve(*run)
    blocks, most = evolution.memory.n_blocks, evolution.memory.n_bytes
    evolution.evolve(*run)
    evolution.best()
    assert evolution.memory.n_blocks == blocks
    assert evolution.memory.n_bytes <= 1.5 * most
