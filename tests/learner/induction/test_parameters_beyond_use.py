"""Numbers beyond use, for every parameter of every estimator and public function.

Each ends in a sentence that names the parameter, or in a result. Before, some ended in an
OverflowError of the core or a MemoryError, and some never did.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import ClassifierMixin, clone

import hedgerow
from hedgerow import (
    checks,
    data,
    drawing,
    evaluation,
    evidential,
    induction,
    structure,
    survival,
    uncertainty,
)
from hedgerow.drawing import survival as drawing_survival
from hedgerow.errors import DownloadError, HedgerowError, HedgerowWarning, InputError
from hedgerow.evaluation import shares
from hedgerow.uncertainty import RelativeNoise

resource = pytest.importorskip("resource")

WILD = [
    *(1e30, 10**30, 1e300, 10**400, float("inf"), float("-inf"), float("nan"), 1e-300, 5e-324),
    *(2**31, 2**62, 2**63, -(2**63), -1, 0, 2.5, np.float32(1e30), np.int64(-(2**63))),
    *(True, "3", None, 1 + 2j, [3]),
]
SECONDS = 5.0  # of the processor: other work on the machine does not count
BYTES = 4 * 2**30

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 2)) + 3.0
Y = (X[:, 0] + RNG.normal(size=24) > 3.0).astype(int)
X[5, 1] = np.nan
SMALL = {"n_iterations": 20, "n_generations": 2, "population_size": 4}
SOFT = ("search", "propagation", "evaluation")


@contextlib.contextmanager
def bounded():
    """Little time and memory, and no warning but our own."""

    def too_long(number, frame):
        raise TimeoutError

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, before[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", HedgerowWarning)
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGPROF, handler)


pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="needs a limit of memory, as Linux has it"
)


def surprises(call, names):
    """What each wild value of each parameter came to, where it is neither a result nor named."""
    found = []
    with bounded():
        for name in names:
            for value in WILD:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                try:
                    call(**{name: value})
                except HedgerowError as error:
                    if name not in str(error) or "\n" in str(error):
                        found.append(f"{name}={value!r}: {error}")
                except Exception as error:
                    found.append(f"{name}={value!r}: {type(error).__name__}: {error}")
    return found


def estimators():
    """One of each class, and one with noise in each of its parts."""
    for name in hedgerow.__all__:
        kind = getattr(hedgerow, name)
        if not (isinstance(kind, type) and issubclass(kind, ClassifierMixin)):
            continue
        names = kind().get_params()
        small = {key: value for key, value in SMALL.items() if key in names}
        yield pytest.param(kind(**small), id=name)
        if set(SOFT) <= set(names):
            yield pytest.param(kind(**small, **dict.fromkeys(SOFT, 0.1)), id=f"{name}-soft")


@pytest.mark.parametrize("estimator", list(estimators()))
def test_estimators(estimator):
    given = (X, Y)
    if isinstance(estimator, hedgerow.EvidentialTreeClassifier):
        given = (hedgerow.EvidentialData.from_gamma(X, Y, 0.1, 0.1),)

    def fit(**settings):
        fitted = clone(estimator).set_params(**settings).fit(*given)
        assert np.allclose(fitted.predict_proba(X).sum(axis=1), 1.0)

    # Names or numbers of columns have sentences of their own.
    # Those of a former name speak of today's.
    names = set(estimator.get_params()) - {"categorical_features", "leaf_price"}
    assert not surprises(fit, names)


C45 = hedgerow.C45Classifier(prune=False)
TREES = [clone(C45).set_params(max_depth=d).fit(X, Y).tree_ for d in (1, 2, 1, 3)]
TREE = TREES[-1]
EDITS = structure.TreeEditDistance().fit(X, Y)
DISTANCES = EDITS.pairwise(TREES)
TIME, EVENT = np.arange(1.0, 25.0), Y
GROUPS = survival.risk_groups(X, TIME, EVENT, horizon=9.0, random_state=0)
ENTRY = data.load_registry(Path(__file__).parents[3] / "config/datasets.yaml")["wine"]
TABLE = data.TidyTable("made", pd.DataFrame(X), Y, ["0", "1"], "class")
SEARCH = hedgerow.UCTTreeClassifier(n_iterations=20, random_state=0).fit(X, Y)


def plot(**settings):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawing.plot_tree(TREE, **settings)
    pyplot.close("all")


def plot_curves(**settings):
    axes = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    drawing_survival.plot_curves(axes, TIME, EVENT, EVENT, **settings)


def fetch(**settings):
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(DownloadError):
        data.fetch(ENTRY, folder, kinds=(), **settings)


#: Calls of the public functions that take numbers, and of methods.
CALLS = {
    "best_first": lambda **more: evidential.best_first(TREE, **more),
    "evidential_error_rate": lambda **more: evidential.evidential_error_rate(
        [[1.0, 0.5], [0.2, 1.0]], [0, 0], **more
    ),
    "gain_curve": lambda sigma=0.1, **more: uncertainty.gain_curve(X[:, 0], Y, sigma, **more),
    "resolve_noise": lambda spec=0.1, **more: uncertainty.resolve_noise(
        spec, np.ones(2), np.zeros(2, dtype=int), name="spec", **more
    ),
    "laplacian_eigenmaps": lambda **more: structure.laplacian_eigenmaps(DISTANCES, **more),
    "cluster": lambda n_clusters=2, **more: structure.cluster(DISTANCES, n_clusters, **more),
    "prototypes": lambda n_each: structure.prototypes(DISTANCES, [0, 0, 1, 1], n_each),
    "farthest_first": lambda n=2, **more: structure.farthest_first(DISTANCES, n, **more),
    "select_diverse": lambda k=2, **more: structure.select_diverse(TREES, k, DISTANCES, **more),
    "class_probability_distance": lambda **more: structure.class_probability_distance(
        TREES, X, **more
    ),
    "calibrate_confidence": lambda tolerance: evaluation.calibrate_confidence(
        lambda c: 20 * c, tolerance=tolerance
    ),
    "critical_difference": lambda n_groups=3, n_blocks=4, **more: evaluation.critical_difference(
        n_groups, n_blocks, **more
    ),
    "smallest_p": evaluation.smallest_p,
    "share_intervals": lambda **more: shares.share_intervals(Y, Y[::-1], **more),
    "deviations": lambda factor: data.deviations(factor, [1.0, 2.0]),
    "add_noise": lambda factor: data.add_noise(X, factor, [1.0, 2.0], RNG),
    "add_family_noise": lambda factor: data.add_family_noise(X, "laplace", factor, [1, 2], RNG),
    "rng": lambda seed=1, repeat=0: data.rng(seed, "soft", "wine", repeat, "x"),
    "seed_sequence": lambda seed=1, repeat=0: data.seed_sequence(seed, "soft", "wine", repeat, "x"),
    "fetch": fetch,
    "split": lambda repeat=0, seed=1, **more: data.split(
        TABLE, repeat, seed=seed, experiment="soft", **more
    ),
    "split_groups": lambda repeat=0, seed=1, **more: data.split_groups(
        dataclasses.replace(TABLE, group=np.arange(len(TABLE)).astype(str)),
        repeat,
        seed=seed,
        experiment="soft",
        **more,
    ),
    "folds": lambda n_folds: data.folds(Y, n_folds, RNG),
    "n_folds_for": lambda n_folds: data.n_folds_for(Y, n_folds),
    "horizon_labels": lambda horizon=9, cause=1: survival.horizon_labels(
        TIME, EVENT, horizon, cause=cause
    ),
    "censoring_weights": lambda horizon=9, **more: survival.censoring_weights(
        TIME, EVENT, horizon, **more
    ),
    "gray_test": lambda **more: survival.gray_test(TIME, EVENT, TIME > 9, **more),
    "group_survival": lambda **more: survival.group_survival(TIME, EVENT, Y, [5.0], **more),
    "concordance": lambda **more: survival.concordance(TIME, EVENT, -TIME, **more),
    "time_dependent_auc": lambda **more: survival.time_dependent_auc(
        TIME, EVENT, TIME, EVENT, -TIME, [5.0, 9.0], **more
    ),
    "integrated_brier_score": lambda **more: survival.integrated_brier_score(
        TIME, EVENT, TIME, EVENT, np.full((24, 2), 0.5), [5.0, 9.0], **more
    ),
    "leaf_survival": lambda **more: survival.leaf_survival(TREE, X, TIME, EVENT, **more),
    "risk_groups": lambda horizon=9.0, **more: survival.risk_groups(
        X, TIME, EVENT, horizon=horizon, **more
    ),
    "separation": lambda **more: survival.separation(GROUPS, TIME, EVENT, **more),
    "permuted_separation": lambda horizon=9.0, **more: survival.permuted_separation(
        X, TIME, EVENT, horizon=horizon, seeds=[0], **more
    ),
    "permutation_test": lambda horizon=9.0, n_permutations=1, **more: survival.permutation_test(
        GROUPS, X, TIME, EVENT, horizon=horizon, n_permutations=n_permutations, **more
    ),
    "bootstrap_validation": lambda horizon=9.0, n_bootstraps=1, **more: (
        survival.bootstrap_validation(
            GROUPS, X, TIME, EVENT, horizon=horizon, n_bootstraps=n_bootstraps, **more
        )
    ),
    "restricted_mean": lambda horizon=9.0, **more: survival.restricted_mean(
        TIME, EVENT, horizon, **more
    ),
    "brier_score": lambda horizon=9.0, **more: survival.brier_score(
        TIME, EVENT, np.full(len(TIME), 0.5), horizon, **more
    ),
    "performance": lambda horizon=9.0, n_bootstraps=1, **more: survival.performance(
        TIME, EVENT, np.full(len(TIME), 0.5), horizon, n_bootstraps=n_bootstraps, **more
    ),
    "compare_groups": lambda landmark=4.0, **more: survival.compare_groups(
        TREE, X, TIME, EVENT, TIME / 2, landmark=landmark, **more
    ),
    "plot_tree": plot,
    "plot_curves": plot_curves,
    "guideline_page": lambda horizon=9.0, **more: drawing_survival.guideline_page(
        TREE, X, TIME, EVENT, horizon=horizon, title="made up", **more
    ),
    "plot_forest": lambda **more: drawing.plot_forest(TREES, X, Y, distance=DISTANCES, **more),
    "Tree.to_text": TREE.to_text,
    "Tree.to_dot": TREE.to_dot,
    "Tree.to_json": TREE.to_json,
    "Tree.importances": TREE.importances,
    "UCTTreeClassifier.forest": SEARCH.forest,
    "UCTTreeClassifier.continue_search": SEARCH.continue_search,
    "TreeEditDistance.pairwise": lambda n_jobs: EDITS.pairwise(TREES, n_jobs=n_jobs),
    "ShapedNoise": lambda sigma: uncertainty.ShapedNoise("normal", sigma),
    "CategoryNoise": lambda probability: uncertainty.CategoryNoise(
        {0: np.array([0.5, 0.5])}, probability
    ),
}
#: Without validation, as they say themselves.
UNCHECKED = {"grow", "prune"}


def numbers(function):
    """Parameters of a function that are annotated as numbers."""
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if {"int", "float"} & set(str(parameter.annotation).replace("|", " ").split())
    ]


def functions():
    """Public functions that take numbers."""
    rooms = (data, induction, uncertainty, structure, survival, evaluation, drawing, evidential)
    # Not exported by its room, whose head the tracked references were made with.
    for room in (*rooms, shares, drawing_survival):
        for name in room.__all__:
            function = getattr(room, name)
            if inspect.isfunction(function) and numbers(function) and name not in UNCHECKED:
                yield name, function


#: Numbers of methods and classes, and those that are no function's by its annotations.
MORE = {
    "resolve_noise": ["spec"],
    "Tree.to_text": ["decimals"],
    "Tree.to_dot": ["decimals"],
    "Tree.to_json": ["indent"],
    "Tree.importances": ["n_features"],
    "UCTTreeClassifier.forest": ["n"],
    "UCTTreeClassifier.continue_search": ["n_more_iterations"],
    "TreeEditDistance.pairwise": ["n_jobs"],
    "ShapedNoise": ["sigma"],
    "CategoryNoise": ["probability"],
}
NAMED = {name: numbers(function) for name, function in functions()}


def test_every_public_function_is_called():
    assert set(CALLS) == set(NAMED) | set(MORE)


@pytest.mark.parametrize("name", CALLS)
def test_functions(name, monkeypatch):
    if name == "plot_forest":  # what takes its time and reads no number but checked ones
        for part in ("plot_tree", "legible_depth", "_draw_map"):
            monkeypatch.setattr(f"hedgerow.drawing.forest.{part}", lambda *args, **more: None)
        monkeypatch.setattr(structure.clusters, "partition", lambda *given: np.array([0, 0, 1, 1]))
    assert not surprises(CALLS[name], NAMED.get(name, []) + MORE.get(name, []))


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        ("C45Classifier", {"max_depth": 10**30}, "and at most 9.22337e"),
        ("C45Classifier", {"repetition_factor": np.inf}, "at least 0 and at most 1e+12"),
        ("UncertainTreeClassifier", {"n_points": 2**31}, "at least 2 and at most 1e+06"),
        ("UncertainTreeClassifier", {"width": 1e-30}, "at least 1e-12 and at most 1e+150"),
        ("UCTTreeClassifier", {"n_iterations": 2**31}, "at least 0 and at most 2e+09"),
        ("UCTTreeClassifier", {"max_memory": np.inf}, "at least 0 and at most 1e+12"),
        ("UCTTreeClassifier", {"random_state": -1}, "whole number from 0 to 4294967295"),
        ("SoftTreeClassifier", {"search": 1e300}, "0 or more and at most 1e+150"),
        (
            "SoftTreeClassifier",
            {"search": 0.1, "window": 100.0, "step": 1e-6},
            "1e+08 steps in a window; give a step of at least 0.001, or a narrower window",
        ),
    ],
)
def test_bounds_are_named(kind, settings, sentence):
    with pytest.raises(InputError) as caught:
        getattr(hedgerow, kind)(**settings).fit(X, Y)
    assert list(settings)[-1] in str(caught.value) and sentence in str(caught.value)


def test_what_costs_nothing_is_as_large_as_people_write_it():
    largest = {"max_depth": sys.maxsize, "min_samples_leaf": 1e100}
    assert hedgerow.C45Classifier(**largest).fit(X, Y).get_n_leaves() == 1
    search = hedgerow.UCTTreeClassifier(
        n_iterations=20,
        n_candidates_per_variable=sys.maxsize,
        value_pruning_interval=sys.maxsize,
        time_limit=np.inf,
        random_state=0,
    )
    default = clone(search).set_params(
        n_candidates_per_variable=None, value_pruning=False, time_limit=None
    )
    assert search.fit(X, Y).tree_ == default.fit(X, Y).tree_


@pytest.mark.parametrize("least", [25.0, 2.0**62, 2.0**63, 1e30, 1e150])
def test_a_side_that_no_data_fill_is_no_side(least):
    """More than an integer holds became any number: found by `make test-asan`."""
    columns = induction.Columns(X[:, :1], Y, 2)
    assert induction.grow(columns, min_samples_leaf=least).n_leaves == 1


def test_a_continued_search_ends_before_visits_overflow():
    with pytest.raises(InputError, match=r"n_more_iterations is 2000000000; .* at most 2e\+09"):
        SEARCH.continue_search(2_000_000_000)


@pytest.fixture
def small_machine(monkeypatch):
    """One that says it has a MiB of memory."""
    monkeypatch.setattr(checks, "memory", lambda: 2.0**20)
    monkeypatch.setattr("hedgerow.induction.core.memory", lambda: 2.0**20)


@pytest.mark.parametrize("search", [0.1, stats.norm(), RelativeNoise(stats.norm(scale=0.1))])
def test_a_grid_that_needs_more_memory_than_there_is(search, small_machine):
    """It was asked for all the same, as the system may grant what it does not have."""
    soft = hedgerow.SoftTreeClassifier(search=search, prune=False)
    soft.fit(X, Y)
    with pytest.raises(
        InputError, match=r"window=6 and step=0.001 on 24 rows would take .* GiB of memory and"
    ) as caught:
        soft.set_params(step=0.001).fit(X, Y)
    least = float(str(caught.value).split("at least ")[1])
    soft.set_params(step=1.1 * least).fit(X, Y)


def test_a_curve_that_needs_more_memory_than_there_is():
    with pytest.raises(InputError, match="give a step of at least"):
        uncertainty.gain_curve([0.0, 1.0], [0, 1], 1.1e-7, step=1e-4)


def test_tests_of_many_categories_that_need_more_memory_than_there_is(small_machine):
    table = np.column_stack([X[:, 0], np.arange(24)])
    search = hedgerow.UCTTreeClassifier(
        n_iterations=20, n_candidates=100_000, categorical_features=[1], random_state=0
    )
    with pytest.raises(InputError, match=r"n_candidates=100000 would take .* ask for fewer tests"):
        search.fit(table, Y)


def test_distances_that_need_more_memory_than_there_is(small_machine):
    many = [TREE] * 400
    for distances in (
        EDITS.pairwise,
        lambda trees: structure.class_prediction_distance(trees, X),
        lambda trees: structure.class_probability_distance(trees, X),
    ):
        with pytest.raises(InputError, match=r"400 trees to 400 would take .* fewer trees"):
            distances(many)
    assert EDITS.pairwise(many, out=np.empty((400, 400))).shape == (400, 400)
    with pytest.raises(InputError, match="the distances of 400 trees would take"):
        structure.dissimilarity_space(np.ones((400, 1)))
