"""Numbers at the ends of what 64 bits hold: a right answer, or one sentence; never a crash."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

from hedgerow import (
    C45Classifier,
    EvolutionaryTreeClassifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    Tree,
    UCTTreeClassifier,
    UncertainTreeClassifier,
)
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow
from hedgerow.tree import NoiseGate

pytestmark = [
    pytest.mark.filterwarnings("error::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:errors are shares of the mean"),
]

MODELS = {"search": stats.norm(), "propagation": stats.t(3), "evaluation": stats.uniform(-1, 2)}
ESTIMATORS = {
    "c45": C45Classifier(),
    "midpoints": C45Classifier(candidates="midpoints", prune=False),
    "plt": ProbabilisticThresholdClassifier(),
    "udt": UncertainTreeClassifier(),
    "udt_wide": UncertainTreeClassifier(width=0.5),
    "evaluation": SoftTreeClassifier(evaluation=0.1),
    "soft": SoftTreeClassifier(search=0.1, propagation=0.1, evaluation=0.1),
    "models": SoftTreeClassifier(**MODELS),
    "ete": EvolutionaryTreeClassifier(population_size=10, n_generations=3, random_state=0),
    "uct": UCTTreeClassifier(n_iterations=50, random_state=0),
}
#: Learners that work out distances between values.
WITH_NOISE = {"udt", "udt_wide", "evaluation", "soft", "models"}

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
BASE = RNG.normal(size=(40, 2)) + Y[:, None]
LARGEST = np.finfo(float).max
TABLES = {
    "four": (np.array([[1e308], [-1e308], [9e307], [-9e307]]), np.array([0, 1, 0, 1])),
    "huge": (BASE / np.abs(BASE).max() * 1.7e308, Y),
    "largest": (np.where(BASE > 0, LARGEST, -LARGEST), Y),
    "denormal": (np.round(BASE * 5) * 5e-324, Y),
    "small": (BASE * 1e-300, Y),
    "offset": (1e15 + np.round(BASE * 4) / 8, Y),
    "far": (1e300 + np.round(BASE * 4) * 1e285, Y),
    "mixed": (np.column_stack([BASE[:, 0] * 1e307, BASE[:, 1] * 1e-308]), Y),
    "outlier": (np.vstack([BASE, [[1e308, -1e308]]]), np.append(Y, 1)),
    "one_row": (np.array([[1.0, 2.0]]), np.array([1])),
    "two_rows": (np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([0, 1])),
    "alike": (np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([0, 1])),
    "missing": (np.full((10, 2), np.nan), np.arange(10) % 2),
    "thousand_classes": (RNG.normal(size=(1000, 1)), np.arange(1000)),
}
#: Values so large that learners with noise refuse them.
TOO_LARGE = {"four", "huge", "largest", "far", "mixed", "outlier"}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_answer_or_a_sentence(name, table):
    X, y = TABLES[table]
    try:
        fitted = clone(ESTIMATORS[name]).fit(X, y)
    except InputError as error:
        assert name in WITH_NOISE | {"plt"} and table in TOO_LARGE
        assert error.remedy.endswith("choose another unit")
        return
    for given in (X, X[::-1] / 2, np.zeros_like(X)):
        assert np.allclose(fitted.predict_proba(given).sum(axis=1), 1.0)
    assert Tree.from_json(fitted.tree_.to_json()) == fitted.tree_
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1e5, 1e300, 1.2e307])
@pytest.mark.parametrize("name", ["c45", "midpoints", "plt", "ete", "uct"])
def test_learners_without_noise_find_the_same_tree_at_any_scale(name, scale):
    """Halves of a distance that is no number any more: midpoints at infinity."""
    X = np.round(BASE * 8) / 8  # exact at every scale of a power of two
    unit = 2.0 ** np.round(np.log2(scale))
    one, other = (clone(ESTIMATORS[name]).fit(t, Y) for t in (X, X * unit))
    assert other.tree_.feature.tolist() == one.tree_.feature.tolist()
    np.testing.assert_array_equal(other.tree_.threshold, one.tree_.threshold * unit)
    np.testing.assert_array_equal(other.predict_proba(X * unit), one.predict_proba(X))


@pytest.mark.parametrize("width, unit", [(0.1, 5e-324), (1e-12, 1e-298)])
def test_pdfs_narrower_than_the_numbers_are_none(width, unit):
    """Positions in units of such a width were infinite, or no numbers, and made into whole numbers
    all the same: found by `make test-asan`. The tree was a leaf, or nearly."""
    X = np.round(BASE * 5) * unit
    settings = {"prune": False, "min_samples_split": 2}
    tree = UncertainTreeClassifier(width=width, **settings).fit(X, Y).tree_
    exact = C45Classifier(**settings).fit(X, Y).tree_
    assert tree.n_leaves > 5
    for name, array in exact.arrays().items():
        np.testing.assert_array_equal(tree.arrays()[name], array)


def test_a_gate_of_such_pdfs_leaves_no_candidate():
    """Under `make test-asan` this failed: the search counted positions that were no numbers."""
    gate = NoiseGate(np.full(2, 1e-310), window=4.0, conditioned=True)
    assert grow(Columns(BASE, Y, 2), pdf=gate).n_leaves == 1


def test_models_of_any_width_are_asked_without_a_warning():
    """Distances beyond the largest number, in units of the model, warned of an overflow."""
    narrow = SoftTreeClassifier(evaluation=stats.norm(scale=1e-10)).fit(BASE, Y)
    assert np.allclose(narrow.predict_proba(BASE).sum(axis=1), 1.0)
    wide = NoiseGate(np.full(2, 1e308), models={0: stats.norm(scale=1e308)})
    assert np.allclose(narrow.tree_.predict_proba(BASE, evaluation=wide).sum(axis=1), 1.0)


def test_midpoints_of_values_far_apart():
    X, y = TABLES["four"]
    tree = C45Classifier(candidates="midpoints", prune=False, min_samples_split=2).fit(X, y).tree_
    assert tree.n_leaves == 2 and tree.threshold[0] == 0.0


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n != "uct"])
def test_ten_thousand_categories(name):
    labels = np.arange(12_000) % 10_000
    X = pd.DataFrame({"a": pd.Categorical(labels), "b": RNG.normal(size=len(labels))})
    y = (labels % 2).astype(int)
    settings = {"max_depth": 3} if name != "ete" else {"max_depth": 3, "n_generations": 1}
    fitted = clone(ESTIMATORS[name]).set_params(**settings).fit(X, y)
    assert np.allclose(fitted.predict_proba(X.head(100)).sum(axis=1), 1.0)
