"""Ctrl-C takes effect while a core is at work, not when it is done."""

import signal
import threading
import traceback

import numpy as np
import pytest

from hedgerow.induction import Columns, grow
from hedgerow.tree.gates import spread_of

RNG = np.random.default_rng(0)


def _deep_table(n, m):
    """Labels that no variable tells: growth goes on to the last row."""
    return np.asfortranarray(RNG.normal(size=(n, m))), RNG.integers(0, 2, n)


@pytest.mark.parametrize("uncertain", [False, True])
def test_growth_ends_inside(uncertain):
    """The interrupt comes out of the core itself: the tree that it would have been is not there."""
    X, y = _deep_table(2_000, 5) if uncertain else _deep_table(60_000, 20)
    columns = Columns(X, y, 2)
    more = {"pdf": spread_of(0.5, columns.ranges), "n_points": 100} if uncertain else {}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    # raise_signal would reach the thread that calls it; Python runs handlers in the main thread.
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            grow(columns, min_samples_split=2, **more)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert any(file.endswith("_growth.pyx") for file in files), files
    # Nothing of the table was lost: the same growth, undisturbed, is that of a fresh copy.
    shallow = {"min_samples_split": 2, "max_depth": 3, **more}
    assert grow(columns, **shallow) == grow(Columns(X, y, 2), **shallow)
