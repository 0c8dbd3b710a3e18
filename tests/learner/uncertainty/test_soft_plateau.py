"""Soft search takes the middle of a plateau, whichever candidates were evaluated.

Neighbours whose gains differed by less than 1e-12 were chained. A chain could run into a block that
a bound had left out, and ended there: the middle was another one than by full evaluation.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import SoftTreeClassifier
from hedgerow.uncertainty import gain_curve


def middle_of_plateau(curve, x):
    """The rule, after the gains of all candidates: within 1e-12 of the largest, the widest run."""
    below = (x[:, None] < curve.threshold).sum(axis=0)
    within = (curve.gain >= curve.gain.max() - 1e-12) & (below > 0) & (below < len(x))
    starts = np.flatnonzero(within & ~np.r_[False, within[:-1]])
    ends = np.flatnonzero(within & ~np.r_[within[1:], False])
    widest = (ends - starts).argmax()
    return curve.threshold[starts[widest] + (ends[widest] - starts[widest]) // 2]


def chosen_and_expected(seed, n_classes, window, step, share):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=120 - n_classes)]
    x = rng.poisson(4.0 + y, 120) / float(rng.integers(1, 4))
    model = SoftTreeClassifier(
        search=share, window=window, step=step, prune=False, max_depth=1
    ).fit(x[:, None], y)
    curve = gain_curve(x, y, share * abs(x.mean()), window=window, step=step)
    if model.tree_.n_nodes == 1:
        return 0.0, 0.0
    return model.tree_.threshold[0], middle_of_plateau(curve, x)


@pytest.mark.parametrize("seed", [3, 5, 51, 68, 96, 102])
@pytest.mark.parametrize(("window", "step"), [(16.0, 0.1), (30.0, 0.3)])
def test_chains_that_ended_at_a_block_left_out(seed, window, step):
    """With another middle before, in 8 of these 12."""
    chosen, expected = chosen_and_expected(seed, 2 + seed % 3, window, step, 0.01)
    assert chosen == pytest.approx(expected, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 5),
    st.sampled_from([6.0, 16.0, 30.0]),
    st.sampled_from([0.02, 0.1, 0.3]),
    st.sampled_from([0.01, 0.02, 0.1, 0.4]),
)
def test_any_grid(seed, n_classes, window, step, share):
    chosen, expected = chosen_and_expected(seed, n_classes, window, step, share)
    assert chosen == pytest.approx(expected, rel=1e-12)
