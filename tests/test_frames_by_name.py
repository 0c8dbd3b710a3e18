"""Frames are read by the names of their columns and rows, or refused: every public function.

Each parameter of a public function that may be a data frame, or a Series beside one, is found by
its name, and has a case here, or a reason why not. Its columns, and then its rows, are given in
another order than what it belongs to.
"""

import importlib
import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import hedgerow
from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialTreeClassifier,
    MissingIncorporated,
    Uncertain,
    explanation,
    gap,
)
from hedgerow.drawing import plot_forest, plot_tree
from hedgerow.errors import InputError
from hedgerow.evidential import EvidentialData, evidential_error_rate, mixture, predict_evidential
from hedgerow.structure import (
    TreeEditDistance,
    class_prediction_distance,
    class_probability_distance,
)
from hedgerow.survival import compare_groups, leaf_survival, performance, propensity_weights

ROOMS = (
    "tree",
    "induction",
    "uncertainty",
    "search",
    "optimal",
    "structure",
    "confidence",
    "evidential",
    "missing",
    "survival",
    "drawing",
    "explanation",
)
#: What may be a frame, by the name of the parameter.
FRAMES = {
    "X",
    "X_imputed",
    "alone",
    "attributes",
    "by",
    "covariates",
    "data",
    "error",
    "gamma_X",
    "gamma_y",
    "high",
    "imputed",
    "low",
    "masses",
    "plausibility",
    "reliability",
    "sets",
    "y_plausibility",
}

IRIS, LABELS = load_iris(return_X_y=True, as_frame=True)
IRIS.columns = ["d", "b", "a", "c"]
Y = pd.Series(np.array(["setosa", "vers", "virg"])[LABELS], index=IRIS.index)
NUMBERS = LABELS.to_numpy()
rng = np.random.default_rng(0)
CELLS = pd.DataFrame(rng.random(IRIS.shape) / 3, columns=IRIS.columns)
ROW = pd.Series(rng.random(150) / 3)
P = pd.DataFrame(rng.dirichlet([1, 1, 1], 150), columns=["virg", "setosa", "vers"])
Q = pd.DataFrame(rng.dirichlet([1, 1, 1], 150), columns=["virg", "setosa", "vers"])
PREDICTED = pd.Series(NUMBERS)
SOFT = P.div(P.max(axis=1), axis=0)
TREES = [C45Classifier(max_depth=depth).fit(IRIS, Y).tree_ for depth in (1, 2, 3)]
TREE = TREES[-1]
GAPS = IRIS.mask(rng.random(IRIS.shape) < 0.1)
KINDS = pd.DataFrame(rng.integers(0, 2, (150, 3)).clip(0) * 0.5 + 0.5, columns=["x", "y", "z"])
E2M = EvidentialTreeClassifier(prune=False, max_leaves=4).fit(IRIS, Y)
TIME = pd.Series(rng.exponential(3, 150) + 0.1)
EVENT = pd.Series(rng.integers(0, 2, 150))
TREATED = pd.Series(rng.integers(0, 2, 150))
STUMP = C45Classifier(max_depth=1).fit(IRIS, Y).tree_
WHEN = np.where(TREATED == 1, 0.0, np.inf)
COVARIATES = pd.DataFrame({"age": rng.normal(size=150), "weight": rng.normal(size=150)})


def evidence(data):
    """What evidential data say, by names of attributes and classes."""
    order = np.argsort(data.feature_names)
    found = [part[:, order] for part in (data.low, data.high, data.gamma)]
    by_class = np.argsort(data.classes)
    kinds = {
        data.feature_names[j]: table[:, np.argsort(data.categories[j])]
        for j, table in data.possible.items()
    }
    return [*found, data.plausibility[:, by_class], *(kinds[name] for name in sorted(kinds))]


def drawn(figure):
    return [text.get_text() for text in figure.findobj(lambda a: hasattr(a, "get_text"))]


from_gamma = EvidentialData.from_gamma
from_intervals = EvidentialData.from_intervals
from_plausibility = EvidentialData.from_plausibility
#: Function and parameter -> (what is given, whether its rows belong to another table, the call).
CASES = {
    "class_probability_distance.X": (IRIS, False, lambda f: class_probability_distance(TREES, f)),
    "class_probability_distance.X (q)": (Q, True, lambda f: class_probability_distance(P, f)),
    "class_prediction_distance.X": (IRIS, False, lambda f: class_prediction_distance(TREES, f)),
    "TreeEditDistance.fit.X": (
        IRIS,
        False,
        lambda f: TreeEditDistance("B2").fit(f, Y).pairwise(TREES),
    ),
    "EvidentialData.from_gamma.X": (IRIS, False, lambda f: evidence(from_gamma(f, NUMBERS))),
    "EvidentialData.from_gamma.gamma_X": (
        CELLS,
        True,
        lambda f: evidence(from_gamma(IRIS, NUMBERS, f)),
    ),
    "EvidentialData.from_gamma.gamma_X (a Series)": (
        pd.Series([0.1, 0.2, 0.3, 0.4], index=IRIS.columns),
        False,
        lambda f: evidence(from_gamma(IRIS, NUMBERS, f)),
    ),
    "EvidentialData.from_gamma.gamma_y": (
        ROW,
        True,
        lambda f: evidence(from_gamma(IRIS, NUMBERS, 0, f)),
    ),
    "EvidentialData.from_intervals.low": (
        IRIS,
        True,
        lambda f: evidence(from_intervals(f, IRIS + 1, NUMBERS)),
    ),
    "EvidentialData.from_intervals.high": (
        IRIS + 1,
        True,
        lambda f: evidence(from_intervals(IRIS, f, NUMBERS)),
    ),
    "EvidentialData.from_intervals.gamma_X": (
        CELLS,
        True,
        lambda f: evidence(from_intervals(IRIS, IRIS, NUMBERS, f)),
    ),
    "EvidentialData.from_intervals.gamma_y": (
        ROW,
        True,
        lambda f: evidence(from_intervals(IRIS, IRIS, NUMBERS, 0, f)),
    ),
    "EvidentialData.from_intervals.sets": (
        pd.Series([["x"], ["y"]] * 75),
        True,
        lambda f: evidence(from_intervals(IRIS, IRIS, NUMBERS, sets={"a": f})),
    ),
    "EvidentialData.from_plausibility.X": (
        IRIS,
        False,
        lambda f: from_plausibility(f, SOFT.to_numpy()).low[
            :, [list(f.columns).index(c) for c in "abcd"]
        ],
    ),
    "EvidentialData.from_plausibility.plausibility": (
        SOFT,
        True,
        lambda f: evidence(from_plausibility(IRIS, f)),
    ),
    "EvidentialData.from_plausibility.plausibility (and classes)": (
        SOFT,
        True,
        lambda f: evidence(from_plausibility(IRIS, f, classes=["vers", "virg", "setosa"])),
    ),
    "EvidentialData.from_plausibility.gamma_X": (
        CELLS,
        True,
        lambda f: evidence(from_plausibility(IRIS, SOFT, gamma_X=f)),
    ),
    "EvidentialData.from_plausibility.attributes": (
        KINDS,
        True,
        lambda f: evidence(from_plausibility(IRIS, SOFT, attributes={"a": f})),
    ),
    "EvidentialData.from_masses.X": (
        IRIS,
        False,
        lambda f: evidence(EvidentialData.from_masses(f, [{"a": 0.5, "b": 0.5}] * 150)),
    ),
    "EvidentialData.from_masses.masses": (
        pd.Series([{"a": 0.5, "b": 0.5}, {"a": 1.0}] * 75),
        True,
        lambda f: evidence(EvidentialData.from_masses(IRIS, f)),
    ),
    "EvidentialData.from_masses.gamma_X": (
        CELLS,
        True,
        lambda f: evidence(
            EvidentialData.from_masses(IRIS, [{"a": 0.5, "b": 0.5}] * 150, gamma_X=f)
        ),
    ),
    "EvidentialData.from_masses.attributes": (
        KINDS,
        True,
        lambda f: evidence(
            EvidentialData.from_masses(IRIS, [{"a": 0.5, "b": 0.5}] * 150, attributes={"a": f})
        ),
    ),
    "EvidentialData.from_uncertain.data": (
        IRIS,
        False,
        lambda f: evidence(EvidentialData.from_uncertain(Uncertain(f), NUMBERS)),
    ),
    "EvidentialData.with_classes.plausibility": (
        SOFT,
        False,
        lambda f: evidence(from_gamma(IRIS, Y).with_classes(f)),
    ),
    "evidential_error_rate.plausibility": (
        P,
        True,
        lambda f: evidential_error_rate(f, PREDICTED, alone=P / 2),
    ),
    "evidential_error_rate.alone": (
        P / 2,
        True,
        lambda f: evidential_error_rate(P, NUMBERS, alone=f),
    ),
    "mixture.data": (IRIS, False, lambda f: mixture(E2M.tree_, from_gamma(f, Y))),
    "predict_evidential.data": (
        IRIS,
        False,
        lambda f: predict_evidential(E2M.tree_, from_gamma(f, Y)),
    ),
    "predict of E2M.data": (IRIS, False, lambda f: E2M.predict_proba(from_gamma(f, Y))),
    "predict of E2M.X": (IRIS, False, E2M.predict_proba),
    "EvidentialTreeClassifier.fit.gamma_X": (
        CELLS,
        True,
        lambda f: clone(E2M).fit(IRIS, Y, gamma_X=f).predict_proba(IRIS),
    ),
    "EvidentialTreeClassifier.fit.gamma_y": (
        ROW,
        True,
        lambda f: clone(E2M).fit(IRIS, Y, gamma_y=f).predict_proba(IRIS),
    ),
    "EIGClassifier.fit.X_imputed": (
        IRIS,
        True,
        lambda f: EIGClassifier(random_state=0).fit(GAPS, Y, X_imputed=f).predict_proba(IRIS),
    ),
    "MissingIncorporated.transform.X": (
        GAPS,
        False,
        lambda f: MissingIncorporated().fit(GAPS).transform(f).sort_index(axis=1),
    ),
    "predict.error": (
        CELLS,
        True,
        lambda f: C45Classifier().fit(IRIS, Y).predict_proba(IRIS, error=f),
    ),
    "predict of ConfDTree.error": (
        CELLS,
        True,
        lambda f: ConfDTreeClassifier().fit(IRIS, Y).predict_proba(IRIS, error=f),
    ),
    "predict.X": (IRIS, False, lambda f: C45Classifier().fit(IRIS, Y).predict_proba(f)),
    "explain_learner.X": (
        IRIS,
        False,
        lambda f: explanation.explain_learner(C45Classifier().fit(IRIS, Y), f).to_frame(),
    ),
    "explain_learner.error": (
        CELLS,
        True,
        lambda f: explanation.explain_learner(C45Classifier().fit(IRIS, Y), IRIS, f).to_frame(),
    ),
    "explain_tree.X": (IRIS, False, lambda f: explanation.explain_tree(TREE, f).to_frame()),
    "explain_tree.error": (
        CELLS,
        True,
        lambda f: explanation.explain_tree(TREE, IRIS, f).to_frame(),
    ),
    "Tree.explain.X": (IRIS, False, lambda f: TREE.explain(f).to_frame()),
    "Tree.explain.error": (CELLS, True, lambda f: TREE.explain(IRIS, f).to_frame()),
    "Tree.predict_proba.X": (IRIS, False, TREE.predict_proba),
    "Tree.apply.X": (IRIS, False, TREE.apply),
    "Tree.shares.X": (IRIS, False, lambda f: TREE.shares(f).toarray()),
    "Tree.decision_path.X": (IRIS, False, lambda f: TREE.decision_path(f).toarray()),
    "Tree.annotate.X": (IRIS, False, lambda f: TREE.annotate(f, Y).statistics["mean"]),
    "Tree.refit.X": (IRIS, False, lambda f: TREE.refit(f, Y).class_weight),
    "gap.X": (IRIS, False, lambda f: str(gap(STUMP, f, Y))),
    "plot_tree.X": (IRIS, False, lambda f: drawn(plot_tree(TREE, X=f, y=Y).figure)),
    "plot_forest.X": (IRIS, False, lambda f: drawn(plot_forest(TREES, f, Y, n_clusters=2))),
    "leaf_survival.X": (
        IRIS,
        False,
        lambda f: leaf_survival(STUMP, f, TIME.to_numpy(), EVENT.to_numpy()),
    ),
    "leaf_survival.covariates": (
        COVARIATES,
        True,
        lambda f: leaf_survival(STUMP, IRIS, TIME, EVENT, covariates=f),
    ),
    "compare_groups.X": (
        IRIS,
        False,
        lambda f: compare_groups(STUMP, f, TIME.to_numpy(), EVENT.to_numpy(), WHEN, landmark=0.0),
    ),
    "compare_groups.covariates": (
        COVARIATES,
        True,
        lambda f: compare_groups(STUMP, IRIS, TIME, EVENT, WHEN, landmark=0.0, covariates=f),
    ),
    "propensity_weights.covariates": (
        COVARIATES,
        True,
        lambda f: propensity_weights(TREATED, f).weights,
    ),
    "performance.by": (
        pd.DataFrame({"sex": ["f", "m", "m"] * 50}),
        True,
        lambda f: performance(TIME, EVENT, ROW.to_numpy(), 2.0, by=f, n_bootstraps=0),
    ),
}

#: Why others have no case.
BY_PLACE = {
    "grow": "arrays only",
    "error_from_repeats": "reads columns by name, and has one table",
    "fit.X": "sets the order of columns; rows pair with y as in scikit-learn",
    "MissingIncorporated.fit.X": "sets the order of columns",
    "TableImputer": "arrays of codes only",
    "FixedGroups.apply.X": "Tree.apply",
    "resolve_error": "has no table; Uncertain and the learners compare rows",
    "law.error": "a gate",
    "risk_groups.X": "fits a learner; rows pair with time as in scikit-learn",
    "permuted_separation.X": "fits learners",
    "permutation_test.X": "fits learners",
    "bootstrap_validation.X": "fits learners",
}


def parameters():
    """Names of public functions and their parameters that may be frames."""
    found = set()
    for room in ROOMS:
        module = importlib.import_module(f"{hedgerow.__name__}.{room}")
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            members = {name: thing}
            if inspect.isclass(thing):
                members = {
                    f"{name}.{k}": getattr(v, "__func__", v)
                    for k, v in vars(thing).items()
                    if not k.startswith("_")
                }
            for label, function in members.items():
                if inspect.isfunction(function):
                    found |= {
                        f"{label}.{p}"
                        for p in inspect.signature(function).parameters
                        if p in FRAMES
                    }
    return found


def test_every_parameter_that_may_be_a_frame_has_a_case():
    known = {name.partition(" (")[0] for name in CASES}
    lacking = {
        name
        for name in parameters() - known
        if not BY_PLACE.keys() & {name, name.split(".")[0], name.split(".", 1)[-1]}
    }
    assert not lacking


def outcome(call, given):
    """What a call gives, or that it refuses."""
    try:
        return call(given)
    except (InputError, ValueError):  # scikit-learn's, of columns in another order
        return None


def same(one, two):
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, str) or isinstance(two, str):
        return one == two
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, two)
        return True
    np.testing.assert_allclose(np.asarray(one, float), np.asarray(two, float), atol=1e-12)
    return True


@pytest.mark.parametrize("name", CASES)
def test_columns_in_another_order_are_the_same_or_refused(name):
    """`class_probability_distance(p, p[["well", "sick"]])` was 1.29 in the place of 0."""
    given, _, call = CASES[name]
    if name == "evidential_error_rate.plausibility":
        return  # predictions are numbers of its columns
    wanted = call(given)
    if isinstance(given, pd.DataFrame):
        others = [given[given.columns[order]] for order in ([*range(given.shape[1])][::-1],)]
    elif name.endswith("(a Series)"):
        others = [given[::-1]]
    else:
        return
    for other in others:
        found = outcome(call, other)
        assert found is None or same(found, wanted)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[1]])
def test_rows_in_another_order_are_refused(name):
    """`from_intervals`, `gamma_X` and `gamma_y` paired the rows of permuted indices by place."""
    given, _, call = CASES[name]
    with pytest.raises(InputError, match="in another order"):
        call(given.iloc[::-1])


def test_a_tree_without_names_does_not_guess():
    """With columns the other way round the share of other classes was .62 in the place of .31."""
    bare = [tree.replace(feature_names=None) for tree in TREES]
    wanted = class_prediction_distance(TREES, IRIS)
    np.testing.assert_array_equal(class_prediction_distance(bare, IRIS.to_numpy()), wanted)
    with pytest.raises(InputError, match="no names of variables"):
        class_prediction_distance(bare, IRIS[IRIS.columns[::-1]])


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_lists_go_by_place(kind):
    """Lists have a method `index`, and attributes may be numbers."""
    cells = CELLS.iloc[0].tolist()
    wanted = evidence(from_gamma(IRIS, NUMBERS, np.array([cells])))
    assert same(evidence(from_gamma(IRIS, NUMBERS, kind(cells))), wanted)
    by_name = from_plausibility(IRIS, SOFT, attributes={"a": KINDS})
    by_number = from_plausibility(IRIS, kind(SOFT.to_numpy().tolist()), attributes={2: KINDS})
    assert same(evidence(by_name)[:3], evidence(by_number)[:3])


def test_other_columns_are_refused():
    with pytest.raises(InputError, match="plausibility has the columns"):
        from_plausibility(IRIS, SOFT, classes=["a", "b", "c"])
    with pytest.raises(InputError, match="q has the columns"):
        class_probability_distance(P, Q.rename(columns={"vers": "other"}))
    with pytest.raises(InputError, match="gamma_X has the columns"):
        from_gamma(IRIS, Y, CELLS.rename(columns={"a": "other"}))
