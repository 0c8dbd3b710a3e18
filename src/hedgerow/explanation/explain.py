"""Explanations of cases, of a tree or of a learner that holds one."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hedgerow.checks import check_choice
from hedgerow.errors import InputError
from hedgerow.explanation.error_laws import Tables, drawn_once
from hedgerow.explanation.explanation import VALUE_IS, Case, Explanation, Explanations
from hedgerow.induction.measurement import check_error_order, of_row, resolve_error
from hedgerow.induction.uncertain_table import Uncertain
from hedgerow.optional_imports import is_frame, of_polars
from hedgerow.tree.gates import NoiseGate
from hedgerow.tree.table import by_name


def explain_tree(tree, X, error=None, given: str = VALUE_IS[0]) -> Explanation | Explanations:
    """As `Tree.explain`."""
    X, single = _as_rows(X)
    check_error_order(error, X)
    names = tree.feature_names
    if is_frame(X):
        X = by_name(X, names)
        names = [str(name) for name in X.columns] if names is None else names
    table = np.array(tree._rows(X), dtype=np.float64)
    explanations = explain_table(tree, table, error, given, names=names)
    return explanations[0] if single else explanations


def explain_table(
    tree, table: np.ndarray, error=None, given: str = VALUE_IS[0], *,
    names=None, smoothing: bool = False, revisions: Callable[[int], Any] | None = None,
) -> Explanations:  # fmt: skip
    """Of rows as the tree reads them.

    smoothing: laplace-smoothed leaves.
    revisions: how ConfDTree revises a row, by its number.
    """
    check_choice("given", given, VALUE_IS)
    names = tree.feature_names if names is None else names
    if names is not None and len(names) != table.shape[1]:
        raise InputError(
            f"X has {table.shape[1]} columns, and the tree has {len(names)} variables",
            remedy="give the columns that it was grown from",
        )
    infinite = np.argwhere(np.isinf(table))
    if len(infinite):
        raise InputError(
            f"X holds an infinite value (infinity) in row {infinite[0][0]}, column "
            f"{infinite[0][1]}",
            remedy="replace it by a number, or by NaN where the value is missing",
        )
    n_categories = np.zeros(table.shape[1], dtype=int)
    n_categories[[*tree.categories, *tree.feature[tree.is_categorical()]]] = 1
    gate: Any = tree.gate
    if error is not None:
        gate = resolve_error(error, n_categories, names or (), n_rows=len(table))
    probabilities = tree.predict_proba(table, evaluation=gate, smoothing=smoothing)
    whole = error is not None
    return _explanations(
        tree, table, gate, given, names, smoothing, probabilities, revisions, whole
    )


def explain_learner(learner, X, error=None, given: str = VALUE_IS[0]) -> Explanation | Explanations:
    """As `TreeClassifierMixin.explain`."""
    check_choice("given", given, VALUE_IS)
    X, single = _as_rows(X)
    probabilities = learner.predict_proba(X, error=error)  # checks the learner, rows and errors
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*feature names", UserWarning)  # given above
        return _of_learner(learner, X, error, given, single, probabilities)


def _of_learner(learner, X, error, given, single, probabilities):
    revisions = learner._revisions_of(X, error) if hasattr(learner, "revisions") else None
    classes = learner.classes_.tolist()
    if not hasattr(learner, "tree_"):  # a forest has no path of its own
        cases = [
            Explanation(None, classes, p, revisions=functools.partial(revisions, row))
            for row, p in enumerate(probabilities)
        ]
        return cases[0] if single else Explanations(cases)
    table, gate = learner._read(X, error)
    answers = learner._probabilities
    if isinstance(gate, str):
        gate, answers = learner.tree_.gate, functools.partial(answers, gate=gate)
    names = getattr(learner, "feature_names_in_", None)
    ends = None
    if revisions is None:
        smoothing = learner._smoothing()
    else:
        (member,) = learner._members
        smoothing, names = learner._smooths(member), learner._names(member)
        intervals = np.stack([member.intervals.assigned_interval, member.intervals.other], axis=1)
        ends = intervals.reshape(len(intervals), -1)
    explanations = _explanations(
        learner.tree_,
        table,
        gate,
        given,
        names,
        smoothing,
        probabilities,
        revisions,
        error is not None or (isinstance(X, Uncertain) and X.error is not None),
        classes,
        answers,
        ends,
    )
    return explanations[0] if single else explanations


def _explanations(
    tree,
    table,
    gate,
    given,
    names,
    smoothing,
    probabilities,
    revisions,
    whole,
    classes=None,
    answers=None,
    ends=None,
) -> Explanations:
    """Of each row.

    whole : the errors of the gate were given with the rows. Of those that the tree carries, one
    that is drawn once may end by its definition, as the pdfs of UDT do.
    answers : of rows and a gate, what the learner predicts; None: what the tree predicts.
    ends : as of `Case`
    """
    if names is None:
        names = [f"x{j}" for j in range(table.shape[1])]
    tree = tree.replace(feature_names=[str(name) for name in names])
    if classes is None:
        classes = list(range(tree.n_classes)) if tree.classes is None else list(tree.classes)
    error = gate if isinstance(gate, NoiseGate) and gate.soft else None
    whole = whole or (error is not None and not error.conditioned)
    leaves = tree.probabilities(smoothing)
    tables: Tables = {}
    cases = []
    row_gate, once = gate, None
    for row, x in enumerate(table):
        if error is not None and (row == 0 or error.by_row):
            row_gate = of_row(error, row)
            once = drawn_once(row_gate, whole=whole)
        answer = answers
        if answers is not None and "gate" not in getattr(answers, "keywords", ()):
            answer = functools.partial(answers, gate=row_gate)
        case = Case(tree, leaves, x, once, row_gate, given, smoothing, tables, answer, ends)
        row_revisions = None if revisions is None else functools.partial(revisions, row)
        cases.append(Explanation(case, classes, probabilities[row], revisions=row_revisions))
    return Explanations(cases)


def _as_rows(X) -> tuple[Any, bool]:
    """A table, and whether a single case was given for it."""
    X = of_polars(X)
    if is_frame(X):
        return X, False
    if not hasattr(X, "to_frame"):
        X = np.asarray(X)
    if X.ndim != 1:
        return X, False
    return (X.to_frame().T if hasattr(X, "to_frame") else X[None]), True
