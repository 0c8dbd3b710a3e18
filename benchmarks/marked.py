"""Places of a text that a command of this folder fills, between `<!-- NAME: make NAME -->` and
`<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def fill(path: str, name: str, said: str) -> None:
    """Write what was measured into a file of the project."""
    file = ROOT / path
    file.write_text(filled(file.read_text(encoding="utf-8"), name, said), encoding="utf-8")


def filled(text: str, name: str, said: str) -> str:
    """The text with what is said in its place.

    Raises
    ------
    ValueError
        If there is no such place.

    >>> print(filled("<!-- bits: make bits --> old <!-- end -->", "bits", "new"))
    <!-- bits: make bits -->
    new
    <!-- end -->
    """
    begin, end = f"<!-- {name}: make {name} -->", "<!-- end -->"
    place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not place.search(text):
        raise ValueError(f"the text has no `{begin}` ... `{end}`")
    return place.sub(lambda _: f"{begin}\n{said}\n{end}", text)
