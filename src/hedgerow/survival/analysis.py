"""A tree that divides patients into risk groups: labels, division, growth (thesis 6.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import check_choice, check_number, check_random
from hedgerow.errors import InputError
from hedgerow.induction.c45 import C45Classifier
from hedgerow.survival.follow_up import MIN_FOLLOWED, FollowUp, fit_followed
from hedgerow.survival.labels import (
    HorizonLabels,
    censoring_weights,
    checked_entry,
    checked_follow_up,
    entry_of,
    horizon_labels,
)

if TYPE_CHECKING:
    from hedgerow.tree import Tree

#: The tree of thesis 6.2.2; creatinine twice on a path is less wanted than another variable.
CONFIDENCE, REPETITION_FACTOR, MIN_SAMPLES_LEAF = 0.87, 0.7, 20
WEIGHTS = ("ipcw",)


def thesis_tree(**parameters: Any) -> C45Classifier:
    """C4.5 as thesis 6.2.2 sets it: c = .87, repetition factor .7, 20 patients on each side.

    Parameters
    ----------
    **parameters
        Of `C45Classifier`, which go before these.
    """
    ours = {
        "confidence": CONFIDENCE,
        "repetition_factor": REPETITION_FACTOR,
        "min_samples_leaf": MIN_SAMPLES_LEAF,
    }
    return C45Classifier(**{**ours, **parameters})


@dataclass(frozen=True)
class RiskGroups:
    """Patients divided by a tree.

    Attributes
    ----------
    estimator : classifier
        Fitted to the patients of the training part whose class is known.
    training : (n,) bool array
        Who is in the training part, those without a class among them.
    labels : HorizonLabels
        Of all patients.
    leaf : (n,) int array
        Node of the leaf of each patient.
    refused : tuple of int
        Variables of which tests were refused, because few on one side could be followed to the
        horizon.
    """

    estimator: Any
    training: np.ndarray
    labels: HorizonLabels
    leaf: np.ndarray
    refused: tuple[int, ...] = ()

    @property
    def tree_(self) -> Tree:
        """The tree."""
        return self.estimator.tree_

    def part(self, name: str) -> np.ndarray:
        """Who is in a part: `all`, `training` or `test`, (n,) bool."""
        everybody = np.ones(len(self.training), dtype=bool)
        return {"all": everybody, "training": self.training, "test": ~self.training}[name]


def risk_groups(
    X,
    time,
    event,
    *,
    horizon: float,
    cause: int = 1,
    competing: str = "censored",
    estimator: Any = None,
    test_size: float = 0.25,
    sample_weight=None,
    weights: str | None = None,
    random_state=None,
    entry=None,
    min_followed: float = MIN_FOLLOWED,
) -> RiskGroups:
    """Divide patients into risk groups by a tree that predicts the event by a horizon.

    Patients are divided into training and test part class by class; those whose follow-up ends
    before the horizon are a class of their own there, so that both parts hold their share of them:
    a test part without them would die faster than patients do.

    Those whose class is known are chosen: of patients included less than a horizon before the end
    of the study they are those with the event, so that whatever goes with the date of inclusion
    predicts it. The tree makes no test of which one side could not be followed to the horizon.

    Parameters
    ----------
    X : (n, m) array or data frame
    time, event, horizon, cause, competing
        As in `horizon_labels`.
    estimator : classifier, optional
        A clone of it is fitted; by default the tree of the thesis (`thesis_tree`).
    test_size : float, default .25
        Share of the patients that the test part gets (thesis 6.2.2: 138 of 549). 0: all are
        training.
    sample_weight : (n,) array, optional
        Of the patients, as `fit` takes it.
    weights : {'ipcw'}, optional
        'ipcw': patients of the training part whose class is known stand for those who were censored
        before, or had the event before they could enter (`censoring_weights` of the training part),
        on top of `sample_weight`. Without them the event is too frequent in leaves, the more the
        more patients are censored.
    random_state : int or RandomState, optional
        Of the division.
    entry : (n,) array, optional
        As in `leaf_survival`; with weights alone: who had the event before they could enter are not
        among the patients, so that those whose class is known are no sample of all.
    min_followed : float, default .2
        Share of the patients of the training part on each side of a test that could be followed to
        the horizon, by the reverse Kaplan-Meier estimate; 1 where all had the event before. A test
        without it is refused, and the next best is taken; so the tree of `C45Classifier` alone is
        grown, that of other learners is taken as it is. 0: no test is refused.

    Returns
    -------
    RiskGroups

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says; X has another number of rows; in the training part all
        known classes are the same; entries without weights, or as `censoring_weights` says.
    """
    check_number("test_size", test_size, 0.0, 0.9)
    check_number("min_followed", min_followed, 0.0, 1.0)
    if weights is not None:
        check_choice("weights", weights, WEIGHTS)
    check_weighted(entry, weights)
    labels = horizon_labels(time, event, horizon, cause=cause, competing=competing, entry=entry)
    n = len(labels.y)
    if not hasattr(X, "shape") or X.shape[0] != n:
        raise InputError(f"X has {len(X)} rows and time {n} values", remedy="give one per patient")
    training = ~_test_part(labels.y, test_size, check_random("random_state", random_state))
    learnt = np.flatnonzero(training & labels.labelled)
    if len(np.unique(labels.y[learnt])) < 2:
        had = "all" if len(learnt) and labels.y[learnt][0] else "none"
        raise InputError(
            f"of {len(learnt)} patients followed to the horizon {horizon:g} {had} had the event",
            remedy="give another horizon, in the unit of time",
        )
    given: dict[str, np.ndarray] = {}
    if sample_weight is not None:
        given["sample_weight"] = np.asarray(sample_weight)[learnt]
    if weights is not None:
        followed, ended = np.asarray(time)[training], np.asarray(event)[training]
        entered = None if entry is None else np.asarray(entry)[training]
        stands_for = censoring_weights(
            followed, ended, horizon, cause=cause, competing=competing, entry=entered
        )
        ipcw = stands_for[labels.labelled[training]]
        given["sample_weight"] = given.get("sample_weight", 1.0) * ipcw
    rows = np.flatnonzero(training)
    times, events = (values[rows] for values in checked_follow_up(time, event, cause))
    since = entry_of(checked_entry(entry, np.asarray(time, dtype=np.float64)), rows)
    fitted, refused = fit_followed(
        thesis_tree() if estimator is None else estimator,
        X.iloc[rows] if hasattr(X, "iloc") else X[rows],
        np.flatnonzero(labels.labelled[rows]),
        labels.y[learnt],
        FollowUp(times, events, horizon, since),
        min_followed,
        **given,
    )
    return RiskGroups(fitted, training, labels, np.asarray(fitted.apply(X)), refused)


def check_weighted(entry, weights: str | None) -> None:
    """Refuse entries without weights."""
    if entry is not None and weights is None:
        raise InputError(
            "entry is given without weights: patients whose class is known are no sample of all",
            remedy="give weights='ipcw'",
        )


def _test_part(y: np.ndarray, test_size: float, random: np.random.RandomState) -> np.ndarray:
    """Who is in the test part, (n,) bool: of each class its share, rounded."""
    chosen = np.zeros(len(y), dtype=bool)
    for value in np.unique(y):
        rows = random.permutation(np.flatnonzero(y == value))
        chosen[rows[: int(np.floor(test_size * len(rows) + 0.5))]] = True
    return chosen
