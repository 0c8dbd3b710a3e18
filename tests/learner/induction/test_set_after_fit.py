"""Parameters that are set after a fit: used, checked, or the next call asks for a fit.

What a set parameter gives is compared with a learner that was made and fitted with it.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    SoftTreeClassifier,
    TreeEditDistance,
)
from hedgerow.confidence.intervals import Rules
from hedgerow.errors import InputError

X, y = load_iris(return_X_y=True, as_frame=True)
GAPS = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
TREES = [
    C45Classifier(max_depth=2).fit(X[[name]].reindex(columns=X.columns), y).tree_ for name in X
]


@pytest.mark.parametrize("cost", ["A1", "A2", "B1", "B2"])
@pytest.mark.parametrize("correlation", ["spearman", "pearson", "kendall"])
@pytest.mark.parametrize("normalized", [False, True])
def test_a_distance_uses_what_is_set(cost, correlation, normalized):
    """`correlation` was ignored after a fit: a distance was 0 where .51 is right."""
    changed = TreeEditDistance("B2", "spearman").fit(X, y)
    changed.pairwise(TREES)
    parameters = {"cost": cost, "correlation": correlation, "normalized": normalized}
    changed.set_params(**parameters)
    wanted = TreeEditDistance(**parameters).fit(X, y)
    np.testing.assert_array_equal(changed.pairwise(TREES), wanted.pairwise(TREES))
    assert changed.distance(*TREES[:2]) == wanted.distance(*TREES[:2])


@pytest.mark.parametrize(
    "wrong", [{"cost": "B9"}, {"correlation": "pearsn"}, {"normalized": "yes"}]
)
@pytest.mark.parametrize("call", ["pairwise", "distance", "edit_script"])
def test_a_distance_checks_what_is_set(call, wrong):
    """`cost="B9"` after a fit was a `KeyError`."""
    metric = TreeEditDistance().fit(X, y).set_params(**wrong)
    with pytest.raises(InputError, match=next(iter(wrong))):
        getattr(metric, call)(*([TREES] if call == "pairwise" else TREES[:2]))


OTHER = {
    "method": "norm",
    "min_instances": 7,
    "too_few": "node",
    "normality": "lilliefors",
    "routes": False,
    "fines": False,
    "categorical": True,
}


@pytest.mark.parametrize("name", Rules.__dataclass_fields__)
def test_confdtree_asks_for_a_fit(name):
    """`method` was ignored after a fit."""
    model = ConfDTreeClassifier().fit(X, y)
    before = model.predict_proba(X)
    then = getattr(model, name)
    model.set_params(**{name: OTHER.get(name, 0.5)})
    for call in (model.predict, model.predict_proba, model.apply, model.explain):
        with pytest.raises(InputError, match=f"{name} is .* in the fit"):
            call(X)
    with pytest.raises(InputError, match="call fit again"):
        model.get_intervals()
    np.testing.assert_array_equal(model.set_params(**{name: then}).predict_proba(X), before)
    model.set_params(**{name: OTHER.get(name, 0.5)}).fit(X, y).predict(X)


LEARNERS = {
    "smoothing": C45Classifier(),
    "smoothing of ConfDTree": ConfDTreeClassifier(),
    "window": SoftTreeClassifier(propagation=0.1),
    "gate_at": SoftTreeClassifier(propagation=0.1),
    "missing_at_prediction": EIGClassifier(random_state=0),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_what_prediction_reads_is_checked(name):
    """`smoothing="no"` after a fit smoothed; `missing_at_prediction="imputed"` propagated."""
    model = LEARNERS[name].fit(GAPS, y)
    parameter = name.partition(" ")[0]
    model.set_params(**{parameter: "no"})
    with pytest.raises(InputError, match=parameter):
        model.predict_proba(GAPS, error=0.1)


def test_smoothing_is_used():
    model = C45Classifier().fit(X, y)
    wanted = C45Classifier(smoothing=True).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.set_params(smoothing=True).predict_proba(X), wanted)


def test_importances_are_those_of_the_criterion_of_the_fit():
    """After `criterion` was set they were those of another impurity than the tree lowered."""
    model = C45Classifier(criterion="gini").fit(X, y)
    wanted = model.feature_importances_
    model.set_params(criterion="information_gain")
    np.testing.assert_array_equal(model.feature_importances_, wanted)
    assert not np.array_equal(model.fit(X, y).feature_importances_, wanted)


# --------------------------------------------------------------------- names of copies (MIA)


@pytest.mark.parametrize(
    "names",
    [["a", "a_low"], ["a_high", "a"], ["a", "a_low", "a_low_"], ["a", "a_low_low", "a_low"]],
)
@pytest.mark.parametrize("every", [False, True])
def test_copies_have_names_of_their_own(names, every):
    """Columns `a` and `a_low` made two columns `a_low`, and an error of pandas in the next step."""
    from sklearn.pipeline import make_pipeline

    from hedgerow import MissingIncorporated

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, len(names))), columns=names)
    frame.loc[::3, names if every else ["a"]] = np.nan
    transform = MissingIncorporated().fit(frame)
    table = transform.transform(frame)
    assert table.columns.is_unique
    assert table.columns.tolist() == transform.get_feature_names_out().tolist()
    plain = MissingIncorporated().fit_transform(frame.to_numpy())
    np.testing.assert_array_equal(table.to_numpy(), plain)
    labels = frame["a"].isna()
    model = make_pipeline(MissingIncorporated(), C45Classifier()).fit(frame, labels)
    assert (model.predict(frame) == labels).all()
