"""Sets with a promise: conformal prediction when test values carry errors.

Rows of a data set are divided into those that trees are grown from, those that sets are calibrated
with, and those that are tested. The score of a class is 1 less its probability, and the set of a
row holds the classes whose score is no stranger than those of the calibration (split conformal
prediction, by the library crepes). It holds the true class with the probability that is promised
where calibration and test rows are alike, whatever the tree; only where test values carry errors
and those of the calibration do not, are they unlike.

Trees are grown from values without errors. Soft trees are told the errors that test values have,
also where they have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_noise, rng, split
from hedgerow.evaluation import metrics
from hedgerow.experiments.frames import all_classes, drawn, numbers_of, random_state, sorted_
from hedgerow.experiments.soft.plan import LEARNERS
from hedgerow.experiments.soft_beyond.plan import (
    ALL_PARTS,
    CLEAN,
    EXPERIMENT,
    METHODS,
    NOISY,
    PROMISED,
    SET_METHODS,
    SET_ORDER,
    SETS,
    SITUATIONS,
    SoftBeyondPlan,
)
from hedgerow.experiments.step import step

#: Test rows of a class from which its coverage is looked at.
FEWEST = 5
#: Which errors of a soft tree each method has.
PARTS_OF = {
    "ss": LEARNERS["ss"],
    "stp": LEARNERS["stp"],
    "se": ("evaluation",),
    ALL_PARTS: (*LEARNERS["ss_stp"], "evaluation"),
}


@step(
    "calibration_size",
    "leaf_smoothing",
    "promised",
    "seed",
    "set_confidence",
    "set_noise",
    "set_rows",
    "test_size",
    "ties_broken",
    plan=("soft", "gate_at", "min_samples_split", "step", "window"),
)
def sets(
    table: TidyTable, plan: SoftBeyondPlan, divisions: Iterable[int] | None = None
) -> pd.DataFrame:
    """Coverage and size of sets on one data set.

    Parameters
    ----------
    table : TidyTable
    plan : SoftBeyondPlan
    divisions : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    DataFrame
        part, dataset, division, test and calibration (clean, noisy), noise (standard deviations),
        promised, method, metric, value. Metrics: coverage (share of test rows whose set holds
        their class), class_coverage (that of the class for which it is least, of those with five
        test rows), size (classes in a set), single and empty (shares of sets with one class and
        with none), accuracy (of the most probable class).

    Raises
    ------
    DataError
        The data set is too small to be divided.
    """
    lines = [
        (SETS, table.name, number, *line)
        for number in numbers_of(plan, "n_divisions", divisions)
        for line in _division(table, number, plan)
    ]
    return sorted_(pd.DataFrame(lines, columns=[*SET_ORDER, "value"]), SET_ORDER)


def _division(table: TidyTable, number: int, plan: SoftBeyondPlan) -> Iterator[tuple]:
    """Lines of one division: its cell, method, metric and value."""
    draws = rng(plan.seed, EXPERIMENT, table.name, number, "rows of sets")
    table = drawn(table, plan.set_rows, draws)
    rest, test = _divided(table, number, plan.test_size, SETS, plan)
    grown, held = _divided(rest, number, plan.calibration_size, "calibration", plan)
    numbers = table.X.columns[table.matrix()[1] == 0]
    spread = grown.X[numbers].std(ddof=0).fillna(0.0)

    def with_errors(part: TidyTable, factor: float, name: str) -> pd.DataFrame:
        """Values of a part with errors on its numbers: the same draws at each level."""
        draws = rng(plan.seed, EXPERIMENT, table.name, number, f"errors of {name} rows")
        frame = part.X.copy()
        values = part.X[numbers].to_numpy(dtype=float)
        frame[numbers] = add_noise(values, factor, spread.to_numpy(), draws)
        return frame

    for factor in plan.set_noise:
        errors = {name: factor * float(sd) for name, sd in spread.items()}
        values = {
            ("test", CLEAN): test.X,
            ("test", NOISY): with_errors(test, factor, "test"),
            ("calibration", CLEAN): held.X,
            ("calibration", NOISY): with_errors(held, factor, "calibration"),
        }
        for method in SET_METHODS:
            model = _learner(method, errors, plan).fit(grown.X, grown.y)
            said = {
                place: all_classes(model.predict_proba(X), model.classes_, len(table.classes))
                for place, X in values.items()
            }
            for of_test, of_held in SITUATIONS:
                tested, calibrated = said["test", of_test], said["calibration", of_held]
                state = random_state(plan.seed, EXPERIMENT, table.name, number, "ties")
                p = _p_values(calibrated, held.y, tested, plan.ties_broken, state)
                for promised in plan.promised:
                    cell = (of_test, of_held, factor, promised, method)
                    for metric, value in measured(p >= 1.0 - promised, test.y).items():
                        yield *cell, metric, value
                    yield *cell, "accuracy", metrics.accuracy(test.y, tested)
        for of_test, of_held in SITUATIONS:
            for promised in plan.promised:
                yield of_test, of_held, factor, promised, PROMISED, "coverage", promised


def _divided(
    table: TidyTable, number: int, size: float, name: str, plan: SoftBeyondPlan
) -> list[TidyTable]:
    """The rows of a table in two parts, of which the second has a share of about `size`."""
    words = {"seed": plan.seed, "experiment": f"{EXPERIMENT}_{name}", "test_size": size}
    return [table.take(np.sort(rows)) for rows in split(table, number, **words)]


def _learner(method: str, errors: dict[str, float], plan: SoftBeyondPlan):
    """A tree that is told the errors, or C4.5; not fitted."""
    # Learners are imported where they are called: tables and figures need no compiled core.
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    settings = {
        "confidence": plan.set_confidence,
        "min_samples_split": plan.min_samples_split,
        "smoothing": plan.leaf_smoothing,
    }
    if method == METHODS[0]:
        return C45Classifier(**settings)
    gates = {"window": plan.window, "step": plan.step, "gate_at": plan.gate_at}
    told = dict.fromkeys(PARTS_OF[method], errors)
    return SoftTreeClassifier(**told, **gates, **settings, error_unit="absolute")


def _p_values(
    calibrated: np.ndarray, y: np.ndarray, tested: np.ndarray, ties_broken: bool, state: int
) -> np.ndarray:
    """How strange each class of each test row is among the calibration: (n, n_classes) shares."""
    from crepes import ConformalClassifier
    from crepes.extras import hinge

    classes = np.arange(calibrated.shape[1])
    conformal = ConformalClassifier().fit(hinge(calibrated, classes, y))
    return conformal.predict_p(hinge(tested), smoothing=ties_broken, seed=state)


def measured(held: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """What sets are worth.

    Parameters
    ----------
    held : (n, n_classes) flags
        The classes of each set.
    y : (n,) int array
        The true ones.

    Returns
    -------
    dict of float
        By metric, as `sets` says; class_coverage is not there where no class has five rows.
    """
    right = held[np.arange(len(y)), y]
    size = held.sum(axis=1)
    found = {
        "coverage": float(right.mean()),
        "size": float(size.mean()),
        "single": float((size == 1).mean()),
        "empty": float((size == 0).mean()),
    }
    of_class = [right[y == k].mean() for k in np.unique(y) if (y == k).sum() >= FEWEST]
    if of_class:
        found["class_coverage"] = float(min(of_class))
    return found
