"""Printed numbers: the one form in which pages, captions and figures say a number.

A number has a typographic minus and no negative zero; a p value has three decimals and no zero
before the point; what is not known is a dash.
"""

from __future__ import annotations

import re
from typing import Any

#: What stands for a number that is not known.
NONE = "–"
MINUS = "\N{MINUS SIGN}"


def is_number(value: Any) -> bool:
    """Whether there is a number: neither None nor any of the ways to say that it is missing."""
    import pandas as pd

    return value is not None and not pd.isna(value)


def number(value: float | None, digits: int = 0) -> str:
    """A number with a typographic minus and no negative zero; a dash for none.

    >>> number(-1.25, 1), number(-0.01, 1), number(None)
    ('−1.2', '0.0', '–')
    """
    if not is_number(value):
        return NONE
    text = f"{float(value):.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", MINUS)


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
    return f"+{text}" if is_number(value) and value > 0 and float(text) != 0 else text


def minus(text: str) -> str:
    """A text with a typographic minus before its negative numbers."""
    return re.sub(r"(?<![\w.)])-(?=\d)", MINUS, text)


def p_text(p: float | None) -> str:
    """A p value as a cell of a table shows it.

    >>> p_text(0.0312), p_text(0.001), p_text(0.0009), p_text(1.0), p_text(None)
    ('.031', '.001', '< .001', '1.000', '–')
    """
    if not is_number(p):
        return NONE
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def p_words(p: float | None) -> str:
    """A p value with its sign, as a sentence says it.

    >>> p_words(0.0312), p_words(0.0009), p_words(None)
    ('p = .031', 'p < .001', 'no test')
    """
    if not is_number(p):
        return "no test"
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def count(value: float | None) -> str:
    """A whole number with commas between thousands; a dash for none.

    >>> count(12345), count(float("nan"))
    ('12,345', '–')
    """
    return f"{int(value):,}" if is_number(value) else NONE


def of_all(part: int, whole: int) -> str:
    """How many of all: the wins of a comparison, the levels at which something holds.

    >>> of_all(7, 9)
    '7 of 9'
    """
    return f"{part:.0f} of {whole:.0f}"
