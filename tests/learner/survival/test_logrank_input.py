"""Log-rank tests of what is no follow-up: one sentence each."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InputError
from hedgerow.survival import logrank, logrank_one_by_one

TIME, EVENT, GROUP = [1.0, 2.0, 3.0], [True, False, True], [0, 0, 1]


@pytest.mark.parametrize("test", [logrank, logrank_one_by_one])
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"event": [True]}, r"time has shape \(3,\), event \(1,\) and group \(3,\)"),
        ({"time": [1.0, np.nan, 3.0]}, "time is nan in row 1"),
        ({"time": list("abc")}, "time holds something that is no real number"),
        ({"event": [2, 0, 1]}, "event holds something else than true and false"),
        ({"group": [None, 0, "a"]}, "group holds labels of several kinds"),
        ({"time": None}, r"time has shape \(\)"),
    ],
)
def test_what_is_no_follow_up(test, changes, said):
    """Whole numbers in the place of events chose patients by number, and lists were no input."""
    with pytest.raises(InputError, match=said):
        test(**{"time": TIME, "event": EVENT, "group": GROUP} | changes)


def test_lists_and_zeros_and_ones():
    arrays = np.array(TIME), np.array(EVENT), np.array(GROUP)
    assert logrank(*arrays) == logrank(TIME, EVENT, GROUP) == logrank(TIME, [1, 0, 1], GROUP)
