"""What a draw of parts tells of all parts: some were made again, and how many may differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.files import read_json

#: Draws that were made of the tracked results, with what came out.
FILE = "data/reference/spot_checks.json"
CONFIDENCE = 0.95
#: What a part that was made again is.
EQUAL, DIFFERS, NOT_RERUN = "equal", "differs", "not made"


def most_that_differ(n_parts: int, n_drawn: int, n_unlike: int = 0) -> int:
    """Upper confidence bound of how many parts differ, after a draw without return.

    The largest number at which a draw with so few that differ, or fewer, has at least 5 % chance
    (hypergeometric distribution).
    """
    from scipy.stats import hypergeom

    if not 0 <= n_unlike <= n_drawn <= n_parts:
        raise ValueError(f"{n_unlike} of {n_drawn} of {n_parts} parts is no draw")
    low, high = n_unlike, n_parts - (n_drawn - n_unlike)
    while low < high:  # the chance falls with the number that differ
        middle = (low + high + 1) // 2
        if hypergeom.cdf(n_unlike, n_parts, middle, n_drawn) >= 1 - CONFIDENCE:
            low = middle
        else:
            high = middle - 1
    return low


def needed(n_parts: int, below: int) -> int:
    """How many parts have to be drawn, and be equal, so that fewer than `below` may differ.

    >>> needed(212, 10)
    54
    """
    return next(n for n in range(n_parts + 1) if most_that_differ(n_parts, n) < max(1, below))


def sentence(draw: Mapping[str, Any]) -> str:
    """What a draw tells."""
    n_parts, came_out = draw["n_parts"], list(draw["parts"].values())
    n, equal = len(came_out), came_out.count(EQUAL)
    most = most_that_differ(n_parts, n, n - equal)
    are = "is" if equal == 1 else "are"
    text = f'{equal} of {n_parts} parts, drawn by "{draw["seed"]}", {are} equal'
    if equal < n:
        unlike, unmade = came_out.count(DIFFERS), came_out.count(NOT_RERUN)
        failures = [f"{unlike} differ{'s' if unlike == 1 else ''}"] if unlike else []
        failures += [f"{unmade} could not be made again"] if unmade else []
        text += f", {' and '.join(failures)}"
    text += f"; with {100 * CONFIDENCE:.0f} % confidence at most {most} of the {n_parts} differ"
    wanted = max(1, n_parts // 20)
    if equal == n and most >= wanted and n < n_parts:
        text += f"; {needed(n_parts, wanted)} parts would bring that below {wanted}"
    return f"{text}."


def read_draws(root: Path) -> list[dict[str, Any]]:
    """Draws on record in a project, checked; none where there is no such file."""
    file = root / FILE
    if not file.is_file():
        return []
    draws = read_json(file).get("draws")
    try:
        fine = all(
            isinstance(draw["seed"], str)
            and 0 < len(draw["parts"]) <= int(draw["n_parts"])
            and set(draw["parts"].values()) <= {EQUAL, DIFFERS, NOT_RERUN}
            for draw in draws
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        fine = False
    if not fine:
        raise DataError(f"{file} is damaged", remedy="remove it, and draw again")
    return draws
