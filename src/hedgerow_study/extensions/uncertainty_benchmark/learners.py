"""Learners of the comparison, each with its settings to choose from and its uncertainty input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from hedgerow_study.experiments.frames import all_classes, clip_probabilities, laplace_corrected
from hedgerow_study.experiments.missing.steps import one_hot
from hedgerow_study.extensions.uncertainty_benchmark.plan import UncertaintyBenchmarkPlan
from hedgerow_study.extensions.uncertainty_benchmark.samples import UncertainRows

#: Pruning confidences of C4.5 and of all that is grown like it.
CONFIDENCES = ({"confidence": 0.25}, {"confidence": 0.05}, {"confidence": 0.5}, {"confidence": 1.0})
#: Settings of each learner, as many as the suite lets it choose from; the first is its default.
SETTINGS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "confdtree": (
        {"method": "comb"},
        {"method": "tdist"},
        {"method": "comb", "confidence": 0.05},
        {"method": "tdist", "confidence": 0.05},
    ),
    "e2m": ({"max_leaves": 10}, {"max_leaves": 5}, {"max_leaves": 15}, {"max_leaves": 20}),
    "optimal": (
        {"max_depth": 3, "leaf_penalty": 0.01},
        {"max_depth": 2, "leaf_penalty": 0.01},
        {"max_depth": 3, "leaf_penalty": 0.0},
        {"max_depth": 2, "leaf_penalty": 0.0},
    ),
    "cart": (
        {"ccp_alpha": 0.01},
        {"ccp_alpha": 0.003},
        {"ccp_alpha": 0.03},
        {"ccp_alpha": 0.0},
    ),
    "forest": (
        {"min_samples_leaf": 1},
        {"min_samples_leaf": 3},
        {"min_samples_leaf": 5},
        {"min_samples_leaf": 10},
    ),
    "boosting": (
        {"learning_rate": 0.1, "max_leaf_nodes": 31},
        {"learning_rate": 0.1, "max_leaf_nodes": 7},
        {"learning_rate": 0.03, "max_leaf_nodes": 31},
        {"learning_rate": 0.03, "max_leaf_nodes": 7},
    ),
    "logistic": ({"C": 1.0}, {"C": 0.1}, {"C": 0.01}, {"C": 10.0}),
}
#: Parts of a soft tree that are given the errors.
SOFT = {
    "ss": ("search",),
    "stp": ("propagation",),
    "se": ("evaluation",),
    "ss_stp_se": ("search", "propagation", "evaluation"),
}
#: Kinds of uncertainty that a learner is given: those of its paper; the last one gets all.
UNCERTAINTY_USED = {
    "udt": ("error",),
    "optimal": ("error",),
    "e2m": ("y_plausibility",),
    "uncertain_data_tree": ("error", "y_plausibility"),
}


class Learned:
    """A fitted learner; `probabilities` gives those of the classes that it knows."""

    def __init__(self, predict: Callable, classes, n_classes: int, n_leaves: int | None):
        self._predict, self.classes, self.n_classes = predict, classes, n_classes
        self.n_leaves = n_leaves

    def probabilities(self, rows: UncertainRows) -> np.ndarray:
        """Probabilities of all classes, (n, n_classes), none of them 0."""
        return clip_probabilities(all_classes(self._predict(rows), self.classes, self.n_classes))


def fit_method(
    method: str,
    number: int,
    train: UncertainRows,
    n_classes: int,
    plan: UncertaintyBenchmarkPlan,
    state: int,
):
    """A learner, fitted with one of its settings."""
    settings = SETTINGS.get(method, CONFIDENCES)[number]
    if method in ("cart", "forest", "boosting", "logistic"):
        return _sklearn_model(method, settings, train, n_classes, plan, state)
    if method == "imputation":
        return _imputed(settings, train, n_classes)
    model = _own_tree(method, settings, train, plan, state)
    model.fit(train.with_uncertainty(UNCERTAINTY_USED.get(method, ())), train.y)
    # Errors are those of the training rows, which a tree that knows them has kept.
    n_leaves = int(model.tree_.n_leaves)
    predict = partial(_laplace if method == "e2m" else _probabilities, model)
    return Learned(predict, model.classes_, n_classes, n_leaves)


def _probabilities(model, rows: UncertainRows) -> np.ndarray:
    return model.predict_proba(rows.X)


def _laplace(model, rows: UncertainRows) -> np.ndarray:
    """E2M has no correction of its own: that of the other trees, by the weight of a row's leaf."""
    weight = model.tree_.class_weight[model.apply(rows.X)].sum(axis=1)
    return laplace_corrected(model.predict_proba(rows.X), weight)


def _own_tree(
    method: str, settings: dict, train: UncertainRows, plan: UncertaintyBenchmarkPlan, state: int
):
    """A tree of this package, not fitted."""
    from hedgerow.confidence.confdtree import ConfDTreeClassifier
    from hedgerow.evidential.learner import EvidentialTreeClassifier
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.missing.combined_uncertainty import UncertainDataTreeClassifier
    from hedgerow.missing.eig import EIGClassifier
    from hedgerow.optimal.learner import OptimalTreeClassifier
    from hedgerow.uncertainty.plt import ProbabilisticThresholdClassifier
    from hedgerow.uncertainty.soft import SoftTreeClassifier
    from hedgerow.uncertainty.udt import UncertainTreeClassifier

    if method in SOFT:
        if train.errors is None:
            return C45Classifier(smoothing=True, **settings)
        uncertainty = dict.fromkeys(SOFT[method], train.errors)
        return SoftTreeClassifier(error_unit="absolute", smoothing=True, **uncertainty, **settings)
    if method == "confdtree":
        inner = {key: settings[key] for key in settings if key != "method"}
        inner = C45Classifier(smoothing=True, **inner)
        return ConfDTreeClassifier(inner, method=settings["method"])
    if method == "optimal":
        nodes = plan.max_nodes if train.errors is None else plan.max_nodes // 10
        return OptimalTreeClassifier(smoothing=True, max_nodes=nodes, **settings)
    if method == "e2m":
        return EvidentialTreeClassifier(random_state=state, **settings)
    kind = {
        "c45": C45Classifier,
        "plt": ProbabilisticThresholdClassifier,
        "udt": UncertainTreeClassifier,
        "eig": EIGClassifier,
        "uncertain_data_tree": UncertainDataTreeClassifier,
    }[method]
    return kind(smoothing=True, **settings)


def _imputed(settings: dict, train: UncertainRows, n_classes: int) -> Learned:
    """C4.5 on guesses of the nearest neighbours, those of test rows by the training rows."""
    from sklearn.impute import KNNImputer

    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.missing.imputation import TableImputer

    imputer = TableImputer(KNNImputer(), train.n_categories)
    model = C45Classifier(
        smoothing=True, categorical_features=np.flatnonzero(train.n_categories), **settings
    )
    model.fit(imputer.fit_fill(train.values), train.y)
    return Learned(
        lambda rows: model.predict_proba(imputer.fill(rows.values)),
        model.classes_,
        n_classes,
        int(model.tree_.n_leaves),
    )


def _sklearn_model(
    method: str, settings: dict, train: UncertainRows, n_classes: int, plan, state: int
) -> Learned:
    """A learner of scikit-learn, which reads categories as columns of 0 and 1."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    def read(rows: UncertainRows) -> np.ndarray:
        return one_hot(rows.values, rows.n_categories)

    if method == "cart":
        model = DecisionTreeClassifier(random_state=state, **settings)
    elif method == "forest":
        model = RandomForestClassifier(plan.n_trees, random_state=state, **settings)
    elif method == "boosting":
        model = HistGradientBoostingClassifier(
            max_iter=plan.n_rounds, random_state=state, **settings
        )
    else:
        fill = SimpleImputer(keep_empty_features=True)
        model = make_pipeline(fill, StandardScaler(), LogisticRegression(max_iter=1000, **settings))
    values = read(train)
    if method == "boosting":  # which cannot bin a column without any value
        values[:, np.isnan(values).all(axis=0)] = 0.0
    model.fit(values, train.y)

    def predict(rows: UncertainRows) -> np.ndarray:
        X = read(rows)
        shares = model.predict_proba(X)
        if method == "cart":  # as the trees of this package
            shares = laplace_corrected(shares, model.tree_.weighted_n_node_samples[model.apply(X)])
        return shares

    leaves = int(model.get_n_leaves()) if method == "cart" else None
    return Learned(predict, model.classes_, n_classes, leaves)
