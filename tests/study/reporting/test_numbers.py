"""Printed numbers have one form, on pages, in captions and in figures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.showing import numbers
from hedgerow.showing.figures import nothing_drawn


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_what_is_not_known_is_a_dash(missing):
    for form in (numbers.number, numbers.signed, numbers.p_text, numbers.count):
        assert form(missing) == "–"
    assert numbers.blank(missing) == ""
    assert numbers.p_words(missing) == "no test"


@pytest.mark.parametrize("digits", range(4))
def test_no_number_that_is_shown_as_0_has_a_sign(digits):
    least = 0.49 * 10.0**-digits
    zero = f"{0:.{digits}f}"
    for value in (-least, -0.0, 0.0, least):
        assert numbers.number(value, digits) == numbers.signed(value, digits) == zero


def test_signs():
    assert [numbers.signed(v, 1) for v in (1.25, -1.25)] == ["+1.2", "\u22121.2"]
    assert [numbers.number(v, 1) for v in (1.25, -1.25)] == ["1.2", "\u22121.2"]
    assert numbers.minus("-1 to -2, a-3") == "\u22121 to \u22122, a-3"


def test_less_than_one_in_a_thousand_is_never_said_of_one_in_a_thousand():
    assert numbers.p_text(0.001) == "0.001"
    assert numbers.p_text(np.nextafter(0.001, 0)) == "< 0.001"
    assert numbers.p_words(0.001) == "p = 0.001"
    assert numbers.p_words(0.0) == "p < 0.001"
    assert numbers.p_text(1) == "1.000"


def test_nothing_else_writes_a_number_in_a_form_of_its_own():
    """Five forms of p stood in pages, figures and documents; one of them said p < .001 of .001."""
    folder = Path(hedgerow.__file__).parents[1]
    forms = (r"\"(p )?< ?0?\.001\" if", r"p = \{[^}]*:\.\d[fg]", r"\['p(_[a-z]+)?'\]:\.\d[fg]")
    forms += (r":,(\.\df?)?\}", r"95 % (confidence )?interval", r"removeprefix\(\"0\"\)")
    other = re.compile("|".join(forms))
    found = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if other.search(line) and '"""' not in line and not line.lstrip().startswith("#")
    }
    assert found == {"hedgerow/showing/numbers.py"}


def test_a_figure_of_nothing_says_why():
    drawn = nothing_drawn("No data set was run")
    assert [t.get_text() for t in drawn.texts] == ["No data set was run"]
    assert not drawn.axes
