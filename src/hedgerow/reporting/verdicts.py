"""What a statement of a paper is after its test, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

REPRODUCED, PARTLY, NOT, OPEN = "reproduced", "partly", "not reproduced", "open"


@dataclass(frozen=True)
class Judged:
    """One statement after its test.

    Attributes
    ----------
    claim : str
    verdict : str
        `reproduced`, `partly`, `not reproduced`, or `open` where no data set can speak to it.
    measured : str
        What the verdict rests on, in numbers.
    n_datasets : int, optional
        None where all statements rest on the same data sets.
    """

    claim: str
    verdict: str
    measured: str
    n_datasets: int | None = None


def verdict(reproduced: bool, partly: bool) -> str:
    """The verdict of a test that holds whole, in part, or not."""
    return REPRODUCED if reproduced else PARTLY if partly else NOT


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign, a minus of the width of a plus."""
    return f"{value:+.{digits}f}".replace("-", "\u2212")
