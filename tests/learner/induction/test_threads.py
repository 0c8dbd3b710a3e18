"""Threads in growth: the tree is that of one thread to the byte, and nothing of them is left."""

import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from test_core_against_oracle import settings, table

from hedgerow import C45Classifier, EIGClassifier, SoftTreeClassifier, UncertainDataTreeClassifier
from hedgerow.checks import MOST_ROWS, check_rows, n_cores, n_threads
from hedgerow.errors import InputError
from hedgerow.induction import Columns, core, grow
from hedgerow.induction._crew import n_at_work
from hedgerow.tree._arena import live, refuse_after
from hedgerow.tree.gates import NoiseGate, spread_of

JOBS = (2, 3, 9, -1)  # more than variables, more than cores


@pytest.fixture(autouse=True)
def nothing_left():
    """No thread outlives its growth, however that ended.

    An interrupt before the growth begins leaves it to the garbage: its frame is in a traceback.
    """
    yield
    gc.collect()
    assert n_at_work() == 0
    assert not [each for each in threading.enumerate() if each.name.startswith("growth")]


@pytest.fixture(params=[0, 200], ids=["every node", "nodes of 200 values"])
def small(request, monkeypatch):
    """Tables of any size are shared, all of their nodes or the larger ones."""
    shared = replace(core.SHARING, table=0, node=request.param, branches=3)
    monkeypatch.setattr(core, "SHARING", shared)


def same(tree, other):
    """Whether trees are equal to the byte, the unused bits of a NaN included."""
    one, two = tree.arrays(), other.arrays()
    return all(one[name].tobytes() == two[name].tobytes() for name in one)


def check(columns, **how):
    alone = grow(columns, **how)
    for n_jobs in JOBS:
        assert same(grow(columns, n_jobs=n_jobs, **how), alone), (n_jobs, how)
    return alone


@pytest.mark.parametrize("block", range(4))
def test_random_tables(small, block):
    """Ties, categories, missing values, weights; every criterion and every kind of search."""
    for seed in range(10 * block, 10 * block + 10):
        X, y, K, w, cats, rng = table(seed, n_max=200)
        X = np.column_stack([X, X[:, ::-1]])  # ties across variables
        columns, how = Columns(X, y, K, w, np.concatenate([cats, cats[::-1]])), settings(rng)
        sigma = np.where(columns.n_categories > 0, 0.0, 0.3)
        for criterion in ("information_gain", "gini", "gain_ratio"):
            check(columns, criterion=criterion, **how)
        check(columns, search=NoiseGate(sigma), **how)
        check(columns, search=NoiseGate(sigma), propagation=NoiseGate(sigma), **how)
        check(columns, candidates="midpoints", reliability="global", **how)
        check(columns, propagation=NoiseGate(sigma), gate_at="midpoint", **how)
        if columns.has_missing:
            imputed = np.nan_to_num(columns.X)[None]
            check(columns, criterion="expected_gain", imputed=imputed, **how)


@pytest.mark.parametrize("seed", range(3))
def test_uncertain_values(small, seed):
    X, y, K, w, _, rng = table(seed, n_max=60, categorical=False)
    columns = Columns(X, y, K, w)
    check(columns, pdf=spread_of(0.3, columns.ranges), n_points=20, **settings(rng))


def test_one_variable_and_none_to_divide(small):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 1)), rng.integers(0, 3, 300)
    assert check(Columns(x, y, 3)).n_leaves > 30
    assert check(Columns(np.zeros((300, 2)), y, 3)).n_leaves == 1
    assert check(Columns(x, np.zeros(300, dtype=int), 1)).n_leaves == 1


def test_growth_from_a_tree(small):
    X, y, K, w, cats, _ = table(1, n_max=200)
    columns = Columns(X, y, K, w, cats)
    check(columns, given=grow(columns, max_depth=2), max_depth=9)


def test_a_large_table_as_it_comes():
    """Sorted by threads, some nodes shared, most of them in branches."""
    X, y = make_classification(40_000, 10, n_informative=5, flip_y=0.1, random_state=0)
    alone = C45Classifier(repetition_factor=0.9).fit(X, y)
    assert alone.get_n_leaves() > 50
    for n_jobs in (2, 3):
        found = C45Classifier(repetition_factor=0.9, n_jobs=n_jobs).fit(X, y)
        assert same(found.tree_, alone.tree_)


@pytest.mark.parametrize(
    "learner",
    [
        SoftTreeClassifier(0.1, error_unit="sd"),
        EIGClassifier("mean"),
        UncertainDataTreeClassifier(0.1),
    ],
)
def test_learners_on_the_same_core(small, learner):
    X, y = make_classification(300, 4, random_state=0)
    X[::7, 1] = np.nan
    alone = learner.fit(X, y).tree_
    assert same(learner.set_params(n_jobs=2).fit(X, y).tree_, alone)


# ------------------------------------------------------------------------ beside other work


def test_threads_in_threads(small):
    """Growths of one process share the cores; each is that of one thread."""
    tables = [make_classification(400, 5, flip_y=0.2, random_state=k) for k in range(12)]
    alone = [C45Classifier().fit(X, y).tree_ for X, y in tables]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda t: C45Classifier(n_jobs=3).fit(*t).tree_, tables))
    assert all(same(one, two) for one, two in zip(found, alone, strict=True))


def test_bagging(small):
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    alone = BaggingClassifier(C45Classifier(), 6, random_state=0).fit(X, y)
    with parallel_config(backend="threading"):
        forest = BaggingClassifier(C45Classifier(n_jobs=2), 6, n_jobs=2, random_state=0).fit(X, y)
    for one, two in zip(forest.estimators_, alone.estimators_, strict=True):
        assert same(one.tree_, two.tree_)


def test_helpers_are_shared_by_growths_at_the_same_time(monkeypatch):
    """Two learners that want two threads each on two cores get one helper, not two."""
    monkeypatch.setattr(core, "n_cores", lambda: 2)
    X, y = make_classification(30_000, 10, flip_y=0.3, random_state=0)
    most = 0
    with ThreadPoolExecutor(2) as pool:
        fits = [pool.submit(C45Classifier(prune=False, n_jobs=2).fit, X, y) for _ in range(4)]
        while not all(fit.done() for fit in fits):
            most = max(most, n_at_work())
            time.sleep(0.001)
    assert 2 <= most <= 3


def _fork_and_fit(send):
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    send.send((n_at_work(), C45Classifier(n_jobs=2).fit(X, y).tree_.to_json()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_grows_too(small):
    """After a fit with threads, and while another one is under way."""
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    expected = C45Classifier(n_jobs=2).fit(X, y).tree_.to_json()
    wide, labels = make_classification(30_000, 10, flip_y=0.3, random_state=0)
    context = multiprocessing.get_context("fork")
    for meanwhile in (False, True):
        receive, send = context.Pipe(duplex=False)
        other = threading.Thread(target=C45Classifier(n_jobs=2).fit, args=(wide, labels))
        if meanwhile:
            other.start()
            while n_at_work() == 0 and other.is_alive():
                time.sleep(0.001)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
            child = context.Process(target=_fork_and_fit, args=(send,))
            child.start()
        assert receive.poll(60), "the child hangs"
        assert receive.recv() == (0, expected)
        child.join()
        if meanwhile:
            other.join()


def test_an_interrupt_ends_all():
    X, y = make_classification(60_000, 20, flip_y=0.5, random_state=0)
    columns = Columns(X, y, 2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                grow(columns, min_samples_split=2, n_jobs=2)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_each_block_of_memory_that_is_refused(small, n_jobs):
    """Whoever asked for it, the caller gets the same sentence and all memory is given back."""
    X, y = make_classification(120, 4, flip_y=0.2, random_state=0)
    columns = Columns(X, y, 2, np.linspace(0.5, 1.5, 120))
    expected, before = grow(columns), live()
    failures = 0
    for granted in range(1000):
        refuse_after(granted)
        try:
            found = grow(columns, n_jobs=n_jobs)
        except MemoryError as error:
            failures += "no memory to grow a tree from 120 rows" in str(error)
        else:
            assert same(found, expected)
            break
        finally:
            refuse_after(-1)
        assert n_at_work() == 0
    assert failures > 30 and live() == before


def test_a_system_without_threads(small, monkeypatch):
    """What cannot be started is done by those who are there."""

    def refused(self):
        raise RuntimeError("can't start new thread")

    X, y = make_classification(300, 5, random_state=0)
    columns = Columns(X, y, 2)
    alone = grow(columns)
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert same(grow(columns, n_jobs=3), alone)


# --------------------------------------------------------------------------------- bad input


def test_numbers_of_jobs():
    assert [n_threads(n) for n in (None, 1, 7)] == [1, 1, 7]
    assert n_threads(-1) == n_cores() and n_threads(-n_cores()) == n_threads(-1000) == 1
    X, y = make_classification(50, 4, random_state=0)
    for wrong in (0, 1.5, "2", True, 2000):
        with pytest.raises(InputError, match="n_jobs is"):
            C45Classifier(n_jobs=wrong).fit(X, y)
        with pytest.raises(InputError, match="n_jobs is"):
            grow(Columns(X, y, 2), n_jobs=wrong)


def test_more_rows_than_can_be_numbered():
    """Before anything is allocated: such a table need not even be there."""
    X = np.broadcast_to(np.zeros((1, 2)), (MOST_ROWS + 1, 2))
    y = np.broadcast_to(0, len(X))
    said = "X has 2147483648 rows, and a training set has at most 2147483647; draw"
    with pytest.raises(InputError, match=said):
        C45Classifier().fit(X, y)
    with pytest.raises(InputError, match=said):
        Columns(X, y, 2)
    check_rows(X[1:])
