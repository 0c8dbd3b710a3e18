"""Choice of a parameter by cross-validated accuracy (thesis 3.3.2, step 2c)."""

from __future__ import annotations

import numpy as np

from hedgerow.checks import as_numbers
from hedgerow.errors import InputError

#: Accuracies closer than this are the same fraction, summed in another order.
SAME_ACCURACY = 1e-12


def best_value(values: np.ndarray, cv_accuracy: np.ndarray) -> float:
    """Value with the highest mean accuracy over the folds; ties: the smallest one.

    The paper does not say how ties are broken. Of uncertainties the smallest assumes the
    least noise and is the nearest to C4.5.

    Parameters
    ----------
    values : (g,) float array, in any order
    cv_accuracy : (g,) float array
        Mean accuracy over the folds for each value.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If the arrays are empty, differ in length or hold a NaN or an infinite value.
    """
    values = as_numbers("values", values)
    cv_accuracy = as_numbers("cv_accuracy", cv_accuracy)
    if values.size == 0 or values.shape != cv_accuracy.shape:
        raise InputError(
            f"{values.size} values and {cv_accuracy.size} accuracies cannot be paired",
            remedy="give one accuracy for each value, and at least one",
        )
    for name, given in (("value", values), ("cross-validated accuracy", cv_accuracy)):
        wrong = given[~np.isfinite(given)]
        if wrong.size:
            raise InputError(f"a {name} is {wrong[0]}", remedy="leave no fold empty")
    return float(values[cv_accuracy >= cv_accuracy.max() - SAME_ACCURACY].min())
