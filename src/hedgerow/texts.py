"""Texts that people gave, such as names of variables, as pictures, pages and screens hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What XML cannot hold, or a screen obeys instead of showing it: control characters but for tab and
#: line breaks, halves of surrogate pairs, two that are no characters.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def legible(text: str) -> str:
    """A text with what cannot be shown written out, as Python writes it.

    >>> legible("dose\\x07"), legible("größe")
    ('dose\\\\x07', 'größe')
    """
    return _UNSHOWN.sub(_written, text)


#: What ends a line or moves along it, and what screens and files take for a line's end.
_BREAKS = re.compile("[\t\n\r\u2028\u2029]")


def one_line(text: str) -> str:
    """As `legible`, and on one line: tabs and line breaks are written out as well.

    >>> one_line("dose\\nmg")
    'dose\\\\nmg'
    """
    return _BREAKS.sub(lambda match: repr(match[0])[1:-1], legible(text))


def _written(match: re.Match) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plain(text: str) -> str:
    """A text of somebody else's for a terminal, which it cannot steer.

    All that does not print is written out, but for line breaks.

    >>> plain("red \\x1b[31m")
    'red \\\\u001b[31m'
    """
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)


#: What messages and pages set as code.
QUOTED = re.compile(r"`([^`\n]+)`")


def unquoted(text: str) -> str:
    """A text with names without the backticks around them, for files that show them as they are.

    >>> unquoted("times in `time` are days")
    'times in time are days'
    """
    return QUOTED.sub(r"\1", text)


def with_unit(length: float, unit: str, form: str = "g") -> str:
    """A length of time with its unit in the singular or plural.

    >>> with_unit(6.0, "years"), with_unit(1.0, "years"), with_unit(0.4932, "years", ".3g")
    ('6 years', '1 year', '0.493 years')
    """
    text = format(length, form)
    return f"{text} {unit.removesuffix('s') if text == '1' else unit}"


def closest(word: str, names: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """Names that are written much like a word, the nearest first.

    `alike` is the share of letters that have to agree, as `difflib` counts them.
    """
    import difflib

    return difflib.get_close_matches(str(word), [str(name) for name in names], most, alike)


def did_you_mean(
    word: str, names: Iterable[str], otherwise: str = "", most: int = 1, always: bool = False
) -> str:
    """The remedy for a word that nobody knows: the names that come near.

    Parameters
    ----------
    word : str
    names : iterable of str
    otherwise : str
        What is said where none comes near.
    most : int
        Names that are given at most.
    always : bool
        Whether `otherwise` stands in parentheses beside names as well.

    >>> did_you_mean("habermann", ["haberman", "wine"])
    'did you mean `haberman`?'
    >>> did_you_mean("x", ["haberman", "wine"], "use one of these")
    'use one of these'
    """
    near = " or ".join(f"`{name}`" for name in closest(word, names, most))
    if not near:
        return otherwise
    return f"did you mean {near}? ({otherwise})" if always else f"did you mean {near}?"
