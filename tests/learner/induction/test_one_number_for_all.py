"""One number as the error of all variables: it has the unit of each, so scales matter."""

import warnings

import numpy as np
import pandas as pd
import pytest

from hedgerow import C45Classifier, OptimalTreeClassifier, SoftTreeClassifier, Uncertain
from hedgerow.errors import HedgerowWarning

RNG = np.random.default_rng(0)
X = pd.DataFrame({"hue": RNG.normal(size=80), "proline": RNG.normal(scale=300.0, size=80)})
Y = (X["hue"] > 0).to_numpy()


def fit_soft(X, error):
    return SoftTreeClassifier(error=error).fit(X, Y)


def fit_optimal(X, error):
    return OptimalTreeClassifier(max_depth=1, error=error, max_nodes=50).fit(X, Y)


def fit_with_data(X, error):
    return SoftTreeClassifier().fit(Uncertain(X, error=error), Y)


@pytest.mark.parametrize("fit", [fit_soft, fit_optimal, fit_with_data])
def test_one_number_over_very_different_scales_warns(fit):
    """`error=0.1` beside `propagation=0.1`, a share of the mean, was taken without a word."""
    with pytest.warns(HedgerowWarning, match=r"of hue, \d+ of proline; give a dict"):
        fit(X, 0.1)


@pytest.mark.parametrize("error", ["5 %", {"hue": 0.1}, [0.1, 20.0], 0, None])
def test_other_forms_do_not_warn(error):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (SoftTreeClassifier if error else C45Classifier)(**({"error": error} if error else {})).fit(
            X, Y
        )


def test_similar_scales_do_not_warn():
    """Constant and empty columns have no scale."""
    table = X.assign(proline=X["proline"] / 100, constant=1.0, empty=np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit_soft(table, 0.1)
