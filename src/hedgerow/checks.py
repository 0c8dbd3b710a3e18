"""Checks of single parameters: one clear sentence with culprit and remedy."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np

from hedgerow.errors import InputError


def check_number(name: str, value, low: float, high: float = math.inf, *, whole: bool = False):
    """A parameter within [low, high], or an InputError that says so."""
    kind = Integral if whole else Real
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind) or math.isnan(value):
        raise InputError(
            f"{name} is {value!r}",
            remedy="give a whole number" if whole else "give a number",
        )
    if not low <= value <= high:
        upper = "" if high == math.inf else f" and at most {high:g}"
        raise InputError(f"{name} is {value!r}", remedy=f"give a number of at least {low:g}{upper}")


def check_flag(name: str, value) -> None:
    """A parameter that is true or false, or an InputError."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {value!r}", remedy="give True or False")


def check_choice(name: str, value, choices: tuple) -> None:
    """A parameter that is one of `choices`, or an InputError that lists them."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(
            f"{name} is {value!r}", remedy="choose one of " + ", ".join(map(repr, choices))
        )
