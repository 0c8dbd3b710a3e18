"""Errors of measurement: how each value follows from its source, and what the page says of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from hedgerow.experiments.survival_beyond.errors import COLUMNS, ERRORS, GOALS, NOT_SEEN

PAGE = Path(__file__).parents[2] / "docs/survival_beyond.md"
#: Variation between persons (the list) and desirable total error (Biochem Med 2018; 28: 020711).
OF_GOALS = {
    "bilirubin": (28.4, 26.94),
    "cholesterol": (15.3, 9.01),
    "creatinine": (14.7, 8.87),
    "triglycerides": (32.7, 25.99),
    "urea": (18.7, 15.55),
}


def within(error):
    """Within-subject variation in per cent that an entry of the database names."""
    found = re.search(r"update of 2014: ([\d.]+) %", error.source)
    return float(found[1]) if found else None


@pytest.mark.parametrize("key", ERRORS)
def test_each_source_says_where_its_value_was_seen(key):
    error = ERRORS[key]
    assert ("seen in" in error.source) != (NOT_SEEN in error.source)
    if (percent := within(error)) is not None:
        # An analytical variation of half the within-subject one, as a second part of the error.
        assert error.sd == pytest.approx(math.hypot(percent, percent / 2) / 100, abs=5e-5)


def test_published_goals_follow_from_the_values():
    """A quarter of all variation and 1.65 of half of that within a person (Fraser 1997)."""
    assert {key for key, error in ERRORS.items() if GOALS in error.source} == set(OF_GOALS)
    for key, (between, goal) in OF_GOALS.items():
        own = within(ERRORS[key])
        assert math.hypot(own, between) / 4 + 1.65 * own / 2 == pytest.approx(goal, abs=0.005)


def test_the_page_lists_each_error_as_it_is():
    lines = re.findall(
        r"^\| ([^|]+) \| ([\d.]+) ([^|]+) \| [^|]+ \| ([^|]+) \|$", PAGE.read_text(), re.M
    )
    listed = {quantity: (float(sd), unit, seen) for quantity, sd, unit, seen in lines}
    assert set(listed) == {error.quantity for error in ERRORS.values()}
    for error in ERRORS.values():
        sd, unit, seen = listed[error.quantity]
        assert (unit == "%") == (error.kind == "relative")
        assert sd == pytest.approx(error.sd * (100 if unit == "%" else 1))
        assert seen.startswith(NOT_SEEN) == (NOT_SEEN in error.source)
    assert {key for columns in COLUMNS.values() for key in columns.values()} == set(ERRORS)
