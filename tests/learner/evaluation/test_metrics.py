"""Metrics against scikit-learn and by hand; standardisation on a frame small enough to check."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score

from hedgerow.errors import InputError
from hedgerow.evaluation import accuracy, baseline, brier, macro_f1, standardised


@pytest.fixture
def predictions():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 3, 50)
    return y, generator.dirichlet(np.ones(3), 50)


def test_metrics_agree_with_scikit_learn(predictions):
    y, p = predictions
    predicted = p.argmax(axis=1)
    assert accuracy(y, p) == accuracy_score(y, predicted)
    assert macro_f1(y, p) == f1_score(y, predicted, average="macro")
    assert brier(y, p) == pytest.approx(brier_score_loss(y, p, scale_by_half=False))


def test_tied_probabilities_go_to_the_first_class():
    assert accuracy(np.array([0, 1]), np.full((2, 2), 0.5)) == 0.5


def test_a_class_without_predictions_and_cases_counts_zero():
    """Two of three classes are predicted without error, the third is not there: 2/3, not 1."""
    y = np.array([0, 1, 0, 1])
    assert macro_f1(y, np.eye(3)[y]) == pytest.approx(2 / 3)


def _rows(cells):
    columns = ["experiment", "dataset", "repeat", "noise", "method", "metric", "value"]
    return pd.DataFrame(cells, columns=columns)


def test_standardised_by_hand():
    """Baseline 10, 12, 14: mean 12, sd 2. A value of 15 is 1.5 sd above it."""
    rows = _rows(
        [
            (experiment, "a", p, 0.0, "c45", "n_leaves", leaves)
            for experiment in ("training_noise", "test_noise")
            for p, leaves in enumerate([10.0, 12.0, 14.0])
        ]
        + [("training_noise", "a", 0, 0.1, "ss", "n_leaves", 15.0)]
    )
    values, left_out = standardised(rows, "n_leaves")
    assert left_out == []
    assert values["value"].tolist() == [-1, 0, 1, -1, 0, 1, 1.5]


@pytest.mark.parametrize("leaves", [[7.0, 7.0, 7.0], [7.0], [0.1 + 0.2, 0.3]])
def test_a_constant_baseline_leaves_the_set_out(leaves):
    """No unit: a constant, one repeat only, a difference in the last bit."""
    rows = _rows(
        [("test_noise", "flat", p, 0.0, "c45", "n_leaves", v) for p, v in enumerate(leaves)]
        + [("test_noise", "good", p, 0.0, "c45", "n_leaves", v) for p, v in enumerate([1.0, 3.0])]
    )
    values, left_out = standardised(rows, "n_leaves")
    assert left_out == ["flat"]
    assert set(values["dataset"]) == {"good"}
    unit, _ = baseline(rows, "n_leaves")
    assert unit.loc["good"].tolist() == [2.0, pytest.approx(2**0.5)]


def test_a_set_without_baseline_is_named():
    rows = _rows([("test_noise", "a", 0, 0.1, "c45", "accuracy", 0.5)])
    with pytest.raises(InputError, match="a: no row of c45 at noise 0"):
        standardised(rows, "accuracy")


def test_brier_of_a_mixture_that_exceeds_1_by_rounding():
    """Shares of 80 leaves added up to 1 + 2e-16 under soft evaluation, and the job failed."""
    probabilities = np.array([[1.0 + 2.3e-16, 0.0], [0.5, 0.5]])
    assert brier(np.array([0, 1]), probabilities) == pytest.approx(0.25)
