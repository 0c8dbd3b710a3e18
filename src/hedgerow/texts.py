"""Texts that people gave, such as names of variables, as pictures, pages and screens hold them."""

from __future__ import annotations

import re

#: What XML cannot hold, or a screen obeys instead of showing it: control characters but for tab and
#: line breaks, halves of surrogate pairs, two that are no characters.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def legible(text: str) -> str:
    """A text with what cannot be shown written out, as Python writes it.

    >>> legible("dose\\x07"), legible("größe")
    ('dose\\\\x07', 'größe')
    """
    return _UNSHOWN.sub(_written, text)


def _written(found: re.Match) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def plain(text: str) -> str:
    """A text of somebody else's for a terminal, which it cannot steer.

    All that does not print is written out, but for line breaks.

    >>> plain("red \\x1b[31m")
    'red \\\\u001b[31m'
    """
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)
