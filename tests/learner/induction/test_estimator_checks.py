"""scikit-learn's own checks, on every estimator that the package exports."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hedgerow

SOFT_PARTS = ("search", "propagation", "evaluation")
# A row of weight 2 and two rows are not drawn alike.
DRAWS_ROWS = (
    hedgerow.EvidentialTreeClassifier,
    hedgerow.EvolutionaryTreeClassifier,
    hedgerow.UCTTreeClassifier,
)
# The checks have soft trees without an error, and data whose means are about 0.
pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.errors.HedgerowWarning")


def exported_estimators():
    """One of each class in hedgerow's public names; soft ones also with their parts in use.

    Gates lie between values: one centred on an observed value, as in the thesis, halves every row
    that has it, which is too many where a check rounds its table to a few whole numbers.
    """
    found = []
    for name in hedgerow.__all__:
        kind = getattr(hedgerow, name)
        if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
            continue
        settings = {hedgerow.ProbabilisticThresholdClassifier: {"candidates": "midpoints"}}
        settings |= {random: {"random_state": 0} for random in DRAWS_ROWS}
        settings[hedgerow.ConfDTreeClassifier] = {"estimator": hedgerow.C45Classifier()}
        found.append(kind(**settings.get(kind, {})))
        names = kind().get_params()
        if set(SOFT_PARTS) <= set(names):
            found += [kind(**{part: 0.1, "gate_at": "midpoint"}) for part in SOFT_PARTS]
            found.append(kind(**dict.fromkeys(SOFT_PARTS, 0.1)))
            found.append(kind(search=0.1, propagation=0.1, error_unit="sd"))
        if kind is hedgerow.EvidentialTreeClassifier:
            found.append(kind(prune=False))
        if kind is hedgerow.OptimalTreeClassifier:
            found.append(kind(max_depth=2, leaf_penalty=0.01, objective="gini"))
            found.append(kind(max_depth=2, error=0.01))
    return found


EXPORTED = exported_estimators()
C45 = hedgerow.C45Classifier
ESTIMATORS = [estimator for estimator in EXPORTED if is_classifier(estimator)]
each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def test_the_list_is_not_empty():
    kinds = {type(estimator).__name__ for estimator in ESTIMATORS}
    assert {"C45Classifier", "SoftTreeClassifier"} <= kinds
    others = {type(estimator).__name__ for estimator in EXPORTED} - kinds
    assert others == {"MissingIncorporated", "TreeEditDistance"}


def draws(estimator):
    """Whether a learner draws rows; E2M holds some back for pruning."""
    kind = hedgerow.EvidentialTreeClassifier
    return isinstance(estimator, DRAWS_ROWS) and not (
        isinstance(estimator, kind) and not estimator.prune
    )


def failing(estimator):
    """Checks of scikit-learn that an estimator cannot pass, with the reason."""
    if isinstance(estimator, hedgerow.OptimalTreeClassifier) and not estimator.leaf_penalty:
        return {"check_class_weight_classifiers": "the best tree leaves no error that it can avoid"}
    others = hedgerow.OptimalTreeClassifier, hedgerow.EvolutionaryTreeClassifier
    failed = {}
    if "class_weight" in estimator.get_params() and not isinstance(estimator, others):
        reason = "minima count rows: leaves of few rows of a light class stay"
        failed = {"check_class_weight_classifiers": reason}
    if not draws(estimator):
        return failed
    return failed | {"check_sample_weight_equivalence_on_dense_data": "rows are drawn at random"}


@parametrize_with_checks(EXPORTED, expected_failed_checks=failing)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each
def test_public_attributes(estimator):
    X, y = load_wine(return_X_y=True, as_frame=True)
    labels = np.array(["a", "b", "c"])[y]
    model = clone(estimator).fit(X, labels)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.n_features_in_ == 13
    assert model.get_n_leaves() == model.tree_.n_leaves > 1
    assert model.get_depth() == model.tree_.depth
    assert model.feature_importances_.shape == (13,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert (model.feature_importances_ >= 0).all()
    assert model.tree_.classes == ["a", "b", "c"]
    assert model.tree_.feature_names == list(X.columns)
    leaf, path = model.apply(X), model.decision_path(X)
    assert path.shape == (len(X), model.tree_.n_nodes)
    assert model.tree_.is_leaf()[leaf].all()
    assert (path.toarray()[np.arange(len(X)), leaf] == 1).all()
    assert model.score(X, labels) > 0.9


@each
def test_logarithms_of_probabilities(estimator):
    """Minus infinity where a leaf has no row of a class, without a warning."""
    X, y = load_iris(return_X_y=True)
    model = clone(estimator).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict_log_proba(X)
    want = model.predict_proba(X)
    assert found.shape == (150, 3)
    np.testing.assert_array_equal(np.isneginf(found), want == 0)
    np.testing.assert_allclose(np.exp(found), want, atol=1e-15)


@each
def test_a_row_of_weight_0_is_as_if_absent(estimator):
    X, y = load_iris(return_X_y=True)
    weight = np.ones(len(y))
    weight[40:70] = 0
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    without = clone(estimator).fit(X[weight > 0], y[weight > 0])
    assert weighted.tree_ == without.tree_
    one_class_gone = clone(estimator).fit(X, y, sample_weight=(y != 1).astype(float))
    assert one_class_gone.classes_.tolist() == [0, 2]


@each
def test_in_a_pipeline_that_is_cross_validated(estimator):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), clone(estimator))
    assert cross_val_score(pipeline, X + 1.0, y, cv=3).min() > 0.8


@pytest.mark.parametrize("kind", dict.fromkeys(type(e) for e in ESTIMATORS if isinstance(e, C45)))
def test_parameters_of_c45_have_its_defaults_in_the_learners_that_extend_it(kind):
    """EIG weighs gains by all known values of the table."""
    shared, own = C45().get_params(), kind().get_params()
    different = {n for n in shared.keys() & own.keys() if shared[n] != own[n]}
    assert different == ({"reliability"} if issubclass(kind, hedgerow.EIGClassifier) else set())
