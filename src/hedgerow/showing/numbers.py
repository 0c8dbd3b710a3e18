"""Printed numbers: the one form in which pages, captions, figures and documents give a number.

``p = 0.027`` and ``p < 0.001``; ``95 % CI 1.18 to 3.68``; percentage points; 9999 and 10,000. A
minus is typographic, no zero is negative, and a dash stands for a missing number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

#: What stands for a number that is not known.
NONE = "–"
MINUS = "\N{MINUS SIGN}"


def is_number(value: Any) -> bool:
    """Whether there is a number: neither None nor any of the ways to say that it is missing."""
    return value is not None and str(value == value) == "True"  # neither NaN nor pandas' NA


def number(value: float | None, digits: int = 0) -> str:
    """A number with a typographic minus and no negative zero; a dash for none.

    >>> number(-1.25, 1), number(-0.01, 1), number(None)
    ('−1.2', '0.0', '–')
    >>> number(9999), number(10_000), number(-12345.6, 1)
    ('9999', '10,000', '−12,345.6')
    """
    if not is_number(value):
        return NONE
    rounded = float(f"{float(value):.{digits}f}") + 0.0  # without the sign of a negative zero
    text = f"{rounded:{',' * (abs(rounded) >= 10_000)}.{digits}f}"
    return text.replace("-", MINUS)


def blank(value: float | None, digits: int = 0) -> str:
    """A number as `number` gives it; nothing for none.

    >>> blank(2.0), blank(None)
    ('2', '')
    """
    return number(value, digits) if is_number(value) else ""


def signed(value: float | None, digits: int = 0) -> str:
    """A number with its sign, plus included; 0 has none, and a dash stands for none.

    >>> signed(0.31, 1), signed(-0.31, 1), signed(0.04, 1)
    ('+0.3', '−0.3', '0.0')
    """
    text = number(value, digits)
    return f"+{text}" if is_number(value) and value > 0 and re.search("[1-9]", text) else text


def points(value: float | None, digits: int = 1) -> str:
    """A difference of shares in per cent, with its sign.

    >>> points(3.94)
    '+3.9 percentage points'
    """
    return f"{signed(value, digits)} percentage points"


def minus(text: str) -> str:
    """A text with a typographic minus before its negative numbers."""
    return re.sub(r"(?<![\w.)])-(?=\.?\d)", MINUS, text)


def p_text(p: float | None) -> str:
    """A p value as a cell of a table shows it.

    >>> p_text(0.0312), p_text(0.001), p_text(0.0009), p_text(1.0), p_text(None)
    ('0.031', '0.001', '< 0.001', '1.000', '–')
    """
    if not is_number(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_words(p: float | None) -> str:
    """A p value with its sign, as a sentence says it.

    >>> p_words(0.0312), p_words(0.0009), p_words(None)
    ('p = 0.031', 'p < 0.001', 'no test')
    """
    if not is_number(p):
        return "no test"
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def between(low: Any, high: Any, digits: Any = 2, form: Callable[..., str] = number) -> str:
    """From one number to another one, as a cell shows an interval whose head names it.

    >>> between(-0.5, 1.25, 1), between(None, None)
    ('−0.5 to 1.2', '–')
    """
    return f"{form(low, digits)} to {form(high, digits)}" if is_number(low) else NONE


def interval(low: Any, high: Any, digits: Any = 2, form: Callable[..., str] = number) -> str:
    """A confidence interval of 95 %, as a sentence says it.

    >>> interval(1.18, 3.684)
    '95 % CI 1.18 to 3.68'
    """
    return f"95 % CI {between(low, high, digits, form)}"


def count(value: float | None) -> str:
    """A whole number; a dash for none.

    >>> count(12345), count(1234), count(float("nan"))
    ('12,345', '1234', '–')
    """
    return number(value)


def of_all(part: int, whole: int) -> str:
    """How many of all: the wins of a comparison, the levels at which something holds.

    >>> of_all(7, 9)
    '7 of 9'
    """
    return f"{part:.0f} of {whole:.0f}"


def in_form(text: str) -> str:
    """A text of a paper or of an older run, its numbers in the form of this module.

    >>> in_form("p<.05 on 12 sets, p=.0023; +0.5 to +1.2 points (-.3), 1,234 of 56789 rows")
    'p < 0.05 on 12 sets, p = 0.002; +0.5 to +1.2 percentage points (−0.3), 1234 of 56,789 rows'
    """
    text = re.sub(r"(?<![\w.])\.(?=\d)", "0.", minus(text))
    text = re.sub(r"\bp ?([<>]=?|=) ?(?=\d)", r"p \1 ", text)
    text = re.sub(r"\bp = (0\.\d{4,}|\d(?:\.\d+)?e-\d+)", lambda p: p_words(float(p[1])), text)
    text = re.sub(r"(?<!at )(?<![\d.])(\d+(?:\.\d+)?) (?=points?\b)", r"\1 percentage ", text)
    text = re.sub(r"(?<![\d,])([1-9]),(\d{3})(?![,\d])", r"\1\2", text)
    return re.sub(r"(?<![\w.,])[1-9]\d{4,}(?![\w.,]*\d)", lambda n: f"{int(n[0]):,}", text)
