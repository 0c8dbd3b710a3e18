"""The trees inside of a fitted classifier, each with the rows, columns and classes that are its."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from hedgerow.checks import check_total
from hedgerow.confidence.intervals import Intervals
from hedgerow.errors import InputError
from hedgerow.induction.base import TreeClassifierMixin, meant_weights
from hedgerow.tree import Tree

REMEDY = (
    "give a tree classifier of hedgerow or scikit-learn, a RandomForestClassifier, an "
    "ExtraTreesClassifier or a BaggingClassifier of trees, or a FrozenEstimator of one of them"
)


@dataclass(frozen=True)
class Member:
    """One tree.

    Attributes
    ----------
    tree : Tree
    learner : estimator
        The fitted classifier whose tree it is; it knows how columns are encoded.
    columns : (m,) int or None
        Of the whole table, those that it was given; None: all.
    codes : (k,) int
        Its classes, as places in those of the whole.
    rows : (n,) float64 or None
        How often each training row was drawn for it; None: all, once.
    intervals : Intervals or None
    """

    tree: Tree
    learner: BaseEstimator
    columns: np.ndarray | None
    codes: np.ndarray
    rows: np.ndarray | None = None
    intervals: Intervals | None = None


def check_supported(estimator: Any) -> None:
    """Refuse what holds no trees, before it is fitted."""
    from sklearn.ensemble import BaggingClassifier

    inner = unfrozen(estimator)
    if isinstance(inner, BaggingClassifier):
        of = DecisionTreeClassifier() if inner.estimator is None else inner.estimator
        if not _is_tree(of):
            raise InputError(
                f"estimator is a {type(inner).__name__} of {type(of).__name__}, which is no tree",
                remedy=REMEDY,
            )
    elif not (_is_tree(inner) or _is_forest(inner)):
        name = type(inner).__name__ if isinstance(inner, BaseEstimator) else repr(inner)
        raise InputError(f"estimator is {name}, which holds no trees that are read", remedy=REMEDY)
    if inner is not estimator:
        check_is_fitted(inner)


def unfrozen(estimator: Any) -> Any:
    """What a FrozenEstimator holds; any other estimator itself."""
    from sklearn.frozen import FrozenEstimator

    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def _is_tree(estimator: Any) -> bool:
    if isinstance(estimator, TreeClassifierMixin):
        from hedgerow.evidential.learner import EvidentialTreeClassifier

        # A mixture of leaves, which of plain values is the leaf that they are in. Our own class
        # here predicts by more than its tree.
        mixture = isinstance(estimator, EvidentialTreeClassifier)
        return mixture or type(estimator).predict_proba is TreeClassifierMixin.predict_proba
    return isinstance(estimator, DecisionTreeClassifier)


def _is_forest(estimator: Any) -> bool:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    return isinstance(estimator, ExtraTreesClassifier | RandomForestClassifier)


def members_of(fitted: Any, frozen: bool) -> list[Member]:
    """The trees of a fitted classifier.

    frozen: fitted elsewhere, on rows that are not known here: each tree is to see all.
    """
    if _is_tree(fitted):
        return [Member(tree_of(fitted), fitted, None, np.arange(len(fitted.classes_)))]
    parts = fitted.estimators_
    columns = getattr(fitted, "estimators_features_", [None] * len(parts))
    drawn = [None] * len(parts) if frozen else fitted.estimators_samples_
    return [
        Member(
            tree_of(part),
            part,
            features,
            # Trees in an ensemble have the places of classes for labels.
            np.asarray(part.classes_).astype(np.intp),
            None if rows is None else np.asarray(rows),
        )
        for part, features, rows in zip(parts, columns, drawn, strict=True)
    ]


def tree_of(learner: Any) -> Tree:
    """The tree of a fitted tree classifier."""
    check_is_fitted(learner)
    if isinstance(learner, TreeClassifierMixin):
        return learner.tree_
    return Tree.from_sklearn(learner)


def weight_of(fitted: Any, member: Member, weight: np.ndarray) -> np.ndarray:
    """What each training row counts in the statistics of a tree, (n,) float64."""
    if member.rows is not None:
        drawn = np.bincount(member.rows, minlength=len(weight)).astype(np.float64)
        # Newer versions of bagging draw rows by their weight, which then counts no more.
        weight = drawn if getattr(fitted, "_sample_weight", None) is not None else weight * drawn
    if hasattr(member.learner, "weights") and (weight > 0).any():
        kept, weight = weight > 0, weight.copy()
        learner = member.learner
        weight[kept] = meant_weights(learner.weights, weight[kept], learner._least_weight)
    else:
        check_total(weight)
    return weight


def tables(fitted: Any, members: list[Member], X: Any) -> Iterator[np.ndarray]:
    """The table as each tree reads it, float64 with codes of categories and NaN for missing.

    Values are rounded to 32 bits for trees of scikit-learn, as they do it.
    """
    if isinstance(fitted, TreeClassifierMixin):
        yield fitted._encode(X, reset=False)
        return
    array = validate_data(fitted, X, reset=False, dtype=np.float64, ensure_all_finite=False)
    single = None
    for member in members:
        part = array if member.columns is None else array[:, member.columns]
        if isinstance(member.learner, TreeClassifierMixin):
            yield member.learner._encode(part, reset=False)
            continue
        if single is None or member.columns is not None:
            with np.errstate(over="ignore"):
                single = part.astype(np.float32).astype(np.float64)
            if np.isinf(single).any():
                # Of what scikit-learn says.
                check_array(single.astype(np.float32), ensure_all_finite="allow-nan")
        yield single
