"""Checks of plausibilities."""

from __future__ import annotations

import numpy as np

from hedgerow.checks import as_numbers, check_unmasked
from hedgerow.errors import InputError


def as_table(name: str, values, shape: tuple, what: str) -> np.ndarray:
    """Numbers spread to a shape, float64.

    Raises
    ------
    InputError
        No numbers, or of a shape that does not fit.
    """
    check_unmasked(name, values)
    try:
        return np.array(np.broadcast_to(as_numbers(name, values), shape))
    except ValueError:
        raise InputError(f"{name} is no {what}", remedy=f"give one of shape {shape}") from None


def check_unit(name: str, values: np.ndarray) -> np.ndarray:
    """Numbers that are all in [0, 1], or an InputError that names the first one that is not."""
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        place = np.unravel_index(int(wrong.argmax()), values.shape)
        where = ", ".join(
            f"{word} {at}" for word, at in zip(("row", "column"), place, strict=False)
        )
        raise InputError(
            f"{name} holds {values[place]:g} in {where}", remedy="give plausibilities in [0, 1]"
        )
    return values


def as_plausibility(values, name: str) -> np.ndarray:
    """Plausibilities of several classes or categories for each row, (n, k) float64.

    Raises
    ------
    InputError
        No table of numbers, a number outside [0, 1], or a row of zeros.
    """
    check_unmasked(name, values)
    try:
        table = np.array(as_numbers(name, values), order="C")
    except ValueError:
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(
            f"{name} is no table of numbers",
            remedy="give one row per instance and one column per class",
        )
    check_unit(name, table)
    nothing = ~table.any(axis=1)
    if nothing.any():
        raise InputError(
            f"{name} is 0 throughout row {int(nothing.argmax())}",
            remedy="give 1 to all where nothing is known",
        )
    return table


def check_alone(alone, plausibility: np.ndarray) -> np.ndarray:
    """Masses of each class alone, (n, k) float64, beside what they are plausible.

    Raises
    ------
    InputError
        Of another shape, below 0, above the plausibility of their class, or above 1 together.
    """
    alone = check_unit("alone", as_table("alone", alone, plausibility.shape, "table of numbers"))
    wrong = (alone > plausibility + 1e-9) | (alone.sum(axis=1, keepdims=True) > 1.0 + 1e-9)
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise InputError(
            f"the masses of classes alone are {alone[row].tolist()} in row {row}, and their "
            f"plausibilities {plausibility[row].tolist()}",
            remedy="give masses that are no larger, and at most 1 together",
        )
    return alone
