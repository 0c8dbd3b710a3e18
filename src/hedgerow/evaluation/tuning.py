"""Choice of a parameter by cross-validated accuracy (thesis 3.3.2, step 2c)."""

from __future__ import annotations

import numpy as np

from hedgerow.checks import as_numbers
from hedgerow.errors import InputError

#: Accuracies closer than this are the same fraction, summed in another order.
SAME_ACCURACY = 1e-12


def best_factor(factors: np.ndarray, cv_accuracy: np.ndarray) -> float:
    """Factor with the highest mean accuracy over the folds; ties: the smallest factor.

    The paper does not say how ties are broken. The smallest factor assumes the least noise and is
    the nearest to C4.5.

    Parameters
    ----------
    factors : (g,) float array, in any order
    cv_accuracy : (g,) float array
        Mean accuracy over the folds for each factor.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If the arrays are empty, differ in length or hold a NaN or an infinite value.
    """
    factors = as_numbers("factors", factors)
    cv_accuracy = as_numbers("cv_accuracy", cv_accuracy)
    if factors.size == 0 or factors.shape != cv_accuracy.shape:
        raise InputError(
            f"{factors.size} factors and {cv_accuracy.size} accuracies cannot be paired",
            remedy="give one accuracy for each factor, and at least one",
        )
    for name, values in (("factor", factors), ("cross-validated accuracy", cv_accuracy)):
        wrong = values[~np.isfinite(values)]
        if wrong.size:
            raise InputError(f"a {name} is {wrong[0]}", remedy="leave no fold empty")
    return float(factors[cv_accuracy >= cv_accuracy.max() - SAME_ACCURACY].min())
