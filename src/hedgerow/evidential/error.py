"""The error rate of a classifier on evidential classes (paper, section 3)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import bisect

from hedgerow.checks import as_plausibility, check_number, checked_weights
from hedgerow.errors import InputError
from hedgerow.evidential.contour import check_alone
from hedgerow.optional_imports import is_frame
from hedgerow.tree.table import check_row_order, in_order

TOLERANCE = 1e-12  # of the rate, from one iteration to the next
MOST_ITERATIONS = 1000


def error_plausibility(plausibility, predictions, alone=None) -> tuple[np.ndarray, np.ndarray]:
    """Plausibility that each prediction is right and that it is wrong (equations 2 to 4).

    Returns: `right, wrong` That of the predicted class, pl(0), and 1 - m({predicted class}), pl(1).
    Of nested sets this is the largest plausibility of the other classes.
    """
    check_row_order("alone", alone, plausibility, "plausibility")
    check_row_order("predictions", predictions, plausibility, "plausibility")
    if is_frame(plausibility):
        alone = in_order("alone", alone, list(plausibility.columns))
    plausibility = as_plausibility(plausibility, "plausibility")
    n, n_classes = plausibility.shape
    predictions = np.asarray(predictions)
    if predictions.shape != (n,) or predictions.dtype.kind not in "iu":
        raise InputError(
            f"predictions are no list of {n} whole numbers",
            remedy="give the number of the predicted class for each row of the plausibilities",
        )
    if n == 0:
        raise InputError("there is no prediction to judge", remedy="give at least one row")
    beyond = (predictions < 0) | (predictions >= n_classes)
    if beyond.any():
        raise InputError(
            f"predictions hold {predictions[beyond.argmax()]} for {n_classes} classes",
            remedy=f"give numbers of classes from 0 to {n_classes - 1}",
        )
    rows = np.arange(n)
    right = plausibility[rows, predictions]
    if alone is not None:
        return right, 1.0 - check_alone(alone, plausibility)[rows, predictions]
    others = plausibility.copy()
    others[rows, predictions] = 0.0
    return right, others.max(axis=1)


def evidential_error_rate(
    plausibility, predictions, *, alone=None, tolerance: float = TOLERANCE, sample_weight=None
) -> float:
    """Misclassification rate that makes evidential classes most likely (equations 5 to 7).

    Classes that are known for certain give the share of wrong predictions. Where they are not, the
    rate leans to the side that more rows are on: below one half it is lower than the precise rate,
    above it higher.

    Parameters
    ----------
    plausibility : (n, n_classes) float
        Of each class, in [0, 1]; a row is not all 0.
    predictions : (n,) int
        Columns of `plausibility`.
    alone : (n, n_classes) float, optional
        Mass of each class alone, `EvidentialData.alone`. A contour function does not tell the
        plausibility that a prediction is wrong (equations 2 to 4); without masses it is read as
        that of nested sets, as the doubts of `EvidentialData.from_gamma` are.
    tolerance : float, default 1e-12
        The iteration ends where the rate changes by less; the rate is within it of the likeliest.
    sample_weight : (n,) array, optional
        How often each row counts, at least 0; 0 is as if absent.

    Returns
    -------
    float in [0, 1]
        NaN where no row tells a right from a wrong prediction: every rate is as likely.

    Raises
    ------
    InputError
        Plausibilities outside [0, 1] or all 0 in a row, predictions of another length or of no
        class, weights that are none.

    References
    ----------
    Sutton-Charani, Destercke and Denoeux (2014), section 3.

    Examples
    --------
    Four of ten predictions are wrong, and each class may be any other with plausibility 0.5:

    >>> import numpy as np
    >>> plausibility = np.full((10, 2), 0.5)
    >>> plausibility[:, 0] = 1.0
    >>> print(round(evidential_error_rate(plausibility, np.repeat([0, 1], [6, 4])), 6))
    0.2

    Masses of .5, .3 and .2 on three classes leave .5 to the others, of which none alone has more
    than .3:

    >>> masses = np.array([[0.5, 0.3, 0.2]])
    >>> [part.tolist() for part in error_plausibility(masses, [0], alone=masses)]
    [[0.5], [0.5]]
    """
    check_number("tolerance", tolerance, 0.0, 1.0)
    right, wrong = error_plausibility(plausibility, predictions, alone)
    weight = None
    if sample_weight is not None:
        weight = checked_weights(sample_weight, len(right))
        kept = weight > 0
        right, wrong, weight = right[kept], wrong[kept], weight[kept] / weight.max()
    if (right == wrong).all():
        return float("nan")
    # The likelihood is concave in the rate: one maximum, from wherever the iteration starts inside.
    most = np.maximum(right, wrong)
    right, wrong = right / most, wrong / most
    rate = float(np.average(wrong / (right + wrong), weights=weight))
    for _ in range(MOST_ITERATIONS):
        expected = rate * wrong / ((1.0 - rate) * right + rate * wrong)
        before, rate = rate, float(np.average(expected, weights=weight))
        if rate == before:
            return rate
        if abs(rate - before) <= tolerance:
            break
    return _likeliest(rate, right, wrong, 1.0 if weight is None else weight, tolerance)


def _likeliest(rate: float, right, wrong, weight, tolerance: float) -> float:
    """Where the slope of equation 5 is 0, or the end of [0, 1] that it leads to.

    Small steps do not tell that the iteration is near: towards 0 and 1 they may shrink faster than
    what is left of the way.
    """

    def slope(at: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.sum(weight * ((wrong - right) / ((1.0 - at) * right + at * wrong))))

    here = slope(rate)
    end = 1.0 if here > 0 else 0.0
    if here == 0 or rate == end:
        return rate
    if slope(end) * here >= 0:
        return end
    return float(bisect(slope, rate, end, xtol=max(tolerance, 1e-15)))
