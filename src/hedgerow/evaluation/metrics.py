"""Prediction metrics, and metrics standardised by a baseline (thesis 3.4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import as_numbers, check_unmasked
from hedgerow.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

#: A baseline whose standard deviation lies below this share of its mean is constant: what is left
#: is rounding of a sum of equal numbers.
CONSTANT = 1e-12
#: Probabilities of a row add up to 1 within this: they may be rounded to a few digits.
SUM_TOLERANCE = 0.02
CODES = "give the column of each row's class, from 0: np.searchsorted(tree.classes_, labels)"


def predicted_class(probabilities: np.ndarray) -> np.ndarray:
    """Class of the highest probability; ties go to the class that comes first in label order."""
    return np.argmax(probabilities, axis=1)


def _scored(y, probabilities) -> tuple[np.ndarray, np.ndarray]:
    """Class codes, and finite numbers for each class in as many rows."""
    check_unmasked("y", y)
    check_unmasked("probabilities", probabilities)
    y, probabilities = np.asarray(y), as_numbers("probabilities", probabilities)
    if probabilities.ndim != 2 or 0 in probabilities.shape or y.shape != probabilities.shape[:1]:
        raise InputError(
            f"y has shape {y.shape} and probabilities {probabilities.shape}",
            remedy="give one class code and one probability of each class per row, at least one",
        )
    if y.dtype.kind not in "biuf" or (y.dtype.kind == "f" and (y != np.rint(y)).any()):
        raise InputError("y holds other values than class codes", remedy=CODES)
    if y.min() < 0 or y.max() >= probabilities.shape[1]:
        raise InputError(
            f"y holds codes from {y.min()} to {y.max()} of {probabilities.shape[1]} classes",
            remedy=CODES,
        )
    if not np.isfinite(probabilities).all():
        row = int((~np.isfinite(probabilities)).any(axis=1).argmax())
        raise InputError(
            f"probabilities of row {row} are not finite", remedy="give numbers from 0 to 1"
        )
    return y, probabilities


def accuracy(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Fraction of instances whose predicted class is the true one (thesis 3.3).

    Written out because it is called once per tuned fit, where scikit-learn's checks of its
    arguments would cost more than the prediction.

    Parameters
    ----------
    y : (n,) int array of class codes
    probabilities : (n, K) float array

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    InputError
        No row, another number of codes than of rows, a code of no class (labels are no codes),
        probabilities that are not finite.
    """
    y, probabilities = _scored(y, probabilities)
    return float(np.mean(predicted_class(probabilities) == y))


def macro_f1(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Unweighted mean over all K classes of the F1 score.

    A class without predictions and without cases counts 0, so that the mean is always over the
    same classes.

    Parameters
    ----------
    y : (n,) int array of class codes
    probabilities : (n, K) float array

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    InputError
        As `accuracy`.
    """
    from sklearn.metrics import f1_score

    y, probabilities = _scored(y, probabilities)
    classes = np.arange(probabilities.shape[1])
    return float(
        f1_score(
            y, predicted_class(probabilities), labels=classes, average="macro", zero_division=0.0
        )
    )


def brier(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Brier score: mean squared distance of the predicted from the true class vector.

    Parameters
    ----------
    y : (n,) int array of class codes
    probabilities : (n, K) float array, rows sum to 1

    Returns
    -------
    float in [0, 2]; 2 when every prediction is certain and wrong, whatever K

    Raises
    ------
    InputError
        As `accuracy`, or rows that are no probabilities, such as percentages, votes or logarithms.
    """
    from sklearn.metrics import brier_score_loss

    y, probabilities = _scored(y, probabilities)
    wrong = (probabilities < -SUM_TOLERANCE).any(axis=1)
    wrong |= np.abs(probabilities.sum(axis=1) - 1.0) > SUM_TOLERANCE
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"probabilities of row {row} are {probabilities[row].tolist()}",
            remedy="give numbers from 0 to 1 that add up to 1, as predict_proba returns them",
        )
    # A mixture over leaves may exceed 1 in the last bit, which scikit-learn would refuse.
    probabilities = np.clip(probabilities, 0.0, 1.0)
    return float(
        brier_score_loss(
            y, probabilities, labels=np.arange(probabilities.shape[1]), scale_by_half=False
        )
    )


def baseline(rows: pd.DataFrame, metric: str) -> tuple[pd.DataFrame, list[str]]:
    """Mean and standard deviation of C4.5 without added noise, per data set (thesis 3.4.2).

    Parameters
    ----------
    rows : DataFrame
        Tidy rows with the columns experiment, dataset, repeat, noise, method, metric, value.
    metric : str

    Returns
    -------
    DataFrame
        Columns mean and std (n - 1 in the denominator) over repeats, one row per data set
        whose baseline varies.
    left_out : list of str
        Data sets whose baseline does not vary, or has one repeat only, sorted.

    Raises
    ------
    InputError
        If a data set has no row of C4.5 without noise.
    """
    values = rows[rows["metric"] == metric]
    summary = (
        values[(values["method"] == "c45") & (values["noise"] == 0.0)]
        # Both experiments share their noise-free cells, so that one of them is the baseline.
        .drop_duplicates(["dataset", "repeat"])
        .groupby("dataset")["value"]
        .agg(["mean", "std"])
    )
    lost = sorted(set(values["dataset"]) - set(summary.index))
    if lost:
        raise InputError(
            f"{', '.join(lost)}: no row of c45 at noise 0 for the metric `{metric}`",
            remedy="keep 0 among the noise factors and c45 among the methods",
        )
    varies = summary["std"] > CONSTANT * summary["mean"].abs()  # False for the NaN of one value
    return summary[varies], sorted(summary.index[~varies])


def standardised(rows: pd.DataFrame, metric: str) -> tuple[pd.DataFrame, list[str]]:
    """Values of one metric in standard deviations of C4.5 without added noise (thesis 3.4.2).

    Per data set, the mean of the baseline is subtracted and the result is divided by its standard
    deviation. A data set whose baseline does not vary has no such unit and is left out.

    Parameters
    ----------
    rows : DataFrame
        Tidy rows, as in `baseline`.
    metric : str
        Name of the metric, in its own unit.

    Returns
    -------
    values : DataFrame
        Rows of this metric, `value` standardised, in the order of `rows`.
    left_out : list of str
        Data sets without a unit, sorted.

    Raises
    ------
    InputError
        If a data set has no row of C4.5 without noise.
    """
    unit, left_out = baseline(rows, metric)
    values = rows[(rows["metric"] == metric) & rows["dataset"].isin(unit.index)].copy()
    mean = values["dataset"].map(unit["mean"])
    values["value"] = (values["value"] - mean) / values["dataset"].map(unit["std"])
    return values, left_out
