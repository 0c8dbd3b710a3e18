"""Choice of a value and bisection of the pruning confidence, on functions known exactly."""

import numpy as np
import pytest

from hedgerow.errors import InputError
from hedgerow.evaluation import best_value, calibrate_confidence


def test_the_most_accurate_factor_is_chosen():
    assert best_value([0.05, 0.1, 0.2], [0.7, 0.9, 0.8]) == 0.1


def test_ties_go_to_the_smallest_factor_in_any_order():
    assert best_value([0.3, 0.1, 0.2], [0.9, 0.9, 0.8]) == 0.1


def test_ties_survive_rounding():
    """The same fractions summed in another order are still a tie."""
    folds = np.array([0.1, 0.2, 0.3, 0.7, 0.9])
    forth, back = folds.sum() / 5, folds[::-1].sum() / 5 + 2e-16
    assert forth != back
    assert best_value([0.1, 0.2], [forth, back]) == 0.1


@pytest.mark.parametrize(
    ("values", "accuracies"), [([], []), ([0.1], [0.5, 0.6]), ([0.1], [np.nan])]
)
def test_nothing_to_choose_from(values, accuracies):
    with pytest.raises(InputError):
        best_value(values, accuracies)


@pytest.mark.parametrize(("most", "target"), [(30, 15), (14.9, 10), (7.0, 5)])
def test_bisection_ends_within_the_tolerance_of_a_target(most, target):
    """A lower one where the data set is small."""
    result = calibrate_confidence(lambda c: most * c)
    assert result.target_leaves == target and result.reached
    assert result.confidence == pytest.approx(target / most, abs=1e-3)


def test_the_nearer_side_of_a_step_is_taken():
    """From 9 leaves to 16 at c = .3: 16 is nearer to 15."""
    above = calibrate_confidence(lambda c: 16.0 if c >= 0.3 else 9.0)
    assert above.mean_leaves == 16.0
    assert 0.3 <= above.confidence <= 0.301
    below = calibrate_confidence(lambda c: 30.0 if c >= 0.3 else 14.0)
    assert below.mean_leaves == 14.0
    assert 0.299 <= below.confidence < 0.3


def test_targets_out_of_reach_on_either_side():
    small = calibrate_confidence(lambda c: 3 * c)
    assert (small.confidence, small.mean_leaves, small.reached) == (1.0, 3.0, False)
    large = calibrate_confidence(lambda c: 6.0)
    assert (large.target_leaves, large.mean_leaves, large.reached) == (5, 6.0, False)
    assert large.confidence == 0.25  # any c would do: the learner's default


def test_nearest_of_all_confidences_where_the_bisection_finds_no_end():
    """The smallest c was taken, though c = .05 came nearer (leaves need not rise with c)."""
    found = calibrate_confidence(lambda c: 5.7 if 0.04 < c < 0.06 else 6.1 + c)
    assert (found.confidence, found.mean_leaves, found.reached) == (0.05, 5.7, False)


def test_confidence_is_asked_for_within_its_range():
    asked = []

    def leaves(c):
        asked.append(c)
        return 20 * c

    calibrate_confidence(leaves)
    assert all(0 < c <= 1 for c in asked)
    assert len(asked) <= 11  # the end and ten halvings


@pytest.mark.parametrize("arguments", [{"targets": ()}, {"tolerance": 0}, {"tolerance": 2}])
def test_wrong_arguments(arguments):
    with pytest.raises(InputError):
        calibrate_confidence(lambda c: 20.0, **arguments)
