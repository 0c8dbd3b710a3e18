"""How UCT-DT divides its training rows (thesis 4.5.1)."""

from __future__ import annotations

import numpy as np


def split_rows(n_rows: int, validation_fraction: float, random) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the induction set and of the validation set, each ascending.

    Parameters
    ----------
    n_rows : int
    validation_fraction : float in (0, 1)
    random : numpy.random.RandomState
        As a search begins with it: this is its first draw.

    Returns
    -------
    induction, validation : int arrays
    """
    rows = random.permutation(n_rows)
    n_validation = round(n_rows * validation_fraction)
    n_validation = min(max(n_validation, 1), max(n_rows - 1, 1))
    validation = np.sort(rows[:n_validation])
    # A single row serves both ends.
    return (np.sort(rows[n_validation:]) if n_rows > 1 else validation), validation
