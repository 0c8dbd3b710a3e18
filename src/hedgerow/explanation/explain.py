"""Explanations of cases, of a tree or of a learner that holds one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hedgerow.checks import check_choice
from hedgerow.errors import InputError
from hedgerow.explanation.explanation import GIVEN, Case, Explanation, Explanations
from hedgerow.explanation.laws import of_row
from hedgerow.induction.measurement import resolve_error
from hedgerow.optional import is_frame, of_polars
from hedgerow.tree.gates import NoiseGate, RowNoise
from hedgerow.tree.statistics import table_of


def explain_tree(tree, X, error=None, given: str = GIVEN[0]) -> Explanation | Explanations:
    """As `Tree.explain`.

    Raises
    ------
    InputError
        Rows or errors that do not fit the tree.
    """
    X, single = _as_rows(X)
    names = list(X.columns) if is_frame(X) else tree.feature_names
    table = np.array(tree._rows(table_of(tree, X)), dtype=np.float64)
    found = explain_table(tree, table, error, given, names=names)
    return found[0] if single else found


def explain_table(
    tree, table: np.ndarray, error=None, given: str = GIVEN[0], *,
    names=None, smoothing: bool = False, doubts: Callable[[int], Any] | None = None,
) -> Explanations:  # fmt: skip
    """Of rows as the tree reads them.

    Parameters
    ----------
    table : (n, m) float64
    error, given : as of `Tree.explain`
    names : sequence of str, optional
        Of the variables, in the place of those that the tree knows.
    smoothing : bool
        Laplace-smoothed leaves.
    doubts : callable, optional
        What ConfDTree makes of a row, by its number.

    Returns
    -------
    Explanations

    Raises
    ------
    InputError
        Values that are infinite, errors that do not fit.
    """
    check_choice("given", given, GIVEN)
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
        gate = resolve_error(error, n_categories, tree.feature_names or (), n_rows=len(table))
    names = tree.feature_names if names is None else names
    probabilities = tree.predict_proba(table, evaluation=gate, smoothing=smoothing)
    return _explained(tree, table, gate, given, names, smoothing, probabilities, doubts)


def explain_learner(learner, X, error=None, given: str = GIVEN[0]) -> Explanation | Explanations:
    """As `TreeClassifierMixin.explain`.

    Raises
    ------
    InputError
        Rows or errors that do not fit the learner.
    """
    check_choice("given", given, GIVEN)
    X, single = _as_rows(X)
    probabilities = learner.predict_proba(X, error=error)  # checks the learner, rows and errors
    doubts = getattr(learner, "doubts", None)
    if not hasattr(learner, "tree_"):  # a forest has no path of its own
        cases = [
            Explanation(None, list(learner.classes_), probabilities[i], doubts=doubts(_row(X, i)))
            for i in range(len(probabilities))
        ]
        return cases[0] if single else Explanations(cases)
    table, gate = learner._read(X, error)
    gate = learner.tree_.gate if isinstance(gate, str) else gate
    names = getattr(learner, "feature_names_in_", None)
    smoothing = bool(getattr(learner, "smoothing", False))
    if doubts is not None:
        smoothing = learner._smooths(learner._members[0])
    found = _explained(
        learner.tree_,
        table,
        gate,
        given,
        names,
        smoothing,
        probabilities,
        None if doubts is None else lambda i: doubts(_row(X, i)),  # the rows as they were given
    )
    return found[0] if single else found


def _explained(tree, table, gate, given, names, smoothing, probabilities, doubts) -> Explanations:
    if names is None:
        names = [f"x{j}" for j in range(table.shape[1])]
    tree = tree.replace(feature_names=[str(name) for name in names])
    classes = list(range(tree.n_classes)) if tree.classes is None else list(tree.classes)
    error = gate if isinstance(gate, NoiseGate) and gate.soft else None
    leaves = tree.probabilities(smoothing)
    cases = []
    for row, x in enumerate(table):
        own = None if error is None else of_row(error, row)
        reading = own if error is not None and _by_row(error) else gate
        case = Case(tree, leaves, x, own, reading, given, smoothing)
        said = None if doubts is None else doubts(row)
        cases.append(Explanation(case, classes, probabilities[row], doubts=said))
    return Explanations(cases)


def _by_row(gate: NoiseGate) -> bool:
    return any(isinstance(model, RowNoise) for model in gate.models.values())


def _as_rows(X) -> tuple[Any, bool]:
    """A table, and whether a single case was given for it."""
    X = of_polars(X)
    if is_frame(X) or np.ndim(X) != 1:
        return X, False
    return (X.to_frame().T if hasattr(X, "to_frame") else np.asarray(X)[None]), True


def _row(X, i: int):
    return X.iloc[[i]] if is_frame(X) else np.asarray(X)[i : i + 1]
